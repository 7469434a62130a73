/* cast.c: the calls for conversions in the spelling of Ascend C: cast, cast_dequant, and
 * set_deq_scale, which sets the register of the scale (cube-quant 13). They record the
 * instructions of vconv.
 *
 * A conversion reads the register when it runs. A number that was set before in the same
 * scope becomes an operand, so the instruction is the one that vconv with that deqscale
 * records. The tensor of packs is chosen by the text of the program: it is that of the
 * last set_deq_scale with a tensor before the conversion.
 *
 * Owns: deqscale-missing, deqscale-type, arg-type, nop and dtype-unsupported of these
 * calls. */
#include "tik/calls/convert.h"
#include "tik/struct.h"
#include "tik/expr.h"
#include "tik/literal.h"
#include "tik/methods.h"
#include "tik/sreg.h"
#include "tik/tensor.h"

enum {
    PACKS = 16,
    MOST_REPEATS = 255,
    PACK_STEP =
        /* bytes from one result of cast_dequant to the next; the other half of each block
         * is included */
        2
};

/* ---- the register -------------------------------------------------------- */

static bool
no_scale(Interp *in, Value v, Span span, const char *name, const char *takes)
{
    py_diag(in, D_DEQ_TYPE, span, "%s is %s; set_deq_scale takes %s there", name,
            v.kind == VAL_INT ? val_repr(in, v) : tik_a(in, v), takes);
    return false;
}

/* Stores to the register. A literal is known until the scope ends. */
static bool
set_register(Interp *in, Tik *c, ExprId word, Value literal, bool pack, Span span)
{
    c->deq.literal = literal;
    c->deq.literal_is_pack = pack;
    c->deq.scope = c->top;
    return tik_sreg_store(in, c, SREG_DEQ, DT_U64, word, span);
}

/* set_deq_scale(scale) with a float16. */
static bool
set_half(Interp *in, Tik *c, Value scale, Span span)
{
    ExprId e;
    bool runs = tik_is_runtime(scale);
    if (runs) {
        TRY(tik_read(in, c, scale, span, &e));
    } else if (scale.kind != VAL_FLOAT && scale.kind != VAL_INT) {
        return no_scale(in, scale, span, "scale", "a float or a float16 Scalar");
    } else {
        Literal use = {"scale", span, true};
        TRY(tik_literal(in, c, scale, DT_F16, &use, &e));
    }
    c->deq.half = true;
    e = ir_bits(c->k, DT_U16, ir_cast(c->k, DT_F16, e));
    return set_register(in, c, ir_cast(c->k, DT_U64, e), runs ? val_fail() : scale, false,
                        span);
}

/* Makes a pack of one scale, offset and sign. *literal is the pack, or VAL_FAIL when only
 * the run knows it. */
static bool
pack_of(Interp *in, Tik *c, const Value part[3], Span span, ExprId *word, Value *literal)
{
    Kernel *k = c->k;
    ExprId scale, offset;
    int64_t n = 0, bits;
    bool runs = tik_is_runtime(part[0]) || tik_is_runtime(part[1]);
    if (tik_is_runtime(part[0])) {
        TRY(tik_read(in, c, part[0], span, &scale));
    } else if (!tik_number_value(part[0], DT_F32, &bits)) {
        return no_scale(in, part[0], span, "scale", "a float or a float32 Scalar");
    } else {
        scale = ir_const(k, DT_F32, bits);
    }
    if (tik_is_runtime(part[1])) {
        TRY(tik_read(in, c, part[1], span, &offset));
        offset = ir_cast(k, DT_U64, ir_cast(k, DT_S64, offset));
    } else if (part[1].kind != VAL_INT || !val_as_int64(part[1], &n) || n < -256 ||
               n > 255) {
        return no_scale(in, part[1], span, "offset", "an int of -256 to 255 or a Scalar");
    } else {
        offset = ir_const(k, DT_U64, n);
    }
    if (part[2].kind != VAL_BOOL) {
        return no_scale(in, part[2], span, "sign_mode", "True or False");
    }
    *literal = runs ? val_fail() : val_int((int64_t)tik_deq_word(bits, n, part[2].b));
    scale = ir_cast(k, DT_U64, ir_bits(k, DT_U32, ir_cast(k, DT_F32, scale)));
    offset = ir_op2(k, SOP_SHL, ir_op2(k, SOP_AND, offset, ir_const(k, DT_U64, 0x1ff)),
                    ir_const(k, DT_U64, 37));
    ExprId sign = ir_const(k, DT_U64, (int64_t)tik_deq_word(0, 0, part[2].b));
    *word = ir_op2(k, SOP_OR, ir_op2(k, SOP_OR, scale, offset), sign);
    return true;
}

