/* substitute.c: rewrites the expressions of a body (see passes/substitute.h). Each
 * expression is rewritten once, however often it occurs. */
#include "passes/substitute.h"

#include "isa/operand.h"

static ExprId
replace(Substitution *s, ExprId id)
{
    Expr e = *ir_expr(s->k, id); /* the table moves when it grows */
    if (!(e.flags & EXF_VAR)) {
        return id;
    }
    if (e.kind == EX_VAR) {
        return e.a == s->var ? s->value : id;
    }
    while (s->made.n <= id) {
        VEC_PUSH(s->arena, &s->made, (Substituted){0});
    }
    if (s->made.p[id].serial != s->serial) {
        ExprId a = replace(s, e.a), b = e.b ? replace(s, e.b) : 0;
        ExprId made = id;
        if (a != e.a || b != e.b) {
            made = e.op == SOP_CAST   ? ir_cast(s->k, (Dtype)e.dtype, a)
                   : e.op == SOP_BITS ? ir_bits(s->k, (Dtype)e.dtype, a)
                   : b                ? ir_op2(s->k, (ScalarOp)e.op, a, b)
                                      : ir_op1(s->k, (ScalarOp)e.op, a);
        }
        s->made.p[id] = (Substituted){s->serial, made};
    }
    return s->made.p[id].made;
}

static void
replace_in(Substitution *s, ExprId *e)
{
    *e = replace(s, *e);
}

static void
replace_operands(Substitution *s, const Stmt *st)
{
    int n;
    (void)form_params(op_table[st->instr.op].form, &n);
    for (int i = 0; i < n; i++) {
        Arg *a = &s->k->args.p[st->instr.arg + (uint32_t)i];
        if (a->kind == ARG_REF) {
            replace_in(s, &a->ref.off);
        } else if (a->kind == ARG_EXPR) {
            replace_in(s, &a->expr);
        } else if (a->kind == ARG_MASK) {
            for (int w = 0; w < mask_words(a->mask_form); w++) {
                replace_in(s, &a->mask[w]);
            }
        }
    }
}

static void
replace_body(Substitution *s, StmtId first)
{
    for (StmtId id = first; id; id = s->k->stmts.p[id].next) {
        Stmt *st = &s->k->stmts.p[id]; /* statements are not added here */
        switch ((StmtKind)st->kind) {
        case ST_INSTR:
            replace_operands(s, st);
            break;
        case ST_SET:
            replace_in(s, &st->set.value);
            break;
        case ST_LOAD:
            replace_in(s, &st->load.ref.off);
            break;
        case ST_STORE:
            replace_in(s, &st->store.ref.off);
            replace_in(s, &st->store.value);
            break;
        case ST_FOR:
            replace_in(s, &st->loop.begin);
            replace_in(s, &st->loop.end);
            replace_body(s, st->loop.body);
            break;
        case ST_IF:
            replace_in(s, &st->cond.cond);
            replace_body(s, st->cond.then_body);
            replace_body(s, st->cond.else_body);
            break;
        case ST_SCOPE:
            replace_body(s, st->scope.body);
            break;
        case ST_NONE:
        case ST_ALLOC:
        case ST_BREAK:
        case ST_CONTINUE:
        case ST_RETURN:
            break;
        }
    }
}

void
substitute_in(Substitution *s, VarId var, ExprId value, StmtId first)
{
    s->var = var;
    s->value = value;
    s->serial++;
    replace_body(s, first);
}
