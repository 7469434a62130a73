/* expr.c: Expr objects, which are formulas over Scalars and loop variables: their
 * attributes, the conversion of Python numbers, and conditions (tik.all, tik.any,
 * tik.negate).
 *
 * An Expr is only an expression id of the kernel; it is evaluated where a statement uses
 * it. The builder of the IR folds constants. A condition that is known at compile time
 * decides branches without recording them. */
#include "tik/expr.h"
#include "tik/scalar.h"
#include "tik/tensor.h"
#include "tik/tik.h"

#include <math.h>
#include <string.h>

Value
tik_expr(Interp *in, Tik *c, ExprId e)
{
    if (c->k->arena.used > in->u->opt.limits.memory) {
        py_diag(in, D_LIMIT_MEMORY, in->here,
                "the expressions of the kernel take more than %lld bytes",
                (long long)in->u->opt.limits.memory);
        in->fatal = true;
        return val_fail();
    }
    ExprObj *o = py_object(in, sizeof *o);
    o->base.cls = &tik_expr_class;
    o->c = c;
    o->e = e;
    return val_object(&o->base);
}

/* Converts a double to an integer type: it truncates, and values out of range
 * saturate. */
static int64_t
integer_of(Dtype t, double d)
{
    int64_t lo, hi;
    bool full;
    if (isnan(d)) {
        return 0;
    }
    scalar_range(t, &lo, &hi, &full);
    d = trunc(d);
    if (t == DT_U64 && d >= 9223372036854775808.0) {
        return d >= 18446744073709551616.0 ? -1 : (int64_t)(uint64_t)d;
    }
    if (d >= 9223372036854775808.0 || (d > 0 && (int64_t)d > hi)) {
        return hi;
    }
    if (d < -9223372036854775808.0 || (int64_t)d < lo) {
        return lo;
    }
    return (int64_t)d;
}

bool
tik_number_value(Value v, Dtype t, int64_t *out)
{
    double d;
    uint64_t bits;
    if (dtype_is_float(t)) {
        if (!val_as_double(v, &d)) {
            return false;
        }
        *out = scalar_from_double(t, d);
        return true;
    }
    if (v.kind == VAL_INT && t != DT_BOOL) { /* nearly all */
        *out = scalar_wrap(t, v.i);
        return true;
    }
    if (v.kind == VAL_FLOAT) {
        int64_t i = t == DT_BOOL ? v.f != 0 : integer_of(t, v.f);
        *out = scalar_wrap(t, i);
        return true;
    }
    if (v.kind != VAL_BOOL && v.kind != VAL_INT && v.kind != VAL_BIG) {
        return false;
    }
    if (!val_as_uint64(v, &bits)) {
        int64_t i;
        if (!val_as_int64(v, &i)) {
            return false;
        }
        bits = (uint64_t)i;
    }
    *out = scalar_wrap(t, t == DT_BOOL ? bits != 0 : (int64_t)bits);
    return true;
}

bool
tik_number(Tik *c, Value v, Dtype t, ExprId *out)
{
    int64_t value;
    TRY(tik_number_value(v, t, &value));
    *out = ir_const(c->k, t, value);
    return true;
}

bool
tik_read(Interp *in, Tik *c, Value v, Span span, ExprId *out)
{
    ExprObj *o = tik_runtime(v);
    if (!tik_own(in, c, v, span)) {
        return false;
    }
    *out = o->e;
    return tik_alive(in, c, out, span);
}

/* ---- conditions ---------------------------------------------------------- */

static ExprId
as_condition(Tik *c, ExprId e)
{
    Dtype t = ir_expr(c->k, e)->dtype;
    if (t == DT_BOOL) {
        return e;
    }
    ExprId zero = dtype_is_float(t) ? ir_float(c->k, t, 0) : ir_const(c->k, t, 0);
    return ir_op2(c->k, SOP_NE, e, zero);
}

static int
runtime_condition(Tik *c, ExprId e, ExprId *out)
{
    *out = as_condition(c, e);
    int64_t v;
    return tik_const_of(c, *out, &v) ? v != 0 : -1;
}

int
tik_condition(Interp *in, Value v, const char *what, Span span, ExprId *out)
{
    ExprId e;
    if (tik_is_runtime(v)) {
        Tik *c = tik_runtime(v)->c;
        return tik_read(in, c, v, span, &e) ? runtime_condition(c, e, out) : -2;
    }
    if (tik_is(v, &tik_tensor_class)) {
        Tik *c = tik_container_of(v);
        return tik_load_element(in, c, (View *)v.obj, span, &e)
                   ? runtime_condition(c, e, out)
                   : -2;
    }
    double d;
    if (v.kind == VAL_BIG) {
        return 1;
    }
    if (val_as_double(v, &d)) {
        return d != 0;
    }
    py_diag(in, D_ARG_TYPE, span, "%s is %s; it takes a condition", what, tik_a(in, v));
    return -2;
}

/* Joins the conditions of tik.all (SOP_AND) or tik.any (SOP_OR). One constant decides the
 * result (false for all, true for any); the other constant is left out. */
