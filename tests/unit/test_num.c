/* test_num.c: checks the numeric library as its callers use it: tables, lengths,
 * addresses, special values. All float16 arguments and millions of others are in
 * tests/random/num_functions.py and num_conversions.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include <cmocka.h>

#include "num/half.h"
#include "num/conv.h"
#include "num/deq.h"
#include "num/fn.h"
#include "num/int.h"
#include "num/trig.h"
#include "random.h"

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

static double
reference(NumFn f, double x)
{
    switch (f) {
    case NUM_EXP:
        return exp(x);
    case NUM_EXPM1:
        return expm1(x);
    case NUM_LN:
        return log(x);
    case NUM_SQRT:
        return sqrt(x);
    case NUM_REC:
        return 1 / x;
    case NUM_RSQRT:
        return 1 / sqrt(x);
    case NUM_SIN:
        return sin(x);
    default:
        return cos(x);
    }
}

/* Compares a million of float32 with the double functions of the C library, which are
 * right to 50 bits at least, where these say how to round. */
static void
roundings_of_f32(NumFn f)
{
    static uint32_t x[1 << 20], y[1 << 20];
    const double near = 0x1p-50;
    uint32_t n = 0, told = 0;
    for (uint64_t bits = (uint64_t)f; bits < UINT64_C(1) << 32; bits += 4099) {
        x[n++] = (uint32_t)bits;
    }
    num_fn(f, NUM_F32)(y, x, n);
    for (uint32_t i = 0; i < n; i++) {
        double r = reference(f, float_of_bits(x[i]));
        float least = (float)(r * (1 - near)), most = (float)(r * (1 + near));
        if (float_bits_canonical(least) != float_bits_canonical(most)) {
            continue;
        }
        told++;
        if (y[i] != float_bits_canonical(most)) {
            fail_msg("function %d of %#x is %#x", (int)f, x[i], y[i]);
        }
    }
    assert_true(told > n / 100 * 99);
}

/* All float16 are compared, with the float32 next to the reference on both sides. */
static void
roundings_of_f16(NumFn f)
{
    uint32_t told = 0;
    for (uint32_t x = 0; x < 1 << 16; x++) {
        float r = (float)reference(f, half_to_float((uint16_t)x));
        uint16_t least = half_from_float(nextafterf(r, -INFINITY));
        uint16_t most = half_from_float(nextafterf(r, INFINITY));
        bool zero = ((least | most) & 0x7fff) == 0;
        told += least == most;
        if ((zero || least == most) && f16_at(f, (uint16_t)x) != half_from_float(r)) {
            fail_msg("function %d of %#x is %#x", (int)f, x, f16_at(f, (uint16_t)x));
        }
    }
    assert_true(told > 50000);
}

static void
roundings(void **state)
{
    (void)state;
    for (int f = 0; f < NUM_FNS; f++) {
        roundings_of_f16((NumFn)f);
        if (num_fn((NumFn)f, NUM_F32) != NULL) {
            roundings_of_f32((NumFn)f);
        }
    }
}

/* 16367173 * 2^72 is the float32 nearest to a multiple of pi / 2. */
static void
huge_arguments(void **state)
{
    (void)state;
    double r, rest;
    assert_int_equal(f32_at(NUM_COS, 0x6f79be45), f32_at(NUM_COS, 0xef79be45));
    assert_int_equal(f32_at(NUM_SIN, 0x6f79be45), 0x3f800000);
    uint64_t n = num_reduce(0x6f79be45, &r, &rest);
    assert_int_equal(n & 3, 1);
    assert_true(r < 0x1p-29 && r > -0x1p-29 && r != 0);
    assert_true(rest < 0x1p-82 && rest > -0x1p-82);
    assert_int_equal(num_reduce(0xef79be45, &r, &rest) & 3, 3);
    num_reduce(0x7f800000, &r, &rest);
    assert_true(r != r);
}

/* Every length and an odd address give what one element alone gives, and no other byte is
 * written. */
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

