/* check.c: the rules of every instruction on concrete values; check.h is the contract.
 * Here what is generic: it follows from the tables (form.def, typeset.def). What relates
 * the operands of one family of instructions is in the family's file (move.c, lanes.c,
 * ...), reached through FamilyRules. The compiler, compiled code and the emulator all
 * come here, so a rule has one name and one text.
 *
 * Owns: not-on-arch, dtype-unsupported, dtype-mismatch, read-only, list-index,
 * address-align, tensor-overflow, the ranges of form.def, scope-ub, scope-register,
 * mask-*, repeat-range, scalar-range, stride-unit. Not checked here: arg-type and
 * scalar-dtype of a call (binding); capacity; uninit. Processors with smaller vector
 * alignment (SD3403, Hi3796CV300) are held to 32 bytes like the others. */
#include "rules/check.h"
#include "rules/internal.h"
#include "rules/reg.h"
#include "rules/require.h"

#ifndef TIK_LEAN
#include <stdarg.h>
#include <stdio.h>
#endif

#ifdef TIK_LEAN
bool
check_fail_rule(Fault *fault, Rule rule)
{
    if (fault != NULL) { /* otherwise nobody asks which rule it is */
        fault->rule = rule;
    }
    return false;
}
#else
bool
check_fail(Fault *fault, const FaultAt *at, const char *fmt, ...)
{
    va_list ap;
    if (fault == NULL) {
        return false;
    }
    va_start(ap, fmt);
    vsnprintf(fault->text, sizeof fault->text, fmt, ap);
    va_end(ap);
    fault->rule = at->rule;
    fault->param = at->param;
    fault->value = at->value;
    fault->lo = at->lo;
    fault->hi = at->hi;
    return false;
}

void
check_list_add(char *buf, size_t size, const char *name)
{
    size_t n = strlen(buf);
    snprintf(buf + n, size - n, "%s%s", n ? ", " : "", name);
}

const char *
check_op_name(const CheckInstr *in)
{
    return op_method(in->op);
}

const char *
check_param_name(const CheckInstr *in, int param)
{
    int n;
    return param_at(op_params(in->op, &n), param)->name;
}

/* Lists the types of the instruction on its processor. */
static const char *
types_text(const CheckInstr *in, char *list, size_t size)
{
    for (int i = 1; i < DT_COUNT; i++) {
        if (op_has_dtype(in->op, (Dtype)i, in->soc)) {
            check_list_add(list, size, dtype_name((Dtype)i));
        }
    }
    return list;
}
#endif

/* Registers have generic rules only. */
const FamilyRules rules_register = {0};

/* A lean loader has the rules of the families whose instructions its processors have;
 * others are refused before their rules are asked. */
#ifdef TIK_LEAN
#define RULES_OF(id, rules) (LEAN_FAMILY_##id ? (rules) : NULL)
#else
#define RULES_OF(id, rules) (rules)
#endif

