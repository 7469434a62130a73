/* cmd_diff.c: implements tikc diff: what differs between two blobs, by descriptor, with
 * the places in the source. Kernels are compared by name; of one kernel, what it states
 * and its descriptors are lines, of which a shortest list of removed and added ones is
 * shown (Myers' algorithm, forward). Operands name their regions, so that another number
 * of a region is no difference. */
#include "driver/driver.h"

#include <stdlib.h>
#include <string.h>

/* A line of a kernel: what it says and where that is from. */
typedef struct Line {
    const char *text;
    int64_t descriptor; /* -1: none */
} Line;

typedef struct Side {
    const char *path;
    TikBlob blob;
    int kernel;
    VEC(Line) lines;
} Side;

typedef struct Diff {
    Cmd *c;
    Side side[2];
    Text out;
    bool json;
    uint64_t changes;
} Diff;

enum {
    MOST_EDITS = 2000 /* beyond this number everything that is left counts as replaced */
};

/* ---- lines of a kernel --------------------------------------------------- */

static void
add_line(Arena *a, Side *s, const char *text)
{
    VEC_PUSH(a, &s->lines, ((Line){text, -1}));
}

static void
add_head(Arena *a, Side *s, const TikBlobKernel *k)
{
    add_line(a, s,
             arena_printf(a, "cores %u%s%s%s%s", k->cores,
                          k->flags & TIKBLOB_FILL_SCRATCH ? " fill" : "",
                          k->flags & TIKBLOB_ORDERED ? " ordered" : "",
                          k->flags & TIKBLOB_ANY_CORES ? " any" : "",
                          k->flags & TIKBLOB_QUEUES ? " queues" : ""));
    add_line(a, s, arena_printf(a, "steps %llu", (unsigned long long)k->step_bound));
    for (int i = 0; i < SC_COUNT; i++) {
        if (k->peak[i]) {
            add_line(a, s,
                     arena_printf(a, "peak %s %lld", tikblob_scope_name((Scope)i),
                                  (long long)k->peak[i]));
        }
    }
}

static void
add_arg(Arena *a, Side *s, const TikBlobArg *arg)
{
    Text t;
    text_init(&t, a);
    text_printf(&t, "arg %s %s %s (", arg->name, argrole_name((ArgRole)arg->role),
                dtype_name(arg->dtype));
    for (int i = 0; i < arg->ndim; i++) {
        text_printf(&t, "%s%lld", i ? ", " : "", (long long)arg->shape[i]);
    }
    text_put(&t, ")");
    if (arg->preset) {
        text_printf(&t, " preset %lld", (long long)arg->preset_value);
    }
    text_put(&t, arg->open ? " open" : "");
    add_line(a, s, t.p);
}

/* Returns a number that differs for tables of other bytes, for the line of a region. */
static uint64_t
table_hash(const TikBlobRegion *r)
{
    uint64_t h = 14695981039346656037U;
    for (int64_t i = 0; r->kind == TIKBLOB_TABLE && i < r->bytes; i++) {
        h = (h ^ r->data[i]) * 1099511628211U;
    }
    return h;
}

static void
add_region(Arena *a, Side *s, const TikBlobRegion *r)
{
    if (r->kind == TIKBLOB_TABLE) {
        add_line(a, s,
                 arena_printf(a, "table %s %s %lld bytes, hash %016llx", r->name,
                              dtype_name(r->dtype), (long long)r->bytes,
                              (unsigned long long)table_hash(r)));
    } else {
        add_line(a, s,
                 arena_printf(a, "region %s %s %s %s %lld, %lld bytes%s", r->name,
                              tikblob_scope_name(r->scope), dtype_name(r->dtype),
                              r->scope == SC_GM ? "of argument" : "at",
                              (long long)r->base, (long long)r->bytes,
                              r->open ? ", open" : ""));
    }
}

static void
add_code(Arena *a, Side *s, const TikBlobKernel *k)
{
    TikDesc *d = ARENA_NEW(a, TikDesc);
    TikCursor c;
    tikblob_cursor(&c, &s->blob, s->kernel);
    while (tikblob_next(&c, d, NULL) > 0) {
        char *text = tikblob_text(&s->blob, k, d);
        Line line = {arena_strdup(a, text ? text : ""), d->index};
        free(text);
        VEC_PUSH(a, &s->lines, line);
    }
}

static void
add_lines(Arena *a, Side *s)
{
    TikBlobKernel k;
    s->lines.n = 0;
    if (s->kernel < 0) {
        return;
    }
    tikblob_kernel(&s->blob, s->kernel, &k);
    add_head(a, s, &k);
    for (uint32_t i = 0; i < k.nargs; i++) {
        TikBlobArg arg;
        tikblob_arg(&s->blob, &k, (int)i, &arg);
        add_arg(a, s, &arg);
    }
    for (uint32_t i = 0; i < k.nregions; i++) {
        TikBlobRegion r;
        tikblob_region(&s->blob, &k, (int)i, &r);
        add_region(a, s, &r);
    }
    add_code(a, s, &k);
}

