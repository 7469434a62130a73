/* view.c: views of tensors: indices, slices, reshape and reinterpretation (language
 * 4.3).
 *
 * A view is a start address (bytes from the root) plus lengths and strides per dimension;
 * its length never bounds what an instruction accesses. Constants are checked here;
 * run-time indices are checked where the address is used. One key on a view of several
 * dimensions counts from the start of the buffer, in the shape of its creation or of the
 * last reshape. */
#include "tik/lmem.h"
#include "tik/expr.h"
#include "tik/tensor.h"

#include <string.h>

/* An index or a bound of a slice: a constant, or an int64 expression. */
typedef struct Index {
    bool imm;
    int64_t value;
    ExprId e;
} Index;

static View *
copy_view(Interp *in, const View *v, int ndim)
{
    View *w = tik_view(in, v->root, ndim);
    w->dtype = v->dtype;
    w->poisoned = v->poisoned;
    w->element = v->element;
    w->of_element = v->of_element;
    w->sliced = v->sliced;
    w->off = v->off;
    w->flat_len = v->flat_len;
    memcpy(w->dim, v->dim, (size_t)MIN(ndim, v->ndim) * sizeof *w->dim);
    return w;
}

static Value
poison(Interp *in, const View *v)
{
    View *w = copy_view(in, v, v->ndim);
    w->poisoned = true;
    return val_object(&w->base);
}

ExprId
tik_product(Tik *c, const Dim *dim, int ndim)
{
    ExprId n = ndim > 0 ? dim[0].len : tik_i64(c, 1);
    for (int i = 1; i < ndim; i++) {
        n = ir_op2(c->k, SOP_MUL, n, dim[i].len);
    }
    return n;
}

int64_t
tik_view_elems(const View *v)
{
    int64_t n;
    Tik *c = v->root->c;
    return v->element ? 1 : tik_const_of(c, tik_product(c, v->dim, v->ndim), &n) ? n : -1;
}

bool
tik_ref(Interp *in, View *v, Span span, Ref *out)
{
    Tik *c = v->root->c;
    if (v->poisoned) {
        return false;
    }
    if (!v->root->scope->open) {
        Diag *d =
            py_diag(in, D_SCOPE_ENDED, span,
                    "tensor '%s' is not defined in this scope: the scope that it was "
                    "created in has ended",
                    tik_sym(in, v->root->name));
        diag_note(in->u, d, v->root->span, "created here");
        return false;
    }
    if (v->root->mem == SC_GM) {
        tik_declare(v->root);
    }
    v->root->used = true;
    *out = (Ref){v->root->buf, v->dtype, v->off};
    return tik_alive(in, c, &out->off, span);
}

static bool
read_index(Interp *in, const View *v, Value key, Span span, Index *out)
{
    Tik *c = v->root->c;
    out->imm = key.kind == VAL_INT || key.kind == VAL_BOOL;
    if (out->imm) {
        out->value = key.kind == VAL_BOOL ? key.b : key.i;
        out->e = tik_i64(c, out->value);
        return true;
    }
    if (key.kind == VAL_BIG) {
        py_diag(in, D_TENSOR_INDEX, span, "an index of '%s' does not fit 64 bits",
                tik_sym(in, v->root->name));
        return false;
    }
    if (!tik_is_runtime(key)) {
        py_diag(in, D_TENSOR_INDEX, span,
                "an index of '%s' is %s; it takes an int, a Scalar or an Expr",
                tik_sym(in, v->root->name), tik_a(in, key));
        return false;
    }
    TRY(tik_read(in, c, key, span, &out->e));
    Dtype t = ir_expr(c->k, out->e)->dtype;
    if (dtype_is_float(t)) {
        py_diag(in, D_TENSOR_INDEX, span,
                "an index of '%s' has dtype %s; it takes an integer",
                tik_sym(in, v->root->name), dtype_name(t));
        return false;
    }
    out->e = ir_cast(c->k, DT_S64, out->e);
    return true;
}

