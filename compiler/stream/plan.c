/* plan.c: plans the flags and barriers of a kernel whose queues execute it.
 *
 * It finds all pairs of accesses that queues do not order by themselves (hazards), and
 * gives each the weakest order that one flag can: within an iteration a set_flag after
 * the first and a wait_flag before the later one; between iterations of a loop a
 * wait_flag before the later one, of a flag that an earlier iteration set, and that is
 * raised once before the loop and waited for once after it. Where hazards are no nearer
 * than the turns of a loop's buffers, the ids take turns too, so that iterations overlap.
 *
 * Orders that another one implies are left out. The proof (blob/sync.h) then checks what
 * would be written, and what it cannot prove is repaired: a flag that could be set too
 * early gets a guard, all else a barrier. Last, each flag is taken out on trial. */
#include "stream/plan.h"

#include "isa/operand.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_REPAIRS = 400,
    MOST_TRIALS = 1024,
    TRIAL_WORK = 1 << 28,
    MOST_ROUNDS = 4, /* of trials */
    ANY_ROUNDS = 3   /* rounds that are told apart */
};

/* What comes first at a position. */
typedef enum Phase {
    PHASE_DRAIN,      /* a loop's last wait */
    PHASE_GUARD_WAIT, /* of a guard, before the set that it guards */
    PHASE_SET,
    PHASE_PRIME, /* a loop's first set */
    PHASE_BARRIER,
    PHASE_WAIT,
    PHASE_GUARD_SET
} Phase;

typedef struct Planner {
    Plan *p;
    Arena *arena;
    const SyncKernel *k;
    SyncTape t;
    int32_t *parent; /* by descriptor: the one that opens its block */
    uint32_t *begin; /* by opener: where its statement begins (an ELSE: its IF) */
    uint32_t *end;   /* and ends */
    uint8_t (*copy)[TIKBLOB_MAX_LOOPS + 1]; /* by statement and level: the copy */
    uint8_t *turns;                         /* by descriptor of a loop */
} Planner;

/* ---- blocks -------------------------------------------------------------- */

static void
find_blocks(Planner *pl)
{
    const SyncKernel *k = pl->k;
    int32_t open = SYNC_NONE;
    for (uint32_t i = 0; i < k->ndescs; i++) {
        const TikDesc *d = k->descs[i];
        pl->begin[i] = pl->end[i] = i;
        switch (d->kind) {
        case DESC_LOOP:
        case DESC_IF:
            pl->parent[i] = open;
            open = (int32_t)i;
            break;
        case DESC_ELSE:
            pl->begin[i] = pl->begin[open];
            pl->parent[i] = pl->parent[open];
            open = (int32_t)i;
            break;
        case DESC_ENDLOOP:
        case DESC_ENDIF:
            pl->end[pl->begin[open]] = pl->end[open] = i;
            open = pl->parent[open];
            pl->parent[i] = open;
            break;
        default:
            pl->parent[i] = open;
            break;
        }
    }
}

static bool
is_in(const Planner *pl, int32_t block, uint32_t desc)
{
    int32_t i = pl->parent[desc];
    while (i != block && i != SYNC_NONE) {
        i = pl->parent[i];
    }
    return i == block;
}

/* Returns the innermost block that has both. */
static int32_t
common_block(const Planner *pl, uint32_t a, uint32_t b)
{
    int32_t i = pl->parent[a];
    while (i != SYNC_NONE && !is_in(pl, i, b)) {
        i = pl->parent[i];
    }
    return i;
}

/* Returns the statement of a block that a descriptor is in: its first descriptor. */
static uint32_t
statement_of(const Planner *pl, int32_t block, uint32_t desc)
{
    while (pl->parent[desc] != block) {
        desc = (uint32_t)pl->parent[desc];
    }
    return pl->begin[desc];
}

