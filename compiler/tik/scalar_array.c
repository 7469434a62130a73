/* scalar_array.c: ScalarArray, a row of Scalars that may be indexed at run time
 * (language 4.4).
 *
 * A constant index gives the Scalar itself. An index known only at run time gives a
 * Scalar without a register: its value is a sum over the elements of (index == k) *
 * element, on the bits of float types; so it is a formula like any other, evaluated where
 * it is used. Assigning to it records one branch per element. An index outside of the
 * array reads 0 and assigns nothing. */
#include "tik/expr.h"
#include "tik/methods.h"
#include "tik/scalar.h"
#include "tik/tik.h"

#include <string.h>

enum {
    MAX_LENGTH = 4096,
    MAX_SEARCHED = 256 /* most elements of an array that is indexed at run time */
};

struct ScalarArray {
    Object base;
    Tik *c;
    Sym name;
    Dtype dtype;
    int64_t n;
    Value *item; /* its Scalars */
    Span span;
};

/* Returns a Scalar that is no element in place of a refused one, so that the program
 * goes on. */
static Value
no_item(Interp *in, const ScalarArray *a, Span span)
{
    return in->fatal ? val_fail() : tik_scalar(in, a->c, a->name, a->dtype, span);
}

static Value
item_at(Interp *in, const ScalarArray *a, int64_t i, Span span)
{
    int64_t at = i < 0 ? i + a->n : i;
    if (at >= 0 && at < a->n) {
        return a->item[at];
    }
    Diag *d = py_diag(in, D_TENSOR_INDEX, span,
                      "index %lld of ScalarArray '%s' is outside its length %lld",
                      (long long)i, tik_sym(in, a->name), (long long)a->n);
    diag_note(in->u, d, a->span, "'%s' is created here", tik_sym(in, a->name));
    return no_item(in, a, span);
}

/* Returns the type in which elements are added up: their own, or for float types that of
 * their bits. */
static Dtype
carrier(Dtype t)
{
    return !dtype_is_float(t) ? t : dtype_size(t) == 2 ? DT_U16 : DT_U32;
}

/* Returns the value of the element with a run-time index. */
static ExprId
search(const ScalarArray *a, ExprId index)
{
    Kernel *k = a->c->k;
    Dtype t = carrier(a->dtype);
    ExprId sum = ir_const(k, t, 0);
    for (int64_t i = 0; i < a->n; i++) {
        ExprId hit = ir_op2(k, SOP_EQ, index, tik_i64(a->c, i));
        ExprId e = tik_runtime(a->item[i])->e;
        e = t == a->dtype ? e : ir_bits(k, t, e);
        sum = ir_op2(k, SOP_ADD, sum, ir_op2(k, SOP_MUL, ir_cast(k, t, hit), e));
    }
    return t == a->dtype ? sum : ir_bits(k, a->dtype, sum);
}

static Value
searched_item(Interp *in, ScalarArray *a, ExprId index, Span span)
{
    Kernel *k = a->c->k;
    if (a->n > MAX_SEARCHED) {
        py_diag(in, D_NOT_SUPPORTED, span,
                "ScalarArray '%s' of %lld elements is indexed at run time; of %d at most",
                tik_sym(in, a->name), (long long)a->n, MAX_SEARCHED);
        return no_item(in, a, span);
    }
    ExprId e = search(a, index);
    if (k->expr_too_large) {
        py_diag(in, D_LIMIT_IR, span, "an expression has more than %d operations",
                IR_MAX_EXPR);
        in->fatal = true;
        return val_fail();
    }
    ExprObj *o = ARENA_NEW(&in->u->arena, ExprObj);
    o->base.cls = &tik_scalar_class;
    o->c = a->c;
    o->name = a->name;
    o->e = e;
    o->array = a;
    o->index = index;
    return val_object(&o->base);
}

static Value
array_get_item(Interp *in, Object *self, Value key, Span span)
{
    ScalarArray *a = (ScalarArray *)self;
    int64_t i;
    ExprId index;
    if (key.kind != VAL_FLOAT && val_as_int64(key, &i)) {
        return item_at(in, a, i, span);
    }
    if (!tik_is_runtime(key)) {
        py_diag(
            in, D_TENSOR_INDEX, span,
            "an index of ScalarArray '%s' is %s; it takes an int, a Scalar or an Expr",
            tik_sym(in, a->name), tik_a(in, key));
        return no_item(in, a, span);
    }
    if (!tik_read(in, a->c, key, span, &index)) {
        return no_item(in, a, span);
    }
    Dtype t = ir_expr(a->c->k, index)->dtype;
    if (dtype_is_float(t)) {
        py_diag(in, D_TENSOR_INDEX, span,
                "an index of ScalarArray '%s' has dtype %s; it takes an integer",
                tik_sym(in, a->name), dtype_name(t));
        return no_item(in, a, span);
    }
    index = ir_cast(a->c->k, DT_S64, index);
    if (tik_const_of(a->c, index, &i)) {
        return item_at(in, a, i, span);
    }
    return searched_item(in, a, index, span);
}

static bool
array_set_item(Interp *in, Object *self, Value key, Value v, Span span)
{
    Value at = array_get_item(in, self, key, span);
    return !val_failed(at) && tik_set(in, tik_runtime(at), v, span);
}

