/* drop.c: finds out which on-core buffers nothing reads after a fused scope that writes
 * them, so that their values need not leave the registers.
 *
 * Needs: fused scopes. Guarantees: of a buffer in the list of a fused scope, no byte that
 * the scope writes is read after the scope before it is written again; a scope that has
 * one move drops its tile, so that only the check of it is left, else the move takes the
 * scope's place. Never: changes statements otherwise.
 *
 * Who reads bytes that were never written sees what is left in their memory, so what has
 * been there is not dropped, unless that makes no difference (passes/unset.h). */
#include "passes/fate.h"
#include "passes/passes.h"
#include "passes/unset.h"

typedef struct Drop {
    Kernel *k;
    Fates fates;
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
    for (StmtId s = k->stmts.p[scope].scope.body; s != 0; s = k->stmts.p[s].next) {
        if (iteration_sink(k, &k->stmts.p[s], &it)) {
            continue; /* it writes other buffers than the loop */
        }
        if (!iteration_of(k, &k->stmts.p[s], &it)) {
            return false;
        }
        for (int i = 0; i < it.n; i++) {
            if (it.op[i].ref.buf == b && it.op[i].writes &&
                !fate_is_dead(&d->fates, scope, fate_bytes(&it, &it.op[i]))) {
                return false;
            }
        }
    }
    return true;
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
    for (StmtId s = k->stmts.p[scope].scope.body; s != 0; s = k->stmts.p[s].next) {
        if (iteration_of(k, &k->stmts.p[s], &it)) {
            drop_written(d, scope, &it);
        }
    }
}

/* A move that is needed is a copy, which is more than a loop of its own. */
static void
unwrap_move(Kernel *k, StmtId scope)
{
    Iteration it;
    Stmt *st = &k->stmts.p[scope];
    const Stmt *only = &k->stmts.p[st->scope.body];
    if (st->scope.ndrops == 0 && only->next == 0 && iteration_of(k, only, &it) &&
        it.moves) {
        StmtId next = st->next;
        *st = *only;
        st->next = next;
    }
}

bool
pass_drop(Kernel *k)
{
    Drop d = {.k = k};
    Arena scratch;
    arena_init(&scratch);
    fates_init(&d.fates, k, &scratch);
    if (k->may_read_uninit && !unset_is_confined(&d.fates, &scratch)) {
        d.unset = ARENA_ARRAY(&scratch, bool, k->bufs.n);
        fate_find_unset(k, d.unset);
    }
    for (StmtId s = 1; s < k->stmts.n; s++) {
        if (k->stmts.p[s].kind == ST_SCOPE && k->stmts.p[s].scope.fused) {
            drop_in_scope(&d, s);
        }
    }
    for (StmtId s = 1; s < k->stmts.n; s++) {
        if (k->stmts.p[s].kind == ST_SCOPE && k->stmts.p[s].scope.fused) {
            unwrap_move(k, s);
        }
    }
    arena_free(&scratch);
    return true;
}
