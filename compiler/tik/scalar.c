/* scalar.c: Scalar objects (registers), set_as on Scalars and on tensor elements, and
 * loads.
 *
 * A Scalar is usable wherever an Expr is: as the present value of its register. set_as
 * converts values (num/scalar.h) but takes the bits of tensor elements; a load has the
 * register's dtype, so a load of another dtype goes through a fresh register (which the
 * trace shows).
 *
 * Owns: set-as, set-as-dtype, set-first. */
#include "tik/expr.h"
#include "tik/literal.h"
#include "tik/methods.h"
#include "tik/scalar.h"
#include "tik/tensor.h"
#include "tik/tik.h"

#include <string.h>

Value
tik_scalar(Interp *in, Tik *c, Sym name, Dtype t, Span span)
{
    ExprObj *o = ARENA_NEW(&in->u->arena, ExprObj);
    o->base.cls = &tik_scalar_class;
    o->c = c;
    o->name = name;
    o->reg = tik_new_reg(in, c, name, t, span);
    o->e = ir_reg_value(c->k, o->reg);
    return val_object(&o->base);
}

/* True if the target can load a scalar from the memory or store one to it. */
static bool
scalar_memory(const Tik *c, Scope mem, bool store)
{
    if (mem == SC_UB) {
        return true;
    }
    return mem == SC_GM &&
           soc_has(c->k->soc, store ? FEATURE_SCALAR_TO_GM : FEATURE_SCALAR_FROM_GM);
}

/* Checks that a view has one element. With first it may have another number, which gives
 * a warning: the element where it begins is read or written. */
static bool
scalar_length(Interp *in, View *v, bool store, bool first, Span span)
{
    int64_t n = tik_view_elems(v);
    const char *name = tik_sym(in, v->root->name);
    if (first && n > 1) {
        py_diag(in, D_SET_FIRST, span, "'%s' has %lld elements; set_as %s the first",
                name, (long long)n, store ? "writes" : "reads");
    } else if (first && n == 0) {
        py_diag(in, D_SET_FIRST, span,
                "'%s' has no elements from here on; set_as %s the one after them", name,
                store ? "writes" : "reads");
    } else if (n >= 0 && n != 1) {
        py_diag(in, D_SET_AS, span, "'%s' is a view of %lld elements; one is %s here",
                name, (long long)n, store ? "written" : "read");
        return false;
    }
    return true;
}

static bool
scalar_place(Interp *in, View *v, bool store, bool first, Span span)
{
    if (v->dtype == DT_F64) {
        py_diag(in, D_DTYPE_UNSUPPORTED, span,
                "'%s' has dtype float64, which is one of data_copy; there are no "
                "Scalars of it",
                tik_sym(in, v->root->name));
        return false;
    }
    if (tik_view_is_halves(v)) {
        py_diag(in, D_SUBBYTE_LAYOUT, span,
                "'%s' has elements of 4 bits; set_as %s whole bytes",
                tik_sym(in, v->root->name), store ? "writes" : "reads");
        return false;
    }
    TRY(scalar_length(in, v, store, first, span));
    if (!scalar_memory(v->root->c, v->root->mem, store)) {
        py_diag(in, D_SET_AS, span, "'%s' is in %s; on %s set_as %s elements in UB%s",
                tik_sym(in, v->root->name), scope_name(v->root->mem),
                v->root->c->k->soc->name, store ? "writes" : "reads",
                scalar_memory(v->root->c, SC_GM, store) ? " and GM" : "");
        return false;
    }
    return true;
}

/* Records reg = element; the register has the element's dtype. fresh: the register was
 * made for this load. */
static bool
load_into(Interp *in, View *v, RegId reg, bool fresh, Span span)
{
    Tik *c = v->root->c;
    Ref ref;
    TRY(tik_ref(in, v, span, &ref));
    Stmt s = {.kind = ST_LOAD, .load = {reg, ref}};
    return fresh ? tik_emit_element(in, c, s, span) : tik_emit(in, c, s, span, NULL);
}

bool
tik_not_own(Interp *in, Value v, Span span)
{
    py_diag(in, D_ARG_TYPE, span, "the %s belongs to another container",
            val_type_name(v));
    return false;
}

/* Loads the element into a fresh register of its type. With first, a view of several
 * elements may be read, too. */
