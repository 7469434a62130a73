/* atomic.c: the mode of atomic writes (data-movement 9): set_atomic_add and its kin.
 *
 * The mode is a special register (rules/atomic.h): a setter is a store, the reader a
 * load. Of a mode that is known only at run time the low 8 bits count; whether the
 * processor has it is asked by the move that uses it.
 *
 * Owns: atomic-soc of modes that are literals. */
#include "tik/tik.h"

#include <string.h>

#include "rules/atomic.h"

typedef struct Setter {
    Interp *in;
    Tik *c;
    const CallArgs *args;
    const char *name;
    AtomicOp op;
} Setter;

static bool
on_soc(const Setter *x, uint32_t reg, Span span)
{
    char text[64];
    const Soc *soc = x->c->k->soc;
    if (soc_has(soc, FEATURE_ATOMIC_REGISTER) && atomic_exists(reg, soc)) {
        return true;
    }
    py_diag(x->in, D_ATOMIC_SOC, span, "%s does not have %s", soc->name,
            reg == 0 ? x->name : atomic_text(reg, text, sizeof text));
    return false;
}

/* 0 to 6, or the name of a dtype. */
static bool
literal_mode(const Setter *x, Value v, Span span, uint32_t *mode)
{
    const char *text;
    int64_t n = -1;
    if (v.kind == VAL_STR) {
        TRY(tik_text(x->in, v, "mode", span, &text));
        *mode = atomic_mode_of(dtype_find(text));
        n = *mode == 0 ? -1 : (int64_t)*mode;
    } else if (v.kind == VAL_FLOAT || !val_as_int64(v, &n)) {
        n = -1;
    }
    if (n < 0 || n >= ATOMIC_MODES) {
        py_diag(x->in, D_MODE_RANGE, span,
                "mode is %s; %s takes 0 to %d or the name of a dtype", val_repr(x->in, v),
                x->name, ATOMIC_MODES - 1);
        return false;
    }
    *mode = (uint32_t)n;
    return true;
}

static bool
run_time_mode(const Setter *x, Value v, Span span, ExprId *out)
{
    Kernel *k = x->c->k;
    TRY(tik_read(x->in, x->c, v, span, out));
    Dtype t = ir_expr(k, *out)->dtype;
    if (dtype_is_float(t) || t == DT_BOOL) {
        py_diag(x->in, D_ARG_TYPE, span, "mode has dtype %s; %s takes an integer there",
                dtype_name(t), x->name);
        return false;
    }
    *out = ir_op2(k, SOP_AND, ir_cast(k, DT_U32, *out), ir_const(k, DT_U32, 0xff));
    if (x->op != ATOMIC_ADD) { /* a mode of 0 is off, whatever the operation */
        ExprId on = ir_op2(k, SOP_NE, *out, ir_const(k, DT_U32, 0));
        ExprId op = ir_const(k, DT_U32, (int64_t)x->op << ATOMIC_OP_SHIFT);
        *out = ir_op2(k, SOP_OR, *out, ir_op2(k, SOP_MUL, ir_cast(k, DT_U32, on), op));
    }
    return on_soc(x, 0, span);
}

static bool
mode_value(const Setter *x, Value v, Span span, ExprId *out)
{
    uint32_t mode;
    if (tik_is_runtime(v)) {
        return run_time_mode(x, v, span, out);
    }
    TRY(literal_mode(x, v, span, &mode));
    uint32_t reg = atomic_register(mode, x->op);
    *out = ir_const(x->c->k, DT_U32, reg);
    return on_soc(x, reg, span);
}

static void
store(const Setter *x, ExprId value)
{
    (void)tik_sreg_store(x->in, x->c, SREG_ATOMIC, DT_U32, value, x->args->span);
}

static Value
set_mode(const Setter *x)
{
    Value v;
    Span span;
    ExprId value;
    if (tik_dropped(x->c)) {
        return val_none();
    }
    if (!tik_bind_like(x->in, x->name, CALL_set_atomic_add, x->args, &v, &span)) {
        return val_fail();
    }
    if (tik_not_built(x->in, x->c, x->args->span) && mode_value(x, v, span, &value)) {
        store(x, value);
    }
    return x->in->fatal ? val_fail() : val_none();
}

Value
tik_set_atomic_add(Interp *in, Tik *c, const CallArgs *args)
{
    const Setter x = {in, c, args, "set_atomic_add", ATOMIC_ADD};
    return set_mode(&x);
}

/* set_atomic_max and min take the name of a dtype, or the number of its mode. */
Value
tik_set_atomic_max(Interp *in, Tik *c, const CallArgs *args)
{
    const Setter x = {in, c, args, "set_atomic_max", ATOMIC_MAX};
    return set_mode(&x);
}

Value
tik_set_atomic_min(Interp *in, Tik *c, const CallArgs *args)
{
    const Setter x = {in, c, args, "set_atomic_min", ATOMIC_MIN};
    return set_mode(&x);
}

Value
tik_set_atomic_none(Interp *in, Tik *c, const CallArgs *args)
{
    const Setter x = {in, c, args, "set_atomic_none", ATOMIC_ADD};
    if (tik_dropped(c)) {
        return val_none();
    }
    if (!tik_bind(in, CALL_set_atomic_none, args, NULL, NULL)) {
        return val_fail();
    }
    if (tik_not_built(in, c, args->span) && on_soc(&x, 0, args->span)) {
        store(&x, ir_const(c->k, DT_U32, 0));
    }
    return in->fatal ? val_fail() : val_none();
}

/* The number of the mode, without its operation. */
Value
tik_mov_atomic_add(Interp *in, Tik *c, const CallArgs *args)
{
    const Setter x = {in, c, args, "mov_atomic_add_to_scalar", ATOMIC_ADD};
    Value v;
    Span span;
    ExprId reg;
    if (tik_dropped(c)) {
        return val_none();
    }
    if (!tik_bind(in, CALL_mov_atomic_add_to_scalar, args, &v, &span)) {
        return val_fail();
    }
    if (tik_not_built(in, c, args->span) && on_soc(&x, 0, args->span) &&
        tik_target(in, c, v, "scalar", x.name, span) &&
        tik_sreg_read(in, c, SREG_ATOMIC, DT_U32, args->span, &reg)) {
        reg = ir_op2(c->k, SOP_AND, reg, ir_const(c->k, DT_U32, 0xff));
        (void)tik_assign(in, tik_runtime(v), tik_expr(in, c, reg), args->span);
    }
    return in->fatal ? val_fail() : val_none();
}
