/* int.c: shifts and the integer square root. See num/int.h. Relies on the arithmetic
 * right shift of negative numbers that gcc and clang define. */
#include "num/int.h"

#include <stddef.h>

#include "num/lanes.h"

/* Defines a shift. value is an expression of a, the element, and count, in the type W,
 * which is wide enough for every count. */
#define SHIFT(name, T, W, value)                                                         \
    static void name(void *dst, const void *src, int count, int64_t n)                   \
    {                                                                                    \
        const T *p = src;                                                                \
        T *d = dst;                                                                      \
        LANES_LOOP                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                \
            const W a = p[i];                                                            \
            d[i] = (T)(value);                                                           \
        }                                                                                \
    }

/* The sign bit of a with the other bits of a << count. */
#define KEEP_SIGN(sign) (((uint64_t)a & (sign)) | ((uint64_t)a << count & ((sign) - 1)))
/* Half of the last place is added before bits are cut. */
#define ROUNDED ((a + (INT64_C(1) << count >> 1)) >> count)

SHIFT(shl_u16, AnyU16, uint64_t, a << count)
SHIFT(shl_u32, AnyU32, uint64_t, a << count)
SHIFT(shl_s16, AnyS16, int64_t, KEEP_SIGN(UINT64_C(0x8000)))
SHIFT(shl_s32, AnyS32, int64_t, KEEP_SIGN(UINT64_C(0x80000000)))
SHIFT(shr_u16, AnyU16, uint64_t, a >> count)
SHIFT(shr_u32, AnyU32, uint64_t, a >> count)
SHIFT(shr_s16, AnyS16, int64_t, a >> count)
SHIFT(shr_s32, AnyS32, int64_t, a >> count)
SHIFT(shr_rounded_s16, AnyS16, int64_t, ROUNDED)
SHIFT(shr_rounded_s32, AnyS32, int64_t, ROUNDED)

NumShiftLanes *
num_shift(NumShift op, NumType t)
{
    static NumShiftLanes *const table[NUM_SHIFTS][NUM_TYPES] = {
        [NUM_SHL] = {[NUM_U16] = shl_u16,
                     [NUM_S16] = shl_s16,
                     [NUM_U32] = shl_u32,
                     [NUM_S32] = shl_s32},
        [NUM_SHL_ALL] = {[NUM_S16] = shl_u16, [NUM_S32] = shl_u32},
        [NUM_SHR] = {[NUM_U16] = shr_u16,
                     [NUM_S16] = shr_s16,
                     [NUM_U32] = shr_u32,
                     [NUM_S32] = shr_s32},
        [NUM_SHR_ROUNDED] = {[NUM_S16] = shr_rounded_s16, [NUM_S32] = shr_rounded_s32},
    };
    return table[op][t];
}

uint32_t
num_isqrt(uint64_t x)
{
    uint64_t root = 0;
    for (int bit = 31; bit >= 0; bit--) {
        uint64_t next = root | UINT64_C(1) << bit;
        root = next * next <= x ? next : root;
    }
    return (uint32_t)root;
}
