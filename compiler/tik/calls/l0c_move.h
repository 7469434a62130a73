/* l0c_move.h: calls that are moves out of and into the accumulator, in the two spellings
 * of the language. */
#ifndef TIKC_TIK_ACCMOVE_H
#define TIKC_TIK_ACCMOVE_H

#include "rules/l0c_move.h"
#include "tik/tik.h"

/* One move: operands by the slots of its form (rules/l0c_move.h). ACCFLY_block_mode,
 * ACCFLY_deq_mode, ACCFLY_relu and ACCFLY_onthefly_mode are numbers of the stage;
 * ACCFLY_src_onthefly is VAL_NONE where ACCFLY_onthefly_mode is 0. */
typedef struct AccCall {
    Interp *in;
    Tik *c;
    const CallArgs *args;
    bool enhanced; /* data_copy with DataCopyEnhancedParams */
    Value got[ACCFLY_src_onthefly + 1];
    Span span[ACCFLY_src_onthefly + 1];
} AccCall;

/* The view that an operand is; null: it is no tensor. */
View *tik_acc_tensor(const AccCall *x, int slot);
/* Reports a rule that an operand breaks; gives false. */
bool tik_acc_broken(const AccCall *x, int slot, DiagId id, const char *text);
/* A constant operand; 0: it is none. */
int64_t tik_acc_number(const AccCall *x, int slot);
/* The row of the table that the move is; null: the rules will say why there is none. */
const AccPair *tik_acc_pair(const AccCall *x);
/* Asks what only the call can tell of a scale that is a literal and records the move.
 * False: the program ends. */
bool tik_acc_record(AccCall *x);
/* tik/calls/l0c_copy.c: data_copy from L0C to UB; got: dst, src and the two
 * structures. */
bool tik_acc_copy(Interp *in, Tik *c, const CallArgs *args, const Value *got,
                  const Span *span);

#endif
