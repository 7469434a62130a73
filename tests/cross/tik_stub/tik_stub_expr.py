"""Run-time values of the recording stub: Expr and Scalar, operators, folding.

An Expr is its text (the trace form) and, when it is a constant, its canonical value. Folding follows
compiler/ir/ir.h: constants; x+0, 0+x, x-0, x*1, 1*x, x*0, 0*x; x-x and comparisons of x with itself
(integers); nothing else. Equal text of equal type is the same formula."""

import math

from tik_stub_notes import note
from tik_stub_numbers import (FLOATS, SIZE, UNSIGNED, bits, cast, evaluate, float_to_int,
                              from_double, int_range, promote, wrap, to_double)


class RunTimeCondition(Exception):
    """A value known only at run time is used as a condition of the program."""


class ScopeEnded(Exception):
    """A tensor or Scalar is used after the end of the scope that created it."""


def const_text(dtype, v):
    if dtype in FLOATS:
        return "0x%0*x" % (2 * SIZE[dtype], v)
    return str(v)


class Value:
    """What Expr and Scalar have in common. Neither derives from the other: Python would ask the derived
    class first in a comparison."""
    __slots__ = ("inst", "dtype", "text", "value")

    def __init__(self, inst, dtype, text, value=None):
        self.inst = inst
        self.dtype = dtype
        self.text = text
        self.value = value

    def __bool__(self):
        if self.value is None:
            raise RunTimeCondition(self.text)
        note("fold.bool")
        return self.value != 0 and not (self.dtype in FLOATS and self.value << 1 ==
                                        1 << 8 * SIZE[self.dtype])

    def astype(self, dtype):
        note("expr.astype")
        return to_type(self, dtype)

    def reinterpret_cast_to(self, dtype):
        note("expr.reinterpret_cast_to")
        if dtype == self.dtype:
            return self
        if self.value is not None:
            return const(self.inst, dtype, bits(dtype, self.dtype, self.value))
        return Formula(self.inst, dtype, "bits.%s(%s)" % (dtype, self.text))

    def __neg__(self):
        note("expr.neg")
        if self.dtype in UNSIGNED:
            raise TypeError("unary minus of %s" % self.dtype)
        e = to_type(self, "int32") if self.dtype == "bool" else self
        if e.value is None:
            return Formula(e.inst, e.dtype, "neg.%s(%s)" % (e.dtype, e.text))
        if e.dtype in FLOATS:
            sign = 1 << 8 * SIZE[e.dtype] - 1
            nan = e.value & (sign - 1) > INFINITY[e.dtype]
            return e if nan else const(e.inst, e.dtype, e.value ^ sign)
        return const(e.inst, e.dtype, wrap(e.dtype, -e.value))

    def __pos__(self):
        return self

    def __invert__(self):
        note("expr.~")
        if self.value is None:
            return Formula(self.inst, self.dtype, "not.%s(%s)" % (self.dtype, self.text))
        if self.dtype == "bool":
            return const(self.inst, "bool", 1 - self.value)
        return const(self.inst, self.dtype, wrap(self.dtype, ~self.value))

    __hash__ = object.__hash__


class Expr(Value):
    """Run-time values but Scalars."""
    __slots__ = ()


class Formula(Expr):
    """What operators make. Not Expr itself: a loop variable would be asked first, see Value."""
    __slots__ = ()


INFINITY = {"float16": 0x7c00, "bfloat16": 0x7f80, "float32": 0x7f800000}


def const(inst, dtype, v):
    return Formula(inst, dtype, const_text(dtype, v), v)


def number(inst, dtype, v):
    """A Python number as a constant, as by a C conversion."""
    if not isinstance(v, float) and not -(1 << 63) <= v < 1 << 64:
        raise ValueError("%d has more than 64 bits" % v)
    if dtype in FLOATS:
        return const(inst, dtype, from_double(dtype, float(v)))
    if isinstance(v, float):
        return const(inst, dtype, int(v != 0) if dtype == "bool" else float_to_int(dtype, v))
    return const(inst, dtype, wrap(dtype, int(v)))


