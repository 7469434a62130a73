/* l0c_move.c: the rules of moves out of and into L0C (data-movement 6, cube-quant 9 to
 * 11). It is a part of the checker, whose contract is rules/internal.h.
 *
 * It owns block-mode, block-mode-type, dp-nburst, sid-store-mode, sid-ignored, onthefly,
 * type-pair, deq-pair, deq-relu, deq-scope, deqscale-type of vectors, deq-addr of these
 * moves. rules/quant_word.c has the rules on words; conv-soc, which only one of the two
 * spellings has, and the arguments of calls are checked by the stage. */
#include "rules/l0c_move.h"

#include "rules/internal.h"

/* ---- tables -------------------------------------------------------------- */

enum {
    M = 1 << BLOCK_M,
    V = 1 << BLOCK_V,
    SC = 1 << BLOCK_SC,
    DP = 1 << BLOCK_DP,
    NO = -1
};

static const struct {
    Scope src, dst;
    uint32_t modes;
    CoreSet cores;
} paths[] = {
#define ACC_PATH(src, dst, modes, cores) {SC_##src, SC_##dst, modes, cores},
#include "isa/l0c_move.def"
};

/* Conversion codes as bits: a single one, and those from lo to hi. */
#define CODE(n)       (1u << (n))
#define CODES(lo, hi) ((2u << (hi)) - (1u << (lo)))

static const struct {
    CoreSet cores;
    uint32_t codes;
} codes[] =
    {
#define ACC_CODES(cores, codes) {cores, codes},
#include "isa/l0c_move.def"
},
  copy_codes[] = {
#define ACC_COPY_CODES(cores, codes) {cores, codes},
#include "isa/l0c_move.def"
};

