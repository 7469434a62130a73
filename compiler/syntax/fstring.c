/* fstring.c: reads the inside of f-strings: text, and fields {expression = !conversion :
 * format}. It finds the end of an expression by counting brackets and quotes, then that
 * piece of the file is parsed on its own. Format specifications may have fields, which
 * may not have further ones. As in Python 3.11, an expression holds no backslash and no
 * comment. */
#include "syntax/parser.h"

#include <string.h>

typedef struct Fields {
    Parser *p;
    Loc rest; /* bytes that are still to be read */
    bool raw;
    int level; /* 0 in the string, 1 in a format specification, 2 in one inside it */
    bool failed;
} Fields;

static void
fault(Fields *f, Loc at, const char *text, const char *help)
{
    Diag *d = complain(f->p, D_BAD_LITERAL, at, "%s", text);
    if (help) {
        complain_help(f->p, d, help);
    }
    f->rest.begin = f->rest.end;
    f->failed = true;
}

static char
peek(const Fields *f, uint32_t i)
{
    return i < f->rest.end ? f->p->text[i] : 0;
}

void
fstring_flush(Parser *p, Loc at)
{
    if (p->join.n == 0) {
        return;
    }
    Ast *node = ast_new(p, AST_STRING, at);
    node->str = arena_strndup(&p->u->arena, p->join.p, p->join.n);
    node->len = (uint32_t)p->join.n;
    p->join_parts = list_add(p->join_parts, node);
    p->join.n = 0;
}

/* ---- the end of an expression -------------------------------------------- */

/* Returns the end of a string inside an expression, which starts at i; 0 if it has
 * none. */
static uint32_t
skip_quoted(const Fields *f, uint32_t i)
{
    char q = peek(f, i);
    bool triple = peek(f, i + 1) == q && peek(f, i + 2) == q;
    if (!triple && peek(f, i + 1) == q) {
        return i + 2;
    }
    for (i += triple ? 3 : 1; i < f->rest.end; i++) {
        if (peek(f, i) == '\\') {
            return i;
        }
        if (peek(f, i) == q &&
            (!triple || (peek(f, i + 1) == q && peek(f, i + 2) == q))) {
            return i + (triple ? 3 : 1);
        }
    }
    return 0;
}

static bool
ends_expression(const Fields *f, uint32_t i)
{
    char c = peek(f, i);
    return c == ':' || c == '}' || ((c == '!' || c == '=') && peek(f, i + 1) != '=');
}

/* Returns where the expression that starts at i ends; 0 after a report. */
static uint32_t
find_end(Fields *f, uint32_t i)
{
    uint32_t open = i;
    int depth = 0;
    while (i < f->rest.end) {
        char c = peek(f, i);
        if (c == '\\' || c == '#') {
            fault(f, (Loc){i, i + 1},
                  c == '#' ? "a field of an f-string holds no comment"
                           : "a field of an f-string holds no backslash",
                  "compute the value before the string");
            return 0;
        }
        if (c == '"' || c == '\'') {
            i = skip_quoted(f, i);
            if (i == 0) {
                break;
            }
            continue;
        }
        if (depth == 0 && ends_expression(f, i)) {
            return i;
        }
        depth += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
        bool comparison = strchr("=!<>", c) && peek(f, i + 1) == '=';
        i += comparison ? 2 : 1;
        if (depth < 0) {
            fault(f, (Loc){i - 1, i}, "a closing bracket closes nothing in this field",
                  NULL);
            return 0;
        }
    }
    fault(f, (Loc){open - 1, open}, "the field that starts here has no '}'",
          "write '{{' for a brace in the text");
    return 0;
}

/* ---- fields -------------------------------------------------------------- */

static bool
is_blank(const Fields *f, Loc at)
{
    while (at.begin < at.end && strchr(" \t\f\r\n", f->p->text[at.begin])) {
        at.begin++;
    }
    return at.begin == at.end;
}

/* Reads {x = }: the expression's text comes first, and its repr is the default. Returns
 * where to go on. */
static uint32_t
read_equals(Fields *f, uint32_t open, uint32_t i, Ast *field)
{
    if (peek(f, i) != '=') {
        return i;
    }
    i++;
    while (i < f->rest.end && strchr(" \t\f\r\n", peek(f, i))) {
        i++;
    }
    literal_decode(f->p, (Loc){open, i}, true, &f->p->join);
    if (peek(f, i) == '}') {
        field->op = 'r';
    }
    return i;
}

