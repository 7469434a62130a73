/* allocate.c: gives every on-core buffer an address, by lifetimes, with reuse, within the
 * capacity.
 *
 * Needs: a kernel that satisfies ir_verify. Guarantees, when it succeeds: buffers that
 * are alive at the same time share no bytes, addresses are aligned, address + bytes is at
 * most k->peak of the memory, which is at most what the target has. Buffers without an
 * alloc keep address -1. Never: changes statements.
 *
 * A buffer with a fixed address keeps it; a buffer that must not share bytes with certain
 * others (apart) is placed as if it lived while they do.
 *
 * A buffer takes its bytes, rounded up to the unit of its memory, times its copies. It
 * lives from its alloc to the end of the body that allocates it. First the plain stack
 * order of these lifetimes is tried. If that does not fit, lifetimes shrink to first and
 * last use (extended over loops that lie inside the body and contain a use) and every
 * buffer takes the smallest gap that holds it. If that does not fit either, the same is
 * tried with the largest buffers placed first. In a memory with fixed buffers these are
 * placed first, and every other one takes the smallest gap among those whose lifetimes
 * overlap its own, in the order of creation before that of size.
 *
 * Tensors that the check pass made larger may not fit: in operators of a package they are
 * declared again as they were, and checked again; elsewhere that is the error capacity.
 *
 * Buffers of run-time size share what the others leave of their memory: their address is
 * where the rest begins, and the peak of the memory is all of it. The instruction reserve
 * places them at run time.
 *
 * In LMEM lanes buffers are placed in the order of their declarations, while their bodies
 * last (allocate_lanes.h).
 *
 * Diagnostics: lmem-overflow and lmem-overlap in LMEM. In other memories capacity, one
 * per memory, at the buffer that does not fit, with a note for each buffer that is alive
 * then; and start-addr-range where fixed buffers leave their memory, or overlap those
 * that they must be apart from. */
#include "passes/allocate_lanes.h"
#include "passes/passes.h"

#include <stdlib.h>
#include <string.h>

typedef struct Life {
    BufId buf;
    /* position of the alloc; positions of statements are in program order */
    uint32_t alloc;
    uint32_t body_end;    /* last position of the body */
    uint32_t first, last; /* positions of the first and last use */
    StmtId first_at, last_at;
    uint32_t depth; /* number of loops around the alloc */
    int64_t size;   /* rounded size, times the copies */
    int64_t align;
    int64_t address;
    bool fixed; /* the program gives its address */
} Life;

typedef struct LoopSpan {
    uint32_t begin;
    StmtId stmt;
    /* index of the first entry of Allocate.used that belongs to the loop */
    uint32_t used;
} LoopSpan;

typedef struct Allocate {
    Kernel *k;
    Arena scratch;
    VEC(Life) lives;   /* in the order of their allocs */
    uint32_t *life_of; /* by BufId: index + 1 */
    uint32_t pos;
    VEC(LoopSpan) loops;
    /* statements by their position less 1, when Options.lives is set */
    VEC(StmtId) order;
    VEC(uint32_t) used; /* lives that are used in the open loops */
    bool quiet;         /* a buffer that does not fit is no diagnostic yet */
    bool ok;
} Allocate;

/* ---- lifetimes ----------------------------------------------------------- */

static void
note_use(Allocate *a, BufId buf, StmtId at)
{
    uint32_t index = a->life_of[buf];
    if (index == 0) {
        return; /* global memory is not allocated */
    }
    Life *l = &a->lives.p[index - 1];
    bool first = l->first_at == 0;
    if (first) {
        /* A loop that does not contain the alloc keeps the buffer alive from the loop's
         * beginning. */
        l->first = l->depth < a->loops.n ? a->loops.p[l->depth].begin : a->pos;
        l->first_at = at;
    }
    if (l->depth < a->loops.n && (first || l->last < a->loops.p[l->depth].begin)) {
        VEC_PUSH(&a->scratch, &a->used, index - 1);
    }
    l->last = a->pos;
    l->last_at = at;
}

