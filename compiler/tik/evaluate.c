/* evaluate.c: the argument evaluates of BuildCCE, a dict of Scalars and the numbers that
 * they are fixed to. The register of such a Scalar is assigned its number once, at the
 * start of the kernel; all other assignments are removed. The pass fold does the rest. */
#include "tik/build.h"
#include "tik/literal.h"
#include "tik/scalar.h"
#include "tik/tik.h"

static bool
assigns(const Kernel *k, StmtId id, RegId reg)
{
    const Stmt *s = &k->stmts.p[id];
    return (s->kind == ST_SET && s->set.reg == reg) ||
           (s->kind == ST_LOAD && s->load.reg == reg);
}

/* Removes the assignments at the beginning of the list. */
static void
unlink_assignments(const Kernel *k, StmtId *link, RegId reg)
{
    while (*link && assigns(k, *link, reg)) {
        *link = k->stmts.p[*link].next;
    }
}

static void
fix_register(Kernel *k, RegId reg, ExprId value)
{
    unlink_assignments(k, &k->body, reg);
    for (StmtId id = 1; id < k->stmts.n; id++) {
        Stmt *s = &k->stmts.p[id];
        if (s->kind == ST_FOR || s->kind == ST_IF || s->kind == ST_SCOPE) {
            unlink_assignments(k, ir_body(k, id, 0), reg);
        }
        if (s->kind == ST_IF) {
            unlink_assignments(k, ir_body(k, id, 1), reg);
        }
        unlink_assignments(k, &s->next, reg);
    }
    Cursor start = ir_cursor_body(0, 0);
    Stmt first = {.kind = ST_SET, .span = k->regs.p[reg].span, .set = {reg, value}};
    (void)ir_append(k, &start, &first);
}

static bool
evaluate(Interp *in, Tik *c, Value key, Value number, Span span)
{
    ExprId value;
    if (!tik_is(key, &tik_scalar_class) || tik_runtime(key)->c != c ||
        !tik_runtime(key)->reg) {
        py_diag(in, D_BUILD_ARGS, span,
                "a key of evaluates is %s; it takes Scalars of the kernel",
                tik_a(in, key));
        return false;
    }
    RegId reg = tik_runtime(key)->reg;
    Literal use = {tik_reg_name(in, c, reg), span, false};
    if (!tik_literal(in, c, number, c->k->regs.p[reg].dtype, &use, &value)) {
        py_diag(in, D_BUILD_ARGS, span, "evaluates fixes '%s' to %s; it takes a number",
                tik_sym(in, c->k->regs.p[reg].name), tik_a(in, number));
        return false;
    }
    fix_register(c->k, reg, value);
    return true;
}

bool
tik_evaluate(Interp *in, Tik *c, Value evaluates, Span span)
{
    Value key, number;
    uint32_t at = 0;
    bool ok = true;
    if (evaluates.kind == VAL_NONE) {
        return true;
    }
    if (evaluates.kind != VAL_DICT) {
        py_diag(in, D_BUILD_ARGS, span,
                "evaluates is %s; it is a dict of Scalars and numbers",
                tik_a(in, evaluates));
        return false;
    }
    while (dict_next(evaluates, &at, &key, &number)) {
        ok = evaluate(in, c, key, number, span) && ok;
    }
    return ok;
}
