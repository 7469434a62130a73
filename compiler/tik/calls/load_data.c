/* load_data.c: the calls of the matrix unit in the spelling of Ascend C: load_data and
 * load_data_with_transpose with their structures, and mmad with MmadParams (cube 3.1,
 * 3.3, 4, 5.1). They call the functions of the other spelling if it has the instruction;
 * a constant count of 0 does nothing, with a warning.
 *
 * Owns: nop, arg-type, mmad-reserved, bias, range-stride and not-on-arch of these
 * calls. */
#include "tik/struct.h"
#include "tik/calls/instruction.h"
#include "tik/calls/load_data.h"
#include "tik/calls/sync.h"
#include "tik/methods.h"

/* A call while its arguments become operands. */
typedef struct Load {
    Interp *in;
    Tik *c;
    const CallArgs *args;
    Value params;
    Span span; /* place of the structure */
} Load;

static bool
is_zero(Value v)
{
    int64_t n;
    return !tik_is_runtime(v) && val_as_int64(v, &n) && n == 0;
}

static bool
wrong_params(const Load *x, const char *method, const char *want)
{
    py_diag(x->in, D_ARG_TYPE, x->span, "params is %s; %s takes %s there",
            tik_a(x->in, x->params), method, want);
    return false;
}

/* ---- load_data ----------------------------------------------------------- */

enum {
    LOAD_FIELDS = 19 /* most fields of a structure */
};

/* How a structure becomes a call: its fields in the order of the other spelling's
 * arguments after dst and src. */
typedef struct LoadCase {
    TikStruct of;
    Value (*call)(Interp *in, Tik *c, const CallArgs *args);
    TikField count; /* a constant 0 in it loads nothing; TFIELD_COUNT: none */
    int n;
    TikField field[LOAD_FIELDS];
} LoadCase;

static Value
load2dv3(Interp *in, Tik *c, const CallArgs *args)
{
    return tik_instruction(in, c, OP_LOAD2DV3, args);
}

/* load2d of the 310 and 910 has no gap between destinations. */
static Value
load2d(Interp *in, Tik *c, const CallArgs *args)
{
    enum {
        GAP = 4,
        N = 9
    };
    if (soc_has(c->k->soc, FEATURE_LOAD2D_GAP)) {
        return tik_load2dv2(in, c, args);
    }
    if (!is_zero(args->pos[GAP])) {
        py_diag(in, D_RANGE_STRIDE, args->pos_span[GAP], "dst_gap is %s; on %s it is 0",
                val_repr(in, args->pos[GAP]), c->k->soc->name);
        return val_none();
    }
    Value v[N];
    Span at[N];
    CallArgs old = *args;
    for (int i = 0; i < N - 1; i++) {
        v[i] = args->pos[i + (i >= GAP)];
        at[i] = args->pos_span[i + (i >= GAP)];
    }
    old.pos = v;
    old.pos_span = at;
    old.npos = N - 1;
    return tik_load2dv1(in, c, &old);
}

#define F(of, name) TFIELD_##of##_##name
#define KERNEL_FIELDS(of)                                                                \
    F(of, stride_w), F(of, stride_h), F(of, filter_w), F(of, filter_h),                  \
        F(of, dilation_filter_w), F(of, dilation_filter_h)

static const LoadCase cases[] = {
    {TSTRUCT_LoadData2DParams,
     load2d,
     F(LoadData2DParams, repeat_times),
     7,
     {F(LoadData2DParams, start_index), F(LoadData2DParams, repeat_times),
      F(LoadData2DParams, dst_gap), F(LoadData2DParams, src_stride),
      F(LoadData2DParams, sid), F(LoadData2DParams, if_transpose),
      F(LoadData2DParams, addr_mode)}},
    {TSTRUCT_LoadData2DParamsV2,
     load2dv3,
     TFIELD_COUNT,
     7,
     {F(LoadData2DParamsV2, m_start_position), F(LoadData2DParamsV2, k_start_position),
      F(LoadData2DParamsV2, src_stride), F(LoadData2DParamsV2, dst_stride),
      F(LoadData2DParamsV2, m_step), F(LoadData2DParamsV2, k_step),
      F(LoadData2DParamsV2, if_transpose)}},
    {TSTRUCT_LoadData3DParamsV1,
     tik_load3dv1,
     F(LoadData3DParamsV1, repeat_time),
     19,
     {F(LoadData3DParamsV1, pad_list), F(LoadData3DParamsV1, l1_h),
      F(LoadData3DParamsV1, l1_w), F(LoadData3DParamsV1, c1_index),
      F(LoadData3DParamsV1, fetch_filter_w), F(LoadData3DParamsV1, fetch_filter_h),
      F(LoadData3DParamsV1, left_top_w), F(LoadData3DParamsV1, left_top_h),
      KERNEL_FIELDS(LoadData3DParamsV1), F(LoadData3DParamsV1, jump_stride),
      F(LoadData3DParamsV1, repeat_mode), F(LoadData3DParamsV1, repeat_time),
      F(LoadData3DParamsV1, c_size), F(LoadData3DParamsV1, pad_value)}},
    {TSTRUCT_LoadData3DParamsV2,
     tik_load3dv2,
     TFIELD_COUNT,
     17,
     {F(LoadData3DParamsV2, pad_list), F(LoadData3DParamsV2, l1_h),
      F(LoadData3DParamsV2, l1_w), F(LoadData3DParamsV2, channel_size),
      F(LoadData3DParamsV2, k_extension), F(LoadData3DParamsV2, m_extension),
      F(LoadData3DParamsV2, k_start_pt), F(LoadData3DParamsV2, m_start_pt),
      KERNEL_FIELDS(LoadData3DParamsV2), F(LoadData3DParamsV2, en_transpose),
      F(LoadData3DParamsV2, en_small_k), F(LoadData3DParamsV2, pad_value)}}};

