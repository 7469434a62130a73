/* shadow.c: keeps the shadow of a run (see shadow.h). Its tables are words for blocks of
 * 32 bytes, a bit for each byte: it was written, or is a copy of what is after the data
 * of an array; of global memory also which core wrote and read the block, and which
 * bytes. Blocks that several cores share have tables of their own, byte by byte. */
#include "emu/race.h"
#include "emu/shadow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/internal.h"
#include "support/pages.h"

enum {
    BYTES = 32 /* of a block */
};

/* Cores that accessed something: 0 none, else index + 1, up to the most; or these. */
enum {
    SHARED = 0xfffd, /* the block has a table of its own, whose number is in `wrote` */
    SEVERAL = 0xfffe /* more than one core reads, or adds */
};

/* A block of global memory: one core has written the bytes `wrote`, one has read `read`.
 * adds: all writes were atomic. */
typedef struct Owner {
    uint32_t wrote, read;
    uint16_t writer, reader;
    bool adds;
} Owner;

typedef struct SharedBlock {
    uint16_t writer[BYTES], reader[BYTES];
    bool adds[BYTES];
} SharedBlock;

/* The shadow of the memories of a core, or of an argument. */
typedef struct Memory {
    const uint8_t *base;
    int64_t bytes; /* what may be accessed */
    int64_t data;  /* bytes that are no data follow; arguments only */
    uint32_t *written, *after;
    Owner *owner; /* null: no memory that cores share */
    SharedBlock *shared;
    uint32_t nshared, cap_shared;
    RaceBlock *races; /* made when queues are compared */
} Memory;

/* What an operand accesses, computed before an instruction: a footprint from its place
 * on. */
typedef struct Access {
    Footprint f;
    bool reads, writes, exact;
    bool forgets; /* what is there afterwards has no meaning */
    uint32_t region;
    Memory *memory; /* null: it has no shadow */
    int64_t origin; /* where its tensor begins there */
    int64_t start;  /* where the operand does */
} Access;

/* What is known of an instruction from the last time, but for places. */
typedef struct Known {
    const EmuOp *op;
    int nkey, n;
    int64_t key[EMU_KEY];
    bool exact; /* of all operands */
    Access access[MAX_PARAMS];
} Known;

enum {
    KNOWN = 64 /* instructions of which something is known */
};

struct EmuShadow {
    Memory core;
    Memory *globals;
    uint8_t *registers; /* for each number: it was set */
    uint8_t *holds; /* for each region of the core: its bytes are its own, see claim */
    CheckInstr in;  /* of the instruction that runs, if some operand is not exact */
    Known *known;
    Access *access; /* of the instruction that runs, n operands */
    int n;
    bool collisions; /* cores run side by side */
    bool failed;     /* memory is exhausted: collisions are no longer looked for */
};

/* ---- making it ----------------------------------------------------------- */

static int64_t
blocks_of(int64_t bytes)
{
    return (bytes + BYTES - 1) / BYTES + 1;
}

/* Marks n bytes in a table of bits. */
static void
fill(uint32_t *bits, int64_t from, int64_t n, bool on)
{
    while (n > 0) {
        int64_t at = from % BYTES, room = BYTES - at < n ? BYTES - at : n;
        if (room == BYTES) { /* whole words */
            room = n / BYTES * BYTES;
            memset(&bits[from / BYTES], on ? 0xff : 0, (size_t)room / 8);
            from += room;
            n -= room;
            continue;
        }
        uint32_t mask = (((uint32_t)1 << room) - 1) << at;
        uint32_t *word = &bits[from / BYTES];
        *word = on ? *word | mask : *word & ~mask;
        from += room;
        n -= room;
    }
}

static bool
memory_begin(Memory *m, const uint8_t *base, int64_t bytes, bool shared)
{
    size_t n = (size_t)blocks_of(bytes);
    m->base = base;
    m->bytes = bytes;
    m->written = calloc(n, sizeof *m->written);
    m->after = calloc(n, sizeof *m->after);
    m->owner = shared ? calloc(n, sizeof *m->owner) : NULL;
    return m->written != NULL && m->after != NULL && (!shared || m->owner != NULL);
}

static void
memory_end(Memory *m)
{
    free(m->written);
    free(m->after);
    free(m->owner);
    free(m->shared);
    free(m->races);
}

