/* slice_shape.c: shapes, dimensions and loops of calls on slices of tensors (vector
 * chapter 13).
 *
 * A slice has a length and a stride per dimension. The slices of a call agree in their
 * lengths; if a length is known only at run time, an operand of the instruction says by
 * how much they differ. Dimensions that follow each other in every slice become one.
 * Those for which the instruction's form has no room become loops around it. An index
 * makes a dimension of length 1, so slices of different rank are compared without
 * dimensions of length 1. */
#include "tik/calls/slice_shape.h"
#include "tik/calls/instruction.h"
#include "tik/expr.h"
#include "tik/scope.h"
#include "tik/tensor.h"

static bool
is_one(const Tik *c, ExprId len)
{
    int64_t n;
    return tik_const_of(c, len, &n) && n == 1;
}

static int64_t
step_of(const Dim *d)
{
    return d->step > 1 ? d->step : 1;
}

/* Returns a shape such as "(4, 16)"; a length that is not known is "?". */
static const char *
shape_text(SliceCall *x, const Dim *dim, int n)
{
    Text t;
    int64_t len;
    text_init(&t, &x->in->u->arena);
    text_putc(&t, '(');
    for (int i = 0; i < n; i++) {
        text_put(&t, i ? ", " : "");
        if (tik_const_of(x->c, dim[i].len, &len)) {
            text_printf(&t, "%lld", (long long)len);
        } else {
            text_putc(&t, '?');
        }
    }
    text_put(&t, n == 1 ? ",)" : ")");
    return t.p;
}

/* The shape of a slice that is compared. */
typedef struct Shape {
    int slice;
    int n;
    Dim dim[SLICE_RANK];
} Shape;

static void
strip(const Tik *c, Shape *s)
{
    int n = 0;
    for (int i = 0; i < s->n; i++) {
        if (!is_one(c, s->dim[i].len)) {
            s->dim[n++] = s->dim[i];
        }
    }
    s->n = n;
}

static bool
unequal_shapes(SliceCall *x, const Shape *a, const Shape *b)
{

    py_diag(x->in, D_SHAPE_MISMATCH, x->span[b->slice], "%s has shape %s; %s has %s",
            x->name[b->slice], shape_text(x, b->dim, b->n), x->name[a->slice],
            shape_text(x, a->dim, a->n));
    return false;
}

/* Adds to x->unequal a square that is not 0 if the lengths differ. */
static void
note_difference(SliceCall *x, ExprId a, ExprId b)
{
    Kernel *k = x->c->k;
    ExprId d = ir_op2(k, SOP_SUB, a, b);
    x->unequal = ir_op2(k, SOP_ADD, x->unequal, ir_op2(k, SOP_MUL, d, d));
}

static bool
compare_lengths(SliceCall *x, const Shape *a, const Shape *b)
{
    int64_t m, n;
    for (int i = 0; i < a->n; i++) {
        ExprId p = a->dim[i].len, q = b->dim[i].len;
        bool known = tik_const_of(x->c, p, &m) && tik_const_of(x->c, q, &n);
        if (known && m != n) {
            return unequal_shapes(x, a, b);
        }
        if (!known && p != q) {
            note_difference(x, p, q);
        }
    }
    return true;
}

static bool
compare_steps(SliceCall *x, const Shape *a, const Shape *b)
{
    for (int i = 0; i < a->n; i++) {
        int64_t p = step_of(&a->dim[i]), q = step_of(&b->dim[i]);
        if (p != q && !is_one(x->c, a->dim[i].len)) {
            py_diag(x->in, D_STEP_MISMATCH, x->span[b->slice],
                    "%s has step %lld in dimension %d; %s has %lld", x->name[b->slice],
                    (long long)q, i, x->name[a->slice], (long long)p);
            return false;
        }
    }
    return true;
}

static void
put_dims(SliceDims *d, int slice, const Shape *s)
{
    d->n = s->n;
    for (int i = 0; i < s->n; i++) {
        d->stride[slice][i] = s->dim[i].stride;
        if (slice == 0) {
            d->len[i] = s->dim[i].len;
        }
    }
}

static Shape
shape_of(const SliceCall *x, int slice)
{
    Shape s = {.slice = slice, .n = x->v[slice]->ndim};
    for (int i = 0; i < s.n; i++) {
        s.dim[i] = x->v[slice]->dim[i];
    }
    return s;
}

