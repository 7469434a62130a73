/* functions.c: the elementary functions of every float32 or float16, compared with MPFR.
 *
 * usage: functions FN TYPE [FROM TO]
 * FN is a row of functions[], TYPE float32 or float16, FROM and TO bits of arguments in
 * hex; all by default. Results of float16 are compared with MPFR; those of float32 with
 * the C library's double function where that one is further than 2^-38 of its value from
 * the middle of two numbers, and with MPFR elsewhere. So the C library may be off by
 * thousands of units of a double's last place before it could hide an error. Each level
 * of the processor is tried.
 *
 * Prints wrong results, the arguments that are hardest to round, and a line
 * 'FN TYPE: N arguments, M by MPFR, K wrong'. The exit code is 1 when there are any.
 *
 * TYPE fast stands for float32 in the reading `fast`: prints the largest error in units
 * of the last place by the C library's double function. Wrong is a result that is off by
 * 2 of them, or that is not the same at each level. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpfr.h>

#include "num/fn.h"
#include "num/half.h"

enum {
    CHUNK = 1 << 16,
    HARDEST = 24,
    WIDE = 160 /* bits of MPFR's numbers for distances */
};

#define MARGIN 0x1p-38

static double
rec_double(double x)
{
    return 1 / x;
}

static double
rsqrt_double(double x)
{
    return 1 / sqrt(x);
}

static int
rec_exact(mpfr_t y, const mpfr_t x, mpfr_rnd_t round)
{
    return mpfr_ui_div(y, 1, x, round);
}

typedef struct Function {
    const char *name;
    NumFn fn;
    double (*wide)(double);
    int (*exact)(mpfr_t, const mpfr_t, mpfr_rnd_t);
} Function;

static const Function functions[] = {
    {"exp", NUM_EXP, exp, mpfr_exp},
    {"expm1", NUM_EXPM1, expm1, mpfr_expm1},
    {"ln", NUM_LN, log, mpfr_log},
    {"sqrt", NUM_SQRT, sqrt, mpfr_sqrt},
    {"rec", NUM_REC, rec_double, rec_exact},
    {"rsqrt", NUM_RSQRT, rsqrt_double, mpfr_rec_sqrt},
    {"sin", NUM_SIN, sin, mpfr_sin},
    {"cos", NUM_COS, cos, mpfr_cos},
};

/* One of the arguments that are hardest to round, and how far from the middle of two
 * numbers the function is, in units of the last place. */
typedef struct Hard {
    uint32_t bits;
    double distance;
} Hard;

typedef struct Job {
    const Function *f;
    bool half, fast;
    double worst; /* fast: the largest error */
    NumFnLanes *run[NUM_LEVELS];
    int levels;
    uint64_t asked, wrong;
    Hard hardest[HARDEST];
    int nhardest;
    mpfr_t x, y, wide;
} Job;

static uint32_t
round_double(const Job *j, double d)
{
    return j->half ? half_from_double(d) : float_bits_canonical((float)d);
}

static double
value_of(const Job *j, uint32_t bits)
{
    return j->half ? half_to_float((uint16_t)bits) : float_of_bits(bits);
}

/* Returns the exact value rounded once, subnormal results too. */
static uint32_t
nearest(Job *j, double x)
{
    mpfr_set_emin(j->half ? -23 : -148);
    mpfr_set_emax(j->half ? 16 : 128);
    mpfr_set_d(j->x, x, MPFR_RNDN);
    int inexact = j->f->exact(j->y, j->x, MPFR_RNDN);
    mpfr_subnormalize(j->y, inexact, MPFR_RNDN);
    double d = mpfr_get_d(j->y, MPFR_RNDN);
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
    return round_double(j, d);
}

/* Notes how near the value is to the middle of two numbers; y is the value rounded. */
static void
note_distance(Job *j, uint32_t bits, double y)
{
    if (y == 0 || !isfinite(y)) {
        return;
    }
    int digits = j->half ? 11 : 24, least = j->half ? -13 : -125, e;
    mpfr_set_d(j->x, value_of(j, bits), MPFR_RNDN);
    if (j->f->exact(j->wide, j->x, MPFR_RNDN) == 0) {
        return; /* the value has few digits: it is no hard case */
    }
    frexp(y, &e);
    e = e < least ? least : e;
    mpfr_sub_d(j->wide, j->wide, y, MPFR_RNDN);
    mpfr_mul_2si(j->wide, j->wide, digits - e, MPFR_RNDN);
    double distance = fabs(fabs(mpfr_get_d(j->wide, MPFR_RNDN)) - 0.5);
    int at = j->nhardest < HARDEST ? j->nhardest++ : HARDEST;
    for (; at > 0 && j->hardest[at - 1].distance > distance; at--) {
        if (at < HARDEST) {
            j->hardest[at] = j->hardest[at - 1];
        }
    }
    if (at < HARDEST) {
        j->hardest[at] = (Hard){bits, distance};
    }
}

