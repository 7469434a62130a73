/* allocate.c: gives every on-core buffer an address, by lifetimes, with reuse, within the
 * capacity.
 *
 * Needs: a kernel that satisfies ir_verify. Guarantees, when it succeeds: buffers that
 * are alive at the same time share no bytes, addresses are aligned, address + bytes is at
 * most k->peak of the memory, which is at most what the target has. Buffers without an
 * alloc keep address -1. Never: changes statements.
 *
 * A buffer takes its bytes, rounded up to the unit of its memory, times its copies. It
 * lives from its alloc to the end of the body that allocates it, or from its first to its
 * last use (extended over loops that lie inside the body and contain a use), where there
 * is no room else (allocate_plan.h).
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
 * Diagnostics: those of allocate_report.c; capacity, where no room is left for a buffer
 * of run-time size. */
#include "passes/allocate_lanes.h"
#include "passes/allocate_plan.h"
#include "passes/passes.h"

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

/* ---- the pass ------------------------------------------------------------ */

/* False: a buffer does not fit; such buffers lie beyond the capacity. */
static bool
place_in_lanes(Plan *p, int64_t capacity)
{
    LaneLife *lives = ARENA_ARRAY(p->scratch, LaneLife, p->n);
    for (uint32_t i = 0; i < p->n; i++) {
        const Life *l = p->lives[i];
        lives[i] =
            (LaneLife){l->buf, l->alloc, l->body_end, l->size, l->address, l->fixed};
    }
    bool ok = lanes_place(p->k, p->scratch, lives, p->n);
    for (uint32_t i = 0; i < p->n; i++) {
        Life *l = p->lives[i];
        l->address = lives[i].address < 0 ? capacity : lives[i].address;
        p->peak = MAX(p->peak, plan_end_address(l));
    }
    return ok;
}

/* Keeps what is known of lives for those who show it. */
static void
keep_lives(const Allocate *a, const Plan *p)
{
    Kernel *k = p->k;
    for (uint32_t i = 0; k->unit->opt.lives && i < p->n; i++) {
        const Life *l = p->lives[i];
        uint32_t begin = plan_begin(p, l);
        BufLife life = {.buf = l->buf,
                        .bytes = l->size,
                        .begin = begin,
                        .end = plan_end(p, l),
                        .begin_at = a->order.p[begin - 1],
                        .first_at = l->first_at,
                        .last_at = l->last_at};
        VEC_PUSH(&k->arena, &k->lives, life);
    }
}

static void
allocate_scope(Allocate *a, Scope scope)
{
    Plan p = {.k = a->k, .scratch = &a->scratch, .quiet = a->quiet};
    p.lives = ARENA_ARRAY(&a->scratch, Life *, a->lives.n);
    for (uint32_t i = 0; i < a->lives.n; i++) {
        if (a->k->bufs.p[a->lives.p[i].buf].scope == scope) {
            p.lives[p.n++] = &a->lives.p[i];
            p.bound = p.bound || a->lives.p[i].fixed ||
                      a->k->bufs.p[a->lives.p[i].buf].apart.n > 0;
        }
    }
    if (p.n == 0) {
        return;
    }
    if (p.bound && !plan_check_fixed(&p, a->k->soc->bytes[scope])) {
        a->ok = false;
        return;
    }
    if (!(scope == SC_LMEM ? place_in_lanes(&p, a->k->soc->bytes[scope])
                           : plan_place(&p, a->k->soc->bytes[scope]))) {
        plan_report(&p, scope);
        a->ok = false;
        return;
    }
    for (uint32_t i = 0; i < p.n; i++) {
        a->k->bufs.p[p.lives[i]->buf].address = p.lives[i]->address;
    }
    a->k->peak[scope] = p.peak;
    keep_lives(a, &p);
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

/* Takes the addresses away. Returns a bit for each memory that has buffers: most have
 * none, and kernels can have very many buffers. */
static uint32_t
forget_addresses(Kernel *k)
{
    uint32_t scopes = 0;
    for (BufId id = 1; id < k->bufs.n; id++) {
        k->bufs.p[id].address = -1;
        scopes |= UINT32_C(1) << k->bufs.p[id].scope;
    }
    return scopes;
}

static bool
allocate(Kernel *k, bool quiet)
{
    Allocate a = {.k = k, .quiet = quiet, .ok = true};
    arena_init(&a.scratch);
    a.life_of = ARENA_ARRAY(&a.scratch, uint32_t, k->bufs.n);
    k->lives.n = 0;
    uint32_t scopes = forget_addresses(k);
    walk_body(&a, k->body);
    for (int s = SC_GM + 1; s < SC_COUNT; s++) {
        bool grows = s != SC_LMEM;
        if (!grows && quiet) {
            continue;
        }
        k->peak[s] = 0;
        if (scopes >> s & 1) {
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
