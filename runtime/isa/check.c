/* check.c: the rules of every instruction on concrete values (data-movement chapters 3 and 4,
 * vector chapter 1); check.h is the contract, footprint.c has the extents, overlap.c the overlap rules.
 * The compiler, compiled code and the emulator all come here, so a rule has one name and one text.
 *
 * Owns: not-on-arch, dtype-unsupported, dtype-mismatch, dtype-differs, read-only, list-index,
 * address-align, tensor-overflow, gm-tail-write,
 * path, same-gm, path-applicability, range-*, extended-argument, pad-mode*, conv-soc, type-pair,
 * deqscale-missing, scope-ub, mask-*, repeat-range, repeat-stride-range, scalar-range.
 * Not checked here: arg-type and scalar-dtype of a call (binding); capacity; uninit. Processors
 * with smaller vector alignment (SD3403, Hi3796CV300) are held to 32 bytes like the others. */
#include "isa/check.h"
#include "isa/check_int.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool
check_fail(Fault *fault, const FaultAt *at, const char *fmt, ...)
{
    fault->rule = at->rule;
    fault->param = at->param;
    fault->value = at->value;
    fault->lo = at->lo;
    fault->hi = at->hi;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(fault->text, sizeof fault->text, fmt, ap);
    va_end(ap);
    return false;
}

static const char *
op_name(const CheckInstr *in)
{
    return op_table[in->op].name;
}

/* Adds to a list of names in a small buffer. */
static void
list_add(char *buf, size_t size, const char *name)
{
    size_t n = strlen(buf);
    snprintf(buf + n, size - n, "%s%s", n ? ", " : "", name);
}

/* ---- static rules, common ----------------------------------------------------------------------- */

static bool
available(const CheckInstr *in, Fault *fault)
{
    FaultAt at = {RULE_NOT_ON_ARCH, -1, 0, 0, 0};
    Form form = op_table[in->op].form;
    if (!op_on_soc(in->op, in->soc)) {
        return check_fail(fault, &at, "%s does not exist on %s", op_name(in),
                          in->soc->name);
    }
    if (form != FORM_MOVE && !form_is_control(form) &&
        soc_profile(in->soc) == PROFILE_NANO) {
        return check_fail(
            fault, &at,
            "%s on %s works in blocks of 16 bytes; only processors with blocks "
            "of 32 bytes are supported",
            op_name(in), in->soc->name);
    }
    return true;
}

static bool
dtype_ok(const CheckInstr *in, int param, const char *name, Fault *fault)
{
    Dtype t = in->args[param].t.dtype;
    if (op_has_dtype(in->op, t, in->soc)) {
        return true;
    }
    char list[120] = "";
    for (int i = 1; i < DT_COUNT; i++) {
        if (op_has_dtype(in->op, (Dtype)i, in->soc)) {
            list_add(list, sizeof list, dtype_name((Dtype)i));
        }
    }
    FaultAt at = {RULE_DTYPE_UNSUPPORTED, param, (int64_t)t, 0, 0};
    return check_fail(fault, &at, "%s is %s; %s on %s takes %s", name, dtype_name(t),
                      op_name(in), in->soc->name, list);
}

static bool
same_dtype(const CheckInstr *in, int param, const char *dst, const char *src,
           Fault *fault)
{
    Dtype t = in->args[param].t.dtype;
    Dtype d = in->args[op_table[in->op].form == FORM_MOVE ? MV_DST : 1].t.dtype;
    FaultAt at = {RULE_DTYPE_MISMATCH, param, (int64_t)t, (int64_t)d, (int64_t)d};
    return t == d || check_fail(fault, &at, "%s is %s and %s is %s; %s needs one dtype",
                                dst, dtype_name(d), src, dtype_name(t), op_name(in));
}

/* ---- static rules of moves ------------------------------------------------------------------------ */

static bool
path_exists(const CheckInstr *in, Scope src, Scope dst)
{
    const PathInfo *p = path_find(src, dst);
    return p && (p->cores >> in->soc->core & 1);
}

