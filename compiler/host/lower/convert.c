/* convert.c: conversions between types on lanes (vector chapter 3). host/lower/lanes.c
 * handles masks, repeats and strides.
 *
 * The usual pairs have vector code of their own, in the modes that a core starts with:
 * results saturate. The rest (directed rounding to floats, bfloat16, 64-bit integers,
 * kernels that set a mode of the conversion) calls the runtime library, once for the
 * whole instruction where that is one run. Values of float16 never use LLVM's conversions
 * from double or to small integers, which it splits into single lanes; everything goes
 * through float32, where each step but one is exact. */
#include "host/lower/lower.h"

/* Bits of LaneJob.mode: the rounding mode, and how the result is made. */
enum {
    MODE_ROUND = 7,
    MODE_LIBRARY = 8,
    MODE_SCALED = 16,
    MODE_UNIT = 32,            /* the scale is 1 */
    MODE_TWICE = 64,           /* the product is rounded to float32 first */
    MODE_EXTEND = 128,         /* negative numbers keep their low bits */
    MODE_OUTWARD = ROUND_COUNT /* rounds away from zero whatever the fraction is */
};

/* ---- modes of the core --------------------------------------------------- */

static bool
may_set(const Kernel *k, const Stmt *s, int offset)
{
    if (s->kind != ST_STORE || k->bufs.p[s->store.ref.buf].scope != SC_SREG) {
        return false;
    }
    const Expr *off = ir_expr(k, s->store.ref.off);
    return off->kind != EX_CONST || off->imm == offset;
}

void
lower_find_modes(Lower *l)
{
    l->sets_fp2fp = l->sets_fp2int = l->sets_atomic = false;
    for (StmtId i = 1; i < l->k->stmts.n; i++) {
        const Stmt *s = &l->k->stmts.p[i];
        l->sets_fp2fp = l->sets_fp2fp || may_set(l->k, s, SREG_FP2FP);
        l->sets_fp2int = l->sets_fp2int || may_set(l->k, s, SREG_FP2INT);
        l->sets_atomic = l->sets_atomic || may_set(l->k, s, SREG_ATOMIC);
    }
}

/* Returns the register that decides what happens beyond the range of the result; -1: no
 * value can be there. */
static int
mode_register(Dtype dst, Dtype src)
{
    if (!dtype_is_float(dst)) {
        return SREG_FP2INT;
    }
    return dst != DT_F32 && dtype_is_float(src) ? SREG_FP2FP : -1;
}

static bool
mode_is_set(const Lower *l, int reg)
{
    return reg == SREG_FP2INT ? l->sets_fp2int : reg == SREG_FP2FP && l->sets_fp2fp;
}

/* ---- in the runtime library ---------------------------------------------- */

/* Returns the constant TikConvert. */
static LLVMValueRef
convert_constant(Lower *l, const LaneShape *sh)
{
    LLVMValueRef fields[5] = {
        lower_const32(l, sh->dtype[0]), lower_const32(l, sh->dtype[1]),
        lower_const32(l, sh->mode & MODE_ROUND),
        lower_const32(l, (sh->mode & MODE_SCALED) != 0), lower_const32(l, sh->lanes)};
    LLVMValueRef init = LLVMConstStructInContext(l->ctx, fields, 5, false);
    LLVMValueRef global = LLVMAddGlobal(l->mod, LLVMTypeOf(init), "tik_convert");
    LLVMSetInitializer(global, init);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    return global;
}

static void
call_library(Lower *l, const LaneShape *sh, const Counted *c, LLVMValueRef scalar)
{
    LLVMTypeRef types[7] = {l->ptr, l->ptr, l->ptr, l->i64, l->i64, l->i64, l->i32};
    LLVMTypeRef type = LLVMFunctionType(l->none, types, 7, false);
    LLVMValueRef value =
        scalar == NULL ? lower_const32(l, 0) : LLVMBuildZExt(l->b, scalar, l->i32, "");
    LLVMValueRef args[7] = {convert_constant(l, sh),
                            c->at[0],
                            c->at[1],
                            c->count,
                            c->step[0],
                            c->step[1],
                            value};
    LLVMBuildCall2(l->b, type, lower_runtime(l, "tikrt_convert", type), args, 7, "");
}

