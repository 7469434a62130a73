/* eval.c: computes the value of an expression for given values of the loop variables. The
 * passes find witnesses with it. Depth and work are bounded by IR_MAX_EXPR, which the
 * builder guarantees. */
#include "ir/ir.h"

bool
ir_eval(const Kernel *k, ExprId id, const int64_t *vars, int64_t *out)
{
    const Expr *e = ir_expr(k, id);
    switch ((ExprKind)e->kind) {
    case EX_NONE:
    case EX_REG:
        return false;
    case EX_CONST:
        *out = e->imm;
        return true;
    case EX_VAR:
        *out = vars[e->a];
        return true;
    case EX_OP:
        break;
    }
    int64_t a = 0;
    int64_t b = 0;
    if ((e->flags & EXF_REG) || !ir_eval(k, e->a, vars, &a) ||
        (e->b && !ir_eval(k, e->b, vars, &b))) {
        return false;
    }
    Dtype from = (Dtype)ir_expr(k, e->a)->dtype;
    Dtype t = scalar_is_compare((ScalarOp)e->op) ? from : (Dtype)e->dtype;
    return scalar_eval((ScalarOp)e->op, t, from, a, b, out);
}

void
ir_var_text(const Kernel *k, VarId v, const int64_t *vars, Text *out)
{
    const Var *var = &k->vars.p[v];
    int64_t value = vars[v];
    bool known = var->shown == 0 || ir_eval(k, var->shown, vars, &value);
    text_printf(out, "%s%s%s = %lld", out->n ? ", " : "", known ? "" : "trip of ",
                sym_text(&k->unit->names, var->bound ? var->bound : var->name),
                (long long)value);
}

bool
ir_reads_var(const Kernel *k, ExprId e, VarId v)
{
    const Expr *x = ir_expr(k, e);
    if (x->kind == EX_VAR) {
        return x->a == v;
    }
    return x->kind == EX_OP && (x->flags & EXF_VAR) != 0 &&
           (ir_reads_var(k, x->a, v) || (x->b != 0 && ir_reads_var(k, x->b, v)));
}
