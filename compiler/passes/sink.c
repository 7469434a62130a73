/* sink.c: moves an instruction over many rows into the loop over the rows that comes
 * before or after it, as an instruction over the row of the iteration. So tiles of a row
 * take the place of tiles of all rows, and the instruction can be fused with those of the
 * loop.
 *
 * Needs: a checked kernel whose buffers have addresses, in a copy for the host.
 * Guarantees: of two accesses of the same bytes, one of them a write, the order is kept.
 * Never: moves an instruction past another statement than the loop.
 *
 * Before the loop, an instruction over n rows becomes the first statement of the
 * iterations 0 to n - 1 if each of them accesses, of what the instruction writes, only
 * the row of its number, and writes, of what the instruction reads, only that row. After
 * the loop it becomes the last statement, for the same reason. */
#include "isa/operand.h"
#include "passes/access.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

enum {
    LEAST_ROW = 64 /* bytes of a row that are worth an instruction of their own */
};

typedef struct Sink {
    Kernel *k;
    Env env;
    Arena scratch;
    /* the loop */
    StmtId loop;
    int64_t trips;
    ExprId row; /* the value of its variable */
    /* the instruction */
    Iteration it;
} Sink;

/* ---- the loop ------------------------------------------------------------ */

static bool
has_jumps(const Kernel *k, StmtId first)
{
    for (StmtId s = first; s != 0; s = k->stmts.p[s].next) {
        const Stmt *st = &k->stmts.p[s];
        bool inside = (st->kind == ST_FOR && has_jumps(k, st->loop.body)) ||
                      (st->kind == ST_SCOPE && has_jumps(k, st->scope.body)) ||
                      (st->kind == ST_IF && (has_jumps(k, st->cond.then_body) ||
                                             has_jumps(k, st->cond.else_body)));
        if (inside || st->kind == ST_BREAK || st->kind == ST_CONTINUE ||
            st->kind == ST_RETURN) {
            return true;
        }
    }
    return false;
}

static bool
begin_loop(Sink *x, StmtId s)
{
    const Stmt *st = &x->k->stmts.p[s];
    int64_t begin, end;
    if (st->kind != ST_FOR || ir_is_multicore(st) ||
        !ir_loop_bounds(x->k, st, &begin, &end) || begin != 0 || end < 2 ||
        has_jumps(x->k, st->loop.body)) {
        return false;
    }
    x->loop = s;
    x->trips = end;
    x->row = ir_var_value(x->k, st->loop.var);
    return true;
}

/* ---- accesses of the loop ------------------------------------------------ */

/* Returns the bytes of an operand in one row. */
static int64_t
row_bytes(const Sink *x, const IterationOperand *o)
{
    return x->it.lanes.times / x->trips * dtype_size(o->ref.dtype);
}

/* Takes the row's number times the bytes of a row out of a sum; false: it is not in. */
static bool
take_row(const Sink *x, Affine *d, int64_t bytes)
{
    for (int i = 0; i < d->n; i++) {
        if (d->atom[i] == x->row && d->factor[i] == bytes) {
            d->atom[i] = d->atom[d->n - 1];
            d->factor[i] = d->factor[d->n - 1];
            d->n--;
            return true;
        }
    }
    return false;
}

/* Returns whether an access is inside of the iteration's row of an operand. */
static bool
in_row(const Sink *x, const Access *a, const IterationOperand *o)
{
    Affine p, q, d;
    int64_t bytes = row_bytes(x, o), lo, hi;
    if (!a->known || !env_affine(&x->env, a->off, &p) ||
        !env_affine(&x->env, o->ref.off, &q) || !affine_sub(&p, &q, &d) ||
        !take_row(x, &d, bytes)) {
        return false;
    }
    Interval at = env_affine_range(&x->env, &d);
    return checked_add(at.lo, a->fp.offset, &lo) && lo >= 0 &&
           checked_add(at.hi, access_end(a), &hi) && hi <= bytes;
}

static bool
stmt_allows(const Sink *x, const Stmt *s)
{
    Access a[MAX_ACCESSES];
    int n = access_list(x->k, s, a);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < x->it.n; j++) {
            const IterationOperand *o = &x->it.op[j];
            bool lists = x->k->bufs.p[a[i].buf].role == BUF_LIST;
            if ((a[i].write || o->writes) && (lists || a[i].buf == o->ref.buf) &&
                !in_row(x, &a[i], o)) {
                return false;
            }
        }
    }
    return true;
}

