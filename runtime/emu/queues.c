/* queues.c: executes a kernel by its queues (docs/blob-format.md, Queues) in an order
 * that a seed chooses: all queues alike, one queue far later or far earlier than the
 * others, or nothing before the dispatcher has to wait. Instructions are whole: of two of
 * one queue the first one ends before the next one begins.
 *
 * An instruction that waits in its queue has the numbers and the places of regions that
 * the dispatcher read for it. */
#include "emu/emu.h"
#include "isa/operand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Waiting {
    const EmuOp *op;
    int64_t *vals; /* then the places */
    EmuPlace *places;
} Waiting;

typedef struct Queue {
    Waiting *p;
    uint32_t first, n, cap;
} Queue;

struct EmuQueues {
    Queue of[PIPE_COUNT];
    uint64_t seed;
    int weight[PIPE_COUNT]; /* how likely a queue goes on */
    int lead;               /* of 8 descriptors, how many are dispatched at once */
};

static uint32_t
draw(EmuQueues *q, uint32_t n)
{
    q->seed = q->seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(q->seed >> 33) % n;
}

/* Chooses the habits of the queues for the run. */
static void
choose_habits(EmuQueues *q)
{
    int odd = (int)draw(q, PIPE_COUNT);
    int habit = (int)draw(q, 4);
    q->lead = (int)draw(q, 9);
    for (int i = 0; i < PIPE_COUNT; i++) {
        q->weight[i] = habit == 0   ? 16
                       : habit == 1 ? (i == odd ? 1 : 64)
                       : habit == 2 ? (i == odd ? 64 : 1)
                                    : 1 + (int)draw(q, 64);
    }
}

EmuQueues *
emu_queues_new(uint64_t seed)
{
    EmuQueues *q = calloc(1, sizeof *q);
    if (q != NULL) {
        q->seed = seed * 0x9e3779b97f4a7c15u + 1;
        (void)draw(q, 1);
        choose_habits(q);
    }
    return q;
}

void
emu_queues_free(EmuQueues *q)
{
    for (int i = 0; q != NULL && i < PIPE_COUNT; i++) {
        for (uint32_t j = 0; j < q->of[i].cap; j++) {
            free(q->of[i].p[j].vals);
        }
        free(q->of[i].p);
    }
    free(q);
}

/* ---- flags --------------------------------------------------------------- */

typedef struct FlagAt {
    Pipe from, to;
    int id;
} FlagAt;

static FlagAt
flag_of(const EmuRun *r, const EmuOp *op)
{
    return (FlagAt){(Pipe)emu_slot(r, op, FLAG_pipe),
                    (Pipe)emu_slot(r, op, FLAG_trigger_pipe),
                    (int)emu_slot(r, op, FLAG_event_id)};
}

static bool
is_up(const EmuRun *r, FlagAt f)
{
    return (r->flags.up[f.from][f.to] >> f.id & 1) != 0;
}

static bool
break_rule(EmuRun *r, const EmuOp *op, Rule rule, const char *text)
{
    Fault f = {.rule = rule, .param = -1};
    snprintf(f.text, sizeof f.text, "%s", text);
    return emu_record(r, op, &f);
}

static bool
set_flag(EmuRun *r, const EmuOp *op)
{
    FlagAt f = flag_of(r, op);
    char text[120];
    if (is_up(r, f)) {
        snprintf(text, sizeof text,
                 "PIPE_%s sets flag %d of PIPE_%s, which is up from before",
                 pipe_name(f.from), f.id, pipe_name(f.to));
        return break_rule(r, op, RULE_SYNC_DOUBLE_SET, text);
    }
    r->flags.up[f.from][f.to] |= (uint8_t)(1 << f.id);
    r->flags.by[f.from][f.to][f.id] = op;
    return true;
}

/* Returns false if the flag is down. */
static bool
wait_flag(EmuRun *r, const EmuOp *op)
{
    FlagAt f = flag_of(r, op);
    if (!is_up(r, f)) {
        return false;
    }
    r->flags.up[f.from][f.to] &= (uint8_t)~(1 << f.id);
    return true;
}

/* ---- queues -------------------------------------------------------------- */

static Sem
meaning(const EmuOp *op)
{
    return op_table[op->op].sem;
}

/* Executes op with the numbers of its queue's first entry in force. */
static bool
with_numbers(EmuRun *r, const Waiting *w, EmuExec *exec)
{
    int64_t *vals = r->vals;
    EmuPlace *places = r->places;
    r->vals = w->vals;
    r->places = w->places;
    bool ok = exec(r, w->op);
    r->vals = vals;
    r->places = places;
    return ok;
}

