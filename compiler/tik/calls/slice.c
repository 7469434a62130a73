/* slice.c: the arguments of the methods on slices of tensors (vector chapter 13). Shapes
 * and recording are in tik/calls/slice_shape.c. */
#include "tik/calls/slice_shape.h"
#include "tik/calls/convert.h"
#include "tik/calls/sync.h"
#include "tik/expr.h"
#include "tik/methods.h"
#include "tik/scalar.h"

#include <string.h>

enum {
    ROOM = 3, /* dimensions of an elementwise form */
    OUTER = 2,
    AXES = 4 /* dimensions of the results and reduced ones in a reduction */
};

static bool
is_tensor(Value v)
{
    return tik_is(v, &tik_tensor_class);
}

static bool
wrong_kind(SliceCall *x, const char *what, Value v, Span span, const char *takes)
{
    py_diag(x->in, D_ARG_TYPE, span, "%s is %s; %s takes %s there", what, tik_a(x->in, v),
            op_method(x->op), takes);
    return false;
}

/* Adds an operand of the form. */
static void
put_operand(SliceCall *x, Value v, Span span)
{
    x->head[x->nhead] = v;
    x->head_span[x->nhead++] = span;
}

static bool
put_slice(SliceCall *x, const char *what, Value v, Span span)
{
    if (!is_tensor(v)) {
        return wrong_kind(x, what, v, span, "a tensor");
    }
    View *view = (View *)v.obj;
    TRY(tik_own(x->in, x->c, v, span) && !view->poisoned);
    x->name[x->n] = what;
    x->span[x->n] = span;
    x->at[x->n] = x->nhead;
    x->v[x->n++] = view;
    put_operand(x, v, span);
    return true;
}

/* Begins every call: binds its arguments. False: nothing is recorded. */
static bool
begin(SliceCall *x, Call call, Value *got, Span *span)
{
    const char *name = op_method(x->op);
    if (tik_dropped(x->c) || !tik_bind_like(x->in, name, call, x->args, got, span) ||
        !tik_not_built(x->in, x->c, x->args->span) ||
        !tik_composite_place(x->in, x->c, name, x->args->span)) {
        return false;
    }
    (void)tik_slice_room(x->in, x->c, DT_U8);
    return true;
}

static SliceCall
elementwise(Interp *in, Tik *c, const CallArgs *args, Op op)
{
    return (SliceCall){.in = in,
                       .c = c,
                       .args = args,
                       .op = op,
                       .inner = ROOM,
                       .same_form = op_table[op].form != FORM_HDUP};
}

static void
finish(SliceCall *x)
{
    if (tik_slice_shapes(x)) {
        (void)tik_slice_record(x);
    }
}

/* Adds two sources of which one may be a number: then the operands are the slice, the
 * number and its side. after is a slice that follows the sources, a failed value if there
 * is none. */
static bool
put_sources(SliceCall *x, Op scalar, const Value *got, const Span *span, Value after,
            Span after_span)
{
    static const char *const names[] = {"src0", "src1"};
    int side = is_tensor(got[0]) ? 1 : 0;
    bool two = is_tensor(got[0]) && is_tensor(got[1]);
    if (!two && !is_tensor(got[1 - side])) {
        return wrong_kind(x, names[1], got[1], span[1], "a tensor on one side at least");
    }
    x->op = two ? x->op : scalar;
    for (int i = 0; i < 2; i++) {
        TRY((!two && i == side) || put_slice(x, names[i], got[i], span[i]));
    }
    TRY(val_failed(after) || put_slice(x, "mask_tensor", after, after_span));
    if (!two) {
        put_operand(x, got[side], span[side]);
        put_operand(x, val_int(side), x->args->span);
    }
    return true;
}

static Value
call_binary(Interp *in, Tik *c, const CallArgs *args, Op op, Op scalar)
{
    SliceCall x = elementwise(in, c, args, op);
    Value got[3];
    Span span[3];
    if (begin(&x, CALL_h_add, got, span) && put_slice(&x, "dst", got[0], span[0]) &&
        put_sources(&x, scalar, got + 1, span + 1, val_fail(), span[0])) {
        finish(&x);
    }
    return tik_none(in);
}

static Value
call_unary(Interp *in, Tik *c, const CallArgs *args, Op op)
{
    SliceCall x = elementwise(in, c, args, op);
    Value got[2];
    Span span[2];
    if (begin(&x, CALL_h_abs, got, span) && put_slice(&x, "dst", got[0], span[0]) &&
        put_slice(&x, "src", got[1], span[1])) {
        finish(&x);
    }
    return tik_none(in);
}

Value
tik_h_duplicate(Interp *in, Tik *c, const CallArgs *args)
{
    SliceCall x = elementwise(in, c, args, OP_H_DUPLICATE);
    Value got[MOST_ARGS];
    Span span[MOST_ARGS];
    if (begin(&x, CALL_h_duplicate, got, span) &&
        put_slice(&x, "dst", got[P_h_duplicate_dst], span[P_h_duplicate_dst])) {
        put_operand(&x, got[P_h_duplicate_src], span[P_h_duplicate_src]);
        finish(&x);
    }
    return tik_none(in);
}