/* In place, and with large arguments among small ones, all levels give the bits of the
 * base level. */
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
            num_fn_fast_at(NUM_LEVEL_BASE, (NumFn)f, NUM_F32)(base, src, N);
            num_fn_fast_at((NumLevel)level, (NumFn)f, NUM_F32)(other, src, N);
            assert_memory_equal(other, base, sizeof base);
        }
    }
}

/* Converts one element; its bits and the result's are in the low end of a number. */
static uint64_t
converted(NumType src, NumType dst, NumRound round, bool keep, uint64_t x)
{
    uint64_t r = 0;
    num_conv(&(NumConv){dst, src, round, keep}, &r, &x, 1);
    return r;
}

static void
conversions(void **state)
{
    (void)state;
    NumConv none = {NUM_S32, NUM_F16, NUM_ODD, false};
    assert_false(num_conv_exists(&none));
    none = (NumConv){NUM_U64, NUM_F32, NUM_NEAREST, false};
    assert_false(num_conv_exists(&none));
    none = (NumConv){NUM_F32, NUM_F16, NUM_FLOOR, false};
    assert_false(num_conv_exists(&none));
    NumConv some = {NUM_F16, NUM_F32, NUM_ODD, false};
    assert_true(num_conv_exists(&some));
    /* 2.5 in each mode */
    const uint64_t integers[] = {2, 2, 3, 3, 2};
    for (int r = NUM_NEAREST; r <= NUM_TO_ZERO; r++) {
        assert_int_equal(converted(NUM_F32, NUM_S32, (NumRound)r, false, 0x40200000),
                         integers[r]);
    }
    assert_int_equal(converted(NUM_F32, NUM_F16, NUM_NEAREST, false, 0x7f800000), 0x7bff);
    assert_int_equal(converted(NUM_F32, NUM_F16, NUM_NEAREST, true, 0x7f800000), 0x7c00);
    assert_int_equal(converted(NUM_F32, NUM_F16, NUM_NEAREST, false, 0x7fc00000), 0);
    assert_int_equal(converted(NUM_F32, NUM_F16, NUM_ODD, false, 0x3f800001), 0x3c01);
    assert_int_equal(converted(NUM_F16, NUM_U8, NUM_NEAREST, true, 0x5c04), 1); /* 257 */
    assert_int_equal(converted(NUM_F16, NUM_U8, NUM_NEAREST, false, 0x5c04), 255);
    assert_int_equal(converted(NUM_S16, NUM_U32, NUM_NEAREST, false, 0xffff), 0);
    assert_int_equal(converted(NUM_F32, NUM_F32, NUM_CEIL, false, 0xbe99999a),
                     0x80000000);
}

static void
scaled_conversions(void **state)
{
    (void)state;
    const int32_t wide[] = {2049, 2051, 70000, -70000};
    const uint16_t halves[] = {0x6800, 0x6802, 0x7bff, 0xfbff};
    uint16_t h[4];
    num_conv_scaled(h, wide, 0x3c00, false, 4);
    assert_memory_equal(h, halves, sizeof h);
    const int16_t shorts[] = {300, -100};
    const uint64_t pack = UINT64_C(1) << 46 | UINT64_C(3) << 37 | 0x3f000000;
    int8_t bytes[2];
    num_conv_packed(bytes, shorts, &pack, 1, 2);
    assert_int_equal(bytes[0], 127);
    assert_int_equal(bytes[1], -47);
}

/* Returns the result of one element with one parameter word, sign extended. */
static int64_t
dequantised(NumType src, NumType dst, uint64_t word, bool relu, int32_t x)
{
    NumDeq d = {.dst = dst, .src = src, .scale = dst != NUM_S16, .relu = relu};
    num_deq_words(&d, &word, 1, true);
    assert_true(num_deq_exists(&d));
    uint16_t h = 0;
    int8_t b = 0;
    bool narrow = dst == NUM_S8 || dst == NUM_U8;
    num_deq(&d, narrow ? (void *)&b : (void *)&h, &x, 1);
    return dst == NUM_S8    ? b
           : dst == NUM_U8  ? (uint8_t)b
           : dst == NUM_S16 ? (int16_t)h
                            : h;
}

