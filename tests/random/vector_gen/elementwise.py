"""Instances of chapters 2, 3, 4, 10 and 11: one result per lane."""
import re

import numpy as np

from vector_model.core import SIZES
from . import values
from .draw import FAMILIES, SHORT, At, Lanes, covered, may_overlap, types

ACCUMULATING = ('add', 'sub', 'mul', 'max', 'min', 'and', 'or')


def family(*methods):
    def register(f):
        for m in methods:
            FAMILIES[m] = f
        return f
    return register


class Strided:
    """An operand: where its lanes are, before it has a tensor."""

    def __init__(self, d, lanes, dtype, unit, source, old, like=None):
        self.d, self.lanes, self.dtype, self.unit = d, lanes, dtype, unit
        if like:
            self.block, self.repeat = like.block, like.repeat
        else:
            self.block, self.repeat = d.blocks(SIZES[dtype], lanes.lanes, lanes.n, unit, source)
            if not old:
                self.block = 1
        self.find()

    def find(self, source_block=None):
        self.at = self.lanes.at(SIZES[self.dtype], self.block if source_block is None else source_block, self.repeat,
                                self.unit)
        self.span = self.lanes.span(self.at)


def destination(d, lanes, dtype, unit, old, keep_zero=False):
    s = Strided(d, lanes, dtype, unit, False, old)
    if s.block == 0 and unit < 2 and not keep_zero:
        s.find(1)
    return s


