/* reaching.h: reaching definitions: of which expression a register has the value. */
#ifndef TIKC_REACHING_H
#define TIKC_REACHING_H

#include "analysis/iteration.h"

typedef struct Reaching Reaching;

/* Finds out what is known before each statement. It holds until statements move. */
Reaching *reaching_find(const Kernel *k, Arena *arena);
/* Returns the expression whose value the one of an operand is when the statement
 * executes: if that is a register, the value that it was set to, should nothing that the
 * value reads have changed since; else the expression itself. */
ExprId reaching_value(const Reaching *r, StmtId s, ExprId e);
/* The same for the numbers of an instruction's iterations. */
void reaching_counts(const Reaching *r, StmtId s, Iteration *it);

#endif
