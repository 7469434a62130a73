/* lanes.h: how loops over arrays are written so that they vectorise, and the levels of
 * vector units that they are compiled for.
 *
 * A file X_lanes.c has a table of such loops. The Makefile compiles it once for each of
 * the levels that it names for the file, with LANES_AT_base, LANES_AT_avx2 or
 * LANES_AT_avx512. So only the table needs a name for each level. All levels compute the
 * same bits: each step of a loop is one IEEE operation or an operation on integers, and
 * nothing is contracted (the Makefile says -ffp-contract=off). Products and sums are
 * fused only where a file says so. */
#ifndef TIK_NUM_LANES_H
#define TIK_NUM_LANES_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__clang__)
/* Without optimisation, or with sanitizers, nothing is vectorised, which needs no
 * warning. */
#pragma clang diagnostic ignored "-Wpass-failed"
#define LANES_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define LANES_LOOP _Pragma("GCC ivdep")
#endif

#define LANES_AVX2 __attribute__((target("avx2,f16c,fma")))
#if defined(__clang__)
#define LANES_AVX512                                                                     \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,f16c,fma")))
#define LANES_VNNI                                                                       \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,f16c,fma")))
#define LANES_HALF                                                                       \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512fp16,f16c,fma")))
#else
#define LANES_AVX512                                                                     \
    __attribute__((                                                                      \
        target("avx512f,avx512bw,avx512dq,avx512vl,f16c,fma,prefer-vector-width=512")))
#define LANES_VNNI                                                                       \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,f16c,fma,"      \
                          "prefer-vector-width=512")))
#define LANES_HALF                                                                       \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512fp16,f16c,fma,"      \
                          "prefer-vector-width=512")))
#endif

/* A file that is compiled for levels uses LANES_ATTR, the target of every function;
 * LANES_NAME, the name of its table; LANES_F16C, the number of elements that the
 * processor's own conversions between float16 and float32 take, 0 if it has none;
 * LANES_HERE, which is 1 where the family of processors has the level. */
#if defined(LANES_AT_base)
#define LANES_NAME(name) name##_base
#define LANES_ATTR
#define LANES_F16C 0
#define LANES_HERE 1
#elif defined(LANES_AT_avx2)
#define LANES_NAME(name) name##_avx2
#define LANES_ATTR       LANES_AVX2
#define LANES_F16C       8
#elif defined(LANES_AT_avx512)
#define LANES_NAME(name) name##_avx512
#define LANES_ATTR       LANES_AVX512
#define LANES_F16C       16
#elif defined(LANES_AT_vnni)
#define LANES_NAME(name) name##_vnni
#define LANES_ATTR       LANES_VNNI
#define LANES_F16C       16
#elif defined(LANES_AT_half)
#define LANES_NAME(name) name##_half
#define LANES_ATTR       LANES_HALF
#define LANES_F16C       16
#endif
#if !defined(LANES_HERE) && defined(__x86_64__)
#define LANES_HERE 1
#elif !defined(LANES_HERE)
#define LANES_HERE 0
#endif

/* Types of elements that need no alignment. */
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
    NUM_LEVEL_AVX2,   /* x86-64 with AVX2, F16C and FMA */
    NUM_LEVEL_AVX512, /* x86-64 with AVX-512 F, BW, DQ and VL */
    NUM_LEVELS
} NumLevel;

/* Returns the highest level of the processor that runs this. */
NumLevel num_level(void);
/* Returns whether the processor also adds up products of bytes and of int16 by itself
 * (AVX-512 VNNI). */
bool num_has_vnni(void);
/* Returns whether it also computes with float16 (AVX-512 FP16). Those instructions round
 * once, as the conversion of a result of float32 does, and know no flushing of
 * denormals. */
bool num_has_half(void);

#endif
