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

/* Finds out whether parts of the loop's body wait for others, and nothing but operands
 * and registers would tell iterations apart; then the parts and their accesses are set
 * (stagger_find.c). */
bool stagger_describe(Stagger *g, StmtId loop);
/* Returns whether each iteration reads in the buffer only what it wrote itself. */
bool stagger_reads_own(const Stagger *g, BufId b);
/* Returns the distance between the bytes of a buffer that neighbouring iterations have as
 * their own; less than the size of the buffer if it has room for both. */
int64_t stagger_step(const Stagger *g, BufId b);

/* Finds out whether the loop may be staggered, and whether that pays; then the parts and
 * lists are set (stagger_find.c). */
bool stagger_candidate(Stagger *g, StmtId loop);

/* Returns the number of parts that belong to the later iteration. */
int stagger_early(const Stagger *g);
/* Returns the register that a statement sets, or 0. */
RegId stagger_sets(const Stmt *s);

#endif
