/* open.c: tikblob_open checks property P1: the container is well-formed and canonical.
 * This file checks the header and the section table; then follow strings and tables
 * (tables.c), descriptors (decode.c) and places (line.c). Checksums come before the
 * rules, so that damage is reported as damage.
 *
 * It is freestanding, goes over the bytes once, and computes all sizes by checked
 * arithmetic. The build id is compared by tikblob_identify alone: it names the bytes, and
 * the checksums already tell damage, at a thirtieth of its cost. It owns the rules of the
 * groups header, sections and target of blob_rule.def. */
#include "blob/blob.h"

const SectionInfo blob_sections[SEC_COUNT] = {
#define SECTION(id, a, b, c, d, flags, align, record, required)                          \
    [SEC_##id] = {(uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 |             \
                      (uint32_t)(d) << 24,                                               \
                  flags, align, record, required},
#include "blob/section.def"
};

bool
blob_has_magic(const uint8_t *p)
{
    static const uint8_t magic[8] = {0x89, 'T', 'K', 'B', 0x0d, 0x0a, 0x1a, 0x0a};
    return blob_same(p, magic, sizeof magic);
}

bool
blob_refuse(TikBlobDiag *diag, uint32_t rule, const BlobAt *at)
{
    if (diag == NULL) {
        return false;
    }
    *diag =
        (TikBlobDiag){.rule = rule, .offset = at->offset, .descriptor = at->descriptor};
#ifndef TIK_LEAN
    diag->seen_lo = at->seen_lo;
    diag->seen_hi = at->seen_hi;
    diag->allowed_lo = at->allowed_lo;
    diag->allowed_hi = at->allowed_hi;
    const char *code = tikblob_rule_name(rule);
    for (size_t i = 0; i + 1 < sizeof diag->code && code[i] != 0; i++) {
        diag->code[i] = code[i];
    }
#endif
    if (at->fourcc != 0) {
        for (int i = 0; i < 4; i++) {
            diag->section[i] = (char)(at->fourcc >> (8 * i));
        }
    }
    return false;
}

#ifdef TIK_LEAN
bool
blob_bad(TikBlobDiag *diag, BlobRule rule, SectionId section, uint64_t offset)
{
    BlobAt at = {.fourcc = section < SEC_COUNT ? blob_sections[section].fourcc : 0,
                 .offset = offset,
                 .descriptor = -1};
    return blob_refuse(diag, rule, &at);
}
#else
bool
blob_bad_value(TikBlobDiag *diag, BlobRule rule, SectionId section, uint64_t offset,
               BlobSeen v)
{
    BlobAt at = {.fourcc = section < SEC_COUNT ? blob_sections[section].fourcc : 0,
                 .offset = offset,
                 .descriptor = -1,
                 .seen_lo = v.seen,
                 .seen_hi = v.seen,
                 .allowed_lo = v.lo,
                 .allowed_hi = v.hi};
    return blob_refuse(diag, rule, &at);
}

bool
blob_bad(TikBlobDiag *diag, BlobRule rule, SectionId section, uint64_t offset)
{
    return blob_bad_value(diag, rule, section, offset, (BlobSeen){0, 0, 0});
}
#endif

/* ---- header -------------------------------------------------------------- */

static bool
check_header(const TikBlob *b, TikBlobDiag *diag)
{
    const uint8_t *p = b->bytes;
    if (b->size < HEADER_BYTES) {
        return blob_bad_value(diag, BLOB_FILE_SHORT, SEC_COUNT, 0,
                              (BlobSeen){(int64_t)b->size, HEADER_BYTES, INT64_MAX});
    }
    if (!blob_has_magic(p)) {
        return blob_bad(diag, BLOB_MAGIC, SEC_COUNT, 0);
    }
    if (get32(p + 60) != blob_crc32c(p, 60)) {
        return blob_bad(diag, BLOB_HEADER_CRC, SEC_COUNT, 60);
    }
    if (get16(p + 8) != TIKBLOB_MAJOR) {
        return blob_bad_value(diag, BLOB_VERSION, SEC_COUNT, 8,
                              (BlobSeen){get16(p + 8), TIKBLOB_MAJOR, TIKBLOB_MAJOR});
    }
    if (get32(p + 12) != HEADER_BYTES || get32(p + 28) != HEADER_BYTES) {
        return blob_bad(diag, BLOB_HEADER_SIZE, SEC_COUNT, 12);
    }
    if (get64(p + 16) != b->size || b->size > INT64_MAX) {
        return blob_bad_value(
            diag, BLOB_TOTAL_SIZE, SEC_COUNT, 16,
            (BlobSeen){(int64_t)b->size, (int64_t)get64(p + 16), (int64_t)get64(p + 16)});
    }
    if (get64(p + 40) != 0) {
        return blob_bad(diag, BLOB_FEATURE, SEC_COUNT, 40);
    }
    if (get16(p + 10) <= TIKBLOB_MINOR && get64(p + 48) != 0) {
        return blob_bad(diag, BLOB_FEATURE_OPTIONAL, SEC_COUNT, 48);
    }
    return true;
}

