/* lmem_conv.c: convolution on tensors in LMEM lanes, for compiled kernels. The weight is
 * read where pack_conv and one move have put it: each output channel in its lane, after
 * the words of requantisation and the bias.
 *
 * Depthwise convolutions are computed here, a row of results at a time: for every kernel
 * position the elements of an input row are multiplied with one weight. Others are blocks
 * of products (ops/lmem_tile.c). Float sums are taken in the order of input channels,
 * rows and columns of the kernel. */
#include "ops/lmem_conv.h"
#include "isa/operand.h"

#include <string.h>

#include "num/lanes.h"

enum {
    PIECE = 256 /* results of a row at a time */
};

static int32_t
word(const uint8_t *p)
{
    int32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

void
ops_conv_columns(const ConvCall *c, int64_t kw, int64_t *from, int64_t *to)
{
    int64_t at = kw * c->k.dilation[1] - c->k.pad[1]; /* input column of result 0 */
    int64_t step = c->k.stride[1], width = c->x.shape[LMEM_W];
    *from = at >= 0 ? 0 : step == 1 ? -at : div_ceil(-at, step);
    *to = at >= width ? 0 : step == 1 ? width - at : div_ceil(width - at, step);
}

/* Finds the results [*lo, *hi) of the row whose input column is in the image. */
static void
inside(const ConvCall *c, const Row *row, int64_t kw, int64_t *lo, int64_t *hi)
{
    int64_t from, to;
    ops_conv_columns(c, kw, &from, &to);
    *lo = from > row->first ? from - row->first : 0;
    *hi = to - row->first < row->count ? to - row->first : row->count;
}

int64_t
ops_conv_weight(const ConvCall *c, int64_t ic, int64_t position)
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
    }
MULTIPLY(add_s8, uint32_t, AnyS8)
MULTIPLY(add_u8, uint32_t, AnyU8)
MULTIPLY(add_f32, float, AnyF32)

static void
accumulate(const ConvCall *c, Sum *sums, const uint8_t *at, int64_t lo, int64_t n,
           const uint8_t *w)
{
    int64_t step = c->k.stride[1] * c->x.step[LMEM_W];
    bool dense = step == dtype_size(c->in);
    uint32_t v = (uint32_t)(int32_t)(int8_t)*w;
    if (c->in == DT_F32) {
        float f;
        memcpy(&f, w, sizeof f);
        dense ? c->dot->row_f32(&sums[lo].f, at, f, n)
              : add_f32(&sums[lo].f, at, step, f, n);
    } else if (c->in == DT_S8) {
        dense ? c->dot->row_s8(&sums[lo].u, (const int8_t *)at, v, n)
              : add_s8(&sums[lo].u, at, step, v, n);
    } else {
        dense ? c->dot->row_u8(&sums[lo].u, at, v, n)
              : add_u8(&sums[lo].u, at, step, v, n);
    }
}

/* Elements outside of the image are zero, and zero times a weight of NaN or infinity is
 * NaN. */
static void
add_zeros(const ConvCall *c, const Row *row, Sum *sums, int64_t lo, int64_t hi,
          const uint8_t *weight)
{
    float w;
    if (c->in != DT_F32) {
        return;
    }
    memcpy(&w, weight, sizeof w);
    for (int64_t i = 0; w - w != 0 && i < row->count; i++) {
        sums[i].f = i >= lo && i < hi ? sums[i].f : w - w;
    }
}

/* Adds the products of all positions of the kernel. */
static void
add_channel(const ConvCall *c, const Row *row, Sum *sums)
{
    int size = dtype_size(c->in);
    const uint8_t *channel = ops_channel(&c->x, row->n, row->oc);
    const uint8_t *weights =
        row->lane + c->k.weight_offset + row->slot * c->k.weight_pitch;
    for (int64_t i = 0; i < c->k.kernel[0] * c->k.kernel[1]; i++, weights += size) {
        int64_t kh = i / c->k.kernel[1], kw = i % c->k.kernel[1], lo, hi;
        int64_t h = row->oh * c->k.stride[0] + kh * c->k.dilation[0] - c->k.pad[0];
        inside(c, row, kw, &lo, &hi);
        if (h < 0 || h >= c->x.shape[LMEM_H] || hi < lo) {
            hi = lo;
        }
        int64_t w =
            (row->first + lo) * c->k.stride[1] + kw * c->k.dilation[1] - c->k.pad[1];
        if (lo < hi) {
            accumulate(c, sums, channel + h * c->x.step[LMEM_H] + w * c->x.step[LMEM_W],
                       lo, hi - lo, weights);
        }
        add_zeros(c, row, sums, lo, hi, weights);
    }
}

