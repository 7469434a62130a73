/* accumulate.c: makes one product of the products of a loop that are added to the same
 * sums, so that the sums stay in registers between them.
 *
 * Needs: a checked kernel, in a copy for the host. Guarantees: the sums are the same, bit
 * by bit: the product ends each part of its terms as the products did (Origins.parts).
 * Never: lets a product of integers go on that could saturate.
 *
 * A loop has the form
 *
 *   for i = b to e { if (i == b) { product, first } else { product, onto the sums } }
 *
 * or the same without the branch, where every product is added to the sums. Both factors
 * have origins (passes/origin.c) whose blocks go on from one iteration to the next. The
 * loop keeps its first iteration only, with all parts. */
#include "isa/operand.h"
#include "layout/fractal.h"
#include "passes/origin.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

enum {
    /* a product of two bytes without sign, the largest of all */
    MOST_PRODUCT = 255 * 255
};

typedef struct Walk {
    Kernel *k;
    Env env;
} Walk;

/* A loop of products: that of the first iteration, and that of the others. */
typedef struct Chain {
    VarId var;
    int64_t begin, trips;
    StmtId first, rest;
    int64_t step[ORIGIN_FACTORS]; /* bytes from the blocks of a part to the next ones */
} Chain;

/* ---- products ------------------------------------------------------------ */

static const Arg *
arg_of(const Kernel *k, StmtId s, int i)
{
    return &k->args.p[k->stmts.p[s].instr.arg + (uint32_t)i];
}

static bool
number_of(const Kernel *k, StmtId s, int i, int64_t *out)
{
    const Arg *a = arg_of(k, s, i);
    if (a->kind != ARG_EXPR || !ir_is_const(k, a->expr)) {
        return false;
    }
    *out = ir_expr(k, a->expr)->imm;
    return true;
}

/* Returns whether a statement is a product with sums of 32 bits, of constant size, whose
 * factors are where their origins say. */
static bool
is_candidate(const Kernel *k, StmtId s)
{
    const Stmt *st = &k->stmts.p[s];
    if (st->kind != ST_INSTR || st->proof != PROOF_PROVED || st->instr.origin == 0) {
        return false;
    }
    Form form = op_table[st->instr.op].form;
    const Origins *o = &k->origins.p[st->instr.origin];
    int64_t v;
    return (form == FORM_MMAD || form == FORM_MATMUL) && o->parts <= 1 &&
           o->of[0].ref.buf != 0 && o->of[1].ref.buf != 0 &&
           dtype_size(arg_of(k, s, MATMUL_dst)->ref.dtype) == 4 &&
           number_of(k, s, MATMUL_m, &v) && number_of(k, s, MATMUL_k, &v) &&
           number_of(k, s, MATMUL_n, &v) && number_of(k, s, MATMUL_init_l1out, &v);
}

static bool
adds_to_sums(const Kernel *k, StmtId s)
{
    int64_t v = 0;
    bool unit = op_table[k->stmts.p[s].instr.op].sem == SEM_MMAD;
    return number_of(k, s, MATMUL_init_l1out, &v) && (v != 0) == unit;
}

/* Returns whether two products differ only in their factors and in how sums begin. */
static bool
are_alike(const Kernel *k, StmtId x, StmtId y)
{
    int n;
    const Op op = k->stmts.p[x].instr.op;
    (void)form_params(op_table[op].form, &n);
    bool ok = k->stmts.p[y].instr.op == op;
    for (int i = 0; ok && i < n; i++) {
        const Arg *a = arg_of(k, x, i), *b = arg_of(k, y, i);
        bool factor = i == MATMUL_a || i == MATMUL_b;
        ok = a->kind == b->kind &&
             (a->kind == ARG_REF
                  ? a->ref.dtype == b->ref.dtype &&
                        (factor || (a->ref.buf == b->ref.buf && a->ref.off == b->ref.off))
              : a->kind == ARG_EXPR ? i == MATMUL_init_l1out || a->expr == b->expr
                                    : false);
    }
    return ok;
}

/* Integers are clamped after each product. They need not be if they cannot get that far:
 * sums that begin with 0 and have few terms. */
