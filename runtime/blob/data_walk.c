/* data_walk.c: walks over the descriptors of a kernel for the properties P9 to P12 (see
 * data.h): control, numbers, cores. */
#include "blob/data.h"

#include "num/scalar_interval.h"

#include <stdlib.h>
#include <string.h>

enum {
    FEW_TRIPS = 4,  /* of loops that are followed when there are too many steps */
    MOST_ROUNDS = 6 /* until what holds in all iterations of a loop is found */
};

#define USUAL_BUDGET ((uint64_t)1 << 22)

/* ---- numbers ------------------------------------------------------------- */

static void
use_register(DataWalk *w, uint32_t reg)
{
    if (w->now.set[reg] != BYTE_WRITTEN) {
        data_found(w, TIKBLOB_DEFINED, w->now.set[reg] == BYTE_NEVER, UINT32_MAX,
                   "register r%u is used, which %s", reg,
                   w->now.set[reg] == BYTE_NEVER ? "nothing has set"
                                                 : "need not have been set");
        w->now.set[reg] = BYTE_WRITTEN;
    }
}

Interval
data_number(DataWalk *w, const TikNum *n)
{
    switch (n->kind) {
    case NUM_IMM:
        return interval_const(n->imm);
    case NUM_LOOP:
        return w->counters[n->index % TIKBLOB_MAX_LOOPS];
    case NUM_CORE:
        return w->core;
    case NUM_REG:
        break;
    }
    use_register(w, n->index);
    return w->now.regs[n->index];
}

static void
set_register(DataWalk *w, uint32_t reg, Interval v)
{
    w->now.regs[reg] = v;
    w->now.set[reg] = BYTE_WRITTEN;
}

static void
alu(DataWalk *w, const TikDesc *d)
{
    bool two = scalar_op_table[d->alu_op].arity > 1;
    Interval a = data_number(w, &d->a);
    Interval b = two ? data_number(w, &d->b) : interval_const(0);
    int64_t v;
    if (interval_is_const(a) && interval_is_const(b)) {
        bool ok = scalar_eval(d->alu_op, d->dtype, d->from, a.lo, b.lo, &v);
        set_register(w, d->reg, interval_const(ok ? v : 0));
        return;
    }
    ScalarIntervals in = {d->dtype, d->from, a, b};
    set_register(w, d->reg, scalar_interval_untyped(d->alu_op, &in, NULL));
}

/* Forgets the numbers of the registers that descriptors write. */
static void
forget(DataWalk *w, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        const TikDesc *d = w->k->descs[i];
        if (d->kind == DESC_ALU || d->kind == DESC_LOAD) {
            w->now.regs[d->reg] = w->any[d->reg];
        }
    }
}

/* ---- control ------------------------------------------------------------- */

/* Returns whether the end of the descriptors was reached. */
static bool walk(DataWalk *w, uint32_t from, uint32_t to);

static bool
jump(DataWalk *w, TikDescKind kind)
{
    if (kind == DESC_RETURN) {
        w->returned = w->returned || w->unsure > 0;
    } else {
        DataLoop *l = &w->loops[w->nloops - 1];
        w->now.reached = true;
        (void)data_state_join(w, kind == DESC_BREAK ? &l->out : &l->again, &w->now);
    }
    return false;
}

/* What follows a jump that need not be taken need not be executed, up to the end of its
 * loop. */
static void
after_jump(DataWalk *w)
{
    w->unsure++;
    if (w->nloops > 0) {
        w->loops[w->nloops - 1].shaky++;
    }
}

/* Both ways of a branch whose condition is not known. */
static bool
both_ways(DataWalk *w, uint32_t first, uint32_t middle, uint32_t other, uint32_t end)
{
    DataState before = {0}, then = {0};
    bool made = data_state_new(w, &before) && data_state_new(w, &then);
    bool a = false, b = false;
    if (made) {
        data_state_copy(w, &before, &w->now);
        w->unsure++;
        a = walk(w, first, middle);
        data_state_copy(w, &then, &w->now);
        data_state_copy(w, &w->now, &before);
        b = walk(w, other, end);
        w->unsure--;
        then.reached = w->now.reached = true;
        if (a && b) {
            (void)data_state_join(w, &w->now, &then);
        } else if (a) {
            data_state_copy(w, &w->now, &then);
        }
        if (a != b) {
            after_jump(w);
        }
    }
    data_state_free(&then);
    data_state_free(&before);
    return a || b;
}

