/* num.c: measures the speed of the elementary functions and conversions, and errors over
 * every float32.
 *
 * usage: num                 GB/s (bytes in and out) of every level; functions also by a
 *                           loop over the C library, and by SLEEF where libsleef.so.3
 *                           is found
 *       num --every FN      results over all 2^32 arguments that are not the exact value
 *                           rounded once, by 80-bit arithmetic; takes minutes
 *
 * SLEEF has the double functions that give the same bits with and without AVX-512 (cinz),
 * with one rounding to float32, which is the accuracy of ours; and the float32 functions,
 * off by up to 1 ulp. */
#define _DEFAULT_SOURCE
#include <dlfcn.h>
#include <immintrin.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "num/half.h"
#include "num/conv.h"
#include "num/fn.h"

enum {
    N = 8192,
    ROUNDS = 15,
    CHUNK = 1 << 20
};

typedef struct Row {
    const char *name;
    NumFn fn;
    float lo, hi; /* range of the arguments that are measured */
    float (*single)(float);
    double (*wide)(double);
    long double (*exact)(long double);
    const char *sleef64, *sleef32;
} Row;

static float
rec_single(float x)
{
    return 1.0f / x;
}

static double
rec_wide(double x)
{
    return 1.0 / x;
}

static long double
rec_exact(long double x)
{
    return 1.0L / x;
}

static float
rsqrt_single(float x)
{
    return 1.0f / sqrtf(x);
}

static double
rsqrt_wide(double x)
{
    return 1.0 / sqrt(x);
}

static long double
rsqrt_exact(long double x)
{
    return 1.0L / sqrtl(x);
}

static const Row rows[] = {
    {"exp", NUM_EXP, -80, 80, expf, exp, expl, "Sleef_cinz_expd8_u10avx512fnofma",
     "Sleef_cinz_expf16_u10avx512fnofma"},
    {"ln", NUM_LN, 0.001f, 1000, logf, log, logl, "Sleef_cinz_logd8_u10avx512fnofma",
     "Sleef_cinz_logf16_u10avx512fnofma"},
    {"sqrt", NUM_SQRT, 0, 1000, sqrtf, sqrt, sqrtl, NULL, NULL},
    {"rec", NUM_REC, 1, 1000, rec_single, rec_wide, rec_exact, NULL, NULL},
    {"rsqrt", NUM_RSQRT, 0.001f, 1000, rsqrt_single, rsqrt_wide, rsqrt_exact, NULL, NULL},
    {"sin", NUM_SIN, -100, 100, sinf, sin, sinl, "Sleef_cinz_sind8_u10avx512fnofma",
     "Sleef_cinz_sinf16_u10avx512fnofma"},
    {"cos", NUM_COS, -100, 100, cosf, cos, cosl, "Sleef_cinz_cosd8_u10avx512fnofma",
     "Sleef_cinz_cosf16_u10avx512fnofma"},
};

/* One way to compute; only the members of that way are set. */
typedef struct Way {
    NumFnLanes *lanes;
    float (*single)(float);
    double (*wide)(double);
    void *sleef64, *sleef32;
} Way;

__attribute__((target("avx512f"))) static void
run_sleef64(__m512d (*f)(__m512d), float *d, const float *s)
{
    for (int i = 0; i < N; i += 8) {
        _mm256_storeu_ps(d + i,
                         _mm512_cvtpd_ps(f(_mm512_cvtps_pd(_mm256_loadu_ps(s + i)))));
    }
}

__attribute__((target("avx512f"))) static void
run_sleef32(__m512 (*f)(__m512), float *d, const float *s)
{
    for (int i = 0; i < N; i += 16) {
        _mm512_storeu_ps(d + i, f(_mm512_loadu_ps(s + i)));
    }
}

static void
run_way(const Way *w, float *d, const float *s)
{
    __m512d (*f64)(__m512d);
    __m512 (*f32)(__m512);
    if (w->lanes) {
        w->lanes(d, s, N);
    } else if (w->sleef64) {
        memcpy(&f64, &w->sleef64, sizeof f64);
        run_sleef64(f64, d, s);
    } else if (w->sleef32) {
        memcpy(&f32, &w->sleef32, sizeof f32);
        run_sleef32(f32, d, s);
    } else {
        for (int i = 0; i < N; i++) {
            d[i] = w->single ? w->single(s[i]) : (float)w->wide(s[i]);
        }
    }
}

static double
now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Returns the best of some rounds, in GB/s read and written. */
static double
speed(const Way *w, const float *src)
{
    static float dst[N];
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        double start = now();
        for (int k = 0; k < 10; k++) {
            run_way(w, dst, src);
        }
        double t = (now() - start) / 10;
        best = t < best ? t : best;
    }
    return 8e-9 * N / best;
}

static void
print_way(const Way *w, const float *src, bool some)
{
    if (some) {
        printf(" %9.2f", speed(w, src));
    } else {
        printf(" %9s", "-");
    }
}

static void
measure(const Row *r, void *sleef, NumType t)
{
    static float src[N];
    for (int i = 0; i < N; i++) {
        float x =
            r->lo + (r->hi - r->lo) * (float)(i * 2654435761u >> 8 & 0xffff) / 65536;
        src[i] = x;
        if (t == NUM_F16) {
            ((uint16_t *)src)[i] = half_from_float(x);
        }
    }
    printf("%-6s %s", r->name, t == NUM_F32 ? "f32" : "f16");
    for (int level = 0; level < NUM_LEVELS; level++) {
        Way w = {.lanes = num_fn_at((NumLevel)level, r->fn, t)};
        print_way(&w, src, level <= (int)num_level());
    }
    if (t == NUM_F32) {
        bool has = sleef && r->sleef64 && num_level() == NUM_LEVEL_AVX512;
        print_way(&(Way){.single = r->single}, src, true);
        print_way(&(Way){.wide = r->wide}, src, true);
        Way w64 = {.sleef64 = has ? dlsym(sleef, r->sleef64) : NULL};
        print_way(&w64, src, w64.sleef64 != NULL);
        Way w32 = {.sleef32 = has ? dlsym(sleef, r->sleef32) : NULL};
        print_way(&w32, src, w32.sleef32 != NULL);
    }
    printf("\n");
}

