/* finish.c: puts a product, and the instructions after it that convert its sums and bring
 * the results somewhere, into a finishing scope, so that the host back end does all of it
 * with the sums of a few rows while they are near.
 *
 * Needs: a checked kernel whose buffers have addresses, in a copy for the host.
 * Guarantees: what the scope says (Finish) is what its instructions do, but for bytes of
 * the buffers in its list, which nothing reads after the scope before they are written
 * again. A loop around the product alone, of one iteration, and short loops around a
 * move, are replaced by what their iterations do. Never: takes a product whose sums do
 * not begin with 0.
 *
 * The most instructions are taken after which all results are in one place. */

/* ASSUMES arguments-apart: global tensors of different arguments share no bytes. */
#include "passes/finish.h"

#include "isa/operand.h"
#include "passes/access.h"
#include "passes/copy.h"
#include "passes/fate.h"
#include "passes/origin.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

#include <string.h>

enum {
    MOST_MEMBERS = 128,
    MOST_TRIPS = 64,
    AFTER = 2 /* slot of a cursor: after a statement */
};

typedef struct Member {
    StmtId stmt;  /* instruction of the scope */
    StmtId place; /* the statement of the body that it is, or comes from */
} Member;

typedef struct Pass {
    Kernel *k;
    Env env;
    Arena scratch;
    Fates fates;
    bool *unset; /* by BufId: see fate_find_unset */
    int n, taken;
    Member member[MOST_MEMBERS];
    int nlost;
    BufId lost[FINISH_HOMES];
    VEC(StmtId) allocs;
} Pass;

/* ---- members ------------------------------------------------------------- */

/* Returns the iterations of a loop with constant bounds; 0: it is another statement. */
static int64_t
trips_of(const Kernel *k, StmtId s, int64_t *begin)
{
    const Stmt *st = &k->stmts.p[s];
    int64_t end;
    if (st->kind != ST_FOR || ir_is_multicore(st) ||
        !ir_loop_bounds(k, st, begin, &end) || end <= *begin ||
        end - *begin > MOST_TRIPS) {
        return 0;
    }
    return end - *begin;
}

/* Returns the only statement of a body that is no allocation; 0: there are others. */
static StmtId
only_instr(const Kernel *k, StmtId first)
{
    StmtId found = 0;
    for (StmtId s = first; s != 0; s = k->stmts.p[s].next) {
        if (k->stmts.p[s].kind == ST_ALLOC) {
            continue;
        }
        if (found != 0 || k->stmts.p[s].kind != ST_INSTR) {
            return 0;
        }
        found = s;
    }
    return found;
}

/* Returns a copy of an instruction of a loop for one value of its variable. */
static StmtId
copy_for(Pass *p, StmtId s, VarId v, int64_t value)
{
    Copy c;
    copy_init(&c, p->k, &p->scratch);
    c.var = v;
    c.value = ir_const(p->k, p->k->vars.p[v].dtype, value);
    const Stmt aside = {.kind = ST_SCOPE}; /* it is in no body */
    VEC_PUSH(&p->k->arena, &p->k->stmts, aside);
    Cursor at = ir_cursor_body(p->k->stmts.n - 1, 0);
    copy_stmt(&c, &at, s);
    return p->k->stmts.n - 1;
}

/* Returns whether where a product's factors are depends on a variable. */
static bool
origins_read(const Kernel *k, StmtId s, VarId v)
{
    const Origins *o = &k->origins.p[k->stmts.p[s].instr.origin];
    for (int i = 0; i < ORIGIN_FACTORS; i++) {
        if (o->of[i].ref.buf != 0 && ir_reads_var(k, o->of[i].ref.off, v)) {
            return true;
        }
    }
    return false;
}

static void
note_allocs(Pass *p, StmtId first)
{
    for (StmtId s = first; s != 0; s = p->k->stmts.p[s].next) {
        if (p->k->stmts.p[s].kind == ST_ALLOC) {
            VEC_PUSH(&p->scratch, &p->allocs, s);
        }
    }
}

static bool
add_member(Pass *p, StmtId s, StmtId place)
{
    if (p->n == MOST_MEMBERS) {
        return false;
    }
    p->member[p->n++] = (Member){s, place};
    return true;
}