/* *next is the descriptor after the branch. */
static bool
branch(DataWalk *w, const TikDesc *d, uint32_t *next)
{
    const TikDesc *other = w->k->descs[d->match];
    bool two = other->kind == DESC_ELSE;
    uint32_t end = two ? other->match : d->match;
    Interval c = data_number(w, &d->a);
    *next = end + 1;
    if (c.lo == 0 && c.hi == 0) {
        return !two || walk(w, d->match + 1, end);
    }
    if (interval_is_const(c) || c.lo > 0 || c.hi < 0) {
        return walk(w, d->index + 1, d->match);
    }
    return both_ways(w, d->index + 1, d->match, two ? d->match + 1 : end, end);
}

static bool
has_jumps(const DataWalk *w, uint32_t from, uint32_t to, bool returns)
{
    for (uint32_t i = from; i < to; i++) {
        TikDescKind kind = w->k->descs[i]->kind;
        if (kind == DESC_BREAK || kind == DESC_CONTINUE ||
            (returns && kind == DESC_RETURN)) {
            return true;
        }
    }
    return false;
}

static DataLoop *
open_loop(DataWalk *w, const TikDesc *d)
{
    DataLoop *l = &w->loops[w->nloops++];
    *l = (DataLoop){.desc = d->index};
    if (has_jumps(w, d->index + 1, d->match, false)) {
        (void)(data_state_new(w, &l->out) && data_state_new(w, &l->again));
    }
    return l;
}

/* Ends a loop; on: its last iteration came to its end. */
static bool
close_loop(DataWalk *w, bool on)
{
    DataLoop *l = &w->loops[--w->nloops];
    w->now.reached = on;
    bool left = l->out.reached;
    if (left) {
        (void)data_state_join(w, &w->now, &l->out);
    }
    w->now.reached = true;
    w->unsure -= l->shaky;
    data_state_free(&l->out);
    data_state_free(&l->again);
    return on || left;
}

/* Executes the body once. Returns whether its end, or a jump to it, was reached. */
static bool
iteration(DataWalk *w, const TikDesc *d, DataLoop *l)
{
    l->again.reached = false;
    bool on = walk(w, d->index + 1, d->match);
    if (l->again.reached) {
        w->now.reached = on;
        (void)data_state_join(w, &w->now, &l->again);
        w->now.reached = true;
    }
    return on || l->again.reached;
}

static bool
known_loop(DataWalk *w, const TikDesc *d, int64_t begin, int64_t end)
{
    Interval *counter = &w->counters[d->slot % TIKBLOB_MAX_LOOPS];
    DataLoop *l = open_loop(w, d);
    bool on = true;
    for (int64_t v = begin; v < end && on && !w->failed; v++) {
        *counter = interval_const(v);
        on = iteration(w, d, l);
    }
    return close_loop(w, on);
}

/* Finds what holds at the head of each iteration, in *head. */
static void
settle(DataWalk *w, const TikDesc *d, DataLoop *l, DataState *head)
{
    bool changed = true;
    w->muted++;
    for (int i = 0; changed && i < MOST_ROUNDS && !w->failed; i++) {
        data_state_copy(w, &w->now, head);
        changed = iteration(w, d, l) && data_state_join(w, head, &w->now);
        if (changed && i == MOST_ROUNDS - 1) { /* nothing is known */
            memset(head->bytes, BYTE_MAYBE, (size_t)w->nbytes);
            memset(head->set, BYTE_MAYBE, w->info.nregs);
        }
    }
    w->muted--;
    data_state_copy(w, &w->now, head);
}

/* What loops have written together is there when they have ended. */
static void
end_unknown(DataWalk *w)
{
    for (uint32_t i = 0; i < w->info.nargs; i++) {
        DataArg *a = &w->args[i];
        for (uint32_t j = 0; j < a->late.n; j++) {
            data_set_add(w, &a->written, a->late.p[j].lo, a->late.p[j].hi);
        }
        a->late.n = 0;
    }
}

