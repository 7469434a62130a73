/* check_walk.h: the walk of the check pass over a kernel's body. It is private to the
 * check pass. */
#ifndef TIKC_CHECK_WALK_H
#define TIKC_CHECK_WALK_H

#include "analysis/env.h"
#include "analysis/site.h"
#include "analysis/witness.h"
#include "passes/check.h"

struct CheckWalk;

/* What a walk reports about each site: the answer to each step. values: see Witness; it
 * is null for rules on constants. fault is filled when an answer is REFUTED. */
typedef struct CheckEvents {
    void *ctx;
    /* Returns whether the site needs no proof: everything is known of it already. May be
     * null. */
    bool (*known)(void *ctx, const struct CheckWalk *w, StmtId id);
    /* A rule that is independent of values is broken; the steps are not answered then. */
    void (*broken)(void *ctx, const struct CheckWalk *w, const Site *s, const Fault *f);
    void (*answered)(void *ctx, const struct CheckWalk *w, const Site *s, int step,
                     Answer a, const Witness *wit);
    /* It is called after all answers of a site. proved: every step of the site is
     * proved. */
    void (*done)(void *ctx, const struct CheckWalk *w, const Site *s, bool proved);
} CheckEvents;

typedef struct CheckLoop {
    VarId parent;  /* the loop around this one, 0: none */
    int64_t trips; /* upper bound of the iterations; INT64_MAX: not known */
    uint32_t first,
        last;   /* assignments in its body: [first, last) of CheckWalk.assigns */
    bool exits; /* an iteration may be left, or the loop ended, early */
} CheckLoop;

typedef struct CheckAssign {
    RegId reg;
    ExprId value; /* 0: a load */
    VarId loop;   /* the innermost loop around it */
} CheckAssign;

/* What the assignments of a loop do to a register; private to check_walk.c. */
typedef struct CheckDrift {
    uint32_t stamp;   /* number of the loop that was looked at last */
    bool steps;       /* all assignments add constants */
    Interval value;   /* its congruence, if so */
    int64_t down, up; /* the most that it decreases and increases */
} CheckDrift;

typedef struct CheckWalk {
    const Kernel *k;
    Arena scratch;
    Env env;
    const CheckEvents *events;
    VEC(CheckAssign) assigns; /* all assignments, in program order */
    CheckLoop *loops;         /* by VarId */
    CheckDrift *drifts;       /* by RegId */
    uint32_t drift_stamp;
    VEC(Frame) frames;
    int unsure;     /* enclosing loops with exits */
    int branches;   /* enclosing branches whose condition is not decided */
    int maybe;      /* enclosing loops that may have no iteration */
    bool returned;  /* a return may have ended the kernel before this point */
    int64_t *vars;  /* values of loop variables, for searches */
    int64_t budget; /* work that all searches together may still do */
    bool searched;  /* answers of the present site needed a search */
} CheckWalk;

/* Returns the loops and open branches around the present site. */
Nest check_walk_nest(const CheckWalk *w);

/* Visits every instruction, scalar load and scalar store in program order. */
void check_walk(const Kernel *k, const CheckEvents *events);

#endif
