/* elements.c: loops over single elements, 16 iterations at a time.
 *
 * The loop is one whose iterations may be executed statement by statement
 * (passes/vectorize.c). Each register that the body sets is a vector with a lane for each
 * iteration. Elements that follow each other are loaded and stored at once, others by a
 * gather or a scatter, whose lanes are written in order. Where some lane may break a
 * rule, the code goes to the loop that executes one iteration after the other, which
 * begins the same iterations anew. Processors without AVX-512 have that loop only. */
#include "host/lower/lower.h"

enum {
    LANES = 16
};

typedef struct Elements {
    Lower *l;
    VarId var;
    LLVMValueRef first;       /* the variable in the first lane */
    LLVMValueRef *lanes;      /* by RegId: of those that the body has set; else null */
    LLVMBasicBlockRef others; /* executes these iterations if a rule may be broken */
} Elements;

/* ---- numbers ------------------------------------------------------------- */

static bool
varies(const Elements *x, ExprId id)
{
    const Expr *e = ir_expr(x->l->k, id);
    return (e->kind == EX_VAR && e->a == x->var) ||
           (e->kind == EX_REG && x->lanes[e->a] != NULL) ||
           (e->kind == EX_OP && (varies(x, e->a) || (e->b != 0 && varies(x, e->b))));
}

static LLVMValueRef
count_up(Elements *x)
{
    LLVMValueRef v[LANES];
    LLVMTypeRef t = LLVMTypeOf(x->first);
    for (int i = 0; i < LANES; i++) {
        v[i] = LLVMConstInt(t, (uint64_t)i, false);
    }
    return LLVMBuildAdd(x->l->b, lower_splat(x->l, x->first, LANES),
                        LLVMConstVector(v, LANES), "");
}

static LLVMValueRef
cast(Lower *l, Dtype t, Dtype from, LLVMValueRef v)
{
    LLVMTypeRef type = lower_bits_type(l, t, LANES);
    bool widens = dtype_size(t) > dtype_size(from);
    return !widens                         ? LLVMBuildTruncOrBitCast(l->b, v, type, "")
           : dtype_kind(from) == KIND_SINT ? LLVMBuildSExt(l->b, v, type, "")
                                           : LLVMBuildZExt(l->b, v, type, "");
}

static LLVMValueRef
compute(Elements *x, ExprId id)
{
    Lower *l = x->l;
    const Expr *e = ir_expr(l->k, id);
    if (!varies(x, id)) {
        return lower_splat(l, lower_expr(l, id, 0), LANES);
    }
    if (e->kind != EX_OP) {
        return e->kind == EX_VAR ? count_up(x) : x->lanes[e->a];
    }
    LLVMValueRef a = compute(x, e->a);
    if (e->op == SOP_CAST) {
        return cast(l, (Dtype)e->dtype, (Dtype)ir_expr(l->k, e->a)->dtype, a);
    }
    LLVMValueRef b = compute(x, e->b);
    return e->op == SOP_ADD   ? LLVMBuildAdd(l->b, a, b, "")
           : e->op == SOP_SUB ? LLVMBuildSub(l->b, a, b, "")
                              : LLVMBuildMul(l->b, a, b, "");
}

/* Finds what is added to an expression from lane to lane, modulo 2^32 or more; false: not
 * always the same. Sums of narrow types begin anew too soon. */
static bool
find_step(const Elements *x, ExprId id, int64_t *step)
{
    const Kernel *k = x->l->k;
    const Expr *e = ir_expr(k, id);
    int64_t other = 0;
    *step = e->kind == EX_VAR && e->a == x->var;
    if (!varies(x, id) || e->kind == EX_VAR) {
        return true;
    }
    if (e->kind != EX_OP || dtype_size((Dtype)e->dtype) < 4 ||
        !find_step(x, e->a, step) || (e->b != 0 && !find_step(x, e->b, &other))) {
        return false;
    }
    if (e->op == SOP_MUL) {
        bool by = ir_is_const(k, e->b), of = ir_is_const(k, e->a);
        return (by && checked_mul(*step, ir_expr(k, e->b)->imm, step)) ||
               (of && checked_mul(other, ir_expr(k, e->a)->imm, step));
    }
    return e->op == SOP_CAST || (e->op == SOP_ADD ? checked_add(*step, other, step)
                                                  : checked_sub(*step, other, step));
}

/* ---- memory -------------------------------------------------------------- */

/* Where the element is in each lane. */
typedef struct Places {
    LLVMValueRef off; /* from the buffer's first byte, i64 lanes */
    LLVMValueRef at;  /* of the first lane; null: the lanes do not follow each other */
} Places;

/* Goes to the other loop unless the elements are inside of the tensor, at multiples of
 * their size. */
static void
check(Elements *x, const Ref *r, LLVMValueRef off)
{
    Lower *l = x->l;
    int64_t size = dtype_size(r->dtype), bytes = ir_bytes(&l->k->bufs.p[r->buf]);
    LLVMValueRef end = lower_splat(l, lower_const(l, MAX(bytes - size + 1, 0)), LANES);
    LLVMValueRef low = lower_splat(l, lower_const(l, size - 1), LANES);
    LLVMValueRef in = LLVMBuildICmp(l->b, LLVMIntULT, off, end, "");
    LLVMValueRef odd = LLVMBuildAnd(l->b, off, low, "");
    LLVMValueRef even =
        LLVMBuildICmp(l->b, LLVMIntEQ, odd, LLVMConstNull(LLVMTypeOf(odd)), "");
    LLVMValueRef good = LLVMBuildAnd(l->b, in, even, "");
    LLVMTypeRef type = LLVMTypeOf(good);
    good = lower_intrinsic(l, "llvm.vector.reduce.and", &type, 1, &good, 1);
    LLVMBasicBlockRef go = lower_block(l, "lanes");
    LLVMBuildCondBr(l->b, good, go, x->others);
    LLVMPositionBuilderAtEnd(l->b, go);
}

