/* openblas.c: OpenBLAS for the products of matrices: float16 is widened to float32; int8
 * is exact in float32 at these sizes. It has no product of int8 of its own. */
#include "peer.h"
#include <cblas.h>
#include <immintrin.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    MOST = 1 << 20
};

extern char *openblas_get_config(void), *openblas_get_corename(void);
extern void openblas_set_num_threads(int threads);

static float *x, *y, *z;

PEER_EXPORT const char *peer_version(void);
PEER_EXPORT const char *
peer_version(void)
{
    static char text[256];
    snprintf(text, sizeof text, "%s core %s", openblas_get_config(),
             openblas_get_corename());
    return text;
}

PEER_EXPORT int peer_init(int threads);
PEER_EXPORT int
peer_init(int threads)
{
    openblas_set_num_threads(threads);
    return posix_memalign((void **)&x, 2 << 20, MOST * sizeof *x) != 0 ||
           posix_memalign((void **)&y, 2 << 20, MOST * sizeof *y) != 0 ||
           posix_memalign((void **)&z, 2 << 20, MOST * sizeof *z) != 0;
}

static void
widen_half(float *to, const uint16_t *from, int64_t n)
{
    for (int64_t i = 0; i < n; i += 8) {
        _mm256_store_ps(to + i,
                        _mm256_cvtph_ps(_mm_loadu_si128((const void *)(from + i))));
    }
}

static void
multiply(const PeerArgs *a)
{
    int m = (int)a->n[0], n = (int)a->n[1], k = (int)a->n[2];
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, x, k, y, n, 0, z,
                n);
}

PEER_EXPORT int k_matmul_f16(const PeerArgs *a);
PEER_EXPORT int
k_matmul_f16(const PeerArgs *a)
{
    uint16_t *to = a->out[0];
    widen_half(x, a->in[0], a->n[0] * a->n[2]);
    widen_half(y, a->in[1], a->n[2] * a->n[1]);
    multiply(a);
    for (int64_t i = 0; i < a->n[0] * a->n[1]; i += 8) {
        _mm_storeu_si128((void *)(to + i), _mm256_cvtps_ph(_mm256_load_ps(z + i), 0));
    }
    return 0;
}

PEER_EXPORT int k_matmul_i8(const PeerArgs *a);
PEER_EXPORT int
k_matmul_i8(const PeerArgs *a)
{
    const int8_t *from_x = a->in[0], *from_y = a->in[1];
    const float scale = (float)a->f[0], offset = (float)a->f[1];
    int8_t *to = a->out[0];
    for (int64_t i = 0; i < a->n[0] * a->n[2]; i++) {
        x[i] = from_x[i];
    }
    for (int64_t i = 0; i < a->n[2] * a->n[1]; i++) {
        y[i] = from_y[i];
    }
    multiply(a);
    for (int64_t i = 0; i < a->n[0] * a->n[1]; i++) {
        float v = z[i] * scale + offset;
        v = v > 0 ? v : 0;
        to[i] = (int8_t)__builtin_rintf(v < 127 ? v : 127);
    }
    return 0;
}
