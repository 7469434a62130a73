/* reduce_lanes.c: reduces a repeat (ops/reduce.h), compiled for each level (num/lanes.h).
 *
 * Loops have constant bounds if the number of lanes is a constant, so that the compiler
 * unrolls and vectorises them; each level of a tree is a loop of its own. */
#include "ops/reduce.h"
#include "num/lanes.h"

#if LANES_HERE
#include <stdbool.h>

#include "num/half.h"

#if LANES_F16C
#include <immintrin.h>
#endif

enum {
    F16_LANES = 128,
    F32_LANES = 64,
    GROUPS = 8
};

/* ---- sums ---------------------------------------------------------------- */

/* Returns the float16 nearest to a sum of two, as float32. Such a sum is a multiple of
 * 2^-24, so below 2^-14 it is exact in float16; above, 13 bits of the fraction are cut.
 * From 65520 on it is infinity. */
LANES_ATTR static inline float
to_f16_grid(float f)
{
    uint32_t u = float_bits(f);
    u = (u + 0xfffu + (u >> 13 & 1u)) & ~0x1fffu;
    uint32_t magnitude = u & 0x7fffffffu;
    bool over = magnitude >= 0x47800000u && magnitude <= 0x7f800000u;
    return float_of_bits(over ? (u & 0x80000000u) | 0x7f800000u : u);
}

/* Computes a level: the n sums of neighbours. */
LANES_ATTR static inline void
level_f16(float *restrict sums, const float *restrict x, int n)
{
    LANES_LOOP
    for (int i = 0; i < n; i++) {
        sums[i] = to_f16_grid(x[2 * i] + x[2 * i + 1]);
    }
}

LANES_ATTR static inline void
level_f32(float *restrict sums, const float *restrict x, int n)
{
    LANES_LOOP
    for (int i = 0; i < n; i++) {
        sums[i] = x[2 * i] + x[2 * i + 1];
    }
}

/* Computes the levels of a tree in an array: the children of node i are 2i and 2i + 1,
 * and the level of n nodes begins at n. */
#define LEVEL(level, tree, n, left)                                                      \
    if (n >= left) {                                                                     \
        level(tree + n, tree + 2 * n, n);                                                \
    }

#define LEVELS_FROM_32(level, tree, left)                                                \
    LEVEL(level, tree, 32, left)                                                         \
    LEVEL(level, tree, 16, left)                                                         \
    LEVEL(level, tree, 8, left)                                                          \
    LEVEL(level, tree, 4, left)                                                          \
    LEVEL(level, tree, 2, left)                                                          \
    LEVEL(level, tree, 1, left)

LANES_ATTR static inline void
widen_f16(float *x, const uint8_t *lanes)
{
#if LANES_F16C
    for (int i = 0; i < F16_LANES; i += 8) {
        __m128i h = _mm_loadu_si128((const __m128i *)(const void *)(lanes + 2 * i));
        _mm256_storeu_ps(x + i, _mm256_cvtph_ps(h));
    }
#else
    const AnyU16 *h = (const AnyU16 *)lanes;
    LANES_LOOP
    for (int i = 0; i < F16_LANES; i++) {
        x[i] = half_to_float(h[i]);
    }
#endif
}

LANES_ATTR static void
sum_f16(float *sums, const uint8_t *lanes, int left)
{
    float tree[2 * F16_LANES];
    widen_f16(tree + F16_LANES, lanes);
    LEVEL(level_f16, tree, 64, left)
    LEVELS_FROM_32(level_f16, tree, left)
    memcpy(sums, tree + left, (size_t)left * sizeof tree[0]);
}

LANES_ATTR static void
narrow_f16(uint8_t *dst, const float *sums, int n)
{
    AnyU16 *h = (AnyU16 *)dst;
    int i = 0;
#if LANES_F16C
    for (; i + 8 <= n; i += 8) {
        __m256 f = _mm256_loadu_ps(sums + i);
        __m256 nan = _mm256_cmp_ps(f, f, _CMP_UNORD_Q);
        f = _mm256_blendv_ps(f, _mm256_set1_ps(__builtin_nanf("")), nan);
        _mm_storeu_si128((__m128i *)(void *)(dst + 2 * i),
                         _mm256_cvtps_ph(f, _MM_FROUND_TO_NEAREST_INT));
    }
#endif
    for (; i < n; i++) {
        h[i] = half_from_float(sums[i]);
    }
}

