/* builder.c: makes kernels: their tables, hash-consed expressions, and bodies of
 * statements. See ir.h. The stage, the parser of the text form and the passes that
 * rewrite kernels use it.
 *
 * Expressions are folded while they are built and shared: equal formulas have equal ids,
 * so a comparison of ids is a structural comparison. Operands have smaller ids than their
 * users; a walk over the table in order sees operands first. */
#include "ir/ir.h"

#include <string.h>

Kernel *
kernel_new(Unit *u)
{
    Arena a;
    arena_init(&a);
    Kernel *k = ARENA_NEW(&a, Kernel);
    k->arena = a;
    k->unit = u;
    k->soc = u->soc;
    const Choices *c = choices_or_null(&u->opt.choices);
    k->choices = c ? arena_copy(&k->arena, c, sizeof *c) : NULL;
    VEC_PUSH(&k->arena, &k->bufs, (Buffer){0});
    VEC_PUSH(&k->arena, &k->regs, (Reg){0});
    VEC_PUSH(&k->arena, &k->vars, (Var){0});
    VEC_PUSH(&k->arena, &k->exprs, (Expr){0});
    VEC_PUSH(&k->arena, &k->args, (Arg){0});
    VEC_PUSH(&k->arena, &k->origins, (Origins){0});
    VEC_PUSH(&k->arena, &k->finishes, (Finish){0});
    VEC_PUSH(&k->arena, &k->stmts, (Stmt){0});
    return k;
}

void
kernel_free(Kernel *k)
{
    if (k) {
        kernel_free(k->tiled);
        kernel_free(k->inspector);
        Arena a = k->arena; /* the kernel is allocated in its own arena */
        arena_free(&a);
    }
}

/* Copies the items of a growable array, so that the copy can grow. */
#define CLONE(arena, v)                                                                  \
    ((v)->p = arena_copy((arena), (v)->p, (v)->n * sizeof *(v)->p), (v)->cap = (v)->n)

Kernel *
kernel_clone(const Kernel *k)
{
    Arena a;
    arena_init(&a);
    Kernel *c = arena_copy(&a, k, sizeof *k);
    c->arena = a;
    c->tiled = c->inspector = NULL;
    CLONE(&c->arena, &c->bufs);
    CLONE(&c->arena, &c->regs);
    CLONE(&c->arena, &c->vars);
    CLONE(&c->arena, &c->exprs);
    CLONE(&c->arena, &c->args);
    CLONE(&c->arena, &c->stmts);
    CLONE(&c->arena, &c->params);
    CLONE(&c->arena, &c->drops);
    CLONE(&c->arena, &c->origins);
    CLONE(&c->arena, &c->finishes);
    CLONE(&c->arena, &c->arg_spans);
    CLONE(&c->arena, &c->far_spans);
    size_t slots = k->nexpr_slots * sizeof *k->expr_slots;
    c->expr_slots = arena_copy(&c->arena, k->expr_slots, slots);
    return c;
}

BufId
ir_buffer(Kernel *k, const Buffer *b)
{
    Buffer copy = *b;
    copy.shape.p = arena_copy(&k->arena, b->shape.p, b->shape.n * sizeof *b->shape.p);
    copy.shape.cap = b->shape.n;
    copy.apart.p =
        b->apart.n ? arena_copy(&k->arena, b->apart.p, b->apart.n * sizeof *b->apart.p)
                   : NULL;
    copy.apart.cap = b->apart.n;
    copy.data = b->data ? arena_copy(&k->arena, b->data, (size_t)b->bytes) : NULL;
    VEC_PUSH(&k->arena, &k->bufs, copy);
    return k->bufs.n - 1;
}

CheckTensor
ir_check_tensor(const Kernel *k, const Ref *r)
{
    const Buffer *b = &k->bufs.p[r->buf];
    return (CheckTensor){.buffer = r->buf,
                         .scope = b->scope,
                         .dtype = r->dtype,
                         .bytes = ir_bytes(b),
                         .exact =
                             chosen(k->choices, CHOICE_GM_BOUND) == CHOSE_GM_BOUND_EXACT,
                         .open = b->dynamic,
                         .read_only = b->role == BUF_CONST,
                         .items = b->role == BUF_LIST ? (int32_t)b->elems : 0};
}

