/* findings.c: keeps and prints what commands found. See findings.h. */
#include "driver/driver.h"

#include <stdio.h>
#include <string.h>

typedef struct Format {
    const char *word;
    void (*one)(Unit *u, const Diag *d, bool colour, Text *out);
    void (*document)(const Findings *f, Text *out);
} Format;

static const Format formats[FORMAT_COUNT] = {
#define FORMAT(id, word, one, document, what) [FORMAT_##id] = {word, one, document},
#include "driver/format.def"
};

bool
format_find(const char *word, FormatId *out)
{
    for (int i = 0; i < FORMAT_COUNT; i++) {
        if (strcmp(formats[i].word, word) == 0) {
            *out = (FormatId)i;
            return true;
        }
    }
    return false;
}

void
format_list(int n, Text *out)
{
    for (int i = 0; i < n; i++) {
        text_put(out, i == 0 ? "" : i == n - 1 ? " or " : ", ");
        text_put(out, formats[i].word);
    }
}

void
format_text_one(Unit *u, const Diag *d, bool colour, Text *out)
{
    diag_render(u, d, colour ? DIAG_COLOUR : DIAG_TEXT, out);
}

void
format_json_one(Unit *u, const Diag *d, bool colour, Text *out)
{
    (void)colour;
    diag_render(u, d, DIAG_JSON, out);
}

LineCol
format_place(Unit *u, Span span, uint32_t offset)
{
    Source *src = &u->sources.p[span.file];
    LineCol at = source_line_col(&u->arena, src, offset);
    if (src->absent || at.line == 0) {
        return at;
    }
    uint32_t len, column = 1;
    const char *line = source_line(&u->arena, src, at.line, &len);
    for (uint32_t i = 0; i + 1 < at.column && i < len; i++) {
        column += ((unsigned char)line[i] & 0xc0) != 0x80;
    }
    return (LineCol){at.line, column};
}

/* ---- one report ---------------------------------------------------------- */

static void
take_proofs(Report *r, const Unit *u)
{
    r->kernels = u->kernels.n;
    for (uint32_t i = 0; i < u->kernels.n; i++) {
        for (int p = 0; p < 3; p++) {
            r->proofs[p] += u->kernels.p[i]->proofs[p];
        }
    }
}

void
report_take(Report *r, Unit *u, FormatId format, bool colour, const char *soc)
{
    diag_sort(u);
    soc = soc ? arena_strdup(&r->arena, soc) : NULL;
    r->errors = u->errors;
    r->warnings = u->warnings;
    r->remarks = u->remarks;
    r->hidden = u->errors + u->warnings + u->remarks - u->diags.n;
    take_proofs(r, u);
    text_init(&r->log, &r->arena);
    text_putn(&r->log, u->log.p ? u->log.p : "", u->log.n);
    if (soc) {
        VEC_PUSH(&r->arena, &r->socs, soc);
    }
    if (soc && u->errors) {
        VEC_PUSH(&r->arena, &r->refused, soc);
    }
    for (uint32_t i = 0; i < u->diags.n; i++) {
        const Diag *d = u->diags.p[i];
        Finding one = {d->id, d->level, arena_strdup(&r->arena, d->text), {0}, {0}};
        text_init(&one.text, &r->arena);
        formats[format].one(u, d, colour, &one.text);
        if (soc) {
            VEC_PUSH(&r->arena, &one.socs, soc);
        }
        VEC_PUSH(&r->arena, &r->list, one);
    }
}

static Finding *
find_equal(Report *r, const Finding *f)
{
    for (uint32_t i = 0; i < r->list.n; i++) {
        Finding *have = &r->list.p[i];
        if (have->id == f->id && have->level == f->level && have->text.n == f->text.n &&
            memcmp(have->text.p, f->text.p, f->text.n) == 0) {
            return have;
        }
    }
    return NULL;
}

static void
count_finding(Report *r, Level level)
{
    *(level == LEVEL_ERROR     ? &r->errors
      : level == LEVEL_WARNING ? &r->warnings
                               : &r->remarks) += 1;
}

