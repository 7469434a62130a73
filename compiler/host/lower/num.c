/* num.c: arithmetic of the machine as LLVM IR, on one scalar (lanes 0) or on a vector of
 * lanes. Values are bits in integer types. It means exactly what num/scalar.h and the
 * numeric rules of vector instructions say: integers wrap; float16 and bfloat16 compute
 * in float32 and round once to nearest even; NaN results are canonical.
 *
 * float16 add, sub, mul, div are LLVM operations on half, whose result is the same bits
 * as rounding the float32 result. bfloat16 has no LLVM type here: widening is a shift and
 * rounding an integer sequence, so that no runtime routine is needed. Where the machine
 * has no comparisons of half, maximum, minimum and relu of the 16-bit formats compare
 * integer keys, which is cheaper than widening. */
#include "host/lower/lower.h"

#include <string.h>

enum {
    REGISTER_BYTES = 64 /* largest register of vectors */
};

typedef struct FloatFormat {
    uint32_t sign, inf, nan; /* bit patterns; inf is also the exponent field */
} FloatFormat;

static FloatFormat
float_format(Dtype t)
{
    switch (t) {
    case DT_F16:
        return (FloatFormat){0x8000, 0x7c00, 0x7e00};
    case DT_BF16:
        return (FloatFormat){0x8000, 0x7f80, 0x7fc0};
    default:
        return (FloatFormat){0x80000000U, 0x7f800000, 0x7fc00000};
    }
}

static LLVMTypeRef
with_lanes(LLVMTypeRef element, int lanes)
{
    return lanes == 0 ? element : LLVMVectorType(element, (unsigned)lanes);
}

LLVMTypeRef
lower_bits_type(Lower *l, Dtype t, int lanes)
{
    unsigned bits = t == DT_BOOL ? 1 : (unsigned)dtype_size(t) * 8;
    return with_lanes(LLVMIntTypeInContext(l->ctx, bits), lanes);
}

LLVMValueRef
lower_splat(Lower *l, LLVMValueRef scalar, int lanes)
{
    if (lanes == 0) {
        return scalar;
    }
    if (LLVMIsConstant(scalar)) {
        LLVMValueRef all[MAX_LANES];
        for (int i = 0; i < lanes; i++) {
            all[i] = scalar;
        }
        return LLVMConstVector(all, (unsigned)lanes);
    }
    LLVMTypeRef vec = LLVMVectorType(LLVMTypeOf(scalar), (unsigned)lanes);
    LLVMValueRef one =
        LLVMBuildInsertElement(l->b, LLVMGetPoison(vec), scalar, lower_const32(l, 0), "");
    LLVMValueRef zeros = LLVMConstNull(LLVMVectorType(l->i32, (unsigned)lanes));
    return LLVMBuildShuffleVector(l->b, one, LLVMGetPoison(vec), zeros, "");
}

LLVMValueRef
lower_bits_const(Lower *l, Dtype t, int lanes, uint64_t bits)
{
    return lower_splat(l, LLVMConstInt(lower_bits_type(l, t, 0), bits, false), lanes);
}

LLVMValueRef
lower_intrinsic(Lower *l, const char *name, LLVMTypeRef *types, int ntypes,
                LLVMValueRef *args, int n)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(l->mod, id, types, (size_t)ntypes);
    LLVMTypeRef type = LLVMIntrinsicGetType(l->ctx, id, types, (size_t)ntypes);
    return LLVMBuildCall2(l->b, type, fn, args, (unsigned)n, "");
}

void
lower_prefetch(Lower *l, LLVMValueRef at, int64_t distance, int64_t bytes, bool writes)
{
    for (int64_t i = 0; i < bytes; i += CACHE_LINE) {
        LLVMValueRef off = lower_const(l, distance + i);
        LLVMValueRef args[4] = {LLVMBuildGEP2(l->b, l->i8, at, &off, 1, ""),
                                lower_const32(l, writes), lower_const32(l, 3),
                                lower_const32(l, 1)};
        lower_intrinsic(l, "llvm.prefetch", &l->ptr, 1, args, 4);
    }
}

/* ---- rare lanes ---------------------------------------------------------- */

