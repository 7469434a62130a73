/* cube.c: calls of the matrix unit whose arguments differ from the operands of the
 * instruction (cube 3 to 7): words as addr_mode, padding that may be None, further
 * arguments of mmad, shapes as lists, a bias that makes another instruction.
 *
 * Owns: nop of mmad, mmad-reserved, operand-form, pad-value; addr-mode, range-pad and
 * conv-shape of arguments that are not a number or list of the right kind. */
#include "tik/calls/instruction.h"
#include "tik/calls/load_data.h"
#include "tik/calls/sync.h"
#include "tik/literal.h"
#include "tik/methods.h"
#include "tik/tik.h"

#include <math.h>

#include <string.h>

enum {
    CUBE_ARGS = 24
};

/* A call while its arguments become operands. */
typedef struct CubeCall {
    Interp *in;
    Tik *c;
    const CallArgs *args;
    const char *name;
    int n;
    Value v[CUBE_ARGS]; /* operands in the order of the form */
    Span span[CUBE_ARGS];
} CubeCall;

/* Binds the arguments to the signature. False: nothing is recorded. */
static bool
begin_as(CubeCall *x, const Signature *s, Value *got, Span *span)
{
    return !tik_dropped(x->c) && call_bind(x->in, s, x->args, got, span) &&
           tik_not_built(x->in, x->c, x->args->span);
}

static bool
begin(CubeCall *x, Call call, Value *got, Span *span)
{
    Signature s = call_signature(call);
    return begin_as(x, &s, got, span);
}

static void
put(CubeCall *x, Value v, Span span)
{
    x->v[x->n] = v;
    x->span[x->n++] = span;
}

static void
record(CubeCall *x, Op op)
{
    (void)tik_record(x->in, x->c, op, x->args, x->v, x->span);
}

static bool
is_none(Value v)
{
    return v.kind == VAL_NONE || v.kind == VAL_FAIL;
}

/* True if the argument is left out, None or the constant 0. */
static bool
is_off(Value v)
{
    int64_t n;
    return is_none(v) || (!tik_is_runtime(v) && val_as_int64(v, &n) && n == 0);
}

/* ---- arguments ----------------------------------------------------------- */

/* Reads 'inc' and 'dec' as numbers. */
static bool
addr_mode(CubeCall *x, Value *v, Span span)
{
    if (is_none(*v)) {
        *v = val_int(0);
        return true;
    }
    if (v->kind != VAL_STR) {
        return true;
    }
    const char *text;
    TRY(tik_text(x->in, *v, "addr_mode", span, &text));
    bool down = strcmp(text, "dec") == 0;
    if (!down && strcmp(text, "inc") != 0) {
        py_diag(x->in, D_ADDR_MODE, span, "addr_mode is '%s'; it is 'inc' or 'dec'",
                text);
        return false;
    }
    *v = val_int(down);
    return true;
}

/* Checks that the padding is a number of the image's type; None becomes 0. */
static bool
pad_value(CubeCall *x, Value *v, Value image, Span span)
{
    if (is_none(*v)) {
        *v = val_int(0);
    }
    if (tik_is_runtime(*v) || !tik_is(image, &tik_tensor_class)) {
        return true;
    }
    Dtype t = ((View *)image.obj)->dtype;
    bool number = v->kind == VAL_INT || v->kind == VAL_FLOAT || v->kind == VAL_BOOL;
    double d;
    bool largest = t == DT_F16 && val_as_double(*v, &d) && fabs(d) == 65535;
    if (number &&
        (largest || tik_literal_fits(*v, t))) { /* published programs say 65535 */
        return true;
    }
    py_diag(x->in, D_PAD_VALUE, span, "pad_value is %s, which %s does not represent",
            val_repr(x->in, *v), dtype_name(t));
    return false;
}

static bool
pad_list(CubeCall *x, Value v, Span span)
{
    bool list = v.kind == VAL_LIST || v.kind == VAL_TUPLE;
    if (list && v.list->n == 4) {
        return true;
    }
    py_diag(x->in, D_RANGE_PAD, span,
            "the padding is %s; %s takes [left, right, top, bottom]", val_repr(x->in, v),
            x->name);
    return false;
}

/* Adds the items of a list as operands. */
static bool
put_list(CubeCall *x, Value v, const char *what, uint32_t n, DiagId rule, Span span)
{
    bool list = v.kind == VAL_LIST || v.kind == VAL_TUPLE;
    if (!list || v.list->n != n) {
        py_diag(x->in, rule, span, "%s is %s; %s takes a list of %u", what,
                val_repr(x->in, v), x->name, (unsigned)n);
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        put(x, v.list->p[i], span);
    }
    return true;
}

