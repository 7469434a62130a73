/* test_emu_vector.c: compares vector instructions of the emulator with a slow model that
 * follows the rules of evaluation lane by lane, on chosen and on random operands; and the
 * tables of lane functions with each other. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "emu_world.h"
#include "random.h"
#include "num/half.h"
#include "num/lanes.h"

/* ---- a call and its slow model ------------------------------------------- */

/* All operands are in one UB buffer, so that they may overlap. Offsets are in bytes,
 * strides in blocks. */
typedef struct Call {
    Op op;
    Dtype t;
    MaskForm form;
    uint64_t w[4];
    int64_t repeat;
    int64_t scalar;
    int64_t offset[3]; /* dst, src0, src1 */
    int64_t stride[3];
} Call;

enum {
    UB_BYTES = 32768
};

static int
sources(Op op)
{
    Form f = op_table[op].form;
    return f == FORM_VDUP ? 0 : f == FORM_VBIN ? 2 : 1;
}

static bool
active(const Call *c, int64_t repeat, int lane)
{
    int lanes = 256 / dtype_size(c->t);
    if (c->form == MASK_COUNT) {
        return lane < (int64_t)c->w[0];
    }
    if (c->form == MASK_COUNTER) {
        return repeat * lanes + lane < (int64_t)c->w[0];
    }
    return (c->w[lane / 64] >> (lane % 64) & 1) != 0;
}

static int64_t
get(const uint8_t *p, Dtype t)
{
    uint64_t v = 0;
    memcpy(&v, p, (size_t)dtype_size(t));
    return scalar_wrap(t, (int64_t)v);
}

static bool
is_nan(Dtype t, int64_t v)
{
    double d = dtype_is_float(t) ? scalar_to_double(t, v) : 0;
    return d != d;
}

static int64_t
canonical_nan(Dtype t)
{
    return t == DT_F16 ? 0x7e00 : 0x7fc00000;
}

static int64_t
eval(ScalarOp op, Dtype t, int64_t a, int64_t b)
{
    int64_t out = 0;
    assert_true(scalar_eval(op, t, t, a, b, &out));
    return out;
}

/* Computes the function in double, rounded once: float32 results of the library differ
 * from that for one argument in millions (num/fn.h). */
static int64_t
function(Dtype t, double d)
{
    return d != d ? canonical_nan(t) : scalar_from_double(t, d);
}

static int64_t
model(const Call *c, int64_t a, int64_t b)
{
    Dtype t = c->t;
    switch (op_table[c->op].sem) {
    case SEM_DUP:
        return c->scalar;
    case SEM_ADD:
        return eval(SOP_ADD, t, a, b);
    case SEM_SUB:
        return eval(SOP_SUB, t, a, b);
    case SEM_MUL:
        return eval(SOP_MUL, t, a, b);
    case SEM_AND:
        return scalar_wrap(t, a & b);
    case SEM_OR:
        return scalar_wrap(t, a | b);
    case SEM_NOT:
        return scalar_wrap(t, ~a);
    case SEM_MAX:
        if (is_nan(t, a) || is_nan(t, b)) {
            return canonical_nan(t);
        }
        return eval(SOP_GT, t, b, a) ? b : a;
    case SEM_MIN:
        if (is_nan(t, a) || is_nan(t, b)) {
            return canonical_nan(t);
        }
        return eval(SOP_LT, t, b, a) ? b : a;
    case SEM_RELU:
        if (is_nan(t, a)) {
            return canonical_nan(t);
        }
        return eval(SOP_GT, t, a, 0) ? a : 0;
    case SEM_ABS:
        if (dtype_is_float(t)) {
            return a & ((INT64_C(1) << (8 * dtype_size(t) - 1)) - 1);
        }
        return a < 0 ? scalar_wrap(t, (int64_t)(0 - (uint64_t)a)) : a;
    case SEM_EXP:
        return function(t, exp(scalar_to_double(t, a)));
    case SEM_LN:
        return function(t, log(scalar_to_double(t, a)));
    case SEM_REC:
        return function(t, 1 / scalar_to_double(t, a));
    case SEM_RSQRT:
        return function(t, 1 / sqrt(scalar_to_double(t, a)));
    default:
        break;
    case SEM_RESERVE:
    case SEM_BLOCKS:
    case SEM_SET_FLAG:
    case SEM_WAIT_FLAG:
    case SEM_PIPE_BARRIER:
    case SEM_BLOCK_BARRIER:
    }
    fail();
    return 0;
}