/* Makes the shadow of an argument. Address lists have none. */
static bool
global_begin(const EmuShadow *s, const EmuKernel *k, uint32_t arg, Memory *m)
{
    const TikArray *a = k->args[arg];
    if (a == NULL || a->items != NULL || a->data == NULL) {
        return true;
    }
    int64_t limit = scope_granule(SC_GM, false, a->bytes);
    if (!memory_begin(m, a->data, limit, s->collisions)) {
        return false;
    }
    m->data = a->bytes;
    fill(m->after, a->bytes, limit - a->bytes, true);
    if (k->watch->defined == NULL || k->watch->defined[arg]) {
        fill(m->written, 0, a->bytes, true);
    }
    return true;
}

bool
shadow_begin(EmuRun *r)
{
    const EmuKernel *k = &r->p->kernel;
    r->shadow = NULL;
    if (k->watch == NULL || !k->watch->shadow || k->watch->warn == NULL) {
        return true;
    }
    EmuShadow *s = calloc(1, sizeof *s);
    r->shadow = s;
    if (s == NULL) {
        return false;
    }
    s->collisions = k->cores > 1 && k->cores < SHARED;
    s->globals = calloc((size_t)k->nargs + 1, sizeof *s->globals);
    s->registers = calloc((size_t)r->p->first_const + 1, 1);
    s->holds = calloc((size_t)k->nregions + 1, 1);
    s->known = calloc(KNOWN, sizeof *s->known);
    bool ok = memory_begin(&s->core, r->p->scratch, r->p->scratch_bytes, false) &&
              s->globals != NULL && s->registers != NULL && s->holds != NULL &&
              s->known != NULL;
    for (uint32_t i = 0; ok && i < k->nargs; i++) {
        ok = global_begin(s, k, i, &s->globals[i]);
    }
    return ok;
}

bool
shadow_end(EmuRun *r)
{
    EmuShadow *s = r->shadow;
    if (s == NULL) {
        return true;
    }
    bool whole = !s->failed;
    for (uint32_t i = 0; s->globals != NULL && i < r->p->kernel.nargs; i++) {
        memory_end(&s->globals[i]);
    }
    memory_end(&s->core);
    free(s->globals);
    free(s->registers);
    free(s->holds);
    free(s->known);
    free(s);
    r->shadow = NULL;
    return whole;
}

/* Returns whether a region lies in the memories of a core, at a place that is known
 * before the run. */
static bool
has_place(const TikBlobRegion *g)
{
    return g->kind == TIKBLOB_TENSOR && g->scope != SC_GM && g->scope != SC_SREG &&
           g->scope != SC_LMEM && !g->open;
}

/* Marks what a region has as written by nothing. */
static void
forget(EmuRun *r, const TikBlobRegion *g)
{
    Memory *m = &r->shadow->core;
    int64_t at = r->p->scope_at[g->scope] + g->base;
    int64_t bytes = scope_granule(g->scope, false, g->bytes);
    fill(m->written, at, bytes, false);
    fill(m->after, at, bytes, false);
}

/* Regions that are not needed at the same time have the same bytes. The one that is
 * accessed holds them, and begins with none that was written, until another one is. */
static void
claim(EmuRun *r, uint32_t region)
{
    const TikBlobRegion *all = r->p->kernel.regions, *g = &all[region];
    uint8_t *holds = r->shadow->holds;
    if (holds[region] || !has_place(g)) {
        return;
    }
    for (uint32_t i = 0; i < r->p->kernel.nregions; i++) {
        const TikBlobRegion *o = &all[i];
        bool apart = o->base >= g->base + g->bytes || g->base >= o->base + o->bytes;
        holds[i] = holds[i] && (o->scope != g->scope || apart);
    }
    holds[region] = 1;
    forget(r, g);
}

void
shadow_core(EmuRun *r)
{
    const EmuProgram *p = r->p;
    EmuShadow *s = r->shadow;
    if (s == NULL) {
        return;
    }
    size_t n = (size_t)blocks_of(p->scratch_bytes) * sizeof *s->core.written;
    memset(s->core.written, 0xff, n);
    memset(s->core.after, 0, n);
    for (uint32_t i = 0; i < p->kernel.nregions; i++) {
        const TikBlobRegion *g = &p->kernel.regions[i];
        if (g->scope != SC_GM && g->scope != SC_SREG && g->scope != SC_LMEM) {
            forget(r, g);
        }
    }
    memset(s->holds, 0, p->kernel.nregions);
    memset(s->registers, 0, p->first_const);
    memset(s->registers, 1, 1 + p->kernel.nloops);
}