/* Elements follow each other if their offsets do modulo 2^32, since all of them are
 * inside of the tensor: it is shorter than 2^31 bytes. */
static Places
find_places(Elements *x, const Ref *r, bool checked)
{
    Lower *l = x->l;
    int64_t step;
    Dtype t = (Dtype)ir_expr(l->k, r->off)->dtype;
    Places p = {.off = cast(l, DT_S64, t, compute(x, r->off))};
    if (checked) {
        check(x, r, p.off);
    }
    if (find_step(x, r->off, &step) && step == dtype_size(r->dtype)) {
        p.at = lower_ref(l, r);
    }
    return p;
}

/* Returns the address of each lane; the distances have 32 bits, which processors add
 * sixteen at a time. */
static LLVMValueRef
addresses(Elements *x, const Ref *r, const Places *p)
{
    Lower *l = x->l;
    LLVMTypeRef half = LLVMVectorType(l->i32, LANES);
    LLVMValueRef off = LLVMBuildTrunc(l->b, p->off, half, "");
    off = LLVMBuildSExt(l->b, off, LLVMVectorType(l->i64, LANES), "");
    return LLVMBuildGEP2(l->b, l->i8, lower_first_byte(l, r->buf), &off, 1, "");
}

static void
load(Elements *x, const Stmt *st)
{
    Lower *l = x->l;
    const Ref *r = &st->load.ref;
    LLVMTypeRef type = lower_bits_type(l, r->dtype, LANES);
    Places p = find_places(x, r, st->proof != PROOF_PROVED);
    if (p.at != NULL) {
        LLVMValueRef v = LLVMBuildLoad2(l->b, type, p.at, "");
        LLVMSetAlignment(v, 1);
        x->lanes[st->load.reg] = v;
        return;
    }
    LLVMValueRef at = addresses(x, r, &p);
    LLVMTypeRef types[2] = {type, LLVMTypeOf(at)};
    LLVMValueRef all = LLVMConstAllOnes(LLVMVectorType(l->i1, LANES));
    LLVMValueRef args[4] = {at, lower_const32(l, 1), all, LLVMGetPoison(type)};
    x->lanes[st->load.reg] = lower_intrinsic(l, "llvm.masked.gather", types, 2, args, 4);
}

static void
store(Elements *x, const Stmt *st)
{
    Lower *l = x->l;
    const Ref *r = &st->store.ref;
    LLVMValueRef v = compute(x, st->store.value);
    Places p = find_places(x, r, st->proof != PROOF_PROVED);
    if (p.at != NULL) {
        LLVMSetAlignment(LLVMBuildStore(l->b, v, p.at), 1);
        return;
    }
    LLVMValueRef at = addresses(x, r, &p);
    LLVMTypeRef types[2] = {LLVMTypeOf(v), LLVMTypeOf(at)};
    LLVMValueRef all = LLVMConstAllOnes(LLVMVectorType(l->i1, LANES));
    LLVMValueRef args[4] = {v, at, lower_const32(l, 1), all};
    lower_intrinsic(l, "llvm.masked.scatter", types, 2, args, 4);
}

/* ---- iterations ---------------------------------------------------------- */

static void
take(Elements *x, StmtId s)
{
    const Stmt *st = &x->l->k->stmts.p[s];
    x->l->stamp++;
    if (st->kind == ST_SET) {
        x->lanes[st->set.reg] = compute(x, st->set.value);
    } else if (st->kind == ST_LOAD) {
        load(x, st);
    } else {
        store(x, st);
    }
}

/* The registers have what the last iteration set. */
static void
leave_registers(Elements *x)
{
    Lower *l = x->l;
    for (uint32_t r = 0; r < l->k->regs.n; r++) {
        if (x->lanes[r] != NULL) {
            LLVMValueRef v = LLVMBuildExtractElement(l->b, x->lanes[r],
                                                     lower_const32(l, LANES - 1), "");
            LLVMBuildStore(l->b, v, l->regs[r]);
        }
    }
}

bool
elements_can(const Lower *l, const Stmt *loop)
{
    return loop->loop.vectorized && l->target->masked_stores;
}

LLVMValueRef
elements_enough(Lower *l, LLVMValueRef first, LLVMValueRef end, LLVMValueRef *stop)
{
    LLVMValueRef lanes = LLVMConstInt(LLVMTypeOf(first), LANES, false);
    LLVMValueRef left = LLVMBuildSub(l->b, end, first, "");
    LLVMValueRef enough = LLVMBuildICmp(l->b, LLVMIntUGE, left, lanes, "");
    LLVMValueRef after = LLVMBuildAdd(l->b, first, lanes, "");
    *stop = LLVMBuildSelect(l->b, enough, after, end, "");
    return enough;
}

void
elements_take(Lower *l, const Stmt *loop, LLVMValueRef first, LLVMBasicBlockRef others)
{
    Elements x = {.l = l,
                  .var = loop->loop.var,
                  .first = first,
                  .lanes = ARENA_ARRAY(l->arena, LLVMValueRef, l->k->regs.n),
                  .others = others};
    l->vars[x.var] = first;
    for (StmtId s = loop->loop.body; s != 0; s = l->k->stmts.p[s].next) {
        debug_statement(l, s);
        take(&x, s);
    }
    leave_registers(&x);
    l->stamp++;
}