static bool
move_path(const CheckInstr *in, Fault *fault)
{
    Scope src = in->args[MV_SRC].t.scope;
    Scope dst = in->args[MV_DST].t.scope;
    if (src == SC_GM && dst == SC_GM) {
        FaultAt at = {RULE_SAME_GM, MV_SRC, 0, 0, 0};
        return check_fail(fault, &at, "dst and src are both in global memory");
    }
    if (path_exists(in, src, dst)) {
        return true;
    }
    char list[64] = "";
    for (int s = 0; s < SC_COUNT; s++) {
        if (path_exists(in, src, (Scope)s)) {
            list_add(list, sizeof list, scope_name((Scope)s));
        }
    }
    FaultAt at = {RULE_PATH, MV_DST, 0, 0, 0};
    return check_fail(fault, &at,
                      "%s has no path from %s to %s on %s; from %s it goes to %s",
                      op_name(in), scope_name(src), scope_name(dst), in->soc->name,
                      scope_name(src), list[0] ? list : "no memory");
}

/* Conversion codes that a processor has (data-movement 6.5), as bits. */
static uint32_t
conv_codes(const Soc *soc)
{
    switch (soc->core) {
    case CORE_HI3796CV300ES_AIC:
        return 0x03e9; /* 0, 3, 5..9 */
    case CORE_HI3796CV300CS_AIC:
    case CORE_SD3403_AIC:
        return 0x3fe9; /* 0, 3, 5..13 */
    default:
        break;
    }
    return soc_profile(soc) == PROFILE_V100   ? 0x00ff
           : soc_profile(soc) == PROFILE_V200 ? 0x3fff
                                              : 1;
}

static bool
code_scales(int64_t code)
{
    return code == 3 || (code >= 6 && code <= 13);
}

/* Whether a conversion code without scale takes src to dst on this path. */
static bool
pair_ok(Dtype src, Dtype dst, int64_t code, bool from_l0c)
{
    bool floating = src == DT_F16 || src == DT_F32;
    bool plain = src == dst && (floating || src == DT_S32);
    switch (code) {
    case 0:
        return plain || (src == dst && src == DT_U32);
    case 1:
        return src == DT_F32 && dst == DT_F16;
    case 2:
        return src == DT_F32 && dst == DT_F16 && from_l0c;
    case 4:
        return src == DT_F16 && dst == DT_F32 && !from_l0c;
    case 5:
        return plain && from_l0c;
    default:
        return false;
    }
}

static bool
move_conversion(const CheckInstr *in, Fault *fault)
{
    const CheckTensor *src = &in->args[MV_SRC].t;
    const CheckTensor *dst = &in->args[MV_DST].t;
    int64_t code = in->args[MV_MODE].v;
    FaultAt at = {RULE_EXTARG, MV_MODE, code, 0, 13};
    if (code < 0 || code > 13) {
        return check_fail(fault, &at, "ConvReluMode is %lld; its codes are 0 to 13",
                          (long long)code);
    }
    if (!(conv_codes(in->soc) >> code & 1)) {
        at.rule = RULE_CONV_SOC;
        return check_fail(fault, &at,
                          "ConvReluMode is %lld, a conversion that %s does not have",
                          (long long)code, in->soc->name);
    }
    if (code_scales(code) || (src->dtype == DT_S32 && dst->dtype == DT_F16)) {
        at.rule = RULE_DEQ_MISSING;
        return check_fail(
            fault, &at,
            "ConvReluMode %lld from %s to %s needs a scale, which data_move "
            "does not have",
            (long long)code, dtype_name(src->dtype), dtype_name(dst->dtype));
    }
    if (!pair_ok(src->dtype, dst->dtype, code, src->scope == SC_L0C)) {
        at.rule = RULE_TYPE_PAIR;
        return check_fail(
            fault, &at,
            "from %s in %s to %s in %s is not a conversion of ConvReluMode %lld",
            dtype_name(src->dtype), scope_name(src->scope), dtype_name(dst->dtype),
            scope_name(dst->scope), (long long)code);
    }
    return true;
}

