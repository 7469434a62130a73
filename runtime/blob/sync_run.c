/* sync_run.c: refutes that the queues of a kernel are well ordered (see sync.h and
 * docs/blob-format.md, Queues): it executes the program, and notes of each instruction
 * what has certainly ended when it begins, in every order of execution.
 *
 * The dispatcher's way is followed as long as every execution takes it: to the first
 * branch, to a loop of which only the run knows the bounds, or to a flag without a known
 * id. Each queue executes what it has got until it waits for a flag that is not raised.
 * When everything is dispatched and a queue still waits, it waits for ever: which
 * instructions can be executed does not depend on how long others take.
 *
 * Clocks count, for each queue, how many of its instructions have ended. A flag carries
 * the clock of the moment when it was raised. An instruction that the clock of a later
 * one does not have can be executed after it. A set_flag whose clock does not have the
 * wait_flag before it can raise a flag that is up. Where the format leaves a doubt, here
 * an order is assumed: what is refuted is certain. */
#include "blob/sync.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_ITEMS = 1 << 12,
    MOST_STEPS = 1 << 16, /* events of the program that are executed */
    NO_ITEM = UINT32_MAX
};

/* How many instructions of each queue have ended. */
typedef struct Clock {
    uint32_t ended[PIPE_COUNT];
} Clock;

/* Something that is executed once: an instruction, or a flag that is set or waited
 * for. */
typedef struct Item {
    uint32_t event;
    SyncIteration at;
    Pipe queue;
    uint32_t next;   /* of its queue; NO_ITEM: none yet */
    uint32_t number; /* in its queue */
    bool done;
    Clock before; /* when it was dispatched; then when it began */
} Item;

typedef struct Queue {
    uint32_t head, tail; /* items that are not executed; head NO_ITEM: none */
    uint32_t given;      /* number of items that it ever got */
    Clock clock;
} Queue;

typedef struct FlagRun {
    uint32_t sets, waits; /* that were executed */
    uint32_t last_set;    /* item */
    uint32_t last_wait;   /* its number in its queue */
    Clock raised;
} FlagRun;

typedef struct Run {
    const SyncTape *t;
    Item *items;
    uint32_t nitems, cap;
    Queue queues[PIPE_COUNT];
    FlagRun *flags;
    SyncIteration at; /* of the dispatcher */
    bool whole;       /* everything was dispatched */
    bool stopped;     /* the dispatcher goes no further */
    bool found;
    SyncWitness *out;
} Run;

/* ---- clocks -------------------------------------------------------------- */

static void
learn(Clock *c, const Clock *of)
{
    for (int q = 0; q < PIPE_COUNT; q++) {
        c->ended[q] = c->ended[q] > of->ended[q] ? c->ended[q] : of->ended[q];
    }
}

/* Returns whether a has ended before b begins. */
static bool
is_before(const Item *a, const Item *b)
{
    return b->before.ended[a->queue] > a->number;
}

/* ---- items --------------------------------------------------------------- */

static Item *
new_item(Run *r, uint32_t event, Pipe queue)
{
    if (r->nitems == r->cap) {
        uint32_t cap = r->cap == 0 ? 64 : 2 * r->cap;
        Item *p = cap > MOST_ITEMS ? NULL : realloc(r->items, cap * sizeof *p);
        if (p == NULL) {
            r->stopped = true;
            r->whole = false;
            return NULL;
        }
        r->items = p;
        r->cap = cap;
    }
    Item *i = &r->items[r->nitems++];
    *i = (Item){.event = event,
                .at = r->at,
                .queue = queue,
                .next = NO_ITEM,
                .number = r->queues[queue].given++,
                .before = r->queues[PIPE_S].clock};
    return i;
}

static void
append(Run *r, uint32_t event, Pipe queue)
{
    Item *i = new_item(r, event, queue);
    Queue *q = &r->queues[queue];
    if (i == NULL) {
        return;
    }
    uint32_t index = r->nitems - 1;
    if (q->head == NO_ITEM) {
        q->head = index;
    } else {
        r->items[q->tail].next = index;
    }
    q->tail = index;
}

