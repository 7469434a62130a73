/* rewrite.c: what the passes that move instructions of the host's copy have in common
 * (see passes/rewrite.h). */
#include "passes/rewrite.h"

#include "passes/access.h"

bool
rewrite_reads(const Kernel *k, ExprId e, RegId r)
{
    const Expr *x = ir_expr(k, e);
    if (x->kind == EX_REG) {
        return x->a == r;
    }
    return x->kind == EX_OP && (x->flags & EXF_REG) != 0 &&
           (rewrite_reads(k, x->a, r) || (x->b && rewrite_reads(k, x->b, r)));
}

bool
rewrite_instr_reads(const Kernel *k, const Stmt *s, RegId r)
{
    int n;
    (void)form_params(op_table[s->instr.op].form, &n);
    for (int i = 0; i < n; i++) {
        const Arg *a = &k->args.p[s->instr.arg + (uint32_t)i];
        if ((a->kind == ARG_EXPR && rewrite_reads(k, a->expr, r)) ||
            (a->kind == ARG_REF && rewrite_reads(k, a->ref.off, r))) {
            return true;
        }
        for (int w = 0; a->kind == ARG_MASK && w < mask_words(a->mask_form); w++) {
            if (rewrite_reads(k, a->mask[w], r)) {
                return true;
            }
        }
    }
    return false;
}

bool
rewrite_stmt_changes(const Kernel *k, StmtId s, ExprId e)
{
    const Stmt *st = &k->stmts.p[s];
    switch ((StmtKind)st->kind) {
    case ST_SET:
        return rewrite_reads(k, e, st->set.reg);
    case ST_LOAD:
        return rewrite_reads(k, e, st->load.reg);
    case ST_FOR:
        return rewrite_changes(k, st->loop.body, e);
    case ST_SCOPE:
        return rewrite_changes(k, st->scope.body, e);
    case ST_IF:
        return rewrite_changes(k, st->cond.then_body, e) ||
               rewrite_changes(k, st->cond.else_body, e);
    default:
        return false;
    }
}

bool
rewrite_changes(const Kernel *k, StmtId first, ExprId e)
{
    if ((ir_expr(k, e)->flags & EXF_REG) == 0) {
        return false;
    }
    for (StmtId s = first; s != 0; s = k->stmts.p[s].next) {
        if (rewrite_stmt_changes(k, s, e)) {
            return true;
        }
    }
    return false;
}

bool
rewrite_stmt_sets(const Kernel *k, StmtId s, RegId r)
{
    const Stmt *st = &k->stmts.p[s];
    switch ((StmtKind)st->kind) {
    case ST_SET:
        return st->set.reg == r;
    case ST_LOAD:
        return st->load.reg == r;
    case ST_FOR:
        return rewrite_body_sets(k, st->loop.body, r);
    case ST_SCOPE:
        return rewrite_body_sets(k, st->scope.body, r);
    case ST_IF:
        return rewrite_body_sets(k, st->cond.then_body, r) ||
               rewrite_body_sets(k, st->cond.else_body, r);
    default:
        return false;
    }
}

bool
rewrite_body_sets(const Kernel *k, StmtId first, RegId r)
{
    for (StmtId s = first; s != 0; s = k->stmts.p[s].next) {
        if (rewrite_stmt_sets(k, s, r)) {
            return true;
        }
    }
    return false;
}

bool
rewrite_stmt_reads(const Kernel *k, StmtId id, RegId r)
{
    const Stmt *s = &k->stmts.p[id];
    switch ((StmtKind)s->kind) {
    case ST_INSTR:
        return rewrite_instr_reads(k, s, r);
    case ST_SET:
        return rewrite_reads(k, s->set.value, r);
    case ST_LOAD:
        return rewrite_reads(k, s->load.ref.off, r);
    case ST_STORE:
        return rewrite_reads(k, s->store.ref.off, r) ||
               rewrite_reads(k, s->store.value, r);
    case ST_FOR:
        return rewrite_reads(k, s->loop.begin, r) || rewrite_reads(k, s->loop.end, r) ||
               rewrite_body_reads(k, s->loop.body, r);
    case ST_SCOPE:
        return (s->scope.run != 0 && rewrite_reads(k, s->scope.run, r)) ||
               rewrite_body_reads(k, s->scope.body, r);
    case ST_IF:
        return rewrite_reads(k, s->cond.cond, r) ||
               rewrite_body_reads(k, s->cond.then_body, r) ||
               rewrite_body_reads(k, s->cond.else_body, r);
    default:
        return false;
    }
}

bool
rewrite_body_reads(const Kernel *k, StmtId first, RegId r)
{
    for (StmtId s = first; s != 0; s = k->stmts.p[s].next) {
        if (rewrite_stmt_reads(k, s, r)) {
            return true;
        }
    }
    return false;
}

