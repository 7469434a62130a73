/* clock.c: puts the instructions of a run on queues (see clock.h). What an instruction
 * costs and how far its operands reach follows from its numbers, and is computed again
 * only when one of them is another than the last time. */
#include "emu/clock.h"
#include "isa/operand.h"

#include <stdlib.h>
#include <string.h>

typedef struct Rate {
    const char *soc;
    int64_t mhz, ddr_in, ddr_out, l2_in, l2_out, l1_l0a, l1_l0b, l1_ub, ub_l1, l0c_ub;
    int64_t lanes, m, n, k8;
} Rate;

static const Rate rates[] = {
#define RATE(soc, ...) {soc, __VA_ARGS__},
#include "isa/rate.def"
};

/* What counts with a processor whose rates are not known: the clocks mean nothing, and
 * TikProfile.mhz stays 0. */
static const Rate unknown = {.lanes = 128, .m = 16, .n = 16, .k8 = 32};

/* Clocks that do not depend on sizes (docs/emulator.md). */
enum {
    GLOBAL_LATENCY = 200, /* of a move from or to global memory */
    LOCAL_LATENCY = 24,
    VECTOR_LATENCY = 12,
    CUBE_LATENCY = 24,
    BURST = 1,   /* of each burst of a move, at least */
    ELEMENT = 4, /* of a scalar access to memory of a core */
    GLOBAL_ELEMENT = 100,
    SLOW =
        4, /* times the clocks of a repeat: divisions, roots, exponentials, logarithms */
    DEFAULT_MHZ = 1000,
    DEFAULT_BYTES = 32 /* bytes a clock where nothing is known */
};

enum {
    RECENT = 12, /* accesses of a region that are remembered */
    KNOWN = 512, /* instructions of which something is known */
    REACHES = 6, /* operands of an instruction that are followed */
    NO_QUEUE = TIK_WAIT_DISPATCHER
};

/* An operand of an instruction: bytes from its place on. */
typedef struct Reach {
    uint32_t ref;
    bool write, atomic;
    int64_t lo, hi;
} Reach;

/* What is known of an instruction from the last time. */
typedef struct Known {
    const EmuOp *op;
    uint8_t pipe, nreach, nkey;
    uint64_t cost;
    int64_t bytes;
    uint8_t from, to; /* memories of a move; equal: it is none */
    int64_t key[EMU_KEY];
    Reach reach[REACHES];
} Known;

typedef struct Recent {
    int64_t lo, hi;
    uint64_t begin, end;
    bool write;
    uint8_t pipe;
} Recent;

typedef struct RegionClock {
    Recent at[RECENT];
    uint32_t next;
} RegionClock;

/* When something may begin, which queue it waits for, and when the instruction there
 * began. */
typedef struct Start {
    uint64_t at;
    int by; /* a queue, or a TIK_WAIT_ */
    uint64_t since;
} Start;

/* A flag that is up: since when, and what its queue executed last before. */
typedef struct FlagClock {
    uint64_t at, since;
    uint32_t descriptor;
} FlagClock;

typedef struct CoreClock {
    uint64_t now; /* of the dispatcher */
    uint64_t free[PIPE_COUNT];
    uint64_t began[PIPE_COUNT]; /* the last instruction */
    Start held[PIPE_COUNT];     /* by a wait_flag, until what is free does not say */
    FlagClock flag[PIPE_COUNT][PIPE_COUNT][FLAG_IDS];
    uint64_t end; /* of everything so far */
    int last;     /* the queue that ends then */
    bool meets;   /* it has come to a barrier of all cores, the descriptor barrier */
    uint32_t barrier;
    RegionClock *regions;
} CoreClock;

struct EmuClock {
    Rate rate;
    bool in_l2;                       /* all arguments fit into L2 */
    int64_t path[SC_COUNT][SC_COUNT]; /* bytes a clock of a move, by its memories */
    bool flags;                       /* the kernel orders its queues itself */
    /* for each region: the first region with which it shares bytes, also by others in
     * between, and where it begins in their memory */
    uint32_t *group;
    int64_t *at;
    Known *known;
    CoreClock *cores;
    uint32_t ncores;
    bool failed; /* memory is exhausted: some core is missing */
};

