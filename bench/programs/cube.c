/* cube.c: compares matmul and conv2d of int8 and float16 on the host back end and the
 * emulator with OpenBLAS (float32, one thread) and a kernel written by hand for this
 * processor, in one process and interleaved: every round runs each contestant once, in
 * rotated order, and the median of the rounds counts. Results of both back ends are
 * compared with each other and with the hand-written kernel first.
 *
 * A kernel moves its factors to L1 once and repeats the product there; matrices are made
 * in tiles of columns that fill L0C. The contestants get plain matrices; of a convolution
 * they get the matrix of windows, and the time to make it for them is not counted.
 * Giga-operations per second count a product and a sum as two. There is one thread.
 *
 *  cube [ROUNDS [REPETITIONS]] */
#include "cube_baseline.h"
#include "host/host.h"
#include "num/half.h"
#include "pipeline.h"
#include "tikrt.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timing.h"

typedef enum Who {
    HOST,
    EMULATOR,
    BLAS,
    HAND,
    WHO_COUNT
} Who;

enum {
    MAX_ROUNDS = 99
};

typedef void Gemm(int order, int ta, int tb, int m, int n, int k, float alpha,
                  const float *a, int lda, const float *b, int ldb, float beta, float *c,
                  int ldc);

typedef struct Case {
    const char *name;
    Dtype type;
    int m, k, n; /* size of the product of matrices; rows of a convolution are windows */
    int tile;    /* number of columns that L0C holds */
    /* image of a convolution of 3 x 3 with padding 1; 0: the case has matrices */
    int c1, h, w;
} Case;

static const Case cases[] = {
    {"matmul 512x512x512", DT_S8, 512, 512, 512, 128, 0, 0, 0},
    {"matmul 512x512x512", DT_F16, 512, 512, 512, 128, 0, 0, 0},
    {"conv 3x3 28x28 64 to 64", DT_S8, 784, 576, 64, 64, 2, 28, 28},
    {"conv 3x3 28x28 64 to 64", DT_F16, 784, 576, 64, 64, 4, 28, 28},
};

typedef struct Bench {
    const Case *c;
    int repetitions;
    TikArray arrays[3]; /* factors, and the sums of the last tile */
    TikArray *args[3];
    uint8_t *a, *b; /* plain matrices */
    float *fa, *fb, *fc;
    void *hand;
    Unit unit;
    TikKernel host;
    void *handle;
    const HostApi *api;
    HostSession *session;
    const uint8_t *blob;
    size_t blob_size;
    Gemm *gemm;
    bool has_hand;
    double times[WHO_COUNT][MAX_ROUNDS];
} Bench;

static void
die(const char *what, const char *why)
{
    fprintf(stderr, "cube: %s: %s\n", what, why);
    exit(1);
}

static int
rows_of(const Case *c)
{
    return (c->m + 15) / 16 * 16;
}

static int
c0_of(const Case *c)
{
    return 32 / dtype_size(c->type);
}

/* ---- kernels ------------------------------------------------------------- */

static void
kernel_source(const Bench *b, char *text, size_t size)
{
    const Case *c = b->c;
    int c0 = c0_of(c), tiles = c->n / c->tile, runs = c->k / c0;
    long a = b->arrays[0].elems, w = b->arrays[1].elems, y = b->arrays[2].elems;
    char call[300];
    if (c->h == 0) {
        snprintf(call, sizeof call,
                 "for j in range(%d):\n        t.matmul(s, x, v[j * %d:], %d, %d, %d)",
                 tiles, runs * c->tile * c0, c->m, c->k, c->tile);
    } else {
        snprintf(call, sizeof call,
                 "t.conv2d(s, x, v, [%d, %d, %d, %d], [%d, 3, 3, %d, %d], [1, 1], [1, 1, "
                 "1, 1], "
                 "[1, 1])",
                 c->c1, c->h, c->w, c0, c->c1, c->n, c0);
    }
    snprintf(text, size,
             "from tbe import tik\n"
             "t = tik.Tik(tik.Dprofile('v200', 'aic'))\n"
             "def pair(name, dtype, n, scope):\n"
             "    return (t.Tensor(dtype, (n,), name=name, scope=tik.scope_gm),\n"
             "            t.Tensor(dtype, (n,), name=name + '_in', scope=scope))\n"
             "a, x = pair('a', '%s', %ld, tik.scope_cbuf)\n"
             "b, v = pair('b', '%s', %ld, tik.scope_cbuf)\n"
             "o, u = pair('o', '%s', %ld, tik.scope_ubuf)\n"
             "s = t.Tensor('%s', (%ld,), name='s', scope=tik.scope_cbuf_out)\n"
             "t.data_move(x, a, 0, 1, %ld, 0, 0)\n"
             "t.data_move(v, b, 0, 1, %ld, 0, 0)\n"
             "with t.for_range(0, %d) as i:\n"
             "    %s\n"
             "t.data_move(u, s, 0, 1, %ld, 0, 0)\n"
             "t.data_move(o, u, 0, 1, %ld, 0, 0)\n"
             "t.BuildCCE(kernel_name='k', inputs=[a, b], outputs=[o])\n",
             dtype_name(c->type), a, dtype_name(c->type), w,
             dtype_name(b->arrays[2].dtype), y, dtype_name(b->arrays[2].dtype), y,
             a * dtype_size(c->type) / 32, w * dtype_size(c->type) / 32, b->repetitions,
             call, y / 256, y / 8);
}

