/* operand.c: assertions that forms share slots. Code that handles several forms names the
 * operands of one of them, so the operands must have the same slots in all. */
#include "isa/operand.h"

#define SAME_SLOT(a, b, name) _Static_assert(a##_##name == b##_##name, #name)
#define SAME_FIX(form)                                                                   \
    SAME_SLOT(FIXA, form, dst);                                                          \
    SAME_SLOT(FIXA, form, src);                                                          \
    SAME_SLOT(FIXA, form, cburst_num);                                                   \
    SAME_SLOT(FIXA, form, burst_len);                                                    \
    SAME_SLOT(FIXA, form, dst_stride);                                                   \
    SAME_SLOT(FIXA, form, src_stride);                                                   \
    SAME_SLOT(FIXA, form, mode_param);                                                   \
    SAME_SLOT(FIXA, form, quantize);                                                     \
    SAME_SLOT(FIXA, form, relu)
SAME_FIX(FIX);
SAME_FIX(FIXV);
SAME_FIX(FIXVA);
SAME_SLOT(FIXA, FIXVA, add);
SAME_SLOT(FIXA, FIXVA, other);
#define SAME_ACC(form)                                                                   \
    SAME_SLOT(ACCFLY, form, dst);                                                        \
    SAME_SLOT(ACCFLY, form, src);                                                        \
    SAME_SLOT(ACCFLY, form, block_mode);                                                 \
    SAME_SLOT(ACCFLY, form, nburst);                                                     \
    SAME_SLOT(ACCFLY, form, burst_len);                                                  \
    SAME_SLOT(ACCFLY, form, dst_stride);                                                 \
    SAME_SLOT(ACCFLY, form, src_stride);                                                 \
    SAME_SLOT(ACCFLY, form, deqscale);                                                   \
    SAME_SLOT(ACCFLY, form, deq_mode);                                                   \
    SAME_SLOT(ACCFLY, form, sid_store_mode);                                             \
    SAME_SLOT(ACCFLY, form, relu)
SAME_ACC(ACC);
SAME_ACC(ACCV);
SAME_ACC(ACCVFLY);
SAME_SLOT(ACCFLY, ACCVFLY, onthefly_mode);
SAME_SLOT(ACCFLY, ACCVFLY, src_onthefly);
#define SAME_PICK(form)                                                                  \
    SAME_SLOT(PICK, form, mask);                                                         \
    SAME_SLOT(PICK, form, dst);                                                          \
    SAME_SLOT(PICK, form, src0);                                                         \
    SAME_SLOT(PICK, form, src1_pattern);                                                 \
    SAME_SLOT(PICK, form, repeat_times);                                                 \
    SAME_SLOT(PICK, form, src0_blk_stride);                                              \
    SAME_SLOT(PICK, form, src0_rep_stride);                                              \
    SAME_SLOT(PICK, form, src1_rep_stride)
SAME_PICK(PICKBITS);
SAME_PICK(PICK2);
SAME_PICK(PICK2BITS);
SAME_SLOT(FIXC, FIXCV, dst);
SAME_SLOT(FIXC, FIXCV, src);
SAME_SLOT(FIXC, FIXCV, n_size);
SAME_SLOT(FIXC, FIXCV, m_size);
SAME_SLOT(FIXC, FIXCV, src_stride);
SAME_SLOT(FIXC, FIXCV, dst_stride);
SAME_SLOT(FIXC, FIXCV, nd_num);
SAME_SLOT(FIXC, FIXCV, src_nd_stride);
SAME_SLOT(FIXC, FIXCV, dst_nd_stride);
SAME_SLOT(FIXC, FIXCV, deq);
SAME_SLOT(FIXC, FIXCV, quant_pre);
SAME_SLOT(FIXC, FIXCV, nd);
SAME_SLOT(FIXC, FIXCV, split);
SAME_SLOT(FIXC, FIXCV, relu);
SAME_SLOT(SEGMENTS, SEGMENTS8, dst);
SAME_SLOT(SEGMENTS, SEGMENTS8, src);
SAME_SLOT(SEGMENTS, SEGMENTS8, len);
SAME_SLOT(ND2NZ, NZ2ND, nd_num);
_Static_assert(ND2NZ_nd_n == NZ2ND_n_value && ND2NZ_nd_d == NZ2ND_d_value,
               "rows, columns");
