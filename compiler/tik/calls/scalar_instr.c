/* scalar_instr.c: scalar instructions (vector 12.3). Each is a formula over the
 * operations of scalar expressions, so that back ends need no code for them. A choice
 * between two values is made on their bits: y + c * (x - y), which wraps to x where c is
 * 1. Operands that a formula names often are stored to registers first.
 *
 * Owns: arg-type, scalar-dtype, dtype-unsupported and round-mode of these calls. */
#include "tik/expr.h"
#include "tik/literal.h"
#include "tik/methods.h"
#include "tik/scalar.h"
#include "tik/tik.h"

#include <string.h>

typedef struct ScalarCall {
    Interp *in;
    Tik *c;
    const CallArgs *args;
    const char *name;
    ExprObj *dst;
    Dtype type; /* dtype of dst */
} ScalarCall;

/* ---- formulas ------------------------------------------------------------ */

static ExprId
op(const ScalarCall *x, ScalarOp o, ExprId a, ExprId b)
{
    return ir_op2(x->c->k, o, a, b);
}

static ExprId
number(const ScalarCall *x, Dtype t, double v)
{
    return dtype_is_float(t) ? ir_float(x->c->k, t, v) : ir_const(x->c->k, t, (int64_t)v);
}

/* Returns the integer type that holds the bits of a value. */
static Dtype
carrier(Dtype t)
{
    return !dtype_is_float(t) ? t : dtype_size(t) == 2 ? DT_U16 : DT_U32;
}

/* Returns yes if the condition (bool) holds, else no. */
static ExprId
choose(const ScalarCall *x, ExprId cond, ExprId yes, ExprId no)
{
    Kernel *k = x->c->k;
    Dtype t = (Dtype)ir_expr(k, yes)->dtype, bits = carrier(t);
    yes = t == bits ? yes : ir_bits(k, bits, yes);
    no = t == bits ? no : ir_bits(k, bits, no);
    ExprId v = op(x, SOP_MUL, ir_cast(k, bits, cond), op(x, SOP_SUB, yes, no));
    v = op(x, SOP_ADD, no, v);
    return t == bits ? v : ir_bits(k, t, v);
}

/* Stores the value to a register of its own and returns the register's value. */
static ExprId
keep(const ScalarCall *x, ExprId e)
{
    Dtype t = (Dtype)ir_expr(x->c->k, e)->dtype;
    RegId r =
        tik_new_reg(x->in, x->c, intern(&x->in->u->names, "scalar"), t, x->args->span);
    Stmt s = {.kind = ST_SET, .set = {r, e}};
    (void)!tik_emit(x->in, x->c, s, x->args->span, NULL);
    return ir_reg_value(x->c->k, r);
}

static ExprId
is_nan(const ScalarCall *x, ExprId e)
{
    return op(x, SOP_NE, e, e);
}

static ExprId
extreme(const ScalarCall *x, bool max, ExprId a, ExprId b)
{
    a = keep(x, a);
    b = keep(x, b);
    ExprId r = keep(x, choose(x, op(x, max ? SOP_GT : SOP_LT, b, a), b, a));
    if (dtype_is_float(x->type)) {
        ExprId nan = op(x, SOP_OR, is_nan(x, a), is_nan(x, b));
        ExprId canonical = ir_const(x->c->k, x->type, 0x7fc00000);
        r = choose(x, nan, canonical, r);
    }
    return r;
}

static ExprId
absolute(const ScalarCall *x, ExprId a)
{
    Kernel *k = x->c->k;
    if (dtype_is_float(x->type)) {
        ExprId low = ir_const(k, DT_U32, 0x7fffffff);
        return ir_bits(k, x->type, op(x, SOP_AND, ir_bits(k, DT_U32, a), low));
    }
    a = keep(x, a);
    return choose(x, op(x, SOP_LT, a, number(x, x->type, 0)), ir_op1(k, SOP_NEG, a), a);
}

/* Counts ones: by sums of adjacent bits, pairs and fours, then of all bytes by a
 * product. */
static ExprId
ones(const ScalarCall *x, ExprId a)
{
    static const uint64_t masks[] = {UINT64_C(0x5555555555555555),
                                     UINT64_C(0x3333333333333333),
                                     UINT64_C(0x0f0f0f0f0f0f0f0f)};
    Kernel *k = x->c->k;
    for (int i = 0; i < 3; i++) {
        ExprId m = ir_const(k, DT_U64, (int64_t)masks[i]);
        ExprId by = ir_const(k, DT_U64, 1 << i);
        a = keep(x, a);
        a = op(x, SOP_ADD, op(x, SOP_AND, a, m),
               op(x, SOP_AND, op(x, SOP_SHR, a, by), m));
    }
    ExprId each = ir_const(k, DT_U64, INT64_C(0x0101010101010101));
    return op(x, SOP_SHR, op(x, SOP_MUL, a, each), ir_const(k, DT_U64, 56));
}

