/* fn_lanes.c: a table of elementary functions; num/fn.h describes their results,
 * num/lanes.h the levels for which it is compiled.
 *
 * A core computes one value in double, without branches, so that a loop over it
 * vectorises; arguments with special results may give anything there; their results are
 * replaced at the end. The methods are the classic ones: reduction with constants in
 * parts (Cody and Waite), a polynomial around 0 (tools/gen-num-coef.py), exact scaling.
 * Cores for float16 use shorter polynomials. */
#include "num/fn.h"
#include "num/lanes.h"

#if LANES_HERE
#include <stdbool.h>

#include "num/half.h"
#include "num/coef.h"
#include "num/trig.h"

#define TABLE(name, ...) static const uint32_t name[32] = {__VA_ARGS__};

#define CORE LANES_ATTR static inline double

/* Adding 1.5 * 2^52 to a small number rounds it to an integer, which is then in the low
 * bits. */
#define TO_INTEGER 0x1.8p52

/* Returns a + b rounded to odd (half_sum_odd), for a no less in magnitude than b and a
 * finite sum, without branches. */
CORE
odd_sum(double a, double b)
{
    double s = a + b;
    double rest = b - (s - a);
    uint64_t u = double_bits(s), left = double_bits(rest) << 1;
    uint64_t inexact = (left | (0 - left)) >> 63;
    return double_of_bits((u - ((double_bits(rest) ^ u) >> 63 & inexact)) | inexact);
}

/* ---- exp: x = k ln 2 + r, e^x = 2^k e^r ---------------------------------- */

CORE
exp_tail_f32(double r)
{
    double q = EXP_11 * r + EXP_10;
    q = q * r + EXP_9;
    q = q * r + EXP_8;
    q = q * r + EXP_7;
    q = q * r + EXP_6;
    q = q * r + EXP_5;
    q = q * r + EXP_4;
    q = q * r + EXP_3;
    q = q * r + EXP_2;
    q = q * r + EXP_1;
    return q * r + EXP_0;
}

CORE
exp_tail_f16(double r)
{
    double q = EXPH_5 * r + EXPH_4;
    q = q * r + EXPH_3;
    q = q * r + EXPH_2;
    q = q * r + EXPH_1;
    return q * r + EXPH_0;
}

/* Limits x to where neither type's result is certain to vanish or overflow. NaN becomes a
 * number. */
CORE
exp_clamp(double x)
{
    x = x < 90.0 ? x : 90.0;
    return x > -110.0 ? x : -110.0;
}

/* With shifted = x / ln 2 + TO_INTEGER the first of these functions returns r, the second
 * 2^k. */
CORE
exp_rest(double x, double shifted)
{
    double k = shifted - TO_INTEGER;
    return (x - k * LN2_1) - k * LN2_2;
}

CORE
exp_scale(double shifted)
{
    return double_of_bits((double_bits(shifted) << 52) + double_bits(1.0));
}

/* The first part of r is exact, and 1 more than it nearly so. */
CORE
exp_f32(double arg)
{
    double x = exp_clamp(arg);
    double shifted = x * LOG2_E + TO_INTEGER;
    double k = shifted - TO_INTEGER;
    double first = x - k * LN2_1, rest = k * LN2_2, r = first - rest;
    double low = r * r * exp_tail_f32(r) - rest;
    return odd_sum(1.0 + first, (first - ((1.0 + first) - 1.0)) + low) *
           exp_scale(shifted);
}

CORE
exp_f16(double arg)
{
    double x = exp_clamp(arg);
    double shifted = x * LOG2_E + TO_INTEGER;
    double r = exp_rest(x, shifted);
    return (1.0 + (r + r * r * exp_tail_f16(r))) * exp_scale(shifted);
}

CORE
expm1_f16(double arg)
{
    double x = exp_clamp(arg);
    double shifted = x * LOG2_E + TO_INTEGER;
    double r = exp_rest(x, shifted);
    double scale = exp_scale(shifted);
    return scale * (r + r * r * exp_tail_f16(r)) + (scale - 1.0);
}

/* ---- ln ------------------------------------------------------------------ */

#include "num/fn_table.def"

static const double ln_rest[] = {LN_RESTS};

#define LN_FIRST UINT64_C(0x3fe6180000000000) /* the bits of the least z */