static void
note_instr(Allocate *a, StmtId id)
{
    int n;
    const Stmt *s = &a->k->stmts.p[id];
    (void)form_params(op_table[s->instr.op].form, &n);
    for (int i = 0; i < n; i++) {
        const Arg *arg = &a->k->args.p[s->instr.arg + (uint32_t)i];
        if (arg->kind == ARG_REF) {
            note_use(a, arg->ref.buf, id);
        }
    }
}

/* In LMEM lanes a buffer takes whole units, as many bytes as the arithmetic units handle
 * at once. */
static int64_t
alloc_unit(const Kernel *k, Scope scope)
{
    bool lanes = scope == SC_LMEM && k->soc->lmem;
    return lanes ? k->soc->lmem->eu_bytes : scope_alloc_unit(scope);
}

static void
note_alloc(Allocate *a, BufId id)
{
    const Buffer *b = &a->k->bufs.p[id];
    if (b->dynamic) {
        return;
    }
    int64_t unit = alloc_unit(a->k, b->scope);
    Life l = {.buf = id, .alloc = a->pos, .first = a->pos, .last = a->pos};
    l.depth = a->loops.n;
    l.align = MAX(unit, scope_align(b->scope, b->dtype));
    l.size =
        /* within IR_MAX_BYTES * IR_MAX_COPIES, so it cannot overflow */
        round_up(ir_bytes(b), unit) * b->copies;
    if (b->fixed && b->scope == SC_LMEM) {
        l.size = round_up(b->fixed_at + b->bytes, unit) - b->fixed_at;
    }
    l.address = b->fixed ? b->fixed_at : -1;
    l.fixed = b->fixed;
    VEC_PUSH(&a->scratch, &a->lives, l);
    a->life_of[id] = a->lives.n;
}

static void walk_body(Allocate *a, StmtId first);

/* At the end of a loop: every buffer from outside that was used in it lives until
 * here. */
static void
walk_loop(Allocate *a, StmtId id)
{
    LoopSpan span = {a->pos, id, a->used.n};
    VEC_PUSH(&a->scratch, &a->loops, span);
    walk_body(a, a->k->stmts.p[id].loop.body);
    a->loops.n--;
    uint32_t keep = span.used;
    for (uint32_t i = span.used; i < a->used.n; i++) {
        Life *l = &a->lives.p[a->used.p[i]];
        if (l->depth > a->loops.n) {
            continue; /* it was allocated in this loop and is gone */
        }
        l->last = a->pos;
        if (l->depth < a->loops.n) {
            /* the next outer loop extends its life, too */
            a->used.p[keep++] = a->used.p[i];
        }
    }
    a->used.n = keep;
}

static void
walk_stmt(Allocate *a, StmtId id)
{
    const Stmt *s = &a->k->stmts.p[id];
    a->pos++;
    if (a->k->unit->opt.lives) {
        VEC_PUSH(&a->scratch, &a->order, id);
    }
    switch ((StmtKind)s->kind) {
    case ST_INSTR:
        note_instr(a, id);
        return;
    case ST_LOAD:
        note_use(a, s->load.ref.buf, id);
        return;
    case ST_STORE:
        note_use(a, s->store.ref.buf, id);
        return;
    case ST_ALLOC:
        note_alloc(a, s->alloc.buf);
        return;
    case ST_FOR:
        walk_loop(a, id);
        return;
    case ST_IF:
        walk_body(a, s->cond.then_body);
        walk_body(a, s->cond.else_body);
        return;
    case ST_SCOPE:
        walk_body(a, s->scope.body);
        return;
    case ST_NONE:
    case ST_SET:
    case ST_BREAK:
    case ST_CONTINUE:
    case ST_RETURN:
        return;
    }
}

static void
walk_body(Allocate *a, StmtId first)
{
    const Kernel *k = a->k;
    for (StmtId id = first; id; id = k->stmts.p[id].next) {
        walk_stmt(a, id);
    }
    for (StmtId id = first; id; id = k->stmts.p[id].next) {
        uint32_t life =
            k->stmts.p[id].kind == ST_ALLOC ? a->life_of[k->stmts.p[id].alloc.buf] : 0;
        if (life != 0) {
            a->lives.p[life - 1].body_end = a->pos;
        }
    }
}