/* Takes a product, alone or the only statement of a loop of one iteration. */
static bool
take_product(Pass *p, StmtId place)
{
    const Kernel *k = p->k;
    int64_t begin;
    StmtId s = place;
    p->n = 0;
    p->allocs.n = 0;
    if (trips_of(k, place, &begin) == 1) {
        VarId v = k->stmts.p[place].loop.var;
        s = only_instr(k, k->stmts.p[place].loop.body);
        if (s == 0 || !origin_is_product(&k->stmts.p[s]) || origins_read(k, s, v)) {
            return false;
        }
        note_allocs(p, k->stmts.p[place].loop.body);
        s = copy_for(p, s, v, begin);
    }
    return origin_is_product(&k->stmts.p[s]) && add_member(p, s, place);
}

/* Executes a statement on the map; a loop as its iterations. */
static bool
take_next(Pass *p, FinishMap *m, StmtId place)
{
    int64_t begin, trips = trips_of(p->k, place, &begin);
    if (trips == 0) {
        return finish_follow(m, place) && add_member(p, place, place);
    }
    const Stmt *st = &p->k->stmts.p[place];
    StmtId body = st->loop.body;
    VarId v = st->loop.var;
    if (only_instr(p->k, body) != body || p->k->stmts.p[body].next != 0 ||
        p->n + trips > MOST_MEMBERS) {
        return false;
    }
    for (int64_t i = begin; i < begin + trips; i++) {
        StmtId s = copy_for(p, body, v, i);
        if (!finish_follow(m, s) || !add_member(p, s, place)) {
            return false;
        }
    }
    return true;
}

/* ---- what is lost -------------------------------------------------------- */

static bool
is_member(const Pass *p, StmtId s)
{
    for (int i = 0; i < p->taken; i++) {
        if (p->member[i].stmt == s || p->member[i].place == s) {
            return true;
        }
    }
    return false;
}

/* Returns whether a statement that is no member, or is inside of one that is not, reads a
 * buffer. */
static bool
is_read_in(const Pass *p, StmtId first, BufId b)
{
    Access a[MAX_ACCESSES];
    for (StmtId s = first; s != 0; s = p->k->stmts.p[s].next) {
        const Stmt *st = &p->k->stmts.p[s];
        if (is_member(p, s)) {
            continue;
        }
        bool read = st->kind == ST_IF ? is_read_in(p, st->cond.then_body, b) ||
                                            is_read_in(p, st->cond.else_body, b)
                    : st->kind == ST_FOR   ? is_read_in(p, st->loop.body, b)
                    : st->kind == ST_SCOPE ? is_read_in(p, st->scope.body, b)
                                           : false;
        int n = access_list(p->k, st, a);
        for (int i = 0; i < n && !read; i++) {
            read = a[i].buf == b && !a[i].write;
        }
        if (read) {
            return true;
        }
    }
    return false;
}

/* Members read of the buffer only what members wrote before. */
static bool
is_lost(const Pass *p, BufId b)
{
    FateBytes all = {b, ir_const(p->k, DT_S64, 0), IR_MAX_BYTES};
    return fate_may_drop(p->k, b) && !p->unset[b] &&
           (!is_read_in(p, p->k->body, b) ||
            fate_is_dead(&p->fates, p->member[p->taken - 1].place, all));
}

/* Returns whether a buffer has results that stay. */
static bool
has_results(const Pass *p, const Finish *f, BufId b)
{
    for (int g = 0; g < f->groups; g++) {
        const Stmt *w = &p->k->stmts.p[f->group[g].write];
        if (p->k->args.p[w->instr.arg + MOVE_dst].ref.buf == b) {
            return true;
        }
    }
    return false;
}

/* Notes the buffers whose bytes are lost; false: some are read. */
static bool
others_are_lost(Pass *p, const FinishMap *m, const Finish *f)
{
    BufId lost[FINISH_HOMES];
    int n = 0;
    for (int i = 0; i < m->nhomes; i++) {
        const FinishHome *h = &m->home[i];
        if (h->written && !has_results(p, f, h->buf)) {
            if (!is_lost(p, h->buf)) {
                return false;
            }
            lost[n++] = h->buf;
        }
    }
    p->nlost = n;
    memcpy(p->lost, lost, (size_t)n * sizeof *lost);
    return true;
}

/* ---- scopes -------------------------------------------------------------- */

static void
list_lost(Pass *p, Stmt *scope)
{
    scope->scope.drop = p->k->drops.n;
    scope->scope.ndrops = (uint32_t)p->nlost;
    for (int i = 0; i < p->nlost; i++) {
        VEC_PUSH(&p->k->arena, &p->k->drops, p->lost[i]);
    }
}