/* Makes the n shapes equal in rank, compares them with the first, and sets x->dims. */
static bool
agree(SliceCall *x, Shape *shape, int n, bool steps)
{
    bool one_rank = true;
    for (int k = 1; k < n; k++) {
        one_rank = one_rank && shape[k].n == shape[0].n;
    }
    for (int k = 0; k < n && !one_rank; k++) {
        strip(x->c, &shape[k]);
    }
    for (int k = 1; k < n; k++) {
        if (shape[k].n != shape[0].n) {
            return unequal_shapes(x, &shape[0], &shape[k]);
        }
        TRY(compare_lengths(x, &shape[0], &shape[k]) &&
            (!steps || compare_steps(x, &shape[0], &shape[k])));
    }
    for (int k = 0; k < n; k++) {
        put_dims(&x->dims, k, &shape[k]);
    }
    return true;
}

/* ---- dimensions that follow each other ----------------------------------- */

static bool
follow(const SliceCall *x, const SliceDims *d, int first, int last, int i)
{
    for (int k = first; k < last; k++) {
        ExprId end = ir_op2(x->c->k, SOP_MUL, d->stride[k][i + 1], d->len[i + 1]);
        if (d->stride[k][i] != end) {
            return false;
        }
    }
    return true;
}

/* Merges dimensions that follow each other in all of the slices first to last - 1. */
static void
merge(SliceCall *x, SliceDims *d, int first, int last)
{
    int n = 0;
    for (int i = 0; i < d->n; i++) {
        if (is_one(x->c, d->len[i])) {
            continue;
        }
        d->len[n] = d->len[i];
        for (int k = first; k < last; k++) {
            d->stride[k][n] = d->stride[k][i];
        }
        if (n > 0 && follow(x, d, first, last, n - 1)) {
            d->len[n - 1] = ir_op2(x->c->k, SOP_MUL, d->len[n - 1], d->len[n]);
            for (int k = first; k < last; k++) {
                d->stride[k][n - 1] = d->stride[k][n];
            }
        } else {
            n++;
        }
    }
    d->n = n;
}

bool
tik_slice_shapes(SliceCall *x)
{
    Shape shape[SLICE_MOST];
    x->unequal = tik_i64(x->c, 0);
    for (int k = 0; k < x->n; k++) {
        shape[k] = shape_of(x, k);
    }
    TRY(agree(x, shape, x->n, true));
    merge(x, &x->dims, 0, x->n);
    return true;
}

bool
tik_slice_axes(SliceCall *x, const bool *reduced, bool one_number)
{
    Shape shape[2] = {shape_of(x, 0), {.slice = 1}};
    const View *src = x->v[1];
    x->unequal = tik_i64(x->c, 0);
    for (int i = 0; i < src->ndim; i++) {
        if (reduced[i]) {
            x->axes.len[x->axes.n] = src->dim[i].len;
            x->axes.stride[1][x->axes.n++] = src->dim[i].stride;
        } else {
            shape[1].dim[shape[1].n++] = src->dim[i];
        }
    }
    TRY(one_number || agree(x, shape, 2, false));
    merge(x, &x->dims, 0, 2);
    merge(x, &x->axes, 1, 2);
    if (x->axes.n > x->inner_axes) {
        py_diag(x->in, D_AXIS, x->span[1],
                "the axes are %d parts of src that lie apart in memory; %d are possible",
                x->axes.n, x->inner_axes);
        return false;
    }
    return true;
}

/* ---- recording ----------------------------------------------------------- */

typedef struct Numbers {
    Value v[MAX_PARAMS];
    Span span[MAX_PARAMS];
    int n;
} Numbers;

static void
put(SliceCall *x, Numbers *list, ExprId e)
{
    int64_t n;
    list->v[list->n] = tik_const_of(x->c, e, &n) ? val_int(n) : tik_expr(x->in, x->c, e);
    list->span[list->n++] = x->args->span;
}

/* Adds the last dimensions, for which the instruction has room; missing ones precede them
 * as ones (or strides of 0). */
static void
put_last(SliceCall *x, Numbers *list, const ExprId *e, int n, int room, int missing)
{
    for (int i = n - room; i < n; i++) {
        put(x, list, i < 0 ? tik_i64(x->c, missing) : e[i]);
    }
}

/* Returns the number of the first element that is recorded, modulo 16. */
static ExprId
first_element(const SliceCall *x)
{
    Kernel *k = x->c->k;
    ExprId first = x->first;
    for (int i = MAX(x->dims.n - x->inner, 0); i < x->dims.n; i++) {
        first = ir_op2(k, SOP_MUL, first, x->dims.len[i]);
    }
    return ir_op2(k, SOP_AND, first, tik_i64(x->c, 15));
}

