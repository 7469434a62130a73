/* disasm.c: tikblob_disassemble makes a text of a blob, with a line for each descriptor,
 * of which asm.c makes the same bytes. docs/blob-format.md describes the text. It is
 * hosted.
 *
 * Numbers that the writer computes are not printed: offsets, checksums, links, counts of
 * registers. */
#include "blob/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool
closes(TikDescKind k)
{
    return k == DESC_ENDLOOP || k == DESC_ELSE || k == DESC_ENDIF;
}

static bool
opens(TikDescKind k)
{
    return k == DESC_LOOP || k == DESC_IF || k == DESC_ELSE;
}

/* ---- kernels ------------------------------------------------------------- */

static void
put_header(BlobText *o, const TikBlob *b, const TikBlobKernel *k)
{
    blob_put(o, "kernel ");
    blob_put_quoted(o, k->name, strlen(k->name));
    blob_put(o, " cores %u steps %" PRIu64 "%s%s%s%s\n", k->cores, k->step_bound,
             k->flags & TIKBLOB_FILL_SCRATCH ? " fill" : "",
             k->flags & TIKBLOB_ORDERED ? " ordered" : "",
             k->flags & TIKBLOB_ANY_CORES ? " any" : "",
             k->flags & TIKBLOB_QUEUES ? " queues" : "");
    for (int i = 0; i < SC_COUNT; i++) {
        if (blob_has_peak(i) && k->peak[i] != 0) {
            blob_put(o, "peak %s %" PRId64 "\n", scope_name((Scope)i), k->peak[i]);
        }
    }
    for (uint32_t i = 0; i < k->nargs; i++) {
        TikBlobArg a;
        tikblob_arg(b, k, (int)i, &a);
        blob_put(o, "arg ");
        blob_put_quoted(o, a.name, strlen(a.name));
        blob_put(o, " %s %s (", argrole_name((ArgRole)a.role), dtype_name(a.dtype));
        for (int d = 0; d < a.ndim; d++) {
            blob_put(o, "%s%" PRId64, d ? ", " : "", a.shape[d]);
        }
        blob_put(o, ")");
        if (a.preset) {
            blob_put(o, " preset %" PRId64, a.preset_value);
        }
        blob_put(o, "%s\n", a.open ? " open" : "");
    }
}

enum {
    BYTES_PER_LINE = 32
};

static void
put_pack(BlobText *o, const TikBlobPack *p)
{
    blob_put(o, " %s %s %u %u %u %u%s%s%s%s", p->packed ? "packed" : "plain",
             dtype_name(p->weight), p->dim[0], p->dim[1], p->dim[2], p->dim[3],
             p->nibbles ? " nibbles" : "", p->depthwise ? " depthwise" : "",
             p->requant ? " requant" : "", p->bias ? " bias" : "");
}

/* Prints where the parts of a row are, as a comment, because the reader computes them. */
static void
put_parts(BlobText *o, const PackPlan *p)
{
    static const char *const names[] = {"requant", "bias", "weight"};
    blob_put(o,
             "# %" PRIu64 " rows of %" PRIu64 " bytes, %" PRIu64 " channels in a row\n",
             p->rows, p->row_bytes, p->slots);
    for (int i = 0; i < p->nparts; i++) {
        const PackPart *q = &p->part[i];
        blob_put(o, "#   %-7s at %" PRIu64 ": %" PRIu64 " bytes every %" PRIu64 "\n",
                 names[q->kind], q->offset, q->slot_bytes, q->pitch);
    }
}

/* Prints lines of bytes in hexadecimal, without the zeros that pad a table. */
static void
put_table(BlobText *o, const TikBlobRegion *r)
{
    blob_put(o, "table bytes %" PRId64, r->bytes);
    if (r->pack.present) {
        put_pack(o, &r->pack);
    }
    blob_put(o, "\n");
    if (r->pack.present) {
        put_parts(o, &r->pack.plan);
    }
    for (int64_t i = 0; i < r->bytes; i++) {
        blob_put(o, "%s%02x", i % BYTES_PER_LINE == 0 ? "data " : "", r->data[i]);
        if (i % BYTES_PER_LINE == BYTES_PER_LINE - 1 || i == r->bytes - 1) {
            blob_put(o, "\n");
        }
    }
}

static void
put_regions(BlobText *o, const TikBlob *b, const TikBlobKernel *k)
{
    for (uint32_t i = 0; i < k->nregions; i++) {
        TikBlobRegion r;
        tikblob_region(b, k, (int)i, &r);
        blob_put(o, "region %u ", i);
        blob_put_quoted(o, r.name, strlen(r.name));
        blob_put(o, " %s %s ", scope_name(r.scope), dtype_name(r.dtype));
        if (r.kind == TIKBLOB_TABLE) {
            put_table(o, &r);
        } else if (r.scope == SC_GM) {
            blob_put(o,
                     r.kind == TIKBLOB_LIST ? "list %" PRId64 "\n" : "arg %" PRId64 "\n",
                     r.base);
        } else {
            blob_put(o, "at %" PRId64 " bytes %" PRId64 "%s\n", r.base, r.bytes,
                     r.open ? " open" : "");
        }
    }
}

/* The records of NAME that are still to be printed. */
typedef struct NameReader {
    uint32_t next, left;
} NameReader;