static bool
load_fresh(Interp *in, Tik *c, View *v, bool first, Span span, ExprId *out)
{
    TRY(tik_own(in, c, val_object(&v->base), span));
    if (v->poisoned) {
        in->fatal = true;
        return false;
    }
    Dtype t = v->dtype == DT_F64 ? DT_F32 : v->dtype; /* scalar_place refuses float64 */
    RegId r = tik_new_reg(in, c, intern(&in->u->names, "element"), t, span);
    *out = ir_reg_value(c->k, r);
    return tik_dropped(c) ||
           (scalar_place(in, v, false, first, span) && load_into(in, v, r, true, span));
}

bool
tik_load_element(Interp *in, Tik *c, View *v, Span span, ExprId *out)
{
    return load_fresh(in, c, v, false, span, out);
}

/* ---- set_as -------------------------------------------------------------- */

/* Converts an element of a tensor to a value of type t by its bits: they are extended to
 * 64 bits by the element's own type (signed integers with the sign, all others with
 * zeros), and the low bits of that are taken. A float type must have the width of the
 * other type. */
static bool
element_bits(Interp *in, Tik *c, Dtype t, ExprId *e, Span span)
{
    Dtype from = (Dtype)ir_expr(c->k, *e)->dtype;
    bool floats = dtype_is_float(t) || dtype_is_float(from);
    if (floats && dtype_size(t) != dtype_size(from)) {
        Diag *d = py_diag(in, D_SET_AS_DTYPE, span,
                          "a tensor element of dtype %s is given to one of dtype %s; "
                          "set_as takes its bits, "
                          "%d for %d",
                          dtype_name(from), dtype_name(t), 8 * dtype_size(from),
                          8 * dtype_size(t));
        diag_help(
            in->u, d,
            "read it into a Scalar of dtype %s first; set_as of that converts the value",
            dtype_name(from));
        return false;
    }
    if (floats) {
        *e = ir_bits(c->k, t, *e);
    } else if (t == DT_BOOL && from != DT_BOOL) {
        *e = ir_bits(c->k, t, ir_cast(c->k, DT_U8, *e));
    } else {
        *e = ir_cast(c->k, t, *e);
    }
    return true;
}

static bool
set_reg(Interp *in, Tik *c, RegId r, ExprId value, Span span)
{
    Stmt s = {.kind = ST_SET, .set = {r, ir_cast(c->k, c->k->regs.p[r].dtype, value)}};
    return tik_emit(in, c, s, span, NULL);
}

/* Reports that a Scalar which bounds an open loop is assigned, since that changes the
 * loop. */
static void
warn_bound(Interp *in, Tik *c, const ExprObj *o, Span span)
{
    for (TScope *s = o->reg ? c->top : NULL; s; s = s->parent) {
        if (s->kind == TS_LOOP &&
            (s->work->bounds[0] == o->reg || s->work->bounds[1] == o->reg)) {
            Diag *d = py_diag(in, D_LOOP_BOUND_SET, span,
                              "Scalar '%s' bounds the loop that this statement is in",
                              tik_sym(in, o->name));
            diag_note(in->u, d, s->span, "the loop");
            return;
        }
    }
}

const char *
tik_reg_name(Interp *in, const Tik *c, RegId r)
{
    return arena_printf(&in->u->arena, "Scalar '%s'", tik_sym(in, c->k->regs.p[r].name));
}

bool
tik_assign(Interp *in, ExprObj *o, Value v, Span span)
{
    Tik *c = o->c;
    ExprId e;
    if (o->array) {
        return tik_array_assign(in, o, v, span);
    }
    if (tik_is(v, &tik_tensor_class)) {
        View *view = (View *)v.obj;
        if (view->poisoned) {
            return true;
        }
        TRY(tik_own(in, c, v, span));
        if (view->dtype == c->k->regs.p[o->reg].dtype) {
            return scalar_place(in, view, false, true, span) &&
                   load_into(in, view, o->reg, false, span);
        }
        return load_fresh(in, c, view, true, span, &e) &&
               element_bits(in, c, c->k->regs.p[o->reg].dtype, &e, span) &&
               set_reg(in, c, o->reg, e, span);
    }
    if (tik_is_runtime(v)) {
        TRY(tik_read(in, c, v, span, &e));
    }
    if (tik_is_runtime(v) && !ir_is_const(c->k, e)) {
        return set_reg(in, c, o->reg, e, span);
    }
    Literal use = {tik_reg_name(in, c, o->reg), span, false};
    if (tik_is_runtime(v)) {
        tik_limit_constant(in, c, c->k->regs.p[o->reg].dtype, &use, &e);
        return set_reg(in, c, o->reg, e, span);
    }
    if (!tik_literal(in, c, v, c->k->regs.p[o->reg].dtype, &use, &e)) {
        py_diag(
            in, D_SET_AS, span,
            "Scalar '%s' is set to %s; set_as takes a number of 64 bits, a Scalar, an "
            "Expr or a tensor element",
            tik_sym(in, o->name), tik_a(in, v));
        return false;
    }
    return set_reg(in, c, o->reg, e, span);
}

