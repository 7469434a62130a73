/* test_check.c: checks the rules of instructions on numbers: every limit of form.def from
 * both sides, generated from the table, then each rule by hand, then hostile values. */
#include "fault.h"
#include "random.h"
#include "rules/reg.h"
#include "rules/l0c_move.h"
#include "rules/fixpipe.h"
#include "rules/check.h"
#include "rules/segment.h"
#include "rules/image.h"
#include "rules/transfer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum {
    ROOM = 1 << 28
}; /* bytes of the tensors: more than any legal instruction accesses */

static const Soc *
soc(const char *name)
{
    const Soc *s = soc_find(name);
    assert_non_null(s);
    return s;
}

/* Returns a processor that has the instruction. */
static const Soc *
some_soc(Op op)
{
    /* init_const_value has its counts on the newer processors. */
    const Soc *found = soc(op == OP_INIT_CONST_VALUE ? "Ascend910B1" : "Ascend310P");
    for (int i = 0; i < soc_count() && !op_on_soc(op, found); i++) {
        found = soc_at(i);
    }
    return found;
}

static Dtype
some_dtype(Op op, const Soc *on)
{
    for (int t = 1; !op_has_dtype(op, DT_F16, on) && t < DT_COUNT; t++) {
        if (op_has_dtype(op, (Dtype)t, on)) {
            return (Dtype)t;
        }
    }
    return DT_F16; /* set_padding has no tensor */
}

/* Types of destinations and of sources, for instructions that have only pairs of
 * different ones. */
typedef struct Types {
    Dtype dst, src;
} Types;

static Types
some_types(Op op, const Soc *on)
{
    uint32_t info;
    Dtype t = op == OP_DATA_MOVE ? DT_F16 : some_dtype(op, on);
    for (int d = 1; !op_has_dtype(op, t, on) && d < DT_COUNT; d++) {
        for (int s = 1; s < DT_COUNT; s++) {
            if (op_has_pair(op, (Dtype)d, (Dtype)s, on, &info)) {
                return (Types){(Dtype)d, (Dtype)s};
            }
        }
    }
    return (Types){t, t};
}

static Dtype
operand_dtype(Op op, const ParamInfo *p, Types t)
{
    bool wide = op == OP_VEC_REC_HIGH_PRECI || op == OP_VEC_RSQRT_HIGH_PRECI;
    if (p->of == OF_BITS || strcmp(p->name, "sel") == 0 ||
        strcmp(p->name, "src1_pattern") == 0) {
        return DT_U16;
    }
    if (strstr(p->name, "_offset") != NULL) {
        return DT_S32;
    }
    if (strcmp(p->name, "mask_tensor") == 0) {
        return DT_BOOL;
    }
    if (wide && strcmp(p->name, "work_tensor") == 0) {
        return DT_F32;
    }
    Dtype own = operand_type_dtype(p->of, DT_NONE);
    return own != DT_NONE ? own : p->role == ROLE_DST ? t.dst : t.src;
}

/* Makes a correct scaled move out of the accumulator. */
static CheckInstr
good_acc(CheckInstr in)
{
    Form form = op_table[in.op].form;
    bool out = in.op == OP_TENSOR_MOV_OUT;
    in.soc = soc(out ? "Ascend910B" : "Ascend310P");
    in.args[ACCFLY_src].t.scope = SC_L0C;
    in.args[ACCFLY_src].t.dtype = out ? DT_F16 : DT_S32;
    in.args[ACCFLY_dst].t.scope = out ? SC_GM : SC_UB;
    in.args[ACCFLY_dst].t.dtype = DT_F16;
    bool vector = form == FORM_ACCV || form == FORM_ACCVFLY;
    in.args[ACCFLY_deq_mode].v = out ? SCALE_NONE : vector ? SCALE_VDEQ16 : SCALE_DEQ16;
    in.args[ACCFLY_deqscale].v = 0;
    in.args[ACCFLY_deqscale].t.dtype = DT_U64;
    in.args[ACCFLY_onthefly_mode].v = 1;
    in.args[ACCFLY_src_onthefly].t.dtype = DT_F16;
    return in;
}

/* Sets one segment of the first dimension, of elements of 8 bytes, on both sides. */
static void
fill_slice(CheckInstr *in)
{
    static const int64_t fields[] = {0, 3, 0, 1, 4};
    for (int i = 0; i < 10 && op_table[in->op].form == FORM_SLICEDIM; i++) {
        in->args[SLICEDIM_dst_start_index + i].v = fields[i % 5];
    }
}

/* Returns the memory of the operands of moves that pad, reorder or repeat; others are in
 * UB. */
static Scope
some_scope(Op op, Role role)
{
    bool dst = role == ROLE_DST;
    switch (op_table[op].form) {
    case FORM_MOVE:
    case FORM_HMOVE:
    case FORM_SEGMENTS:
    case FORM_SEGMENTS8:
    case FORM_PADMOVE:
        return dst ? SC_UB : SC_GM;
    case FORM_ND2NZ:
    case FORM_IMAGE:
        return dst ? SC_L1 : SC_GM;
    case FORM_NZ2ND:
        return dst ? SC_GM : SC_UB;
    case FORM_SPREAD:
    case FORM_SPREADMODE:
        return dst ? SC_L0C : SC_UB;
    case FORM_BIASMOVE:
        return dst ? SC_BT : SC_L1;
    case FORM_FILLFRACTALS:
    case FORM_FILLBLOCKS:
        return SC_L1;
    default:
        return SC_UB;
    }
}

/* Returns a legal number for an operand that other operands relate to. */
static int64_t
related_value(Op op, int param, int64_t lowest)
{
    Form f = op_table[op].form;
    if (f == FORM_BOUNDS) {
        return param == 2 ? DT_S32 : lowest;
    }
    if (f == FORM_RLOAD2 || f == FORM_RSTORE2) {
        return param == RLOAD2_ld_mode ? (f == FORM_RLOAD2 ? REG_DINTLV : REG_INTLV)
                                       : lowest;
    }
    if (f == FORM_IMAGE) { /* an image of 8 pixels in a row, without functions */
        return param == IMAGE_src_vertical_size || param == IMAGE_planes ? 1
               : param == IMAGE_src_horizontal_size                      ? 8
                                                                         : 0;
    }
    if (f == FORM_PADMOVE) {
        return param == PADMOVE_burst ? 8 : param == PADMOVE_fill ? PAD_GIVEN : lowest;
    }
    if (f == FORM_NZ2ND) {
        return param == ND2NZ_nd_d || param == NZ2ND_dst_d_stride ? 16
               : param == NZ2ND_dst_nd_matrix_stride              ? 30000
                                                                  : lowest;
    }
    return lowest;
}

/* Returns the limits of an operand that its own range does not contain. */
static void
related_limits(const CheckInstr *in, int param, int64_t *lo, int64_t *hi)
{
    Form f = op_table[in->op].form;
    if (f == FORM_PADMOVE &&
        (param == PADMOVE_left_padding || param == PADMOVE_right_padding)) {
        *hi = 32 / dtype_size(in->args[0].t.dtype);
    } else if (f == FORM_NZ2ND && param == ND2NZ_nd_d) {
        *lo = 16;
    }
}

/* Makes a correct fixpipe: float32 to float32 or, where it has a second tensor, with
 * scales. */
