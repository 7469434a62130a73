/* deq_lanes.c: a table of conversions out of L0C; num/deq.h describes their results,
 * num/lanes.h the levels for which it is compiled. */
#include "num/deq.h"
#include "num/lanes.h"

#if LANES_HERE
#include <string.h>

#include "num/half.h"

#define PART LANES_ATTR static inline

/* Returns the element after the shift. */
PART int32_t
shifted(int32_t a, int32_t n)
{
    int32_t v = a >> n;
    v = v < INT16_MIN ? INT16_MIN : v;
    return v > INT16_MAX ? INT16_MAX : v;
}

/* Returns the nearest integer, clamped to lo..255 with lo = -256 or 0. Rounding keeps the
 * order of numbers, so clamping first gives the same. */
PART int32_t
rounded(float p, float lo)
{
    const float whole = 0x1.8p23f; /* floats from here on are integers */
    float c = p == p ? p : 0.0f;
    c = c > lo ? c : lo;
    c = c < 255.0f ? c : 255.0f;
    return (int32_t)((c + whole) - whole);
}

PART int32_t
clamped(int32_t v, int32_t lo, int32_t hi)
{
    v = v < lo ? lo : v;
    return v > hi ? hi : v;
}

/* Saturates before rounding. Numbers between the largest one and the limit of infinity
 * would round down in any case. */
PART float
limited(float p, float limit, bool keep)
{
    float c = (keep | (p == p)) ? p : 0.0f;
    c = c > limit ? limit : c;
    return c < -limit ? -limit : c;
}

/* Returns p, the product of an element, or 0 where the gate or relu cuts it off. */
PART float
gated(bool off, float p)
{
    return off ? 0.0f : p;
}

/* A copy of the parameters that are the same for all elements, so that the compiler knows
 * that storing results does not change them. */
typedef struct Fixed {
    float lo, half_most, bfloat_most;
    bool relu, gate, keep;
} Fixed;

PART Fixed
fixed_of(const NumDeq *d)
{
    return (Fixed){.lo = d->relu ? 0.0f : -256.0f,
                   .half_most = d->keep ? float_of_bits(0x7f800000u) : 65504.0f,
                   .bfloat_most = float_of_bits(d->keep ? 0x7f800000u : 0x7f7f0000u),
                   .relu = d->relu,
                   .gate = d->gate,
                   .keep = d->keep};
}

PART float
rectified(float p, const Fixed *c)
{
    float r = p > 0.0f ? p : 0.0f;
    r = (c->keep & (p != p)) ? p : r;
    return c->relu ? r : p;
}

/* Defines a loop that writes n results in groups of 16 elements, one for each channel.
 * value is an expression of the element a, the channel k and the parameters c, m, shift
 * and offset. */
#define DEQ(name, S, D, value)                                                           \
    LANES_ATTR static void name(void *dst, const void *src, int64_t n, const NumDeq *q)  \
    {                                                                                    \
        const Fixed c = fixed_of(q);                                                     \
        float m[DEQ_CHANNELS];                                                           \
        int32_t shift[DEQ_CHANNELS], offset[DEQ_CHANNELS];                               \
        memcpy(m, q->m, sizeof m);                                                       \
        memcpy(shift, q->n, sizeof shift);                                               \
        memcpy(offset, q->offset, sizeof offset);                                        \
        const S *p = src;                                                                \
        D *d = dst;                                                                      \
        (void)c, (void)m, (void)shift, (void)offset;                                     \
        for (int64_t i = 0; i < n; i += DEQ_CHANNELS) {                                  \
            int64_t len = n - i < DEQ_CHANNELS ? n - i : DEQ_CHANNELS;                   \
            LANES_LOOP                                                                   \
            for (int64_t k = 0; k < len; k++) {                                          \
                const S a = p[i + k];                                                    \
                d[i + k] = (D)(value);                                                   \
            }                                                                            \
        }                                                                                \
    }

#define PRODUCT       gated(c.gate &(a < 0), (float)a *m[k])
#define PRODUCT_SHIFT gated(c.gate &(a < 0), (float)shifted(a, shift[k]) * m[k])
#define TO_S8(p)      clamped(rounded(p, c.lo) + offset[k], -128, 127)
#define TO_U8(p)      clamped(rounded(p, c.lo) + offset[k], 0, 255)
#define TO_F16(p)     half_from_float(limited(rectified(p, &c), c.half_most, c.keep))
#define TO_BF16(p)    bfloat_from_float(limited(rectified(p, &c), c.bfloat_most, c.keep))

