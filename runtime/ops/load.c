/* load.c: loads into the matrix unit, and col2img (cube 3 and 4). Copies of contiguous
 * fractals are merged into longer ones; windows are found by steps from one to the next,
 * without divisions. */
#include "rules/load.h"
#include "layout/fractal.h"
#include "num/half.h"
#include "ops/internal.h"

#include <string.h>

/* A part of a fractal. Copies of 512 bytes by memcpy become a string instruction, which
 * takes longer to begin than the whole copy in such parts. */
typedef uint64_t Part __attribute__((vector_size(32), aligned(1), may_alias));

enum {
    PARTS = FRACTAL_BYTES / sizeof(Part),
    PARTS_AT_ONCE = 4
};

static inline void
copy_fractal(uint8_t *dst, const uint8_t *src)
{
    Part *to = (Part *)(void *)dst;
    const Part *from = (const Part *)(const void *)src;
    for (int i = 0; i < PARTS; i += PARTS_AT_ONCE) {
        Part a = from[i], b = from[i + 1], c = from[i + 2], d = from[i + 3];
        to[i] = a;
        to[i + 1] = b;
        to[i + 2] = c;
        to[i + 3] = d;
    }
}

static void
transpose_fractals(uint8_t *dst, int64_t dst_step, const uint8_t *src, int64_t src_step,
                   int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        uint16_t tile[FRACTAL_ELEMS];
        copy_fractal((uint8_t *)tile, src + i * src_step);
        ops_transpose16(tile);
        copy_fractal(dst + i * dst_step, (const uint8_t *)tile);
    }
}

/* Copies n fractals whose places are steps of bytes apart. */
static void
copy_fractals(uint8_t *dst, int64_t dst_step, const uint8_t *src, int64_t src_step,
              int64_t n, bool transpose)
{
    if (transpose) {
        transpose_fractals(dst, dst_step, src, src_step, n);
        return;
    }
    if (dst_step == FRACTAL_BYTES && src_step == FRACTAL_BYTES) {
        memcpy(dst, src, (size_t)(n * FRACTAL_BYTES));
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        copy_fractal(dst + i * dst_step, src + i * src_step);
    }
}

bool
ops_load2d(OpCall *c)
{
    const CheckArg *a = c->in.args;
    bool one = op_table[c->in.op].form == FORM_LOAD2D1;
    bool down = a[one ? LOAD2D1_addr_mode : LOAD2D_addr_mode].v != 0;
    int64_t step = a[one ? LOAD2D1_src_stride : LOAD2D_src_stride].v * FRACTAL_BYTES;
    int64_t pitch = one ? FRACTAL_BYTES : (a[LOAD2D_dst_gap].v + 1) * FRACTAL_BYTES;
    copy_fractals(c->at[LOAD2D_dst], pitch,
                  c->at[LOAD2D_src] + a[LOAD2D_start_index].v * FRACTAL_BYTES,
                  down ? -step : step, a[LOAD2D_repeat_times].v,
                  a[one ? LOAD2D1_if_transpose : LOAD2D_if_transpose].v != 0);
    return true;
}

bool
ops_load2d_box(OpCall *c)
{
    const CheckArg *a = c->in.args;
    for (int64_t k = 0; k < a[LOAD2DBOX_k_step].v; k++) {
        int64_t from = (a[LOAD2DBOX_k_start_pt].v + k) * a[LOAD2DBOX_src_stride].v +
                       a[LOAD2DBOX_m_start_pt].v;
        copy_fractals(c->at[LOAD2D_dst] + k * a[LOAD2DBOX_dst_stride].v * FRACTAL_BYTES,
                      FRACTAL_BYTES, c->at[LOAD2D_src] + from * FRACTAL_BYTES,
                      FRACTAL_BYTES, a[LOAD2DBOX_m_step].v,
                      a[LOAD2DBOX_en_transpose].v != 0);
    }
    return true;
}

/* Defines a transpose of square m of side n. Rows of bytes are contiguous; rows of 32-bit
 * elements have a half in each fractal. */
