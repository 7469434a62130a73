"""Structures and enumerations of the module tik under CPython, from the compiler's table
(compiler/tik/struct.def), and data_copy, which records what they describe."""
import math
import os
import re

from tik_stub_expr import Value, const, op2, to_type
from tik_stub_notes import note
from tik_stub_numbers import SIZE
from tik_stub_tensor import calc

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "compiler", "tik",
                     "struct.def")
HAS_ZERO_BLOCKS = False  # the compiler's default processor refuses a block_count of 0


class Enumerator:
    def __init__(self, of, name, value):
        self.name, self.value, self._of = name, value, of

    def __repr__(self):
        return "%s.%s" % (self._of, self.name)


class Structure:
    _fields = _defaults = _aliases = ()

    def __init__(self, *values, **named):
        note("struct." + type(self).__name__)
        for name, value in zip(self._fields, values + self._defaults[len(values):]):
            setattr(self, name, value)
        for name, value in named.items():
            setattr(self, name, value)

    def __setattr__(self, name, value):
        name = dict(self._aliases).get(name, name)
        if name not in self._fields:
            raise AttributeError(name)
        object.__setattr__(self, name, value)

    def __getattr__(self, name):
        return object.__getattribute__(self, dict(self._aliases)[name])

    def __repr__(self):
        return "%s(%s)" % (type(self).__name__,
                           ", ".join(["%s=%r" % (f, getattr(self, f)) for f in self._fields]))


def rows(text, macro):
    return [[w.strip() for w in row.split(",")] for row in re.findall(r"^%s\((.*)\)$" % macro, text, re.M)]


def provided():
    """The names of the table and what they are."""
    with open(TABLE) as f:
        text = f.read()
    text = text[text.index("\nENUM("):]
    found = {}
    for enum, in rows(text, "ENUM"):
        values = {name: Enumerator(enum, name, int(number))
                  for of, name, number in rows(text, "ENUMERATOR") if of == enum}
        values.update({other: values[name] for of, other, name in rows(text, "SPELLING") if of == enum})
        found[enum] = type(enum, (), values)
    for struct, in rows(text, "STRUCT"):
        mine = [row for row in rows(text, "FIELD") if row[0] == struct]
        found[struct] = type(struct, (Structure,), {
            "_fields": tuple(name for _, name, _, _ in mine),
            "_defaults": tuple(_default(found, kind, int(number)) for _, _, number, kind in mine),
            "_aliases": tuple((other, name) for of, other, name in rows(text, "ALIAS") if of == struct)})
    return found


def _default(found, kind, number):
    if kind in ("BOOL", "LIST"):
        return bool(number) if kind == "BOOL" else None
    values = vars(found[kind]).values() if kind in found else ()
    return ([v for v in values if isinstance(v, Enumerator) and v.value == number] or [number])[0]


# ---- data_copy -----------------------------------------------------------------------------------------

def _guarded(inst, counts, record):
    """Records what the function does, inside of a branch on the counts that only the run knows; nothing when
    one is 0."""
    if [n for n in counts if not isinstance(n, Value) and n == 0]:
        note("data_copy.nothing")
        return
    conditions = [op2("ne", n, const(inst, n.dtype, 0)) for n in counts if isinstance(n, Value)]
    conditions = conditions[:1] + [op2("and", conditions[0], c) for c in conditions[1:]]
    if not conditions:
        record()
        return
    inst._emit("if " + conditions[-1].text)
    first = len(inst._lines)
    record()
    inst._lines[first:] = ["  " + line for line in inst._lines[first:]]
    inst._emit("end")


def _copy_count(inst, dst, src, count):
    note("data_copy.count")
    size = SIZE[dst.dtype]
    if isinstance(count, Value):
        count = op2("shr", op2("mul", to_type(count, "int64"), const(inst, "int64", size)),
                    const(inst, "int64", 5))
    else:
        count = count * size >> 5
    _guarded(inst, [count], lambda: inst.data_move(dst, src, 0, 1, count, 0, 0))


def _copy_params(inst, dst, src, params):
    note("data_copy.params")
    counts = [params.block_len] + [params.block_count] * HAS_ZERO_BLOCKS
    _guarded(inst, counts, lambda: inst.data_move(dst, src, 0, params.block_count, params.block_len,
                                                  params.src_stride, params.dst_stride))


COPIES = {"DataCopyParams": _copy_params}


# ---- slices --------------------------------------------------------------------------------------------


FIELDS = ("start_index", "end_index", "stride", "burst_len", "shape_value")


