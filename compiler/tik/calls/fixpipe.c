/* fixpipe.c: calls of fixpipe in the two spellings of the language (cube-quant 8 and
 * 12).
 *
 * Owns: fix-params, deqscale-missing of fixpipe; fix-burst, fix-nsize, fix-stride,
 * deq-sign-bit of literals. */
#include "tik/calls/fixpipe.h"
#include "rules/flag.h"

#include <string.h>

#include "rules/fixpipe.h"
#include "python/core.h"
#include "tik/struct.h"
#include "tik/calls/instruction.h"
#include "tik/calls/sync.h"
#include "tik/expr.h"
#include "tik/literal.h"
#include "tik/methods.h"

View *
tik_fix_tensor(Value v)
{
    return tik_is(v, &tik_tensor_class) ? (View *)v.obj : NULL;
}

bool
tik_fix_broken(Interp *in, Span span, DiagId id, const char *text)
{
    py_diag(in, id, span, "%s", text);
    return false;
}

static bool
constant(Value v, int64_t *n)
{
    return !tik_is_runtime(v) && val_as_int64(v, n);
}

/* ---- by blocks ----------------------------------------------------------- */

typedef struct Fix {
    Interp *in;
    Tik *c;
    const CallArgs *args;
    Value got[MOST_ARGS];
    Span span[MOST_ARGS];
    Value bias, other, relu;
    int quant;   /* 0: none, 1: fp322fp16, 2: int322fp16 */
    Value param; /* mode_param; VAL_NONE if it is not given */
} Fix;

/* Returns an entry of a dictionary; VAL_NONE if it is missing or None. */
static Value
entry(Fix *x, Value dict, const char *key, int *found)
{
    Value v;
    if (dict.kind != VAL_DICT || !dict_get(x->in, dict, val_str(x->in, key), &v)) {
        return val_none();
    }
    ++*found;
    return v;
}

static bool
no_params(const Fix *x, const char *text)
{
    return tik_fix_broken(x->in, x->span[P_fixpipe_extend_params], D_FIX_PARAMS, text);
}

static bool
read_quantize(Fix *x, Value q)
{
    int found = 0;
    const char *mode;
    if (q.kind == VAL_NONE) {
        return true;
    }
    if (q.kind != VAL_DICT) {
        return no_params(x, "quantize_params is no dict of mode and mode_param");
    }
    Value name = entry(x, q, "mode", &found);
    x->param = entry(x, q, "mode_param", &found);
    if (found != (int)q.dict->live) {
        return no_params(x, "quantize_params has other keys than mode and mode_param");
    }
    TRY(tik_text(x->in, name, "mode of quantize_params", x->span[P_fixpipe_extend_params],
                 &mode));
    x->quant = strcmp(mode, "fp322fp16") == 0    ? 1
               : strcmp(mode, "int322fp16") == 0 ? 2
                                                 : 0;
    if (x->quant == 0) {
        return no_params(x,
                         "mode of quantize_params is neither fp322fp16 nor int322fp16");
    }
    if ((x->quant == 2) != (x->param.kind != VAL_NONE)) {
        return no_params(x, x->quant == 2 ? "int322fp16 has no mode_param, which it needs"
                                          : "fp322fp16 has a mode_param, and takes none");
    }
    return true;
}

static bool
read_extend(Fix *x)
{
    Value d = x->got[P_fixpipe_extend_params];
    int found = 0;
    if (d.kind == VAL_NONE) {
        return true;
    }
    if (d.kind != VAL_DICT) {
        return no_params(x, "extend_params is no dict");
    }
    x->bias = entry(x, d, "bias", &found);
    x->other = entry(x, d, "element-wise-add", &found);
    x->relu = entry(x, d, "relu", &found);
    Value q = entry(x, d, "quantize_params", &found);
    if (found != (int)d.dict->live) {
        return no_params(x,
                         "extend_params has a key that is none of bias, quantize_params, "
                         "relu, element-wise-add");
    }
    if (x->bias.kind != VAL_NONE && x->other.kind != VAL_NONE) {
        return no_params(x, "bias and element-wise-add exclude each other");
    }
    if (x->relu.kind != VAL_NONE && x->relu.kind != VAL_BOOL) {
        return no_params(x, "relu is neither True nor False");
    }
    if ((x->bias.kind != VAL_NONE && !tik_fix_tensor(x->bias)) ||
        (x->other.kind != VAL_NONE && !tik_fix_tensor(x->other))) {
        return no_params(x, "bias or element-wise-add is no tensor");
    }
    return read_quantize(x, q);
}

/* Returns a scale as the bits of a float32; on processors whose scale is a float16, it is
 * rounded to that first. */