#define TRANSPOSE_SQUARE(name, T, n, at)                                                 \
    static void name(uint8_t *dst, int64_t pitch, const uint8_t *src)                    \
    {                                                                                    \
        enum {                                                                           \
            HALF = FRACTAL_BYTES / sizeof(T)                                             \
        };                                                                               \
        T in[2 * HALF], out[2 * HALF];                                                   \
        memcpy(in, src, sizeof in);                                                      \
        for (int r = 0; r < (n); r++) {                                                  \
            for (int c = 0; c < (n); c++) {                                              \
                out[at(c, r)] = in[at(r, c)];                                            \
            }                                                                            \
        }                                                                                \
        memcpy(dst, out, FRACTAL_BYTES);                                                 \
        memcpy(dst + pitch, out + HALF, FRACTAL_BYTES);                                  \
    }

#define AT_BYTE(r, c) ((r) * 32 + (c))
#define AT_WORD(r, c) ((c) / 8 * 128 + (r) * 8 + (c) % 8)

TRANSPOSE_SQUARE(transpose_bytes, uint8_t, 32, AT_BYTE)
TRANSPOSE_SQUARE(transpose_words, uint32_t, 16, AT_WORD)

bool
ops_load2d_square(OpCall *c)
{
    const CheckArg *a = c->in.args;
    bool bytes = dtype_size(a[LOAD2D_dst].t.dtype) == 1;
    int64_t step = a[LOAD2DSQUARE_src_stride].v * 2 * FRACTAL_BYTES;
    int64_t to = (a[LOAD2DSQUARE_dst_gap].v + 1) * FRACTAL_BYTES;
    int64_t pitch = (a[LOAD2DSQUARE_dst_frac_gap].v + 1) * FRACTAL_BYTES;
    const uint8_t *src =
        c->at[LOAD2D_src] + a[LOAD2DSQUARE_start_index].v * 2 * FRACTAL_BYTES;
    for (int64_t i = 0; i < a[LOAD2DSQUARE_repeat_times].v; i++) {
        (bytes ? transpose_bytes : transpose_words)(
            c->at[LOAD2D_dst] + i * to, pitch,
            src + (a[LOAD2DSQUARE_addr_mode].v != 0 ? -i : i) * step);
    }
    return true;
}

/* ---- windows ------------------------------------------------------------- */

/* An image and its windows; a window is a row of the matrix of windows. */
typedef struct Image {
    const uint8_t *src;
    int64_t h, w, out_h, out_w;
    int64_t top, left, stride_h, stride_w, kh, kw, dilation_h, dilation_w;
    uint8_t pad[FRACTAL_ROW];
} Image;

static Image
image_of(const OpCall *c)
{
    const CheckArg *a = c->in.args, *k = a + load_kernel_shift(op_table[c->in.op].form);
    FractalWindows s = {.h = a[LOAD3D1_l1_h].v,
                        .w = a[LOAD3D1_l1_w].v,
                        .left = a[LOAD3D1_pad].v,
                        .right = a[LOAD3D1_pad + 1].v,
                        .top = a[LOAD3D1_pad + 2].v,
                        .bottom = a[LOAD3D1_pad + 3].v,
                        .stride_h = k[LOAD3D1_stride_h].v,
                        .stride_w = k[LOAD3D1_stride_w].v,
                        .kh = k[LOAD3D1_filter_h].v,
                        .kw = k[LOAD3D1_filter_w].v,
                        .dilation_h = k[LOAD3D1_dilation_filter_h].v,
                        .dilation_w = k[LOAD3D1_dilation_filter_w].v};
    return (Image){.src = c->at[LOAD2D_src],
                   .h = s.h,
                   .w = s.w,
                   .out_h = fractal_windows_h(&s),
                   .out_w = fractal_windows_w(&s),
                   .top = s.top,
                   .left = s.left,
                   .stride_h = s.stride_h,
                   .stride_w = s.stride_w,
                   .kh = s.kh,
                   .kw = s.kw,
                   .dilation_h = s.dilation_h,
                   .dilation_w = s.dilation_w};
}

static void
set_padding(Image *im, int64_t value, int64_t size)
{
    for (int64_t i = 0; i < FRACTAL_ROW; i += size) {
        memcpy(im->pad + i, &value, (size_t)size);
    }
}

/* A point of the kernel in a group of channels. */
typedef struct Point {
    int64_t group, kh, kw;
} Point;

static void
next_point(const Image *im, Point *p)
{
    if (++p->kw < im->kw) {
        return;
    }
    p->kw = 0;
    if (++p->kh == im->kh) {
        p->kh = 0;
        p->group++;
    }
}

