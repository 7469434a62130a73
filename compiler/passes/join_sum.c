/* join_sum.c: whole multiples of a number, and what is left of it (see
 * passes/join_sum.h). */
#include "passes/join_sum.h"

enum {
    WIDE_BYTES = 4, /* of a type in which no number of elements of a memory wraps */
    MOST_NESTED = 16
};

/* Returns the expression without conversions that change no value. */
static ExprId
without_casts(const Kernel *k, ExprId e)
{
    for (;;) {
        const Expr *x = ir_expr(k, e);
        if (x->kind != EX_OP || x->op != SOP_CAST) {
            return e;
        }
        Dtype to = (Dtype)x->dtype, from = (Dtype)ir_expr(k, x->a)->dtype;
        bool wider = dtype_size(to) > dtype_size(from) && dtype_kind(to) == KIND_SINT;
        if (dtype_kind(from) == KIND_FLOAT || (to != from && !wider)) {
            return e;
        }
        e = x->a;
    }
}

/* Returns the expression that has the value of another one when the statement executes: a
 * register, or what that was set to. */
static ExprId
value_at(const PartSum *p, StmtId s, ExprId e)
{
    e = without_casts(p->k, e);
    return without_casts(p->k, reaching_value(p->reaching, s, e));
}

/* ---- sums ---------------------------------------------------------------- */

bool
sum_same(const Affine *a, const Affine *b)
{
    Affine d = *a;
    return affine_add(&d, b, -1) && d.n == 0 && d.constant == 0;
}

/* Adds factor * e. */
static bool
add_expr(const PartSum *p, StmtId s, ExprId e, int64_t factor, int nested, Affine *out)
{
    int64_t v;
    e = value_at(p, s, e);
    const Expr *x = ir_expr(p->k, e);
    if (x->kind == EX_CONST) {
        return checked_mul(x->imm, factor, &v) &&
               checked_add(out->constant, v, &out->constant);
    }
    bool sum = x->kind == EX_OP && dtype_kind((Dtype)x->dtype) != KIND_FLOAT &&
               dtype_size((Dtype)x->dtype) >= WIDE_BYTES && nested < MOST_NESTED;
    if (sum && (x->op == SOP_ADD || x->op == SOP_SUB)) {
        return add_expr(p, s, x->a, factor, nested + 1, out) &&
               add_expr(p, s, x->b, x->op == SOP_ADD ? factor : -factor, nested + 1, out);
    }
    bool right = sum && x->op == SOP_MUL && ir_is_const(p->k, x->b);
    if (right || (sum && x->op == SOP_MUL && ir_is_const(p->k, x->a))) {
        return checked_mul(factor, ir_expr(p->k, right ? x->b : x->a)->imm, &v) &&
               add_expr(p, s, right ? x->a : x->b, v, nested + 1, out);
    }
    return factor == 0 || affine_add_term(out, e, factor);
}

bool
sum_of(const PartSum *p, StmtId s, ExprId e, Affine *out)
{
    *out = (Affine){0};
    return add_expr(p, s, e, 1, 0, out);
}

static bool
same_value(const PartSum *p, StmtId s, ExprId a, ExprId b)
{
    Affine x, y;
    return without_casts(p->k, a) == without_casts(p->k, b) ||
           (sum_of(p, s, a, &x) && sum_of(p, s, b, &y) && sum_same(&x, &y));
}

/* ---- quotients and rests ------------------------------------------------- */

/* Returns whether an expression is an operation with a constant, which *by is set to. */
static bool
has_constant(const PartSum *p, ExprId e, ScalarOp op, ExprId *of, int64_t *by)
{
    const Expr *x = ir_expr(p->k, e);
    if (x->kind != EX_OP || x->op != op || !ir_is_const(p->k, x->b)) {
        return false;
    }
    *of = x->a;
    *by = ir_expr(p->k, x->b)->imm;
    return *by > 0;
}

/* Returns whether an expression is x % by: the same, or such a rest of one by a multiple,
 * or x less the parts so far. */
