/* drop.c: finds out which on-core buffers nothing reads after a fused scope that writes
 * them, so that their values need not leave the registers.
 *
 * Needs: fused scopes. Guarantees: of a buffer in the list of a fused scope, no byte that
 * the scope writes is read after the scope before it is written again; a checked
 * instruction that is in no such scope and whose results nothing reads is asked for its
 * rules only (PROOF_ASKED); a move that ends a scope with a run may follow it if nothing
 * is dropped; an uneven scope is a fused one if nothing needs elements beyond those of
 * its shortest member. Never: changes statements otherwise.
 *
 * Who reads bytes that were never written sees what is left in their memory, so what has
 * been there is not dropped, unless that makes no difference (passes/unset.h). */
#include "analysis/count.h"
#include "analysis/member.h"
#include "passes/fate.h"
#include "passes/passes.h"
#include "passes/reaching.h"
#include "passes/rewrite.h"
#include "passes/unset.h"

enum {
    MOST_TRIMMED = 32 /* members of a scope that is trimmed */
};

/* An uneven scope that is tried as a fused one. */
typedef struct Trial {
    StmtId scope, body; /* body: as it was */
} Trial;

typedef struct Drop {
    Kernel *k;
    Arena *scratch;
    Fates fates;
    const Reaching *reaching;
    VEC(Trial) trials;
    bool *unset; /* by BufId: see fate_find_unset; null: it makes no difference */
} Drop;

static bool
may_drop(const Drop *d, BufId b)
{
    return fate_may_drop(d->k, b) && (d->unset == NULL || !d->unset[b]);
}

static bool
is_listed(const Kernel *k, const Stmt *scope, BufId b)
{
    for (uint32_t i = 0; i < scope->scope.ndrops; i++) {
        if (k->drops.p[scope->scope.drop + i] == b) {
            return true;
        }
    }
    return false;
}

/* Returns whether all that the scope writes of the buffer is dead after it. */
static bool
is_dropped(const Drop *d, StmtId scope, BufId b)
{
    Iteration it;
    const Kernel *k = d->k;
    ScopeMember m[MOST_SCOPE_MEMBERS];
    int n = scope_members(k, k->stmts.p[scope].scope.body, m);
    for (int j = 0; j < n; j++) {
        if (iteration_sink(k, &k->stmts.p[m[j].stmt], &it)) {
            continue; /* it writes other buffers than the loop */
        }
        if (!member_iteration(k, &m[j], &it)) {
            return false;
        }
        for (int i = 0; i < it.n; i++) {
            if (it.op[i].ref.buf == b && it.op[i].writes &&
                !fate_is_dead(&d->fates, scope, fate_bytes(&it, &it.op[i]))) {
                return false;
            }
        }
    }
    return n >= 0;
}

static void
drop_written(Drop *d, StmtId scope, const Iteration *it)
{
    Kernel *k = d->k;
    for (int i = 0; i < it->n; i++) {
        BufId b = it->op[i].ref.buf;
        if (it->op[i].writes && may_drop(d, b) && !is_listed(k, &k->stmts.p[scope], b) &&
            is_dropped(d, scope, b)) {
            VEC_PUSH(&k->arena, &k->drops, b);
            k->stmts.p[scope].scope.ndrops++;
        }
    }
}

static void
drop_in_scope(Drop *d, StmtId scope)
{
    Iteration it;
    Kernel *k = d->k;
    k->stmts.p[scope].scope.drop = k->drops.n;
    k->stmts.p[scope].scope.ndrops = 0;
    ScopeMember m[MOST_SCOPE_MEMBERS];
    int n = scope_members(k, k->stmts.p[scope].scope.body, m);
    for (int i = 0; i < n; i++) {
        if (member_iteration(k, &m[i], &it)) {
            drop_written(d, scope, &it);
        }
    }
}

/* ---- uneven scopes ------------------------------------------------------- */