/* Calls the other spelling with dst, src and the fields of the structure. */
static Value
call_load(const Load *x, const LoadCase *f, const Value *got, const Span *span)
{
    Value v[LOAD_FIELDS + 2] = {got[0], got[1]};
    Span at[LOAD_FIELDS + 2] = {span[0], span[1]};
    for (int i = 0; i < f->n; i++) {
        v[i + 2] = tik_field(x->params, f->field[i]);
        at[i + 2] = x->span;
    }
    CallArgs args = {.pos = v, .npos = f->n + 2, .span = x->args->span, .pos_span = at};
    return f->call(x->in, x->c, &args);
}

void
tik_load_data(const Bound *b)
{
    Load x = {b->in, b->c, b->args, b->got[P_load_data_params],
              b->span[P_load_data_params]};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const LoadCase *f = &cases[i];
        if (tik_struct_of(x.params) != f->of) {
            continue;
        }
        if (f->count != TFIELD_COUNT && is_zero(tik_field(x.params, f->count))) {
            py_diag(x.in, D_NOP, x.span, "%s is 0: load_data loads nothing",
                    tik_field_name(f->count));
        } else {
            (void)call_load(&x, f, b->got, b->span);
        }
        return;
    }
    (void)wrong_params(&x, "load_data",
                       "LoadData2DParams, LoadData2DParamsV2, LoadData3DParamsV1 or "
                       "LoadData3DParamsV2");
}

/* ---- load_data_with_transpose -------------------------------------------- */

/* Transposes fractals. Those of 16-bit elements are squares, which load2dv2 transposes;
 * of other elements, two fractals make one square. */
static Value
call_transpose(const Load *x, const Value *got, const Span *span)
{
    enum {
        N = 9,
        FRAC_GAP = 5
    };
    Value p = x->params;
    Dtype t = tik_is(got[0], &tik_tensor_class) ? ((View *)got[0].obj)->dtype : DT_NONE;
    bool one = t != DT_NONE && dtype_size(t) == 2;
    Value v[N] = {got[0],
                  got[1],
                  tik_field(p, F(LoadData2dTransposeParams, start_index)),
                  tik_field(p, F(LoadData2dTransposeParams, repeat_times)),
                  tik_field(p, F(LoadData2dTransposeParams, dst_gap)),
                  tik_field(p, F(LoadData2dTransposeParams, dst_frac_gap)),
                  tik_field(p, F(LoadData2dTransposeParams, src_stride)),
                  tik_field(p, F(LoadData2dTransposeParams, addr_mode))};
    Span at[N] = {span[0], span[1]};
    for (int i = 2; i < N; i++) {
        at[i] = x->span;
    }
    /* The order is start_index, repeat_times, dst_gap, src_stride, sid, if_transpose,
     * addr_mode. */
    if (one) {
        v[N - 1] = v[N - 2];
        v[N - 2] = val_bool(true);
        v[FRAC_GAP] = v[FRAC_GAP + 1];
        v[FRAC_GAP + 1] = val_int(0);
    }
    CallArgs args = {.pos = v, .npos = N - !one, .span = x->args->span, .pos_span = at};
    return one ? tik_load2dv2(x->in, x->c, &args)
               : tik_instruction(x->in, x->c, OP_LOAD_DATA_WITH_TRANSPOSE, &args);
}

