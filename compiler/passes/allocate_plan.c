/* allocate_plan.c: places the buffers of one memory by their lifetimes.
 *
 * First the plain stack order of the lifetimes of bodies is tried. If that does not fit,
 * lifetimes shrink to first and last use and every buffer takes the smallest gap that
 * holds it. If that does not fit either, the same is tried with the largest buffers
 * placed first.
 *
 * A buffer with a fixed address keeps it; a buffer that must not share bytes with certain
 * others (apart) is placed as if it lived while they do. In a memory with such buffers
 * the fixed ones are placed first, and every other one takes the smallest gap among those
 * whose lifetimes overlap its own, in the order of creation before that of size. */
#include "passes/allocate_plan.h"

#include <stdlib.h>
#include <string.h>

void
plan_drop_ended(const Plan *p, Live *live, uint32_t now)
{
    uint32_t keep = 0;
    while (!p->by_use && live->n && plan_end(p, live->p[live->n - 1]) < now) {
        live->bytes -= live->p[--live->n]->size;
    }
    if (!p->by_use) {
        return;
    }
    for (uint32_t i = 0; i < live->n; i++) {
        if (plan_end(p, live->p[i]) >= now) {
            live->p[keep++] = live->p[i];
        } else {
            live->bytes -= live->p[i]->size;
        }
    }
    live->n = keep;
}

/* Returns the address of l among them: the smallest gap below top that holds it (the
 * first of equal ones), else the end of the last buffer. *index gets its place in address
 * order. */
static int64_t
best_gap(const Live *live, const Life *l, uint32_t *index)
{
    int64_t from = 0;
    int64_t best = -1;
    int64_t best_room = INT64_MAX;
    for (uint32_t i = 0; i < live->n; i++) {
        int64_t at = round_up(from, l->align);
        int64_t room = live->p[i]->address - at;
        if (room >= l->size && room < best_room) {
            best = at;
            best_room = room;
            *index = i;
        }
        from = MAX(from, plan_end_address(live->p[i]));
    }
    if (best < 0) {
        *index = live->n;
        best = round_up(from, l->align);
    }
    return best;
}

static void
insert_live(Live *live, uint32_t index, Life *l)
{
    memmove(&live->p[index + 1], &live->p[index], (live->n - index) * sizeof *live->p);
    live->p[index] = l;
    live->n++;
}

/* Places in one sweep in program order. With lifetimes of bodies this is the stack order:
 * what ended was placed last. */
static void
place_in_order(Plan *p)
{
    Live live = {.p = ARENA_ARRAY(p->scratch, Life *, p->n + 1)};
    p->peak = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        Life *l = p->lives[i];
        uint32_t index = live.n;
        plan_drop_ended(p, &live, plan_begin(p, l));
        if (p->by_use) {
            l->address = best_gap(&live, l, &index);
        } else {
            index = live.n;
            Life *top = live.n ? live.p[live.n - 1] : NULL;
            l->address = round_up(top ? plan_end_address(top) : 0, l->align);
        }
        insert_live(&live, index, l);
        p->peak = MAX(p->peak, plan_end_address(l));
    }
}

static int
larger_first(const void *x, const void *y)
{
    const Life *a = *(Life *const *)x;
    const Life *b = *(Life *const *)y;
    if (a->size != b->size) {
        return a->size > b->size ? -1 : 1;
    }
    return a->alloc < b->alloc ? -1 : 1;
}

static int
earlier_first(const void *x, const void *y)
{
    const Life *a = *(Life *const *)x;
    const Life *b = *(Life *const *)y;
    if (a->first != b->first) {
        return a->first < b->first ? -1 : 1;
    }
    return a->alloc < b->alloc ? -1 : 1;
}

static int
lower_first(const void *x, const void *y)
{
    const Life *a = *(Life *const *)x;
    const Life *b = *(Life *const *)y;
    return a->address < b->address ? -1 : a->address > b->address;
}

/* Fixed buffers come before all others, then larger ones before smaller ones. */
static int
fixed_then_larger(const void *x, const void *y)
{
    const Life *a = *(Life *const *)x;
    const Life *b = *(Life *const *)y;
    return a->fixed != b->fixed ? b->fixed - a->fixed : larger_first(x, y);
}

static int
fixed_then_earlier(const void *x, const void *y)
{
    const Life *a = *(Life *const *)x;
    const Life *b = *(Life *const *)y;
    return a->fixed != b->fixed ? b->fixed - a->fixed : earlier_first(x, y);
}

static bool
is_apart(const Plan *p, const Life *x, const Life *y)
{
    const Buffer *b = &p->k->bufs.p[x->buf];
    bool found = false;
    for (uint32_t i = 0; i < b->apart.n; i++) {
        found = found || b->apart.p[i] == y->buf;
    }
    return found;
}

bool
plan_meet(const Plan *p, const Life *x, const Life *y)
{
    return (plan_begin(p, x) <= plan_end(p, y) && plan_begin(p, y) <= plan_end(p, x)) ||
           is_apart(p, x, y) || is_apart(p, y, x);
}

/* Places one after another, each into the smallest gap among those placed before whose
 * lives overlap its own. */
static void
place_ordered(Plan *p, int (*before)(const void *, const void *))
{
    Life **order = arena_copy(p->scratch, p->lives, p->n * sizeof(Life *));
    qsort(order, p->n, sizeof *order, before);
    Live live = {.p = ARENA_ARRAY(p->scratch, Life *, p->n + 1)};
    p->peak = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t index = 0;
        live.n = 0;
        for (uint32_t j = 0; j < i && !order[i]->fixed; j++) {
            if (plan_meet(p, order[i], order[j])) {
                live.p[live.n++] = order[j];
            }
        }
        if (!order[i]->fixed) {
            qsort(live.p, live.n, sizeof *live.p, lower_first);
            order[i]->address = best_gap(&live, order[i], &index);
        }
        p->peak = MAX(p->peak, plan_end_address(order[i]));
    }
}

/* Places where addresses or neighbours are given: it tries lifetimes of bodies, then of
 * uses, then the order of size. */
static bool
place_bound(Plan *p, int64_t capacity)
{
    place_ordered(p, fixed_then_earlier);
    if (p->peak > capacity) {
        p->by_use = true;
        place_ordered(p, fixed_then_earlier);
    }
    if (p->peak > capacity) {
        int64_t in_order = p->peak;
        place_ordered(p, fixed_then_larger);
        p->peak = MIN(p->peak, in_order);
    }
    return p->peak <= capacity;
}

/* With more than this many buffers in one memory the placement by size is not tried; with
 * more than the second limit, neither is the placement by use: both compare buffers with
 * each other. */
enum {
    MAX_BY_SIZE = 512,
    MAX_BY_USE = 20000
};

bool
plan_place(Plan *p, int64_t capacity)
{
    if (p->bound) {
        return place_bound(p, capacity);
    }
    place_in_order(p);
    if (p->peak <= capacity || p->n > MAX_BY_USE) {
        return p->peak <= capacity;
    }
    p->by_use = true;
    qsort(p->lives, p->n, sizeof *p->lives, earlier_first);
    place_in_order(p);
    if (p->peak > capacity && p->n <= MAX_BY_SIZE) {
        int64_t in_order = p->peak;
        place_ordered(p, larger_first);
        p->peak = MIN(p->peak, in_order);
    }
    return p->peak <= capacity;
}
