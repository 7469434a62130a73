/* matmul_f16.c: a product of float16 by hand. Both factors are widened once to float32;
 * the first one's rows are padded, so that they do not share cache sets. */
#include "matmul.h"

enum {
    PAD = 16
};

typedef struct Tile {
    const float *x; /* rows of the first factor */
    const float *panel;
    Half *z;
    int64_t k, pitch; /* of z */
} Tile;

INLINE void
multiply(int rows, Tile t)
{
    __m512 c[TILE_ROWS][2];
    const int64_t pitch = t.k + PAD;
    for (int i = 0; i < rows; i++) {
        c[i][0] = c[i][1] = _mm512_setzero_ps();
    }
    for (int64_t l = 0; l < t.k; l++) {
        const float *b = t.panel + l * PANEL;
        const __m512 b0 = _mm512_load_ps(b), b1 = _mm512_load_ps(b + 16);
        prefetch(b, 2048);
        prefetch(b, 2048 + 64);
        UNROLL
        for (int i = 0; i < rows; i++) {
            const __m512 x = _mm512_set1_ps(t.x[i * pitch + l]);
            c[i][0] = _mm512_fmadd_ps(x, b0, c[i][0]);
            c[i][1] = _mm512_fmadd_ps(x, b1, c[i][1]);
        }
    }
    for (int i = 0; i < rows; i++) {
        _mm512_storeu_si512(t.z + i * t.pitch, join(narrow(c[i][0]), narrow(c[i][1])));
    }
}

static void
multiply_rows(int64_t rows, Tile t)
{
    switch (rows) {
    case TILE_ROWS:
        multiply(TILE_ROWS, t);
        break;
    case 8:
        multiply(8, t);
        break;
    default:
        for (int64_t i = 0; i < rows; i++) {
            multiply(1, t);
            t.x += t.k + PAD;
            t.z += t.pitch;
        }
    }
}

PARALLEL(matmul_f16)
{
    static __thread void *kept_x, *kept_y;
    const int64_t m = a->n[0], n = a->n[1], k = a->n[2];
    const Half *x = a->in[0], *y = a->in[1];
    float *fx = keep(&kept_x, sizeof(float) * MOST_SIZE * (MOST_SIZE + PAD));
    float *fy = keep(&kept_y, sizeof(float) * MOST_SIZE * MOST_SIZE);
    Range r = par_share(n, PANEL, part, parts);
    for (int64_t i = 0; i < m; i++) {
        for (int64_t l = 0; l < k; l += 16) {
            _mm512_store_ps(fx + i * (k + PAD) + l, widen(x + i * k + l));
        }
    }
    for (int64_t l = 0; l < k; l++) {
        for (int64_t j = r.from; j < r.to; j += PANEL) {
            float *b = fy + (j - r.from) * k + l * PANEL;
            _mm512_store_ps(b, widen(y + l * n + j));
            _mm512_store_ps(b + 16, widen(y + l * n + j + 16));
        }
    }
    for (int64_t j = r.from; j < r.to; j += PANEL) {
        for (int64_t i = 0; i < m; i += TILE_ROWS) {
            Tile t = {fx + i * (k + PAD), fy + (j - r.from) * k,
                      (Half *)a->out[0] + i * n + j, k, n};
            multiply_rows(m - i < TILE_ROWS ? m - i : TILE_ROWS, t);
        }
    }
}
