/* verify.c: checks that a kernel is well-formed. A fault here is ours (ICE), never the
 * user's: the stage and the parser report theirs before they build. It runs between
 * passes when --verify-each is given, and in tests.
 *
 * It checks these invariants:
 *   tables       index 0 is "none"; every id is inside its table
 *   expressions  operands come before their users; operands of two-operand
 *                operations have equal dtypes; the result has that dtype
 *                (comparisons: bool); bit operations are on integers or bool; cast
 *                changes the dtype, bits keeps the width; constants are canonical;
 *                at most IR_MAX_EXPR nodes, with size and flags as their operands
 *                say
 *   buffers      bytes = elems * size > 0 (lists: windows), the shape's product is
 *                elems; role local exactly for the memories of a core; 1 to
 *                IR_MAX_COPIES copies; global ones have no address
 *   params       global buffers, each once; not constant tables, which alone have
 *                data; a list holds 1 to LIST_MAX addresses
 *   bodies       every statement has one place; at most IR_MAX_NEST deep
 *   loops        the variable is an integer and belongs to one loop, which names
 *                it; bounds are integers; a multi-core loop runs from 0 to
 *                block_num with thread_num 1 and is in no other multi-core loop
 *   visibility   a loop variable is read only in its loop's body; a local buffer is
 *                used only after its one alloc in that body (and deeper); a global
 *                buffer is a param or a constant table
 *   types        set, store and load have the dtype of their register or element;
 *                conditions are bool; offsets are int64; integer operands and masks
 *                are integers, attributes constants; every operand is of the kind
 *                of its role
 *   jumps        break and continue are in a loop inside the innermost multi-core
 *                loop, if any */
#include "ir/ir.h"

typedef struct Verify {
    const Kernel *k;
    const char *after;
    StmtId at;         /* statement that is being checked */
    bool *seen;        /* by StmtId */
    bool *visible_var; /* by VarId */
    bool *visible_buf; /* by BufId */
    bool *allocated;   /* by BufId: its alloc has come */
    int depth;
    int loops; /* number of loops that a break could leave */
    bool in_multicore;
} Verify;

