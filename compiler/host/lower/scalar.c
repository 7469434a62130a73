/* scalar.c: lowers expressions, assignments and single elements. They mean what
 * num/scalar.c says; the unit test compares the two on every operation and type.
 *
 * An expression is evaluated where it is used. Inside one statement equal subexpressions
 * are evaluated once: registers do not change there, and code of one statement is a
 * straight line except for branches that leave the kernel with a fault. */
#include "host/lower/guard.h"

static LLVMValueRef lower_op(Lower *l, const Expr *e, StmtId at);

static bool
is_signed(Dtype t)
{
    return dtype_kind(t) == KIND_SINT;
}

static LLVMValueRef
build_expr(Lower *l, const Expr *e, StmtId at)
{
    LLVMTypeRef t = lower_bits_type(l, (Dtype)e->dtype, 0);
    switch ((ExprKind)e->kind) {
    case EX_CONST:
        return LLVMConstInt(t, (uint64_t)e->imm, true);
    case EX_REG:
        return LLVMBuildLoad2(l->b, t, l->regs[e->a], "");
    case EX_VAR:
        return l->vars[e->a];
    case EX_OP:
        return lower_op(l, e, at);
    case EX_NONE:
        break;
    }
    UNREACHABLE();
}

LLVMValueRef
lower_expr(Lower *l, ExprId e, StmtId at)
{
    if (l->memo_stamp[e] != l->stamp) {
        LLVMValueRef v = build_expr(l, ir_expr(l->k, e), at);
        l->memo[e] = v;
        l->memo_stamp[e] = l->stamp;
    }
    return l->memo[e];
}

LLVMValueRef
lower_number(Lower *l, ExprId e, StmtId at)
{
    LLVMValueRef v = lower_expr(l, e, at);
    Dtype t = (Dtype)ir_expr(l->k, e)->dtype;
    if (LLVMTypeOf(v) == l->i64) {
        return v;
    }
    return is_signed(t) ? LLVMBuildSExt(l->b, v, l->i64, "")
                        : LLVMBuildZExt(l->b, v, l->i64, "");
}

void
lower_fault_if(Lower *l, LLVMValueRef cond, Rule rule, LLVMValueRef value, StmtId at)
{
    LLVMBasicBlockRef bad = lower_block(l, "fault");
    LLVMBasicBlockRef good = lower_block(l, "go");
    LLVMBuildCondBr(l->b, cond, bad, good);
    LLVMPositionBuilderAtEnd(l->b, bad);
    LLVMTypeRef params[4] = {l->ptr, l->i32, l->i64, l->i32};
    LLVMTypeRef type = LLVMFunctionType(l->i32, params, 4, false);
    LLVMValueRef args[4] = {l->state, lower_const32(l, rule), value,
                            lower_const32(l, lower_place(l, at))};
    LLVMBuildCall2(l->b, type, lower_runtime(l, "tikrt_fault", type), args, 4, "");
    LLVMBuildBr(l->b, lower_failed(l, at));
    LLVMPositionBuilderAtEnd(l->b, good);
}

/* ---- operations ---------------------------------------------------------- */

static LLVMValueRef
compare(Lower *l, ScalarOp op, Dtype t, LLVMValueRef a, LLVMValueRef b)
{
    static const LLVMRealPredicate real[] = {LLVMRealOEQ, LLVMRealUNE, LLVMRealOLT,
                                             LLVMRealOLE, LLVMRealOGT, LLVMRealOGE};
    static const LLVMIntPredicate sint[] = {LLVMIntEQ,  LLVMIntNE,  LLVMIntSLT,
                                            LLVMIntSLE, LLVMIntSGT, LLVMIntSGE};
    static const LLVMIntPredicate uint[] = {LLVMIntEQ,  LLVMIntNE,  LLVMIntULT,
                                            LLVMIntULE, LLVMIntUGT, LLVMIntUGE};
    int i = (int)op - SOP_EQ;
    if (dtype_is_float(t)) {
        return LLVMBuildFCmp(l->b, real[i], lower_to_f32(l, a, t, 0),
                             lower_to_f32(l, b, t, 0), "");
    }
    return LLVMBuildICmp(l->b, is_signed(t) ? sint[i] : uint[i], a, b, "");
}

