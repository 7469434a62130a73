/* peers.c: what processes that share a run tell each other; see peers.h. Rank 0 talks to
 * every other one, and these to rank 0 only. All are the same program on the same kind of
 * machine, so structs travel as they are. */
#include "support/peers.h"

#include <stdlib.h>
#include <string.h>

#include "num/combine.h"
#include "num/type.h"
#include "support/peers_diff.h"

/* A growing piece of bytes. */
typedef struct Bytes {
    uint8_t *p;
    size_t n, cap;
} Bytes;

/* An atomic write in the log; its bytes follow, up to a multiple of 8. */
typedef struct LogEntry {
    int64_t core, off, n;
    int32_t region;
    uint8_t dtype, op, infinite, unused;
} LogEntry;

/* A kept warning. */
typedef struct PeerWarning {
    int64_t core, number; /* the order of one core's */
    char name[40], place[200], text[240];
} PeerWarning;

struct PeerRun {
    TikPeers *peers;
    PeerRegion *regions;
    int32_t *first; /* by argument: its first region */
    int32_t nregions, nargs;
    int32_t last; /* region of the write before */
    bool failed;  /* this rank: a fault, or too little memory; or some rank: told so */
    bool ended;   /* all ranks have run their cores, or one has failed */
    Bytes log, warnings;
    Bytes *logs; /* rank 0: those of all ranks, */
    size_t *at;  /* and the place in each that it has come to */
    TikProfile *profile;
};

/* Makes room for n bytes; null when memory is exhausted. */
static uint8_t *
extend(Bytes *b, size_t n)
{
    if (b->cap - b->n < n) {
        size_t cap = b->cap * 2 > b->n + n ? b->cap * 2 : b->n + n;
        uint8_t *p = realloc(b->p, cap);
        if (p == NULL) {
            return NULL;
        }
        b->p = p;
        b->cap = cap;
    }
    b->n += n;
    return b->p + b->n - n;
}

/* ---- the arrays ---------------------------------------------------------- */

static bool
add_region(PeerRun *p, uint8_t *now, int64_t bytes)
{
    PeerRegion *r = &p->regions[p->nregions++];
    *r = (PeerRegion){.now = now, .bytes = bytes};
    r->before = malloc((size_t)bytes + 1);
    if (r->before != NULL) {
        memcpy(r->before, now, (size_t)bytes);
    }
    return r->before != NULL;
}

static bool
add_regions(PeerRun *p, const Bound *bound, const TikParam *params)
{
    bool ok = true;
    for (int i = 0; ok && i < p->nargs; i++) {
        p->first[i] = p->nregions;
        const TikArray *a = bound->arrays[i];
        const ListItem *items = (const ListItem *)(const void *)bound->args[i];
        if (params[i].role != (int)ARGROLE_LIST) {
            ok = params[i].unwritten || add_region(p, bound->args[i], a->bytes);
            continue;
        }
        for (int64_t j = 0; ok && j < a->elems; j++) {
            ok = add_region(p, items[j].data, items[j].bytes);
        }
    }
    return ok;
}

PeerRun *
peers_begin(TikPeers *peers, const Bound *bound, const TikParam *params, int n)
{
    size_t regions = 0;
    for (int i = 0; i < n; i++) {
        bool list = params[i].role == (int)ARGROLE_LIST;
        regions += list ? (size_t)bound->arrays[i]->elems : 1;
    }
    PeerRun *p = calloc(1, sizeof *p);
    if (p == NULL) {
        return NULL;
    }
    p->peers = peers;
    p->nargs = n;
    p->regions = calloc(regions + 1, sizeof *p->regions);
    p->first = calloc((size_t)n + 1, sizeof *p->first);
    p->logs = calloc((size_t)peers->ranks, sizeof *p->logs);
    p->at = calloc((size_t)peers->ranks, sizeof *p->at);
    if (p->regions != NULL && p->first != NULL && p->logs != NULL && p->at != NULL &&
        add_regions(p, bound, params)) {
        return p;
    }
    peers_free(p);
    return NULL;
}

