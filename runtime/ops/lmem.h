/* lmem.h: tensor operands of four axes, in lanes or linear. Private to runtime/ops. */
#ifndef TIK_OPS_LMEM_H
#define TIK_OPS_LMEM_H

#include "layout/lmem.h"
#include "ops/internal.h"

/* Of a linear tensor every channel counts as a lane, so that lanes are the step of c
 * apart. */
typedef struct OpLanes {
    uint8_t *at; /* lane 0, even if the tensor starts in another one */
    int64_t shape[LMEM_AXES];
    int64_t step[LMEM_AXES]; /* bytes; of elements of 4 bits elements */
    int64_t pitch;           /* bytes from lane to lane */
    int npu, lane;           /* lanes, INT32_MAX: linear; start lane */
    int size;                /* bytes of an element */
} OpLanes;

OpLanes ops_lanes(const OpCall *c, int param);

/* The first element of a channel. */
static inline uint8_t *
ops_channel(const OpLanes *x, int64_t n, int64_t c)
{
    int64_t at = x->lane + c;
    return x->at + n * x->step[LMEM_N] + at % x->npu * x->pitch +
           at / x->npu * x->step[LMEM_C];
}

#endif
