/* data_memory.c: what is known of the bytes of a core (see data.h), and what reads,
 * writes and copies make of it. */
#include "blob/data.h"

#include <stdlib.h>
#include <string.h>

/* ---- states -------------------------------------------------------------- */

bool
data_state_new(DataWalk *w, DataState *s)
{
    bool shared = w->now.owner != NULL;
    *s = (DataState){.reached = false};
    s->regs = malloc(((size_t)w->info.nregs + 1) * sizeof *s->regs);
    s->set = malloc((size_t)w->info.nregs + 1);
    s->bytes = malloc((size_t)w->nbytes + 8);
    s->owner = shared ? malloc(((size_t)w->nbytes + 1) * sizeof *s->owner) : NULL;
    bool ok = s->regs != NULL && s->set != NULL && s->bytes != NULL &&
              (!shared || s->owner != NULL);
    if (!ok) {
        w->failed = true;
    }
    return ok;
}

void
data_state_free(DataState *s)
{
    free(s->regs);
    free(s->set);
    free(s->bytes);
    free(s->owner);
    *s = (DataState){.reached = false};
}

void
data_state_copy(const DataWalk *w, DataState *to, const DataState *from)
{
    to->reached = from->reached;
    to->atomic = from->atomic;
    memcpy(to->regs, from->regs, (size_t)w->info.nregs * sizeof *to->regs);
    memcpy(to->set, from->set, w->info.nregs);
    memcpy(to->bytes, from->bytes, (size_t)w->nbytes);
    if (to->owner != NULL) {
        memcpy(to->owner, from->owner, (size_t)w->nbytes * sizeof *to->owner);
    }
}

static bool
join_registers(const DataWalk *w, DataState *to, const DataState *from)
{
    bool changed = false;
    for (uint32_t i = 0; i < w->info.nregs; i++) {
        Interval both = interval_join(to->regs[i], from->regs[i]);
        bool grew = both.lo != to->regs[i].lo || both.hi != to->regs[i].hi ||
                    both.mod != to->regs[i].mod;
        to->regs[i] = both;
        changed = changed || grew;
        if (to->set[i] != from->set[i] && to->set[i] != BYTE_MAYBE) {
            to->set[i] = BYTE_MAYBE;
            changed = true;
        }
    }
    return changed;
}

/* The region that may have written a byte last. */
static uint16_t
join_owners(uint16_t a, uint16_t b)
{
    return a == b || b == OWNER_NONE ? a : a == OWNER_NONE ? b : OWNER_MIXED;
}

static bool
join_bytes(const DataWalk *w, DataState *to, const DataState *from)
{
    bool changed = false;
    if (memcmp(to->bytes, from->bytes, (size_t)w->nbytes) != 0) {
        for (int64_t i = 0; i < w->nbytes; i++) {
            if (to->bytes[i] != from->bytes[i] && to->bytes[i] != BYTE_MAYBE) {
                to->bytes[i] = BYTE_MAYBE;
                changed = true;
            }
        }
    }
    for (int64_t i = 0; to->owner != NULL && i < w->nbytes; i++) {
        uint16_t both = join_owners(to->owner[i], from->owner[i]);
        changed = changed || both != to->owner[i];
        to->owner[i] = both;
    }
    return changed;
}

bool
data_state_join(DataWalk *w, DataState *to, const DataState *from)
{
    w->work -= w->nbytes / 256;
    if (!to->reached) {
        data_state_copy(w, to, from);
        return true;
    }
    bool changed = to->atomic != from->atomic && to->atomic != -1;
    to->atomic = to->atomic == from->atomic ? to->atomic : -1;
    changed = join_registers(w, to, from) || changed;
    return join_bytes(w, to, from) || changed;
}

/* ---- sets ---------------------------------------------------------------- */

/* Returns the first range that ends at lo or after it. */
static uint32_t
first_after(const DataSet *s, int64_t lo)
{
    uint32_t from = 0, to = s->n;
    while (from < to) {
        uint32_t mid = (from + to) / 2;
        if (s->p[mid].hi < lo) {
            from = mid + 1;
        } else {
            to = mid;
        }
    }
    return from;
}

