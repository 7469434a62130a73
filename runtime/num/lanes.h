/* lanes.h: how loops over arrays are written so that they vectorise, and the levels of vector units
 * that they are compiled for.
 *
 * A file X_body.h is the text of a table of such loops. It is compiled once per level, by
 * X_base.c, X_avx2.c and X_avx512.c, which define LANES_ATTR, the target of every function.
 * All levels compute the same bits: each step of a loop is one IEEE operation or an operation on
 * integers, and nothing is contracted (the Makefile says -ffp-contract=off). */
#ifndef TIK_NUM_LANES_H
#define TIK_NUM_LANES_H

#include <stdint.h>

#if defined(__clang__)
/* Without optimisation, or with sanitizers, nothing is vectorised; that is no news. */
#pragma clang diagnostic ignored "-Wpass-failed"
#define LANES_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define LANES_LOOP _Pragma("GCC ivdep")
#endif

#define LANES_AVX2 __attribute__((target("avx2,f16c")))
#if defined(__clang__)
#define LANES_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,f16c")))
#else
#define LANES_AVX512                                                                     \
    __attribute__((                                                                      \
        target("avx512f,avx512bw,avx512dq,avx512vl,f16c,prefer-vector-width=512")))
#endif

/* Elements at any address. */
#define LANES_ANY __attribute__((aligned(1), may_alias))
typedef uint8_t AnyU8 LANES_ANY;
typedef int8_t AnyS8 LANES_ANY;
typedef uint16_t AnyU16 LANES_ANY;
typedef int16_t AnyS16 LANES_ANY;
typedef uint32_t AnyU32 LANES_ANY;
typedef int32_t AnyS32 LANES_ANY;
typedef uint64_t AnyU64 LANES_ANY;
typedef int64_t AnyS64 LANES_ANY;
typedef float AnyF32 LANES_ANY;

typedef enum NumLevel {
    NUM_LEVEL_BASE,   /* any processor */
    NUM_LEVEL_AVX2,   /* x86-64 with AVX2 and F16C */
    NUM_LEVEL_AVX512, /* x86-64 with AVX-512 F, BW, DQ and VL */
    NUM_LEVELS
} NumLevel;

/* The highest level that the processor which runs this has. */
NumLevel num_level(void);

#endif