_Static_assert(GATHER_src_offset == SCATTER_dst_offset, "offsets");
SAME_SLOT(GATHER, SCATTER, dst);
SAME_SLOT(GATHER, SCATTER, src);
SAME_SLOT(GATHER, SCATTER, base_addr);
#define SAME(a, b) _Static_assert(a == b, #b)
/* Sorting of one source, of two sources, and of lists. */
SAME(FIELD_dst, RECORDS_dst);
SAME(FIELD_src, RECORDS_src);
SAME(FIELD_repeat_times, RECORDS_repeat_times);
SAME(OUTER_dst, PAIRS_dst);
SAME(OUTER_src0, PAIRS_src0);
SAME(OUTER_src1, PAIRS_src1);
SAME(OUTER_repeat_times, PAIRS_repeat_times);
SAME(MERGE_dst, MERGE4_dst);
SAME(MERGE_src_list, MERGE4_src_list);
SAME(MERGE_element_count_list, MERGE4_element_lengths);
SAME(MERGE_if_exhausted_suspension, MERGE4_if_exhausted_suspension);
SAME(MERGE_valid_bit, MERGE4_valid_bit);
SAME(MERGE_repeat_times, MERGE4_repeat_times);
/* Transposes. */
SAME(TILES_dst, TILE_dst);
SAME(TILES_src, TILE_src);
/* Loads into the matrix unit. */
#define SAME_LOAD(form)                                                                  \
    SAME_SLOT(LOAD2D, form, dst);                                                        \
    SAME_SLOT(LOAD2D, form, src)
