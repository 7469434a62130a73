/* reduce.c: reductions (vector chapter 7): within repeats, and over whole buffers with a
 * work tensor. Part of the checker; rules/internal.h is the contract. Sources are
 * addressed by lanes, the destination has its results one after another: dst_rep_stride
 * counts in the results of a repeat.
 *
 * Owns: reduce-in-place, work-tensor-size, work-tensor-dtype, work-tensor-overlap,
 * index-limit, dst-size; repeat-range with an index; arg-type of a list that the
 * registers do not fill. A work tensor is neither read nor written here: its contents
 * afterwards are unspecified, so its footprint is an upper bound. */
#include "rules/internal.h"
#include "isa/operand.h"

static Form
form_of(const CheckInstr *in)
{
    return op_form(in->op);
}

static bool
is_whole_op(Op op)
{
    return op_form(op) == FORM_ALLADD || op_form(op) == FORM_ALLMAX;
}

static bool
is_whole(const CheckInstr *in)
{
    return is_whole_op(in->op);
}

static bool
has_index(const CheckInstr *in)
{
    return form_of(in) == FORM_ALLMAX && in->args[ALLMAX_cal_index].v != 0;
}

static int
size_of(const CheckInstr *in)
{
    return dtype_size(in->args[REDUCE_dst].t.dtype);
}

/* Returns the elements that a repeat writes; for a whole buffer all elements that are
 * written. */
static int
results(const CheckInstr *in)
{
    const int blocks = REPEAT_BYTES / BLOCK_BYTES;
    switch (op_sem(in->op)) {
    case SEM_CMAX:
    case SEM_CMIN:
        return 2;
    case SEM_CGADD:
    case SEM_CGMAX:
    case SEM_CGMIN:
        return blocks;
    case SEM_CPADD:
        return check_lanes(in) / 2;
    default:
        return has_index(in) ? 2 : 1;
    }
}

/* ---- static rules -------------------------------------------------------- */

/* Checks the list, and the order of value and index. */
static bool
extreme_static(const CheckInstr *in, Fault *fault)
{
    int64_t want = soc_has(in->soc, FEATURE_EXTREME_ONE)     ? 1
                   : soc_has(in->soc, FEATURE_EXTREME_THREE) ? 3
                                                             : 0;
    int64_t n = in->args[VCMAX_max_cnt_index].v;
    FaultAt at = {RULE_ARG_TYPE, VCMAX_max_cnt_index, n, want, want};
    if (!soc_has(in->soc, FEATURE_INDEX_LOW) && in->args[VCMAX_index_low].v != 0) {
        at = (FaultAt){RULE_NOT_ON_ARCH, VCMAX_index_low, 1, 0, 0};
        return check_fail(fault, &at, "%s has no index_low on %s", check_op_name(in),
                          in->soc->name);
    }
    if (n == 0 || n == want) {
        return true;
    }
    if (want == 0) {
        at.rule = RULE_NOT_ON_ARCH;
        return check_fail(fault, &at, "%s has no %s on %s", check_op_name(in),
                          check_param_name(in, VCMAX_max_cnt_index), in->soc->name);
    }
    return check_fail(fault, &at, "%s has %lld Scalars; on %s it is a list of %lld",
                      check_param_name(in, VCMAX_max_cnt_index), (long long)n,
                      in->soc->name, (long long)want);
}

static bool
reduce_static(const CheckInstr *in, Fault *fault)
{
    Form form = form_of(in);
    if (form == FORM_VCMAX || form == FORM_VCMIN) {
        return extreme_static(in, fault);
    }
    if (!is_whole(in) || soc_has(in->soc, FEATURE_REDUCE_NO_WORK)) {
        return true;
    }
    Dtype d = in->args[REDUCE_dst].t.dtype, w = in->args[ALLADD_work_tensor].t.dtype;
    FaultAt at = {RULE_WORK_DTYPE, ALLADD_work_tensor, (int64_t)w, (int64_t)d,
                  (int64_t)d};
    return d == w || check_fail(fault, &at, "work_tensor is %s and dst is %s",
                                dtype_name(w), dtype_name(d));
}

static int
reduce_align(const CheckInstr *in, int param)
{
    enum {
        PAIR = 4,
        HALF_BLOCK = 16
    };
    if (is_whole(in) && param == ALLADD_work_tensor &&
        soc_has(in->soc, FEATURE_REDUCE_NO_WORK)) {
        return size_of(in); /* nothing is written there */
    }
    if (param != REDUCE_dst) {
        return BLOCK_BYTES;
    }
    switch (op_sem(in->op)) {
    case SEM_CADD:
        return size_of(in);
    case SEM_CMAX:
    case SEM_CMIN:
    case SEM_ALL_MAX:
    case SEM_ALL_MIN:
        return size_of(in) > PAIR ? size_of(in) : PAIR;
    case SEM_CGADD:
    case SEM_CGMAX:
    case SEM_CGMIN:
        return HALF_BLOCK;
    default:
        return BLOCK_BYTES;
    }
}

