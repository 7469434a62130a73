/* combine.h: what an atomic write does with an element of global memory and the element
 * that is written (data-movement 9.3).
 *
 *   NUM_ADD   integers wrap; float32, float16, bfloat16: the sum rounded once to nearest
 * even; a sum beyond the largest float16 or bfloat16 is that number, a sum of float32 is
 * infinite then; a NaN is canonical NUM_MAX, NUM_MIN   the larger or smaller one; a NaN
 * loses against a number, two give the canonical NaN; +0 is larger than -0
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
    /* as NUM_ADD, but sums of float16 and bfloat16 become infinite too */
    NUM_ADD_INFINITE,
    NUM_COMBINES
} NumCombine;

/* int8, int16, int32, float16, bfloat16, float32. */
bool num_combines(NumType t);
/* to[i] = op(to[i], from[i]) for n elements of a type that num_combines has. Addresses
 * need no alignment; to and from share no bytes. */
void num_combine(NumType t, NumCombine op, void *to, const void *from, int64_t n);

#endif
