/* reduce.h: a repeat of a reduction, on contiguous vector lanes. There is a table for
 * each level of the processor's vector unit, made from one text (reduce_lanes.c), so all
 * compute the same bits. */
#ifndef TIK_OPS_REDUCE_H
#define TIK_OPS_REDUCE_H

#include <stdint.h>

enum {
    REDUCE_MOST = 128,       /* lanes of a repeat */
    KEY_OFF = INT32_MIN,     /* key of a lane that is off, below all others */
    KEY_NAN = INT32_MIN + 1, /* key of NaN, below all numbers */
};

/* Sums are balanced trees, neighbours first, until `left` sums are left; all counts are
 * powers of two. Each node is rounded to the type. A NaN is not made canonical here. */
typedef struct ReduceTable {
    /* Adds elements of float16. The sums are exact in float16 and given as float32. */
    void (*sum_f16)(float *sums, const uint8_t *lanes, int left);
    void (*sum_f32)(float *sums, const uint8_t *lanes, int left);
    /* Stores n sums as float16, with NaN canonical. */
    void (*narrow_f16)(uint8_t *dst, const float *sums, int n);
    /* Makes integer keys of n numbers, in the order of the numbers (sign 1), or in the
     * reverse order (-1). -0 and +0 have the same key. */
    void (*keys_f16)(int32_t *keys, const uint8_t *lanes, int32_t sign);
    void (*keys_f32)(int32_t *keys, const uint8_t *lanes, int32_t sign);
    void (*keys_s16)(int32_t *keys, const uint8_t *lanes, int32_t sign);
    /* Returns the greatest of n keys; n is a multiple of 32. */
    int32_t (*greatest)(const int32_t *keys, int n);
    /* Returns the index of the first element equal to key. */
    int (*find)(const int32_t *keys, int n, int32_t key);
    /* Returns the number of elements equal to key. */
    int (*count)(const int32_t *keys, int n, int32_t key);
    /* Gives the greatest key of each of 8 groups of n / 8 keys and the index of the first
     * such; n is 64 or 128. */
    void (*find_groups)(int32_t *at, int32_t *most, const int32_t *keys, int n);
} ReduceTable;

extern const ReduceTable reduce_base;
extern const ReduceTable reduce_avx2; /* empty where the processor family is not x86-64 */

#endif