void
lower_rare_begin(Lower *l, Rare *r, LLVMValueRef rare, LLVMValueRef usual)
{
    LLVMTypeRef type = LLVMTypeOf(rare);
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
        rare = lower_intrinsic(l, "llvm.vector.reduce.or", &type, 1, &rare, 1);
    }
    LLVMBasicBlockRef fix = lower_block(l, "rare");
    *r = (Rare){usual, LLVMGetInsertBlock(l->b), lower_block(l, "usual")};
    LLVMValueRef branch = LLVMBuildCondBr(l->b, rare, fix, r->done);
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(l->ctx, "prof", strlen("prof")),
                    l->unlikely);
    LLVMPositionBuilderAtEnd(l->b, fix);
}

LLVMValueRef
lower_rare_end(Lower *l, Rare *r, LLVMValueRef instead)
{
    LLVMBasicBlockRef fix = LLVMGetInsertBlock(l->b);
    LLVMBuildBr(l->b, r->done);
    LLVMPositionBuilderAtEnd(l->b, r->done);
    LLVMValueRef result = LLVMBuildPhi(l->b, LLVMTypeOf(instead), "");
    LLVMAddIncoming(result, &r->usual, &r->from, 1);
    LLVMAddIncoming(result, &instead, &fix, 1);
    return result;
}

static LLVMValueRef
bitcast(Lower *l, LLVMValueRef v, LLVMTypeRef element, int lanes)
{
    return LLVMBuildBitCast(l->b, v, with_lanes(element, lanes), "");
}

/* ---- conversions --------------------------------------------------------- */

LLVMValueRef
lower_to_f32(Lower *l, LLVMValueRef bits, Dtype t, int lanes)
{
    if (t == DT_F16) {
        LLVMValueRef h = bitcast(l, bits, l->f16, lanes);
        return LLVMBuildFPExt(l->b, h, with_lanes(l->f32, lanes), "");
    }
    if (t == DT_BF16) {
        LLVMValueRef wide = LLVMBuildZExt(l->b, bits, with_lanes(l->i32, lanes), "");
        LLVMValueRef by = lower_bits_const(l, DT_S32, lanes, 16);
        bits = LLVMBuildShl(l->b, wide, by, "");
    }
    return bitcast(l, bits, l->f32, lanes);
}

/* Half of the dropped part, plus the lowest kept bit, carries into the kept part exactly
 * when rounding to nearest even goes up. */
static LLVMValueRef
round_bf16(Lower *l, LLVMValueRef bits, int lanes)
{
    LLVMValueRef by = lower_bits_const(l, DT_S32, lanes, 16);
    LLVMValueRef odd = LLVMBuildAnd(l->b, LLVMBuildLShr(l->b, bits, by, ""),
                                    lower_bits_const(l, DT_S32, lanes, 1), "");
    LLVMValueRef half = lower_bits_const(l, DT_S32, lanes, 0x7fff);
    LLVMValueRef sum = LLVMBuildAdd(l->b, LLVMBuildAdd(l->b, bits, half, ""), odd, "");
    return LLVMBuildTrunc(l->b, LLVMBuildLShr(l->b, sum, by, ""),
                          with_lanes(l->i16, lanes), "");
}

LLVMValueRef
lower_saturated(Lower *l, Dtype t, LLVMValueRef bits, int lanes)
{
    LLVMValueRef inf = lower_bits_const(l, t, lanes, float_format(t).inf);
    LLVMValueRef zero = lower_bits_const(l, t, lanes, 0);
    LLVMValueRef magnitude =
        LLVMBuildAnd(l->b, bits, lower_bits_const(l, t, lanes, 0x7fff), "");
    LLVMValueRef most = LLVMBuildSub(l->b, bits, lower_bits_const(l, t, lanes, 1), "");
    LLVMValueRef over = LLVMBuildICmp(l->b, LLVMIntEQ, magnitude, inf, "");
    LLVMValueRef nan = LLVMBuildICmp(l->b, LLVMIntUGT, magnitude, inf, "");
    bits = LLVMBuildSelect(l->b, over, most, bits, "");
    return LLVMBuildSelect(l->b, nan, zero, bits, "");
}

