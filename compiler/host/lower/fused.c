/* fused.c: lane arithmetic of more than one step: multiply and add, shifts, and
 * conversions that are part of an instruction. The meaning of each is in vector 2.5 and
 * 11; host/lower/vector.c calls it. */
#include "host/lower/lower.h"

static LLVMTypeRef
vector_of(LLVMTypeRef element, int lanes)
{
    return lanes == 0 ? element : LLVMVectorType(element, (unsigned)lanes);
}

static LLVMValueRef
real(Lower *l, LLVMTypeRef element, int lanes, double v)
{
    (void)l;
    return lower_splat(l, LLVMConstReal(element, v), lanes);
}

/* ---- conversions --------------------------------------------------------- */

/* Returns a if the comparison with b holds, else b; for NaN it returns b. */
static LLVMValueRef
choose(Lower *l, LLVMRealPredicate p, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildSelect(l->b, LLVMBuildFCmp(l->b, p, a, b, ""), a, b, "");
}

LLVMValueRef
lower_near_integer(Lower *l, LLVMValueRef f, int lanes, double lo, double hi)
{
    const double to_integer =
        12582912; /* 1.5 * 2^23: a sum with it has no bits below 1 */
    const uint64_t bits = 0x4b400000;
    LLVMValueRef nan = LLVMBuildFCmp(l->b, LLVMRealUNO, f, f, "");
    f = LLVMBuildSelect(l->b, nan, real(l, l->f32, lanes, 0), f, "");
    f = choose(l, LLVMRealOGT, f, real(l, l->f32, lanes, lo));
    f = choose(l, LLVMRealOLT, f, real(l, l->f32, lanes, hi));
    f = LLVMBuildFAdd(l->b, f, real(l, l->f32, lanes, to_integer), "");
    f = LLVMBuildBitCast(l->b, f, vector_of(l->i32, lanes), "");
    return LLVMBuildSub(l->b, f, lower_bits_const(l, DT_S32, lanes, bits), "");
}

/* The first step rounds to odd, to float, which leaves the second rounding as if it were
 * the only one. */
LLVMValueRef
lower_half_of_double(Lower *l, LLVMValueRef d, int lanes)
{
    const uint64_t low = (UINT64_C(1) << 29) - 1; /* bits that a float does not hold */
    LLVMValueRef u = LLVMBuildBitCast(l->b, d, vector_of(l->i64, lanes), "");
    LLVMValueRef mask = lower_bits_const(l, DT_U64, lanes, low);
    LLVMValueRef sticky = LLVMBuildAdd(l->b, LLVMBuildAnd(l->b, u, mask, ""), mask, "");
    u = LLVMBuildAnd(l->b, LLVMBuildOr(l->b, u, sticky, ""), LLVMBuildNot(l->b, mask, ""),
                     "");
    LLVMTypeRef f64 = LLVMDoubleTypeInContext(l->ctx);
    u = LLVMBuildBitCast(l->b, u, vector_of(f64, lanes), "");
    LLVMValueRef f = LLVMBuildFPTrunc(l->b, u, vector_of(l->f32, lanes), "");
    return lower_from_f32(l, f, DT_F16, lanes);
}

/* ---- shifts -------------------------------------------------------------- */

/* A shift by all bits is poison in LLVM: it shifts by the number of bits modulo the
 * width, and looks whether it was all. */
static LLVMValueRef
shift_left(Lower *l, Dtype t, int lanes, LLVMValueRef a, LLVMValueRef by)
{
    uint64_t width = (uint64_t)dtype_size(t) * 8;
    uint64_t sign = UINT64_C(1) << (width - 1);
    LLVMValueRef all =
        LLVMBuildICmp(l->b, LLVMIntUGE, by, lower_bits_const(l, t, lanes, width), "");
    by = LLVMBuildAnd(l->b, by, lower_bits_const(l, t, lanes, width - 1), "");
    LLVMValueRef r = LLVMBuildSelect(l->b, all, lower_bits_const(l, t, lanes, 0),
                                     LLVMBuildShl(l->b, a, by, ""), "");
    if (dtype_kind(t) == KIND_UINT ||
        lower_chosen(l, CHOICE_SIGNED_VSHL) == CHOSE_SIGNED_VSHL_ALL_BITS) {
        return r;
    }
    r = LLVMBuildAnd(l->b, r, lower_bits_const(l, t, lanes, sign - 1), "");
    a = LLVMBuildAnd(l->b, a, lower_bits_const(l, t, lanes, sign), "");
    return LLVMBuildOr(l->b, a, r, "");
}

/* by is at least 0; a shift by more than the width less 1 counts as one by that. */
static LLVMValueRef
arithmetic_right(Lower *l, Dtype t, int lanes, LLVMValueRef a, LLVMValueRef by)
{
    LLVMValueRef most = lower_bits_const(l, t, lanes, (uint64_t)dtype_size(t) * 8 - 1);
    LLVMValueRef more = LLVMBuildICmp(l->b, LLVMIntUGT, by, most, "");
    return LLVMBuildAShr(l->b, a, LLVMBuildSelect(l->b, more, most, by, ""), "");
}

