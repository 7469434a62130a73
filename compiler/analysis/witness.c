/* witness.c: searches for the first iteration that breaks a rule (see witness.h), in two
 * ways:
 *
 * 1. The loops have constant bounds, no branch is open, and the rule depends on one
 * operand that is an affine expression of loop variables. Then a question about a box of
 * iterations is answered at its corners: an interval rule is broken somewhere iff it is
 * at the least or the largest value; an alignment rule iff it is at the first corner or
 * one step along some axis from it. Binary search per loop, outermost first, gives the
 * first iteration in program order, for any number of iterations.
 * 2. Else the iterations are tried in program order, up to a budget. */

/* ASSUMES loop-range: begin <= variable < end, of any sign. */
/* ASSUMES witness-executes: an iteration that breaks a rule executes. */
#include "analysis/witness.h"
#include "rules/obligation.h"

/* ---- corners ------------------------------------------------------------- */

typedef struct Axis {
    VarId var;      /* loop variable of frame i */
    int64_t lo, hi; /* its values, inclusive */
    int64_t factor; /* its factor in the operand's affine expression */
} Axis;

enum {
    MAX_AXES = 16
};

typedef struct Box {
    const Site *s;
    CheckStep step;
    CheckInstr in;
    Axis axes[MAX_AXES];
    int n;
    int64_t constant;
} Box;

/* Reads the bounds of a loop for the values of the loops around it. False: a register is
 * read, or a uint64 is 2^63 or more. */
static bool
read_bounds(const Kernel *k, const Frame *f, const int64_t *vars, int64_t *lo,
            int64_t *hi)
{
    return ir_eval(k, f->begin, vars, lo) && ir_eval(k, f->end, vars, hi) &&
           (*lo >= 0 || ir_expr(k, f->begin)->dtype != DT_U64) &&
           (*hi >= 0 || ir_expr(k, f->end)->dtype != DT_U64);
}

/* False: some bound is not constant, or a branch is open. *empty: a loop has no
 * iteration. */
static bool
box_of_nest(const Kernel *k, const Nest *nest, Box *box, bool *empty)
{
    box->n = 0;
    *empty = false;
    for (int i = 0; i < nest->n; i++) {
        const Frame *f = &nest->frames[i];
        int64_t lo, hi;
        if (f->var == 0 || box->n == MAX_AXES || !ir_is_const(k, f->begin) ||
            !ir_is_const(k, f->end) || !read_bounds(k, f, NULL, &lo, &hi)) {
            return false;
        }
        *empty = *empty || lo >= hi;
        box->axes[box->n++] = (Axis){f->var, lo, lo < hi ? hi - 1 : lo, 0};
    }
    return true;
}

/* True if the rule depends only on expression 0 of the step's operand and on
 * constants. */
static bool
asks_one_value(const Site *s, CheckStep step)
{
    if (obligation_relates(&s->in, step) || step.kind == CHECK_OVERLAP ||
        step.kind == CHECK_SCALAR || site_exprs(s, step.param) != 1) {
        return false;
    }
    for (int p = 0; step.kind == CHECK_BOUNDS && !s->element && p < s->nparams; p++) {
        Role role = s->params[p].role;
        bool shape = role == ROLE_INT || role == ROLE_REPEAT || role == ROLE_MASK;
        for (int i = 0; shape && i < site_exprs(s, p); i++) {
            if (!ir_is_const(s->k, site_expr(s, p, i))) {
                return false;
            }
        }
    }
    return true;
}

static bool
box_set_value(const Env *env, ExprId value, Box *box)
{
    Affine a;
    if (!env_affine(env, value, &a)) {
        return false;
    }
    box->constant = a.constant;
    for (int i = 0; i < a.n; i++) {
        const Expr *e = ir_expr(env->k, a.atom[i]);
        int axis = 0;
        while (axis < box->n && (e->kind != EX_VAR || box->axes[axis].var != e->a)) {
            axis++;
        }
        if (axis == box->n) {
            return false;
        }
        box->axes[axis].factor = a.factor[i];
    }
    return true;
}