/* ---- conversions --------------------------------------------------------- */

Value
tik_h_cast(Interp *in, Tik *c, const CallArgs *args)
{
    SliceCall x = elementwise(in, c, args, OP_H_CAST);
    Value got[MOST_ARGS];
    Span span[MOST_ARGS];
    if (begin(&x, CALL_h_cast, got, span) &&
        put_slice(&x, "dst", got[P_h_cast_dst], span[P_h_cast_dst]) &&
        put_slice(&x, "src", got[P_h_cast_src], span[P_h_cast_src])) {
        put_operand(&x, got[P_h_cast_round_mode], span[P_h_cast_round_mode]);
        finish(&x);
    }
    return tik_none(in);
}

/* Adds the scale of a quantisation: results of 8 bits have a pack, the others a
 * float16. */
static bool
put_factor(SliceCall *x, Value factor, Span span)
{
    Dtype dst = x->v[0]->dtype;
    if ((dst == DT_S8 || dst == DT_U8) && is_tensor(factor)) {
        x->op = OP_H_QUANT_PACKS;
        x->counts = true;
        TRY(tik_own(x->in, x->c, factor, span));
    } else if (dst == DT_S8 || dst == DT_U8) {
        x->op = OP_H_QUANT_PACK;
        TRY(tik_deq_pack(x->in, &factor, span, dst,
                         "[scale, offset], a pack of 64 bits or a uint64 tensor"));
    } else {
        TRY(tik_deq_scale(x->in, factor, span));
    }
    put_operand(x, factor, span);
    return true;
}

Value
tik_h_quant(Interp *in, Tik *c, const CallArgs *args)
{
    SliceCall x = elementwise(in, c, args, OP_H_QUANT);
    Value got[MOST_ARGS];
    Span span[MOST_ARGS];
    if (begin(&x, CALL_h_quant, got, span) &&
        put_slice(&x, "dst", got[P_h_quant_dst], span[P_h_quant_dst]) &&
        put_slice(&x, "src", got[P_h_quant_src], span[P_h_quant_src]) &&
        put_factor(&x, got[P_h_quant_deqscale], span[P_h_quant_deqscale])) {
        finish(&x);
    }
    return tik_none(in);
}

/* ---- comparison and selection -------------------------------------------- */

static const char *const modes[] = {"LT", "LE", "GT", "GE", "EQ", "NE"};

static bool
read_mode(SliceCall *x, Value v, Span span, Value *out)
{
    const char *text;
    TRY(tik_text(x->in, v, "cmp_mode", span, &text));
    for (int i = 0; i < (int)ARRAY_LEN(modes); i++) {
        if (strcmp(text, modes[i]) == 0) {
            *out = val_int(i);
            return true;
        }
    }
    py_diag(x->in, D_ARG_TYPE, span,
            "cmp_mode is '%s'; it is 'LT', 'LE', 'GT', 'GE', 'EQ' or 'NE'", text);
    return false;
}

Value
tik_h_cmpv(Interp *in, Tik *c, const CallArgs *args)
{
    SliceCall x = elementwise(in, c, args, OP_H_CMPV);
    Value got[MOST_ARGS], mode;
    Span span[MOST_ARGS];
    if (begin(&x, CALL_h_cmpv, got, span) &&
        read_mode(&x, got[P_h_cmpv_cmp_mode], span[P_h_cmpv_cmp_mode], &mode) &&
        put_slice(&x, "mask_tensor", got[P_h_cmpv_mask_tensor],
                  span[P_h_cmpv_mask_tensor]) &&
        put_sources(&x, OP_H_CMPV_SCALAR, got + 1, span + 1, val_fail(),
                    span[P_h_cmpv_mask_tensor])) {
        put_operand(&x, mode, span[P_h_cmpv_cmp_mode]);
        finish(&x);
    }
    return tik_none(in);
}

Value
tik_h_sel(Interp *in, Tik *c, const CallArgs *args)
{
    SliceCall x = elementwise(in, c, args, OP_H_SEL);
    Value got[MOST_ARGS];
    Span span[MOST_ARGS];
    if (begin(&x, CALL_h_sel, got, span) &&
        put_slice(&x, "dst", got[P_h_sel_dst], span[P_h_sel_dst]) &&
        put_sources(&x, OP_H_SEL_SCALAR, got + 1, span + 1, got[P_h_sel_mask_tensor],
                    span[P_h_sel_mask_tensor])) {
        finish(&x);
    }
    return tik_none(in);
}

/* ---- reductions ---------------------------------------------------------- */

