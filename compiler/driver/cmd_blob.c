/* cmd_blob.c: implements tikc disasm, asm, verify and strip. */
#include "driver/driver.h"
#include "tikproof.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- disasm -------------------------------------------------------------- */

static bool
disasm_text(Cmd *c)
{
    char *bytes;
    size_t size;
    TRY(io_read(&c->unit, c->files.p[0], &bytes, &size));
    char *text;
    TikBlobDiag diag;
    if (!tikblob_disassemble((uint8_t *)bytes, size, &text, &diag)) {
        return blob_refused(c, NULL, 0, &diag);
    }
    Text out;
    text_init(&out, &c->unit.arena);
    if (c->several) {
        text_printf(&out, "# %s\n", c->files.p[0]);
    }
    text_put(&out, text);
    free(text);
    return io_print(&c->unit, out.p, out.n);
}

static bool
disasm_json(Cmd *c)
{
    TikBlob b;
    Text out;
    TRY(blob_open(c, &b));
    json_begin(c, &out);
    blob_json(&b, &out);
    return json_end(c, &out);
}

static bool
disasm(Cmd *c)
{
    return report_json(c) ? disasm_json(c) : disasm_text(c);
}

int
cmd_disasm(Cmd *c)
{
    return blob_files(c, disasm);
}

/* ---- asm ----------------------------------------------------------------- */

/* Returns the byte range of a line (from 1) of the assembler's text, for the caret. */
static Span
line_span(Unit *u, uint32_t file, int line)
{
    uint32_t len;
    Source *src = &u->sources.p[file];
    const char *p = source_line(&u->arena, src, (uint32_t)line, &len);
    uint32_t begin = len || *p ? (uint32_t)(p - src->text) : src->len;
    return (Span){file, begin, begin + len};
}

/* Returns the output: that of -o, or the text's name with .tkb for what is after its last
 * dot. */
static const char *
asm_output(Cmd *c)
{
    const char *text = c->files.p[0];
    if (c->out) {
        return c->out;
    }
    const char *slash = strrchr(text, '/');
    const char *name = slash ? slash + 1 : text;
    const char *dot = strrchr(name, '.');
    size_t n = dot && dot > name ? (size_t)(dot - text) : strlen(text);
    return arena_printf(&c->unit.arena, "%.*s.tkb", (int)n, text);
}

static bool
written(Cmd *c, const char *out, size_t before, size_t size)
{
    if (!report_json(c)) {
        return true;
    }
    Text t;
    json_begin(c, &t);
    json_text(&t, "output", out);
    json_count(&t, "bytes_read", before);
    json_count(&t, "bytes", size);
    return json_end(c, &t);
}

static bool
assemble(Cmd *c)
{
    Unit *u = &c->unit;
    char *text;
    size_t len;
    if (!c->out && strcmp(c->files.p[0], "-") == 0) {
        return options_wrong(c, "asm of standard input needs -o BLOB");
    }
    const char *out = asm_output(c);
    TRY(options_spare(c, out) && io_read(u, c->files.p[0], &text, &len));
    uint32_t file = unit_add_source(u, c->files.p[0], text, len);
    uint8_t *bytes;
    size_t size;
    int line = 1;
    char error[300];
    if (!tikblob_assemble(text, len, &bytes, &size, &line, error, sizeof error)) {
        diag_add(u, D_SYNTAX, line_span(u, file, line), 0, "%s", error);
        return false;
    }
    bool ok = io_write(u, out, bytes, size) && written(c, out, len, size);
    free(bytes);
    return ok;
}

int
cmd_asm(Cmd *c)
{
    return blob_one_output(c) ? blob_files(c, assemble) : report_unit(c);
}

/* ---- strip --------------------------------------------------------------- */

static bool
strip(Cmd *c)
{
    char *bytes;
    size_t size, stripped;
    uint8_t *out;
    TikBlobDiag diag;
    const char *path = c->out ? c->out : c->files.p[0];
    TRY(io_read(&c->unit, c->files.p[0], &bytes, &size));
    if (!tikblob_strip((uint8_t *)bytes, size, &out, &stripped, &diag)) {
        return blob_refused(c, NULL, 0, &diag);
    }
    bool ok = io_write(&c->unit, path, out, stripped) && written(c, path, size, stripped);
    free(out);
    return ok;
}

int
cmd_strip(Cmd *c)
{
    return blob_one_output(c) ? blob_files(c, strip) : report_unit(c);
}