/* Adds the length to a negative constant; a result that is still negative is an error. */
static bool
wrap(Interp *in, const View *v, Index *i, ExprId len, Span span)
{
    Tik *c = v->root->c;
    int64_t n;
    if (!i->imm || i->value >= 0) {
        return true;
    }
    if (!tik_const_of(c, len, &n)) {
        i->imm = false;
        i->e = ir_op2(c->k, SOP_ADD, len, i->e);
        return true;
    }
    if (i->value + n < 0) {
        py_diag(in, D_TENSOR_INDEX, span,
                "index %lld of '%s' is before its start (length %lld)",
                (long long)i->value, tik_sym(in, v->root->name), (long long)n);
        return false;
    }
    i->value += n;
    i->e = tik_i64(c, i->value);
    return true;
}

/* Adds e * stride elements to the view's offset. */
static bool
advance(Interp *in, View *v, ExprId e, ExprId stride, Span span)
{
    Kernel *k = v->root->c->k;
    if (tik_view_is_halves(v)) {
        return tik_halves_advance(in, v, e, stride, span);
    }
    ExprId size = tik_i64(v->root->c, dtype_size(v->dtype));
    ExprId step = ir_op2(k, SOP_MUL, stride, size);
    v->off = ir_op2(k, SOP_ADD, v->off, ir_op2(k, SOP_MUL, e, step));
    return true;
}

static bool
apply_index(Interp *in, View *v, int d, Value key, Span span)
{
    Index i;
    int64_t n;
    ExprId len = v->dim[d].len;
    if (!read_index(in, v, key, span, &i) || !wrap(in, v, &i, len, span)) {
        return false;
    }
    if (i.imm && tik_const_of(v->root->c, len, &n) && i.value >= n) {
        Diag *bad = py_diag(in, D_TENSOR_INDEX, span,
                            "index %lld of '%s' is outside its length %lld",
                            (long long)i.value, tik_sym(in, v->root->name), (long long)n);
        diag_note(in->u, bad, v->root->span, "'%s' is created here",
                  tik_sym(in, v->root->name));
        diag_help(in->u, bad, "the last index is %lld", (long long)n - 1);
        return false;
    }
    TRY(advance(in, v, i.e, v->dim[d].stride, span));
    v->dim[d].len = tik_i64(v->root->c, 1);
    return true;
}

/* Reads a bound of a slice, which may be left out. */
static bool
read_bound(Interp *in, const View *v, Value key, Span span, ExprId dflt, ExprId len,
           Index *out)
{
    if (key.kind == VAL_NONE) {
        out->e = dflt;
        out->imm = tik_const_of(v->root->c, dflt, &out->value);
        return true;
    }
    return read_index(in, v, key, span, out) && wrap(in, v, out, len, span);
}

static bool
check_slice(Interp *in, const View *v, const Index *a, const Index *b, ExprId len,
            bool written, Span span)
{
    int64_t n;
    const char *name = tik_sym(in, v->root->name);
    if (b->imm && tik_const_of(v->root->c, len, &n) && b->value > n) {
        py_diag(in, D_TENSOR_INDEX, span,
                "slice of '%s' ends at %lld, past its length %lld", name,
                (long long)b->value, (long long)n);
        return false;
    }
    if (written && a->imm && b->imm && b->value <= a->value) {
        py_diag(in, D_TENSOR_INDEX, span, "slice of '%s' from %lld to %lld is empty",
                name, (long long)a->value, (long long)b->value);
        return false;
    }
    return true;
}

/* Returns the length of a slice that states no end: the rest of the dimension, or, for an
 * element, one element. A slice that begins past the end of the dimension has no
 * elements, but its address is used, as published operators do. */
static ExprId
open_length(Interp *in, const View *v, const Index *a, const Index *len, Span span)
{
    Tik *c = v->root->c;
    if (v->element) {
        return tik_i64(c, 1);
    }
    if (!a->imm || !len->imm || a->value <= len->value) {
        return ir_op2(c->k, SOP_SUB, len->e, a->e);
    }
    py_diag(in, D_SLICE_BEHIND, span,
            "slice of '%s' begins at %lld, past its length %lld",
            tik_sym(in, v->root->name), (long long)a->value, (long long)len->value);
    return tik_i64(c, 0);
}

/* Returns the length of a slice with both ends: a number where what only the run knows
 * cancels, as in x[i * 64:i * 64 + 64], so that it may be a shape or a repeat time. */