/* Division by zero is a fault; the quotient of the least number and -1 wraps. */
static LLVMValueRef
int_division(Lower *l, const Expr *e, LLVMValueRef a, LLVMValueRef b, StmtId at)
{
    Dtype t = (Dtype)e->dtype;
    LLVMTypeRef type = LLVMTypeOf(a);
    LLVMValueRef zero = LLVMConstNull(type);
    const Expr *divisor = ir_expr(l->k, e->b);
    if (divisor->kind != EX_CONST || divisor->imm == 0) {
        LLVMValueRef is_zero = LLVMBuildICmp(l->b, LLVMIntEQ, b, zero, "");
        lower_fault_if(l, is_zero, RULE_DIV_ZERO, lower_const(l, 0), at);
    }
    bool quotient = e->op == SOP_DIV;
    if (!is_signed(t)) {
        return quotient ? LLVMBuildUDiv(l->b, a, b, "") : LLVMBuildURem(l->b, a, b, "");
    }
    if (divisor->kind == EX_CONST && divisor->imm > 0) {
        return quotient ? LLVMBuildSDiv(l->b, a, b, "") : LLVMBuildSRem(l->b, a, b, "");
    }
    LLVMValueRef minus = LLVMBuildICmp(l->b, LLVMIntEQ, b, LLVMConstAllOnes(type), "");
    LLVMValueRef safe = LLVMBuildSelect(l->b, minus, LLVMConstInt(type, 1, false), b, "");
    LLVMValueRef r =
        quotient ? LLVMBuildSDiv(l->b, a, safe, "") : LLVMBuildSRem(l->b, a, safe, "");
    LLVMValueRef odd = quotient ? LLVMBuildSub(l->b, zero, a, "") : zero;
    return LLVMBuildSelect(l->b, minus, odd, r, "");
}

static LLVMValueRef
shift(Lower *l, ScalarOp op, Dtype t, LLVMValueRef a, LLVMValueRef b)
{
    LLVMTypeRef type = LLVMTypeOf(a);
    uint64_t width = LLVMGetIntTypeWidth(type);
    LLVMValueRef last = LLVMConstInt(type, width - 1, false);
    LLVMValueRef inside =
        LLVMBuildICmp(l->b, LLVMIntULT, b, LLVMConstInt(type, width, false), "");
    if (op == SOP_SHR && is_signed(t)) {
        return LLVMBuildAShr(l->b, a, LLVMBuildSelect(l->b, inside, b, last, ""), "");
    }
    LLVMValueRef count = LLVMBuildSelect(l->b, inside, b, LLVMConstNull(type), "");
    LLVMValueRef r = op == SOP_SHL ? LLVMBuildShl(l->b, a, count, "")
                                   : LLVMBuildLShr(l->b, a, count, "");
    return LLVMBuildSelect(l->b, inside, r, LLVMConstNull(type), "");
}

static LLVMValueRef
float_binary(Lower *l, ScalarOp op, Dtype t, LLVMValueRef a, LLVMValueRef b)
{
    if (op == SOP_REM) { /* the remainder is exact in float32 */
        LLVMValueRef r =
            LLVMBuildFRem(l->b, lower_to_f32(l, a, t, 0), lower_to_f32(l, b, t, 0), "");
        return lower_from_f32(l, r, t, 0);
    }
    LLVMOpcode code = op == SOP_ADD   ? LLVMFAdd
                      : op == SOP_SUB ? LLVMFSub
                      : op == SOP_MUL ? LLVMFMul
                                      : LLVMFDiv;
    return lower_float_op(l, code, t, 0, a, b);
}

/* A bool is a number that is 0 or 1, and any other result counts as 1. */
static LLVMValueRef
bool_binary(Lower *l, ScalarOp op, LLVMValueRef a, LLVMValueRef b)
{
    switch (op) {
    case SOP_ADD:
        return LLVMBuildOr(l->b, a, b, "");
    case SOP_SUB:
        return LLVMBuildXor(l->b, a, b, "");
    case SOP_MUL:
        return LLVMBuildAnd(l->b, a, b, "");
    case SOP_SHL:
        return a;
    default: /* SOP_SHR */
        return LLVMBuildAnd(l->b, a, LLVMBuildNot(l->b, b, ""), "");
    }
}

