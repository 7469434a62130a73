"""Chapters 4 and 10: fills, broadcasts, copies, padding."""
import numpy as np

from . import numbers as num
from .core import BLOCK, UINT, active_lanes, integer, lane_index, lanes_of, number_bits, to_numbers
from .elementwise import block, run

METHODS = {}


def vector_dup(m, mask, dst, scalar, repeat_times, dst_blk_stride, dst_rep_stride, stride_unit=0):
    bits = UINT[dst.size](number_bits(scalar, dst.dtype))
    active = active_lanes(mask, lanes_of(dst), repeat_times)
    at = lane_index(dst.size, lanes_of(dst), block(integer(dst_blk_stride), stride_unit), integer(dst_rep_stride),
                    stride_unit, len(active))
    m.write(dst, at[active], bits)


def vec_dup(m, mask, dst, scalar, repeat_times, dst_rep_stride):
    vector_dup(m, mask, dst, scalar, repeat_times, 1, dst_rep_stride)


def vci(m, mask, dst_index, start_point, repeat_times, dst_blk_stride, dst_rep_stride, stride_unit=0,
        mask_mode='normal'):
    dst, lanes = dst_index, lanes_of(dst_index)
    active = active_lanes(mask, lanes, repeat_times, mask_mode)
    at = lane_index(dst.size, lanes, block(integer(dst_blk_stride), stride_unit), integer(dst_rep_stride), stride_unit,
                    len(active))
    count = np.arange(lanes) + (np.arange(len(active)).reshape(-1, 1) * lanes if m.choices.vci_continues
                                else np.zeros((len(active), 1), np.int64))
    start = to_numbers(np.array([number_bits(start_point, dst.dtype)], np.uint64).astype(UINT[dst.size]), dst.dtype)
    if num.is_float(dst.dtype):
        bits = num.from_values(m, num.odd_double(start.astype(np.longdouble) + count), dst.dtype)
    else:
        bits = (start.astype(np.int64) + count).astype(np.uint64).astype(UINT[dst.size])
    m.write(dst, at[active], bits[active])


def vbcb(m, dst, src, repeat_times, dst_blk_stride, dst_rep_stride):
    repeats, lanes = integer(repeat_times), lanes_of(dst)
    at = lane_index(dst.size, lanes, block(integer(dst_blk_stride), 0), integer(dst_rep_stride), 0, repeats)
    one = m.read(src, np.arange(8 * repeats)).reshape(repeats, 8)
    m.write(dst, at.reshape(-1), np.repeat(one, lanes // 8, axis=1).reshape(-1))


def vcopy(m, mask, dst, src, repeat_times, dst_blk_stride, src_blk_stride, dst_rep_stride, src_rep_stride,
          mask_mode='normal'):
    lanes = lanes_of(dst)
    if mask_mode == 'counter':   # the mask counts the elements of each repeat, which may be longer than eight blocks
        lanes = -(-integer(mask) // lanes) * lanes
    run(m, mask, dst, [src], repeat_times, [dst_blk_stride, src_blk_stride], [dst_rep_stride, src_rep_stride], 0,
        lambda a: a, lanes=lanes)


def padded(block_bits, mode, side):
    """Blocks [count, n] after padding."""
    left = side == 'left'
    if mode == 0:
        return np.broadcast_to(block_bits[:, :1] if left else block_bits[:, -1:], block_bits.shape)
    mirrored = block_bits[:, ::-1]
    if mode == 1:
        return mirrored
    zero = np.zeros_like(block_bits[:, :1])
    return np.hstack([zero, mirrored[:, :-1]] if left else [mirrored[:, 1:], zero])


def vpadding(m, mask, pad_mode, pad_side, dst, src, repeat_times, dst_blk_stride, src_blk_stride, dst_rep_stride,
             src_rep_stride, stride_unit=0, mask_mode='normal'):
    lanes, n = lanes_of(dst), BLOCK // dst.size
    active = active_lanes(mask, lanes, repeat_times, mask_mode)
    to = lane_index(dst.size, lanes, block(integer(dst_blk_stride), stride_unit), integer(dst_rep_stride), stride_unit,
                    len(active))
    at = lane_index(src.size, lanes, integer(src_blk_stride), integer(src_rep_stride), stride_unit, len(active))
    for r in range(len(active)):
        on = np.repeat(active[r].reshape(-1, n).any(-1), n)   # whole blocks are read
        bits = np.zeros(lanes, UINT[src.size])
        bits[on] = m.read(src, at[r][on])
        blocks = padded(bits.reshape(-1, n), integer(pad_mode), pad_side).reshape(-1)
        m.write(dst, to[r][active[r]], blocks[active[r]])


METHODS.update(vector_dup=vector_dup, vec_dup=vec_dup, vci=vci, vbcb=vbcb, vcopy=vcopy, vpadding=vpadding)
