/* cube.c: the rules of products of matrices (cube 5 to 7): mmad, matmul, conv2d. Part of
 * the checker; rules/internal.h is the contract.
 *
 * Owns: scope, type-pair, bias, conv-shape, conv-kernel and shared-source of this family;
 * of range-mkn the limit of matmul's k in bytes. What the stage alone can tell
 * (mmad-reserved, operand-form, pad-value) it reports itself. */
#include "rules/internal.h"
#include "rules/load.h"
#include "layout/fractal.h"

static Form
form_of(const CheckInstr *in)
{
    return op_form(in->op);
}

static bool
is_conv(const CheckInstr *in)
{
    return op_sem(in->op) == SEM_CONV2D;
}

/* Returns the slot of the bias; -1 when there is none. */
static int
bias_slot(const CheckInstr *in)
{
    switch (form_of(in)) {
    case FORM_MMADBIAS:
    case FORM_MATMULBIAS:
        return MATMUL_init_l1out;
    case FORM_CONV2DBIAS:
        return CONV2D_init_l1out;
    default:
        return -1;
    }
}

/* ---- static rules -------------------------------------------------------- */

static bool
scope_is(const CheckInstr *in, int param, Scope want, Fault *fault)
{
    Scope s = in->args[param].t.scope;
    FaultAt at = {RULE_SCOPE, param, (int64_t)s, (int64_t)want, (int64_t)want};
    return s == want || check_fail(fault, &at, "%s is in %s; %s takes %s there",
                                   check_param_name(in, param), scope_name(s),
                                   check_op_name(in), scope_name(want));
}

/* A bias in the table has the dtype of the sums; float16 was converted on its way
 * there. */
static bool
bias_scope(const CheckInstr *in, Fault *fault)
{
    int slot = bias_slot(in);
    bool unit = op_sem(in->op) == SEM_MMAD;
    if (slot < 0 || (unit && in->args[slot].t.scope == SC_BT)) {
        return true;
    }
    return scope_is(in, slot, SC_L1, fault);
}

static bool
scopes(const CheckInstr *in, Fault *fault)
{
    bool unit = op_sem(in->op) == SEM_MMAD;
    return scope_is(in, MATMUL_dst, SC_L0C, fault) &&
           scope_is(in, MATMUL_a, unit ? SC_L0A : SC_L1, fault) &&
           scope_is(in, MATMUL_b, unit ? SC_L0B : SC_L1, fault) && bias_scope(in, fault);
}

static bool
types(const CheckInstr *in, Fault *fault)
{
    Dtype a = in->args[MATMUL_a].t.dtype, b = in->args[MATMUL_b].t.dtype;
    Dtype c = in->args[MATMUL_dst].t.dtype;
    uint32_t factors;
    FaultAt at = {RULE_TYPE_PAIR, MATMUL_dst, (int64_t)c, 0, 0};
    return (op_has_pair(in->op, c, a, in->soc, &factors) && (factors >> b & 1)) ||
           check_fail(fault, &at, "%s of %s and %s to %s does not exist on %s",
                      check_op_name(in), dtype_name(a), dtype_name(b), dtype_name(c),
                      in->soc->name);
}

static bool
bias_static(const CheckInstr *in, Fault *fault)
{
    int slot = bias_slot(in);
    if (slot < 0) {
        return true;
    }
    Dtype c = in->args[MATMUL_dst].t.dtype, t = in->args[slot].t.dtype;
    FaultAt at = {RULE_BIAS, slot, (int64_t)t, 0, 0};
    if (in->soc->bytes[SC_BT] == 0) {
        return check_fail(fault, &at, "a bias is given; %s has no bias table",
                          in->soc->name);
    }
    bool half = t == DT_F16 && in->args[slot].t.scope != SC_BT;
    bool ok = (c == DT_F32 && (t == DT_F32 || half)) || (c == DT_S32 && t == c);
    return ok || check_fail(fault, &at, "%s is %s; with sums of %s it is %s",
                            check_param_name(in, slot), dtype_name(t), dtype_name(c),
                            c == DT_F32   ? "float32, or float16 in L1"
                            : c == DT_S32 ? "int32"
                                          : "not there");
}

static bool
shape_fail(const CheckInstr *in, int param, int64_t lo, int64_t hi, Fault *fault)
{
    int64_t v = in->args[param].v;
    FaultAt at = {RULE_CONV_SHAPE, param, v, lo, hi};
    return check_fail(fault, &at, "%s is %lld; with these operands it is %s%lld",
                      check_param_name(in, param), (long long)v, hi > lo ? "1 to " : "",
                      (long long)hi);
}