/* The order is: shift and 16 bits, multiply, round, 9 bits, relu, offset, 8 bits. */
static void
dequantisation(void **state)
{
    (void)state;
    const uint64_t shift8 = 0x000040773f000000; /* 0.5, shift 8, offset 3, int8 */
    assert_int_equal(dequantised(NUM_S32, NUM_S8, shift8, false, 1000), 5);
    assert_int_equal(dequantised(NUM_S32, NUM_S8, shift8, false, -1000), 1);
    assert_int_equal(dequantised(NUM_S32, NUM_S8, shift8, false, 1280), 5);
    assert_int_equal(dequantised(NUM_S32, NUM_U8, 0x3f000000, false, 7), 4);
    const uint64_t minus10 = 0x00003ec03f800000;
    assert_int_equal(dequantised(NUM_S32, NUM_U8, minus10, false, 400), 245);
    assert_int_equal(dequantised(NUM_S32, NUM_S8, 0x00007f203a83126f, false, 70000), 63);
    assert_int_equal(dequantised(NUM_S32, NUM_F16, 0x3c23d70a, false, -12345), 0xd7b7);
    assert_int_equal(dequantised(NUM_S32, NUM_F16, 0x3c23d70a, true, -12345), 0);
    assert_int_equal(dequantised(NUM_S32, NUM_F16, 0x3c23d70a, false, 12345678), 0x7bff);
    assert_int_equal(dequantised(NUM_S32, NUM_F16, 0x133f800000, false, 1000), 0x53c0);
    assert_int_equal(dequantised(NUM_S32, NUM_S16, 0x200000000, false, -100), -13);
    assert_int_equal(dequantised(NUM_S32, NUM_S16, 0x200000000, true, -100), 0);
    assert_int_equal(dequantised(NUM_S32, NUM_S16, 0x200000000, false, 300000), 32767);
    /* a product that is NaN, and one that is infinite */
    assert_int_equal(dequantised(NUM_S32, NUM_S8, 0x400000000000 | 0x7fc00000, false, 9),
                     0);
    assert_int_equal(dequantised(NUM_S32, NUM_S8, 0x400000000000 | 0x7f800000, false, 9),
                     127);
    NumDeq none = {.dst = NUM_S8, .src = NUM_S32};
    assert_false(num_deq_exists(&none));
    none = (NumDeq){.dst = NUM_BF16, .src = NUM_S32, .scale = true};
    assert_false(num_deq_exists(&none));
}

static uint64_t
random_word(uint64_t *seed)
{
    random_next(seed);
    return *seed >> 32 | *seed << 32;
}

/* Every level gives the bits of the base level, also for a number of elements that is no
 * multiple of 16. */
static void
dequantisation_levels(void **state)
{
    (void)state;
    static uint32_t src[N], base[N], other[N];
    uint64_t seed = 7, words[DEQ_CHANNELS];
    for (int round = 0; round < 40; round++) {
        for (int i = 0; i < N; i++) {
            uint32_t r = (uint32_t)random_word(&seed);
            src[i] = round % 2 ? r : (uint32_t)((int32_t)r >> (r & 31));
        }
        for (int i = 0; i < DEQ_CHANNELS; i++) {
            words[i] = random_word(&seed);
            if (round % 3 == 0) { /* products that are near the limits of bytes */
                words[i] &= ~(uint64_t)0x7f800000;
                words[i] |= (uint64_t)(100 + random_word(&seed) % 28) << 23;
            }
        }
        for (int k = 0; k < NUM_TYPES * NUM_TYPES * 32; k++) {
            NumDeq d = {.dst = (NumType)(k / 32 % NUM_TYPES),
                        .src = (NumType)(k / 32 / NUM_TYPES),
                        .scale = k & 1,
                        .relu = k & 2,
                        .gate = k & 4,
                        .keep = k & 8};
            num_deq_words(&d, words, DEQ_CHANNELS, k & 16);
            for (int level = 1; num_deq_exists(&d) && level <= (int)num_level();
                 level++) {
                memset(base, 0, sizeof base);
                memset(other, 0, sizeof other);
                num_deq_at(NUM_LEVEL_BASE, &d, base, src, N - 5);
                num_deq_at((NumLevel)level, &d, other, src, N - 5);
                assert_memory_equal(base, other, sizeof base);
            }
        }
    }
}

