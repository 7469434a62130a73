/* more.c: element-wise kernels by hand whose lengths are no multiple of anything, with a
 * select and with conversions. */
#include "hand.h"

/* y = max(x * scale + offset, 0) of any number of elements; the last are masked. */
static void
scaled(float *z, const float *x, Range r, float scale, float offset)
{
    const __m512 s = _mm512_set1_ps(scale), o = _mm512_set1_ps(offset);
    const __m512 zero = _mm512_setzero_ps();
    int64_t i = r.from;
    for (; i + 16 <= r.to; i += 16) {
        prefetch(x + i, AHEAD);
        __m512 v = _mm512_fmadd_ps(s, _mm512_load_ps(x + i), o);
        _mm512_stream_ps(z + i, _mm512_max_ps(v, zero));
    }
    const __mmask16 m = (__mmask16)((1u << (r.to - i)) - 1);
    __m512 v = _mm512_fmadd_ps(s, _mm512_maskz_loadu_ps(m, x + i), o);
    _mm512_mask_storeu_ps(z + i, m, _mm512_max_ps(v, zero));
    _mm_sfence();
}

PARALLEL(tail_f32)
{
    scaled(a->out[0], a->in[0], par_share(a->n[0], 16, part, parts), (float)a->f[0],
           (float)a->f[1]);
}

PARALLEL(dynamic_f32)
{
    const int32_t *n = a->in[1];
    scaled(a->out[0], a->in[0], par_share(*n, 16, part, parts), (float)a->f[0],
           (float)a->f[1]);
}

PARALLEL(select_f32)
{
    Range r = par_share(a->n[0], 64, part, parts);
    const float *x = a->in[0], *y = a->in[1];
    float *z = a->out[0];
    const __m512 slope = _mm512_set1_ps((float)a->f[0]);
    for (int64_t i = r.from; i + 16 <= r.to; i += 16) {
        prefetch(x + i, AHEAD);
        prefetch(y + i, AHEAD);
        const __m512 v = _mm512_load_ps(x + i), w = _mm512_load_ps(y + i);
        const __mmask16 m = _mm512_cmp_ps_mask(v, w, _CMP_GT_OQ);
        _mm512_stream_ps(z + i, _mm512_mask_blend_ps(m, _mm512_mul_ps(w, slope), v));
    }
    _mm_sfence();
}

PARALLEL(chain_i8)
{
    Range r = par_share(a->n[0], 64, part, parts);
    const int8_t *x = a->in[0];
    float *z = a->out[0];
    const __m512 scale = _mm512_set1_ps((float)a->f[0]);
    const __m512 offset = _mm512_set1_ps((float)a->f[1]);
    for (int64_t i = r.from; i + 16 <= r.to; i += 16) {
        prefetch(x + i, AHEAD);
        __m512i v = _mm512_cvtepi8_epi32(_mm_load_si128((const __m128i *)(x + i)));
        __m512 f = _mm512_mul_ps(_mm512_cvtepi32_ps(v), scale);
        f = _mm512_cvtph_ps(narrow(f));
        _mm512_stream_ps(z + i, _mm512_add_ps(f, offset));
    }
    _mm_sfence();
}