int64_t
ir_bytes(const Buffer *b)
{
    return b->bytes + b->grown;
}

int64_t
ir_room(const Buffer *b)
{
    return scope_granule(b->scope, b->role == BUF_CONST, ir_bytes(b));
}

bool
ir_dynamic_room(const Kernel *k, Buffer *b)
{
    int64_t room = MIN(k->soc->bytes[b->scope], IR_MAX_BYTES) - MAX(b->address, 0);
    int64_t elems = MAX(room, 0) / dtype_size(b->dtype);
    if (elems > 0) {
        b->elems = elems;
        b->bytes = elems * dtype_size(b->dtype);
    }
    return elems > 0;
}

RegId
ir_reg(Kernel *k, Sym name, Dtype t, Span span)
{
    VEC_PUSH(&k->arena, &k->regs, (Reg){name, t, span});
    return k->regs.n - 1;
}

VarId
ir_var(Kernel *k, Sym name, Dtype t)
{
    VEC_PUSH(&k->arena, &k->vars, (Var){name, t, 0});
    return k->vars.n - 1;
}

/* ---- hash set of expressions --------------------------------------------- */

static uint32_t
expr_hash(const Expr *e)
{
    uint64_t h =
        (uint64_t)e->kind << 24 | (uint64_t)e->dtype << 16 | (uint64_t)e->op << 8;
    h = (h ^ e->a) * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 29 ^ e->b) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ h >> 32 ^ (uint64_t)e->imm) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(h >> 32);
}

/* Returns 8 bytes of an expression. */
static inline uint64_t
expr_word(const Expr *e, size_t i)
{
    uint64_t w;
    memcpy(&w, (const char *)e + i * sizeof w, sizeof w);
    return w;
}

/* Equal expressions have equal bytes: what is no part of the formula (flags, size)
 * follows from it. */
static inline bool
expr_same(const Expr *x, const Expr *y)
{
    _Static_assert(sizeof *x == 3 * sizeof(uint64_t), "an expression has no padding");
    return expr_word(x, 0) == expr_word(y, 0) && expr_word(x, 1) == expr_word(y, 1) &&
           expr_word(x, 2) == expr_word(y, 2);
}

enum {
    NEAR = 8 /* slots, at most those of the smallest table */
};

/* Returns the slot of an expression that is not beside its operands. */
static NOINLINE uint32_t *
far_slot(const Kernel *k, const Expr *e)
{
    uint32_t mask = k->nexpr_slots - 1;
    uint32_t i = expr_hash(e) & mask;
    while (k->expr_slots[i] && !expr_same(&k->exprs.p[k->expr_slots[i]], e)) {
        i = (i + 1) & mask;
    }
    return &k->expr_slots[i];
}

/* Returns the slot that holds e, or the empty one where it belongs. Most expressions are
 * asked for soon after their operands are made, so an expression is in one of a few slots
 * beside those of its newest operand's neighbours, which are in the cache. It is anywhere
 * if it came when all of them were taken: slots stay taken. */
static inline uint32_t *
expr_slot(const Kernel *k, const Expr *e)
{
    uint32_t mask = k->nexpr_slots - 1;
    if (e->kind == EX_CONST) {
        return far_slot(k, e);
    }
    uint32_t *near = &k->expr_slots[MAX(e->a, e->b) * 2 & mask & ~(NEAR - 1U)];
    for (uint32_t i = 0; i < NEAR; i++) {
        if (near[i] == 0 || expr_same(&k->exprs.p[near[i]], e)) {
            return &near[i];
        }
    }
    return far_slot(k, e);
}

static NOINLINE void
grow_slots(Kernel *k)
{
    uint32_t had = k->nexpr_slots;
    k->expr_slots =
        arena_double(&k->arena, k->expr_slots, &k->nexpr_slots, sizeof *k->expr_slots);
    for (uint32_t i = 0; i < had; i++) {
        k->expr_slots[i] = 0;
    }
    for (uint32_t i = 1; i < k->exprs.n; i++) {
        *expr_slot(k, &k->exprs.p[i]) = i;
    }
}

static ExprId
expr_add(Kernel *k, const Expr *e)
{
    if (k->exprs.n * 2 >= k->nexpr_slots) {
        grow_slots(k);
    }
    uint32_t *slot = expr_slot(k, e);
    if (*slot == 0) {
        VEC_PUSH(&k->arena, &k->exprs, *e);
        *slot = k->exprs.n - 1;
    }
    return *slot;
}