/* ---- making it ----------------------------------------------------------- */

static const Rate *
rate_of(const Soc *soc)
{
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        if (strcmp(rates[i].soc, soc->name) == 0) {
            return &rates[i];
        }
    }
    return NULL;
}

static bool
fits_l2(const EmuKernel *k)
{
    int64_t bytes = 0;
    for (uint32_t i = 0; i < k->nargs; i++) {
        bytes += k->args[i] != NULL && k->args[i]->data != NULL ? k->args[i]->bytes : 0;
    }
    return bytes <= k->soc->l2;
}

static bool
same_bytes(const TikBlobRegion *a, const TikBlobRegion *b)
{
    if (a->scope != b->scope || a->kind != b->kind) {
        return false;
    }
    bool argument = a->scope == SC_GM;
    bool open = a->open || b->open;
    return argument
               ? a->base == b->base
               : open || (a->base < b->base + b->bytes && b->base < a->base + a->bytes);
}

/* Finds out which regions share bytes: accesses of one wait for those of the others. */
static void
make_groups(const EmuKernel *k, EmuClock *c)
{
    for (uint32_t i = 0; i < k->nregions; i++) {
        c->group[i] = i;
        c->at[i] = k->regions[i].scope == SC_GM ? 0 : k->regions[i].base;
    }
    for (uint32_t i = 0; i < k->nregions; i++) {
        for (uint32_t j = 0; j < i; j++) {
            uint32_t from = c->group[i], to = c->group[j];
            for (uint32_t m = 0; same_bytes(&k->regions[i], &k->regions[j]) && m <= i;
                 m++) {
                c->group[m] = c->group[m] == from ? to : c->group[m];
            }
        }
    }
}

/* The bytes a clock of a move between two memories. */
static int64_t
path_rate(const EmuClock *c, Scope from, Scope to)
{
    const Rate *t = &c->rate;
    int64_t v = 0;
    if (from == SC_GM) {
        v = c->in_l2 ? t->l2_in : t->ddr_in;
    } else if (to == SC_GM) {
        v = c->in_l2 ? t->l2_out : t->ddr_out;
    } else if (from == SC_L1) {
        v = to == SC_L0A ? t->l1_l0a : to == SC_L0B ? t->l1_l0b : t->l1_ub;
    } else if (from == SC_L0C || to == SC_L0C) {
        v = t->l0c_ub;
    } else {
        v = t->ub_l1;
    }
    return v == 0 ? DEFAULT_BYTES : v;
}

/* Fills in the rates of all paths, for the moves and for the watch. */
static void
fill_paths(EmuClock *c, TikProfile *p)
{
    for (int from = 0; from < SC_COUNT; from++) {
        for (int to = 0; to < SC_COUNT; to++) {
            c->path[from][to] = path_rate(c, (Scope)from, (Scope)to);
            p->rate[from][to] = c->path[from][to];
        }
    }
}

bool
clock_begin(EmuRun *r)
{
    const EmuKernel *k = &r->p->kernel;
    r->clock = NULL;
    if (k->watch == NULL || k->watch->profile == NULL) {
        return true;
    }
    EmuClock *c = calloc(1, sizeof *c);
    r->clock = c;
    if (c == NULL) {
        return false;
    }
    const Rate *known = rate_of(k->soc);
    c->rate = known == NULL ? unknown : *known;
    k->watch->profile->mhz = known == NULL      ? 0
                             : c->rate.mhz == 0 ? DEFAULT_MHZ
                                                : c->rate.mhz;
    c->in_l2 = k->watch->profile->in_l2 = fits_l2(k);
    fill_paths(c, k->watch->profile);
    c->flags = (k->flags & TIKBLOB_QUEUES) != 0;
    c->known = calloc(KNOWN, sizeof *c->known);
    c->group = calloc((size_t)k->nregions + 1, sizeof *c->group);
    c->at = calloc((size_t)k->nregions + 1, sizeof *c->at);
    if (c->known == NULL || c->group == NULL || c->at == NULL) {
        return false;
    }
    make_groups(k, c);
    return true;
}

