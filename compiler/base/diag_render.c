/* diag_render.c: renders diagnostics as text and JSON. It is the one place where they get
 * lines, columns and carets. See diag.h for the form. */
#include "base/unit.h"

#include <string.h>

enum {
    MAX_LINE = 120, /* number of bytes of a source line that are shown */
    /* number of steps of a long call chain that are shown next to the fault */
    CALLS_NEAR = 6,
    CALLS_FAR = 2, /* number of steps that are shown next to the top level */
    TAB = 4
};

/* What a part of a diagnostic looks like on a terminal, as the numbers of the escape
 * sequence say it. */
#define PLACE_LOOK  "1"
#define NOTE_LOOK   "1;36"
#define HELP_LOOK   "1;32"
#define CARET_LOOK  "1;32"
#define NORMAL_LOOK "0"

static void
look(DiagFormat format, const char *numbers, Text *out)
{
    if (format == DIAG_COLOUR) {
        text_printf(out, "\033[%sm", numbers);
    }
}

static const char *
level_look(Level l)
{
    return l == LEVEL_ERROR ? "1;31" : l == LEVEL_WARNING ? "1;35" : NOTE_LOOK;
}

/* Puts a word that begins a line, and a colon. */
static void
put_word(const char *word, const char *numbers, DiagFormat format, Text *out)
{
    look(format, numbers, out);
    text_printf(out, "%s:", word);
    look(format, NORMAL_LOOK, out);
    text_putc(out, ' ');
}

const char *
diag_level_name(Level l)
{
    return l == LEVEL_ERROR ? "error" : l == LEVEL_WARNING ? "warning" : "note";
}

