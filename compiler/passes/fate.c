/* fate.c: follows bytes from a statement on (see passes/fate.h). The statements that can
 * follow are walked until the bytes are written over, or the lifetime of their buffer
 * ends, or something reads them. */
#include "passes/fate.h"

#include "passes/access.h"
#include "passes/rewrite.h"

/* What happens to the bytes on a path. */
typedef enum Fate {
    FATE_KEPT,    /* neither read nor certainly written over */
    FATE_WRITTEN, /* written over, or their buffer ended, before any read */
    FATE_READ
} Fate;

/* A question while it is answered. */
typedef struct Walk {
    const Fates *f;
    const Kernel *k;
    FateBytes bytes;
    bool later; /* loop variables may have other values by now */
    ExprId row; /* the one variable that certainly has another value; 0: none */
} Walk;

/* ---- rows ---------------------------------------------------------------- */

/* Returns the factor of the row's number in a sum. */
static int64_t
row_pitch(const Walk *d, const Affine *a)
{
    for (int i = 0; i < a->n; i++) {
        if (a->atom[i] == d->row) {
            return a->factor[i];
        }
    }
    return 0;
}

/* Returns whether an access of a later iteration is in another row than the bytes in
 * question: both are inside of rows of the same size, at the same distance from each
 * other in each iteration. */
static bool
in_another_row(const Walk *d, const Access *a)
{
    Affine p, q, diff;
    if (d->row == 0 || !a->known || d->bytes.bytes == IR_MAX_BYTES ||
        !env_affine(&d->f->env, d->bytes.off, &p) ||
        !env_affine(&d->f->env, a->off, &q) || !affine_sub(&q, &p, &diff)) {
        return false;
    }
    int64_t pitch = row_pitch(d, &p), lo, hi;
    Interval at = env_affine_range(&d->f->env, &diff);
    return pitch > 0 && row_pitch(d, &q) == pitch &&
           checked_add(at.lo, a->fp.offset, &lo) &&
           checked_add(at.hi, access_end(a), &hi) &&
           MAX(hi, d->bytes.bytes) - MIN(lo, 0) <= pitch;
}

/* ---- one statement ------------------------------------------------------- */

/* Returns whether an operand's elements cover the bytes in question. Where an expression
 * may have another value by then, only numbers count. */
static bool
covers(const Walk *d, const Iteration *it, const IterationOperand *o)
{
    const Expr *off = ir_expr(d->k, d->bytes.off);
    bool same = off->kind == EX_CONST || (!d->later && (off->flags & EXF_REG) == 0);
    return it->flat && o->writes && o->ref.buf == d->bytes.buf &&
           o->ref.off == d->bytes.off && same && count_known(it->lanes) &&
           iteration_bytes(o, it->lanes.times) >= d->bytes.bytes;
}

static Fate
fate_at_iteration(const Walk *d, const Iteration *it)
{
    for (int i = 0; i < it->n; i++) {
        if (covers(d, it, &it->op[i])) {
            return FATE_WRITTEN;
        }
    }
    return FATE_KEPT;
}

static Fate
fate_at_simple(const Walk *d, const Stmt *s)
{
    Iteration it;
    if (s->kind == ST_ALLOC) {
        return s->alloc.buf == d->bytes.buf ? FATE_WRITTEN : FATE_KEPT;
    }
    if (s->kind == ST_RETURN) {
        return FATE_WRITTEN;
    }
    if (s->kind == ST_BREAK || s->kind == ST_CONTINUE) {
        return FATE_READ; /* where the path goes on is not followed */
    }
    Access a[MAX_ACCESSES];
    int n = access_list(d->k, s, a);
    for (int i = 0; i < n; i++) {
        if (a[i].buf == d->bytes.buf && !a[i].write && !in_another_row(d, &a[i])) {
            return FATE_READ;
        }
    }
    return iteration_of(d->k, s, &it) ? fate_at_iteration(d, &it) : FATE_KEPT;
}

/* ---- bodies -------------------------------------------------------------- */

static Fate fate_in_body(const Walk *d, StmtId first);

static Fate
fate_at(const Walk *d, StmtId s)
{
    const Stmt *st = &d->k->stmts.p[s];
    int64_t begin, end;
    Fate a, b;
    switch ((StmtKind)st->kind) {
    case ST_IF:
        a = fate_in_body(d, st->cond.then_body);
        b = fate_in_body(d, st->cond.else_body);
        return a == b ? a : a == FATE_READ || b == FATE_READ ? FATE_READ : FATE_KEPT;
    case ST_SCOPE:
        return fate_in_body(d, st->scope.body);
    case ST_FOR:
        a = fate_in_body(d, st->loop.body);
        return a == FATE_WRITTEN && !(access_certain_loop(d->k, st, &begin, &end) &&
                                      !ir_is_multicore(st))
                   ? FATE_KEPT
                   : a;
    default:
        return fate_at_simple(d, st);
    }
}

static Fate
fate_in_body(const Walk *d, StmtId first)
{
    for (StmtId s = first; s != 0; s = d->k->stmts.p[s].next) {
        Fate f = fate_at(d, s);
        if (f != FATE_KEPT) {
            return f;
        }
    }
    return FATE_KEPT;
}

