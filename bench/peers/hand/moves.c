/* moves.c: kernels that only move, by hand: a slice of columns, rows gathered by index,
 * two matrices side by side. */
#include "hand.h"

static inline __m512i
load(const void *p)
{
    return _mm512_loadu_si512(p);
}

/* Two rows of a result whose rows end in the middle of a line: the line that both share
 * is put together in a register. */
static void
two_rows(uint8_t *z, const uint8_t *p, int64_t pitch, int64_t bytes)
{
    const uint8_t *q = p + pitch;
    int64_t j;
    for (j = 0; j + 64 <= bytes; j += 64) {
        prefetch(p + j, 2 * pitch);
        stream(z + j, load(p + j));
    }
    stream(z + j, join(_mm256_loadu_si256((const __m256i *)(p + j)),
                       _mm256_loadu_si256((const __m256i *)q)));
    z += bytes + 32;
    q += 32;
    for (j = 0; j + 64 <= bytes; j += 64) {
        prefetch(q + j, 2 * pitch);
        stream(z + j, load(q + j));
    }
}

PARALLEL(slice_f16)
{
    const int64_t pitch = 2 * a->n[1], first = 2 * a->n[2], bytes = 2 * a->n[3];
    Range r = par_share(a->n[0], 2, part, parts);
    const uint8_t *x = (const uint8_t *)a->in[0] + first;
    uint8_t *z = a->out[0];
    if (bytes % 64 != 32) {
        for (int64_t i = r.from; i < r.to; i++) {
            memcpy(z + i * bytes, x + i * pitch, (size_t)bytes);
        }
        return;
    }
    for (int64_t i = r.from; i + 1 < r.to; i += 2) {
        two_rows(z + i * bytes, x + i * pitch, pitch, bytes);
    }
    _mm_sfence();
}

PARALLEL(gather_f16)
{
    const int64_t bytes = 2 * a->n[1];
    Range r = par_share(a->n[0], 1, part, parts);
    const int32_t *index = a->in[1];
    const uint8_t *x = a->in[0];
    uint8_t *z = a->out[0];
    for (int64_t i = r.from; i < r.to; i++) {
        const uint8_t *p = x + index[i] * bytes;
        const uint8_t *next = x + index[i + 8 < r.to ? i + 8 : i] * bytes;
        for (int64_t j = 0; j < bytes; j += 64) {
            prefetch(next, j);
            stream(z + i * bytes + j, load(p + j));
        }
    }
    _mm_sfence();
}

PARALLEL(concat_f16)
{
    const int64_t left = 2 * a->n[1], right = 2 * a->n[2], bytes = left + right;
    Range r = par_share(a->n[0], 1, part, parts);
    const uint8_t *x = a->in[0], *y = a->in[1];
    uint8_t *z = a->out[0];
    for (int64_t i = r.from; i < r.to; i++) {
        for (int64_t j = 0; j < left; j += 64) {
            prefetch(x + i * left + j, AHEAD);
            stream(z + i * bytes + j, load(x + i * left + j));
        }
        for (int64_t j = 0; j < right; j += 64) {
            prefetch(y + i * right + j, AHEAD);
            stream(z + i * bytes + left + j, load(y + i * right + j));
        }
    }
    _mm_sfence();
}
