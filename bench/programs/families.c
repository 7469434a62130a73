/* families.c: compares one instruction of each family of vector instructions, on the host
 * back end with one thread and on the emulator, with the same work in C loops; in one
 * process and interleaved: every round runs each contestant once, in rotated order, and
 * the median of the rounds counts. Results are compared first: bit by bit, or within the
 * tolerance of the case where C rounds elsewhere.
 *
 * A kernel moves its data to UB once, repeats the instruction over 16 to 64 KB there, and
 * moves the result out once. GB/s are bytes that the instruction reads and writes; a
 * ratio is to the faster of the two C compilers, and above 1 is faster than C. Times are
 * processor times: no contestant waits or has threads, so other work of the machine
 * matters less.
 *
 *  families [ROUNDS [REPETITIONS [TEXT]]]
 * TEXT: only cases that contain it in the family or the call. */
#include "families_baseline.h"
#include "host/host.h"
#include "pipeline.h"
#include "tikrt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timing.h"

typedef enum Who {
    HOST,
    EMULATOR,
    C_LOOP, /* compiled by the compiler of the build */
    C_LOOP_CLANG,
    WHO_COUNT
} Who;
static const char *const who_names[] = {"host", "emulator", "C loop", "C loop, clang"};

enum {
    MAX_ROUNDS = 99
};

typedef enum Fill {
    NUMBERS,  /* between 1 and 2, both signs */
    POSITIVE, /* between 1 and 2 */
    BITS,     /* half of the bits are set */
    /* byte offsets of all elements of a tensor with that many, in another order */
    OFFSETS,
    SORTED /* 4 lists of float16 proposals, each with descending scores */
} Fill;

/* x and y are read, z is written; all three are in UB and have the contents of the arrays
 * a, b and c. */
typedef struct Case {
    const char *family;
    const char *call; /* text of the instruction */
    Dtype x, y, z;
    int nx, ny, nz; /* numbers of elements */
    int64_t bytes;  /* bytes that one call reads and writes */
    Loop loop;
    int64_t n;        /* the loop's argument n */
    double tolerance; /* relative; 0: the same bits */
    Fill fill_x, fill_y;
} Case;

