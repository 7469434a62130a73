/* test_interval.c: compares intervals with brute force: for small types every operation
 * on every pair of values of two random intervals gives a value of the interval of the
 * result. */
#include "num/scalar_interval.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static uint32_t seed = 12345;

static uint32_t
rnd(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)(seed >> 4) * n) >> 28);
}

static bool
holds(Interval r, int64_t v)
{
    if (v < r.lo || v > r.hi) {
        return false;
    }
    return r.mod == 0 ? v == r.rem : ((v - r.rem) % r.mod) == 0;
}

static void
assert_shape(Interval r)
{
    assert_true(r.lo <= r.hi);
    if (r.mod == 0) {
        assert_true(r.lo == r.hi && r.rem == r.lo);
    } else {
        assert_true(r.lo < r.hi && r.rem >= 0 && r.rem < r.mod);
        assert_true(mod_floor(r.lo, r.mod) == r.rem && mod_floor(r.hi, r.mod) == r.rem);
    }
}

static Interval
binary(ScalarOp op, Dtype t, Interval a, Interval b, bool *exact)
{
    ScalarIntervals in = {t, t, a, b};
    return scalar_interval(op, &in, exact);
}

static Interval
unary(ScalarOp op, Dtype t, Dtype from, Interval a, bool *exact)
{
    ScalarIntervals in = {t, from, a, a};
    return scalar_interval(op, &in, exact);
}

static Interval
random_range(Dtype t)
{
    Interval top = interval_of_type(t);
    int64_t width = top.hi - top.lo + 1;
    int64_t lo = top.lo + rnd((uint32_t)width);
    int64_t hi = lo + rnd((uint32_t)(top.hi - lo + 1));
    if (rnd(3) == 0) {
        hi = lo + rnd((uint32_t)(top.hi - lo < 5 ? top.hi - lo + 1 : 5));
    }
    Interval r = interval_between(lo, hi);
    if (rnd(2) && lo < hi) {
        int64_t m = 1 + rnd(12);
        Interval c = interval_stepped(INT64_MIN, INT64_MAX, m, rnd((uint32_t)m));
        Interval met;
        if (interval_meet(r, c, &met)) {
            r = met;
        }
    }
    return r;
}

static void
check_pair(ScalarOp op, Dtype t, Interval a, Interval b)
{
    bool exact;
    Interval r = binary(op, t, a, b, &exact);
    assert_shape(r);
    for (int64_t x = a.lo; x <= a.hi; x++) {
        for (int64_t y = b.lo; y <= b.hi; y += 1 + rnd(3)) {
            int64_t v;
            if (!holds(a, x) || !holds(b, y) || !scalar_eval(op, t, t, x, y, &v)) {
                continue;
            }
            if (!holds(r, v)) {
                fail_msg(
                    "%s %s: %lld op %lld = %lld is not in [%lld, %lld] %lld mod %lld",
                    dtype_name(t), scalar_op_table[op].name, (long long)x, (long long)y,
                    (long long)v, (long long)r.lo, (long long)r.hi, (long long)r.rem,
                    (long long)r.mod);
            }
            if (exact && op <= SOP_MUL) {
                assert_true(v == (op == SOP_ADD ? x + y : op == SOP_SUB ? x - y : x * y));
            }
        }
    }
}

static void
binary_operations(void **state)
{
    (void)state;
    static const Dtype types[] = {DT_U8, DT_S8, DT_BOOL};
    for (int i = 0; i < 12000; i++) {
        Dtype t = types[rnd(20) == 0 ? 2 : rnd(2)];
        ScalarOp op = (ScalarOp)rnd(SOP_COUNT);
        if (scalar_op_table[op].arity != 2 || (t == DT_BOOL && op < SOP_AND)) {
            continue;
        }
        Interval a = random_range(t);
        Interval b = rnd(3) ? random_range(t) : interval_const(random_range(t).lo);
        check_pair(op, t, a, b);
    }
}

