/* peers_diff.h: how arrays differ from what they were, as bytes that processes exchange:
 * of each piece of 4 KiB with a difference its number, a bit for each byte that differs,
 * and these bytes. No other byte is written when it is applied, so differences of bytes
 * side by side go together. It is private to the runtime. */
#ifndef TIK_PEERS_DIFF_H
#define TIK_PEERS_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PEERS_MANY = UINT16_MAX
};

/* An array of the run. */
typedef struct PeerRegion {
    uint8_t *now, *before;
    int64_t bytes;
    /* for each byte the number of the rank, from 1 on, that logged an atomic write of it;
     * PEERS_MANY: several did; 0: none. Null: none did of any */
    uint16_t *writer;
} PeerRegion;

/* Returns how many bytes diff_write writes. */
size_t diff_size(const PeerRegion *regions, int32_t n);
void diff_write(const PeerRegion *regions, int32_t n, uint8_t *to);
/* Applies what another process changed. Returns false, maybe after a part of it, if a
 * byte was changed here too that not several ranks wrote atomically, or if the bytes are
 * no difference of these regions. */
bool diff_apply(PeerRegion *regions, int32_t n, const uint8_t *from, size_t size);
/* Makes the bytes that several ranks wrote atomically what they were. */
void diff_reset(PeerRegion *regions, int32_t n);
/* Makes all bytes what they were. */
void diff_restore(PeerRegion *regions, int32_t n);

#endif
