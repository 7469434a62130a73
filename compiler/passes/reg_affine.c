/* reg_affine.c: the affine values of registers (see passes/reg_affine.h). A value is
 * exact in the integers (env_affine), and its loop variables belong to loops around the
 * assignment: it holds until the register is assigned again or such a loop goes on, and
 * the walk reports both. */
#include "passes/reg_affine.h"

void
reg_affine_init(RegAffine *f, const Kernel *k, Arena *arena)
{
    env_init(&f->env, k, arena);
    f->value = ARENA_ARRAY(arena, const Affine *, k->regs.n);
}

/* Adds factor * x to *sum; false: there are too many terms, or they are too large. */
static bool
add_scaled(Affine *sum, const Affine *x, int64_t factor)
{
    Affine minus = {0}; /* -factor * x, to be subtracted */
    Affine out;
    int64_t v;
    if (!checked_mul(x->constant, factor, &v) || !checked_sub(0, v, &minus.constant)) {
        return false;
    }
    minus.n = x->n;
    for (int i = 0; i < x->n; i++) {
        minus.atom[i] = x->atom[i];
        if (!checked_mul(x->factor[i], factor, &v) ||
            !checked_sub(0, v, &minus.factor[i])) {
            return false;
        }
    }
    if (!affine_sub(sum, &minus, &out)) {
        return false;
    }
    *sum = out;
    return true;
}

Affine
reg_affine_of(const RegAffine *f, ExprId e)
{
    Affine a;
    /* the expression is an integer, so it has an affine form */
    (void)env_affine(&f->env, e, &a);
    Affine sum = {.constant = a.constant};
    for (int i = 0; i < a.n; i++) {
        const Expr *atom = ir_expr(f->env.k, a.atom[i]);
        const Affine *value = atom->kind == EX_REG ? f->value[atom->a] : NULL;
        Affine self = {.n = 1, .atom = {a.atom[i]}, .factor = {1}};
        if (!add_scaled(&sum, value ? value : &self, a.factor[i])) {
            return a;
        }
    }
    return sum;
}

static bool
reads_registers(const Kernel *k, const Affine *a)
{
    bool any = false;
    for (int i = 0; i < a->n; i++) {
        any = any || (ir_expr(k, a->atom[i])->flags & EXF_REG);
    }
    return any;
}

static void
set_range(RegAffine *f, RegId r, Interval range)
{
    env_set_reg(&f->env, r, range);
    f->env.trail.n = 0; /* this walk takes nothing back */
}

static void
forget(RegAffine *f, RegId r)
{
    Interval top = interval_of_type(f->env.k->regs.p[r].dtype);
    const Interval *now = &f->env.cells[r];
    f->value[r] = NULL;
    if (now->lo != top.lo || now->hi != top.hi || now->mod != top.mod) {
        set_range(f, r, top);
    }
}

void
reg_affine_assign(RegAffine *f, const Stmt *s)
{
    const Kernel *k = f->env.k;
    RegId r = s->kind == ST_SET ? s->set.reg : s->load.reg;
    if (s->kind == ST_LOAD || dtype_is_float(k->regs.p[r].dtype)) {
        forget(f, r);
        return;
    }
    Affine a = reg_affine_of(f, s->set.value);
    set_range(f, r, env_expr(&f->env, s->set.value));
    f->value[r] = NULL;
    if (!reads_registers(k, &a)) {
        f->value[r] = arena_copy(f->env.arena, &a, sizeof a);
    }
}

void
reg_affine_forget(RegAffine *f, StmtId first)
{
    const Kernel *k = f->env.k;
    for (StmtId id = first; id; id = k->stmts.p[id].next) {
        const Stmt *s = &k->stmts.p[id];
        if (s->kind == ST_SET || s->kind == ST_LOAD) {
            forget(f, s->kind == ST_SET ? s->set.reg : s->load.reg);
        } else if (s->kind == ST_FOR) {
            reg_affine_forget(f, s->loop.body);
        } else if (s->kind == ST_SCOPE) {
            reg_affine_forget(f, s->scope.body);
        } else if (s->kind == ST_IF) {
            reg_affine_forget(f, s->cond.then_body);
            reg_affine_forget(f, s->cond.else_body);
        }
    }
}
