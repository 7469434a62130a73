/* emit.c: recording of kernel statements, and the lifetimes of registers and
 * expressions.
 *
 * Every statement that the TIK objects record goes through tik_emit: it adds the span and
 * the call chain, enforces the statement limit and ends an open if chain. An expression
 * lives as long as the deepest scope among the registers and loop variables that it
 * reads; expr_scope holds that scope per expression. Since the expression table only
 * grows and operands precede their users, one walk over the new entries fills it.
 *
 * The condition of an elif_scope is evaluated before the call, when it is not yet known
 * that an elif_scope follows. So loads of elements that follow a link of an if chain are
 * recorded in place and remembered; tik_take_loads moves them when the chain goes on. */
#include "tik/sreg.h"
#include "tik/tik.h"

static bool
within_limit(Interp *in, Tik *c, Span span)
{
    const Limits *limits = &in->u->opt.limits;
    if ((int64_t)c->k->stmts.n > limits->statements) {
        py_diag(in, D_LIMIT_IR, span, "the kernel has more than %lld statements",
                (long long)limits->statements);
        return false;
    }
    if (c->k->arena.used > limits->memory) {
        py_diag(in, D_LIMIT_MEMORY, span, "the kernel takes more than %lld bytes",
                (long long)limits->memory);
        return false;
    }
    return true;
}

/* Records a statement, which gets its span and its chain. */
static inline bool
emit(Interp *in, Tik *c, Cursor *at, Stmt *s, Span span, StmtId *id)
{
    if (!within_limit(in, c, span)) {
        in->fatal = in->u->limit_hit = true;
        return false;
    }
    s->span = span;
    s->chain = py_chain(in);
    StmtId made = ir_append(c->k, at, s);
    if (id) {
        *id = made;
    }
    return true;
}

bool
tik_emit_at(Interp *in, Tik *c, Cursor *at, Stmt s, Span span, StmtId *id)
{
    return emit(in, c, at, &s, span, id);
}

bool
tik_emit(Interp *in, Tik *c, Stmt s, Span span, StmtId *id)
{
    if (id) {
        *id = 0;
    }
    if (tik_dropped(c)) {
        return true;
    }
    c->top->work->chain.active = false;
    return emit(in, c, &c->top->at, &s, span, id);
}

bool
tik_emit_element(Interp *in, Tik *c, Stmt s, Span span)
{
    IfChain *chain = &c->top->work->chain;
    Cursor before = c->top->at;
    StmtId id;
    if (tik_dropped(c)) {
        return true;
    }
    TRY(tik_emit_at(in, c, &c->top->at, s, span, &id));
    if (chain->active && !chain->loads) {
        chain->loads = id;
        chain->before = before;
    }
    return true;
}

/* Gives the registers of the loads a new scope, and forgets the scopes of all expressions
 * that may read them, so that these are computed again. */
static void
rescope(Tik *c, StmtId loads, TScope *scope)
{
    for (StmtId id = loads; id; id = c->k->stmts.p[id].next) {
        RegId r = c->k->stmts.p[id].load.reg;
        c->reg_scope.p[r] = scope;
        c->expr_scope.n = MIN(c->expr_scope.n, ir_reg_value(c->k, r));
    }
}

void
tik_take_loads(Tik *c, TScope *scope)
{
    IfChain *chain = &c->top->work->chain;
    StmtId first = chain->loads;
    chain->loads = 0;
    if (!first || (!chain->branch && !chain->decided)) {
        return; /* no run-time branch precedes: the loads may stay before the next one */
    }
    rescope(c, first, scope);
    Cursor last = c->top->at;
    *ir_body(c->k, chain->before.owner, chain->before.slot) = 0;
    c->top->at = chain->before;
    if (!chain->decided) {
        *ir_body(c->k, chain->else_at.owner, chain->else_at.slot) = first;
        chain->else_at = last;
    }
}

RegId
tik_new_reg(Interp *in, Tik *c, Sym name, Dtype t, Span span)
{
    RegId r = ir_reg(c->k, name, t, span);
    while (c->reg_scope.n <= r) {
        VEC_PUSH(&in->u->arena, &c->reg_scope, c->top);
    }
    return r;
}

static TScope *
deeper(TScope *a, TScope *b)
{
    if (!a->open) {
        return a;
    }
    if (!b->open) {
        return b;
    }
    return a->depth >= b->depth ? a : b;
}

