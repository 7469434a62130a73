/* test_count.c: compares numbers of elements that are known only at run time
 * (analysis/count.h) with what they are, for each number that they depend on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/count.h"

/* times * ((n + add) / by), of an n of 32 bits. */
typedef struct Length {
    int64_t add, by, times;
} Length;

static ExprId
expression(Kernel *k, ExprId n, Length f)
{
    ExprId e = f.add == 0  ? n
               : f.add > 0 ? ir_op2(k, SOP_ADD, n, ir_const(k, DT_S32, f.add))
                           : ir_op2(k, SOP_SUB, n, ir_const(k, DT_S32, -f.add));
    return f.by == 1 ? e : ir_op2(k, SOP_DIV, e, ir_const(k, DT_S32, f.by));
}

static bool
at_least(Kernel *k, ExprId n, Length a, Length b)
{
    return count_at_least(k, (Count){expression(k, n, a), a.times},
                          (Count){expression(k, n, b), b.times});
}

static int64_t
value(Length f, int64_t n)
{
    return f.times * ((n + f.add) / f.by);
}

/* Returns whether one is at least the other, or that is no number, for all small n. */
static bool
holds(Length a, Length b)
{
    for (int64_t n = -200; n <= 800; n++) {
        if (value(a, n) < value(b, n) && value(b, n) >= 1) {
            return false;
        }
    }
    return true;
}

static void
usual_lengths(void **state)
{
    (void)state;
    Unit u;
    unit_init(&u);
    Kernel *k = kernel_new(&u);
    ExprId n = ir_reg_value(k, ir_reg(k, intern(&u.names, "n"), DT_S32, (Span){0}));
    Length blocks = {7, 8, 8}, repeats = {63, 64, 64}, whole = {0, 64, 64},
           all = {0, 1, 1};
    assert_true(at_least(k, n, repeats, blocks));
    assert_true(at_least(k, n, blocks, whole));
    assert_true(at_least(k, n, blocks, all));
    assert_true(at_least(k, n, all, whole));
    assert_true(at_least(k, n, repeats, repeats));
    assert_false(at_least(k, n, blocks, repeats));
    assert_false(at_least(k, n, whole, blocks));
    assert_false(at_least(k, n, whole, all));
    kernel_free(k);
    unit_free(&u);
}

/* Whatever is said to be at least another number is; and most of what is, is said. */
static void
all_small_forms(void **state)
{
    (void)state;
    static const int64_t adds[] = {-9, -1, 0, 1, 3, 6, 7, 8, 14, 15, 16, 31, 63, 64};
    static const int64_t by[] = {1, 2, 3, 8, 12, 16, 64}, times[] = {1, 2, 8, 16, 64};
    Unit u;
    unit_init(&u);
    Kernel *k = kernel_new(&u);
    ExprId n = ir_reg_value(k, ir_reg(k, intern(&u.names, "n"), DT_S32, (Span){0}));
    int said = 0, seed = 1;
    for (int i = 0; i < 20000; i++) {
        int64_t pick[6];
        for (int j = 0; j < 6; j++) {
            seed = (int)((seed * 1103515245LL + 12345) & 0x7fffffff);
            pick[j] = seed >> 8;
        }
        Length a = {adds[pick[0] % 14], by[pick[1] % 7], times[pick[2] % 5]};
        Length b = {adds[pick[3] % 14], by[pick[4] % 7], times[pick[5] % 5]};
        if (at_least(k, n, a, b)) {
            said++;
            assert_true(holds(a, b));
        }
    }
    assert_true(said > 2000);
    kernel_free(k);
    unit_free(&u);
}

/* A sum in 16 bits may be less than its parts. */
static void
small_types(void **state)
{
    (void)state;
    Unit u;
    unit_init(&u);
    Kernel *k = kernel_new(&u);
    ExprId n = ir_reg_value(k, ir_reg(k, intern(&u.names, "n"), DT_U16, (Span){0}));
    ExprId sum = ir_op2(k, SOP_ADD, n, ir_const(k, DT_U16, 7));
    ExprId blocks = ir_op2(k, SOP_DIV, sum, ir_const(k, DT_U16, 8));
    assert_false(count_at_least(k, (Count){blocks, 8}, (Count){n, 1}));
    assert_true(count_at_least(k, (Count){blocks, 8}, (Count){blocks, 7}));
    kernel_free(k);
    unit_free(&u);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usual_lengths),
        cmocka_unit_test(all_small_forms),
        cmocka_unit_test(small_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
