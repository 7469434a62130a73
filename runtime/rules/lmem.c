/* lmem.c: rules of instructions on tensors in LMEM lanes: arithmetic, and moves of which
 * one side may be linear. All numbers of an operand but its address are constants of the
 * instruction (form.def), so rules that relate them are static.
 *
 * Rules are checked in the order of the manual: extents, lanes, strides, addresses that
 * repeat, lanes that must be equal, counts, stride of w, broadcast. It owns
 * conv-unsupported, conv-type, dma-dim-range, lane-range, stride-range, stride-overlap,
 * lane-mismatch, dma-count, dma-wstride, bcast-lanes, lane-descriptor; path and
 * overlap-forbidden of these instructions. */
#include "rules/internal.h"
#include "isa/operand.h"

#include "isa/bytes.h"

#include "rules/lmem_conv.h"
#include "layout/lmem.h"

enum {
    BYTE_BITS = 8,
    MOST_STEP = 128 /* bytes of the stride of w in a move */
};

static const char axes[] = "nchw";

static const LmemOperand *
operand(const CheckInstr *in, int param)
{
    return form_lmem(op_form(in->op), param);
}

static bool
is_move(const CheckInstr *in)
{
    return op_form(in->op) == FORM_LMOVE;
}

static int64_t
extent_of(const CheckInstr *in, int param, int axis)
{
    return in->args[operand(in, param)->shape + axis].v;
}

static int64_t
stride_of(const CheckInstr *in, int param, int axis)
{
    return in->args[operand(in, param)->stride + axis].v;
}

static bool
in_lanes(const CheckInstr *in, int param)
{
    return in->args[param].t.scope == SC_LMEM;
}

static LmemTensor
tensor_of(const CheckInstr *in, int param)
{
    LmemTensor x = {.base = in->args[param].t.offset,
                    .lane = (int)in->args[operand(in, param)->lane].v,
                    .bits = BYTE_BITS * dtype_size(in->args[param].t.dtype)};
    x.bits = is_move(in) ? (int)in->args[LMOVE_bits].v : x.bits;
    for (int i = 0; i < LMEM_AXES; i++) {
        x.shape[i] = extent_of(in, param, i);
        x.stride[i] = stride_of(in, param, i);
    }
    return x;
}

/* ---- single operands ----------------------------------------------------- */

static bool
extents_ok(const CheckInstr *in, int param, Fault *fault)
{
    int64_t most = in->soc->lmem->dim_max;
    for (int i = 0; i < LMEM_AXES; i++) {
        int64_t n = extent_of(in, param, i);
        FaultAt at = {RULE_DMA_DIM, param, n, 1, most};
        if (n < 1 || n > most) {
            return check_fail(fault, &at,
                              "axis %c of %s has %lld elements; %s takes 1 to %lld",
                              axes[i], check_param_name(in, param), (long long)n,
                              in->soc->name, (long long)most);
        }
    }
    return true;
}

static bool
lane_ok(const CheckInstr *in, int param, Fault *fault)
{
    int64_t lane = in->args[operand(in, param)->lane].v;
    int64_t most = in_lanes(in, param) ? in->soc->lmem->npu - 1 : 0;
    FaultAt at = {RULE_LANE_RANGE, param, lane, 0, most};
    return (lane >= 0 && lane <= most) ||
           check_fail(fault, &at, "%s starts in lane %lld; %s has lanes 0 to %lld there",
                      check_param_name(in, param), (long long)lane, in->soc->name,
                      (long long)most);
}

static bool
strides_ok(const CheckInstr *in, int param, Fault *fault)
{
    int64_t most = in_lanes(in, param) ? LMEM_MAX_STRIDE : UINT32_MAX;
    for (int i = 0; i < LMEM_AXES; i++) {
        int64_t n = stride_of(in, param, i);
        FaultAt at = {RULE_STRIDE_RANGE, param, n, 0, most};
        if (n < 0 || n > most) {
            return check_fail(fault, &at,
                              "the stride of axis %c of %s is %lld; 0 to %lld elements "
                              "are possible in %s",
                              axes[i], check_param_name(in, param), (long long)n,
                              (long long)most, scope_name(in->args[param].t.scope));
        }
    }
    return true;
}