void
shadow_meet(EmuRun *r)
{
    for (uint32_t i = 0; r->shadow != NULL && i < r->p->kernel.nargs; i++) {
        Memory *m = &r->shadow->globals[i];
        m->nshared = 0;
        if (m->owner != NULL) {
            memset(m->owner, 0, (size_t)blocks_of(m->bytes) * sizeof *m->owner);
        }
    }
}

bool
shadow_swap(EmuRun *r, uint8_t **copy)
{
    EmuShadow *s = r->shadow;
    if (s == NULL) {
        return true;
    }
    size_t n = (size_t)blocks_of(s->core.bytes) * sizeof *s->core.written;
    size_t nregions = r->p->kernel.nregions;
    if (*copy != NULL) {
        memcpy(s->core.written, *copy, n);
        memcpy(s->core.after, *copy + n, n);
        memcpy(s->holds, *copy + 2 * n, nregions);
        free(*copy);
        *copy = NULL;
        return true;
    }
    *copy = malloc(2 * n + nregions);
    if (*copy != NULL) {
        memcpy(*copy, s->core.written, n);
        memcpy(*copy + n, s->core.after, n);
        memcpy(*copy + 2 * n, s->holds, nregions);
    }
    return *copy != NULL;
}

/* ---- warnings ------------------------------------------------------------ */

static void
warn(EmuRun *r, const EmuOp *op, Rule rule, const char *text)
{
    Fault f = {.rule = rule};
    EmuSite site = {r, op};
    snprintf(f.text, sizeof f.text, "%s", text);
    emu_warn(&site, &f);
}

static const char *
op_name(const EmuOp *op)
{
    return op->kind == DESC_INSTR ? op_table[op->op].name : "a scalar access";
}

/* What an access to a block is part of: an instruction, and a tensor that begins at byte
 * `origin` of the memory. */
typedef struct Site {
    EmuRun *r;
    const EmuOp *op;
    uint32_t region;
    int64_t origin;
} Site;

static bool
is_set(const uint32_t *bits, int64_t at)
{
    return (bits[at / BYTES] >> (at % BYTES) & 1) != 0;
}

/* Says that a byte of the memory is read without having been written. */
static void
tell(const Site *s, const Memory *m, int64_t at)
{
    char text[240];
    EmuRun *r = s->r;
    bool after = is_set(m->after, at);
    Rule rule = after ? RULE_PAD_READ : RULE_UNINIT;
    if (!emu_warns(r, s->op, rule)) {
        return;
    }
    snprintf(text, sizeof text, "%s reads byte %lld of '%.60s', %s (core %u)",
             op_name(s->op), (long long)(at - s->origin),
             r->p->kernel.regions[s->region].name,
             after ? "which is after the data of the array" : "which nothing has written",
             r->core);
    warn(r, s->op, rule, text);
}

/* ---- cores --------------------------------------------------------------- */

static void
collide(const Site *s, int64_t at, uint16_t other)
{
    char text[240], who[40];
    EmuRun *r = s->r;
    if (!emu_warns(r, s->op, RULE_CORE_COLLISION)) {
        return;
    }
    snprintf(who, sizeof who, "core %d", other - 1);
    snprintf(text, sizeof text,
             "core %u accesses byte %lld of '%.60s', which %s accesses too, and nothing "
             "orders them",
             r->core, (long long)(at - s->origin), r->p->kernel.regions[s->region].name,
             other == SEVERAL ? "more than one core" : who);
    warn(r, s->op, RULE_CORE_COLLISION, text);
}

/* Gives a block a table of its own, of what is known of it. Null when memory is
 * exhausted. */
static SharedBlock *
share(EmuShadow *s, Memory *m, Owner *o)
{
    if (m->nshared == m->cap_shared) {
        uint32_t cap = m->cap_shared == 0 ? 64 : m->cap_shared * 2;
        SharedBlock *p = realloc(m->shared, cap * sizeof *p);
        if (p == NULL) {
            s->failed = true;
            return NULL;
        }
        m->shared = p;
        m->cap_shared = cap;
    }
    SharedBlock *b = &m->shared[m->nshared];
    for (int i = 0; i < BYTES; i++) {
        b->writer[i] = o->wrote >> i & 1 ? o->writer : 0;
        b->reader[i] = o->read >> i & 1 ? o->reader : 0;
        b->adds[i] = o->adds;
    }
    *o = (Owner){.wrote = m->nshared++, .writer = SHARED};
    return b;
}

