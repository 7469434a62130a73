/* access.h: which bytes a statement reads and writes, for the passes that reason about
 * memory. */
#ifndef TIKC_ACCESS_H
#define TIKC_ACCESS_H

#include "analysis/env.h"
#include "rules/check.h"

/* One access of one buffer: the bytes off + fp, in every execution. Without `known` the
 * shape depends on run-time values: then the statement accesses any bytes of the buffer,
 * or none. */
typedef struct Access {
    BufId buf;
    int param;   /* index of the operand; -1: the statement has no parameters */
    Dtype dtype; /* type of the operand */
    bool write;
    /* the instruction computes with the values that it reads; it does not only move
     * them */
    bool computes;
    bool known;
    bool exact; /* every byte of the shape is accessed */
    ExprId off;
    Footprint fp;
} Access;

enum {
    MAX_ACCESSES = MAX_PARAMS + 1
};

/* Lists the accesses of a statement, reads before writes, and returns their number (0 for
 * statements that access no buffer). */
int access_list(const Kernel *k, const Stmt *s, Access out[MAX_ACCESSES]);

/* Remembers the lists of some instructions, so that those of equal ones are copied: equal
 * but for buffers of the same kind and size, and for where they are accessed. It is for
 * one walk over one kernel, which does not change. */
typedef struct AccessMemo AccessMemo;
AccessMemo *access_memo_new(Arena *arena);
int access_list_kept(AccessMemo *m, const Kernel *k, const Stmt *s,
                     Access out[MAX_ACCESSES]);

/* Sets the range of a loop's variable inside its body. */
void access_enter_loop(Env *env, const Stmt *loop);

/* True if the loop has constant bounds with at least one iteration; they are returned,
 * with *begin < *end. */
bool access_certain_loop(const Kernel *k, const Stmt *loop, int64_t *begin, int64_t *end);

/* Returns the offset one past the last byte of a known shape. */
int64_t access_end(const Access *a);

/* Returns run i of a known shape as [*lo, *hi) relative to off; there are access_runs of
 * them. */
int64_t access_runs(const Access *a);
void access_run(const Access *a, int64_t i, int64_t *lo, int64_t *hi);

#endif
