/* test_flag.c: checks queues and the flags between them (rules/flag.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rules/flag.h"

static CheckInstr
flag(Op op, const char *soc, int from, int to, int64_t id)
{
    CheckInstr in = {.op = op, .soc = soc_find(soc)};
    in.args[0].v = from;
    in.args[1].v = to;
    in.args[2].v = id;
    return in;
}

static Rule
broken(const CheckInstr *in)
{
    Fault f;
    return check_static(in, &f) && check_values(in, &f) ? RULE_NONE : f.rule;
}

/* Returns the rule that a step breaks. */
static Rule
stepped(Flags *flags, Op op, int from, int to, int64_t id)
{
    Fault f;
    CheckInstr in = flag(op, "Ascend310P3", from, to, id);
    return flag_step(flags, &in, NULL, &f) ? RULE_NONE : f.rule;
}

static void
ids_by_processor(void **state)
{
    (void)state;
    for (int i = 0; i < soc_count(); i++) {
        const Soc *soc = soc_at(i);
        int ids = strcmp(soc->family, "Ascend910") == 0 ? 4 : 8;
        assert_int_equal(flag_ids(soc), ids);
        for (int64_t id = -1; id <= ids; id++) {
            CheckInstr in = flag(OP_WAIT_FLAG, soc->name, PIPE_V, PIPE_S, id);
            assert_int_equal(broken(&in),
                             id < 0 || id == ids ? RULE_EVENT_ID : RULE_NONE);
        }
    }
}

static void
queues(void **state)
{
    (void)state;
    for (int from = -1; from <= PIPE_COUNT; from++) {
        for (int to = -1; to <= PIPE_COUNT; to++) {
            CheckInstr in = flag(OP_SET_FLAG, "Ascend910B1", from, to, 0);
            bool exist = from >= 0 && to >= 0 && from < PIPE_COUNT && to < PIPE_COUNT;
            assert_int_equal(broken(&in), !exist       ? RULE_PIPE
                                          : from == to ? RULE_SYNC_SAME_PIPE
                                                       : RULE_NONE);
        }
    }
    CheckInstr fix = flag(OP_SET_FLAG, "Ascend310P3", PIPE_M, PIPE_FIX, 0);
    assert_int_equal(broken(&fix), RULE_PIPE);
    CheckInstr all = {.op = OP_PIPE_BARRIER, .soc = soc_default()};
    all.args[0].v = PIPE_COUNT;
    assert_int_equal(broken(&all), RULE_NONE);
    all.args[0].v = PIPE_COUNT + 1;
    assert_int_equal(broken(&all), RULE_PIPE);
}

static void
one_bit_each(void **state)
{
    (void)state;
    Flags f = {0};
    assert_int_equal(stepped(&f, OP_WAIT_FLAG, PIPE_V, PIPE_MTE3, 2), RULE_SYNC_DEADLOCK);
    assert_int_equal(stepped(&f, OP_SET_FLAG, PIPE_V, PIPE_MTE3, 2), RULE_NONE);
    assert_int_equal(stepped(&f, OP_SET_FLAG, PIPE_V, PIPE_MTE3, 2),
                     RULE_SYNC_DOUBLE_SET);
    /* Another id, another direction, another pair. */
    assert_int_equal(stepped(&f, OP_WAIT_FLAG, PIPE_V, PIPE_MTE3, 3), RULE_SYNC_DEADLOCK);
    assert_int_equal(stepped(&f, OP_WAIT_FLAG, PIPE_MTE3, PIPE_V, 2), RULE_SYNC_DEADLOCK);
    assert_int_equal(stepped(&f, OP_SET_FLAG, PIPE_V, PIPE_MTE2, 2), RULE_NONE);
    assert_int_equal(stepped(&f, OP_WAIT_FLAG, PIPE_V, PIPE_MTE3, 2), RULE_NONE);
    assert_int_equal(stepped(&f, OP_WAIT_FLAG, PIPE_V, PIPE_MTE3, 2), RULE_SYNC_DEADLOCK);
    assert_int_equal(stepped(&f, OP_WAIT_FLAG, PIPE_V, PIPE_MTE2, 2), RULE_NONE);
}

/* Operands come from a blob that was not verified. */
static void
hostile_operands(void **state)
{
    (void)state;
    static const int64_t odd[] = {-1, 8, 64, INT64_MIN, INT64_MAX, (int64_t)1 << 40};
    Flags f = {0}, none = {0};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        assert_int_equal(stepped(&f, OP_SET_FLAG, PIPE_V, PIPE_S, odd[i]), RULE_EVENT_ID);
        CheckInstr in = flag(OP_SET_FLAG, "Ascend310P3", PIPE_V, PIPE_S, 0);
        Fault fault;
        in.args[i % 2].v = odd[i];
        assert_false(flag_step(&f, &in, NULL, &fault));
        assert_int_equal(fault.rule, RULE_PIPE);
    }
    assert_memory_equal(&f, &none, sizeof f);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_by_processor),
        cmocka_unit_test(queues),
        cmocka_unit_test(one_bit_each),
        cmocka_unit_test(hostile_operands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
