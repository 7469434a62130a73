/* reg_affine.h: the values of registers as affine expressions of loop variables, while a
 * pass walks a kernel in program order. So a Scalar that was set to `block * 4096` counts
 * like the expression itself. */
#ifndef TIKC_REG_AFFINE_H
#define TIKC_REG_AFFINE_H

#include "analysis/env.h"

typedef struct RegAffine {
    Env env;              /* ranges of registers and loop variables */
    const Affine **value; /* by RegId; null: unknown */
} RegAffine;

void reg_affine_init(RegAffine *f, const Kernel *k, Arena *arena);

/* Gives an integer expression as an affine expression in which no register with a known
 * value occurs. */
void reg_affine_of(const RegAffine *f, ExprId e, Affine *out);

/* Call it after a statement that sets a register or loads one. */
void reg_affine_assign(RegAffine *f, const Stmt *s);
/* Makes the registers that a body assigns unknown. Call it before a loop's body and after
 * it, and after each branch of an `if`. */
void reg_affine_forget(RegAffine *f, StmtId first);

#endif