LANES_ATTR static void
sum_f32(float *sums, const uint8_t *lanes, int left)
{
    float tree[2 * F32_LANES];
    memcpy(tree + F32_LANES, lanes, F32_LANES * sizeof tree[0]);
    LEVELS_FROM_32(level_f32, tree, left)
    memcpy(sums, tree + left, (size_t)left * sizeof tree[0]);
}

/* ---- keys ---------------------------------------------------------------- */

LANES_ATTR static void
keys_f16(int32_t *keys, const uint8_t *lanes, int32_t sign)
{
    const AnyU16 *h = (const AnyU16 *)lanes;
    LANES_LOOP
    for (int i = 0; i < F16_LANES; i++) {
        int32_t m = h[i] & 0x7fff;
        int32_t key = h[i] >> 15 ? -m : m;
        keys[i] = m > 0x7c00 ? KEY_NAN : key * sign;
    }
}

LANES_ATTR static void
keys_f32(int32_t *keys, const uint8_t *lanes, int32_t sign)
{
    const AnyS32 *f = (const AnyS32 *)lanes;
    LANES_LOOP
    for (int i = 0; i < F32_LANES; i++) {
        int32_t m = f[i] & 0x7fffffff;
        int32_t key = f[i] < 0 ? -m : m;
        key = sign < 0 ? -key : key;
        keys[i] = m > 0x7f800000 ? KEY_NAN : key;
    }
}

LANES_ATTR static void
keys_s16(int32_t *keys, const uint8_t *lanes, int32_t sign)
{
    const AnyS16 *s = (const AnyS16 *)lanes;
    LANES_LOOP
    for (int i = 0; i < F16_LANES; i++) {
        keys[i] = s[i] * sign;
    }
}

LANES_ATTR static int32_t
greatest(const int32_t *keys, int n)
{
    int32_t most = KEY_OFF;
    for (int i = 0; i < n; i++) {
        most = keys[i] > most ? keys[i] : most;
    }
    return most;
}

LANES_ATTR static int
find(const int32_t *keys, int n, int32_t key)
{
    int32_t at = n;
    for (int32_t i = 0; i < n; i++) {
        int32_t here = keys[i] == key ? i : n;
        at = here < at ? here : at;
    }
    return at;
}

LANES_ATTR static int
count(const int32_t *keys, int n, int32_t key)
{
    int32_t found = 0;
    for (int i = 0; i < n; i++) {
        found += keys[i] == key;
    }
    return found;
}

/* Computes a level: the greater of two neighbours, or the first of equal ones. */
LANES_ATTR static inline void
level_greater(int32_t *restrict key, int32_t *restrict at, const int32_t *restrict keys,
              const int32_t *restrict from, int n)
{
    LANES_LOOP
    for (int i = 0; i < n; i++) {
        const int32_t a = keys[2 * i], b = keys[2 * i + 1];
        const int32_t of_a = from[2 * i], of_b = from[2 * i + 1];
        key[i] = b > a ? b : a;
        at[i] = b > a ? of_b : of_a;
    }
}

#define LEVEL_GREATER(n) level_greater(key + n, where + n, key + 2 * n, where + 2 * n, n);

LANES_ATTR static void
find_groups(int32_t *at, int32_t *most, const int32_t *keys, int n)
{
    int32_t key[2 * F16_LANES], where[2 * F16_LANES];
    memcpy(key + n, keys, (size_t)n * sizeof key[0]);
    for (int32_t i = 0; i < n; i++) {
        where[n + i] = i;
    }
    if (n == F16_LANES) {
        LEVEL_GREATER(64)
    }
    LEVEL_GREATER(32)
    LEVEL_GREATER(16)
    LEVEL_GREATER(8)
    memcpy(most, key + GROUPS, GROUPS * sizeof key[0]);
    memcpy(at, where + GROUPS, GROUPS * sizeof where[0]);
}

const ReduceTable LANES_NAME(reduce) = {.sum_f16 = sum_f16,
                                        .sum_f32 = sum_f32,
                                        .narrow_f16 = narrow_f16,
                                        .keys_f16 = keys_f16,
                                        .keys_f32 = keys_f32,
                                        .keys_s16 = keys_s16,
                                        .greatest = greatest,
                                        .find = find,
                                        .count = count,
                                        .find_groups = find_groups};

#else
const ReduceTable LANES_NAME(reduce) = {0};
#endif
