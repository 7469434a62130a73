/* check_walk.h: the walk of the check pass over a kernel's body. Private to the check
 * pass. */
#ifndef TIKC_CHECK_WALK_H
#define TIKC_CHECK_WALK_H

#include "analysis/env.h"
#include "analysis/site.h"
#include "analysis/witness.h"

typedef enum Answer {
    ANSWER_PROVED,
    ANSWER_REFUTED,
    ANSWER_RUNTIME
} Answer;

struct CheckWalk;

/* What a walk tells about each site: answer of each step. values: see Witness; null for
 * rules on constants. fault is filled when an answer is REFUTED. */
typedef struct CheckEvents {
    void *ctx;
    /* A rule that is independent of values is broken; the steps are not asked. */
    void (*broken)(void *ctx, const struct CheckWalk *w, const Site *s, const Fault *f);
    void (*answered)(void *ctx, const struct CheckWalk *w, const Site *s, int step,
                     Answer a, const Witness *wit);
    /* Behind all answers of a site. proved: each of its steps is. */
    void (*done)(void *ctx, const struct CheckWalk *w, const Site *s, bool proved);
} CheckEvents;

typedef struct CheckLoop {
    VarId parent;  /* the loop around it, 0: none */
    int64_t trips; /* at most; INT64_MAX: not known */
    uint32_t first,
        last;   /* assignments in its body: [first, last) of CheckWalk.assigns */
    bool exits; /* some iteration may be left or the loop ended early */
} CheckLoop;

typedef struct CheckAssign {
    RegId reg;
    ExprId value; /* 0: a load */
    VarId loop;   /* the innermost loop around it */
} CheckAssign;

/* What the assignments of a loop do to a register; private to check_walk.c. */
typedef struct CheckDrift {
    uint32_t stamp;   /* of the loop that is looked at */
    bool steps;       /* all assignments add constants */
    Range value;      /* its congruence then */
    int64_t down, up; /* by how much it moves at most */
} CheckDrift;

typedef struct CheckWalk {
    const Kernel *k;
    Arena scratch;
    Env env;
    const CheckEvents *events;
    VEC(CheckAssign) assigns; /* all, in program order */
    CheckLoop *loops;         /* by VarId */
    CheckDrift *drifts;       /* by RegId */
    uint32_t drift_stamp;
    VEC(Frame) frames;
    int unsure;     /* enclosing loops with exits */
    int branches;   /* enclosing branches whose condition is not decided */
    int maybe;      /* enclosing loops that may have no iteration */
    bool returned;  /* a return may have ended the kernel before this point */
    int64_t *vars;  /* for searches */
    int64_t budget; /* work that searches may do in all */
} CheckWalk;

/* The loops and open branches around the present site. */
Nest check_walk_nest(const CheckWalk *w);

/* Visits every instruction, scalar load and scalar store in program order. */
void check_walk(const Kernel *k, const CheckEvents *events);

#endif
