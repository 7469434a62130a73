/* test_check_cube.c: checks loads into the matrix unit and products: the range of every
 * number, the bytes that they access, and when they read what they write. Rules that
 * relate numbers have files in tests/lit/rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdbool.h>
#include <string.h>

#include <cmocka.h>

#include "fault.h"
#include "rules/check.h"
#include "rules/load.h"

typedef struct Sample {
    Op op;
    const char *soc;
    Scope scope[3];
    Dtype type[3];
    int64_t v[24]; /* the numbers, from the first slot after the tensors on */
} Sample;

static const Sample samples[] = {
    {OP_LOAD2DV1, "Ascend910A", {SC_L0A, SC_L1}, {DT_F16, DT_F16}, {3, 2, 1, 0, 0, 0}},
    {OP_LOAD2DV2, "Ascend310P3", {SC_L0B, SC_L1}, {DT_S8, DT_S8}, {3, 2, 1, 1, 0, 0, 0}},
    {OP_LOAD2DV2, "Ascend310P3", {SC_L1, SC_GM}, {DT_S8, DT_S8}, {3, 2, 1, 1, 0, 0, 1}},
    {OP_LOAD2DV3,
     "Ascend610Lite",
     {SC_L0A, SC_L1},
     {DT_F16, DT_F16},
     {1, 1, 4, 4, 2, 2, 1}},
    {OP_LOAD_DATA_WITH_TRANSPOSE,
     "Ascend910B1",
     {SC_L0A, SC_L1},
     {DT_S8, DT_S8},
     {1, 2, 1, 2, 3, 0}},
    /* Points of 4 channels: images of 8 bytes for each pixel. */
    {OP_LOAD3DV1, "Ascend310P3", {SC_UB, SC_L1}, {DT_F16, DT_F16}, {1, 1, 1, 1,  5,  6,
                                                                    0, 0, 0, -1, -1, 1,
                                                                    1, 3, 3, 1,  1,  1,
                                                                    0, 3, 1, 0}},
    {OP_LOAD3DV1, "Ascend310P3", {SC_UB, SC_L1}, {DT_F16, DT_F16}, {1, 1, 1, 1,  5,  6,
                                                                    0, 0, 0, -1, -1, 1,
                                                                    1, 3, 3, 1,  1,  1,
                                                                    1, 2, 0, 0}},
    {OP_LOAD3DV2,
     "Ascend310P3",
     {SC_L0A, SC_L1},
     {DT_F16, DT_F16},
     {1, 1, 1, 1, 5, 6, 32, 64, 16, 32, 0, 1, 1, 3, 3, 1, 1, 0, 0}},
    {OP_COL2IMG,
     "Ascend310P3",
     {SC_UB, SC_UB},
     {DT_F32, DT_F32},
     {1, 1, 1, 1, 5, 6, 2, 1, -1, -1, 1, 1, 3, 3, 1, 1, 2}},
    {OP_MMAD,
     "Ascend310P3",
     {SC_L0C, SC_L0A, SC_L0B},
     {DT_F32, DT_F16, DT_F16},
     {20, 24, 18, 0}},
};

enum {
    SAMPLES = sizeof samples / sizeof samples[0],
    ROOM = 1 << 26
};

static CheckInstr
good(const Sample *s)
{
    int n;
    CheckInstr in = {.op = s->op, .soc = soc_find(s->soc)};
    const ParamInfo *p = form_params(op_table[s->op].form, &n);
    for (int i = 0, number = 0; i < n; i++) {
        CheckArg *a = &in.args[i];
        a->literal = true;
        if (p[i].role == ROLE_DST || p[i].role == ROLE_SRC) {
            a->t = (CheckTensor){(uint32_t)i + 1, s->scope[i], s->type[i], 0, ROOM};
        } else {
            a->v = s->v[number++];
        }
    }
    return in;
}

static void
expect(const CheckInstr *in, Rule rule, int param)
{
    Fault f = {.text = ""};
    bool ok = check_static(in, &f) && check_values(in, &f);
    if (rule == RULE_NONE ? !ok : ok || f.rule != rule || f.param != param) {
        fail_msg("%s: %s at %d: %s; expected %s at %d", op_table[in->op].name,
                 rule_table[f.rule].name, f.param, f.text, rule_table[rule].name, param);
    }
    if (!ok && !fault_numbers_hold(&f)) {
        fail_msg("%lld of %lld to %lld: %s", (long long)f.value, (long long)f.lo,
                 (long long)f.hi, f.text);
    }
}

