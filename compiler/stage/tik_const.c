/* tik_const.c: constants of the program (lmem.md 10.4): Const with values of the program or of a file, resize, and
 * pack_conv, which puts a convolution's weight, bias and requantisation into one.
 *
 * A constant is a root in global memory with role BUF_CONST: it reads as a tensor in scope_gm, and is in
 * the kernel only when an instruction reads it. What pack_conv is given leaves no trace of its own: the
 * bytes go into the packed constant, in plain order; the pass weight-reorder gives them theirs.
 *
 * Owns: const-init, const-file, pack-shape, pack-type, pack-row-limit, resize-rank, resize-shrink. */
#include "stage/tik.h"

#include <string.h>

#include "ir/weight.h"
#include "tikrt.h"

/* ---- constants ------------------------------------------------------------------------------------------- */

static bool
read_name(Interp *in, Value v, Span span, Sym *out)
{
    const char *text;
    TRY(tik_text(in, v, "name", span, &text));
    *out = intern(&in->u->names, text);
    return tik_identifier(in, *out, span);
}

static Root *
new_root(Interp *in, Tik *c, Sym name, Dtype t, Span span)
{
    Root *r = ARENA_NEW(&in->u->arena, Root);
    r->c = c;
    r->scope = &c->top_level;
    r->name = name;
    r->mem = SC_GM;
    r->dtype = t;
    r->role = BUF_CONST;
    r->span = span;
    r->chain = stage_chain(in);
    return r;
}

/* Elements and bytes of the shape. */
static bool
set_shape(Interp *in, Root *r, const int64_t *dim, int ndim, Span span)
{
    r->elems = 1;
    bool fits = true;
    for (int i = 0; i < ndim; i++) {
        VEC_PUSH(&in->u->arena, &r->shape, dim[i]);
        fits = fits && checked_mul(r->elems, dim[i], &r->elems);
    }
    fits = fits && checked_mul(r->elems, dtype_size(r->dtype), &r->bytes);
    if (!fits || r->bytes > IR_MAX_CONST) {
        stage_diag(in, D_CONST_INIT, span, "the constant '%s' has more than %lld bytes",
                   tik_sym(in, r->name), (long long)IR_MAX_CONST);
        return false;
    }
    return true;
}

/* The constant as the program holds it. */
static Value
const_value(Interp *in, Root *r)
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

/* What a refused call gives, so that the program is looked at further: whatever uses it is silent. */
static Value
refused(Interp *in, Tik *c, Sym name, Span span)
{
    if (in->fatal) {
        return val_fail();
    }
    View *v = tik_view(in, new_root(in, c, name, DT_S8, span), 1);
    v->dim[0].len = v->flat_len = tik_i64(c, 1);
    v->off = tik_i64(c, 0);
    tik_strides(c, v->dim, 1);
    v->poisoned = true;
    return val_object(&v->base);
}

