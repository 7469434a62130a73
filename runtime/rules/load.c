/* load.c: the rules of loads into the matrix unit (cube 3 and 4), of fractals and of
 * windows of images, and of col2img. Part of the checker; rules/internal.h is the
 * contract.
 *
 * Owns: transpose, addr-mode, dst-overlap, csize, range-fetch, range-lefttop,
 * lefttop-grid, kernel-outside, channel, start-pt, extension, extension-range; path,
 * scope and overlap of this family. The limits of single numbers are in form.def. */
#include "rules/internal.h"
#include "rules/load.h"
#include "layout/fractal.h"

/* ---- paths --------------------------------------------------------------- */

typedef struct LoadPath {
    Sem sem;
    Scope src, dst;
    CoreSet cores;
} LoadPath;

static const LoadPath paths[] = {
#define LOAD_PATH(sem, src, dst, cores) {SEM_##sem, SC_##src, SC_##dst, cores},
#include "rules/family_path.def"
};

enum {
    PATHS = sizeof paths / sizeof paths[0]
};

static Sem
sem_of(const CheckInstr *in)
{
    return op_sem(in->op);
}

static int64_t
size_of(const CheckInstr *in)
{
    return dtype_size(in->args[LOAD2D_dst].t.dtype);
}

static bool
path_ok(const CheckInstr *in, Fault *fault)
{
    Scope src = in->args[LOAD2D_src].t.scope, dst = in->args[LOAD2D_dst].t.scope;
    for (int i = 0; i < PATHS; i++) {
        const LoadPath *p = &paths[i];
        if (p->sem == sem_of(in) && soc_on(in->soc, p->cores) && p->src == src &&
            p->dst == dst) {
            return true;
        }
    }
    FaultAt at = {RULE_PATH, LOAD2D_dst, 0, 0, 0};
    return check_fail(fault, &at, "%s has no path from %s to %s on %s", check_op_name(in),
                      scope_name(src), scope_name(dst), in->soc->name);
}

/* ---- static rules -------------------------------------------------------- */

static int
transpose_slot(const CheckInstr *in)
{
    int slot = op_slot(in->op, ROLE_ATTR, NAMED(if_transpose));
    return slot >= 0 ? slot : op_slot(in->op, ROLE_ATTR, NAMED(en_transpose));
}

static bool
transpose_ok(const CheckInstr *in, Fault *fault)
{
    int slot = transpose_slot(in);
    Scope src = in->args[LOAD2D_src].t.scope, dst = in->args[LOAD2D_dst].t.scope;
    if (slot < 0) {
        return true;
    }
    FaultAt at = {RULE_TRANSPOSE, slot, in->args[slot].v, 0, 0};
    bool lite = soc_has(in->soc, FEATURE_LOAD2D_BOX);
    if (in->args[slot].v == 0) {
        return !lite || sem_of(in) != SEM_LOAD2D ||
               check_fail(fault, &at, "%s of %s always transposes", check_op_name(in),
                          in->soc->name);
    }
    bool to = dst == SC_L0A || (dst == SC_L0B && sem_of(in) != SEM_LOAD3D2);
    return (src == SC_L1 && to && size_of(in) == 2) ||
           check_fail(
               fault, &at,
               "transposition of %s from %s to %s is asked for; %s transposes 16-bit "
               "elements from L1 to L0A%s",
               dtype_name(in->args[LOAD2D_dst].t.dtype), scope_name(src), scope_name(dst),
               check_op_name(in), sem_of(in) == SEM_LOAD3D2 ? "" : " or L0B");
}

/* Returns the slot of the order; -1 when the load has none. */
static int
mode_slot(Op op)
{
    switch (op_form(op)) {
    case FORM_LOAD2D1:
        return LOAD2D1_addr_mode;
    case FORM_LOAD2D:
        return LOAD2D_addr_mode;
    case FORM_LOAD2DSQUARE:
        return LOAD2DSQUARE_addr_mode;
    default:
        return -1;
    }
}

static bool
is_descending(const CheckInstr *in)
{
    int slot = mode_slot(in->op);
    return slot >= 0 && in->args[slot].v == 1;
}

/* Descending order exists on the 910, Hi3796CV300ES, 910B and the classes of the 310P and
 * 610. */
