/* stagger_find.c: which loops the pass stagger works on (see passes/stagger.c): how their
 * bodies are divided, what may move before what, and whether it pays. */

/* ASSUMES arguments-apart: global tensors of different arguments share no bytes. */
#include "passes/plain.h"
#include "passes/rewrite.h"
#include "passes/stagger.h"

enum {
    MOST_BYTES = 1 << 15, /* of on-core memory that both rows use: the first cache */
    LARGE_EXPR = IR_MAX_EXPR / 16,
    ALIASED = 4096,
    LINE = 64,
    APART = 4 * LINE /* of rows that would be whole pages apart */
};

/* Parts that belong to the later iteration. */
int
stagger_early(const Stagger *g)
{
    return (g->parts + 1) / 2;
}

/* ---- parts of the body --------------------------------------------------- */

static bool
is_work(const Stmt *s)
{
    return s->kind == ST_INSTR || s->kind == ST_SCOPE;
}

/* Returns the register that a statement sets, or 0. */
RegId
stagger_sets(const Stmt *s)
{
    return s->kind == ST_SET ? s->set.reg : s->kind == ST_LOAD ? s->load.reg : 0;
}

/* Returns whether statement i reads a register that the present part has set after an
 * instruction. */
static bool
waits(const Stagger *g, int i)
{
    bool work = false;
    for (int j = 0; j < i; j++) {
        const Stmt *s = &g->k->stmts.p[g->stmt[j]];
        if (g->part[j] != g->parts - 1) {
            continue;
        }
        RegId r = stagger_sets(s);
        if (work && r != 0 && rewrite_stmt_reads(g->k, g->stmt[i], r)) {
            return true;
        }
        work = work || is_work(s);
    }
    return false;
}

static bool
scope_is_flat(const Kernel *k, const Stmt *scope)
{
    for (StmtId s = scope->scope.body; s != 0; s = k->stmts.p[s].next) {
        if (k->stmts.p[s].kind != ST_INSTR) {
            return false;
        }
    }
    return scope->scope.fused;
}

/* Lists the statements of the body and divides it; false: it is of another kind, or is
 * one part. */
static bool
divide(Stagger *g)
{
    const Kernel *k = g->k;
    g->nstmts = 0;
    g->parts = 1;
    g->local.n = 0;
    for (StmtId s = k->stmts.p[g->loop].loop.body; s != 0; s = k->stmts.p[s].next) {
        const Stmt *st = &k->stmts.p[s];
        bool simple = st->kind != ST_FOR && st->kind != ST_IF &&
                      (st->kind != ST_SCOPE || scope_is_flat(k, st));
        if (!simple || g->nstmts == STAGGER_STMTS) {
            return false;
        }
        g->stmt[g->nstmts] = s;
        if (is_work(st) && waits(g, g->nstmts)) {
            g->parts++;
        }
        g->part[g->nstmts++] = g->parts - 1;
        if (st->kind == ST_ALLOC) {
            VEC_PUSH(&g->scratch, &g->local, st->alloc.buf);
        }
    }
    return g->parts > 1;
}

/* Returns whether the body sets its registers before it reads them, so that each
 * iteration may have its own. */
static bool
sets_before_reads(const Stagger *g)
{
    for (int i = 0; i < g->nstmts; i++) {
        RegId r = stagger_sets(&g->k->stmts.p[g->stmt[i]]);
        for (int j = 0; r != 0 && j <= i; j++) {
            if (rewrite_stmt_reads(g->k, g->stmt[j], r)) {
                return false;
            }
            if (stagger_sets(&g->k->stmts.p[g->stmt[j]]) == r) {
                break;
            }
        }
    }
    return true;
}

/* ---- bytes --------------------------------------------------------------- */

static bool
add_items(Stagger *g, StmtId s, int part)
{
    Access a[MAX_ACCESSES];
    int n = access_list(g->k, &g->k->stmts.p[s], a);
    if (g->nitems + n > STAGGER_ITEMS) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        g->item[g->nitems++] = (StaggerItem){a[i], part};
    }
    return true;
}

static bool
list_items(Stagger *g)
{
    g->nitems = 0;
    for (int i = 0; i < g->nstmts; i++) {
        const Stmt *s = &g->k->stmts.p[g->stmt[i]];
        if (!add_items(g, g->stmt[i], g->part[i])) {
            return false;
        }
        for (StmtId m = s->kind == ST_SCOPE ? s->scope.body : 0; m != 0;
             m = g->k->stmts.p[m].next) {
            if (!add_items(g, m, g->part[i])) {
                return false;
            }
        }
    }
    return true;
}

/* Returns whether an offset depends on no register that the body sets. */
static bool
holds(const Stagger *g, ExprId off)
{
    return !rewrite_changes(g->k, g->k->stmts.p[g->loop].loop.body, off);
}

/* Returns whether an access of an iteration and one of the next iteration share no
 * bytes of their buffer. */