static void
show_errors(Unit *u, const char *what)
{
    Text t;
    text_init(&t, &u->arena);
    diag_render_all(u, DIAG_TEXT, &t);
    die(what, t.p != NULL ? t.p : "");
}

static void
compile(Bench *b)
{
    char source[3000];
    PassOptions passes = {0};
    kernel_source(b, source, sizeof source);
    unit_init(&b->unit);
    b->session = b->api->open(&b->unit, &(HostOptions){.opt_level = 2});
    if (b->session == NULL ||
        !tikc_compile(&b->unit, "cube.tik", source, strlen(source), &passes) ||
        !b->api->jit(b->session, &b->unit.kernels.p[0], 1, false, &b->host, &b->handle) ||
        !tikc_blob(&b->unit, b->unit.kernels.p, 1, &b->blob, &b->blob_size)) {
        show_errors(&b->unit, b->c->name);
    }
}

/* ---- data ---------------------------------------------------------------- */

static uint32_t
next(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

static void *
must(void *p)
{
    if (p == NULL) {
        die("memory", "there is none");
    }
    return p;
}

/* Fills with numbers of both signs: int8 of any size, float16 from 1 to 2. */
static void
fill(const Case *c, uint8_t *x, int64_t n, uint32_t seed)
{
    for (int64_t i = 0; i < n; i++) {
        uint32_t bits = next(&seed);
        if (c->type == DT_S8) {
            x[i] = (uint8_t)bits;
        } else {
            ((uint16_t *)(void *)x)[i] =
                (uint16_t)(0x3c00 | (bits >> 8 & 0x3ff) | (bits & 1) << 15);
        }
    }
}

static float
number(const Case *c, const uint8_t *x, int64_t i)
{
    return c->type == DT_S8 ? (float)(int8_t)x[i]
                            : half_to_float(((const uint16_t *)(const void *)x)[i]);
}

static void
copy(const Case *c, uint8_t *to, int64_t i, const uint8_t *from, int64_t j)
{
    int size = dtype_size(c->type);
    memcpy(to + i * size, from + j * size, (size_t)size);
}

/* Makes the plain first factor from what the kernel gets: columns of fractals, or windows
 * of an image. */
static void
plain_a(Bench *b)
{
    const Case *c = b->c;
    int c0 = c0_of(c);
    memset(b->a, 0, (size_t)c->m * (size_t)c->k * (size_t)dtype_size(c->type));
    for (int m = 0; m < c->m; m++) {
        for (int k = 0; k < c->k; k++) {
            int64_t at = ((int64_t)(k / c0) * rows_of(c) + m) * c0 + k % c0;
            if (c->h > 0) {
                int point = k / c0 % 9, y = m / c->w - 1 + point / 3,
                    x = m % c->w - 1 + point % 3;
                at = (((int64_t)(k / c0 / 9) * c->h + y) * c->w + x) * c0 + k % c0;
                if (y < 0 || y >= c->h || x < 0 || x >= c->w) {
                    continue;
                }
            }
            copy(c, b->a, (int64_t)m * c->k + k, b->arrays[0].data, at);
        }
    }
}

static void
plain_b(Bench *b)
{
    const Case *c = b->c;
    int c0 = c0_of(c);
    for (int k = 0; k < c->k; k++) {
        for (int n = 0; n < c->n; n++) {
            int64_t tile = (int64_t)(n / c->tile) * c->k * c->tile;
            int64_t at = tile + ((int64_t)(k / c0) * c->tile + n % c->tile) * c0 + k % c0;
            copy(c, b->b, (int64_t)k * c->n + n, b->arrays[1].data, at);
        }
    }
}

static void
make_data(Bench *b)
{
    const Case *c = b->c;
    Dtype sums = c->type == DT_S8 ? DT_S32 : DT_F32;
    int64_t image = (int64_t)c->c1 * c->h * c->w * c0_of(c);
    const int64_t elems[] = {c->h > 0 ? image : (int64_t)rows_of(c) * c->k,
                             (int64_t)c->k * c->n, (int64_t)rows_of(c) * c->tile};
    const Dtype types[] = {c->type, c->type, sums};
    TikError err = {0};
    for (int i = 0; i < 3; i++) {
        b->args[i] = &b->arrays[i];
        if (!tik_array_alloc(b->args[i], types[i], elems[i], &err)) {
            die(err.name, err.text);
        }
    }
    fill(c, b->arrays[0].data, elems[0], 1);
    fill(c, b->arrays[1].data, elems[1], 2);
    size_t mk = (size_t)c->m * (size_t)c->k, kn = (size_t)c->k * (size_t)c->n;
    size_t mn = (size_t)c->m * (size_t)c->n;
    b->a = must(malloc(mk * 2));
    b->b = must(malloc(kn * 2));
    b->fa = must(malloc(mk * 4));
    b->fb = must(malloc(kn * 4));
    b->fc = must(malloc(mn * 4));
    b->hand = must(malloc(mn * 4));
    plain_a(b);
    plain_b(b);
    for (size_t i = 0; i < mk; i++) {
        b->fa[i] = number(c, b->a, (int64_t)i);
    }
    for (size_t i = 0; i < kn; i++) {
        b->fb[i] = number(c, b->b, (int64_t)i);
    }
}

/* ---- contestants --------------------------------------------------------- */

static bool
run_hand(Bench *b)
{
    const Case *c = b->c;
    bool done = true;
    for (int i = 0; i < b->repetitions && done; i++) {
        done = c->type == DT_S8
                   ? hand_bytes(b->hand, (int8_t *)b->a, (int8_t *)b->b, c->m, c->k, c->n)
                   : hand_halves(b->hand, (uint16_t *)(void *)b->a,
                                 (uint16_t *)(void *)b->b, c->m, c->k, c->n);
    }
    return done;
}

static void
run_blas(Bench *b)
{
    enum {
        ROW_MAJOR = 101,
        PLAIN = 111
    };
    const Case *c = b->c;
    for (int i = 0; i < b->repetitions; i++) {
        b->gemm(ROW_MAJOR, PLAIN, PLAIN, c->m, c->n, c->k, 1, b->fa, c->k, b->fb, c->n, 0,
                b->fc, c->n);
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
    case BLAS:
        run_blas(b);
        break;
    case HAND:
        (void)run_hand(b);
        break;
    case WHO_COUNT:
        break;
    }
    if (!ok) {
        die(err.name, err.text);
    }
}

/* ---- one case ------------------------------------------------------------ */

/* The last tile of the kernel must be that of the hand-written one, or of OpenBLAS where
 * there is none. */
static bool
same_sums(const Bench *b)
{
    const Case *c = b->c;
    const uint8_t *got = b->arrays[2].data;
    for (int m = 0; m < c->m; m++) {
        for (int n = 0; n < c->tile; n++) {
            int64_t at = ((int64_t)(n / 16) * rows_of(c) + m) * 16 + n % 16;
            int64_t plain = (int64_t)m * c->n + c->n - c->tile + n;
            float f;
            int32_t i;
            memcpy(&f, got + 4 * at, 4);
            memcpy(&i, got + 4 * at, 4);
            bool hand = b->has_hand, ints = c->type == DT_S8;
            double want = hand && ints ? ((int32_t *)b->hand)[plain]
                          : hand       ? (double)((float *)b->hand)[plain]
                                       : (double)b->fc[plain];
            double have = ints ? i : (double)f;
            if (fabs(want - have) > (ints && hand ? 0 : 1e-4 * c->k)) {
                return false;
            }
        }
    }
    return true;
}

static void
compare(Bench *b)
{
    size_t bytes = (size_t)b->arrays[2].bytes;
    uint8_t *host = must(malloc(bytes));
    b->has_hand = run_hand(b);
    if (b->gemm != NULL) {
        run_blas(b);
    }
    run(b, HOST);
    memcpy(host, b->arrays[2].data, bytes);
    memset(b->arrays[2].data, 0, bytes);
    run(b, EMULATOR);
    if (memcmp(host, b->arrays[2].data, bytes) != 0) {
        die(b->c->name, "host and emulator differ");
    }
    if ((b->has_hand || b->gemm != NULL) && !same_sums(b)) {
        die(b->c->name, "the kernel differs from the one that is written by hand");
    }
    free(host);
}

static void
report(Bench *b, int rounds)
{
    double speed[WHO_COUNT];
    double work = 2.0 * b->c->m * b->c->k * b->c->n * b->repetitions;
    for (int who = 0; who < WHO_COUNT; who++) {
        double time = median(b->times[who], rounds);
        speed[who] = time > 0 ? work / time * 1e-9 : 0;
        printf(" %9.1f", speed[who]);
    }
    for (int i = 0; i < 4; i++) {
        double to = speed[i % 2 == 0 ? HAND : BLAS];
        printf(to > 0 ? " %10.2f" : "          -", speed[i / 2] / to);
    }
    printf("\n");
}

static void
bench(const Case *c, Gemm *gemm, int rounds, int repetitions)
{
    Bench *b = must(calloc(1, sizeof *b));
    *b =
        (Bench){.c = c, .api = tikc_host_api(), .repetitions = repetitions, .gemm = gemm};
    make_data(b);
    compile(b);
    compare(b);
    for (int r = 0; r < rounds; r++) {
        for (int i = 0; i < WHO_COUNT; i++) {
            Who who = (Who)((i + r) % WHO_COUNT);
            bool absent = (who == BLAS && gemm == NULL) || (who == HAND && !b->has_hand);
            double t0 = processor_seconds();
            if (!absent) {
                run(b, who);
                b->times[who][r] = processor_seconds() - t0;
            }
        }
    }
    printf("%-24s %-8s", c->name, dtype_name(c->type));
    report(b, rounds);
    fflush(stdout);
    b->api->release(b->handle);
    b->api->close(b->session);
    unit_free(&b->unit);
    for (int i = 0; i < 3; i++) {
        tik_array_free(b->args[i]);
    }
    void *all[] = {b->a, b->b, b->fa, b->fb, b->fc, b->hand, b};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        free(all[i]);
    }
}