LLVMValueRef
lower_from_f32(Lower *l, LLVMValueRef f, Dtype t, int lanes)
{
    LLVMValueRef bits;
    if (t == DT_F16) {
        LLVMValueRef h = LLVMBuildFPTrunc(l->b, f, with_lanes(l->f16, lanes), "");
        bits = bitcast(l, h, l->i16, lanes);
        if (l->saturates_half) {
            return lower_saturated(l, DT_F16, bits, lanes);
        }
    } else {
        bits = bitcast(l, f, l->i32, lanes);
        bits = t == DT_BF16 ? round_bf16(l, bits, lanes) : bits;
    }
    if (t == DT_F32) {
        return lower_canonical(l, t, lanes, bits);
    }
    LLVMValueRef nan = LLVMBuildFCmp(l->b, LLVMRealUNO, f, f, "");
    LLVMValueRef result = LLVMBuildSelect(
        l->b, nan, lower_bits_const(l, t, lanes, float_format(t).nan), bits, "");
    if (l->in_chunk && t == DT_F16) {
        RawValue r = {result, bits, f};
        VEC_PUSH(l->arena, &l->raw, r);
    }
    return result;
}

/* ---- floats as integers -------------------------------------------------- */

static LLVMValueRef
magnitude(Lower *l, Dtype t, int lanes, LLVMValueRef a)
{
    return LLVMBuildAnd(l->b, a, lower_bits_const(l, t, lanes, float_format(t).sign - 1),
                        "");
}

static LLVMValueRef
is_nan(Lower *l, Dtype t, int lanes, LLVMValueRef a)
{
    LLVMValueRef inf = lower_bits_const(l, t, lanes, float_format(t).inf);
    return LLVMBuildICmp(l->b, LLVMIntSGT, magnitude(l, t, lanes, a), inf, "");
}

static LLVMValueRef
canonical_if(Lower *l, Dtype t, int lanes, LLVMValueRef nan, LLVMValueRef a)
{
    LLVMValueRef canonical = lower_bits_const(l, t, lanes, float_format(t).nan);
    return LLVMBuildSelect(l->b, nan, canonical, a, "");
}

static LLVMValueRef
int_extremum(Lower *l, bool max, Dtype t, LLVMValueRef a, LLVMValueRef b)
{
    LLVMIntPredicate less = dtype_kind(t) == KIND_SINT ? LLVMIntSLT : LLVMIntULT;
    LLVMValueRef c =
        max ? LLVMBuildICmp(l->b, less, a, b, "") : LLVMBuildICmp(l->b, less, b, a, "");
    return LLVMBuildSelect(l->b, c, b, a, "");
}

LLVMValueRef
lower_part(Lower *l, LLVMValueRef v, int first, int n)
{
    LLVMValueRef index[MAX_LANES];
    for (int i = 0; i < n; i++) {
        index[i] = lower_const32(l, first + i);
    }
    return LLVMBuildShuffleVector(l->b, v, LLVMGetPoison(LLVMTypeOf(v)),
                                  LLVMConstVector(index, (unsigned)n), "");
}

/* True, by lane, if a or b is NaN. The magnitudes of halves are compared as integers,
 * since few machines compare halves. */
static LLVMValueRef
either_nan(Lower *l, Dtype t, int lanes, LLVMValueRef a, LLVMValueRef b)
{
    if (t == DT_F32 || (t == DT_F16 && l->target->half_arithmetic)) {
        LLVMTypeRef type = t == DT_F32 ? l->f32 : l->f16;
        return LLVMBuildFCmp(l->b, LLVMRealUNO, bitcast(l, a, type, lanes),
                             bitcast(l, b, type, lanes), "");
    }
    LLVMValueRef larger = int_extremum(l, true, DT_U16, magnitude(l, t, lanes, a),
                                       magnitude(l, t, lanes, b));
    return is_nan(l, t, lanes, larger);
}

/* In a fused loop no branch is worth its place: most values never leave the registers. */
static bool
is_long(const Lower *l, Dtype t, int lanes)
{
    return !l->in_chunk && lanes * dtype_size(t) >= 2 * REGISTER_BYTES;
}

