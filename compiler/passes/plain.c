/* plain.c: bodies whose statements have no effects beside their operands (see
 * passes/plain.h). */
#include "passes/plain.h"

static bool
divides(const Kernel *k, ExprId e)
{
    const Expr *x = ir_expr(k, e);
    if (x->kind != EX_OP) {
        return false;
    }
    bool integer = !dtype_is_float((Dtype)x->dtype);
    return (integer && (x->op == SOP_DIV || x->op == SOP_REM) && !ir_is_const(k, x->b)) ||
           divides(k, x->a) || (x->b != 0 && divides(k, x->b));
}

static bool
instr_divides(const Kernel *k, const Stmt *s)
{
    int n;
    (void)form_params(op_table[s->instr.op].form, &n);
    for (int i = 0; i < n; i++) {
        const Arg *a = &k->args.p[s->instr.arg + (uint32_t)i];
        if ((a->kind == ARG_EXPR && divides(k, a->expr)) ||
            (a->kind == ARG_REF && divides(k, a->ref.off))) {
            return true;
        }
        for (int w = 0; a->kind == ARG_MASK && w < mask_words(a->mask_form); w++) {
            if (divides(k, a->mask[w])) {
                return true;
            }
        }
    }
    return false;
}

/* Instructions without effects beside their operands. */
static bool
is_plain(const Stmt *s)
{
    const OpInfo *op = &op_table[s->instr.op];
    switch (form_family(op->form)) {
    case FAM_MOVE:
    case FAM_LANES:
    case FAM_ARITH:
    case FAM_CONVERT:
        return true;
    case FAM_REDUCE:
        return op->sem == SEM_ALL_ADD || op->sem == SEM_ALL_MAX ||
               op->sem == SEM_ALL_MIN || op->sem == SEM_CADD || op->sem == SEM_CGADD ||
               op->sem == SEM_CGMAX || op->sem == SEM_CGMIN || op->sem == SEM_CPADD;
    case FAM_COMPARE:
        return op->form == FORM_VCMPV || op->form == FORM_VCMPVB ||
               op->form == FORM_VCMPVS;
    default:
        return false;
    }
}

static bool body_is_plain(const Kernel *k, StmtId first, bool checked);

/* checked: what may end it are checks of rules. */
static bool
stmt_is_plain(const Kernel *k, const Stmt *s, bool checked)
{
    bool holds = checked || s->proof == PROOF_PROVED;
    switch ((StmtKind)s->kind) {
    case ST_INSTR:
        return holds && is_plain(s) && !instr_divides(k, s);
    case ST_LOAD:
        return holds && !divides(k, s->load.ref.off);
    case ST_STORE:
        return holds && !divides(k, s->store.ref.off) && !divides(k, s->store.value);
    case ST_SET:
        return !divides(k, s->set.value);
    case ST_FOR:
        return !ir_is_multicore(s) && !divides(k, s->loop.begin) &&
               !divides(k, s->loop.end) && body_is_plain(k, s->loop.body, checked);
    case ST_SCOPE:
        return body_is_plain(k, s->scope.body, checked);
    case ST_IF:
        return !divides(k, s->cond.cond) &&
               body_is_plain(k, s->cond.then_body, checked) &&
               body_is_plain(k, s->cond.else_body, checked);
    case ST_ALLOC:
    case ST_NONE:
        return true;
    default:
        return false;
    }
}

static bool
body_is_plain(const Kernel *k, StmtId first, bool checked)
{
    for (StmtId s = first; s != 0; s = k->stmts.p[s].next) {
        if (!stmt_is_plain(k, &k->stmts.p[s], checked)) {
            return false;
        }
    }
    return true;
}

bool
plain_body(const Kernel *k, StmtId first)
{
    return body_is_plain(k, first, false);
}

bool
plain_if_checked(const Kernel *k, StmtId first)
{
    return body_is_plain(k, first, true);
}