static ExprId
zeros(const ScalarCall *x, ExprId a)
{
    return op(x, SOP_SUB, ir_const(x->c->k, DT_U64, 64), ones(x, a));
}

/* Sets all bits after the highest one: then the remaining zeros are those before it. */
static ExprId
leading_zeros(const ScalarCall *x, ExprId a)
{
    for (int by = 1; by < 64; by *= 2) {
        a = keep(x, a);
        a = op(x, SOP_OR, a, op(x, SOP_SHR, a, ir_const(x->c->k, DT_U64, by)));
    }
    return zeros(x, a);
}

/* ---- conversions --------------------------------------------------------- */

/* Converts float32 to int32 by a mode: to the truncated number, and one more or less if
 * the fraction requires it. From 2^23 on there is no fraction; below, the difference to
 * the truncated number is exact. */
static ExprId
to_int32(const ScalarCall *x, RoundMode mode, ExprId a)
{
    Kernel *k = x->c->k;
    a = keep(x, a);
    ExprId t = keep(x, ir_cast(k, DT_S32, a));
    if (mode == ROUND_ZERO) {
        return t;
    }
    ExprId rest = keep(x, op(x, SOP_SUB, a, ir_cast(k, DT_F32, t)));
    ExprId small = op(x, SOP_AND, op(x, SOP_LT, a, number(x, DT_F32, 8388608.0)),
                      op(x, SOP_GT, a, number(x, DT_F32, -8388608.0)));
    ExprId half = number(x, DT_F32, 0.5), minus_half = number(x, DT_F32, -0.5);
    ExprId zero = number(x, DT_F32, 0), up, down;
    bool outward = mode == ROUND_AWAY &&
                   chosen(k->choices, CHOICE_AWAY_ZERO) == CHOSE_AWAY_ZERO_DIRECTED;
    if (mode == ROUND_FLOOR || mode == ROUND_CEIL || outward) {
        up = op(x, SOP_GT, rest, zero);
        down = op(x, SOP_LT, rest, zero);
    } else {
        up = op(x, SOP_GT, rest, half);
        down = op(x, SOP_LT, rest, minus_half);
        ExprId tie_up = op(x, SOP_EQ, rest, half);
        ExprId tie_down = op(x, SOP_EQ, rest, minus_half);
        ExprId odd = ir_cast(k, DT_BOOL, op(x, SOP_AND, t, ir_const(k, DT_S32, 1)));
        tie_up = mode == ROUND_AWAY ? tie_up : op(x, SOP_AND, tie_up, odd);
        tie_down = mode == ROUND_AWAY ? tie_down : op(x, SOP_AND, tie_down, odd);
        up = op(x, SOP_OR, up, tie_up);
        down = op(x, SOP_OR, down, tie_down);
    }
    if (mode != ROUND_FLOOR) {
        t = op(x, SOP_ADD, t, ir_cast(k, DT_S32, op(x, SOP_AND, small, up)));
    }
    if (mode != ROUND_CEIL) {
        t = op(x, SOP_SUB, t, ir_cast(k, DT_S32, op(x, SOP_AND, small, down)));
    }
    return t;
}

/* Converts float32 to float16. It saturates, and NaN becomes 0; with ROUND_ODD an inexact
 * result is the neighbour toward zero with its last bit set. */
static ExprId
to_half(const ScalarCall *x, RoundMode mode, ExprId a)
{
    Kernel *k = x->c->k;
    ExprId most = number(x, DT_F32, 65504), least = number(x, DT_F32, -65504);
    a = keep(x, a);
    a = keep(x, choose(x, is_nan(x, a), number(x, DT_F32, 0), a));
    a = keep(x, choose(x, op(x, SOP_GT, a, most), most, a));
    a = keep(x, choose(x, op(x, SOP_LT, a, least), least, a));
    ExprId h = ir_cast(k, DT_F16, a);
    if (mode != ROUND_ODD) {
        return h;
    }
    ExprId back = keep(x, ir_cast(k, DT_F32, h));
    ExprId low = ir_const(k, DT_U32, 0x7fffffff);
    ExprId beyond = op(x, SOP_GT, op(x, SOP_AND, ir_bits(k, DT_U32, back), low),
                       op(x, SOP_AND, ir_bits(k, DT_U32, a), low));
    ExprId bits = ir_bits(k, DT_U16, h);
    bits = op(x, SOP_SUB, bits, ir_cast(k, DT_U16, beyond));
    bits = op(x, SOP_OR, bits, ir_cast(k, DT_U16, op(x, SOP_NE, back, a)));
    return ir_bits(k, DT_F16, bits);
}

