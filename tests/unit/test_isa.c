/* test_isa.c: what the tables of runtime/isa say in words is what its functions compute:
 * special registers when a core starts, the bytes that belong to a tensor. */
#include "isa/isa.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Writes the first value of a register, a number in hexadecimal, lowest byte first. */
static void
put_start(uint8_t *at, const char *start, uint32_t core)
{
    if (strcmp(start, "index of the core") == 0) {
        memcpy(at, &core, sizeof core);
        return;
    }
    size_t n = strlen(start);
    uint64_t v = strtoull(start, NULL, 16);
    for (size_t i = 0; i < n / 2; i++) {
        at[i] = (uint8_t)(v >> 8 * i);
    }
}

static void
registers_start_as_their_rows_say(void **state)
{
    (void)state;
    uint8_t want[SREG_BYTES] = {0}, sreg[SREG_BYTES];
#define SREG(id, at, holds, start, meaning) put_start(want + (at), start, 0x01020304);
#include "isa/sreg.def"
    memset(sreg, 0x55, sizeof sreg);
    sreg_reset(sreg, 0x01020304);
    assert_memory_equal(sreg, want, SREG_BYTES);
}

/* A global array has a block more than its last one: transfers read whole blocks. */
static void
granules(void **state)
{
    (void)state;
    static const struct {
        Scope s;
        bool table;
        int64_t bytes, granule;
    } cases[] = {
        {SC_GM, false, 0, 32},
        {SC_GM, true, 0, 0},
        {SC_GM, false, -1, 32},
        {SC_UB, false, -1, 0},
        {SC_GM, false, 1, 64},
        {SC_GM, false, 32, 64},
        {SC_GM, false, 33, 96},
        {SC_GM, true, 33, 64},
        {SC_UB, false, 1, 32},
        {SC_UB, false, 32, 32},
        {SC_L1, false, 33, 64},
        {SC_L0A, false, 33, 33},
        {SC_UB, false, 0, 0},
        {SC_L0C, false, 0, 0},
        {SC_GM, true, 32, 32},
        {SC_GM, false, INT64_MAX - 64, INT64_MAX - 63 + 32},
        {SC_GM, false, INT64_MAX - 63, INT64_MAX - 63},
        {SC_GM, false, INT64_MAX, INT64_MAX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t n = scope_granule(cases[i].s, cases[i].table, cases[i].bytes);
        if (n != cases[i].granule) {
            fail_msg("case %d: %lld bytes", (int)i, (long long)n);
        }
    }
}

/* The 910_95 has paths of rows of its own besides those of its cores. */
static void
paths_of_the_910_95(void **state)
{
    (void)state;
    static const struct {
        Scope src, dst;
    } own[] = {
#define PATH_950(src, dst) {SC_##src, SC_##dst},
#include "isa/path.def"
    };
    const Soc *soc = soc_find("Ascend910_95");
    assert_non_null(soc);
    int rows = 0;
    for (int i = 0; i < SC_COUNT * SC_COUNT; i++) {
        Scope src = (Scope)(i / SC_COUNT), dst = (Scope)(i % SC_COUNT);
        const PathInfo *p = path_find(src, dst);
        bool has = p != NULL && soc_on(soc, p->cores);
        for (size_t j = 0; j < sizeof own / sizeof own[0]; j++) {
            has = has || (own[j].src == src && own[j].dst == dst);
        }
        assert_int_equal(soc_has_path(soc, src, dst), has);
        rows += has;
    }
    assert_true(rows > 0 && rows < SC_COUNT * SC_COUNT / 2);
}

/* A processor that has an operation for some type has the operation. */
static void
operations_of_processors(void **state)
{
    (void)state;
    for (int i = 0; i < OP_COUNT * soc_count(); i++) {
        Op op = (Op)(i / soc_count());
        const Soc *soc = soc_at(i % soc_count());
        for (int t = DT_NONE + 1; t < DT_COUNT; t++) {
            if (op_has_dtype(op, (Dtype)t, soc)) {
                assert_true(op_on_soc(op, soc));
            }
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_start_as_their_rows_say),
        cmocka_unit_test(operations_of_processors),
        cmocka_unit_test(granules),
        cmocka_unit_test(paths_of_the_910_95),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
