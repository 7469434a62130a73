/* lmem.c: creation of tensors in LMEM and the options for it.
 *
 * A tensor occupies the same part of each LMEM lane from its base on, as large as the
 * lane with most elements needs; its start lane and strides say where its elements are.
 * All of this is constant. Owns: lmem-rank, subbyte-layout, item-misaligned,
 * eu-misaligned, lmem-overflow of single tensors, cross-lane, cross-bank, lane-idle; of
 * declarations dma-dim-range, lane-range and stride-range. */
#include "tik/lmem.h"
#include "tik/expr.h"

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

/* ---- options of a declaration -------------------------------------------- */

bool
tik_lanes_unused(Interp *in, const Root *r, const LanesArgs *a)
{
    const Value got[] = {a->layout, a->lane, a->stride, a->addr};
    const Span span[] = {a->layout_span, a->lane_span, a->stride_span, a->addr_span};
    static const char *const names[] = {"layout", "lane", "stride", "addr"};
    for (size_t i = 0; i < ARRAY_LEN(got); i++) {
        if (got[i].kind != VAL_NONE) {
            py_diag(in, D_LAYOUT_MISMATCH, span[i],
                    "%s is given for '%s', which is in %s and not in LMEM", names[i],
                    name_of(in, r), scope_name(r->mem));
            return false;
        }
    }
    return true;
}

bool
tik_lanes_shape(Interp *in, const Root *r, const Dim *dim, int ndim, Span span,
                int64_t shape[LMEM_AXES])
{
    int64_t most = target_of(r)->dim_max;
    if (ndim != LMEM_AXES) {
        py_diag(in, D_LMEM_RANK, span, "'%s' has %d axes; a tensor in LMEM has 4",
                name_of(in, r), ndim);
        return false;
    }
    for (int i = 0; i < LMEM_AXES; i++) {
        if (!tik_const_of(r->c, dim[i].len, &shape[i])) {
            py_diag(in, D_LMEM_RANK, span,
                    "the extent of axis %c of '%s' is known only at run time",
                    axis_names[i], name_of(in, r));
            return false;
        }
        if (shape[i] > most) {
            py_diag(in, D_DMA_DIM, span,
                    "axis %c of '%s' has %lld elements; %s takes 1 to %lld",
                    axis_names[i], name_of(in, r), (long long)shape[i],
                    r->c->k->soc->name, (long long)most);
            return false;
        }
    }
    return true;
}

static bool
read_layout(Interp *in, const Root *r, const LanesArgs *a, LmemLayout *out)
{
    const char *text;
    *out = LMEM_ALIGNED;
    if (a->layout.kind == VAL_NONE) {
        return true;
    }
    TRY(tik_text(in, a->layout, "layout", a->layout_span, &text));
    bool cells = target_of(r)->unit == UNIT_CELL32;
    if (!lmem_layout_find(text, out) || (*out == LMEM_CELLS && !cells)) {
        py_diag(in, D_LAYOUT_MISMATCH, a->layout_span,
                "the layout of '%s' is '%s'; on %s it is 'aligned', 'compact', "
                "'row_aligned'%s or 'free'",
                name_of(in, r), text, r->c->k->soc->name, cells ? ", 'cells'" : "");
        return false;
    }
    return true;
}

/* Reads an option that is a number; the result is dflt when it is not given. */
static bool
read_number(Interp *in, Value v, const char *what, Span span, int64_t dflt, int64_t *out)
{
    *out = dflt;
    if (v.kind == VAL_NONE) {
        return true;
    }
    if (v.kind == VAL_FLOAT || v.kind == VAL_BOOL || !val_as_int64(v, out)) {
        py_diag(in, D_ARG_TYPE, span, "%s is %s; it is an int", what, tik_a(in, v));
        return false;
    }
    return true;
}

