/* lmem.c: arithmetic in LMEM, and data_move of tensors, the form for operands in LMEM.
 *
 * The instruction has the extents, strides and start lanes of both sides as numbers; only
 * this stage knows layouts by name. Owns: dma-form of calls, layout-mismatch of operands,
 * shape-mismatch of arithmetic. */
#include "tik/lmem.h"
#include "tik/addr_list.h"
#include "tik/calls/instruction.h"
#include "tik/expr.h"
#include "tik/methods.h"

#include <string.h>

/* ---- operands of the instruction ----------------------------------------- */

void
tik_lanes_put(LanesCall *x, Value v, Span span)
{
    x->got[x->n] = v;
    x->span[x->n++] = span;
}

void
tik_lanes_number(LanesCall *x, int64_t v)
{
    tik_lanes_put(x, val_int(v), x->args->span);
}

void
tik_lanes_axes(LanesCall *x, const int64_t n[LMEM_AXES])
{
    Value list = val_list(x->in, NULL, 0);
    for (int i = 0; i < LMEM_AXES; i++) {
        (void)!list_push(x->in, list, val_int(n[i])); /* cannot fail */
    }
    tik_lanes_put(x, list, x->args->span);
}

/* ---- operands ------------------------------------------------------------ */

/* Reads the axes of a linear tensor. Axes that it lacks are leading ones of one
 * element. */
static bool
linear_side(LanesCall *x, Side *s)
{
    int64_t step = 1;
    const View *v = s->v;
    if (v->ndim > LMEM_AXES) {
        py_diag(x->in, D_LMEM_RANK, s->span, "%s has %d axes; %s takes 1 to 4", s->name,
                v->ndim, x->name);
        return false;
    }
    for (int i = LMEM_AXES - 1; i >= 0; i--) {
        int from = i - (LMEM_AXES - v->ndim);
        s->shape[i] = 1;
        s->stride[i] = step;
        if (from >= 0 && !v->element &&
            (!tik_fixed_sum(x->c->k, v->dim[from].len, &s->shape[i]) ||
             !tik_const_of(x->c, v->dim[from].stride, &s->stride[i]))) {
            py_diag(x->in, D_LMEM_RANK, s->span,
                    "the shape of %s is known only at run time; %s takes constants",
                    s->name, x->name);
            return false;
        }
        step = s->shape[i] * s->stride[i]; /* no overflow: within IR_MAX_BYTES */
    }
    return true;
}

bool
tik_lanes_side(LanesCall *x, Value v, const char *name, Span span, Side *s)
{
    *s = (Side){.name = name, .span = span};
    if (!tik_is(v, &tik_tensor_class)) {
        py_diag(x->in, D_ARG_TYPE, span, "%s is %s; %s takes a tensor there", name,
                tik_a(x->in, v), x->name);
        return false;
    }
    s->v = (View *)v.obj;
    TRY(tik_own(x->in, x->c, v, span) && !s->v->poisoned);
    s->bits = s->v->root->bits == 4 ? 4 : 8 * dtype_size(s->v->dtype);
    const Lanes *l = s->v->lanes;
    if (!l) {
        return linear_side(x, s);
    }
    s->lane = l->x.lane;
    memcpy(s->shape, l->x.shape, sizeof s->shape);
    memcpy(s->stride, l->x.stride, sizeof s->stride);
    return true;
}

bool
tik_lanes_begin(LanesCall *x, Call call, Value *got, Span *span)
{
    return !tik_dropped(x->c) &&
           tik_bind_like(x->in, x->name, call, x->args, got, span) &&
           tik_not_built(x->in, x->c, x->args->span);
}

/* ---- data_move ----------------------------------------------------------- */

static bool
is_lanes(Value v)
{
    return tik_is(v, &tik_tensor_class) && ((View *)v.obj)->root->mem == SC_LMEM;
}

/* True if an argument is in LMEM. */
static bool
names_lanes(const CallArgs *a)
{
    bool found = false;
    for (int i = 0; i < a->npos; i++) {
        found = found || is_lanes(a->pos[i]);
    }
    for (int i = 0; i < a->nkw; i++) {
        found = found || is_lanes(a->kwval[i]);
    }
    return found;
}

static bool
is_burst_word(const char *text)
{
    static const char *const words[] = {"sid",        "nburst",     "burst",
                                        "src_stride", "dst_stride", "PadMode"};
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        if (strcmp(words[i], text) == 0) {
            return true;
        }
    }
    return false;
}

/* True if the call counts bursts, which is the form for linear tensors. */
static bool
has_bursts(Interp *in, const CallArgs *a)
{
    bool found = a->npos > 4;
    for (int i = 0; i < a->nkw; i++) {
        found = found || is_burst_word(tik_sym(in, a->kwname[i]));
    }
    return found;
}

