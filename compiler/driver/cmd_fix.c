/* cmd_fix.c: implements tikc fix: applies the fixes that diagnostics carry, and checks
 * again, until none is left. A file is written once, after its last round. */
#include "driver/driver.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_ROUNDS = 50 /* checks of one file; each but the last one mends something */
};

/* A replacement in the text of the file. */
typedef struct Edit {
    uint32_t begin, end;
    const char *text;
    const Diag *d;
} Edit;

typedef VEC(Edit) Edits;

/* The text of a file between two rounds. */
typedef struct Draft {
    const char *path;
    Arena arena; /* of the texts */
    const char *text;
    size_t size;
    int changes;
} Draft;

static bool
overlaps(const Edits *edits, Span s)
{
    for (uint32_t i = 0; i < edits->n; i++) {
        const Edit *e = &edits->p[i];
        bool apart = e->end < s.begin || s.end < e->begin;
        if (!apart) {
            return true;
        }
    }
    return false;
}

/* True if all replacements of a diagnostic are in the file, and apart from those that
 * were taken. */
static bool
can_apply(const Unit *u, const Diag *d, const char *path, const Edits *taken)
{
    bool ok = d->fixes.n > 0;
    for (uint32_t i = 0; i < d->fixes.n; i++) {
        Span s = d->fixes.p[i].span;
        ok = ok && s.file && strcmp(u->sources.p[s.file].path, path) == 0 &&
             !overlaps(taken, s);
    }
    return ok;
}

static int
by_place(const void *a, const void *b)
{
    const Edit *x = a, *y = b;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static void
find_edits(Unit *u, const char *path, Edits *edits)
{
    for (uint32_t i = 0; i < u->diags.n; i++) {
        const Diag *d = u->diags.p[i];
        if (!can_apply(u, d, path, edits)) {
            continue;
        }
        for (uint32_t f = 0; f < d->fixes.n; f++) {
            const DiagFix *fix = &d->fixes.p[f];
            Edit e = {fix->span.begin, fix->span.end, fix->text, d};
            VEC_PUSH(&u->arena, edits, e);
        }
    }
    if (edits->n) {
        qsort(edits->p, edits->n, sizeof edits->p[0], by_place);
    }
}

/* Says what is changed: k.tik:3:50: 'scope_ub' becomes 'scope_ubuf' [attribute-error] */
static void
tell(Unit *u, const Draft *draft, const Edit *e, Source *src, Text *out)
{
    LineCol at = source_line_col(&u->arena, src, e->begin);
    text_printf(out, "%s:%u:%u: ", draft->path, at.line, at.column);
    if (e->begin == e->end) {
        text_printf(out, "'%s' is put in", e->text);
    } else {
        text_printf(out, "'%.*s' becomes '%s'", (int)(e->end - e->begin),
                    draft->text + e->begin, e->text);
    }
    text_printf(out, " [%s]\n", diag_table[e->d->id].name);
}

static bool
apply(Unit *u, Draft *draft, const Edits *edits)
{
    Text told, text;
    text_init(&told, &u->arena);
    text_init(&text, &draft->arena);
    uint32_t at = 0;
    for (uint32_t i = 0; i < edits->n; i++) {
        const Edit *e = &edits->p[i];
        tell(u, draft, e, &u->sources.p[e->d->fixes.p[0].span.file], &told);
        text_putn(&text, draft->text + at, e->begin - at);
        text_put(&text, e->text);
        at = e->end;
    }
    text_putn(&text, draft->text + at, draft->size - at);
    draft->text = text.p;
    draft->size = text.n;
    draft->changes += (int)edits->n;
    return io_print(u, told.p, told.n);
}

/* Compiles the draft. Returns whether there was something to mend; if not, what remains
 * is reported, and *code gets the exit code. */
static bool
mend(Cmd *c, Draft *draft, bool last, int *code)
{
    Cmd one = *c;
    Options opt = c->unit.opt;
    unit_init(&one.unit);
    one.unit.opt = opt;
    (void)!compile_text(&one, draft->path, draft->text, draft->size);
    Edits edits = {0};
    find_edits(&one.unit, draft->path, &edits);
    bool more = edits.n > 0 && !last && apply(&one.unit, draft, &edits);
    if (!more) {
        bool write = draft->changes && !c->dry_run;
        (void)!(!write || io_write(&one.unit, draft->path, draft->text, draft->size));
        *code = report_unit(&one);
    }
    for (uint32_t i = 0; i < one.unit.kernels.n; i++) {
        kernel_free(one.unit.kernels.p[i]);
    }
    unit_free(&one.unit);
    return more;
}

static int
fix_file(Cmd *c, const char *path)
{
    Draft draft = {.path = path};
    int code = EXIT_CLEAN;
    char *text;
    if (strcmp(path, "-") == 0) {
        (void)!options_wrong(c, "fix changes files; it does not read standard input");
        return report_unit(c);
    }
    if (!io_read(&c->unit, path, &text, &draft.size)) {
        return report_unit(c);
    }
    draft.text = text;
    arena_init(&draft.arena);
    for (int round = 1; mend(c, &draft, round == MOST_ROUNDS, &code); round++) {
    }
    arena_free(&draft.arena);
    return code;
}

int
cmd_fix(Cmd *c)
{
    int worst = EXIT_CLEAN;
    c->unit.opt.severity.several = c->files.n > 1;
    for (uint32_t i = 0; i < c->files.n && worst != EXIT_USAGE; i++) {
        int code = fix_file(c, c->files.p[i]);
        worst = MAX(worst, code);
    }
    return worst;
}
