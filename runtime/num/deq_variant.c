/* deq_variant.c: conversions of int32 out of L0C for kernels with a reading that is not
 * the usual one (isa/choice.h). It takes one element after the other in double precision,
 * where products of floats are exact. */
#include "isa/choice.h"
#include "num/half.h"
#include "num/deq.h"

static double
narrowed(const NumDeq *d, int32_t a, int32_t n)
{
    int64_t v = (d->reading & DEQ_TO_ZERO) ? (int64_t)a / ((int64_t)1 << n) : a >> n;
    if (d->reading & DEQ_WRAPS) {
        uint16_t low = (uint16_t)(v & 0xffff);
        v = low < 0x8000 ? low : low - 0x10000;
    }
    return v < INT16_MIN ? INT16_MIN : v > INT16_MAX ? INT16_MAX : (double)v;
}

/* Replaces an infinity by an integer beyond all ranges that follow, and NaN by 0. */
static double
whole(const NumDeq *d, double p)
{
    const double most = 0x1p40, even = 0x1.8p52;
    double c = p != p ? 0 : p > most ? most : p < -most ? -most : p;
    if (d->reading & DEQ_AWAY) {
        int64_t up = (int64_t)((c < 0 ? -c : c) + 0.5);
        return (double)(c < 0 ? -up : up);
    }
    return (c + even) - even;
}

static double
clamped(double v, double lo, double hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

/* Converts to 8 bits. p is in float32, as everywhere; a sum with the offset is rounded to
 * float32 as well. */
static int32_t
eight(const NumDeq *d, float p, int32_t offset)
{
    bool late = d->reading & DEQ_RELU_LAST, s8 = d->dst == NUM_S8;
    double lo = d->relu && !late ? 0 : -256;
    double q = p != p ? 0 : p;
    bool sum_first = d->reading & DEQ_OFFSET_FIRST;
    q = sum_first ? q : whole(d, q);
    if (d->reading & DEQ_UNCLAMPED) {
        q = d->relu && !late && q < 0 ? 0 : q;
    } else {
        q = clamped(q, lo, 255);
    }
    q = sum_first ? whole(d, (float)(q + offset)) : q + offset;
    q = clamped(q, s8 ? -128 : 0, s8 ? 127 : 255);
    return (int32_t)(d->relu && late && q < 0 ? 0 : q);
}

static uint16_t
half_of(const NumDeq *d, float p)
{
    float r = d->relu && !(p > 0) && !(d->keep && p != p) ? 0.0f : p;
    uint16_t h = half_from_float(r);
    uint16_t most = (h & 0x7fffu) == 0x7c00u ? (uint16_t)(h - 1u) : h;
    return d->keep ? h : r == r ? most : 0;
}

void
num_deq_by_reading(const NumDeq *d, void *dst, const AnyS32 *src, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        int k = (int)(i % DEQ_CHANNELS);
        bool shift = d->shift || d->dst == NUM_S16;
        double v = shift ? narrowed(d, src[i], d->n[k]) : src[i];
        float p = (float)v * d->m[k];
        if (d->dst == NUM_S16) {
            ((AnyS16 *)dst)[i] = (int16_t)(d->relu && v < 0 ? 0 : v);
        } else if (d->dst == NUM_F16) {
            ((AnyU16 *)dst)[i] = half_of(d, p);
        } else {
            ((uint8_t *)dst)[i] = (uint8_t)eight(d, p, d->offset[k]);
        }
    }
}

void
num_deq_choose(NumDeq *d, const Choices *c)
{
    static const uint16_t shifts[] = {0, DEQ_TO_ZERO, DEQ_WRAPS};
    d->keep = chosen(c, CHOICE_ACC_OVERFLOW) == CHOSE_ACC_OVERFLOW_KEEP;
    d->reading =
        (uint16_t)(shifts[chosen(c, CHOICE_DEQ_SHIFT)] |
                   (chosen(c, CHOICE_DEQ_M19) == CHOSE_DEQ_M19_CUT ? DEQ_CUT : 0) |
                   (chosen(c, CHOICE_DEQ_FIELD) == CHOSE_DEQ_FIELD_RAW ? DEQ_RAW_FIELD
                                                                       : 0) |
                   (chosen(c, CHOICE_DEQ_OFFSET) == CHOSE_DEQ_OFFSET_UNSIGNED
                        ? DEQ_UNSIGNED
                        : 0) |
                   (chosen(c, CHOICE_DEQ_NINE_BITS) == CHOSE_DEQ_NINE_BITS_UNLIMITED
                        ? DEQ_UNCLAMPED
                        : 0) |
                   (chosen(c, CHOICE_DEQ_ADD) == CHOSE_DEQ_ADD_FIRST ? DEQ_OFFSET_FIRST
                                                                     : 0) |
                   (chosen(c, CHOICE_DEQ_TIES) == CHOSE_DEQ_TIES_AWAY ? DEQ_AWAY : 0) |
                   (chosen(c, CHOICE_DEQ_RELU) == CHOSE_DEQ_RELU_LAST ? DEQ_RELU_LAST
                                                                      : 0) |
                   (chosen(c, CHOICE_DEQ_HALF_SHIFT) == CHOSE_DEQ_HALF_SHIFT_IGNORED
                        ? DEQ_NO_HALF_SHIFT
                        : 0));
}
