/* tik_load_data.c: the spellings that Ascend C has for the matrix unit: load_data with LoadData2DParams and mmad with
 * MmadParams (cube 3.1, 5.1). They record the instructions of the other spelling; a constant count of 0 does
 * nothing, with a warning.
 *
 * Owns: nop, arg-type, mmad-reserved, bias and range-stride of these calls. */
#include "stage/tik_struct.h"

/* A call while its arguments become operands. */
typedef struct Load {
    Interp *in;
    Tik *c;
    const CallArgs *args;
    Value params;
    Span span; /* of the structure */
} Load;

static bool
is_zero(Value v)
{
    int64_t n;
    return !tik_is_runtime(v) && val_as_int64(v, &n) && n == 0;
}

static bool
wrong_params(const Load *x, const char *method, TikStruct want)
{
    stage_diag(x->in, D_ARG_TYPE, x->span, "params is %s; %s takes %s there",
               tik_a(x->in, x->params), method, tik_struct_name(want));
    return false;
}

/* ---- load_data ------------------------------------------------------------------------------------------- */

/* The 310 and 910 have no gap between destinations. */
static bool
record_load2d(const Load *x, Value dst, Value src, const Span *span)
{
    enum {
        GAP = 4,
        N = 9
    };
    static const TikField fields[] = {
        TFIELD_LoadData2DParams_start_index, TFIELD_LoadData2DParams_repeat_times,
        TFIELD_LoadData2DParams_dst_gap,     TFIELD_LoadData2DParams_src_stride,
        TFIELD_LoadData2DParams_sid,         TFIELD_LoadData2DParams_if_transpose,
        TFIELD_LoadData2DParams_addr_mode};
    Value v[N] = {dst, src};
    Span at[N] = {span[0], span[1]};
    bool old = soc_profile(x->c->k->soc) == PROFILE_V100;
    int n = 2;
    for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
        v[n] = tik_field(x->params, fields[i]);
        at[n] = x->span;
        bool gap = n == GAP && old && i + 2 == GAP;
        if (gap && !is_zero(v[n])) {
            stage_diag(x->in, D_RANGE_STRIDE, x->span, "dst_gap is %s; on %s it is 0",
                       val_repr(x->in, v[n]), x->c->k->soc->name);
            return false;
        }
        n += !gap;
    }
    return tik_record(x->in, x->c, old ? OP_LOAD2DV1 : OP_LOAD2DV2, x->args, v, at);
}

Value
tik_load_data(Interp *in, Tik *c, const CallArgs *args)
{
    static const BindParam params[] = {
        {"dst", true, {0}}, {"src", true, {0}}, {"params", true, {0}}};
    enum {
        N = ARRAY_LEN(params)
    };
    Value got[N];
    Span span[N];
    if (tik_dropped(c)) {
        return val_none();
    }
    if (!stage_bind(in, "load_data", args, params, N, got, span)) {
        return val_fail();
    }
    Load x = {in, c, args, got[N - 1], span[N - 1]};
    if (!tik_not_built(in, c, args->span)) {
        return in->fatal ? val_fail() : val_none();
    }
    if (tik_struct_of(x.params) != TSTRUCT_LoadData2DParams) {
        (void)wrong_params(&x, "load_data", TSTRUCT_LoadData2DParams);
    } else if (is_zero(tik_field(x.params, TFIELD_LoadData2DParams_repeat_times))) {
        stage_diag(in, D_NOP, x.span, "repeat_times is 0: load_data loads nothing");
    } else {
        (void)record_load2d(&x, got[0], got[1], span);
    }
    return in->fatal ? val_fail() : val_none();
}

/* ---- mmad -------------------------------------------------------------------------------------------------- */

enum {
    MMAD_DST,
    MMAD_FM,
    MMAD_FILTER,
    MMAD_BIAS,
    MMAD_PARAMS,
    MMAD_N
};

/* The structure is the fourth argument, or the fifth behind a bias. */
bool
tik_is_mmad_params(const CallArgs *args)
{
    bool found = false;
    for (int i = MMAD_BIAS; i < args->npos; i++) {
        found = found || tik_struct_of(args->pos[i]) == TSTRUCT_MmadParams;
    }
    for (int i = 0; i < args->nkw; i++) {
        found = found || tik_struct_of(args->kwval[i]) == TSTRUCT_MmadParams;
    }
    return found;
}

