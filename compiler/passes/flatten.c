/* flatten.c: makes one loop of two, of which the inner one is all that an iteration of
 * the outer one does, so that the pass stagger has one long run of rows in place of many
 * short ones.
 *
 * Needs: fused scopes, and the lists of what they drop. Guarantees: the statements of the
 * body are executed in the same order, with the same operands, but for tiles of which
 * each iteration uses a row of its own: all rows of these are at the place of the first
 * one. Never: works on loops whose bodies may end with an error, or do not wait for a sum
 * or an extreme.
 *
 *      for v to V { for w to W { A(v, w) } }    becomes    for u to V * W { A(u) }
 *
 * where v and w only say where operands are, and the factor of v is W times that of w. A
 * tile may have rows that only w tells apart: it begins to live in the outer body, and
 * each iteration reads of its row only what it wrote itself. */
#include "passes/passes.h"
#include "passes/rewrite.h"
#include "passes/stagger.h"

typedef struct Flatten {
    Stagger *g; /* the inner loop */
    StmtId outer;
    int64_t trips;     /* of the inner loop, for each of the outer one */
    int64_t all;       /* of both */
    ExprId row[2];     /* the values of their variables */
    ExprId flat;       /* that of the variable of the new loop */
    VEC(BufId) tiles;  /* that begin to live in the outer body */
    VEC(BufId) narrow; /* those of which the first row is enough */
} Flatten;

/* ---- both loops ---------------------------------------------------------- */

static bool
is_counted(const Kernel *k, const Stmt *s, int64_t *trips)
{
    int64_t begin;
    return s->kind == ST_FOR && !ir_is_multicore(s) &&
           ir_loop_bounds(k, s, &begin, trips) && begin == 0 && *trips > 1;
}

/* Finds the loop that is, with allocations, all of the outer body. */
static bool
find_inner(Flatten *f, StmtId *inner)
{
    Kernel *k = f->g->k;
    int64_t outer;
    *inner = 0;
    if (!is_counted(k, &k->stmts.p[f->outer], &outer)) {
        return false;
    }
    f->tiles.n = f->narrow.n = 0;
    for (StmtId s = k->stmts.p[f->outer].loop.body; s != 0; s = k->stmts.p[s].next) {
        const Stmt *st = &k->stmts.p[s];
        if (st->kind == ST_ALLOC) {
            VEC_PUSH(&f->g->scratch, &f->tiles, st->alloc.buf);
        } else if (st->kind == ST_FOR && *inner == 0) {
            *inner = s;
        } else {
            return false;
        }
    }
    if (*inner == 0 || !is_counted(k, &k->stmts.p[*inner], &f->trips) ||
        outer > INT32_MAX / f->trips) {
        return false;
    }
    f->all = outer * f->trips;
    f->row[0] = ir_var_value(k, k->stmts.p[f->outer].loop.var);
    f->row[1] = ir_var_value(k, k->stmts.p[*inner].loop.var);
    return true;
}

/* ---- offsets ------------------------------------------------------------- */

static bool
reads_rows(const Flatten *f, ExprId e)
{
    const Expr *x = ir_expr(f->g->k, e);
    if (x->kind == EX_OP) {
        return (x->flags & EXF_VAR) != 0 &&
               (reads_rows(f, x->a) || (x->b != 0 && reads_rows(f, x->b)));
    }
    return e == f->row[0] || e == f->row[1];
}

/* Takes both variables out of an offset; false: it is no sum of them and of others. */
static bool
take_rows(const Flatten *f, ExprId off, Affine *rest, int64_t factor[2])
{
    if (!env_affine(&f->g->env, off, rest)) {
        return false;
    }
    factor[0] = rewrite_take_row(rest, f->row[0]);
    factor[1] = rewrite_take_row(rest, f->row[1]);
    for (int i = 0; i < rest->n; i++) {
        if (reads_rows(f, rest->atom[i])) {
            return false;
        }
    }
    return true;
}

static bool
is_in(const BufId *list, uint32_t n, BufId b)
{
    for (uint32_t i = 0; i < n; i++) {
        if (list[i] == b) {
            return true;
        }
    }
    return false;
}

/* Returns whether an access is inside of the iteration's row of its tile. */
static bool
in_row(const Flatten *f, const Access *a, int64_t *pitch)
{
    Affine rest;
    int64_t factor[2], lo, hi;
    if (!a->known || !take_rows(f, a->off, &rest, factor) || factor[0] != 0 ||
        factor[1] <= 0 || (*pitch != 0 && *pitch != factor[1])) {
        return false;
    }
    *pitch = factor[1];
    Interval at = env_affine_range(&f->g->env, &rest);
    return checked_add(at.lo, a->fp.offset, &lo) && lo >= 0 &&
           checked_add(at.hi, access_end(a), &hi) && hi <= *pitch;
}

