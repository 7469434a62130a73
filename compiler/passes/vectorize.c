/* vectorize.c: finds loops over single elements that may be executed by vectors, several
 * iterations at a time.
 *
 * Needs: a checked kernel whose buffers have addresses, in a copy for the host.
 * Guarantees: a loop that this pass marks has the same results if each of its statements
 * is executed for some iterations in a row before the next one is, provided that no rule
 * is broken in these iterations. Never: changes a statement.
 *
 * Kernels take elements by index with Scalars: load an index, load what it says, store
 * that. Such a loop has loads of on-core memory, integer arithmetic and stores to on-core
 * memory only; what it stores, it neither loads nor stores again elsewhere; and what an
 * iteration reads of registers it has set itself, or nobody sets in the loop. So an
 * iteration that has to be executed again, since a rule turned out to be broken in one
 * after it, finds what it found before. */
#include "passes/passes.h"
#include "passes/rewrite.h"

enum {
    MOST_STATEMENTS = 16,
    LEAST_TRIPS = 16,        /* of the loop */
    LEAST_ITERATIONS = 4096, /* in all: a loop takes a millisecond more to compile */
    UNKNOWN_TRIPS = 4096,
    MOST_DEPTH = 32 /* of an expression */
};

typedef struct ElementLoop {
    const Kernel *k;
    StmtId body;
} ElementLoop;

/* ---- numbers ------------------------------------------------------------- */

/* Returns whether one iteration says what the register has at a statement, or no
 * iteration does. */
static bool
is_own(const ElementLoop *x, RegId r, StmtId at)
{
    for (StmtId s = x->body; s != at; s = x->k->stmts.p[s].next) {
        if (rewrite_stmt_sets(x->k, s, r)) {
            return true;
        }
    }
    return !rewrite_body_sets(x->k, x->body, r);
}

static bool
is_element(Dtype t)
{
    return t != DT_BOOL && t != DT_S4 && t != DT_U4;
}

/* Returns whether a statement may compute the expression for several iterations at once:
 * sums, differences and products of integers. Of floats the bits are handed on. */
static bool
can_compute(const ElementLoop *x, ExprId id, StmtId at, int depth)
{
    const Expr *e = ir_expr(x->k, id);
    if (!is_element((Dtype)e->dtype) || depth == MOST_DEPTH) {
        return false;
    }
    switch ((ExprKind)e->kind) {
    case EX_CONST:
    case EX_VAR:
        return true;
    case EX_REG:
        return is_own(x, e->a, at);
    case EX_OP:
        return !dtype_is_float((Dtype)e->dtype) &&
               !dtype_is_float((Dtype)ir_expr(x->k, e->a)->dtype) &&
               (e->op == SOP_ADD || e->op == SOP_SUB || e->op == SOP_MUL ||
                e->op == SOP_CAST) &&
               can_compute(x, e->a, at, depth + 1) &&
               (e->b == 0 || can_compute(x, e->b, at, depth + 1));
    case EX_NONE:
        break;
    }
    UNREACHABLE();
}

/* ---- memory -------------------------------------------------------------- */

static bool
can_access(const ElementLoop *x, const Ref *r, StmtId at)
{
    const Buffer *b = &x->k->bufs.p[r->buf];
    return b->scope == SC_UB && !b->dynamic && b->address >= 0 && is_element(r->dtype) &&
           can_compute(x, r->off, at, 0);
}

/* Returns whether nothing else of the body loads or stores what a statement stores. */
static bool
is_alone(const ElementLoop *x, StmtId store)
{
    BufId b = x->k->stmts.p[store].store.ref.buf;
    for (StmtId s = x->body; s != 0; s = x->k->stmts.p[s].next) {
        const Stmt *st = &x->k->stmts.p[s];
        BufId other = st->kind == ST_LOAD    ? st->load.ref.buf
                      : st->kind == ST_STORE ? st->store.ref.buf
                                             : 0;
        if (s != store && other != 0 && !rewrite_apart(x->k, b, other)) {
            return false;
        }
    }
    return true;
}

/* ---- loops --------------------------------------------------------------- */

static bool
can_take(const ElementLoop *x, StmtId s)
{
    const Stmt *st = &x->k->stmts.p[s];
    switch ((StmtKind)st->kind) {
    case ST_SET:
        return can_compute(x, st->set.value, s, 0);
    case ST_LOAD:
        return can_access(x, &st->load.ref, s);
    case ST_STORE:
        return can_access(x, &st->store.ref, s) &&
               can_compute(x, st->store.value, s, 0) && is_alone(x, s);
    default:
        return false;
    }
}

/* Returns how many iterations a loop has, as far as that is known. */
static int64_t
count_trips(const Kernel *k, const Stmt *loop)
{
    int64_t begin, end;
    return ir_loop_bounds(k, loop, &begin, &end) ? MAX(end - begin, 0) : UNKNOWN_TRIPS;
}

static bool
can_vectorize(const Kernel *k, const Stmt *loop)
{
    ElementLoop x = {k, loop->loop.body};
    int n = 0;
    bool stores = false;
    if (ir_is_multicore(loop) || count_trips(k, loop) < LEAST_TRIPS) {
        return false;
    }
    for (StmtId s = x.body; s != 0; s = k->stmts.p[s].next) {
        if (++n > MOST_STATEMENTS || !can_take(&x, s)) {
            return false;
        }
        stores = stores || k->stmts.p[s].kind == ST_STORE;
    }
    return stores;
}

/* Marks the loops of a body that is executed that many times. */
static void
vectorize_body(Kernel *k, StmtId first, int64_t times)
{
    for (StmtId s = first; s != 0; s = k->stmts.p[s].next) {
        Stmt *st = &k->stmts.p[s];
        if (st->kind == ST_FOR) {
            int64_t all;
            bool many =
                !checked_mul(times, count_trips(k, st), &all) || all >= LEAST_ITERATIONS;
            st->loop.vectorized = many && can_vectorize(k, st);
            vectorize_body(k, st->loop.body, many ? LEAST_ITERATIONS : all);
        } else if (st->kind == ST_SCOPE) {
            vectorize_body(k, st->scope.body, times);
        } else if (st->kind == ST_IF) {
            vectorize_body(k, st->cond.then_body, times);
            vectorize_body(k, st->cond.else_body, times);
        }
    }
}

bool
pass_vectorize(Kernel *k)
{
    vectorize_body(k, k->body, 1);
    return true;
}