static void
model_repeat(const Call *c, uint8_t *ub, int64_t r)
{
    int size = dtype_size(c->t), lanes = 256 / size;
    int64_t result[256];
    bool scalar = op_table[c->op].form == FORM_VSCALAR;
    for (int l = 0; l < lanes; l++) {
        if (active(c, r, l)) {
            int64_t v[3] = {0};
            for (int s = 1; s <= sources(c->op); s++) {
                v[s] = get(ub + c->offset[s] + r * c->stride[s] * 32 + l * size, c->t);
            }
            result[l] = model(c, v[1], scalar ? c->scalar : v[2]);
        }
    }
    for (int l = 0; l < lanes; l++) {
        if (active(c, r, l)) {
            memcpy(ub + c->offset[0] + r * c->stride[0] * 32 + l * size, &result[l],
                   (size_t)size);
        }
    }
}

static void
run_model(const Call *c, uint8_t *ub)
{
    int lanes = 256 / dtype_size(c->t);
    int64_t repeats =
        c->form == MASK_COUNTER ? ((int64_t)c->w[0] + lanes - 1) / lanes : c->repeat;
    for (int64_t r = 0; r < repeats; r++) {
        model_repeat(c, ub, r);
    }
}

/* ---- the same call on the emulator --------------------------------------- */

static void
fill_args(World *w, const Call *c, uint32_t ub)
{
    TikDesc *d = world_instr(w, c->op);
    d->mask_form = c->form;
    int n, refs = 0, ints = 0;
    const ParamInfo *params = form_params(op_table[c->op].form, &n);
    for (int i = 0; i < n; i++) {
        switch (params[i].role) {
        case ROLE_DST:
        case ROLE_SRC:
            d->args[i].t = at(w, ub, c->offset[refs++]);
            d->args[i].t.dtype = c->t;
            break;
        case ROLE_MASK:
            for (int k = 0; k < 4; k++) {
                d->args[i].mask[k] = imm((int64_t)c->w[k]);
            }
            break;
        case ROLE_REPEAT:
            d->args[i].v = imm(c->repeat);
            break;
        case ROLE_INT:
            d->args[i].v = imm(c->stride[ints++]);
            break;
        case ROLE_SCALAR:
            d->args[i].v = imm(c->scalar);
            break;
        case ROLE_MASKMODE:
        case ROLE_ATTR:
        case ROLE_PIPE:
        case ROLE_ROOT:
            break;
        }
    }
}

/* Runs the call on a UB with these bytes; bytes is then the result. */
static bool
run_call(const Call *c, uint8_t *bytes, EmuResult *res)
{
    World *w = world_new("Ascend310P");
    uint32_t g = world_gm(w, DT_U8, UB_BYTES),
             ub = world_local(w, SC_UB, DT_U8, 0, UB_BYTES);
    memcpy(world_data(w, g), bytes, UB_BYTES);
    world_move(w, at(w, ub, 0), at(w, g, 0), 1, UB_BYTES / 32);
    fill_args(w, c, ub);
    world_move(w, at(w, g, 0), at(w, ub, 0), 1, UB_BYTES / 32);
    bool ok = world_run(w);
    *res = w->res;
    memcpy(bytes, world_data(w, g), UB_BYTES);
    world_free(w);
    return ok;
}

