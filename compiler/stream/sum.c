/* sum.c: finds which expressions are sums of loop variables, the core's index and
 * registers. Those become operand terms of the blob and cost nothing; the rest is
 * computed by scalar descriptors (value.c).
 *
 * Kernel expressions are mostly int32 and wrap; an address is a 64-bit sum that does not.
 * So a node is split only when the interval of its exact result lies inside its type:
 * loop variables have the range of their loop, registers that of their type.
 *
 * Sums are cached per expression: a variable's range is fixed when its loop opens, and
 * its uses are inside. The walk keeps its own stack, since expressions can be deeper than
 * the C stack. */
#include "stream/stream.h"

#include <string.h>

static bool
is_integer(Dtype t)
{
    return !dtype_is_float(t) && t != DT_BOOL;
}

static bool
fits(Interval r, Dtype t)
{
    return interval_inside(r, interval_of_type(t));
}

/* ---- sums ---------------------------------------------------------------- */

static bool
add_atom(Sum *f, Atom a)
{
    for (int i = 0; i < f->n; i++) {
        if (f->atoms[i].kind == a.kind && f->atoms[i].id == a.id) {
            return checked_add(f->atoms[i].coef, a.coef, &f->atoms[i].coef);
        }
    }
    int vars = a.kind == ATOM_VAR;
    for (int i = 0; i < f->n; i++) {
        vars += f->atoms[i].kind == ATOM_VAR;
    }
    if (vars > TIKBLOB_MAX_TERMS || f->n + 1 - vars > TIKBLOB_MAX_REGS) {
        return false;
    }
    f->atoms[f->n++] = a;
    return true;
}

static void
drop_zeros(Sum *f)
{
    int n = 0;
    for (int i = 0; i < f->n; i++) {
        if (f->atoms[i].coef != 0) {
            f->atoms[n++] = f->atoms[i];
        }
    }
    f->n = n;
}

/* f += factor * g */
static bool
add_scaled(Sum *f, const Sum *g, int64_t factor)
{
    int64_t c;
    if (!checked_mul(g->constant, factor, &c) ||
        !checked_add(f->constant, c, &f->constant)) {
        return false;
    }
    for (int i = 0; i < g->n; i++) {
        Atom a = g->atoms[i];
        if (!checked_mul(a.coef, factor, &a.coef) || !add_atom(f, a)) {
            return false;
        }
    }
    drop_zeros(f);
    return true;
}

/* ---- one node ------------------------------------------------------------ */

static Sum
opaque(ExprId e, Interval range)
{
    return (Sum){.range = range, .n = 1, .atoms = {{ATOM_EXPR, e, 1}}};
}

static Dtype
operand_type(const Kernel *k, const Expr *x)
{
    return (Dtype)ir_expr(k, x->a)->dtype;
}

static ScalarIntervals
range_args(const Kernel *k, const Expr *x, const Sum *a, const Sum *b)
{
    bool casts = x->op == SOP_CAST || x->op == SOP_BITS;
    return (ScalarIntervals){.type = casts ? (Dtype)x->dtype : operand_type(k, x),
                             .from = operand_type(k, x),
                             .a = a->range,
                             .b = b == NULL ? interval_const(0) : b->range};
}

/* Returns the factor by which the node multiplies its first (or, *swapped, its second)
 * operand. */
static bool
constant_factor(const Expr *x, const Sum *a, const Sum *b, int64_t *factor, bool *swapped)
{
    *swapped = false;
    if (x->op == SOP_NEG) {
        *factor = -1;
        return true;
    }
    if (x->op == SOP_SHL && b->n == 0 && b->constant >= 0 && b->constant < 62) {
        *factor = (int64_t)1 << b->constant;
        return true;
    }
    *swapped = a->n == 0;
    *factor = a->n == 0 ? a->constant : b == NULL ? 0 : b->constant;
    return x->op == SOP_MUL && (a->n == 0 || b->n == 0);
}

/* Finds the exact 64-bit result's range, if the node is a sum or a multiple that cannot
 * wrap. */
static bool
exact_range(const Expr *x, const ScalarIntervals *in, Interval *out)
{
    if (x->op == SOP_SHL) {
        ScalarIntervals mul = *in;
        if (in->b.lo != in->b.hi || in->b.lo < 0 || in->b.lo >= 62) {
            return false;
        }
        mul.b = interval_const((int64_t)1 << in->b.lo);
        return in->b.lo < dtype_size(in->type) * 8 &&
               scalar_interval_exact(SOP_MUL, &mul, out);
    }
    return scalar_interval_exact((ScalarOp)x->op, in, out);
}

