/* loops.c: makes bounds of loops keep their meaning (language 5.1), which is for (k = 0;
 * k < end - begin; k++) with the variable k + begin, where both bounds are read wherever
 * they occur.
 *
 * Needs: any kernel. Guarantees: the same effects; afterwards
 * - no body of a loop assigns a register that a bound of the loop reads: later passes
 *   read bounds once;
 * - before each loop whose variable could leave its dtype, as far as the types of the
 *   bounds show, the instruction loop_bounds checks it; so for all later passes the
 *   variable is in its dtype.
 *
 * Never: changes multi-core loops, whose bounds are read once, beyond the second point;
 * adds a check that the text of a kernel already has.
 *
 * A loop whose body assigns what its bounds read becomes
 *
 *    for @k = 0 to the most that end - begin can be
 *        if k + begin >= end: break
 *        loop_bounds k + begin, end
 *        the body, with k + begin for the variable */
#include "isa/operand.h"
#include "passes/passes.h"
#include "passes/substitute.h"

typedef struct Loops {
    Kernel *k;
    Arena scratch;
    bool *assigned; /* by RegId: the body that is looked at assigns it */
    Substitution substitution;
} Loops;

/* ---- bounds -------------------------------------------------------------- */

typedef struct Span64 {
    int64_t lo, hi;
} Span64;

/* Returns what the type of an expression allows, seen through casts that keep every
 * value. */
static Span64
type_span(const Kernel *k, ExprId id)
{
    const Expr *e = ir_expr(k, id);
    Span64 s;
    bool full;
    if (e->kind == EX_CONST) {
        return (Span64){e->imm, e->imm};
    }
    scalar_range((Dtype)e->dtype, &s.lo, &s.hi, &full);
    if (!full) {
        s.lo = INT64_MIN; /* uint64 from 2^63 on */
    }
    if (e->kind == EX_OP && e->op == SOP_CAST &&
        !dtype_is_float((Dtype)ir_expr(k, e->a)->dtype)) {
        Span64 a = type_span(k, e->a);
        s = a.lo >= s.lo && a.hi <= s.hi && (full || a.lo >= 0) ? a : s;
    }
    return s;
}

static int64_t
wide_bounds(const Kernel *k, ExprId begin, ExprId end)
{
    bool b = ir_expr(k, begin)->dtype == DT_U64, e = ir_expr(k, end)->dtype == DT_U64;
    return (b ? LOOP_WIDE_BEGIN : 0) | (e ? LOOP_WIDE_END : 0);
}

/* True if the types do not prove that the variable stays in its dtype. */
static bool
needs_check(const Kernel *k, Dtype t, ExprId begin, ExprId end)
{
    int64_t lo, hi, wide = wide_bounds(k, begin, end);
    bool full;
    Span64 b = type_span(k, begin), e = type_span(k, end);
    scalar_range(t, &lo, &hi, &full);
    bool wide_ok = ((wide & LOOP_WIDE_BEGIN) == 0 || b.lo >= 0) &&
                   ((wide & LOOP_WIDE_END) == 0 || e.lo >= 0);
    return !wide_ok || (e.hi > b.lo && (b.lo < lo || (hi < INT64_MAX && e.hi > hi + 1)));
}

/* ---- what a body assigns ------------------------------------------------- */

static void
note_assigned(Loops *l, StmtId first, bool value)
{
    for (StmtId id = first; id; id = l->k->stmts.p[id].next) {
        const Stmt *s = &l->k->stmts.p[id];
        if (s->kind == ST_SET || s->kind == ST_LOAD) {
            l->assigned[s->kind == ST_SET ? s->set.reg : s->load.reg] = value;
        } else if (s->kind == ST_FOR) {
            note_assigned(l, s->loop.body, value);
        } else if (s->kind == ST_SCOPE) {
            note_assigned(l, s->scope.body, value);
        } else if (s->kind == ST_IF) {
            note_assigned(l, s->cond.then_body, value);
            note_assigned(l, s->cond.else_body, value);
        }
    }
}

