/* origin.c: finds out where the factors of products were moved from, so that products
 * read them there and the moves need not be executed.
 *
 * Needs: a checked kernel, in a copy for the host. Guarantees: whenever a product with an
 * origin executes, the blocks of the origin (see Origin) are those that its operand has.
 * Never: changes an operand, or takes out a statement.
 *
 * The moves into L1, L0A and L0B are executed while compiling, on maps that say for each
 * block of 32 bytes which block of a global tensor it is a copy of. The tensor must be
 * one that the kernel never writes, and whose end is never passed. A loop is executed
 * iteration by iteration if places on the core depend on its variable; of another one the
 * body is looked at once, for all values of the variable, and nothing that it writes is
 * known before it and after it. A product is looked at each time that it is reached: it
 * has an origin if its blocks form the same grid each time, and the start of the grid is
 * a sum of loop variables. */
#include "layout/fractal.h"
#include "passes/access.h"
#include "passes/origin.h"
#include "passes/passes.h"
#include "passes/rewrite.h"
#include "isa/operand.h"

enum {
    MOST_TRIPS = 4096,    /* iterations of a loop that is executed */
    MOST_VISITS = 4096,   /* of a product */
    MOST_STEPS = 1 << 21, /* blocks */
    SIDE = FRACTAL_SIDE
};

/* The blocks of a factor at one time. */
typedef struct Grid {
    uint16_t base;
    bool transposed;
    int64_t off, outer, inner;
    int64_t nouter, ninner;
} Grid;

typedef struct Visit {
    int64_t off;
    int64_t value[ORIGIN_VARS];
} Visit;

typedef struct Factor {
    bool bad;
    Grid grid; /* of the first visit */
    VEC(Visit) visits;
} Factor;

typedef struct Product {
    StmtId stmt;
    int nvars;
    VarId var[ORIGIN_VARS];
    Factor of[ORIGIN_FACTORS];
} Product;

typedef struct Walk {
    Kernel *k;
    OriginMap map;
    int nvars; /* loops around that are executed */
    VarId var[ORIGIN_VARS];
    int64_t value[ORIGIN_VARS];
    VEC(Product) products;
    bool failed; /* something is not followed */
} Walk;

/* ---- the blocks of a factor ---------------------------------------------- */

/* Fills the numbers of a product that its shape depends on. */
static bool
product_numbers(const OriginMap *m, const Stmt *s, CheckInstr *in)
{
    int n;
    const ParamInfo *params = form_params(op_table[s->instr.op].form, &n);
    const Arg *args = &m->k->args.p[s->instr.arg];
    in->op = s->instr.op;
    for (int i = 0; i < n; i++) {
        if (params[i].role == ROLE_SRC) {
            in->args[i].t = ir_check_tensor(m->k, &args[i].ref);
        } else if ((params[i].role == ROLE_INT || params[i].role == ROLE_ATTR) &&
                   !origin_number(m, args[i].expr, &in->args[i].v)) {
            return false;
        }
    }
    return true;
}

/* Returns whether a block is where a grid has it. */
static bool
is_on_grid(const Grid *g, Piece p, int64_t i, int64_t j)
{
    if (p.base != g->base || (p.lane < ORIGIN_PLAIN) != g->transposed) {
        return false;
    }
    if (!g->transposed) {
        return p.off == g->off + i * g->outer + j * g->inner;
    }
    return p.lane == j % SIDE && p.pitch == g->outer &&
           p.off == g->off + i * SIDE * g->outer + j / SIDE * g->inner;
}

