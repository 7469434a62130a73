/* transpose.c: a transpose by hand. Squares of 32 x 32 turn in registers; a block of them
 * gathers in the second-level cache and leaves as long runs, while the rows that come
 * next are prefetched, since their distance defeats the processor's own prefetching. */
#include "hand.h"

enum {
    SQUARE = 32,
    BLOCK = 128,
    PITCH = BLOCK + 32, /* of the block, so that its rows do not share cache sets */
    ROWS_AHEAD = 64
};

/* Eight rows: 8 x 8 in each quarter of the registers. */
static inline __attribute__((always_inline)) void
turn_quarters(__m512i *u, const __m512i *s)
{
    __m512i b[8], c[8];
    for (int i = 0; i < 4; i++) {
        b[2 * i] = _mm512_unpacklo_epi16(s[2 * i], s[2 * i + 1]);
        b[2 * i + 1] = _mm512_unpackhi_epi16(s[2 * i], s[2 * i + 1]);
    }
    for (int q = 0; q < 2; q++) {
        const __m512i *from = b + 4 * q;
        c[4 * q] = _mm512_unpacklo_epi32(from[0], from[2]);
        c[4 * q + 1] = _mm512_unpackhi_epi32(from[0], from[2]);
        c[4 * q + 2] = _mm512_unpacklo_epi32(from[1], from[3]);
        c[4 * q + 3] = _mm512_unpackhi_epi32(from[1], from[3]);
    }
    for (int i = 0; i < 4; i++) {
        u[2 * i] = _mm512_unpacklo_epi64(c[i], c[i + 4]);
        u[2 * i + 1] = _mm512_unpackhi_epi64(c[i], c[i + 4]);
    }
}

static inline __attribute__((always_inline)) void
turn_square(const Half *x, int64_t pitch, Half *z)
{
    __m512i v[SQUARE], u[SQUARE];
    for (int i = 0; i < SQUARE; i++) {
        v[i] = _mm512_loadu_si512(x + i * pitch);
    }
    for (int g = 0; g < SQUARE; g += 8) {
        turn_quarters(u + g, v + g);
    }
    for (int j = 0; j < 8; j++) {
        const __m512i p = _mm512_shuffle_i32x4(u[j], u[8 + j], 0x44);
        const __m512i q = _mm512_shuffle_i32x4(u[j], u[8 + j], 0xee);
        const __m512i r = _mm512_shuffle_i32x4(u[16 + j], u[24 + j], 0x44);
        const __m512i s = _mm512_shuffle_i32x4(u[16 + j], u[24 + j], 0xee);
        _mm512_store_si512(z + j * PITCH, _mm512_shuffle_i32x4(p, r, 0x88));
        _mm512_store_si512(z + (8 + j) * PITCH, _mm512_shuffle_i32x4(p, r, 0xdd));
        _mm512_store_si512(z + (16 + j) * PITCH, _mm512_shuffle_i32x4(q, s, 0x88));
        _mm512_store_si512(z + (24 + j) * PITCH, _mm512_shuffle_i32x4(q, s, 0xdd));
    }
}

/* Turns the block of x at row i and column j. */
static void
turn_block(Half *block, const Half *x, int64_t i, int64_t j, int64_t columns)
{
    for (int u = 0; u < BLOCK; u += SQUARE) {
        for (int v = 0; v < BLOCK; v += SQUARE) {
            int over = u + ROWS_AHEAD >= BLOCK;
            const Half *next = x + (i + u + ROWS_AHEAD - (over ? BLOCK : 0)) * columns +
                               j + v + (over ? BLOCK : 0);
            for (int k = 0; k < SQUARE; k++) {
                _mm_prefetch((const char *)(next + k * columns), _MM_HINT_T1);
            }
            turn_square(x + (i + u) * columns + j + v, columns, block + v * PITCH + u);
        }
    }
}

PARALLEL(transpose_f16)
{
    const int64_t rows = a->n[0], columns = a->n[1];
    Range r = par_share(rows, BLOCK, part, parts);
    Half *z = a->out[0];
    static __thread Half block[BLOCK * PITCH] __attribute__((aligned(64)));
    for (int64_t i = r.from; i < r.to; i += BLOCK) {
        for (int64_t j = 0; j < columns; j += BLOCK) {
            turn_block(block, a->in[0], i, j, columns);
            for (int v = 0; v < BLOCK; v++) {
                for (int u = 0; u < BLOCK; u += 32) {
                    stream(z + (j + v) * rows + i + u,
                           _mm512_load_si512(block + v * PITCH + u));
                }
            }
        }
    }
    _mm_sfence();
}
