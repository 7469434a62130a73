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

/* The narrowest interval of the values of -128 to 127 that both, or one of them, have. */
static bool
narrowest(Interval a, Interval b, bool both, Interval *out)
{
    bool some = false;
    int64_t lo = 0, hi = 0, m = 0;
    for (int64_t v = -128; v < 128; v++) {
        if (both ? holds(a, v) && holds(b, v) : holds(a, v) || holds(b, v)) {
            lo = some ? lo : v;
            m = gcd(m, v - lo);
            hi = v;
            some = true;
        }
    }
    *out = some ? interval_stepped(lo, hi, m, lo) : a;
    return some;
}

static void
assert_same(Interval a, Interval b)
{
    assert_true(a.lo == b.lo && a.hi == b.hi && a.mod == b.mod && a.rem == b.rem);
}

/* A join is as narrow as it can be, a meet where one distance divides the other. */
static void
lattice_is_narrow(void **state)
{
    (void)state;
    for (int i = 0; i < 5000; i++) {
        Interval a = random_range(DT_S8), b = random_range(DT_S8), m, best;
        narrowest(a, b, false, &best);
        assert_same(interval_join(a, b), best);
        int64_t g = gcd(a.mod, b.mod);
        bool some = interval_meet(a, b, &m);
        if (g == a.mod || g == b.mod) {
            assert_int_equal(some, narrowest(a, b, true, &best));
            assert_same(m, best);
        }
    }
}

/* Ends that need more than 64 bits leave the congruence, as far as it fits. */
static void
ends_that_overflow(void **state)
{
    (void)state;
    Interval top = interval_of_type(DT_S64), r;
    Interval high = interval_stepped(0, INT64_MAX, 8, 5), low = interval_const(INT64_MIN);
    assert_false(interval_add(high, interval_const(8), &r));
    assert_true(r.mod == 8 && r.rem == 5 && r.lo == INT64_MIN + 5 && r.hi == high.hi);
    assert_true(interval_add(high, interval_const(2), &r));
    assert_true(r.mod == 8 && r.rem == 7 && r.hi == INT64_MAX);
    assert_false(interval_add(interval_const(INT64_MAX), interval_const(1), &r));
    assert_true(r.mod == (int64_t)1 << 62 && r.rem == 0);
    const int64_t three = (int64_t)3 << 61; /* sums of the rests leave 64 bits */
    Interval steps = interval_stepped(INT64_MIN, INT64_MAX, three, three - 1);
    assert_false(interval_add(steps, steps, &r));
    assert_true(r.mod == three && r.rem == three - 2);
    assert_false(interval_sub(interval_const(0), low, &r));
    assert_same(r, top);
    assert_true(interval_sub(low, interval_const(-1), &r));
    assert_same(r, interval_const(INT64_MIN + 1));
    assert_false(interval_mul(high, interval_const(4), &r));
    assert_true(r.mod == 32 && r.rem == 20);
    assert_true(interval_mul(interval_const(INT64_MIN), interval_const(1), &r));
    assert_same(r, low);
    assert_false(interval_mul(low, interval_stepped(0, 8, 4, 0), &r));
    assert_same(r, top);
    assert_false(interval_mul(interval_stepped(0, INT64_MAX - 1, (int64_t)1 << 62, 5),
                              interval_stepped(0, 6, 2, 0), &r));
    assert_same(r, top);
    r = interval_join(interval_const(INT64_MIN), interval_const(INT64_MAX));
    assert_true(r.lo == INT64_MIN && r.hi == INT64_MAX && r.mod == 1);
    assert_false(interval_inside(interval_between(-1, 3), interval_between(0, 3)));
    assert_false(interval_inside(interval_between(0, 4), interval_between(0, 3)));
    assert_true(interval_inside(interval_between(0, 3), interval_between(0, 3)));
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
        {0, 0, 1},    {1, 1, 1},      {2, 2, 1},   {3, 3, 1},   {-1, -1, 1},
        {0, 5, 1},    {0, 12, 4},     {-7, 5, 3},  {7, 7, 1},   {8, 8, 1},
        {96, 127, 1}, {6, 26, 5},     {-9, -3, 2}, {31, 31, 1}, {63, 64, 1},
        {0, 255, 17}, {100, 300, 50}, {0, 1, 1},   {4, 28, 8},  {12, 60, 16}};
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

