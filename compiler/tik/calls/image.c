/* image.c: load_image. Entries of its dictionaries that say what is read and written
 * become operands; numbers that it only computes with are stored to special registers
 * (rules/image.h) before the instruction, as on the processor. Information about
 * functions that only Hi3796CV300ES has is ignored.
 *
 * Owns: arg-type and scalar-dtype of its dictionaries and lists. */
#include "rules/image.h"
#include "tik/calls/instruction.h"
#include "tik/expr.h"
#include "tik/literal.h"
#include "tik/methods.h"
#include "tik/sreg.h"
#include "tik/tik.h"

/* A call while its arguments become operands. */
typedef struct ImageCall {
    Interp *in;
    Tik *c;
    Span call;
    Value *got;
    Span *span;
} ImageCall;

/* ---- dictionaries -------------------------------------------------------- */

/* Reads an entry of the dictionary that is argument arg. If the argument is None or an
 * optional entry is missing, the result is 0 when needed, else None. */
static bool
entry(const ImageCall *x, int arg, const char *key, bool needed, Value *out)
{
    *out = needed ? val_int(0) : val_none();
    if (x->got[arg].kind == VAL_NONE) {
        return true;
    }
    if (x->got[arg].kind != VAL_DICT) {
        py_diag(x->in, D_ARG_TYPE, x->span[arg],
                "%s is %s; load_image takes a dictionary or None there",
                call_signature(CALL_load_image).args[arg].name,
                tik_a(x->in, x->got[arg]));
        return false;
    }
    if (dict_get(x->in, x->got[arg], val_str(x->in, key), out) || !needed) {
        return true;
    }
    py_diag(x->in, D_ARG_TYPE, x->span[arg], "%s has no entry '%s'",
            call_signature(CALL_load_image).args[arg].name, key);
    return false;
}

/* Reads n items of a list or tuple; None means zeros. */
static bool
items(const ImageCall *x, Value v, const char *what, Span span, uint32_t n, Value *out)
{
    for (uint32_t i = 0; i < n; i++) {
        out[i] = val_int(0);
    }
    if (v.kind == VAL_NONE) {
        return true;
    }
    if ((v.kind != VAL_LIST && v.kind != VAL_TUPLE) || v.list->n != n) {
        py_diag(x->in, D_ARG_TYPE, span, "%s is %s; load_image takes a list of %u there",
                what, tik_a(x->in, v), n);
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        out[i] = v.list->p[i];
    }
    return true;
}

/* ---- registers ----------------------------------------------------------- */

static bool
set_register(const ImageCall *x, int64_t at, Dtype t, Value v, const char *what,
             Span span)
{
    ExprId e;
    if (!tik_is_runtime(v)) {
        bool number = v.kind == VAL_INT || v.kind == VAL_BOOL || v.kind == VAL_FLOAT;
        if (!number || !tik_literal_fits(v, t)) {
            py_diag(x->in, D_ARG_TYPE, span, "%s is %s; it is a number of %s", what,
                    val_repr(x->in, v), dtype_name(t));
            return false;
        }
        return tik_number(x->c, v, t, &e) &&
               tik_sreg_store(x->in, x->c, at, t, e, x->call);
    }
    TRY(tik_read(x->in, x->c, v, span, &e));
    Dtype is = ir_expr(x->c->k, e)->dtype;
    if (is != t) {
        py_diag(x->in, D_SCALAR_DTYPE, span, "%s is %s; load_image takes %s there", what,
                dtype_name(is), dtype_name(t));
        return false;
    }
    return tik_sreg_store(x->in, x->c, at, t, e, x->call);
}

/* Stores a list of a dictionary to consecutive registers. */
static bool
set_list(const ImageCall *x, int arg, const char *key, uint32_t n, int64_t at, Dtype t)
{
    enum {
        MOST = 4
    };
    Value list, v[MOST];
    TRY(entry(x, arg, key, false, &list) && items(x, list, key, x->span[arg], n, v));
    for (uint32_t i = 0; i < n; i++) {
        TRY(set_register(x, at + i * dtype_size(t), t, v[i], key, x->span[arg]));
    }
    return true;
}

