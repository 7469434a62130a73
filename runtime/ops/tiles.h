/* tiles.h: transposes of tiles: 16 rows of a block (of half a block for bytes). There is
 * a table for each level of the processor's vector unit (ops/tiles_lanes.c); all move the
 * same bytes. It is private to runtime/ops. */
#ifndef TIK_OPS_TILES_H
#define TIK_OPS_TILES_H

#include <stdbool.h>
#include <stdint.h>

enum {
    TILE_ROWS = 16
};

/* The tiles of n repeats: the rows of the first one, its 16 transposed blocks, and the
 * bytes from repeat to repeat. */
typedef struct OpTiles {
    uint8_t *dst[TILE_ROWS];
    const uint8_t *src[TILE_ROWS];
    int64_t n, dst_step, src_step;
    int64_t ahead; /* bytes from the rows to those that are needed soon; 0: none are */
    bool apart;    /* no repeat writes what another one reads */
} OpTiles;

/* Transposes all tiles. Each is read before it is written, and blocks are written in
 * order. */
typedef void OpTilesFn(const OpTiles *t);

typedef struct TilesTable {
    OpTilesFn *of8, *of16, *of32; /* by the bits of an element */
} TilesTable;

/* Empty but for the first one where the processor family is not x86-64. */
extern const TilesTable tiles_base, tiles_avx2, tiles_avx512;

void ops_transpose_tiles(int size, const OpTiles *t);

#endif