/* ---- placing ------------------------------------------------------------- */

/* The buffers of one memory under one notion of lifetime. */
typedef struct Plan {
    Allocate *a;
    Life **lives; /* sorted by begin */
    uint32_t n;
    bool by_use; /* lifetimes are uses, not bodies */
    bool bound;  /* some buffer is fixed or apart from another */
    int64_t peak;
} Plan;

static uint32_t
begin_of(const Plan *p, const Life *l)
{
    return p->by_use ? l->first : l->alloc;
}

static uint32_t
end_of(const Plan *p, const Life *l)
{
    return p->by_use ? l->last : l->body_end;
}

/* Adds sizes; the sums stay far from overflow. */
static int64_t
plus(int64_t a, int64_t b)
{
    const int64_t most = INT64_MAX / 4;
    return MIN(a, most) + MIN(b, most);
}

static int64_t
end_address(const Life *l)
{
    return plus(l->address, l->size);
}

/* The buffers that are alive at the moment. They are sorted by address; with lifetimes of
 * bodies by their beginning, which is the reverse of the order in which they end. */
typedef struct Live {
    Life **p;
    uint32_t n;
    int64_t bytes;
} Live;

static void
drop_ended(const Plan *p, Live *live, uint32_t now)
{
    uint32_t keep = 0;
    while (!p->by_use && live->n && end_of(p, live->p[live->n - 1]) < now) {
        live->bytes -= live->p[--live->n]->size;
    }
    if (!p->by_use) {
        return;
    }
    for (uint32_t i = 0; i < live->n; i++) {
        if (end_of(p, live->p[i]) >= now) {
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
        from = MAX(from, end_address(live->p[i]));
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
    Live live = {.p = ARENA_ARRAY(&p->a->scratch, Life *, p->n + 1)};
    p->peak = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        Life *l = p->lives[i];
        uint32_t index = live.n;
        drop_ended(p, &live, begin_of(p, l));
        if (p->by_use) {
            l->address = best_gap(&live, l, &index);
        } else {
            index = live.n;
            Life *top = live.n ? live.p[live.n - 1] : NULL;
            l->address = round_up(top ? end_address(top) : 0, l->align);
        }
        insert_live(&live, index, l);
        p->peak = MAX(p->peak, end_address(l));
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
    const Buffer *b = &p->a->k->bufs.p[x->buf];
    bool found = false;
    for (uint32_t i = 0; i < b->apart.n; i++) {
        found = found || b->apart.p[i] == y->buf;
    }
    return found;
}

static bool
meet(const Plan *p, const Life *x, const Life *y)
{
    return (begin_of(p, x) <= end_of(p, y) && begin_of(p, y) <= end_of(p, x)) ||
           is_apart(p, x, y) || is_apart(p, y, x);
}

/* Places one after another, each into the smallest gap among those placed before whose
 * lives overlap its own. */
static void
place_ordered(Plan *p, int (*before)(const void *, const void *))
{
    Life **order = arena_copy(&p->a->scratch, p->lives, p->n * sizeof(Life *));
    qsort(order, p->n, sizeof *order, before);
    Live live = {.p = ARENA_ARRAY(&p->a->scratch, Life *, p->n + 1)};
    p->peak = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t index = 0;
        live.n = 0;
        for (uint32_t j = 0; j < i && !order[i]->fixed; j++) {
            if (meet(p, order[i], order[j])) {
                live.p[live.n++] = order[j];
            }
        }
        if (!order[i]->fixed) {
            qsort(live.p, live.n, sizeof *live.p, lower_first);
            order[i]->address = best_gap(&live, order[i], &index);
        }
        p->peak = MAX(p->peak, end_address(order[i]));
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

/* False: nothing fits; the plan with the smallest need remains. */
static bool
place(Plan *p, int64_t capacity)
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

/* ---- diagnostics --------------------------------------------------------- */

static uint32_t
line_of(Unit *u, Span span)
{
    return source_line_col(&u->arena, &u->sources.p[span.file], span.begin).line;
}

static void
note_life(const Plan *p, Diag *d, const Life *l)
{
    Unit *u = p->a->k->unit;
    const Buffer *b = &p->a->k->bufs.p[l->buf];
    Text t;
    text_init(&t, &u->arena);
    text_printf(&t, "'%s' is %s[", sym_text(&u->names, b->name), dtype_name(b->dtype));
    for (uint32_t i = 0; i < b->shape.n; i++) {
        text_printf(&t, "%s%lld", i ? ", " : "", (long long)b->shape.p[i]);
    }
    text_printf(&t, "], %lld bytes", (long long)l->size);
    if (b->copies > 1) {
        text_printf(&t, " (%d copies for thread_num)", b->copies);
    }
    if (l->first_at) {
        const Stmt *stmts = p->a->k->stmts.p;
        unsigned first = (unsigned)line_of(u, stmts[l->first_at].span);
        unsigned last = (unsigned)line_of(u, stmts[l->last_at].span);
        text_printf(&t, first == last ? ", used in line %u" : ", used in lines %u to %u",
                    first, last);
    } else {
        text_put(&t, ", never used");
    }
    diag_note(u, d, b->span, "%s", t.p);
}

/* Returns the number of bytes that are alive when l begins to live. */
static int64_t
need_at(const Plan *p, const Life *l)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        const Life *x = p->lives[i];
        if (begin_of(p, x) <= begin_of(p, l) && end_of(p, x) >= begin_of(p, l) &&
            (begin_of(p, x) < begin_of(p, l) || x->alloc <= l->alloc)) {
            sum = plus(sum, x->size);
        }
    }
    return sum;
}

/* Returns the first buffer whose beginning takes the live bytes beyond the capacity; if
 * only gaps between buffers are lost, the buffer with the highest address. */
static const Life *
culprit(const Plan *p, int64_t capacity)
{
    const Life *highest = p->lives[0];
    Live live = {.p = ARENA_ARRAY(&p->a->scratch, Life *, p->n)};
    for (uint32_t i = 0; i < p->n; i++) {
        Life *l = p->lives[i];
        drop_ended(p, &live, begin_of(p, l));
        live.p[live.n++] = l;
        live.bytes += l->size;
        if (live.bytes > capacity) {
            return l;
        }
        highest = end_address(l) > end_address(highest) ? l : highest;
    }
    return highest;
}

enum {
    MAX_LIFE_NOTES = 40
};

static void
report_capacity(const Plan *p, Scope scope)
{
    const Kernel *k = p->a->k;
    Unit *u = k->unit;
    int64_t capacity = k->soc->bytes[scope];
    const Life *l = culprit(p, capacity);
    const Buffer *b = &k->bufs.p[l->buf];
    const char *name = sym_text(&u->names, b->name);
    if (p->a->quiet) {
        return;
    }
    if (capacity == 0) {
        diag_add(u, D_CAPACITY, b->span, b->chain,
                 "'%s' is in %s, which %s does not have", name, scope_name(scope),
                 k->soc->name);
        return;
    }
    int64_t need = need_at(p, l);
    need = need > capacity ? need : p->peak;
    Diag *d = diag_add(
        u, scope == SC_LMEM ? D_LMEM_OVERFLOW : D_CAPACITY, b->span, b->chain,
        "'%s' of %lld bytes does not fit: the kernel needs %lld bytes of %s at this "
        "point, %s has %lld (%lld too many)",
        name, (long long)l->size, (long long)need, scope_name(scope), k->soc->name,
        (long long)capacity, (long long)(need - capacity));
    int notes = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        const Life *x = p->lives[i];
        if (begin_of(p, x) <= begin_of(p, l) && end_of(p, x) >= begin_of(p, l) &&
            notes++ < MAX_LIFE_NOTES) {
            note_life(p, d, x);
        }
    }
    if (notes > MAX_LIFE_NOTES) {
        diag_note(u, d, b->span, "and %d more buffers", notes - MAX_LIFE_NOTES);
    }
    int64_t room = (l->size - (need - capacity)) / l->align * l->align / b->copies;
    if (room > 0 && dtype_size(b->dtype) > 0) {
        diag_help(u, d,
                  "beside the others %lld elements of %s fit; or close the scope of one "
                  "before the next opens",
                  (long long)(room / dtype_size(b->dtype)), dtype_name(b->dtype));
    }
}