/* Returns the innermost loop around a block, or itself. */
static int32_t
loop_of(const Planner *pl, int32_t block)
{
    while (block != SYNC_NONE && pl->k->descs[block]->kind != DESC_LOOP) {
        block = pl->parent[block];
    }
    return block;
}

static void
find_copies(Planner *pl)
{
    const SyncTape *t = &pl->t;
    uint8_t now[TIKBLOB_MAX_LOOPS + 1] = {0};
    for (uint32_t i = 0; i < t->nevents; i++) {
        const SyncEvent *e = &t->events[i];
        if (e->kind == SYNC_LOOP) {
            const SyncLoop *l = &t->loops[e->index];
            now[l->level] = 0;
            pl->turns[l->desc] = MAX(pl->turns[l->desc], (uint8_t)l->copies);
        } else if (e->kind == SYNC_COPY) {
            now[t->loops[e->index].level]++;
        } else if (e->kind == SYNC_STMT) {
            memcpy(pl->copy[e->index], now, sizeof now);
        }
    }
}

/* ---- hazards ------------------------------------------------------------- */

static PlanSync *
add_sync(Planner *pl, const PlanSync *s)
{
    VEC_PUSH(pl->arena, &pl->p->syncs, *s);
    return &pl->p->syncs.p[pl->p->syncs.n - 1];
}

/* An order that is needed, of statements of one block. */
typedef struct Need {
    PlanKind kind;
    int32_t block;
    uint32_t a, b; /* first descriptors of the statements */
    int turns;
} Need;

static void
note(Planner *pl, const SyncStmt *a, const SyncStmt *b, const Need *n,
     const PlanHazard *why)
{
    bool same = a->pipe == b->pipe;
    const Soc *soc = pl->k->soc;
    bool none = !flag_has_pipe(soc, a->pipe) || !flag_has_pipe(soc, b->pipe);
    bool barrier = same || none;
    PlanSync s = {.kind = barrier ? PLAN_BARRIER : n->kind,
                  .fallback = none,
                  .from = a->pipe,
                  .to = b->pipe,
                  .block = n->block,
                  .set_at = pl->end[n->a] + 1,
                  .wait_at = n->b,
                  .set_phase = PHASE_SET,
                  .wait_phase = barrier ? PHASE_BARRIER : PHASE_WAIT,
                  .turns = n->turns,
                  .loop = loop_of(pl, n->block),
                  .covered = SYNC_NONE,
                  .why = *why};
    for (uint32_t i = 0; i < pl->p->syncs.n; i++) {
        PlanSync *o = &pl->p->syncs.p[i];
        if (o->kind == s.kind && o->from == s.from && o->to == s.to &&
            o->block == s.block && o->set_at == s.set_at && o->wait_at == s.wait_at) {
            o->turns = MIN(o->turns, s.turns);
            return;
        }
    }
    (void)add_sync(pl, &s);
}

/* A hazard within an iteration of all loops that both are in. */
static void
note_within(Planner *pl, const SyncStmt *a, const SyncStmt *b, PlanHazard *why)
{
    int32_t block = common_block(pl, a->desc, b->desc);
    uint32_t sa = statement_of(pl, block, a->desc);
    uint32_t sb = statement_of(pl, block, b->desc);
    why->loop = loop_of(pl, block);
    why->iterations = 0;
    if (sa != sb) { /* else they are in two branches of one statement */
        note(pl, a, b, &(Need){PLAN_FLAG, block, sa, sb, 1}, why);
    }
}

/* A hazard between iterations of a loop that are this far apart. */
static void
note_between(Planner *pl, const SyncStmt *a, const SyncStmt *b, PlanHazard *why)
{
    int32_t loop = why->loop;
    int turns = pl->turns[loop];
    uint32_t sa = statement_of(pl, loop, a->desc);
    uint32_t sb = statement_of(pl, loop, b->desc);
    bool far = why->iterations >= turns;
    note(pl, a, b, &(Need){PLAN_LOOP, loop, sa, sb, far ? turns : 1}, why);
}

