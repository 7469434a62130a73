/* transfer.h: moves that pad, reorder or repeat what they move (form.def, family
 * TRANSFER): the numbers of their geometry. */
#ifndef TIK_TRANSFER_H
#define TIK_TRANSFER_H

#include "isa/isa.h"
#include "isa/operand.h"
#include "layout/fractal.h"

/* The operand PADMOVE_fill: the values that data_move_pad writes to bytes of a block that
 * are no data. */
typedef enum PadFill {
    PAD_FIRST,   /* the first element of the burst; there is no padding */
    PAD_GIVEN,   /* padding_value; without padding as PAD_FIRST */
    PAD_REGISTER /* the register SREG_PAD_VALUE; there is no padding */
} PadFill;

enum {
    FRACTAL_ROWS = 16,
    FRACTAL_COLS = 16
};

/* Returns the bytes of a unit of bursts to the bias table, in the source, before float16
 * becomes float32. */
static inline int64_t
transfer_bias_unit(const Soc *soc)
{
    return soc_has(soc, FEATURE_BIAS_UNIT_32) ? 32 : 64;
}

#endif