const FamilyRules *const check_families[FAM_COUNT] = {
#define FAMILY(id, rules, lower, bind, ops, emu)                                         \
    [FAM_##id] = RULES_OF(id, &rules_##rules),
#include "isa/family.def"
};

static bool
is_tensor(const ParamInfo *p)
{
    return p->role == ROLE_DST || p->role == ROLE_SRC;
}

/* ---- static rules, common ------------------------------------------------ */

bool
check_by_choice(const CheckInstr *in)
{
    return in->op == OP_VADDDEQRELU && soc_has(in->soc, FEATURE_VADDDEQRELU_BY_CHOICE) &&
           chosen(in->choices, CHOICE_VADDDEQRELU_910B) == CHOSE_VADDDEQRELU_910B_HAS;
}

static bool
available(const CheckInstr *in, Fault *fault)
{
    FaultAt at = {RULE_NOT_ON_ARCH, -1, 0, 0, 0};
    Form form = op_form(in->op);
    if (!check_by_choice(in) && !op_on_soc(in->op, in->soc)) {
        return check_fail(fault, &at, "%s does not exist on %s", check_op_name(in),
                          in->soc->name);
    }
    if (form_family(form) != FAM_MOVE && !form_is_control(form) &&
        soc_has(in->soc, FEATURE_BLOCKS_16)) {
        return check_fail(
            fault, &at,
            "%s on %s works in blocks of 16 bytes; only processors with blocks "
            "of 32 bytes are supported",
            check_op_name(in), in->soc->name);
    }
    return true;
}

bool
check_main_dtype(const CheckInstr *in, int param, Fault *fault)
{
    Dtype t = in->args[param].t.dtype;
    if (op_has_dtype(in->op, t, in->soc)) {
        return true;
    }
    TEXT(char list[120] = "";)
    FaultAt at = {RULE_DTYPE_UNSUPPORTED, param, (int64_t)t, 0, 0};
    return check_fail(fault, &at, "%s is %s; %s on %s takes %s",
                      check_param_name(in, param), dtype_name(t), check_op_name(in),
                      in->soc->name, types_text(in, list, sizeof list));
}

bool
check_same_dtype(const CheckInstr *in, int param, Fault *fault)
{
    int main = op_main(in->op);
    Dtype t = in->args[param].t.dtype;
    Dtype d = in->args[main].t.dtype;
    FaultAt at = {RULE_DTYPE_MISMATCH, param, (int64_t)t, (int64_t)d, (int64_t)d};
    return t == d ||
           check_fail(fault, &at, "%s is %s and %s is %s; %s needs one dtype",
                      check_param_name(in, main), dtype_name(d),
                      check_param_name(in, param), dtype_name(t), check_op_name(in));
}

/* ---- static rules of vector instructions --------------------------------- */

static bool
mask_form_ok(const CheckInstr *in, int param, Fault *fault)
{
    MaskForm form = in->args[param].m.form;
    FaultAt at = {RULE_MASK_MODE, param, 0, 0, 0};
    if (form == MASK_COUNTER && op_first(in->op, ROLE_MASKMODE) < 0) {
        return check_fail(fault, &at, "%s has no counter mode", check_op_name(in));
    }
    if (form == MASK_COUNTER && !soc_has(in->soc, FEATURE_MASK_COUNTER)) {
        return check_fail(fault, &at,
                          "%s has no counter mode; it exists from Ascend310P on",
                          in->soc->name);
    }
    int want = check_lanes(in) == MAX_LANES ? 4 : 2;
    int words = mask_words(form);
    if (words > 1 && words != want) {
        at = (FaultAt){RULE_MASK_LENGTH, param, words, want, want};
        return check_fail(fault, &at, "mask is a list of %d words; %s operands take %d",
                          words, dtype_name(check_widest(in)), want);
    }
    return true;
}

static bool
scope_is_register(const CheckInstr *in, int param, Fault *fault)
{
    Scope s = in->args[param].t.scope;
    FaultAt at = {RULE_SCOPE_REGISTER, param, (int64_t)s, SC_VREG, SC_VREG};
    return s == SC_VREG ||
           check_fail(fault, &at, "%s is in %s; %s takes a vector register there",
                      check_param_name(in, param), scope_name(s), check_op_name(in));
}

static bool
scope_is_ub(const CheckInstr *in, int param, Fault *fault)
{
    Scope s = in->args[param].t.scope;
    if (reg_operand(op_form(in->op), param)) {
        return scope_is_register(in, param, fault);
    }
    FaultAt at = {RULE_SCOPE_UB, param, (int64_t)s, SC_UB, SC_UB};
    return s == SC_UB ||
           check_fail(fault, &at, "%s is in %s; %s works in UB",
                      check_param_name(in, param), scope_name(s), check_op_name(in));
}

static bool
operand_dtype(const CheckInstr *in, int param, OperandType of, Fault *fault)
{
    Dtype t = in->args[param].t.dtype;
    FaultAt at = {RULE_DTYPE_UNSUPPORTED, param, (int64_t)t, 0, 0};
    if (of == OF_MAIN) {
        return param == op_main(in->op) ? check_main_dtype(in, param, fault)
                                        : check_same_dtype(in, param, fault);
    }
    if (of == OF_BITS) {
        return dtype_kind(t) == KIND_UINT ||
               check_fail(fault, &at,
                          "%s is %s; %s takes uint8, uint16, uint32, uint64 there",
                          check_param_name(in, param), dtype_name(t), check_op_name(in));
    }
    Dtype want = operand_type_dtype(of, DT_NONE);
    return want == DT_NONE || t == want ||
           check_fail(fault, &at, "%s is %s; %s takes %s there",
                      check_param_name(in, param), dtype_name(t), check_op_name(in),
                      dtype_name(want));
}

/* The main operand comes first: the others are compared with it. */
static bool
operand_dtypes(const CheckInstr *in, const ParamRow *params, int n, Fault *fault)
{
    int main = op_main(in->op);
    if (main >= 0 && !operand_dtype(in, main, param_at(params, main)->of, fault)) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        if (is_tensor(param_at(params, i)) && i != main &&
            !operand_dtype(in, i, param_at(params, i)->of, fault)) {
            return false;
        }
    }
    return true;
}

/* stride_unit other than 0 exists on the 310P class only (vector 1.2). */
bool
check_attr(const CheckInstr *in, int param, Fault *fault)
{
    int n;
    const ParamInfo *p = param_at(op_params(in->op, &n), param);
    int64_t v = in->args[param].v;
    FaultAt at = {(Rule)p->rule, param, v, param_lo(p), param_hi(p)};
    if (p->rule == RULE_NONE) {
        return true;
    }
    if (v < param_lo(p) || v > param_hi(p)) {
        return check_fail(fault, &at, "%s is %lld; %s takes %lld to %lld", p->name,
                          (long long)v, check_op_name(in), (long long)p->lo,
                          (long long)p->hi);
    }
    return p->rule != RULE_STRIDE_UNIT || v == 0 ||
           soc_has(in->soc, FEATURE_STRIDE_UNIT) ||
           check_fail(fault, &at, "stride_unit is %lld; on %s it is 0", (long long)v,
                      in->soc->name);
}

