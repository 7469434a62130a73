/* disasm.c: tikblob_disassemble makes a text of a blob, with a line for each descriptor,
 * of which asm.c makes the same bytes. docs/blob-format.md describes the text. It is
 * hosted.
 *
 * Numbers that the writer computes are not printed: offsets, checksums, links, counts of
 * registers. */
#include "blob/blob.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Out {
    char *p;
    size_t n, cap;
    bool failed;
} Out;

static void put(Out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static bool
reserve(Out *o, size_t n)
{
    if (o->cap - o->n > n) {
        return true;
    }
    size_t cap = o->cap * 2 + n + 256;
    char *p = o->failed ? NULL : realloc(o->p, cap);
    if (p == NULL) {
        o->failed = true;
        return false;
    }
    o->p = p;
    o->cap = cap;
    return true;
}

static void
put(Out *o, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    if (reserve(o, 200)) {
        o->n += (size_t)vsnprintf(o->p + o->n, 200, fmt, ap);
    }
    va_end(ap);
}

static void
put_text(Out *o, const char *text, size_t n)
{
    put(o, "\"");
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\') {
            put(o, "\\%c", c);
        } else if (c < 0x20 || c == 0x7f) {
            put(o, "\\x%02x", c);
        } else {
            put(o, "%c", c);
        }
    }
    put(o, "\"");
}

/* ---- operands ------------------------------------------------------------ */

static void
put_number(Out *o, const TikNum *n)
{
    switch (n->kind) {
    case NUM_IMM:
        put(o, "%" PRId64, n->imm);
        break;
    case NUM_REG:
        put(o, "r%u", n->index);
        break;
    case NUM_LOOP:
        put(o, "s%u", n->index);
        break;
    case NUM_CORE:
        put(o, "core");
        break;
    }
}

static void
put_operand(Out *o, const TikOperand *t)
{
    put(o, "%s[%u, %" PRId64, dtype_name(t->dtype), t->region, t->offset);
    for (int i = 0; i < t->nterms; i++) {
        put(o, ", %" PRId64 "*", t->terms[i].coef);
        put_number(o, &t->terms[i].num);
    }
    put(o, "]");
}

static void
put_mask(Out *o, const TikDesc *d, int param)
{
    static const char *const names[] = {"count", "bits", "bits4", "counter"};
    put(o, "%s(", names[d->mask_form]);
    for (int i = 0; i < mask_words(d->mask_form); i++) {
        put(o, "%s", i ? ", " : "");
        put_number(o, &d->args[param].mask[i]);
    }
    put(o, ")");
}

static void
put_instr(Out *o, const TikDesc *d)
{
    int n;
    const ParamInfo *p = form_params(op_table[d->op].form, &n);
    put(o, "%s%s", op_table[d->op].name, d->checked ? " checked" : "");
    for (int i = 0; i < n; i++) {
        if (p[i].role == ROLE_MASKMODE) {
            continue;
        }
        put(o, " %s=", p[i].name);
        if (p[i].role == ROLE_DST || p[i].role == ROLE_SRC || p[i].role == ROLE_ROOT) {
            put_operand(o, &d->args[i].t);
        } else if (p[i].role == ROLE_MASK) {
            put_mask(o, d, i);
        } else {
            put_number(o, &d->args[i].v);
        }
    }
}

/* ---- descriptors --------------------------------------------------------- */

static void
put_alu(Out *o, const TikDesc *d)
{
    put(o, "r%u = %s %s ", d->reg, scalar_op_table[d->alu_op].name, dtype_name(d->dtype));
    if (blob_has_from(d->alu_op)) {
        put(o, "%s ", dtype_name(d->from));
    }
    put_number(o, &d->a);
    if (scalar_op_table[d->alu_op].arity == 2) {
        put(o, " ");
        put_number(o, &d->b);
    }
}

static void
put_loop(Out *o, const TikDesc *d)
{
    put(o, "loop s%u = ", d->slot);
    put_number(o, &d->a);
    put(o, " ");
    put_number(o, &d->b);
}

