/* copy.c: copies of statements with replacements (see passes/copy.h). */
#include "passes/copy.h"

void
copy_init(Copy *c, Kernel *k, Arena *arena)
{
    *c = (Copy){.k = k, .nregs = k->regs.n};
    c->reg = ARENA_ARRAY(arena, RegId, k->regs.n);
    c->buf = ARENA_ARRAY(arena, BufId, k->bufs.n);
    c->shift = ARENA_ARRAY(arena, ExprId, k->bufs.n);
    c->done = ARENA_ARRAY(arena, ExprId, k->exprs.n);
}

/* ---- expressions --------------------------------------------------------- */

static ExprId copy_expr(Copy *c, ExprId e);

static ExprId
copy_op(Copy *c, const Expr *x)
{
    ScalarOp op = (ScalarOp)x->op;
    ExprId a = copy_expr(c, x->a);
    if (op == SOP_CAST) {
        return ir_cast(c->k, (Dtype)x->dtype, a);
    }
    if (op == SOP_BITS) {
        return ir_bits(c->k, (Dtype)x->dtype, a);
    }
    return x->b == 0 ? ir_op1(c->k, op, a) : ir_op2(c->k, op, a, copy_expr(c, x->b));
}

static ExprId
copy_expr(Copy *c, ExprId e)
{
    Expr x = *ir_expr(c->k, e); /* the table moves when it grows */
    if (x.flags == 0) {
        return e;
    }
    if (c->done[e] != 0) {
        return c->done[e];
    }
    ExprId made = e;
    if (x.kind == EX_VAR) {
        made = x.a == c->var ? c->value : e;
    } else if (x.kind == EX_REG) {
        made = c->reg[x.a] == 0 ? e : ir_reg_value(c->k, c->reg[x.a]);
    } else {
        made = copy_op(c, &x);
    }
    return c->done[e] = made;
}

/* ---- statements ---------------------------------------------------------- */

static BufId
copy_buf(const Copy *c, BufId b)
{
    return c->buf[b] == 0 ? b : c->buf[b];
}

static RegId
copy_reg(const Copy *c, RegId r)
{
    return c->reg[r] == 0 ? r : c->reg[r];
}

static Ref
copy_ref(Copy *c, const Ref *r)
{
    ExprId off = copy_expr(c, r->off), shift = c->shift[r->buf];
    off = shift == 0 ? off : ir_op2(c->k, SOP_ADD, off, shift);
    return (Ref){copy_buf(c, r->buf), r->dtype, off};
}

static Arg
copy_arg(Copy *c, Arg a)
{
    switch (a.kind) {
    case ARG_NONE:
        break;
    case ARG_REF:
        a.ref = copy_ref(c, &a.ref);
        break;
    case ARG_EXPR:
        a.expr = copy_expr(c, a.expr);
        break;
    case ARG_MASK:
        for (int w = 0; w < mask_words(a.mask_form); w++) {
            a.mask[w] = copy_expr(c, a.mask[w]);
        }
        break;
    }
    return a;
}

static void
copy_instr(Copy *c, Stmt *s)
{
    int n;
    Arg args[MAX_PARAMS];
    (void)form_params(op_table[s->instr.op].form, &n);
    for (int i = 0; i < n; i++) {
        args[i] = copy_arg(c, c->k->args.p[s->instr.arg + (uint32_t)i]);
    }
    s->instr.arg = ir_args(c->k, args, n);
}

/* The list of what is dropped has a copy too, since it names buffers. */
static void
copy_scope(Copy *c, Cursor *to, Stmt *s)
{
    StmtId first = s->scope.body;
    uint32_t drop = s->scope.drop;
    s->scope.body = 0;
    s->scope.drop = c->k->drops.n;
    for (uint32_t i = 0; i < s->scope.ndrops; i++) {
        VEC_PUSH(&c->k->arena, &c->k->drops, copy_buf(c, c->k->drops.p[drop + i]));
    }
    Cursor inside = ir_cursor_body(ir_append(c->k, to, s), 0);
    for (StmtId i = first; i != 0; i = c->k->stmts.p[i].next) {
        copy_stmt(c, &inside, i);
    }
}

void
copy_stmt(Copy *c, Cursor *to, StmtId id)
{
    Stmt s = c->k->stmts.p[id];
    s.next = 0;
    switch ((StmtKind)s.kind) {
    case ST_NONE:
        return;
    case ST_INSTR:
        copy_instr(c, &s);
        break;
    case ST_SET:
        s.set.value = copy_expr(c, s.set.value);
        s.set.reg = copy_reg(c, s.set.reg);
        break;
    case ST_LOAD:
        s.load.ref = copy_ref(c, &s.load.ref);
        s.load.reg = copy_reg(c, s.load.reg);
        break;
    case ST_STORE:
        s.store.ref = copy_ref(c, &s.store.ref);
        s.store.value = copy_expr(c, s.store.value);
        break;
    case ST_ALLOC:
        s.alloc.buf = copy_buf(c, s.alloc.buf);
        break;
    case ST_SCOPE:
        copy_scope(c, to, &s);
        return;
    default:
        ICE("statement %u is not copied", (unsigned)id);
    }
    (void)ir_append(c->k, to, &s);
}