static bool
scale_word(Fix *x, Value *out)
{
    Dtype t = soc_has(x->c->k->soc, FEATURE_FIX_THROUGH_UB) ? DT_F16 : DT_F32;
    Span span = x->span[P_fixpipe_extend_params];
    ExprId e;
    if (tik_is_runtime(x->param)) {
        TRY(tik_read(x->in, x->c, x->param, span, &e));
        if (ir_expr(x->c->k, e)->dtype != t) {
            py_diag(x->in, D_DEQ_TYPE, span, "mode_param has dtype %s; on %s it is %s",
                    dtype_name(ir_expr(x->c->k, e)->dtype), x->c->k->soc->name,
                    dtype_name(t));
            return false;
        }
    } else if (!tik_literal_fits(x->param, t) || !tik_number(x->c, x->param, t, &e)) {
        return tik_fix_broken(x->in, span, D_DEQ_TYPE,
                              "mode_param is no number that the scale's type represents");
    }
    e = ir_bits(x->c->k, DT_U32, ir_cast(x->c->k, DT_F32, e));
    *out = tik_expr(x->in, x->c, ir_cast(x->c->k, DT_U64, e));
    return true;
}

/* Returns the tensor of scales. Pairs of float32 are viewed as 64-bit words on processors
 * that take words. */
static Value
scale_tensor(Fix *x)
{
    View *v = tik_fix_tensor(x->param);
    bool words = soc_has(x->c->k->soc, FEATURE_FIX_WORDS);
    if (!words || v->dtype != DT_F32) {
        return x->param;
    }
    View *pairs = ARENA_NEW(&x->in->u->arena, View);
    *pairs = *v;
    pairs->dtype = DT_U64;
    return val_object(&pairs->base);
}

static bool
record_blocks(Fix *x)
{
    bool vector = tik_fix_tensor(x->param) != NULL;
    bool add = x->bias.kind != VAL_NONE || x->other.kind != VAL_NONE;
    Value v[FIXA_other + 1];
    Span span[FIXA_other + 1];
    const View *src = tik_fix_tensor(x->got[P_fixpipe_src]);
    int64_t len;
    Fault f;
    if (src && !src->poisoned && constant(x->got[P_fixpipe_burst_len], &len) &&
        !check_fix_burst(src->dtype, len, &f)) {
        return tik_fix_broken(x->in, x->span[P_fixpipe_burst_len], D_FIX_BURST, f.text);
    }
    for (int i = 0; i <= FIXA_other; i++) {
        v[i] = i < P_fixpipe_extend_params ? x->got[i] : val_int(0);
        span[i] = x->span[i < P_fixpipe_extend_params ? i : P_fixpipe_extend_params];
    }
    if (vector) {
        v[FIXA_mode_param] = scale_tensor(x);
    } else if (x->quant == 2 && !scale_word(x, &v[FIXA_mode_param])) {
        return false;
    }
    v[FIXA_quantize] = val_int(x->quant);
    v[FIXA_relu] = val_bool(tik_is_set(x->relu));
    v[FIXA_add] = val_int(x->bias.kind != VAL_NONE ? 1 : 2);
    v[FIXA_other] = x->bias.kind != VAL_NONE ? x->bias : x->other;
    Op op = vector ? (add ? OP_FIXPIPE_VECTOR_ADD : OP_FIXPIPE_VECTOR)
            : add  ? OP_FIXPIPE_ADD
                   : OP_FIXPIPE;
    return tik_record(x->in, x->c, op, x->args, v, span);
}

static bool
fix_blocks(Interp *in, Tik *c, const CallArgs *args)
{
    Fix x = {.in = in, .c = c, .args = args};
    x.bias = x.other = x.relu = x.param = val_none();
    TRY(tik_bind(in, CALL_fixpipe, args, x.got, x.span));
    /* On processors without a queue for it, fixpipe is several moves. */
    bool single = flag_has_pipe(c->k->soc, PIPE_FIX);
    (void)((single || tik_composite_place(in, c, "fixpipe", args->span)) &&
           read_extend(&x) && record_blocks(&x));
    return !in->fatal;
}

/* ---- by columns ---------------------------------------------------------- */

/* Checks the rules on literals that are no intervals. */
static bool
literal_columns(const FixColumns *x)
{
    int64_t n, stride;
    Fault f;
    if (!constant(x->v[FIXC_n_size], &n) || !constant(x->v[FIXC_src_stride], &stride) ||
        check_fix_columns(tik_is_set(x->v[FIXC_nd]), tik_is_set(x->v[FIXC_split]), n,
                          stride, &f)) {
        return true;
    }
    return tik_fix_broken(x->in, x->span[f.param], diag_of_rule(f.rule), f.text);
}