static bool
is_true(const Load *x, TikField f)
{
    return tik_field(x->params, f).b;
}

/* What the sum begins with: *onto what dst_fm holds, else zeros or the bias. */
static bool
start_of(const Load *x, bool bias, bool *onto)
{
    bool older = is_true(x, TFIELD_MmadParams_is_bias);
    bool fresh = is_true(x, TFIELD_MmadParams_cmatrix_init_val);
    bool table = is_true(x, TFIELD_MmadParams_cmatrix_source);
    *onto = older || (!fresh && !table);
    if (!is_zero(tik_field(x->params, TFIELD_MmadParams_unit_flag))) {
        stage_diag(x->in, D_MMAD_RESERVED, x->span, "unit_flag of MmadParams is not 0");
        return false;
    }
    if (bias && older) {
        stage_diag(x->in, D_BIAS, x->span,
                   "is_bias is True beside a bias; a sum begins with one of them");
        return false;
    }
    if (!bias && !older && !fresh && table) {
        stage_diag(x->in, D_BIAS, x->span, "cmatrix_source is True and no bias is given");
        return false;
    }
    return true;
}

static void
record_mmad(const Load *x, const Value *got, const Span *span)
{
    bool bias = got[MMAD_BIAS].kind != VAL_NONE, onto;
    if (!start_of(x, bias, &onto)) {
        return;
    }
    Value v[] = {got[MMAD_DST],
                 got[MMAD_FM],
                 got[MMAD_FILTER],
                 tik_field(x->params, TFIELD_MmadParams_m),
                 tik_field(x->params, TFIELD_MmadParams_k),
                 tik_field(x->params, TFIELD_MmadParams_n),
                 bias ? got[MMAD_BIAS] : val_int(onto)};
    Span at[] = {span[MMAD_DST], span[MMAD_FM], span[MMAD_FILTER], x->span,
                 x->span,        x->span,       span[MMAD_BIAS]};
    (void)tik_record(x->in, x->c, bias ? OP_MMAD_BIAS : OP_MMAD, x->args, v, at);
}

static bool
does_nothing(const Load *x)
{
    static const struct {
        const char *name;
        TikField field;
    } sides[] = {{"m", TFIELD_MmadParams_m},
                 {"n", TFIELD_MmadParams_n},
                 {"k", TFIELD_MmadParams_k}};
    for (size_t i = 0; i < ARRAY_LEN(sides); i++) {
        if (is_zero(tik_field(x->params, sides[i].field))) {
            stage_diag(x->in, D_NOP, x->span, "%s is 0: mmad computes nothing",
                       sides[i].name);
            return true;
        }
    }
    return false;
}

Value
tik_mmad_params(Interp *in, Tik *c, const CallArgs *args)
{
    static const BindParam with[MMAD_N] = {{"dst", true, {0}},
                                           {"fm", true, {0}},
                                           {"filter", true, {0}},
                                           {"bias", true, {0}},
                                           {"params", true, {0}}};
    static const BindParam without[MMAD_N] = {{"dst", true, {0}},
                                              {"fm", true, {0}},
                                              {"filter", true, {0}},
                                              {"params", true, {0}},
                                              {"bias", false, {.kind = VAL_NONE}}};
    Value got[MMAD_N];
    Span span[MMAD_N];
    bool fifth = args->npos == MMAD_N;
    if (tik_dropped(c)) {
        return val_none();
    }
    if (!stage_bind(in, "mmad", args, fifth ? with : without, MMAD_N, got, span)) {
        return val_fail();
    }
    if (!fifth) { /* the bias stands behind the structure */
        Value bias = got[MMAD_PARAMS];
        Span at = span[MMAD_PARAMS];
        got[MMAD_PARAMS] = got[MMAD_BIAS];
        span[MMAD_PARAMS] = span[MMAD_BIAS];
        got[MMAD_BIAS] = bias;
        span[MMAD_BIAS] = at;
    }
    Load x = {in, c, args, got[MMAD_PARAMS], span[MMAD_PARAMS]};
    if (!tik_not_built(in, c, args->span)) {
        return in->fatal ? val_fail() : val_none();
    }
    if (tik_struct_of(x.params) != TSTRUCT_MmadParams) {
        (void)wrong_params(&x, "mmad", TSTRUCT_MmadParams);
    } else if (!does_nothing(&x)) {
        record_mmad(&x, got, span);
    }
    return in->fatal ? val_fail() : val_none();
}
