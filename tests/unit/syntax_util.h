/* syntax_util.h: parses one text and shows the result, for the tests of the front end. */
#ifndef TESTS_SYNTAX_UTIL_H
#define TESTS_SYNTAX_UTIL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "syntax/ast.h"

#include <string.h>

typedef struct Parsed {
    Unit u;
    uint32_t file;
    Ast *tree;
} Parsed;

static inline void
parse_bytes(Parsed *x, const char *text, size_t n)
{
    unit_init(&x->u);
    x->file = unit_add_source(&x->u, "t.tik", text, n);
    x->tree = parse_file(&x->u, x->file);
}

static inline void
parse_text(Parsed *x, const char *text)
{
    parse_bytes(x, text, strlen(text));
}

static inline void
parsed_free(Parsed *x)
{
    unit_free(&x->u);
}

static inline const char *
dump_of(Parsed *x, const Ast *tree)
{
    Text t;
    text_init(&t, &x->u.arena);
    ast_dump(&x->u, tree, &t);
    return t.p;
}

static inline const char *
print_of(Parsed *x, const Ast *tree)
{
    Text t;
    text_init(&t, &x->u.arena);
    ast_print(&x->u, tree, &t);
    return t.p;
}

/* Returns the errors as the user sees them. */
static inline const char *
errors_of(Parsed *x)
{
    Text t;
    text_init(&t, &x->u.arena);
    diag_render_all(&x->u, DIAG_TEXT, &t);
    return t.p;
}

static inline void
require_tree(Parsed *x, const char *text)
{
    if (!x->tree) {
        fail_msg("refused:\n%s\n%s", text, errors_of(x));
    }
}

#endif
