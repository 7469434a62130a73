/* test_ops_reduce.c: compares reductions of one repeat, by the tables of all levels, with
 * plain trees, rounded node by node with half.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "num/half.h"
#include "num/lanes.h"
#include "ops/reduce.h"
#include "random.h"

/* Returns the levels of this processor. */
static int
tables(const ReduceTable *out[2])
{
    out[0] = &reduce_base;
    out[1] = &reduce_avx2;
    return num_level() >= NUM_LEVEL_AVX2 ? 2 : 1;
}

/* Returns values of all magnitudes; sometimes many that are equal, infinite or NaN. */
static uint16_t
any_half(int kind)
{
    uint32_t r = any_bits();
    switch (kind) {
    case 0:
        return (uint16_t)r;
    case 1: /* close to the largest */
        return (uint16_t)((r & 0x83ffu) | 0x7800u);
    case 2: /* no NaN, no infinity */
        return (uint16_t)(r & 0xbfffu);
    default: /* subnormal and next to it */
        return (uint16_t)(r & 0x87ffu);
    }
}

static bool
is_nan(uint16_t h)
{
    return (h & 0x7fffu) > 0x7c00u;
}

static void
expect_sums(const ReduceTable *t, const uint16_t *lanes)
{
    uint16_t tree[128];
    memcpy(tree, lanes, sizeof tree);
    for (int n = 64; n >= 1; n /= 2) {
        float sums[128];
        uint16_t bits[128];
        for (int i = 0; i < n; i++) {
            float sum = half_to_float(tree[2 * i]) + half_to_float(tree[2 * i + 1]);
            tree[i] = half_from_float(sum);
        }
        t->sum_f16(sums, (const uint8_t *)lanes, n);
        t->narrow_f16((uint8_t *)bits, sums, n);
        for (int i = 0; i < n; i++) {
            assert_int_equal(bits[i], tree[i]);
            assert_true(is_nan(tree[i]) || half_to_float(tree[i]) == sums[i]);
        }
    }
}

static void
float16_sums(void **s)
{
    (void)s;
    const ReduceTable *all[2];
    int n = tables(all);
    for (int k = 0; k < 4000; k++) {
        uint16_t lanes[128];
        for (int i = 0; i < 128; i++) {
            lanes[i] = any_half(k % 4);
        }
        for (int i = 0; i < n; i++) {
            expect_sums(all[i], lanes);
        }
    }
}

/* Tries every float16 with each of many others, 128 lanes as 64 sums of two. */
static void
every_float16_pair(void **s)
{
    (void)s;
    static const uint16_t others[] = {0,      0x8000, 1,      0x03ff, 0x0400, 0x3c00,
                                      0x1400, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x4c01,
                                      0x8001, 0xbc01, 0x7e01, 0x6bff};
    const ReduceTable *all[2];
    int n = tables(all);
    for (size_t o = 0; o < sizeof others / sizeof others[0]; o++) {
        for (uint32_t h = 0; h < 0x10000; h += 64) {
            uint16_t lanes[128];
            for (int i = 0; i < 64; i++) {
                lanes[2 * i] = (uint16_t)(h + (uint32_t)i);
                lanes[2 * i + 1] = others[o];
            }
            for (int i = 0; i < n; i++) {
                expect_sums(all[i], lanes);
            }
        }
    }
}

static void
float32_sums(void **s)
{
    (void)s;
    const ReduceTable *all[2];
    int levels = tables(all);
    for (int k = 0; k < 2000; k++) {
        float tree[64], lanes[64], sums[64];
        for (int i = 0; i < 64; i++) {
            tree[i] = lanes[i] = float_of_bits((any_bits() & 0x83ffffffu) | 0x3c000000u);
        }
        for (int n = 32; n >= 1; n /= 2) {
            for (int i = 0; i < n; i++) {
                tree[i] = tree[2 * i] + tree[2 * i + 1];
            }
            for (int i = 0; i < levels; i++) {
                all[i]->sum_f32(sums, (const uint8_t *)lanes, n);
                assert_memory_equal(sums, tree, (size_t)n * sizeof tree[0]);
            }
        }
    }
}

static float
value_of(uint16_t h, int sign)
{
    return is_nan(h) ? -1e30f : (float)sign * half_to_float(h);
}

/* Finds the greatest, its first index and its count, in all lanes and by blocks, from few
 * different values. */
static void
keys_order_floats(void **s)
{
    (void)s;
    const ReduceTable *all[2];
    int levels = tables(all);
    for (int k = 0; k < 4000; k++) {
        int sign = k % 2 ? 1 : -1;
        uint16_t lanes[128];
        for (int i = 0; i < 128; i++) {
            lanes[i] = (uint16_t)(any_bits() & (k % 3 ? 0x8001u : 0xfc00u));
        }
        for (int i = 0; i < levels; i++) {
            int32_t keys[128], at[8], most[8];
            int first = 0, count = 0, block = (int)(any_bits() % 8);
            all[i]->keys_f16(keys, (const uint8_t *)lanes, sign);
            for (int j = 0; j < 128; j++) {
                first =
                    value_of(lanes[j], sign) > value_of(lanes[first], sign) ? j : first;
            }
            for (int j = 0; j < 128; j++) {
                count += value_of(lanes[j], sign) == value_of(lanes[first], sign);
            }
            int32_t top = all[i]->greatest(keys, 128);
            assert_int_equal(top, keys[first]);
            assert_int_equal(all[i]->find(keys, 128, top), first);
            assert_int_equal(all[i]->count(keys, 128, top), count);
            first = 16 * block;
            for (int j = 16 * block; j < 16 * block + 16; j++) {
                first =
                    value_of(lanes[j], sign) > value_of(lanes[first], sign) ? j : first;
            }
            all[i]->find_groups(at, most, keys, 128);
            assert_int_equal(at[block], first);
            assert_int_equal(most[block], keys[first]);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(float16_sums),
        cmocka_unit_test(every_float16_pair),
        cmocka_unit_test(float32_sums),
        cmocka_unit_test(keys_order_floats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
