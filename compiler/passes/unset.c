/* unset.c: reads of bytes that were never written, as they are usual in the last tile of
 * a run-time length: a part of it is loaded, whole repeats are computed, and as many
 * elements as were loaded are stored. In a fused scope each element only meets elements
 * of its own number, so what is computed of the others stays among them: they are written
 * to buffers that are dead after the scope. */
#include "passes/unset.h"

#include "analysis/count.h"
#include "analysis/member.h"
#include "passes/access.h"

typedef struct Unset {
    const Fates *f;
    const Kernel *k;
    const Reaching *reaching;
    StmtId scope;
    int n;
    ScopeMember member[MOST_SCOPE_MEMBERS];
    Count
        kept; /* elements of what leaves the scope; of: 0 and times: -1: not known yet */
} Unset;

/* ---- one scope ----------------------------------------------------------- */

/* Returns whether what an operand writes is read after the scope. */
static bool
leaves(const Unset *u, const IterationOperand *o)
{
    FateBytes all = {o->ref.buf, o->ref.off, IR_MAX_BYTES};
    return !fate_may_drop(u->k, o->ref.buf) || !fate_is_dead(u->f, u->scope, all);
}

static bool
iteration_at(const Unset *u, const ScopeMember *m, Iteration *it)
{
    if (!member_iteration(u->k, m, it)) {
        return false;
    }
    if (u->reaching != NULL) {
        reaching_counts(u->reaching, m->at, it);
    }
    return true;
}

/* Finds the number of elements that leave the scope: it is one for all members. */
static bool
find_kept(Unset *u)
{
    Iteration it;
    u->kept = (Count){0, -1};
    for (int m = 0; m < u->n; m++) {
        if (!iteration_at(u, &u->member[m], &it)) {
            return false;
        }
        for (int i = 0; i < it.n; i++) {
            if (!it.op[i].writes || !leaves(u, &it.op[i])) {
                continue;
            }
            if (!it.flat || (u->kept.times >= 0 && !count_same(u->kept, it.lanes))) {
                return false;
            }
            u->kept = it.lanes;
        }
    }
    return true;
}

/* Returns whether the scope writes the elements that leave it before it reads them. */
static bool
writes_first(const Unset *u, BufId b)
{
    Iteration it;
    bool written = false;
    ExprId off = 0;
    for (int m = 0; m < u->n; m++) {
        if (!iteration_at(u, &u->member[m], &it)) {
            return false;
        }
        for (int i = 0; i < it.n; i++) {
            const IterationOperand *o = &it.op[i];
            if (o->ref.buf == b && o->reads && (!written || o->ref.off != off)) {
                return false;
            }
        }
        for (int i = 0; i < it.n; i++) {
            const IterationOperand *o = &it.op[i];
            if (o->ref.buf == b && o->writes && it.flat &&
                (u->kept.times < 0 || count_at_least(u->k, it.lanes, u->kept))) {
                written = true;
                off = o->ref.off;
            }
        }
    }
    return true;
}

/* ---- the kernel ---------------------------------------------------------- */

static bool body_is_confined(Unset *u, StmtId first);

static bool
reads_unset(const Kernel *k, const Stmt *s)
{
    Access a[MAX_ACCESSES];
    int n = access_list(k, s, a);
    for (int i = 0; i < n; i++) {
        if (!a[i].write && k->bufs.p[a[i].buf].unset) {
            return true;
        }
    }
    return false;
}

static bool
scope_is_confined(Unset *u, StmtId scope)
{
    const Kernel *k = u->k;
    Access a[MAX_ACCESSES];
    u->scope = scope;
    bool found = false, known = false;
    u->n = scope_members(k, k->stmts.p[scope].scope.body, u->member);
    for (int m = 0; m < u->n; m++) {
        int n = access_list(k, &k->stmts.p[u->member[m].stmt], a);
        for (int i = 0; i < n; i++) {
            if (a[i].write || !k->bufs.p[a[i].buf].unset) {
                continue;
            }
            known = found ? known : find_kept(u);
            found = true;
            if (!known || !writes_first(u, a[i].buf)) {
                return false;
            }
        }
    }
    return u->n >= 0;
}

static bool
stmt_is_confined(Unset *u, StmtId s)
{
    const Stmt *st = &u->k->stmts.p[s];
    switch ((StmtKind)st->kind) {
    case ST_FOR:
        return body_is_confined(u, st->loop.body);
    case ST_IF:
        return body_is_confined(u, st->cond.then_body) &&
               body_is_confined(u, st->cond.else_body);
    case ST_SCOPE:
        return st->scope.fused ? scope_is_confined(u, s)
                               : body_is_confined(u, st->scope.body);
    default:
        return !reads_unset(u->k, st);
    }
}

static bool
body_is_confined(Unset *u, StmtId first)
{
    for (StmtId s = first; s != 0; s = u->k->stmts.p[s].next) {
        if (!stmt_is_confined(u, s)) {
            return false;
        }
    }
    return true;
}

bool
unset_is_confined(const Fates *f, const Reaching *r)
{
    Unset u = {.f = f, .k = f->k, .reaching = r};
    return body_is_confined(&u, f->k->body);
}
