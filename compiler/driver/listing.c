/* listing.c: writes the page of build --emit html: what a program became, step by step.
 * Each line of IR and each descriptor has the place in the source that it was made for,
 * and the page's script marks those of one line together. The bytes of descriptors are
 * what 'tikc dump' prints. */
#include "driver/listing.h"
#include "driver/page.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_LINES = 10000, /* of IR, of all kernels together, before and after passes each */
    MOST_DESCRIPTORS = 20000
};

/* Where a line was made for: an index in the list of files, or -1. */
typedef struct Place {
    int32_t file;
    uint32_t line;
} Place;

typedef VEC(Place) Places;

/* The text of a kernel, and the place of each line. */
typedef struct IrText {
    const Kernel *k;
    Text text;
    Places places;
    size_t seen; /* bytes of the text whose lines have places */
} IrText;

/* What is known of a descriptor. */
typedef struct Row {
    Place place;
    const char *queue; /* null: the dispatcher executes it */
    uint64_t offset, bytes;
    const char *text;
} Row;

struct Listing {
    Cmd *c;
    Arena *a;
    VEC(IrText *) staged;
    VEC(const char *) files;
    int before, after, descriptors; /* lines and descriptors for which there is room */
    VEC(Row) rows;                  /* of the blob, in the order of the file */
};

Listing *
listing_begin(Cmd *c)
{
    Listing *l = ARENA_NEW(&c->unit.arena, Listing);
    l->c = c;
    l->a = &c->unit.arena;
    l->before = l->after = MOST_LINES;
    l->descriptors = MOST_DESCRIPTORS;
    return l;
}

/* ---- IR ------------------------------------------------------------------ */

static int32_t
file_of(Listing *l, const char *path)
{
    for (uint32_t i = 0; i < l->files.n; i++) {
        if (strcmp(l->files.p[i], path) == 0) {
            return (int32_t)i;
        }
    }
    VEC_PUSH(l->a, &l->files, path);
    return (int32_t)l->files.n - 1;
}

typedef struct Printing {
    Listing *l;
    IrText *ir;
} Printing;

/* Gives a statement's line its place, and the lines before it none. */
static void
note_line(void *to, size_t end, Span span)
{
    Printing *p = to;
    IrText *ir = p->ir;
    Unit *u = &p->l->c->unit;
    for (; ir->seen < end; ir->seen++) {
        if (ir->text.p[ir->seen] == '\n') {
            VEC_PUSH(p->l->a, &ir->places, (Place){-1, 0});
        }
    }
    Place at = {-1, 0};
    if (span.file && span.file < u->sources.n) {
        Source *src = &u->sources.p[span.file];
        at = (Place){file_of(p->l, src->path),
                     source_line_col(&u->arena, src, span.begin).line};
    }
    VEC_PUSH(p->l->a, &ir->places, at);
    ir->seen = end + 1;
}

static IrText *
print_ir(Listing *l, const Kernel *k)
{
    IrText *ir = ARENA_NEW(l->a, IrText);
    ir->k = k;
    text_init(&ir->text, l->a);
    ir_print_lines(k, &ir->text, note_line, &(Printing){l, ir});
    return ir;
}

void
listing_staged(void *to, const Kernel *k)
{
    Listing *l = to;
    VEC_PUSH(l->a, &l->staged, print_ir(l, k));
}

static const IrText *
staged_of(const Listing *l, const Kernel *k)
{
    for (uint32_t i = 0; i < l->staged.n; i++) {
        if (l->staged.p[i]->k == k) {
            return l->staged.p[i];
        }
    }
    return NULL;
}

/* Puts the lines for which there is room: of each the file or -1, the line, the text. */
static void
put_ir(Listing *l, const char *key, const IrText *ir, int *room, Text *out)
{
    const char *at = ir ? ir->text.p : "";
    uint32_t n = 0;
    json_open(out, key, '[');
    for (; *at && *room > 0; n++, --*room) {
        const char *end = strchr(at, '\n');
        Place p = n < ir->places.n ? ir->places.p[n] : (Place){-1, 0};
        json_open(out, NULL, '[');
        json_number(out, NULL, p.file);
        json_count(out, NULL, p.line);
        json_text(out, NULL, arena_strndup(l->a, at, (size_t)(end - at)));
        json_close(out, ']');
        at = end + 1;
    }
    json_close(out, ']');
    uint64_t left = 0;
    for (; *at; at++) {
        left += *at == '\n';
    }
    json_count(out, arena_printf(l->a, "%s_left", key), left);
}

/* ---- descriptors --------------------------------------------------------- */

/* Keeps the bytes and the text of a descriptor, as dump has them. */
static void
add_field(void *to, const TikBlobField *f)
{
    Listing *l = to;
    if (strcmp(f->part, "CODE") == 0 && strcmp(f->name, "descriptor") == 0) {
        VEC_PUSH(l->a, &l->rows,
                 (Row){.place = {-1, 0},
                       .offset = f->offset,
                       .bytes = f->bytes,
                       .text = arena_strdup(l->a, f->value)});
    }
}