static void
unary_operations(void **state)
{
    (void)state;
    static const Dtype types[] = {DT_U8, DT_S8, DT_U16, DT_S16, DT_S64, DT_U64, DT_BOOL};
    for (int i = 0; i < 20000; i++) {
        Dtype from = types[rnd(2)];
        Dtype t = types[rnd(7)];
        ScalarOp op = rnd(4) == 0 ? SOP_NOT : rnd(3) == 0 ? SOP_NEG : SOP_CAST;
        if (op != SOP_CAST) {
            t = from;
        }
        Interval a = random_range(from);
        bool exact;
        Interval r = unary(op, t, from, a, &exact);
        assert_shape(r);
        for (int64_t x = a.lo; x <= a.hi; x++) {
            int64_t v;
            if (holds(a, x) && scalar_eval(op, t, from, x, 0, &v)) {
                assert_true(holds(r, v));
                assert_true(!exact || op == SOP_NOT || v == (op == SOP_NEG ? -x : x));
            }
        }
    }
}

/* Registers of a program have no types: a value may be one that its operation's type does
 * not have. */
static void
operands_of_any_type(void **state)
{
    (void)state;
    static const Dtype types[] = {DT_U8, DT_S8, DT_BOOL, DT_U16};
    for (int i = 0; i < 20000; i++) {
        ScalarOp op = (ScalarOp)rnd(SOP_COUNT);
        Dtype t = types[rnd(4)], from = op == SOP_BITS ? t : types[rnd(4)];
        Interval a = interval_between(-(int64_t)rnd(400), rnd(400));
        ScalarIntervals in = {t, from, a, interval_const((int64_t)rnd(9) - 4)};
        bool exact;
        if (op == SOP_CAST && t == from) {
            continue; /* blobs have none */
        }
        Interval r = scalar_interval_untyped(op, &in, &exact);
        assert_shape(r);
        for (int64_t x = a.lo; x <= a.hi; x++) {
            int64_t v;
            if (!scalar_eval(op, t, from, x, in.b.lo, &v) || holds(r, v)) {
                continue;
            }
            fail_msg("%s %s %s: %lld with %lld is %lld, not in [%lld, %lld]",
                     scalar_op_table[op].name, dtype_name(t), dtype_name(from),
                     (long long)x, (long long)in.b.lo, (long long)v, (long long)r.lo,
                     (long long)r.hi);
        }
    }
}

static void
lattice(void **state)
{
    (void)state;
    for (int i = 0; i < 5000; i++) {
        Interval a = random_range(DT_S8);
        Interval b = random_range(DT_S8);
        Interval j = interval_join(a, b);
        Interval m;
        bool some = interval_meet(a, b, &m);
        assert_shape(j);
        assert_shape(m);
        for (int64_t v = -128; v < 128; v++) {
            assert_true(!(holds(a, v) || holds(b, v)) || holds(j, v));
            assert_true(!(holds(a, v) && holds(b, v)) || (some && holds(m, v)));
        }
        for (int64_t s = -3; s < 4; s++) {
            Interval steps = scalar_interval_stepped(DT_S8, a, s);
            for (int64_t n = 0; n < 300; n++) {
                assert_true(holds(steps, scalar_wrap(DT_S8, a.lo + n * s)) ||
                            !holds(a, a.lo));
            }
        }
    }
}

/* The checks rely on these facts: multiples survive casts, and wide arithmetic never
 * overflows. */
static void
congruences(void **state)
{
    (void)state;
    Interval i = interval_between(0, 1000);
    Interval r = binary(SOP_MUL, DT_S32, i, interval_const(16), NULL);
    r = unary(SOP_CAST, DT_S64, DT_S32, r, NULL);
    r = binary(SOP_MUL, DT_S64, r, interval_const(2), NULL);
    assert_true(interval_is_multiple(r, 32));
    assert_int_equal(r.hi, 32000);
    r = binary(SOP_MUL, DT_S32, interval_of_type(DT_S32), interval_const(16), NULL);
    assert_true(interval_is_multiple(r, 16));
    assert_false(interval_is_multiple(r, 32));
    Interval top = interval_of_type(DT_S64);
    for (int op = 0; op < SOP_COUNT; op++) {
        if (scalar_op_table[op].arity == 2) {
            assert_shape(binary((ScalarOp)op, DT_S64, top, top, NULL));
            assert_shape(
                binary((ScalarOp)op, DT_U64, top, interval_const(INT64_MIN), NULL));
            assert_shape(binary((ScalarOp)op, DT_S64, interval_const(INT64_MIN),
                                interval_const(-1), NULL));
        }
    }
    assert_int_equal(div_floor(-7, 2), -4);
    assert_int_equal(div_ceil(-7, 2), -3);
    assert_int_equal(div_ceil(7, 2), 4);
}