/* Adds a tensor. One that was made by indexing is a single element and refused. */
static bool
put_whole(CubeCall *x, Value v, const char *what, Span span)
{
    if (tik_is(v, &tik_tensor_class) && ((View *)v.obj)->element) {
        py_diag(x->in, D_OPERAND_FORM, span,
                "%s is one element; %s takes a tensor, as tensor[i:]", what, x->name);
        return false;
    }
    put(x, v, span);
    return true;
}

/* ---- load2d -------------------------------------------------------------- */

/* Takes the arguments as operands; the last one is addr_mode, which is a word. */
static Value
load2d(Interp *in, Tik *c, const CallArgs *args, Op op)
{
    CubeCall x = {.in = in, .c = c, .args = args, .name = op_table[op].name};
    const Signature *s = tik_signature(in, op);
    bool begun = begin_as(&x, s, x.v, x.span);
    x.n = s->n;
    if (begun && addr_mode(&x, &x.v[x.n - 1], x.span[x.n - 1])) {
        record(&x, op);
    }
    return tik_none(in);
}

Value
tik_load2dv1(Interp *in, Tik *c, const CallArgs *args)
{
    return load2d(in, c, args, OP_LOAD2DV1);
}

Value
tik_load2dv2(Interp *in, Tik *c, const CallArgs *args)
{
    return load2d(in, c, args, OP_LOAD2DV2);
}

/* ---- load3d, col2img ----------------------------------------------------- */

Value
tik_load3dv1(Interp *in, Tik *c, const CallArgs *args)
{
    CubeCall x = {.in = in, .c = c, .args = args, .name = "load3dv1"};
    Value *csize = &x.v[P_load3dv1__csize];
    if (begin(&x, CALL_load3dv1, x.v, x.span) &&
        pad_list(&x, x.v[P_load3dv1_pad], x.span[P_load3dv1_pad]) &&
        pad_value(&x, &x.v[P_load3dv1_pad_value], x.v[P_load3dv1_src],
                  x.span[P_load3dv1_pad_value])) {
        *csize = is_none(*csize) ? val_int(0) : *csize;
        record(&x, OP_LOAD3DV1);
    }
    return tik_none(in);
}

Value
tik_load3dv2(Interp *in, Tik *c, const CallArgs *args)
{
    CubeCall x = {.in = in, .c = c, .args = args, .name = "load3dv2"};
    enum {
        SMALL_K = P_load3dv2_en_small_k,
        VALUE = P_load3dv2_pad_value
    };
    if (!begin(&x, CALL_load3dv2, x.v, x.span) ||
        !pad_list(&x, x.v[P_load3dv2_pad_list], x.span[P_load3dv2_pad_list]) ||
        !pad_value(&x, &x.v[VALUE], x.v[P_load3dv2_src], x.span[VALUE])) {
        return tik_none(in);
    }
    if (!is_off(x.v[SMALL_K])) {
        py_diag(in, D_NOT_SUPPORTED, x.span[SMALL_K],
                "en_small_k of load3dv2 is not compiled");
        c->k->incomplete = true;
        return tik_none(in);
    }
    x.v[SMALL_K] = x.v[VALUE]; /* the instruction has no en_small_k */
    x.span[SMALL_K] = x.span[VALUE];
    record(&x, OP_LOAD3DV2);
    return tik_none(in);
}

Value
tik_col2img(Interp *in, Tik *c, const CallArgs *args)
{
    CubeCall x = {.in = in, .c = c, .args = args, .name = "col2img"};
    if (begin(&x, CALL_col2img, x.v, x.span) &&
        pad_list(&x, x.v[P_col2img_pad], x.span[P_col2img_pad])) {
        record(&x, OP_COL2IMG);
    }
    return tik_none(in);
}

/* ---- mmad ---------------------------------------------------------------- */

static bool
nothing_reserved(const CubeCall *x, const Value *got, const Span *span)
{
    for (int i = P_mmad_fm_offset; i < P_mmad_bias_tensor; i++) {
        if (!is_off(got[i])) {
            py_diag(x->in, D_MMAD_RESERVED, span[i], "%s of mmad is %s; it is left out",
                    call_signature(CALL_mmad).args[i].name, val_repr(x->in, got[i]));
            return false;
        }
    }
    return true;
}

/* Warns of sides that are the constant 0. */
static void
warn_of_nothing(const CubeCall *x, const Value *got, const Span *span)
{
    for (int i = P_mmad_matrix_m; i <= P_mmad_matrix_n; i++) {
        if (!is_none(got[i]) && is_off(got[i])) {
            py_diag(x->in, D_NOP, span[i], "%s is 0: mmad computes nothing",
                    call_signature(CALL_mmad).args[i].name);
            return;
        }
    }
}