/* Returns the length of the well-formed UTF-8 sequence at p, 0 if there is none. */
static int
utf8_length(const char *p, uint32_t n)
{
    const unsigned char *s = (const unsigned char *)p;
    int len = s[0] < 0x80 ? 1 : s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (len == 1) {
        return 1;
    }
    if (s[0] < 0xc2 || s[0] > 0xf4 || (uint32_t)len > n) {
        return 0;
    }
    for (int i = 1; i < len; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
    bool outside = (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf4 && s[1] > 0x8f);
    return overlong || outside ? 0 : len;
}

/* Puts one source character as printable text, whatever bytes the file holds: tabs become
 * spaces so that carets line up, bytes that are no text become '?'. Returns the number of
 * bytes that it read. */
static uint32_t
put_char(Text *out, const char *p, uint32_t n)
{
    int len = utf8_length(p, n);
    if (*p == '\t') {
        text_putn(out, "    ", TAB);
    } else if (len == 0 || (unsigned char)*p < 32 || *p == 127) {
        text_putc(out, '?');
    } else {
        text_putn(out, p, (size_t)len);
    }
    return len ? (uint32_t)len : 1;
}

/* Returns how many columns the bytes [from, to) of a line take. */
static int
shown_width(const char *line, uint32_t from, uint32_t to)
{
    int width = 0;
    while (from < to) {
        int len = utf8_length(line + from, to - from);
        width += line[from] == '\t' ? TAB : 1;
        from += len ? (uint32_t)len : 1;
    }
    return width;
}

/* Returns how many bytes at p are printable ASCII, which is put as it is. */
static uint32_t
plain_length(const char *p, uint32_t n)
{
    uint32_t i = 0;
    while (i < n && p[i] >= 32 && p[i] < 127) {
        i++;
    }
    return i;
}

/* Puts bytes of a source or a message as printable text. */
static void
put_bytes(Text *out, const char *p, uint32_t n)
{
    for (uint32_t i = 0; i < n;) {
        uint32_t plain = plain_length(p + i, n - i);
        text_putn(out, p + i, plain);
        i += plain;
        if (i < n) {
            i += put_char(out, p + i, n - i);
        }
    }
}

/* Puts a message, which may quote source bytes. */
static void
put_message(Text *out, const char *s)
{
    put_bytes(out, s, (uint32_t)strlen(s));
}

static void
put_place(Unit *u, Span span, DiagFormat format, Text *out)
{
    Source *src = &u->sources.p[span.file];
    look(format, PLACE_LOOK, out);
    if (span.file) {
        LineCol lc = source_line_col(&u->arena, src, span.begin);
        put_message(out, src->path);
        if (lc.line) {
            text_printf(out, ":%u:%u", lc.line, lc.column);
        }
    } else {
        text_put(out, "tikc");
    }
    text_putc(out, ':');
    look(format, NORMAL_LOOK, out);
    text_putc(out, ' ');
}

/* Returns the first byte of the character that covers byte at of a line. */
static uint32_t
char_begin(const char *line, uint32_t at)
{
    uint32_t begin = at;
    while (begin > 0 && at - begin < 3 && (line[begin] & 0xc0) == 0x80) {
        begin--;
    }
    return begin;
}

/* Puts the source line with carets under the span. Long lines are cut to a window around
 * it. */
static void
put_snippet(Unit *u, Span span, DiagFormat format, Text *out)
{
    Source *src = &u->sources.p[span.file];
    if (span.file == 0 || src->len == 0) {
        return;
    }
    LineCol lc = source_line_col(&u->arena, src, span.begin);
    uint32_t len;
    const char *line = source_line(&u->arena, src, lc.line, &len);
    uint32_t at = MIN(lc.column - 1, len);
    uint32_t from = at > MAX_LINE / 2 && len > MAX_LINE ? at - MAX_LINE / 2 : 0;
    uint32_t to = MIN(len, from + MAX_LINE);
    from = char_begin(line, from);
    to = to < len ? char_begin(line, to) : len;
    text_printf(out, "%6u | %s", lc.line, from ? "..." : "");
    put_bytes(out, line + from, to - from);
    text_printf(out, "%s\n       | %*s", to < len ? "..." : "",
                shown_width(line, from, at) + (from ? 3 : 0), "");
    look(format, CARET_LOOK, out);
    text_putc(out, '^');
    uint32_t end = MIN(to, at + (span.end > span.begin ? span.end - span.begin : 1));
    for (int w = shown_width(line, at, end); w > 1; w--) {
        text_putc(out, '~');
    }
    look(format, NORMAL_LOOK, out);
    text_putc(out, '\n');
}

const char *
diag_help_of(const Diag *d)
{
    return d->help ? d->help : diag_table[d->id].help;
}

static int
chain_length(const Unit *u, uint32_t chain)
{
    int n = 0;
    for (uint32_t c = chain; c; c = u->chains.p[c].parent) {
        n++;
    }
    return n;
}

/* Puts the call chain from the fault outwards; the middle of a long chain is left out. */
static void
render_calls(Unit *u, const Diag *d, DiagFormat format, Text *out)
{
    int n = chain_length(u, d->chain);
    int hidden = n > CALLS_NEAR + CALLS_FAR + 1 ? n - CALLS_NEAR - CALLS_FAR : 0;
    int i = 0;
    for (uint32_t c = d->chain; c; c = u->chains.p[c].parent, i++) {
        if (hidden && i == CALLS_NEAR) {
            put_word("note", NOTE_LOOK, format, out);
            text_printf(out, "%d more calls\n", hidden);
        }
        if (i < CALLS_NEAR || i >= CALLS_NEAR + hidden) {
            put_place(u, u->chains.p[c].call, format, out);
            const char *args = i < DIAG_ARGS ? d->args[i] : NULL;
            put_word("note", NOTE_LOOK, format, out);
            text_put(out, "called from here: '");
            put_message(out, u->chains.p[c].callee);
            text_put(out, args ? "' with " : "'");
            put_message(out, args ? args : "");
            text_putc(out, '\n');
        }
    }
}

static void
render_notes(Unit *u, const Diag *d, DiagFormat format, Text *out)
{
    for (uint32_t i = 0; i < d->notes.n; i++) {
        if (d->notes.p[i].span.file) {
            put_place(u, d->notes.p[i].span, format, out);
        }
        put_word("note", NOTE_LOOK, format, out);
        put_message(out, d->notes.p[i].text);
        text_putc(out, '\n');
    }
    if (d->others.n > DIAG_OTHERS) {
        uint32_t n = d->others.n - DIAG_OTHERS;
        put_word("note", NOTE_LOOK, format, out);
        text_printf(out, "and in %u%s more call%s\n", n,
                    d->others.n == DIAG_OTHERS_MAX ? " or" : "", n == 1 ? "" : "s");
    }
}

static void
render_text(Unit *u, const Diag *d, DiagFormat format, Text *out)
{
    put_place(u, d->span, format, out);
    put_word(diag_level_name(d->level), level_look(d->level), format, out);
    put_message(out, d->text);
    text_printf(out, " [%s]\n", diag_table[d->id].name);
    put_snippet(u, d->span, format, out);
    render_notes(u, d, format, out);
    render_calls(u, d, format, out);
    if (d->span.file &&
        *diag_table[d->id].rule) { /* a fault of the command line or a file has no rule */
        put_word("rule", HELP_LOOK, format, out);
        text_printf(out, "%s\n", diag_table[d->id].rule);
    }
    if (*diag_help_of(d)) {
        put_word("help", HELP_LOOK, format, out);
        put_message(out, diag_help_of(d));
        text_putc(out, '\n');
    }
}

/* Returns the length up to the next byte that JSON escapes; at least 1. */
static uint32_t
json_run(const char *s)
{
    uint32_t n = 1;
    while ((unsigned char)s[n] >= 32 && s[n] != '"' && s[n] != '\\') {
        n++;
    }
    return n;
}

void
diag_put_json(Text *out, const char *s)
{
    uint32_t n = (uint32_t)strlen(s);
    text_putc(out, '"');
    for (uint32_t i = 0; i < n;) {
        unsigned char c = (unsigned char)s[i];
        if (c == '"' || c == '\\') {
            text_putc(out, '\\');
            text_putc(out, s[i++]);
        } else if (c < 32) {
            text_printf(out, "\\u%04x", c);
            i++;
        } else {
            uint32_t run = json_run(s + i);
            put_bytes(out, s + i, run);
            i += run;
        }
    }
    text_putc(out, '"');
}

static void
put_json_span(Unit *u, Span span, Text *out)
{
    Source *src = &u->sources.p[span.file];
    text_put(out, "\"file\":");
    diag_put_json(out, span.file ? src->path : "");
    LineCol b = {0, 0};
    LineCol e = {0, 0};
    if (span.file) {
        b = source_line_col(&u->arena, src, span.begin);
        e = source_line_col(&u->arena, src, span.end);
    }
    text_printf(out, ",\"line\":%u,\"column\":%u,\"end_line\":%u,\"end_column\":%u",
                b.line, b.column, e.line, e.column);
}

static void
render_json(Unit *u, const Diag *d, Text *out)
{
    text_printf(out,
                "{\"version\":1,\"name\":\"%s\",\"level\":\"%s\",\"default\":\"%s\",",
                diag_table[d->id].name, diag_level_name(d->level),
                diag_level_name(diag_table[d->id].level));
    put_json_span(u, d->span, out);
    text_put(out, ",\"message\":");
    diag_put_json(out, d->text);
    text_put(out, ",\"rule\":");
    diag_put_json(out, diag_table[d->id].rule);
    text_put(out, ",\"help\":");
    diag_put_json(out, diag_help_of(d));
    text_put(out, ",\"notes\":[");
    for (uint32_t i = 0; i < d->notes.n; i++) {
        text_put(out, i ? ",{" : "{");
        put_json_span(u, d->notes.p[i].span, out);
        text_put(out, ",\"message\":");
        diag_put_json(out, d->notes.p[i].text);
        text_putc(out, '}');
    }
    text_put(out, "],\"calls\":[");
    for (uint32_t c = d->chain; c; c = u->chains.p[c].parent) {
        text_put(out, c == d->chain ? "{" : ",{");
        put_json_span(u, u->chains.p[c].call, out);
        text_put(out, ",\"callee\":");
        diag_put_json(out, u->chains.p[c].callee);
        text_putc(out, '}');
    }
    text_put(out, "],\"fixes\":[");
    for (uint32_t i = 0; i < d->fixes.n; i++) {
        text_put(out, i ? ",{" : "{");
        put_json_span(u, d->fixes.p[i].span, out);
        text_put(out, ",\"text\":");
        diag_put_json(out, d->fixes.p[i].text);
        text_putc(out, '}');
    }
    text_put(out, "]}\n");
}

static bool
comes_before(const Diag *a, const Diag *b)
{
    if (a->span.file != b->span.file) {
        return a->span.file < b->span.file;
    }
    return a->span.begin < b->span.begin;
}

/* Insertion sort is enough, since diagnostics are limited in number and mostly in order
 * already. */
void
diag_sort(Unit *u)
{
    for (uint32_t i = 1; i < u->diags.n; i++) {
        Diag *d = u->diags.p[i];
        uint32_t j = i;
        for (; j > 0 && comes_before(d, u->diags.p[j - 1]); j--) {
            u->diags.p[j] = u->diags.p[j - 1];
        }
        u->diags.p[j] = d;
    }
}

void
diag_render(Unit *u, const Diag *d, DiagFormat format, Text *out)
{
    if (format == DIAG_JSON) {
        render_json(u, d, out);
    } else {
        render_text(u, d, format, out);
    }
}

void
diag_render_all(Unit *u, DiagFormat format, Text *out)
{
    diag_sort(u);
    for (uint32_t i = 0; i < u->diags.n; i++) {
        diag_render(u, u->diags.p[i], format, out);
    }
    int64_t hidden = u->errors + u->warnings + u->remarks - u->diags.n;
    if (hidden > 0 && format != DIAG_JSON) {
        text_printf(out, "tikc: %lld more not shown\n", (long long)hidden);
    }
}
