"""Instances of chapters 6 and 8: transposes, gather, scatter, compress."""
import numpy as np

from vector_model.core import SIZES, lane_index
from .draw import At, Lanes
from .elementwise import Strided, family, one_type, tail_of_new


@family('vnchwconv', 'vec_trans_scatter')
def scatter_transpose(d, method, dtype):
    be = 32 // SIZES[dtype]
    n = d.repeats(6)
    dst_rep, src_rep = d.pick(1, 16, d.between(0, 20)), d.pick(1, 16, d.between(0, 20))
    lists = []
    for step, rep in ((d.pick(1, d.between(1, 3)), dst_rep), (d.pick(1, 2, d.between(0, 3)), src_rep)):
        if (n - 1) * rep * 32 > 8192:
            n = 1
        starts = np.arange(16) * step
        if d.chance(0.3):
            starts = d.rng.permutation(starts)
        lists.append((starts, rep))
    operands = []
    for starts, rep in lists:
        base = d.operand(dtype, (int(starts.max()) + (n - 1) * rep + 1) * be)
        operands.append([At(base.tensor, base.element + int(s) * be) for s in starts])
    d.call(method, dst_high_half=d.chance(0.5), src_high_half=d.chance(0.5), dst_list=operands[0],
           src_list=operands[1], repeat_times=d.integer(n), dst_rep_stride=d.integer(dst_rep),
           src_rep_stride=d.integer(src_rep))


@family('vec_trans', 'vtranspose')
def transpose(d, method, dtype):
    if method == 'vtranspose':
        to = d.operand(dtype, 256)
        return d.call(method, dst=to, src=to if d.chance(0.3) else d.operand(dtype, 256))
    n = d.repeats(4)
    if n > 8:
        n = 8
    dst_rep, src_rep = d.pick(1, 1, 2, 0), d.pick(1, 1, 2, 0)
    if d.chance(0.3):
        to = a = d.operand(dtype, n * 256)
        dst_rep = src_rep = 1
    else:
        to = d.operand(dtype, ((n - 1) * dst_rep + 1) * 256)
        a = d.operand(dtype, ((n - 1) * src_rep + 1) * 256)
    return d.call(method, dst=to, src=a, repeat_times=d.integer(n), dst_rep_stride=d.integer(dst_rep),
                  src_rep_stride=d.integer(src_rep))