/* ---- section table ------------------------------------------------------- */

static SectionId
find_section(uint32_t fourcc)
{
    int id = 0;
    while (id < SEC_COUNT && blob_sections[id].fourcc != fourcc) {
        id++;
    }
    return (SectionId)id;
}

/* A later minor version may have longer records, with zeros after the bytes that this
 * reader knows. */
static bool
check_record(const TikBlob *b, const TikBlobSection *s, SectionId id, TikBlobDiag *diag)
{
    uint32_t known = blob_sections[id].record;
    bool fixed = known == 1 || known == SLOT_BYTES || id == SEC_IDNT || id == SEC_TARG;
    bool later = get16(b->bytes + 10) > TIKBLOB_MINOR && !fixed;
    if (s->record != known && !(later && s->record > known && s->record <= 4096)) {
        return blob_bad_value(diag, BLOB_SECTION_RECORD, id, s->offset,
                              (BlobSeen){s->record, known, known});
    }
    if (quotient(s->size, s->record) * s->record != s->size) {
        return blob_bad(diag, BLOB_SECTION_SIZE, id, s->offset);
    }
    for (uint64_t at = 0; s->record > known && at < s->size; at += s->record) {
        if (!blob_is_zero(b->bytes + s->offset + at + known, s->record - known)) {
            return blob_bad(diag, BLOB_SECTION_RECORD, id, s->offset + at + known);
        }
    }
    return true;
}

/* Checks the place of a section: it directly follows the one before, except for zeros up
 * to its alignment. */
static bool
check_place(const TikBlob *b, const uint8_t *entry, uint64_t *end, TikBlobDiag *diag)
{
    SectionId id = find_section(get32(entry));
    uint64_t offset = get64(entry + 8);
    uint64_t size = get64(entry + 16);
    uint64_t align = (uint64_t)1 << entry[6];
    uint64_t want = (*end + align - 1) / align * align;
    uint64_t where = (uint64_t)(entry - b->bytes);
    if (offset != want || offset > b->size) {
        return blob_bad_value(diag, BLOB_SECTION_OFFSET, id, where + 8,
                              (BlobSeen){(int64_t)offset, (int64_t)want, (int64_t)want});
    }
    if (size > b->size - offset) {
        return blob_bad_value(diag, BLOB_SECTION_SIZE, id, where + 16,
                              (BlobSeen){(int64_t)size, 0, (int64_t)(b->size - offset)});
    }
    if (!blob_is_zero(b->bytes + *end, offset - *end)) {
        return blob_bad(diag, BLOB_SECTION_GAP, id, *end);
    }
    *end = offset + size;
    return true;
}

static bool
check_entry(TikBlob *b, int index, uint64_t *end, TikBlobDiag *diag)
{
    uint64_t where = HEADER_BYTES + (uint64_t)index * ENTRY_BYTES;
    const uint8_t *e = b->bytes + where;
    SectionId id = find_section(get32(e));
    uint32_t flags = get16(e + 4);
    if (id == SEC_COUNT && (flags & BLOB_MUST)) {
        return blob_bad(diag, BLOB_SECTION_UNKNOWN, id, where);
    }
    bool fits = id == SEC_COUNT ||
                (flags == blob_sections[id].flags && e[6] == blob_sections[id].align);
    if (!fits || flags > (BLOB_MUST | BLOB_STRIP) || e[6] > 12 || e[7] != 0) {
        return blob_bad(diag, BLOB_SECTION_FLAGS, id, where + 4);
    }
    if (!check_place(b, e, end, diag)) {
        return false;
    }
    TikBlobSection *s = &b->sections[index];
    *s = (TikBlobSection){get32(e), flags, get64(e + 8), get64(e + 16), get32(e + 24)};
    uint32_t crc = id == SEC_IDNT ? 0 : blob_crc32c(b->bytes + s->offset, s->size);
    if (get32(e + 28) != crc) {
        return blob_bad(diag, BLOB_SECTION_CRC, id, s->offset);
    }
    if (id == SEC_COUNT) {
        return true;
    }
    b->known[id] = (int8_t)index;
    return check_record(b, s, id, diag);
}

