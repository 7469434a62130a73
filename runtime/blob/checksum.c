/* checksum.c: computes the checksums and the build id of a blob in place. The writer uses
 * it for new blobs and tests for changed ones, so it accepts any bytes. It is
 * freestanding. */
#include "blob/blob.h"

/* Returns whether the bytes of the entry's section are inside of the file. */
static bool
inside(const uint8_t *entry, uint64_t size)
{
    uint64_t at = get64(entry + 8);
    return at <= size && get64(entry + 16) <= size - at;
}

static void
update_checksum(uint8_t *bytes, uint8_t *entry)
{
    const SectionInfo *idnt = &blob_sections[SEC_IDNT];
    const SectionInfo *targ = &blob_sections[SEC_TARG];
    const uint8_t *p = bytes + get64(entry + 8);
    uint64_t n = get64(entry + 16);
    put32(entry + 28, get32(entry) == idnt->fourcc ? 0 : blob_crc32c(p, n));
    if (get32(entry) == targ->fourcc && n == TARG_BYTES) {
        put32(bytes + 36, blob_crc32c(p, n));
    }
}

static void
update_build_id(uint8_t *bytes, const uint8_t *entry)
{
    uint64_t at = get64(entry + 8);
    uint8_t id[32];
    Sha256 sha;
    blob_sha256_init(&sha);
    blob_sha256_add(&sha, bytes, at);
    blob_sha256_end(&sha, id);
    for (int i = 0; i < 32; i++) {
        bytes[at + (uint64_t)i] = id[i];
    }
}

void
tikblob_update_checksums(uint8_t *bytes, size_t size)
{
    if (size < HEADER_BYTES) {
        return;
    }
    uint64_t n = get32(bytes + 24);
    bool table = n >= 1 && n <= MAX_SECTIONS && size >= HEADER_BYTES + n * ENTRY_BYTES;
    uint8_t *last = NULL;
    for (uint64_t i = 0; table && i < n; i++) {
        uint8_t *entry = bytes + HEADER_BYTES + i * ENTRY_BYTES;
        /* A section that overlaps the table or the header would change while its checksum
         * is made. */
        if (inside(entry, size) && get64(entry + 8) >= HEADER_BYTES + n * ENTRY_BYTES) {
            update_checksum(bytes, entry);
            bool id = get32(entry) == blob_sections[SEC_IDNT].fourcc;
            last = id && get64(entry + 16) == 32 ? entry : last;
        }
    }
    if (table) {
        put32(bytes + 56, blob_crc32c(bytes + HEADER_BYTES, n * ENTRY_BYTES));
    }
    put32(bytes + 60, blob_crc32c(bytes, 60));
    if (last != NULL) {
        update_build_id(bytes, last);
    }
}