static int64_t
copies_apart(const Planner *pl, const SyncStmt *a, const SyncStmt *b, int level)
{
    return (int64_t)pl->copy[b - pl->t.stmts][level] -
           (int64_t)pl->copy[a - pl->t.stmts][level];
}

static void
set_why(const Planner *pl, const SyncStmt *a, const SyncStmt *b, const SyncMeet *meet,
        PlanHazard *why)
{
    *why = (PlanHazard){.first = a->desc,
                        .later = b->desc,
                        .a = pl->t.accesses[meet->a],
                        .b = pl->t.accesses[meet->b],
                        .loop = SYNC_NONE};
}

/* The same round of all common loops: the same iteration, or another copy of a body. */
static void
same_round(Planner *pl, const SyncStmt *a, const SyncStmt *b, int common)
{
    SyncMeet meet;
    PlanHazard why;
    SyncApart apart = {.level = common, .same = true};
    if (a->at >= b->at || !sync_may_meet(&pl->t, a, b, &apart, &meet)) {
        return;
    }
    pl->p->hazards++;
    set_why(pl, a, b, &meet, &why);
    why.iterations = common > 0 ? copies_apart(pl, a, b, common) : 0;
    if (why.iterations == 0) {
        note_within(pl, a, b, &why);
        return;
    }
    int32_t l = a->loop;
    while (pl->t.loops[l].level > common) {
        l = pl->t.loops[l].outer;
    }
    why.loop = (int32_t)pl->t.loops[l].desc;
    note_between(pl, a, b, &why);
}

/* Rounds of a common loop that follow each other. */
static void
later_rounds(Planner *pl, const SyncStmt *a, const SyncStmt *b, int32_t loop)
{
    const SyncLoop *l = &pl->t.loops[loop];
    for (int d = 1; d <= ANY_ROUNDS && d < l->rounds; d++) {
        SyncMeet meet;
        PlanHazard why;
        SyncApart apart = {
            .level = l->level, .least = d, .most = d == ANY_ROUNDS ? INT64_MAX : d};
        if (sync_may_meet(&pl->t, a, b, &apart, &meet)) {
            pl->p->hazards++;
            set_why(pl, a, b, &meet, &why);
            why.loop = (int32_t)l->desc;
            why.iterations = (int64_t)d * l->copies + copies_apart(pl, a, b, l->level);
            note_between(pl, a, b, &why);
            return;
        }
    }
}

static bool
may_need_order(const SyncStmt *a, const SyncStmt *b)
{
    return a->pipe != PIPE_S && a->n > 0 && b->n > 0;
}

static void
find_hazards(Planner *pl)
{
    const SyncTape *t = &pl->t;
    for (uint32_t i = 0; i < t->nstmts; i++) {
        for (uint32_t j = 0; j < t->nstmts; j++) {
            const SyncStmt *a = &t->stmts[i], *b = &t->stmts[j];
            if (!may_need_order(a, b)) {
                continue;
            }
            int common = sync_common(t, a, b);
            same_round(pl, a, b, common);
            for (int32_t l = a->loop; l != SYNC_NONE; l = t->loops[l].outer) {
                if (t->loops[l].level <= common) {
                    later_rounds(pl, a, b, l);
                }
            }
        }
    }
}

/* ---- what implies what --------------------------------------------------- */

static bool
is_all(const PlanSync *s)
{
    return s->kind == PLAN_BARRIER && s->from != s->to;
}

/* Returns whether x orders all that y does. */
static bool
covers(const PlanSync *x, const PlanSync *y)
{
    bool around = x->set_at >= y->set_at && x->wait_at <= y->wait_at;
    if (x->block != y->block || x->covered != SYNC_NONE) {
        return false;
    }
    if (x->kind == PLAN_BARRIER || y->kind == PLAN_BARRIER) {
        return x->kind == y->kind && x->from == y->from && x->to == y->to &&
               x->wait_at == y->wait_at;
    }
    if (x->from != y->from || x->to != y->to) {
        return false;
    }
    return x->kind == PLAN_FLAG ? around
                                : y->kind == PLAN_LOOP && around && x->turns <= y->turns;
}