/* A linear tensor is checked as if there were a single LMEM lane that has every
 * channel. */
static const LmemTarget one_lane = {.npu = 1, .eu_bytes = 1, .lane_bytes = 1, .banks = 1};

static const LmemTarget *
target_of(const CheckInstr *in, int param)
{
    return in_lanes(in, param) ? in->soc->lmem : &one_lane;
}

static bool
written_once(const CheckInstr *in, int param, Fault *fault)
{
    LmemTensor x = tensor_of(in, param);
    FaultAt at = {RULE_STRIDE_OVERLAP, param, x.stride[LMEM_H], 0, 0};
    return !lmem_repeats(target_of(in, param), &x) ||
           check_fail(fault, &at,
                      "%s of %lld x %lld x %lld x %lld elements with strides %lld, %lld, "
                      "%lld, %lld has two elements at one address",
                      check_param_name(in, param), (long long)x.shape[0],
                      (long long)x.shape[1], (long long)x.shape[2], (long long)x.shape[3],
                      (long long)x.stride[0], (long long)x.stride[1],
                      (long long)x.stride[2], (long long)x.stride[3]);
}

/* Checks the same rule on every operand, the destination first. */
static bool
on_each(const CheckInstr *in, bool (*rule)(const CheckInstr *, int, Fault *),
        Fault *fault)
{
    int n;
    Form form = op_form(in->op);
    (void)form_params(form, &n);
    for (int i = 0; i < n; i++) {
        if (form_lmem(form, i) != NULL && !rule(in, i, fault)) {
            return false;
        }
    }
    return true;
}

/* ---- arithmetic ---------------------------------------------------------- */

static bool
same_lane(const CheckInstr *in, int param, Fault *fault)
{
    int64_t lane = in->args[operand(in, param)->lane].v;
    int64_t first = in->args[operand(in, 0)->lane].v;
    FaultAt at = {RULE_LANE_MISMATCH, param, lane, first, first};
    return lane == first ||
           check_fail(fault, &at,
                      "%s starts in lane %lld and %s in lane %lld; the operands of %s "
                      "start in one lane",
                      check_param_name(in, 0), (long long)first,
                      check_param_name(in, param), (long long)lane, check_op_name(in));
}

static bool
scope_ok(const CheckInstr *in, int param, Fault *fault)
{
    Scope s = in->args[param].t.scope;
    FaultAt at = {RULE_PATH, param, (int64_t)s, SC_LMEM, SC_LMEM};
    return s == SC_LMEM ||
           check_fail(fault, &at, "%s is in %s; %s works in LMEM",
                      check_param_name(in, param), scope_name(s), check_op_name(in));
}

/* ---- moves --------------------------------------------------------------- */

static bool
path_ok(const CheckInstr *in, Fault *fault)
{
    Scope dst = in->args[0].t.scope, src = in->args[1].t.scope;
    FaultAt at = {RULE_PATH, 0, (int64_t)dst, 0, 0};
    return soc_has_path(in->soc, src, dst) ||
           check_fail(fault, &at,
                      "%s goes from %s to %s; on %s it moves between GM, SMEM and LMEM",
                      check_op_name(in), scope_name(src), scope_name(dst), in->soc->name);
}

static bool
elements_ok(const CheckInstr *in, Fault *fault)
{
    int64_t bits = in->args[LMOVE_bits].v, func = in->args[LMOVE_func].v;
    Dtype t = in->args[0].t.dtype;
    FaultAt at = {RULE_LANE_FUNC, LMOVE_bits, bits, 4, 32};
    if (bits != BYTE_BITS * dtype_size(t) && !(bits == 4 && t == DT_U8)) {
        return check_fail(fault, &at, "elements of %lld bits in tensors of %s",
                          (long long)bits, dtype_name(t));
    }
    at = (FaultAt){RULE_LANE_FUNC, LMOVE_func, func, 0, LMEM_BCAST};
    return (func >= LMEM_COPY && func <= LMEM_BCAST) ||
           check_fail(fault, &at, "func is %lld; it is 0 to %d", (long long)func,
                      (int)LMEM_BCAST);
}