/* Returns the argument dst, None if it is missing. */
static Value
dst_of(Interp *in, const CallArgs *a)
{
    for (int i = 0; a->npos == 0 && i < a->nkw; i++) {
        if (strcmp(tik_sym(in, a->kwname[i]), "dst") == 0) {
            return a->kwval[i];
        }
    }
    return a->npos > 0 ? a->pos[0] : val_none();
}

static bool
read_func(LanesCall *x, const Value *got, const Span *span, LmemFunc *out)
{
    const char *text = NULL;
    *out = tik_is_set(got[3]) ? LMEM_BCAST : LMEM_COPY;
    if (got[2].kind == VAL_NONE) {
        return true;
    }
    TRY(tik_text(x->in, got[2], "trans", span[2], &text));
    bool nc = strcmp(text, "NC") == 0;
    if (*out == LMEM_BCAST || (!nc && strcmp(text, "CW") != 0)) {
        py_diag(x->in, D_ARG_TYPE, span[2], "trans is '%s'%s; it is 'NC' or 'CW'", text,
                *out == LMEM_BCAST ? " beside bcast=True" : "");
        return false;
    }
    *out = nc ? LMEM_NC : LMEM_CW;
    return true;
}

static bool
same_width(LanesCall *x, const Side *d, const Side *s)
{
    if (d->bits == s->bits) {
        return true;
    }
    py_diag(x->in, D_DTYPE_MISMATCH, s->span,
            "dst has elements of %d bits and src of %d; %s needs one dtype", d->bits,
            s->bits, x->name);
    return false;
}

/* Checks that a packed constant is moved to the lanes of its rows, and notes the constant
 * that the tensor holds. */
static bool
note_packed(LanesCall *x, const Side *d, const Side *s, LmemFunc func)
{
    Root *to = d->v->root;
    const Root *from = s->v->root;
    if (to->mem == SC_LMEM) {
        to->holds = NULL;
    }
    if (!from->pack || to->mem != SC_LMEM) {
        return true;
    }
    if (d->lane != 0) {
        py_diag(x->in, D_PACK_START_LANE, d->span,
                "the packed constant '%s' is moved to lane %lld",
                tik_sym(x->in, from->name), (long long)d->lane);
        return false;
    }
    bool whole = func == LMEM_COPY && memcmp(d->shape, s->shape, sizeof s->shape) == 0 &&
                 d->v->lanes->x.base == 0 && s->v->ndim == LMEM_AXES && !s->v->sliced;
    to->holds = whole ? from : NULL;
    return true;
}

void
tik_lanes_record_move(LanesCall *x, Value dst, Value src, const Side *d, const Side *s,
                      LmemFunc func, const Span *span)
{
    x->n = 0;
    tik_lanes_put(x, dst, span[0]);
    tik_lanes_put(x, src, span[1]);
    tik_lanes_number(x, func);
    tik_lanes_number(x, d->bits);
    tik_lanes_number(x, d->lane);
    tik_lanes_number(x, s->lane);
    tik_lanes_axes(x, d->shape);
    tik_lanes_axes(x, d->stride);
    tik_lanes_axes(x, s->shape);
    tik_lanes_axes(x, s->stride);
    tik_lanes_number(x, -1); /* all lanes */
    (void)tik_record(x->in, x->c, OP_DATA_MOVE_TENSOR, x->args, x->got, x->span);
}

static bool
cells_fit(LanesCall *x, LmemFunc func, Span span)
{
    if (func != LMEM_COPY) {
        py_diag(x->in, D_LAYOUT_MISMATCH, span,
                "a move with trans or bcast of a tensor with the layout 'cells'");
    }
    return func == LMEM_COPY;
}

static void
move_tensors(LanesCall *x, const Value *got, const Span *span)
{
    Side d, s;
    LmemFunc func;
    bool ok = tik_lanes_side(x, got[0], "dst", span[0], &d);
    ok = tik_lanes_side(x, got[1], "src", span[1], &s) && ok;
    if (!ok || !read_func(x, got, span, &func) || !same_width(x, &d, &s) ||
        !note_packed(x, &d, &s, func)) {
        return;
    }
    if (!tik_lanes_in_cells(&d) && !tik_lanes_in_cells(&s)) {
        tik_lanes_record_move(x, got[0], got[1], &d, &s, func, span);
    } else if (cells_fit(x, func, span[1])) {
        tik_lanes_move_cells(x, &d, &s, span);
    }
}

/* A data_move that LMEM is part of, or that has no bursts. */
static Value
move_lanes(Interp *in, Tik *c, const CallArgs *args, bool bursts)
{
    LanesCall x = {.in = in, .c = c, .args = args, .name = "data_move"};
    Value got[MOST_ARGS];
    Span span[MOST_ARGS];
    if (bursts && !tik_dropped(c)) {
        Diag *d = py_diag(in, D_DMA_FORM, args->span,
                          "data_move with bursts and an operand in LMEM");
        diag_help(in->u, d, "write data_move(dst, src); the layouts say the rest");
        return val_none();
    }
    if (tik_lanes_begin(&x, CALL_data_move_lanes, got, span)) {
        move_tensors(&x, got, span);
    }
    return tik_none(in);
}