/* Makes random bytes, with many special floats. */
static void
random_bytes(uint8_t *p, size_t n, Dtype t, uint64_t *seed)
{
    static const uint16_t half[] = {0,      0x8000, 0x7c00, 0xfc00, 0x7e00, 0xfe01,
                                    0x7c01, 1,      0x8001, 0x7bff, 0xfbff, 0x3c00,
                                    0xbc00, 0x0400, 0x03ff, 0x1000};
    for (size_t i = 0; i + 8 <= n; i += 8) {
        uint64_t v = random_bits(seed);
        memcpy(p + i, &v, 8);
        if (random_bits(seed) % 4 == 0) {
            uint16_t h = half[random_bits(seed) % 16];
            uint32_t f = float_bits(half_to_float(h));
            f = h == 0x7c01 ? 0x7f800001u : f;
            if (t == DT_F16) {
                memcpy(p + i, &h, 2);
            } else if (t == DT_F32) {
                memcpy(p + i, &f, 4);
            }
        }
    }
}

static void
check_call(const Call *c, uint64_t *seed)
{
    static uint8_t got[UB_BYTES], want[UB_BYTES];
    EmuResult res;
    random_bytes(got, UB_BYTES, c->t, seed);
    memcpy(want, got, UB_BYTES);
    run_model(c, want);
    assert_true(run_call(c, got, &res));
    for (int i = 0; i < UB_BYTES; i++) {
        if (got[i] != want[i]) {
            fprintf(stderr, "%s %s form %d repeat %d: byte %d is %02x, wanted %02x\n",
                    op_table[c->op].name, dtype_name(c->t), (int)c->form, (int)c->repeat,
                    i, got[i], want[i]);
            fail();
        }
    }
}

/* True for the spelling without block strides, which this model knows. */
static bool
is_short(Op op)
{
    return op_table[op].form >= FORM_VDUP && op_table[op].form <= FORM_VUN;
}

/* True if any kind of core has the instruction with the type; with the pair if src is not
 * DT_NONE. */
static bool
exists(Op op, Dtype dst, Dtype src)
{
    uint32_t info;
    for (int k = 0; k < CORE_COUNT; k++) {
        Soc soc = {.core = (CoreKind)k};
        if (src == DT_NONE ? op_has_dtype(op, dst, &soc)
                           : op_has_pair(op, dst, src, &soc, &info)) {
            return true;
        }
    }
    return false;
}

static Call
plain_call(Op op, Dtype t)
{
    return (Call){.op = op,
                  .t = t,
                  .w = {(uint64_t)(256 / dtype_size(t))},
                  .repeat = 3,
                  .scalar = scalar_wrap(t, 0x1234567890abcdef),
                  .offset = {0, 8192, 16384},
                  .stride = {8, 8, 8}};
}

static void
every_instruction_and_type(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int i = 0; i < OP_COUNT * DT_COUNT; i++) {
        Op op = (Op)(i / DT_COUNT);
        Dtype t = (Dtype)(i % DT_COUNT);
        if (!is_short(op) || !exists(op, t, DT_NONE)) {
            continue;
        }
        Call c = plain_call(op, t);
        check_call(&c, &seed);
        c.w[0] = c.w[0] / 2 + 1;
        check_call(&c, &seed);
    }
}

static uint64_t
lanes_mask(uint64_t *seed, Dtype t, int word)
{
    int lanes = 256 / dtype_size(t) - 64 * word;
    uint64_t all = lanes >= 64 ? UINT64_MAX : lanes <= 0 ? 0 : (UINT64_C(1) << lanes) - 1;
    uint64_t r = random_bits(seed);
    return (random_bits(seed) % 4 == 0 ? r & random_bits(seed) & random_bits(seed) : r) &
           all;
}

static void
random_mask(Call *c, uint64_t *seed)
{
    int lanes = 256 / dtype_size(c->t);
    c->form = (MaskForm)(random_bits(seed) % 4);
    memset(c->w, 0, sizeof c->w);
    switch (c->form) {
    case MASK_COUNT:
        c->w[0] = 1 + random_bits(seed) % (uint64_t)lanes;
        return;
    case MASK_COUNTER:
        c->w[0] = 1 + random_bits(seed) % (uint64_t)(4 * lanes);
        return;
    case MASK_BITS:
    case MASK_BITS4:
        for (int i = 0; i < mask_words(c->form); i++) {
            c->w[i] = lanes_mask(seed, c->t, i);
        }
        c->w[0] |= random_bits(seed) % 2;
        c->w[0] |= (c->w[0] | c->w[1] | c->w[2] | c->w[3]) == 0;
        return;
    }
}

