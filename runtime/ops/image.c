/* image.c: load_image, for compiled kernels. An image is converted row by row: its
 * colours are planes of bytes, and a table for each channel maps a byte to an element of
 * the destination. */
#include <string.h>

#include "rules/image.h"
#include "num/half.h"
#include "ops/internal.h"

enum {
    COLOURS = 3,
    MOST_WIDE = 4096,
    ELEMENTS = 32 /* most elements of a pixel */
};

typedef struct Image {
    ImageNumbers n;
    ImageShape s;
    const uint8_t *src, *pairs; /* pairs: the second plane */
    uint8_t *dst;
    const uint8_t *sreg;
    ImageCsc csc;
    int64_t pixel, pitch; /* bytes of a pixel and of a row of the destination */
    int size;             /* of an element */
    uint16_t value[COLOURS][256];
    uint8_t plane[COLOURS][MOST_WIDE];
} Image;

static bool
on(const Image *m, int function)
{
    return (m->n.v[IMAGE_function_switch] & function) != 0;
}

/* ---- the type of the destination ----------------------------------------- */

static uint16_t
reg16(const Image *m, int at, int channel)
{
    uint16_t v;
    memcpy(&v, m->sreg + at + 2 * channel, sizeof v);
    return v;
}

static uint16_t
half_difference(uint16_t a, uint16_t b)
{
    return half_from_float(half_to_float(a) - half_to_float(b));
}

/* Returns x minus the mean of a channel, of either type. */
static uint16_t
half_minus_mean(const Image *m, int x, int channel)
{
    uint16_t mean = reg16(m, IMAGE_R_MEAN, channel);
    return m->n.v[IMAGE_dtc_mean_type] == 1
               ? half_difference(half_from_float((float)x), mean)
               : half_from_float((float)(x - (int16_t)mean));
}

static int
byte_minus_mean(const Image *m, int x, int channel)
{
    uint16_t mean = reg16(m, IMAGE_R_MEAN, channel);
    int v;
    if (m->n.v[IMAGE_dtc_mean_type] == 1) {
        float d = half_to_float(half_difference(half_from_float((float)x), mean));
        v = d != d ? 0 : d < -128.0f ? -128 : d > 127.0f ? 127 : (int)__builtin_rintf(d);
    } else {
        v = x - (int16_t)mean;
    }
    return v < -128 ? -128 : v > 127 ? 127 : v;
}

static uint16_t
converted(const Image *m, int x, int channel)
{
    if (m->n.dst != DT_F16) {
        return (uint8_t)(on(m, IMAGE_DTC) ? byte_minus_mean(m, x, channel) : x);
    }
    if (!on(m, IMAGE_DTC)) {
        return half_from_float((float)x);
    }
    uint16_t h =
        half_difference(half_minus_mean(m, x, channel), reg16(m, IMAGE_R_MIN, channel));
    return half_from_float(half_to_float(h) *
                           half_to_float(reg16(m, IMAGE_R_VAR, channel)));
}

static void
fill_tables(Image *m)
{
    for (int c = 0; c < m->s.colours; c++) {
        for (int x = 0; x < 256; x++) {
            m->value[c][x] = converted(m, x, c);
        }
    }
}

/* ---- colours ------------------------------------------------------------- */

/* Reads row y of YUV420SP, which has a pair of colours for two pixels in two rows. */
static void
row_of_yuv(Image *m, int64_t y)
{
    int64_t w = m->n.v[IMAGE_src_horizontal_size];
    int u = on(m, IMAGE_SWAP) && m->n.v[IMAGE_uv_swap] == 1;
    const uint8_t *pairs = m->pairs + y / 2 * w + m->s.x;
    memcpy(m->plane[0], m->src + y * w + m->s.x, (size_t)m->s.w);
    for (int64_t i = 0; i < m->s.w; i++) {
        m->plane[1][i] = pairs[(i & ~(int64_t)1) + u];
        m->plane[2][i] = pairs[(i & ~(int64_t)1) + !u];
    }
}

