/* instruction.h: calls of instructions, and what other calls record through them. */
#ifndef TIKC_TIK_INSTRUCTION_H
#define TIKC_TIK_INSTRUCTION_H

#include "tik/tik.h"

/* What an instruction is called with, kept by the evaluator. */
const Signature *tik_signature(Interp *in, Op op);
Value tik_instruction(Interp *in, Tik *c, Op op, const CallArgs *args);
/* The instruction that data_move of blocks to dst is: moves to the bias table are one of
 * their own. */
Op tik_move_op(Value dst);
/* For methods that bind their own arguments: records op with one value and one place for
 * each parameter of the form (VAL_FAIL: the default; a list is one value). False:
 * refused, with diagnostics. The caller has asked tik_dropped and tik_not_built. */
bool tik_record(Interp *in, Tik *c, Op op, const CallArgs *args, const Value *values,
                const Span *spans);
/* What the call of an instruction gives: a handle of CMPMASK where it writes that, else
 * None. */
Value tik_instruction_value(Interp *in, Tik *c, Op op);
static inline DiagId
tik_diag_of_rule(Rule r)
{
    return (DiagId)((int)D_ARG_TYPE + (int)r - (int)RULE_ARG_TYPE);
}

#endif