static bool
reads_assigned(const Loops *l, ExprId id)
{
    const Expr *e = ir_expr(l->k, id);
    if (!(e->flags & EXF_REG)) {
        return false;
    }
    return e->kind == EX_REG
               ? l->assigned[e->a]
               : reads_assigned(l, e->a) || (e->b && reads_assigned(l, e->b));
}

static bool
changes_bounds(Loops *l, const Stmt *s)
{
    const Kernel *k = l->k;
    int flags = ir_expr(k, s->loop.begin)->flags | ir_expr(k, s->loop.end)->flags;
    if (!(flags & EXF_REG)) {
        return false;
    }
    note_assigned(l, s->loop.body, true);
    bool found = reads_assigned(l, s->loop.begin) || reads_assigned(l, s->loop.end);
    note_assigned(l, s->loop.body, false);
    return found;
}

/* ---- statements ---------------------------------------------------------- */

/* Adds a statement for the same place in the source; next comes after it. */
static StmtId
add_stmt(Kernel *k, StmtId like, Stmt s, StmtId next)
{
    s.span = k->stmts.p[like].span;
    s.chain = k->stmts.p[like].chain;
    s.next = next;
    VEC_PUSH(&k->arena, &k->stmts, s);
    return k->stmts.n - 1;
}

static StmtId
add_check(Kernel *k, StmtId loop, Dtype t, ExprId begin, ExprId end, StmtId next)
{
    int64_t wide = wide_bounds(k, begin, end);
    Arg args[4] = {{.kind = ARG_EXPR, .expr = begin},
                   {.kind = ARG_EXPR, .expr = end},
                   {.kind = ARG_EXPR, .expr = ir_const(k, DT_S64, t)},
                   {.kind = ARG_EXPR, .expr = ir_const(k, DT_S64, wide)}};
    Stmt s = {.kind = ST_INSTR,
              .instr = {.op = OP_LOOP_BOUNDS, .arg = ir_args(k, args, 4)}};
    return add_stmt(k, loop, s, next);
}

/* Returns k + begin >= end in the integers. Where k + begin may leave 64 bits, it
 * compares counted iterations instead. */
static ExprId
is_over(Kernel *k, ExprId var, ExprId here, const ExprId bounds[2], int64_t most)
{
    int64_t last;
    ExprId begin = bounds[0], end = bounds[1];
    if (checked_add(type_span(k, begin).hi, most, &last)) {
        return ir_op2(k, SOP_GE, here, end);
    }
    ExprId trips = ir_op2(k, SOP_SUB, ir_cast(k, DT_U64, end), ir_cast(k, DT_U64, begin));
    return ir_op2(k, SOP_OR, ir_op2(k, SOP_GE, begin, end),
                  ir_op2(k, SOP_GE, ir_cast(k, DT_U64, var), trips));
}

/* Returns the most iterations that the types allow. */
static int64_t
most_trips(const Kernel *k, ExprId begin, ExprId end)
{
    int64_t n;
    Span64 b = type_span(k, begin), e = type_span(k, end);
    return checked_sub(e.hi, b.lo, &n) ? MAX(n, 0) : INT64_MAX;
}

static void
reread(Loops *l, StmtId id)
{
    Kernel *k = l->k;
    Stmt s = k->stmts.p[id];
    Var old = k->vars.p[s.loop.var];
    ExprId bounds[2] = {ir_cast(k, DT_S64, s.loop.begin), ir_cast(k, DT_S64, s.loop.end)};
    int64_t most = most_trips(k, bounds[0], bounds[1]);
    VarId var = ir_var(k, old.name, DT_S64);
    ExprId trip = ir_var_value(k, var);
    ExprId here = ir_op2(k, SOP_ADD, trip, bounds[0]);
    k->vars.p[var].loop = id;
    k->vars.p[var].bound = old.bound;
    k->vars.p[var].shown = here;
    substitute_in(&l->substitution, s.loop.var, ir_cast(k, old.dtype, here), s.loop.body);
    StmtId body = s.loop.body;
    int64_t wide = wide_bounds(k, s.loop.begin, s.loop.end);
    bool check = wide || needs_check(k, old.dtype, s.loop.begin, s.loop.end);
    if (check && !wide) {
        body = add_check(k, id, old.dtype, here, bounds[1], body);
    }
    StmtId leave = add_stmt(k, id, (Stmt){.kind = ST_BREAK}, 0);
    ExprId over = is_over(k, trip, here, bounds, most);
    body = add_stmt(k, id, (Stmt){.kind = ST_IF, .cond = {over, leave, 0}}, body);
    if (wide) { /* a bound from 2^63 on would look negative, and end the loop */
        body = add_check(k, id, old.dtype, s.loop.begin, s.loop.end, body);
    }
    Stmt *loop = &k->stmts.p[id];
    loop->loop.var = var;
    loop->loop.begin = ir_const(k, DT_S64, 0);
    loop->loop.end = ir_const(k, DT_S64, most);
    loop->loop.body = body;
}

