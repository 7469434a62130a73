/* cmd_explain_slice.c: implements tikc explain-slice: it shows what lists of SliceInfo
 * select, as numbers, as a picture of the first two dimensions, and as a table of where
 * each segment goes.
 *
 * In the picture a character is an element: the number of its segment (0 to 9, a to z, A
 * to Z and again), or a dot. Long runs of one kind are shortened to their two ends, and
 * so are long rows of segments and of lines; the numbers above and at the left give the
 * positions. */
#include "driver/driver.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rules/segment.h"

enum {
    FIELDS = 5,
    END = 4,         /* number of characters of a long run that are shown on each side */
    LONG_RUN = 12,   /* length above which a run is shortened */
    MOST_RUNS = 17,  /* limit of runs in a row */
    MOST_LINES = 24, /* limit of lines in a picture */
    MOST_ROWS = 20   /* limit of rows in the table */
};

/* Larger shapes are refused, so that no offset overflows. */
#define MOST_ELEMENTS ((int64_t)1 << 48)

typedef struct Info {
    const char *name; /* "SRC" or "DST" */
    bool src;
    int dims;
    SliceFields f[SEGMENT_DIMS];
    int64_t count[SEGMENT_DIMS];
    /* elements from the start of a segment to that of the next */
    int64_t pitch[SEGMENT_DIMS];
    int64_t start; /* element at which the first segment starts */
    int64_t total;
} Info;

typedef struct Explain {
    Unit *u;
    Text out;
    Info src, dst;
    bool both; /* DST was given */
    Dtype dtype;
    int size;
    int64_t segment; /* number of elements of a segment */
} Explain;

/* ---- the command line ---------------------------------------------------- */

static bool
wrong(Explain *x, const char *fmt, const char *a, const char *b)
{
    Diag *d = diag_add(x->u, D_USAGE, (Span){0}, 0, fmt, a, b);
    diag_help(x->u, d,
              "five numbers per dimension, the innermost first: start_index, end_index, "
              "stride, burst_len, shape_value, such as '{16,70,7,3,87},{0,2,1,1,3}'");
    return false;
}

/* Reads the numbers of a list, whatever brackets and words are around them, at most one
 * more than fits. Returns how many there are, or -1 if one is no number. */
static int
numbers_of(Explain *x, const Info *l, const char *text, int64_t *v)
{
    int n = 0;
    for (const char *p = text; *p && n <= SEGMENT_DIMS * FIELDS;) {
        if (!isdigit((unsigned char)*p) && !(*p == '-' && isdigit((unsigned char)p[1]))) {
            p++;
            continue;
        }
        char *end;
        errno = 0;
        v[n] = strtoll(p, &end, 10);
        if (errno != 0 || *end == '.' || v[n] > INT32_MAX || v[n] < INT32_MIN) {
            wrong(x, "%s has a number that is no integer of 32 bits: %s", l->name, p);
            return -1;
        }
        n++;
        p = end;
    }
    return n;
}

static bool
read_list(Explain *x, Info *l, const char *text)
{
    int64_t v[SEGMENT_DIMS * FIELDS + 1];
    if (strchr(text, '=')) {
        return wrong(x, "%s names its fields; give the numbers alone: %s", l->name, text);
    }
    int n = numbers_of(x, l, text, v);
    TRY(n >= 0);
    if (n == 0 || n % FIELDS != 0 || n > SEGMENT_DIMS * FIELDS) {
        return wrong(x, "%s is not a list of 1 to 8 times five numbers: %s", l->name,
                     text);
    }
    l->dims = n / FIELDS;
    for (int d = 0; d < l->dims; d++) {
        const int64_t *f = v + d * FIELDS;
        l->f[d] = (SliceFields){f[0], f[1], f[2], f[3], f[4]};
    }
    return true;
}

static bool
read_arguments(Explain *x, const Cmd *c)
{
    const char *dtype = c->dtype ? c->dtype : "float32";
    x->dtype = dtype_find(dtype);
    if (x->dtype == DT_NONE || x->dtype == DT_BOOL) {
        return wrong(x, "'%s' is no element type of data_copy%s", dtype, "");
    }
    x->size = dtype_size(x->dtype);
    x->both = c->files.n > 1;
    x->src = (Info){.name = "SRC", .src = true};
    x->dst = (Info){.name = "DST"};
    TRY(read_list(x, &x->src, c->files.p[0]));
    return !x->both || read_list(x, &x->dst, c->files.p[1]);
}

