/* rows.c: kernels over rows by hand. The statistics of the next row are taken while this
 * one's results are made, so that memory and arithmetic overlap. */
#include "hand.h"

enum {
    MOST_COLUMNS = 4096,
    ROW_AHEAD = 1024 /* bytes */
};

static float
row_max(const float *p, int64_t n)
{
    __m512 m[4];
    for (int k = 0; k < 4; k++) {
        m[k] = _mm512_load_ps(p);
    }
    for (int64_t j = 0; j < n; j += 64) {
        for (int k = 0; k < 4; k++) {
            m[k] = _mm512_max_ps(m[k], _mm512_load_ps(p + j + 16 * k));
        }
    }
    return max4(m[0], m[1], m[2], m[3]);
}

/* Writes e^(p - max) to w and returns the sum; *max becomes that of next. */
static float
exp_row(float *w, const float *p, const float *next, int64_t n, float *max)
{
    const __m512 scale = _mm512_set1_ps(LOG2E), shift = _mm512_set1_ps(-LOG2E * *max);
    __m512 s[4], m[4];
    for (int k = 0; k < 4; k++) {
        s[k] = _mm512_setzero_ps();
        m[k] = _mm512_load_ps(next);
    }
    for (int64_t j = 0; j < n; j += 64) {
        for (int k = 0; k < 4; k++) {
            const int64_t at = j + 16 * k;
            prefetch(next + at, AHEAD);
            __m512 e = exp2_fast(_mm512_fmadd_ps(_mm512_load_ps(p + at), scale, shift));
            m[k] = _mm512_max_ps(m[k], _mm512_load_ps(next + at));
            s[k] = _mm512_add_ps(s[k], e);
            _mm512_store_ps(w + at, e);
        }
    }
    *max = max4(m[0], m[1], m[2], m[3]);
    return sum4(s[0], s[1], s[2], s[3]);
}

PARALLEL(softmax_f32)
{
    const int64_t n = a->n[1];
    Range r = par_share(a->n[0], 1, part, parts);
    const float *x = a->in[0];
    float *z = a->out[0], w[MOST_COLUMNS] __attribute__((aligned(64)));
    if (r.from >= r.to) {
        return;
    }
    float max = row_max(x + r.from * n, n);
    for (int64_t i = r.from; i < r.to; i++) {
        const float *p = x + i * n, *next = i + 1 < r.to ? p + n : p;
        const __m512 scale = _mm512_set1_ps(1.0f / exp_row(w, p, next, n, &max));
        for (int64_t j = 0; j < n; j += 16) {
            _mm512_stream_ps(z + i * n + j, _mm512_mul_ps(scale, _mm512_load_ps(w + j)));
        }
    }
    _mm_sfence();
}

/* Sums of a row and of its squares, both of differences to its first element, so that
 * float32 is enough. */
typedef struct Moments {
    __m512 first, sum[2], square[2];
} Moments;

static inline void
moments_begin(Moments *m, const Half *p)
{
    m->first = _mm512_set1_ps(_mm512_cvtss_f32(widen(p)));
    m->sum[0] = m->sum[1] = m->square[0] = m->square[1] = _mm512_setzero_ps();
}

static inline void
moments_add(Moments *m, const Half *p)
{
    for (int k = 0; k < 2; k++) {
        const __m512 v = _mm512_sub_ps(widen(p + 16 * k), m->first);
        m->sum[k] = _mm512_add_ps(m->sum[k], v);
        m->square[k] = _mm512_fmadd_ps(v, v, m->square[k]);
    }
}

/* A row becomes x * scale + shift. */
static inline void
moments_end(const Moments *m, int64_t n, float epsilon, __m512 *scale, __m512 *shift)
{
    float d = _mm512_reduce_add_ps(_mm512_add_ps(m->sum[0], m->sum[1])) / (float)n;
    float q = _mm512_reduce_add_ps(_mm512_add_ps(m->square[0], m->square[1]));
    float s = 1.0f / sqrtf(q / (float)n - d * d + epsilon);
    *scale = _mm512_set1_ps(s);
    *shift = _mm512_set1_ps(-(d + _mm512_cvtss_f32(m->first)) * s);
}