/* Adds copies of the instructions of a body, of nested scopes too, after *last. */
static void
copy_members(Kernel *k, StmtId first, StmtId *last)
{
    for (StmtId s = first; s != 0; s = k->stmts.p[s].next) {
        Stmt copy = k->stmts.p[s];
        if (copy.kind == ST_SCOPE) {
            copy_members(k, copy.scope.body, last);
            continue;
        }
        copy.next = 0;
        VEC_PUSH(&k->arena, &k->stmts, copy);
        k->stmts.p[*last].next = k->stmts.n - 1;
        *last = k->stmts.n - 1;
    }
}

static void
try_uneven(Drop *d)
{
    Kernel *k = d->k;
    uint32_t n = k->stmts.n;
    for (StmtId s = 1; s < n; s++) {
        if (k->stmts.p[s].kind != ST_SCOPE || !k->stmts.p[s].scope.uneven) {
            continue;
        }
        Stmt none = {.kind = ST_NONE};
        VEC_PUSH(&k->arena, &k->stmts, none);
        StmtId before = k->stmts.n - 1, last = before;
        Trial t = {s, k->stmts.p[s].scope.body};
        copy_members(k, t.body, &last);
        Stmt *st = &k->stmts.p[s];
        st->scope.body = k->stmts.p[before].next;
        st->scope.fused = st->scope.trimmed = true;
        st->scope.uneven = false;
        VEC_PUSH(d->scratch, &d->trials, t);
    }
}

/* Returns whether an operand of a member has no memory: what it writes is dropped, and
 * bits are written before they are read. */
static bool
has_no_memory(const Drop *d, StmtId scope, StmtId member, const IterationOperand *o)
{
    Iteration it;
    const Kernel *k = d->k;
    bool written = o->writes;
    for (StmtId s = k->stmts.p[scope].scope.body; s != member; s = k->stmts.p[s].next) {
        (void)iteration_of(k, &k->stmts.p[s], &it);
        for (int i = 0; i < it.n; i++) {
            written = written || (it.op[i].writes && it.op[i].ref.buf == o->ref.buf &&
                                  it.op[i].ref.off == o->ref.off);
        }
    }
    return written && is_listed(k, &k->stmts.p[scope], o->ref.buf);
}

/* Returns whether only elements that the shortest member has leave the scope. r: as that
 * of unset_is_confined. */
static bool
needs_least(const Drop *d, StmtId scope, const Reaching *r)
{
    const Kernel *k = d->k;
    Iteration it[MOST_TRIMMED];
    Count c[MOST_TRIMMED];
    int n = 0;
    for (StmtId s = k->stmts.p[scope].scope.body; s != 0; s = k->stmts.p[s].next) {
        if (n == MOST_TRIMMED || !iteration_of(k, &k->stmts.p[s], &it[n])) {
            return false;
        }
        if (r != NULL) {
            reaching_counts(r, s, &it[n]);
        }
        c[n] = it[n].lanes;
        n++;
    }
    int least = count_least(k, c, n), m = 0;
    for (StmtId s = k->stmts.p[scope].scope.body; s != 0; s = k->stmts.p[s].next, m++) {
        for (int i = 0; i < it[m].n && least >= 0; i++) {
            const IterationOperand *o = &it[m].op[i];
            bool more = o->writes && !count_same(c[m], c[least]);
            if ((o->bits || more) && !has_no_memory(d, scope, s, o)) {
                return false;
            }
        }
    }
    return least >= 0;
}

/* Keeps a trial that is right, else the scope is as it was. */
static bool
keeps_trial(Drop *d, const Trial *t)
{
    Kernel *k = d->k;
    Stmt *st = &k->stmts.p[t->scope];
    bool kept = needs_least(d, t->scope, NULL) || needs_least(d, t->scope, d->reaching);
    rewrite_forget(k, kept ? t->body : st->scope.body);
    if (!kept) {
        st->scope.body = t->body;
        st->scope.fused = st->scope.trimmed = false;
        st->scope.ndrops = 0;
    }
    return kept;
}

/* ---- moves --------------------------------------------------------------- */

static bool
has_run(const Kernel *k, StmtId first)
{
    for (StmtId s = first; s != 0; s = k->stmts.p[s].next) {
        if (k->stmts.p[s].kind == ST_SCOPE && k->stmts.p[s].scope.run != 0) {
            return true;
        }
    }
    return false;
}

