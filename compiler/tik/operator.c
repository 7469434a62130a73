/* operator.c: operators on run-time values (language 4.5): promotion, Python numbers on
 * either side, comparisons of tensor elements.
 *
 * Two run-time operands promote by ir_promote (choice N2 of isa/choice.def may widen them
 * first). A Python int takes the type of the other side; if that type does not hold it,
 * both are widened to the first of int32, int64 and uint64 that does (a negative number
 * with an unsigned type means its bits). A float with a fraction and an integer make
 * float32. '/' and '//' are the same operation. Conditions (one-bit values) combine among
 * themselves with & | ^; in arithmetic they count as int32. */
#include "tik/expr.h"
#include "tik/literal.h"
#include "tik/scalar.h"
#include "tik/tik.h"

#include <math.h>

/* One side of an operation. */
typedef struct Side {
    Value v;
    bool number; /* v is a Python number; otherwise e is the value */
    ExprId e;
} Side;

static ScalarOp
scalar_op(AstOp op)
{
    switch (op) {
    case AOP_ADD:
        return SOP_ADD;
    case AOP_SUB:
        return SOP_SUB;
    case AOP_MUL:
        return SOP_MUL;
    case AOP_DIV:
    case AOP_FLOORDIV:
        return SOP_DIV;
    case AOP_MOD:
        return SOP_REM;
    case AOP_SHL:
        return SOP_SHL;
    case AOP_SHR:
        return SOP_SHR;
    case AOP_AND:
        return SOP_AND;
    case AOP_OR:
        return SOP_OR;
    case AOP_XOR:
        return SOP_XOR;
    case AOP_EQ:
        return SOP_EQ;
    case AOP_NE:
        return SOP_NE;
    case AOP_LT:
        return SOP_LT;
    case AOP_LE:
        return SOP_LE;
    case AOP_GT:
        return SOP_GT;
    case AOP_GE:
        return SOP_GE;
    default:
        return SOP_COUNT;
    }
}

static bool
is_number(Value v)
{
    return v.kind == VAL_BOOL || v.kind == VAL_INT || v.kind == VAL_BIG ||
           v.kind == VAL_FLOAT;
}

static bool
is_bitwise(ScalarOp op)
{
    return op == SOP_AND || op == SOP_OR || op == SOP_XOR;
}

static bool
is_shift(ScalarOp op)
{
    return op == SOP_SHL || op == SOP_SHR;
}

/* True if the bits of the value fit the type's width, signed or unsigned. */
static bool
fits(Dtype t, Value v)
{
    int64_t i;
    uint64_t u;
    int bits = 8 * dtype_size(t);
    if (v.kind == VAL_FLOAT) {
        return v.f >= -9223372036854775808.0 && v.f < 9223372036854775808.0 &&
               fits(t, val_int((int64_t)v.f));
    }
    if (val_as_int64(v, &i)) {
        return bits == 64 ||
               (i >= -((int64_t)1 << (bits - 1)) && i < ((int64_t)1 << bits));
    }
    return bits == 64 && val_as_uint64(v, &u);
}

static bool
holds(Dtype t, Value v)
{
    int64_t i, lo, hi;
    bool full;
    uint64_t u;
    scalar_range(t, &lo, &hi, &full);
    if (val_as_int64(v, &i)) {
        return (i >= lo && i <= hi) || (i < 0 && dtype_kind(t) == KIND_UINT);
    }
    return t == DT_U64 && val_as_uint64(v, &u);
}

/* Returns the type itself, or the first wider one that holds the integer. If none does,
 * it returns the type itself, which the number does not fit. */
static Dtype
wide_enough(Dtype t, Value v)
{
    static const Dtype wider[] = {DT_S32, DT_S64, DT_U64};
    if (v.kind == VAL_FLOAT) {
        v = v.f >= -9223372036854775808.0 && v.f < 9223372036854775808.0
                ? val_int((int64_t)v.f)
                : v;
    }
    if (v.kind == VAL_FLOAT || holds(t, v)) {
        return t;
    }
    for (uint32_t i = 0; i < ARRAY_LEN(wider); i++) {
        if (dtype_size(wider[i]) >= dtype_size(t) && holds(wider[i], v)) {
            return wider[i];
        }
    }
    return t;
}

/* Returns the type in which a number and a run-time value of type t are combined; the
 * value is converted to it, too. */
static Dtype
number_type(Value v, Dtype t, bool bitwise)
{
    if (v.kind == VAL_FLOAT && !dtype_is_float(t) && v.f != trunc(v.f)) {
        return DT_F32;
    }
    if (t == DT_BOOL) {
        return v.kind == VAL_BOOL && bitwise ? DT_BOOL : wide_enough(DT_S32, v);
    }
    return dtype_is_float(t) ? t : wide_enough(t, v);
}

