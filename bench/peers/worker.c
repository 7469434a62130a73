/* worker.c: the process of one peer. It opens the peer's shared object (peer.h) and obeys
 * lines on standard input, each with one line of answer:
 *
 *   load KERNEL NIN (PATH BYTES)... NOUT BYTES... NN INTEGER... NF NUMBER...
 *       -> ok, na (not a kernel of this peer) or err. An input is a file, repeated to
 * BYTES. run CALLS MILLISECONDS  -> t NANOSECONDS...   one number for each call that
 * counts poison                  -> ok                 fills the outputs with 0xa5 dump
 * NUMBER PATH PERIOD -> ok                 writes an output: its first PERIOD bytes if
 * the rest repeats these, else all memory                  -> m KILOBYTES        the peak
 * above what the arrays take drop                    -> ok                 frees the
 * arrays quit
 *
 * On one thread a call's time is that of its processor; on several it is the time that
 * passed, of calls during which no thread lost its processor. */
#define _GNU_SOURCE
#include "peer.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    MAX_CALLS = 4000,
    LINE_BYTES = 1 << 16,
    HUGE_PAGE = 2 << 20,
    PATH_BYTES = 1024
};

typedef struct Buffer {
    uint8_t *p;
    size_t bytes, mapped;
} Buffer;

typedef struct Worker {
    void *peer;
    int threads;
    int nin, nout;
    Buffer in[PEER_ARRAYS], out[PEER_ARRAYS];
    PeerArgs args;
    PeerCall *call;
    long base_kb; /* memory in use before the first call */
    char *rest;   /* of the line */
} Worker;

/* ---- words of a line ----------------------------------------------------- */

static char *
word(Worker *w)
{
    char *from = w->rest + strspn(w->rest, " \n");
    size_t n = strcspn(from, " \n");
    w->rest = from + n + (from[n] != '\0');
    from[n] = '\0';
    return from;
}

static long
integer(Worker *w)
{
    return strtol(word(w), NULL, 10);
}

static void
answer(const char *format, ...)
{
    va_list v;
    va_start(v, format);
    vprintf(format, v);
    va_end(v);
    printf("\n");
}

/* ---- arrays -------------------------------------------------------------- */

static void
buffer_free(Buffer *b)
{
    if (b->p != NULL) {
        munmap(b->p, b->mapped);
    }
    *b = (Buffer){0};
}

/* Aligned to huge pages, and of them where the system has some; every page is present. */
static bool
buffer_make(Buffer *b, size_t bytes)
{
    size_t rounded = (bytes + HUGE_PAGE) / HUGE_PAGE * HUGE_PAGE;
    uint8_t *m = mmap(NULL, rounded + HUGE_PAGE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (m == MAP_FAILED) {
        return false;
    }
    size_t front = (HUGE_PAGE - (uintptr_t)m % HUGE_PAGE) % HUGE_PAGE;
    if (front != 0) {
        munmap(m, front);
    }
    if (front != HUGE_PAGE) {
        munmap(m + front + rounded, HUGE_PAGE - front);
    }
    *b = (Buffer){m + front, bytes, rounded};
    madvise(b->p, rounded, MADV_HUGEPAGE);
    memset(b->p, 0, rounded);
    return true;
}

static bool
read_all(int fd, uint8_t *to, size_t bytes)
{
    size_t got = 0;
    while (got < bytes) {
        ssize_t n = read(fd, to + got, bytes - got);
        if (n <= 0) {
            return false;
        }
        got += (size_t)n;
    }
    return true;
}

/* Fills b with the file's bytes, again and again. */
static bool
fill_from(Buffer *b, const char *path)
{
    struct stat s;
    int fd = open(path, O_RDONLY);
    if (fd < 0 || fstat(fd, &s) != 0 || s.st_size == 0) {
        return false;
    }
    size_t size = (size_t)s.st_size < b->bytes ? (size_t)s.st_size : b->bytes;
    bool ok = read_all(fd, b->p, size);
    close(fd);
    for (size_t at = size; ok && at < b->bytes; at += size) {
        memcpy(b->p + at, b->p, at + size <= b->bytes ? size : b->bytes - at);
    }
    return ok;
}

static void
drop(Worker *w)
{
    for (int i = 0; i < PEER_ARRAYS; i++) {
        buffer_free(&w->in[i]);
        buffer_free(&w->out[i]);
    }
    w->args = (PeerArgs){0};
    w->nin = w->nout = 0;
    w->call = NULL;
}

/* ---- memory -------------------------------------------------------------- */

/* Returns a line of /proc/self/status in kilobytes. */
static long
status_kb(const char *name)
{
    char line[256];
    long kb = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f != NULL && fgets(line, sizeof line, f) != NULL) {
        if (strncmp(line, name, strlen(name)) == 0) {
            kb = strtol(line + strlen(name), NULL, 10);
        }
    }
    if (f != NULL) {
        fclose(f);
    }
    return kb;
}

/* The peak counts from here on. */
static void
reset_peak(Worker *w)
{
    FILE *f = fopen("/proc/self/clear_refs", "w");
    if (f != NULL) {
        fputs("5", f);
        fclose(f);
    }
    w->base_kb = status_kb("VmRSS:");
}

/* ---- commands ------------------------------------------------------------ */

