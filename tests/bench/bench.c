/* bench.c: compares tiled kernels with C loops and memcpy, in one process and
 * interleaved: every round runs each contestant once, in rotated order, and the median of
 * the rounds counts. Results of all contestants are compared first, bit by bit.
 *
 *  bench [ROUNDS [ELEMENTS]] */
#include "baseline.h"
#include "host/host.h"
#include "pipeline.h"
#include "tikrt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "timing.h"

typedef enum What {
    ADD,
    SCALE,
    COPY,
    WHAT_COUNT
} What;
static const char *const what_names[] = {"add", "scale", "copy"};

typedef enum Who {
    HOST,
    HOST_THREADS,
    EMULATOR,
    C_LOOP,
    MEMCPY,
    WHO_COUNT
} Who;
static const char *const who_names[] = {"host", "host, all threads", "emulator", "C loop",
                                        "memcpy"};

enum {
    MAX_ROUNDS = 99,
    BLOCKS = 8
};

typedef struct Bench {
    What what;
    Dtype dtype;
    int64_t n;
    TikArray a, b, c;
    TikArray *args[3];
    Unit unit;
    TikKernel host;
    void *handle;
    const HostApi *api;
    const uint8_t *blob;
    size_t blob_size;
    double compile; /* seconds of the front end and of both back ends */
    double jit;
    double times[WHO_COUNT][MAX_ROUNDS];
} Bench;

static void
die(const char *what, const char *why)
{
    fprintf(stderr, "bench: %s: %s\n", what, why);
    exit(1);
}

/* ---- kernels ------------------------------------------------------------- */

/* The kernel has eight cores, and each goes over tiles of 64 repeats. */
static char *
kernel_source(const Bench *b)
{
    static const char *const computes[] = {
        "    t.vec_add(LANES, x, x, y, 64, 8, 8, 8)\n",
        "    t.vec_muls(LANES, x, x, 1.5, 64, 8, 8)\n",
        "",
    };
    const char *type = dtype_name(b->dtype);
    char *text = malloc(4096);
    char second[256] = "";
    if (b->what == ADD) {
        snprintf(second, sizeof second,
                 "    y = t.Tensor('%s', (TILE,), name='y', scope=tik.scope_ubuf)\n"
                 "    t.data_move(y, b[at], 0, 1, BURST, 0, 0)\n",
                 type);
    }
    snprintf(text, 4096,
             "from tbe import tik\n"
             "N = %lld\nSIZE = %d\nLANES = 256 // SIZE\nTILE = 64 * LANES\n"
             "BURST = TILE * SIZE // 32\nSHARE = N // %d\n"
             "t = tik.Tik()\n"
             "a = t.Tensor('%s', (N,), name='a', scope=tik.scope_gm)\n"
             "b = t.Tensor('%s', (N,), name='b', scope=tik.scope_gm)\n"
             "c = t.Tensor('%s', (N,), name='c', scope=tik.scope_gm)\n"
             "def tile(at):\n"
             "    x = t.Tensor('%s', (TILE,), name='x', scope=tik.scope_ubuf)\n"
             "    t.data_move(x, a[at], 0, 1, BURST, 0, 0)\n"
             "%s%s"
             "    t.data_move(c[at], x, 0, 1, BURST, 0, 0)\n"
             "with t.for_range(0, %d, block_num=%d) as core:\n"
             "    with t.for_range(0, SHARE // TILE) as i:\n"
             "        tile(core * SHARE + i * TILE)\n"
             "t.BuildCCE(kernel_name='k', inputs=[a, b], outputs=[c])\n",
             (long long)b->n, dtype_size(b->dtype), BLOCKS, type, type, type, type,
             second, computes[b->what], BLOCKS, BLOCKS);
    return text;
}

static void
show_errors(Unit *u)
{
    Text t;
    text_init(&t, &u->arena);
    diag_render_all(u, DIAG_TEXT, &t);
    die("compilation failed", t.p != NULL ? t.p : "");
}

static void
compile(Bench *b)
{
    char *source = kernel_source(b);
    PassOptions passes = {0};
    HostOptions host = {.opt_level = 2};
    double t0 = seconds();
    unit_init(&b->unit);
    if (!tikc_compile(&b->unit, "bench.tik", source, strlen(source), &passes)) {
        show_errors(&b->unit);
    }
    double t1 = seconds();
    Kernel *k = b->unit.kernels.p[0];
    if (!b->api->jit(&k, 1, &host, &b->host, &b->handle)) {
        show_errors(&b->unit);
    }
    b->compile = t1 - t0;
    b->jit = seconds() - t1;
    if (!tikc_blob(&b->unit, b->unit.kernels.p, 1, &b->blob, &b->blob_size)) {
        show_errors(&b->unit);
    }
    free(source);
}

/* ---- contestants --------------------------------------------------------- */

