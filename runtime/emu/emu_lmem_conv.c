/* emu_lmem_conv.c: convolution on tensors in lanes, one result after the other. The weight is read where it stands in
 * the lane of its output channel (docs/lmem.md). Float sums are taken in the order of input channels, rows and columns
 * of the kernel, each product and each sum rounded. */
#include "emu/emu_lmem.h"
#include "isa/lmem_conv.h"

#include <string.h>

typedef struct Conv {
    EmuTensor d, x;
    const uint8_t *weight; /* lane 0 */
    int64_t kernel[2], stride[2], pad[2], dilation[2];
    int64_t parallel, words, word_pitch, bias_at, weight_at, weight_pitch;
    bool depthwise;
} Conv;

static int64_t
number(EmuRun *r, const EmuOp *op, int slot)
{
    return emu_slot_attr(r->p, op, slot);
}

static void
read_numbers(EmuRun *r, const EmuOp *op, Conv *c)
{
    for (int i = 0; i < 2; i++) {
        c->kernel[i] = number(r, op, LC_KERNEL + i);
        c->stride[i] = number(r, op, LC_STRIDE + i);
        c->pad[i] = number(r, op, LC_PAD + i);
        c->dilation[i] = number(r, op, LC_DILATION + i);
    }
    c->parallel = number(r, op, LC_PARALLEL);
    c->depthwise = number(r, op, LC_DEPTHWISE) != 0;
    c->words = number(r, op, LC_WORDS);
    c->word_pitch = number(r, op, LC_WORD_PITCH);
    c->bias_at = number(r, op, LC_BIAS);
    c->weight_at = number(r, op, LC_WEIGHT);
    c->weight_pitch = number(r, op, LC_WEIGHT_PITCH);
}

/* The first byte of output channel oc in its lane, after what is in front of all of them. */
static const uint8_t *
in_lane(const Conv *c, int64_t oc, int64_t offset, int64_t pitch)
{
    return c->weight + oc % c->d.npu * c->d.lane_bytes + offset + oc / c->d.npu * pitch;
}

/* The element of the weight for an input channel and a kernel position, in its channel's bytes. */
static int64_t
weight_index(const Conv *c, int64_t ic, int64_t kh, int64_t kw)
{
    int64_t position = kh * c->kernel[1] + kw;
    if (c->depthwise) {
        return position;
    }
    int64_t group = ic / c->parallel, in_group = ic - group * c->parallel;
    return (group * c->kernel[0] * c->kernel[1] + position) * c->parallel + in_group;
}

typedef struct Sum {
    uint32_t i;
    float f;
} Sum;

static void
add_product(const Conv *c, const int64_t at[LMEM_AXES], const uint8_t *w, Sum *sum)
{
    int half;
    const uint8_t *p = emu_tensor_at(&c->x, at, &half);
    if (c->x.dtype == DT_F32) {
        float x, y;
        memcpy(&x, p, sizeof x);
        memcpy(&y, w, sizeof y);
        float product = x * y;
        sum->f = sum->f + product;
        return;
    }
    int32_t x = c->x.dtype == DT_U8 ? *p : (int8_t)*p;
    sum->i += (uint32_t)(x * (int8_t)*w);
}

static Sum
sum_of(const Conv *c, const int64_t at[LMEM_AXES])
{
    Sum sum = {0, 0.0f};
    int size = dtype_size(c->x.dtype);
    const uint8_t *w = in_lane(c, at[LMEM_C], c->weight_at, c->weight_pitch);
    int64_t channels = c->depthwise ? 1 : c->x.x.shape[LMEM_C];
    for (int64_t ic = 0; ic < channels; ic++) {
        for (int64_t kh = 0; kh < c->kernel[0]; kh++) {
            for (int64_t kw = 0; kw < c->kernel[1]; kw++) {
                int64_t from[LMEM_AXES] = {
                    at[LMEM_N], c->depthwise ? at[LMEM_C] : ic,
                    at[LMEM_H] * c->stride[0] + kh * c->dilation[0] - c->pad[0],
                    at[LMEM_W] * c->stride[1] + kw * c->dilation[1] - c->pad[1]};
                if (from[LMEM_H] >= 0 && from[LMEM_H] < c->x.x.shape[LMEM_H] &&
                    from[LMEM_W] >= 0 && from[LMEM_W] < c->x.x.shape[LMEM_W]) {
                    add_product(c, from, w + weight_index(c, ic, kh, kw) * size, &sum);
                }
            }
        }
    }
    return sum;
}