def given(inst, dtype, v):
    """What is given to a Scalar or an element: float16 limits numbers and constants, NaN stays."""
    if isinstance(v, Value) and (dtype != "float16" or v.value is None):
        return to_type(v, dtype)
    if isinstance(v, Value):
        v = to_double(v.dtype, v.value) if v.dtype in FLOATS else float(v.value)
    if dtype == "float16" and abs(v) > 65504:
        v = 65504.0 if v > 0 else -65504.0
    return number(inst, dtype, v)


def to_type(e, dtype):
    if e.dtype == dtype:
        return e
    if e.value is not None:
        return const(e.inst, dtype, cast(dtype, e.dtype, e.value))
    return Formula(e.inst, dtype, "cast.%s(%s)" % (dtype, e.text))


def op2(op, a, b):
    """Folding operation on operands of one type."""
    dtype = a.dtype
    compare = op in ("eq", "ne", "lt", "le", "gt", "ge")
    x, y = a.value, b.value
    if x is not None and y is not None:
        v = evaluate(op, dtype, x, y)
        if v is not None:
            note("fold.constants")
            return const(a.inst, "bool" if compare else dtype, v)
    elif dtype not in FLOATS:
        if a.text == b.text and (compare or op == "sub"):
            note("fold.same_compare" if compare else "fold.same_difference")
            return const(a.inst, "bool", int(op in ("eq", "le", "ge"))) if compare else \
                const(a.inst, dtype, 0)
        if op == "add":
            if y == 0:
                return a
            if x == 0:
                return b
        elif op == "sub":
            if y == 0:
                return a
        elif op == "mul":
            if x == 0 or y == 0:
                note("fold.times_zero")
            if x == 0 or y == 1:
                return a
            if y == 0 or x == 1:
                return b
    return Formula(a.inst, "bool" if compare else dtype,
                "%s.%s(%s, %s)" % (op, dtype, a.text, b.text))


def _number_type(v, dtype, logic):
    note("promote.number_to_bool" if dtype == "bool" else
         "promote.%s_to_%s" % (type(v).__name__, "float" if dtype in FLOATS else "int"))
    if isinstance(v, float) and dtype not in FLOATS and v != int(v):
        note("promote.fraction_to_int")
        return "float32"
    if dtype == "bool":
        return "bool" if isinstance(v, bool) and logic else _wide_enough("int32", v)
    return dtype if dtype in FLOATS else _wide_enough(dtype, v)


def _holds(dtype, v):
    low, high = int_range(dtype)
    return low <= v <= high or v < 0 and dtype in UNSIGNED


def _wide_enough(dtype, v):
    """The type, or the first wider one that holds the integer; a negative one beside an unsigned type means its bits."""
    if not math.isfinite(v) or not -(1 << 63) <= int(v) < 1 << 64 or _holds(dtype, int(v)):
        return dtype
    wider = [t for t in ("int32", "int64", "uint64") if SIZE[t] >= SIZE[dtype] and _holds(t, int(v))]
    return wider[0] if wider else dtype


def _beside(inst, dtype, v):
    """A Python number as an operand of this type: a whole float is the int; the bits of an int fit."""
    if dtype in FLOATS or dtype == "bool":
        return given(inst, dtype, v)
    width = 8 * SIZE[dtype]
    if not -(1 << width - 1) <= int(v) < 1 << width:
        raise ValueError("%r does not fit %s" % (v, dtype))
    return number(inst, dtype, int(v))


BITWISE = frozenset(("and", "or", "xor"))
SHIFTS = frozenset(("shl", "shr"))


def binary(op, left, right):
    """Operator on values of which one at least is a run-time value or a tensor element."""
    left, right = read(left), read(right)
    note(("condition." if _is_condition(left) and _is_condition(right) else "expr.") + op)
    logic = op in BITWISE or op in ("eq", "ne")
    if not isinstance(left, Value):
        dtype = _number_type(left, right.dtype, logic)
        note("expr.number_left")
        left = _beside(right.inst, dtype, left)
    elif not isinstance(right, Value):
        dtype = _number_type(right, left.dtype, logic)
        right = _beside(left.inst, dtype, right)
    else:
        a, b = left.dtype, right.dtype
        if op in SHIFTS or op in BITWISE or a == b:
            dtype = a
            if dtype == "bool" and not (logic and b == "bool"):
                dtype = "int32" if b == "bool" else b
        else:
            _note_promotion(a, b)
            dtype = promote("int32" if a == "bool" else a, "int32" if b == "bool" else b)
    return op2(op, to_type(left, dtype), to_type(right, dtype))


