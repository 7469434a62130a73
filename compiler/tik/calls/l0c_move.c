/* l0c_move.c: calls of tensor_mov and data_move_quant (data-movement 6, cube-quant 11).
 * The types of the operands and of deqscale choose the conversion. A tensor_mov without
 * an operand in L0C is data_move.
 *
 * Owns: conv-soc, deqscale-type, deqscale-missing, relu, block-mode, onthefly of the
 * calls; path, pad-mode-path and type-pair of a tensor_mov that is a data_move. */
#include "tik/calls/l0c_move.h"
#include "tik/calls/extended.h"
#include "tik/calls/instruction.h"
#include "tik/expr.h"
#include "tik/literal.h"
#include "tik/methods.h"

#include <string.h>

/* ---- the scale of tensor_mov --------------------------------------------- */

static Dtype
scale_dtype(const AccCall *x)
{
    Value v = x->got[ACCFLY_deqscale];
    const View *t = tik_acc_tensor(x, ACCFLY_deqscale);
    if (t != NULL) {
        return t->dtype;
    }
    if (tik_is_runtime(v)) {
        return ir_expr(x->c->k, tik_runtime(v)->e)->dtype;
    }
    return v.kind == VAL_FLOAT ? DT_F16 : v.kind == VAL_NONE ? DT_NONE : DT_U64;
}

/* Replaces a float scale by the bits of a float16, as a word. */
static bool
half_word(AccCall *x)
{
    int64_t bits;
    ExprId e;
    Value *v = &x->got[ACCFLY_deqscale];
    if (tik_is_runtime(*v)) {
        TRY(tik_read(x->in, x->c, *v, x->span[ACCFLY_deqscale], &e));
        e = ir_cast(x->c->k, DT_U64, ir_bits(x->c->k, DT_U16, e));
        *v = tik_expr(x->in, x->c, e);
        return true;
    }
    Literal use = {"deqscale", x->span[ACCFLY_deqscale], true};
    if (!tik_literal_value(x->in, x->c, *v, DT_F16, &use, &bits)) {
        py_diag(x->in, D_INT_TOO_LARGE, x->span[ACCFLY_deqscale],
                "deqscale does not fit 64 bits");
        return false;
    }
    *v = val_int(bits & 0xffff);
    return true;
}

static bool
wrong_scale(const AccCall *x, Dtype from, Dtype to)
{
    py_diag(
        x->in, D_DEQ_TYPE, x->span[ACCFLY_deqscale],
        "deqscale is %s; %s to %s in this move takes %s",
        tik_a(x->in, x->got[ACCFLY_deqscale]), dtype_name(from), dtype_name(to),
        from == DT_S32 && to == DT_F16
            ? "a float, an int, a Scalar of float16 or uint64, or a tensor of one of them"
        : from == DT_S32 && (to == DT_S8 || to == DT_U8 || to == DT_S16)
            ? "an int, a Scalar of uint64 or a tensor of uint64"
        : from == DT_F16 && to == DT_F16 ? "a float or a Scalar of float16"
                                         : "none");
    return false;
}

/* Finds the mode that the types and the scale mean (cube-quant 11). */
static bool
scale_mode(AccCall *x, AccScale *out)
{
    Dtype from = tik_acc_tensor(x, ACCFLY_src)->dtype,
          to = tik_acc_tensor(x, ACCFLY_dst)->dtype;
    Dtype scale = scale_dtype(x);
    bool vector = tik_acc_tensor(x, ACCFLY_deqscale) != NULL,
         wide = from == DT_S32 && to == DT_F16;
    bool narrow = from == DT_S32 && (to == DT_S8 || to == DT_U8);
    bool words = wide || narrow || (from == DT_S32 && to == DT_S16);
    bool half = scale == DT_F16;
    *out = SCALE_NONE;
    if (scale == DT_NONE) {
        return !words || tik_acc_broken(x, ACCFLY_deqscale, D_DEQ_MISSING,
                                        "the conversion has no deqscale, which it needs");
    }
    if (half && (wide || (from == DT_F16 && to == DT_F16 && !vector))) {
        *out = vector ? SCALE_VDEQ : SCALE_DEQ;
        return vector || half_word(x);
    }
    bool integers = scale == DT_U64 || (!vector && !dtype_is_float(scale));
    if (!words || !(integers || (wide && vector && scale == DT_F32)) ||
        scale == DT_BOOL) {
        return wrong_scale(x, from, to);
    }
    *out = narrow ? (vector ? SCALE_VDEQ8 : SCALE_DEQ8)
                  : (vector ? SCALE_VDEQ16 : SCALE_DEQ16);
    return true;
}

