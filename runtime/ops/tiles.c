/* tiles.c: transposes of tiles (ops/tiles.h) for compiled kernels and for this
 * library. */
#include "ops/tiles.h"

#include "isa/isa.h"
#include "num/lanes.h"
#include "tikcode.h"

static const TilesTable *
table(void)
{
    switch (num_level()) {
    case NUM_LEVEL_AVX2:
        return &tiles_avx2;
    case NUM_LEVEL_AVX512:
        return &tiles_avx512;
    default:
        return &tiles_base;
    }
}

void
ops_transpose_tiles(int size, const OpTiles *t)
{
    (size == 1 ? table()->of8 : size == 2 ? table()->of16 : table()->of32)(t);
}

void
tikrt_tiles(const TikTiles *how, uint8_t *const *blocks, int64_t repeats,
            int64_t dst_step, int64_t src_step, int64_t ahead)
{
    OpTiles t = {.n = repeats,
                 .dst_step = dst_step,
                 .src_step = src_step,
                 .ahead = how->src_half == 0 ? ahead : 0,
                 .apart = how->apart};
    for (int i = 0; i < TILE_ROWS; i++) {
        t.dst[i] = blocks[i] + how->dst_half;
        t.src[i] = blocks[TILE_ROWS + i] + how->src_half;
    }
    ops_transpose_tiles(how->size, &t);
}

/* A column of 32-bit elements is two blocks. */
void
tikrt_planes(const TikPlanes *p, uint8_t *dst, const uint8_t *src, int64_t repeats,
             int64_t dst_step, int64_t src_step)
{
    int blocks = p->size == 4 ? 2 : 1;
    OpTiles t = {
        .n = repeats, .dst_step = dst_step, .src_step = src_step, .apart = p->apart};
    for (int64_t band = 0; band < p->bands; band++) {
        for (int i = 0; i < TILE_ROWS; i++) {
            t.src[i] = src + band * p->src_band + i * p->src_pitch;
            t.dst[i] = dst + band * p->dst_band + i / blocks * p->dst_pitch +
                       i % blocks * BLOCK_BYTES;
        }
        ops_transpose_tiles(p->size, &t);
    }
}