static bool
stays_in_range(const Kernel *k, const Chain *c)
{
    int64_t terms = 0;
    if (dtype_is_float(arg_of(k, c->first, MATMUL_dst)->ref.dtype)) {
        return true;
    }
    return !adds_to_sums(k, c->first) && number_of(k, c->first, MATMUL_k, &terms) &&
           terms * c->trips <= INT32_MAX / MOST_PRODUCT;
}

/* The terms of a part fill whole runs, so that those of the next one follow. */
static bool
fills_runs(const Kernel *k, StmtId s)
{
    int64_t terms = 0;
    Dtype t = arg_of(k, s, MATMUL_a)->ref.dtype;
    return number_of(k, s, MATMUL_k, &terms) && !dtype_is_half_byte(t) && terms > 0 &&
           terms % fractal_c0(dtype_size(t)) == 0;
}

/* ---- origins ------------------------------------------------------------- */

/* Takes the variable out of a sum, with the value that it has first. Returns its
 * factor. */
static int64_t
take_variable(const Walk *w, const Chain *c, Affine *a)
{
    for (int i = 0; i < a->n; i++) {
        const Expr *e = ir_expr(w->k, a->atom[i]);
        if (e->kind == EX_VAR && e->a == c->var) {
            int64_t factor = a->factor[i];
            a->n--;
            a->atom[i] = a->atom[a->n];
            a->factor[i] = a->factor[a->n];
            a->constant += factor * c->begin;
            return factor;
        }
    }
    return 0;
}

/* Returns the runs of terms of a part, or terms if each is a row of columns, and where
 * the distance between these is. */
static int64_t
runs_of(Origin *o, int factor, int64_t **distance)
{
    *distance = factor == 0 ? &o->inner : &o->outer;
    return factor == 0 ? o->ninner : o->nouter;
}

/* Returns whether the blocks of a factor go on from iteration to iteration. The distance
 * of a single run from the next one says nothing before there is one. */
static bool
goes_on(const Walk *w, Chain *c, int factor)
{
    const Kernel *k = w->k;
    const Origin *x = &k->origins.p[k->stmts.p[c->first].instr.origin].of[factor];
    const Origin *y = &k->origins.p[k->stmts.p[c->rest].instr.origin].of[factor];
    Affine first, rest, apart;
    Origin one = *x;
    int64_t *distance, runs = runs_of(&one, factor, &distance);
    if (x->ref.buf != y->ref.buf || x->outer != y->outer || x->inner != y->inner ||
        x->nouter != y->nouter || x->ninner != y->ninner ||
        x->transposed != y->transposed || !env_affine(&w->env, x->ref.off, &first) ||
        !env_affine(&w->env, y->ref.off, &rest)) {
        return false;
    }
    (void)take_variable(w, c, &first);
    c->step[factor] = take_variable(w, c, &rest);
    return c->step[factor] > 0 && (runs == 1 || c->step[factor] == runs * *distance) &&
           affine_sub(&first, &rest, &apart) && apart.n == 0 && apart.constant == 0;
}

/* ---- loops --------------------------------------------------------------- */

/* Returns the only statement of a body but for the beginnings of buffers' lives; 0: there
 * are more. */
static StmtId
only_one(const Kernel *k, StmtId first)
{
    StmtId found = 0;
    for (StmtId s = first; s != 0; s = k->stmts.p[s].next) {
        if (k->stmts.p[s].kind == ST_ALLOC) {
            continue;
        }
        if (found != 0) {
            return 0;
        }
        found = s;
    }
    return found;
}

/* Returns whether a condition has one value in the iterations from lo to hi. */
static bool
condition(Walk *w, const Chain *c, ExprId cond, int64_t lo, int64_t hi, bool *out)
{
    Interval all = env_expr(&w->env, ir_var_value(w->k, c->var));
    env_set_var(&w->env, c->var, interval_between(lo, hi));
    Interval v = env_expr(&w->env, cond);
    env_set_var(&w->env, c->var, all);
    *out = v.lo != 0;
    return v.lo == v.hi;
}

