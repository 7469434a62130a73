/* coarse.c: finds kernels whose own code takes no time to speak of, since each iteration
 * of their loops processes many bytes in helpers. It is compiled without optimisation,
 * which takes a tenth of the time. What is not known counts as little. */
#include "analysis/member.h"
#include "host/lower/lower.h"

enum {
    COARSE_BYTES = 65536 /* of all operands in an iteration, for each statement */
};

typedef struct Work {
    int64_t bytes;
    int64_t statements;
    bool has_loop;
    bool fine; /* some loop is not coarse */
} Work;

static void add_body(const Kernel *k, StmtId first, Work *w);

static int64_t
member_bytes(const Kernel *k, const ScopeMember *m)
{
    Iteration it;
    if (!member_iteration(k, m, &it) || !count_known(it.rows) || !count_known(it.lanes)) {
        return 0;
    }
    int64_t bytes = 0;
    for (int i = 0; i < it.n; i++) {
        bytes += it.rows.times * iteration_bytes(&it.op[i], it.lanes.times);
    }
    return bytes;
}

/* The instructions of a fused scope share their operands. */
static int64_t
fused_bytes(const Kernel *k, StmtId first)
{
    int64_t most = 0;
    ScopeMember m[MOST_SCOPE_MEMBERS];
    int n = scope_members(k, first, m);
    for (int i = 0; i < n; i++) {
        most = MAX(most, member_bytes(k, &m[i]));
    }
    return most;
}

static void
add_loop(const Kernel *k, StmtId body, Work *w)
{
    Work inner = {0};
    add_body(k, body, &inner);
    bool coarse = inner.has_loop || inner.bytes >= COARSE_BYTES * inner.statements;
    w->fine = w->fine || inner.fine || !coarse;
    w->has_loop = true;
}

/* A branch may not be taken, so its bytes do not count. */
static void
add_branch(const Kernel *k, StmtId body, Work *w)
{
    Work branch = {0};
    add_body(k, body, &branch);
    w->statements += branch.statements;
    w->fine = w->fine || branch.fine;
    w->has_loop = w->has_loop || branch.has_loop;
}

static void
add_statement(const Kernel *k, StmtId id, Work *w)
{
    const Stmt *s = &k->stmts.p[id];
    w->statements += s->kind != ST_ALLOC;
    switch ((StmtKind)s->kind) {
    case ST_INSTR:
        w->bytes += member_bytes(k, &(ScopeMember){.stmt = id});
        return;
    case ST_FOR:
        add_loop(k, s->loop.body, w);
        return;
    case ST_IF:
        add_branch(k, s->cond.then_body, w);
        add_branch(k, s->cond.else_body, w);
        return;
    case ST_SCOPE:
        w->statements--;
        if (s->scope.fused) {
            w->statements++;
            w->bytes += fused_bytes(k, s->scope.body);
        } else {
            add_body(k, s->scope.body, w);
        }
        return;
    default:
        return;
    }
}

static void
add_body(const Kernel *k, StmtId first, Work *w)
{
    for (StmtId s = first; s != 0; s = k->stmts.p[s].next) {
        add_statement(k, s, w);
    }
}

bool
lower_is_coarse(const Kernel *k)
{
    Work w = {0};
    add_body(k, k->body, &w);
    return !w.fine;
}