/* True if a fixed buffer is inside its memory, and apart from the other fixed buffers
 * that live at the same time. */
static bool
fixed_fits(const Plan *p, const Life *l, int64_t capacity)
{
    const Buffer *b = &p->a->k->bufs.p[l->buf];
    Unit *u = p->a->k->unit;
    if (end_address(l) <= capacity || p->a->quiet) {
        return end_address(l) <= capacity;
    }
    diag_add(u, b->scope == SC_LMEM ? D_LMEM_OVERFLOW : D_START_ADDR_RANGE, b->span,
             b->chain, "'%s' covers bytes %lld to %lld of %s; %s has %lld",
             sym_text(&u->names, b->name), (long long)l->address,
             (long long)(end_address(l) - 1), scope_name(b->scope), p->a->k->soc->name,
             (long long)capacity);
    return false;
}

static bool
fixed_apart(const Plan *p, const Life *x, const Life *y)
{
    Unit *u = p->a->k->unit;
    const Buffer *a = &p->a->k->bufs.p[x->buf];
    const Buffer *b = &p->a->k->bufs.p[y->buf];
    if (!meet(p, x, y) || end_address(x) <= y->address || end_address(y) <= x->address) {
        return true;
    }
    if (p->a->quiet) {
        return false;
    }
    Diag *d = diag_add(
        u, b->scope == SC_LMEM ? D_LMEM_OVERLAP : D_START_ADDR_RANGE, b->span, b->chain,
        "'%s' and '%s' live at the same time and share bytes %lld to %lld of %s",
        sym_text(&u->names, a->name), sym_text(&u->names, b->name),
        (long long)MAX(x->address, y->address),
        (long long)(MIN(end_address(x), end_address(y)) - 1), scope_name(b->scope));
    diag_note(u, d, a->span, "'%s' begins at byte %lld", sym_text(&u->names, a->name),
              (long long)x->address);
    return false;
}

