"""Instances of chapters 9, 12 and 13: proposals, sorting, Scalars, slices."""
import numpy as np

from vector_model.core import SIZES
from vector_model.sort import descending
from . import values
from .draw import SHORT, At, Handle
from .elementwise import MODES, family, packed_scale, pair, scale


def proposals(d, dtype, n, scores=None):
    """n records with scores among which some are equal."""
    bits = values.contents(d.rng, dtype, 8 * n)
    rows = bits.reshape(n, 8)
    rows[:, 4] = scores if scores is not None else tied(d, dtype, n)
    return bits


def tied(d, dtype, n):
    if d.chance(0.5):
        return values.few(d.rng, dtype, n)
    return values.contents(d.rng, dtype, n)


def boxes(d, dtype, n):
    """Proposals whose corners are mostly small integers."""
    if d.chance(0.3):
        return proposals(d, dtype, n)
    rows = d.rng.integers(-3, 20, (n, 8)).astype(dtype)
    rows[:, 2:4] = rows[:, 0:2] + d.rng.integers(-1, 9, (n, 2)).astype(dtype)
    return rows.reshape(-1).view(f'uint{8 * SIZES[dtype]}')


@family('vconcat', 'vextract')
def fields(d, method, dtype):
    n = min(d.repeats(4), 8)
    highest = 3 if method == 'vextract' and d.processor == 'Ascend310' else 5
    many, few = d.operand(dtype, 128 * n), d.operand(dtype, 16 * n)
    to, a = (many, few) if method == 'vconcat' else (few, many)
    d.call(method, dst=to, src=a, repeat_times=d.integer(n), mode_number=d.between(0, highest))


@family('vrpsort16')
def sort16(d, method, dtype):
    n = min(d.repeats(4), 8)
    d.call(method, dst=d.operand(dtype, 128 * n), src=d.operand(dtype, 128 * n, proposals(d, dtype, 16 * n)),
           repeat_times=d.integer(n))