/* Checks that the processor has the code of the conversion, without which tensor_mov does
 * not have it. */
static bool
code_exists(const AccCall *x, const char *method)
{
    const AccPair *p = tik_acc_pair(x);
    const Soc *soc = x->c->k->soc;
    if (p == NULL) {
        return true;
    }
    int code =
        tik_acc_number(x, ACCFLY_relu) && p->relu_code >= 0 ? p->relu_code : p->code;
    if (acc_codes(soc) >> code & 1 || acc_modes(soc, p->src, p->dst) == 0) {
        return true;
    }
    py_diag(x->in, D_CONV_SOC, x->args->span,
            "%s converts %s to %s with code %d, a conversion that %s does not have",
            method, dtype_name(p->from), dtype_name(p->to), code, soc->name);
    return false;
}

/* Refuses types that only data_copy converts. */
static bool
pair_is_tik(const AccCall *x)
{
    const AccPair *p = tik_acc_pair(x);
    if (p == NULL || (p->tik >> tik_acc_number(x, ACCFLY_block_mode) & 1)) {
        return true;
    }
    py_diag(x->in, D_TYPE_PAIR, x->span[ACCFLY_dst],
            "from %s in %s to %s in %s is no conversion of block mode '%s'",
            dtype_name(p->from), scope_name(p->src), dtype_name(p->to),
            scope_name(p->dst),
            block_mode_name((BlockMode)tik_acc_number(x, ACCFLY_block_mode)));
    return false;
}

/* ---- tensor_mov ---------------------------------------------------------- */

typedef struct TensorMov {
    AccCall x;
    Value *got;
    Span *span;
} TensorMov;

static bool
read_relu(TensorMov *m)
{
    if (m->got[P_tensor_mov_relu].kind == VAL_BOOL) {
        m->x.got[ACCFLY_relu] = val_int(m->got[P_tensor_mov_relu].b);
        return true;
    }
    py_diag(m->x.in, D_RELU, m->span[P_tensor_mov_relu],
            "relu is %s; it is True or False", tik_a(m->x.in, m->got[P_tensor_mov_relu]));
    return false;
}

static bool
read_block(TensorMov *m)
{
    const char *text;
    TRY(tik_text(m->x.in, m->got[P_tensor_mov_block_mode], "block_mode",
                 m->span[P_tensor_mov_block_mode], &text));
    for (int b = 0; b < BLOCK_MODES; b++) {
        if (strcmp(text, block_mode_name((BlockMode)b)) == 0 || *text == 0) {
            m->x.got[ACCFLY_block_mode] = val_int(b);
            return true;
        }
    }
    py_diag(m->x.in, D_BLOCKMODE, m->span[P_tensor_mov_block_mode],
            "block_mode is '%s'; it is '', 'm', 'v', 'sc' or 'dp'", text);
    return false;
}

static bool
fly_error(const TensorMov *m, int arg, const char *takes)
{
    py_diag(m->x.in, D_ONTHEFLY, m->span[arg], "%s", takes);
    return false;
}

static bool
read_fly(TensorMov *m)
{
    int64_t mode, stride;
    if (tik_is_runtime(m->got[P_tensor_mov_onthefly_mode]) ||
        !val_as_int64(m->got[P_tensor_mov_onthefly_mode], &mode) || mode < 0 ||
        mode > 2) {
        return fly_error(m, P_tensor_mov_onthefly_mode, "onthefly_mode is not 0, 1 or 2");
    }
    if (tik_is_runtime(m->got[P_tensor_mov_src_onthefly_stride]) ||
        !val_as_int64(m->got[P_tensor_mov_src_onthefly_stride], &stride) || stride != 0) {
        return fly_error(m, P_tensor_mov_src_onthefly_stride,
                         "src_onthefly_stride is reserved and is 0");
    }
    if ((mode != 0) != (m->got[P_tensor_mov_src_onthefly].kind != VAL_NONE)) {
        return fly_error(m, P_tensor_mov_src_onthefly,
                         mode != 0 ? "onthefly_mode has no src_onthefly, which it needs"
                                   : "src_onthefly is given and onthefly_mode is 0");
    }
    m->x.got[ACCFLY_onthefly_mode] = val_int(mode);
    return true;
}

