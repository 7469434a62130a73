/* env.c: ranges of expressions at a point of the kernel (see env.h). Ranges of larger
 * expressions are kept until something changes, so that shared parts are evaluated
 * once. */

/* ASSUMES no-wrap: no sum or product wraps. */
#include "analysis/env.h"

enum {
    MEMO_MIN_NODES = 4, /* ranges of smaller expressions are not worth keeping */
    /* The most ranges that are kept, a power of two. A change makes them all invalid, so
     * those of one large expression are enough; a table of all expressions would be as
     * large as the kernel. */
    MEMO_ROOM = 2 * IR_MAX_EXPR
};

void
env_init(Env *env, const Kernel *k, Arena *arena)
{
    *env = (Env){.k = k, .arena = arena};
    env->nregs = k->regs.n;
    env->ncells = k->regs.n + k->vars.n;
    env->cells = ARENA_ARRAY(arena, Interval, env->ncells);
    env->stamp = ARENA_ARRAY(arena, uint32_t, env->ncells);
    env->epoch = 1;
    uint32_t room = 1;
    while (room < k->exprs.n && room < MEMO_ROOM) {
        room *= 2;
    }
    env->memo = ARENA_ARRAY(arena, EnvMemo, room);
    env->memo_mask = room - 1;
    for (uint32_t i = 1; i < k->regs.n; i++) {
        env->cells[i] = interval_of_type(k->regs.p[i].dtype);
    }
    for (uint32_t i = 1; i < k->vars.n; i++) {
        env->cells[env->nregs + i] = interval_of_type(k->vars.p[i].dtype);
    }
}

/* ---- values -------------------------------------------------------------- */

static Dtype
operand_type(const Kernel *k, const Expr *e)
{
    return scalar_is_compare((ScalarOp)e->op) ? (Dtype)ir_expr(k, e->a)->dtype
                                              : (Dtype)e->dtype;
}

static Interval
with_facts(const Env *env, ExprId e, Interval r)
{
    for (uint32_t i = 0; i < env->facts.n; i++) {
        if (env->facts.p[i].expr == e) {
            (void)!interval_meet(r, env->facts.p[i].range, &r);
        }
    }
    return r;
}

static Interval
op_range(const Env *env, const Expr *e, bool *exact)
{
    ScalarIntervals in = {.type = operand_type(env->k, e),
                          .from = (Dtype)ir_expr(env->k, e->a)->dtype,
                          .a = env_expr(env, e->a)};
    if (e->b != 0) {
        in.b = env_expr(env, e->b);
    }
    return scalar_interval((ScalarOp)e->op, &in, exact);
}

Interval
env_operation(const Env *env, ExprId id)
{
    const Expr *e = ir_expr(env->k, id);
    if (e->kind != EX_OP) {
        UNREACHABLE();
    }
    if (e->size < MEMO_MIN_NODES) {
        return with_facts(env, id, op_range(env, e, NULL));
    }
    EnvMemo *m = &env->memo[id & env->memo_mask];
    if (m->expr != id || m->epoch != env->epoch) {
        Interval r = with_facts(env, id, op_range(env, e, NULL));
        *m = (EnvMemo){id, env->epoch, r};
    }
    return m->range;
}

/* ---- affine expressions -------------------------------------------------- */

bool
affine_add_term(Affine *a, ExprId atom, int64_t factor)
{
    for (int i = 0; i < a->n; i++) {
        if (a->atom[i] == atom) {
            if (!checked_add(a->factor[i], factor, &a->factor[i])) {
                return false;
            }
            if (a->factor[i] == 0) {
                a->n--;
                a->atom[i] = a->atom[a->n];
                a->factor[i] = a->factor[a->n];
            }
            return true;
        }
    }
    if (a->n == AFFINE_TERMS) {
        return false;
    }
    a->atom[a->n] = atom;
    a->factor[a->n++] = factor;
    return true;
}