/* Of moves and of the matrix unit the family says in which memories they work. */
static bool
works_in_ub(Op op)
{
    Family f = op_family(op);
    return op_pipe(op) != OP_PIPE_PATH && f != FAM_LOAD && f != FAM_CUBE;
}

/* Families that static_vector is for. */
static bool
is_vector(Family f)
{
    return f >= FAM_LANES && f != FAM_LMEM && f != FAM_IMAGE;
}

static bool
static_vector(const CheckInstr *in, const ParamRow *params, int n, Fault *fault)
{
    bool ub = works_in_ub(in->op);
    for (int i = 0; i < n; i++) {
        if (is_tensor(param_at(params, i)) && ub && !scope_is_ub(in, i, fault)) {
            return false;
        }
    }
    if (!operand_dtypes(in, params, n, fault)) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        if ((param_at(params, i)->role == ROLE_ATTR && !check_attr(in, i, fault)) ||
            (param_at(params, i)->role == ROLE_MASK && !mask_form_ok(in, i, fault))) {
            return false;
        }
    }
    return true;
}

static bool
read_only(const CheckTensor *t, int param, const char *name, Fault *fault)
{
    FaultAt at = {RULE_READ_ONLY, param, 0, 0, 0};
    return !t->read_only ||
           check_fail(fault, &at, "%s is a constant table, which is only read", name);
}

bool
check_store(const CheckTensor *t, Fault *fault)
{
    return read_only(t, 0, "the element's tensor", fault);
}

bool
check_static(const CheckInstr *in, Fault *fault)
{
    int n;
    const ParamRow *params = op_params(in->op, &n);
    const FamilyRules *rules = check_family(in->op);
    if (!available(in, fault)) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        if (param_at(params, i)->role == ROLE_DST &&
            !read_only(&in->args[i].t, i, param_name_of(param_at(params, i)), fault)) {
            return false;
        }
    }
    if ((is_vector(op_family(in->op)) && !static_vector(in, params, n, fault)) ||
        (rules->statics != NULL && !rules->statics(in, fault))) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        if (param_at(params, i)->of == OF_BOOL && !check_attr(in, i, fault)) {
            return false;
        }
    }
    return true;
}

/* ---- rules on values ----------------------------------------------------- */

int
check_align(const CheckInstr *in, int param)
{
    const CheckTensor *t = &in->args[param].t;
    const FamilyRules *rules = check_family(in->op);
    return rules->align != NULL ? rules->align(in, param)
                                : scope_align(t->scope, t->dtype);
}

static bool
value_align(const CheckInstr *in, int param, const ParamInfo *p, Fault *fault)
{
    const CheckTensor *t = &in->args[param].t;
    int align = check_align(in, param);
    Rule rule = t->scope == SC_LMEM ? RULE_ITEM_MISALIGNED : RULE_ADDRESS_ALIGN;
    FaultAt at = {rule, param, t->offset, align, align};
    return t->offset % align == 0 ||
           check_fail(fault, &at,
                      "%s starts at byte %lld of its tensor; %d-byte alignment is "
                      "required in %s",
                      p->name, (long long)t->offset, align, scope_name(t->scope));
}

static bool
mask_count_ok(const CheckInstr *in, int param, Fault *fault)
{
    const CheckMask *m = &in->args[param].m;
    int64_t n = (int64_t)m->w[0];
    bool counter = m->form == MASK_COUNTER;
    int64_t hi = counter ? (int64_t)UINT32_MAX : check_lanes(in);
    FaultAt at = {RULE_MASK_RANGE, param, n, 1, hi};
    if (n >= 1 && n <= hi) {
        return true;
    }
    if (counter) {
        return check_fail(fault, &at,
                          "mask is %lld; counter mode takes 1 to %lld elements",
                          (long long)n, (long long)hi);
    }
    return check_fail(fault, &at, "mask is %lld; %s operands take 1 to %lld lanes",
                      (long long)n, dtype_name(check_widest(in)), (long long)hi);
}

static bool
mask_bits_ok(const CheckInstr *in, int param, Fault *fault)
{
    const CheckMask *m = &in->args[param].m;
    int lanes = check_lanes(in);
    uint64_t low = lanes < 64 ? ((uint64_t)1 << lanes) - 1 : UINT64_MAX;
    FaultAt at = {RULE_MASK_HIGH, param, 0, 0, 0};
    if (m->form == MASK_BITS && lanes <= 64 && ((m->w[0] & ~low) || m->w[1])) {
        at.value = (int64_t)(m->w[1] ? m->w[1] : m->w[0]);
        return check_fail(fault, &at,
                          "mask is [0x%llx, 0x%llx]; %s operands have %d lanes, so "
                          "bits from %d on must be 0",
                          (unsigned long long)m->w[1], (unsigned long long)m->w[0],
                          dtype_name(check_widest(in)), lanes, lanes);
    }
    uint64_t any = 0;
    for (int i = 0; i < mask_words(m->form); i++) {
        any |= m->w[i];
    }
    at.rule = RULE_MASK_ZERO;
    return any != 0 || check_fail(fault, &at,
                                  "all %d words of the mask are 0; at least one "
                                  "lane must be active",
                                  mask_words(m->form));
}