/* Moves the arguments to the slots of the instruction; the mode of the scale is set
 * later. */
static void
to_slots(TensorMov *m)
{
    static const struct {
        int slot, arg;
    } same[] = {
        {ACCFLY_dst, P_tensor_mov_dst},
        {ACCFLY_src, P_tensor_mov_src},
        {ACCFLY_block_mode, P_tensor_mov_block_mode},
        {ACCFLY_nburst, P_tensor_mov_nburst},
        {ACCFLY_burst_len, P_tensor_mov_burst_len},
        {ACCFLY_dst_stride, P_tensor_mov_dst_stride},
        {ACCFLY_deqscale, P_tensor_mov_deqscale},
        {ACCFLY_src_stride, P_tensor_mov_src_stride},
        {ACCFLY_deq_mode, P_tensor_mov_deqscale},
        {ACCFLY_sid_store_mode, P_tensor_mov_sid_store_mode},
        {ACCFLY_relu, P_tensor_mov_relu},
        {ACCFLY_onthefly_mode, P_tensor_mov_onthefly_mode},
        {ACCFLY_src_onthefly, P_tensor_mov_src_onthefly},
    };
    for (size_t i = 0; i < ARRAY_LEN(same); i++) {
        m->x.got[same[i].slot] = m->got[same[i].arg];
        m->x.span[same[i].slot] = m->span[same[i].arg];
    }
}

static bool
no_padding(const TensorMov *m, Scope from, Scope to)
{
    if (!tik_is_set(m->got[P_tensor_mov_pad_mode])) {
        return true;
    }
    py_diag(m->x.in, D_PADMODE_PATH, m->span[P_tensor_mov_pad_mode],
            "pad_mode is given for a move from %s to %s; it is for GM to L1",
            scope_name(from), scope_name(to));
    return false;
}

/* Copies bytes, as elements of src, if no conversion out of L0C has the types. */
static void
copy_of_bytes(TensorMov *m, AccScale mode)
{
    AccCall *x = &m->x;
    const View *src = tik_acc_tensor(x, ACCFLY_src), *dst = tik_acc_tensor(x, ACCFLY_dst);
    BlockMode block = (BlockMode)tik_acc_number(x, ACCFLY_block_mode);
    if (mode != SCALE_NONE || !tik_copies_bytes(src->dtype, dst->dtype, 0) ||
        src->root->mem != SC_L0C || dst->root->mem != SC_UB ||
        acc_pair(SC_L0C, SC_UB, block, src->dtype, dst->dtype, mode) != NULL ||
        acc_pair(SC_L0C, SC_UB, block, src->dtype, src->dtype, mode) == NULL) {
        return;
    }
    py_diag(x->in, D_DTYPE_DIFFERS, x->span[ACCFLY_src],
            "dst is %s and src is %s; tensor_mov keeps the bits", dtype_name(dst->dtype),
            dtype_name(src->dtype));
    View *bytes = ARENA_NEW(&x->in->u->arena, View);
    *bytes = *dst;
    bytes->dtype = src->dtype;
    x->got[ACCFLY_dst] = val_object(&bytes->base);
}

static bool
move_fractals(TensorMov *m, Scope from, Scope to)
{
    AccScale mode;
    AccCall *x = &m->x;
    to_slots(m);
    bool ok = read_block(m); /* all are read, so that every error is reported */
    ok = read_relu(m) && ok;
    ok = read_fly(m) && ok;
    ok = no_padding(m, from, to) && ok;
    if (!ok || tik_acc_tensor(x, ACCFLY_dst)->poisoned ||
        tik_acc_tensor(x, ACCFLY_src)->poisoned || !scale_mode(x, &mode)) {
        return !x->in->fatal;
    }
    x->got[ACCFLY_deq_mode] = val_int(mode);
    if (x->got[ACCFLY_deqscale].kind == VAL_NONE) {
        x->got[ACCFLY_deqscale] = val_int(0);
    }
    copy_of_bytes(m, mode);
    return pair_is_tik(x) && code_exists(x, "tensor_mov") ? tik_acc_record(x)
                                                          : !x->in->fatal;
}

