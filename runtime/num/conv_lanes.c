/* conv_lanes.c: a table of conversions; num/conv.h describes their results, num/lanes.h
 * the levels for which it is compiled.
 *
 * Each row is a loop: a source type, a result type and the value of one element. Rounding
 * modes are data (NumStep), so one loop serves all of them. */
#include "num/conv.h"
#include "num/lanes.h"

#if LANES_HERE
#include <string.h>

#include "num/half.h"

#if LANES_F16C
#include <immintrin.h>
#endif

#define PART LANES_ATTR static inline

/* Reads an entry of a table of NumStep by selects, which vectorise. */
#define STEP(table, negative, odd)                                                       \
    ((odd) ? ((negative) ? (table)[1][1] : (table)[0][1])                                \
           : ((negative) ? (table)[1][0] : (table)[0][0]))

/* ---- to an integral number ----------------------------------------------- */

PART float
integral(float x, const NumStep *s)
{
    const float whole = 0x1p23f; /* floats from here on are integers */
    uint32_t sign = float_bits(x) & 0x80000000u;
    float mag = float_of_bits(float_bits(x) ^ sign);
    float t = (mag + whole) - whole;
    t = t > mag ? t - 1.0f : t;
    uint32_t odd = float_bits(t + whole) & 1u;
    t = mag - t >= STEP(s->limit, sign != 0, odd != 0) ? t + 1.0f : t;
    float r = mag < whole ? t : mag;
    return float_of_bits(float_bits(r) | sign);
}

/* Clamps an integral number, infinity or NaN to lo..hi, which are exact in float32. */
PART int32_t
clamp_to(float r, float lo, float hi)
{
    float c = r > lo ? r : lo;
    c = c < hi ? c : hi;
    int32_t v = (int32_t)c;
    return r == r ? v : 0;
}

PART int32_t
clamp_s32(float r)
{
    int32_t v = clamp_to(r, -0x1p31f, 0x1.fffffep30f);
    return r >= 0x1p31f ? INT32_MAX : v;
}

PART int64_t
clamp_s64(float r)
{
    float c = r > -0x1p63f ? r : -0x1p63f;
    c = c < 0x1.fffffep62f ? c : 0x1.fffffep62f;
    int64_t v = (int64_t)c;
    v = r >= 0x1p63f ? INT64_MAX : v;
    return r == r ? v : 0;
}

/* Returns the low 64 bits of an integral number; lo or hi for infinities, 0 for NaN. */
PART uint64_t
low_bits(float r, int64_t lo, int64_t hi)
{
    uint32_t u = float_bits(r);
    uint32_t mag = u & 0x7fffffffu;
    int e = (int)(mag >> 23) - 150;
    uint64_t m = (mag & 0x7fffffu) | 0x800000u;
    uint64_t up = e < 64 ? m << (e & 63) : 0;
    uint64_t down = e > -24 ? m >> (-e & 31) : 0;
    uint64_t v = e >= 0 ? up : down;
    uint64_t limit = (uint64_t)(u >> 31 ? lo : hi);
    v = u >> 31 ? 0 - v : v;
    v = mag == 0x7f800000u ? limit : v;
    return mag > 0x7f800000u ? 0 : v;
}

/* ---- to float types ------------------------------------------------------ */

/* Returns the bits of a magnitude in float16. Below 2^-14 its last place does not move
 * with the exponent, so the mantissa is shifted to it and keeps a sticky bit; after that
 * 13 bits are cut in both cases. */
PART uint16_t
to_f16(float x, const NumStep *s)
{
    uint32_t u = float_bits(x);
    uint32_t mag = u & 0x7fffffffu;
    uint32_t e = mag >> 23;
    uint32_t m = e == 0 ? mag : (mag & 0x7fffffu) | 0x800000u;
    uint32_t shift = e < 113 - 26 ? 26 : (113 - e) & 31;
    uint32_t sub = m >> shift | ((m & ((1u << shift) - 1)) != 0);
    uint32_t w = e < 113 ? sub : mag - (112u << 23);
    uint32_t odd = w >> 13 & 1u;
    uint32_t h = (w + STEP(s->bias, u >> 31 != 0, odd != 0)) >> 13;
    h = h >= 0x7c00u ? s->over : h;
    h |= u >> 16 & 0x8000u;
    return (uint16_t)(mag > 0x7f800000u ? s->nan : h);
}

