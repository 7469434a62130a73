/* witness.h: searches for the first iteration that breaks a rule. It answers what prove.h
 * leaves open for operands that depend on loop variables only. */
#ifndef TIKC_WITNESS_H
#define TIKC_WITNESS_H

#include "analysis/env.h"
#include "analysis/site.h"

/* The loops and undecided branches around a statement, outermost first. */
typedef struct Frame {
    VarId var; /* variable of a loop; 0: a branch */
    ExprId begin, end;
    ExprId cond;
    bool outcome;
} Frame;

typedef struct Nest {
    const Frame *frames;
    int n;
    bool certain;  /* no break, continue or return can skip an iteration */
    int64_t *vars; /* room for a value per VarId, used by the search */
} Nest;

typedef enum Verdict {
    VERDICT_OPEN,  /* not decided */
    VERDICT_HOLDS, /* the rule holds in every iteration */
    VERDICT_BROKEN /* it is broken in an iteration that certainly executes */
} Verdict;

typedef struct Witness {
    Verdict verdict;
    /* the rule is left to run time, but breaks there whenever the site executes */
    bool doomed;
    Fault fault;
    /* per frame: the value of its loop variable, if BROKEN; in the env's arena */
    int64_t *values;
} Witness;

enum {
    WITNESS_BUDGET = 200000
};

/* Decides the open steps of a site: out[i] for s->steps[i] if open[i]. *budget bounds the
 * work over a whole kernel, about two units per iteration tried. */
void witness_find(const Env *env, const Site *s, const Nest *nest, const bool *open,
                  Witness *out, int64_t *budget);

/* Returns whether all loops around the site have constant bounds and an iteration, no
 * branch is open and no iteration is skipped. Else witness_largest finds nothing. */
bool witness_has_last(const Env *env, const Nest *nest);

/* Finds the largest value that a byte offset certainly takes. False: not known. */
bool witness_largest(const Env *env, const Nest *nest, ExprId offset, int64_t *out);

#endif