static bool
apart_in_rows(const Stagger *g, const Access *a, const Access *next)
{
    Affine x, y, d;
    int64_t lo, hi;
    if (!a->known || !next->known || !holds(g, a->off) || !holds(g, next->off) ||
        !env_affine(&g->env, a->off, &x) || !env_affine(&g->env, next->off, &y)) {
        return false;
    }
    int64_t pitch = rewrite_take_row(&x, g->row);
    if (rewrite_take_row(&y, g->row) != pitch || !affine_sub(&y, &x, &d)) {
        return false;
    }
    Interval by = env_affine_range(&g->env, &d);
    return checked_add(by.lo, pitch, &lo) && checked_add(by.hi, pitch, &hi) &&
           checked_add(lo, next->fp.offset, &lo) &&
           checked_add(hi, access_end(next), &hi) &&
           (lo >= access_end(a) || hi <= a->fp.offset);
}

/* Returns whether an earlier access of the iteration, of the same part or of any (-1),
 * writes all that item i reads. */
static bool
is_written(const Stagger *g, int i, int part)
{
    const Access *r = &g->item[i].a;
    for (int j = 0; j < i; j++) {
        const Access *w = &g->item[j].a;
        if ((part < 0 || g->item[j].part == part) && w->write && w->buf == r->buf &&
            w->off == r->off && w->known && w->exact && access_runs(w) == 1 &&
            w->fp.offset <= r->fp.offset && access_end(w) >= access_end(r)) {
            return true;
        }
    }
    return false;
}

/* Returns whether the iteration, or each part of it, reads in the buffer only what it
 * wrote itself. */
static bool
reads_own(const Stagger *g, BufId b, bool parts)
{
    for (int i = 0; i < g->nitems; i++) {
        const Access *a = &g->item[i].a;
        if (a->buf != b) {
            continue;
        }
        if (!holds(g, a->off) || !a->known ||
            (!a->write && !is_written(g, i, parts ? g->item[i].part : -1))) {
            return false;
        }
    }
    return true;
}

bool
stagger_reads_own(const Stagger *g, BufId b)
{
    return reads_own(g, b, false);
}

/* Returns whether all accesses of the buffer are at offsets that do not depend on the
 * row, so that what stays in it is what the last iteration left. */
static bool
is_in_place(const Stagger *g, BufId b)
{
    for (int i = 0; i < g->nitems; i++) {
        Affine x;
        if (g->item[i].a.buf == b &&
            (!env_affine(&g->env, g->item[i].a.off, &x) || x.n != 0)) {
            return false;
        }
    }
    return true;
}

static bool
is_in(const BufId *list, uint32_t n, BufId b)
{
    for (uint32_t i = 0; i < n; i++) {
        if (list[i] == b) {
            return true;
        }
    }
    return false;
}

/* Returns the end of the bytes that the body uses of a buffer, which begin at its start;
 * IR_MAX_BYTES if that is not known. */
static int64_t
used_bytes(const Stagger *g, BufId b)
{
    int64_t used = 0;
    for (int i = 0; i < g->nitems; i++) {
        const Access *a = &g->item[i].a;
        if (a->buf != b) {
            continue;
        }
        if (!a->known || !ir_is_const(g->k, a->off)) {
            return IR_MAX_BYTES;
        }
        used = MAX(used, ir_expr(g->k, a->off)->imm + access_end(a));
    }
    return used;
}

/* The rows of both iterations follow each other where the buffer has room for that, and
 * are not whole pages apart. */
int64_t
stagger_step(const Stagger *g, BufId b)
{
    int64_t room = ir_room(&g->k->bufs.p[b]), used = used_bytes(g, b);
    if (used > room / 2) {
        return room;
    }
    int64_t step = (used + LINE - 1) / LINE * LINE;
    step += step % ALIASED == 0 ? APART : 0;
    return step + used <= room ? step : room;
}

/* Returns whether each of both iterations may have a buffer of its own: it has room for
 * two, or the memory after it is that of the program's own second one. */
static bool
may_own(const Stagger *g, BufId b)
{
    const Buffer *x = &g->k->bufs.p[b];
    bool inside = stagger_step(g, b) < ir_room(x);
    return is_in(g->local.p, g->local.n, b) && x->scope == SC_UB &&
           (inside || x->copies > 1) && x->address >= 0 && !x->dynamic && !x->fixed &&
           !g->k->may_read_uninit && reads_own(g, b, false);
}

/* Returns whether a part of the next iteration moves before a part of this one. */
static bool
passes(const Stagger *g, int next, int part)
{
    int early = stagger_early(g);
    return next < early && part >= early && next <= part - early;
}

/* Returns whether an access of the next iteration may come before one of this one. */
static bool
may_pass(Stagger *g, const Access *a, const Access *next)
{
    if (!a->write && !next->write) {
        return true;
    }
    if (a->buf != next->buf) {
        return rewrite_apart(g->k, a->buf, next->buf);
    }
    if (is_in(g->own.p, g->own.n, a->buf) || apart_in_rows(g, a, next) ||
        (is_in_place(g, a->buf) && reads_own(g, a->buf, true))) {
        return true;
    }
    if (!may_own(g, a->buf)) {
        return false;
    }
    VEC_PUSH(&g->scratch, &g->own, a->buf);
    return true;
}