static void
free_cores(EmuClock *c)
{
    for (uint32_t i = 0; i < c->ncores; i++) {
        free(c->cores[i].regions);
    }
    free(c->cores);
}

bool
clock_end(EmuRun *r)
{
    EmuClock *c = r->clock;
    if (c == NULL) {
        return true;
    }
    bool whole = !c->failed;
    TikProfile *p = r->p->kernel.watch->profile;
    p->cores = c->ncores;
    for (uint32_t i = 0; i < c->ncores; i++) {
        const CoreClock *core = &c->cores[i];
        uint64_t end = core->end > core->now ? core->end : core->now;
        p->clocks = end > p->clocks ? end : p->clocks;
        p->core_clocks += end;
    }
    free_cores(c);
    free(c->known);
    free(c->group);
    free(c->at);
    free(c);
    r->clock = NULL;
    return whole;
}

void
clock_core(EmuRun *r)
{
    EmuClock *c = r->clock;
    if (c == NULL || r->core < c->ncores) {
        return;
    }
    uint32_t n = r->core + 1;
    CoreClock *cores = realloc(c->cores, n * sizeof *cores);
    if (cores != NULL) {
        c->cores = cores;
        memset(&cores[c->ncores], 0, (n - c->ncores) * sizeof *cores);
        c->ncores = n;
        cores[r->core].regions =
            calloc((size_t)r->p->kernel.nregions + 1, sizeof(RegionClock));
    }
    c->failed = c->failed || cores == NULL || cores[r->core].regions == NULL;
}

/* A core waits at a barrier for the others, unless it has ended. */
static void
meet_at(EmuRun *r, uint32_t index, uint64_t latest)
{
    CoreClock *core = &r->clock->cores[index];
    TikProfile *p = r->p->kernel.watch->profile;
    TikProfileEvent e = {.core = index,
                         .descriptor = core->barrier,
                         .queue = PIPE_S,
                         .begin = latest,
                         .end = latest,
                         .waited = latest - core->now,
                         .waited_for = TIK_WAIT_CORES};
    bool waits = core->meets && e.waited > 0;
    core->meets = false;
    core->now = latest;
    if (!waits) {
        return;
    }
    p->queue[PIPE_S].wait[TIK_WAIT_CORES] += e.waited;
    if (p->event != NULL) {
        p->event(p->ctx, &e);
    }
}

void
clock_meet(EmuRun *r)
{
    EmuClock *c = r->clock;
    uint64_t latest = 0;
    for (uint32_t i = 0; c != NULL && i < c->ncores; i++) {
        latest = c->cores[i].end > latest ? c->cores[i].end : latest;
        latest = c->cores[i].now > latest ? c->cores[i].now : latest;
    }
    for (uint32_t i = 0; c != NULL && i < c->ncores; i++) {
        meet_at(r, i, latest);
    }
}

/* ---- costs --------------------------------------------------------------- */

static int64_t
ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* The bytes of a footprint, and its runs. */
static int64_t
bytes_of(const Footprint *f)
{
    return f->count0 * f->count1 * f->len;
}

static uint64_t
move_cost(const EmuClock *c, Known *k, const Footprint *src, const Footprint *dst)
{
    int64_t bytes = bytes_of(src) > bytes_of(dst) ? bytes_of(src) : bytes_of(dst);
    int64_t runs = src->count0 * src->count1;
    runs = dst->count0 * dst->count1 > runs ? dst->count0 * dst->count1 : runs;
    int64_t clocks = ceil_div(bytes, c->path[k->from][k->to]);
    bool global = k->from == SC_GM || k->to == SC_GM;
    k->bytes = bytes;
    clocks = clocks > runs * BURST ? clocks : runs * BURST;
    return (uint64_t)(clocks + (global ? GLOBAL_LATENCY : LOCAL_LATENCY));
}

static int
weight_of(Op op)
{
    switch (op_table[op].sem) {
    case SEM_DIV:
    case SEM_EXP:
    case SEM_EXPM1:
    case SEM_LN:
    case SEM_SQRT:
    case SEM_REC:
    case SEM_RSQRT:
        return SLOW;
    default:
        return 1;
    }
}

