/* fixpipe.c: the rules of fixpipe (cube-quant 8 and 12). Part of the checker;
 * rules/internal.h is the contract.
 *
 * Owns: fix-burst, fix-params, fix-relu, fix-nsize, fix-stride, fix-stride0, and of
 * fixpipe path, type-pair, bias, deq-scope, deqscale-type, deq-addr. */
#include "rules/fixpipe.h"

#include "rules/l0c_move.h"
#include "rules/internal.h"

/* ---- tables -------------------------------------------------------------- */

static const struct {
    const char *name;
    bool scale, vector;
} modes[FIX_MODES] = {
#define FIX_MODE(id, name, scale, vector) {name, scale, vector},
#include "isa/fixpipe.def"
};

static const struct {
    FixMode mode;
    Dtype from, to;
} pairs[] = {
#define FIX_PAIR(mode, from, to) {FIX_##mode, DT_##from, DT_##to},
#include "isa/fixpipe.def"
};

static const struct {
    Dtype from, to;
    int quant;
} block_pairs[] = {
#define BLOCKS_PAIR(from, to, quant) {DT_##from, DT_##to, quant},
#include "isa/fixpipe.def"
};

enum {
    NPAIRS = sizeof pairs / sizeof pairs[0],
    NBLOCK_PAIRS = sizeof block_pairs / sizeof block_pairs[0],
    ROW = 16 /* elements of a row */
};

const char *
fix_mode_name(FixMode m)
{
    return m < FIX_MODES ? modes[m].name : "?";
}

bool
fix_mode_scales(FixMode m)
{
    return m < FIX_MODES && modes[m].scale;
}

bool
fix_mode_is_vector(FixMode m)
{
    return m < FIX_MODES && modes[m].vector;
}

/* ---- rules on numbers that are no intervals ------------------------------ */

bool
check_fix_burst(Dtype src, int64_t len, Fault *fault)
{
    FaultAt at = {RULE_FIX_BURST, FIXA_burst_len, len, 0, 0};
    return dtype_size(src) < 4 || len % 2 == 0 ||
           check_fail(fault, &at,
                      "burst_len is %lld; a row of %s has 64 bytes, so it is even",
                      (long long)len, dtype_name(src));
}

bool
check_fix_columns(bool nd, bool split, int64_t n, int64_t src_stride, Fault *fault)
{
    int64_t unit = split ? 8 : nd ? 1 : ROW;
    FaultAt at = {RULE_FIX_NSIZE, FIXC_n_size, n, unit, unit};
    if (n % unit != 0) {
        return check_fail(fault, &at, "n_size is %lld; it is a multiple of %lld here",
                          (long long)n, (long long)unit);
    }
    at = (FaultAt){RULE_FIX_STRIDE, FIXC_src_stride, src_stride, ROW, ROW};
    return src_stride % ROW == 0 ||
           check_fail(fault, &at, "src_stride is %lld; it is a multiple of 16 rows",
                      (long long)src_stride);
}

/* ---- common -------------------------------------------------------------- */

static bool
fix_path(const CheckInstr *in, bool ok, Fault *fault)
{
    Scope src = in->args[FIXA_src].t.scope, dst = in->args[FIXA_dst].t.scope;
    FaultAt at = {RULE_PATH, FIXA_dst, 0, 0, 0};
    return ok || check_fail(fault, &at, "fixpipe has no path from %s to %s on %s",
                            scope_name(src), scope_name(dst), in->soc->name);
}

static bool
vector_scope(const CheckInstr *in, int param, Scope want, Fault *fault)
{
    Scope s = in->args[param].t.scope;
    FaultAt at = {RULE_DEQ_SCOPE, param, (int64_t)s, want, want};
    return s == want ||
           check_fail(fault, &at, "%s is in %s; for fixpipe on %s it is in %s",
                      check_param_name(in, param), scope_name(s), in->soc->name,
                      scope_name(want));
}

static bool
no_pair(const CheckInstr *in, const char *mode, Fault *fault)
{
    FaultAt at = {RULE_TYPE_PAIR, FIXA_dst, 0, 0, 0};
    return check_fail(fault, &at, "fixpipe converts no %s to %s with %s on %s",
                      dtype_name(in->args[FIXA_src].t.dtype),
                      dtype_name(in->args[FIXA_dst].t.dtype), mode, in->soc->name);
}

static int
fix_align(const CheckInstr *in, int param)
{
    const CheckTensor *t = &in->args[param].t;
    return t->scope == SC_L0C ? 64 : scope_align(t->scope, t->dtype);
}

static Rule
overlap_rule(Op op, int param)
{
    (void)op;
    (void)param;
    return RULE_OVERLAP_FORBIDDEN;
}

