/* test_transfer.c: checks moves that pad, reorder or repeat: which processor has which
 * path, and destinations that overlap themselves, compared with sets of bytes written one
 * by one. */
#include "rules/check.h"
#include "rules/transfer.h"
#include "random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static uint64_t state_of_random = 20241120;

static int64_t
rnd(int64_t n)
{
    return random_below(&state_of_random, n);
}

static CheckTensor
tensor(uint32_t id, Scope scope, Dtype t)
{
    return (CheckTensor){
        .buffer = id, .scope = scope, .dtype = t, .bytes = (int64_t)1 << 40};
}

static CheckInstr
instr(Op op, const char *soc, Scope dst, Scope src)
{
    CheckInstr in = {.op = op, .soc = soc_find(soc)};
    Dtype t = op == OP_DATA_MOVE_PAD_B64 ? DT_S64 : DT_F16;
    assert_non_null(in.soc);
    in.args[PADMOVE_dst].t = tensor(1, dst, t);
    in.args[PADMOVE_src].t = tensor(2, src, t);
    in.args[PADMOVE_padding_value].literal = true; /* of data_move_pad */
    in.args[FILLBLOCKS_block_num].v = op == OP_INIT_CONST_VALUE;
    in.args[FILLBLOCKS_block_num].literal = in.args[FILLBLOCKS_dst_gap].literal = true;
    return in;
}

/* ---- paths --------------------------------------------------------------- */

typedef struct PathRow {
    Op op;
    Scope dst, src;
    const char *on, *not_on; /* one processor of each kind; not_on may be null */
} PathRow;

static const PathRow path_rows[] = {
    {OP_DATA_MOVE_PAD, SC_UB, SC_GM, "Ascend910B1", "Ascend310P3"},
    {OP_DATA_MOVE_PAD, SC_GM, SC_UB, "Ascend910B1", "Ascend910A"},
    {OP_DATA_MOVE_PAD, SC_UB, SC_GM, "Ascend310B1", "Ascend310"},
    {OP_DATA_MOVE_PAD, SC_UB, SC_GM, "Ascend910_9391", "SD3403"},
    {OP_DATA_MOVE_PAD, SC_UB, SC_GM, "Ascend910_95", "Ascend610"},
    {OP_DATA_MOVE_PAD, SC_L1, SC_GM, "Ascend610Lite", "Ascend910B1"},
    {OP_DATA_MOVE_PAD, SC_GM, SC_L1, "Ascend610Lite", "Ascend310B1"},
    {OP_DATA_MOVE_PAD_B64, SC_UB, SC_GM, "Ascend910B1", "Ascend310P3"},
    {OP_DATA_MOVE_MULTI_ND2NZ, SC_L1, SC_GM, "Ascend910B1", "Ascend310P3"},
    {OP_DATA_MOVE_MULTI_ND2NZ, SC_L1, SC_GM, "Ascend910_9391", "Ascend310B1"},
    {OP_DATA_COPY_NZ2ND, SC_GM, SC_UB, "Ascend310P3", "Ascend910A"},
    {OP_BROADCAST_UB_TO_L0C, SC_L0C, SC_UB, "Ascend310", "Ascend910B1"},
    {OP_BROADCAST_UB_TO_L0C, SC_L0C, SC_UB, "Ascend910A", "Ascend310B1"},
    {OP_MMAD_BROADCAST, SC_L0C, SC_UB, "Ascend910B1", "Ascend310B1"},
    {OP_MMAD_BROADCAST, SC_L0C, SC_L1, "Ascend310P3", "Ascend910A"},
    {OP_TENSOR_PADDING_WITH_MATRIX, SC_L0A, SC_L0A, "Ascend310", NULL},
    {OP_TENSOR_PADDING_WITH_MATRIX, SC_L0B, SC_L0B, "Ascend910B1", NULL},
    {OP_TENSOR_PADDING_WITH_MATRIX, SC_L1, SC_L1, "Ascend910B1", "Ascend910A"},
    {OP_INIT_CONST_VALUE, SC_L1, SC_L1, "Ascend310P3", "Ascend310B1"},
};

