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

/* Returns the value of an atom that is a register whose value is known; else null. */
static inline const Affine *
value_of(const RegAffine *f, ExprId atom)
{
    const Expr *e = ir_expr(f->env.k, atom);
    return e->kind == EX_REG ? f->value[e->a] : NULL;
}

/* Puts the values of registers that are known in their places; false: the sum has too
 * many terms, or they are too large. */
static bool
put_values(const RegAffine *f, const Affine *a, Affine *out)
{
    out->n = 0;
    out->constant = a->constant;
    for (int i = 0; i < a->n; i++) {
        const Affine *value = value_of(f, a->atom[i]);
        if (value ? !affine_add(out, value, a->factor[i])
                  : !affine_add_term(out, a->atom[i], a->factor[i])) {
            return false;
        }
    }
    return true;
}

void
reg_affine_of(const RegAffine *f, ExprId e, Affine *out)
{
    /* the expression is an integer, so it has an affine form */
    (void)env_affine(&f->env, e, out);
    bool known = false;
    for (int i = 0; i < out->n; i++) {
        known = known || value_of(f, out->atom[i]);
    }
    Affine sum;
    if (known && put_values(f, out, &sum)) {
        *out = sum;
    }
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
    Affine a;
    reg_affine_of(f, s->set.value, &a);
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