static void
put_desc(Out *o, const TikDesc *d)
{
    switch (d->kind) {
    case DESC_LOOP:
        put_loop(o, d);
        break;
    case DESC_ENDLOOP:
        put(o, "endloop s%u", d->slot);
        break;
    case DESC_IF:
        put(o, "if ");
        put_number(o, &d->a);
        break;
    case DESC_ELSE:
        put(o, "else");
        break;
    case DESC_ENDIF:
        put(o, "endif");
        break;
    case DESC_BREAK:
        put(o, "break");
        break;
    case DESC_CONTINUE:
        put(o, "continue");
        break;
    case DESC_RETURN:
        put(o, "return");
        break;
    case DESC_ALU:
        put_alu(o, d);
        break;
    case DESC_LOAD:
        put(o, "r%u = load%s ", d->reg, d->checked ? " checked" : "");
        put_operand(o, &d->operand);
        break;
    case DESC_STORE:
        put(o, "store%s ", d->checked ? " checked" : "");
        put_operand(o, &d->operand);
        put(o, " ");
        put_number(o, &d->a);
        break;
    case DESC_INSTR:
        put_instr(o, d);
        break;
    }
}

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
put_header(Out *o, const TikBlob *b, const TikBlobKernel *k)
{
    put(o, "kernel ");
    put_text(o, k->name, strlen(k->name));
    put(o, " cores %u steps %" PRIu64 "%s%s%s%s\n", k->cores, k->step_bound,
        k->flags & TIKBLOB_FILL_SCRATCH ? " fill" : "",
        k->flags & TIKBLOB_ORDERED ? " ordered" : "",
        k->flags & TIKBLOB_ANY_CORES ? " any" : "",
        k->flags & TIKBLOB_QUEUES ? " queues" : "");
    for (int i = 0; i < SC_COUNT; i++) {
        if (blob_has_peak(i) && k->peak[i] != 0) {
            put(o, "peak %s %" PRId64 "\n", scope_name((Scope)i), k->peak[i]);
        }
    }
    for (uint32_t i = 0; i < k->nargs; i++) {
        TikBlobArg a;
        tikblob_arg(b, k, (int)i, &a);
        put(o, "arg ");
        put_text(o, a.name, strlen(a.name));
        put(o, " %s %s (", argrole_name((ArgRole)a.role), dtype_name(a.dtype));
        for (int d = 0; d < a.ndim; d++) {
            put(o, "%s%" PRId64, d ? ", " : "", a.shape[d]);
        }
        put(o, ")");
        if (a.preset) {
            put(o, " preset %" PRId64, a.preset_value);
        }
        put(o, "%s\n", a.open ? " open" : "");
    }
}

enum {
    BYTES_PER_LINE = 32
};

static void
put_pack(Out *o, const TikBlobPack *p)
{
    put(o, " %s %s %u %u %u %u%s%s%s%s", p->packed ? "packed" : "plain",
        dtype_name(p->weight), p->dim[0], p->dim[1], p->dim[2], p->dim[3],
        p->nibbles ? " nibbles" : "", p->depthwise ? " depthwise" : "",
        p->requant ? " requant" : "", p->bias ? " bias" : "");
}

/* Prints where the parts of a row are, as a comment, because the reader computes them. */
static void
put_parts(Out *o, const PackPlan *p)
{
    static const char *const names[] = {"requant", "bias", "weight"};
    put(o, "# %" PRIu64 " rows of %" PRIu64 " bytes, %" PRIu64 " channels in a row\n",
        p->rows, p->row_bytes, p->slots);
    for (int i = 0; i < p->nparts; i++) {
        const PackPart *q = &p->part[i];
        put(o, "#   %-7s at %" PRIu64 ": %" PRIu64 " bytes every %" PRIu64 "\n",
            names[q->kind], q->offset, q->slot_bytes, q->pitch);
    }
}

/* Prints lines of bytes in hexadecimal, without the zeros that pad a table. */
static void
put_table(Out *o, const TikBlobRegion *r)
{
    put(o, "table bytes %" PRId64, r->bytes);
    if (r->pack.present) {
        put_pack(o, &r->pack);
    }
    put(o, "\n");
    if (r->pack.present) {
        put_parts(o, &r->pack.plan);
    }
    for (int64_t i = 0; i < r->bytes; i++) {
        put(o, "%s%02x", i % BYTES_PER_LINE == 0 ? "data " : "", r->data[i]);
        if (i % BYTES_PER_LINE == BYTES_PER_LINE - 1 || i == r->bytes - 1) {
            put(o, "\n");
        }
    }
}

static void
put_regions(Out *o, const TikBlob *b, const TikBlobKernel *k)
{
    for (uint32_t i = 0; i < k->nregions; i++) {
        TikBlobRegion r;
        tikblob_region(b, k, (int)i, &r);
        put(o, "region %u ", i);
        put_text(o, r.name, strlen(r.name));
        put(o, " %s %s ", scope_name(r.scope), dtype_name(r.dtype));
        if (r.kind == TIKBLOB_TABLE) {
            put_table(o, &r);
        } else if (r.scope == SC_GM) {
            put(o, r.kind == TIKBLOB_LIST ? "list %" PRId64 "\n" : "arg %" PRId64 "\n",
                r.base);
        } else {
            put(o, "at %" PRId64 " bytes %" PRId64 "%s\n", r.base, r.bytes,
                r.open ? " open" : "");
        }
    }
}

