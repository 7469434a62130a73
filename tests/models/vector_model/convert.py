"""Chapter 3: conversions. Everything is exact in float64 or integers before the one rounding."""
import numpy as np

from .core import BLOCK, SIZES, UINT, View, active_lanes, integer, lane_index, number_bits, to_numbers
from .elementwise import block, run
from .numbers import NAN, F16_MAX, is_float, limits

METHODS = {}
DIGITS = {'float16': 11, 'bfloat16': 8, 'float32': 24}
LOWEST = {'float16': -14, 'bfloat16': -126, 'float32': -126}
TOP = {'float16': F16_MAX, 'bfloat16': float(np.uint32(0x7f7f0000).view(np.float32)),
       'float32': float(np.finfo(np.float32).max)}


def away(x, directed):
    if directed:
        return np.copysign(np.ceil(np.abs(x)), x)
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.copysign(1.0, x), whole)


def to_odd(x):
    whole = np.trunc(x)
    return np.where((x != whole) & (np.fmod(whole, 2) == 0), whole + np.copysign(1.0, x), whole)


def round_integral(m, x, mode):
    """float64 values rounded to integers by a mode; the sign of zero is that of x."""
    r = {'': np.rint, 'none': np.rint, 'round': np.rint, 'floor': np.floor, 'ceil': np.ceil, 'ceiling': np.ceil,
         'to-zero': np.trunc, 'odd': to_odd,
         'away-zero': lambda v: away(v, m.choices.away_zero_directed)}[mode](x)
    return np.copysign(np.abs(r), np.where(r == 0, x, r))


def sticky_double(x):
    """int64 values as float64, rounded to odd."""
    d = x.astype(np.float64)
    exact = np.array([int(v) for v in x], object)
    near = np.array([int(v) for v in d], object)
    u = d.view(np.uint64).copy()
    u[np.array([abs(n) > abs(e) for n, e in zip(near, exact)], bool)] -= np.uint64(1)
    u[np.array([n != e for n, e in zip(near, exact)], bool)] |= np.uint64(1)
    return u.view(np.float64)


def values(bits, dtype):
    """Patterns as float64, exact (64-bit integers: rounded to odd)."""
    x = to_numbers(bits, dtype)
    return sticky_double(x) if SIZES[dtype] == 8 else x.astype(np.float64)


def to_integer(m, x, dtype, mode):
    lo, hi = limits(dtype)
    r = round_integral(m, x, mode)
    width = 8 * SIZES[dtype]
    magnitude = np.fmod(np.abs(np.where(np.isfinite(r), r, 0)), 2.0**64)
    low = magnitude.astype(np.uint64)
    low = np.where(r < 0, np.uint64(0) - low, low) & np.uint64(2**width - 1)
    out = low.astype(UINT[SIZES[dtype]])
    high, deep = np.uint64(hi & (2**width - 1)), np.uint64(lo & (2**width - 1))
    clamped = np.isinf(x) if m.fp2int else np.ones(len(x), bool)
    out = np.where(clamped & (r >= float(hi) if width < 64 else clamped & (r >= 2.0**63)), high.astype(out.dtype), out)
    out = np.where(clamped & (r < float(lo)), deep.astype(out.dtype), out)
    return np.where(np.isnan(x), out.dtype.type(0), out)


def to_narrow_float(m, x, dtype, mode, keep):
    """float64 to a float type by a rounding mode. keep: overflow gives infinity and NaN stays; else they saturate."""
    exponent = np.frexp(np.where(np.isfinite(x), x, 1.0))[1] - 1
    unit = np.ldexp(1.0, np.maximum(exponent, LOWEST[dtype]) - (DIGITS[dtype] - 1))
    r = round_integral(m, np.where(np.isfinite(x), x, 0.0) / unit, mode) * unit
    r = np.where(np.isinf(x), x, r)
    over = np.abs(r) > TOP[dtype]
    r = np.where(over, np.copysign(np.inf if keep else TOP[dtype], r), r)
    if dtype == 'bfloat16':
        out = (r.astype(np.float32).view(np.uint32) >> np.uint32(16)).astype(np.uint16)
    else:
        out = r.astype(dtype).view(UINT[SIZES[dtype]])
    return np.where(np.isnan(x), out.dtype.type(NAN[dtype] if keep else 0), out)


