/* test_scalar.c: checks the meaning of scalar operations, and compares float16/bfloat16
 * conversions with exhaustive or independent references. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "num/scalar.h"
#include "num/half.h"

static int64_t
op2(ScalarOp op, Dtype t, int64_t a, int64_t b)
{
    int64_t r = INT64_MIN;
    assert_true(scalar_eval(op, t, t, a, b, &r));
    return r;
}

static int64_t
cast(Dtype t, Dtype from, int64_t a)
{
    int64_t r = INT64_MIN;
    assert_true(scalar_eval(SOP_CAST, t, from, a, 0, &r));
    return r;
}

static int64_t
f32(double d)
{
    return scalar_from_double(DT_F32, d);
}

/* Returns the value of a float16 pattern, by its definition. */
static double
half_value(unsigned h)
{
    double sign = h >> 15 ? -1 : 1;
    int exp = (int)(h >> 10 & 31);
    int frac = (int)(h & 1023);
    if (exp == 31) {
        return frac ? (double)NAN : sign * (double)INFINITY;
    }
    return exp ? sign * ldexp(1024 + frac, exp - 25) : sign * ldexp(frac, -24);
}

/* Returns the float16 nearest to d, by search over the neighbours; ties go to the even
 * pattern. */
static unsigned
nearest_half(double d)
{
    unsigned sign = signbit(d) ? 0x8000 : 0;
    double m = fabs(d);
    unsigned lo = 0;
    unsigned hi = 0x7c00;
    while (hi - lo >
           1) { /* value(lo) <= m < value(hi), with infinity standing for 2^16 */
        unsigned mid = (lo + hi) / 2;
        *(half_value(mid) <= m ? &lo : &hi) = mid;
    }
    double up = hi == 0x7c00 ? 65536 : half_value(hi);
    double below = m - half_value(lo);
    double above = up - m;
    bool take_hi = above < below || (above == below && !(hi & 1)) || m >= 65536;
    return sign | (take_hi ? hi : lo);
}

static void
half_widens_exactly(void **state)
{
    (void)state;
    for (unsigned h = 0; h < 0x10000; h++) {
        double want = half_value(h);
        float got = half_to_float((uint16_t)h);
        if (isnan(want)) {
            assert_int_equal(float_bits(got),
                             (h & 0x8000u) << 16 | 0x7f800000u | (h & 0x3ffu) << 13);
        } else {
            assert_true((double)got == want && !signbit(got) == !signbit(want));
            assert_int_equal(half_from_float(got), h);
        }
    }
}

static void
half_rounds_to_nearest_even(void **state)
{
    (void)state;
    for (unsigned h = 0; h < 0x7c00; h++) {
        double lo = half_value(h);
        double hi = h == 0x7bff ? 65536 : half_value(h + 1);
        double mid = (lo + hi) / 2;
        double at[] = {mid, nextafter(mid, 0), nextafter(mid, 1e9), nextafter(lo, 1e9)};
        for (int i = 0; i < 4; i++) {
            assert_int_equal(half_from_double(at[i]), nearest_half(at[i]));
            assert_int_equal(half_from_double(-at[i]), nearest_half(-at[i]));
            float f = (float)at[i];
            assert_int_equal(half_from_float(f), nearest_half(f));
        }
    }
    assert_int_equal(half_from_double(65519.999), 0x7bff);
    assert_int_equal(half_from_double(65520), 0x7c00);
    assert_int_equal(half_from_double(1e308), 0x7c00);
    assert_int_equal(half_from_double(-1e308), 0xfc00);
    assert_int_equal(half_from_double(1e-308), 0);
    assert_int_equal(half_from_float(-NAN), 0x7e00);
}