/* ---- rules --------------------------------------------------------------- */

static bool
broken(Explain *x, const Fault *f)
{
    diag_add(x->u, diag_of_rule(f->rule), (Span){0}, 0, "%s", f->text);
    return false;
}

static SliceDim
dimension(const Explain *x, int d)
{
    const Info *dst = x->both ? &x->dst : &x->src;
    return (SliceDim){.dim = d,
                      .size = x->size,
                      .tail = slice_drops_tail(&x->u->opt.choices),
                      .dst = dst->f[d],
                      .src = x->src.f[d]};
}

static bool
right_dims(Explain *x, const Cmd *c)
{
    Info *lists[] = {&x->src, &x->dst};
    int64_t n = c->dim ? c->dim : x->src.dims;
    if (n < 1 || n > SEGMENT_DIMS) {
        diag_add(x->u, D_SLICE_DIM, (Span){0}, 0, "dim_value is %lld; it is 1 to %d",
                 (long long)n, SEGMENT_DIMS);
        return false;
    }
    if (x->both && x->dst.dims != x->src.dims) {
        diag_add(x->u, D_SLICE_COUNT, (Span){0}, 0,
                 "SRC has %d SliceInfo and DST has %d; they have equally many",
                 x->src.dims, x->dst.dims);
        return false;
    }
    for (int i = 0; i <= x->both; i++) {
        if (lists[i]->dims < n) {
            diag_add(x->u, D_SLICE_COUNT, (Span){0}, 0,
                     "%s has %d SliceInfo and dim_value is %lld", lists[i]->name,
                     lists[i]->dims, (long long)n);
            return false;
        }
        if (lists[i]->dims > n) {
            diag_add(x->u, D_SLICE_EXTRA, (Span){0}, 0,
                     "%s has %d SliceInfo and dim_value is %lld; the first %lld count",
                     lists[i]->name, lists[i]->dims, (long long)n, (long long)n);
            lists[i]->dims = (int)n;
        }
    }
    return true;
}

/* Computes counts, pitches and the number of segments of a list whose dimensions keep the
 * rules. */
static bool
measure(Explain *x, Info *l)
{
    int64_t line = 1;
    l->total = 1;
    for (int d = 0; d < l->dims; d++) {
        SliceDim dim = dimension(x, d);
        int64_t piece = d == 0 ? x->segment : 1;
        l->count[d] = slice_count(&dim, l->src);
        l->pitch[d] = (piece + l->f[d].stride) * line;
        l->start += l->f[d].start * line;
        l->total *= l->count[d];
        if (l->f[d].shape > MOST_ELEMENTS / line) {
            return wrong(x, "%s has a shape of more than 2^48 elements%s", l->name, "");
        }
        line *= l->f[d].shape;
    }
    return true;
}

static bool
rules(Explain *x, const Cmd *c)
{
    Fault fault;
    TRY(right_dims(x, c));
    for (int d = 0; d < x->src.dims; d++) {
        SliceDim dim = dimension(x, d);
        TRY(check_slice_dim(&dim, &fault) || broken(x, &fault));
    }
    x->segment = x->src.f[0].burst_len * BLOCK_BYTES / x->size;
    TRY(measure(x, &x->src) && (!x->both || measure(x, &x->dst)));
    return !x->both || check_slice_total(x->dst.total, x->src.total, &fault) ||
           broken(x, &fault);
}

/* ---- numbers ------------------------------------------------------------- */

/* Returns the element where a segment of the list starts. */
static int64_t
offset_of(const Info *l, int64_t q)
{
    int64_t at = l->start;
    for (int d = 0; d < l->dims; d++) {
        at += q % l->count[d] * l->pitch[d];
        q /= l->count[d];
    }
    return at;
}

static void
print_dimension(Explain *x, const Info *l, int d)
{
    const SliceFields *f = &l->f[d];
    bool many = l->count[d] != 1;
    text_printf(&x->out, "  dimension %d: %lld to %lld of %lld: %lld %s%s", d,
                (long long)f->start, (long long)f->end, (long long)f->shape,
                (long long)l->count[d], d == 0 ? "segment" : "line", many ? "s" : "");
    if (d == 0) {
        text_printf(&x->out, " of %lld elements (%lld bytes)", (long long)x->segment,
                    (long long)x->segment * x->size);
    }
    if (many) {
        text_printf(&x->out, ", %lld between them; from start to start %lld elements",
                    (long long)f->stride, (long long)l->pitch[d]);
    }
    text_putc(&x->out, '\n');
}

