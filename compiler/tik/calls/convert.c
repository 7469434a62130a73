/* convert.c: calls of vec_conv and vconv (vector chapter 3).
 *
 * The element types choose the instruction: int32 to float16 and int16 to 8 bits are
 * scaled and have forms of their own. deqscale of the latter is a list [scale, offset],
 * which is packed here, or a pack or a tensor of packs.
 *
 * Owns: deqscale-missing, deqscale-forbidden, deqscale-type of conversions; deq-sign-bit
 * of literals. */
#include "tik/calls/convert.h"
#include "tik/calls/instruction.h"
#include "tik/expr.h"
#include "tik/literal.h"
#include "tik/methods.h"

#include <string.h>

/* Binds the arguments as those of vconv; vec_conv has no block strides and no
 * stride_unit. */
static bool
bind(Convert *x)
{
    Value got[MOST_ARGS];
    Span span[MOST_ARGS];
    Signature all = call_signature(CALL_vconv),
              s = call_signature(x->old ? CALL_vconv : CALL_vec_conv);
    TRY(call_bind(x->in, &s, x->args, got, span));
    int at = 0;
    for (int i = 0; i < all.n; i++) {
        bool given = at < s.n && strcmp(s.args[at].name, all.args[i].name) == 0;
        x->got[i] = given ? got[at] : val_fail();
        x->span[i] = given ? span[at++] : x->args->span;
    }
    return !x->old ||
           tik_no_mask_o(x->in, "vconv", x->got[P_vconv_mask_o], x->span[P_vconv_mask_o]);
}

/* ---- operands of the instructions ---------------------------------------- */

/* Records op with these arguments of the call, as far as vec_conv has them. */
static bool
record(Convert *x, Op op, const int *params, int n)
{
    Value values[MOST_ARGS];
    Span spans[MOST_ARGS];
    int used = 0;
    for (int i = 0; i < n; i++) {
        int p = params[i];
        if (x->old || (p != P_vconv_dst_blk_stride && p != P_vconv_src_blk_stride &&
                       p != P_vconv_stride_unit)) {
            values[used] = x->got[p];
            spans[used++] = x->span[p];
        }
    }
    return tik_record(x->in, x->c, op, x->args, values, spans);
}

static bool
plain(Convert *x)
{
    static const int params[] = {P_vconv_mask,
                                 P_vconv_round_mode,
                                 P_vconv_dst,
                                 P_vconv_src,
                                 P_vconv_repeat_times,
                                 P_vconv_dst_blk_stride,
                                 P_vconv_src_blk_stride,
                                 P_vconv_dst_rep_stride,
                                 P_vconv_src_rep_stride,
                                 P_vconv_stride_unit};
    if (x->got[P_vconv_deqscale].kind != VAL_NONE) {
        py_diag(x->in, D_DEQ_FORBIDDEN, x->span[P_vconv_deqscale],
                "deqscale is given for a conversion that has none");
        return false;
    }
    return record(x, x->old ? OP_VCONV : OP_VEC_CONV, params, ARRAY_LEN(params));
}

static bool
deq_type(Interp *in, Value deq, Span span, const char *takes)
{
    py_diag(in, D_DEQ_TYPE, span, "deqscale is %s; it takes %s there", tik_a(in, deq),
            takes);
    return false;
}

/* Checks that a scaled conversion has no round_mode: it rounds in one way only. */
static bool
no_round_mode(const Convert *x)
{
    const char *text;
    TRY(tik_text(x->in, x->got[P_vconv_round_mode], "round_mode",
                 x->span[P_vconv_round_mode], &text));
    if (*text == 0 || strcmp(text, "none") == 0) {
        return true;
    }
    py_diag(x->in, D_ROUND_MODE, x->span[P_vconv_round_mode],
            "round_mode is '%s'; a conversion with deqscale takes 'none' or ''", text);
    return false;
}

static bool
is_number(Value v)
{
    return v.kind == VAL_FLOAT || v.kind == VAL_INT;
}

bool
tik_deq_scale(Interp *in, Value deq, Span span)
{
    return is_number(deq) || tik_is_runtime(deq) ||
           deq_type(in, deq, span, "a float or a float16 Scalar");
}

static bool
scaled(Convert *x)
{
    static const int params[] = {P_vconv_mask,
                                 P_vconv_dst,
                                 P_vconv_src,
                                 P_vconv_repeat_times,
                                 P_vconv_dst_blk_stride,
                                 P_vconv_src_blk_stride,
                                 P_vconv_dst_rep_stride,
                                 P_vconv_src_rep_stride,
                                 P_vconv_deqscale,
                                 P_vconv_stride_unit};
    return tik_deq_scale(x->in, x->got[P_vconv_deqscale], x->span[P_vconv_deqscale]) &&
           no_round_mode(x) &&
           record(x, x->old ? OP_VCONV_DEQ : OP_VEC_CONV_DEQ, params, ARRAY_LEN(params));
}

/* ---- packs --------------------------------------------------------------- */

uint64_t
tik_deq_word(int64_t scale_bits, int64_t offset, bool sign)
{
    return (uint64_t)sign << 46 | ((uint64_t)offset & 0x1ff) << 37 |
           ((uint64_t)scale_bits & UINT32_MAX);
}