static void
half_double_rounds_once(void **state)
{
    (void)state;
    /* Just above the middle between 1 and 1 + 2^-10, too little for a float to keep. */
    assert_int_equal(half_from_double(1 + 0x1p-11 + 0x1p-40), 0x3c01);
    assert_int_equal(half_from_double(1 + 0x1p-11), 0x3c00);
    assert_int_equal(bfloat_from_double(1 + 0x1p-8 + 0x1p-40), 0x3f81);
    assert_int_equal(bfloat_from_double(1 + 0x1p-8), 0x3f80);
    assert_int_equal(bfloat_from_double(-(1 + 0x1p-8 + 0x1p-40)), 0xbf81);
    assert_int_equal(half_from_double(0x1p-25), 0);
    assert_int_equal(half_from_double(0x1p-25 + 0x1p-70), 1);
}

static void
bfloat_rounds_to_nearest_even(void **state)
{
    (void)state;
    for (uint32_t b = 0; b < 0x7f80; b++) {
        float lo = bfloat_to_float((uint16_t)b);
        assert_int_equal(bfloat_from_float(lo), b);
        uint32_t half = (b << 16) + 0x8000;
        assert_int_equal(bfloat_from_float(float_of_bits(half)), b + (b & 1));
        assert_int_equal(bfloat_from_float(float_of_bits(half - 1)), b);
        assert_int_equal(bfloat_from_float(float_of_bits(half + 1)), b + 1);
    }
    assert_int_equal(bfloat_from_float(float_of_bits(0xff800001)), 0x7fc0);
    assert_int_equal(bfloat_from_double(-INFINITY), 0xff80);
}

static void
integers_wrap(void **state)
{
    (void)state;
    assert_int_equal(op2(SOP_ADD, DT_S8, 127, 1), -128);
    assert_int_equal(op2(SOP_ADD, DT_U8, 255, 1), 0);
    assert_int_equal(op2(SOP_MUL, DT_S64, INT64_MIN, -1), INT64_MIN);
    assert_int_equal(op2(SOP_SUB, DT_U32, 0, 1), 0xffffffff);
    assert_int_equal(op2(SOP_SUB, DT_U64, 0, 1), -1);
    assert_int_equal(scalar_wrap(DT_S16, 0x18000), -0x8000);
    assert_int_equal(scalar_wrap(DT_F16, -1), 0xffff);
    assert_int_equal(scalar_wrap(DT_BOOL, 8), 1);
}

static void
division(void **state)
{
    (void)state;
    int64_t r;
    assert_int_equal(op2(SOP_DIV, DT_S32, -7, 2), -3);
    assert_int_equal(op2(SOP_REM, DT_S32, -7, 2), -1);
    assert_int_equal(op2(SOP_DIV, DT_S32, INT32_MIN, -1), INT32_MIN);
    assert_int_equal(op2(SOP_DIV, DT_S64, INT64_MIN, -1), INT64_MIN);
    assert_int_equal(op2(SOP_REM, DT_S64, INT64_MIN, -1), 0);
    assert_true((uint64_t)op2(SOP_DIV, DT_U64, -1, 2) == UINT64_MAX / 2);
    assert_false(scalar_eval(SOP_DIV, DT_S32, DT_S32, 1, 0, &r));
    assert_false(scalar_eval(SOP_REM, DT_U64, DT_U64, 1, 0, &r));
    assert_int_equal(op2(SOP_DIV, DT_F32, f32(1), f32(0)), 0x7f800000);
    assert_int_equal(op2(SOP_REM, DT_F32, f32(-7), f32(2)), f32(-1));
    assert_int_equal(op2(SOP_DIV, DT_F32, f32(0), f32(-0.0)), 0x7fc00000);
}

