/* reg_forms.h: what registers hold, as sums of loop variables, while a pass walks a
 * kernel in program order. So a Scalar that was set to `block * 4096` counts like the
 * formula itself. */
#ifndef TIKC_FORMS_H
#define TIKC_FORMS_H

#include "analysis/env.h"

typedef struct Forms {
    Env env;             /* ranges of registers and loop variables */
    const Affine **form; /* by RegId; null: unknown */
} Forms;

void forms_init(Forms *f, const Kernel *k, Arena *arena);

/* An integer expression as a sum in which no register with a known form occurs. */
Affine forms_affine(const Forms *f, ExprId e);

/* Behind a set or a load. */
void forms_assign(Forms *f, const Stmt *s);
/* Registers that a body assigns become unknown: before a loop's body and behind it, and
 * behind each branch of an `if`. */
void forms_forget(Forms *f, StmtId first);

#endif