/* Makes a pack of [scale, offset] (vector 3.5). */
static bool
pack_list(Interp *in, Value *deq, Span span, Dtype dst)
{
    const char *takes = "[scale, offset], a float and an int of -256 to 255,";
    const List *list = deq->list;
    int64_t offset, bits;
    if (list->n != 2 || !is_number(list->p[0]) || list->p[1].kind != VAL_INT ||
        !val_as_int64(list->p[1], &offset) || offset < -256 || offset > 255) {
        return deq_type(in, *deq, span, takes);
    }
    TRY(tik_number_value(list->p[0], DT_F32, &bits));
    *deq = val_int((int64_t)tik_deq_word(bits, offset, dst == DT_S8));
    return true;
}

static bool
pack_number(Interp *in, Value deq, Span span, Dtype dst)
{
    uint64_t pack;
    Fault f;
    if (!tik_literal_fits(deq, DT_U64) || !val_as_uint64(deq, &pack)) {
        return deq_type(in, deq, span, "a pack of 64 bits");
    }
    if (!check_pack_sign(pack, dst, &f)) {
        py_diag(in, D_DEQ_SIGN, span, "%s", f.text);
        return false;
    }
    return true;
}

bool
tik_deq_pack(Interp *in, Value *deq, Span span, Dtype dst, const char *takes)
{
    if (deq->kind == VAL_LIST || deq->kind == VAL_TUPLE) {
        return pack_list(in, deq, span, dst);
    }
    if (deq->kind == VAL_INT || deq->kind == VAL_BIG) {
        return pack_number(in, *deq, span, dst);
    }
    return tik_is_runtime(*deq) || deq_type(in, *deq, span, takes);
}

static bool
packed(Convert *x, Dtype dst)
{
    static const int params[] = {P_vconv_mask,
                                 P_vconv_dst,
                                 P_vconv_src,
                                 P_vconv_repeat_times,
                                 P_vconv_dst_blk_stride,
                                 P_vconv_src_blk_stride,
                                 P_vconv_dst_rep_stride,
                                 P_vconv_src_rep_stride,
                                 P_vconv_deqscale,
                                 P_vconv_ldst_high_half,
                                 P_vconv_stride_unit};
    const char *takes = "[scale, offset], a pack of 64 bits or a uint64 tensor";
    bool table = tik_is(x->got[P_vconv_deqscale], &tik_tensor_class);
    Op op = table    ? (x->old ? OP_VCONV_PACKS : OP_VEC_CONV_PACKS)
            : x->old ? OP_VCONV_PACK
                     : OP_VEC_CONV_PACK;
    return no_round_mode(x) &&
           (table || tik_deq_pack(x->in, &x->got[P_vconv_deqscale],
                                  x->span[P_vconv_deqscale], dst, takes)) &&
           record(x, op, params, ARRAY_LEN(params));
}

/* ---- calls --------------------------------------------------------------- */

static bool
missing(const Convert *x, Dtype dst, Dtype src)
{
    py_diag(x->in, D_DEQ_MISSING, x->args->span, "%s from %s to %s has no deqscale",
            x->method, dtype_name(src), dtype_name(dst));
    return false;
}

static bool
types_are(const Convert *x, Dtype dst, Dtype src)
{
    return tik_is(x->got[P_vconv_dst], &tik_tensor_class) &&
           tik_is(x->got[P_vconv_src], &tik_tensor_class) &&
           ((View *)x->got[P_vconv_dst].obj)->dtype == dst &&
           ((View *)x->got[P_vconv_src].obj)->dtype == src;
}

bool
tik_convert_scales(const Convert *x)
{
    return types_are(x, DT_F16, DT_S32);
}

bool
tik_convert_packs(const Convert *x)
{
    return types_are(x, DT_S8, DT_S16) || types_are(x, DT_U8, DT_S16);
}

bool
tik_convert(Convert *x)
{
    uint32_t modes;
    bool scales = tik_convert_scales(x), packs = tik_convert_packs(x);
    if (!scales && !packs) {
        return plain(x);
    }
    Dtype dst = ((View *)x->got[P_vconv_dst].obj)->dtype;
    Dtype src = ((View *)x->got[P_vconv_src].obj)->dtype;
    if (x->got[P_vconv_deqscale].kind == VAL_NONE) {
        return op_has_pair(OP_VCONV, dst, src, x->c->k->soc, &modes)
                   ? plain(x)
                   : missing(x, dst, src);
    }
    return scales ? scaled(x) : packed(x, dst);
}

static Value
call(Interp *in, Tik *c, const CallArgs *args, bool old)
{
    Convert x = {
        .in = in, .c = c, .args = args, .method = old ? "vconv" : "vec_conv", .old = old};
    if (!tik_dropped(c) && tik_not_built(in, c, args->span) && bind(&x)) {
        (void)tik_convert(&x);
    }
    return tik_none(in);
}

Value
tik_vec_conv(Interp *in, Tik *c, const CallArgs *args)
{
    return call(in, c, args, false);
}

Value
tik_vconv(Interp *in, Tik *c, const CallArgs *args)
{
    return call(in, c, args, true);
}