static bool
read_lane(Interp *in, const Root *r, const LanesArgs *a, int *out)
{
    int64_t lane;
    const LmemTarget *t = target_of(r);
    TRY(read_number(in, a->lane, "lane", a->lane_span, 0, &lane));
    if (lane < 0 || lane >= t->npu) {
        py_diag(in, D_LANE_RANGE, a->lane_span,
                "'%s' starts in lane %lld; %s has lanes 0 to %d", name_of(in, r),
                (long long)lane, r->c->k->soc->name, t->npu - 1);
        return false;
    }
    *out = (int)lane;
    return true;
}

static bool
one_stride(Interp *in, const Root *r, Value v, int axis, Span span, int64_t *out)
{
    if (v.kind == VAL_FLOAT || v.kind == VAL_BOOL || !val_as_int64(v, out)) {
        py_diag(in, D_ARG_TYPE, span, "the stride of axis %c is %s; it is an int",
                axis_names[axis], tik_a(in, v));
        return false;
    }
    if (*out < 0 || *out > LMEM_MAX_STRIDE) {
        py_diag(in, D_STRIDE_RANGE, span,
                "the stride of axis %c of '%s' is %lld; 0 to %d elements are possible",
                axis_names[axis], name_of(in, r), (long long)*out, LMEM_MAX_STRIDE);
        return false;
    }
    return true;
}

/* Reads the strides, which are given with the free layout and with no other. */
static bool
read_strides(Interp *in, const Root *r, const LanesArgs *a, Lanes *l)
{
    bool given = a->stride.kind != VAL_NONE,
         list = a->stride.kind == VAL_LIST || a->stride.kind == VAL_TUPLE;
    Span span = given ? a->stride_span : a->layout_span;
    if (given != (l->layout == LMEM_FREE) ||
        (given && (!list || a->stride.list->n != LMEM_AXES))) {
        py_diag(in, D_LAYOUT_MISMATCH, span,
                "'%s' has the layout '%s' and %s; the free layout, and no other, takes "
                "stride=(n, c, h, w)",
                name_of(in, r), lmem_layout_name(l->layout),
                !given ? "no strides"
                : list ? arena_printf(&in->u->arena, "%u strides", a->stride.list->n)
                       : "strides");
        return false;
    }
    for (int i = 0; given && i < LMEM_AXES; i++) {
        TRY(one_stride(in, r, a->stride.list->p[i], i, span, &l->x.stride[i]));
    }
    lmem_strides(target_of(r), l->layout, &l->x);
    return true;
}

static bool
read_addr(Interp *in, Root *r, const LanesArgs *a, const Lanes *l)
{
    const LmemTarget *t = target_of(r);
    int64_t at, item = div_ceil(l->x.bits, 8);
    int64_t unit = lmem_base_unit(t, l->layout, l->x.bits);
    if (a->addr.kind == VAL_NONE) {
        return true;
    }
    TRY(read_number(in, a->addr, "addr", a->addr_span, 0, &at));
    if (at < 0 || at >= t->lane_bytes) {
        py_diag(in, D_LMEM_OVERFLOW, a->addr_span,
                "addr of '%s' is %lld; a lane of %s has bytes 0 to %lld", name_of(in, r),
                (long long)at, r->c->k->soc->name, (long long)t->lane_bytes - 1);
        return false;
    }
    if (at % item != 0) {
        py_diag(in, D_ITEM_MISALIGNED, a->addr_span,
                "addr of '%s' is %lld; its elements have %lld bytes", name_of(in, r),
                (long long)at, (long long)item);
        return false;
    }
    if (at % unit != 0) {
        py_diag(in, D_EU_MISALIGNED, a->addr_span,
                "addr of '%s' is %lld; the layout '%s' begins at a multiple of %lld "
                "bytes",
                name_of(in, r), (long long)at, lmem_layout_name(l->layout),
                (long long)unit);
        return false;
    }
    r->fixed = true;
    r->fixed_at = at;
    return true;
}

/* ---- sizes --------------------------------------------------------------- */

