/* move.c: the rules of moves between memories (data-movement chapters 2 to 4): paths,
 * types, pad modes, conversion codes, footprints, overlap. Part of the checker;
 * rules/internal.h is the contract.
 *
 * Owns: path, dma-form, same-gm, extended-argument, pad-mode*, conv-soc, type-pair,
 * deqscale-missing. The warning overlap is the compiler's (passes/check.c), which asks
 * the reading CHOSE_OVERLAPPING_MOVE_ERROR. */
#include "rules/l0c_move.h"
#include "rules/internal.h"
#include "isa/operand.h"

#ifndef TIK_LEAN
/* Lists the memories to which there is a path. */
static const char *
goals_text(const CheckInstr *in, Scope src, char *list, size_t size)
{
    for (int s = 0; s < SC_COUNT; s++) {
        if (soc_has_path(in->soc, src, (Scope)s)) {
            check_list_add(list, size, scope_name((Scope)s));
        }
    }
    return list[0] ? list : "no memory";
}
#endif

/* Returns the bytes of each burst that a pad mode takes from global memory; 0 without a
 * pad mode. */
static int
pad_width(int64_t mode)
{
    return mode >= 1 && mode <= 5 ? 1 << (mode - 1) : 0;
}

bool
check_is_pad_move(const CheckInstr *in)
{
    return op_form(in->op) == FORM_MOVE && in->args[MOVE_src].t.scope == SC_GM &&
           in->args[MOVE_dst].t.scope == SC_L1 && pad_width(in->args[MOVE_mode].v) != 0;
}

/* ---- static rules of moves ----------------------------------------------- */

static bool
move_path(const CheckInstr *in, Fault *fault)
{
    Scope src = in->args[MOVE_src].t.scope;
    Scope dst = in->args[MOVE_dst].t.scope;
    if (in->soc->lmem != NULL && (src == SC_LMEM || dst == SC_LMEM)) {
        FaultAt at = {RULE_DMA_FORM, src == SC_LMEM ? MOVE_src : MOVE_dst, 0, 0, 0};
        return check_fail(fault, &at, "%s is in LMEM; its moves have the tensor form",
                          src == SC_LMEM ? "src" : "dst");
    }
    if (src == SC_GM && dst == SC_GM) {
        FaultAt at = {RULE_SAME_GM, MOVE_src, 0, 0, 0};
        return check_fail(fault, &at, "dst and src are both in global memory");
    }
    if (soc_has_path(in->soc, src, dst)) {
        return true;
    }
    TEXT(char list[64] = "";)
    FaultAt at = {RULE_PATH, MOVE_dst, 0, 0, 0};
    return check_fail(fault, &at,
                      "%s has no path from %s to %s on %s; from %s it goes to %s",
                      check_op_name(in), scope_name(src), scope_name(dst), in->soc->name,
                      scope_name(src), goals_text(in, src, list, sizeof list));
}

static bool
code_scales(int64_t code)
{
    return code == 3 || (code >= 6 && code <= 13);
}

