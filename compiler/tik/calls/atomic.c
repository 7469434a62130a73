/* atomic.c: the mode of atomic writes (data-movement 9): set_atomic_add and its
 * relatives.
 *
 * The mode is a special register (rules/atomic.h): a setter is a store, the reader a
 * load. If a mode is known only at run time, its low 8 bits count, and the move that uses
 * it checks whether the processor has it.
 *
 * Owns: atomic-soc of modes that are literals. */
#include "tik/expr.h"
#include "tik/methods.h"
#include "tik/scalar.h"
#include "tik/sreg.h"
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

/* Reads a constant mode: 0 to 6, or the name of a dtype. */
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
    if (x->op != ATOMIC_ADD) { /* mode 0 is off, without an operation */
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

static Setter
setter(const Bound *b)
{
    AtomicOp op = b->call == CALL_set_atomic_max   ? ATOMIC_MAX
                  : b->call == CALL_set_atomic_min ? ATOMIC_MIN
                                                   : ATOMIC_ADD;
    return (Setter){b->in, b->c, b->args, call_signature(b->call).name, op};
}

/* set_atomic_add, max and min: the mode is the name of a dtype, or its number. */
void
tik_set_atomic(const Bound *b)
{
    const Setter x = setter(b);
    ExprId value;
    if (mode_value(&x, b->got[0], b->span[0], &value)) {
        store(&x, value);
    }
}

void
tik_set_atomic_none(const Bound *b)
{
    const Setter x = setter(b);
    if (on_soc(&x, 0, b->args->span)) {
        store(&x, ir_const(b->c->k, DT_U32, 0));
    }
}

/* Sets a Scalar to the number of the mode, without its operation. */
void
tik_mov_atomic_add(const Bound *b)
{
    const Setter x = setter(b);
    Kernel *k = b->c->k;
    Span span = b->args->span;
    ExprId reg;
    if (on_soc(&x, 0, span) &&
        tik_target(b->in, b->c, b->got[0], "scalar", x.name, b->span[0]) &&
        tik_sreg_read(b->in, b->c, SREG_ATOMIC, DT_U32, span, &reg)) {
        reg = ir_op2(k, SOP_AND, reg, ir_const(k, DT_U32, 0xff));
        (void)tik_assign(b->in, tik_runtime(b->got[0]), tik_expr(b->in, b->c, reg), span);
    }
}
