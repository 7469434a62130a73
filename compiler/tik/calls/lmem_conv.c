/* lmem_conv.c: lane_conv2d, the convolution that reads packed constants, and views of the
 * parts of such a constant.
 *
 * The constant that was moved to the tensor (Root.holds) gives the places of the weight's
 * parts; the instruction has them as numbers. Owns: layout-mismatch and conv-type of the
 * weight, shape-mismatch of the result. */
#include "tik/lmem.h"
#include "tik/calls/instruction.h"
#include "tik/methods.h"

#include <string.h>

#include "ir/packed_const.h"
#include "rules/lmem_conv.h"

/* The arguments of a call. */
typedef struct Conv {
    Side d, x, w;
    const PackInfo *pack;
    int64_t stride[2], pad[4], dilation[2]; /* pad: top, bottom, left, right */
} Conv;

/* ---- numbers ------------------------------------------------------------- */

static bool
one_number(LanesCall *x, Value v, const char *what, Span span, int64_t *out)
{
    if (v.kind == VAL_FLOAT || v.kind == VAL_BOOL || !val_as_int64(v, out)) {
        py_diag(x->in, D_ARG_TYPE, span, "%s is %s; it is an int, or (along h, along w)",
                what, tik_a(x->in, v));
        return false;
    }
    return true;
}

/* Reads an int for both axes, or a pair; n is 4 for the padding, which may be four
 * numbers. */
static bool
read_numbers(LanesCall *x, Value v, const char *what, Span span, int n, int64_t *out)
{
    bool list = v.kind == VAL_LIST || v.kind == VAL_TUPLE;
    uint32_t given = list ? v.list->n : 1;
    if (list && given != 2 && (n != 4 || given != 4)) {
        py_diag(x->in, D_ARG_TYPE, span, "%s has %u numbers; it has 1, 2%s", what, given,
                n == 4 ? " or 4 (top, bottom, left, right)" : "");
        return false;
    }
    for (int i = 0; i < n; i++) {
        uint32_t from = given == 1             ? 0
                        : given == (uint32_t)n ? (uint32_t)i
                                               : (uint32_t)i / 2;
        TRY(one_number(x, list ? v.list->p[from] : v, what, span, &out[i]));
    }
    return true;
}

static bool
in_range(LanesCall *x, const char *what, Span span, const int64_t *v, int n, int64_t lo)
{
    enum {
        MOST = 15
    };
    for (int i = 0; i < n; i++) {
        if (v[i] < lo || v[i] > MOST) {
            py_diag(x->in, D_CONV_UNSUPPORTED, span,
                    "%s is %lld; lane_conv2d takes %lld to %d", what, (long long)v[i],
                    (long long)lo, MOST);
            return false;
        }
    }
    return true;
}

static bool
read_geometry(LanesCall *x, const Value *got, const Span *span, Conv *c)
{
    return read_numbers(x, got[P_lane_conv2d_stride], "stride",
                        span[P_lane_conv2d_stride], 2, c->stride) &&
           read_numbers(x, got[P_lane_conv2d_padding], "padding",
                        span[P_lane_conv2d_padding], 4, c->pad) &&
           read_numbers(x, got[P_lane_conv2d_dilation], "dilation",
                        span[P_lane_conv2d_dilation], 2, c->dilation) &&
           in_range(x, "stride", span[P_lane_conv2d_stride], c->stride, 2, 1) &&
           in_range(x, "padding", span[P_lane_conv2d_padding], c->pad, 4, 0) &&
           in_range(x, "dilation", span[P_lane_conv2d_dilation], c->dilation, 2, 1);
}

/* ---- the weight ---------------------------------------------------------- */

/* Checks the type of the weight. After other parts it is bytes to the instruction, which
 * therefore cannot check it. */
