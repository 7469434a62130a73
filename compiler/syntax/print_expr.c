/* print_expr.c: prints expressions as source text, see print.c. Strings inside the fields
 * of an f-string can have no escapes and none of the quotes around them, so quotes are
 * tried until all of it fits. */
#include "syntax/print.h"

#include <string.h>

const char *
print_name(const Printer *w, Sym name)
{
    return sym_text(&w->u->names, name);
}

void
print_list(Printer *w, const Ast *list)
{
    for (; list; list = list->next) {
        print_expr(w, list);
        text_put(w->out, list->next ? ", " : "");
    }
}

/* ---- strings ------------------------------------------------------------- */

static const char *const all_quotes[QUOTES_NESTED] = {"\"", "'", "\"\"\"", "'''"};

static bool
contains(const char *s, size_t n, const char *part)
{
    size_t m = strlen(part);
    for (size_t i = 0; i + m <= n; i++) {
        if (memcmp(s + i, part, m) == 0) {
            return true;
        }
    }
    return false;
}

/* Returns whether text can be between quotes of this kind without escapes. */
static bool
fits_plainly(const char *s, size_t n, const char *quote)
{
    bool triple = quote[1] != 0;
    if (contains(s, n, "\\") || contains(s, n, quote) || (n && s[n - 1] == quote[0])) {
        return false;
    }
    return triple || (!contains(s, n, "\n") && !contains(s, n, "\r"));
}

/* Returns whether what was printed from 'from' on can be in the fields around it. */
static bool
fits_outside(const Printer *w, size_t from)
{
    const char *s = w->out->p + from;
    size_t n = w->out->n - from;
    for (int i = 0; i < w->nquotes; i++) {
        const char *quote = w->quotes[i];
        if (contains(s, n, "\\") || contains(s, n, quote) ||
            (!quote[1] && contains(s, n, "\n"))) {
            return false;
        }
    }
    return true;
}

static void
cut(Printer *w, size_t at)
{
    w->out->n = at;
    w->out->p[at] = 0;
}

static void
print_string(Printer *w, const Ast *e)
{
    if (w->nquotes == 0) {
        write_string(w->out, e->str, e->len);
        return;
    }
    size_t from = w->out->n;
    for (int i = 0; i < QUOTES_NESTED; i++) {
        if (!fits_plainly(e->str, e->len, all_quotes[i])) {
            continue;
        }
        text_put(w->out, all_quotes[i]);
        text_putn(w->out, e->str, e->len);
        text_put(w->out, all_quotes[i]);
        if (fits_outside(w, from)) {
            return;
        }
        cut(w, from);
    }
    w->stuck = true;
}

static void print_parts(Printer *w, const Ast *list, const char *quote, bool braces);
static void print_text_part(Printer *w, const Ast *part, const char *quote, bool braces);

static void
print_field(Printer *w, const Ast *f, const char *quote)
{
    text_putc(w->out, '{');
    size_t from = w->out->n;
    print_expr(w, f->a);
    if (w->out->p[from] == '{') {
        cut(w, from);
        text_putc(w->out, ' ');
        print_expr(w, f->a);
    }
    if (f->op) {
        text_printf(w->out, "!%c", f->op);
    }
    if (f->b) {
        text_putc(w->out, ':');
        print_parts(w, f->b->list, quote, false);
    } else if (f->str) {
        text_putc(w->out, ':');
        Ast text = {.str = f->str, .len = (uint32_t)strlen(f->str)};
        print_text_part(w, &text, quote, false);
    }
    text_putc(w->out, '}');
}

static void
print_text_part(Printer *w, const Ast *part, const char *quote, bool braces)
{
    if (w->nquotes == 1) {
        write_escaped(w->out, part->str, part->len, quote[0], braces);
        return;
    }
    for (uint32_t i = 0; i < part->len; i++) {
        if (braces && (part->str[i] == '{' || part->str[i] == '}')) {
            text_putc(w->out, part->str[i]);
        }
        text_putc(w->out, part->str[i]);
    }
}

static void
print_parts(Printer *w, const Ast *list, const char *quote, bool braces)
{
    for (; list && !w->stuck; list = list->next) {
        if (list->kind == AST_STRING) {
            print_text_part(w, list, quote, braces);
        } else {
            print_field(w, list, quote);
        }
    }
}

