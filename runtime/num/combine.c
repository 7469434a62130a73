/* combine.c: atomic combination of elements; see num/combine.h. */
#include "num/combine.h"

#include "num/half.h"
#include "num/lanes.h"

/* ---- float types: by their bits ------------------------------------------ */

static inline uint32_t
add_f32(uint32_t a, uint32_t b)
{
    return float_bits_canonical(float_of_bits(a) + float_of_bits(b));
}

/* A sum of two numbers of 11 or 8 bits, rounded to the 24 of a float first, is still
 * rounded once. */
static inline uint16_t
add_f16_infinite(uint16_t a, uint16_t b)
{
    return half_from_float(half_to_float(a) + half_to_float(b));
}

static inline uint16_t
add_bf16_infinite(uint16_t a, uint16_t b)
{
    return bfloat_from_float(bfloat_to_float(a) + bfloat_to_float(b));
}

static inline uint16_t
add_f16(uint16_t a, uint16_t b)
{
    uint16_t h = add_f16_infinite(a, b);
    return (h & 0x7fffu) == 0x7c00u ? (uint16_t)(h - 1u) : h;
}

static inline uint16_t
add_bf16(uint16_t a, uint16_t b)
{
    uint16_t h = add_bf16_infinite(a, b);
    return (h & 0x7fffu) == 0x7f80u ? (uint16_t)(h - 1u) : h;
}

/* Returns an integer whose order is that of the numbers, with -0 below +0. */
static inline int32_t
rank_32(uint32_t bits)
{
    return (int32_t)(bits ^ (uint32_t)((int32_t)bits >> 31) >> 1);
}

static inline int32_t
rank_16(uint16_t bits)
{
    return rank_32((uint32_t)bits << 16);
}

#define IS_NAN_32(x) (((x) & 0x7fffffffu) > 0x7f800000u)
#define IS_NAN_16(x) (((x) & 0x7fffu) > 0x7c00u)
#define IS_NAN_B(x)  (((x) & 0x7fffu) > 0x7f80u)

/* Defines a function that returns the better of a and b, for a type with this NaN. */
#define EXTREME(name, T, rank, is_nan, nan, better)                                      \
    static inline T name(T a, T b)                                                       \
    {                                                                                    \
        T number = is_nan(a) ? b : is_nan(b) ? a : (rank(a) better rank(b) ? a : b);     \
        return (T)(is_nan(number) ? nan : number);                                       \
    }

EXTREME(max_f32, uint32_t, rank_32, IS_NAN_32, FLOAT_NAN, >)
EXTREME(min_f32, uint32_t, rank_32, IS_NAN_32, FLOAT_NAN, <)
EXTREME(max_f16, uint16_t, rank_16, IS_NAN_16, HALF_NAN, >)
EXTREME(min_f16, uint16_t, rank_16, IS_NAN_16, HALF_NAN, <)
EXTREME(max_bf16, uint16_t, rank_16, IS_NAN_B, BFLOAT_NAN, >)
EXTREME(min_bf16, uint16_t, rank_16, IS_NAN_B, BFLOAT_NAN, <)

/* ---- loops --------------------------------------------------------------- */

typedef void Loop(void *to, const void *from, int64_t n);

#define LOOP(name, T, value)                                                             \
    static void name(void *to, const void *from, int64_t n)                              \
    {                                                                                    \
        T *d = to;                                                                       \
        const T *s = from;                                                               \
        LANES_LOOP                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                \
            const T a = d[i], b = s[i];                                                  \
            d[i] = (T)(value);                                                           \
        }                                                                                \
    }

#define LOOPS(t, U, S)                                                                   \
    LOOP(add_##t##_all, U, a + b)                                                        \
    LOOP(max_##t##_all, S, a > b ? a : b)                                                \
    LOOP(min_##t##_all, S, a < b ? a : b)

#define FLOAT_LOOPS(t, U)                                                                \
    LOOP(add_##t##_all, U, add_##t(a, b))                                                \
    LOOP(max_##t##_all, U, max_##t(a, b))                                                \
    LOOP(min_##t##_all, U, min_##t(a, b))

LOOPS(s8, AnyU8, AnyS8)
LOOPS(s16, AnyU16, AnyS16)
LOOPS(s32, AnyU32, AnyS32)
FLOAT_LOOPS(f16, AnyU16)
FLOAT_LOOPS(bf16, AnyU16)
FLOAT_LOOPS(f32, AnyU32)
LOOP(add_f16_keep_all, AnyU16, add_f16_infinite(a, b))
LOOP(add_bf16_keep_all, AnyU16, add_bf16_infinite(a, b))

#define ROW(t, keep) {add_##t##_all, max_##t##_all, min_##t##_all, add_##keep##_all}

static Loop *const loops[NUM_TYPES][NUM_COMBINES] = {
    [NUM_S8] = ROW(s8, s8),
    [NUM_S16] = ROW(s16, s16),
    [NUM_S32] = ROW(s32, s32),
    [NUM_F16] = ROW(f16, f16_keep),
    [NUM_BF16] = ROW(bf16, bf16_keep),
    [NUM_F32] = ROW(f32, f32),
};

void
num_combine(NumType t, NumCombine op, void *to, const void *from, int64_t n)
{
    loops[t][op](to, from, n);
}