static const AccPair pairs[] = {
#define ACC_PAIR(src, dst, tik, enhanced, from, to, scale, code, relu)                   \
    {SC_##src, SC_##dst, tik, enhanced, DT_##from, DT_##to, SCALE_##scale, code, relu},
#include "isa/l0c_move.def"
};

enum {
    NPATHS = sizeof paths / sizeof paths[0],
    NCODES = sizeof codes / sizeof codes[0],
    NPAIRS = sizeof pairs / sizeof pairs[0]
};

const AccPair *
acc_pair(Scope src, Scope dst, BlockMode mode, Dtype from, Dtype to, AccScale scale)
{
    for (int i = 0; i < NPAIRS; i++) {
        const AccPair *p = &pairs[i];
        if (p->src == src && p->dst == dst && p->from == from && p->to == to &&
            p->scale == scale && ((p->tik | p->enhanced) >> mode & 1)) {
            return p;
        }
    }
    return NULL;
}

uint32_t
acc_modes(const Soc *soc, Scope src, Scope dst)
{
    uint32_t modes = 0;
    for (int i = 0; i < NPATHS && !soc_has(soc, FEATURE_PATHS_950); i++) {
        if (paths[i].src == src && paths[i].dst == dst && soc_on(soc, paths[i].cores)) {
            modes |= paths[i].modes;
        }
    }
    return modes;
}

uint32_t
acc_codes(const Soc *soc)
{
    for (int i = 0; i < NCODES; i++) {
        if (soc_on(soc, codes[i].cores)) {
            return codes[i].codes;
        }
    }
    return 1;
}

uint32_t
acc_copy_codes(const Soc *soc)
{
    uint32_t all = acc_codes(soc);
    for (size_t i = 0; i < sizeof copy_codes / sizeof copy_codes[0]; i++) {
        all |= soc_on(soc, copy_codes[i].cores) ? copy_codes[i].codes : 0;
    }
    return all;
}

const char *
block_mode_name(BlockMode m)
{
    static const char *const names[BLOCK_MODES] = {"m", "v", "sc", "dp"};
    return m < BLOCK_MODES ? names[m] : "?";
}

const char *
acc_scale_name(AccScale s)
{
    static const char *const names[SCALE_COUNT] = {"DEQ_NONE", "DEQ",   "VDEQ",  "DEQ8",
                                                   "VDEQ8",    "DEQ16", "VDEQ16"};
    return s < SCALE_COUNT ? names[s] : "?";
}

bool
acc_scale_is_vector(AccScale s)
{
    return s == SCALE_VDEQ || s == SCALE_VDEQ8 || s == SCALE_VDEQ16;
}

/* ---- units --------------------------------------------------------------- */

AccUnits
acc_units(BlockMode mode, Dtype acc, Dtype out, int64_t sid, bool packed)
{
    static const int64_t elems[BLOCK_MODES] = {256, 16, 64, 256};
    AccUnits u = {.elems = elems[mode]};
    u.gap = (mode == BLOCK_V ? 256 : u.elems) * dtype_size(acc);
    u.acc = packed ? u.elems * dtype_size(acc) : u.gap;
    u.out = u.elems * dtype_size(out);
    if (dtype_size(out) == 1 && sid != 2) {
        u.out *= 2; /* results fill half of each block */
    }
    return u;
}

int64_t
acc_vector_step(AccScale s, const Choices *c)
{
    return s != SCALE_VDEQ                                               ? 128
           : chosen(c, CHOICE_VDEQ_VECTOR) == CHOSE_VDEQ_VECTOR_ADVANCES ? BLOCK_BYTES
                                                                         : 0;
}

int64_t
acc_vector_bytes(AccScale s, int64_t n, const Choices *c)
{
    int64_t step = acc_vector_step(s, c);
    return step == 0 ? BLOCK_BYTES : sat_mul(n, step);
}

bool
acc_high_half(int64_t sid, const Choices *c)
{
    return sid == (chosen(c, CHOICE_SID_HALVES) == CHOSE_SID_HALVES_SECOND_FIRST ? 0 : 1);
}

typedef struct Acc {
    BlockMode mode;
    AccScale scale;
    bool vector, fly; /* the form has such a tensor */
    bool out;         /* the move is out of L0C */
    bool high;        /* 8-bit results go to the second half of blocks */
    int64_t n, len, acc_gap, out_gap, sid;
    AccUnits u;
} Acc;

/* Returns a constant operand if it is in its range, else 0. */
static int64_t
constant(const CheckInstr *in, int param, int64_t end)
{
    int64_t v = in->args[param].v;
    return v >= 0 && v < end ? v : 0;
}

/* Reads the operands, which may have any values. */
static Acc
acc_of(const CheckInstr *in)
{
    const CheckArg *a = in->args;
    Form form = op_form(in->op);
    Acc x = {.mode = (BlockMode)constant(in, ACCFLY_block_mode, BLOCK_MODES),
             .scale = (AccScale)constant(in, ACCFLY_deq_mode, SCALE_COUNT),
             .vector = form == FORM_ACCV || form == FORM_ACCVFLY,
             .fly = form == FORM_ACCFLY || form == FORM_ACCVFLY,
             .out = a[ACCFLY_src].t.scope == SC_L0C,
             .n = a[ACCFLY_nburst].v,
             .len = a[ACCFLY_burst_len].v,
             .sid = a[ACCFLY_sid_store_mode].v,
             .high = acc_high_half(a[ACCFLY_sid_store_mode].v, in->choices)};
    x.acc_gap = a[x.out ? ACCFLY_src_stride : ACCFLY_dst_stride].v;
    x.out_gap = a[x.out ? ACCFLY_dst_stride : ACCFLY_src_stride].v;
    x.u = acc_units(x.mode, a[x.out ? ACCFLY_src : ACCFLY_dst].t.dtype,
                    a[x.out ? ACCFLY_dst : ACCFLY_src].t.dtype, x.sid,
                    chosen(in->choices, CHOICE_VECTOR_ROWS) == CHOSE_VECTOR_ROWS_PACKED);
    return x;
}

/* ---- static rules -------------------------------------------------------- */

#ifndef TIK_LEAN
static const char *
modes_text(uint32_t modes, char *list, size_t size)
{
    for (int m = 0; m < BLOCK_MODES; m++) {
        if (modes >> m & 1) {
            check_list_add(list, size, block_mode_name((BlockMode)m));
        }
    }
    return list;
}
#endif

static bool
acc_path(const CheckInstr *in, Fault *fault)
{
    Scope src = in->args[ACCFLY_src].t.scope, dst = in->args[ACCFLY_dst].t.scope;
    uint32_t modes = acc_modes(in->soc, src, dst);
    int64_t mode = in->args[ACCFLY_block_mode].v;
    FaultAt at = {RULE_PATH, ACCFLY_dst, 0, 0, 0};
    if (modes == 0) {
        return check_fail(fault, &at, "tensor_mov has no path from %s to %s on %s",
                          scope_name(src), scope_name(dst), in->soc->name);
    }
    if (mode >= 0 && mode < BLOCK_MODES && (modes >> mode & 1)) {
        return true;
    }
    TEXT(char list[40] = "";)
    at = (FaultAt){RULE_BLOCKMODE, ACCFLY_block_mode, mode, 0, 0};
    return check_fail(fault, &at,
                      "block mode '%s' is not there from %s to %s on %s, which has %s",
                      block_mode_name((BlockMode)mode), scope_name(src), scope_name(dst),
                      in->soc->name, modes_text(modes, list, sizeof list));
}

/* Returns whether there is a scale for which the path converts the types. */
static bool
any_scale(const Acc *x, const CheckInstr *in)
{
    const CheckTensor *src = &in->args[ACCFLY_src].t, *dst = &in->args[ACCFLY_dst].t;
    for (int s = 0; s < SCALE_COUNT; s++) {
        if (acc_pair(src->scope, dst->scope, x->mode, src->dtype, dst->dtype,
                     (AccScale)s) != NULL) {
            return true;
        }
    }
    return false;
}

static bool
acc_types(const Acc *x, const CheckInstr *in, Fault *fault)
{
    const CheckTensor *src = &in->args[ACCFLY_src].t, *dst = &in->args[ACCFLY_dst].t;
    const CheckTensor *acc = x->out ? src : dst;
    FaultAt at = {RULE_BLOCKMODE_TYPE, x->out ? ACCFLY_src : ACCFLY_dst, 0, 0, 0};
    if (x->mode == BLOCK_SC && x->out && dtype_size(acc->dtype) != 4) {
        return check_fail(fault, &at,
                          "src is %s; block mode 'sc' takes elements of 32 bits in L0C",
                          dtype_name(acc->dtype));
    }
    const AccPair *p =
        acc_pair(src->scope, dst->scope, x->mode, src->dtype, dst->dtype, x->scale);
    bool relu = in->args[ACCFLY_relu].v != 0;
    at = (FaultAt){RULE_TYPE_PAIR, ACCFLY_dst, 0, 0, 0};
    if (p == NULL) {
        bool scale = any_scale(x, in);
        at.rule = scale ? RULE_DEQ_PAIR : RULE_TYPE_PAIR;
        return check_fail(
            fault, &at,
            "from %s in %s to %s in %s is no conversion of block mode '%s'%s%s",
            dtype_name(src->dtype), scope_name(src->scope), dtype_name(dst->dtype),
            scope_name(dst->scope), block_mode_name(x->mode), scale ? " with " : "",
            scale ? acc_scale_name(x->scale) : "");
    }
    at = (FaultAt){RULE_DEQ_RELU, ACCFLY_relu, relu, 0, 0};
    return !relu || p->relu_code >= 0 ||
           check_fail(fault, &at, "relu is set for %s from %s to %s, which has none",
                      acc_scale_name(x->scale), dtype_name(src->dtype),
                      dtype_name(dst->dtype));
}

static bool
acc_vector(const Acc *x, const CheckInstr *in, Fault *fault)
{
    if (x->vector != acc_scale_is_vector(x->scale)) {
        FaultAt at = {RULE_DEQ_TYPE, ACCFLY_deqscale, 0, 0, 0};
        return check_fail(fault, &at, "deqscale is %s; %s takes %s",
                          x->vector ? "a tensor" : "a number", acc_scale_name(x->scale),
                          x->vector ? "a number" : "a tensor");
    }
    const CheckTensor *t = &in->args[ACCFLY_deqscale].t;
    FaultAt at = {RULE_DEQ_SCOPE, ACCFLY_deqscale, (int64_t)t->scope, SC_UB, SC_UB};
    if (!x->vector) {
        return true;
    }
    if (t->scope != SC_UB) {
        return check_fail(fault, &at, "deqscale is in %s; its tensor is in UB",
                          scope_name(t->scope));
    }
    bool half = x->scale == SCALE_VDEQ;
    bool two_floats = x->scale == SCALE_VDEQ16 && t->dtype == DT_F32;
    at.rule = RULE_DEQ_TYPE;
    return t->dtype == (half ? DT_F16 : DT_U64) || two_floats ||
           check_fail(fault, &at, "deqscale is a tensor of %s; %s takes %s",
                      dtype_name(t->dtype), acc_scale_name(x->scale),
                      half ? "float16" : "uint64");
}

static bool
acc_other(const Acc *x, const CheckInstr *in, Fault *fault)
{
    const CheckTensor *dst = &in->args[ACCFLY_dst].t,
                      *other = &in->args[ACCFLY_src_onthefly].t;
    Dtype t = dst->dtype;
    FaultAt at = {RULE_ONTHEFLY, ACCFLY_onthefly_mode, in->args[ACCFLY_onthefly_mode].v,
                  1, 2};
    if (!x->fly) {
        return true;
    }
    if (at.value < 1 || at.value > 2) {
        return check_fail(fault, &at, "onthefly_mode is %lld; it is 0 to 2",
                          (long long)at.value);
    }
    if (!x->out || dst->scope != SC_UB || !soc_has(in->soc, FEATURE_ONTHEFLY)) {
        return check_fail(fault, &at, "onthefly_mode is %lld from %s to %s on %s",
                          (long long)at.value, scope_name(in->args[ACCFLY_src].t.scope),
                          scope_name(dst->scope), in->soc->name);
    }
    at.param = ACCFLY_src_onthefly;
    if (t != DT_S16 && t != DT_F16 && t != DT_F32) {
        return check_fail(fault, &at,
                          "dst is %s; onthefly_mode %lld takes int16, float16, float32",
                          dtype_name(t), (long long)at.value);
    }
    return (other->scope == SC_UB && other->dtype == t) ||
           check_fail(fault, &at, "src_onthefly is %s in %s; it is %s in UB",
                      dtype_name(other->dtype), scope_name(other->scope), dtype_name(t));
}

static bool
acc_statics(const CheckInstr *in, Fault *fault)
{
    int64_t sid = in->args[ACCFLY_sid_store_mode].v, scale = in->args[ACCFLY_deq_mode].v;
    FaultAt at = {RULE_SID, ACCFLY_sid_store_mode, sid, 0, 2};
    if (!acc_path(in, fault)) {
        return false;
    }
    if (sid < 0 || sid > 2) {
        return check_fail(fault, &at, "sid_store_mode is %lld; it is 0 to 2",
                          (long long)sid);
    }
    at = (FaultAt){RULE_DEQ_TYPE, ACCFLY_deq_mode, scale, 0, SCALE_COUNT - 1};
    if (scale < 0 || scale >= SCALE_COUNT) {
        return check_fail(fault, &at, "deq_mode is %lld; it is 0 to %d", (long long)scale,
                          SCALE_COUNT - 1);
    }
    Acc x = acc_of(in);
    return acc_types(&x, in, fault) && acc_vector(&x, in, fault) &&
           acc_other(&x, in, fault);
}

/* ---- numbers ------------------------------------------------------------- */

static int64_t
acc_extent(const CheckInstr *in, int param)
{
    Acc x = acc_of(in);
    int64_t units = sat_mul(x.n, x.len);
    if (x.n <= 0 || x.len <= 0) {
        return 0;
    }
    if (param == ACCFLY_deqscale) {
        return acc_vector_bytes(x.scale, x.n, in->choices);
    }
    if (param == ACCFLY_src_onthefly) {
        return sat_mul(units, x.u.out);
    }
    if ((param == ACCFLY_src) == x.out) {
        return sat_add(sat_mul(units, x.u.acc),
                       sat_mul(sat_mul(x.n - 1, x.acc_gap), x.u.gap));
    }
    int64_t gaps = x.mode == BLOCK_DP ? 1 : x.n - 1;
    return sat_add(sat_mul(units, x.u.out),
                   sat_mul(gaps, sat_mul(x.out_gap, BLOCK_BYTES)));
}

/* Bursts of contiguous bytes. */
static Footprint
bursts(const Acc *x, int64_t offset, int64_t len, int64_t gap)
{
    Footprint f = {offset, x->n, sat_add(len, gap), 1, 0, len};
    if (gap == 0 && x->n > 0) {
        f.count0 = 1;
        f.len = sat_mul(len, x->n);
    }
    return f;
}

static Footprint
acc_side(const Acc *x, int64_t offset)
{
    int64_t len = sat_mul(x->len, x->u.acc), gap = sat_mul(x->acc_gap, x->u.gap);
    if (x->mode != BLOCK_V) {
        return bursts(x, offset, len, gap);
    }
    return (Footprint){offset, x->n, sat_add(len, gap), x->len, x->u.acc, x->u.gap / 16};
}

static Footprint
out_side(const Acc *x, int64_t offset, bool narrow)
{
    int64_t len = sat_mul(x->len, x->u.out), gap = sat_mul(x->out_gap, BLOCK_BYTES);
    if (x->mode == BLOCK_DP) {
        return (Footprint){offset, 2, sat_add(len / 2, gap), 1, 0, len / 2};
    }
    if (narrow && x->sid != 2) {
        return (Footprint){offset + (x->high ? BLOCK_BYTES / 2 : 0),
                           x->n,
                           sat_add(len, gap),
                           len / BLOCK_BYTES,
                           BLOCK_BYTES,
                           BLOCK_BYTES / 2};
    }
    return bursts(x, offset, len, gap);
}

static Footprint
acc_footprint(const CheckInstr *in, int param, bool *exact)
{
    Acc x = acc_of(in);
    int64_t offset = in->args[param].t.offset;
    *exact = true;
    if (param == ACCFLY_deqscale || param == ACCFLY_src_onthefly) {
        return (Footprint){offset, 1, 0, 1, 0, acc_extent(in, param)};
    }
    if ((param == ACCFLY_src) == x.out) {
        return acc_side(&x, offset);
    }
    return out_side(&x, offset, dtype_size(in->args[param].t.dtype) == 1);
}

static bool
acc_has_overlap(Op op, int param)
{
    (void)op;
    return param != ACCFLY_src;
}

static bool
acc_overlap(const CheckInstr *in, int param, Fault *fault)
{
    return check_apart(in, RULE_OVERLAP_FORBIDDEN, ACCFLY_dst, param, fault);
}

static Rule
acc_overlap_rule(Op op, int param)
{
    (void)op;
    (void)param;
    return RULE_OVERLAP_FORBIDDEN;
}

static Rule
acc_bounds_rule(Op op, int param)
{
    (void)op;
    return param == ACCFLY_deqscale ? RULE_DEQ_ADDR : RULE_TENSOR_OVERFLOW;
}

static void
acc_warnings(const CheckInstr *in, void (*report)(void *ctx, const Fault *), void *ctx)
{
    Fault fault;
    int64_t sid = in->args[ACCFLY_sid_store_mode].v;
    FaultAt at = {RULE_SID_IGNORED, ACCFLY_sid_store_mode, sid, 0, 0};
    if (sid != 0 && dtype_size(in->args[ACCFLY_dst].t.dtype) != 1) {
        check_fail(&fault, &at, "sid_store_mode is %lld and dst is %s; it is for 8 bits",
                   (long long)sid, dtype_name(in->args[ACCFLY_dst].t.dtype));
        report(ctx, &fault);
    }
    if (!acc_scale_is_vector((AccScale)in->args[ACCFLY_deq_mode].v) &&
        in->args[ACCFLY_deqscale].literal) {
        AccUse use = {(AccScale)in->args[ACCFLY_deq_mode].v, in->args[ACCFLY_dst].t.dtype,
                      in->args[ACCFLY_relu].v != 0};
        uint64_t word = (uint64_t)in->args[ACCFLY_deqscale].v;
        check_acc_word_warnings(&use, &word, 1, 0, report, ctx);
    }
}

const FamilyRules rules_acc = {.statics = acc_statics,
                               .extent = acc_extent,
                               .footprint = acc_footprint,
                               .overlap = acc_overlap,
                               .has_overlap = acc_has_overlap,
                               .bounds_rule = acc_bounds_rule,
                               NOT_LEAN(.placeless = true,
                                        .overlap_rule = acc_overlap_rule,
                                        .warnings = acc_warnings)};
