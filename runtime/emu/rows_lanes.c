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

/* Copies active lanes, repeat after repeat. */
#if LANES_F16C == 16
#define MASKED(name, T, SET, store, load, others)                                        \
    LANES_ATTR static void name(uint8_t *dst, const uint8_t *src, const RowMask *mask,   \
                                int64_t n)                                               \
    {                                                                                    \
        enum {                                                                           \
            SOME = 64 / sizeof(T)                                                        \
        };                                                                               \
        SET set[MAX_LANES / 8];                                                          \
        const int64_t last = mask->lanes <= SOME ? 0 : mask->lanes / SOME - 1;           \
        for (int64_t v = 0; v <= last; v++) {                                            \
            uint64_t word = mask->bits[v * SOME / 64];                                   \
            word |= mask->lanes < 64 ? word << 32 : 0;                                   \
            set[v] = (SET)(word >> (v * SOME % 64));                                     \
        }                                                                                \
        for (int64_t v = 0; n > 0; n -= SOME, dst += 64, src += 64) {                    \
            SET some = n < SOME ? (SET)((UINT64_C(1) << n) - 1) : (SET)UINT64_MAX;       \
            SET here = set[v] & some;                                                    \
            store(dst, here | (others & some), load(here, src));                         \
            v = v < last ? v + 1 : 0;                                                    \
        }                                                                                \
    }