/* Reads row y of pixels of step bytes, of which those at at[] are taken. */
static void
row_of_pixels(Image *m, int64_t y, int step, const int at[COLOURS])
{
    const uint8_t *src = m->src + (y * m->n.v[IMAGE_src_horizontal_size] + m->s.x) * step;
    for (int64_t i = 0; i < m->s.w; i++, src += step) {
        for (int c = 0; c < m->s.colours; c++) {
            m->plane[c][i] = src[at[c]];
        }
    }
}

/* Red, green and blue come after the fourth channel, or with ax before it. */
static void
row_of_rgb(Image *m, int64_t y)
{
    bool swap = on(m, IMAGE_SWAP), x = m->n.v[IMAGE_input_format] == IMAGE_XRGB;
    bool rb = swap && m->n.v[IMAGE_rb_swap] == 1;
    bool first = x && !(swap && m->n.v[IMAGE_ax_swap] == 1);
    int base = x, red = base + (rb ? 2 : 0), blue = base + (rb ? 0 : 2);
    const int front[COLOURS] = {0, red, base + 1};
    const int last[COLOURS] = {red, base + 1, blue};
    row_of_pixels(m, y, x ? 4 : 3, first ? front : last);
}

static void
convert_colours(Image *m)
{
    const ImageCsc *k = &m->csc;
    for (int64_t i = 0; i < m->s.w; i++) {
        int in[COLOURS];
        for (int c = 0; c < COLOURS; c++) {
            in[c] = m->plane[c][i] - k->in_bias[c];
        }
        for (int c = 0; c < COLOURS; c++) {
            const int16_t *row = k->matrix + COLOURS * c;
            int sum = row[0] * in[0] + row[1] * in[1] + row[2] * in[2];
            int v = (sum >> 8) + k->out_bias[c];
            m->plane[c][i] = (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
        }
    }
}

static void
read_row(Image *m, int64_t y)
{
    static const int only[COLOURS] = {0, 0, 0};
    switch (m->n.v[IMAGE_input_format]) {
    case IMAGE_YUV420:
        row_of_yuv(m, y);
        break;
    case IMAGE_YUV400:
        row_of_pixels(m, y, 1, only);
        break;
    default:
        row_of_rgb(m, y);
    }
    if (on(m, IMAGE_CSC)) {
        convert_colours(m);
    }
}

/* ---- pixels of the destination ------------------------------------------- */

/* Writes n times the pixel whose colours are given; its other elements are the padding of
 * channels. */
static void
pixel_of(const Image *m, const uint16_t colours[4], int n, uint8_t *out)
{
    for (int c = 0; c < m->s.channels; c++) {
        uint16_t v = on(m, IMAGE_CHANNEL_PAD) ? reg16(m, IMAGE_R_CHANNEL, 0) : 0;
        v = c < n ? colours[c] : v;
        memcpy(out + c * m->size, &v, (size_t)m->size);
    }
}

/* Writes the part of a row that is in the image. */
static void
write_row(const Image *m, uint8_t *out)
{
    uint8_t pixel[ELEMENTS];
    pixel_of(m, m->value[0], 0, pixel);
    for (int64_t i = 0; i < m->s.w; i++, out += m->pixel) {
        memcpy(out, pixel, (size_t)m->pixel);
        for (int c = 0; c < m->s.colours; c++) {
            memcpy(out + c * m->size, &m->value[c][m->plane[c][i]], (size_t)m->size);
        }
    }
}

/* Returns the pixel that padding pixel i of n repeats; i is before 0 or after the last
 * one. before and after are the numbers of padding pixels. */
static int64_t
padded_from(const Image *m, int64_t i, int64_t n, int64_t before, int64_t after)
{
    switch (m->n.v[IMAGE_area_pad_mode]) {
    case IMAGE_PAD_BLOCK:
        return i < 0 ? i + before : i - after;
    case IMAGE_PAD_MIRROR:
        return i < 0 ? -1 - i : 2 * n - 1 - i;
    default:
        return i < 0 ? 0 : n - 1;
    }
}

/* Writes column i of the padding of a row; image is its first pixel. */
static void
pad_column(const Image *m, uint8_t *image, int64_t i, const uint8_t *given)
{
    int64_t from = padded_from(m, i, m->s.w, m->s.left, m->s.right);
    bool value = m->n.v[IMAGE_area_pad_mode] == IMAGE_PAD_VALUE;
    memcpy(image + i * m->pixel, value ? given : image + from * m->pixel,
           (size_t)m->pixel);
}

static void
pad_row(const Image *m, uint8_t *image)
{
    uint8_t given[ELEMENTS];
    uint16_t area[4];
    memcpy(area, m->sreg + IMAGE_R_AREA, sizeof area);
    pixel_of(m, area, m->s.colours, given);
    for (int64_t i = -m->s.left; i < 0; i++) {
        pad_column(m, image, i, given);
    }
    for (int64_t i = m->s.w; i < m->s.w + m->s.right; i++) {
        pad_column(m, image, i, given);
    }
}

static void
pad_rows(const Image *m)
{
    uint8_t *image = m->dst + m->s.top * m->pitch;
    for (int64_t i = -m->s.top; i < 0; i++) {
        int64_t from = padded_from(m, i, m->s.h, m->s.top, m->s.bottom);
        memcpy(image + i * m->pitch, image + from * m->pitch, (size_t)m->pitch);
    }
    for (int64_t i = m->s.h; i < m->s.h + m->s.bottom; i++) {
        int64_t from = padded_from(m, i, m->s.h, m->s.top, m->s.bottom);
        memcpy(image + i * m->pitch, image + from * m->pitch, (size_t)m->pitch);
    }
}

/* ---- the instruction ----------------------------------------------------- */

static void
image_of(const OpCall *c, Image *m)
{
    m->n.soc = c->in.soc;
    m->n.dst = c->in.args[IMAGE_dst].t.dtype;
    for (int i = 0; i < IMAGE_SLOTS; i++) {
        m->n.v[i] = i < IMAGE_planes ? 0 : c->in.args[i].v;
    }
    m->s = image_shape(&m->n);
    m->src = c->at[IMAGE_src0];
    m->pairs = m->n.v[IMAGE_planes] == 2 ? c->at[IMAGE_src1]
                                         : m->src + m->n.v[IMAGE_src_horizontal_size] *
                                                        m->n.v[IMAGE_src_vertical_size];
    m->dst = c->at[IMAGE_dst];
    m->sreg = c->sreg;
    m->size = dtype_size(m->n.dst);
    m->pixel = m->s.channels * m->size;
    m->pitch = (m->s.left + m->s.w + m->s.right) * m->pixel;
    m->csc = image_fixed_csc(m->n.v[IMAGE_format_convert]);
    if (m->n.v[IMAGE_format_convert] == 0) {
        memcpy(m->csc.matrix, c->sreg + IMAGE_R_MATRIX, sizeof m->csc.matrix);
        memcpy(m->csc.out_bias, c->sreg + IMAGE_R_OUT_BIAS, sizeof m->csc.out_bias);
        memcpy(m->csc.in_bias, c->sreg + IMAGE_R_IN_BIAS, sizeof m->csc.in_bias);
    }
    fill_tables(m);
}

bool
ops_image(OpCall *c)
{
    Image m;
    if (!image_aligned(&c->in, &c->fault)) {
        return false;
    }
    image_of(c, &m);
    for (int64_t y = 0; y < m.s.h; y++) {
        uint8_t *row = m.dst + (m.s.top + y) * m.pitch + m.s.left * m.pixel;
        read_row(&m, m.s.y + y);
        write_row(&m, row);
        pad_row(&m, row);
    }
    pad_rows(&m);
    return true;
}
