/* lmem_conv.c: convolution on tensors in LMEM lanes, by panels. The weight is read in
 * place, in the lane of its output channel (docs/lmem.md). Float sums are taken in the
 * order of input channels, rows and columns of the kernel, each product and each sum
 * rounded. */
#include "emu/lmem_conv.h"
#include "rules/lmem_conv.h"

#include <string.h>

static int64_t
number(EmuRun *r, const EmuOp *op, int slot)
{
    return emu_slot_attr(r->p, op, slot);
}

static void
read_numbers(EmuRun *r, const EmuOp *op, Conv *c)
{
    for (int i = 0; i < 2; i++) {
        c->kernel[i] = number(r, op, LCONV_kernel_h + i);
        c->stride[i] = number(r, op, LCONV_stride_h + i);
        c->pad[i] = number(r, op, LCONV_pad_h + i);
        c->dilation[i] = number(r, op, LCONV_dilation_h + i);
    }
    c->parallel = number(r, op, LCONV_parallel);
    c->depthwise = number(r, op, LCONV_depthwise) != 0;
    c->words = number(r, op, LCONV_requant_words);
    c->word_pitch = number(r, op, LCONV_requant_pitch);
    c->bias_at = number(r, op, LCONV_bias_offset);
    c->weight_at = number(r, op, LCONV_weight_offset);
    c->weight_pitch = number(r, op, LCONV_weight_pitch);
}

int64_t
emu_conv_weight(const Conv *c, int64_t ic, int64_t kh, int64_t kw)
{
    int64_t position = kh * c->kernel[1] + kw;
    if (c->depthwise) {
        return position;
    }
    int64_t group = ic / c->parallel, in_group = ic - group * c->parallel;
    return (group * c->kernel[0] * c->kernel[1] + position) * c->parallel + in_group;
}

static int64_t
limited(int64_t v, Dtype t)
{
    int64_t lo = t == DT_U8 ? 0 : -128;
    return v < lo ? lo : v > lo + 255 ? lo + 255 : v;
}

/* How the numbers of a channel become 8 bits: they are multiplied, divided by a power of
 * two, rounded to nearest with ties up, and the zero point is added. */
typedef struct Requant {
    int64_t multiplier, shift, zero;
} Requant;

static Requant
requant_of(const Conv *c, int64_t oc)
{
    int32_t w[3] = {0, 0, 0};
    memcpy(w, emu_conv_lane(c, oc, 0, c->word_pitch), 4 * (size_t)c->words);
    Requant q = {w[0], -(int64_t)w[1], w[2]};
    if (c->words == 2) {
        q.shift = -(int64_t)(int8_t)(w[1] & 255);
        q.zero = (int16_t)(uint16_t)((uint32_t)w[1] >> 16);
    }
    return q;
}

static int64_t
requantise(const Requant *q, int32_t v, Dtype t)
{
    int64_t product = v * q->multiplier; /* at most 2^62 in magnitude */
    if (q->shift >= 63) {
        product = q->shift == 63 && product == (int64_t)1 << 62; /* a tie, rounded up */
    } else if (q->shift > 0) {
        product = (product + ((int64_t)1 << (q->shift - 1))) >> q->shift;
    }
    return limited(product + q->zero, t);
}

static void
put_floats(uint8_t *to, int64_t step, const float *sums, int64_t n)
{
    const uint32_t nan = 0x7fc00000u;
    for (int64_t i = 0; i < n; i++, to += step) {
        memcpy(to, sums[i] != sums[i] ? (const void *)&nan : (const void *)&sums[i],
               sizeof nan);
    }
}

static void
put_integers(const Conv *c, int64_t oc, uint8_t *to, int64_t step, const int32_t *sums,
             int64_t n)
{
    uint32_t bias = 0;
    Requant q = {0, 0, 0};
    if (c->bias_at >= 0) {
        memcpy(&bias, emu_conv_lane(c, oc, c->bias_at, 4), sizeof bias);
    }
    if (c->words > 0) {
        q = requant_of(c, oc);
    }
    for (int64_t i = 0; i < n; i++, to += step) {
        int32_t v = (int32_t)((uint32_t)sums[i] + bias);
        if (c->words > 0) {
            *to = (uint8_t)requantise(&q, v, c->d.dtype);
        } else {
            memcpy(to, &v, sizeof v);
        }
    }
}

void
emu_conv_put(const Conv *c, const int64_t at[LMEM_AXES], const int32_t *sums,
             const float *floats, int64_t n)
{
    int half;
    uint8_t *to = emu_tensor_at(&c->d, at, &half);
    int64_t step = c->d.x.stride[LMEM_W] * dtype_size(c->d.dtype);
    if (c->d.dtype == DT_F32) {
        put_floats(to, step, floats, n);
    } else {
        put_integers(c, at[LMEM_C], to, step, sums, n);
    }
}

/* Returns the bytes of a lane that belong to the weight. Its numbers were checked when
 * the program was made. */
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

/* Returns whether an operand begins where it must in its LMEM lanes. */
static bool
aligned(EmuRun *r, const EmuOp *op, const Conv *c, int slot, const uint8_t *at)
{
    const EmuProgram *p = r->p;
    const LaneConvOperands o = {c->x.dtype, c->depthwise, c->words > 0, c->bias_at >= 0};
    int64_t byte = (at - (p->scratch + p->scope_at[SC_LMEM])) % p->lmem_pitch;
    Fault fault;
    return lane_conv_aligned(p->kernel.soc->lmem, slot, &o, byte, &fault) ||
           emu_record(r, op, &fault);
}

bool
emu_exec_lmem_conv(EmuRun *r, const EmuOp *op)
{
    Conv c;
    if (!emu_tensor_open(r, op, 0, 0, &c.d) || !emu_tensor_open(r, op, 1, 0, &c.x)) {
        return false;
    }
    read_numbers(r, op, &c);
    c.weight = emu_operand(r, op, LCONV_weight, table_end(&c));
    if (c.weight == NULL) {
        return emu_refuse(r, op);
    }
    if (!aligned(r, op, &c, LCONV_dst, c.d.at) ||
        !aligned(r, op, &c, LCONV_src, c.x.at) ||
        !aligned(r, op, &c, LCONV_weight, c.weight)) {
        return false;
    }
    emu_watch_banks(r, op);
    emu_watch_read(r, op, LCONV_src, &c.x);
    emu_watch_table(r, op, LCONV_weight, c.weight, table_end(&c),
                    c.d.x.shape[LMEM_C] < c.d.npu ? c.d.x.shape[LMEM_C] : c.d.npu);
    emu_conv_panels(&c);
    emu_watch_write(r, &c.d);
    return true;
}