static CheckInstr
good_fix(CheckInstr in)
{
    Form form = op_table[in.op].form;
    bool columns = form_family(form) == FAM_FIXCOLUMNS;
    bool vector = form == FORM_FIXV || form == FORM_FIXVA || form == FORM_FIXCV;
    in.soc = soc("Ascend910B");
    in.args[FIXA_src].t.scope = SC_L0C;
    in.args[FIXA_src].t.dtype = vector ? DT_S32 : DT_F32;
    in.args[FIXA_dst].t.scope = SC_GM;
    in.args[FIXA_dst].t.dtype = vector ? DT_F16 : DT_F32;
    if (columns) {
        in.args[FIXC_quant_pre].v = vector ? FIX_VDEQF16 : FIX_NO_QUANT;
        in.args[FIXC_deq].t.scope = SC_L1;
        in.args[FIXC_deq].t.dtype = DT_U64;
    } else {
        in.args[FIXA_quantize].v = vector ? 2 : 0;
        in.args[FIXA_mode_param].t.scope = SC_GM;
        in.args[FIXA_mode_param].t.dtype = DT_F32;
        in.args[FIXA_add].v = 2;
        in.args[FIXA_other].t.scope = SC_L1;
        in.args[FIXA_other].t.dtype = in.args[FIXA_dst].t.dtype;
    }
    return in;
}

/* Makes a correct instruction on float16, or on the type that the op has, in large
 * tensors of their own. */
static CheckInstr
good(Op op)
{
    CheckInstr in = {.op = op, .soc = some_soc(op)};
    int n;
    const ParamInfo *p = form_params(op_table[op].form, &n);
    Types t = some_types(op, in.soc);
    Family f = form_family(op_table[op].form);
    for (int i = 0; i < n; i++) {
        CheckArg *a = &in.args[i];
        /* Some rules demand more than a range of literals. */
        bool own = f == FAM_LAYOUT || f == FAM_GATHER || f == FAM_TRANSFER;
        a->literal = !own || check_value_rule(op, i) == RULE_NONE;
        a->t = (CheckTensor){(uint32_t)i + 1, some_scope(op, p[i].role),
                             operand_dtype(op, &p[i], t), 0,
                             f == FAM_GATHER ? (int64_t)ROOM << 8 : ROOM};
        a->m = (CheckMask){MASK_COUNT, {16}};
        bool number = p[i].role == ROLE_INT || p[i].role == ROLE_REPEAT;
        bool least = p[i].rule == RULE_PATTERN_RANGE || p[i].rule == RULE_SLICE_DIM;
        a->v = number || least ? p[i].lo : p[i].role == ROLE_PIPE ? i : 0;
        if (p[i].rule == RULE_VALID_BIT) {
            a->v = p[i].hi;
        }
        if (f == FAM_LMEM) { /* one element in each tensor */
            bool ones = p[i].rule == RULE_DMA_DIM || p[i].rule == RULE_STRIDE_RANGE ||
                        p[i].rule == RULE_CONV_UNSUPPORTED ||
                        strcmp(p[i].name, "parallel") == 0 ||
                        strcmp(p[i].name, "weight_pitch") == 0;
            a->t.scope = SC_LMEM;
            a->t.dtype = op == OP_LANE_CONV2D && i == 0 ? DT_S32 : a->t.dtype;
            a->v = ones ? 1 : strcmp(p[i].name, "bits") == 0 ? 8 * dtype_size(t.dst) : 0;
        }
        a->v = related_value(op, i, a->v);
        a->t.scope = reg_operand(op_table[op].form, i) ? SC_VREG : a->t.scope;
    }
    fill_slice(&in);
    bool fix = f == FAM_FIXBLOCKS || f == FAM_FIXCOLUMNS;
    return f == FAM_ACC ? good_acc(in) : fix ? good_fix(in) : in;
}

static void
assert_good(const CheckInstr *in)
{
    Fault f = {.text = ""};
    if (!check_static(in, &f) || !check_values(in, &f)) {
        fail_msg("%s: unexpected %s: %s", op_table[in->op].name, rule_table[f.rule].name,
                 f.text);
    }
}

static void
assert_bad(const CheckInstr *in, Rule rule, int param)
{
    Fault f = {.text = ""};
    if (check_static(in, &f) && check_values(in, &f)) {
        fail_msg("%s: %s was not found", op_table[in->op].name, rule_table[rule].name);
    }
    if (f.rule != rule || f.param != param) {
        fail_msg("%s: %s at %d instead of %s at %d: %s", op_table[in->op].name,
                 rule_table[f.rule].name, f.param, rule_table[rule].name, param, f.text);
    }
    assert_true(strlen(f.text) > 10 && strlen(f.text) < sizeof f.text - 1);
    if (!fault_numbers_hold(&f)) {
        fail_msg("%lld of %lld to %lld: %s", (long long)f.value, (long long)f.lo,
                 (long long)f.hi, f.text);
    }
}

static void
remember(void *ctx, const Fault *f)
{
    Rule *seen = ctx;
    *seen = *seen == RULE_NONE || *seen == f->rule ? f->rule : RULE_COUNT;
}

/* Returns the rule of the warnings: RULE_NONE without any, RULE_COUNT of several
 * rules. */
static Rule
warnings(const CheckInstr *in)
{
    Rule seen = RULE_NONE;
    check_warnings(in, remember, &seen);
    return seen;
}

/* ---- from the table ------------------------------------------------------ */

static void
every_range(void **state)
{
    (void)state;
    for (int op = 0; op < OP_COUNT; op++) {
        int n;
        const ParamInfo *p = form_params(op_table[op].form, &n);
        Family f = form_family(op_table[op].form);
        if (f == FAM_LOAD || f == FAM_CUBE || f == FAM_SEGMENT) {
            continue; /* their numbers relate: test_check_cube.c, test_limits.c */
        }
        for (int i = 0; i < n; i++) {
            CheckInstr in = good((Op)op);
            assert_good(&in);
            if ((p[i].role != ROLE_INT && p[i].role != ROLE_REPEAT) ||
                p[i].rule == RULE_NONE) {
                continue;
            }
            int64_t lo = p[i].lo, hi = p[i].hi;
            related_limits(&in, i, &lo, &hi);
            in.args[i].v = lo;
            assert_good(&in);
            in.args[i].v = hi;
            assert_good(&in);
            in.args[i].v = p[i].lo - 1;
            assert_bad(&in, p[i].rule, i);
            in.args[i].v = hi + 1;
            assert_bad(&in, p[i].rule, i);
            in.args[i].v = INT64_MIN;
            assert_bad(&in, p[i].rule, i);
            in.args[i].v = INT64_MAX;
            assert_bad(&in, p[i].rule, i);
        }
    }
}

static void
run_time_repeat_may_be_zero(void **state)
{
    (void)state;
    CheckInstr in = good(OP_VEC_ADD);
    in.args[4].literal = false;
    in.args[4].v = 0;
    in.args[1].t.bytes = 0; /* nothing is accessed */
    assert_good(&in);
    in.args[4].v = -1;
    assert_bad(&in, RULE_REPEAT_RANGE, 4);
    CheckInstr move = good(OP_DATA_MOVE);
    move.args[3].literal = false;
    move.args[3].v = 0;
    assert_bad(&move, RULE_RANGE_NBURST, 3);
    Choices nothing = {.v[CHOICE_MOVE_COUNT_0] = CHOSE_MOVE_COUNT_0_NOTHING};
    move.choices = &nothing;
    move.args[0].t.bytes = 0;
    assert_good(&move);
    move.args[3].v = -1;
    assert_bad(&move, RULE_RANGE_NBURST, 3);
    move.args[3] = (CheckArg){.v = 0, .literal = true};
    assert_bad(&move, RULE_RANGE_NBURST, 3);
}

/* ---- masks --------------------------------------------------------------- */

static CheckInstr
dup_of(Dtype t, const char *target)
{
    CheckInstr in = good(OP_VEC_DUP);
    in.soc = soc(target);
    in.args[1].t.dtype = t;
    return in;
}

static void
mask_counts(void **state)
{
    (void)state;
    static const struct {
        Dtype t;
        int lanes;
    } rows[] = {{DT_U8, 256}, {DT_F16, 128}, {DT_S16, 128}, {DT_F32, 64}, {DT_S64, 32}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CheckInstr in = dup_of(rows[i].t, "Ascend310B");
        assert_int_equal(check_lanes(&in), rows[i].lanes);
        in.args[0].m.w[0] = 1;
        assert_good(&in);
        in.args[0].m.w[0] = (uint64_t)rows[i].lanes;
        assert_good(&in);
        in.args[0].m.w[0] = (uint64_t)rows[i].lanes + 1;
        assert_bad(&in, RULE_MASK_RANGE, 0);
        in.args[0].m.w[0] = 0;
        assert_bad(&in, RULE_MASK_RANGE, 0);
        in.args[0].m.w[0] = UINT64_MAX;
        assert_bad(&in, RULE_MASK_RANGE, 0);
    }
}

