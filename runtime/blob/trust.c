/* trust.c: what a loader asks before it relies on a blob: whether it is for this device
 * (tikblob_fit), which the first bytes tell, what it contains, whatever was stripped from
 * it (tikblob_content_id), and who signed that (tikblob_trusted). It is freestanding. It
 * owns the group of signatures of blob_rule.def. */
#include "blob/blob.h"

/* ---- the device ---------------------------------------------------------- */

/* Returns the record of TARG, or null if the bytes do not reach it. */
static const uint8_t *
find_target(const uint8_t *bytes, uint64_t size)
{
    uint64_t n = get32(bytes + 24);
    for (uint64_t i = 0; i < n && i < MAX_SECTIONS; i++) {
        uint64_t at = HEADER_BYTES + i * ENTRY_BYTES;
        if (size < at + ENTRY_BYTES) {
            return NULL;
        }
        uint64_t offset = get64(bytes + at + 8);
        if (get32(bytes + at) == blob_sections[SEC_TARG].fourcc) {
            bool whole = get64(bytes + at + 16) == TARG_BYTES && offset <= size &&
                         size - offset >= TARG_BYTES;
            return whole ? bytes + offset : NULL;
        }
    }
    return NULL;
}

TikBlobFit
tikblob_fit(const uint8_t *bytes, uint64_t size, const Soc *soc)
{
    uint8_t own[TARG_BYTES];
    if (size < HEADER_BYTES || !blob_has_magic(bytes) ||
        get32(bytes + 60) != blob_crc32c(bytes, 60) ||
        get16(bytes + 8) != TIKBLOB_MAJOR || get64(bytes + 40) != 0) {
        return TIKBLOB_FIT_UNKNOWN;
    }
    const uint8_t *target = find_target(bytes, size);
    if (target == NULL || get32(bytes + 36) != blob_crc32c(target, TARG_BYTES)) {
        return TIKBLOB_FIT_UNKNOWN;
    }
    blob_target_record(soc, own);
    if (blob_same(target, own, TARG_BYTES)) {
        return TIKBLOB_FIT_HERE;
    }
    return blob_same(target + TARG_NAME, own + TARG_NAME, 8) ? TIKBLOB_FIT_RECOMPILED
                                                             : TIKBLOB_FIT_OTHER;
}

/* ---- the content --------------------------------------------------------- */

static void
add_number(Sha256 *s, uint64_t v)
{
    uint8_t bytes[8];
    put64(bytes, v);
    blob_sha256_add(s, bytes, sizeof bytes);
}

/* Adds records, of which each begins with a reference to a string: the string stands in
 * its place, since strings move when others go. */
static void
add_named(Sha256 *sha, const TikBlob *b, SectionId id)
{
    const uint8_t *strings = blob_bytes(b, SEC_STRS);
    for (uint64_t i = 0; i < blob_records(b, id); i++) {
        const uint8_t *r = blob_record(b, id, i);
        const uint8_t *text = strings + get32(r);
        blob_sha256_add(sha, text, blob_strlen((const char *)text) + 1);
        blob_sha256_add(sha, r + 4, blob_sections[id].record - 4);
    }
}

void
tikblob_content_id(const TikBlob *b, uint8_t id[32])
{
    Sha256 sha;
    blob_sha256_init(&sha);
    for (int s = 0; s < SEC_COUNT; s++) {
        const TikBlobSection *section = blob_section(b, (SectionId)s);
        if ((blob_sections[s].flags & BLOB_MUST) == 0 || s == SEC_STRS || s == SEC_IDNT ||
            section == NULL) {
            continue;
        }
        add_number(&sha, section->fourcc);
        add_number(&sha, section->size);
        if (s == SEC_KERN || s == SEC_ARGS || s == SEC_REGN) {
            add_named(&sha, b, (SectionId)s);
        } else {
            blob_sha256_add(&sha, b->bytes + section->offset, section->size);
        }
    }
    blob_sha256_end(&sha, id);
}

/* ---- signatures ---------------------------------------------------------- */

void
tikblob_message(const TikBlob *b, uint8_t message[TIKBLOB_MESSAGE_BYTES])
{
    /* A key that signs other things too cannot be made to sign a blob unawares. */
    static const char head[16] = "tikblob content";
    _Static_assert(sizeof head + 32 == TIKBLOB_MESSAGE_BYTES, "the id follows the head");
    memcpy(message, head, sizeof head);
    tikblob_content_id(b, message + sizeof head);
}

bool
tikblob_trusted(const TikBlob *b, const uint8_t *signature, uint64_t size,
                const TikBlobTrust *trust, TikBlobDiag *diag)
{
    uint8_t message[TIKBLOB_MESSAGE_BYTES];
    if (size != TIKBLOB_SIGNATURE_BYTES) {
        return blob_bad_value(
            diag, BLOB_SIGNATURE_SIZE, SEC_COUNT, 0,
            (BlobSeen){(int64_t)size, TIKBLOB_SIGNATURE_BYTES, TIKBLOB_SIGNATURE_BYTES});
    }
    tikblob_message(b, message);
    for (int i = 0; i < trust->nkeys; i++) {
        if (trust->ed25519(trust->context, trust->keys[i], message, sizeof message,
                           signature)) {
            return true;
        }
    }
    return blob_bad(diag, BLOB_SIGNATURE, SEC_COUNT, 0);
}
