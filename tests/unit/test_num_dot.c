/* test_num_dot.c: compares blocks of products (num/dot.h) at every level with plain
 * loops: integers exactly, floats term by term; pixels after the last block stay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "num/dot.h"
#include "num/half.h"
#include "num/lanes.h"

enum {
    TERMS = 10,
    STEP = 12, /* bytes from channel to channel of the weights */
    SUMS = DOT_CHANNELS * DOT_PIXELS,
    TABLES = NUM_LEVELS + 1
};

static uint32_t seed = 1;

static uint32_t
next(void)
{
    seed = seed * 1664525 + 1013904223;
    return seed >> 8;
}

static int
levels(const NumDotTable *out[TABLES])
{
    out[0] = &num_dot_base;
    out[1] = &num_dot_avx2;
    out[2] = &num_dot_avx512;
    out[3] = &num_dot_vnni;
    return (int)num_level() + 1 + num_has_vnni();
}

static void
pairs(void **state)
{
    (void)state;
    const NumDotTable *t[TABLES];
    int16_t panel[TERMS * DOT_PIXELS], w[DOT_CHANNELS * STEP];
    int32_t sums[SUMS], want[SUMS];
    for (int i = 0; i < levels(t); i++) {
        for (int k = 0; k < TERMS * DOT_PIXELS; k++) {
            panel[k] = (int16_t)(k % 7 == 0 ? -128 : (int)(next() % 384) - 128);
        }
        for (int k = 0; k < DOT_CHANNELS * STEP; k++) {
            w[k] = (int16_t)(k % 5 == 0 ? -128 : (int8_t)next());
        }
        for (int k = 0; k < SUMS; k++) {
            sums[k] = want[k] = (int32_t)(next() << 8); /* the sum wraps */
        }
        for (int c = 0; c < DOT_CHANNELS; c++) {
            for (int p = 0; p < 32; p++) {
                for (int k = 0; k < TERMS; k++) {
                    int x = panel[k / 2 * 2 * DOT_PIXELS + 2 * p + k % 2];
                    uint32_t sum = (uint32_t)want[c * DOT_PIXELS + p];
                    want[c * DOT_PIXELS + p] =
                        (int32_t)(sum + (uint32_t)(x * w[c * STEP + k]));
                }
            }
        }
        t[i]->pairs(sums, panel, w, STEP, TERMS / 2, 17);
        assert_memory_equal(sums, want, sizeof sums);
        t[i]->pairs(sums, panel, w, STEP, TERMS / 2, DOT_PIXELS); /* all at once */
        t[i]->pairs(want, panel, w, STEP, TERMS / 2, 2 * DOT_STEP);
        t[i]->pairs(want + 2 * DOT_STEP, panel + 4 * DOT_STEP, w, STEP, TERMS / 2,
                    2 * DOT_STEP);
        assert_memory_equal(sums, want, sizeof sums);
    }
}

static void
floats(void **state)
{
    (void)state;
    const NumDotTable *t[TABLES];
    static float panel[TERMS * DOT_PIXELS], w[DOT_CHANNELS * STEP], sums[SUMS],
        want[SUMS];
    for (int i = 0; i < levels(t); i++) {
        for (int k = 0; k < TERMS * DOT_PIXELS; k++) {
            panel[k] = (float)(int32_t)(next() << 8) * 1e-5f;
        }
        for (int k = 0; k < DOT_CHANNELS * STEP; k++) {
            w[k] = (float)(int32_t)(next() << 8) * 1e-7f;
        }
        memset(sums, 0, sizeof sums);
        memset(want, 0, sizeof want);
        for (int c = 0; c < DOT_CHANNELS; c++) {
            for (int p = 0; p < DOT_PIXELS; p++) {
                for (int k = 0; k < TERMS; k++) {
                    volatile float product = panel[k * DOT_PIXELS + p] * w[c * STEP + k];
                    want[c * DOT_PIXELS + p] += product;
                }
            }
        }
        /* an odd number of steps, then one */
        t[i]->floats(sums, panel, w, STEP, TERMS, 3 * DOT_STEP);
        t[i]->floats(sums + 3 * DOT_STEP, panel + 3 * DOT_STEP, w, STEP, TERMS, DOT_STEP);
        assert_memory_equal(sums, want, sizeof sums);
        memset(sums, 0, sizeof sums);
        t[i]->floats(sums, panel, w, STEP, TERMS, DOT_PIXELS);
        assert_memory_equal(sums, want, sizeof sums);
    }
}

/* A finite float16 of any size. */
static float
finite_half(void)
{
    uint16_t h = (uint16_t)next();
    return half_to_float((h & 0x7c00) == 0x7c00 ? h ^ 0x4000 : h);
}

/* Products of numbers of float16 are exact, so a sum that is rounded with its product has
 * the same bits as one after the other. */
static void
exact(void **state)
{
    (void)state;
    const NumDotTable *t[TABLES];
    static float panel[TERMS * DOT_PIXELS], w[DOT_CHANNELS * STEP], sums[SUMS],
        want[SUMS];
    for (int round = 0; round < 50; round++) {
        for (int k = 0; k < TERMS * DOT_PIXELS; k++) {
            panel[k] = finite_half();
        }
        for (int k = 0; k < DOT_CHANNELS * STEP; k++) {
            w[k] = finite_half();
        }
        for (int i = 0; i < levels(t); i++) {
            for (int k = 0; k < SUMS; k++) {
                sums[k] = want[k] = (float)k * 1e-3f;
            }
            t[i]->exact(sums, panel, w, STEP, TERMS, DOT_PIXELS);
            num_dot_base.floats(want, panel, w, STEP, TERMS, DOT_PIXELS);
            assert_memory_equal(sums, want, sizeof sums);
        }
    }
}

static void
rows(void **state)
{
    (void)state;
    const NumDotTable *t[TABLES];
    uint8_t a[DOT_PIXELS], b[DOT_PIXELS];
    int16_t panel[2 * DOT_PIXELS], wide[DOT_PIXELS];
    uint32_t s[DOT_PIXELS], u[DOT_PIXELS];
    for (int i = 0; i < levels(t); i++) {
        for (int k = 0; k < DOT_PIXELS; k++) {
            a[k] = (uint8_t)next();
            b[k] = (uint8_t)next();
            s[k] = u[k] = 0xfffffff0u;
        }
        for (int sign = 0; sign < 2; sign++) {
            t[i]->zip(panel, a, b, sign);
            for (int k = 0; k < DOT_PIXELS; k++) {
                assert_int_equal(panel[2 * k], sign ? (int8_t)a[k] : a[k]);
                assert_int_equal(panel[2 * k + 1], sign ? (int8_t)b[k] : b[k]);
            }
        }
        t[i]->widen(wide, (const int8_t *)a + 1, DOT_PIXELS - 1);
        t[i]->row_s8(s, (const int8_t *)a + 1, (uint32_t)-3, DOT_PIXELS - 1);
        t[i]->row_u8(u, a + 1, (uint32_t)-3, DOT_PIXELS - 1);
        for (int k = 0; k < DOT_PIXELS - 1; k++) {
            assert_int_equal(wide[k], (int8_t)a[k + 1]);
            assert_int_equal(s[k], 0xfffffff0u + (uint32_t)(-3 * (int8_t)a[k + 1]));
            assert_int_equal(u[k], 0xfffffff0u + (uint32_t)(-3 * a[k + 1]));
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pairs), cmocka_unit_test(floats),
                                       cmocka_unit_test(exact), cmocka_unit_test(rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
