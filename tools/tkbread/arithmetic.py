"""Arithmetic of docs/meaning.md, chapter 2, on arrays of bits (unsigned integers of the element's size)."""
import math

import numpy as np

FLOATS = {'float16': (10, -14, 15, 0x7e00), 'bfloat16': (7, -126, 127, 0x7fc0), 'float32': (23, -126, 127, 0x7fc00000)}   # mantissa, exponents, NaN
UINT = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
BYTES = dict(uint8=1, int8=1, uint16=2, int16=2, float16=2, bfloat16=2, uint32=4, int32=4, float32=4, uint64=8, int64=8, bool=1, float64=8, int4=1, uint4=1)
np.seterr(all='ignore')


class Unsupported(Exception):
    """What this reader does not execute."""


def limits(t):
    bits = 4 if t == 'int4' else 8 * BYTES[t]
    return (0, (1 << bits) - 1) if t[0] in 'ub' else (-(1 << bits - 1), (1 << bits - 1) - 1)


def value(bits, t):
    """Numbers of bits: float32 of floats, else integers of their type."""
    bits = np.ascontiguousarray(bits)
    if t == 'float16':
        return bits.view(np.float16).astype(np.float32)
    if t == 'bfloat16':
        return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)
    return bits.view({'float32': np.float32, 'bool': np.uint8}.get(t) or np.dtype(t))