/* Finds the grid of a factor, whose first block is at block `at` of its operand. */
static bool
find_grid(const OriginMap *m, BufId b, int64_t at, const OriginShape *s, Grid *g)
{
    Piece first = origin_piece(m, b, at + origin_block(s, 0, 0));
    Piece down = origin_piece(m, b, at + origin_block(s, MIN(1, s->nouter - 1), 0));
    bool transposed = first.lane < ORIGIN_PLAIN;
    int64_t next = transposed ? SIDE : 1;
    Piece right = origin_piece(m, b, at + origin_block(s, 0, MIN(next, s->ninner - 1)));
    *g = (Grid){.base = first.base,
                .transposed = transposed,
                .off = first.off,
                .outer = transposed ? first.pitch : down.off - first.off,
                .inner = s->ninner > 1 ? right.off - first.off : ORIGIN_BYTES,
                .nouter = s->nouter * next,
                .ninner = s->ninner / next};
    bool ok =
        first.base != 0 && g->outer >= 0 && g->inner >= 0 && (!transposed || s->second);
    for (int64_t i = 0; ok && i < s->nouter; i++) {
        for (int64_t j = 0; ok && j < s->ninner; j++) {
            ok = is_on_grid(g, origin_piece(m, b, at + origin_block(s, i, j)), i, j);
        }
    }
    return ok;
}

/* Windows are taken from an image whose blocks follow each other. */
static bool
is_image(const Stmt *s, int factor)
{
    return factor == 0 && op_table[s->instr.op].sem == SEM_CONV2D;
}

static bool
factor_grid(const OriginMap *m, const Stmt *s, int factor, Grid *g)
{
    OriginShape shape;
    CheckInstr in = {0};
    int64_t off;
    const Ref *r = &m->k->args.p[s->instr.arg + MATMUL_a + (uint32_t)factor].ref;
    return product_numbers(m, s, &in) && origin_shape(&in, factor, &shape) &&
           origin_number(m, r->off, &off) && off % ORIGIN_BYTES == 0 &&
           find_grid(m, r->buf, off / ORIGIN_BYTES, &shape, g) &&
           (!is_image(s, factor) || g->inner == ORIGIN_BYTES);
}

/* ---- products ------------------------------------------------------------ */

static bool
same_grid(const Grid *x, const Grid *y)
{
    return x->base == y->base && x->transposed == y->transposed && x->outer == y->outer &&
           x->inner == y->inner && x->nouter == y->nouter && x->ninner == y->ninner;
}

static Product *
product_of(Walk *w, StmtId s)
{
    for (uint32_t i = 0; i < w->products.n; i++) {
        if (w->products.p[i].stmt == s) {
            return &w->products.p[i];
        }
    }
    Product p = {.stmt = s, .nvars = w->nvars};
    memcpy(p.var, w->var, sizeof p.var);
    VEC_PUSH(w->map.arena, &w->products, p);
    return &w->products.p[w->products.n - 1];
}

static void
visit_product(Walk *w, StmtId s)
{
    Product *p = product_of(w, s);
    for (int i = 0; i < ORIGIN_FACTORS; i++) {
        Grid g;
        Factor *f = &p->of[i];
        Visit v = {0};
        if (f->bad) {
            continue;
        }
        f->bad = !factor_grid(&w->map, &w->k->stmts.p[s], i, &g) ||
                 f->visits.n == MOST_VISITS || p->nvars != w->nvars;
        if (f->bad) {
            continue;
        }
        w->map.steps += g.nouter * g.ninner;
        f->grid = f->visits.n == 0 ? g : f->grid;
        f->bad = !same_grid(&f->grid, &g);
        v.off = g.off;
        memcpy(v.value, w->value, sizeof v.value);
        VEC_PUSH(w->map.arena, &f->visits, v);
    }
}

/* Finds a visit at which only that variable differs from the first one. */
static const Visit *
only_differs(const Product *p, const Factor *f, int var)
{
    const Visit *first = &f->visits.p[0];
    for (uint32_t i = 1; i < f->visits.n; i++) {
        const Visit *v = &f->visits.p[i];
        bool ok = v->value[var] != first->value[var];
        for (int j = 0; j < p->nvars; j++) {
            ok = ok && (j == var || v->value[j] == first->value[j]);
        }
        if (ok) {
            return v;
        }
    }
    return NULL;
}

/* Finds the sum of the loops' variables that the starts of a factor's grids are: *start
 * is its constant. */
