/* const.c: constants of the program (lmem.md 10.4): Const with values of the program or
 * of a file, resize, arange.
 *
 * A constant is a root in global memory with role BUF_CONST: it reads as a tensor in
 * scope_gm, and is in the kernel only when an instruction reads it.
 *
 * Owns: const-init, const-file, resize-rank, resize-shrink. */
#include "tik/const.h"
#include "tik/expr.h"
#include "tik/methods.h"
#include "tik/tensor.h"

#include <string.h>

#include "num/scalar.h"
#include "tikrt.h"

/* ---- constants ----------------------------------------------------------- */

bool
tik_const_name(Interp *in, Value v, Span span, Sym *out)
{
    const char *text;
    TRY(tik_text(in, v, "name", span, &text));
    *out = intern(&in->u->names, text);
    return tik_identifier(in, *out, span);
}

Root *
tik_const_root(Interp *in, Tik *c, Sym name, Dtype t, Span span)
{
    Root *r = ARENA_NEW(&in->u->arena, Root);
    r->c = c;
    r->scope = &c->top_level;
    r->name = name;
    r->mem = SC_GM;
    r->dtype = t;
    r->role = BUF_CONST;
    r->span = span;
    r->chain = py_chain(in);
    return r;
}

bool
tik_const_shape(Interp *in, Root *r, const int64_t *dim, int ndim, Span span)
{
    r->elems = 1;
    bool fits = true;
    for (int i = 0; i < ndim; i++) {
        VEC_PUSH(&in->u->arena, &r->shape, dim[i]);
        fits = fits && checked_mul(r->elems, dim[i], &r->elems);
    }
    r->elems = r->bits == 4 ? r->elems / 2 + r->elems % 2 : r->elems;
    fits = fits && checked_mul(r->elems, dtype_size(r->dtype), &r->bytes);
    if (!fits || r->bytes > IR_MAX_CONST) {
        py_diag(in, D_CONST_INIT, span, "the constant '%s' has more than %lld bytes",
                tik_sym(in, r->name), (long long)IR_MAX_CONST);
        return false;
    }
    return true;
}

Value
tik_const_value(Interp *in, Root *r)
{
    Tik *c = r->c;
    View *v = tik_view(in, r, (int)r->shape.n);
    for (uint32_t i = 0; i < r->shape.n; i++) {
        v->dim[i].len = tik_i64(c, r->shape.p[i]);
    }
    tik_strides(c, v->dim, v->ndim);
    v->flat_len = tik_product(c, v->dim, v->ndim);
    v->off = tik_i64(c, 0);
    r->size = v->flat_len;
    VEC_PUSH(&in->u->arena, &c->globals, r);
    return val_object(&v->base);
}

Value
tik_const_refused(Interp *in, Tik *c, Sym name, Span span)
{
    if (in->fatal) {
        return val_fail();
    }
    View *v = tik_view(in, tik_const_root(in, c, name, DT_S8, span), 1);
    v->dim[0].len = v->flat_len = tik_i64(c, 1);
    v->off = tik_i64(c, 0);
    tik_strides(c, v->dim, 1);
    v->poisoned = true;
    return val_object(&v->base);
}

/* Reads a shape whose lengths are all constant. */
static bool
constant_shape(Interp *in, Tik *c, Value v, Span span, int64_t **dim, int *ndim)
{
    Dim *d;
    TRY(tik_shape(in, c, v, span, &d, ndim));
    *dim = ARENA_ARRAY(&in->u->arena, int64_t, *ndim);
    for (int i = 0; i < *ndim; i++) {
        if (!tik_const_of(c, d[i].len, &(*dim)[i])) {
            py_diag(
                in, D_TENSOR_SHAPE, span,
                "length %d of the shape is known only while running; a constant's are "
                "numbers",
                i);
            return false;
        }
    }
    return true;
}

static bool
read_dtype(Interp *in, Root *r, Value v, Span span)
{
    const char *text;
    TRY(tik_text(in, v, "dtype", span, &text));
    r->dtype = tik_find_dtype(r, text);
    if (r->dtype == DT_NONE) {
        tik_no_dtype(in, span, text, " of constants");
        return false;
    }
    return true;
}