static bool
conv_shapes(const CheckInstr *in, Fault *fault)
{
    enum {
        MOST_CHANNELS = 4096
    };
    const CheckArg *a = in->args;
    int64_t c0 = fractal_c0(dtype_size(in->args[MATMUL_a].t.dtype));
    FaultAt at = {RULE_CONV_SHAPE, CONV2D_kernel_cout, a[CONV2D_kernel_cout].v, 16,
                  MOST_CHANNELS};
    if (a[CONV2D_fm_c0].v != c0 && a[CONV2D_fm_c0].v != FRACTAL_FEW) {
        at = (FaultAt){RULE_CONV_SHAPE, CONV2D_fm_c0, a[CONV2D_fm_c0].v, FRACTAL_FEW, c0};
        return check_fail(fault, &at,
                          "fm_c0 is %lld; with these operands it is %lld or %d",
                          (long long)a[CONV2D_fm_c0].v, (long long)c0, FRACTAL_FEW);
    }
    if (a[CONV2D_kernel_c0].v != a[CONV2D_fm_c0].v) {
        return shape_fail(in, CONV2D_kernel_c0, a[CONV2D_fm_c0].v, a[CONV2D_fm_c0].v,
                          fault);
    }
    if (a[CONV2D_kernel_c1].v != a[CONV2D_fm_c1].v) {
        return shape_fail(in, CONV2D_kernel_c1, a[CONV2D_fm_c1].v, a[CONV2D_fm_c1].v,
                          fault);
    }
    if (a[CONV2D_fm_c1].v * a[CONV2D_fm_c0].v > MOST_CHANNELS) {
        return shape_fail(in, CONV2D_fm_c1, 1, MOST_CHANNELS / a[CONV2D_fm_c0].v, fault);
    }
    return a[CONV2D_kernel_cout].v % FRACTAL_SIDE == 0 ||
           check_fail(fault, &at, "kernel_cout is %lld; it is a multiple of %d",
                      (long long)a[CONV2D_kernel_cout].v, FRACTAL_SIDE);
}

static FractalWindows
windows_of(const CheckInstr *in)
{
    const CheckArg *a = in->args;
    return (FractalWindows){.h = a[CONV2D_fm_h].v,
                            .w = a[CONV2D_fm_w].v,
                            .left = a[CONV2D_pad_left].v,
                            .right = a[CONV2D_pad_right].v,
                            .top = a[CONV2D_pad_top].v,
                            .bottom = a[CONV2D_pad_bottom].v,
                            .stride_h = a[CONV2D_stride_h].v,
                            .stride_w = a[CONV2D_stride_w].v,
                            .kh = a[CONV2D_kernel_h].v,
                            .kw = a[CONV2D_kernel_w].v,
                            .dilation_h = a[CONV2D_dilation_h].v,
                            .dilation_w = a[CONV2D_dilation_w].v};
}

static bool
conv_kernel(const CheckInstr *in, Fault *fault)
{
    FractalWindows s = windows_of(in);
    return check_kernel_fits(&s, false, RULE_CONV_KERNEL, CONV2D_kernel_h, fault) &&
           check_kernel_fits(&s, true, RULE_CONV_KERNEL, CONV2D_kernel_w, fault);
}

static bool
k_in_bytes(const CheckInstr *in, Fault *fault)
{
    int64_t most = 32768 / dtype_size(in->args[MATMUL_a].t.dtype);
    int64_t k = in->args[MATMUL_k].v;
    FaultAt at = {RULE_RANGE_MKN, MATMUL_k, k, 1, most};
    return k <= most ||
           check_fail(fault, &at, "k is %lld; matmul of %s takes 1 to %lld", (long long)k,
                      dtype_name(in->args[MATMUL_a].t.dtype), (long long)most);
}

static bool
static_cube(const CheckInstr *in, Fault *fault)
{
    if (!scopes(in, fault) || !types(in, fault) || !bias_static(in, fault)) {
        return false;
    }
    switch (op_sem(in->op)) {
    case SEM_MATMUL:
        return k_in_bytes(in, fault);
    case SEM_CONV2D:
        return conv_shapes(in, fault) && conv_kernel(in, fault);
    default:
        return true;
    }
}

/* ---- bytes --------------------------------------------------------------- */

/* The product as one of matrices: of conv2d one row per window, one column of the first
 * factor per channel and point of the kernel. */
typedef struct Sizes {
    int64_t m, k, n;
} Sizes;

/* A limit that no side of a product reaches; larger, hostile numbers are cut to it. */
static int64_t
side(int64_t v)
{
    const int64_t most = (int64_t)1 << 40;
    return v < most ? v : most;
}