static bool
fit(const Product *p, const Factor *f, int64_t factor[ORIGIN_VARS], int64_t *start)
{
    const Visit *first = &f->visits.p[0];
    *start = first->off;
    for (int j = 0; j < p->nvars; j++) {
        const Visit *v = only_differs(p, f, j);
        factor[j] =
            v == NULL ? 0 : (v->off - first->off) / (v->value[j] - first->value[j]);
        *start -= factor[j] * first->value[j];
    }
    for (uint32_t i = 0; i < f->visits.n; i++) {
        int64_t off = *start;
        for (int j = 0; j < p->nvars; j++) {
            off += factor[j] * f->visits.p[i].value[j];
        }
        if (off != f->visits.p[i].off) {
            return false;
        }
    }
    return true;
}

static ExprId
plus(Kernel *k, ExprId sum, ExprId term, int64_t factor)
{
    ExprId by = ir_const(k, DT_S64, factor);
    ExprId product = ir_op2(k, SOP_MUL, ir_cast(k, DT_S64, term), by);
    return factor == 0 ? sum : ir_op2(k, SOP_ADD, sum, product);
}

static bool
find_origin(Walk *w, const Product *p, int i, Origin *out)
{
    Kernel *k = w->k;
    const Factor *f = &p->of[i];
    int64_t factor[ORIGIN_VARS], start;
    if (f->bad || f->visits.n == 0 || !fit(p, f, factor, &start)) {
        return false;
    }
    const Base *base = &w->map.bases.p[f->grid.base];
    ExprId off = ir_const(k, DT_S64, start);
    for (int j = 0; j < base->sum.n; j++) {
        off = plus(k, off, base->sum.atom[j], base->sum.factor[j]);
    }
    for (int j = 0; j < p->nvars; j++) {
        off = plus(k, off, ir_var_value(k, p->var[j]), factor[j]);
    }
    const Arg *operand =
        &k->args.p[k->stmts.p[p->stmt].instr.arg + MATMUL_a + (uint32_t)i];
    *out = (Origin){.ref = {base->buf, operand->ref.dtype, off},
                    .outer = f->grid.outer,
                    .inner = f->grid.inner,
                    .nouter = f->grid.nouter,
                    .ninner = f->grid.ninner,
                    .transposed = f->grid.transposed};
    return true;
}

static void
note_origins(Walk *w)
{
    for (uint32_t i = 0; i < w->products.n; i++) {
        Origins all = {0};
        bool any = false;
        for (int j = 0; j < ORIGIN_FACTORS; j++) {
            any = find_origin(w, &w->products.p[i], j, &all.of[j]) || any;
        }
        if (any) {
            VEC_PUSH(&w->k->arena, &w->k->origins, all);
            w->k->stmts.p[w->products.p[i].stmt].instr.origin = w->k->origins.n - 1;
        }
    }
}

/* ---- loops --------------------------------------------------------------- */

static bool
instr_needs(const Kernel *k, const Stmt *s, VarId v)
{
    int n;
    (void)form_params(op_table[s->instr.op].form, &n);
    for (int i = 0; i < n; i++) {
        const Arg *a = &k->args.p[s->instr.arg + (uint32_t)i];
        bool on_core = a->kind == ARG_REF && k->bufs.p[a->ref.buf].scope != SC_GM;
        if ((on_core && ir_reads_var(k, a->ref.off, v)) ||
            (a->kind == ARG_EXPR && ir_reads_var(k, a->expr, v))) {
            return true;
        }
    }
    return false;
}

/* Returns whether what moves and products in a body do on the core depends on a loop's
 * variable. */
static bool
body_needs(const Kernel *k, StmtId first, VarId v)
{
    for (StmtId s = first; s != 0; s = k->stmts.p[s].next) {
        const Stmt *st = &k->stmts.p[s];
        bool needs = false;
        if (st->kind == ST_FOR) {
            needs = ir_reads_var(k, st->loop.begin, v) ||
                    ir_reads_var(k, st->loop.end, v) || body_needs(k, st->loop.body, v);
        } else if (st->kind == ST_SCOPE) {
            needs = body_needs(k, st->scope.body, v);
        } else if (st->kind == ST_IF) {
            needs = ir_reads_var(k, st->cond.cond, v) ||
                    body_needs(k, st->cond.then_body, v) ||
                    body_needs(k, st->cond.else_body, v);
        } else if (origin_is_product(st) || origin_is_move(k, st)) {
            needs = instr_needs(k, st, v);
        }
        if (needs) {
            return true;
        }
    }
    return false;
}