static void
print_fstring(Printer *w, const Ast *e)
{
    size_t from = w->out->n;
    for (int i = 0; i < QUOTES_NESTED && w->nquotes < QUOTES_NESTED; i++) {
        w->stuck = false;
        text_putc(w->out, 'f');
        text_put(w->out, all_quotes[i]);
        w->quotes[w->nquotes++] = all_quotes[i];
        print_parts(w, e->list, all_quotes[i], true);
        w->nquotes--;
        text_put(w->out, all_quotes[i]);
        if (!w->stuck && fits_outside(w, from)) {
            return;
        }
        cut(w, from);
    }
    w->stuck = true;
}

/* ---- operations ---------------------------------------------------------- */

static void
print_operation(Printer *w, const Ast *a, const char *op, const Ast *b)
{
    text_putc(w->out, '(');
    print_expr(w, a);
    text_printf(w->out, " %s ", op);
    print_expr(w, b);
    text_putc(w->out, ')');
}

static void
print_compare(Printer *w, const Ast *e)
{
    text_putc(w->out, '(');
    print_expr(w, e->a);
    for (const Ast *part = e->list; part; part = part->next) {
        text_printf(w->out, " %s ", ast_op_text((AstOp)part->op));
        print_expr(w, part->a);
    }
    text_putc(w->out, ')');
}

static void
print_prefix(Printer *w, const char *op, const Ast *a)
{
    text_printf(w->out, "(%s", op);
    if (a) {
        print_expr(w, a);
    }
    text_putc(w->out, ')');
}

static void
print_cond(Printer *w, const Ast *e)
{
    text_putc(w->out, '(');
    print_expr(w, e->a);
    text_put(w->out, " if ");
    print_expr(w, e->b);
    text_put(w->out, " else ");
    print_expr(w, e->c);
    text_putc(w->out, ')');
}

static void
print_param(Printer *w, const AstParam *param)
{
    if (param->kind == PARAM_POSONLY && !param->name) {
        text_putc(w->out, '/');
        return;
    }
    text_put(w->out, param->kind == PARAM_STAR       ? "*"
                     : param->kind == PARAM_STARSTAR ? "**"
                                                     : "");
    text_put(w->out, param->name ? print_name(w, param->name) : "");
    if (param->annotation) {
        text_put(w->out, ": ");
        print_expr(w, param->annotation);
    }
    if (param->dflt) {
        text_put(w->out, param->annotation ? " = " : "=");
        print_expr(w, param->dflt);
    }
}

void
print_params(Printer *w, const AstParam *param)
{
    for (; param; param = param->next) {
        print_param(w, param);
        text_put(w->out, param->next ? ", " : "");
    }
}

static void
print_lambda(Printer *w, const Ast *e)
{
    text_put(w->out, e->func->params ? "(lambda " : "(lambda");
    print_params(w, e->func->params);
    text_put(w->out, ": ");
    print_expr(w, e->func->body);
    text_putc(w->out, ')');
}

static void
print_call(Printer *w, const Ast *e)
{
    print_expr(w, e->a);
    text_putc(w->out, '(');
    print_list(w, e->list);
    text_putc(w->out, ')');
}

static void
print_attr(Printer *w, const Ast *e)
{
    bool number = e->a->kind == AST_INT || e->a->kind == AST_FLOAT;
    text_put(w->out, number ? "(" : "");
    print_expr(w, e->a);
    text_printf(w->out, "%s.%s", number ? ")" : "", print_name(w, e->name));
}

static void
print_slice(Printer *w, const Ast *e)
{
    if (e->a) {
        print_expr(w, e->a);
    }
    text_putc(w->out, ':');
    if (e->b) {
        print_expr(w, e->b);
    }
    if (e->c) {
        text_putc(w->out, ':');
        print_expr(w, e->c);
    }
}

static void
print_index(Printer *w, const Ast *e)
{
    print_expr(w, e->a);
    text_putc(w->out, '[');
    if (e->b->kind == AST_TUPLE && e->b->list) {
        print_list(w, e->b->list);
        text_put(w->out, e->b->list->next ? "" : ",");
    } else {
        print_expr(w, e->b);
    }
    text_putc(w->out, ']');
}

/* ---- displays ------------------------------------------------------------ */

static void
print_tuple(Printer *w, const Ast *e)
{
    text_putc(w->out, '(');
    print_list(w, e->list);
    text_put(w->out, e->list && !e->list->next ? ",)" : ")");
}

static void
print_display(Printer *w, const Ast *e, const char *brackets)
{
    text_putc(w->out, brackets[0]);
    print_list(w, e->list);
    text_putc(w->out, brackets[1]);
}

static void
print_pair(Printer *w, const Ast *e)
{
    if (e->a) {
        print_expr(w, e->a);
        text_put(w->out, ": ");
    } else {
        text_put(w->out, "**");
    }
    print_expr(w, e->b);
}

