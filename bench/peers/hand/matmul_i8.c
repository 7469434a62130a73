/* matmul_i8.c: a product of int8 by hand, requantised in registers. VNNI multiplies
 * unsigned by signed bytes: the first factor gets 128 added, sums start at -128 times
 * those of the columns. */
#include "matmul.h"

enum {
    PAD = 64
};

typedef struct Tile {
    const uint8_t *x;
    const int8_t *panel;
    const int32_t *start; /* first values of the sums, by column */
    int8_t *z;
    int64_t k, pitch; /* of z */
    __m512 scale, offset;
} Tile;

INLINE void
multiply(int rows, const Tile *t)
{
    __m512i c[TILE_ROWS][2];
    const int64_t pitch = t->k + PAD;
    for (int i = 0; i < rows; i++) {
        c[i][0] = _mm512_load_si512(t->start);
        c[i][1] = _mm512_load_si512(t->start + 16);
    }
    const int8_t *b = t->panel;
    for (int64_t l = 0; l < t->k; l += 4, b += 4 * PANEL) {
        const __m512i b0 = _mm512_load_si512(b), b1 = _mm512_load_si512(b + 64);
        UNROLL
        for (int i = 0; i < rows; i++) {
            const __m512i x = _mm512_set1_epi32(*(const int32_t *)(t->x + i * pitch + l));
            c[i][0] = _mm512_dpbusd_epi32(c[i][0], x, b0);
            c[i][1] = _mm512_dpbusd_epi32(c[i][1], x, b1);
        }
    }
    for (int i = 0; i < rows; i++) {
        for (int q = 0; q < 2; q++) {
            __m512 v = _mm512_fmadd_ps(_mm512_cvtepi32_ps(c[i][q]), t->scale, t->offset);
            v = _mm512_min_ps(_mm512_max_ps(v, _mm512_setzero_ps()), _mm512_set1_ps(127));
            _mm_storeu_si128((__m128i *)(t->z + i * t->pitch + 16 * q),
                             _mm512_cvtepi32_epi8(_mm512_cvtps_epi32(v)));
        }
    }
}

static void
multiply_rows(int64_t rows, Tile t)
{
    switch (rows) {
    case TILE_ROWS:
        multiply(TILE_ROWS, &t);
        break;
    case 8:
        multiply(8, &t);
        break;
    default:
        for (int64_t i = 0; i < rows; i++) {
            multiply(1, &t);
            t.x += t.k + PAD;
            t.z += t.pitch;
        }
    }
}

/* Four rows of 16 columns become four bytes of each column. */
static void
pack_columns(int8_t *to, const int8_t *y, int64_t n)
{
    const __m128i r0 = _mm_loadu_si128((const __m128i *)y);
    const __m128i r1 = _mm_loadu_si128((const __m128i *)(y + n));
    const __m128i r2 = _mm_loadu_si128((const __m128i *)(y + 2 * n));
    const __m128i r3 = _mm_loadu_si128((const __m128i *)(y + 3 * n));
    const __m128i a0 = _mm_unpacklo_epi8(r0, r1), a1 = _mm_unpackhi_epi8(r0, r1);
    const __m128i b0 = _mm_unpacklo_epi8(r2, r3), b1 = _mm_unpackhi_epi8(r2, r3);
    __m128i *d = (__m128i *)to;
    d[0] = _mm_unpacklo_epi16(a0, b0);
    d[1] = _mm_unpackhi_epi16(a0, b0);
    d[2] = _mm_unpacklo_epi16(a1, b1);
    d[3] = _mm_unpackhi_epi16(a1, b1);
}

static void
start_of_sums(int32_t *start, const int8_t *panel, int64_t k)
{
    const __m512i all = _mm512_set1_epi8((char)0x80), zero = _mm512_setzero_si512();
    __m512i s0 = zero, s1 = zero;
    for (int64_t l = 0; l < k; l += 4, panel += 4 * PANEL) {
        s0 = _mm512_dpbusd_epi32(s0, all, _mm512_load_si512(panel));
        s1 = _mm512_dpbusd_epi32(s1, all, _mm512_load_si512(panel + 64));
    }
    _mm512_store_si512(start, _mm512_sub_epi32(zero, s0));
    _mm512_store_si512(start + 16, _mm512_sub_epi32(zero, s1));
}

PARALLEL(matmul_i8)
{
    static __thread void *kept_x, *kept_y;
    const int64_t m = a->n[0], n = a->n[1], k = a->n[2];
    const int8_t *x = a->in[0], *y = a->in[1];
    uint8_t *ux = keep(&kept_x, MOST_SIZE * (MOST_SIZE + PAD));
    int8_t *py = keep(&kept_y, MOST_SIZE * MOST_SIZE);
    Range r = par_share(n, PANEL, part, parts);
    for (int64_t i = 0; i < m; i++) {
        for (int64_t l = 0; l < k; l += 64) {
            __m512i v = _mm512_loadu_si512(x + i * k + l);
            v = _mm512_xor_si512(v, _mm512_set1_epi8((char)0x80));
            _mm512_store_si512(ux + i * (k + PAD) + l, v);
        }
    }
    for (int64_t l = 0; l < k; l += 4) {
        for (int64_t j = r.from; j < r.to; j += 16) {
            pack_columns(py + (j - r.from) / PANEL * PANEL * k + l * PANEL +
                             j % PANEL * 4,
                         y + l * n + j, n);
        }
    }
    for (int64_t j = r.from; j < r.to; j += PANEL) {
        int32_t start[PANEL] __attribute__((aligned(64)));
        start_of_sums(start, py + (j - r.from) * k, k);
        for (int64_t i = 0; i < m; i += TILE_ROWS) {
            Tile t = {ux + i * (k + PAD),
                      py + (j - r.from) * k,
                      start,
                      (int8_t *)a->out[0] + i * n + j,
                      k,
                      n,
                      _mm512_set1_ps((float)a->f[0]),
                      _mm512_set1_ps((float)a->f[1])};
            multiply_rows(m - i < TILE_ROWS ? m - i : TILE_ROWS, t);
        }
    }
}
