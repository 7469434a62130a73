/* fixpipe.h: moves of results from L0C to memory, in two kinds: by blocks of 16 channels
 * (cube-quant 8), and by columns and rows (cube-quant 12). fixpipe.def has the tables. */
#ifndef TIK_FIXPIPE_H
#define TIK_FIXPIPE_H

#include "rules/check.h"
#include "isa/operand.h"

typedef enum FixMode {
#define FIX_MODE(id, name, scale, vector) FIX_##id,
#include "isa/fixpipe.def"
    FIX_MODES
} FixMode;

const char *fix_mode_name(FixMode m);
PURE bool fix_mode_scales(FixMode m);
PURE bool fix_mode_is_vector(FixMode m);

/* These return the rows of a block: the valid ones, and those that the source has. */
static inline int64_t
fix_rows(int64_t len, Dtype src)
{
    return len * BLOCK_BYTES / dtype_size(src) / 16;
}

/* Checks fix-burst; the stage calls it for literals, both back ends always. */
bool check_fix_burst(Dtype src, int64_t len, Fault *fault);
/* Checks fix-nsize and fix-stride in the same way. */
bool check_fix_columns(bool nd, bool split, int64_t n, int64_t src_stride, Fault *fault);

#endif
