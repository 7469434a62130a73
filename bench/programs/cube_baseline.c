/* cube_baseline.c: has products of matrices written by hand (see cube_baseline.h). Tiles
 * of 14 x 32 sums are in registers; int8 uses the processor's products of bytes (VNNI),
 * float16 is widened once and multiplied by FMA. It is compiled for the machine that it
 * runs on. */
#include "cube_baseline.h"

#if defined(__AVX512VNNI__) && defined(__AVX512BW__) && defined(__F16C__)
#include <immintrin.h>
#include <stdlib.h>
#include <string.h>

enum {
    MR = 14,
    NR = 32
};

/* Returns row r of a tile if it exists, else the last row. */
static int
row_of(int i, int r, int m)
{
    return i + r < m ? i + r : m - 1;
}

static void
tile_bytes(int32_t *c, const uint8_t *const *a, const uint32_t *b, const __m512i start[2],
           int k, int n, int rows)
{
    __m512i s[MR][2];
#pragma GCC unroll 14
    for (int r = 0; r < MR; r++) {
        s[r][0] = start[0];
        s[r][1] = start[1];
    }
    for (int p = 0; p < k / 4; p++) {
        __m512i b0 = _mm512_loadu_si512(b + p * NR),
                b1 = _mm512_loadu_si512(b + p * NR + 16);
#pragma GCC unroll 14
        for (int r = 0; r < MR; r++) {
            int32_t word;
            memcpy(&word, a[r] + 4 * p, 4);
            __m512i x = _mm512_set1_epi32(word);
            s[r][0] = _mm512_dpbusd_epi32(s[r][0], x, b0);
            s[r][1] = _mm512_dpbusd_epi32(s[r][1], x, b1);
        }
    }
#pragma GCC unroll 14
    for (int r = 0; r < MR; r++) {
        if (r < rows) {
            _mm512_storeu_si512(c + r * n, s[r][0]);
            _mm512_storeu_si512(c + r * n + 16, s[r][1]);
        }
    }
}

/* Makes words of four rows of b; the first factor is 128 too large. */
static void
panel_bytes(uint32_t *out, const int8_t *b, int k, int n, __m512i start[2])
{
    start[0] = start[1] = _mm512_setzero_si512();
    __m512i by = _mm512_set1_epi8((char)128);
    for (int p = 0; p < k / 4; p++) {
        uint8_t *w = (uint8_t *)(out + p * NR);
        for (int j = 0; j < NR; j++) {
            for (int q = 0; q < 4; q++) {
                w[4 * j + q] = (uint8_t)b[(4 * p + q) * n + j];
            }
        }
        start[0] = _mm512_dpbusd_epi32(start[0], by, _mm512_loadu_si512(w));
        start[1] = _mm512_dpbusd_epi32(start[1], by, _mm512_loadu_si512(w + 64));
    }
    start[0] = _mm512_sub_epi32(_mm512_setzero_si512(), start[0]);
    start[1] = _mm512_sub_epi32(_mm512_setzero_si512(), start[1]);
}

int
hand_bytes(int32_t *c, const int8_t *a, const int8_t *b, int m, int k, int n)
{
    uint8_t *left = malloc((size_t)m * (size_t)k);
    uint32_t *panel = malloc((size_t)k * NR);
    for (size_t i = 0; i < (size_t)m * (size_t)k; i++) {
        left[i] = (uint8_t)(a[i] ^ (int8_t)-128);
    }
    for (int j = 0; j < n; j += NR) {
        __m512i start[2];
        panel_bytes(panel, b + j, k, n, start);
        for (int i = 0; i < m; i += MR) {
            const uint8_t *rows[MR];
            for (int r = 0; r < MR; r++) {
                rows[r] = left + (size_t)row_of(i, r, m) * (size_t)k;
            }
            tile_bytes(c + (size_t)i * (size_t)n + j, rows, panel, start, k, n, m - i);
        }
    }
    free(left);
    free(panel);
    return 1;
}

static void
tile_floats(float *c, const float *const *a, const float *b, int k, int n, int rows)
{
    __m512 s[MR][2];
#pragma GCC unroll 14
    for (int r = 0; r < MR; r++) {
        s[r][0] = s[r][1] = _mm512_setzero_ps();
    }
    for (int p = 0; p < k; p++) {
        __m512 b0 = _mm512_loadu_ps(b + p * NR), b1 = _mm512_loadu_ps(b + p * NR + 16);
#pragma GCC unroll 14
        for (int r = 0; r < MR; r++) {
            __m512 x = _mm512_set1_ps(a[r][p]);
            s[r][0] = _mm512_fmadd_ps(x, b0, s[r][0]);
            s[r][1] = _mm512_fmadd_ps(x, b1, s[r][1]);
        }
    }
#pragma GCC unroll 14
    for (int r = 0; r < MR; r++) {
        if (r < rows) {
            _mm512_storeu_ps(c + r * n, s[r][0]);
            _mm512_storeu_ps(c + r * n + 16, s[r][1]);
        }
    }
}

static void
widen(float *to, const uint16_t *from, int n)
{
    for (int i = 0; i < n; i += 16) {
        _mm512_storeu_ps(
            to + i, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(from + i))));
    }
}

int
hand_halves(float *c, const uint16_t *a, const uint16_t *b, int m, int k, int n)
{
    int pitch = k + 16; /* the pitch keeps rows from falling on one set of the cache */
    float *left = malloc((size_t)m * (size_t)pitch * 4);
    float *panel = malloc((size_t)k * NR * 4);
    for (int i = 0; i < m; i++) {
        widen(left + (size_t)i * (size_t)pitch, a + (size_t)i * (size_t)k, k);
    }
    for (int j = 0; j < n; j += NR) {
        for (int p = 0; p < k; p++) {
            widen(panel + p * NR, b + (size_t)p * (size_t)n + j, NR);
        }
        for (int i = 0; i < m; i += MR) {
            const float *rows[MR];
            for (int r = 0; r < MR; r++) {
                rows[r] = left + (size_t)row_of(i, r, m) * (size_t)pitch;
            }
            tile_floats(c + (size_t)i * (size_t)n + j, rows, panel, k, n, m - i);
        }
    }
    free(left);
    free(panel);
    return 1;
}
#else
int
hand_bytes(int32_t *c, const int8_t *a, const int8_t *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
    return 0;
}

int
hand_halves(float *c, const uint16_t *a, const uint16_t *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
    return 0;
}
#endif