static void
shifts(void **state)
{
    (void)state;
    assert_int_equal(op2(SOP_SHL, DT_S32, 1, 31), INT32_MIN);
    assert_int_equal(op2(SOP_SHL, DT_S32, 1, 32), 0);
    assert_int_equal(op2(SOP_SHL, DT_S32, 1, -1), 0);
    assert_int_equal(op2(SOP_SHR, DT_S32, -8, 1), -4);
    assert_int_equal(op2(SOP_SHR, DT_S32, -8, 99), -1);
    assert_int_equal(op2(SOP_SHR, DT_S32, 8, 99), 0);
    assert_int_equal(op2(SOP_SHR, DT_U64, -1, 63), 1);
    assert_int_equal(op2(SOP_SHR, DT_U8, 0x80, 7), 1);
}

static void
compares(void **state)
{
    (void)state;
    int64_t nan = 0x7e00;
    assert_int_equal(op2(SOP_LT, DT_U64, 1, -1), 1);
    assert_int_equal(op2(SOP_LT, DT_S64, 1, -1), 0);
    assert_int_equal(op2(SOP_NE, DT_F16, nan, nan), 1);
    assert_int_equal(op2(SOP_EQ, DT_F16, nan, nan), 0);
    assert_int_equal(op2(SOP_GE, DT_F16, nan, 0), 0);
    assert_int_equal(op2(SOP_EQ, DT_F16, 0x8000, 0), 1);
}

static void
float_arithmetic_rounds_once(void **state)
{
    (void)state;
    /* 2048 + 1 in float16 is a tie between 2048 and 2050. */
    assert_int_equal(op2(SOP_ADD, DT_F16, 0x6800, 0x3c00), 0x6800);
    assert_int_equal(op2(SOP_MUL, DT_F16, 0x7bff, 0x7bff), 0x7c00);
    assert_int_equal(op2(SOP_SUB, DT_F16, 0x7c00, 0x7c00), 0x7e00);
    assert_int_equal(op2(SOP_ADD, DT_BF16, 0x7f81, 0x3f80), 0x7fc0);
    int64_t r;
    assert_true(scalar_eval(SOP_SQRT, DT_S64, DT_S64, -99, 0, &r));
    assert_int_equal(r, 9);
    assert_true(scalar_eval(SOP_SQRT, DT_S64, DT_S64, INT64_MIN, 0, &r));
    assert_int_equal(r, 3037000499);
    assert_true(scalar_eval(SOP_SQRT, DT_F32, DT_F32, 0xc0800000, 0, &r));
    assert_int_equal(r, 0x40000000);
    assert_true(scalar_eval(SOP_NEG, DT_F32, DT_F32, 0xffc12345, 0, &r));
    assert_int_equal(r, 0x7fc00000);
    assert_true(scalar_eval(SOP_NEG, DT_F16, DT_F16, 0x3c00, 0, &r));
    assert_int_equal(r, 0xbc00);
}