bool
check_masks_pairs(const CheckInstr *in)
{
    Form form = op_form(in->op);
    int dst = form_first(form, ROLE_DST);
    return dst >= 0 && form_is_vector(form, dst) &&
           dtype_is_half_byte(in->args[dst].t.dtype);
}

/* Lanes whose results share a byte are both active or neither. */
static bool
mask_pairs_ok(const CheckInstr *in, int param, Fault *fault)
{
    int lanes = check_masks_pairs(in) ? check_lanes(in) : 0;
    for (int i = 0; i < lanes; i += 2) {
        FaultAt at = {RULE_MASK_PAIRS, param, i, 0, 0};
        if (check_lane_active(in, 0, i) != check_lane_active(in, 0, i + 1)) {
            return check_fail(fault, &at,
                              "lane %d is %s and lane %d is %s; their results share a "
                              "byte",
                              i, check_lane_active(in, 0, i) ? "on" : "off", i + 1,
                              check_lane_active(in, 0, i + 1) ? "on" : "off");
        }
    }
    return true;
}

/* The bursts of data_move, by the reading D10. */
static bool
may_move_nothing(const CheckInstr *in, const ParamInfo *p)
{
    Form form = op_form(in->op);
    return (form == FORM_MOVE || form == FORM_BIASMOVE) &&
           (p->rule == RULE_RANGE_NBURST || p->rule == RULE_RANGE_BURST) &&
           chosen(in->choices, CHOICE_MOVE_COUNT_0) == CHOSE_MOVE_COUNT_0_NOTHING;
}

bool
check_in_row(const CheckInstr *in, int param)
{
    int n;
    const ParamInfo *p = param_at(op_params(in->op, &n), param);
    return in->args[param].v >= param_lo(p) && in->args[param].v <= param_hi(p);
}

int64_t
check_least(const CheckInstr *in, int param)
{
    int n;
    const ParamInfo *p = param_at(op_params(in->op, &n), param);
    bool zero = p->role == ROLE_REPEAT || may_move_nothing(in, p);
    return zero && !in->args[param].literal ? 0 : param_lo(p);
}

static bool
value_range(const CheckInstr *in, int param, const ParamInfo *p, Fault *fault)
{
    const CheckArg *a = &in->args[param];
    if (a->v >= param_lo(p) &&
        a->v <= param_hi(p)) { /* so it is no less than check_least */
        return true;
    }
    int64_t lo = check_least(in, param);
    if (p->role == ROLE_REPEAT) {
        const CheckMask *m = check_mask(in);
        if (m != NULL && m->form == MASK_COUNTER && !check_counts_per_repeat(in)) {
            return true;
        }
    }
    FaultAt at = {(Rule)p->rule, param, a->v, lo, param_hi(p)};
    return p->rule == RULE_NONE || (a->v >= lo && a->v <= param_hi(p)) ||
           check_fail(fault, &at, "%s is %lld; %s takes %lld to %lld%s%s", p->name,
                      (long long)a->v, check_op_name(in), (long long)lo, (long long)p->hi,
                      p->unit[0] ? " " : "", p->unit);
}

Dtype
check_scalar_dtype(const CheckInstr *in, int param)
{
    int n;
    Form form = op_form(in->op);
    int main = form_main(form);
    Dtype t = operand_type_dtype(param_at(form_params(form, &n), param)->of,
                                 main < 0 ? DT_NONE : in->args[main].t.dtype);
    return t == DT_NONE ? DT_S64 : t;
}

/* The scalar travels in its dtype (scalar.h): integers of that range, floats as bits. */
static bool
value_scalar(const CheckInstr *in, int param, const ParamInfo *p, Fault *fault)
{
    Dtype t = check_scalar_dtype(in, param);
    int64_t v = in->args[param].v;
    int bits = 8 * dtype_size(t);
    if (bits == 64) {
        return true;
    }
    bool is_signed = dtype_kind(t) == KIND_SINT;
    int64_t lo = is_signed ? -((int64_t)1 << (bits - 1)) : 0;
    int64_t hi = ((int64_t)1 << (bits - is_signed)) - 1;
    FaultAt at = {RULE_SCALAR_RANGE, param, v, lo, hi};
    return (v >= lo && v <= hi) ||
           check_fail(fault, &at, "%s is %lld; %s holds %lld to %lld", p->name,
                      (long long)v, dtype_name(t), (long long)lo, (long long)hi);
}

