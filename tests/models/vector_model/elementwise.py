"""Chapters 2 and 11: elementwise arithmetic, in both spellings."""
import math
import struct
from fractions import Fraction

import numpy as np

from . import numbers as num
from .core import UINT, SIZES, active_lanes, integer, lane_index, lanes_of, number_bits, to_numbers

METHODS = {}


def block(stride, unit):
    """A destination block stride of 0 acts as 1 where strides are start to start."""
    return 1 if stride == 0 and unit < 2 else stride


def run(m, mask, dst, sources, repeat, blocks, repeats, unit, f, mode='normal', keep_zero=False, lanes=None):
    """blocks and repeats: strides of dst, then of each source."""
    lanes = lanes or lanes_of(dst, *sources)
    active = active_lanes(mask, lanes, repeat, mode)
    blocks = [integer(b) for b in blocks]
    if not (keep_zero and m.choices.binary_block_zero):
        blocks[0] = block(blocks[0], unit)
    at = [lane_index(v.size, lanes, b, integer(r), unit, len(active))
          for v, b, r in zip([dst] + list(sources), blocks, repeats)]
    m.lanewise(active, dst, at[0], list(zip(sources, at[1:])), f)


# ---- binary ------------------------------------------------------------------------------------------------


def binary_value(op):
    def value(m, dst, a, b):
        t = dst.dtype
        if op in ('max', 'min'):
            return num.extreme(op, a, b, t)
        if op == 'and':
            return a & b
        if op == 'or':
            return a | b
        if op.endswith('relu'):
            return num.relu(num.arithmetic(m, op[:3], a, b, t), t)
        return num.arithmetic(m, op, a, b, t)
    return value


def define_binary(op, value):
    def old(m, mask, dst, src0, src1, repeat_times, dst_blk_stride, src0_blk_stride, src1_blk_stride, dst_rep_stride,
            src0_rep_stride, src1_rep_stride, stride_unit=0):
        run(m, mask, dst, [src0, src1], repeat_times, [dst_blk_stride, src0_blk_stride, src1_blk_stride],
            [dst_rep_stride, src0_rep_stride, src1_rep_stride], stride_unit, lambda a, b: value(m, dst, a, b),
            keep_zero=True)

    def new(m, mask, dst, src0, src1, repeat_times, dst_rep_stride, src0_rep_stride, src1_rep_stride):
        old(m, mask, dst, src0, src1, repeat_times, 1, 1, 1, dst_rep_stride, src0_rep_stride, src1_rep_stride)

    METHODS['v' + op] = old
    if op in ('add', 'sub', 'mul', 'max', 'min', 'and', 'or'):
        METHODS['vec_' + op] = new


for _op in ('add', 'sub', 'mul', 'div', 'max', 'min', 'and', 'or', 'addrelu', 'subrelu'):
    define_binary(_op, binary_value(_op))


# ---- ternary: dst is read too --------------------------------------------------------------------------------


def rounded_once(m, x, y, z, dtype):
    """x * y + z with one rounding, in fractions."""
    out = []
    for a, b, c in zip(*(num.floats(v, dtype).astype(np.float64).tolist() for v in (x, y, z))):
        near = a * b + c   # the product is exact
        if math.isfinite(a) and math.isfinite(b) and math.isfinite(c):
            exact = Fraction(a) * Fraction(b) + Fraction(c)
            if exact:   # a double rounded to odd, whose rounding is the only one
                near = float(exact)
                bits = struct.unpack('<q', struct.pack('<d', near))[0]
                if Fraction(near) != exact:
                    bits = (bits - (abs(Fraction(near)) > abs(exact))) | 1
                near = struct.unpack('<d', struct.pack('<q', bits))[0]
        out.append(near)
    return num.from_values(m, np.array(out, np.float64), dtype)


def fused(m, x, y, z, dtype):
    """round(x * y) + z, rounded again."""
    if m.choices.fused_once:
        return rounded_once(m, x, y, z, dtype)
    return num.arithmetic(m, 'add', num.arithmetic(m, 'mul', x, y, dtype), z, dtype)


def multiply_add(m, x, y, z, narrow, wide):
    """As fused; narrow factors have an exact product in the wide type, which is rounded at the sum only."""
    if narrow == wide:
        return fused(m, x, y, z, wide)
    product = num.floats(x, narrow) * num.floats(y, narrow)
    return num.from_values(m, product + num.floats(z, wide), wide)


