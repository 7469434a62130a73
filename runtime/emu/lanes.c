/* lanes.c: chooses the lane function of an operation; those of mathematical functions and
 * shifts are loops of runtime/num. */
#include "emu/lanes.h"
#include "emu/rows.h"
#include "num/fn.h"
#include "num/int.h"
#include "num/lanes.h"

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

/* ---- shifts -------------------------------------------------------------- */

enum {
    MOST_BITS = 63 /* largest number of bits for num_shift */
};

#define SHIFT(name, op, type)                                                            \
    static void name(uint8_t *dst, const uint8_t *src0, const uint8_t *src1,             \
                     int64_t scalar, int64_t n)                                          \
    {                                                                                    \
        (void)src1;                                                                      \
        num_shift(NUM_##op, NUM_##type)(dst, src0, (int)(scalar & MOST_BITS), n);        \
    }

SHIFT(shl_u16, SHL, U16)
SHIFT(shl_s16, SHL, S16)
SHIFT(shl_u32, SHL, U32)
SHIFT(shl_s32, SHL, S32)
SHIFT(shl_all_s16, SHL_ALL, S16)
SHIFT(shl_all_s32, SHL_ALL, S32)
SHIFT(shr_u16, SHR, U16)
SHIFT(shr_s16, SHR, S16)
SHIFT(shr_u32, SHR, U32)
SHIFT(shr_s32, SHR, S32)
SHIFT(shr_rounded_s16, SHR_ROUNDED, S16)
SHIFT(shr_rounded_s32, SHR_ROUNDED, S32)

LaneFn *
emu_lane_shift_all(Dtype t)
{
    return t == DT_S16 ? shl_all_s16 : t == DT_S32 ? shl_all_s32 : NULL;
}

LaneFn *
emu_lane_shift(Sem sem, Dtype t, bool rounded)
{
    static LaneFn *const left[DT_COUNT] = {
        [DT_U16] = shl_u16, [DT_S16] = shl_s16, [DT_U32] = shl_u32, [DT_S32] = shl_s32};
    static LaneFn *const right[DT_COUNT] = {
        [DT_U16] = shr_u16, [DT_S16] = shr_s16, [DT_U32] = shr_u32, [DT_S32] = shr_s32};
    static LaneFn *const near[DT_COUNT] = {
        [DT_S16] = shr_rounded_s16, [DT_S32] = shr_rounded_s32};
    return sem == SEM_SHL ? left[t] : rounded ? near[t] : right[t];
}

/* ---- the choice ---------------------------------------------------------- */

/* Returns the type of sources that do not have the type of dst. */
static Dtype
mixed_source(Sem sem)
{
    return sem == SEM_ADDDEQRELU ? DT_S32 : DT_F16;
}

const RowTable *
emu_rows(void)
{
    NumLevel level = num_level();
    return level >= NUM_LEVEL_AVX512 ? &emu_rows_avx512
           : level >= NUM_LEVEL_AVX2 ? &emu_rows_avx2
                                     : &emu_rows_base;
}

LaneFn *
emu_lane_fn(const Choices *c, LaneWork w, Dtype dst, Dtype src)
{
    NumLevel level = num_level();
    const LaneTable *table = level >= NUM_LEVEL_AVX512 ? &emu_lanes_avx512
                             : level >= NUM_LEVEL_AVX2 ? &emu_lanes_avx2
                                                       : &emu_lanes_base;
    if (src != DT_NONE && src != dst) {
        return src != mixed_source(w.sem) ? NULL
               : w.scalar                 ? table->mixed_scalar[w.sem][dst]
                                          : table->mixed_vector[w.sem][dst];
    }
    LaneFn *other = emu_lane_reading(c, w.sem, dst, w.scalar);
    if (other != NULL) {
        return other;
    }
    LaneFn *function = emu_lane_function(w.sem, dst);
    if (function == NULL && dst == DT_F16 && num_has_half()) {
        function = w.scalar ? emu_lanes_half.scalar[w.sem][dst]
                            : emu_lanes_half.vector[w.sem][dst];
    }
    if (function != NULL) {
        return function;
    }
    return w.scalar ? table->scalar[w.sem][dst] : table->vector[w.sem][dst];
}
