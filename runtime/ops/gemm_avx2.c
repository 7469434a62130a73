/* gemm_avx2.c: inner loops of products of matrices for x86-64 processors with AVX2, F16C and FMA. */
#if defined(__x86_64__)
#include <immintrin.h>
#include <stdint.h>
#define LANES_ATTR        __attribute__((target("avx2,f16c,fma")))
#define GEMM_LEVEL        gemm_avx2
#define GEMM_BYTES_V      32
#define GEMM_MR           6
#define GEMM_NR           16
#define GEMM_SPLAT_F(x)   _mm256_set1_ps(x)
#define GEMM_SPLAT_I(x)   _mm256_set1_epi32(x)
#define GEMM_FMA(s, a, b) (Floats) _mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(s))
#define GEMM_DOT(s, a, b) (s) + (Ints)_mm256_madd_epi16((__m256i)(a), (__m256i)(b))
#define GEMM_QUAD         0
#define GEMM_F16C         1
#include "ops/gemm_body.h"
#else
#include "ops/gemm.h"
const GemmLevel gemm_avx2 = {0};
#endif