static bool
from_file(Interp *in, Root *r, const char *name, Span span)
{
    const char *path, *bytes;
    size_t len;
    TikArray a;
    TikError err;
    TRY(py_data_file(in, name, span, &path, &bytes, &len));
    if (!tik_npy_view(path, bytes, len, r->dtype, r->elems, &a, &err)) {
        py_diag(in, D_CONST_FILE, span, "%s", err.text);
        return false;
    }
    r->data = a.data;
    return true;
}

static bool
fill(Interp *in, Root *r, Value init, Span span)
{
    if (init.kind == VAL_STR) {
        const char *name;
        return tik_text(in, init, "init", span, &name) && from_file(in, r, name, span);
    }
    TRY(py_reserve(in, r->bytes, span) && py_plain(in, &init, span));
    if (init.kind == VAL_RANGE) {
        init = py_list(in, init, span);
        TRY(init.kind == VAL_LIST);
    }
    return tik_fill(in, r, "init", init, span);
}

/* Elements of 4 bits are read as bytes and then packed, two to a byte. */
static bool
fill_halves(Interp *in, Root *r, Value init, Span span)
{
    int64_t lo = r->sign4 ? -8 : 0, hi = r->sign4 ? 7 : 15;
    Root *wide = tik_const_root(in, r->c, r->name, r->sign4 ? DT_S8 : DT_U8, span);
    TRY(tik_const_shape(in, wide, r->shape.p, (int)r->shape.n, span));
    TRY(fill(in, wide, init, span) && py_reserve(in, r->bytes, span));
    for (int64_t i = 0; i < wide->elems; i++) {
        int64_t v = r->sign4 ? (int8_t)wide->data[i] : wide->data[i];
        if (v < lo || v > hi) {
            py_diag(in, D_CONST_INIT, span,
                    "value %lld of '%s' is %lld; %s has %lld to %lld", (long long)i,
                    tik_sym(in, r->name), (long long)v, r->sign4 ? "int4" : "uint4",
                    (long long)lo, (long long)hi);
            return false;
        }
    }
    uint8_t *data = arena_alloc(&in->u->arena, (size_t)r->bytes);
    pack_nibbles(wide->data, (uint64_t)wide->elems, data);
    r->data = data;
    return true;
}

static bool
fill_any(Interp *in, Root *r, Value init, Span span)
{
    return r->bits == 4 ? fill_halves(in, r, init, span) : fill(in, r, init, span);
}

Value
tik_const_new(Interp *in, Tik *c, const CallArgs *args)
{
    Value got[MOST_ARGS];
    Span span[MOST_ARGS];
    Root *r = tik_const_root(in, c, 0, DT_S8, args->span);
    int64_t *dim;
    int ndim;
    if (!tik_bind(in, CALL_Const, args, got, span)) {
        return val_fail();
    }
    bool ok =
        tik_not_built(in, c, args->span) &&
        read_dtype(in, r, got[P_Const_dtype], span[P_Const_dtype]) &&
        tik_const_name(in, got[P_Const_name], span[P_Const_name], &r->name) &&
        constant_shape(in, c, got[P_Const_shape], span[P_Const_shape], &dim, &ndim) &&
        tik_const_shape(in, r, dim, ndim, span[P_Const_shape]) &&
        fill_any(in, r, got[P_Const_init], span[P_Const_init]);
    return ok ? tik_const_value(in, r) : tik_const_refused(in, c, r->name, args->span);
}

/* Returns the constant in the shape of a view that was reshaped. A constant with elements
 * of 4 bits has no other shape. */
static const Root *
in_shape_of(Interp *in, const Tik *c, const View *v)
{
    bool same = (uint32_t)v->ndim == v->root->shape.n;
    int64_t *dim = ARENA_ARRAY(&in->u->arena, int64_t, v->ndim);
    for (int i = 0; i < v->ndim; i++) {
        if (!tik_const_of(c, v->dim[i].len, &dim[i])) {
            return v->root;
        }
        same = same && dim[i] == v->root->shape.p[i];
    }
    if (same || v->root->bits == 4) {
        return v->root;
    }
    Root *r = ARENA_NEW(&in->u->arena, Root);
    *r = *v->root;
    r->shape.p = dim;
    r->shape.n = r->shape.cap = (uint32_t)v->ndim;
    return r;
}