class Side:
    """One list: fields of each dimension, then counts and pitches in bytes, and where the first segment starts."""

    def __init__(self, tensor, infos):
        self.tensor = tensor
        self.rows = [[_wide(getattr(info, f)) for f in FIELDS] for info in infos]

    def take_shape(self):
        for row, n in zip(self.rows, reversed(self.tensor._lens)):
            row[4] = n

    def measure(self, inst, length, size):
        segment, line = calc(inst, "div", length, size), size
        self.dims, self.start = [], 0
        for d, (start, end, stride, _, shape) in enumerate(self.rows):
            piece = segment if d == 0 else 1
            every = calc(inst, "add", calc(inst, "add", calc(inst, "sub", end, start), 1), stride)
            step = calc(inst, "add", piece, stride)
            self.dims.append((calc(inst, "div", every, step), calc(inst, "mul", step, line)))
            self.start = calc(inst, "add", self.start, calc(inst, "mul", start, line))
            line = calc(inst, "mul", line, shape)

    def flatten(self):
        flat = []
        for n, pitch in self.dims:
            if n != 1 and flat and pitch == flat[-1][0] * flat[-1][1]:
                flat[-1] = flat[-1][0] * n, flat[-1][1]
            elif n != 1:
                flat.append((n, pitch))
        self.dims = flat

    def lengthen(self, k):
        n, pitch = self.dims[0]
        self.dims[0] = n // k, pitch * k
        self.flatten()

    def listed(self, name, room):
        dims = self.dims + [(1, 0)] * (room - len(self.dims))
        return ["%s_%s[%d]=%s" % (name, what, i, shown(dims[i][k]))
                for k, what in enumerate(("count", "pitch")) for i in range(room)]

    def ref(self, inst):
        t = self.tensor
        return type(t)(t._root, t.dtype, t._lens, t._strides, calc(inst, "add", t._off, self.start), t._flat)._ref()


def _wide(v):
    return to_type(v, "int64") if isinstance(v, Value) else int(v)


def shown(v):
    return v.text if isinstance(v, Value) else str(v)


def _known(sides):
    return not [v for s in sides for pair in s.dims for v in pair if isinstance(v, Value)]


def _rules(inst, dst, src, size):
    """The rules of dimensions that only the run can answer."""
    for d, rows in enumerate(zip(dst.rows, src.rows)):
        if [v for row in rows for v in row if isinstance(v, Value)]:
            note("data_copy.dim")
            inst._emit(" ".join(["data_copy.dim dim=%d block_elements=%d" % (d, 32 // size)] + [
                "%s_%s=%s" % (side, f, shown(v)) for side, row in zip(("dst", "src"), rows)
                for f, v in zip(FIELDS, row)]))


def _copy_slices(inst, dst, src, dst_slice_info, src_slice_info, dim_value=1):
    note("data_copy.slices.%d" % dim_value)
    size = SIZE[dst.dtype]
    dst, src = Side(dst, dst_slice_info), Side(src, src_slice_info)
    if not isinstance(src.rows[0][4], Value) and src.rows[0][4] == 0:
        dst.take_shape()
        src.take_shape()
    _rules(inst, dst, src, size)
    length = calc(inst, "mul", src.rows[0][3], 32)
    for side in (src, dst):
        side.measure(inst, length, size)
    if _known((dst, src)) and not isinstance(length, Value):
        dst.flatten()
        src.flatten()
        while dst.dims and src.dims and dst.dims[0][1] == src.dims[0][1] == length:
            k = math.gcd(dst.dims[0][0], src.dims[0][0])
            if k == 1:
                break
            length *= k
            dst.lengthen(k)
            src.lengthen(k)
    few = len(dst.dims) <= 4 and len(src.dims) <= 4
    inst._emit(" ".join(["data_copy.%s dst=%s src=%s len=%s" % ("slice" if few else "slice8", dst.ref(inst),
                                                                 src.ref(inst), shown(length))] +
                        dst.listed("dst", 4 if few else 8) + src.listed("src", 4 if few else 8)))


def data_copy(self, dst, src, *rest, **named):
    if self._top.dropped:
        return
    if "dst_slice_info" in named or (rest and isinstance(rest[0], (list, tuple))):
        _copy_slices(self, dst, src, *rest, **named)
        return
    third = rest[0] if rest else [named[n] for n in ("count", "params", "dst_slice_info") if n in named][0]
    COPIES.get(type(third).__name__, _copy_count)(self, dst, src, third)
