/* vector_lanes.c: lane functions (emu/lanes.h), compiled for each level (num/lanes.h).
 *
 * They are plain loops that the compiler vectorises: no step depends on an earlier one
 * (emu/lanes.h), which LANES_LOOP declares. A new operation needs a BINARY, UNARY or HALF
 * row per type, and its place in the table at the end. */
#include "emu/lanes.h"
#include "num/lanes.h"

#if LANES_HERE
#include "num/half.h"

#if LANES_F16C
#include <immintrin.h>
#endif

#define LANES_FN(name)                                                                   \
    LANES_ATTR static void name(uint8_t *dst, const uint8_t *src0, const uint8_t *src1,  \
                                int64_t scalar, int64_t n)

/* Defines name_vv, d = value(a, b) with both from memory, and name_vs, where b is the
 * scalar. */
#define BINARY(name, T, value)                                                           \
    LANES_FN(name##_vv)                                                                  \
    {                                                                                    \
        T *d = (T *)dst;                                                                 \
        const T *x = (const T *)src0, *y = (const T *)src1;                              \
        (void)scalar;                                                                    \
        LANES_LOOP                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                \
            const T a = x[i], b = y[i];                                                  \
            d[i] = (T)(value);                                                           \
        }                                                                                \
    }                                                                                    \
    LANES_FN(name##_vs)                                                                  \
    {                                                                                    \
        T *d = (T *)dst;                                                                 \
        const T *x = (const T *)src0;                                                    \
        const T b = (T)scalar;                                                           \
        (void)src1;                                                                      \
        LANES_LOOP                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                \
            const T a = x[i];                                                            \
            d[i] = (T)(value);                                                           \
        }                                                                                \
    }

/* Defines name_vv and name_vs with c, the old element of dst, and sources of a type S. */
#define FUSED(name, T, S, value)                                                         \
    LANES_FN(name##_vv)                                                                  \
    {                                                                                    \
        T *d = (T *)dst;                                                                 \
        const S *x = (const S *)src0, *y = (const S *)src1;                              \
        (void)scalar;                                                                    \
        LANES_LOOP                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                \
            const T c = d[i];                                                            \
            const S a = x[i], b = y[i];                                                  \
            d[i] = (T)(value);                                                           \
        }                                                                                \
    }                                                                                    \
    LANES_FN(name##_vs)                                                                  \
    {                                                                                    \
        T *d = (T *)dst;                                                                 \
        const S *x = (const S *)src0;                                                    \
        const S b = (S)scalar;                                                           \
        (void)src1;                                                                      \
        LANES_LOOP                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                \
            const T c = d[i];                                                            \
            const S a = x[i];                                                            \
            d[i] = (T)(value);                                                           \
        }                                                                                \
    }

#define UNARY(name, T, value)                                                            \
    LANES_FN(name)                                                                       \
    {                                                                                    \
        T *d = (T *)dst;                                                                 \
        const T *x = (const T *)src0;                                                    \
        (void)src1;                                                                      \
        (void)scalar;                                                                    \
        LANES_LOOP                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                \
            const T a = x[i];                                                            \
            d[i] = (T)(value);                                                           \
        }                                                                                \
    }

#define FILL(name, T)                                                                    \
    LANES_FN(name)                                                                       \
    {                                                                                    \
        T *d = (T *)dst;                                                                 \
        (void)src0;                                                                      \
        (void)src1;                                                                      \
        LANES_LOOP                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                \
            d[i] = (T)scalar;                                                            \
        }                                                                                \
    }

/* ---- integers ------------------------------------------------------------ */

/* Unsigned arithmetic wraps; 1u keeps 16-bit products out of signed int. */