static bool
mode_ok(const CheckInstr *in, Fault *fault)
{
    FaultAt at = {RULE_ADDR_MODE, mode_slot(in->op), 1, 0, 0};
    return !is_descending(in) || soc_has(in->soc, FEATURE_LOAD2D_DOWN) ||
           check_fail(fault, &at, "addr_mode is 'dec', which %s on %s does not have",
                      check_op_name(in), in->soc->name);
}

static bool
in_ub(const CheckInstr *in, int param, Fault *fault)
{
    Scope s = in->args[param].t.scope;
    FaultAt at = {RULE_SCOPE, param, (int64_t)s, SC_UB, SC_UB};
    return s == SC_UB ||
           check_fail(fault, &at, "%s is in %s; %s works in UB",
                      check_param_name(in, param), scope_name(s), check_op_name(in));
}

/* Only 16-bit fractals of windows are known to be transposed into L0B. */
static bool
l0b_type(const CheckInstr *in, Fault *fault)
{
    Dtype t = in->args[LOAD2D_dst].t.dtype;
    FaultAt at = {RULE_DTYPE_UNSUPPORTED, LOAD2D_dst, (int64_t)t, 0, 0};
    return sem_of(in) != SEM_LOAD3D2 || in->args[LOAD2D_dst].t.scope != SC_L0B ||
           dtype_size(t) == 2 ||
           check_fail(fault, &at,
                      "dst is %s in L0B; load3dv2 takes 16-bit elements there",
                      dtype_name(t));
}

static bool
static_load(const CheckInstr *in, Fault *fault)
{
    if (sem_of(in) == SEM_COL2IMG) {
        return in_ub(in, LOAD2D_dst, fault) && in_ub(in, LOAD2D_src, fault);
    }
    return path_ok(in, fault) && transpose_ok(in, fault) && mode_ok(in, fault) &&
           l0b_type(in, fault);
}

/* ---- windows of images --------------------------------------------------- */

static int
kernel_shift(const CheckInstr *in)
{
    return load_kernel_shift(op_form(in->op));
}

