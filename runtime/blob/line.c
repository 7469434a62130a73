/* line.c: source places of descriptors, section LINE. Descriptors have a place each, in
 * order, kernel by kernel. It is coded as the difference to the place before, that of the
 * first descriptor of a kernel as the difference to (string 0, line 0, column 0):
 *
 *   head    varint: zigzag(line difference) * 2 + 1 when the file changes
 *   file    varint, only when it changes: offset in STRS
 *   column  varint: zigzag(column difference)
 *
 * A varint has seven bits per byte, low ones first; the top bit is set in all bytes but
 * the last. Its last byte is not zero unless it is the only one. With an empty file name
 * the descriptor has no place.
 *
 * It is freestanding and owns the rule line-field. */
#include "blob/blob.h"

bool
blob_varint(const uint8_t **p, const uint8_t *end, uint64_t *out)
{
    uint64_t v = 0;
    for (int shift = 0; shift < 42; shift += 7) {
        if (*p == end) {
            return false;
        }
        uint8_t c = *(*p)++;
        v |= (uint64_t)(c & 0x7f) << shift;
        if (c < 0x80) {
            *out = v;
            return c != 0 || shift == 0;
        }
    }
    return false;
}

/* Adds a zigzag-coded difference to a number, which stays a uint32. */
static bool
add_delta(uint32_t *v, uint64_t coded)
{
    int64_t delta = (int64_t)(coded >> 1) ^ -(int64_t)(coded & 1);
    int64_t sum = (int64_t)*v + delta;
    *v = (uint32_t)sum;
    return sum >= 0 && sum <= UINT32_MAX;
}

void
blob_line_kernel(LineReader *r)
{
    r->file = 0;
    r->line = 0;
    r->column = 0;
}

bool
blob_line_next(LineReader *r)
{
    uint64_t head, file, column;
    if (!blob_varint(&r->p, r->end, &head)) {
        return false;
    }
    if (head & 1) {
        if (!blob_varint(&r->p, r->end, &file) || file > UINT32_MAX || file == r->file) {
            return false;
        }
        r->file = (uint32_t)file;
    }
    return blob_varint(&r->p, r->end, &column) && add_delta(&r->line, head >> 1) &&
           add_delta(&r->column, column);
}

static bool
check_place(const TikBlob *b, const LineReader *r, bool *any)
{
    const TikBlobSection *s = blob_section(b, SEC_STRS);
    const uint8_t *p = b->bytes + s->offset;
    if (r->file >= s->size || (r->file > 0 && p[r->file - 1] != 0)) {
        return false;
    }
    *any |= p[r->file] != 0;
    return p[r->file] != 0 || (r->line == 0 && r->column == 0);
}

bool
blob_check_lines(const TikBlob *b, TikBlobDiag *diag)
{
    const TikBlobSection *s = blob_section(b, SEC_LINE);
    if (s == NULL) {
        return true;
    }
    LineReader r = {b->bytes + s->offset, b->bytes + s->offset + s->size, 0, 0, 0};
    bool any = false;
    for (int k = 0; k < b->nkernels; k++) {
        uint32_t n = get32(blob_record(b, SEC_KERN, (uint64_t)k) + 12);
        blob_line_kernel(&r);
        for (uint32_t i = 0; i < n; i++) {
            uint64_t where = (uint64_t)(r.p - b->bytes);
            if (!blob_line_next(&r) || !check_place(b, &r, &any)) {
                return blob_bad(diag, BLOB_LINE_FIELD, SEC_LINE, where);
            }
        }
    }
    if (r.p != r.end || !any) {
        return blob_bad(diag, BLOB_LINE_FIELD, SEC_LINE, (uint64_t)(r.p - b->bytes));
    }
    return true;
}

bool
tikblob_place(const TikBlob *b, int kernel, uint32_t descriptor, const char **file,
              uint32_t *line, uint32_t *column)
{
    const TikBlobSection *s = blob_section(b, SEC_LINE);
    if (s == NULL) {
        return false;
    }
    LineReader r = {b->bytes + s->offset, b->bytes + s->offset + s->size, 0, 0, 0};
    for (int k = 0; k <= kernel; k++) {
        uint32_t n = get32(blob_record(b, SEC_KERN, (uint64_t)k) + 12);
        if (k == kernel && descriptor >= n) {
            return false;
        }
        blob_line_kernel(&r);
        for (uint32_t i = 0; i < (k == kernel ? descriptor + 1 : n); i++) {
            if (!blob_line_next(&r)) {
                return false;
            }
        }
    }
    if (r.file >= blob_section(b, SEC_STRS)->size) {
        return false;
    }
    *file = (const char *)blob_bytes(b, SEC_STRS) + r.file;
    *line = r.line;
    *column = r.column;
    return **file != 0;
}