/* Returns the first segment that does not start at a multiple of 32 bytes, or -1. */
static int64_t
odd_segment(const Explain *x, const Info *l)
{
    int64_t q = 1;
    if (l->start * x->size % BLOCK_BYTES != 0) {
        return 0;
    }
    for (int d = 0; d < l->dims; d++) {
        if (l->count[d] > 1 && l->pitch[d] * x->size % BLOCK_BYTES != 0) {
            return q;
        }
        q *= l->count[d];
    }
    return -1;
}

static void
print_numbers(Explain *x, const Info *l)
{
    int64_t q = odd_segment(x, l), all = l->total * x->segment;
    text_printf(&x->out, "%s: %lld segment%s, %lld elements of %s, %lld bytes\n", l->name,
                (long long)l->total, l->total == 1 ? "" : "s", (long long)all,
                dtype_name(x->dtype), (long long)all * x->size);
    for (int d = 0; d < l->dims; d++) {
        print_dimension(x, l, d);
    }
    if (q < 0) {
        text_put(&x->out,
                 "  may be in UB: every segment starts at a multiple of 32 bytes\n");
    } else {
        text_printf(
            &x->out,
            "  only in global memory: segment %lld starts at byte %lld, which is no "
            "multiple of 32\n",
            (long long)q, (long long)offset_of(l, q) * x->size);
    }
}

/* ---- picture ------------------------------------------------------------- */

/* A run of a line: elements of one segment, or elements between segments. */
typedef struct Run {
    int64_t first, len;
    /* index of the segment in the line; -1 for elements between segments */
    int64_t segment;
} Run;

/* Finds run number i of a selected line; returns false if there is none. Before and after
 * each segment there is a gap, which may be empty. */
static bool
run_at(const Explain *x, const Info *l, int64_t i, Run *r)
{
    const SliceFields *f = &l->f[0];
    int64_t k = i / 2, n = l->count[0];
    int64_t segment = f->start + k * (x->segment + f->stride);
    int64_t before = k == 0 ? 0 : segment - f->stride;
    if (i == 2 * n) {
        int64_t end = segment - f->stride;
        *r = (Run){end, f->shape - end, -1};
    } else if (i % 2 == 0) {
        *r = (Run){before, segment - before, -1};
    } else {
        *r = (Run){segment, x->segment, k};
    }
    return i <= 2 * n;
}

static char
letter(int64_t q)
{
    static const char letters[] =
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return q < 0 ? '.' : letters[q % (int64_t)(sizeof letters - 1)];
}

static void
repeat(Text *t, char c, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        text_putc(t, c);
    }
}

/* Returns how many characters a run takes. */
static int64_t
width_of(const Run *r)
{
    return r->len > LONG_RUN ? 2 * END + 1 : r->len;
}

static void
draw_run(Text *t, const Run *r, char c)
{
    if (r->len > LONG_RUN) {
        repeat(t, c, END);
        text_putc(t, '~');
        repeat(t, c, END);
    } else {
        repeat(t, c, r->len);
    }
}

/* Returns whether run i is left out of the middle of a row of 2n+1 runs; *skip is the
 * first one after those that are. */
static bool
left_out(int64_t i, int64_t n, int64_t *skip)
{
    int64_t runs = 2 * n + 1, head = MOST_RUNS / 2 + 1;
    *skip = runs - (MOST_RUNS - head);
    return runs > MOST_RUNS && i >= head && i < *skip;
}

static void
draw_ruler(Explain *x, const Info *l)
{
    Run r;
    int64_t used = 0, at = 0, skip;
    text_put(&x->out, "         ");
    for (int64_t i = 0; run_at(x, l, i, &r); i++) {
        if (left_out(i, l->count[0], &skip)) {
            at += 5;
            i = skip - 1;
            continue;
        }
        const char *number = arena_printf(&x->u->arena, "%lld", (long long)r.first);
        if (r.len > 0 && (at > used || used == 0)) {
            repeat(&x->out, ' ', at - used);
            text_put(&x->out, number);
            used = at + (int64_t)strlen(number);
        }
        at += width_of(&r);
    }
    text_putc(&x->out, '\n');
}