/* Adds copies of names that are not there: a file may have several calls. */
static void
add_names(Arena *a, Names *into, const Names *other)
{
    for (uint32_t i = 0; i < other->n; i++) {
        bool have = false;
        for (uint32_t j = 0; j < into->n && !have; j++) {
            have = strcmp(into->p[j], other->p[i]) == 0;
        }
        if (!have) {
            VEC_PUSH(a, into, arena_strdup(a, other->p[i]));
        }
    }
}

void
report_merge(Report *into, const Report *other)
{
    for (uint32_t i = 0; i < other->list.n; i++) {
        const Finding *f = &other->list.p[i];
        Finding *have = find_equal(into, f);
        if (!have) {
            Finding copy = {
                f->id, f->level, arena_strdup(&into->arena, f->message), {0}, {0}};
            text_init(&copy.text, &into->arena);
            text_putn(&copy.text, f->text.p, f->text.n);
            VEC_PUSH(&into->arena, &into->list, copy);
            have = &into->list.p[into->list.n - 1];
            count_finding(into, f->level);
        }
        add_names(&into->arena, &have->socs, &f->socs);
    }
    add_names(&into->arena, &into->socs, &other->socs);
    add_names(&into->arena, &into->refused, &other->refused);
    if (other->figures.n) {
        text_put(&into->figures, into->figures.n ? ",\n" : "");
        text_put(&into->figures, other->figures.p);
    }
    into->kernels += other->kernels;
    for (int p = 0; p < 3; p++) {
        into->proofs[p] += other->proofs[p];
    }
    into->hidden = MAX(into->hidden, other->hidden);
    into->code = MAX(into->code, other->code);
}

void
report_free(Report *r)
{
    arena_free(&r->arena);
}

/* ---- printing ------------------------------------------------------------ */

/* Puts the names of processors, or of how many if they are many. */
static void
put_socs(const char *before, const char *const *socs, uint32_t n, Text *out)
{
    text_put(out, before);
    for (uint32_t i = 0; i < n; i++) {
        text_printf(out, "%s%s", i ? ", " : "", socs[i]);
    }
    text_putc(out, '\n');
}

/* Prints a finding; where not all processors have it, those that do follow: in a line of
 * a text, or a member of an object. */
static void
put_finding(const Findings *f, const Report *r, const Finding *one, Text *out)
{
    size_t n = one->text.n;
    bool some = one->socs.n > 0 && r->socs.n > 1;
    if (some && f->format == FORMAT_JSON) {
        text_putn(out, one->text.p, n - 2); /* the bracket and the line end */
        text_put(out, ",\"processors\":[");
        for (uint32_t i = 0; i < one->socs.n; i++) {
            text_printf(out, "%s\"%s\"", i ? "," : "", one->socs.p[i]);
        }
        text_put(out, "]}\n");
        return;
    }
    text_putn(out, one->text.p, n);
    if (some && one->socs.n < r->socs.n) {
        put_socs("note: on ", one->socs.p, one->socs.n, out);
    }
}

/* Says which processors a file is for, of those that were asked. */
static void
put_matrix(const Report *r, Text *out)
{
    text_printf(out, "%s: %u of %u processors", r->path, r->socs.n - r->refused.n,
                r->socs.n);
    bool some = r->refused.n < r->socs.n;
    put_socs(r->refused.n && some ? "; not " : "", r->refused.p, some ? r->refused.n : 0,
             out);
}

/* A text that nothing was put into has no bytes to print. */
static void
print_text(const Text *t, FILE *to)
{
    if (t->n) {
        fwrite(t->p, 1, t->n, to);
    }
}