/* A tile that stays in memory, and that the scope does not load, is written to global
 * memory by a copy, which waits less for lines than a loop that computes: a move at the
 * end of such a scope leaves it. */
static void
release_last_move(Kernel *k, StmtId scope)
{
    Iteration it;
    Stmt *st = &k->stmts.p[scope];
    StmtId before = 0, last = st->scope.body;
    while (k->stmts.p[last].next != 0) {
        before = last;
        last = k->stmts.p[last].next;
    }
    if (st->scope.ndrops == 0 && before != 0 && has_run(k, st->scope.body) &&
        !(iteration_of(k, &k->stmts.p[st->scope.body], &it) && it.moves) &&
        iteration_of(k, &k->stmts.p[last], &it) && it.moves &&
        k->bufs.p[it.op[0].ref.buf].scope == SC_GM) {
        k->stmts.p[before].next = 0;
        k->stmts.p[last].next = st->next;
        st->next = last;
    }
}

/* ---- instructions alone -------------------------------------------------- */

/* Finds checked instructions outside of fused scopes of which nothing needs what they
 * compute: their rules are all that is left of them. */
static void
ask_in_body(Drop *d, StmtId first)
{
    for (StmtId s = first; s != 0; s = d->k->stmts.p[s].next) {
        Stmt *st = &d->k->stmts.p[s];
        if (st->kind == ST_FOR) {
            ask_in_body(d, st->loop.body);
        } else if (st->kind == ST_IF) {
            ask_in_body(d, st->cond.then_body);
            ask_in_body(d, st->cond.else_body);
        } else if (st->kind == ST_SCOPE && !st->scope.fused && st->scope.run == 0) {
            ask_in_body(d, st->scope.body);
        } else if (st->kind == ST_INSTR && st->proof == PROOF_RUNTIME &&
                   fate_is_needless(&d->fates, s, d->unset)) {
            st->proof = PROOF_ASKED;
        }
    }
}

/* ---- the pass ------------------------------------------------------------ */

static void
find_all(Drop *d)
{
    fates_init(&d->fates, d->k, d->scratch);
    d->reaching = reaching_find(d->k, d->scratch);
}

/* Finds out what a body's fused scopes drop. */
static void
drop_in_body(Drop *d, StmtId first)
{
    for (StmtId s = first; s != 0; s = d->k->stmts.p[s].next) {
        const Stmt *st = &d->k->stmts.p[s];
        if (st->kind == ST_SCOPE && st->scope.fused) {
            drop_in_scope(d, s);
        }
    }
}

/* Tries uneven scopes; those that cannot be fused drop what their parts drop. */
static void
settle_trials(Drop *d)
{
    bool all = true;
    for (uint32_t i = 0; i < d->trials.n; i++) {
        all = keeps_trial(d, &d->trials.p[i]) && all;
    }
    if (all) {
        return;
    }
    find_all(d);
    for (uint32_t i = 0; i < d->trials.n; i++) {
        if (!d->k->stmts.p[d->trials.p[i].scope].scope.fused) {
            drop_in_body(d, d->trials.p[i].body);
        }
    }
}

bool
pass_drop(Kernel *k)
{
    Arena scratch;
    arena_init(&scratch);
    Drop d = {.k = k, .scratch = &scratch};
    try_uneven(&d);
    find_all(&d);
    if (k->may_read_uninit && !unset_is_confined(&d.fates, NULL) &&
        !unset_is_confined(&d.fates, d.reaching)) {
        d.unset = ARENA_ARRAY(&scratch, bool, k->bufs.n);
        fate_find_unset(k, d.unset);
    }
    for (StmtId s = 1; s < k->stmts.n; s++) {
        if (k->stmts.p[s].kind == ST_SCOPE && k->stmts.p[s].scope.fused) {
            drop_in_scope(&d, s);
        }
    }
    settle_trials(&d);
    ask_in_body(&d, k->body);
    for (StmtId s = 1; s < k->stmts.n; s++) {
        if (k->stmts.p[s].kind == ST_SCOPE && k->stmts.p[s].scope.fused) {
            release_last_move(k, s);
        }
    }
    arena_free(&scratch);
    return true;
}
