/* half.h: conversions of float16 and bfloat16 to and from float and double. They are
 * inline and use selects instead of branches, so that loops over them vectorise.
 *
 * Narrowing rounds once, to nearest even; subnormals are kept; what rounds beyond the
 * largest number becomes infinity; every NaN becomes the canonical quiet NaN (7e00, 7fc0,
 * 7fc00000), whose sign is positive. Widening is exact and keeps NaN payloads. The code
 * relies on IEEE arithmetic in the default rounding mode, without flush to zero. */
#ifndef TIK_HALF_H
#define TIK_HALF_H

#include <stdint.h>
#include <string.h>

#define HALF_NAN   0x7e00u
#define BFLOAT_NAN 0x7fc0u
#define FLOAT_NAN  0x7fc00000u

/* The largest finite numbers, 65504 and 3.39e38. */
#define HALF_MAX   0x7bff
#define BFLOAT_MAX 0x7f7f

static inline uint32_t
float_bits(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

static inline float
float_of_bits(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

static inline uint64_t
double_bits(double d)
{
    uint64_t u;
    memcpy(&u, &d, sizeof u);
    return u;
}

static inline double
double_of_bits(uint64_t u)
{
    double d;
    memcpy(&d, &u, sizeof d);
    return d;
}

/* Returns the bits of f, or the canonical NaN: the form in which an arithmetic result in
 * float32 is stored. */
static inline uint32_t
float_bits_canonical(float f)
{
    return f == f ? float_bits(f) : FLOAT_NAN;
}

static inline float
half_to_float(uint16_t h)
{
    const uint32_t rebias = (uint32_t)(127 - 15) << 23;
    uint32_t u = (uint32_t)(h & 0x7fffu) << 13;
    uint32_t exp = u & 0x0f800000u;
    /* Infinity and NaN reach the exponent 255 when the bias is added twice. */
    uint32_t normal = u + rebias + (exp == 0x0f800000u ? rebias : 0);
    /* A subnormal gets the implicit one of 2^-14, which is subtracted again. */
    float sub = float_of_bits(u + (113u << 23)) - float_of_bits(113u << 23);
    uint32_t magnitude = exp == 0 ? float_bits(sub) : normal;
    return float_of_bits(magnitude | (uint32_t)(h & 0x8000u) << 16);
}

static inline uint16_t
half_from_float(float f)
{
    uint32_t u = float_bits(f);
    uint32_t sign = u >> 16 & 0x8000u;
    u &= 0x7fffffffu;
    /* From 2^-14 on half a unit of the last place (less one when it is even) is added and
     * 13 bits are cut; a carry runs into the exponent, and from 65520 on into
     * infinity. */
    uint32_t normal = (u - ((uint32_t)(127 - 15) << 23) + 0xfffu + (u >> 13 & 1u)) >> 13;
    /* Below 2^-14 adding 0.5 aligns the last place of a subnormal with that of the
     * sum. */
    uint32_t sub =
        float_bits(float_of_bits(u < 0x38800000u ? u : 0) + 0.5f) - 0x3f000000u;
    uint32_t h = u < 0x38800000u ? sub : normal;
    h = u >= 0x47800000u ? 0x7c00u : h;
    return (uint16_t)(u > 0x7f800000u ? HALF_NAN : h | sign);
}

/* Replaces infinity by the largest number of its sign, and NaN by 0. */
static inline uint16_t
half_finite(uint16_t h)
{
    uint16_t magnitude = h & 0x7fffu;
    return magnitude > 0x7c00u ? 0 : magnitude == 0x7c00u ? (uint16_t)(h - 1) : h;
}

static inline float
bfloat_to_float(uint16_t b)
{
    return float_of_bits((uint32_t)b << 16);
}

static inline uint16_t
bfloat_from_float(float f)
{
    uint32_t u = float_bits(f);
    uint32_t rounded = (u + 0x7fffu + (u >> 16 & 1u)) >> 16;
    return (uint16_t)((u & 0x7fffffffu) > 0x7f800000u ? BFLOAT_NAN : rounded);
}

/* Returns a + b rounded to odd: toward zero, with the last bit set when the sum is
 * inexact. A rounding to fewer bits after it is as if it were the only one. */
static inline double
half_sum_odd(double a, double b)
{
    double s = a + b;
    double part = s - a;
    double rest = (a - (s - part)) + (b - part); /* s + rest is the exact sum */
    uint64_t u = double_bits(s);
    if (rest == 0 || rest != rest) {
        return s;
    }
    u -= (rest < 0) != (s < 0);
    return double_of_bits(u | 1);
}

/* Returns d as a float rounded to odd: the nearest float toward zero, with the last bit
 * set when d differs from it. Rounding it again to a type at least two bits narrower
 * equals rounding d once. */
float half_round_odd(double d);
uint16_t half_from_double(double d);
uint16_t bfloat_from_double(double d);

#endif