/* A loop with any number of iterations, at least one if it is `certain` to run. */
static bool
unknown_loop(DataWalk *w, const TikDesc *d, Interval counter, bool certain)
{
    DataState before = {0}, head = {0};
    bool on = false;
    w->counters[d->slot % TIKBLOB_MAX_LOOPS] = counter;
    if (data_state_new(w, &before) && data_state_new(w, &head)) {
        DataLoop *l = open_loop(w, d);
        data_state_copy(w, &before, &w->now);
        forget(w, d->index + 1, d->match);
        data_state_copy(w, &head, &w->now);
        before.reached = head.reached = w->now.reached = true;
        w->unsure += !certain;
        w->unknown++;
        settle(w, d, l, &head);
        on = iteration(w, d, l);
        w->unknown--;
        w->unsure -= !certain;
        on = close_loop(w, on);
        if (w->unknown == 0) {
            end_unknown(w);
        }
        if (!certain) {
            w->now.reached = on;
            (void)data_state_join(w, &w->now, &before);
            on = w->now.reached = true;
        }
    }
    data_state_free(&head);
    data_state_free(&before);
    return on;
}

static bool
loop(DataWalk *w, const TikDesc *d)
{
    Interval begin = data_number(w, &d->a), end = data_number(w, &d->b);
    bool known = interval_is_const(begin) && interval_is_const(end);
    if (begin.lo >= end.hi) {
        return true;
    }
    if (known && sat_add(end.lo, -begin.lo) <= w->most_trips) {
        return known_loop(w, d, begin.lo, end.lo);
    }
    w->full[d->slot % TIKBLOB_MAX_LOOPS] =
        known && !has_jumps(w, d->index + 1, d->match, true);
    return unknown_loop(w, d, interval_between(begin.lo, end.hi - 1), begin.hi < end.lo);
}

/* ---- descriptors --------------------------------------------------------- */

/* Cores meet: what all have written before is there for each. Where they meet any number
 * of times nothing is counted: what follows is taken for what came before. */
static void
meet(DataWalk *w)
{
    if (w->unsure > 0 || w->unknown > 0) {
        w->last_phase = w->phase < w->last_phase ? w->phase : w->last_phase;
        return;
    }
    for (uint32_t i = 0; i < w->info.nargs && w->phase < w->nmet; i++) {
        DataArg *a = &w->args[i];
        for (uint32_t j = 0; j < a->written.n; j++) {
            data_set_add(w, &a->met[w->phase], a->written.p[j].lo, a->written.p[j].hi);
        }
    }
    w->phase++;
}

static void
plain(DataWalk *w, const TikDesc *d)
{
    if (d->kind == DESC_ALU) {
        alu(w, d);
    } else if (d->kind == DESC_LOAD || d->kind == DESC_STORE) {
        data_element(w, d);
        if (d->kind == DESC_LOAD) {
            set_register(w, d->reg, interval_of_type(d->dtype));
        } else {
            (void)data_number(w, &d->a);
        }
    } else if (op_table[d->op].sem == SEM_BLOCK_BARRIER) {
        meet(w);
    } else {
        data_instr(w, d);
    }
}

static bool
walk(DataWalk *w, uint32_t from, uint32_t to)
{
    bool on = true;
    for (uint32_t i = from; i < to && on && !w->failed;) {
        const TikDesc *d = w->k->descs[i++];
        w->desc = d;
        w->over = w->over || --w->work < 0;
        if (w->over) {
            return false;
        }
        if (d->kind == DESC_LOOP) {
            i = d->match + 1;
            on = loop(w, d);
        } else if (d->kind == DESC_IF) {
            on = branch(w, d, &i);
        } else if (d->kind == DESC_BREAK || d->kind == DESC_CONTINUE ||
                   d->kind == DESC_RETURN) {
            on = jump(w, d->kind);
        } else { /* the ends of blocks are never reached: their beginnings lead on */
            plain(w, d);
        }
    }
    return on;
}

/* ---- cores --------------------------------------------------------------- */