static bool
read_conversion(Fields *f, uint32_t *at, Ast *field)
{
    uint32_t i = *at;
    if (peek(f, i) != '!') {
        return true;
    }
    char c = peek(f, i + 1);
    if (c != 'r' && c != 's' && c != 'a') {
        fault(f, (Loc){i, i + 2}, "a conversion is !r, !s or !a", NULL);
        return false;
    }
    field->op = (uint8_t)c;
    *at = i + 2;
    return true;
}

static void read_parts(Fields *f);

/* Reads the format specification after ':', up to the '}' that ends the field. */
static uint32_t
read_spec(Fields *f, uint32_t i, Ast *field)
{
    Parser *p = f->p;
    Text text = p->join;
    AstList parts = p->join_parts;
    text_init(&p->join, p->scratch);
    p->join_parts = list_one(NULL);
    Fields spec = {p, {i, f->rest.end}, f->raw, f->level + 1, false};
    read_parts(&spec);
    f->failed = spec.failed;
    Loc at = {i, spec.rest.begin};
    if (p->join_parts.first) {
        fstring_flush(p, at);
        field->b = ast_new(p, AST_FSTRING, at);
        field->b->list = p->join_parts.first;
        ast_deepen(p, field->b, field->b->list);
    } else {
        field->str = arena_strndup(&p->u->arena, p->join.p, p->join.n);
    }
    p->join = text;
    p->join_parts = parts;
    return spec.rest.begin;
}

/* Reads the field whose '{' is at the start of the rest. */
static void
read_field(Fields *f)
{
    Parser *p = f->p;
    uint32_t open = f->rest.begin + 1;
    if (f->level == 2) {
        fault(f, (Loc){open - 1, open}, "fields of an f-string nest too deeply here",
              NULL);
        return;
    }
    uint32_t i = find_end(f, open);
    if (i == 0) {
        return;
    }
    Loc inner = {open, i};
    if (is_blank(f, inner)) {
        fault(f, (Loc){open - 1, i + 1}, "a field of an f-string is empty",
              "write '{{' for a brace in the text");
        return;
    }
    Ast *field = ast_new(p, AST_FIELD, (Loc){open - 1, i});
    field->a = parse_piece(p, inner);
    i = read_equals(f, open, i, field);
    if (!read_conversion(f, &i, field)) {
        return;
    }
    fstring_flush(p, (Loc){open - 1, i});
    if (peek(f, i) == ':') {
        i = read_spec(f, i + 1, field);
    }
    if (f->failed) {
        f->rest.begin = f->rest.end;
        return;
    }
    if (peek(f, i) != '}') {
        fault(f, (Loc){open - 1, open}, "the field that starts here has no '}'",
              "write '{{' for a brace in the text");
        return;
    }
    field->span.end = i + 1;
    ast_deepen(p, field, field->a);
    p->join_parts = list_add(p->join_parts, field);
    f->rest.begin = i + 1;
}

static bool
is_brace(char c)
{
    return c == '{' || c == '}';
}

/* Returns the next brace from i on. An escaped character is skipped, but a backslash does
 * not hide a brace. */
static uint32_t
find_brace(const Fields *f, uint32_t i)
{
    while (i < f->rest.end && !is_brace(peek(f, i))) {
        i += peek(f, i) == '\\' && !f->raw && !is_brace(peek(f, i + 1)) ? 2 : 1;
    }
    return MIN(i, f->rest.end);
}

/* Reads text and fields; a format specification ends at its '}'. */
static void
read_parts(Fields *f)
{
    while (f->rest.begin < f->rest.end) {
        uint32_t from = f->rest.begin;
        uint32_t i = find_brace(f, from);
        char c = peek(f, i);
        bool doubled = f->level == 0 && i < f->rest.end && peek(f, i + 1) == c;
        literal_decode(f->p, (Loc){from, i + doubled}, f->raw, &f->p->join);
        f->rest.begin = i + (doubled ? 2 : 0);
        if (doubled || i == f->rest.end) {
            continue;
        }
        if (c == '{') {
            read_field(f);
        } else if (f->level > 0) {
            return;
        } else {
            fault(f, (Loc){i, i + 1}, "a single '}' is in an f-string", "write '}}'");
        }
    }
}

void
fstring_add(Parser *p, Loc inside, bool raw)
{
    Fields f = {p, inside, raw, 0, false};
    read_parts(&f);
}