/* Instructions on lanes take repeats; others of the vector unit the bytes that they
 * access. */
static uint64_t
vector_cost(const EmuClock *c, const CheckInstr *in, int64_t bytes)
{
    int64_t per_clock = c->rate.lanes * 2;
    Family f = form_family(op_table[in->op].form);
    int64_t clocks = ceil_div(bytes, per_clock);
    if (f == FAM_LANES || f == FAM_ARITH || f == FAM_CONVERT || f == FAM_COMPARE ||
        f == FAM_REDUCE) {
        int64_t repeat = ceil_div(REPEAT_BYTES, per_clock);
        clocks = check_repeats(in) * repeat * weight_of(in->op);
    }
    return (uint64_t)(clocks + VECTOR_LATENCY);
}

/* Finds matrix_m, matrix_k and matrix_n of a product; returns false for others. */
static bool
product_of(const CheckInstr *in, int64_t mkn[3])
{
    static const char *const names[] = {"matrix_m", "matrix_k", "matrix_n"};
    Form form = op_table[in->op].form;
    for (int i = 0; i < 3; i++) {
        int slot = form_slot(form, ROLE_INT, names[i]);
        if (slot < 0) {
            return false;
        }
        mkn[i] = in->args[slot].v;
    }
    return true;
}

static uint64_t
cube_cost(const EmuClock *c, const CheckInstr *in, int64_t bytes)
{
    int64_t mkn[3];
    int src = form_slot(op_table[in->op].form, ROLE_SRC, NULL);
    if (!product_of(in, mkn) || src < 0) {
        return (uint64_t)(ceil_div(bytes, c->rate.m * c->rate.k8) + CUBE_LATENCY);
    }
    int64_t k = c->rate.k8 / dtype_size(in->args[src].t.dtype);
    k = k < 1 ? 1 : k;
    return (uint64_t)(ceil_div(mkn[0], c->rate.m) * ceil_div(mkn[2], c->rate.n) *
                          ceil_div(mkn[1], k) +
                      CUBE_LATENCY);
}

/* Whether the instruction moves bytes between memories at the rate of their path. */
static bool
is_move(Op op)
{
    switch (form_family(op_table[op].form)) {
    case FAM_MOVE:
    case FAM_ACC:
    case FAM_TRANSFER:
    case FAM_FIXBLOCKS:
    case FAM_FIXCOLUMNS:
    case FAM_SEGMENT:
    case FAM_LOAD:
    case FAM_IMAGE:
    case FAM_LMEM: /* only moves have operands in different memories */
        return true;
    default:
        return false;
    }
}

static uint64_t
cost_of(const EmuClock *c, const CheckInstr *in, Known *k, const Footprint *src,
        const Footprint *dst)
{
    k->bytes = 0;
    if (is_move(in->op) && k->from != k->to) {
        return move_cost(c, k, src, dst);
    }
    int64_t bytes = bytes_of(src) > bytes_of(dst) ? bytes_of(src) : bytes_of(dst);
    if (k->pipe == PIPE_M) {
        return cube_cost(c, in, bytes);
    }
    return k->pipe == PIPE_S ? 1 : vector_cost(c, in, bytes);
}

/* ---- what an instruction is ---------------------------------------------- */

static void
add_reach(const EmuRun *r, const EmuOp *op, const CheckInstr *in, int slot, bool write,
          Known *k, Footprint *f)
{
    bool exact;
    *f = check_footprint(in, slot, &exact);
    if (k->nreach == sizeof k->reach / sizeof k->reach[0]) {
        return;
    }
    int64_t start = in->args[slot].t.offset;
    k->reach[k->nreach++] = (Reach){.ref = r->p->slots[op->first_slot + (uint32_t)slot],
                                    .write = write,
                                    .lo = f->offset - start,
                                    .hi = footprint_end(f) - start};
}

