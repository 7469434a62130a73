/* report.c: prints diagnostics and errors of the runtime. */
#include "driver/commands.h"
#include "driver/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns the format that --format names; the command checks that it names one. */
static FormatId
format_of(const Cmd *c)
{
    FormatId format = FORMAT_TEXT;
    (void)!(c->format && format_find(c->format, &format));
    return format;
}

bool
report_json(const Cmd *c)
{
    return format_of(c) == FORMAT_JSON;
}

bool
report_text(const Cmd *c)
{
    return format_of(c) == FORMAT_TEXT;
}

bool
report_format(Cmd *c)
{
    FormatId format;
    bool all = c->command->bit & CMD_FORMATS;
    if (!c->format ||
        (format_find(c->format, &format) && (all || format <= FORMAT_JSON))) {
        return true;
    }
    Text t;
    text_init(&t, &c->unit.arena);
    format_list(all ? FORMAT_COUNT : FORMAT_JSON + 1, &t);
    diag_add(&c->unit, D_USAGE, (Span){0}, 0, "--format is %s, not '%s'", t.p, c->format);
    c->format = NULL;
    return false;
}

/* Colours are for people: on a terminal, unless the environment asks for none. */
static bool
wants_colour(const Cmd *c)
{
    const char *term = getenv("TERM");
    const char *none = getenv("NO_COLOR");
    if (c->colour && strcmp(c->colour, "auto") != 0) {
        return strcmp(c->colour, "always") == 0;
    }
    return isatty(STDERR_FILENO) && !(none && *none) && term && strcmp(term, "dumb") != 0;
}

bool
report_colour(Cmd *c)
{
    const char *w = c->colour;
    return !w || strcmp(w, "auto") == 0 || strcmp(w, "always") == 0 ||
           strcmp(w, "never") == 0 ||
           options_wrong(c,
                         arena_printf(&c->unit.arena,
                                      "--color is auto, always or never, not '%s'", w));
}

void
report_begin(const Cmd *c, Findings *f)
{
    findings_begin(f, format_of(c), wants_colour(c), c->command ? c->command->name : "");
}

int
report_code(const Unit *u)
{
    int code = u->errors ? EXIT_FINDINGS : EXIT_CLEAN;
    for (uint32_t i = 0; i < u->diags.n; i++) {
        switch (u->diags.p[i]->id) {
        case D_USAGE:
        case D_SOC_UNKNOWN:
        case D_NO_TENSOR:
        case D_KERNEL_CHOICE:
        case D_TEST_FILE:
            return EXIT_USAGE;
        case D_FILE_READ:
        case D_FILE_WRITE:
        case D_NPY:
        case D_REPORT_FILE:
        case D_KEY:
        case D_BACKEND:
        case D_CLUSTER:
            code = EXIT_IO;
            break;
        case D_BLOB:
            code = EXIT_REFUSED;
            break;
        case D_OUTPUT_MISMATCH:
            code = EXIT_MISMATCH;
            break;
        default:
            break;
        }
    }
    return code;
}

int
report_collect(const Cmd *c, Report *r, const char *soc)
{
    Unit *u = (Unit *)&c->unit;
    report_take(r, u, format_of(c), wants_colour(c), soc);
    r->path = c->files.n ? c->files.p[0] : "tikc";
    r->code = report_code(u);
    r->log_to_stderr = c->output_on_stdout;
    return r->code;
}

int
report_unit(Cmd *c)
{
    if (c->findings) {
        Report *r = ARENA_NEW(&c->findings->arena, Report);
        int code = report_collect(c, r, NULL);
        findings_add(c->findings, r);
        return code;
    }
    Findings f;
    Report r = {0};
    report_begin(c, &f);
    (void)report_collect(c, &r, NULL);
    findings_add(&f, &r);
    return findings_end(&f, false);
}

static int
kind_exit_code(TikErrorKind kind)
{
    switch (kind) {
    case TIK_OK:
        return EXIT_CLEAN;
    case TIK_ERR_IO:
    case TIK_ERR_NPY:
        return EXIT_IO;
    case TIK_ERR_BLOB:
        return EXIT_REFUSED;
    case TIK_ERR_FAULT:
        return EXIT_FAULT;
    case TIK_ERR_USAGE:
        return EXIT_USAGE;
    }
    UNREACHABLE();
}

/* Splits "path:line:column"; returns false if the text is none. */
static bool
split_place(Unit *u, const char *place, const char **path, LineCol *at)
{
    const char *column = strrchr(place, ':');
    const char *line = column;
    while (line && line > place && line[-1] != ':') {
        line--;
    }
    if (!line || line == place || sscanf(line, "%u:%u", &at->line, &at->column) != 2) {
        return false;
    }
    *path = arena_strndup(&u->arena, place, (size_t)(line - 1 - place));
    return true;
}