static bool
is_other(uint16_t who, uint16_t core)
{
    return who != 0 && who != core;
}

/* Notes that a core accesses a byte of a block with a table. Returns another one that
 * does, too, without an order; 0: there is none. Additions may come in any order. */
static uint16_t
access_byte(SharedBlock *b, int i, uint16_t core, bool write, bool adds)
{
    uint16_t writer = b->writer[i], reader = b->reader[i];
    bool together = adds && b->adds[i];
    if (!write) {
        b->reader[i] = is_other(reader, core) ? SEVERAL : core;
        return is_other(writer, core) ? writer : 0;
    }
    b->adds[i] = adds && (writer == 0 || b->adds[i]);
    b->writer[i] = together && is_other(writer, core) ? SEVERAL : core;
    return is_other(writer, core) && !together ? writer
           : is_other(reader, core)            ? reader
                                               : 0;
}

static void
access_shared(const Site *s, SharedBlock *b, int64_t first, uint32_t mask, bool write,
              bool adds)
{
    uint16_t core = (uint16_t)(s->r->core + 1);
    for (int i = 0; i < BYTES; i++) {
        uint16_t other = mask >> i & 1 ? access_byte(b, i, core, write, adds) : 0;
        if (other != 0) {
            collide(s, first + i, other);
        }
    }
}

/* Returns whether one core more does what others do, with the same bytes, so that the
 * words of a block can say so: it reads what nobody writes, or adds to what nobody
 * reads. */
static bool
joins(const Owner *o, uint32_t mask, bool write, bool adds)
{
    uint16_t who = write ? o->writer : o->reader;
    uint32_t bytes = write ? o->wrote : o->read;
    bool alone = write ? adds && o->adds && o->reader == 0 : o->writer == 0;
    return alone && (who == SEVERAL ? (mask & ~bytes) == 0 : mask == bytes);
}

/* Notes that this core accesses the bytes of the mask in a block, and looks for others.
 */
static void
access_cores(const Site *s, Memory *m, int64_t block, uint32_t mask, bool write)
{
    EmuShadow *shadow = s->r->shadow;
    Owner *o = &m->owner[block];
    uint16_t core = (uint16_t)(s->r->core + 1);
    bool adds = write && atomic_read(s->r->sreg) != 0;
    bool mine = !is_other(o->writer, core) && !is_other(o->reader, core);
    if (mine && write && (o->writer == 0 || o->adds == adds)) {
        o->writer = core;
        o->wrote |= mask;
        o->adds = adds;
    } else if (mine && !write) {
        o->reader = core;
        o->read |= mask;
    } else if (joins(o, mask, write, adds)) {
        *(write ? &o->writer : &o->reader) = SEVERAL;
    } else if (!shadow->failed) {
        SharedBlock *b = o->writer == SHARED ? &m->shared[o->wrote] : share(shadow, m, o);
        if (b != NULL) {
            access_shared(s, b, block * BYTES, mask, write, adds);
        }
    }
}

/* ---- queues -------------------------------------------------------------- */

static void
say_race(const Site *s, Rule rule, int64_t at, bool write, const RaceEntry *e)
{
    char text[240];
    EmuRun *r = s->r;
    if (!emu_warns(r, s->op, rule)) {
        return;
    }
    snprintf(
        text, sizeof text,
        "PIPE_%s %s byte %lld of '%.60s' while PIPE_%s may still %s it: descriptor %u "
        "(core %u)",
        pipe_name(race_queue(r)), write ? "writes" : "reads", (long long)(at - s->origin),
        r->p->kernel.regions[s->region].name, pipe_name((Pipe)e->queue),
        (e->kind & 1) != 0 ? "write" : "read", e->op, r->core);
    warn(r, s->op, rule, text);
}

/* Compares an access to a block with those of other queues. */
static void
access_queues(const Site *s, Memory *m, int64_t block, uint32_t mask, bool write)
{
    const RaceEntry *e = NULL;
    if (m->races == NULL && !s->r->shadow->failed) {
        m->races = calloc((size_t)blocks_of(m->bytes), sizeof *m->races);
        s->r->shadow->failed = m->races == NULL;
    }
    if (m->races == NULL) {
        return;
    }
    Rule rule = race_access(s->r, &m->races[block], mask, write, &e);
    if (rule != RULE_NONE) {
        say_race(s, rule, block * BYTES + __builtin_ctz(mask & e->mask), write, e);
    }
}