typedef struct KernelRows {
    Listing *l;
    uint32_t first, n; /* in Listing.rows */
} KernelRows;

static void
set_place(void *to, uint32_t descriptor, const char *file, uint32_t line, uint32_t column)
{
    KernelRows *r = to;
    (void)column;
    if (descriptor < r->n) {
        r->l->rows.p[r->first + descriptor].place = (Place){file_of(r->l, file), line};
    }
}

/* Finds the rows of a kernel: those of the kernels of a blob follow each other. */
static KernelRows
rows_of(Listing *l, const TikBlob *b, int kernel)
{
    KernelRows r = {.l = l};
    TikBlobKernel k;
    for (int i = 0; i <= kernel; i++) {
        r.first += r.n;
        tikblob_kernel(b, i, &k);
        r.n = k.ndescriptors;
    }
    TikCursor cursor;
    TikDesc *d = ARENA_NEW(l->a, TikDesc);
    tikblob_cursor(&cursor, b, kernel);
    while (tikblob_next(&cursor, d, NULL) > 0) {
        l->rows.p[r.first + d->index].queue =
            d->kind == DESC_INSTR ? tikblob_queue(b, &k, d) : NULL;
    }
    tikblob_places(b, kernel, set_place, &r);
    return r;
}

static void
put_hex(Text *out, const uint8_t *p, uint64_t n)
{
    json_key(out, NULL);
    text_putc(out, '"');
    for (uint64_t i = 0; i < n; i++) {
        text_printf(out, "%02x", p[i]);
    }
    text_putc(out, '"');
}

/* Puts the descriptors for which there is room: of each the file or -1, the line, the
 * queue or "", the offset in the file, the bytes, the text. */
static void
put_descriptors(Listing *l, const TikBlob *b, int kernel, Text *out)
{
    KernelRows rows = rows_of(l, b, kernel);
    uint32_t i = 0;
    json_open(out, "descriptors", '[');
    for (; i < rows.n && l->descriptors > 0; i++, l->descriptors--) {
        const Row *r = &l->rows.p[rows.first + i];
        json_open(out, NULL, '[');
        json_number(out, NULL, r->place.file);
        json_count(out, NULL, r->place.line);
        json_text(out, NULL, r->queue ? r->queue : "");
        json_count(out, NULL, r->offset);
        put_hex(out, b->bytes + r->offset, r->bytes);
        json_text(out, NULL, r->text);
        json_close(out, ']');
    }
    json_close(out, ']');
    json_count(out, "descriptors_left", rows.n - i);
}

/* ---- the page ------------------------------------------------------------ */

static void
put_kernels(Listing *l, const TikBlob *b, Kernel *const *kernels, int n, Text *out)
{
    json_open(out, "kernels", '[');
    for (int i = 0; i < n; i++) {
        json_open(out, NULL, '{');
        json_text(out, "name", sym_text(&l->c->unit.names, kernels[i]->name));
        put_ir(l, "before", staged_of(l, kernels[i]), &l->before, out);
        put_ir(l, "after", print_ir(l, kernels[i]), &l->after, out);
        put_descriptors(l, b, i, out);
        json_close(out, '}');
    }
    json_close(out, ']');
}

/* Puts the texts of the kernels, for who runs no scripts. */
static const char *
plain(const Listing *l, Kernel *const *kernels, int n)
{
    Text t;
    text_init(&t, l->a);
    for (int i = 0; i < n; i++) {
        ir_print(kernels[i], &t);
    }
    return t.p;
}

static bool
read_blob(Listing *l, Kernel *const *kernels, int n, TikBlob *b)
{
    const uint8_t *bytes;
    size_t size;
    TikBlobDiag diag;
    TRY(tikc_blob(&l->c->unit, kernels, n, &bytes, &size));
    return (tikblob_open(b, bytes, size, &diag) &&
            tikblob_fields(bytes, size, add_field, l, &diag)) ||
           blob_refused(l->c, NULL, 0, &diag);
}

bool
listing_add(Cmd *c, IoBatch *out, Kernel *const *kernels, int n)
{
    Listing *l = c->listing;
    TikBlob b;
    Text data, page;
    TRY(read_blob(l, kernels, n, &b));
    json_begin(c, &data);
    json_text(&data, "target", tikblob_soc_name(b.soc));
    json_count(&data, "blob_bytes", b.size);
    put_kernels(l, &b, kernels, n, &data);
    page_files(&c->unit, l->files.p, l->files.n, &data);
    json_close(&data, '}');
    text_init(&page, l->a);
    page_put(page_listing, &(PageContent){c->files.p[0], plain(l, kernels, n), &data},
             &page);
    return io_add(out, c->out, page.p, page.n);
}