static void
casts(void **state)
{
    (void)state;
    assert_int_equal(cast(DT_S8, DT_F32, f32(-128.9)), -128);
    assert_int_equal(cast(DT_S8, DT_F32, f32(-300)), -128);
    assert_int_equal(cast(DT_S8, DT_F32, f32(127.9)), 127);
    assert_int_equal(cast(DT_U8, DT_F32, f32(-1)), 0);
    assert_int_equal(cast(DT_S32, DT_F32, f32(2147483648.0)), INT32_MAX);
    assert_int_equal(cast(DT_S32, DT_F32, f32(2147483520.0)), 2147483520);
    assert_int_equal(cast(DT_S64, DT_F32, f32(1e30)), INT64_MAX);
    assert_int_equal(cast(DT_S64, DT_F32, f32(-1e30)), INT64_MIN);
    assert_true((uint64_t)cast(DT_U64, DT_F32, f32(0x1p63)) == UINT64_C(1) << 63);
    assert_int_equal(cast(DT_U64, DT_F32, f32(1e30)), -1);
    assert_int_equal(cast(DT_S32, DT_F16, 0x7e00), 0);
    assert_int_equal(cast(DT_BOOL, DT_F16, 0x8000), 0);
    assert_int_equal(cast(DT_BOOL, DT_F16, 0x7e00), 1);
    assert_int_equal(cast(DT_BOOL, DT_S32, 256), 1);
    assert_int_equal(cast(DT_U8, DT_S32, 256), 0);
    assert_int_equal(cast(DT_S32, DT_U32, 0xffffffff), -1);
    assert_int_equal(cast(DT_F32, DT_U64, -1), f32(0x1p64));
    assert_int_equal(cast(DT_F32, DT_S64, -1), f32(-1));
    assert_int_equal(cast(DT_F16, DT_S32, 65520), 0x7bff);
    assert_int_equal(cast(DT_F16, DT_S64, -1000000000), 0xfbff);
    assert_int_equal(cast(DT_F16, DT_F32, 0xffffffff), 0);
    assert_int_equal(cast(DT_F16, DT_F32, 0xff800000), 0xfbff);
    assert_int_equal(cast(DT_F16, DT_F32, f32(65519.9)), 0x7bff);
    assert_int_equal(cast(DT_F16, DT_BF16, 0x7f80), 0x7bff);
    assert_int_equal(cast(DT_BF16, DT_F32, 0x7fffffff), 0);
    assert_int_equal(cast(DT_BF16, DT_F32, 0x7f7fffff), 0x7f7f);
    assert_int_equal(cast(DT_BF16, DT_F16, 0xfc00), 0xff7f);
    assert_int_equal(cast(DT_F32, DT_F16, 0xfc00), 0xff800000);
    assert_int_equal(cast(DT_F32, DT_BF16, 0xffff), 0x7fc00000);
    int64_t r;
    assert_true(scalar_eval(SOP_BITS, DT_S16, DT_F16, 0x8000, 0, &r));
    assert_int_equal(r, -32768);
    assert_true(scalar_eval(SOP_BITS, DT_F16, DT_S16, -32768, 0, &r));
    assert_int_equal(r, 0x8000);
}

static void
ranges(void **state)
{
    (void)state;
    int64_t lo, hi;
    bool full;
    scalar_range(DT_S64, &lo, &hi, &full);
    assert_true(lo == INT64_MIN && hi == INT64_MAX && full);
    scalar_range(DT_U64, &lo, &hi, &full);
    assert_true(lo == 0 && hi == INT64_MAX && !full);
    scalar_range(DT_S8, &lo, &hi, &full);
    assert_true(lo == -128 && hi == 127 && full);
    scalar_range(DT_U32, &lo, &hi, &full);
    assert_true(lo == 0 && hi == 0xffffffff && full);
}

/* Bits of floats have no operations. */
static void
floats_have_no_bits(void **state)
{
    (void)state;
    static const ScalarOp ops[] = {SOP_AND, SOP_OR, SOP_XOR, SOP_SHL, SOP_SHR, SOP_NOT};
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        int64_t out = 7;
        assert_false(scalar_eval(ops[i], DT_F32, DT_F32, 1, 1, &out));
        assert_int_equal(out, 7);
    }
}

static void
operations_have_names(void **state)
{
    (void)state;
    ScalarOp op;
    for (int i = 0; i < SOP_COUNT; i++) {
        assert_true(scalar_op_find(scalar_op_table[i].name, &op));
        assert_int_equal(op, i);
    }
    assert_false(scalar_op_find("pow", &op));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_widens_exactly),
        cmocka_unit_test(half_rounds_to_nearest_even),
        cmocka_unit_test(half_double_rounds_once),
        cmocka_unit_test(bfloat_rounds_to_nearest_even),
        cmocka_unit_test(integers_wrap),
        cmocka_unit_test(division),
        cmocka_unit_test(shifts),
        cmocka_unit_test(compares),
        cmocka_unit_test(float_arithmetic_rounds_once),
        cmocka_unit_test(casts),
        cmocka_unit_test(ranges),
        cmocka_unit_test(floats_have_no_bits),
        cmocka_unit_test(operations_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
