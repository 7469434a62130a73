/* layout.c: transposes and other new orders of elements (vector chapter 6). Compiled
 * kernels come here only for what are no whole tiles (ops/tiles.h). */
#include "ops/internal.h"
#include "ops/tiles.h"
#include "isa/operand.h"

#include <string.h>

enum {
    TILE = 256, /* elements of a tile of 16 x 16 */
    TILE_BYTES = 512
};

void
ops_transpose16(uint16_t tile[256])
{
    OpTiles t = {.n = 1};
    for (int i = 0; i < TILE_ROWS; i++) {
        t.dst[i] = (uint8_t *)(tile + i * TILE_ROWS);
        t.src[i] = t.dst[i];
    }
    ops_transpose_tiles(2, &t);
}

/* ---- vnchwconv ----------------------------------------------------------- */

bool
ops_nchw(OpCall *c)
{
    const CheckArg *a = c->in.args;
    int size = dtype_size(a[NCHW_dst_list].t.dtype);
    int64_t to = size == 1 && a[NCHW_dst_high_half].v ? BLOCK_BYTES / 2 : 0;
    int64_t from = size == 1 && a[NCHW_src_high_half].v ? BLOCK_BYTES / 2 : 0;
    OpTiles s = {.n = a[NCHW_repeat_times].v,
                 .dst_step = a[NCHW_dst_rep_stride].v * BLOCK_BYTES,
                 .src_step = a[NCHW_src_rep_stride].v * BLOCK_BYTES};
    for (int i = 0; i < TILE_ROWS; i++) {
        s.dst[i] = c->at[NCHW_dst_list + i] + to;
        s.src[i] = c->at[NCHW_src_list + i] + from;
    }
    ops_transpose_tiles(size, &s);
    return true;
}

/* ---- tiles --------------------------------------------------------------- */

bool
ops_tiles(OpCall *c)
{
    const CheckArg *a = c->in.args;
    bool one = op_table[c->in.op].form == FORM_TILE;
    int64_t n = one ? 1 : a[TILES_repeat_times].v;
    for (int64_t i = 0; i < n; i++) {
        uint16_t tile[TILE];
        memcpy(tile,
               c->at[TILES_src] + (one ? 0 : i * a[TILES_src_rep_stride].v * TILE_BYTES),
               sizeof tile);
        ops_transpose16(tile);
        memcpy(c->at[TILES_dst] + (one ? 0 : i * a[TILES_dst_rep_stride].v * TILE_BYTES),
               tile, sizeof tile);
    }
    return true;
}

/* ---- v4dtrans ------------------------------------------------------------ */

/* Defines a transpose that writes in order: dst[m * rows + c] = src[c * columns + m]. */
#define PLANES(name, T)                                                                  \
    static void name(T *restrict dst, const T *restrict src, int64_t rows,               \
                     int64_t columns)                                                    \
    {                                                                                    \
        for (int64_t m = 0; m < columns; m++) {                                          \
            for (int64_t i = 0; i < rows; i++) {                                         \
                dst[m * rows + i] = src[i * columns + m];                                \
            }                                                                            \
        }                                                                                \
    }

typedef uint16_t Any16 __attribute__((aligned(1), may_alias));
typedef uint32_t Any32 __attribute__((aligned(1), may_alias));

PLANES(planes8, uint8_t)
PLANES(planes16, Any16)
PLANES(planes32, Any32)

/* Transposes squares of 16 x 16 in registers. */
static void
planes16_by_tiles(Any16 *restrict dst, const Any16 *restrict src, int64_t rows,
                  int64_t columns)
{
    for (int64_t m = 0; m < columns; m += TILE_ROWS) {
        for (int64_t i = 0; i < rows; i += TILE_ROWS) {
            uint16_t tile[TILE];
            for (int k = 0; k < TILE_ROWS; k++) {
                memcpy(tile + k * TILE_ROWS, src + (i + k) * columns + m, 2 * TILE_ROWS);
            }
            ops_transpose16(tile);
            for (int k = 0; k < TILE_ROWS; k++) {
                memcpy(dst + (m + k) * rows + i, tile + k * TILE_ROWS, 2 * TILE_ROWS);
            }
        }
    }
}

bool
ops_planes(OpCall *c)
{
    const CheckArg *a = c->in.args;
    int size = dtype_size(a[PLANES_dst].t.dtype);
    CheckMultiple m = {RULE_MLEN_ALIGN, PLANES_m_len, a[PLANES_m_len].v,
                       BLOCK_BYTES / size};
    if (!check_multiple(c->in.op, &m, &c->fault)) {
        return false;
    }
    int64_t rows = a[PLANES_chw2hwc].v ? a[PLANES_channels].v : a[PLANES_m_len].v;
    int64_t columns = a[PLANES_chw2hwc].v ? a[PLANES_m_len].v : a[PLANES_channels].v;
    uint8_t copy[REPEAT_BYTES];
    const uint8_t *src = c->at[PLANES_src];
    if (src == c->at[PLANES_dst] && rows * columns * size <= REPEAT_BYTES) {
        src = memcpy(copy, src, (size_t)(rows * columns * size));
    }
    switch (size) {
    case 1:
        planes8(c->at[PLANES_dst], src, rows, columns);
        break;
    case 2:
        (rows % TILE_ROWS == 0 && columns % TILE_ROWS == 0
             ? planes16_by_tiles
             : planes16)((Any16 *)(void *)c->at[PLANES_dst],
                         (const Any16 *)(const void *)src, rows, columns);
        break;
    default:
        planes32((Any32 *)(void *)c->at[PLANES_dst], (const Any32 *)(const void *)src,
                 rows, columns);
        break;
    }
    return true;
}

/* ---- vmrgch -------------------------------------------------------------- */

bool
ops_channels(OpCall *c)
{
    enum {
        GROUPS = 8,
        KEPT = 4
    };
    int64_t size = dtype_size(c->in.args[CHANNELS_dst].t.dtype);
    bool sixteen = size > 1 || chosen(c->in.choices, CHOICE_VMRGCH_8_BIT) ==
                                   CHOSE_VMRGCH_8_BIT_SIXTEEN;
    int64_t group = sixteen ? 16 * size : 32, kept = KEPT * size;
    for (int64_t r = 0; r < c->in.args[CHANNELS_repeat_times].v; r++) {
        uint8_t repeat[GROUPS * BLOCK_BYTES];
        memcpy(repeat, c->at[CHANNELS_src] + r * GROUPS * group,
               (size_t)(GROUPS * group));
        for (int g = 0; g < GROUPS; g++) {
            memcpy(c->at[CHANNELS_dst] + (r * GROUPS + g) * kept, repeat + g * group,
                   (size_t)kept);
        }
    }
    return true;
}