static void
set_mask(CheckInstr *in, MaskForm form, uint64_t w0, uint64_t w1)
{
    in->args[0].m = (CheckMask){form, {w0, w1, 0, 0}};
}

static void
mask_bits(void **state)
{
    (void)state;
    CheckInstr in = dup_of(DT_F16, "Ascend310P");
    set_mask(&in, MASK_BITS, 0, 0);
    assert_bad(&in, RULE_MASK_ZERO, 0);
    set_mask(&in, MASK_BITS, 0, (uint64_t)1 << 63);
    assert_good(&in);
    set_mask(&in, MASK_BITS, 1, 0);
    assert_good(&in);
    in = dup_of(DT_F32, "Ascend310P");
    set_mask(&in, MASK_BITS, (uint64_t)1 << 63, 0);
    assert_good(&in);
    set_mask(&in, MASK_BITS, 1, 1);
    assert_bad(&in, RULE_MASK_HIGH, 0);
    set_mask(&in, MASK_BITS, 0, 0);
    assert_bad(&in, RULE_MASK_ZERO, 0);
    in = dup_of(DT_S64, "Ascend310P");
    set_mask(&in, MASK_BITS, UINT32_MAX, 0);
    assert_good(&in);
    set_mask(&in, MASK_BITS, (uint64_t)1 << 32, 0);
    assert_bad(&in, RULE_MASK_HIGH, 0);
    in = dup_of(DT_U8, "Ascend310B");
    set_mask(&in, MASK_BITS4, 0, 0);
    assert_bad(&in, RULE_MASK_ZERO, 0);
    in.args[0].m.w[3] = (uint64_t)1 << 63;
    assert_good(&in);
    set_mask(&in, MASK_BITS, 1, 0);
    assert_bad(&in, RULE_MASK_LENGTH, 0);
    in = dup_of(DT_F16, "Ascend310B");
    set_mask(&in, MASK_BITS4, 1, 0);
    assert_bad(&in, RULE_MASK_LENGTH, 0);
}

static void
mask_counter(void **state)
{
    (void)state;
    CheckInstr in = good(OP_VEC_ADDS);
    int64_t room = (int64_t)1 << 36;
    in.args[1].t.bytes = in.args[2].t.bytes = room;
    in.args[5].v = in.args[6].v = 8;
    set_mask(&in, MASK_COUNTER, 1, 0);
    assert_good(&in);
    in.args[4].v = 1000; /* repeat_times is not used */
    assert_good(&in);
    set_mask(&in, MASK_COUNTER, UINT32_MAX, 0);
    assert_good(&in);
    set_mask(&in, MASK_COUNTER, (uint64_t)UINT32_MAX + 1, 0);
    assert_bad(&in, RULE_MASK_RANGE, 0);
    set_mask(&in, MASK_COUNTER, 0, 0);
    assert_bad(&in, RULE_MASK_RANGE, 0);
    set_mask(&in, MASK_COUNTER, 300, 0);
    in.args[4].v = 1;
    assert_int_equal(check_repeats(&in), 3);
    assert_true(check_lane_active(&in, 2, 43));
    assert_false(check_lane_active(&in, 2, 44));
    in.args[1].t.bytes = in.args[2].t.bytes = 600;
    assert_good(&in);
    in.args[1].t.bytes = 577; /* 608 with the rest of its last block */
    assert_good(&in);
    in.args[1].t.bytes = 576;
    assert_bad(&in, RULE_TENSOR_OVERFLOW, 1);
    in.soc = soc("Ascend310");
    assert_bad(&in, RULE_MASK_MODE, 0);
    in.soc = soc("Ascend910A");
    assert_bad(&in, RULE_MASK_MODE, 0);
    CheckInstr abs = good(OP_VEC_ABS);
    set_mask(&abs, MASK_COUNTER, 16, 0);
    assert_bad(&abs, RULE_MASK_MODE, 0);
}

/* ---- availability, dtypes, scopes ---------------------------------------- */

static void
vector_types_and_scopes(void **state)
{
    (void)state;
    CheckInstr in = good(OP_VEC_AND);
    for (int i = 1; i <= 3; i++) {
        in.args[i].t.dtype = DT_F32;
    }
    assert_bad(&in, RULE_DTYPE_UNSUPPORTED, 1);
    in = good(OP_VEC_ADD);
    in.args[3].t.dtype = in.args[1].t.dtype == DT_F16 ? DT_F32 : DT_F16;
    assert_bad(&in, RULE_DTYPE_MISMATCH, 3);
    in = good(OP_VEC_ADD);
    in.args[2].t.scope = SC_L1;
    assert_bad(&in, RULE_SCOPE_UB, 2);
    in = good(OP_VEC_ADD);
    in.args[1].t.scope = SC_GM;
    assert_bad(&in, RULE_SCOPE_UB, 1);
    in = good(OP_VEC_RELU);
    in.args[1].t.dtype = in.args[2].t.dtype = DT_F32;
    assert_good(&in);
    in.soc = soc("Ascend310");
    assert_bad(&in, RULE_DTYPE_UNSUPPORTED, 1);
    in = dup_of(DT_BF16, "Ascend910B1");
    assert_good(&in);
    in.soc = soc("Ascend310P");
    assert_bad(&in, RULE_DTYPE_UNSUPPORTED, 1);
    in = good(OP_VEC_ADD);
    in.soc = soc("Ascend035");
    assert_bad(&in, RULE_NOT_ON_ARCH, -1);
}

static void
scalar_fits(void **state)
{
    (void)state;
    CheckInstr in = dup_of(DT_S16, "Ascend310P");
    in.args[2].v = 32767;
    assert_good(&in);
    in.args[2].v = 32768;
    assert_bad(&in, RULE_SCALAR_RANGE, 2);
    in.args[2].v = -32768;
    assert_good(&in);
    in.args[2].v = -32769;
    assert_bad(&in, RULE_SCALAR_RANGE, 2);
    in = dup_of(DT_U16, "Ascend310P");
    in.args[2].v = 65535;
    assert_good(&in);
    in.args[2].v = -1;
    assert_bad(&in, RULE_SCALAR_RANGE, 2);
}

static void
alignment(void **state)
{
    (void)state;
    CheckInstr in = good(OP_VEC_ADD);
    for (int p = 1; p <= 3; p++) {
        in.args[p].t.offset = 64;
        assert_good(&in);
        in.args[p].t.offset = 66;
        assert_bad(&in, RULE_ADDRESS_ALIGN, p);
        in.args[p].t.offset = 0;
    }
    in = good(OP_DATA_MOVE);
    in.args[1].t.offset = 14; /* global memory: any address */
    assert_good(&in);
    in.args[0].t.offset = 16;
    assert_bad(&in, RULE_ADDRESS_ALIGN, 0);
    in.args[0].t.scope = SC_L1;
    assert_bad(&in, RULE_ADDRESS_ALIGN, 0);
    in = good(OP_DATA_MOVE);
    in.args[1].t.scope = SC_L0C;
    in.args[1].t.offset = 512;
    assert_good(&in); /* 16-bit elements */
    in.args[0].t.dtype = in.args[1].t.dtype = DT_F32;
    assert_bad(&in, RULE_ADDRESS_ALIGN, 1);
    in.args[1].t.offset = 1024;
    assert_good(&in);
}

/* ---- moves --------------------------------------------------------------- */

