/* stagger.h: a loop that is to be staggered, for the files that do it. */
#ifndef TIKC_STAGGER_H
#define TIKC_STAGGER_H

#include "passes/access.h"

enum {
    STAGGER_STMTS = 64,
    STAGGER_ITEMS = 160
};

/* An access in the body. */
typedef struct StaggerItem {
    Access a;
    int part;
} StaggerItem;

typedef struct Stagger {
    Kernel *k;
    Env env;
    Arena scratch;
    StmtId loop;
    ExprId row; /* the value of its variable */
    int nstmts, parts, nitems;
    StmtId stmt[STAGGER_STMTS]; /* of the body */
    int part[STAGGER_STMTS];
    StaggerItem item[STAGGER_ITEMS];
    VEC(BufId) local;   /* buffers that begin to live in the body */
    VEC(BufId) own;     /* those of which each of both iterations has one */
    VEC(BufId) doubled; /* what takes their places */
} Stagger;

/* Finds out whether the loop may be staggered, and whether that pays; then the parts and
 * lists are set (stagger_find.c). */
bool stagger_candidate(Stagger *g, StmtId loop);

/* Returns the number of parts that belong to the later iteration. */
int stagger_early(const Stagger *g);
/* Returns the register that a statement sets, or 0. */
RegId stagger_sets(const Stmt *s);

#endif
