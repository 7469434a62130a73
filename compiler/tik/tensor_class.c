/* tensor_class.c: attributes, methods and operators of tensors, as the evaluator sees
 * them. Views are made in tik/view.c, element stores in tik/scalar.c. */
#include "tik/lmem.h"
#include "tik/expr.h"
#include "tik/scalar.h"
#include "tik/tensor.h"

#include <string.h>

static Value
shape_value(Interp *in, const View *v)
{
    Value list = val_list(in, NULL, 0);
    for (int i = 0; i < v->ndim; i++) {
        int64_t n;
        Tik *c = v->root->c;
        bool fixed = tik_const_of(c, v->dim[i].len, &n);
        if (!list_push(in, list, fixed ? val_int(n) : tik_expr(in, c, v->dim[i].len))) {
            return val_fail();
        }
    }
    return list;
}

/* Returns an int64 expression, as an int when it is constant. */
static Value
number_value(Interp *in, Tik *c, ExprId e)
{
    int64_t n;
    return tik_const_of(c, e, &n) ? val_int(n) : tik_expr(in, c, e);
}

static ExprId
offset_expr(const View *v)
{
    Tik *c = v->root->c;
    if (tik_view_is_halves(v)) {
        return ir_op2(c->k, SOP_MUL, v->off, tik_i64(c, 2));
    }
    return ir_op2(c->k, SOP_DIV, v->off, tik_i64(c, dtype_size(v->dtype)));
}

/* Returns the size of the buffer; if the shape is known only at run time, the product of
 * the lengths that the program gave. */
static Value
buffer_size(Interp *in, const View *v)
{
    Tik *c = v->root->c;
    if (!v->root->dynamic || v->root->mem == SC_GM) {
        return val_int(v->root->bytes);
    }
    return number_value(
        in, c,
        ir_op2(c->k, SOP_MUL, v->root->size, tik_i64(c, dtype_size(v->root->dtype))));
}

static Value
m_set_as(Interp *in, Value self, const CallArgs *args)
{
    Value got[MOST_ARGS];
    if (!tik_bind(in, CALL_Tensor_set_as, args, got, NULL)) {
        return tik_none(in);
    }
    if (tik_is_set(got[P_Tensor_set_as_dst_offset]) ||
        tik_is_set(got[P_Tensor_set_as_src_offset])) {
        py_diag(in, D_NOT_SUPPORTED, args->span, "offset arguments of set_as");
        return val_none();
    }
    return tik_tensor_set_as(in, (View *)self.obj, got[P_Tensor_set_as_value],
                             args->span);
}

static Value
m_reshape(Interp *in, Value self, const CallArgs *args)
{
    return tik_reshape(in, (View *)self.obj, args);
}

static Value
m_flatten(Interp *in, Value self, const CallArgs *args)
{
    return tik_flatten(in, (View *)self.obj, args);
}

static Value
m_reinterpret(Interp *in, Value self, const CallArgs *args)
{
    return tik_reinterpret(in, (View *)self.obj, args);
}

static Value
m_view(Interp *in, Value self, const CallArgs *args)
{
    return tik_lanes_view(in, (View *)self.obj, args);
}

static Value
m_bcast(Interp *in, Value self, const CallArgs *args)
{
    return tik_lanes_bcast(in, (View *)self.obj, args);
}

static Value
m_part(Interp *in, Value self, const CallArgs *args)
{
    return tik_lanes_part(in, (View *)self.obj, args);
}

static Value
m_access_ptr(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    py_diag(in, D_NOT_SUPPORTED, args->span,
            "'access_ptr' is for code that builds the original's IR directly");
    return val_fail();
}

static Value
m_getitem(Interp *in, Value self, const CallArgs *args)
{
    Value key;
    return tik_bind(in, CALL_getitem, args, &key, NULL)
               ? tik_get_item(in, self.obj, key, args->span)
               : val_fail();
}

static bool tensor_set_item(Interp *in, Object *self, Value key, Value value, Span span);

static Value
m_setitem(Interp *in, Value self, const CallArgs *args)
{
    Value got[MOST_ARGS];
    return tik_bind(in, CALL_setitem, args, got, NULL) &&
                   tensor_set_item(in, self.obj, got[P_setitem_index],
                                   got[P_setitem_value], args->span)
               ? val_none()
               : val_fail();
}