#define KB *1024
static const Case cases[] = {
#define CASE(family, call, x, y, z, nx, ny, nz, bytes, loop, n, tolerance, fx, fy)       \
    {family, call,  DT_##x,      DT_##y, DT_##z,    nx, ny,                              \
     nz,     bytes, LOOP_##loop, n,      tolerance, fx, fy},
#include "families.def"
};

typedef struct Bench {
    const Case *c;
    int repetitions;
    TikArray arrays[4]; /* a, b, c, o */
    TikArray *args[4];
    Unit unit;
    TikKernel host;
    void *handle;
    const HostApi *api;
    HostSession *session;
    const uint8_t *blob;
    size_t blob_size;
    double times[WHO_COUNT][MAX_ROUNDS];
} Bench;

static void
die(const char *what, const char *why)
{
    fprintf(stderr, "families: %s: %s\n", what, why);
    exit(1);
}

/* ---- kernels ------------------------------------------------------------- */

static void
kernel_source(const Bench *b, char *text, size_t size)
{
    const Case *c = b->c;
    snprintf(
        text, size,
        "from tbe import tik\n"
        "t = tik.Tik(tik.Dprofile('v200', 'aic'))\n"
        "def pair(name, dtype, n):\n"
        "    return (t.Tensor(dtype, (n,), name=name, scope=tik.scope_gm),\n"
        "            t.Tensor(dtype, (n,), name=name + '_ub', scope=tik.scope_ubuf))\n"
        "a, x = pair('a', '%s', %d)\n"
        "b, y = pair('b', '%s', %d)\n"
        "c, z = pair('c', '%s', %d)\n"
        "o = t.Tensor('%s', (%d,), name='o', scope=tik.scope_gm)\n"
        "t.data_move(x, a, 0, 1, %d, 0, 0)\n"
        "t.data_move(y, b, 0, 1, %d, 0, 0)\n"
        "t.data_move(z, c, 0, 1, %d, 0, 0)\n"
        "with t.for_range(0, %d) as i:\n"
        "    t.%s\n"
        "t.data_move(o, z, 0, 1, %d, 0, 0)\n"
        "t.BuildCCE(kernel_name='k', inputs=[a, b, c], outputs=[o])\n",
        dtype_name(c->x), c->nx, dtype_name(c->y), c->ny, dtype_name(c->z), c->nz,
        dtype_name(c->z), c->nz, c->nx * dtype_size(c->x) / 32,
        c->ny * dtype_size(c->y) / 32, c->nz * dtype_size(c->z) / 32, b->repetitions,
        c->call, c->nz * dtype_size(c->z) / 32);
}

static void
show_errors(Unit *u, const char *what)
{
    Text t;
    text_init(&t, &u->arena);
    diag_render_all(u, DIAG_TEXT, &t);
    die(what, t.p != NULL ? t.p : "");
}

/* False: the instruction is known but absent. Any other fault ends the
 * program. */
static bool
compile(Bench *b)
{
    char source[2048];
    PassOptions passes = {0};
    kernel_source(b, source, sizeof source);
    unit_init(&b->unit);
    b->session = b->api->open(&b->unit, &(HostOptions){.opt_level = 2});
    if (b->session == NULL) {
        show_errors(&b->unit, "session");
    }
    if (!tikc_compile(&b->unit, "families.tik", source, strlen(source), &passes)) {
        if (b->unit.diags.n > 0 && b->unit.diags.p[0]->id == D_NOT_SUPPORTED) {
            return false;
        }
        show_errors(&b->unit, b->c->call);
    }
    tikc_tile(b->unit.kernels.p, 1, &passes);
    if (!b->api->jit(b->session, &b->unit.kernels.p[0], 1, false, &b->host, &b->handle) ||
        !tikc_blob(&b->unit, b->unit.kernels.p, 1, &b->blob, &b->blob_size)) {
        show_errors(&b->unit, b->c->call);
    }
    return true;
}

/* ---- data ---------------------------------------------------------------- */

static uint32_t
next(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

static void
fill_number(TikArray *a, int64_t i, uint32_t bits, bool positive)
{
    uint32_t sign = positive ? 0 : bits & 1;
    if (a->dtype == DT_F16) {
        ((uint16_t *)a->data)[i] = (uint16_t)(0x3c00 | (bits >> 8 & 0x3ff) | sign << 15);
    } else if (a->dtype == DT_F32) {
        ((uint32_t *)a->data)[i] = 0x3f800000 | (bits >> 1) | sign << 31;
    }
}

/* The fifth number of each proposal is its score: it is less than the previous one by up
 * to 7 units. */
static void
fill_sorted(TikArray *a, uint32_t seed)
{
    uint16_t score = 0;
    for (int64_t i = 0; i < a->elems / 8; i++) {
        score = (uint16_t)(i % (a->elems / 32) == 0 ? 0x6000 : score - next(&seed) % 8);
        ((uint16_t *)a->data)[8 * i + 4] = score;
    }
}

static void
fill(TikArray *a, Fill how, uint32_t seed)
{
    for (int64_t i = 0; i < a->elems && how <= POSITIVE; i++) {
        fill_number(a, i, next(&seed), how == POSITIVE);
    }
    for (int64_t i = 0; i < a->bytes && how == BITS; i++) {
        a->data[i] = (uint8_t)(i % 2 == 0 ? next(&seed) : ~(uint32_t)a->data[i - 1]);
    }
    for (int64_t i = 0; i < a->elems && how == OFFSETS;
         i++) { /* elems is even, 1001 odd */
        ((int32_t *)a->data)[i] = (int32_t)(i * 1001 % a->elems * 4);
    }
    if (how == SORTED) {
        fill_sorted(a, seed);
    }
}

static void
make_arrays(Bench *b)
{
    const Case *c = b->c;
    const Dtype types[] = {c->x, c->y, c->z, c->z};
    const int elems[] = {c->nx, c->ny, c->nz, c->nz};
    TikError err = {0};
    for (int i = 0; i < 4; i++) {
        b->args[i] = &b->arrays[i];
        if (!tik_array_alloc(b->args[i], types[i], elems[i], &err)) {
            die(err.name, err.text);
        }
    }
    fill(b->args[0], c->fill_x, 1);
    fill(b->args[1], c->fill_y, 2);
    fill(b->args[2], NUMBERS, 3);
}

/* ---- contestants --------------------------------------------------------- */

static void
run_loop(Bench *b, FamilyLoop *loop)
{
    TikArray *const *a = b->args;
    memcpy(a[3]->data, a[2]->data, (size_t)a[2]->bytes);
    for (int i = 0; i < b->repetitions; i++) {
        loop(a[3]->data, a[0]->data, a[1]->data, b->c->n);
    }
}

static void
run(Bench *b, Who who)
{
    TikError err = {0};
    bool ok = true;
    switch (who) {
    case HOST:
        ok = tik_launch(&b->host, b->args, 1, &err);
        break;
    case EMULATOR:
        ok = tik_emulate(b->blob, b->blob_size, 0, b->args, &err);
        break;
    case C_LOOP:
        run_loop(b, families_cc[b->c->loop]);
        break;
    case C_LOOP_CLANG:
        run_loop(b, families_clang[b->c->loop]);
        break;
    case WHO_COUNT:
        break;
    }
    if (!ok) {
        die(err.name, err.text);
    }
}

/* ---- one case ------------------------------------------------------------ */

/* True if float32 results are within the tolerance, which is relative to the wanted
 * number. */
static bool
near(const float *want, const float *got, const Case *c)
{
    for (int i = 0; i < c->nz; i++) {
        if (!(fabsf(got[i] - want[i]) <= c->tolerance * fabsf(want[i]))) {
            return false;
        }
    }
    return true;
}

static void
compare(Bench *b)
{
    const TikArray *o = b->args[3];
    size_t bytes = (size_t)o->bytes;
    uint8_t *want = malloc(bytes), *host = malloc(bytes);
    run(b, C_LOOP);
    memcpy(want, o->data, bytes);
    for (int who = HOST; who < WHO_COUNT; who++) {
        memset(o->data, 0, bytes);
        run(b, (Who)who);
        bool same = b->c->tolerance > 0 ? near((float *)want, (float *)o->data, b->c)
                                        : memcmp(want, o->data, bytes) == 0;
        if (!same) {
            fprintf(stderr, "\nfamilies: %s: the %s differs from the C loop\n",
                    b->c->call, who_names[who]);
            exit(1);
        }
        if (who == HOST) {
            memcpy(host, o->data, bytes);
        } else if (who == EMULATOR && memcmp(host, o->data, bytes) != 0) {
            die(b->c->call, "host and emulator differ");
        }
    }
    free(want);
    free(host);
}

static void
print_case(const Case *c)
{
    char types[32];
    snprintf(types, sizeof types, "%s%s%s", dtype_name(c->x), c->x == c->z ? "" : " > ",
             c->x == c->z ? "" : dtype_name(c->z));
    printf("%-11s %-15.*s %-18s", c->family, (int)strcspn(c->call, "("), c->call, types);
}

static void
report(Bench *b, int rounds)
{
    double speed[WHO_COUNT];
    double bytes = (double)b->c->bytes * b->repetitions;
    for (int who = 0; who < WHO_COUNT; who++) {
        speed[who] = bytes / median(b->times[who], rounds) * 1e-9;
        printf(" %9.2f", speed[who]);
    }
    double c = fmax(speed[C_LOOP], speed[C_LOOP_CLANG]);
    printf(" %9.2f %11.2f\n", speed[HOST] / c, speed[EMULATOR] / c);
}

static void
measure(Bench *b, int rounds)
{
    compare(b);
    for (int r = 0; r < rounds; r++) {
        for (int i = 0; i < WHO_COUNT; i++) {
            Who who = (Who)((i + r) % WHO_COUNT);
            double t0 = processor_seconds();
            run(b, who);
            b->times[who][r] = processor_seconds() - t0;
        }
    }
    report(b, rounds);
    b->api->release(b->handle);
    b->api->close(b->session);
}

static void
bench(const HostApi *api, const Case *c, int rounds, int repetitions)
{
    Bench *b = calloc(1, sizeof *b);
    b->c = c;
    b->api = api;
    b->repetitions = repetitions;
    make_arrays(b);
    print_case(c);
    if (compile(b)) {
        measure(b, rounds);
    } else {
        printf(" not supported\n");
    }
    fflush(stdout);
    unit_free(&b->unit);
    for (int i = 0; i < 4; i++) {
        tik_array_free(b->args[i]);
    }
    free(b);
}

int
main(int argc, char **argv)
{
    int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 15;
    int repetitions = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 1000;
    const char *text = argc > 3 ? argv[3] : "";
    if (rounds < 1 || rounds > MAX_ROUNDS || repetitions < 1 || repetitions > 1000) {
        die("usage", "families [ROUNDS 1..99 [REPETITIONS 1..1000 [TEXT]]]");
    }
    const HostApi *api = tikc_host_api();
    printf("\nvector instructions, GB/s read and written, one thread\n%-46s %9s %9s %9s "
           "%9s %9s %11s\n",
           "", "host", "emulator", "C", "C, clang", "host / C", "emulator / C");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (strstr(cases[i].family, text) != NULL ||
            strstr(cases[i].call, text) != NULL) {
            bench(api, &cases[i], rounds, repetitions);
        }
    }
    return 0;
}
