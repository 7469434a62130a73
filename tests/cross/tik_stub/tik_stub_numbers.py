"""Element types and constant folding of scalar expressions, independent of the compiler's C code.

Constants are canonical Python ints: signed and unsigned values for integer types, 0 or 1 for bool,
the bit pattern for float types. Floats compute in float32 and round once."""
import math
import struct

SIZE = {"uint8": 1, "int8": 1, "uint16": 2, "int16": 2, "float16": 2, "bfloat16": 2, "uint32": 4,
        "int32": 4, "float32": 4, "uint64": 8, "int64": 8, "bool": 1}
FLOATS = frozenset(("float16", "bfloat16", "float32"))
UNSIGNED = frozenset(("uint8", "uint16", "uint32", "uint64"))
NAN = {"float16": 0x7e00, "bfloat16": 0x7fc0, "float32": 0x7fc00000}


def int_range(dtype):
    bits = 8 * SIZE[dtype]
    if dtype == "bool":
        return 0, 1
    if dtype in UNSIGNED:
        return 0, (1 << bits) - 1
    return -(1 << bits - 1), (1 << bits - 1) - 1


def wrap(dtype, v):
    if dtype == "bool":
        return int(v != 0)
    bits = 8 * SIZE[dtype]
    v &= (1 << bits) - 1
    if dtype not in UNSIGNED and dtype not in FLOATS and v >> bits - 1:
        v -= 1 << bits
    return v


def _round_to(d, digits, min_exponent, max_value):
    """d rounded to nearest even with that many binary digits; quantum not below 2**min_exponent."""
    exponent = max(math.frexp(d)[1] - digits, min_exponent)
    r = math.ldexp(round(math.ldexp(d, -exponent)), exponent)
    return math.copysign(math.inf, d) if abs(r) > max_value else math.copysign(r, d)


def f32(d):
    """A double rounded to float32, as a double."""
    if d != d or math.isinf(d):
        return d
    return _round_to(d, 24, -149, 3.4028234663852886e38)


def from_double(dtype, d):
    """Bit pattern of a double in a float type."""
    if d != d:
        return NAN[dtype]
    if math.isinf(d):
        return {"float16": 0x7c00, "bfloat16": 0x7f80, "float32": 0x7f800000}[dtype] | \
            (0 if d > 0 else 1 << 8 * SIZE[dtype] - 1)
    if dtype == "float32":
        d = f32(d)
        return from_double(dtype, d) if math.isinf(d) else \
            struct.unpack("<I", struct.pack("<f", d))[0]
    if dtype == "float16":
        d = _round_to(d, 11, -24, 65504.0)
        return from_double(dtype, d) if math.isinf(d) else \
            struct.unpack("<H", struct.pack("<e", d))[0]
    d = _round_to(d, 8, -133, 3.3895313892515355e38)
    return from_double(dtype, d) if math.isinf(d) else \
        struct.unpack("<I", struct.pack("<f", d))[0] >> 16


def to_double(dtype, bits):
    if dtype == "float32":
        return struct.unpack("<f", struct.pack("<I", bits))[0]
    if dtype == "float16":
        return struct.unpack("<e", struct.pack("<H", bits))[0]
    return struct.unpack("<f", struct.pack("<I", bits << 16))[0]


def _f32_of_int(v):
    """An integer rounded once to float32."""
    shift = max(abs(v).bit_length() - 24, 0)
    if shift == 0:
        return float(v)
    q, rest = divmod(abs(v), 1 << shift)
    half = 1 << shift - 1
    if rest > half or (rest == half and q & 1):
        q += 1
    return math.copysign(float(q << shift), v)


def float_to_int(dtype, d):
    if d != d:
        return 0
    lo, hi = int_range(dtype)
    if math.isinf(d):
        return hi if d > 0 else lo
    return min(max(int(d), lo), hi)


LARGEST = {"float16": 65504.0, "bfloat16": 3.3895313892515355e38}


def _narrowed(dtype, d):
    """A conversion to a float type: to one of 16 bits it is finite."""
    if dtype in LARGEST:
        d = 0.0 if d != d else math.copysign(min(abs(d), LARGEST[dtype]), d)
    return from_double(dtype, d)


def cast(dtype, source, v):
    if source in FLOATS:
        d = to_double(source, v)
        if dtype == "bool":
            return int(d != 0)
        return _narrowed(dtype, d) if dtype in FLOATS else float_to_int(dtype, d)
    if dtype in FLOATS:
        return _narrowed(dtype, _f32_of_int(v))
    return wrap(dtype, v)


def bits(dtype, source, v):
    return wrap(dtype, v)


def _truncated(x, y):
    q = abs(x) // abs(y)
    return q if (x < 0) == (y < 0) else -q


def _shift(op, dtype, x, y):
    width = 8 * SIZE[dtype]
    inside = 0 <= y < width
    if op == "shl":
        return x << y if inside else 0
    return x >> y if inside else (-1 if x < 0 else 0)


COMPARES = {
    "eq": lambda x, y: x == y, "ne": lambda x, y: x != y, "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= y, "gt": lambda x, y: x > y, "ge": lambda x, y: x >= y,
}
INTEGER = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y,
    "div": _truncated, "rem": lambda x, y: x - _truncated(x, y) * y,
    "and": lambda x, y: x & y, "or": lambda x, y: x | y, "xor": lambda x, y: x ^ y,
}


def _float_div(x, y):
    if y == 0:
        if x == 0 or x != x:
            return math.nan
        return math.copysign(math.inf, x) * math.copysign(1.0, y)
    return x / y


def _float_rem(x, y):
    if y == 0 or math.isinf(x):
        return math.nan
    return math.fmod(x, y)


FLOAT = {"add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y,
         "div": _float_div, "rem": _float_rem}


def evaluate(op, dtype, x, y):
    """A two-operand operation on constants of one type; None: integer division by zero."""
    if dtype in FLOATS:
        a, b = to_double(dtype, x), to_double(dtype, y)
        if op in COMPARES:
            return int(COMPARES[op](a, b))
        return from_double(dtype, f32(FLOAT[op](a, b)))
    if op in COMPARES:
        return int(COMPARES[op](x, y))
    if op in ("div", "rem") and y == 0:
        return None
    if op in ("shl", "shr"):
        return wrap(dtype, _shift(op, dtype, x, y))
    return wrap(dtype, INTEGER[op](x, y))


def promote(a, b):
    """Type of an operation on two run-time values."""
    if a == b:
        return a
    if (a in FLOATS) != (b in FLOATS):
        return a if a in FLOATS else b
    if SIZE[a] != SIZE[b]:
        return a if SIZE[a] > SIZE[b] else b
    if a in FLOATS:
        return "float32"
    return a if a in UNSIGNED else b