/* ---- work tensors: levels of results, each from a block on --------------- */

static int64_t
block_up(int64_t elems, int size)
{
    return round_up(elems, BLOCK_BYTES / size);
}

/* With an index; known: repeat_times is a constant, so that levels without work are left
 * out. */
static int64_t
work_with_index(int64_t repeats, int lanes, int size, bool known)
{
    int64_t n1 = 2 * repeats;
    int64_t p2 = block_up(n1, size);
    int64_t n2 = 2 * div_ceil(n1, lanes);
    if (known && n2 == 2) {
        return p2 + 2;
    }
    int64_t p3 = block_up(p2 + n2, size);
    if (known && n2 <= lanes) {
        return p3 + 2;
    }
    return block_up(p3 + 2 * div_ceil(n2, lanes), size) + 2;
}

/* Elements that the work tensor has at least; presupposes repeat_times in its range. */
static int64_t
work_elems(const CheckInstr *in)
{
    const int64_t chunk = 255; /* repeats of one instruction of the machine */
    int64_t repeats = check_repeats(in);
    if (repeats <= 0 || repeats > UINT16_MAX ||
        soc_has(in->soc, FEATURE_REDUCE_NO_WORK)) {
        return 0;
    }
    if (form_of(in) == FORM_ALLADD) {
        return soc_has(in->soc, FEATURE_REDUCE_CHUNKS) ? div_ceil(repeats, chunk)
                                                       : repeats;
    }
    if (!has_index(in)) {
        return 2 * repeats;
    }
    return work_with_index(repeats, check_lanes(in), size_of(in),
                           in->args[ALLADD_repeat_times].literal);
}

/* ---- extents ------------------------------------------------------------- */

/* Returns the bytes from the results of a repeat to those of the next. */
static int64_t
dst_step(const CheckInstr *in)
{
    return is_whole(in) ? 0
                        : sat_mul(in->args[REDUCE_dst_rep_stride].v,
                                  (int64_t)results(in) * size_of(in));
}

/* Of a work tensor, or the result over a whole buffer. */
static int64_t
whole_bytes(const CheckInstr *in, int param)
{
    int64_t elems = param == REDUCE_dst ? results(in) : work_elems(in);
    return check_repeats(in) == 0 ? 0 : elems * size_of(in);
}

/* Returns whether every pair of lanes has an active one, or is written anyway. */
static bool
writes_all_pairs(const CheckInstr *in)
{
    const CheckMask *m = check_mask(in);
    bool old = soc_has(in->soc, FEATURE_CPADD_BY_CHOICE) &&
               chosen(in->choices, CHOICE_MASKED_BLOCK) == CHOSE_MASKED_BLOCK_ZERO_PAIRS;
    return old || soc_has(in->soc, FEATURE_CPADD_ALL_PAIRS) ||
           (m->form == MASK_COUNT && (int64_t)m->w[0] >= check_lanes(in) - 1);
}

static Footprint
reduce_footprint(const CheckInstr *in, int param, bool *exact)
{
    if (param == REDUCE_src) {
        return lanes_footprint(in, param, exact);
    }
    Footprint f = {in->args[param].t.offset, 1, 0, 1, 0, whole_bytes(in, param)};
    *exact = param == REDUCE_dst;
    if (param != REDUCE_dst || is_whole(in)) {
        return f;
    }
    f.len = (int64_t)results(in) * size_of(in);
    f.count0 = check_repeats(in);
    f.stride0 = dst_step(in);
    *exact = op_sem(in->op) != SEM_CPADD || writes_all_pairs(in);
    if (f.stride0 == f.len && f.count0 > 1) {
        f.len = sat_mul(f.len, f.count0);
        f.count0 = 1;
    }
    return f;
}

/* ---- rules on values ----------------------------------------------------- */

/* Elements from an operand's start to the end of its tensor; -1: it starts outside. */
static int64_t
room(const CheckInstr *in, int param)
{
    const CheckTensor *t = &in->args[param].t;
    return t->offset < 0 || t->offset > t->bytes ? -1
                                                 : (t->bytes - t->offset) / size_of(in);
}

/* An index counts the elements of src, as a number of dst's type. */
static bool
index_fits(const CheckInstr *in, Fault *fault)
{
    Dtype t = in->args[REDUCE_dst].t.dtype;
    int64_t most = t == DT_F16 ? 65504 : t == DT_S16 ? INT16_MAX : UINT32_MAX;
    int64_t span = lanes_extent(in, REDUCE_src) / size_of(in);
    FaultAt at = {RULE_INDEX_LIMIT, REDUCE_src, span, 0, most};
    return span <= most ||
           check_fail(fault, &at,
                      "src spans %lld elements; an index in %s counts to %lld",
                      (long long)span, dtype_name(t), (long long)most);
}