/* ---- verify -------------------------------------------------------------- */

static void
kernel_text(const TikBlobKernel *k, const TikBlobProof *proof, Text *out)
{
    text_printf(
        out,
        "%s: %u descriptors, %lld obligations proved, %lld checked at run time, at most "
        "%llu steps on each of %u cores%s; %llu steps of proof\n",
        k->name, k->ndescriptors, (long long)proof->proved, (long long)proof->checked,
        (unsigned long long)proof->steps, k->cores,
        (k->flags & TIKBLOB_QUEUES) != 0 ? ", queues in order" : "",
        (unsigned long long)proof->work);
}

static void
kernel_json(const TikBlobKernel *k, const TikBlobProof *proof, Text *out)
{
    json_open(out, NULL, '{');
    json_text(out, "name", k->name);
    json_count(out, "descriptors", k->ndescriptors);
    json_number(out, "proved", proof->proved);
    json_number(out, "checked", proof->checked);
    json_count(out, "steps", proof->steps);
    json_count(out, "work", proof->work);
    json_count(out, "cores", k->cores);
    json_bool(out, "queues", (k->flags & TIKBLOB_QUEUES) != 0);
}

static void
properties_text(const TikBlobProperty *p, Text *out)
{
    for (int i = 0; i < TIKBLOB_PROPERTIES; i++) {
        bool proved = p[i].verdict == TIKBLOB_PROVED;
        text_printf(out, "  %-3s %s: %s\n", tikblob_property_number((TikBlobPropertyId)i),
                    tikblob_verdict_name(p[i].verdict),
                    proved ? tikblob_property_text((TikBlobPropertyId)i) : p[i].text);
    }
}

/* Closes the object of the kernel, too. */
static void
properties_json(const TikBlobProperty *p, Text *out)
{
    json_open(out, "properties", '[');
    for (int i = 0; i < TIKBLOB_PROPERTIES; i++) {
        json_open(out, NULL, '{');
        json_text(out, "property", tikblob_property_number((TikBlobPropertyId)i));
        json_text(out, "verdict", tikblob_verdict_name(p[i].verdict));
        if (p[i].verdict != TIKBLOB_PROVED) {
            json_text(out, "text", p[i].text);
        }
        if (p[i].later != UINT32_MAX) {
            json_count(out, "descriptor", p[i].later);
        }
        if (p[i].first != UINT32_MAX) {
            json_count(out, "earlier", p[i].first);
        }
        json_close(out, '}');
    }
    json_close(out, ']');
    json_close(out, '}');
}

/* Refuses what --require does not allow: lax a property that fails, strict one that is
 * not proved. */
static bool
verify_required(Cmd *c, const char *kernel, const TikBlobProperty *p)
{
    bool strict = c->require != NULL && strcmp(c->require, "strict") == 0;
    for (int i = 0; c->require != NULL && i < TIKBLOB_PROPERTIES; i++) {
        if (p[i].verdict == TIKBLOB_REFUTED ||
            (strict && p[i].verdict == TIKBLOB_NOT_PROVED)) {
            diag_add(&c->unit, D_BLOB, (Span){0}, 0,
                     "'%s' is refused: %s of '%s' is %s: %s", c->files.p[0],
                     tikblob_property_number((TikBlobPropertyId)i), kernel,
                     tikblob_verdict_name(p[i].verdict), p[i].text);
            return false;
        }
    }
    return true;
}

/* Says in JSON why a blob is refused; the diagnostic says the same as a sentence. */
static bool
refused(Cmd *c, const TikBlob *b, int kernel, const TikBlobDiag *diag)
{
    if (report_json(c)) {
        Text t;
        json_begin(c, &t);
        json_bool(&t, "accepted", false);
        json_text(&t, "rule", diag->code);
        json_text(&t, "section", diag->section);
        json_count(&t, "offset", diag->offset);
        json_number(&t, "descriptor", diag->descriptor);
        json_number(&t, "seen_lo", diag->seen_lo);
        json_number(&t, "seen_hi", diag->seen_hi);
        json_number(&t, "allowed_lo", diag->allowed_lo);
        json_number(&t, "allowed_hi", diag->allowed_hi);
        TRY(json_end(c, &t));
    }
    return blob_refused(c, b, kernel, diag);
}

