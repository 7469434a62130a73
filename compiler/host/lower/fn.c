/* fn.c: elementary functions on vectors of lanes. On machines with AVX-512 the steps of
 * num/fn.def become instructions, 16 lanes at a time; vectors in which some lane is not
 * sure of its result go to the runtime library in a branch. Other machines call the
 * library at once, through memory. */
#include "host/lower/lower.h"

/* The operations of num/fn.def have these names. */
#undef MIN
#undef MAX

enum {
    LANES = 16 /* of float32, in a register */
};

/* ---- functions of the runtime library ------------------------------------ */

/* Returns the constant TikMap. */
static LLVMValueRef
map_constant(Lower *l, Sem op, Dtype t, int lanes)
{
    LLVMValueRef fields[4] = {lower_const32(l, op), lower_const32(l, t),
                              lower_const32(l, lanes),
                              lower_const32(l, lower_chosen(l, CHOICE_APPROXIMATE))};
    LLVMValueRef init = LLVMConstStructInContext(l->ctx, fields, 4, false);
    LLVMValueRef global = LLVMAddGlobal(l->mod, LLVMTypeOf(init), "tik_map");
    LLVMSetInitializer(global, init);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    return global;
}

void
lower_function_run(Lower *l, Sem op, Dtype t, int lanes, const Counted *c)
{
    LLVMTypeRef types[6] = {l->ptr, l->ptr, l->ptr, l->i64, l->i64, l->i64};
    LLVMTypeRef type = LLVMFunctionType(l->none, types, 6, false);
    LLVMValueRef args[6] = {map_constant(l, op, t, lanes),
                            c->at[0],
                            c->at[1],
                            c->count,
                            c->step[0],
                            c->step[1]};
    LLVMBuildCall2(l->b, type, lower_runtime(l, "tikrt_map", type), args, 6, "");
}

static LLVMValueRef
saturated(Lower *l, Dtype t, int lanes, LLVMValueRef bits)
{
    return l->saturates_half && t == DT_F16 ? lower_saturated(l, t, bits, lanes) : bits;
}

LLVMValueRef
lower_function_called(Lower *l, Sem op, Dtype t, int lanes, LLVMValueRef bits)
{
    LLVMTypeRef type = LLVMTypeOf(bits);
    LLVMValueRef at = lower_helper_alloca(l, type, "lanes");
    LLVMValueRef zero = lower_const(l, 0);
    Counted c = {.count = lower_const(l, 1), .at = {at, at}, .step = {zero, zero}};
    LLVMBuildStore(l->b, bits, at);
    lower_function_run(l, op, t, lanes > 0 ? lanes : 1, &c);
    return saturated(l, t, lanes, LLVMBuildLoad2(l->b, type, at, ""));
}

/* ---- the operations of num/fn.def ---------------------------------------- */

static LLVMValueRef
float_constant(Lower *l, int lanes, double c)
{
    return lower_splat(l, LLVMConstReal(l->f32, c), lanes);
}

static LLVMValueRef
intrinsic(Lower *l, const char *name, LLVMValueRef *args, int n)
{
    LLVMTypeRef type = LLVMTypeOf(args[0]);
    return lower_intrinsic(l, name, &type, 1, args, n);
}

/* Returns LANES lanes of v, from the first one on. */
static LLVMValueRef
part_of(Lower *l, LLVMValueRef v, int first)
{
    LLVMTypeRef types[2] = {LLVMVectorType(LLVMGetElementType(LLVMTypeOf(v)), LANES),
                            LLVMTypeOf(v)};
    LLVMValueRef args[2] = {v, lower_const(l, first)};
    return lower_intrinsic(l, "llvm.vector.extract", types, 2, args, 2);
}

static LLVMValueRef
with_part(Lower *l, LLVMValueRef v, LLVMValueRef part, int first)
{
    LLVMTypeRef types[2] = {LLVMTypeOf(v), LLVMTypeOf(part)};
    LLVMValueRef args[3] = {v, part, lower_const(l, first)};
    return lower_intrinsic(l, "llvm.vector.insert", types, 2, args, 3);
}

static LLVMValueRef
half_of_table(Lower *l, const uint32_t *table)
{
    LLVMValueRef v[LANES];
    for (int i = 0; i < LANES; i++) {
        v[i] = LLVMConstInt(l->i32, table[i], false);
    }
    return LLVMConstBitCast(LLVMConstVector(v, LANES), LLVMVectorType(l->f32, LANES));
}