/* Converts the lanes of one repeat, through memory. */
static LLVMValueRef
library_lanes(Lower *l, const LaneShape *sh, LLVMValueRef v, LLVMValueRef scalar)
{
    LLVMTypeRef to = lower_bits_type(l, sh->dtype[0], sh->lanes);
    LLVMValueRef dst = lower_helper_alloca(l, to, "results");
    LLVMValueRef src = lower_helper_alloca(l, LLVMTypeOf(v), "lanes");
    LLVMValueRef zero = lower_const(l, 0);
    Counted c = {.count = lower_const(l, 1), .at = {dst, src}, .step = {zero, zero}};
    LLVMBuildStore(l->b, v, src);
    if (scalar != NULL) {
        scalar = LLVMBuildExtractElement(l->b, scalar, lower_const32(l, 0), "");
    }
    call_library(l, sh, &c, scalar);
    return LLVMBuildLoad2(l->b, to, dst, "");
}

/* ---- as vector code ------------------------------------------------------ */

static LLVMValueRef
real(Lower *l, double v, int lanes)
{
    return lower_splat(l, LLVMConstReal(l->f32, v), lanes);
}

static LLVMValueRef
select_if(Lower *l, LLVMRealPredicate p, LLVMValueRef a, LLVMValueRef b, LLVMValueRef yes,
          LLVMValueRef no)
{
    return LLVMBuildSelect(l->b, LLVMBuildFCmp(l->b, p, a, b, ""), yes, no, "");
}

/* Clamps to the limits; NaN becomes 0. */
static LLVMValueRef
clamp(Lower *l, LLVMValueRef f, double lo, double hi, int lanes)
{
    LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(f));
    LLVMValueRef least = lower_splat(l, LLVMConstReal(type, lo), lanes);
    LLVMValueRef most = lower_splat(l, LLVMConstReal(type, hi), lanes);
    f = select_if(l, LLVMRealUNO, f, f, LLVMConstNull(LLVMTypeOf(f)), f);
    f = select_if(l, LLVMRealOLT, f, least, least, f);
    return select_if(l, LLVMRealOGT, f, most, most, f);
}

/* Rounds to an integral number. */
static LLVMValueRef
round_to(Lower *l, RoundMode mode, LLVMValueRef f)
{
    static const char *const names[ROUND_COUNT] = {
        [ROUND_NONE] = "llvm.roundeven", [ROUND_NEAREST] = "llvm.roundeven",
        [ROUND_FLOOR] = "llvm.floor",    [ROUND_CEIL] = "llvm.ceil",
        [ROUND_AWAY] = "llvm.round",     [ROUND_ZERO] = "llvm.trunc"};
    LLVMTypeRef type = LLVMTypeOf(f);
    return lower_intrinsic(l, names[mode], &type, 1, &f, 1);
}

/* Converts values that the type can hold. Rounding to nearest even is one instruction of
 * the machine. */
static LLVMValueRef
convert_int32(Lower *l, RoundMode mode, LLVMValueRef f, int lanes)
{
    LLVMTypeRef types[2] = {lower_bits_type(l, DT_S32, lanes), LLVMTypeOf(f)};
    if (mode == ROUND_NONE || mode == ROUND_NEAREST) {
        return lower_intrinsic(l, "llvm.lrint", types, 2, &f, 1);
    }
    return LLVMBuildFPToSI(l->b, round_to(l, mode, f), types[0], "");
}

/* Numbers that do not fit are integers, which rounding does not change; they are handled
 * only where some lane has one. */