static bool
take_room(Interp *in, Root *r, const Lanes *l)
{
    const LmemTarget *t = target_of(r);
    int64_t bytes = lmem_bytes(t, l->layout, &l->x);
    if (bytes < 0 || r->fixed_at + bytes > t->lane_bytes) {
        Diag *d = py_diag(
            in, D_LMEM_OVERFLOW, r->span,
            "'%s' takes %s of each lane from byte %lld on; a lane of %s has %lld",
            name_of(in, r),
            bytes < 0 ? "more than 2^48 bytes"
                      : arena_printf(&in->u->arena, "%lld bytes", (long long)bytes),
            (long long)r->fixed_at, r->c->k->soc->name, (long long)t->lane_bytes);
        diag_note(in->u, d, (Span){0}, "strides (%lld, %lld, %lld, %lld), %lld slots",
                  (long long)l->x.stride[0], (long long)l->x.stride[1],
                  (long long)l->x.stride[2], (long long)l->x.stride[3],
                  (long long)lmem_slots(t, l->x.lane, l->x.shape[LMEM_C]));
        return false;
    }
    r->bytes = bytes;
    r->elems = bytes / dtype_size(r->dtype);
    VEC_PUSH(&in->u->arena, &r->shape, r->elems);
    return true;
}

/* Warns of placements that are correct but cost time. */
static void
warn_of_place(Interp *in, const Root *r, const Lanes *l)
{
    const LmemTarget *t = target_of(r);
    int64_t bank = t->lane_bytes / t->banks, from = r->fixed_at % bank;
    int64_t used = (l->x.lane + l->x.shape[LMEM_C]) % t->npu;
    if (r->fixed && r->bytes <= bank && from + r->bytes > bank) {
        py_diag(in, D_CROSS_BANK, r->span,
                "'%s' has %lld bytes per lane from %lld on, which reach into bank "
                "%lld; a bank has %lld bytes",
                name_of(in, r), (long long)r->bytes, (long long)r->fixed_at,
                (long long)(lmem_bank(t, r->fixed_at) + 1), (long long)bank);
    }
    if (used > 0 && 2 * used < t->npu) {
        py_diag(in, D_LANE_IDLE, r->span,
                "%lld of %d lanes have a channel of '%s' in their last slot",
                (long long)used, t->npu, name_of(in, r));
    }
}

const Lanes *
tik_lanes_new(Interp *in, Root *r, const LanesArgs *a, const Dim *dim, int ndim, int bits)
{
    Lanes *l = ARENA_NEW(&in->u->arena, Lanes);
    l->x.bits = bits;
    if (!tik_lanes_shape(in, r, dim, ndim, a->shape_span, l->x.shape) ||
        !read_layout(in, r, a, &l->layout) || !read_lane(in, r, a, &l->x.lane)) {
        return NULL;
    }
    if (bits < 8 && (l->layout == LMEM_FREE || l->layout == LMEM_CELLS)) {
        py_diag(in, D_SUBBYTE_LAYOUT, a->layout_span,
                "'%s' has elements of %d bits and the layout '%s'", name_of(in, r), bits,
                lmem_layout_name(l->layout));
        return NULL;
    }
    if (!read_strides(in, r, a, l) || !read_addr(in, r, a, l) || !take_room(in, r, l)) {
        return NULL;
    }
    warn_of_place(in, r, l);
    return l;
}

bool
tik_linear(Interp *in, const View *v, const char *what, Span span)
{
    if (!v->lanes) {
        return true;
    }
    Diag *d =
        py_diag(in, D_LAYOUT_MISMATCH, span, "%s of '%s', which lies in lanes of LMEM",
                what, name_of(in, v->root));
    diag_help(in->u, d, "take a part of it with view(n=, c=, h=, w=)");
    return false;
}

int64_t
tik_lanes_base(const View *v)
{
    return v->root->fixed ? v->root->fixed_at + v->lanes->x.base : -1;
}
