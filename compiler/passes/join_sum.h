/* join_sum.h: numbers of elements as the parts of an instruction have them, for the pass
 * join. */
#ifndef TIKC_JOIN_SUM_H
#define TIKC_JOIN_SUM_H

#include "analysis/env.h"
#include "passes/reaching.h"

/* What parts that follow each other have in common: together they are the first
 * x / by * by of x elements, or a constant number. */
typedef struct PartSum {
    const Kernel *k;
    const Reaching *reaching;
    ExprId x; /* 0: the number is constant */
    int64_t by;
    Affine done; /* the sum of the parts' numbers */
} PartSum;

/* Writes an expression as it is when the statement executes as a sum. Sums that could
 * wrap are taken apart too: see pass_join. False: it has too many terms. */
bool sum_of(const PartSum *p, StmtId s, ExprId e, Affine *out);
bool sum_same(const Affine *a, const Affine *b);
/* Begins with the number of the first part, which the statement has. */
bool sum_begin(PartSum *p, StmtId s, Count c);
/* Adds that of the next one: of what is left after the parts so far. */
bool sum_next(PartSum *p, StmtId s, Count c);
/* Returns whether a condition is that such a number is at least 1, or not 0. */
bool sum_is_asked(const PartSum *p, StmtId s, ExprId cond, Count c);
/* Returns whether a distance, in bytes of elements of that size, is that of the part
 * after the present ones, which has the number c. */
bool sum_reaches(const PartSum *p, StmtId s, const Affine *distance, int64_t size,
                 Count c);
/* Returns the sum as an expression. */
ExprId sum_expr(const PartSum *p, Kernel *k);

#endif
