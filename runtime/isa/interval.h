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

/* Returns whether each value is a multiple of m >= 1. */
static inline bool
interval_is_multiple(Interval r, int64_t m)
{
    return r.mod == 0 ? r.lo % m == 0 : r.mod % m == 0 && r.rem % m == 0;
}

/* Returns all values from lo to hi; lo <= hi. */
PURE Interval interval_between(int64_t lo, int64_t hi);
/* Returns the values from lo to hi that are v modulo m. With m <= 0, or when no value is,
 * the result is lo to hi. */
PURE Interval interval_stepped(int64_t lo, int64_t hi, int64_t m, int64_t v);
/* Returns every value that a number of the type can have in its int64_t form
 * (num/scalar.h). A uint64 from 2^63 on is a negative number there, and the bits of
 * floats may be any. */
PURE Interval interval_of_type(Dtype t);
/* Returns whether a has no value outside of the ends of b. */
PURE bool interval_inside(Interval a, Interval b);

/* Returns the values of a and those of b. */
PURE Interval interval_join(Interval a, Interval b);
/* Gives the values that are in a and in b. Returns false, with a in *out, when there are
 * none. */
bool interval_meet(Interval a, Interval b, Interval *out);

/* Gives sums and products of values in 64 bits. Returns false when some may overflow:
 * then the ends are unknown, and *out has a congruence that holds for the results modulo
 * each power of two. *out may be one of the operands. */
bool interval_sum(const Interval *a, const Interval *b, Interval *out);
bool interval_difference(const Interval *a, const Interval *b, Interval *out);
bool interval_product(const Interval *a, const Interval *b, Interval *out);

/* The same of values that are computed where they are used. */
static inline bool
interval_add(Interval a, Interval b, Interval *out)
{
    return interval_sum(&a, &b, out);
}

static inline bool
interval_sub(Interval a, Interval b, Interval *out)
{
    return interval_difference(&a, &b, out);
}

static inline bool
interval_mul(Interval a, Interval b, Interval *out)
{
    return interval_product(&a, &b, out);
}

#endif
