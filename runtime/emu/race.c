/* race.c: the clocks of queues and the accesses that they compare (see race.h). */
#include "emu/race.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/integer.h"
#include "isa/operand.h"

enum {
    RACE_WRITE = 1,
    RACE_FIRST = 2 /* its own queue may go on before it has ended (isa/queue.def) */
};

/* What a queue knows to have ended: by queue, the number of instructions. */
typedef struct Known {
    uint32_t of[PIPE_COUNT];
} Known;

/* The clocks of a core. */
typedef struct Clocks {
    uint32_t n[PIPE_COUNT]; /* instructions so far */
    Known known[PIPE_COUNT];
    Known flag[PIPE_COUNT][PIPE_COUNT][FLAG_IDS];
    uint32_t waited[PIPE_COUNT][PIPE_COUNT][FLAG_IDS]; /* the last wait_flag's number */
} Clocks;

struct EmuRaces {
    Clocks *core; /* by core */
    uint32_t ncores;
    Pipe queue; /* of the present instruction */
    uint32_t op;
    bool first, later; /* the sides of a pair of isa/queue.def on which it is */
};

bool
race_begin(EmuRun *r)
{
    const EmuKernel *k = &r->p->kernel;
    bool wanted =
        r->shadow != NULL && (k->flags & TIKBLOB_QUEUES) != 0 && k->watch->schedule == 0;
    r->races = wanted ? calloc(1, sizeof *r->races) : NULL;
    if (r->races == NULL) {
        return !wanted;
    }
    r->races->ncores = k->cores;
    r->races->core = calloc(k->cores, sizeof *r->races->core);
    return r->races->core != NULL;
}

void
race_end(EmuRun *r)
{
    if (r->races != NULL) {
        free(r->races->core);
    }
    free(r->races);
    r->races = NULL;
}

static Clocks *
clocks(EmuRun *r)
{
    return &r->races->core[r->core % r->races->ncores];
}

void
race_core(EmuRun *r)
{
    if (r->races != NULL) {
        memset(clocks(r), 0, sizeof(Clocks));
    }
}

/* ---- what queues know ---------------------------------------------------- */

static void
learn(Known *to, const Known *from)
{
    for (int i = 0; i < PIPE_COUNT; i++) {
        to->of[i] = to->of[i] < from->of[i] ? from->of[i] : to->of[i];
    }
}

/* Something is handed to a queue: it begins after what the dispatcher knows to have
 * ended, and after what the dispatcher has done. */
static void
dispatch(Clocks *c, Pipe q)
{
    learn(&c->known[q], &c->known[PIPE_S]);
    c->known[q].of[PIPE_S] = c->n[PIPE_S];
}

static void
set_flag(EmuRun *r, const EmuOp *op, Clocks *c)
{
    Pipe from = (Pipe)emu_slot(r, op, FLAG_pipe);
    Pipe to = (Pipe)emu_slot(r, op, FLAG_trigger_pipe);
    int64_t id = emu_slot(r, op, FLAG_event_id);
    dispatch(c, from);
    if (c->waited[from][to][id] > c->known[from].of[to]) {
        EmuSite site = {r, op};
        Fault f = {.rule = RULE_SYNC_OVERRUN};
        snprintf(
            f.text, sizeof f.text,
            "PIPE_%s may set flag %lld of PIPE_%s before the wait_flag for it before "
            "has come by (core %u)",
            pipe_name(from), (long long)id, pipe_name(to), r->core);
        emu_warn(&site, &f);
    }
    c->flag[from][to][id] = c->known[from];
    c->flag[from][to][id].of[from] = c->n[from];
}

static void
wait_flag(EmuRun *r, const EmuOp *op, Clocks *c)
{
    Pipe from = (Pipe)emu_slot(r, op, FLAG_pipe);
    Pipe to = (Pipe)emu_slot(r, op, FLAG_trigger_pipe);
    int64_t id = emu_slot(r, op, FLAG_event_id);
    dispatch(c, to);
    learn(&c->known[to], &c->flag[from][to][id]);
    c->waited[from][to][id] = ++c->n[to];
}

static void
everything_ended(Clocks *c)
{
    memcpy(c->known[PIPE_S].of, c->n, sizeof c->n);
}

/* ---- instructions -------------------------------------------------------- */

static bool
reads_l0c(const EmuRun *r, const EmuOp *op)
{
    int src = form_slot(op_table[op->op].form, ROLE_SRC, NULL);
    return src >= 0 &&
           r->p->kernel.regions[emu_slot_ref(r->p, op, src)->region].scope == SC_L0C;
}

/* A product that adds to so few blocks that the next one would come too early. */
static bool
is_short_product(const EmuRun *r, const EmuOp *op)
{
    Form form = op_table[op->op].form;
    int m = form_slot(form, ROLE_INT, "matrix_m");
    int n = form_slot(form, ROLE_INT, "matrix_n");
    CheckInstr in;
    emu_instr(r, op, &in);
    return check_reads_dst(&in) && m >= 0 && n >= 0 &&
           div_ceil(in.args[m].v, 16) * div_ceil(in.args[n].v, 16) < 10;
}