def in_place(d, dst, src):
    """Tries to put src into the tensor of dst; None when the rules of overlap are against it."""
    kind = d.rng.random()
    shift = 0
    if kind < 0.25:
        shift = d.between(-4, 4) * (32 // SIZES[src.dtype])
    if src.dtype != dst.dtype:
        return None
    low = max(-shift, 0)
    room = max(low + dst.span, low + shift + src.span)
    d_bytes = covered(dst.lanes, dst.at, SIZES[dst.dtype], low * SIZES[dst.dtype])
    s_bytes = covered(src.lanes, src.at, SIZES[src.dtype], (low + shift) * SIZES[src.dtype])
    same = shift == 0 and dst.block == src.block != 0   # a destination's 0 may act as 1
    if not may_overlap(d_bytes, s_bytes, same):
        return None
    t = d.tensor(dst.dtype, room)
    return At(t, low), At(t, low + shift)


def place(d, dst, sources):
    """Tensors for a destination and its sources: mostly their own, sometimes one for the destination and a source."""
    for k in d.rng.permutation(len(sources)):
        if not d.chance(0.3):
            continue
        if d.chance(0.7):   # full overlap, the common form
            sources[k] = Strided(d, dst.lanes, sources[k].dtype, dst.unit, True, True, like=dst)
            if dst.block == 0 and dst.unit < 2:
                continue
        both = in_place(d, dst, sources[k])
        if both:
            rest = [d.operand(s.dtype, s.span) if i != k else both[1] for i, s in enumerate(sources)]
            return both[0], rest
    return d.operand(dst.dtype, dst.span), [d.operand(s.dtype, s.span) for s in sources]


def accumulate(d, lanes, dst, sources):
    """dst and src1 are one place that every repeat adds to."""
    for s in (dst, sources[1]):
        s.block, s.repeat = 1, 0
        s.find()
    to = d.operand(dst.dtype, dst.span)
    return to, [d.operand(sources[0].dtype, sources[0].span), to]


def tail(d, unit, mode='normal', **more):
    """The optional parameters after the strides."""
    out = {}
    if unit or d.chance(0.2):
        out['=stride_unit'] = unit
    out.update({'=' + k: v for k, v in more.items()})
    if mode == 'counter':
        out['=mask_mode'] = 'counter'
    return out


def strides(d, old, dst, sources, names):
    out = {}
    if old:
        out['dst_blk_stride'] = d.integer(dst.block)
        out.update({f'{n}_blk_stride': d.integer(s.block) for n, s in zip(names, sources)})
    out['dst_rep_stride'] = d.integer(dst.repeat)
    out.update({f'{n}_rep_stride': d.integer(s.repeat) for n, s in zip(names, sources)})
    return out


@family('vadd', 'vsub', 'vmul', 'vdiv', 'vmax', 'vmin', 'vand', 'vor', 'vaddrelu', 'vsubrelu', 'vec_add', 'vec_sub',
        'vec_mul', 'vec_max', 'vec_min', 'vec_and', 'vec_or')
def binary(d, method, dtype):
    old = not method.startswith('vec_')
    lanes = Lanes(d, 256 // SIZES[dtype])
    unit = d.unit(lanes.n) if old else 0
    dst = destination(d, lanes, dtype, unit, old, keep_zero=True)
    sources = [Strided(d, lanes, dtype, unit, True, old) for _ in range(2)]
    op = re.sub('^(vec_|v)', '', method)
    if (op in ACCUMULATING and dtype in ('float16', 'float32', 'int32') and lanes.n > 1 and unit == 0
            and d.chance(0.15)):
        to, (a, b) = accumulate(d, lanes, dst, sources)
    else:
        to, (a, b) = place(d, dst, sources)
        if d.chance(0.05):
            b, sources[1] = a, sources[0]
    d.call(method, mask=lanes.mask, dst=to, src0=a, src1=b, repeat_times=lanes.repeat,
           **strides(d, old, dst, sources, ('src0', 'src1')), **(tail(d, unit) if old else {}))


@family('vmla', 'vmadd', 'vmaddrelu', 'vmulconv')
def ternary(d, method, operands):
    three = [SHORT[x] for x in re.findall(r'f16|f32|u8|s8', operands)]
    to_type, a_type, b_type = three if len(three) == 3 else [operands] * 3
    lanes = Lanes(d, 256 // max(SIZES[to_type], SIZES[a_type]))
    unit = d.unit(lanes.n) if to_type == a_type else 0
    dst = destination(d, lanes, to_type, unit, True, keep_zero=True)
    sources = [Strided(d, lanes, t, unit, True, True) for t in (a_type, b_type)]
    if to_type == a_type:
        to, (a, b) = place(d, dst, sources)
    else:
        to, a, b = [d.operand(s.dtype, s.span) for s in [dst] + sources]
    d.call(method, mask=lanes.mask, dst=to, src0=a, src1=b, repeat_times=lanes.repeat,
           **strides(d, True, dst, sources, ('src0', 'src1')), **tail(d, unit))


@family('vadddeqrelu')
def add_scaled(d, method, operands):
    lanes = Lanes(d, 64)
    dst = destination(d, lanes, 'float16', 0, True, keep_zero=True)
    sources = [Strided(d, lanes, 'int32', 0, True, True) for _ in range(2)]
    to, a, b = [d.operand(s.dtype, s.span) for s in [dst] + sources]
    d.call(method, mask=lanes.mask, dst=to, deqscale=scale(d), src0=a, src1=b, repeat_times=lanes.repeat,
           **strides(d, True, dst, sources, ('src0', 'src1')))


def scale(d):
    """A finite float16 scale."""
    bits = int(values.ordinary(d.rng, 'float16', 1)[0])
    if d.chance(0.5):
        return d.loaded('float16', bits)
    return float(np.array([bits], np.uint16).view(np.float16)[0])


@family('vaxpy', 'vec_axpy')
def axpy(d, method, operands):
    to_type, a_type = [SHORT[x] for x in re.findall(r'f16|f32', operands)][:2]
    old = method == 'vaxpy'
    lanes = Lanes(d, 256 // max(SIZES[to_type], SIZES[a_type]))
    unit = d.unit(lanes.n) if old and to_type == a_type else 0
    dst = destination(d, lanes, to_type, unit, old)
    sources = [Strided(d, lanes, a_type, unit, True, old)]
    to, (a,) = place(d, dst, sources) if to_type == a_type else (
        d.operand(to_type, dst.span), [d.operand(a_type, sources[0].span)])
    d.call(method, mask=lanes.mask, dst=to, src=a, scalar=d.number(a_type), repeat_times=lanes.repeat,
           **strides(d, old, dst, sources, ('src',)), **(tail(d, unit) if old else {}))


@family('vadds', 'vmuls', 'vmaxs', 'vmins', 'vlrelu', 'vec_adds', 'vec_muls', 'vshl', 'vshr')
def vector_scalar(d, method, dtype):
    old = not method.startswith('vec_')
    lanes = Lanes(d, 256 // SIZES[dtype], counter=True)
    unit = d.unit(lanes.n) if old else 0
    dst = destination(d, lanes, dtype, unit, old)
    sources = [Strided(d, lanes, dtype, unit, True, old)]
    to, (a,) = place(d, dst, sources)
    more, scalar = {}, None
    if method in ('vshl', 'vshr'):
        n = d.between(0, 8 * SIZES[dtype])
        scalar = d.loaded(dtype, n) if d.chance(0.3) else n
        if method == 'vshr' and dtype[0] == 'i' and d.chance(0.5):
            more['round_en'] = True
    else:
        scalar = d.number(dtype)
    optional = tail(d, unit, lanes.mode, **more) if old else tail_of_new(lanes)
    d.call(method, mask=lanes.mask, dst=to, src=a, scalar=scalar, repeat_times=lanes.repeat,
           **strides(d, old, dst, sources, ('src',)), **optional)


def tail_of_new(lanes):
    return {'=mask_mode': 'counter'} if lanes.mode == 'counter' else {}


@family('vabs', 'vrelu', 'vnot', 'vexp', 'vln', 'vsqrt', 'vrec', 'vrsqrt', 'vec_abs', 'vec_relu', 'vec_not', 'vec_exp',
        'vec_ln', 'vec_rec', 'vec_rsqrt')
def unary(d, method, dtype):
    old = not method.startswith('vec_')
    lanes = Lanes(d, 256 // SIZES[dtype])
    unit = d.unit(lanes.n) if old else 0
    dst = destination(d, lanes, dtype, unit, old)
    sources = [Strided(d, lanes, dtype, unit, True, old)]
    to, (a,) = place(d, dst, sources)
    d.call(method, mask=lanes.mask, dst=to, src=a, repeat_times=lanes.repeat,
           **strides(d, old, dst, sources, ('src',)), **(tail(d, unit) if old else {}))


@family('vec_rec_high_preci', 'vec_rsqrt_high_preci', 'vec_ln_high_preci', 'vec_expm1_high_preci')
def precise(d, method, dtype):
    lanes = Lanes(d, 256 // SIZES[dtype])
    dst, src = destination(d, lanes, dtype, 0, False), Strided(d, lanes, dtype, 0, True, False)
    if src.span > 4000:   # the work tensor is up to 24 times as large
        src.repeat = 0
        src.find()
    to, a = d.operand(dtype, dst.span), d.operand(dtype, src.span)
    whole = -(-src.span // (32 // SIZES[dtype])) * (32 // SIZES[dtype])
    work_type = 'float32' if 'rec_' in method or 'rsqrt' in method else 'float16'
    work = d.tensor(work_type, (6 if work_type == 'float32' else 11) * whole + 16, moved=False)
    d.call(method, mask=lanes.mask, dst=to, src=a, work_tensor=At(work), repeat_times=lanes.repeat,
           **strides(d, False, dst, [src], ('src',)))


# ---- conversions ---------------------------------------------------------------------------------------------

MODES = {'': ('', 'none'), 'r': ('round',), 'f': ('floor',), 'c': ('ceil', 'ceiling'), 'a': ('away-zero',),
         'z': ('to-zero',), 'o': ('odd',)}


def pair(operands):
    """Source, destination and rounding mode letter of 'f322s16r'."""
    m = re.fullmatch(r'(bf16|[usf](?:8|16|32|64))2(bf16|[usf](?:4|8|16|32|64))([rfcazo]?)', operands)
    return m.groups()


@family('vconv', 'vec_conv')
def conversion(d, method, operands):
    src_type, dst_type, mode = pair(operands)
    src_type, dst_type = SHORT[src_type], SHORT[dst_type]
    old = method == 'vconv'
    packed = src_type == 'int16' and SIZES[dst_type] == 1
    lanes = Lanes(d, 256 // max(SIZES[src_type], SIZES[dst_type]))
    unit = d.unit(lanes.n) if old and src_type != dst_type and not packed else 0
    dst = destination(d, lanes, 'int16' if packed else dst_type, unit, old)
    src = Strided(d, lanes, src_type, unit, True, old)
    room = (-(-dst.span // 16)) * 32 if packed else dst.span
    sources = [src]
    if src_type == dst_type:
        to, (a,) = place(d, dst, sources)
    else:
        to, a = d.operand(dst_type, room), d.operand(src_type, src.span)
    more = {}
    if src_type == 'int32' and dst_type == 'float16':
        more['=deqscale'] = scale(d)
    if packed:
        more['=deqscale'] = packed_scale(d, dst_type)
        if d.chance(0.5):
            more['=ldst_high_half'] = d.chance(0.5)
    with_modes(d, dst_type, src_type, lambda: d.call(
        method, mask=lanes.mask, round_mode=d.pick(*MODES[mode]), dst=to, src=a, repeat_times=lanes.repeat,
        **strides(d, old, dst, sources, ('src',)), **more, **({'=stride_unit': unit} if unit else {})))


@family('scatter_vconv')
def scattered(d, method, operands):
    src_type, dst_type, mode = pair(operands)
    src_type, dst_type = SHORT[src_type], SHORT[dst_type]
    entries, n = d.between(1, 8), d.between(1, 5)
    per = 32 // max(SIZES[src_type], SIZES[dst_type])
    lists = []
    for dtype in (dst_type, src_type):
        rep, be = d.pick(1, 2, d.between(0, 9)), 32 // SIZES[dtype]
        starts = d.rng.permutation(entries * 2)[:entries] * d.pick(1, 3)
        base = d.operand(dtype, (int(starts.max()) + (n - 1) * rep + 1) * be)
        lists.append(([At(base.tensor, base.element + int(s) * be) for s in starts], rep))
    more = {'=ldst_high_half': d.chance(0.5)} if d.chance(0.7) else {}
    d.call(method, mask=d.integer(d.between(1, entries * per)), round_mode=d.pick(*MODES[mode]), dst_list=lists[0][0],
           src_list=lists[1][0], repeat_times=d.integer(n), dst_rep_stride=d.integer(lists[0][1]),
           src_rep_stride=d.integer(lists[1][1]), **more)


def with_modes(d, dst_type, src_type, call):
    """Now and then in the other mode of overflow, which is set back after the call."""
    setter = None
    if d.chance(0.2):
        if dst_type in ('float16', 'bfloat16') and src_type == 'float32':
            setter = 'set_fp2fp_mode'
        elif dst_type not in values.FLOATS and not (src_type == 'int16' and SIZES[dst_type] == 1):
            setter = 'set_fp2int_mode'
    if setter not in d.allowed or not types(setter, d.processor):
        setter = None
    if setter:
        d.call(setter, mode=1)
    call()
    if setter:
        d.call(setter, mode=0)


@family('set_fp2int_mode', 'set_fp2fp_mode')
def mode(d, method, _):
    to, kind = ('uint8', 'float16') if method == 'set_fp2int_mode' else ('float16', 'float32')
    a, b = d.operand(to, 64), d.operand(kind, 64)
    d.call(method, mode=1)
    d.call('vec_conv', mask=64, round_mode='', dst=a, src=b, repeat_times=1, dst_rep_stride=8, src_rep_stride=8)
    d.call(method, mode=0)


def packed_scale(d, dst_type):
    factor = np.array([d.pick(1.0, 0.5, 0.7531, -0.25, 3.0, float(d.rng.standard_normal()))], np.float32)
    offset = d.between(-256, 255)
    signed = int(dst_type == 'int8')
    bits = int(factor.view(np.uint32)[0]) | (offset & 0x1ff) << 37 | signed << 46
    kind = d.rng.random()
    if kind < 0.4:
        return [float(factor[0]), offset]
    if kind < 0.6:
        return bits
    if kind < 0.8:
        return d.loaded('uint64', bits)
    factors = d.rng.standard_normal(16).astype(np.float32).view(np.uint32).astype(np.uint64)
    offsets = d.rng.integers(0, 512, 16).astype(np.uint64)
    return At(d.tensor('uint64', 16, factors | offsets << np.uint64(37) | np.uint64(signed << 46)))


@family('vcbd')
def bit_depth(d, method, operands):
    src_type, dst_type, _ = pair(operands)
    src_type, dst_type = SHORT[src_type], SHORT[dst_type]
    lanes = Lanes(d, 256 // max(SIZES[src_type], SIZES[dst_type]), counter=True)
    dst, src = destination(d, lanes, dst_type, 0, True), Strided(d, lanes, src_type, 0, True, True)
    to, a = d.operand(dst_type, dst.span), d.operand(src_type, src.span)
    with_modes(d, dst_type, src_type, lambda: d.call(
        method, mask=lanes.mask, dst=to, src=a, repeat_times=lanes.repeat, **strides(d, True, dst, [src], ('src',)),
        **tail_of_new(lanes)))


# ---- fills ---------------------------------------------------------------------------------------------------


@family('vector_dup', 'vec_dup')
def fill(d, method, dtype):
    old = method == 'vector_dup'
    lanes = Lanes(d, 256 // SIZES[dtype], most=8)
    unit = d.unit(lanes.n) if old else 0
    dst = destination(d, lanes, dtype, unit, old)
    d.call(method, mask=lanes.mask, dst=d.operand(dtype, dst.span), scalar=d.number(dtype), repeat_times=lanes.repeat,
           **strides(d, old, dst, [], ()), **(tail(d, unit) if old else {}))


@family('vci')
def count(d, method, dtype):
    lanes = Lanes(d, 256 // SIZES[dtype], counter=True)
    dst = destination(d, lanes, dtype, 0, True)
    d.call(method, mask=lanes.mask, dst_index=d.operand(dtype, dst.span), start_point=d.number(dtype),
           repeat_times=lanes.repeat, **strides(d, True, dst, [], ()), **tail_of_new(lanes))


def one_type(operands):
    """'f16f16' and 'float16' alike."""
    return SHORT.get(operands[:len(operands) // 2], operands)


@family('vbcb')
def broadcast(d, method, operands):
    dtype = one_type(operands)
    lanes = Lanes(d, 256 // SIZES[dtype])
    lanes.active = np.ones((lanes.n, lanes.lanes), bool)
    dst = destination(d, lanes, dtype, 0, True)
    d.call(method, dst=d.operand(dtype, dst.span), src=d.operand(dtype, 8 * lanes.n), repeat_times=lanes.repeat,
           **strides(d, True, dst, [], ()))


@family('vcopy')
def copy(d, method, dtype):
    lanes = Lanes(d, 256 // SIZES[dtype])
    dst = destination(d, lanes, dtype, 0, True)
    sources = [Strided(d, lanes, dtype, 0, True, True)]
    to, (a,) = place(d, dst, sources)
    if d.chance(0.25):
        return long_copy(d, method, dtype)
    d.call(method, mask=lanes.mask, dst=to, src=a, repeat_times=lanes.repeat, **strides(d, True, dst, sources, ('src',)))


def long_copy(d, method, dtype):
    """Counter mode: that many elements in every repeat, which may be longer than eight blocks."""
    be = 32 // SIZES[dtype]
    d.tensors.clear()
    d.registers.clear()
    n, repeats = d.between(1, 600), d.between(1, 4)
    blocks = -(-n // be)
    dst_rep, src_rep = blocks + d.between(0, 3), blocks + d.between(0, 3)
    rows = (repeats - 1) * max(dst_rep, src_rep) + blocks
    d.call(method, mask=d.integer(n), dst=d.operand(dtype, rows * be), src=d.operand(dtype, rows * be),
           repeat_times=repeats, dst_blk_stride=1, src_blk_stride=1, dst_rep_stride=dst_rep, src_rep_stride=src_rep,
           **{'=mask_mode': 'counter'})


@family('vpadding')
def padding(d, method, dtype):
    lanes = Lanes(d, 256 // SIZES[dtype], counter=True)
    dst, src = destination(d, lanes, dtype, 0, True), Strided(d, lanes, dtype, 0, True, True)
    whole = int(src.at.max()) + 1
    d.call(method, mask=lanes.mask, pad_mode=d.between(0, 2), pad_side=d.pick('left', 'right'),
           dst=d.operand(dtype, dst.span), src=d.operand(dtype, whole), repeat_times=lanes.repeat,
           **strides(d, True, dst, [src], ('src',)), **tail_of_new(lanes))
