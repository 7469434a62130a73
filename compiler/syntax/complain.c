/* complain.c: words the errors of the front end for the user. The grammar says which
 * tokens it would have taken; the indentation filter knows the head of the line, the open
 * brackets and the tokens read before. From these the most likely fault is named. A line
 * has one report, after which the rest of it is skipped. */
#include "syntax/parser.h"

#include <string.h>

#include "tik.tab.h"

Diag *
complain(Parser *p, DiagId id, Loc at, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *text = arena_vprintf(&p->u->arena, fmt, ap);
    va_end(ap);
    if (p->sink && !p->failed) {
        p->sink->drop(p->sink->to);
    }
    p->failed = true;
    p->errors++;
    return diag_add(p->u, id, span_of(p, at), 0, "%s", text);
}

void
complain_help(Parser *p, Diag *d, const char *help)
{
    diag_help(p->u, d, "%s", help);
}

void
complain_note(Parser *p, Diag *d, Loc at, const char *text)
{
    diag_note(p->u, d, span_of(p, at), "%s", text);
}

const char *
complain_header(int head)
{
    switch (head) {
    case IF:
        return "the condition of 'if'";
    case ELIF:
        return "the condition of 'elif'";
    case WHILE:
        return "the condition of 'while'";
    case ELSE:
        return "'else'";
    case FOR:
        return "the sequence of 'for'";
    case WITH:
        return "the items of 'with'";
    case DEF:
        return "the head of 'def'";
    case CLASS:
        return "the head of 'class'";
    case TRY:
        return "'try'";
    case EXCEPT:
        return "'except'";
    case FINALLY:
        return "'finally'";
    default:
        return NULL;
    }
}

/* ---- what is there ------------------------------------------------------- */

/* The state of the parser when the grammar refused a token. */
typedef struct Scene {
    Parser *p;
    const Refused *r;
    Loc at; /* place of the token, or the end of the line */
    /* place of the token before it on the line; empty if it is the first */
    Loc previous;
    const char *found; /* "'x'" or "the end of the line" */
    bool line_end;
} Scene;

static bool
text_is(const Parser *p, Loc at, const char *word)
{
    return at.end - at.begin == strlen(word) &&
           memcmp(p->text + at.begin, word, strlen(word)) == 0;
}

static const char *
quote(Parser *p, Loc at)
{
    enum {
        LONGEST = 40
    };
    uint32_t n = at.end - at.begin;
    const char *s = p->text + at.begin;
    const char *nl = memchr(s, '\n', n);
    if (s[0] == '"' || s[0] == '\'' || (n > 1 && (s[n - 1] == '"' || s[n - 1] == '\''))) {
        return nl || n > LONGEST
                   ? "a string"
                   : arena_printf(&p->u->arena, "the string %.*s", (int)n, s);
    }
    if (n > LONGEST) {
        return arena_printf(&p->u->arena, "'%.*s...'", LONGEST, s);
    }
    return arena_printf(&p->u->arena, "'%.*s'", (int)n, s);
}

static Scene
make_scene(Parser *p, const Refused *r)
{
    Scene s = {.p = p, .r = r, .at = r->at, .previous = p->line.before_at};
    if (p->token == NEWLINE || p->token == END || p->missing_colon) {
        s.line_end = true;
        s.previous = p->line.last_at;
        s.found = p->nesting      ? "the end of the field"
                  : p->expression ? "the end of the text"
                                  : "the end of the line";
    } else {
        s.found = quote(p, r->at);
    }
    return s;
}

static bool
expects(const Scene *s, const char *token)
{
    for (int i = 0; i < s->r->n; i++) {
        if (strcmp(s->r->expected[i], token) == 0) {
            return true;
        }
    }
    return false;
}

static bool
expects_expression(const Scene *s)
{
    return expects(s, "an integer") && expects(s, "a name");
}

static bool
is_keyword(int token)
{
    return token >= FALSE && token <= YIELD;
}

/* Returns the text of the token before, in quotes, or null at the start of a line. */
static const char *
previous_text(const Scene *s)
{
    return s->previous.end > s->previous.begin ? quote(s->p, s->previous) : NULL;
}