bool
tik_array_assign(Interp *in, ExprObj *o, Value v, Span span)
{
    ScalarArray *a = o->array;
    Tik *c = a->c;
    Sym names[2] = {intern(&in->u->names, "index"), a->name};
    ExprObj *index = tik_runtime(tik_scalar(in, c, names[0], DT_S64, span));
    ExprObj *value = tik_runtime(tik_scalar(in, c, names[1], a->dtype, span));
    Stmt at = {.kind = ST_SET, .set = {index->reg, o->index}};
    if (!tik_emit(in, c, at, span, NULL) || !tik_assign(in, value, v, span)) {
        return false;
    }
    for (int64_t i = 0; i < a->n; i++) {
        ExprId hit = ir_op2(c->k, SOP_EQ, index->e, tik_i64(c, i));
        Stmt branch = {.kind = ST_IF, .cond = {hit, 0, 0}};
        Stmt set = {.kind = ST_SET, .set = {tik_runtime(a->item[i])->reg, value->e}};
        StmtId id;
        TRY(tik_emit(in, c, branch, span, &id));
        Cursor body = ir_cursor_body(id, 0);
        TRY(tik_emit_at(in, c, &body, set, span, NULL));
    }
    return true;
}

/* Assigns all elements from one value, or each from its own. */
static bool
set_all(Interp *in, ScalarArray *a, Value v, Span span)
{
    bool list = v.kind == VAL_LIST || v.kind == VAL_TUPLE;
    if (list && v.list->n != a->n) {
        py_diag(in, D_SET_AS, span,
                "ScalarArray '%s' of %lld elements is set to a list of %u",
                tik_sym(in, a->name), (long long)a->n, v.list->n);
        return false;
    }
    for (int64_t i = 0; i < a->n; i++) {
        TRY(tik_assign(in, tik_runtime(a->item[i]), list ? v.list->p[i] : v, span));
    }
    return true;
}

static Value
array_set_as(Interp *in, Value self, const CallArgs *args)
{
    ScalarArray *a = (ScalarArray *)self.obj;
    Value v;
    if (!tik_bind(in, CALL_ScalarArray_set_as, args, &v, NULL)) {
        return tik_none(in);
    }
    if (!tik_dropped(a->c) && tik_not_built(in, a->c, args->span) &&
        tik_alive(in, a->c, &tik_runtime(a->item[0])->e, args->span)) {
        (void)set_all(in, a, v, args->span);
    }
    return tik_none(in);
}

static Value
array_attr(Interp *in, Object *self, Sym name, Span span, bool *found)
{
    (void)span;
    ScalarArray *a = (ScalarArray *)self;
    const char *text = tik_sym(in, name);
    *found = true;
    if (strcmp(text, "set_as") == 0) {
        return val_builtin(in, "set_as", array_set_as, val_object(self));
    }
    if (strcmp(text, "dtype") == 0) {
        return val_str(in, dtype_name(a->dtype));
    }
    if (strcmp(text, "name") == 0) {
        return val_str(in, tik_sym(in, a->name));
    }
    if (strcmp(text, "length") == 0) {
        return val_int(a->n);
    }
    *found = false;
    return val_none();
}

static const char *
array_name(int index)
{
    static const char *const names[] = {"set_as", "dtype", "name", "length"};
    return index < (int)ARRAY_LEN(names) ? names[index] : NULL;
}

static bool
array_length(Interp *in, Object *self, Span span, int64_t *out)
{
    (void)in;
    (void)span;
    *out = ((ScalarArray *)self)->n;
    return true;
}

static void
array_repr(Interp *in, Object *self, Text *out)
{
    ScalarArray *a = (ScalarArray *)self;
    text_printf(out, "<ScalarArray %s %s>", tik_sym(in, a->name), dtype_name(a->dtype));
}

static const ObjectClass array_class = {
    .name = "ScalarArray",
    .get_attr = array_attr,
    .attr_name = array_name,
    .get_item = array_get_item,
    .set_item = array_set_item,
    .length = array_length,
    .repr = array_repr,
};

int64_t
tik_array_items(Value v, const Value **items)
{
    if (!tik_is(v, &array_class)) {
        return -1;
    }
    const ScalarArray *a = (const ScalarArray *)v.obj;
    *items = a->item;
    return a->n;
}

static bool
read_length(Interp *in, Value v, Span span, int64_t *n)
{
    if (v.kind == VAL_FLOAT || !val_as_int64(v, n) || *n < 1 || *n > MAX_LENGTH) {
        py_diag(in, D_TENSOR_SHAPE, span,
                "the length of a ScalarArray is %s; it is an int, 1 to %d",
                val_repr(in, v), MAX_LENGTH);
        return false;
    }
    return true;
}

Value
tik_scalar_array(Interp *in, Tik *c, const CallArgs *args)
{
    Value got[MOST_ARGS];
    Span spans[MOST_ARGS];
    ScalarArray *a = ARENA_NEW(&in->u->arena, ScalarArray);
    if (!tik_bind(in, CALL_ScalarArray, args, got, spans) ||
        !tik_scalar_dtype(in, got[P_ScalarArray_dtype], spans[P_ScalarArray_dtype],
                          &a->dtype) ||
        !tik_scalar_name(in, got[P_ScalarArray_name], spans[P_ScalarArray_name],
                         "scalar_array", &a->name) ||
        !read_length(in, got[P_ScalarArray_length], spans[P_ScalarArray_length], &a->n) ||
        !tik_not_built(in, c, args->span)) {
        return val_fail();
    }
    a->base.cls = &array_class;
    a->c = c;
    a->span = args->span;
    a->item = ARENA_ARRAY(&in->u->arena, Value, a->n);
    for (int64_t i = 0; i < a->n; i++) {
        a->item[i] = tik_scalar(in, c, a->name, a->dtype, args->span);
    }
    if (got[P_ScalarArray_init_value].kind != VAL_NONE && !tik_dropped(c)) {
        (void)set_all(in, a, got[P_ScalarArray_init_value],
                      spans[P_ScalarArray_init_value]);
    }
    return in->fatal ? val_fail() : val_object(&a->base);
}
