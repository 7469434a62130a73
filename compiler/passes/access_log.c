/* access_log.c: records accesses of buffers and compares them (see
 * passes/access_log.h). */
#include "passes/access_log.h"

#include <string.h>

enum {
    MOST_PAIRS = 1 << 14, /* limit of the runs and rows of runs that are compared */
    MOST_RUNS = 1 << 14
};

void
access_log_init(AccessLog *t, const Kernel *k, Arena *arena)
{
    *t = (AccessLog){.arena = arena};
    t->of = ARENA_ARRAY(arena, uint32_t, k->bufs.n);
    VEC_PUSH(arena, &t->parts, 0);
}

void
access_log_clear(AccessLog *t, const Kernel *k)
{
    memset(t->of, 0, k->bufs.n * sizeof *t->of);
    t->all.n = 0;
    t->parts.n = 1;
    t->part = 0;
}

void
access_log_add(AccessLog *t, const LoggedAccess *a)
{
    LoggedAccess copy = *a;
    copy.next = t->of[a->buf];
    VEC_PUSH(t->arena, &t->all, copy);
    t->of[a->buf] = t->all.n;
}

void
access_log_drop(AccessLog *t, BufId buf, uint32_t n)
{
    t->of[buf] = t->all.p[n].next;
    t->all.n = n;
}

/* ---- parts --------------------------------------------------------------- */

void
access_log_open_part(AccessLog *t, Arena *arena)
{
    VEC_PUSH(arena, &t->parts, t->part);
    t->part = t->parts.n - 1;
}

void
access_log_close_part(AccessLog *t)
{
    t->part = t->parts.p[t->part];
}

bool
access_log_share_part(const AccessLog *t, const LoggedAccess *a, const LoggedAccess *b)
{
    uint32_t part = b->part;
    while (part > a->part) {
        part = t->parts.p[part];
    }
    return part == a->part;
}

/* ---- bytes --------------------------------------------------------------- */

bool
access_log_is_shape(const Footprint *f)
{
    const int64_t most = (int64_t)1 << 40;
    return f->count0 > 0 && f->count1 > 0 && f->len > 0 && f->stride0 >= 0 &&
           f->stride1 >= 0 && f->count0 < most && f->count1 < most && f->len < most &&
           f->stride0 < most && f->stride1 < most && f->offset >= 0 &&
           f->offset < (int64_t)1 << 60 && footprint_end(f) < (int64_t)1 << 61;
}

/* Finds the first run of a row of runs that overlaps [lo, hi). */
static bool
row_overlaps(const Footprint *f, int64_t base, int64_t lo, int64_t hi, int64_t *at)
{
    int64_t i = 0;
    if (base + f->len <= lo) {
        if (f->stride0 == 0) {
            return false;
        }
        i = (lo - f->len - base) / f->stride0 + 1;
    }
    *at = base + i * f->stride0;
    return i < f->count0 && *at < hi;
}

static bool
run_overlaps(const Footprint *f, int64_t lo, int64_t hi, int64_t *first, int64_t *end)
{
    for (int64_t j = 0; j < f->count1; j++) {
        int64_t at;
        if (row_overlaps(f, f->offset + j * f->stride1, lo, hi, &at)) {
            *first = MAX(at, lo);
            *end = MIN(at + f->len, hi);
            return true;
        }
    }
    return false;
}

/* Returns the number of runs of a footprint, up to the limit of what is compared. */
static int64_t
runs(const Footprint *f)
{
    return f->count0 > MOST_RUNS || f->count1 > MOST_RUNS ? (int64_t)1 << 28
                                                          : f->count0 * f->count1;
}

/* Merges runs that follow each other without a gap. */
static Footprint
joined(Footprint f)
{
    if (f.count0 == 1 || f.stride0 == f.len) {
        f.len *= f.count0;
        f.count0 = 1;
        f.stride0 = 0;
    }
    if (f.count0 == 1 && (f.count1 == 1 || f.stride1 == f.len)) {
        f.len *= f.count1;
        f.count1 = 1;
    } else if (f.count0 == 1) {
        f.count0 = f.count1;
        f.stride0 = f.stride1;
        f.count1 = 1;
    }
    return f;
}

/* The two footprints, the one with fewer runs first; its runs are compared with the rows
 * of runs of the other one. */
typedef struct Pair {
    Footprint few, other;
    int64_t cost; /* comparisons that are needed; 0: even the hulls are disjoint */
} Pair;

static Pair
pair_of(const LoggedAccess *a, const LoggedAccess *b)
{
    if (a->fp.offset >= footprint_end(&b->fp) || b->fp.offset >= footprint_end(&a->fp)) {
        return (Pair){.cost = 0};
    }
    Footprint x = joined(a->fp), y = joined(b->fp);
    bool swap = runs(&x) * MIN(y.count1, MOST_RUNS) > runs(&y) * MIN(x.count1, MOST_RUNS);
    Pair p = {swap ? y : x, swap ? x : y, 0};
    p.cost = runs(&p.few) * MIN(p.other.count1, MOST_RUNS + 1);
    return p;
}

int64_t
access_log_cost(const LoggedAccess *a, const LoggedAccess *b)
{
    return MIN(pair_of(a, b).cost, MOST_PAIRS);
}

bool
access_log_overlap(const LoggedAccess *a, const LoggedAccess *b, int64_t *lo, int64_t *hi)
{
    Pair p = pair_of(a, b);
    if (p.cost == 0 || p.cost > MOST_PAIRS) {
        return false;
    }
    for (int64_t j = 0; j < p.few.count1; j++) {
        for (int64_t i = 0; i < p.few.count0; i++) {
            int64_t at = p.few.offset + i * p.few.stride0 + j * p.few.stride1;
            if (run_overlaps(&p.other, at, at + p.few.len, lo, hi)) {
                return true;
            }
        }
    }
    return false;
}
