/* fn_vector.h: the operations of num/fn.def on the vectors of a level (num/lanes.h): 16
 * lanes with AVX-512, 8 with AVX2, else one. */
#ifndef TIK_NUM_FN_VECTOR_H
#define TIK_NUM_FN_VECTOR_H

#include <stdbool.h>
#include <string.h>

#include "num/half.h"
#include "num/lanes.h"

#if LANES_F16C == 16
#include <immintrin.h>
typedef __m512 Floats;
typedef __m512i Words;
typedef __mmask16 Truths;
enum {
    LANES = 16
};
#define F(c)               _mm512_set1_ps((float)(c))
#define W(c)               _mm512_set1_epi32((int)(c))
#define ADD(a, b)          _mm512_add_ps(a, b)
#define SUB(a, b)          _mm512_sub_ps(a, b)
#define MUL(a, b)          _mm512_mul_ps(a, b)
#define DIV(a, b)          _mm512_div_ps(a, b)
#define FMA(a, b, c)       _mm512_fmadd_ps(a, b, c)
#define SQRT(a)            _mm512_sqrt_ps(a)
#define ABS(a)             _mm512_abs_ps(a)
#define MIN(a, b)          _mm512_min_ps(a, b)
#define MAX(a, b)          _mm512_max_ps(a, b)
#define SCALE(a, k)        _mm512_scalef_ps(a, k)
#define POWER(a, k, w, n)  _mm512_scalef_ps(a, k)
#define INSIDE(x, c, w, m) _mm512_testn_epi32_mask(w, W(m))
#define BITS_OF(a)         _mm512_castps_si512(a)
#define VALUE_OF(a)        _mm512_castsi512_ps(a)
#define FLOAT_OF(a)        _mm512_cvtepi32_ps(a)
#define PLUS(a, b)         _mm512_add_epi32(a, b)
#define MINUS(a, b)        _mm512_sub_epi32(a, b)
#define AND(a, b)          _mm512_and_si512(a, b)
#define SHL(a, n)          _mm512_slli_epi32(a, n)
#define SHR(a, n)          _mm512_srli_epi32(a, n)
#define EQ(a, b)           _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ)
#define LE(a, b)           _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ)
#define UNLIKE(a, b)       _mm512_cmpneq_epi32_mask(a, b)
#define BOTH(a, b)         ((Truths)((a) & (b)))
#define SELECT(t, a, b)    _mm512_mask_blend_ps(t, b, a)
#define ALL(t)             ((t) == 0xffff)
#define LOAD(p)            _mm512_loadu_ps(p)
#define STORE(p, v)        _mm512_storeu_ps(p, v)
#define LOAD_F16(p)        _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(p)))
#define STORE_F16(p, v)    _mm256_storeu_si256((__m256i *)(p), _mm512_cvtps_ph(v, 0))
#define LOOKUP(t, w)                                                                     \
    _mm512_permutex2var_ps(_mm512_loadu_ps(t), w, _mm512_loadu_ps((t) + LANES))
#elif LANES_F16C == 8
#include <immintrin.h>
typedef __m256 Floats;
typedef __m256i Words;
typedef __m256 Truths;
enum {
    LANES = 8
};
#define F(c)         _mm256_set1_ps((float)(c))
#define W(c)         _mm256_set1_epi32((int)(c))
#define ADD(a, b)    _mm256_add_ps(a, b)
#define SUB(a, b)    _mm256_sub_ps(a, b)
#define MUL(a, b)    _mm256_mul_ps(a, b)
#define DIV(a, b)    _mm256_div_ps(a, b)
#define FMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#define SQRT(a)      _mm256_sqrt_ps(a)
#define ABS(a)       VALUE_OF(AND(BITS_OF(a), W(0x7fffffff)))
#define MIN(a, b)    _mm256_min_ps(a, b)
#define MAX(a, b)    _mm256_max_ps(a, b)
#define POWER(a, k, w, n)                                                                \
    VALUE_OF(PLUS(BITS_OF(a), AND(SHL(MINUS(w, W(32 * (n))), 18), W(0xff800000))))
