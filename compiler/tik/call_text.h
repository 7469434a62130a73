/* call_text.h: calls in words, for 'tikc explain' and editors: of a name all ways in
 * which it is called, and what each argument accepts. */
#ifndef TIKC_TIK_CALL_TEXT_H
#define TIKC_TIK_CALL_TEXT_H

#include "tik/call.h"

/* A way of calling a name. */
typedef struct CallText {
    Signature signature;
    CallOwner owner;
    Op op;               /* the instruction of that name; OP_COUNT: none */
    const char *meaning; /* one clause */
} CallText;

typedef VEC(CallText) CallTexts;

/* Adds the ways of calling a name; texts live in the arena. */
void call_texts(Arena *a, const char *name, CallTexts *out);
/* Visits the names that are called as methods or functions of an owner, each once. */
void call_names(CallOwner owner, void (*visit)(void *ctx, const char *name), void *ctx);
/* Puts what an argument accepts: the range of the operand of its name, or what its kind
 * says. */
void call_argument_text(const CallText *call, const CallArg *arg, Text *out);
/* Puts what a parameter of an instruction is: "1 to 4095 bursts [range-nburst]". */
void call_role_text(const ParamInfo *p, Text *out);

#endif