/* Three words have a number each. If there are two, the second has the shift in its low
 * byte and the zero point above it. */
static LaneRequant
requant_of(const uint8_t *p, int64_t words)
{
    int32_t second = word(p + 4);
    if (words == 3) {
        return (LaneRequant){word(p), -(int64_t)second, word(p + 8)};
    }
    return (LaneRequant){word(p), -(int64_t)(int8_t)(second & 0xff), second >> 16};
}

/* Returns v * multiplier shifted to the right, rounded half up, plus the zero point,
 * clamped to the output type. A product has at most 62 bits; shifted further it is 0, or
 * 1 if a shift by 63 rounds 2^62 up. */
static void
store_bytes(const ConvCall *c, const LaneRequant *q, int32_t bias, const Sum *sums,
            int64_t n, uint8_t *to)
{
    int64_t lo = c->out == DT_U8 ? 0 : -128, hi = lo + 255, step = c->d.step[LMEM_W];
    bool far = q->shift > 62;
    int shift = far || q->shift < 0 ? 0 : (int)q->shift;
    int64_t half = shift > 0 ? (int64_t)1 << (shift - 1) : 0;
    for (int64_t i = 0; i < n; i++) {
        int32_t v = (int32_t)(sums[i].u + (uint32_t)bias);
        int64_t product = v * q->multiplier;
        product = far ? q->shift == 63 && product == (int64_t)1 << 62
                      : (product + half) >> shift;
        product += q->zero;
        product = product < lo ? lo : product;
        to[i * step] = (uint8_t)(product > hi ? hi : product);
    }
}

static void
store_words(const ConvCall *c, int32_t bias, const Sum *sums, int64_t n, uint8_t *to)
{
    for (int64_t i = 0; i < n; i++, to += c->d.step[LMEM_W]) {
        uint32_t v = sums[i].u + (uint32_t)bias;
        if (c->out == DT_F32) {
            v = sums[i].f == sums[i].f ? sums[i].u : 0x7fc00000u;
        }
        memcpy(to, &v, sizeof v);
    }
}

void
ops_conv_store(const ConvCall *c, const Row *row, const Sum *sums)
{
    const uint8_t *words = row->lane + row->slot * c->k.requant_pitch;
    uint8_t *to = ops_channel(&c->d, row->n, row->oc) + row->oh * c->d.step[LMEM_H] +
                  row->first * c->d.step[LMEM_W];
    int32_t bias =
        c->k.bias_offset >= 0 ? word(row->lane + c->k.bias_offset + 4 * row->slot) : 0;
    if (c->k.requant_words > 0) {
        LaneRequant q = requant_of(words, c->k.requant_words);
        store_bytes(c, &q, bias, sums, row->count, to);
    } else {
        store_words(c, bias, sums, row->count, to);
    }
}

static void
one_row(const ConvCall *c, Row *row)
{
    int64_t width = c->d.shape[LMEM_W];
    for (row->first = 0; row->first < width; row->first += PIECE) {
        Sum sums[PIECE];
        row->count = width - row->first < PIECE ? width - row->first : PIECE;
        memset(sums, 0, (size_t)row->count * sizeof *sums);
        add_channel(c, row, sums);
        ops_conv_store(c, row, sums);
    }
}

static void
by_rows(const ConvCall *c)
{
    for (int64_t n = 0; n < c->d.shape[LMEM_N]; n++) {
        for (int64_t oc = 0; oc < c->d.shape[LMEM_C]; oc++) {
            Row row = ops_conv_row(c, n, oc);
            for (row.oh = 0; row.oh < c->d.shape[LMEM_H]; row.oh++) {
                one_row(c, &row);
            }
        }
    }
}

bool
ops_lmem_conv(OpCall *call)
{
    ConvCall c = {.d = ops_lanes(call, 0), .x = ops_lanes(call, 1)};
    c.k = lane_conv_numbers(&call->in);
    c.in = call->in.args[LCONV_src].t.dtype;
    c.out = call->in.args[LCONV_dst].t.dtype;
    c.weight = call->at[LCONV_weight];
    c.pitch = call->lmem_pitch;
    c.dot = num_dot();
    if (c.k.depthwise) {
        by_rows(&c);
    } else {
        ops_conv_tiles(&c);
    }
    return true;
}