static void
leave_out_covered(Planner *pl)
{
    for (uint32_t i = 0; i < pl->p->syncs.n; i++) {
        for (uint32_t j = 0; j < pl->p->syncs.n; j++) {
            PlanSync *x = &pl->p->syncs.p[j], *y = &pl->p->syncs.p[i];
            if (i != j && covers(x, y)) {
                y->covered = (int32_t)j;
                break;
            }
        }
    }
}

static bool
is_used(const PlanSync *s)
{
    return s->covered == SYNC_NONE && !s->needless;
}

/* ---- ids ----------------------------------------------------------------- */

static void
make_barrier(Planner *pl, PlanSync *s)
{
    s->kind = PLAN_BARRIER;
    s->fallback = true;
    s->wait_phase = PHASE_BARRIER;
    for (uint32_t i = 0; i < pl->p->syncs.n; i++) {
        PlanSync *o = &pl->p->syncs.p[i];
        if (o != s && is_used(o) && is_all(o) && o->wait_at == s->wait_at) {
            s->covered = (int32_t)i;
            return;
        }
    }
}

/* Gives the flag of a loop, or a flag that takes turns, ids of its own. */
static void
keep_ids(Planner *pl, PlanSync *s, int most, int *kept)
{
    if (*kept + s->turns > most - 1) {
        s->turns = 1;
    }
    if (s->kind == PLAN_LOOP && *kept + 1 > most - 1) {
        make_barrier(pl, s);
    } else if (s->kind == PLAN_LOOP || s->turns > 1) {
        s->id = *kept;
        *kept += s->turns;
    }
}

/* Gives flags of two queues their ids: those of loops first, which keep theirs; the
 * others share what is left if there are not enough. */
static void
give_ids(Planner *pl, Pipe from, Pipe to)
{
    int most = flag_ids_usual(pl->k->soc), kept = 0, shared = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < pl->p->syncs.n; i++) {
            PlanSync *s = &pl->p->syncs.p[i];
            bool looped = s->kind == PLAN_LOOP || s->turns > 1;
            if (!is_used(s) || s->kind == PLAN_BARRIER || s->from != from ||
                s->to != to || looped != (pass == 0)) {
                continue;
            }
            if (pass == 0) {
                keep_ids(pl, s, most, &kept);
            } else {
                s->id = kept + shared++ % (most - kept);
            }
        }
    }
}

static void
give_all_ids(Planner *pl)
{
    for (int from = 0; from < PIPE_COUNT; from++) {
        for (int to = 0; to < PIPE_COUNT; to++) {
            if (from != to) {
                give_ids(pl, (Pipe)from, (Pipe)to);
            }
        }
    }
}

/* Flags within iterations of a loop whose buffers take turns take turns, too. */
static void
take_turns(Planner *pl)
{
    for (uint32_t i = 0; i < pl->p->syncs.n; i++) {
        PlanSync *s = &pl->p->syncs.p[i];
        if (s->loop == SYNC_NONE) {
            continue;
        }
        const TikDesc *l = pl->k->descs[s->loop];
        bool known = l->a.kind == NUM_IMM && l->a.imm >= 0;
        if (!known) {
            s->turns = 1;
        } else if (s->kind == PLAN_FLAG) {
            s->turns = pl->turns[s->loop];
        }
    }
}

/* ---- what is inserted ---------------------------------------------------- */

static void
add_item(Planner *pl, uint32_t sync, Op op, uint32_t at, int phase)
{
    const PlanSync *s = &pl->p->syncs.p[sync];
    PlanItem x = {.at = at,
                  .phase = phase,
                  .sync = sync,
                  .op = op,
                  .from = s->from,
                  .to = s->to,
                  .id = s->id,
                  .turns = s->turns};
    if (s->loop != SYNC_NONE) {
        x.slot = pl->k->descs[s->loop]->slot;
    }
    VEC_PUSH(pl->arena, &pl->p->items, x);
}

