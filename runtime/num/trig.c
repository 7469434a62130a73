/* trig.c: the argument of sin and cos modulo pi / 2. See num/trig.h.
 *
 * |x| = m * 2^e with an integer m below 2^24. Bits of 2/pi that m * 2^e turns into
 * multiples of 4 do not matter, and of the rest the first 128 are enough: the fraction of
 * x * 2/pi is at least 2^-30 away from an integer for every float32, and m times what is
 * cut is below 2^-102. */
#include "num/trig.h"

#include <math.h>

#include "num/coef.h"

enum {
    WINDOW = 4 /* words of 32 bits */
};

static const uint32_t two_by_pi[] = {TWO_BY_PI_WORDS};

/* Gives the 128 bits of 2/pi from bit start on, highest word first. */
static void
window(int start, uint32_t w[WINDOW])
{
    int at = start / 32;
    int shift = start % 32;
    for (int i = 0; i < WINDOW; i++) {
        uint64_t two =
            (uint64_t)two_by_pi[at + i] << 32 | (shift ? two_by_pi[at + i + 1] : 0);
        w[i] = (uint32_t)(two << shift >> 32);
    }
}

/* Computes w * m modulo 2^128: two bits of the quadrant, then the fraction. */
static void
multiply(uint32_t w[WINDOW], uint32_t m)
{
    uint64_t carry = 0;
    for (int i = WINDOW - 1; i >= 0; i--) {
        carry += (uint64_t)w[i] * m;
        w[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

/* Gives the upper half of the digits of a number. */
static double
upper_half(double a)
{
    double c = a * (0x1p27 + 1);
    return c - (c - a);
}

/* Gives (f + rest) * pi / 2 as the sum of two numbers; rest is small. */
static void
times_half_pi(double f, double rest, double *r, double *r_rest)
{
    const double b = HALF_PI, bh = upper_half(b), bl = b - bh;
    double fh = upper_half(f), fl = f - fh, p = f * b;
    double low = ((fh * bh - p) + fh * bl + fl * bh) + fl * bl;
    low += f * HALF_PI_REST + rest * b;
    *r = p + low;
    *r_rest = low - (*r - p);
}

/* Returns n, and gives r and its rest, from the product. */
static uint64_t
split(const uint32_t w[WINDOW], double *r, double *rest)
{
    const uint64_t half = UINT64_C(1) << 61;
    uint64_t hi = (uint64_t)w[0] << 32 | w[1];
    uint64_t lo = (uint64_t)w[2] << 32 | w[3];
    uint64_t n = (hi + half) >> 62;
    int64_t above = (int64_t)((hi + half) & (2 * half - 1)) - (int64_t)half;
    double low = (double)(above % 4096) * 0x1p-62 + (double)lo * 0x1p-126;
    times_half_pi((double)(above - above % 4096) * 0x1p-62, low, r, rest);
    return n;
}

uint64_t
num_reduce(uint32_t x, double *r, double *rest)
{
    uint32_t w[WINDOW];
    int e = (int)(x >> 23 & 0xff) - 150;
    if (e == 105) { /* infinity or NaN */
        *r = *rest = NAN;
        return 0;
    }
    window(e - 2, w);
    multiply(w, (x & 0x7fffffu) | 0x800000u);
    uint64_t n = split(w, r, rest);
    if (x >> 31) {
        *r = -*r;
        *rest = -*rest;
        n = 0 - n;
    }
    return n;
}