PART uint16_t
to_f16_nearest(float x)
{
    uint32_t h = half_from_float(x);
    h = (h & 0x7fffu) == 0x7c00u ? h - 1 : h;
    return (uint16_t)(h == HALF_NAN ? 0 : h);
}

PART uint16_t
to_bf16(float x, const NumStep *s)
{
    uint32_t u = float_bits(x);
    uint32_t mag = u & 0x7fffffffu;
    uint32_t odd = mag >> 16 & 1u;
    uint32_t b = (mag + STEP(s->bias, u >> 31 != 0, odd != 0)) >> 16;
    b = b >= 0x7f80u ? s->over : b;
    b |= u >> 16 & 0x8000u;
    return (uint16_t)(mag > 0x7f800000u ? s->nan : b);
}

/* Converts an integer in a double to float32, which has 29 bits less. */
PART uint32_t
to_f32(double d, const NumStep *s)
{
    uint64_t u = double_bits(d);
    uint64_t mag = u & ~(UINT64_C(1) << 63);
    uint64_t odd = mag >> 29 & 1u;
    uint64_t r = (mag + STEP(s->bias, u >> 63 != 0, odd != 0)) >> 29 << 29;
    r |= u & UINT64_C(1) << 63;
    return float_bits((float)double_of_bits(r));
}

/* Converts a 64-bit integer to double, rounded to odd, so that rounding again in any mode
 * equals rounding once. */
PART double
odd_double(int64_t a)
{
    /* From |a| = 2^53 on ten bits are cut; more than 40 remain below those of a
     * float32. */
    bool small = a < (INT64_C(1) << 53) && a > -(INT64_C(1) << 53);
    int64_t cut = (a - (a & 1023)) / 1024;
    int64_t odd = cut | ((a & 1023) != 0);
    return small ? (double)a : (double)odd * 1024.0;
}

/* Converts float16 to float32; a signalling NaN becomes quiet. */
PART uint32_t
from_f16(uint16_t h)
{
    uint32_t u = float_bits(half_to_float(h));
    return (h & 0x7fffu) > 0x7c00u ? u | 0x400000u : u;
}

/* ---- loops --------------------------------------------------------------- */

#define FN(name)                                                                         \
    LANES_ATTR static void name(void *dst, const void *src, int64_t n, const NumStep *s)

/* Defines a loop. value is an expression of a, the element, and st, the mode. */
#define CONV(name, S, D, value)                                                          \
    FN(name)                                                                             \
    {                                                                                    \
        const NumStep st = *s;                                                           \
        const S *p = src;                                                                \
        D *d = dst;                                                                      \
        (void)st;                                                                        \
        LANES_LOOP                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                \
            const S a = p[i];                                                            \
            d[i] = (D)(value);                                                           \
        }                                                                                \
    }

#define B(a) bfloat_to_float(a)
#define F(a) float_of_bits(a)

CONV(f32_f16, AnyU32, AnyU16, to_f16(F(a), &st))
CONV(f32_bf16, AnyU32, AnyU16, to_bf16(F(a), &st))
CONV(bf16_f32, AnyU16, AnyU32, float_bits(B(a)))
CONV(s8_f16, AnyS8, AnyU16, half_from_float(a))
CONV(u8_f16, AnyU8, AnyU16, half_from_float(a))
CONV(s16_f16_nearest, AnyS16, AnyU16, half_from_float(a))
CONV(s16_f16, AnyS16, AnyU16, to_f16(a, &st))
CONV(s16_f32, AnyS16, AnyU32, float_bits(a))
CONV(s32_f32_nearest, AnyS32, AnyU32, float_bits((float)a))
CONV(s32_f32, AnyS32, AnyU32, to_f32(a, &st))
CONV(s64_f32_nearest, AnyS64, AnyU32, float_bits((float)a))
CONV(s64_f32, AnyS64, AnyU32, to_f32(odd_double(a), &st))