def _is_condition(v):
    return isinstance(v, Value) and v.dtype == "bool"


def _note_promotion(a, b):
    if (a in FLOATS) != (b in FLOATS):
        note("promote.float_and_int")
    elif SIZE[a] == SIZE[b]:
        note("promote.same_width")
    else:
        note("promote.wider")


def read(v):
    """Loads a tensor element; other values stay."""
    load = getattr(v, "_load", None)
    return load() if load else v


def _operator(op):
    def forward(self, other):
        return NotImplemented if hasattr(other, "_load") else binary(op, self, other)

    def backward(self, other):
        return NotImplemented if hasattr(other, "_load") else binary(op, other, self)
    return forward, backward


def _compare(op):
    def method(self, other):
        if not isinstance(other, (int, float, Value)) and not hasattr(other, "_load"):
            return NotImplemented
        elements = hasattr(self, "_load") + hasattr(other, "_load")
        if elements:
            note("compare.element" if elements == 1 else "compare.two_elements")
        return binary(op, self, other)
    return method


OPERATORS = {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "floordiv": "div",
             "mod": "rem", "lshift": "shl", "rshift": "shr", "and": "and", "or": "or",
             "xor": "xor"}


def add_compares(cls):
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        setattr(cls, "__%s__" % name, _compare(name))


for _name, _op in OPERATORS.items():
    _forward, _backward = _operator(_op)
    setattr(Value, "__%s__" % _name, _forward)
    setattr(Value, "__r%s__" % _name, _backward)
add_compares(Value)


class InputScalar(Expr):
    __slots__ = ("name", "_root")


class Scoped:
    """The text of what lives as long as a scope; None: as long as the kernel."""
    __slots__ = ()

    @property
    def text(self):
        if self.scope is not None and not self.scope.open:
            raise ScopeEnded(self._text)
        return self._text

    @text.setter
    def text(self, text):
        self._text = text


class Variable(Scoped, Expr):
    """A loop variable. That of a loop over cores means the core's index after the loop."""
    __slots__ = ("scope", "_text")

    @property
    def text(self):
        if self.scope is not None and not self.scope.open and self.scope.blocks:
            note("loop.block_num.after")
            return self._text  # a word of its own after the loop, see _behind_loops
        return Scoped.text.fget(self)

    @text.setter
    def text(self, text):
        self._text = text


class Scalar(Scoped, Value):
    """A register. scope: the one that created it."""
    __slots__ = ("name", "scope", "_text")

    def set_as(self, value, src_offset=None):
        self.inst._set(self, value)


def condition(v):
    """True or False when known at staging time, else a bool Expr."""
    v = read(v)
    if not isinstance(v, (Value, int, float)):
        raise TypeError("%r is no condition" % (v,))
    if not isinstance(v, Value):
        note("condition.of_%s" % ("bool" if isinstance(v, bool) else "number"))
        return bool(v)
    note("condition.of_comparison" if v.dtype == "bool" else
         "condition.of_scalar" if isinstance(v, Scalar) else "condition.of_expr")
    if v.dtype != "bool":
        v = op2("ne", v, number(v.inst, v.dtype, 0))
    return bool(v.value) if v.value is not None else v


def _join(args, op, decisive):
    if not args:
        raise TypeError("at least one condition is needed")
    joined = None
    decided = False
    for arg in args:
        c = condition(arg)
        if isinstance(c, bool):
            decided = decided or c == decisive
        else:
            joined = c if joined is None else op2(op, joined, c)
    if decided or joined is None:
        return decisive if decided else not decisive
    return joined


def tik_all(*args):
    return _join(args, "and", False)


def tik_any(*args):
    return _join(args, "or", True)


def tik_negate(x):
    c = condition(x)
    return not c if isinstance(c, bool) else ~c
