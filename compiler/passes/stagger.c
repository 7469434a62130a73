/* stagger.c: begins an iteration of a loop before the one before it has ended, so that
 * what waits for a sum or an extreme of one row computes with the other row meanwhile.
 *
 * Needs: fused scopes, and the lists of what they drop. Guarantees: the body of such a
 * loop is divided where an instruction waits for a register that instructions before it
 * in the body have made. The first half of the parts of an iteration take turns with the
 * other half of the iteration before. Never: changes what an iteration computes, or works
 * on loops that may end with an error.
 *
 *      for v { A B C }    becomes    A(0) B(0)
 *                                    for v, but the last { A(v + 1) C(v) B(v + 1) }
 *                                    C(last)
 *
 * An early part moves before late parts of the iteration before. Of the bytes that both
 * access, and one of them writes, there are none; or each part reads there only what it
 * wrote itself; or the buffer begins to live in the body, and iterations take turns with
 * two of them, since the program asks for that many iterations at a time, or with two
 * rows of it, if it has room for them. */
#include "passes/copy.h"
#include "passes/passes.h"
#include "passes/rewrite.h"
#include "passes/stagger.h"

/* The late parts have registers of their own. */
static void
own_registers(const Stagger *g, Copy *late)
{
    for (int i = 0; i < g->nstmts; i++) {
        RegId r = stagger_sets(&g->k->stmts.p[g->stmt[i]]);
        if (r != 0 && late->reg[r] == 0) {
            const Reg old = g->k->regs.p[r];
            late->reg[r] = ir_reg(g->k, old.name, old.dtype, old.span);
        }
    }
}

/* Makes one buffer of two, of which iterations take turns with the halves. */
static BufId
double_buffer(Kernel *k, BufId b)
{
    Buffer x = k->bufs.p[b];
    int64_t room = 2 * ir_room(&x);
    x.elems = room / dtype_size(x.dtype);
    x.bytes = room;
    x.grown = 0;
    x.copies = 1;
    x.shape.p = &x.elems;
    x.shape.n = 1;
    return ir_buffer(k, &x);
}

static void
own_buffers(Stagger *g, Copy *c)
{
    Kernel *k = g->k;
    ExprId one = ir_const(k, k->vars.p[c->var].dtype, 1);
    for (uint32_t i = 0; i < g->own.n; i++) {
        BufId b = g->own.p[i];
        ExprId half = ir_cast(k, DT_S64, ir_op2(k, SOP_AND, c->value, one));
        c->buf[b] = g->doubled.p[i];
        c->shift[b] = ir_op2(k, SOP_MUL, half, ir_const(k, DT_S64, stagger_step(g, b)));
    }
}

/* Begins copies of statements for the iteration of that value of the variable. */
static Copy
copy_for(Stagger *g, ExprId row, const Copy *registers)
{
    Copy c;
    copy_init(&c, g->k, &g->scratch);
    c.var = g->k->stmts.p[g->loop].loop.var;
    c.value = row;
    if (registers != NULL) {
        c.reg = registers->reg;
    }
    own_buffers(g, &c);
    return c;
}

static void
copy_part(const Stagger *g, Copy *c, Cursor *to, int part)
{
    for (int i = 0; i < g->nstmts; i++) {
        if (g->part[i] == part && g->k->stmts.p[g->stmt[i]].kind != ST_ALLOC) {
            copy_stmt(c, to, g->stmt[i]);
        }
    }
}

static bool
part_reads(const Stagger *g, int from, RegId r)
{
    for (int i = 0; i < g->nstmts; i++) {
        if (g->part[i] >= from && rewrite_stmt_reads(g->k, g->stmt[i], r)) {
            return true;
        }
    }
    return false;
}

/* Appends a copy of registers that parts of a range set: from the early ones to those of
 * the late parts, or back. */
static void
hand_over(const Stagger *g, const Copy *late, Cursor *to, bool back)
{
    int early = stagger_early(g);
    for (RegId r = 1; r < late->nregs; r++) {
        bool set[2] = {false, false};
        for (int i = 0; late->reg[r] != 0 && i < g->nstmts; i++) {
            if (stagger_sets(&g->k->stmts.p[g->stmt[i]]) == r) {
                set[g->part[i] >= early] = true;
            }
        }
        if (back ? !set[1] : !set[0] || !part_reads(g, early, r)) {
            continue;
        }
        RegId from = back ? late->reg[r] : r;
        Stmt s = {.kind = ST_SET,
                  .span = g->k->stmts.p[g->loop].span,
                  .chain = g->k->stmts.p[g->loop].chain};
        s.set.reg = back ? r : late->reg[r];
        s.set.value = ir_reg_value(g->k, from);
        (void)ir_append(g->k, to, &s);
    }
}