/* ---- output -------------------------------------------------------------- */

/* Shows a line of a side that the other one does not have. */
static void
show(Diff *d, int which, uint32_t index)
{
    const Side *s = &d->side[which];
    const Line *line = &s->lines.p[index];
    const char *file = "";
    uint32_t row = 0, column = 0;
    bool placed = line->descriptor >= 0 &&
                  tikblob_place(&s->blob, s->kernel, (uint32_t)line->descriptor, &file,
                                &row, &column);
    d->changes++;
    if (d->json) {
        json_open(&d->out, NULL, '{');
        json_text(&d->out, "side", which ? "new" : "old");
        json_number(&d->out, "descriptor", line->descriptor);
        json_text(&d->out, "text", line->text);
        if (placed) {
            json_text(&d->out, "source", file);
            json_count(&d->out, "line", row);
            json_count(&d->out, "column", column);
        }
        json_close(&d->out, '}');
        return;
    }
    text_putc(&d->out, which ? '+' : '-');
    if (line->descriptor >= 0) {
        text_printf(&d->out, " %6lld ", (long long)line->descriptor);
    }
    text_printf(&d->out, " %s", line->text);
    if (placed) {
        text_printf(&d->out, "  @ %s:%u:%u", file, row, column);
    }
    text_putc(&d->out, '\n');
}

static void
show_range(Diff *d, int which, int64_t from, int64_t to)
{
    for (int64_t i = from; i < to; i++) {
        show(d, which, (uint32_t)i);
    }
}

/* ---- the shortest difference --------------------------------------------- */

/* Lines [a0, a1) of the old side and [b0, b1) of the new one. */
typedef struct Range {
    int64_t a0, a1, b0, b1;
} Range;

static bool
same(const Diff *d, int64_t a, int64_t b)
{
    return strcmp(d->side[0].lines.p[a].text, d->side[1].lines.p[b].text) == 0;
}

/* The furthest x on each diagonal k = x - y for each number of edits e: row e has the
 * diagonals -e to e. */
typedef struct Rows {
    VEC(int32_t *) at;
} Rows;

/* Returns where a path with e edits on diagonal k begins: below the path of diagonal
 * k + 1 (an added line) or right of that of k - 1 (a removed one). */
static int64_t
start_of(const Rows *rows, int64_t e, int64_t k)
{
    const int32_t *last = rows->at.p[e - 1] + (e - 1);
    bool down = k == -e || (k != e && last[k - 1] < last[k + 1]);
    return down ? last[k + 1] : last[k - 1] + 1;
}

/* Fills the rows until the end of both ranges is reached. Returns the number of edits, or
 * -1 if there are more than MOST_EDITS. */
static int64_t
search(Diff *d, Arena *a, Range r, Rows *rows)
{
    int64_t n = r.a1 - r.a0, m = r.b1 - r.b0;
    for (int64_t e = 0; e <= MOST_EDITS && e <= n + m; e++) {
        VEC_PUSH(a, &rows->at, ARENA_ARRAY(a, int32_t, 2 * e + 1));
        int32_t *row = rows->at.p[e] + e;
        for (int64_t k = -e; k <= e; k += 2) {
            int64_t x = e == 0 ? 0 : start_of(rows, e, k);
            while (x < n && x - k < m && x - k >= 0 && same(d, r.a0 + x, r.b0 + x - k)) {
                x++;
            }
            row[k] = (int32_t)x;
            if (x >= n && x - k >= m) {
                return e;
            }
        }
    }
    return -1;
}

/* Shows the edits of the path that search found, from the begin on. */
static void
show_path(Diff *d, Arena *a, Range r, const Rows *rows, int64_t edits)
{
    int64_t *steps = ARENA_ARRAY(a, int64_t, edits + 1); /* the diagonal after e edits */
    int64_t k = (r.a1 - r.a0) - (r.b1 - r.b0);
    for (int64_t e = edits; e > 0; e--) {
        const int32_t *last = rows->at.p[e - 1] + (e - 1);
        bool down = k == -e || (k != e && last[k - 1] < last[k + 1]);
        steps[e] = k;
        k += down ? 1 : -1;
    }
    steps[0] = k;
    for (int64_t e = 1; e <= edits; e++) {
        int64_t x = rows->at.p[e - 1][e - 1 + steps[e - 1]];
        if (steps[e] < steps[e - 1]) {
            show(d, 1, (uint32_t)(r.b0 + x - steps[e - 1]));
        } else {
            show(d, 0, (uint32_t)(r.a0 + x));
        }
    }
}