static bool
set_matrix(const ImageCall *x)
{
    Value rows, row[3], v[3];
    TRY(entry(x, P_load_image_csc_info, "csc_matrix", false, &rows) &&
        items(x, rows, "csc_matrix", x->span[P_load_image_csc_info], 3, row));
    for (int i = 0; i < 9; i++) {
        if (i % 3 == 0) {
            Value r = rows.kind == VAL_NONE ? rows : row[i / 3];
            TRY(items(x, r, "a row of csc_matrix", x->span[P_load_image_csc_info], 3, v));
        }
        TRY(set_register(x, IMAGE_R_MATRIX + 2 * i, DT_S16, v[i % 3], "csc_matrix",
                         x->span[P_load_image_csc_info]));
    }
    return set_list(x, P_load_image_csc_info, "csc_out_bias", 3, IMAGE_R_OUT_BIAS,
                    DT_U8) &&
           set_list(x, P_load_image_csc_info, "csc_in_bias", 3, IMAGE_R_IN_BIAS, DT_U8);
}

static bool
set_dtc(const ImageCall *x, Value mean_type)
{
    int64_t t;
    bool half = !tik_is_runtime(mean_type) && val_as_int64(mean_type, &t) && t == 1;
    return set_list(x, P_load_image_dtc_info, "dtc_mean", 4, IMAGE_R_MEAN,
                    half ? DT_F16 : DT_S16) &&
           set_list(x, P_load_image_dtc_info, "dtc_min", 4, IMAGE_R_MIN, DT_F16) &&
           set_list(x, P_load_image_dtc_info, "dtc_var", 4, IMAGE_R_VAR, DT_F16);
}

/* Stores the padding, in the type of the destination. */
static bool
set_padding(const ImageCall *x, Dtype t)
{
    static const char *const keys[] = {"channel0_pad_value", "channel1_pad_value",
                                       "channel2_pad_value", "channel3_pad_value"};
    Value v;
    for (int i = 0; i < (int)ARRAY_LEN(keys); i++) {
        TRY(entry(x, P_load_image_area_pad_info, keys[i], true, &v) &&
            set_register(x, IMAGE_R_AREA + 2 * i, t, v, keys[i],
                         x->span[P_load_image_area_pad_info]));
    }
    return entry(x, P_load_image_channel_pad_info, "channel_pad_value", true, &v) &&
           set_register(x, IMAGE_R_CHANNEL, t, v, "channel_pad_value",
                        x->span[P_load_image_channel_pad_info]);
}

/* ---- the call ------------------------------------------------------------ */

/* The operands that entries of dictionaries give. */
static const struct {
    int slot, arg;
    const char *key;
} fields[] = {
    {IMAGE_src_horizontal_size, P_load_image_src_info, "src_horizontal_size"},
    {IMAGE_src_vertical_size, P_load_image_src_info, "src_vertical_size"},
    {IMAGE_dst_horizontal_size, P_load_image_crop_info, "dst_horizontal_size"},
    {IMAGE_dst_vertical_size, P_load_image_crop_info, "dst_vertical_size"},
    {IMAGE_crop_horizontal_start, P_load_image_crop_info, "crop_horizontal_start"},
    {IMAGE_crop_vertical_start, P_load_image_crop_info, "crop_vertical_start"},
    {IMAGE_single_line_enable, P_load_image_crop_info, "single_line_enable"},
    {IMAGE_format_convert, P_load_image_csc_info, "format_convert"},
    {IMAGE_dtc_mean_type, P_load_image_dtc_info, "dtc_mean_type"},
    {IMAGE_area_pad_mode, P_load_image_area_pad_info, "area_pad_mode"},
    {IMAGE_top_pad_rows, P_load_image_area_pad_info, "top_pad_rows"},
    {IMAGE_botton_pad_rows, P_load_image_area_pad_info, "botton_pad_rows"},
    {IMAGE_left_pad_cols, P_load_image_area_pad_info, "left_pad_cols"},
    {IMAGE_right_pad_cols, P_load_image_area_pad_info, "right_pad_cols"},
    {IMAGE_channel_pad_mode, P_load_image_channel_pad_info, "channel_pad_mode"}};