static void
find_sides(EmuRun *r, const EmuOp *op)
{
    EmuRaces *x = r->races;
    bool moves =
        (x->queue == PIPE_MTE2 || x->queue == PIPE_MTE3) && atomic_read(r->sreg) == 0;
    bool product = x->queue == PIPE_M && op_table[op->op].sem == SEM_MMAD;
    x->first = moves || product || (x->queue == PIPE_V && reads_l0c(r, op));
    x->later = moves || x->queue == PIPE_V || (product && is_short_product(r, op));
}

/* An instruction or access that is no flag and no barrier. */
static void
begin(EmuRun *r, const EmuOp *op, Clocks *c)
{
    EmuRaces *x = r->races;
    x->op = op->index;
    x->queue = op->kind == DESC_INSTR ? (Pipe)op->queue : PIPE_S;
    x->first = x->later = false;
    if (x->queue != PIPE_S) {
        dispatch(c, x->queue);
        find_sides(r, op);
    }
    c->n[x->queue]++;
}

void
race_step(EmuRun *r, const EmuOp *op)
{
    Clocks *c = clocks(r);
    if (op->kind != DESC_INSTR) {
        begin(r, op, c);
        return;
    }
    int64_t p = PIPE_COUNT;
    switch (op_table[op->op].sem) {
    case SEM_SET_FLAG:
        set_flag(r, op, c);
        break;
    case SEM_WAIT_FLAG:
        wait_flag(r, op, c);
        break;
    case SEM_PIPE_BARRIER:
        p = emu_slot(r, op, 0);
        if (p < PIPE_COUNT) {
            c->known[p].of[p] = c->n[p];
            break;
        }
        everything_ended(c);
        break;
    case SEM_BLOCK_BARRIER:
        everything_ended(c);
        break;
    default:
        begin(r, op, c);
        break;
    }
}

Pipe
race_queue(const EmuRun *r)
{
    return r->races->queue;
}

/* ---- accesses ------------------------------------------------------------ */

static Rule
compare(const EmuRaces *x, const Clocks *c, const RaceEntry *e, bool write)
{
    bool was_write = (e->kind & RACE_WRITE) != 0;
    bool known = e->seq <= c->known[x->queue].of[e->queue];
    if (known || (!write && !was_write)) {
        return RULE_NONE;
    }
    if (e->queue != (uint8_t)x->queue) {
        return RULE_RACE;
    }
    bool pair = (e->kind & RACE_FIRST) != 0 && was_write && x->later &&
                (write || x->queue == PIPE_V) && e->seq != c->n[x->queue];
    return pair ? RULE_WAW_NO_BARRIER : RULE_NONE;
}

/* Returns whether a new access of the queue says all that an entry does. */
static bool
replaces(const RaceEntry *now, const RaceEntry *e)
{
    bool more = (now->kind & RACE_WRITE) != 0 || (e->kind & RACE_WRITE) == 0;
    return e->queue == now->queue && (e->mask & ~now->mask) == 0 && more;
}

/* Entries follow each other; seq 0 ends them. Those of other cores, and those that the
 * new one says, are dropped, and the oldest one if there is no room. */
static void
remember(RaceBlock *b, const RaceEntry *now)
{
    int n = 0, oldest = 0;
    for (int i = 0; i < RACE_ENTRIES && b->of[i].seq != 0; i++) {
        RaceEntry *e = &b->of[i];
        bool mine = e->core == now->core;
        if (mine && e->queue == now->queue && e->seq == now->seq &&
            e->kind == now->kind) {
            e->mask |= now->mask;
            return;
        }
        if (mine && !replaces(now, e)) {
            b->of[n] = *e;
            oldest = e->seq < b->of[oldest].seq ? n : oldest;
            n++;
        }
    }
    if (n == RACE_ENTRIES) {
        b->of[oldest] = *now;
        return;
    }
    b->of[n++] = *now;
    if (n < RACE_ENTRIES) {
        b->of[n].seq = 0;
    }
}

Rule
race_access(EmuRun *r, RaceBlock *b, uint32_t mask, bool write, const RaceEntry **other)
{
    const EmuRaces *x = r->races;
    const Clocks *c = clocks(r);
    RaceEntry now = {
        .seq = c->n[x->queue],
        .mask = mask,
        .op = x->op,
        .core = (uint16_t)(r->core + 1),
        .queue = (uint8_t)x->queue,
        .kind = (uint8_t)((write ? RACE_WRITE : 0) | (x->first ? RACE_FIRST : 0))};
    Rule rule = RULE_NONE;
    for (int i = 0; i < RACE_ENTRIES && b->of[i].seq != 0 && rule == RULE_NONE; i++) {
        const RaceEntry *e = &b->of[i];
        if (e->core == now.core && (e->mask & mask) != 0) {
            rule = compare(x, c, e, write);
            *other = e;
        }
    }
    if (rule == RULE_NONE) {
        remember(b, &now);
    }
    return rule;
}