static bool
set_grow(DataWalk *w, DataSet *s)
{
    if (s->n < s->cap) {
        return true;
    }
    uint32_t cap = s->cap == 0 ? 16 : s->cap * 2;
    DataRange *p = realloc(s->p, cap * sizeof *p);
    if (p == NULL) {
        w->failed = true;
        return false;
    }
    s->p = p;
    s->cap = cap;
    return true;
}

void
data_set_add(DataWalk *w, DataSet *s, int64_t lo, int64_t hi)
{
    uint32_t i = first_after(s, lo), end = i;
    if (lo >= hi) {
        return;
    }
    while (end < s->n && s->p[end].lo <= hi) {
        lo = s->p[end].lo < lo ? s->p[end].lo : lo;
        hi = s->p[end].hi > hi ? s->p[end].hi : hi;
        end++;
    }
    if (end == i) {
        if (!set_grow(w, s)) {
            return;
        }
        memmove(&s->p[i + 1], &s->p[i], (s->n - i) * sizeof *s->p);
        s->n++;
    } else {
        memmove(&s->p[i + 1], &s->p[end], (s->n - end) * sizeof *s->p);
        s->n -= end - i - 1;
    }
    s->p[i] = (DataRange){lo, hi};
}

int64_t
data_set_gap(const DataSet *s, int64_t lo, int64_t hi)
{
    uint32_t i = first_after(s, lo + 1);
    if (i == s->n || s->p[i].lo > lo) {
        return lo;
    }
    return s->p[i].hi < hi ? s->p[i].hi : hi;
}

int64_t
data_set_next(const DataSet *s, int64_t lo, int64_t hi)
{
    uint32_t i = first_after(s, lo + 1);
    return i < s->n ? s->p[i].lo : hi;
}

/* ---- bytes of a core ----------------------------------------------------- */

static const TikBlobRegion *
region_of(const DataWalk *w, const DataRun *r)
{
    return &w->k->regions[r->region];
}

/* Returns the present bytes of a run in a memory of the core; null: it has none that are
 * known. */
static uint8_t *
bytes_of(const DataWalk *w, const DataRun *r)
{
    const TikBlobRegion *g = region_of(w, r);
    if (g->open || w->at[g->scope] < 0 || r->at < 0 ||
        g->base + r->at + r->n > w->room[g->scope]) {
        return NULL;
    }
    return w->now.bytes + w->at[g->scope] + g->base + r->at;
}

/* Returns the first byte of n that is not written; n: all are. */
static int64_t
first_unwritten(const uint8_t *p, int64_t n)
{
    static const uint8_t all[8] = {BYTE_WRITTEN, BYTE_WRITTEN, BYTE_WRITTEN,
                                   BYTE_WRITTEN, BYTE_WRITTEN, BYTE_WRITTEN,
                                   BYTE_WRITTEN, BYTE_WRITTEN};
    int64_t i = 0;
    while (i + 8 <= n && memcmp(p + i, all, 8) == 0) {
        i += 8;
    }
    while (i < n && p[i] == BYTE_WRITTEN) {
        i++;
    }
    return i;
}

/* Says that a byte is not certain to be written, by what is known of it. */
static void
report(DataWalk *w, const DataRun *r, int64_t at, uint8_t known, bool copied)
{
    static const char *const what[] = {[BYTE_NEVER] = "which nothing has written",
                                       [BYTE_MAYBE] = "which need not have been written",
                                       [BYTE_PAD] =
                                           "which is after the data of an argument"};
    TikBlobPropertyId p = copied ? TIKBLOB_OUTPUTS : TIKBLOB_DEFINED;
    data_found(w, p, known != BYTE_MAYBE && !r->may, UINT32_MAX,
               "%s byte %lld of '%s', %s", copied ? "moves to an argument" : "reads",
               (long long)at, region_of(w, r)->name, what[known]);
}