/* Rows of 32 bytes out of two groups of 16 elements are those of the conversions of each,
 * where there is a way to make both at once; NaN and infinite factors have none. */
static void
conversions_of_pairs(void **state)
{
    (void)state;
    enum {
        ROWS = 7,
        PITCH = 40
    };
    uint32_t src[2][ROWS * DEQ_CHANNELS], made = 0;
    uint64_t seed = 11;
    for (int round = 0; round < 400; round++) {
        uint8_t one[2][ROWS * DEQ_CHANNELS], both[ROWS * PITCH];
        uint64_t words[DEQ_CHANNELS];
        NumDeq d[2];
        NumDeqPair pair;
        for (int g = 0; g < 2; g++) {
            for (int i = 0; i < ROWS * DEQ_CHANNELS; i++) {
                src[g][i] = (uint32_t)((int32_t)random_word(&seed) >> (i % 32));
            }
            for (int i = 0; i < DEQ_CHANNELS; i++) {
                words[i] = (uint64_t)random_word(&seed) << 37 |
                           (uint64_t)(90 + random_word(&seed) % 80) << 23 |
                           random_word(&seed) % (1 << 23);
                if (round % 3 == 0) { /* limits that saturation makes up for */
                    words[i] &= ((uint64_t)63 << 37) | 0x3f7fffffu;
                    words[i] |= 0x3c000000u;
                }
                words[i] |= round % 7 == 0 ? 0x7f800000u : 0;
            }
            d[g] = (NumDeq){.dst = round % 2 ? NUM_S8 : NUM_U8,
                            .src = NUM_S32,
                            .scale = true,
                            .relu = round & 4};
            num_deq_words(&d[g], words, DEQ_CHANNELS, true);
            num_deq(&d[g], one[g], src[g], ROWS * DEQ_CHANNELS);
        }
        memset(both, 0x5a, sizeof both);
        if (!num_deq_pair(&pair, &d[0], &d[1], round & 8)) {
            continue;
        }
        made++;
        pair.rows(&pair, both, PITCH, (const AnyS32 *)src[0], (const AnyS32 *)src[1],
                  ROWS);
        for (int i = 0; i < ROWS * PITCH; i++) {
            int row = i / PITCH, column = i % PITCH, g = column / DEQ_CHANNELS;
            uint8_t want =
                g < 2 ? one[g][row * DEQ_CHANNELS + column % DEQ_CHANNELS] : 0x5a;
            bool negative = round & 8 && round % 2 && g < 2 && (int8_t)want < 0;
            assert_int_equal(both[i], negative ? 0 : want);
        }
    }
    assert_true(num_level() != NUM_LEVEL_AVX512 || made > 200);
}

/* Rows of float16 out of a group of float32 are those of the conversion, for numbers of
 * all sizes, infinity, NaN and zeros. */
static void
conversions_of_rows(void **state)
{
    (void)state;
    enum {
        ROWS = 64
    };
    uint32_t src[ROWS * DEQ_CHANNELS];
    uint16_t want[ROWS * DEQ_CHANNELS], got[ROWS * DEQ_CHANNELS];
    static const uint32_t special[] = {0x80000000, 0,          0x7f800000,
                                       0xff800000, 0x7fc00000, 0xffc00001,
                                       0x477fefff, 0x477ff000, 0xc7800000};
    uint64_t seed = 5;
    int made = 0;
    for (int round = 0; round < 40; round++) {
        NumDeq d = {.dst = NUM_F16, .src = NUM_F32, .relu = round & 1};
        NumDeqPair p = {.rows = NULL};
        for (int i = 0; i < ROWS * DEQ_CHANNELS; i++) {
            uint32_t r = random_word(&seed);
            src[i] = i % 11 == 0
                         ? special[(uint32_t)i / 11 % (sizeof special / sizeof *special)]
                     : round % 4 < 2 ? r
                                     : (r & 0x8fffffffu) | 0x40000000u;
        }
        num_deq(&d, want, src, ROWS * DEQ_CHANNELS);
        if (num_deq_half_rows(&p, &d)) {
            p.rows(&p, (uint8_t *)got, 32, (const AnyS32 *)src, NULL, ROWS);
            assert_memory_equal(got, want, sizeof got);
            made++;
        }
        d.keep = true;
        assert_false(num_deq_half_rows(&p, &d));
    }
    assert_true(num_level() != NUM_LEVEL_AVX512 || made == 40);
}