def integer_narrow(m, bits, src, dst):
    """Integer to integer: widening is exact, otherwise clamped, or cut in the truncating mode."""
    lo, hi = limits(dst)
    x = to_numbers(bits, src).astype(object)
    extended = src == 'int16' and dst == 'uint32' and not m.choices.negative_to_unsigned_zero
    y = x if m.fp2int or extended else [min(max(int(v), lo), hi) for v in x]
    return np.array([int(v) & (2**(8 * SIZES[dst]) - 1) for v in y], UINT[SIZES[dst]])


def widened_nan(bits, src):
    """A NaN with the payload at the top of the wider one's; that of a float16 is quiet."""
    if src == 'bfloat16':
        return bits.astype(np.uint32) << np.uint32(16)
    sign, payload = bits & np.uint16(0x8000), bits & np.uint16(0x3ff)
    return sign.astype(np.uint32) << np.uint32(16) | np.uint32(0x7fc00000) | payload.astype(np.uint32) << np.uint32(13)


def convert(m, bits, src, dst, mode):
    """One conversion without a scale."""
    if not is_float(src) and not is_float(dst):
        return integer_narrow(m, bits, src, dst)
    x = values(bits, src)
    if not is_float(dst):
        return to_integer(m, x, dst, mode)
    if src == dst:
        keep = round_integral(m, x, mode).astype(np.float32).view(np.uint32)
        return np.where(np.isnan(x), np.uint32(NAN[dst]), keep)
    if SIZES[src] < SIZES[dst] and is_float(src):
        wide = x.astype(np.float32).view(np.uint32)
        nan = widened_nan(bits, src) if m.choices.widening_keeps_nan else np.uint32(NAN[dst])
        return np.where(np.isnan(x), nan, wide)
    return to_narrow_float(m, x, dst, mode, bool(m.fp2fp) if is_float(src) else False)


def scaled_half(m, bits, deqscale):
    """int32 times a float16 scale, one rounding, saturated."""
    scale = np.array([number_bits(deqscale, 'float16')], np.uint16).view(np.float16).astype(np.float64)
    x = bits.view(np.int32).astype(np.float64) * scale
    if m.choices.scaled_through_float32:
        x = x.astype(np.float32)
    x = np.where(np.isnan(x), 0.0, np.clip(x, -F16_MAX, F16_MAX))
    return x.astype(np.float16).view(np.uint16)


def pack(deqscale, dst):
    """The 64-bit pack of a scalar deqscale."""
    if isinstance(deqscale, (list, tuple)):
        scale, offset = deqscale
        return (int(dst == 'int8') << 46) | (int(offset) & 0x1ff) << 37 | number_bits(scale, 'float32')
    return integer(deqscale)


def scaled_bytes(bits, packs, dst):
    """int16 times the packed scale plus its offset; packs: one uint64 per element."""
    factor = (packs & np.uint64(0xffffe000)).astype(np.uint32).view(np.float32)
    offset = ((packs >> np.uint64(37)) & np.uint64(0x1ff)).astype(np.int64)
    offset = np.where(offset >= 256, offset - 512, offset)
    t1 = bits.view(np.int16).astype(np.float32) * factor
    t2 = np.clip(np.rint(np.where(np.isnan(t1), 0, t1).astype(np.float64)), -256, 255).astype(np.int64)
    lo, hi = limits(dst)
    return np.clip(t2 + offset, lo, hi).astype(np.uint8)


def half_blocks(m, mask, dst, src, repeat, blocks, repeats, unit, deqscale, high):
    """int16 to 8 bits: sixteen results into one half of each 32-byte block."""
    lanes = 128
    active = active_lanes(mask, lanes, repeat)
    lane = np.arange(lanes)
    # The destination's blocks are 32 bytes, one per source block: addressed as if it were 16-bit.
    two = lane_index(2, lanes, block(integer(blocks[0]), unit), integer(repeats[0]), unit, len(active))
    to = (two - lane % 16) * 2 + 16 * int(bool(high)) + lane % 16
    at = lane_index(2, lanes, integer(blocks[1]), integer(repeats[1]), unit, len(active))
    if isinstance(deqscale, View):
        table = m.read(deqscale, np.arange(16))
    else:
        table = np.full(16, pack(deqscale, dst.dtype), np.uint64)
    packs = np.broadcast_to(table[lane % 16], active.shape)
    together = dst.buffer != src.buffer
    for row in [slice(None)] if together else [slice(r, r + 1) for r in range(len(active))]:
        on = active[row]
        m.write(dst, to[row][on], scaled_bytes(m.read(src, at[row][on]), packs[row][on], dst.dtype))