static bool
number_side(Interp *in, Tik *c, Side *s, Dtype t, Span span)
{
    if (!dtype_is_float(t) && t != DT_BOOL && !fits(t, s->v)) {
        Diag *d = py_diag(in, D_INT_TOO_LARGE, span,
                          "%s does not fit %s, the type of the run-time value beside it",
                          val_repr(in, s->v), dtype_name(t));
        diag_help(in->u, d, "convert the run-time value first: e.astype(\"int64\")");
        return false;
    }
    /* A whole float means what the int means: with a uint8, -4.0 is 252, it does not
     * saturate. */
    bool whole = s->v.kind == VAL_FLOAT && !dtype_is_float(t) && t != DT_BOOL;
    Value v = whole ? val_int((int64_t)s->v.f) : s->v;
    Literal use = {"a number beside a float16", span, false};
    if (t == DT_F16 ? !tik_literal(in, c, v, t, &use, &s->e)
                    : !tik_number(c, v, t, &s->e)) {
        py_diag(in, D_INT_TOO_LARGE, span, "%s does not fit 64 bits", val_repr(in, s->v));
        return false;
    }
    return true;
}

/* Returns whether the value is an int that the type has; those of bool are none. */
static bool
is_int_of(Dtype t, Value v)
{
    int64_t lo, hi;
    bool full;
    if (v.kind != VAL_INT || t == DT_BOOL || dtype_is_float(t)) {
        return false;
    }
    scalar_range(t, &lo, &hi, &full);
    return v.i >= lo && v.i <= hi;
}

/* Converts both sides to one type. */
static bool
unify(Interp *in, Tik *c, ScalarOp op, Side *l, Side *r, Span span)
{
    Kernel *k = c->k;
    bool logic = is_bitwise(op) || op == SOP_EQ || op == SOP_NE;
    Dtype t;
    if (l->number || r->number) {
        Side *run = l->number ? r : l;
        Side *num = l->number ? l : r;
        t = ir_expr(k, run->e)->dtype;
        if (is_int_of(t, num->v)) { /* nearly all */
            num->e = ir_const(k, t, num->v.i);
            return true;
        }
        t = number_type(num->v, t, logic);
        TRY(number_side(in, c, num, t, span));
    } else {
        Dtype a = ir_expr(k, l->e)->dtype, b = ir_expr(k, r->e)->dtype;
        t = is_shift(op) || is_bitwise(op) ? a : a == b ? a : DT_NONE;
        if (t == DT_BOOL && !(logic && b == DT_BOOL)) {
            t = b == DT_BOOL ? DT_S32 : b;
        } else if (t == DT_NONE) {
            t = ir_promote(a == DT_BOOL ? DT_S32 : a, b == DT_BOOL ? DT_S32 : b);
        }
    }
    l->e = ir_cast(k, t, l->e);
    r->e = ir_cast(k, t, r->e);
    return true;
}

/* Returns the instruction that does with the elements of tensors what an operator does
 * with numbers, or null. */
static const char *
instruction_of(AstOp op)
{
    static const char *const of[][2] = {{"+", "vec_add"}, {"-", "vec_sub"},
                                        {"*", "vec_mul"}, {"/", "vec_div"},
                                        {"&", "vec_and"}, {"|", "vec_or"}};
    for (size_t i = 0; i < ARRAY_LEN(of); i++) {
        if (strcmp(of[i][0], ast_op_text(op)) == 0) {
            return of[i][1];
        }
    }
    return NULL;
}

static Value
refuse(Interp *in, AstOp op, Value l, Value r, Span span)
{
    Diag *d = py_diag(in, D_RUNTIME_OPERATOR, span, "'%s' is not defined for %s and %s",
                      ast_op_text(op), tik_a(in, l), tik_a(in, r));
    const char *instr = instruction_of(op);
    if (instr && tik_is(l, &tik_tensor_class) && tik_is(r, &tik_tensor_class)) {
        diag_help(in->u, d,
                  "tensors are computed with by instructions: %s(mask, dst, src0, src1, "
                  "repeat_times, dst_rep_stride, src0_rep_stride, src1_rep_stride)",
                  instr);
    } else if (tik_is(l, &tik_tensor_class) || tik_is(r, &tik_tensor_class)) {
        bool scalar =
            instr && (strcmp(instr, "vec_add") == 0 || strcmp(instr, "vec_mul") == 0);
        diag_help(in->u, d,
                  scalar
                      ? "%ss(mask, dst, src, scalar, ...) computes with all elements; to "
                        "compute with one, read it first: s = tik_instance.Scalar(...); "
                        "s.set_as(t[i])"
                      : "read the element first: s = tik_instance.Scalar(...); "
                        "s.set_as(t[i])",
                  instr);
    }
    in->fatal = true;
    return val_fail();
}

static bool
is_compare(AstOp op)
{
    return op >= AOP_EQ && op <= AOP_GE;
}