static void
note_access(const Site *s, Memory *m, int64_t block, uint32_t mask, bool write)
{
    if (m->owner != NULL) {
        access_cores(s, m, block, mask, write);
    }
    if (s->r->races != NULL) {
        access_queues(s, m, block, mask, write);
    }
}

/* ---- blocks -------------------------------------------------------------- */

typedef void BlockFn(const Site *s, Memory *m, int64_t block, uint32_t mask);

static void
read_block(const Site *s, Memory *m, int64_t block, uint32_t mask)
{
    uint32_t bad = mask & ~m->written[block];
    if (bad != 0) {
        tell(s, m, block * BYTES + __builtin_ctz(bad));
    }
    note_access(s, m, block, mask, false);
}

/* A source of a copy: only cores and queues matter, since the state of the bytes goes
 * with them. */
static void
copied_block(const Site *s, Memory *m, int64_t block, uint32_t mask)
{
    note_access(s, m, block, mask, false);
}

/* Returns the bytes of a block of an array that are data. Those after them stay what they
 * are; data may be copies of them until something else is written. */
static uint32_t
data_of(const Memory *m, int64_t block)
{
    int64_t n = m->data - block * BYTES;
    return n >= BYTES ? UINT32_MAX : n <= 0 ? 0 : ((uint32_t)1 << n) - 1;
}

/* Bytes of an array that an atomic write computes with. */
static void
added_block(const Site *s, Memory *m, int64_t block, uint32_t mask)
{
    uint32_t bad = mask & ~m->written[block] & data_of(m, block);
    if (bad != 0) {
        tell(s, m, block * BYTES + __builtin_ctz(bad));
    }
}

static void
write_block(const Site *s, Memory *m, int64_t block, uint32_t mask)
{
    note_access(s, m, block, mask, true);
    m->written[block] |= m->data > 0 ? mask & data_of(m, block) : mask;
}

/* Room for results on the way: whoever reads it afterwards reads nothing of meaning. */
static void
forgotten_block(const Site *s, Memory *m, int64_t block, uint32_t mask)
{
    note_access(s, m, block, mask, true);
    m->written[block] &= ~mask;
    m->after[block] &= ~mask;
}

/* A destination of a copy. */
static void
overwritten_block(const Site *s, Memory *m, int64_t block, uint32_t mask)
{
    note_access(s, m, block, mask, true);
}

/* Calls fn for the bytes of a mask from byte `at` on. */
static void
on_mask(const Site *s, Memory *m, int64_t at, uint32_t mask, BlockFn *fn)
{
    int shift = (int)(at % BYTES);
    if (at < 0 || at + BYTES > m->bytes + BYTES || mask == 0) {
        return;
    }
    uint32_t low = mask << shift, high = shift == 0 ? 0 : mask >> (BYTES - shift);
    if (low != 0) {
        fn(s, m, at / BYTES, low);
    }
    if (high != 0 && (at / BYTES + 1) * BYTES < m->bytes) {
        fn(s, m, at / BYTES + 1, high);
    }
}

static void
on_run(const Site *s, Memory *m, int64_t at, int64_t n, BlockFn *fn)
{
    if (at < 0 || n > m->bytes - at) {
        return; /* the emulator has refused it */
    }
    while (n > 0) {
        int64_t first = at % BYTES, room = BYTES - first < n ? BYTES - first : n;
        uint32_t mask = room == BYTES ? UINT32_MAX : ((uint32_t)1 << room) - 1;
        fn(s, m, at / BYTES, mask << first);
        at += room;
        n -= room;
    }
}

/* ---- footprints ---------------------------------------------------------- */

/* Returns the bytes of a block of lanes that are active, a bit each. */
static uint32_t
active_bytes(const CheckInstr *in, const LaneGeometry *g, int64_t repeat, int block)
{
    uint32_t mask = 0, element = (uint32_t)(((uint64_t)1 << g->size) - 1);
    int first = block * g->per_block;
    for (int i = 0; i < g->per_block && first + i < g->lanes; i++) {
        if (check_lane_active(in, repeat, first + i)) {
            mask |= element << (i / g->share * g->size);
        }
    }
    return mask;
}

/* Goes over the active lanes of an operand whose mask has holes, or whose last repeat is
 * not full. Masks of bits are those of each repeat. */
