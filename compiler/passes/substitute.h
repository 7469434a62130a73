/* substitute.h: puts an expression in the place of a loop variable. */
#ifndef TIKC_SUBSTITUTE_H
#define TIKC_SUBSTITUTE_H

#include "ir/ir.h"

/* What an expression became in the body of a loop. */
typedef struct Substituted {
    uint32_t serial; /* number of the substitution; an entry of another one is invalid */
    ExprId made;
} Substituted;

/* Set k and arena; the rest begins with 0. */
typedef struct Substitution {
    Kernel *k;
    Arena *arena;
    VarId var;
    ExprId value;
    VEC(Substituted) made; /* by ExprId */
    uint32_t serial;
} Substitution;

/* Replaces the variable in all that a body, and what is inside of it, reads. value has
 * the variable's type and may read it. There are no runs yet (Stmt.scope.run). */
void substitute_in(Substitution *s, VarId var, ExprId value, StmtId first);

#endif
