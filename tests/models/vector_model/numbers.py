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
# A result of extended precision this close to the middle of two float32, in units of the last place, may be rounded to the
# other one.
APPROXIMATE = ('exp', 'ln', 'sin', 'cos')
DOUBT = 5e-12


def fma(a, b, c):
    """a * b + c of float32, rounded once: the product is exact in double, the sum is rounded to odd there."""
    p, c = a.astype(np.float64) * np.float64(b), np.float64(c) + np.zeros(a.shape)
    s = p + c
    back = s - p
    rest = (p - (s - back)) + (c - back)
    even = (s.view(np.uint64) & np.uint64(1)) == 0
    s = np.where((rest != 0) & np.isfinite(rest) & even, np.nextafter(s, np.where(rest > 0, np.inf, -np.inf)), s)
    return s.astype(np.float32)


def horner(r, numbers):
    """The polynomial with these coefficients, the highest first."""
    q = np.full(r.shape, np.float32(float.fromhex(numbers[0])))
    for n in numbers[1:]:
        q = fma(q, r, float.fromhex(n))
    return q


def fast_exp(x):
    x = np.where(x > 89, np.float32(89), np.where(x < -104, np.float32(-104), x))
    magic = np.float32(1.5 * 2**23)
    k = fma(x, float.fromhex('0x1.715476p+0'), magic) - magic
    r = fma(k, float.fromhex('0x1.05c61p-29'), fma(k, float.fromhex('-0x1.62e43p-1'), x))
    power = horner(r, ('0x1.6a23cep-10', '0x1.123a2p-7', '0x1.5558f2p-5', '0x1.555492p-3', '0x1.fffffcp-2', '0x1p+0', '0x1p+0'))
    return np.ldexp(power.astype(np.float64), np.where(np.isnan(k), 0, k).astype(np.int32)).astype(np.float32)


def fast_ln(x):
    """Of normal numbers."""
    bits = x.view(np.int32).astype(np.int64)
    k = (bits - 0x3f2aaaab) >> 23
    z = (bits - (k << 23)).astype(np.uint32).view(np.float32)
    k, r = k.astype(np.float32), z - np.float32(1)
    tail = horner(r, ('0x1.1b09d8p-3', '-0x1.35b3dp-3', '0x1.1f9624p-3', '-0x1.515a6ep-3', '0x1.99c31ep-3', '-0x1.000b1cp-2',
                      '0x1.555528p-2', '-0x1p-1'))
    rest = k * np.float32(float.fromhex('0x1.7f7d1cp-20'))
    return fma(k, float.fromhex('0x1.62e4p-1'), r + fma(tail, r * r, rest))


def fast(name, bits, usual):
    x = bits.view(np.float32)
    if name == 'exp':
        return np.where(np.isnan(x), usual, fast_exp(x).view(np.uint32))
    if name == 'ln':
        normal = (x >= np.float32(2.0**-126)) & (x < np.inf)
        return np.where(normal, fast_ln(np.where(normal, x, np.float32(1))).view(np.uint32), usual)
    root = np.float32(1) / np.sqrt(x)
    return np.where(np.isnan(root), usual, root.view(np.uint32))


def function(m, name, bits, dtype):
    x = odd_double(FUNCTIONS[name](m, to_numbers(bits, dtype).astype(np.longdouble)))
    result = from_values(m, x, dtype)
    if dtype == 'float32' and name in ('exp', 'ln', 'rsqrt') and m.choices.fast_functions:
        return fast(name, bits, result)
    if dtype == 'float32' and name in APPROXIMATE:
        for side in (1 - DOUBT * 2.0**-23, 1 + DOUBT * 2.0**-23):
            other = from_values(m, x * side, dtype)
            m.doubtful.update(zip(result[other != result].tolist(), other[other != result].tolist()))
    return result
