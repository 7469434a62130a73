/* lmem_extent.c: lengths of slices whose bounds only the run knows, but whose difference
 * is constant, as of i and i + 1.
 *
 * An expression is a sum of atoms with factors; atoms that cancel leave a constant. A sum
 * of narrow integers that wraps would differ by a multiple of its modulus; no tensor is
 * large enough for such numbers to be bounds of one slice. */
#include "tik/lmem.h"

enum {
    MOST_ATOMS = 8
};

typedef struct Sum {
    const Kernel *k;
    int n;
    ExprId atom[MOST_ATOMS];
    int64_t factor[MOST_ATOMS];
    int64_t constant;
} Sum;

static bool
same_expr(const Kernel *k, ExprId a, ExprId b)
{
    const Expr *x = ir_expr(k, a), *y = ir_expr(k, b);
    if (a == b) {
        return true;
    }
    if (x->kind != y->kind || x->dtype != y->dtype || x->size != y->size) {
        return false;
    }
    if (x->kind != EX_OP) {
        return x->kind == EX_CONST ? x->imm == y->imm : x->a == y->a;
    }
    return x->op == y->op && same_expr(k, x->a, y->a) &&
           (!x->b == !y->b && (!x->b || same_expr(k, x->b, y->b)));
}

static bool
add_atom(Sum *s, ExprId e, int64_t factor)
{
    for (int i = 0; i < s->n; i++) {
        if (same_expr(s->k, s->atom[i], e)) {
            return checked_add(s->factor[i], factor, &s->factor[i]);
        }
    }
    if (s->n == MOST_ATOMS) {
        return false;
    }
    s->atom[s->n] = e;
    s->factor[s->n++] = factor;
    return true;
}

static bool
add_constant(Sum *s, int64_t v, int64_t factor)
{
    int64_t product;
    return checked_mul(v, factor, &product) &&
           checked_add(s->constant, product, &s->constant);
}

static bool add_expr(Sum *s, ExprId e, int64_t factor);

/* Adds a product with a constant; any other product is an atom. */
static bool
add_product(Sum *s, ExprId e, int64_t factor)
{
    const Expr *x = ir_expr(s->k, e);
    ExprId other = ir_is_const(s->k, x->b) ? x->a : x->b;
    ExprId number = other == x->a ? x->b : x->a;
    int64_t by;
    if (!ir_is_const(s->k, number)) {
        return add_atom(s, e, factor);
    }
    return checked_mul(ir_expr(s->k, number)->imm, factor, &by) && add_expr(s, other, by);
}

/* Adds a quotient of constants, as the length of a slice with a step has one. */
static bool
add_quotient(Sum *s, ExprId e, int64_t factor)
{
    const Expr *x = ir_expr(s->k, e);
    int64_t above, below;
    bool fixed = tik_fixed_sum(s->k, x->a, &above) && tik_fixed_sum(s->k, x->b, &below);
    if (!fixed || above < 0 || below <= 0) {
        return add_atom(s, e, factor);
    }
    return add_constant(s, above / below, factor);
}

static bool
add_expr(Sum *s, ExprId e, int64_t factor)
{
    const Expr *x = ir_expr(s->k, e);
    if (dtype_is_float((Dtype)x->dtype)) {
        return false;
    }
    if (x->kind == EX_CONST) {
        return add_constant(s, x->imm, factor);
    }
    if (x->kind != EX_OP) {
        return add_atom(s, e, factor);
    }
    switch ((ScalarOp)x->op) {
    case SOP_ADD:
        return add_expr(s, x->a, factor) && add_expr(s, x->b, factor);
    case SOP_SUB:
        return factor != INT64_MIN && add_expr(s, x->a, factor) &&
               add_expr(s, x->b, -factor);
    case SOP_MUL:
        return add_product(s, e, factor);
    case SOP_DIV:
        return add_quotient(s, e, factor);
    case SOP_CAST:
        return dtype_is_float((Dtype)ir_expr(s->k, x->a)->dtype)
                   ? add_atom(s, e, factor)
                   : add_expr(s, x->a, factor);
    default:
        return add_atom(s, e, factor);
    }
}

bool
tik_fixed_sum(const Kernel *k, ExprId e, int64_t *out)
{
    Sum s = {.k = k};
    bool fixed = add_expr(&s, e, 1);
    for (int i = 0; i < s.n; i++) {
        fixed = fixed && s.factor[i] == 0;
    }
    *out = s.constant;
    return fixed;
}