static bool
record(SliceCall *x, View *const *v)
{
    Numbers list = {.n = 0};
    for (int i = 0; i < x->nhead; i++) {
        list.v[list.n] = x->head[i];
        list.span[list.n++] = x->head_span[i];
    }
    for (int k = 0; k < x->n; k++) {
        list.v[x->at[k]] = val_object(&v[k]->base);
    }
    if (x->counts) {
        put(x, &list, first_element(x));
    }
    if (x->same_form) {
        put(x, &list, x->unequal);
    }
    put_last(x, &list, x->dims.len, x->dims.n, x->inner, 1);
    put_last(x, &list, x->axes.len, x->axes.n, x->inner_axes, 1);
    for (int k = 0; k < x->n; k++) {
        put_last(x, &list, x->dims.stride[k], x->dims.n, x->inner, 0);
        if (k > 0) {
            put_last(x, &list, x->axes.stride[k], x->axes.n, x->inner_axes, 0);
        }
    }
    return tik_record(x->in, x->c, x->op, x->args, list.v, list.span);
}

/* Returns the view moved by index times the stride. */
static View *
moved(SliceCall *x, const View *v, ExprId index, ExprId stride)
{
    Kernel *k = x->c->k;
    View *w = ARENA_NEW(&x->in->u->arena, View);
    *w = *v;
    ExprId bytes = ir_op2(k, SOP_MUL, stride, tik_i64(x->c, dtype_size(v->dtype)));
    w->off = ir_op2(k, SOP_ADD, v->off, ir_op2(k, SOP_MUL, index, bytes));
    return w;
}

/* Records dimension i as a loop around the later ones, if the instruction has no room
 * for it. */
static bool
record_loops(SliceCall *x, View *const *v, int i)
{
    Kernel *k = x->c->k;
    View *inner[SLICE_MOST];
    Value var;
    if (i >= x->dims.n - x->inner) {
        return record(x, v);
    }
    Opener *o = tik_opener(x->in, x->c, OPEN_LOOP, x->args->span);
    o->begin = tik_i64(x->c, 0);
    o->end = x->dims.len[i];
    o->dtype = DT_S64;
    o->name = intern(&x->in->u->names, "slice");
    o->block_num = 1;
    o->thread_num = 1;
    TRY(tik_opener_class.enter(x->in, &o->base, x->args->span, &var));
    for (int s = 0; s < x->n; s++) {
        inner[s] = moved(x, v[s], tik_runtime(var)->e, x->dims.stride[s][i]);
    }
    ExprId first = x->first;
    x->first = ir_op2(k, SOP_ADD, ir_op2(k, SOP_MUL, first, x->dims.len[i]),
                      tik_runtime(var)->e);
    bool ok = record_loops(x, inner, i + 1);
    x->first = first;
    return tik_opener_class.leave(x->in, &o->base, x->args->span, !ok) && ok;
}

bool
tik_slice_record(SliceCall *x)
{
    x->first = tik_i64(x->c, 0);
    return record_loops(x, x->v, 0);
}

/* ---- room for temporaries ------------------------------------------------ */

static Root *
make_room(Interp *in, Tik *c)
{
    Root *r = ARENA_NEW(&in->u->arena, Root);
    r->c = c;
    r->scope = &c->top_level;
    r->name = intern(&in->u->names, "h_room");
    r->mem = SC_UB;
    r->dtype = DT_U8;
    r->elems = r->bytes = TIK_H_BYTES;
    r->role = BUF_LOCAL;
    r->span = c->span;
    r->chain = c->chain;
    VEC_PUSH(&in->u->arena, &r->shape, TIK_H_BYTES);
    tik_declare(r);
    c->top_level.work->live[SC_UB] += TIK_H_BYTES;
    return r;
}

View *
tik_slice_room(Interp *in, Tik *c, Dtype t)
{
    if (!c->h_room) {
        c->h_room = make_room(in, c);
    }
    View *v = tik_view(in, c->h_room, 1);
    v->dtype = t;
    v->dim[0] = (Dim){.len = tik_i64(c, 1), .stride = tik_i64(c, 1)};
    v->off = tik_i64(c, 0);
    v->flat_len = tik_i64(c, 1);
    v->element = true;
    return v;
}

void
tik_slice_begin(Tik *c)
{
    Cursor first = ir_cursor_body(0, 0);
    if (c->h_room) {
        Stmt s = {.kind = ST_ALLOC, .span = c->span, .chain = c->chain};
        s.alloc.buf = c->h_room->buf;
        ir_append(c->k, &first, &s);
    }
}
