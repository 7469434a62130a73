/* cmd_dump.c: implements tikc dump: every byte of a blob with its offset, the name of its
 * field and what it says. Blobs that are refused are shown as far as they can be
 * followed, and then refused. */
#include "driver/driver.h"

#include <string.h>

enum {
    SHOWN = 16 /* bytes in a line of the text */
};

typedef struct Dump {
    Cmd *c;
    const uint8_t *bytes;
    Text out;
    char part[sizeof((TikBlobField *)0)->part];
} Dump;

static void
put_hex(Text *out, const uint8_t *p, uint64_t n, const char *between)
{
    for (uint64_t i = 0; i < n; i++) {
        text_printf(out, "%s%02x", i ? between : "", p[i]);
    }
}

/* Puts a heading when the part is another one. */
static void
put_part(Dump *d, const TikBlobField *f)
{
    if (strcmp(d->part, f->part) != 0 && *f->part) {
        text_printf(&d->out, "%s\n", f->part);
    }
    memcpy(d->part, f->part, sizeof d->part);
}

static void
put_text(void *to, const TikBlobField *f)
{
    Dump *d = to;
    put_part(d, f);
    for (uint64_t i = 0; i < f->bytes; i += SHOWN) {
        uint64_t n = MIN(f->bytes - i, (uint64_t)SHOWN);
        text_printf(&d->out, "%8llx  ", (unsigned long long)(f->offset + i));
        put_hex(&d->out, d->bytes + f->offset + i, n, " ");
        if (i == 0) {
            text_printf(&d->out, "%*s  %s%s%s", (int)(3 * (SHOWN - n)), "", f->name,
                        *f->value ? ": " : "", f->value);
        }
        text_putc(&d->out, '\n');
    }
}

static void
put_json(void *to, const TikBlobField *f)
{
    Dump *d = to;
    json_open(&d->out, NULL, '{');
    json_text(&d->out, "part", f->part);
    json_count(&d->out, "record", f->record);
    json_count(&d->out, "offset", f->offset);
    json_text(&d->out, "name", f->name);
    json_text(&d->out, "value", f->value);
    json_key(&d->out, "bytes");
    text_putc(&d->out, '"');
    put_hex(&d->out, d->bytes + f->offset, f->bytes, "");
    text_putc(&d->out, '"');
    json_close(&d->out, '}');
}

static bool
dump(Cmd *c)
{
    Dump d = {.c = c};
    char *bytes;
    size_t size;
    TikBlobDiag diag;
    TRY(io_read(&c->unit, c->files.p[0], &bytes, &size));
    d.bytes = (const uint8_t *)bytes;
    bool json = report_json(c);
    text_init(&d.out, &c->unit.arena);
    if (json) {
        json_begin(c, &d.out);
        json_open(&d.out, "fields", '[');
    } else if (c->several) {
        text_printf(&d.out, "# %s\n", c->files.p[0]);
    }
    bool ok = tikblob_fields(d.bytes, size, json ? put_json : put_text, &d, &diag);
    text_put(&d.out, json ? "]}\n" : "");
    return io_print(&c->unit, d.out.p, d.out.n) &&
           (ok || blob_refused(c, NULL, 0, &diag));
}

int
cmd_dump(Cmd *c)
{
    return blob_files(c, dump);
}
