/* transfer.c: data_move_pad and the register that fills its blocks,
 * tensor_padding_with_matrix and the one that fills its fractals.
 *
 * padding_value is optional in the language; the instruction has a number and the source
 * of the fill (rules/transfer.h, PadFill). */
#include "rules/transfer.h"
#include "tik/struct.h"
#include "tik/calls/instruction.h"
#include "tik/expr.h"
#include "tik/literal.h"
#include "tik/methods.h"
#include "tik/sreg.h"

#include <string.h>

void
tik_data_move_pad(const Bound *b)
{
    Value v[MOST_ARGS];
    Span span[MOST_ARGS];
    memcpy(v, b->got, sizeof v);
    memcpy(span, b->span, sizeof span);
    bool given = v[PADMOVE_padding_value].kind != VAL_NONE;
    v[PADMOVE_fill] = val_int(given ? PAD_GIVEN : PAD_FIRST);
    v[PADMOVE_padding_value] = given ? v[PADMOVE_padding_value] : val_int(0);
    span[PADMOVE_fill] = span[PADMOVE_padding_value];
    (void)tik_record(b->in, b->c, OP_DATA_MOVE_PAD, b->args, v, span);
}

/* ---- the spelling of Ascend C -------------------------------------------- */

static bool
is_zero(Value v)
{
    int64_t n;
    return !tik_is_runtime(v) && val_as_int64(v, &n) && n == 0;
}

/* Sets the operands from PADMOVE_right_padding on from DataCopyPadExtParams. Without
 * is_pad the register fills the blocks. */
static void
pad_operands(Value pad, bool out, Value *v)
{
    bool given =
        pad.kind != VAL_NONE && tik_field(pad, TFIELD_DataCopyPadExtParams_is_pad).i != 0;
    v[PADMOVE_right_padding] = v[PADMOVE_left_padding] = v[PADMOVE_padding_value] =
        val_int(0);
    v[PADMOVE_fill] = val_int(out ? PAD_FIRST : PAD_REGISTER);
    if (given) {
        v[PADMOVE_right_padding] =
            tik_field(pad, TFIELD_DataCopyPadExtParams_right_padding);
        v[PADMOVE_left_padding] =
            tik_field(pad, TFIELD_DataCopyPadExtParams_left_padding);
        v[PADMOVE_padding_value] =
            tik_field(pad, TFIELD_DataCopyPadExtParams_padding_value);
        bool none = is_zero(v[PADMOVE_right_padding]) && is_zero(v[PADMOVE_left_padding]);
        v[PADMOVE_fill] = val_int(none && !out ? PAD_FIRST : PAD_GIVEN);
    }
}

static bool
copy_params_ok(Interp *in, const Value *got, const Span *span)
{
    TikStruct s = tik_struct_of(got[2]);
    if (s != TSTRUCT_DataCopyExtParams && s != TSTRUCT_DataCopyParams) {
        py_diag(in, D_ARG_TYPE, span[2],
                "params is %s; data_copy_pad takes a DataCopyExtParams or a "
                "DataCopyParams there",
                tik_a(in, got[2]));
        return false;
    }
    if (got[3].kind != VAL_NONE &&
        tik_struct_of(got[3]) != TSTRUCT_DataCopyPadExtParams) {
        py_diag(in, D_ARG_TYPE, span[3],
                "pad_params is %s; data_copy_pad takes a DataCopyPadExtParams there",
                tik_a(in, got[3]));
        return false;
    }
    return true;
}

/* Returns the instruction; 64-bit elements have one of their own. */
static Op
pad_op(Value dst)
{
    Dtype t = tik_is(dst, &tik_tensor_class) ? ((View *)dst.obj)->dtype : DT_NONE;
    return t != DT_NONE && dtype_size(t) == 8 ? OP_DATA_MOVE_PAD_B64 : OP_DATA_MOVE_PAD;
}

static void
record_copy_pad(Interp *in, Tik *c, const CallArgs *args, const Value *got,
                const Span *span)
{
    Value v[PADMOVE_fill + 1] = {got[0], got[1]};
    Span at[PADMOVE_fill + 1];
    bool out =
        tik_is(got[0], &tik_tensor_class) && ((View *)got[0].obj)->root->mem == SC_GM;
    for (int i = 0; i <= PADMOVE_fill; i++) {
        at[i] = span[i < 2 ? i : i < PADMOVE_right_padding ? 2 : 3];
    }
    bool ext = tik_struct_of(got[2]) == TSTRUCT_DataCopyExtParams;
    int first =
        ext ? TFIELD_DataCopyExtParams_block_count : TFIELD_DataCopyParams_block_count;
    static const int slots[] = {PADMOVE_nburst, PADMOVE_burst, PADMOVE_src_gap,
                                PADMOVE_dst_gap};
    for (int i = 0; i < (int)ARRAY_LEN(slots); i++) {
        v[slots[i]] = tik_field(got[2], (TikField)(first + i));
    }
    pad_operands(got[3], out, v);
    (void)tik_record(in, c, pad_op(got[0]), args, v, at);
}

