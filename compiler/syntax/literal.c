/* literal.c: reads numbers and strings from the text of their tokens. Strings become
 * UTF-8 bytes; the parser collects the texts of adjacent literals until the grammar has
 * seen them all. Integers of more than 63 bits keep their digits: decimal, or 0x for all
 * other bases. */
#include "syntax/parser.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers ------------------------------------------------------------- */

static int
digit_value(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static int
base_of(const char *s, uint32_t n)
{
    if (n < 2 || s[0] != '0') {
        return 10;
    }
    switch (s[1]) {
    case 'x':
    case 'X':
        return 16;
    case 'o':
    case 'O':
        return 8;
    case 'b':
    case 'B':
        return 2;
    default:
        return 10;
    }
}

/* Returns false if the value needs more than 63 bits. */
static bool
small_int(const char *s, uint32_t n, int base, int64_t *out)
{
    int64_t v = 0;
    for (uint32_t i = base == 10 ? 0 : 2; i < n; i++) {
        int d = digit_value(s[i]);
        if (s[i] == '_') {
            continue;
        }
        if (d < 0 || d >= base) {
            break; /* a bad literal, which the scanner reported */
        }
        if (!checked_mul(v, base, &v) || !checked_add(v, d, &v)) {
            return false;
        }
    }
    *out = v;
    return true;
}

static const char *
decimal_digits(Parser *p, const char *s, uint32_t n)
{
    char *out = arena_alloc(&p->u->arena, n + 1);
    uint32_t k = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (s[i] != '_') {
            out[k++] = s[i];
        }
    }
    return out;
}

/* Regroups the bits of hexadecimal, octal or binary digits, from the last one to the
 * first. */
static const char *
hex_digits(Parser *p, const char *s, uint32_t n, int base)
{
    int width = base == 16 ? 4 : base == 8 ? 3 : 1;
    char *out = arena_alloc(&p->u->arena, n + 4);
    char *at = out + n + 3;
    unsigned bits = 0;
    int have = 0;
    for (uint32_t i = n; i-- > 2;) {
        if (s[i] == '_') {
            continue;
        }
        bits |= (unsigned)digit_value(s[i]) << have;
        for (have += width; have >= 4; have -= 4, bits >>= 4) {
            *--at = "0123456789abcdef"[bits & 15];
        }
    }
    if (bits) {
        *--at = "0123456789abcdef"[bits & 15];
    }
    while (*at == '0') {
        at++;
    }
    *--at = 'x';
    *--at = '0';
    return at;
}

Ast *
ast_int(Parser *p, Loc at)
{
    const char *s = p->text + at.begin;
    uint32_t n = at.end - at.begin;
    int base = base_of(s, n);
    int64_t value;
    if (!small_int(s, n, base, &value)) {
        return ast_long_int(
            p, at, base == 10 ? decimal_digits(p, s, n) : hex_digits(p, s, n, base));
    }
    return ast_short_int(p, at, value);
}

Ast *
ast_float(Parser *p, Loc at)
{
    Ast *node = ast_new(p, AST_FLOAT, at);
    const char *point = localeconv()->decimal_point;
    char room[64]; /* few numbers are longer */
    Text t;
    text_init_in(&t, p->scratch, room, sizeof room);
    for (uint32_t i = at.begin; i < at.end; i++) {
        if (p->text[i] == '.') {
            text_put(&t, point);
        } else if (p->text[i] != '_') {
            text_putc(&t, p->text[i]);
        }
    }
    node->number = strtod(t.p, NULL);
    return node;
}

/* ---- the inside of strings ----------------------------------------------- */

/* Reads a literal from at.begin on. After a character or an escape was decoded, at.end is
 * its end. */
typedef struct Reader {
    Parser *p;
    Loc at;
    Text *out;
} Reader;

