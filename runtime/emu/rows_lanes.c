/* rows_lanes.c: the loops of rows.h. The Makefile compiles this file once for each level
 * (num/lanes.h). */
#include "emu/rows.h"
#include "num/half.h"
#include "num/lanes.h"

#include <string.h>

#if LANES_HERE

#if LANES_F16C
#include <immintrin.h>
#endif

/* ---- compares ------------------------------------------------------------ */

/* An integer that has the order of the float16, in which both zeros are 0. */
static inline int16_t
half_key(uint16_t h)
{
    int16_t magnitude = (int16_t)(h & 0x7fff), sign = (int16_t)-(h >> 15);
    return (int16_t)((magnitude ^ sign) - sign);
}

#define RELATE(name, T, op)                                                              \
    LANES_ATTR static void name(uint8_t *on, const uint8_t *a, const uint8_t *b,         \
                                int64_t n)                                               \
    {                                                                                    \
        const T *x = (const T *)a, *y = (const T *)b;                                    \
        LANES_LOOP                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                \
            on[i] = x[i] op y[i];                                                        \
        }                                                                                \
    }
/* A float16 that is not ordered decides by itself. */
#define RELATE_HALF(name, op, unordered)                                                 \
    LANES_ATTR static void name(uint8_t *on, const uint8_t *a, const uint8_t *b,         \
                                int64_t n)                                               \
    {                                                                                    \
        const AnyU16 *x = (const AnyU16 *)a, *y = (const AnyU16 *)b;                     \
        LANES_LOOP                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                \
            int16_t p = (int16_t)(x[i] & 0x7fff), q = (int16_t)(y[i] & 0x7fff);          \
            int16_t larger = p > q ? p : q;                                              \
            uint8_t holds = half_key(x[i]) op half_key(y[i]);                            \
            on[i] = larger > 0x7c00 ? (uint8_t)(unordered) : holds;                      \
        }                                                                                \
    }