static LLVMValueRef
lookup(Lower *l, const uint32_t *table, LLVMValueRef index, int lanes)
{
    LLVMValueRef all = LLVMGetPoison(LLVMVectorType(l->f32, (unsigned)lanes));
    for (int i = 0; i < lanes; i += LANES) {
        LLVMValueRef args[3] = {half_of_table(l, table), part_of(l, index, i),
                                half_of_table(l, table + LANES)};
        LLVMValueRef v =
            lower_intrinsic(l, "llvm.x86.avx512.vpermi2var.ps.512", NULL, 0, args, 3);
        all = with_part(l, all, v, i);
    }
    return all;
}

#define TABLE(name, ...) static const uint32_t name[2 * LANES] = {__VA_ARGS__};
#include "num/fn_table.def"
#undef TABLE

/* Returns a 2^e, rounded once; k is from e to below e + 1. */
static LLVMValueRef
scaled(Lower *l, LLVMValueRef a, LLVMValueRef k, int lanes)
{
    LLVMValueRef all = LLVMGetPoison(LLVMTypeOf(a));
    for (int i = 0; i < lanes; i += LANES) {
        LLVMValueRef part = part_of(l, a, i);
        LLVMValueRef args[5] = {part, part_of(l, k, i), part,
                                LLVMConstInt(l->i16, 0xffff, false),
                                lower_const32(l, 4)}; /* the present rounding */
        LLVMValueRef v =
            lower_intrinsic(l, "llvm.x86.avx512.mask.scalef.ps.512", NULL, 0, args, 5);
        all = with_part(l, all, v, i);
    }
    return all;
}

/* Returns a where the comparison holds, else c. */
static LLVMValueRef
extreme(Lower *l, LLVMRealPredicate p, LLVMValueRef a, LLVMValueRef c)
{
    return LLVMBuildSelect(l->b, LLVMBuildFCmp(l->b, p, a, c, ""), a, c, "");
}

#define FLOATS(name, value) LLVMValueRef name = value;
#define WORDS(name, value)  LLVMValueRef name = value;
#define TRUTHS(name, value) LLVMValueRef name = value;
#define F(c)                float_constant(l, n, c)
#define W(c)                lower_bits_const(l, DT_U32, n, c)
#define ADD(u, v)           LLVMBuildFAdd(l->b, u, v, "")
#define SUB(u, v)           LLVMBuildFSub(l->b, u, v, "")
#define MUL(u, v)           LLVMBuildFMul(l->b, u, v, "")
#define DIV(u, v)           LLVMBuildFDiv(l->b, u, v, "")
#define FMA(u, v, w)        intrinsic(l, "llvm.fma", (LLVMValueRef[]){u, v, w}, 3)
#define SQRT(u)             intrinsic(l, "llvm.sqrt", (LLVMValueRef[]){u}, 1)
#define ABS(u)              intrinsic(l, "llvm.fabs", (LLVMValueRef[]){u}, 1)
#define NEG(u)              LLVMBuildFNeg(l->b, u, "")
#define MIN(u, v)           extreme(l, LLVMRealOLT, u, v)
#define MAX(u, v)           extreme(l, LLVMRealOGT, u, v)
#define SCALE(u, k)         scaled(l, u, k, n)
#define POWER(u, k, w, off) scaled(l, u, k, n)
#define INSIDE(u, c, w, m)  LLVMBuildICmp(l->b, LLVMIntEQ, AND(w, W(m)), W(0), "")
#define BITS_OF(u)          LLVMBuildBitCast(l->b, u, LLVMVectorType(l->i32, (unsigned)n), "")
#define VALUE_OF(u)         LLVMBuildBitCast(l->b, u, LLVMVectorType(l->f32, (unsigned)n), "")
#define FLOAT_OF(u)         LLVMBuildSIToFP(l->b, u, LLVMVectorType(l->f32, (unsigned)n), "")
#define PLUS(u, v)          LLVMBuildAdd(l->b, u, v, "")
#define MINUS(u, v)         LLVMBuildSub(l->b, u, v, "")
#define AND(u, v)           LLVMBuildAnd(l->b, u, v, "")
#define SHL(u, by)          LLVMBuildShl(l->b, u, W(by), "")
#define SHR(u, by)          LLVMBuildLShr(l->b, u, W(by), "")
#define LOOKUP(table, u)    lookup(l, table, u, n)
#define EQ(u, v)            LLVMBuildFCmp(l->b, LLVMRealOEQ, u, v, "")
#define LE(u, v)            LLVMBuildFCmp(l->b, LLVMRealOLE, u, v, "")
#define UNLIKE(u, v)        LLVMBuildICmp(l->b, LLVMIntNE, u, v, "")
#define BOTH(u, v)          LLVMBuildAnd(l->b, u, v, "")

/* ---- the functions ------------------------------------------------------- */

/* Builds the steps of a function for a vector x of n float32, a multiple of LANES.
 * Returns their result, and gives where it is sure; null: everywhere but where it is NaN.
 */
typedef LLVMValueRef Steps(Lower *l, int n, LLVMValueRef x, LLVMValueRef *out);

