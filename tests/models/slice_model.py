"""Slice movement (data_copy with lists of SliceInfo) on numpy, from its definition: the offset of each segment is the
sum over the dimensions that the specification writes, segment number q of one list goes to number q of the
other. Nothing is flattened. A list holds (start, end, stride, burst_len, shape), the innermost dimension
first."""
import itertools

import numpy as np


class Broken(Exception):
    """A rule that lists break; args[0] is its name."""


def segment(infos, size):
    """Elements of one segment."""
    return infos[0][3] * 32 // size


def counts(infos, size, tail=False):
    out = []
    for d, (start, end, stride, _, _) in enumerate(infos):
        unit = segment(infos, size) if d == 0 else 1
        n, rest = divmod(end - start + 1 + stride, unit + stride)
        if n < 1 or (rest and not (tail and d)):
            raise Broken('slice-fit')
        out.append(n)
    return out


def offsets(infos, size, tail=False):
    """Where each segment starts, in elements, in the order in which segments go over."""
    n, seg = counts(infos, size, tail), segment(infos, size)
    pitch = [1]
    for info in infos:
        pitch.append(pitch[-1] * info[4])
    out = []
    for k in itertools.product(*[range(i) for i in reversed(n)]):
        k = k[::-1]
        at = infos[0][0] + k[0] * (seg + infos[0][2])
        for d in range(1, len(infos)):
            start, _, stride = infos[d][:3]
            at += (start + k[d] * (1 + stride)) * pitch[d]
        out.append(at)
    return out


def check_dim(d, to, frm, size, tail=False):
    """The rules of one dimension of both lists."""
    if to[3] != frm[3]:
        raise Broken('slice-burst-eq')
    if d > 0 and to[3] != 1:
        raise Broken('slice-burst-1')
    if to[3] < 1:
        raise Broken('slice-burst')
    for info in (frm, to):
        if not 0 <= info[0] <= info[1] < info[4]:
            raise Broken('slice-index')
    for info in (frm, to):
        unit = info[3] * 32 // size if d == 0 else 1
        rest = (info[1] - info[0] + 1 + info[2]) % (unit + info[2]) if info[2] >= 0 else 1
        if info[2] < 0 or info[1] - info[0] + 1 < unit or (rest and not (tail and d)):
            raise Broken('slice-fit')


def check(dst, src, size, to_ub, tail=False):
    """The first rule that is broken, in the order of the specification's table."""
    if not 1 <= len(dst) <= 8:
        raise Broken('slice-dim')
    if len(dst) != len(src):
        raise Broken('slice-count')
    for d, (to, frm) in enumerate(zip(dst, src)):
        check_dim(d, to, frm, size, tail)
    if np.prod(counts(dst, size, tail)) != np.prod(counts(src, size, tail)):
        raise Broken('slice-total')
    in_ub = offsets(dst if to_ub else src, size, tail)
    if any(o * size % 32 for o in in_ub):
        raise Broken('address-align')


def copy(dst, src, dst_infos, src_infos, tail=False):
    """Arrays of one element type, flat; dst is changed."""
    size, seg = dst.itemsize, segment(src_infos, src.itemsize)
    for to, frm in zip(offsets(dst_infos, size, tail), offsets(src_infos, size, tail)):
        if to + seg > len(dst) or frm + seg > len(src):
            raise Broken('tensor-overflow')
        dst[to:to + seg] = src[frm:frm + seg]
