/* l0c_move.h: calls that are moves out of and into L0C, in the two spellings of the
 * language. */
#ifndef TIKC_TIK_ACCMOVE_H
#define TIKC_TIK_ACCMOVE_H

#include "rules/l0c_move.h"
#include "tik/tik.h"

/* One move: operands by the slots of its form (rules/l0c_move.h). ACCFLY_block_mode,
 * ACCFLY_deq_mode, ACCFLY_relu and ACCFLY_onthefly_mode are constants;
 * ACCFLY_src_onthefly is VAL_NONE if ACCFLY_onthefly_mode is 0. */
typedef struct AccCall {
    Interp *in;
    Tik *c;
    const CallArgs *args;
    bool enhanced; /* data_copy with DataCopyEnhancedParams */
    Value got[ACCFLY_src_onthefly + 1];
    Span span[ACCFLY_src_onthefly + 1];
} AccCall;

/* Returns the view that an operand is; null if it is no tensor. */
View *tik_acc_tensor(const AccCall *x, int slot);
/* Reports a rule that an operand breaks; returns false. */
bool tik_acc_broken(const AccCall *x, int slot, DiagId id, const char *text);
/* Returns a constant operand; 0 if it is not constant. */
int64_t tik_acc_number(const AccCall *x, int slot);
/* Returns the row of the table that describes the move; null if there is none, which the
 * rules of the instruction report. */
const AccPair *tik_acc_pair(const AccCall *x);
/* Checks a scale that is a literal by rules that only the call can check, and records the
 * move. False: the program ends. */
bool tik_acc_record(AccCall *x);
/* Compiles data_copy from L0C to UB (tik/calls/l0c_copy.c); got: dst, src and the two
 * structures. */
bool tik_acc_copy(Interp *in, Tik *c, const CallArgs *args, const Value *got,
                  const Span *span);

#endif
