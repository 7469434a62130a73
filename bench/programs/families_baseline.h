/* families_baseline.h: declares what a C programmer would write instead of one vector
 * instruction of each family. It is compiled with -O3 -march=native by the C compiler of
 * the build and by clang, which vectorise different loops. The loops are called through
 * tables, so that a call is not hoisted out of the caller's loop. */
#ifndef BENCH_FAMILIES_BASELINE_H
#define BENCH_FAMILIES_BASELINE_H

#include <stdint.h>

/* Reads n elements (or another unit that is given for n below) of x, and of y if it has
 * two sources; writes z, which shares no bytes with them. float16 numbers are bits. */
typedef void FamilyLoop(void *restrict z, const void *x, const void *y, int64_t n);

typedef enum Loop {
    LOOP_ADD_F32,
    LOOP_ADD_F16,
    LOOP_ADD100_F16, /* n groups of 128, and the first 100 of each */
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
    LOOP_SUM64_F32,  /* sums of each 64 numbers */
    LOOP_SUM8_F32,
    LOOP_MAX_F32,
    LOOP_TRANSPOSE_U16, /* n squares of 16 x 16 */
    LOOP_GATHER_U32,    /* y: offsets in bytes */
    LOOP_COMPRESS_U32,  /* y: 64 bits that choose among each 64 */
    LOOP_SORT16_F16,  /* n groups of 16 records of 8 numbers, by the fifth, descending */
    LOOP_MERGE4_F16,  /* n records in 4 sorted lists, one after the other */
    LOOP_ADDBITS_F16, /* n groups of 128; of each 64 the ones in ODD_LANES */
    LOOP_ADDBLOCKS_F32, /* x: every second of its blocks of 8 */
    LOOP_LARGER_F16,
    LOOP_RELU_F16,
    LOOP_AND_U16,
    LOOP_MUL3_U32,
    LOOP_S8_F16,
    LOOP_F16_S8,
    LOOP_F16_S32,
    LOOP_S32_F16,
    LOOP_ABOVE_F16,    /* z: bits that are set for numbers above 1.25 */
    LOOP_ARGMAX64_F32, /* of each 64 numbers the largest, and where it is as bits */
    LOOP_MAX16_F16,    /* the largest of each 16 */
    LOOP_SUM2_F16,     /* sums of each 2 */
    LOOP_SUM_F32,
    LOOP_CHANNELS_U16, /* n pixels of 16 channels, which were planes */
    LOOP_SCATTER_U32,  /* y: offsets in bytes */
    LOOP_FIELD_U16,    /* z: the fifth number of n records of 8 */
    LOOP_LESS_BYTES_F16,
    LOOP_CHOOSE_F16, /* y: bytes; x: n numbers for 1, then n for 0 */
    LOOP_ROWS_F16,   /* n rows of 112 numbers, 128 from row to row: sums */
    LOOP_SUM128_F32, /* sums of n rows of 128 */
    LOOP_BLOCKS_U32, /* n times 32 bytes, 64 bytes from one to the next */
    LOOP_BURSTS_U32, /* n times 128 bytes, 160 bytes from one to the next */
    LOOP_COUNT
} Loop;

#define ODD_LANES 0x5c31f00d9a6be247ull

extern FamilyLoop *const families_cc[LOOP_COUNT], *const families_clang[LOOP_COUNT];

#endif
