/* half_lanes.c: lane functions of float16 (emu/lanes.h) for processors that compute with
 * it. A sum, difference or product of two float16 is exact in float32, or rounds there so
 * that the rounding to float16 gives the same as one rounding of the exact number does:
 * so these are the bits of emu/vector_lanes.c. Division is left to that file, whose way
 * is as fast. */
#include "emu/lanes.h"
#include "num/half.h"
#include "num/lanes.h"

#if LANES_HERE
#include <immintrin.h>

enum {
    LANES = 32,
    SIZE = 2
};

#define INLINE LANES_ATTR static inline

INLINE __mmask32
mask_of(int64_t n)
{
    return n >= LANES ? ~(__mmask32)0 : ((__mmask32)1 << n) - 1;
}

INLINE __m512h
load(const uint8_t *p, int64_t i, __mmask32 some)
{
    return _mm512_castsi512_ph(_mm512_maskz_loadu_epi16(some, p + SIZE * i));
}

/* Stores r, or the canonical NaN in lanes where nan is set. */
INLINE void
store(uint8_t *p, int64_t i, __mmask32 some, __m512h r, __mmask32 nan)
{
    __m512i bits = _mm512_castph_si512(r);
    bits = _mm512_mask_mov_epi16(bits, nan, _mm512_set1_epi16(HALF_NAN));
    _mm512_mask_storeu_epi16(p + SIZE * i, some, bits);
}

INLINE __mmask32
nans(__m512h a, __m512h b)
{
    return _mm512_cmp_ph_mask(a, b, _CMP_UNORD_Q);
}

INLINE __m512h
zeros(void)
{
    return _mm512_castsi512_ph(_mm512_setzero_si512());
}

#define LOOP(name, second, value, nan)                                                   \
    LANES_ATTR static void name(uint8_t *dst, const uint8_t *src0, const uint8_t *src1,  \
                                int64_t scalar, int64_t n)                               \
    {                                                                                    \
        const __m512h s = _mm512_castsi512_ph(_mm512_set1_epi16((short)scalar));         \
        (void)src1, (void)s;                                                             \
        for (int64_t i = 0; i < n; i += LANES) {                                         \
            const __mmask32 some = mask_of(n - i);                                       \
            const __m512h a = load(src0, i, some), b = second;                           \
            const __m512h c = load(dst, i, some);                                        \
            const __m512h r = value;                                                     \
            (void)c;                                                                     \
            store(dst, i, some, r, nan);                                                 \
        }                                                                                \
    }

/* Defines r = value, an expression of the sources a and b and of c, the old element of
 * dst, with both sources from memory and with a scalar for b; nan are the lanes where the
 * result is NaN. */
#define HALF(name, value, nan)                                                           \
    LOOP(name##_vv, load(src1, i, some), value, nan)                                     \
    LOOP(name##_vs, s, value, nan)

#define ADD(x, y)  _mm512_add_ph(x, y)
#define SUB(x, y)  _mm512_sub_ph(x, y)
#define MUL(x, y)  _mm512_mul_ph(x, y)
#define NAN_RESULT nans(r, r)
#define NAN_SOURCE nans(a, b)
/* The maximum with +0 as the second operand is +0 for -0 and NaN, but NaN is put back. */
#define POSITIVE(r) _mm512_max_ph(r, zeros())

HALF(add, ADD(a, b), NAN_RESULT)
HALF(sub, SUB(a, b), NAN_RESULT)
HALF(mul, MUL(a, b), NAN_RESULT)
HALF(addrelu, POSITIVE(ADD(a, b)), nans(ADD(a, b), ADD(a, b)))
HALF(subrelu, POSITIVE(SUB(a, b)), nans(SUB(a, b), SUB(a, b)))
HALF(mla, ADD(MUL(a, b), c), NAN_RESULT)
HALF(madd, ADD(MUL(a, c), b), NAN_RESULT)
HALF(maddrelu, POSITIVE(ADD(MUL(a, c), b)), nans(ADD(MUL(a, c), b), zeros()))
/* The instruction gives its second operand for two zeros: a in the order b, a. */
HALF(max, _mm512_max_ph(b, a), NAN_SOURCE)
HALF(min, _mm512_min_ph(b, a), NAN_SOURCE)

#define FORMS(form)                                                                      \
    {                                                                                    \
        [SEM_ADD] = {[DT_F16] = add_##form},                                             \
        [SEM_SUB] = {[DT_F16] = sub_##form},                                             \
        [SEM_MUL] = {[DT_F16] = mul_##form},                                             \
        [SEM_ADDRELU] = {[DT_F16] = addrelu_##form},                                     \
        [SEM_SUBRELU] = {[DT_F16] = subrelu_##form},                                     \
        [SEM_MLA] = {[DT_F16] = mla_##form},                                             \
        [SEM_MADD] = {[DT_F16] = madd_##form},                                           \
        [SEM_MADDRELU] = {[DT_F16] = maddrelu_##form},                                   \
        [SEM_MAX] = {[DT_F16] = max_##form},                                             \
        [SEM_MIN] = {[DT_F16] = min_##form},                                             \
    }

const LaneTable LANES_NAME(emu_lanes) = {.vector = FORMS(vv), .scalar = FORMS(vs)};

#else
const LaneTable LANES_NAME(emu_lanes) = {0};
#endif
