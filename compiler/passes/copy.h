/* copy.h: copies of statements in which a loop variable, registers and buffers are
 * replaced by others. */
#ifndef TIKC_COPY_H
#define TIKC_COPY_H

#include "ir/ir.h"

typedef struct Copy {
    Kernel *k;
    VarId var; /* the variable that is replaced, by an expression of its type */
    ExprId value;
    uint32_t nregs;
    RegId *reg;    /* by RegId: what replaces it; 0: it stays */
    BufId *buf;    /* the same by BufId */
    ExprId *shift; /* by BufId: what is added to offsets; 0: nothing */
    ExprId *done;  /* by ExprId: the copies that were made; 0: none yet */
} Copy;

/* Begins without any replacements; the tables are in the arena and hold what the kernel
 * has now. */
void copy_init(Copy *c, Kernel *k, Arena *arena);
/* Appends a copy of a statement: an instruction, a set, a load, a store, an allocation,
 * or a scope of these. */
void copy_stmt(Copy *c, Cursor *to, StmtId s);

#endif
