/* l0c_move.c: calls of tensor_mov and data_move_quant (data-movement 6, cube-quant 11). The types of the operands and of
 * deqscale say which conversion it is. Without an operand in L0C tensor_mov is data_move.
 *
 * Owns: conv-soc, deqscale-type, deqscale-missing, relu, block-mode, onthefly of the calls; path, pad-mode-path and
 * type-pair of a tensor_mov that is a data_move. */
#include "tik/calls/l0c_move.h"

#include <string.h>

/* ---- the scale of tensor_mov ---------------------------------------------------------------------------- */

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

/* A float becomes the bits of a float16, as a word. */
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

/* The mode that types and scale mean (cube-quant 11). */
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

/* tensor_mov has a conversion where the processor has its code. */
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

/* Types that only the other spelling has. */
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

/* ---- tensor_mov -------------------------------------------------------------------------------------------- */

enum {
    T_DST,
    T_SRC,
    T_BLOCK,
    T_NBURST,
    T_BURST,
    T_DST_STRIDE,
    T_SRC_STRIDE,
    T_SCALE,
    T_SID,
    T_RELU,
    T_PAD_MODE,
    T_PAD_VALUE,
    T_FLY,
    T_OTHER,
    T_OTHER_STRIDE,
    T_COUNT
};

typedef struct TensorMov {
    AccCall x;
    Value got[T_COUNT];
    Span span[T_COUNT];
} TensorMov;

static bool
read_relu(TensorMov *m)
{
    if (m->got[T_RELU].kind == VAL_BOOL) {
        m->x.got[ACCFLY_relu] = val_int(m->got[T_RELU].b);
        return true;
    }
    py_diag(m->x.in, D_RELU, m->span[T_RELU], "relu is %s; it is True or False",
            tik_a(m->x.in, m->got[T_RELU]));
    return false;
}

