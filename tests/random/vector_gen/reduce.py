"""Instances of chapters 5 and 7: compare, select, reductions."""
import numpy as np

from vector_model.core import SIZES
from .draw import At, Handle, Lanes, covered, may_overlap
from .elementwise import Strided, family, place, strides

OPS = ('lt', 'gt', 'ge', 'eq', 'ne', 'le')
BIT_TYPES = ('uint8', 'uint16', 'uint32', 'uint64')


def bits_tensor(d, count):
    """A tensor of at least that many bits, of any type that may hold bits."""
    dtype = d.pick(*BIT_TYPES)
    return d.operand(dtype, -(-count // (8 * SIZES[dtype])))


def alike(d, a, b):
    """Makes some elements of two operands of one type equal, so that comparisons have all outcomes."""
    n = min(len(a.tensor.data), len(b.tensor.data))
    which = d.rng.random(n) < 0.3
    b.tensor.data[:n][which] = a.tensor.data[:n][which]


@family(*['vec_cmpv_' + op for op in OPS], *['vcmpv_' + op for op in OPS])
def compare(d, method, dtype):
    old = method.startswith('vcmpv')
    lanes = Lanes(d, 256 // SIZES[dtype])
    lanes.active = np.ones((lanes.n, lanes.lanes), bool)
    sources = [Strided(d, lanes, dtype, 0, True, old) for _ in range(2)]
    a, b = [d.operand(dtype, s.span) for s in sources]
    alike(d, a, b)
    given = strides(d, old, sources[0], sources, ('src0', 'src1'))
    d.call(method, dst=bits_tensor(d, lanes.n * lanes.lanes), src0=a, src1=b, repeat_times=lanes.repeat,
           **{k: v for k, v in given.items() if not k.startswith('dst')})


@family(*['vcmpvs_' + op for op in OPS])
def compare_scalar(d, method, dtype):
    lanes = Lanes(d, 256 // SIZES[dtype])
    lanes.active = np.ones((lanes.n, lanes.lanes), bool)
    src = Strided(d, lanes, dtype, 0, True, True)
    given = strides(d, True, src, [src], ('src',))
    d.call(method, dst=bits_tensor(d, lanes.n * lanes.lanes), src=d.operand(dtype, src.span), scalar=d.number(dtype),
           repeat_times=lanes.repeat, **{k: v for k, v in given.items() if not k.startswith('dst')})


@family(*['vcmp_' + op for op in OPS])
def compare_to_register(d, method, dtype):
    lanes = Lanes(d, 256 // SIZES[dtype], repeats=1)
    sources = [Strided(d, lanes, dtype, 0, True, True) for _ in range(2)]
    a, b = [d.operand(dtype, s.span) for s in sources]
    alike(d, a, b)
    m = Handle('m')
    d.call(method, mask=lanes.mask, src0=a, src1=b, src0_stride=d.integer(sources[0].block),
           src1_stride=d.integer(sources[1].block), **{'->': m})
    d.call('mov_cmpmask_to_tensor', dst=bits_tensor(d, 128), src_cmpmask=m)


@family('mov_tensor_to_cmpmask', 'mov_cmpmask_to_tensor')
def mask_moves(d, method, _):
    m = Handle('m')
    d.call('mov_tensor_to_cmpmask', src=bits_tensor(d, 128), **{'->': m})
    d.call('mov_cmpmask_to_tensor', dst=bits_tensor(d, 128), src_cmpmask=m)


@family('set_scalar_to_cmpmask')
def mask_word(d, method, _):
    m = Handle('m')
    d.call('mov_tensor_to_cmpmask', src=bits_tensor(d, 128), **{'->': m})
    word = d.between(0, 2**63 - 1) * 2 + d.between(0, 1)
    given = d.pick(word, word - 2**64 if word >= 2**63 else word, d.loaded('uint64', word),
                   d.loaded('int32', word & 0xffffffff))
    d.call(method, scalar=given, **{'->': m})
    d.call('mov_cmpmask_to_tensor', dst=bits_tensor(d, 128), src_cmpmask=m)


@family('vsel', 'vec_sel')
def select(d, method, dtype):
    old = method == 'vsel'
    lanes = Lanes(d, 256 // SIZES[dtype])
    modes = (0,) if d.profile == 'v100' else (1, 2) if SIZES[dtype] == 1 else (0, 1, 2)
    mode = d.pick(*modes)
    dst = Strided(d, lanes, dtype, 0, False, old)
    if dst.block == 0:
        dst.block = 1
        dst.find()
    sources = [Strided(d, lanes, dtype, 0, True, old) for _ in range(2)]
    to, (a, b) = place(d, dst, sources[:1] if mode == 1 else sources) if mode != 1 else one_source(d, dst, sources)
    sel = bits_tensor(d, 128 if mode == 0 else lanes.n * lanes.lanes)
    if mode == 0 and old:
        m = Handle('m')
        d.call('mov_tensor_to_cmpmask', src=sel, **{'->': m})
        sel = m
    given = strides(d, old, dst, sources, ('src0', 'src1'))
    d.call(method, mask=lanes.mask, mode=mode, dst=to, sel=sel, src0=a, src1=b, repeat_times=lanes.repeat, **given)


def one_source(d, dst, sources):
    rest = sources[:1]
    to, (a,) = place(d, dst, rest)
    sources[0] = rest[0]
    return to, (a, d.number(dst.dtype))


# ---- reductions ------------------------------------------------------------------------------------------------


def unit_of(method, lanes):
    """Elements that a destination repeat stride of 1 stands for, and elements written per repeat."""
    if 'cpadd' in method:
        return lanes // 2, lanes // 2
    if 'vcg' in method:
        return 8, 8
    return (1, 1) if method == 'vcadd' else (2, 2)


@family('vcadd', 'vcmax', 'vcmin', 'vcgadd', 'vcgmax', 'vcgmin', 'vcpadd', 'vec_cpadd')
def per_repeat(d, method, dtype):
    old = not method.startswith('vec_')
    lanes = Lanes(d, 256 // SIZES[dtype])
    stride_unit = d.unit(lanes.n) if old else 0
    src = Strided(d, lanes, dtype, stride_unit, True, old)
    unit, count = unit_of(method, lanes.lanes)
    dst_rep = d.pick(1, 1, 2, 0 if d.processor != 'Ascend910A' else 1, d.between(1, 20))
    span = (lanes.n - 1) * dst_rep * unit + count
    more = {'=stride_unit': stride_unit} if stride_unit else {}
    if method in ('vcmax', 'vcmin') and d.profile != 'v100':
        more.update(indexes(d, method, dtype))
    given = {'src_blk_stride': d.integer(src.block)} if old else {}
    runs = [(r * dst_rep * unit, r * dst_rep * unit + count) for r in range(lanes.n)]
    to, of = in_source(d, method, src, runs) if d.chance(0.2) else (None, None)
    d.call(method, mask=lanes.mask, dst=to or small_start(d, method, dtype, span),
           src=of or d.operand(dtype, src.span), repeat_times=lanes.repeat, dst_rep_stride=d.integer(dst_rep), **given,
           src_rep_stride=d.integer(src.repeat), **more)


def start_step(method, dtype):
    """Elements between the places where a destination may start."""
    step = {'vcadd': 1, 'vcmax': 4, 'vcmin': 4}.get(method, 16 if 'vcg' in method else 32)
    return max(step // SIZES[dtype], 1)


def in_source(d, method, src, runs):
    """A destination and a source in one tensor, if the rules of overlap allow the place that is drawn."""
    size, step = SIZES[src.dtype], start_step(method, src.dtype)
    start = d.between(0, (src.span + 32) // step) * step if d.chance(0.7) else 0
    written = [set(range((start + a) * size, (start + b) * size)) for a, b in runs]
    if not may_overlap(written, covered(src.lanes, src.at, size, 0), start == 0):
        return None, None
    t = d.tensor(src.dtype, max(src.span, start + max(b for _, b in runs)))
    return At(t, start), At(t)


def small_start(d, method, dtype, span):
    """A destination that starts where the small alignment of the method still allows it."""
    skip = d.between(0, 5) * start_step(method, dtype) if d.chance(0.3) else 0
    return At(d.tensor(dtype, skip + span), skip)


def indexes(d, method, dtype):
    out = {}
    if d.chance(0.4):
        out['=index_low'] = d.chance(0.5)
    if d.chance(0.3) and d.profile in ('v200', 'v220'):
        name = '=max_cnt_index' if method == 'vcmax' else '=min_cnt_index'
        rest = ['uint32', 'uint32'] if d.profile == 'v220' else []
        out[name] = [d.result(t) for t in [dtype] + rest]
    return out


@family('vec_reduce_add', 'vec_reduce_max', 'vec_reduce_min')
def whole(d, method, dtype):
    many = 140 if d.chance(0.03) else 6
    lanes = Lanes(d, 256 // SIZES[dtype], repeats=d.repeats(many))
    src = Strided(d, lanes, dtype, 0, True, False)
    more, room = {}, 1
    if method != 'vec_reduce_add' and d.chance(0.6):
        more['cal_index'], room = True, 2
    epr, be = lanes.lanes, 32 // SIZES[dtype]
    work = 2 * lanes.n + 4 * epr + 8 * be
    d.call(method, mask=lanes.mask, dst=d.operand(dtype, room), src=d.operand(dtype, src.span),
           work_tensor=At(d.tensor(dtype, work, moved=False)), repeat_times=lanes.repeat,
           src_rep_stride=d.integer(src.repeat), **more)
