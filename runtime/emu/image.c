/* image.c: load_image. Every element of the destination is computed by itself: its pixel
 * passes through the functions that are on. Addresses and numbers are checked before. */
#include "emu/emu.h"

#include <string.h>

#include "rules/image.h"
#include "num/half.h"

typedef struct Image {
    ImageNumbers n;
    ImageShape s;
    const uint8_t *plane0, *plane1, *sreg;
    ImageCsc csc;
} Image;

static bool
is_on(const Image *m, int function)
{
    return (m->n.v[IMAGE_function_switch] & function) == function;
}

static bool
swaps(const Image *m, int slot)
{
    return is_on(m, IMAGE_SWAP) && m->n.v[slot] != 0;
}

static uint16_t
register16(const Image *m, int at)
{
    return (uint16_t)(m->sreg[at] | m->sreg[at + 1] << 8);
}

/* ---- the source ---------------------------------------------------------- */

/* Reads the three colours of a pixel, with swaps done. */
static void
colours_of(const Image *m, int64_t x, int64_t y, int out[3])
{
    int64_t w = m->n.v[IMAGE_src_horizontal_size], at = y * w + x;
    int four[4] = {0, 0, 0, 0};
    if (m->n.v[IMAGE_input_format] == IMAGE_YUV420) {
        int64_t pair = (y >> 1) * w + (x >> 1) * 2;
        four[0] = m->plane0[at];
        four[1 + swaps(m, IMAGE_uv_swap)] = m->plane1[pair];
        four[2 - swaps(m, IMAGE_uv_swap)] = m->plane1[pair + 1];
    } else if (m->n.v[IMAGE_input_format] == IMAGE_YUV400) {
        four[0] = m->plane0[at];
    } else {
        int bytes = m->n.v[IMAGE_input_format] == IMAGE_XRGB ? 4 : 3;
        int red = bytes - 3, blue = bytes - 1;
        for (int i = 0; i < bytes; i++) {
            four[i] = m->plane0[at * bytes + i];
        }
        if (swaps(m, IMAGE_rb_swap)) {
            int r = four[red];
            four[red] = four[blue];
            four[blue] = r;
        }
        if (bytes == 4 && swaps(m, IMAGE_ax_swap)) {
            memmove(four, four + 1, 3 * sizeof four[0]);
        }
    }
    memcpy(out, four, 3 * sizeof out[0]);
}

/* Returns a colour after the matrix. */
static int
colour(const Image *m, int64_t x, int64_t y, int channel)
{
    int in[3];
    int64_t sum = 0;
    colours_of(m, x, y, in);
    if (!is_on(m, IMAGE_CSC)) {
        return in[channel];
    }
    for (int i = 0; i < 3; i++) {
        sum += (int64_t)m->csc.matrix[channel * 3 + i] * (in[i] - m->csc.in_bias[i]);
    }
    int64_t whole = sum >= 0 ? sum / 256 : -((255 - sum) / 256);
    int64_t v = whole + m->csc.out_bias[channel];
    return (int)(v < 0 ? 0 : v > 255 ? 255 : v);
}

/* ---- the type of the destination ----------------------------------------- */

static double
of_half(uint16_t h)
{
    return (double)half_to_float(h);
}

static uint16_t
half_of(double d)
{
    return d == d ? half_from_double(d) : HALF_NAN;
}

/* Returns x minus its mean, as a float16. */
static uint16_t
centred(const Image *m, int x, int channel)
{
    uint16_t mean = register16(m, IMAGE_R_MEAN + 2 * channel);
    return half_of(
        x - (m->n.v[IMAGE_dtc_mean_type] == 0 ? (double)(int16_t)mean : of_half(mean)));
}

/* Returns x minus its integer mean, which is exact, as an int8. */
static uint8_t
centred_byte(const Image *m, int x, int channel)
{
    uint16_t mean = register16(m, IMAGE_R_MEAN + 2 * channel);
    double d = m->n.v[IMAGE_dtc_mean_type] == 0 ? (double)(x - (int16_t)mean)
                                                : of_half(centred(m, x, channel));
    d = d != d ? 0 : d > 127 ? 127 : d < -128 ? -128 : __builtin_rint(d);
    return (uint8_t)(int8_t)d;
}

static uint16_t
element_of(const Image *m, int x, int channel)
{
    if (m->n.dst != DT_F16) {
        return is_on(m, IMAGE_DTC) ? centred_byte(m, x, channel) : (uint16_t)x;
    }
    if (!is_on(m, IMAGE_DTC)) {
        return half_of(x);
    }
    uint16_t low = register16(m, IMAGE_R_MIN + 2 * channel);
    uint16_t scale = register16(m, IMAGE_R_VAR + 2 * channel);
    uint16_t h = half_of(of_half(centred(m, x, channel)) - of_half(low));
    return half_of(of_half(h) * of_half(scale));
}

/* ---- the destination ----------------------------------------------------- */

/* Returns the place along an axis of n for place i of the padded axis; -1 for padding by
 * value. */
