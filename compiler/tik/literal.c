/* literal.c: the conversion of a number of the program to the type of a Scalar, an
 * element or an operand. It is for numbers known at staging; a Scalar that a pass folds
 * is converted as at run time (num/scalar.h).
 *
 *   Scalars, elements, h_*   float16: limited to -65504..65504 (half-limited), NaN stays
 *   vector instructions      float16: rounded, infinity from 65520 on (half-infinite)
 *   integer types            the low bits of an int (scalar-range); a float is truncated
 *                            toward zero (scalar-fraction) and saturates (scalar-range)
 *
 * Owns: half-limited, half-infinite, scalar-range of literals, scalar-fraction. */
#include "tik/expr.h"
#include "tik/literal.h"
#include "tik/tik.h"

#include <math.h>

static const double half_max = 65504;

bool
tik_literal_fits(Value v, Dtype t)
{
    int64_t lo, hi, i;
    uint64_t bits;
    double d;
    bool full;
    if (dtype_is_float(t)) {
        if (!val_as_double(v, &d)) {
            return false;
        }
        return isnan(d) || isinf(d) ||
               !isinf(scalar_to_double(t, scalar_from_double(t, d)));
    }
    scalar_range(t, &lo, &hi, &full);
    if (t == DT_U64) {
        return val_as_uint64(v, &bits) && !(val_as_int64(v, &i) && i < 0);
    }
    return val_as_int64(v, &i) && i >= lo && i <= hi;
}

/* Limits a number to the nearest finite float16. */
static void
limit_half(Interp *in, double d, const Literal *use, int64_t *out)
{
    if (fabs(d) > half_max) {
        *out = scalar_from_double(DT_F16, copysign(half_max, d));
        py_diag(in, D_HALF_LIMITED, use->span, "%s is %s; in float16 it counts as %s",
                use->what, val_repr(in, val_float(d)), d < 0 ? "-65504" : "65504");
    }
}

static void
half(Interp *in, const Tik *c, Value v, const Literal *use, int64_t *out)
{
    double d;
    if (!val_as_double(v, &d) || isnan(d)) {
        return;
    }
    bool limits =
        chosen(c->k->choices, CHOICE_HALF_LITERAL) == CHOSE_HALF_LITERAL_LIMITED;
    if (!use->operand || (limits && !isinf(d))) {
        limit_half(in, d, use, out);
    } else if (!isinf(d) && isinf(scalar_to_double(DT_F16, *out))) {
        py_diag(in, D_HALF_INFINITE, use->span, "%s is %s, which is infinity in float16",
                use->what, val_repr(in, v));
    }
}

/* Returns the name of an integer type that holds the number, the narrowest; null if none
 * does. */
static const char *
type_that_holds(Value v)
{
    static const Dtype types[] = {DT_U8, DT_S16, DT_U16, DT_S32, DT_U32, DT_S64, DT_U64};
    for (size_t i = 0; v.kind != VAL_FLOAT && i < ARRAY_LEN(types); i++) {
        if (tik_literal_fits(v, types[i])) {
            return dtype_name(types[i]);
        }
    }
    return NULL;
}

/* Warns of an integer that the type represents as another number. */
static void
warn_integer(Interp *in, Value v, Dtype t, const Literal *use, int64_t value)
{
    bool fits = tik_literal_fits(v, t);
    if (v.kind == VAL_FLOAT) {
        double whole = trunc(v.f);
        fits = t == DT_BOOL ||
               ((value != 0 || whole == 0) &&
                whole == (t == DT_U64 ? (double)(uint64_t)value : (double)value));
        if (fits && whole != v.f) {
            py_diag(in, D_SCALAR_FRACTION, use->span, "%s is %s; in %s it counts as %lld",
                    use->what, val_repr(in, v), dtype_name(t), (long long)value);
        }
    }
    if (!fits && t == DT_U64) {
        py_diag(in, D_SCALAR_RANGE, use->span, "%s is %s; in uint64 it counts as %llu",
                use->what, val_repr(in, v), (unsigned long long)value);
    } else if (!fits) {
        Diag *d =
            py_diag(in, D_SCALAR_RANGE, use->span, "%s is %s; in %s it counts as %lld",
                    use->what, val_repr(in, v), dtype_name(t), (long long)value);
        int64_t lo, hi;
        bool full;
        scalar_range(t, &lo, &hi, &full);
        const char *wide = type_that_holds(v);
        diag_help(in->u, d, "%s holds %lld to %lld%s%s", dtype_name(t), (long long)lo,
                  (long long)hi, wide ? "; this number fits " : "", wide ? wide : "");
    }
}

bool
tik_literal_value(Interp *in, const Tik *c, Value v, Dtype t, const Literal *use,
                  int64_t *out)
{
    TRY(tik_number_value(v, t, out));
    if (t == DT_F16) {
        half(in, c, v, use, out);
    } else if (!dtype_is_float(t)) {
        warn_integer(in, v, t, use, *out);
    } else if (!tik_literal_fits(v, t)) {
        py_diag(in, D_SCALAR_RANGE, use->span, "%s is %s, which is infinity in %s",
                use->what, val_repr(in, v), dtype_name(t));
    }
    return true;
}

bool
tik_literal(Interp *in, Tik *c, Value v, Dtype t, const Literal *use, ExprId *out)
{
    int64_t value;
    TRY(tik_literal_value(in, c, v, t, use, &value));
    *out = ir_const(c->k, t, value);
    return true;
}

void
tik_limit_constant(Interp *in, Tik *c, Dtype t, const Literal *use, ExprId *e)
{
    const Expr *x = ir_expr(c->k, *e);
    Dtype from = (Dtype)x->dtype;
    if (t != DT_F16 || x->kind != EX_CONST) {
        return;
    }
    double d = dtype_is_float(from) ? scalar_to_double(from, x->imm)
               : from == DT_U64     ? (double)(uint64_t)x->imm
                                    : (double)x->imm;
    (void)tik_literal(in, c, val_float(d), t, use, e);
}
