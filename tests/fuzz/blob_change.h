/* blob_change.h: changes of blobs that stay in the shape of one: fields, bytes, bits and
 * slots of a section, with the checksums of sections made right. For the programs that
 * try many of them. */
#ifndef BLOB_CHANGE_H
#define BLOB_CHANGE_H

#include "blob/blob.h"
#include "isa/bytes.h"

static inline uint32_t
change_below(uint64_t *state, uint32_t n)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33) % n;
}

/* Chooses one of n sections, the larger ones more often, and gives its place. The bytes
 * may be anything: false if they are no sections. */
static inline bool
change_section(const uint8_t *bytes, uint64_t size, uint64_t *state, uint64_t *at,
               uint64_t *length)
{
    uint32_t n = size < HEADER_BYTES ? 0 : get32(bytes + 24);
    *length = 0;
    if (n < 1 || n > MAX_SECTIONS || size < HEADER_BYTES + n * ENTRY_BYTES) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        const uint8_t *e = bytes + HEADER_BYTES + ENTRY_BYTES * change_below(state, n);
        uint64_t from = get64(e + 8), bytes_of = get64(e + 16);
        if (from <= size && bytes_of <= size - from && bytes_of > *length) {
            *at = from;
            *length = bytes_of;
        }
    }
    return *length >= 16;
}

/* Changes a field, a byte, a bit or the order of slots in a section. */
static inline void
change_field(uint8_t *bytes, uint64_t size, uint64_t *state)
{
    static const uint32_t numbers[] = {
        0,          1,          2,          3,          8,
        15,         16,         31,         32,         33,
        64,         96,         127,        128,        255,
        256,        4095,       4096,       65535,      65536,
        0x7fffffff, 0x80000000, 0xffffffff, 0xffffffe0, 0xffffffff - 64};
    uint64_t at, n;
    if (!change_section(bytes, size, state, &at, &n)) {
        return;
    }
    uint8_t *p = bytes + at;
    uint32_t words = (uint32_t)(n / 4), slots = (uint32_t)(n / 16);
    uint8_t *w = p + 4 * change_below(state, words);
    uint8_t slot[16];
    switch (change_below(state, 7)) {
    case 0:
        p[change_below(state, (uint32_t)n)] ^= (uint8_t)(1 << change_below(state, 8));
        break;
    case 1:
        p[change_below(state, (uint32_t)n)] = (uint8_t)change_below(state, 256);
        break;
    case 2:
        put32(w, numbers[change_below(state, sizeof numbers / sizeof numbers[0])]);
        break;
    case 3:
        put32(w, get32(w) + change_below(state, 5) - 2);
        break;
    case 4:
        put32(w, get32(w) + 32 * (change_below(state, 9) - 4));
        break;
    case 5:
        put32(w, get32(p + 4 * change_below(state, words)));
        break;
    case 6:
        memcpy(slot, p + 16 * change_below(state, slots), 16);
        memcpy(p + 16 * change_below(state, slots), slot, 16);
        break;
    }
}

/* Makes the checksums right that tikblob_open compares, but not the build id. */
static inline void
change_repair(uint8_t *bytes, uint64_t size)
{
    uint64_t n = size < HEADER_BYTES ? 0 : get32(bytes + 24);
    if (n < 1 || n > MAX_SECTIONS || size < HEADER_BYTES + n * ENTRY_BYTES) {
        return;
    }
    for (uint64_t i = 0; i < n; i++) {
        uint8_t *e = bytes + HEADER_BYTES + i * ENTRY_BYTES;
        uint64_t at = get64(e + 8), length = get64(e + 16);
        if (at > size || length > size - at) {
            continue;
        }
        bool id = get32(e) == blob_sections[SEC_IDNT].fourcc;
        put32(e + 28, id ? 0 : blob_crc32c(bytes + at, length));
        if (get32(e) == blob_sections[SEC_TARG].fourcc && length == TARG_BYTES) {
            put32(bytes + 36, blob_crc32c(bytes + at, length));
        }
    }
    put32(bytes + 56, blob_crc32c(bytes + HEADER_BYTES, n * ENTRY_BYTES));
    put32(bytes + 60, blob_crc32c(bytes, 60));
}

#endif
