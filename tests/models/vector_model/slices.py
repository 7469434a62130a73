"""Chapter 13: instructions on whole tensors and slices."""
import numpy as np

from . import numbers as num
from .convert import convert, pack, scaled_bytes, scaled_half
from .core import UINT, View, number_bits
from .elementwise import UNARY, binary_value
from .reduction import best, tree

METHODS = {}


def flat(m, operand, dtype, count):
    """The elements of a slice in row order, or a scalar that often."""
    if isinstance(operand, View):
        return m.read(operand, operand.positions().reshape(-1))
    bits = number_bits(operand, dtype)
    return np.full(count, bits, np.uint64).astype(UINT[np.dtype('uint16' if dtype == 'bfloat16' else dtype).itemsize])


def store(m, dst, bits):
    m.write(dst, dst.positions().reshape(-1), bits)


def count_of(view):
    return int(np.prod(view.shape))


def define_binary(op, value):
    def method(m, dst, src0, src1):
        n = count_of(dst)
        store(m, dst, value(m, dst, flat(m, src0, dst.dtype, n), flat(m, src1, dst.dtype, n)))
    METHODS['h_' + op] = method


def define_unary(op, value):
    def method(m, dst, src):
        store(m, dst, value(m, flat(m, src, dst.dtype, count_of(dst)), dst.dtype))
    METHODS['h_' + op] = method


for _op in ('add', 'sub', 'mul', 'div', 'max', 'min', 'and', 'or'):
    define_binary(_op, binary_value(_op))
for _op in ('abs', 'relu', 'not', 'exp', 'ln', 'rec', 'rsqrt'):
    define_unary(_op, UNARY[_op])
for _op in ('sin', 'cos'):
    define_unary(_op, lambda m, a, t, name=_op: num.function(m, name, a, t))


def h_duplicate(m, dst, src):
    store(m, dst, flat(m, src, dst.dtype, count_of(dst)))


def h_data_move(m, dst, src):
    store(m, dst, flat(m, src, dst.dtype, 0))


def h_cast(m, dst, src, round_mode):
    store(m, dst, convert(m, flat(m, src, src.dtype, 0), src.dtype, dst.dtype, round_mode))


def h_quant(m, dst, src, deqscale):
    bits = flat(m, src, src.dtype, 0)
    if dst.dtype == 'float16':
        return store(m, dst, scaled_half(m, bits, deqscale))
    if isinstance(deqscale, View):
        packs = m.read(deqscale, np.arange(len(bits)) % 16)
    else:
        packs = np.full(len(bits), pack(deqscale, dst.dtype), np.uint64)
    return store(m, dst, scaled_bytes(bits, packs, dst.dtype))


def h_cmpv(m, mask_tensor, src0, src1, cmp_mode):
    dtype = (src0 if isinstance(src0, View) else src1).dtype
    n = count_of(mask_tensor)
    on = num.compare(cmp_mode.lower(), flat(m, src0, dtype, n), flat(m, src1, dtype, n), dtype)
    store(m, mask_tensor, on.astype(np.uint8))


def h_sel(m, dst, src0, src1, mask_tensor):
    n = count_of(dst)
    on = flat(m, mask_tensor, 'bool', n) != 0
    store(m, dst, np.where(on, flat(m, src0, dst.dtype, n), flat(m, src1, dst.dtype, n)))


# ---- reductions ------------------------------------------------------------------------------------------------


def rows_along(m, src, axis):
    """[outputs, elements of each], in index order."""
    every = tuple(range(len(src.shape)))
    axes = every if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    axes = sorted(a % len(src.shape) for a in axes)
    kept = [a for a in every if a not in axes]
    at = src.positions().transpose(kept + axes)
    count = int(np.prod([src.shape[a] for a in axes]))
    return m.read(src, at.reshape(-1, count))


def put(m, dst, bits):
    if isinstance(dst, View):
        store(m, dst, bits.reshape(-1))
    else:
        dst.set(bits.reshape(-1)[0])


def h_reduce_sum(m, dst, src, axis=None):
    rows = rows_along(m, src, axis)
    padded = np.zeros((len(rows), 1 << (rows.shape[1] - 1).bit_length()), rows.dtype)
    padded[:, :rows.shape[1]] = rows
    put(m, dst, tree(m, padded, src.dtype))


def define_extreme(op):
    def value(m, dst, src, axis=None):
        rows = rows_along(m, src, axis)
        put(m, dst, best(op, rows, np.ones(rows.shape, bool), src.dtype)[0])

    def position(m, dst, src, axis=None):
        rows = rows_along(m, src, axis)
        put(m, dst, best(op, rows, np.ones(rows.shape, bool), src.dtype)[1].astype(np.uint32))

    METHODS['h_reduce_' + op] = value
    METHODS['h_reduce_arg' + op] = position


METHODS.update(h_duplicate=h_duplicate, h_data_move=h_data_move, h_cast=h_cast, h_conv=h_cast, h_quant=h_quant, h_cmpv=h_cmpv, h_sel=h_sel,
               h_reduce_sum=h_reduce_sum)
define_extreme('max')
define_extreme('min')
