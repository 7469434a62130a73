/* fold.c: folds formulas whose run-time parts cancel, such as (a + 16 - a) // 2 and x //
 * x. Programs let Python decide on them, since the original simplifies before it refuses.
 * Sums modulo 2^64 are exact. Two steps assume that narrower sums do not wrap, as the
 * original does: that a wider type holds the sum of a narrower one, and that a comparison
 * holds for the difference of its sides. Conditions of the program use this, and lengths
 * of slices: the kernel's other formulas stay as they are. */
#include "tik/expr.h"
#include "tik/tik.h"

#include "num/scalar.h"

enum {
    MOST_PARTS = 16,
    MOST_NODES =
        2000 /* most nodes that one fold visits, which bounds the recursion, too */
};

/* A sum of parts times factors, plus a number; all modulo 2^64. */
typedef struct Sum {
    const Kernel *k;
    int nodes;
    int n;
    ExprId part[MOST_PARTS];
    uint64_t factor[MOST_PARTS];
    uint64_t number;
} Sum;

static bool fold(const Kernel *k, ExprId e, int *nodes, int64_t *out);

static bool
is_integer(Dtype t)
{
    return t != DT_BOOL && !dtype_is_float(t);
}

static bool
add_part(Sum *s, ExprId e, uint64_t factor)
{
    for (int i = 0; i < s->n; i++) {
        if (s->part[i] == e) {
            s->factor[i] += factor;
            return true;
        }
    }
    if (s->n == MOST_PARTS) {
        return false;
    }
    s->part[s->n] = e;
    s->factor[s->n++] = factor;
    return true;
}

static bool collect(Sum *s, ExprId e, uint64_t factor);

/* Adds a product with a known number, or else the whole product as one part. */
static bool
collect_product(Sum *s, ExprId e, const Expr *x, uint64_t factor)
{
    int64_t n;
    if (fold(s->k, x->a, &s->nodes, &n)) {
        return collect(s, x->b, factor * (uint64_t)n);
    }
    if (fold(s->k, x->b, &s->nodes, &n)) {
        return collect(s, x->a, factor * (uint64_t)n);
    }
    return add_part(s, e, factor);
}

static bool
collect_op(Sum *s, ExprId e, const Expr *x, uint64_t factor)
{
    int64_t n;
    switch (x->op) {
    case SOP_ADD:
        return collect(s, x->a, factor) && collect(s, x->b, factor);
    case SOP_SUB:
        return collect(s, x->a, factor) && collect(s, x->b, 0 - factor);
    case SOP_NEG:
        return collect(s, x->a, 0 - factor);
    case SOP_MUL:
        return collect_product(s, e, x, factor);
    case SOP_CAST: {
        Dtype from = ir_expr(s->k, x->a)->dtype;
        bool wider = is_integer(from) && dtype_size(from) <= dtype_size(x->dtype);
        return wider ? collect(s, x->a, factor) : add_part(s, e, factor);
    }
    default:
        if (fold(s->k, e, &s->nodes, &n)) {
            s->number += factor * (uint64_t)n;
            return true;
        }
        return add_part(s, e, factor);
    }
}

static bool
collect(Sum *s, ExprId e, uint64_t factor)
{
    const Expr *x = ir_expr(s->k, e);
    if (--s->nodes < 0 || !is_integer(x->dtype)) {
        return false;
    }
    if (x->kind == EX_CONST) {
        s->number += factor * (uint64_t)x->imm;
        return true;
    }
    return x->kind == EX_OP ? collect_op(s, e, x, factor) : add_part(s, e, factor);
}

static bool
cancels(const Sum *s)
{
    for (int i = 0; i < s->n; i++) {
        if (s->factor[i] != 0) {
            return false;
        }
    }
    return true;
}

/* Computes a - b if it is a known number. */
static bool
difference(const Kernel *k, ExprId a, ExprId b, int *nodes, int64_t *out)
{
    Sum s = {.k = k, .nodes = *nodes};
    bool ok = collect(&s, a, 1) && collect(&s, b, (uint64_t)-1) && cancels(&s);
    *nodes = s.nodes;
    *out = (int64_t)s.number;
    return ok;
}

static bool
fold_two(const Kernel *k, const Expr *x, int *nodes, int64_t *out)
{
    int64_t a, b, d;
    Dtype t = ir_expr(k, x->a)->dtype;
    if (fold(k, x->a, nodes, &a) && fold(k, x->b, nodes, &b)) {
        return scalar_eval(x->op, t, t, a, b, out);
    }
    if (!is_integer(t) || !difference(k, x->a, x->b, nodes, &d)) {
        return false;
    }
    if (scalar_is_compare(x->op)) {
        return scalar_eval(x->op, DT_S64, DT_S64, d, 0, out);
    }
    *out = x->op == SOP_DIV;
    return d == 0 && (x->op == SOP_DIV || x->op == SOP_REM);
}

static bool
fold(const Kernel *k, ExprId e, int *nodes, int64_t *out)
{
    const Expr *x = ir_expr(k, e);
    int64_t a;
    if (x->kind == EX_CONST) {
        *out = x->imm;
        return true;
    }
    if (--*nodes < 0 || x->kind != EX_OP) {
        return false;
    }
    switch (x->op) {
    case SOP_ADD:
    case SOP_SUB:
    case SOP_MUL:
    case SOP_NEG: {
        Sum s = {.k = k, .nodes = *nodes};
        bool ok = collect(&s, e, 1) && cancels(&s);
        *nodes = s.nodes;
        *out = scalar_wrap(x->dtype, (int64_t)s.number);
        return ok;
    }
    case SOP_CAST:
    case SOP_NOT:
        return fold(k, x->a, nodes, &a) &&
               scalar_eval(x->op, x->dtype, ir_expr(k, x->a)->dtype, a, 0, out);
    case SOP_BITS:
    case SOP_SQRT:
        return false;
    default:
        return fold_two(k, x, nodes, out);
    }
}

bool
tik_fold(const Tik *c, ExprId e, int64_t *out)
{
    int nodes = MOST_NODES;
    return fold(c->k, e, &nodes, out);
}