static LLVMValueRef
to_int32(Lower *l, RoundMode mode, LLVMValueRef f, int lanes)
{
    LLVMTypeRef type = lower_bits_type(l, DT_S32, lanes), real_type = LLVMTypeOf(f);
    LLVMValueRef most = lower_bits_const(l, DT_S32, lanes, INT32_MAX);
    LLVMValueRef limit = real(l, 2147483648.0, lanes);
    LLVMValueRef size = lower_intrinsic(l, "llvm.fabs", &real_type, 1, &f, 1);
    LLVMValueRef usual = convert_int32(l, mode, f, lanes);
    Rare rare;
    lower_rare_begin(l, &rare, LLVMBuildFCmp(l->b, LLVMRealUGE, size, limit, ""), usual);
    LLVMValueRef over = LLVMBuildFCmp(l->b, LLVMRealOGE, f, limit, "");
    f = LLVMBuildSelect(l->b, over, real(l, 0, lanes), f, "");
    f = round_to(l, mode, clamp(l, f, -2147483648.0, 2147483648.0, lanes));
    f = LLVMBuildSelect(l->b, over, most, LLVMBuildFPToSI(l->b, f, type, ""), "");
    return lower_rare_end(l, &rare, f);
}

/* The limits of types are integers, so rounding may come before or after clamping to
 * them. */
static LLVMValueRef
to_integer(Lower *l, const LaneShape *sh, LLVMValueRef f)
{
    Dtype t = sh->dtype[0];
    RoundMode mode = (RoundMode)(sh->mode & MODE_ROUND);
    int64_t lo, hi;
    bool full;
    if (t == DT_S32) {
        return to_int32(l, mode, f, sh->lanes);
    }
    scalar_range(t, &lo, &hi, &full);
    f = clamp(l, f, (double)lo, (double)hi, sh->lanes);
    LLVMValueRef v = convert_int32(l, mode, f, sh->lanes);
    return LLVMBuildTrunc(l->b, v, lower_bits_type(l, t, sh->lanes), "");
}

/* Bytes of float16, on processors with arithmetic of float16: all bytes are numbers of
 * float16, so clamping and rounding are exact there too. */
static bool
is_half_to_byte(const Lower *l, const LaneShape *sh)
{
    return l->target->half_arithmetic && sh->dtype[1] == DT_F16 &&
           (sh->dtype[0] == DT_S8 || sh->dtype[0] == DT_U8) &&
           (sh->mode & MODE_ROUND) != ROUND_AWAY;
}

static LLVMValueRef
half_to_byte(Lower *l, const LaneShape *sh, LLVMValueRef v)
{
    int64_t lo, hi;
    bool full;
    scalar_range(sh->dtype[0], &lo, &hi, &full);
    LLVMTypeRef half = LLVMVectorType(l->f16, (unsigned)sh->lanes);
    LLVMValueRef h = LLVMBuildBitCast(l->b, v, half, "");
    h = clamp(l, h, (double)lo, (double)hi, sh->lanes);
    h = round_to(l, (RoundMode)(sh->mode & MODE_ROUND), h);
    v = LLVMBuildFPToSI(l->b, h, lower_bits_type(l, DT_S16, sh->lanes), "");
    return LLVMBuildTrunc(l->b, v, lower_bits_type(l, sh->dtype[0], sh->lanes), "");
}

static LLVMValueRef
truncate_half(Lower *l, LLVMValueRef f, int lanes)
{
    LLVMTypeRef half = LLVMVectorType(l->f16, (unsigned)lanes);
    return LLVMBuildBitCast(l->b, LLVMBuildFPTrunc(l->b, f, half, ""),
                            lower_bits_type(l, DT_F16, lanes), "");
}

/* Converts float32 to float16, nearest even, saturated: infinity and NaN show that a lane
 * is rare. */