/* A scalar is seldom NaN, and what comes after a branch does not wait for its answer. */
static LLVMValueRef
scalar_unless_nan(Lower *l, LLVMValueRef bits)
{
    Rare rare;
    LLVMValueRef f = LLVMBuildBitCast(l->b, bits, l->f32, "");
    LLVMValueRef nan = LLVMConstInt(l->i32, float_format(DT_F32).nan, false);
    lower_rare_begin(l, &rare, LLVMBuildFCmp(l->b, LLVMRealUNO, f, f, ""), f);
    f = lower_rare_end(l, &rare, LLVMConstBitCast(nan, l->f32));
    return LLVMBuildBitCast(l->b, f, l->i32, "");
}

/* Returns the result where a is no NaN. Vectors of several registers seldom have a NaN:
 * one comparison of two lanes together shows that there is none. */
static LLVMValueRef
unless_nan(Lower *l, Dtype t, int lanes, LLVMValueRef a, LLVMValueRef result)
{
    if (!is_long(l, t, lanes)) {
        return canonical_if(l, t, lanes, is_nan(l, t, lanes, a), result);
    }
    int n = lanes / 2;
    Rare rare;
    lower_rare_begin(l, &rare,
                     either_nan(l, t, n, lower_part(l, a, 0, n), lower_part(l, a, n, n)),
                     result);
    return lower_rare_end(l, &rare,
                          canonical_if(l, t, lanes, is_nan(l, t, lanes, a), result));
}

const RawValue *
lower_raw_value(const Lower *l, LLVMValueRef v)
{
    for (uint32_t i = l->raw.n; i-- > 0;) {
        if (l->raw.p[i].canonical == v) {
            return &l->raw.p[i];
        }
    }
    return NULL;
}

LLVMValueRef
lower_any_nan(const Lower *l, LLVMValueRef v)
{
    const RawValue *r = lower_raw_value(l, v);
    return r != NULL ? r->raw : v;
}

LLVMValueRef
lower_canonical(Lower *l, Dtype t, int lanes, LLVMValueRef bits)
{
    if (!l->in_chunk && t == DT_F32 && lanes == 0) {
        return scalar_unless_nan(l, bits);
    }
    if (!l->in_chunk && t == DT_F32 && lanes == 1) {
        LLVMValueRef first = lower_const32(l, 0);
        LLVMValueRef one = LLVMBuildExtractElement(l->b, bits, first, "");
        return LLVMBuildInsertElement(l->b, LLVMGetPoison(LLVMTypeOf(bits)),
                                      scalar_unless_nan(l, one), first, "");
    }
    if (!l->in_chunk) {
        return unless_nan(l, t, lanes, bits, bits);
    }
    LLVMValueRef f = t == DT_F32 ? bitcast(l, bits, l->f32, lanes) : NULL;
    LLVMValueRef nan = f != NULL ? LLVMBuildFCmp(l->b, LLVMRealUNO, f, f, "")
                                 : is_nan(l, t, lanes, bits);
    RawValue r = {canonical_if(l, t, lanes, nan, bits), bits, f};
    VEC_PUSH(l->arena, &l->raw, r);
    return r.canonical;
}

/* Returns a signed integer that is ordered like the number; both zeros have key 0. */
static LLVMValueRef
order_key(Lower *l, Dtype t, int lanes, LLVMValueRef a)
{
    int width = dtype_size(t) * 8;
    LLVMValueRef by = lower_bits_const(l, t, lanes, (uint64_t)(width - 1));
    LLVMValueRef sign = LLVMBuildAShr(l->b, a, by, "");
    LLVMValueRef flipped = LLVMBuildXor(l->b, magnitude(l, t, lanes, a), sign, "");
    return LLVMBuildSub(l->b, flipped, sign, "");
}

