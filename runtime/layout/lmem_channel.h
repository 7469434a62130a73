/* lmem_channel.h: packs the elements of one output channel of a weight. It is private to
 * runtime/layout. */
#ifndef TIK_LMEM_CHANNEL_H
#define TIK_LMEM_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

/* How the elements of an output channel are laid out: groups, of points, of inner
 * channels. */
typedef struct Grid {
    uint64_t channels; /* channels of the source, after merging */
    uint64_t points;   /* kernel points after merging */
    uint64_t inner;    /* channels that are adjacent in the result */
    uint64_t groups;   /* groups of inner channels */
    /* merging kw: channels that are adjacent in the source; else 0 */
    uint64_t per_block;
    uint64_t block_step; /* the distance of such channels' blocks */
    unsigned elem_bytes; /* bytes of an element in the source */
    bool nibbles;        /* two elements make one byte of the result */
} Grid;

/* Writes the bytes of a channel in the order of the grid. out is zeroed, and stays zero
 * where no element goes. */
void pack_channel(const uint8_t *src, const Grid *g, uint8_t *out);

#endif