bool
affine_add(Affine *a, const Affine *b, int64_t factor)
{
    int64_t v;
    if (!checked_mul(b->constant, factor, &v) ||
        !checked_add(a->constant, v, &a->constant)) {
        return false;
    }
    for (int i = 0; i < b->n; i++) {
        if (!checked_mul(b->factor[i], factor, &v) ||
            !affine_add_term(a, b->atom[i], v)) {
            return false;
        }
    }
    return true;
}

/* Copies a sum; most have few of the terms that there is room for. */
static inline void
affine_copy(Affine *to, const Affine *from)
{
    to->n = from->n;
    to->constant = from->constant;
    for (int i = 0; i < from->n; i++) {
        to->atom[i] = from->atom[i];
        to->factor[i] = from->factor[i];
    }
}

bool
affine_sub(const Affine *a, const Affine *b, Affine *out)
{
    affine_copy(out, a);
    return affine_add(out, b, -1);
}

static inline void
affine_set_atom(Affine *to, ExprId e)
{
    to->n = 1;
    to->atom[0] = e;
    to->factor[0] = 1;
    to->constant = 0;
}

/* Returns the factor by which an operation multiplies its operand *x; 0: it is no such
 * operation. */
static int64_t
factor_of(const Kernel *k, const Expr *e, ExprId *x)
{
    const Expr *a = ir_expr(k, e->a);
    const Expr *b = ir_expr(k, e->b);
    *x = e->a;
    if (e->op == SOP_MUL && b->kind == EX_CONST) {
        return b->imm;
    }
    if (e->op == SOP_MUL && a->kind == EX_CONST) {
        *x = e->b;
        return a->imm;
    }
    if (e->op == SOP_SHL && b->kind == EX_CONST && b->imm >= 0 && b->imm < 62) {
        return (int64_t)1 << b->imm;
    }
    return e->op == SOP_NEG ? -1 : e->op == SOP_CAST ? 1 : 0;
}

/* Puts the sum that an operation with no rounding and no wrap makes of the sums of its
 * operands. Returns false if it is none. */
static bool
affine_op(const Env *env, const Expr *e, const Affine *a, const Affine *b, Affine *out)
{
    if (e->op == SOP_ADD || e->op == SOP_SUB) {
        affine_copy(out, a);
        return affine_add(out, b, e->op == SOP_ADD ? 1 : -1);
    }
    ExprId x;
    int64_t factor = factor_of(env->k, e, &x);
    out->n = 0;
    out->constant = 0;
    return factor != 0 && factor != INT64_MIN &&
           affine_add(out, x == e->a ? a : b, factor);
}

/* Finds the sum that an expression is, and returns its range, as env_expr does: both need
 * the ranges of what is below. */
static Interval
affine_of(const Env *env, ExprId id, Affine *out)
{
    const Expr *e = ir_expr(env->k, id);
    out->n = 0;
    out->constant = e->imm;
    if (e->kind == EX_CONST) {
        return interval_const(e->imm);
    }
    if (e->kind != EX_OP) {
        affine_set_atom(out, id);
        return env_expr(env, id);
    }
    Affine a, b;
    bool exact = false;
    ScalarIntervals in = {.type = operand_type(env->k, e),
                          .from = (Dtype)ir_expr(env->k, e->a)->dtype};
    in.a = affine_of(env, e->a, &a);
    if (e->b != 0) {
        in.b = affine_of(env, e->b, &b);
    }
    Interval r = with_facts(env, id, scalar_interval((ScalarOp)e->op, &in, &exact));
    if (!exact || dtype_kind((Dtype)e->dtype) == KIND_FLOAT ||
        !affine_op(env, e, &a, &b, out)) {
        affine_set_atom(out, id);
    }
    return r;
}

enum {
    AFFINE_MAX_NODES = 128 /* very large expressions are not split */
};

bool
env_affine(const Env *env, ExprId id, Affine *out)
{
    const Expr *e = ir_expr(env->k, id);
    bool integer = dtype_kind((Dtype)e->dtype) != KIND_FLOAT;
    if (integer && e->size <= AFFINE_MAX_NODES) {
        (void)affine_of(env, id, out);
    } else {
        affine_set_atom(out, id);
    }
    return integer;
}

