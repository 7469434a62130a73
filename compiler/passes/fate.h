/* fate.h: what happens to bytes of on-core buffers after a statement, for the passes that
 * take out stores. */
#ifndef TIKC_FATE_H
#define TIKC_FATE_H

#include "analysis/env.h"
#include "analysis/iteration.h"

/* Elements of one buffer. */
typedef struct FateBytes {
    BufId buf;
    ExprId off;
    int64_t bytes; /* IR_MAX_BYTES: as many as the buffer has, at most */
} FateBytes;

typedef struct Fates {
    const Kernel *k;
    StmtId *parent; /* by StmtId: the statement whose body it is in; 0: the kernel's */
    Env env;
} Fates;

/* Notes where statements are. It holds until statements move to other bodies. */
void fates_init(Fates *f, const Kernel *k, Arena *arena);
/* Returns whether nothing reads the bytes after a statement before they are written
 * again. */
bool fate_is_dead(const Fates *f, StmtId after, FateBytes bytes);
/* Returns the bytes that an operand writes. */
FateBytes fate_bytes(const Iteration *it, const IterationOperand *o);
/* Returns whether stores to a buffer may be taken out at all: it is on the core, and has
 * its size while compiling. */
bool fate_may_drop(const Kernel *k, BufId b);

/* Returns whether nothing needs what an instruction computes, which goes over elements
 * (analysis/iteration.h). unset: see fate_find_unset; null: it makes no difference. */
bool fate_is_needless(const Fates *f, StmtId s, const bool *unset);

/* Sets, by BufId, whether the buffer has bytes of memory that may be read, of this buffer
 * or of another one, and that were never written then: it makes a difference what was
 * there before. */
void fate_find_unset(const Kernel *k, bool *unset);

#endif