static void
begin_core(DataWalk *w)
{
    w->now.reached = true;
    w->now.atomic = 0;
    for (uint32_t i = 0; i < w->info.nregs; i++) {
        w->now.regs[i] = interval_const(0);
        w->now.set[i] = BYTE_NEVER;
    }
    memset(w->now.bytes, BYTE_NEVER, (size_t)w->nbytes);
    for (int64_t i = 0; w->now.owner != NULL && i < w->nbytes; i++) {
        w->now.owner[i] = OWNER_NONE;
    }
    w->phase = 0;
    w->unsure = w->muted = w->nloops = w->unknown = 0;
}

static void
end_core(DataWalk *w)
{
    w->unsure = w->nloops = 0;
    for (uint32_t i = 0; i < w->info.nargs; i++) {
        DataArg *a = &w->args[i];
        for (uint32_t j = 0; j < a->written.n; j++) {
            data_set_add(w, &a->all, a->written.p[j].lo, a->written.p[j].hi);
        }
        a->written.n = 0;
    }
}

static void
one_core(DataWalk *w, Interval core)
{
    begin_core(w);
    w->core = core;
    (void)walk(w, 0, w->k->ndescs);
    end_core(w);
}

static bool
follows_cores(const DataWalk *w)
{
    return (w->info.flags & TIKBLOB_ANY_CORES) == 0;
}

static void
all_cores(DataWalk *w)
{
    for (uint32_t i = 0; follows_cores(w) && i < w->info.cores && !w->over; i++) {
        one_core(w, interval_const(i));
    }
    if (!follows_cores(w)) {
        one_core(w, interval_between(0, TIKBLOB_MAX_CORES - 1));
        w->desc = NULL;
        data_found(w, TIKBLOB_CORES, false, UINT32_MAX,
                   "the number of cores is known only while running");
    }
}

/* Of cores that meet, a first walk finds what each has written when they do. */
static bool
find_meetings(DataWalk *w)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->k->ndescs; i++) {
        const TikDesc *d = w->k->descs[i];
        n += d->kind == DESC_INSTR && op_table[d->op].sem == SEM_BLOCK_BARRIER;
    }
    if (n == 0 || w->info.cores == 1) {
        return true;
    }
    enum {
        MOST_MEETINGS = 64
    };
    w->nmet = MOST_MEETINGS;
    for (uint32_t i = 0; i < w->info.nargs; i++) {
        w->args[i].met = calloc(MOST_MEETINGS, sizeof *w->args[i].met);
        w->failed = w->failed || w->args[i].met == NULL;
    }
    if (w->failed) {
        return false;
    }
    TikBlobProperty *keep = w->found;
    TikBlobProperty ignored[TIKBLOB_PROPERTIES] = {{.verdict = TIKBLOB_PROVED}};
    w->found = ignored;
    all_cores(w);
    w->found = keep;
    w->nuses = 0;
    for (uint32_t i = 0; i < w->info.nargs; i++) {
        w->args[i].all.n = 0;
    }
    return !w->over && !w->failed;
}

/* ---- the kernel ---------------------------------------------------------- */

static bool
is_followed(const TikBlobRegion *g)
{
    return g->scope != SC_GM && g->scope != SC_SREG && g->scope != SC_LMEM && !g->open;
}

/* Finds how many bytes of each memory regions take, and whether some share any. That each
 * is inside of its memory is rule 507. */
static bool
survey_regions(DataWalk *w)
{
    bool shared = false;
    for (int s = 0; s < SC_COUNT; s++) {
        w->at[s] = -1;
        w->room[s] = 0;
    }
    for (uint32_t i = 0; i < w->k->nregions; i++) {
        const TikBlobRegion *g = &w->k->regions[i];
        if (!is_followed(g)) {
            continue;
        }
        int64_t end = g->base + scope_granule(g->scope, false, g->bytes);
        w->room[g->scope] = end > w->room[g->scope] ? end : w->room[g->scope];
        w->at[g->scope] = 0;
        shared = shared || data_shares(w, i);
    }
    for (int s = 0; s < SC_COUNT; s++) {
        w->at[s] = w->at[s] == 0 ? w->nbytes : -1;
        w->nbytes += w->room[s];
    }
    return shared;
}