/* Returns the span of a place; nowhere for a text that is no place. */
static Span
span_of(Unit *u, const char *place)
{
    LineCol at;
    const char *path;
    return split_place(u, place, &path, &at) ? unit_place(u, path, at) : (Span){0};
}

bool
report_place(Unit *u, const char *place, Span *out)
{
    *out = span_of(u, place);
    return out->file && !u->sources.p[out->file].absent;
}

/* Returns the place of a fault. A fault is always in a file: if a blob does not say in
 * which, it is in the blob. */
static Span
place_of(Cmd *c, const TikError *err)
{
    Span span = span_of(&c->unit, err->place);
    if (!span.file && err->kind == TIK_ERR_FAULT) {
        span = unit_place(&c->unit, c->files.p[0], (LineCol){0, 0});
    }
    return span;
}

static bool
is_call(const CallStep *step, uint32_t parent, const char *callee, Span at)
{
    return step->parent == parent && step->call.file == at.file &&
           step->call.begin == at.begin && strcmp(step->callee, callee) == 0;
}

uint32_t
report_call(Unit *u, uint32_t parent, const TikFrame *call)
{
    Span at = {0};
    if (*call->file) {
        at = unit_place(u, call->file, (LineCol){call->line, call->column});
    }
    bool known = at.file && !u->sources.p[at.file].absent;
    for (uint32_t i = 1; known && i < u->chains.n; i++) {
        if (is_call(&u->chains.p[i], parent, call->callee, at)) {
            return i;
        }
    }
    CallStep step = {parent, at, arena_strdup(&u->arena, call->callee)};
    VEC_PUSH(&u->arena, &u->chains, step);
    return u->chains.n - 1;
}

/* Returns the text of a fault, with "at core 3, i = 7, " as the compiler words it for a
 * fault that it finds itself. */
static const char *
text_of(Unit *u, const TikError *err)
{
    return arena_printf(&u->arena, "%s%s%s%s", *err->where ? "at " : "", err->where,
                        *err->where ? ", " : "", err->text);
}

/* Adds the error as a diagnostic, with the calls that led there. */
static void
add_error(Cmd *c, DiagId id, Span span, const TikError *err)
{
    Unit *u = &c->unit;
    Diag *d = diag_add(u, id, span, c->fault_chain, "%s", text_of(u, err));
    if (span.file &&
        source_line_col(&u->arena, &u->sources.p[span.file], span.begin).line == 0) {
        diag_note(
            u, d, span,
            "nothing says where in the source this is; in a blob, section LINE does");
    }
}

/* Shows a fault, and any other error with a place, like an error of the compiler. */
static bool
show_fault(Cmd *c, const TikError *err)
{
    Unit *u = &c->unit;
    DiagId id = diag_find(err->name);
    Span span = place_of(c, err);
    if (id == DIAG_COUNT || !span.file) {
        return false;
    }
    u->diags.n = 0; /* the diagnostics of the compilation were shown already */
    u->errors = u->warnings = u->remarks = 0;
    add_error(c, id, span, err);
    Text t;
    text_init(&t, &u->arena);
    diag_render_all(u, wants_colour(c) ? DIAG_COLOUR : DIAG_TEXT, &t);
    fwrite(t.p, 1, t.n, stderr);
    return u->diags.n > 0; /* false if a warning said the same */
}

int
report_add(Cmd *c, const TikError *err)
{
    DiagId id = diag_find(err->name);
    add_error(c, id == DIAG_COUNT ? D_USAGE : id, place_of(c, err), err);
    return kind_exit_code(err->kind);
}

bool
report_into(Cmd *c, const TikError *err, int *code)
{
    if (report_text(c) || diag_find(err->name) == DIAG_COUNT) {
        return false;
    }
    *code = report_add(c, err);
    (void)report_unit(c);
    return true;
}

int
report_error(Cmd *c, const TikError *err)
{
    if (show_fault(c, err)) {
        return kind_exit_code(err->kind);
    }
    fprintf(stderr, "%s: error: %s [%s]\n", *err->place ? err->place : "tikc",
            text_of(&c->unit, err), err->name);
    DiagId id = diag_find(err->name);
    if (id != DIAG_COUNT) {
        fprintf(stderr, "rule: %s\n", diag_table[id].rule);
        if (*diag_table[id].help) {
            fprintf(stderr, "help: %s\n", diag_table[id].help);
        }
    }
    return kind_exit_code(err->kind);
}