#define RELATES(name, T)                                                                 \
    RELATE(lt_##name, T, <)                                                              \
    RELATE(gt_##name, T, >)                                                              \
    RELATE(ge_##name, T, >=)                                                             \
    RELATE(eq_##name, T, ==)                                                             \
    RELATE(ne_##name, T, !=)                                                             \
    RELATE(le_##name, T, <=)

RELATES(s8, AnyS8)
RELATES(u8, AnyU8)
RELATES(s16, AnyS16)
RELATES(s32, AnyS32)
RELATES(s64, AnyS64)
RELATES(f32, AnyF32)
RELATE_HALF(lt_f16, <, 0)
RELATE_HALF(gt_f16, >, 0)
RELATE_HALF(ge_f16, >=, 0)
RELATE_HALF(eq_f16, ==, 0)
RELATE_HALF(ne_f16, !=, 1)
RELATE_HALF(le_f16, <=, 0)

#define SELECT(name, T)                                                                  \
    LANES_ATTR static void name(uint8_t *dst, const uint8_t *on, const uint8_t *a,       \
                                const uint8_t *b, int64_t n)                             \
    {                                                                                    \
        T *d = (T *)dst;                                                                 \
        const T *x = (const T *)a, *y = (const T *)b;                                    \
        LANES_LOOP                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                \
            T was = y[i], other = x[i];                                                  \
            d[i] = on[i] ? other : was;                                                  \
        }                                                                                \
    }
SELECT(select_8, AnyU8)
SELECT(select_16, AnyU16)
SELECT(select_32, AnyU32)
SELECT(select_64, AnyU64)

/* ---- bits ---------------------------------------------------------------- */

LANES_ATTR static void
pack(uint8_t *bits, const uint8_t *on, int64_t n)
{
    int64_t i = 0;
#if LANES_F16C
    for (; i + 32 <= n; i += 32) {
        __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(on + i));
        int32_t m = _mm256_movemask_epi8(_mm256_slli_epi16(v, 7));
        memcpy(bits + i / 8, &m, sizeof m);
    }
#endif
    for (; i < n; i += 8) {
        uint64_t eight;
        memcpy(&eight, on + i, sizeof eight);
        bits[i / 8] = (uint8_t)(eight * 0x0102040810204080U >> 56);
    }
}

/* Each byte is copied to eight lanes, which keep one bit each. */
LANES_ATTR static void
unpack(uint8_t *on, const uint8_t *bits, int64_t n)
{
    const uint64_t ones = 0x0101010101010101U;
    int64_t i = 0;
#if LANES_F16C
    const __m256i place =
        _mm256_set_epi64x(0x0303030303030303, 0x0202020202020202, 0x0101010101010101, 0);
    const __m256i bit = _mm256_set1_epi64x((int64_t)0x8040201008040201U);
    for (; i + 32 <= n; i += 32) {
        int32_t four;
        memcpy(&four, bits + i / 8, sizeof four);
        __m256i v = _mm256_shuffle_epi8(_mm256_set1_epi32(four), place);
        v = _mm256_cmpeq_epi8(_mm256_and_si256(v, bit), bit);
        v = _mm256_and_si256(v, _mm256_set1_epi8(1));
        _mm256_storeu_si256((__m256i *)(void *)(on + i), v);
    }
#endif
    for (; i < n; i += 8) {
        uint64_t eight = bits[i / 8] * ones & 0x8040201008040201U;
        eight = (eight + 0x7f * ones) >> 7 & ones;
        memcpy(on + i, &eight, sizeof eight);
    }
}

/* ---- sums of neighbours -------------------------------------------------- */

#if LANES_F16C
/* Adds the even and the odd ones of 16 numbers, in their order. */
LANES_ATTR static inline __m256
add_neighbours(__m256 a, __m256 b)
{
    __m256 even = _mm256_shuffle_ps(a, b, 0x88), odd = _mm256_shuffle_ps(a, b, 0xdd);
    __m256d sum = _mm256_castps_pd(_mm256_add_ps(even, odd));
    return _mm256_castpd_ps(_mm256_permute4x64_pd(sum, 0xd8));
}

LANES_ATTR static inline __m256
canonical(__m256 r)
{
    return _mm256_blendv_ps(r, _mm256_set1_ps(__builtin_nanf("")),
                            _mm256_cmp_ps(r, r, _CMP_UNORD_Q));
}

LANES_ATTR static inline __m256
halves_at(const uint8_t *p)
{
    return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)p));
}
#endif

LANES_ATTR static void
pairs_f16(uint8_t *dst, const uint8_t *src, int64_t n)
{
    const AnyU16 *x = (const AnyU16 *)src;
    AnyU16 *d = (AnyU16 *)dst;
    int64_t i = 0;
#if LANES_F16C
    for (; i + 8 <= n; i += 8) {
        __m256 r = add_neighbours(halves_at(src + 4 * i), halves_at(src + 4 * i + 16));
        _mm_storeu_si128((__m128i *)(void *)(dst + 2 * i),
                         _mm256_cvtps_ph(canonical(r), _MM_FROUND_TO_NEAREST_INT));
    }
#endif
    for (; i < n; i++) {
        d[i] = half_from_float(half_to_float(x[2 * i]) + half_to_float(x[2 * i + 1]));
    }
}

LANES_ATTR static void
pairs_f32(uint8_t *dst, const uint8_t *src, int64_t n)
{
    const AnyF32 *x = (const AnyF32 *)src;
    AnyU32 *d = (AnyU32 *)dst;
    int64_t i = 0;
#if LANES_F16C
    for (; i + 8 <= n; i += 8) {
        const float *at = (const float *)(const void *)(src + 8 * i);
        __m256 r = add_neighbours(_mm256_loadu_ps(at), _mm256_loadu_ps(at + 8));
        _mm256_storeu_ps((float *)(void *)(dst + 4 * i), canonical(r));
    }
#endif
    for (; i < n; i++) {
        d[i] = float_bits_canonical(x[2 * i] + x[2 * i + 1]);
    }
}

/* ---- extremes ------------------------------------------------------------ */

/* Keys have the order of what is sought, so the largest one always is the extreme. */
#define ORDER_F16(u)  ((u) & 0x8000u ? -(int32_t)((u) & 0x7fffu) : (int32_t)(u))
#define ORDER_F32(u)  ((u) >> 31 ? -(int32_t)((u) & 0x7fffffffu) : (int32_t)(u))
#define ORDER_S16(u)  ((int16_t)(u))
#define IS_NAN_F16(u) (((u) & 0x7fffu) > 0x7c00u)
#define IS_NAN_F32(u) (((u) & 0x7fffffffu) > 0x7f800000u)
#define IS_NAN_S16(u) 0

#define NAN_F16 HALF_NAN
#define NAN_F32 FLOAT_NAN

#define KEY(type, u) (IS_NAN_##type(u) ? ROW_NAN : (ORDER_##type(u) ^ flip) - flip)

#define FIND(name, T, type)                                                              \
    LANES_ATTR static void name(RowExtreme *e, const uint8_t *src, const uint8_t *on,    \
                                int64_t n, bool largest)                                 \
    {                                                                                    \
        const T *x = (const T *)src;                                                     \
        int32_t key[MAX_LANES], best = INT32_MIN, at = INT32_MAX, many = 0;              \
        const int32_t flip = largest ? 0 : -1;                                           \
        for (int64_t i = 0; i < n; i++) {                                                \
            const uint32_t u = x[i];                                                     \
            key[i] = KEY(type, u);                                                       \
        }                                                                                \
        for (int64_t i = 0; on != NULL && i < n; i++) {                                  \
            key[i] = on[i] ? key[i] : INT32_MIN;                                         \
        }                                                                                \
        for (int64_t i = 0; i < n; i++) {                                                \
            best = key[i] > best ? key[i] : best;                                        \
        }                                                                                \
        for (int32_t i = 0; i < (int32_t)n; i++) {                                       \
            int32_t here = i | (-(int32_t)(key[i] != best) & INT32_MAX);                 \
            at = here < at ? here : at;                                                  \
        }                                                                                \
        for (int64_t i = 0; i < n; i++) {                                                \
            many += key[i] == best;                                                      \
        }                                                                                \
        *e = (RowExtreme){best, at, many};                                               \
    }
FIND(find_f16, AnyU16, F16)
FIND(find_f32, AnyU32, F32)
FIND(find_s16, AnyU16, S16)

/* Of two neighbours the first one stays unless the second one is more extreme, as in the
 * order of lanes; so each level halves the lanes. NaN never wins against a number. */
#define WINNERS(name, T, type)                                                           \
    LANES_ATTR static void name(T *to, const T *from, int64_t n, int32_t flip)           \
    {                                                                                    \
        LANES_LOOP                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                \
            const uint32_t u = from[2 * i], v = from[2 * i + 1];                         \
            const int32_t p = KEY(type, u), q = KEY(type, v);                            \
            to[i] = (T)(q > p ? v : p == ROW_NAN ? NAN_##type : u);                      \
        }                                                                                \
    }
WINNERS(winners_16, AnyU16, F16)
WINNERS(winners_32, AnyU32, F32)

enum {
    SOME_BLOCKS = 32 /* done at a time */
};

#define BLOCKS(name, T, winners)                                                         \
    LANES_ATTR static void name(uint8_t *dst, const uint8_t *src, int64_t n,             \
                                bool largest)                                            \
    {                                                                                    \
        enum {                                                                           \
            EACH = BLOCK_BYTES / sizeof(T)                                               \
        };                                                                               \
        const int32_t flip = largest ? 0 : -1;                                           \
        T room[2][SOME_BLOCKS * EACH / 2];                                               \
        for (int64_t b = 0; b < n; b += SOME_BLOCKS) {                                   \
            int64_t some = n - b < SOME_BLOCKS ? n - b : SOME_BLOCKS;                    \
            int64_t left = some * EACH / 2;                                              \
            int now = 0;                                                                 \
            winners(room[0], (const T *)(src + b * BLOCK_BYTES), left, flip);            \
            for (; left > some; now = !now) {                                            \
                left /= 2;                                                               \
                winners(room[!now], room[now], left, flip);                              \
            }                                                                            \
            memcpy(dst + b * (int64_t)sizeof(T), room[now], (size_t)some * sizeof(T));   \
        }                                                                                \
    }
BLOCKS(blocks_16, AnyU16, winners_16)
BLOCKS(blocks_32, AnyU32, winners_32)

/* ---- the table ----------------------------------------------------------- */

#define CONDITIONS(type)                                                                 \
    {lt_##type, gt_##type, ge_##type, eq_##type, ne_##type, le_##type}

const RowTable LANES_NAME(emu_rows) = {
    .relate = {[DT_S8] = CONDITIONS(s8),
               [DT_U8] = CONDITIONS(u8),
               [DT_S16] = CONDITIONS(s16),
               [DT_S32] = CONDITIONS(s32),
               [DT_S64] = CONDITIONS(s64),
               [DT_F16] = CONDITIONS(f16),
               [DT_F32] = CONDITIONS(f32)},
    .select = {select_8, select_16, select_32, select_64},
    .pairs = {[DT_F16] = pairs_f16, [DT_F32] = pairs_f32},
    .find = {[DT_F16] = find_f16, [DT_F32] = find_f32, [DT_S16] = find_s16},
    .blocks = {[DT_F16] = blocks_16, [DT_F32] = blocks_32},
    .pack = pack,
    .unpack = unpack,
};

#else
const RowTable LANES_NAME(emu_rows) = {0};
#endif