static int64_t
count_of(const CheckInstr *in, int param)
{
    int64_t n = 1;
    for (int i = 0; i < LMEM_AXES; i++) {
        n = sat_mul(n, extent_of(in, param, i));
    }
    return n;
}

/* Returns the axis of the source that corresponds to axis i of the destination. */
static int
source_axis(LmemFunc func, int i)
{
    static const int nc[LMEM_AXES] = {LMEM_C, LMEM_N, LMEM_H, LMEM_W};
    static const int cw[LMEM_AXES] = {LMEM_N, LMEM_W, LMEM_H, LMEM_C};
    return func == LMEM_NC ? nc[i] : func == LMEM_CW ? cw[i] : i;
}

static bool
counts_ok(const CheckInstr *in, Fault *fault)
{
    LmemFunc func = (LmemFunc)in->args[LMOVE_func].v;
    int64_t d = count_of(in, 0), s = count_of(in, 1);
    FaultAt at = {RULE_DMA_COUNT, 1, s, d, d};
    if (func == LMEM_COPY) {
        return d == s || check_fail(fault, &at, "dst has %lld elements and src %lld",
                                    (long long)d, (long long)s);
    }
    for (int i = 0; i < LMEM_AXES; i++) {
        int from = source_axis(func, i);
        int64_t have = extent_of(in, 1, from);
        int64_t want = func == LMEM_BCAST && i == LMEM_C ? 1 : extent_of(in, 0, i);
        at = (FaultAt){RULE_DMA_COUNT, 1, have, want, want};
        if (have != want) {
            return check_fail(fault, &at,
                              "axis %c of src has %lld elements; axis %c of dst takes "
                              "%lld there",
                              axes[from], (long long)have, axes[i], (long long)want);
        }
    }
    return true;
}

static bool
steps_ok(const CheckInstr *in, Fault *fault)
{
    for (int param = 0; param < 2 && soc_has(in->soc, FEATURE_LMEM_STEPS); param++) {
        int64_t step = stride_of(in, param, LMEM_W);
        int64_t most = MOST_STEP * BYTE_BITS / in->args[LMOVE_bits].v;
        FaultAt at = {RULE_DMA_WSTRIDE, param, step, 1, most};
        if (step < 1 || step > most) {
            return check_fail(fault, &at,
                              "the stride of axis w of %s is %lld elements; a move on %s "
                              "takes 1 to %lld",
                              check_param_name(in, param), (long long)step, in->soc->name,
                              (long long)most);
        }
    }
    return true;
}

static bool
broadcast_ok(const CheckInstr *in, Fault *fault)
{
    int64_t lane = in->args[operand(in, 0)->lane].v, c = extent_of(in, 0, LMEM_C);
    int64_t npu = in->soc->lmem->npu;
    FaultAt at = {RULE_BCAST_LANES, 0, lane + c, 0, npu};
    if (in->args[LMOVE_func].v != LMEM_BCAST) {
        return true;
    }
    if (!in_lanes(in, 0)) {
        return check_fail(fault, &at, "dst is in %s; a broadcast is to lanes",
                          scope_name(in->args[0].t.scope));
    }
    return lane + c <= npu ||
           check_fail(fault, &at,
                      "a broadcast to %lld lanes from lane %lld on; %s has %lld lanes",
                      (long long)c, (long long)lane, in->soc->name, (long long)npu);
}

/* ---- convolution --------------------------------------------------------- */

