/* layout.c: transposes and other new orders of elements (vector chapter 6).
 *
 * A matrix of 2^a rows and 2^b columns is transposed by rotating the bits of every
 * element's index: a times, the first half of all elements is interleaved with the
 * second. Each such round is a loop that compilers map to the interleaving instructions
 * of the processor. */
#include "ops/internal.h"
#include "isa/operand.h"

#include <string.h>

enum {
    ENTRIES = 16,
    TILE = 256, /* elements of a tile of 16 x 16 */
    TILE_BYTES = 512
};

/* Does a round of a transpose of a tile; a and b have n elements. */
#define ROUND(to, from, n)                                                               \
    for (int i = 0; i < (n) / 2; i++) {                                                  \
        to[2 * i] = from[i];                                                             \
        to[2 * i + 1] = from[i + (n) / 2];                                               \
    }
#define TRANSPOSE(name, T, n)                                                            \
    static void name(T *restrict a)                                                      \
    {                                                                                    \
        T b[n];                                                                          \
        ROUND(b, a, n)                                                                   \
        ROUND(a, b, n)                                                                   \
        ROUND(b, a, n)                                                                   \
        ROUND(a, b, n)                                                                   \
    }

TRANSPOSE(transpose8, uint8_t, 256)
TRANSPOSE(transpose16, uint16_t, 256)
TRANSPOSE(transpose32, uint32_t, 128)

void
ops_transpose16(uint16_t tile[256])
{
    transpose16(tile);
}

/* ---- vnchwconv ----------------------------------------------------------- */

typedef struct Blocks {
    uint8_t *dst[ENTRIES];
    const uint8_t *src[ENTRIES];
    int64_t n, dst_step, src_step;
} Blocks;

/* Defines a function for elements of one width, in rows of len bytes. */
#define SCATTER(name, T, len, transpose)                                                 \
    static void name(const Blocks *s)                                                    \
    {                                                                                    \
        for (int64_t r = 0; r < s->n; r++) {                                             \
            T rows[ENTRIES * (len) / sizeof(T)];                                         \
            for (int i = 0; i < ENTRIES; i++) {                                          \
                memcpy((uint8_t *)rows + i * (len), s->src[i] + r * s->src_step, len);   \
            }                                                                            \
            transpose(rows);                                                             \
            for (int i = 0; i < ENTRIES; i++) {                                          \
                memcpy(s->dst[i] + r * s->dst_step, (uint8_t *)rows + i * (len), len);   \
            }                                                                            \
        }                                                                                \
    }

SCATTER(scatter8, uint8_t, 16, transpose8)
SCATTER(scatter16, uint16_t, 32, transpose16)
SCATTER(scatter32, uint32_t, 32, transpose32)

bool
ops_nchw(OpCall *c)
{
    const CheckArg *a = c->in.args;
    int size = dtype_size(a[NCHW_dst_list].t.dtype);
    int64_t to = size == 1 && a[NCHW_dst_high_half].v ? BLOCK_BYTES / 2 : 0;
    int64_t from = size == 1 && a[NCHW_src_high_half].v ? BLOCK_BYTES / 2 : 0;
    Blocks s = {.n = a[NCHW_repeat_times].v,
                .dst_step = a[NCHW_dst_rep_stride].v * BLOCK_BYTES,
                .src_step = a[NCHW_src_rep_stride].v * BLOCK_BYTES};
    for (int i = 0; i < ENTRIES; i++) {
        s.dst[i] = c->at[NCHW_dst_list + i] + to;
        s.src[i] = c->at[NCHW_src_list + i] + from;
    }
    switch (size) {
    case 1:
        scatter8(&s);
        break;
    case 2:
        scatter16(&s);
        break;
    default:
        scatter32(&s);
        break;
    }
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
        transpose16(tile);
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
    for (int64_t m = 0; m < columns; m += ENTRIES) {
        for (int64_t i = 0; i < rows; i += ENTRIES) {
            uint16_t tile[TILE];
            for (int k = 0; k < ENTRIES; k++) {
                memcpy(tile + k * ENTRIES, src + (i + k) * columns + m, 2 * ENTRIES);
            }
            transpose16(tile);
            for (int k = 0; k < ENTRIES; k++) {
                memcpy(dst + (m + k) * rows + i, tile + k * ENTRIES, 2 * ENTRIES);
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
        (rows % ENTRIES == 0 && columns % ENTRIES == 0 ? planes16_by_tiles : planes16)(
            (Any16 *)(void *)c->at[PLANES_dst], (const Any16 *)(const void *)src, rows,
            columns);
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
