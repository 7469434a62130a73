/* lmem_view.c: views of tensors in LMEM, broadcast views, and slices of linear tensors
 * with elements of 4 bits where they differ from other slices. Owns: cross-lane of views,
 * subbyte-layout of views and slices, lmem-rank and dma-dim-range of reshape. */
#include "tik/lmem.h"
#include "tik/expr.h"
#include "tik/tensor.h"

#include <string.h>

static const char axis_names[] = "nchw";

static const LmemTarget *
target_of(const Root *r)
{
    return r->c->k->soc->lmem;
}

static const char *
name_of(Interp *in, const Root *r)
{
    return tik_sym(in, r->name);
}

/* ---- views --------------------------------------------------------------- */

View *
tik_lanes_of(Interp *in, const View *v, const Lanes *l)
{
    Tik *c = v->root->c;
    View *w = tik_view(in, v->root, LMEM_AXES);
    w->dtype = v->dtype;
    w->lanes = l;
    for (int i = 0; i < LMEM_AXES; i++) {
        w->dim[i].len = tik_i64(c, l->x.shape[i]);
        w->dim[i].stride = tik_i64(c, l->x.stride[i]);
    }
    w->flat_len = tik_product(c, w->dim, LMEM_AXES);
    w->off = tik_i64(c, l->x.base);
    return w;
}

static Value
refused(Interp *in, const View *v)
{
    View *w = tik_lanes_of(in, v, v->lanes);
    w->poisoned = true;
    return val_object(&w->base);
}

/* Checks that a tensor is in LMEM, for the methods that only such tensors have. */
static bool
in_lanes(Interp *in, const View *v, const char *method, Span span)
{
    if (v->lanes) {
        return true;
    }
    py_diag(in, D_LAYOUT_MISMATCH, span, "%s of '%s', which is in %s and not in LMEM",
            method, name_of(in, v->root), scope_name(v->root->mem));
    return false;
}

/* Reads the part of an axis that an argument n=(a, b) gives. */
static bool
read_part(Interp *in, const View *v, Value part, int axis, Span span, int64_t *lo,
          int64_t *hi)
{
    int64_t n = v->lanes->x.shape[axis];
    bool pair = part.kind == VAL_TUPLE || part.kind == VAL_LIST;
    *lo = 0;
    *hi = n;
    if (part.kind == VAL_NONE) {
        return true;
    }
    if (!pair || part.list->n != 2 || !val_as_int64(part.list->p[0], lo) ||
        !val_as_int64(part.list->p[1], hi)) {
        py_diag(in, D_ARG_TYPE, span, "%c is %s; view takes (first, end) of ints there",
                axis_names[axis], val_repr(in, part));
        return false;
    }
    if (*lo < 0 || *hi > n || *lo >= *hi) {
        py_diag(in, D_TENSOR_INDEX, span,
                "axis %c is viewed from %lld to %lld; '%s' has elements 0 to %lld "
                "there",
                axis_names[axis], (long long)*lo, (long long)*hi, name_of(in, v->root),
                (long long)n - 1);
        return false;
    }
    return true;
}

/* Keeps the name of the layout if the view has the strides and the base that the layout
 * requires; else the layout is free. */
static void
name_layout(const View *v, Lanes *l)
{
    LmemTensor x = l->x;
    x.base += v->root->fixed ? v->root->fixed_at : 0;
    bool same = l->layout == LMEM_CELLS || /* its strides have a meaning of their own */
                lmem_has_layout(target_of(v->root), l->layout, &x);
    l->layout = same ? l->layout : LMEM_FREE;
}

/* Converts the bounds of axis n to cells: a tensor of cells is viewed by whole cells. */
static bool
count_cells(Interp *in, const View *v, int64_t *lo, int64_t *hi, Span span)
{
    int64_t items = lmem_cell_items(v->lanes->x.bits);
    if (v->lanes->layout != LMEM_CELLS) {
        return true;
    }
    if (*lo % items != 0) {
        py_diag(in, D_LAYOUT_MISMATCH, span,
                "a view of '%s' begins with batch item %lld, inside of a cell of %lld",
                name_of(in, v->root), (long long)*lo, (long long)items);
        return false;
    }
    *hi = *lo / items + (*hi - *lo);
    *lo /= items;
    return true;
}

Value
tik_lanes_view(Interp *in, View *v, const CallArgs *args)
{
    Value got[LMEM_AXES];
    Span span[LMEM_AXES];
    int64_t lo[LMEM_AXES], hi[LMEM_AXES];
    if (!tik_bind(in, CALL_view, args, got, span)) {
        return val_fail();
    }
    if (v->poisoned || !in_lanes(in, v, "view", args->span)) {
        return val_object(&v->base);
    }
    for (int i = 0; i < LMEM_AXES; i++) {
        if (!read_part(in, v, got[i], i, span[i], &lo[i], &hi[i])) {
            return refused(in, v);
        }
    }
    if (!count_cells(in, v, &lo[LMEM_N], &hi[LMEM_N], args->span)) {
        return refused(in, v);
    }
    Lanes *l = ARENA_NEW(&in->u->arena, Lanes);
    *l = *v->lanes;
    int64_t off = lmem_offset(target_of(v->root), &l->x, lo);
    if (off * l->x.bits % 8 != 0) {
        py_diag(in, D_SUBBYTE_LAYOUT, args->span,
                "a view of '%s' begins with element %lld of a lane, in the middle of a "
                "byte",
                name_of(in, v->root), (long long)off);
        return refused(in, v);
    }
    l->x = lmem_view(target_of(v->root), &l->x, lo, hi);
    name_layout(v, l);
    return val_object(&tik_lanes_of(in, v, l)->base);
}

