/* instruction.h: calls of instructions, and what other calls record through them. */
#ifndef TIKC_TIK_INSTRUCTION_H
#define TIKC_TIK_INSTRUCTION_H

#include "tik/tik.h"

/* Returns the signature of an instruction, which the evaluator keeps. */
const Signature *tik_signature(Interp *in, Op op);
Value tik_instruction(Interp *in, Tik *c, Op op, const CallArgs *args);
/* Returns the instruction that a data_move of blocks to dst is: moves to the bias table
 * have one of their own. */
Op tik_move_op(Value dst);
/* Records op, for methods that bind their own arguments: there is one value and one place
 * for each parameter of the form (VAL_FAIL: the default; a list is one value). False with
 * diagnostics. The caller has checked tik_dropped and tik_not_built. */
bool tik_record(Interp *in, Tik *c, Op op, const CallArgs *args, const Value *values,
                const Span *spans);
/* Returns the value of an instruction's call: a handle of CMPMASK if the instruction
 * writes that, else None. */
Value tik_instruction_value(Interp *in, Tik *c, Op op);

#endif