static bool
read_block(TensorMov *m)
{
    const char *text;
    TRY(tik_text(m->x.in, m->got[T_BLOCK], "block_mode", m->span[T_BLOCK], &text));
    for (int b = 0; b < BLOCK_MODES; b++) {
        if (strcmp(text, block_mode_name((BlockMode)b)) == 0 || *text == 0) {
            m->x.got[ACCFLY_block_mode] = val_int(b);
            return true;
        }
    }
    py_diag(m->x.in, D_BLOCKMODE, m->span[T_BLOCK],
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
    if (tik_is_runtime(m->got[T_FLY]) || !val_as_int64(m->got[T_FLY], &mode) ||
        mode < 0 || mode > 2) {
        return fly_error(m, T_FLY, "onthefly_mode is not 0, 1 or 2");
    }
    if (tik_is_runtime(m->got[T_OTHER_STRIDE]) ||
        !val_as_int64(m->got[T_OTHER_STRIDE], &stride) || stride != 0) {
        return fly_error(m, T_OTHER_STRIDE, "src_onthefly_stride is reserved and is 0");
    }
    if ((mode != 0) != (m->got[T_OTHER].kind != VAL_NONE)) {
        return fly_error(m, T_OTHER,
                         mode != 0 ? "onthefly_mode has no src_onthefly, which it needs"
                                   : "src_onthefly is given and onthefly_mode is 0");
    }
    m->x.got[ACCFLY_onthefly_mode] = val_int(mode);
    return true;
}

/* From here on the call is in the slots of the instruction, its scale without a mode. */
static void
to_slots(TensorMov *m)
{
    static const struct {
        int slot, arg;
    } same[] = {
        {ACCFLY_dst, T_DST},
        {ACCFLY_src, T_SRC},
        {ACCFLY_block_mode, T_BLOCK},
        {ACCFLY_nburst, T_NBURST},
        {ACCFLY_burst_len, T_BURST},
        {ACCFLY_dst_stride, T_DST_STRIDE},
        {ACCFLY_deqscale, T_SCALE},
        {ACCFLY_src_stride, T_SRC_STRIDE},
        {ACCFLY_deq_mode, T_SCALE},
        {ACCFLY_sid_store_mode, T_SID},
        {ACCFLY_relu, T_RELU},
        {ACCFLY_onthefly_mode, T_FLY},
        {ACCFLY_src_onthefly, T_OTHER},
    };
    for (size_t i = 0; i < ARRAY_LEN(same); i++) {
        m->x.got[same[i].slot] = m->got[same[i].arg];
        m->x.span[same[i].slot] = m->span[same[i].arg];
    }
}

static bool
no_padding(const TensorMov *m, Scope from, Scope to)
{
    if (!tik_is_set(m->got[T_PAD_MODE])) {
        return true;
    }
    py_diag(m->x.in, D_PADMODE_PATH, m->span[T_PAD_MODE],
            "pad_mode is given for a move from %s to %s; it is for GM to L1",
            scope_name(from), scope_name(to));
    return false;
}

/* Types out of L0C that no conversion of the call is for: the bytes are copied, as elements of src. */
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
    bool ok = read_block(m); /* all are read, so that all that is wrong is told */
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

/* The padding register: 8 bits twice, 16 bits in both halves. */
static bool
set_padding(TensorMov *m, int64_t mode)
{
    int64_t v;
    Value value = m->got[T_PAD_VALUE];
    if (value.kind == VAL_NONE) {
        return true;
    }
    if (!tik_is_runtime(value) && val_as_int64(value, &v)) {
        uint32_t low = mode == 1 ? ((uint32_t)v & 0xff) * 0x0101u : (uint32_t)v & 0xffff;
        value = val_int((int64_t)(low | (uint64_t)low << 16));
    }
    return tik_record(m->x.in, m->x.c, OP_SET_PADDING, m->x.args, &value,
                      &m->span[T_PAD_VALUE]);
}

/* What only moves of fractals have. */
static bool
only_blocks(const TensorMov *m)
{
    Interp *in = m->x.in;
    const char *what = "a move without an operand in L0C";
    if (m->got[T_SCALE].kind != VAL_NONE) {
        py_diag(in, D_DEQ_TYPE, m->span[T_SCALE], "deqscale is given for %s", what);
        return false;
    }
    if (m->got[T_RELU].kind != VAL_BOOL || m->got[T_RELU].b) {
        py_diag(in, D_RELU, m->span[T_RELU], "relu is set for %s", what);
        return false;
    }
    if (tik_is_set(m->got[T_FLY]) || m->got[T_OTHER].kind != VAL_NONE) {
        py_diag(in, D_ONTHEFLY, m->span[T_FLY], "onthefly_mode is given for %s", what);
        return false;
    }
    return true;
}

/* Of paths that data_move has too; what it has not is told of the instruction. */
static bool
has_path(const TensorMov *m, Scope from, Scope to)
{
    const Soc *soc = m->x.c->k->soc;
    if (soc_has_tensor_mov(soc, from, to) || !soc_has_path(soc, from, to)) {
        return true;
    }
    py_diag(m->x.in, D_PATH, m->span[T_DST],
            "tensor_mov has no path from %s to %s on %s; data_move has", scope_name(from),
            scope_name(to), soc->name);
    return false;
}

/* As data_move, with the strides in the other order. */
static bool
move_blocks(TensorMov *m, const View *dst, const View *src)
{
    int64_t mode = 0;
    Value pad = m->got[T_PAD_MODE].kind == VAL_NONE ? val_int(0) : m->got[T_PAD_MODE];
    Span all = m->x.args->span;
    Value v[] = {
        m->got[T_DST],   m->got[T_SRC],        val_int(0),           m->got[T_NBURST],
        m->got[T_BURST], m->got[T_SRC_STRIDE], m->got[T_DST_STRIDE], pad};
    Span span[] = {m->span[T_DST],        m->span[T_SRC],     all,
                   m->span[T_NBURST],     m->span[T_BURST],   m->span[T_SRC_STRIDE],
                   m->span[T_DST_STRIDE], m->span[T_PAD_MODE]};
    if (dst != NULL && src != NULL && !has_path(m, src->root->mem, dst->root->mem)) {
        return !m->x.in->fatal;
    }
    if ((dst != NULL &&
         !tik_move_has_type(m->x.in, "tensor_mov", dst->dtype, m->span[T_DST])) ||
        (src != NULL &&
         !tik_move_has_type(m->x.in, "tensor_mov", src->dtype, m->span[T_SRC]))) {
        return !m->x.in->fatal;
    }
    if (dst != NULL && src != NULL && dst->dtype != src->dtype) {
        py_diag(m->x.in, D_TYPE_PAIR, m->span[T_SRC],
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
    View *dst =
        tik_is(m->got[T_DST], &tik_tensor_class) ? (View *)m->got[T_DST].obj : NULL;
    View *src =
        tik_is(m->got[T_SRC], &tik_tensor_class) ? (View *)m->got[T_SRC].obj : NULL;
    bool fractals = dst != NULL && src != NULL &&
                    (dst->root->mem == SC_L0C || src->root->mem == SC_L0C);
    return fractals ? move_fractals(m, src->root->mem, dst->root->mem)
                    : move_blocks(m, dst, src);
}

Value
tik_tensor_mov(Interp *in, Tik *c, const CallArgs *args)
{
    TensorMov m = {.x = {.in = in, .c = c, .args = args}};
    if (tik_dropped(c) || !tik_not_built(in, c, args->span)) {
        return val_none();
    }
    return tik_bind(in, CALL_tensor_mov, args, m.got, m.span) && tensor_mov(&m)
               ? val_none()
               : val_fail();
}

/* ---- data_move_quant ------------------------------------------------------------------------------------------ */

enum {
    Q_DST,
    Q_SRC,
    Q_SID,
    Q_NBURST,
    Q_BURST,
    Q_SRC_STRIDE,
    Q_DST_STRIDE,
    Q_PARAM,
    Q_RELU,
    Q_COUNT
};

/* int32 in L0C to float16 in UB: tensor_mov in block mode m, whose relu is only for a tensor of scales. */
static bool
move_quant(TensorMov *m, const Value *got, const Span *span)
{
    static const int from[T_COUNT] = {
        Q_DST,        Q_SRC,        -1,      Q_NBURST, Q_BURST,
        Q_DST_STRIDE, Q_SRC_STRIDE, Q_PARAM, -1,       Q_RELU,
        -1,           -1,           -1,      -1,       -1};
    static const Value rest[T_COUNT] = {
        [T_PAD_MODE] = {.kind = VAL_NONE}, [T_PAD_VALUE] = {.kind = VAL_NONE},
        [T_SID] = {.kind = VAL_INT},       [T_FLY] = {.kind = VAL_INT},
        [T_OTHER] = {.kind = VAL_NONE},    [T_OTHER_STRIDE] = {.kind = VAL_INT}};
    for (int i = 0; i < T_COUNT; i++) {
        m->got[i] = from[i] < 0 ? rest[i] : got[from[i]];
        m->span[i] = from[i] < 0 ? m->x.args->span : span[from[i]];
    }
    m->got[T_BLOCK] = val_str(m->x.in, "m");
    bool vector = tik_is(got[Q_PARAM], &tik_tensor_class);
    if (tik_is_set(got[Q_RELU]) && !vector) {
        py_diag(m->x.in, D_RELU, span[Q_RELU],
                "relu_flag is set with a number as quant_param; it is for a tensor");
        return true;
    }
    if (got[Q_PARAM].kind == VAL_INT) { /* a number is a float16 here */
        m->got[T_SCALE] = val_float((double)got[Q_PARAM].i);
    }
    return tensor_mov(m);
}

Value
tik_data_move_quant(Interp *in, Tik *c, const CallArgs *args)
{
    TensorMov m = {.x = {.in = in, .c = c, .args = args}};
    Value got[Q_COUNT];
    Span span[Q_COUNT];
    if (tik_dropped(c) || !tik_not_built(in, c, args->span)) {
        return val_none();
    }
    return tik_bind(in, CALL_data_move_quant, args, got, span) &&
                   move_quant(&m, got, span)
               ? val_none()
               : val_fail();
}