static void
ranges(void **state)
{
    (void)state;
    for (int s = 0; s < SAMPLES; s++) {
        int n;
        const ParamInfo *p = form_params(op_table[samples[s].op].form, &n);
        for (int i = 0; i < n; i++) {
            CheckInstr in = good(&samples[s]);
            expect(&in, RULE_NONE, 0);
            if (p[i].role != ROLE_INT && p[i].role != ROLE_REPEAT) {
                continue;
            }
            const int64_t outside[] = {p[i].lo - 1, p[i].hi + 1, INT64_MIN, INT64_MAX};
            for (int k = 0; k < 4; k++) {
                in.args[i].v = outside[k];
                expect(&in, p[i].rule, i);
            }
        }
    }
}

/* Every operand fits exactly, and does not fit in a block less. */
static void
bounds(void **state)
{
    (void)state;
    static const int64_t bytes[SAMPLES][3] = {
        {2 * 512, 5 * 512},    {3 * 512, 5 * 512},        {3 * 512, 4 * 512},
        {6 * 512, 11 * 512},   {6 * 512, 5 * 1024},       {3 * 512, 5 * 6 * 8},
        {2 * 512, 5 * 6 * 32}, {4 * 512, 2 * 5 * 6 * 32}, {5 * 6 * 64, 2 * 1024},
        {4096, 2048, 2048},
    };
    for (int s = 0; s < SAMPLES; s++) {
        for (int i = 0; i < 3 && bytes[s][i] > 0; i++) {
            CheckInstr in = good(&samples[s]);
            in.args[i].t.bytes = bytes[s][i];
            in.args[i].t.exact = true;
            expect(&in, RULE_NONE, 0);
            in.args[i].t.bytes -= 32;
            expect(&in, RULE_TENSOR_OVERFLOW, i);
        }
    }
}

/* Fractals in descending order stay at or after the operand's start. */
static void
descending(void **state)
{
    (void)state;
    CheckInstr in = good(&samples[2]);
    in.args[LOAD2D_start_index].v = 1;
    expect(&in, RULE_NONE, 0);
    in.args[LOAD2D_start_index].v = 0;
    expect(&in, RULE_TENSOR_OVERFLOW, LOAD2D_src);
    in.args[LOAD2D_src].t.offset = 512;
    expect(&in, RULE_TENSOR_OVERFLOW, LOAD2D_src);
    assert_true(check_is_irregular(&in));
    in.args[LOAD2D_addr_mode].v = 0;
    assert_false(check_is_irregular(&in));
}

static void
vectors(void **state)
{
    (void)state;
    CheckInstr in = good(&samples[SAMPLES - 1]);
    in.args[MATMUL_m].v = 1;
    in.args[MATMUL_a].t.bytes = 64;
    expect(&in, RULE_NONE, 0);
    in.args[MATMUL_a].t.bytes = 32;
    expect(&in, RULE_TENSOR_OVERFLOW, MATMUL_a);
    in.args[MATMUL_k].v = 0;
    in.args[MATMUL_a].t.bytes = 0;
    expect(&in, RULE_NONE, 0);
}

static void
accumulation(void **state)
{
    (void)state;
    CheckInstr in = good(&samples[SAMPLES - 1]);
    assert_false(check_reads_dst(&in));
    in.args[MATMUL_init_l1out].v = 1;
    assert_true(check_reads_dst(&in));
    in.args[MATMUL_init_l1out].v = 0;
    in.args[MATMUL_init_l1out].literal = false;
    assert_true(check_reads_dst(&in));
    in = good(&samples[SAMPLES - 2]);
    assert_true(check_reads_dst(&in));
    in = good(&samples[0]);
    assert_false(check_reads_dst(&in));
}

/* A path of another instruction is none of this one. */
static void
paths_of_others(void **state)
{
    (void)state;
    CheckInstr in = good(&samples[1]);
    in.args[LOAD2D_dst].t.scope = SC_UB;
    expect(&in, RULE_PATH, LOAD2D_dst);
}

/* A number of repeats that is not legal accesses nothing. */
static void
negative_repeats(void **state)
{
    (void)state;
    for (int s = 0; s < SAMPLES; s++) {
        bool exact;
        CheckInstr in = good(&samples[s]);
        if (in.op != OP_COL2IMG) {
            continue;
        }
        in.args[COL2IMG_repeat_time].v = -3;
        for (int i = 0; i < 2; i++) {
            Footprint f = check_footprint(&in, i, &exact);
            assert_int_equal(footprint_end(&f), 0);
            assert_int_equal(check_extent(&in, i), 0);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges),           cmocka_unit_test(bounds),
        cmocka_unit_test(descending),       cmocka_unit_test(vectors),
        cmocka_unit_test(accumulation),     cmocka_unit_test(paths_of_others),
        cmocka_unit_test(negative_repeats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