static const struct {
    NumConv conv;
    const char *name;
    int bytes; /* bytes of source and result */
} convs[] = {
    {{NUM_F32, NUM_F16, NUM_NEAREST, false}, "f16 -> f32", 6},
    {{NUM_F16, NUM_F32, NUM_NEAREST, false}, "f32 -> f16", 6},
    {{NUM_F16, NUM_F32, NUM_ODD, false}, "f32 -> f16 odd", 6},
    {{NUM_BF16, NUM_F32, NUM_NEAREST, false}, "f32 -> bf16", 6},
    {{NUM_S32, NUM_F32, NUM_FLOOR, false}, "f32 -> s32 floor", 8},
    {{NUM_S64, NUM_F32, NUM_FLOOR, false}, "f32 -> s64 floor", 12},
    {{NUM_S32, NUM_F16, NUM_NEAREST, false}, "f16 -> s32", 6},
    {{NUM_S8, NUM_F16, NUM_NEAREST, false}, "f16 -> s8", 3},
    {{NUM_U8, NUM_F16, NUM_TO_ZERO, true}, "f16 -> u8 kept", 3},
    {{NUM_S4, NUM_F16, NUM_NEAREST, false}, "f16 -> s4", 2},
    {{NUM_F16, NUM_U8, NUM_NEAREST, false}, "u8 -> f16", 3},
    {{NUM_F32, NUM_S32, NUM_NEAREST, false}, "s32 -> f32", 8},
    {{NUM_F32, NUM_S32, NUM_CEIL, false}, "s32 -> f32 ceil", 8},
    {{NUM_S16, NUM_S32, NUM_NEAREST, false}, "s32 -> s16", 6},
};

static void
measure_conversions(void)
{
    static int64_t src[N], dst[N];
    for (size_t c = 0; c < sizeof convs / sizeof convs[0]; c++) {
        printf("%-18s", convs[c].name);
        for (int level = 0; level <= (int)num_level(); level++) {
            double best = 1e9;
            for (int round = 0; round < ROUNDS * 10; round++) {
                double start = now();
                num_conv_at((NumLevel)level, &convs[c].conv, dst, src, N);
                double t = now() - start;
                best = t < best ? t : best;
            }
            printf(" %9.2f", 1e-9 * N * convs[c].bytes / best);
        }
        printf("\n");
    }
}

static void
measure_all(void)
{
    void *sleef = dlopen("libsleef.so.3", RTLD_NOW);
    printf("GB/s (f16: half the bytes)\n%-10s %9s %9s %9s %9s %9s %9s %9s\n", "", "base",
           "avx2", "avx512", "libm f32", "libm f64", "SLEEF f64", "SLEEF f32");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        measure(&rows[i], sleef, NUM_F32);
        measure(&rows[i], sleef, NUM_F16);
    }
    measure_conversions();
}

/* Returns the exact value rounded once, by 80-bit arithmetic; it reports when even that
 * cannot decide. */
static uint32_t
rounded_exactly(const Row *r, float x)
{
    long double v = r->exact((long double)x);
    float below = (float)(v * (1 - 0x1p-61L)), above = (float)(v * (1 + 0x1p-61L));
    if (below != above && v != 0 && v == v) {
        printf("%s(%08x): undecided\n", r->name, float_bits(x));
    }
    return float_bits_canonical((float)v);
}

/* The C library's double result decides unless it is near the middle between two floats,
 * or among subnormal floats, whose middles are elsewhere. */
static uint64_t
wrong_in(const Row *r, uint32_t first, const uint32_t *got)
{
    uint64_t wrong = 0;
    for (uint32_t i = 0; i < CHUNK; i++) {
        float x = float_of_bits(first + i);
        double v = r->wide((double)x);
        uint32_t want = float_bits_canonical((float)v);
        uint32_t cut = (uint32_t)double_bits(v) & 0x1fffffffu;
        bool middle = cut - (0x10000000u - 64) < 128;
        if (middle || want != got[i] || (v < 0x1p-125 && v > -0x1p-125)) {
            want = rounded_exactly(r, x);
        }
        if (want != got[i]) {
            printf("%s(%08x) = %08x, exactly %08x\n", r->name, first + i, got[i], want);
            wrong++;
        }
    }
    return wrong;
}

static int
every(const Row *r)
{
    static uint32_t a[CHUNK];
    NumFnLanes *run = num_fn(r->fn, NUM_F32);
    uint64_t wrong = 0;
    for (uint64_t first = 0; first >> 32 == 0; first += CHUNK) {
        for (uint32_t i = 0; i < CHUNK; i++) {
            a[i] = (uint32_t)first + i;
        }
        run(a, a, CHUNK);
        wrong += wrong_in(r, (uint32_t)first, a);
    }
    printf("%s: %llu of 2^32 results are not correctly rounded\n", r->name,
           (unsigned long long)wrong);
    return 0;
}

int
main(int argc, char **argv)
{
    if (argc == 1) {
        measure_all();
        return 0;
    }
    for (size_t i = 0; argc == 3 && i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].name, argv[2]) == 0) {
            return every(&rows[i]);
        }
    }
    fprintf(stderr, "usage: num [--every FN]\n");
    return 2;
}