static LLVMValueRef
logical_right(Lower *l, Dtype t, int lanes, LLVMValueRef a, LLVMValueRef by)
{
    uint64_t width = (uint64_t)dtype_size(t) * 8;
    LLVMValueRef all =
        LLVMBuildICmp(l->b, LLVMIntUGE, by, lower_bits_const(l, t, lanes, width), "");
    by = LLVMBuildAnd(l->b, by, lower_bits_const(l, t, lanes, width - 1), "");
    return LLVMBuildSelect(l->b, all, lower_bits_const(l, t, lanes, 0),
                           LLVMBuildLShr(l->b, a, by, ""), "");
}

/* It adds the bit below the last kept one, which cannot overflow; a shift by 0 drops
 * none. */
static LLVMValueRef
rounded_right(Lower *l, Dtype t, int lanes, LLVMValueRef a, LLVMValueRef by)
{
    LLVMValueRef one = lower_bits_const(l, t, lanes, 1);
    LLVMValueRef zero = lower_bits_const(l, t, lanes, 0);
    LLVMValueRef none = LLVMBuildICmp(l->b, LLVMIntEQ, by, zero, "");
    LLVMValueRef less =
        LLVMBuildSelect(l->b, none, zero, LLVMBuildSub(l->b, by, one, ""), "");
    LLVMValueRef bit =
        LLVMBuildAnd(l->b, arithmetic_right(l, t, lanes, a, less), one, "");
    bit = LLVMBuildSelect(l->b, none, zero, bit, "");
    return LLVMBuildAdd(l->b, arithmetic_right(l, t, lanes, a, by), bit, "");
}

LLVMValueRef
lower_shift(Lower *l, Sem op, Dtype t, int lanes, LLVMValueRef a, LLVMValueRef by,
            bool round)
{
    if (op == SEM_SHL) {
        return shift_left(l, t, lanes, a, by);
    }
    if (dtype_kind(t) == KIND_UINT) {
        return logical_right(l, t, lanes, a, by);
    }
    return round ? rounded_right(l, t, lanes, a, by)
                 : arithmetic_right(l, t, lanes, a, by);
}

/* ---- instructions -------------------------------------------------------- */

/* Returns the sum of two numbers as doubles, rounded to odd, so that a further rounding
 * is the only one. */
static LLVMValueRef
odd_sum(Lower *l, LLVMValueRef a, LLVMValueRef b, int lanes)
{
    LLVMTypeRef i64 = vector_of(l->i64, lanes);
    LLVMValueRef zero = real(l, LLVMDoubleTypeInContext(l->ctx), lanes, 0);
    LLVMValueRef s = LLVMBuildFAdd(l->b, a, b, "");
    LLVMValueRef part = LLVMBuildFSub(l->b, s, a, "");
    LLVMValueRef rest =
        LLVMBuildFAdd(l->b, LLVMBuildFSub(l->b, a, LLVMBuildFSub(l->b, s, part, ""), ""),
                      LLVMBuildFSub(l->b, b, part, ""), "");
    LLVMValueRef inexact = LLVMBuildFCmp(l->b, LLVMRealONE, rest, zero, "");
    LLVMValueRef beyond =
        LLVMBuildXor(l->b, LLVMBuildFCmp(l->b, LLVMRealOLT, rest, zero, ""),
                     LLVMBuildFCmp(l->b, LLVMRealOLT, s, zero, ""), "");
    LLVMValueRef u = LLVMBuildBitCast(l->b, s, i64, "");
    LLVMValueRef odd = LLVMBuildSub(l->b, u, LLVMBuildZExt(l->b, beyond, i64, ""), "");
    odd = LLVMBuildOr(l->b, odd, lower_bits_const(l, DT_U64, lanes, 1), "");
    return LLVMBuildBitCast(l->b, LLVMBuildSelect(l->b, inexact, odd, u, ""),
                            LLVMTypeOf(s), "");
}

/* Returns x * y + z of one type, rounded once. */
static LLVMValueRef
multiply_add_once(Lower *l, Dtype t, int n, LLVMValueRef x, LLVMValueRef y,
                  LLVMValueRef z)
{
    LLVMValueRef v[3] = {lower_to_f32(l, x, t, n), lower_to_f32(l, y, t, n),
                         lower_to_f32(l, z, t, n)};
    LLVMTypeRef type = LLVMTypeOf(v[0]);
    if (t == DT_F32) {
        return lower_from_f32(l, lower_intrinsic(l, "llvm.fma", &type, 1, v, 3), t, n);
    }
    type = vector_of(LLVMDoubleTypeInContext(l->ctx), n);
    for (int i = 0; i < 3; i++) {
        v[i] = LLVMBuildFPExt(l->b, v[i], type, "");
    }
    LLVMValueRef p = LLVMBuildFMul(l->b, v[0], v[1], "");
    return lower_half_of_double(l, odd_sum(l, p, v[2], n), n);
}