/* The second buffer's memory is not that of other buffers that the body uses. */
static bool
has_room(const Stagger *g, BufId b)
{
    const Buffer *x = &g->k->bufs.p[b];
    int64_t begin = x->address + ir_room(x), end = begin + ir_room(x);
    if (stagger_step(g, b) < ir_room(x)) {
        return true;
    }
    for (int i = 0; i < g->nitems; i++) {
        const Buffer *y = &g->k->bufs.p[g->item[i].a.buf];
        bool away = y->scope != x->scope ||
                    (y->address >= 0 && !y->dynamic &&
                     (y->address + ir_room(y) <= begin || end <= y->address));
        if (!away) {
            return false;
        }
    }
    return true;
}

static bool
seconds_apart(const Stagger *g)
{
    for (uint32_t i = 0; i < g->own.n; i++) {
        for (uint32_t j = 0; j < i; j++) {
            const Buffer *x = &g->k->bufs.p[g->own.p[i]], *y = &g->k->bufs.p[g->own.p[j]];
            int64_t a = x->address + ir_room(x), b = y->address + ir_room(y);
            bool second = stagger_step(g, g->own.p[i]) == ir_room(x) &&
                          stagger_step(g, g->own.p[j]) == ir_room(y);
            if (second && a < b + ir_room(y) && b < a + ir_room(x)) {
                return false;
            }
        }
    }
    return true;
}

static bool
may_overlap(Stagger *g)
{
    g->own.n = 0;
    for (int i = 0; i < g->nitems; i++) {
        for (int j = 0; j < g->nitems; j++) {
            if (passes(g, g->item[j].part, g->item[i].part) &&
                !may_pass(g, &g->item[i].a, &g->item[j].a)) {
                return false;
            }
        }
    }
    for (uint32_t i = 0; i < g->own.n; i++) {
        if (!has_room(g, g->own.p[i])) {
            return false;
        }
    }
    return seconds_apart(g);
}

/* ---- whether it pays ----------------------------------------------------- */

/* Processors compare the low bits of addresses first: a read waits for a write of another
 * row before it if these are the same, as they are where rows are pages. */
static bool
rows_are_pages(const Stagger *g)
{
    for (int i = 0; i < g->nitems; i++) {
        Affine x;
        const Access *a = &g->item[i].a;
        int64_t pitch =
            env_affine(&g->env, a->off, &x) ? rewrite_take_row(&x, g->row) : 0;
        bool own = is_in(g->own.p, g->own.n, a->buf);
        pitch = own ? stagger_step(g, a->buf) : pitch;
        if (pitch != 0 && pitch % ALIASED == 0) {
            return true;
        }
    }
    return false;
}

static bool
is_repeated(const Stagger *g, int i)
{
    for (int j = 0; j < i; j++) {
        if (g->item[j].a.buf == g->item[i].a.buf &&
            g->item[j].a.off == g->item[i].a.off) {
            return true;
        }
    }
    return false;
}

/* What two rows use on the core stays in the first cache. */
static bool
fits_cache(const Stagger *g)
{
    int64_t bytes = 0;
    for (int i = 0; i < g->nitems; i++) {
        const Access *a = &g->item[i].a;
        if (g->k->bufs.p[a->buf].scope == SC_GM || is_repeated(g, i)) {
            continue;
        }
        bool both = !is_in_place(g, a->buf) || is_in(g->own.p, g->own.n, a->buf);
        bytes += (a->known ? access_end(a) - a->fp.offset : MOST_BYTES) * (both ? 2 : 1);
        if (bytes > MOST_BYTES) {
            return false;
        }
    }
    return true;
}

/* ---- loops --------------------------------------------------------------- */

static bool
has_bounds(const Stagger *g)
{
    const Kernel *k = g->k;
    const Stmt *loop = &k->stmts.p[g->loop];
    const Expr *begin = ir_expr(k, loop->loop.begin), *end = ir_expr(k, loop->loop.end);
    int64_t from, to;
    if (ir_loop_bounds(k, loop, &from, &to)) {
        return to - 1 > from;
    }
    return begin->dtype != DT_U64 && end->dtype != DT_U64 && begin->size < LARGE_EXPR &&
           end->size < LARGE_EXPR;
}

bool
stagger_describe(Stagger *g, StmtId loop)
{
    const Stmt *s = &g->k->stmts.p[loop];
    g->loop = loop;
    if (ir_is_multicore(s) || !divide(g) || !plain_body(g->k, s->loop.body)) {
        return false;
    }
    g->row = ir_var_value(g->k, s->loop.var);
    return sets_before_reads(g) && list_items(g);
}

bool
stagger_candidate(Stagger *g, StmtId loop)
{
    return stagger_describe(g, loop) && has_bounds(g) && may_overlap(g) &&
           fits_cache(g) && !rows_are_pages(g);
}
