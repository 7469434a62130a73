/* scan.c: reports what the scanner (grammar/tik.l) finds wrong: bytes, words, numbers and
 * strings that are no tokens. Each function reports and returns the token to go on with:
 * a substitute where the rest of the line can still be read, or an error that makes the
 * indentation filter skip it. */
#include "syntax/parser.h"

#include <string.h>

#include "tik.tab.h"

/* Adds a fault of the scanner. It belongs to the line of the token that is being scanned,
 * which may be the next one, so the line is marked when the token is handed out. */
static Diag *
bad_token(Parser *p, DiagId id, Loc at, const char *text)
{
    if (p->line.failed && !p->at_line_start) {
        return NULL;
    }
    p->bad_token = true;
    return complain(p, id, at, "%s", text);
}

static void
bad_help(Parser *p, Diag *d, const char *help)
{
    if (d) {
        complain_help(p, d, help);
    }
}

/* Returns the help for a character that other languages use. */
static const char *
char_help(Parser *p, uint32_t at)
{
    switch (p->text[at]) {
    case '!':
        return "negation is written 'not'";
    case '?':
        return "a conditional value is written 'a if condition else b'";
    case '\\':
        return "a backslash that joins lines is the last character of its line";
    default:
        return NULL;
    }
}

int
scan_bad_char(Parser *p, Loc at)
{
    unsigned char c = (unsigned char)p->text[at.begin];
    const char *what = c == '\\' ? "unexpected character after a backslash"
                       : c < 0x20 || c == 0x7f
                           ? arena_printf(&p->u->arena, "unexpected byte 0x%02x", c)
                           : arena_printf(&p->u->arena, "unexpected character '%c'", c);
    const char *help = char_help(p, at.begin);
    Diag *d = bad_token(p, D_SYNTAX, at, what);
    if (help) {
        bad_help(p, d, help);
    }
    return TIK_YYerror;
}

static uint32_t
code_point(const unsigned char *s, uint32_t n)
{
    uint32_t c = n == 2 ? s[0] & 0x1f : n == 3 ? s[0] & 0x0f : s[0] & 0x07;
    for (uint32_t i = 1; i < n; i++) {
        c = c << 6 | (s[i] & 0x3f);
    }
    return c;
}

static bool
is_odd_space(uint32_t c)
{
    return c == 0xa0 || (c >= 0x2000 && c <= 0x200f) || c == 0x202f || c == 0x3000 ||
           c == 0xfeff;
}

/* Reports a word with bytes outside ASCII, and takes it for a name. */
int
scan_bad_name(Parser *p, Loc at)
{
    uint32_t from = at.begin;
    while ((unsigned char)p->text[from] < 0x80) {
        from++;
    }
    uint32_t to = from + 1;
    while (to < at.end && ((unsigned char)p->text[to] & 0xc0) == 0x80) {
        to++;
    }
    uint32_t c = code_point((const unsigned char *)p->text + from, to - from);
    const char *what =
        arena_printf(&p->u->arena, "U+%04X '%.*s' is outside of strings and comments", c,
                     (int)(to - from), p->text + from);
    const char *advice =
        c > 0xff00 && c < 0xff5f
            ? arena_printf(&p->u->arena, "write the plain '%c'", (int)(c - 0xff00 + 0x20))
        : c >= 0x2018 && c <= 0x201f ? "write plain quotes: ' or \""
        : is_odd_space(c)            ? "write a plain space"
                                     : NULL;
    Diag *d = bad_token(p, D_ENCODING, (Loc){from, to}, what);
    if (advice) {
        bad_help(p, d, advice);
    }
    return NAME;
}

int
scan_bad_string(Parser *p, Loc at)
{
    uint32_t quote = at.begin;
    while (p->text[quote] != '"' && p->text[quote] != '\'') {
        quote++;
    }
    char c = p->text[quote];
    bool triple =
        at.end - quote >= 3 && p->text[quote + 1] == c && p->text[quote + 2] == c;
    if (triple) {
        const char *text = "the string that starts here has no closing triple quote";
        bad_token(p, D_UNTERMINATED, (Loc){at.begin, quote + 3}, text);
        return TIK_YYerror;
    }
    Diag *d = bad_token(p, D_UNTERMINATED, at, "the string does not end on its line");
    bad_help(p, d,
             c == '"'
                 ? "close it with '\"', or use triple quotes for text of several lines"
                 : "close it with \"'\", or use triple quotes for text of several lines");
    return TIK_YYerror;
}

int
scan_bad_number(Parser *p, Loc at)
{
    const char *s = p->text + at.begin;
    uint32_t n = at.end - at.begin;
    char last = s[n - 1];
    bool prefixed = n > 1 && s[0] == '0' && strchr("xXoObB", s[1]);
    bool zeros = s[0] == '0' && strspn(s, "0123456789_") >= n;
    bool imaginary = !prefixed && (last == 'j' || last == 'J');
    const char *fault = zeros       ? "has leading zeros"
                        : imaginary ? "is a complex number, which the language has not"
                                    : "is not a number";
    const char *text = arena_printf(&p->u->arena, "'%.*s' %s", (int)n, s, fault);
    Diag *d = bad_token(p, D_BAD_LITERAL, at, text);
    if (zeros) {
        bad_help(p, d, "write octal numbers as 0o17, decimal ones without the zeros");
    }
    return INT;
}

void
scan_comment(Parser *p, Loc at)
{
    const char *text = p->text + at.begin;
    const char *end = p->text + at.end;
    for (; !p->expression && end - text >= 5; text++) {
        if (memcmp(text, "tikc:", 5) == 0) {
            VEC_PUSH(p->scratch, &p->comments, at);
            return;
        }
    }
}