/* Appends the allocations of the body. */
static void
copy_allocations(Stagger *g, Cursor *to)
{
    g->doubled.n = 0;
    for (uint32_t i = 0; i < g->own.n; i++) {
        BufId b = g->own.p[i];
        bool inside = stagger_step(g, b) < ir_room(&g->k->bufs.p[b]);
        VEC_PUSH(&g->scratch, &g->doubled, inside ? b : double_buffer(g->k, b));
    }
    for (int i = 0; i < g->nstmts; i++) {
        Stmt s = g->k->stmts.p[g->stmt[i]];
        if (s.kind != ST_ALLOC) {
            continue;
        }
        for (uint32_t j = 0; j < g->own.n; j++) {
            s.alloc.buf = s.alloc.buf == g->own.p[j] ? g->doubled.p[j] : s.alloc.buf;
        }
        (void)ir_append(g->k, to, &s);
    }
}

/* Appends the loop over all iterations but the last one. */
static void
append_loop(Stagger *g, const Copy *registers, ExprId last, Cursor *to)
{
    Kernel *k = g->k;
    Stmt loop = k->stmts.p[g->loop];
    const Var old = k->vars.p[loop.loop.var];
    int early = stagger_early(g);
    loop.loop.var = ir_var(k, old.name, old.dtype);
    k->vars.p[loop.loop.var].bound = old.bound;
    loop.loop.end = last;
    loop.loop.thread_num = 1;
    loop.loop.body = 0;
    loop.next = 0;
    Cursor in = ir_cursor_body(ir_append(k, to, &loop), 0);
    ExprId now = ir_var_value(k, loop.loop.var);
    ExprId next = ir_op2(k, SOP_ADD, now, ir_const(k, old.dtype, 1));
    Copy c = copy_for(g, now, registers), d = copy_for(g, next, NULL);
    for (int part = 0; part < early; part++) {
        copy_part(g, &d, &in, part);
        if (early + part < g->parts) {
            copy_part(g, &c, &in, early + part);
        }
    }
    hand_over(g, registers, &in, false);
}

/* Appends what the loop becomes. */
static void
append_all(Stagger *g, Cursor to)
{
    Kernel *k = g->k;
    Stmt loop = k->stmts.p[g->loop];
    Dtype t = k->vars.p[loop.loop.var].dtype;
    Dtype of = (Dtype)ir_expr(k, loop.loop.end)->dtype;
    ExprId first = ir_cast(k, t, loop.loop.begin);
    ExprId last = ir_op2(k, SOP_SUB, loop.loop.end, ir_const(k, of, 1));
    copy_allocations(g, &to);
    Copy early = copy_for(g, first, NULL), late = copy_for(g, ir_cast(k, t, last), NULL);
    own_registers(g, &late);
    for (int part = 0; part < stagger_early(g); part++) {
        copy_part(g, &early, &to, part);
    }
    hand_over(g, &late, &to, false);
    append_loop(g, &late, last, &to);
    for (int part = stagger_early(g); part < g->parts; part++) {
        copy_part(g, &late, &to, part);
    }
    hand_over(g, &late, &to, true);
}

/* Puts a scope in the place of the loop at the cursor, or, where the loop may have no
 * iteration, a branch. */
static void
replace_loop(Stagger *g, Cursor *at)
{
    Kernel *k = g->k;
    const Stmt loop = k->stmts.p[g->loop];
    int64_t begin, end;
    Stmt s = {.kind = ST_SCOPE, .span = loop.span, .chain = loop.chain};
    if (!ir_loop_bounds(k, &loop, &begin, &end)) {
        s.kind = ST_IF;
        s.cond.cond = ir_op2(k, SOP_LT, ir_cast(k, DT_S64, loop.loop.begin),
                             ir_cast(k, DT_S64, loop.loop.end));
    }
    *ir_body(k, at->owner, at->slot) = loop.next;
    append_all(g, ir_cursor_body(ir_append(k, at, &s), 0));
}

static void
stagger_body(Stagger *g, StmtId owner, int slot)
{
    Kernel *k = g->k;
    Cursor at = ir_cursor_body(owner, slot);
    for (StmtId s; (s = *ir_body(k, at.owner, at.slot)) != 0;) {
        StmtKind kind = (StmtKind)k->stmts.p[s].kind;
        if (kind == ST_FOR && stagger_candidate(g, s)) {
            replace_loop(g, &at);
            continue;
        }
        if (kind == ST_FOR || kind == ST_IF || kind == ST_SCOPE) {
            stagger_body(g, s, 0);
        }
        if (kind == ST_IF) {
            stagger_body(g, s, 1);
        }
        at = (Cursor){s, 2};
    }
}

bool
pass_stagger(Kernel *k)
{
    Arena scratch;
    for (BufId i = 1; i < k->bufs.n; i++) {
        if (k->bufs.p[i].scope == SC_SREG) {
            return true; /* atomic modes */
        }
    }
    arena_init(&scratch);
    Stagger *g = ARENA_NEW(&scratch, Stagger);
    g->k = k;
    arena_init(&g->scratch);
    env_init(&g->env, k, &g->scratch);
    rewrite_enter_loops(&g->env, k, k->body);
    stagger_body(g, 0, 0);
    arena_free(&g->scratch);
    arena_free(&scratch);
    return true;
}
