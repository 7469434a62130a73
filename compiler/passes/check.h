/* check.h: what the check pass can print beyond its result. */
#ifndef TIKC_PASS_CHECK_H
#define TIKC_PASS_CHECK_H

#include "ir/ir.h"

/* Prints each obligation of a checked kernel that was not proved, one on each line, with
 * its place. */
void check_explain(const Kernel *k, Text *out);

/* How a rule of an instruction stands. */
typedef enum Answer {
    ANSWER_PROVED,
    ANSWER_REFUTED,
    ANSWER_RUNTIME
} Answer;

/* Gets the answer to a rule of a statement's operand; param is -1 if it is of none. */
typedef void CheckVisit(void *ctx, StmtId stmt, int param, const char *operand, Rule rule,
                        Answer answer);
/* Visits each obligation of a checked kernel, in program order. */
void check_visit(const Kernel *k, CheckVisit *visit, void *ctx);

#endif
