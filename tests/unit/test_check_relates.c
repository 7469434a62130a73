/* test_check_relates.c: compares what provers take for granted of the rules of families
 * (rules/internal.h) with the rules themselves, for every instruction, on random numbers:
 * - a rule on one number in the direction ALONE (require.def)
 *   gives the same answer whatever the other numbers are, so that their being unknown
 *   cannot change it;
 * - it allows an interval: what holds at both ends holds between them;
 * - bounds that hold also hold for smaller numbers, as far as those are within their
 *   ranges; that is not so for slices, whose elements have places of their own, and there
 *   what is checked at the corners (check_bounds_between) holds;
 * - check_static says the same whatever numbers, masks, offsets and roots are. */
#include "rules/internal.h"
#include "rules/require.h"
#include "rules/shape.h"
#include "random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

enum {
    TRIES =
        /* random operands that are drawn for an instruction; most are refused at once */
        20000,
    DRAWN = 4,  /* accepted operands that are tried */
    DRAWS = 400 /* numbers that are drawn for each of them */
};

static uint64_t state_of_random = 20240917;

static int64_t
rnd(int64_t n)
{
    return random_below(&state_of_random, n);
}

static bool
is_number(const ParamInfo *p)
{
    return p->role == ROLE_INT || p->role == ROLE_REPEAT;
}

/* Returns a number that is mostly small, sometimes anything legal. */
static int64_t
draw_number(const ParamInfo *p)
{
    int64_t room, small = 12;
    if (p->rule == RULE_NONE) { /* the number has no range of its own */
        return rnd(20);
    }
    if (__builtin_sub_overflow(p->hi, p->lo, &room) || room > 1 << 30) {
        room = 1 << 30;
    }
    return p->lo + rnd((rnd(5) && room > small ? small : room) + 1);
}

static void
draw_arg(CheckInstr *in, const ParamInfo *p, int i, Dtype common)
{
    static const Scope scopes[] = {SC_UB, SC_GM, SC_L1, SC_L0A, SC_L0B, SC_L0C};
    CheckArg *a = &in->args[i];
    *a = (CheckArg){.literal = false};
    if (p->role == ROLE_DST || p->role == ROLE_SRC) {
        Dtype t = rnd(3) ? common : (Dtype)(1 + rnd(DT_COUNT - 1));
        a->t = (CheckTensor){(uint32_t)i, scopes[rnd(4) ? 0 : rnd(6)], t, .bytes = 8192};
        return;
    }
    if (p->role == ROLE_MASK) {
        a->m = (CheckMask){MASK_COUNT, {1 + (uint64_t)rnd(16), 0, 0, 0}};
        return;
    }
    a->v = p->role == ROLE_ATTR ? rnd(4) : is_number(p) ? draw_number(p) : 0;
}

/* Draws operands that the rules without values accept. */
static bool
draw_shape(CheckInstr *in, Op op, const ParamInfo *p, int n)
{
    static const char *const socs[] = {"Ascend310P3", "Ascend910A",    "Ascend910B1",
                                       "Ascend310B1", "Ascend610Lite", "Ascend031"};
    Fault ignored;
    in->op = op;
    in->choices = NULL;
    in->soc = soc_find(socs[rnd(6)]);
    Dtype common = (Dtype)(1 + rnd(DT_COUNT - 1));
    for (int i = 0; i < n; i++) {
        draw_arg(in, &p[i], i, common);
    }
    return check_static(in, &ignored);
}

static bool
holds(const CheckInstr *in, CheckStep step)
{
    Fault f;
    return check_step(in, step, &f);
}

/* Tries that the rule allows an interval, and that it depends on nothing else. */
static const char *
try_value(const CheckInstr *in, const ParamInfo *p, int n, CheckStep step)
{
    CheckInstr other = *in;
    for (int i = 0; i < n; i++) {
        if (i != step.param && is_number(&p[i])) {
            other.args[i].v = draw_number(&p[i]);
        }
    }
    if (holds(in, step) != holds(&other, step)) {
        return "depends on other numbers and does not say so";
    }
    int64_t a = draw_number(&p[step.param]), b = draw_number(&p[step.param]);
    CheckInstr ends[3] = {*in, *in, *in};
    ends[0].args[step.param].v = a;
    ends[1].args[step.param].v = b;
    ends[2].args[step.param].v = a < b ? a + rnd(b - a + 1) : b + rnd(a - b + 1);
    return holds(&ends[0], step) && holds(&ends[1], step) && !holds(&ends[2], step)
               ? "allows no interval"
               : NULL;
}