/* Converts to float32, which is exact; a float16 NaN keeps its payload and becomes
 * quiet. */
static ExprId
to_single(const ScalarCall *x, ExprId a)
{
    Kernel *k = x->c->k;
    if (ir_expr(k, a)->dtype != DT_F16) {
        return ir_cast(k, DT_F32, a);
    }
    a = keep(x, a);
    ExprId wide = ir_cast(k, DT_U32, ir_bits(k, DT_U16, a));
    ExprId sign = op(x, SOP_AND, wide, ir_const(k, DT_U32, 0x8000));
    ExprId payload = op(x, SOP_AND, wide, ir_const(k, DT_U32, 0x3ff));
    ExprId nan = op(x, SOP_OR, op(x, SOP_SHL, sign, ir_const(k, DT_U32, 16)),
                    op(x, SOP_SHL, payload, ir_const(k, DT_U32, 13)));
    nan = op(x, SOP_OR, nan, ir_const(k, DT_U32, 0x7fc00000));
    return choose(x, is_nan(x, a), ir_bits(k, DT_F32, nan), ir_cast(k, DT_F32, a));
}

/* ---- calls --------------------------------------------------------------- */

static bool
has_scalar_unit(const void *ctx, const Soc *soc)
{
    (void)ctx;
    return soc_has(soc, FEATURE_SCALAR_UNIT);
}

static bool
has_type(const ScalarCall *x)
{
    const Soc *soc = x->c->k->soc;
    if (!has_scalar_unit(NULL, soc)) {
        tik_not_on_arch(x->in, x->c, x->name, x->args->span, has_scalar_unit, NULL);
        return false;
    }
    bool root = strcmp(x->name, "scalar_sqrt") == 0;
    bool bits = strncmp(x->name, "scalar_count", 12) == 0;
    bool real = soc_has(soc, root ? FEATURE_SCALAR_SQRT_F32 : FEATURE_SCALAR_F32);
    if (bits ? x->type == DT_U64 : x->type == DT_S64 || (real && x->type == DT_F32)) {
        return true;
    }
    py_diag(x->in, D_DTYPE_UNSUPPORTED, x->args->span, "dst is %s; %s on %s takes %s",
            dtype_name(x->type), x->name, soc->name,
            bits   ? "uint64"
            : real ? "int64, float32"
                   : "int64");
    return false;
}

/* Reads a Scalar or a number in the type of dst. */
static bool
source(const ScalarCall *x, Value v, const char *what, Span span, ExprId *out)
{
    if (!tik_is_runtime(v)) {
        if (!tik_literal_fits(v, x->type) ||
            (v.kind == VAL_FLOAT && !dtype_is_float(x->type)) ||
            !tik_number(x->c, v, x->type, out)) {
            py_diag(x->in, D_ARG_TYPE, span,
                    "%s is %s; %s takes a Scalar or a number "
                    "of %s there",
                    what, tik_a(x->in, v), x->name, dtype_name(x->type));
            return false;
        }
        return true;
    }
    TRY(tik_read(x->in, x->c, v, span, out));
    Dtype t = (Dtype)ir_expr(x->c->k, *out)->dtype;
    if (t != x->type) {
        py_diag(x->in, D_SCALAR_DTYPE, span, "%s is %s and dst is %s", what,
                dtype_name(t), dtype_name(x->type));
        return false;
    }
    return true;
}

static void
assign(const ScalarCall *x, ExprId e)
{
    (void)!tik_assign(x->in, x->dst, tik_expr(x->in, x->c, e), x->args->span);
}

static bool
target(ScalarCall *x, Value v, Span span)
{
    TRY(tik_not_built(x->in, x->c, x->args->span) &&
        tik_target(x->in, x->c, v, "dst", x->name, span));
    x->dst = tik_runtime(v);
    x->type = (Dtype)ir_expr(x->c->k, x->dst->e)->dtype;
    return true;
}

static ScalarCall
scalar_call(const Bound *b)
{
    return (ScalarCall){
        .in = b->in, .c = b->c, .args = b->args, .name = call_signature(b->call).name};
}