static bool
apart_from_dst(const CheckInstr *in, int param, Fault *fault)
{
    return check_apart(in, RULE_OVERLAP_FORBIDDEN, FIXA_dst, param, fault);
}

static bool
not_the_source(Op op, int param)
{
    (void)op;
    return param != FIXA_src;
}

/* The 031 has none of the plain conversions, neither between equal types nor to
 * float16. */
static bool
lacks_pair(const CheckInstr *in)
{
    Dtype from = in->args[FIXA_src].t.dtype, to = in->args[FIXA_dst].t.dtype;
    return soc_has(in->soc, FEATURE_FIX_PAIRS_BY_CHOICE) &&
           (to == from || to == DT_F16) &&
           chosen(in->choices, CHOICE_FIXPIPE_031) == CHOSE_FIXPIPE_031_HAS_NOT;
}

/* ---- by blocks ----------------------------------------------------------- */

static bool
has_vector(Form f)
{
    return f == FORM_FIXV || f == FORM_FIXVA;
}

static bool
has_other(Form f)
{
    return f == FORM_FIXA || f == FORM_FIXVA;
}

/* In the first two generations results go through UB and have a scale in float16. */
static bool
through_ub(const Soc *soc)
{
    return soc_has(soc, FEATURE_FIX_THROUGH_UB);
}

/* Later generations have words of 64 bits instead, and relu with everything. */
static bool
has_words(const Soc *soc)
{
    return soc_has(soc, FEATURE_FIX_WORDS);
}

static bool
blocks_vector(const CheckInstr *in, Fault *fault)
{
    bool early = through_ub(in->soc);
    Dtype t = in->args[FIXA_mode_param].t.dtype;
    Dtype want = has_words(in->soc) ? DT_U64 : early ? DT_F16 : DT_F32;
    FaultAt at = {RULE_DEQ_TYPE, FIXA_mode_param, (int64_t)t, want, want};
    return vector_scope(in, FIXA_mode_param, early ? SC_L1 : SC_GM, fault) &&
           (t == want ||
            check_fail(fault, &at, "mode_param is a tensor of %s; fixpipe on %s takes %s",
                       dtype_name(t), in->soc->name, dtype_name(want)));
}

/* Returns the type of elements to which the second operand is added. */
static Dtype
other_dtype(const CheckInstr *in)
{
    return in->args[in->args[FIXA_add].v == 1 ? FIXA_src : FIXA_dst].t.dtype;
}

static bool
blocks_other(const CheckInstr *in, Fault *fault)
{
    const CheckTensor *t = &in->args[FIXA_other].t;
    int64_t add = in->args[FIXA_add].v;
    Dtype want = other_dtype(in);
    FaultAt at = {add == 1 ? RULE_BIAS : RULE_FIX_PARAMS, FIXA_other, 0, 0, 0};
    if (add < 1 || add > 2) {
        at.param = FIXA_add;
        return check_fail(fault, &at, "add is %lld; it is 1 or 2", (long long)add);
    }
    return (t->scope == SC_L1 && t->dtype == want) ||
           check_fail(fault, &at, "%s is %s in %s; it is %s in L1",
                      add == 1 ? "bias" : "element-wise-add", dtype_name(t->dtype),
                      scope_name(t->scope), dtype_name(want));
}

static bool
blocks_relu(const CheckInstr *in, Fault *fault)
{
    Form form = op_form(in->op);
    FaultAt at = {RULE_FIX_RELU, FIXA_relu, 1, 0, 0};
    bool scalar = in->args[FIXA_quantize].v == 2 && !has_vector(form);
    if (in->args[FIXA_relu].v == 0 || has_words(in->soc)) {
        return true;
    }
    if (has_other(form)) {
        return check_fail(fault, &at, "relu is set beside %s",
                          in->args[FIXA_add].v == 1 ? "bias" : "element-wise-add");
    }
    return !scalar || !through_ub(in->soc) ||
           check_fail(fault, &at,
                      "relu is set beside int322fp16 with a number as mode_param on %s",
                      in->soc->name);
}

static bool
blocks_statics(const CheckInstr *in, Fault *fault)
{
    static const char *const names[] = {"no quantize_params", "fp322fp16", "int322fp16"};
    const CheckArg *a = in->args;
    Form form = op_form(in->op);
    int64_t quant = a[FIXA_quantize].v;
    bool pair = false;
    if (!fix_path(in,
                  a[FIXA_src].t.scope == SC_L0C && a[FIXA_dst].t.scope == SC_GM &&
                      in->soc->bytes[SC_L0C] > 0 && soc_has(in->soc, FEATURE_FIX_TO_GM),
                  fault)) {
        return false;
    }
    for (int i = 0; i < NBLOCK_PAIRS; i++) {
        pair = pair || (block_pairs[i].from == a[FIXA_src].t.dtype &&
                        block_pairs[i].to == a[FIXA_dst].t.dtype &&
                        block_pairs[i].quant == quant);
    }
    pair =
        pair && !lacks_pair(in) && !(has_words(in->soc) && a[FIXA_src].t.dtype == DT_F32);
    if (!pair || (has_vector(form) && quant != 2)) {
        return no_pair(in, quant >= 0 && quant <= 2 ? names[quant] : "?", fault);
    }
    return (!has_vector(form) || blocks_vector(in, fault)) &&
           (!has_other(form) || blocks_other(in, fault)) && blocks_relu(in, fault);
}