/* Checks that known sections are in the order of section.def, none twice, and that the
 * build id is the last one. */
static bool
check_order(const TikBlob *b, TikBlobDiag *diag)
{
    int last = -1;
    for (int i = 0; i < b->nsections; i++) {
        SectionId id = find_section(b->sections[i].fourcc);
        uint64_t where = HEADER_BYTES + (uint64_t)i * ENTRY_BYTES;
        if (id == SEC_COUNT) {
            continue;
        }
        if ((int)id <= last) {
            return blob_bad(diag, BLOB_SECTION_ORDER, id, where);
        }
        last = (int)id;
    }
    for (int id = 0; id < SEC_COUNT; id++) {
        if (b->known[id] < 0 && blob_sections[id].required) {
            return blob_bad(diag, BLOB_SECTION_MISSING, (SectionId)id, HEADER_BYTES);
        }
    }
    if (b->known[SEC_IDNT] != b->nsections - 1) {
        return blob_bad(diag, BLOB_SECTION_ORDER, SEC_IDNT, HEADER_BYTES);
    }
    return true;
}

static bool
check_sections(TikBlob *b, TikBlobDiag *diag)
{
    uint32_t n = get32(b->bytes + 24);
    if (n < 1 || n > MAX_SECTIONS) {
        return blob_bad_value(diag, BLOB_SECTION_COUNT, SEC_COUNT, 24,
                              (BlobSeen){n, 1, MAX_SECTIONS});
    }
    uint64_t end = HEADER_BYTES + (uint64_t)n * ENTRY_BYTES;
    if (b->size < end) {
        return blob_bad_value(diag, BLOB_FILE_SHORT, SEC_COUNT, 24,
                              (BlobSeen){(int64_t)b->size, (int64_t)end, INT64_MAX});
    }
    if (get32(b->bytes + 56) !=
        blob_crc32c(b->bytes + HEADER_BYTES, end - HEADER_BYTES)) {
        return blob_bad(diag, BLOB_TABLE_CRC, SEC_COUNT, HEADER_BYTES);
    }
    b->nsections = (int)n;
    for (int i = 0; i < b->nsections; i++) {
        if (!check_entry(b, i, &end, diag)) {
            return false;
        }
    }
    if (end != b->size) {
        return blob_bad_value(diag, BLOB_TOTAL_SIZE, SEC_COUNT, end,
                              (BlobSeen){(int64_t)b->size, (int64_t)end, (int64_t)end});
    }
    return check_order(b, diag);
}

/* ---- build id and target ------------------------------------------------- */

enum {
    ID_BYTES = 32
};

static bool
check_id_size(const TikBlob *b, TikBlobDiag *diag)
{
    const TikBlobSection *s = blob_section(b, SEC_IDNT);
    return s->size == ID_BYTES || blob_bad(diag, BLOB_SECTION_SIZE, SEC_IDNT, s->offset);
}

bool
tikblob_identify(const TikBlob *b, TikBlobDiag *diag)
{
    const TikBlobSection *s = blob_section(b, SEC_IDNT);
    Sha256 sha;
    uint8_t id[ID_BYTES];
    blob_sha256_init(&sha);
    blob_sha256_add(&sha, b->bytes, s->offset);
    blob_sha256_end(&sha, id);
    if (!blob_same(id, b->bytes + s->offset, sizeof id)) {
        return blob_bad(diag, BLOB_BUILD_ID, SEC_IDNT, s->offset);
    }
    return true;
}

/* TARG has the name (24 bytes), core kind, profile, core counts, bytes of UB..FB, L2,
 * alignments of an address in each memory for narrow and for 32-bit elements, limits of
 * moves and repeats, block, repeat. */
