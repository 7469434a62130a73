/* load.c: loads into the matrix unit, and col2img (cube 3 and 4). Fractals are moved one
 * by one; a row of a fractal of windows is 32 bytes of the image, or padding. */
#include "emu/emu.h"
#include "rules/load.h"
#include "layout/fractal.h"
#include "num/half.h"

#include <string.h>

/* Transposes a fractal of 16 x 16 elements of 16 bits. */
static void
transpose_fractal(uint8_t *fractal)
{
    uint16_t in[FRACTAL_SIDE][FRACTAL_SIDE], out[FRACTAL_SIDE][FRACTAL_SIDE];
    memcpy(in, fractal, sizeof in);
    for (int r = 0; r < FRACTAL_SIDE; r++) {
        for (int c = 0; c < FRACTAL_SIDE; c++) {
            out[c][r] = in[r][c];
        }
    }
    memcpy(fractal, out, sizeof out);
}

static void
move_fractal(uint8_t *dst, const uint8_t *src, bool transpose)
{
    memmove(dst, src, FRACTAL_BYTES);
    if (transpose) {
        transpose_fractal(dst);
    }
}

/* ---- load2d -------------------------------------------------------------- */

bool
emu_exec_load2d(EmuRun *r, const EmuOp *op)
{
    bool one = op_table[op->op].form == FORM_LOAD2D1;
    int64_t first = emu_slot(r, op, LOAD2D_start_index),
            n = emu_slot(r, op, LOAD2D_repeat_times);
    int64_t step = emu_slot(r, op, one ? LOAD2D1_src_stride : LOAD2D_src_stride);
    int64_t gap = one ? 0 : emu_slot(r, op, LOAD2D_dst_gap);
    bool down = emu_slot_attr(r->p, op, one ? LOAD2D1_addr_mode : LOAD2D_addr_mode) != 0;
    bool transpose =
        emu_slot_attr(r->p, op, one ? LOAD2D1_if_transpose : LOAD2D_if_transpose) != 0;
    if (!emu_begin(r, op)) {
        return false;
    }
    int64_t pitch = gap + 1;
    if (n == 0) {
        return true;
    }
    int64_t last = down ? first : first + (n - 1) * step;
    const uint8_t *src = emu_operand(r, op, LOAD2D_src, (last + 1) * FRACTAL_BYTES);
    uint8_t *dst = emu_operand(r, op, LOAD2D_dst, ((n - 1) * pitch + 1) * FRACTAL_BYTES);
    if (src == NULL || dst == NULL || (down && first < (n - 1) * step)) {
        return emu_refuse(r, op);
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t at = down ? first - i * step : first + i * step;
        move_fractal(dst + i * pitch * FRACTAL_BYTES, src + at * FRACTAL_BYTES,
                     transpose);
    }
    return true;
}

bool
emu_exec_load2d_box(EmuRun *r, const EmuOp *op)
{
    int64_t m0 = emu_slot(r, op, LOAD2DBOX_m_start_pt),
            k0 = emu_slot(r, op, LOAD2DBOX_k_start_pt);
    int64_t from = emu_slot(r, op, LOAD2DBOX_src_stride),
            to = emu_slot(r, op, LOAD2DBOX_dst_stride);
    int64_t m = emu_slot(r, op, LOAD2DBOX_m_step), k = emu_slot(r, op, LOAD2DBOX_k_step);
    bool transpose = emu_slot_attr(r->p, op, LOAD2DBOX_en_transpose) != 0;
    if (!emu_begin(r, op)) {
        return false;
    }
    if (m == 0 || k == 0) {
        return true;
    }
    const uint8_t *src =
        emu_operand(r, op, LOAD2D_src, ((k0 + k - 1) * from + m0 + m) * FRACTAL_BYTES);
    uint8_t *dst = emu_operand(r, op, LOAD2D_dst, ((k - 1) * to + m) * FRACTAL_BYTES);
    if (src == NULL || dst == NULL) {
        return emu_refuse(r, op);
    }
    for (int64_t j = 0; j < k; j++) {
        for (int64_t i = 0; i < m; i++) {
            move_fractal(dst + (j * to + i) * FRACTAL_BYTES,
                         src + ((k0 + j) * from + m0 + i) * FRACTAL_BYTES, transpose);
        }
    }
    return true;
}

