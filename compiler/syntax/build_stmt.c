/* build_stmt.c: has the builders of statements, and decides what can be assigned to. See
 * build.c. */
#include "syntax/parser.h"

#include <string.h>

static Loc
loc_of(const Ast *node)
{
    return (Loc){node->span.begin, node->span.end};
}

/* ---- targets ------------------------------------------------------------- */

const char *
ast_describe(const Ast *node)
{
    switch ((AstKind)node->kind) {
    case AST_INT:
    case AST_FLOAT:
        return "a number";
    case AST_STRING:
    case AST_FSTRING:
        return "a string";
    case AST_NONE:
        return "None";
    case AST_BOOL:
        return node->value ? "True" : "False";
    case AST_ELLIPSIS:
        return "'...'";
    case AST_TUPLE:
        return "a tuple";
    case AST_LIST:
        return "a list";
    case AST_DICT:
        return "a dict";
    case AST_SET:
        return "a set";
    case AST_STARRED:
        return "a starred expression";
    case AST_COMPARE:
        return "a comparison";
    case AST_COND:
        return "a conditional expression";
    case AST_LAMBDA:
        return "a lambda";
    case AST_CALL:
        return "a call";
    case AST_COMP:
        return "a comprehension";
    case AST_YIELD:
        return "a yield expression";
    case AST_AWAIT:
        return "an await expression";
    case AST_WALRUS:
        return "an assignment expression";
    default:
        return "an expression";
    }
}

static bool
refuse_target(Parser *p, const Ast *node, const char *what)
{
    complain(p, D_SYNTAX, loc_of(node), "cannot %s %s", what, ast_describe(node));
    return false;
}

/* Checks the elements of a list of targets; one of them may be starred. */
static bool
check_elements(Parser *p, const Ast *node, const char *what)
{
    bool deleting = what[0] == 'd';
    int stars = 0;
    bool good = true;
    for (const Ast *e = node->list; e; e = e->next) {
        if (e->kind != AST_STARRED || deleting) {
            good = ast_check_target(p, e, what) && good;
            continue;
        }
        good = ast_check_target(p, e->a, what) && good;
        if (++stars == 2) {
            complain(p, D_SYNTAX, loc_of(e), "a second '*' in a list of targets");
            good = false;
        }
    }
    return good;
}

bool
ast_check_target(Parser *p, const Ast *node, const char *what)
{
    if (!node) {
        return true;
    }
    switch ((AstKind)node->kind) {
    case AST_NAME:
    case AST_ATTR:
    case AST_INDEX:
        return true;
    case AST_TUPLE:
    case AST_LIST:
        return check_elements(p, node, what);
    case AST_STARRED:
        complain(p, D_SYNTAX, loc_of(node),
                 "a starred target must be in a list of targets");
        return false;
    default:
        return refuse_target(p, node, what);
    }
}

/* Checks targets of += and of annotations. */
static void
check_single(Parser *p, const Ast *node, const char *what)
{
    if (node->kind == AST_TUPLE || node->kind == AST_LIST) {
        refuse_target(p, node, what);
    } else {
        ast_check_target(p, node, what);
    }
}

/* Reports a starred value that is not in a list. */
static void
check_value(Parser *p, const Ast *value)
{
    if (value->kind == AST_STARRED) {
        complain(p, D_SYNTAX, loc_of(value), "a starred expression must be in a list");
    }
}

/* ---- simple statements --------------------------------------------------- */

Ast *
ast_statement(Parser *p, Ast *statement)
{
    if (p->nloose > 0) {
        complain(p, D_SYNTAX, loc_of(p->loose_as), "'as' cannot stand in an expression");
        p->nloose = 0;
    }
    if (statement && (statement->kind == AST_EXPR || p->expression)) {
        check_value(p, p->expression ? statement : statement->a);
    }
    return statement;
}

Ast *
ast_plain(Parser *p, AstKind kind, Loc at, Ast *a)
{
    Ast *node = ast_new(p, kind, at);
    node->a = a;
    return node;
}

Ast *
ast_assign(Parser *p, Loc at, AstList targets, Ast *value)
{
    for (const Ast *t = targets.first; t; t = t->next) {
        ast_check_target(p, t, "assign to");
    }
    Ast *node = ast_new(p, AST_ASSIGN, at);
    node->list = targets.first;
    node->b = value;
    check_value(p, value);
    return node;
}

Ast *
ast_augassign(Parser *p, Loc at, AstOp op, Ast *target, Ast *value)
{
    check_single(p, target, "change the value of");
    check_value(p, value);
    Ast *node = ast_new(p, AST_AUGASSIGN, at);
    node->op = (uint8_t)op;
    node->a = target;
    node->b = value;
    return node;
}