/* Sets the padding register: 8 bits in both bytes of 16, these in both halves. */
static bool
set_padding(TensorMov *m, int64_t mode)
{
    int64_t v;
    Value value = m->got[P_tensor_mov_pad_value];
    if (value.kind == VAL_NONE) {
        return true;
    }
    if (!tik_is_runtime(value) && val_as_int64(value, &v)) {
        uint32_t low = mode == 1 ? ((uint32_t)v & 0xff) * 0x0101u : (uint32_t)v & 0xffff;
        value = val_int((int64_t)(low | (uint64_t)low << 16));
    }
    return tik_record(m->x.in, m->x.c, OP_SET_PADDING, m->x.args, &value,
                      &m->span[P_tensor_mov_pad_value]);
}

/* Refuses arguments that only moves of fractals have. */
static bool
only_blocks(const TensorMov *m)
{
    Interp *in = m->x.in;
    const char *what = "a move without an operand in L0C";
    if (m->got[P_tensor_mov_deqscale].kind != VAL_NONE) {
        py_diag(in, D_DEQ_TYPE, m->span[P_tensor_mov_deqscale],
                "deqscale is given for %s", what);
        return false;
    }
    if (m->got[P_tensor_mov_relu].kind != VAL_BOOL || m->got[P_tensor_mov_relu].b) {
        py_diag(in, D_RELU, m->span[P_tensor_mov_relu], "relu is set for %s", what);
        return false;
    }
    if (tik_is_set(m->got[P_tensor_mov_onthefly_mode]) ||
        m->got[P_tensor_mov_src_onthefly].kind != VAL_NONE) {
        py_diag(in, D_ONTHEFLY, m->span[P_tensor_mov_onthefly_mode],
                "onthefly_mode is given for %s", what);
        return false;
    }
    return true;
}

/* Checks the path. A path that only data_move has is refused here; all others are checked
 * like those of an instruction. */
static bool
has_path(const TensorMov *m, Scope from, Scope to)
{
    const Soc *soc = m->x.c->k->soc;
    if (soc_has_tensor_mov(soc, from, to) || !soc_has_path(soc, from, to)) {
        return true;
    }
    py_diag(m->x.in, D_PATH, m->span[P_tensor_mov_dst],
            "tensor_mov has no path from %s to %s on %s; data_move has", scope_name(from),
            scope_name(to), soc->name);
    return false;
}

/* Records a data_move, whose strides are in the other order. */
static bool
move_blocks(TensorMov *m, const View *dst, const View *src)
{
    int64_t mode = 0;
    Value pad = m->got[P_tensor_mov_pad_mode].kind == VAL_NONE
                    ? val_int(0)
                    : m->got[P_tensor_mov_pad_mode];
    Span all = m->x.args->span;
    Value v[] = {m->got[P_tensor_mov_dst],
                 m->got[P_tensor_mov_src],
                 val_int(0),
                 m->got[P_tensor_mov_nburst],
                 m->got[P_tensor_mov_burst_len],
                 m->got[P_tensor_mov_src_stride],
                 m->got[P_tensor_mov_dst_stride],
                 pad};
    Span span[] = {m->span[P_tensor_mov_dst],
                   m->span[P_tensor_mov_src],
                   all,
                   m->span[P_tensor_mov_nburst],
                   m->span[P_tensor_mov_burst_len],
                   m->span[P_tensor_mov_src_stride],
                   m->span[P_tensor_mov_dst_stride],
                   m->span[P_tensor_mov_pad_mode]};
    if (dst != NULL && src != NULL && !has_path(m, src->root->mem, dst->root->mem)) {
        return !m->x.in->fatal;
    }
    if ((dst != NULL && !tik_move_has_type(m->x.in, "tensor_mov", dst->dtype,
                                           m->span[P_tensor_mov_dst])) ||
        (src != NULL && !tik_move_has_type(m->x.in, "tensor_mov", src->dtype,
                                           m->span[P_tensor_mov_src]))) {
        return !m->x.in->fatal;
    }
    if (dst != NULL && src != NULL && dst->dtype != src->dtype) {
        py_diag(m->x.in, D_TYPE_PAIR, m->span[P_tensor_mov_src],
                "dst is %s and src is %s; without an operand in L0C they are one type",
                dtype_name(dst->dtype), dtype_name(src->dtype));
        return !m->x.in->fatal;
    }
    if (only_blocks(m) &&
        (!val_as_int64(pad, &mode) || mode == 0 || set_padding(m, mode))) {
        (void)tik_record(m->x.in, m->x.c, OP_DATA_MOVE, m->x.args, v, span);
    }
    return !m->x.in->fatal;
}