static bool
move_extended(const CheckInstr *in, Fault *fault)
{
    Scope src = in->args[MV_SRC].t.scope;
    Scope dst = in->args[MV_DST].t.scope;
    int64_t mode = in->args[MV_MODE].v;
    FaultAt at = {RULE_PADMODE, MV_MODE, mode, 0, 5};
    if (src == SC_GM && dst == SC_L1) {
        return (mode >= 0 && mode <= 5) ||
               check_fail(fault, &at, "PadMode is %lld; the modes are 0 to 5",
                          (long long)mode);
    }
    at.hi = 0;
    if (check_pad_width(mode) != 0) {
        at.rule = RULE_PADMODE_PATH;
        return check_fail(fault, &at,
                          "PadMode is %lld on a move from %s to %s; it is for moves "
                          "from GM to L1",
                          (long long)mode, scope_name(src), scope_name(dst));
    }
    at.rule = RULE_EXTARG;
    return mode == 0 || check_fail(fault, &at,
                                   "the extended argument is %lld; a move from %s to "
                                   "%s takes none",
                                   (long long)mode, scope_name(src), scope_name(dst));
}

/* A move copies bytes: elements of one size stay elements. */
static bool
same_width(const CheckInstr *in)
{
    return dtype_size(in->args[MV_DST].t.dtype) == dtype_size(in->args[MV_SRC].t.dtype);
}

static bool
static_move(const CheckInstr *in, Fault *fault)
{
    if (!move_path(in, fault) || !dtype_ok(in, MV_DST, "dst", fault) ||
        !dtype_ok(in, MV_SRC, "src", fault)) {
        return false;
    }
    if (in->args[MV_SRC].t.scope == SC_L0C || in->args[MV_DST].t.scope == SC_L0C) {
        return move_conversion(in, fault);
    }
    return (same_width(in) || same_dtype(in, MV_SRC, "dst", "src", fault)) &&
           move_extended(in, fault);
}

/* ---- static rules of vector instructions ------------------------------------------------------------ */

static bool
mask_form_ok(const CheckInstr *in, int param, Fault *fault)
{
    MaskForm form = in->args[param].m.form;
    FaultAt at = {RULE_MASK_MODE, param, 0, 0, 0};
    if (form == MASK_COUNTER && op_table[in->op].form != FORM_VSCALAR) {
        return check_fail(fault, &at, "%s has no counter mode", op_name(in));
    }
    if (form == MASK_COUNTER && soc_profile(in->soc) == PROFILE_V100) {
        return check_fail(fault, &at,
                          "%s has no counter mode; it exists from Ascend310P on",
                          in->soc->name);
    }
    bool bytes = dtype_size(in->args[1].t.dtype) == 1;
    int words = mask_words(form);
    if (words > 1 && words != (bytes ? 4 : 2)) {
        at = (FaultAt){RULE_MASK_LENGTH, param, words, bytes ? 4 : 2, bytes ? 4 : 2};
        return check_fail(fault, &at, "mask is a list of %d words; %s operands take %d",
                          words, dtype_name(in->args[1].t.dtype), bytes ? 4 : 2);
    }
    return true;
}

static bool
scope_is_ub(const CheckInstr *in, int param, const char *name, Fault *fault)
{
    Scope s = in->args[param].t.scope;
    FaultAt at = {RULE_SCOPE_UB, param, (int64_t)s, SC_UB, SC_UB};
    return s == SC_UB || check_fail(fault, &at, "%s is in %s; %s works in UB", name,
                                    scope_name(s), op_name(in));
}

