/* fn_vector.h: the operations of num/fn.def on the vectors of a level (num/lanes.h): 16
 * lanes with AVX-512, 8 with AVX2, else one. */
#ifndef TIK_NUM_FN_VECTOR_H
#define TIK_NUM_FN_VECTOR_H

#include <stdbool.h>

#include "num/half.h"
#include "num/lanes.h"

#define TABLE(name, ...) static const uint32_t name[32] = {__VA_ARGS__};
#include "num/fn_table.def"
#undef TABLE

#if LANES_F16C == 16
#include <immintrin.h>
typedef __m512 Floats;
typedef __m512i Bits;
typedef __mmask16 Truths;
enum {
    LANES = 16
};
#define F(c)         _mm512_set1_ps((float)(c))
#define W(c)         _mm512_set1_epi32((int)(c))
#define ADD(a, b)    _mm512_add_ps(a, b)
#define SUB(a, b)    _mm512_sub_ps(a, b)
#define MUL(a, b)    _mm512_mul_ps(a, b)
#define DIV(a, b)    _mm512_div_ps(a, b)
#define FMA(a, b, c) _mm512_fmadd_ps(a, b, c)
#define SQRT(a)      _mm512_sqrt_ps(a)
#define ABS(a)       _mm512_abs_ps(a)
#define BITS_OF(a)   _mm512_castps_si512(a)
#define VALUE_OF(a)  _mm512_castsi512_ps(a)
#define PLUS(a, b)   _mm512_add_epi32(a, b)
#define AND(a, b)    _mm512_and_si512(a, b)
#define SHL(a, n)    _mm512_slli_epi32(a, n)
#define SHR(a, n)    _mm512_srli_epi32(a, n)
#define LOOKUP(t, w)                                                                     \
    _mm512_permutex2var_ps(_mm512_loadu_ps(t), w, _mm512_loadu_ps((t) + 16))
#define EQ(a, b)        _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ)
#define LE(a, b)        _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ)
#define LT(a, b)        _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ)
#define BOTH(a, b)      ((Truths)((a) & (b)))
#define SELECT(t, a, b) _mm512_mask_blend_ps(t, b, a)
#define ALL(t)          ((t) == 0xffff)
#define LOAD(p)         _mm512_loadu_ps(p)
#define STORE(p, v)     _mm512_storeu_ps(p, v)
#elif LANES_F16C == 8
#include <immintrin.h>
typedef __m256 Floats;
typedef __m256i Bits;
typedef __m256 Truths;
enum {
    LANES = 8
};
#define F(c)            _mm256_set1_ps((float)(c))
#define W(c)            _mm256_set1_epi32((int)(c))
#define ADD(a, b)       _mm256_add_ps(a, b)
#define SUB(a, b)       _mm256_sub_ps(a, b)
#define MUL(a, b)       _mm256_mul_ps(a, b)
#define DIV(a, b)       _mm256_div_ps(a, b)
#define FMA(a, b, c)    _mm256_fmadd_ps(a, b, c)
#define SQRT(a)         _mm256_sqrt_ps(a)
#define ABS(a)          VALUE_OF(AND(BITS_OF(a), W(0x7fffffff)))
#define BITS_OF(a)      _mm256_castps_si256(a)
#define VALUE_OF(a)     _mm256_castsi256_ps(a)
#define PLUS(a, b)      _mm256_add_epi32(a, b)
#define AND(a, b)       _mm256_and_si256(a, b)
#define SHL(a, n)       _mm256_slli_epi32(a, n)
#define SHR(a, n)       _mm256_srli_epi32(a, n)
#define LOOKUP(t, w)    VALUE_OF(_mm256_i32gather_epi32((const int *)(t), AND(w, W(31)), 4))
#define EQ(a, b)        _mm256_cmp_ps(a, b, _CMP_EQ_OQ)
#define LE(a, b)        _mm256_cmp_ps(a, b, _CMP_LE_OQ)
#define LT(a, b)        _mm256_cmp_ps(a, b, _CMP_LT_OQ)
#define BOTH(a, b)      _mm256_and_ps(a, b)
#define SELECT(t, a, b) _mm256_blendv_ps(b, a, t)
#define ALL(t)          (_mm256_movemask_ps(t) == 0xff)
#define LOAD(p)         _mm256_loadu_ps(p)
#define STORE(p, v)     _mm256_storeu_ps(p, v)
#endif

#define FLOATS(name, value) const Floats name = value;
#define BITS(name, value)   const Bits name = value;
#define TRUTHS(name, value) const Truths name = value;

#endif
