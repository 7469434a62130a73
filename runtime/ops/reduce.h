/* reduce.h: one repeat of a reduction, on contiguous lanes. One table per level of the
 * processor's vector unit, made from one text (reduce_lanes.c): all compute the same
 * bits. */
#ifndef TIK_OPS_REDUCE_H
#define TIK_OPS_REDUCE_H

#include <stdint.h>

enum {
    REDUCE_MOST = 128,       /* lanes of a repeat */
    KEY_OFF = INT32_MIN,     /* of a lane that is off: below all others */
    KEY_NAN = INT32_MIN + 1, /* below all numbers */
};

/* Sums as balanced trees, neighbours first, until left sums are left; all are powers of
 * two. Each node is rounded to the type. NaN is not canonical yet. */
typedef struct ReduceTable {
    /* From bits of float16: the sums, which float16 represents, as float32. */
    void (*sum_f16)(float *sums, const uint8_t *lanes, int left);
    void (*sum_f32)(float *sums, const uint8_t *lanes, int left);
    /* n sums of float16 as its bits, NaN canonical. */
    void (*narrow_f16)(uint8_t *dst, const float *sums, int n);
    /* n numbers as integers in the order of the numbers, least first (sign 1), or
     * greatest first (-1). -0 and +0 are one key. */
    void (*keys_f16)(int32_t *keys, const uint8_t *lanes, int32_t sign);
    void (*keys_f32)(int32_t *keys, const uint8_t *lanes, int32_t sign);
    void (*keys_s16)(int32_t *keys, const uint8_t *lanes, int32_t sign);
    /* The greatest of n keys; n is a multiple of 32. */
    int32_t (*greatest)(const int32_t *keys, int n);
    /* The index of the first key that equals the greatest. */
    int (*find)(const int32_t *keys, int n, int32_t key);
    /* The number of keys that equal it. */
    int (*count)(const int32_t *keys, int n, int32_t key);
    /* For each of 8 groups of n / 8 keys, n 64 or 128, the greatest and the index of the
     * first such. */
    void (*find_groups)(int32_t *at, int32_t *most, const int32_t *keys, int n);
} ReduceTable;

extern const ReduceTable reduce_base;
extern const ReduceTable reduce_avx2; /* empty where the processor family is not x86-64 */

#endif