static void
compare_lines(Diff *d)
{
    Range r = {0, d->side[0].lines.n, 0, d->side[1].lines.n};
    while (r.a0 < r.a1 && r.b0 < r.b1 && same(d, r.a0, r.b0)) {
        r.a0++;
        r.b0++;
    }
    while (r.a0 < r.a1 && r.b0 < r.b1 && same(d, r.a1 - 1, r.b1 - 1)) {
        r.a1--;
        r.b1--;
    }
    Arena scratch;
    Rows rows = {0};
    arena_init(&scratch);
    int64_t edits = search(d, &scratch, r, &rows);
    if (edits < 0) {
        show_range(d, 0, r.a0, r.a1);
        show_range(d, 1, r.b0, r.b1);
    } else {
        show_path(d, &scratch, r, &rows, edits);
    }
    arena_free(&scratch);
}

/* ---- kernels ------------------------------------------------------------- */

static int
find_kernel(const TikBlob *b, const char *name)
{
    for (int i = 0; i < b->nkernels; i++) {
        TikBlobKernel k;
        tikblob_kernel(b, i, &k);
        if (strcmp(k.name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/* Compares the kernels of a name; the index is -1 for a side that has none. */
static void
compare_kernel(Diff *d, const char *name, int old, int new)
{
    Arena *a = &d->c->unit.arena;
    uint64_t before = d->changes;
    size_t begin = d->out.n;
    d->side[0].kernel = old;
    d->side[1].kernel = new;
    add_lines(a, &d->side[0]);
    add_lines(a, &d->side[1]);
    if (d->json) {
        json_open(&d->out, NULL, '{');
        json_text(&d->out, "name", name);
        json_open(&d->out, "changes", '[');
        compare_lines(d);
        json_close(&d->out, ']');
        json_close(&d->out, '}');
        return;
    }
    text_printf(&d->out, "kernel %s%s\n", name,
                old < 0   ? ", which is new"
                : new < 0 ? ", which is gone"
                          : "");
    compare_lines(d);
    if (d->changes == before && old >= 0 && new >= 0) {
        d->out.n = begin;
        d->out.p[begin] = 0;
    }
}

static void
compare_kernels(Diff *d)
{
    TikBlobKernel k;
    for (int i = 0; i < d->side[0].blob.nkernels; i++) {
        tikblob_kernel(&d->side[0].blob, i, &k);
        compare_kernel(d, k.name, i, find_kernel(&d->side[1].blob, k.name));
    }
    for (int i = 0; i < d->side[1].blob.nkernels; i++) {
        tikblob_kernel(&d->side[1].blob, i, &k);
        if (find_kernel(&d->side[0].blob, k.name) < 0) {
            compare_kernel(d, k.name, -1, i);
        }
    }
}

static void
compare_targets(Diff *d)
{
    const char *old = tikblob_soc_name(d->side[0].blob.soc);
    const char *new = tikblob_soc_name(d->side[1].blob.soc);
    d->changes += strcmp(old, new) != 0;
    if (d->json) {
        json_text(&d->out, "target_old", old);
        json_text(&d->out, "target_new", new);
    } else if (strcmp(old, new) != 0) {
        text_printf(&d->out, "- target %s\n+ target %s\n", old, new);
    }
}

/* Opens both blobs; each is the command's first file while it is opened, which is what
 * diagnostics name. */
static bool
open_sides(Diff *d)
{
    Cmd *c = d->c;
    const char **files = c->files.p;
    bool ok = true;
    for (int i = 0; i < 2 && ok; i++) {
        c->files.p = &files[i];
        ok = blob_open(c, &d->side[i].blob);
        d->side[i].path = files[i];
    }
    c->files.p = files;
    return ok;
}

static bool
diff(Diff *d)
{
    Cmd *c = d->c;
    TRY(open_sides(d));
    if (d->json) {
        json_begin(c, &d->out);
        json_text(&d->out, "new", d->side[1].path);
        compare_targets(d);
        json_open(&d->out, "kernels", '[');
        compare_kernels(d);
        json_close(&d->out, ']');
        json_bool(&d->out, "equal", d->changes == 0);
        return json_end(c, &d->out);
    }
    text_init(&d->out, &c->unit.arena);
    text_printf(&d->out, "--- %s\n+++ %s\n", d->side[0].path, d->side[1].path);
    size_t head = d->out.n;
    compare_targets(d);
    compare_kernels(d);
    return d->out.n == head || io_print(&c->unit, d->out.p, d->out.n);
}

int
cmd_diff(Cmd *c)
{
    if (!report_format(c)) {
        return report_unit(c);
    }
    Diff d = {.c = c, .json = report_json(c)};
    bool ok = diff(&d);
    int code = report_unit(c);
    return code == EXIT_CLEAN && (!ok || d.changes > 0) ? EXIT_FINDINGS : code;
}