/* Half of the time the offsets are close together, so that operands overlap in every
 * way. */
static void
random_calls(void **state)
{
    (void)state;
    uint64_t seed = 20240;
    for (int i = 0; i < 12000; i++) {
        Op op = (Op)(random_bits(&seed) % OP_COUNT);
        Dtype t = (Dtype)(random_bits(&seed) % DT_COUNT);
        if (!is_short(op) || !exists(op, t, DT_NONE)) {
            continue;
        }
        Call c = plain_call(op, t);
        random_mask(&c, &seed);
        c.repeat = 1 + (int64_t)(random_bits(&seed) % 5);
        c.scalar = scalar_wrap(c.t, (int64_t)random_bits(&seed));
        uint64_t near = random_bits(&seed) % 2;
        for (int k = 0; k < 3; k++) {
            c.offset[k] = (int64_t)(random_bits(&seed) % (near ? 24 : 400)) * 32;
            c.stride[k] = (int64_t)(random_bits(&seed) % 12);
            c.stride[k] = random_bits(&seed) % 3 == 0 ? 8 : c.stride[k];
        }
        check_call(&c, &seed);
    }
}

/* ---- chosen cases -------------------------------------------------------- */

static uint16_t
half_result(Op op, uint16_t a, uint16_t b)
{
    static uint8_t ub[UB_BYTES];
    EmuResult res;
    memset(ub, 0, sizeof ub);
    Call c = plain_call(op, DT_F16);
    c.w[0] = 1;
    c.repeat = 1;
    c.scalar = b;
    memcpy(ub + c.offset[1], &a, 2);
    memcpy(ub + c.offset[2], &b, 2);
    assert_true(run_call(&c, ub, &res));
    uint16_t h;
    memcpy(&h, ub + c.offset[0], 2);
    return h;
}

static void
nans_are_canonical_where_computed(void **state)
{
    (void)state;
    static const Op computing[] = {OP_VEC_ADD, OP_VEC_SUB,  OP_VEC_MUL,  OP_VEC_MAX,
                                   OP_VEC_MIN, OP_VEC_ADDS, OP_VEC_MULS, OP_VEC_RELU};
    for (size_t i = 0; i < sizeof computing / sizeof computing[0]; i++) {
        assert_int_equal(half_result(computing[i], 0xfd55, 0x3c00), 0x7e00);
        if (computing[i] != OP_VEC_RELU) {
            assert_int_equal(half_result(computing[i], 0x3c00, 0x7c01), 0x7e00);
        }
    }
    assert_int_equal(half_result(OP_VEC_ABS, 0xfd55, 0), 0x7d55);
    assert_int_equal(half_result(OP_VEC_DUP, 0, 0xfd55), 0xfd55);
    assert_int_equal(half_result(OP_VEC_ADD, 0x7c00, 0xfc00), 0x7e00);
}

static void
zeros_and_extremes(void **state)
{
    (void)state;
    assert_int_equal(half_result(OP_VEC_MAX, 0x0000, 0x8000), 0x0000);
    assert_int_equal(half_result(OP_VEC_MAX, 0x8000, 0x0000), 0x8000);
    assert_int_equal(half_result(OP_VEC_MIN, 0x0000, 0x8000), 0x0000);
    assert_int_equal(half_result(OP_VEC_MIN, 0x8000, 0x0000), 0x8000);
    assert_int_equal(half_result(OP_VEC_RELU, 0x8000, 0), 0x0000);
    assert_int_equal(half_result(OP_VEC_ADD, 0x7bff, 0x4c00),
                     0x7c00); /* 65504 + 16: a tie */
    assert_int_equal(half_result(OP_VEC_ADD, 0x7bff, 0x4bff), 0x7bff);
    assert_int_equal(half_result(OP_VEC_ADD, 0x0001, 0x0001), 0x0002);
    assert_int_equal(half_result(OP_VEC_MULS, 0x4200, 0x2e66), 0x34cc);
}

