/* test_found.c: what tests found as one document for all of them, SARIF or annotations.
 * Tests are processes of their own, so each gives its findings as lines: the row of the
 * diagnostic, its level, and what the format says of it. */
#include "driver/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
test_found_put(Unit *u, FormatId format, Text *out)
{
    diag_sort(u);
    for (uint32_t i = 0; i < u->diags.n; i++) {
        const Diag *d = u->diags.p[i];
        Text one;
        text_init(&one, &u->arena);
        (format == FORMAT_SARIF ? format_sarif_one : format_github_one)(u, d, false,
                                                                        &one);
        size_t n = one.n && one.p[one.n - 1] == '\n' ? one.n - 1 : one.n;
        text_printf(out, "%d %d ", (int)d->id, (int)d->level);
        text_putn(out, one.p, n);
        text_putc(out, '\n');
    }
}

/* Returns the findings of a test that says only in words what happened: it crashed, or
 * did not end. */
static const char *
found_in_words(const TestCase *t, FormatId format, Arena *a)
{
    Unit u;
    Text out;
    unit_init(&u);
    text_init(&out, a);
    size_t n = strcspn(t->text, "\n");
    diag_add(&u, D_TEST_FILE, unit_place(&u, t->file, (LineCol){0, 0}), 0, "%s: %.*s",
             t->title, (int)n, t->text);
    test_found_put(&u, format, &out);
    unit_free(&u);
    return out.p;
}

static void
read_finding(const char *line, size_t n, FormatId format, Report *r)
{
    char *rest;
    Finding f = {.message = ""};
    f.id = (DiagId)strtol(line, &rest, 10);
    f.level = (Level)strtol(rest, &rest, 10);
    text_init(&f.text, &r->arena);
    text_putn(&f.text, rest + 1, n - (size_t)(rest + 1 - line));
    text_put(&f.text, format == FORMAT_GITHUB ? "\n" : "");
    r->errors += f.level == LEVEL_ERROR;
    r->warnings += f.level == LEVEL_WARNING;
    VEC_PUSH(&r->arena, &r->list, f);
}

static Report *
report_of(const TestCase *t, FormatId format, Arena *a)
{
    Report *r = ARENA_NEW(a, Report);
    bool words = t->code != EXIT_CLEAN && !*t->found;
    r->path = t->title;
    r->code = t->code;
    for (const char *s = words ? found_in_words(t, format, a) : t->found; *s;) {
        size_t n = strcspn(s, "\n");
        read_finding(s, n, format, r);
        s += n + (s[n] == '\n');
    }
    return r;
}

void
test_found_end(const Cmd *c, const TestList *all, FormatId format, Text *out)
{
    Findings f;
    findings_begin(&f, format, false, c->command->name);
    for (uint32_t i = 0; i < all->cases.n; i++) {
        findings_add(&f, report_of(&all->cases.p[i], format, out->arena));
    }
    (format == FORMAT_SARIF ? format_sarif_document : format_github_document)(&f, out);
    for (uint32_t i = 0; i < f.reports.n; i++) {
        report_free(f.reports.p[i]);
    }
    arena_free(&f.arena);
}
