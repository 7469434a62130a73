/* cluster.c: processes of the tool that a launcher of MPI started together; see
 * cluster.h. All talk is a status to rank 0 and its answer, so one that leaves early is
 * noticed by all others at their next status. */
#define _GNU_SOURCE
#include "driver/cluster.h"
#include "host/host.h"
#include "mpi/mpi_api.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    DIGEST = 32,
    PARTS = 1 << 20 /* bytes of standard input that are read at once */
};

struct Cluster {
    const MpiApi *mpi;
    TikPeers peers;
    bool ended; /* rank 0 has left */
    int errors; /* where standard error was, when it is kept */
    crypto_generichash_state digest;
};

/* What a rank tells rank 0. */
typedef struct Status {
    int ok;
    uint8_t digest[DIGEST];
    char host[64], text[512];
} Status;

/* The answers of rank 0. */
enum {
    GO = 1,
    STOP, /* some rank failed */
    LEAVE /* rank 0 has left */
};

/* ---- joining ------------------------------------------------------------- */

/* Returns a number that the environment has; `none` without it. */
static long
number_in(const char *name, long none)
{
    const char *text = getenv(name);
    return text != NULL && *text ? strtol(text, NULL, 10) : none;
}

/* Returns how many processes a launcher says that it started; 0 if it does not say. */
static long
launched(void)
{
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS",
                                        "PMI_SIZE"};
    bool slurm = getenv("PMIX_RANK") != NULL;
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        long n = number_in(sizes[i], 0);
        /* srun without --mpi=pmix starts processes that do not know each other */
        if (n > 0 && (i != 1 || slurm)) {
            return n;
        }
    }
    return 0;
}

bool
cluster_is_other(void)
{
    static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
    for (size_t i = 0; i < ARRAY_LEN(ranks); i++) {
        if (getenv(ranks[i]) != NULL) {
            return number_in(ranks[i], 0) != 0;
        }
    }
    return false;
}

/* Returns whether the processes are to be joined. */
static bool
wants_to_join(const Cmd *c)
{
    bool on = c->mpi && strcmp(c->mpi, "on") == 0;
    bool off = c->mpi && strcmp(c->mpi, "off") == 0;
    return on || (!off && launched() > 1);
}

static bool
failed(Cmd *c, const char *text)
{
    diag_add(&c->unit, D_CLUSTER, (Span){0}, 0, "%s", text);
    return false;
}

static const MpiApi *
open_api(Cmd *c)
{
    void *lib = library_open(&c->unit, "libtikc-mpi.so");
    const MpiApi *(*get)(void) = NULL;
    if (lib == NULL) {
        const char *why = dlerror();
        (void)failed(c, arena_printf(&c->unit.arena, "MPI is not available: %s",
                                     why != NULL ? why : ""));
        return NULL;
    }
    *(void **)&get = dlsym(lib, "tikc_mpi_api");
    const MpiApi *api = get != NULL ? get() : NULL;
    if (api == NULL || api->version != MPI_API_VERSION) {
        (void)failed(c, "libtikc-mpi.so is of another version of tikc");
        return NULL;
    }
    return api;
}

/* Keeps what this process prints in a file without a name. */
static bool
keep_output(Cluster *k)
{
    int fd = memfd_create("tikc", MFD_CLOEXEC);
    k->errors = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    bool ok = fd >= 0 && k->errors >= 0 && fflush(stdout) == 0 &&
              dup2(fd, STDOUT_FILENO) >= 0 && dup2(fd, STDERR_FILENO) >= 0;
    if (fd >= 0) {
        close(fd);
    }
    return ok;
}

/* Lets programs that this one starts work alone. */
static void
forget_launcher(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK",
                                        "PMIX_RANK", "PMI_SIZE", "PMI_RANK"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        unsetenv(names[i]);
    }
}

bool
cluster_option(Cmd *c)
{
    const char *w = c->mpi;
    return !w || strcmp(w, "auto") == 0 || strcmp(w, "on") == 0 ||
           strcmp(w, "off") == 0 ||
           options_wrong(
               c, arena_printf(&c->unit.arena, "--mpi is auto, on or off, not '%s'", w));
}

