/* later.c: where an operand in global memory will be some iterations later, so that its
 * lines can be asked for (prefetches only: nothing else may use the answer).
 *
 * The offset is computed with the loop's variable as it will be then, and with what the
 * body will have put into the Scalars that it reads: values of expressions, and elements
 * of tensors on the core, such as the indices of gathered rows. Such an element is read
 * before its time: it may be written until then, so the answer is a guess, and its place
 * is kept inside of the tensor. */
#include "host/lower/lower.h"

enum {
    MOST_SETS = 4,
    MOST_DEPTH = 16
};

typedef struct Later {
    Lower *l;
    bool moves;  /* the offset depends on the iteration */
    bool loaded; /* and on what memory has */
    int n;
    StmtId set[MOST_SETS]; /* in the order in which they execute */
} Later;

/* Returns the register that a statement itself sets; 0: none. */
static RegId
target_of(const Stmt *s)
{
    return s->kind == ST_SET ? s->set.reg : s->kind == ST_LOAD ? s->load.reg : 0;
}

/* Returns how many statements of a body set the register, and those inside of them;
 * *found is one of the body itself. */
static int
setters(const Kernel *k, StmtId first, RegId r, StmtId *found)
{
    int n = 0;
    StmtId inner;
    for (StmtId s = first; s != 0; s = k->stmts.p[s].next) {
        const Stmt *st = &k->stmts.p[s];
        if (st->kind == ST_FOR) {
            n += setters(k, st->loop.body, r, &inner);
        } else if (st->kind == ST_SCOPE) {
            n += setters(k, st->scope.body, r, &inner);
        } else if (st->kind == ST_IF) {
            n += setters(k, st->cond.then_body, r, &inner);
            n += setters(k, st->cond.else_body, r, &inner);
        } else if ((st->kind == ST_SET || st->kind == ST_LOAD) && target_of(st) == r) {
            *found = s;
            n++;
        }
    }
    return n;
}

static bool plan(Later *x, ExprId e, int depth);

/* An element that may be read at any time: of a tensor on the core, whose place is
 * known. */
static bool
can_read(const Lower *l, const Ref *r)
{
    const Buffer *b = &l->k->bufs.p[r->buf];
    return b->scope != SC_GM && b->role != BUF_CONST && !b->dynamic && b->address >= 0 &&
           dtype_kind(r->dtype) != KIND_FLOAT && r->dtype != DT_BOOL &&
           b->bytes >= dtype_size(r->dtype);
}

/* Plans the statement that sets a register, if there is one, alone in the body. */
static bool
plan_register(Later *x, RegId r, int depth)
{
    const Kernel *k = x->l->k;
    StmtId found = 0;
    int n = setters(k, x->l->loop->body, r, &found);
    if (n == 0 || n > 1 || found == 0) {
        return n == 0;
    }
    for (int i = 0; i < x->n; i++) {
        if (x->set[i] == found) {
            return true;
        }
    }
    const Stmt *st = &k->stmts.p[found];
    bool load = st->kind == ST_LOAD;
    if ((load && !can_read(x->l, &st->load.ref)) ||
        !plan(x, load ? st->load.ref.off : st->set.value, depth) || x->n == MOST_SETS) {
        return false;
    }
    x->loaded = x->loaded || load;
    x->set[x->n++] = found;
    return true;
}

/* Returns whether the expression can be computed for another iteration, without a fault,
 * after the statements that are planned for it. */
static bool
plan(Later *x, ExprId id, int depth)
{
    const Expr *e = ir_expr(x->l->k, id);
    if (depth == MOST_DEPTH || dtype_is_float((Dtype)e->dtype)) {
        return false;
    }
    switch ((ExprKind)e->kind) {
    case EX_CONST:
        return true;
    case EX_VAR:
        x->moves = x->moves || e->a == x->l->loop->var;
        return true;
    case EX_REG:
        return plan_register(x, e->a, depth + 1);
    case EX_OP:
        return (e->op == SOP_ADD || e->op == SOP_SUB || e->op == SOP_MUL ||
                e->op == SOP_CAST) &&
               plan(x, e->a, depth + 1) && (e->b == 0 || plan(x, e->b, depth + 1));
    case EX_NONE:
        break;
    }
    UNREACHABLE();
}

