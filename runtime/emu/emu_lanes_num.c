/* emu_lanes_num.c: lane functions of the mathematical functions, which are those of runtime/num. */
#include "emu/emu_lanes.h"
#include "num/num_fn.h"

#define FUNCTION(name, fn, type)                                                         \
    static void name(uint8_t *dst, const uint8_t *src0, const uint8_t *src1,             \
                     int64_t scalar, int64_t n)                                          \
    {                                                                                    \
        (void)src1;                                                                      \
        (void)scalar;                                                                    \
        num_fn(NUM_##fn, NUM_##type)(dst, src0, n);                                      \
    }
#define FLOATS(name, fn)                                                                 \
    FUNCTION(name##_f16, fn, F16)                                                        \
    FUNCTION(name##_f32, fn, F32)

FLOATS(exp, EXP)
FUNCTION(expm1_f16, EXPM1, F16)
FLOATS(ln, LN)
FLOATS(sqrt, SQRT)
FLOATS(rec, REC)
FLOATS(rsqrt, RSQRT)

LaneFn *
emu_lane_function(Sem sem, Dtype t)
{
    static LaneFn *const f16[SEM_COUNT] = {
        [SEM_EXP] = exp_f16,   [SEM_EXPM1] = expm1_f16, [SEM_LN] = ln_f16,
        [SEM_SQRT] = sqrt_f16, [SEM_REC] = rec_f16,     [SEM_RSQRT] = rsqrt_f16};
    static LaneFn *const f32[SEM_COUNT] = {[SEM_EXP] = exp_f32,
                                           [SEM_LN] = ln_f32,
                                           [SEM_SQRT] = sqrt_f32,
                                           [SEM_REC] = rec_f32,
                                           [SEM_RSQRT] = rsqrt_f32};
    return t == DT_F16 ? f16[sem] : t == DT_F32 ? f32[sem] : NULL;
}
