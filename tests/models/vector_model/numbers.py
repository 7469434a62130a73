"""Arithmetic on vectors of bit patterns: one rounding per operation, canonical NaN."""
import numpy as np

from .core import SIZES, UINT, to_numbers

NAN = {'float16': 0x7e00, 'bfloat16': 0x7fc0, 'float32': 0x7fc00000}
F16_MAX = 65504.0


def is_float(dtype):
    return dtype in NAN


def canonical(bits, dtype):
    """Every NaN becomes the quiet one."""
    return np.where(np.isnan(to_numbers(bits, dtype)), bits.dtype.type(NAN[dtype]), bits)


def limits(dtype):
    n = 8 * SIZES[dtype]
    return (0, 2**n - 1) if dtype[0] == 'u' else (-2**(n - 1), 2**(n - 1) - 1)


def saturate_f16(m, bits):
    """The saturating mode of float16 arithmetic."""
    if not m.fp_saturate:
        return bits
    x = bits.view(np.float16)
    x = np.where(np.isinf(x), np.copysign(np.float16(F16_MAX), x), x).astype(np.float16)
    return np.where(np.isnan(x), np.uint16(0), x.view(np.uint16))


def from_values(m, x, dtype):
    """Values that were computed in float32 or wider, exactly enough for one rounding, as patterns."""
    bits = canonical(np.asarray(x).astype(dtype).view(UINT[SIZES[dtype]]), dtype)
    return saturate_f16(m, bits) if dtype == 'float16' else bits


def floats(bits, dtype):
    return to_numbers(bits, dtype).astype(np.float32)


INTEGER = {'add': lambda x, y: x + y, 'sub': lambda x, y: x - y, 'mul': lambda x, y: x * y}
FLOAT = {'add': np.add, 'sub': np.subtract, 'mul': np.multiply, 'div': np.divide}


def arithmetic(m, op, a, b, dtype):
    if is_float(dtype):
        return from_values(m, FLOAT[op](floats(a, dtype), floats(b, dtype)), dtype)
    if m.int_saturate:
        lo, hi = limits(dtype)
        x, y = to_numbers(a, dtype).astype(object), to_numbers(b, dtype).astype(object)
        wide = np.clip(INTEGER[op](x, y), lo, hi)
        return np.array([int(v) & (2**(8 * SIZES[dtype]) - 1) for v in wide], a.dtype)
    return INTEGER[op](a, b).astype(a.dtype)


def extreme(op, a, b, dtype):
    """max and min: the first operand unless the second is larger (smaller); NaN wins."""
    x, y = to_numbers(a, dtype), to_numbers(b, dtype)
    r = np.where(y > x if op == 'max' else y < x, b, a)
    if is_float(dtype):
        r = np.where(np.isnan(x) | np.isnan(y), a.dtype.type(NAN[dtype]), r)
    return r


def relu(bits, dtype):
    x = to_numbers(bits, dtype)
    r = np.where(x > 0, bits, bits.dtype.type(0))
    if is_float(dtype):
        r = np.where(np.isnan(x), bits.dtype.type(NAN[dtype]), r)
    return r


def absolute(m, bits, dtype):
    sign = bits.dtype.type(1 << (8 * SIZES[dtype] - 1))
    if is_float(dtype):
        return bits & ~sign
    positive = np.where(bits & sign != 0, (~bits + bits.dtype.type(1)).astype(bits.dtype), bits)
    return np.where(positive == sign, sign - bits.dtype.type(1), positive) if m and m.int_saturate else positive


def compare(op, a, b, dtype):
    x, y = to_numbers(a, dtype), to_numbers(b, dtype)
    return {'lt': np.less, 'gt': np.greater, 'ge': np.greater_equal, 'eq': np.equal, 'ne': np.not_equal,
            'le': np.less_equal}[op](x, y)


def odd_double(x):
    """Extended values as doubles, rounded to odd: a later rounding to fewer bits is as if it were the only one."""
    x = np.asarray(x, np.longdouble)
    d = x.astype(np.float64)
    back = d.astype(np.longdouble)
    u = d.view(np.uint64).copy()
    away = np.isfinite(d) & (np.abs(back) > np.abs(x))
    u[away] -= np.uint64(1)
    u[np.isfinite(d) & (back != x)] |= np.uint64(1)
    return u.view(np.float64)


# The mathematical functions, on extended precision.
FUNCTIONS = {
    'exp': lambda m, x: np.exp(x),
    'ln': lambda m, x: np.log(x),
    'sqrt': lambda m, x: np.sqrt(x),
    'rec': lambda m, x: 1 / x,
    'rsqrt': lambda m, x: np.where((x == 0) & np.signbit(x), np.longdouble(m.choices.rsqrt_minus_zero), 1 / np.sqrt(x)),
    'expm1': lambda m, x: np.expm1(x),
    'sin': lambda m, x: np.sin(x),
    'cos': lambda m, x: np.cos(x),
}
# In float32 these are defined by an algorithm in double precision that is rounded once: within 0.5 + DOUBT units of
# the exact value, so that only a result this close to the middle of two numbers may be the other one.
APPROXIMATE = ('exp', 'ln', 'sin', 'cos')
DOUBT = 5e-8


def function(m, name, bits, dtype):
    x = odd_double(FUNCTIONS[name](m, to_numbers(bits, dtype).astype(np.longdouble)))
    result = from_values(m, x, dtype)
    if dtype == 'float32' and name in APPROXIMATE:
        for side in (1 - DOUBT * 2.0**-23, 1 + DOUBT * 2.0**-23):
            other = from_values(m, x * side, dtype)
            m.doubtful.update(zip(result[other != result].tolist(), other[other != result].tolist()))
    return result
