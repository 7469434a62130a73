"""Chapter 9: proposals, sorting, merging, suppression."""
import numpy as np

from . import numbers as num
from .core import UINT, integer, number_bits, to_numbers

METHODS = {}
RECORD = 8   # elements of a proposal
SCORE = 4    # the field that sorting looks at


def keys(bits, dtype):
    """Scores as Python floats; a NaN is below everything, and equal to other NaNs."""
    x = to_numbers(bits, dtype).astype(np.float64)
    return [(0, 0.0) if np.isnan(v) else (1, v + 0.0) for v in x.tolist()]


def descending(bits, dtype):
    """Positions in descending order of their scores; equal ones keep their order."""
    k = keys(bits, dtype)
    return sorted(range(len(k)), key=lambda i: (-k[i][0], -k[i][1]))


def vconcat(m, dst, src, repeat_times, mode_number):
    n = 16 * integer(repeat_times)
    m.write(dst, RECORD * np.arange(n) + integer(mode_number), m.read(src, np.arange(n)))


def vextract(m, dst, src, repeat_times, mode_number):
    for r in range(integer(repeat_times)):
        i = 16 * r + np.arange(16)
        m.write(dst, i, m.read(src, RECORD * i + integer(mode_number)))


def vrpsort16(m, dst, src, repeat_times):
    for r in range(integer(repeat_times)):
        at = r * 128 + np.arange(128)
        rows = m.read(src, at).reshape(16, RECORD)
        m.write(dst, at, rows[descending(rows[:, SCORE], src.dtype)].reshape(-1))


def vsort32(m, dst, src0, src1, repeat_times):
    cells = 8 // dst.size   # elements of a pair
    for r in range(integer(repeat_times)):
        at = 32 * r + np.arange(32)
        score, index = m.read(src0, at), m.read(src1, at)
        order = descending(score, src0.dtype)
        pairs = np.zeros((32, 2), np.uint32)
        pairs[:, 0], pairs[:, 1] = score[order], index[order]
        m.write(dst, 32 * cells * r + np.arange(32 * cells), pairs.reshape(-1).view(UINT[dst.size]))


# ---- merging -------------------------------------------------------------------------------------------------


def merged(score_rows, lengths, suspend, empty_ends):
    """[(list, position)] in the order of the result, and how many each list gave."""
    used, order = [0] * len(lengths), []
    if suspend and empty_ends and 0 in lengths:
        return order, used
    while any(u < n for u, n in zip(used, lengths)):
        ready = [i for i, n in enumerate(lengths) if used[i] < n]
        best = max(ready, key=lambda i: (score_rows[i][used[i]], -i))
        order.append((best, used[best]))
        used[best] += 1
        if suspend and used[best] == lengths[best]:
            break
    return order, used


def merge(m, dst, sources, lengths, suspend, repeats, width, score, bits):
    """width: elements of a record; score: the pattern of its score; bits: of a field of the status register."""
    total = sum(lengths)
    for r in range(repeats):
        rows = [m.read(s, width * (r * 4 * n if repeats > 1 else 0) + np.arange(width * n)).reshape(n, width)
                for s, n in zip(sources, lengths)]
        order, used = merged([keys(score(x), dst.dtype) for x in rows], lengths, suspend, m.choices.empty_list_suspends)
        if order:
            out = np.concatenate([rows[i][k] for i, k in order])
            m.write(dst, width * r * total + np.arange(len(out)), out)
    m.vms4_sr = [u & (2**bits - 1) for u in used + [0] * (4 - len(used))]


def finish(m, array):
    for i, s in enumerate(array or []):
        s.set(m.vms4_sr[i])
    return 'vms4_sr'


def vmrgsort4(m, dst, src_list, element_lengths, if_exhausted_suspension, valid_bit, repeat_times=1,
              vms4_sr_scalar_array=None):
    count = bin(int(valid_bit, 2) if isinstance(valid_bit, str) else integer(valid_bit)).count('1')
    if isinstance(element_lengths, (list, tuple)):
        lengths = [integer(n) for n in element_lengths[:count]]
    else:
        lengths = [integer(element_lengths)] * count
    merge(m, dst, src_list[:count], lengths, if_exhausted_suspension, integer(repeat_times), RECORD,
          lambda rows: rows[:, SCORE], 13)
    return finish(m, vms4_sr_scalar_array)