/* data_copy_pad(dst, src, params, pad_params=None) */
void
tik_data_copy_pad(const Bound *b)
{
    if (copy_params_ok(b->in, b->got, b->span)) {
        record_copy_pad(b->in, b->c, b->args, b->got, b->span);
    }
}

/* ---- the register -------------------------------------------------------- */

/* Reads the value that fills the register, and its element type. */
static bool
pad_value(Interp *in, Tik *c, Value v, Value type, const Span *span, Dtype *t,
          ExprId *out)
{
    const char *name;
    if (tik_is_runtime(v)) {
        TRY(tik_read(in, c, v, span[0], out));
        *t = ir_expr(c->k, *out)->dtype;
        return true;
    }
    TRY(tik_text(in, type, "dtype", span[1], &name));
    *t = dtype_find(name);
    if (*t == DT_NONE || *t == DT_BOOL) {
        py_diag(in, D_ARG_TYPE, span[1], "dtype is '%s', which is no element type", name);
        return false;
    }
    Literal use = {"value", span[0], true};
    if (!tik_literal(in, c, v, *t, &use, out)) {
        py_diag(in, D_INT_TOO_LARGE, span[0], "value does not fit 64 bits");
        return false;
    }
    return true;
}

/* set_pad_value(value, dtype='float16'): a Scalar has its own dtype. */
void
tik_set_pad_value(const Bound *b)
{
    Dtype t;
    ExprId value;
    if (pad_value(b->in, b->c, b->got[P_set_pad_value_value],
                  b->got[P_set_pad_value_dtype], b->span, &t, &value)) {
        (void)tik_sreg_store(b->in, b->c, SREG_PAD_VALUE, t, value, b->args->span);
    }
}

/* ---- fills of fractals --------------------------------------------------- */

static bool
is_float16(Interp *in, Value v, Span span)
{
    const char *name;
    TRY(tik_text(in, v, "dtype", span, &name));
    if (dtype_find(name) == DT_F16) {
        return true;
    }
    py_diag(in, D_ARG_TYPE, span, "dtype is '%s'; set_l0_set_value takes 'float16'",
            name);
    return false;
}

/* set_l0_set_value(value, dtype): a Scalar is a float16. */
void
tik_set_l0_set_value(const Bound *b)
{
    const Value *v = b->got;
    Dtype t;
    ExprId value;
    if (!tik_on_cores(b->in, b->c, "set_l0_set_value", b->args->span, ON_CMPMASK) ||
        !is_float16(b->in, v[P_set_l0_set_value_dtype],
                    b->span[P_set_l0_set_value_dtype]) ||
        !pad_value(b->in, b->c, v[P_set_l0_set_value_value], v[P_set_l0_set_value_dtype],
                   b->span, &t, &value)) {
        return;
    }
    if (t == DT_F16) {
        (void)tik_sreg_store(b->in, b->c, SREG_L0_VALUE, DT_F16, value, b->args->span);
    } else {
        py_diag(b->in, D_ARG_TYPE, b->span[P_set_l0_set_value_value],
                "value has dtype %s; set_l0_set_value takes float16", dtype_name(t));
    }
}

/* tensor_padding_with_matrix(dst, repeat_times, value=None): None means what the register
 * holds, as the dtype of dst. */
void
tik_tensor_padding_with_matrix(const Bound *b)
{
    const int dst = P_tensor_padding_with_matrix_dst;
    Value v[MOST_ARGS];
    ExprId value;
    memcpy(v, b->got, sizeof v);
    if (v[P_tensor_padding_with_matrix_value].kind == VAL_NONE) {
        Dtype t =
            tik_is(v[dst], &tik_tensor_class) ? ((View *)v[dst].obj)->dtype : DT_NONE;
        bool half = t != DT_NONE && dtype_size(t) == 2;
        v[P_tensor_padding_with_matrix_value] = val_int(0);
        if (half && tik_sreg_read(b->in, b->c, SREG_L0_VALUE, t, b->args->span, &value)) {
            v[P_tensor_padding_with_matrix_value] = tik_expr(b->in, b->c, value);
        }
    }
    (void)tik_record(b->in, b->c, OP_TENSOR_PADDING_WITH_MATRIX, b->args, v, b->span);
}