bool
tik_target(Interp *in, Tik *c, Value v, const char *what, const char *method, Span span)
{
    if (!tik_is(v, &tik_scalar_class)) {
        py_diag(in, D_ARG_TYPE, span, "%s is %s; %s takes a Scalar there", what,
                tik_a(in, v), method);
        return false;
    }
    TRY(tik_own(in, c, v, span) && tik_alive(in, c, &tik_runtime(v)->e, span));
    warn_bound(in, c, tik_runtime(v), span);
    return true;
}

bool
tik_set(Interp *in, ExprObj *o, Value v, Span span)
{
    if (!tik_dropped(o->c) && tik_not_built(in, o->c, span) &&
        tik_alive(in, o->c, &o->e, span)) {
        warn_bound(in, o->c, o, span);
        (void)tik_assign(in, o, v, span);
    }
    return !in->fatal;
}

/* Checks the offsets of older forms of set_as, which only have their defaults. */
static bool
no_offset(Interp *in, Value v, Span span)
{
    int64_t i;
    if (val_failed(v) || v.kind == VAL_NONE || (val_as_int64(v, &i) && i == 0)) {
        return true;
    }
    Diag *d = py_diag(in, D_NOT_SUPPORTED, span, "offset arguments of set_as");
    diag_help(in->u, d, "index the tensor: t[i]");
    return false;
}

static Value
scalar_set_as(Interp *in, Value self, const CallArgs *args)
{
    ExprObj *o = tik_runtime(self);
    Value got[MOST_ARGS];
    if (!tik_bind(in, CALL_Scalar_set_as, args, got, NULL)) {
        return tik_none(in);
    }
    if (tik_dropped(o->c) ||
        !no_offset(in, got[P_Scalar_set_as_src_offset], args->span)) {
        return tik_none(in);
    }
    return tik_set(in, o, got[P_Scalar_set_as_value], args->span) ? val_none()
                                                                  : val_fail();
}

static Value
scalar_attr(Interp *in, Object *self, Sym name, Span span, bool *found)
{
    const char *text = tik_sym(in, name);
    *found = true;
    if (strcmp(text, "set_as") == 0) {
        return val_builtin(in, "set_as", scalar_set_as, val_object(self));
    }
    if (strcmp(text, "name") == 0) {
        return val_str(in, tik_sym(in, ((ExprObj *)self)->name));
    }
    return tik_expr_class.get_attr(in, self, name, span, found);
}

static Value
scalar_call(Interp *in, Object *self, Sym name, const CallArgs *args, Span span,
            bool *found)
{
    (void)span;
    *found = name == tik_state(in)->sym_set_as;
    return *found ? scalar_set_as(in, val_object(self), args) : val_none();
}

static bool
scalar_forgets(Interp *in, Object *self, Sym name)
{
    (void)self;
    return name == tik_state(in)->sym_set_as;
}

static const char *
scalar_name(int index)
{
    static const char *const names[] = {"set_as", "name", "dtype", "astype",
                                        "reinterpret_cast_to"};
    return index < (int)ARRAY_LEN(names) ? names[index] : NULL;
}

static void
scalar_repr(Interp *in, Object *self, Text *out)
{
    ExprObj *o = (ExprObj *)self;
    text_printf(out, "<Scalar %s %s>", tik_sym(in, o->name),
                dtype_name(o->c->k->regs.p[o->reg].dtype));
}

/* Python binds the name anew, and the kernel's Scalar keeps its value: most authors mean
 * set_as. */
static void
scalar_rebound(Interp *in, Object *self, Sym name, Value number, Span span)
{
    const ExprObj *o = (ExprObj *)self;
    if (o->c->built || !o->e || !tik_in_scope(in, o->c, o->e)) {
        return;
    }
    const char *text = sym_text(&in->u->names, name);
    Diag *d =
        py_diag(in, D_SCALAR_REBOUND, span,
                "'%s' has held the Scalar '%s' and becomes the number %s; the Scalar "
                "keeps its value",
                text, tik_sym(in, o->name), val_repr(in, number));
    diag_help(in->u, d,
              "%s.set_as(%s) sets the Scalar; a number of its own has another "
              "name",
              text, val_repr(in, number));
}