static bool
make_args(DataWalk *w)
{
    w->args = calloc((size_t)w->info.nargs + 1, sizeof *w->args);
    for (uint32_t i = 0; w->args != NULL && i < w->info.nargs; i++) {
        DataArg *a = &w->args[i];
        tikblob_arg(w->blob, &w->info, (int)i, &a->info);
        bool made = a->info.role == ARGROLE_OUTPUT || a->info.role == ARGROLE_WORKSPACE;
        a->given = !made || a->info.preset;
        a->data = a->info.elems * dtype_size(a->info.dtype);
    }
    return w->args != NULL;
}

static bool
begin(DataWalk *w)
{
    bool shared = survey_regions(w);
    w->names = (SyncNames){w->blob, w->kernel, w->k->regions, NULL};
    /* data_state_new makes owners where the present state has them */
    uint16_t mark = 0;
    w->now.owner = shared ? &mark : NULL;
    DataState s;
    bool ok = data_state_new(w, &s);
    w->now = s;
    w->any = malloc(((size_t)w->info.nregs + 1) * sizeof *w->any);
    if (w->any != NULL) {
        sync_any(w->k, w->any);
    }
    w->failed = !make_args(w) || !ok || w->any == NULL;
    return !w->failed;
}

static void
end(DataWalk *w)
{
    for (uint32_t i = 0; w->args != NULL && i < w->info.nargs; i++) {
        for (uint32_t j = 0; w->args[i].met != NULL && j < w->nmet; j++) {
            free(w->args[i].met[j].p);
        }
        free(w->args[i].met);
        free(w->args[i].written.p);
        free(w->args[i].late.p);
        free(w->args[i].all.p);
    }
    data_state_free(&w->now);
    free(w->any);
    free(w->args);
    free(w->uses);
}

/* Walks with loops of more than most_trips iterations taken as unknown ones. Returns
 * false when that took too long or memory is exhausted. */
static bool
attempt(DataWalk *w, const SyncKernel *k, int64_t most_trips, uint64_t budget)
{
    TikBlobProperty *found = w->found;
    *w = (DataWalk){.blob = w->blob,
                    .k = k,
                    .info = w->info,
                    .kernel = w->kernel,
                    .most_trips = most_trips,
                    .last_phase = UINT32_MAX,
                    .work = (int64_t)budget,
                    .found = found};
    for (int i = TIKBLOB_DEFINED; i < TIKBLOB_PROPERTIES; i++) {
        found[i] = (TikBlobProperty){
            .verdict = TIKBLOB_PROVED, .first = UINT32_MAX, .later = UINT32_MAX};
    }
    if (begin(w)) {
        if (find_meetings(w)) {
            all_cores(w);
        }
        data_compare_cores(w);
        data_outputs(w);
    }
    end(w);
    return !w->over && !w->failed;
}

static void
give_up(TikBlobProperty *out)
{
    for (int i = TIKBLOB_DEFINED; i < TIKBLOB_PROPERTIES; i++) {
        if (out[i].verdict == TIKBLOB_PROVED) {
            out[i] = (TikBlobProperty){.verdict = TIKBLOB_NOT_PROVED,
                                       .first = UINT32_MAX,
                                       .later = UINT32_MAX,
                                       .text = "it would take too long"};
        }
    }
}

bool
data_walk(const TikBlob *b, int kernel, uint64_t budget, TikBlobProperty *out)
{
    SyncKernel *k = sync_kernel_new(b, kernel);
    DataWalk w = {.blob = b, .kernel = kernel, .found = out};
    if (k == NULL) {
        return false;
    }
    budget = budget == 0 ? USUAL_BUDGET : budget > INT64_MAX / 2 ? INT64_MAX / 2 : budget;
    tikblob_kernel(b, kernel, &w.info);
    bool small = w.info.step_bound <= budget / w.info.cores;
    bool done = attempt(&w, k, small ? INT64_MAX : FEW_TRIPS, budget);
    if (!done && small && !w.failed) {
        done = attempt(&w, k, FEW_TRIPS, budget);
    }
    if (!done && !w.failed) {
        give_up(out);
    }
    sync_kernel_free(k);
    return !w.failed;
}