static const struct {
    const char *name;
    BuiltinFn fn;
} methods[] = {
    {"set_as", m_set_as},         {"reshape", m_reshape},
    {"flatten", m_flatten},       {"reinterpret_cast_to", m_reinterpret},
    {"access_ptr", m_access_ptr}, {"view", m_view},
    {"bcast", m_bcast},           {"part", m_part},
    {"__getitem__", m_getitem},   {"__setitem__", m_setitem},
};

static Value
tensor_attr(Interp *in, Object *self, Sym name, Span span, bool *found)
{
    (void)span;
    View *v = (View *)self;
    Tik *c = v->root->c;
    const char *text = tik_sym(in, name);
    *found = true;
    for (size_t i = 0; i < ARRAY_LEN(methods); i++) {
        if (strcmp(text, methods[i].name) == 0) {
            return val_builtin(in, methods[i].name, methods[i].fn, val_object(self));
        }
    }
    if (strcmp(text, "shape") == 0) {
        return shape_value(in, v);
    }
    if (strcmp(text, "dtype") == 0) {
        return val_str(in, tik_dtype_name(v));
    }
    if (strcmp(text, "scope") == 0) {
        return val_str(in, scope_text(v->root->mem));
    }
    if (strcmp(text, "name") == 0) {
        return val_str(in, tik_sym(in, v->root->name));
    }
    if (strcmp(text, "size") == 0) {
        return number_value(in, c, tik_product(c, v->dim, v->ndim));
    }
    if (strcmp(text, "offset") == 0) {
        return number_value(in, c, offset_expr(v));
    }
    if (strcmp(text, "buffer_size") == 0) {
        return buffer_size(in, v);
    }
    *found = false;
    return val_none();
}

static Value
tensor_method(Interp *in, Object *self, Sym name, const CallArgs *args, Span span,
              bool *found)
{
    (void)span;
    *found = name == tik_state(in)->sym_set_as;
    return *found ? m_set_as(in, val_object(self), args) : val_none();
}

static const char *
tensor_name(int index)
{
    static const char *const names[] = {"shape", "dtype",  "scope",      "name",
                                        "size",  "offset", "buffer_size"};
    int n = (int)ARRAY_LEN(methods);
    if (index < n) {
        return methods[index].name;
    }
    return index - n < (int)ARRAY_LEN(names) ? names[index - n] : NULL;
}

static bool
tensor_set_item(Interp *in, Object *self, Value key, Value value, Span span)
{
    Value at = tik_get_item(in, self, key, span);
    return !val_failed(at) &&
           !val_failed(tik_tensor_set_as(in, (View *)at.obj, value, span));
}

static Value
tensor_call(Interp *in, Object *self, const CallArgs *args)
{
    if (args->npos != 1 || args->nkw != 0) {
        py_diag(in, D_ARG_COUNT, args->span, "a tensor is called with one index");
        return val_fail();
    }
    return tik_get_item(in, self, args->pos[0], args->span);
}

static Value
tensor_unary(Interp *in, AstOp op, Object *self, Span span)
{
    (void)op;
    Diag *d = py_diag(in, D_RUNTIME_OPERATOR, span, "arithmetic on a tensor");
    diag_help(in->u, d,
              "read the element first: s = tik_instance.Scalar(...); s.set_as(t[i])");
    (void)self;
    in->fatal = true;
    return val_fail();
}

/* A tensor is an object and so true; an element of it is a run-time value. */
static bool
tensor_truth(Interp *in, Object *self, Span span, bool *out)
{
    *out = true;
    if (!((View *)self)->element) {
        return true;
    }
    Diag *d = py_diag(in, D_RUNTIME_CONDITION, span,
                      "a tensor element is used as a compile-time condition");
    tik_condition_help(in, d, span);
    in->fatal = true;
    return false;
}

static void
tensor_repr(Interp *in, Object *self, Text *out)
{
    View *v = (View *)self;
    text_printf(out, "<Tensor %s %s>", tik_sym(in, v->root->name), tik_dtype_name(v));
}

const ObjectClass tik_tensor_class = {
    .name = "Tensor",
    .get_attr = tensor_attr,
    .call_method = tensor_method,
    .attr_name = tensor_name,
    .get_item = tik_get_item,
    .set_item = tensor_set_item,
    .call = tensor_call,
    .binary = tik_binary,
    .unary = tensor_unary,
    .truth = tensor_truth,
    .repr = tensor_repr,
};
