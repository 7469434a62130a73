/* fixpipe.h: fixpipe by columns, which fixpipe and data_copy with
 * DataCopyCO12DstParams record. */
#ifndef TIKC_TIK_FIXPIPE_H
#define TIKC_TIK_FIXPIPE_H

#include "rules/fixpipe.h"
#include "tik/tik.h"

/* Operands by the slots of the form. */
typedef struct FixColumns {
    Interp *in;
    Tik *c;
    const CallArgs *args;
    Value v[FIXC_relu + 1];
    Span span[FIXC_relu + 1];
} FixColumns;

/* Returns the view that an operand is; null if it is no tensor. */
View *tik_fix_tensor(Value v);
/* Reports a rule that a call breaks; returns false. */
bool tik_fix_broken(Interp *in, Span span, DiagId id, const char *text);
/* Checks the rules that only literals can break, and records the instruction. False: the
 * program ends. */
bool tik_fix_record(FixColumns *x);

/* Compiles data_copy with got: dst, src and the structure (tik/calls/fixpipe_copy.c).
 * False: the program ends. */
bool tik_fix_copy(Interp *in, Tik *c, const CallArgs *args, const Value *got,
                  const Span *span);

#endif