static bool
run_waiting(EmuRun *r, const EmuOp *op)
{
    return meaning(op) == SEM_SET_FLAG       ? set_flag(r, op)
           : meaning(op) == SEM_PIPE_BARRIER ? true
                                             : op->exec(r, op);
}

/* Returns whether the first of a queue can be executed. A wait_flag that can is then
 * executed already. */
static bool
try_wait(EmuRun *r, const Waiting *w)
{
    return meaning(w->op) != SEM_WAIT_FLAG || with_numbers(r, w, wait_flag);
}

/* Lets a queue execute its first instruction. *moved: it could. False: a fault. */
static bool
step_queue(EmuRun *r, int i, bool *moved)
{
    Queue *q = &r->queues->of[i];
    *moved = q->n > 0 && try_wait(r, &q->p[q->first]);
    if (!*moved) {
        return true;
    }
    const Waiting *w = &q->p[q->first];
    bool ok = meaning(w->op) == SEM_WAIT_FLAG || with_numbers(r, w, run_waiting);
    q->first = (q->first + 1) % q->cap;
    q->n--;
    return ok;
}

/* Lets one of the queues go on, if any can. */
static bool
step_some(EmuRun *r, bool *moved)
{
    EmuQueues *q = r->queues;
    bool tried[PIPE_COUNT] = {false};
    *moved = false;
    for (int left = PIPE_COUNT; left > 0 && !*moved; left--) {
        int all = 0, i = -1;
        for (int p = 0; p < PIPE_COUNT; p++) {
            tried[p] = tried[p] || q->of[p].n == 0;
            all += tried[p] ? 0 : q->weight[p];
        }
        if (all == 0) {
            return true;
        }
        int at = (int)draw(q, (uint32_t)all);
        while (at >= 0) {
            i++;
            at -= tried[i] ? 0 : q->weight[i];
        }
        tried[i] = true;
        if (!step_queue(r, i, moved)) {
            return false;
        }
    }
    return true;
}

static bool
grow(Queue *q)
{
    uint32_t cap = q->cap == 0 ? 16 : q->cap * 2;
    Waiting *p = calloc(cap, sizeof *p);
    if (p == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < q->cap; i++) {
        p[i] = q->p[(q->first + i) % q->cap];
    }
    free(q->p);
    q->p = p;
    q->first = 0;
    q->cap = cap;
    return true;
}

static bool
append(EmuRun *r, const EmuOp *op, Pipe pipe)
{
    const EmuProgram *p = r->p;
    Queue *q = &r->queues->of[pipe];
    size_t nvals = (size_t)p->first_const + p->nconsts, nplaces = p->kernel.nregions;
    Waiting *w = q->n < q->cap || grow(q) ? &q->p[(q->first + q->n) % q->cap] : NULL;
    if (w != NULL && w->vals == NULL) {
        w->vals = malloc(nvals * sizeof *w->vals + nplaces * sizeof *w->places + 16);
    }
    if (w == NULL || w->vals == NULL) {
        *r->res = (EmuResult){.status = EMU_NO_MEMORY};
        return false;
    }
    w->op = op;
    w->places = (EmuPlace *)(void *)(w->vals + nvals);
    memcpy(w->vals, r->vals, nvals * sizeof *w->vals);
    memcpy(w->places, r->places, nplaces * sizeof *w->places);
    q->n++;
    return true;
}

/* ---- what hangs ---------------------------------------------------------- */

/* Each queue is in it once at most, for which there is room. */
typedef struct Chain {
    char text[sizeof((Fault *)NULL)->text];
    size_t n;
} Chain;

static void
say(Chain *c, const char *fmt, const char *a, int id, const char *b, uint32_t at)
{
    c->n += (size_t)snprintf(c->text + c->n, sizeof c->text - c->n, fmt, a, id, b, at);
}

static bool
sets(EmuRun *r, const Waiting *w, FlagAt f)
{
    int64_t *vals = r->vals;
    r->vals = w->vals;
    FlagAt g = flag_of(r, w->op);
    r->vals = vals;
    return g.from == f.from && g.to == f.to && g.id == f.id;
}