/* Compares the owners of bytes that regions share. */
static void
check_owner(DataWalk *w, const DataRun *r, const uint8_t *bytes)
{
    const uint16_t *owner = w->now.owner + (bytes - w->now.bytes);
    for (int64_t i = 0; i < r->n; i++) {
        if (owner[i] != r->region && owner[i] != OWNER_NONE) {
            bool mixed = owner[i] == OWNER_MIXED;
            bool sure = bytes[i] == BYTE_WRITTEN || bytes[i] == BYTE_PAD;
            data_found(w, TIKBLOB_RESOURCES, sure && !mixed && !r->may, UINT32_MAX,
                       "reads byte %lld of '%s', which '%s' has overwritten",
                       (long long)(r->at + i), region_of(w, r)->name,
                       mixed ? "another region" : w->k->regions[owner[i]].name);
            return;
        }
    }
}

static void
set_owner(DataWalk *w, const DataRun *r, const uint8_t *bytes)
{
    uint16_t *owner = w->now.owner + (bytes - w->now.bytes);
    for (int64_t i = 0; i < r->n; i++) {
        owner[i] =
            r->may ? join_owners(owner[i], (uint16_t)r->region) : (uint16_t)r->region;
    }
}

bool
data_shares(const DataWalk *w, uint32_t region)
{
    const TikBlobRegion *a = &w->k->regions[region];
    for (uint32_t i = 0; i < w->k->nregions; i++) {
        const TikBlobRegion *b = &w->k->regions[i];
        if (i != region && a->scope == b->scope && a->base < b->base + b->bytes &&
            b->base < a->base + a->bytes) {
            return true;
        }
    }
    return false;
}

/* A region that is not followed was written: any bytes that others share with it may have
 * been. */
static void
write_unfollowed(DataWalk *w, const DataRun *r)
{
    const TikBlobRegion *g = region_of(w, r);
    int64_t end = g->base + g->bytes, room = w->room[g->scope];
    for (int64_t i = g->base; w->now.owner != NULL && i < end && i < room; i++) {
        uint16_t *owner = &w->now.owner[w->at[g->scope] + i];
        *owner = join_owners(*owner, (uint16_t)r->region);
    }
}

static void
check_unfollowed(DataWalk *w, const DataRun *r)
{
    if (data_shares(w, r->region)) {
        data_found(w, TIKBLOB_RESOURCES, false, UINT32_MAX,
                   "reads '%s', which shares bytes with another region",
                   region_of(w, r)->name);
    }
}

static bool
is_private(const DataWalk *w, const DataRun *r)
{
    Scope s = region_of(w, r)->scope;
    return s != SC_GM && s != SC_SREG;
}

static void
read_core(DataWalk *w, const DataRun *r, bool copied)
{
    const uint8_t *p = bytes_of(w, r);
    if (p == NULL) { /* its place or memory is not followed */
        report(w, &(DataRun){r->region, r->at, r->n, true}, r->at, BYTE_MAYBE, copied);
        check_unfollowed(w, r);
        return;
    }
    int64_t i = first_unwritten(p, r->n);
    if (i < r->n) {
        report(w, r, r->at + i, p[i], copied);
    }
    if (w->now.owner != NULL) {
        check_owner(w, r, p);
    }
}

/* ---- arguments ----------------------------------------------------------- */

static DataArg *
arg_of(const DataWalk *w, const DataRun *r)
{
    const TikBlobRegion *g = region_of(w, r);
    return g->scope == SC_GM && g->kind == TIKBLOB_TENSOR ? &w->args[g->base] : NULL;
}