@family('vsort32')
def sort32(d, method, dtype):
    n = min(d.repeats(4), 8)
    d.call(method, dst=d.operand(dtype, 64 * n * 4 // SIZES[dtype]), src0=d.operand(dtype, 32 * n, tied(d, dtype, 32 * n)),
           src1=d.operand('uint32', 32 * n), repeat_times=d.integer(n))


def sorted_scores(d, dtype, n, pool):
    bits = d.rng.choice(pool, n)
    return bits[descending(bits, dtype)]


def lists(d, dtype, repeats, lengths, record):
    """One operand per list; record(scores) gives the elements of records with these scores."""
    pool = tied(d, dtype, 12)
    out = []
    for n in lengths:
        width = len(record(np.zeros(1, pool.dtype)))
        data = np.zeros(width * max(n, 1), pool.dtype)
        if n:
            data[:width * n] = record(sorted_scores(d, dtype, n, pool))
        out.append(data)
    if repeats > 1:   # repeat r reads after the four lists of repeat r - 1
        return out
    return [d.operand(dtype, len(x), x) for x in out]


def merge_shape(d, most):
    """(number of lists, lengths, suspension, repeats)"""
    if d.chance(0.15):
        n = d.between(1, 8)
        return 4, [n] * 4, False, d.between(2, 3)
    count = d.pick(1, 2, 3, 4) if d.method == 'vmrgsort4' and d.profile != 'v100' else d.pick(2, 3, 4)
    lengths = [d.pick(d.between(0, 12), d.between(1, most)) for _ in range(count)]
    return count, lengths, d.chance(0.4), 1


def merge_sources(d, dtype, shape, width, record):
    """The lists; with repeats: all in one tensor, list i of repeat r after list i of repeat r - 1 by four lists."""
    count, lengths, _, repeats = shape
    if repeats == 1:
        return lists(d, dtype, 1, lengths, record)
    n = lengths[0]
    rows = np.concatenate([x for _ in range(repeats) for x in lists(d, dtype, 2, lengths, record)])
    base = d.tensor(dtype, len(rows), rows)
    step = n * width
    return [At(base, i * step) for i in range(count)] if step * SIZES[dtype] % 32 == 0 else None


def result_scalars(d, suspend, least=4):
    if suspend and d.chance(0.6):
        return [d.result('uint32') for _ in range(d.between(least, 4))]
    return None


@family('vmrgsort4')
def merge4(d, method, dtype):
    shape = merge_shape(d, 40)
    while shape[3] > 1 and shape[1][0] * 8 * SIZES[dtype] % 32:
        shape = merge_shape(d, 40)
    count, lengths, suspend, repeats = shape
    sources = merge_sources(d, dtype, shape, 8, lambda s: proposals(d, dtype, len(s), s))
    sources += [sources[0]] * (4 - len(sources))
    bits = 2**count - 1
    lengths = lengths + [0] * (4 - count)
    merge_call(d, method, dtype, 8, sources, lengths, count, suspend, repeats,
               {'valid_bit': d.integer(bits) if d.chance(0.7) else bin(bits)[2:]})


@family('vmrgsort')
def merge_pairs(d, method, dtype):
    width = 8 // SIZES[dtype]

    def record(scores):
        rows = np.zeros((len(scores), width), scores.dtype)
        rows[:, 0] = scores
        rows[:, width // 2:] = values.random_bits(d.rng, dtype, len(scores) * (width // 2)).reshape(len(scores), -1)
        return rows.reshape(-1)
    shape = merge_shape(d, 60)
    while shape[3] > 1 and shape[1][0] % 4:
        shape = merge_shape(d, 60)
    count, lengths, suspend, repeats = shape
    merge_call(d, method, dtype, width, merge_sources(d, dtype, shape, width, record), lengths, count, suspend, repeats, {})


def merge_call(d, method, dtype, width, sources, lengths, count, suspend, repeats, valid):
    room = max(repeats * sum(lengths[:count]), 1) * width
    scalars = result_scalars(d, suspend, 4 if method == 'vmrgsort4' else count)
    counts = 'element_lengths' if method == 'vmrgsort4' else 'element_count_list'
    given = {'dst': d.operand(dtype, room), 'src_list': sources, counts: [d.integer(n) for n in lengths],
             'if_exhausted_suspension': suspend, **valid, 'repeat_times': repeats}
    if scalars:
        given['vms4_sr_scalar_array'] = scalars
    handle = Handle('sr')
    fetch = not scalars and repeats == 1 and d.chance(0.3) and 'mov_vmrgsort4_sr_to_scalar' in d.allowed
    d.call(method, **given, **({'->': handle} if fetch else {}))
    if fetch:
        d.call('mov_vmrgsort4_sr_to_scalar', scalar_list=[d.result('uint32') for _ in range(4)], vms4_sr=handle)


@family('mov_vmrgsort4_sr_to_scalar')
def merge_register(d, method, _):
    merge4(d, 'vmrgsort4', 'float16')


@family('vrpac')
def areas(d, method, dtype):
    n = min(d.repeats(4), 8)
    with_offset(d, dtype, lambda: d.call(method, dst=d.operand(dtype, 16 * n),
                                         src=d.operand(dtype, 128 * n, boxes(d, dtype, 16 * n)), repeat_times=d.integer(n)))


def with_offset(d, dtype, call):
    changed = d.processor != 'Ascend310' and 'set_rpn_offset' in d.allowed and d.chance(0.2)
    if changed:
        d.call('set_rpn_offset', offset=d.pick(0.0, 2.0, 0.5), offset_dtype=dtype)
    call()
    if changed:
        d.call('set_rpn_offset', offset=1.0, offset_dtype=dtype)


@family('set_rpn_offset')
def offset(d, method, _):
    areas(d, 'vrpac', 'float16')


@family('viou')
def overlaps(d, method, dtype):
    n = min(d.repeats(3), 3)
    with_offset(d, dtype, lambda: d.call(
        method, dst=d.operand(dtype, 256 * n), src0=d.operand(dtype, 128 * n, boxes(d, dtype, 16 * n)),
        src1=d.operand(dtype, 128, boxes(d, dtype, 16)), repeat_times=d.integer(n)))


@family('vaadd')
def outer_sum(d, method, dtype):
    n = min(d.repeats(3), 3)
    d.call(method, dst=d.operand(dtype, 256 * n), src0=d.operand(dtype, 16 * n), src1=d.operand(dtype, 16),
           repeat_times=d.integer(n))


@family('set_rpn_cor_ir', 'rpn_cor', 'rpn_cor_diag', 'mov_rpn_cor_ir_to_scalar')
def suppression(d, method, _):
    n, ir = d.between(1, 5), Handle('ir')
    strides = d.pick(1, 1, 0, 2), d.pick(1, 1, 0, 2)
    rows = [d.operand('uint16', ((n - 1) * s + 1) * 16) for s in strides]
    for t in rows:   # sparse rows, and entries that are mostly kept or mostly removed
        t.tensor.data &= d.rng.integers(0, 65536, len(t.tensor.data)).astype(np.uint16) & np.uint16(0x1151)
    d.call('set_rpn_cor_ir', number=d.pick(0, 0, d.between(0, 65535)), **{'->': ir})
    for _ in range(d.between(1, 2)):
        d.call('rpn_cor', src0=rows[0], src1=rows[1], src0_rep_stride=d.integer(strides[0]),
               src1_rep_stride=d.integer(strides[1]), repeat_times=d.integer(n), **{'->': ir})
    diagonal = d.operand('uint16', 16)
    diagonal.tensor.data &= np.uint16(0x2491)
    d.call('rpn_cor_diag', dst=d.operand('uint16', 16), src=diagonal, src_register=ir)
    if 'mov_rpn_cor_ir_to_scalar' in d.allowed and d.chance(0.5):
        d.call('mov_rpn_cor_ir_to_scalar', scalar=d.result('uint32'), rpn_cor_ir=ir)


# ---- Scalars -------------------------------------------------------------------------------------------------


@family('scalar_max', 'scalar_min')
def scalar_extreme(d, method, dtype):
    sources = [d.loaded(dtype, values.mixed(d.rng, dtype, 1)[0]) for _ in range(2)]
    if d.chance(0.3):
        sources[d.between(0, 1)] = values.finite_literal(d.rng, dtype)
    d.call(method, dst=d.result(dtype), src0=sources[0], src1=sources[1])


@family('scalar_abs', 'scalar_sqrt', 'scalar_countbit0', 'scalar_countbit1', 'scalar_countleading0')
def scalar_unary(d, method, dtype):
    d.call(method, dst=d.result(dtype), src=d.loaded(dtype, values.mixed(d.rng, dtype, 1)[0]))


@family('scalar_conv')
def scalar_conversion(d, method, operands):
    src_type, dst_type, mode = pair(operands)
    bits = values.mixed(d.rng, SHORT[src_type], 1)[0]
    d.call(method, round_mode=d.pick(*MODES[mode]), dst=d.result(SHORT[dst_type]), src=d.loaded(SHORT[src_type], bits))


# ---- slices --------------------------------------------------------------------------------------------------


def slice_shape(d, rank=None):
    """A shape; sometimes slices of it have steps, the same in all operands."""
    shape = tuple(d.between(1, 5) for _ in range((rank or d.between(1, 3)) - 1)) + (d.pick(16, d.between(1, 40), 64),)
    d.slice_steps = [d.between(1, 3) for _ in shape] if d.chance(0.2) else [1] * len(shape)
    return shape


def window(d, dtype, shape, steps=None):
    """A slice of this shape in a tensor that may be larger."""
    whole, index = [], []
    for n, step in zip(shape, steps or d.slice_steps):
        before, after = (d.between(0, 2), d.between(0, 2)) if d.chance(0.3) else (0, 0)
        span = (n - 1) * step + 1
        whole.append(before + span + after)
        index.append(slice(before, before + span, step))
    whole[-1] += -whole[-1] % (32 // SIZES[dtype])   # moves take whole blocks
    t = d.tensor(dtype, int(np.prod(whole)))
    t.shape = tuple(whole)
    return At(t, 0, tuple(whole), tuple(index))


def either(d, dtype, shape):
    """Two operands of which at most one is a scalar."""
    a, b = window(d, dtype, shape), window(d, dtype, shape)
    kind = d.rng.random()
    return (d.number(dtype), b) if kind < 0.15 else (a, d.number(dtype)) if kind < 0.3 else (a, b)


def in_place_or(d, dtype, shape, source):
    """A destination: sometimes the source itself."""
    return source if isinstance(source, At) and d.chance(0.2) else window(d, dtype, shape)


@family('h_add', 'h_sub', 'h_mul', 'h_div', 'h_max', 'h_min', 'h_and', 'h_or')
def slice_binary(d, method, dtype):
    shape = slice_shape(d)
    a, b = either(d, dtype, shape)
    d.call(method, dst=in_place_or(d, dtype, shape, a), src0=a, src1=b)


@family('h_abs', 'h_relu', 'h_not', 'h_exp', 'h_ln', 'h_rec', 'h_rsqrt', 'h_sin', 'h_cos')
def slice_unary(d, method, dtype):
    shape = slice_shape(d)
    a = window(d, dtype, shape)
    d.call(method, dst=in_place_or(d, dtype, shape, a), src=a)


@family('h_duplicate')
def slice_fill(d, method, dtype):
    d.call(method, dst=window(d, dtype, slice_shape(d)), src=d.number(dtype))


@family('h_cast', 'h_conv')
def slice_cast(d, method, operands):
    src_type, dst_type, mode = pair(operands)
    shape = slice_shape(d)
    d.call(method, dst=window(d, SHORT[dst_type], shape), src=window(d, SHORT[src_type], shape),
           round_mode=d.pick(*MODES[mode]))


@family('h_quant')
def slice_quant(d, method, operands):
    src_type, dst_type, _ = pair(operands)
    shape = slice_shape(d)
    if d.chance(0.2):   # more dimensions than the instruction has room for
        shape, d.slice_steps = tuple(d.between(1, 3) for _ in range(4)) + (d.between(1, 9),), [1] * 5
    factor = scale(d) if dst_type == 'f16' else packed_scale(d, SHORT[dst_type])
    d.call(method, dst=window(d, SHORT[dst_type], shape), src=window(d, SHORT[src_type], shape), deqscale=factor)


@family('h_cmpv', 'h_sel')
def slice_select(d, method, dtype):
    shape = slice_shape(d)
    a, b = either(d, dtype, shape)
    held = window(d, 'bool', shape)
    held.tensor.data &= np.uint8(1)
    held.tensor.moved = False
    d.call('h_cmpv', mask_tensor=held, src0=a, src1=b, cmp_mode=d.pick('LT', 'LE', 'GT', 'GE', 'EQ', 'NE'))
    c, e = either(d, dtype, shape)
    d.call('h_sel', dst=window(d, dtype, shape), src0=c, src1=e, mask_tensor=held)


@family('h_reduce_sum', 'h_reduce_max', 'h_reduce_min', 'h_reduce_argmax', 'h_reduce_argmin')
def slice_reduce(d, method, dtype):
    shape = tuple(max(n, 2) for n in slice_shape(d))   # a sum of one element has no addition
    to_type = 'int32' if 'arg' in method else dtype
    axis = d.pick(None, d.between(0, len(shape) - 1))
    left = [n for i, n in enumerate(shape) if i != axis] if axis is not None else []
    dst = window(d, to_type, left, [1] * len(left)) if left else d.result(to_type)
    d.call(method, dst=dst, src=window(d, dtype, shape), axis=axis)
