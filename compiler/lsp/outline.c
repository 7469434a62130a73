/* outline.c: the functions and classes of a text, and the tensors and Scalars that it
 * makes at its top level. */
#include "lsp/server.h"
#include "lsp/symbols.h"

#include <string.h>

/* The kinds of symbols, as the protocol numbers them. */
enum {
    SYMBOL_CLASS = 5,
    SYMBOL_METHOD = 6,
    SYMBOL_FUNCTION = 12,
    SYMBOL_VARIABLE = 13
};

static json_t *list_of(Server *s, const Document *d, const Ast *n, bool in_class);

static json_t *
symbol(Server *s, const Document *d, const char *name, int kind, Span all)
{
    const Unit *u = &d->syntax;
    return json_pack(
        "{s:o, s:i, s:o, s:o}", "name", rpc_text(name), "kind", kind, "range",
        position_span(u, all, s->encoding), "selectionRange",
        position_span(u, symbols_word(u, all, all.begin, name), s->encoding));
}

static void
add_variable(Server *s, const Document *d, const Ast *n, json_t *list)
{
    const char *name = sym_text(&d->syntax.names, n->name);
    const NameFact *f = facts_find(d, name, strlen(name), false, n->span.begin);
    if (f && (f->kind == FACT_TENSOR || f->kind == FACT_SCALAR)) {
        json_t *item = symbol(s, d, name, SYMBOL_VARIABLE, n->span);
        json_object_set_new(item, "detail", rpc_text(f->text));
        json_array_append_new(list, item);
    }
}

static void
add_statement(Server *s, const Document *d, const Ast *n, bool in_class, json_t *list)
{
    if (n->kind == AST_DEF || n->kind == AST_CLASS) {
        bool def = n->kind == AST_DEF;
        Sym name = def ? n->func->name : n->klass->name;
        json_t *item = symbol(s, d, sym_text(&d->syntax.names, name),
                              !def       ? SYMBOL_CLASS
                              : in_class ? SYMBOL_METHOD
                                         : SYMBOL_FUNCTION,
                              n->span);
        json_object_set_new(item, "children",
                            list_of(s, d, def ? n->func->body : n->klass->body, !def));
        json_array_append_new(list, item);
    } else if (n->kind == AST_ASSIGN && n->list->kind == AST_NAME) {
        add_variable(s, d, n->list, list);
    }
}

static json_t *
list_of(Server *s, const Document *d, const Ast *n, bool in_class)
{
    json_t *list = json_array();
    for (; n; n = n->next) {
        add_statement(s, d, n, in_class, list);
    }
    return list;
}

json_t *
outline_answer(Server *s, const json_t *params, LspError *err)
{
    Document *d = document_of(s, params, err);
    if (!d) {
        return NULL;
    }
    analysis_refresh(s, d);
    return list_of(s, d, d->tree ? d->tree->body : NULL, false);
}
