/* scalar_interval.h: what a scalar operation makes of operands that are known as
 * intervals. Integer results that wrap are in the set too; of floats nothing is known.
 * Freestanding. */
#ifndef TIK_SCALAR_INTERVAL_H
#define TIK_SCALAR_INTERVAL_H

#include "isa/interval.h"
#include "num/scalar.h"

/* type and from as in scalar_eval; for comparisons type is that of the operands.
 * Operations with one operand do not read b. */
typedef struct ScalarIntervals {
    Dtype type, from;
    Interval a, b;
} ScalarIntervals;

/* A set that has every value of the operation. *exact (may be null) tells that no value
 * was wrapped: the result is the mathematical one. Presupposes operands that are values
 * of their types. */
Interval scalar_interval(ScalarOp op, const ScalarIntervals *in, bool *exact);
/* The same for operands that need not be values of their types, as registers of a program
 * have them: then the result is any value of its own type, and not exact. */
Interval scalar_interval_untyped(ScalarOp op, const ScalarIntervals *in, bool *exact);
/* The type of a result: of comparisons bool. */
PURE Dtype scalar_interval_type(ScalarOp op, Dtype type);
/* The sums, differences, products and negations themselves, in 64 bits. False: one may
 * overflow, or the operation is another one or not one of integers. */
bool scalar_interval_exact(ScalarOp op, const ScalarIntervals *in, Interval *out);
/* Any number of steps from a, which wrap in the type. */
PURE Interval scalar_interval_stepped(Dtype t, Interval a, int64_t step);

#endif