Interval
env_affine_range(const Env *env, const Affine *a)
{
    Interval sum = interval_const(a->constant);
    for (int i = 0; i < a->n; i++) {
        Interval term = env_expr(env, a->atom[i]);
        bool fits =
            a->factor[i] == 1 || interval_mul(term, interval_const(a->factor[i]), &term);
        if (!fits || !interval_add(sum, term, &sum)) {
            return interval_of_type(DT_S64);
        }
    }
    return sum;
}

Interval
env_range(const Env *env, ExprId id)
{
    const Expr *e = ir_expr(env->k, id);
    if (e->kind != EX_OP || dtype_kind((Dtype)e->dtype) == KIND_FLOAT ||
        e->size > AFFINE_MAX_NODES) {
        return env_expr(env, id);
    }
    Affine a;
    Interval r = affine_of(env, id, &a);
    bool itself = a.n == 1 && a.atom[0] == id; /* it is no sum of others */
    if (!interval_is_const(r) && !itself) {
        (void)!interval_meet(r, env_affine_range(env, &a), &r);
    }
    return r;
}

/* ---- changes ------------------------------------------------------------- */

static void
set_cell(Env *env, uint32_t cell, Interval v)
{
    EnvChange c = {cell, false, env->cells[cell]};
    VEC_PUSH(env->arena, &env->trail, c);
    env->cells[cell] = v;
    env->epoch++;
}

/* Facts about expressions that read registers end when a register changes. They are not
 * restored when the change is undone, so a join of branches has none that an assignment
 * in either of them ended; and it is always safe to know less. */
static void
drop_register_facts(Env *env)
{
    for (uint32_t i = 0; i < env->facts.n; i++) {
        if (ir_expr(env->k, env->facts.p[i].expr)->flags & EXF_REG) {
            env->facts.p[i].expr = 0;
            env->epoch++;
        }
    }
}

void
env_set_reg(Env *env, RegId r, Interval v)
{
    drop_register_facts(env);
    set_cell(env, r, v);
}

void
env_set_var(Env *env, VarId v, Interval r)
{
    set_cell(env, env->nregs + v, r);
}

EnvMark
env_mark(const Env *env)
{
    return (EnvMark){env->trail.n, env->dead};
}

EnvState
env_leave(Env *env, EnvMark mark)
{
    EnvState s = {.dead = env->dead};
    uint32_t n = env->trail.n - mark.trail;
    s.cell = ARENA_ARRAY(env->arena, uint32_t, n);
    s.value = ARENA_ARRAY(env->arena, Interval, n);
    env->stamps++;
    env->epoch++;
    while (env->trail.n > mark.trail) {
        EnvChange c = env->trail.p[--env->trail.n];
        if (c.is_fact) {
            env->facts.n = c.cell;
            continue;
        }
        if (env->stamp[c.cell] != env->stamps) {
            env->stamp[c.cell] = env->stamps;
            s.cell[s.n] = c.cell;
            s.value[s.n++] = env->cells[c.cell];
        }
        env->cells[c.cell] = c.old;
    }
    env->dead = mark.dead;
    return s;
}

static void
apply_state(Env *env, const EnvState *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        set_cell(env, s->cell[i], s->value[i]);
    }
}

void
env_join(Env *env, const EnvState *a, const EnvState *b)
{
    if (a->dead || b->dead) {
        apply_state(env, a->dead ? b : a);
        env->dead = env->dead || (a->dead && b->dead);
        return;
    }
    env->stamps++;
    for (uint32_t i = 0; i < a->n; i++) {
        env->stamp[a->cell[i]] = env->stamps;
    }
    for (uint32_t i = 0; i < b->n;
         i++) { /* it changed in b: join with the value before if it changed only there */
        uint32_t cell = b->cell[i];
        bool both = env->stamp[cell] == env->stamps;
        set_cell(env, cell,
                 both ? b->value[i] : interval_join(b->value[i], env->cells[cell]));
    }
    for (uint32_t i = 0; i < a->n;
         i++) { /* the cell holds b's value, or the value before */
        uint32_t cell = a->cell[i];
        set_cell(env, cell, interval_join(a->value[i], env->cells[cell]));
    }
}