static uint32_t
expected(Job *j, uint32_t bits)
{
    double x = value_of(j, bits), d = j->f->wide(x);
    if (!isfinite(d) || d == 0) {
        return round_double(j, d);
    }
    uint32_t low = round_double(j, d * (1 - MARGIN));
    if (!j->half && low == round_double(j, d * (1 + MARGIN))) {
        return low;
    }
    j->asked++;
    uint32_t y = nearest(j, x);
    note_distance(j, bits, value_of(j, y));
    return y;
}

/* Returns the distance of a float32 from the value d, in units of its last place. */
static double
error_of(uint32_t got, double d)
{
    double y = float_of_bits(got);
    int e;
    if (d != d || y != y) {
        return (d != d) == (y != y) ? 0 : INFINITY;
    }
    if (fabs(d) > 0x1.fffffep127 || isinf(y)) {
        return fabs(d) > 0x1.fffffcp127 && fabs(y) > 0x1.fffffcp127 ? 0 : INFINITY;
    }
    frexp(d, &e);
    return fabs(y - d) / ldexp(1, (e < -125 ? -125 : e) - 24);
}

static bool
is_right(Job *j, uint32_t bits, uint32_t got, uint32_t first_level)
{
    double error = error_of(got, j->f->wide(value_of(j, bits)));
    j->worst = error > j->worst ? error : j->worst;
    return error < 2 && got == first_level;
}

/* Compares the results of all levels for arguments from first on. */
static void
compare(Job *j, uint64_t first, int n)
{
    static uint32_t src[CHUNK], dst[NUM_LEVELS][CHUNK];
    for (int i = 0; i < n; i++) {
        if (j->half) {
            ((uint16_t *)src)[i] = (uint16_t)(first + (uint64_t)i);
        } else {
            src[i] = (uint32_t)(first + (uint64_t)i);
        }
    }
    for (int level = 0; level < j->levels; level++) {
        j->run[level](dst[level], src, n);
    }
    for (int i = 0; i < n; i++) {
        uint32_t bits = (uint32_t)(first + (uint64_t)i);
        uint32_t want = j->fast ? dst[0][i] : expected(j, bits);
        for (int level = 0; level < j->levels; level++) {
            uint32_t got = j->half ? ((uint16_t *)dst[level])[i] : dst[level][i];
            bool right = j->fast ? is_right(j, bits, got, want) : got == want;
            if (!right && j->wrong++ < 20) {
                printf("%s(%08x) is %08x at level %d, not %08x\n", j->f->name, bits, got,
                       level, want);
            }
        }
    }
}

static const Function *
find(const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (strcmp(functions[i].name, name) == 0) {
            return &functions[i];
        }
    }
    return NULL;
}

int
main(int argc, char **argv)
{
    const Function *f = argc > 2 ? find(argv[1]) : NULL;
    if (f == NULL) {
        fprintf(stderr, "usage: functions FN float32|float16|fast [FROM TO]\n");
        return 2;
    }
    bool half = strcmp(argv[2], "float16") == 0;
    bool fast = strcmp(argv[2], "fast") == 0;
    Job j = {.f = f, .half = half, .fast = fast, .levels = (int)num_level() + 1};
    for (int level = 0; level < j.levels; level++) {
        j.run[level] = fast ? num_fn_fast_at((NumLevel)level, f->fn, NUM_F32)
                            : num_fn_at((NumLevel)level, f->fn, half ? NUM_F16 : NUM_F32);
    }
    if (j.run[0] == NULL) {
        fprintf(stderr, "functions: there is no %s of %s\n", argv[1], argv[2]);
        return 2;
    }
    mpfr_init2(j.x, 24);
    mpfr_init2(j.y, half ? 11 : 24);
    mpfr_init2(j.wide, WIDE);
    uint64_t from = argc > 3 ? strtoull(argv[3], NULL, 16) : 0;
    uint64_t to = argc > 4 ? strtoull(argv[4], NULL, 16) : half ? 0xffff : 0xffffffff;
    for (uint64_t at = from; at <= to; at += CHUNK) {
        compare(&j, at, to - at < CHUNK ? (int)(to - at + 1) : CHUNK);
    }
    if (fast) {
        printf("%s fast: error at most %.4f units, %llu wrong\n", f->name, j.worst,
               (unsigned long long)j.wrong);
        return j.wrong != 0;
    }
    printf("hardest:");
    for (int i = 0; i < j.nhardest; i++) {
        printf(" %08x", j.hardest[i].bits);
    }
    if (j.nhardest > 0) {
        printf(" (nearest %.3g units)", j.hardest[0].distance);
    }
    printf("\n%s %s: %llu arguments, %llu by MPFR, %llu wrong\n", f->name, argv[2],
           (unsigned long long)(to - from + 1), (unsigned long long)j.asked,
           (unsigned long long)j.wrong);
    return j.wrong != 0;
}