BINARY(add_8, AnyU8, a + b)
BINARY(add_16, AnyU16, a + b)
BINARY(add_32, AnyU32, a + b)
BINARY(add_64, AnyU64, a + b)
BINARY(sub_8, AnyU8, a - b)
BINARY(sub_16, AnyU16, a - b)
BINARY(sub_32, AnyU32, a - b)
BINARY(sub_64, AnyU64, a - b)
BINARY(mul_8, AnyU8, 1u * a * b)
BINARY(mul_16, AnyU16, 1u * a * b)
BINARY(mul_32, AnyU32, 1u * a * b)
BINARY(mul_64, AnyU64, 1u * a * b)
BINARY(and_8, AnyU8, (a & b))
BINARY(and_16, AnyU16, (a & b))
BINARY(and_32, AnyU32, (a & b))
BINARY(and_64, AnyU64, (a & b))
BINARY(or_8, AnyU8, a | b)
BINARY(or_16, AnyU16, a | b)
BINARY(or_32, AnyU32, a | b)
BINARY(or_64, AnyU64, a | b)
BINARY(max_u8, AnyU8, b > a ? b : a)
BINARY(max_s8, AnyS8, b > a ? b : a)
BINARY(max_u16, AnyU16, b > a ? b : a)
BINARY(max_s16, AnyS16, b > a ? b : a)
BINARY(max_u32, AnyU32, b > a ? b : a)
BINARY(max_s32, AnyS32, b > a ? b : a)
BINARY(max_u64, AnyU64, b > a ? b : a)
BINARY(max_s64, AnyS64, b > a ? b : a)
BINARY(min_u8, AnyU8, b < a ? b : a)
BINARY(min_s8, AnyS8, b < a ? b : a)
BINARY(min_u16, AnyU16, b < a ? b : a)
BINARY(min_s16, AnyS16, b < a ? b : a)
BINARY(min_u32, AnyU32, b < a ? b : a)
BINARY(min_s32, AnyS32, b < a ? b : a)
BINARY(min_u64, AnyU64, b < a ? b : a)
BINARY(min_s64, AnyS64, b < a ? b : a)

UNARY(not_8, AnyU8, ~a)
UNARY(not_16, AnyU16, ~a)
UNARY(not_32, AnyU32, ~a)
UNARY(not_64, AnyU64, ~a)
/* |a| is computed as unsigned, so the lowest number stays. */
UNARY(abs_8, AnyU8, a & 0x80u ? 0u - a : a)
UNARY(abs_16, AnyU16, a & 0x8000u ? 0u - a : a)
UNARY(abs_32, AnyU32, a & 0x80000000u ? 0u - a : a)
UNARY(abs_64, AnyU64, a >> 63 ? 0u - a : a)
UNARY(relu_8, AnyS8, a > 0 ? a : 0)
UNARY(relu_16, AnyS16, a > 0 ? a : 0)
UNARY(relu_32, AnyS32, a > 0 ? a : 0)
UNARY(relu_64, AnyS64, a > 0 ? a : 0)

/* Names are those of vaddrelu; the sum wraps or is rounded first. */
#define ABOVE(r, zero) ((r) > 0 ? (r) : (zero))
BINARY(addrelu_16, AnyS16, ABOVE((AnyS16)(a + b), 0))
BINARY(subrelu_16, AnyS16, ABOVE((AnyS16)(a - b), 0))

FILL(fill_8, AnyU8)
FILL(fill_16, AnyU16)
FILL(fill_32, AnyU32)
FILL(fill_64, AnyU64)

/* ---- float32: on bit patterns, so that NaN results can be made canonical - */

#define F(u)       float_of_bits(u)
#define FBITS(f)   float_bits_canonical(f)
#define ORDERED(r) (F(a) == F(a) && F(b) == F(b) ? (r) : FLOAT_NAN)
/* r if it is above 0, else +0; NaN stays. */
#define POSITIVE(r) ((r) > 0 ? float_bits(r) : (r) == (r) ? 0u : FLOAT_NAN)