/* Returns the place, in bytes, of an element of a square matrix of two fractals: fractals
 * of bytes are one above the other, those of words side by side. The second fractal
 * begins at pitch. */
static int64_t
square_at(int size, int64_t r, int64_t c, int64_t pitch)
{
    int64_t columns = FRACTAL_ROW / size;
    int64_t half = size == 1 ? r / FRACTAL_SIDE : c / columns;
    return half * pitch + r % FRACTAL_SIDE * FRACTAL_ROW + c % columns * size;
}

bool
emu_exec_load2d_square(EmuRun *r, const EmuOp *op)
{
    int64_t first = emu_slot(r, op, LOAD2DSQUARE_start_index),
            n = emu_slot(r, op, LOAD2DSQUARE_repeat_times);
    int64_t step = emu_slot(r, op, LOAD2DSQUARE_src_stride),
            gap = emu_slot(r, op, LOAD2DSQUARE_dst_gap);
    int64_t frac = emu_slot(r, op, LOAD2DSQUARE_dst_frac_gap),
            unit = 2 * (int64_t)FRACTAL_BYTES;
    bool down = emu_slot_attr(r->p, op, LOAD2DSQUARE_addr_mode) != 0;
    int size = dtype_size((Dtype)op->dtype);
    if (!emu_begin(r, op)) {
        return false;
    }
    if (n == 0) {
        return true;
    }
    int64_t last = down ? first : first + (n - 1) * step;
    int64_t end = ((n - 1) * (gap + 1) + frac + 2) * FRACTAL_BYTES;
    const uint8_t *src = emu_operand(r, op, LOAD2D_src, (last + 1) * unit);
    uint8_t *dst = emu_operand(r, op, LOAD2D_dst, end);
    if (src == NULL || dst == NULL || (down && first < (n - 1) * step)) {
        return emu_refuse(r, op);
    }
    int64_t side = size == 1 ? 2 * FRACTAL_SIDE : FRACTAL_SIDE;
    for (int64_t i = 0; i < n; i++) {
        const uint8_t *from = src + (down ? first - i * step : first + i * step) * unit;
        uint8_t *to = dst + i * (gap + 1) * FRACTAL_BYTES;
        for (int64_t at = 0; at < side * side; at++) {
            memcpy(to + square_at(size, at / side, at % side, (frac + 1) * FRACTAL_BYTES),
                   from + square_at(size, at % side, at / side, FRACTAL_BYTES),
                   (size_t)size);
        }
    }
    return true;
}

/* ---- windows ------------------------------------------------------------- */

typedef struct Image {
    FractalWindows s;
    int64_t out_h, out_w;
    const uint8_t *src;
    int64_t channels; /* channels that exist; the others of the last group are 0 */
    int size;
    uint8_t pad[FRACTAL_ROW]; /* a row of padding */
} Image;

static FractalWindows
read_windows(const EmuRun *r, const EmuOp *op)
{
    int shift = load_kernel_shift(op_table[op->op].form);
    return (FractalWindows){
        .h = emu_slot(r, op, LOAD3D1_l1_h),
        .w = emu_slot(r, op, LOAD3D1_l1_w),
        .left = emu_slot(r, op, LOAD3D1_pad),
        .right = emu_slot(r, op, LOAD3D1_pad + 1),
        .top = emu_slot(r, op, LOAD3D1_pad + 2),
        .bottom = emu_slot(r, op, LOAD3D1_pad + 3),
        .stride_h = emu_slot(r, op, LOAD3D1_stride_h + shift),
        .stride_w = emu_slot(r, op, LOAD3D1_stride_w + shift),
        .kh = emu_slot(r, op, LOAD3D1_filter_h + shift),
        .kw = emu_slot(r, op, LOAD3D1_filter_w + shift),
        .dilation_h = emu_slot(r, op, LOAD3D1_dilation_filter_h + shift),
        .dilation_w = emu_slot(r, op, LOAD3D1_dilation_filter_w + shift)};
}

