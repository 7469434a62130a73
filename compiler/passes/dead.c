/* dead.c: takes out instructions of which nothing reads the results: moves into tiles
 * that are read elsewhere, for the most part.
 *
 * Needs: a checked kernel, in a copy for the host. Guarantees: the kernel writes the same
 * bytes to global memory. Never: takes out an instruction that could fault.
 *
 * Bodies are walked from their ends, so that what only a dead instruction reads is dead
 * too. */
#include "isa/operand.h"
#include "passes/access.h"
#include "passes/fate.h"
#include "passes/passes.h"

#include <string.h>

typedef struct Dead {
    Kernel *k;
    Fates fates;
    bool *read;  /* by BufId: some statement reads it */
    bool *unset; /* by BufId: see fate_find_unset */
} Dead;

/* Returns whether what is written to a buffer may be left out: nobody reads bytes of its
 * memory that were never written. */
static bool
may_drop(const Dead *d, BufId b)
{
    return fate_may_drop(d->k, b) && !d->unset[b];
}

/* ---- buffers that nothing reads ------------------------------------------ */

static void
note_reads(Dead *d, StmtId first)
{
    for (StmtId s = first; s != 0; s = d->k->stmts.p[s].next) {
        const Stmt *st = &d->k->stmts.p[s];
        Access a[MAX_ACCESSES];
        int n = access_list(d->k, st, a);
        for (int i = 0; i < n; i++) {
            d->read[a[i].buf] = d->read[a[i].buf] || !a[i].write;
        }
        if (st->kind == ST_FOR) {
            note_reads(d, st->loop.body);
        } else if (st->kind == ST_SCOPE) {
            note_reads(d, st->scope.body);
        } else if (st->kind == ST_IF) {
            note_reads(d, st->cond.then_body);
            note_reads(d, st->cond.else_body);
        }
    }
}

/* Returns whether numbers of an instruction are known only when it executes: then it may
 * warn of them. */
static bool
may_warn(const Dead *d, const Stmt *s)
{
    int n;
    Sem sem = op_table[s->instr.op].sem;
    (void)form_params(op_table[s->instr.op].form, &n);
    for (int i = 0; i < n; i++) {
        const Arg *a = &d->k->args.p[s->instr.arg + (uint32_t)i];
        bool start = sem == SEM_LOAD2D && i == LOAD2D_start_index;
        if (a->kind == ARG_EXPR && !start && !ir_is_const(d->k, a->expr)) {
            return true;
        }
    }
    return false;
}

/* Returns whether an instruction does nothing but fill a buffer that nothing reads. */
static bool
is_unread(const Dead *d, const Stmt *s)
{
    Family f = form_family(op_table[s->instr.op].form);
    Access a[MAX_ACCESSES];
    int n = access_list(d->k, s, a), writes = 0;
    for (int i = 0; i < n; i++) {
        if (a[i].write && (d->read[a[i].buf] || !may_drop(d, a[i].buf))) {
            return false;
        }
        writes += a[i].write;
    }
    return writes > 0 && (f == FAM_MOVE || f == FAM_LOAD || f == FAM_TRANSFER) &&
           !may_warn(d, s);
}

/* ---- instructions -------------------------------------------------------- */

static bool
is_dead(const Dead *d, StmtId s)
{
    const Stmt *st = &d->k->stmts.p[s];
    if (st->kind == ST_FOR) {
        return st->loop.body == 0 && !ir_is_multicore(st);
    }
    return st->kind == ST_INSTR && st->proof == PROOF_PROVED &&
           (is_unread(d, st) || fate_is_needless(&d->fates, s, d->unset));
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

/* Returns the number of statements that are left. */
static int64_t
count(const Kernel *k, StmtId first)
{
    int64_t n = 0;
    for (StmtId s = first; s != 0; s = k->stmts.p[s].next) {
        const Stmt *st = &k->stmts.p[s];
        n += 1;
        if (st->kind == ST_FOR) {
            n += count(k, st->loop.body);
        } else if (st->kind == ST_SCOPE) {
            n += count(k, st->scope.body);
        } else if (st->kind == ST_IF) {
            n += count(k, st->cond.then_body) + count(k, st->cond.else_body);
        }
    }
    return n;
}

/* What only a move into a buffer that nothing reads has read is not read after it: so
 * this goes on until nothing is taken out. */
bool
pass_dead(Kernel *k)
{
    Dead d = {.k = k};
    Arena scratch;
    arena_init(&scratch);
    fates_init(&d.fates, k, &scratch);
    d.unset = ARENA_ARRAY(&scratch, bool, k->bufs.n);
    fate_find_unset(k, d.unset);
    d.read = ARENA_ARRAY(&scratch, bool, k->bufs.n);
    for (int64_t left = count(k, k->body), before = left + 1; left < before;) {
        before = left;
        memset(d.read, 0, k->bufs.n * sizeof *d.read);
        note_reads(&d, k->body);
        StmtId body = take_out(&d, k->body);
        k->body = body;
        left = count(k, k->body);
    }
    arena_free(&scratch);
    return true;
}