def define_ternary(name, value):
    def method(m, mask, dst, src0, src1, repeat_times, dst_blk_stride, src0_blk_stride, src1_blk_stride, dst_rep_stride,
               src0_rep_stride, src1_rep_stride, stride_unit=0):
        run(m, mask, dst, [src0, src1, dst], repeat_times,
            [dst_blk_stride, src0_blk_stride, src1_blk_stride, dst_blk_stride],
            [dst_rep_stride, src0_rep_stride, src1_rep_stride, dst_rep_stride], stride_unit,
            lambda a, b, d: value(m, dst, src0, a, b, d), keep_zero=True)
    METHODS[name] = method


define_ternary('vmla', lambda m, dst, src, a, b, d: multiply_add(m, a, b, d, src.dtype, dst.dtype))
define_ternary('vmadd', lambda m, dst, src, a, b, d: fused(m, a, d, b, dst.dtype))
define_ternary('vmaddrelu', lambda m, dst, src, a, b, d: num.relu(fused(m, a, d, b, dst.dtype), dst.dtype))


def vaxpy(m, mask, dst, src, scalar, repeat_times, dst_blk_stride, src_blk_stride, dst_rep_stride, src_rep_stride,
          stride_unit=0):
    s = UINT[src.size](number_bits(scalar, src.dtype))
    dst_blk_stride = block(integer(dst_blk_stride), stride_unit)   # dst is read where it is written
    run(m, mask, dst, [src, dst], repeat_times, [dst_blk_stride, src_blk_stride, dst_blk_stride],
        [dst_rep_stride, src_rep_stride, dst_rep_stride], stride_unit,
        lambda a, d: multiply_add(m, np.full_like(a, s), a, d, src.dtype, dst.dtype))


def vec_axpy(m, mask, dst, src, scalar, repeat_times, dst_rep_stride, src_rep_stride):
    vaxpy(m, mask, dst, src, scalar, repeat_times, 1, 1, dst_rep_stride, src_rep_stride)


METHODS.update(vaxpy=vaxpy, vec_axpy=vec_axpy)


def vmulconv(m, mask, dst, src0, src1, repeat_times, dst_blk_stride, src0_blk_stride, src1_blk_stride, dst_rep_stride,
             src0_rep_stride, src1_rep_stride, stride_unit=0):
    lo, hi = num.limits(dst.dtype)

    def value(a, b):
        x = to_numbers(num.arithmetic(m, 'mul', a, b, 'float16'), 'float16').astype(np.float64)
        x = np.clip(np.rint(np.where(np.isnan(x), 0, x)), lo, hi)
        return x.astype(np.int64).astype(np.uint8)
    run(m, mask, dst, [src0, src1], repeat_times, [dst_blk_stride, src0_blk_stride, src1_blk_stride],
        [dst_rep_stride, src0_rep_stride, src1_rep_stride], stride_unit, value, keep_zero=True)


def vadddeqrelu(m, mask, dst, deqscale, src0, src1, repeat_times, dst_blk_stride, src0_blk_stride, src1_blk_stride,
                dst_rep_stride, src0_rep_stride, src1_rep_stride, stride_unit=0):
    scale = np.array([number_bits(deqscale, 'float16')], np.uint16).view(np.float16).astype(np.float64)

    def value(a, b):
        x = (a + b).view(np.int32).astype(np.float64) * scale   # exact: 32 and 11 significant bits
        x = np.where(np.isnan(x), 0.0, np.clip(x, -num.F16_MAX, num.F16_MAX))
        return num.relu(x.astype(np.float16).view(np.uint16), 'float16')
    run(m, mask, dst, [src0, src1], repeat_times, [dst_blk_stride, src0_blk_stride, src1_blk_stride],
        [dst_rep_stride, src0_rep_stride, src1_rep_stride], stride_unit, value, keep_zero=True)


METHODS.update(vmulconv=vmulconv, vadddeqrelu=vadddeqrelu)


# ---- vector and scalar ---------------------------------------------------------------------------------------


def leaky(m, a, s, dtype):
    x = to_numbers(a, dtype)
    scaled = num.arithmetic(m, 'mul', a, s, dtype)
    return np.where(x >= 0, a, scaled)   # a NaN is not >= 0, and its product is the quiet NaN


SCALAR = {
    'adds': lambda m, a, s, t: num.arithmetic(m, 'add', a, s, t),
    'muls': lambda m, a, s, t: num.arithmetic(m, 'mul', a, s, t),
    'maxs': lambda m, a, s, t: num.extreme('max', a, s, t),
    'mins': lambda m, a, s, t: num.extreme('min', a, s, t),
    'lrelu': leaky,
}