static bool
broken_at(Box *box, int64_t value, Fault *fault)
{
    site_put(box->s, &box->in, box->step.param, 0, value);
    return !check_step(&box->in, box->step, fault);
}

/* Returns the value where each axis is at its low end (side 0), or at its end that makes
 * the value least (1) or largest (2). */
static int64_t
corner(const Box *box, int side)
{
    int64_t v = box->constant;
    for (int i = 0; i < box->n; i++) {
        const Axis *a = &box->axes[i];
        bool high = side != 0 && (a->factor > 0) == (side == 2);
        v = sat_add(v, sat_mul(a->factor, high ? a->hi : a->lo));
    }
    return v;
}

static bool
broken_somewhere(Box *box, Fault *fault)
{
    if (box->step.kind != CHECK_ALIGN) {
        return broken_at(box, corner(box, 1), fault) ||
               broken_at(box, corner(box, 2), fault);
    }
    int64_t base = corner(box, 0);
    if (broken_at(box, base, fault)) {
        return true;
    }
    for (int i = 0; i < box->n; i++) {
        const Axis *a = &box->axes[i];
        if (a->hi > a->lo && broken_at(box, sat_add(base, a->factor), fault)) {
            return true;
        }
    }
    return false;
}

/* Narrows an axis to the first value for which the box is still broken. */
static void
fix_axis(Box *box, int i)
{
    Axis *a = &box->axes[i];
    int64_t lo = a->lo;
    int64_t hi = a->hi;
    Fault ignored;
    while (lo < hi) {
        /* An axis may be as long as all numbers of 64 bits. */
        int64_t mid = (int64_t)((uint64_t)lo + ((uint64_t)hi - (uint64_t)lo) / 2);
        a->hi = mid;
        if (broken_somewhere(box, &ignored)) {
            hi = mid;
        } else {
            lo = mid + 1;
        }
    }
    a->lo = lo;
    a->hi = lo;
}

static Verdict
solve(const Env *env, const Site *s, const Nest *nest, CheckStep step, Witness *out)
{
    Box box;
    bool empty;
    if (!asks_one_value(s, step) || !box_of_nest(s->k, nest, &box, &empty)) {
        return VERDICT_OPEN;
    }
    box.s = s;
    box.step = step;
    box.in = s->in;
    if (empty) {
        return VERDICT_HOLDS;
    }
    if (!box_set_value(env, site_expr(s, step.param, 0), &box)) {
        return VERDICT_OPEN;
    }
    if (!broken_somewhere(&box, &out->fault)) {
        return VERDICT_HOLDS;
    }
    for (int i = 0; i < box.n; i++) {
        fix_axis(&box, i);
        out->values[i] = box.axes[i].lo;
    }
    return broken_at(&box, corner(&box, 0), &out->fault) ? VERDICT_BROKEN : VERDICT_OPEN;
}

bool
witness_has_last(const Env *env, const Nest *nest)
{
    Box box;
    bool empty;
    return nest->certain && box_of_nest(env->k, nest, &box, &empty) && !empty;
}

bool
witness_largest(const Env *env, const Nest *nest, ExprId offset, int64_t *out)
{
    Box box;
    bool empty;
    if (!nest->certain || !box_of_nest(env->k, nest, &box, &empty) || empty ||
        !box_set_value(env, offset, &box)) {
        return false;
    }
    *out = corner(&box, 2);
    return true;
}

/* ---- trying -------------------------------------------------------------- */

typedef struct Search {
    const Site *s;
    const Nest *nest;
    CheckInstr in;
    bool open[MAX_CHECK_STEPS];
    int nopen;
    Witness *out;
    int64_t *vars;
    int64_t left; /* work that is left, see cost_of */
    int64_t cost; /* work of one execution */
    int unsure;   /* number of branches around that cannot be decided */
} Search;

/* Returns the work of evaluating expressions with that many nodes, in units of a small
 * instruction. */
static int64_t
cost_of(int64_t nodes)
{
    return 1 + nodes / 64;
}