int64_t
check_limit(const CheckTensor *t)
{
    int64_t bytes = t->bytes < 0 ? 0 : t->bytes;
    return t->exact ? bytes : scope_granule(t->scope, t->read_only, bytes);
}

/* One past the last byte, from the operand's start; the tensor may be anywhere. */
static int64_t
end_from_start(const Footprint *f, int64_t start)
{
    int64_t before;
    if (f->count0 <= 0 || f->count1 <= 0 || f->len <= 0) {
        return 0;
    }
    if (__builtin_sub_overflow(f->offset, start, &before)) {
        before = 0;
    }
    int64_t last =
        sat_add(sat_mul(f->count0 - 1, f->stride0), sat_mul(f->count1 - 1, f->stride1));
    return sat_add(before, sat_add(last, f->len));
}

/* Lanes have an end of their own: their footprint counts the last block as a whole. */
int64_t
check_extent(const CheckInstr *in, int param)
{
    bool exact;
    Form form = op_form(in->op);
    const FamilyRules *rules = check_family(in->op);
    if (rules->extent != NULL) {
        return rules->extent(in, param);
    }
    if (rules->footprint == NULL) {
        return 0;
    }
    if (form_is_vector(form, param) && form_family(form) != FAM_REG) {
        return lanes_extent(in, param);
    }
    Footprint f = rules->footprint(in, param, &exact);
    return end_from_start(&f, in->args[param].t.offset);
}

bool
check_counted(const CheckInstr *in, int param, int64_t count, int64_t each, Fault *fault)
{
    int64_t extent = check_extent(in, param);
    FaultAt at = {RULE_DST_OVERLAP, param, count, 0, each > 0 ? extent / each : extent};
    return count <= 1 || count <= at.hi ||
           check_fail(fault, &at,
                      "%s has %lld items of %lld bytes in %lld bytes; each has its own",
                      check_param_name(in, param), (long long)count, (long long)each,
                      (long long)extent);
}

Footprint
check_footprint(const CheckInstr *in, int param, bool *exact)
{
    const FamilyRules *rules = check_family(in->op);
    *exact = true;
    if (rules->footprint == NULL) {
        *exact = false;
        return (Footprint){in->args[param].t.offset, 1, 0, 1, 0, check_extent(in, param)};
    }
    return rules->footprint(in, param, exact);
}

int64_t
footprint_end(const Footprint *f)
{
    if (f->count0 <= 0 || f->count1 <= 0 || f->len <= 0) {
        return f->offset;
    }
    int64_t last =
        sat_add(sat_mul(f->count0 - 1, f->stride0), sat_mul(f->count1 - 1, f->stride1));
    return sat_add(f->offset, sat_add(last, f->len));
}

int64_t
check_overlap_end(const CheckInstr *in, int param)
{
    bool exact;
    const FamilyRules *rules = check_family(in->op);
    Footprint f = check_footprint(in, param, &exact);
    int64_t end = footprint_end(&f);
    if (rules->overlap_extent == NULL) {
        return end;
    }
    int64_t counted = sat_add(in->args[param].t.offset, rules->overlap_extent(in, param));
    return counted > end ? counted : end;
}

void
check_reach(const CheckInstr *in, int param, int64_t *extent, int64_t *reach)
{
    bool exact;
    Form form = op_form(in->op);
    const FamilyRules *rules = check_family(in->op);
    bool lanes = form_is_vector(form, param) && form_family(form) != FAM_REG;
    if (rules->extent != NULL || rules->footprint == NULL || lanes ||
        rules->overlap_extent != NULL) {
        *extent = check_extent(in, param);
        *reach = check_overlap_end(in, param);
        return;
    }
    Footprint f = rules->footprint(in, param, &exact);
    *extent = end_from_start(&f, in->args[param].t.offset);
    *reach = footprint_end(&f);
}

static bool
overflow_fault(const CheckTensor *t, int param, const char *name, int64_t end,
               Fault *fault)
{
    int64_t limit = check_limit(t);
    FaultAt at = {RULE_TENSOR_OVERFLOW, param, end, 0, limit};
    if (t->offset < 0) {
        at.value = t->offset;
        return check_fail(fault, &at, "%s starts at byte %lld, before its tensor", name,
                          (long long)t->offset);
    }
    if (limit != t->bytes) {
        return check_fail(fault, &at,
                          "%s covers bytes %lld to %lld; the tensor has %lld bytes "
                          "(%lld with what is allocated after them)",
                          name, (long long)t->offset, (long long)(end - 1),
                          (long long)t->bytes, (long long)limit);
    }
    return check_fail(fault, &at,
                      "%s covers bytes %lld to %lld; the tensor has %lld bytes", name,
                      (long long)t->offset, (long long)(end - 1), (long long)t->bytes);
}

/* Bounds in the array that the offset chooses; while arrays are not known, an access of a
 * list must still be in one window. */