CORE
ln_tail_f32(double r)
{
    double q = LOG_8 * r + LOG_7;
    q = q * r + LOG_6;
    q = q * r + LOG_5;
    q = q * r + LOG_4;
    q = q * r + LOG_3;
    q = q * r + LOG_2;
    q = q * r + LOG_1;
    return q * r + LOG_0;
}

/* The method of FN_LN in num/fn.def: x = 2^k z, c z = 1 + r with a short c of a table. r
 * and `first` are exact. */
CORE
ln_f32(double x)
{
    uint64_t moved = double_bits(x) - LN_FIRST;
    uint64_t piece = moved >> 47 & 31;
    double k =
        double_of_bits((moved >> 52 ^ 2048) | double_bits(0x1p52)) - (0x1p52 + 2048);
    double z = double_of_bits(double_bits(x) - (moved & ~UINT64_C(0xfffffffffffff)));
    double r = z * float_of_bits(fn_ln_center[piece]) - 1.0;
    double first = k * LN_2_1 + float_of_bits(fn_ln_first[piece]);
    double rest = k * LN_2_2 + ln_rest[piece];
    double sum = first + r;
    return odd_sum(sum, ((first - sum) + r) + (r * r * ln_tail_f32(r) + rest));
}

/* ---- ln of float16 ------------------------------------------------------- */

/* With x = 2^k m and m in [sqrt(1/2), sqrt(2)], ln m = 2 atanh(s), s = (m - 1) / (m + 1).
 */

CORE
ln_tail_f16(double z)
{
    double q = LOGH_3 * z + LOGH_2;
    q = q * z + LOGH_1;
    return q * z + LOGH_0;
}

#define SQRT_HALF UINT64_C(0x3fe6a09e00000000) /* the upper bits of sqrt(1/2) */

/* The bits of x with the exponent moved so that [sqrt(1/2), sqrt(2)) has that of 1. */
#define LN_MOVED(x) (double_bits(x) + (double_bits(1.0) - SQRT_HALF))

CORE
ln_exponent(double x)
{
    return double_of_bits(LN_MOVED(x) >> 52 | double_bits(0x1p52)) - (0x1p52 + 1023);
}

CORE
ln_mantissa(double x)
{
    return double_of_bits((LN_MOVED(x) & UINT64_C(0xfffffffffffff)) + SQRT_HALF);
}

CORE
ln_f16(double x)
{
    double k = ln_exponent(x);
    double f = ln_mantissa(x) - 1.0;
    double s = f / (f + 2.0);
    double z = s * s;
    return k * LN2_1 + (2.0 * s + (s * (z * ln_tail_f16(z)) + k * LN2_2));
}

/* ---- sin, cos: x = n pi / 2 + r, |r| <= pi / 4 --------------------------- */

CORE
sin_tail_f32(double z)
{
    double q = SIN_5 * z + SIN_4;
    q = q * z + SIN_3;
    q = q * z + SIN_2;
    q = q * z + SIN_1;
    return q * z + SIN_0;
}

CORE
cos_most_f32(double r)
{
    return 1.0 - 0.5 * (r * r);
}

/* The cosine is cos_most_f32 and this. */
CORE
cos_low_f32(double r)
{
    double z = r * r;
    double q = COS_6 * z + COS_5;
    q = q * z + COS_4;
    q = q * z + COS_3;
    q = q * z + COS_2;
    q = q * z + COS_1;
    return (1.0 - cos_most_f32(r) - 0.5 * z) + z * z * q;
}

CORE
sin_poly_f16(double r)
{
    double z = r * r;
    double q = SINH_3 * z + SINH_2;
    q = q * z + SINH_1;
    q = q * z + SINH_0;
    return r * (1.0 + z * q);
}

CORE
cos_poly_f16(double r)
{
    double z = r * r;
    double q = COSH_4 * z + COSH_3;
    q = q * z + COSH_2;
    q = q * z + COSH_1;
    q = q * z + COSH_0;
    return 1.0 + z * q;
}

/* Returns the sine in quadrant n (its low two bits): s, c, -s, -c. The cosine is the sine
 * of quadrant n + 1. */
CORE
quadrant(uint64_t n, double s, double c)
{
    uint64_t odd = 0 - (n & 1);
    uint64_t value = (double_bits(s) & ~odd) | (double_bits(c) & odd);
    return double_of_bits(value ^ (n & 2) << 62);
}

