/* peerrun.c: runs the kernels of programs in one process, and shared by 2 to 8 processes
 * that reach each other by sockets (TikPeers), on both back ends, for
 * tests/cross/peers.py. Arrays begin with random bytes of a seed.
 *
 *  peerrun SEED FILE[@PROCESSOR]...
 * prints for each kernel with several cores and back end
 *  KERNEL FILE NAME BACKEND CORES STATUS DETAIL\n
 *      status: spread    the cores were shared
 *              alone     rank 0 ran all; the detail says why
 *              fault     all stopped with the same fault; the detail is its name
 *              mismatch  bytes, fault or warnings differ; the detail says how
 *      and REFUSED FILE\n for a program that does not compile by itself. */
#include "host/host.h"
#include "tikblob.h"
#include "pipeline.h"
#include "tikrt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MOST_RANKS = 8,
    OPEN_ELEMS = 5000, /* of arrays whose size is known only at run time */
    WARNINGS = 1 << 16
};

/* A kernel in one of its two forms, and how it begins. */
typedef struct Subject {
    const char *file, *backend;
    const Kernel *kernel;
    const TikKernel *native; /* null: the blob */
    const uint8_t *blob;
    size_t blob_size;
    unsigned seed;
    int32_t cores;
} Subject;

/* What a run leaves. */
typedef struct Run {
    TikArray arrays[32];
    TikArray *pointers[32];
    bool ok;
    TikError err;
    size_t nwarnings;
    char warnings[WARNINGS];
} Run;

/* A process of a shared run: its sockets to the others, by rank. */
typedef struct Process {
    int to[MOST_RANKS];
} Process;

static void *
must(void *p)
{
    if (!p) {
        fprintf(stderr, "peerrun: out of memory or bad input\n");
        exit(2);
    }
    return p;
}

/* ---- sockets ------------------------------------------------------------- */

static bool
send_all(void *ctx, int32_t to, const void *bytes, size_t n)
{
    const char *at = bytes;
    while (n > 0) {
        ssize_t some = write(((Process *)ctx)->to[to], at, n);
        if (some < 0 && errno != EINTR) {
            return false;
        }
        at += some > 0 ? some : 0;
        n -= some > 0 ? (size_t)some : 0;
    }
    return true;
}

static bool
receive_all(void *ctx, int32_t from, void *bytes, size_t n)
{
    char *at = bytes;
    while (n > 0) {
        ssize_t some = read(((Process *)ctx)->to[from], at, n);
        if (some == 0 || (some < 0 && errno != EINTR)) {
            return false;
        }
        at += some > 0 ? some : 0;
        n -= some > 0 ? (size_t)some : 0;
    }
    return true;
}

/* ---- runs ---------------------------------------------------------------- */

static void
on_warning(void *ctx, const char *name, const char *text, const char *place)
{
    Run *r = ctx;
    size_t left = sizeof r->warnings - r->nwarnings;
    int n = snprintf(r->warnings + r->nwarnings, left, "%s %s %s\n", name, text, place);
    r->nwarnings += MIN((size_t)n, left - 1);
}

/* Makes an element near 1 of the bits of a float, so that sums depend on their order. */
static uint64_t
near_one(Dtype t, uint64_t bits)
{
    return t == DT_F32   ? (bits & 0x807fffffU) | 0x3f800000U
           : t == DT_F16 ? (bits & 0x83ffU) | 0x3c00U
                         : bits;
}

/* Fills an array with random bits, of which most floats are near 1. With an even seed
 * integers are 0 to 7, so that many are good indices. */
static void
fill(TikArray *a, unsigned seed, bool small)
{
    int64_t size = tikrt_dtype_size(a->dtype);
    uint64_t x = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    for (int64_t i = 0; i + size <= a->bytes; i += size) {
        x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint64_t bits = x >> 20;
        bits = small && a->dtype != DT_F32 && a->dtype != DT_F16 ? bits % 8 : bits;
        bits = x >> 61 != 0 ? near_one(a->dtype, bits) : bits;
        memcpy(a->data + i, &bits, (size_t)size);
    }
}

