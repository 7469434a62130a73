/* test_blob_work.c: what a proof costs (TikBlobProof.work) is bounded by tikblob_work: by
 * counting, from the tables, for each instruction; and a budget that it exceeds refuses
 * the blob. tests/cross/proof_work.py tries to reach the bound. */
#include "blob_parts.h"

#include "blob/verify.h"
#include "rules/internal.h"
#include "rules/require.h"

enum {
    LOOK_UPS = 4 + 10, /* of a slot: its numbers, and the terms of its operands */
    HALVINGS = 63,     /* of the range of a number */
    VARYING = 6        /* numbers of which check_bounds_between tries all corners */
};

/* The most evaluations that setting all numbers to their largest takes. */
static int64_t
cost_of_largest(Op op, int n)
{
    int64_t sum = 0;
    for (int i = 0; i < n; i++) {
        bool alone = check_value_rule(op, i) != RULE_NONE &&
                     require_direction(op, i) == DIRECTION_ALONE;
        sum += alone ? 1 + HALVINGS : 0;
    }
    return sum;
}

static int64_t
corners(Op op, int param, int n)
{
    const FamilyRules *rules = check_family(op);
    const ParamInfo *p = form_params(op_table[op].form, &n);
    int64_t all = 1;
    for (int i = 0, found = 0; i < n && found < VARYING; i++) {
        bool number = p[i].role == ROLE_INT || p[i].role == ROLE_REPEAT;
        all *= number ? 3 : 1;
        found += number;
    }
    return rules->bounds_corners != NULL && rules->bounds_corners(op, param) ? all : 1;
}

/* The most work of a step (rules/obligation.c), with one evaluation to find whether it
 * fails surely. */
static int64_t
cost_of_step(Op op, CheckStep s, int n)
{
    switch (s.kind) {
    case CHECK_BOUNDS:
        return cost_of_largest(op, n) + (n + 1) * (1 + corners(op, s.param, n) + 2);
    case CHECK_OVERLAP:
        return cost_of_largest(op, n) + 2 * n + 3 * (n + 1);
    case CHECK_ALIGN:
    case CHECK_MASK:
    case CHECK_RANGE:
    case CHECK_SCALAR:
    case CHECK_VALUE:
        break;
    }
    return 4;
}

/* The library asks for all steps at once before it asks for each. */
static int64_t
cost_of(Op op)
{
    int n;
    CheckStep steps[MAX_CHECK_STEPS];
    (void)form_params(op_table[op].form, &n);
    int nsteps = check_steps(op, steps);
    int64_t sum = 1 + 5 * n;
    for (int i = 0; i < nsteps; i++) {
        sum += cost_of_step(op, steps[i], n) * (steps[i].kind == CHECK_OVERLAP ? 2 : 1);
    }
    return sum;
}

static void
each_instruction_costs_at_most_the_bound(void **state)
{
    (void)state;
    int64_t most = 0;
    for (int op = 0; op < OP_COUNT; op++) {
        int numbers, bytes;
        blob_instr_layout((Op)op, MASK_COUNT, &numbers, &bytes);
        int64_t slots = (bytes + SLOT_BYTES - 1) / SLOT_BYTES;
        int64_t each = (cost_of((Op)op) + slots - 1) / slots + 2 * LOOK_UPS;
        most = each > most ? each : most;
    }
    print_message("at most %d steps for a slot\n", (int)most);
    /* The bound is no guess. */
    assert_true(most <= WORK_OF_SLOT && most > WORK_OF_SLOT / 2);
}

#define HEAD                                                                             \
    "blob 1.0 Ascend310P3\nkernel \"k\" cores 1 steps 0\npeak UB 4096\n"                 \
    "arg \"x\" input float16 (2048)\nregion 0 \"x\" GM float16 arg 0\n"                  \
    "region 1 \"ub\" UB float16 at 0 bytes 4096\ncode\n"
#define MOVE                                                                             \
    "data_move dst=float16[1, 0] src=float16[0, 0] sid=0 nburst=1 burst=8 src_stride=0 " \
    "dst_stride=0 mode=0\n"

static bool
proves(const TikBlob *b, uint64_t budget, TikBlobProof *proof, TikBlobDiag *diag)
{
    TikBlobVerify with = {.bytes = tikblob_workspace(b, 0), .budget = budget};
    with.workspace = malloc(with.bytes);
    bool ok = tikblob_unproved(b, 0, &with, proof, diag);
    free(with.workspace);
    return ok;
}

static void
a_budget_refuses_what_costs_more(void **state)
{
    (void)state;
    Bin a = assemble(HEAD MOVE "r0 = add int32 1 2\n" MOVE MOVE "end\n");
    TikBlob b;
    TikBlobDiag diag;
    TikBlobProof proof, again;
    assert_true(tikblob_open(&b, a.p, a.n, &diag));
    assert_true(proves(&b, 0, &proof, &diag));
    assert_true(proof.work > 4 && proof.work <= tikblob_work(&b, 0));
    assert_true(proves(&b, proof.work, &again, &diag));
    assert_int_equal(proof.work, again.work);
    for (uint64_t budget = 1; budget < proof.work; budget++) {
        assert_false(proves(&b, budget, &again, &diag));
        assert_string_equal(diag.code, "budget");
        assert_int_equal(diag.allowed_hi, budget);
        assert_int_equal(diag.allowed_lo, 0);
        assert_int_equal(diag.seen_lo, diag.seen_hi);
        assert_true(diag.seen_lo > (int64_t)budget && diag.descriptor >= 0);
    }
    assert_true(proves(&b, UINT64_MAX, &again, &diag));
    assert_int_equal(tikblob_work(&b, 0), WORK_OF_SLOT * (3 * 3 + 1));
    free(a.p);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_instruction_costs_at_most_the_bound),
        cmocka_unit_test(a_budget_refuses_what_costs_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