/* name_small_f32 is for magnitudes below 2^25, where n and a short part of pi / 2 have 53
 * bits together. The third part is needed because the argument nearest to a multiple of
 * pi / 2 leaves an r just above 2^-30. Among larger ones are some whose cosine a double
 * cannot tell from the middle of two numbers, so it is rounded to odd. */
#define SIN_COS(name, first)                                                             \
    CORE name##_small_f32(double x)                                                      \
    {                                                                                    \
        double shifted = x * TWO_BY_PI + TO_INTEGER;                                     \
        double n = shifted - TO_INTEGER;                                                 \
        double most = (x - n * HALF_PI_1) - n * HALF_PI_2, last = n * HALF_PI_3;         \
        double r = most - last, rest = (most - r) - last;                                \
        double s = odd_sum(r, rest + r * (r * r * sin_tail_f32(r * r)));                 \
        double c = odd_sum(cos_most_f32(r), cos_low_f32(r) - rest * r);                  \
        return quadrant(double_bits(shifted) + first, r == 0 ? r : s, c);                \
    }                                                                                    \
    CORE name##_f32(float x)                                                             \
    {                                                                                    \
        double r, rest;                                                                  \
        uint64_t n;                                                                      \
        if ((float_bits(x) & 0x7fffffffu) < NUM_REDUCE_FROM) {                           \
            return name##_small_f32(x);                                                  \
        }                                                                                \
        n = num_reduce(float_bits(x), &r, &rest);                                        \
        double s = r * (r * r * sin_tail_f32(r * r)), c = cos_most_f32(r);               \
        return quadrant(n + first, odd_sum(r, s + rest * c),                             \
                        odd_sum(c, cos_low_f32(r) - rest * (r + s)));                    \
    }                                                                                    \
    CORE name##_f16(double x)                                                            \
    {                                                                                    \
        double shifted = x * TWO_BY_PI + TO_INTEGER;                                     \
        double n = shifted - TO_INTEGER;                                                 \
        double r = (x - n * HALF_PI_1) - n * (HALF_PI_2 + HALF_PI_3);                    \
        return quadrant(double_bits(shifted) + first, sin_poly_f16(r), cos_poly_f16(r)); \
    }

SIN_COS(sin, 0)
SIN_COS(cos, 1)

/* ---- loops --------------------------------------------------------------- */

/* Converts a double to float16 with one rounding: it is rounded to odd in float32
 * first. */
LANES_ATTR static inline uint16_t
half_of_double(double d)
{
    const uint64_t low =
        (UINT64_C(1) << 29) - 1; /* the bits that a float does not have */
    uint64_t u = double_bits(d);
    u = (u | ((u & low) + low)) & ~low;
    return half_from_float((float)double_of_bits(u));
}

#define FN(name) LANES_ATTR static void name(void *dst, const void *src, int64_t n)

/* Defines a loop. value is an expression of a, the bits of the argument, and x, the
 * argument. */
#define LOOP_F32(name, value)                                                            \
    FN(name)                                                                             \
    {                                                                                    \
        AnyU32 *d = dst;                                                                 \
        const AnyU32 *p = src;                                                           \
        LANES_LOOP                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                \
            const uint32_t a = p[i];                                                     \
            const float x = float_of_bits(a);                                            \
            (void)a;                                                                     \
            d[i] = (value);                                                              \
        }                                                                                \
    }

#define LOOP_F16(name, value)                                                            \
    FN(name)                                                                             \
    {                                                                                    \
        AnyU16 *d = dst;                                                                 \
        const AnyU16 *p = src;                                                           \
        LANES_LOOP                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                \
            const uint32_t a = p[i];                                                     \
            const float x = half_to_float((uint16_t)a);                                  \
            d[i] = (uint16_t)(value);                                                    \
        }                                                                                \
    }

#define NAN_F32(a)   (((a) & 0x7fffffffu) > 0x7f800000u)
#define NAN_F16(a)   (((a) & 0x7fffu) > 0x7c00u)
#define ROUND_F32(v) float_bits((float)(v))

/* Returns the special result of ln for an argument with bits a, else value: infinity for
 * inf, -inf for both zeros, NaN for bits above those of inf as unsigned numbers, which
 * are NaN and negative numbers. */
