/* gemm_avx512.c: inner loops of products of matrices for x86-64 processors with AVX-512 F, BW, DQ and VL. */
#if defined(__x86_64__)
#include <immintrin.h>
#include <stdint.h>
#define LANES_ATTR        __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,f16c,fma")))
#define GEMM_LEVEL        gemm_avx512
#define GEMM_BYTES_V      64
#define GEMM_MR           14
#define GEMM_NR           32
#define GEMM_SPLAT_F(x)   _mm512_set1_ps(x)
#define GEMM_SPLAT_I(x)   _mm512_set1_epi32(x)
#define GEMM_FMA(s, a, b) (Floats) _mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(s))
#define GEMM_DOT(s, a, b) (s) + (Ints)_mm512_madd_epi16((__m512i)(a), (__m512i)(b))
#define GEMM_QUAD         0
#define GEMM_F16C         1
#include "ops/gemm_body.h"
#else
#include "ops/gemm.h"
const GemmLevel gemm_avx512 = {0};
#endif