static bool
can_be_narrow(const Flatten *f, BufId b)
{
    const Stagger *g = f->g;
    const Buffer *x = &g->k->bufs.p[b];
    int64_t pitch = 0;
    if (x->scope != SC_UB || x->dynamic || x->fixed || g->k->may_read_uninit) {
        return false;
    }
    for (int i = 0; i < g->nitems; i++) {
        if (g->item[i].a.buf == b && !in_row(f, &g->item[i].a, &pitch)) {
            return false;
        }
    }
    return pitch != 0 && stagger_reads_own(g, b);
}

/* Returns whether the variable of one loop can say where the operand is. */
static bool
is_flat(const Flatten *f, const Access *a)
{
    Affine rest;
    int64_t factor[2];
    if (is_in(f->narrow.p, f->narrow.n, a->buf) || !reads_rows(f, a->off)) {
        return true;
    }
    return take_rows(f, a->off, &rest, factor) && factor[0] == factor[1] * f->trips;
}

/* Returns the sum of the terms, and the variable of the new loop times that factor. */
static ExprId
sum_of(Flatten *f, const Affine *rest, int64_t factor)
{
    Kernel *k = f->g->k;
    ExprId sum = ir_const(k, DT_S64, rest->constant);
    for (int i = 0; i <= rest->n; i++) {
        ExprId atom = i < rest->n ? rest->atom[i] : f->flat;
        int64_t by = i < rest->n ? rest->factor[i] : factor;
        ExprId term =
            ir_op2(k, SOP_MUL, ir_cast(k, DT_S64, atom), ir_const(k, DT_S64, by));
        sum = by == 0 ? sum : ir_op2(k, SOP_ADD, term, sum);
    }
    return sum;
}

static void
flatten_ref(Flatten *f, Ref *r)
{
    Affine rest;
    int64_t factor[2];
    if (reads_rows(f, r->off) && take_rows(f, r->off, &rest, factor)) {
        bool narrow = is_in(f->narrow.p, f->narrow.n, r->buf);
        ExprId off = sum_of(f, &rest, narrow ? 0 : factor[1]);
        r->off = off;
    }
}

/* ---- statements ---------------------------------------------------------- */

/* Returns whether the variables are read by something else than offsets. */
static bool
computes_with_rows(const Flatten *f, const Stmt *s)
{
    const Kernel *k = f->g->k;
    int n = 0;
    if (s->kind == ST_SET || s->kind == ST_STORE) {
        return reads_rows(f, s->kind == ST_SET ? s->set.value : s->store.value);
    }
    if (s->kind == ST_INSTR) {
        (void)form_params(op_table[s->instr.op].form, &n);
    }
    for (int i = 0; i < n; i++) {
        const Arg *a = &k->args.p[s->instr.arg + (uint32_t)i];
        for (int w = 0; a->kind == ARG_MASK && w < 4; w++) {
            if (a->mask[w] != 0 && reads_rows(f, a->mask[w])) {
                return true;
            }
        }
        if (a->kind == ARG_EXPR && reads_rows(f, a->expr)) {
            return true;
        }
    }
    return false;
}

static bool
body_computes_with_rows(const Flatten *f, StmtId first)
{
    for (StmtId s = first; s != 0; s = f->g->k->stmts.p[s].next) {
        const Stmt *st = &f->g->k->stmts.p[s];
        if (st->kind == ST_SCOPE ? body_computes_with_rows(f, st->scope.body)
                                 : computes_with_rows(f, st)) {
            return true;
        }
    }
    return false;
}

static void
flatten_stmts(Flatten *f, StmtId first)
{
    Kernel *k = f->g->k;
    for (StmtId s = first; s != 0; s = k->stmts.p[s].next) {
        int n = 0;
        StmtKind kind = (StmtKind)k->stmts.p[s].kind;
        if (kind == ST_SCOPE) {
            flatten_stmts(f, k->stmts.p[s].scope.body);
        } else if (kind == ST_LOAD) {
            flatten_ref(f, &k->stmts.p[s].load.ref);
        } else if (kind == ST_STORE) {
            flatten_ref(f, &k->stmts.p[s].store.ref);
        } else if (kind == ST_INSTR) {
            (void)form_params(op_table[k->stmts.p[s].instr.op].form, &n);
        }
        for (int i = 0; i < n; i++) {
            Arg *a = &k->args.p[k->stmts.p[s].instr.arg + (uint32_t)i];
            if (a->kind == ARG_REF) {
                flatten_ref(f, &a->ref);
            }
        }
    }
}