/* Returns the loop's variable that many iterations later, or in the last one. */
static LLVMValueRef
later_variable(Lower *l, int64_t by)
{
    LLVMValueRef now = l->vars[l->loop->var];
    LLVMTypeRef type = LLVMTypeOf(now);
    LLVMValueRef left = LLVMBuildSub(l->b, l->loop->last, now, "");
    LLVMValueRef step = LLVMConstInt(type, (uint64_t)by, false);
    LLVMValueRef few = LLVMBuildICmp(l->b, LLVMIntULT, left, step, "");
    return LLVMBuildAdd(l->b, now, LLVMBuildSelect(l->b, few, left, step, ""), "");
}

/* Reads an element, at the end of the tensor if its place is not inside. */
static LLVMValueRef
read(Lower *l, const Ref *r)
{
    const Buffer *b = &l->k->bufs.p[r->buf];
    LLVMValueRef most = lower_const(l, b->bytes - dtype_size(r->dtype));
    LLVMValueRef off = lower_number(l, r->off, 0);
    LLVMValueRef inside = LLVMBuildICmp(l->b, LLVMIntULT, off, most, "");
    off = LLVMBuildSelect(l->b, inside, off, most, "");
    LLVMValueRef at = lower_first_byte(l, r->buf);
    at = LLVMBuildGEP2(l->b, l->i8, at, &off, 1, "");
    LLVMValueRef v = LLVMBuildLoad2(l->b, lower_bits_type(l, r->dtype, 0), at, "");
    LLVMSetAlignment(v, 1);
    return v;
}

/* Computes the address with the register's slots replaced. */
static LLVMValueRef
address(Later *x, const Ref *r)
{
    Lower *l = x->l;
    LLVMValueRef slot[MOST_SETS];
    for (int i = 0; i < x->n; i++) {
        const Stmt *st = &l->k->stmts.p[x->set[i]];
        RegId reg = target_of(st);
        LLVMValueRef v = st->kind == ST_LOAD ? read(l, &st->load.ref)
                                             : lower_expr(l, st->set.value, x->set[i]);
        LLVMValueRef later = lower_alloca(l, LLVMTypeOf(v), "later");
        LLVMBuildStore(l->b, v, later);
        slot[i] = l->regs[reg];
        l->regs[reg] = later;
        l->stamp++;
    }
    LLVMValueRef off = lower_number(l, r->off, 0);
    for (int i = x->n; i-- > 0;) {
        l->regs[target_of(&l->k->stmts.p[x->set[i]])] = slot[i];
    }
    return LLVMBuildGEP2(l->b, l->i8, l->bufs[r->buf], &off, 1, "");
}

LLVMValueRef
lower_later(Lower *l, const Ref *r, int64_t by, bool *loaded)
{
    Later x = {.l = l};
    const Buffer *b = &l->k->bufs.p[r->buf];
    *loaded = false;
    if (l->loop == NULL || l->loop->last == NULL || b->scope != SC_GM ||
        b->role == BUF_LIST || b->role == BUF_CONST || l->bufs[r->buf] == NULL ||
        !plan(&x, r->off, 0) || !(x.moves || x.loaded)) {
        return NULL;
    }
    LLVMValueRef now = l->vars[l->loop->var];
    l->stamp++;
    l->vars[l->loop->var] = later_variable(l, by);
    LLVMValueRef at = address(&x, r);
    l->vars[l->loop->var] = now;
    l->stamp++;
    *loaded = x.loaded;
    return at;
}
