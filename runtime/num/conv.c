/* conv.c: the choice of a conversion, and rounding modes as data. See num/conv.h. */
#include "num/conv.h"

#include <stddef.h>

#include "num/half.h"

/* When the part of a magnitude that is cut off adds one to the part that is kept. */
typedef enum Step {
    NEVER,
    BEYOND_HALF,
    FROM_HALF,
    ALWAYS, /* unless the cut part is 0 */
} Step;

/* [negative][last kept bit is odd] */
static const Step steps[NUM_ROUNDS][2][2] = {
    [NUM_NEAREST] = {{BEYOND_HALF, FROM_HALF}, {BEYOND_HALF, FROM_HALF}},
    [NUM_FLOOR] = {{NEVER, NEVER}, {ALWAYS, ALWAYS}},
    [NUM_CEIL] = {{ALWAYS, ALWAYS}, {NEVER, NEVER}},
    [NUM_AWAY] = {{FROM_HALF, FROM_HALF}, {FROM_HALF, FROM_HALF}},
    [NUM_TO_ZERO] = {{NEVER, NEVER}, {NEVER, NEVER}},
    [NUM_ODD] = {{ALWAYS, NEVER}, {ALWAYS, NEVER}},
    [NUM_OUTWARD] = {{ALWAYS, ALWAYS}, {ALWAYS, ALWAYS}},
};

/* The smallest fraction that rounds up, by step. */
static const float limits[] = {2.0f, 0x1.000002p-1f, 0.5f, 0x1p-149f};

/* Returns what is added to a magnitude before `cut` bits are cut, so that it carries into
 * the kept part. */
static uint32_t
bias_of(Step step, int cut)
{
    uint32_t half = 1u << (cut - 1);
    switch (step) {
    case NEVER:
        return 0;
    case BEYOND_HALF:
        return half - 1;
    case FROM_HALF:
        return half;
    case ALWAYS:
        return 2 * half - 1;
    }
    return 0;
}

/* Returns the bits that the mantissa of a float32, or of the double that holds an
 * integer, loses. */
static int
cut_bits(NumType dst)
{
    return dst == NUM_F16 ? 13 : dst == NUM_BF16 ? 16 : 29;
}

static NumStep
step_of(const NumConv *c)
{
    NumStep s = {.round = c->round};
    for (int negative = 0; negative < 2; negative++) {
        for (int odd = 0; odd < 2; odd++) {
            Step step = steps[c->round][negative][odd];
            s.limit[negative][odd] = limits[step];
            s.bias[negative][odd] = bias_of(step, cut_bits(c->dst));
        }
    }
    uint16_t inf = c->dst == NUM_BF16 ? 0x7f80 : 0x7c00;
    uint16_t nan = c->dst == NUM_BF16 ? BFLOAT_NAN : HALF_NAN;
    s.over = c->keep ? inf : inf - 1;
    s.nan = c->keep ? nan : 0;
    return s;
}

static const NumConvTable *
table_of(NumLevel level)
{
    switch (level) {
    case NUM_LEVEL_AVX2:
        return &num_conv_avx2;
    case NUM_LEVEL_AVX512:
        return &num_conv_avx512;
    default:
        return &num_conv_base;
    }
}

static bool
is_float(NumType t)
{
    return t == NUM_F16 || t == NUM_BF16 || t == NUM_F32;
}

bool
num_conv_exists(const NumConv *c)
{
    const NumConvPair *p = &num_conv_base.pair[c->src][c->dst];
    if (c->round == NUM_NEAREST) {
        return p->nearest || p->mode;
    }
    return p->mode && (c->round != NUM_ODD || is_float(c->dst));
}

void
num_conv_at(NumLevel level, const NumConv *c, void *dst, const void *src, int64_t n)
{
    const NumConvPair *p = &table_of(level)->pair[c->src][c->dst];
    NumStep s = step_of(c);
    NumConvLanes *f = c->round == NUM_NEAREST && p->nearest ? p->nearest : p->mode;
    if (c->keep && p->keep) {
        f = p->keep;
    }
    f(dst, src, n, &s);
}

void
num_conv(const NumConv *c, void *dst, const void *src, int64_t n)
{
    num_conv_at(num_level(), c, dst, src, n);
}

void
num_conv_scaled_at(NumLevel level, void *dst, const void *src, uint16_t scale, int64_t n)
{
    table_of(level)->scaled(dst, src, half_to_float(scale), n);
}

void
num_conv_packed_at(NumLevel level, void *dst, const void *src, const uint64_t *pack,
                   int packs, int64_t n)
{
    float m[16];
    int16_t offset[16];
    for (int i = 0; i < 16; i++) {
        uint64_t u = pack[packs == 16 ? i : 0];
        int field = (int)(u >> 37 & 0x1ff);
        m[i] = float_of_bits((uint32_t)u & ~0x1fffu);
        offset[i] = (int16_t)(field < 256 ? field : field - 512);
    }
    bool sign = pack[0] >> 46 & 1;
    table_of(level)->packed(dst, src, m, offset, sign, n);
}

/* Elements are so small that their product with a float16 is exact in double. */
static void
scaled_twice(void *dst, const void *src, float scale, int64_t n)
{
    const AnyS32 *p = src;
    AnyU16 *d = dst;
    for (int64_t i = 0; i < n; i++) {
        uint16_t h = half_from_float((float)((double)p[i] * scale));
        h = (h & 0x7fffu) == 0x7c00u ? (uint16_t)(h - 1) : h;
        d[i] = h == HALF_NAN ? 0 : h;
    }
}

void
num_conv_scaled(void *dst, const void *src, uint16_t scale, bool twice, int64_t n)
{
    if (twice) {
        scaled_twice(dst, src, half_to_float(scale), n);
        return;
    }
    num_conv_scaled_at(num_level(), dst, src, scale, n);
}

void
num_conv_packed(void *dst, const void *src, const uint64_t *pack, int packs, int64_t n)
{
    num_conv_packed_at(num_level(), dst, src, pack, packs, n);
}