/* Raises the flags of a loop before it, or waits for them after it. */
static void
add_ends(Planner *pl, uint32_t sync, Op op, uint32_t at, int phase)
{
    int turns = pl->p->syncs.p[sync].turns;
    for (int i = 0; i < turns; i++) {
        add_item(pl, sync, op, at, phase);
        PlanItem *x = &pl->p->items.p[pl->p->items.n - 1];
        x->id += i;
        x->turns = 1;
    }
}

static void
add_items(Planner *pl, uint32_t sync)
{
    const PlanSync *s = &pl->p->syncs.p[sync];
    if (s->kind == PLAN_BARRIER) {
        add_item(pl, sync, OP_PIPE_BARRIER, s->wait_at, s->wait_phase);
        PlanItem *x = &pl->p->items.p[pl->p->items.n - 1];
        x->turns = 1;
        x->to = is_all(s) ? (Pipe)PIPE_COUNT : s->to;
        return;
    }
    bool looped = s->kind == PLAN_LOOP;
    bool after = looped && s->wait_at >= s->set_at;
    if (looped) {
        add_ends(pl, sync, OP_SET_FLAG, (uint32_t)s->block, PHASE_PRIME);
        add_ends(pl, sync, OP_WAIT_FLAG, pl->end[s->block] + 1, PHASE_DRAIN);
    }
    /* the wait of a loop comes before its set */
    add_item(pl, sync, OP_SET_FLAG, after ? s->wait_at : s->set_at,
             after ? PHASE_GUARD_SET : s->set_phase);
    add_item(pl, sync, OP_WAIT_FLAG, s->wait_at, s->wait_phase);
}

static int
compare_items(const void *a, const void *b)
{
    const PlanItem *x = a, *y = b;
    return x->at != y->at         ? (x->at > y->at) - (x->at < y->at)
           : x->phase != y->phase ? x->phase - y->phase
           : x->sync != y->sync   ? (x->sync > y->sync) - (x->sync < y->sync)
                                  : x->id - y->id;
}

static void
make_items(Planner *pl)
{
    pl->p->items.n = 0;
    for (uint32_t i = 0; i < pl->p->syncs.n; i++) {
        if (is_used(&pl->p->syncs.p[i])) {
            add_items(pl, i);
        }
    }
    if (pl->p->items.n > 0) {
        qsort(pl->p->items.p, pl->p->items.n, sizeof *pl->p->items.p, compare_items);
    }
}

/* ---- the proof of what would be written ---------------------------------- */

enum {
    ITEM_DESCS = 3 /* most descriptors of an item: remainder, sum, flag */
};

/* The kernel with what is inserted. */
typedef struct Trial {
    SyncKernel k;
    TikDesc **descs;
    int32_t *owner;   /* by descriptor: its sync, or SYNC_NONE */
    uint32_t *origin; /* by descriptor: where it is, or was inserted, in the kernel */
} Trial;

static TikDesc *
new_desc(Planner *pl, Trial *x, TikDescKind kind, int args)
{
    size_t size =
        offsetof(TikDesc, args) + (size_t)args * sizeof(((TikDesc *)NULL)->args[0]);
    TikDesc *d = arena_alloc(pl->arena, size);
    memset(d, 0, size);
    d->kind = kind;
    x->descs[x->k.ndescs++] = d;
    return d;
}