static void
print_report(const Findings *f, const Report *r)
{
    bool text = f->format == FORMAT_TEXT;
    Arena scratch = {0};
    Text t;
    text_init(&t, &scratch);
    print_text(&r->log, text && !r->log_to_stderr ? stdout : stderr);
    print_text(&r->out, stdout);
    for (uint32_t i = 0; i < r->list.n; i++) {
        put_finding(f, r, &r->list.p[i], &t);
    }
    if (text && r->hidden > 0) {
        text_printf(&t, "tikc: %lld more not shown\n", (long long)r->hidden);
    }
    if (text && r->socs.n > 1) {
        put_matrix(r, &t);
    }
    fflush(stdout);
    fwrite(t.p, 1, t.n, text ? stderr : stdout);
    arena_free(&scratch);
}

void
findings_begin(Findings *f, FormatId format, bool colour, const char *command)
{
    *f = (Findings){.format = format, .colour = colour, .command = command};
}

void
findings_add(Findings *f, Report *r)
{
    VEC_PUSH(&f->arena, &f->reports, r);
    f->files += !r->skip;
    f->skipped[r->skip] += r->skip != SKIP_NOT;
    f->errors += r->errors;
    f->warnings += r->warnings;
    f->remarks += r->remarks;
    f->kernels += r->kernels;
    f->worst = MAX(f->worst, r->code);
    for (int p = 0; p < 3; p++) {
        f->proofs[p] += r->proofs[p];
    }
    if (!formats[f->format].document) {
        print_report(f, r);
    } else {
        print_text(&r->log, stderr);
    }
}

static void
put_count(int64_t n, const char *what, Text *out)
{
    text_printf(out, "%lld %s%s", (long long)n, what, n == 1 ? "" : "s");
}

void
findings_summary(const Findings *f, Text *out)
{
    int64_t skipped = f->skipped[SKIP_MODULE] + f->skipped[SKIP_CALL];
    int64_t obligations = f->proofs[0] + f->proofs[1] + f->proofs[2];
    bool tests = strcmp(f->command, "test") == 0;
    put_count(f->files, tests ? "test" : "file", out);
    text_put(out, tests ? " run, " : " checked, ");
    if (skipped) {
        text_printf(out, "%lld skipped (", (long long)skipped);
        put_count(f->skipped[SKIP_MODULE], "module", out);
        text_put(out, " without a kernel, ");
        put_count(f->skipped[SKIP_CALL], "operator", out);
        text_put(out, " without a call), ");
    }
    put_count(f->errors, "error", out);
    text_put(out, ", ");
    put_count(f->warnings, "warning", out);
    if (obligations) {
        /* rounded down, so that 100 means all */
        int64_t tenths = (int64_t)((double)f->proofs[0] * 1000 / (double)obligations);
        text_printf(
            out, "; %lld of %lld rules proved (%lld.%lld %%), %lld left to run time",
            (long long)f->proofs[0], (long long)obligations, (long long)tenths / 10,
            (long long)tenths % 10, (long long)f->proofs[2]);
    }
}

static void
print_end(Findings *f, bool summary)
{
    Text t;
    text_init(&t, &f->arena);
    if (formats[f->format].document) {
        formats[f->format].document(f, &t);
        fwrite(t.p, 1, t.n, stdout);
        return;
    }
    if (f->format != FORMAT_TEXT) {
        return;
    }
    if (summary) {
        text_put(&t, "tikc: ");
        findings_summary(f, &t);
        text_putc(&t, '\n');
    } else if (f->errors + f->warnings > 1) {
        text_put(&t, "tikc: ");
        put_count(f->errors, "error", &t);
        text_put(&t, ", ");
        put_count(f->warnings, "warning", &t);
        text_putc(&t, '\n');
    }
    fwrite(t.p, 1, t.n, stderr);
}

int
findings_end(Findings *f, bool summary)
{
    print_end(f, summary);
    fflush(stdout);
    if (ferror(stdout) && f->worst <= EXIT_FINDINGS) {
        fputs("tikc: error: cannot write standard output [file-write]\n", stderr);
        f->worst = EXIT_IO;
    }
    for (uint32_t i = 0; i < f->reports.n; i++) {
        report_free(f->reports.p[i]);
    }
    arena_free(&f->arena);
    return f->worst;
}