static LLVMValueRef
binary(Lower *l, const Expr *e, LLVMValueRef a, LLVMValueRef b, StmtId at)
{
    Dtype t = (Dtype)e->dtype;
    ScalarOp op = (ScalarOp)e->op;
    switch (op) {
    case SOP_AND:
        return LLVMBuildAnd(l->b, a, b, "");
    case SOP_OR:
        return LLVMBuildOr(l->b, a, b, "");
    case SOP_XOR:
        return LLVMBuildXor(l->b, a, b, "");
    default:
        break;
    }
    if (dtype_is_float(t)) {
        return float_binary(l, op, t, a, b);
    }
    if (op == SOP_DIV || op == SOP_REM) {
        return int_division(l, e, a, b, at);
    }
    if (t == DT_BOOL) {
        return bool_binary(l, op, a, b);
    }
    if (op == SOP_SHL || op == SOP_SHR) {
        return shift(l, op, t, a, b);
    }
    return lower_binary(l,
                        op == SOP_ADD   ? SEM_ADD
                        : op == SOP_SUB ? SEM_SUB
                                        : SEM_MUL,
                        t, 0, a, b);
}

static LLVMValueRef
negate(Lower *l, Dtype t, LLVMValueRef a)
{
    if (dtype_is_float(t)) {
        return lower_from_f32(l, LLVMBuildFNeg(l->b, lower_to_f32(l, a, t, 0), ""), t, 0);
    }
    return t == DT_BOOL ? a : LLVMBuildNeg(l->b, a, "");
}

static LLVMValueRef
float_to_int(Lower *l, Dtype t, LLVMValueRef f)
{
    if (t == DT_BOOL) {
        return LLVMBuildFCmp(l->b, LLVMRealUNE, f, LLVMConstNull(l->f32), "");
    }
    LLVMTypeRef types[2] = {lower_bits_type(l, t, 0), l->f32};
    const char *name = is_signed(t) ? "llvm.fptosi.sat" : "llvm.fptoui.sat";
    return lower_intrinsic(l, name, types, 2, &f, 1);
}

/* Converts to a float type; a value of 16 bits stays finite. */
static LLVMValueRef
narrowed(Lower *l, LLVMValueRef f, Dtype t)
{
    LLVMValueRef bits = lower_from_f32(l, f, t, 0);
    return t == DT_F32 ? bits : lower_saturated(l, t, bits, 0);
}

static LLVMValueRef
cast(Lower *l, Dtype t, Dtype from, LLVMValueRef a)
{
    if (t == from) {
        return a;
    }
    LLVMTypeRef type = lower_bits_type(l, t, 0);
    if (dtype_is_float(from)) {
        LLVMValueRef f = lower_to_f32(l, a, from, 0);
        return dtype_is_float(t) ? narrowed(l, f, t) : float_to_int(l, t, f);
    }
    if (dtype_is_float(t)) {
        LLVMValueRef f = is_signed(from) ? LLVMBuildSIToFP(l->b, a, l->f32, "")
                                         : LLVMBuildUIToFP(l->b, a, l->f32, "");
        return narrowed(l, f, t);
    }
    if (t == DT_BOOL) {
        return LLVMBuildICmp(l->b, LLVMIntNE, a, LLVMConstNull(LLVMTypeOf(a)), "");
    }
    unsigned have = LLVMGetIntTypeWidth(LLVMTypeOf(a));
    unsigned want = LLVMGetIntTypeWidth(type);
    if (want <= have) {
        return want == have ? a : LLVMBuildTrunc(l->b, a, type, "");
    }
    return is_signed(from) ? LLVMBuildSExt(l->b, a, type, "")
                           : LLVMBuildZExt(l->b, a, type, "");
}