#define REQUIRE(v, fact)                                                                 \
    do {                                                                                 \
        if (!(fact)) {                                                                   \
            ICE("kernel after '%s', statement %u: not so: %s", (v)->after,               \
                (unsigned)(v)->at, #fact);                                               \
        }                                                                                \
    } while (0)

static bool
is_integer(Dtype t)
{
    return t != DT_NONE && !dtype_is_float(t) && t != DT_BOOL;
}

/* ---- tables -------------------------------------------------------------- */

static void
verify_op(const Verify *v, ExprId id)
{
    const Expr *e = ir_expr(v->k, id);
    REQUIRE(v, e->op < SOP_COUNT && e->a && e->a < id && e->b < id);
    const Expr *a = ir_expr(v->k, e->a);
    const Expr *b = ir_expr(v->k, e->b);
    ScalarOp op = (ScalarOp)e->op;
    REQUIRE(v, (scalar_op_table[op].arity == 2) == (e->b != 0));
    REQUIRE(v, e->size == a->size + b->size + 1 && e->size <= IR_MAX_EXPR);
    REQUIRE(v, e->flags == (a->flags | b->flags));
    if (op == SOP_CAST) {
        REQUIRE(v, e->dtype != a->dtype);
        return;
    }
    if (op == SOP_BITS) {
        REQUIRE(v, dtype_size((Dtype)e->dtype) == dtype_size((Dtype)a->dtype));
        return;
    }
    REQUIRE(v, e->b == 0 || a->dtype == b->dtype);
    REQUIRE(v, e->dtype == (scalar_is_compare(op) ? DT_BOOL : a->dtype));
    REQUIRE(v, op < SOP_SHL || op > SOP_NOT || !dtype_is_float((Dtype)a->dtype));
}

static void
verify_exprs(const Verify *v)
{
    const Kernel *k = v->k;
    for (ExprId id = 1; id < k->exprs.n; id++) {
        const Expr *e = ir_expr(k, id);
        REQUIRE(v, e->dtype > DT_NONE && e->dtype < DT_PLAIN);
        switch ((ExprKind)e->kind) {
        case EX_CONST:
            REQUIRE(v, scalar_wrap((Dtype)e->dtype, e->imm) == e->imm && !e->flags);
            break;
        case EX_REG:
            REQUIRE(v,
                    e->a && e->a < k->regs.n && k->regs.p[e->a].dtype == (Dtype)e->dtype);
            REQUIRE(v, e->flags == EXF_REG);
            break;
        case EX_VAR:
            REQUIRE(v,
                    e->a && e->a < k->vars.n && k->vars.p[e->a].dtype == (Dtype)e->dtype);
            REQUIRE(v, e->flags == EXF_VAR);
            break;
        case EX_OP:
            verify_op(v, id);
            break;
        case EX_NONE:
            REQUIRE(v, e->kind != EX_NONE);
        }
    }
}

static void
verify_buffer(const Verify *v, const Buffer *b)
{
    int64_t product = 1;
    REQUIRE(v, dtype_is_stored((int)b->dtype) && b->scope < SC_COUNT);
    int64_t pitch = b->role == BUF_LIST ? LIST_WINDOW : dtype_size(b->dtype);
    REQUIRE(v, b->elems > 0 && b->bytes == b->elems * pitch);
    REQUIRE(v, b->role != BUF_LIST || (b->elems <= LIST_MAX && b->dtype == DT_S64));
    REQUIRE(v, (b->role == BUF_CONST) == (b->data != NULL));
    REQUIRE(v, b->role != BUF_CONST || b->bytes <= IR_MAX_CONST);
    REQUIRE(v, b->pack == NULL || b->role == BUF_CONST);
    REQUIRE(v, !b->packed || b->pack != NULL);
    REQUIRE(v, !b->preset || (b->role > BUF_IN && b->role <= BUF_GLOBAL &&
                              scalar_wrap(b->dtype, b->preset_value) == b->preset_value));
    REQUIRE(v, (!b->fixed && b->apart.n == 0) || b->role == BUF_LOCAL);
    REQUIRE(v, b->copies >= 1 && b->copies <= IR_MAX_COPIES);
    REQUIRE(v, (b->role == BUF_LOCAL) == (b->scope != SC_GM));
    REQUIRE(v, b->scope != SC_GM || b->address == -1);
    for (uint32_t i = 0; i < b->shape.n; i++) {
        product *= b->shape.p[i];
    }
    REQUIRE(v, b->shape.n == 0 || product == b->elems);
    REQUIRE(v, !b->dynamic || b->scope == SC_GM || b->shape.n == 0);
}

static void
verify_tables(Verify *v)
{
    const Kernel *k = v->k;
    REQUIRE(v, k->soc && k->unit);
    for (BufId id = 1; id < k->bufs.n; id++) {
        verify_buffer(v, &k->bufs.p[id]);
    }
    for (RegId id = 1; id < k->regs.n; id++) {
        REQUIRE(v, k->regs.p[id].dtype > DT_NONE && k->regs.p[id].dtype < DT_BOOL);
    }
    for (VarId id = 1; id < k->vars.n; id++) {
        REQUIRE(v, is_integer(k->vars.p[id].dtype));
    }
    for (uint32_t i = 0; i < k->params.n; i++) {
        BufId id = k->params.p[i];
        REQUIRE(v, id && id < k->bufs.n && k->bufs.p[id].scope == SC_GM);
        REQUIRE(v, !v->visible_buf[id]);
        v->visible_buf[id] = true;
    }
    for (BufId id = 1; id < k->bufs.n; id++) {
        v->visible_buf[id] = v->visible_buf[id] || k->bufs.p[id].role == BUF_CONST;
        for (uint32_t i = 0; i < k->bufs.p[id].apart.n; i++) {
            BufId other = k->bufs.p[id].apart.p[i];
            REQUIRE(v, other && other < id && k->bufs.p[other].role == BUF_LOCAL);
        }
    }
    verify_exprs(v);
}

/* ---- statements ---------------------------------------------------------- */

static void
verify_vars(const Verify *v, ExprId id)
{
    const Expr *e = ir_expr(v->k, id);
    if (!(e->flags & EXF_VAR)) {
        return;
    }
    if (e->kind == EX_VAR) {
        REQUIRE(v, v->visible_var[e->a]);
        return;
    }
    verify_vars(v, e->a);
    if (e->b) {
        verify_vars(v, e->b);
    }
}

/* Returns the dtype of an expression that a statement uses. */
static Dtype
used(const Verify *v, ExprId id)
{
    REQUIRE(v, id && id < v->k->exprs.n);
    verify_vars(v, id);
    return (Dtype)ir_expr(v->k, id)->dtype;
}

static void
verify_ref(const Verify *v, const Ref *r)
{
    REQUIRE(v, r->buf && r->buf < v->k->bufs.n);
    REQUIRE(v, v->visible_buf[r->buf]);
    REQUIRE(v, r->dtype > DT_NONE && r->dtype < DT_COUNT);
    REQUIRE(v, used(v, r->off) == DT_S64);
}

static void
verify_mask(const Verify *v, const Arg *m)
{
    for (int i = 0; i < mask_words(m->mask_form); i++) {
        REQUIRE(v, is_integer(used(v, m->mask[i])));
    }
}

static void
verify_arg(const Verify *v, Role role, const Arg *a)
{
    switch (role) {
    case ROLE_DST:
    case ROLE_SRC:
    case ROLE_ROOT:
        REQUIRE(v, a->kind == ARG_REF);
        verify_ref(v, &a->ref);
        return;
    case ROLE_MASK:
        REQUIRE(v, a->kind == ARG_MASK);
        verify_mask(v, a);
        return;
    case ROLE_MASKMODE:
        REQUIRE(v, a->kind == ARG_NONE);
        return;
    case ROLE_SCALAR:
        REQUIRE(v, a->kind == ARG_EXPR && used(v, a->expr) != DT_NONE);
        return;
    case ROLE_ATTR:
    case ROLE_PIPE:
        REQUIRE(v, a->kind == ARG_EXPR && is_integer(used(v, a->expr)));
        REQUIRE(v, ir_is_const(v->k, a->expr));
        return;
    case ROLE_REPEAT:
    case ROLE_INT:
        REQUIRE(v, a->kind == ARG_EXPR && is_integer(used(v, a->expr)));
        return;
    }
}

static void
verify_instr(const Verify *v, const Stmt *s)
{
    int n;
    REQUIRE(v, s->instr.op < OP_COUNT);
    const ParamInfo *params = form_params(op_table[s->instr.op].form, &n);
    REQUIRE(v, s->instr.arg && s->instr.arg + (uint32_t)n <= v->k->args.n);
    for (int i = 0; i < n; i++) {
        verify_arg(v, params[i].role, &v->k->args.p[s->instr.arg + (uint32_t)i]);
    }
    REQUIRE(v, s->instr.origin < v->k->origins.n);
    for (int i = 0; i < ORIGIN_FACTORS; i++) {
        const Origin *o = &v->k->origins.p[s->instr.origin].of[i];
        if (o->ref.buf != 0) {
            verify_ref(v, &o->ref);
        }
    }
}

static void verify_body(Verify *v, StmtId first);

static void
verify_loop_head(const Verify *v, const Stmt *s)
{
    REQUIRE(v, s->loop.var && s->loop.var < v->k->vars.n);
    const Var *var = &v->k->vars.p[s->loop.var];
    REQUIRE(v, var->loop == v->at);
    REQUIRE(v, is_integer(var->dtype) && is_integer(used(v, s->loop.begin)) &&
                   is_integer(used(v, s->loop.end)));
    REQUIRE(v, s->loop.thread_num >= 0 && s->loop.thread_num <= IR_MAX_COPIES);
    if (ir_is_multicore(s)) {
        const Expr *end = ir_expr(v->k, s->loop.end);
        REQUIRE(v, !v->in_multicore && s->loop.thread_num <= 1);
        REQUIRE(v, ir_is_const(v->k, s->loop.begin) &&
                       ir_expr(v->k, s->loop.begin)->imm == 0);
        REQUIRE(v, s->loop.block_num == IR_SCALAR_BLOCKS ||
                       (end->kind == EX_CONST && end->imm == s->loop.block_num));
    }
}

static void
verify_for(Verify *v, const Stmt *s)
{
    bool multicore = ir_is_multicore(s);
    bool outer_multicore = v->in_multicore;
    int outer = v->loops;
    verify_loop_head(v, s);
    v->visible_var[s->loop.var] = true;
    v->in_multicore = outer_multicore || multicore;
    v->loops = multicore ? 0 : outer + 1;
    verify_body(v, s->loop.body);
    v->loops = outer;
    v->in_multicore = outer_multicore;
    v->visible_var[s->loop.var] = false;
}

static void
verify_alloc(const Verify *v, const Stmt *s)
{
    REQUIRE(v, s->alloc.buf && s->alloc.buf < v->k->bufs.n);
    REQUIRE(v, v->k->bufs.p[s->alloc.buf].scope != SC_GM);
    REQUIRE(v, !v->allocated[s->alloc.buf]);
    v->allocated[s->alloc.buf] = true;
    v->visible_buf[s->alloc.buf] = true;
}

static void
verify_access(const Verify *v, const Stmt *s)
{
    if (s->kind == ST_LOAD) {
        REQUIRE(v, s->load.reg && s->load.reg < v->k->regs.n);
        REQUIRE(v, v->k->regs.p[s->load.reg].dtype == s->load.ref.dtype);
        verify_ref(v, &s->load.ref);
        return;
    }
    verify_ref(v, &s->store.ref);
    REQUIRE(v, used(v, s->store.value) == s->store.ref.dtype);
}

static void
verify_stmt(Verify *v, const Stmt *s)
{
    switch ((StmtKind)s->kind) {
    case ST_INSTR:
        verify_instr(v, s);
        return;
    case ST_SET:
        REQUIRE(v, s->set.reg && s->set.reg < v->k->regs.n);
        REQUIRE(v, used(v, s->set.value) == v->k->regs.p[s->set.reg].dtype);
        return;
    case ST_LOAD:
    case ST_STORE:
        verify_access(v, s);
        return;
    case ST_ALLOC:
        verify_alloc(v, s);
        return;
    case ST_FOR:
        verify_for(v, s);
        return;
    case ST_IF:
        REQUIRE(v, used(v, s->cond.cond) == DT_BOOL);
        verify_body(v, s->cond.then_body);
        verify_body(v, s->cond.else_body);
        return;
    case ST_SCOPE:
        REQUIRE(v, s->scope.drop + s->scope.ndrops <= v->k->drops.n);
        REQUIRE(v, s->scope.finish < v->k->finishes.n);
        for (uint32_t i = 0; i < s->scope.ndrops; i++) {
            REQUIRE(v, v->visible_buf[v->k->drops.p[s->scope.drop + i]]);
        }
        verify_body(v, s->scope.body);
        return;
    case ST_BREAK:
    case ST_CONTINUE:
        REQUIRE(v, v->loops > 0);
        return;
    case ST_RETURN:
        return;
    case ST_NONE:
        REQUIRE(v, s->kind != ST_NONE);
    }
}

static void
verify_body(Verify *v, StmtId first)
{
    const Kernel *k = v->k;
    v->depth++;
    REQUIRE(v, v->depth <= IR_MAX_NEST + 1);
    for (StmtId id = first; id; id = k->stmts.p[id].next) {
        REQUIRE(v, id < k->stmts.n && !v->seen[id]);
        v->seen[id] = true;
        v->at = id;
        verify_stmt(v, &k->stmts.p[id]);
    }
    for (StmtId id = first; id; id = k->stmts.p[id].next) {
        if (k->stmts.p[id].kind == ST_ALLOC) {
            v->visible_buf[k->stmts.p[id].alloc.buf] = false;
        }
    }
    v->depth--;
}

void
ir_verify(const Kernel *k, const char *after_pass)
{
    Arena scratch;
    arena_init(&scratch);
    Verify v = {.k = k, .after = after_pass};
    v.seen = ARENA_ARRAY(&scratch, bool, k->stmts.n);
    v.visible_var = ARENA_ARRAY(&scratch, bool, k->vars.n);
    v.visible_buf = ARENA_ARRAY(&scratch, bool, k->bufs.n);
    v.allocated = ARENA_ARRAY(&scratch, bool, k->bufs.n);
    verify_tables(&v);
    verify_body(&v, k->body);
    arena_free(&scratch);
}
