/* mode.c: setters and readers of the modes of tik/calls/mode.def.
 *
 * A mode is a special register: a setter is a store, a reader is a load. If a Scalar is
 * outside of the range, which only the run knows, its low bits count. */
#include "tik/expr.h"
#include "tik/literal.h"
#include "tik/methods.h"
#include "tik/scalar.h"
#include "tik/sreg.h"
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

static const Mode *
mode_of(const Bound *b)
{
    switch ((int)b->call) {
    case CALL_set_fp2int_mode:
    case CALL_mov_fp2int_mode_to_scalar:
        return &modes[MODE_FP2INT];
    case CALL_set_fp2fp_mode:
        return &modes[MODE_FP2FP];
    default:
        return &modes[MODE_OVERFLOW];
    }
}

void
tik_set_mode(const Bound *b)
{
    const Mode *m = mode_of(b);
    Signature s = call_signature(b->call);
    ExprId value;
    if (tik_on_cores(b->in, b->c, s.name, b->args->span, m->cores) &&
        mode_value(b->in, b->c, m, &s, b->got[0], b->span[0], &value)) {
        (void)tik_sreg_store(b->in, b->c, m->offset, DT_U32, value, b->args->span);
    }
}

void
tik_get_mode(const Bound *b)
{
    const Mode *m = mode_of(b);
    Signature s = call_signature(b->call);
    if (tik_on_cores(b->in, b->c, s.name, b->args->span, m->readers) &&
        tik_target(b->in, b->c, b->got[0], s.args[0].name, s.name, b->span[0])) {
        (void)tik_sreg_load(b->in, tik_runtime(b->got[0]), m->offset, DT_U32,
                            b->args->span);
    }
}

/* True for the processors that number tasks. The number is for the processor's scheduler
 * and no instruction reads it, so set_cond_task_id checks it and records nothing. */
static bool
is_nano(const void *ctx, const Soc *soc)
{
    (void)ctx;
    return soc_has(soc, FEATURE_TASKS);
}

void
tik_set_cond_task_id(const Bound *b)
{
    Value v = b->got[0];
    ExprId id;
    if (!is_nano(NULL, b->c->k->soc)) {
        tik_not_on_arch(b->in, b->c, "set_cond_task_id", b->args->span, is_nano, NULL);
    } else if (tik_is_runtime(v)
                   ? tik_read(b->in, b->c, v, b->span[0], &id) &&
                         dtype_is_float((Dtype)ir_expr(b->c->k, id)->dtype)
                   : !tik_literal_fits(v, DT_S64) && !tik_literal_fits(v, DT_U64)) {
        py_diag(b->in, D_ARG_TYPE, b->span[0],
                "cond_task_id is %s; set_cond_task_id takes an integer of 64 bits there",
                tik_a(b->in, v));
    }
}