int64_t
rewrite_take_row(Affine *a, ExprId row)
{
    for (int i = 0; i < a->n; i++) {
        if (a->atom[i] == row) {
            int64_t factor = a->factor[i];
            a->atom[i] = a->atom[a->n - 1];
            a->factor[i] = a->factor[--a->n];
            return factor;
        }
    }
    return 0;
}

/* ASSUMES arguments-apart: global tensors of different arguments share no bytes. */
bool
rewrite_apart(const Kernel *k, BufId a, BufId b)
{
    const Buffer *x = &k->bufs.p[a], *y = &k->bufs.p[b];
    if (x->scope != y->scope) {
        return true;
    }
    if (x->scope == SC_GM) {
        return x->role != BUF_LIST && y->role != BUF_LIST;
    }
    return !x->dynamic && !y->dynamic && x->address >= 0 && y->address >= 0 &&
           (x->address + ir_room(x) <= y->address ||
            y->address + ir_room(y) <= x->address);
}

void
rewrite_enter_loops(Env *env, const Kernel *k, StmtId first)
{
    for (StmtId s = first; s != 0; s = k->stmts.p[s].next) {
        const Stmt *st = &k->stmts.p[s];
        if (st->kind == ST_FOR) {
            access_enter_loop(env, st);
            rewrite_enter_loops(env, k, st->loop.body);
        } else if (st->kind == ST_SCOPE) {
            rewrite_enter_loops(env, k, st->scope.body);
        } else if (st->kind == ST_IF) {
            rewrite_enter_loops(env, k, st->cond.then_body);
            rewrite_enter_loops(env, k, st->cond.else_body);
        }
    }
}

bool
rewrite_is_written(const Kernel *k, BufId b)
{
    for (StmtId s = 1; s < k->stmts.n; s++) {
        Access a[MAX_ACCESSES];
        int n = access_list(k, &k->stmts.p[s], a);
        for (int i = 0; i < n; i++) {
            if (a[i].buf == b && a[i].write) {
                return true;
            }
        }
    }
    return false;
}

bool *
rewrite_sources(const Kernel *k, Arena *arena)
{
    bool *source = ARENA_ARRAY(arena, bool, k->bufs.n);
    for (BufId b = 1; b < k->bufs.n; b++) {
        const Buffer *buf = &k->bufs.p[b];
        source[b] =
            buf->scope == SC_GM && buf->role != BUF_LIST && !rewrite_is_written(k, b);
    }
    return source;
}

/* ---- offsets ------------------------------------------------------------- */

enum {
    OFFSETS_KEPT = 8
};

/* The offsets of a buffer that were seen last. */
typedef struct Offsets {
    int n;
    ExprId off[OFFSETS_KEPT];
} Offsets;

static bool
always_equal(const Env *env, ExprId a, ExprId b)
{
    Affine x, y, d;
    return a == b || (env_affine(env, a, &x) && env_affine(env, b, &y) &&
                      affine_sub(&x, &y, &d) && d.n == 0 && d.constant == 0);
}

static void
unify_offset(const Env *env, Offsets *seen, Ref *r)
{
    int kept = MIN(seen->n, (int)OFFSETS_KEPT);
    for (int i = 0; i < kept; i++) {
        if (always_equal(env, seen->off[i], r->off)) {
            r->off = seen->off[i];
            return;
        }
    }
    seen->off[seen->n++ % OFFSETS_KEPT] = r->off;
}

void
rewrite_unify_offsets(Kernel *k, Arena *scratch)
{
    Env env;
    env_init(&env, k, scratch);
    rewrite_enter_loops(&env, k, k->body);
    Offsets *seen = ARENA_ARRAY(scratch, Offsets, k->bufs.n);
    for (StmtId s = 1; s < k->stmts.n; s++) {
        const Stmt *st = &k->stmts.p[s];
        int n = 0;
        if (st->kind == ST_INSTR) {
            (void)form_params(op_table[st->instr.op].form, &n);
        }
        for (int i = 0; i < n; i++) {
            Arg *a = &k->args.p[st->instr.arg + (uint32_t)i];
            if (a->kind == ARG_REF) {
                unify_offset(&env, &seen[a->ref.buf], &a->ref);
            }
        }
    }
}

void
rewrite_forget(Kernel *k, StmtId first)
{
    for (StmtId s = first; s != 0; s = k->stmts.p[s].next) {
        if (k->stmts.p[s].kind == ST_SCOPE) {
            rewrite_forget(k, k->stmts.p[s].scope.body);
        }
        k->stmts.p[s].kind = ST_NONE;
    }
}
