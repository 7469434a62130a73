/* diag_render.c: diagnostics to text and JSON, the one place where they get lines, columns and
 * carets. See diag.h for the form. */
#include "base/unit.h"

#include <string.h>

enum {
    MAX_LINE = 160,
    TAB = 4
};

static const char *
level_name(Level l)
{
    return l == LEVEL_ERROR ? "error" : "warning";
}

static void
put_place(Unit *u, Span span, Text *out)
{
    Source *src = &u->sources.p[span.file];
    if (span.file == 0) {
        text_put(out, "tikc: ");
        return;
    }
    LineCol lc = source_line_col(&u->arena, src, span.begin);
    text_printf(out, "%s:%u:%u: ", src->path, lc.line, lc.column);
}

/* One source byte as printable text; tabs become spaces so that carets line up. */
static void
put_byte(Text *out, char c)
{
    if (c == '\t') {
        text_putn(out, "    ", TAB);
    } else if ((unsigned char)c < 32 || c == 127) {
        text_putc(out, '?');
    } else {
        text_putc(out, c);
    }
}

static int
shown_width(char c)
{
    /* Continuation bytes of UTF-8 take no column. */
    return c == '\t' ? TAB : ((unsigned char)c & 0xc0) == 0x80 ? 0 : 1;
}

/* The source line with a caret span. Long lines are cut to a window around the span. */
static void
put_snippet(Unit *u, Span span, Text *out)
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
    text_printf(out, "%6u | ", lc.line);
    for (uint32_t i = from; i < to; i++) {
        put_byte(out, line[i]);
    }
    text_put(out, "\n       | ");
    for (uint32_t i = from; i < at; i++) {
        for (int w = shown_width(line[i]); w > 0; w--) {
            text_putc(out, ' ');
        }
    }
    text_putc(out, '^');
    uint32_t end = MIN(to, at + (span.end > span.begin ? span.end - span.begin : 1));
    for (uint32_t i = at + 1; i < end; i++) {
        for (int w = shown_width(line[i]); w > 0; w--) {
            text_putc(out, '~');
        }
    }
    text_putc(out, '\n');
}

static const char *
help_of(const Diag *d)
{
    return d->help ? d->help : diag_table[d->id].help;
}

static void
render_calls(Unit *u, const Diag *d, Text *out)
{
    int shown = 0;
    for (uint32_t c = d->chain; c && shown < 8; c = u->chains.p[c].parent, shown++) {
        put_place(u, u->chains.p[c].call, out);
        text_printf(out, "note: called from here: '%s'\n", u->chains.p[c].callee);
    }
}

static void
render_text(Unit *u, const Diag *d, Text *out)
{
    put_place(u, d->span, out);
    text_printf(out, "%s: %s [%s]\n", level_name(d->level), d->text,
                diag_table[d->id].name);
    put_snippet(u, d->span, out);
    for (uint32_t i = 0; i < d->notes.n; i++) {
        put_place(u, d->notes.p[i].span, out);
        text_printf(out, "note: %s\n", d->notes.p[i].text);
    }
    render_calls(u, d, out);
    if (*diag_table[d->id].rule) {
        text_printf(out, "rule: %s\n", diag_table[d->id].rule);
    }
    if (*help_of(d)) {
        text_printf(out, "help: %s\n", help_of(d));
    }
}

static void
put_json_string(Text *out, const char *s)
{
    text_putc(out, '"');
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\') {
            text_putc(out, '\\');
            text_putc(out, *s);
        } else if (c < 32) {
            text_printf(out, "\\u%04x", c);
        } else {
            text_putc(out, *s);
        }
    }
    text_putc(out, '"');
}

static void
put_json_span(Unit *u, Span span, Text *out)
{
    Source *src = &u->sources.p[span.file];
    text_put(out, "\"file\":");
    put_json_string(out, span.file ? src->path : "");
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
    text_printf(out, "{\"version\":1,\"name\":\"%s\",\"level\":\"%s\",",
                diag_table[d->id].name, level_name(d->level));
    put_json_span(u, d->span, out);
    text_put(out, ",\"message\":");
    put_json_string(out, d->text);
    text_put(out, ",\"rule\":");
    put_json_string(out, diag_table[d->id].rule);
    text_put(out, ",\"help\":");
    put_json_string(out, help_of(d));
    text_put(out, ",\"notes\":[");
    for (uint32_t i = 0; i < d->notes.n; i++) {
        text_put(out, i ? ",{" : "{");
        put_json_span(u, d->notes.p[i].span, out);
        text_put(out, ",\"message\":");
        put_json_string(out, d->notes.p[i].text);
        text_putc(out, '}');
    }
    text_put(out, "],\"calls\":[");
    for (uint32_t c = d->chain; c; c = u->chains.p[c].parent) {
        text_put(out, c == d->chain ? "{" : ",{");
        put_json_span(u, u->chains.p[c].call, out);
        text_put(out, ",\"callee\":");
        put_json_string(out, u->chains.p[c].callee);
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

/* Stable order by position: insertion sort, since diagnostics are limited in number and mostly in
 * order already. */
static void
sort_diags(Unit *u)
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
diag_render_all(Unit *u, DiagFormat format, Text *out)
{
    sort_diags(u);
    for (uint32_t i = 0; i < u->diags.n; i++) {
        if (format == DIAG_JSON) {
            render_json(u, u->diags.p[i], out);
        } else {
            render_text(u, u->diags.p[i], out);
        }
    }
    int64_t hidden = u->errors + u->warnings - u->diags.n;
    if (hidden > 0 && format == DIAG_TEXT) {
        text_printf(out, "tikc: %lld more not shown\n", (long long)hidden);
    }
}
