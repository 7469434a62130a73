/* deq.c: chooses a conversion out of L0C, and takes parameter words apart. */
#include "num/deq.h"

#include "num/half.h"

/* Returns the loop for the types and the scale; DEQ_KINDS when there is none. */
static NumDeqKind
kind_from_s32(const NumDeq *d)
{
    switch (d->dst) {
    case NUM_S8:
        return !d->scale ? DEQ_KINDS : d->shift ? DEQ_S8_SHIFT : DEQ_S8;
    case NUM_U8:
        return !d->scale ? DEQ_KINDS : d->shift ? DEQ_U8_SHIFT : DEQ_U8;
    case NUM_S16:
        return d->scale ? DEQ_KINDS : DEQ_S16;
    case NUM_F16:
        return !d->scale ? DEQ_KINDS : d->shift ? DEQ_F16_SHIFT : DEQ_F16;
    case NUM_S32:
        return d->scale ? DEQ_KINDS : d->relu ? DEQ_RELU_S32 : DEQ_COPY32;
    default:
        return DEQ_KINDS;
    }
}

static NumDeqKind
kind_from_f32(const NumDeq *d)
{
    switch (d->dst) {
    case NUM_S8:
        return d->scale ? DEQ_F32_S8 : DEQ_KINDS;
    case NUM_U8:
        return d->scale ? DEQ_F32_U8 : DEQ_KINDS;
    case NUM_F16:
        return d->scale ? DEQ_KINDS : DEQ_F32_F16;
    case NUM_BF16:
        return d->scale ? DEQ_KINDS : DEQ_F32_BF16;
    case NUM_F32:
        return d->scale ? DEQ_KINDS : d->relu ? DEQ_RELU_F32 : DEQ_COPY32;
    default:
        return DEQ_KINDS;
    }
}

static NumDeqKind
kind_of(const NumDeq *d)
{
    bool same = d->src == d->dst && !d->scale && !d->relu;
    switch (d->src) {
    case NUM_S32:
        return kind_from_s32(d);
    case NUM_F32:
        return kind_from_f32(d);
    case NUM_F16:
        return d->dst == NUM_F32 && !d->scale && !d->relu ? DEQ_WIDEN
               : d->dst != NUM_F16                        ? DEQ_KINDS
               : d->scale                                 ? DEQ_F16_F16
               : d->relu                                  ? DEQ_RELU_F16
                                                          : DEQ_COPY16;
    case NUM_U32:
        return same ? DEQ_COPY32 : DEQ_KINDS;
    case NUM_S16:
    case NUM_U16:
        return same ? DEQ_COPY16 : DEQ_KINDS;
    default:
        return DEQ_KINDS;
    }
}

bool
num_deq_exists(const NumDeq *d)
{
    return kind_of(d) != DEQ_KINDS;
}

static const NumDeqTable *
table_of(NumLevel level)
{
    switch (level) {
    case NUM_LEVEL_AVX2:
        return &num_deq_avx2;
    case NUM_LEVEL_AVX512:
        return &num_deq_avx512;
    default:
        return &num_deq_base;
    }
}

void
num_deq_at(NumLevel level, const NumDeq *d, void *dst, const void *src, int64_t n)
{
    table_of(level)->fn[kind_of(d)](dst, src, n, d);
}

void
num_deq(const NumDeq *d, void *dst, const void *src, int64_t n)
{
    if ((d->reading & DEQ_OF_ELEMENTS) && d->src == NUM_S32 &&
        (d->scale || d->dst == NUM_S16)) {
        num_deq_by_reading(d, dst, src, n);
        return;
    }
    num_deq_at(num_level(), d, dst, src, n);
}

bool
num_deq_pair(NumDeqPair *p, const NumDeq *left, const NumDeq *right, bool rectify)
{
    const NumDeqTable *t = table_of(num_level());
    bool bytes = left->dst == NUM_S8 || left->dst == NUM_U8;
    p->rows = t->pair_rows;
    if (p->rows == NULL || !bytes || right->dst != left->dst || right->src != left->src ||
        right->relu != left->relu ||
        ((left->reading | right->reading) & DEQ_OF_ELEMENTS) ||
        !t->pair_suits(left, right)) {
        return false;
    }
    t->pair_begin(p, left, right, rectify);
    return true;
}

bool
num_deq_half_rows(NumDeqPair *p, const NumDeq *d)
{
    p->rows = table_of(num_level())->half_rows;
    p->sign = !d->relu;
    p->lo = -65504.0f;
    return p->rows != NULL && d->src == NUM_F32 && d->dst == NUM_F16 && !d->scale &&
           !d->gate && !d->keep;
}

void
num_deq_words(NumDeq *d, const uint64_t *word, int count, bool exact)
{
    const uint32_t used = exact && !(d->reading & DEQ_CUT) ? 0xffffffffu : 0xffffe000u;
    const int32_t more = d->reading & DEQ_RAW_FIELD ? 0 : 1;
    const int32_t negative = d->reading & DEQ_UNSIGNED ? 512 : 256;
    for (int i = 0; i < DEQ_CHANNELS; i++) {
        uint64_t w = word[i % count];
        int32_t offset = (int32_t)(w >> 37 & 0x1ff);
        d->m[i] = float_of_bits((uint32_t)w & used);
        d->n[i] = (int32_t)(w >> 32 & 0xf) + more;
        d->offset[i] = offset < negative ? offset : offset - 512;
    }
    d->shift =
        word[0] >> 36 & 1 && !(d->dst == NUM_F16 && (d->reading & DEQ_NO_HALF_SHIFT));
}

void
num_deq_halves(NumDeq *d, const uint16_t *m, int count)
{
    for (int i = 0; i < DEQ_CHANNELS; i++) {
        d->m[i] = half_to_float(m[i % count]);
        d->n[i] = 1;
        d->offset[i] = 0;
    }
    d->shift = false;
}

static uint16_t
half_sum(uint16_t a, uint16_t b, bool keep)
{
    float sum = half_to_float(a) + half_to_float(b);
    uint16_t h = half_from_float(sum);
    uint16_t most = (h & 0x7fffu) == 0x7c00u ? (uint16_t)(h - 1u) : h;
    return keep ? h : sum == sum ? most : 0;
}

/* Defines an addition. With subtract the sign bit of the other operand is flipped. */
#define SUM(name, T, sign, value)                                                        \
    static void name(T *acc, const T *other, bool subtract, bool keep, int64_t n)        \
    {                                                                                    \
        const T flip = (T)(subtract ? (sign) : 0);                                       \
        (void)flip, (void)keep;                                                          \
        LANES_LOOP                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                \
            const T a = acc[i], b = other[i];                                            \
            acc[i] = (T)(value);                                                         \
        }                                                                                \
    }

SUM(sum_f32, AnyU32, 0x80000000u,
    float_bits_canonical(float_of_bits(a) + float_of_bits(b ^ flip)))
SUM(sum_f16, AnyU16, 0x8000u, half_sum(a, b ^ flip, keep))
SUM(sum_s16, AnyU16, 0, subtract ? a - b : a + b)
SUM(sum_s32, AnyU32, 0, subtract ? a - b : a + b)

void
num_deq_add(NumType t, bool subtract, bool keep, void *acc, const void *other, int64_t n)
{
    switch (t) {
    case NUM_F32:
        sum_f32(acc, other, subtract, keep, n);
        return;
    case NUM_F16:
        sum_f16(acc, other, subtract, keep, n);
        return;
    case NUM_S16:
        sum_s16(acc, other, subtract, keep, n);
        return;
    default:
        sum_s32(acc, other, subtract, keep, n);
        return;
    }
}