#define MASKED_ALL(size, T, SET)                                                         \
    MASKED(masked_##size, T, SET, _mm512_mask_storeu_epi##size,                          \
           _mm512_maskz_loadu_epi##size, (SET)0)                                         \
    MASKED(kept_##size, T, SET, _mm512_mask_storeu_epi##size,                            \
           _mm512_maskz_loadu_epi##size, (SET)UINT64_MAX)
MASKED_ALL(8, AnyU8, __mmask64)
MASKED_ALL(16, AnyU16, __mmask32)
MASKED_ALL(32, AnyU32, __mmask16)
MASKED_ALL(64, AnyU64, __mmask8)
#else
#define MASKED(name, T, select)                                                          \
    LANES_ATTR static void name(uint8_t *dst, const uint8_t *src, const RowMask *mask,   \
                                int64_t n)                                               \
    {                                                                                    \
        for (int64_t i = 0; i < n; i += mask->lanes) {                                   \
            int64_t some = n - i < mask->lanes ? n - i : mask->lanes;                    \
            int64_t at = i * (int64_t)sizeof(T);                                         \
            select(dst + at, mask->on, src + at, dst + at, some);                        \
        }                                                                                \
    }
#define MASKED_ALL(size, T)                                                              \
    MASKED(masked_##size, T, select_##size)                                              \
    LANES_ATTR static void kept_##size(uint8_t *dst, const uint8_t *src,                 \
                                       const RowMask *mask, int64_t n)                   \
    {                                                                                    \
        memset(dst, 0, (size_t)n * sizeof(T));                                           \
        masked_##size(dst, src, mask, n);                                                \
    }
MASKED_ALL(8, AnyU8)
MASKED_ALL(16, AnyU16)
MASKED_ALL(32, AnyU32)
MASKED_ALL(64, AnyU64)
#endif

/* ---- blocks -------------------------------------------------------------- */

enum {
    STEP = 8 /* blocks */
};

/* Copies two blocks, in one register if it can be, so that what is read next finds bytes
 * that were written together. */
LANES_ATTR static inline void
gather_two(uint8_t *dst, const uint8_t *src, int64_t blk)
{
#if LANES_F16C == 16
    __m512i one = _mm512_castsi256_si512(_mm256_loadu_si256((const void *)src));
    __m256i other = _mm256_loadu_si256((const void *)(src + blk));
    _mm512_storeu_si512(dst, _mm512_inserti64x4(one, other, 1));
#else
    memcpy(dst, src, BLOCK_BYTES);
    memcpy(dst + BLOCK_BYTES, src + blk, BLOCK_BYTES);
#endif
}

/* Lines of which only a block is written are read before that, so they are asked for one
 * step ahead. */
LANES_ATTR static inline void
scatter_two(uint8_t *dst, const uint8_t *src, int64_t blk)
{
    __builtin_prefetch(dst + STEP * blk, 1);
    __builtin_prefetch(dst + (STEP + 1) * blk, 1);
#if LANES_F16C == 16
    __m512i both = _mm512_loadu_si512(src);
    _mm256_storeu_si256((void *)dst, _mm512_castsi512_si256(both));
    _mm256_storeu_si256((void *)(dst + blk), _mm512_extracti64x4_epi64(both, 1));
#else
    memcpy(dst, src, BLOCK_BYTES);
    memcpy(dst + blk, src + BLOCK_BYTES, BLOCK_BYTES);
#endif
}

/* Copies n blocks. */
#define COPY_BLOCKS(name, two, to_step, from_step)                                       \
    LANES_ATTR static inline void name(uint8_t *dst, const uint8_t *src, int64_t blk,    \
                                       int64_t n)                                        \
    {                                                                                    \
        for (; n >= STEP; n -= STEP, dst += STEP * to_step, src += STEP * from_step) {   \
            two(dst, src, blk);                                                          \
            two(dst + 2 * to_step, src + 2 * from_step, blk);                            \
            two(dst + 4 * to_step, src + 4 * from_step, blk);                            \
            two(dst + 6 * to_step, src + 6 * from_step, blk);                            \
        }                                                                                \
        for (; n > 0; n--, dst += to_step, src += from_step) {                           \
            memcpy(dst, src, BLOCK_BYTES);                                               \
        }                                                                                \
    }
COPY_BLOCKS(gather_blocks, gather_two, BLOCK_BYTES, blk)
COPY_BLOCKS(scatter_blocks, scatter_two, blk, BLOCK_BYTES)

/* Copies repeats one by one; if the last block of one is as far from the first one of the
 * next as any two blocks, they are one. */
#define STRIDED(name, copy, to_step, from_step, to_last, from_last)                      \
    LANES_ATTR static void name(uint8_t *dst, const uint8_t *src, const RowStrides *s,   \
                                int64_t repeats)                                         \
    {                                                                                    \
        int64_t n = s->each / BLOCK_BYTES, rest = s->each % BLOCK_BYTES;                 \
        bool one = rest == 0 && s->dense == s->each && s->rep == n * s->blk;             \
        n *= one ? repeats : 1;                                                          \
        for (int64_t i = one ? repeats - 1 : 0; i < repeats; i++) {                      \
            copy(dst, src, s->blk, n);                                                   \
            if (rest > 0) {                                                              \
                memcpy(dst + n * to_last, src + n * from_last, (size_t)rest);            \
            }                                                                            \
            dst += to_step;                                                              \
            src += from_step;                                                            \
        }                                                                                \
    }
STRIDED(gather, gather_blocks, s->dense, s->rep, BLOCK_BYTES, s->blk)
STRIDED(scatter, scatter_blocks, s->rep, s->dense, s->blk, BLOCK_BYTES)

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

#if LANES_F16C == 16
#define CHOOSE(name, T, SET, blend)                                                      \
    LANES_ATTR static void name(uint8_t *dst, const uint8_t *bits, const uint8_t *a,     \
                                const uint8_t *b, int64_t n)                             \
    {                                                                                    \
        enum {                                                                           \
            SOME = 64 / sizeof(T)                                                        \
        };                                                                               \
        int64_t i = 0;                                                                   \
        for (; i + SOME <= n; i += SOME) {                                               \
            int64_t at = i * (int64_t)sizeof(T);                                         \
            SET set;                                                                     \
            memcpy(&set, bits + i / 8, sizeof set);                                      \
            _mm512_storeu_si512(dst + at, blend(set, _mm512_loadu_si512(b + at),         \
                                                _mm512_loadu_si512(a + at)));            \
        }                                                                                \
        for (; i < n; i++) {                                                             \
            int64_t at = i * (int64_t)sizeof(T);                                         \
            bool on = (bits[i / 8] >> (i % 8) & 1) != 0;                                 \
            memcpy(dst + at, (on ? a : b) + at, sizeof(T));                              \
        }                                                                                \
    }
CHOOSE(choose_8, AnyU8, __mmask64, _mm512_mask_blend_epi8)
CHOOSE(choose_16, AnyU16, __mmask32, _mm512_mask_blend_epi16)
CHOOSE(choose_32, AnyU32, __mmask16, _mm512_mask_blend_epi32)
CHOOSE(choose_64, AnyU64, __mmask8, _mm512_mask_blend_epi64)
#else
#define CHOOSE(name, T, select)                                                          \
    LANES_ATTR static void name(uint8_t *dst, const uint8_t *bits, const uint8_t *a,     \
                                const uint8_t *b, int64_t n)                             \
    {                                                                                    \
        uint8_t on[MAX_LANES];                                                           \
        for (int64_t i = 0; i < n; i += MAX_LANES) {                                     \
            int64_t at = i * (int64_t)sizeof(T);                                         \
            int64_t some = n - i < MAX_LANES ? n - i : MAX_LANES;                        \
            unpack(on, bits + i / 8, some);                                              \
            select(dst + at, on, a + at, b + at, some);                                  \
        }                                                                                \
    }
CHOOSE(choose_8, AnyU8, select_8)
CHOOSE(choose_16, AnyU16, select_16)
CHOOSE(choose_32, AnyU32, select_32)
CHOOSE(choose_64, AnyU64, select_64)
#endif

/* ---- sums of neighbours -------------------------------------------------- */

#if LANES_F16C == 16
/* Adds the even and the odd ones of 32 numbers, in their order. */
LANES_ATTR static inline __m512
add_neighbours(__m512 a, __m512 b)
{
    const __m512i order = _mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0);
    __m512 even = _mm512_shuffle_ps(a, b, 0x88), odd = _mm512_shuffle_ps(a, b, 0xdd);
    __m512d sum = _mm512_castps_pd(_mm512_add_ps(even, odd));
    return _mm512_castpd_ps(_mm512_permutexvar_pd(order, sum));
}

LANES_ATTR static inline __m512
canonical(__m512 r)
{
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(r, r, _CMP_UNORD_Q), r,
                                _mm512_set1_ps(__builtin_nanf("")));
}