/* Computes what is known of an instruction. Its rules hold, or the run ends with it. */
static void
learn(EmuRun *r, const EmuOp *op, Known *k)
{
    CheckInstr in;
    Footprint src = {0}, dst = {0}, other;
    int n;
    Fault fault;
    const ParamInfo *p = form_params(op_table[op->op].form, &n);
    check_begin(&in, (Op)op->op, n);
    emu_instr(r, op, &in);
    k->pipe = (uint8_t)flag_pipe(&in);
    k->nreach = 0;
    k->from = k->to = SC_GM;
    k->cost = 1;
    if (form_is_control(op_table[op->op].form) || !check_values(&in, &fault)) {
        return;
    }
    for (int i = 0; i < n; i++) {
        if (p[i].role == ROLE_DST || p[i].role == ROLE_SRC) {
            bool write = p[i].role == ROLE_DST;
            Footprint *f = write ? &dst : &src;
            f = bytes_of(f) > 0 ? &other : f;
            add_reach(r, op, &in, i, write, k, f);
            k->to = write ? (uint8_t)in.args[i].t.scope : k->to;
            k->from = write ? k->from : (uint8_t)in.args[i].t.scope;
        }
    }
    k->cost = cost_of(r->clock, &in, k, &src, &dst);
}

/* What was computed stays for the next execution with the same numbers, unless another
 * instruction takes its room. */
static Known *
known_of(EmuRun *r, const EmuOp *op)
{
    Known *k = &r->clock->known[(size_t)(op - r->p->ops) % KNOWN];
    int64_t key[EMU_KEY];
    int n = emu_key(r, op, key);
    if (k->op != op || n != k->nkey ||
        memcmp(key, k->key, (size_t)n * sizeof *key) != 0) {
        memcpy(k->key, key, (size_t)n * sizeof *key);
        k->nkey = (uint8_t)n;
        k->op = op;
        learn(r, op, k);
    }
    return k;
}

/* ---- queues -------------------------------------------------------------- */

static void
wait_until(Start *s, Start other)
{
    if (other.at > s->at) {
        *s = other;
    }
}

/* Waits for what accessed the same bytes of the region, one of both to write. */
static void
wait_for_bytes(const RegionClock *g, int64_t lo, int64_t hi, bool write, Start *s)
{
    for (int i = 0; i < RECENT; i++) {
        const Recent *a = &g->at[i];
        if (a->end > s->at && a->lo < hi && lo < a->hi && (a->write || write)) {
            wait_until(s, (Start){a->end, a->pipe, a->begin});
        }
    }
}

static void
remember(RegionClock *g, const Recent *a)
{
    for (int i = 0; i < RECENT; i++) { /* the same bytes again */
        Recent *old = &g->at[i];
        if (old->lo == a->lo && old->hi == a->hi && old->write == a->write &&
            old->pipe == a->pipe) {
            old->begin = a->begin;
            old->end = a->end;
            return;
        }
    }
    g->at[g->next++ % RECENT] = *a;
}

/* Tells the watch of an instruction that begins at s->at. */
static void
tell(const EmuRun *r, const EmuOp *op, const Start *s, TikProfileEvent *e)
{
    TikProfile *p = r->p->kernel.watch->profile;
    e->core = r->core;
    e->descriptor = op->index;
    e->begin = s->at;
    e->waited_for = s->by;
    e->since = s->since;
    if (p->event != NULL) {
        p->event(p->ctx, e);
    }
}

/* Fills the bytes that an instruction accesses; returns how many ranges they are. */
static int
accesses_of(const EmuRun *r, const Known *k, TikProfileAccess *out)
{
    for (int i = 0; i < k->nreach; i++) {
        const EmuRef *ref = &r->p->refs[k->reach[i].ref];
        const TikBlobRegion *g = &r->p->kernel.regions[ref->region];
        int64_t at = emu_offset(r, ref) + (g->scope == SC_GM ? 0 : g->base);
        out[i] = (TikProfileAccess){.region = ref->region,
                                    .write = k->reach[i].write,
                                    .lo = at + k->reach[i].lo,
                                    .hi = at + k->reach[i].hi};
    }
    return k->nreach;
}