static StmtId loops_body(Loops *l, StmtId first);

/* True if the statement before a loop already checks what add_check would. */
static bool
has_check(const Kernel *k, StmtId before, const Stmt *loop)
{
    const Stmt *s = &k->stmts.p[before];
    if (s->kind != ST_INSTR || s->instr.op != OP_LOOP_BOUNDS) {
        return false;
    }
    const Arg *args = &k->args.p[s->instr.arg];
    ExprId begin = loop->loop.begin, end = loop->loop.end;
    return args[BOUNDS_begin].expr == begin && args[BOUNDS_end].expr == end &&
           ir_expr(k, args[BOUNDS_dtype].expr)->imm ==
               (int64_t)k->vars.p[loop->loop.var].dtype &&
           ir_expr(k, args[BOUNDS_wide].expr)->imm == wide_bounds(k, begin, end);
}

/* Returns the loop, or the check before it; before: the statement that precedes them.
 * Outer loops come first: a variable that became an expression may be a bound of an inner
 * loop. */
static StmtId
one_loop(Loops *l, StmtId id, StmtId before)
{
    Kernel *k = l->k;
    bool again = !ir_is_multicore(&k->stmts.p[id]) && changes_bounds(l, &k->stmts.p[id]);
    if (again) {
        reread(l, id);
    }
    StmtId body = loops_body(l, k->stmts.p[id].loop.body);
    Stmt *s = &k->stmts.p[id];
    s->loop.body = body;
    Dtype t = k->vars.p[s->loop.var].dtype;
    ExprId begin = s->loop.begin, end = s->loop.end;
    bool add = !again && needs_check(k, t, begin, end) && !has_check(k, before, s);
    return add ? add_check(k, id, t, begin, end, id) : id;
}

static StmtId
loops_body(Loops *l, StmtId first)
{
    Kernel *k = l->k;
    StmtId last = 0;
    for (StmtId id = first; id; last = id, id = k->stmts.p[id].next) {
        StmtId made = id, b;
        if (k->stmts.p[id].kind == ST_FOR) {
            made = one_loop(l, id, last);
        } else if (k->stmts.p[id].kind == ST_SCOPE) {
            b = loops_body(l, k->stmts.p[id].scope.body);
            k->stmts.p[id].scope.body = b;
        } else if (k->stmts.p[id].kind == ST_IF) {
            b = loops_body(l, k->stmts.p[id].cond.then_body);
            k->stmts.p[id].cond.then_body = b;
            b = loops_body(l, k->stmts.p[id].cond.else_body);
            k->stmts.p[id].cond.else_body = b;
        }
        if (made != id && last) {
            k->stmts.p[last].next = made;
        } else if (made != id) {
            first = made;
        }
    }
    return first;
}

bool
pass_loops(Kernel *k)
{
    Loops l = {.k = k};
    arena_init(&l.scratch);
    l.assigned = ARENA_ARRAY(&l.scratch, bool, k->regs.n);
    l.substitution = (Substitution){.k = k, .arena = &l.scratch};
    k->body = loops_body(&l, k->body);
    arena_free(&l.scratch);
    if (k->expr_too_large) {
        diag_add(k->unit, D_LIMIT_IR, k->span, 0,
                 "an expression of the kernel has more than %d operations", IR_MAX_EXPR);
    }
    return !k->expr_too_large;
}