/* Finds the products of a loop's body. */
static bool
find_products(Walk *w, StmtId body, Chain *c)
{
    const Kernel *k = w->k;
    StmtId s = only_one(k, body);
    c->first = c->rest = s;
    if (s != 0 && k->stmts.p[s].kind == ST_IF) {
        const Stmt *st = &k->stmts.p[s];
        bool first, rest;
        int64_t last = c->begin + c->trips - 1;
        if (!condition(w, c, st->cond.cond, c->begin, c->begin, &first) ||
            !condition(w, c, st->cond.cond, c->begin + 1, last, &rest)) {
            return false;
        }
        c->first = only_one(k, first ? st->cond.then_body : st->cond.else_body);
        c->rest = only_one(k, rest ? st->cond.then_body : st->cond.else_body);
    }
    return c->first != 0 && c->rest != 0 && is_candidate(k, c->first) &&
           is_candidate(k, c->rest);
}

static bool
is_chain(Walk *w, StmtId loop, Chain *c)
{
    const Kernel *k = w->k;
    const Stmt *s = &k->stmts.p[loop];
    if (ir_is_multicore(s) || !ir_is_const(k, s->loop.begin) ||
        !ir_is_const(k, s->loop.end)) {
        return false;
    }
    c->var = s->loop.var;
    c->begin = ir_expr(k, s->loop.begin)->imm;
    if (!checked_sub(ir_expr(k, s->loop.end)->imm, c->begin, &c->trips) || c->trips < 2 ||
        c->trips > INT32_MAX) {
        return false;
    }
    return find_products(w, s->loop.body, c) && are_alike(k, c->first, c->rest) &&
           adds_to_sums(k, c->rest) && stays_in_range(k, c) && fills_runs(k, c->first) &&
           !ir_reads_var(k, arg_of(k, c->first, MATMUL_dst)->ref.off, c->var) &&
           goes_on(w, c, 0) && goes_on(w, c, 1);
}

/* Keeps the lives of buffers that a body begins with and the product of the first
 * iteration. */
static void
rewrite(Walk *w, StmtId loop, const Chain *c)
{
    Kernel *k = w->k;
    Stmt *s = &k->stmts.p[loop], *product = &k->stmts.p[c->first];
    Origins all = k->origins.p[product->instr.origin];
    all.parts = c->trips;
    for (int i = 0; i < ORIGIN_FACTORS; i++) {
        int64_t *distance, runs = runs_of(&all.of[i], i, &distance);
        *distance = c->step[i] / runs;
    }
    all.of[0].ninner *= c->trips;
    all.of[1].nouter *= c->trips;
    VEC_PUSH(&k->arena, &k->origins, all);
    product->instr.origin = k->origins.n - 1;
    StmtId one = only_one(k, s->loop.body);
    if (one != c->first) {
        StmtId next = k->stmts.p[one].next;
        k->stmts.p[one] = *product;
        k->stmts.p[one].next = next;
    }
    Dtype t = k->vars.p[c->var].dtype;
    s->loop.end = ir_const(k, t, c->begin + 1);
}

static void
walk(Walk *w, StmtId first)
{
    for (StmtId s = first; s != 0; s = w->k->stmts.p[s].next) {
        const Stmt *st = &w->k->stmts.p[s];
        Chain c;
        if (st->kind == ST_FOR) {
            if (is_chain(w, s, &c)) {
                rewrite(w, s, &c);
            } else {
                walk(w, st->loop.body);
            }
        } else if (st->kind == ST_IF) {
            walk(w, st->cond.then_body);
            walk(w, st->cond.else_body);
        } else if (st->kind == ST_SCOPE) {
            walk(w, st->scope.body);
        }
    }
}

bool
pass_accumulate(Kernel *k)
{
    Arena scratch;
    Walk w = {.k = k};
    if (k->origins.n <= 1) {
        return true;
    }
    arena_init(&scratch);
    env_init(&w.env, k, &scratch);
    rewrite_enter_loops(&w.env, k, k->body);
    walk(&w, k->body);
    arena_free(&scratch);
    return true;
}