Ast *
ast_annassign(Parser *p, Loc at, Ast *target, Ast *annotation, Ast *value)
{
    check_single(p, target, "annotate");
    if (value) {
        check_value(p, value);
    }
    Ast *node = ast_new(p, AST_ANNASSIGN, at);
    node->a = target;
    node->b = annotation;
    node->c = value;
    return node;
}

Ast *
ast_del(Parser *p, Loc at, Ast *targets)
{
    ast_check_target(p, targets, "delete");
    Ast *node = ast_new(p, AST_DEL, at);
    bool several = targets->kind == AST_TUPLE && !(targets->flags & AST_PAREN);
    node->list = several ? targets->list : targets;
    return node;
}

Ast *
ast_raise(Parser *p, Loc at, Ast *exception, Ast *cause)
{
    Ast *node = ast_new(p, AST_RAISE, at);
    node->a = exception;
    node->b = cause;
    return node;
}

Ast *
ast_assert(Parser *p, Loc at, Ast *condition, Ast *message)
{
    Ast *node = ast_new(p, AST_ASSERT, at);
    node->a = condition;
    node->b = message;
    return node;
}

Ast *
ast_names(Parser *p, AstKind kind, Loc at, AstList names)
{
    Ast *node = ast_new(p, kind, at);
    node->list = names.first;
    return node;
}

/* ---- imports ------------------------------------------------------------- */

/* Returns a dotted name as its tokens spell it, without blanks and joined lines between
 * them. */
static char *
dotted_text(Parser *p, Loc at)
{
    char *out = arena_alloc(&p->u->arena, at.end - at.begin + 1);
    uint32_t n = 0;
    for (uint32_t i = at.begin; i < at.end; i++) {
        if (!strchr(" \t\f\\\r\n", p->text[i])) {
            out[n++] = p->text[i];
        }
    }
    return out;
}

Ast *
ast_alias(Parser *p, Loc at, Loc dotted, Sym as)
{
    Ast *node = ast_new(p, AST_ALIAS, at);
    node->str = dotted_text(p, dotted);
    node->name = as;
    return node;
}

Ast *
ast_import(Parser *p, Loc at, AstList aliases)
{
    Ast *node = ast_new(p, AST_IMPORT, at);
    node->orelse = aliases.first;
    return node;
}

Ast *
ast_from(Parser *p, Loc at, int dots, Loc module, AstList aliases)
{
    for (const Ast *x = aliases.first; x; x = x->next) {
        if (strchr(x->str, '.')) {
            complain(p, D_SYNTAX, loc_of(x), "'%s' is no plain name", x->str);
        }
    }
    Ast *node = ast_new(p, AST_FROM, at);
    node->value = dots;
    node->str = dotted_text(p, module);
    node->orelse = aliases.first;
    return node;
}

/* ---- statements with blocks ---------------------------------------------- */

void
ast_colon(Parser *p, Loc at)
{
    if (!p->missing_colon) {
        return;
    }
    p->missing_colon = false;
    if (!p->line.reported) {
        complain(p, D_SYNTAX, at, "expected ':' after %s, found the end of the line",
                 complain_header(p->line.head));
        p->line.reported = true;
    }
}

Ast *
ast_module(Parser *p, Loc at, AstList body)
{
    Ast *node = ast_new(p, AST_MODULE, at);
    node->body = body.first;
    return node;
}

AstList
ast_program(Parser *p, Loc at, AstList before, AstList statement, bool ahead)
{
    enum {
        /* bytes of the tree of a part: it stays in the caches of a processor */
        PART = 256 << 10
    };
    AstList list = list_join(before, statement);
    if (!p->sink || p->failed || ahead || p->u->tree.used - p->part_begin < PART) {
        return list;
    }
    parse_part(p, ast_module(p, at, list));
    return list_one(NULL);
}

Ast *
ast_if(Parser *p, Loc at, Ast *condition, AstList body)
{
    Ast *node = ast_new(p, AST_IF, at);
    node->a = condition;
    node->body = body.first;
    return node;
}

Ast *
ast_else(Ast *first, AstList chain, AstList orelse)
{
    first->orelse = chain.first;
    Ast *last = chain.first ? chain.last : first;
    last->orelse = orelse.first;
    return first;
}

Ast *
ast_for(Parser *p, Loc at, Ast *target, Ast *source, AstList body)
{
    ast_check_target(p, target, "assign to");
    check_value(p, source);
    Ast *node = ast_new(p, AST_FOR, at);
    node->a = target;
    node->b = source;
    node->body = body.first;
    return node;
}