static void
try_item(Planner *pl, Trial *x, const PlanItem *item)
{
    TikNum id = {.imm = item->id};
    if (item->turns > 1) {
        TikDesc *rem = new_desc(pl, x, DESC_ALU, 0);
        rem->alu_op = SOP_REM;
        rem->dtype = rem->from = DT_S64;
        rem->reg = pl->k->nregs;
        rem->a = (TikNum){.kind = NUM_LOOP, .index = item->slot};
        rem->b.imm = item->turns;
        id = (TikNum){.kind = NUM_REG, .index = rem->reg};
        if (item->id > 0) {
            TikDesc *sum = new_desc(pl, x, DESC_ALU, 0);
            memcpy(sum, rem, offsetof(TikDesc, args));
            sum->alu_op = SOP_ADD;
            sum->a = id;
            sum->b.imm = item->id;
        }
    }
    int n;
    form_params(op_table[item->op].form, &n);
    TikDesc *d = new_desc(pl, x, DESC_INSTR, n);
    d->op = item->op;
    if (item->op == OP_PIPE_BARRIER) {
        d->args[0].v.imm = item->to;
        return;
    }
    d->args[FLAG_pipe].v.imm = item->from;
    d->args[FLAG_trigger_pipe].v.imm = item->to;
    d->args[FLAG_event_id].v = id;
}

static void
build_trial(Planner *pl, Trial *x)
{
    const Plan *p = pl->p;
    uint32_t room = pl->k->ndescs + p->items.n * ITEM_DESCS + 1, next = 0;
    x->k = *pl->k;
    x->k.nregs = pl->k->nregs + 1;
    x->k.ndescs = 0;
    x->descs = x->k.descs = ARENA_ARRAY(pl->arena, TikDesc *, room);
    x->owner = ARENA_ARRAY(pl->arena, int32_t, room);
    x->origin = ARENA_ARRAY(pl->arena, uint32_t, room);
    for (uint32_t i = 0; i <= pl->k->ndescs; i++) {
        while (next < p->items.n && p->items.p[next].at == i) {
            uint32_t from = x->k.ndescs;
            try_item(pl, x, &p->items.p[next]);
            for (; from < x->k.ndescs; from++) {
                x->owner[from] = (int32_t)p->items.p[next].sync;
                x->origin[from] = i;
            }
            next++;
        }
        if (i < pl->k->ndescs) {
            x->owner[x->k.ndescs] = SYNC_NONE;
            x->origin[x->k.ndescs] = i;
            x->descs[x->k.ndescs++] = pl->k->descs[i];
        }
    }
}

/* Proves the kernel with what is inserted; *later is the sync, or the descriptor, that
 * the verdict complains of. */
typedef struct Complaint {
    SyncVerdict v;
    int32_t sync;
    uint32_t first, later; /* descriptors of the kernel */
    SyncFlag flag;
} Complaint;

static bool
prove(Planner *pl, Complaint *c)
{
    Trial x;
    SyncTape t = {0};
    Arena scratch;
    Arena *arena = pl->arena;
    arena_init(&scratch);
    pl->arena = &scratch;
    build_trial(pl, &x);
    *c = (Complaint){.v = {.finding = SYNC_BUDGET}, .sync = SYNC_NONE};
    for (uint32_t i = 0; i < x.k.ndescs; i++) {
        x.descs[i]->index = i;
    }
    sync_match(x.descs, x.k.ndescs);
    bool ok = sync_tape_make(&t, &x.k) && sync_check(&t, &c->v);
    if (c->v.finding == SYNC_RACE) {
        c->first = x.origin[t.stmts[c->v.first].desc];
        c->later = x.origin[t.stmts[c->v.later].desc];
    } else if (!ok && c->v.finding != SYNC_BUDGET) {
        uint32_t at = t.events[c->v.later].desc;
        c->sync = c->v.finding == SYNC_LEFTOVER ? SYNC_NONE : x.owner[at];
        c->flag = t.flags == NULL ? (SyncFlag){0} : t.flags[c->v.flag];
    }
    sync_tape_free(&t);
    arena_free(&scratch);
    pl->arena = arena;
    for (uint32_t i = 0; i < pl->k->ndescs; i++) {
        pl->k->descs[i]->index = i;
    }
    sync_match(pl->k->descs, pl->k->ndescs);
    return ok;
}