/* Puts the members into a scope in the place of their statements; allocations among them
 * come before it. */
static void
make_scope(Pass *p, Cursor at, Stmt *scope)
{
    Kernel *k = p->k;
    StmtId last = p->member[p->taken - 1].place, rest = k->stmts.p[last].next;
    for (StmtId s = *ir_body(k, at.owner, at.slot); s != rest; s = k->stmts.p[s].next) {
        if (k->stmts.p[s].kind == ST_ALLOC) {
            VEC_PUSH(&p->scratch, &p->allocs, s);
        }
    }
    for (int i = 0; i < p->taken; i++) {
        k->stmts.p[p->member[i].stmt].next = i + 1 < p->taken ? p->member[i + 1].stmt : 0;
    }
    scope->scope.body = p->member[0].stmt;
    scope->span = k->stmts.p[p->member[0].stmt].span;
    scope->next = rest;
    VEC_PUSH(&k->arena, &k->stmts, *scope);
    StmtId made = k->stmts.n - 1;
    for (uint32_t i = 0; i < p->allocs.n; i++) {
        *ir_body(k, at.owner, at.slot) = p->allocs.p[i];
        at = (Cursor){p->allocs.p[i], AFTER};
    }
    *ir_body(k, at.owner, at.slot) = made;
}

/* Takes what follows a product; returns whether there is a scope for it. */
static bool
find_members(Pass *p, FinishMap *m, Finish *best)
{
    Finish f;
    StmtId product = p->member[0].stmt;
    int taken = 0;
    if (!finish_begin(m, p->k, &p->env, &p->scratch, product)) {
        return false;
    }
    for (StmtId s = p->k->stmts.p[p->member[0].place].next; s != 0;
         s = p->k->stmts.p[s].next) {
        if (p->k->stmts.p[s].kind == ST_ALLOC) {
            continue;
        }
        if (!take_next(p, m, s)) {
            break;
        }
        p->taken = p->n;
        if (finish_end(m, &f) && others_are_lost(p, m, &f)) {
            *best = f;
            taken = p->n;
        }
    }
    p->taken = taken;
    return taken != 0;
}

/* Makes a scope of the product at the cursor and what follows it, if that is of use. */
static void
finish_product(Pass *p, Cursor at)
{
    FinishMap m;
    Finish f;
    Kernel *k = p->k;
    if (!take_product(p, *ir_body(k, at.owner, at.slot)) || !find_members(p, &m, &f)) {
        return;
    }
    Stmt scope = {.kind = ST_SCOPE};
    list_lost(p, &scope);
    VEC_PUSH(&k->arena, &k->finishes, f);
    scope.scope.finish = k->finishes.n - 1;
    make_scope(p, at, &scope);
    fates_init(&p->fates, k, &p->scratch);
}

static void
finish_body(Pass *p, StmtId owner, int slot)
{
    Kernel *k = p->k;
    Cursor at = {owner, slot};
    for (StmtId s; (s = *ir_body(k, at.owner, at.slot)) != 0; at = (Cursor){s, AFTER}) {
        finish_product(p, at);
        s = *ir_body(k, at.owner, at.slot);
        StmtKind kind = (StmtKind)k->stmts.p[s].kind;
        bool made = kind == ST_SCOPE && k->stmts.p[s].scope.finish != 0;
        if ((kind == ST_FOR || kind == ST_SCOPE || kind == ST_IF) && !made) {
            finish_body(p, s, 0);
        }
        if (kind == ST_IF) {
            finish_body(p, s, 1);
        }
    }
}

bool
pass_finish(Kernel *k)
{
    Pass p = {.k = k};
    for (BufId i = 1; i < k->bufs.n; i++) {
        if (k->bufs.p[i].scope == SC_SREG) {
            return true; /* atomic modes, perhaps */
        }
    }
    arena_init(&p.scratch);
    env_init(&p.env, k, &p.scratch);
    rewrite_enter_loops(&p.env, k, k->body);
    fates_init(&p.fates, k, &p.scratch);
    p.unset = ARENA_ARRAY(&p.scratch, bool, k->bufs.n);
    fate_find_unset(k, p.unset);
    finish_body(&p, 0, 0);
    arena_free(&p.scratch);
    return true;
}
