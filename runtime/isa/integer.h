/* integer.h: arithmetic on 64-bit integers that may come from hostile input.
 * Freestanding. */
#ifndef TIK_INTEGER_H
#define TIK_INTEGER_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/lean.h"

/* No root tensor ends beyond this byte, and sums of a few such offsets are exact. */
#define FAR_AWAY ((int64_t)1 << 48)

/* Small processors take many instructions for each of these: a lean loader (isa/lean.h)
 * has one copy of them, in lean/integer.c. */
#ifdef TIK_LEAN
#define OUTLINE __attribute__((noinline))
PURE uint64_t quotient(uint64_t a, uint64_t b);
PURE int64_t signed_quotient(int64_t a, int64_t b);
PURE int count_bits(uint32_t x);
PURE int64_t sat_add(int64_t a, int64_t b);
PURE int64_t sat_mul(int64_t a, int64_t b);
bool mul_overflow(int64_t a, int64_t b, int64_t *out);
PURE int64_t div_floor(int64_t a, int64_t b);
PURE int64_t div_ceil(int64_t a, int64_t b);
PURE int64_t mod_floor(int64_t v, int64_t m);
PURE int64_t round_up(int64_t a, int64_t b);
PURE int64_t gcd(int64_t a, int64_t b);
#else
#define OUTLINE static inline
#endif

#if !defined(TIK_LEAN) || defined(TIK_INTEGER_BODIES)
/* Sums and products, clamped to the range of int64. */
OUTLINE int64_t
sat_add(int64_t a, int64_t b)
{
    int64_t r;
    return __builtin_add_overflow(a, b, &r) ? (b < 0 ? INT64_MIN : INT64_MAX) : r;
}

/* Returns whether the product leaves 64 bits; *out is then its low part. */
OUTLINE bool
mul_overflow(int64_t a, int64_t b, int64_t *out)
{
    return __builtin_mul_overflow(a, b, out);
}

OUTLINE int64_t
sat_mul(int64_t a, int64_t b)
{
    int64_t r;
    return mul_overflow(a, b, &r) ? ((a < 0) != (b < 0) ? INT64_MIN : INT64_MAX) : r;
}

#ifndef TIK_LEAN
/* a / b, rounded to zero, for b other than 0 and a quotient of 64 bits. */
OUTLINE uint64_t
quotient(uint64_t a, uint64_t b)
{
    return a / b;
}

OUTLINE int64_t
signed_quotient(int64_t a, int64_t b)
{
    return a / b;
}
#endif

/* Division rounded down and up, for b other than 0; the one quotient that overflows is
 * clamped. */
OUTLINE int64_t
div_floor(int64_t a, int64_t b)
{
    if (b == -1) {
        return a == INT64_MIN ? INT64_MAX : -a;
    }
    int64_t q = signed_quotient(a, b), rest = a - q * b;
    return q - (rest != 0 && (rest < 0) != (b < 0));
}

OUTLINE int64_t
div_ceil(int64_t a, int64_t b)
{
    int64_t q = div_floor(a, b);
    return q + (b != -1 && (uint64_t)q * (uint64_t)b != (uint64_t)a);
}

/* The remainder of div_floor, for m > 0. */
OUTLINE int64_t
mod_floor(int64_t v, int64_t m)
{
    int64_t r = v - signed_quotient(v, m) * m;
    return r < 0 ? r + m : r;
}

/* The least multiple of b > 0 that is not below a, clamped. */
OUTLINE int64_t
round_up(int64_t a, int64_t b)
{
    return sat_mul(div_ceil(a, b), b);
}

/* The greatest common divisor of numbers that are not negative; that with 0 is the other
 * one. */
OUTLINE int64_t
gcd(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a - (int64_t)quotient((uint64_t)a, (uint64_t)b) * b;
        a = b;
        b = rest;
    }
    return a;
}
#endif

#endif