/* set_deq_scale(scale, offset, sign_mode). */
static bool
set_pack(Interp *in, Tik *c, const Value *got, const Span *span)
{
    ExprId word;
    Value literal;
    TRY(pack_of(in, c, got, span[0], &word, &literal));
    c->deq.pack = true;
    return set_register(in, c, word, literal, true, span[0]);
}

/* Reads the 16 items of a field of VdeqInfo. */
static bool
info_items(Interp *in, Value list, const char *name, Span span, const Value **items)
{
    bool is = list.kind == VAL_LIST || list.kind == VAL_TUPLE;
    if (!is || list.list->n != PACKS) {
        py_diag(in, D_DEQ_TYPE, span, "%s of VdeqInfo has %d items; it has %d", name,
                is ? (int)list.list->n : 0, PACKS);
        return false;
    }
    *items = list.list->p;
    return true;
}

/* Returns the view moved by that many bytes. */
static Value
moved(Interp *in, Value tensor, Dtype t, int64_t bytes)
{
    const View *v = (View *)tensor.obj;
    Tik *c = v->root->c;
    View *w = ARENA_NEW(&in->u->arena, View);
    *w = *v;
    w->dtype = t;
    w->off = ir_op2(c->k, SOP_ADD, v->off, tik_i64(c, bytes));
    return val_object(&w->base);
}

/* set_deq_scale(vdeq_tensor, vdeq_info) stores the packs to elements of the tensor. */
static bool
set_packs(Interp *in, Tik *c, const Value *got, const Span *span)
{
    static const TikField fields[3] = {TFIELD_VdeqInfo_vdeq_scale,
                                       TFIELD_VdeqInfo_vdeq_offset,
                                       TFIELD_VdeqInfo_vdeq_sign_mode};
    static const char *const names[3] = {"vdeq_scale", "vdeq_offset", "vdeq_sign_mode"};
    const Value *items[3];
    View *v = (View *)got[0].obj;
    if (v->dtype != DT_U64) {
        return v->poisoned ||
               no_scale(in, got[0], span[0], "vdeq_tensor", "a tensor of uint64");
    }
    for (int i = 0; i < 3; i++) {
        TRY(info_items(in, tik_field(got[1], fields[i]), names[i], span[1], &items[i]));
    }
    for (int i = 0; i < PACKS; i++) {
        const Value part[3] = {items[0][i], items[1][i], items[2][i]};
        ExprId word;
        Value literal;
        Ref ref;
        TRY(pack_of(in, c, part, span[1], &word, &literal) &&
            tik_ref(in, (View *)moved(in, got[0], DT_U64, 8 * i).obj, span[0], &ref));
        Stmt s = {.kind = ST_STORE, .store = {ref, word}};
        TRY(tik_emit(in, c, s, span[0], NULL));
    }
    c->deq.packs = v;
    return true;
}

static bool
is_info(const CallArgs *args)
{
    bool found = args->npos > 1 && tik_struct_of(args->pos[1]) == TSTRUCT_VdeqInfo;
    for (int i = 0; i < args->nkw; i++) {
        found = found || tik_struct_of(args->kwval[i]) == TSTRUCT_VdeqInfo;
    }
    return found;
}

