/* test_num.c: the numeric library as its callers use it: tables, lengths, addresses, special values.
 * All float16 arguments and millions of others are in tests/oracle/num_functions.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdbool.h>
#include <string.h>

#include <cmocka.h>

#include "num/half.h"
#include "num/num_fn.h"
#include "num/num_reduce.h"

enum {
    N = 1000,
    ODD = 1 /* bytes from an address with any alignment */
};

static uint32_t
f32_at(NumFn f, uint32_t x)
{
    uint32_t r;
    num_fn(f, NUM_F32)(&r, &x, 1);
    return r;
}

static uint16_t
f16_at(NumFn f, uint16_t x)
{
    uint16_t r;
    num_fn(f, NUM_F16)(&r, &x, 1);
    return r;
}

static void
functions_of_types(void **state)
{
    (void)state;
    for (int f = 0; f < NUM_FNS; f++) {
        for (int t = 0; t < NUM_TYPES; t++) {
            bool some = t == NUM_F16 || (t == NUM_F32 && f != NUM_EXPM1);
            assert_int_equal(num_fn((NumFn)f, (NumType)t) != NULL, some);
            assert_int_equal(num_fn_at(NUM_LEVEL_BASE, (NumFn)f, (NumType)t) != NULL,
                             some);
        }
    }
    assert_true(num_level() < NUM_LEVELS);
}

static void
values(void **state)
{
    (void)state;
    assert_int_equal(f16_at(NUM_REC, 0x4200), 0x3555);
    assert_int_equal(f16_at(NUM_EXP, 0x3c00), 0x4170);
    assert_int_equal(f16_at(NUM_RSQRT, 0x4400), 0x3800);
    assert_int_equal(f16_at(NUM_EXPM1, 0x0001), 0x0001);
    assert_int_equal(f16_at(NUM_EXPM1, 0xfc00), 0xbc00);
    assert_int_equal(f16_at(NUM_LN, 0xbc00), HALF_NAN);
    assert_int_equal(f32_at(NUM_EXP, 0x3f800000), 0x402df854);
    assert_int_equal(f32_at(NUM_LN, 0x40000000), 0x3f317218);
    assert_int_equal(f32_at(NUM_SQRT, 0x40000000), 0x3fb504f3);
    assert_int_equal(f32_at(NUM_SQRT, 0x80000000), 0x80000000);
    assert_int_equal(f32_at(NUM_RSQRT, 0x80000000), 0xff800000);
    assert_int_equal(f32_at(NUM_SIN, 0x7f800000), FLOAT_NAN);
    assert_int_equal(f32_at(NUM_LN, 0xffc12345), FLOAT_NAN);
    assert_int_equal(f32_at(NUM_EXP, 0xc2cff1b5), 0); /* just below ln(2^-150) */
    assert_int_equal(f32_at(NUM_EXP, 0xc2cff1b4), 1);
}

/* 16367173 * 2^72 is the float32 nearest to a multiple of pi / 2. */
static void
huge_arguments(void **state)
{
    (void)state;
    double r;
    assert_int_equal(f32_at(NUM_COS, 0x6f79be45), f32_at(NUM_COS, 0xef79be45));
    assert_int_equal(f32_at(NUM_SIN, 0x6f79be45), 0x3f800000);
    uint64_t n = num_reduce(0x6f79be45, &r);
    assert_int_equal(n & 3, 1);
    assert_true(r < 0x1p-29 && r > -0x1p-29 && r != 0);
    assert_int_equal(num_reduce(0xef79be45, &r) & 3, 3);
    num_reduce(0x7f800000, &r);
    assert_true(r != r);
}

/* Every length and an odd address give what one element alone gives; nothing else is written. */
static void
check_lengths(NumFn f, NumType t, size_t size)
{
    static uint8_t src[N * 4 + ODD], dst[N * 4 + ODD + 4], one[4];
    for (size_t i = 0; i < sizeof src; i++) {
        src[i] = (uint8_t)(i * 37 + (i >> 5) * 11);
    }
    for (int n = 0; n < N; n += n < 70 ? 1 : 131) {
        memset(dst, 0xa5, sizeof dst);
        num_fn(f, t)(dst + ODD, src + ODD, n);
        for (int i = 0; i < n; i++) {
            num_fn(f, t)(one, src + ODD + (size_t)i * size, 1);
            assert_memory_equal(dst + ODD + (size_t)i * size, one, size);
        }
        assert_int_equal(dst[0], 0xa5);
        assert_int_equal(dst[ODD + (size_t)n * size], 0xa5);
    }
}

static void
lengths_and_addresses(void **state)
{
    (void)state;
    for (int f = 0; f < NUM_FNS; f++) {
        check_lengths((NumFn)f, NUM_F16, 2);
        if (f != NUM_EXPM1) {
            check_lengths((NumFn)f, NUM_F32, 4);
        }
    }
}

/* In place, and with large arguments among small ones, all levels give the bits of the base. */
static void
levels_agree(void **state)
{
    (void)state;
    static uint32_t src[N], base[N], other[N];
    for (uint32_t i = 0; i < N; i++) {
        src[i] = i * 4294967u + (i < 300 ? 0 : 0x7b00000u);
    }
    for (int f = 0; f < NUM_FNS; f++) {
        for (int level = 0; f != NUM_EXPM1 && level <= (int)num_level(); level++) {
            memcpy(other, src, sizeof src);
            num_fn_at(NUM_LEVEL_BASE, (NumFn)f, NUM_F32)(base, src, N);
            num_fn_at((NumLevel)level, (NumFn)f, NUM_F32)(other, other, N);
            assert_memory_equal(other, base, sizeof base);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_of_types), cmocka_unit_test(values),
        cmocka_unit_test(huge_arguments),     cmocka_unit_test(lengths_and_addresses),
        cmocka_unit_test(levels_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
