/* arith.c: elementwise arithmetic on lanes that has rules of its own: fused forms, whose
 * operands may differ in type and whose destination may be a source, shifts, and
 * functions with a work tensor (vector 2.5, 2.6, 11). Part of the checker;
 * rules/internal.h is the contract.
 *
 * Owns: overlap-forbidden of operands that differ in width and of functions with a work
 * tensor, work-tensor-*, shift-range, round-en-dtype. A work tensor is neither read nor
 * written here: its contents afterwards are unspecified, so its footprint is an upper
 * bound. */
#include "rules/internal.h"
#include "isa/operand.h"

#include "isa/bytes.h"

static Form
form_of(const CheckInstr *in)
{
    return op_form(in->op);
}

/* ---- static rules -------------------------------------------------------- */

/* The source whose type makes a pair with that of dst. */
static int
first_source(Form f)
{
    return form_first(f, ROLE_SRC);
}

static bool
sources_agree(const CheckInstr *in, int first, Fault *fault)
{
    int second = form_slot(form_of(in), ROLE_SRC, NAMED(src1));
    if (second < 0) {
        return true;
    }
    Dtype a = in->args[first].t.dtype, b = in->args[second].t.dtype;
    FaultAt at = {RULE_DTYPE_MISMATCH, second, (int64_t)b, (int64_t)a, (int64_t)a};
    return a == b ||
           check_fail(fault, &at, "src0 is %s and src1 is %s; %s needs one dtype",
                      dtype_name(a), dtype_name(b), check_op_name(in));
}

/* One type for all operands that typeset.def has, or one of its pairs. */
static bool
types_ok(const CheckInstr *in, Fault *fault)
{
    uint32_t info;
    int first = first_source(form_of(in));
    Dtype d = in->args[VPRECISE_dst].t.dtype, s = in->args[first].t.dtype;
    if (!sources_agree(in, first, fault)) {
        return false;
    }
    const Soc *soc = check_by_choice(in) ? soc_find("Ascend310P3") : in->soc;
    if (op_has_pair(in->op, d, s, soc, &info) ||
        (d == s && op_has_dtype(in->op, d, in->soc))) {
        return true;
    }
    FaultAt at = {RULE_DTYPE_UNSUPPORTED, VPRECISE_dst, (int64_t)d, 0, 0};
    return check_fail(fault, &at, "dst is %s and %s is %s; %s on %s does not take these",
                      dtype_name(d), check_param_name(in, first), dtype_name(s),
                      check_op_name(in), in->soc->name);
}

static Dtype
work_dtype(const CheckInstr *in)
{
    Sem sem = op_sem(in->op);
    return sem == SEM_REC || sem == SEM_RSQRT ? DT_F32 : DT_F16;
}

static bool
work_ok(const CheckInstr *in, Fault *fault)
{
    Dtype t = in->args[VPRECISE_work_tensor].t.dtype, want = work_dtype(in);
    FaultAt at = {RULE_WORK_DTYPE, VPRECISE_work_tensor, (int64_t)t, (int64_t)want,
                  (int64_t)want};
    return t == want || check_fail(fault, &at, "work_tensor is %s; %s takes %s there",
                                   dtype_name(t), check_op_name(in), dtype_name(want));
}

static bool
rounding_ok(const CheckInstr *in, Fault *fault)
{
    int slot = form_slot(FORM_VSHRB, ROLE_ATTR, NAMED(round_en));
    Dtype t = in->args[VPRECISE_dst].t.dtype;
    FaultAt at = {RULE_ROUND_EN, slot, 1, 0, 0};
    return in->args[slot].v == 0 || dtype_kind(t) == KIND_SINT ||
           check_fail(fault, &at, "round_en is True and dst is %s", dtype_name(t));
}

static bool
arith_static(const CheckInstr *in, Fault *fault)
{
    switch (form_of(in)) {
    case FORM_VPRECISE:
        return work_ok(in, fault);
    case FORM_VSHLB:
        return true;
    case FORM_VSHRB:
        return rounding_ok(in, fault);
    default:
        return types_ok(in, fault);
    }
}

/* ---- work tensors -------------------------------------------------------- */

/* Elements of the work tensor for each element of src. */
static int
work_factor(const CheckInstr *in)
{
    bool half = in->args[VPRECISE_src].t.dtype == DT_F16;
    switch (op_sem(in->op)) {
    case SEM_REC:
        return half ? 4 : 2;
    case SEM_RSQRT:
        return (soc_has(in->soc, FEATURE_RSQRT_WORK_4) ? 4 : 3) + (half ? 2 : 0);
    case SEM_LN:
        return 10;
    default:
        return 11;
    }
}

/* src counts whole blocks. */
static int64_t
work_bytes(const CheckInstr *in)
{
    int64_t src = sat_add(lanes_extent(in, VPRECISE_src), BLOCK_BYTES - 1) / BLOCK_BYTES;
    int64_t elems =
        sat_mul(src, BLOCK_BYTES / dtype_size(in->args[VPRECISE_src].t.dtype));
    return sat_mul(elems, (int64_t)work_factor(in) * dtype_size(work_dtype(in)));
}

static bool
is_work(const CheckInstr *in, int param)
{
    return form_of(in) == FORM_VPRECISE && param == VPRECISE_work_tensor;
}

static Footprint
arith_footprint(const CheckInstr *in, int param, bool *exact)
{
    if (!is_work(in, param)) {
        return lanes_footprint(in, param, exact);
    }
    *exact = false;
    return (Footprint){in->args[param].t.offset, 1, 0, 1, 0, work_bytes(in)};
}

static Rule
arith_bounds_rule(Op op, int param)
{
    return op_form(op) == FORM_VPRECISE && param == VPRECISE_work_tensor
               ? RULE_WORK_SIZE
               : RULE_TENSOR_OVERFLOW;
}

/* ---- overlap ------------------------------------------------------------- */

static bool
arith_overlap(const CheckInstr *in, int param, Fault *fault)
{
    if (is_work(in, param)) {
        return check_apart(in, RULE_WORK_OVERLAP, VPRECISE_dst, param, fault) &&
               check_apart(in, RULE_WORK_OVERLAP, VPRECISE_src, param, fault);
    }
    bool fused = sem_reads_dst(op_sem(in->op)) &&
                 in->args[VPRECISE_dst].t.dtype != in->args[param].t.dtype;
    return fused || form_of(in) == FORM_VPRECISE
               ? check_apart(in, RULE_OVERLAP_FORBIDDEN, VPRECISE_dst, param, fault)
               : lanes_overlap(in, VPRECISE_dst, param, fault);
}

static Rule
arith_overlap_rule(Op op, int param)
{
    if (op_form(op) != FORM_VPRECISE) {
        return RULE_OVERLAP_MULTI;
    }
    return param == VPRECISE_work_tensor ? RULE_WORK_OVERLAP : RULE_OVERLAP_FORBIDDEN;
}

const FamilyRules rules_arith = {
    .statics = arith_static,
    .footprint = arith_footprint,
    .overlap = arith_overlap,
    .bounds_rule = arith_bounds_rule,
    NOT_LEAN(.placeless = true, .overlap_rule = arith_overlap_rule)};