static bool
as_sum(const Kernel *k, const Expr *x, const Sum *a, const Sum *b, Sum *out)
{
    ScalarIntervals in = range_args(k, x, a, b);
    int64_t factor;
    bool swapped;
    *out = (Sum){0};
    if (!exact_range(x, &in, &out->range) || !fits(out->range, (Dtype)x->dtype)) {
        return false;
    }
    if (x->op == SOP_ADD || x->op == SOP_SUB) {
        return add_scaled(out, a, 1) && add_scaled(out, b, x->op == SOP_ADD ? 1 : -1);
    }
    return constant_factor(x, a, b, &factor, &swapped) &&
           add_scaled(out, swapped ? b : a, factor);
}

static bool
cast_keeps(const Kernel *k, const Expr *x, const Sum *a)
{
    Dtype from = operand_type(k, x);
    Dtype to = (Dtype)x->dtype;
    bool sign_kept = (from != DT_U64 && to != DT_U64) || a->range.lo >= 0;
    return x->op == SOP_CAST && is_integer(to) && !dtype_is_float(from) && sign_kept &&
           fits(a->range, to);
}

static Sum
op_sum(Stream *s, ExprId e)
{
    const Expr *x = ir_expr(s->k, e);
    const Sum *a = s->sums[x->a];
    const Sum *b = scalar_op_table[x->op].arity == 2 ? s->sums[x->b] : NULL;
    Sum out;
    if (cast_keeps(s->k, x, a)) {
        return *a;
    }
    if (is_integer((Dtype)x->dtype) && as_sum(s->k, x, a, b, &out)) {
        return out;
    }
    ScalarIntervals in = range_args(s->k, x, a, b);
    return opaque(e, scalar_interval((ScalarOp)x->op, &in, NULL));
}

static Sum
node_sum(Stream *s, ExprId e)
{
    const Expr *x = ir_expr(s->k, e);
    switch ((ExprKind)x->kind) {
    case EX_CONST:
        return (Sum){.constant = x->imm, .range = interval_const(x->imm)};
    case EX_REG:
        return (Sum){.range = interval_of_type((Dtype)x->dtype),
                     .n = 1,
                     .atoms = {{ATOM_REG, x->a, 1}}};
    case EX_VAR:
        return (Sum){
            .range = s->vars[x->a].range, .n = 1, .atoms = {{ATOM_VAR, x->a, 1}}};
    case EX_OP:
        return op_sum(s, e);
    case EX_NONE:
        break;
    }
    ICE("expression without kind");
}

/* ---- the walk ------------------------------------------------------------ */

/* Pushes the operands whose sums are missing; true when none are. */
static bool
operands_ready(Stream *s, const Expr *x, ExprId *stack, uint32_t *n)
{
    uint32_t before = *n;
    if (x->kind != EX_OP) {
        return true;
    }
    if (s->sums[x->a] == NULL) {
        stack[(*n)++] = x->a;
    }
    if (scalar_op_table[x->op].arity == 2 && s->sums[x->b] == NULL) {
        stack[(*n)++] = x->b;
    }
    return *n == before;
}

const Sum *
stream_sum(Stream *s, ExprId e)
{
    if (s->sums[e] != NULL) {
        return s->sums[e];
    }
    VEC(ExprId) stack = {0};
    VEC_PUSH(&s->scratch, &stack, e);
    while (stack.n > 0) {
        ExprId top = stack.p[stack.n - 1];
        ExprId push[2];
        uint32_t n = 0;
        if (s->sums[top] == NULL && !operands_ready(s, ir_expr(s->k, top), push, &n)) {
            for (uint32_t i = 0; i < n; i++) {
                VEC_PUSH(&s->scratch, &stack, push[i]);
            }
            continue;
        }
        if (s->sums[top] == NULL) {
            Sum *f = ARENA_NEW(&s->scratch, Sum);
            *f = node_sum(s, top);
            s->sums[top] = f;
        }
        stack.n--;
    }
    return s->sums[e];
}

bool
stream_cast_is_free(Stream *s, const Expr *cast)
{
    return cast->kind == EX_OP && cast->op == SOP_CAST &&
           cast_keeps(s->k, cast, stream_sum(s, cast->a));
}