/* Returns the square root of the absolute value. */
static LLVMValueRef
square_root(Lower *l, Dtype t, LLVMValueRef a)
{
    if (dtype_is_float(t)) {
        LLVMValueRef f = lower_to_f32(l, a, t, 0);
        f = lower_intrinsic(l, "llvm.fabs", &l->f32, 1, &f, 1);
        f = lower_intrinsic(l, "llvm.sqrt", &l->f32, 1, &f, 1);
        return lower_from_f32(l, f, t, 0);
    }
    LLVMTypeRef type = LLVMFunctionType(l->i64, &l->i64, 1, false);
    LLVMTypeRef own = LLVMTypeOf(a);
    LLVMValueRef wide = is_signed(t) ? LLVMBuildSExtOrBitCast(l->b, a, l->i64, "")
                                     : LLVMBuildZExtOrBitCast(l->b, a, l->i64, "");
    if (is_signed(t)) {
        LLVMValueRef zero = lower_const(l, 0);
        LLVMValueRef negative = LLVMBuildICmp(l->b, LLVMIntSLT, wide, zero, "");
        wide =
            LLVMBuildSelect(l->b, negative, LLVMBuildSub(l->b, zero, wide, ""), wide, "");
    }
    LLVMValueRef r =
        LLVMBuildCall2(l->b, type, lower_runtime(l, "tikrt_isqrt", type), &wide, 1, "");
    return LLVMBuildTruncOrBitCast(l->b, r, own, "");
}

static LLVMValueRef
lower_op(Lower *l, const Expr *e, StmtId at)
{
    ScalarOp op = (ScalarOp)e->op;
    LLVMValueRef a = lower_expr(l, e->a, at);
    Dtype from = (Dtype)ir_expr(l->k, e->a)->dtype;
    if (op == SOP_CAST) {
        return cast(l, (Dtype)e->dtype, from, a);
    }
    if (op == SOP_BITS) { /* between types of one width; a byte becomes a truth value */
        return (from == DT_BOOL) == (e->dtype == DT_BOOL)
                   ? a
                   : cast(l, (Dtype)e->dtype, from, a);
    }
    if (op == SOP_NEG) {
        return negate(l, (Dtype)e->dtype, a);
    }
    if (op == SOP_NOT) {
        return LLVMBuildNot(l->b, a, "");
    }
    if (op == SOP_SQRT) {
        return square_root(l, (Dtype)e->dtype, a);
    }
    LLVMValueRef b = lower_expr(l, e->b, at);
    return scalar_is_compare(op) ? compare(l, op, from, a, b) : binary(l, e, a, b, at);
}

/* ---- statements ---------------------------------------------------------- */

void
lower_set(Lower *l, StmtId s)
{
    const Stmt *st = &l->k->stmts.p[s];
    LLVMBuildStore(l->b, lower_expr(l, st->set.value, s), l->regs[st->set.reg]);
}

static LLVMTypeRef
memory_type(Lower *l, Dtype t)
{
    return t == DT_BOOL ? l->i8 : lower_bits_type(l, t, 0);
}

void
lower_load(Lower *l, StmtId s)
{
    const Stmt *st = &l->k->stmts.p[s];
    guard_element(l, &st->load.ref, s);
    guard_enter(l);
    Dtype t = st->load.ref.dtype;
    LLVMValueRef at = lower_ref(l, &st->load.ref);
    LLVMValueRef v = LLVMBuildLoad2(l->b, memory_type(l, t), at, "");
    LLVMSetAlignment(v, 1);
    if (t == DT_BOOL) {
        v = LLVMBuildICmp(l->b, LLVMIntNE, v, LLVMConstNull(l->i8), "");
    }
    LLVMBuildStore(l->b, v, l->regs[st->load.reg]);
    guard_leave(l);
}

void
lower_store(Lower *l, StmtId s)
{
    const Stmt *st = &l->k->stmts.p[s];
    LLVMValueRef v = lower_expr(l, st->store.value, s);
    guard_element(l, &st->store.ref, s);
    if (st->store.ref.dtype == DT_BOOL) {
        v = LLVMBuildZExt(l->b, v, l->i8, "");
    }
    guard_enter(l);
    LLVMSetAlignment(LLVMBuildStore(l->b, v, lower_ref(l, &st->store.ref)), 1);
    guard_leave(l);
}