/* Reads the image's numbers, without its address. */
static void
open_image(const EmuRun *r, const EmuOp *op, Image *im)
{
    im->s = read_windows(r, op);
    im->size = dtype_size((Dtype)op->dtype);
    im->channels = INT32_MAX;
    im->out_h = fractal_windows_h(&im->s);
    im->out_w = fractal_windows_w(&im->s);
}

static void
fill_padding(Image *im, int64_t value)
{
    for (int i = 0; i < FRACTAL_ROW; i += im->size) {
        memcpy(im->pad + i, &value, (size_t)im->size);
    }
}

/* Returns the row of window m at a point of the kernel. Points are counted through the
 * groups of channels. */
static void
window_row(const Image *im, int64_t m, int64_t point, uint8_t *row)
{
    const FractalWindows *s = &im->s;
    if (m >= im->out_h * im->out_w) {
        memset(row, 0, FRACTAL_ROW);
        return;
    }
    int64_t group = point / (s->kh * s->kw), at = point % (s->kh * s->kw);
    int64_t y = fractal_window_y(s, m / im->out_w, at / s->kw);
    int64_t x = fractal_window_x(s, m % im->out_w, at % s->kw);
    bool inside = y >= 0 && y < s->h && x >= 0 && x < s->w;
    memcpy(row,
           inside ? im->src + ((group * s->h + y) * s->w + x) * FRACTAL_ROW : im->pad,
           FRACTAL_ROW);
    int64_t left = (im->channels - group * (FRACTAL_ROW / im->size)) * im->size;
    if (left < FRACTAL_ROW) {
        memset(row + (left < 0 ? 0 : left), 0,
               (size_t)(FRACTAL_ROW - (left < 0 ? 0 : left)));
    }
}

/* Does the same for 16-bit images with 4 channels, where four points are a row; points
 * after the last one of the kernel are 0. */
static void
few_row(const Image *im, int64_t m, int64_t point, uint8_t *row)
{
    const FractalWindows *s = &im->s;
    for (int c = 0; c < FRACTAL_ROW / 2; c++) {
        int64_t at = point + c / FRACTAL_FEW;
        int64_t y = fractal_window_y(s, m / im->out_w, at / s->kw);
        int64_t x = fractal_window_x(s, m % im->out_w, at % s->kw);
        bool there = m < im->out_h * im->out_w && at < s->kh * s->kw;
        if (!there) {
            memset(row + (size_t)c * 2, 0, 2);
        } else if (y >= 0 && y < s->h && x >= 0 && x < s->w) {
            int64_t element = (y * s->w + x) * FRACTAL_FEW + c % FRACTAL_FEW;
            memcpy(row + (size_t)c * 2, im->src + element * 2, 2);
        } else {
            memcpy(row + (size_t)c * 2, im->pad, 2);
        }
    }
}

/* Returns the window whose corner is at (left, top) of the image. */
static int64_t
first_window(const Image *im, int64_t left, int64_t top)
{
    return (top + im->s.top) / im->s.stride_h * im->out_w +
           (left + im->s.left) / im->s.stride_w;
}

static bool
corner_ok(const Image *im, int64_t left, int64_t top)
{
    return left >= -im->s.left && top >= -im->s.top;
}

/* ---- load3dv1 ------------------------------------------------------------ */