static bool
check_fixed(const Plan *p, int64_t capacity)
{
    Life **fixed = ARENA_ARRAY(&p->a->scratch, Life *, p->n);
    uint32_t n = 0;
    bool ok = true;
    for (uint32_t i = 0; i < p->n; i++) {
        if (!p->lives[i]->fixed) {
            continue;
        }
        ok = fixed_fits(p, p->lives[i], capacity) && ok;
        for (uint32_t j = 0; j < n && ok; j++) {
            ok = fixed_apart(p, fixed[j], p->lives[i]);
        }
        fixed[n++] = p->lives[i];
    }
    return ok;
}

/* ---- the pass ------------------------------------------------------------ */

/* False: a buffer does not fit; such buffers lie beyond the capacity. */
static bool
place_in_lanes(Plan *p, int64_t capacity)
{
    LaneLife *lives = ARENA_ARRAY(&p->a->scratch, LaneLife, p->n);
    for (uint32_t i = 0; i < p->n; i++) {
        const Life *l = p->lives[i];
        lives[i] =
            (LaneLife){l->buf, l->alloc, l->body_end, l->size, l->address, l->fixed};
    }
    bool ok = lanes_place(p->a->k, &p->a->scratch, lives, p->n);
    for (uint32_t i = 0; i < p->n; i++) {
        Life *l = p->lives[i];
        l->address = lives[i].address < 0 ? capacity : lives[i].address;
        p->peak = MAX(p->peak, end_address(l));
    }
    return ok;
}

/* Keeps what is known of lives for those who show it. */
static void
keep_lives(const Plan *p)
{
    Kernel *k = p->a->k;
    for (uint32_t i = 0; k->unit->opt.lives && i < p->n; i++) {
        const Life *l = p->lives[i];
        uint32_t begin = begin_of(p, l);
        BufLife life = {.buf = l->buf,
                        .bytes = l->size,
                        .begin = begin,
                        .end = end_of(p, l),
                        .begin_at = p->a->order.p[begin - 1],
                        .first_at = l->first_at,
                        .last_at = l->last_at};
        VEC_PUSH(&k->arena, &k->lives, life);
    }
}

