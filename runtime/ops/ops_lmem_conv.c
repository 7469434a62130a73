/* ops_lmem_conv.c: convolution on tensors in lanes, for compiled kernels. The weight is read where pack_conv and one
 * move have put it: channel by channel of the output in its lane, behind the words of requantisation and the bias.
 *
 * A row of results is computed at a time: for every input channel and kernel position the elements of an input row
 * are multiplied with one weight. Float sums are taken in the order of input channels, rows and columns of the kernel. */
#include "isa/lmem_conv.h"
#include "ops/ops_lmem.h"

#include <string.h>

#include "num/num_lanes.h"

enum {
    PIECE = 256 /* results of a row at a time */
};

typedef struct Conv {
    OpLanes d, x;
    LaneConv k;
    Dtype in, out;
    const uint8_t *weight; /* lane 0 */
    int64_t pitch;         /* from lane to lane */
    int64_t slots;
} Conv;

/* What is constant about a row of results. */
typedef struct Row {
    int64_t n, oc, oh;
    int64_t first, count; /* results of the row that are computed now */
    const uint8_t *lane;  /* of the output channel */
    int64_t slot;
} Row;

static int32_t
word(const uint8_t *p)
{
    int32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* Results whose input column lies in the image: [*lo, *hi) of the row's. */
static void
inside(const Conv *c, const Row *row, int64_t kw, int64_t *lo, int64_t *hi)
{
    int64_t at = kw * c->k.dilation[1] - c->k.pad[1]; /* column of result 0 */
    int64_t step = c->k.stride[1], width = c->x.shape[LMEM_W];
    int64_t from = at >= 0 ? 0 : lmem_ceil(-at, step);
    int64_t to = at >= width ? 0 : lmem_ceil(width - at, step);
    *lo = from > row->first ? from - row->first : 0;
    *hi = to - row->first < row->count ? to - row->first : row->count;
}

/* Where a weight of the output channel stands, elements of its slot. */
static int64_t
weight_at(const Conv *c, int64_t ic, int64_t position)
{
    int64_t p = c->k.parallel, points = c->k.kernel[0] * c->k.kernel[1];
    return c->k.depthwise ? position : (ic / p * points + position) * p + ic % p;
}

#define MULTIPLY(name, Acc, In)                                                          \
    static void name(Acc *sum, const uint8_t *x, int64_t step, Acc w, int64_t n)         \
    {                                                                                    \
        for (int64_t i = 0; i < n; i++) {                                                \
            sum[i] += (Acc)(*(const In *)(const void *)(x + i * step)) * w;              \
        }                                                                                \
    }                                                                                    \
    static void name##_dense(Acc *sum, const uint8_t *x, Acc w, int64_t n)               \
    {                                                                                    \
        const In *p = (const In *)(const void *)x;                                       \
        LANES_LOOP                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                \
            sum[i] += (Acc)p[i] * w;                                                     \
        }                                                                                \
    }
typedef float AnyF32 LANES_ANY;
MULTIPLY(add_s8, uint32_t, AnyS8)
MULTIPLY(add_u8, uint32_t, AnyU8)
MULTIPLY(add_f32, float, AnyF32)

typedef union Sums {
    uint32_t u[PIECE]; /* int32 that wraps */
    float f[PIECE];
} Sums;

static void
accumulate(const Conv *c, Sums *sums, const uint8_t *at, int64_t lo, int64_t n,
           const uint8_t *w)
{
    int64_t step = c->k.stride[1] * c->x.step[LMEM_W];
    if (c->in == DT_F32) {
        float f;
        memcpy(&f, w, sizeof f);
        if (step == 4) {
            add_f32_dense(sums->f + lo, at, f, n);
        } else {
            add_f32(sums->f + lo, at, step, f, n);
        }
    } else if (c->in == DT_S8) {
        uint32_t v = (uint32_t)(int32_t)(int8_t)*w;
        if (step == 1) {
            add_s8_dense(sums->u + lo, at, v, n);
        } else {
            add_s8(sums->u + lo, at, step, v, n);
        }
    } else {
        uint32_t v = (uint32_t)(int32_t)(int8_t)*w;
        if (step == 1) {
            add_u8_dense(sums->u + lo, at, v, n);
        } else {
            add_u8(sums->u + lo, at, step, v, n);
        }
    }
}

