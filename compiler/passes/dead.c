/* dead.c: takes out instructions of which nothing reads the results: moves into tiles
 * that are read elsewhere, for the most part.
 *
 * Needs: a checked kernel, in a copy for the host. Guarantees: the kernel writes the same
 * bytes to global memory. Never: takes out an instruction that could fault.
 *
 * Bodies are walked from their ends, so that what only a dead instruction reads is dead
 * too. */
#include "passes/fate.h"
#include "passes/passes.h"

typedef struct Dead {
    Kernel *k;
    Fates fates;
} Dead;

static bool
is_dead(const Dead *d, StmtId s)
{
    Iteration it;
    const Stmt *st = &d->k->stmts.p[s];
    if (st->kind != ST_INSTR || st->proof != PROOF_PROVED ||
        !iteration_of(d->k, st, &it) || op_table[st->instr.op].sem == SEM_SEL_BITS) {
        return false; /* a select sets CMPMASK too */
    }
    for (int i = 0; i < it.n; i++) {
        const IterationOperand *o = &it.op[i];
        if (o->writes && !(fate_may_drop(d->k, o->ref.buf) &&
                           fate_is_dead(&d->fates, s, fate_bytes(&it, o)))) {
            return false;
        }
    }
    return true;
}

static StmtId take_out(Dead *d, StmtId first);

static void
take_out_inside(Dead *d, StmtId s)
{
    Kernel *k = d->k;
    StmtId body;
    switch ((StmtKind)k->stmts.p[s].kind) {
    case ST_FOR:
        body = take_out(d, k->stmts.p[s].loop.body);
        k->stmts.p[s].loop.body = body;
        return;
    case ST_SCOPE:
        body = take_out(d, k->stmts.p[s].scope.body);
        k->stmts.p[s].scope.body = body;
        return;
    case ST_IF:
        body = take_out(d, k->stmts.p[s].cond.then_body);
        k->stmts.p[s].cond.then_body = body;
        body = take_out(d, k->stmts.p[s].cond.else_body);
        k->stmts.p[s].cond.else_body = body;
        return;
    default:
        return;
    }
}

/* Returns the first statement that is left of a body. */
static StmtId
take_out(Dead *d, StmtId first)
{
    Kernel *k = d->k;
    Arena scratch;
    arena_init(&scratch);
    VEC(StmtId) all = {0};
    for (StmtId s = first; s != 0; s = k->stmts.p[s].next) {
        VEC_PUSH(&scratch, &all, s);
    }
    for (uint32_t i = all.n; i-- > 0;) {
        take_out_inside(d, all.p[i]);
        if (!is_dead(d, all.p[i])) {
            continue;
        }
        StmtId next = k->stmts.p[all.p[i]].next;
        if (i == 0) {
            first = next;
        } else {
            k->stmts.p[all.p[i - 1]].next = next;
        }
    }
    arena_free(&scratch);
    return first;
}

bool
pass_dead(Kernel *k)
{
    Dead d = {.k = k};
    if (k->may_read_uninit) {
        return true;
    }
    Arena scratch;
    arena_init(&scratch);
    fates_init(&d.fates, k, &scratch);
    StmtId body = take_out(&d, k->body);
    k->body = body;
    arena_free(&scratch);
    return true;
}