Ast *
ast_while(Parser *p, Loc at, Ast *condition, AstList body)
{
    Ast *node = ast_new(p, AST_WHILE, at);
    node->a = condition;
    node->body = body.first;
    return node;
}

/* Returns whether an item of a with statement is one that the grammar took for an element
 * in brackets. */
static bool
is_loose_item(const Ast *e)
{
    return e->kind == AST_WITH_ITEM && !(e->flags & AST_PAREN);
}

static bool
can_be_item(const Ast *e)
{
    return e->kind != AST_STARRED && (e->kind != AST_WALRUS || (e->flags & AST_PAREN));
}

static AstList
items_of_tuple(Parser *p, Ast *tuple)
{
    AstList out = list_one(NULL);
    for (Ast *e = tuple->list, *next; e; e = next) {
        next = e->next;
        e->next = NULL;
        if (is_loose_item(e)) {
            p->nloose--;
        } else {
            e = ast_with_a(p, AST_WITH_ITEM, loc_of(e), e);
        }
        out = list_add(out, e);
    }
    return out;
}

/* Builds the items of with (a as b, c), where the brackets belong to the statement. */
AstList
ast_with_items(Parser *p, AstList items)
{
    Ast *only = items.first;
    if (only != items.last || only->b || !(only->a->flags & AST_PAREN)) {
        return items;
    }
    Ast *inside = only->a;
    if (inside->flags & AST_PAREN_TWICE) {
        return items;
    }
    if (inside->kind == AST_WITH_ITEM) {
        p->nloose--;
        return list_one(inside);
    }
    if (inside->kind != AST_TUPLE || !inside->list) {
        return items;
    }
    for (const Ast *e = inside->list; e; e = e->next) {
        if (!can_be_item(e)) {
            return items;
        }
    }
    return items_of_tuple(p, inside);
}

Ast *
ast_with(Parser *p, Loc at, AstList items, AstList body)
{
    Ast *node = ast_new(p, AST_WITH, at);
    node->list = items.first;
    node->body = body.first;
    return node;
}

Ast *
ast_def(Parser *p, Loc at, FuncHead head, AstList body)
{
    Ast *node = ast_new(p, AST_DEF, at);
    node->name = head.name;
    node->func = ast_func(p, head.params);
    node->func->name = head.name;
    node->func->returns = head.returns;
    node->func->body = body.first;
    return node;
}

Ast *
ast_class(Parser *p, Loc at, Sym name, AstList bases, AstList body)
{
    ast_check_args(p, bases, false);
    Ast *node = ast_new(p, AST_CLASS, at);
    node->name = name;
    node->klass = ast_alloc(p, sizeof(AstClass));
    node->klass->name = name;
    node->klass->bases = bases.first;
    node->klass->body = body.first;
    return node;
}

Ast *
ast_decorate(Ast *definition, AstList decorators)
{
    if (definition->kind == AST_CLASS) {
        definition->klass->decorators = decorators.first;
    } else {
        definition->func->decorators = decorators.first;
    }
    return definition;
}

Ast *
ast_async(Parser *p, Loc at, Ast *statement)
{
    statement->span = span_of(p, at);
    statement->flags |= AST_ASYNC;
    if (statement->kind == AST_DEF) {
        statement->func->is_async = true;
    }
    return statement;
}

Ast *
ast_try(Parser *p, Loc at, AstList body, AstList handlers)
{
    Ast *node = ast_new(p, AST_TRY, at);
    node->body = body.first;
    node->list = handlers.first;
    for (const Ast *h = handlers.first; h; h = h->next) {
        if (!h->a && h->next) {
            complain(p, D_SYNTAX, loc_of(h),
                     "an 'except' for all exceptions is the last one");
        }
    }
    return node;
}

Ast *
ast_finish_try(Parser *p, Ast *node, AstList orelse, AstList final)
{
    node->orelse = orelse.first;
    node->c = final.first;
    Loc head = {node->span.begin, node->span.begin + 3};
    if (!node->list && !final.first) {
        complain(p, D_SYNTAX, head, "'try' has neither 'except' nor 'finally'");
    } else if (!node->list && orelse.first) {
        complain(p, D_SYNTAX, head, "'try' has 'else' but no 'except'");
    }
    return node;
}

Ast *
ast_except(Parser *p, Loc at, Ast *type, Sym name, AstList body)
{
    Ast *node = ast_new(p, AST_EXCEPT, at);
    node->a = type;
    node->name = name;
    node->body = body.first;
    return node;
}