static void
witness(Run *r, SyncFinding finding, const Item *later, uint32_t flag)
{
    if (!r->found) {
        r->found = true;
        *r->out = (SyncWitness){.finding = finding,
                                .later = later->event,
                                .later_at = later->at,
                                .flag = flag};
    }
}

/* ---- execution ----------------------------------------------------------- */

/* The queue's instructions up to this one have ended. */
static void
end_own(Queue *q, Pipe p, const Item *i)
{
    q->clock.ended[p] = i->number;
}

/* Returns whether the program waits for the flag after the set_flag before this one. */
static bool
waited_for(const Run *r, const Item *set, uint32_t flag)
{
    for (const Item *i = &r->items[r->flags[flag].last_set]; i < set; i++) {
        const SyncEvent *e = &r->t->events[i->event];
        if (e->kind == SYNC_WAIT && e->index == flag) {
            return true;
        }
    }
    return false;
}

static void
set_flag(Run *r, const Item *i, uint32_t flag)
{
    FlagRun *f = &r->flags[flag];
    Queue *q = &r->queues[i->queue];
    Pipe to = r->t->flags[flag].to;
    end_own(q, i->queue, i);
    bool known = f->sets == f->waits && q->clock.ended[to] > f->last_wait;
    if (f->sets > 0 && !known) {
        witness(r, waited_for(r, i, flag) ? SYNC_OVERRUN : SYNC_DOUBLE, i, flag);
    }
    f->sets++;
    f->last_set = (uint32_t)(i - r->items);
    f->raised = q->clock;
}

/* Returns whether the flag is up. */
static bool
wait_flag(Run *r, const Item *i, uint32_t flag)
{
    FlagRun *f = &r->flags[flag];
    if (f->sets == f->waits) {
        return false;
    }
    learn(&r->queues[i->queue].clock, &f->raised);
    f->waits++;
    f->last_wait = i->number;
    return true;
}

/* Executes an item of a queue. False: it waits. */
static bool
execute(Run *r, Item *i)
{
    const SyncEvent *e = &r->t->events[i->event];
    Queue *q = &r->queues[i->queue];
    learn(&q->clock, &i->before);
    i->before = q->clock;
    if (e->kind == SYNC_WAIT && !wait_flag(r, i, e->index)) {
        return false;
    }
    if (e->kind == SYNC_SET) {
        set_flag(r, i, e->index);
    } else if (e->kind == SYNC_BARRIER) {
        end_own(q, i->queue, i);
    }
    i->done = true;
    return true;
}

/* Lets the queues execute what they can. Returns an item that waits, the first that was
 * dispatched; null: the queues are empty. */
static const Item *
run_queues(Run *r)
{
    bool more = true;
    while (more && !r->found) {
        more = false;
        for (int p = 1; p < PIPE_COUNT; p++) {
            Queue *q = &r->queues[p];
            while (!r->found && q->head != NO_ITEM && execute(r, &r->items[q->head])) {
                q->head = r->items[q->head].next;
                more = true;
            }
        }
    }
    uint32_t first = NO_ITEM;
    for (int p = 1; p < PIPE_COUNT; p++) {
        first = r->queues[p].head < first ? r->queues[p].head : first;
    }
    return first == NO_ITEM ? NULL : &r->items[first];
}

static void
hangs(Run *r, const Item *i)
{
    witness(r, SYNC_DEADLOCK, i, r->t->events[i->event].index);
    r->stopped = true;
}

/* ---- the dispatcher ------------------------------------------------------ */

/* Executes an event of the dispatcher's own queue. */
static void
at_once(Run *r, uint32_t event)
{
    Item *i = new_item(r, event, PIPE_S);
    if (i == NULL) {
        return;
    }
    const Item *waits = NULL;
    if (r->t->events[event].kind == SYNC_WAIT) {
        waits = run_queues(r);
    }
    if (!r->found && !execute(r, i)) {
        hangs(r, waits != NULL && waits < i ? waits : i);
        return;
    }
    r->queues[PIPE_S].clock.ended[PIPE_S] = i->number + 1;
}

