/* vars.h: expressions of loop variables while a pass walks a kernel iteration by
 * iteration. */
#ifndef TIKC_VARS_H
#define TIKC_VARS_H

#include "ir/ir.h"

typedef struct Vars {
    const Kernel *k;
    int64_t *value; /* by VarId */
    bool *known;
    bool *read;      /* an evaluation needed it since it was set */
    VEC(VarId) open; /* known ones, in the order in which they were set first */
    Arena *arena;
} Vars;

void vars_init(Vars *v, const Kernel *k, Arena *arena);
void vars_set(Vars *v, VarId var, int64_t value);
void vars_forget(Vars *v, VarId var);
/* False: it depends on a register or on a variable of unknown value, or divides by
 * zero. */
bool vars_eval(const Vars *v, ExprId e, int64_t *out);
/* The variables as they are now; kept in the arena. */
typedef struct VarsShot {
    uint32_t n;
    struct {
        VarId var;
        int64_t value;
    } p[];
} VarsShot;

const VarsShot *vars_shot(const Vars *v, Arena *arena);
/* "i = 3, j = 0"; "" without variables. */
const char *vars_text(const Kernel *k, const VarsShot *s, Arena *arena);
/* "at i = 3, j = 0, ", or nothing when no variable is known. */
const char *vars_where(const Vars *v, Arena *arena);

#endif
