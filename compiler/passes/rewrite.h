/* rewrite.h: what the passes that move instructions of the host's copy have in common. */
#ifndef TIKC_REWRITE_H
#define TIKC_REWRITE_H

#include "analysis/env.h"
#include "analysis/iteration.h"

/* Returns whether an expression, or an operand of an instruction, reads the register. */
bool rewrite_reads(const Kernel *k, ExprId e, RegId r);
bool rewrite_instr_reads(const Kernel *k, const Stmt *s, RegId r);
/* Returns whether a body, or what is inside of it, sets a register that the expression
 * reads. */
bool rewrite_changes(const Kernel *k, StmtId first, ExprId e);
/* The same for one statement. */
bool rewrite_stmt_changes(const Kernel *k, StmtId s, ExprId e);
/* Sets the range of each loop's variable. A variable is read inside of its loop only, so
 * its range may hold everywhere. */
void rewrite_enter_loops(Env *env, const Kernel *k, StmtId first);
/* Takes a list of statements that no body has any more, and what is in scopes of it, out
 * of all statements. */
void rewrite_forget(Kernel *k, StmtId first);
/* Makes offsets of operands in one buffer that always have the same value one expression,
 * so that passes see that they are the same. */
void rewrite_unify_offsets(Kernel *k, Arena *scratch);
/* Returns whether a body, or what is inside of it, sets, or reads, the register. */
bool rewrite_body_sets(const Kernel *k, StmtId first, RegId r);
/* The same for setting, of one statement. */
bool rewrite_stmt_sets(const Kernel *k, StmtId s, RegId r);
bool rewrite_body_reads(const Kernel *k, StmtId first, RegId r);
/* Returns whether one statement, or what is inside of it, reads the register. */
bool rewrite_stmt_reads(const Kernel *k, StmtId s, RegId r);
/* Takes the variable of a row out of a sum and returns its factor; 0: it is not in. */
int64_t rewrite_take_row(Affine *a, ExprId row);
/* Returns whether two buffers share no bytes; those on the core have addresses. Global
 * tensors of different arguments are taken to share none. */
bool rewrite_apart(const Kernel *k, BufId a, BufId b);
/* Returns whether some statement of the kernel may write the global buffer. */
bool rewrite_is_written(const Kernel *k, BufId b);
/* Returns, by BufId, whether a buffer is a global tensor that no statement writes, so
 * that it may be read in place of a copy; lists are none. */
bool *rewrite_sources(const Kernel *k, Arena *arena);

#endif
