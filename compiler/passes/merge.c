/* merge.c: makes one loop of neighbouring loops over the same rows, so that a row is used
 * again while it is near.
 *
 * Needs: a checked kernel whose buffers have addresses, in a copy for the host.
 * Guarantees: an iteration of the second loop depends on no later iteration of the first
 * one, and on no earlier one but through bytes that it reads anyway. Never: changes an
 * instruction, or writes what is read after an error and was not written before it: the
 * first loop may end with the error of a check if the second one cannot, and writes
 * nothing but memory of the core.
 *
 * Of the bytes that both bodies access, and one of them writes, each iteration has its
 * own, or the bodies use them only for a moment: what they read there they wrote before
 * in the same iteration, and nothing reads them after the loops. */

/* ASSUMES arguments-apart: global tensors of different arguments share no bytes. */
#include "passes/access.h"
#include "passes/fate.h"
#include "passes/passes.h"
#include "passes/plain.h"
#include "passes/rewrite.h"

typedef struct Merge {
    Kernel *k;
    Env env;
    Fates fates;
    Arena scratch;
    StmtId first, second; /* the loops */
    ExprId row[2];        /* the values of their variables */
    bool shares;          /* the second one accesses what the first one writes */
} Merge;

/* ---- registers ----------------------------------------------------------- */

/* Returns whether one body sets a register that the other one sets or reads. */
static bool
share_registers(const Merge *m, StmtId a, StmtId b)
{
    for (RegId r = 1; r < m->k->regs.n; r++) {
        bool sets = rewrite_body_sets(m->k, a, r);
        if (sets && (rewrite_body_sets(m->k, b, r) || rewrite_body_reads(m->k, b, r))) {
            return true;
        }
    }
    return false;
}

/* ---- bytes --------------------------------------------------------------- */

/* Returns whether two accesses of a buffer, of different iterations, share no bytes: both
 * are inside of rows at the same distance from each other. */
static bool
in_rows(const Merge *m, const Access *a, ExprId row, const Access *b, ExprId other)
{
    Affine p, q, diff;
    int64_t lo, hi;
    if (!a->known || !b->known || !env_affine(&m->env, a->off, &p) ||
        !env_affine(&m->env, b->off, &q)) {
        return false;
    }
    int64_t pitch = rewrite_take_row(&p, row);
    if (pitch <= 0 || rewrite_take_row(&q, other) != pitch ||
        !affine_sub(&q, &p, &diff)) {
        return false;
    }
    Interval at = env_affine_range(&m->env, &diff);
    return checked_add(at.lo, b->fp.offset, &lo) &&
           checked_add(at.hi, access_end(b), &hi) &&
           MAX(hi, access_end(a)) - MIN(lo, a->fp.offset) <= pitch;
}

/* Calls what for each access of a body; false: it returned false. */
typedef bool EachAccess(Merge *m, const Access *a, void *arg);

static bool
each_access(Merge *m, StmtId first, EachAccess *what, void *arg)
{
    Access a[MAX_ACCESSES];
    for (StmtId s = first; s != 0; s = m->k->stmts.p[s].next) {
        const Stmt *st = &m->k->stmts.p[s];
        bool ok = true;
        if (st->kind == ST_IF) {
            ok = each_access(m, st->cond.then_body, what, arg) &&
                 each_access(m, st->cond.else_body, what, arg);
        } else if (st->kind == ST_FOR || st->kind == ST_SCOPE) {
            ok = each_access(m, *ir_body(m->k, s, 0), what, arg);
        }
        int n = access_list(m->k, st, a);
        for (int i = 0; ok && i < n; i++) {
            ok = what(m, &a[i], arg);
        }
        if (!ok) {
            return false;
        }
    }
    return true;
}

/* Returns whether a statement before in the body writes all that is read. An offset that
 * reads a register which the body sets may be another one there. */
static bool
written_before(const Merge *m, StmtId body, StmtId reader, const Access *r)
{
    Access w[MAX_ACCESSES];
    if (rewrite_changes(m->k, body, r->off)) {
        return false;
    }
    for (StmtId s = body; s != reader; s = m->k->stmts.p[s].next) {
        int n = access_list(m->k, &m->k->stmts.p[s], w);
        for (int i = 0; i < n; i++) {
            bool row = w[i].known && w[i].exact && access_runs(&w[i]) == 1;
            if (w[i].write && w[i].buf == r->buf && w[i].off == r->off && row &&
                w[i].fp.offset <= r->fp.offset && access_end(&w[i]) >= access_end(r)) {
                return true;
            }
        }
    }
    return false;
}

/* Returns whether a body reads in the buffer only what it wrote in the same iteration. */
static bool
reads_own(const Merge *m, StmtId body, BufId b)
{
    Access a[MAX_ACCESSES];
    for (StmtId s = body; s != 0; s = m->k->stmts.p[s].next) {
        const Stmt *st = &m->k->stmts.p[s];
        int n = access_list(m->k, st, a);
        if (st->kind == ST_IF || st->kind == ST_FOR || st->kind == ST_SCOPE) {
            return false;
        }
        for (int i = 0; i < n; i++) {
            if (a[i].buf == b && !a[i].write &&
                !(a[i].known && written_before(m, body, s, &a[i]))) {
                return false;
            }
        }
    }
    return true;
}

static bool
is_momentary(const Merge *m, BufId b)
{
    const Kernel *k = m->k;
    FateBytes all = {b, ir_const(m->k, DT_S64, 0), IR_MAX_BYTES};
    return fate_may_drop(k, b) && reads_own(m, k->stmts.p[m->first].loop.body, b) &&
           reads_own(m, k->stmts.p[m->second].loop.body, b) &&
           fate_is_dead(&m->fates, m->second, all);
}