/* True if all rules hold that are checked before bounds. */
static bool
numbers_hold(const CheckInstr *in)
{
    CheckStep steps[MAX_CHECK_STEPS];
    int n = check_steps(in->op, steps);
    for (int i = 0; i < n; i++) {
        bool number = steps[i].kind == CHECK_RANGE || steps[i].kind == CHECK_VALUE;
        if ((number || steps[i].kind == CHECK_MASK) && !holds(in, steps[i])) {
            return false;
        }
    }
    return true;
}

/* Bounds that are said to hold between two ends must hold there. */
static const char *
try_between(const CheckInstr *in, const ParamInfo *p, int n, CheckStep step)
{
    CheckInstr lo = *in, hi = *in, mid = *in, at;
    Fault f;
    for (int i = 0, varies = 0; i < n && varies < 4; i++) {
        if (is_number(&p[i]) && p[i].rule != RULE_NONE && rnd(4) == 0) {
            int64_t a = draw_number(&p[i]), b = draw_number(&p[i]);
            lo.args[i].v = a < b ? a : b;
            hi.args[i].v = a < b ? b : a;
            mid.args[i].v = lo.args[i].v + rnd(hi.args[i].v - lo.args[i].v + 1);
            varies++;
        }
    }
    bool applies = numbers_hold(&lo) && numbers_hold(&hi) && numbers_hold(&mid);
    if (!applies || !check_bounds_between(&lo, &hi, &at, step, NULL) ||
        check_step(&mid, step, &f)) {
        return NULL;
    }
    for (int i = 0; i < n; i++) {
        if (is_number(&p[i])) {
            printf("%s=%lld..%lld/%lld ", p[i].name, (long long)lo.args[i].v,
                   (long long)hi.args[i].v, (long long)mid.args[i].v);
        }
    }
    printf("%s\n", f.text);
    return "bounds break between two ends where they hold";
}

/* Tries smaller numbers; those without a range of their own are 0 where the prover looks,
 * and then have any value. */
static const char *
try_bounds(const CheckInstr *in, const ParamInfo *p, int n, CheckStep step)
{
    CheckInstr most = *in, less = *in;
    for (int i = 0; i < n; i++) {
        if (is_number(&p[i]) && p[i].rule == RULE_NONE) {
            most.args[i].v = 0;
        } else if (is_number(&p[i]) && in->args[i].v > p[i].lo) {
            less.args[i].v = p[i].lo + rnd(in->args[i].v - p[i].lo + 1);
        }
    }
    bool applies = numbers_hold(&most) && numbers_hold(&less) && holds(&most, step);
    Fault f;
    if (!applies || check_step(&less, step, &f)) {
        return NULL;
    }
    for (int i = 0; i < n; i++) {
        if (is_number(&p[i])) {
            printf("%s=%lld/%lld ", p[i].name, (long long)most.args[i].v,
                   (long long)less.args[i].v);
        }
    }
    printf("%s\n", f.text);
    return "bounds break for smaller numbers";
}

static const char *
try_step(const CheckInstr *in, const ParamInfo *p, int n, CheckStep step)
{
    bool irregular = check_is_irregular(in);
    if (step.kind == CHECK_VALUE && is_number(&p[step.param]) &&
        require_direction(in->op, step.param) == DIRECTION_ALONE) {
        return try_value(in, p, n, step);
    }
    if (step.kind != CHECK_BOUNDS || irregular) {
        return NULL;
    }
    const char *wrong = try_between(in, p, n, step);
    bool corners = form_slice(op_table[in->op].form, step.param) != NULL;
    return wrong != NULL || corners ? wrong : try_bounds(in, p, n, step);
}

/* Returns whether check_static says the same of other numbers, words of masks and places,
 * of literals and others. */
static bool
try_static(const CheckInstr *in, const ParamInfo *p, int n)
{
    Fault f;
    CheckInstr a = *in;
    for (int i = 0; i < n; i++) {
        a.args[i].literal = rnd(2);
    }
    if (!check_static(&a, &f)) {
        return true;
    }
    for (int i = 0; i < n; i++) {
        CheckArg *x = &a.args[i];
        bool kept = x->literal && check_family(a.op)->asks_literals;
        if ((is_number(&p[i]) || p[i].role == ROLE_SCALAR) && !kept) {
            x->v = rnd(3) ? draw_number(&p[i]) : rnd(2) ? -1 - rnd(9) : INT64_MAX;
        } else if (p[i].role == ROLE_MASK) {
            x->m.w[0] = (uint64_t)rnd(300);
        } else if (p[i].role == ROLE_DST || p[i].role == ROLE_SRC) {
            x->t.offset = rnd(4096) - 32;
            x->t.buffer = shape_has(a.op) ? (uint32_t)rnd(2) : x->t.buffer;
        }
    }
    return check_static(&a, &f);
}