static TScope *
scope_of_new(const Tik *c, const Expr *e)
{
    switch ((ExprKind)e->kind) {
    case EX_REG:
        return c->reg_scope.p[e->a];
    case EX_VAR:
        return c->var_scope.p[e->a];
    case EX_OP: {
        TScope *a = c->expr_scope.p[e->a];
        return e->b ? deeper(a, c->expr_scope.p[e->b]) : a;
    }
    case EX_NONE:
    case EX_CONST:
        break;
    }
    return c->expr_scope.p[0];
}

/* Returns a register or loop variable of the expression whose scope has ended. */
static ExprId
dead_leaf(const Tik *c, ExprId e)
{
    while (ir_expr(c->k, e)->kind == EX_OP) {
        const Expr *x = ir_expr(c->k, e);
        bool second = x->b && !c->expr_scope.p[x->b]->open;
        e = second ? x->b : x->a;
    }
    return e;
}

static void
report_dead(Interp *in, Tik *c, ExprId e, Span span)
{
    const Expr *leaf = ir_expr(c->k, dead_leaf(c, e));
    if (leaf->kind == EX_REG) {
        const Reg *r = &c->k->regs.p[leaf->a];
        Diag *d =
            py_diag(in, D_SCOPE_ENDED, span,
                    "Scalar '%s' is not defined in this scope: the scope that it was "
                    "created in has ended",
                    tik_sym(in, r->name));
        diag_note(in->u, d, r->span, "created here");
        return;
    }
    py_diag(in, D_SCOPE_ENDED, span,
            "loop variable '%s' is not defined in this scope: its loop has ended",
            tik_sym(in, c->k->vars.p[leaf->a].name));
}

static void
scopes_of_new(Interp *in, Tik *c)
{
    if (c->expr_scope.n == 0) {
        VEC_PUSH(&in->u->arena, &c->expr_scope, &c->top_level);
    }
    while (c->expr_scope.n < c->k->exprs.n) {
        TScope *s = scope_of_new(c, ir_expr(c->k, c->expr_scope.n));
        VEC_PUSH(&in->u->arena, &c->expr_scope, s);
    }
}

/* Replaces variables of multi-core loops that have ended by the core's index: after its
 * loop such a variable still means that. IR_MAX_EXPR bounds the recursion. */
static ExprId
after_loops(Interp *in, Tik *c, ExprId id)
{
    Expr e = *ir_expr(c->k, id);
    Dtype t = (Dtype)e.dtype;
    if (c->expr_scope.p[id]->open) {
        return id;
    }
    if (e.kind == EX_VAR && c->var_scope.p[e.a]->multicore) {
        return tik_core_index(in, c, t);
    }
    if (e.kind != EX_OP) {
        return id;
    }
    ExprId a = after_loops(in, c, e.a);
    if (e.op == SOP_CAST || e.op == SOP_BITS) {
        return e.op == SOP_CAST ? ir_cast(c->k, t, a) : ir_bits(c->k, t, a);
    }
    return e.b ? ir_op2(c->k, (ScalarOp)e.op, a, after_loops(in, c, e.b))
               : ir_op1(c->k, (ScalarOp)e.op, a);
}

bool
tik_in_scope(Interp *in, Tik *c, ExprId e)
{
    scopes_of_new(in, c);
    return c->expr_scope.p[e]->open;
}

bool
tik_still_alive(Interp *in, Tik *c, ExprId *e, Span span)
{
    scopes_of_new(in, c);
    if (!c->expr_scope.p[*e]->open) {
        *e = after_loops(in, c, *e);
        scopes_of_new(in, c);
    }
    if (c->expr_scope.p[*e]->open) {
        return true;
    }
    report_dead(in, c, *e, span);
    return false;
}

bool
tik_not_built(Interp *in, Tik *c, Span span)
{
    if (!c->built) {
        return true;
    }
    Diag *d =
        py_diag(in, D_BUILD_ARGS, span, "the container was ended by BuildCCE already");
    diag_note(in->u, d, c->k->span, "built here");
    return false;
}

TScope *
tik_innermost_loop(const Tik *c)
{
    for (TScope *s = c->top; s; s = s->parent) {
        if (s->kind == TS_LOOP) {
            return s;
        }
    }
    return NULL;
}