typedef struct Blocks {
    int64_t n, bytes, gap; /* of one block: its bytes, and the gap after them */
} Blocks;

static Blocks
blocks_of(const CheckInstr *in, int param)
{
    const CheckArg *a = in->args;
    int64_t rows = fix_rows(a[FIXA_burst_len].v, a[FIXA_src].t.dtype);
    int64_t row = ROW * (int64_t)dtype_size(a[param].t.dtype);
    Blocks b = {a[FIXA_cburst_num].v, sat_mul(rows, row), 0};
    if (param == FIXA_dst) {
        b.gap = sat_mul(a[FIXA_dst_stride].v, BLOCK_BYTES);
    } else if (param == FIXA_src) {
        int64_t rest = (ROW - rows % ROW) % ROW;
        b.gap = sat_mul(sat_add(rest, sat_mul(a[FIXA_src_stride].v, ROW)), row);
    }
    return b;
}

/* Of what is read beside the source, without gaps. */
static int64_t
row_bytes(const CheckInstr *in, int param)
{
    Blocks b = blocks_of(in, param);
    int64_t size = dtype_size(in->args[param].t.dtype);
    if (b.n <= 0 || b.bytes <= 0) {
        return 0;
    }
    if (param == FIXA_mode_param) {
        return size == 2 ? ROW * size : sat_mul(b.n, ROW * size);
    }
    return param == FIXA_other && in->args[FIXA_add].v == 1 ? sat_mul(b.n, ROW * size)
                                                            : sat_mul(b.n, b.bytes);
}

static Footprint
blocks_footprint(const CheckInstr *in, int param, bool *exact)
{
    Blocks b = blocks_of(in, param);
    int64_t offset = in->args[param].t.offset;
    *exact = true;
    if (param == FIXA_dst || param == FIXA_src) {
        return (Footprint){offset, b.n, sat_add(b.bytes, b.gap), 1, 0, b.bytes};
    }
    return (Footprint){offset, 1, 0, 1, 0, row_bytes(in, param)};
}

static Rule
blocks_bounds_rule(Op op, int param)
{
    (void)op;
    return param == FIXA_mode_param ? RULE_DEQ_ADDR : RULE_TENSOR_OVERFLOW;
}

const FamilyRules rules_fixblocks = {
    .statics = blocks_statics,
    .footprint = blocks_footprint,
    .overlap = apart_from_dst,
    .has_overlap = not_the_source,
    .bounds_rule = blocks_bounds_rule,
    NOT_LEAN(.placeless = true, .overlap_rule = overlap_rule)};

/* ---- by columns ---------------------------------------------------------- */

static bool
columns_path(const CheckInstr *in, Fault *fault)
{
    Scope src = in->args[FIXC_src].t.scope, dst = in->args[FIXC_dst].t.scope;
    bool wide = dst == SC_UB && (soc_has(in->soc, FEATURE_FIX_TO_UB) ||
                                 soc_has(in->soc, FEATURE_PATHS_950));
    return fix_path(in,
                    src == SC_L0C && (dst == SC_GM || dst == SC_L1 || wide) &&
                        soc_has(in->soc, FEATURE_FIX_COLUMNS),
                    fault);
}

static bool
columns_split(const CheckInstr *in, Fault *fault)
{
    const CheckArg *a = in->args;
    FaultAt at = {RULE_FIX_NSIZE, FIXC_split, 1, 0, 0};
    return a[FIXC_split].v == 0 ||
           (a[FIXC_nd].v == 0 && a[FIXC_dst].t.dtype == DT_F32 &&
            a[FIXC_src].t.dtype == DT_F32) ||
           check_fail(fault, &at,
                      "is_channel_split is set for %s to %s%s; it is for float32 in NZ",
                      dtype_name(a[FIXC_src].t.dtype), dtype_name(a[FIXC_dst].t.dtype),
                      a[FIXC_nd].v ? " in ND" : "");
}

