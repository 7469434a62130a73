/* Ranges against brute force: for small types every operation on every pair of values of
 * two random ranges gives a value of the range of the result. */
#include "analysis/range.h"

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
holds(Range r, int64_t v)
{
    if (v < r.lo || v > r.hi) {
        return false;
    }
    return r.mod == 0 ? v == r.rem : ((v - r.rem) % r.mod) == 0;
}

static void
assert_shape(Range r)
{
    assert_true(r.lo <= r.hi);
    if (r.mod == 0) {
        assert_true(r.lo == r.hi && r.rem == r.lo);
    } else {
        assert_true(r.rem >= 0 && r.rem < r.mod);
    }
}

static Range
random_range(Dtype t)
{
    Range top = range_top(t);
    int64_t width = top.hi - top.lo + 1;
    int64_t lo = top.lo + rnd((uint32_t)width);
    int64_t hi = lo + rnd((uint32_t)(top.hi - lo + 1));
    if (rnd(3) == 0) {
        hi = lo + rnd((uint32_t)(top.hi - lo < 5 ? top.hi - lo + 1 : 5));
    }
    Range r = range_interval(lo, hi);
    if (rnd(2) && lo < hi) {
        int64_t m = 1 + rnd(12);
        Range c = {INT64_MIN, INT64_MAX, m, rnd((uint32_t)m)};
        Range met;
        if (range_meet(r, c, &met)) {
            r = met;
        }
    }
    return r;
}

static void
check_pair(ScalarOp op, Dtype t, Range a, Range b)
{
    bool exact;
    Range r = range_binary(op, t, a, b, &exact);
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
        Range a = random_range(t);
        Range b = rnd(3) ? random_range(t) : range_const(random_range(t).lo);
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
        Range a = random_range(from);
        Range r = range_unary(op, t, from, a, NULL);
        assert_shape(r);
        for (int64_t x = a.lo; x <= a.hi; x++) {
            int64_t v;
            if (holds(a, x) && scalar_eval(op, t, from, x, 0, &v)) {
                assert_true(holds(r, v));
            }
        }
    }
}

static void
lattice(void **state)
{
    (void)state;
    for (int i = 0; i < 5000; i++) {
        Range a = random_range(DT_S8);
        Range b = random_range(DT_S8);
        Range j = range_join(a, b);
        Range m;
        bool some = range_meet(a, b, &m);
        assert_shape(j);
        assert_shape(m);
        for (int64_t v = -128; v < 128; v++) {
            assert_true(!(holds(a, v) || holds(b, v)) || holds(j, v));
            assert_true(!(holds(a, v) && holds(b, v)) || (some && holds(m, v)));
        }
        for (int64_t s = -3; s < 4; s++) {
            Range steps = range_stepped(DT_S8, a, s);
            for (int64_t n = 0; n < 300; n++) {
                assert_true(holds(steps, scalar_wrap(DT_S8, a.lo + n * s)) ||
                            !holds(a, a.lo));
            }
        }
    }
}

/* What the checks rely on: multiples survive casts, and wide arithmetic never
 * overflows. */
static void
congruences(void **state)
{
    (void)state;
    Range i = range_interval(0, 1000);
    Range r = range_binary(SOP_MUL, DT_S32, i, range_const(16), NULL);
    r = range_unary(SOP_CAST, DT_S64, DT_S32, r, NULL);
    r = range_binary(SOP_MUL, DT_S64, r, range_const(2), NULL);
    assert_true(range_is_multiple(r, 32));
    assert_int_equal(r.hi, 32000);
    r = range_binary(SOP_MUL, DT_S32, range_top(DT_S32), range_const(16), NULL);
    assert_true(range_is_multiple(r, 16));
    assert_false(range_is_multiple(r, 32));
    Range top = range_top(DT_S64);
    for (int op = 0; op < SOP_COUNT; op++) {
        if (scalar_op_table[op].arity == 2) {
            assert_shape(range_binary((ScalarOp)op, DT_S64, top, top, NULL));
            assert_shape(
                range_binary((ScalarOp)op, DT_U64, top, range_const(INT64_MIN), NULL));
            assert_shape(range_binary((ScalarOp)op, DT_S64, range_const(INT64_MIN),
                                      range_const(-1), NULL));
        }
    }
    assert_int_equal(range_div_floor(-7, 2), -4);
    assert_int_equal(range_div_ceil(-7, 2), -3);
    assert_int_equal(range_div_ceil(7, 2), 4);
}

/* Floor and ceiling by their definition: q * b is the nearest multiple on that side,
 * whatever the signs. A ceiling that is one too high, or a floor one too low, would make
 * conditions say more than they do. */
static void
quotients(void **state)
{
    (void)state;
    for (int64_t a = -40; a <= 40; a++) {
        for (int64_t b = -9; b <= 9; b++) {
            if (b == 0) {
                continue;
            }
            int64_t low = range_div_floor(a, b), high = range_div_ceil(a, b);
            int64_t under = a - low * b, over = high * b - a;
            assert_true(b > 0 ? under >= 0 && under < b : under <= 0 && under > b);
            assert_true(b > 0 ? over >= 0 && over < b : over <= 0 && over > b);
        }
    }
    assert_true(range_div_ceil(INT64_MAX, 2) == INT64_MAX / 2 + 1);
    assert_true(range_div_ceil(INT64_MIN, 3) == INT64_MIN / 3);
    assert_true(range_div_floor(INT64_MIN, 3) == INT64_MIN / 3 - 1);
    assert_true(range_div_ceil(INT64_MIN, -1) == INT64_MAX);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(binary_operations), cmocka_unit_test(unary_operations),
        cmocka_unit_test(lattice),           cmocka_unit_test(congruences),
        cmocka_unit_test(quotients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