/* Returns what is known of a byte of an argument, and how many from it on are alike. */
static uint8_t
arg_byte(const DataWalk *w, const DataArg *a, int64_t at, int64_t n, int64_t *alike)
{
    *alike = n;
    if (a->info.open) {
        return a->given ? BYTE_WRITTEN : BYTE_MAYBE;
    }
    if (at >= a->data) {
        return BYTE_PAD;
    }
    int64_t end = at + n < a->data ? at + n : a->data;
    int64_t gap = a->given ? end : data_set_gap(&a->written, at, end);
    bool met =
        gap == at && w->phase > 0 && w->phase <= w->nmet && w->phase <= w->last_phase;
    gap = met ? data_set_gap(&a->met[w->phase - 1], at, end) : gap;
    if (gap > at) {
        *alike = gap - at;
        return BYTE_WRITTEN;
    }
    /* other cores may have written it, and so may what is not certain */
    *alike = 1;
    return w->info.cores == 1 && !a->maybe ? BYTE_NEVER : BYTE_MAYBE;
}

/* Says which of the first n bytes of a run is not certain to be written. */
static void
check_arg(DataWalk *w, const DataRun *r, int64_t n, const DataArg *a)
{
    int64_t alike;
    for (int64_t i = 0; i < n; i += alike) {
        uint8_t known = arg_byte(w, a, r->at + i, n - i, &alike);
        if (known != BYTE_WRITTEN) {
            report(w, r, r->at + i, known, false);
            return;
        }
    }
}

static void
read_arg(DataWalk *w, const DataRun *r, const DataArg *a)
{
    data_use(w, r, USE_READ);
    check_arg(w, r, r->n, a);
}

/* Counts the work of a run. Nothing is known of single bytes of lists. */
static void
count(DataWalk *w, const DataRun *r)
{
    w->work -= region_of(w, r)->kind == TIKBLOB_LIST ? 1 : r->n / 256;
}

void
data_read(DataWalk *w, const DataRun *r)
{
    const DataArg *a = arg_of(w, r);
    count(w, r);
    if (r->n <= 0) {
        return;
    }
    if (a != NULL) {
        read_arg(w, r, a);
    } else if (is_private(w, r)) {
        read_core(w, r, false);
    } else if (region_of(w, r)->kind == TIKBLOB_LIST) {
        data_use(w, r, USE_READ);
    }
}

static void
write_arg(DataWalk *w, const DataRun *r, DataArg *a)
{
    data_use(w, r, w->now.atomic > 0 ? USE_ADD : USE_WRITE);
    int64_t end = r->at + r->n < a->data || a->info.open ? r->at + r->n : a->data;
    if (w->now.atomic != 0) { /* it computes with what is there */
        DataRun old = *r;
        old.may = old.may || w->now.atomic < 0;
        check_arg(w, &old, end - r->at, a);
    }
    if (!r->may && w->unsure == 0 && !a->info.open) {
        data_set_add(w, &a->written, r->at, end);
    } else {
        a->maybe = true;
    }
}

static void
write_core(DataWalk *w, const DataRun *r)
{
    uint8_t *p = bytes_of(w, r);
    if (p == NULL) {
        write_unfollowed(w, r);
        return;
    }
    uint8_t left = r->forgets ? BYTE_MAYBE : BYTE_WRITTEN;
    for (int64_t i = 0; r->may && i < r->n; i++) {
        p[i] = p[i] == BYTE_WRITTEN ? left : BYTE_MAYBE;
    }
    if (!r->may) {
        memset(p, left, (size_t)r->n);
    }
    if (w->now.owner != NULL) {
        set_owner(w, r, p);
    }
}

void
data_write(DataWalk *w, const DataRun *r)
{
    DataArg *a = arg_of(w, r);
    count(w, r);
    if (r->n <= 0) {
        return;
    }
    if (a != NULL) {
        write_arg(w, r, a);
    } else if (is_private(w, r)) {
        write_core(w, r);
    } else { /* a list: tables are not written */
        data_use(w, r, w->now.atomic > 0 ? USE_ADD : USE_WRITE);
    }
}

void
data_forget(DataWalk *w, const DataRun *r)
{
    DataRun rest = *r;
    rest.forgets = true;
    data_write(w, &rest);
}

