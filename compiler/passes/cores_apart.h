/* cores_apart.h: whether cores access different bytes of a global tensor, found out core
 * by core. It decides where a formula of the core's index does not (passes/blocks.c): the
 * index is divided into rows and columns, or the last core has a branch of its own. */
#ifndef TIKC_CORES_APART_H
#define TIKC_CORES_APART_H

#include "passes/access.h"
#include "passes/reg_affine.h"

enum {
    MOST_CORES_APART = 256 /* cores of a kernel that is looked at */
};

/* A branch around the statement; the innermost one is first. */
typedef struct CoreGuard {
    const struct CoreGuard *outer;
    ExprId cond;
    bool outcome;
} CoreGuard;

/* Where an access is in each core. */
typedef struct CorePlaces CorePlaces;

/* Describes an access in the loop over cores that `block` is the variable of. Null: what
 * it accesses has another form, or is not known. The arena must live as long as the
 * result; vars is room for the values of all variables. */
const CorePlaces *core_places(Arena *arena, const RegAffine *regs, const Access *a,
                              VarId block, const CoreGuard *guard, int64_t *vars);

/* Returns whether certainly no byte of one access, in any core, is one of the other in
 * another core. Takes what that costs from *work; at 0 nothing is certain any more. */
bool core_places_apart(const CorePlaces *a, const CorePlaces *b, int64_t *work);

#endif
