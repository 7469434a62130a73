/* scalar.h: the meaning of scalar expressions, defined once for constant folding, the
 * prover's concrete evaluation and the emulator. The host back end emits the same as LLVM
 * IR, and tests compare them.
 *
 * A value is kept as int64_t: signed types sign-extended, unsigned types zero-extended
 * (uint64: the bit pattern), bool 0 or 1, float types their bit pattern zero-extended.
 * Integer + - * wrap in the type. float16 and bfloat16 compute in float32 and round once,
 * to nearest even. A NaN result of arithmetic is the canonical quiet NaN (7e00, 7fc0,
 * 7fc00000); negation and conversions to float32 count as arithmetic, bits does not.
 * Float remainders are exact (C fmod).
 *
 * Conversions (CAST): integers to narrower ones keep the low bits. Float types to
 * integers truncate toward zero and saturate, NaN gives 0. To float16 and bfloat16 they
 * round once, to nearest even, and saturate at the largest finite number, which
 * infinities become too; NaN gives 0. Integers convert to float32 with one rounding, and
 * to float16 and bfloat16 through float32. */
#ifndef TIK_SCALAR_H
#define TIK_SCALAR_H

#include "isa/isa.h"

typedef struct ScalarOpInfo {
    TEXT(const char *name;)
    int arity;
    TEXT(const char *symbol;)
} ScalarOpInfo;

extern const ScalarOpInfo scalar_op_table[SOP_COUNT];
bool scalar_op_find(const char *name, ScalarOp *out);

static inline bool
scalar_is_compare(ScalarOp op)
{
    return op >= SOP_EQ && op <= SOP_GE;
}

/* Computes op on operands of type t (CAST, BITS: from is the operand's type, t the
 * result's; else from is ignored). b is ignored for one-operand operations. Shift counts
 * are values of type t. Returns false, without *out, for an integer division by zero. */
bool scalar_eval(ScalarOp op, Dtype t, Dtype from, int64_t a, int64_t b, int64_t *out);

/* Brings any 64-bit pattern into the canonical form of a type; integers wrap. */
int64_t scalar_wrap(Dtype t, int64_t v);
/* Gives the range of an integer type. For uint64 *hi is INT64_MAX and *full is false. */
void scalar_range(Dtype t, int64_t *lo, int64_t *hi, bool *full);
/* Convert between a double and the bit pattern of a float type, rounded to nearest
 * even. */
int64_t scalar_from_double(Dtype t, double d);
double scalar_to_double(Dtype t, int64_t v);

#endif