/* A shape whose lengths are all constant. */
static bool
constant_shape(Interp *in, Tik *c, Value v, Span span, int64_t **dim, int *ndim)
{
    Dim *d;
    TRY(tik_shape(in, c, v, span, &d, ndim));
    *dim = ARENA_ARRAY(&in->u->arena, int64_t, *ndim);
    for (int i = 0; i < *ndim; i++) {
        if (!tik_const_of(c, d[i].len, &(*dim)[i])) {
            stage_diag(
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
read_dtype(Interp *in, Value v, Span span, Dtype *out)
{
    const char *text;
    TRY(tik_text(in, v, "dtype", span, &text));
    *out = dtype_find(text);
    if (*out == DT_NONE) {
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
    TRY(stage_data_file(in, name, span, &path, &bytes, &len));
    if (!tik_npy_view(path, bytes, len, r->dtype, r->elems, &a, &err)) {
        stage_diag(in, D_CONST_FILE, span, "%s", err.text);
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
    TRY(stage_reserve(in, r->bytes, span));
    if (init.kind == VAL_RANGE) {
        init = stage_list(in, init, span);
        TRY(init.kind == VAL_LIST);
    }
    return tik_fill(in, r, "init", init, span);
}

Value
tik_const_new(Interp *in, Tik *c, const CallArgs *args)
{
    static const BindParam params[] = {{"dtype", true, {0}},
                                       {"shape", true, {0}},
                                       {"name", true, {0}},
                                       {"init", true, {0}}};
    Value got[ARRAY_LEN(params)];
    Span span[ARRAY_LEN(params)];
    Root *r = new_root(in, c, 0, DT_S8, args->span);
    int64_t *dim;
    int ndim;
    if (!stage_bind(in, "Const", args, params, ARRAY_LEN(params), got, span)) {
        return val_fail();
    }
    bool ok = tik_not_built(in, c, args->span) &&
              read_dtype(in, got[0], span[0], &r->dtype) &&
              read_name(in, got[2], span[2], &r->name) &&
              constant_shape(in, c, got[1], span[1], &dim, &ndim) &&
              set_shape(in, r, dim, ndim, span[1]) && fill(in, r, got[3], span[3]);
    return ok ? const_value(in, r) : refused(in, c, r->name, args->span);
}

/* A whole constant, not a slice of it; what: the parameter. Null: it is not, with a diagnostic unless one was
 * given when it was made. */
static const Root *
constant_of(Interp *in, const Tik *c, Value v, const char *what, Span span)
{
    const View *t = tik_is(v, &tik_tensor_class) ? (const View *)v.obj : NULL;
    if (t != NULL && t->poisoned) {
        return NULL;
    }
    if (t == NULL || t->root->role != BUF_CONST || t->sliced ||
        t->dtype != t->root->dtype) {
        Diag *d = stage_diag(
            in, D_ARG_TYPE, span, "%s is %s; it takes a whole constant", what,
            t != NULL && t->root->role == BUF_CONST ? "a part of one" : tik_a(in, v));
        diag_help(in->u, d, "Const(dtype, shape, name=, init=) makes one");
        return NULL;
    }
    if (t->root->c != c) {
        stage_diag(in, D_ARG_TYPE, span, "%s belongs to another container", what);
        return NULL;
    }
    return t->root;
}

/* ---- resize -------------------------------------------------------------------------------------------------- */

enum {
    MAX_RANK = 64
};

static bool
check_growth(Interp *in, const Root *src, const int64_t *dim, int ndim, Span span)
{
    if ((uint32_t)ndim != src->shape.n) {
        stage_diag(in, D_RESIZE_RANK, span, "the shape has %d dimensions; '%s' has %u",
                   ndim, tik_sym(in, src->name), src->shape.n);
        return false;
    }
    for (int i = 0; i < ndim; i++) {
        if (dim[i] < src->shape.p[i]) {
            stage_diag(in, D_RESIZE_SHRINK, span,
                       "length %d of the shape is %lld; '%s' has %lld there", i,
                       (long long)dim[i], tik_sym(in, src->name),
                       (long long)src->shape.p[i]);
            return false;
        }
    }
    return true;
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
    pack_resize(src->data, from, to, (int)r->shape.n, (size_t)dtype_size(r->dtype), data);
    r->data = data;
}

Value
tik_resize(Interp *in, Tik *c, const CallArgs *args)
{
    static const BindParam params[] = {
        {"src", true, {0}}, {"shape", true, {0}}, {"name", false, {.kind = VAL_NONE}}};
    Value got[ARRAY_LEN(params)];
    Span span[ARRAY_LEN(params)];
    int64_t *dim;
    int ndim;
    if (!stage_bind(in, "resize", args, params, ARRAY_LEN(params), got, span)) {
        return val_fail();
    }
    const Root *src = constant_of(in, c, got[0], "src", span[0]);
    Sym name = src ? src->name : 0;
    if (!src || !constant_shape(in, c, got[1], span[1], &dim, &ndim) ||
        !check_growth(in, src, dim, ndim, span[1]) ||
        (got[2].kind != VAL_NONE && !read_name(in, got[2], span[2], &name))) {
        return refused(in, c, name, args->span);
    }
    Root *r = new_root(in, c, name, src->dtype, args->span);
    if (!set_shape(in, r, dim, ndim, span[1]) || !stage_reserve(in, r->bytes, span[1])) {
        return refused(in, c, name, args->span);
    }
    grow(in, src, r);
    return const_value(in, r);
}

/* ---- requant ----------------------------------------------------------------------------------------------------- */

/* int32 values, of a list, a Const or one number. */
typedef struct Words {
    const void *p;
    int64_t n; /* -1: one for all channels */
} Words;

typedef struct RequantObj {
    Object base;
    Tik *c;
    Words mul, shift, zp;
    bool poisoned; /* refused, with a diagnostic */
} RequantObj;

static void
requant_repr(Interp *in, Object *self, Text *out)
{
    (void)in;
    (void)self;
    text_put(out, "<requant>");
}

static const ObjectClass requant_class = {.name = "requant", .repr = requant_repr};

static bool
words_of_const(Interp *in, const Tik *c, Value v, const char *what, Span span, Words *out)
{
    const Root *r = constant_of(in, c, v, what, span);
    TRY(r != NULL);
    if (r->dtype != DT_S32) {
        stage_diag(in, D_PACK_TYPE, span, "%s is a constant of %s; it takes int32", what,
                   dtype_name(r->dtype));
        return false;
    }
    *out = (Words){r->data, r->elems};
    return true;
}

static bool
read_words(Interp *in, Tik *c, Value v, const char *what, Span span, Words *out)
{
    if (tik_is(v, &tik_tensor_class)) {
        return words_of_const(in, c, v, what, span, out);
    }
    bool list = v.kind == VAL_LIST || v.kind == VAL_TUPLE;
    Root *r = new_root(in, c, intern(&in->u->names, what), DT_S32, span);
    int64_t n = list ? (int64_t)v.list->n : 1;
    TRY(set_shape(in, r, &n, 1, span) && stage_reserve(in, r->bytes, span) &&
        tik_fill(in, r, what, v, span));
    *out = (Words){r->data, list ? n : -1};
    return true;
}

Value
tik_requant(Interp *in, Tik *c, const CallArgs *args)
{
    static const BindParam params[] = {
        {"mul", true, {0}}, {"shift", true, {0}}, {"zp", false, {.kind = VAL_INT}}};
    Value got[ARRAY_LEN(params)];
    Span span[ARRAY_LEN(params)];
    RequantObj *q = ARENA_NEW(&in->u->arena, RequantObj);
    q->base.cls = &requant_class;
    q->c = c;
    if (!stage_bind(in, "requant", args, params, ARRAY_LEN(params), got, span)) {
        return val_fail();
    }
    q->poisoned = !read_words(in, c, got[0], "mul", span[0], &q->mul) ||
                  !read_words(in, c, got[1], "shift", span[1], &q->shift) ||
                  !read_words(in, c, got[2], "zp", span[2], &q->zp);
    return in->fatal ? val_fail() : val_object(&q->base);
}

/* ---- pack_conv ------------------------------------------------------------------------------------------------------ */

enum {
    K_WEIGHT,
    K_BIAS,
    K_REQUANT,
    K_DEPTHWISE,
    K_NAME,
    K_COUNT
};

/* A call of pack_conv. */
typedef struct Packing {
    Interp *in;
    Tik *c;
    Value got[K_COUNT];
    Span span[K_COUNT];
    Span call;
    PackTarget target;
    const Root *weight;
    const Root *bias;          /* or null */
    const RequantObj *requant; /* or null */
    PackInfo *info;
} Packing;

static bool
check_length(const Packing *p, int what, const char *name, const Words *w)
{
    if (w->n >= 0 && w->n != p->info->dim[0]) {
        stage_diag(p->in, D_PACK_SHAPE, p->span[what],
                   "%s has %lld values; the weight '%s' has %lld output channels", name,
                   (long long)w->n, tik_sym(p->in, p->weight->name),
                   (long long)p->info->dim[0]);
        return false;
    }
    return true;
}

static bool
read_weight(Packing *p)
{
    p->weight = constant_of(p->in, p->c, p->got[K_WEIGHT], "weight", p->span[K_WEIGHT]);
    TRY(p->weight != NULL);
    if (p->weight->shape.n != 4) {
        stage_diag(p->in, D_PACK_SHAPE, p->span[K_WEIGHT],
                   "the weight '%s' has %u dimensions; 4 are: output channels, input "
                   "channels, height, width",
                   tik_sym(p->in, p->weight->name), p->weight->shape.n);
        return false;
    }
    memcpy(p->info->dim, p->weight->shape.p, sizeof p->info->dim);
    p->info->weight = p->weight->dtype;
    p->info->depthwise = tik_is_set(p->got[K_DEPTHWISE]);
    if (p->info->depthwise && p->info->dim[1] != 1) {
        stage_diag(p->in, D_PACK_SHAPE, p->span[K_WEIGHT],
                   "the weight '%s' has %lld input channels; a depthwise one has 1",
                   tik_sym(p->in, p->weight->name), (long long)p->info->dim[1]);
        return false;
    }
    return true;
}

static bool
read_bias(Packing *p)
{
    if (p->got[K_BIAS].kind == VAL_NONE) {
        return true;
    }
    p->bias = constant_of(p->in, p->c, p->got[K_BIAS], "bias", p->span[K_BIAS]);
    TRY(p->bias != NULL);
    if (p->bias->dtype != DT_S32) {
        stage_diag(p->in, D_PACK_TYPE, p->span[K_BIAS],
                   "bias is a constant of %s; it takes int32",
                   dtype_name(p->bias->dtype));
        return false;
    }
    Words w = {p->bias->data, p->bias->elems};
    p->info->bias = true;
    return check_length(p, K_BIAS, "bias", &w);
}

static bool
read_requant(Packing *p)
{
    Value v = p->got[K_REQUANT];
    if (v.kind == VAL_NONE) {
        return true;
    }
    if (!tik_is(v, &requant_class) || ((RequantObj *)v.obj)->c != p->c) {
        Diag *d =
            stage_diag(p->in, D_ARG_TYPE, p->span[K_REQUANT],
                       "requant is %s; it takes what requant() of this container gives",
                       tik_a(p->in, v));
        diag_help(p->in->u, d, "requant(mul=, shift=, zp=)");
        return false;
    }
    p->requant = (RequantObj *)v.obj;
    p->info->requant = true;
    return !p->requant->poisoned && check_length(p, K_REQUANT, "mul", &p->requant->mul) &&
           check_length(p, K_REQUANT, "shift", &p->requant->shift) &&
           check_length(p, K_REQUANT, "zp", &p->requant->zp);
}

static void
no_rule(const Packing *p)
{
    const PackInfo *i = p->info;
    bool together = i->bias || i->requant;
    Diag *d = stage_diag(p->in, D_PACK_TYPE, p->call,
                         "%s has no rule for a %s%s weight%s", p->c->k->soc->name,
                         i->depthwise ? "depthwise " : "", dtype_name(i->weight),
                         i->bias && i->requant ? " with bias and requantisation in front"
                         : i->bias             ? " with its bias in front"
                         : i->requant          ? " with its requantisation in front"
                                               : "");
    if (together) {
        diag_help(p->in->u, d,
                  "pack the weight by itself and move the others on their own");
    }
}

/* What the target makes of it. */
static bool
plan(Packing *p)
{
    PackInfo *i = p->info;
    switch (weight_plan(&p->target, i)) {
    case PACK_OK:
        return true;
    case PACK_BAD_TYPE:
        no_rule(p);
        return false;
    case PACK_ROW_LIMIT:
        stage_diag(
            p->in, D_PACK_ROW_LIMIT, p->call,
            "a row of the packed constant has %llu bytes, which do not split into two "
            "axes of at most %d",
            (unsigned long long)i->plan.row_bytes, PACK_MAX_DIM);
        return false;
    case PACK_TOO_LARGE:
        break;
    }
    stage_diag(p->in, D_CONST_INIT, p->call,
               "the packed constant has more than %lld bytes", (long long)IR_MAX_CONST);
    return false;
}

/* Several channels share a scale or a zero point when one number was given. */
static const int32_t *
spread(const Packing *p, const Words *w)
{
    if (w->n >= 0) {
        return w->p;
    }
    int32_t *all = ARENA_ARRAY(&p->in->u->arena, int32_t, p->info->dim[0]);
    for (int64_t i = 0; i < p->info->dim[0]; i++) {
        memcpy(&all[i], w->p, sizeof *all);
    }
    return all;
}

/* Its bytes in plain order. */
static void
put_plain(const Packing *p, Root *r)
{
    uint8_t *data = arena_alloc(&p->in->u->arena, (size_t)r->bytes);
    uint64_t oc = (uint64_t)p->info->dim[0];
    uint8_t *at = data;
    if (p->requant) {
        PackRequant q = {spread(p, &p->requant->mul), spread(p, &p->requant->shift),
                         spread(p, &p->requant->zp), 1};
        pack_requant_words(&p->target, oc, &q, at);
        at += 4 * oc * p->target.requant_words;
    }
    if (p->bias) {
        memcpy(at, p->bias->data, (size_t)p->bias->bytes);
        at += p->bias->bytes;
    }
    memcpy(at, p->weight->data, (size_t)p->weight->bytes);
    r->data = data;
}

static Value
packed(Packing *p)
{
    PackInfo *i = p->info;
    Sym name = p->weight->name;
    int64_t dim[4];
    if (p->got[K_NAME].kind != VAL_NONE &&
        !read_name(p->in, p->got[K_NAME], p->span[K_NAME], &name)) {
        return refused(p->in, p->c, name, p->call);
    }
    Root *r = new_root(p->in, p->c, name, weight_stored_dtype(i), p->call);
    for (int k = 0; k < 4; k++) {
        dim[k] = (int64_t)i->plan.shape[k];
    }
    if (!set_shape(p->in, r, dim, 4, p->call) ||
        !stage_reserve(p->in, r->bytes, p->call)) {
        return refused(p->in, p->c, name, p->call);
    }
    r->pack = i;
    put_plain(p, r);
    return const_value(p->in, r);
}

static bool
has_lanes(Packing *p)
{
    const Soc *soc = p->c->k->soc;
    if (!pack_target(soc, &p->target)) {
        stage_diag(p->in, D_PACK_TYPE, p->call,
                   "%s has no lanes; constants are packed for processors that do",
                   soc->name);
        return false;
    }
    return true;
}

Value
tik_pack_conv(Interp *in, Tik *c, const CallArgs *args)
{
    static const BindParam params[K_COUNT] = {
        {"weight", true, {0}},
        {"bias", false, {.kind = VAL_NONE}},
        {"requant", false, {.kind = VAL_NONE}},
        {"depthwise", false, {.kind = VAL_BOOL}},
        {"name", false, {.kind = VAL_NONE}},
    };
    Packing p = {.in = in, .c = c, .call = args->span};
    p.info = ARENA_NEW(&c->k->arena, PackInfo);
    if (!stage_bind(in, "pack_conv", args, params, K_COUNT, p.got, p.span)) {
        return val_fail();
    }
    bool ok = tik_not_built(in, c, args->span) && has_lanes(&p) && read_weight(&p) &&
              read_bias(&p) && read_requant(&p) && plan(&p);
    return ok ? packed(&p) : refused(in, c, 0, args->span);
}

/* ---- arange ------------------------------------------------------------------------------------------------------------ */

/* The numbers from start to stop, without stop, or from 0. */
Value
tik_arange(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    static const BindParam params[] = {{"start", true, {0}},
                                       {"stop", false, {.kind = VAL_NONE}}};
    Value got[ARRAY_LEN(params)];
    Span span[ARRAY_LEN(params)];
    int64_t first = 0, last;
    if (!stage_bind(in, "arange", args, params, ARRAY_LEN(params), got, span)) {
        return val_fail();
    }
    bool one = got[1].kind == VAL_NONE;
    if (!val_as_int64(got[one ? 0 : 1], &last) ||
        (!one && !val_as_int64(got[0], &first)) ||
        !checked_sub(last, first, &(int64_t){0}) || last - first > UINT32_MAX / 2) {
        stage_diag(in, D_ARG_TYPE, args->span, "arange takes one or two integers");
        return val_fail();
    }
    int64_t n = MAX(last - first, 0);
    if (!stage_reserve(in, n * (int64_t)sizeof(Value), args->span)) {
        return val_fail();
    }
    Value *item = ARENA_ARRAY(&in->u->arena, Value, n);
    for (int64_t i = 0; i < n; i++) {
        item[i] = val_int(first + i);
    }
    return val_list(in, item, (uint32_t)n);
}