const ObjectClass tik_scalar_class = {
    .name = "Scalar",
    .get_attr = scalar_attr,
    .call_method = scalar_call,
    .forgets = scalar_forgets,
    .attr_name = scalar_name,
    .binary = tik_binary,
    .unary = tik_unary,
    .truth = tik_truth,
    .repr = scalar_repr,
    .rebound = scalar_rebound,
};

bool
tik_scalar_dtype(Interp *in, Value v, Span span, Dtype *out)
{
    const char *text = "int64";
    if (!val_failed(v) && !tik_text(in, v, "dtype", span, &text)) {
        return false;
    }
    *out = dtype_find(text);
    if (*out == DT_NONE || *out == DT_BOOL) {
        tik_no_dtype(in, span, text, " of Scalars");
        return false;
    }
    return true;
}

bool
tik_scalar_name(Interp *in, Value v, Span span, const char *dflt, Sym *out)
{
    const char *text = dflt;
    if (!val_failed(v) && !tik_text(in, v, "name", span, &text)) {
        return false;
    }
    *out = intern(&in->u->names, text);
    return true;
}

/* Makes a Scalar of the open scope, or one that lives as long as the kernel. */
static Value
new_scalar(Interp *in, Tik *c, const CallArgs *args, const char *callee, TScope *scope)
{
    Value got[MOST_ARGS];
    Span spans[MOST_ARGS];
    Dtype t;
    Sym name;
    if (!tik_bind_like(in, callee, CALL_Scalar, args, got, spans) ||
        !tik_scalar_dtype(in, got[P_Scalar_dtype], spans[P_Scalar_dtype], &t) ||
        !tik_scalar_name(in, got[P_Scalar_name], spans[P_Scalar_name], "reg_buf",
                         &name) ||
        !tik_not_built(in, c, args->span)) {
        return val_fail();
    }
    Value s = tik_scalar(in, c, name, t, args->span);
    c->reg_scope.p[tik_runtime(s)->reg] = scope;
    if (got[P_Scalar_init_value].kind != VAL_NONE && !tik_dropped(c)) {
        (void)tik_assign(in, tik_runtime(s), got[P_Scalar_init_value],
                         spans[P_Scalar_init_value]);
    }
    return in->fatal ? val_fail() : s;
}

Value
tik_scalar_new(Interp *in, Tik *c, const CallArgs *args)
{
    return new_scalar(in, c, args, "Scalar", c->top);
}

Value
tik_global_scalar(Interp *in, Tik *c, const CallArgs *args)
{
    return new_scalar(in, c, args, "global_scalar", &c->top_level);
}

static const char *
element_name(Interp *in, const View *v)
{
    return arena_printf(&in->u->arena, "an element of '%s'", tik_sym(in, v->root->name));
}

/* Converts what is stored to the view's dtype: by value for a number, Scalar or Expr, by
 * bits for a tensor element. */
static bool
store_value(Interp *in, View *dst, Value v, Span span, ExprId *out)
{
    Tik *c = dst->root->c;
    if (tik_is(v, &tik_tensor_class)) {
        return load_fresh(in, c, (View *)v.obj, true, span, out) &&
               element_bits(in, c, dst->dtype, out, span);
    }
    Literal use = {element_name(in, dst), span, false};
    if (tik_is_runtime(v)) {
        TRY(tik_read(in, c, v, span, out));
        tik_limit_constant(in, c, dst->dtype, &use, out);
    } else if (!tik_literal(in, c, v, dst->dtype, &use, out)) {
        py_diag(in, D_SET_AS, span,
                "an element of '%s' is set to %s; set_as takes a number of 64 bits, a "
                "Scalar, an Expr or a tensor element",
                tik_sym(in, dst->root->name), tik_a(in, v));
        return false;
    }
    *out = ir_cast(c->k, dst->dtype, *out);
    return true;
}

Value
tik_tensor_set_as(Interp *in, View *dst, Value v, Span span)
{
    Tik *c = dst->root->c;
    Ref ref;
    ExprId value;
    if (tik_dropped(c) || dst->poisoned) {
        return val_none();
    }
    if (tik_not_built(in, c, span) && scalar_place(in, dst, true, true, span) &&
        store_value(in, dst, v, span, &value) && tik_ref(in, dst, span, &ref)) {
        Stmt s = {.kind = ST_STORE, .store = {ref, value}};
        (void)tik_emit(in, c, s, span, NULL);
    }
    return tik_none(in);
}
