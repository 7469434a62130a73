/* slice_lanes.c: loops over elements of slices (ops/slice.h), compiled for each level
 * (num/lanes.h). */
#include "ops/slice.h"
#include "num/lanes.h"

#if LANES_HERE
#include "num/half.h"

#define SLICE_FN(name)                                                                   \
    LANES_ATTR static void name(void *dst, const void *a, const void *b, const void *on, \
                                int64_t n)

/* Defines a loop. value is an expression of x and y, the elements of a and b. */
#define LOOP(name, To, T, value)                                                         \
    SLICE_FN(name)                                                                       \
    {                                                                                    \
        To *d = dst;                                                                     \
        const T *p = a, *q = b;                                                          \
        (void)on;                                                                        \
        LANES_LOOP                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                \
            const T x = p[i], y = q[i];                                                  \
            d[i] = (To)(value);                                                          \
        }                                                                                \
    }

#define LOOP1(name, To, T, value)                                                        \
    SLICE_FN(name)                                                                       \
    {                                                                                    \
        To *d = dst;                                                                     \
        const T *p = a;                                                                  \
        (void)b;                                                                         \
        (void)on;                                                                        \
        LANES_LOOP                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                \
            const T x = p[i];                                                            \
            d[i] = (To)(value);                                                          \
        }                                                                                \
    }

/* ---- integers ------------------------------------------------------------ */