LANES_ATTR static inline __m512
halves_at(const uint8_t *p)
{
    return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)p));
}

LANES_ATTR static inline __m512
floats_at(const uint8_t *p)
{
    return _mm512_loadu_ps((const void *)p);
}

LANES_ATTR static inline void
put_halves(uint8_t *p, __m512 r)
{
    _mm256_storeu_si256((__m256i *)(void *)p,
                        _mm512_cvtps_ph(r, _MM_FROUND_TO_NEAREST_INT));
}

LANES_ATTR static inline void
put_floats(uint8_t *p, __m512 r)
{
    _mm512_storeu_ps((void *)p, r);
}
#elif LANES_F16C
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

LANES_ATTR static inline __m256
floats_at(const uint8_t *p)
{
    return _mm256_loadu_ps((const float *)(const void *)p);
}

LANES_ATTR static inline void
put_halves(uint8_t *p, __m256 r)
{
    _mm_storeu_si128((__m128i *)(void *)p, _mm256_cvtps_ph(r, _MM_FROUND_TO_NEAREST_INT));
}

LANES_ATTR static inline void
put_floats(uint8_t *p, __m256 r)
{
    _mm256_storeu_ps((float *)(void *)p, r);
}
#endif

LANES_ATTR static void
pairs_f16(uint8_t *dst, const uint8_t *src, int64_t n)
{
    const AnyU16 *x = (const AnyU16 *)src;
    AnyU16 *d = (AnyU16 *)dst;
    int64_t i = 0;
#if LANES_F16C
    for (; i + LANES_F16C <= n; i += LANES_F16C) {
        const uint8_t *at = src + 4 * i;
        put_halves(dst + 2 * i, canonical(add_neighbours(
                                    halves_at(at), halves_at(at + 2 * LANES_F16C))));
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
    for (; i + LANES_F16C <= n; i += LANES_F16C) {
        const uint8_t *at = src + 8 * i;
        put_floats(dst + 4 * i, canonical(add_neighbours(
                                    floats_at(at), floats_at(at + 4 * LANES_F16C))));
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
FIND(find_s16, AnyU16, S16)

#if LANES_F16C == 16
/* Keys of 32 float16 in their own bits: lanes that are off have the least one, NaN the
 * one after it. */
enum {
    OFF_16 = INT16_MIN,
    NAN_16
};

LANES_ATTR static inline __m512i
keys_16(__m512i u, bool largest)
{
    const __m512i magnitude = _mm512_and_si512(u, _mm512_set1_epi16(0x7fff));
    const __m512i sign = largest ? u : _mm512_xor_si512(u, _mm512_set1_epi16(OFF_16));
    __m512i key = _mm512_mask_sub_epi16(magnitude, _mm512_movepi16_mask(sign),
                                        _mm512_setzero_si512(), magnitude);
    __mmask32 nan = _mm512_cmpgt_epi16_mask(magnitude, _mm512_set1_epi16(0x7c00));
    return _mm512_mask_mov_epi16(key, nan, _mm512_set1_epi16(NAN_16));
}

/* Keys of 16 float32, as of all levels. */
LANES_ATTR static inline __m512i
keys_32(__m512i u, bool largest)
{
    const __m512i magnitude = _mm512_and_si512(u, _mm512_set1_epi32(INT32_MAX));
    const __m512i sign = largest ? u : _mm512_xor_si512(u, _mm512_set1_epi32(INT32_MIN));
    __m512i key = _mm512_mask_sub_epi32(magnitude, _mm512_movepi32_mask(sign),
                                        _mm512_setzero_si512(), magnitude);
    __mmask16 nan = _mm512_cmpgt_epi32_mask(magnitude, _mm512_set1_epi32(0x7f800000));
    return _mm512_mask_mov_epi32(key, nan, _mm512_set1_epi32(ROW_NAN));
}

/* Returns the largest of 32 int16: the least of their distances from the top. */
LANES_ATTR static inline int16_t
largest_16(__m512i x)
{
    __m256i half =
        _mm256_max_epi16(_mm512_castsi512_si256(x), _mm512_extracti64x4_epi64(x, 1));
    __m128i most =
        _mm_max_epi16(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
    __m128i least = _mm_minpos_epu16(_mm_sub_epi16(_mm_set1_epi16(INT16_MAX), most));
    return (int16_t)(INT16_MAX - (uint16_t)_mm_cvtsi128_si32(least));
}

/* Returns which of 64 lanes from i on exist and are on, in bits. */
LANES_ATTR static inline uint64_t
lanes_on(const uint8_t *on, int64_t i, int64_t n)
{
    uint64_t here = i >= n ? 0 : n - i >= 64 ? UINT64_MAX : (UINT64_C(1) << (n - i)) - 1;
    return on == NULL || here == 0
               ? here
               : _mm512_cmpneq_epi8_mask(_mm512_maskz_loadu_epi8(here, on + i),
                                         _mm512_setzero_si512());
}

/* Gives the lanes with the extreme, of which equal[] has the bits. */
LANES_ATTR static inline void
found(RowExtreme *e, int32_t key, const uint64_t equal[2])
{
    int32_t at = equal[0] != 0   ? __builtin_ctzll(equal[0])
                 : equal[1] != 0 ? 64 + __builtin_ctzll(equal[1])
                                 : INT32_MAX;
    *e = (RowExtreme){key, at,
                      __builtin_popcountll(equal[0]) + __builtin_popcountll(equal[1])};
}

LANES_ATTR static void
find_f16(RowExtreme *e, const uint8_t *src, const uint8_t *on, int64_t n, bool largest)
{
    const __m512i off = _mm512_set1_epi16(OFF_16);
    __m512i key[4], best = off;
    uint64_t set[2] = {lanes_on(on, 0, n), lanes_on(on, 64, n)}, equal[2] = {0, 0};
    for (int i = 0; 32 * i < n; i++) {
        __mmask32 here = (__mmask32)(set[i / 2] >> (i % 2 * 32));
        __m512i u = _mm512_maskz_loadu_epi16(here, src + 64 * i);
        key[i] = _mm512_mask_mov_epi16(off, here, keys_16(u, largest));
        best = _mm512_max_epi16(best, key[i]);
    }
    int16_t most = largest_16(best);
    for (int i = 0; 32 * i < n; i++) {
        uint64_t same = _mm512_cmpeq_epi16_mask(key[i], _mm512_set1_epi16(most));
        same &= n - 32 * i >= 32 ? UINT32_MAX : (UINT64_C(1) << (n - 32 * i)) - 1;
        equal[i / 2] |= same << (i % 2 * 32);
    }
    found(e, most == OFF_16 ? INT32_MIN : most == NAN_16 ? ROW_NAN : most, equal);
}

LANES_ATTR static void
find_f32(RowExtreme *e, const uint8_t *src, const uint8_t *on, int64_t n, bool largest)
{
    const __m512i off = _mm512_set1_epi32(INT32_MIN);
    __m512i key[8], best = off;
    uint64_t set[2] = {lanes_on(on, 0, n), lanes_on(on, 64, n)}, equal[2] = {0, 0};
    for (int i = 0; 16 * i < n; i++) {
        __mmask16 here = (__mmask16)(set[i / 4] >> (i % 4 * 16));
        __m512i u = _mm512_maskz_loadu_epi32(here, src + 64 * i);
        key[i] = _mm512_mask_mov_epi32(off, here, keys_32(u, largest));
        best = _mm512_max_epi32(best, key[i]);
    }
    int32_t most = _mm512_reduce_max_epi32(best);
    for (int i = 0; 16 * i < n; i++) {
        uint64_t same = _mm512_cmpeq_epi32_mask(key[i], _mm512_set1_epi32(most));
        same &= n - 16 * i >= 16 ? UINT16_MAX : (UINT64_C(1) << (n - 16 * i)) - 1;
        equal[i / 4] |= same << (i % 4 * 16);
    }
    found(e, most, equal);
}

/* In each half of a register the extreme goes to all lanes; the first lane that is equal
 * is the one. */
LANES_ATTR static void
blocks_16(uint8_t *dst, const uint8_t *src, int64_t n, bool largest)
{
    const AnyU16 *x = (const AnyU16 *)src;
    AnyU16 *d = (AnyU16 *)dst;
    for (int64_t b = 0; b < n; b += 2) {
        __mmask32 here = b + 1 < n ? UINT32_MAX : UINT16_MAX;
        __m512i u = _mm512_maskz_loadu_epi16(here, src + b * BLOCK_BYTES);
        __m512i key = keys_16(u, largest), most = key;
        most = _mm512_max_epi16(most, _mm512_shuffle_i64x2(most, most, 0xb1));
        most = _mm512_max_epi16(most, _mm512_shuffle_epi32(most, _MM_PERM_BADC));
        most = _mm512_max_epi16(most, _mm512_shuffle_epi32(most, _MM_PERM_CDAB));
        most = _mm512_max_epi16(most, _mm512_rol_epi32(most, 16));
        uint32_t same = _mm512_cmpeq_epi16_mask(key, most);
        uint32_t nan = _mm512_cmpeq_epi16_mask(most, _mm512_set1_epi16(NAN_16));
        for (int64_t k = b; k < n && k < b + 2; k++, same >>= 16, nan >>= 16) {
            d[k] = nan & 1 ? HALF_NAN : x[16 * k + __builtin_ctz(same)];
        }
    }
}

LANES_ATTR static void
blocks_32(uint8_t *dst, const uint8_t *src, int64_t n, bool largest)
{
    const AnyU32 *x = (const AnyU32 *)src;
    AnyU32 *d = (AnyU32 *)dst;
    for (int64_t b = 0; b < n; b += 2) {
        __mmask16 here = b + 1 < n ? UINT16_MAX : UINT8_MAX;
        __m512i u = _mm512_maskz_loadu_epi32(here, src + b * BLOCK_BYTES);
        __m512i key = keys_32(u, largest), most = key;
        most = _mm512_max_epi32(most, _mm512_shuffle_i64x2(most, most, 0xb1));
        most = _mm512_max_epi32(most, _mm512_shuffle_epi32(most, _MM_PERM_BADC));
        most = _mm512_max_epi32(most, _mm512_shuffle_epi32(most, _MM_PERM_CDAB));
        uint32_t same = _mm512_cmpeq_epi32_mask(key, most);
        uint32_t nan = _mm512_cmpeq_epi32_mask(most, _mm512_set1_epi32(ROW_NAN));
        for (int64_t k = b; k < n && k < b + 2; k++, same >>= 8, nan >>= 8) {
            d[k] = nan & 1 ? FLOAT_NAN : x[8 * k + __builtin_ctz(same)];
        }
    }
}
#else
FIND(find_f16, AnyU16, F16)
FIND(find_f32, AnyU32, F32)

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
#endif

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
    .choose = {choose_8, choose_16, choose_32, choose_64},
    .masked = {masked_8, masked_16, masked_32, masked_64},
    .kept = {kept_8, kept_16, kept_32, kept_64},
    .pairs = {[DT_F16] = pairs_f16, [DT_F32] = pairs_f32},
    .find = {[DT_F16] = find_f16, [DT_F32] = find_f32, [DT_S16] = find_s16},
    .blocks = {[DT_F16] = blocks_16, [DT_F32] = blocks_32},
    .gather = gather,
    .scatter = scatter,
    .pack = pack,
    .unpack = unpack,
};

#else
const RowTable LANES_NAME(emu_rows) = {0};
#endif