LANES_ATTR static inline uint32_t
ln_result(uint32_t a, uint32_t inf, uint32_t sign, uint32_t nan, uint32_t value)
{
    uint32_t r = a == inf ? inf : value;
    r = a > inf ? nan : r;
    return (a & ~sign) == 0 ? inf | sign : r;
}

LOOP_F32(run_exp_f32, NAN_F32(a) ? FLOAT_NAN : ROUND_F32(exp_f32(x)))
LOOP_F32(run_ln_f32,
         ln_result(a, 0x7f800000u, 0x80000000u, FLOAT_NAN, ROUND_F32(ln_f32(x))))
LOOP_F32(run_sqrt_f32, float_bits_canonical(__builtin_sqrtf(x)))
LOOP_F32(run_rec_f32, float_bits_canonical(1.0f / x))
LOOP_F32(run_rsqrt_f32, float_bits_canonical((float)(1.0 / __builtin_sqrt(x))))

LOOP_F16(run_exp_f16, NAN_F16(a) ? HALF_NAN : half_of_double(exp_f16(x)))
LOOP_F16(run_expm1_f16, NAN_F16(a)           ? HALF_NAN
                        : (a & 0x7fffu) == 0 ? a
                                             : half_of_double(expm1_f16(x)))
LOOP_F16(run_ln_f16, ln_result(a, 0x7c00u, 0x8000u, HALF_NAN, half_of_double(ln_f16(x))))
LOOP_F16(run_sqrt_f16, half_from_float(__builtin_sqrtf(x)))
LOOP_F16(run_rec_f16, ((void)a, half_from_float(1.0f / x)))
LOOP_F16(run_rsqrt_f16, half_of_double(1.0 / __builtin_sqrt(x)))
LOOP_F16(run_sin_f16, half_of_double(sin_f16(x)))
LOOP_F16(run_cos_f16, half_of_double(cos_f16(x)))

/* Arrays are cut into pieces; a piece without large arguments takes the loop that
 * vectorises. */
enum {
    PIECE = 256
};

LANES_ATTR static bool
has_large(const AnyU32 *p, int64_t n)
{
    uint32_t large = 0;
    LANES_LOOP
    for (int64_t i = 0; i < n; i++) {
        large |= (p[i] & 0x7fffffffu) >= NUM_REDUCE_FROM;
    }
    return large != 0;
}

#define RUN_F32(name)                                                                    \
    LOOP_F32(run_##name##_small_f32, ROUND_F32(name##_small_f32(x)))                     \
    LOOP_F32(run_##name##_any_f32, float_bits_canonical((float)name##_f32(x)))           \
    FN(run_##name##_f32)                                                                 \
    {                                                                                    \
        AnyU32 *d = dst;                                                                 \
        const AnyU32 *p = src;                                                           \
        for (int64_t i = 0; i < n; i += PIECE) {                                         \
            int64_t len = n - i < PIECE ? n - i : PIECE;                                 \
            if (has_large(p + i, len)) {                                                 \
                run_##name##_any_f32(d + i, p + i, len);                                 \
            } else {                                                                     \
                run_##name##_small_f32(d + i, p + i, len);                               \
            }                                                                            \
        }                                                                                \
    }

RUN_F32(sin)
RUN_F32(cos)

const NumFnTable LANES_NAME(num_fn) = {
    .f16 = {[NUM_EXP] = run_exp_f16,
            [NUM_EXPM1] = run_expm1_f16,
            [NUM_LN] = run_ln_f16,
            [NUM_SQRT] = run_sqrt_f16,
            [NUM_REC] = run_rec_f16,
            [NUM_RSQRT] = run_rsqrt_f16,
            [NUM_SIN] = run_sin_f16,
            [NUM_COS] = run_cos_f16},
    .f32 = {[NUM_EXP] = run_exp_f32,
            [NUM_LN] = run_ln_f32,
            [NUM_SQRT] = run_sqrt_f32,
            [NUM_REC] = run_rec_f32,
            [NUM_RSQRT] = run_rsqrt_f32,
            [NUM_SIN] = run_sin_f32,
            [NUM_COS] = run_cos_f32},
};

#else
const NumFnTable LANES_NAME(num_fn) = {0};
#endif
