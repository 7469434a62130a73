/* peers_diff.c: differences of arrays; see peers_diff.h. */
#include "support/peers_diff.h"

#include <string.h>

enum {
    PIECE = 4096,
    BITS = PIECE / 8 /* bytes of a piece's bits */
};

typedef struct PieceHead {
    int32_t region;
    uint32_t changed; /* bytes that follow the bits */
    int64_t number;
} PieceHead;

static int64_t
piece_length(const PeerRegion *r, int64_t number)
{
    int64_t left = r->bytes - number * PIECE;
    return left < PIECE ? left : PIECE;
}

/* Fills the bits of a piece, and returns how many bytes differ. */
static uint32_t
find_changes(const uint8_t *now, const uint8_t *before, int64_t n, uint8_t bits[BITS])
{
    uint32_t changed = 0;
    memset(bits, 0, BITS);
    for (int64_t i = 0; i < n; i += 8) {
        int64_t some = n - i < 8 ? n - i : 8;
        if (memcmp(now + i, before + i, (size_t)some) == 0) {
            continue;
        }
        unsigned mask = 0;
        for (int64_t j = 0; j < some; j++) {
            mask |= (unsigned)(now[i + j] != before[i + j]) << j;
        }
        bits[i / 8] = (uint8_t)mask;
        changed += (uint32_t)__builtin_popcount(mask);
    }
    return changed;
}

size_t
diff_size(const PeerRegion *regions, int32_t n)
{
    size_t size = 0;
    uint8_t bits[BITS];
    for (int32_t i = 0; i < n; i++) {
        const PeerRegion *r = &regions[i];
        for (int64_t k = 0; k * PIECE < r->bytes; k++) {
            uint32_t changed = find_changes(r->now + k * PIECE, r->before + k * PIECE,
                                            piece_length(r, k), bits);
            size += changed > 0 ? sizeof(PieceHead) + BITS + changed : 0;
        }
    }
    return size;
}

static uint8_t *
put_bytes(const uint8_t *now, const uint8_t bits[BITS], uint8_t *to)
{
    for (int64_t i = 0; i < BITS; i++) {
        if (bits[i] == 0xff) {
            memcpy(to, now + 8 * i, 8);
            to += 8;
            continue;
        }
        for (unsigned mask = bits[i]; mask != 0; mask &= mask - 1) {
            *to++ = now[8 * i + __builtin_ctz(mask)];
        }
    }
    return to;
}

void
diff_write(const PeerRegion *regions, int32_t n, uint8_t *to)
{
    for (int32_t i = 0; i < n; i++) {
        const PeerRegion *r = &regions[i];
        for (int64_t k = 0; k * PIECE < r->bytes; k++) {
            PieceHead head = {.region = i, .number = k};
            uint8_t bits[BITS];
            head.changed = find_changes(r->now + k * PIECE, r->before + k * PIECE,
                                        piece_length(r, k), bits);
            if (head.changed > 0) {
                memcpy(to, &head, sizeof head);
                memcpy(to + sizeof head, bits, BITS);
                to = put_bytes(r->now + k * PIECE, bits, to + sizeof head + BITS);
            }
        }
    }
}

/* Writes one byte. What several ranks wrote atomically is not compared: it is computed
 * from logs. */
static bool
apply_byte(PeerRegion *r, int64_t at, uint8_t value)
{
    bool ok =
        r->now[at] == r->before[at] || (r->writer != NULL && r->writer[at] == PEERS_MANY);
    r->now[at] = value;
    return ok;
}

static bool
apply_piece(PeerRegion *r, int64_t number, const uint8_t *bits, const uint8_t *from)
{
    bool ok = true;
    for (int64_t i = 0; i < BITS; i++) {
        int64_t at = number * PIECE + 8 * i;
        if (bits[i] == 0xff && memcmp(r->now + at, r->before + at, 8) == 0) {
            memcpy(r->now + at, from, 8);
            from += 8;
            continue;
        }
        for (unsigned mask = bits[i]; mask != 0; mask &= mask - 1) {
            ok = apply_byte(r, at + __builtin_ctz(mask), *from++) && ok;
        }
    }
    return ok;
}

/* Returns whether the bits of a piece name that many bytes, all of them of the region. */
static bool
fits(const PeerRegion *r, const PieceHead *head, const uint8_t *bits)
{
    int64_t left = head->number < 0 || head->number > r->bytes / PIECE
                       ? 0
                       : piece_length(r, head->number);
    uint32_t named = 0;
    for (int64_t i = 0; i < BITS; i++) {
        int top = bits[i] == 0 ? 0 : 32 - __builtin_clz(bits[i]);
        if (bits[i] != 0 && 8 * i + top > left) {
            return false;
        }
        named += (uint32_t)__builtin_popcount(bits[i]);
    }
    return named == head->changed;
}

bool
diff_apply(PeerRegion *regions, int32_t n, const uint8_t *from, size_t size)
{
    PieceHead head;
    for (size_t at = 0; at < size;) {
        if (size - at < sizeof head + BITS) {
            return false;
        }
        memcpy(&head, from + at, sizeof head);
        const uint8_t *bits = from + at + sizeof head;
        at += sizeof head + BITS;
        if (head.region < 0 || head.region >= n || size - at < head.changed ||
            !fits(&regions[head.region], &head, bits) ||
            !apply_piece(&regions[head.region], head.number, bits, from + at)) {
            return false;
        }
        at += head.changed;
    }
    return true;
}

void
diff_reset(PeerRegion *regions, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        PeerRegion *r = &regions[i];
        for (int64_t at = 0; r->writer != NULL && at < r->bytes; at++) {
            if (r->writer[at] == PEERS_MANY) {
                r->now[at] = r->before[at];
            }
        }
    }
}

void
diff_restore(PeerRegion *regions, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        memcpy(regions[i].now, regions[i].before, (size_t)regions[i].bytes);
    }
}