/* A kernel that queues execute must be well ordered. */
static bool
verify_order(Cmd *c, const TikBlob *b, int kernel)
{
    TikBlobOrder order;
    if (tikblob_order(b, kernel, &order)) {
        return true;
    }
    if (report_json(c)) {
        Text t;
        json_begin(c, &t);
        json_bool(&t, "accepted", false);
        json_text(&t, "rule", order.name);
        json_text(
            &t, "verdict",
            tikblob_verdict_name(order.certain ? TIKBLOB_REFUTED : TIKBLOB_NOT_PROVED));
        json_count(&t, "descriptor", order.later);
        json_count(&t, "earlier", order.first);
        TRY(json_end(c, &t));
    }
    diag_add(&c->unit, D_BLOB, (Span){0}, 0, "'%s' is refused: %s: %s", c->files.p[0],
             order.name, order.text);
    return false;
}

/* Verifies all kernels and puts a line or an object for each. */
static bool
verify_kernels(Cmd *c, const TikBlob *b, Text *out)
{
    for (int i = 0; i < b->nkernels; i++) {
        TikBlobProof proof;
        TikBlobKernel k;
        TikBlobDiag diag;
        if (!blob_verify(c, b, i, &proof, &diag)) {
            return refused(c, b, i, &diag);
        }
        tikblob_kernel(b, i, &k);
        TRY((k.flags & TIKBLOB_QUEUES) == 0 || verify_order(c, b, i));
        TikBlobProperty p[TIKBLOB_PROPERTIES];
        if (!tikblob_properties(b, i, &proof, 0, p)) {
            base_out_of_memory(0);
        }
        (report_json(c) ? kernel_json : kernel_text)(&k, &proof, out);
        (report_json(c) ? properties_json : properties_text)(p, out);
        TRY(verify_required(c, k.name, p));
    }
    return true;
}

/* The identity of the content, in hexadecimal digits. */
static void
content_text(const TikBlob *b, char out[65])
{
    uint8_t id[32];
    tikblob_content_id(b, id);
    key_hex(id, sizeof id, out);
}

static bool
verify_blob(Cmd *c, const TikBlob *b)
{
    Text t;
    char content[65];
    content_text(b, content);
    if (!report_json(c)) {
        text_init(&t, &c->unit.arena);
        text_printf(&t, "%s: blob version %d.%d for %s, content %s%s\n", c->files.p[0],
                    TIKBLOB_MAJOR, TIKBLOB_MINOR, tikblob_soc_name(b->soc), content,
                    c->key ? ", signed" : "");
        return verify_kernels(c, b, &t) &&
               (!report_text(c) || io_print(&c->unit, t.p, t.n));
    }
    json_begin(c, &t);
    json_bool(&t, "accepted", true);
    json_text(&t, "target", tikblob_soc_name(b->soc));
    json_text(&t, "content", content);
    if (c->key) {
        json_bool(&t, "signed", true);
    }
    json_open(&t, "kernels", '[');
    TRY(verify_kernels(c, b, &t));
    json_close(&t, ']');
    return json_end(c, &t);
}

static bool
verify(Cmd *c)
{
    TikBlob b;
    char *bytes;
    size_t size;
    TikBlobDiag diag;
    TRY(io_read(&c->unit, c->files.p[0], &bytes, &size));
    if (!tikblob_open(&b, (uint8_t *)bytes, size, &diag) ||
        !tikblob_identify(&b, &diag)) {
        return refused(c, NULL, 0, &diag);
    }
    bool trusted;
    TRY(sign_check(c, &b, &trusted, &diag));
    return trusted ? verify_blob(c, &b) : refused(c, &b, 0, &diag);
}

/* A signature is that of one blob, and nothing checks it without a key. */
static bool
signature_fits(Cmd *c)
{
    return !c->signature || (c->key && c->files.n == 1) ||
           options_wrong(c, "--signature is that of one blob, and --key checks it");
}

static bool
requirement_fits(Cmd *c)
{
    if (c->require == NULL || strcmp(c->require, "lax") == 0 ||
        strcmp(c->require, "strict") == 0) {
        return true;
    }
    diag_add(&c->unit, D_USAGE, (Span){0}, 0, "--require is lax or strict, not '%s'",
             c->require);
    return false;
}

int
cmd_verify(Cmd *c)
{
    return requirement_fits(c) && signature_fits(c) ? blob_files(c, verify)
                                                    : report_unit(c);
}