/* Makes 16 rows from window m on, up to the end; those after it are 0. */
static void
window_rows(const Image *im, int64_t m, int64_t end, const Point *p, uint8_t *out)
{
    const uint8_t *plane = im->src + p->group * im->h * im->w * FRACTAL_ROW;
    int64_t last = im->out_h * im->out_w < end ? im->out_h * im->out_w : end;
    int64_t n = last - m < 0 ? 0 : last - m < FRACTAL_SIDE ? last - m : FRACTAL_SIDE;
    int64_t wo = m % im->out_w;
    int64_t y = m / im->out_w * im->stride_h - im->top + p->kh * im->dilation_h;
    int64_t x0 = p->kw * im->dilation_w - im->left, x = wo * im->stride_w + x0;
    for (int64_t i = 0; i < n; i++) {
        bool inside = y >= 0 && y < im->h && x >= 0 && x < im->w;
        memcpy(out + i * FRACTAL_ROW,
               inside ? plane + (y * im->w + x) * FRACTAL_ROW : im->pad, FRACTAL_ROW);
        x += im->stride_w;
        if (++wo == im->out_w) {
            wo = 0;
            x = x0;
            y += im->stride_h;
        }
    }
    memset(out + n * FRACTAL_ROW, 0, (size_t)((FRACTAL_SIDE - n) * FRACTAL_ROW));
}

/* Does the same for points of 4 channels, four of which are a row; those after the last
 * one of the kernel are 0. */
static void
few_rows(const Image *im, int64_t m, int64_t point, uint8_t *out)
{
    enum {
        BYTES = FRACTAL_FEW * 2
    };
    memset(out, 0, FRACTAL_BYTES);
    for (int i = 0; i < FRACTAL_SIDE && m + i < im->out_h * im->out_w; i++) {
        uint8_t *row = out + (ptrdiff_t)i * FRACTAL_ROW;
        int64_t y0 = (m + i) / im->out_w * im->stride_h - im->top;
        int64_t x0 = (m + i) % im->out_w * im->stride_w - im->left;
        for (int j = 0; j < FRACTAL_ROW / BYTES && point + j < im->kh * im->kw; j++) {
            int64_t y = y0 + (point + j) / im->kw * im->dilation_h;
            int64_t x = x0 + (point + j) % im->kw * im->dilation_w;
            bool inside = y >= 0 && y < im->h && x >= 0 && x < im->w;
            memcpy(row + (ptrdiff_t)j * BYTES,
                   inside ? im->src + (y * im->w + x) * BYTES : im->pad, BYTES);
        }
    }
}

static int64_t
corner_window(const Image *im, int64_t left, int64_t top)
{
    return (top + im->top) / im->stride_h * im->out_w + (left + im->left) / im->stride_w;
}

bool
ops_load3d1(OpCall *c)
{
    const CheckArg *a = c->in.args;
    Image im = image_of(c);
    int64_t step = a[LOAD3D1_jump_offset].v * FRACTAL_BYTES;
    int64_t m = corner_window(&im, a[LOAD3D1_left_top_w].v, a[LOAD3D1_left_top_h].v);
    Point p = {a[LOAD3D1_c1_index].v, a[LOAD3D1_fetch_filter_h].v,
               a[LOAD3D1_fetch_filter_w].v};
    bool few = a[LOAD3D1__csize].v != 0;
    int64_t point = p.kh * im.kw + p.kw;
    set_padding(&im, a[LOAD3D1_pad_value].v, dtype_size(a[LOAD2D_dst].t.dtype));
    for (int64_t j = 0; j < a[LOAD3D1_repeat_time].v; j++) {
        if (few) {
            few_rows(&im, m, point + (a[LOAD3D1_repeat_mode].v != 0 ? 0 : 4 * j),
                     c->at[LOAD2D_dst] + j * step);
        } else {
            window_rows(&im, m, INT64_MAX, &p, c->at[LOAD2D_dst] + j * step);
        }
        if (a[LOAD3D1_repeat_mode].v != 0) {
            m += FRACTAL_SIDE;
        } else {
            next_point(&im, &p);
        }
    }
    return true;
}

/* Zeroes channels of the last group that do not exist. */
static void
clear_channels(uint8_t *fractal, int64_t bytes)
{
    for (int i = 0; i < FRACTAL_SIDE; i++) {
        memset(fractal + (int64_t)i * FRACTAL_ROW + bytes, 0,
               (size_t)(FRACTAL_ROW - bytes));
    }
}

