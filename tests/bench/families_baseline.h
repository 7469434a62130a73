/* families_baseline.h: what a C programmer would write instead of one vector instruction of each family.
 * Compiled with -O3 -march=native by the C compiler of the build and by clang, which vectorise different
 * ones; called through tables, so that a call is not hoisted out of the caller's loop. */
#ifndef BENCH_FAMILIES_BASELINE_H
#define BENCH_FAMILIES_BASELINE_H

#include <stdint.h>

/* Reads n elements (or what n counts below) of x, and of y if it has two sources; writes z, which shares no
 * bytes with them. float16 numbers are bits. */
typedef void FamilyLoop(void *restrict z, const void *x, const void *y, int64_t n);

typedef enum Loop {
    LOOP_ADD_F32,
    LOOP_ADD_F16,
    LOOP_ADD100_F16, /* n groups of 128, of which the first 100 */
    LOOP_DIV_F32,
    LOOP_AXPY_F32, /* z += 1.5 x */
    LOOP_AXPY_F16,
    LOOP_EXP_F32,
    LOOP_EXP_F16, /* n is a multiple of 256 */
    LOOP_LN_F32,
    LOOP_FILL_F32, /* with 1.5 */
    LOOP_FILL_F16,
    LOOP_F32_F16, /* conversions: to nearest, ties to even */
    LOOP_F16_F32,
    LOOP_F32_S32,
    LOOP_LESS_F32, /* z: bits, the lowest first */
    LOOP_LESS_F16,
    LOOP_SELECT_F32, /* y: bits; x: n numbers for 1, then n for 0 */
    LOOP_SUM64_F32,  /* of each 64 numbers */
    LOOP_SUM8_F32,
    LOOP_MAX_F32,
    LOOP_TRANSPOSE_U16, /* n squares of 16 x 16 */
    LOOP_GATHER_U32,    /* y: offsets in bytes */
    LOOP_COMPRESS_U32,  /* y: 64 bits that choose among each 64 */
    LOOP_SORT16_F16, /* n groups of 16 records of 8 numbers, by the fifth, descending */
    LOOP_MERGE4_F16, /* n records in 4 sorted lists one behind the other */
    LOOP_COUNT
} Loop;

extern FamilyLoop *const families_cc[LOOP_COUNT], *const families_clang[LOOP_COUNT];

#endif
