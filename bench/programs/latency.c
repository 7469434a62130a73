/* latency.c: what a user waits for before a kernel runs, in one process: the load of the
 * host back end with LLVM, the front end with its passes, and code generation: of the
 * first file as the first kernel of the process, of each as a later kernel of a session
 * that knows no helper of it, and of the same kernel once more.
 *
 *  latency ROUNDS FILE...
 * Times are processor times, but for the first the least of the rounds. */
#include "host/host.h"
#include "pipeline.h"
#include "tikrt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timing.h"

typedef struct Program {
    const char *path, *name;
    char *text;
    size_t bytes;
} Program;

static void
die(const char *what, const char *why)
{
    fprintf(stderr, "latency: %s: %s\n", what, why);
    exit(1);
}

static Program
program_read(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL || fseek(f, 0, SEEK_END) != 0) {
        die(path, "cannot be read");
    }
    long bytes = ftell(f);
    rewind(f);
    char *text = malloc((size_t)bytes + 1);
    if (text == NULL || fread(text, 1, (size_t)bytes, f) != (size_t)bytes) {
        die(path, "cannot be read");
    }
    text[bytes] = '\0';
    fclose(f);
    const char *slash = strrchr(path, '/');
    return (Program){path, slash != NULL ? slash + 1 : path, text, (size_t)bytes};
}

typedef struct Times {
    double front, jit;
} Times;

static const HostApi *
open_host(void)
{
    Unit u;
    unit_init(&u);
    double from = processor_seconds();
    const HostApi *api = host_open(&u);
    printf("load of the host back end %.2f ms\n", (processor_seconds() - from) * 1e3);
    if (api == NULL) {
        die("libtikc-host.so", "cannot be loaded");
    }
    unit_free(&u);
    return api;
}

static HostSession *
open_session(const HostApi *api)
{
    Unit u;
    unit_init(&u);
    HostSession *s = api->open(&u, &(HostOptions){.opt_level = 2});
    if (s == NULL) {
        die("session", "cannot be opened");
    }
    unit_free(&u);
    return s;
}

static Times
compile_once(const HostApi *api, HostSession *session, const Program *s)
{
    Unit u;
    PassOptions passes = {0};
    void *handle = NULL;
    double from = processor_seconds();
    unit_init(&u);
    if (!tikc_compile(&u, s->path, s->text, s->bytes, &passes) || u.kernels.n == 0) {
        die(s->name, "is not accepted");
    }
    tikc_tile(u.kernels.p, (int)u.kernels.n, &passes);
    double between = processor_seconds();
    TikKernel *entries = calloc((size_t)u.kernels.n, sizeof *entries);
    if (entries == NULL ||
        !api->jit(session, u.kernels.p, (int)u.kernels.n, true, entries, &handle)) {
        die(s->name, "is not compiled");
    }
    Times t = {between - from, processor_seconds() - between};
    api->release(handle);
    free(entries);
    unit_free(&u);
    return t;
}

static void
keep_least(Times *least, Times t)
{
    least->front = t.front < least->front ? t.front : least->front;
    least->jit = t.jit < least->jit ? t.jit : least->jit;
}

/* warm: what the session has compiled before. */
static void
measure(const HostApi *api, const Program *s, const Program *warm, int rounds)
{
    Times later = {1e9, 1e9}, again = {1e9, 1e9};
    for (int r = 0; r < rounds; r++) {
        HostSession *session = open_session(api);
        compile_once(api, session, warm);
        keep_least(&later, compile_once(api, session, s));
        keep_least(&again, compile_once(api, session, s));
        api->close(session);
    }
    printf("%-28s front end %6.2f ms   jit %6.2f ms, again %6.2f\n", s->name,
           later.front * 1e3, later.jit * 1e3, again.jit * 1e3);
}

/* A kernel of which no helper is shared with what is measured. */
static const char warm_text[] =
    "from tbe import tik\n"
    "t = tik.Tik()\n"
    "x = t.Tensor('int32', (8,), name='x', scope=tik.scope_gm)\n"
    "u = t.Tensor('int32', (64,), name='u', scope=tik.scope_ubuf)\n"
    "t.vec_dup(64, u, 3, 1, 8)\n"
    "t.data_move(x, u, 0, 1, 1, 0, 0)\n"
    "t.BuildCCE(kernel_name='warm', inputs=[], outputs=[x])\n";

int
main(int argc, char **argv)
{
    int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 0;
    if (rounds < 1 || argc < 3) {
        die("usage", "latency ROUNDS FILE...");
    }
    Program warm = {"warm.tik", "warm.tik", (char *)warm_text, sizeof warm_text - 1};
    const HostApi *api = open_host();
    for (int f = 2; f < argc; f++) {
        Program s = program_read(argv[f]);
        if (f == 2) {
            double from = processor_seconds();
            HostSession *session = open_session(api);
            double open = processor_seconds() - from;
            Times t = compile_once(api, session, &s);
            printf("first kernel: session %.2f ms, front end %.2f, jit %.2f\n",
                   open * 1e3, t.front * 1e3, t.jit * 1e3);
            api->close(session);
        }
        measure(api, &s, &warm, rounds);
        free(s.text);
    }
    return 0;
}
