/* transfer.h: slots of the forms of moves that pad, reorder or repeat what they move (form.def, family
 * TRANSFER), and the numbers of their geometry. */
#ifndef TIK_TRANSFER_H
#define TIK_TRANSFER_H

#include "isa/isa.h"

enum {
    TRANSFER_DST,
    TRANSFER_SRC
};

enum {
    PM_NBURST = 2,
    PM_BURST,
    PM_DST_GAP,
    PM_SRC_GAP,
    PM_RIGHT,
    PM_LEFT,
    PM_VALUE,
    PM_FILL
};

/* What data_move_pad writes into the bytes of a block that are no data: PM_FILL. */
typedef enum PadFill {
    PAD_FIRST,   /* the first element of the burst; there is no padding */
    PAD_GIVEN,   /* padding_value; without padding as PAD_FIRST */
    PAD_REGISTER /* the register SREG_PAD_VALUE; there is no padding */
} PadFill;

enum {
    NZ_NUM = 2, /* of both directions: matrices, rows, columns */
    NZ_ROWS,
    NZ_COLS
};

enum {
    ND2NZ_SRC_ND = 5,
    ND2NZ_SRC_N,
    ND2NZ_DST_C0,
    ND2NZ_DST_N,
    ND2NZ_DST_ND
};

enum {
    NZ2ND_SRC_ND = 5,
    NZ2ND_SRC_N,
    NZ2ND_DST_D,
    NZ2ND_DST_ND
};

enum {
    FRACTAL_ROWS = 16,
    FRACTAL_COLS = 16,
    FRACTAL_ELEMS = 256,
    FRACTAL_BYTES = 512 /* of 16-bit elements */
};

enum {
    SPREAD_NBURST = 2,
    SPREAD_LEN,
    SPREAD_SRC_GAP,
    SPREAD_DST_GAP
};

enum {
    SPREADMODE_MODE = 2,
    SPREADMODE_NBURST,
    SPREADMODE_LEN,
    SPREADMODE_DST_GAP,
    SPREADMODE_SRC_GAP
};

enum {
    BIAS_NBURST = 3,
    BIAS_BURST,
    BIAS_SRC_GAP, /* blocks */
    BIAS_DST_GAP  /* units */
};

/* Bytes that a burst to the bias table counts; in the source, before float16 becomes float32. */
static inline int64_t
transfer_bias_unit(const Soc *soc)
{
    return soc_has(soc, FEATURE_BIAS_UNIT_32) ? 32 : 64;
}

enum {
    FILL_REPEAT = 1,
    FILLFRACTALS_VALUE = 2,
    FILLBLOCKS_NUM = 2,
    FILLBLOCKS_GAP,
    FILLBLOCKS_VALUE
};

#endif