static bool
weight_type_ok(LanesCall *x, const Conv *c, Span span)
{
    const PackInfo *i = c->pack;
    if (!i->nibbles && (i->weight == DT_S8 || i->weight == DT_F32)) {
        return true;
    }
    py_diag(x->in, D_CONV_TYPE, span, "the weight '%s' is of %s",
            tik_sym(x->in, c->w.v->root->holds->name), weight_dtype_name(i));
    return false;
}

/* Cannot overflow: this was checked when the tensors were made. */
static int64_t
elements_of(const int64_t *shape, uint32_t n)
{
    int64_t elems = 1;
    for (uint32_t i = 0; i < n; i++) {
        elems *= shape[i];
    }
    return elems;
}

static bool
read_weight(LanesCall *x, Value v, Span span, Conv *c)
{
    TRY(tik_lanes_side(x, v, "wpack", span, &c->w));
    const Root *r = c->w.v->root;
    const Lanes *l = c->w.v->lanes;
    if (!l || !r->holds || l->x.base != 0) {
        py_diag(
            x->in, D_LAYOUT_MISMATCH, span,
            "'%s' holds no packed constant; move what pack_conv made there as a whole",
            tik_sym(x->in, r->name));
        return false;
    }
    if (elements_of(l->x.shape, LMEM_AXES) !=
        elements_of(r->holds->shape.p, r->holds->shape.n)) {
        py_diag(x->in, D_LAYOUT_MISMATCH, span,
                "'%s' is a view of (%lld, %lld, %lld, %lld) elements of the packed "
                "'%s'; lane_conv2d reads it as a whole",
                tik_sym(x->in, r->name), (long long)l->x.shape[0],
                (long long)l->x.shape[1], (long long)l->x.shape[2],
                (long long)l->x.shape[3], tik_sym(x->in, r->holds->name));
        return false;
    }
    if (x->in->u->opt.no_weight_reorder) {
        py_diag(x->in, D_LAYOUT_MISMATCH, span,
                "'%s' holds '%s' in plain order, as --no-weight-reorder says",
                tik_sym(x->in, r->name), tik_sym(x->in, r->holds->name));
        return false;
    }
    if (l->x.stride[LMEM_W] != 1 || l->x.stride[LMEM_H] != l->x.shape[LMEM_W]) {
        py_diag(x->in, D_LAYOUT_MISMATCH, span,
                "'%s' has the layout '%s', which parts the rows of '%s'",
                tik_sym(x->in, r->name), lmem_layout_name(l->layout),
                tik_sym(x->in, r->holds->name));
        return false;
    }
    c->pack = r->holds->pack;
    return weight_type_ok(x, c, span);
}

static const PackPart *
part_of(const PackInfo *i, PackKind kind)
{
    for (int k = 0; k < i->plan.nparts; k++) {
        if (i->plan.part[k].kind == kind) {
            return &i->plan.part[k];
        }
    }
    return NULL;
}

/* ---- parts as tensors ---------------------------------------------------- */

static const char *const part_names[] = {
    [PACK_REQUANT] = "requant", [PACK_BIAS] = "bias", [PACK_WEIGHT] = "weight"};

/* Returns a view with one row per output channel: the words of requantisation, the bias,
 * or the weights in their packed order. */
static View *
part_view(Interp *in, const View *v, const PackPart *p)
{
    const PackInfo *i = v->root->holds->pack;
    bool alone = !i->bias && !i->requant;
    Dtype t = p->kind == PACK_WEIGHT ? i->weight : DT_S32;
    t = p->kind == PACK_WEIGHT && i->nibbles ? DT_U8 : t;
    int64_t size = dtype_size(t);
    Lanes *l = ARENA_NEW(&in->u->arena, Lanes);
    int64_t pitch = alone ? v->lanes->x.stride[LMEM_C] : (int64_t)p->pitch / size;
    int64_t row = (int64_t)p->slot_bytes / size;
    l->layout = LMEM_FREE;
    l->x = (LmemTensor){.shape = {1, i->dim[0], 1, row},
                        .stride = {0, pitch, row, 1},
                        .base = alone ? 0 : (int64_t)p->offset,
                        .bits = 8 * (int)size};
    l->x.stride[LMEM_N] = lmem_slots(v->root->c->k->soc->lmem, 0, i->dim[0]) * pitch;
    View *w = tik_lanes_of(in, v, l);
    w->dtype = t;
    return w;
}