void
peers_free(PeerRun *p)
{
    if (p == NULL) {
        return;
    }
    for (int32_t i = 0; p->regions != NULL && i < p->nregions; i++) {
        free(p->regions[i].before);
        free(p->regions[i].writer);
    }
    for (int32_t r = 0; p->logs != NULL && r < p->peers->ranks; r++) {
        free(p->logs[r].p);
    }
    free(p->logs);
    free(p->at);
    free(p->regions);
    free(p->first);
    free(p->log.p);
    free(p->warnings.p);
    free(p);
}

/* ---- while cores run ----------------------------------------------------- */

bool
peers_has(const PeerRun *p, int64_t core)
{
    return p == NULL || core % p->peers->ranks == p->peers->rank;
}

int64_t
peers_next(const PeerRun *p, int64_t from)
{
    while (!peers_has(p, from)) {
        from++;
    }
    return from;
}

static void
log_write(PeerRun *p, const LogEntry *e, const uint8_t *src)
{
    size_t n = ((size_t)e->n + 7) / 8 * 8;
    uint8_t *to = extend(&p->log, sizeof *e + n);
    if (to == NULL) {
        p->failed = true;
        return;
    }
    memcpy(to, e, sizeof *e);
    memset(to + sizeof *e, 0, n);
    memcpy(to + sizeof *e, src, (size_t)e->n);
}

/* Bytes after the data of an argument are dropped at the end of the run. */
static void
log_in_region(PeerRun *p, int64_t core, int32_t region, int64_t off, const AtomicWrite *w,
              const uint8_t *src, int64_t n)
{
    int64_t size = dtype_size(w->dtype), left = p->regions[region].bytes - off;
    n = n < left ? n : left - left % size;
    LogEntry e = {.core = core,
                  .off = off,
                  .n = n,
                  .region = region,
                  .dtype = (uint8_t)w->dtype,
                  .op = (uint8_t)w->op,
                  .infinite = w->infinite};
    if (n > 0) {
        log_write(p, &e, src);
    }
}

void
peers_log(PeerRun *p, int64_t core, int argument, int64_t off, const AtomicWrite *w,
          const uint8_t *src, int64_t n)
{
    log_in_region(p, core, p->first[argument], off, w, src, n);
}

/* Returns whether a byte is in a region or in the room of a granule after it. */
static bool
is_in(const PeerRegion *r, const uint8_t *at)
{
    return at >= r->now && at < r->now + scope_granule(SC_GM, false, r->bytes);
}

void
peers_log_at(PeerRun *p, int64_t core, const uint8_t *dst, const AtomicWrite *w,
             const uint8_t *src, int64_t n)
{
    if (p->last >= p->nregions || !is_in(&p->regions[p->last], dst)) {
        for (p->last = 0; p->last < p->nregions; p->last++) {
            if (is_in(&p->regions[p->last], dst)) {
                break;
            }
        }
    }
    if (p->last == p->nregions) {
        p->failed = true; /* nothing is known of such a write */
        return;
    }
    log_in_region(p, core, p->last, dst - p->regions[p->last].now, w, src, n);
}

static void
copy_text(char *to, size_t size, const char *from)
{
    size_t n = strlen(from);
    n = n < size ? n : size - 1;
    memcpy(to, from, n);
    to[n] = 0;
}

void
peers_warn(PeerRun *p, int64_t core, const char *name, const char *text,
           const char *place)
{
    PeerWarning w = {.core = core,
                     .number = (int64_t)(p->warnings.n / sizeof(PeerWarning))};
    copy_text(w.name, sizeof w.name, name);
    copy_text(w.place, sizeof w.place, place);
    copy_text(w.text, sizeof w.text, text);
    uint8_t *to = extend(&p->warnings, sizeof w);
    p->failed = p->failed || to == NULL;
    if (to != NULL) {
        memcpy(to, &w, sizeof w);
    }
}

void
peers_profile(PeerRun *p, TikProfile *profile)
{
    p->profile = profile;
}

/* ---- messages ------------------------------------------------------------ */

static bool
give(const PeerRun *p, int32_t to, const void *bytes, size_t n)
{
    return p->peers->send(p->peers->ctx, to, bytes, n);
}

static bool
take(const PeerRun *p, int32_t from, void *bytes, size_t n)
{
    return p->peers->receive(p->peers->ctx, from, bytes, n);
}