static CheckInstr
move(Scope src, Scope dst, Dtype t, const char *target)
{
    CheckInstr in = good(OP_DATA_MOVE);
    in.soc = soc(target);
    in.args[0].t.scope = dst;
    in.args[1].t.scope = src;
    in.args[0].t.dtype = in.args[1].t.dtype = t;
    return in;
}

/* Legal paths by class of processor, written a second time. */
static void
paths(void **state)
{
    (void)state;
    static const struct {
        const char *target;
        const char *legal; /* pairs */
    } rows[] = {
        {"Ascend310", "GM>UB UB>GM UB>UB GM>L1 L1>GM L1>UB UB>L1 L0C>UB UB>L0C"},
        {"Ascend910A", "GM>UB UB>GM UB>UB GM>L1 L1>GM L1>UB UB>L1 L0C>UB UB>L0C"},
        {"Ascend310P", "GM>UB UB>GM UB>UB GM>L1 L1>GM L1>UB UB>L1 L0C>UB UB>L0C"},
        {"Ascend310B", "GM>UB UB>GM UB>UB GM>L1 L1>GM L1>UB UB>L1"},
        {"Ascend910B", "GM>UB UB>GM UB>UB GM>L1 L1>GM"},
        {"Ascend035", "GM>UB UB>GM UB>UB"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        for (int s = 0; s < SC_COUNT; s++) {
            for (int d = 0; d < SC_COUNT; d++) {
                char name[16];
                snprintf(name, sizeof name, "%s>%s", scope_name((Scope)s),
                         scope_name((Scope)d));
                CheckInstr in = move((Scope)s, (Scope)d, DT_F16, rows[r].target);
                if (strstr(rows[r].legal, name)) {
                    assert_good(&in);
                } else if (s == SC_GM && d == SC_GM) {
                    assert_bad(&in, RULE_SAME_GM, 1);
                } else {
                    assert_bad(&in, RULE_PATH, 0);
                }
            }
        }
    }
}

/* Returns another dtype of the same width that can be moved. */
static Dtype
same_size(Dtype t)
{
    switch (dtype_size(t)) {
    case 1:
        return t == DT_U8 ? DT_S8 : DT_U8;
    case 2:
        return t == DT_U16 ? DT_F16 : DT_U16;
    case 4:
        return t == DT_F32 ? DT_S32 : DT_F32;
    default:
        return t == DT_U64 ? DT_S64 : DT_U64;
    }
}

static void
move_types(void **state)
{
    (void)state;
    for (int t = 1; t < DT_PLAIN; t++) {
        CheckInstr in = move(SC_GM, SC_UB, (Dtype)t, "Ascend310P");
        if (t == DT_BOOL || t == DT_BF16) {
            assert_bad(&in, RULE_DTYPE_UNSUPPORTED, 0);
        } else {
            assert_good(&in);
            assert_int_equal(warnings(&in), RULE_NONE);
            in.args[1].t.dtype = dtype_size((Dtype)t) == 1 ? DT_U16 : DT_U8;
            assert_good(&in); /* bytes, which the user has to allow */
            assert_int_equal(warnings(&in), RULE_DTYPE_MISMATCH);
            in.args[1].t.dtype = same_size((Dtype)t);
            assert_good(&in);
            assert_int_equal(warnings(&in), in.args[1].t.dtype == (Dtype)t
                                                ? RULE_NONE
                                                : RULE_DTYPE_DIFFERS);
        }
    }
    CheckInstr in = move(SC_UB, SC_GM, DT_BF16, "Ascend910B1");
    assert_good(&in);
    in.soc = soc("Ascend910_9391");
    assert_good(&in);
}

static void
pad_modes(void **state)
{
    (void)state;
    CheckInstr in = move(SC_GM, SC_L1, DT_F16, "Ascend310P");
    for (int64_t mode = 0; mode <= 5; mode++) {
        in.args[7].v = mode;
        assert_good(&in);
    }
    in.args[7].v = 6;
    assert_bad(&in, RULE_PADMODE, 7);
    in.args[7].v = -1;
    Fault f;
    assert_bad(&in, RULE_PADMODE, 7);
    assert_true(!check_static(&in, &f) && f.lo == 0 && f.hi == 5);
    in.args[7].v = 3;
    in.args[4].v = 2;
    assert_bad(&in, RULE_PADMODE_BURST, 4);
    in.args[4].v = 1;
    in.args[5].v = 1;
    assert_bad(&in, RULE_PADMODE_STRIDE, 5);
    in.args[5].v = 0;
    in.args[6].v = 9;
    assert_good(&in);
    in = move(SC_GM, SC_UB, DT_F16, "Ascend310P");
    in.args[7].v = 1;
    assert_bad(&in, RULE_PADMODE_PATH, 7);
    in.args[7].v = 9;
    assert_bad(&in, RULE_EXTARG, 7);
    /* mode 4 takes 8 bytes per burst: 5 bursts read 40 bytes and write 5 blocks with
     * gaps */
    in = move(SC_GM, SC_L1, DT_F16, "Ascend310P");
    in.args[7].v = 4;
    in.args[3].v = 5;
    in.args[6].v = 1;
    in.args[1].t.bytes = 40;
    in.args[0].t.bytes = 9 * 32;
    assert_good(&in);
    in.args[1].t.bytes = 0; /* the block after global memory exists all the same */
    assert_bad(&in, RULE_TENSOR_OVERFLOW, 1);
    in.args[1].t.bytes = 40;
    in.args[0].t.bytes = 8 * 32;
    assert_bad(&in, RULE_TENSOR_OVERFLOW, 0);
}

static void
conversion(Dtype src, Dtype dst, int64_t code, bool from_l0c, Rule rule)
{
    CheckInstr in =
        move(from_l0c ? SC_L0C : SC_UB, from_l0c ? SC_UB : SC_L0C, src, "Ascend310P");
    in.args[0].t.dtype = dst;
    in.args[7].v = code;
    if (rule == RULE_NONE) {
        assert_good(&in);
    } else {
        assert_bad(&in, rule, 7);
    }
}

static void
conversions(void **state)
{
    (void)state;
    conversion(DT_F16, DT_F16, 0, true, RULE_NONE);
    conversion(DT_F32, DT_F32, 0, true, RULE_NONE);
    conversion(DT_S32, DT_S32, 0, true, RULE_NONE);
    conversion(DT_U32, DT_U32, 0, true, RULE_NONE);
    conversion(DT_S16, DT_S16, 0, true, RULE_NONE);
    conversion(DT_F32, DT_F16, 0, true, RULE_TYPE_PAIR);
    conversion(DT_F32, DT_F16, 1, true, RULE_NONE);
    conversion(DT_F32, DT_F16, 2, true, RULE_NONE);
    conversion(DT_F16, DT_F32, 4, true, RULE_TYPE_PAIR);
    conversion(DT_F32, DT_F32, 5, true, RULE_NONE);
    conversion(DT_U32, DT_U32, 5, true, RULE_TYPE_PAIR);
    conversion(DT_S32, DT_F16, 0, true, RULE_TYPE_PAIR);
    conversion(DT_S32, DT_F16, 1, true, RULE_DEQ_MISSING);
    conversion(DT_S32, DT_F16, 3, true, RULE_DEQ_MISSING);
    conversion(DT_F16, DT_F16, 6, true, RULE_DEQ_MISSING);
    conversion(DT_S32, DT_S16, 13, true, RULE_DEQ_MISSING);
    conversion(DT_F16, DT_F16, 14, true, RULE_EXTARG);
    conversion(DT_F16, DT_F16, -1, true, RULE_EXTARG);
    conversion(DT_F32, DT_F16, 1, false, RULE_NONE);
    conversion(DT_F16, DT_F32, 4, false, RULE_NONE);
    conversion(DT_F32, DT_F16, 2, false, RULE_TYPE_PAIR);
    conversion(DT_F32, DT_F32, 5, false, RULE_TYPE_PAIR);
    static const struct {
        const char *target;
        uint32_t codes;
    } rows[] = {{"Ascend310", 0xff},   {"Ascend910A", 0xff},     {"Ascend310P", 0x3fff},
                {"Ascend610", 0x3fff}, {"Hi3796CV300ES", 0x3e9}, {"SD3403", 0x3fe9}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        for (int64_t code = 0; code <= 13; code++) {
            CheckInstr in = move(SC_L0C, SC_UB, DT_F16, rows[r].target);
            in.args[7].v = code;
            Fault f = {RULE_NONE};
            bool ok = check_static(&in, &f);
            assert_int_equal(rows[r].codes >> code & 1, ok || f.rule != RULE_CONV_SOC);
        }
    }
}

static void
fractal_units(void **state)
{
    (void)state;
    /* two bursts of three fractals of 1024 bytes with a gap of one, to float16 with a gap
     * of 32 */
    CheckInstr in = move(SC_L0C, SC_UB, DT_F32, "Ascend310P");
    in.args[0].t.dtype = DT_F16;
    in.args[7].v = 1;
    in.args[3].v = 2;
    in.args[4].v = 3;
    in.args[5].v = 1;
    in.args[6].v = 1;
    in.args[1].t.bytes = 7 * 1024;
    in.args[0].t.bytes = 6 * 512 + 32;
    assert_good(&in);
    in.args[1].t.bytes--;
    assert_bad(&in, RULE_TENSOR_OVERFLOW, 1);
    in.args[1].t.bytes++;
    in.args[0].t.bytes -= 32;
    assert_bad(&in, RULE_TENSOR_OVERFLOW, 0);
}

static void
move_bounds(void **state)
{
    (void)state;
    CheckInstr in = good(OP_DATA_MOVE);
    in.args[3].v = 3;
    in.args[4].v = 2;
    in.args[5].v = 1;
    in.args[6].v = 2;
    in.args[1].t.offset = 32;
    in.args[0].t.offset = 32;
    in.args[1].t.bytes = 32 + (3 * 2 + 2 * 1) * 32;
    in.args[0].t.bytes = 32 + (3 * 2 + 2 * 2) * 32;
    assert_good(&in); /* no gap follows the last burst */
    in.args[0].t.bytes -= 32;
    assert_bad(&in, RULE_TENSOR_OVERFLOW, 0);
    in.args[0].t.bytes += 32;
    in.args[1].t.bytes -= 32; /* the block after global memory */
    assert_good(&in);
    in.args[1].t.bytes -= 32;
    assert_bad(&in, RULE_TENSOR_OVERFLOW, 1);
    in.args[1].t.bytes += 1; /* and the rest of the last block */
    assert_good(&in);
    in.args[1].t.offset = -32;
    assert_bad(&in, RULE_TENSOR_OVERFLOW, 1);
    in = good(OP_DATA_MOVE);
    /* on the core the rest of the last block belongs to the tensor */
    in.args[0].t.bytes = 1;
    assert_good(&in);
    in.args[0].t.exact = true;
    assert_bad(&in, RULE_TENSOR_OVERFLOW, 0);
}

static void
move_overlap(void **state)
{
    (void)state;
    CheckInstr in = move(SC_UB, SC_UB, DT_F16, "Ascend310P");
    Choices strict = {.v[CHOICE_OVERLAPPING_MOVE] = CHOSE_OVERLAPPING_MOVE_ERROR};
    in.choices = &strict;
    in.args[0].t.buffer = in.args[1].t.buffer = 7;
    in.args[3].v = 2;
    in.args[4].v = 2;
    assert_good(&in); /* onto itself */
    in.args[0].t.offset = 96;
    assert_bad(&in, RULE_OVERLAP_FORBIDDEN, 1);
    in.choices = NULL;
    assert_good(&in); /* burst by burst */
    in.choices = &strict;
    in.args[0].t.offset = 128;
    assert_good(&in); /* side by side */
    in.args[5].v = 2;
    in.args[6].v = 2;
    in.args[0].t.offset = 64;
    assert_good(&in); /* in the gaps */
    in.args[0].t.offset = 32;
    assert_bad(&in, RULE_OVERLAP_FORBIDDEN, 1);
    in.args[0].t.offset = 0;
    assert_good(&in);
    in.args[6].v = 3;
    assert_bad(&in, RULE_OVERLAP_FORBIDDEN, 1); /* same start, other strides */
    in.args[3].v = 1;
    assert_good(&in); /* strides have no effect with one burst */
    in.args[0].t.buffer = 8;
    in.args[0].t.offset = 32;
    assert_good(&in);
}

/* ---- vector bounds and overlap ------------------------------------------- */

static CheckInstr
add_of(Dtype t, int64_t mask, int64_t repeat, int64_t stride)
{
    CheckInstr in = good(OP_VEC_ADD);
    in.args[0].m.w[0] = (uint64_t)mask;
    in.args[4].v = repeat;
    for (int i = 1; i <= 3; i++) {
        in.args[i].t.dtype = t;
        in.args[4 + i].v = stride;
    }
    return in;
}

static void
vector_bounds(void **state)
{
    (void)state;
    CheckInstr in = add_of(DT_F16, 70, 3, 8);
    for (int p = 1; p <= 3; p++) {
        in.args[p].t.offset = 32;
        in.args[p].t.bytes = 32 + 2 * 256 + 140;
        assert_good(&in);
        in.args[p].t.bytes = 673;
        assert_good(&in);
        in.args[p].t.bytes = 672;
        assert_bad(&in, RULE_TENSOR_OVERFLOW, p);
        in.args[p].t.bytes = 32 + 2 * 256 + 140;
    }
    set_mask(&in, MASK_BITS, 1, 0); /* highest set bit: one element of the last repeat */
    in.args[1].t.bytes = 32 + 2 * 256 + 2;
    assert_good(&in);
    in.args[1].t.bytes -= 2;
    assert_bad(&in, RULE_TENSOR_OVERFLOW, 1);
    in = add_of(DT_F16, 128, 255, 0); /* all repeats on the same bytes */
    in.args[2].t.bytes = 256;
    assert_good(&in);
    in.args[2].t.offset = -32;
    assert_bad(&in, RULE_TENSOR_OVERFLOW, 2);
}

static void
same_buffer(CheckInstr *in, int param, int64_t offset)
{
    in->args[param].t.buffer = in->args[1].t.buffer;
    in->args[param].t.offset = offset;
}

static void
overlap_single(void **state)
{
    (void)state;
    CheckInstr in = add_of(DT_F16, 128, 1, 8);
    same_buffer(&in, 2, 0);
    assert_good(&in); /* in place */
    same_buffer(&in, 2, 32);
    assert_bad(&in, RULE_OVERLAP_SINGLE, 2);
    same_buffer(&in, 2, 224);
    assert_bad(&in, RULE_OVERLAP_SINGLE, 2);
    same_buffer(&in, 2, 256);
    assert_good(&in);
    in.args[0].m.w[0] = 16; /* one block only */
    same_buffer(&in, 2, 32);
    assert_good(&in);
    same_buffer(&in, 3, 0);
    assert_good(&in);
    set_mask(&in, MASK_BITS, 0xff | (uint64_t)0xff << 24, 0);
    assert_good(
        /* lanes 0-7 of block 0, 8-15 of block 1: shifted by a block they do not
         * overlap */
        &in);
    set_mask(&in, MASK_BITS, 0xff | (uint64_t)0xff << 16, 0);
    assert_bad(&in, RULE_OVERLAP_SINGLE, 2);
}

static void
overlap_multi(void **state)
{
    (void)state;
    CheckInstr in = add_of(DT_F16, 128, 2, 8);
    same_buffer(&in, 2, 0);
    assert_good(&in);
    in.args[1].t.offset = 256; /* repeat 0 writes what repeat 1 reads */
    assert_bad(&in, RULE_OVERLAP_MULTI, 2);
    in.args[1].t.offset = 512;
    assert_good(&in);
    in.args[1].t.offset = 0;
    same_buffer(&in, 2,
                256); /* reads ahead: the next repeat reads what no repeat wrote */
    assert_good(&in);
    in = add_of(DT_F16, 128, 2, 4); /* half a repeat apart */
    same_buffer(&in, 2, 0);
    assert_bad(&in, RULE_OVERLAP_MULTI, 2);
    in.args[0].m.w[0] = 64;
    assert_good(&in);
    in = add_of(DT_F16, 128, 200, 8); /* strides differ: they overlap late */
    same_buffer(&in, 2, 0);
    in.args[6].v = 9;
    in.args[1].t.offset = 100 * 32;
    Fault f;
    assert_false(check_values(&in, &f));
    assert_int_equal(f.rule, RULE_OVERLAP_MULTI);
    in.args[4].v = f.value + 1;
    assert_good(&in);
    in.args[4].v = f.value + 2;
    assert_bad(&in, RULE_OVERLAP_MULTI, 2);
}

static void
overlap_accumulate(void **state)
{
    (void)state;
    CheckInstr in = add_of(DT_F32, 64, 3, 8);
    in.args[5].v = in.args[7].v = 0;
    same_buffer(&in, 3, 0);
    assert_good(&in);
    in.args[7].v = 8; /* src1 advances: this is no accumulation */
    in.args[5].v = 8;
    same_buffer(&in, 3, 0);
    assert_good(&in);
    in.args[5].v = in.args[7].v = 0;
    for (int i = 1; i <= 3; i++) {
        in.args[i].t.dtype = DT_S16; /* not an accumulating dtype */
    }
    assert_bad(&in, RULE_OVERLAP_MULTI, 3);
    for (int i = 1; i <= 3; i++) {
        in.args[i].t.dtype = DT_F32;
    }
    same_buffer(&in, 2, 256); /* src0 of all repeats is after the accumulator */
    assert_good(&in);
    same_buffer(&in, 2, 0); /* src0 of repeat 0 is the accumulator that repeat 1 reads */
    assert_bad(&in, RULE_OVERLAP_SRC1, 2);
    in.args[4].v = 1;
    assert_good(&in);
    CheckInstr adds = good(OP_VEC_ADDS);
    adds.args[4].v = 3;
    adds.args[5].v = adds.args[6].v = 0;
    same_buffer(&adds, 2, 0);
    assert_bad(&adds, RULE_OVERLAP_MULTI, 2);
}

static void
overlap_counter(void **state)
{
    (void)state;
    CheckInstr in = good(OP_VEC_ADDS);
    for (int i = 1; i <= 2; i++) {
        in.args[i].t.dtype = DT_F16;
        in.args[4 + i].v = 8;
    }
    set_mask(&in, MASK_COUNTER, 128 + 16, 0);
    same_buffer(&in, 2, 0);
    assert_good(&in);
    /* the last repeat has one block: at distance 9 blocks dst of repeat 0 misses it, at 8
     * it does not */
    in.args[1].t.offset = 9 * 32;
    assert_good(&in);
    in.args[1].t.offset = 8 * 32;
    assert_bad(&in, RULE_OVERLAP_MULTI, 2);
}

/* ---- warnings, elements, footprints -------------------------------------- */

static void
warnings_of_moves(void **state)
{
    (void)state;
    CheckInstr in = move(SC_UB, SC_GM, DT_F16, "Ascend310P");
    in.args[0].t.bytes = 46;
    assert_int_equal(warnings(&in), RULE_NONE);
    in.args[0].t.offset = 14;
    assert_good(&in);
    assert_int_equal(warnings(&in), RULE_NONE);
    in.args[0].t.offset = 16;
    assert_good(&in);
    in.args[0].t.offset = 64; /* the granule: 64 bytes and one block more */
    assert_good(&in);
    in.args[0].t.exact = true;
    assert_bad(&in, RULE_TENSOR_OVERFLOW, 0);
    in.args[0].t.exact = false;
    in.args[0].t.offset = 65;
    assert_bad(&in, RULE_TENSOR_OVERFLOW, 0);
    in = move(SC_L1, SC_GM, DT_F16, "Ascend310P");
    assert_int_equal(warnings(&in), RULE_NONE);
}

/* Sums of pairs onto their own source. The 310P takes them one after the other. */
static void
warnings_of_reductions(void **state)
{
    (void)state;
    CheckInstr in = good(OP_VCPADD);
    in.soc = soc("Ascend910A");
    in.args[0].m = (CheckMask){MASK_COUNT, {128}};
    in.args[3].v = 2;
    in.args[4].v = 1;
    in.args[5].v = 1;
    in.args[6].v = 8;
    assert_int_equal(warnings(&in), RULE_NONE); /* buffers of their own */
    in.args[2].t.buffer = in.args[1].t.buffer;
    assert_int_equal(warnings(&in), RULE_REDUCE_IN_PLACE);
    in.args[1].t.offset = 512; /* after the last byte that is read */
    assert_int_equal(warnings(&in), RULE_NONE);
    in.args[1].t.offset = 510;
    assert_int_equal(warnings(&in), RULE_REDUCE_IN_PLACE);
    in.args[3].v = 1;
    in.args[1].t.offset = 0;
    assert_int_equal(warnings(&in), RULE_NONE);
    in.args[3].v = 2;
    in.args[3].literal = false;
    assert_int_equal(warnings(&in), RULE_NONE);
    in.args[3].literal = true;
    in.soc = soc("Ascend310P");
    assert_int_equal(warnings(&in), RULE_NONE);
}

/* The parameter words of a conversion are read if it has a repeat, and before anything is
 * written. */
static void
words_of_conversions(void **state)
{
    (void)state;
    CheckInstr in = good(OP_VEC_CONV_PACKS);
    int words = form_slot(FORM_VPACKS, ROLE_SRC, "deqscale");
    int repeats = form_first(FORM_VPACKS, ROLE_REPEAT);
    assert_good(&in);
    in.args[words].t.bytes = 128;
    assert_good(&in);
    in.args[words].t.bytes = 96;
    assert_bad(&in, RULE_TENSOR_OVERFLOW, words);
    in.args[words].t.bytes = ROOM;
    same_buffer(&in, words, 0);
    assert_bad(&in, RULE_OVERLAP_MULTI, words);
    in.args[repeats].literal = false;
    in.args[repeats].v = 0;
    assert_good(&in);
    in.args[words].t.offset = ROOM;
    assert_good(&in);
}

/* The weights of a convolution in lanes lie apart from its results. */
static void
weights_of_lanes(void **state)
{
    (void)state;
    CheckInstr in = good(OP_LANE_CONV2D);
    assert_good(&in);
    in.args[LCONV_weight].t.buffer = in.args[1].t.buffer;
    assert_good(&in);
    in.args[LCONV_weight].t.buffer = in.args[0].t.buffer;
    assert_bad(&in, RULE_OVERLAP_FORBIDDEN, LCONV_weight);
}

/* Fractals in L0C, of 256 elements each, lie a number of fractals apart. */
static void
gaps_of_fractals(void **state)
{
    (void)state;
    bool exact;
    CheckInstr in = good(OP_BROADCAST_UB_TO_L0C);
    int64_t fractal = 256 * (int64_t)dtype_size(in.args[0].t.dtype);
    in.args[SPREAD_nburst].v = 3;
    in.args[SPREAD_burst_len].v = 2;
    in.args[SPREAD_dst_gap].v = 5;
    Footprint f = check_footprint(&in, 0, &exact);
    assert_int_equal(footprint_end(&f), (2 * (2 + 5) + 2) * fractal);
}

/* A reduction of no repeats needs no room for its results. */
static void
reductions_of_nothing(void **state)
{
    (void)state;
    CheckInstr in = good(OP_VEC_REDUCE_ADD);
    int repeats = form_first(op_table[in.op].form, ROLE_REPEAT);
    assert_good(&in);
    in.args[ALLADD_work_tensor].t.bytes = 0;
    assert_bad(&in, RULE_WORK_SIZE, ALLADD_work_tensor);
    in.args[REDUCE_dst].t.bytes = 0;
    in.args[repeats].literal = false;
    in.args[repeats].v = 0;
    assert_good(&in);
}

/* A rounding mode that the conversion does not have is told without limits. */
static void
modes_of_conversions(void **state)
{
    (void)state;
    CheckInstr in = good(OP_VEC_CONV);
    int mode = form_slot(FORM_VCONV, ROLE_ATTR, "round_mode"), refused = 0;
    for (int m = 0; m < ROUND_COUNT; m++) {
        Fault f;
        in.args[mode].v = m;
        if (!check_static(&in, &f)) {
            refused++;
            assert_int_equal(f.rule, RULE_ROUND_MODE);
            assert_true(f.param == mode && f.value == m && f.lo == 0 && f.hi == 0);
        }
    }
    assert_true(refused > 0);
}

static void
elements(void **state)
{
    (void)state;
    CheckTensor t = {1, SC_UB, DT_S32, 0, 64};
    Fault f;
    assert_true(check_element(&t, &f));
    t.offset = 60;
    assert_true(check_element(&t, &f));
    t.offset = 64;
    assert_false(check_element(&t, &f));
    assert_int_equal(f.rule, RULE_TENSOR_OVERFLOW);
    t.offset = 62;
    assert_false(check_element(&t, &f));
    assert_int_equal(f.rule, RULE_ADDRESS_ALIGN);
    t.offset = -4;
    assert_false(check_element(&t, &f));
    assert_int_equal(f.rule, RULE_TENSOR_OVERFLOW);
    t.offset = INT64_MAX - 3;
    assert_false(check_element(&t, &f));
    t.offset = INT64_MIN;
    assert_false(check_element(&t, &f));
}

/* Of an image only the part that is cut out is read; the bounds are those of the whole
 * image. */
static void
image_window(void **state)
{
    (void)state;
    bool exact;
    CheckInstr in = good(OP_LOAD_IMAGE);
    in.args[IMAGE_input_format].v = IMAGE_XRGB;
    in.args[IMAGE_function_switch].v = IMAGE_CROP;
    in.args[IMAGE_src_horizontal_size].v = 32;
    in.args[IMAGE_src_vertical_size].v = 16;
    in.args[IMAGE_dst_horizontal_size].v = 9;
    in.args[IMAGE_dst_vertical_size].v = 8;
    in.args[IMAGE_crop_horizontal_start].v = 4;
    in.args[IMAGE_crop_vertical_start].v = 2;
    in.args[IMAGE_src0].t.offset = 64;
    Footprint f = check_footprint(&in, IMAGE_src0, &exact);
    assert_true(exact && f.offset == 64 + (2 * 32 + 4) * 4 && f.count0 == 8 &&
                f.stride0 == 32 * 4 && f.count1 == 1 && f.len == 9 * 4);
    assert_int_equal(check_extent(&in, IMAGE_src0), 32 * 16 * 4);
    in.args[IMAGE_input_format].v = IMAGE_YUV420;
    in.args[IMAGE_planes].v = 2;
    in.args[IMAGE_src1].t.offset = 0;
    f = check_footprint(&in, IMAGE_src1, &exact);
    assert_true(exact && f.offset == 32 + 4 && f.count0 == 4 && f.stride0 == 32 &&
                f.len == 10);
    in.args[IMAGE_planes].v = 1;
    f = check_footprint(&in, IMAGE_src0, &exact);
    assert_true(!exact && f.offset == 64 + 2 * 32 + 4 && f.count0 == 1 &&
                footprint_end(&f) == 64 + (16 + 4) * 32 + 4 + 10);
    in.args[IMAGE_function_switch].v = 0;
    f = check_footprint(&in, IMAGE_src0, &exact);
    assert_true(exact && f.offset == 64 && f.len == 32 * 24);
}

static void
footprints(void **state)
{
    (void)state;
    CheckInstr in = good(OP_DATA_MOVE);
    in.args[3].v = 3;
    in.args[4].v = 2;
    in.args[5].v = 1;
    bool exact;
    Footprint f = check_footprint(&in, 1, &exact);
    assert_true(exact && f.count0 == 3 && f.stride0 == 96 && f.len == 64);
    assert_int_equal(footprint_end(&f), 256);
    f = check_footprint(&in, 0, &exact);
    assert_true(f.count0 == 1 && f.len == 192);
    CheckInstr add = add_of(DT_F16, 128, 4, 8);
    f = check_footprint(&add, 1, &exact);
    assert_true(exact && f.count0 == 1 && f.len == 1024);
    set_mask(&add, MASK_BITS, 5, 0);
    f = check_footprint(&add, 1, &exact);
    assert_true(!exact && f.count0 == 4 && f.len == 6 && f.stride0 == 256);
    assert_int_equal(footprint_end(&f), 3 * 256 + 6);
}

/* A footprint says whether all of its bytes are accessed: what is proved of reads of
 * bytes that nothing has written hangs on it. */
static void
footprints_that_are_exact(void **state)
{
    (void)state;
    bool exact;
    CheckInstr in = good(OP_VECTOR_STORE);
    Footprint f = check_footprint(&in, 0, &exact);
    assert_true(exact && footprint_end(&f) > 0);
    int mask = form_first(op_table[in.op].form, ROLE_MASK);
    for (int i = 0; mask >= 0 && i < 2; i++) { /* all lanes in words, and some */
        in.args[mask].m = (CheckMask){MASK_BITS, {i, i}};
        (void)check_footprint(&in, 0, &exact);
        assert_false(exact);
    }
    in = good(OP_FIXPIPE_COLUMNS);
    in.args[FIXC_m_size].v = 4;
    in.args[FIXC_n_size].v = 16;
    in.args[FIXC_dst_stride].v = 16;
    for (int nd = 0; nd < 2; nd++) {
        in.args[FIXC_nd].v = nd;
        in.args[FIXC_nd_num].v = 1;
        f = check_footprint(&in, FIXC_dst, &exact);
        assert_true(exact && footprint_end(&f) > 0);
    }
    in.args[FIXC_quant_pre].v = FIX_VDEQF16; /* takes a tensor of words */
    in.args[FIXC_src].t.dtype = DT_S32;
    in.args[FIXC_dst].t.dtype = DT_F16;
    assert_bad(&in, RULE_DEQ_TYPE, FIXC_deq);
    in = good(OP_VREDUCE); /* a pattern that keeps half of the lanes, of no repeat */
    in.args[form_first(FORM_PICK, ROLE_REPEAT)].v = 0;
    f = check_footprint(&in, PICK_dst, &exact);
    assert_true(exact && footprint_end(&f) == f.offset);
}

/* Moves of LMEM have paths of their own. */
static void
paths_of_lmem(void **state)
{
    (void)state;
    CheckInstr in = good(OP_DATA_MOVE_TENSOR);
    in.args[0].t.scope = SC_UB;
    assert_bad(&in, RULE_PATH, 0);
}

/* Which rule an operand breaks that is too small, or shares bytes. */
static void
operands_of_reductions(void **state)
{
    (void)state;
    CheckInstr in = good(OP_VEC_REDUCE_ADD);
    in.args[0].m = (CheckMask){MASK_COUNT, {128}};
    in.args[form_first(FORM_ALLADD, ROLE_REPEAT)].v = 4;
    assert_good(&in);
    in.args[ALLADD_dst].t.offset = ROOM;
    assert_bad(&in, RULE_DST_SIZE, ALLADD_dst);
    in.args[ALLADD_dst].t.offset = 0;
    in.args[ALLADD_work_tensor].t.bytes = 2;
    assert_bad(&in, RULE_WORK_SIZE, ALLADD_work_tensor);
    in.args[ALLADD_work_tensor].t.bytes = ROOM;
    in.args[ALLADD_work_tensor].t.offset = ROOM;
    assert_bad(&in, RULE_WORK_SIZE, ALLADD_work_tensor);
    in.args[ALLADD_work_tensor].t.offset = 0;
    in.args[ALLADD_src].t.offset = ROOM;
    assert_bad(&in, RULE_TENSOR_OVERFLOW, ALLADD_src);
    in.args[ALLADD_src].t.offset = 0;
    in.args[ALLADD_work_tensor].t.buffer = in.args[ALLADD_src].t.buffer;
    assert_bad(&in, RULE_WORK_OVERLAP, ALLADD_work_tensor);
    assert_int_equal(check_overlap_rule(in.op, ALLADD_work_tensor), RULE_WORK_OVERLAP);
    assert_int_equal(check_overlap_rule(in.op, ALLADD_src), RULE_OVERLAP_MULTI);
}

/* Both sides of a slice that is copied have indices inside of their shapes. */
static void
indices_of_slices(void **state)
{
    (void)state;
    static const int64_t wrong[][2] = {{0, 4}, {3, 2}, {-1, 3}, {0, INT64_MAX}};
    for (int i = 0; i < 8; i++) {
        CheckInstr in = good(OP_DATA_COPY_DIM);
        int first = i % 2 ? SLICEDIM_src_start_index : SLICEDIM_dst_start_index;
        assert_good(&in);
        in.args[first].v = wrong[i / 2][0];
        in.args[first + 1].v = wrong[i / 2][1];
        Fault f = {.rule = RULE_NONE};
        assert_false(check_static(&in, &f) && check_values(&in, &f));
        assert_true(f.rule == RULE_SLICE_INDEX && f.param == first);
    }
}

/* Segments that follow each other are one dimension. */
static void
segments_that_follow(void **state)
{
    (void)state;
    SegmentSide s = {.dims = 0};
    segment_add(&s, 4, 32);
    segment_add(&s, 1, 7);
    segment_add(&s, 3, 4 * 32);
    assert_true(s.dims == 1 && s.count[0] == 12 && s.pitch[0] == 32);
    segment_add(&s, 5, 1000);
    segment_add(&s, 2, 5 * 1000);
    assert_true(s.dims == 2 && s.count[0] == 12 && s.count[1] == 10 &&
                s.pitch[1] == 1000);
    segment_add(&s, 2, 12 * 32); /* follows the first ones, not the last */
    assert_true(s.dims == 3 && s.count[2] == 2 && s.pitch[2] == 12 * 32);
}

/* The slice has rows 1 and 2, columns 4 to 8 by 2, of a matrix with 16 columns. */
static void
footprints_of_slices(void **state)
{
    (void)state;
    bool exact = true;
    CheckInstr in = good(OP_H_ABS);
    const SliceOperand *o = form_slice(FORM_HUN, 0);
    assert_true(o->dims == 3 && form_slice(FORM_HUN, 2) == NULL);
    const int64_t len[] = {1, 2, 3}, stride[] = {0, 16, 2};
    for (int i = 0; i < 3; i++) {
        in.args[o->len + i].v = len[i];
        in.args[o->stride + i].v = stride[i];
    }
    Footprint f = check_footprint(&in, 0, &exact);
    assert_true(exact && f.count0 == 2 && f.stride0 == 32 && f.count1 == 3 &&
                f.stride1 == 4 && f.len == 2);
    assert_int_equal(footprint_end(&f), (16 + 4 + 1) * 2);
    in.args[o->stride + 2].v = 1;
    f = check_footprint(&in, 0, &exact);
    assert_true(exact && f.count1 == 2 && f.stride1 == 32 && f.len == 6);
    in.args[o->len + 2].v = 16;
    f = check_footprint(&in, 0, &exact);
    assert_true(exact && f.count1 == 1 && f.len == 64);
    in.args[o->len + 1].v = 0;
    f = check_footprint(&in, 0, &exact);
    assert_int_equal(f.len, 0);
    /* In place it may be the same slice, but neither a part of it nor one with another
     * stride. */
    in.args[o->len + 1].v = 2;
    in.args[1].t.buffer = in.args[0].t.buffer;
    const SliceOperand *s = form_slice(FORM_HUN, 1);
    for (int i = 0; i < 3; i++) {
        in.args[s->stride + i].v = in.args[o->stride + i].v;
    }
    assert_good(&in);
    in.args[s->stride + 1].v = 17;
    assert_bad(&in, RULE_OVERLAP_FORBIDDEN, 1);
    in.args[s->stride + 1].v = 16;
    in.args[1].t.offset = 62;
    assert_bad(&in, RULE_OVERLAP_FORBIDDEN, 1);
    in.args[1].t.offset = 64;
    assert_good(&in);
}

/* ---- hostile values ------------------------------------------------------ */

static uint64_t seed = 99;

static int64_t
hostile(void)
{
    static const int64_t odd[] = {0,
                                  1,
                                  -1,
                                  31,
                                  32,
                                  255,
                                  4095,
                                  65535,
                                  INT64_MAX,
                                  INT64_MIN,
                                  INT64_MAX - 31,
                                  (int64_t)1 << 47,
                                  -((int64_t)1 << 62)};
    uint64_t r = random_next(&seed) >> 33;
    return r % 3 ? odd[r % (sizeof odd / sizeof odd[0])] : (int64_t)(seed ^ seed << 21);
}

static void
hostile_values(void **state)
{
    (void)state;
    for (int i = 0; i < 60000; i++) {
        CheckInstr in = good((Op)(i % OP_COUNT));
        int n;
        (void)form_params(op_table[in.op].form, &n);
        for (int p = 0; p < n; p++) {
            if (hostile() % 2) {
                in.args[p].v = hostile();
                in.args[p].m.form = (MaskForm)(hostile() & 3);
                in.args[p].m.w[0] = (uint64_t)hostile();
                in.args[p].m.w[1] = (uint64_t)hostile();
                in.args[p].t.offset = hostile();
                in.args[p].t.bytes = hostile();
                in.args[p].t.buffer = 1;
            }
        }
        in.args[7].v &= 15;
        Fault f;
        (void)check_static(&in, &f);
        (void)check_values(&in, &f);
        CheckStep steps[MAX_CHECK_STEPS];
        int count = check_steps(in.op, steps);
        assert_true(count <= MAX_CHECK_STEPS);
        for (int s = 0; s < count; s++) {
            (void)check_step(&in, steps[s], &f);
        }
        (void)warnings(&in);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_range),
        cmocka_unit_test(image_window),
        cmocka_unit_test(run_time_repeat_may_be_zero),
        cmocka_unit_test(mask_counts),
        cmocka_unit_test(mask_bits),
        cmocka_unit_test(mask_counter),
        cmocka_unit_test(vector_types_and_scopes),
        cmocka_unit_test(scalar_fits),
        cmocka_unit_test(alignment),
        cmocka_unit_test(paths),
        cmocka_unit_test(move_types),
        cmocka_unit_test(pad_modes),
        cmocka_unit_test(conversions),
        cmocka_unit_test(fractal_units),
        cmocka_unit_test(move_bounds),
        cmocka_unit_test(move_overlap),
        cmocka_unit_test(vector_bounds),
        cmocka_unit_test(overlap_single),
        cmocka_unit_test(overlap_multi),
        cmocka_unit_test(overlap_accumulate),
        cmocka_unit_test(overlap_counter),
        cmocka_unit_test(warnings_of_moves),
        cmocka_unit_test(warnings_of_reductions),
        cmocka_unit_test(words_of_conversions),
        cmocka_unit_test(modes_of_conversions),
        cmocka_unit_test(weights_of_lanes),
        cmocka_unit_test(gaps_of_fractals),
        cmocka_unit_test(reductions_of_nothing),
        cmocka_unit_test(elements),
        cmocka_unit_test(footprints),
        cmocka_unit_test(footprints_that_are_exact),
        cmocka_unit_test(paths_of_lmem),
        cmocka_unit_test(operands_of_reductions),
        cmocka_unit_test(footprints_of_slices),
        cmocka_unit_test(indices_of_slices),
        cmocka_unit_test(segments_that_follow),
        cmocka_unit_test(hostile_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