static bool
operands(const ImageCall *x, Value v[IMAGE_SLOTS], Span at[IMAGE_SLOTS])
{
    static const int direct[][2] = {{IMAGE_dst, P_load_image_dst},
                                    {IMAGE_src0, P_load_image_src0},
                                    {IMAGE_src1, P_load_image_src1},
                                    {IMAGE_input_format, P_load_image_input_format},
                                    {IMAGE_function_switch, P_load_image_function_switch},
                                    {IMAGE_sid, P_load_image_sid}};
    for (size_t i = 0; i < ARRAY_LEN(direct); i++) {
        v[direct[i][0]] = x->got[direct[i][1]];
        at[direct[i][0]] = x->span[direct[i][1]];
    }
    bool one = x->got[P_load_image_src1].kind == VAL_NONE;
    v[IMAGE_src1] = x->got[one ? P_load_image_src0 : P_load_image_src1];
    v[IMAGE_planes] = val_int(one ? 1 : 2);
    at[IMAGE_planes] = x->span[P_load_image_src1];
    for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
        at[fields[i].slot] = x->span[fields[i].arg];
        TRY(entry(x, fields[i].arg, fields[i].key, true, &v[fields[i].slot]));
    }
    for (int i = 0; i < 3; i++) {
        at[IMAGE_rb_swap + i] = x->span[P_load_image_swap_list];
    }
    return items(x, x->got[P_load_image_swap_list], "swap_list",
                 x->span[P_load_image_swap_list], 3, &v[IMAGE_rb_swap]);
}

/* Checks that every function that a constant switches on has its information. */
static bool
has_needed_info(const ImageCall *x)
{
    static const struct {
        int function, arg;
        const char *name;
    } needs[] = {{IMAGE_CROP, P_load_image_crop_info, "crop"},
                 {IMAGE_SWAP, P_load_image_swap_list, "swap"},
                 {IMAGE_CSC, P_load_image_csc_info, "csc"},
                 {IMAGE_DTC, P_load_image_dtc_info, "dtc"},
                 {IMAGE_AREA_PAD, P_load_image_area_pad_info, "area_pad"},
                 {IMAGE_CHANNEL_PAD, P_load_image_channel_pad_info, "channel_pad"}};
    int64_t on;
    if (x->got[P_load_image_src_info].kind == VAL_NONE) {
        py_diag(x->in, D_ARG_TYPE, x->span[P_load_image_src_info], "src_info is None");
        return false;
    }
    if (tik_is_runtime(x->got[P_load_image_function_switch]) ||
        !val_as_int64(x->got[P_load_image_function_switch], &on)) {
        return true;
    }
    for (size_t i = 0; i < ARRAY_LEN(needs); i++) {
        if ((on & needs[i].function) != 0 && x->got[needs[i].arg].kind == VAL_NONE) {
            py_diag(x->in, D_ARG_TYPE, x->span[needs[i].arg],
                    "%s is None and function_switch has %s",
                    call_signature(CALL_load_image).args[needs[i].arg].name,
                    needs[i].name);
            return false;
        }
    }
    return true;
}

/* True if a function may be on. */
static bool
may_be_on(const ImageCall *x, int function)
{
    int64_t on;
    return tik_is_runtime(x->got[P_load_image_function_switch]) ||
           !val_as_int64(x->got[P_load_image_function_switch], &on) ||
           (on & function) != 0;
}

static void
record(const ImageCall *x, const CallArgs *args)
{
    Value v[IMAGE_SLOTS];
    Span at[IMAGE_SLOTS];
    if (!has_needed_info(x) || !operands(x, v, at)) {
        return;
    }
    bool tensor = tik_is(x->got[P_load_image_dst], &tik_tensor_class);
    Dtype t = tensor ? ((View *)x->got[P_load_image_dst].obj)->dtype : DT_NONE;
    bool known = t == DT_U8 || t == DT_S8 || t == DT_F16; /* others: tik_record reports */
    bool ok = (!may_be_on(x, IMAGE_CSC) || set_matrix(x)) &&
              (!may_be_on(x, IMAGE_DTC) || set_dtc(x, v[IMAGE_dtc_mean_type])) &&
              (!known || !may_be_on(x, IMAGE_AREA_PAD | IMAGE_CHANNEL_PAD) ||
               set_padding(x, t));
    if (ok) {
        (void)tik_record(x->in, x->c, OP_LOAD_IMAGE, args, v, at);
    }
}

void
tik_load_image(const Bound *b)
{
    ImageCall x = {b->in, b->c, b->args->span, b->got, b->span};
    if (tik_has_op(b->in, b->c, op_table[OP_LOAD_IMAGE].name, b->args->span,
                   OP_LOAD_IMAGE)) {
        record(&x, b->args);
    }
}