#define INTEGER(S, U, s, w)                                                              \
    LOOP(max_##s##w, S, S, x < y ? y : x)                                                \
    LOOP(min_##s##w, S, S, x > y ? y : x)
#define WIDTH(w, U, S)                                                                   \
    LOOP(add_##w, U, U, x + y)                                                           \
    LOOP(sub_##w, U, U, x - y)                                                           \
    LOOP(mul_##w, U, U, 1u * x * y)                                                      \
    LOOP(and_##w, U, U, x &y)                                                            \
    LOOP(or_##w, U, U, x | y)                                                            \
    LOOP1(not_##w, U, U, ~x)                                                             \
    LOOP1(abs_##w, U, S, x < 0 ? 0u - (U)x : (U)x)                                       \
    LOOP1(relu_##w, S, S, x < 0 ? 0 : x)                                                 \
    INTEGER(S, U, s, w)                                                                  \
    INTEGER(U, U, u, w)

WIDTH(8, AnyU8, AnyS8)
WIDTH(16, AnyU16, AnyS16)
WIDTH(32, AnyU32, AnyS32)

/* ---- floats -------------------------------------------------------------- */

/* F(u) makes a number of a pattern, r(v) the pattern of a result. */

#define IS_NAN(f) ((f) != (f))
#define FLOATS(t, U, f, r, nan, inf, top)                                                \
    LOOP(add_##t, U, U, r(f(x) + f(y)))                                                  \
    LOOP(sub_##t, U, U, r(f(x) - f(y)))                                                  \
    LOOP(mul_##t, U, U, r(f(x) * f(y)))                                                  \
    LOOP(div_##t, U, U, r(f(x) / f(y)))                                                  \
    LOOP(max_##t, U, U, IS_NAN(f(x)) || IS_NAN(f(y)) ? nan : f(x) < f(y) ? y : x)        \
    LOOP(min_##t, U, U, IS_NAN(f(x)) || IS_NAN(f(y)) ? nan : f(x) > f(y) ? y : x)        \
    LOOP1(abs_##t, U, U, x &(top - 1u))                                                  \
    LOOP1(relu_##t, U, U, (x & (top - 1u)) > inf ? nan : x & top ? 0u : x)               \
    LOOP(lt_##t, uint8_t, U, f(x) < f(y))                                                \
    LOOP(le_##t, uint8_t, U, f(x) <= f(y))                                               \
    LOOP(gt_##t, uint8_t, U, f(x) > f(y))                                                \
    LOOP(ge_##t, uint8_t, U, f(x) >= f(y))                                               \
    LOOP(eq_##t, uint8_t, U, f(x) == f(y))                                               \
    LOOP(ne_##t, uint8_t, U, f(x) != f(y))                                               \
    LOOP1(keys_##t, int32_t, U,                                                          \
          (x & (top - 1u)) > inf ? INT32_MIN                                             \
          : x & top              ? -(int32_t)(x & (top - 1u))                            \
                                 : (int32_t)x)                                                        \
    SLICE_FN(halve_##t)                                                                  \
    {                                                                                    \
        U *d = dst;                                                                      \
        const U *p = a;                                                                  \
        (void)b;                                                                         \
        (void)on;                                                                        \
        LANES_LOOP                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                \
            d[i] = (U)r(f(p[2 * i]) + f(p[2 * i + 1]));                                  \
        }                                                                                \
    }

FLOATS(f16, AnyU16, half_to_float, half_from_float, HALF_NAN, 0x7c00u, 0x8000u)
FLOATS(f32, AnyU32, float_of_bits, float_bits_canonical, FLOAT_NAN, 0x7f800000u,
       0x80000000u)

#define BF(x)   bfloat_to_float(x)
#define BFLOATS bfloat_from_float
LOOP(add_bf16, AnyU16, AnyU16, BFLOATS(BF(x) + BF(y)))
LOOP(sub_bf16, AnyU16, AnyU16, BFLOATS(BF(x) - BF(y)))
LOOP(mul_bf16, AnyU16, AnyU16, BFLOATS(BF(x) * BF(y)))
LOOP(max_bf16, AnyU16, AnyU16,
     IS_NAN(BF(x)) || IS_NAN(BF(y)) ? BFLOAT_NAN
     : BF(x) < BF(y)                ? y
                                    : x)
LOOP(min_bf16, AnyU16, AnyU16,
     IS_NAN(BF(x)) || IS_NAN(BF(y)) ? BFLOAT_NAN
     : BF(x) > BF(y)                ? y
                                    : x)

LOOP1(keys_s16, int32_t, AnyS16, x)

LANES_ATTR static int32_t
largest_key(const int32_t *keys, int64_t n)
{
    int32_t best = INT32_MIN;
    for (int64_t i = 0; i < n; i++) {
        best = keys[i] > best ? keys[i] : best;
    }
    return best;
}

#define SELECT(w, T)                                                                     \
    SLICE_FN(select_##w)                                                                 \
    {                                                                                    \
        T *d = dst;                                                                      \
        const T *p = a, *q = b;                                                          \
        const uint8_t *m = on;                                                           \
        LANES_LOOP                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                \
            const T x = p[i], y = q[i];                                                  \
            d[i] = m[i] != 0 ? x : y;                                                    \
        }                                                                                \
    }
SELECT(16, AnyU16)
SELECT(32, AnyU32)

/* ---- the table ----------------------------------------------------------- */

#define BITS(op)                                                                         \
    {[DT_S8] = op##_8,   [DT_U8] = op##_8,   [DT_S16] = op##_16,                         \
     [DT_U16] = op##_16, [DT_S32] = op##_32, [DT_U32] = op##_32}
#define BITS_AND_FLOATS(op)                                                              \
    {[DT_S8] = op##_8,    [DT_U8] = op##_8,    [DT_S16] = op##_16,                       \
     [DT_U16] = op##_16,  [DT_S32] = op##_32,  [DT_U32] = op##_32,                       \
     [DT_F16] = op##_f16, [DT_F32] = op##_f32, [DT_BF16] = op##_bf16}
#define ORDER(op)                                                                        \
    {[DT_S8] = op##_s8,   [DT_U8] = op##_u8,   [DT_S16] = op##_s16,                      \
     [DT_U16] = op##_u16, [DT_S32] = op##_s32, [DT_U32] = op##_u32,                      \
     [DT_F16] = op##_f16, [DT_F32] = op##_f32, [DT_BF16] = op##_bf16}
#define SIGNED(op)                                                                       \
    {[DT_S8] = op##_8,                                                                   \
     [DT_S16] = op##_16,                                                                 \
     [DT_S32] = op##_32,                                                                 \
     [DT_F16] = op##_f16,                                                                \
     [DT_F32] = op##_f32}
#define ONLY_FLOATS(op) {[DT_F16] = op##_f16, [DT_F32] = op##_f32}

const SliceTable LANES_NAME(ops_slice) = {
    .fn = {[SEM_ADD] = BITS_AND_FLOATS(add),
           [SEM_SUB] = BITS_AND_FLOATS(sub),
           [SEM_MUL] = BITS_AND_FLOATS(mul),
           [SEM_DIV] = ONLY_FLOATS(div),
           [SEM_MAX] = ORDER(max),
           [SEM_MIN] = ORDER(min),
           [SEM_AND] = BITS(and),
           [SEM_OR] = BITS(or),
           [SEM_NOT] = BITS(not),
           [SEM_ABS] = SIGNED(abs),
           [SEM_RELU] = SIGNED(relu)},
    .cmp = {[SLICE_LT] = ONLY_FLOATS(lt),
            [SLICE_LE] = ONLY_FLOATS(le),
            [SLICE_GT] = ONLY_FLOATS(gt),
            [SLICE_GE] = ONLY_FLOATS(ge),
            [SLICE_EQ] = ONLY_FLOATS(eq),
            [SLICE_NE] = ONLY_FLOATS(ne)},
    .select = {[2] = select_16, [4] = select_32},
    .halve = ONLY_FLOATS(halve),
    .keys = {[DT_F16] = keys_f16, [DT_F32] = keys_f32, [DT_S16] = keys_s16},
    .largest = largest_key,
};

#else
const SliceTable LANES_NAME(ops_slice) = {0};
#endif
