/* seq.h: arithmetic sequences. */
#ifndef TIK_NUM_SEQ_H
#define TIK_NUM_SEQ_H

#include <stdint.h>

#include "num/type.h"

/* Writes start + first, start + first + 1, ... n elements of a type: integers, float16,
 * float32. start is a value of the type, a float as its bits. Integers wrap; each exact
 * sum of floats is rounded once, and NaN is canonical. dst needs no alignment; first + n
 * is below 2^53. */
void num_sequence(void *dst, NumType t, int64_t start, int64_t first, int64_t n);

#endif