/* ---- conditions ---------------------------------------------------------- */

static void narrow(Env *env, ExprId id, Interval r);

/* If x % m == rest, x is rest modulo m if x >= 0, or if rest is 0. */
static void
narrow_dividend(Env *env, const Expr *e, Interval r)
{
    const Expr *b = ir_expr(env->k, e->b);
    int64_t least = e->op == SOP_REM ? env_expr(env, e->a).lo : 0;
    /* large values of uint64 are represented by other numbers */
    bool any_sign = e->dtype != DT_U64;
    if (e->op == SOP_REM && b->kind == EX_CONST && b->imm > 1 && interval_is_const(r) &&
        (r.lo == 0 ? any_sign || least >= 0 : r.lo > 0 && r.lo < b->imm && least >= 0)) {
        narrow(env, e->a, (Interval){INT64_MIN, INT64_MAX, b->imm, r.lo});
    }
    if (e->op == SOP_CAST) {
        Interval a = env_expr(env, e->a);
        bool exact = false;
        (void)op_range(env, e, &exact);
        if (exact && (a.lo < r.lo || a.hi > r.hi)) {
            narrow(env, e->a, r);
        }
    }
}

static void
add_fact(Env *env, ExprId id, Interval r)
{
    EnvChange c = {env->facts.n, true, r};
    VEC_PUSH(env->arena, &env->trail, c);
    VEC_PUSH(env->arena, &env->facts, (EnvFact){id, r});
    env->epoch++;
}

static void
narrow(Env *env, ExprId id, Interval r)
{
    const Expr *e = ir_expr(env->k, id);
    Interval now = env_expr(env, id);
    Interval both;
    if (!interval_meet(now, r, &both)) {
        env->dead = true;
    } else if (e->kind == EX_REG) {
        set_cell(env, e->a, both);
    } else if (e->kind == EX_VAR) {
        set_cell(env, env->nregs + e->a, both);
    } else if (e->kind == EX_OP) {
        add_fact(env, id, both);
        narrow_dividend(env, e, both);
    }
}

void
env_assume_least(Env *env, ExprId e, int64_t lo)
{
    if (ir_expr(env->k, e)->dtype != DT_U64 || env_expr(env, e).lo >= 0) {
        narrow(env, e, interval_between(lo, INT64_MAX));
    }
}

static int64_t
clamp_neg(int64_t v)
{
    return v == INT64_MIN ? INT64_MAX : -v;
}

/* Returns the least that a sum can be without its term i. */
static int64_t
least_without(const Env *env, const Affine *sum, int i)
{
    int64_t least = sum->constant;
    for (int j = 0; j < sum->n; j++) {
        if (j != i) {
            Interval r = env_expr(env, sum->atom[j]);
            int64_t f = sum->factor[j];
            least = sat_add(least, sat_mul(f > 0 ? r.lo : r.hi, f));
        }
    }
    return least;
}

/* Given sum <= 0, each atom is bounded by the least that the others can be. */
static void
assume_not_positive(Env *env, const Affine *sum)
{
    for (int i = 0; i < sum->n; i++) {
        int64_t least = least_without(env, sum, i);
        if (least == INT64_MIN || least == INT64_MAX) {
            continue;
        }
        int64_t bound = clamp_neg(least);
        int64_t f = sum->factor[i];
        Interval limit = f > 0 ? interval_between(INT64_MIN, div_floor(bound, f))
                               : interval_between(div_ceil(bound, f), INT64_MAX);
        narrow(env, sum->atom[i], limit);
    }
    if (sum->n == 0 && sum->constant > 0) {
        env->dead = true;
    }
}

static void
assume_less(Env *env, const Affine *a, const Affine *b, int64_t slack)
{
    Affine d;
    if (affine_sub(a, b, &d) && checked_add(d.constant, slack, &d.constant)) {
        assume_not_positive(env, &d);
    }
}