/* Gives bytes with their number before them. */
static bool
give_bytes(const PeerRun *p, const Bytes *b)
{
    uint64_t n = b->n;
    return give(p, 0, &n, sizeof n) && (n == 0 || give(p, 0, b->p, b->n));
}

/* Takes what give_bytes gave. It takes all of it also when there is no memory for it. */
static bool
take_bytes(PeerRun *p, int32_t from, Bytes *b)
{
    uint64_t n;
    uint8_t dropped[4096];
    *b = (Bytes){NULL, 0, 0};
    if (!take(p, from, &n, sizeof n)) {
        return false;
    }
    if (n == 0) {
        return true;
    }
    uint8_t *to = extend(b, (size_t)n);
    if (to != NULL) {
        return take(p, from, to, (size_t)n);
    }
    p->failed = true;
    while (n > 0) {
        size_t some = n < sizeof dropped ? (size_t)n : sizeof dropped;
        if (!take(p, from, dropped, some)) {
            return false;
        }
        n -= some;
    }
    return true;
}

/* What a rank says when it has run its cores; the answer of rank 0 is one, too. */
typedef struct Turn {
    int64_t cores; /* that it knows of */
    int64_t done;  /* it has run its cores below */
    int64_t failed;
} Turn;

static void
join_turn(Turn *all, const Turn *one)
{
    all->cores = one->cores > all->cores ? one->cores : all->cores;
    all->done = one->done < all->done ? one->done : all->done;
    all->failed = all->failed || one->failed;
}

/* Returns false when the peers are gone. */
static bool
exchange(const TikPeers *peers, Turn *t)
{
    Turn one;
    bool ok = true;
    if (peers->rank != 0) {
        return peers->send(peers->ctx, 0, t, sizeof *t) &&
               peers->receive(peers->ctx, 0, t, sizeof *t);
    }
    for (int32_t r = 1; r < peers->ranks; r++) {
        if (peers->receive(peers->ctx, r, &one, sizeof one)) {
            join_turn(t, &one);
        } else {
            ok = false;
        }
    }
    t->failed = t->failed || !ok;
    for (int32_t r = 1; r < peers->ranks; r++) {
        ok = peers->send(peers->ctx, r, t, sizeof *t) && ok;
    }
    return ok;
}

bool
peers_agree(PeerRun *p, bool ok, int64_t *cores)
{
    if (p == NULL) {
        return false;
    }
    p->failed = p->failed || !ok;
    Turn t = {.cores = *cores, .done = *cores, .failed = p->failed};
    bool reached = exchange(p->peers, &t);
    p->failed = p->failed || t.failed || !reached;
    *cores = t.cores;
    p->ended = p->failed || t.done >= t.cores;
    return !p->ended;
}

void
peers_fail(const TikPeers *peers)
{
    Turn t = {.failed = 1};
    (void)exchange(peers, &t);
}

const char peers_again[] = "processes changed the same bytes, or had too little memory";

/* ---- the end ------------------------------------------------------------- */

static NumCombine
combine_of(const LogEntry *e)
{
    return e->op == ATOMIC_MAX   ? NUM_MAX
           : e->op == ATOMIC_MIN ? NUM_MIN
           : e->infinite         ? NUM_ADD_INFINITE
                                 : NUM_ADD;
}

/* Returns the entry at a place of a log and moves the place past it; null at the end. */
static const LogEntry *
next_entry(const Bytes *log, size_t *at)
{
    if (*at >= log->n) {
        return NULL;
    }
    const LogEntry *e = (const LogEntry *)(const void *)(log->p + *at);
    *at += sizeof *e + ((size_t)e->n + 7) / 8 * 8;
    return e;
}

/* Notes for each byte of a log that the rank wrote it. */
static void
note_writers(PeerRun *p, const Bytes *log, int32_t rank)
{
    const LogEntry *e;
    for (size_t at = 0; !p->failed && (e = next_entry(log, &at)) != NULL;) {
        PeerRegion *r = &p->regions[e->region];
        if (r->writer == NULL) {
            r->writer = calloc((size_t)r->bytes, sizeof *r->writer);
        }
        p->failed = r->writer == NULL;
        for (int64_t i = 0; !p->failed && i < e->n; i++) {
            uint16_t *w = &r->writer[e->off + i];
            *w = *w == 0 || *w == rank + 1 ? (uint16_t)(rank + 1) : PEERS_MANY;
        }
    }
}