static bool
body_allows(const Sink *x, StmtId first)
{
    for (StmtId s = first; s != 0; s = x->k->stmts.p[s].next) {
        const Stmt *st = &x->k->stmts.p[s];
        bool ok = st->kind == ST_FOR     ? body_allows(x, st->loop.body)
                  : st->kind == ST_SCOPE ? body_allows(x, st->scope.body)
                  : st->kind == ST_IF    ? body_allows(x, st->cond.then_body) &&
                                            body_allows(x, st->cond.else_body)
                                      : stmt_allows(x, st);
        if (!ok) {
            return false;
        }
    }
    return true;
}

/* ---- the instruction ----------------------------------------------------- */

/* Returns the slot that says how many repeats or bursts there are, if their number can be
 * divided by that of the rows; else -1. */
static int
divided_slot(const Sink *x, const Stmt *s)
{
    int n, slot = -1;
    Form form = op_table[s->instr.op].form;
    const ParamInfo *params = form_params(form, &n);
    for (int i = 0; i < n; i++) {
        const Arg *a = &x->k->args.p[s->instr.arg + (uint32_t)i];
        if (params[i].role == ROLE_REPEAT) {
            slot = i;
        } else if (params[i].role == ROLE_MASK && a->mask_form == MASK_COUNTER) {
            return -1;
        }
    }
    if (slot < 0) {
        return -1;
    }
    ExprId e = x->k->args.p[s->instr.arg + (uint32_t)slot].expr;
    return ir_is_const(x->k, e) && ir_expr(x->k, e)->imm % x->trips == 0 ? slot : -1;
}

/* Moves are one burst or bursts that follow each other. */
static bool
can_divide(const Sink *x, const Stmt *s)
{
    const Arg *args = &x->k->args.p[s->instr.arg];
    if (!x->it.moves) {
        return divided_slot(x, s) >= 0;
    }
    int64_t bursts = ir_expr(x->k, args[MOVE_nburst].expr)->imm;
    int64_t units = ir_expr(x->k, args[MOVE_burst].expr)->imm;
    return ir_is_const(x->k, args[MOVE_nburst].expr) &&
           ir_is_const(x->k, args[MOVE_burst].expr) && bursts * units % x->trips == 0;
}

/* Returns whether an operand is read elsewhere than where it is written: then the order
 * of reads and writes depends on the repeats. */
static bool
shifts(const Iteration *it)
{
    for (int i = 1; i < it->n; i++) {
        if (it->op[i].ref.buf == it->op[0].ref.buf &&
            it->op[i].ref.off != it->op[0].ref.off) {
            return true;
        }
    }
    return false;
}

static bool
begin_instr(Sink *x, StmtId s)
{
    const Stmt *st = &x->k->stmts.p[s];
    if (st->kind != ST_INSTR || st->proof != PROOF_PROVED ||
        !iteration_of(x->k, st, &x->it) || !x->it.flat || !count_known(x->it.lanes) ||
        iteration_has_bits(&x->it) || x->it.lanes.times % x->trips != 0 ||
        !can_divide(x, st) || shifts(&x->it)) {
        return false;
    }
    StmtId body = x->k->stmts.p[x->loop].loop.body;
    for (int i = 0; i < x->it.n; i++) {
        const IterationOperand *o = &x->it.op[i];
        if (row_bytes(x, o) < LEAST_ROW || x->k->bufs.p[o->ref.buf].dynamic ||
            x->k->bufs.p[o->ref.buf].role == BUF_LIST) {
            return false;
        }
    }
    int n;
    (void)form_params(op_table[st->instr.op].form, &n);
    for (int i = 0; i < n; i++) {
        const Arg *a = &x->k->args.p[st->instr.arg + (uint32_t)i];
        ExprId e = a->kind == ARG_REF ? a->ref.off : a->kind == ARG_EXPR ? a->expr : 0;
        if (e != 0 && rewrite_changes(x->k, body, e)) {
            return false;
        }
    }
    return body_allows(x, body);
}

/* ---- the row's instruction ----------------------------------------------- */

static void
set_number(Sink *x, uint32_t first, int slot, int64_t v)
{
    Dtype t = (Dtype)ir_expr(x->k, x->k->args.p[first + (uint32_t)slot].expr)->dtype;
    ExprId e = ir_const(x->k, t, v);
    x->k->args.p[first + (uint32_t)slot].expr = e;
}