static bool
list_bounds(const CheckTensor *t, int param, const char *name, int64_t extent,
            Fault *fault)
{
    int64_t item = list_item(t->offset);
    FaultAt at = {RULE_LIST_INDEX, param, item, 0, t->items - 1};
    if (item < 0 || item >= t->items) {
        return check_fail(fault, &at,
                          "%s is in array %lld of its address list, which has %d", name,
                          (long long)item, (int)t->items);
    }
    int64_t first = list_offset(t->offset);
    int64_t end = sat_add(first, extent);
    CheckTensor array = {.scope = t->scope, .exact = t->exact, .bytes = LIST_WINDOW / 2};
    array.bytes = t->item != NULL ? t->item[item].bytes : array.bytes;
    at = (FaultAt){RULE_TENSOR_OVERFLOW, param, end, 0, check_limit(&array)};
    if (first < 0) {
        at.value = first;
        return check_fail(fault, &at, "%s starts at byte %lld, before array %lld", name,
                          (long long)first, (long long)item);
    }
    return end <= at.hi ||
           check_fail(fault, &at,
                      "%s covers bytes %lld to %lld; array %lld has %lld bytes", name,
                      (long long)first, (long long)(end - 1), (long long)item,
                      (long long)array.bytes);
}

static bool
value_bounds(const CheckInstr *in, int param, const ParamInfo *p, Fault *fault)
{
    const CheckTensor *t = &in->args[param].t;
    const FamilyRules *rules = check_family(in->op);
    int64_t extent = check_extent(in, param);
    if (rules->bounds != NULL && !rules->bounds(in, param, fault)) {
        return false;
    }
    if (t->items > 0) {
        return list_bounds(t, param, param_name_of(p), extent, fault);
    }
    int64_t end = sat_add(t->offset, extent);
    if (extent == 0 || (t->offset >= 0 && end <= check_limit(t))) {
        return true;
    }
    (void)overflow_fault(t, param, param_name_of(p), end, fault);
    if (fault != NULL) {
        fault->rule = check_bounds_rule(in->op, param);
    }
    return false;
}

static bool
value_mask(const CheckInstr *in, int param, Fault *fault)
{
    MaskForm form = in->args[param].m.form;
    return (form == MASK_COUNT || form == MASK_COUNTER
                ? mask_count_ok(in, param, fault)
                : mask_bits_ok(in, param, fault)) &&
           mask_pairs_ok(in, param, fault);
}

/* A step of one operand by itself. */
static bool
run_alone(const CheckInstr *in, CheckStep step, const ParamInfo *p, Fault *fault)
{
    switch (step.kind) {
    case CHECK_ALIGN:
        return value_align(in, step.param, p, fault);
    case CHECK_MASK:
        return value_mask(in, step.param, fault);
    case CHECK_RANGE:
        return value_range(in, step.param, p, fault);
    case CHECK_SCALAR:
        return value_scalar(in, step.param, p, fault);
    case CHECK_VALUE:
        return require_holds(in, step.param, fault);
    case CHECK_BOUNDS:
    case CHECK_OVERLAP:
        break;
    }
    return true;
}

static bool
run_step(const CheckInstr *in, CheckStep step, const ParamRow *params, Fault *fault)
{
    const ParamInfo *p = param_at(params, step.param);
    return step.kind == CHECK_BOUNDS ? value_bounds(in, step.param, p, fault)
           : step.kind == CHECK_OVERLAP
               ? check_family(in->op)->overlap(in, step.param, fault)
               : run_alone(in, step, p, fault);
}

Rule
check_value_rule(Op op, int param)
{
    return require_rule(op, param);
}

Rule
check_bounds_rule(Op op, int param)
{
    const FamilyRules *rules = check_family(op);
    return rules->bounds_rule != NULL ? rules->bounds_rule(op, param)
                                      : RULE_TENSOR_OVERFLOW;
}

enum {
    MOST_VARYING = 6 /* numbers that differ */
};

/* The end of a range that turn tells: its least number, its largest, or 1, since a length
 * of 0 is another matter. */
static int64_t
end_of(int64_t lo, int64_t hi, int turn)
{
    return turn == 0 ? hi : turn == 1 || hi < 1 ? lo : lo < 1 ? 1 : lo;
}

bool
check_bounds_between(const CheckInstr *lo, const CheckInstr *hi, CheckInstr *at,
                     CheckStep step, uint64_t *work)
{
    const FamilyRules *rules = check_family(hi->op);
    int n, varies[MOST_VARYING], found = 0, all = 1;
    bool corners =
        rules->bounds_corners != NULL && rules->bounds_corners(hi->op, step.param);
    (void)op_params(hi->op, &n);
    for (int i = 0; corners && i < n; i++) {
        if (lo->args[i].v != hi->args[i].v) {
            if (found == MOST_VARYING) {
                return false;
            }
            varies[found++] = i;
            all *= 3;
        }
    }
    check_copy(at, hi);
    if (work != NULL) {
        *work += (uint64_t)(all * (n + 1));
    }
    for (int corner = 0; corner < all; corner++) {
        for (int i = 0, turns = corner; i < found; i++, turns /= 3) {
            int p = varies[i];
            at->args[p].v = end_of(lo->args[p].v, hi->args[p].v, turns % 3);
        }
        if (!check_alone(at, step, NULL)) {
            return false;
        }
    }
    return true;
}