#define INSIDE(x, c, w, m) LE(ABS(x), F(c))
#define BITS_OF(a)         _mm256_castps_si256(a)
#define VALUE_OF(a)        _mm256_castsi256_ps(a)
#define FLOAT_OF(a)        _mm256_cvtepi32_ps(a)
#define PLUS(a, b)         _mm256_add_epi32(a, b)
#define MINUS(a, b)        _mm256_sub_epi32(a, b)
#define AND(a, b)          _mm256_and_si256(a, b)
#define SHL(a, n)          _mm256_slli_epi32(a, n)
#define SHR(a, n)          _mm256_srli_epi32(a, n)
#define EQ(a, b)           _mm256_cmp_ps(a, b, _CMP_EQ_OQ)
#define LE(a, b)           _mm256_cmp_ps(a, b, _CMP_LE_OQ)
#define UNLIKE(a, b)       _mm256_xor_ps(VALUE_OF(_mm256_cmpeq_epi32(a, b)), VALUE_OF(W(-1)))
#define BOTH(a, b)         _mm256_and_ps(a, b)
#define SELECT(t, a, b)    _mm256_blendv_ps(b, a, t)
#define ALL(t)             (_mm256_movemask_ps(t) == 0xff)
#define LOAD(p)            _mm256_loadu_ps(p)
#define STORE(p, v)        _mm256_storeu_ps(p, v)
#define LOAD_F16(p)        _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(p)))
#define STORE_F16(p, v)    _mm_storeu_si128((__m128i *)(p), _mm256_cvtps_ph(v, 0))
/* Bits 3 and 4 of w choose among registers of 8; a gather is slower. */
LANES_ATTR static inline Floats
LOOKUP(const uint32_t *t, Words w)
{
    Floats v[4], bit3 = VALUE_OF(SHL(w, 28)), bit4 = VALUE_OF(SHL(w, 27));
    for (int i = 0; i < 4; i++) {
        v[i] = _mm256_permutevar8x32_ps(_mm256_loadu_ps((const float *)t + 8 * i), w);
    }
    return SELECT(bit4, SELECT(bit3, v[3], v[2]), SELECT(bit3, v[1], v[0]));
}

/* Scales in two steps, of which the second rounds. */
LANES_ATTR static inline Floats
SCALE(Floats a, Floats k)
{
    Words n = _mm256_cvtps_epi32(k), half = _mm256_srai_epi32(n, 1);
    Words one = W(0x3f800000);
    a = MUL(a, VALUE_OF(PLUS(SHL(half, 23), one)));
    return MUL(a, VALUE_OF(PLUS(SHL(MINUS(n, half), 23), one)));
}
#else
typedef float Floats;
typedef uint32_t Words;
typedef bool Truths;
enum {
    LANES = 1
};
#define F(c)            ((float)(c))
#define W(c)            ((uint32_t)(c))
#define ADD(a, b)       ((a) + (b))
#define SUB(a, b)       ((a) - (b))
#define MUL(a, b)       ((a) * (b))
#define DIV(a, b)       ((a) / (b))
#define SQRT(a)         __builtin_sqrtf(a)
#define MIN(a, b)       ((a) < (b) ? (a) : (b))
#define MAX(a, b)       ((a) > (b) ? (a) : (b))
#define BITS_OF(a)      float_bits(a)
#define VALUE_OF(a)     float_of_bits(a)
#define FLOAT_OF(a)     ((float)(int32_t)(a))
#define PLUS(a, b)      ((a) + (b))
#define MINUS(a, b)     ((a) - (b))
#define AND(a, b)       ((a) & (b))
#define SHL(a, n)       ((a) << (n))
#define EQ(a, b)        ((a) == (b))
#define LE(a, b)        ((a) <= (b))
#define BOTH(a, b)      ((a) && (b))
#define SELECT(t, a, b) ((t) ? (a) : (b))
#define ALL(t)          (t)

static inline float
LOAD(const void *p)
{
    float x;
    memcpy(&x, p, sizeof x);
    return x;
}

static inline void
STORE(void *p, float x)
{
    memcpy(p, &x, sizeof x);
}

/* The product is exact in double. Rounding the sum there, and once more to float32, is as
 * if it were rounded once, unless the first result is in the middle of two float32 or the
 * second one is subnormal; then the first rounding is to odd. */
static inline float
FMA(float a, float b, float c)
{
    double product = (double)a * b, sum = product + c;
    if ((double_bits(sum) & 0x1fffffff) == 0x10000000 || __builtin_fabs(sum) < 0x1p-126) {
        return (float)half_sum_odd(product, c);
    }
    return (float)sum;
}

static inline float
SCALE(float a, float k)
{
    int32_t n = k == k ? (int32_t)k : 0, half = n >> 1;
    a *= float_of_bits((uint32_t)(half + 127) << 23);
    return a * float_of_bits((uint32_t)(n - half + 127) << 23);
}
#endif

#define NEG(a)              (-(a))
#define TABLE(name, ...)    static const uint32_t name[32] = {__VA_ARGS__};
#define FLOATS(name, value) const Floats name = value;
#define WORDS(name, value)  const Words name = value;
#define TRUTHS(name, value) const Truths name = value;

#endif