#define STEPS(name)                                                                      \
    static LLVMValueRef name(Lower *l, int n, LLVMValueRef x, LLVMValueRef *out)

STEPS(exp_f32)
{
#define FN_EXP
#include "num/fn.def"
    *out = sure;
    return result;
}

STEPS(ln_f32)
{
#define FN_LN
#include "num/fn.def"
    *out = sure;
    return result;
}

STEPS(rsqrt_f32)
{
#define FN_RSQRT
#include "num/fn.def"
    *out = sure;
    return result;
}

STEPS(exp_fast)
{
#define FN_EXP_FAST
#include "num/fn.def"
    *out = NULL;
    return result;
}

STEPS(ln_fast)
{
#define FN_LN_FAST
#include "num/fn.def"
    *out = sure;
    return result;
}

STEPS(rsqrt_fast)
{
#define FN_RSQRT_FAST
#include "num/fn.def"
    *out = NULL;
    return result;
}

STEPS(exp_f16)
{
#define FN_EXP_F16
#include "num/fn.def"
    *out = BOTH(sure, EQ(result, result));
    return result;
}

STEPS(expm1_f16)
{
#define FN_EXPM1_F16
#include "num/fn.def"
    *out = BOTH(sure, EQ(result, result));
    return result;
}

STEPS(ln_f16)
{
#define FN_LN_F16
#include "num/fn.def"
    *out = sure;
    return result;
}

STEPS(rsqrt_f16)
{
#define FN_RSQRT_F16
#include "num/fn.def"
    *out = BOTH(sure, EQ(result, result));
    return result;
}

/* Returns null where the runtime library computes the lanes at once. */
static Steps *
steps_of(const Lower *l, Sem op, Dtype t, int lanes)
{
    static Steps *const f16[SEM_COUNT] = {[SEM_EXP] = exp_f16,
                                          [SEM_EXPM1] = expm1_f16,
                                          [SEM_LN] = ln_f16,
                                          [SEM_RSQRT] = rsqrt_f16};
    static Steps *const f32[SEM_COUNT] = {
        [SEM_EXP] = exp_f32, [SEM_LN] = ln_f32, [SEM_RSQRT] = rsqrt_f32};
    static Steps *const fast[SEM_COUNT] = {
        [SEM_EXP] = exp_fast, [SEM_LN] = ln_fast, [SEM_RSQRT] = rsqrt_fast};
    if (!l->target->masked_stores || lanes == 0 || lanes % LANES != 0) {
        return NULL;
    }
    if (t == DT_F16) {
        return f16[op];
    }
    bool short_ones = lower_chosen(l, CHOICE_APPROXIMATE) == CHOSE_APPROXIMATE_FAST;
    return short_ones ? fast[op] : f32[op];
}

/* Returns the bits of a result; for float32 those of a NaN may be any. */
static LLVMValueRef
rounded(Lower *l, LLVMValueRef y, Dtype t, int n)
{
    if (t == DT_F32) {
        return BITS_OF(y);
    }
    LLVMValueRef h = LLVMBuildFPTrunc(l->b, y, LLVMVectorType(l->f16, (unsigned)n), "");
    return LLVMBuildBitCast(l->b, h, LLVMVectorType(l->i16, (unsigned)n), "");
}

/* Builds each step for all registers of lanes before the next one: the machine finds more
 * that it can do at once. One branch is for all. */
static LLVMValueRef
by_steps(Lower *l, Sem op, Dtype t, int lanes, LLVMValueRef bits)
{
    Steps *steps = steps_of(l, op, t, lanes);
    LLVMValueRef sure;
    bits = lower_any_nan(l, bits);
    LLVMValueRef all = steps(l, lanes, lower_to_f32(l, bits, t, lanes), &sure);
    all = rounded(l, all, t, lanes);
    if (sure == NULL) {
        return lower_canonical(l, t, lanes, all);
    }
    LLVMValueRef each = part_of(l, sure, 0);
    for (int i = LANES; i < lanes; i += LANES) {
        each = LLVMBuildAnd(l->b, each, part_of(l, sure, i), "");
    }
    Rare rare;
    lower_rare_begin(l, &rare, LLVMBuildNot(l->b, each, ""), all);
    return lower_rare_end(l, &rare, lower_function_called(l, op, t, lanes, bits));
}

LLVMValueRef
lower_function(Lower *l, Sem op, Dtype t, int lanes, LLVMValueRef bits)
{
    if (op == SEM_SQRT || op == SEM_REC) {
        return lower_unary(l, op, t, lanes, bits);
    }
    if (steps_of(l, op, t, lanes) == NULL) {
        return lower_function_called(l, op, t, lanes, bits);
    }
    return saturated(l, t, lanes, by_steps(l, op, t, lanes, bits));
}
