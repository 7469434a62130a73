/* dot_lanes.c: blocks of products (num/dot.h), compiled for each level (num/lanes.h). */
#include "num/dot.h"
#include "num/lanes.h"

#if LANES_HERE

#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* Vectors of floats or integers, which the compiler splits where registers are
 * smaller. */
#if LANES_F16C == 16
enum {
    WIDE = 16
};
typedef float Floats __attribute__((vector_size(64), aligned(4), may_alias));
typedef uint32_t Ints __attribute__((vector_size(64), aligned(4), may_alias));
#else
enum {
    WIDE = 8
};
typedef float Floats __attribute__((vector_size(32), aligned(4), may_alias));
typedef uint32_t Ints __attribute__((vector_size(32), aligned(4), may_alias));
#endif

enum {
    SOME = DOT_STEP / WIDE, /* vectors of a step */
    /* vectors that a loop has sums of: as many as the processor has registers for */
    MOST = WIDE == 16 ? 4 : 2
};

#if defined(__clang__)
#define DOT_UNROLL _Pragma("clang loop unroll(full)")
#else
#define DOT_UNROLL _Pragma("GCC unroll 4")
#endif

/* Adds the sums of both products of the pixels of a vector. */
LANES_ATTR static inline void
add_products(Ints *acc, const int16_t *x, int32_t w)
{
#if defined(LANES_AT_vnni)
    *acc = (Ints)_mm512_dpwssd_epi32((__m512i)*acc, _mm512_loadu_si512((const void *)x),
                                     _mm512_set1_epi32(w));
#elif defined(LANES_AT_avx512)
    *acc += (Ints)_mm512_madd_epi16(_mm512_loadu_si512((const void *)x),
                                    _mm512_set1_epi32(w));
#elif defined(LANES_AT_avx2)
    *acc += (Ints)_mm256_madd_epi16(_mm256_loadu_si256((const void *)x),
                                    _mm256_set1_epi32(w));
#elif defined(__x86_64__)
    Ints sums;
    __m128i r[2], v = _mm_set1_epi32(w);
    r[0] = _mm_madd_epi16(_mm_loadu_si128((const void *)x), v);
    r[1] = _mm_madd_epi16(_mm_loadu_si128((const void *)(x + WIDE)), v);
    memcpy(&sums, r, sizeof sums);
    *acc += sums;
#else
    int16_t pair[2];
    memcpy(pair, &w, sizeof pair);
    for (int i = 0; i < WIDE; i++) {
        (*acc)[i] += (uint32_t)(x[2 * i] * pair[0] + x[2 * i + 1] * pair[1]);
    }
#endif
}

LANES_ATTR static inline int32_t
pair_at(const int16_t *w)
{
    int32_t v;
    memcpy(&v, w, sizeof v);
    return v;
}

#define DOT_INLINE LANES_ATTR static inline __attribute__((always_inline))

/* The sums of n vectors of pixels stay in registers over all terms; n is constant. */
DOT_INLINE void
step_pairs(const int n, int32_t *sums, const int16_t *panel, const int16_t *w,
           int64_t wstep, int64_t pairs)
{
    Ints acc[DOT_CHANNELS][MOST];
    DOT_UNROLL
    for (int c = 0; c < DOT_CHANNELS; c++) {
        DOT_UNROLL
        for (int h = 0; h < n; h++) {
            acc[c][h] = *(const Ints *)(const void *)(sums + c * DOT_PIXELS + h * WIDE);
        }
    }
    for (int64_t k = 0; k < pairs; k++, panel += 2 * DOT_PIXELS) {
        DOT_UNROLL
        for (int c = 0; c < DOT_CHANNELS; c++) {
            int32_t v = pair_at(w + c * wstep + 2 * k);
            DOT_UNROLL
            for (int h = 0; h < n; h++) {
                add_products(&acc[c][h], panel + 2 * h * WIDE, v);
            }
        }
    }
    DOT_UNROLL
    for (int c = 0; c < DOT_CHANNELS; c++) {
        DOT_UNROLL
        for (int h = 0; h < n; h++) {
            *(Ints *)(void *)(sums + c * DOT_PIXELS + h * WIDE) = acc[c][h];
        }
    }
}

LANES_ATTR static void
dot_pairs(int32_t *sums, const int16_t *panel, const int16_t *w, int64_t wstep,
          int64_t pairs, int64_t pixels)
{
    int64_t p = 0;
    for (; SOME < MOST && p + MOST * WIDE - DOT_STEP < pixels; p += MOST * WIDE) {
        step_pairs(MOST, sums + p, panel + 2 * p, w, wstep, pairs);
    }
    for (; p < pixels; p += DOT_STEP) {
        step_pairs(SOME, sums + p, panel + 2 * p, w, wstep, pairs);
    }
}

