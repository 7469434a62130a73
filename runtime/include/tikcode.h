/* tikcode.h: what compiled kernels call of libtikrt. Code that tikc makes knows these
 * functions; programs do not call them, so the header is not installed. */
#ifndef TIKCODE_H
#define TIKCODE_H

#include "tikrt.h"

/* The constant part of a run-time check, beside the code. */
typedef struct TikCheckArg {
    int32_t scope, dtype; /* tensors */
    uint32_t buffer;      /* tensors: identity of the root */
    int32_t mask_form;    /* masks: MaskForm */
    int32_t literal;      /* numbers: written as a constant */
    /* tensors: argument of an address list plus one; -1: a constant table; else 0 */
    int32_t list;
    int64_t bytes; /* tensors: size of the root; -1: a value */
} TikCheckArg;

typedef struct TikCheck {
    int32_t op;
    int32_t place; /* indexes TikKernel.places */
    const char *soc;
    TikCheckArg args[]; /* one for each operand of the form */
} TikCheck;

/* What compiled code calls before an instruction that could not be proved: runs
 * check_values. values holds, for each operand of the form in order: a tensor's byte
 * offset, and behind it the size of the root when it is a value; a mask's four words; any
 * other operand's number (a MASKMODE operand has none). Returns 0, or records the fault
 * and returns 1. */
TIK_API int tikrt_check(TikCore *core, const TikCheck *check, const int64_t *values);
/* What compiled code calls to execute an instruction whose meaning is in this library
 * (runtime/ops). values as for tikrt_check; operands: for each operand of the form the
 * address of a tensor's first byte (other operands: unset), and behind them that of the
 * core's special registers. Returns 0, or records the fault and returns 1. */
TIK_API int tikrt_exec(TikCore *core, const TikCheck *op, const int64_t *values,
                       uint8_t *const *operands);
/* A mathematical function (isa/sem.def: EXP, LN, RSQRT, EXPM1) on the lanes leading lanes
 * of each repeat, blocks that follow each other; steps in bytes from repeat to repeat.
 * Elements of a repeat are read before any is written, repeats are in order. */
typedef struct TikMap {
    int32_t function, dtype, lanes;
} TikMap;

TIK_API void tikrt_map(const TikMap *map, uint8_t *dst, const uint8_t *src,
                       int64_t repeats, int64_t dst_step, int64_t src_step);
/* A conversion (vector chapter 3) on lanes, as tikrt_map. dst, src: rows of
 * isa/dtype.def; round: RoundMode, or ROUND_COUNT: away from zero whatever the fraction.
 * scaled: int32 to float16 times value, the bits of a float16; else bit 0 of value is the
 * mode of the core that keeps what does not fit (SREG_FP2FP for float results,
 * SREG_FP2INT for integers). */
typedef struct TikConvert {
    int32_t dst, src, round, scaled, lanes;
} TikConvert;

TIK_API void tikrt_convert(const TikConvert *c, uint8_t *dst, const uint8_t *src,
                           int64_t repeats, int64_t dst_step, int64_t src_step,
                           uint32_t value);
/* The square root of x, rounded down: integer square roots of compiled code. */
TIK_API uint64_t tikrt_isqrt(uint64_t x);
/* Sets the special registers as they are when the core of that index starts. */
TIK_API void tikrt_sreg_reset(uint8_t *sreg, uint32_t core);
/* Zeroes all lanes of LMEM, which begin at lmem, as they are when a core starts. */
TIK_API void tikrt_lmem_reset(TikCore *core, uint8_t *lmem);
/* Records a fault by rule without an instruction (run-time-zero-division). Always
 * returns 1. */
TIK_API int tikrt_fault(TikCore *core, int32_t rule, int64_t value, int32_t place);
/* A value that is told of a fault. */
typedef struct TikNamed {
    const char *name;
    int32_t dtype; /* of the value, as in num/scalar.h */
} TikNamed;

/* Says of the fault that was just recorded where it was: n names and their values. */
TIK_API void tikrt_where(TikCore *core, const TikNamed *names, int32_t n,
                         const int64_t *values);
/* A multi-core loop has n blocks; more than are launched are launched as well. 1: a
 * fault. */
TIK_API int tikrt_blocks(TikCore *core, int64_t n, int32_t place);
/* Returns when cores 0 to blocks - 1 are here; if one never comes, the launch ends with a
 * fault and this does not return. 1: a fault. */
TIK_API int tikrt_barrier(TikCore *core, int64_t blocks, int32_t place);

#endif