static int64_t
limited(int64_t v, Dtype t)
{
    int64_t lo = t == DT_U8 ? 0 : -128;
    return v < lo ? lo : v > lo + 255 ? lo + 255 : v;
}

/* A number in 8 bits: times the multiplier, divided by a power of two, to the nearest and up in the middle, plus the
 * zero point. */
static int64_t
requantise(const Conv *c, int64_t oc, int32_t v)
{
    int32_t w[3] = {0, 0, 0};
    memcpy(w, in_lane(c, oc, 0, c->word_pitch), 4 * (size_t)c->words);
    int64_t shift = -(int64_t)w[1], zero = w[2];
    if (c->words == 2) {
        shift = -(int64_t)(int8_t)(w[1] & 255);
        zero = (int16_t)(uint16_t)((uint32_t)w[1] >> 16);
    }
    __int128 product = (__int128)v * w[0];
    if (shift >= 64) {
        product = 0;
    } else if (shift > 0) {
        product = (product + ((__int128)1 << (shift - 1))) >> shift;
    }
    return limited((int64_t)product + zero, c->d.dtype);
}

static void
put_result(const Conv *c, const int64_t at[LMEM_AXES], Sum sum)
{
    int half;
    uint8_t *p = emu_tensor_at(&c->d, at, &half);
    if (c->d.dtype == DT_F32) {
        uint32_t nan = 0x7fc00000u;
        memcpy(p, sum.f != sum.f ? (void *)&nan : (void *)&sum.f, sizeof nan);
        return;
    }
    uint32_t bias = 0;
    if (c->bias_at >= 0) {
        memcpy(&bias, in_lane(c, at[LMEM_C], c->bias_at, 4), sizeof bias);
    }
    int32_t v = (int32_t)(sum.i + bias);
    if (c->words > 0) {
        *p = (uint8_t)requantise(c, at[LMEM_C], v);
    } else {
        memcpy(p, &v, sizeof v);
    }
}

/* Bytes of a lane that belong to the weight; that its numbers fit each other was checked when the program was made. */
static int64_t
table_end(const Conv *c)
{
    int64_t slots = (c->d.x.shape[LMEM_C] - 1) / c->d.npu + 1;
    int64_t end = c->weight_at + slots * c->weight_pitch;
    int64_t words = c->words > 0 ? (slots - 1) * c->word_pitch + 4 * c->words : 0;
    int64_t bias = c->bias_at >= 0 ? c->bias_at + 4 * slots : 0;
    end = words > end ? words : end;
    return bias > end ? bias : end;
}

bool
emu_exec_lane_conv(EmuRun *r, const EmuOp *op)
{
    Conv c;
    int64_t at[LMEM_AXES] = {0, 0, 0, 0};
    if (!emu_tensor_open(r, op, 0, 0, &c.d) || !emu_tensor_open(r, op, 1, 0, &c.x)) {
        return false;
    }
    read_numbers(r, op, &c);
    c.weight = emu_operand(r, op, LC_TABLE, table_end(&c));
    if (c.weight == NULL) {
        return emu_refuse(r, op);
    }
    emu_watch_banks(r, op);
    emu_watch_read(r, op, LC_SRC, &c.x);
    emu_watch_table(r, op, LC_TABLE, c.weight, table_end(&c),
                    c.d.x.shape[LMEM_C] < c.d.npu ? c.d.x.shape[LMEM_C] : c.d.npu);
    do {
        put_result(&c, at, sum_of(&c, at));
    } while (emu_tensor_next(c.d.x.shape, at));
    emu_watch_write(r, &c.d);
    return true;
}