static bool
allows_pair(Merge *m, const Access *b, void *arg)
{
    const Access *a = arg;
    if (!a->write && !b->write) {
        return true;
    }
    if (a->buf != b->buf) {
        return rewrite_apart(m->k, a->buf, b->buf);
    }
    bool rows = in_rows(m, a, m->row[0], b, m->row[1]);
    m->shares = m->shares || (rows && a->write);
    return rows || is_momentary(m, a->buf);
}

/* Returns whether what an access does is gone when the kernel ends with an error. */
static bool
stays_on_core(Merge *m, const Access *a, void *arg)
{
    (void)arg;
    return !a->write || m->k->bufs.p[a->buf].scope != SC_GM;
}

static bool
allows_access(Merge *m, const Access *a, void *arg)
{
    (void)arg;
    Access copy = *a;
    return each_access(m, m->k->stmts.p[m->second].loop.body, allows_pair, &copy);
}

/* ---- loops --------------------------------------------------------------- */

static bool
begin_pair(Merge *m, StmtId first, StmtId second)
{
    const Kernel *k = m->k;
    const Stmt *a = &k->stmts.p[first], *b = &k->stmts.p[second];
    int64_t begin[2], end[2];
    if (a->kind != ST_FOR || b->kind != ST_FOR || ir_is_multicore(a) ||
        ir_is_multicore(b) || !ir_loop_bounds(k, a, &begin[0], &end[0]) ||
        !ir_loop_bounds(k, b, &begin[1], &end[1]) || begin[0] != begin[1] ||
        end[0] != end[1] || end[0] - begin[0] < 2 ||
        k->vars.p[a->loop.var].dtype != k->vars.p[b->loop.var].dtype) {
        return false;
    }
    m->first = first;
    m->second = second;
    m->shares = false;
    m->row[0] = ir_var_value(m->k, a->loop.var);
    m->row[1] = ir_var_value(m->k, b->loop.var);
    return true;
}

static bool
can_merge(Merge *m)
{
    StmtId a = m->k->stmts.p[m->first].loop.body;
    StmtId b = m->k->stmts.p[m->second].loop.body;
    bool plain = plain_body(m->k, a) ||
                 (plain_if_checked(m->k, a) && each_access(m, b, stays_on_core, NULL));
    return plain && plain_body(m->k, b) && !share_registers(m, a, b) &&
           !share_registers(m, b, a) && each_access(m, a, allows_access, NULL) &&
           m->shares;
}

/* The variable of the second loop, which nothing else reads, becomes that of the first
 * one. */
static void
merge_pair(Merge *m)
{
    Kernel *k = m->k;
    for (ExprId e = 1; e < k->exprs.n; e++) {
        Expr *x = &k->exprs.p[e];
        if (x->kind == EX_OP) {
            x->a = x->a == m->row[1] ? m->row[0] : x->a;
            x->b = x->b == m->row[1] ? m->row[0] : x->b;
        } else if (x->kind == EX_VAR && x->a == k->stmts.p[m->second].loop.var) {
            x->a = k->stmts.p[m->first].loop.var;
        }
    }
    StmtId *link = &k->stmts.p[m->first].loop.body;
    while (*link != 0) {
        link = &k->stmts.p[*link].next;
    }
    *link = k->stmts.p[m->second].loop.body;
}

/* ---- bodies -------------------------------------------------------------- */

/* Merges the loop with the one after it, with nothing but allocations between them, which
 * move before it. Returns whether it did. */
static bool
merge_next(Merge *m, StmtId *loop)
{
    Kernel *k = m->k;
    StmtId first = *loop, last = first;
    while (k->stmts.p[last].next != 0 &&
           k->stmts.p[k->stmts.p[last].next].kind == ST_ALLOC) {
        last = k->stmts.p[last].next;
    }
    StmtId second = k->stmts.p[last].next;
    if (second == 0 || !begin_pair(m, first, second) || !can_merge(m)) {
        return false;
    }
    merge_pair(m);
    StmtId rest = k->stmts.p[second].next;
    if (last != first) {
        *loop = k->stmts.p[first].next;
        k->stmts.p[last].next = first;
    }
    k->stmts.p[first].next = rest;
    return true;
}

static void
merge_body(Merge *m, StmtId owner, int slot)
{
    Kernel *k = m->k;
    for (StmtId *link = ir_body(k, owner, slot); *link != 0;) {
        if (k->stmts.p[*link].kind == ST_FOR && merge_next(m, link)) {
            fates_init(&m->fates, k, &m->scratch);
            continue;
        }
        StmtId s = *link;
        StmtKind kind = (StmtKind)k->stmts.p[s].kind;
        if (kind == ST_FOR || kind == ST_SCOPE || kind == ST_IF) {
            merge_body(m, s, 0);
        }
        if (kind == ST_IF) {
            merge_body(m, s, 1);
        }
        link = &k->stmts.p[s].next;
    }
}

bool
pass_merge(Kernel *k)
{
    Merge m = {.k = k};
    for (BufId i = 1; i < k->bufs.n; i++) {
        if (k->bufs.p[i].scope == SC_SREG) {
            return true; /* atomic modes */
        }
    }
    arena_init(&m.scratch);
    env_init(&m.env, k, &m.scratch);
    rewrite_enter_loops(&m.env, k, k->body);
    fates_init(&m.fates, k, &m.scratch);
    merge_body(&m, 0, 0);
    rewrite_unify_offsets(k, &m.scratch); /* those of both variables are the same now */
    arena_free(&m.scratch);
    return true;
}