/* ---- the walk ------------------------------------------------------------ */

static void walk_body(Walk *w, StmtId first);

static void
walk_iterations(Walk *w, const Stmt *s, int64_t begin, int64_t end)
{
    int at = w->nvars++;
    w->var[at] = s->loop.var;
    for (int64_t i = begin; i < end && !w->failed; i++) {
        w->value[at] = i;
        env_set_var(&w->map.env, s->loop.var, interval_const(i));
        walk_body(w, s->loop.body);
    }
    w->nvars--;
    access_enter_loop(&w->map.env, s);
}

static void
walk_loop(Walk *w, const Stmt *s)
{
    int64_t begin, end;
    bool known = origin_number(&w->map, s->loop.begin, &begin) &&
                 origin_number(&w->map, s->loop.end, &end) && end - begin <= MOST_TRIPS;
    if (known && !ir_is_multicore(s) && w->nvars < ORIGIN_VARS &&
        body_needs(w->k, s->loop.body, s->loop.var)) {
        walk_iterations(w, s, begin, end);
        return;
    }
    origin_map_forget_written(&w->map, s->loop.body);
    walk_body(w, s->loop.body);
    origin_map_forget_written(&w->map, s->loop.body);
}

static void
walk_if(Walk *w, const Stmt *s)
{
    int64_t v;
    if (origin_number(&w->map, s->cond.cond, &v)) {
        walk_body(w, v != 0 ? s->cond.then_body : s->cond.else_body);
        return;
    }
    walk_body(w, s->cond.then_body);
    origin_map_forget_written(&w->map, s->cond.then_body);
    walk_body(w, s->cond.else_body);
    origin_map_forget_written(&w->map, s->cond.then_body);
    origin_map_forget_written(&w->map, s->cond.else_body);
}

static void
walk_stmt(Walk *w, StmtId id)
{
    const Stmt *s = &w->k->stmts.p[id];
    switch ((StmtKind)s->kind) {
    case ST_FOR:
        walk_loop(w, s);
        return;
    case ST_IF:
        walk_if(w, s);
        return;
    case ST_SCOPE:
        walk_body(w, s->scope.body);
        return;
    case ST_BREAK:
    case ST_CONTINUE:
        w->failed = true; /* where the path goes on is not followed */
        return;
    case ST_INSTR:
        if (origin_is_product(s) && s->proof == PROOF_PROVED) {
            visit_product(w, id);
        }
        origin_map_execute(&w->map, s);
        return;
    case ST_STORE:
    case ST_ALLOC:
        origin_map_execute(&w->map, s);
        return;
    case ST_LOAD:
    case ST_SET:
    case ST_RETURN:
    case ST_NONE:
        return;
    }
    UNREACHABLE();
}

static void
walk_body(Walk *w, StmtId first)
{
    for (StmtId s = first; s != 0 && !w->failed; s = w->k->stmts.p[s].next) {
        walk_stmt(w, s);
        w->failed = w->failed || w->map.steps > MOST_STEPS;
    }
}

static bool
has_products(const Kernel *k)
{
    for (StmtId s = 1; s < k->stmts.n; s++) {
        if (origin_is_product(&k->stmts.p[s])) {
            return true;
        }
    }
    return false;
}

bool
pass_origin(Kernel *k)
{
    Arena scratch;
    Walk w = {.k = k};
    if (!has_products(k)) {
        return true;
    }
    arena_init(&scratch);
    origin_map_init(&w.map, k, &scratch);
    walk_body(&w, k->body);
    if (!w.failed) {
        note_origins(&w);
    }
    arena_free(&scratch);
    return true;
}