Value
tik_data_move(Interp *in, Tik *c, const CallArgs *args)
{
    bool bursts = has_bursts(in, args);
    if (tik_is(dst_of(in, args), &tik_list_class)) {
        return tik_list_fill(in, c, args);
    }
    if (!c->k->soc->lmem || (bursts && !names_lanes(args))) {
        return tik_instruction(in, c, tik_move_op(dst_of(in, args)), args);
    }
    return move_lanes(in, c, args, bursts);
}

/* ---- arithmetic ---------------------------------------------------------- */

/* Checks the layout of an operand of arithmetic: aligned, or of free strides. */
static bool
layout_ok(LanesCall *x, const Side *s)
{
    const Lanes *l = s->v->lanes;
    if (!l) {
        py_diag(x->in, D_LAYOUT_MISMATCH, s->span, "%s is in %s; %s works in LMEM",
                s->name, scope_name(s->v->root->mem), x->name);
        return false;
    }
    if (l->layout != LMEM_ALIGNED && l->layout != LMEM_FREE) {
        py_diag(x->in, D_LAYOUT_MISMATCH, s->span,
                "%s has the layout '%s'; %s takes 'aligned' and 'free'", s->name,
                lmem_layout_name(l->layout), x->name);
        return false;
    }
    if (s->bits == 4) {
        py_diag(x->in, D_DTYPE_UNSUPPORTED, s->span,
                "%s has elements of 4 bits; %s takes 8 to 32", s->name, x->name);
        return false;
    }
    return true;
}

/* Checks that extents equal those of dst, except on axes that are broadcast. */
static bool
shape_ok(LanesCall *x, const Side *d, const Side *s)
{
    static const char axes[] = "nchw";
    for (int i = 0; i < LMEM_AXES; i++) {
        if (s->shape[i] != d->shape[i] && !s->v->lanes->spread[i]) {
            py_diag(x->in, i == LMEM_C ? D_CROSS_LANE : D_SHAPE_MISMATCH, s->span,
                    "axis %c of %s has %lld elements and that of dst %lld", axes[i],
                    s->name, (long long)s->shape[i], (long long)d->shape[i]);
            return false;
        }
    }
    return true;
}

bool
tik_lanes_operand(LanesCall *x, Value v, const char *name, Span span, Side *s)
{
    return tik_lanes_side(x, v, name, span, s) && layout_ok(x, s);
}

static void
compute(LanesCall *x, Op op, Op scalar, const Value *got, const Span *span)
{
    Side d, a, b;
    bool two = tik_is(got[2], &tik_tensor_class);
    bool ok = tik_lanes_operand(x, got[0], "dst", span[0], &d);
    ok = tik_lanes_operand(x, got[1], "a", span[1], &a) && ok;
    ok = (!two || tik_lanes_operand(x, got[2], "b", span[2], &b)) && ok;
    if (!ok || !shape_ok(x, &d, &a) || (two && !shape_ok(x, &d, &b))) {
        return;
    }
    for (int i = 0; i < 3; i++) {
        tik_lanes_put(x, got[i], span[i]);
    }
    tik_lanes_number(x, d.lane);
    tik_lanes_number(x, a.lane);
    if (two) {
        tik_lanes_number(x, b.lane);
    }
    tik_lanes_axes(x, d.shape);
    tik_lanes_axes(x, d.stride);
    tik_lanes_axes(x, a.stride);
    if (two) {
        tik_lanes_axes(x, b.stride);
    }
    (void)tik_record(x->in, x->c, two ? op : scalar, x->args, x->got, x->span);
}

static Value
call_arithmetic(Interp *in, Tik *c, const CallArgs *args, Op op, Op scalar)
{
    LanesCall x = {.in = in, .c = c, .args = args, .name = op_table[op].name};
    Value got[3];
    Span span[3];
    if (tik_lanes_begin(&x, CALL_lane_add, got, span)) {
        compute(&x, op, scalar, got, span);
    }
    return tik_none(in);
}

#define ARITHMETIC(name, id)                                                             \
    Value tik_lane_##name(Interp *in, Tik *c, const CallArgs *args)                      \
    {                                                                                    \
        return call_arithmetic(in, c, args, OP_LANE_##id, OP_LANE_##id##_SCALAR);        \
    }
ARITHMETIC(add, ADD)
ARITHMETIC(sub, SUB)
ARITHMETIC(mul, MUL)
ARITHMETIC(max, MAX)
ARITHMETIC(min, MIN)
