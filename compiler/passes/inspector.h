/* inspector.h: what an inspector (inspector.c) notes of the global tensors that its
 * kernel writes: runs of bytes, in registers and in the rows of the launcher. */
#ifndef TIKC_INSPECTOR_H
#define TIKC_INSPECTOR_H

#include "passes/access.h"
#include "passes/passes.h"

/* The run of bytes that a core accesses at present, and those that it has in its row. */
typedef struct Noted {
    RegId lo, hi; /* 0: the kernel does not write the tensor */
    RegId n;      /* runs in the row */
    int64_t at;   /* byte of the core's row where the tensor's words begin */
} Noted;

typedef struct Inspector {
    Kernel *k; /* the copy */
    Arena scratch;
    Noted *noted;    /* by BufId */
    bool *needs_reg; /* by RegId: what is noted depends on its value */
    bool *needs_buf; /* by BufId: the same of bytes of the buffer */
    bool *live;      /* by StmtId: it stays, as it is or as notes */
    RegId steps;     /* iterations of loops so far */
    RegId row;       /* byte of the rows where those of the core begin */
    BufId rows;      /* the last argument */
    uint32_t nbufs;  /* of the kernel */
    int64_t tensors; /* that are noted */
    int cores;
    bool changed; /* a need was found in this round */
    bool ok;
} Inspector;

/* Gives each global tensor that the kernel writes its registers. */
void inspector_find_noted(Inspector *in, const Kernel *k);
/* Returns whether the range of a move follows from its numbers. */
bool inspector_is_plain_move(const Kernel *k, const Stmt *s);
/* Adds the argument for the rows, and the statements at the start of the kernel. */
void inspector_begin(Inspector *in, Cursor *c, StmtId like);
/* Notes the accesses that a statement has of tensors that the kernel writes. Returns
 * whether there are any. */
bool inspector_note(Inspector *in, Cursor *c, StmtId s);
/* Adds the statements at the end of the kernel, which tell that the row is whole. */
void inspector_end(Inspector *in, Cursor *c, StmtId like);
/* Adds a statement with the place of another one; sets a register. */
StmtId inspector_add(Inspector *in, Cursor *c, Stmt s, StmtId like);
void inspector_set(Inspector *in, Cursor *c, RegId r, ExprId value, StmtId like);
ExprId inspector_number(Inspector *in, int64_t v);
ExprId inspector_op(Inspector *in, ScalarOp o, ExprId a, ExprId b);
RegId inspector_reg(Inspector *in, const char *name);

#endif
