/* pack.c: pack_conv, which puts a convolution's weight, bias and requantisation into one
 * constant (lmem.md 10.4), and pack_params for processors that keep the numbers of an
 * output channel apart from the weight.
 *
 * The arguments of pack_conv do not become constants of the kernel: their bytes go into
 * the packed constant, in plain order, and the pass weight-reorder reorders them.
 *
 * Owns: pack-shape, pack-type, pack-row-limit. */
#include "tik/const.h"
#include "tik/methods.h"
#include "tik/tensor.h"

#include <string.h>

#include "ir/packed_const.h"

/* ---- requant ------------------------------------------------------------- */

/* int32 values of a list or a Const, or one number. */
typedef struct Words {
    const void *p;
    int64_t n; /* number of values; -1: one for all channels */
} Words;

typedef struct RequantObj {
    Object base;
    Tik *c;
    Words mul, shift, zp;
    bool poisoned; /* it was refused with a diagnostic */
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
    const Root *r = tik_const_given(in, c, v, what, span);
    TRY(r != NULL);
    if (r->dtype != DT_S32) {
        py_diag(in, D_PACK_TYPE, span, "%s is a constant of %s; it takes int32", what,
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
    TRY(py_plain(in, &v, span));
    bool list = v.kind == VAL_LIST || v.kind == VAL_TUPLE;
    Root *r = tik_const_root(in, c, intern(&in->u->names, what), DT_S32, span);
    int64_t n = list ? (int64_t)v.list->n : 1;
    TRY(tik_const_shape(in, r, &n, 1, span) && py_reserve(in, r->bytes, span) &&
        tik_fill(in, r, what, v, span));
    *out = (Words){r->data, list ? n : -1};
    return true;
}

Value
tik_requant(Interp *in, Tik *c, const CallArgs *args)
{
    Value got[MOST_ARGS];
    Span span[MOST_ARGS];
    RequantObj *q = ARENA_NEW(&in->u->arena, RequantObj);
    q->base.cls = &requant_class;
    q->c = c;
    if (!tik_bind(in, CALL_requant, args, got, span)) {
        return val_fail();
    }
    q->poisoned =
        !read_words(in, c, got[P_requant_mul], "mul", span[P_requant_mul], &q->mul) ||
        !read_words(in, c, got[P_requant_shift], "shift", span[P_requant_shift],
                    &q->shift) ||
        !read_words(in, c, got[P_requant_zp], "zp", span[P_requant_zp], &q->zp);
    return in->fatal ? val_fail() : val_object(&q->base);
}

/* ---- pack_conv ----------------------------------------------------------- */

/* A call of pack_conv. */
typedef struct Packing {
    Interp *in;
    Tik *c;
    Value got[MOST_ARGS];
    Span span[MOST_ARGS];
    Span call;
    PackTarget target;
    const Root *weight;
    const Root *bias;          /* may be null */
    const RequantObj *requant; /* may be null */
    PackInfo *info;
} Packing;

static bool
check_length(const Packing *p, int what, const char *name, const Words *w)
{
    if (w->n >= 0 && w->n != p->info->dim[0]) {
        py_diag(p->in, D_PACK_SHAPE, p->span[what],
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
    p->weight = tik_const_given(p->in, p->c, p->got[P_pack_conv_weight], "weight",
                                p->span[P_pack_conv_weight]);
    TRY(p->weight != NULL);
    if (p->weight->shape.n != 4) {
        py_diag(p->in, D_PACK_SHAPE, p->span[P_pack_conv_weight],
                "the weight '%s' has %u dimensions; 4 are: output channels, input "
                "channels, height, width",
                tik_sym(p->in, p->weight->name), p->weight->shape.n);
        return false;
    }
    memcpy(p->info->dim, p->weight->shape.p, sizeof p->info->dim);
    p->info->nibbles = p->weight->bits == 4;
    p->info->weight = p->weight->sign4 ? DT_S8 : p->weight->dtype;
    p->info->depthwise = tik_is_set(p->got[P_pack_conv_depthwise]);
    if (p->info->depthwise && p->info->dim[1] != 1) {
        py_diag(p->in, D_PACK_SHAPE, p->span[P_pack_conv_weight],
                "the weight '%s' has %lld input channels; a depthwise one has 1",
                tik_sym(p->in, p->weight->name), (long long)p->info->dim[1]);
        return false;
    }
    return true;
}

static bool
read_bias(Packing *p)
{
    if (p->got[P_pack_conv_bias].kind == VAL_NONE) {
        return true;
    }
    p->bias = tik_const_given(p->in, p->c, p->got[P_pack_conv_bias], "bias",
                              p->span[P_pack_conv_bias]);
    TRY(p->bias != NULL);
    if (p->bias->dtype != DT_S32) {
        py_diag(p->in, D_PACK_TYPE, p->span[P_pack_conv_bias],
                "bias is a constant of %s; it takes int32", dtype_name(p->bias->dtype));
        return false;
    }
    Words w = {p->bias->data, p->bias->elems};
    p->info->bias = true;
    return check_length(p, P_pack_conv_bias, "bias", &w);
}

static const RequantObj *
given_requant(Interp *in, const Tik *c, Value v, Span span)
{
    if (!tik_is(v, &requant_class) || ((RequantObj *)v.obj)->c != c) {
        Diag *d =
            py_diag(in, D_ARG_TYPE, span,
                    "requant is %s; it takes what requant() of this container gives",
                    tik_a(in, v));
        diag_help(in->u, d, "requant(mul=, shift=, zp=)");
        return NULL;
    }
    return (RequantObj *)v.obj;
}

static bool
read_requant(Packing *p)
{
    Value v = p->got[P_pack_conv_requant];
    if (v.kind == VAL_NONE) {
        return true;
    }
    p->requant = given_requant(p->in, p->c, v, p->span[P_pack_conv_requant]);
    p->info->requant = true;
    return p->requant && !p->requant->poisoned &&
           check_length(p, P_pack_conv_requant, "mul", &p->requant->mul) &&
           check_length(p, P_pack_conv_requant, "shift", &p->requant->shift) &&
           check_length(p, P_pack_conv_requant, "zp", &p->requant->zp);
}

static void
no_rule(const Packing *p)
{
    const PackInfo *i = p->info;
    bool together = i->bias || i->requant;
    Diag *d = py_diag(p->in, D_PACK_TYPE, p->call, "%s has no rule for a %s%s weight%s",
                      p->c->k->soc->name, i->depthwise ? "depthwise " : "",
                      weight_dtype_name(i),
                      i->bias && i->requant ? " with bias and requantisation in front"
                      : i->bias             ? " with its bias in front"
                      : i->requant          ? " with its requantisation in front"
                                            : "");
    if (together) {
        diag_help(p->in->u, d,
                  "pack the weight by itself and move the others on their own");
    }
}

/* Computes the target's layout of the constant. */
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
        py_diag(
            p->in, D_PACK_ROW_LIMIT, p->call,
            "a row of the packed constant has %llu bytes, which do not split into two "
            "axes of at most %d",
            (unsigned long long)i->plan.row_bytes, PACK_MAX_DIM);
        return false;
    case PACK_TOO_LARGE:
        break;
    }
    py_diag(p->in, D_CONST_INIT, p->call, "the packed constant has more than %lld bytes",
            (long long)IR_MAX_CONST);
    return false;
}

/* Returns a value for every channel, also when one number was given for all. */
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

/* Fills the constant with its bytes in plain order. */
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
    if (p->got[P_pack_conv_name].kind != VAL_NONE &&
        !tik_const_name(p->in, p->got[P_pack_conv_name], p->span[P_pack_conv_name],
                        &name)) {
        return tik_const_refused(p->in, p->c, name, p->call);
    }
    Root *r = tik_const_root(p->in, p->c, name, weight_stored_dtype(i), p->call);
    for (int k = 0; k < 4; k++) {
        dim[k] = (int64_t)i->plan.shape[k];
    }
    if (!tik_const_shape(p->in, r, dim, 4, p->call) ||
        !py_reserve(p->in, r->bytes, p->call)) {
        return tik_const_refused(p->in, p->c, name, p->call);
    }
    r->pack = i;
    put_plain(p, r);
    return tik_const_value(p->in, r);
}

static bool
has_lanes(Packing *p)
{
    const Soc *soc = p->c->k->soc;
    if (!pack_target(soc, p->c->k->choices, &p->target)) {
        py_diag(p->in, D_PACK_TYPE, p->call,
                "%s has no lanes; constants are packed for processors that do",
                soc->name);
        return false;
    }
    return true;
}

Value
tik_pack_conv(Interp *in, Tik *c, const CallArgs *args)
{
    Packing p = {.in = in, .c = c, .call = args->span};
    p.info = ARENA_NEW(&c->k->arena, PackInfo);
    if (!tik_bind(in, CALL_pack_conv, args, p.got, p.span)) {
        return val_fail();
    }
    bool ok = tik_not_built(in, c, args->span) && has_lanes(&p) && read_weight(&p) &&
              read_bias(&p) && read_requant(&p) && plan(&p);
    return ok ? packed(&p) : tik_const_refused(in, c, 0, args->span);
}

/* ---- pack_params --------------------------------------------------------- */

/* A call of pack_params, for processors that keep the numbers of an output channel apart
 * from the weight. */
typedef struct Params {
    Interp *in;
    Tik *c;
    Span span, bias_span, requant_span;
    const Root *bias;          /* may be null */
    const RequantObj *requant; /* may be null */
    int64_t oc;
} Params;

static bool
same_channels(Params *p, const char *what, int64_t n, Span span)
{
    p->oc = p->oc < 0 ? n : p->oc;
    if (n >= 0 && n != p->oc) {
        py_diag(p->in, D_PACK_SHAPE, span,
                "%s has %lld values, and what stands before it is of %lld output "
                "channels",
                what, (long long)n, (long long)p->oc);
        return false;
    }
    return true;
}

static int32_t
word_of(const Words *w, int64_t channel)
{
    int32_t v;
    memcpy(&v, (const uint8_t *)w->p + (w->n >= 0 ? 4 * channel : 0), sizeof v);
    return v;
}

/* Checks that each shift fits a byte and each zero point is 0: there is no room for
 * others. */
static bool
words_fit(Params *p)
{
    p->oc = MAX(p->oc, 1); /* without lists there is one channel */
    for (int64_t i = 0; i < p->oc; i++) {
        int32_t shift = word_of(&p->requant->shift, i), zp = word_of(&p->requant->zp, i);
        if (shift < 0 || shift > UINT8_MAX || zp != 0) {
            py_diag(p->in, D_PACK_TYPE, p->requant_span,
                    "the shift of channel %lld is %d and its zero point %d; %s has "
                    "shifts of 0 to 255 and no zero points",
                    (long long)i, shift, zp, p->c->k->soc->name);
            return false;
        }
    }
    return true;
}

static bool
params_fit(Params *p)
{
    PackTarget t;
    const char *soc = p->c->k->soc->name;
    if (!pack_target(p->c->k->soc, NULL, &t) || t.order != PACK_PLAIN) {
        py_diag(p->in, D_PACK_TYPE, p->span,
                "%s keeps the bias and the requantisation of a channel with its weight",
                soc);
        return false;
    }
    bool fits =
        p->bias ? p->bias->dtype == (p->requant ? DT_S32 : DT_F32) : p->requant != NULL;
    if (!fits) {
        py_diag(p->in, D_PACK_TYPE, p->span,
                "the bias is %s and requantisation %s; %s has rules for "
                "requantisation with or without a bias of int32, and for one of float32",
                p->bias ? dtype_name(p->bias->dtype) : "not there",
                p->requant ? "given" : "not", soc);
        return false;
    }
    p->oc = p->bias ? p->bias->elems : -1;
    return !p->requant ||
           (same_channels(p, "mul", p->requant->mul.n, p->requant_span) &&
            same_channels(p, "shift", p->requant->shift.n, p->requant_span) &&
            same_channels(p, "zp", p->requant->zp.n, p->requant_span) && words_fit(p));
}

/* Writes the bias, or all numbers of the requantisation for each channel; if all are
 * single numbers, there is one channel. */
static void
put_params(const Params *p, uint8_t *out)
{
    uint64_t oc = (uint64_t)p->oc;
    if (!p->requant) {
        pack_bias_planes(oc, p->bias->data, out);
        return;
    }
    int32_t *mul = ARENA_ARRAY(&p->in->u->arena, int32_t, p->oc);
    int32_t *shift = ARENA_ARRAY(&p->in->u->arena, int32_t, p->oc);
    for (int64_t i = 0; i < p->oc; i++) {
        mul[i] = word_of(&p->requant->mul, i);
        shift[i] = word_of(&p->requant->shift, i);
    }
    PackRequant q = {.mul = mul, .shift = shift};
    pack_channel_bytes(oc, p->bias ? p->bias->data : NULL, &q, out);
}

static Value
params_value(Params *p, Sym name)
{
    Root *r = tik_const_root(p->in, p->c, name, p->requant ? DT_U8 : DT_BF16, p->span);
    const int64_t dim[] = {p->requant ? 1 : 2, p->oc, 1,
                           !p->requant ? 1
                           : p->bias   ? 9
                                       : 5};
    if (!tik_const_shape(p->in, r, dim, 4, p->span) ||
        !py_reserve(p->in, r->bytes + 8 * p->oc, p->span)) {
        return tik_const_refused(p->in, p->c, name, p->span);
    }
    uint8_t *data = arena_alloc(&p->in->u->arena, (size_t)r->bytes);
    put_params(p, data);
    r->data = data;
    return tik_const_value(p->in, r);
}

static bool
read_parameters(Params *p, const Value *got)
{
    if (got[0].kind != VAL_NONE) {
        p->bias = tik_const_given(p->in, p->c, got[0], "bias", p->bias_span);
        TRY(p->bias != NULL);
    }
    if (got[1].kind != VAL_NONE) {
        p->requant = given_requant(p->in, p->c, got[1], p->requant_span);
        TRY(p->requant != NULL && !p->requant->poisoned);
    }
    return params_fit(p);
}

Value
tik_pack_params(Interp *in, Tik *c, const CallArgs *args)
{
    Value got[MOST_ARGS];
    Span span[MOST_ARGS];
    Sym name = 0;
    if (!tik_bind(in, CALL_pack_params, args, got, span)) {
        return val_fail();
    }
    Params p = {.in = in,
                .c = c,
                .span = args->span,
                .bias_span = span[P_pack_params_bias],
                .requant_span = span[P_pack_params_requant]};
    bool ok =
        tik_not_built(in, c, args->span) &&
        tik_const_name(in, got[P_pack_params_name], span[P_pack_params_name], &name) &&
        read_parameters(&p, got);
    return ok ? params_value(&p, name) : tik_const_refused(in, c, name, args->span);
}
