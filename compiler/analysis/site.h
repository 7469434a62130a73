/* site.h: one instruction, scalar load or scalar store of a kernel in the terms of the
 * checker in rules/check.h: what is constant is filled in, the rest can be filled from
 * loop variables. */
#ifndef TIKC_SITE_H
#define TIKC_SITE_H

#include "ir/ir.h"
#include "rules/check.h"

typedef struct Site {
    const Kernel *k;
    StmtId stmt;
    /* it is a scalar access: operand 0 is the element, check_element has the rules */
    bool element;
    const ParamInfo *params;
    int nparams;
    CheckStep steps[MAX_CHECK_STEPS];
    int nsteps;
    CheckInstr in; /* operands that are not constant have value 0 */
    bool constant; /* all operands are constant */
} Site;

/* False for statements that have no rules of this kind. */
bool site_init(Site *s, const Kernel *k, StmtId stmt);

/* site_ref returns the operand's tensor; the next two the number of expressions of an
 * operand, and each of them: the byte offset of a tensor, the words of a mask, a
 * number. */
const Ref *site_ref(const Site *s, int param);
int site_exprs(const Site *s, int param);
ExprId site_expr(const Site *s, int param, int i);
/* Stores a value where expression i of an operand belongs. */
void site_put(const Site *s, CheckInstr *in, int param, int i, int64_t v);

/* Fills all operands of *in (a copy of s->in) from values of the loop variables. False:
 * some value reads a register or divides by zero. */
bool site_eval(const Site *s, const int64_t *vars, CheckInstr *in);

const char *site_param_name(const Site *s, int param);
/* Returns the rule of a step, for lists of obligations. */
Rule site_rule(const Site *s, CheckStep step);

#endif