/* Where the two are equal, the result is the first operand. */
static LLVMValueRef
float_extremum(Lower *l, bool max, Dtype t, int lanes, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef r;
    a = lower_any_nan(l, a);
    b = lower_any_nan(l, b);
    if (t == DT_F32 || (t == DT_F16 && l->target->half_arithmetic)) {
        LLVMTypeRef bits = LLVMTypeOf(a), type = t == DT_F32 ? l->f32 : l->f16;
        LLVMValueRef x = bitcast(l, a, type, lanes), y = bitcast(l, b, type, lanes);
        LLVMValueRef second =
            LLVMBuildFCmp(l->b, max ? LLVMRealOGT : LLVMRealOLT, y, x, "");
        r = LLVMBuildSelect(l->b, second, y, x, "");
        r = LLVMBuildBitCast(l->b, r, bits, "");
    } else {
        LLVMValueRef second =
            LLVMBuildICmp(l->b, max ? LLVMIntSGT : LLVMIntSLT, order_key(l, t, lanes, b),
                          order_key(l, t, lanes, a), "");
        r = LLVMBuildSelect(l->b, second, b, a, "");
    }
    LLVMValueRef nan = either_nan(l, t, lanes, a, b);
    if (!is_long(l, t, lanes)) {
        return canonical_if(l, t, lanes, nan, r);
    }
    Rare rare;
    lower_rare_begin(l, &rare, nan, r);
    return lower_rare_end(l, &rare, canonical_if(l, t, lanes, nan, r));
}

LLVMValueRef
lower_float_op(Lower *l, LLVMOpcode op, Dtype t, int lanes, LLVMValueRef a,
               LLVMValueRef b)
{
    a = lower_any_nan(l, a);
    b = lower_any_nan(l, b);
    if (t == DT_F16) {
        LLVMValueRef r = LLVMBuildBinOp(l->b, op, bitcast(l, a, l->f16, lanes),
                                        bitcast(l, b, l->f16, lanes), "");
        r = bitcast(l, r, l->i16, lanes);
        if (l->saturates_half) {
            return lower_saturated(l, DT_F16, r, lanes);
        }
        return lower_canonical(l, t, lanes, r);
    }
    LLVMValueRef r = LLVMBuildBinOp(l->b, op, lower_to_f32(l, a, t, lanes),
                                    lower_to_f32(l, b, t, lanes), "");
    return lower_from_f32(l, r, t, lanes);
}

/* ---- operations ---------------------------------------------------------- */

LLVMValueRef
lower_float_compare(Lower *l, LLVMRealPredicate p, Dtype t, int lanes, LLVMValueRef a,
                    LLVMValueRef b)
{
    static const LLVMIntPredicate of_keys[] = {
        [LLVMRealOEQ] = LLVMIntEQ,  [LLVMRealOGT] = LLVMIntSGT,
        [LLVMRealOGE] = LLVMIntSGE, [LLVMRealOLT] = LLVMIntSLT,
        [LLVMRealOLE] = LLVMIntSLE, [LLVMRealUNE] = LLVMIntNE};
    if (t == DT_F32 || (t == DT_F16 && l->target->half_arithmetic)) {
        LLVMTypeRef type = t == DT_F32 ? l->f32 : l->f16;
        return LLVMBuildFCmp(l->b, p, bitcast(l, a, type, lanes),
                             bitcast(l, b, type, lanes), "");
    }
    LLVMValueRef larger = int_extremum(l, true, DT_U16, magnitude(l, t, lanes, a),
                                       magnitude(l, t, lanes, b));
    LLVMValueRef nan = is_nan(l, t, lanes, larger);
    LLVMValueRef r = LLVMBuildICmp(l->b, of_keys[p], order_key(l, t, lanes, a),
                                   order_key(l, t, lanes, b), "");
    return p == LLVMRealUNE ? LLVMBuildOr(l->b, r, nan, "")
                            : LLVMBuildAnd(l->b, r, LLVMBuildNot(l->b, nan, ""), "");
}

/* Integers that saturate at the ends of their type. */
static LLVMValueRef
clamped(Lower *l, Sem op, Dtype t, LLVMValueRef a, LLVMValueRef b)
{
    bool is_signed = dtype_kind(t) == KIND_SINT;
    LLVMTypeRef type = LLVMTypeOf(a);
    LLVMValueRef args[3] = {a, b, lower_const32(l, 0)};
    if (op == SEM_MUL) { /* for numbers without a fraction */
        return lower_intrinsic(l, is_signed ? "llvm.smul.fix.sat" : "llvm.umul.fix.sat",
                               &type, 1, args, 3);
    }
    const char *name = op == SEM_ADD ? is_signed ? "llvm.sadd.sat" : "llvm.uadd.sat"
                       : is_signed   ? "llvm.ssub.sat"
                                     : "llvm.usub.sat";
    return lower_intrinsic(l, name, &type, 1, args, 2);
}

