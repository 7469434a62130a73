/* clamp.c: integer arithmetic on slices that is clamped to the types, for kernels that
 * chose it (isa/choice.h). Types of up to 32 bits are computed in 64. */
#include "num/lanes.h"
#include "ops/slice.h"

#define CLAMPED(name, T, lo, hi, value)                                                  \
    static void name(void *dst, const void *a, const void *b, const void *on, int64_t n) \
    {                                                                                    \
        typedef T Any LANES_ANY;                                                         \
        Any *d = dst;                                                                    \
        const Any *p = a, *q = b;                                                        \
        (void)on;                                                                        \
        (void)q;                                                                         \
        for (int64_t i = 0; i < n; i++) {                                                \
            int64_t r = value;                                                           \
            d[i] = (T)(r<(lo) ? (lo) : r>(hi) ? (hi) : r);                               \
        }                                                                                \
    }
#define X ((int64_t)p[i])
#define Y ((int64_t)q[i])
#define TYPE(t, T, lo, hi)                                                               \
    CLAMPED(add_##t, T, lo, hi, X + Y)                                                   \
    CLAMPED(sub_##t, T, lo, hi, X - Y)                                                   \
    CLAMPED(mul_##t, T, lo, hi, X *Y)                                                    \
    CLAMPED(abs_##t, T, lo, hi, X < 0 ? -X : X)

TYPE(s8, int8_t, INT8_MIN, INT8_MAX)
TYPE(s16, int16_t, INT16_MIN, INT16_MAX)
TYPE(s32, int32_t, INT32_MIN, INT32_MAX)
TYPE(u8, uint8_t, 0, UINT8_MAX)

SliceFn *
ops_slice_clamped(Sem sem, Dtype t)
{
#define ROW(op)                                                                          \
    {[DT_S8] = op##_s8, [DT_S16] = op##_s16, [DT_S32] = op##_s32, [DT_U8] = op##_u8}
    static SliceFn *const add[DT_COUNT] = ROW(add), *const sub[DT_COUNT] = ROW(sub),
                          *const mul[DT_COUNT] = ROW(mul),
                          *const absolute[DT_COUNT] = ROW(abs);
    switch (sem) {
    case SEM_ADD:
        return add[t];
    case SEM_SUB:
        return sub[t];
    case SEM_MUL:
        return mul[t];
    case SEM_ABS:
        return absolute[t];
    default:
        return NULL;
    }
}
