/* profile_record.c: keeps what a run in the mode time does, for profile_page.c. A run can
 * have any number of instructions: when too many spans are kept, neighbours that are near
 * each other become one span with their sum, in all lanes alike, and near means twice as
 * far the next time. So a short kernel is kept whole, and of a long one what a screen can
 * show. */
#include "driver/profile_record.h"

#include <stdlib.h>

ProfileRecord *
profile_record_begin(Arena *a, const TikBlobKernel *k)
{
    ProfileRecord *r = ARENA_NEW(a, ProfileRecord);
    r->a = a;
    r->nregions = MIN(k->nregions, RECORD_REGIONS);
    r->waited = ARENA_ARRAY(a, uint64_t, k->ndescriptors + 1);
    r->bytes = ARENA_ARRAY(a, uint64_t, k->ndescriptors + 1);
    r->count = ARENA_ARRAY(a, uint32_t, k->ndescriptors + 1);
    return r;
}

/* ---- lanes --------------------------------------------------------------- */

/* Makes one span of a lane's last one and of the one after it. */
static void
absorb(RecordSpan *last, const RecordSpan *s)
{
    if (s->waited > last->inside_most) {
        last->inside_most = s->waited;
        last->inside_by = s->by;
    }
    if (s->inside_most > last->inside_most) {
        last->inside_most = s->inside_most;
        last->inside_by = s->inside_by;
    }
    last->inside += s->waited + s->inside;
    last->end = MAX(last->end, s->end);
    last->busy += s->busy;
    last->count += s->count;
    if (s->longest > last->longest) {
        last->longest = s->longest;
        last->what = s->what;
    }
}

static void
coarsen_lane(ProfileRecord *r, RecordLane *lane)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < lane->n; i++) {
        RecordSpan *s = &lane->p[i];
        if (n > 0 && s->end - lane->p[n - 1].begin <= r->grain) {
            absorb(&lane->p[n - 1], s);
            r->spans--;
        } else {
            lane->p[n++] = *s;
        }
    }
    lane->n = n;
}

static void
coarsen_core(ProfileRecord *r, RecordCore *core)
{
    for (int q = 0; q < TIK_QUEUES; q++) {
        coarsen_lane(r, &core->queue[q]);
    }
    for (uint32_t i = 0; i < r->nregions; i++) {
        for (int s = 0; s < core->places[i].n; s++) {
            coarsen_lane(r, &core->places[i].slots[s].lane);
        }
    }
}

/* Makes room; it ends, since at last a lane has one span. */
static void
coarsen(ProfileRecord *r)
{
    while (r->spans > RECORD_SPANS / 4 * 3 && r->grain < UINT64_MAX / 4) {
        r->grain = r->grain ? 2 * r->grain : 2;
        for (uint32_t i = 0; i < r->ncores; i++) {
            coarsen_core(r, &r->cores[i]);
        }
    }
}

static void
append(ProfileRecord *r, RecordLane *lane, const RecordSpan *s)
{
    RecordSpan *last = lane->n > 0 ? &lane->p[lane->n - 1] : NULL;
    if (last != NULL && s->end - last->begin <= r->grain) {
        absorb(last, s);
        return;
    }
    VEC_PUSH(r->a, lane, *s);
    if (++r->spans > RECORD_SPANS) {
        coarsen(r);
    }
}

/* ---- contents of buffers ------------------------------------------------- */