PARALLEL(layernorm_f16)
{
    const int64_t n = a->n[1];
    const float epsilon = (float)a->f[0];
    Range r = par_share(a->n[0], 1, part, parts);
    const Half *x = a->in[0];
    Half *z = a->out[0];
    float gamma[MOST_COLUMNS] __attribute__((aligned(64)));
    float beta[MOST_COLUMNS] __attribute__((aligned(64)));
    Moments m;
    __m512 scale, shift;
    if (r.from >= r.to) {
        return;
    }
    for (int64_t j = 0; j < n; j += 16) {
        _mm512_store_ps(gamma + j, widen((const Half *)a->in[1] + j));
        _mm512_store_ps(beta + j, widen((const Half *)a->in[2] + j));
    }
    moments_begin(&m, x + r.from * n);
    for (int64_t j = 0; j < n; j += 32) {
        moments_add(&m, x + r.from * n + j);
    }
    moments_end(&m, n, epsilon, &scale, &shift);
    for (int64_t i = r.from; i < r.to; i++) {
        const Half *p = x + i * n, *next = i + 1 < r.to ? p + n : p;
        moments_begin(&m, next);
        for (int64_t j = 0; j < n; j += 32) {
            __m256i s[2];
            prefetch(next + j, ROW_AHEAD);
            moments_add(&m, next + j);
            for (int k = 0; k < 2; k++) {
                const int64_t at = j + 16 * k;
                const __m512 v = _mm512_fmadd_ps(widen(p + at), scale, shift);
                s[k] = narrow(_mm512_fmadd_ps(v, _mm512_load_ps(gamma + at),
                                              _mm512_load_ps(beta + at)));
            }
            _mm512_store_si512(z + i * n + j, join(s[0], s[1]));
        }
        moments_end(&m, n, epsilon, &scale, &shift);
    }
}

PARALLEL(rowsum_f32)
{
    const int64_t n = a->n[1];
    Range r = par_share(a->n[0], 1, part, parts);
    for (int64_t i = r.from; i < r.to; i++) {
        const float *p = (const float *)a->in[0] + i * n;
        __m512 s[8];
        for (int k = 0; k < 8; k++) {
            s[k] = _mm512_setzero_ps();
        }
        for (int64_t j = 0; j < n; j += 128) {
            for (int k = 0; k < 8; k++) {
                prefetch(p + j + 16 * k, AHEAD);
                s[k] = _mm512_add_ps(s[k], _mm512_load_ps(p + j + 16 * k));
            }
        }
        for (int k = 0; k < 4; k++) {
            s[k] = _mm512_add_ps(s[k], s[k + 4]);
        }
        ((float *)a->out[0])[i] = sum4(s[0], s[1], s[2], s[3]);
    }
}

PARALLEL(rowmax_f32)
{
    const int64_t n = a->n[1];
    Range r = par_share(a->n[0], 1, part, parts);
    for (int64_t i = r.from; i < r.to; i++) {
        const float *p = (const float *)a->in[0] + i * n;
        __m512 s[8];
        for (int k = 0; k < 8; k++) {
            s[k] = _mm512_load_ps(p);
        }
        for (int64_t j = 0; j < n; j += 128) {
            for (int k = 0; k < 8; k++) {
                prefetch(p + j + 16 * k, AHEAD);
                s[k] = _mm512_max_ps(s[k], _mm512_load_ps(p + j + 16 * k));
            }
        }
        for (int k = 0; k < 4; k++) {
            s[k] = _mm512_max_ps(s[k], s[k + 4]);
        }
        ((float *)a->out[0])[i] = max4(s[0], s[1], s[2], s[3]);
    }
}