void
tik_load_data_with_transpose(const Bound *b)
{
    static const char method[] = "load_data_with_transpose";
    Load x = {b->in, b->c, b->args, b->got[P_load_data_params],
              b->span[P_load_data_params]};
    if (!tik_has_op(x.in, x.c, method, b->args->span, OP_LOAD_DATA_WITH_TRANSPOSE)) {
        return;
    }
    if (tik_struct_of(x.params) != TSTRUCT_LoadData2dTransposeParams) {
        (void)wrong_params(&x, method, "LoadData2dTransposeParams");
    } else if (is_zero(tik_field(x.params, F(LoadData2dTransposeParams, repeat_times)))) {
        py_diag(x.in, D_NOP, x.span, "repeat_times is 0: %s loads nothing", method);
    } else {
        (void)call_transpose(&x, b->got, b->span);
    }
}

/* ---- mmad ---------------------------------------------------------------- */

/* True if the structure is the fourth argument, or the fifth after a bias. */
bool
tik_is_mmad_params(const CallArgs *args)
{
    bool found = false;
    for (int i = P_mmad_params_bias_bias; i < args->npos; i++) {
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

/* Finds what the sum begins with: if *onto, with the elements of dst_fm, else with zeros
 * or the bias. */
static bool
start_of(const Load *x, bool bias, bool *onto)
{
    bool older = is_true(x, TFIELD_MmadParams_is_bias);
    bool fresh = is_true(x, TFIELD_MmadParams_cmatrix_init_val);
    bool table = is_true(x, TFIELD_MmadParams_cmatrix_source);
    *onto = older || (!fresh && !table);
    TRY(tik_unit_flag(x->in, x->c, tik_field(x->params, TFIELD_MmadParams_unit_flag),
                      x->span));
    if (bias && older) {
        py_diag(x->in, D_BIAS, x->span,
                "is_bias is True beside a bias; a sum begins with one of them");
        return false;
    }
    if (!bias && !older && !fresh && table) {
        py_diag(x->in, D_BIAS, x->span, "cmatrix_source is True and no bias is given");
        return false;
    }
    return true;
}

static void
record_mmad(const Load *x, const Value *got, const Span *span)
{
    bool bias = got[P_mmad_params_bias_bias].kind != VAL_NONE, onto;
    if (!start_of(x, bias, &onto)) {
        return;
    }
    Value v[] = {got[P_mmad_params_bias_dst],
                 got[P_mmad_params_bias_fm],
                 got[P_mmad_params_bias_filter],
                 tik_field(x->params, TFIELD_MmadParams_m),
                 tik_field(x->params, TFIELD_MmadParams_k),
                 tik_field(x->params, TFIELD_MmadParams_n),
                 bias ? got[P_mmad_params_bias_bias] : val_int(onto)};
    Span at[] = {span[P_mmad_params_bias_dst],
                 span[P_mmad_params_bias_fm],
                 span[P_mmad_params_bias_filter],
                 x->span,
                 x->span,
                 x->span,
                 span[P_mmad_params_bias_bias]};
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
            py_diag(x->in, D_NOP, x->span, "%s is 0: mmad computes nothing",
                    sides[i].name);
            return true;
        }
    }
    return false;
}

Value
tik_mmad_params(Interp *in, Tik *c, const CallArgs *args)
{
    Value got[MOST_ARGS];
    Span span[MOST_ARGS];
    bool fifth = args->npos == P_mmad_params_bias_params + 1;
    if (tik_dropped(c)) {
        return val_none();
    }
    if (!tik_bind(in, fifth ? CALL_mmad_params_bias : CALL_mmad_params, args, got,
                  span)) {
        return tik_none(in);
    }
    if (!fifth) { /* the bias follows the structure */
        Value bias = got[P_mmad_params_bias_params];
        Span at = span[P_mmad_params_bias_params];
        got[P_mmad_params_bias_params] = got[P_mmad_params_bias_bias];
        span[P_mmad_params_bias_params] = span[P_mmad_params_bias_bias];
        got[P_mmad_params_bias_bias] = bias;
        span[P_mmad_params_bias_bias] = at;
    }
    Load x = {in, c, args, got[P_mmad_params_bias_params],
              span[P_mmad_params_bias_params]};
    if (!tik_not_built(in, c, args->span)) {
        return tik_none(in);
    }
    if (tik_struct_of(x.params) != TSTRUCT_MmadParams) {
        (void)wrong_params(&x, "mmad", "MmadParams");
    } else if (!does_nothing(&x)) {
        record_mmad(&x, got, span);
    }
    return tik_none(in);
}