static FractalWindows
windows_of(const CheckInstr *in)
{
    const CheckArg *a = in->args, *k = in->args + kernel_shift(in);
    return (FractalWindows){.h = a[LOAD3D1_l1_h].v,
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
}

/* Every number of the image and the kernel is in its range: then no product overflows. */
bool
check_is_geometry(const CheckInstr *in)
{
    int shift = kernel_shift(in);
    for (int i = LOAD3D1_pad; i <= LOAD3D1_dilation_filter_h + shift; i++) {
        if ((i <= LOAD3D1_l1_w || i >= LOAD3D1_stride_w + shift) &&
            !check_in_row(in, i)) {
            return false;
        }
    }
    return true;
}

/* ---- bytes --------------------------------------------------------------- */

/* Returns n pieces of `bytes` bytes each from the operand's first byte on; first and step
 * count pieces. */
static Footprint
pieces(int64_t first, int64_t n, int64_t step, int64_t bytes)
{
    Footprint f = {sat_mul(first, bytes), n, sat_mul(step, bytes), 1, 0, bytes};
    if (n > 1 && f.stride0 < 0) { /* from the last piece on upwards */
        f.offset = sat_add(f.offset, sat_mul(n - 1, f.stride0));
        f.stride0 = -f.stride0;
    }
    return f;
}

static Footprint
fractals(int64_t first, int64_t n, int64_t step)
{
    return pieces(first, n, step, FRACTAL_BYTES);
}

static Footprint
whole(int64_t bytes)
{
    return (Footprint){0, 1, 0, 1, 0, bytes};
}

static Footprint
load2d_bytes(const CheckInstr *in, int param)
{
    const CheckArg *a = in->args;
    bool one = op_form(in->op) == FORM_LOAD2D1;
    int64_t n = a[LOAD2D_repeat_times].v < 0 ? 0 : a[LOAD2D_repeat_times].v;
    if (param == LOAD2D_dst) {
        return fractals(0, n, one ? 1 : sat_add(a[LOAD2D_dst_gap].v, 1));
    }
    int64_t step = a[one ? LOAD2D1_src_stride : LOAD2D_src_stride].v;
    return fractals(a[LOAD2D_start_index].v, n,
                    is_descending(in) ? sat_mul(step, -1) : step);
}

/* Returns squares of two fractals; in the destination the first fractals have gaps, and
 * each has one to its second fractal. */
static Footprint
square_bytes(const CheckInstr *in, int param)
{
    const CheckArg *a = in->args;
    int64_t n = a[LOAD2DSQUARE_repeat_times].v < 0 ? 0 : a[LOAD2DSQUARE_repeat_times].v;
    int64_t step = a[LOAD2DSQUARE_src_stride].v;
    if (param == LOAD2D_src) {
        return pieces(a[LOAD2DSQUARE_start_index].v, n,
                      is_descending(in) ? sat_mul(step, -1) : step, 2 * FRACTAL_BYTES);
    }
    Footprint f = fractals(0, n, sat_add(a[LOAD2DSQUARE_dst_gap].v, 1));
    f.count1 = 2;
    f.stride1 = sat_mul(sat_add(a[LOAD2DSQUARE_dst_frac_gap].v, 1), FRACTAL_BYTES);
    return f;
}

static Footprint
box_bytes(const CheckInstr *in, int param)
{
    const CheckArg *a = in->args;
    bool src = param == LOAD2D_src;
    int64_t pitch = a[src ? LOAD2DBOX_src_stride : LOAD2DBOX_dst_stride].v;
    int64_t first = src ? sat_add(sat_mul(a[LOAD2DBOX_k_start_pt].v, pitch),
                                  a[LOAD2DBOX_m_start_pt].v)
                        : 0;
    int64_t m = a[LOAD2DBOX_m_step].v < 0 ? 0 : a[LOAD2DBOX_m_step].v;
    int64_t k = a[LOAD2DBOX_k_step].v < 0 ? 0 : a[LOAD2DBOX_k_step].v;
    return (Footprint){
        sat_mul(first, FRACTAL_BYTES),        k, sat_mul(pitch, FRACTAL_BYTES), 1, 0,
        m > 0 ? sat_mul(m, FRACTAL_BYTES) : 0};
}

/* Returns the groups of channels of an image. */
static int64_t
image_bytes(const CheckInstr *in, int64_t groups)
{
    return sat_mul(sat_mul(groups, FRACTAL_ROW),
                   sat_mul(in->args[LOAD3D1_l1_h].v, in->args[LOAD3D1_l1_w].v));
}

/* Returns the groups of channels of load3dv1 up to the last one that is read. */
static Footprint
load3d1_bytes(const CheckInstr *in, int param)
{
    const CheckArg *a = in->args;
    FractalWindows s = windows_of(in);
    int64_t n = a[LOAD3D1_repeat_time].v < 0 ? 0 : a[LOAD3D1_repeat_time].v;
    if (param == LOAD2D_dst) {
        return fractals(0, n, a[LOAD3D1_jump_offset].v);
    }
    if (n == 0 || !check_is_geometry(in)) {
        return whole(0);
    }
    if (a[LOAD3D1__csize].v == 1) {
        return whole(FRACTAL_FEW * size_of(in) * s.h * s.w);
    }
    int64_t point =
        sat_add(sat_mul(a[LOAD3D1_fetch_filter_h].v, s.kw), a[LOAD3D1_fetch_filter_w].v);
    int64_t more =
        a[LOAD3D1_repeat_mode].v == 0 ? sat_add(point, n - 1) / (s.kh * s.kw) : 0;
    return whole(image_bytes(in, sat_add(sat_add(a[LOAD3D1_c1_index].v, more), 1)));
}

static Footprint
load3d2_bytes(const CheckInstr *in, int param)
{
    const CheckArg *a = in->args;
    int64_t c0 = fractal_c0(size_of(in));
    if (param == LOAD2D_src) {
        return whole(image_bytes(in, fractal_count(a[LOAD3D2_channel_size].v, c0)));
    }
    int64_t m = a[LOAD3D2_m_extension].v < 0 ? 0 : a[LOAD3D2_m_extension].v;
    int64_t k = a[LOAD3D2_k_extension].v < 0 ? 0 : a[LOAD3D2_k_extension].v;
    return whole(sat_mul(sat_mul(fractal_count(m, FRACTAL_SIDE), fractal_count(k, c0)),
                         FRACTAL_BYTES));
}

static Footprint
col2img_bytes(const CheckInstr *in, int param)
{
    const CheckArg *a = in->args;
    int64_t pixel = FRACTAL_SIDE * size_of(in);
    int64_t n = a[COL2IMG_repeat_time].v < 0 ? 0 : a[COL2IMG_repeat_time].v;
    if (param == LOAD2D_src) {
        return whole(sat_mul(n, FRACTAL_SIDE * pixel));
    }
    return whole(n > 0 ? sat_mul(pixel, sat_mul(a[LOAD3D1_l1_h].v, a[LOAD3D1_l1_w].v))
                       : 0);
}

static Footprint
bytes_of(const CheckInstr *in, int param)
{
    switch (sem_of(in)) {
    case SEM_LOAD2D:
        return load2d_bytes(in, param);
    case SEM_LOAD2D_BOX:
        return box_bytes(in, param);
    case SEM_LOAD2D_SQUARE:
        return square_bytes(in, param);
    case SEM_LOAD3D1:
        return load3d1_bytes(in, param);
    case SEM_LOAD3D2:
        return load3d2_bytes(in, param);
    default:
        return col2img_bytes(in, param);
    }
}

/* The bytes that are read of images depend on the windows; col2img also reads its
 * destination. */
static Footprint
load_footprint(const CheckInstr *in, int param, bool *exact)
{
    Sem sem = sem_of(in);
    Footprint f = bytes_of(in, param);
    f.offset = sat_add(f.offset, in->args[param].t.offset);
    *exact = sem == SEM_LOAD2D || sem == SEM_LOAD2D_BOX || sem == SEM_LOAD2D_SQUARE ||
             (param == LOAD2D_dst && sem != SEM_COL2IMG) ||
             (param == LOAD2D_src && sem == SEM_COL2IMG);
    return f;
}

/* Fractals in descending order must not begin before the operand. */
static bool
load_bounds(const CheckInstr *in, int param, Fault *fault)
{
    if (mode_slot(in->op) < 0 || param != LOAD2D_src) {
        return true;
    }
    Footprint f = bytes_of(in, param);
    FaultAt at = {RULE_TENSOR_OVERFLOW, param, f.offset, 0, 0};
    return f.count0 <= 0 || f.offset >= 0 ||
           check_fail(fault, &at, "src begins at %s %lld, before the operand",
                      f.len == FRACTAL_BYTES ? "fractal" : "square",
                      (long long)(f.offset / f.len));
}

/* ---- relations of numbers ------------------------------------------------ */

static bool
load_irregular(const CheckInstr *in)
{
    switch (sem_of(in)) {
    case SEM_LOAD2D:
        return is_descending(in);
    case SEM_LOAD2D_BOX:
        return false;
    default:
        return true;
    }
}

bool
check_kernel_fits(const FractalWindows *s, bool width, Rule rule, int param, Fault *fault)
{
    int64_t kernel = width ? s->kw : s->kh,
            dilation = width ? s->dilation_w : s->dilation_h;
    int64_t size = sat_add(sat_mul(dilation, sat_add(kernel, -1)), 1);
    int64_t room = width ? sat_add(sat_add(s->w, s->left), s->right)
                         : sat_add(sat_add(s->h, s->top), s->bottom);
    FaultAt at = {rule, param, size, 1, room};
    return size <= room ||
           check_fail(
               fault, &at,
               "the kernel with its dilation is %lld elements %s; the image with its "
               "padding has %lld",
               (long long)size, width ? "wide" : "high", (long long)room);
}

static bool
corner_on_grid(const CheckInstr *in, int param, int64_t pad, int64_t stride, Fault *fault)
{
    int64_t v = in->args[param].v;
    FaultAt at = {RULE_RANGE_LEFTTOP, param, v, -pad, INT16_MAX};
    if (v < -pad) {
        return check_fail(fault, &at, "%s is %lld; the padding begins at %lld",
                          check_param_name(in, param), (long long)v, (long long)-pad);
    }
    at.rule = RULE_LEFTTOP_GRID;
    return (v + pad) % stride == 0 ||
           check_fail(
               fault, &at,
               "%s is %lld, %lld after the corner of the padded image, which is no "
               "multiple of the stride %lld",
               check_param_name(in, param), (long long)v, (long long)(v + pad),
               (long long)stride);
}

/* The last group may have 4 channels or a half of them; with 8-bit elements also a
 * quarter. */
bool
check_channels(const CheckInstr *in, int param, Fault *fault)
{
    (void)param;
    if (!check_is_geometry(in)) {
        return true; /* the number that is out of its range reports */
    }
    int64_t size = size_of(in), c0 = fractal_c0(size),
            v = in->args[LOAD3D2_channel_size].v;
    int64_t rest = v % c0;
    FaultAt at = {RULE_CHANNEL, LOAD3D2_channel_size, v, 1, 65535};
    return rest == 0 || rest == 4 || (rest == 8 && size < 4) ||
           (rest == 16 && size == 1) ||
           check_fail(
               fault, &at,
               "channel_size is %lld, %lld more than whole groups of %lld; %s of 4%s "
               "may be left",
               (long long)v, (long long)rest, (long long)c0,
               size == 4 ? "a rest" : "rests",
               size == 4   ? ""
               : size == 2 ? " or 8"
                           : ", 8 or 16");
}

/* Rows or columns of the matrix of windows, in whole fractals or to its end. */
static bool
extension_ok(const CheckInstr *in, int param, const FractalWindows *s, Fault *fault)
{
    bool rows = param == LOAD3D2_m_extension;
    int64_t c0 = fractal_c0(size_of(in));
    int64_t all = rows ? fractal_windows_h(s) * fractal_windows_w(s)
                       : fractal_up(in->args[LOAD3D2_channel_size].v, c0) * s->kh * s->kw;
    int64_t start = in->args[rows ? LOAD3D2_m_start_pt : LOAD3D2_k_start_pt].v,
            n = in->args[param].v;
    int64_t unit = rows ? FRACTAL_SIDE : c0;
    FaultAt at = {RULE_EXTENSION_RANGE, param, start + n, 0, all};
    if (all <= 0) {
        return true; /* conv-kernel */
    }
    if (start + n > all) {
        return check_fail(fault, &at,
                          "%s %lld and the start %lld end after the matrix of windows, "
                          "which has %lld %s",
                          check_param_name(in, param), (long long)n, (long long)start,
                          (long long)all, rows ? "rows" : "columns");
    }
    at.rule = RULE_EXTENSION;
    return n % unit == 0 || start + n == all ||
           check_fail(fault, &at,
                      "%s is %lld, no multiple of %lld, and ends before the matrix of "
                      "windows does at %lld",
                      check_param_name(in, param), (long long)n, (long long)unit,
                      (long long)all);
}

/* Points of 4 channels are packed: four of them fill a row of 16-bit elements. */
bool
check_few_channels(const CheckInstr *in, int param, Fault *fault)
{
    (void)param;
    if (!check_is_geometry(in)) {
        return true; /* the number that is out of its range reports */
    }
    int64_t c1 = in->args[LOAD3D1_c1_index].v, size = size_of(in);
    FaultAt at = {RULE_CSIZE, LOAD3D1__csize, in->args[LOAD3D1__csize].v, 0, 0};
    if (in->args[LOAD3D1__csize].v != 1 || (size == 2 && c1 == 0)) {
        return true;
    }
    return size != 2 ? check_fail(fault, &at, "_csize is 1; with %s it is 0",
                                  dtype_name(in->args[LOAD2D_dst].t.dtype))
                     : check_fail(fault, &at,
                                  "_csize is 1 and c1_index %lld; an image of 4 channels "
                                  "has one group",
                                  (long long)c1);
}

/* The second fractal of a square is not the first one of a later square. */
bool
check_squares_apart(const CheckInstr *in, int param, Fault *fault)
{
    (void)param;
    int64_t gap = in->args[LOAD2DSQUARE_dst_gap].v,
            frac = in->args[LOAD2DSQUARE_dst_frac_gap].v;
    if (!check_in_row(in, LOAD2DSQUARE_dst_gap) ||
        !check_in_row(in, LOAD2DSQUARE_dst_frac_gap)) {
        return true;
    }
    int64_t later = (frac + 1) / (gap + 1);
    FaultAt at = {RULE_DST_OVERLAP, LOAD2DSQUARE_dst_frac_gap, frac, 0, 0};
    return (frac + 1) % (gap + 1) != 0 ||
           later >= in->args[LOAD2DSQUARE_repeat_times].v ||
           check_fail(fault, &at,
                      "with dst_gap %lld and dst_frac_gap %lld the second fractal of a "
                      "square is the first one of the square %lld after it",
                      (long long)gap, (long long)frac, (long long)later);
}

bool
check_extension(const CheckInstr *in, int param, Fault *fault)
{
    FractalWindows s = windows_of(in);
    bool sane = check_is_geometry(in) && check_in_row(in, LOAD3D2_channel_size) &&
                check_in_row(in, LOAD3D2_k_start_pt) &&
                check_in_row(in, LOAD3D2_m_start_pt);
    return !sane || extension_ok(in, param, &s, fault);
}

bool
check_left_top(const CheckInstr *in, int param, Fault *fault)
{
    FractalWindows s = windows_of(in);
    bool wide = param == (op_form(in->op) == FORM_COL2IMG ? COL2IMG_left_top_w
                                                          : LOAD3D1_left_top_w);
    return !check_is_geometry(in) ||
           corner_on_grid(in, param, wide ? s.left : s.top,
                          wide ? s.stride_w : s.stride_h, fault);
}

/* ---- overlap ------------------------------------------------------------- */

static bool
load_has_overlap(Op op, int param)
{
    return op_sem(op) == SEM_COL2IMG && param == LOAD2D_src;
}

static Rule
load_overlap_rule(Op op, int param)
{
    (void)op;
    (void)param;
    return RULE_OVERLAP_FORBIDDEN;
}

static bool
load_overlap(const CheckInstr *in, int param, Fault *fault)
{
    return check_apart(in, RULE_OVERLAP_FORBIDDEN, LOAD2D_dst, param, fault);
}

static bool
load_reads_dst(const CheckInstr *in)
{
    return sem_of(in) == SEM_COL2IMG;
}

/* Whether the numbers of the image and the kernel are literals. */
static bool
knows_windows(const CheckInstr *in)
{
    int shift = kernel_shift(in);
    for (int i = LOAD3D1_pad; i <= LOAD3D1_dilation_filter_h + shift; i++) {
        bool counts = i <= LOAD3D1_l1_w || i >= LOAD3D1_stride_w + shift;
        if (counts && !in->args[i].literal) {
            return false;
        }
    }
    return true;
}

/* A kernel that is larger than the padded image has one window all the same; what is
 * outside is padding. */
static void
kernel_warnings(const CheckInstr *in, bool known,
                void (*report)(void *ctx, const Fault *), void *ctx)
{
    Sem sem = sem_of(in);
    Fault fault;
    if ((sem != SEM_LOAD3D1 && sem != SEM_LOAD3D2 && sem != SEM_COL2IMG) ||
        knows_windows(in) != known) {
        return;
    }
    FractalWindows s = windows_of(in);
    for (int i = LOAD3D1_filter_w; i <= LOAD3D1_filter_h; i++) {
        if (!check_kernel_fits(&s, i == LOAD3D1_filter_w, RULE_KERNEL_OUTSIDE,
                               kernel_shift(in) + i, &fault)) {
            report(ctx, &fault);
        }
    }
}

static void
load_warnings(const CheckInstr *in, void (*report)(void *ctx, const Fault *), void *ctx)
{
    kernel_warnings(in, true, report, ctx);
}

/* A literal 0 is an error (repeat-range). */
static void
load_run_warnings(const CheckInstr *in, void (*report)(void *ctx, const Fault *),
                  void *ctx)
{
    kernel_warnings(in, false, report, ctx);
    Form form = op_form(in->op);
    FaultAt at = {RULE_NOP, LOAD2D_repeat_times, 0, 1, 255};
    Fault fault;
    if ((form == FORM_LOAD2D1 || form == FORM_LOAD2D) &&
        in->args[LOAD2D_repeat_times].v == 0) {
        check_fail(&fault, &at, "repeat_times is 0: nothing is loaded");
        report(ctx, &fault);
    }
}

const FamilyRules rules_load = {
    .statics = static_load,
    .footprint = load_footprint,
    .bounds = load_bounds,
    .overlap = load_overlap,
    .has_overlap = load_has_overlap,
    .irregular = load_irregular,
    NOT_LEAN(.overlap_rule = load_overlap_rule, .reads_dst = load_reads_dst,
             .warnings = load_warnings, .run_warnings = load_run_warnings)};