static void
print_comp_for(Printer *w, const Ast *f)
{
    text_put(w->out, f->flags & AST_ASYNC ? " async for " : " for ");
    print_expr(w, f->a);
    text_put(w->out, " in ");
    print_expr(w, f->b);
    for (const Ast *c = f->list; c; c = c->next) {
        text_put(w->out, " if ");
        print_expr(w, c);
    }
}

static void
print_comp(Printer *w, const Ast *e)
{
    text_putc(w->out, e->op == '(' ? '(' : e->op == '[' ? '[' : '{');
    print_expr(w, e->a);
    for (const Ast *f = e->list; f; f = f->next) {
        print_comp_for(w, f);
    }
    text_putc(w->out, e->op == '(' ? ')' : e->op == '[' ? ']' : '}');
}

static void
print_keyword(Printer *w, const Ast *e)
{
    if (e->name) {
        text_printf(w->out, "%s=", print_name(w, e->name));
    } else {
        text_put(w->out, "**");
    }
    print_expr(w, e->a);
}

static void
print_walrus(Printer *w, const Ast *e)
{
    text_printf(w->out, "(%s := ", print_name(w, e->name));
    print_expr(w, e->a);
    text_putc(w->out, ')');
}

static void
print_yield(Printer *w, const Ast *e)
{
    const char *word = e->flags & AST_YIELD_FROM ? "yield from "
                       : e->a                    ? "yield "
                                                 : "yield";
    print_prefix(w, word, e->a);
}

static void
print_unary(Printer *w, const Ast *e)
{
    print_prefix(w, e->op == AOP_NOT ? "not " : ast_op_text((AstOp)e->op), e->a);
}

static void
print_with_item(Printer *w, const Ast *e)
{
    print_expr(w, e->a);
    if (e->b) {
        text_put(w->out, " as ");
        print_expr(w, e->b);
    }
}

void
print_expr(Printer *w, const Ast *e)
{
    switch ((AstKind)e->kind) {
    case AST_NAME:
        text_put(w->out, print_name(w, e->name));
        break;
    case AST_INT:
        write_int(w->out, e);
        break;
    case AST_FLOAT:
        write_float(w->out, e->number);
        break;
    case AST_STRING:
        print_string(w, e);
        break;
    case AST_FSTRING:
        print_fstring(w, e);
        break;
    case AST_FIELD:
        print_field(w, e, "\"");
        break;
    case AST_NONE:
        text_put(w->out, "None");
        break;
    case AST_BOOL:
        text_put(w->out, e->value ? "True" : "False");
        break;
    case AST_ELLIPSIS:
        text_put(w->out, "...");
        break;
    case AST_TUPLE:
        print_tuple(w, e);
        break;
    case AST_LIST:
        print_display(w, e, "[]");
        break;
    case AST_DICT:
    case AST_SET:
        print_display(w, e, "{}");
        break;
    case AST_PAIR:
        print_pair(w, e);
        break;
    case AST_STARRED:
        text_putc(w->out, '*');
        print_expr(w, e->a);
        break;
    case AST_UNARY:
        print_unary(w, e);
        break;
    case AST_BINARY:
        print_operation(w, e->a, ast_op_text((AstOp)e->op), e->b);
        break;
    case AST_COMPARE:
        print_compare(w, e);
        break;
    case AST_COMPARE_PART:
        print_expr(w, e->a);
        break;
    case AST_AND:
        print_operation(w, e->a, "and", e->b);
        break;
    case AST_OR:
        print_operation(w, e->a, "or", e->b);
        break;
    case AST_COND:
        print_cond(w, e);
        break;
    case AST_LAMBDA:
        print_lambda(w, e);
        break;
    case AST_CALL:
        print_call(w, e);
        break;
    case AST_KEYWORD:
        print_keyword(w, e);
        break;
    case AST_ATTR:
        print_attr(w, e);
        break;
    case AST_INDEX:
        print_index(w, e);
        break;
    case AST_SLICE:
        print_slice(w, e);
        break;
    case AST_COMP:
        print_comp(w, e);
        break;
    case AST_COMP_FOR:
        print_comp_for(w, e);
        break;
    case AST_YIELD:
        print_yield(w, e);
        break;
    case AST_AWAIT:
        print_prefix(w, "await ", e->a);
        break;
    case AST_WALRUS:
        print_walrus(w, e);
        break;
    case AST_WITH_ITEM:
        print_with_item(w, e);
        break;
    default:
        ICE("node of kind %d is no expression", e->kind);
    }
}
