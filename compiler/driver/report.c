/* report.c: what the tool prints of diagnostics and errors of the runtime. */
#include "driver/driver.h"

#include <stdio.h>
#include <string.h>

static bool
wants_json(const Cmd *c)
{
    return c->format && strcmp(c->format, "json") == 0;
}

bool
report_format(Cmd *c)
{
    const char *given = c->format;
    if (!given || strcmp(given, "text") == 0 || strcmp(given, "json") == 0) {
        return true;
    }
    c->format = NULL;
    diag_add(&c->unit, D_USAGE, (Span){0}, 0, "--format is text or json, not '%s'",
             given);
    return false;
}

static int
exit_code(const Unit *u)
{
    int code = u->errors ? EXIT_FINDINGS : EXIT_CLEAN;
    for (uint32_t i = 0; i < u->diags.n; i++) {
        switch (u->diags.p[i]->id) {
        case D_USAGE:
        case D_SOC_UNKNOWN:
        case D_NO_TENSOR:
        case D_KERNEL_CHOICE:
            return EXIT_USAGE;
        case D_FILE_READ:
        case D_FILE_WRITE:
        case D_NPY:
        case D_BACKEND:
            code = EXIT_IO;
            break;
        case D_BLOB:
            code = EXIT_REFUSED;
            break;
        default:
            break;
        }
    }
    return code;
}

int
report_unit(Cmd *c)
{
    Unit *u = &c->unit;
    if (u->log.n) {
        bool taken = wants_json(c) || c->output_on_stdout;
        fwrite(u->log.p, 1, u->log.n, taken ? stderr : stdout);
    }
    Text t;
    text_init(&t, &u->arena);
    diag_render_all(u, wants_json(c) ? DIAG_JSON : DIAG_TEXT, &t);
    fflush(stdout);
    fwrite(t.p, 1, t.n, wants_json(c) ? stdout : stderr);
    if (u->errors + u->warnings > 1 && !wants_json(c)) {
        fprintf(stderr, "tikc: %lld error%s, %lld warning%s\n", (long long)u->errors,
                u->errors == 1 ? "" : "s", (long long)u->warnings,
                u->warnings == 1 ? "" : "s");
    }
    fflush(stdout);
    int code = exit_code(u);
    if (ferror(stdout) && code <= EXIT_FINDINGS) {
        fputs("tikc: error: cannot write standard output [file-write]\n", stderr);
        code = EXIT_IO;
    }
    return code;
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

bool
report_place(Unit *u, const char *place, Span *out)
{
    for (uint32_t i = 1; i < u->sources.n; i++) {
        Source *src = &u->sources.p[i];
        size_t n = strlen(src->path);
        unsigned line, column;
        uint32_t len;
        if (strncmp(place, src->path, n) != 0 ||
            sscanf(place + n, ":%u:%u", &line, &column) != 2 || line == 0 ||
            column == 0) {
            continue;
        }
        uint32_t begin = (uint32_t)(source_line(&u->arena, src, line, &len) - src->text);
        begin += MIN(column - 1, len);
        *out = (Span){i, begin, begin + 1};
        return true;
    }
    return false;
}

/* "at core 3, i = 7, " as the compiler says it of a fault that it finds itself. */
static const char *
text_of(Unit *u, const TikError *err)
{
    return arena_printf(&u->arena, "%s%s%s%s", *err->where ? "at " : "", err->where,
                        *err->where ? ", " : "", err->text);
}

/* A run-time fault whose source is at hand is shown like an error of the compiler. */
static bool
show_fault(Cmd *c, const TikError *err)
{
    Unit *u = &c->unit;
    DiagId id = diag_find(err->name);
    Span span;
    if (id == DIAG_COUNT || !report_place(u, err->place, &span)) {
        return false;
    }
    u->diags.n = 0; /* they were shown */
    u->errors = u->warnings = u->remarks = 0;
    diag_add(u, id, span, 0, "%s", text_of(u, err));
    Text t;
    text_init(&t, &u->arena);
    diag_render_all(u, DIAG_TEXT, &t);
    fwrite(t.p, 1, t.n, stderr);
    return u->diags.n > 0; /* else a warning said the same */
}

bool
report_into(Cmd *c, const TikError *err, int *code)
{
    Unit *u = &c->unit;
    DiagId id = diag_find(err->name);
    if (!wants_json(c) || id == DIAG_COUNT) {
        return false;
    }
    Span span = {0};
    bool placed = report_place(u, err->place, &span);
    const char *place = placed ? "" : err->place;
    diag_add(u, id, placed ? span : (Span){0}, 0, "%s%s%s", place, *place ? ": " : "",
             text_of(u, err));
    (void)report_unit(c);
    *code = kind_exit_code(err->kind);
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
