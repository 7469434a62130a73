/* setting.c: reads the tests of a kernel. The file is a part of TOML: comments, KEY =
 * VALUE, in.TENSOR = VALUE, inline tables, arrays, and [[test]]; what it accepts means
 * the same to every reader of TOML. In comments of a kernel it is '# tikc: KEY=VALUE',
 * where the value goes to the end of the line. */
#include "driver/setting.h"

#include <string.h>

typedef struct Reader {
    Unit *u;
    uint32_t file;
    const char *text;
    uint32_t at, end;
    TestFile *out;
} Reader;

static Span
span_from(const Reader *r, uint32_t begin)
{
    return (Span){r->file, begin, MAX(r->at, begin + 1)};
}

static bool
wrong(const Reader *r, uint32_t begin, const char *text)
{
    diag_add(r->u, D_TEST_FILE, span_from(r, begin), 0, "%s", text);
    return false;
}

static bool
wrong_at(Reader *r, const char *text)
{
    return wrong(r, r->at, text);
}

static char
next(const Reader *r)
{
    return r->at < r->end ? r->text[r->at] : 0;
}

static bool
take(Reader *r, char c)
{
    bool is = r->at < r->end && r->text[r->at] == c;
    r->at += is;
    return is;
}

static void
skip_blanks(Reader *r)
{
    while (next(r) == ' ' || next(r) == '\t') {
        r->at++;
    }
}

static void
skip_comment(Reader *r)
{
    if (next(r) == '#') {
        while (r->at < r->end && next(r) != '\n') {
            r->at++;
        }
    }
}

/* Skips to the next thing, over ends of lines. */
static void
skip_lines(Reader *r)
{
    for (;;) {
        skip_blanks(r);
        skip_comment(r);
        if (!take(r, '\n') && !take(r, '\r')) {
            return;
        }
    }
}

static bool
is_bare(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '-';
}

/* ---- settings ------------------------------------------------------------ */

static Settings *
place(Reader *r)
{
    TestFile *f = r->out;
    return f->tests.n ? &f->tests.p[f->tests.n - 1].settings : &f->all;
}

static bool
is_same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Stores a setting. once: neither it nor another value of it was given before. */
static bool
add_setting(Reader *r, Setting s, bool once)
{
    Settings *to = place(r);
    for (uint32_t i = 0; once && i < to->n; i++) {
        if (strcmp(to->p[i].key, s.key) == 0 && is_same(to->p[i].sub, s.sub)) {
            return wrong(r, s.span.begin,
                         arena_printf(&r->u->arena, "'%s%s%s' is given twice", s.key,
                                      s.sub ? "." : "", s.sub ? s.sub : ""));
        }
    }
    if (strcmp(s.key, "name") == 0 && !s.sub && r->out->tests.n) {
        r->out->tests.p[r->out->tests.n - 1].name = s.value;
        return true;
    }
    VEC_PUSH(&r->u->arena, to, s);
    return true;
}

static void
add_test(Reader *r, const char *name)
{
    VEC_PUSH(&r->u->arena, &r->out->tests, ((TestSpec){.name = name}));
    r->out->wanted = true;
}

/* ---- TOML ---------------------------------------------------------------- */

/* Reads "basic" with its escapes, or 'literal'. */
static bool
read_string(Reader *r, const char **out)
{
    uint32_t begin = r->at;
    char quote = next(r);
    Text t;
    text_init(&t, &r->u->arena);
    r->at++;
    while (r->at < r->end && next(r) != quote && next(r) != '\n') {
        char c = r->text[r->at++];
        if (quote == '"' && c == '\\') {
            static const char escapes[] = "\"\"\\\\n\nt\t";
            char e = next(r);
            const char *known = e ? strchr(escapes, e) : NULL;
            if (!known || (known - escapes) % 2 != 0) {
                return wrong(r, r->at - 1, "a text has \\\", \\\\, \\n and \\t only");
            }
            c = known[1];
            r->at++;
        }
        text_putc(&t, c);
    }
    *out = t.p;
    return take(r, quote) || wrong(r, begin, "the text does not end on its line");
}

static bool
read_name(Reader *r, const char **out)
{
    if (next(r) == '"' || next(r) == '\'') {
        return read_string(r, out);
    }
    uint32_t begin = r->at;
    while (is_bare(next(r))) {
        r->at++;
    }
    *out = arena_strndup(&r->u->arena, r->text + begin, r->at - begin);
    return r->at > begin || wrong_at(r, "the line is neither KEY = VALUE nor [[test]]");
}

/* Reads a number or a word: true is a flag, whose value is null. */
static bool
read_bare(Reader *r, const char **out)
{
    uint32_t begin = r->at;
    while (is_bare(next(r)) || next(r) == '.' || next(r) == '+') {
        r->at++;
    }
    const char *word = arena_strndup(&r->u->arena, r->text + begin, r->at - begin);
    bool number = strspn(word, "+-.0123456789") > 0 || strcmp(word, "inf") == 0 ||
                  strcmp(word, "nan") == 0;
    *out = strcmp(word, "true") == 0 ? NULL : word;
    return number || !*out ||
           wrong(r, begin, "a value is a text in quotes, a number, true, [...] or {...}");
}

static bool
read_scalar(Reader *r, const char **out)
{
    return next(r) == '"' || next(r) == '\'' ? read_string(r, out) : read_bare(r, out);
}

/* Reads [VALUE, ...]; each value is a setting. */
static bool
read_array(Reader *r, Setting s)
{
    bool first = true;
    for (r->at++;; first = false) {
        skip_lines(r);
        if (take(r, ']')) {
            return true;
        }
        TRY(read_scalar(r, &s.value) && add_setting(r, s, first));
        skip_lines(r);
        if (!take(r, ',')) {
            return take(r, ']') || wrong_at(r, "a comma or ] is missing");
        }
    }
}