/* ---- loops --------------------------------------------------------------- */

static bool
can_flatten(Flatten *f, StmtId inner)
{
    Stagger *g = f->g;
    if (!stagger_describe(g, inner) ||
        body_computes_with_rows(f, g->k->stmts.p[inner].loop.body)) {
        return false;
    }
    for (uint32_t i = 0; i < f->tiles.n; i++) {
        if (can_be_narrow(f, f->tiles.p[i])) {
            VEC_PUSH(&g->scratch, &f->narrow, f->tiles.p[i]);
        }
    }
    for (int i = 0; i < g->nitems; i++) {
        if (!is_flat(f, &g->item[i].a)) {
            return false;
        }
    }
    return true;
}

/* Allocations stay in the body where each iteration has a tile of its own, and come
 * before the loop elsewhere. */
static void
place_allocations(Flatten *f, StmtId inner, Cursor *before)
{
    Kernel *k = f->g->k;
    StmtId first = k->stmts.p[inner].loop.body, next;
    for (StmtId s = k->stmts.p[f->outer].loop.body; s != 0; s = next) {
        next = k->stmts.p[s].next;
        if (k->stmts.p[s].kind != ST_ALLOC) {
            continue;
        }
        if (is_in(f->narrow.p, f->narrow.n, k->stmts.p[s].alloc.buf)) {
            k->stmts.p[s].next = first;
            first = s;
        } else {
            Stmt copy = k->stmts.p[s];
            (void)ir_append(k, before, &copy);
        }
    }
    k->stmts.p[f->outer].loop.body = first;
}

/* The outer loop, after the cursor, becomes the new one. */
static void
replace(Flatten *f, StmtId inner, Cursor *before)
{
    Kernel *k = f->g->k;
    const Var old = k->vars.p[k->stmts.p[f->outer].loop.var];
    VarId var = ir_var(k, old.name, old.dtype);
    Dtype bound = (Dtype)ir_expr(k, k->stmts.p[f->outer].loop.end)->dtype;
    ExprId end = ir_const(k, bound, f->all);
    k->vars.p[var].bound = old.bound;
    k->vars.p[var].loop = f->outer;
    f->flat = ir_var_value(k, var);
    flatten_stmts(f, k->stmts.p[inner].loop.body);
    k->stmts.p[f->outer].loop.var = var;
    k->stmts.p[f->outer].loop.end = end;
    place_allocations(f, inner, before);
}

/* Returns whether both bounds and the variable can have that value. */
static bool
has_room(const Flatten *f)
{
    const Kernel *k = f->g->k;
    const Stmt *s = &k->stmts.p[f->outer];
    Dtype bound = (Dtype)ir_expr(k, s->loop.end)->dtype;
    return dtype_size(bound) >= 4 && dtype_size(k->vars.p[s->loop.var].dtype) >= 4;
}

static void
flatten_body(Flatten *f, StmtId owner, int slot)
{
    Kernel *k = f->g->k;
    Cursor at = ir_cursor_body(owner, slot);
    for (StmtId s, inner; (s = *ir_body(k, at.owner, at.slot)) != 0;) {
        StmtKind kind = (StmtKind)k->stmts.p[s].kind;
        f->outer = s;
        if (kind == ST_FOR && find_inner(f, &inner) && has_room(f) &&
            can_flatten(f, inner)) {
            replace(f, inner, &at);
        } else if (kind == ST_FOR || kind == ST_IF || kind == ST_SCOPE) {
            flatten_body(f, s, 0);
        }
        if (kind == ST_IF) {
            flatten_body(f, s, 1);
        }
        at = (Cursor){s, 2};
    }
}

bool
pass_flatten(Kernel *k)
{
    Arena scratch;
    for (BufId i = 1; i < k->bufs.n; i++) {
        if (k->bufs.p[i].scope == SC_SREG) {
            return true; /* atomic modes */
        }
    }
    arena_init(&scratch);
    Flatten *f = ARENA_NEW(&scratch, Flatten);
    f->g = ARENA_NEW(&scratch, Stagger);
    f->g->k = k;
    arena_init(&f->g->scratch);
    env_init(&f->g->env, k, &f->g->scratch);
    rewrite_enter_loops(&f->g->env, k, k->body);
    flatten_body(f, 0, 0);
    rewrite_unify_offsets(k, &f->g->scratch);
    arena_free(&f->g->scratch);
    arena_free(&scratch);
    return true;
}
