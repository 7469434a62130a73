/* dump.c: prints trees as nested lists, for tests: (binary + (name a) (int 1)). Every
 * part of a node shows; an absent part is '-'. A row of the table below says which parts
 * a kind of node has. */
#include "syntax/write.h"

/* The letters of parts mean: a b c (nodes), L (list), B (body), O (orelse), + (operator),
 * ! (op as a character), n (name), v (value), s (str), i (integer), f (float), S
 * (string), F (function), K (class). */
typedef struct Row {
    const char *name;
    const char *parts;
} Row;

static const Row rows[AST_KIND_COUNT] = {
    [AST_NAME] = {"name", "n"},
    [AST_INT] = {"int", "i"},
    [AST_FLOAT] = {"float", "f"},
    [AST_STRING] = {"string", "S"},
    [AST_FSTRING] = {"fstring", "L"},
    [AST_FIELD] = {"field", "!asb"},
    [AST_NONE] = {"none", ""},
    [AST_BOOL] = {"bool", "v"},
    [AST_ELLIPSIS] = {"ellipsis", ""},
    [AST_TUPLE] = {"tuple", "L"},
    [AST_LIST] = {"list", "L"},
    [AST_DICT] = {"dict", "L"},
    [AST_PAIR] = {"pair", "ab"},
    [AST_SET] = {"set", "L"},
    [AST_STARRED] = {"starred", "a"},
    [AST_UNARY] = {"unary", "+a"},
    [AST_BINARY] = {"binary", "+ab"},
    [AST_COMPARE] = {"compare", "aL"},
    [AST_COMPARE_PART] = {"part", "+a"},
    [AST_AND] = {"and", "ab"},
    [AST_OR] = {"or", "ab"},
    [AST_COND] = {"cond", "abc"},
    [AST_LAMBDA] = {"lambda", "F"},
    [AST_CALL] = {"call", "aL"},
    [AST_KEYWORD] = {"keyword", "na"},
    [AST_ATTR] = {"attr", "an"},
    [AST_INDEX] = {"index", "ab"},
    [AST_SLICE] = {"slice", "abc"},
    [AST_COMP] = {"comp", "!aL"},
    [AST_COMP_FOR] = {"comp-for", "abL"},
    [AST_YIELD] = {"yield", "a"},
    [AST_AWAIT] = {"await", "a"},
    [AST_WALRUS] = {"walrus", "na"},
    [AST_EXPR] = {"expr", "a"},
    [AST_ASSIGN] = {"assign", "Lb"},
    [AST_AUGASSIGN] = {"augassign", "+ab"},
    [AST_ANNASSIGN] = {"annassign", "abc"},
    [AST_IF] = {"if", "aBO"},
    [AST_FOR] = {"for", "abBO"},
    [AST_WHILE] = {"while", "aBO"},
    [AST_WITH] = {"with", "LB"},
    [AST_WITH_ITEM] = {"item", "ab"},
    [AST_DEF] = {"def", "F"},
    [AST_CLASS] = {"class", "K"},
    [AST_RETURN] = {"return", "a"},
    [AST_RAISE] = {"raise", "ab"},
    [AST_TRY] = {"try", "BLOC"},
    [AST_EXCEPT] = {"except", "anB"},
    [AST_IMPORT] = {"import", "O"},
    [AST_FROM] = {"from", "vsO"},
    [AST_ALIAS] = {"alias", "sn"},
    [AST_DEL] = {"del", "L"},
    [AST_ASSERT] = {"assert", "ab"},
    [AST_GLOBAL] = {"global", "L"},
    [AST_NONLOCAL] = {"nonlocal", "L"},
    [AST_PASS] = {"pass", ""},
    [AST_BREAK] = {"break", ""},
    [AST_CONTINUE] = {"continue", ""},
    [AST_MODULE] = {"module", "B"},
};

typedef struct Dumper {
    const Unit *u;
    Text *out;
} Dumper;