static LLVMValueRef
to_half(Lower *l, LLVMValueRef f, int lanes)
{
    LLVMValueRef h = truncate_half(l, f, lanes);
    if (l->trusts_fit) {
        l->fits = (RawValue){.canonical = h, .raw = h, .numbers = f};
        return h;
    }
    LLVMValueRef size =
        LLVMBuildAnd(l->b, h, lower_bits_const(l, DT_F16, lanes, 0x7fff), "");
    LLVMValueRef most = lower_bits_const(l, DT_F16, lanes, 0x7bff);
    Rare rare;
    lower_rare_begin(l, &rare, LLVMBuildICmp(l->b, LLVMIntSGT, size, most, ""), h);
    h = truncate_half(l, clamp(l, f, -65504, 65504, lanes), lanes);
    return lower_rare_end(l, &rare, h);
}

static LLVMValueRef
from_integer(Lower *l, LLVMValueRef v, Dtype t, int lanes)
{
    LLVMTypeRef wide = lower_bits_type(l, DT_S32, lanes);
    LLVMTypeRef f32 = LLVMVectorType(l->f32, (unsigned)lanes);
    if (dtype_size(t) < 4) {
        v = dtype_kind(t) == KIND_SINT ? LLVMBuildSExt(l->b, v, wide, "")
                                       : LLVMBuildZExt(l->b, v, wide, "");
    }
    return LLVMBuildSIToFP(l->b, v, f32, "");
}

/* The results are numbers, not NaN. */
static LLVMValueRef
integer_to_float(Lower *l, const LaneShape *sh, LLVMValueRef v)
{
    Dtype from = sh->dtype[1];
    LLVMTypeRef bits = lower_bits_type(l, sh->dtype[0], sh->lanes);
    bool is_signed = dtype_kind(from) == KIND_SINT;
    if (sh->dtype[0] == DT_F16 && dtype_size(from) <= 2 && l->target->half_arithmetic) {
        LLVMTypeRef half = LLVMVectorType(l->f16, (unsigned)sh->lanes);
        v = LLVMBuildIntCast2(l->b, v, bits, is_signed, "");
        v = is_signed ? LLVMBuildSIToFP(l->b, v, half, "")
                      : LLVMBuildUIToFP(l->b, v, half, "");
        return LLVMBuildBitCast(l->b, v, bits, "");
    }
    LLVMValueRef f = from_integer(l, v, from, sh->lanes);
    return sh->dtype[0] == DT_F16 ? truncate_half(l, f, sh->lanes)
                                  : LLVMBuildBitCast(l->b, f, bits, "");
}

/* Returns the product of an int32 and a float16, rounded to odd in float32, so that the
 * rounding to float16 is the only one; twice: rounded to nearest. The 29 lowest bits that
 * a double has more than a float32 matter only as "there is more". */
static LLVMValueRef
product(Lower *l, LLVMValueRef v, LLVMValueRef scale, int lanes, bool twice)
{
    enum {
        CUT = 29
    };
    LLVMTypeRef f64 = LLVMVectorType(LLVMDoubleTypeInContext(l->ctx), (unsigned)lanes);
    LLVMTypeRef i64 = lower_bits_type(l, DT_S64, lanes);
    LLVMValueRef low = lower_bits_const(l, DT_S64, lanes, (1u << CUT) - 1);
    LLVMValueRef s = LLVMBuildFPExt(l->b, lower_to_f32(l, scale, DT_F16, lanes), f64, "");
    LLVMValueRef p = LLVMBuildFMul(l->b, LLVMBuildSIToFP(l->b, v, f64, ""), s, "");
    LLVMTypeRef f32 = LLVMVectorType(l->f32, (unsigned)lanes);
    if (twice) {
        return LLVMBuildFPTrunc(l->b, p, f32, "");
    }
    LLVMValueRef bits = LLVMBuildBitCast(l->b, p, i64, "");
    LLVMValueRef more =
        LLVMBuildAnd(l->b, LLVMBuildAdd(l->b, LLVMBuildAnd(l->b, bits, low, ""), low, ""),
                     lower_bits_const(l, DT_S64, lanes, 1u << CUT), "");
    bits = LLVMBuildAnd(l->b, LLVMBuildOr(l->b, bits, more, ""),
                        LLVMBuildNot(l->b, low, ""), "");
    p = LLVMBuildBitCast(l->b, bits, f64, "");
    return LLVMBuildFPTrunc(l->b, p, f32, "");
}