/* ---- expressions --------------------------------------------------------- */

/* Makes a constant that is not the one that was asked for last. */
static NOINLINE ExprId
add_const(Kernel *k, Dtype t, int64_t imm, ExprId *recent)
{
    Expr e = {.kind = EX_CONST, .dtype = (uint8_t)t, .size = 1};
    e.imm = t == DT_S64 ? imm : scalar_wrap(t, imm);
    return *recent = expr_add(k, &e);
}

ExprId
ir_const(Kernel *k, Dtype t, int64_t canonical)
{
    uint64_t h = ((uint64_t)canonical ^ (uint64_t)t << 32) * UINT64_C(0x9e3779b97f4a7c15);
    ExprId *recent = &k->recent_consts[h >> 32 & (IR_RECENT - 1)];
    const Expr *r = &k->exprs.p[*recent];
    bool same = *recent != 0 && r->dtype == t && r->imm == canonical;
    return same ? *recent : add_const(k, t, canonical, recent);
}

ExprId
ir_float(Kernel *k, Dtype t, double value)
{
    return ir_const(k, t, scalar_from_double(t, value));
}

ExprId
ir_reg_value(Kernel *k, RegId r)
{
    Expr e = {.kind = EX_REG, .dtype = (uint8_t)k->regs.p[r].dtype, .size = 1};
    e.a = r;
    e.flags = EXF_REG;
    return expr_add(k, &e);
}

ExprId
ir_var_value(Kernel *k, VarId v)
{
    Expr e = {.kind = EX_VAR, .dtype = (uint8_t)k->vars.p[v].dtype, .size = 1};
    e.a = v;
    e.flags = EXF_VAR;
    return expr_add(k, &e);
}

/* Makes an operation node. One that would be too large becomes the constant 0 and marks
 * the kernel, which the passes then refuse: no walk over an expression needs a bound of
 * its own. */
static ExprId
op_node(Kernel *k, ScalarOp op, Dtype result, ExprId a, ExprId b)
{
    const Expr *x = ir_expr(k, a);
    /* row 0 is all zero, so a missing operand adds nothing */
    const Expr *y = ir_expr(k, b);
    if (x->size + y->size + 1 > IR_MAX_EXPR) {
        k->expr_too_large = true;
        return ir_const(k, result, 0);
    }
    Expr e = {.kind = EX_OP, .dtype = (uint8_t)result, .op = (uint8_t)op, .a = a, .b = b};
    e.flags = x->flags | y->flags;
    e.size = x->size + y->size + 1;
    return expr_add(k, &e);
}

/* Computes an operation whose operands are constants; false if they are not, or the
 * operation has no result. */
static bool
fold_consts(Kernel *k, ScalarOp op, Dtype t, ExprId a, ExprId b, ExprId *out)
{
    const Expr *x = ir_expr(k, a);
    const Expr *y = ir_expr(k, b);
    int64_t v;
    if (x->kind != EX_CONST || (b && y->kind != EX_CONST) ||
        !scalar_eval(op, t, (Dtype)x->dtype, x->imm, y->imm, &v)) {
        return false;
    }
    *out = ir_const(k, scalar_is_compare(op) ? DT_BOOL : t, v);
    return true;
}

ExprId
ir_op1(Kernel *k, ScalarOp op, ExprId a)
{
    Dtype t = (Dtype)ir_expr(k, a)->dtype;
    ExprId r;
    if (fold_consts(k, op, t, a, 0, &r)) {
        return r;
    }
    return op_node(k, op, t, a, 0);
}

static bool
is_int_const(const Kernel *k, ExprId e, int64_t v)
{
    return ir_is_const(k, e) && ir_expr(k, e)->imm == v;
}

/* Applies identities on integers with one constant side. Returns 0 if none applies. */
static ExprId
fold_neutral(const Kernel *k, ScalarOp op, ExprId a, ExprId b)
{
    bool zero_a = is_int_const(k, a, 0);
    bool zero_b = is_int_const(k, b, 0);
    switch (op) {
    case SOP_ADD:
        return zero_b ? a : zero_a ? b : 0;
    case SOP_SUB:
        return zero_b ? a : 0;
    case SOP_MUL:
        if (zero_a || is_int_const(k, b, 1)) {
            return a;
        }
        return zero_b || is_int_const(k, a, 1) ? b : 0;
    default:
        return 0;
    }
}