/* ---- repairs ------------------------------------------------------------- */

static int32_t
sync_of_flag(const Planner *pl, const SyncFlag *f)
{
    for (uint32_t i = 0; i < pl->p->syncs.n; i++) {
        const PlanSync *s = &pl->p->syncs.p[i];
        if (is_used(s) && s->kind != PLAN_BARRIER && s->from == f->from &&
            s->to == f->to && f->id >= s->id && f->id < s->id + s->turns) {
            return (int32_t)i;
        }
    }
    return SYNC_NONE;
}

/* Lets the queue that sets a flag wait until the other one has waited for it before. */
static bool
add_guard(Planner *pl, const PlanSync *s)
{
    int32_t loop = s->loop;
    if (loop == SYNC_NONE || s->kind == PLAN_BARRIER || s->to == PIPE_S ||
        (s->kind == PLAN_LOOP && s->wait_at >= s->set_at)) {
        return false;
    }
    bool inner = s->block != loop;
    uint32_t wait = s->wait_at, set = s->set_at;
    if (inner) { /* in a branch: around the statement of the loop that it is in */
        set = statement_of(pl, loop, (uint32_t)s->block);
        wait = pl->end[set] + 1;
    }
    PlanSync g = {.kind = s->kind == PLAN_FLAG ? PLAN_LOOP : PLAN_FLAG,
                  .from = s->to,
                  .to = s->from,
                  .block = loop,
                  .set_at = wait,
                  .wait_at = set,
                  .set_phase = inner ? PHASE_SET : PHASE_GUARD_SET,
                  .wait_phase = inner ? PHASE_WAIT : PHASE_GUARD_WAIT,
                  .turns = s->turns,
                  .loop = loop,
                  .guard = true,
                  .covered = SYNC_NONE,
                  .why = s->why};
    (void)add_sync(pl, &g);
    return true;
}

/* A barrier before the later of two accesses that nothing orders. */
static void
add_barrier(Planner *pl, const Complaint *c)
{
    const SyncTape *t = &pl->t;
    PlanSync s = {.kind = PLAN_BARRIER,
                  .from = PIPE_S,
                  .to = PIPE_COUNT,
                  .block = pl->parent[c->later],
                  .set_at = c->later,
                  .wait_at = c->later,
                  .wait_phase = PHASE_BARRIER,
                  .turns = 1,
                  .loop = SYNC_NONE,
                  .fallback = true,
                  .covered = SYNC_NONE,
                  .why = {.first = c->first, .later = c->later, .loop = SYNC_NONE}};
    for (uint32_t i = 0; i < t->nstmts; i++) { /* any accesses of theirs */
        s.why.a = t->stmts[i].desc == c->first ? t->accesses[t->stmts[i].first] : s.why.a;
        s.why.b = t->stmts[i].desc == c->later ? t->accesses[t->stmts[i].first] : s.why.b;
    }
    (void)add_sync(pl, &s);
}

/* Returns false if nothing is left to be tried. */
static bool
repair(Planner *pl, const Complaint *c)
{
    if (c->v.finding == SYNC_RACE) {
        add_barrier(pl, c);
        return true;
    }
    int32_t i = c->sync != SYNC_NONE ? c->sync : sync_of_flag(pl, &c->flag);
    if (c->v.finding == SYNC_BUDGET || i == SYNC_NONE) {
        return false;
    }
    PlanSync *s = &pl->p->syncs.p[i];
    bool guarded = c->v.finding == SYNC_OVERRUN && !s->guard && s->failures == 0;
    s->failures++;
    PlanSync copy = *s;
    if (guarded && add_guard(pl, &copy)) {
        return true;
    }
    if (s->turns > 1 && s->kind == PLAN_FLAG && s->failures < 3) {
        s->turns = 1;
        return true;
    }
    if (s->kind == PLAN_BARRIER) {
        return false;
    }
    if (s->guard) {
        s->needless = true; /* what it guards gets a barrier when it fails again */
        return true;
    }
    make_barrier(pl, s);
    return true;
}