static void
on_lanes(const Site *s, int param, BlockFn *fn)
{
    const CheckInstr *in = &s->r->shadow->in;
    const Access *a = &s->r->shadow->access[param];
    LaneGeometry g = check_geometry(in, param);
    int blocks = (g.lanes + g.per_block - 1) / g.per_block;
    int64_t repeats = check_repeats(in);
    int64_t first = a->start + g.first;
    bool counter = s->op->mask_form == MASK_COUNTER;
    for (int b = 0; b < blocks; b++) {
        uint32_t mask = active_bytes(in, &g, 0, b);
        for (int64_t rep = 0; rep < repeats; rep++) {
            mask = counter ? active_bytes(in, &g, rep, b) : mask;
            on_mask(s, a->memory, first + rep * g.rep + b * g.blk, mask, fn);
        }
    }
}

/* Whether what the operand accesses is known lane by lane even if its footprint is only
 * an upper bound. */
static bool
has_lanes(const EmuOp *op)
{
    Family family = form_family(op_table[op->op].form);
    return family == FAM_LANES || family == FAM_CONVERT;
}

static void
on_footprint(EmuRun *r, const EmuOp *op, int param, BlockFn *fn)
{
    const Access *a = &r->shadow->access[param];
    Site s = {r, op, a->region, a->origin};
    if (!a->exact && has_lanes(op)) {
        on_lanes(&s, param, fn);
        return;
    }
    for (int64_t j = 0; j < a->f.count1; j++) {
        for (int64_t i = 0; i < a->f.count0; i++) {
            on_run(&s, a->memory,
                   a->start + a->f.offset + i * a->f.stride0 + j * a->f.stride1, a->f.len,
                   fn);
        }
    }
}

/* ---- moves --------------------------------------------------------------- */

/* Goes over the runs of a footprint. */
typedef struct Walk {
    const Footprint *f;
    int64_t i, j, done;
} Walk;

/* Gives the rest of the present run; false at the end. */
static bool
walk_at(const Walk *w, int64_t *offset, int64_t *left)
{
    *offset = w->f->offset + w->i * w->f->stride0 + w->j * w->f->stride1 + w->done;
    *left = w->f->len - w->done;
    return w->j < w->f->count1 && w->f->count0 > 0 && w->f->len > 0;
}

static void
walk_by(Walk *w, int64_t n)
{
    w->done += n;
    if (w->done == w->f->len) {
        w->done = 0;
        w->i++;
    }
    if (w->i == w->f->count0) {
        w->i = 0;
        w->j++;
    }
}

static int64_t
bytes_of(const Footprint *f)
{
    return f->count0 * f->count1 * f->len;
}

/* Returns whether the instruction copies the bytes of its source in their order. */
static bool
is_copy(const EmuOp *op, const Access *dst, const Access *src)
{
    return form_family(op_table[op->op].form) == FAM_MOVE && dst->exact && src->exact &&
           dst->memory != NULL && src->memory != NULL &&
           bytes_of(&dst->f) == bytes_of(&src->f);
}

/* Copies the state of n bytes, and says where an array gets bytes that nothing wrote. */
static void
copy_bytes(const Site *s, Memory *to, int64_t at, const Memory *from, int64_t source,
           int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        bool written = is_set(from->written, source + i);
        if (to->data > 0 && at + i >= to->data) {
            continue;
        }
        if (to->data > 0 && !written) {
            tell(s, from, source + i);
        }
        fill(to->written, at + i, 1, written);
        fill(to->after, at + i, 1, !written && is_set(from->after, source + i));
    }
}

/* Returns whether n bytes are written, and bytes of the destination are data. */
static bool
is_plain_copy(const Memory *to, int64_t at, const Memory *from, int64_t source, int64_t n)
{
    if (to->data > 0 && at + n > to->data) {
        return false;
    }
    for (int64_t b = source / BYTES; b * BYTES < source + n; b++) {
        int64_t lo = source - b * BYTES, hi = source + n - b * BYTES;
        uint32_t mask = lo > 0 ? UINT32_MAX << lo : UINT32_MAX;
        mask &= hi < BYTES ? ((uint32_t)1 << hi) - 1 : UINT32_MAX;
        if ((mask & ~from->written[b]) != 0) {
            return false;
        }
    }
    return true;
}

static void
copy_states(EmuRun *r, const EmuOp *op, int dst, int src)
{
    const EmuShadow *s = r->shadow;
    const Access *d = &s->access[dst], *a = &s->access[src];
    Site site = {r, op, a->region, a->origin};
    Walk to = {.f = &d->f}, from = {.f = &a->f};
    int64_t at, left, source, rest;
    while (walk_at(&to, &at, &left) && walk_at(&from, &source, &rest)) {
        int64_t n = left < rest ? left : rest;
        if (is_plain_copy(d->memory, d->start + at, a->memory, a->start + source, n)) {
            fill(d->memory->written, d->start + at, n, true);
        } else {
            copy_bytes(&site, d->memory, d->start + at, a->memory, a->start + source, n);
        }
        walk_by(&to, n);
        walk_by(&from, n);
    }
}