static ExprId
length_between(Tik *c, ExprId begin, ExprId end)
{
    ExprId n = ir_op2(c->k, SOP_SUB, end, begin);
    int64_t known;
    bool folds = !ir_is_const(c->k, n) && tik_fold(c, n, &known) && known > 0;
    return folds ? tik_i64(c, known) : n;
}

static bool
apply_slice(Interp *in, View *v, int d, const SliceVal *s, Span span)
{
    Tik *c = v->root->c;
    Kernel *k = c->k;
    ExprId len = v->dim[d].len;
    Index a, b;
    int64_t step = 1;
    if (s->step.kind != VAL_NONE && (!val_as_int64(s->step, &step) || step < 1)) {
        py_diag(in, D_TENSOR_INDEX, span,
                "the step of a slice of '%s' is %s; it is a positive int",
                tik_sym(in, v->root->name), val_repr(in, s->step));
        return false;
    }
    if (!read_bound(in, v, s->start, span, tik_i64(c, 0), len, &a) ||
        !read_bound(in, v, s->stop, span, len, len, &b) ||
        !check_slice(in, v, &a, &b, len, s->stop.kind != VAL_NONE, span)) {
        return false;
    }
    ExprId n = s->stop.kind == VAL_NONE ? open_length(in, v, &a, &b, span)
                                        : length_between(c, a.e, b.e);
    TRY(advance(in, v, a.e, v->dim[d].stride, span));
    if (step > 1) {
        n = ir_op2(k, SOP_ADD, n, tik_i64(c, step - 1));
        n = ir_op2(k, SOP_DIV, n, tik_i64(c, step));
        v->dim[d].stride = ir_op2(k, SOP_MUL, v->dim[d].stride, tik_i64(c, step));
        if (!checked_mul(step, MAX(v->dim[d].step, 1), &v->dim[d].step)) {
            v->dim[d].step = INT64_MAX;
        }
    }
    v->dim[d].len = n;
    return true;
}

static bool
apply_key(Interp *in, View *v, int d, Value key, Span span)
{
    return key.kind == VAL_SLICE ? apply_slice(in, v, d, key.slice, span)
                                 : apply_index(in, v, d, key, span);
}

/* True if the elements certainly do not follow each other in memory. Lengths and strides
 * that only the run knows are assumed to leave no gaps. */
static bool
has_gaps(const View *v)
{
    Tik *c = v->root->c;
    int64_t want = 1, len, stride;
    for (int d = v->ndim - 1; d >= 0; d--) {
        bool known = tik_const_of(c, v->dim[d].len, &len);
        if (known && len == 1) {
            continue;
        }
        if (!tik_const_of(c, v->dim[d].stride, &stride)) {
            return false;
        }
        if (stride != want) {
            return true;
        }
        if (!known || !checked_mul(want, len, &want)) {
            return false;
        }
    }
    return false;
}

/* Returns the buffer as one dimension, which a single key on several dimensions indexes.
 * Null with a diagnostic if the view has gaps. */
static View *
flat_view(Interp *in, const View *v, Span span)
{
    Tik *c = v->root->c;
    int64_t off;
    if (has_gaps(v)) {
        py_diag(in, D_TENSOR_INDEX, span,
                "one index on a %d-dimensional view of '%s' whose elements do not "
                "follow each other; it takes one index per dimension",
                v->ndim, tik_sym(in, v->root->name));
        return NULL;
    }
    if (!tik_const_of(c, v->off, &off) || off != 0) {
        py_diag(
            in, D_OFFSET_DROPPED, span,
            "one index on the %d-dimensional view of '%s' counts from the start of the "
            "buffer; the view's own offset is dropped",
            v->ndim, tik_sym(in, v->root->name));
    }
    View *w = copy_view(in, v, 1);
    w->off = tik_i64(c, 0);
    w->dim[0] = (Dim){v->flat_len, tik_i64(c, 1), 0};
    return w;
}

static bool
any_runtime(const Value *keys, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (tik_is_runtime(keys[i])) {
            return true;
        }
    }
    return false;
}