/* Returns whether the numbers of a convolution are small enough to be multiplied. */
static bool
is_sane(const CheckInstr *in)
{
    for (int i = CONV2D_fm_c1; i < CONV2D_pad_value; i++) {
        if (in->args[i].v < 0 || in->args[i].v > 4096) {
            return false;
        }
    }
    return true;
}

static Sizes
sizes_of(const CheckInstr *in)
{
    const CheckArg *a = in->args;
    if (!is_conv(in)) {
        return (Sizes){side(a[MATMUL_m].v), side(a[MATMUL_k].v), side(a[MATMUL_n].v)};
    }
    if (!is_sane(in)) {
        return (Sizes){0, 0, 0};
    }
    FractalWindows s = windows_of(in);
    return (Sizes){fractal_windows_h(&s) * fractal_windows_w(&s),
                   a[CONV2D_fm_c1].v * a[CONV2D_fm_c0].v * s.kh * s.kw,
                   a[CONV2D_kernel_cout].v};
}

static int64_t
bytes_of(const CheckInstr *in, int param)
{
    Sizes s = sizes_of(in);
    int64_t size = dtype_size(in->args[param].t.dtype);
    if (s.m <= 0 || s.k <= 0 || s.n <= 0) {
        return 0;
    }
    int64_t rows = fractal_up(s.m, FRACTAL_SIDE), columns = fractal_up(s.n, FRACTAL_SIDE);
    int64_t depth = fractal_up(s.k, fractal_c0(dtype_size(in->args[MATMUL_a].t.dtype)));
    bool few = is_conv(in) && in->args[CONV2D_fm_c0].v == FRACTAL_FEW;
    bool vector = op_sem(in->op) == SEM_MMAD && s.m == 1;
    switch (param) {
    case MATMUL_dst:
        return sat_mul(sat_mul(rows, columns), size);
    case MATMUL_a:
        if (is_conv(in)) {
            return sat_mul(in->args[CONV2D_fm_c1].v * in->args[CONV2D_fm_c0].v * size,
                           in->args[CONV2D_fm_h].v * in->args[CONV2D_fm_w].v);
        }
        return sat_mul(sat_mul(vector ? 1 : rows, depth), size);
    case MATMUL_b:
        return sat_mul(sat_mul(few ? s.k : depth, columns), size);
    default:
        return sat_mul(s.n, size);
    }
}

/* Bytes after the end of factors with parts of fractals are not accessed, nor are all
 * pixels of images. */
static Footprint
cube_footprint(const CheckInstr *in, int param, bool *exact)
{
    Sizes s = sizes_of(in);
    int64_t c0 = fractal_c0(dtype_size(in->args[MATMUL_a].t.dtype));
    *exact = param == MATMUL_dst || (!is_conv(in) && s.m % FRACTAL_SIDE == 0 &&
                                     s.n % FRACTAL_SIDE == 0 && s.k % c0 == 0);
    return (Footprint){in->args[param].t.offset, 1, 0, 1, 0, bytes_of(in, param)};
}

/* matmul and conv2d work on whole fractals of L1, except on the 310P class. */
static int
cube_align(const CheckInstr *in, int param)
{
    const CheckTensor *t = &in->args[param].t;
    bool high = op_sem(in->op) != SEM_MMAD;
    if (t->scope == SC_L1 && high && param != bias_slot(in) &&
        !soc_has(in->soc, FEATURE_MATMUL_ANYWHERE)) {
        return FRACTAL_BYTES;
    }
    return t->scope == SC_L0C && high ? 2 * FRACTAL_BYTES
                                      : scope_align(t->scope, t->dtype);
}

/* ---- values and overlap -------------------------------------------------- */

/* Factors are only read, so they may be the same bytes. The vendor's library refuses that
 * for a convolution. */
static void
cube_warnings(const CheckInstr *in, void (*report)(void *ctx, const Fault *), void *ctx)
{
    Fault fault;
    if (is_conv(in) && in->args[MATMUL_a].literal && in->args[MATMUL_b].literal &&
        !check_apart(in, RULE_SHARED_SOURCE, MATMUL_a, MATMUL_b, &fault)) {
        report(ctx, &fault);
    }
}

static bool
cube_reads_dst(const CheckInstr *in)
{
    int slot = is_conv(in) ? CONV2D_init_l1out : MATMUL_init_l1out;
    if (bias_slot(in) >= 0) {
        return false;
    }
    bool onto = op_sem(in->op) == SEM_MMAD;
    return !in->args[slot].literal || (in->args[slot].v != 0) == onto;
}

const FamilyRules rules_cube = {
    .statics = static_cube,
    .footprint = cube_footprint,
    .align = cube_align,
    NOT_LEAN(.placeless = true, .warnings = cube_warnings, .reads_dst = cube_reads_dst)};
