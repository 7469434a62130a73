"""Tensors of the recording stub: views over a root, their offsets and lifetimes.

Offsets, lengths and strides are ints while they are constant and int64 Exprs otherwise; offsets count
bytes from the root, lengths and strides elements."""
from tik_stub_expr import ScopeEnded, Value, add_compares, const, given, op2, read, to_type
from tik_stub_notes import note
from tik_stub_numbers import FLOATS, SIZE


def _i64(v, inst):
    return v if isinstance(v, Value) else const(inst, "int64", v)


def _plain(e):
    return e.value if e.value is not None else e


def calc(inst, op, a, b):
    if type(a) is int and type(b) is int:
        if op == "add":
            return a + b
        if op == "sub":
            return a - b
        if op == "mul":
            return a * b
    return _plain(op2(op, _i64(a, inst), _i64(b, inst)))


class Root:
    """A buffer: what Tensor() creates and all views of it share. top: the scope it lives in."""
    __slots__ = ("inst", "name", "scope", "dtype", "nbytes", "label", "shape", "role", "preset",
                 "table", "top")


class Tensor:
    """A view: byte offset from the root, lengths and strides in elements."""
    __slots__ = ("_root", "dtype", "_lens", "_strides", "_off", "_flat", "_element", "_sliced", "_of_element")

    def __init__(self, root, dtype, lens, strides, off, flat, element=False, sliced=False, of_element=False):
        self._root = root
        self.dtype = dtype
        self._lens = lens
        self._strides = strides
        self._off = off
        self._flat = flat
        self._element = element
        self._sliced = sliced
        self._of_element = of_element   # an element as another type: one key counts from there

    @property
    def shape(self):
        note("tensor.shape")
        return list(self._lens)

    @property
    def scope(self):
        note("tensor.scope")
        return self._root.scope

    @property
    def name(self):
        note("tensor.name")
        return self._root.name

    @property
    def buffer_size(self):
        note("tensor.buffer_size")
        return self._root.nbytes

    @property
    def size(self):
        note("tensor.size")
        return product(self._root.inst, self._lens)

    @property
    def offset(self):
        note("tensor.offset")
        inst = self._root.inst
        return calc(inst, "div", self._off, SIZE[self.dtype])

    def _ref(self):
        root = self._root
        if not root.top.open:
            raise ScopeEnded("tensor " + root.name)
        off = self._off
        return "%s:%s+%s" % (root.label, self.dtype, off if type(off) is int else off.text)

    def _load(self):
        self._one_element()
        return self._read()

    def _bits(self, dtype):
        """The bits of the first element as a value of this type."""
        e = self._read()
        if e.dtype == dtype or (e.dtype not in FLOATS and dtype not in FLOATS and dtype != "bool"):
            return to_type(e, dtype)
        if SIZE[e.dtype] != SIZE[dtype] and (e.dtype in FLOATS or dtype in FLOATS):
            raise TypeError("the bits of %s for %s" % (e.dtype, dtype))
        return (e if SIZE[e.dtype] == SIZE[dtype] else to_type(e, "uint8")).reinterpret_cast_to(dtype)

    def _read(self):
        inst = self._root.inst
        reg = inst._register("element", self.dtype)
        inst._emit_if_live("load %s %s = %s", reg, self)
        return reg

    def _one_element(self):
        dropped = self._root.inst._top.dropped  # there an index gives the tensor itself
        if not dropped and any(type(n) is int and n != 1 for n in self._lens):
            raise ValueError("a view of %s elements" % (self._lens,))

    def __getitem__(self, key):
        inst = self._root.inst
        if inst._top.dropped:
            note("dropped.index")
            return self
        keys = key if type(key) is tuple else (key,)
        if self._element and all(type(k) is int for k in keys) and (type(self._off) is int or not any(keys)):
            if any(keys):
                raise IndexError("an element at a constant place has only the index 0")
            return self
        if self._element or (self._of_element and len(keys) == 1):
            if len(keys) not in (1, len(self._lens)):
                raise IndexError("%d indices for %d dimensions" % (len(keys), len(self._lens)))
            return self._from_element(keys)
        lens, strides, off = self._lens, self._strides, self._off
        if len(keys) == 1 and len(lens) > 1:
            if self._gaps():
                raise IndexError("one index on a view with gaps")
            note("view.flat" if type(key) is not slice else "view.flat_slice")
            lens, strides, off = (self._flat,), (1,), 0
        elif len(keys) != len(lens):
            raise IndexError("%d indices for %d dimensions" % (len(keys), len(lens)))
        elif len(keys) == 1:
            note("view.index" if type(key) is not slice else "view.slice")
        else:
            _note_tuple(keys)
        size = SIZE[self.dtype]
        element = True
        new_lens, new_strides = [], []
        for k, length, stride in zip(keys, lens, strides):
            if type(k) is slice:
                element = False
                start, n, step = _slice(inst, k, length)
                off = _advance(inst, off, start, stride, size)
                new_lens.append(n)
                new_strides.append(stride if step == 1 else calc(inst, "mul", stride, step))
            else:
                off = _advance(inst, off, _index(inst, k, length), stride, size)
                new_lens.append(1)
                new_strides.append(stride)
        return Tensor(self._root, self.dtype, tuple(new_lens), tuple(new_strides), off, self._flat,
                      element, True)

    def _from_element(self, keys):
        """What a key of an element says counts from there; a slice without an end has one element."""
        inst = self._root.inst
        off, size = self._off, SIZE[self.dtype]
        strides = (1,) if len(keys) == 1 and len(self._lens) > 1 else self._strides
        lens, new = [], []
        for k, stride in zip(keys, strides):
            length = 1 if type(k) is slice and k.stop is None else 1 << 48
            if any(type(n) is int and n < 0 for n in ((k.start, k.stop) if type(k) is slice else (k,))):
                raise IndexError("a negative key of an element")
            start, n, step = (_slice(inst, k, length, True) if type(k) is slice else (_index(inst, k, length), 1, 1))
            off = _advance(inst, off, start, stride, size)
            lens.append(n)
            new.append(stride if step == 1 else calc(inst, "mul", stride, step))
        element = not any(type(k) is slice for k in keys)
        note("view.element_again" if element else "view.element_slice")
        return Tensor(self._root, self.dtype, tuple(lens), tuple(new), off, self._flat, element, True)

    def _gaps(self):
        """The elements certainly do not follow each other."""
        want = 1
        for n, stride in zip(reversed(self._lens), reversed(self._strides)):
            if type(n) is int and n == 1:
                continue
            if type(stride) is not int:
                return False
            if stride != want:
                return True
            if type(n) is not int:
                return False
            want *= n
        return False

    def __call__(self, key):
        note("view.call")
        return self[key]

    def __setitem__(self, key, value):
        note("tensor.setitem")
        self[key].set_as(value)

    def set_as(self, value, dst_offset=0, src_offset=None):
        inst = self._root.inst
        if inst._top.dropped:
            note("dropped.set_as")
            return
        note("tensor.set_as." + source_kind(value))
        if isinstance(value, Tensor):
            value = value._bits(self.dtype)
        value = given(inst, self.dtype, value)
        inst._emit("store %s = %s" % (self._ref(), value.text))

    def reshape(self, new_shape):
        inst = self._root.inst
        if inst._top.dropped:
            return self
        if self._sliced and not self._element:
            raise ValueError("a sliced view has no reshape")
        note("view.reshape")
        lens = tuple([length_of(inst, n) for n in new_shape])
        sizes = product(inst, lens), product(inst, self._lens)
        if type(sizes[0]) is type(sizes[1]) is int and sizes[0] != sizes[1]:
            raise ValueError("reshape of %d to %d elements" % (sizes[1], sizes[0]))
        return Tensor(self._root, self.dtype, lens, row_major(inst, lens), self._off,
                      product(inst, lens), self._element)

    def flatten(self):
        note("view.flatten")
        return self.reshape((self.size,))

    def reinterpret_cast_to(self, dtype):
        inst = self._root.inst
        if inst._top.dropped:
            return self
        old, new = SIZE[self.dtype], SIZE[dtype]
        lens, strides, flat = self._lens, self._strides, self._flat
        element = False
        if old > new:
            note("view.reinterpret.narrower")
            ratio = old // new
            lens = lens + (ratio,)
            strides = tuple([calc(inst, "mul", s, ratio) for s in strides]) + (1,)
            flat = calc(inst, "mul", flat, ratio)
        elif old < new:
            note("view.reinterpret.element" if self._element else "view.reinterpret.wider")
            ratio = new // old
            if type(self._off) is int and self._off % new:
                raise ValueError("byte %d is not a multiple of %d" % (self._off, new))
            strides = tuple([_shrink(inst, s, ratio) for s in strides])
            lens = lens[:-1] + (_shrink(inst, lens[-1], ratio),)
            flat = _shrink(inst, flat, ratio)
        else:
            note("view.reinterpret.same")
            element = self._element
        of_element = (self._of_element or self._element) and not element
        return Tensor(self._root, dtype, lens, strides, self._off, flat, element, self._sliced, of_element)

    __hash__ = object.__hash__