/* With a bias tensor nothing is accumulated. */
static bool
starts_sum(const CubeCall *x, Value v, Span span)
{
    if (is_off(v)) {
        return true;
    }
    py_diag(x->in, D_BIAS, span,
            "is_bias is %s beside a bias_tensor; a sum begins with one of them",
            val_repr(x->in, v));
    return false;
}

Value
tik_mmad(Interp *in, Tik *c, const CallArgs *args)
{
    CubeCall x = {.in = in, .c = c, .args = args, .name = "mmad"};
    if (tik_is_mmad_params(args)) {
        return tik_mmad_params(in, c, args);
    }
    if (!begin(&x, CALL_mmad, x.v, x.span) || !nothing_reserved(&x, x.v, x.span)) {
        return tik_none(in);
    }
    warn_of_nothing(&x, x.v, x.span);
    if (is_none(x.v[P_mmad_bias_tensor])) {
        record(&x, OP_MMAD);
    } else if (starts_sum(&x, x.v[P_mmad_is_bias], x.span[P_mmad_is_bias])) {
        x.v[P_mmad_is_bias] = x.v[P_mmad_bias_tensor];
        x.span[P_mmad_is_bias] = x.span[P_mmad_bias_tensor];
        record(&x, OP_MMAD_BIAS);
    }
    return tik_none(in);
}

/* ---- matmul, conv2d ------------------------------------------------------ */

/* Adds the last operand and chooses the instruction: the operand is the bias if there is
 * one, and otherwise whether the sum begins with zeros. */
static bool
put_start(CubeCall *x, const Value *got, const Span *span, Op *op, Op with_bias)
{
    if (is_none(got[1])) {
        put(x, got[0], span[0]);
        return true;
    }
    if (got[0].kind != VAL_BOOL || got[0].i == 0) {
        py_diag(x->in, D_BIAS, span[1],
                "a bias is given with init_l1out=%s; a sum begins with one of them",
                val_repr(x->in, got[0]));
        return false;
    }
    *op = with_bias;
    return put_whole(x, got[1], "bias", span[1]);
}

Value
tik_matmul(Interp *in, Tik *c, const CallArgs *args)
{
    enum {
        START = P_matmul_init_l1out
    };
    Value got[MOST_ARGS];
    Span span[MOST_ARGS];
    Op op = OP_MATMUL;
    CubeCall x = {.in = in, .c = c, .args = args, .name = "matmul"};
    bool begun = begin(&x, CALL_matmul, got, span);
    bool ok = begun && tik_composite_place(in, c, x.name, args->span);
    for (int i = 0; i < START && ok; i++) {
        ok = put_whole(&x, got[i], call_signature(CALL_matmul).args[i].name, span[i]);
    }
    if (ok && put_start(&x, got + START, span + START, &op, OP_MATMUL_BIAS)) {
        record(&x, op);
    }
    return tik_none(in);
}

static bool
conv_operands(CubeCall *x, Value *got, const Span *span, Op *op)
{
    static const char *const names[] = {"dst", "feature_map", "weight"};
    for (int i = 0; i < P_conv2d_fm_shape; i++) {
        TRY(put_whole(x, got[i], names[i], span[i]));
    }
    TRY(put_list(x, got[P_conv2d_fm_shape], "fm_shape", 4, D_CONV_SHAPE,
                 span[P_conv2d_fm_shape]));
    TRY(put_list(x, got[P_conv2d_kernel_shape], "kernel_shape", 5, D_CONV_SHAPE,
                 span[P_conv2d_kernel_shape]));
    TRY(put_list(x, got[P_conv2d_stride], "stride", 2, D_RANGE_CONV,
                 span[P_conv2d_stride]));
    TRY(put_list(x, got[P_conv2d_pad], "pad", 4, D_RANGE_PAD, span[P_conv2d_pad]));
    TRY(put_list(x, got[P_conv2d_dilation], "dilation", 2, D_RANGE_CONV,
                 span[P_conv2d_dilation]));
    TRY(pad_value(x, &got[P_conv2d_pad_value], got[1], span[P_conv2d_pad_value]));
    put(x, got[P_conv2d_pad_value], span[P_conv2d_pad_value]);
    return put_start(x, got + P_conv2d_init_l1out, span + P_conv2d_init_l1out, op,
                     OP_CONV2D_BIAS);
}

Value
tik_conv2d(Interp *in, Tik *c, const CallArgs *args)
{
    Value got[MOST_ARGS];
    Span span[MOST_ARGS];
    Op op = OP_CONV2D;
    CubeCall x = {.in = in, .c = c, .args = args, .name = "conv2d"};
    if (begin(&x, CALL_conv2d, got, span) &&
        tik_composite_place(in, c, x.name, args->span) &&
        conv_operands(&x, got, span, &op)) {
        record(&x, op);
    }
    return tik_none(in);
}