static void
all_empty(Run *r)
{
    const Item *i = run_queues(r);
    if (i != NULL && !r->found) {
        hangs(r, i);
    }
    for (int p = 1; p < PIPE_COUNT; p++) {
        r->queues[PIPE_S].clock.ended[p] = r->queues[p].given;
    }
}

static void
give(Run *r, uint32_t event, Pipe queue)
{
    if (queue == PIPE_S) {
        at_once(r, event);
    } else {
        append(r, event, queue);
    }
}

static const SyncLoop *
loop_of(const Run *r, const SyncEvent *e)
{
    return &r->t->loops[e->index];
}

/* Returns the event at the end of a loop's last copy. */
static uint32_t
end_of(const SyncTape *t, uint32_t loop, uint32_t from)
{
    while (t->events[from].kind != SYNC_END || t->events[from].index != loop) {
        from++;
    }
    return from;
}

/* The end of a copy: returns the event after which the program goes on. */
static uint32_t
end_copy(Run *r, uint32_t event)
{
    const SyncEvent *e = &r->t->events[event];
    const SyncLoop *l = loop_of(r, e);
    int64_t *iteration = &r->at.of[l->level - 1];
    if (++*iteration == l->trips) {
        *iteration = 0;
        return end_of(r->t, e->index, event);
    }
    while (e->kind == SYNC_END && (r->t->events[event].kind != SYNC_LOOP ||
                                   r->t->events[event].index != e->index)) {
        event--;
    }
    return event;
}

/* Executes an event; returns the one after which the program goes on. */
static uint32_t
step(Run *r, uint32_t event)
{
    const SyncTape *t = r->t;
    const SyncEvent *e = &t->events[event];
    switch (e->kind) {
    case SYNC_STMT:
        give(r, event, t->stmts[e->index].pipe);
        return event;
    case SYNC_SET:
        give(r, event, t->flags[e->index].from);
        return event;
    case SYNC_WAIT:
        give(r, event, t->flags[e->index].to);
        return event;
    case SYNC_BARRIER:
        give(r, event, (Pipe)e->index);
        return event;
    case SYNC_ALL:
        all_empty(r);
        return event;
    case SYNC_LOOP:
        r->stopped =
            loop_of(r, e)->trips == SYNC_NONE || loop_of(r, e)->level > TIKBLOB_MAX_LOOPS;
        break;
    case SYNC_COPY:
    case SYNC_END:
        return end_copy(r, event);
    case SYNC_ANY:
    case SYNC_IF:
    case SYNC_ELSE:
    case SYNC_ENDIF:
    case SYNC_BREAK:
    case SYNC_CONTINUE:
    case SYNC_RETURN:
        r->stopped = true;
        break;
    }
    r->whole = r->whole && !r->stopped;
    return event;
}

static void
dispatch(Run *r)
{
    uint32_t steps = 0;
    for (uint32_t i = 0; i < r->t->nevents && !r->stopped && !r->found; i++) {
        if (++steps > MOST_STEPS) {
            r->whole = false;
            break;
        }
        i = step(r, i);
    }
}

/* Whether a flag is up at the end. */
static void
leftover(Run *r)
{
    for (uint32_t i = 0; i < r->t->nflags; i++) {
        const FlagRun *f = &r->flags[i];
        if (f->sets > f->waits) {
            witness(r, SYNC_LEFTOVER, &r->items[f->last_set], i);
        }
    }
}

/* ---- accesses ------------------------------------------------------------ */