static void
record(EmuRun *r, const EmuOp *op, const Known *k, const Start *s, uint64_t idle)
{
    TikProfile *p = r->p->kernel.watch->profile;
    TikProfileAccess access[REACHES];
    p->queue[k->pipe].busy += k->cost;
    p->queue[k->pipe].instructions++;
    p->queue[k->pipe].wait[s->by] += idle;
    if (k->bytes > 0) {
        p->moved[k->from][k->to] += (uint64_t)k->bytes;
    }
    TikProfileEvent e = {.queue = k->pipe,
                         .end = s->at + k->cost,
                         .waited = idle,
                         .from = k->from,
                         .to = k->to,
                         .bytes = (uint64_t)k->bytes,
                         .access = access};
    e.naccess = p->event == NULL ? 0 : accesses_of(r, k, access);
    tell(r, op, s, &e);
}

/* The accesses of the region and of those with which it shares bytes, and in *at where it
 * begins among them. */
static RegionClock *
region_of(const EmuRun *r, CoreClock *core, uint32_t region, int64_t *at)
{
    *at = r->clock->at[region];
    return &core->regions[r->clock->group[region]];
}

/* Puts an instruction on its queue. */
static void
put(EmuRun *r, const EmuOp *op, CoreClock *core)
{
    const Known *k = known_of(r, op);
    bool ordered = r->clock->flags;
    Start s = {core->now, NO_QUEUE, 0};
    uint64_t free = core->free[k->pipe];
    wait_until(&s, core->held[k->pipe]);
    for (int i = 0; i < k->nreach && !ordered; i++) {
        const EmuRef *ref = &r->p->refs[k->reach[i].ref];
        int64_t at;
        const RegionClock *g = region_of(r, core, ref->region, &at);
        at += emu_offset(r, ref);
        wait_for_bytes(g, at + k->reach[i].lo, at + k->reach[i].hi, k->reach[i].write,
                       &s);
    }
    uint64_t idle = s.at > free ? s.at - free : 0;
    wait_until(&s, (Start){free, k->pipe, core->began[k->pipe]});
    uint64_t end = s.at + k->cost;
    core->free[k->pipe] = end;
    core->began[k->pipe] = s.at;
    core->last = end > core->end ? k->pipe : core->last;
    core->end = end > core->end ? end : core->end;
    for (int i = 0; i < k->nreach && !ordered; i++) {
        const EmuRef *ref = &r->p->refs[k->reach[i].ref];
        int64_t at;
        RegionClock *g = region_of(r, core, ref->region, &at);
        at += emu_offset(r, ref);
        Recent a = {at + k->reach[i].lo,
                    at + k->reach[i].hi,
                    s.at,
                    end,
                    k->reach[i].write,
                    k->pipe};
        remember(g, &a);
    }
    record(r, op, k, &s, idle);
}

/* ---- descriptors --------------------------------------------------------- */

/* The dispatcher waits until s->at, if that is later than now. */
static void
wait_dispatcher(EmuRun *r, const EmuOp *op, CoreClock *core, const Start *s)
{
    if (s->at > core->now) {
        TikProfileEvent e = {.queue = PIPE_S, .end = s->at, .waited = s->at - core->now};
        r->p->kernel.watch->profile->queue[PIPE_S].wait[s->by] += e.waited;
        tell(r, op, s, &e);
        core->now = s->at;
    }
}

/* The dispatcher waits until all queues are empty. */
static void
drain(EmuRun *r, const EmuOp *op, CoreClock *core)
{
    Start s = {core->end, core->last, core->began[core->last]};
    wait_dispatcher(r, op, core, &s);
}

/* When a queue comes to what follows the instructions that it was given. */
static uint64_t
ready_at(const CoreClock *core, int pipe)
{
    uint64_t at = core->now;
    if (pipe != PIPE_S) {
        at = core->free[pipe] > at ? core->free[pipe] : at;
        at = core->held[pipe].at > at ? core->held[pipe].at : at;
    }
    return at;
}

/* Tells the watch of a pair of set_flag and wait_flag. */
static void
tell_flag(const EmuRun *r, const EmuOp *op, const FlagClock *up, TikProfileFlag *f)
{
    TikProfile *p = r->p->kernel.watch->profile;
    f->core = r->core;
    f->set = up->descriptor;
    f->wait = op->index;
    f->set_at = up->at;
    f->since = up->since;
    if (p->flag != NULL) {
        p->flag(p->ctx, f);
    }
}