/* Folds x - x and comparisons of an integer with itself. Returns 0 if the operation is
 * neither. */
static ExprId
fold_same(Kernel *k, ScalarOp op, Dtype t)
{
    if (op == SOP_SUB) {
        return ir_const(k, t, 0);
    }
    if (scalar_is_compare(op)) {
        return ir_const(k, DT_BOOL, op == SOP_EQ || op == SOP_LE || op == SOP_GE);
    }
    return 0;
}

/* Folds an operation of which an operand is a constant, or both are the same. Returns 0
 * if nothing applies. */
static ExprId
fold_op2(Kernel *k, ScalarOp op, Dtype t, ExprId a, ExprId b)
{
    ExprId r = 0;
    if (fold_consts(k, op, t, a, b, &r) || dtype_is_float(t)) {
        return r;
    }
    r = a == b ? fold_same(k, op, t) : 0;
    return r ? r : fold_neutral(k, op, a, b);
}

ExprId
ir_op2(Kernel *k, ScalarOp op, ExprId a, ExprId b)
{
    Dtype t = (Dtype)ir_expr(k, a)->dtype;
    bool folds = a == b || ir_is_const(k, a) || ir_is_const(k, b);
    ExprId r = folds ? fold_op2(k, op, t, a, b) : 0;
    return r ? r : op_node(k, op, scalar_is_compare(op) ? DT_BOOL : t, a, b);
}

static ExprId
convert(Kernel *k, ScalarOp op, Dtype t, ExprId a)
{
    ExprId r;
    if ((Dtype)ir_expr(k, a)->dtype == t) {
        return a;
    }
    if (fold_consts(k, op, t, a, 0, &r)) {
        return r;
    }
    return op_node(k, op, t, a, 0);
}

ExprId
ir_cast(Kernel *k, Dtype t, ExprId a)
{
    return convert(k, SOP_CAST, t, a);
}

ExprId
ir_bits(Kernel *k, Dtype t, ExprId a)
{
    return convert(k, SOP_BITS, t, a);
}

Dtype
ir_promote(Dtype a, Dtype b)
{
    if (a == b || b == DT_BOOL) {
        return a;
    }
    if (a == DT_BOOL) {
        return b;
    }
    if (dtype_is_float(a) != dtype_is_float(b)) {
        return dtype_is_float(a) ? a : b;
    }
    if (dtype_size(a) != dtype_size(b)) {
        return dtype_size(a) > dtype_size(b) ? a : b;
    }
    if (dtype_is_float(a)) {
        return DT_F32; /* neither of float16 and bfloat16 holds the values of the other */
    }
    return dtype_kind(a) == KIND_UINT ? a : b;
}

/* ---- statements ---------------------------------------------------------- */

Cursor
ir_cursor_body(StmtId owner, int slot)
{
    return (Cursor){owner, slot};
}

StmtId *
ir_body(Kernel *k, StmtId owner, int slot)
{
    if (owner == 0) {
        return &k->body;
    }
    Stmt *s = &k->stmts.p[owner];
    if (slot == 2) {
        return &s->next;
    }
    switch ((StmtKind)s->kind) {
    case ST_FOR:
        return &s->loop.body;
    case ST_SCOPE:
        return &s->scope.body;
    case ST_IF:
        return slot ? &s->cond.else_body : &s->cond.then_body;
    default:
        ICE("statement %u has no body", (unsigned)owner);
    }
}

/* Returns how deep a statement is that comes at a cursor. */
static inline uint8_t
nest_at(const Kernel *k, const Cursor *c)
{
    _Static_assert(IR_MAX_NEST < UINT8_MAX, "Stmt.nest");
    int owner = k->stmts.p[c->owner].nest; /* 0 of statement 0 */
    bool inside = c->owner != 0 && c->slot != 2;
    return (uint8_t)MIN(owner + inside, IR_MAX_NEST + 1);
}