DEQ(s32_s8, AnyS32, AnyS8, TO_S8(PRODUCT))
DEQ(s32_s8_shift, AnyS32, AnyS8, TO_S8(PRODUCT_SHIFT))
DEQ(s32_u8, AnyS32, AnyU8, TO_U8(PRODUCT))
DEQ(s32_u8_shift, AnyS32, AnyU8, TO_U8(PRODUCT_SHIFT))
DEQ(s32_s16, AnyS32, AnyS16, (c.relu & (a < 0)) ? 0 : shifted(a, shift[k]))

/* Makes a number of the bits of a float32. */
#define FLOAT(a)      float_of_bits(a)
#define FLOAT_PRODUCT gated(c.gate &(FLOAT(a) < 0.0f), FLOAT(a) * m[k])
DEQ(f32_s8, AnyU32, AnyS8, TO_S8(FLOAT_PRODUCT))
DEQ(f32_u8, AnyU32, AnyU8, TO_U8(FLOAT_PRODUCT))
DEQ(f32_f16, AnyU32, AnyU16, TO_F16(FLOAT(a)))
DEQ(f32_bf16, AnyU32, AnyU16, TO_BF16(FLOAT(a)))
DEQ(f16_f32, AnyU16, AnyU32, float_bits_canonical(half_to_float(a)))

/* Products are made in float32, in pieces, which are then converted to float16. */
DEQ(s32_product, AnyS32, float, PRODUCT)
DEQ(s32_product_shift, AnyS32, float, PRODUCT_SHIFT)
DEQ(f16_product, AnyU16, float, half_to_float(a) * m[k])

PART void
by_pieces(NumDeqLanes *product, int size, void *dst, const void *src, int64_t n,
          const NumDeq *q)
{
    enum {
        PIECE = 512
    };
    float p[PIECE];
    for (int64_t i = 0; i < n; i += PIECE) {
        int64_t len = n - i < PIECE ? n - i : PIECE;
        product(p, (const uint8_t *)src + i * size, len, q);
        f32_f16((uint8_t *)dst + 2 * i, p, len, q);
    }
}

#define BY_PIECES(name, product, size)                                                   \
    LANES_ATTR static void name(void *dst, const void *src, int64_t n, const NumDeq *q)  \
    {                                                                                    \
        by_pieces(product, size, dst, src, n, q);                                        \
    }

BY_PIECES(s32_f16, s32_product, 4)
BY_PIECES(s32_f16_shift, s32_product_shift, 4)
BY_PIECES(f16_f16, f16_product, 2)

/* True if the number with these bits is positive and no NaN. */
#define POSITIVE(a, inf) ((a) != 0 && (a) <= (inf))
#define IS_NAN(a, inf)   (((a) & ((inf) | ((inf) - 1))) > (inf))
#define RELU_BITS(a, inf, nan)                                                           \
    (POSITIVE(a, inf) ? (a) : (c.keep & IS_NAN(a, inf)) ? (nan) : 0u)
DEQ(relu_f16, AnyU16, AnyU16, RELU_BITS(a, 0x7c00u, HALF_NAN))
DEQ(relu_f32, AnyU32, AnyU32, RELU_BITS(a, 0x7f800000u, FLOAT_NAN))
DEQ(relu_s32, AnyS32, AnyS32, a < 0 ? 0 : a)

LANES_ATTR static void
copy16(void *dst, const void *src, int64_t n, const NumDeq *q)
{
    (void)q;
    memcpy(dst, src, (size_t)n * 2);
}

LANES_ATTR static void
copy32(void *dst, const void *src, int64_t n, const NumDeq *q)
{
    (void)q;
    memcpy(dst, src, (size_t)n * 4);
}

const NumDeqTable LANES_NAME(num_deq) = {
    .fn =
        {
            [DEQ_S8] = s32_s8,
            [DEQ_S8_SHIFT] = s32_s8_shift,
            [DEQ_U8] = s32_u8,
            [DEQ_U8_SHIFT] = s32_u8_shift,
            [DEQ_F32_S8] = f32_s8,
            [DEQ_F32_U8] = f32_u8,
            [DEQ_S16] = s32_s16,
            [DEQ_F16] = s32_f16,
            [DEQ_F16_SHIFT] = s32_f16_shift,
            [DEQ_F16_F16] = f16_f16,
            [DEQ_F32_F16] = f32_f16,
            [DEQ_F32_BF16] = f32_bf16,
            [DEQ_WIDEN] = f16_f32,
            [DEQ_RELU_F16] = relu_f16,
            [DEQ_RELU_F32] = relu_f32,
            [DEQ_RELU_S32] = relu_s32,
            [DEQ_COPY16] = copy16,
            [DEQ_COPY32] = copy32,
        },
};

#else
const NumDeqTable LANES_NAME(num_deq) = {0};
#endif
