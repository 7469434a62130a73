"""Chapter 8: gather, scatter, compress."""
import numpy as np

from . import numbers as num
from .core import BLOCK, UINT, View, active_lanes, integer, lane_index, lanes_of
from .elementwise import block

METHODS = {}


def pattern_bits(m, pattern, stride, repeats, lanes, dense):
    """keep(r, l)."""
    if not isinstance(pattern, View):
        n, l = integer(pattern), np.arange(lanes)
        keep = np.ones(lanes, bool) if n == 7 else l % 2 == n - 1 if n < 3 else l % 4 == n - 3
        return np.broadcast_to(keep, (repeats, lanes))
    raw = m.elements(pattern, 'uint8')
    l = np.arange(lanes)
    step = integer(stride) * BLOCK
    if dense and step and m.profile in m.choices.dense_patterns:
        step = lanes // 8
    at = np.arange(repeats).reshape(-1, 1) * step + l // 8
    m.inside(at, raw)
    return (raw[at] >> (l % 8).astype(np.uint8) & 1).astype(bool)


def compress(m, dst, src0, active, at, pattern, stride, rsvd_scalar, dense=False):
    # The pattern is not read where no lane is processed.
    repeats, lanes = active.shape
    if not repeats:
        return
    keep = pattern_bits(m, pattern, stride, repeats, lanes, dense)
    count = 0
    for r in range(repeats):
        values = m.read(src0, at[r][active[r] & keep[r]])
        m.write(dst, count + np.arange(len(values)), values)
        count += len(values)
    m.rsvd_cnt = count
    if rsvd_scalar is not None:
        rsvd_scalar.set(count)


def vreduce(m, mask, dst, src0, src1_pattern, repeat_times, src0_blk_stride, src0_rep_stride, src1_rep_stride,
            stride_unit=0, rsvd_scalar=None, mask_mode='normal'):
    lanes = lanes_of(src0)
    active = active_lanes(mask if mask_mode == 'counter' else lanes, lanes, repeat_times, mask_mode)
    at = lane_index(src0.size, lanes, integer(src0_blk_stride), integer(src0_rep_stride), stride_unit, len(active))
    compress(m, dst, src0, active, at, src1_pattern, src1_rep_stride, rsvd_scalar, dense=True)


def vreducev2(m, mask, dst, src0, src1_pattern, repeat_times, src0_blk_stride, src0_rep_stride, src1_rep_stride,
              rsvd_scalar=None, mask_mode='normal'):
    n = lanes_of(src0)
    if mask_mode == 'counter':
        n = integer(mask)
    active = np.ones((integer(repeat_times), n), bool)
    at = lane_index(src0.size, n, integer(src0_blk_stride), integer(src0_rep_stride), 0, len(active))
    compress(m, dst, src0, active, at, src1_pattern, src1_rep_stride, rsvd_scalar)


def offset_rows(m, offsets, repeats, lanes, active):
    """Byte offsets of the active lanes."""
    at = (np.arange(repeats).reshape(-1, 1) * lanes + np.arange(lanes))[active]
    bits = m.read(offsets, at)
    return bits.view(offsets.dtype).astype(np.int64)


def vgather(m, mask, dst, src, src_offset, repeat_times, dst_rep_stride, base_addr=0, stride_unit=0,
            mask_mode='normal'):
    lanes = lanes_of(dst)
    active = active_lanes(mask, lanes, repeat_times, mask_mode)
    at = lane_index(dst.size, lanes, 1, integer(dst_rep_stride), stride_unit, len(active))
    for r in range(len(active)):
        on = np.zeros_like(active)
        on[r] = active[r]
        where = integer(base_addr) + offset_rows(m, src_offset, len(active), lanes, on)
        m.write(dst, at[on], m.read(src, where // src.size))


def vscatter(m, mask, dst, src, dst_offset, repeat_times, src_rep_stride, base_addr=0, stride_unit=0,
             mask_mode='normal'):
    lanes = lanes_of(src)
    active = active_lanes(mask, lanes, repeat_times, mask_mode)
    at = lane_index(src.size, lanes, 1, integer(src_rep_stride), stride_unit, len(active))
    for r in range(len(active)):
        on = np.zeros_like(active)
        on[r] = active[r]
        where = integer(base_addr) + offset_rows(m, dst_offset, len(active), lanes, on)
        m.write(dst, where // dst.size, m.read(src, at[on]))


def vgatherb(m, dst, src, src_offsets, repeat_times, dst_blk_stride, dst_rep_stride):
    be, repeats = BLOCK // dst.size, integer(repeat_times)
    starts = m.read(src_offsets, np.arange(8 * repeats)).view(src_offsets.dtype).astype(np.int64)
    at = lane_index(dst.size, 8 * be, block(integer(dst_blk_stride), 0), integer(dst_rep_stride), 0, repeats)
    where = (starts.reshape(-1, 1) // src.size + np.arange(be)).reshape(repeats, 8 * be)
    m.write(dst, at.reshape(-1), m.read(src, where.reshape(-1)))


def vbi(m, mask, dst, src0, src1, src0_offset, dst_blk_stride, vertical_repeat_times, horizontal_repeat_times,
        repeat_mode, vertical_repeat_offset):
    lanes, be = lanes_of(dst), BLOCK // dst.size
    on = active_lanes(mask, lanes, 1)[0]
    b, e = np.arange(lanes)[on] // be, np.arange(lanes)[on] % be
    across = integer(horizontal_repeat_times)
    for v in range(integer(vertical_repeat_times)):
        total = np.zeros(on.sum(), UINT[dst.size])
        for t in range(v * across, (v + 1) * across):
            weight = m.read(src1, 8 * t + b if integer(repeat_mode) else np.full(len(b), t))
            starts = m.read(src0_offset, 8 * t + b).view(src0_offset.dtype).astype(np.int64)
            product = num.arithmetic(m, 'mul', m.read(src0, starts // src0.size + e), weight, dst.dtype)
            total = num.arithmetic(m, 'add', product, total, dst.dtype)
        m.write(dst, v * integer(vertical_repeat_offset) + b * integer(dst_blk_stride) * be + e, total)


METHODS.update(vreduce=vreduce, vreducev2=vreducev2, vgather=vgather, vscatter=vscatter, vgatherb=vgatherb, vbi=vbi)