static Value
join(Interp *in, const CallArgs *args, const char *name, ScalarOp op)
{
    int decisive = op == SOP_OR;
    bool decided = false;
    Tik *c = NULL;
    ExprId all = 0;
    if (args->npos == 0 || args->nkw > 0) {
        py_diag(in, D_ARG_COUNT, args->span,
                "tik.%s takes one condition or more, by position", name);
        return val_fail();
    }
    for (int i = 0; i < args->npos; i++) {
        ExprId e = 0;
        Value v = args->pos[i];
        Span span = args->pos_span ? args->pos_span[i] : args->span;
        int known = tik_condition(
            in, v, arena_printf(&in->u->arena, "argument %d", i + 1), span, &e);
        if (known == -2) {
            return val_fail();
        }
        if (known >= 0) {
            decided = decided || known == decisive;
            continue;
        }
        if (c && !tik_own(in, c, v, span)) {
            return val_fail();
        }
        c = tik_container_of(v);
        all = all ? ir_op2(c->k, op, all, e) : e;
    }
    if (decided || !all) {
        return val_bool(decided ? decisive : !decisive);
    }
    return tik_expr(in, c, all);
}

static Value
tik_all(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    return join(in, args, "all", SOP_AND);
}

static Value
tik_any(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    return join(in, args, "any", SOP_OR);
}

static Value
tik_negate(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Value v;
    ExprId e = 0;
    if (!tik_bind(in, CALL_negate, args, &v, NULL)) {
        return val_fail();
    }
    int known = tik_condition(in, v, "x", args->span, &e);
    if (known == -2) {
        return val_fail();
    }
    if (known >= 0) {
        return val_bool(!known);
    }
    Tik *c = tik_container_of(v);
    return tik_expr(in, c, ir_op1(c->k, SOP_NOT, e));
}

void
tik_install_logic(Interp *in, Value module)
{
    py_module_set(in, module, "all", val_builtin(in, "all", tik_all, val_none()));
    py_module_set(in, module, "any", val_builtin(in, "any", tik_any, val_none()));
    py_module_set(in, module, "negate",
                  val_builtin(in, "negate", tik_negate, val_none()));
}

bool
tik_truth(Interp *in, Object *self, Span span, bool *out)
{
    ExprObj *o = (ExprObj *)self;
    int64_t v;
    in->steps -= 64;
    if (tik_const_of(o->c, o->e, &v) || tik_fold(o->c, o->e, &v)) {
        Dtype t = ir_expr(o->c->k, o->e)->dtype;
        *out = dtype_is_float(t) ? scalar_to_double(t, v) != 0 : v != 0;
        return true;
    }
    Diag *d = py_diag(in, D_RUNTIME_CONDITION, span,
                      "a run-time value is used as a compile-time condition");
    tik_condition_help(in, d, span);
    in->fatal = true;
    return false;
}

/* ---- attributes ---------------------------------------------------------- */

/* Reads the dtype argument of astype and reinterpret_cast_to. */
static bool
target_dtype(Interp *in, const char *callee, const CallArgs *args, Dtype *t)
{
    Value v;
    const char *text;
    if (!tik_bind_like(in, callee, CALL_astype, args, &v, NULL) ||
        !tik_text(in, v, "dtype", args->span, &text)) {
        return false;
    }
    *t = dtype_find(text);
    if (*t == DT_NONE) {
        tik_no_dtype(in, args->npos && args->pos_span ? args->pos_span[0] : args->span,
                     text, "");
        return false;
    }
    return true;
}

static Value
expr_astype(Interp *in, Value self, const CallArgs *args)
{
    ExprObj *o = tik_runtime(self);
    Dtype t;
    if (!target_dtype(in, "astype", args, &t) ||
        !tik_alive(in, o->c, &o->e, args->span)) {
        return val_fail();
    }
    return tik_expr(in, o->c, ir_cast(o->c->k, t, o->e));
}

static Value
expr_bits(Interp *in, Value self, const CallArgs *args)
{
    ExprObj *o = tik_runtime(self);
    Dtype t, from = ir_expr(o->c->k, o->e)->dtype;
    if (!target_dtype(in, "reinterpret_cast_to", args, &t) ||
        !tik_alive(in, o->c, &o->e, args->span)) {
        return val_fail();
    }
    if (dtype_size(t) != dtype_size(from)) {
        py_diag(in, D_REINTERPRET, args->span,
                "a value of %d bits (%s) is reinterpreted as one of %d bits (%s)",
                8 * dtype_size(from), dtype_name(from), 8 * dtype_size(t), dtype_name(t));
        return val_fail();
    }
    return tik_expr(in, o->c, t == from ? o->e : ir_bits(o->c->k, t, o->e));
}

/* Returns an attribute that Expr and Scalar have in common. */
static Value
expr_attr(Interp *in, Object *self, Sym name, Span span, bool *found)
{
    (void)span;
    ExprObj *o = (ExprObj *)self;
    const char *text = tik_sym(in, name);
    *found = true;
    if (strcmp(text, "dtype") == 0) {
        return val_str(in, dtype_name(ir_expr(o->c->k, o->e)->dtype));
    }
    if (self->cls == &tik_expr_class && o->input && strcmp(text, "name") == 0) {
        return val_str(in, tik_sym(in, o->name));
    }
    if (strcmp(text, "astype") == 0) {
        return val_builtin(in, "astype", expr_astype, val_object(self));
    }
    if (strcmp(text, "reinterpret_cast_to") == 0) {
        return val_builtin(in, "reinterpret_cast_to", expr_bits, val_object(self));
    }
    *found = false;
    return val_none();
}

static void
expr_repr(Interp *in, Object *self, Text *out)
{
    (void)in;
    ExprObj *o = (ExprObj *)self;
    text_put(out, "<Expr ");
    ir_print_expr(o->c->k, o->e, out);
    text_putc(out, '>');
}

const ObjectClass tik_expr_class = {
    .name = "Expr",
    .get_attr = expr_attr,
    .binary = tik_binary,
    .unary = tik_unary,
    .truth = tik_truth,
    .repr = expr_repr,
};
