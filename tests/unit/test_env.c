/* test_env.c: compares what is known of registers, variables and expressions
 * (analysis/env.h) with all values that they have. Random programs of assignments,
 * conditions and branches are executed from every state of a small world: each value of
 * each expression is in its range, a point that is dead is reached by no state, and a sum
 * has the value of its expression. So that ranges also say something, those that are as
 * small as they can be are counted, and points that are dead where no state comes: of
 * each kind of program no fewer than there were when this was written. The round of a
 * program that fails is printed. */
#include "analysis/env.h"
#include "random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

enum {
    ROUNDS = 80, /* of each type */
    REGS = 2,
    MOST_STATES = 1024,
    POOL = 24,
    STEPS = 4
};

static uint64_t state_of_random;

static int
rnd(int n)
{
    return (int)random_below(&state_of_random, n);
}

typedef struct State {
    int64_t reg[REGS + 1], var;
} State;

typedef struct States {
    int n;
    State s[MOST_STATES];
} States;

typedef struct World {
    Unit u;
    Kernel *k;
    Env env;
    Dtype t;
    RegId reg[REGS];
    VarId var;
    ExprId pool[POOL]; /* integers; registers and the variable first */
    int npool;
    ExprId unset[2]; /* a register and a variable that no program sets */
    ExprId cond[POOL];
    int ncond;
    int ranges, tight,
        strides;     /* ranges that were asked for; no end, no step could be less */
    int ends, found; /* points without states; those known to be dead */
} World;

/* ---- execution ----------------------------------------------------------- */

static int64_t
eval(const World *w, const State *s, ExprId id)
{
    const Expr *e = ir_expr(w->k, id);
    if (e->kind == EX_CONST) {
        return e->imm;
    }
    if (e->kind == EX_REG) {
        return s->reg[e->a == w->reg[0] ? 0 : 1];
    }
    if (e->kind == EX_VAR) {
        return s->var;
    }
    int64_t out = 0, b = e->b != 0 ? eval(w, s, e->b) : 0;
    Dtype from = (Dtype)ir_expr(w->k, e->a)->dtype;
    Dtype t = scalar_is_compare((ScalarOp)e->op) ? from : (Dtype)e->dtype;
    assert_true(scalar_eval((ScalarOp)e->op, t, from, eval(w, s, e->a), b, &out));
    return out;
}

static bool
holds(Interval r, int64_t v)
{
    return v >= r.lo && v <= r.hi && (r.mod == 0 ? v == r.rem : (v - r.rem) % r.mod == 0);
}

/* ---- random programs ----------------------------------------------------- */

static void
begin(World *w, Dtype t, uint32_t round)
{
    state_of_random = round * 7919u + 1;
    unit_init(&w->u);
    Kernel *k = w->k = kernel_new(&w->u);
    w->t = t;
    w->npool = w->ncond = 0;
    for (int i = 0; i < REGS; i++) {
        w->reg[i] = ir_reg(k, intern(&w->u.names, i == 0 ? "x" : "y"), t, (Span){0});
        w->pool[w->npool++] = ir_reg_value(k, w->reg[i]);
    }
    w->var = ir_var(k, intern(&w->u.names, "i"), t);
    w->pool[w->npool++] = ir_var_value(k, w->var);
    w->unset[0] = ir_reg_value(k, ir_reg(k, intern(&w->u.names, "z"), t, (Span){0}));
    w->unset[1] = ir_var_value(k, ir_var(k, intern(&w->u.names, "j"), t));
}

static ExprId
any(const World *w)
{
    return w->pool[rnd(w->npool)];
}

static ExprId
small(const World *w)
{
    return ir_const(w->k, w->t, rnd(6) + (dtype_kind(w->t) == KIND_SINT ? -2 : 0));
}

static void
make_values(World *w)
{
    static const ScalarOp ops[] = {SOP_ADD, SOP_SUB, SOP_ADD, SOP_SUB, SOP_MUL, SOP_SHL};
    bool sint = dtype_kind(w->t) == KIND_SINT;
    while (w->npool < POOL) {
        ExprId a = any(w), b = rnd(2) ? any(w) : small(w);
        int what = rnd(10);
        ExprId e = 0;
        if (ir_expr(w->k, a)->size + ir_expr(w->k, b)->size > 9) {
            continue;
        }
        if (what < 6) {
            ScalarOp op = ops[rnd(6)];
            b = op >= SOP_MUL ? ir_const(w->k, w->t, 1 + rnd(3)) : b;
            e = op == SOP_SUB && !sint ? ir_op2(w->k, SOP_ADD, a, b)
                                       : ir_op2(w->k, op, a, b);
        } else if (what < 8) {
            ExprId by = ir_const(w->k, w->t, 2 + rnd(3));
            e = ir_op2(w->k, what == 6 ? SOP_REM : SOP_DIV, a, by);
        } else if (what == 8 && sint) {
            e = ir_op1(w->k, SOP_NEG, a);
        } else {
            Dtype other = w->t == DT_S32 ? DT_S64 : DT_S32;
            e = ir_cast(w->k, w->t, ir_cast(w->k, sint ? other : DT_U8, a));
        }
        w->pool[w->npool++] = e;
    }
}

