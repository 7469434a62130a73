/* reaching.c: follows what registers are set to, statement by statement (see
 * passes/reaching.h). What is known before a statement is a list that shares its tail
 * with those of the statements before; it is short, since only what may be asked for is
 * noted.
 */
#include "passes/reaching.h"

#include "passes/rewrite.h"

enum {
    MOST_KNOWN = 32 /* registers at a time */
};

typedef struct Known Known;
struct Known {
    RegId reg;
    ExprId value;
    int n; /* of the list */
    const Known *next;
};

struct Reaching {
    const Kernel *k;
    Arena *arena;
    const Known **before; /* by StmtId */
};

static const Known *
with(const Reaching *r, RegId reg, ExprId value, const Known *list)
{
    int n = list == NULL ? 0 : list->n;
    if (n == MOST_KNOWN) {
        return list;
    }
    Known *known = ARENA_NEW(r->arena, Known);
    *known = (Known){reg, value, n + 1, list};
    return known;
}

/* Returns what of the list is still known after the statement. */
static const Known *
without_changed(const Reaching *r, StmtId s, const Known *list)
{
    if (list == NULL) {
        return NULL;
    }
    const Known *rest = without_changed(r, s, list->next);
    if (rewrite_stmt_sets(r->k, s, list->reg) ||
        rewrite_stmt_changes(r->k, s, list->value)) {
        return rest;
    }
    return rest == list->next ? list : with(r, list->reg, list->value, rest);
}

static void find_in_body(Reaching *r, StmtId first, const Known *list);

static void
find_inside(Reaching *r, StmtId s, const Known *list)
{
    const Stmt *st = &r->k->stmts.p[s];
    switch ((StmtKind)st->kind) {
    case ST_FOR:
        /* Before a later iteration, what the body changes is unknown. */
        find_in_body(r, st->loop.body, without_changed(r, s, list));
        return;
    case ST_SCOPE:
        find_in_body(r, st->scope.body, list);
        return;
    case ST_IF:
        find_in_body(r, st->cond.then_body, list);
        find_in_body(r, st->cond.else_body, list);
        return;
    default:
        return;
    }
}

static void
find_in_body(Reaching *r, StmtId first, const Known *list)
{
    for (StmtId s = first; s != 0; s = r->k->stmts.p[s].next) {
        const Stmt *st = &r->k->stmts.p[s];
        r->before[s] = list;
        find_inside(r, s, list);
        if (st->kind == ST_INSTR || st->kind == ST_ALLOC || st->kind == ST_STORE) {
            continue;
        }
        list = without_changed(r, s, list);
        if (st->kind == ST_SET && ir_expr(r->k, st->set.value)->kind == EX_OP &&
            !rewrite_reads(r->k, st->set.value, st->set.reg)) {
            list = with(r, st->set.reg, st->set.value, list);
        }
    }
}

Reaching *
reaching_find(const Kernel *k, Arena *arena)
{
    Reaching *r = ARENA_NEW(arena, Reaching);
    *r = (Reaching){.k = k, .arena = arena};
    r->before = ARENA_ARRAY(arena, const Known *, k->stmts.n);
    find_in_body(r, k->body, NULL);
    return r;
}

ExprId
reaching_value(const Reaching *r, StmtId s, ExprId e)
{
    const Expr *x = ir_expr(r->k, e);
    for (const Known *p = r->before[s]; x->kind == EX_REG && p != NULL; p = p->next) {
        if (p->reg == x->a) {
            return p->value;
        }
    }
    return e;
}

void
reaching_counts(const Reaching *r, StmtId s, Iteration *it)
{
    if (!count_known(it->lanes)) {
        it->lanes.of = reaching_value(r, s, it->lanes.of);
    }
    if (!count_known(it->rows)) {
        it->rows.of = reaching_value(r, s, it->rows.of);
    }
}