/* The records of NAME that are still to be printed. */
typedef struct NameReader {
    uint32_t next, left;
} NameReader;

static void
put_names(Out *o, const TikBlob *b, int kernel, NameReader *r, uint32_t descriptor)
{
    TikBlobName name;
    for (; r->left > 0; r->next++, r->left--) {
        tikblob_name(b, kernel, r->next, &name);
        if (name.descriptor != descriptor) {
            return;
        }
        put(o, " named ");
        put_text(o, name.name, strlen(name.name));
        put(o, " %s %c%u", dtype_name(name.dtype), name.num.kind == NUM_LOOP ? 's' : 'r',
            name.num.index);
    }
}

/* Returns the frame of the next descriptor. */
static void
put_frame(Out *o, RunReader *r)
{
    if (r->n == 0 && !blob_run_next(r)) {
        return;
    }
    r->n--;
    if (r->frame != 0) {
        put(o, " in %u", r->frame);
    }
}

/* Readers that advance with the descriptors of all kernels. */
typedef struct Along {
    LineReader lines;
    RunReader runs;
} Along;

static bool
put_code(Out *o, const TikBlob *b, int kernel, Along *also, TikBlobDiag *diag)
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
    put(o, "code\n");
    while (more > 0 && (more = tikblob_next(&c, d, diag)) > 0) {
        depth -= closes(d->kind) && depth > 1;
        put(o, "%*s", 2 * (depth < 40 ? depth : 40), "");
        depth += opens(d->kind);
        put_desc(o, d);
        const char *file = (const char *)blob_bytes(b, SEC_STRS);
        if (lines->p != NULL && blob_line_next(lines) && file[lines->file] != 0) {
            put(o, " @ ");
            put_text(o, file + lines->file, strlen(file + lines->file));
            put(o, " %u:%u", lines->line, lines->column);
        }
        put_frame(o, &also->runs);
        put_names(o, b, kernel, &names, d->index);
        put(o, "\n");
    }
    put(o, "end\n");
    free(d);
    return more == 0;
}

/* Returns whether the blob has parts that the text cannot express: later versions,
 * sections of other readers. */
static bool
is_plain(const TikBlob *b, TikBlobDiag *diag)
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
put_choices(Out *o, const Choices *c)
{
    for (int i = 0; i < CHOICE_COUNT; i++) {
        int reading = chosen(c, (Choice)i);
        if (reading != 0) {
            put(o, "choice %s \"%s\"\n", choice_info((Choice)i)->number,
                choice_reading((Choice)i, reading)->name);
        }
    }
}

static void
put_frames(Out *o, const TikBlob *b)
{
    for (uint32_t i = 1; i <= tikblob_frames(b); i++) {
        TikBlobFrame f;
        tikblob_frame(b, i, &f);
        put(o, "frame %u %u ", i, f.parent);
        put_text(o, f.callee, strlen(f.callee));
        if (*f.file != 0) {
            put(o, " @ ");
            put_text(o, f.file, strlen(f.file));
            put(o, " %u:%u", f.line, f.column);
        }
        put(o, "\n");
    }
}

bool
tikblob_disassemble(const uint8_t *bytes, size_t size, char **text, TikBlobDiag *diag)
{
    TikBlob b;
    Out o = {0};
    *text = NULL;
    if (!tikblob_open(&b, bytes, size, diag) || !tikblob_identify(&b, diag) ||
        !is_plain(&b, diag)) {
        return false;
    }
    put(&o, "blob %d.%d %s\n", TIKBLOB_MAJOR, TIKBLOB_MINOR, b.soc->name);
    put_choices(&o, &b.choices);
    const TikBlobSection *meta = blob_section(&b, SEC_META);
    if (meta != NULL) {
        put(&o, "meta ");
        put_text(&o, (const char *)bytes + meta->offset, meta->size);
        put(&o, "\n");
    }
    put_frames(&o, &b);
    const TikBlobSection *line = blob_section(&b, SEC_LINE);
    Along also = {.runs = blob_runs(&b)};
    if (line != NULL) {
        also.lines.p = bytes + line->offset;
        also.lines.end = also.lines.p + line->size;
    }
    bool ok = true;
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