static void
begin_run(Run *r, const Subject *f)
{
    const Kernel *k = f->kernel;
    memset(r, 0, sizeof *r);
    for (uint32_t i = 0; i < k->params.n; i++) {
        const Buffer *b = &k->bufs.p[k->params.p[i]];
        TikError err;
        if (!tik_array_alloc(&r->arrays[i], b->dtype, b->dynamic ? OPEN_ELEMS : b->elems,
                             &err)) {
            must(NULL);
        }
        fill(&r->arrays[i], f->seed + i, f->seed % 2 == 0);
        r->pointers[i] = &r->arrays[i];
    }
}

static void
end_run(Run *r)
{
    for (size_t i = 0; i < ARRAY_LEN(r->arrays); i++) {
        if (r->pointers[i]) {
            tik_array_free(r->pointers[i]);
        }
    }
}

static void
run(Run *r, const Subject *f, TikPeers *peers)
{
    begin_run(r, f);
    if (f->native && peers) {
        r->ok =
            tik_launch_among(peers, f->native, r->pointers, 1, on_warning, r, &r->err);
    } else if (f->native) {
        r->ok = tik_launch_watched(f->native, r->pointers, 1, on_warning, r, &r->err);
    } else {
        TikEmuOptions o = {.warn = on_warning, .ctx = r, .peers = peers};
        r->ok = tik_emulate_watched(f->blob, f->blob_size, 0, r->pointers, &o, &r->err);
    }
}

/* Runs a kernel in n processes, of which this is the first. */
static void
run_shared(Run *r, const Subject *f, int32_t n, const char **alone)
{
    Process own = {{0}};
    pid_t pids[MOST_RANKS];
    fflush(stdout);
    for (int32_t rank = 1; rank < n; rank++) {
        int pair[2];
        must(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 ? pair : NULL);
        pids[rank] = fork();
        if (pids[rank] == 0) {
            Process other = {{pair[1]}};
            TikPeers peers = {rank, n, &other, send_all, receive_all, NULL};
            close(pair[0]);
            run(r, f, &peers);
            _exit(r->ok ? 0 : 1);
        }
        close(pair[1]);
        own.to[rank] = pair[0];
    }
    TikPeers peers = {0, n, &own, send_all, receive_all, NULL};
    run(r, f, &peers);
    *alone = peers.alone;
    for (int32_t rank = 1; rank < n; rank++) {
        int status;
        if (waitpid(pids[rank], &status, 0) != pids[rank] || status != 0) {
            r->ok = false;
            snprintf(r->err.text, sizeof r->err.text, "rank %d ended with %d", rank,
                     status);
        }
        close(own.to[rank]);
    }
}

/* ---- comparing ----------------------------------------------------------- */

/* Returns how two runs differ; null if they do not. */
static const char *
difference(const Run *a, const Run *b, Arena *arena)
{
    if (a->ok != b->ok || (!a->ok && (strcmp(a->err.name, b->err.name) != 0 ||
                                      strcmp(a->err.text, b->err.text) != 0 ||
                                      strcmp(a->err.where, b->err.where) != 0 ||
                                      strcmp(a->err.place, b->err.place) != 0))) {
        return arena_printf(arena, "%s against %s", a->ok ? "ok" : a->err.text,
                            b->ok ? "ok" : b->err.text);
    }
    if (strcmp(a->warnings, b->warnings) != 0) {
        return arena_printf(arena, "warnings '%s' against '%s'", a->warnings,
                            b->warnings);
    }
    for (size_t i = 0; i < ARRAY_LEN(a->arrays) && a->pointers[i]; i++) {
        const TikArray *x = a->pointers[i], *y = b->pointers[i];
        if (memcmp(x->data, y->data, (size_t)x->bytes) != 0) {
            return arena_printf(arena, "bytes of argument %zu", i);
        }
    }
    return NULL;
}

