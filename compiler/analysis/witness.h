/* witness.h: search for the first iteration that breaks a rule. Answers what prove.h
 * leaves open for operands that depend on loop variables only. */
#ifndef TIKC_WITNESS_H
#define TIKC_WITNESS_H

#include "analysis/env.h"
#include "analysis/site.h"

/* The loops and undecided branches around a statement, outermost first. */
typedef struct Frame {
    VarId var; /* of a loop; 0: a branch */
    ExprId begin, end;
    ExprId cond;
    bool outcome;
} Frame;

typedef struct Nest {
    const Frame *frames;
    int n;
    bool certain;  /* no break, continue or return can skip an iteration */
    int64_t *vars; /* room for a value per VarId, for the search */
} Nest;

typedef enum Verdict {
    VERDICT_OPEN,  /* not decided */
    VERDICT_HOLDS, /* in every iteration */
    VERDICT_BROKEN /* in an iteration that certainly executes */
} Verdict;

typedef struct Witness {
    Verdict verdict;
    bool doomed; /* left to run time, where it breaks the rule whenever it executes */
    Fault fault;
    /* per frame: that of its loop variable, if BROKEN; in the env's arena */
    int64_t *values;
} Witness;

enum {
    WITNESS_BUDGET = 200000
};

/* Decides the open steps of a site: out[i] for s->steps[i] if open[i]. *budget bounds the
 * work over a whole kernel, about two units per iteration tried. */
void witness_find(const Env *env, const Site *s, const Nest *nest, const bool *open,
                  Witness *out, int64_t *budget);

/* The largest byte offset that a tensor operand certainly takes. False: not known. */
bool witness_largest(const Env *env, const Site *s, const Nest *nest, int param,
                     int64_t *out);

#endif