/* Executes a logged write on the elements that several ranks wrote. Returns false if an
 * element has bytes of both kinds. */
static bool
replay(PeerRun *p, const LogEntry *e)
{
    PeerRegion *r = &p->regions[e->region];
    const uint8_t *src = (const uint8_t *)(e + 1);
    const uint16_t *w = &r->writer[e->off];
    int64_t size = dtype_size((Dtype)e->dtype);
    for (int64_t i = 0, n = 0; i < e->n; i += n) {
        bool many = w[i] == PEERS_MANY;
        for (n = 0; i + n < e->n && (w[i + n] == PEERS_MANY) == many; n++) {
        }
        if (n % size != 0) {
            return false;
        }
        if (many) {
            num_combine(num_type((int)e->dtype), combine_of(e), r->now + e->off + i,
                        src + i, n / size);
        }
    }
    return true;
}

/* Executes all logged writes in the order of the cores, each of which is in one log. */
static bool
replay_all(PeerRun *p)
{
    bool ok = true;
    for (;;) {
        int32_t lowest = -1;
        int64_t core = INT64_MAX;
        for (int32_t r = 0; r < p->peers->ranks; r++) {
            size_t place = p->at[r];
            const LogEntry *e = next_entry(&p->logs[r], &place);
            if (e != NULL && e->core < core) {
                core = e->core;
                lowest = r;
            }
        }
        if (lowest < 0 || !ok) {
            return ok;
        }
        const LogEntry *e;
        size_t place = p->at[lowest];
        while (ok && (e = next_entry(&p->logs[lowest], &place)) != NULL &&
               e->core == core) {
            ok = replay(p, e);
            p->at[lowest] = place;
        }
    }
}

static void
add_profile(TikProfile *to, const TikProfile *p)
{
    to->cores = p->cores > to->cores ? p->cores : to->cores;
    to->clocks = p->clocks > to->clocks ? p->clocks : to->clocks;
    to->core_clocks += p->core_clocks;
    to->descriptors += p->descriptors;
    for (int q = 0; q < TIK_QUEUES; q++) {
        to->queue[q].busy += p->queue[q].busy;
        to->queue[q].instructions += p->queue[q].instructions;
        for (int w = 0; w <= TIK_QUEUES; w++) {
            to->queue[q].wait[w] += p->queue[q].wait[w];
        }
    }
    for (int i = 0; i < TIK_MEMORIES; i++) {
        for (int j = 0; j < TIK_MEMORIES; j++) {
            to->moved[i][j] += p->moved[i][j];
        }
    }
}

static bool
take_profile(PeerRun *p, int32_t from)
{
    TikProfile one;
    if (p->profile == NULL) {
        return true;
    }
    if (!take(p, from, &one, sizeof one)) {
        return false;
    }
    add_profile(p->profile, &one);
    return true;
}

static int
in_order(const void *a, const void *b)
{
    const PeerWarning *x = a, *y = b;
    return x->core != y->core ? (x->core > y->core) - (x->core < y->core)
                              : (x->number > y->number) - (x->number < y->number);
}

static bool
is_same(const PeerWarning *x, const PeerWarning *y)
{
    return strcmp(x->name, y->name) == 0 && strcmp(x->place, y->place) == 0;
}

/* Passes each warning of an instruction on once, for the lowest core that gave it. */
static void
report_warnings(PeerRun *p, TikWarn *warn, void *ctx)
{
    PeerWarning *w = (PeerWarning *)(void *)p->warnings.p;
    size_t n = p->warnings.n / sizeof *w;
    if (n > 0) {
        qsort(w, n, sizeof *w, in_order);
    }
    for (size_t i = 0; i < n; i++) {
        bool first = true;
        for (size_t j = 0; first && j < i; j++) {
            first = !is_same(&w[i], &w[j]);
        }
        if (first && warn != NULL) {
            warn(ctx, w[i].name, w[i].text, w[i].place);
        }
    }
}

