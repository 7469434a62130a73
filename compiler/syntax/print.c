/* print.c: prints trees as source text that parses to an equal tree: four spaces per
 * block, one space around operators, brackets around every operation. Expressions are in
 * print_expr.c. */
#include "syntax/print.h"

static void print_block(Printer *w, const Ast *body);

static void
start_line(Printer *w)
{
    for (int i = 0; i < w->indent; i++) {
        text_put(w->out, "    ");
    }
}

static void
print_optional(Printer *w, const char *before, const Ast *a)
{
    if (a) {
        text_put(w->out, before);
        print_expr(w, a);
    }
}

static void
print_else(Printer *w, const char *word, const Ast *body)
{
    if (body) {
        start_line(w);
        text_put(w->out, word);
        print_block(w, body);
    }
}

static void
print_block(Printer *w, const Ast *body)
{
    text_put(w->out, ":\n");
    w->indent++;
    if (!body) {
        start_line(w);
        text_put(w->out, "pass\n");
    }
    for (; body; body = body->next) {
        print_statement(w, body);
    }
    w->indent--;
}

static void
print_if(Printer *w, const Ast *s)
{
    for (const char *word = "if ";; word = "elif ") {
        text_put(w->out, word);
        print_expr(w, s->a);
        print_block(w, s->body);
        const Ast *rest = s->orelse;
        if (!rest || rest->kind != AST_IF || rest->next) {
            print_else(w, "else", rest);
            return;
        }
        s = rest;
        start_line(w);
    }
}

static void
print_for(Printer *w, const Ast *s)
{
    text_put(w->out, s->flags & AST_ASYNC ? "async for " : "for ");
    print_expr(w, s->a);
    text_put(w->out, " in ");
    print_expr(w, s->b);
    print_block(w, s->body);
    print_else(w, "else", s->orelse);
}

static void
print_while(Printer *w, const Ast *s)
{
    text_put(w->out, "while ");
    print_expr(w, s->a);
    print_block(w, s->body);
    print_else(w, "else", s->orelse);
}

static void
print_with(Printer *w, const Ast *s)
{
    text_put(w->out, s->flags & AST_ASYNC ? "async with " : "with ");
    const Ast *only = s->list;
    if (!only->next && !only->b && only->a->kind == AST_TUPLE) {
        text_putc(w->out, '('); /* without the brackets its elements would be items */
        print_expr(w, only->a);
        text_putc(w->out, ')');
        print_block(w, s->body);
        return;
    }
    for (const Ast *item = s->list; item; item = item->next) {
        print_expr(w, item->a);
        print_optional(w, " as ", item->b);
        text_put(w->out, item->next ? ", " : "");
    }
    print_block(w, s->body);
}

static void
print_decorators(Printer *w, const Ast *d)
{
    for (; d; d = d->next) {
        text_putc(w->out, '@');
        print_expr(w, d);
        text_putc(w->out, '\n');
        start_line(w);
    }
}

static void
print_def(Printer *w, const Ast *s)
{
    const AstFunc *f = s->func;
    print_decorators(w, f->decorators);
    text_printf(w->out, "%sdef %s(", f->is_async ? "async " : "", print_name(w, f->name));
    print_params(w, f->params);
    text_putc(w->out, ')');
    print_optional(w, " -> ", f->returns);
    print_block(w, f->body);
}

static void
print_class(Printer *w, const Ast *s)
{
    const AstClass *c = s->klass;
    print_decorators(w, c->decorators);
    text_printf(w->out, "class %s", print_name(w, c->name));
    if (c->bases) {
        text_putc(w->out, '(');
        print_list(w, c->bases);
        text_putc(w->out, ')');
    }
    print_block(w, c->body);
}

static void
print_try(Printer *w, const Ast *s)
{
    text_put(w->out, "try");
    print_block(w, s->body);
    for (const Ast *h = s->list; h; h = h->next) {
        start_line(w);
        text_put(w->out, "except");
        print_optional(w, " ", h->a);
        if (h->name) {
            text_printf(w->out, " as %s", print_name(w, h->name));
        }
        print_block(w, h->body);
    }
    print_else(w, "else", s->orelse);
    print_else(w, "finally", s->c);
}

