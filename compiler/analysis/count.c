/* count.c: compares multiples of quotients (see count.h). */
#include "analysis/count.h"

enum {
    MOST_ADDED = 1 << 16, /* less than what is left of 32 bits over any memory's size */
    MOST_DIVISOR = 1 << 16,
    LEAST_BYTES = 4 /* of the type that a sum is computed in */
};

/* times * ((of + add) / by). */
typedef struct Multiple {
    ExprId of;
    int64_t add, by, times;
} Multiple;

static bool
is_op(const Kernel *k, ExprId e, ScalarOp op, int64_t *constant)
{
    const Expr *x = ir_expr(k, e);
    if (x->kind != EX_OP || x->op != op || !ir_is_const(k, x->b)) {
        return false;
    }
    *constant = ir_expr(k, x->b)->imm;
    return true;
}

/* A sum in a small type could be less than its parts. */
static bool
is_wide(const Kernel *k, ExprId e)
{
    return dtype_size((Dtype)ir_expr(k, e)->dtype) >= LEAST_BYTES;
}

/* Takes a constant that is added, or taken away, out of a sum. */
static bool
take_constant(const Kernel *k, Multiple *m)
{
    int64_t c;
    bool adds = is_op(k, m->of, SOP_ADD, &c), takes = is_op(k, m->of, SOP_SUB, &c);
    if ((!adds && !takes) || !is_wide(k, m->of) || c < 0 || c > MOST_ADDED) {
        return false;
    }
    m->add += adds ? c : -c;
    m->of = ir_expr(k, m->of)->a;
    return true;
}

static Multiple
multiple_of(const Kernel *k, Count c)
{
    Multiple m = {c.of, 0, 1, c.times};
    int64_t by;
    if (is_op(k, m.of, SOP_DIV, &by) && by >= 1 && by <= MOST_DIVISOR) {
        m.by = by;
        m.of = ir_expr(k, m.of)->a;
    }
    while (take_constant(k, &m)) {
    }
    return m;
}

/* Returns whether by * ((x + add) / by) is at least the other's for any x from 1 on. */
static bool
reaches(const Multiple *a, const Multiple *b)
{
    bool above = a->add - a->by + 1 >= b->add;
    bool rounds_up = a->add >= a->by - 1 && a->by % b->by == 0;
    bool finer = b->by % a->by == 0 && a->add >= b->add;
    return above || rounds_up || finer;
}

bool
count_at_least(const Kernel *k, Count a, Count b)
{
    if (count_same(a, b)) {
        return true;
    }
    if (count_known(a) || count_known(b)) {
        return count_known(a) && count_known(b) && a.times >= b.times;
    }
    Multiple x = multiple_of(k, a), y = multiple_of(k, b);
    int64_t more, less;
    /* With less than y.by added, of no element there are none. */
    return x.of == y.of && y.times > 0 && y.add >= 0 && y.add < y.by && x.add >= 0 &&
           x.add <= MOST_ADDED && reaches(&x, &y) && checked_mul(x.times, y.by, &more) &&
           checked_mul(y.times, x.by, &less) && more >= less;
}

int
count_least(const Kernel *k, const Count *c, int n)
{
    int least = 0;
    for (int i = 1; i < n; i++) {
        least = count_at_least(k, c[i], c[least]) ? least : i;
    }
    for (int i = 0; i < n; i++) {
        if (!count_at_least(k, c[i], c[least])) {
            return -1;
        }
    }
    return n == 0 ? -1 : least;
}