bool
check_is_irregular(const CheckInstr *in)
{
    const FamilyRules *rules = check_family(in->op);
    return rules->irregular != NULL && rules->irregular(in);
}

#ifndef TIK_LEAN
bool
check_reads_dst(const CheckInstr *in)
{
    const FamilyRules *rules = check_family(in->op);
    return rules->reads_dst != NULL ? rules->reads_dst(in)
                                    : sem_reads_dst(op_sem(in->op));
}

Rule
check_overlap_rule(Op op, int param)
{
    const FamilyRules *rules = check_family(op);
    if (rules->overlap_rule != NULL) {
        return rules->overlap_rule(op, param);
    }
    return op_form(op) == FORM_MOVE ? RULE_OVERLAP_FORBIDDEN : RULE_OVERLAP_MULTI;
}
#endif

static int
steps_of_param(Op op, const ParamInfo *p, int i, CheckStep *out)
{
    int n = 0;
    switch (p->role) {
    case ROLE_DST:
    case ROLE_SRC:
        out[n++] = (CheckStep){CHECK_ALIGN, i};
        break;
    case ROLE_MASK:
        out[n++] = (CheckStep){CHECK_MASK, i};
        break;
    case ROLE_REPEAT:
    case ROLE_INT:
        if (p->rule != RULE_NONE) {
            out[n++] = (CheckStep){CHECK_RANGE, i};
        }
        break;
    case ROLE_SCALAR:
        out[n++] = (CheckStep){CHECK_SCALAR, i};
        break;
    case ROLE_MASKMODE:
    case ROLE_ATTR:
    case ROLE_PIPE:
    case ROLE_ROOT:
        break;
    }
    if (check_value_rule(op, i) != RULE_NONE) {
        out[n++] = (CheckStep){CHECK_VALUE, i};
    }
    return n;
}

bool
check_has_overlap(Op op, int i)
{
    int n;
    const ParamRow *params = op_params(op, &n);
    const FamilyRules *rules = check_family(op);
    int dst = op_first(op, ROLE_DST);
    return is_tensor(param_at(params, i)) && rules->overlap != NULL && dst >= 0 &&
           i != dst && (rules->has_overlap == NULL || rules->has_overlap(op, i));
}

int
check_steps(Op op, CheckStep *out)
{
    int nparams;
    const ParamRow *params = op_params(op, &nparams);
    int n = 0;
    for (int i = 0; i < nparams; i++) {
        n += steps_of_param(op, param_at(params, i), i, out + n);
    }
    for (int i = 0; i < nparams; i++) {
        if (is_tensor(param_at(params, i))) {
            out[n++] = (CheckStep){CHECK_BOUNDS, i};
        }
    }
    for (int i = 0; i < nparams; i++) {
        if (check_has_overlap(op, i)) {
            out[n++] = (CheckStep){CHECK_OVERLAP, i};
        }
    }
    return n;
}

/* The steps of one operand by itself: all but bounds and overlap. */
static bool
run_operand(const CheckInstr *in, const ParamRow *params, int i, Fault *fault)
{
    CheckStep steps[2];
    int n = steps_of_param(in->op, param_at(params, i), i, steps);
    for (int k = 0; k < n; k++) {
        if (!run_alone(in, steps[k], param_at(params, i), fault)) {
            return false;
        }
    }
    return true;
}

bool
check_operand(const CheckInstr *in, int param, Fault *fault)
{
    int n;
    return run_operand(in, op_params(in->op, &n), param, fault);
}

bool
check_numbers(const CheckInstr *in, Fault *fault)
{
    int n;
    const ParamRow *p = op_params(in->op, &n);
    for (int i = 0; i < n; i++) {
        Role role = param_at(p, i)->role;
        bool holds = role == ROLE_INT || role == ROLE_REPEAT
                         ? value_range(in, i, param_at(p, i), fault)
                     : role == ROLE_MASK   ? value_mask(in, i, fault)
                     : role == ROLE_SCALAR ? value_scalar(in, i, param_at(p, i), fault)
                                           : true;
        if (!holds || !require_holds(in, i, fault)) {
            return false;
        }
    }
    return true;
}

bool
check_alone(const CheckInstr *in, CheckStep step, Fault *fault)
{
    int n;
    return run_step(in, step, op_params(in->op, &n), fault);
}