/* Makes an axis whose one element stands for all. */
static bool
spread_axis(Interp *in, const View *v, Lanes *l, char axis, Span span)
{
    const char *at = axis ? strchr(axis_names, axis) : NULL;
    int i = at ? (int)(at - axis_names) : -1;
    if (i < 0) {
        py_diag(in, D_ARG_TYPE, span, "'%c' is no axis; bcast takes letters of 'nhw'",
                axis);
        return false;
    }
    if (i == LMEM_C) {
        py_diag(in, D_CROSS_LANE, span,
                "a broadcast of '%s' along axis c, whose elements are in different "
                "lanes",
                name_of(in, v->root));
        return false;
    }
    if (l->x.shape[i] != 1) {
        py_diag(in, D_SHAPE_MISMATCH, span,
                "axis %c of '%s' has %lld elements; bcast repeats an axis of one", axis,
                name_of(in, v->root), (long long)l->x.shape[i]);
        return false;
    }
    l->x.stride[i] = 0;
    l->spread[i] = true;
    return true;
}

Value
tik_lanes_bcast(Interp *in, View *v, const CallArgs *args)
{
    Value got;
    const char *text;
    if (!tik_bind(in, CALL_bcast, args, &got, NULL)) {
        return val_fail();
    }
    if (v->poisoned || !in_lanes(in, v, "bcast", args->span)) {
        return val_object(&v->base);
    }
    if (!tik_text(in, got, "axes", args->span, &text)) {
        return refused(in, v);
    }
    Lanes *l = ARENA_NEW(&in->u->arena, Lanes);
    *l = *v->lanes;
    if (l->layout == LMEM_CELLS) {
        py_diag(in, D_LAYOUT_MISMATCH, args->span,
                "'%s' has the layout 'cells', which is for moves", name_of(in, v->root));
        return refused(in, v);
    }
    l->layout = LMEM_FREE;
    for (const char *p = text; *p; p++) {
        if (!spread_axis(in, v, l, *p, args->span)) {
            return refused(in, v);
        }
    }
    return val_object(&tik_lanes_of(in, v, l)->base);
}

Value
tik_lanes_reshape(Interp *in, View *v, const Dim *dim, int ndim, Span span)
{
    int64_t shape[LMEM_AXES];
    const LmemTensor *x = &v->lanes->x;
    if (!tik_lanes_shape(in, v->root, dim, ndim, span, shape)) {
        return refused(in, v);
    }
    if (shape[LMEM_N] != x->shape[LMEM_N] || shape[LMEM_C] != x->shape[LMEM_C]) {
        py_diag(in, D_CROSS_LANE, span,
                "'%s' is reshaped to %lld channels in %lld images; channels stay in "
                "their lanes, %lld in %lld",
                name_of(in, v->root), (long long)shape[LMEM_C], (long long)shape[LMEM_N],
                (long long)x->shape[LMEM_C], (long long)x->shape[LMEM_N]);
        return refused(in, v);
    }
    bool rows = x->stride[LMEM_W] == 1 && x->stride[LMEM_H] == x->shape[LMEM_W];
    if (!rows || shape[LMEM_H] * shape[LMEM_W] != x->shape[LMEM_H] * x->shape[LMEM_W]) {
        py_diag(in, rows ? D_RESHAPE : D_LAYOUT_MISMATCH, span,
                "'%s' has %lld x %lld elements per channel%s and is reshaped to %lld x "
                "%lld",
                name_of(in, v->root), (long long)x->shape[LMEM_H],
                (long long)x->shape[LMEM_W],
                rows ? "" : ", whose rows do not follow each other,",
                (long long)shape[LMEM_H], (long long)shape[LMEM_W]);
        return refused(in, v);
    }
    Lanes *l = ARENA_NEW(&in->u->arena, Lanes);
    *l = *v->lanes;
    memcpy(l->x.shape, shape, sizeof shape);
    l->x.stride[LMEM_H] = shape[LMEM_W];
    return val_object(&tik_lanes_of(in, v, l)->base);
}

/* ---- linear tensors of elements of 4 bits -------------------------------- */

/* Constant offsets are summed in halves, apart from off; run-time ones must step by
 * whole bytes. */
bool
tik_halves_advance(Interp *in, View *v, ExprId e, ExprId stride, Span span)
{
    Kernel *k = v->root->c->k;
    int64_t at, step;
    bool fixed = tik_const_of(v->root->c, e, &at);
    if (tik_const_of(v->root->c, stride, &step) && (fixed || step % 2 == 0)) {
        ExprId bytes = tik_i64(v->root->c, step / 2);
        v->halves += fixed ? at * step : 0; /* no overflow: it is inside of the tensor */
        v->off =
            fixed ? v->off : ir_op2(k, SOP_ADD, v->off, ir_op2(k, SOP_MUL, e, bytes));
        return true;
    }
    py_diag(in, D_SUBBYTE_LAYOUT, span,
            "a slice of '%s', of 4-bit elements, begins where only the run knows, and "
            "steps along the axis do not end with a byte",
            tik_sym(in, v->root->name));
    return false;
}

bool
tik_halves_end(Interp *in, View *v, Span span)
{
    if (v->halves == 0) {
        return true;
    }
    if (v->halves % 2 != 0) {
        py_diag(in, D_SUBBYTE_LAYOUT, span,
                "a slice of '%s' begins with element %lld, in the middle of a byte",
                tik_sym(in, v->root->name), (long long)v->halves);
        return false;
    }
    ExprId bytes = tik_i64(v->root->c, v->halves / 2);
    v->off = ir_op2(v->root->c->k, SOP_ADD, v->off, bytes);
    v->halves = 0;
    return true;
}