static bool
tensor_mov(TensorMov *m)
{
    View *dst = tik_is(m->got[P_tensor_mov_dst], &tik_tensor_class)
                    ? (View *)m->got[P_tensor_mov_dst].obj
                    : NULL;
    View *src = tik_is(m->got[P_tensor_mov_src], &tik_tensor_class)
                    ? (View *)m->got[P_tensor_mov_src].obj
                    : NULL;
    bool fractals = dst != NULL && src != NULL &&
                    (dst->root->mem == SC_L0C || src->root->mem == SC_L0C);
    return fractals ? move_fractals(m, src->root->mem, dst->root->mem)
                    : move_blocks(m, dst, src);
}

void
tik_tensor_mov(const Bound *b)
{
    TensorMov m = {{.in = b->in, .c = b->c, .args = b->args}, b->got, b->span};
    (void)tensor_mov(&m);
}

/* ---- data_move_quant ----------------------------------------------------- */

/* Converts int32 in L0C to float16 in UB: a tensor_mov in block mode m, whose relu
 * requires a tensor of scales. */
static bool
move_quant(TensorMov *m, const Value *got, const Span *span)
{
    static const int same[][2] = {{P_tensor_mov_dst, P_data_move_quant_dst},
                                  {P_tensor_mov_src, P_data_move_quant_src},
                                  {P_tensor_mov_nburst, P_data_move_quant_nburst},
                                  {P_tensor_mov_burst_len, P_data_move_quant_burst},
                                  {P_tensor_mov_dst_stride, P_data_move_quant_dst_stride},
                                  {P_tensor_mov_src_stride, P_data_move_quant_src_stride},
                                  {P_tensor_mov_deqscale, P_data_move_quant_quant_param},
                                  {P_tensor_mov_relu, P_data_move_quant_relu_flag}};
    call_defaults(m->x.in, CALL_tensor_mov, m->got);
    for (int i = 0; i < MOST_ARGS; i++) {
        m->span[i] = m->x.args->span;
    }
    for (size_t i = 0; i < ARRAY_LEN(same); i++) {
        m->got[same[i][0]] = got[same[i][1]];
        m->span[same[i][0]] = span[same[i][1]];
    }
    m->got[P_tensor_mov_block_mode] = val_str(m->x.in, "m");
    bool vector = tik_is(got[P_data_move_quant_quant_param], &tik_tensor_class);
    if (tik_is_set(got[P_data_move_quant_relu_flag]) && !vector) {
        py_diag(m->x.in, D_RELU, span[P_data_move_quant_relu_flag],
                "relu_flag is set with a number as quant_param; it is for a tensor");
        return true;
    }
    if (got[P_data_move_quant_quant_param].kind == VAL_INT) { /* a float16 */
        m->got[P_tensor_mov_deqscale] =
            val_float((double)got[P_data_move_quant_quant_param].i);
    }
    return tensor_mov(m);
}

void
tik_data_move_quant(const Bound *b)
{
    Value got[MOST_ARGS];
    Span span[MOST_ARGS];
    TensorMov m = {{.in = b->in, .c = b->c, .args = b->args}, got, span};
    (void)move_quant(&m, b->got, b->span);
}