/* Gives the bytes of an access of core 0. False: they are not known to be accessed. */
static bool
bytes_of(const SyncTape *t, const SyncAccess *a, const Item *i, const SyncStmt *s,
         int64_t *lo, int64_t *hi)
{
    int64_t at = a->at.constant;
    if (!a->dense) {
        return false;
    }
    for (int k = 0; k < a->at.n; k++) {
        const SyncTerm *term = &a->at.terms[k];
        int32_t loop = s->loop;
        if (term->kind == SYNC_TERM_NUMBER) {
            return false;
        }
        if (term->kind == SYNC_TERM_CORE) {
            continue;
        }
        while (loop != SYNC_NONE && t->loops[loop].level != (int)term->id) {
            loop = t->loops[loop].outer;
        }
        if (loop == SYNC_NONE) {
            return false;
        }
        int64_t round = i->at.of[term->id - 1] / t->loops[loop].copies;
        at = sat_add(at, sat_mul(term->coef, round));
    }
    *lo = sat_add(at, a->lo);
    *hi = sat_add(at, a->hi);
    return true;
}

/* Returns whether an earlier instruction of a queue may not have ended when a later one
 * of it begins, if they access the same bytes. */
static bool
goes_on(const Item *a, const Item *b, const SyncAccess *x, const SyncAccess *y)
{
    return b->number == a->number + 1 && (x->pairs & SYNC_FIRST) != 0 &&
           (y->pairs & SYNC_LATER) != 0;
}

static bool
meet(Run *r, const Item *a, const Item *b, uint32_t x, uint32_t y)
{
    const SyncTape *t = r->t;
    const SyncStmt *s = &t->stmts[t->events[a->event].index];
    const SyncStmt *u = &t->stmts[t->events[b->event].index];
    const SyncAccess *p = &t->accesses[x], *q = &t->accesses[y];
    int64_t plo, phi, qlo, qhi;
    if (p->space != q->space || (!p->write && !q->write) ||
        (a->queue == b->queue && !goes_on(a, b, p, q)) ||
        !bytes_of(t, p, a, s, &plo, &phi) || !bytes_of(t, q, b, u, &qlo, &qhi) ||
        plo >= qhi || qlo >= phi) {
        return false;
    }
    r->found = true;
    *r->out = (SyncWitness){.finding = SYNC_RACE,
                            .first = a->event,
                            .later = b->event,
                            .first_at = a->at,
                            .later_at = b->at,
                            .meet = {x, y},
                            .lo = plo > qlo ? plo : qlo,
                            .hi = phi < qhi ? phi : qhi};
    return true;
}

static void
compare(Run *r, const Item *a, const Item *b)
{
    const SyncTape *t = r->t;
    const SyncStmt *s = &t->stmts[t->events[a->event].index];
    const SyncStmt *u = &t->stmts[t->events[b->event].index];
    for (uint32_t x = s->first; x < s->first + s->n; x++) {
        for (uint32_t y = u->first; y < u->first + u->n; y++) {
            if (meet(r, a, b, x, y)) {
                return;
            }
        }
    }
}

static bool
is_access(const Run *r, const Item *i)
{
    return i->done && r->t->events[i->event].kind == SYNC_STMT;
}

/* Looks for two accesses that need not have the order of the program, the first ones in
 * it. */
static void
find_race(Run *r)
{
    for (uint32_t j = 0; j < r->nitems && !r->found; j++) {
        const Item *b = &r->items[j];
        for (uint32_t i = 0; is_access(r, b) && i < j && !r->found; i++) {
            const Item *a = &r->items[i];
            if (is_access(r, a) && !is_before(a, b)) {
                compare(r, a, b);
            }
        }
    }
}

/* ---- all ----------------------------------------------------------------- */

bool
sync_run(const SyncTape *t, SyncWitness *out)
{
    Run r = {.t = t, .whole = true, .out = out};
    r.flags = calloc((size_t)t->nflags + 1, sizeof *r.flags);
    for (int p = 0; p < PIPE_COUNT; p++) {
        r.queues[p].head = NO_ITEM;
    }
    if (r.flags != NULL) {
        dispatch(&r);
        const Item *waits = r.found ? NULL : run_queues(&r);
        if (r.whole && !r.found && waits != NULL) {
            hangs(&r, waits);
        } else if (r.whole && !r.found) {
            leftover(&r);
        }
        if (!r.found) {
            find_race(&r);
        }
    }
    free(r.flags);
    free(r.items);
    return r.found;
}