BINARY(add_f32, AnyU32, FBITS(F(a) + F(b)))
BINARY(sub_f32, AnyU32, FBITS(F(a) - F(b)))
BINARY(mul_f32, AnyU32, FBITS(F(a) * F(b)))
BINARY(div_f32, AnyU32, FBITS(F(a) / F(b)))
BINARY(addrelu_f32, AnyU32, POSITIVE(F(a) + F(b)))
BINARY(subrelu_f32, AnyU32, POSITIVE(F(a) - F(b)))
BINARY(lrelu_f32, AnyU32, F(a) >= 0 ? a : FBITS(F(a) * F(b)))
FUSED(mla_f32, AnyU32, AnyU32, FBITS(F(a) * F(b) + F(c)))
FUSED(madd_f32, AnyU32, AnyU32, FBITS(F(a) * F(c) + F(b)))
FUSED(maddrelu_f32, AnyU32, AnyU32, POSITIVE(F(a) * F(c) + F(b)))
/* The product of two float16 is exact. */
FUSED(mla_f32_f16, AnyU32, AnyU16, FBITS(half_to_float(a) * half_to_float(b) + F(c)))
BINARY(max_f32, AnyU32, ORDERED(F(b) > F(a) ? b : a))
BINARY(min_f32, AnyU32, ORDERED(F(b) < F(a) ? b : a))
UNARY(abs_f32, AnyU32, a & 0x7fffffffu)
UNARY(relu_f32, AnyU32, F(a) > 0 ? a : F(a) == F(a) ? 0u : FLOAT_NAN)

#undef F
#undef FBITS
#undef ORDERED
#undef POSITIVE

/* ---- float16 and int32 to something else --------------------------------- */

/* Returns the nearest integer, ties to even, clamped to lo and hi, which are less than
 * 2^22 in magnitude; NaN gives 0. */
LANES_ATTR static inline int32_t
near_integer(float f, float lo, float hi)
{
    const float to_integer = 12582912.0f; /* 1.5 * 2^23: the sum has no bits below 1 */
    f = f == f ? f : 0;
    f = f < lo ? lo : f > hi ? hi : f;
    return (int32_t)(float_bits(f + to_integer) - float_bits(to_integer));
}

/* Converts a double of at most 65504 in magnitude to float16 with one rounding: it is
 * rounded to odd in float32 first. */
LANES_ATTR static inline uint16_t
half_of_double(double d)
{
    const uint64_t low =
        (UINT64_C(1) << 29) - 1; /* the bits that a float does not have */
    uint64_t u = double_bits(d);
    u = (u | ((u & low) + low)) & ~low;
    return half_from_float((float)double_of_bits(u));
}

#define PRODUCT(x, y) half_to_float(half_from_float(half_to_float(x) * half_to_float(y)))

#define MULCONV(name, T, lo, hi)                                                         \
    LANES_FN(name)                                                                       \
    {                                                                                    \
        T *d = (T *)dst;                                                                 \
        const AnyU16 *x = (const AnyU16 *)src0, *y = (const AnyU16 *)src1;               \
        (void)scalar;                                                                    \
        LANES_LOOP                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                \
            d[i] = (T)near_integer(PRODUCT(x[i], y[i]), lo, hi);                         \
        }                                                                                \
    }

MULCONV(mulconv_u8, AnyU8, 0, 255)
MULCONV(mulconv_s8, AnyS8, -128, 127)

/* The sum wraps, its product with the scale is exact; NaN (of the scale, or infinity
 * times 0) gives 0. */
LANES_FN(adddeqrelu_f16)
{
    AnyU16 *d = (AnyU16 *)dst;
    const AnyU32 *x = (const AnyU32 *)src0, *y = (const AnyU32 *)src1;
    const double scale = half_to_float((uint16_t)scalar);
    const double most = 65504;
    LANES_LOOP
    for (int64_t i = 0; i < n; i++) {
        double p = (double)(int32_t)(x[i] + y[i]) * scale;
        p = p > 0 ? p : 0;
        d[i] = half_of_double(p < most ? p : most);
    }
}

/* ---- float16 ------------------------------------------------------------- */

UNARY(abs_f16, AnyU16, a & 0x7fffu)
UNARY(relu_f16, AnyU16, (a & 0x7fffu) > 0x7c00u ? HALF_NAN : a & 0x8000u ? 0u : a)

#if LANES_F16C

