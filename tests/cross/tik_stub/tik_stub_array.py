"""ScalarArrays of the recording stub."""
from tik_stub_expr import Scalar, Value, const, op2, to_type
from tik_stub_notes import note
from tik_stub_tensor import source_kind


class _Found(Scalar):
    """The element of a ScalarArray that an index chooses at run time."""
    __slots__ = ("array", "index")

    def set_as(self, value, src_offset=None):
        inst = self.inst
        if inst._top.dropped:
            return
        index = inst._register("index", "int64")
        chosen = inst._register("value", self.dtype)
        inst._set(index, self.index)
        inst._set(chosen, value)
        for i, item in enumerate(self.array._items):
            inst._emit("if " + op2("eq", index, const(inst, "int64", i)).text)
            inst._indent += "  "
            inst._set(item, chosen)
            inst._indent = inst._indent[:-2]
            inst._lines.append(inst._indent + "end")


class ScalarArray:
    def __init__(self, inst, dtype, length, name):
        self.dtype = dtype
        self.name = name
        self.length = length
        self._items = [inst._register(name, dtype) for _ in range(length)]

    def __len__(self):
        return self.length

    def __getitem__(self, key):
        if not isinstance(key, Value):
            note("array.at.int" if key >= 0 else "array.at.negative")
            return self._items[key]
        note("array.at." + source_kind(key))
        key = to_type(key, "int64")
        if key.value is not None:
            return self._items[key.value]
        found = _Found(key.inst, self.dtype, self._search(key).text)
        found.name = self.name
        found.scope = None
        found.array = self
        found.index = key
        return found

    def _search(self, index):
        carrier = {"float16": "uint16", "bfloat16": "uint16", "float32": "uint32"}.get(
            self.dtype, self.dtype)
        total = const(index.inst, carrier, 0)
        for i, item in enumerate(self._items):
            hit = op2("eq", index, const(index.inst, "int64", i))
            total = op2("add", total, op2("mul", to_type(hit, carrier),
                                          item.reinterpret_cast_to(carrier)))
        return total.reinterpret_cast_to(self.dtype)

    def __setitem__(self, key, value):
        self[key].set_as(value)

    def set_as(self, value):
        note("array.set_as." + ("list" if isinstance(value, (list, tuple)) else "value"))
        values = value if isinstance(value, (list, tuple)) else [value] * self.length
        for item, v in zip(self._items, values):
            item.set_as(v)


