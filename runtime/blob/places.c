/* places.c: hands out the source places of all descriptors of a kernel in one pass over
 * the section LINE; tikblob_place reads it from its beginning each time. */
#include "blob/blob.h"

/* Skips the places of the kernels before; returns false if the section ends there. */
static bool
skip_to(const TikBlob *b, int kernel, LineReader *r)
{
    bool ok = true;
    for (int k = 0; ok && k < kernel; k++) {
        uint32_t n = get32(blob_record(b, SEC_KERN, (uint64_t)k) + 12);
        blob_line_kernel(r);
        for (uint32_t i = 0; ok && i < n; i++) {
            ok = blob_line_next(r);
        }
    }
    blob_line_kernel(r);
    return ok;
}

void
tikblob_places(const TikBlob *b, int kernel, TikBlobPlaceSink each, void *to)
{
    const TikBlobSection *s = blob_section(b, SEC_LINE);
    if (s == NULL) {
        return;
    }
    LineReader r = {b->bytes + s->offset, b->bytes + s->offset + s->size, 0, 0, 0};
    const char *names = (const char *)blob_bytes(b, SEC_STRS);
    uint64_t size = blob_section(b, SEC_STRS)->size;
    uint32_t n = get32(blob_record(b, SEC_KERN, (uint64_t)kernel) + 12);
    bool ok = skip_to(b, kernel, &r);
    for (uint32_t i = 0; ok && i < n; i++) {
        ok = blob_line_next(&r) && r.file < size;
        if (ok && names[r.file] != 0) {
            each(to, i, names + r.file, r.line, r.column);
        }
    }
}