void
blob_target_record(const Soc *soc, uint8_t out[TARG_BYTES])
{
    for (int i = 0; i < TARG_BYTES; i++) {
        out[i] = 0;
    }
    for (uint64_t i = 0; i < blob_strlen(soc->name) && i < TARG_NAME - 1; i++) {
        out[i] = (uint8_t)soc->name[i];
    }
    put32(out + 24, (uint32_t)soc->core);
    put32(out + 28, (uint32_t)soc_profile(soc));
    put32(out + 32, (uint32_t)soc->cores);
    put32(out + 36, (uint32_t)soc->cube_cores);
    put32(out + 40, (uint32_t)soc->vector_cores);
    for (int i = 1; i < BLOB_SCOPES; i++) {
        put32(out + 40 + 4 * i, (uint32_t)soc->bytes[i]);
    }
    if (soc->lmem != NULL) {
        put32(out + 44, (uint32_t)soc->lmem->npu);
        put32(out + 48, (uint32_t)soc->lmem->lane_bytes);
        put32(out + 52, (uint32_t)soc->lmem->eu_bytes);
        put32(out + 56, (uint32_t)soc->lmem->banks);
    }
    put32(out + 72, (uint32_t)soc->l2);
    for (int i = 0; i < BLOB_SCOPES; i++) {
        put16(out + 76 + 2 * i, (uint32_t)scope_align((Scope)i, DT_F16));
        put16(out + 92 + 2 * i, (uint32_t)scope_align((Scope)i, DT_F32));
    }
    put32(out + 108, 4095);
    put32(out + 112, 65535);
    put32(out + 116, 255);
    put32(out + 120, BLOCK_BYTES);
    put32(out + 124, REPEAT_BYTES);
}

static bool
check_target(TikBlob *b, TikBlobDiag *diag)
{
    const TikBlobSection *s = blob_section(b, SEC_TARG);
    const uint8_t *p = b->bytes + s->offset;
    if (s->size != TARG_BYTES) {
        return blob_bad(diag, BLOB_SECTION_SIZE, SEC_TARG, s->offset);
    }
    if (p[TARG_NAME - 1] == 0) {
        b->soc = soc_find((const char *)p);
    }
    if (b->soc == NULL) {
        return blob_bad(diag, BLOB_TARGET_UNKNOWN, SEC_TARG, s->offset);
    }
    uint8_t record[TARG_BYTES];
    blob_target_record(b->soc, record);
    for (uint64_t i = 0; i < TARG_BYTES; i++) {
        if (p[i] != record[i]) {
            return blob_bad_value(diag, BLOB_TARGET_PROFILE, SEC_TARG, s->offset + i,
                                  (BlobSeen){p[i], record[i], record[i]});
        }
    }
    if (get32(b->bytes + 32) != (uint32_t)b->soc->core ||
        get32(b->bytes + 36) != blob_crc32c(p, TARG_BYTES)) {
        return blob_bad(diag, BLOB_TARGET_FINGERPRINT, SEC_COUNT, 32);
    }
    return true;
}

/* ---- choices ------------------------------------------------------------- */

void
blob_choice_record(Choice point, int reading, uint8_t out[CHOICE_BYTES])
{
    choice_letters(point, out);
    put32(out + 4, (uint32_t)reading);
}

static bool
find_choice(const uint8_t *p, Choice *point)
{
    uint8_t record[CHOICE_BYTES];
    for (int i = 0; i < CHOICE_COUNT; i++) {
        blob_choice_record((Choice)i, 0, record);
        if (blob_same(record, p, 4)) {
            *point = (Choice)i;
            return true;
        }
    }
    return false;
}

static bool
check_choices(TikBlob *b, TikBlobDiag *diag)
{
    const TikBlobSection *s = blob_section(b, SEC_CHCE);
    if (s == NULL) {
        return true;
    }
    int last = -1;
    for (uint64_t i = 0; i < blob_records(b, SEC_CHCE); i++) {
        const uint8_t *p = blob_record(b, SEC_CHCE, i);
        uint64_t where = s->offset + i * s->record;
        uint32_t reading = get32(p + 4);
        Choice point = (Choice)0;
        if (!find_choice(p, &point) || reading < 1 ||
            !choice_has_reading(point, (int)reading)) {
            return blob_bad(diag, BLOB_CHOICE_FIELD, SEC_CHCE, where);
        }
        if ((int)point <= last) {
            return blob_bad(diag, BLOB_CHOICE_ORDER, SEC_CHCE, where);
        }
        last = (int)point;
        b->choices.v[point] = (uint8_t)reading;
    }
    return last >= 0 || blob_bad(diag, BLOB_CHOICE_FIELD, SEC_CHCE, s->offset);
}

bool
tikblob_open(TikBlob *b, const uint8_t *bytes, uint64_t size, TikBlobDiag *diag)
{
    *b = (TikBlob){.bytes = bytes, .size = size};
    for (int i = 0; i < TIKBLOB_KNOWN_SECTIONS; i++) {
        b->known[i] = -1;
    }
    return check_header(b, diag) && check_sections(b, diag) && check_id_size(b, diag) &&
           check_target(b, diag) && check_choices(b, diag) &&
           blob_check_tables(b, diag) && blob_check_code(b, diag) &&
           blob_check_lines(b, diag) && blob_check_names(b, diag) &&
           blob_check_calls(b, diag) && blob_check_strings(b, diag);
}
