/* launch.c: what a launch costs beside the work of its cores: kernels whose cores move 32
 * bytes, with 1 to 4096 blocks, on one thread and on two; and cores that add to the same
 * bytes, one after another.
 *
 *  launch [ROUNDS]
 * Times are of the wall clock, the median and the tenth percentile of the rounds, each
 * the mean of as many launches as take about 2 ms. Threads take turns. */
#include "host/host.h"
#include "pipeline.h"
#include "tikrt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timing.h"

enum {
    MAX_ROUNDS = 999,
    MOST_ARGS = 4,
    THREADS = 2
};

static const char small_cores[] =
    "from tbe import tik\n"
    "t = tik.Tik()\n"
    "x = t.Tensor('float32', (%d * 8,), name='x', scope=tik.scope_gm)\n"
    "y = t.Tensor('float32', (%d * 8,), name='y', scope=tik.scope_gm)\n"
    "with t.for_range(0, %d, block_num=%d) as i:\n"
    "    u = t.Tensor('float32', (8,), name='u', scope=tik.scope_ubuf)\n"
    "    t.data_move(u, x[i * 8], 0, 1, 1, 0, 0)\n"
    "    t.data_move(y[i * 8], u, 0, 1, 1, 0, 0)\n"
    "t.BuildCCE(kernel_name='k', inputs=[x], outputs=[y])\n";

static const char atomic_cores[] =
    "from tbe import tik\n"
    "t = tik.Tik()\n"
    "x = t.Tensor('float32', (%d * 4096,), name='x', scope=tik.scope_gm)\n"
    "y = t.Tensor('float32', (64,), name='y', scope=tik.scope_gm, is_atomic_add=True)\n"
    "with t.for_range(0, %d, block_num=%d) as i:\n"
    "    u = t.Tensor('float32', (4096,), name='u', scope=tik.scope_ubuf)\n"
    "    t.data_move(u, x[i * 4096], 0, 1, 512, 0, 0)\n"
    "    for step in range(32):\n"
    "        t.vec_add(64, u, u, u[64], 63, 8, 8, 8)\n"
    "    t.set_atomic_add(1)\n"
    "    t.data_move(y, u, 0, 1, 8, 0, 0)\n"
    "    t.set_atomic_add(0)\n"
    "t.BuildCCE(kernel_name='k', inputs=[x], outputs=[y])\n";

typedef struct Case {
    const char *what, *source;
    int blocks;
} Case;

static const Case cases[] = {
    {"cores of 32 bytes", small_cores, 1},    {"cores of 32 bytes", small_cores, 2},
    {"cores of 32 bytes", small_cores, 8},    {"cores of 32 bytes", small_cores, 32},
    {"cores of 32 bytes", small_cores, 256},  {"cores of 32 bytes", small_cores, 4096},
    {"cores that add to y", atomic_cores, 8}, {"cores that add to y", atomic_cores, 32},
};

static void
die(const char *what, const char *why)
{
    fprintf(stderr, "launch: %s: %s\n", what, why);
    exit(1);
}

typedef struct Loaded {
    Unit unit;
    TikKernel kernel;
    void *handle;
    TikArray arrays[MOST_ARGS], *list[MOST_ARGS];
} Loaded;

static void
load(Loaded *b, const HostApi *api, HostSession *session, const Case *c)
{
    char source[2048];
    PassOptions passes = {0};
    TikError err;
    snprintf(source, sizeof source, c->source, c->blocks, c->blocks, c->blocks,
             c->blocks);
    unit_init(&b->unit);
    if (!tikc_compile(&b->unit, "launch.tik", source, strlen(source), &passes)) {
        die(c->what, b->unit.diags.n > 0 ? b->unit.diags.p[0]->text : "not accepted");
    }
    tikc_tile(b->unit.kernels.p, 1, &passes);
    if (!api->jit(session, b->unit.kernels.p, 1, false, &b->kernel, &b->handle)) {
        die(c->what, "not compiled");
    }
    for (int i = 0; i < b->kernel.nparams; i++) {
        const TikParam *p = &b->kernel.params[i];
        b->list[i] = &b->arrays[i];
        if (!tik_array_alloc(&b->arrays[i], p->dtype, p->elems, &err)) {
            die(c->what, err.text);
        }
    }
}

static double
launches(Loaded *b, int threads, int n)
{
    TikError err;
    double from = seconds();
    for (int i = 0; i < n; i++) {
        if (!tik_launch(&b->kernel, b->list, threads, &err)) {
            die("launch", err.text);
        }
    }
    return (seconds() - from) / n;
}

static void
bench(const HostApi *api, HostSession *session, const Case *c, int rounds)
{
    static Loaded b;
    static double times[THREADS][MAX_ROUNDS];
    int n[THREADS];
    load(&b, api, session, c);
    for (int t = 0; t < THREADS; t++) {
        double once = launches(&b, t + 1, 20);
        n[t] = once > 1e-4 ? 20 : (int)(2e-3 / once);
    }
    for (int r = 0; r < rounds; r++) {
        for (int t = 0; t < THREADS; t++) {
            times[t][r] = launches(&b, t + 1, n[t]);
        }
    }
    printf("%-20s %6d", c->what, c->blocks);
    for (int t = 0; t < THREADS; t++) {
        double middle = median(times[t], rounds) * 1e6;
        printf("   %10.2f %10.2f", times[t][rounds / 10] * 1e6, middle);
    }
    printf("\n");
    api->release(b.handle);
    for (int i = 0; i < b.kernel.nparams; i++) {
        tik_array_free(&b.arrays[i]);
    }
    unit_free(&b.unit);
}

int
main(int argc, char **argv)
{
    int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 99;
    if (rounds < 1 || rounds > MAX_ROUNDS) {
        die("usage", "launch [ROUNDS 1..999]");
    }
    Unit u;
    unit_init(&u);
    const HostApi *api = tikc_host_api();
    HostSession *session = api->open(&u, &(HostOptions){.opt_level = 2});
    if (session == NULL) {
        die("session", "not opened");
    }
    printf(
        "\nlaunches, microseconds      1 thread: 10 %%     median   2 threads: 10 %%     "
        "median\n");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bench(api, session, &cases[i], rounds);
    }
    api->close(session);
    unit_free(&u);
    return 0;
}