#if LANES_F16C == 16
typedef __m512 Halves; /* float16 as float32 */
typedef __mmask16 HalfSet;
#define HALVES_SET1(x)         _mm512_set1_ps(x)
#define HALVES_ZERO()          _mm512_setzero_ps()
#define HALVES_ADD(x, y)       _mm512_add_ps(x, y)
#define HALVES_SUB(x, y)       _mm512_sub_ps(x, y)
#define HALVES_MUL(x, y)       _mm512_mul_ps(x, y)
#define HALVES_DIV(x, y)       _mm512_div_ps(x, y)
#define HALVES_MAX(x, y)       _mm512_max_ps(x, y)
#define HALVES_MIN(x, y)       _mm512_min_ps(x, y)
#define HALVES_UNORDERED(x)    _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q)
#define HALVES_GE(x, y)        _mm512_cmp_ps_mask(x, y, _CMP_GE_OQ)
#define HALVES_PICK(x, y, set) _mm512_mask_blend_ps(set, x, y)
#define HALVES_LOAD(p)         _mm512_cvtph_ps(_mm256_loadu_si256(p))
#define HALVES_STORE(p, r)                                                               \
    _mm256_storeu_si256(p, _mm512_cvtps_ph(r, _MM_FROUND_TO_NEAREST_INT))
typedef __m256i HalfBits;
#else
typedef __m256 Halves;
typedef __m256 HalfSet;
#define HALVES_SET1(x)         _mm256_set1_ps(x)
#define HALVES_ZERO()          _mm256_setzero_ps()
#define HALVES_ADD(x, y)       _mm256_add_ps(x, y)
#define HALVES_SUB(x, y)       _mm256_sub_ps(x, y)
#define HALVES_MUL(x, y)       _mm256_mul_ps(x, y)
#define HALVES_DIV(x, y)       _mm256_div_ps(x, y)
#define HALVES_MAX(x, y)       _mm256_max_ps(x, y)
#define HALVES_MIN(x, y)       _mm256_min_ps(x, y)
#define HALVES_UNORDERED(x)    _mm256_cmp_ps(x, x, _CMP_UNORD_Q)
#define HALVES_GE(x, y)        _mm256_cmp_ps(x, y, _CMP_GE_OQ)
#define HALVES_PICK(x, y, set) _mm256_blendv_ps(x, y, set)
#define HALVES_LOAD(p)         _mm256_cvtph_ps(_mm_loadu_si128(p))
#define HALVES_STORE(p, r)                                                               \
    _mm_storeu_si128(p, _mm256_cvtps_ph(r, _MM_FROUND_TO_NEAREST_INT))
typedef __m128i HalfBits;
#endif

enum {
    HALF_LANES = LANES_F16C
};

LANES_ATTR static inline Halves
half_load(const uint8_t *p)
{
    return HALVES_LOAD((const HalfBits *)(const void *)p);
}

/* Stores r, or NaN in lanes where nan is set. */
LANES_ATTR static inline void
half_store(uint8_t *p, Halves r, HalfSet nan)
{
    HALVES_STORE((HalfBits *)(void *)p,
                 HALVES_PICK(r, HALVES_SET1(__builtin_nanf("")), nan));
}

/* Returns the lanes where a or b is NaN. It compares bits, because clang narrows a
 * comparison of widened numbers to one of float16, which it does lane by lane. */
LANES_ATTR static inline HalfSet
half_nans(Halves a, Halves b)
{
#if LANES_F16C == 16
    const __m512i magnitude = _mm512_set1_epi32(0x7fffffff);
    __m512i x = _mm512_and_si512(_mm512_castps_si512(a), magnitude);
    __m512i y = _mm512_and_si512(_mm512_castps_si512(b), magnitude);
    return _mm512_cmpgt_epi32_mask(_mm512_max_epi32(x, y), _mm512_set1_epi32(0x7f800000));
#else
    const __m256i magnitude = _mm256_set1_epi32(0x7fffffff);
    __m256i x = _mm256_and_si256(_mm256_castps_si256(a), magnitude);
    __m256i y = _mm256_and_si256(_mm256_castps_si256(b), magnitude);
    __m256i larger = _mm256_max_epi32(x, y);
    return _mm256_castsi256_ps(_mm256_cmpgt_epi32(larger, _mm256_set1_epi32(0x7f800000)));
#endif
}