def vmrgsort(m, dst, src_list, element_count_list, if_exhausted_suspension, repeat_times=1, vms4_sr_scalar_array=None):
    if isinstance(element_count_list, (list, tuple)):
        lengths = [integer(n) for n in element_count_list]
    else:
        lengths = [integer(element_count_list)] * len(src_list)
    # The score is the first element of a pair, in either type.
    merge(m, dst, src_list, lengths, if_exhausted_suspension, integer(repeat_times), 8 // dst.size,
          lambda rows: rows[:, 0], 16)
    return finish(m, vms4_sr_scalar_array)


METHODS.update(vconcat=vconcat, vextract=vextract, vrpsort16=vrpsort16, vsort32=vsort32, vmrgsort4=vmrgsort4,
               vmrgsort=vmrgsort)


# ---- areas and suppression -------------------------------------------------------------------------------------


def offset(m, dtype, like):
    return np.full_like(like, UINT[like.itemsize](number_bits(float(m.rpn_offset), dtype)))


def extent(m, low, high, dtype):
    """high - low + offset, each step rounded. What is computed in float32 stays in it."""
    if low.dtype == np.uint32:
        dtype = 'float32'
    difference = num.arithmetic(m, 'sub', high, low, dtype)
    return num.arithmetic(m, 'add', difference, offset(m, dtype, low), dtype)


def corners(m, bits, dtype):
    """Boxes in the type that they are computed in."""
    if dtype == 'float16' and m.choices.areas_rounded_once:
        return num.floats(bits.reshape(-1), dtype).view(np.uint32).reshape(bits.shape), 'float32'
    return bits, dtype


def product(m, a, b, dtype):
    """The area, in the type of the result."""
    if a.dtype == np.uint32 and dtype == 'float16':
        return num.from_values(m, a.view(np.float32) * b.view(np.float32), dtype)
    return num.arithmetic(m, 'mul', a, b, dtype)


def vrpac(m, dst, src, repeat_times):
    for r in range(integer(repeat_times)):
        p, t = corners(m, m.read(src, 128 * r + np.arange(128)).reshape(16, RECORD).T, dst.dtype)
        area = product(m, extent(m, p[0], p[2], t), extent(m, p[1], p[3], t), dst.dtype)
        m.write(dst, 16 * r + np.arange(16), area)


def side(m, a, b, low, high, dtype):
    first = num.extreme('max', a[low], b[low], dtype)
    last = num.extreme('min', a[high], b[high], dtype)
    return num.relu(extent(m, first, last, dtype), dtype)


def viou(m, dst, src0, src1, repeat_times):
    for r in range(integer(repeat_times)):
        one = m.read(src0, 128 * r + np.arange(128)).reshape(16, RECORD)
        other = m.read(src1, np.arange(128)).reshape(16, RECORD)
        a, t = corners(m, np.repeat(one, 16, axis=0).T, dst.dtype)
        b, t = corners(m, np.tile(other, (16, 1)).T, dst.dtype)
        area = product(m, side(m, a, b, 0, 2, t), side(m, a, b, 1, 3, t), dst.dtype)
        m.write(dst, 256 * r + np.arange(256), area)


def vaadd(m, dst, src0, src1, repeat_times):
    for r in range(integer(repeat_times)):
        a, b = m.read(src0, 16 * r + np.arange(16)), m.read(src1, np.arange(16))
        m.write(dst, 256 * r + np.arange(256),
                num.arithmetic(m, 'add', np.repeat(a, 16), np.tile(b, 16), dst.dtype))


def rpn_cor(m, src0, src1, src0_rep_stride, src1_rep_stride, repeat_times):
    for r in range(integer(repeat_times)):
        rows = m.read(src0, r * integer(src0_rep_stride) * 16 + np.arange(16))
        entries = m.read(src1, r * integer(src1_rep_stride) * 16 + np.arange(16))
        m.rpn_cor_ir |= int(np.bitwise_or.reduce(np.where((entries == 0) == m.choices.zero_is_kept, rows, 0)))
    return 'rpn_cor_ir'


def rpn_cor_diag(m, dst, src, src_register=None):
    rows = [int(v) for v in m.read(src, np.arange(16))]
    kept = 0 if m.choices.zero_is_kept else 1
    out = []
    for j in range(16):
        removed = m.rpn_cor_ir >> j & 1 or any(out[i] == kept and rows[i] >> j & 1 for i in range(j))
        out.append(1 - kept if removed else kept)
    m.write(dst, np.arange(16), np.array(out, np.uint16))


METHODS.update(vrpac=vrpac, viou=viou, vaadd=vaadd, rpn_cor=rpn_cor, rpn_cor_diag=rpn_cor_diag)
