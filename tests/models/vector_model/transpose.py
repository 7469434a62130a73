"""Chapter 6: transposes and layout."""
import numpy as np

from .core import BLOCK, View, integer

METHODS = {}


def shifted(view, count):
    """A view this many bytes further on."""
    return View(view.buffer, view.offset + count, view.dtype, (1,))


def transposed(size, rows):
    """The sixteen destination blocks for sixteen source blocks [16, elements] of one repeat."""
    if size == 2:
        return rows.T
    out = np.empty_like(rows)   # 4 bytes: D[2i + h][k] = S[8h + k][i]
    for i in range(8):
        for h in range(2):
            out[2 * i + h] = rows[8 * h:8 * h + 8, i]
    return out


def vnchwconv(m, dst_high_half, src_high_half, dst_list, src_list, repeat_times, dst_rep_stride, src_rep_stride,
              name=None):
    size = dst_list[0].size
    n = 16 if size == 1 else BLOCK // size
    to, at = (16 * bool(dst_high_half), 16 * bool(src_high_half)) if size == 1 else (0, 0)
    for r in range(integer(repeat_times)):
        back, go = r * integer(src_rep_stride) * BLOCK, r * integer(dst_rep_stride) * BLOCK
        rows = np.array([m.read(shifted(s, back), np.arange(at, at + n)) for s in src_list])
        out = rows.T if size == 1 else transposed(size, rows)
        for d, row in zip(dst_list, out):
            m.write(shifted(d, go), np.arange(to, to + n), row)


def vec_trans(m, dst, src, repeat_times, dst_rep_stride, src_rep_stride):
    for r in range(integer(repeat_times)):
        tile = m.read(src, r * 256 * integer(src_rep_stride) + np.arange(256)).reshape(16, 16)
        m.write(dst, r * 256 * integer(dst_rep_stride) + np.arange(256), tile.T.reshape(-1))


def vtranspose(m, dst, src):
    vec_trans(m, dst, src, 1, 0, 0)


def v4dtrans(m, chw2hwc, dst, src, m_len, channels):
    length, count = integer(m_len), integer(channels)
    flat = m.read(src, np.arange(length * count))
    shape = (count, length) if chw2hwc else (length, count)
    m.write(dst, np.arange(length * count), flat.reshape(shape).T.reshape(-1))


def vmrgch(m, dst, src, repeat_times):
    group = 16 if dst.size == 2 else m.choices.vmrgch_b8_group
    for r in range(integer(repeat_times)):
        groups = m.read(src, r * 8 * group + np.arange(8 * group)).reshape(8, group)
        m.write(dst, 32 * r + np.arange(32), groups[:, :4].reshape(-1))


METHODS.update(vnchwconv=vnchwconv, vec_trans_scatter=vnchwconv, vec_trans=vec_trans, vtranspose=vtranspose,
               v4dtrans=v4dtrans, vmrgch=vmrgch)