/* ---- instructions -------------------------------------------------------- */

/* Finds the memory of an operand, and where its tensor begins there. An operand of an
 * address list, and one outside of its memory, has none. */
static void
locate(EmuRun *r, const EmuOp *op, int slot, Access *a)
{
    const EmuRef *ref = emu_slot_ref(r->p, op, slot);
    const TikBlobRegion *g = &r->p->kernel.regions[ref->region];
    uint8_t *at = ref->items != NULL ? NULL : emu_operand(r, op, slot, 0);
    bool global = g->scope == SC_GM && g->kind == TIKBLOB_TENSOR;
    Memory *m = global ? &r->shadow->globals[g->base] : &r->shadow->core;
    if (at != NULL && m->written != NULL) {
        if (a->reads) {
            claim(r, ref->region);
        }
        a->memory = m;
        a->start = at - m->base;
        a->origin = a->start - emu_offset(r, ref);
    }
}

/* Computes what an operand accesses. */
static void
learn_access(const CheckInstr *in, int slot, Role role, bool adds, Access *a)
{
    const CheckTensor *t = &in->args[slot].t;
    *a = (Access){.exact = true};
    if ((role != ROLE_DST && role != ROLE_SRC) || t->scope == SC_LMEM) {
        return;
    }
    a->f = check_footprint(in, slot, &a->exact);
    a->f.offset -= t->offset;
    a->region = (uint32_t)t->buffer;
    a->writes = role == ROLE_DST;
    a->reads = role == ROLE_SRC || adds;
}

/* Returns whether destinations are sources too, all numbers being known now. */
static bool
reads_dst(CheckInstr *in, int n)
{
    for (int i = 0; i < n; i++) {
        in->args[i].literal = true;
    }
    return check_reads_dst(in);
}

static void
learn(EmuRun *r, const EmuOp *op, Known *k)
{
    CheckInstr *in = &r->shadow->in;
    Form form = op_table[op->op].form;
    Fault f;
    const ParamInfo *params = form_params(form, &k->n);
    check_begin(in, (Op)op->op, k->n);
    emu_instr(r, op, in);
    k->op = op;
    k->exact = true;
    if (form_is_control(form) || !check_values(in, &f)) {
        k->op = NULL; /* the emulator says what is wrong */
        k->n = 0;
    }
    bool adds = k->n > 0 && reads_dst(in, k->n);
    for (int i = 0; i < k->n; i++) {
        learn_access(in, i, params[i].role, adds, &k->access[i]);
        k->access[i].forgets = strcmp(params[i].name, "work_tensor") == 0;
        k->exact = k->exact && k->access[i].exact;
    }
}

/* Finds what is known of an instruction with its present numbers. */
static void
know(EmuRun *r, const EmuOp *op)
{
    EmuShadow *s = r->shadow;
    Known *k = &s->known[(size_t)(op - r->p->ops) % KNOWN];
    int64_t key[EMU_KEY];
    int n = emu_key(r, op, key);
    bool same =
        k->op == op && n == k->nkey && memcmp(key, k->key, (size_t)n * sizeof *key) == 0;
    if (!same) {
        memcpy(k->key, key, (size_t)n * sizeof *key);
        k->nkey = n;
        learn(r, op, k);
    } else if (!k->exact) {
        check_begin(&s->in, (Op)op->op, k->n);
        emu_instr(r, op, &s->in);
    }
    s->access = k->access;
    s->n = k->n;
}

static bool
number_is_set(const EmuRun *r, EmuNum n)
{
    return n >= r->p->first_const || r->shadow->registers[n];
}

static void
use_number(EmuRun *r, const EmuOp *op, EmuNum n)
{
    if (!number_is_set(r, n)) {
        char text[120];
        snprintf(text, sizeof text, "%s uses a Scalar that nothing has set (core %u)",
                 op->kind == DESC_INSTR ? op_table[op->op].name : "an expression",
                 r->core);
        warn(r, op, RULE_UNINIT, text);
        r->shadow->registers[n] = 1;
    }
}