static bool
columns_statics(const CheckInstr *in, Fault *fault)
{
    const CheckArg *a = in->args;
    bool vector = op_form(in->op) == FORM_FIXCV, pair = false;
    int64_t mode = a[FIXC_quant_pre].v;
    if (!columns_path(in, fault)) {
        return false;
    }
    for (int i = 0; i < NPAIRS; i++) {
        pair = pair ||
               ((int64_t)pairs[i].mode == mode && pairs[i].from == a[FIXC_src].t.dtype &&
                pairs[i].to == a[FIXC_dst].t.dtype);
    }
    if (!pair || lacks_pair(in)) {
        return no_pair(in, mode >= 0 ? fix_mode_name((FixMode)mode) : "?", fault);
    }
    FaultAt at = {RULE_DEQ_TYPE, FIXC_deq, 0, 0, 0};
    if (vector != fix_mode_is_vector((FixMode)mode) ||
        (vector && a[FIXC_deq].t.dtype != DT_U64)) {
        return check_fail(fault, &at, "%s takes %s", fix_mode_name((FixMode)mode),
                          fix_mode_is_vector((FixMode)mode) ? "a tensor of uint64"
                                                            : "a word, no tensor");
    }
    return (!vector || vector_scope(in, FIXC_deq, SC_L1, fault)) &&
           columns_split(in, fault);
}

/* Returns the bytes of dst: outer groups of runs. */
static Footprint
columns_dst(const CheckInstr *in, int64_t offset, bool *exact)
{
    const CheckArg *a = in->args;
    int64_t size = dtype_size(a[FIXC_dst].t.dtype), m = a[FIXC_m_size].v,
            n = a[FIXC_n_size].v;
    int64_t stride = sat_mul(a[FIXC_dst_stride].v, BLOCK_BYTES);
    *exact = true;
    if (a[FIXC_nd].v) {
        return (Footprint){offset,
                           a[FIXC_nd_num].v,
                           sat_mul(a[FIXC_dst_nd_stride].v, size),
                           m,
                           sat_mul(a[FIXC_dst_stride].v, size),
                           sat_mul(n, size)};
    }
    if (a[FIXC_split].v) {
        return (Footprint){offset, (n + 7) / 8, stride, 1, 0, sat_mul(m, BLOCK_BYTES)};
    }
    if (size == 1) { /* the last block may fill halves only */
        *exact = (n + ROW - 1) / ROW % 2 == 0;
        return (Footprint){offset, (n + 31) / 32, stride, 1, 0, sat_mul(m, BLOCK_BYTES)};
    }
    return (Footprint){offset, (n + ROW - 1) / ROW, stride, 1, 0, sat_mul(m, ROW * size)};
}

static Footprint
columns_footprint(const CheckInstr *in, int param, bool *exact)
{
    const CheckArg *a = in->args;
    int64_t offset = a[param].t.offset;
    int64_t row = ROW * (int64_t)dtype_size(a[FIXC_src].t.dtype);
    if (param == FIXC_dst) {
        return columns_dst(in, offset, exact);
    }
    *exact = true;
    if (param == FIXC_deq) {
        return (Footprint){offset, 1, 0, 1, 0, sat_mul(a[FIXC_n_size].v, 8)};
    }
    return (Footprint){offset,
                       a[FIXC_nd].v ? a[FIXC_nd_num].v : 1,
                       sat_mul(a[FIXC_src_nd_stride].v, ROW * row),
                       (a[FIXC_n_size].v + ROW - 1) / ROW,
                       sat_mul(a[FIXC_src_stride].v, row),
                       sat_mul(a[FIXC_m_size].v, row)};
}

static Rule
columns_bounds_rule(Op op, int param)
{
    (void)op;
    return param == FIXC_deq ? RULE_DEQ_ADDR : RULE_TENSOR_OVERFLOW;
}

static void
columns_warnings(const CheckInstr *in, void (*report)(void *ctx, const Fault *),
                 void *ctx)
{
    Fault fault;
    FaultAt at = {RULE_FIX_STRIDE0, FIXC_src_stride, 0, 0, 0};
    if (in->args[FIXC_src_stride].literal && in->args[FIXC_src_stride].v == 0) {
        check_fail(&fault, &at,
                   "src_stride is 0: all blocks of columns are read from the same rows");
        report(ctx, &fault);
    }
    FixMode mode = (FixMode)in->args[FIXC_quant_pre].v;
    if (fix_mode_scales(mode) && !fix_mode_is_vector(mode) &&
        in->args[FIXC_deq].literal &&
        !check_word_reserved((uint64_t)in->args[FIXC_deq].v, FIXC_deq, "deq_scalar",
                             &fault)) {
        report(ctx, &fault);
    }
}

const FamilyRules rules_fixcolumns = {.statics = columns_statics,
                                      .footprint = columns_footprint,
                                      .overlap = apart_from_dst,
                                      .has_overlap = not_the_source,
                                      .bounds_rule = columns_bounds_rule,
                                      .align = fix_align,
                                      NOT_LEAN(.placeless = true,
                                               .overlap_rule = overlap_rule,
                                               .warnings = columns_warnings)};