bool
emu_exec_load3d1(EmuRun *r, const EmuOp *op)
{
    Image im;
    int64_t n = emu_slot(r, op, LOAD3D1_repeat_time),
            jump = emu_slot(r, op, LOAD3D1_jump_offset);
    int64_t left = emu_slot(r, op, LOAD3D1_left_top_w),
            top = emu_slot(r, op, LOAD3D1_left_top_h);
    int64_t c1 = emu_slot(r, op, LOAD3D1_c1_index),
            w = emu_slot(r, op, LOAD3D1_fetch_filter_w);
    int64_t h = emu_slot(r, op, LOAD3D1_fetch_filter_h);
    bool rows = emu_slot(r, op, LOAD3D1_repeat_mode) != 0;
    bool few = emu_slot(r, op, LOAD3D1__csize) != 0;
    if (!emu_begin(r, op)) {
        return false;
    }
    open_image(r, op, &im);
    if (!corner_ok(&im, left, top) || w >= im.s.kw || h >= im.s.kh ||
        (few && (im.size != 2 || c1 != 0))) {
        return emu_refuse(r, op);
    }
    if (n == 0) {
        return true;
    }
    int64_t points = im.s.kh * im.s.kw, point = (c1 * im.s.kh + h) * im.s.kw + w;
    int64_t groups = (point + (rows ? 0 : n - 1)) / points + 1;
    int64_t m = first_window(&im, left, top);
    im.src =
        emu_operand(r, op, LOAD2D_src,
                    im.s.h * im.s.w * (few ? FRACTAL_FEW * 2 : groups * FRACTAL_ROW));
    uint8_t *dst = emu_operand(r, op, LOAD2D_dst, ((n - 1) * jump + 1) * FRACTAL_BYTES);
    if (im.src == NULL || dst == NULL) {
        return emu_refuse(r, op);
    }
    fill_padding(&im, emu_slot(r, op, LOAD3D1_pad_value));
    for (int64_t j = 0; j < n; j++) {
        for (int i = 0; i < FRACTAL_SIDE; i++) {
            (few ? few_row : window_row)(
                &im, m + i + (rows ? FRACTAL_SIDE * j : 0),
                point + (rows ? 0 : j) * (few ? FRACTAL_ROW / 2 / FRACTAL_FEW : 1),
                dst + j * jump * FRACTAL_BYTES + (size_t)i * FRACTAL_ROW);
        }
    }
    return true;
}

/* ---- load3dv2 ------------------------------------------------------------ */

/* Makes the fractal of the rows from m on of the matrix of windows at one point; rows
 * from end on are 0. */
static void
window_fractal(const Image *im, int64_t m, int64_t end, int64_t point, uint8_t *out)
{
    for (int i = 0; i < FRACTAL_SIDE; i++) {
        if (m + i < end) {
            window_row(im, m + i, point, out + (size_t)i * FRACTAL_ROW);
        } else {
            memset(out + (size_t)i * FRACTAL_ROW, 0, FRACTAL_ROW);
        }
    }
}

bool
emu_exec_load3d2(EmuRun *r, const EmuOp *op)
{
    Image im;
    int64_t m0 = emu_slot(r, op, LOAD3D2_m_start_pt),
            m = emu_slot(r, op, LOAD3D2_m_extension);
    int64_t k0 = emu_slot(r, op, LOAD3D2_k_start_pt),
            k = emu_slot(r, op, LOAD3D2_k_extension);
    int64_t channels = emu_slot(r, op, LOAD3D2_channel_size);
    bool columns = emu_slot_attr(r->p, op, LOAD3D2_en_transpose) != 0;
    bool transposed = columns || emu_tensor(r, op, LOAD2D_dst).scope == SC_L0B;
    if (!emu_begin(r, op)) {
        return false;
    }
    open_image(r, op, &im);
    int64_t c0 = fractal_c0(im.size), groups = fractal_count(channels, c0);
    int64_t m1 = fractal_count(m, FRACTAL_SIDE), k1 = fractal_count(k, c0);
    im.channels = channels;
    im.src = emu_operand(r, op, LOAD2D_src, groups * im.s.h * im.s.w * FRACTAL_ROW);
    uint8_t *dst = emu_operand(r, op, LOAD2D_dst, m1 * k1 * FRACTAL_BYTES);
    if (im.src == NULL || dst == NULL || k0 / c0 + k1 > groups * im.s.kh * im.s.kw) {
        return emu_refuse(r, op);
    }
    fill_padding(&im, emu_slot(r, op, LOAD3D2_pad_value));
    for (int64_t i = 0; i < m1; i++) {
        for (int64_t j = 0; j < k1; j++) {
            uint8_t *to = dst + (columns ? j * m1 + i : i * k1 + j) * FRACTAL_BYTES;
            window_fractal(&im, m0 + i * FRACTAL_SIDE, m0 + m, k0 / c0 + j, to);
            if (transposed) {
                transpose_fractal(to);
            }
        }
    }
    return true;
}

