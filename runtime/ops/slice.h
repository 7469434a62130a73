/* slice.h: loops over contiguous elements for the instructions on slices (ops/slice.c,
 * ops/slice_reduce.c). There is a table for each level of the processor's vector unit,
 * made from the same text (ops/slice_lanes.c), so all compute the same bits. It is
 * private to runtime/ops. */
#ifndef TIK_OPS_SLICE_H
#define TIK_OPS_SLICE_H

#include "ops/internal.h"

/* Writes n elements at dst from n elements at a and b; on is the mask of a selection, a
 * byte for each element. A source is equal to dst or shares no byte with the results.
 * Addresses need no alignment. */
typedef void SliceFn(void *dst, const void *a, const void *b, const void *on, int64_t n);

typedef enum SliceCmp {
    SLICE_LT,
    SLICE_LE,
    SLICE_GT,
    SLICE_GE,
    SLICE_EQ,
    SLICE_NE,
    SLICE_CMPS
} SliceCmp;

typedef struct SliceTable {
    SliceFn *fn[SEM_COUNT][DT_COUNT];
    SliceFn *cmp[SLICE_CMPS][DT_COUNT];
    SliceFn *select[9]; /* by the bytes of an element */
    /* Computes dst[i] = a[2 i] + a[2 i + 1] for n results; dst shares no byte with a. */
    SliceFn *halve[DT_COUNT];
    /* Makes int32 keys in the order of the elements. The key of NaN is below all others;
     * equal numbers have equal keys. */
    SliceFn *keys[DT_COUNT];
    int32_t (*largest)(const int32_t *keys, int64_t n);
} SliceTable;

extern const SliceTable ops_slice_base, ops_slice_avx2;

/* Returns the table for the processor that runs this. */
const SliceTable *ops_slice_table(void);

/* A tensor operand with its lengths, and steps in bytes. */
typedef struct OpSlice {
    uint8_t *at;
    int size;
    int64_t len[SLICE_DIMS], step[SLICE_DIMS];
} OpSlice;

OpSlice ops_slice_operand(const OpCall *c, int param);
/* Collects n elements that are step bytes apart; the other spreads them. */
void ops_slice_collect(uint8_t *to, const uint8_t *from, int64_t step, int size,
                       int64_t n);
void ops_slice_spread(uint8_t *to, int64_t step, const uint8_t *from, int size,
                      int64_t n);

/* Replaces infinity by the largest number and NaN by 0. */
void ops_slice_saturate(void *halves, int64_t n);
/* ops/clamp.c: returns the function for sums, differences, products and absolute values
 * of integers that are clamped to their type; null for other operations and types. */
SliceFn *ops_slice_clamped(Sem sem, Dtype t);

#endif