/* Returns whether a rank has two warnings that differ in their instruction only, which
 * travels with none. */
static bool
has_twins(const PeerRun *p)
{
    const PeerWarning *w = (const PeerWarning *)(const void *)p->warnings.p;
    size_t n = p->warnings.n / sizeof *w;
    for (size_t i = 1; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            if (is_same(&w[i], &w[j])) {
                return true;
            }
        }
    }
    return false;
}

/* The end of every other rank. */
static PeersEnd
end_of_others(PeerRun *p)
{
    Bytes diff = {NULL, 0, 0};
    uint8_t wanted = 0;
    bool ok = give_bytes(p, &p->warnings) && give_bytes(p, &p->log) &&
              (p->profile == NULL || give(p, 0, p->profile, sizeof *p->profile)) &&
              take(p, 0, &wanted, 1);
    if (ok && wanted != 0) {
        size_t size = diff_size(p->regions, p->nregions);
        uint8_t *to = size > 0 ? extend(&diff, size) : NULL;
        if (to != NULL) {
            diff_write(p->regions, p->nregions, to);
        }
        uint8_t has = !p->failed && (size == 0 || to != NULL);
        (void)(give(p, 0, &has, 1) && give_bytes(p, &diff));
    }
    free(diff.p);
    return PEERS_DONE;
}

/* Takes what the ranks changed into the arrays. */
static void
take_diffs(PeerRun *p)
{
    for (int32_t r = 1; r < p->peers->ranks; r++) {
        Bytes diff;
        uint8_t has = 0;
        bool ok = take(p, r, &has, 1) && take_bytes(p, r, &diff);
        if (!ok || has == 0 ||
            (!p->failed && !diff_apply(p->regions, p->nregions, diff.p, diff.n))) {
            p->failed = true;
        }
        if (ok) {
            free(diff.p);
        }
    }
}

/* Rank 0: takes the logs and warnings of the others. */
static void
take_logs(PeerRun *p)
{
    p->failed = p->failed || has_twins(p);
    for (int32_t r = 1; r < p->peers->ranks; r++) {
        Bytes own = p->warnings, theirs;
        p->warnings = (Bytes){NULL, 0, 0};
        bool ok = take_bytes(p, r, &p->warnings) && take_bytes(p, r, &p->logs[r]) &&
                  take_profile(p, r);
        p->failed = p->failed || !ok || has_twins(p);
        theirs = p->warnings;
        p->warnings = own;
        uint8_t *to = theirs.n > 0 ? extend(&p->warnings, theirs.n) : NULL;
        p->failed = p->failed || (theirs.n > 0 && to == NULL);
        if (to != NULL) {
            memcpy(to, theirs.p, theirs.n);
        }
        free(theirs.p);
    }
}

/* Rank 0: puts together what all ranks wrote. */
static void
merge(PeerRun *p)
{
    take_logs(p);
    p->logs[0] = p->log;
    p->log = (Bytes){NULL, 0, 0};
    for (int32_t r = 0; r < p->peers->ranks && !p->failed; r++) {
        note_writers(p, &p->logs[r], r);
    }
    const uint8_t wanted = !p->failed;
    for (int32_t r = 1; r < p->peers->ranks; r++) {
        p->failed = !give(p, r, &wanted, 1) || p->failed;
    }
    if (wanted != 0) {
        take_diffs(p);
    }
    if (!p->failed) {
        diff_reset(p->regions, p->nregions);
        p->failed = !replay_all(p);
    }
}

PeersEnd
peers_end(PeerRun *p, bool ok, TikWarn *warn, void *ctx)
{
    int64_t none = 0;
    if (!p->ended) { /* it failed before its first core */
        (void)peers_agree(p, false, &none);
    }
    bool stopped = p->failed; /* all ranks know that from peers_agree */
    p->failed = p->failed || !ok;
    if (p->peers->rank != 0) {
        return stopped ? PEERS_DONE : end_of_others(p);
    }
    if (!stopped) {
        merge(p);
    }
    if (p->failed) {
        diff_restore(p->regions, p->nregions);
        return PEERS_AGAIN;
    }
    report_warnings(p, warn, ctx);
    return PEERS_DONE;
}