static void
allocate_scope(Allocate *a, Scope scope)
{
    Plan p = {.a = a};
    p.lives = ARENA_ARRAY(&a->scratch, Life *, a->lives.n);
    for (uint32_t i = 0; i < a->lives.n; i++) {
        if (a->k->bufs.p[a->lives.p[i].buf].scope == scope) {
            p.lives[p.n++] = &a->lives.p[i];
            p.bound = p.bound || a->lives.p[i].fixed ||
                      a->k->bufs.p[a->lives.p[i].buf].apart.n > 0;
        }
    }
    a->k->peak[scope] = 0;
    if (p.n == 0) {
        return;
    }
    if (p.bound && !check_fixed(&p, a->k->soc->bytes[scope])) {
        a->ok = false;
        return;
    }
    if (!(scope == SC_LMEM ? place_in_lanes(&p, a->k->soc->bytes[scope])
                           : place(&p, a->k->soc->bytes[scope]))) {
        report_capacity(&p, scope);
        a->ok = false;
        return;
    }
    for (uint32_t i = 0; i < p.n; i++) {
        a->k->bufs.p[p.lives[i]->buf].address = p.lives[i]->address;
    }
    a->k->peak[scope] = p.peak;
    keep_lives(&p);
}

/* The buffers of run-time size get the rest of the memory. */
static void
allocate_dynamic(Allocate *a, Scope scope)
{
    Kernel *k = a->k;
    int64_t unit = MAX(scope_alloc_unit(scope), scope_align(scope, DT_S32));
    int64_t from = round_up(k->peak[scope], unit);
    for (BufId id = 1; a->ok && id < k->bufs.n; id++) {
        Buffer *b = &k->bufs.p[id];
        if (!b->dynamic || b->scope != scope) {
            continue;
        }
        b->address = from;
        k->peak[scope] = k->soc->bytes[scope];
        if (!ir_dynamic_room(k, b) && !a->quiet) {
            diag_add(k->unit, D_CAPACITY, b->span, b->chain,
                     "'%s' has no room: the buffers of constant size take %lld bytes of "
                     "%s, %s has %lld",
                     sym_text(&k->unit->names, b->name), (long long)from,
                     scope_name(scope), k->soc->name, (long long)k->soc->bytes[scope]);
        }
        a->ok = ir_dynamic_room(k, b);
    }
}

static bool
allocate(Kernel *k, bool quiet)
{
    Allocate a = {.k = k, .quiet = quiet, .ok = true};
    arena_init(&a.scratch);
    a.life_of = ARENA_ARRAY(&a.scratch, uint32_t, k->bufs.n);
    k->lives.n = 0;
    for (BufId id = 1; id < k->bufs.n; id++) {
        k->bufs.p[id].address = -1;
    }
    walk_body(&a, k->body);
    for (int s = SC_GM + 1; s < SC_COUNT; s++) {
        bool grows = s != SC_LMEM;
        if (grows || !quiet) {
            allocate_scope(&a, (Scope)s);
            allocate_dynamic(&a, (Scope)s);
        }
    }
    if (a.ok && !quiet) {
        lanes_warn_banks(k);
    }
    arena_free(&a.scratch);
    return a.ok;
}

static bool
has_grown(const Kernel *k)
{
    for (BufId id = 1; id < k->bufs.n; id++) {
        if (k->bufs.p[id].grown > 0) {
            return true;
        }
    }
    return false;
}

/* Operators of a package compile as they always did; what the check pass finds are
 * warnings there. Where their tensors have no room to grow, they stay as declared, and
 * accesses beyond them are checked at run time. */
bool
pass_allocate(Kernel *k)
{
    bool ok = true;
    if (k->unit->operator_package && has_grown(k) && !allocate(k, true)) {
        k->no_growth = true;
        ok = pass_check(k);
    }
    return allocate(k, false) && ok;
}