static void
paths_of_processors(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof path_rows / sizeof path_rows[0]; i++) {
        const PathRow *r = &path_rows[i];
        Fault f;
        CheckInstr in = instr(r->op, r->on, r->dst, r->src);
        if (!check_static(&in, &f)) {
            fail_msg("%s on %s: %s", op_table[r->op].name, r->on, f.text);
        }
        if (r->not_on != NULL) {
            in.soc = soc_find(r->not_on);
            assert_false(check_static(&in, &f));
            assert_true(f.rule == RULE_PATH || f.rule == RULE_NOT_ON_ARCH);
        }
        in = instr(r->op, r->on, SC_BT, r->src);
        assert_false(check_static(&in, &f));
        assert_int_equal(f.rule, RULE_PATH);
    }
}

/* ---- destinations that overlap themselves -------------------------------- */

enum {
    PLACES = 1 << 14
};

/* True if no two of the runs share an element: base + i*a + j*b + k*c. */
static bool
apart(const int64_t n[3], const int64_t step[3], int64_t len)
{
    static uint8_t used[PLACES];
    memset(used, 0, sizeof used);
    for (int64_t i = 0; i < n[0]; i++) {
        for (int64_t j = 0; j < n[1]; j++) {
            for (int64_t k = 0; k < n[2]; k++) {
                int64_t at = i * step[0] + j * step[1] + k * step[2];
                assert_true(at + len <= PLACES);
                for (int64_t e = 0; e < len; e++) {
                    if (used[at + e]++) {
                        return false;
                    }
                }
            }
        }
    }
    return true;
}

static bool
holds(const CheckInstr *in, int param)
{
    Fault f;
    bool ok = check_step(in, (CheckStep){CHECK_VALUE, param}, &f);
    assert_true(ok || f.rule == RULE_DST_OVERLAP);
    return ok;
}

static void
blocks_of_nd2nz(void **state)
{
    (void)state;
    int good = 0, bad = 0;
    for (int t = 0; t < 20000; t++) {
        CheckInstr in = instr(OP_DATA_MOVE_MULTI_ND2NZ, "Ascend910B1", SC_L1, SC_GM);
        int64_t n[3] = {1 + rnd(5), 1 + rnd(5), 1 + rnd(6)};
        int64_t step[3] = {1 + rnd(40), 1 + rnd(12), 1 + rnd(12)};
        int64_t *v[10];
        for (int i = 0; i < 10; i++) {
            v[i] = &in.args[i].v;
        }
        *v[ND2NZ_nd_num] = n[0];
        *v[ND2NZ_nd_d] = n[1] * 16 - rnd(16);
        *v[ND2NZ_nd_n] = n[2];
        *v[ND2NZ_src_n_stride] = 1;
        *v[ND2NZ_dst_nd_stride] = step[0] * 16;
        *v[ND2NZ_dst_c0_stride] = step[1];
        *v[ND2NZ_dst_n_stride] = step[2];
        bool want = apart(n, step, 1);
        assert_int_equal(holds(&in, ND2NZ_dst_nd_stride), want);
        *(want ? &good : &bad) += 1;
    }
    assert_true(good > 1000 && bad > 1000);
}

static void
rows_of_nz2nd(void **state)
{
    (void)state;
    int good = 0, bad = 0;
    for (int t = 0; t < 20000; t++) {
        CheckInstr in = instr(OP_DATA_COPY_NZ2ND, "Ascend910B1", SC_GM, SC_UB);
        int64_t len = 16 * (1 + rnd(3));
        int64_t n[3] = {1 + rnd(5), 1 + rnd(6), 1};
        int64_t step[3] = {1 + rnd(300), len - 8 + rnd(80), 0};
        in.args[ND2NZ_nd_num].v = n[0];
        in.args[ND2NZ_nd_n].v = n[1];
        in.args[ND2NZ_nd_d].v = len;
        in.args[NZ2ND_src_nd_matrix_stride].v = 1;
        in.args[NZ2ND_dst_d_stride].v = step[1];
        in.args[NZ2ND_dst_nd_matrix_stride].v = step[0];
        bool want = apart(n, step, len);
        assert_int_equal(holds(&in, NZ2ND_dst_nd_matrix_stride), want);
        *(want ? &good : &bad) += 1;
    }
    assert_true(good > 1000 && bad > 1000);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_of_processors),
        cmocka_unit_test(blocks_of_nd2nz),
        cmocka_unit_test(rows_of_nz2nd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