LaneConv
lane_conv_numbers(const CheckInstr *in)
{
    const CheckArg *a = in->args;
    LaneConv c = {.parallel = a[LCONV_parallel].v,
                  .depthwise = a[LCONV_depthwise].v != 0,
                  .requant_words = a[LCONV_requant_words].v,
                  .requant_pitch = a[LCONV_requant_pitch].v,
                  .bias_offset = a[LCONV_bias_offset].v,
                  .weight_offset = a[LCONV_weight_offset].v,
                  .weight_pitch = a[LCONV_weight_pitch].v};
    for (int i = 0; i < 2; i++) {
        c.kernel[i] = a[LCONV_kernel_h + i].v;
        c.stride[i] = a[LCONV_stride_h + i].v;
        c.pad[i] = a[LCONV_pad_h + i].v;
        c.dilation[i] = a[LCONV_dilation_h + i].v;
    }
    return c;
}

static bool
is_conv(const CheckInstr *in)
{
    return op_form(in->op) == FORM_LCONV;
}

/* Returns whether every number is in its range in form.def. */
static bool
conv_numbers_ok(const CheckInstr *in, Fault *fault)
{
    int n;
    const ParamRow *rows = form_params(FORM_LCONV, &n);
    for (int i = LCONV_kernel_h; i < n; i++) {
        const ParamInfo *p = param_at(rows, i);
        int64_t v = in->args[i].v;
        FaultAt at = {(Rule)p->rule, i, v, param_lo(p), param_hi(p)};
        if (v < param_lo(p) || v > param_hi(p)) {
            return check_fail(fault, &at, "%s is %lld; %s takes %lld to %lld", p->name,
                              (long long)v, check_op_name(in), (long long)p->lo,
                              (long long)p->hi);
        }
    }
    return true;
}

static bool
conv_types_ok(const CheckInstr *in, Fault *fault)
{
    Dtype x = in->args[LCONV_src].t.dtype, d = in->args[LCONV_dst].t.dtype;
    Dtype w = in->args[LCONV_weight].t.dtype;
    bool words = in->args[LCONV_requant_words].v > 0;
    bool whole = x == DT_F32 && d == DT_F32 && w == DT_F32 && !words;
    bool bytes = x != DT_F32 && (w == DT_U8 || w == DT_S8) &&
                 (words ? d == DT_S8 || d == DT_U8 : d == DT_S32);
    FaultAt at = {RULE_CONV_TYPE, LCONV_dst, (int64_t)d, 0, 0};
    return whole || bytes ||
           check_fail(fault, &at, "dst is %s, src %s and the weight %s%s", dtype_name(d),
                      dtype_name(x), dtype_name(w), words ? " with requantisation" : "");
}

/* Returns the elements of the weight in the slot of an output channel. */
static int64_t
slot_elements(const CheckInstr *in, const LaneConv *c)
{
    int64_t points = c->kernel[0] * c->kernel[1]; /* of 16 bits each */
    int64_t groups = div_ceil(extent_of(in, LCONV_src, LMEM_C), c->parallel);
    return c->depthwise ? points : sat_mul(groups * c->parallel, points);
}

/* Returns whether the numbers fit each other: the bytes that are read of the weight are
 * in its slots. */
static bool
conv_fits(const CheckInstr *in, Fault *fault)
{
    LaneConv c = lane_conv_numbers(in);
    int64_t size = dtype_size(in->args[LCONV_src].t.dtype);
    int64_t need = sat_mul(slot_elements(in, &c), size);
    FaultAt at = {RULE_LANE_FUNC, LCONV_weight_pitch, c.weight_pitch, need, INT32_MAX};
    if (c.weight_pitch < need || c.weight_pitch % size != 0) {
        return check_fail(fault, &at,
                          "weight_pitch is %lld; the weights of one channel have %lld "
                          "bytes",
                          (long long)c.weight_pitch, (long long)need);
    }
    at = (FaultAt){RULE_LANE_FUNC, LCONV_requant_words, c.requant_words, 0, 3};
    if (c.requant_words == 1 || c.requant_pitch < 4 * c.requant_words) {
        return check_fail(fault, &at, "%lld words of requantisation every %lld bytes",
                          (long long)c.requant_words, (long long)c.requant_pitch);
    }
    bool images = extent_of(in, LCONV_dst, LMEM_N) == extent_of(in, LCONV_src, LMEM_N);
    bool channels = !c.depthwise ||
                    extent_of(in, LCONV_dst, LMEM_C) == extent_of(in, LCONV_src, LMEM_C);
    at = (FaultAt){RULE_LANE_FUNC, LCONV_dst, 0, 0, 0};
    return (images && channels) ||
           check_fail(fault, &at, "dst and src have other numbers of %s",
                      images ? "channels" : "images");
}