LLVMValueRef
lower_binary(Lower *l, Sem op, Dtype t, int lanes, LLVMValueRef a, LLVMValueRef b)
{
    bool is_float = dtype_is_float(t);
    if (l->saturates_int && !is_float &&
        (op == SEM_ADD || op == SEM_SUB || op == SEM_MUL)) {
        return clamped(l, op, t, a, b);
    }
    switch (op) {
    case SEM_ADD:
        return is_float ? lower_float_op(l, LLVMFAdd, t, lanes, a, b)
                        : LLVMBuildAdd(l->b, a, b, "");
    case SEM_SUB:
        return is_float ? lower_float_op(l, LLVMFSub, t, lanes, a, b)
                        : LLVMBuildSub(l->b, a, b, "");
    case SEM_MUL:
        return is_float ? lower_float_op(l, LLVMFMul, t, lanes, a, b)
                        : LLVMBuildMul(l->b, a, b, "");
    case SEM_DIV:
        return lower_float_op(l, LLVMFDiv, t, lanes, a, b);
    case SEM_MAX:
    case SEM_MIN:
        return is_float ? float_extremum(l, op == SEM_MAX, t, lanes, a, b)
                        : int_extremum(l, op == SEM_MAX, t, a, b);
    case SEM_AND:
        return LLVMBuildAnd(l->b, a, b, "");
    case SEM_OR:
        return LLVMBuildOr(l->b, a, b, "");
    default:
        break;
    }
    UNREACHABLE();
}

/* x > 0 ? x : +0 is the signed maximum of the bits and 0, for floats too. */
static LLVMValueRef
relu(Lower *l, Dtype t, int lanes, LLVMValueRef a)
{
    a = lower_any_nan(l, a);
    LLVMValueRef zero = lower_bits_const(l, t, lanes, 0);
    LLVMValueRef r = int_extremum(l, true, DT_S64, a, zero);
    return dtype_is_float(t) ? unless_nan(l, t, lanes, a, r) : r;
}

static LLVMValueRef
absolute(Lower *l, Dtype t, int lanes, LLVMValueRef a)
{
    if (dtype_is_float(t)) {
        return magnitude(l, t, lanes, a);
    }
    LLVMValueRef zero = lower_bits_const(l, t, lanes, 0);
    LLVMValueRef negative = LLVMBuildICmp(l->b, LLVMIntSLT, a, zero, "");
    LLVMValueRef minus = l->saturates_int ? clamped(l, SEM_SUB, t, zero, a)
                                          : LLVMBuildSub(l->b, zero, a, "");
    return LLVMBuildSelect(l->b, negative, minus, a, "");
}

static LLVMValueRef
square_root(Lower *l, Dtype t, int lanes, LLVMValueRef a)
{
    LLVMValueRef f = lower_to_f32(l, lower_any_nan(l, a), t, lanes);
    LLVMTypeRef type = LLVMTypeOf(f);
    return lower_from_f32(l, lower_intrinsic(l, "llvm.sqrt", &type, 1, &f, 1), t, lanes);
}

static LLVMValueRef
reciprocal(Lower *l, Dtype t, int lanes, LLVMValueRef a)
{
    uint64_t one = t == DT_F16 ? 0x3c00 : 0x3f800000;
    return lower_float_op(l, LLVMFDiv, t, lanes, lower_bits_const(l, t, lanes, one), a);
}

LLVMValueRef
lower_unary(Lower *l, Sem op, Dtype t, int lanes, LLVMValueRef a)
{
    switch (op) {
    case SEM_ABS:
        return absolute(l, t, lanes, a);
    case SEM_RELU:
        return relu(l, t, lanes, a);
    case SEM_NOT:
        return LLVMBuildNot(l->b, a, "");
    case SEM_SQRT:
        return square_root(l, t, lanes, a);
    case SEM_REC:
        return reciprocal(l, t, lanes, a);
    default:
        break;
    }
    UNREACHABLE();
}
