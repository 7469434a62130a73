"""Chapter 7: reductions within repeats and over whole buffers."""
import numpy as np

from . import numbers as num
from .core import BLOCK, UINT, active_lanes, integer, lane_index, lanes_of, number_bits, to_numbers
from .compare import rows_of

METHODS = {}
# What a block without lanes gives.
EDGE = {('max', 'float16'): -65504.0, ('min', 'float16'): 65504.0, ('max', 'float32'): -np.inf,
        ('min', 'float32'): np.inf, ('max', 'int64'): -2**63, ('min', 'int64'): 2**63 - 1}


def tree(m, bits, dtype):
    """Sums along the last axis, a power of two long: neighbours first, each node rounded. Integers wrap."""
    if not num.is_float(dtype):
        return bits.sum(-1, dtype=bits.dtype)
    while bits.shape[-1] > 1:
        bits = num.arithmetic(m, 'add', bits[..., 0::2].reshape(-1), bits[..., 1::2].reshape(-1), dtype).reshape(
            bits.shape[:-1] + (-1,))
    return bits[..., 0]


def best(op, bits, on, dtype):
    """Along the last axis: pattern and position of the extreme of the lanes that are on. Equal: the lowest. NaN only
    when all of them are."""
    x = to_numbers(bits, dtype)
    if num.is_float(dtype):
        x = x.astype(np.float64)
        usable, low, high = on & ~np.isnan(x), -np.inf, np.inf
    else:
        x = x.astype(np.int64)
        usable, low, high = on, np.iinfo(np.int64).min, np.iinfo(np.int64).max
    keyed = np.where(usable, x, low if op == 'max' else high)
    # An infinity must win over lanes that are off: rank by (usable, value).
    top = keyed.max(-1, keepdims=True) if op == 'max' else keyed.min(-1, keepdims=True)
    chosen = usable & (keyed == top)
    at = np.where(chosen.any(-1), chosen.argmax(-1), on.argmax(-1))
    value = np.take_along_axis(bits, at[..., None], -1)[..., 0]
    if num.is_float(dtype):
        value = np.where(chosen.any(-1), value, value.dtype.type(num.NAN[dtype]))
    return value, at


def sources(m, dst, src, active, blk, rep, unit):
    """Patterns of the lanes of each chunk of repeats, lanes that are off as 0; with the rows of the chunk."""
    if not len(active):
        return
    at = lane_index(src.size, active.shape[1], integer(blk), integer(rep), unit, len(active))
    for rows in rows_of(dst, [src], len(active)):
        on = active[rows]
        bits = np.zeros(on.shape, UINT[src.size])
        bits[on] = m.read(src, at[rows][on])
        yield np.arange(rows.start, rows.stop), on, bits


def vcadd(m, mask, dst, src, repeat_times, dst_rep_stride, src_blk_stride, src_rep_stride, stride_unit=0):
    active = active_lanes(mask, lanes_of(dst), repeat_times)
    for rows, _, bits in sources(m, dst, src, active, src_blk_stride, src_rep_stride, stride_unit):
        m.write(dst, rows * integer(dst_rep_stride), tree(m, bits, dst.dtype))


