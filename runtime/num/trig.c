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

/* Returns n, and gives r, from the product. */
static uint64_t
split(const uint32_t w[WINDOW], double *r)
{
    const uint64_t half = UINT64_C(1) << 61;
    uint64_t hi = (uint64_t)w[0] << 32 | w[1];
    uint64_t lo = (uint64_t)w[2] << 32 | w[3];
    uint64_t n = (hi + half) >> 62;
    int64_t above = (int64_t)((hi + half) & (2 * half - 1)) - (int64_t)half;
    double f = (double)above * 0x1p-62 + (double)lo * 0x1p-126;
    *r = f * HALF_PI;
    return n;
}

uint64_t
num_reduce(uint32_t x, double *r)
{
    uint32_t w[WINDOW];
    int e = (int)(x >> 23 & 0xff) - 150;
    if (e == 105) { /* infinity or NaN */
        *r = NAN;
        return 0;
    }
    window(e - 2, w);
    multiply(w, (x & 0x7fffffu) | 0x800000u);
    uint64_t n = split(w, r);
    if (x >> 31) {
        *r = -*r;
        n = 0 - n;
    }
    return n;
}