static void
assume_unequal(Env *env, const Affine *a, const Affine *b)
{
    Affine d;
    if (!affine_sub(a, b, &d) || d.n != 1 || (d.factor[0] != 1 && d.factor[0] != -1)) {
        return;
    }
    int64_t hole = d.factor[0] == 1 ? clamp_neg(d.constant) : d.constant;
    Interval r = env_expr(env, d.atom[0]);
    if (interval_is_const(r) && r.lo == hole) {
        env->dead = true;
    } else if (r.lo == hole) {
        narrow(env, d.atom[0], interval_between(hole + 1, INT64_MAX));
    } else if (r.hi == hole) {
        narrow(env, d.atom[0], interval_between(INT64_MIN, hole - 1));
    }
}

static ScalarOp
opposite(ScalarOp op)
{
    switch (op) {
    case SOP_EQ:
        return SOP_NE;
    case SOP_NE:
        return SOP_EQ;
    case SOP_LT:
        return SOP_GE;
    case SOP_LE:
        return SOP_GT;
    case SOP_GT:
        return SOP_LE;
    case SOP_GE:
        return SOP_LT;
    default:
        UNREACHABLE();
    }
}

static void
narrow_sum(Env *env, ExprId e, int64_t lo, int64_t hi)
{
    if (ir_expr(env->k, e)->kind == EX_OP) {
        narrow(env, e, interval_between(lo, hi));
    }
}

/* Given x + slack <= y for two sums, not only their atoms but the sums themselves are
 * bounded. */
static void
bound_sums(Env *env, ExprId x, ExprId y, int64_t slack)
{
    int64_t most = env_expr(env, y).hi, least = env_expr(env, x).lo;
    narrow_sum(env, x, INT64_MIN, sat_add(most, -slack));
    narrow_sum(env, y, sat_add(least, slack), INT64_MAX);
}

static void
assume_compare(Env *env, ScalarOp op, ExprId x, ExprId y)
{
    Dtype t = (Dtype)ir_expr(env->k, x)->dtype;
    Affine a, b;
    bool ordered = t != DT_U64 || (env_expr(env, x).lo >= 0 && env_expr(env, y).lo >= 0);
    if (!ordered || !env_affine(env, x, &a) || !env_affine(env, y, &b)) {
        return;
    }
    switch (op) {
    case SOP_EQ:
        assume_less(env, &a, &b, 0);
        assume_less(env, &b, &a, 0);
        break;
    case SOP_NE:
        assume_unequal(env, &a, &b);
        break;
    case SOP_LT:
        assume_less(env, &a, &b, 1);
        bound_sums(env, x, y, 1);
        break;
    case SOP_LE:
        assume_less(env, &a, &b, 0);
        bound_sums(env, x, y, 0);
        break;
    case SOP_GT:
        assume_less(env, &b, &a, 1);
        bound_sums(env, y, x, 1);
        break;
    case SOP_GE:
        assume_less(env, &b, &a, 0);
        bound_sums(env, y, x, 0);
        break;
    default:
        break;
    }
}

void
env_assume(Env *env, ExprId cond, bool outcome)
{
    const Expr *e = ir_expr(env->k, cond);
    Interval r = env_expr(env, cond);
    if (interval_is_const(r)) {
        env->dead = env->dead || (r.lo != 0) != outcome;
        return;
    }
    if (e->kind != EX_OP) {
        narrow(env, cond, interval_const(outcome));
        return;
    }
    ScalarOp op = (ScalarOp)e->op;
    if (scalar_is_compare(op)) {
        assume_compare(env, outcome ? op : opposite(op), e->a, e->b);
    } else if (e->dtype == DT_BOOL && op == (outcome ? SOP_AND : SOP_OR)) {
        env_assume(env, e->a, outcome);
        env_assume(env, e->b, outcome);
    } else if (e->dtype == DT_BOOL && op == SOP_NOT) {
        env_assume(env, e->a, !outcome);
    } else if (e->dtype == DT_BOOL && op == SOP_CAST) {
        Affine a;
        Affine zero = {0};
        if (!env_affine(env, e->a, &a)) {
            return;
        }
        if (outcome) {
            assume_unequal(env, &a, &zero);
        } else {
            narrow(env, e->a, interval_const(0));
        }
    }
}