static void
transpose_fractal(uint8_t *fractal)
{
    uint16_t tile[FRACTAL_ELEMS];
    memcpy(tile, fractal, sizeof tile);
    ops_transpose16(tile);
    memcpy(fractal, tile, sizeof tile);
}

bool
ops_load3d2(OpCall *c)
{
    const CheckArg *a = c->in.args;
    Image im = image_of(c);
    int64_t size = dtype_size(a[LOAD2D_dst].t.dtype), c0 = fractal_c0(size);
    int64_t m1 = fractal_count(a[LOAD3D2_m_extension].v, FRACTAL_SIDE);
    int64_t k1 = fractal_count(a[LOAD3D2_k_extension].v, c0),
            first = a[LOAD3D2_k_start_pt].v / c0;
    int64_t full = a[LOAD3D2_channel_size].v / c0,
            rest = a[LOAD3D2_channel_size].v % c0 * size;
    bool columns = a[LOAD3D2_en_transpose].v != 0;
    bool transposed = columns || a[LOAD2D_dst].t.scope == SC_L0B;
    set_padding(&im, a[LOAD3D2_pad_value].v, size);
    Point p = {first / (im.kh * im.kw), first / im.kw % im.kh, first % im.kw};
    for (int64_t j = 0; j < k1; j++, next_point(&im, &p)) {
        for (int64_t i = 0; i < m1; i++) {
            uint8_t *to =
                c->at[LOAD2D_dst] + (columns ? j * m1 + i : i * k1 + j) * FRACTAL_BYTES;
            window_rows(&im, a[LOAD3D2_m_start_pt].v + i * FRACTAL_SIDE,
                        a[LOAD3D2_m_start_pt].v + a[LOAD3D2_m_extension].v, &p, to);
            if (p.group >= full) {
                clear_channels(to, rest);
            }
            if (transposed) {
                transpose_fractal(to);
            }
        }
    }
    return true;
}

/* ---- col2img ------------------------------------------------------------- */

static void
add_half(uint8_t *dst, const uint8_t *src)
{
    uint16_t d[FRACTAL_SIDE], s[FRACTAL_SIDE];
    memcpy(d, dst, sizeof d);
    memcpy(s, src, sizeof s);
    for (int i = 0; i < FRACTAL_SIDE; i++) {
        d[i] = half_from_float(half_to_float(d[i]) + half_to_float(s[i]));
    }
    memcpy(dst, d, sizeof d);
}

static void
add_float(uint8_t *dst, const uint8_t *src)
{
    float d[FRACTAL_SIDE], s[FRACTAL_SIDE];
    uint32_t sum[FRACTAL_SIDE];
    memcpy(d, dst, sizeof d);
    memcpy(s, src, sizeof s);
    for (int i = 0; i < FRACTAL_SIDE; i++) {
        sum[i] = float_bits_canonical(d[i] + s[i]);
    }
    memcpy(dst, sum, sizeof sum);
}

bool
ops_col2img(OpCall *c)
{
    const CheckArg *a = c->in.args;
    Image im = image_of(c);
    bool half = a[LOAD2D_dst].t.dtype == DT_F16;
    int64_t pixel = FRACTAL_SIDE * dtype_size(a[LOAD2D_dst].t.dtype);
    int64_t m = corner_window(&im, a[COL2IMG_left_top_w].v, a[COL2IMG_left_top_h].v);
    int64_t n = a[COL2IMG_repeat_time].v * FRACTAL_SIDE, end = im.out_h * im.out_w;
    int64_t wo = m % im.out_w, ho = m / im.out_w;
    for (int64_t i = 0; i < n && m + i < end; i++) {
        int64_t y =
            ho * im.stride_h - im.top + a[COL2IMG_fetch_filter_h].v * im.dilation_h;
        int64_t x =
            wo * im.stride_w - im.left + a[COL2IMG_fetch_filter_w].v * im.dilation_w;
        if (y >= 0 && y < im.h && x >= 0 && x < im.w) {
            (half ? add_half : add_float)(c->at[LOAD2D_dst] + (y * im.w + x) * pixel,
                                          c->at[LOAD2D_src] + i * pixel);
        }
        ho += ++wo == im.out_w;
        wo = wo == im.out_w ? 0 : wo;
    }
    return true;
}