SAME_LOAD(LOAD2D1);
SAME_LOAD(LOAD2DBOX);
SAME_LOAD(LOAD2DSQUARE);
SAME_LOAD(LOAD3D1);
SAME_LOAD(LOAD3D2);
SAME_LOAD(COL2IMG);
SAME(LOAD2D_start_index, LOAD2D1_index);
SAME_SLOT(LOAD2D, LOAD2D1, repeat_times);
SAME(LOAD3D1_pad, LOAD3D2_pad_list);
SAME_SLOT(LOAD3D1, COL2IMG, pad);
#define SAME_WINDOWS(form, shift)                                                        \
    SAME_SLOT(LOAD3D1, form, l1_h);                                                      \
    SAME_SLOT(LOAD3D1, form, l1_w);                                                      \
    SAME(LOAD3D1_stride_w + (shift), form##_stride_w);                                   \
    SAME(LOAD3D1_stride_h + (shift), form##_stride_h);                                   \
    SAME(LOAD3D1_filter_w + (shift), form##_filter_w);                                   \
    SAME(LOAD3D1_filter_h + (shift), form##_filter_h);                                   \
    SAME(LOAD3D1_dilation_filter_w + (shift), form##_dilation_filter_w);                 \
    SAME(LOAD3D1_dilation_filter_h + (shift), form##_dilation_filter_h)
SAME_WINDOWS(LOAD3D2, 0);
SAME_WINDOWS(COL2IMG, COL2IMG_stride_w - LOAD3D1_stride_w);
/* Products. */
SAME_SLOT(MATMUL, CONV2D, dst);
SAME(MATMUL_a, CONV2D_feature_map);
SAME(MATMUL_b, CONV2D_weight);
SAME_SLOT(MATMUL, MATMULBIAS, dst);
SAME_SLOT(MATMUL, MATMULBIAS, a);
SAME_SLOT(MATMUL, MATMULBIAS, b);
SAME_SLOT(MATMUL, MATMULBIAS, m);
SAME_SLOT(MATMUL, MATMULBIAS, k);
SAME_SLOT(MATMUL, MATMULBIAS, n);
SAME(MATMUL_init_l1out, MATMULBIAS_bias);
#define SAME_MMAD(form, last)                                                            \
    SAME(MATMUL_dst, form##_dst_fm);                                                     \
    SAME(MATMUL_a, form##_src_fm);                                                       \
    SAME(MATMUL_b, form##_src_filter);                                                   \
    SAME(MATMUL_m, form##_matrix_m);                                                     \
    SAME(MATMUL_k, form##_matrix_k);                                                     \
    SAME(MATMUL_n, form##_matrix_n);                                                     \
    SAME(MATMUL_init_l1out, form##_##last)
SAME_MMAD(MMAD, is_bias);
SAME_MMAD(MMADBIAS, bias_tensor);
SAME_SLOT(CONV2D, CONV2DBIAS, fm_c1);
SAME_SLOT(CONV2D, CONV2DBIAS, kernel_cout);
SAME_SLOT(CONV2D, CONV2DBIAS, pad_value);
SAME(CONV2D_init_l1out, CONV2DBIAS_bias);
/* Reductions. */
#define SAME_REDUCE(form)                                                                \
    SAME_SLOT(REDUCE, form, dst);                                                        \
    SAME_SLOT(REDUCE, form, src)
SAME_REDUCE(VCMAX);
SAME_REDUCE(VCMIN);
SAME_REDUCE(CPADD);
SAME_REDUCE(ALLADD);
SAME_REDUCE(ALLMAX);
SAME_SLOT(REDUCE, VCMAX, dst_rep_stride);
SAME_SLOT(REDUCE, VCMIN, dst_rep_stride);
SAME_SLOT(REDUCE, CPADD, dst_rep_stride);
SAME_SLOT(VCMAX, VCMIN, index_low);
SAME(VCMAX_max_cnt_index, VCMIN_min_cnt_index);
SAME_SLOT(ALLADD, ALLMAX, work_tensor);
SAME_SLOT(ALLADD, ALLMAX, repeat_times);
/* Vector instructions with one more number, or with a work tensor. */
SAME_SLOT(VPRECISE, VSHLB, dst);
SAME_SLOT(VPRECISE, VSHRB, dst);
SAME_SLOT(VPRECISE, VFUSEB, dst);
SAME_SLOT(VPRECISE, VAXPY, dst);
SAME_SLOT(VPRECISE, VAXPYB, dst);
SAME_SLOT(VPRECISE, VADDDEQB, dst);
SAME_SLOT(VPRECISE, VSHLB, src);
SAME_SLOT(VPRECISE, VSHRB, src);
SAME_SLOT(VSHLB, VSHRB, scalar);
/* Moves. */
#define SAME_TRANSFER(form)                                                              \
    SAME_SLOT(PADMOVE, form, dst);                                                       \
    SAME_SLOT(PADMOVE, form, src)
SAME_TRANSFER(ND2NZ);
SAME_TRANSFER(NZ2ND);
SAME_TRANSFER(SPREAD);
SAME_TRANSFER(SPREADMODE);
SAME_TRANSFER(BIASMOVE);
SAME_SLOT(PADMOVE, FILLFRACTALS, dst);
SAME_SLOT(PADMOVE, FILLBLOCKS, dst);
SAME_SLOT(FILLBLOCKS, FILLFRACTALS, repeat_times);
/* Slices. */
#define SAME_SLICE(form)                                                                 \
    SAME_SLOT(HMOVE, form, dst);                                                         \
    SAME_SLOT(HMOVE, form, src)
SAME_SLICE(HCAST);
SAME_SLICE(HQUANT);
SAME_SLICE(HPACK);
SAME_SLICE(HPACKS);
SAME_SLICE(HSCATTER);
SAME_SLICE(HREDUCE);
SAME_SLICE(HINDEX);
SAME_SLOT(HCAST, HSCATTER, round_mode);
SAME_SLOT(HQUANT, HPACK, deqscale);
/* Other families. */
SAME(FIELD_dst, OUTER_dst);
SAME(FIELD_dst, MERGE_dst);
SAME(FIELD_dst, SUPPRESS_src0);
SAME_SLOT(FIELD, DIAGONAL, dst);
SAME_SLOT(OUTER, RECORDS, dst);
SAME_SLOT(LSCALAR, LBIN, dst);
SAME_SLOT(LSCALAR, LBIN, src0);
SAME_SLOT(VCMPV, VCMPVB, dst);
SAME_SLOT(VCMPV, VCMPVS, dst);
SAME_SLOT(VBIN, VBINB, dst);
SAME_SLOT(VBIN, VBINB, src0);
SAME_SLOT(VBIN, VBINB, src1);