/* Returns whether a queue has a set_flag of the flag in it. */
static bool
will_set(EmuRun *r, FlagAt f)
{
    const Queue *q = &r->queues->of[f.from];
    for (uint32_t i = 0; i < q->n; i++) {
        const Waiting *w = &q->p[(q->first + i) % q->cap];
        if (meaning(w->op) == SEM_SET_FLAG && sets(r, w, f)) {
            return true;
        }
    }
    return false;
}

/* Follows who waits for whom, from a flag on. */
static bool
hang(EmuRun *r, const EmuOp *op, FlagAt f)
{
    Chain c = {.n = 0};
    bool seen[PIPE_COUNT] = {false};
    say(&c, "PIPE_%s waits for flag %d of PIPE_%s (descriptor %u)", pipe_name(f.to), f.id,
        pipe_name(f.from), op->index);
    while (!seen[f.from]) {
        const Queue *q = &r->queues->of[f.from];
        seen[f.from] = true;
        if (!will_set(r, f)) {
            say(&c, ", which nothing before it sets%s", "", 0, "", 0);
            break;
        }
        const Waiting *w = &q->p[q->first];
        int64_t *vals = r->vals;
        r->vals = w->vals;
        f = flag_of(r, w->op);
        r->vals = vals;
        say(&c, "%s, that for flag %d of PIPE_%s (descriptor %u)", "", f.id,
            pipe_name(f.from), w->op->index);
    }
    return break_rule(r, op, RULE_SYNC_DEADLOCK, c.text);
}

/* Returns whether nothing waits; reports the first that does. */
static bool
none_hangs(EmuRun *r)
{
    for (int i = 0; i < PIPE_COUNT; i++) {
        const Queue *q = &r->queues->of[i];
        if (q->n > 0) {
            const Waiting *w = &q->p[q->first];
            int64_t *vals = r->vals;
            r->vals = w->vals;
            (void)hang(r, w->op, flag_of(r, w->op));
            r->vals = vals;
            return false;
        }
    }
    return true;
}

/* ---- the dispatcher ------------------------------------------------------ */

bool
emu_queues_drain(EmuRun *r)
{
    bool moved = true;
    while (moved) {
        if (!step_some(r, &moved)) {
            return false;
        }
    }
    return none_hangs(r);
}

static bool
wait_here(EmuRun *r, const EmuOp *op)
{
    bool moved = true;
    while (!wait_flag(r, op)) {
        if (!step_some(r, &moved)) {
            return false;
        }
        if (!moved) {
            return hang(r, op, flag_of(r, op));
        }
    }
    return true;
}

bool
emu_queues_end(EmuRun *r, const EmuOp *op)
{
    if (!emu_queues_drain(r)) {
        return false;
    }
    for (int i = 0; i < PIPE_COUNT * PIPE_COUNT; i++) {
        Pipe from = (Pipe)(i / PIPE_COUNT), to = (Pipe)(i % PIPE_COUNT);
        for (int id = 0; id < FLAG_IDS; id++) {
            if ((r->flags.up[from][to] >> id & 1) != 0) {
                Fault f;
                flag_leftover(from, to, id, &f);
                return emu_record(r, op, &f);
            }
        }
    }
    return true;
}

/* Returns the queue that executes an instruction, or where a barrier or flag stands. */
static Pipe
queue_of(EmuRun *r, const EmuOp *op)
{
    switch (meaning(op)) {
    case SEM_SET_FLAG:
        return flag_of(r, op).from;
    case SEM_WAIT_FLAG:
        return flag_of(r, op).to;
    case SEM_PIPE_BARRIER:
        return (Pipe)emu_slot(r, op, 0);
    default:
        return (Pipe)op->queue;
    }
}

bool
emu_queues_dispatch(EmuRun *r, const EmuOp *op)
{
    EmuQueues *q = r->queues;
    Pipe pipe = queue_of(r, op);
    bool moved = true, all = meaning(op) == SEM_BLOCK_BARRIER || (int)pipe == PIPE_COUNT;
    while (moved && (int)draw(q, 8) >= q->lead) {
        if (!step_some(r, &moved)) {
            return false;
        }
    }
    if (all && !emu_queues_drain(r)) {
        return false;
    }
    if (pipe != PIPE_S && !all) {
        return append(r, op, pipe);
    }
    switch (meaning(op)) {
    case SEM_SET_FLAG:
        return set_flag(r, op);
    case SEM_WAIT_FLAG:
        return wait_here(r, op);
    case SEM_PIPE_BARRIER:
        return true;
    default:
        return op->exec(r, op);
    }
}