static bool
all_zero(const Value *keys, uint32_t n)
{
    int64_t i = 0;
    for (uint32_t j = 0; j < n; j++) {
        if (keys[j].kind == VAL_FLOAT || !val_as_int64(keys[j], &i) || i != 0) {
            return false;
        }
    }
    return true;
}

/* True if keys of an element count on from it. The place of the element is known only at
 * run time, so staging does not know what length remains; programs keep a part of a
 * buffer as u[offset] and index it with constants. */
static bool
counts_on(const View *v, const Value *keys, uint32_t n)
{
    int64_t off;
    return any_runtime(keys, n) ||
           (!tik_const_of(v->root->c, v->off, &off) && !all_zero(keys, n));
}

/* Indexes an element at a constant place with constants: only 0 is allowed. */
static Value
element_again(Interp *in, View *v, const Value *keys, uint32_t n, Span span)
{
    int64_t i = 0;
    for (uint32_t j = 0; j < n; j++) {
        if (keys[j].kind == VAL_FLOAT || !val_as_int64(keys[j], &i) || i != 0) {
            py_diag(in, D_TENSOR_INDEX, span,
                    "an element of '%s' is indexed again with %s; only 0 is possible",
                    tik_sym(in, v->root->name), val_repr(in, keys[j]));
            return poison(in, v);
        }
    }
    return val_object(&v->base);
}

static bool
is_negative(Value v)
{
    int64_t i;
    return v.kind == VAL_INT && val_as_int64(v, &i) && i < 0;
}

/* Prepares the dimension for a key of an element. The key counts from the element and may
 * end anywhere, since an element has no length but its own. */
static bool
prepare_element_key(Interp *in, View *w, Dim *dim, Value key, Span span)
{
    const SliceVal *s = key.kind == VAL_SLICE ? key.slice : NULL;
    if (s ? is_negative(s->start) || is_negative(s->stop) : is_negative(key)) {
        py_diag(in, D_TENSOR_INDEX, span,
                s ? "a slice of an element of '%s' has a negative bound; it counts "
                    "from the element"
                  : "an element of '%s' is indexed again with a negative number; it "
                    "counts from the element",
                tik_sym(in, w->root->name));
        return false;
    }
    if (!s || s->stop.kind != VAL_NONE) {
        dim->len = tik_i64(w->root->c, IR_MAX_BYTES);
    }
    return true;
}

static bool
prepare_element_keys(Interp *in, View *w, const Value *keys, uint32_t n, Span span)
{
    for (uint32_t d = 0; d < n; d++) {
        TRY(prepare_element_key(in, w, &w->dim[d], keys[d], span));
    }
    return true;
}

enum {
    VIEW_STEPS = 40 /* cost of a view, without the call and its memory */
};

/* Returns the view that the keys index: the view itself, or for one key on several
 * dimensions the buffer, or for one key on an element, reinterpreted or not, what begins
 * with that element. Null with a diagnostic if the key is refused. */
static View *
indexed_view(Interp *in, const View *v, const Value *keys, uint32_t n, Span span)
{
    core_owe(in, VIEW_STEPS);
    Tik *c = v->root->c;
    bool counts_from = v->element || (v->of_element && n == 1);
    if (n == 1 && v->ndim > 1 && !counts_from) {
        return flat_view(in, v, span);
    }
    View *w = copy_view(in, v, n == 1 ? 1 : v->ndim);
    if (n == 1 && v->ndim > 1) {
        w->dim[0] = (Dim){tik_i64(c, 1), tik_i64(c, 1), 0};
    }
    return !counts_from || prepare_element_keys(in, w, keys, n, span) ? w : NULL;
}

static bool
any_slice(const Value *keys, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (keys[i].kind == VAL_SLICE) {
            return true;
        }
    }
    return false;
}