static void
use_address(EmuRun *r, const EmuOp *op, uint32_t ref)
{
    const EmuRef *o = &r->p->refs[ref];
    for (uint32_t i = 0; i < o->nterms; i++) {
        use_number(r, op, r->p->terms[o->first_term + i].num);
    }
}

void
shadow_before(EmuRun *r, const EmuOp *op)
{
    EmuShadow *s = r->shadow;
    int n;
    const ParamInfo *params = form_params(op_table[op->op].form, &n);
    know(r, op);
    for (int i = 0; i < s->n; i++) {
        uint32_t slot = r->p->slots[op->first_slot + (uint32_t)i];
        Role role = params[i].role;
        s->access[i].memory = NULL;
        if (s->access[i].reads || s->access[i].writes) {
            locate(r, op, i, &s->access[i]);
        }
        if (role == ROLE_DST || role == ROLE_SRC || role == ROLE_ROOT) {
            use_address(r, op, slot);
        } else if (role != ROLE_MASK && role != ROLE_MASKMODE) {
            use_number(r, op, slot);
        }
    }
    for (int i = 0; s->n > 0 && i < mask_words((MaskForm)op->mask_form); i++) {
        use_number(r, op, op->mask[i]);
    }
}

static int
first_of(const EmuShadow *s, bool write)
{
    for (int i = 0; i < s->n; i++) {
        if (write ? s->access[i].writes : s->access[i].reads) {
            return i;
        }
    }
    return -1;
}

void
shadow_after(EmuRun *r, const EmuOp *op)
{
    EmuShadow *s = r->shadow;
    int dst = first_of(s, true), src = first_of(s, false);
    bool copy = dst >= 0 && src != dst && src >= 0 &&
                is_copy(op, &s->access[dst], &s->access[src]);
    for (int i = 0; i < s->n; i++) {
        const Access *a = &s->access[i];
        if (a->reads && a->memory != NULL && (a->exact || has_lanes(op))) {
            on_footprint(r, op, i, copy ? copied_block : read_block);
        }
    }
    for (int i = 0; i < s->n; i++) {
        const Access *a = &s->access[i];
        if (a->writes && a->memory != NULL) {
            claim(r, r->p->refs[r->p->slots[op->first_slot + (uint32_t)i]].region);
        }
        if (a->writes && a->memory != NULL && a->forgets) {
            on_footprint(r, op, i, forgotten_block);
        }
    }
    for (int i = 0; i < s->n; i++) {
        const Access *a = &s->access[i];
        if (a->writes && a->memory != NULL && !a->forgets) {
            if (a->memory->data > 0 && atomic_read(r->sreg) != 0) {
                on_footprint(r, op, i, added_block);
            }
            on_footprint(r, op, i, copy && i == dst ? overwritten_block : write_block);
        }
    }
    if (copy) {
        copy_states(r, op, dst, src);
    }
}

/* ---- scalar operations --------------------------------------------------- */

static void
element(EmuRun *r, const EmuOp *op)
{
    const EmuRef *ref = &r->p->refs[op->ref];
    const TikBlobRegion *g = &r->p->kernel.regions[ref->region];
    int size = dtype_size((Dtype)op->dtype);
    uint8_t *at = ref->items != NULL ? NULL : emu_at(r, op->ref, size);
    bool global = g->scope == SC_GM && g->kind == TIKBLOB_TENSOR;
    Memory *m = global ? &r->shadow->globals[g->base] : &r->shadow->core;
    use_address(r, op, op->ref);
    if (at == NULL || m->written == NULL) {
        return;
    }
    claim(r, ref->region);
    Site s = {r, op, ref->region, at - m->base - emu_offset(r, ref)};
    on_run(&s, m, at - m->base, size, op->kind == DESC_LOAD ? read_block : write_block);
}

void
shadow_scalar(EmuRun *r, const EmuOp *op)
{
    if (op->kind == DESC_LOAD || op->kind == DESC_STORE) {
        element(r, op);
    }
    if (op->kind == DESC_ALU || op->kind == DESC_IF || op->kind == DESC_STORE) {
        use_number(r, op, op->a);
    }
    if (op->kind == DESC_ALU && scalar_op_table[op->op].arity == 2) {
        use_number(r, op, op->b);
    }
    if (op->kind == DESC_ALU || op->kind == DESC_LOAD) {
        r->shadow->registers[op->reg] = 1;
    }
}

void
shadow_loop(EmuRun *r, const EmuOp *op)
{
    use_number(r, op, op->a);
    use_number(r, op, op->b);
}
