/* internal.h: the functions of ops.h by family. */
#ifndef TIK_OPS_INT_H
#define TIK_OPS_INT_H

#include "rules/atomic.h"
#include "ops/ops.h"

/* ops/layout.c */
OpFn ops_nchw, ops_tiles, ops_planes, ops_channels;
/* A matrix of 16 x 16, in place. */
void ops_transpose16(uint16_t tile[256]);
/* ops/load.c, ops/cube.c */
OpFn ops_load2d, ops_load2d_box, ops_load2d_square, ops_load3d1, ops_load3d2, ops_col2img;
OpFn ops_mmad, ops_matmul, ops_conv2d;
/* ops/convert.c */
OpFn ops_convert_4_bits, ops_convert_packed;
/* ops/gather.c */
OpFn ops_pick, ops_gather, ops_scatter, ops_gatherb, ops_bi;

/* ops/sort.c, ops/box.c */
OpFn ops_vconcat, ops_vextract, ops_vrpsort16, ops_vsort32, ops_vmrgsort;
OpFn ops_vrpac, ops_viou, ops_vaadd, ops_rpn_cor, ops_rpn_cor_diag;
/* ops/fill.c */
OpFn ops_sequence, ops_broadcast, ops_copy, ops_padding;

/* ops/reg.c */
OpFn ops_reg_load, ops_reg_store, ops_reg_cast, ops_reg_interleave, ops_reg_histogram;

/* ops/segment.c */
OpFn ops_segments, ops_slice_dim;
/* ops/l0c_move.c */
OpFn ops_acc_move;
/* ops/lmem.c, ops/lmem_arith.c */
OpFn ops_lane_move, ops_lane_arith;
/* ops/fixpipe.c */
OpFn ops_fix_blocks, ops_fix_columns;
/* ops/lmem.c, ops/lmem_arith.c, ops/lmem_conv.c */
OpFn ops_lane_move, ops_lane_arith, ops_lane_conv;

/* ops/control.c */
OpFn ops_flag;

/* ops/transfer.c */
OpFn ops_pad_move, ops_nd2nz, ops_nz2nd, ops_spread, ops_fill_units, ops_bias_move;

/* ops/image.c */
OpFn ops_image;

/* ---- ops/write.c: writes to global memory, which the core's atomic mode may turn into additions ------- */

OpFn ops_move;

/* n runs of len bytes. */
typedef struct OpRuns {
    uint8_t *dst;
    const uint8_t *src;
    int64_t n, len, dst_pitch, src_pitch;
} OpRuns;

/* Asks the mode for a write by operand dst from a memory; burst: bytes in one run. False: c->fault is filled. */
bool ops_write_mode(OpCall *c, int dst, Scope from, int64_t burst, AtomicWrite *w);
void ops_write_runs(const AtomicWrite *w, const OpRuns *r);

/* ops/slice.c, ops/slice_reduce.c */
OpFn ops_slice_elements, ops_slice_reduce;

#endif
