/* name.c: names of numbers, section NAME, with which faults show loop counters and
 * Scalars. A record names a number at a descriptor, so that it can be printed without
 * other records.
 *
 * It is freestanding and owns the rule name-field. */
#include "blob/blob.h"

static uint64_t
descriptors(const TikBlob *b, int kernel)
{
    return get32(blob_record(b, SEC_KERN, (uint64_t)kernel) + 12);
}

/* Returns the number of descriptors of the kernels before this one. */
static uint64_t
first_descriptor(const TikBlob *b, int kernel)
{
    uint64_t n = 0;
    for (int k = 0; k < kernel; k++) {
        n += descriptors(b, k);
    }
    return n;
}

static bool
is_number(const uint8_t *kern, const uint8_t *p)
{
    uint32_t index = get32(p + 8);
    switch (p[12]) {
    case NAME_SLOT:
        return index < get32(kern + 36);
    case NAME_REGISTER:
        return index < get32(kern + 32);
    default:
        return false;
    }
}

static bool
is_text(const TikBlob *b, uint32_t at)
{
    const TikBlobSection *s = blob_section(b, SEC_STRS);
    const uint8_t *p = b->bytes + s->offset;
    return at < s->size && (at == 0 || p[at - 1] == 0) && p[at] != 0;
}

bool
blob_check_names(const TikBlob *b, TikBlobDiag *diag)
{
    if (blob_section(b, SEC_NAME) == NULL) {
        return true;
    }
    uint64_t n = blob_records(b, SEC_NAME), last = 0;
    int kernel = 0;
    uint64_t end = descriptors(b, 0); /* of the kernel's descriptors */
    for (uint64_t i = 0; i < n; i++) {
        const uint8_t *p = blob_record(b, SEC_NAME, i);
        uint32_t at = get32(p);
        while (kernel < b->nkernels && at >= end) {
            kernel++;
            end += kernel < b->nkernels ? descriptors(b, kernel) : 0;
        }
        bool ok = kernel < b->nkernels && at >= last && is_text(b, get32(p + 4)) &&
                  is_number(blob_record(b, SEC_KERN, (uint64_t)kernel), p) &&
                  p[13] < DT_PLAIN && p[13] != DT_NONE && get16(p + 14) == 0;
        if (!ok) {
            return blob_bad(diag, BLOB_NAME_FIELD, SEC_NAME, (uint64_t)(p - b->bytes));
        }
        last = at;
    }
    return n > 0 ||
           blob_bad(diag, BLOB_NAME_FIELD, SEC_NAME, blob_section(b, SEC_NAME)->offset);
}

/* Returns the first record of a descriptor, counted over all kernels, or of a later
 * one. */
static uint32_t
lower_bound(const TikBlob *b, uint64_t descriptor)
{
    uint32_t lo = 0, hi = (uint32_t)blob_records(b, SEC_NAME);
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (get32(blob_record(b, SEC_NAME, mid)) < descriptor) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

void
tikblob_names(const TikBlob *b, int kernel, uint32_t *first, uint32_t *n)
{
    *first = lower_bound(b, first_descriptor(b, kernel));
    *n = lower_bound(b, first_descriptor(b, kernel + 1)) - *first;
}

void
tikblob_name(const TikBlob *b, int kernel, uint32_t record, TikBlobName *out)
{
    const uint8_t *p = blob_record(b, SEC_NAME, record);
    *out = (TikBlobName){
        .descriptor = (uint32_t)(get32(p) - first_descriptor(b, kernel)),
        .name = (const char *)blob_bytes(b, SEC_STRS) + get32(p + 4),
        .num = {.kind = p[12] == NAME_SLOT ? NUM_LOOP : NUM_REG, .index = get32(p + 8)},
        .dtype = (Dtype)p[13]};
}