#if LANES_F16C == 0
#define WHOLE_F16_F32(i)
#define WHOLE_F32_F16(i)
#elif LANES_F16C == 8
#define WHOLE_F16_F32(i)                                                                 \
    for (; (i) + 8 <= n; (i) += 8) {                                                     \
        __m128i h = _mm_loadu_si128((const __m128i *)(const void *)(p + (i)));           \
        _mm256_storeu_ps((float *)(void *)(d + (i)), _mm256_cvtph_ps(h));                \
    }
#define WHOLE_F32_F16(i)                                                                 \
    for (; (i) + 8 <= n; (i) += 8) {                                                     \
        __m256 x = _mm256_loadu_ps((const float *)(const void *)(p + (i)));              \
        __m256 c = _mm256_min_ps(_mm256_max_ps(x, _mm256_set1_ps(-65504)),               \
                                 _mm256_set1_ps(65504));                                 \
        c = _mm256_and_ps(c, _mm256_cmp_ps(x, x, _CMP_ORD_Q));                           \
        _mm_storeu_si128((__m128i *)(void *)(d + (i)),                                   \
                         _mm256_cvtps_ph(c, _MM_FROUND_TO_NEAREST_INT));                 \
    }
#else
#define WHOLE_F16_F32(i)                                                                 \
    for (; (i) + 16 <= n; (i) += 16) {                                                   \
        __m256i h = _mm256_loadu_si256((const __m256i *)(const void *)(p + (i)));        \
        _mm512_storeu_ps((float *)(void *)(d + (i)), _mm512_cvtph_ps(h));                \
    }
#define WHOLE_F32_F16(i)                                                                 \
    for (; (i) + 16 <= n; (i) += 16) {                                                   \
        __m512 x = _mm512_loadu_ps((const float *)(const void *)(p + (i)));              \
        __m512 c = _mm512_max_ps(x, _mm512_set1_ps(-65504));                             \
        c = _mm512_maskz_min_ps(_mm512_cmp_ps_mask(x, x, _CMP_ORD_Q), c,                 \
                                _mm512_set1_ps(65504));                                  \
        _mm256_storeu_si256((__m256i *)(void *)(d + (i)),                                \
                            _mm512_cvtps_ph(c, _MM_FROUND_TO_NEAREST_INT));              \
    }
#endif

/* Defines a loop for the most frequent conversions: the processor converts whole vectors,
 * the rest is done as by CONV. */
#define CONV_F16C(name, S, D, whole, value)                                              \
    FN(name)                                                                             \
    {                                                                                    \
        const S *p = src;                                                                \
        D *d = dst;                                                                      \
        int64_t i = 0;                                                                   \
        (void)s;                                                                         \
        whole(i) LANES_LOOP for (int64_t k = i; k < n; k++)                              \
        {                                                                                \
            const S a = p[k];                                                            \
            d[k] = (D)(value);                                                           \
        }                                                                                \
    }
CONV_F16C(f16_f32, AnyU16, AnyU32, WHOLE_F16_F32, from_f16(a))
CONV_F16C(f32_f16_nearest, AnyU32, AnyU16, WHOLE_F32_F16, to_f16_nearest(F(a)))

/* ---- float to integer ---------------------------------------------------- */

/* The array is rounded in pieces, as floats, and then stored. */

enum {
    PIECE = 512 /* even, because two int4 share a byte */
};

typedef void LoadPiece(float *piece, const void *src, int64_t n);
typedef void StorePiece(void *dst, const float *piece, int64_t n);

LANES_ATTR static void
load_f16(float *piece, const void *src, int64_t n)
{
    f16_f32(piece, src, n, &(NumStep){.round = NUM_NEAREST});
}

