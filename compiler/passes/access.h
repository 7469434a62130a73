/* access.h: which bytes a statement reads and writes, for the passes that reason about
 * memory. */
#ifndef TIKC_ACCESS_H
#define TIKC_ACCESS_H

#include "analysis/env.h"
#include "rules/check.h"

/* One access of one buffer: the bytes off + fp, in every execution. Without
 * `known` the shape depends on run-time values: then any bytes of the buffer, or none. */
typedef struct Access {
    BufId buf;
    int param;   /* of the instruction; -1: the statement has no parameters */
    Dtype dtype; /* of the operand */
    bool write;
    bool computes; /* a read whose values are computed with, not only moved */
    bool known;
    bool exact; /* every byte of the shape is touched */
    ExprId off;
    Footprint fp;
} Access;

enum {
    MAX_ACCESSES = MAX_PARAMS + 1
};

/* The accesses of a statement (0 for those that touch no buffer), reads before writes. */
int access_list(const Kernel *k, const Stmt *s, Access out[MAX_ACCESSES]);

/* Sets the range of a loop's variable inside its body. */
void access_enter_loop(Env *env, const Stmt *loop);

/* Trips of a loop with constant bounds: true, with *begin < *end. */
bool access_certain_loop(const Kernel *k, const Stmt *loop, int64_t *begin, int64_t *end);

/* One past the last byte of a known shape. */
int64_t access_end(const Access *a);

/* Run i of a known shape, in [*lo, *hi) relative to off; there are access_runs of
 * them. */
int64_t access_runs(const Access *a);
void access_run(const Access *a, int64_t i, int64_t *lo, int64_t *hi);

#endif
