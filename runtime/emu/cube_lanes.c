/* cube_lanes.c: the loops of cube.h, compiled for each level (num/lanes.h). */
#include "emu/cube.h"
#include "num/half.h"
#include "num/lanes.h"

#include <float.h>
#include <string.h>

#if LANES_HERE
#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* ---- factors ------------------------------------------------------------- */

#define SAME(x) (x)

#define WIDEN(name, T, S, NUMBER)                                                        \
    LANES_ATTR static void name(void *to, int64_t step, const uint8_t *const *runs,      \
                                int64_t n)                                               \
    {                                                                                    \
        for (int64_t r = 0; r < n; r++) {                                                \
            T *x = (T *)(void *)((uint8_t *)to + r * step);                              \
            const S *from = (const S *)(const void *)runs[r];                            \
            LANES_LOOP                                                                   \
            for (int i = 0; i < FRACTAL_ROW / (int)sizeof(S); i++) {                     \
                x[i] = NUMBER(from[i]);                                                  \
            }                                                                            \
        }                                                                                \
    }

WIDEN(widen_s8, AnyS16, AnyS8, SAME)
WIDEN(widen_u8, AnyS16, AnyU8, SAME)
WIDEN(widen_bf16, AnyF32, AnyU16, bfloat_to_float)
WIDEN(widen_f32, AnyF32, AnyF32, SAME)

#if LANES_F16C
/* Converts 16 float16. */
LANES_ATTR static inline void
halves(float *to, const uint8_t *from)
{
    const __m128i *at = (const __m128i *)(const void *)from;
    _mm256_storeu_ps(to, _mm256_cvtph_ps(_mm_loadu_si128(at)));
    _mm256_storeu_ps(to + 8, _mm256_cvtph_ps(_mm_loadu_si128(at + 1)));
}
#else
static inline void
halves(float *to, const uint8_t *from)
{
    const AnyU16 *x = (const AnyU16 *)from;
    for (int i = 0; i < FRACTAL_SIDE; i++) {
        to[i] = half_to_float(x[i]);
    }
}
#endif

LANES_ATTR static void
widen_f16(void *to, int64_t step, const uint8_t *const *runs, int64_t n)
{
    for (int64_t r = 0; r < n; r++) {
        halves((float *)(void *)((uint8_t *)to + r * step), runs[r]);
    }
}

/* Four columns at a time change places with four words. */
LANES_ATTR static void
turn(uint32_t *to, const uint32_t *from, int64_t n)
{
#if defined(__x86_64__)
    for (int64_t c = 0; c < DOT_PIXELS; c += 4) {
        for (int64_t w = 0; w < n; w += 4) {
            const float *at = (const float *)(const void *)(from + c * CUBE_WORDS + w);
            float *out = (float *)(void *)(to + w * DOT_PIXELS + c);
            __m128 r0 = _mm_loadu_ps(at), r1 = _mm_loadu_ps(at + CUBE_WORDS);
            __m128 r2 = _mm_loadu_ps(at + 2 * CUBE_WORDS);
            __m128 r3 = _mm_loadu_ps(at + 3 * CUBE_WORDS);
            _MM_TRANSPOSE4_PS(r0, r1, r2, r3);
            _mm_storeu_ps(out, r0);
            _mm_storeu_ps(out + DOT_PIXELS, r1);
            _mm_storeu_ps(out + 2 * DOT_PIXELS, r2);
            _mm_storeu_ps(out + 3 * DOT_PIXELS, r3);
        }
    }
#else
    for (int64_t w = 0; w < n; w++) {
        for (int64_t c = 0; c < DOT_PIXELS; c++) {
            to[w * DOT_PIXELS + c] = from[c * CUBE_WORDS + w];
        }
    }
#endif
}

/* ---- sums ---------------------------------------------------------------- */

LANES_ATTR static void
begin_f16(float *sums, const uint8_t *from, int64_t step, int64_t n)
{
    for (int64_t r = 0; r < n; r++) {
        halves(sums + r * DOT_PIXELS, from + r * step);
    }
}

LANES_ATTR static void
begin_f32(float *sums, const uint8_t *from, int64_t step, int64_t n)
{
    for (int64_t r = 0; r < n; r++) {
        memcpy(sums + r * DOT_PIXELS, from + r * step, FRACTAL_SIDE * sizeof *sums);
    }
}

/* The total of a row is stored after all of its old numbers are read. T: what is stored,
 * W: what it was; value: of the sum s and of w. */
#define FINISH(name, T, W, value)                                                        \
    LANES_ATTR static void name(uint8_t *to, const uint32_t *sums, int64_t n,            \
                                const uint8_t *was, int64_t step)                        \
    {                                                                                    \
        (void)was;                                                                       \
        (void)step;                                                                      \
        for (int64_t r = 0; r < n; r++) {                                                \
            T *d = (T *)(void *)(to + r * FRACTAL_SIDE * (int64_t)sizeof(T));            \
            const W *old = (const W *)(const void *)(was + r * step);                    \
            (void)old;                                                                   \
            LANES_LOOP                                                                   \
            for (int i = 0; i < FRACTAL_SIDE; i++) {                                     \
                const uint32_t s = sums[r * DOT_PIXELS + i];                             \
                d[i] = (T)(value);                                                       \
            }                                                                            \
        }                                                                                \
    }

LANES_ATTR static inline int64_t
clamped(int64_t sum, int64_t lo, int64_t hi)
{
    return sum < lo ? lo : sum > hi ? hi : sum;
}

LANES_ATTR static inline float
finite(uint32_t bits, float most)
{
    float sum = float_of_bits(bits);
    return sum != sum ? 0 : sum > most ? most : sum < -most ? -most : sum;
}

#define MOST_HALF 65504.0f
FINISH(finish_s32, AnyU32, AnyS32,
       clamped((int64_t)old[i] + (int32_t)s, INT32_MIN, INT32_MAX))
FINISH(finish_u32, AnyU32, AnyU32, clamped((int64_t)old[i] + (int32_t)s, 0, UINT32_MAX))
FINISH(finish_f32, AnyU32, AnyU32, float_bits_canonical(float_of_bits(s)))
FINISH(finish_f32_finite, AnyU32, AnyU32, float_bits_canonical(finite(s, FLT_MAX)))
FINISH(finish_f16, AnyU16, AnyU32, half_from_float(float_of_bits(s)))
FINISH(finish_f16_finite, AnyU16, AnyU32, half_from_float(finite(s, MOST_HALF)))

const CubeTable LANES_NAME(emu_cube) = {
    .widen = {[DT_S8] = widen_s8,
              [DT_U8] = widen_u8,
              [DT_F16] = widen_f16,
              [DT_BF16] = widen_bf16,
              [DT_F32] = widen_f32},
    .begin = {[DT_F16] = begin_f16, [DT_F32] = begin_f32},
    .finish = {[CUBE_END_S32] = finish_s32,
               [CUBE_END_U32] = finish_u32,
               [CUBE_END_F32] = finish_f32,
               [CUBE_END_F32_FINITE] = finish_f32_finite,
               [CUBE_END_F16] = finish_f16,
               [CUBE_END_F16_FINITE] = finish_f16_finite},
    .turn = turn,
};

#else
const CubeTable LANES_NAME(emu_cube) = {0};
#endif