static int64_t
cost_of_site(const Site *s)
{
    int64_t nodes = 0;
    for (int p = 0; p < s->nparams; p++) {
        for (int i = 0; i < site_exprs(s, p); i++) {
            nodes += ir_expr(s->k, site_expr(s, p, i))->size;
        }
    }
    return cost_of(nodes);
}

/* Tries one execution. */
static bool
try_here(Search *sr)
{
    sr->left -= sr->cost;
    if (sr->left < 0 || !site_eval(sr->s, sr->vars, &sr->in)) {
        return false;
    }
    for (int i = 0; i < sr->s->nsteps; i++) {
        Witness *w = &sr->out[i];
        if (!sr->open[i] || check_step(&sr->in, sr->s->steps[i], &w->fault)) {
            continue;
        }
        sr->open[i] = false;
        sr->nopen--;
        if (sr->unsure == 0 && sr->nest->certain) {
            w->verdict = VERDICT_BROKEN;
            for (int f = 0; f < sr->nest->n; f++) {
                VarId var = sr->nest->frames[f].var;
                w->values[f] = var ? sr->vars[var] : 0;
            }
        }
    }
    return sr->nopen > 0;
}

/* Tries the iterations from a frame inwards. False: stop, since nothing more can be
 * found. */
static bool
try_frame(Search *sr, int at)
{
    if (at == sr->nest->n) {
        return try_here(sr);
    }
    const Frame *f = &sr->nest->frames[at];
    const Kernel *k = sr->s->k;
    int64_t lo, hi;
    if (f->var == 0) {
        sr->left -= cost_of(ir_expr(k, f->cond)->size);
        if (sr->left < 0) {
            return false;
        }
        if (!ir_eval(k, f->cond, sr->vars, &lo)) {
            sr->unsure++;
            bool go_on = try_frame(sr, at + 1);
            sr->unsure--;
            return go_on;
        }
        return (lo != 0) != f->outcome || try_frame(sr, at + 1);
    }
    if (!read_bounds(k, f, sr->vars, &lo, &hi)) {
        return false;
    }
    for (int64_t v = lo; v < hi; v++) {
        if (sr->left-- <= 0) {
            return false;
        }
        sr->vars[f->var] = v;
        if (!try_frame(sr, at + 1)) {
            return false;
        }
    }
    return true;
}

/* True if trying is useless, since some operand reads a register. */
static bool
reads_registers(const Site *s)
{
    for (int p = 0; p < s->nparams; p++) {
        for (int i = 0; i < site_exprs(s, p); i++) {
            if (ir_expr(s->k, site_expr(s, p, i))->flags & EXF_REG) {
                return true;
            }
        }
    }
    return false;
}

static void
try_all(Search *sr, int64_t *budget)
{
    sr->left = MIN(*budget, WITNESS_BUDGET);
    *budget -= sr->left;
    bool complete = try_frame(sr, 0);
    *budget += MAX(sr->left, 0);
    for (int i = 0; complete && i < sr->s->nsteps; i++) {
        if (sr->open[i]) {
            sr->out[i].verdict = VERDICT_HOLDS;
        }
    }
}

void
witness_find(const Env *env, const Site *s, const Nest *nest, const bool *open,
             Witness *out, int64_t *budget)
{
    Search sr = {.s = s, .nest = nest, .in = s->in, .out = out};
    for (int i = 0; i < s->nsteps; i++) {
        if (!open[i]) {
            continue;
        }
        out[i].values = ARENA_ARRAY(env->arena, int64_t, nest->n);
        Verdict v = solve(env, s, nest, s->steps[i], &out[i]);
        bool unsure = v == VERDICT_BROKEN && !nest->certain;
        out[i].verdict = unsure ? VERDICT_OPEN : v;
        sr.open[i] = v == VERDICT_OPEN;
        sr.nopen += sr.open[i];
    }
    if (sr.nopen > 0 && !reads_registers(s)) {
        sr.vars = nest->vars;
        sr.cost = cost_of_site(s);
        try_all(&sr, budget);
    }
}
