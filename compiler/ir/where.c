/* where.c: finds what a fault of a statement shows apart from the rule: the Scalars that
 * the statement reads, and names of loop variables. Both back ends call it, so they show
 * the same. */
#include "ir/ir.h"

/* Limit of a walk: expressions share their parts, so it may come to one of them very
 * often. */
enum {
    MOST_NODES = 256
};

typedef struct Walk {
    const Kernel *k;
    RegId *out;
    int n, room, left;
} Walk;

static void
add_scalar(Walk *w, RegId r)
{
    const Reg *reg = &w->k->regs.p[r];
    for (int i = 0; i < w->n; i++) {
        if (w->out[i] == r) {
            return;
        }
    }
    if (w->n < w->room && reg->name != 0 && !dtype_is_float(reg->dtype)) {
        w->out[w->n++] = r;
    }
}

static void
walk_expr(Walk *w, ExprId id)
{
    if (id == 0 || w->left == 0) {
        return;
    }
    w->left--;
    const Expr *e = ir_expr(w->k, id);
    if (e->kind == EX_REG) {
        add_scalar(w, e->a);
    } else if (e->kind == EX_OP) {
        walk_expr(w, e->a);
        if (scalar_op_table[e->op].arity == 2) {
            walk_expr(w, e->b);
        }
    }
}

static void
walk_arg(Walk *w, const Arg *a)
{
    switch (a->kind) {
    case ARG_NONE:
        return;
    case ARG_REF:
        walk_expr(w, a->ref.off);
        return;
    case ARG_EXPR:
        walk_expr(w, a->expr);
        return;
    case ARG_MASK:
        for (int i = 0; i < mask_words(a->mask_form); i++) {
            walk_expr(w, a->mask[i]);
        }
        return;
    }
    UNREACHABLE();
}

static void
walk_statement(Walk *w, const Stmt *st)
{
    int n;
    switch ((StmtKind)st->kind) {
    case ST_INSTR:
        form_params(op_table[st->instr.op].form, &n);
        for (int i = 0; i < n; i++) {
            walk_arg(w, &w->k->args.p[st->instr.arg + (uint32_t)i]);
        }
        return;
    case ST_SET:
        walk_expr(w, st->set.value);
        return;
    case ST_LOAD:
        walk_expr(w, st->load.ref.off);
        return;
    case ST_STORE:
        walk_expr(w, st->store.ref.off);
        walk_expr(w, st->store.value);
        return;
    case ST_FOR:
        walk_expr(w, st->loop.begin);
        walk_expr(w, st->loop.end);
        return;
    case ST_IF:
        walk_expr(w, st->cond.cond);
        return;
    case ST_NONE:
    case ST_ALLOC:
    case ST_BREAK:
    case ST_CONTINUE:
    case ST_RETURN:
    case ST_SCOPE:
        return;
    }
    UNREACHABLE();
}

int
ir_scalars_read(const Kernel *k, const Stmt *st, RegId *out, int room)
{
    Walk w = {k, out, 0, room, MOST_NODES};
    walk_statement(&w, st);
    return w.n;
}

const char *
ir_var_label(const Kernel *k, VarId v)
{
    const Var *var = &k->vars.p[v];
    const char *name = sym_text(&k->unit->names, var->bound ? var->bound : var->name);
    return var->shown == 0 ? name : arena_printf(&k->unit->arena, "trip of %s", name);
}
