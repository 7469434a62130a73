/* cmd_blob.c: implements tikc disasm, asm and verify. */
#include "driver/driver.h"
#include "tikblob.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int
finish(Cmd *c, bool ok)
{
    int code = report_unit(c);
    return !ok && code == EXIT_CLEAN ? EXIT_FINDINGS : code;
}

bool
blob_refused(Cmd *c, const TikBlob *b, int kernel, const TikBlobDiag *diag)
{
    char text[400];
    tikblob_explain(b, kernel, diag, text, sizeof text);
    diag_add(&c->unit, D_BLOB, (Span){0}, 0, "'%s' is refused: %s: %s", c->files.p[0],
             diag->code, text);
    return false;
}

static bool
disasm(Cmd *c)
{
    char *bytes;
    size_t size;
    TRY(io_read(&c->unit, c->files.p[0], &bytes, &size));
    char *text;
    TikBlobDiag diag;
    if (!tikblob_disassemble((uint8_t *)bytes, size, &text, &diag)) {
        return blob_refused(c, NULL, 0, &diag);
    }
    bool ok = io_print(&c->unit, text, strlen(text));
    free(text);
    return ok;
}

int
cmd_disasm(Cmd *c)
{
    return finish(c, disasm(c));
}

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

static bool
assemble(Cmd *c)
{
    Unit *u = &c->unit;
    if (!c->out) {
        diag_add(u, D_USAGE, (Span){0}, 0, "asm needs -o BLOB");
        return false;
    }
    char *text;
    size_t len;
    TRY(options_spare(c, c->out) && io_read(u, c->files.p[0], &text, &len));
    uint32_t file = unit_add_source(u, c->files.p[0], text, len);
    uint8_t *bytes;
    size_t size;
    int line = 1;
    char error[300];
    if (!tikblob_assemble(text, len, &bytes, &size, &line, error, sizeof error)) {
        diag_add(u, D_SYNTAX, line_span(u, file, line), 0, "%s", error);
        return false;
    }
    bool ok = io_write(u, c->out, bytes, size);
    free(bytes);
    return ok;
}

int
cmd_asm(Cmd *c)
{
    return finish(c, assemble(c));
}

bool
blob_verify(Cmd *c, const TikBlob *b, int kernel, TikBlobProof *proof)
{
    uint64_t size = tikblob_workspace(b, kernel);
    void *workspace = arena_alloc(&c->unit.arena, size);
    TikBlobDiag diag;
    return tikblob_verify(b, kernel, workspace, size, proof, &diag) ||
           blob_refused(c, b, kernel, &diag);
}

static bool
verify_kernel(Cmd *c, const TikBlob *b, int kernel, Text *out)
{
    TikBlobProof proof;
    TRY(blob_verify(c, b, kernel, &proof));
    TikBlobKernel k;
    tikblob_kernel(b, kernel, &k);
    text_printf(
        out,
        "%s: %u descriptors, %lld obligations proved, %lld checked at run time, at most "
        "%llu steps on each of %u cores\n",
        k.name, k.ndescriptors, (long long)proof.proved, (long long)proof.checked,
        (unsigned long long)proof.steps, k.cores);
    return true;
}

static bool
verify(Cmd *c)
{
    char *bytes;
    size_t size;
    TRY(io_read(&c->unit, c->files.p[0], &bytes, &size));
    TikBlob b;
    TikBlobDiag diag;
    if (!tikblob_open(&b, (uint8_t *)bytes, size, &diag) ||
        !tikblob_identify(&b, &diag)) {
        return blob_refused(c, NULL, 0, &diag);
    }
    Text t;
    text_init(&t, &c->unit.arena);
    text_printf(&t, "%s: blob version %d.%d for %s\n", c->files.p[0], TIKBLOB_MAJOR,
                TIKBLOB_MINOR, b.soc->name);
    for (int i = 0; i < b.nkernels; i++) {
        TRY(verify_kernel(c, &b, i, &t));
    }
    return io_print(&c->unit, t.p, t.n);
}

int
cmd_verify(Cmd *c)
{
    return finish(c, verify(c));
}