/* Types have one size, and there are more elements than a piece; every level. */
static void
conversions_in_place(void **state)
{
    (void)state;
    static uint32_t src[N], apart[N], in_place[N];
    for (uint32_t i = 0; i < N; i++) {
        src[i] = float_bits((float)i * 1000003.7f - 5e8f);
    }
    for (int level = 0; level <= (int)num_level(); level++) {
        for (int r = NUM_NEAREST; r <= NUM_TO_ZERO; r++) {
            NumConv c = {NUM_S32, NUM_F32, (NumRound)r, r % 2 == 1};
            num_conv_at(NUM_LEVEL_BASE, &c, apart, src, N);
            memcpy(in_place, src, sizeof src);
            num_conv_at((NumLevel)level, &c, in_place, in_place, N);
            assert_memory_equal(in_place, apart, sizeof apart);
        }
    }
    assert_int_equal(apart[500], 1856); /* 500 * 1000003.6875f rounds to 500001856 */
}

/* An odd number of int4 leaves the high half 0 and writes nothing after it. */
static void
nibbles(void **state)
{
    (void)state;
    const uint16_t src[3] = {0x3c00, 0xbc00, 0x4900}; /* 1, -1, 10 */
    uint8_t dst[3] = {0xa5, 0xa5, 0xa5};
    num_conv(&(NumConv){NUM_S4, NUM_F16, NUM_NEAREST, false}, dst, src, 3);
    assert_int_equal(dst[0], 0xf1);
    assert_int_equal(dst[1], 0x07);
    assert_int_equal(dst[2], 0xa5);
}

static void
integers(void **state)
{
    (void)state;
    int16_t v = -3, r;
    num_shift(NUM_SHR, NUM_S16)(&r, &v, 1, 1);
    assert_int_equal(r, -2);
    num_shift(NUM_SHR_ROUNDED, NUM_S16)(&r, &v, 1, 1);
    assert_int_equal(r, -1);
    v = -21846;
    num_shift(NUM_SHL, NUM_S16)(&r, &v, 1, 1);
    assert_int_equal(r, -10924);
    assert_null(num_shift(NUM_SHR_ROUNDED, NUM_U16));
    assert_null(num_shift(NUM_SHL, NUM_U8));
    assert_int_equal(num_isqrt(99), 9);
    assert_int_equal(num_isqrt(0), 0);
    for (uint64_t k = 1; k <= UINT32_MAX; k = k * 3 + 1) {
        assert_int_equal(num_isqrt(k * k), k);
        assert_int_equal(num_isqrt(k * k - 1), k - 1);
    }
    assert_int_equal(num_isqrt(UINT64_MAX), UINT32_MAX);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_of_types),
        cmocka_unit_test(values),
        cmocka_unit_test(roundings),
        cmocka_unit_test(huge_arguments),
        cmocka_unit_test(lengths_and_addresses),
        cmocka_unit_test(levels_agree),
        cmocka_unit_test(conversions),
        cmocka_unit_test(scaled_conversions),
        cmocka_unit_test(nibbles),
        cmocka_unit_test(dequantisation),
        cmocka_unit_test(dequantisation_levels),
        cmocka_unit_test(conversions_of_pairs),
        cmocka_unit_test(conversions_of_rows),
        cmocka_unit_test(conversions_in_place),
        cmocka_unit_test(integers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