/* Weights begin in LMEM lane 0, and so do results and 8-bit images. */
static bool
conv_lanes_ok(const CheckInstr *in, Fault *fault)
{
    for (int param = 0; param < 2; param++) {
        int64_t lane = in->args[operand(in, param)->lane].v;
        FaultAt at = {RULE_LANE_MISMATCH, param, lane, 0, 0};
        bool any = param == LCONV_src && in->args[LCONV_src].t.dtype == DT_F32 &&
                   in->args[LCONV_depthwise].v == 0;
        if (lane != 0 && !any) {
            return check_fail(fault, &at,
                              "%s starts in lane %lld and the weight in lane 0; they "
                              "start in one lane",
                              check_param_name(in, param), (long long)lane);
        }
    }
    return true;
}

static bool
conv_statics(const CheckInstr *in, Fault *fault)
{
    return check_main_dtype(in, LCONV_src, fault) && scope_ok(in, LCONV_dst, fault) &&
           scope_ok(in, LCONV_src, fault) && scope_ok(in, LCONV_weight, fault) &&
           on_each(in, extents_ok, fault) && on_each(in, lane_ok, fault) &&
           on_each(in, strides_ok, fault) && conv_numbers_ok(in, fault) &&
           conv_types_ok(in, fault) && written_once(in, LCONV_dst, fault) &&
           conv_lanes_ok(in, fault) && conv_fits(in, fault);
}

/* Returns the bytes of an LMEM lane from the start of the weight operand to the end of
 * its last slot. */
static int64_t
table_bytes(const CheckInstr *in)
{
    LaneConv c = lane_conv_numbers(in);
    int64_t slots = div_ceil(extent_of(in, LCONV_dst, LMEM_C), in->soc->lmem->npu);
    int64_t words = c.requant_words > 0 ? sat_add(sat_mul(slots - 1, c.requant_pitch),
                                                  4 * c.requant_words)
                                        : 0;
    int64_t bias = c.bias_offset >= 0 ? sat_add(c.bias_offset, 4 * slots) : 0;
    int64_t weights = sat_add(c.weight_offset, sat_mul(slots, c.weight_pitch));
    int64_t end = words > bias ? words : bias;
    return end > weights ? end : weights;
}

/* ---- the family ---------------------------------------------------------- */

static bool
lmem_statics(const CheckInstr *in, Fault *fault)
{
    bool move = is_move(in);
    if (is_conv(in)) {
        return conv_statics(in, fault);
    }
    if (!check_main_dtype(in, 0, fault) || !on_each(in, check_same_dtype, fault) ||
        !(move ? path_ok(in, fault) && elements_ok(in, fault)
               : on_each(in, scope_ok, fault)) ||
        !on_each(in, extents_ok, fault) || !on_each(in, lane_ok, fault) ||
        !on_each(in, strides_ok, fault) || !written_once(in, 0, fault)) {
        return false;
    }
    return move ? counts_ok(in, fault) && steps_ok(in, fault) && broadcast_ok(in, fault)
                : on_each(in, same_lane, fault);
}

/* Returns whether computing with the numbers does not overflow; numbers that the rules
 * forbid might. */