Value
tik_set_deq_scale(Interp *in, Tik *c, const CallArgs *args)
{
    bool info = is_info(args);
    Value got[MOST_ARGS];
    Span span[MOST_ARGS];
    if (tik_dropped(c)) {
        return val_none();
    }
    if (!tik_bind(in, info ? CALL_set_deq_tensor : CALL_set_deq_scale, args, got, span)) {
        return tik_none(in);
    }
    if (!tik_not_built(in, c, args->span)) {
        return tik_none(in);
    }
    if (info && tik_is(got[0], &tik_tensor_class)) {
        (void)(tik_own(in, c, got[0], span[0]) && set_packs(in, c, got, span));
    } else if (info) {
        (void)no_scale(in, got[0], span[0], "vdeq_tensor", "a tensor of uint64");
    } else if (got[1].kind == VAL_NONE && got[2].kind == VAL_NONE) {
        (void)set_half(in, c, got[0], span[0]);
    } else {
        (void)set_pack(in, c, got, span);
    }
    return tik_none(in);
}

/* ---- the scale of a conversion ------------------------------------------- */

/* Sets the deqscale of the conversion: the literal that the register holds, or else the
 * register's value when the conversion runs. */
static bool
read_scale(Convert *x, Dtype t)
{
    ExprId e;
    Tik *c = x->c;
    if (c->deq.scope == c->top && c->deq.literal.kind != VAL_FAIL &&
        c->deq.literal_is_pack == (t == DT_U64)) {
        x->got[P_vconv_deqscale] = c->deq.literal;
        return true;
    }
    TRY(tik_sreg_read(x->in, c, SREG_DEQ, t, x->args->span, &e));
    x->got[P_vconv_deqscale] = tik_expr(x->in, c, e);
    return true;
}

static bool
not_set(const Convert *x, const char *form)
{
    py_diag(x->in, D_DEQ_MISSING, x->args->span,
            "set_deq_scale(%s) was not called before a %s that needs it", form,
            x->method);
    return false;
}

/* ---- operands ------------------------------------------------------------ */

/* True if the call has mask, repeat_times and repeat_params; otherwise it has a number of
 * elements. */
static bool
has_repeat_params(const CallArgs *args)
{
    bool found = false;
    for (int i = 0; i < args->npos; i++) {
        found = found || tik_struct_of(args->pos[i]) == TSTRUCT_UnaryRepeatParams;
    }
    for (int i = 0; i < args->nkw; i++) {
        found = found || tik_struct_of(args->kwval[i]) == TSTRUCT_UnaryRepeatParams;
    }
    return found;
}

static void
put(Convert *x, int param, Value v, Span span)
{
    x->got[param] = v;
    x->span[param] = span;
}

/* Takes mask, repeat_times and repeat_params, which got holds in this order. */
static bool
put_repeats(Convert *x, const Value *got, const Span *span)
{
    static const struct {
        int param;
        TikField field;
    } strides[] = {{P_vconv_dst_blk_stride, TFIELD_UnaryRepeatParams_dst_blk_stride},
                   {P_vconv_src_blk_stride, TFIELD_UnaryRepeatParams_src_blk_stride},
                   {P_vconv_dst_rep_stride, TFIELD_UnaryRepeatParams_dst_rep_stride},
                   {P_vconv_src_rep_stride, TFIELD_UnaryRepeatParams_src_rep_stride}};
    put(x, P_vconv_mask, got[0], span[0]);
    put(x, P_vconv_repeat_times, got[1], span[1]);
    if (tik_struct_of(got[2]) != TSTRUCT_UnaryRepeatParams) {
        py_diag(x->in, D_ARG_TYPE, span[2],
                "repeat_params is %s; %s takes UnaryRepeatParams there",
                tik_a(x->in, got[2]), x->method);
        return false;
    }
    for (size_t i = 0; i < ARRAY_LEN(strides); i++) {
        put(x, strides[i].param, tik_field(got[2], strides[i].field), span[2]);
    }
    return true;
}

/* ---- counts -------------------------------------------------------------- */

/* Distances of elements of dst and src in bytes, and elements of a repeat. */
typedef struct Steps {
    int64_t dst, src, lanes;
} Steps;

static Steps
steps(const Convert *x)
{
    int dst = dtype_size(((View *)x->got[P_vconv_dst].obj)->dtype);
    int src = dtype_size(((View *)x->got[P_vconv_src].obj)->dtype);
    return (Steps){tik_convert_packs(x) ? PACK_STEP : dst, src,
                   REPEAT_BYTES / MAX(dst, src)};
}