static bool
begins_in(const Walk *d, StmtId first)
{
    for (StmtId s = first; s != 0; s = d->k->stmts.p[s].next) {
        if (d->k->stmts.p[s].kind == ST_ALLOC &&
            d->k->stmts.p[s].alloc.buf == d->bytes.buf) {
            return true;
        }
    }
    return false;
}

/* Returns the first statement of the body that a statement is in. */
static StmtId
body_around(const Walk *d, StmtId s)
{
    StmtId owner = d->f->parent[s];
    if (owner == 0) {
        return d->k->body;
    }
    const Stmt *o = &d->k->stmts.p[owner];
    if (o->kind != ST_IF) {
        return o->kind == ST_FOR ? o->loop.body : o->scope.body;
    }
    for (StmtId t = o->cond.then_body; t != 0; t = d->k->stmts.p[t].next) {
        if (t == s) {
            return o->cond.then_body;
        }
    }
    return o->cond.else_body;
}

/* Returns the expression of a loop's variable, if the kernel has it. */
static ExprId
row_of(const Kernel *k, StmtId loop)
{
    for (ExprId e = 1; e < k->exprs.n; e++) {
        if (k->exprs.p[e].kind == EX_VAR &&
            k->exprs.p[e].a == k->stmts.p[loop].loop.var) {
            return e;
        }
    }
    return 0;
}

bool
fate_is_dead(const Fates *f, StmtId s, FateBytes bytes)
{
    Walk walk = {f, f->k, bytes, false, 0};
    Walk *d = &walk;
    for (;;) {
        Fate fate = fate_in_body(d, d->k->stmts.p[s].next);
        if (fate != FATE_KEPT) {
            return fate == FATE_WRITTEN;
        }
        if (begins_in(d, body_around(d, s))) {
            return true;
        }
        s = d->f->parent[s];
        if (s == 0) {
            return true;
        }
        bool first = !d->later;
        d->later = d->later || d->k->stmts.p[s].kind == ST_FOR;
        if (d->k->stmts.p[s].kind != ST_FOR) {
            continue;
        }
        d->row = first ? row_of(d->k, s) : 0;
        if (fate_in_body(d, d->k->stmts.p[s].loop.body) == FATE_READ) {
            return false;
        }
        d->row = 0;
    }
}

/* ---- questions ----------------------------------------------------------- */

FateBytes
fate_bytes(const Iteration *it, const IterationOperand *o)
{
    bool known = it->flat && count_known(it->lanes);
    int64_t bytes = known ? iteration_bytes(o, it->lanes.times) : IR_MAX_BYTES;
    return (FateBytes){o->ref.buf, o->ref.off, bytes};
}

bool
fate_may_drop(const Kernel *k, BufId b)
{
    const Buffer *buf = &k->bufs.p[b];
    return buf->scope != SC_GM && buf->scope != SC_SREG && !buf->dynamic;
}

bool
fate_is_needless(const Fates *f, StmtId s, const bool *unset)
{
    Iteration it;
    const Stmt *st = &f->k->stmts.p[s];
    if (!iteration_of(f->k, st, &it) || op_table[st->instr.op].sem == SEM_SEL_BITS) {
        return false; /* a select sets CMPMASK too */
    }
    for (int i = 0; i < it.n; i++) {
        BufId b = it.op[i].ref.buf;
        if (it.op[i].writes && !(fate_may_drop(f->k, b) && (unset == NULL || !unset[b]) &&
                                 fate_is_dead(f, s, fate_bytes(&it, &it.op[i])))) {
            return false;
        }
    }
    return true;
}

void
fate_find_unset(const Kernel *k, bool *unset)
{
    bool any = false;
    for (BufId u = 1; u < k->bufs.n && k->may_read_uninit; u++) {
        for (BufId b = 1; b < k->bufs.n && k->bufs.p[u].unset; b++) {
            unset[b] = unset[b] || !rewrite_apart(k, u, b);
        }
        any = any || k->bufs.p[u].unset;
    }
    for (BufId b = 1; b < k->bufs.n && k->may_read_uninit && !any; b++) {
        unset[b] = true; /* nothing says where */
    }
}

static void
note_parents(Fates *d, StmtId first, StmtId owner)
{
    for (StmtId s = first; s != 0; s = d->k->stmts.p[s].next) {
        const Stmt *st = &d->k->stmts.p[s];
        d->parent[s] = owner;
        if (st->kind == ST_FOR) {
            note_parents(d, st->loop.body, s);
        } else if (st->kind == ST_SCOPE) {
            note_parents(d, st->scope.body, s);
        } else if (st->kind == ST_IF) {
            note_parents(d, st->cond.then_body, s);
            note_parents(d, st->cond.else_body, s);
        }
    }
}

void
fates_init(Fates *f, const Kernel *k, Arena *arena)
{
    f->k = k;
    f->parent = ARENA_ARRAY(arena, StmtId, k->stmts.n);
    env_init(&f->env, k, arena);
    rewrite_enter_loops(&f->env, k, k->body);
    note_parents(f, k->body, 0);
}
