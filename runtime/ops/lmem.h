/* lmem.h: tensor operands of four axes, in LMEM lanes or linear memory. It is private to
 * runtime/ops. */
#ifndef TIK_OPS_LMEM_H
#define TIK_OPS_LMEM_H

#include "layout/lmem.h"
#include "ops/internal.h"

/* A tensor in LMEM lanes. In a linear tensor every channel counts as a lane, so that the
 * pitch is the step of c. */
typedef struct OpLmem {
    uint8_t *at; /* in lane 0, even if the tensor starts in another one */
    int64_t shape[LMEM_AXES];
    int64_t step[LMEM_AXES]; /* in bytes; for elements of 4 bits in elements */
    int64_t pitch;           /* distance of LMEM lanes in bytes */
    int npu, lane;           /* number of LMEM lanes, INT32_MAX: linear; start lane */
    int size;                /* bytes of an element */
} OpLmem;

OpLmem ops_lanes(const OpCall *c, int param);

/* Returns the first element of a channel. */
static inline uint8_t *
ops_channel(const OpLmem *x, int64_t n, int64_t c)
{
    int64_t at = x->lane + c;
    return x->at + n * x->step[LMEM_N] + at % x->npu * x->pitch +
           at / x->npu * x->step[LMEM_C];
}

#endif
