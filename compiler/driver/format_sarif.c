/* format_sarif.c: findings as one document of the Static Analysis Results Interchange
 * Format 2.1.0. A finding is told from others of its rule by a fingerprint of its message
 * and its source line, not of the line's number, so that it stays the same finding when
 * lines are added before it. */
#include "driver/driver.h"

#include <string.h>

enum {
    MOST_RESULTS = 25000, /* what viewers take */
    MOST_PLACES = 100     /* notes and calls of a result that they show */
};

#define FINGERPRINT "tikcFinding/v1"

/* ---- one result ---------------------------------------------------------- */

static void
put_uri(const char *path, Text *out)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                "0123456789-._~/";
    text_put(out, path[0] == '/' ? "\"file://" : "\"");
    for (const char *s = path; *s; s++) {
        if (strchr(plain, *s)) {
            text_putc(out, *s);
        } else {
            text_printf(out, "%%%02X", (unsigned char)*s);
        }
    }
    text_putc(out, '"');
}

static void
put_region(Unit *u, Span span, Text *out)
{
    LineCol b = format_place(u, span, span.begin);
    LineCol e = format_place(u, span, MAX(span.end, span.begin));
    if (b.line == 0) {
        return;
    }
    json_open(out, "region", '{');
    json_number(out, "startLine", b.line);
    json_number(out, "startColumn", b.column);
    if (!u->sources.p[span.file].absent) {
        json_number(out, "endLine", e.line);
        json_number(out, "endColumn", e.column);
    }
    json_close(out, '}');
}

/* Puts a location; a message may be null. */
static void
put_location(Unit *u, Span span, const char *message, Text *out)
{
    json_open(out, NULL, '{');
    json_open(out, "physicalLocation", '{');
    json_open(out, "artifactLocation", '{');
    json_key(out, "uri");
    put_uri(u->sources.p[span.file].path, out);
    json_close(out, '}');
    put_region(u, span, out);
    json_close(out, '}');
    if (message) {
        json_open(out, "message", '{');
        json_text(out, "text", message);
        json_close(out, '}');
    }
    json_close(out, '}');
}

static void
put_related(Unit *u, const Diag *d, Text *out)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < d->notes.n && n < MOST_PLACES; i++) {
        if (d->notes.p[i].span.file) {
            if (n++ == 0) {
                json_open(out, "relatedLocations", '[');
            }
            put_location(u, d->notes.p[i].span, d->notes.p[i].text, out);
        }
    }
    if (n) {
        json_close(out, ']');
    }
}

/* The calls that led there, the innermost first. */
static void
put_stack(Unit *u, const Diag *d, Text *out)
{
    if (!d->chain) {
        return;
    }
    int n = 0;
    json_open(out, "stacks", '[');
    json_open(out, NULL, '{');
    json_open(out, "frames", '[');
    for (uint32_t c = d->chain; c && n < MOST_PLACES; c = u->chains.p[c].parent, n++) {
        json_open(out, NULL, '{');
        json_key(out, "location");
        text_put(out, "{\"logicalLocations\":[{\"name\":");
        diag_put_json(out, u->chains.p[c].callee);
        text_put(out, "}]");
        if (u->chains.p[c].call.file) {
            text_put(out, ",\"physicalLocation\":{\"artifactLocation\":{\"uri\":");
            put_uri(u->sources.p[u->chains.p[c].call.file].path, out);
            text_putc(out, '}');
            put_region(u, u->chains.p[c].call, out);
            text_putc(out, '}');
        }
        text_putc(out, '}');
        json_close(out, '}');
    }
    json_close(out, ']');
    json_close(out, '}');
    json_close(out, ']');
}

/* All replacements of a fix are in one file. */
static void
put_fix(Unit *u, const Diag *d, Text *out)
{
    if (d->fixes.n == 0) {
        return;
    }
    json_open(out, "fixes", '[');
    json_open(out, NULL, '{');
    json_open(out, "artifactChanges", '[');
    for (uint32_t i = 0; i < d->fixes.n; i++) {
        const DiagFix *f = &d->fixes.p[i];
        LineCol b = format_place(u, f->span, f->span.begin);
        LineCol e = format_place(u, f->span, f->span.end);
        json_open(out, NULL, '{');
        json_open(out, "artifactLocation", '{');
        json_key(out, "uri");
        put_uri(u->sources.p[f->span.file].path, out);
        json_close(out, '}');
        text_printf(out,
                    ",\"replacements\":[{\"deletedRegion\":{\"startLine\":%u,"
                    "\"startColumn\":%u,\"endLine\":%u,\"endColumn\":%u},"
                    "\"insertedContent\":{\"text\":",
                    b.line, b.column, e.line, e.column);
        diag_put_json(out, f->text);
        text_put(out, "}}]");
        json_close(out, '}');
    }
    json_close(out, ']');
    json_close(out, '}');
    json_close(out, ']');
}

static uint64_t
hash(uint64_t h, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (s[i] != ' ' && s[i] != '\t') {
            h = (h ^ (unsigned char)s[i]) * 1099511628211u;
        }
    }
    return h * 1099511628211u;
}

