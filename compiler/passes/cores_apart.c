/* cores_apart.c: whether cores access different bytes of a global tensor, found out core
 * by core.
 *
 * Needs: a checked kernel, whose loop over cores has a constant number of iterations. In
 * core b an access reaches at most the bytes
 *
 *    at(b) + k_1*s_1 + ... + k_n*s_n + r     0 <= k_i <= most_i, lo <= r < hi
 *
 * where at(b) is what depends on the core's index alone, computed for each core, and
 * every other term of the offset, and each stride of the shape, is one of the k_i. Cores
 * in which a branch around the statement goes the other way have no place. Two accesses
 * are apart if for no two cores a choice of the k_i brings them together; the search goes
 * from the longest stride to the shortest, and only over those k_i with which the rest
 * can still reach. Guarantees: what is said to be apart is; what is not may be, too. */
#include "passes/cores_apart.h"

#include "isa/integer.h"

enum {
    MOST_DIMS = 12,
    MOST_VALUED = 4,   /* variables that have their values one by one */
    MOST_POINTS = 512, /* places of one access, in all cores */
    /* numbers so small that sums of all of them are in 64 bits */
    MOST_REACH_LOG = 52
};

static const int64_t NO_PLACE = INT64_MIN;
static const int64_t MOST_REACH = INT64_C(1) << MOST_REACH_LOG;

typedef struct Dim {
    int64_t stride, most; /* > 0 */
} Dim;

struct CorePlaces {
    int64_t lo, hi;
    int n;
    Dim dim[MOST_DIMS]; /* the longest stride is first */
    int npoints;        /* places, and the core of each */
    int64_t *at;        /* NO_PLACE: the core does not execute the statement */
    int64_t *core;
};

/* What is computed of an access, and where it is in each core. */
typedef struct Describe {
    const Kernel *k;
    const RegAffine *regs;
    CorePlaces *p;
    VarId block;
    int64_t cores;
    int nvalued;
    VarId valued[MOST_VALUED];
    Interval range[MOST_VALUED];
    int64_t *vars;
} Describe;

/* ---- describing ---------------------------------------------------------- */

/* Adds k * stride for k from 0 to most. */
static bool
add_dim(CorePlaces *p, int64_t stride, int64_t most)
{
    int64_t reach;
    if (most <= 0 || stride == 0) {
        return true;
    }
    if (!checked_mul(stride, most, &reach) || reach < -MOST_REACH || reach > MOST_REACH ||
        p->n == MOST_DIMS) {
        return false;
    }
    if (stride < 0) {
        p->lo += reach, p->hi += reach;
        stride = -stride;
    }
    int i = p->n++;
    for (; i > 0 && p->dim[i - 1].stride < stride; i--) {
        p->dim[i] = p->dim[i - 1];
    }
    p->dim[i] = (Dim){stride, most};
    return true;
}

/* Adds factor times a number of that range. */
static bool
add_range(CorePlaces *p, int64_t factor, Interval r)
{
    int64_t width, first, step = MAX(r.mod, 1);
    if (r.lo > r.hi || !checked_sub(r.hi, r.lo, &width) ||
        !checked_mul(factor, r.lo, &first) || first < -MOST_REACH || first > MOST_REACH) {
        return false;
    }
    p->lo += first, p->hi += first;
    return checked_mul(factor, step, &step) && add_dim(p, step, width / MAX(r.mod, 1));
}

static bool
has_value(const Describe *d, VarId var)
{
    bool any = var == d->block;
    for (int i = 0; i < d->nvalued; i++) {
        any = any || d->valued[i] == var;
    }
    return any;
}

/* Returns whether the expression has a value at each place. */
static bool
can_evaluate(const Describe *d, ExprId e)
{
    const Expr *x = ir_expr(d->k, e);
    return x->kind == EX_CONST || (x->kind == EX_VAR && has_value(d, x->a)) ||
           (x->kind == EX_OP && can_evaluate(d, x->a) &&
            (x->b == 0 || can_evaluate(d, x->b)));
}

