/* fn_step_lanes.c: the functions of num/fn.def on vectors of a level. Where a step is not
 * sure of its result the whole vector is computed by num/fn_lanes.c. */
#include "num/fn.h"
#include "num/lanes.h"

#if LANES_HERE && LANES_F16C > 0
#include <string.h>

#include "num/fn_vector.h"

extern const NumFnTable LANES_NAME(num_fn);

/* Computes one vector of arguments, at most LANES of which count; fix computes them where
 * a step is not sure. */
#define NEAR_F32(name, fix)                                                              \
    LANES_ATTR static void name##_rare(void *dst, Floats x)                              \
    {                                                                                    \
        float lanes[LANES];                                                              \
        STORE(lanes, x);                                                                 \
        fix(dst, lanes, LANES);                                                          \
    }                                                                                    \
    LANES_ATTR static inline void name##_vector(void *dst, const void *src)              \
    {                                                                                    \
        Floats r, x = LOAD(src);                                                         \
        if (!__builtin_expect(ALL(name##_steps(x, &r)), 1)) {                            \
            name##_rare(dst, x);                                                         \
            return;                                                                      \
        }                                                                                \
        STORE(dst, r);                                                                   \
    }                                                                                    \
    RUN(name, uint32_t, 0x3f800000)

/* Defines the loop over arrays; a rest is filled up with arguments 1. */
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

LANES_ATTR static inline Truths
exp_f32_steps(Floats x, Floats *value)
{
#define FN_EXP
#include "num/fn.def"
    *value = result;
    return sure;
}

NEAR_F32(exp_f32, LANES_NAME(num_fn).f32[NUM_EXP])

const NumFnTable LANES_NAME(num_fn_step) = {
    .f32 = {[NUM_EXP] = exp_f32},
};

#else
const NumFnTable LANES_NAME(num_fn_step) = {0};
#endif