/* Records repeats of n lanes each, beginning with an element. */
static bool
record_part(const Convert *x, const Steps *s, int64_t first, int64_t n, int64_t repeats)
{
    Convert part = *x;
    Value dst = x->got[P_vconv_dst], src = x->got[P_vconv_src];
    const int numbers[][2] = {
        {P_vconv_mask, (int)n},
        {P_vconv_repeat_times, (int)repeats},
        {P_vconv_dst_blk_stride, 1},
        {P_vconv_src_blk_stride, 1},
        {P_vconv_dst_rep_stride, (int)(s->lanes * s->dst / BLOCK_BYTES)},
        {P_vconv_src_rep_stride, (int)(s->lanes * s->src / BLOCK_BYTES)}};
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
        part.got[numbers[i][0]] = val_int(numbers[i][1]);
    }
    part.got[P_vconv_dst] = moved(x->in, dst, ((View *)dst.obj)->dtype, first * s->dst);
    part.got[P_vconv_src] = moved(x->in, src, ((View *)src.obj)->dtype, first * s->src);
    return tik_convert(&part);
}

/* Records consecutive elements: whole repeats, then the rest. */
static bool
record_count(const Convert *x, Value count, Span span)
{
    int64_t n, most = x->c->k->soc->bytes[SC_UB];
    if (count.kind != VAL_INT || !val_as_int64(count, &n) || n < 0 || n > most) {
        py_diag(x->in, D_ARG_TYPE, span,
                "count is %s; %s takes an int of 0 to %lld there, or mask, "
                "repeat_times and repeat_params",
                val_repr(x->in, count), x->method, (long long)most);
        return false;
    }
    if (n == 0) {
        py_diag(x->in, D_NOP, span, "count is 0: %s converts nothing", x->method);
        return true;
    }
    Steps s = steps(x);
    int64_t done = 0;
    while (n - done >= s.lanes) {
        int64_t repeats = MIN((n - done) / s.lanes, MOST_REPEATS);
        TRY(record_part(x, &s, done, s.lanes, repeats));
        done += repeats * s.lanes;
    }
    return done == n || record_part(x, &s, done, n - done, 1);
}

/* ---- calls --------------------------------------------------------------- */

static bool
are_tensors(const Convert *x)
{
    for (int i = P_vconv_dst; i <= P_vconv_src; i++) {
        if (!tik_is(x->got[i], &tik_tensor_class)) {
            py_diag(x->in, D_ARG_TYPE, x->span[i], "%s is %s; %s takes a tensor there",
                    i == P_vconv_dst ? "dst" : "src", tik_a(x->in, x->got[i]), x->method);
            return false;
        }
        TRY(tik_own(x->in, x->c, x->got[i], x->span[i]));
    }
    return true;
}

static Convert
cast_call(Interp *in, Tik *c, const CallArgs *args, const char *method)
{
    Convert x = {.in = in, .c = c, .args = args, .method = method, .old = true};
    for (int i = 0; i < MOST_ARGS; i++) {
        put(&x, i, val_fail(), args->span);
    }
    x.got[P_vconv_round_mode] = val_str(in, "");
    x.got[P_vconv_deqscale] = val_none();
    return x;
}

/* Sets the round_mode of vconv by its text. */
static bool
put_round(Convert *x, Value mode, Span span)
{
    static const char *const texts[] = {"",          "round",   "floor", "ceil",
                                        "away-zero", "to-zero", "odd"};
    if (!tik_is_enum(mode, TENUM_RoundMode)) {
        py_diag(x->in, D_ARG_TYPE, span,
                "round_mode is %s; %s takes a value of tik.RoundMode there",
                tik_a(x->in, mode), x->method);
        return false;
    }
    put(x, P_vconv_round_mode, val_str(x->in, texts[tik_enum_number(mode)]), span);
    return true;
}

/* Sets the scale if the types have one. On processors that also convert without a scale
 * it is optional. */