/* Floor and ceiling are checked by their definition: q * b is the nearest multiple on
 * that side, whatever the signs. A ceiling that is one too high, or a floor one too low,
 * would make conditions imply more than they do. */
static void
quotients(void **state)
{
    (void)state;
    for (int64_t a = -40; a <= 40; a++) {
        for (int64_t b = -9; b <= 9; b++) {
            if (b == 0) {
                continue;
            }
            int64_t low = div_floor(a, b), high = div_ceil(a, b);
            int64_t under = a - low * b, over = high * b - a;
            assert_true(b > 0 ? under >= 0 && under < b : under <= 0 && under > b);
            assert_true(b > 0 ? over >= 0 && over < b : over <= 0 && over > b);
        }
    }
    assert_true(div_ceil(INT64_MAX, 2) == INT64_MAX / 2 + 1);
    assert_true(div_ceil(INT64_MIN, 3) == INT64_MIN / 3);
    assert_true(div_floor(INT64_MIN, 3) == INT64_MIN / 3 - 1);
    assert_true(div_ceil(INT64_MIN, -1) == INT64_MAX);
}

/* Every operation on sets of given shapes, of types of every width, gives only values in
 * the interval of its result. */
static void
sets_of_all_types(void **state)
{
    (void)state;
    static const Dtype types[] = {DT_U8, DT_S8, DT_S32, DT_U64, DT_S64, DT_BOOL};
    static const int64_t sets[][3] = {
        {0, 0, 1},   {1, 1, 1},   {2, 2, 1},   {3, 3, 1},    {-1, -1, 1},    {0, 5, 1},
        {0, 12, 4},  {-7, 5, 3},  {7, 7, 1},   {8, 8, 1},    {96, 127, 1},   {6, 26, 5},
        {-9, -3, 2}, {31, 31, 1}, {63, 64, 1}, {0, 255, 17}, {100, 300, 50}, {0, 1, 1}};
    const size_t n = sizeof sets / sizeof sets[0];
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
        Interval top = interval_of_type(types[t]);
        for (size_t i = 0; i < n * n; i++) {
            const int64_t *x = sets[i / n], *y = sets[i % n];
            Interval a = interval_stepped(x[0], x[1], x[2], x[0]);
            Interval b = interval_stepped(y[0], y[1], y[2], y[0]);
            if (!interval_inside(a, top) || !interval_inside(b, top)) {
                continue;
            }
            for (int op = 0; op < SOP_COUNT; op++) {
                if (op != SOP_CAST) { /* casts to the same type do not exist */
                    check_pair((ScalarOp)op, types[t], a, b);
                }
            }
        }
    }
}

static void
casts_keep_or_give_up(void **state)
{
    (void)state;
    Interval a = interval_stepped(-4, 8, 4, 0);
    Interval r = unary(SOP_CAST, DT_S64, DT_S32, a, NULL);
    assert_true(r.lo == -4 && r.hi == 8 && r.mod == 4);
    r = unary(SOP_CAST, DT_U8, DT_S32, a, NULL);
    assert_true(r.lo == 0 && r.hi == 252 && r.mod == 4);
    r = unary(SOP_CAST, DT_S32, DT_F32, a, NULL);
    assert_true(r.lo == INT32_MIN && r.hi == INT32_MAX);
    r = unary(SOP_BITS, DT_U64, DT_S64, a, NULL); /* the bits of negative numbers */
    assert_true(r.lo == -4 && r.hi == 8 && r.mod == 4);
}

/* The ends are values of the set: the residue moves them. */
static void
ends_are_values(void **state)
{
    (void)state;
    Interval r = interval_stepped(0, 100, 8, 4);
    assert_true(r.lo == 4 && r.hi == 100);
    r = interval_stepped(0, 9, 8, 5);
    assert_true(interval_is_const(r) && r.lo == 5);
    r = binary(SOP_REM, DT_S32, interval_stepped(0, 800, 8, 4), interval_const(16), NULL);
    assert_true(r.lo == 4 && r.hi == 12 && r.mod == 8);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(binary_operations),    cmocka_unit_test(unary_operations),
        cmocka_unit_test(operands_of_any_type), cmocka_unit_test(lattice),
        cmocka_unit_test(congruences),          cmocka_unit_test(quotients),
        cmocka_unit_test(sets_of_all_types),    cmocka_unit_test(casts_keep_or_give_up),
        cmocka_unit_test(ends_are_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