static bool
one_axis(SliceCall *x, Value v, Span span, bool *reduced)
{
    int64_t i;
    int rank = x->v[1]->ndim;
    bool known = v.kind == VAL_INT && val_as_int64(v, &i);
    if (!known || i < -rank || i >= rank) {
        py_diag(x->in, D_AXIS, span,
                "an axis is %s; src has %d dimension%s, which are %d to %d",
                val_repr(x->in, v), rank, rank == 1 ? "" : "s", -rank, rank - 1);
        return false;
    }
    i += i < 0 ? rank : 0;
    if (reduced[i]) {
        py_diag(x->in, D_AXIS, span, "axis %lld is given twice", (long long)i);
        return false;
    }
    reduced[i] = true;
    return true;
}

/* Reads the axes of a reduction; None means all. */
static bool
read_axes(SliceCall *x, Value v, Span span, bool *reduced)
{
    if (v.kind == VAL_NONE) {
        for (int i = 0; i < x->v[1]->ndim; i++) {
            reduced[i] = true;
        }
        return true;
    }
    if (v.kind != VAL_TUPLE && v.kind != VAL_LIST) {
        return one_axis(x, v, span, reduced);
    }
    for (uint32_t i = 0; i < v.list->n; i++) {
        TRY(one_axis(x, v.list->p[i], span, reduced));
    }
    if (v.list->n == 0) {
        py_diag(x->in, D_AXIS, span, "axis is empty");
    }
    return v.list->n > 0;
}

static bool
all_reduced(const SliceCall *x, const bool *reduced)
{
    for (int i = 0; i < x->v[1]->ndim; i++) {
        if (!reduced[i]) {
            return false;
        }
    }
    return true;
}

static Dtype
result_dtype(const SliceCall *x, const View *src)
{
    return op_table[x->op].form == FORM_HINDEX ? DT_S32 : src->dtype;
}

/* Checks a Scalar that gets the result when src is reduced to one number. */
static bool
scalar_fits(SliceCall *x, Value dst, Span span, const bool *reduced)
{
    const char *name = op_method(x->op);
    Dtype t = ir_expr(x->c->k, tik_runtime(dst)->e)->dtype;
    Dtype want = result_dtype(x, x->v[1]);
    TRY(tik_target(x->in, x->c, dst, "dst", name, span));
    if (t != want) {
        py_diag(x->in, D_SCALAR_DTYPE, span, "dst is a Scalar of dtype %s; %s gives %s",
                dtype_name(t), name, dtype_name(want));
        return false;
    }
    if (!all_reduced(x, reduced)) {
        py_diag(x->in, D_SHAPE_MISMATCH, span, "dst is a Scalar; %s leaves axes of src",
                name);
        return false;
    }
    return true;
}

static bool
record_to_scalar(SliceCall *x, Value dst, Span span)
{
    ExprId value;
    return tik_slice_record(x) && tik_load_element(x->in, x->c, x->v[0], span, &value) &&
           tik_assign(x->in, tik_runtime(dst), tik_expr(x->in, x->c, value), span);
}

static void
reduce(SliceCall *x, const Value *got, const Span *span)
{
    bool reduced[SLICE_RANK] = {false};
    bool scalar = tik_is(got[0], &tik_scalar_class);
    Value dst = got[0];
    if (scalar && is_tensor(got[1])) {
        View *room = tik_slice_room(x->in, x->c, result_dtype(x, (View *)got[1].obj));
        dst = val_object(&room->base);
    }
    if (!put_slice(x, "dst", dst, span[0]) || !put_slice(x, "src", got[1], span[1]) ||
        !read_axes(x, got[2], span[2], reduced) ||
        (scalar && !scalar_fits(x, got[0], span[0], reduced)) ||
        !tik_slice_axes(x, reduced, scalar)) {
        return;
    }
    if (scalar) {
        (void)record_to_scalar(x, got[0], span[0]);
    } else {
        (void)tik_slice_record(x);
    }
}

static Value
call_reduce(Interp *in, Tik *c, const CallArgs *args, Op op)
{
    SliceCall x = {.in = in,
                   .c = c,
                   .args = args,
                   .op = op,
                   .inner = OUTER,
                   .inner_axes = AXES,
                   .same_form = true};
    Value got[3];
    Span span[3];
    if (begin(&x, CALL_h_reduce_argmax, got, span)) {
        reduce(&x, got, span);
    }
    return tik_none(in);
}

/* ---- the table ----------------------------------------------------------- */

#define BINARY(name, op, scalar)                                                         \
    Value tik_##name(Interp *in, Tik *c, const CallArgs *args)                           \
    {                                                                                    \
        return call_binary(in, c, args, OP_##op, OP_##scalar);                           \
    }
#define UNARY(name, op)                                                                  \
    Value tik_##name(Interp *in, Tik *c, const CallArgs *args)                           \
    {                                                                                    \
        return call_unary(in, c, args, OP_##op);                                         \
    }
#define REDUCE(name, op)                                                                 \
    Value tik_##name(Interp *in, Tik *c, const CallArgs *args)                           \
    {                                                                                    \
        return call_reduce(in, c, args, OP_##op);                                        \
    }
#include "tik/calls/slice.def"