static bool
obeys(const CheckInstr *in)
{
    Fault ignored;
    return lmem_statics(in, &ignored);
}

static int64_t
lmem_bytes_of(const CheckInstr *in, int param)
{
    if (!obeys(in)) {
        return INT64_MAX;
    }
    if (is_conv(in) && param == LCONV_weight) {
        return table_bytes(in);
    }
    LmemTensor x = tensor_of(in, param);
    int64_t bits = sat_mul(lmem_extent(target_of(in, param), &x), x.bits);
    return bits / BYTE_BITS + (bits % BYTE_BITS > 0);
}

/* Contiguous axes are one run; the result is exact if at most two more are left. For LMEM
 * lanes it is the footprint in the fullest lane. */
static Footprint
lmem_footprint(const CheckInstr *in, int param, bool *exact)
{
    if (is_conv(in) && param == LCONV_weight) {
        *exact = false;
        return (Footprint){in->args[param].t.offset, 1, 0, 1, 0, table_bytes(in)};
    }
    LmemTensor x = tensor_of(in, param);
    Footprint whole = {x.base, 1, 0, 1, 0, lmem_bytes_of(in, param)};
    Footprint runs = {x.base, 1, 0, 1, 0, x.bits / BYTE_BITS};
    *exact = obeys(in) && !in_lanes(in, param) && x.bits >= BYTE_BITS;
    for (int i = LMEM_AXES - 1; i >= 0 && *exact; i--) {
        int64_t step = sat_mul(x.stride[i], x.bits / BYTE_BITS);
        if (x.shape[i] == 1) {
            continue;
        }
        if (runs.count1 == 1 && step == runs.len) {
            runs.len = sat_mul(runs.len, x.shape[i]);
        } else if (runs.count1 == 1) {
            runs.count1 = x.shape[i];
            runs.stride1 = step;
        } else if (runs.count0 == 1) {
            runs.count0 = x.shape[i];
            runs.stride0 = step;
        } else {
            *exact = false;
        }
    }
    return *exact ? runs : whole;
}

/* A tensor may be both source and destination of arithmetic, which goes element by
 * element. */
static bool
same_tensor(const CheckInstr *in, const LmemTensor *a, const LmemTensor *b)
{
    return !is_move(in) && !is_conv(in) && a->base == b->base && a->lane == b->lane &&
           memcmp(a->stride, b->stride, sizeof a->stride) == 0;
}

/* No tensor reaches that far, by other rules. */
static bool
far_away(int64_t offset)
{
    return offset < -FAR_AWAY || offset > FAR_AWAY;
}

static bool
lmem_overlap(const CheckInstr *in, int param, Fault *fault)
{
    const CheckTensor *d = &in->args[0].t, *s = &in->args[param].t;
    if (is_conv(in) && param == LCONV_weight) {
        return check_apart(in, RULE_OVERLAP_FORBIDDEN, 0, param, fault);
    }
    LmemTensor a = tensor_of(in, 0), b = tensor_of(in, param);
    FaultAt at = {RULE_OVERLAP_FORBIDDEN, param, s->offset, d->offset, d->offset};
    if (d->buffer != s->buffer || !obeys(in) || far_away(d->offset) ||
        far_away(s->offset)) {
        return true;
    }
    return same_tensor(in, &a, &b) || lmem_apart(target_of(in, 0), &a, &b) ||
           check_fail(
               fault, &at, "%s and %s share bytes of one tensor; %s takes %s",
               check_param_name(in, 0), check_param_name(in, param), check_op_name(in),
               is_move(in) || is_conv(in) ? "tensors that lie apart"
                                          : "the same view, or views that lie apart");
}

static int
lmem_align(const CheckInstr *in, int param)
{
    return dtype_size(in->args[param].t.dtype);
}

const FamilyRules rules_lmem = {
    .statics = lmem_statics,
    .extent = lmem_bytes_of,
    .footprint = lmem_footprint,
    .overlap = lmem_overlap,
    .align = lmem_align,
};
