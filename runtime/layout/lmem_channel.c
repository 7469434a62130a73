/* lmem_channel.c: packs the output channels of a weight; see lmem_channel.h. Each output
 * channel is one run of bytes in the source and one in the result, so a weight of any
 * size streams through the caches once. */
#include "layout/lmem_channel.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "layout/lmem_pack.h"

/* Defines a transpose of channels x points to points x inner. Missing channels stay
 * zero. */
#define TRANSPOSE(T)                                                                     \
    static void transpose_##T(const T *restrict src, T *restrict out, uint64_t points,   \
                              uint64_t n, uint64_t inner)                                \
    {                                                                                    \
        for (uint64_t k = 0; k < points; k++) {                                          \
            for (uint64_t p = 0; p < n; p++) {                                           \
                out[k * inner + p] = src[p * points + k];                                \
            }                                                                            \
        }                                                                                \
    }
TRANSPOSE(uint16_t)
TRANSPOSE(uint32_t)
#undef TRANSPOSE

#ifdef __SSE2__
/* Transposes 16 x 16 bytes: four rounds of interleaving halves bring the neighbours in a
 * column together. */
static void
transpose_16(__m128i row[16])
{
    for (int round = 0; round < 4; round++) {
        __m128i next[16];
        for (int i = 0; i < 8; i++) {
            next[2 * i] = _mm_unpacklo_epi8(row[i], row[i + 8]);
            next[2 * i + 1] = _mm_unpackhi_epi8(row[i], row[i + 8]);
        }
        memcpy(row, next, sizeof next);
    }
}

/* Transposes 16 channels at up to 16 kernel points from first on. It reads 16 bytes in
 * each channel. */
static void
transpose_block(const uint8_t *src, uint8_t *out, uint64_t points, uint64_t rows,
                uint64_t inner)
{
    __m128i row[16];
    for (uint64_t i = 0; i < 16; i++) {
        row[i] = _mm_loadu_si128((const void *)(src + i * points));
    }
    transpose_16(row);
    for (uint64_t k = 0; k < rows; k++) {
        _mm_storeu_si128((void *)(out + k * inner), row[k]);
    }
}

/* Transposes whole blocks of 16 channels. The last one is read from a copy, because a
 * load would leave the n * points bytes. Returns the channels done. */
static uint64_t
transpose_blocks(const uint8_t *src, uint8_t *out, uint64_t points, uint64_t first,
                 uint64_t n, uint64_t inner)
{
    enum {
        MOST_POINTS = 64 /* of a copy, enough for 8 x 8 kernels */
    };
    uint8_t copy[16 * MOST_POINTS + 16];
    uint64_t p = 0;
    uint64_t rows = points - first < 16 ? points - first : 16;
    for (; p + 16 <= n; p += 16) {
        const uint8_t *from = src + p * points + first;
        if ((p + 15) * points + first + 16 > n * points) {
            if (points > MOST_POINTS) {
                break;
            }
            memcpy(copy, from, 16 * points - first);
            from = copy;
        }
        transpose_block(from, out + first * inner + p, points, rows, inner);
    }
    return p;
}
#else
static uint64_t
transpose_blocks(const uint8_t *src, uint8_t *out, uint64_t points, uint64_t first,
                 uint64_t n, uint64_t inner)
{
    (void)src, (void)out, (void)points, (void)first, (void)n, (void)inner;
    return 0;
}
#endif

/* Transposes bytes, 16 kernel points at a time; the channels that blocks leave over are
 * done one by one. */
static void
transpose_bytes(const uint8_t *src, uint8_t *out, uint64_t points, uint64_t n,
                uint64_t inner)
{
    for (uint64_t first = 0; first < points; first += 16) {
        uint64_t end = first + 16 < points ? first + 16 : points;
        uint64_t done = transpose_blocks(src, out, points, first, n, inner);
        for (uint64_t p = done; p < n; p++) {
            for (uint64_t k = first; k < end; k++) {
                out[k * inner + p] = src[p * points + k];
            }
        }
    }
}

static void
transpose(const uint8_t *src, uint8_t *out, const Grid *g, uint64_t n)
{
    const void *from = src;
    void *to = out;
    if (g->points == 1 || g->inner == 1) {
        memcpy(to, from, n * g->points * g->elem_bytes);
    } else if (g->elem_bytes == 1) {
        transpose_bytes(from, to, g->points, n, g->inner);
    } else if (g->elem_bytes == 2) {
        transpose_uint16_t(from, to, g->points, n, g->inner);
    } else {
        transpose_uint32_t(from, to, g->points, n, g->inner);
    }
}

/* Gathers channels with kw merged: channel i * kw + x is column x of the kernels of
 * channel i. */
static void
gather_columns(const uint8_t *src, uint8_t *out, const Grid *g, uint64_t first,
               uint64_t n)
{
    size_t size = g->elem_bytes;
    for (uint64_t k = 0; k < g->points; k++) {
        for (uint64_t p = 0; p < n; p++) {
            uint64_t c = first + p;
            uint64_t at =
                c / g->per_block * g->block_step + k * g->per_block + c % g->per_block;
            memcpy(out + (k * g->inner + p) * size, src + at * size, size);
        }
    }
}

/* Packs one group of inner channels of 4-bit elements; inner is at most 128. */
static void
nibble_group(const uint8_t *src, uint8_t *out, const Grid *g, uint64_t first, uint64_t n)
{
    for (uint64_t k = 0; k < g->points; k++) {
        uint8_t row[1024] = {0};
        for (uint64_t p = 0; p < n; p++) {
            uint64_t c = first + p;
            uint64_t at = g->per_block == 0 ? c * g->points + k
                                            : c / g->per_block * g->block_step +
                                                  k * g->per_block + c % g->per_block;
            row[p] = src[at];
        }
        pack_nibbles(row, g->inner, out + k * g->inner / 2);
    }
}

void
pack_channel(const uint8_t *src, const Grid *g, uint8_t *out)
{
    uint64_t step = g->inner * g->points;
    if (g->inner == 1) {
        memcpy(out, src, g->channels * g->points * g->elem_bytes);
        return;
    }
    for (uint64_t i = 0; i < g->groups; i++) {
        uint64_t first = i * g->inner;
        uint64_t n = g->channels - first < g->inner ? g->channels - first : g->inner;
        if (g->nibbles) {
            nibble_group(src, out + i * step / 2, g, first, n);
        } else if (g->per_block > 0) {
            gather_columns(src, out + i * step * g->elem_bytes, g, first, n);
        } else {
            transpose(src + first * g->points * g->elem_bytes,
                      out + i * step * g->elem_bytes, g, n);
        }
    }
}