static Diag *
report(const Scene *s, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *text = arena_vprintf(&s->p->u->arena, fmt, ap);
    va_end(ap);
    return complain(s->p, D_SYNTAX, s->at, "%s", text);
}

static void
help(const Scene *s, Diag *d, const char *text)
{
    complain_help(s->p, d, text);
}

/* ---- faults with a known cause; each says whether it was its own --------- */

/* Reports a bracket that does not fit the open one, or that closes nothing. */
static bool
wrong_bracket(const Scene *s)
{
    Parser *p = s->p;
    if (s->line_end || (p->token != ')' && p->token != ']' && p->token != '}')) {
        return false;
    }
    if (!p->closed.open) {
        report(s, "'%c' closes nothing: no bracket is open", p->token);
        return true;
    }
    char fits = p->closed.open == '(' ? ')' : p->closed.open == '[' ? ']' : '}';
    if (fits == p->token) {
        return false;
    }
    Diag *d = report(s, "'%c' does not close '%c'", p->token, p->closed.open);
    complain_note(p, d, p->closed.at,
                  arena_printf(&p->u->arena, "'%c' is opened here", p->closed.open));
    return true;
}

static bool
orphan(const Scene *s)
{
    Parser *p = s->p;
    if (p->line.head_at.begin != s->at.begin) {
        return false;
    }
    switch (p->token) {
    case ELSE:
        report(
            s,
            "'else' does not follow an 'if', 'for', 'while' or 'try' block of the same "
            "indentation");
        return true;
    case ELIF:
        report(s, "'elif' does not follow an 'if' block of the same indentation");
        return true;
    case EXCEPT:
        report(s, "'except' does not follow a 'try' block of the same indentation");
        return true;
    case FINALLY:
        report(s, "'finally' does not follow a 'try' block of the same indentation");
        return true;
    default:
        return false;
    }
}

/* Returns whether only blanks are before the offset on its physical line. */
static bool
first_on_line(const Parser *p, uint32_t at)
{
    while (at > p->begin && strchr(" \t\f", p->text[at - 1])) {
        at--;
    }
    return at == p->begin || p->text[at - 1] == '\n' || p->text[at - 1] == '\r';
}

/* Reports a bracket that was not closed. Inside brackets that were opened on an earlier
 * line, a token that starts a line and is not to the right of the statement's column is
 * most likely the next statement. */
static bool
open_bracket(Scene *s)
{
    Parser *p = s->p;
    const Bracket *b = &p->brackets[p->depth];
    bool odd = p->line.odd.begin > b->at.begin;
    bool here = first_on_line(p, s->at.begin) && indent_is_left(p, s->at);
    if (!p->depth || s->line_end || p->expression || !(odd || here)) {
        return false;
    }
    if (odd) {
        s->at = p->line.odd;
        s->found = quote(p, s->at);
    }
    char closing = b->open == '(' ? ')' : b->open == '[' ? ']' : '}';
    Diag *d = report(s, "expected '%c' before %s", closing, s->found);
    complain_note(p, d, b->at,
                  arena_printf(&p->u->arena, "'%c' is opened here", b->open));
    return true;
}

/* Reports spellings of other languages and of Python 2. */
static bool
foreign(const Scene *s)
{
    Parser *p = s->p;
    Loc pair = {s->previous.begin, s->at.end};
    bool adjacent = s->previous.end == s->at.begin && s->previous.end > s->previous.begin;
    if (adjacent && text_is(p, pair, "&&")) {
        help(s, report(s, "'&&' is not an operator"), "write 'and'");
    } else if (adjacent && text_is(p, pair, "||")) {
        help(s, report(s, "'||' is not an operator"), "write 'or'");
    } else if (adjacent && text_is(p, pair, "<>")) {
        help(s, report(s, "'<>' is not an operator"), "write '!='");
    } else if (p->token == IF && text_is(p, s->previous, "else") &&
               p->line.head == ELSE) {
        help(s, report(s, "expected ':' after 'else', found 'if'"), "write 'elif'");
    } else if (s->line_end && s->previous.end - s->previous.begin == 1 &&
               s->previous.begin > p->begin && strchr("+-", p->text[s->previous.begin]) &&
               p->text[s->previous.begin - 1] == p->text[s->previous.begin]) {
        help(s, report(s, "expected an expression, found the end of the line"),
             "'++' and '--' do not count; write '+= 1' or '-= 1'");
    } else {
        return false;
    }
    return true;
}

