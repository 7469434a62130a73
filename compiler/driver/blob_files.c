/* blob_files.c: what the commands on blobs share: they take several files, each with
 * diagnostics of its own, and say of each in text or JSON what they found. */
#include "driver/driver.h"

#include <string.h>

int
blob_files(Cmd *c, bool (*one)(Cmd *c))
{
    if (!report_format(c)) {
        return report_unit(c);
    }
    int worst = EXIT_CLEAN;
    Findings f;
    report_begin(c, &f);
    for (uint32_t i = 0; i < c->files.n; i++) {
        Cmd file = *c;
        Options opt = c->unit.opt;
        unit_init(&file.unit);
        file.unit.opt = opt;
        file.several = c->files.n > 1;
        file.findings = &f;
        file.files.p = &c->files.p[i];
        file.files.n = 1;
        bool ok = one(&file);
        int code = report_unit(&file);
        code = !ok && code == EXIT_CLEAN ? EXIT_FINDINGS : code;
        worst = MAX(worst, code);
        unit_free(&file.unit);
    }
    int end = findings_end(&f, false);
    return MAX(worst, end);
}

bool
blob_one_output(Cmd *c)
{
    return !c->out || c->files.n == 1 ||
           options_wrong(c, "-o names the output of one file, and several are given");
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

bool
blob_open(Cmd *c, TikBlob *b)
{
    char *bytes;
    size_t size;
    TikBlobDiag diag;
    TRY(io_read(&c->unit, c->files.p[0], &bytes, &size));
    return (tikblob_open(b, (uint8_t *)bytes, size, &diag) &&
            tikblob_identify(b, &diag)) ||
           blob_refused(c, NULL, 0, &diag);
}

bool
blob_verify(Cmd *c, const TikBlob *b, int kernel, TikBlobProof *proof, TikBlobDiag *diag)
{
    uint64_t size = tikblob_workspace(b, kernel);
    void *workspace = arena_alloc(&c->unit.arena, size);
    return tikblob_verify(b, kernel, workspace, size, proof, diag);
}

void
json_begin(Cmd *c, Text *out)
{
    text_init(out, &c->unit.arena);
    text_put(out, "{\"version\":1");
    json_text(out, "file", c->files.p[0]);
}

bool
json_end(Cmd *c, Text *out)
{
    text_put(out, "}\n");
    return io_print(&c->unit, out->p, out->n);
}

void
json_key(Text *out, const char *key)
{
    char last = out->n ? out->p[out->n - 1] : '{';
    if (last != '{' && last != '[') {
        text_putc(out, ',');
    }
    if (key) {
        diag_put_json(out, key);
        text_putc(out, ':');
    }
}

void
json_text(Text *out, const char *key, const char *text)
{
    json_key(out, key);
    diag_put_json(out, text);
}

void
json_number(Text *out, const char *key, int64_t v)
{
    json_key(out, key);
    text_printf(out, "%lld", (long long)v);
}

void
json_count(Text *out, const char *key, uint64_t v)
{
    json_key(out, key);
    text_printf(out, "%llu", (unsigned long long)v);
}

void
json_bool(Text *out, const char *key, bool v)
{
    json_key(out, key);
    text_put(out, v ? "true" : "false");
}

void
json_open(Text *out, const char *key, char bracket)
{
    json_key(out, key);
    text_putc(out, bracket);
}

void
json_close(Text *out, char bracket)
{
    text_putc(out, bracket);
}