/* Of one input channel all positions of the kernel. */
static void
add_channel(const Conv *c, const Row *row, int64_t ic, Sums *sums)
{
    int size = dtype_size(c->in);
    const uint8_t *channel = ops_channel(&c->x, row->n, c->k.depthwise ? row->oc : ic);
    const uint8_t *weights =
        row->lane + c->k.weight_offset + row->slot * c->k.weight_pitch;
    for (int64_t kh = 0; kh < c->k.kernel[0]; kh++) {
        int64_t h = row->oh * c->k.stride[0] + kh * c->k.dilation[0] - c->k.pad[0];
        for (int64_t kw = 0; kw < c->k.kernel[1] && h >= 0 && h < c->x.shape[LMEM_H];
             kw++) {
            int64_t lo, hi;
            inside(c, row, kw, &lo, &hi);
            int64_t w =
                (row->first + lo) * c->k.stride[1] + kw * c->k.dilation[1] - c->k.pad[1];
            if (lo < hi) {
                int64_t at = weight_at(c, ic, kh * c->k.kernel[1] + kw);
                accumulate(c, sums,
                           channel + h * c->x.step[LMEM_H] + w * c->x.step[LMEM_W], lo,
                           hi - lo, weights + at * size);
            }
        }
    }
}

/* Three words have a number each; of two the second has the shift in its low byte and the zero point above. */
static LaneRequant
requant_of(const uint8_t *p, int64_t words)
{
    int32_t second = word(p + 4);
    if (words == 3) {
        return (LaneRequant){word(p), -(int64_t)second, word(p + 8)};
    }
    return (LaneRequant){word(p), -(int64_t)(int8_t)(second & 0xff), second >> 16};
}

/* (v * multiplier) shifted to the right, half up, plus the zero point, in the range of the output. */
static int64_t
requantised(int32_t v, const LaneRequant *q, Dtype out)
{
    int64_t product = (int64_t)v * q->multiplier;
    int64_t lo = out == DT_U8 ? 0 : -128, hi = out == DT_U8 ? 255 : 127;
    if (q->shift > 62) { /* at most 2^62, which a shift by 63 rounds up */
        product = q->shift == 63 && product == (int64_t)1 << 62;
    } else if (q->shift > 0) {
        product = (product + ((int64_t)1 << (q->shift - 1))) >> q->shift;
    }
    product += q->zero;
    return product < lo ? lo : product > hi ? hi : product;
}

static void
store_row(const Conv *c, const Row *row, const Sums *sums)
{
    LaneRequant q = {0, 0, 0};
    const uint8_t *words = row->lane + row->slot * c->k.requant_pitch;
    uint8_t *to = ops_channel(&c->d, row->n, row->oc) + row->oh * c->d.step[LMEM_H] +
                  row->first * c->d.step[LMEM_W];
    int32_t bias =
        c->k.bias_offset >= 0 ? word(row->lane + c->k.bias_offset + 4 * row->slot) : 0;
    if (c->k.requant_words > 0) {
        q = requant_of(words, c->k.requant_words);
    }
    for (int64_t i = 0; i < row->count; i++, to += c->d.step[LMEM_W]) {
        int32_t v = (int32_t)(sums->u[i] + (uint32_t)bias);
        if (c->out == DT_F32) {
            uint32_t bits = sums->f[i] == sums->f[i] ? sums->u[i] : 0x7fc00000u;
            memcpy(to, &bits, sizeof bits);
        } else if (c->k.requant_words > 0) {
            *to = (uint8_t)requantised(v, &q, c->out);
        } else {
            memcpy(to, &v, sizeof v);
        }
    }
}

static void
one_row(const Conv *c, Row *row)
{
    int64_t channels = c->k.depthwise ? 1 : c->x.shape[LMEM_C];
    int64_t width = c->d.shape[LMEM_W];
    for (row->first = 0; row->first < width; row->first += PIECE) {
        Sums sums;
        row->count = width - row->first < PIECE ? width - row->first : PIECE;
        memset(&sums, 0, sizeof sums);
        for (int64_t ic = 0; ic < channels; ic++) {
            add_channel(c, row, ic, &sums);
        }
        store_row(c, row, &sums);
    }
}

bool
ops_lane_conv(OpCall *call)
{
    Conv c = {.d = ops_lanes(call, 0), .x = ops_lanes(call, 1)};
    c.k = lane_conv_numbers(&call->in);
    c.in = call->in.args[1].t.dtype;
    c.out = call->in.args[0].t.dtype;
    c.weight = call->at[2];
    c.pitch = call->lane_bytes;
    for (int64_t n = 0; n < c.d.shape[LMEM_N]; n++) {
        for (int64_t oc = 0; oc < c.d.shape[LMEM_C]; oc++) {
            Row row = {.n = n, .oc = oc, .slot = oc / c.d.npu};
            row.lane = c.weight + oc % c.d.npu * c.pitch;
            for (row.oh = 0; row.oh < c.d.shape[LMEM_H]; row.oh++) {
                one_row(&c, &row);
            }
        }
    }
    return true;
}
