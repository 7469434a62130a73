/* data_cores.c: the arguments of a kernel (see data.h): whether two cores access the same
 * bytes without an order (P10), and whether the outputs are written whole (P12). */
#include "blob/data.h"

#include <stdlib.h>
#include <string.h>

enum {
    USE_WORK = 2, /* of a use that is kept */
    KINDS = USE_ADD + 1
};

/* ---- noting -------------------------------------------------------------- */

/* An access that follows the last one without a gap makes one with it. */
static bool
extends(DataUse *last, const DataUse *u)
{
    bool same = last->arg == u->arg && last->core == u->core && last->desc == u->desc &&
                last->phase == u->phase && last->kind == u->kind && last->may == u->may;
    if (!same || u->lo > last->hi || u->hi < last->lo) {
        return false;
    }
    last->lo = u->lo < last->lo ? u->lo : last->lo;
    last->hi = u->hi > last->hi ? u->hi : last->hi;
    return true;
}

static DataUse *
new_use(DataWalk *w)
{
    if (w->nuses == w->cap_uses) {
        uint32_t cap = w->cap_uses == 0 ? 256 : w->cap_uses * 2;
        DataUse *p = realloc(w->uses, cap * sizeof *p);
        if (p == NULL) {
            w->failed = true;
            return NULL;
        }
        w->uses = p;
        w->cap_uses = cap;
    }
    w->work -= USE_WORK;
    return &w->uses[w->nuses++];
}

void
data_use(DataWalk *w, const DataRun *r, DataUseKind kind)
{
    const TikBlobRegion *g = &w->k->regions[r->region];
    if (w->info.cores == 1 && (w->info.flags & TIKBLOB_ANY_CORES) == 0) {
        return;
    }
    DataUse u = {.arg = (uint32_t)g->base,
                 .lo = r->at,
                 .hi = r->at + r->n,
                 .core = (uint32_t)w->core.lo,
                 .desc = w->desc->index,
                 .phase = w->phase,
                 .kind = (uint8_t)kind,
                 .may = r->may || w->unsure > 0 || w->now.atomic < 0 ||
                        g->kind == TIKBLOB_LIST || !interval_is_const(w->core)};
    if (w->nuses > 0 && extends(&w->uses[w->nuses - 1], &u)) {
        return;
    }
    DataUse *to = w->muted > 0 ? NULL : new_use(w);
    if (to != NULL) {
        *to = u;
    }
}

/* ---- two cores ----------------------------------------------------------- */

static int
compare_uses(const void *a, const void *b)
{
    const DataUse *x = a, *y = b;
    return x->phase != y->phase ? (x->phase > y->phase) - (x->phase < y->phase)
           : x->arg != y->arg   ? (x->arg > y->arg) - (x->arg < y->arg)
           : x->lo != y->lo     ? (x->lo > y->lo) - (x->lo < y->lo)
           : x->hi != y->hi     ? (x->hi > y->hi) - (x->hi < y->hi)
                                : (x->core > y->core) - (x->core < y->core);
}

/* The accesses so far that reach furthest, of two different cores, by kind. */
typedef struct Furthest {
    const DataUse *of[KINDS][2];
} Furthest;

static void
keep(Furthest *f, const DataUse *u)
{
    const DataUse **p = f->of[u->kind];
    if (p[0] == NULL || u->hi > p[0]->hi) {
        p[1] = p[0] != NULL && p[0]->core != u->core ? p[0] : p[1];
        p[0] = u;
    } else if (u->core != p[0]->core && (p[1] == NULL || u->hi > p[1]->hi)) {
        p[1] = u;
    }
}

static bool
may_conflict(int a, int b)
{
    return a == USE_WRITE || b == USE_WRITE || a != b;
}

static const char *
verb(const DataUse *u)
{
    return u->kind == USE_READ ? "reads" : u->kind == USE_WRITE ? "writes" : "adds to";
}

static void
collide(DataWalk *w, const DataUse *a, const DataUse *b)
{
    const TikBlobRegion *g = w->k->regions;
    while (g->scope != SC_GM || g->kind == TIKBLOB_TABLE || g->base != (int64_t)a->arg) {
        g++; /* an argument that was accessed has a region */
    }
    int64_t lo = b->lo, hi = a->hi < b->hi ? a->hi : b->hi;
    w->desc = w->k->descs[b->desc];
    w->nloops = 0;
    data_found(w, TIKBLOB_CORES, !a->may && !b->may && a->phase < w->last_phase, a->desc,
               "core %u %s bytes %lld to %lld of '%s', which core %u %s too, and nothing "
               "orders them",
               b->core, verb(b), (long long)lo, (long long)hi - 1, g->name, a->core,
               verb(a));
}

/* Compares an access with those that begin before it. */
static void
compare(DataWalk *w, const Furthest *f, const DataUse *u)
{
    for (int kind = 0; kind < KINDS; kind++) {
        for (int i = 0; i < 2 && may_conflict(kind, u->kind); i++) {
            const DataUse *a = f->of[kind][i];
            if (a != NULL && a->core != u->core && a->hi > u->lo) {
                collide(w, a, u);
            }
        }
    }
}

void
data_compare_cores(DataWalk *w)
{
    if (w->nuses == 0) {
        return;
    }
    for (uint32_t i = 0; i < w->nuses; i++) {
        DataUse *u = &w->uses[i];
        u->phase = u->phase < w->last_phase ? u->phase : w->last_phase;
    }
    qsort(w->uses, w->nuses, sizeof *w->uses, compare_uses);
    Furthest f = {{{NULL}}};
    for (uint32_t i = 0; i < w->nuses; i++) {
        const DataUse *u = &w->uses[i];
        if (i > 0 && (u[-1].arg != u->arg || u[-1].phase != u->phase)) {
            f = (Furthest){{{NULL}}};
        }
        compare(w, &f, u);
        keep(&f, u);
    }
}

/* ---- outputs ------------------------------------------------------------- */

void
data_outputs(DataWalk *w)
{
    for (uint32_t i = 0; i < w->info.nargs; i++) {
        const DataArg *a = &w->args[i];
        if (a->info.role != ARGROLE_OUTPUT || a->given) {
            continue;
        }
        int64_t gap = a->info.open ? 0 : data_set_gap(&a->all, 0, a->data);
        if (gap == a->data) {
            continue;
        }
        int64_t end = data_set_next(&a->all, gap, a->data);
        bool sure = !a->maybe && !w->returned && !w->over;
        w->desc = NULL;
        if (a->info.open) {
            data_found(w, TIKBLOB_OUTPUTS, false, UINT32_MAX,
                       "the size of output '%s' is known only while running",
                       a->info.name);
        } else {
            data_found(w, TIKBLOB_OUTPUTS, sure, UINT32_MAX,
                       "bytes %lld to %lld of output '%s' %s", (long long)gap,
                       (long long)end - 1, a->info.name,
                       sure ? "are never written" : "need not be written");
        }
    }
}