static bool
is_left(const PartSum *p, StmtId s, ExprId e)
{
    ExprId of, inner;
    int64_t by, outer;
    Affine sum, x;
    if (has_constant(p, value_at(p, s, e), SOP_REM, &of, &by)) {
        bool twice = has_constant(p, value_at(p, s, of), SOP_REM, &inner, &outer) &&
                     outer % p->by == 0;
        return by == p->by && same_value(p, s, twice ? inner : of, p->x);
    }
    return sum_of(p, s, e, &sum) && sum_of(p, s, p->x, &x) &&
           affine_add(&x, &p->done, -1) && sum_same(&sum, &x);
}

bool
sum_begin(PartSum *p, StmtId s, Count c)
{
    int64_t by;
    ExprId of;
    p->x = 0;
    p->by = 1;
    p->done = (Affine){.constant = c.times};
    if (count_known(c)) {
        return c.times > 0;
    }
    if (!has_constant(p, value_at(p, s, c.of), SOP_DIV, &of, &by) || by != c.times) {
        return false;
    }
    p->x = without_casts(p->k, of);
    p->by = by;
    p->done = (Affine){0};
    Affine number;
    return sum_of(p, s, c.of, &number) && affine_add(&p->done, &number, c.times);
}

bool
sum_next(PartSum *p, StmtId s, Count c)
{
    int64_t by = 1;
    ExprId of = c.of;
    Affine number;
    if (count_known(c) || p->x == 0) {
        return count_known(c) && p->x == 0 && c.times > 0 &&
               checked_add(p->done.constant, c.times, &p->done.constant);
    }
    if (c.times != 1 &&
        (!has_constant(p, value_at(p, s, c.of), SOP_DIV, &of, &by) || by != c.times)) {
        return false;
    }
    if (p->by % by != 0 || p->by == by || !is_left(p, s, of) ||
        !sum_of(p, s, c.of, &number) || !affine_add(&p->done, &number, c.times)) {
        return false;
    }
    p->by = by;
    return true;
}

bool
sum_is_asked(const PartSum *p, StmtId s, ExprId cond, Count c)
{
    int64_t by;
    ExprId of;
    const Expr *x = ir_expr(p->k, cond);
    if (x->kind != EX_OP || !ir_is_const(p->k, x->b) || count_known(c)) {
        return false;
    }
    int64_t with = ir_expr(p->k, x->b)->imm;
    bool any = ((x->op == SOP_GT || x->op == SOP_NE) && with == 0) ||
               (x->op == SOP_GE && with == 1);
    if (any && same_value(p, s, x->a, c.of)) {
        return true;
    }
    return has_constant(p, value_at(p, s, c.of), SOP_DIV, &of, &by) &&
           ((x->op == SOP_GE && with == by) || (x->op == SOP_GT && with == by - 1)) &&
           same_value(p, s, x->a, of);
}

bool
sum_reaches(const PartSum *p, StmtId s, const Affine *distance, int64_t size, Count c)
{
    int64_t by;
    ExprId of;
    Affine done = {0}, rest, all = {0}, x;
    if (affine_add(&done, &p->done, size) && sum_same(distance, &done)) {
        return true;
    }
    if (p->x == 0 || distance->constant != 0) {
        return false;
    }
    if (distance->n == 1 && has_constant(p, distance->atom[0], SOP_DIV, &of, &by)) {
        return by == p->by && distance->factor[0] == by * size &&
               same_value(p, s, of, p->x);
    }
    return c.times == 1 && sum_of(p, s, p->x, &x) && sum_of(p, s, c.of, &rest) &&
           affine_add(&all, &x, size) && affine_add(&all, &rest, -size) &&
           sum_same(distance, &all);
}

ExprId
sum_expr(const PartSum *p, Kernel *k)
{
    if (p->x == 0) {
        return ir_const(k, DT_S64, p->done.constant);
    }
    if (p->by == 1) {
        return p->x;
    }
    ExprId by = ir_const(k, DT_S64, p->by);
    ExprId whole = ir_op2(k, SOP_DIV, ir_cast(k, DT_S64, p->x), by);
    return ir_op2(k, SOP_MUL, whole, by);
}
