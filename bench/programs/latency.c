/* latency.c: what a user waits for before a kernel runs, in one process: the load of the
 * host back end with LLVM, the front end with its passes, code generation of the first
 * kernel and of later ones, all in one session.
 *
 *  latency ROUNDS FILE...
 * Times are processor times. A later kernel's is the least of the rounds. */
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

typedef struct Host {
    const HostApi *api;
    HostSession *session;
    double load, open; /* seconds that these took */
} Host;

static Host
open_host(void)
{
    Unit u;
    Host h;
    unit_init(&u);
    double from = processor_seconds();
    h.api = host_open(&u);
    double between = processor_seconds();
    h.session = h.api != NULL ? h.api->open(&u, &(HostOptions){.opt_level = 2}) : NULL;
    h.load = between - from;
    h.open = processor_seconds() - between;
    if (h.session == NULL) {
        die("libtikc-host.so", "cannot be used");
    }
    unit_free(&u);
    return h;
}

static Times
compile_once(const Host *h, const Program *s)
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
        !h->api->jit(h->session, u.kernels.p, (int)u.kernels.n, true, entries, &handle)) {
        die(s->name, "is not compiled");
    }
    Times t = {between - from, processor_seconds() - between};
    h->api->release(handle);
    free(entries);
    unit_free(&u);
    return t;
}

int
main(int argc, char **argv)
{
    int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 0;
    if (rounds < 1 || argc < 3) {
        die("usage", "latency ROUNDS FILE...");
    }
    Host h = open_host();
    printf("load of the host back end %.2f ms, session %.2f ms\n", h.load * 1e3,
           h.open * 1e3);
    for (int f = 2; f < argc; f++) {
        Program s = program_read(argv[f]);
        Times first = compile_once(&h, &s), least = first;
        for (int r = 1; r < rounds; r++) {
            Times t = compile_once(&h, &s);
            least.front = t.front < least.front ? t.front : least.front;
            least.jit = t.jit < least.jit ? t.jit : least.jit;
        }
        printf("%-28s front end %6.2f ms, later %6.2f   jit %6.2f ms, later %6.2f\n",
               s.name, first.front * 1e3, least.front * 1e3, first.jit * 1e3,
               least.jit * 1e3);
        free(s.text);
    }
    h.api->close(h.session);
    return 0;
}