static void
flag(EmuRun *r, const EmuOp *op, CoreClock *core)
{
    int64_t from = emu_slot(r, op, FLAG_pipe);
    int64_t to = emu_slot(r, op, FLAG_trigger_pipe);
    int64_t id = emu_slot(r, op, FLAG_event_id);
    if (from < 0 || from >= PIPE_COUNT || to < 0 || to >= PIPE_COUNT || id < 0 ||
        id >= FLAG_IDS) {
        return; /* the emulator says what is wrong */
    }
    FlagClock *up = &core->flag[from][to][id];
    if (op->op == OP_SET_FLAG) {
        *up = (FlagClock){ready_at(core, (int)from),
                          from == PIPE_S ? core->now : core->began[from], op->index};
        return;
    }
    TikProfileFlag f = {.from = (int)from, .to = (int)to, .id = (uint32_t)id};
    f.wait_at = ready_at(core, (int)to);
    tell_flag(r, op, up, &f);
    Start s = {up->at, (int)from, up->since};
    if (to == PIPE_S) {
        wait_dispatcher(r, op, core, &s);
    } else {
        wait_until(&core->held[to], s);
    }
}

static void
barrier(EmuRun *r, const EmuOp *op, CoreClock *core)
{
    int64_t pipe = emu_slot(r, op, PIPE_pipe);
    if (pipe == PIPE_COUNT) {
        drain(r, op, core);
    }
}

static void
instruction(EmuRun *r, const EmuOp *op, CoreClock *core)
{
    switch (op_table[op->op].sem) {
    case SEM_SET_FLAG:
    case SEM_WAIT_FLAG:
        flag(r, op, core);
        break;
    case SEM_PIPE_BARRIER:
        barrier(r, op, core);
        break;
    case SEM_BLOCK_BARRIER:
        drain(r, op, core);
        core->meets = true;
        core->barrier = op->index;
        break;
    default:
        put(r, op, core);
    }
}

/* A scalar access waits for the queues that access the same bytes. */
static void
element(EmuRun *r, const EmuOp *op, CoreClock *core)
{
    const EmuRef *ref = &r->p->refs[op->ref];
    bool write = op->kind == DESC_STORE,
         global = r->p->kernel.regions[ref->region].scope == SC_GM;
    int64_t at;
    RegionClock *g = region_of(r, core, ref->region, &at);
    at += emu_offset(r, ref);
    int64_t end = at + dtype_size((Dtype)op->dtype);
    Start s = {core->now, PIPE_S, 0};
    wait_for_bytes(g, at, end, write, &s);
    TikProfile *p = r->p->kernel.watch->profile;
    TikProfileAccess access = {ref->region, write, at, end};
    TikProfileEvent e = {
        .queue = PIPE_S, .waited = s.at - core->now, .naccess = 1, .access = &access};
    p->queue[PIPE_S].wait[s.by] += e.waited;
    core->now = s.at + (global ? GLOBAL_ELEMENT : ELEMENT) - 1;
    p->queue[PIPE_S].busy += (uint64_t)(global ? GLOBAL_ELEMENT : ELEMENT) - 1;
    e.end = core->now;
    tell(r, op, &s, &e);
    Recent a = {at, end, s.at, core->now, write, PIPE_S};
    remember(g, &a);
}

void
clock_step(EmuRun *r, const EmuOp *op)
{
    EmuClock *c = r->clock;
    if (r->core >= c->ncores || c->cores[r->core].regions == NULL) {
        return; /* memory is exhausted: the core is not in the profile */
    }
    CoreClock *core = &c->cores[r->core];
    TikProfile *p = r->p->kernel.watch->profile;
    core->now++;
    p->queue[PIPE_S].busy++;
    p->descriptors++;
    if (op->kind == DESC_INSTR) {
        instruction(r, op, core);
    } else if (op->kind == DESC_LOAD || op->kind == DESC_STORE) {
        element(r, op, core);
    }
}