/* Reports print and exec as statements, which they were in Python 2. */
static bool
old_statement(const Scene *s)
{
    Parser *p = s->p;
    Loc head = p->line.head_at;
    if (p->line.head != NAME || s->previous.begin != head.begin || s->line_end ||
        !(text_is(p, head, "print") || text_is(p, head, "exec")) || p->token == '=') {
        return false;
    }
    Diag *d = report(s, "expected '(' after '%.*s', found %s",
                     (int)(head.end - head.begin), p->text + head.begin, s->found);
    complain_help(p, d,
                  arena_printf(&p->u->arena, "write %.*s(...)",
                               (int)(head.end - head.begin), p->text + head.begin));
    return true;
}

/* Reports match and case, which begin a statement only in newer Python. */
static bool
match_statement(const Scene *s)
{
    Parser *p = s->p;
    Loc head = p->line.head_at;
    if (p->line.head != NAME || s->previous.begin != head.begin || s->line_end ||
        !(text_is(p, head, "match") || text_is(p, head, "case"))) {
        return false;
    }
    Diag *d = report(s, "%.*s: match statements are not part of the language",
                     (int)(head.end - head.begin), p->text + head.begin);
    complain_help(p, d, "write if and elif");
    return true;
}

static bool
equals_sign(const Scene *s)
{
    Parser *p = s->p;
    if (s->line_end) {
        return false;
    }
    int head = p->line.head;
    if (p->token == '=' && p->depth == 0 &&
        (head == IF || head == ELIF || head == WHILE)) {
        help(s, report(s, "expected ':' after %s, found '='", complain_header(head)),
             "'=' assigns; compare with '=='");
        return true;
    }
    if (p->token == '=' && p->depth && !p->nesting) {
        Diag *d = report(s, "unexpected '=' inside brackets");
        help(s, d, "compare with '=='; the name of a keyword argument is a plain name");
        return true;
    }
    if (p->token == WALRUS && p->depth == 0) {
        help(s, report(s, "':=' is allowed inside brackets only"),
             "a statement assigns with '='");
        return true;
    }
    return false;
}

static bool
keyword_as_name(const Scene *s)
{
    Parser *p = s->p;
    if (s->line_end || !is_keyword(p->token) || !expects(s, "a name") ||
        expects_expression(s)) {
        return false;
    }
    help(s, report(s, "expected a name, found the keyword %s", s->found),
         "keywords cannot be used as names");
    return true;
}

static bool
statement_in_expression(const Scene *s)
{
    Parser *p = s->p;
    if (s->line_end || !is_keyword(p->token) || !expects_expression(s)) {
        return false;
    }
    const char *before = previous_text(s);
    if (before) {
        report(s, "expected an expression after %s, found the keyword %s", before,
               s->found);
    } else {
        report(s, "a statement cannot start with %s", s->found);
    }
    return true;
}

/* Reports `class = 3`: a keyword at the start of the line that was meant as a name. */
static bool
keyword_assigned(const Scene *s)
{
    Parser *p = s->p;
    if (p->token != '=' || s->line_end || p->depth ||
        s->previous.begin != p->line.head_at.begin || !is_keyword(p->line.head)) {
        return false;
    }
    Diag *d =
        complain(p, D_SYNTAX, p->line.head_at,
                 "%s is a keyword and cannot be assigned to", quote(p, p->line.head_at));
    help(s, d, "choose another name");
    return true;
}

static bool
except_list(const Scene *s)
{
    if (s->p->token != ',' || s->line_end || s->p->line.head != EXCEPT || s->p->depth) {
        return false;
    }
    help(s, report(s, "expected ':' after 'except', found ','"),
         "several exceptions stand in brackets: except (A, B):");
    return true;
}