LANES_ATTR static void
load_bf16(float *piece, const void *src, int64_t n)
{
    bf16_f32(piece, src, n, &(NumStep){.round = NUM_NEAREST});
}

LANES_ATTR static void
load_f32(float *piece, const void *src, int64_t n)
{
    memcpy(piece, src, (size_t)n * sizeof *piece);
}

#define ROUND(name, value)                                                               \
    LANES_ATTR static void name(float *piece, int64_t n, const NumStep *s)               \
    {                                                                                    \
        const NumStep st = *s;                                                           \
        (void)st;                                                                        \
        LANES_LOOP                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                \
            const float x = piece[i];                                                    \
            piece[i] = (value);                                                          \
        }                                                                                \
    }

ROUND(round_any, integral(x, &st))
#if LANES_F16C
/* Processors with F16C have instructions that round, to which the built-in functions
 * compile. */
ROUND(round_nearest, __builtin_rintf(x))
ROUND(round_floor, __builtin_floorf(x))
ROUND(round_ceil, __builtin_ceilf(x))
ROUND(round_to_zero, __builtin_truncf(x))
#else
#define round_nearest round_any
#define round_floor   round_any
#define round_ceil    round_any
#define round_to_zero round_any
#endif

LANES_ATTR static void
round_piece(float *piece, int64_t n, const NumStep *s)
{
    switch (s->round) {
    case NUM_NEAREST:
        round_nearest(piece, n, s);
        return;
    case NUM_FLOOR:
        round_floor(piece, n, s);
        return;
    case NUM_CEIL:
        round_ceil(piece, n, s);
        return;
    case NUM_TO_ZERO:
        round_to_zero(piece, n, s);
        return;
    default:
        round_any(piece, n, s);
    }
}

/* Defines a loop that stores. value is an expression of x, an integral number. */
#define STORE(name, D, value)                                                            \
    LANES_ATTR static void store_##name(void *dst, const float *piece, int64_t n)        \
    {                                                                                    \
        D *d = dst;                                                                      \
        LANES_LOOP                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                \
            const float x = piece[i];                                                    \
            d[i] = (D)(value);                                                           \
        }                                                                                \
    }

STORE(s8, AnyS8, clamp_to(x, -128, 127))
STORE(u8, AnyU8, clamp_to(x, 0, 255))
STORE(s16, AnyS16, clamp_to(x, -32768, 32767))
STORE(s32, AnyS32, clamp_s32(x))
STORE(s64, AnyS64, clamp_s64(x))
STORE(f32, AnyU32, float_bits_canonical(x))
STORE(s8_keep, AnyS8, low_bits(x, -128, 127))
STORE(u8_keep, AnyU8, low_bits(x, 0, 255))
STORE(s16_keep, AnyS16, low_bits(x, -32768, 32767))
STORE(s32_keep, AnyS32, low_bits(x, INT32_MIN, INT32_MAX))
STORE(s64_keep, AnyS64, low_bits(x, INT64_MIN, INT64_MAX))

/* Two elements make a byte; the piece has room after an odd last one. */
#define STORE_S4(name, value)                                                            \
    LANES_ATTR static void store_##name(void *dst, const float *piece, int64_t n)        \
    {                                                                                    \
        AnyU8 *d = dst;                                                                  \
        AnyU8 q[PIECE + 1];                                                              \
        LANES_LOOP                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                \
            const float x = piece[i];                                                    \
            q[i] = (uint8_t)((value) & 15);                                              \
        }                                                                                \
        q[n] = 0;                                                                        \
        LANES_LOOP                                                                       \
        for (int64_t i = 0; i < (n + 1) / 2; i++) {                                      \
            d[i] = (uint8_t)(q[2 * i] | q[2 * i + 1] << 4);                              \
        }                                                                                \
    }
STORE_S4(s4, clamp_to(x, -8, 7))
STORE_S4(s4_keep, low_bits(x, -8, 7))

