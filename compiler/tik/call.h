/* call.h: calls as users write them (call.def): their arguments by name, one binder and
 * one printer of prototypes. Calls of instructions without a row there take the operands
 * of their form (isa/form.def). */
#ifndef TIKC_TIK_CALL_H
#define TIKC_TIK_CALL_H

#include "ir/ir.h"
#include "python/interp.h"

typedef enum CallKind {
#define KIND(id, text) TAKES_##id,
#include "tik/call.def"
    KIND_COUNT
} CallKind;

typedef enum CallOwner {
#define OWNER(id, text) OWNER_##id,
#include "tik/call.def"
    OWNER_COUNT
} CallOwner;

typedef enum Call {
#define CALL(id, owner, name, meaning)        CALL_##id,
#define LIKE(id, owner, name, other, meaning) CALL_##id,
#include "tik/call.def"
    CALL_COUNT
} Call;

/* The indices of all arguments in one table; CALL_FIRST_ is that of a call's first
 * one. */
enum {
#define CALL(id, owner, name, meaning)                                                   \
    CALL_FIRST_##id, CALL_BEFORE_##id = CALL_FIRST_##id - 1,
#define LIKE(id, owner, name, other, meaning)                                            \
    CALL_FIRST_##id, CALL_BEFORE_##id = CALL_FIRST_##id - 1,
#define ARG(id, name, kind, of, dflt) CALL_AT_##id##_##name,
#include "tik/call.def"
    CALL_ARGS
};

/* The index of an argument in its call: P_for_range_thread_num. */
enum {
#define ARG(id, name, kind, of, dflt)                                                    \
    P_##id##_##name = CALL_AT_##id##_##name - CALL_FIRST_##id,
#include "tik/call.def"
    MOST_ARGS = 21 /* most arguments of a call; asserted in call.c */
};

typedef enum ArgDefault {
    DFLT_REQUIRED,
    DFLT_OWN, /* VAL_FAIL, which differs from every value */
    DFLT_NONE,
    DFLT_INT,
    DFLT_BOOL,
    DFLT_TEXT
} ArgDefault;

typedef struct CallArg {
    const char *name;
    const char *other; /* a second name, or null */
    uint8_t kind;      /* CallKind */
    uint8_t dflt;      /* ArgDefault */
    Value value;       /* the default; VAL_FAIL of DFLT_TEXT */
    const char *text;  /* of DFLT_TEXT; for DFLT_OWN the text that prototypes show */
    const char *of;    /* details of the argument; "": its kind says all */
} CallArg;

/* One way of calling a method or function. */
typedef struct Signature {
    const char *name; /* name of the method or function */
    const CallArg *args;
    int n;
    /* The last argument is the extended one of moves, which has rules of its own
     * (extended-argument). */
    bool extended;
} Signature;

Signature call_signature(Call call);
CallOwner call_owner(Call call);
const char *call_meaning(Call call); /* "": that of the instruction */
const char *call_owner_text(CallOwner owner);
const char *call_kind_text(const CallArg *arg);
/* Returns the signature of an instruction that takes the operands of its form. args has
 * room for MAX_PARAMS; texts live in the arena. */
Signature call_of_form(const char *name, Form form, Arena *a, CallArg *args);

/* Returns whether programs call the instruction by its name. Those with a dot, and those
 * that tensors, loops and barriers record, are results of other calls. */
bool op_is_called(Op op);
/* Returns whether the instruction is called with the operands of its form: it has no
 * calls of its own, or they are further ones. */
bool call_takes_operands(Op op);
/* Returns whether TIK has the method and this compiler refuses it (tik/known.def), with
 * the reason and a replacement, which are "" if none is known. */
bool call_is_refused(const char *name, const char **reason, const char **help);

/* Prints a prototype: "vsel(mask, mode, dst, ..., dst_rep_stride=0)". */
void call_prototype(const Signature *s, Text *out);

/* Fills got with the defaults of a call, for a call that has no arguments of the
 * program. */
void call_defaults(Interp *in, Call call, Value *got);
/* Binds a call's arguments to those of the signature, with defaults: got[i] is VAL_FAIL
 * for one that was left out and has none. spans may be null. False: argument-count has
 * been reported. */
bool MUST_USE call_bind(Interp *in, const Signature *s, const CallArgs *args, Value *got,
                        Span *spans);
/* Does the same by the row of call.def; got and spans have room for MOST_ARGS. */
bool MUST_USE tik_bind(Interp *in, Call call, const CallArgs *args, Value *got,
                       Span *spans);
/* Does the same for an instruction that is called with the operands of its form; got and
 * spans have room for MAX_PARAMS. */
bool MUST_USE tik_bind_form(Interp *in, Op op, const CallArgs *args, Value *got,
                            Span *spans);
/* Does the same for a method whose arguments are those of another call. */
bool MUST_USE tik_bind_like(Interp *in, const char *name, Call call, const CallArgs *args,
                            Value *got, Span *spans);

#endif