static bool
literal_sign(const FixColumns *x)
{
    const View *dst = tik_fix_tensor(x->v[FIXC_dst]);
    uint64_t word;
    Fault f;
    bool narrow = dst && !dst->poisoned && dtype_size(dst->dtype) == 1;
    if (!narrow || tik_is_runtime(x->v[FIXC_deq]) || tik_fix_tensor(x->v[FIXC_deq]) ||
        !val_as_uint64(x->v[FIXC_deq], &word) || check_pack_sign(word, dst->dtype, &f)) {
        return true;
    }
    return tik_fix_broken(x->in, x->span[FIXC_deq], D_DEQ_SIGN, f.text);
}

bool
tik_fix_record(FixColumns *x)
{
    bool vector = tik_fix_tensor(x->v[FIXC_deq]) != NULL;
    if (fix_mode_is_vector((FixMode)x->v[FIXC_quant_pre].i) && !vector) {
        (void)tik_fix_broken(x->in, x->args->span, D_DEQ_MISSING,
                             "the conversion has no tensor of words, which it needs");
    } else if (literal_columns(x) && literal_sign(x)) {
        (void)tik_record(x->in, x->c,
                         vector ? OP_FIXPIPE_COLUMNS_VECTOR : OP_FIXPIPE_COLUMNS, x->args,
                         x->v, x->span);
    }
    return !x->in->fatal;
}

#define FIELD(name) tik_field(params, TFIELD_FixpipeParamsV220_##name)

/* fixpipe(dst, src, params, workspace=None, config=CFG_ROW_MAJOR). */
static bool
fix_columns(Interp *in, Tik *c, const CallArgs *args)
{
    Value got[MOST_ARGS];
    Span span[MOST_ARGS];
    FixColumns x = {.in = in, .c = c, .args = args};
    TRY(tik_bind(in, CALL_fixpipe_params, args, got, span));
    Value params = got[P_fixpipe_params_params];
    if (got[P_fixpipe_params_config].kind != VAL_NONE &&
        !tik_is_enum(got[P_fixpipe_params_config], TENUM_FixpipeConfig)) {
        (void)tik_fix_broken(in, span[P_fixpipe_params_config], D_FIX_PARAMS,
                             "config is no value of tik.FixpipeConfig");
        return !in->fatal;
    }
    bool nz =
        got[P_fixpipe_params_config].kind != VAL_NONE &&
        tik_enum_number(got[P_fixpipe_params_config]) == TVALUE_FixpipeConfig_CFG_NZ;
    for (int i = 0; i <= FIXC_relu; i++) {
        x.span[i] = span[i <= FIXC_src ? i : 2];
    }
    x.v[FIXC_dst] = got[P_fixpipe_params_dst];
    x.v[FIXC_src] = got[P_fixpipe_params_src];
    x.v[FIXC_n_size] = FIELD(n_size);
    x.v[FIXC_m_size] = FIELD(m_size);
    x.v[FIXC_src_stride] = FIELD(src_stride);
    x.v[FIXC_dst_stride] = FIELD(dst_stride);
    x.v[FIXC_nd_num] = FIELD(nd_num);
    x.v[FIXC_src_nd_stride] = FIELD(src_nd_stride);
    x.v[FIXC_dst_nd_stride] = FIELD(dst_nd_stride);
    x.v[FIXC_quant_pre] = val_int(tik_enum_number(FIELD(quant_pre)));
    x.v[FIXC_deq] = got[P_fixpipe_params_workspace].kind != VAL_NONE
                        ? got[P_fixpipe_params_workspace]
                        : FIELD(deq_scalar);
    x.span[FIXC_deq] = span[got[P_fixpipe_params_workspace].kind != VAL_NONE ? 3 : 2];
    x.v[FIXC_nd] = val_bool(!nz);
    x.v[FIXC_split] = val_bool(tik_is_set(FIELD(is_channel_split)));
    x.v[FIXC_relu] = val_bool(tik_is_set(FIELD(relu_en)));
    return tik_unit_flag(in, c, FIELD(unit_flag), span[P_fixpipe_params_params])
               ? tik_fix_record(&x)
               : !in->fatal;
}

Value
tik_fixpipe(Interp *in, Tik *c, const CallArgs *args)
{
    bool columns =
        args->npos > 2 && tik_struct_of(args->pos[2]) == TSTRUCT_FixpipeParamsV220;
    for (int k = 0; k < args->nkw; k++) {
        columns = columns || tik_struct_of(args->kwval[k]) == TSTRUCT_FixpipeParamsV220;
    }
    if (tik_dropped(c) || !tik_not_built(in, c, args->span)) {
        return val_none();
    }
    return (columns ? fix_columns : fix_blocks)(in, c, args) ? val_none() : val_fail();
}
