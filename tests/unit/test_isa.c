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

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_start_as_their_rows_say),
        cmocka_unit_test(granules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