/* Returns null where the library is not installed. That of Debian 12 does not know newer
 * processors and would choose kernels for old ones. */
static Gemm *
find_blas(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
        setenv("OPENBLAS_CORETYPE", "SkylakeX", 0);
    }
#endif
    void *library = dlopen("libopenblas.so.0", RTLD_NOW);
    Gemm *gemm = NULL;
    void (*threads)(int) = NULL;
    if (library != NULL) {
        *(void **)&gemm = dlsym(library, "cblas_sgemm");
        *(void **)&threads = dlsym(library, "openblas_set_num_threads");
    }
    if (threads != NULL) {
        threads(1);
    }
    return gemm;
}

int
main(int argc, char **argv)
{
    int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 9;
    int repetitions = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 20;
    if (rounds < 1 || rounds > MAX_ROUNDS || repetitions < 1) {
        die("usage", "cube [ROUNDS 1..99 [REPETITIONS]]");
    }
    Gemm *gemm = find_blas();
    printf("\nproducts of matrices, giga-operations per second, one thread\n%-33s %9s "
           "%9s %9s %9s "
           "%10s %10s %10s %10s\n",
           "", "host", "emulator", "OpenBLAS", "by hand", "host/hand", "host/BLAS",
           "emu/hand", "emu/BLAS");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bench(&cases[i], gemm, rounds, repetitions);
    }
    return 0;
}