StmtId
ir_append(Kernel *k, Cursor *c, const Stmt *s)
{
    uint8_t nest = nest_at(k, c);
    VEC_PUSH(&k->arena, &k->stmts, *s);
    StmtId id = k->stmts.n - 1;
    k->stmts.p[id].nest = nest;
    k->deepest = MAX(k->deepest, nest);
    StmtId *link = ir_body(k, c->owner, c->slot);
    k->stmts.p[id].next = *link;
    *link = id;
    *c = (Cursor){id, 2};
    if (s->kind == ST_FOR) {
        k->vars.p[s->loop.var].loop = id;
    }
    return id;
}

/* Makes room for n more items of a growable array. */
#define RESERVE(arena, v, count)                                                         \
    while ((v)->cap - (v)->n < (uint32_t)(count)) {                                      \
        (v)->p = arena_grow((arena), (v)->p, &(v)->cap, sizeof *(v)->p);                 \
    }

uint32_t
ir_args(Kernel *k, const Arg *args, int n)
{
    uint32_t first = k->args.n;
    RESERVE(&k->arena, &k->args, n);
    if (n > 0) {
        memcpy(&k->args.p[first], args, (size_t)n * sizeof *args);
        k->args.n += (uint32_t)n;
    }
    return first;
}

/* ArgSpan.rest has the bytes of a place in its low bits, then whether it is far, then the
 * file; without a file a place is unknown. */
enum {
    LEN_BITS = 19,
    FILE_AT = LEN_BITS + 1,
    FILE_BITS = 32 - FILE_AT
};

static const uint32_t far_place = UINT32_C(1) << LEN_BITS;

/* Keeps a place that is too long, or in a file of too large a number. */
static NOINLINE ArgSpan
far_span(Kernel *k, const Span *s)
{
    VEC_PUSH(&k->arena, &k->far_spans, *s);
    return (ArgSpan){k->far_spans.n - 1, far_place};
}

static inline ArgSpan
pack_span(Kernel *k, const Span *s)
{
    uint32_t len = s->end - s->begin;
    if ((len >> LEN_BITS | s->file >> FILE_BITS) == 0) {
        return (ArgSpan){s->begin, len | s->file << FILE_AT};
    }
    return s->file ? far_span(k, s) : (ArgSpan){0};
}

uint32_t
ir_args_at(Kernel *k, const Arg *args, const Span *spans, int n)
{
    while (k->arg_spans.n < k->args.n) {
        VEC_PUSH(&k->arena, &k->arg_spans, (ArgSpan){0});
    }
    RESERVE(&k->arena, &k->arg_spans, n);
    ArgSpan *to = k->arg_spans.p + k->arg_spans.n;
    for (int i = 0; i < n; i++) {
        to[i] = pack_span(k, &spans[i]);
    }
    k->arg_spans.n += (uint32_t)n;
    return ir_args(k, args, n);
}

Span
ir_arg_span(const Kernel *k, const Stmt *s, int param)
{
    uint32_t i = s->instr.arg + (uint32_t)param;
    if (s->kind != ST_INSTR || param < 0 || i >= k->arg_spans.n) {
        return s->span;
    }
    const ArgSpan *a = &k->arg_spans.p[i];
    if (a->rest & far_place) {
        return k->far_spans.p[a->begin];
    }
    uint32_t file = a->rest >> FILE_AT, len = a->rest & (far_place - 1);
    return file ? (Span){file, a->begin, a->begin + len} : s->span;
}

int32_t
ir_cores(const Kernel *k)
{
    int32_t cores = 1;
    for (StmtId id = 1; id < k->stmts.n; id++) {
        const Stmt *s = &k->stmts.p[id];
        if (s->kind == ST_FOR && ir_is_multicore(s)) {
            cores = MAX(cores, ir_blocks(k, s));
        }
    }
    return cores;
}

bool
ir_may_write(const Kernel *k, BufId b)
{
    for (StmtId s = 1; s < k->stmts.n; s++) {
        const Stmt *st = &k->stmts.p[s];
        if (st->kind == ST_STORE && st->store.ref.buf == b) {
            return true;
        }
        int n = 0;
        const ParamInfo *p =
            st->kind == ST_INSTR ? form_params(op_table[st->instr.op].form, &n) : NULL;
        for (int i = 0; i < n; i++) {
            const Arg *a = &k->args.p[st->instr.arg + (uint32_t)i];
            if (a->kind == ARG_REF && a->ref.buf == b && p[i].role != ROLE_SRC) {
                return true;
            }
        }
    }
    return false;
}