static bool
raise_list(const Scene *s)
{
    if (s->p->token != ',' || s->line_end || s->p->line.head != RAISE || s->p->depth) {
        return false;
    }
    help(s, report(s, "expected the end of the statement, found ','"),
         "the text is an argument of the exception: raise ValueError(\"...\")");
    return true;
}

static bool
after_decorator(const Scene *s)
{
    if (!expects(s, "'def'") || !expects(s, "'class'") || expects_expression(s)) {
        return false;
    }
    report(s, "expected 'def' or 'class' after a decorator, found %s", s->found);
    return true;
}

/* ---- what was expected --------------------------------------------------- */

static void
expected_in_bracket(const Scene *s)
{
    Parser *p = s->p;
    const Bracket *b = &p->brackets[p->depth];
    char closing = b->open == '(' ? ')' : b->open == '[' ? ']' : '}';
    const char *other = expects(s, "','")      ? "',' or "
                        : expects(s, "a name") ? "a name or "
                                               : "";
    Diag *d = report(s, "expected %s'%c', found %s", other, closing, s->found);
    complain_note(p, d, b->at,
                  arena_printf(&p->u->arena, "'%c' is opened here", b->open));
}

static void
expected_expression(const Scene *s)
{
    const char *before = previous_text(s);
    if (before) {
        report(s, "expected an expression after %s, found %s", before, s->found);
    } else {
        report(s, "a statement cannot start with %s", s->found);
    }
}

static const char *
closing_name(const Scene *s)
{
    if (!s->p->depth) {
        return NULL;
    }
    char open = s->p->brackets[s->p->depth].open;
    const char *name = open == '(' ? "')'" : open == '[' ? "']'" : "'}'";
    return expects(s, name) ? name : NULL;
}

static bool
inside_braces(const Scene *s)
{
    const Parser *p = s->p;
    char open = p->token == '}' ? p->closed.open : p->brackets[p->depth].open;
    return open == '{';
}

/* Returns up to three token names, joined: "'(' or ':'". */
static const char *
list_expected(const Scene *s)
{
    Text t;
    text_init(&t, &s->p->u->arena);
    for (int i = 0; i < s->r->n; i++) {
        text_put(&t, i == 0 ? "" : i + 1 == s->r->n ? " or " : ", ");
        text_put(&t, s->r->expected[i]);
    }
    return t.p;
}

static void
expected_something(const Scene *s)
{
    Parser *p = s->p;
    const char *header = p->depth == 0 ? complain_header(p->line.head) : NULL;
    if (header && expects(s, "':'") && !expects_expression(s)) {
        report(s, "expected ':' after %s, found %s", header, s->found);
    } else if (closing_name(s) && !expects_expression(s)) {
        expected_in_bracket(s);
    } else if (inside_braces(s) && expects(s, "':'") && !expects_expression(s)) {
        report(s, "expected ':' and a value after the key of a dict, found %s", s->found);
    } else if (expects(s, "the end of the file") && !expects_expression(s)) {
        report(s, "expected the end of the %s, found %s",
               p->nesting ? "field" : "expression", s->found);
    } else if (expects_expression(s)) {
        expected_expression(s);
    } else if (s->r->n > 0 && s->r->n <= 3 && !expects(s, "the end of the line")) {
        const char *before = previous_text(s);
        report(s, "expected %s%s%s, found %s", list_expected(s), before ? " after " : "",
               before ? before : "", s->found);
    } else if (expects(s, "the end of the line")) {
        report(s, "expected the end of the statement, found %s", s->found);
    } else {
        report(s, "unexpected %s", s->found);
    }
}

void
complain_refused(Parser *p, const Refused *r)
{
    /* the skipped rest of a line has no faults of its own */
    if (!p->line.reported && !p->stopped) {
        Scene s = make_scene(p, r);
        bool known = wrong_bracket(&s) || orphan(&s) || keyword_assigned(&s) ||
                     open_bracket(&s) || foreign(&s) || old_statement(&s) ||
                     match_statement(&s) || equals_sign(&s) || except_list(&s) ||
                     raise_list(&s) || after_decorator(&s) || keyword_as_name(&s) ||
                     statement_in_expression(&s);
        if (!known) {
            expected_something(&s);
        }
    }
    p->failed = true;
    indent_fail_line(p);
}
