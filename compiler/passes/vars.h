/* vars.h: evaluates expressions of loop variables while a pass walks a kernel iteration
 * by iteration. */
#ifndef TIKC_VARS_H
#define TIKC_VARS_H

#include "ir/ir.h"

typedef struct Vars {
    const Kernel *k;
    int64_t *value; /* by VarId */
    bool *known;
    bool *read; /* an evaluation has used it since it was set */
    /* variables with a known value, in the order in which they were first set */
    VEC(VarId) open;
    Arena *arena;
} Vars;

void vars_init(Vars *v, const Kernel *k, Arena *arena);
void vars_set(Vars *v, VarId var, int64_t value);
void vars_forget(Vars *v, VarId var);
/* False: the expression depends on a register or on a variable of unknown value, or
 * divides by zero. */
bool vars_eval(const Vars *v, ExprId e, int64_t *out);
/* A copy of the variables' present values; it is kept in the arena. */
typedef struct VarsShot {
    uint32_t n;
    struct {
        VarId var;
        int64_t value;
    } p[];
} VarsShot;

const VarsShot *vars_shot(const Vars *v, Arena *arena);
/* Returns text such as "i = 3, j = 0", or "" without variables. */
const char *vars_text(const Kernel *k, const VarsShot *s, Arena *arena);
/* Returns text such as "at i = 3, j = 0, ", or "" when no variable is known. */
const char *vars_where(const Vars *v, Arena *arena);

#endif