/* Operations, and what their results are. */
static const struct {
    ScalarOp op;
    Dtype type;
    int64_t a[3], b[3], out[3]; /* first value, last value, distance */
} narrow[] = {
    {SOP_SHR, DT_S32, {4, 28, 8}, {1, 1, 0}, {2, 14, 4}},
    {SOP_SHR, DT_S32, {12, 60, 16}, {2, 2, 0}, {3, 15, 4}},
    {SOP_SHR, DT_S32, {0, 100, 2}, {2, 2, 0}, {0, 25, 1}},
    {SOP_SHR, DT_S8, {-128, 127, 1}, {7, 7, 0}, {-1, 0, 1}},
    {SOP_SHR, DT_S32, {0, 3 << 20, 1 << 20}, {20, 20, 0}, {0, 3, 1}},
    {SOP_SHR, DT_S16, {0, 3 << 12, 1 << 12}, {12, 12, 0}, {0, 3, 1}},
    {SOP_SHR, DT_S32, {-8, 8, 8}, {0, 0, 0}, {-8, 8, 8}},
    {SOP_SHL, DT_S32, {1, 5, 2}, {3, 3, 0}, {8, 40, 16}},
    {SOP_SHL, DT_U8, {1, 5, 2}, {7, 7, 0}, {128, 128, 0}},
    {SOP_SHL, DT_S32, {1, 5, 2}, {32, 32, 0}, {0, 0, 0}},
    {SOP_SHL, DT_S32, {1, 5, 2}, {31, 31, 0}, {INT32_MIN, INT32_MIN, 0}},
    {SOP_DIV, DT_S32, {16, 160, 16}, {8, 8, 0}, {2, 20, 2}},
    {SOP_DIV, DT_S32, {16, 160, 16}, {5, 5, 0}, {3, 32, 1}},
    {SOP_DIV, DT_S32, {-9, 20, 1}, {2, 4, 1}, {-4, 10, 1}},
    {SOP_DIV, DT_S32, {10, 20, 1}, {1, 3, 1}, {3, 20, 1}},
    {SOP_DIV, DT_S32, {-20, -10, 1}, {1, 3, 1}, {-20, -3, 1}},
    {SOP_REM, DT_S32, {3, 7, 1}, {8, 9, 1}, {3, 7, 1}},
    {SOP_REM, DT_S32, {3, 8, 1}, {8, 9, 1}, {0, 8, 1}},
    {SOP_REM, DT_S32, {3, 80, 7}, {7, 7, 0}, {3, 3, 0}},
    {SOP_REM, DT_S32, {-6, 80, 2}, {2, 2, 0}, {0, 0, 0}},
    {SOP_REM, DT_S32, {-3, 5, 1}, {10, 10, 0}, {-3, 5, 1}},
    {SOP_REM, DT_S32, {-30, 50, 1}, {10, 10, 0}, {-9, 9, 1}},
    {SOP_REM, DT_S32, {-30, 0, 1}, {10, 10, 0}, {-9, 0, 1}},
    {SOP_AND, DT_S32, {0, 100, 1}, {15, 15, 0}, {0, 15, 1}},
    {SOP_AND, DT_S32, {0, 9, 1}, {15, 15, 0}, {0, 9, 1}},
    {SOP_AND, DT_S32, {0, 15, 3}, {15, 15, 0}, {0, 15, 3}},
    {SOP_AND, DT_S32, {-40, 15, 1}, {7, 7, 0}, {0, 7, 1}},
    {SOP_AND, DT_S32, {3, 99, 16}, {15, 15, 0}, {3, 3, 0}},
    {SOP_AND, DT_S32, {3, 99, 4}, {15, 15, 0}, {3, 15, 4}},
    {SOP_AND, DT_S32, {0, 100, 1}, {12, 12, 0}, {0, 12, 4}},
    {SOP_AND, DT_S32, {0, 100, 1}, {-16, -16, 0}, {0, 96, 16}},
    {SOP_AND, DT_S32, {-16, -16, 0}, {-9, 40, 1}, {-16, 32, 16}},
    {SOP_AND, DT_S32, {0, 100, 1}, {0, 0, 0}, {0, 0, 0}},
    {SOP_AND, DT_S32, {5, 100, 1}, {2, 40, 1}, {0, 40, 1}},
    {SOP_OR, DT_S32, {5, 100, 1}, {2, 40, 1}, {5, 127, 1}},
    {SOP_XOR, DT_S32, {5, 100, 1}, {2, 130, 1}, {0, 255, 1}},
    {SOP_XOR, DT_S32, {0, 0, 0}, {0, 1, 1}, {0, 1, 1}},
    {SOP_AND, DT_BOOL, {0, 0, 0}, {0, 1, 1}, {0, 0, 0}},
    {SOP_AND, DT_BOOL, {1, 1, 0}, {1, 1, 0}, {1, 1, 0}},
    {SOP_OR, DT_BOOL, {1, 1, 0}, {0, 1, 1}, {1, 1, 0}},
    {SOP_OR, DT_BOOL, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}},
    {SOP_XOR, DT_BOOL, {1, 1, 0}, {1, 1, 0}, {0, 0, 0}},
    {SOP_NOT, DT_BOOL, {1, 1, 0}, {0, 0, 0}, {0, 0, 0}},
    {SOP_NOT, DT_S32, {3, 9, 3}, {0, 0, 0}, {-10, -4, 3}},
    {SOP_NEG, DT_S32, {3, 9, 3}, {0, 0, 0}, {-9, -3, 3}},
    {SOP_NEG, DT_S8, {-128, -128, 0}, {0, 0, 0}, {-128, -128, 0}},
    {SOP_ADD, DT_S32, {3, 9, 3}, {1, 7, 6}, {4, 16, 3}},
    {SOP_SUB, DT_S32, {3, 9, 3}, {1, 7, 6}, {-4, 8, 3}},
    {SOP_MUL, DT_S32, {-3, 9, 3}, {-2, 4, 2}, {-18, 36, 6}},
    {SOP_ADD, DT_U8, {0, 248, 8}, {12, 12, 0}, {4, 252, 8}},
    {SOP_LT, DT_S32, {0, 4, 1}, {5, 9, 1}, {1, 1, 0}},
    {SOP_LT, DT_S32, {0, 5, 1}, {5, 9, 1}, {0, 1, 1}},
    {SOP_LT, DT_S32, {9, 12, 1}, {5, 9, 1}, {0, 0, 0}},
    {SOP_LE, DT_S32, {0, 5, 1}, {5, 9, 1}, {1, 1, 0}},
    {SOP_LE, DT_S32, {9, 12, 1}, {5, 9, 1}, {0, 1, 1}},
    {SOP_LE, DT_S32, {10, 12, 1}, {5, 9, 1}, {0, 0, 0}},
    {SOP_GT, DT_S32, {10, 12, 1}, {5, 9, 1}, {1, 1, 0}},
    {SOP_GT, DT_S32, {9, 12, 1}, {5, 9, 1}, {0, 1, 1}},
    {SOP_GT, DT_S32, {0, 5, 1}, {5, 9, 1}, {0, 0, 0}},
    {SOP_GE, DT_S32, {9, 12, 1}, {5, 9, 1}, {1, 1, 0}},
    {SOP_GE, DT_S32, {0, 5, 1}, {5, 9, 1}, {0, 1, 1}},
    {SOP_GE, DT_S32, {0, 4, 1}, {5, 9, 1}, {0, 0, 0}},
    {SOP_EQ, DT_S32, {0, 8, 2}, {1, 9, 2}, {0, 0, 0}},
    {SOP_EQ, DT_S32, {0, 8, 2}, {8, 9, 1}, {0, 1, 1}},
    {SOP_EQ, DT_S32, {8, 8, 0}, {8, 8, 0}, {1, 1, 0}},
    {SOP_NE, DT_S32, {0, 8, 2}, {1, 9, 2}, {1, 1, 0}},
    {SOP_NE, DT_S32, {8, 8, 0}, {8, 8, 0}, {0, 0, 0}},
};