Value
tik_get_item(Interp *in, Object *self, Value key, Span span)
{
    View *v = (View *)self;
    if (v->poisoned || tik_dropped(v->root->c)) {
        return val_object(self);
    }
    if (!tik_linear(in, v, "an index", span)) {
        return poison(in, v);
    }
    bool many = key.kind == VAL_TUPLE || key.kind == VAL_LIST;
    uint32_t n = many ? key.list->n : 1;
    const Value *keys = many ? key.list->p : &key;
    if (v->element && !any_slice(keys, n) && !counts_on(v, keys, n)) {
        return element_again(in, v, keys, n, span);
    }
    if (n != 1 && n != (uint32_t)v->ndim) {
        py_diag(in, D_TENSOR_INDEX, span,
                "'%s' has %d dimension%s and is indexed with %u; one index, or one "
                "per dimension",
                tik_sym(in, v->root->name), v->ndim, v->ndim == 1 ? "" : "s", n);
        return poison(in, v);
    }
    View *w = indexed_view(in, v, keys, n, span);
    if (!w) {
        return poison(in, v);
    }
    w->sliced = true;
    for (uint32_t d = 0; d < n; d++) {
        if (!apply_key(in, w, (int)d, keys[d], span)) {
            return in->fatal ? val_fail() : poison(in, v);
        }
    }
    w->element = !any_slice(keys, n);
    w->of_element = false;
    return tik_halves_end(in, w, span) ? val_object(&w->base) : poison(in, v);
}

/* ---- reshape, flatten, reinterpret_cast_to ------------------------------- */

/* True if the elements of a view follow one another: the stride of each dimension is the
 * product of the lengths of those after it. */
static bool
follows(const View *v)
{
    Tik *c = v->root->c;
    ExprId step = tik_i64(c, 1);
    for (int i = v->ndim - 1; i >= 0; i--) {
        int64_t len = 0, want = 0, have = 0;
        bool one = tik_const_of(c, v->dim[i].len, &len) && len == 1;
        bool equal = v->dim[i].stride == step ||
                     (tik_const_of(c, step, &want) &&
                      tik_const_of(c, v->dim[i].stride, &have) && want == have);
        if (!one && !equal) {
            return false;
        }
        step = one ? step : ir_op2(c->k, SOP_MUL, step, v->dim[i].len);
    }
    return true;
}

static Value
reshaped(Interp *in, View *v, Dim *dim, int ndim, Span span)
{
    Tik *c = v->root->c;
    int64_t old, new;
    ExprId flat = tik_product(c, dim, ndim);
    if (v->sliced && (v->element || v->lanes || !follows(v))) {
        py_diag(in, D_RESHAPE, span,
                v->element || v->lanes
                    ? "'%s' is reshaped after an index or slice"
                    : "'%s' is reshaped after an index or slice that leaves gaps "
                      "between its elements",
                tik_sym(in, v->root->name));
        return poison(in, v);
    }
    if (tik_const_of(c, tik_product(c, v->dim, v->ndim), &old) &&
        tik_const_of(c, flat, &new) && old != new) {
        py_diag(in, D_RESHAPE, span, "'%s' has %lld elements and is reshaped to %lld",
                tik_sym(in, v->root->name), (long long)old, (long long)new);
        return poison(in, v);
    }
    View *w = copy_view(in, v, 0);
    w->ndim = ndim;
    w->dim = dim;
    tik_strides(c, dim, ndim);
    w->flat_len = flat;
    return val_object(&w->base);
}

Value
tik_reshape(Interp *in, View *v, const CallArgs *args)
{
    Value shape;
    core_owe(in, VIEW_STEPS);
    Dim *dim;
    int ndim;
    if (!tik_bind(in, CALL_reshape, args, &shape, NULL)) {
        return val_fail();
    }
    if (v->poisoned || tik_dropped(v->root->c)) {
        return val_object(&v->base);
    }
    if (!tik_shape(in, v->root->c, shape, args->span, &dim, &ndim)) {
        return poison(in, v);
    }
    return v->lanes ? tik_lanes_reshape(in, v, dim, ndim, args->span)
                    : reshaped(in, v, dim, ndim, args->span);
}

Value
tik_flatten(Interp *in, View *v, const CallArgs *args)
{
    if (!tik_bind(in, CALL_flatten, args, NULL, NULL)) {
        return val_fail();
    }
    if (v->poisoned || tik_dropped(v->root->c)) {
        return val_object(&v->base);
    }
    if (!tik_linear(in, v, "flatten", args->span)) {
        return poison(in, v);
    }
    Dim *dim = ARENA_NEW(&in->u->arena, Dim);
    dim->len = tik_product(v->root->c, v->dim, v->ndim);
    return reshaped(in, v, dim, 1, args->span);
}