/* Returns x * y as part of a sum, which makes NaN canonical. */
static LLVMValueRef
product(Lower *l, Dtype t, int n, LLVMValueRef x, LLVMValueRef y)
{
    if (l->saturates_half || (t != DT_F16 && t != DT_F32)) {
        return lower_binary(l, SEM_MUL, t, n, x, y);
    }
    LLVMTypeRef type = vector_of(t == DT_F16 ? l->f16 : l->f32, n);
    LLVMValueRef p = LLVMBuildFMul(l->b, LLVMBuildBitCast(l->b, x, type, ""),
                                   LLVMBuildBitCast(l->b, y, type, ""), "");
    return LLVMBuildBitCast(l->b, p, LLVMTypeOf(x), "");
}

/* Returns x * y + z: of one type each step rounds; the product of two float16 is exact in
 * float32. */
static LLVMValueRef
multiply_add(Lower *l, const LaneShape *sh, LLVMValueRef x, LLVMValueRef y,
             LLVMValueRef z)
{
    int n = sh->lanes;
    Dtype t = sh->dtype[0];
    bool once = lower_chosen(l, CHOICE_FUSED_ROUNDING) == CHOSE_FUSED_ROUNDING_ONCE;
    if (sh->dtype[1] == t && once) {
        return multiply_add_once(l, t, n, x, y, z);
    }
    if (sh->dtype[1] == t) {
        return lower_binary(l, SEM_ADD, t, n, product(l, t, n, x, y), z);
    }
    LLVMValueRef p = LLVMBuildFMul(l->b, lower_to_f32(l, x, DT_F16, n),
                                   lower_to_f32(l, y, DT_F16, n), "");
    LLVMValueRef r = LLVMBuildFAdd(l->b, p, lower_to_f32(l, z, DT_F32, n), "");
    return lower_from_f32(l, r, DT_F32, n);
}

static LLVMValueRef
multiply_convert(Lower *l, const LaneShape *sh, LLVMValueRef *v)
{
    int n = sh->lanes;
    bool is_signed = sh->dtype[0] == DT_S8;
    LLVMValueRef p = lower_binary(l, SEM_MUL, DT_F16, n, v[1], v[2]);
    p = lower_near_integer(l, lower_to_f32(l, p, DT_F16, n), n, is_signed ? -128 : 0,
                           is_signed ? 127 : 255);
    return LLVMBuildTrunc(l->b, p, vector_of(l->i8, n), "");
}

/* The product of the sum with the scale is exact in double; a result that is not above 0,
 * NaN too, becomes 0. */
static LLVMValueRef
add_scale(Lower *l, const LaneShape *sh, LLVMValueRef *v, LLVMValueRef scalar)
{
    int n = sh->lanes;
    LLVMTypeRef f64 = LLVMDoubleTypeInContext(l->ctx), type = vector_of(f64, n);
    LLVMValueRef sum = LLVMBuildAdd(l->b, v[1], v[2], "");
    LLVMValueRef scale =
        LLVMBuildFPExt(l->b, lower_to_f32(l, scalar, DT_F16, n), type, "");
    LLVMValueRef p = LLVMBuildFMul(l->b, LLVMBuildSIToFP(l->b, sum, type, ""), scale, "");
    p = choose(l, LLVMRealOGT, p, real(l, f64, n, 0));
    p = choose(l, LLVMRealOLT, p, real(l, f64, n, 65504));
    return lower_half_of_double(l, p, n);
}

LLVMValueRef
lower_fused(Lower *l, const LaneShape *sh, LLVMValueRef *v, LLVMValueRef scalar)
{
    Dtype t = sh->dtype[0];
    LLVMValueRef r;
    switch ((Sem)sh->mode) {
    case SEM_MLA:
        return multiply_add(l, sh, v[1], scalar != NULL ? scalar : v[2], v[0]);
    case SEM_MADD:
        return multiply_add(l, sh, v[1], v[0], v[2]);
    case SEM_MADDRELU:
        r = multiply_add(l, sh, v[1], v[0], v[2]);
        return lower_unary(l, SEM_RELU, t, sh->lanes, r);
    case SEM_MULCONV:
        return multiply_convert(l, sh, v);
    case SEM_ADDDEQRELU:
        return add_scale(l, sh, v, scalar);
    case SEM_SHL:
    case SEM_SHR:
        return lower_shift(l, (Sem)sh->mode, t, sh->lanes, v[1], scalar,
                           sh->variant != 0);
    default:
        ICE("no lowering for %s", sh->name);
    }
}