/* What is known is not given away: proofs need these ends and residues. */
static void
results_are_narrow(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof narrow / sizeof narrow[0]; i++) {
        const int64_t *x = narrow[i].a, *y = narrow[i].b, *z = narrow[i].out;
        Interval a = interval_stepped(x[0], x[1], x[2] + !x[2], x[0]);
        Interval b = interval_stepped(y[0], y[1], y[2] + !y[2], y[0]);
        Interval r = binary(narrow[i].op, narrow[i].type, a, b, NULL);
        if (r.lo != z[0] || r.hi != z[1] || r.mod != z[2]) {
            fail_msg("case %d: [%lld, %lld] %lld mod %lld", (int)i, (long long)r.lo,
                     (long long)r.hi, (long long)r.rem, (long long)r.mod);
        }
    }
}

/* Sums of floats and of bools are none of integers. */
static void
exact_sums_are_of_integers(void **state)
{
    (void)state;
    static const Dtype types[] = {DT_F16, DT_F32, DT_BOOL};
    Interval out;
    ScalarIntervals in = {.type = DT_S32, .a = interval_const(1), .b = interval_const(1)};
    assert_true(scalar_interval_exact(SOP_ADD, &in, &out));
    for (int i = 0; i < 3; i++) {
        in.type = types[i];
        assert_false(scalar_interval_exact(SOP_ADD, &in, &out));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_sums_are_of_integers),
        cmocka_unit_test(results_are_narrow),
        cmocka_unit_test(lattice_is_narrow),
        cmocka_unit_test(ends_that_overflow),
        cmocka_unit_test(binary_operations),
        cmocka_unit_test(unary_operations),
        cmocka_unit_test(operands_of_any_type),
        cmocka_unit_test(lattice),
        cmocka_unit_test(congruences),
        cmocka_unit_test(quotients),
        cmocka_unit_test(sets_of_all_types),
        cmocka_unit_test(casts_keep_or_give_up),
        cmocka_unit_test(ends_are_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