Value
tik_lanes_part(Interp *in, View *v, const CallArgs *args)
{
    Value got;
    const char *text;
    if (!tik_bind(in, CALL_part, args, &got, NULL)) {
        return val_fail();
    }
    if (v->poisoned || !tik_text(in, got, "name", args->span, &text)) {
        return val_object(&v->base);
    }
    const Root *held = v->root->holds;
    for (int k = 0; held && v->lanes && k < held->pack->plan.nparts; k++) {
        const PackPart *p = &held->pack->plan.part[k];
        if (strcmp(part_names[p->kind], text) == 0) {
            return val_object(&part_view(in, v, p)->base);
        }
    }
    py_diag(in, D_LAYOUT_MISMATCH, args->span, "'%s' holds no %s",
            tik_sym(in, v->root->name), held ? text : "packed constant");
    return val_object(&v->base);
}

/* ---- shapes -------------------------------------------------------------- */

/* Returns the number of results along h (axis 0) or w (1). */
static int64_t
results(const Conv *c, int axis)
{
    int64_t kernel = c->pack->dim[2 + axis];
    int64_t room = c->x.shape[LMEM_H + axis] + c->pad[2 * axis] + c->pad[2 * axis + 1] -
                   c->dilation[axis] * (kernel - 1) - 1;
    return room < 0 ? 0 : room / c->stride[axis] + 1;
}

static bool
shapes_fit(LanesCall *x, const Conv *c)
{
    const PackInfo *i = c->pack;
    int64_t channels = i->depthwise ? i->dim[0] : i->dim[1];
    const int64_t want[LMEM_AXES] = {c->x.shape[LMEM_N], i->dim[0], results(c, 0),
                                     results(c, 1)};
    if (c->x.shape[LMEM_C] != channels) {
        py_diag(x->in, D_SHAPE_MISMATCH, c->x.span,
                "x has %lld channels; the weight '%s' takes %lld",
                (long long)c->x.shape[LMEM_C], tik_sym(x->in, c->w.v->root->holds->name),
                (long long)channels);
        return false;
    }
    if (memcmp(want, c->d.shape, sizeof want) != 0) {
        py_diag(x->in, D_SHAPE_MISMATCH, c->d.span,
                "dst has the shape (%lld, %lld, %lld, %lld); the result has (%lld, %lld, "
                "%lld, %lld)",
                (long long)c->d.shape[0], (long long)c->d.shape[1],
                (long long)c->d.shape[2], (long long)c->d.shape[3], (long long)want[0],
                (long long)want[1], (long long)want[2], (long long)want[3]);
        return false;
    }
    return true;
}

/* ---- addresses ----------------------------------------------------------- */

/* Checks the address of an operand, if it is given: all others are placed at a
 * multiple. */
static bool
aligned(LanesCall *x, const Conv *c, int param, const Side *s)
{
    const PackInfo *i = c->pack;
    const LaneConvOperands o = {c->x.v->dtype, i->depthwise, i->requant, i->bias};
    const Root *r = s->v->root;
    int64_t at = s->v->lanes->x.base + (r->fixed ? r->fixed_at : 0);
    Fault fault;
    if (!lane_conv_aligned(x->c->k->soc->lmem, param, &o, at, &fault)) {
        py_diag(x->in, D_EU_MISALIGNED, s->span, "%s", fault.text);
        return false;
    }
    return true;
}

