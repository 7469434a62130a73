/* fixpipe.h: results of the matrix unit on their way from L0C to memory, in two forms: by blocks of 16 channels
 * (cube-quant 8), and by columns and rows (cube-quant 12). Tables in fixpipe.def. */
#ifndef TIK_FIXPIPE_H
#define TIK_FIXPIPE_H

#include "isa/check.h"

typedef enum FixMode {
#define FIX_MODE(id, name, scale, vector) FIX_##id,
#include "isa/fixpipe.def"
    FIX_MODES
} FixMode;

const char *fix_mode_name(FixMode m);
bool fix_mode_scales(FixMode m);
bool fix_mode_is_vector(FixMode m);

/* Slots of the forms by blocks. The last two only where there is a second operand. */
enum {
    FB_DST,
    FB_SRC,
    FB_BLOCKS, /* of 16 channels */
    FB_LEN,    /* of the source, in blocks of 32 bytes */
    FB_DST_STRIDE,
    FB_SRC_STRIDE,
    FB_SCALE, /* bits of a float32, or a tensor: 16 float16 for all blocks; for each channel a float32 or a word */
    FB_QUANT, /* 0, 1 float32 to float16, 2 int32 to float16 */
    FB_RELU,
    FB_ADD, /* 1: one number for each channel, before the scale; 2: elements, behind it */
    FB_OTHER
};

/* Slots of the forms by columns. */
enum {
    FC_DST,
    FC_SRC,
    FC_N,
    FC_M,
    FC_SRC_STRIDE, /* rows of 16 elements from column block to column block */
    FC_DST_STRIDE, /* blocks of 32 bytes from column block to column block; FC_ND: elements from row to row */
    FC_ND_NUM,
    FC_ND_SRC, /* fractals of 256 elements */
    FC_ND_DST, /* elements */
    FC_SCALE,  /* a word, or the tensor with one for each column */
    FC_MODE,   /* FixMode */
    FC_ND,     /* rows of dst follow each other */
    FC_SPLIT,  /* column blocks of 8 float32 */
    FC_RELU
};

/* Rows of a block: valid ones, and those that the source has. */
static inline int64_t
fix_rows(int64_t len, Dtype src)
{
    return len * BLOCK_BYTES / dtype_size(src) / 16;
}

/* fix-burst: asked by the stage for literals and by both back ends. */
bool check_fix_burst(Dtype src, int64_t len, Fault *fault);
/* fix-nsize, fix-stride: likewise. */
bool check_fix_columns(bool nd, bool split, int64_t n, int64_t src_stride, Fault *fault);

#endif
