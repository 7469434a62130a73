/* range.h: sets of integers as intervals with a step: {lo, lo + step, ..., hi}; step 0
 * for one value. The verifier bounds scalar registers and addresses with it, and
 * compiler/stream decides with it where int32 arithmetic cannot wrap. Values travel as in
 * num/scalar.h. Freestanding. */
#ifndef TIK_BLOB_RANGE_H
#define TIK_BLOB_RANGE_H

#include "num/scalar.h"

typedef struct BlobRange {
    int64_t lo, hi;
    uint64_t step; /* 0 exactly when lo = hi */
} BlobRange;

static inline BlobRange
blob_range_value(int64_t v)
{
    return (BlobRange){v, v, 0};
}

static inline bool
blob_range_is_value(const BlobRange *r)
{
    return r->lo == r->hi;
}

/* [lo, hi] with step 1; lo <= hi. */
BlobRange blob_range_between(int64_t lo, int64_t hi);
/* Everything that a register of the type can hold. */
BlobRange blob_range_of_type(Dtype t);
BlobRange blob_range_join(BlobRange a, BlobRange b);
/* Sum and product in 64 bits; false when they may overflow. */
bool blob_range_add(BlobRange a, BlobRange b, BlobRange *out);
bool blob_range_mul(BlobRange a, BlobRange b, BlobRange *out);
/* Operands of a scalar operation; b is not read for one-operand operations. */
typedef struct RangeArgs {
    Dtype type, from;
    BlobRange a, b;
} RangeArgs;
BlobRange blob_range_alu(ScalarOp op, const RangeArgs *in);
/* The exact integer result, before it is wrapped into the type; false when it may leave
 * 64 bits, or when there is none (floats, other operations than + - * and negation). */
bool blob_range_exact(ScalarOp op, const RangeArgs *in, BlobRange *out);

#endif
