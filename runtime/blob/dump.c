/* dump.c: tikblob_fields calls a function with each field of a blob: where it is, what it
 * is called and what it says. A blob need not be accepted: what the header and the
 * section table lead to is shown as far as it is inside the file, so that damage can be
 * looked at. Each byte of the file belongs to one field. Fields of fixed records are rows
 * of field.def. It is hosted. */
#define _XOPEN_SOURCE 700 /* strnlen */
#include "blob/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum FieldForm {
    FIELD_BYTES,
    FIELD_NUMBER,
    FIELD_SIGNED,
    FIELD_HEX,
    FIELD_LETTERS,
    FIELD_STRING,
    FIELD_DTYPE,
    FIELD_SCOPE,
    FIELD_SPARE,
    FIELD_NUMBERS,
    FIELD_NUMBERS2,
    FIELD_NUMBERS8
} FieldForm;

/* Parts of a blob: its sections, then what is before them. */
enum {
    SEC_HEADER = SEC_COUNT,
    SEC_TABLE
};

typedef struct FieldRow {
    int part;
    uint32_t offset, bytes;
    FieldForm form;
    const char *name;
} FieldRow;

static const FieldRow rows[] = {
#define FIELD(part, offset, bytes, form, name)                                           \
    {SEC_##part, offset, bytes, FIELD_##form, name},
#include "blob/field.def"
};

enum {
    ROWS = sizeof rows / sizeof rows[0],
    RAW_BYTES = 32 /* of a field of bytes that have no structure */
};

typedef struct Dump {
    TikBlob blob; /* opened as far as the sections, even if the rest was refused */
    bool accepted;
    const TikBlobSection *strs; /* null: there are none */
    TikBlobFieldSink each;
    void *to;
    TikBlobField field;
} Dump;

/* ---- one field ----------------------------------------------------------- */

static void say(Dump *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void
say(Dump *d, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(d->field.value, sizeof d->field.value, fmt, ap);
    va_end(ap);
}

/* Hands over the field of n bytes that say() described. */
static void
give(Dump *d, const char *name, uint64_t offset, uint64_t n)
{
    d->field.name = name;
    d->field.offset = offset;
    d->field.bytes = n;
    d->each(d->to, &d->field);
    d->field.value[0] = 0;
}

/* Returns the string at an offset of STRS, whose last byte is checked here, or null. */
static const char *
string_at(const Dump *d, uint64_t at)
{
    const TikBlobSection *s = d->strs;
    if (s == NULL || at >= s->size || d->blob.bytes[s->offset + s->size - 1] != 0) {
        return NULL;
    }
    return (const char *)d->blob.bytes + s->offset + at;
}

static void
say_string(Dump *d, uint64_t at)
{
    const char *text = string_at(d, at);
    BlobText o = {0};
    if (text == NULL) {
        say(d, "%" PRIu64 ", outside of STRS", at);
        return;
    }
    blob_put_quoted(&o, text, strnlen(text, 100));
    say(d, "%" PRIu64 " %s", at, o.p == NULL ? "" : o.p);
    free(o.p);
}

static uint64_t
number_at(const uint8_t *p, uint32_t bytes)
{
    uint64_t v = 0;
    for (uint32_t i = 0; i < bytes; i++) {
        v |= (uint64_t)p[i] << (8 * i);
    }
    return v;
}

static void
say_numbers(Dump *d, const uint8_t *p, uint32_t bytes, uint32_t each)
{
    char *to = d->field.value;
    size_t n = 0;
    for (uint32_t i = 0; i < bytes && n < sizeof d->field.value; i += each) {
        n += (size_t)snprintf(to + n, sizeof d->field.value - n, "%s%" PRIu64,
                              i ? ", " : "", number_at(p + i, each));
    }
}

static void
say_dtype(Dump *d, uint64_t v)
{
    bool known = v > DT_NONE && v < DT_COUNT;
    say(d, "%" PRIu64 " %s", v, known ? dtype_name((Dtype)v) : "unknown");
}

/* Says what a field with a form of its own means. */
static void
say_form(Dump *d, const FieldRow *r, const uint8_t *p)
{
    uint64_t v = number_at(p, r->bytes > 8 ? 8 : r->bytes);
    switch (r->form) {
    case FIELD_BYTES:
    case FIELD_SPARE:
        break;
    case FIELD_NUMBER:
        say(d, "%" PRIu64, v);
        break;
    case FIELD_SIGNED:
        say(d, "%" PRId64, (int64_t)v);
        break;
    case FIELD_HEX:
        say(d, "0x%" PRIx64, v);
        break;
    case FIELD_LETTERS:
        say(d, "%.*s", (int)strnlen((const char *)p, r->bytes), (const char *)p);
        break;
    case FIELD_STRING:
        say_string(d, v);
        break;
    case FIELD_DTYPE:
        say_dtype(d, v);
        break;
    case FIELD_SCOPE:
        say(d, "%" PRIu64 " %s", v, v < SC_COUNT ? scope_name((Scope)v) : "unknown");
        break;
    case FIELD_NUMBERS:
        say_numbers(d, p, r->bytes, 4);
        break;
    case FIELD_NUMBERS2:
        say_numbers(d, p, r->bytes, 2);
        break;
    case FIELD_NUMBERS8:
        say_numbers(d, p, r->bytes, 8);
        break;
    }
}

/* Gives bytes without a structure, some to a field. */
static void
give_raw(Dump *d, const char *name, uint64_t from, uint64_t to)
{
    for (uint64_t at = from; at < to; at += RAW_BYTES) {
        give(d, name, at, to - at < RAW_BYTES ? to - at : RAW_BYTES);
    }
}

/* Gives the fields of a record of the part that begins at a byte and ends before end. */
static void
give_record(Dump *d, int part, uint64_t at, uint64_t end)
{
    uint64_t done = at;
    for (int i = 0; i < ROWS; i++) {
        const FieldRow *r = &rows[i];
        if (r->part == part && at + r->offset + r->bytes <= end) {
            say_form(d, r, d->blob.bytes + at + r->offset);
            give(d, r->name, at + r->offset, r->bytes);
            done = at + r->offset + r->bytes;
        }
    }
    give_raw(d, "more", done, end);
}

/* ---- sections of their own kind ------------------------------------------ */

static void
give_strings(Dump *d, const TikBlobSection *s)
{
    const char *p = (const char *)d->blob.bytes;
    for (uint64_t at = s->offset; at < s->offset + s->size;) {
        uint64_t room = s->offset + s->size - at;
        uint64_t n = strnlen(p + at, room);
        BlobText o = {0};
        blob_put_quoted(&o, p + at, n < 100 ? n : 100);
        say(d, "%s", o.p == NULL ? "" : o.p);
        free(o.p);
        n += n < room;
        give(d, "string", at, n);
        at += n;
    }
}

static void
give_row(Dump *d, uint64_t at)
{
    const uint8_t *p = d->blob.bytes + at;
    if (p[0] == ROW_HEAD) {
        say(d, "region %u, %u terms, high half %d, link %u", get32(p + 4), p[1],
            (int32_t)get32(p + 8), get32(p + 12));
        give(d, "head", at, ROW_BYTES);
        return;
    }
    const char *kind = p[1] == 2                    ? "register"
                       : get32(p + 4) == CORE_INDEX ? "core"
                                                    : "loop slot";
    if (get32(p + 4) == CORE_INDEX) {
        say(d, "%" PRId64 " * core", (int64_t)get64(p + 8));
    } else {
        say(d, "%" PRId64 " * %s %u", (int64_t)get64(p + 8), kind, get32(p + 4));
    }
    give(d, "term", at, ROW_BYTES);
}

static void
give_rows(Dump *d, const TikBlobSection *s)
{
    uint64_t end = s->offset + s->size;
    uint64_t at = s->offset;
    for (; at + ROW_BYTES <= end; at += ROW_BYTES) {
        d->field.record = (at - s->offset) / ROW_BYTES;
        give_row(d, at);
    }
    give_raw(d, "more", at, end);
}

static void
give_descriptor(Dump *d, const TikBlobKernel *k, const TikDesc *desc, uint64_t bytes)
{
    char *text = tikblob_text(&d->blob, k, desc);
    d->field.record = desc->index;
    say(d, "%s", text == NULL ? "" : text);
    give(d, "descriptor", desc->offset, bytes);
    free(text);
}

/* Gives the descriptors of an accepted blob, kernel by kernel. */
static void
give_code(Dump *d, const TikBlobSection *s)
{
    TikDesc *desc = calloc(1, sizeof *desc);
    for (int i = 0; desc != NULL && i < d->blob.nkernels; i++) {
        TikCursor c;
        tikblob_cursor(&c, &d->blob, i);
        while (tikblob_next(&c, desc, NULL) > 0) {
            give_descriptor(d, &c.kernel, desc, c.at - desc->offset);
        }
    }
    if (desc == NULL) {
        give_raw(d, "slot", s->offset, s->offset + s->size);
    }
    free(desc);
}

/* Gives the descriptors of a blob that was refused by the sizes that they state. */
static void
give_slots(Dump *d, const TikBlobSection *s)
{
    uint64_t end = s->offset + s->size;
    for (uint64_t at = s->offset; at < end;) {
        const uint8_t *p = d->blob.bytes + at;
        uint64_t n = (uint64_t)(p[0] == 0 ? 1 : p[0]) * SLOT_BYTES;
        n = n < end - at ? n : end - at;
        if (n >= 2) {
            say(d, "%u slots, class %u", p[0], p[1]);
        }
        give(d, "descriptor", at, n);
        at += n;
    }
}

static void
give_places(Dump *d, const TikBlobSection *s)
{
    const uint8_t *bytes = d->blob.bytes;
    LineReader r = {.p = bytes + s->offset, .end = bytes + s->offset + s->size};
    for (int i = 0; i < d->blob.nkernels; i++) {
        TikBlobKernel k;
        tikblob_kernel(&d->blob, i, &k);
        blob_line_kernel(&r);
        for (uint32_t j = 0; j < k.ndescriptors; j++) {
            const uint8_t *from = r.p;
            if (!blob_line_next(&r)) {
                break;
            }
            d->field.record = j;
            say(d, "%s:%u:%u", string_at(d, r.file), r.line, r.column);
            give(d, "place", (uint64_t)(from - bytes), (uint64_t)(r.p - from));
        }
    }
}

static void
give_frames(Dump *d, const TikBlobSection *s)
{
    const uint8_t *bytes = d->blob.bytes;
    say(d, "%u", tikblob_frames(&d->blob));
    give(d, "frames", s->offset, CALL_HEAD);
    for (uint32_t i = 1; i <= tikblob_frames(&d->blob); i++) {
        TikBlobFrame f;
        tikblob_frame(&d->blob, i, &f);
        d->field.record = i;
        say(d, "%s, called at %s:%u:%u, in %u", f.callee, f.file, f.line, f.column,
            f.parent);
        give(d, "frame", s->offset + CALL_HEAD + (uint64_t)(i - 1) * FRAME_BYTES,
             FRAME_BYTES);
    }
    RunReader r = blob_runs(&d->blob);
    for (const uint8_t *from = r.p; r.p < r.end && blob_run_next(&r); from = r.p) {
        d->field.record = 0;
        say(d, "%" PRIu64 " descriptors in %u", r.n, r.frame);
        give(d, "run", (uint64_t)(from - bytes), (uint64_t)(r.p - from));
    }
}

/* ---- sections ------------------------------------------------------------ */

static void
give_records(Dump *d, SectionId id, const TikBlobSection *s)
{
    uint32_t step = s->record == 0 ? blob_sections[id].record : s->record;
    uint64_t end = s->offset + s->size;
    for (uint64_t at = s->offset; at < end; at += step) {
        d->field.record = (at - s->offset) / step;
        give_record(d, (int)id, at, end - at < step ? end : at + step);
    }
}

/* Gives what only an accepted blob can be walked for; false for other sections. */
static bool
give_accepted(Dump *d, SectionId id, const TikBlobSection *s)
{
    bool line = id == SEC_LINE, call = id == SEC_CALL, code = id == SEC_CODE;
    if (!d->accepted || !(line || call || code)) {
        return false;
    }
    if (line) {
        give_places(d, s);
    } else if (call) {
        give_frames(d, s);
    } else {
        give_code(d, s);
    }
    return true;
}

static bool
has_rows(int part)
{
    for (int i = 0; i < ROWS; i++) {
        if (rows[i].part == part) {
            return true;
        }
    }
    return false;
}

static void
give_section(Dump *d, const TikBlobSection *s)
{
    int id = 0;
    while (id < SEC_COUNT && blob_sections[id].fourcc != s->fourcc) {
        id++;
    }
    if (id < SEC_COUNT && give_accepted(d, (SectionId)id, s)) {
        return;
    }
    if (id == SEC_STRS) {
        give_strings(d, s);
    } else if (id == SEC_AFFN) {
        give_rows(d, s);
    } else if (id == SEC_CODE) {
        give_slots(d, s);
    } else if (id < SEC_COUNT && has_rows(id)) {
        give_records(d, (SectionId)id, s);
    } else {
        give_raw(d, id == SEC_META ? "text" : "bytes", s->offset, s->offset + s->size);
    }
}

static void
begin_part(Dump *d, const char *name)
{
    memset(&d->field, 0, sizeof d->field);
    snprintf(d->field.part, sizeof d->field.part, "%s", name);
}

static void
part_of(uint32_t fourcc, char name[5])
{
    for (int i = 0; i < 4; i++) {
        uint8_t c = (uint8_t)(fourcc >> (8 * i));
        name[i] = c > ' ' && c < 0x7f ? (char)c : '?';
    }
    name[4] = 0;
}

/* Reads an entry of the section table, cut to what the file has from byte `from` on, so
 * that no byte is given twice. */
static TikBlobSection
entry_at(const Dump *d, uint64_t at, uint64_t from)
{
    const uint8_t *e = d->blob.bytes + at;
    uint64_t size = d->blob.size;
    TikBlobSection s = {get32(e), get16(e + 4), get64(e + 8), get64(e + 16),
                        get32(e + 24)};
    s.offset = s.offset < from ? from : s.offset > size ? size : s.offset;
    s.size = s.size < size - s.offset ? s.size : size - s.offset;
    return s;
}

/* Gives the section table and returns the end of it. */
static uint64_t
give_table(Dump *d, uint32_t n)
{
    uint64_t at = HEADER_BYTES;
    begin_part(d, "sections");
    for (uint32_t i = 0; i < n && at + ENTRY_BYTES <= d->blob.size; i++) {
        d->field.record = i;
        give_record(d, SEC_TABLE, at, at + ENTRY_BYTES);
        at += ENTRY_BYTES;
    }
    return at;
}

static void
give_all(Dump *d)
{
    uint32_t n = get32(d->blob.bytes + 24);
    n = n < MAX_SECTIONS ? n : MAX_SECTIONS;
    begin_part(d, "header");
    give_record(d, SEC_HEADER, 0, HEADER_BYTES);
    uint64_t done = give_table(d, n);
    uint64_t entries = (done - HEADER_BYTES) / ENTRY_BYTES;
    for (uint64_t i = 0; i < entries; i++) {
        char name[5];
        TikBlobSection s = entry_at(d, HEADER_BYTES + i * ENTRY_BYTES, done);
        begin_part(d, "");
        give_raw(d, "padding", done, s.offset);
        part_of(s.fourcc, name);
        begin_part(d, name);
        give_section(d, &s);
        done = s.offset + s.size;
    }
    begin_part(d, "");
    give_raw(d, "after the last section", done, d->blob.size);
}

/* Finds the strings, for references of blobs that may have been refused. */
static void
find_strings(Dump *d, TikBlobSection *room)
{
    for (uint64_t i = 0; i < MAX_SECTIONS; i++) {
        uint64_t at = HEADER_BYTES + i * ENTRY_BYTES;
        if (at + ENTRY_BYTES > d->blob.size) {
            return;
        }
        *room = entry_at(d, at, 0);
        if (room->fourcc == blob_sections[SEC_STRS].fourcc && room->size > 0) {
            d->strs = room;
            return;
        }
    }
}

bool
tikblob_fields(const uint8_t *bytes, size_t size, TikBlobFieldSink each, void *to,
               TikBlobDiag *diag)
{
    Dump d = {.each = each, .to = to};
    TikBlobSection strs;
    d.accepted = tikblob_open(&d.blob, bytes, size, diag);
    if (size < HEADER_BYTES) {
        begin_part(&d, "header");
        give_raw(&d, "bytes", 0, size);
        return false;
    }
    find_strings(&d, &strs);
    give_all(&d);
    return d.accepted && tikblob_identify(&d.blob, diag);
}
