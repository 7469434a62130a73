"""Chapter 5: compare and select."""
import numpy as np

from . import numbers as num
from .core import UINT, View, active_lanes, integer, lane_index, lanes_of, mask_lanes, number_bits
from .registers import mov_tensor_to_cmpmask

METHODS = {}
OPS = ('lt', 'gt', 'ge', 'eq', 'ne', 'le')


def rows_of(dst, sources, repeats):
    """The repeats at once, or one by one when they may see each other's results."""
    if all(s.buffer != dst.buffer for s in sources):
        return [slice(0, repeats)]
    return [slice(r, r + 1) for r in range(repeats)]


def to_memory(m, op, dst, sources, others, repeat, blocks, repeats):
    """Compares all lanes of sources (one with a constant others, or two) and packs the bits into dst."""
    n, lanes = integer(repeat), lanes_of(*sources)
    at = [lane_index(s.size, lanes, integer(b), integer(r), 0, n) for s, b, r in zip(sources, blocks, repeats)]
    for rows in rows_of(dst, sources, n):
        a = m.read(sources[0], at[0][rows]).reshape(-1)
        b = m.read(sources[1], at[1][rows]).reshape(-1) if others is None else np.full_like(a, others)
        packed = np.packbits(num.compare(op, a, b, sources[0].dtype), bitorder='little')
        first = rows.start * lanes // 8
        cells = m.elements(dst, 'uint8')
        where = np.arange(first, first + len(packed))
        m.inside(where, cells)
        cells[where] = packed


def define(op):
    def vcmpv(m, dst, src0, src1, repeat_times, src0_blk_stride, src1_blk_stride, src0_rep_stride, src1_rep_stride):
        to_memory(m, op, dst, [src0, src1], None, repeat_times, [src0_blk_stride, src1_blk_stride],
                  [src0_rep_stride, src1_rep_stride])

    def vec_cmpv(m, dst, src0, src1, repeat_times, src0_rep_stride, src1_rep_stride):
        vcmpv(m, dst, src0, src1, repeat_times, 1, 1, src0_rep_stride, src1_rep_stride)

    def vcmpvs(m, dst, src, scalar, repeat_times, src_blk_stride, src_rep_stride):
        to_memory(m, op, dst, [src], number_bits(scalar, src.dtype), repeat_times, [src_blk_stride], [src_rep_stride])

    def vcmp(m, mask, src0, src1, src0_stride, src1_stride):
        lanes = lanes_of(src0)
        on = mask_lanes(mask, lanes)
        at = [lane_index(src0.size, lanes, integer(b), 0, 0, 1)[0] for b in (src0_stride, src1_stride)]
        if m.choices.vcmp_clears:
            m.cmpmask[:] = False
        else:
            m.cmpmask[lanes:] = False
        bits = np.zeros(lanes, bool)
        bits[on] = num.compare(op, m.read(src0, at[0][on]), m.read(src1, at[1][on]), src0.dtype)
        kept = on[:128]   # 256 lanes of 8 bits: half of them have no bit
        m.cmpmask[:len(kept)][kept] = bits[:128][kept]
        return 'cmpmask'

    METHODS['vcmpv_' + op] = vcmpv
    METHODS['vec_cmpv_' + op] = vec_cmpv
    METHODS['vcmpvs_' + op] = vcmpvs
    METHODS['vcmp_' + op] = vcmp


for _op in OPS:
    define(_op)


def vsel(m, mask, mode, dst, sel, src0, src1, repeat_times, dst_blk_stride, src0_blk_stride, src1_blk_stride,
         dst_rep_stride=0, src0_rep_stride=0, src1_rep_stride=0):
    lanes = lanes_of(dst)
    mode = integer(mode)
    active = active_lanes(mask, lanes, repeat_times)
    if mode == 0 and isinstance(sel, View):
        mov_tensor_to_cmpmask(m, sel)
    sources = [src0] if mode == 1 else [src0, src1]
    others = [sel] if mode else []
    to = lane_index(dst.size, lanes, integer(dst_blk_stride), integer(dst_rep_stride), 0, len(active))
    at = [lane_index(dst.size, lanes, integer(b), integer(r), 0, len(active)) for b, r in
          ((src0_blk_stride, src0_rep_stride), (src1_blk_stride, src1_rep_stride))]
    for rows in rows_of(dst, sources + others, len(active)):
        on = active[rows]
        if mode:
            # Bits of lanes that are off are not needed: the last repeat may end before its last byte.
            bits = needed_bits(m, sel, rows, on, lanes)
        else:
            bits = np.broadcast_to(m.cmpmask[:lanes], on.shape)[on]
        a = m.read(src0, at[0][rows][on])
        b = np.full_like(a, UINT[dst.size](number_bits(src1, dst.dtype))) if mode == 1 else m.read(src1, at[1][rows][on])
        m.write(dst, to[rows][on], np.where(bits, a, b))
    if mode:
        m.cmpmask[:] = False   # nothing may rely on it any more


def needed_bits(m, sel, rows, on, lanes):
    raw = m.elements(sel, 'uint8')
    r, l = np.nonzero(on)
    k = (rows.start + r) * lanes + l
    m.inside(k // 8, raw)
    return (raw[k // 8] >> (k % 8).astype(np.uint8) & 1).astype(bool)


def vec_sel(m, mask, mode, dst, sel, src0, src1, repeat_times, dst_rep_stride=0, src0_rep_stride=0, src1_rep_stride=0):
    vsel(m, mask, mode, dst, sel, src0, src1, repeat_times, 1, 1, 1, dst_rep_stride, src0_rep_stride, src1_rep_stride)


METHODS.update(vsel=vsel, vec_sel=vec_sel)