void
check_copy(CheckInstr *to, const CheckInstr *from)
{
    int n = 1;
    if (from->op != OP_COUNT) {
        (void)op_params(from->op, &n);
    }
    memcpy(to, from, offsetof(CheckInstr, args) + (size_t)n * sizeof from->args[0]);
}

LEAN_APART static bool
element_step(const CheckInstr *in, CheckStep step, Fault *fault)
{
    Fault unasked, *told = fault != NULL ? fault : &unasked;
    bool align = step.kind == CHECK_ALIGN;
    return check_element(&in->args[0].t, told) ||
           (told->rule == RULE_ADDRESS_ALIGN) != align;
}

bool
check_step(const CheckInstr *in, CheckStep step, Fault *fault)
{
    if (in->op == OP_COUNT) {
        return element_step(in, step, fault);
    }
    int n;
    const ParamRow *params = op_params(in->op, &n);
    bool shape = step.kind == CHECK_BOUNDS || step.kind == CHECK_OVERLAP;
    for (int i = 0; shape && i < n; i++) {
        if (!is_tensor(param_at(params, i)) && !run_operand(in, params, i, NULL)) {
            return true;
        }
    }
    return run_step(in, step, params, fault);
}

bool
check_values(const CheckInstr *in, Fault *fault)
{
    int n;
    const ParamRow *params = op_params(in->op, &n);
    for (int i = 0; i < n; i++) {
        if (!run_operand(in, params, i, fault)) {
            return false;
        }
    }
    for (int i = 0; i < n; i++) {
        if (is_tensor(param_at(params, i)) &&
            !value_bounds(in, i, param_at(params, i), fault)) {
            return false;
        }
    }
    for (int i = 0; i < n; i++) {
        if (check_has_overlap(in->op, i) &&
            !check_family(in->op)->overlap(in, i, fault)) {
            return false;
        }
    }
    return true;
}

bool
check_multiple(Op op, const CheckMultiple *m, Fault *fault)
{
    int n;
    const ParamInfo *p = param_at(op_params(op, &n), m->param);
    FaultAt at = {m->rule, m->param, m->value, m->unit, m->unit};
    return m->value % m->unit == 0 ||
           check_fail(fault, &at, "%s is %lld; %s takes a multiple of %lld there",
                      p->name, (long long)m->value, op_method(op), (long long)m->unit);
}

bool
check_offset(Op op, const CheckOffset *o, Fault *fault)
{
    int n;
    const ParamRow *p = op_params(op, &n);
    FaultAt at = {RULE_OFFSET_ALIGN, o->param, o->value, o->unit, o->unit};
    if (o->value % o->unit != 0) {
        return check_fail(fault, &at,
                          "%s[%lld] is %lld; %s takes multiples of %lld there",
                          param_at(p, o->param)->name, (long long)o->entry,
                          (long long)o->value, op_method(op), (long long)o->unit);
    }
    at = (FaultAt){RULE_TENSOR_OVERFLOW, o->to, o->at, 0, o->limit};
    return (o->at >= 0 && o->at <= o->limit - o->size) ||
           check_fail(fault, &at,
                      "%s[%lld] is %lld, which leads to bytes %lld to %lld of %s; the "
                      "tensor has %lld bytes",
                      param_at(p, o->param)->name, (long long)o->entry,
                      (long long)o->value, (long long)o->at,
                      (long long)(o->at + o->size - 1), param_at(p, o->to)->name,
                      (long long)o->limit);
}

bool
check_fits(Op op, int param, const CheckTensor *t, int64_t extent, Fault *fault)
{
    int n;
    int64_t end = sat_add(t->offset, extent);
    return extent == 0 || (t->offset >= 0 && end <= check_limit(t)) ||
           overflow_fault(t, param, param_name_of(param_at(op_params(op, &n), param)),
                          end, fault);
}

bool
check_overlap_relates(Form f, int a, int b)
{
    int n;
    const ParamRow *p = form_params(f, &n);
    bool sources = param_at(p, a)->role == ROLE_SRC && param_at(p, b)->role == ROLE_SRC;
    if (sources && form_family(f) == FAM_SORT) {
        return false;
    }
    return a != b && (!param_is_item(param_at(p, a)) || !param_is_item(param_at(p, b)) ||
                      param_at(p, a)->role != param_at(p, b)->role);
}

bool
check_element(const CheckTensor *t, Fault *fault)
{
    int size = dtype_size(t->dtype);
    FaultAt at = {RULE_ADDRESS_ALIGN, 0, t->offset, size, size};
    if (t->offset % size != 0) {
        return check_fail(fault, &at,
                          "the element starts at byte %lld of its tensor; %d-byte "
                          "alignment is required for %s",
                          (long long)t->offset, size, dtype_name(t->dtype));
    }
    int64_t end = sat_add(t->offset, size);
    if (t->items > 0) {
        return list_bounds(t, 0, "the element", size, fault);
    }
    return (t->offset >= 0 && end <= check_limit(t)) ||
           overflow_fault(t, 0, "the element", end, fault);
}
