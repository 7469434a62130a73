/* interval.h: sets of integers as an interval and a congruence: lo <= v <= hi and v = rem
 * modulo mod. The compiler's analysis, the writer of blobs and their verifier know
 * numbers by them. Both ends are values of the set; mod 0 means that it has one value, lo
 * = hi = rem. Freestanding. */
#ifndef TIK_INTERVAL_H
#define TIK_INTERVAL_H

#include "isa/integer.h"
#include "isa/isa.h"

typedef struct Interval {
    int64_t lo, hi;
    int64_t mod, rem; /* mod >= 1: 0 <= rem < mod */
} Interval;

static inline Interval
interval_const(int64_t v)
{
    return (Interval){v, v, 0, v};
}

static inline bool
interval_is_const(Interval r)
{
    return r.lo == r.hi;
}

/* Whether each value is a multiple of m >= 1. */
static inline bool
interval_is_multiple(Interval r, int64_t m)
{
    return r.mod == 0 ? r.lo % m == 0 : r.mod % m == 0 && r.rem % m == 0;
}

/* All values from lo to hi; lo <= hi. */
Interval interval_between(int64_t lo, int64_t hi);
/* Values from lo to hi that are v modulo m; m <= 0: nothing is known of them. What no
 * value obeys is lo to hi. */
Interval interval_stepped(int64_t lo, int64_t hi, int64_t m, int64_t v);
/* Every value that a number of the type can have as it travels (num/scalar.h): a uint64
 * from 2^63 on travels as a negative number, and of the bits of floats nothing is known.
 */
Interval interval_of_type(Dtype t);
/* Whether a has no value outside of the ends of b. */
bool interval_inside(Interval a, Interval b);

/* Values of a or of b. */
Interval interval_join(Interval a, Interval b);
/* Values of a and of b. False: there is none; *out is a then. */
bool interval_meet(Interval a, Interval b, Interval *out);

/* Sums and products of values in 64 bits. False: some may overflow; then only the ends
 * are unknown, *out has a congruence that holds for the results modulo each power of two.
 */
bool interval_add(Interval a, Interval b, Interval *out);
bool interval_sub(Interval a, Interval b, Interval *out);
bool interval_mul(Interval a, Interval b, Interval *out);

#endif