static int
try_shape(CheckInstr *in, const ParamInfo *p, int n)
{
    CheckStep steps[MAX_CHECK_STEPS];
    int nsteps = check_steps(in->op, steps);
    for (int draw = 0; draw < DRAWS; draw++) {
        for (int i = 0; i < n; i++) {
            if (is_number(&p[i])) {
                in->args[i].v = draw_number(&p[i]);
            }
        }
        if (!try_static(in, p, n)) {
            printf("%s on %s: check_static asks for numbers\n", op_table[in->op].name,
                   in->soc->name);
            return 1;
        }
        for (int s = 0; s < nsteps; s++) {
            const char *wrong = try_step(in, p, n, steps[s]);
            if (wrong != NULL) {
                printf("%s on %s: the rule on %s %s\n", op_table[in->op].name,
                       in->soc->name, p[steps[s].param].name, wrong);
                return 1;
            }
        }
    }
    return 0;
}

static void
contracts(void **state)
{
    (void)state;
    int wrong = 0, met = 0;
    for (Op op = 0; op < OP_COUNT; op++) {
        int n, shapes = 0;
        CheckInstr in;
        const ParamInfo *p = form_params(op_table[op].form, &n);
        for (int i = 0; i < TRIES && shapes < DRAWN; i++) {
            if (draw_shape(&in, op, p, n)) {
                shapes++;
                wrong += try_shape(&in, p, n);
            }
        }
        met += shapes > 0;
        if (getenv("TIK_SHOW") != NULL && shapes == 0) {
            printf("%s: no operands found\n", op_table[op].name);
        }
    }
    printf("%d of %d instructions, %d rules broken\n", met, OP_COUNT, wrong);
    assert_int_equal(wrong, 0);
    assert_true(met * 10 > OP_COUNT * 7);
}

/* Of more numbers that differ than have all their corners tried, nothing is said to
 * hold. */
static void
many_numbers(void **state)
{
    (void)state;
    int met = 0;
    for (Op op = 0; op < OP_COUNT; op++) {
        int n, differ = 0;
        const ParamInfo *p = form_params(op_table[op].form, &n);
        CheckInstr lo = {.op = op, .soc = soc_find("Ascend310P3")}, at;
        for (int i = 0; i < n; i++) {
            lo.args[i].t.bytes = 1 << 20;
        }
        CheckInstr hi = lo;
        for (int i = 0; i < n && differ < 7; i++) {
            hi.args[i].v = is_number(&p[i]);
            differ += is_number(&p[i]);
        }
        for (int i = 0; i < n && differ == 7; i++) {
            const FamilyRules *rules = check_family(op);
            if (rules->bounds_corners != NULL && rules->bounds_corners(op, i)) {
                met++;
                assert_false(check_bounds_between(&lo, &hi, &at,
                                                  (CheckStep){CHECK_BOUNDS, i}, NULL));
            }
        }
    }
    assert_true(met > 0);
}

/* With a counter the repeats are as many as its elements need. */
static void
repeats_of_counters(void **state)
{
    (void)state;
    static const int64_t counts[][2] = {{1, 1},   {127, 1}, {128, 1}, {129, 2},
                                        {255, 2}, {256, 2}, {257, 3}};
    int n, mask = form_first(op_table[OP_VEC_ADDS].form, ROLE_MASK);
    CheckInstr in = {.op = OP_VEC_ADDS, .soc = soc_find("Ascend310P3")};
    (void)form_params(op_table[OP_VEC_ADDS].form, &n);
    for (int i = 0; i < n; i++) {
        in.args[i].t.dtype = DT_F16;
    }
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        in.args[mask].m = (CheckMask){MASK_COUNTER, {(uint64_t)counts[i][0]}};
        assert_int_equal(check_repeats(&in), counts[i][1]);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contracts),
        cmocka_unit_test(many_numbers),
        cmocka_unit_test(repeats_of_counters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
