/* fn_step_lanes.c: the functions of num/fn.def on vectors of a level. A vector in which
 * some result is not sure is computed again by num/fn_lanes.c. Processors without fused
 * products have the steps of the other reading only. */
#include "num/fn.h"
#include "num/lanes.h"

#if LANES_HERE
#include <string.h>

#include "num/fn_vector.h"

#if LANES_F16C > 0
#include "num/fn_table.def"
#endif

extern const NumFnTable LANES_NAME(num_fn);

/* Defines the loop over arrays that calls name_vector(dst, src) for LANES elements; a
 * rest is filled up with arguments 1. */
#define RUN(name, type, one)                                                             \
    LANES_ATTR static void name(void *dst, const void *src, int64_t n)                   \
    {                                                                                    \
        uint8_t *d = dst;                                                                \
        const uint8_t *s = src;                                                          \
        for (; n >= LANES; n -= LANES) {                                                 \
            name##_vector(d, s);                                                         \
            d += LANES * sizeof(type);                                                   \
            s += LANES * sizeof(type);                                                   \
        }                                                                                \
        if (n > 0) {                                                                     \
            type rest[LANES];                                                            \
            for (int i = 0; i < LANES; i++) {                                            \
                rest[i] = one;                                                           \
            }                                                                            \
            memcpy(rest, s, (size_t)n * sizeof(type));                                   \
            name##_vector(rest, rest);                                                   \
            memcpy(d, rest, (size_t)n * sizeof(type));                                   \
        }                                                                                \
    }

/* Defines what computes one vector of float32 with steps; fix does where they are not
 * sure. */
#define VECTOR_F32(name, fix)                                                            \
    LANES_ATTR static __attribute__((noinline)) void name##_rare(void *dst, Floats x)    \
    {                                                                                    \
        float lanes[LANES];                                                              \
        STORE(lanes, x);                                                                 \
        fix(dst, lanes, LANES);                                                          \
    }                                                                                    \
    LANES_ATTR static inline void name##_vector(void *dst, const void *src)              \
    {                                                                                    \
        Floats r, x = LOAD(src);                                                         \
        if (__builtin_expect(ALL(name##_steps(x, &r)), 1)) {                             \
            STORE(dst, r);                                                               \
        } else {                                                                         \
            name##_rare(dst, x);                                                         \
        }                                                                                \
    }                                                                                    \
    RUN(name, uint32_t, 0x3f800000)

/* The same for float16. */
#define VECTOR_F16(name, fix)                                                            \
    LANES_ATTR static inline void name##_vector(void *dst, const void *src)              \
    {                                                                                    \
        Floats r, x = LOAD_F16(src);                                                     \
        if (__builtin_expect(ALL(name##_steps(x, &r)), 1)) {                             \
            STORE_F16(dst, r);                                                           \
        } else {                                                                         \
            fix(dst, src, LANES);                                                        \
        }                                                                                \
    }                                                                                    \
    RUN(name, uint16_t, 0x3c00)

/* Begins the steps of a function, which gives the result of x and returns where it is
 * sure. */
#define STEPS(name) LANES_ATTR static inline Truths name##_steps(Floats x, Floats *value)

/* ---- the usual reading --------------------------------------------------- */

#if LANES_F16C > 0
STEPS(exp_f32)
{
#define FN_EXP
#include "num/fn.def"
    *value = result;
    return sure;
}

STEPS(ln_f32)
{
#define FN_LN
#include "num/fn.def"
    *value = result;
    return sure;
}

STEPS(rsqrt_f32)
{
#define FN_RSQRT
#include "num/fn.def"
    *value = result;
    return sure;
}

STEPS(exp_f16)
{
#define FN_EXP_F16
#include "num/fn.def"
    *value = result;
    return BOTH(sure, EQ(result, result));
}

STEPS(expm1_f16)
{
#define FN_EXPM1_F16
#include "num/fn.def"
    *value = result;
    return BOTH(sure, EQ(result, result));
}

STEPS(ln_f16)
{
#define FN_LN_F16
#include "num/fn.def"
    *value = result;
    return sure;
}

STEPS(rsqrt_f16)
{
#define FN_RSQRT_F16
#include "num/fn.def"
    *value = result;
    return BOTH(sure, EQ(result, result));
}

VECTOR_F32(exp_f32, LANES_NAME(num_fn).f32[NUM_EXP])
VECTOR_F32(ln_f32, LANES_NAME(num_fn).f32[NUM_LN])
VECTOR_F32(rsqrt_f32, LANES_NAME(num_fn).f32[NUM_RSQRT])
VECTOR_F16(exp_f16, LANES_NAME(num_fn).f16[NUM_EXP])
VECTOR_F16(expm1_f16, LANES_NAME(num_fn).f16[NUM_EXPM1])
VECTOR_F16(ln_f16, LANES_NAME(num_fn).f16[NUM_LN])
VECTOR_F16(rsqrt_f16, LANES_NAME(num_fn).f16[NUM_RSQRT])
#endif

/* ---- the other reading --------------------------------------------------- */

STEPS(exp_fast)
{
#define FN_EXP_FAST
#include "num/fn.def"
    *value = result;
    return EQ(result, result);
}

STEPS(ln_fast)
{
#define FN_LN_FAST
#include "num/fn.def"
    *value = result;
    return sure;
}

STEPS(rsqrt_fast)
{
#define FN_RSQRT_FAST
#include "num/fn.def"
    *value = result;
    return EQ(result, result);
}

/* Where a result is not sure, above all where it is NaN, it is that of the usual reading,
 * lane by lane. */
#define FIX_FAST(name, fn)                                                               \
    LANES_ATTR static void name##_fix(void *dst, const void *src, int64_t n)             \
    {                                                                                    \
        float x[LANES], usual[LANES];                                                    \
        memcpy(x, src, sizeof x);                                                        \
        (void)n;                                                                         \
        Floats r;                                                                        \
        Truths sure = name##_steps(LOAD(x), &r);                                         \
        LANES_NAME(num_fn).f32[fn](usual, x, LANES);                                     \
        STORE(dst, SELECT(sure, r, LOAD(usual)));                                        \
    }                                                                                    \
    VECTOR_F32(name, name##_fix)

FIX_FAST(exp_fast, NUM_EXP)
FIX_FAST(ln_fast, NUM_LN)
FIX_FAST(rsqrt_fast, NUM_RSQRT)

const NumFnTable LANES_NAME(num_fn_step) = {
#if LANES_F16C > 0
    .f16 = {[NUM_EXP] = exp_f16,
            [NUM_EXPM1] = expm1_f16,
            [NUM_LN] = ln_f16,
            [NUM_RSQRT] = rsqrt_f16},
    .f32 = {[NUM_EXP] = exp_f32, [NUM_LN] = ln_f32, [NUM_RSQRT] = rsqrt_f32},
#endif
    .fast = {[NUM_EXP] = exp_fast, [NUM_LN] = ln_fast, [NUM_RSQRT] = rsqrt_fast},
};

#else
const NumFnTable LANES_NAME(num_fn_step) = {0};
#endif