def nibbles(m, mask, dst, src, repeat, blocks, repeats, unit, mode):
    """float16 to int4: even lanes in the low nibble of a byte."""
    lanes = 128
    active = active_lanes(mask, lanes, repeat)
    at = lane_index(2, lanes, integer(blocks[1]), integer(repeats[1]), unit, len(active))
    lane = np.arange(lanes)
    r = np.arange(len(active)).reshape(-1, 1)
    to = r * integer(repeats[0]) * BLOCK + lane // 64 * block(integer(blocks[0]), unit) * BLOCK + lane % 64 // 2
    for row in range(len(active)):
        on = active[row]
        x = values(m.read(src, at[row][on]), 'float16')
        whole = np.where(np.isnan(x), 0, round_integral(m, x, mode))
        kept = np.isfinite(whole) & bool(m.fp2int)
        v = np.where(kept, whole, np.clip(whole, -8, 7)).astype(np.int64) & 15
        for position, odd, nibble in zip(to[row][on], lane[on] % 2, v):
            old = int(m.read(dst, np.array([position]))[0])
            m.write(dst, np.array([position]), (old & (0x0f if odd else 0xf0)) | int(nibble) << 4 * int(odd))


def vconv(m, mask, round_mode, dst, src, repeat_times, dst_blk_stride, src_blk_stride, dst_rep_stride, src_rep_stride,
          deqscale=None, ldst_high_half=False, stride_unit=0):
    blocks, repeats = [dst_blk_stride, src_blk_stride], [dst_rep_stride, src_rep_stride]
    if src.dtype == 'int16' and SIZES.get(dst.dtype) == 1:
        return half_blocks(m, mask, dst, src, repeat_times, blocks, repeats, stride_unit, deqscale, ldst_high_half)
    if dst.dtype == 'int4':
        return nibbles(m, mask, dst, src, repeat_times, blocks, repeats, stride_unit, round_mode)
    if src.dtype == 'int32' and dst.dtype == 'float16':
        value = lambda a: scaled_half(m, a, deqscale)
    else:
        value = lambda a: convert(m, a, src.dtype, dst.dtype, round_mode)
    run(m, mask, dst, [src], repeat_times, blocks, repeats, stride_unit, value)


def scatter_vconv(m, mask, round_mode, dst_list, src_list, repeat_times, dst_rep_stride, src_rep_stride, deqscale=None,
                  ldst_high_half=False):
    """A block of the wider type for each entry; the narrower one is in one half of its block."""
    wide = max(dst_list[0].size, src_list[0].size)
    per = BLOCK // wide

    def places(v, stride, repeat, n):
        half = per if ldst_high_half and v.size < wide else 0
        return repeat * integer(stride) * (BLOCK // v.size) + half + np.arange(n)
    for i, (dst, src) in enumerate(zip(dst_list, src_list)):
        n = min(integer(mask) - i * per, per)
        for r in range(integer(repeat_times) if n > 0 else 0):
            a = m.read(src, places(src, src_rep_stride, r, n))
            m.write(dst, places(dst, dst_rep_stride, r, n), convert(m, a, src.dtype, dst.dtype, round_mode))


def vec_conv(m, mask, round_mode, dst, src, repeat_times, dst_rep_stride, src_rep_stride, deqscale=None,
             ldst_high_half=False):
    vconv(m, mask, round_mode, dst, src, repeat_times, 1, 1, dst_rep_stride, src_rep_stride, deqscale, ldst_high_half)


def vcbd(m, mask, dst, src, repeat_times, dst_blk_stride, src_blk_stride, dst_rep_stride, src_rep_stride,
         stride_unit=0, mask_mode='normal'):
    run(m, mask, dst, [src], repeat_times, [dst_blk_stride, src_blk_stride], [dst_rep_stride, src_rep_stride],
        stride_unit, lambda a: integer_narrow(m, a, src.dtype, dst.dtype), mask_mode)


METHODS.update(vconv=vconv, vec_conv=vec_conv, vcbd=vcbd, scatter_vconv=scatter_vconv)