/* Puts x in the place of x / c * c + x % c. */
static void
join_quotients(const RegAffine *regs, Affine *off)
{
    const Kernel *k = regs->env.k;
    for (int i = 0; i < off->n; i++) {
        const Expr *x = ir_expr(k, off->atom[i]);
        for (int j = 0; j < off->n && x->kind == EX_OP && x->op == SOP_DIV; j++) {
            const Expr *y = ir_expr(k, off->atom[j]);
            int64_t all;
            if (y->kind != EX_OP || y->op != SOP_REM || y->a != x->a || y->b != x->b ||
                !ir_is_const(k, x->b) ||
                !checked_mul(off->factor[j], ir_expr(k, x->b)->imm, &all) ||
                all != off->factor[i]) {
                continue;
            }
            Affine sum = *off, of;
            reg_affine_of(regs, x->a, &of);
            if (affine_add_term(&sum, off->atom[i], -off->factor[i]) &&
                affine_add_term(&sum, off->atom[j], -off->factor[j]) &&
                affine_add(&sum, &of, off->factor[j])) {
                *off = sum;
                i = -1; /* the sum has other terms now */
                break;
            }
        }
    }
}

/* Takes the variables of an operation on the core's index; false: they cannot all have
 * their values one by one. */
static bool
take_variables(Describe *d, ExprId e, int64_t *points)
{
    const Expr *x = ir_expr(d->k, e);
    if (x->kind == EX_OP) {
        return take_variables(d, x->a, points) &&
               (x->b == 0 || take_variables(d, x->b, points));
    }
    if (x->kind != EX_VAR || has_value(d, x->a)) {
        return x->kind != EX_REG;
    }
    Interval r = env_expr(&d->regs->env, e);
    if (d->nvalued == MOST_VALUED || r.lo > r.hi || r.hi - r.lo >= MOST_POINTS ||
        *points * (r.hi - r.lo + 1) > MOST_POINTS) {
        return false;
    }
    *points *= r.hi - r.lo + 1;
    d->range[d->nvalued] = r;
    d->valued[d->nvalued++] = x->a;
    return true;
}

/* Finds the variables that have their values one by one; returns the number of places. */
static int64_t
find_variables(Describe *d, const Affine *off)
{
    int64_t points = d->cores;
    for (int i = 0; i < off->n; i++) {
        if (ir_expr(d->k, off->atom[i])->kind == EX_OP &&
            ir_reads_var(d->k, off->atom[i], d->block)) {
            Describe before = *d;
            int64_t now = points;
            if (take_variables(d, off->atom[i], &now)) {
                points = now;
            } else {
                *d = before;
            }
        }
    }
    return points;
}

/* Gives the variables their values at a place. */
static void
set_variables(const Describe *d, int64_t point)
{
    d->vars[d->block] = point % d->cores;
    point /= d->cores;
    for (int i = 0; i < d->nvalued; i++) {
        int64_t n = d->range[i].hi - d->range[i].lo + 1;
        d->vars[d->valued[i]] = d->range[i].lo + point % n;
        point /= n;
    }
}

static bool
executes(const Describe *d, const CoreGuard *guard)
{
    int64_t value;
    for (; guard != NULL; guard = guard->outer) {
        if (can_evaluate(d, guard->cond) && ir_eval(d->k, guard->cond, d->vars, &value) &&
            (value != 0) != guard->outcome) {
            return false;
        }
    }
    return true;
}

/* Computes what depends on the place alone; false: the numbers are too large. */
static bool
set_place(const Describe *d, const Affine *off, int64_t *at)
{
    *at = 0;
    for (int i = 0; i < off->n; i++) {
        int64_t value;
        if (!can_evaluate(d, off->atom[i])) {
            continue;
        }
        if (!ir_eval(d->k, off->atom[i], d->vars, &value) ||
            !checked_mul(value, off->factor[i], &value) || value < -MOST_REACH ||
            value > MOST_REACH) {
            return false;
        }
        *at += value;
    }
    return true;
}

static bool
set_places(Describe *d, Arena *arena, const Affine *off, const CoreGuard *guard)
{
    int64_t points = find_variables(d, off);
    d->p->npoints = (int)points;
    d->p->at = ARENA_ARRAY(arena, int64_t, points);
    d->p->core = ARENA_ARRAY(arena, int64_t, points);
    bool known = true;
    for (int64_t i = 0; i < points && known; i++) {
        set_variables(d, i);
        d->p->core[i] = d->vars[d->block];
        d->p->at[i] = NO_PLACE;
        known = !executes(d, guard) || set_place(d, off, &d->p->at[i]);
    }
    return known;
}