static void dump_node(Dumper *d, const Ast *node);

static void
dump_child(Dumper *d, const Ast *node)
{
    text_putc(d->out, ' ');
    if (node) {
        dump_node(d, node);
    } else {
        text_putc(d->out, '-');
    }
}

static void
dump_list(Dumper *d, const Ast *list)
{
    text_put(d->out, " [");
    for (; list; list = list->next) {
        dump_node(d, list);
        text_put(d->out, list->next ? " " : "");
    }
    text_putc(d->out, ']');
}

static void
dump_name(Dumper *d, Sym name)
{
    text_printf(d->out, " %s", name ? sym_text(&d->u->names, name) : "-");
}

static void
dump_params(Dumper *d, const AstParam *x)
{
    static const char *const kinds[] = {"plain", "star", "starstar", "kwonly", "posonly"};
    text_put(d->out, " [");
    for (; x; x = x->next) {
        text_printf(d->out, "(%s", kinds[x->kind]);
        dump_name(d, x->name);
        dump_child(d, x->annotation);
        dump_child(d, x->dflt);
        text_put(d->out, x->next ? ") " : ")");
    }
    text_putc(d->out, ']');
}

static void
dump_func(Dumper *d, const AstFunc *f)
{
    dump_name(d, f->name);
    text_put(d->out, f->is_async ? " async" : "");
    dump_params(d, f->params);
    dump_list(d, f->decorators);
    dump_child(d, f->returns);
    dump_list(d, f->body);
}

static void
dump_class(Dumper *d, const AstClass *c)
{
    dump_name(d, c->name);
    dump_list(d, c->bases);
    dump_list(d, c->decorators);
    dump_list(d, c->body);
}

static void
dump_char(Dumper *d, int c)
{
    text_printf(d->out, " %c", c ? c : '-');
}

static void
dump_text(Dumper *d, const char *s)
{
    text_printf(d->out, " %s", !s ? "-" : *s ? s : "''");
}

static void
dump_part(Dumper *d, const Ast *node, char part)
{
    switch (part) {
    case 'a':
        dump_child(d, node->a);
        break;
    case 'b':
        dump_child(d, node->b);
        break;
    case 'c':
        dump_child(d, node->c);
        break;
    case 'C':
        dump_list(d, node->c);
        break;
    case 'L':
        dump_list(d, node->list);
        break;
    case 'B':
        dump_list(d, node->body);
        break;
    case 'O':
        dump_list(d, node->orelse);
        break;
    case '+':
        text_printf(d->out, " %s", ast_op_text((AstOp)node->op));
        break;
    case '!':
        dump_char(d, node->op);
        break;
    case 'n':
        dump_name(d, node->name);
        break;
    case 'v':
        text_printf(d->out, " %lld", (long long)node->value);
        break;
    case 's':
        dump_text(d, node->str);
        break;
    case 'i':
        text_putc(d->out, ' ');
        write_int(d->out, node);
        break;
    case 'f':
        text_putc(d->out, ' ');
        write_float(d->out, node->number);
        break;
    case 'S':
        text_putc(d->out, ' ');
        write_string(d->out, node->str, node->len);
        break;
    case 'F':
        dump_func(d, node->func);
        break;
    case 'K':
        dump_class(d, node->klass);
        break;
    default:
        ICE("no part '%c'", part);
    }
}

static void
dump_node(Dumper *d, const Ast *node)
{
    const Row *row = &rows[node->kind];
    text_printf(d->out, "(%s", row->name);
    text_put(d->out, node->flags & AST_ASYNC ? " async" : "");
    text_put(d->out,
             node->kind == AST_YIELD && node->flags & AST_YIELD_FROM ? " from" : "");
    for (const char *part = row->parts; *part; part++) {
        dump_part(d, node, *part);
    }
    text_putc(d->out, ')');
}

void
ast_dump(const Unit *u, const Ast *tree, Text *out)
{
    Dumper d = {u, out};
    dump_node(&d, tree);
}
