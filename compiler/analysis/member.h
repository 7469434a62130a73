/* member.h: the instructions that a fused scope executes as one loop, in their order. */
#ifndef TIKC_MEMBER_H
#define TIKC_MEMBER_H

#include "analysis/iteration.h"

enum {
    MOST_SCOPE_MEMBERS = 64
};

/* An instruction of a fused scope, or of the list of a run in it (Stmt.scope.instrs). */
typedef struct ScopeMember {
    StmtId stmt;
    StmtId at;  /* the statement of the body: the run, or the instruction itself */
    ExprId run; /* the number of its elements; 0: the statement says it */
} ScopeMember;

/* Lists the members among the statements of a body; -1: there are more than
 * MOST_SCOPE_MEMBERS, or a statement that is none. */
int scope_members(const Kernel *k, StmtId first, ScopeMember *out);
/* The same for a run. */
int run_members(const Kernel *k, StmtId run, ScopeMember *out);
/* Describes a member (analysis/iteration.h). */
bool member_iteration(const Kernel *k, const ScopeMember *m, Iteration *out);

#endif