static void
a_run_time_repeat_of_zero_does_nothing(void **state)
{
    (void)state;
    static uint8_t ub[UB_BYTES], before[UB_BYTES];
    EmuResult res;
    memset(ub, 0x33, sizeof ub);
    memcpy(before, ub, sizeof ub);
    Call c = plain_call(OP_VEC_DUP, DT_F16);
    c.repeat = 0;
    assert_true(run_call(&c, ub, &res));
    assert_memory_equal(ub, before, UB_BYTES);
}

static void
expect_rule(Call c, Rule rule)
{
    static uint8_t ub[UB_BYTES];
    EmuResult res;
    assert_false(run_call(&c, ub, &res));
    assert_int_equal(res.status, EMU_FAULT);
    assert_string_equal(rule_table[res.fault.rule].name, rule_table[rule].name);
}

static void
numbers_out_of_range_fault(void **state)
{
    (void)state;
    Call c = plain_call(OP_VEC_ADD, DT_F16);
    c.w[0] = 0;
    expect_rule(c, RULE_MASK_RANGE);
    c.w[0] = 129;
    expect_rule(c, RULE_MASK_RANGE);
    c = plain_call(OP_VEC_ADD, DT_F16);
    c.form = MASK_BITS;
    c.w[0] = 0;
    expect_rule(c, RULE_MASK_ZERO);
    c = plain_call(OP_VEC_ADD, DT_F32);
    c.form = MASK_BITS;
    c.w[0] = c.w[1] = 1;
    expect_rule(c, RULE_MASK_HIGH);
    c = plain_call(OP_VEC_ADD, DT_F16);
    c.repeat = 256;
    c.stride[0] = c.stride[1] = c.stride[2] = 0;
    expect_rule(c, RULE_REPEAT_RANGE);
    c = plain_call(OP_VEC_ADD, DT_F16);
    c.repeat = 1;
    c.stride[2] = 256;
    expect_rule(c, RULE_REPEAT_STRIDE);
    c = plain_call(OP_VEC_ADD, DT_F16);
    c.offset[0] = UB_BYTES - 256;
    expect_rule(c, RULE_TENSOR_OVERFLOW);
    c.form = MASK_COUNTER;
    c.op = OP_VEC_ADDS;
    c.w[0] = 129;
    expect_rule(c, RULE_TENSOR_OVERFLOW);
    /* The last repeat is short and ends inside, the one before does not. */
    c.w[0] = 130;
    c.offset[0] = UB_BYTES - 64;
    c.stride[0] = 1;
    expect_rule(c, RULE_TENSOR_OVERFLOW);
}

/* The last byte that a mask accesses may be the last byte of the tensor. */
static void
just_inside(void **state)
{
    (void)state;
    uint64_t seed = 3;
    Call c = plain_call(OP_VEC_ADDS, DT_F16);
    c.offset[0] = UB_BYTES - 256 - 512;
    check_call(&c, &seed);
    c.form = MASK_BITS;
    c.w[0] = 0x8001;
    c.offset[0] = UB_BYTES - 32 - 512;
    check_call(&c, &seed);
    c.form = MASK_COUNTER;
    c.w[0] = 128 + 16;
    c.offset[0] = UB_BYTES - 256 - 32;
    check_call(&c, &seed);
}

/* ---- the tables ---------------------------------------------------------- */