add_compares(Tensor)


def source_kind(value):
    """Kind of the value of a set_as, as constructs.tsv calls it."""
    if isinstance(value, Tensor):
        return "view"
    if isinstance(value, Value):
        return "scalar" if type(value).__name__ == "Scalar" else "expr"
    return "number"


def _note_tuple(keys):
    slices = [k for k in keys if type(k) is slice]
    note("view.tuple" if not slices else
         "view.tuple_slices" if len(slices) == len(keys) else "view.tuple_mixed")


def _shrink(inst, v, ratio):
    return max(v // ratio, 1) if type(v) is int else calc(inst, "div", v, ratio)


def _advance(inst, off, index, stride, size):
    if type(off) is int and type(index) is int and type(stride) is int:
        return off + index * stride * size
    step = calc(inst, "mul", stride, size)
    return calc(inst, "add", off, calc(inst, "mul", index, step))


def _index(inst, k, length):
    if isinstance(k, Value):
        note("view.at." + source_kind(k))
        return _plain(to_type(k, "int64"))
    if isinstance(k, float):
        raise TypeError("an index is no float")
    k = int(k)
    if k >= 0:
        return k
    note("view.negative")
    return calc(inst, "add", length, k)


def _slice(inst, s, length, element=False):
    start = 0 if s.start is None else _index(inst, s.start, length)
    stop = length if s.stop is None else _index(inst, s.stop, length)
    step = 1 if s.step is None else s.step
    for part in ("start", "stop", "step"):
        if getattr(s, part) is not None:
            note("view.slice." + part)
    n = 1 if element and s.stop is None else calc(inst, "sub", stop, start)
    if s.stop is None and type(n) is int:
        n = max(n, 0)  # it begins after the dimension: an address, no element
    if step > 1:
        n = calc(inst, "add", n, step - 1)
        n = n // step if type(n) is int else calc(inst, "div", n, step)
    return start, n, step


def length_of(inst, n):
    """Length of a dimension: an int, an integral float, a Scalar or an Expr."""
    if isinstance(n, Value):
        note("shape." + source_kind(n))
        return _plain(to_type(n, "int64"))
    note("shape." + type(n).__name__)
    if int(n) != n or n <= 0:
        raise ValueError("a dimension of %r" % (n,))
    return int(n)


def product(inst, lens):
    n = 1
    for v in lens:
        n = calc(inst, "mul", n, v)
    return n


def row_major(inst, lens):
    strides, stride = [], 1
    for n in reversed(lens):
        strides.append(stride)
        stride = calc(inst, "mul", stride, n)
    return tuple(reversed(strides))