bool
cluster_join(Cmd *c, int argc, char **words)
{
    if (!wants_to_join(c)) {
        return true;
    }
    Cluster *k = ARENA_NEW(&c->unit.arena, Cluster);
    k->mpi = open_api(c);
    TRY(k->mpi != NULL);
    if (!k->mpi->begin(&k->peers.rank, &k->peers.ranks)) {
        return failed(c, "MPI does not begin");
    }
    long asked = launched();
    c->cluster = k;
    k->peers.send = k->mpi->send;
    k->peers.receive = k->mpi->receive;
    if (asked > 1 && k->peers.ranks == 1) {
        return failed(c, arena_printf(&c->unit.arena,
                                      "the launcher, which started %ld processes, is of "
                                      "another MPI than libtikc-mpi.so",
                                      asked));
    }
    if (k->peers.rank != 0 && !keep_output(k)) {
        return failed(c, strerror(errno));
    }
    forget_launcher();
    crypto_generichash_init(&k->digest, NULL, 0, DIGEST);
    cluster_same(c, TIKC_VERSION, sizeof TIKC_VERSION);
    for (int i = 0; i < argc; i++) {
        cluster_same(c, words[i], strlen(words[i]) + 1);
    }
    return true;
}

int
cluster_errors(const Cmd *c)
{
    return c->cluster && c->cluster->errors > 0 ? c->cluster->errors : STDERR_FILENO;
}

bool
cluster_first(const Cmd *c)
{
    return cluster_rank(c) == 0;
}

int32_t
cluster_rank(const Cmd *c)
{
    return c->cluster ? c->cluster->peers.rank : 0;
}

int32_t
cluster_ranks(const Cmd *c)
{
    return c->cluster ? c->cluster->peers.ranks : 1;
}

TikPeers *
cluster_peers(const Cmd *c)
{
    return cluster_ranks(c) > 1 ? &c->cluster->peers : NULL;
}

/* ---- agreeing ------------------------------------------------------------ */

void
cluster_same(Cmd *c, const void *bytes, size_t n)
{
    if (c->cluster) {
        crypto_generichash_update(&c->cluster->digest, bytes, n);
    }
}

static void
fill_status(Cmd *c, Status *s, bool ok, const TikError *err)
{
    memset(s, 0, sizeof *s);
    s->ok = ok;
    crypto_generichash_state so_far = c->cluster->digest;
    crypto_generichash_final(&so_far, s->digest, DIGEST);
    (void)!gethostname(s->host, sizeof s->host - 1);
    const Unit *u = &c->unit;
    const char *text = err && err->kind != TIK_OK ? err->text : "";
    for (uint32_t i = 0; !*text && i < u->diags.n; i++) {
        text = u->diags.p[i]->level == LEVEL_ERROR ? u->diags.p[i]->text : "";
    }
    snprintf(s->text, sizeof s->text, "%s", *text ? text : "the rank has left");
}

/* Says what is wrong with another rank, unless rank 0 has something to say itself. */
static bool
blame(Cmd *c, int32_t rank, const Status *own, const Status *s)
{
    bool same = memcmp(own->digest, s->digest, DIGEST) == 0;
    if (s->ok && own->ok && !same) {
        diag_add(&c->unit, D_CLUSTER, (Span){0}, 0,
                 "rank %d on %s has other files, other options or another version of "
                 "tikc than rank 0 on %s",
                 rank, s->host, own->host);
    } else if (!s->ok && own->ok) {
        diag_add(&c->unit, D_CLUSTER, (Span){0}, 0, "rank %d on %s: %s", rank, s->host,
                 s->text);
    }
    return s->ok && (same || !own->ok);
}

/* Rank 0: takes the status of each other rank and answers. */
static bool
agree_with_others(Cmd *c, const Status *own)
{
    Cluster *k = c->cluster;
    bool ok = own->ok, blamed = false;
    for (int32_t r = 1; r < k->peers.ranks; r++) {
        Status s;
        bool good = k->mpi->receive(NULL, r, &s, sizeof s) &&
                    (blamed || blame(c, r, own, &s)) && s.ok;
        blamed = blamed || !good;
        ok = ok && good;
    }
    const int answer = ok ? GO : STOP;
    for (int32_t r = 1; r < k->peers.ranks; r++) {
        ok = k->mpi->send(NULL, r, &answer, sizeof answer) && ok;
    }
    return ok;
}

/* Any other rank: tells how it is, and returns whether to go on. */
static bool
ask_first(Cluster *k, const Status *s)
{
    int answer = LEAVE;
    bool ok = !k->ended && k->mpi->send(NULL, 0, s, sizeof *s) &&
              k->mpi->receive(NULL, 0, &answer, sizeof answer);
    k->ended = !ok || answer == LEAVE;
    return ok && answer == GO;
}

bool
cluster_agree(Cmd *c, bool ok, const TikError *err)
{
    Status s;
    if (cluster_ranks(c) == 1) {
        return ok;
    }
    fill_status(c, &s, ok, err);
    return cluster_first(c) ? agree_with_others(c, &s) : ask_first(c->cluster, &s);
}