static void
tables_agree(void **state)
{
    (void)state;
#if defined(__x86_64__)
    if (num_level() < NUM_LEVEL_AVX2) {
        skip();
    }
    const LaneTable *wide[] = {&emu_lanes_avx2, &emu_lanes_avx512};
    static uint8_t a[4096], b[4096], x[4096], y[4096];
    uint64_t seed = 99;
    for (int round = 0; round < 80; round++) {
        const LaneTable *w = wide[num_level() >= NUM_LEVEL_AVX512 ? round % 2 : 0];
        for (int s = 0; s < SEM_COUNT; s++) {
            for (int t = 1; t < DT_COUNT; t++) {
                int64_t n = (int64_t)(1 + random_bits(&seed) % (4096 / 8));
                random_bytes(a, sizeof a, (Dtype)t, &seed);
                random_bytes(b, sizeof b, (Dtype)t, &seed);
                int64_t v = scalar_wrap((Dtype)t, (int64_t)random_bits(&seed));
                LaneFn *f[2][2] = {{emu_lanes_base.vector[s][t], w->vector[s][t]},
                                   {emu_lanes_base.scalar[s][t], w->scalar[s][t]}};
                for (int k = 0; k < 2; k++) {
                    assert_int_equal(f[k][0] == NULL, f[k][1] == NULL);
                    if (f[k][0] != NULL) {
                        memset(x, 0, sizeof x);
                        memset(y, 0, sizeof y);
                        f[k][0](x, a, b, v, n);
                        f[k][1](y, a, b, v, n);
                        assert_memory_equal(x, y, sizeof x);
                    }
                }
            }
        }
    }
#else
    skip();
#endif
}

/* Processors that compute with float16 have other functions for some of it. */
static void
halves_agree(void **state)
{
    (void)state;
    static uint8_t a[1024], b[1024], x[1024], y[1024];
    uint64_t seed = 5;
    int functions = 0;
    if (!num_has_half()) {
        skip();
    }
    for (int i = 0; i < 400 * SEM_COUNT; i++) {
        const Sem s = (Sem)(i % SEM_COUNT);
        int64_t n = (int64_t)(1 + random_bits(&seed) % (1024 / 2));
        random_bytes(a, sizeof a, DT_F16, &seed);
        random_bytes(b, sizeof b, DT_F16, &seed);
        int64_t v = scalar_wrap(DT_F16, (int64_t)random_bits(&seed));
        LaneFn *f[2][2] = {
            {emu_lanes_base.vector[s][DT_F16], emu_lanes_half.vector[s][DT_F16]},
            {emu_lanes_base.scalar[s][DT_F16], emu_lanes_half.scalar[s][DT_F16]}};
        for (int k = 0; k < 2; k++) {
            if (f[k][1] == NULL) {
                continue;
            }
            random_bytes(x, sizeof x, DT_F16, &seed);
            memcpy(y, x, sizeof x);
            f[k][0](x, a, b, v, n);
            f[k][1](y, a, b, v, n);
            assert_memory_equal(x, y, sizeof x);
            functions++;
        }
    }
    assert_int_equal(functions, 400 * 20);
}

static LaneWork
work_of(Op op)
{
    Form form = op_table[op].form;
    return (LaneWork){op_table[op].sem, form_first(form, ROLE_SCALAR) >= 0};
}

static void
has_function(Op op, Dtype t)
{
    const OpInfo *row = &op_table[op];
    Family family = form_family(row->form);
    if (row->sem == SEM_SHL || row->sem == SEM_SHR) {
        assert_non_null(emu_lane_shift(row->sem, t, false));
    } else if (family == FAM_LANES || family == FAM_ARITH) {
        assert_non_null(emu_lane_fn(NULL, work_of(op), t, t));
    }
}

static void
every_row_has_a_function(void **state)
{
    (void)state;
    for (int op = 0; op < OP_COUNT; op++) {
        for (int t = 1; t < DT_COUNT; t++) {
            if (exists((Op)op, (Dtype)t, DT_NONE)) {
                has_function((Op)op, (Dtype)t);
            }
            for (int src = 1;
                 src < DT_COUNT && form_family(op_table[op].form) == FAM_ARITH; src++) {
                if (exists((Op)op, (Dtype)t, (Dtype)src)) {
                    assert_non_null(
                        emu_lane_fn(NULL, work_of((Op)op), (Dtype)t, (Dtype)src));
                }
            }
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_has_a_function),
        cmocka_unit_test(every_instruction_and_type),
        cmocka_unit_test(random_calls),
        cmocka_unit_test(nans_are_canonical_where_computed),
        cmocka_unit_test(zeros_and_extremes),
        cmocka_unit_test(a_run_time_repeat_of_zero_does_nothing),
        cmocka_unit_test(numbers_out_of_range_fault),
        cmocka_unit_test(just_inside),
        cmocka_unit_test(tables_agree),
        cmocka_unit_test(halves_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