static PeerCall *
find(const Worker *w, const char *kernel)
{
    char symbol[128];
    PeerCall *(*finder)(const char *) = NULL;
    *(void **)&finder = dlsym(w->peer, "peer_find");
    if (finder != NULL) {
        return finder(kernel);
    }
    snprintf(symbol, sizeof symbol, "k_%s", kernel);
    PeerCall *call = NULL;
    *(void **)&call = dlsym(w->peer, symbol);
    return call;
}

static bool
load_arrays(Worker *w)
{
    w->nin = (int)integer(w);
    for (int i = 0; i < w->nin && i < PEER_ARRAYS; i++) {
        const char *path = word(w);
        if (!buffer_make(&w->in[i], (size_t)integer(w)) || !fill_from(&w->in[i], path)) {
            answer("err cannot load %s", path);
            return false;
        }
        w->args.in[i] = w->in[i].p;
    }
    w->nout = (int)integer(w);
    for (int i = 0; i < w->nout && i < PEER_ARRAYS; i++) {
        if (!buffer_make(&w->out[i], (size_t)integer(w))) {
            answer("err no memory");
            return false;
        }
        w->args.out[i] = w->out[i].p;
    }
    return true;
}

static void
load(Worker *w)
{
    drop(w);
    w->call = find(w, word(w));
    if (w->call == NULL) {
        answer("na");
        return;
    }
    if (!load_arrays(w)) {
        drop(w);
        return;
    }
    long n = integer(w);
    for (int i = 0; i < n && i < PEER_NUMBERS; i++) {
        w->args.n[i] = integer(w);
    }
    n = integer(w);
    for (int i = 0; i < n && i < PEER_NUMBERS; i++) {
        w->args.f[i] = strtod(word(w), NULL);
    }
    void (*reset)(void) = NULL;
    *(void **)&reset = dlsym(w->peer, "peer_reset");
    if (reset != NULL) {
        reset();
    }
    reset_peak(w);
    answer("ok");
}

static int64_t
clock_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static long
preemptions(void)
{
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return r.ru_nivcsw;
}

/* One call that is not timed, then calls for so long. If no call was free of preemption,
 * all count. */
static void
run(Worker *w)
{
    static int64_t clean[MAX_CALLS], all[MAX_CALLS];
    long most = integer(w);
    int64_t limit = (int64_t)(strtod(word(w), NULL) * 1e6), sum = 0;
    clockid_t clock = w->threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    int nclean = 0, nall = 0;
    if (w->call == NULL || w->call(&w->args) != 0) {
        answer("na");
        return;
    }
    do {
        long switches = preemptions();
        int64_t from = clock_ns(clock);
        w->call(&w->args);
        int64_t ns = clock_ns(clock) - from;
        all[nall++] = ns;
        sum += ns;
        if (w->threads == 1 || preemptions() == switches) {
            clean[nclean++] = ns;
        }
    } while (nall < most && nall < MAX_CALLS && sum < limit);
    printf("t");
    for (int i = 0; i < (nclean > 0 ? nclean : nall); i++) {
        printf(" %lld", (long long)(nclean > 0 ? clean[i] : all[i]));
    }
    answer("");
}

static void
dump(Worker *w)
{
    long i = integer(w);
    const char *path = word(w);
    size_t period = (size_t)integer(w);
    if (i < 0 || i >= w->nout) {
        answer("err no output %ld", i);
        return;
    }
    const Buffer *b = &w->out[i];
    bool repeats =
        period < b->bytes && memcmp(b->p, b->p + period, b->bytes - period) == 0;
    FILE *f = fopen(path, "wb");
    size_t bytes = repeats ? period : b->bytes;
    bool ok = f != NULL && fwrite(b->p, 1, bytes, f) == bytes;
    ok = f != NULL && fclose(f) == 0 && ok;
    answer(ok ? "ok" : "err cannot write %s", path);
}

static bool
obey(Worker *w)
{
    const char *command = word(w);
    if (strcmp(command, "quit") == 0) {
        return false;
    } else if (strcmp(command, "load") == 0) {
        load(w);
    } else if (strcmp(command, "run") == 0) {
        run(w);
    } else if (strcmp(command, "dump") == 0) {
        dump(w);
    } else if (strcmp(command, "memory") == 0) {
        answer("m %ld", status_kb("VmHWM:") - w->base_kb);
    } else if (strcmp(command, "poison") == 0) {
        for (int i = 0; i < w->nout; i++) {
            memset(w->out[i].p, 0xa5, w->out[i].bytes);
        }
        answer("ok");
    } else if (strcmp(command, "drop") == 0) {
        drop(w);
        answer("ok");
    } else {
        answer("err unknown command");
    }
    return true;
}

int
main(int argc, char **argv)
{
    static char line[LINE_BYTES];
    if (argc != 3) {
        fprintf(stderr, "usage: worker PEER.so THREADS\n");
        return 2;
    }
    Worker w = {.threads = (int)strtol(argv[2], NULL, 10)};
    setvbuf(stdout, NULL, _IOLBF, 0);
    w.peer = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (w.peer == NULL) {
        answer("err %s", dlerror());
        return 1;
    }
    int (*init)(int) = NULL;
    const char *(*version)(void) = NULL;
    *(void **)&init = dlsym(w.peer, "peer_init");
    *(void **)&version = dlsym(w.peer, "peer_version");
    if (init != NULL && init(w.threads) != 0) {
        answer("err the peer does not start");
        return 1;
    }
    answer("ready %s", version != NULL ? version() : "");
    while (fgets(line, sizeof line, stdin) != NULL) {
        w.rest = line;
        if (!obey(&w)) {
            break;
        }
    }
    drop(&w);
    return 0;
}