/* Draws a line of the picture; first is the number of its first segment, or -1 if the
 * line is not selected. */
static void
draw_line(Explain *x, const Info *l, int64_t line, int64_t first)
{
    Run r;
    int64_t skip;
    text_printf(&x->out, "  %5lld  ", (long long)line);
    for (int64_t i = 0; run_at(x, l, i, &r); i++) {
        if (left_out(i, l->count[0], &skip)) {
            text_put(&x->out, " ... ");
            i = skip - 1;
            continue;
        }
        draw_run(&x->out, &r,
                 letter(r.segment < 0 || first < 0 ? -1 : first + r.segment));
    }
    text_putc(&x->out, '\n');
}

/* Returns the number of the line's first segment, or -1 if the line is not selected. */
static int64_t
first_of_line(const Info *l, int64_t line)
{
    if (l->dims == 1) {
        return 0;
    }
    const SliceFields *f = &l->f[1];
    int64_t k = (line - f->start) / (1 + f->stride);
    bool in = line >= f->start && (line - f->start) % (1 + f->stride) == 0;
    return in && k < l->count[1] ? k * l->count[0] : -1;
}

static void
draw(Explain *x, const Info *l)
{
    int64_t lines = l->dims == 1 ? 1 : l->f[1].shape;
    bool cut = lines > MOST_LINES;
    int64_t top = cut ? l->f[1].start : 0;
    top = cut && top > 2 ? top - 1 : 0;
    int64_t head = cut ? top + MOST_LINES - 4 : lines;
    head = head > lines - 2 ? lines : head;
    draw_ruler(x, l);
    if (top > 0) {
        text_printf(&x->out, "         (%lld lines before)\n", (long long)top);
    }
    for (int64_t i = top; i < lines; i++) {
        if (i == head) {
            i = lines - 2;
            text_printf(&x->out, "         (%lld lines)\n", (long long)(i - head));
        }
        draw_line(x, l, i, first_of_line(l, i));
    }
    if (l->dims > 2) {
        text_put(&x->out,
                 "         (the first of the selected planes of the other dimensions)\n");
    }
}

/* ---- table --------------------------------------------------------------- */

static void
table_row(Explain *x, int64_t q)
{
    int64_t src = offset_of(&x->src, q);
    text_printf(&x->out, "  %7lld %5c %12lld %12lld", (long long)q, letter(q),
                (long long)src, (long long)src * x->size);
    if (x->both) {
        int64_t dst = offset_of(&x->dst, q);
        text_printf(&x->out, " %12lld %12lld", (long long)dst, (long long)dst * x->size);
    }
    text_putc(&x->out, '\n');
}

static void
table(Explain *x)
{
    int64_t n = x->src.total, head = n > MOST_ROWS ? MOST_ROWS - 4 : n;
    text_printf(&x->out, "  %7s %5s %12s %12s%s\n", "segment", "drawn", "src element",
                "src byte", x->both ? "  dst element     dst byte" : "");
    for (int64_t q = 0; q < n; q++) {
        if (q == head) {
            q = n - 2;
            text_printf(&x->out, "  (%lld segments)\n", (long long)(q - head));
        }
        table_row(x, q);
    }
}

static void
print_groups(Explain *x)
{
    for (int d = 0; d < x->src.dims; d++) {
        if (x->src.count[d] != x->dst.count[d]) {
            text_put(&x->out,
                     "The lists group their segments in different ways; they go over in "
                     "order (slice-regroup).\n\n");
            return;
        }
    }
}

int
cmd_explain_slice(Cmd *c)
{
    Explain x = {.u = &c->unit};
    bool ok = true;
    text_init(&x.out, &c->unit.arena);
    if (read_arguments(&x, c) && rules(&x, c)) {
        Info *lists[] = {&x.src, &x.dst};
        for (int i = 0; i <= x.both; i++) {
            print_numbers(&x, lists[i]);
            draw(&x, lists[i]);
            text_putc(&x.out, '\n');
        }
        if (x.both) {
            print_groups(&x);
        }
        table(&x);
        ok = io_print(x.u, x.out.p, x.out.n);
    }
    int code = report_unit(c);
    return ok ? code : EXIT_IO;
}
