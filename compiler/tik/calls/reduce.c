/* reduce.c: reductions whose calls differ from the instruction.
 *
 * vcmax and vcmin have a list of Scalars that get the extreme of all repeats. The operand
 * of the instruction is the length of the list; after the instruction the Scalars are
 * loaded from the special registers. The work tensor of vec_reduce_* may be anything on
 * the 310B class, which uses none: the operand is dst there.
 *
 * Owns: arg-type and scalar-dtype of the list's items. The check pass owns the length
 * of a list. */
#include "tik/calls/instruction.h"
#include "tik/methods.h"
#include "tik/scalar.h"
#include "tik/sreg.h"
#include "tik/tik.h"
#include "isa/operand.h"

enum {
    MAX_SCALARS = 3
};

/* Reads the list of Scalars; *out is null if there is none. False with a diagnostic. */
static bool
read_list(Interp *in, Tik *c, Value v, const char *name, const char *method, Span span,
          List **out)
{
    *out = NULL;
    if (v.kind == VAL_FAIL || v.kind == VAL_NONE) {
        return true;
    }
    if ((v.kind != VAL_LIST && v.kind != VAL_TUPLE) || v.list->n == 0) {
        py_diag(in, D_ARG_TYPE, span, "%s is %s; %s takes a list of Scalars there", name,
                val_repr(in, v), method);
        return false;
    }
    for (uint32_t i = 0; i < v.list->n; i++) {
        TRY(tik_target(in, c, v.list->p[i], name, method, span));
    }
    *out = v.list;
    return true;
}

/* Checks the first Scalar, which gets an element of src: *t is the dtype of src. */
static bool
first_fits(Interp *in, Tik *c, const List *list, Value src, const char *method, Span span,
           Dtype *t)
{
    Dtype have = ir_expr(c->k, tik_runtime(list->p[0])->e)->dtype;
    *t = tik_is(src, &tik_tensor_class) ? ((View *)src.obj)->dtype : have;
    if (have == *t) {
        return true;
    }
    py_diag(in, D_SCALAR_DTYPE, span,
            "the first Scalar of the list is %s; %s of %s gives %s", dtype_name(have),
            method, dtype_name(*t), dtype_name(*t));
    return false;
}

static bool
load_list(Interp *in, const Choices *c, const List *list, Dtype t, Span span)
{
    int64_t offsets[MAX_SCALARS] = {SREG_MAX_MIN, SREG_MAX_MIN_CNT, SREG_MAX_MIN_INDEX};
    if (chosen(c, CHOICE_MAX_CNT_INDEX) == CHOSE_MAX_CNT_INDEX_INDEX_FIRST) {
        offsets[1] = SREG_MAX_MIN_INDEX;
        offsets[2] = SREG_MAX_MIN_CNT;
    }
    for (uint32_t i = 0; i < list->n && i < MAX_SCALARS; i++) {
        TRY(tik_sreg_load(in, tik_runtime(list->p[i]), offsets[i], i == 0 ? t : DT_U32,
                          span));
    }
    return true;
}

static void
record_extreme(Interp *in, Tik *c, Op op, const CallArgs *args, Value *got,
               const Span *spans, const char *list_name)
{
    List *list;
    Dtype t = DT_NONE;
    const char *method = op_table[op].name;
    if (!read_list(in, c, got[VCMAX_max_cnt_index], list_name, method,
                   spans[VCMAX_max_cnt_index], &list) ||
        (list && !first_fits(in, c, list, got[REDUCE_src], method,
                             spans[VCMAX_max_cnt_index], &t))) {
        return;
    }
    got[VCMAX_max_cnt_index] = val_int(list ? list->n : 0);
    if (tik_record(in, c, op, args, got, spans) && list) {
        (void)load_list(in, c->k->choices, list, t, args->span);
    }
}

void
tik_vector_extreme(const Bound *b)
{
    const char *list = call_signature(b->call).args[VCMAX_max_cnt_index].name;
    Op op = b->call == CALL_vcmax ? OP_VCMAX : OP_VCMIN;
    record_extreme(b->in, b->c, op, b->args, b->got, b->span, list);
}

static Value
whole(Interp *in, Tik *c, const CallArgs *args, Op op)
{
    Value got[MAX_PARAMS];
    Span spans[MAX_PARAMS];
    if (tik_dropped(c)) {
        return val_none();
    }
    if (!tik_bind_form(in, op, args, got, spans)) {
        return tik_none(in);
    }
    if (soc_has(c->k->soc, FEATURE_REDUCE_NO_WORK)) {
        got[ALLADD_work_tensor] = got[REDUCE_dst];
    }
    if (tik_not_built(in, c, args->span)) {
        (void)tik_record(in, c, op, args, got, spans);
    }
    return tik_none(in);
}

Value
tik_vec_reduce_add(Interp *in, Tik *c, const CallArgs *args)
{
    return whole(in, c, args, OP_VEC_REDUCE_ADD);
}

Value
tik_vec_reduce_max(Interp *in, Tik *c, const CallArgs *args)
{
    return whole(in, c, args, OP_VEC_REDUCE_MAX);
}

Value
tik_vec_reduce_min(Interp *in, Tik *c, const CallArgs *args)
{
    return whole(in, c, args, OP_VEC_REDUCE_MIN);
}