static void
run_c_loop(Bench *b)
{
    const void *x = b->a.data, *y = b->b.data;
    void *z = b->c.data;
    bool half = b->dtype == DT_F16;
    switch (b->what) {
    case ADD:
        if (half) {
            baseline_add_f16(z, x, y, b->n);
        } else {
            baseline_add_f32(z, x, y, b->n);
        }
        return;
    case SCALE:
        if (half) {
            baseline_scale_f16(z, x, 1.5F, b->n);
        } else {
            baseline_scale_f32(z, x, 1.5F, b->n);
        }
        return;
    case COPY:
        if (half) {
            baseline_copy_f16(z, x, b->n);
        } else {
            baseline_copy_f32(z, x, b->n);
        }
        return;
    case WHAT_COUNT:
        return;
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
    case HOST_THREADS:
        ok = tik_launch(&b->host, b->args, 0, &err);
        break;
    case EMULATOR:
        ok = tik_emulate(b->blob, b->blob_size, 0, b->args, &err);
        break;
    case C_LOOP:
        run_c_loop(b);
        break;
    case MEMCPY:
        memcpy(b->c.data, b->a.data, (size_t)b->c.bytes);
        break;
    case WHO_COUNT:
        break;
    }
    if (!ok) {
        die(err.name, err.text);
    }
}

/* ---- one case ------------------------------------------------------------ */

static void
make_array(TikArray *a, Dtype t, int64_t n, uint32_t seed)
{
    TikError err = {0};
    if (!tik_array_alloc(a, t, n, &err)) {
        die(err.name, err.text);
    }
    for (int64_t i = 0; i < n; i++) { /* finite numbers between 1 and 2, both signs */
        seed = seed * 1664525 + 1013904223;
        if (t == DT_F16) {
            ((uint16_t *)a->data)[i] =
                (uint16_t)(0x3c00 | (seed >> 22) | (seed & 0x8000));
        } else {
            ((uint32_t *)a->data)[i] = 0x3f800000 | (seed >> 9) | (seed & 0x80) << 24;
        }
    }
}

/* All contestants that compute must give the bytes of the C loop. */
static void
compare(Bench *b)
{
    size_t bytes = (size_t)b->c.bytes;
    uint8_t *want = malloc(bytes);
    run(b, C_LOOP);
    memcpy(want, b->c.data, bytes);
    for (int who = HOST; who <= EMULATOR; who++) {
        memset(b->c.data, 0, bytes);
        run(b, (Who)who);
        if (memcmp(want, b->c.data, bytes) != 0) {
            die(who_names[who], "the result differs from the C loop");
        }
    }
    free(want);
}

static void
report(Bench *b, int rounds)
{
    double m[WHO_COUNT];
    for (int who = 0; who < WHO_COUNT; who++) {
        m[who] = median(b->times[who], who == EMULATOR ? (rounds + 2) / 3 : rounds);
    }
    double bytes = (double)b->c.bytes * (b->what == ADD ? 3 : 2);
    printf("\n%s %s, %lld elements (compile %.2f ms, machine code %.1f ms)\n",
           dtype_name(b->dtype), what_names[b->what], (long long)b->n, b->compile * 1e3,
           b->jit * 1e3);
    for (int who = 0; who < WHO_COUNT; who++) {
        double moved = who == MEMCPY ? (double)b->c.bytes * 2 : bytes;
        printf("  %-18s %8.2f ms %7.1f GB/s", who_names[who], m[who] * 1e3,
               moved / m[who] * 1e-9);
        if (who != C_LOOP) {
            printf("   %6.2f x the C loop's time", m[who] / m[C_LOOP]);
        }
        printf("\n");
    }
}

static void
bench(const HostApi *api, What what, Dtype t, int64_t n, int rounds)
{
    Bench *b = calloc(1, sizeof *b);
    b->what = what;
    b->dtype = t;
    b->n = n;
    b->api = api;
    make_array(&b->a, t, n, 1);
    make_array(&b->b, t, n, 2);
    make_array(&b->c, t, n, 3);
    b->args[0] = &b->a;
    b->args[1] = &b->b;
    b->args[2] = &b->c;
    compile(b);
    compare(b);
    for (int r = 0; r < rounds; r++) {
        for (int i = 0; i < WHO_COUNT; i++) {
            Who who = (Who)((i + r) % WHO_COUNT);
            if (who == EMULATOR && r % 3 != 0) {
                continue;
            }
            double t0 = seconds();
            run(b, who);
            b->times[who][who == EMULATOR ? r / 3 : r] = seconds() - t0;
        }
    }
    report(b, rounds);
    api->release(b->handle);
    unit_free(&b->unit);
    tik_array_free(&b->a);
    tik_array_free(&b->b);
    tik_array_free(&b->c);
    free(b);
}

int
main(int argc, char **argv)
{
    int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 15;
    int64_t n = argc > 2 ? strtoll(argv[2], NULL, 10) : 1 << 24;
    int64_t unit = (int64_t)BLOCKS * 64 * 128;
    if (rounds < 1 || rounds > MAX_ROUNDS || n < unit || n % unit != 0) {
        die("usage", "bench [ROUNDS 1..99 [ELEMENTS, a multiple of 65536]]");
    }
    const HostApi *api = tikc_host_api();
    for (int t = 0; t < 2; t++) {
        for (int what = 0; what < WHAT_COUNT; what++) {
            bench(api, (What)what, t == 0 ? DT_F16 : DT_F32, n, rounds);
        }
    }
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    printf("\npeak memory of this process: %ld MB\n", use.ru_maxrss / 1024);
    return 0;
}
