/* atomic_mode.h: finds what the register of the atomic mode (rules/atomic.h) holds at
 * each statement, as far as that is the same in every execution. */
#ifndef TIKC_ATOMIC_MODE_H
#define TIKC_ATOMIC_MODE_H

#include "ir/ir.h"

enum {
    ATOMIC_UNKNOWN = -1 /* the value is not always the same, or known only at run time */
};

typedef struct AtomicModes {
    /* by StmtId: the register's value when the statement begins, or ATOMIC_UNKNOWN */
    int64_t *before;
    int64_t end;     /* value when the kernel ends */
    StmtId last_set; /* the last statement in the text that sets it */
} AtomicModes;

/* False: the kernel never sets the register, which is always 0; *out is not filled. */
bool atomic_modes(const Kernel *k, Arena *scratch, AtomicModes *out);

/* True if the statement writes global memory in a way that follows the mode; *src gets
 * the memory that it writes from. */
bool atomic_follows(const Kernel *k, const Stmt *s, Scope *src);

#endif