/* Reinterprets as a narrower type: every stride grows by the ratio, and a last dimension
 * of that length is added. */
static View *
narrower(Interp *in, const View *v, Dtype t, int64_t ratio)
{
    Tik *c = v->root->c;
    View *w = copy_view(in, v, v->ndim + 1);
    ExprId r = tik_i64(c, ratio);
    for (int i = 0; i < v->ndim; i++) {
        w->dim[i].stride = ir_op2(c->k, SOP_MUL, v->dim[i].stride, r);
    }
    w->dim[v->ndim] = (Dim){r, tik_i64(c, 1), 0};
    w->flat_len = ir_op2(c->k, SOP_MUL, v->flat_len, r);
    w->dtype = t;
    w->of_element = v->of_element || v->element;
    w->element = false;
    return w;
}

/* Returns x / ratio, at least 1 when constant. */
static ExprId
shrink(Tik *c, ExprId x, int64_t ratio)
{
    int64_t n;
    if (tik_const_of(c, x, &n)) {
        return tik_i64(c, MAX(n / ratio, 1));
    }
    return ir_op2(c->k, SOP_DIV, x, tik_i64(c, ratio));
}

/* Reinterprets as a wider type: the last length and the strides are divided by the ratio.
 * An element of a narrower type may start a wider one (older operators do that), if its
 * address allows it. */
static View *
wider(Interp *in, const View *v, Dtype t, int64_t ratio, Span span)
{
    Tik *c = v->root->c;
    int64_t n;
    int last = v->ndim - 1;
    if (tik_const_of(c, v->off, &n) && n % dtype_size(t)) {
        py_diag(in, D_REINTERPRET, span,
                "'%s' is reinterpreted as %s at byte offset %lld; that is not a "
                "multiple of %d",
                tik_sym(in, v->root->name), dtype_name(t), (long long)n, dtype_size(t));
        return NULL;
    }
    if (!v->element && tik_const_of(c, v->dim[last].len, &n) && n % ratio) {
        py_diag(
            in, D_REINTERPRET_LENGTH, span,
            "'%s' is reinterpreted as %s with a last dimension of %lld; that is not a "
            "multiple of %lld",
            tik_sym(in, v->root->name), dtype_name(t), (long long)n, (long long)ratio);
    }
    View *w = copy_view(in, v, v->ndim);
    for (int i = 0; i < v->ndim; i++) {
        w->dim[i].stride = shrink(c, v->dim[i].stride, ratio);
    }
    w->dim[last].len = shrink(c, v->dim[last].len, ratio);
    w->flat_len = shrink(c, v->flat_len, ratio);
    w->dtype = t;
    w->of_element = v->of_element || v->element;
    w->element = false;
    return w;
}

static int
bits_of(Dtype t)
{
    return dtype_is_half_byte(t) ? 4 : 8 * dtype_size(t);
}

Value
tik_reinterpret(Interp *in, View *v, const CallArgs *args)
{
    Value given;
    const char *text;
    if (!tik_bind(in, CALL_reinterpret_cast_to, args, &given, NULL)) {
        return val_fail();
    }
    if (v->poisoned || tik_dropped(v->root->c)) {
        return val_object(&v->base);
    }
    if (!tik_text(in, given, "dtype", args->span, &text) ||
        !tik_linear(in, v, "reinterpret_cast_to", args->span)) {
        return poison(in, v);
    }
    Dtype t = v->root->c->k->soc->lmem ? dtype_find(text) : dtype_find_operand(text);
    if (t == DT_NONE) {
        tik_no_dtype(in, args->npos && args->pos_span ? args->pos_span[0] : args->span,
                     text, " of tensors");
        return poison(in, v);
    }
    int from = bits_of(v->dtype), to = bits_of(t);
    View *w = NULL;
    if (from > to) {
        w = narrower(in, v, t, from / to);
    } else if (from < to) {
        w = wider(in, v, t, to / from, args->span);
    } else {
        w = copy_view(in, v, v->ndim);
        w->dtype = t;
    }
    return w ? val_object(&w->base) : poison(in, v);
}