static bool
static_vector(const CheckInstr *in, const ParamInfo *params, int n, Fault *fault)
{
    for (int i = 0; i < n; i++) {
        bool tensor = params[i].role == ROLE_DST || params[i].role == ROLE_SRC;
        if (tensor && !scope_is_ub(in, i, params[i].name, fault)) {
            return false;
        }
    }
    if (!dtype_ok(in, 1, params[1].name, fault)) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        if (params[i].role == ROLE_SRC &&
            !same_dtype(in, i, params[1].name, params[i].name, fault)) {
            return false;
        }
    }
    return mask_form_ok(in, 0, fault);
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

/* Only pipe_barrier names all queues at once. */
static bool
static_pipes(const CheckInstr *in, const ParamInfo *params, int n, Fault *fault)
{
    int64_t most = op_table[in->op].form == FORM_PIPE ? PIPE_COUNT : PIPE_COUNT - 1;
    for (int i = 0; i < n; i++) {
        int64_t v = in->args[i].v;
        FaultAt at = {RULE_PIPE, i, v, 0, most};
        if (params[i].role == ROLE_PIPE && (v < 0 || v > most)) {
            return check_fail(fault, &at, "%s is queue %lld; they are 0 to %lld",
                              params[i].name, (long long)v, (long long)most);
        }
    }
    return true;
}

bool
check_static(const CheckInstr *in, Fault *fault)
{
    if (!available(in, fault)) {
        return false;
    }
    int n;
    Form form = op_table[in->op].form;
    const ParamInfo *params = form_params(form, &n);
    for (int i = 0; i < n; i++) {
        if (params[i].role == ROLE_DST &&
            !read_only(&in->args[i].t, i, params[i].name, fault)) {
            return false;
        }
    }
    switch (form) {
    case FORM_MOVE:
        return static_move(in, fault);
    case FORM_FLAG:
    case FORM_PIPE:
        return static_pipes(in, params, n, fault);
    case FORM_SETREG:
    case FORM_RESERVE:
    case FORM_MEET:
    case FORM_BLOCKS:
        return true;
    case FORM_VDUP:
    case FORM_VBIN:
    case FORM_VSCALAR:
    case FORM_VUN:
    case FORM_COUNT:
        break;
    }
    return static_vector(in, params, n, fault);
}

/* ---- rules on values ------------------------------------------------------------------------------ */

static bool
value_align(const CheckInstr *in, int param, const ParamInfo *p, Fault *fault)
{
    const CheckTensor *t = &in->args[param].t;
    int align = scope_align(t->scope, t->dtype);
    FaultAt at = {RULE_ADDRESS_ALIGN, param, t->offset, align, align};
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
                      (long long)n, dtype_name(in->args[1].t.dtype), (long long)hi);
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
                          dtype_name(in->args[1].t.dtype), lanes, lanes);
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

static bool
value_range(const CheckInstr *in, int param, const ParamInfo *p, Fault *fault)
{
    const CheckArg *a = &in->args[param];
    int64_t lo = p->lo;
    if (p->role == ROLE_REPEAT) {
        if (in->args[0].m.form == MASK_COUNTER) {
            return true;
        }
        lo = a->literal ? lo : 0;
    }
    FaultAt at = {p->rule, param, a->v, lo, p->hi};
    return p->rule == RULE_NONE || (a->v >= lo && a->v <= p->hi) ||
           check_fail(fault, &at, "%s is %lld; %s takes %lld to %lld%s%s", p->name,
                      (long long)a->v, op_name(in), (long long)lo, (long long)p->hi,
                      p->unit[0] ? " " : "", p->unit);
}

