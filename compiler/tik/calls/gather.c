/* gather.c: vreduce and vreducev2. Their pattern is a number or a tensor of bits, which
 * are two instructions. Their mask is only used in counter mode. Their count of elements
 * may go to a Scalar, which is loaded from a special register after the instruction. */
#include "tik/calls/instruction.h"
#include "tik/methods.h"
#include "tik/scalar.h"
#include "tik/sreg.h"
#include "tik/tik.h"
#include "isa/operand.h"

#include <string.h>

/* A call by its arguments. */
typedef struct PickCall {
    Interp *in;
    Tik *c;
    const char *name;
    const CallArgs *args;
    Value mask, src0, pattern, result, mode;
    Span mask_span, pattern_span, result_span, mode_span;
    bool counter;
} PickCall;

static bool
read_mode(PickCall *x)
{
    const char *text;
    TRY(tik_text(x->in, x->mode, "mask_mode", x->mode_span, &text));
    x->counter = strcmp(text, "counter") == 0;
    if (x->counter || strcmp(text, "normal") == 0) {
        return true;
    }
    py_diag(x->in, D_MASK_MODE, x->mode_span,
            "mask_mode is '%s'; it is 'normal' or 'counter'", text);
    return false;
}

static bool
result_ok(const PickCall *x)
{
    if (x->result.kind == VAL_NONE) {
        return true;
    }
    TRY(tik_target(x->in, x->c, x->result, "rsvd_scalar", x->name, x->result_span));
    const ExprObj *o = tik_runtime(x->result);
    Dtype t = ir_expr(x->c->k, o->e)->dtype;
    if (t == DT_U32) {
        return true;
    }
    py_diag(x->in, D_RSVD_DTYPE, x->result_span,
            "rsvd_scalar is a Scalar of dtype %s; %s takes uint32", dtype_name(t),
            x->name);
    return false;
}

/* Returns all lanes of a repeat; any number if src0 is no tensor, which is reported
 * later. */
static Value
all_lanes(const PickCall *x)
{
    Dtype t = tik_is(x->src0, &tik_tensor_class) ? ((View *)x->src0.obj)->dtype : DT_NONE;
    return val_int(t == DT_NONE ? 1 : lanes_of(t));
}

static bool
is_bits(const PickCall *x)
{
    return tik_is(x->pattern, &tik_tensor_class);
}

/* Stores the Scalar's value to the register before the instruction: with a repeat_times
 * of 0, which only the run knows, nothing is counted and the Scalar keeps its value. */
static bool
keep_result(const PickCall *x, const Value *values)
{
    return x->result.kind == VAL_NONE || !tik_is_runtime(values[PICK_repeat_times]) ||
           tik_sreg_store(x->in, x->c, SREG_RSVD_CNT, DT_U32, tik_runtime(x->result)->e,
                          x->args->span);
}

static void
record_pick(const PickCall *x, Op op, const Value *values, const Span *spans)
{
    if (keep_result(x, values) && tik_record(x->in, x->c, op, x->args, values, spans) &&
        x->result.kind != VAL_NONE) {
        (void)tik_sreg_load(x->in, tik_runtime(x->result), SREG_RSVD_CNT, DT_U32,
                            x->args->span);
    }
}

/* Checks mask and mode: in counter mode the mask is a number of elements per repeat and
 * the pattern is a tensor; in normal mode there is no mask. */
static bool
long_mask_ok(const PickCall *x)
{
    if (x->counter && !is_bits(x)) {
        py_diag(x->in, D_MASK_MODE, x->pattern_span,
                "src1_pattern is %s; in counter mode it is a tensor",
                tik_a(x->in, x->pattern));
        return false;
    }
    if (!x->counter && x->mask.kind != VAL_NONE) {
        py_diag(x->in, D_MASK_MODE, x->mask_span,
                "mask is %s; in normal mode %s takes None there", tik_a(x->in, x->mask),
                x->name);
        return false;
    }
    return true;
}

/* Binds a call. False: it is refused, or nothing is to be recorded. */
static bool
bind_pick(PickCall *x, Call call, Value *v, Span *span)
{
    int n = call_signature(call).n;
    if (tik_dropped(x->c) || !tik_bind(x->in, call, x->args, v, span)) {
        return false;
    }
    x->mask = v[PICK_mask];
    x->mask_span = span[PICK_mask];
    x->src0 = v[PICK_src0];
    x->pattern = v[PICK_src1_pattern];
    x->pattern_span = span[PICK_src1_pattern];
    x->result = v[n - 2];
    x->result_span = span[n - 2];
    x->mode = v[n - 1];
    x->mode_span = span[n - 1];
    return tik_not_built(x->in, x->c, x->args->span) && read_mode(x) && result_ok(x);
}

static Value
done(const PickCall *x)
{
    return tik_none(x->in);
}

#define PICK_PARAMS                                                                      \
    {"mask", true, {0}}, {"dst", true, {0}}, {"src0", true, {0}},                        \
        {"src1_pattern", true, {0}}, {"repeat_times", true, {0}},                        \
        {"src0_blk_stride", true, {0}}, {"src0_rep_stride", true, {0}},                  \
    {                                                                                    \
        "src1_rep_stride", true, {0}                                                     \
    }

Value
tik_vreduce(Interp *in, Tik *c, const CallArgs *args)
{
    PickCall x = {.in = in, .c = c, .name = "vreduce", .args = args};
    Value v[MOST_ARGS];
    Span span[MOST_ARGS];
    if (bind_pick(&x, CALL_vreduce, v, span)) {
        v[PICK_mask] = x.counter ? x.mask : all_lanes(&x);
        v[PICK_mask_mode] = x.mode;
        span[PICK_mask_mode] = x.mode_span;
        record_pick(&x, is_bits(&x) ? OP_VREDUCE_BITS : OP_VREDUCE, v, span);
    }
    return done(&x);
}

Value
tik_vreducev2(Interp *in, Tik *c, const CallArgs *args)
{
    PickCall x = {.in = in, .c = c, .name = "vreducev2", .args = args};
    Value v[MOST_ARGS];
    Span span[MOST_ARGS];
    if (bind_pick(&x, CALL_vreducev2, v, span) && long_mask_ok(&x)) {
        v[PICK_mask] = x.counter ? x.mask : all_lanes(&x);
        record_pick(&x, is_bits(&x) ? OP_VREDUCEV2_BITS : OP_VREDUCEV2, v, span);
    }
    return done(&x);
}