/* Makes the instruction over the rows one over the row of the iteration. */
static void
divide(Sink *x, StmtId s)
{
    Kernel *k = x->k;
    uint32_t first = k->stmts.p[s].instr.arg;
    for (int i = 0; i < x->it.n; i++) {
        const IterationOperand *o = &x->it.op[i];
        ExprId step = ir_const(k, DT_S64, row_bytes(x, o));
        ExprId at = ir_op2(k, SOP_MUL, ir_cast(k, DT_S64, x->row), step);
        at = ir_op2(k, SOP_ADD, o->ref.off, at);
        k->args.p[first + (uint32_t)o->slot].ref.off = at;
    }
    if (!x->it.moves) {
        int slot = divided_slot(x, &k->stmts.p[s]);
        int64_t n = ir_expr(k, k->args.p[first + (uint32_t)slot].expr)->imm;
        set_number(x, first, slot, n / x->trips);
        return;
    }
    int64_t bursts = ir_expr(k, k->args.p[first + MOVE_nburst].expr)->imm;
    int64_t units = ir_expr(k, k->args.p[first + MOVE_burst].expr)->imm;
    set_number(x, first, MOVE_nburst, 1);
    set_number(x, first, MOVE_burst, bursts * units / x->trips);
}

/* ---- bodies -------------------------------------------------------------- */

typedef VEC(StmtId) StmtList;

static void
list_body(Sink *x, StmtId first, StmtList *out)
{
    for (StmtId s = first; s != 0; s = x->k->stmts.p[s].next) {
        VEC_PUSH(&x->scratch, out, s);
    }
}

/* Links the statements of a list that are not 0; returns the first. */
static StmtId
link_body(Kernel *k, const StmtList *all)
{
    StmtId first = 0;
    for (uint32_t i = all->n; i-- > 0;) {
        if (all->p[i] != 0) {
            k->stmts.p[all->p[i]].next = first;
            first = all->p[i];
        }
    }
    return first;
}

/* Takes statement i out of the list if it can go into the loop. */
static bool
sink_one(Sink *x, StmtList *all, uint32_t i, bool to_front)
{
    Kernel *k = x->k;
    StmtId s = all->p[i];
    if (!begin_instr(x, s)) {
        return false;
    }
    divide(x, s);
    all->p[i] = 0;
    StmtId *link = &k->stmts.p[x->loop].loop.body;
    while (!to_front && *link != 0) {
        link = &k->stmts.p[*link].next;
    }
    k->stmts.p[s].next = *link;
    *link = s;
    return true;
}

static void
sink_around(Sink *x, StmtList *all, uint32_t loop)
{
    for (uint32_t i = loop; i-- > 0;) {
        bool alloc = all->p[i] == 0 || x->k->stmts.p[all->p[i]].kind == ST_ALLOC;
        if (!alloc && !sink_one(x, all, i, true)) {
            break;
        }
    }
    for (uint32_t i = loop + 1; i < all->n; i++) {
        if (all->p[i] != 0 && !sink_one(x, all, i, false)) {
            break;
        }
    }
}

static void sink_body(Sink *x, StmtId owner, int slot);

static void
sink_inside(Sink *x, StmtId s)
{
    StmtKind kind = (StmtKind)x->k->stmts.p[s].kind;
    if (kind == ST_FOR || kind == ST_SCOPE || kind == ST_IF) {
        sink_body(x, s, 0);
    }
    if (kind == ST_IF) {
        sink_body(x, s, 1);
    }
}

static void
sink_body(Sink *x, StmtId owner, int slot)
{
    StmtList all = {0};
    list_body(x, *ir_body(x->k, owner, slot), &all);
    for (uint32_t i = 0; i < all.n; i++) {
        if (all.p[i] != 0 && begin_loop(x, all.p[i])) {
            sink_around(x, &all, i);
        }
    }
    StmtId first = link_body(x->k, &all);
    *ir_body(x->k, owner, slot) = first;
    for (StmtId s = first; s != 0; s = x->k->stmts.p[s].next) {
        sink_inside(x, s);
    }
}

bool
pass_sink(Kernel *k)
{
    Sink x = {.k = k};
    arena_init(&x.scratch);
    env_init(&x.env, k, &x.scratch);
    rewrite_enter_loops(&x.env, k, k->body);
    sink_body(&x, 0, 0);
    arena_free(&x.scratch);
    return true;
}