/* Clamps to the range of the result where that is smaller than the source's. */
static LLVMValueRef
integer_to_integer(Lower *l, const LaneShape *sh, LLVMValueRef v)
{
    Dtype to = sh->dtype[0], from = sh->dtype[1];
    int64_t lo, hi, from_lo, from_hi;
    bool full, from_full;
    scalar_range(to, &lo, &hi, &full);
    scalar_range(from, &from_lo, &from_hi, &from_full);
    bool is_signed = dtype_kind(from) == KIND_SINT;
    if (from_lo < lo && !(sh->mode & MODE_EXTEND)) {
        LLVMValueRef least = lower_bits_const(l, from, sh->lanes, (uint64_t)lo);
        LLVMValueRef less = LLVMBuildICmp(l->b, LLVMIntSLT, v, least, "");
        v = LLVMBuildSelect(l->b, less, least, v, "");
    }
    if (from_hi > hi) {
        LLVMValueRef most = lower_bits_const(l, from, sh->lanes, (uint64_t)hi);
        LLVMValueRef more =
            LLVMBuildICmp(l->b, is_signed ? LLVMIntSGT : LLVMIntUGT, v, most, "");
        v = LLVMBuildSelect(l->b, more, most, v, "");
    }
    LLVMTypeRef type = lower_bits_type(l, to, sh->lanes);
    if (dtype_size(to) <= dtype_size(from)) {
        return dtype_size(to) == dtype_size(from) ? v : LLVMBuildTrunc(l->b, v, type, "");
    }
    return is_signed ? LLVMBuildSExt(l->b, v, type, "")
                     : LLVMBuildZExt(l->b, v, type, "");
}

static LLVMValueRef
compute(Lower *l, const LaneShape *sh, LLVMValueRef *v, LLVMValueRef scalar)
{
    Dtype to = sh->dtype[0], from = sh->dtype[1];
    if (sh->mode & MODE_LIBRARY) {
        return library_lanes(l, sh, v[1], scalar);
    }
    if (sh->mode & MODE_SCALED) {
        LLVMValueRef p = sh->mode & MODE_UNIT ? from_integer(l, v[1], from, sh->lanes)
                                              : product(l, v[1], scalar, sh->lanes,
                                                        (sh->mode & MODE_TWICE) != 0);
        return to_half(l, p, sh->lanes);
    }
    if (!dtype_is_float(from) && !dtype_is_float(to)) {
        return integer_to_integer(l, sh, v[1]);
    }
    if (!dtype_is_float(from)) {
        return integer_to_float(l, sh, v[1]);
    }
    if (is_half_to_byte(l, sh)) {
        return half_to_byte(l, sh, v[1]);
    }
    bool any = to == DT_F16; /* every NaN gives the same */
    LLVMValueRef x = any ? lower_any_nan(l, v[1]) : v[1];
    LLVMValueRef f = lower_to_f32(l, x, from, sh->lanes);
    if (!dtype_is_float(to)) {
        return to_integer(l, sh, f);
    }
    return to == DT_F16
               ? to_half(l, f, sh->lanes)
               : LLVMBuildBitCast(l->b, f, lower_bits_type(l, to, sh->lanes), "");
}

/* ---- the instruction ----------------------------------------------------- */

/* True for pairs without code of their own. */
static bool
is_rare(Dtype dst, Dtype src, RoundMode round)
{
    bool nearest = round == ROUND_NONE || round == ROUND_NEAREST;
    if (dst == DT_BF16 || src == DT_BF16 || dst == DT_S64 || src == DT_S64) {
        return true;
    }
    return dtype_is_float(dst) && (!nearest || dst == src);
}