/* Adds a product to a sum; an exact product is rounded with the sum, at once. */
DOT_INLINE void
add_product(const bool exact, Floats *sum, const float *x, float w)
{
#if LANES_F16C == 16
    if (exact) {
        *sum =
            (Floats)_mm512_fmadd_ps(_mm512_loadu_ps(x), _mm512_set1_ps(w), (__m512)*sum);
        return;
    }
#elif LANES_F16C == 8
    if (exact) {
        *sum =
            (Floats)_mm256_fmadd_ps(_mm256_loadu_ps(x), _mm256_set1_ps(w), (__m256)*sum);
        return;
    }
#endif
    (void)exact;
    *sum += *(const Floats *)(const void *)x * w;
}

DOT_INLINE void
step_floats(const int n, const bool exact, float *sums, const float *panel,
            const float *w, int64_t wstep, int64_t terms)
{
    Floats acc[DOT_CHANNELS][MOST];
    DOT_UNROLL
    for (int c = 0; c < DOT_CHANNELS; c++) {
        DOT_UNROLL
        for (int h = 0; h < n; h++) {
            acc[c][h] = *(const Floats *)(const void *)(sums + c * DOT_PIXELS + h * WIDE);
        }
    }
    for (int64_t k = 0; k < terms; k++, panel += DOT_PIXELS) {
        DOT_UNROLL
        for (int c = 0; c < DOT_CHANNELS; c++) {
            DOT_UNROLL
            for (int h = 0; h < n; h++) {
                add_product(exact, &acc[c][h], panel + h * WIDE, w[c * wstep + k]);
            }
        }
    }
    DOT_UNROLL
    for (int c = 0; c < DOT_CHANNELS; c++) {
        DOT_UNROLL
        for (int h = 0; h < n; h++) {
            *(Floats *)(void *)(sums + c * DOT_PIXELS + h * WIDE) = acc[c][h];
        }
    }
}

DOT_INLINE void
all_floats(const bool exact, float *sums, const float *panel, const float *w,
           int64_t wstep, int64_t terms, int64_t pixels)
{
    int64_t p = 0;
    for (; SOME < MOST && p + MOST * WIDE - DOT_STEP < pixels; p += MOST * WIDE) {
        step_floats(MOST, exact, sums + p, panel + p, w, wstep, terms);
    }
    for (; p < pixels; p += DOT_STEP) {
        step_floats(SOME, exact, sums + p, panel + p, w, wstep, terms);
    }
}

LANES_ATTR static void
dot_floats(float *sums, const float *panel, const float *w, int64_t wstep, int64_t terms,
           int64_t pixels)
{
    all_floats(false, sums, panel, w, wstep, terms, pixels);
}

LANES_ATTR static void
dot_exact(float *sums, const float *panel, const float *w, int64_t wstep, int64_t terms,
          int64_t pixels)
{
    all_floats(true, sums, panel, w, wstep, terms, pixels);
}

LANES_ATTR static void
dot_zip(int16_t *restrict panel, const uint8_t *restrict a, const uint8_t *restrict b,
        bool sign)
{
    if (sign) {
        LANES_LOOP
        for (int i = 0; i < DOT_PIXELS; i++) {
            panel[2 * i] = (int8_t)a[i];
            panel[2 * i + 1] = (int8_t)b[i];
        }
    } else {
        LANES_LOOP
        for (int i = 0; i < DOT_PIXELS; i++) {
            panel[2 * i] = a[i];
            panel[2 * i + 1] = b[i];
        }
    }
}

LANES_ATTR static void
dot_widen(int16_t *restrict to, const int8_t *restrict from, int64_t n)
{
    LANES_LOOP
    for (int64_t i = 0; i < n; i++) {
        to[i] = from[i];
    }
}

#define ROW(name, Acc, Given, In)                                                        \
    LANES_ATTR static void name(Acc *restrict sums, const Given *restrict x, Acc w,      \
                                int64_t n)                                               \
    {                                                                                    \
        const In *p = (const In *)(const void *)x;                                       \
        LANES_LOOP                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                \
            sums[i] += (Acc)p[i] * w;                                                    \
        }                                                                                \
    }
ROW(dot_row_s8, uint32_t, int8_t, AnyS8)
ROW(dot_row_u8, uint32_t, uint8_t, AnyU8)
ROW(dot_row_f32, float, void, AnyF32)
#undef ROW

const NumDotTable LANES_NAME(num_dot) = {dot_pairs, dot_floats, dot_exact,  dot_zip,
                                         dot_widen, dot_row_s8, dot_row_u8, dot_row_f32};

#else
const NumDotTable LANES_NAME(num_dot) = {0};
#endif