static void
put_names(BlobText *o, const TikBlob *b, int kernel, NameReader *r, uint32_t descriptor)
{
    TikBlobName name;
    for (; r->left > 0; r->next++, r->left--) {
        tikblob_name(b, kernel, r->next, &name);
        if (name.descriptor != descriptor) {
            return;
        }
        blob_put(o, " named ");
        blob_put_quoted(o, name.name, strlen(name.name));
        blob_put(o, " %s %c%u", dtype_name(name.dtype),
                 name.num.kind == NUM_LOOP ? 's' : 'r', name.num.index);
    }
}

/* Returns the frame of the next descriptor. */
static void
put_frame(BlobText *o, RunReader *r)
{
    if (r->n == 0 && !blob_run_next(r)) {
        return;
    }
    r->n--;
    if (r->frame != 0) {
        blob_put(o, " in %u", r->frame);
    }
}

/* Readers that advance with the descriptors of all kernels. */
typedef struct Along {
    LineReader lines;
    RunReader runs;
} Along;

static bool
put_code(BlobText *o, const TikBlob *b, int kernel, Along *also, TikBlobDiag *diag)
{
    LineReader *lines = &also->lines;
    TikCursor c;
    TikDesc *d = calloc(1, sizeof *d);
    int more = d == NULL ? -1 : 1;
    int depth = 1;
    tikblob_cursor(&c, b, kernel);
    blob_line_kernel(lines);
    NameReader names;
    tikblob_names(b, kernel, &names.next, &names.left);
    blob_put(o, "code\n");
    while (more > 0 && (more = tikblob_next(&c, d, diag)) > 0) {
        depth -= closes(d->kind) && depth > 1;
        blob_put(o, "%*s", 2 * (depth < 40 ? depth : 40), "");
        depth += opens(d->kind);
        blob_put_desc(o, d);
        const char *file = (const char *)blob_bytes(b, SEC_STRS);
        if (lines->p != NULL && blob_line_next(lines) && file[lines->file] != 0) {
            blob_put(o, " @ ");
            blob_put_quoted(o, file + lines->file, strlen(file + lines->file));
            blob_put(o, " %u:%u", lines->line, lines->column);
        }
        put_frame(o, &also->runs);
        put_names(o, b, kernel, &names, d->index);
        blob_put(o, "\n");
    }
    blob_put(o, "end\n");
    free(d);
    return more == 0;
}

bool
blob_is_plain(const TikBlob *b, TikBlobDiag *diag)
{
    int known = 0;
    for (int i = 0; i < SEC_COUNT; i++) {
        known += b->known[i] >= 0;
    }
    if (known != b->nsections || get16(b->bytes + 10) != TIKBLOB_MINOR) {
        return blob_bad(diag, BLOB_SECTION_UNKNOWN, SEC_COUNT, HEADER_BYTES);
    }
    return true;
}

static void
put_choices(BlobText *o, const Choices *c)
{
    for (int i = 0; i < CHOICE_COUNT; i++) {
        int reading = chosen(c, (Choice)i);
        if (reading != 0) {
            blob_put(o, "choice %s \"%s\"\n", choice_info((Choice)i)->number,
                     choice_reading((Choice)i, reading)->name);
        }
    }
}

static void
put_frames(BlobText *o, const TikBlob *b)
{
    for (uint32_t i = 1; i <= tikblob_frames(b); i++) {
        TikBlobFrame f;
        tikblob_frame(b, i, &f);
        blob_put(o, "frame %u %u ", i, f.parent);
        blob_put_quoted(o, f.callee, strlen(f.callee));
        if (*f.file != 0) {
            blob_put(o, " @ ");
            blob_put_quoted(o, f.file, strlen(f.file));
            blob_put(o, " %u:%u", f.line, f.column);
        }
        blob_put(o, "\n");
    }
}

bool
tikblob_disassemble(const uint8_t *bytes, size_t size, char **text, TikBlobDiag *diag)
{
    TikBlob b;
    BlobText o = {0};
    *text = NULL;
    if (!tikblob_open(&b, bytes, size, diag) || !tikblob_identify(&b, diag) ||
        !blob_is_plain(&b, diag)) {
        return false;
    }
    blob_put(&o, "blob %d.%d %s\n", TIKBLOB_MAJOR, TIKBLOB_MINOR, b.soc->name);
    put_choices(&o, &b.choices);
    const TikBlobSection *meta = blob_section(&b, SEC_META);
    if (meta != NULL) {
        blob_put(&o, "meta ");
        blob_put_quoted(&o, (const char *)bytes + meta->offset, meta->size);
        blob_put(&o, "\n");
    }
    put_frames(&o, &b);
    const TikBlobSection *line = blob_section(&b, SEC_LINE);
    Along also = {.runs = blob_runs(&b)};
    if (line != NULL) {
        also.lines.p = bytes + line->offset;
        also.lines.end = also.lines.p + line->size;
    }
    bool ok = true;
    blob_no_memory(diag);
    for (int i = 0; i < b.nkernels && ok; i++) {
        TikBlobKernel k;
        tikblob_kernel(&b, i, &k);
        put_header(&o, &b, &k);
        put_regions(&o, &b, &k);
        ok = put_code(&o, &b, i, &also, diag);
    }
    if (!ok || o.failed) {
        free(o.p);
        return false;
    }
    *text = o.p;
    return true;
}