@family('v4dtrans')
def planes(d, method, dtype):
    length = d.between(1, 6) * (32 // SIZES[dtype])
    channels = d.between(1, 20)
    d.call(method, chw2hwc=d.chance(0.5), dst=d.operand(dtype, length * channels),
           src=d.operand(dtype, length * channels), m_len=d.integer(length), channels=d.integer(channels))


@family('vmrgch')
def merge_channels(d, method, dtype):
    n = min(d.repeats(4), 8)
    group = 16 if SIZES[dtype] == 2 else 32
    d.call(method, dst=d.operand(dtype, 32 * n), src=d.operand(dtype, 8 * group * n), repeat_times=d.integer(n))


# ---- compress ------------------------------------------------------------------------------------------------


def pattern(d, dtype, lanes, n, numbers, tensor_only=False):
    """(src1_pattern, its repeat stride)"""
    if not tensor_only and d.chance(0.5):
        number = d.between(1, numbers)
        return (d.loaded('int32', number) if numbers == 6 and d.chance(0.2) else number), 0   # vreducev2: literals only
    bits = {1: 'uint8', 2: 'uint16', 4: 'uint32'}[SIZES[dtype]]
    stride = d.pick(0, 0, 1, d.between(0, 3))
    total = ((n - 1) * stride * 32 + -(-lanes // 8))
    return d.operand(bits, -(-total // SIZES[bits])), stride


@family('vreduce')
def compress(d, method, dtype):
    lanes = Lanes(d, 256 // SIZES[dtype], counter=True)
    if lanes.mode == 'normal':
        lanes.active = np.ones((lanes.n, lanes.lanes), bool)
    unit = d.unit(lanes.n)
    src = Strided(d, lanes, dtype, unit, True, True)
    src_operand = d.operand(dtype, int(src.at.max()) + 1)
    which, stride = pattern(d, dtype, lanes.lanes, lanes.n, 6)
    more = {'=stride_unit': unit} if unit else {}
    if d.chance(0.7):
        more['=rsvd_scalar'] = d.result('uint32')
    d.call(method, mask=lanes.mask, dst=d.operand(dtype, lanes.n * lanes.lanes), src0=src_operand, src1_pattern=which,
           repeat_times=lanes.repeat, src0_blk_stride=d.integer(src.block), src0_rep_stride=d.integer(src.repeat),
           src1_rep_stride=d.integer(stride), **more, **tail_of_new(lanes))


@family('vreducev2')
def compress_long(d, method, dtype):
    n, lanes = min(d.repeats(4), 8), 256 // SIZES[dtype]
    counter = d.chance(0.5)
    count = d.between(1, 3 * lanes) if counter else lanes
    be = 32 // SIZES[dtype]
    block = 1 if d.chance(0.7) else d.between(0, 4)
    repeat = d.pick(-(-count // be), d.between(0, 30))
    at = lane_index(SIZES[dtype], -(-count // be) * be, block, repeat, 0, n)
    which, stride = pattern(d, dtype, count, n, 7, tensor_only=counter)
    more = {'=rsvd_scalar': d.result('uint32')} if d.chance(0.7) else {}
    if counter:
        more['=mask_mode'] = 'counter'
    d.call(method, mask=d.integer(count) if counter else None, dst=d.operand(dtype, n * count),
           src0=d.operand(dtype, int(at.max()) + 1), src1_pattern=which, repeat_times=n,
           src0_blk_stride=d.integer(block), src0_rep_stride=d.integer(repeat), src1_rep_stride=d.integer(stride), **more)


# ---- gather and scatter ----------------------------------------------------------------------------------------


def offsets(d, lanes, size, elements, base):
    """int32 byte offsets of all lanes into that many elements after a base; the masked ones are wild."""
    total = lanes.n * lanes.lanes
    room = elements * size - base
    good = d.rng.integers(0, room // size, total) * size
    if d.chance(0.3):
        good = d.rng.permutation(np.arange(total) % (room // size)) * size
    wild = d.rng.integers(-2**31, 2**31, total)
    on = lanes.active.reshape(-1)
    return np.where(on, good, wild).astype(np.int64).astype(np.int32).view(np.uint32)


def base_address(d, size, elements):
    base = d.pick(0, 0, d.between(0, elements // 2) * size)
    return base, d.loaded('uint32', base) if d.chance(0.2) else base


@family('vgather')
def gather(d, method, dtype):
    size = SIZES[dtype]
    lanes = Lanes(d, 256 // size, counter=True)
    dst = Strided(d, lanes, dtype, 0, False, False)
    elements = d.between(16, 600)
    base, base_argument = base_address(d, size, elements)
    source = d.operand(dtype, elements)
    offset = d.operand('int32', lanes.n * lanes.lanes, offsets(d, lanes, size, elements, base))
    more = {'=base_addr': base_argument} if base or d.chance(0.3) else {}
    d.call(method, mask=lanes.mask, dst=d.operand(dtype, dst.span), src=source, src_offset=offset,
           repeat_times=lanes.repeat, dst_rep_stride=d.integer(dst.repeat), **more, **tail_of_new(lanes))


@family('vscatter')
def scatter(d, method, dtype):
    size = SIZES[dtype]
    lanes = Lanes(d, 256 // size, counter=True)
    src = Strided(d, lanes, dtype, 0, True, False)
    elements = d.between(16, 600)
    base, base_argument = base_address(d, size, elements)
    target = d.operand(dtype, elements)
    offset = d.operand('int32', lanes.n * lanes.lanes, offsets(d, lanes, size, elements, base))
    more = {'=base_addr': base_argument} if base or d.chance(0.3) else {}
    d.call(method, mask=lanes.mask, dst=target, src=d.operand(dtype, src.span), dst_offset=offset,
           repeat_times=lanes.repeat, src_rep_stride=d.integer(src.repeat), **more, **tail_of_new(lanes))


@family('vgatherb')
def gather_blocks(d, method, operands):
    dtype = one_type(operands)
    lanes = Lanes(d, 256 // SIZES[dtype])
    lanes.active = np.ones((lanes.n, lanes.lanes), bool)
    dst = Strided(d, lanes, dtype, 0, False, True)
    if dst.block == 0:
        dst.find(1)
    blocks = d.between(1, 40)
    starts = (d.rng.integers(0, blocks, 8 * lanes.n) * 32).astype(np.uint32)
    d.call(method, dst=d.operand(dtype, dst.span), src=d.operand(dtype, blocks * 32 // SIZES[dtype]),
           src_offsets=d.operand(d.pick('int32', 'uint32'), 8 * lanes.n, starts), repeat_times=lanes.repeat,
           dst_blk_stride=d.integer(dst.block), dst_rep_stride=d.integer(dst.repeat))


@family('vbi')
def interpolate(d, method, dtype):
    be, lanes = 32 // SIZES[dtype], 256 // SIZES[dtype]
    down, across, mode = d.between(1, 4), d.between(1, 4), d.between(0, 1)
    if d.profile != 'v200':
        across *= 8 // SIZES[dtype]   # what those processors ask for
    block = d.pick(1, 1, 2)
    window = 8 * block * be
    step = max(-(-window // be) * be, 128) + d.between(0, 3) * be
    blocks = d.between(8, 40)
    entries = 8 * down * across
    starts = (d.rng.integers(0, blocks, entries) * 32).astype(np.uint32)
    d.call(method, mask=d.mask(lanes), dst=d.operand(dtype, (down - 1) * step + window),
           src0=d.operand(dtype, blocks * be), src1=d.operand(dtype, entries if mode else down * across),
           src0_offset=d.operand('int32', entries, starts), dst_blk_stride=d.integer(block),
           vertical_repeat_times=d.integer(down), horizontal_repeat_times=d.integer(across), repeat_mode=mode,
           vertical_repeat_offset=d.integer(step))
