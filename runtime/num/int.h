/* int.h: integer operations that C has no operator for. */
#ifndef TIK_NUM_INT_H
#define TIK_NUM_INT_H

#include <stdint.h>

#include "num/type.h"

/* Shifts of w-bit elements by 0..w bits.
 *
 *   NUM_SHL           unsigned: the low w bits; signed: the sign bit stays, the other
 *                     bits are shifted
 *   NUM_SHL_ALL       signed only: all bits are shifted
 *   NUM_SHR           unsigned: logical; signed: toward -infinity
 *   NUM_SHR_ROUNDED   signed only: to the nearest, ties toward +infinity */
typedef enum NumShift {
    NUM_SHL,
    NUM_SHL_ALL,
    NUM_SHR,
    NUM_SHR_ROUNDED,
    NUM_SHIFTS
} NumShift;

/* Writes n results at dst from n elements at src, which is equal to dst or shares no byte
 * with the results. Addresses need no alignment. */
typedef void NumShiftLanes(void *dst, const void *src, int count, int64_t n);

/* Returns the function for a type (uint16, int16, uint32, int32); null when there is
 * none. */
NumShiftLanes *num_shift(NumShift op, NumType t);

/* Returns the largest integer whose square is at most x. */
uint32_t num_isqrt(uint64_t x);

#endif