/* ---- col2img ------------------------------------------------------------- */

static void
add_pixel(uint8_t *dst, const uint8_t *src, Dtype t)
{
    for (int c = 0; c < FRACTAL_SIDE; c++) {
        if (t == DT_F16) {
            uint16_t a, b;
            memcpy(&a, dst + 2 * c, 2);
            memcpy(&b, src + 2 * c, 2);
            a = half_from_float(half_to_float(a) + half_to_float(b));
            memcpy(dst + 2 * c, &a, 2);
        } else {
            float a, b;
            memcpy(&a, dst + 4 * c, 4);
            memcpy(&b, src + 4 * c, 4);
            uint32_t sum = float_bits_canonical(a + b);
            memcpy(dst + 4 * c, &sum, 4);
        }
    }
}

bool
emu_exec_col2img(EmuRun *r, const EmuOp *op)
{
    Image im;
    int64_t n = emu_slot(r, op, COL2IMG_repeat_time);
    int64_t left = emu_slot(r, op, COL2IMG_left_top_w),
            top = emu_slot(r, op, COL2IMG_left_top_h);
    int64_t w = emu_slot(r, op, COL2IMG_fetch_filter_w),
            h = emu_slot(r, op, COL2IMG_fetch_filter_h);
    if (!emu_begin(r, op)) {
        return false;
    }
    open_image(r, op, &im);
    if (!corner_ok(&im, left, top) || w >= im.s.kw || h >= im.s.kh) {
        return emu_refuse(r, op);
    }
    if (n == 0) {
        return true;
    }
    int64_t pixel = (int64_t)FRACTAL_SIDE * im.size, m = first_window(&im, left, top);
    const uint8_t *src = emu_operand(r, op, LOAD2D_src, n * FRACTAL_SIDE * pixel);
    uint8_t *dst = emu_operand(r, op, LOAD2D_dst, im.s.h * im.s.w * pixel);
    if (src == NULL || dst == NULL) {
        return emu_refuse(r, op);
    }
    for (int64_t i = 0; i < n * FRACTAL_SIDE && m + i < im.out_h * im.out_w; i++) {
        int64_t y = fractal_window_y(&im.s, (m + i) / im.out_w, h);
        int64_t x = fractal_window_x(&im.s, (m + i) % im.out_w, w);
        if (y >= 0 && y < im.s.h && x >= 0 && x < im.s.w) {
            add_pixel(dst + (y * im.s.w + x) * pixel, src + i * pixel, (Dtype)op->dtype);
        }
    }
    return true;
}

/* ---- binding ------------------------------------------------------------- */

bool
emu_bind_load(EmuProgram *p, EmuOp *op, const char **why)
{
    Dtype t = emu_slot_ref(p, op, LOAD2D_dst)->dtype;
    Sem sem = op_table[op->op].sem;
    op->dtype = (uint8_t)t;
    *why = "the load does not exist for its dtypes";
    bool adds = sem != SEM_COL2IMG || t == DT_F16 || t == DT_F32;
    bool square = sem != SEM_LOAD2D_SQUARE || dtype_size(t) != 2;
    return emu_slot_ref(p, op, LOAD2D_src)->dtype == t && dtype_size(t) <= 4 && adds &&
           square;
}
