/* functions.c: the elementary functions of every float32 or float16, in the runtime
 * library at each level of the processor, in compiled kernels and in the emulator,
 * compared with MPFR.
 *
 * usage: functions FN TYPE [FROM TO] [LIBRARY... BLOB]
 * FN is a row of functions[], TYPE float32, float16 or fast, FROM and TO bits of
 * arguments in hex; all by default. The files are made of functions.tik.
 *
 * Results of float16, and all results of zeros, infinities and NaN, are compared with
 * MPFR; those of float32 with the C library's double function where that one is further
 * than 2^-38 of its value from the middle of two numbers, and with MPFR elsewhere. So the
 * C library may be off by 2^14 units of a double's last place before it could hide an
 * error; it documents less than 2.
 *
 * Prints wrong results, the arguments that are hardest to round, and a line
 * 'FN TYPE: N arguments, M by MPFR, K wrong'. The exit code is 1 when there are any.
 *
 * TYPE fast stands for float32 in the reading `fast`: prints the largest error in units
 * of the last place by the C library's double function. Wrong is a result that is off by
 * 2 of them, or that is not the one of the model below. */
#include <math.h>
#include <stdbool.h>

#include <mpfr.h>

#include "kernels.h"
#include "num/fn.h"
#include "num/half.h"