static bool
read_value(Reader *r, Setting s)
{
    if (next(r) == '[') {
        return read_array(r, s);
    }
    return read_scalar(r, &s.value) && add_setting(r, s, true);
}

static bool
read_equals(Reader *r)
{
    skip_blanks(r);
    if (!take(r, '=')) {
        return wrong_at(r, "'=' and a value are missing");
    }
    skip_blanks(r);
    return true;
}

/* Reads {KEY = VALUE, ...}. */
static bool
read_table(Reader *r, Setting s)
{
    r->at++;
    for (;;) {
        skip_blanks(r);
        TRY(read_name(r, &s.sub) && read_equals(r) && read_value(r, s));
        skip_blanks(r);
        if (!take(r, ',')) {
            return take(r, '}') || wrong_at(r, "a comma or } is missing");
        }
    }
}

static bool
read_pair(Reader *r)
{
    Setting s = {.span = {r->file, r->at, r->at + 1}};
    TRY(read_name(r, &s.key));
    if (take(r, '.')) {
        TRY(read_name(r, &s.sub));
    }
    s.span.end = r->at;
    TRY(read_equals(r));
    return next(r) == '{' && !s.sub ? read_table(r, s) : read_value(r, s);
}

static bool
read_header(Reader *r)
{
    static const char head[] = "[[test]]";
    if (r->end - r->at < sizeof head - 1 ||
        memcmp(r->text + r->at, head, sizeof head - 1) != 0) {
        return wrong_at(r, "the only table is [[test]]");
    }
    r->at += sizeof head - 1;
    add_test(r, NULL);
    return true;
}

bool
setting_read_toml(Unit *u, uint32_t file, TestFile *out)
{
    const Source *src = &u->sources.p[file];
    Reader r = {u, file, src->text, 0, src->len, out};
    out->wanted = true;
    for (skip_lines(&r); r.at < r.end; skip_lines(&r)) {
        TRY(next(&r) == '[' ? read_header(&r) : read_pair(&r));
        skip_blanks(&r);
        skip_comment(&r);
        if (r.at < r.end && next(&r) != '\n' && next(&r) != '\r') {
            return wrong_at(&r, "the line goes on after its value");
        }
    }
    return true;
}

/* ---- comments ------------------------------------------------------------ */

static bool
take_word(Reader *r, const char *word)
{
    size_t n = strlen(word);
    if (r->end - r->at < n || memcmp(r->text + r->at, word, n) != 0) {
        return false;
    }
    r->at += (uint32_t)n;
    return true;
}

/* Takes the rest of the line, without blanks at its end. */
static const char *
rest_of_line(Reader *r)
{
    skip_blanks(r);
    uint32_t begin = r->at, last = begin;
    for (; r->at < r->end && next(r) != '\n'; r->at++) {
        last = next(r) == ' ' || next(r) == '\t' || next(r) == '\r' ? last : r->at + 1;
    }
    return arena_strndup(&r->u->arena, r->text + begin, last - begin);
}

/* Reads what follows '# tikc:': allow(...) is not for tests. */
static bool
read_comment(Reader *r)
{
    skip_blanks(r);
    uint32_t begin = r->at;
    Setting s = {0};
    if (take_word(r, "allow(")) {
        return true;
    }
    TRY(read_name(r, &s.key));
    if (strcmp(s.key, "test") == 0 && next(r) != '=') {
        const char *name = rest_of_line(r);
        add_test(r, *name ? name : NULL);
        return true;
    }
    if (take(r, '.')) {
        TRY(read_name(r, &s.sub));
    }
    s.span = span_from(r, begin);
    skip_blanks(r);
    if (!take(r, '=')) {
        return wrong(r, begin,
                     "the comment has the form '# tikc: KEY=VALUE', '# tikc: test NAME' "
                     "or '# tikc: allow(NAME): reason'");
    }
    s.value = rest_of_line(r);
    r->out->wanted = r->out->wanted || strcmp(s.key, "in") == 0 ||
                     strcmp(s.key, "expect") == 0 || strcmp(s.key, "reference") == 0;
    return add_setting(r, s, strcmp(s.key, "in") != 0);
}

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Returns whether what is before s on its line is blank. */
static bool
begins_line(const char *text, const char *s)
{
    while (s > text && is_blank(s[-1])) {
        s--;
    }
    return s == text || s[-1] == '\n';
}

const char *
setting_find_comment(const char *text, const char *from, const char *end)
{
    static const char mark[] = "tikc:";
    const size_t n = sizeof mark - 1;
    while ((from = memchr(from, '#', (size_t)(end - from)))) {
        const char *sign = from++;
        while (from < end && is_blank(*from)) {
            from++;
        }
        if ((size_t)(end - from) >= n && memcmp(from, mark, n) == 0 &&
            begins_line(text, sign)) {
            return from + n;
        }
    }
    return NULL;
}

bool
setting_read_comments(Unit *u, uint32_t file, TestFile *out)
{
    const Source *src = &u->sources.p[file];
    Reader r = {u, file, src->text, 0, src->len, out};
    const char *end = src->text + src->len;
    const char *at = src->text;
    while ((at = setting_find_comment(src->text, at, end))) {
        r.at = (uint32_t)(at - src->text);
        TRY(read_comment(&r));
        at = memchr(src->text + r.at, '\n', src->len - r.at);
        at = at ? at : end;
    }
    return true;
}
