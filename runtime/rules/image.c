/* image.c: the rules of load_image. It is a part of the checker, whose contract is
 * rules/internal.h.
 *
 * It owns image-format, image-function, image-size, image-crop, image-swap, image-csc,
 * image-dtc, image-pad; path and type-pair of load_image. Numbers of a function that is
 * switched off are not checked. */
#include "rules/image.h"
#include "rules/internal.h"

#include <stdarg.h>
#ifndef TIK_LEAN
#include <stdio.h>
#endif

enum {
    MAX_PIXELS = 4096,
    MIN_PIXELS = 8,
    MAX_PADDING = 32,
    PACKED_CHANNELS = 4
};

static bool
on(const ImageNumbers *n, int function)
{
    return (n->v[IMAGE_function_switch] & function) != 0;
}

static bool
in_range(int64_t v, int64_t lo, int64_t hi)
{
    return v >= lo && v <= hi;
}

/* ---- conversions of the colour space ------------------------------------- */

ImageCsc
image_fixed_csc(int64_t convert)
{
    static const ImageCsc to_rgb = {
        {298, 0, 409, 298, -100, -208, 298, 516, 0}, {0, 0, 0}, {16, 128, 128}};
    static const ImageCsc to_bgr = {
        {298, 516, 0, 298, -100, -208, 298, 0, 409}, {0, 0, 0}, {16, 128, 128}};
    static const ImageCsc brightness = {
        {256, 0, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    static const ImageCsc to_yuv = {
        {66, 129, 25, -38, -74, 112, 112, -94, -18}, {16, 128, 128}, {0, 0, 0}};
    static const ImageCsc to_yvu = {
        {66, 129, 25, 112, -94, -18, -38, -74, 112}, {16, 128, 128}, {0, 0, 0}};
    static const ImageCsc to_gray = {
        {76, 150, 30, 0, 0, 0, 0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    static const ImageCsc *const table[] = {&to_rgb, &to_bgr, &brightness,
                                            &to_yuv, &to_yvu, &to_gray,
                                            &to_yuv, &to_yvu, &to_gray};
    return *table[in_range(convert, 1, 9) ? convert - 1 : 0];
}

/* ---- geometry ------------------------------------------------------------ */

ImageShape
image_shape(const ImageNumbers *n)
{
    const int64_t *v = n->v;
    ImageShape s = {.w = v[IMAGE_src_horizontal_size], .h = v[IMAGE_src_vertical_size]};
    s.colours = v[IMAGE_input_format] == IMAGE_YUV400 ? 1 : 3;
    s.channels = BLOCK_BYTES / dtype_size(n->dst);
    if (on(n, IMAGE_CROP)) {
        s.x = v[IMAGE_crop_horizontal_start];
        s.y = v[IMAGE_crop_vertical_start];
        s.w = v[IMAGE_dst_horizontal_size];
        s.h = v[IMAGE_single_line_enable] == 1 ? 1 : v[IMAGE_dst_vertical_size];
    }
    if (on(n, IMAGE_AREA_PAD)) {
        s.top = v[IMAGE_top_pad_rows];
        s.bottom = v[IMAGE_botton_pad_rows];
        s.left = v[IMAGE_left_pad_cols];
        s.right = v[IMAGE_right_pad_cols];
    }
    if (on(n, IMAGE_CHANNEL_PAD) && v[IMAGE_channel_pad_mode] == 2) {
        s.channels = PACKED_CHANNELS;
    }
    return s;
}

/* This counts bytes in the first plane. */
static int64_t
pixel_bytes(int64_t format)
{
    return format == IMAGE_XRGB ? 4 : format == IMAGE_RGB ? 3 : 1;
}

static int64_t
dst_bytes(const ImageNumbers *n)
{
    ImageShape s = image_shape(n);
    int64_t wide = sat_add(sat_add(s.left, s.w), s.right);
    int64_t high = sat_add(sat_add(s.top, s.h), s.bottom);
    int64_t pixels = wide > 0 && high > 0 ? sat_mul(wide, high) : 0;
    return sat_mul(pixels, s.channels * dtype_size(n->dst));
}

int64_t
image_bytes(const ImageNumbers *n, int slot)
{
    int64_t w = n->v[IMAGE_src_horizontal_size], h = n->v[IMAGE_src_vertical_size];
    int64_t pixels = w > 0 && h > 0 ? sat_mul(w, h) : 0;
    bool two = n->v[IMAGE_planes] == 2, yuv = n->v[IMAGE_input_format] == IMAGE_YUV420;
    int64_t pairs = yuv && pixels > 0 ? sat_mul(w, h / 2 + h % 2) : 0;
    if (slot == IMAGE_dst) {
        return dst_bytes(n);
    }
    if (slot == IMAGE_src1) {
        return two ? pairs : 0;
    }
    return sat_add(sat_mul(pixels, pixel_bytes(n->v[IMAGE_input_format])),
                   two ? 0 : pairs);
}

/* ---- rules of numbers ---------------------------------------------------- */

/* Where the text of a broken rule goes. */
typedef struct Text {
    char *text;
    size_t size;
} Text;

#ifdef TIK_LEAN
#define broken(t, ...) ((void)(t), false)
#else
static bool __attribute__((format(printf, 2, 3)))
broken(const Text *t, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(t->text, t->size, fmt, args);
    va_end(args);
    return false;
}
#endif

static bool
format_ok(const ImageNumbers *n, const Text *t)
{
    int64_t f = n->v[IMAGE_input_format];
    if (f != IMAGE_YUV420 && f != IMAGE_XRGB && f != IMAGE_RGB && f != IMAGE_YUV400) {
        return broken(t, "input_format is %lld; it is 0, 1, 4 or 9", (long long)f);
    }
    return n->v[IMAGE_planes] == 1 || f == IMAGE_YUV420 ||
           broken(t, "input_format is %lld and src1 is given; that format has one plane",
                  (long long)f);
}

static bool
function_ok(const ImageNumbers *n, const Text *t)
{
    int64_t f = n->v[IMAGE_function_switch];
    if ((f & ~(int64_t)IMAGE_ALL) != 0) {
        return broken(
            t,
            "function_switch is %lld; it has bits of functions other than crop, "
            "swap, csc, dtc, area_pad and channel_pad",
            (long long)f);
    }
    if (n->v[IMAGE_input_format] == IMAGE_YUV400 && on(n, IMAGE_SWAP | IMAGE_CSC)) {
        return broken(t, "function_switch is %lld; YUV400 has neither swap nor csc",
                      (long long)f);
    }
    return n->dst != DT_U8 || !on(n, IMAGE_DTC) ||
           broken(t, "function_switch is %lld; a uint8 destination has no dtc",
                  (long long)f);
}

static bool
width_ok(const ImageNumbers *n, const Text *t)
{
    int64_t w = n->v[IMAGE_src_horizontal_size], h = n->v[IMAGE_src_vertical_size];
    if (!in_range(h, 1, INT32_MAX)) {
        return broken(t, "src_vertical_size is %lld; it is at least 1", (long long)h);
    }
    return n->v[IMAGE_input_format] != IMAGE_YUV420 || w % 2 == 0 ||
           broken(t, "src_horizontal_size is %lld; of YUV420SP it is even", (long long)w);
}

/* Checks a side of the area that is cut out: [start, start + size) of whole pixels. */
static bool
side_ok(const char *side, int64_t start, int64_t size, int64_t whole, const Text *t)
{
    if (!in_range(start, 0, MAX_PIXELS - 1) || start % 2 != 0) {
        return broken(t, "crop_%s_start is %lld; it is even and 0 to 4095", side,
                      (long long)start);
    }
    return start + size <= whole ||
           broken(t, "crop_%s_start is %lld and dst_%s_size %lld; the image ends at %lld",
                  side, (long long)start, side, (long long)size, (long long)whole);
}

static bool
crop_ok(const ImageNumbers *n, const Text *t)
{
    const int64_t *v = n->v;
    bool lines = soc_has(n->soc, FEATURE_IMAGE_SINGLE_LINE);
    if (!on(n, IMAGE_CROP)) {
        return true;
    }
    if (!in_range(v[IMAGE_single_line_enable], 0, lines)) {
        return broken(t, "single_line_enable is %lld; on %s it is 0%s",
                      (long long)v[IMAGE_single_line_enable], n->soc->name,
                      lines ? " or 1" : "");
    }
    bool single = v[IMAGE_single_line_enable] == 1;
    if (!in_range(v[IMAGE_dst_horizontal_size], MIN_PIXELS, MAX_PIXELS)) {
        return broken(t, "dst_horizontal_size is %lld; it is 8 to 4096",
                      (long long)v[IMAGE_dst_horizontal_size]);
    }
    if (!in_range(v[IMAGE_dst_vertical_size], single ? 1 : MIN_PIXELS,
                  single ? 1 : MAX_PIXELS)) {
        return broken(t, "dst_vertical_size is %lld; it is %s",
                      (long long)v[IMAGE_dst_vertical_size],
                      single ? "1 of a single line" : "8 to 4096");
    }
    return side_ok("horizontal", v[IMAGE_crop_horizontal_start],
                   v[IMAGE_dst_horizontal_size], v[IMAGE_src_horizontal_size], t) &&
           side_ok("vertical", v[IMAGE_crop_vertical_start], v[IMAGE_dst_vertical_size],
                   v[IMAGE_src_vertical_size], t);
}

static bool
swap_ok(const ImageNumbers *n, const Text *t)
{
    static const struct {
        const char *name;
        int slot;
        uint32_t formats;
    } swaps[] = {{"rb", IMAGE_rb_swap, 1u << IMAGE_XRGB | 1u << IMAGE_RGB},
                 {"uv", IMAGE_uv_swap, 1u << IMAGE_YUV420},
                 {"ax", IMAGE_ax_swap, 1u << IMAGE_XRGB}};
    if (!on(n, IMAGE_SWAP) || !in_range(n->v[IMAGE_input_format], 0, 15)) {
        return true;
    }
    for (size_t i = 0; i < sizeof swaps / sizeof swaps[0]; i++) {
        int64_t v = n->v[swaps[i].slot];
        bool has = swaps[i].formats >> n->v[IMAGE_input_format] & 1;
        if (!in_range(v, 0, has)) {
            return broken(t, "%s of swap_list is %lld; of input_format %lld it is 0%s",
                          swaps[i].name, (long long)v,
                          (long long)n->v[IMAGE_input_format], has ? " or 1" : "");
        }
    }
    return true;
}

static bool
csc_ok(const ImageNumbers *n, const Text *t)
{
    int64_t c = n->v[IMAGE_format_convert], f = n->v[IMAGE_input_format];
    int64_t first = f == IMAGE_YUV420 ? 1 : f == IMAGE_XRGB ? 4 : 7;
    return !on(n, IMAGE_CSC) || c == 0 || in_range(c, first, first + 2) ||
           broken(t,
                  "format_convert is %lld; of input_format %lld it is 0 or %lld to %lld",
                  (long long)c, (long long)f, (long long)first, (long long)first + 2);
}

static bool
dtc_ok(const ImageNumbers *n, const Text *t)
{
    int64_t m = n->v[IMAGE_dtc_mean_type];
    return !on(n, IMAGE_DTC) || m == 0 || m == 1 ||
           broken(t, "dtc_mean_type is %lld; it is 0 or 1", (long long)m);
}

/* Checks two of the four sizes, with that of the image between them. */
static bool
padding_ok(const ImageNumbers *n, int slot, int64_t pixels, const Text *t)
{
    static const char *const names[] = {"top_pad_rows", "botton_pad_rows",
                                        "left_pad_cols", "right_pad_cols"};
    int64_t mode = n->v[IMAGE_area_pad_mode];
    int64_t most =
        slot <= IMAGE_botton_pad_rows && mode == IMAGE_PAD_VALUE ? 0 : MAX_PADDING;
    if (mode >= IMAGE_PAD_BLOCK && pixels >= 0 && pixels < most) {
        most = pixels;
    }
    return in_range(n->v[slot], 0, most) ||
           broken(t, "%s is %lld; here it is 0 to %lld", names[slot - IMAGE_top_pad_rows],
                  (long long)n->v[slot], (long long)most);
}

static bool
area_ok(const ImageNumbers *n, const Text *t)
{
    ImageShape s = image_shape(n);
    if (!on(n, IMAGE_AREA_PAD)) {
        return true;
    }
    if (!in_range(n->v[IMAGE_area_pad_mode], IMAGE_PAD_VALUE, IMAGE_PAD_MIRROR)) {
        return broken(t, "area_pad_mode is %lld; it is 0 to 3",
                      (long long)n->v[IMAGE_area_pad_mode]);
    }
    return padding_ok(n, IMAGE_top_pad_rows, s.h, t) &&
           padding_ok(n, IMAGE_botton_pad_rows, s.h, t) &&
           padding_ok(n, IMAGE_left_pad_cols, s.w, t) &&
           padding_ok(n, IMAGE_right_pad_cols, s.w, t);
}

static bool
channels_ok(const ImageNumbers *n, const Text *t)
{
    int64_t mode = n->v[IMAGE_channel_pad_mode], bytes = dst_bytes(n);
    bool four = soc_has(n->soc, FEATURE_IMAGE_CHANNELS_4);
    if (!on(n, IMAGE_CHANNEL_PAD)) {
        return true;
    }
    if (mode != 0 && !(four && mode == 2)) {
        return broken(t, "channel_pad_mode is %lld; on %s it is 0%s", (long long)mode,
                      n->soc->name, four ? " or 2" : "");
    }
    return bytes % BLOCK_BYTES == 0 ||
           broken(t, "the result has %lld bytes, which are no whole blocks of 32",
                  (long long)bytes);
}

bool
image_number_ok(const ImageNumbers *n, int slot, char *text, size_t size)
{
    const Text t = {text, size};
    switch (slot) {
    case IMAGE_input_format:
        return format_ok(n, &t);
    case IMAGE_function_switch:
        return function_ok(n, &t);
    case IMAGE_src_horizontal_size:
        return width_ok(n, &t);
    case IMAGE_dst_horizontal_size:
        return crop_ok(n, &t);
    case IMAGE_rb_swap:
        return swap_ok(n, &t);
    case IMAGE_format_convert:
        return csc_ok(n, &t);
    case IMAGE_dtc_mean_type:
        return dtc_ok(n, &t);
    case IMAGE_area_pad_mode:
        return area_ok(n, &t);
    case IMAGE_channel_pad_mode:
        return channels_ok(n, &t);
    default:
        return true;
    }
}

Rule
image_rule(int slot)
{
    switch (slot) {
    case IMAGE_input_format:
        return RULE_IMAGE_FORMAT;
    case IMAGE_function_switch:
        return RULE_IMAGE_FUNCTION;
    case IMAGE_src_horizontal_size:
        return RULE_IMAGE_SIZE;
    case IMAGE_dst_horizontal_size:
        return RULE_IMAGE_CROP;
    case IMAGE_rb_swap:
        return RULE_IMAGE_SWAP;
    case IMAGE_format_convert:
        return RULE_IMAGE_CSC;
    case IMAGE_dtc_mean_type:
        return RULE_IMAGE_DTC;
    case IMAGE_area_pad_mode:
    case IMAGE_channel_pad_mode:
        return RULE_IMAGE_PAD;
    default:
        return RULE_NONE;
    }
}

/* ---- the family ---------------------------------------------------------- */

static void
numbers_of(const CheckInstr *in, ImageNumbers *n)
{
    n->soc = in->soc;
    n->dst = in->args[IMAGE_dst].t.dtype;
    for (int i = 0; i < IMAGE_SLOTS; i++) {
        n->v[i] = i < IMAGE_planes ? 0 : in->args[i].v;
    }
}

static bool
image_statics(const CheckInstr *in, Fault *fault)
{
    uint32_t info;
    Dtype dst = in->args[IMAGE_dst].t.dtype;
    FaultAt at = {RULE_PATH, IMAGE_dst, 0, 0, 0};
    if (in->args[IMAGE_dst].t.scope != SC_L1 || in->args[IMAGE_src0].t.scope != SC_GM ||
        in->args[IMAGE_src1].t.scope != SC_GM) {
        return check_fail(fault, &at, "load_image moves from GM to L1, nowhere else");
    }
    for (int i = IMAGE_src0; i <= IMAGE_src1; i++) {
        Dtype src = in->args[i].t.dtype;
        at = (FaultAt){RULE_TYPE_PAIR, i, (int64_t)src, 0, 0};
        if (!op_has_pair(in->op, dst, src, in->soc, &info)) {
            return check_fail(fault, &at, "load_image on %s does not take %s to %s",
                              in->soc->name, dtype_name(src), dtype_name(dst));
        }
    }
    return check_attr(in, IMAGE_planes, fault);
}

LEAN_APART static int64_t
image_extent(const CheckInstr *in, int param)
{
    ImageNumbers n;
    numbers_of(in, &n);
    return image_bytes(&n, param);
}

/* Returns the rows that are cut out of a plane. The second plane of YUV420 has a pair of
 * bytes for two pixels in two rows; if it follows the first plane, all bytes between the
 * first and the last one count as read. */
LEAN_APART static Footprint
window(const ImageNumbers *n, int64_t at, int param, bool *exact)
{
    ImageShape s = image_shape(n);
    int64_t w = n->v[IMAGE_src_horizontal_size], f = n->v[IMAGE_input_format],
            pairs = s.w + s.w % 2;
    if (param == IMAGE_src1) {
        return (Footprint){at + s.y / 2 * w + s.x, (s.h + 1) / 2, w, 1, 0, pairs};
    }
    int64_t size = pixel_bytes(f), first = at + (s.y * w + s.x) * size;
    if (f == IMAGE_YUV420 && n->v[IMAGE_planes] == 1) {
        int64_t last =
            at + (n->v[IMAGE_src_vertical_size] + (s.y + s.h - 1) / 2) * w + s.x + pairs;
        *exact = false;
        return (Footprint){first, 1, 0, 1, 0, last - first};
    }
    return (Footprint){first, s.h, w * size, 1, 0, s.w * size};
}

/* Bounds are checked for the whole image (image_extent), which the manual describes; only
 * the part that is cut out is read. */
static Footprint
image_footprint(const CheckInstr *in, int param, bool *exact)
{
    ImageNumbers n;
    numbers_of(in, &n);
    int64_t bytes = image_bytes(&n, param), at = in->args[param].t.offset;
    *exact = true;
    return param != IMAGE_dst && bytes > 0 && on(&n, IMAGE_CROP)
               ? window(&n, at, param, exact)
               : (Footprint){at, bytes > 0, 0, 1, 0, bytes};
}

/* By the manual pairs of colours and words of four bytes begin at multiples of their
 * sizes. */
static int
image_align(const CheckInstr *in, int param)
{
    const CheckTensor *t = &in->args[param].t;
    const CheckArg *f = &in->args[IMAGE_input_format];
    if (param == IMAGE_dst) {
        return scope_align(t->scope, t->dtype);
    }
    return !f->literal ? 1 : f->v == IMAGE_YUV420 ? 2 : f->v == IMAGE_XRGB ? 4 : 1;
}

bool
image_aligned(const CheckInstr *in, Fault *fault)
{
    CheckInstr known = *in;
    known.args[IMAGE_input_format].literal = true;
    return check_step(&known, (CheckStep){CHECK_ALIGN, IMAGE_src0}, fault) &&
           check_step(&known, (CheckStep){CHECK_ALIGN, IMAGE_src1}, fault);
}

bool
check_image_number(const CheckInstr *in, int param, Fault *fault)
{
    char text[TIK_TEXT_BYTES(160)];
    ImageNumbers n;
    numbers_of(in, &n);
    FaultAt at = {image_rule(param), param, in->args[param].v, 0, 0};
    return image_number_ok(&n, param, text, sizeof text) ||
           check_fail(fault, &at, "%s", text);
}

static bool
image_irregular(const CheckInstr *in)
{
    (void)in;
    return true;
}

const FamilyRules rules_image = {.statics = image_statics,
                                 .extent = image_extent,
                                 .footprint = image_footprint,
                                 .align = image_align,
                                 .irregular = image_irregular};
