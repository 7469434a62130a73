/* combine.h: combines an element of global memory with the element that an atomic write
 * brings (data-movement 9.3).
 *
 *   NUM_ADD   integers wrap; the sum of float32, float16, bfloat16 is rounded once to
 *             nearest even; beyond the largest float16 or bfloat16 it is that number,
 *             in float32 it is infinite; a NaN is canonical
 *   NUM_MAX, NUM_MIN   the larger or smaller one; a NaN loses against a number, two give
 *             the canonical NaN; +0 is larger than -0
 *
 * Sums of integers and extremes do not depend on the order of the writes. */
#ifndef TIK_NUM_COMBINE_H
#define TIK_NUM_COMBINE_H

#include <stdbool.h>
#include <stdint.h>

#include "num/type.h"

typedef enum NumCombine {
    NUM_ADD,
    NUM_MAX,
    NUM_MIN,
    /* as NUM_ADD, but sums of float16 and bfloat16 may become infinite too */
    NUM_ADD_INFINITE,
    NUM_COMBINES
} NumCombine;

/* Computes to[i] = op(to[i], from[i]) for n elements of int8, int16, int32, float16,
 * bfloat16 or float32. Addresses need no alignment; to and from share no bytes. */
void num_combine(NumType t, NumCombine op, void *to, const void *from, int64_t n);

#endif