static const Arg *
operand(const Lower *l, StmtId s, Role role, const char *name)
{
    const Stmt *st = &l->k->stmts.p[s];
    int slot = form_slot(op_table[st->instr.op].form, role, name);
    return slot < 0 ? NULL : &l->k->args.p[st->instr.arg + (uint32_t)slot];
}

static bool
is_one(const Lower *l, const Arg *scale)
{
    const Expr *e = ir_expr(l->k, scale->expr);
    return e->kind == EX_CONST && e->imm == 0x3c00;
}

static LLVMValueRef
read_register(Lower *l, int reg)
{
    LLVMValueRef off = lower_const(l, reg);
    LLVMValueRef at = LLVMBuildGEP2(l->b, l->i8, lower_sreg(l), &off, 1, "");
    return LLVMBuildLoad2(l->b, l->i32, at, "mode");
}

/* Scaled results always saturate. */
static void
lower_scaled(Lower *l, StmtId s, LaneJob *job)
{
    job->mode = MODE_SCALED;
    if (is_one(l, operand(l, s, ROLE_SCALAR, NULL))) {
        job->mode |= MODE_UNIT;
    }
    if (lower_chosen(l, CHOICE_INT32_TO_FLOAT16) == CHOSE_INT32_TO_FLOAT16_FLOAT32) {
        job->mode |= MODE_TWICE;
    }
    lower_lanes(l, s, job);
}

bool
lower_saturates_to_half(const LaneJob *job, Dtype src)
{
    return job->compute == compute && src == DT_F32 &&
           (job->mode & (MODE_LIBRARY | MODE_SCALED)) == 0;
}

LaneJob
lower_conversion(Lower *l, StmtId s)
{
    LaneJob job = {.name = sem_name(op_table[l->k->stmts.p[s].instr.op].sem),
                   .compute = compute};
    const Arg *round = operand(l, s, ROLE_ATTR, "round_mode");
    Dtype dst = operand(l, s, ROLE_DST, NULL)->ref.dtype;
    Dtype src = operand(l, s, ROLE_SRC, NULL)->ref.dtype;
    int reg = mode_register(dst, src);
    job.mode = round == NULL ? 0 : (uint32_t)ir_expr(l->k, round->expr)->imm;
    if (src == DT_S16 && dst == DT_U32 &&
        lower_chosen(l, CHOICE_NEGATIVE_TO_UNSIGNED) ==
            CHOSE_NEGATIVE_TO_UNSIGNED_EXTENDED) {
        job.mode |= MODE_EXTEND;
    } else if (mode_is_set(l, reg)) {
        job.scalar = read_register(l, reg);
        job.scalar_type = DT_U32;
    }
    if (job.mode == ROUND_AWAY &&
        lower_chosen(l, CHOICE_AWAY_ZERO) == CHOSE_AWAY_ZERO_DIRECTED) {
        job.mode = MODE_OUTWARD | MODE_LIBRARY;
        job.whole = call_library;
    }
    if (job.scalar != NULL || is_rare(dst, src, (RoundMode)job.mode)) {
        job.mode |= MODE_LIBRARY;
        job.whole = call_library;
    }
    return job;
}

void
lower_convert(Lower *l, StmtId s)
{
    Sem sem = op_table[l->k->stmts.p[s].instr.op].sem;
    LaneJob job = {.name = sem_name(sem), .compute = compute};
    const Stmt *instr = &l->k->stmts.p[s];
    int dst = form_first(op_table[instr->instr.op].form, ROLE_DST);
    Dtype to = l->k->args.p[instr->instr.arg + (uint32_t)dst].ref.dtype;
    if (sem == SEM_CONV_PACK || sem == SEM_CONV_PACKS || dtype_is_half_byte(to)) {
        lower_exec(l, s);
        return;
    }
    if (sem == SEM_CONV_SCALED) {
        lower_scaled(l, s, &job);
        return;
    }
    job = lower_conversion(l, s);
    lower_lanes(l, s, &job);
}
