/* member.c: lists what a fused scope executes (see analysis/member.h). */
#include "analysis/member.h"

static int
add_run(const Kernel *k, StmtId run, ScopeMember *out, int n)
{
    const Stmt *st = &k->stmts.p[run];
    for (StmtId s = st->scope.instrs; s != 0; s = k->stmts.p[s].next) {
        if (n == MOST_SCOPE_MEMBERS) {
            return -1;
        }
        out[n++] = (ScopeMember){s, run, st->scope.run};
    }
    return n;
}

int
run_members(const Kernel *k, StmtId run, ScopeMember *out)
{
    return add_run(k, run, out, 0);
}

int
scope_members(const Kernel *k, StmtId first, ScopeMember *out)
{
    int n = 0;
    for (StmtId s = first; s != 0 && n >= 0; s = k->stmts.p[s].next) {
        const Stmt *st = &k->stmts.p[s];
        if (st->kind == ST_SCOPE && st->scope.run != 0) {
            n = add_run(k, s, out, n);
        } else if (st->kind == ST_INSTR && n < MOST_SCOPE_MEMBERS) {
            out[n++] = (ScopeMember){s, s, 0};
        } else {
            return -1;
        }
    }
    return n;
}

bool
member_iteration(const Kernel *k, const ScopeMember *m, Iteration *out)
{
    if (!iteration_of(k, &k->stmts.p[m->stmt], out)) {
        return false;
    }
    if (m->run != 0) {
        bool known = ir_is_const(k, m->run);
        out->rows = (Count){0, 1};
        out->lanes = known ? (Count){0, ir_expr(k, m->run)->imm} : (Count){m->run, 1};
    }
    return true;
}