/* The scalar travels in the dtype of dst (scalar.h): integers of that range, floats as bits. */
static bool
value_scalar(const CheckInstr *in, int param, const ParamInfo *p, Fault *fault)
{
    Dtype t = in->args[1].t.dtype;
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

static bool
value_pad(const CheckInstr *in, int param, const ParamInfo *p, Fault *fault)
{
    int64_t v = in->args[param].v;
    int64_t want = param == MV_BURST;
    FaultAt at = {want ? RULE_PADMODE_BURST : RULE_PADMODE_STRIDE, param, v, want, want};
    return !check_is_pad_move(in) || v == want ||
           check_fail(fault, &at, "%s is %lld; with PadMode %lld it is %lld", p->name,
                      (long long)v, (long long)in->args[MV_MODE].v, (long long)want);
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
                          "(rounded up to %lld)",
                          name, (long long)t->offset, (long long)(end - 1),
                          (long long)t->bytes, (long long)limit);
    }
    return check_fail(fault, &at,
                      "%s covers bytes %lld to %lld; the tensor has %lld bytes", name,
                      (long long)t->offset, (long long)(end - 1), (long long)t->bytes);
}

/* Bounds in the array that the offset chooses; while arrays are not known, an access of a list must
 * still be in one window. */
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
    CheckTensor array = {.scope = t->scope, .bytes = LIST_WINDOW / 2};
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
    int64_t extent = check_extent(in, param);
    if (t->items > 0) {
        return list_bounds(t, param, p->name, extent, fault);
    }
    int64_t end = sat_add(t->offset, extent);
    return extent == 0 || (t->offset >= 0 && end <= check_limit(t)) ||
           overflow_fault(t, param, p->name, end, fault);
}

static bool
value_mask(const CheckInstr *in, int param, Fault *fault)
{
    MaskForm form = in->args[param].m.form;
    return form == MASK_COUNT || form == MASK_COUNTER ? mask_count_ok(in, param, fault)
                                                      : mask_bits_ok(in, param, fault);
}

static bool
run_step(const CheckInstr *in, CheckStep step, const ParamInfo *params, Fault *fault)
{
    const ParamInfo *p = &params[step.param];
    switch (step.kind) {
    case CHECK_ALIGN:
        return value_align(in, step.param, p, fault);
    case CHECK_MASK:
        return value_mask(in, step.param, fault);
    case CHECK_RANGE:
        return value_range(in, step.param, p, fault);
    case CHECK_SCALAR:
        return value_scalar(in, step.param, p, fault);
    case CHECK_PAD:
        return value_pad(in, step.param, p, fault);
    case CHECK_BOUNDS:
        return value_bounds(in, step.param, p, fault);
    case CHECK_OVERLAP:
        return check_overlap(in, step.param, fault);
    }
    return true;
}

static int
steps_of_param(Form form, const ParamInfo *p, int i, CheckStep *out)
{
    switch (p->role) {
    case ROLE_DST:
    case ROLE_SRC:
        out[0] = (CheckStep){CHECK_ALIGN, i};
        return 1;
    case ROLE_MASK:
        out[0] = (CheckStep){CHECK_MASK, i};
        return 1;
    case ROLE_REPEAT:
    case ROLE_INT:
        out[0] = (CheckStep){CHECK_RANGE, i};
        out[1] = (CheckStep){CHECK_PAD, i};
        return p->rule == RULE_NONE                                         ? 0
               : form == FORM_MOVE && (i == MV_BURST || i == MV_SRC_STRIDE) ? 2
                                                                            : 1;
    case ROLE_SCALAR:
        out[0] = (CheckStep){CHECK_SCALAR, i};
        return 1;
    case ROLE_MASKMODE:
    case ROLE_ATTR:
    case ROLE_PIPE:
    case ROLE_ROOT:
        break;
    }
    return 0;
}

int
check_steps(Op op, CheckStep *out)
{
    int nparams;
    Form form = op_table[op].form;
    const ParamInfo *params = form_params(form, &nparams);
    int n = 0;
    for (int i = 0; i < nparams; i++) {
        n += steps_of_param(form, &params[i], i, out + n);
    }
    for (int i = 0; i < nparams; i++) {
        if (params[i].role == ROLE_DST || params[i].role == ROLE_SRC) {
            out[n++] = (CheckStep){CHECK_BOUNDS, i};
        }
    }
    for (int i = 0; i < nparams; i++) {
        if (params[i].role == ROLE_SRC) {
            out[n++] = (CheckStep){CHECK_OVERLAP, i};
        }
    }
    return n;
}