int
cluster_leave(Cmd *c, int code)
{
    Cluster *k = c->cluster;
    Status s;
    if (!k) {
        return code;
    }
    for (int32_t r = 1; k->peers.rank == 0 && r < k->peers.ranks; r++) {
        const int answer = LEAVE;
        (void)(k->mpi->receive(NULL, r, &s, sizeof s) &&
               k->mpi->send(NULL, r, &answer, sizeof answer));
    }
    fill_status(c, &s, false, NULL);
    while (k->peers.rank != 0 && !k->ended) {
        (void)ask_first(k, &s);
    }
    k->mpi->end();
    return k->peers.rank == 0 ? code : EXIT_CLEAN;
}

/* ---- bytes --------------------------------------------------------------- */

bool
cluster_share(Cmd *c, void **bytes, size_t *n)
{
    Cluster *k = c->cluster;
    uint64_t size = *n;
    bool ok = true;
    for (int32_t r = 1; cluster_first(c) && ok && r < cluster_ranks(c); r++) {
        ok = k->mpi->send(NULL, r, &size, sizeof size) &&
             k->mpi->send(NULL, r, *bytes, *n);
    }
    if (!cluster_first(c)) {
        ok = k->mpi->receive(NULL, 0, &size, sizeof size);
        *n = ok ? (size_t)size : 0;
        *bytes = arena_alloc(&c->unit.arena, *n + 1);
        ok = ok && k->mpi->receive(NULL, 0, *bytes, *n);
    }
    return ok || failed(c, "a rank cannot be reached");
}

bool
cluster_share_into(Cmd *c, void *bytes, size_t n)
{
    const MpiApi *mpi = c->cluster->mpi;
    bool ok = cluster_first(c) || mpi->receive(NULL, 0, bytes, n);
    for (int32_t r = 1; cluster_first(c) && ok && r < cluster_ranks(c); r++) {
        ok = mpi->send(NULL, r, bytes, n);
    }
    return ok || failed(c, "a rank cannot be reached");
}

bool
cluster_give(Cmd *c, const void *bytes, size_t n)
{
    const MpiApi *mpi = c->cluster->mpi;
    uint64_t size = n;
    return (mpi->send(NULL, 0, &size, sizeof size) && mpi->send(NULL, 0, bytes, n)) ||
           failed(c, "rank 0 cannot be reached");
}

bool
cluster_take(Cmd *c, int32_t from, char **bytes, size_t *n)
{
    const MpiApi *mpi = c->cluster->mpi;
    uint64_t size = 0;
    bool ok = mpi->receive(NULL, from, &size, sizeof size);
    *n = ok ? (size_t)size : 0;
    *bytes = arena_alloc(&c->unit.arena, *n + 1);
    return (ok && mpi->receive(NULL, from, *bytes, *n)) ||
           failed(c, arena_printf(&c->unit.arena, "rank %d cannot be reached", from));
}

/* ---- standard input ------------------------------------------------------ */

static bool
read_input(Cmd *c, Text *out)
{
    char *part = arena_alloc(&c->unit.arena, PARTS);
    ssize_t n;
    while ((n = read(STDIN_FILENO, part, PARTS)) > 0 || (n < 0 && errno == EINTR)) {
        text_putn(out, part, n > 0 ? (size_t)n : 0);
    }
    return n == 0 || failed(c, strerror(errno));
}

/* Makes a file without a name with these bytes the standard input. */
static bool
set_input(Cmd *c, const char *bytes, size_t n)
{
    int fd = memfd_create("stdin", MFD_CLOEXEC);
    bool ok = fd >= 0;
    for (size_t at = 0; ok && at < n;) {
        ssize_t some = write(fd, bytes + at, n - at);
        ok = some > 0;
        at += ok ? (size_t)some : 0;
    }
    ok = ok && lseek(fd, 0, SEEK_SET) == 0 && dup2(fd, STDIN_FILENO) >= 0;
    int why = errno;
    if (fd >= 0) {
        close(fd);
    }
    return ok || failed(c, strerror(why));
}

bool
cluster_share_input(Cmd *c)
{
    bool wanted = false;
    for (uint32_t i = 0; i < c->files.n; i++) {
        wanted = wanted || strcmp(c->files.p[i], "-") == 0;
    }
    if (!wanted || cluster_ranks(c) == 1) {
        return true;
    }
    Text all;
    text_init(&all, &c->unit.arena);
    TRY(cluster_agree(c, !cluster_first(c) || read_input(c, &all), NULL));
    void *bytes = all.p;
    size_t n = all.n;
    TRY(cluster_share(c, &bytes, &n));
    return set_input(c, bytes, n);
}
