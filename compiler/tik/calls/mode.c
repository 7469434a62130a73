/* mode.c: setters and readers of the modes of tik/calls/mode.def.
 *
 * A mode is a special register: a setter is a store, a reader is a load. The value of a
 * Scalar is known at run time only; of one outside of the range the low bits count. */
#include "tik/tik.h"

typedef struct Mode {
    int64_t offset, most;
    CoreSet cores, readers;
} Mode;

static const Mode modes[] = {
#define MODE(id, reg, most, cores, readers) {SREG_##reg, most, cores, readers},
#include "tik/calls/mode.def"
};

typedef enum ModeId {
#define MODE(id, reg, most, cores, readers) MODE_##id,
#include "tik/calls/mode.def"
} ModeId;

static bool
mode_value(Interp *in, Tik *c, const Mode *m, const Signature *s, Value v, Span span,
           ExprId *out)
{
    int64_t n;
    if (tik_is_runtime(v)) {
        TRY(tik_read(in, c, v, span, out));
        Dtype t = ir_expr(c->k, *out)->dtype;
        if (!dtype_is_float(t) && t != DT_BOOL) {
            *out = ir_cast(c->k, DT_U32, *out);
            *out = ir_op2(c->k, SOP_AND, *out, ir_const(c->k, DT_U32, m->most));
            return true;
        }
        py_diag(in, D_ARG_TYPE, span, "%s has dtype %s; %s takes an integer there",
                s->args[0].name, dtype_name(t), s->name);
        return false;
    }
    if (v.kind == VAL_FLOAT || !val_as_int64(v, &n) || n < 0 || n > m->most) {
        py_diag(in, D_MODE_RANGE, span, "%s is %s; %s takes an int, 0 to %lld",
                s->args[0].name, val_repr(in, v), s->name, (long long)m->most);
        return false;
    }
    *out = ir_const(c->k, DT_U32, n);
    return true;
}

static Value
set_mode(Interp *in, Tik *c, const CallArgs *args, Call call, ModeId id)
{
    const Mode *m = &modes[id];
    Signature s = call_signature(call);
    Value v;
    Span span;
    ExprId value;
    if (tik_dropped(c)) {
        return val_none();
    }
    if (!call_bind(in, &s, args, &v, &span)) {
        return val_fail();
    }
    if (tik_not_built(in, c, args->span) &&
        tik_on_cores(in, c, s.name, args->span, m->cores) &&
        mode_value(in, c, m, &s, v, span, &value)) {
        (void)tik_sreg_store(in, c, m->offset, DT_U32, value, args->span);
    }
    return in->fatal ? val_fail() : val_none();
}

static Value
get_mode(Interp *in, Tik *c, const CallArgs *args, Call call, ModeId id)
{
    const Mode *m = &modes[id];
    Signature s = call_signature(call);
    Value v;
    Span span;
    if (tik_dropped(c)) {
        return val_none();
    }
    if (!call_bind(in, &s, args, &v, &span)) {
        return val_fail();
    }
    if (tik_not_built(in, c, args->span) &&
        tik_on_cores(in, c, s.name, args->span, m->readers) &&
        tik_target(in, c, v, s.args[0].name, s.name, span)) {
        (void)tik_sreg_load(in, tik_runtime(v), m->offset, DT_U32, args->span);
    }
    return in->fatal ? val_fail() : val_none();
}

Value
tik_set_fp2int_mode(Interp *in, Tik *c, const CallArgs *args)
{
    return set_mode(in, c, args, CALL_set_fp2int_mode, MODE_FP2INT);
}

Value
tik_mov_fp2int_mode(Interp *in, Tik *c, const CallArgs *args)
{
    return get_mode(in, c, args, CALL_mov_fp2int_mode_to_scalar, MODE_FP2INT);
}

Value
tik_set_overflow_status(Interp *in, Tik *c, const CallArgs *args)
{
    return set_mode(in, c, args, CALL_set_overflow_status, MODE_OVERFLOW);
}

Value
tik_get_overflow_status(Interp *in, Tik *c, const CallArgs *args)
{
    return get_mode(in, c, args, CALL_get_overflow_status, MODE_OVERFLOW);
}

Value
tik_set_fp2fp_mode(Interp *in, Tik *c, const CallArgs *args)
{
    return set_mode(in, c, args, CALL_set_fp2fp_mode, MODE_FP2FP);
}

/* The number of a task for the processor's scheduler, which no instruction reads: it is
 * looked at and left. */
static bool
is_nano(const void *ctx, const Soc *soc)
{
    (void)ctx;
    return soc_has(soc, FEATURE_TASKS);
}

Value
tik_set_cond_task_id(Interp *in, Tik *c, const CallArgs *args)
{
    Value v;
    Span span;
    ExprId id;
    if (tik_dropped(c)) {
        return val_none();
    }
    if (!tik_bind(in, CALL_set_cond_task_id, args, &v, &span)) {
        return val_fail();
    }
    if (!tik_not_built(in, c, args->span)) {
        return in->fatal ? val_fail() : val_none();
    }
    if (!is_nano(NULL, c->k->soc)) {
        tik_not_on_arch(in, c, "set_cond_task_id", args->span, is_nano, NULL);
    } else if (tik_is_runtime(v)
                   ? tik_read(in, c, v, span, &id) &&
                         dtype_is_float((Dtype)ir_expr(c->k, id)->dtype)
                   : !tik_literal_fits(v, DT_S64) && !tik_literal_fits(v, DT_U64)) {
        py_diag(in, D_ARG_TYPE, span,
                "cond_task_id is %s; set_cond_task_id takes an integer of 64 bits there",
                tik_a(in, v));
    }
    return in->fatal ? val_fail() : val_none();
}