void
tik_scalar_extreme(const Bound *b)
{
    ScalarCall x = scalar_call(b);
    ExprId p, q;
    if (target(&x, b->got[0], b->span[0]) && has_type(&x) &&
        source(&x, b->got[1], "src0", b->span[1], &p) &&
        source(&x, b->got[2], "src1", b->span[2], &q)) {
        assign(&x, extreme(&x, b->call == CALL_scalar_max, p, q));
    }
}

static ExprId
square_root(const ScalarCall *x, ExprId a)
{
    return ir_op1(x->c->k, SOP_SQRT, a);
}

static ExprId
formula(const ScalarCall *x, Call call, ExprId a)
{
    switch ((int)call) {
    case CALL_scalar_abs:
        return absolute(x, a);
    case CALL_scalar_sqrt:
        return square_root(x, a);
    case CALL_scalar_countbit0:
        return zeros(x, a);
    case CALL_scalar_countbit1:
        return ones(x, a);
    default:
        return leading_zeros(x, a);
    }
}

void
tik_scalar_function(const Bound *b)
{
    ScalarCall x = scalar_call(b);
    ExprId a;
    if (target(&x, b->got[0], b->span[0]) && has_type(&x) &&
        source(&x, b->got[1], "src", b->span[1], &a)) {
        assign(&x, formula(&x, b->call, a));
    }
}

/* Finds the mode that a word names; false if the pair of types does not have it. */
static bool
conv_mode(const ScalarCall *x, Dtype from, Value v, Span span, RoundMode *mode)
{
    const char *text;
    bool to_int = x->type == DT_S32 && from == DT_F32;
    bool to_real = (x->type == DT_F32 && (from == DT_S32 || from == DT_F16)) ||
                   (x->type == DT_F16 && (from == DT_F32 || from == DT_F16));
    TRY(tik_text(x->in, v, "round_mode", span, &text));
    if (!to_int && !to_real) {
        py_diag(x->in, D_DTYPE_UNSUPPORTED, x->args->span,
                "src is %s and dst is %s; scalar_conv converts int32 and float16 to "
                "float32, float32 to int32 and float16, and copies float16",
                dtype_name(from), dtype_name(x->type));
        return false;
    }
    text = *text == 0 ? "none" : strcmp(text, "ceiling") == 0 ? "ceil" : text;
    bool narrows = from == DT_F32 && x->type == DT_F16;
    for (int m = 0; m < ROUND_COUNT; m++) {
        bool has = to_int ? m != ROUND_NONE && m != ROUND_ODD
                          : m == ROUND_NONE || (m == ROUND_ODD && narrows);
        if (has && strcmp(text, round_mode_name((RoundMode)m)) == 0) {
            *mode = (RoundMode)m;
            return true;
        }
    }
    py_diag(x->in, D_ROUND_MODE, span,
            "round_mode is '%s'; scalar_conv converts %s to %s with %s", text,
            dtype_name(from), dtype_name(x->type),
            to_int    ? "round, floor, ceil, away-zero, to-zero"
            : narrows ? "none, odd"
                      : "none");
    return false;
}

static bool
converts(const void *ctx, const Soc *soc)
{
    (void)ctx;
    return soc_has(soc, FEATURE_SCALAR_CONV);
}

static void
convert(ScalarCall *x, const Value *got, const Span *span)
{
    ExprId a;
    RoundMode mode;
    if (!converts(NULL, x->c->k->soc)) {
        tik_not_on_arch(x->in, x->c, "scalar_conv", x->args->span, converts, NULL);
        return;
    }
    if (!target(x, got[1], span[1])) {
        return;
    }
    if (!tik_is_runtime(got[2])) {
        py_diag(x->in, D_ARG_TYPE, span[2], "src is %s; scalar_conv takes a Scalar there",
                tik_a(x->in, got[2]));
        return;
    }
    if (!tik_read(x->in, x->c, got[2], span[2], &a) ||
        !conv_mode(x, (Dtype)ir_expr(x->c->k, a)->dtype, got[0], span[0], &mode)) {
        return;
    }
    bool copies = (Dtype)ir_expr(x->c->k, a)->dtype == x->type;
    assign(x, copies              ? a
              : x->type == DT_S32 ? to_int32(x, mode, a)
              : x->type == DT_F16 ? to_half(x, mode, a)
                                  : to_single(x, a));
}

void
tik_scalar_conv(const Bound *b)
{
    ScalarCall x = scalar_call(b);
    convert(&x, b->got, b->span);
}