static bool
add_others(const Describe *d, const Affine *off)
{
    for (int i = 0; i < off->n; i++) {
        if (!can_evaluate(d, off->atom[i]) &&
            !add_range(d->p, off->factor[i], env_expr(&d->regs->env, off->atom[i]))) {
            return false;
        }
    }
    return true;
}

static bool
add_shape(CorePlaces *p, const Footprint *fp, int64_t constant)
{
    p->lo = sat_add(constant, fp->offset);
    p->hi = sat_add(p->lo, fp->len);
    return p->lo >= -MOST_REACH && p->hi <= MOST_REACH &&
           add_dim(p, fp->stride0, fp->count0 - 1) &&
           add_dim(p, fp->stride1, fp->count1 - 1);
}

const CorePlaces *
core_places(Arena *arena, const RegAffine *regs, const Access *a, VarId block,
            const CoreGuard *guard, int64_t *vars)
{
    const Kernel *k = regs->env.k;
    const Stmt *loop = &k->stmts.p[k->vars.p[block].loop];
    Describe d = {.k = k, .regs = regs, .block = block, .vars = vars};
    d.cores = loop->loop.block_num;
    if (!a->known || d.cores == IR_SCALAR_BLOCKS || d.cores > MOST_CORES_APART) {
        return NULL;
    }
    d.p = ARENA_ARRAY(arena, CorePlaces, 1);
    Affine off;
    reg_affine_of(regs, a->off, &off);
    join_quotients(regs, &off);
    bool known = add_shape(d.p, &a->fp, off.constant) &&
                 set_places(&d, arena, &off, guard) && add_others(&d, &off);
    return known ? d.p : NULL;
}

/* ---- comparing ----------------------------------------------------------- */

/* What can be added to the distance of two accesses. */
typedef struct Search {
    int n;
    int64_t stride[2 * MOST_DIMS], least[2 * MOST_DIMS], most[2 * MOST_DIMS];
    /* what the dimensions from there on add at least and at most */
    int64_t rest_lo[2 * MOST_DIMS + 1], rest_hi[2 * MOST_DIMS + 1];
    int64_t lo, hi; /* distances with which they have a byte in common */
    int64_t *work;
} Search;

static bool
may_meet(Search *s, int i, int64_t at)
{
    if (*s->work <= 0) {
        return true;
    }
    *s->work -= 1;
    if (at + s->rest_hi[i] < s->lo || at + s->rest_lo[i] > s->hi) {
        return false;
    }
    if (i == s->n) {
        return true;
    }
    int64_t stride = s->stride[i];
    int64_t from = div_ceil(s->lo - at - s->rest_hi[i + 1], stride);
    int64_t to = div_floor(s->hi - at - s->rest_lo[i + 1], stride);
    to = MIN(to, s->most[i]);
    for (int64_t k = MAX(from, s->least[i]); k <= to; k++) {
        if (may_meet(s, i + 1, at + k * stride)) {
            return true;
        }
    }
    return false;
}

/* Merges the dimensions of both; those of b are subtracted. */
static void
merge_dims(Search *s, const CorePlaces *a, const CorePlaces *b)
{
    for (int i = 0, j = 0; i < a->n || j < b->n; s->n++) {
        bool first = j == b->n || (i < a->n && a->dim[i].stride >= b->dim[j].stride);
        bool second = i == a->n || (j < b->n && b->dim[j].stride >= a->dim[i].stride);
        s->stride[s->n] = first ? a->dim[i].stride : b->dim[j].stride;
        s->most[s->n] = first ? a->dim[i].most : 0;
        s->least[s->n] = second ? -b->dim[j].most : 0;
        i += first;
        j += second;
    }
    for (int i = s->n - 1; i >= 0; i--) {
        s->rest_lo[i] = s->rest_lo[i + 1] + s->least[i] * s->stride[i];
        s->rest_hi[i] = s->rest_hi[i + 1] + s->most[i] * s->stride[i];
    }
}

bool
core_places_apart(const CorePlaces *a, const CorePlaces *b, int64_t *work)
{
    Search s = {.lo = b->lo - a->hi + 1, .hi = b->hi - a->lo - 1, .work = work};
    merge_dims(&s, a, b);
    for (int x = 0; x < a->npoints; x++) {
        for (int y = 0; y < b->npoints && a->at[x] != NO_PLACE; y++) {
            if (a->core[x] != b->core[y] && b->at[y] != NO_PLACE &&
                may_meet(&s, 0, a->at[x] - b->at[y])) {
                return false;
            }
        }
    }
    return true;
}