static void
print_aliases(Printer *w, const Ast *alias)
{
    for (; alias; alias = alias->next) {
        text_put(w->out, alias->str);
        if (alias->name) {
            text_printf(w->out, " as %s", print_name(w, alias->name));
        }
        text_put(w->out, alias->next ? ", " : "");
    }
}

static void
print_from(Printer *w, const Ast *s)
{
    text_put(w->out, "from ");
    for (int64_t i = 0; i < s->value; i++) {
        text_putc(w->out, '.');
    }
    text_printf(w->out, "%s import ", s->str);
    if (s->orelse) {
        print_aliases(w, s->orelse);
    } else {
        text_putc(w->out, '*');
    }
}

static void
print_assign(Printer *w, const Ast *s)
{
    for (const Ast *t = s->list; t; t = t->next) {
        print_expr(w, t);
        text_put(w->out, " = ");
    }
    print_expr(w, s->b);
}

static void
print_annassign(Printer *w, const Ast *s)
{
    bool brackets = s->a->kind == AST_NAME && (s->a->flags & AST_PAREN);
    text_put(w->out, brackets ? "(" : "");
    print_expr(w, s->a);
    text_put(w->out, brackets ? "): " : ": ");
    print_expr(w, s->b);
    print_optional(w, " = ", s->c);
}

/* Prints a statement that takes one line, without the line's end; returns false for the
 * others. */
static bool
print_simple(Printer *w, const Ast *s)
{
    switch ((AstKind)s->kind) {
    case AST_EXPR:
        print_expr(w, s->a);
        return true;
    case AST_ASSIGN:
        print_assign(w, s);
        return true;
    case AST_AUGASSIGN:
        print_expr(w, s->a);
        text_printf(w->out, " %s= ", ast_op_text((AstOp)s->op));
        print_expr(w, s->b);
        return true;
    case AST_ANNASSIGN:
        print_annassign(w, s);
        return true;
    case AST_RETURN:
        text_put(w->out, "return");
        print_optional(w, " ", s->a);
        return true;
    case AST_RAISE:
        text_put(w->out, "raise");
        print_optional(w, " ", s->a);
        print_optional(w, " from ", s->b);
        return true;
    case AST_IMPORT:
        text_put(w->out, "import ");
        print_aliases(w, s->orelse);
        return true;
    case AST_FROM:
        print_from(w, s);
        return true;
    case AST_DEL:
        text_put(w->out, "del ");
        print_list(w, s->list);
        return true;
    case AST_ASSERT:
        text_put(w->out, "assert ");
        print_expr(w, s->a);
        print_optional(w, ", ", s->b);
        return true;
    case AST_GLOBAL:
    case AST_NONLOCAL:
        text_put(w->out, s->kind == AST_GLOBAL ? "global " : "nonlocal ");
        print_list(w, s->list);
        return true;
    case AST_PASS:
        text_put(w->out, "pass");
        return true;
    case AST_BREAK:
        text_put(w->out, "break");
        return true;
    case AST_CONTINUE:
        text_put(w->out, "continue");
        return true;
    default:
        return false;
    }
}

static void
print_compound(Printer *w, const Ast *s)
{
    switch ((AstKind)s->kind) {
    case AST_IF:
        print_if(w, s);
        break;
    case AST_FOR:
        print_for(w, s);
        break;
    case AST_WHILE:
        print_while(w, s);
        break;
    case AST_WITH:
        print_with(w, s);
        break;
    case AST_DEF:
        print_def(w, s);
        break;
    case AST_CLASS:
        print_class(w, s);
        break;
    case AST_TRY:
        print_try(w, s);
        break;
    default:
        ICE("node of kind %d is no statement", s->kind);
    }
}

void
print_statement(Printer *w, const Ast *s)
{
    start_line(w);
    if (print_simple(w, s)) {
        text_putc(w->out, '\n');
    } else {
        print_compound(w, s);
    }
}

void
ast_print(const Unit *u, const Ast *tree, Text *out)
{
    Printer w = {.u = u, .out = out};
    if (tree->kind == AST_MODULE) {
        for (const Ast *s = tree->body; s; s = s->next) {
            print_statement(&w, s);
        }
    } else if (tree->kind >= AST_EXPR && tree->kind != AST_WITH_ITEM) {
        print_statement(&w, tree);
    } else {
        print_expr(&w, tree);
    }
}
