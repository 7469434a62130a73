/* variant.c: lane functions for kernels that chose other readings of uncertain points
 * (isa/choice.h): float16 arithmetic that saturates, integers that saturate, products and
 * sums with one rounding. They are written for clearness, since hardly any kernel chooses
 * them.
 *
 * With saturating float16, after every rounding infinity becomes 65504 of its sign and
 * NaN becomes 0. Operations that pass an operand on (max, min, relu, abs) do not change
 * it. */
#include "emu/lanes.h"

#include <limits.h>
#include <math.h>

#include "num/half.h"
#include "num/fn.h"
#include "num/lanes.h"

#define FN(name)                                                                         \
    static void name(uint8_t *dst, const uint8_t *src0, const uint8_t *src1,             \
                     int64_t scalar, int64_t n)

/* Defines two functions. value is an expression of a, b and c, the old element of dst. In
 * name_vv b is of the second source, in name_vs it is the scalar. */
#define VECTOR(name, T, value)                                                           \
    FN(name##_vv)                                                                        \
    {                                                                                    \
        T *d = (T *)dst;                                                                 \
        const T *x = (const T *)src0, *y = (const T *)src1;                              \
        (void)scalar;                                                                    \
        for (int64_t i = 0; i < n; i++) {                                                \
            const T a = x[i], b = y[i], c = d[i];                                        \
            (void)c;                                                                     \
            d[i] = (T)(value);                                                           \
        }                                                                                \
    }
#define SCALAR(name, T, value)                                                           \
    FN(name##_vs)                                                                        \
    {                                                                                    \
        T *d = (T *)dst;                                                                 \
        const T *x = (const T *)src0;                                                    \
        const T b = (T)scalar;                                                           \
        (void)src1;                                                                      \
        (void)b;                                                                         \
        for (int64_t i = 0; i < n; i++) {                                                \
            const T a = x[i], c = d[i];                                                  \
            (void)c;                                                                     \
            d[i] = (T)(value);                                                           \
        }                                                                                \
    }
#define LANES(name, T, value)                                                            \
    VECTOR(name, T, value)                                                               \
    SCALAR(name, T, value)

typedef struct Pair {
    LaneFn *vector, *scalar; /* with two sources; with one and a scalar */
} Pair;

#define PAIR(name) ((Pair){name##_vv, name##_vs})

/* ---- float16 ------------------------------------------------------------- */

static uint16_t
sat(float x)
{
    return half_finite(half_from_float(x));
}

static float
f(uint16_t h)
{
    return half_to_float(h);
}

static uint16_t
positive(uint16_t h)
{
    return (h & 0x7fffu) > 0x7c00u ? HALF_NAN : h & 0x8000u ? 0 : h;
}

static uint16_t
fused(uint16_t a, uint16_t b, uint16_t c)
{
    return half_from_double(half_sum_odd((double)f(a) * f(b), f(c)));
}

LANES(sat_add, AnyU16, sat(f(a) + f(b)))
LANES(sat_sub, AnyU16, sat(f(a) - f(b)))
LANES(sat_mul, AnyU16, sat(f(a) * f(b)))
LANES(sat_div, AnyU16, sat(f(a) / f(b)))
VECTOR(sat_addrelu, AnyU16, positive(sat(f(a) + f(b))))
VECTOR(sat_subrelu, AnyU16, positive(sat(f(a) - f(b))))
SCALAR(sat_lrelu, AnyU16, f(a) >= 0 ? a : sat(f(a) * f(b)))
LANES(sat_mla, AnyU16, sat(f(sat(f(a) * f(b))) + f(c)))
LANES(sat_madd, AnyU16, sat(f(sat(f(a) * f(c))) + f(b)))
LANES(sat_maddrelu, AnyU16, positive(sat(f(sat(f(a) * f(c))) + f(b))))
LANES(fused_mla, AnyU16, fused(a, b, c))
LANES(fused_madd, AnyU16, fused(a, c, b))
LANES(fused_maddrelu, AnyU16, positive(fused(a, c, b)))
LANES(both_mla, AnyU16, half_finite(fused(a, b, c)))
LANES(both_madd, AnyU16, half_finite(fused(a, c, b)))
LANES(both_maddrelu, AnyU16, positive(half_finite(fused(a, c, b))))

#define FUNCTION(name, fn)                                                               \
    FN(name)                                                                             \
    {                                                                                    \
        AnyU16 *d = (AnyU16 *)dst;                                                       \
        (void)src1;                                                                      \
        (void)scalar;                                                                    \
        num_fn(NUM_##fn, NUM_F16)(dst, src0, n);                                         \
        for (int64_t i = 0; i < n; i++) {                                                \
            d[i] = half_finite(d[i]);                                                    \
        }                                                                                \
    }

FUNCTION(sat_exp, EXP)
FUNCTION(sat_expm1, EXPM1)
FUNCTION(sat_ln, LN)
FUNCTION(sat_sqrt, SQRT)
FUNCTION(sat_rec, REC)
FUNCTION(sat_rsqrt, RSQRT)

static Pair
saturating(Sem sem, bool once)
{
    static const Pair pairs[SEM_COUNT] = {
        [SEM_ADD] = {sat_add_vv, sat_add_vs},   [SEM_SUB] = {sat_sub_vv, sat_sub_vs},
        [SEM_MUL] = {sat_mul_vv, sat_mul_vs},   [SEM_DIV] = {sat_div_vv, sat_div_vs},
        [SEM_ADDRELU] = {sat_addrelu_vv, NULL}, [SEM_SUBRELU] = {sat_subrelu_vv, NULL},
        [SEM_LRELU] = {NULL, sat_lrelu_vs},     [SEM_EXP] = {sat_exp, NULL},
        [SEM_EXPM1] = {sat_expm1, NULL},        [SEM_LN] = {sat_ln, NULL},
        [SEM_SQRT] = {sat_sqrt, NULL},          [SEM_REC] = {sat_rec, NULL},
        [SEM_RSQRT] = {sat_rsqrt, NULL}};
    switch (sem) {
    case SEM_MLA:
        return once ? PAIR(both_mla) : PAIR(sat_mla);
    case SEM_MADD:
        return once ? PAIR(both_madd) : PAIR(sat_madd);
    case SEM_MADDRELU:
        return once ? PAIR(both_maddrelu) : PAIR(sat_maddrelu);
    default:
        return pairs[sem];
    }
}

/* ---- one rounding -------------------------------------------------------- */

static uint32_t
single(uint32_t a, uint32_t b, uint32_t c)
{
    return float_bits_canonical(
        fmaf(float_of_bits(a), float_of_bits(b), float_of_bits(c)));
}

static uint32_t
positive32(uint32_t u)
{
    return (u & 0x7fffffffu) > 0x7f800000u ? FLOAT_NAN : u & 0x80000000u ? 0 : u;
}

LANES(single_mla, AnyU32, single(a, b, c))
LANES(single_madd, AnyU32, single(a, c, b))
LANES(single_maddrelu, AnyU32, positive32(single(a, c, b)))

static Pair
once_rounded(Sem sem, Dtype t)
{
    switch (sem) {
    case SEM_MLA:
        return t == DT_F16 ? PAIR(fused_mla) : PAIR(single_mla);
    case SEM_MADD:
        return t == DT_F16 ? PAIR(fused_madd) : PAIR(single_madd);
    case SEM_MADDRELU:
        return t == DT_F16 ? PAIR(fused_maddrelu) : PAIR(single_maddrelu);
    default:
        return (Pair){NULL, NULL};
    }
}

/* ---- integers ------------------------------------------------------------ */

/* This gives no warning for unsigned types. */
#define IS_NEGATIVE(a) ((a) < 1 && (a) != 0)

#define INTEGERS(t, T, lo, hi)                                                           \
    static T clamped_add_##t(T a, T b)                                                   \
    {                                                                                    \
        T r;                                                                             \
        return __builtin_add_overflow(a, b, &r) ? (IS_NEGATIVE(a) ? lo : hi) : r;        \
    }                                                                                    \
    static T clamped_sub_##t(T a, T b)                                                   \
    {                                                                                    \
        T r;                                                                             \
        return __builtin_sub_overflow(a, b, &r) ? (a < b ? lo : hi) : r;                 \
    }                                                                                    \
    static T clamped_mul_##t(T a, T b)                                                   \
    {                                                                                    \
        T r;                                                                             \
        return __builtin_mul_overflow(a, b, &r)                                          \
                   ? (IS_NEGATIVE(a) != IS_NEGATIVE(b) ? lo : hi)                        \
                   : r;                                                                  \
    }                                                                                    \
    typedef T Any_##t LANES_ANY;                                                         \
    LANES(add_##t, Any_##t, clamped_add_##t(a, b))                                       \
    LANES(sub_##t, Any_##t, clamped_sub_##t(a, b))                                       \
    LANES(mul_##t, Any_##t, clamped_mul_##t(a, b))                                       \
    LANES(addrelu_##t, Any_##t, clamped_add_##t(a, b) > 0 ? clamped_add_##t(a, b) : 0)   \
    LANES(subrelu_##t, Any_##t, clamped_sub_##t(a, b) > 0 ? clamped_sub_##t(a, b) : 0)   \
    SCALAR(abs_##t, Any_##t, a == lo ? hi : a < 1 ? -a : a)                              \
    static Pair clamped_##t(Sem sem)                                                     \
    {                                                                                    \
        switch (sem) {                                                                   \
        case SEM_ADD:                                                                    \
            return PAIR(add_##t);                                                        \
        case SEM_SUB:                                                                    \
            return PAIR(sub_##t);                                                        \
        case SEM_MUL:                                                                    \
            return PAIR(mul_##t);                                                        \
        case SEM_ADDRELU:                                                                \
            return PAIR(addrelu_##t);                                                    \
        case SEM_SUBRELU:                                                                \
            return PAIR(subrelu_##t);                                                    \
        case SEM_ABS:                                                                    \
            return (Pair){abs_##t##_vs, NULL};                                           \
        default:                                                                         \
            return (Pair){NULL, NULL};                                                   \
        }                                                                                \
    }

INTEGERS(s8, int8_t, INT8_MIN, INT8_MAX)
INTEGERS(s16, int16_t, INT16_MIN, INT16_MAX)
INTEGERS(s32, int32_t, INT32_MIN, INT32_MAX)
INTEGERS(s64, int64_t, INT64_MIN, INT64_MAX)
INTEGERS(u8, uint8_t, 0, UINT8_MAX)
INTEGERS(u16, uint16_t, 0, UINT16_MAX)
INTEGERS(u32, uint32_t, 0, UINT32_MAX)
INTEGERS(u64, uint64_t, 0, UINT64_MAX)

static Pair
clamped(Sem sem, Dtype t)
{
    switch (t) {
    case DT_S8:
        return clamped_s8(sem);
    case DT_S16:
        return clamped_s16(sem);
    case DT_S32:
        return clamped_s32(sem);
    case DT_S64:
        return clamped_s64(sem);
    case DT_U8:
        return clamped_u8(sem);
    case DT_U16:
        return clamped_u16(sem);
    case DT_U32:
        return clamped_u32(sem);
    case DT_U64:
        return clamped_u64(sem);
    default:
        return (Pair){NULL, NULL};
    }
}

/* ---- the choice ---------------------------------------------------------- */

/* ---- fast functions ------------------------------------------------------ */

#define FAST(name, fn)                                                                   \
    FN(name)                                                                             \
    {                                                                                    \
        (void)src1;                                                                      \
        (void)scalar;                                                                    \
        num_fn_fast(NUM_##fn, NUM_F32)(dst, src0, n);                                    \
    }

FAST(fast_exp, EXP)
FAST(fast_ln, LN)
FAST(fast_rsqrt, RSQRT)

static LaneFn *
fast_function(Sem sem)
{
    return sem == SEM_EXP     ? fast_exp
           : sem == SEM_LN    ? fast_ln
           : sem == SEM_RSQRT ? fast_rsqrt
                              : NULL;
}

LaneFn *
emu_lane_reading(const Choices *c, Sem sem, Dtype t, bool scalar)
{
    bool once = chosen(c, CHOICE_FUSED_ROUNDING) == CHOSE_FUSED_ROUNDING_ONCE;
    bool half = chosen(c, CHOICE_FLOAT16_OVERFLOW) == CHOSE_FLOAT16_OVERFLOW_SATURATE;
    bool whole = chosen(c, CHOICE_INTEGER_OVERFLOW) == CHOSE_INTEGER_OVERFLOW_SATURATE;
    bool fast = chosen(c, CHOICE_APPROXIMATE) == CHOSE_APPROXIMATE_FAST;
    Pair p = {NULL, NULL};
    if (fast && t == DT_F32 && fast_function(sem) != NULL) {
        return fast_function(sem);
    }
    if (t == DT_F16 && half) {
        p = saturating(sem, once);
    } else if (once && (t == DT_F16 || t == DT_F32)) {
        p = once_rounded(sem, t);
    } else if (whole) {
        p = clamped(sem, t);
    }
    return scalar ? p.scalar : p.vector;
}