static int64_t
place(const Image *m, int64_t i, int64_t n, int64_t before, int64_t after)
{
    int64_t at = i - before;
    if (at >= 0 && at < n) {
        return at;
    }
    switch (m->n.v[IMAGE_area_pad_mode]) {
    case IMAGE_PAD_VALUE:
        return -1;
    case IMAGE_PAD_EDGE:
        return at < 0 ? 0 : n - 1;
    case IMAGE_PAD_BLOCK:
        return at < 0 ? i : at - after;
    default:
        return at < 0 ? before - 1 - i : n - 1 - (at - n);
    }
}

/* Returns element c of the pixel at column i and row k of the destination. */
static uint16_t
element_at(const Image *m, int64_t i, int64_t k, int c)
{
    int64_t x = place(m, i, m->s.w, m->s.left, m->s.right);
    int64_t y = place(m, k, m->s.h, m->s.top, m->s.bottom);
    if (c >= m->s.colours) {
        return is_on(m, IMAGE_CHANNEL_PAD) ? register16(m, IMAGE_R_CHANNEL) : 0;
    }
    return x < 0 || y < 0 ? register16(m, IMAGE_R_AREA + 2 * c)
                          : element_of(m, colour(m, m->s.x + x, m->s.y + y, c), c);
}

static void
fill(const Image *m, uint8_t *dst)
{
    int64_t wide = m->s.left + m->s.w + m->s.right;
    int64_t high = m->s.top + m->s.h + m->s.bottom;
    int size = dtype_size(m->n.dst);
    for (int64_t p = 0; p < wide * high; p++) {
        for (int c = 0; c < m->s.channels; c++, dst += size) {
            uint16_t v = element_at(m, p % wide, p / wide, c);
            memcpy(dst, &v, (size_t)size);
        }
    }
}

static ImageNumbers
numbers_of(const EmuRun *r, const EmuOp *op)
{
    ImageNumbers n = {.soc = r->p->kernel.soc,
                      .dst = emu_slot_ref(r->p, op, IMAGE_dst)->dtype};
    n.v[IMAGE_planes] = emu_slot_attr(r->p, op, IMAGE_planes);
    for (int i = IMAGE_planes + 1; i < IMAGE_SLOTS; i++) {
        n.v[i] = emu_slot(r, op, i);
    }
    return n;
}

static void
set_colours(Image *m)
{
    m->csc = image_fixed_csc(m->n.v[IMAGE_format_convert]);
    if (m->n.v[IMAGE_format_convert] != 0) {
        return;
    }
    for (int i = 0; i < 9; i++) {
        m->csc.matrix[i] = (int16_t)register16(m, IMAGE_R_MATRIX + 2 * i);
    }
    for (int i = 0; i < 3; i++) {
        m->csc.out_bias[i] = m->sreg[IMAGE_R_OUT_BIAS + i];
        m->csc.in_bias[i] = m->sreg[IMAGE_R_IN_BIAS + i];
    }
}

static bool
sources_aligned(EmuRun *r, const EmuOp *op)
{
    CheckInstr in;
    Fault fault;
    emu_instr(r, op, &in);
    return image_aligned(&in, &fault) || emu_record(r, op, &fault);
}

bool
emu_exec_image(EmuRun *r, const EmuOp *op)
{
    char text[160];
    if (!emu_begin(r, op) || !sources_aligned(r, op)) {
        return false;
    }
    Image m = {.n = numbers_of(r, op), .sreg = r->sreg};
    bool sane = true;
    for (int i = 0; sane && i < IMAGE_SLOTS; i++) {
        sane = image_number_ok(&m.n, i, text, sizeof text);
    }
    if (!sane) {
        return emu_refuse(r, op);
    }
    m.s = image_shape(&m.n);
    int64_t pixels = m.n.v[IMAGE_src_horizontal_size] * m.n.v[IMAGE_src_vertical_size];
    uint8_t *dst = emu_operand(r, op, IMAGE_dst, image_bytes(&m.n, IMAGE_dst));
    m.plane0 = emu_operand(r, op, IMAGE_src0, image_bytes(&m.n, IMAGE_src0));
    m.plane1 = emu_operand(r, op, IMAGE_src1, image_bytes(&m.n, IMAGE_src1));
    if (dst == NULL || m.plane0 == NULL || m.plane1 == NULL) {
        return emu_refuse(r, op);
    }
    if (m.n.v[IMAGE_planes] == 1) {
        m.plane1 = m.plane0 + pixels;
    }
    set_colours(&m);
    fill(&m, dst);
    return true;
}

bool
emu_bind_image(EmuProgram *p, EmuOp *op, const char **why)
{
    Dtype dst = emu_slot_ref(p, op, IMAGE_dst)->dtype;
    *why = "the operands' types do not fit";
    return (dst == DT_U8 || dst == DT_S8 || dst == DT_F16) &&
           emu_slot_ref(p, op, IMAGE_src0)->dtype == DT_U8 &&
           emu_slot_ref(p, op, IMAGE_src1)->dtype == DT_U8;
}