static bool
reduce_bounds(const CheckInstr *in, int param, Fault *fault)
{
    if (!is_whole(in) || check_repeats(in) == 0) {
        return true;
    }
    if (param == REDUCE_src) {
        return !has_index(in) || index_fits(in, fault);
    }
    bool work = param == ALLADD_work_tensor;
    int64_t want = work ? work_elems(in) : results(in);
    int64_t have = room(in, param);
    FaultAt at = {work ? RULE_WORK_SIZE : RULE_DST_SIZE, param, have, want, INT64_MAX};
    return have < 0 || have >= want ||
           check_fail(fault, &at, "%s has %lld elements; %s with %lld repeats takes %lld",
                      check_param_name(in, param), (long long)have, check_op_name(in),
                      (long long)check_repeats(in), (long long)want);
}

static bool
work_apart(const CheckInstr *in, Fault *fault)
{
    const CheckTensor *w = &in->args[ALLADD_work_tensor].t;
    for (int i = REDUCE_dst; i <= REDUCE_src; i++) {
        const CheckTensor *t = &in->args[i].t;
        if (t->buffer == w->buffer &&
            bytes_overlap(t->offset, check_extent(in, i), w->offset,
                          check_extent(in, ALLADD_work_tensor))) {
            FaultAt at = {RULE_WORK_OVERLAP, ALLADD_work_tensor, w->offset, 0, 0};
            return check_fail(fault, &at,
                              "work_tensor (from byte %lld) shares bytes with %s (from "
                              "byte %lld) of the same tensor",
                              (long long)w->offset, check_param_name(in, i),
                              (long long)t->offset);
        }
    }
    return true;
}

/* A whole buffer is read before the result is written. */
static bool
reduce_overlap(const CheckInstr *in, int param, Fault *fault)
{
    if (param == REDUCE_src) {
        return is_whole(in) ||
               lanes_overlap_run(in, REDUCE_dst, (int64_t)results(in) * size_of(in),
                                 dst_step(in), param, fault);
    }
    return work_apart(in, fault);
}

/* Sums of lanes onto their own source: the results of a repeat lie before the next
 * repeat, but only the 310P class is known to take them one after the other. It is a
 * warning on constant operands. */
static void
reduce_warnings(const CheckInstr *in, void (*report)(void *ctx, const Fault *), void *ctx)
{
    Sem sem = op_sem(in->op);
    const CheckArg *dst = &in->args[REDUCE_dst], *src = &in->args[REDUCE_src];
    int repeat = form_first(form_of(in), ROLE_REPEAT);
    bool literal = dst->literal && src->literal && in->args[repeat].literal;
    if ((sem != SEM_CADD && sem != SEM_CPADD) || !literal ||
        soc_has(in->soc, FEATURE_REDUCE_IN_PLACE) || check_repeats(in) < 2 ||
        dst->t.buffer != src->t.buffer ||
        !bytes_overlap(dst->t.offset, check_extent(in, REDUCE_dst), src->t.offset,
                       check_extent(in, REDUCE_src))) {
        return;
    }
    Fault fault;
    FaultAt at = {RULE_REDUCE_IN_PLACE, REDUCE_dst, dst->t.offset, 0, 0};
    check_fail(&fault, &at,
               "dst of %s lies in src, with %lld repeats; on %s its results may meet "
               "sources that are still to be read",
               check_op_name(in), (long long)check_repeats(in), in->soc->name);
    report(ctx, &fault);
}

static Rule
reduce_bounds_rule(Op op, int param)
{
    return !is_whole_op(op) || param == REDUCE_src ? RULE_TENSOR_OVERFLOW
           : param == ALLADD_work_tensor           ? RULE_WORK_SIZE
                                                   : RULE_DST_SIZE;
}

static Rule
reduce_overlap_rule(Op op, int param)
{
    return is_whole_op(op) && param == ALLADD_work_tensor ? RULE_WORK_OVERLAP
                                                          : RULE_OVERLAP_MULTI;
}

const FamilyRules rules_reduce = {.statics = reduce_static,
                                  .footprint = reduce_footprint,
                                  .overlap = reduce_overlap,
                                  .align = reduce_align,
                                  .bounds = reduce_bounds,
                                  .bounds_rule = reduce_bounds_rule,
                                  NOT_LEAN(.bounds_are_room = true,
                                           .overlap_rule = reduce_overlap_rule,
                                           .warnings = reduce_warnings)};