void
data_write_late(DataWalk *w, const DataRun *r)
{
    DataArg *a = arg_of(w, r);
    if (a != NULL && !a->info.open && w->unsure == 0 && r->at >= 0) {
        int64_t end = r->at + r->n;
        data_set_add(w, &a->late, r->at, end < a->data ? end : a->data);
    }
}

/* ---- copies -------------------------------------------------------------- */

/* An argument gets bytes of a core. */
static void
copy_out(DataWalk *w, const DataRun *to, const DataRun *from, const DataArg *a)
{
    int64_t data = a->info.open ? to->n : a->data - to->at;
    DataRun r = *from;
    r.n = data < r.n ? data : r.n;
    r.may = r.may || a->info.open; /* it may be unless both places are known */
    if (r.n > 0) {
        read_core(w, &r, w->now.atomic == 0);
    }
    data_write(w, to);
}

static void
copy_in(DataWalk *w, uint8_t *p, const DataRun *from, const DataArg *a)
{
    int64_t alike;
    data_use(w, from, USE_READ);
    for (int64_t i = 0; i < from->n; i += alike) {
        uint8_t known = arg_byte(w, a, from->at + i, from->n - i, &alike);
        memset(p + i, known, (size_t)alike);
    }
}

/* Returns what is known of all bytes of a run in an argument or a core: WRITTEN, or
 * MAYBE. */
static uint8_t
all_of(DataWalk *w, const DataRun *r)
{
    const DataArg *a = arg_of(w, r);
    int64_t alike, i = 0;
    if (a == NULL) {
        const uint8_t *p = bytes_of(w, r);
        if (p == NULL) {
            check_unfollowed(w, r);
            return BYTE_MAYBE;
        }
        if (w->now.owner != NULL) {
            check_owner(w, r, p);
        }
        return first_unwritten(p, r->n) == r->n ? BYTE_WRITTEN : BYTE_MAYBE;
    }
    data_use(w, r, USE_READ);
    while (i < r->n && arg_byte(w, a, r->at + i, r->n - i, &alike) == BYTE_WRITTEN) {
        i += alike;
    }
    return i >= r->n ? BYTE_WRITTEN : BYTE_MAYBE;
}

/* A core gets bytes of which the place, or that of what it gets, is not known. */
static void
copy_some(DataWalk *w, const DataRun *to, const DataRun *from)
{
    uint8_t *p = bytes_of(w, to), known = all_of(w, from);
    if (p == NULL) {
        write_unfollowed(w, to);
        return;
    }
    for (int64_t i = 0; i < to->n; i++) {
        p[i] = !to->may || p[i] == known ? known : BYTE_MAYBE;
    }
    if (w->now.owner != NULL) {
        set_owner(w, to, p);
    }
}

/* A core gets bytes of an argument or of itself. */
static void
copy_to_core(DataWalk *w, const DataRun *to, const DataRun *from)
{
    uint8_t *p = bytes_of(w, to);
    const DataArg *a = arg_of(w, from);
    const uint8_t *q = a == NULL ? bytes_of(w, from) : NULL;
    if (p == NULL || (a == NULL && q == NULL) || to->may || from->may) {
        copy_some(w, to, from);
        return;
    }
    if (w->now.owner != NULL && q != NULL) {
        check_owner(w, from, q);
    }
    if (a != NULL) {
        copy_in(w, p, from, a);
    } else {
        memmove(p, q, (size_t)to->n);
    }
    if (w->now.owner != NULL) {
        set_owner(w, to, p);
    }
}

void
data_copy(DataWalk *w, const DataRun *to, const DataRun *from)
{
    const DataArg *a = arg_of(w, to);
    count(w, to);
    count(w, from);
    if (to->n <= 0 || from->n <= 0) {
        return;
    }
    if (a != NULL) { /* the source is in a memory of the core */
        copy_out(w, to, from, a);
    } else if (is_private(w, to) && region_of(w, from)->kind == TIKBLOB_TENSOR) {
        copy_to_core(w, to, from);
    } else {
        data_read(w, from);
        data_write(w, to);
    }
}