static uint64_t
fingerprint(Unit *u, const Diag *d)
{
    Source *src = &u->sources.p[d->span.file];
    uint64_t h = hash(14695981039346656037u, diag_table[d->id].name,
                      strlen(diag_table[d->id].name));
    h = hash(h, d->text, strlen(d->text));
    if (d->span.file && !src->absent && src->len) {
        uint32_t len;
        LineCol at = source_line_col(&u->arena, src, d->span.begin);
        const char *line = source_line(&u->arena, src, at.line, &len);
        h = hash(h, line, len);
    }
    return h;
}

/* Puts the message: the text, then the help, and notes that have no place. */
static void
put_message(Unit *u, const Diag *d, Text *out)
{
    Text t;
    text_init(&t, &u->arena);
    text_put(&t, d->text);
    for (uint32_t i = 0; i < d->notes.n; i++) {
        if (!d->notes.p[i].span.file) {
            text_printf(&t, "\n%s", d->notes.p[i].text);
        }
    }
    if (*diag_help_of(d)) {
        text_printf(&t, "\nhelp: %s", diag_help_of(d));
    }
    json_open(out, "message", '{');
    json_text(out, "text", t.p);
    json_close(out, '}');
}

void
format_sarif_one(Unit *u, const Diag *d, bool colour, Text *out)
{
    (void)colour;
    json_open(out, NULL, '{');
    json_text(out, "ruleId", diag_table[d->id].name);
    json_text(out, "level", diag_level_name(d->level));
    put_message(u, d, out);
    if (d->span.file) {
        json_open(out, "locations", '[');
        put_location(u, d->span, NULL, out);
        json_close(out, ']');
    }
    json_open(out, "partialFingerprints", '{');
    json_key(out, FINGERPRINT);
    text_printf(out, "\"%016llx\"", (unsigned long long)fingerprint(u, d));
    json_close(out, '}');
    put_related(u, d, out);
    put_stack(u, d, out);
    put_fix(u, d, out);
    json_close(out, '}');
}

/* ---- the document -------------------------------------------------------- */

static void
put_rules(const Findings *f, int *index, Text *out)
{
    bool used[DIAG_COUNT] = {false};
    for (uint32_t r = 0; r < f->reports.n; r++) {
        for (uint32_t i = 0; i < f->reports.p[r]->list.n; i++) {
            used[f->reports.p[r]->list.p[i].id] = true;
        }
    }
    int n = 0;
    json_open(out, "rules", '[');
    for (int id = 0; id < DIAG_COUNT; id++) {
        if (!used[id]) {
            continue;
        }
        const DiagInfo *d = &diag_table[id];
        index[id] = n++;
        json_open(out, NULL, '{');
        json_text(out, "id", d->name);
        json_open(out, "shortDescription", '{');
        json_text(out, "text", *d->rule ? d->rule : d->name);
        json_close(out, '}');
        if (*d->help) {
            json_open(out, "help", '{');
            json_text(out, "text", d->help);
            json_close(out, '}');
        }
        json_open(out, "defaultConfiguration", '{');
        json_text(out, "level", diag_level_name(d->level));
        json_close(out, '}');
        json_close(out, '}');
    }
    json_close(out, ']');
}

/* Puts a result with what only the whole document knows. */
static void
put_result(const Report *r, const Finding *one, const int *index, Text *out)
{
    json_key(out, NULL);
    text_putn(out, one->text.p, one->text.n - 1); /* without its bracket */
    json_number(out, "ruleIndex", index[one->id]);
    if (r->socs.n > 1) {
        json_open(out, "properties", '{');
        json_open(out, "processors", '[');
        for (uint32_t i = 0; i < one->socs.n; i++) {
            json_text(out, NULL, one->socs.p[i]);
        }
        json_close(out, ']');
        json_close(out, '}');
    }
    json_close(out, '}');
}

static void
put_results(const Findings *f, const int *index, Text *out)
{
    int n = 0;
    json_open(out, "results", '[');
    for (uint32_t r = 0; r < f->reports.n; r++) {
        const Report *rep = f->reports.p[r];
        for (uint32_t i = 0; i < rep->list.n && n < MOST_RESULTS; i++, n++) {
            put_result(rep, &rep->list.p[i], index, out);
        }
    }
    json_close(out, ']');
}

void
format_sarif_document(const Findings *f, Text *out)
{
    int index[DIAG_COUNT] = {0};
    Text sum;
    text_init(&sum, out->arena);
    findings_summary(f, &sum);
    text_put(out, "{\"version\":\"2.1.0\",\"$schema\":\"https://json.schemastore.org/"
                  "sarif-2.1.0.json\",\"runs\":[");
    json_open(out, NULL, '{');
    json_open(out, "tool", '{');
    json_open(out, "driver", '{');
    json_text(out, "name", "tikc");
    json_text(out, "version", TIKC_VERSION);
    put_rules(f, index, out);
    json_close(out, '}');
    json_close(out, '}');
    json_text(out, "columnKind", "unicodeCodePoints");
    put_results(f, index, out);
    json_open(out, "properties", '{');
    json_text(out, "summary", sum.p);
    json_close(out, '}');
    json_close(out, '}');
    text_put(out, "]}\n");
}
