/* foreign.h: an evaluation whose program runs elsewhere, in an interpreter of its own
 * (lib/record.c). There is a main module without statements, in whose frame the program's
 * calls are made, and foreign objects, which are callables of the program. */
#ifndef TIKC_PYTHON_FOREIGN_H
#define TIKC_PYTHON_FOREIGN_H

#include "python/core.h"

/* Gets an attribute of a foreign object, or calls it if name is 0. Returns VAL_FAIL after
 * an exception of the program, which keeps it. */
typedef Value ForeignHook(void *ctx, int64_t number, Sym name, const CallArgs *args);

typedef struct ForeignHost {
    ForeignHook *hook; /* null: foreign objects cannot be used */
    void *ctx;
} ForeignHost;

/* Begins: calls can be made until the unit is freed. main is an empty source. */
bool MUST_USE foreign_begin(Interp *in, uint32_t main);
Value foreign_value(Interp *in, const ForeignHost *host, int64_t number);
/* Returns whether v is a foreign object, and its number. */
bool foreign_number(Value v, int64_t *number);
/* Enters and leaves a context manager of any kind. */
bool foreign_enter(Interp *in, Value manager, Sym name, Span span, Value *result);
bool foreign_leave(Interp *in, Value manager, Span span, bool failed);
/* Puts the public names of a module, those that a star import takes, into a list. */
bool foreign_names(Interp *in, Value module, Span span, Value list);

#endif