/* By the other reading of N2, operands narrower than int32 are widened to it, as in C. */
static ExprId
widened(Tik *c, ExprId e)
{
    Dtype t = (Dtype)ir_expr(c->k, e)->dtype;
    bool narrow = !dtype_is_float(t) && t != DT_BOOL && dtype_size(t) < 4;
    return narrow &&
                   chosen(c->k->choices, CHOICE_NARROW_EXPR) == CHOSE_NARROW_EXPR_WIDENED
               ? ir_cast(c->k, DT_S32, e)
               : e;
}

/* Reads one side; it loads tensor elements. */
static bool
side(Interp *in, Tik *c, Value v, Span span, Side *out)
{
    *out = (Side){.v = v, .number = is_number(v)};
    if (out->number) {
        return true;
    }
    TRY(tik_is(v, &tik_tensor_class)
            ? tik_load_element(in, c, (View *)v.obj, span, &out->e)
            : tik_read(in, c, v, span, &out->e));
    out->e = widened(c, out->e);
    return true;
}

static bool
legal_type(Interp *in, Tik *c, AstOp op, ScalarOp sop, const Side *l, const Side *r,
           Span span)
{
    int64_t v;
    Dtype t = ir_expr(c->k, l->e)->dtype;
    if ((is_bitwise(sop) || is_shift(sop)) && dtype_is_float(t)) {
        py_diag(in, D_RUNTIME_OPERATOR, span, "'%s' is not defined for %s",
                ast_op_text(op), dtype_name(t));
        in->fatal = true;
        return false;
    }
    if ((sop == SOP_DIV || sop == SOP_REM) && !dtype_is_float(t) &&
        tik_const_of(c, r->e, &v) && v == 0) {
        py_raise(in, "ZeroDivisionError", span, "a run-time value is divided by zero");
        return false;
    }
    return true;
}

/* Returns the comparison with its sides exchanged. */
static AstOp
mirrored(AstOp op)
{
    switch (op) {
    case AOP_LT:
        return AOP_GT;
    case AOP_LE:
        return AOP_GE;
    case AOP_GT:
        return AOP_LT;
    case AOP_GE:
        return AOP_LE;
    default:
        return op;
    }
}

enum {
    EXPR_STEPS = 24 /* cost of an operation on run-time values, without its memory */
};

Value
tik_binary(Interp *in, AstOp op, Value left, Value right, Span span)
{
    core_owe(in, EXPR_STEPS);
    if (is_compare(op) && is_number(left)) { /* as in Python */
        return tik_binary(in, mirrored(op), right, left, span);
    }
    Tik *of_left = tik_container_of(left), *of_right = tik_container_of(right);
    Tik *c = of_left ? of_left : of_right;
    bool known = (of_left || is_number(left)) && (of_right || is_number(right));
    bool tensor = tik_is(left, &tik_tensor_class) || tik_is(right, &tik_tensor_class);
    ScalarOp sop = scalar_op(op);
    if (!known && (op == AOP_EQ || op == AOP_NE)) {
        return val_bool(op == AOP_NE);
    }
    if (!known || sop == SOP_COUNT || (tensor && !is_compare(op))) {
        return refuse(in, op, left, right, span);
    }
    Side l, r;
    if (!side(in, c, left, span, &l) || !side(in, c, right, span, &r) ||
        !unify(in, c, sop, &l, &r, span) || !legal_type(in, c, op, sop, &l, &r, span)) {
        return val_fail();
    }
    ExprId e = ir_op2(c->k, sop, l.e, r.e);
    if (c->k->expr_too_large) {
        py_diag(in, D_LIMIT_IR, span, "an expression has more than %d operations",
                IR_MAX_EXPR);
        in->fatal = true;
        return val_fail();
    }
    return tik_expr(in, c, e);
}

Value
tik_unary(Interp *in, AstOp op, Object *self, Span span)
{
    ExprObj *o = (ExprObj *)self;
    Kernel *k = o->c->k;
    core_owe(in, EXPR_STEPS);
    ExprId e = op == AOP_POS ? o->e : widened(o->c, o->e);
    Dtype t = ir_expr(k, e)->dtype;
    bool unsigned_type = dtype_kind(t) == KIND_UINT;
    if (!tik_alive(in, o->c, &e, span)) {
        return val_fail();
    }
    if (op == AOP_POS) {
        return val_object(self);
    }
    if ((op == AOP_NEG && !unsigned_type) || (op == AOP_INVERT && !dtype_is_float(t))) {
        if (op == AOP_NEG && t == DT_BOOL) {
            e = ir_cast(k, DT_S32, e);
        }
        return tik_expr(in, o->c, ir_op1(k, op == AOP_NEG ? SOP_NEG : SOP_NOT, e));
    }
    py_diag(in, D_RUNTIME_OPERATOR, span, "unary '%s' is not defined for %s",
            op == AOP_NEG      ? "-"
            : op == AOP_INVERT ? "~"
                               : ast_op_text(op),
            dtype_name(t));
    in->fatal = true;
    return val_fail();
}