static bool
scale_of_cast(Convert *x)
{
    uint32_t modes;
    if (!tik_convert_scales(x)) {
        return true;
    }
    if (!x->c->deq.half) {
        return op_has_pair(OP_VCONV, DT_F16, DT_S32, x->c->k->soc, &modes) ||
               not_set(x, "scale");
    }
    return read_scale(x, DT_F16);
}

/* Binds the call and takes dst and src, which are the first two arguments of all
 * spellings. */
static bool
bind_cast(Convert *x, Call call, Value *got, Span *span)
{
    TRY(tik_bind_like(x->in, x->method, call, x->args, got, span));
    put(x, P_vconv_dst, got[0], span[0]);
    put(x, P_vconv_src, got[1], span[1]);
    return true;
}

static bool
cast(Convert *x)
{
    Value got[MOST_ARGS];
    Span span[MOST_ARGS];
    bool repeated = has_repeat_params(x->args);
    TRY(bind_cast(x, repeated ? CALL_cast_repeats : CALL_cast, got, span));
    TRY(are_tensors(x) && put_round(x, got[2], span[2]) && scale_of_cast(x));
    return repeated ? put_repeats(x, got + 3, span + 3) && tik_convert(x)
                    : record_count(x, got[3], span[3]);
}

/* Takes the arguments of cast_dequant that say whether there is one pack or several, and
 * which half of the blocks is written. */
static bool
put_flags(Convert *x, Value vector, Span vector_span, Value half, Span half_span)
{
    if (vector.kind != VAL_BOOL || half.kind != VAL_BOOL) {
        bool first = vector.kind != VAL_BOOL;
        py_diag(x->in, D_ARG_TYPE, first ? vector_span : half_span,
                "%s is %s; it is True or False", first ? "is_vec_deq" : "half_block",
                tik_a(x->in, first ? vector : half));
        return false;
    }
    put(x, P_vconv_ldst_high_half, half, half_span);
    if (!vector.b) {
        return x->c->deq.pack ? read_scale(x, DT_U64)
                              : not_set(x, "scale, offset, sign_mode");
    }
    if (!x->c->deq.packs) {
        return not_set(x, "vdeq_tensor, vdeq_info");
    }
    put(x, P_vconv_deqscale, val_object(&x->c->deq.packs->base), x->args->span);
    return true;
}

static bool
cast_dequant(Convert *x)
{
    Value got[MOST_ARGS];
    Span span[MOST_ARGS];
    bool repeated = has_repeat_params(x->args);
    int flags = repeated ? P_cast_deq_repeats_is_vec_deq : P_cast_deq_is_vec_deq;
    TRY(bind_cast(x, repeated ? CALL_cast_deq_repeats : CALL_cast_deq, got, span));
    TRY(are_tensors(x));
    if (!tik_convert_packs(x)) {
        py_diag(x->in, D_DTYPE_UNSUPPORTED, x->span[P_vconv_dst],
                "src is %s and dst is %s; %s converts int16 to int8 and uint8",
                dtype_name(((View *)x->got[P_vconv_src].obj)->dtype),
                dtype_name(((View *)x->got[P_vconv_dst].obj)->dtype), x->method);
        return false;
    }
    TRY(put_flags(x, got[flags], span[flags], got[flags + 1], span[flags + 1]));
    return repeated ? put_repeats(x, got + 2, span + 2) && tik_convert(x)
                    : record_count(x, got[2], span[2]);
}

static Value
call(Interp *in, Tik *c, const CallArgs *args, const char *method,
     bool (*convert)(Convert *x))
{
    Convert x = cast_call(in, c, args, method);
    if (!tik_dropped(c) && tik_not_built(in, c, args->span)) {
        (void)convert(&x);
    }
    return tik_none(in);
}

Value
tik_cast(Interp *in, Tik *c, const CallArgs *args)
{
    return call(in, c, args, "cast", cast);
}

Value
tik_cast_dequant(Interp *in, Tik *c, const CallArgs *args)
{
    return call(in, c, args, "cast_dequant", cast_dequant);
}

Value
tik_cast_deq(Interp *in, Tik *c, const CallArgs *args)
{
    return call(in, c, args, "cast_deq", cast_dequant);
}
