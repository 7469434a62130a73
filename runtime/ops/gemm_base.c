/* gemm_base.c: inner loops of products of matrices for any processor. */
#include <stdint.h>

#define LANES_ATTR
#define GEMM_LEVEL        gemm_base
#define GEMM_BYTES_V      16
#define GEMM_MR           2
#define GEMM_NR           16
#define GEMM_SPLAT_F(x)   ((Fours){(x), (x), (x), (x)})
#define GEMM_SPLAT_I(x)   ((Pairs){(x), (x), (x), (x)})
#define GEMM_FMA(s, a, b) ((s) + (a) * (b))
#define GEMM_DOT(s, a, b) dot(s, a, b)
#define GEMM_QUAD         0
#define GEMM_F16C         0

/* Pairs of int16: the low halves' products and those of the high ones. */
typedef int32_t Pairs __attribute__((vector_size(16), aligned(4), may_alias));
typedef float Fours __attribute__((vector_size(16)));

static inline Pairs
dot(Pairs s, Pairs a, Pairs b)
{
    return s + (a << 16 >> 16) * (b << 16 >> 16) + (a >> 16) * (b >> 16);
}

#include "ops/gemm_body.h"