/* Computes the last n < HALF_LANES elements, through a buffer of a whole vector. */
static void
half_tail(LaneFn *fn, uint8_t *dst, const uint8_t *src0, const uint8_t *src1, int64_t n)
{
    uint8_t a[2 * HALF_LANES] = {0}, b[2 * HALF_LANES] = {0}, d[2 * HALF_LANES] = {0};
    memcpy(d, dst, (size_t)n * 2);
    memcpy(a, src0, (size_t)n * 2);
    memcpy(b, src1, (size_t)n * 2);
    fn(d, a, b, 0, HALF_LANES);
    memcpy(dst, d, (size_t)n * 2);
}

#define NAN_RESULT HALVES_UNORDERED(r)

/* Defines r = value, an expression of the sources a and b and of c, the old element of
 * dst; nan are the lanes where the result is NaN. The scalar form repeats the scalar in
 * memory. */
#define HALF(name, value, nan)                                                           \
    LANES_FN(name##_vv)                                                                  \
    {                                                                                    \
        int64_t i = 0;                                                                   \
        (void)scalar;                                                                    \
        for (; i + HALF_LANES <= n; i += HALF_LANES) {                                   \
            const Halves a = half_load(src0 + 2 * i), b = half_load(src1 + 2 * i);       \
            const Halves c = half_load(dst + 2 * i);                                     \
            const Halves r = value;                                                      \
            (void)c;                                                                     \
            half_store(dst + 2 * i, r, nan);                                             \
        }                                                                                \
        if (i < n) {                                                                     \
            half_tail(name##_vv, dst + 2 * i, src0 + 2 * i, src1 + 2 * i, n - i);        \
        }                                                                                \
    }                                                                                    \
    LANES_FN(name##_vs)                                                                  \
    {                                                                                    \
        int64_t i = 0;                                                                   \
        const Halves b = HALVES_SET1(half_to_float((uint16_t)scalar));                   \
        (void)src1;                                                                      \
        for (; i + HALF_LANES <= n; i += HALF_LANES) {                                   \
            const Halves a = half_load(src0 + 2 * i);                                    \
            const Halves c = half_load(dst + 2 * i);                                     \
            const Halves r = value;                                                      \
            (void)c;                                                                     \
            half_store(dst + 2 * i, r, nan);                                             \
        }                                                                                \
        if (i < n) {                                                                     \
            uint16_t s[HALF_LANES];                                                      \
            for (int k = 0; k < HALF_LANES; k++) {                                       \
                s[k] = (uint16_t)scalar;                                                 \
            }                                                                            \
            half_tail(name##_vv, dst + 2 * i, src0 + 2 * i, (const uint8_t *)s, n - i);  \
        }                                                                                \
    }

HALF(add_f16, HALVES_ADD(a, b), NAN_RESULT)
HALF(sub_f16, HALVES_SUB(a, b), NAN_RESULT)
HALF(mul_f16, HALVES_MUL(a, b), NAN_RESULT)
HALF(div_f16, HALVES_DIV(a, b), NAN_RESULT)
/* A comparison is false for NaN, so its product stays. */
HALF(lrelu_f16, HALVES_PICK(HALVES_MUL(a, b), a, HALVES_GE(a, HALVES_ZERO())), NAN_RESULT)
/* The maximum with +0 as the second operand is +0 for -0 and NaN, but NaN is put back. */
#define POSITIVE(r) HALVES_MAX(r, HALVES_ZERO())
HALF(addrelu_f16, POSITIVE(HALVES_ADD(a, b)), HALVES_UNORDERED(HALVES_ADD(a, b)))
HALF(subrelu_f16, POSITIVE(HALVES_SUB(a, b)), HALVES_UNORDERED(HALVES_SUB(a, b)))
/* The product is rounded, then the sum. */
#if LANES_F16C == 16
#define ROUNDED(r) _mm512_cvtph_ps(_mm512_cvtps_ph(r, _MM_FROUND_TO_NEAREST_INT))
#else
#define ROUNDED(r) _mm256_cvtph_ps(_mm256_cvtps_ph(r, _MM_FROUND_TO_NEAREST_INT))
#endif
#define SUM(x, y, z) HALVES_ADD(ROUNDED(HALVES_MUL(x, y)), z)
HALF(mla_f16, SUM(a, b, c), NAN_RESULT)
HALF(madd_f16, SUM(a, c, b), NAN_RESULT)
HALF(maddrelu_f16, POSITIVE(SUM(a, c, b)), HALVES_UNORDERED(SUM(a, c, b)))
/* The instruction gives its second operand for two zeros: src0 in the order b, a. */
HALF(max_f16, HALVES_MAX(b, a), half_nans(a, b))
HALF(min_f16, HALVES_MIN(b, a), half_nans(a, b))

#else

#define H(u)        half_to_float(u)
#define ORDERED(r)  (H(a) == H(a) && H(b) == H(b) ? (r) : HALF_NAN)
#define POSITIVE(r) ((r) > 0 ? half_from_float(r) : (r) == (r) ? 0u : HALF_NAN)

BINARY(add_f16, AnyU16, half_from_float(H(a) + H(b)))
BINARY(sub_f16, AnyU16, half_from_float(H(a) - H(b)))
BINARY(mul_f16, AnyU16, half_from_float(H(a) * H(b)))
BINARY(div_f16, AnyU16, half_from_float(H(a) / H(b)))
BINARY(lrelu_f16, AnyU16, H(a) >= 0 ? a : half_from_float(H(a) * H(b)))
BINARY(addrelu_f16, AnyU16, POSITIVE(H(a) + H(b)))
BINARY(subrelu_f16, AnyU16, POSITIVE(H(a) - H(b)))
FUSED(mla_f16, AnyU16, AnyU16, half_from_float(PRODUCT(a, b) + H(c)))
FUSED(madd_f16, AnyU16, AnyU16, half_from_float(PRODUCT(a, c) + H(b)))
FUSED(maddrelu_f16, AnyU16, AnyU16, POSITIVE(PRODUCT(a, c) + H(b)))
BINARY(max_f16, AnyU16, ORDERED(H(b) > H(a) ? b : a))
BINARY(min_f16, AnyU16, ORDERED(H(b) < H(a) ? b : a))

#endif

/* ---- the table ----------------------------------------------------------- */

/* Operations whose signed and unsigned forms are the same. */
#define WIDTHS(name)                                                                     \
    [DT_U8] = name(8), [DT_S8] = name(8), [DT_U16] = name(16), [DT_S16] = name(16),      \
    [DT_U32] = name(32), [DT_S32] = name(32), [DT_U64] = name(64), [DT_S64] = name(64)
/* These operations on the bits of floats. */
#define FLOAT_BITS(name) [DT_F16] = name(16), [DT_F32] = name(32)
#define SIGNED(name)                                                                     \
    [DT_S8] = name(8), [DT_S16] = name(16), [DT_S32] = name(32), [DT_S64] = name(64)
#define EACH(name, form)                                                                 \
    [DT_U8] = name##_u8_##form, [DT_S8] = name##_s8_##form,                              \
    [DT_U16] = name##_u16_##form, [DT_S16] = name##_s16_##form,                          \
    [DT_U32] = name##_u32_##form, [DT_S32] = name##_s32_##form,                          \
    [DT_U64] = name##_u64_##form, [DT_S64] = name##_s64_##form
#define FLOATS(name, form) [DT_F16] = name##_f16_##form, [DT_F32] = name##_f32_##form

#define ADD_VV(w) add_##w##_vv
#define SUB_VV(w) sub_##w##_vv
#define MUL_VV(w) mul_##w##_vv
#define AND_VV(w) and_##w##_vv
#define OR_VV(w)  or_##w##_vv
#define ADD_VS(w) add_##w##_vs
#define SUB_VS(w) sub_##w##_vs
#define MUL_VS(w) mul_##w##_vs
#define AND_VS(w) and_##w##_vs
#define OR_VS(w)  or_##w##_vs
#define NOT_V(w)  not_##w
#define ABS_V(w)  abs_##w
#define RELU_V(w) relu_##w
#define FILL_S(w) fill_##w

const LaneTable
    LANES_NAME(emu_lanes) = {
        .vector =
            {
                [SEM_ADD] = {WIDTHS(ADD_VV), FLOATS(add, vv)},
                [SEM_SUB] = {WIDTHS(SUB_VV), FLOATS(sub, vv)},
                [SEM_MUL] = {WIDTHS(MUL_VV), FLOATS(mul, vv)},
                [SEM_DIV] = {FLOATS(div, vv)},
                [SEM_ADDRELU] = {[DT_S16] = addrelu_16_vv, FLOATS(addrelu, vv)},
                [SEM_SUBRELU] = {[DT_S16] = subrelu_16_vv, FLOATS(subrelu, vv)},
                [SEM_LRELU] = {FLOATS(lrelu, vv)},
                [SEM_MLA] = {FLOATS(mla, vv)},
                [SEM_MADD] = {FLOATS(madd, vv)},
                [SEM_MADDRELU] = {FLOATS(maddrelu, vv)},
                [SEM_MAX] = {EACH(max, vv), FLOATS(max, vv)},
                [SEM_MIN] = {EACH(min, vv), FLOATS(min, vv)},
                [SEM_AND] = {WIDTHS(AND_VV), FLOAT_BITS(AND_VV)},
                [SEM_OR] = {WIDTHS(OR_VV), FLOAT_BITS(OR_VV)},
                [SEM_NOT] = {WIDTHS(NOT_V), FLOAT_BITS(NOT_V)},
                [SEM_ABS] = {SIGNED(ABS_V), [DT_F16] = abs_f16, [DT_F32] = abs_f32},
                [SEM_RELU] = {SIGNED(RELU_V), [DT_F16] = relu_f16, [DT_F32] = relu_f32},
            },
        .scalar =
            {
                [SEM_ADD] = {WIDTHS(ADD_VS), FLOATS(add, vs)},
                [SEM_SUB] = {WIDTHS(SUB_VS), FLOATS(sub, vs)},
                [SEM_MUL] = {WIDTHS(MUL_VS), FLOATS(mul, vs)},
                [SEM_DIV] = {FLOATS(div, vs)},
                [SEM_ADDRELU] = {[DT_S16] = addrelu_16_vs, FLOATS(addrelu, vs)},
                [SEM_SUBRELU] = {[DT_S16] = subrelu_16_vs, FLOATS(subrelu, vs)},
                [SEM_LRELU] = {FLOATS(lrelu, vs)},
                [SEM_MLA] = {FLOATS(mla, vs)},
                [SEM_MADD] = {FLOATS(madd, vs)},
                [SEM_MADDRELU] = {FLOATS(maddrelu, vs)},
                [SEM_MAX] = {EACH(max, vs), FLOATS(max, vs)},
                [SEM_MIN] = {EACH(min, vs), FLOATS(min, vs)},
                [SEM_AND] = {WIDTHS(AND_VS)},
                [SEM_OR] = {WIDTHS(OR_VS)},
                [SEM_DUP] = {WIDTHS(FILL_S), [DT_F16] = fill_16, [DT_BF16] = fill_16,
                             [DT_F32] = fill_32},
            },
        .mixed_vector =
            {
                [SEM_MLA] = {[DT_F32] = mla_f32_f16_vv},
                [SEM_MULCONV] = {[DT_U8] = mulconv_u8, [DT_S8] = mulconv_s8},
            },
        .mixed_scalar =
            {
                [SEM_MLA] = {[DT_F32] = mla_f32_f16_vs},
                [SEM_ADDDEQRELU] = {[DT_F16] = adddeqrelu_f16},
            },
};

#else
const LaneTable LANES_NAME(emu_lanes) = {0};
#endif