def bits_of(x, t):
    """Bits of float32 rounded to a float type, NaN canonical; of integers the low bits."""
    if t not in FLOATS:
        return np.asarray(x).astype(np.int64 if np.asarray(x).dtype.kind != 'u' else np.uint64).astype(UINT[BYTES[t]])
    x = np.asarray(x, np.float32)
    if t == 'float16':
        out = x.astype(np.float16).view(np.uint16)
    elif t == 'float32':
        out = x.view(np.uint32).copy()
    else:
        u = x.view(np.uint32).astype(np.int64)
        out = ((u + 0x7fff + (u >> 16 & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(x), np.array(FLOATS[t][3], out.dtype), out)


def finite(bits, t):
    """Infinity becomes the largest number of its sign, NaN 0."""
    x = value(bits, t)
    return np.where(np.isnan(x), bits & 0, np.where(np.isinf(x), bits - 1, bits))


def rounded(x, mode):
    """float64 to integral numbers, by the number of a rounding mode."""
    if mode in (0, 1):
        return np.rint(x)
    if mode == 6:
        cut = np.trunc(x)
        return np.where((cut != x) & (np.fmod(cut, 2) == 0), cut + np.copysign(1, x), cut)
    return {2: np.floor, 3: np.ceil, 4: lambda v: np.copysign(np.floor(np.abs(v) + 0.5), v), 5: np.trunc}[mode](x)


def to_float(x, t, mode=0, keep=True):
    """Bits of exact values (float64 or long doubles) rounded once to a float type; without keep results are finite."""
    digits, least, most, nan = FLOATS[t]
    x = np.asarray(x)
    x = x if x.dtype == np.longdouble else x.astype(np.float64)
    safe = np.where(np.isfinite(x), x, 0)
    unit = np.ldexp(x.dtype.type(1), np.maximum(np.frexp(safe)[1] - 1, least) - digits)
    r = np.copysign(rounded(safe / unit, mode) * unit, x)
    r = np.where(np.isfinite(x), r, x)
    top = (2 - 2.0 ** -digits) * 2.0 ** most
    r = np.where(np.abs(r) > top, np.copysign(np.inf if keep else top, r), r)
    out = bits_of(r.astype(np.float32), t)
    return out if keep else np.where(np.isnan(x), out & 0, out)


def to_integer(x, t, mode=0, keep=False):
    x = np.asarray(x, np.float64)
    low, high = limits(t)
    def one(v):
        if v != v:
            return 0
        if math.isinf(v):
            return high if v > 0 else low
        return int(v) if keep else min(max(int(v), low), high)
    mask = (1 << 8 * BYTES[t]) - 1
    return np.array([one(v) & mask for v in rounded(x, mode).reshape(-1).tolist()], UINT[BYTES[t]]).reshape(x.shape)


def convert(bits, src, dst, mode=0, keep=False):
    """CONV (2.3)."""
    if src in FLOATS and dst == 'float32':
        if src == 'float32':
            return bits_of(np.copysign(rounded(value(bits, src).astype(np.float64), mode), value(bits, src)), dst)
        wide = value(bits, src).view(np.uint32)
        return np.where(np.isnan(value(bits, src)) & (src == 'float16'), wide | 0x400000, wide)
    if src in FLOATS:
        x = value(bits, src).astype(np.float64)
        return to_float(x, dst, mode, keep) if dst in FLOATS else to_integer(x, dst, mode, keep)
    if dst in FLOATS:
        return to_float(value(bits, src).astype(np.longdouble), dst, mode, keep)
    low, high = limits(dst)
    mask = (1 << 8 * BYTES[dst]) - 1
    return np.array([(v if keep else min(max(v, low), high)) & mask for v in value(bits, src).tolist()], UINT[BYTES[dst]])


def packed(bits, words):
    """int16 with parameter words, one for each element."""
    m = np.array([w & 0xffffe000 for w in words], np.uint32).view(np.float32)
    o = np.array([(w >> 37 & 511 ^ 256) - 256 for w in words])
    p = value(bits, 'int16').astype(np.float32) * m
    q = np.clip(np.rint(np.where(np.isnan(p), 0, p)), -256, 255).astype(np.int64) + o
    return np.clip(q, *((-128, 127) if words[0] >> 46 & 1 else (0, 255))).astype(np.uint8)


def scaled(bits, m):
    return to_float(value(bits, 'int32').astype(np.float64) * float(value(np.array([m], np.uint16), 'float16')[0]), 'float16', 0, False)


def arctan(n, unit):
    """unit times the arc tangent of 1 / n, in integers."""
    total = term = unit // n
    k = 3
    while term:
        term = -term // (n * n)
        total += term // k
        k += 2
    return total


UNIT = 1 << 400
TURN = 8 * (4 * arctan(5, UNIT) - arctan(239, UNIT))   # 2 pi


def reduced(x):
    """x less a multiple of 2 pi, as a long double; small numbers stay."""
    if not math.isfinite(x) or abs(x) < 3:
        return np.longdouble(x)
    top, bottom = x.as_integer_ratio()
    rest = top * UNIT // bottom % TURN
    rest -= TURN if rest > TURN // 2 else 0
    high = float(rest / UNIT)
    return np.longdouble(high) + np.longdouble((rest - int(high * 2.0 ** 60) * (UNIT >> 60)) / UNIT)


def function(name, bits, t):
    """2.4, by way of the long doubles of the machine; says so where they do not tell how to round."""
    x = value(bits, t).astype(np.longdouble)
    if name in ('sin', 'cos'):
        x = np.array([reduced(float(v)) for v in x], np.longdouble) if len(x) else x
    f = {'exp': np.exp, 'ln': np.log, 'sqrt': np.sqrt, 'rec': lambda v: 1 / v, 'rsqrt': lambda v: 1 / np.sqrt(v), 'expm1': np.expm1, 'sin': np.sin, 'cos': np.cos}[name]
    y = f(x)
    near = [to_float((y * (1 + e)).astype(np.float64), t) for e in (-2.0 ** -50, 2.0 ** -50)]
    exact = to_float(y.astype(np.float64), t)
    if ((near[0] != near[1]) & (y.astype(np.float64) != value(exact, t))).any():
        raise Unsupported('a result of %s that is too near to the middle of two numbers' % name)
    return exact


def odd_sum(a, b):
    """The float64 sum, to zero with its last bit set where it is not exact: a later rounding to fewer bits is then the only one."""
    total = a + b
    part = total - a
    rest = (a - (total - part)) + (b - part)
    bits = total.view(np.int64) - ((rest < 0) != (total < 0))
    return np.where((rest == 0) | np.isnan(rest), total, (bits | 1).view(np.float64))


def lanes(op, a, b, d, t, s=None, readings=()):
    """Families LANES and ARITH (3.3) on bits: a, b sources of type s, d the old destination of type t. readings: U2, U7 where they are not the usual ones."""
    s = s or t
    bits_of = rounded_finite if 'U2' in readings and t == 'float16' else rounded_usual
    if op in ('and', 'or', 'not'):
        return ~a if op == 'not' else a & b if op == 'and' else a | b
    if op == 'dup':
        return a
    x, y = value(a, s), value(b, s) if b is not None else None
    if op in ('exp', 'ln', 'sqrt', 'rec', 'rsqrt', 'expm1', 'sin', 'cos'):
        return finite(function(op, a, t), t) if bits_of is rounded_finite else function(op, a, t)
    if op == 'abs':
        sign = np.array(1 << 8 * BYTES[t] - 1, a.dtype)
        return a & ~sign if t in FLOATS else np.where(a & sign != 0, (0 - a).astype(a.dtype), a)
    positive = lambda r: np.where(value(r, t) > 0, r, np.where(np.isnan(value(r, t)), np.array(FLOATS[t][3], r.dtype), r & 0)) if t in FLOATS else np.where(value(r, t) > 0, r, r & 0)
    if op == 'relu':
        return positive(a)
    if op in ('max', 'min'):
        better = y > x if op == 'max' else y < x
        r = np.where(better, b, a)
        return np.where(np.isnan(x) | np.isnan(y), np.array(FLOATS[t][3], r.dtype), r) if t in FLOATS else r
    if op in ('add', 'sub', 'mul', 'div', 'addrelu', 'subrelu'):
        base = op[:3]
        r = bits_of({'add': x + y, 'sub': x - y, 'mul': x * y, 'div': x / y if base == 'div' else x}[base], t)
        return positive(r) if op.endswith('relu') else r
    if op == 'lrelu':
        return np.where(x >= 0, a, bits_of(x * y, t))
    old = value(d, t) if d is not None else None
    if op in ('mla', 'madd', 'maddrelu'):
        p = x * y if op == 'mla' else x * old
        p = p if s != t else value(bits_of(p, t), t)
        r = bits_of(p + (old if op == 'mla' else y), t)
        if 'U7' in readings and s == t:
            exact = x.astype(np.float64) * (y if op == 'mla' else old).astype(np.float64)
            r = to_float(odd_sum(exact, (old if op == 'mla' else y).astype(np.float64)), t)
            r = finite(r, t) if bits_of is rounded_finite else r
        return positive(r) if op == 'maddrelu' else r
    if op == 'mulconv':
        return to_integer(value(bits_of(x * y, 'float16'), 'float16'), t)
    if op == 'shl':
        n, sign = int(b[0]), np.array(1 << 8 * BYTES[t] - 1, a.dtype)
        wide = (a.astype(np.uint64) << np.uint64(n) if n < 64 else a * 0).astype(a.dtype)
        return (a & sign) | (wide & ~sign) if t[0] == 'i' else wide
    n, rest = int(b[0]), 1 << int(b[0]) >> 1 if op == 'shr.round' else 0
    return bits_of((x.astype(np.int64) + rest) >> n, t)


rounded_usual = bits_of


def rounded_finite(x, t):
    return finite(rounded_usual(x, t), t) if t == 'float16' else rounded_usual(x, t)


def tree(op_add, x):
    """Sums of neighbours along the last axis until one is left."""
    while x.shape[-1] > 1:
        x = op_add(x[..., 0::2], x[..., 1::2])
    return x[..., 0]


def deq(bits, src, dst, scale, relu=False, gate=False, shift=False, m=None, n=None, o=None):
    """DEQ (2.5) of rows of 16 (or as many as m has)."""
    x = value(bits, src)
    if shift or dst == 'int16':
        x = np.clip(x.astype(np.int64) >> n, -32768, 32767)
    if dst == 'int16' and src == 'int32':
        return bits_of(np.where(relu & (x < 0), 0, x), dst)
    if not scale and src == dst:
        return np.where(x > 0, bits, bits & 0) if relu else bits
    if not scale and dst == 'float32':
        return bits_of(x, dst)
    p = x.astype(np.float32) * m if scale else x
    p = np.where(gate & (x < 0), np.float32(0), p)
    if dst in ('int8', 'uint8'):
        q = np.clip(np.rint(np.where(np.isnan(p), 0, p)), 0 if relu else -256, 255).astype(np.int64) + o
        return np.clip(q, *limits(dst)).astype(np.uint8)
    p = np.where(p > 0, p, np.float32(0)) if relu else p
    return finite(bits_of(p, dst), dst)


def words_of(words, cut):
    """m, n, o of parameter words, and whether there is a shift."""
    m = np.array([w & (0xffffe000 if cut else 0xffffffff) for w in words], np.uint32).view(np.float32)
    return dict(m=m, n=np.array([(w >> 32 & 15) + 1 for w in words]), o=np.array([(w >> 37 & 511 ^ 256) - 256 for w in words]), shift=bool(words[0] >> 36 & 1))


# ---- scalars (2.2): registers are integers of Python

def wrap(v, t):
    if t == 'bool':
        return int(v != 0)
    low, high = limits(t) if t not in FLOATS else (0, (1 << 8 * BYTES[t]) - 1)
    return (v - low) % (high - low + 1) + low


def scalar(op, t, source, a, b):
    """The result, or None for a division by zero."""
    arr = lambda v, dt: np.array([v & (1 << 8 * BYTES[dt]) - 1], UINT[BYTES[dt]])
    num = lambda v, dt: value(arr(v, dt), dt)[0]
    if op == 'bits':
        return wrap(a, t)
    whole = 'uint64' if (source if op == 'cast' else t) == 'uint64' else 'int64'
    a, b = wrap(a, whole), wrap(b, whole)
    if op == 'cast':
        if source in FLOATS:
            if t == 'bool':
                return int(num(a, source) != 0)
            r = to_float(num(a, source), t, 0, t == 'float32') if t in FLOATS else to_integer(num(a, source), t, 5)
            return wrap(int(r), t)
        if t in FLOATS:
            single = np.float32(np.array(a, whole))
            return int(to_float(single, t, 0, t == 'float32'))
        return wrap(a, t)
    if t in FLOATS:
        x, y = num(a, t), num(b, t)
        compare = {'eq': x == y, 'ne': x != y, 'lt': x < y, 'le': x <= y, 'gt': x > y, 'ge': x >= y}
        if op in compare:
            return int(compare[op])
        r = {'add': x + y, 'sub': x - y, 'mul': x * y, 'div': x / y, 'rem': np.fmod(x, y), 'neg': -x, 'sqrt': np.sqrt(np.abs(x))}[op]
        return int(bits_of(np.float32(r), t))
    if op in ('div', 'rem'):
        if b == 0:
            return None
        q = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return wrap(q if op == 'div' else a - q * b, t)
    bits = 8 * BYTES[t]
    inside = 0 <= b < bits
    return wrap({'add': lambda: a + b, 'sub': lambda: a - b, 'mul': lambda: a * b, 'and': lambda: a & b, 'or': lambda: a | b, 'xor': lambda: a ^ b,
                 'not': lambda: 1 - a if t == 'bool' else ~a, 'neg': lambda: -a, 'sqrt': lambda: math.isqrt(abs(a)),
                 'shl': lambda: a << b if inside else 0, 'shr': lambda: a >> b if inside else -(a < 0),
                 'eq': lambda: a == b, 'ne': lambda: a != b, 'lt': lambda: a < b, 'le': lambda: a <= b, 'gt': lambda: a > b, 'ge': lambda: a >= b}[op]() + 0,
                'bool' if op in ('eq', 'ne', 'lt', 'le', 'gt', 'ge') else t)
