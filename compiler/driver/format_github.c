/* format_github.c: findings as the commands of GitHub workflows, which show them beside
 * the source. Few annotations of a step are shown, so the worst come first, and a table
 * of all goes to the summary of the job. */
#include "driver/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_ROWS = 200 /* of the table in the summary */
};

/* Puts a text as the data of a command; what ends a property is escaped in one. */
static void
put_data(const char *s, bool property, Text *out)
{
    for (; *s; s++) {
        bool escape = *s == '%' || *s == '\r' || *s == '\n' ||
                      (property && (*s == ':' || *s == ','));
        if (escape) {
            text_printf(out, "%%%02X", (unsigned char)*s);
        } else {
            text_putc(out, *s);
        }
    }
}

static void
put_place(Unit *u, Span span, Text *out)
{
    LineCol b = format_place(u, span, span.begin);
    LineCol e = format_place(u, span, MAX(span.end, span.begin));
    text_put(out, "file=");
    put_data(u->sources.p[span.file].path, true, out);
    if (b.line) {
        text_printf(out, ",line=%u,col=%u", b.line, b.column);
    }
    if (b.line && !u->sources.p[span.file].absent) {
        text_printf(out, ",endLine=%u,endColumn=%u", e.line, e.column);
    }
    text_putc(out, ',');
}

void
format_github_one(Unit *u, const Diag *d, bool colour, Text *out)
{
    (void)colour;
    text_printf(out, "::%s ",
                d->level == LEVEL_NOTE ? "notice" : diag_level_name(d->level));
    if (d->span.file) {
        put_place(u, d->span, out);
    }
    text_printf(out, "title=tikc %s::", diag_table[d->id].name);
    put_data(d->text, false, out);
    for (uint32_t i = 0; i < d->notes.n; i++) {
        put_data("\nnote: ", false, out);
        put_data(d->notes.p[i].text, false, out);
    }
    if (*diag_help_of(d)) {
        put_data("\nhelp: ", false, out);
        put_data(diag_help_of(d), false, out);
    }
    text_putc(out, '\n');
}

static void
put_level(const Findings *f, Level level, Text *out)
{
    for (uint32_t r = 0; r < f->reports.n; r++) {
        const Report *rep = f->reports.p[r];
        for (uint32_t i = 0; i < rep->list.n; i++) {
            if (rep->list.p[i].level == level) {
                text_putn(out, rep->list.p[i].text.p, rep->list.p[i].text.n);
            }
        }
    }
}

/* Puts a text into a cell of a table. */
static void
put_cell(const char *s, Text *out)
{
    for (; *s && *s != '\n'; s++) {
        text_put(out, *s == '|' ? "\\" : "");
        text_putc(out, *s);
    }
}

static void
put_table(const Findings *f, Text *out)
{
    int n = 0;
    text_put(out, "### tikc ");
    text_put(out, f->command);
    text_put(out, "\n\n");
    findings_summary(f, out);
    text_put(out, "\n\n");
    for (uint32_t r = 0; r < f->reports.n; r++) {
        const Report *rep = f->reports.p[r];
        for (uint32_t i = 0; i < rep->list.n && n < MOST_ROWS; i++) {
            const Finding *one = &rep->list.p[i];
            if (n++ == 0) {
                text_put(out, "| file | level | name | message |\n|---|---|---|---|\n");
            }
            text_put(out, "| ");
            put_cell(rep->path, out);
            text_printf(out, " | %s | %s | ", diag_level_name(one->level),
                        diag_table[one->id].name);
            put_cell(one->message, out);
            text_put(out, " |\n");
        }
    }
}

/* The workflow says in its environment where the summary of the job is. */
static void
append_summary(const Findings *f, Text *out)
{
    const char *path = getenv("GITHUB_STEP_SUMMARY");
    if (!path || !*path) {
        return;
    }
    Text t;
    text_init(&t, out->arena);
    put_table(f, &t);
    FILE *to = fopen(path, "a");
    bool ok = to && fwrite(t.p, 1, t.n, to) == t.n;
    if ((to && fclose(to) != 0) || !ok) {
        text_put(out,
                 "::warning title=tikc file-write::cannot write the job's summary, ");
        put_data(path, false, out);
        text_putc(out, '\n');
    }
}

void
format_github_document(const Findings *f, Text *out)
{
    put_level(f, LEVEL_ERROR, out);
    put_level(f, LEVEL_WARNING, out);
    put_level(f, LEVEL_NOTE, out);
    text_printf(out, "::notice title=tikc %s::", f->command);
    findings_summary(f, out);
    text_putc(out, '\n');
    append_summary(f, out);
}
