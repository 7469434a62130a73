/* streams.c: element-wise kernels by hand, with stores past the caches. */
#include "hand.h"

PARALLEL(add_f16)
{
    Range r = par_share(a->n[0], 64, part, parts);
    const Half *x = a->in[0], *y = a->in[1];
    Half *z = a->out[0];
    for (int64_t i = r.from; i + 64 <= r.to; i += 64) {
        __m256i s[4];
        prefetch(x + i, AHEAD);
        prefetch(x + i, AHEAD + 64);
        prefetch(y + i, AHEAD);
        prefetch(y + i, AHEAD + 64);
        for (int k = 0; k < 4; k++) {
            s[k] = narrow(_mm512_add_ps(widen(x + i + 16 * k), widen(y + i + 16 * k)));
        }
        stream(z + i, join(s[0], s[1]));
        stream(z + i + 32, join(s[2], s[3]));
    }
    _mm_sfence();
}

PARALLEL(add_f32)
{
    Range r = par_share(a->n[0], 32, part, parts);
    const float *x = a->in[0], *y = a->in[1];
    float *z = a->out[0];
    for (int64_t i = r.from; i + 32 <= r.to; i += 32) {
        for (int k = 0; k < 32; k += 16) {
            prefetch(x + i + k, AHEAD);
            prefetch(y + i + k, AHEAD);
            _mm512_stream_ps(z + i + k, _mm512_add_ps(_mm512_load_ps(x + i + k),
                                                      _mm512_load_ps(y + i + k)));
        }
    }
    _mm_sfence();
}

PARALLEL(axpb_relu_f16)
{
    Range r = par_share(a->n[0], 64, part, parts);
    const Half *x = a->in[0];
    Half *z = a->out[0];
    const __m512 scale = _mm512_set1_ps((float)a->f[0]);
    const __m512 offset = _mm512_set1_ps((float)a->f[1]), zero = _mm512_setzero_ps();
    for (int64_t i = r.from; i + 64 <= r.to; i += 64) {
        __m256i s[4];
        prefetch(x + i, AHEAD);
        prefetch(x + i, AHEAD + 64);
        for (int k = 0; k < 4; k++) {
            __m512 v = _mm512_fmadd_ps(scale, widen(x + i + 16 * k), offset);
            s[k] = narrow(_mm512_max_ps(v, zero));
        }
        stream(z + i, join(s[0], s[1]));
        stream(z + i + 32, join(s[2], s[3]));
    }
    _mm_sfence();
}

/* x / (1 + 2^(-2u log2 e)); the division is an estimate and one Newton step. */
static inline __m512
gelu(__m512 v)
{
    const float c = -2 * 0.7978845608f * LOG2E;
    const __m512 c1 = _mm512_set1_ps(c), c3 = _mm512_set1_ps(c * 0.044715f);
    __m512 w = _mm512_mul_ps(v, _mm512_fmadd_ps(_mm512_mul_ps(v, v), c3, c1));
    w = exp2_fast(_mm512_min_ps(w, _mm512_set1_ps(115)));
    const __m512 d = _mm512_add_ps(_mm512_set1_ps(1), w);
    __m512 y = _mm512_rcp14_ps(d);
    y = _mm512_mul_ps(y, _mm512_fnmadd_ps(d, y, _mm512_set1_ps(2)));
    return _mm512_mul_ps(v, y);
}

PARALLEL(gelu_f32)
{
    Range r = par_share(a->n[0], 64, part, parts);
    const float *x = a->in[0];
    float *z = a->out[0];
    for (int64_t i = r.from; i + 64 <= r.to; i += 64) {
        __m512 v[4];
        for (int k = 0; k < 4; k++) {
            prefetch(x + i + 16 * k, AHEAD);
            v[k] = gelu(_mm512_load_ps(x + i + 16 * k));
        }
        for (int k = 0; k < 4; k++) {
            _mm512_stream_ps(z + i + 16 * k, v[k]);
        }
    }
    _mm_sfence();
}

PARALLEL(copy)
{
    Range r = par_share(a->n[0], 4096, part, parts);
    uint8_t *to = (uint8_t *)a->out[0] + r.from;
    const uint8_t *from = (const uint8_t *)a->in[0] + r.from;
    size_t bytes = (size_t)(r.to - r.from);
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes)::"memory");
}
