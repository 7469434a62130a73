/* hand.h: shorthands of the loops written by hand for AVX-512: one pass over memory,
 * stores past the caches where the output cannot stay in them, prefetches, threads over
 * contiguous parts. */
#ifndef BENCH_HAND_H
#define BENCH_HAND_H

#include "../par.h"
#include <immintrin.h>
#include <math.h>
#include <string.h>

typedef uint16_t Half;

enum {
    AHEAD = 2048 /* bytes that streams are prefetched ahead of their use */
};

#define LOG2E 1.44269504088896f

static inline void
prefetch(const void *p, int64_t bytes)
{
    _mm_prefetch((const char *)p + bytes, _MM_HINT_T0);
}

static inline __m512
widen(const Half *p)
{
    return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p));
}

static inline __m256i
narrow(__m512 v)
{
    return _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

static inline __m512i
join(__m256i low, __m256i high)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

static inline void
stream(void *p, __m512i v)
{
    _mm512_stream_si512(p, v);
}

/* The sum and the maximum of four vectors. */
static inline float
sum4(__m512 a, __m512 b, __m512 c, __m512 d)
{
    return _mm512_reduce_add_ps(_mm512_add_ps(_mm512_add_ps(a, b), _mm512_add_ps(c, d)));
}

static inline float
max4(__m512 a, __m512 b, __m512 c, __m512 d)
{
    return _mm512_reduce_max_ps(_mm512_max_ps(_mm512_max_ps(a, b), _mm512_max_ps(c, d)));
}

/* 2^x to 2e-7: vreduceps leaves x - floor(x), vscalefps multiplies by 2^floor(x). */
static inline __m512
exp2_fast(__m512 x)
{
    const __m512 r = _mm512_reduce_ps(x, 1 | 8);
    __m512 p = _mm512_set1_ps(0.001893754058f);
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0.008949590423f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0.05586033708f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0.2401418182f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0.6931544897f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0.9999998984f));
    return _mm512_scalef_ps(p, x);
}

#endif