/* The steps of one operand by itself: all but bounds and overlap. */
static bool
run_operand(const CheckInstr *in, const ParamInfo *params, int i, Fault *fault)
{
    CheckStep steps[2];
    int n = steps_of_param(op_table[in->op].form, &params[i], i, steps);
    for (int k = 0; k < n; k++) {
        if (!run_step(in, steps[k], params, fault)) {
            return false;
        }
    }
    return true;
}

static bool
is_tensor(const ParamInfo *p)
{
    return p->role == ROLE_DST || p->role == ROLE_SRC;
}

bool
check_step(const CheckInstr *in, CheckStep step, Fault *fault)
{
    int n;
    const ParamInfo *params = form_params(op_table[in->op].form, &n);
    bool shape = step.kind == CHECK_BOUNDS || step.kind == CHECK_OVERLAP;
    Fault ignored;
    for (int i = 0; shape && i < n; i++) {
        if (!is_tensor(&params[i]) && !run_operand(in, params, i, &ignored)) {
            return true;
        }
    }
    return run_step(in, step, params, fault);
}

bool
check_values(const CheckInstr *in, Fault *fault)
{
    int n;
    const ParamInfo *params = form_params(op_table[in->op].form, &n);
    for (int i = 0; i < n; i++) {
        if (!run_operand(in, params, i, fault)) {
            return false;
        }
    }
    for (int i = 0; i < n; i++) {
        if (is_tensor(&params[i]) && !value_bounds(in, i, &params[i], fault)) {
            return false;
        }
    }
    for (int i = 0; i < n; i++) {
        if (params[i].role == ROLE_SRC && !check_overlap(in, i, fault)) {
            return false;
        }
    }
    return true;
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

/* Of operands in blocks; those in L0C convert. */
static void
warn_dtypes(const CheckInstr *in, void (*report)(void *ctx, const Fault *), void *ctx)
{
    const CheckTensor *dst = &in->args[MV_DST].t, *src = &in->args[MV_SRC].t;
    Fault fault;
    if (src->scope != SC_L0C && dst->scope != SC_L0C && src->dtype != dst->dtype) {
        FaultAt at = {RULE_DTYPE_DIFFERS, MV_SRC, (int64_t)src->dtype, 0, 0};
        check_fail(&fault, &at, "dst is %s and src is %s; %s keeps the bits",
                   dtype_name(dst->dtype), dtype_name(src->dtype), op_name(in));
        report(ctx, &fault);
    }
}

void
check_warnings(const CheckInstr *in, void (*report)(void *ctx, const Fault *), void *ctx)
{
    if (op_table[in->op].form != FORM_MOVE) {
        return;
    }
    const CheckTensor *dst = &in->args[MV_DST].t;
    const PathInfo *path = path_find(in->args[MV_SRC].t.scope, dst->scope);
    Fault fault;
    warn_dtypes(in, report, ctx);
    if (path && (path->warned >> in->soc->core & 1)) {
        FaultAt at = {RULE_PATH_APPLICABILITY, -1, 0, 0, 0};
        check_fail(&fault, &at,
                   "the manual lists %s to %s on %s in one table and leaves it out "
                   "of another",
                   scope_name(path->src), scope_name(path->dst), in->soc->name);
        report(ctx, &fault);
    }
    int64_t extent = check_extent(in, MV_DST);
    int64_t end = sat_add(dst->offset, extent);
    if (dst->scope == SC_GM && dst->items == 0 && extent > 0 && end > dst->bytes) {
        FaultAt at = {RULE_GM_TAIL_WRITE, MV_DST, end, 0, dst->bytes};
        check_fail(&fault, &at,
                   "dst covers bytes %lld to %lld; the last element ends before "
                   "byte %lld",
                   (long long)dst->offset, (long long)(end - 1), (long long)dst->bytes);
        report(ctx, &fault);
    }
}