def define_scalar(name, value):
    def old(m, mask, dst, src, scalar, repeat_times, dst_blk_stride, src_blk_stride, dst_rep_stride, src_rep_stride,
            stride_unit=0, mask_mode='normal'):
        s = UINT[src.size](number_bits(scalar, src.dtype))
        run(m, mask, dst, [src], repeat_times, [dst_blk_stride, src_blk_stride], [dst_rep_stride, src_rep_stride],
            stride_unit, lambda a: value(m, a, np.full_like(a, s), dst.dtype), mask_mode)

    def new(m, mask, dst, src, scalar, repeat_times, dst_rep_stride, src_rep_stride, mask_mode='normal'):
        old(m, mask, dst, src, scalar, repeat_times, 1, 1, dst_rep_stride, src_rep_stride, 0, mask_mode)

    METHODS['v' + name] = old
    if name in ('adds', 'muls'):
        METHODS['vec_' + name] = new


for _name, _value in SCALAR.items():
    define_scalar(_name, _value)


# ---- shifts --------------------------------------------------------------------------------------------------


def shift(dtype, bits, f):
    """f on the values as unbounded integers, wrapped to the type."""
    mask = 2**(8 * SIZES[dtype]) - 1
    return np.array([f(int(x)) & mask for x in to_numbers(bits, dtype)], bits.dtype)


def shift_left(m, bits, n, dtype):
    sign = 2**(8 * SIZES[dtype] - 1)
    if dtype[0] == 'u' or not m.choices.shl_keeps_sign:
        return shift(dtype, bits, lambda x: x << n)
    return shift(dtype, bits, lambda x: (x & sign) | ((x << n) & (sign - 1)))


def shift_right(bits, n, dtype, rounded):
    half = 1 << (n - 1) if rounded and n else 0
    return shift(dtype, bits, lambda x: (x + half) >> n)


def vshl(m, mask, dst, src, scalar, repeat_times, dst_blk_stride, src_blk_stride, dst_rep_stride, src_rep_stride,
         stride_unit=0, mask_mode='normal'):
    n = integer(scalar)
    run(m, mask, dst, [src], repeat_times, [dst_blk_stride, src_blk_stride], [dst_rep_stride, src_rep_stride],
        stride_unit, lambda a: shift_left(m, a, n, src.dtype), mask_mode)


def vshr(m, mask, dst, src, scalar, repeat_times, dst_blk_stride, src_blk_stride, dst_rep_stride, src_rep_stride,
         stride_unit=0, round_en=False, mask_mode='normal'):
    n = integer(scalar)
    run(m, mask, dst, [src], repeat_times, [dst_blk_stride, src_blk_stride], [dst_rep_stride, src_rep_stride],
        stride_unit, lambda a: shift_right(a, n, src.dtype, round_en), mask_mode)


METHODS.update(vshl=vshl, vshr=vshr)


# ---- unary ---------------------------------------------------------------------------------------------------

UNARY = {
    'abs': lambda m, a, t: num.absolute(m, a, t),
    'relu': lambda m, a, t: num.relu(a, t),
    'not': lambda m, a, t: ~a,
}
for _name in ('exp', 'ln', 'sqrt', 'rec', 'rsqrt', 'expm1'):
    UNARY[_name] = lambda m, a, t, name=_name: num.function(m, name, a, t)


def define_unary(name, value):
    def old(m, mask, dst, src, repeat_times, dst_blk_stride, src_blk_stride, dst_rep_stride, src_rep_stride,
            stride_unit=0):
        run(m, mask, dst, [src], repeat_times, [dst_blk_stride, src_blk_stride], [dst_rep_stride, src_rep_stride],
            stride_unit, lambda a: value(m, a, dst.dtype))

    def new(m, mask, dst, src, repeat_times, dst_rep_stride, src_rep_stride):
        old(m, mask, dst, src, repeat_times, 1, 1, dst_rep_stride, src_rep_stride)

    def precise(m, mask, dst, src, work_tensor, repeat_times, dst_rep_stride, src_rep_stride):
        new(m, mask, dst, src, repeat_times, dst_rep_stride, src_rep_stride)

    if name != 'expm1':
        METHODS['v' + name] = old
    if name not in ('sqrt', 'expm1'):
        METHODS['vec_' + name] = new
    if name in ('rec', 'rsqrt', 'ln', 'expm1'):
        METHODS[f'vec_{name}_high_preci'] = precise


for _name, _value in UNARY.items():
    define_unary(_name, _value)