/* from and to are the bits of an element. */
LANES_ATTR static void
pieces(void *dst, const void *src, int64_t n, const NumStep *s, LoadPiece *load, int from,
       StorePiece *store, int to)
{
    float piece[PIECE];
    for (int64_t i = 0; i < n; i += PIECE) {
        int64_t len = n - i < PIECE ? n - i : PIECE;
        load(piece, (const uint8_t *)src + i * from / 8, len);
        round_piece(piece, len, s);
        store((uint8_t *)dst + i * to / 8, piece, len);
    }
}

#define ROUNDED_PAIR(src_type, from, dst_type, to)                                       \
    FN(src_type##_##dst_type)                                                            \
    {                                                                                    \
        pieces(dst, src, n, s, load_##src_type, from, store_##dst_type, to);             \
    }
#define TO_INT_PAIR(src_type, from, dst_type, to)                                        \
    ROUNDED_PAIR(src_type, from, dst_type, to)                                           \
    ROUNDED_PAIR(src_type, from, dst_type##_keep, to)

TO_INT_PAIR(f16, 16, s4, 4)
TO_INT_PAIR(f16, 16, s8, 8)
TO_INT_PAIR(f16, 16, u8, 8)
TO_INT_PAIR(f16, 16, s16, 16)
TO_INT_PAIR(f16, 16, s32, 32)
TO_INT_PAIR(bf16, 16, s32, 32)
TO_INT_PAIR(f32, 32, s16, 16)
TO_INT_PAIR(f32, 32, s32, 32)
TO_INT_PAIR(f32, 32, s64, 64)
ROUNDED_PAIR(f32, 32, f32, 32)

/* ---- integers ------------------------------------------------------------ */

/* Elements are clamped in the type of the source, and cut. */
#define INTS(name, S, D, value)                                                          \
    CONV(name, S, D, value)                                                              \
    CONV(name##_keep, S, D, a)
#define BELOW(hi)       (a < (hi) ? a : (hi))
#define BETWEEN(lo, hi) (a<(lo) ? (lo) : a>(hi) ? (hi) : a)
INTS(s16_u8, AnyS16, AnyU8, BETWEEN(0, 255))
INTS(s16_u32, AnyS16, AnyU32, a < 0 ? 0 : a)
INTS(s32_u8, AnyS32, AnyU8, BETWEEN(0, 255))
INTS(s32_u16, AnyS32, AnyU16, BETWEEN(0, 65535))
INTS(s32_s16, AnyS32, AnyS16, BETWEEN(-32768, 32767))
INTS(s64_s32, AnyS64, AnyS32, BETWEEN(INT32_MIN, INT32_MAX))
INTS(u16_u8, AnyU16, AnyU8, BELOW(255))
INTS(u32_u8, AnyU32, AnyU8, BELOW(255u))
INTS(u32_u16, AnyU32, AnyU16, BELOW(65535u))
INTS(u32_s16, AnyU32, AnyS16, BELOW(32767u))
CONV(u8_16, AnyU8, AnyU16, a)
CONV(u8_32, AnyU8, AnyU32, a)
CONV(u16_32, AnyU16, AnyU32, a)
CONV(s8_s16, AnyS8, AnyS16, a)
CONV(s8_s32, AnyS8, AnyS32, a)
CONV(s16_s32, AnyS16, AnyS32, a)
CONV(s32_s64, AnyS32, AnyS64, a)

/* ---- scaled forms -------------------------------------------------------- */

/* A product of 31 and 11 bits is exact in double. It is rounded to odd in float32, then
 * once to float16. */
LANES_ATTR static void
scaled(void *dst, const void *src, float scale, int64_t n)
{
    const uint64_t low = (UINT64_C(1) << 29) - 1;
    const AnyS32 *p = src;
    AnyU16 *d = dst;
    LANES_LOOP
    for (int64_t i = 0; i < n; i++) {
        uint64_t u = double_bits((double)p[i] * scale);
        u = (u | ((u & low) + low)) & ~low;
        d[i] = to_f16_nearest((float)double_of_bits(u));
    }
}

LANES_ATTR static void
packed(void *dst, const void *src, const float m[16], const int16_t offset[16], bool sign,
       int64_t n)
{
    const NumStep nearest = {.limit = {{0x1.000002p-1f, 0.5f}, {0x1.000002p-1f, 0.5f}}};
    const int32_t lo = sign ? -128 : 0, hi = sign ? 127 : 255;
    const AnyS16 *p = src;
    AnyU8 *d = dst;
    for (int64_t i = 0; i < n; i += 16) {
        int64_t len = n - i < 16 ? n - i : 16;
        LANES_LOOP
        for (int64_t k = 0; k < len; k++) {
            float t = integral((float)p[i + k] * m[k], &nearest);
            int32_t v = clamp_to(t, -256, 255) + offset[k];
            v = v < lo ? lo : v;
            d[i + k] = (uint8_t)(v > hi ? hi : v);
        }
    }
}

/* ---- the table ----------------------------------------------------------- */

#define TO_INT(name) {.mode = name, .keep = name##_keep}
#define CUT(name)    {.nearest = name, .keep = name##_keep}
#define EXACT(name)  {.nearest = name}

const NumConvTable
    LANES_NAME(num_conv) =
        {
            .pair =
                {
                    [NUM_F16] = {[NUM_S4] = TO_INT(f16_s4),
                                 [NUM_S8] = TO_INT(f16_s8),
                                 [NUM_U8] = TO_INT(f16_u8),
                                 [NUM_S16] = TO_INT(f16_s16),
                                 [NUM_S32] = TO_INT(f16_s32),
                                 [NUM_F32] = EXACT(f16_f32)},
                    [NUM_BF16] =
                        {[NUM_S32] = TO_INT(bf16_s32), [NUM_F32] = EXACT(bf16_f32)},
                    [NUM_F32] = {[NUM_S16] = TO_INT(f32_s16),
                                 [NUM_S32] = TO_INT(f32_s32),
                                 [NUM_S64] = TO_INT(f32_s64),
                                 [NUM_F32] = {.mode = f32_f32},
                                 [NUM_F16] = {f32_f16_nearest, f32_f16, f32_f16},
                                 [NUM_BF16] = {.mode = f32_bf16, .keep = f32_bf16}},
                    [NUM_S8] = {[NUM_F16] = EXACT(s8_f16),
                                [NUM_S16] = EXACT(s8_s16),
                                [NUM_S32] = EXACT(s8_s32)},
                    [NUM_U8] = {[NUM_F16] = EXACT(u8_f16),
                                [NUM_U16] = EXACT(u8_16),
                                [NUM_S16] = EXACT(u8_16),
                                [NUM_U32] = EXACT(u8_32),
                                [NUM_S32] = EXACT(u8_32)},
                    [NUM_S16] = {[NUM_F16] = {s16_f16_nearest, s16_f16, NULL},
                                 [NUM_F32] = EXACT(s16_f32),
                                 [NUM_U8] = CUT(s16_u8),
                                 [NUM_U32] = CUT(s16_u32),
                                 [NUM_S32] = EXACT(s16_s32)},
                    [NUM_U16] = {[NUM_U8] = CUT(u16_u8),
                                 [NUM_U32] = EXACT(u16_32),
                                 [NUM_S32] = EXACT(u16_32)},
                    [NUM_S32] = {[NUM_F32] = {s32_f32_nearest, s32_f32, NULL},
                                 [NUM_U8] = CUT(s32_u8),
                                 [NUM_U16] = CUT(s32_u16),
                                 [NUM_S16] = CUT(s32_s16),
                                 [NUM_S64] = EXACT(s32_s64)},
                    [NUM_U32] = {[NUM_U8] = CUT(u32_u8),
                                 [NUM_U16] = CUT(u32_u16),
                                 [NUM_S16] = CUT(u32_s16)},
                    [NUM_S64] = {[NUM_F32] = {s64_f32_nearest, s64_f32, NULL},
                                 [NUM_S32] = CUT(s64_s32)},
                },
            .scaled = scaled,
            .packed = packed,
};

#else
const NumConvTable LANES_NAME(num_conv) = {0};
#endif
