/* env.h: what is known at one point of a kernel: an Interval for each register and loop
 * variable, and for expressions that conditions have narrowed. A walk over the body
 * changes it through the functions below; changes are kept on a trail, so that a branch
 * can be undone.
 *
 * All knowledge is about the moment before a statement executes, under the assumption
 * that it does execute. */
#ifndef TIKC_ENV_H
#define TIKC_ENV_H

#include "num/scalar_interval.h"
#include "ir/ir.h"

/* A sum of atoms with factors, exact in the integers: no term wraps. An atom is the id of
 * a register's or variable's expression, or of any other expression that is not a sum. */
enum {
    AFFINE_TERMS = 8
};

typedef struct Affine {
    int n;
    ExprId atom[AFFINE_TERMS];
    int64_t factor[AFFINE_TERMS]; /* never 0 */
    int64_t constant;
} Affine;

typedef struct EnvChange {
    uint32_t cell; /* index of a register, or nregs + variable; or of a fact */
    bool is_fact;  /* cell is then the number of facts before */
    Interval old;
} EnvChange;

typedef struct EnvFact {
    ExprId expr;
    Interval range;
} EnvFact;

/* The range of an expression since some epoch. */
typedef struct EnvMemo {
    ExprId expr;
    uint32_t epoch;
    Interval range;
} EnvMemo;

typedef struct Env {
    const Kernel *k;
    Arena *arena;
    Interval *cells; /* the registers, then the variables */
    uint32_t nregs, ncells;
    VEC(EnvChange) trail;
    VEC(EnvFact) facts;
    uint32_t *stamp; /* per cell, for joins */
    uint32_t stamps;
    bool dead;      /* the point is never reached */
    uint32_t epoch; /* counts changes */
    /* the ranges of large expressions, by the low bits of the ExprId */
    EnvMemo *memo;
    uint32_t memo_mask;
} Env;

void env_init(Env *env, const Kernel *k, Arena *arena);

/* Returns the range of an operation. */
Interval env_operation(const Env *env, ExprId e);

/* Returns the range of an expression. */
static inline Interval
env_expr(const Env *env, ExprId e)
{
    const Expr *x = ir_expr(env->k, e);
    return x->kind == EX_CONST ? interval_const(x->imm)
           : x->kind == EX_REG ? env->cells[x->a]
           : x->kind == EX_VAR ? env->cells[env->nregs + x->a]
                               : env_operation(env, e);
}

/* Returns the range through the affine expression, which shows that x - x is 0. */
Interval env_range(const Env *env, ExprId e);
bool env_affine(const Env *env, ExprId e, Affine *out);
/* Adds factor * atom, or factor * b; false if there are too many terms or the numbers are
 * too large. */
bool affine_add_term(Affine *a, ExprId atom, int64_t factor);
bool affine_add(Affine *a, const Affine *b, int64_t factor);
/* Computes a - b; false if there are too many terms. */
bool affine_sub(const Affine *a, const Affine *b, Affine *out);
Interval env_affine_range(const Env *env, const Affine *a);

/* Sets the value of a register, and the range of a loop variable. */
void env_set_reg(Env *env, RegId r, Interval v);
void env_set_var(Env *env, VarId v, Interval r);
/* From now on the value of an integer expression is known to be at least lo. */
void env_assume_least(Env *env, ExprId e, int64_t lo);
/* Adds what a condition's outcome implies. A contradiction makes the point dead. */
void env_assume(Env *env, ExprId cond, bool outcome);

/* Branches: env_mark is called before; env_leave after takes back everything since the
 * mark and remembers the state; env_join of two remembered states makes the state after
 * both. */
typedef struct EnvMark {
    uint32_t trail;
    bool dead;
} EnvMark;

typedef struct EnvState {
    uint32_t n;
    uint32_t *cell;
    Interval *value;
    bool dead;
} EnvState;

EnvMark env_mark(const Env *env);
EnvState env_leave(Env *env, EnvMark mark);
void env_join(Env *env, const EnvState *a, const EnvState *b);

#endif
