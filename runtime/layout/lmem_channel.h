/* lmem_channel.h: the elements of one output channel of a weight. Private to
 * runtime/layout. */
#ifndef TIK_LMEM_CHANNEL_H
#define TIK_LMEM_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

/* How the elements of one output channel are laid out: groups of points of lanes
 * channels. */
typedef struct Grid {
    uint64_t channels; /* of the source, after merging */
    uint64_t points;   /* kernel points that are left */
    uint64_t inner;    /* channels that lie side by side in the result */
    uint64_t groups;   /* of inner channels */
    /* merging kw: channels that lie side by side in the source; else 0 */
    uint64_t per_block;
    uint64_t block_step; /* and the distance of such blocks */
    unsigned elem_bytes; /* in the source */
    bool nibbles;        /* two elements make one byte of the result */
} Grid;

/* Of one channel the bytes in the order of the grid; out is zero, and stays so where no
 * element goes. */
void pack_channel(const uint8_t *src, const Grid *g, uint8_t *out);

#endif