/* Returns whether a conversion code without scale converts src to dst on this path. */
static bool
pair_ok(Dtype src, Dtype dst, int64_t code, bool from_l0c)
{
    bool floating = src == DT_F16 || src == DT_F32;
    bool plain = src == dst && (floating || src == DT_S32);
    switch (code) {
    case 0: /* bytes; the front end makes one type of two */
        return src == dst;
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
    const CheckTensor *src = &in->args[MOVE_src].t;
    const CheckTensor *dst = &in->args[MOVE_dst].t;
    int64_t code = in->args[MOVE_mode].v;
    FaultAt at = {RULE_EXTARG, MOVE_mode, code, 0, 13};
    if (code < 0 || code > 13) {
        return check_fail(fault, &at, "ConvReluMode is %lld; its codes are 0 to 13",
                          (long long)code);
    }
    at.hi = 0;
    if (!(acc_codes(in->soc) >> code & 1)) {
        at.rule = RULE_CONV_SOC;
        return check_fail(fault, &at,
                          "ConvReluMode is %lld, a conversion that %s does not have",
                          (long long)code, in->soc->name);
    }
    if (code_scales(code) ||
        (code != 0 && src->dtype == DT_S32 && dst->dtype == DT_F16)) {
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
    Scope src = in->args[MOVE_src].t.scope;
    Scope dst = in->args[MOVE_dst].t.scope;
    int64_t mode = in->args[MOVE_mode].v;
    FaultAt at = {RULE_PADMODE, MOVE_mode, mode, 0, 5};
    if (src == SC_GM && dst == SC_L1) {
        return (mode >= 0 && mode <= 5) ||
               check_fail(fault, &at, "PadMode is %lld; the modes are 0 to 5",
                          (long long)mode);
    }
    at.hi = 0;
    if (pad_width(mode) != 0) {
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

/* Float64 has four paths, those of data_copy's tables. */
static bool
move_double(const CheckInstr *in, Fault *fault)
{
    const CheckTensor *dst = &in->args[MOVE_dst].t, *src = &in->args[MOVE_src].t;
    bool listed = (src->scope == SC_GM && (dst->scope == SC_UB || dst->scope == SC_L1)) ||
                  (src->scope == SC_UB && (dst->scope == SC_UB || dst->scope == SC_GM));
    bool is_src = src->dtype == DT_F64;
    FaultAt at = {RULE_DTYPE_UNSUPPORTED, is_src ? MOVE_src : MOVE_dst, DT_F64, 0, 0};
    return listed || (!is_src && dst->dtype != DT_F64) ||
           check_fail(fault, &at, "%s is float64, which does not go from %s to %s",
                      is_src ? "src" : "dst", scope_name(src->scope),
                      scope_name(dst->scope));
}

static bool
static_move(const CheckInstr *in, Fault *fault)
{
    if (!move_path(in, fault) || !check_main_dtype(in, MOVE_dst, fault) ||
        !check_main_dtype(in, MOVE_src, fault) || !move_double(in, fault)) {
        return false;
    }
    if (in->args[MOVE_src].t.scope == SC_L0C || in->args[MOVE_dst].t.scope == SC_L0C) {
        return move_conversion(in, fault);
    }
    return move_extended(in, fault);
}

/* ---- values -------------------------------------------------------------- */

/* ---- moves --------------------------------------------------------------- */

typedef struct Bursts {
    int64_t n, len, gap; /* bytes */
} Bursts;

static Bursts
bursts_of(const CheckInstr *in, int param)
{
    const CheckTensor *src = &in->args[MOVE_src].t;
    const CheckTensor *dst = &in->args[MOVE_dst].t;
    MoveUnits u = move_units(src->scope, src->dtype, dst->scope, dst->dtype);
    bool is_dst = param == MOVE_dst;
    Bursts b = {in->args[MOVE_nburst].v,
                sat_mul(in->args[MOVE_burst].v, is_dst ? u.dst_burst : u.src_burst),
                sat_mul(in->args[is_dst ? MOVE_dst_stride : MOVE_src_stride].v,
                        is_dst ? u.dst_gap : u.src_gap)};
    if (!is_dst && check_is_pad_move(in)) {
        b.len = pad_width(in->args[MOVE_mode].v);
        b.gap = 0;
    }
    return b;
}

static Footprint
move_footprint(const CheckInstr *in, int param, bool *exact)
{
    *exact = true;
    Bursts b = bursts_of(in, param);
    Footprint f = {in->args[param].t.offset, b.n, sat_add(b.len, b.gap), 1, 0, b.len};
    if (b.gap == 0 && b.n > 0) {
        f.count0 = 1;
        f.len = sat_mul(b.len, b.n);
    }
    return f;
}

/* ---- moves --------------------------------------------------------------- */

typedef struct Runs {
    int64_t start, n, pitch, len;
} Runs;

/* Returns whether a burst of a overlaps one of b; *i and *j get the first such pair. */
static bool
runs_overlap(const Runs *a, const Runs *b, int64_t *i, int64_t *j)
{
    *i = 0;
    *j = 0;
    while (*i < a->n && *j < b->n) {
        int64_t at = a->start + *i * a->pitch;
        int64_t bt = b->start + *j * b->pitch;
        if (at + a->len <= bt) {
            ++*i;
        } else if (bt + b->len <= at) {
            ++*j;
        } else {
            return true;
        }
    }
    return false;
}

static Runs
move_runs(const CheckInstr *in, int param)
{
    bool exact;
    Footprint f = move_footprint(in, param, &exact);
    return (Runs){f.offset, f.count0, f.stride0, f.len};
}

static bool
move_overlap(const CheckInstr *in, int param, Fault *fault)
{
    if (chosen(in->choices, CHOICE_OVERLAPPING_MOVE) != CHOSE_OVERLAPPING_MOVE_ERROR) {
        return true;
    }
    const CheckTensor *to = &in->args[MOVE_dst].t;
    const CheckTensor *from = &in->args[param].t;
    if (to->buffer != from->buffer || to->offset < 0 || to->offset >= FAR_AWAY ||
        from->offset < 0 || from->offset >= FAR_AWAY) {
        return true;
    }
    Runs d = move_runs(in, MOVE_dst);
    Runs s = move_runs(in, MOVE_src);
    bool same_shape = d.n == s.n && d.len == s.len && (d.n == 1 || d.pitch == s.pitch);
    int64_t i, j;
    if ((d.start == s.start && same_shape) || !runs_overlap(&d, &s, &i, &j)) {
        return true;
    }
    int64_t dst = d.start + i * d.pitch;
    int64_t src = s.start + j * s.pitch;
    FaultAt at = {RULE_OVERLAP_FORBIDDEN, MOVE_src, src, 0, 0};
    return check_fail(
        fault, &at,
        "the move writes bytes %lld to %lld and reads bytes %lld to %lld of the "
        "same tensor, and not all of the move is identical",
        (long long)dst, (long long)(dst + d.len - 1), (long long)src,
        (long long)(src + s.len - 1));
}

/* Of operands in blocks; those in L0C convert. A move copies bytes whatever the types
 * are: elements of one size stay elements, other sizes are an error that the user can
 * allow. */
static void
warn_dtypes(const CheckInstr *in, void (*report)(void *ctx, const Fault *), void *ctx)
{
    const CheckTensor *dst = &in->args[MOVE_dst].t, *src = &in->args[MOVE_src].t;
    Fault fault;
    if (src->scope != SC_L0C && dst->scope != SC_L0C && src->dtype != dst->dtype) {
        bool width = dtype_size(dst->dtype) == dtype_size(src->dtype);
        FaultAt at = {width ? RULE_DTYPE_DIFFERS : RULE_DTYPE_MISMATCH, MOVE_src,
                      (int64_t)src->dtype, 0, 0};
        check_fail(&fault, &at,
                   width
                       ? "dst is %s and src is %s; %s keeps the bits"
                       : "dst is %s and src is %s; %s takes one dtype, and copies bytes",
                   dtype_name(dst->dtype), dtype_name(src->dtype), check_op_name(in));
        report(ctx, &fault);
    }
}

void
check_move_warnings(const CheckInstr *in, void (*report)(void *ctx, const Fault *),
                    void *ctx)
{
    if (op_main(in->op) < 0) {
        return;
    }
    warn_dtypes(in, report, ctx);
}

const FamilyRules rules_move = {
    .statics = static_move,
    .footprint = move_footprint,
    .overlap = move_overlap,
    NOT_LEAN(.placeless = true, .warnings = check_move_warnings)};

#ifndef TIK_LEAN
void
check_warnings(const CheckInstr *in, void (*report)(void *ctx, const Fault *), void *ctx)
{
    const FamilyRules *rules = check_family(in->op);
    if (rules->warnings != NULL) {
        rules->warnings(in, report, ctx);
    }
}

bool
check_has_run_warnings(Op op)
{
    const FamilyRules *rules = check_family(op);
    return rules->run_warnings != NULL;
}

void
check_run_warnings(const CheckInstr *in, void (*report)(void *ctx, const Fault *),
                   void *ctx)
{
    if (check_has_run_warnings(in->op)) {
        check_family(in->op)->run_warnings(in, report, ctx);
    }
}
#endif