static void
make_conditions(World *w)
{
    while (w->ncond < POOL) {
        int what = w->ncond < 4 ? rnd(6) : rnd(10);
        ExprId e = 0;
        if (what < 7) {
            ScalarOp op = (ScalarOp)(SOP_EQ + rnd(6));
            e = ir_op2(w->k, op, any(w), rnd(2) ? any(w) : small(w));
        } else if (what == 7) {
            e = ir_op1(w->k, SOP_NOT, w->cond[rnd(w->ncond)]);
        } else if (what == 8) {
            e = ir_op2(w->k, rnd(2) ? SOP_AND : SOP_OR, w->cond[rnd(w->ncond)],
                       w->cond[rnd(w->ncond)]);
        } else {
            e = ir_cast(w->k, DT_BOOL, any(w));
        }
        w->cond[w->ncond++] = e;
    }
}

/* The states of the start: all combinations of what each cell may have. */
static void
first_states(World *w, States *out)
{
    env_init(&w->env, w->k, &w->u.arena);
    int64_t lo[3], step[3], n[3];
    for (int i = 0; i < 3; i++) {
        lo[i] = dtype_kind(w->t) == KIND_SINT || rnd(6) == 0 ? rnd(7) - 4 : rnd(3);
        step[i] = 1 + rnd(5) / 2;
        n[i] = 1 + rnd(8);
        Interval r = interval_between(lo[i], lo[i] + (n[i] - 1) * step[i]);
        r = n[i] == 1 ? r : (Interval){r.lo, r.hi, step[i], mod_floor(lo[i], step[i])};
        if (i < REGS) {
            env_set_reg(&w->env, w->reg[i], r);
        } else {
            env_set_var(&w->env, w->var, r);
        }
    }
    out->n = 0;
    for (int64_t i = 0; i < n[0] * n[1] * n[2]; i++) {
        out->s[out->n++] =
            (State){{lo[0] + i % n[0] * step[0], lo[1] + i / n[0] % n[1] * step[1], 0},
                    lo[2] + i / (n[0] * n[1]) * step[2]};
    }
}

/* ---- comparing ----------------------------------------------------------- */

/* Returns the distance of two numbers, modulo 2^64. */
static int64_t
difference(int64_t a, int64_t b)
{
    return (int64_t)(a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a);
}

static void
compare_one(World *w, const States *s, ExprId e)
{
    Affine sum;
    Interval r = env_expr(&w->env, e), better = env_range(&w->env, e);
    memset(&sum, 0x5a, sizeof sum); /* what is there before makes no difference */
    bool is_sum = env_affine(&w->env, e, &sum);
    int64_t lo = INT64_MAX, hi = INT64_MIN, first = eval(w, &s->s[0], e), apart = 0;
    for (int i = 0; i < s->n; i++) {
        int64_t v = eval(w, &s->s[i], e);
        uint64_t total = (uint64_t)sum.constant;
        for (int j = 0; is_sum && j < sum.n; j++) {
            total += (uint64_t)sum.factor[j] * (uint64_t)eval(w, &s->s[i], sum.atom[j]);
        }
        assert_true(holds(r, v));
        assert_true(holds(better, v));
        assert_true(!is_sum || total == (uint64_t)v);
        lo = MIN(lo, v);
        hi = MAX(hi, v);
        apart = gcd(apart, difference(v, first));
    }
    w->ranges++;
    w->tight += better.lo == lo && better.hi == hi;
    w->strides += better.mod == apart;
}

/* What nothing sets has any value of its type. */
static void
compare_unset(const World *w)
{
    Interval all = interval_of_type(w->t), reg = env_expr(&w->env, w->unset[0]),
             var = env_expr(&w->env, w->unset[1]);
    assert_memory_equal(&reg, &all, sizeof all);
    assert_memory_equal(&var, &all, sizeof all);
}

static void
compare(World *w, const States *s)
{
    compare_unset(w);
    if (s->n == 0) {
        w->ends++;
        w->found += w->env.dead;
        return;
    }
    assert_false(w->env.dead);
    for (int i = 0; i < w->npool; i++) {
        compare_one(w, s, w->pool[i]);
    }
    for (int i = 0; i < w->ncond; i++) {
        compare_one(w, s, w->cond[i]);
    }
}

static void step(World *w, States *s, int depth);

static void
assume(World *w, States *s, ExprId cond, bool outcome)
{
    int n = 0;
    for (int i = 0; i < s->n; i++) {
        if ((eval(w, &s->s[i], cond) != 0) == outcome) {
            s->s[n++] = s->s[i];
        }
    }
    s->n = n;
    env_assume(&w->env, cond, outcome);
}

static void
assume_least(World *w, States *s)
{
    ExprId e = any(w);
    int64_t least = rnd(8) - 2;
    int n = 0;
    for (int i = 0; i < s->n; i++) {
        if (eval(w, &s->s[i], e) >= least) {
            s->s[n++] = s->s[i];
        }
    }
    s->n = n;
    env_assume_least(&w->env, e, least);
}