static void
put_code_point(Text *out, uint32_t c)
{
    if (c < 0x80) {
        text_putc(out, (char)c);
    } else if (c < 0x800) {
        text_putc(out, (char)(0xc0 | c >> 6));
        text_putc(out, (char)(0x80 | (c & 63)));
    } else if (c < 0x10000) {
        text_putc(out, (char)(0xe0 | c >> 12));
        text_putc(out, (char)(0x80 | (c >> 6 & 63)));
        text_putc(out, (char)(0x80 | (c & 63)));
    } else {
        text_putc(out, (char)(0xf0 | c >> 18));
        text_putc(out, (char)(0x80 | (c >> 12 & 63)));
        text_putc(out, (char)(0x80 | (c >> 6 & 63)));
        text_putc(out, (char)(0x80 | (c & 63)));
    }
}

/* Decodes \x41, \u0041 or \U00000041: exactly 'digits' hexadecimal digits after the
 * letter. */
static void
hex_escape(Reader *r, int digits)
{
    uint32_t start = r->at.begin;
    uint32_t value = 0;
    uint32_t i = start + 2;
    for (int k = 0; k < digits; k++, i++) {
        int d = i < r->at.end ? digit_value(r->p->text[i]) : -1;
        if (d < 0) {
            complain(r->p, D_BAD_LITERAL, (Loc){start, i},
                     "the escape '\\%c' needs %d hexadecimal digits",
                     r->p->text[start + 1], digits);
            r->at.begin = i;
            return;
        }
        value = value << 4 | (uint32_t)d;
    }
    r->at.begin = i;
    if (value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) {
        complain(r->p, D_BAD_LITERAL, (Loc){start, i}, "U+%04X is not a character",
                 value);
        return;
    }
    put_code_point(r->out, value);
}

static void
octal_escape(Reader *r)
{
    uint32_t value = 0;
    uint32_t i = r->at.begin + 1;
    for (int k = 0; k < 3 && i < r->at.end; k++, i++) {
        int d = digit_value(r->p->text[i]);
        if (d < 0 || d > 7) {
            break;
        }
        value = value * 8 + (uint32_t)d;
    }
    r->at.begin = i;
    put_code_point(r->out, value);
}

/* Returns the character that a letter after a backslash means, or -1. */
static int
simple_escape(char c)
{
    switch (c) {
    case '\\':
    case '\'':
    case '"':
        return c;
    case 'a':
        return '\a';
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    case 'v':
        return '\v';
    default:
        return -1;
    }
}

/* Makes one '\n' of a line end of any kind. A text that is indented as a whole loses that
 * indentation inside its strings, too. */
static void
skip_line_end(Reader *r)
{
    const char *s = r->p->text;
    bool pair = s[r->at.begin] == '\r' && r->at.begin + 1 < r->at.end &&
                s[r->at.begin + 1] == '\n';
    r->at.begin += pair ? 2 : 1;
    for (uint32_t column = 0; column < r->p->strip && r->at.begin < r->at.end;) {
        if (s[r->at.begin] != ' ' && s[r->at.begin] != '\t') {
            break;
        }
        column = s[r->at.begin] == ' ' ? column + 1
                                       : column / TAB_WIDTH * TAB_WIDTH + TAB_WIDTH;
        r->at.begin++;
    }
}

static void
read_escape(Reader *r)
{
    char c = r->at.begin + 1 < r->at.end ? r->p->text[r->at.begin + 1] : 0;
    int simple = simple_escape(c);
    if (simple >= 0) {
        text_putc(r->out, (char)simple);
        r->at.begin += 2;
    } else if (c == '\n' || c == '\r') {
        r->at.begin++;
        skip_line_end(r);
    } else if (c >= '0' && c <= '7') {
        octal_escape(r);
    } else if (c == 'x') {
        hex_escape(r, 2);
    } else if (c == 'u') {
        hex_escape(r, 4);
    } else if (c == 'U') {
        hex_escape(r, 8);
    } else if (c == 'N') {
        Loc at = {r->at.begin, r->at.begin + 2};
        Diag *d =
            complain(r->p, D_BAD_LITERAL, at, "characters cannot be written by name");
        complain_help(r->p, d, "write the character itself, or its number: \\u00e9");
        r->at.begin += 2;
    } else {
        text_putc(r->out, '\\'); /* this is no escape, so the backslash stays */
        r->at.begin++;
    }
}