static bool
settle(Planner *pl)
{
    Complaint c;
    for (int i = 0; i < MOST_REPAIRS; i++) {
        give_all_ids(pl);
        make_items(pl);
        if (prove(pl, &c)) {
            return true;
        }
        pl->p->verdict = c.v;
        if (!repair(pl, &c)) {
            return false;
        }
    }
    return false;
}

/* Takes each of a rank out on trial: 0 barriers, 1 what orders what is far apart. Returns
 * whether one is needless. */
static bool
try_without(Planner *pl, int rank_of_trial)
{
    bool found = false;
    for (uint32_t i = 0; i < pl->p->syncs.n; i++) {
        PlanSync *s = &pl->p->syncs.p[i];
        int rank = is_all(s) ? 0 : s->guard || s->kind == PLAN_LOOP ? 1 : 2;
        Complaint c;
        if (!is_used(s) || rank != rank_of_trial) {
            continue;
        }
        s->needless = true;
        make_items(pl);
        s->needless = prove(pl, &c);
        found = found || s->needless;
    }
    return found;
}

/* Leaves out what the others imply, until nothing more can be: what orders flags that are
 * left out later is needless only then. */
static void
leave_out_needless(Planner *pl)
{
    int64_t used = 0;
    for (uint32_t i = 0; i < pl->p->syncs.n; i++) {
        used += is_used(&pl->p->syncs.p[i]);
    }
    int64_t work = (int64_t)pl->t.nstmts * pl->t.nstmts * used;
    bool found = used <= MOST_TRIALS && work < TRIAL_WORK;
    for (int i = 0; found && i < MOST_ROUNDS; i++) {
        found = false;
        for (int rank = 0; rank < 3; rank++) {
            found = try_without(pl, rank) || found;
        }
    }
    make_items(pl);
}

/* ---- the plan ------------------------------------------------------------ */

static bool
has_flags(const SyncKernel *k)
{
    for (uint32_t i = 0; i < k->ndescs; i++) {
        const TikDesc *d = k->descs[i];
        if (d->kind == DESC_INSTR && op_table[d->op].form == FORM_FLAG) {
            return true;
        }
    }
    return false;
}

static void
plan(Planner *pl)
{
    Complaint c;
    uint32_t n = pl->k->ndescs + 1;
    pl->p->own = has_flags(pl->k);
    if (pl->p->own) {
        pl->p->ordered = prove(pl, &c);
        pl->p->verdict = c.v;
        return;
    }
    pl->parent = ARENA_ARRAY(pl->arena, int32_t, n);
    pl->begin = ARENA_ARRAY(pl->arena, uint32_t, n);
    pl->end = ARENA_ARRAY(pl->arena, uint32_t, n);
    pl->turns = ARENA_ARRAY(pl->arena, uint8_t, n);
    pl->copy = arena_alloc(pl->arena, ((size_t)pl->t.nstmts + 1) * sizeof *pl->copy);
    find_blocks(pl);
    find_copies(pl);
    find_hazards(pl);
    take_turns(pl);
    leave_out_covered(pl);
    pl->p->ordered = settle(pl);
    if (pl->p->ordered) {
        leave_out_needless(pl);
    } else {
        pl->p->items.n = 0;
    }
}

void
plan_make(Plan *p, Arena *arena, const TikBlob *b, int kernel)
{
    Planner pl = {.p = p, .arena = arena};
    SyncKernel *k = sync_kernel_new(b, kernel);
    *p = (Plan){.verdict = {.finding = SYNC_BUDGET}};
    pl.k = k;
    if (k != NULL && sync_tape_make(&pl.t, k)) {
        plan(&pl);
    }
    sync_tape_free(&pl.t);
    sync_kernel_free(k);
}
