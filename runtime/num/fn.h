/* fn.h: the elementary functions of the vector instructions, on arrays.
 *
 * Every result is the exact value of the function rounded once to nearest even. So the
 * bits are the same on every processor and under every optimisation, and do not depend on
 * a C library. `make functions-long` compares all 2^32 arguments of float32 and all 2^16
 * of float16 with MPFR, at each level; tests/random/num_functions.py does it for every
 * float16 and for the float32 that are hardest to round.
 *
 * Functions of num/fn.def are computed in float32 on vectors. Where their last sum does
 * not tell how to round, num/fn_lanes.c does: IEEE double + - * / and sqrt in the order
 * written there, off by less than 2^-49 of the value, then one rounding.
 *
 * Subnormal arguments and results are kept. Overflow gives infinity. A NaN argument, and
 * an argument outside of the domain, give the canonical quiet NaN (half.h).
 *
 *   exp     e^x       +inf -> +inf, -inf -> +0
 *   expm1   e^x - 1   +inf -> +inf, -inf -> -1, -0 -> -0; float16 only
 *   ln      ln x      +-0 -> -inf, x < 0 -> NaN, +inf -> +inf
 *   sqrt              -0 -> -0, x < 0 -> NaN
 *   rec     1/x       +-0 -> +-inf, +-inf -> +-0
 *   rsqrt   1/sqrt x  +-0 -> +-inf, x < 0 -> NaN, +inf -> +0
 *   sin cos           of radians, exactly reduced; sin -0 -> -0, +-inf -> NaN */
#ifndef TIK_NUM_FN_H
#define TIK_NUM_FN_H

#include "num/lanes.h"
#include "num/type.h"

typedef enum NumFn {
    NUM_EXP,
    NUM_EXPM1,
    NUM_LN,
    NUM_SQRT,
    NUM_REC,
    NUM_RSQRT,
    NUM_SIN,
    NUM_COS,
    NUM_FNS
} NumFn;

/* Writes n results at dst from n arguments at src. Addresses need no alignment; src is
 * equal to dst or shares no byte with the results. */
typedef void NumFnLanes(void *dst, const void *src, int64_t n);

/* Returns the function for a type (float16 or float32) on the processor that runs this;
 * null when there is none. */
NumFnLanes *num_fn(NumFn f, NumType t);
/* Returns the function in the reading `fast` of isa/choice.def; that of num_fn where it
 * says no other. */
NumFnLanes *num_fn_fast(NumFn f, NumType t);
NumFnLanes *num_fn_fast_at(NumLevel level, NumFn f, NumType t);
/* Does the same as num_fn at one level, which the processor must have. Tests use it to
 * show that all levels give the same bits. */
NumFnLanes *num_fn_at(NumLevel level, NumFn f, NumType t);

/* The table of a level; it is empty where the family of processors does not have the
 * level. */
typedef struct NumFnTable {
    NumFnLanes *f16[NUM_FNS];
    NumFnLanes *f32[NUM_FNS];
    NumFnLanes *fast[NUM_FNS]; /* float32, num_fn_fast */
} NumFnTable;
extern const NumFnTable num_fn_base, num_fn_avx2, num_fn_avx512;
/* Functions that are faster than those of the table above, with the same results. */
extern const NumFnTable num_fn_step_base, num_fn_step_avx2, num_fn_step_avx512;

#endif