static void
compare(const Subject *f)
{
    static Run one, shared;
    Arena a = {0};
    const char *why = NULL, *alone = NULL;
    run(&one, f, NULL);
    for (int32_t n = 2; n <= MOST_RANKS && !why; n++) {
        run_shared(&shared, f, n, &alone);
        why = difference(&one, &shared, &a);
        if (why) {
            why = arena_printf(&a, "%d processes: %s", n, why);
        }
        end_run(&shared);
    }
    printf("KERNEL %s %s %s %lld %s %s\n", f->file,
           sym_text(&f->kernel->unit->names, f->kernel->name), f->backend,
           (long long)f->cores,
           why       ? "mismatch"
           : !one.ok ? "fault"
           : alone   ? "alone"
                     : "spread",
           why       ? why
           : !one.ok ? one.err.name
           : alone   ? alone
                     : "");
    end_run(&one);
    arena_free(&a);
}

/* ---- programs ------------------------------------------------------------ */

static bool
is_wanted(const Kernel *k)
{
    bool ok = k->params.n <= 32;
    for (uint32_t i = 0; i < k->params.n; i++) {
        const Buffer *b = &k->bufs.p[k->params.p[i]];
        ok = ok && ir_arg_role(b) != ARGROLE_LIST && b->elems <= 1 << 22;
    }
    return ok;
}

static int32_t
cores_of(const Subject *f)
{
    TikBlob b;
    TikBlobKernel k = {.cores = 1};
    if (tikblob_open(&b, f->blob, f->blob_size, NULL)) {
        tikblob_kernel(&b, 0, &k);
    }
    return (int32_t)k.cores;
}

static void
compare_kernel(Kernel *k, const HostApi *host, HostSession *s, const char *file,
               unsigned seed)
{
    TikKernel entry;
    void *handle = NULL;
    Subject f = {.file = file, .kernel = k, .seed = seed};
    if (!is_wanted(k)) {
        return;
    }
    if (!tikc_blob(k->unit, &k, 1, &f.blob, &f.blob_size)) {
        return;
    }
    f.cores = cores_of(&f);
    if (f.cores == 1) {
        return;
    }
    f.backend = "emu";
    compare(&f);
    tikc_tile(&k, 1, &(PassOptions){0});
    if (host->jit(s, &k, 1, true, &entry, &handle)) {
        f.backend = "host";
        f.native = &entry;
        compare(&f);
        host->release(handle);
    }
}

static void
compare_program(const HostApi *host, const char *path, unsigned seed)
{
    Unit u;
    static char text[1 << 18];
    const char *soc = strrchr(path, '@');
    char name[1024];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(path, "@"), path);
    FILE *from = must(fopen(name, "r"));
    size_t n = fread(text, 1, sizeof text - 1, from);
    fclose(from);
    text[n] = 0;
    unit_init(&u);
    u.soc_fixed = soc != NULL;
    if ((!soc || unit_set_soc(&u, soc + 1)) &&
        tikc_compile(&u, name, text, n, &(PassOptions){0})) {
        HostSession *s = must(host->open(&u, &(HostOptions){.opt_level = 1}));
        for (uint32_t i = 0; i < u.kernels.n; i++) {
            compare_kernel(u.kernels.p[i], host, s, path, seed);
        }
        host->close(s);
    } else {
        printf("REFUSED %s\n", path);
    }
    for (uint32_t i = 0; i < u.kernels.n; i++) {
        kernel_free(u.kernels.p[i]);
    }
    unit_free(&u);
}

int
main(int argc, char **argv)
{
    Unit u;
    unit_init(&u);
    const HostApi *host = must((void *)(uintptr_t)host_open(&u));
    for (int i = 2; i < argc; i++) {
        compare_program(host, argv[i], (unsigned)strtoul(argv[1], NULL, 10));
    }
    unit_free(&u);
    return 0;
}