static void
read_raw_pair(Reader *r)
{
    text_putc(r->out, '\\');
    r->at.begin++;
    char c = r->at.begin < r->at.end ? r->p->text[r->at.begin] : 0;
    if (c == '\\' || c == '"' || c == '\'') {
        text_putc(r->out, c);
        r->at.begin++;
    }
}

void
literal_decode(Parser *p, Loc at, bool raw, Text *out)
{
    Reader r = {p, at, out};
    while (r.at.begin < at.end) {
        uint32_t from = r.at.begin;
        uint32_t i = from;
        while (i < at.end && p->text[i] != '\\' && p->text[i] != '\n' &&
               p->text[i] != '\r') {
            i++;
        }
        text_putn(out, p->text + from, i - from);
        r.at.begin = i;
        if (i == at.end) {
            break;
        }
        if (p->text[i] != '\\') {
            text_putc(out, '\n');
            skip_line_end(&r);
        } else if (raw) {
            read_raw_pair(&r);
        } else {
            read_escape(&r);
        }
    }
}

/* ---- literals ------------------------------------------------------------ */

typedef struct Prefix {
    bool raw;
    bool fields;
    bool bytes;
    Loc inside;
} Prefix;

static Prefix
read_prefix(const Parser *p, Loc at)
{
    Prefix x = {0};
    uint32_t i = at.begin;
    for (; p->text[i] != '"' && p->text[i] != '\''; i++) {
        char c = (char)(p->text[i] | 0x20);
        x.raw = x.raw || c == 'r';
        x.fields = x.fields || c == 'f';
        x.bytes = x.bytes || c == 'b';
    }
    char q = p->text[i];
    bool triple = at.end - i >= 6 && p->text[i + 1] == q && p->text[i + 2] == q;
    uint32_t width = triple ? 3 : 1;
    x.inside = (Loc){i + width, at.end - width};
    return x;
}

static void
add_literal(Parser *p, Loc at)
{
    Prefix x = read_prefix(p, at);
    if (x.bytes) {
        Diag *d = complain(p, D_BAD_LITERAL, at, "the language has no bytes, only text");
        complain_help(p, d, "leave the prefix 'b' out");
    }
    if (x.fields) {
        fstring_add(p, x.inside, x.raw);
        p->join_fields = true;
    } else {
        literal_decode(p, x.inside, x.raw, &p->join);
    }
}

void
ast_strings_begin(Parser *p, Loc at)
{
    p->join.n = 0;
    p->join.p[0] = 0;
    p->join_fields = false;
    p->join_parts = list_one(NULL);
    add_literal(p, at);
}

void
ast_strings_add(Parser *p, Loc at)
{
    add_literal(p, at);
}

Ast *
ast_text(Parser *p, Loc at, const char *text, size_t n)
{
    enum {
        SHORT = 32 /* longer texts are seldom repeated */
    };
    Ast *node = ast_new(p, AST_STRING, at);
    if (n <= SHORT) {
        node->name = intern_n(&p->u->names, text, n);
    }
    node->str = node->name ? sym_text(&p->u->names, node->name)
                           : arena_strndup(&p->u->arena, text, n);
    node->len = (uint32_t)n;
    return node;
}

Ast *
ast_strings_end(Parser *p, Loc at)
{
    if (p->join_fields) {
        fstring_flush(p, at);
        Ast *node = ast_new(p, AST_FSTRING, at);
        node->list = p->join_parts.first;
        ast_deepen(p, node, node->list);
        return node;
    }
    return ast_text(p, at, p->join.p, p->join.n);
}