static bool
all_aligned(LanesCall *x, const Conv *c)
{
    return aligned(x, c, LCONV_dst, &c->d) && aligned(x, c, LCONV_src, &c->x) &&
           aligned(x, c, LCONV_weight, &c->w);
}

/* ---- recording ----------------------------------------------------------- */

static void
put_pair(LanesCall *x, const int64_t v[2])
{
    tik_lanes_number(x, v[0]);
    tik_lanes_number(x, v[1]);
}

/* Returns the number of adjacent input channels of the weight. */
static int64_t
channels_at_once(const Kernel *k, const PackInfo *i)
{
    PackTarget t;
    PackWeight w = weight_source(i, NULL);
    return pack_target(k->soc, k->choices, &t) ? MAX((int64_t)pack_parallel(&t, &w), 1)
                                               : 1;
}

/* Adds the places of the parts. A weight without other parts has one slot per channel, at
 * the distance that its layout has. */
static void
put_parts(LanesCall *x, const Conv *c)
{
    const PackInfo *i = c->pack;
    const PackPart *words = part_of(i, PACK_REQUANT), *bias = part_of(i, PACK_BIAS);
    const PackPart *weight = part_of(i, PACK_WEIGHT);
    bool rows = i->bias || i->requant;
    int64_t pitch = c->w.v->lanes->x.stride[LMEM_C] * c->w.bits / 8;
    tik_lanes_number(x, channels_at_once(x->c->k, i));
    tik_lanes_number(x, i->depthwise);
    tik_lanes_number(x, words ? (int64_t)words->slot_bytes / 4 : 0);
    tik_lanes_number(x, words ? (int64_t)words->pitch : 0);
    tik_lanes_number(x, bias ? (int64_t)bias->offset : -1);
    tik_lanes_number(x, rows && weight ? (int64_t)weight->offset : 0);
    tik_lanes_number(x, rows && weight ? (int64_t)weight->pitch : pitch);
}

static void
record(LanesCall *x, const Value *got, const Span *span, const Conv *c)
{
    const int64_t first[2] = {c->pad[0], c->pad[2]};
    for (int i = P_lane_conv2d_dst; i <= P_lane_conv2d_wpack; i++) {
        tik_lanes_put(x, got[i], span[i]);
    }
    tik_lanes_number(x, c->d.lane);
    tik_lanes_number(x, c->x.lane);
    tik_lanes_axes(x, c->d.shape);
    tik_lanes_axes(x, c->d.stride);
    tik_lanes_axes(x, c->x.shape);
    tik_lanes_axes(x, c->x.stride);
    put_pair(x, c->pack->dim + 2);
    put_pair(x, c->stride);
    put_pair(x, first);
    put_pair(x, c->dilation);
    put_parts(x, c);
    (void)tik_record(x->in, x->c, OP_LANE_CONV2D, x->args, x->got, x->span);
}

Value
tik_lane_conv2d(Interp *in, Tik *c, const CallArgs *args)
{
    LanesCall x = {.in = in, .c = c, .args = args, .name = "lane_conv2d"};
    Value got[MOST_ARGS];
    Span span[MOST_ARGS];
    Conv conv = {.pack = NULL};
    if (tik_lanes_begin(&x, CALL_lane_conv2d, got, span)) {
        bool ok = tik_lanes_operand(&x, got[P_lane_conv2d_dst], "dst",
                                    span[P_lane_conv2d_dst], &conv.d);
        ok = tik_lanes_operand(&x, got[P_lane_conv2d_x], "x", span[P_lane_conv2d_x],
                               &conv.x) &&
             ok;
        ok =
            read_weight(&x, got[P_lane_conv2d_wpack], span[P_lane_conv2d_wpack], &conv) &&
            ok;
        if (ok && read_geometry(&x, got, span, &conv) && shapes_fit(&x, &conv) &&
            all_aligned(&x, &conv)) {
            record(&x, got, span, &conv);
        }
    }
    return tik_none(in);
}