def vcpadd(m, mask, dst, src, repeat_times, dst_rep_stride, src_blk_stride, src_rep_stride, stride_unit=0):
    lanes = lanes_of(dst)
    active = active_lanes(mask, lanes, repeat_times)
    for rows, on, bits in sources(m, dst, src, active, src_blk_stride, src_rep_stride, stride_unit):
        pairs = tree(m, bits.reshape(len(rows), -1, 2), dst.dtype)
        kept = on.reshape(len(rows), -1, 2).any(-1) | (m.profile == 'v300' or m.profile == 'v100' and m.choices.old_pairs_zero)
        at = rows[:, None] * integer(dst_rep_stride) * (lanes // 2) + np.arange(lanes // 2)
        m.write(dst, at[kept], pairs[kept])


def vec_cpadd(m, mask, dst, src, repeat_times, dst_rep_stride, src_rep_stride):
    vcpadd(m, mask, dst, src, repeat_times, dst_rep_stride, 1, src_rep_stride)


def define_block(op):
    def method(m, mask, dst, src, repeat_times, dst_rep_stride, src_blk_stride, src_rep_stride, stride_unit=0):
        active = active_lanes(mask, lanes_of(dst), repeat_times)
        be = BLOCK // dst.size
        for rows, on, bits in sources(m, dst, src, active, src_blk_stride, src_rep_stride, stride_unit):
            bits, on = bits.reshape(len(rows), 8, be), on.reshape(len(rows), 8, be)
            if op == 'add':
                value = tree(m, bits, dst.dtype)
            else:
                edge = number_bits(EDGE[op, dst.dtype], dst.dtype)
                value = np.where(on.any(-1), best(op, bits, on, dst.dtype)[0], bits.dtype.type(edge))
            at = rows[:, None] * integer(dst_rep_stride) * 8 + np.arange(8)
            kept = on.any(-1) | m.choices.block_identity
            m.write(dst, at[kept], value[kept])
    METHODS['vcg' + op] = method


for _op in ('add', 'max', 'min'):
    define_block(_op)


def overall(m, op, dst, bits, on):
    """max_cnt_index: over all repeats, in a register."""
    value, at = best(op, bits.reshape(1, -1), on.reshape(1, -1), dst.dtype)
    x = to_numbers(bits.reshape(-1), dst.dtype)
    equal = (on.reshape(-1) & (x == to_numbers(value, dst.dtype)[0])).sum()
    rest = [int(equal) & 0xffff, int(at[0]) & 0xffff]
    m.max_min = [int(value[0])] + (rest if m.choices.cmax_count_first else rest[::-1])


def extreme_method(op):
    def work(m, mask, dst, src, repeat, dst_rep, src_blk, src_rep, unit, index_low, scalars):
        active = active_lanes(mask, lanes_of(dst), repeat)
        everything = []
        for rows, on, bits in sources(m, dst, src, active, src_blk, src_rep, unit):
            value, at = best(op, bits, on, dst.dtype)
            pair = np.stack([value, at.astype(value.dtype)], -1)
            if index_low:
                pair = pair[:, ::-1]
            m.write(dst, rows[:, None] * integer(dst_rep) * 2 + np.arange(2), pair)
            everything.append(bits)
        if scalars and len(active):
            overall(m, op, dst, np.concatenate(everything), active)
        for s, v in zip(scalars or [], m.max_min):   # without repeats: what the register held before
            s.set(v)
    return work


_max, _min = extreme_method('max'), extreme_method('min')


def vcmax(m, mask, dst, src, repeat_times, dst_rep_stride, src_blk_stride, src_rep_stride, stride_unit=0,
          index_low=False, max_cnt_index=None):
    _max(m, mask, dst, src, repeat_times, dst_rep_stride, src_blk_stride, src_rep_stride, stride_unit, index_low,
         max_cnt_index)


def vcmin(m, mask, dst, src, repeat_times, dst_rep_stride, src_blk_stride, src_rep_stride, stride_unit=0,
          index_low=False, min_cnt_index=None):
    _min(m, mask, dst, src, repeat_times, dst_rep_stride, src_blk_stride, src_rep_stride, stride_unit, index_low,
         min_cnt_index)


METHODS.update(vcadd=vcadd, vcpadd=vcpadd, vec_cpadd=vec_cpadd, vcmax=vcmax, vcmin=vcmin)


# ---- whole buffers -------------------------------------------------------------------------------------------


def grouped(m, sums, lanes, dtype):
    """Groups of as many sums as there are lanes are added as trees until one is left."""
    while len(sums) > 1:
        padded = np.zeros(-(-len(sums) // lanes) * lanes, sums.dtype)
        padded[:len(sums)] = sums
        sums = tree(m, padded.reshape(-1, lanes), dtype)
    return sums


def chunked(m, sums, dtype):
    """Sums of chunks of 255, added one after the other."""
    out = []
    for first in range(0, len(sums), 255):
        total = sums[first:first + 1]
        for i in range(first + 1, min(first + 255, len(sums))):
            total = num.arithmetic(m, 'add', total, sums[i:i + 1], dtype)
        out.append(total)
    return np.concatenate(out)


def vec_reduce_add(m, mask, dst, src, work_tensor, repeat_times, src_rep_stride):
    lanes = lanes_of(dst)
    active = active_lanes(mask, lanes, repeat_times)
    if not len(active):
        return
    at = lane_index(src.size, lanes, 1, integer(src_rep_stride), 0, len(active))
    bits = np.zeros(active.shape, UINT[src.size])
    bits[active] = m.read(src, at[active])
    sums = tree(m, bits, dst.dtype)
    if m.choices.sums_by_chip and m.profile == 'v220':
        sums = chunked(m, sums, dst.dtype)
    m.write(dst, np.arange(1), grouped(m, sums, lanes, dst.dtype))


def define_whole(op):
    def method(m, mask, dst, src, work_tensor, repeat_times, src_rep_stride, cal_index=False):
        lanes = lanes_of(dst)
        active = active_lanes(mask, lanes, repeat_times)
        if not len(active):
            return
        at = lane_index(src.size, lanes, 1, integer(src_rep_stride), 0, len(active))
        bits = m.read(src, np.where(active, at, 0))
        value, where = best(op, bits.reshape(1, -1), active.reshape(1, -1), dst.dtype)
        m.write(dst, np.arange(1), value)
        if cal_index:
            m.write(dst, np.array([1]), at.reshape(-1)[where].astype(value.dtype))
    METHODS['vec_reduce_' + op] = method


METHODS['vec_reduce_add'] = vec_reduce_add
define_whole('max')
define_whole('min')
