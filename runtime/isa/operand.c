/* operand.c: forms whose operands the same code takes have them in the same slots; the code names those of one. */
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
