/* atomic_mode.h: what the register of the atomic mode (rules/atomic.h) holds at each
 * statement, as far as that is the same in every execution. */
#ifndef TIKC_ATOMIC_MODE_H
#define TIKC_ATOMIC_MODE_H

#include "ir/ir.h"

enum {
    ATOMIC_UNKNOWN = -1 /* not always the same, or known only at run time */
};

typedef struct AtomicModes {
    /* by StmtId: the register when the statement begins, or ATOMIC_UNKNOWN */
    int64_t *before;
    int64_t end;     /* when the kernel ends */
    StmtId last_set; /* the last statement in the text that sets it */
} AtomicModes;

/* False: the kernel never sets the register, which is 0 all the time; *out is not
 * filled. */
bool atomic_modes(const Kernel *k, Arena *scratch, AtomicModes *out);

/* Whether the statement writes global memory in a way that heeds the mode; *src gets the
 * memory that it writes from. */
bool atomic_heeds(const Kernel *k, const Stmt *s, Scope *src);

#endif
