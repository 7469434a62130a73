/* range.h: abstract integers: an interval and a congruence together. A Range describes
 * the values of an expression as they travel (num/scalar.h): lo <= v <= hi and v = rem
 * modulo mod. mod 0 means one value (lo == hi == rem). For uint64 values from 2^63 on
 * travel as negative numbers, so such a range may have a negative lo. Float values travel
 * as bit patterns; nothing is known of them. */
#ifndef TIKC_RANGE_H
#define TIKC_RANGE_H

#include "base/base.h"
#include "num/scalar.h"

typedef struct Range {
    int64_t lo, hi;
    int64_t mod, rem; /* mod >= 1: 0 <= rem < mod */
} Range;

Range range_const(int64_t v);
Range range_interval(int64_t lo, int64_t hi); /* lo <= hi */
Range range_top(Dtype t);                     /* every value of a type */
Range range_join(Range a, Range b);           /* holds for v if a or b does */
/* Holds for v if both do. False: no value does (*out is a then). */
bool range_meet(Range a, Range b, Range *out);
bool range_is_const(Range r);
/* Whether each value is v modulo m (m >= 1). */
bool range_is_multiple(Range r, int64_t m);

/* Value of an operation on values of the ranges. t as in scalar_eval: for comparisons the
 * type of the operands. *exact (may be null) tells that no value was wrapped: the result
 * is the mathematical one. */
Range range_binary(ScalarOp op, Dtype t, Range a, Range b, bool *exact);
Range range_unary(ScalarOp op, Dtype t, Dtype from, Range a, bool *exact);

/* Any number of steps from a, wrapping in the type. */
Range range_stepped(Dtype t, Range a, int64_t step);

/* Sums and products clamped to int64. */
int64_t range_add_sat(int64_t a, int64_t b);
int64_t range_mul_sat(int64_t a, int64_t b);
/* Division rounded down and up; b is not 0. */
int64_t range_div_floor(int64_t a, int64_t b);
int64_t range_div_ceil(int64_t a, int64_t b);

#endif