static EnvState
side(World *w, States *s, ExprId cond, bool outcome, int depth)
{
    EnvMark mark = env_mark(&w->env);
    assume(w, s, cond, outcome);
    compare(w, s);
    for (int i = rnd(3); i > 0; i--) {
        step(w, s, depth + 1);
    }
    return env_leave(&w->env, mark);
}

static void
branch(World *w, States *s, int depth)
{
    ExprId cond = w->cond[rnd(w->ncond)];
    States *other = malloc(sizeof *other);
    assert_non_null(other);
    *other = *s;
    EnvState then_state = side(w, s, cond, true, depth);
    EnvState else_state = side(w, other, cond, false, depth);
    env_join(&w->env, &then_state, &else_state);
    for (int i = 0; i < other->n; i++) {
        s->s[s->n++] = other->s[i];
    }
    free(other);
}

static void
assign(World *w, States *s)
{
    int reg = rnd(REGS);
    ExprId value = any(w);
    env_set_reg(&w->env, w->reg[reg], env_range(&w->env, value));
    for (int i = 0; i < s->n; i++) {
        s->s[i].reg[reg] = eval(w, &s->s[i], value);
    }
}

static void
step(World *w, States *s, int depth)
{
    int what = rnd(depth < 2 ? 5 : 2);
    if (what == 0) {
        assign(w, s);
    } else if (what == 4) {
        assume_least(w, s);
    } else if (what == 1) {
        assume(w, s, w->cond[rnd(w->ncond)], rnd(2));
    } else {
        branch(w, s, depth);
    }
    compare(w, s);
}

static void
execute(World *w, Dtype t, uint32_t round)
{
    States *s = malloc(sizeof *s);
    assert_non_null(s);
    begin(w, t, round);
    make_values(w);
    make_conditions(w);
    first_states(w, s);
    compare(w, s);
    for (int i = 0; i < STEPS; i++) {
        step(w, s, 0);
    }
    kernel_free(w->k);
    unit_free(&w->u);
    free(s);
}

static void
programs(Dtype t, int tight, int strides, int found)
{
    World *w = calloc(1, sizeof *w);
    assert_non_null(w);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        execute(w, t, round);
    }
    print_message("%s: of %d ranges %d are tight, %d with their step; %d of %d dead\n",
                  dtype_name(t), w->ranges, w->tight, w->strides, w->found, w->ends);
    assert_true(w->tight >= tight);
    assert_true(w->strides >= strides);
    assert_true(w->found >= found);
    free(w);
}

static void
of_int32(void **state)
{
    (void)state;
    programs(DT_S32, 24550, 25848, 592);
}

static void
of_uint64(void **state)
{
    (void)state;
    programs(DT_U64, 23807, 25023, 604);
}

static void
of_int8(void **state)
{
    (void)state;
    programs(DT_S8, 24582, 26085, 582);
}

/* A sum of more terms than there is room for becomes one term of a new sum. One that is
 * too large to be split is a term, and so is a float, which is no sum. */
static void
sums_without_room(void **state)
{
    (void)state;
    Unit u;
    Env env;
    Affine sum;
    unit_init(&u);
    Kernel *k = kernel_new(&u);
    RegId first = ir_reg(k, intern(&u.names, "x"), DT_S64, (Span){0});
    ExprId e = ir_op2(k, SOP_ADD, ir_reg_value(k, first), ir_const(k, DT_S64, 5));
    env_init(&env, k, &u.arena);
    env_set_reg(&env, first, interval_between(0, 3));
    for (int n = 1; n < 150; n++) {
        memset(&sum, 0x5a, sizeof sum);
        assert_true(env_affine(&env, e, &sum));
        bool split = ir_expr(k, e)->size <= 128;
        assert_int_equal(sum.n, split ? (n - 1) % AFFINE_TERMS + 1 : 1);
        assert_int_equal(sum.constant, n <= AFFINE_TERMS ? 5 : 0);
        assert_int_equal(sum.factor[0], 1);
        RegId more = ir_reg(k, intern(&u.names, "y"), DT_S64, (Span){0});
        env_set_reg(&env, more, interval_between(0, 3));
        e = ir_op2(k, SOP_ADD, e, ir_reg_value(k, more));
    }
    RegId real = ir_reg(k, intern(&u.names, "f"), DT_F32, (Span){0});
    memset(&sum, 0x5a, sizeof sum);
    assert_false(env_affine(&env, ir_reg_value(k, real), &sum));
    assert_int_equal(sum.n, 1);
    assert_int_equal(sum.constant, 0);
    kernel_free(k);
    unit_free(&u);
}

/* A factor that does not fit is no sum. */
static void
factors_overflow(void **state)
{
    (void)state;
    Affine a = {.n = 0};
    assert_true(affine_add_term(&a, 5, INT64_MAX));
    assert_false(affine_add_term(&a, 5, 1));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_overflow), cmocka_unit_test(sums_without_room),
        cmocka_unit_test(of_int32),         cmocka_unit_test(of_uint64),
        cmocka_unit_test(of_int8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