const Root *
tik_const_given(Interp *in, const Tik *c, Value v, const char *what, Span span)
{
    const View *t = tik_is(v, &tik_tensor_class) ? (const View *)v.obj : NULL;
    if (t != NULL && t->poisoned) {
        return NULL;
    }
    if (t == NULL || t->root->role != BUF_CONST || t->sliced ||
        t->dtype != t->root->dtype) {
        Diag *d = py_diag(
            in, D_ARG_TYPE, span, "%s is %s; it takes a whole constant", what,
            t != NULL && t->root->role == BUF_CONST ? "a part of one" : tik_a(in, v));
        diag_help(in->u, d, "Const(dtype, shape, name=, init=) makes one");
        return NULL;
    }
    if (t->root->c != c) {
        py_diag(in, D_ARG_TYPE, span, "%s belongs to another container", what);
        return NULL;
    }
    return in_shape_of(in, c, t);
}

/* ---- resize -------------------------------------------------------------- */

enum {
    MAX_RANK = 64
};

static bool
check_growth(Interp *in, const Root *src, const int64_t *dim, int ndim, Span span)
{
    if ((uint32_t)ndim != src->shape.n) {
        py_diag(in, D_RESIZE_RANK, span, "the shape has %d dimensions; '%s' has %u", ndim,
                tik_sym(in, src->name), src->shape.n);
        return false;
    }
    for (int i = 0; i < ndim; i++) {
        if (dim[i] < src->shape.p[i]) {
            py_diag(in, D_RESIZE_SHRINK, span,
                    "length %d of the shape is %lld; '%s' has %lld there", i,
                    (long long)dim[i], tik_sym(in, src->name),
                    (long long)src->shape.p[i]);
            return false;
        }
    }
    return true;
}

static int64_t
count_of(const Root *r)
{
    int64_t n = 1;
    for (uint32_t i = 0; i < r->shape.n; i++) {
        n *= r->shape.p[i]; /* cannot overflow: checked when it was made */
    }
    return n;
}

static void
grow_halves(Interp *in, const Root *src, const Root *r, const uint64_t *from,
            const uint64_t *to, uint8_t *data)
{
    uint64_t n = (uint64_t)count_of(src), m = (uint64_t)count_of(r);
    uint8_t *small = arena_alloc(&in->u->arena, n);
    uint8_t *large = arena_alloc(&in->u->arena, m);
    pack_nibbles_apart(src->data, n, small);
    pack_resize(small, from, to, (int)r->shape.n, 1, large);
    pack_nibbles(large, m, data);
}

static void
grow(Interp *in, const Root *src, Root *r)
{
    uint64_t from[MAX_RANK], to[MAX_RANK];
    uint8_t *data = arena_alloc(&in->u->arena, (size_t)r->bytes);
    for (uint32_t i = 0; i < r->shape.n; i++) {
        from[i] = (uint64_t)src->shape.p[i];
        to[i] = (uint64_t)r->shape.p[i];
    }
    if (r->bits == 4) {
        grow_halves(in, src, r, from, to, data);
    } else {
        pack_resize(src->data, from, to, (int)r->shape.n, (size_t)dtype_size(r->dtype),
                    data);
    }
    r->data = data;
}