enum {
    CHUNK = 1 << 16,
    HARDEST = 24,
    WIDE = 160, /* bits of MPFR's numbers for distances */
    MOST_RUNS = NUM_LEVELS + MOST_WAYS
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

/* The manuals know two zeros. */
static int
rsqrt_exact(mpfr_t y, const mpfr_t x, mpfr_rnd_t round)
{
    if (mpfr_zero_p(x)) {
        mpfr_set_inf(y, mpfr_sgn(x) >= 0 && !mpfr_signbit(x) ? 1 : -1);
        return 0;
    }
    return mpfr_rec_sqrt(y, x, round);
}

/* ---- a model of the reading `fast`, after docs/choices.md ---------------- */

static float
model_exp(float x)
{
    if (x != x) {
        return x;
    }
    float inside = x < 89.0f ? x : 89.0f;
    inside = inside > -104.0f ? inside : -104.0f;
    float shifted = fmaf(inside, 0x1.715476p+0f, 0x1.8p+23f);
    float k = shifted - 0x1.8p+23f;
    float r = fmaf(k, 0x1.05c61p-29f, fmaf(k, -0x1.62e43p-1f, inside));
    float tail = fmaf(0x1.6a23cep-10f, r, 0x1.123a2p-7f);
    tail = fmaf(tail, r, 0x1.5558f2p-5f);
    tail = fmaf(tail, r, 0x1.555492p-3f);
    tail = fmaf(tail, r, 0x1.fffffcp-2f);
    return ldexpf(fmaf(fmaf(tail, r, 1.0f), r, 1.0f), (int)k);
}

static float
model_ln(float x)
{
    if (!(x >= 0x1p-126f && x <= 0x1.fffffep+127f)) {
        return (float)log(x);
    }
    int32_t moved = (int32_t)(float_bits(x) - 0x3f2aaaab);
    int32_t scale = moved & (int32_t)0xff800000;
    float k = (float)scale;
    float r = float_of_bits(float_bits(x) - (uint32_t)scale) - 1.0f;
    float tail = fmaf(0x1.1b09d8p-3f, r, -0x1.35b3dp-3f);
    tail = fmaf(tail, r, 0x1.1f9624p-3f);
    tail = fmaf(tail, r, -0x1.515a6ep-3f);
    tail = fmaf(tail, r, 0x1.99c31ep-3f);
    tail = fmaf(tail, r, -0x1.000b1cp-2f);
    tail = fmaf(tail, r, 0x1.555528p-2f);
    float low = fmaf(fmaf(tail, r, -0x1p-1f), r * r, k * 0x1.7f7d1cp-43f);
    return fmaf(k, 0x1.62e4p-24f, r + low);
}

static float
model_rsqrt(float x)
{
    return 1.0f / sqrtf(x);
}

/* ---- functions ----------------------------------------------------------- */

typedef struct Function {
    const char *name;
    NumFn fn;
    double (*wide)(double);
    int (*exact)(mpfr_t, const mpfr_t, mpfr_rnd_t);
    float (*model)(float); /* of the reading `fast`; null: there is none */
} Function;

static const Function functions[] = {
    {"exp", NUM_EXP, exp, mpfr_exp, model_exp},
    {"expm1", NUM_EXPM1, expm1, mpfr_expm1, NULL},
    {"ln", NUM_LN, log, mpfr_log, model_ln},
    {"sqrt", NUM_SQRT, sqrt, mpfr_sqrt, NULL},
    {"rec", NUM_REC, rec_double, rec_exact, NULL},
    {"rsqrt", NUM_RSQRT, rsqrt_double, rsqrt_exact, model_rsqrt},
    {"sin", NUM_SIN, sin, mpfr_sin, NULL},
    {"cos", NUM_COS, cos, mpfr_cos, NULL},
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
    Kernels kernels; /* n is 0: there are none */
    Ways ways;
    TikArray src, dst; /* of kernels */
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
    if (x == 0 || !isfinite(x)) {
        j->asked++;
        return nearest(j, x);
    }
    if (!isfinite(d) || d == 0) {
        return round_double(j, d); /* further off than MARGIN, or outside of the domain */
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
    e = (int)(double_bits(d) >> 52 & 0x7ff) - 1023;
    e = e < -126 ? -126 : e;
    return fabs(y - d) * double_of_bits((uint64_t)(1023 + 23 - e) << 52);
}

/* Returns what the model of `fast` says, and notes its error. */
static uint32_t
modelled(Job *j, uint32_t bits)
{
    float x = float_of_bits(bits);
    uint32_t want = float_bits_canonical(j->f->model(x));
    double error = error_of(want, j->f->wide(x));
    j->worst = error > j->worst ? error : j->worst;
    return want;
}

/* Returns the name of a run, for messages. */
static const char *
run_name(const Job *j, int run)
{
    static const char *const levels[NUM_LEVELS] = {"base", "avx2", "avx512"};
    return run < j->levels ? levels[run] : j->kernels.way[run - j->levels];
}

static void
run_all(Job *j, void *src, uint32_t dst[][CHUNK], int n)
{
    for (int level = 0; level < j->levels; level++) {
        j->run[level](dst[level], src, n);
    }
    for (int way = 0; way < j->kernels.n; way++) {
        TikArray *const args[2] = {&j->src, &j->dst};
        memcpy(j->src.data, src, (size_t)j->src.bytes);
        kernels_run(&j->ways, way, args);
        memcpy(dst[j->levels + way], j->dst.data, (size_t)j->dst.bytes);
    }
}

/* Compares the results of all runs for n arguments, at most CHUNK, from first on. */
static void
compare(Job *j, uint64_t first, int n)
{
    static uint32_t src[CHUNK], dst[MOST_RUNS][CHUNK];
    for (int i = 0; i < n; i++) {
        if (j->half) {
            ((uint16_t *)src)[i] = (uint16_t)(first + (uint64_t)i);
        } else {
            src[i] = (uint32_t)(first + (uint64_t)i);
        }
    }
    run_all(j, src, dst, n);
    for (int i = 0; i < n; i++) {
        uint32_t bits = (uint32_t)(first + (uint64_t)i);
        uint32_t want = j->fast ? modelled(j, bits) : expected(j, bits);
        for (int run = 0; run < j->levels + j->kernels.n; run++) {
            uint32_t got = j->half ? ((uint16_t *)dst[run])[i] : dst[run][i];
            if (got != want && j->wrong++ < 20) {
                printf("%s(%08x) is %08x in %s, not %08x\n", j->f->name, bits, got,
                       run_name(j, run), want);
            }
        }
    }
}

static void
open_kernels(Job *j, char **paths, int n)
{
    Dtype type = tikrt_dtype(j->half ? "float16" : "float32");
    char name[32];
    snprintf(name, sizeof name, "%s_%s", j->f->name, tikrt_dtype_name(type));
    j->kernels = kernels_open(paths, n);
    j->ways = kernels_find(&j->kernels, name);
    j->src = kernels_array(type, CHUNK);
    j->dst = kernels_array(type, CHUNK);
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

static void
report(const Job *j, const char *type, uint64_t n)
{
    if (j->fast) {
        printf("%s fast: %llu arguments, error at most %.4f units, %llu wrong\n",
               j->f->name, (unsigned long long)n, j->worst, (unsigned long long)j->wrong);
        return;
    }
    printf("hardest:");
    for (int i = 0; i < j->nhardest; i++) {
        printf(" %08x", j->hardest[i].bits);
    }
    if (j->nhardest > 0) {
        printf(" (nearest %.3g units)", j->hardest[0].distance);
    }
    printf("\n%s %s: %llu arguments, %llu by MPFR, %llu wrong\n", j->f->name, type,
           (unsigned long long)n, (unsigned long long)j->asked,
           (unsigned long long)j->wrong);
}

/* Finds the function at each level; false: there is none of that type. */
static bool
open_levels(Job *j)
{
    NumType type = j->half ? NUM_F16 : NUM_F32;
    j->levels = (int)num_level() + 1;
    for (int level = 0; level < j->levels; level++) {
        j->run[level] = j->fast ? num_fn_fast_at((NumLevel)level, j->f->fn, type)
                                : num_fn_at((NumLevel)level, j->f->fn, type);
    }
    return j->run[0] != NULL && (!j->fast || j->f->model != NULL);
}

int
main(int argc, char **argv)
{
    Job j = {.f = argc > 2 ? find(argv[1]) : NULL};
    if (j.f == NULL) {
        fprintf(stderr, "usage: functions FN float32|float16|fast [FROM TO] [LIBRARY... "
                        "BLOB]\n");
        return 2;
    }
    j.half = strcmp(argv[2], "float16") == 0;
    j.fast = strcmp(argv[2], "fast") == 0;
    if (!open_levels(&j)) {
        fprintf(stderr, "functions: there is no %s of %s\n", argv[1], argv[2]);
        return 2;
    }
    bool range = argc > 4 && strchr(argv[3], '.') == NULL;
    uint64_t from = range ? strtoull(argv[3], NULL, 16) : 0;
    uint64_t to = range ? strtoull(argv[4], NULL, 16) : j.half ? 0xffff : 0xffffffff;
    int files = range ? 5 : 3;
    if (argc > files) {
        open_kernels(&j, argv + files, argc - files);
    }
    mpfr_init2(j.x, 24);
    mpfr_init2(j.y, j.half ? 11 : 24);
    mpfr_init2(j.wide, WIDE);
    for (uint64_t at = from; at <= to; at += CHUNK) {
        compare(&j, at, to - at < CHUNK ? (int)(to - at + 1) : CHUNK);
    }
    report(&j, argv[2], to - from + 1);
    return j.wrong != 0 || j.worst >= 2;
}