static int
by_begin(const void *a, const void *b)
{
    const RecordSpan *x = a, *y = b;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* Makes one part of all parts of a buffer; contents that were there at the same time
 * become one. */
static void
join_slots(ProfileRecord *r, RecordPlace *p)
{
    RecordLane all = {0}, joined = {0};
    RecordSlot *first = &p->slots[0];
    for (int i = 0; i < p->n; i++) {
        for (uint32_t s = 0; s < p->slots[i].lane.n; s++) {
            VEC_PUSH(r->a, &all, p->slots[i].lane.p[s]);
        }
        first->lo = MIN(first->lo, p->slots[i].lo);
        first->hi = MAX(first->hi, p->slots[i].hi);
        first->read = first->read || p->slots[i].read;
    }
    if (all.n > 0) {
        qsort(all.p, all.n, sizeof *all.p, by_begin);
    }
    for (uint32_t i = 0; i < all.n; i++) {
        if (joined.n > 0 && all.p[i].begin < joined.p[joined.n - 1].end) {
            absorb(&joined.p[joined.n - 1], &all.p[i]);
            r->spans--;
        } else {
            VEC_PUSH(r->a, &joined, all.p[i]);
        }
    }
    first->lane = joined;
    p->n = 1;
    p->whole = true;
}

static RecordSlot *
new_slot(RecordPlace *p, const TikProfileAccess *x)
{
    RecordSlot *s = &p->slots[p->n++];
    *s = (RecordSlot){.lo = x->lo, .hi = x->hi};
    return s;
}

/* Returns the part of a buffer that an access is in. */
static RecordSlot *
slot_of(ProfileRecord *r, RecordPlace *p, const TikProfileAccess *x)
{
    RecordSlot *in = NULL;
    bool apart = true;
    for (int i = 0; i < p->n; i++) {
        RecordSlot *s = &p->slots[i];
        in = s->lo <= x->lo && x->hi <= s->hi ? s : in;
        apart = apart && (s->hi <= x->lo || x->hi <= s->lo);
    }
    if (in != NULL) {
        return in;
    }
    if (p->n == 0 || (apart && !p->whole && p->n < RECORD_SLOTS)) {
        return new_slot(p, x);
    }
    join_slots(r, p);
    p->slots[0].lo = MIN(p->slots[0].lo, x->lo);
    p->slots[0].hi = MAX(p->slots[0].hi, x->hi);
    return &p->slots[0];
}

/* Returns whether the instruction reads the region, so that what it writes there follows
 * from what was there. */
static bool
reads(const TikProfileEvent *e, uint32_t region)
{
    bool found = false;
    for (int i = 0; i < e->naccess; i++) {
        found = found || (e->access[i].region == region && !e->access[i].write);
    }
    return found;
}

/* New contents begin with a write after the last ones were read; an element that the
 * dispatcher stores changes contents. */
static void
access_slot(ProfileRecord *r, RecordSlot *s, const TikProfileEvent *e, bool fresh)
{
    RecordLane *lane = &s->lane;
    uint64_t clocks = e->end - e->begin;
    if (lane->n > 0 && !(fresh && s->read)) {
        RecordSpan *last = &lane->p[lane->n - 1];
        last->end = MAX(last->end, e->end);
        last->busy += clocks;
        return;
    }
    RecordSpan span = {.begin = e->begin,
                       .end = e->end,
                       .busy = clocks,
                       .longest = clocks,
                       .what = e->descriptor,
                       .count = 1};
    s->read = false;
    append(r, lane, &span);
}

static void
record_access(ProfileRecord *r, const ProfileView *v, RecordCore *core,
              const TikProfileEvent *e, const TikProfileAccess *x)
{
    TikBlobRegion g;
    if (x->region >= r->nregions || x->hi <= x->lo) {
        return;
    }
    tikblob_region(&v->blob, &v->kernel, (int)x->region, &g);
    if (g.scope == SC_GM || g.scope == SC_SREG) {
        return;
    }
    RecordSlot *s = slot_of(r, &core->places[x->region], x);
    bool whole = e->queue != 0 && x->write && !reads(e, x->region);
    access_slot(r, s, e, whole);
    s->read = s->read || !x->write;
}

/* ---- events -------------------------------------------------------------- */

static void
add_arrow(ProfileRecord *r, RecordArrow arrow)
{
    if (r->narrows++ < RECORD_ARROWS && arrow.core < RECORD_CORES) {
        VEC_PUSH(r->a, &r->arrows, arrow);
    }
}

static void
note_end(ProfileRecord *r, const TikProfileEvent *e)
{
    while (r->ends.n <= e->core) {
        VEC_PUSH(r->a, &r->ends, 0);
    }
    r->ends.p[e->core] = MAX(r->ends.p[e->core], e->end);
}

/* Returns a core that is kept, or null. */
static RecordCore *
core_of(ProfileRecord *r, uint32_t core)
{
    while (core < RECORD_CORES && r->ncores <= core) {
        r->cores[r->ncores++].places = ARENA_ARRAY(r->a, RecordPlace, r->nregions + 1);
    }
    return core < RECORD_CORES ? &r->cores[core] : NULL;
}

void
profile_record_event(const ProfileView *v, const TikProfileEvent *e)
{
    ProfileRecord *r = v->record;
    uint64_t clocks = e->end - e->begin;
    r->events++;
    r->waited[e->descriptor] += e->waited;
    r->bytes[e->descriptor] += e->bytes;
    r->count[e->descriptor]++;
    note_end(r, e);
    RecordCore *core = core_of(r, e->core);
    if (core == NULL) {
        return;
    }
    RecordSpan span = {.begin = e->begin,
                       .end = e->end,
                       .busy = clocks,
                       .longest = clocks,
                       .what = e->descriptor,
                       .count = 1,
                       .waited = e->waited,
                       .by = (uint8_t)e->waited_for};
    append(r, &core->queue[e->queue], &span);
    for (int i = 0; i < e->naccess; i++) {
        record_access(r, v, core, e, &e->access[i]);
    }
    if (!r->flags && e->waited > 0 && e->waited_for < TIK_QUEUES) {
        add_arrow(r, (RecordArrow){.core = e->core,
                                   .from = (uint8_t)e->waited_for,
                                   .to = (uint8_t)e->queue,
                                   .id = -1,
                                   .begin = e->begin,
                                   .end = e->begin});
    }
}

void
profile_record_flag(const ProfileView *v, const TikProfileFlag *f)
{
    v->record->flags = true;
    add_arrow(v->record, (RecordArrow){.core = f->core,
                                       .from = (uint8_t)f->from,
                                       .to = (uint8_t)f->to,
                                       .id = (int32_t)f->id,
                                       .begin = f->set_at,
                                       .end = MAX(f->set_at, f->wait_at)});
}
