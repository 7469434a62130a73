"""Element functions of moves out of the accumulator: shift, scale, rectify, offset, narrow.

Elements are arrays of bits (unsigned integers of the element's width); so are results. Every function takes as many
parameters as elements, by broadcasting."""
import numpy as np

np.seterr(all='ignore')

UINT = {'int8': np.uint8, 'uint8': np.uint8, 'int16': np.uint16, 'uint16': np.uint16, 'float16': np.uint16,
        'bfloat16': np.uint16, 'int32': np.uint32, 'uint32': np.uint32, 'float32': np.uint32}
SIZES = {name: np.dtype(t).itemsize for name, t in UINT.items()}


class Word:
    """A parameter word, or an array of them, by its fields."""

    def __init__(self, word):
        w = np.atleast_1d(np.asarray(word, np.uint64))
        self.m_bits = (w & np.uint64(0xffffffff)).astype(np.uint32)
        self.shift = ((w >> np.uint64(32)) & np.uint64(15)).astype(np.int64) + 1
        self.mcb = ((w >> np.uint64(36)) & np.uint64(1)).astype(np.int64)
        offset = ((w >> np.uint64(37)) & np.uint64(0x1ff)).astype(np.int64)
        self.offset = np.where(offset >= 256, offset - 512, offset)
        self.sign = ((w >> np.uint64(46)) & np.uint64(1)).astype(np.int64)
        self.relu = ((w >> np.uint64(47)) & np.uint64(1)).astype(np.int64)
        self.reserved = (w >> np.uint64(48)).astype(np.int64)

    def m(self, short=False):
        bits = self.m_bits & np.uint32(0xffffe000) if short else self.m_bits
        return bits.view(np.float32)


def word(m=1.0, shift=1, mcb=0, offset=0, sign=0, relu=0):
    bits = int(np.float32(m).view(np.uint32))
    return bits | (shift - 1) << 32 | mcb << 36 | (offset & 0x1ff) << 37 | sign << 46 | relu << 47


def signed(bits):
    return bits.view({1: np.int8, 2: np.int16, 4: np.int32}[bits.dtype.itemsize]).astype(np.int64)


def relu(y, keep=False):
    out = np.where(y > 0, y, np.float32(0))
    return np.where(np.isnan(y), y, out) if keep else out


def half(y, keep=False):
    """Bits of the nearest float16 of a float32."""
    y = y.astype(np.float32)
    h = y.astype(np.float16)
    if keep:
        return np.where(np.isnan(y), np.uint16(0x7e00), h.view(np.uint16)).astype(np.uint16)
    h = np.where(np.isinf(h), np.copysign(np.float16(65504), h), h).astype(np.float16)
    return np.where(np.isnan(y), np.uint16(0), h.view(np.uint16)).astype(np.uint16)


def bfloat(y):
    """Bits of the nearest bfloat16, saturated."""
    u = y.astype(np.float32).view(np.uint32).astype(np.int64)
    b = (u & 0x7fffffff) + 0x7fff + ((u >> 16) & 1) >> 16
    b = np.minimum(b, 0x7f7f) | (u >> 16 & 0x8000)
    return np.where(np.isnan(y), 0, b).astype(np.uint16)


def saturate(v, lo, hi):
    return np.minimum(np.maximum(v, lo), hi)


def shifted(x, n):
    return saturate(x >> n, -32768, 32767)


def nearest(p):
    """Integer nearest to a float32, ties to even; infinity is 2^40, NaN is 0."""
    r = np.rint(p.astype(np.float64))
    r = np.where(np.isinf(r), np.copysign(2.0**40, r), r)
    return saturate(np.where(np.isnan(r), 0, r), -2.0**40, 2.0**40).astype(np.int64)


def before_product(x, w):
    v = np.where(w.mcb == 1, shifted(x, w.shift), x)
    return v.astype(np.float64).astype(np.float32), v   # 32 bits fit a double: one rounding


def product(f, v, m, gate):
    p = (f * m).astype(np.float32)
    return np.where(v < 0, np.float32(0), p) if gate else p


def to_eight(p, w, dst, act):
    q = saturate(nearest(p), -256, 255)
    q = np.maximum(q, 0) if act else q
    q = q + w.offset
    return (saturate(q, -128, 127) if dst == 'int8' else saturate(q, 0, 255)).astype(np.int64).astype(np.uint8)


def scaled(bits, src, dst, w, act=False, gate=False, short=False, keep=False):
    """DEQ8 and DEQ16 (VDEQ8, VDEQ16); with gate and short the forms of fixpipe. src is int32 or float32."""
    if src == 'int32':
        x = signed(bits)
        if dst == 'int16':
            v = shifted(x, w.shift)
            return (np.maximum(v, 0) if act else v).astype(np.int16).view(np.uint16)
        f, v = before_product(x, w)
    else:
        f = v = bits.view(np.float32)
    p = product(f, v, w.m(short), gate)
    if dst == 'float16':
        return half(relu(p, keep) if act else p, keep)
    return to_eight(p, w, dst, act)


def by_half(bits, src, m_bits, act=False, keep=False, wide=None):
    """DEQ and VDEQ: int32 or float16 times a float16 (wide: times a float32)."""
    x = signed(bits).astype(np.float64).astype(np.float32) if src == 'int32' else bits.view(np.float16).astype(np.float32)
    m = np.asarray(m_bits, np.uint16).view(np.float16).astype(np.float32) if wide is None else wide
    p = (x * m).astype(np.float32)
    return half(relu(p, keep) if act else p, keep)


def plain(bits, src, dst, act=False, keep=False):
    """No scale."""
    if src == dst:
        if not act:
            return bits.copy()
        if src == 'int32':
            return np.maximum(signed(bits), 0).astype(np.int32).view(np.uint32)
        y = bits.view({'float16': np.float16, 'float32': np.float32}[src])
        kept = {'float16': 0x7e00, 'float32': 0x7fc00000}[src]
        return np.where(y > 0, bits, np.where(np.isnan(y) & keep, kept, 0)).astype(bits.dtype)
    if dst == 'float32':
        y = bits.view(np.float16).astype(np.float32)
        return np.where(np.isnan(y), np.uint32(0x7fc00000), y.view(np.uint32)).astype(np.uint32)
    y = bits.view(np.float32)
    y = relu(y, keep) if act else y
    return bfloat(y) if dst == 'bfloat16' else half(y, keep)