Value
tik_resize(Interp *in, Tik *c, const CallArgs *args)
{
    Value got[MOST_ARGS];
    Span span[MOST_ARGS];
    int64_t *dim;
    int ndim;
    if (!tik_bind(in, CALL_resize, args, got, span)) {
        return val_fail();
    }
    const Root *src =
        tik_const_given(in, c, got[P_resize_src], "src", span[P_resize_src]);
    Sym name = src ? src->name : 0;
    if (!src ||
        !constant_shape(in, c, got[P_resize_shape], span[P_resize_shape], &dim, &ndim) ||
        !check_growth(in, src, dim, ndim, span[P_resize_shape]) ||
        (got[P_resize_name].kind != VAL_NONE &&
         !tik_const_name(in, got[P_resize_name], span[P_resize_name], &name))) {
        return tik_const_refused(in, c, name, args->span);
    }
    Root *r = tik_const_root(in, c, name, src->dtype, args->span);
    r->bits = src->bits;
    r->sign4 = src->sign4;
    if (!tik_const_shape(in, r, dim, ndim, span[P_resize_shape]) ||
        !py_reserve(in, r->bits == 4 ? 5 * r->bytes : r->bytes, span[P_resize_shape])) {
        return tik_const_refused(in, c, name, args->span);
    }
    grow(in, src, r);
    return tik_const_value(in, r);
}

/* ---- arange -------------------------------------------------------------- */

/* Returns the numbers from start, or 0, to stop, without stop. */
Value
tik_arange(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Value got[MOST_ARGS];
    Span span[MOST_ARGS];
    int64_t first = 0, last;
    if (!tik_bind(in, CALL_arange, args, got, span)) {
        return val_fail();
    }
    bool one = got[P_arange_stop].kind == VAL_NONE;
    if (!val_as_int64(got[one ? 0 : 1], &last) ||
        (!one && !val_as_int64(got[P_arange_start], &first)) ||
        !checked_sub(last, first, &(int64_t){0}) || last - first > UINT32_MAX / 2) {
        py_diag(in, D_ARG_TYPE, args->span, "arange takes one or two integers");
        return val_fail();
    }
    int64_t n = MAX(last - first, 0);
    if (!py_reserve(in, n * (int64_t)sizeof(Value), args->span)) {
        return val_fail();
    }
    Value *item = ARENA_ARRAY(&in->u->arena, Value, n);
    for (int64_t i = 0; i < n; i++) {
        item[i] = val_int(first + i);
    }
    return val_list(in, item, (uint32_t)n);
}

/* ---- content ------------------------------------------------------------- */

static Value
element_value(Interp *in, const Root *r, int64_t i)
{
    int size = dtype_size(r->dtype);
    uint64_t bits = 0;
    for (int b = 0; b < size; b++) {
        bits |= (uint64_t)r->data[i * size + b] << (8 * b);
    }
    int64_t v = scalar_wrap(r->dtype, (int64_t)bits);
    if (dtype_is_float(r->dtype)) {
        return val_float(scalar_to_double(r->dtype, v));
    }
    return v < 0 && r->dtype == DT_U64
               ? py_raise(in, "ValueError", r->span,
                          "an element of '%s' is above 2^63 - 1", tik_sym(in, r->name))
               : val_int(v);
}

/* Returns constant(x), the shape, element type and elements of a whole constant for
 * numpy; None if x is anything else. */
Value
tik_const_content(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Value x = args->pos[0];
    const View *t = tik_is(x, &tik_tensor_class) ? (const View *)x.obj : NULL;
    const Root *r = t && t->root->role == BUF_CONST && !t->sliced &&
                            t->dtype == t->root->dtype && t->root->bits != 4
                        ? t->root
                        : NULL;
    if (!r || !r->data || t->ndim > MAX_RANK) {
        return val_none();
    }
    if (!py_reserve(in, r->elems * (int64_t)sizeof(Value), args->span)) {
        return val_fail();
    }
    in->steps -= r->elems;
    Value dim[MAX_RANK];
    Value *item = ARENA_ARRAY(&in->u->arena, Value, r->elems);
    for (int i = 0; i < t->ndim; i++) {
        int64_t n = 0;
        if (!tik_const_of(r->c, t->dim[i].len, &n)) {
            return val_none();
        }
        dim[i] = val_int(n);
    }
    for (int64_t i = 0; i < r->elems; i++) {
        item[i] = element_value(in, r, i);
        if (val_failed(item[i])) {
            return val_fail();
        }
    }
    Value out[3] = {val_tuple(in, dim, (uint32_t)t->ndim),
                    val_str(in, dtype_name(r->dtype)),
                    val_list(in, item, (uint32_t)r->elems)};
    return val_tuple(in, out, 3);
}
