/* test_ops_gather.c: compares the tables of fetched and packed lanes of all levels with
 * each other and with plain loops. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/isa.h"
#include "num/lanes.h"
#include "ops/gather.h"
#include "random.h"

enum {
    LANES = 200,
    FIELD = 1000, /* in bytes */
    ROUNDS = 300
};

/* Returns the levels of this processor. */
static int
tables(const GatherTable *out[2])
{
    out[0] = &gather_base;
    out[1] = &gather_avx512;
    return num_level() >= NUM_LEVEL_AVX512 ? 2 : 1;
}

static void
expect_fetched(GatherFetch *fetch, const uint8_t *field, const uint32_t *offsets, int n,
               int size)
{
    uint8_t out[LANES * 4 + 8];
    memset(out, 0x5a, sizeof out);
    assert_true(fetch(out, field, offsets, n, (uint32_t)(FIELD - size)));
    for (int i = 0; i < n; i++) {
        assert_memory_equal(out + i * size, field + offsets[i], (size_t)size);
    }
    assert_int_equal(out[n * size], 0x5a);
}

static void
fetches_what_is_inside(void **unused)
{
    (void)unused;
    const GatherTable *all[2];
    uint8_t field[FIELD + 2];
    uint32_t offsets[LANES];
    for (size_t i = 0; i < sizeof field; i++) {
        field[i] = (uint8_t)any_bits();
    }
    for (int round = 0; round < ROUNDS; round++) {
        int n = 1 + (int)(any_bits() % LANES), bad = (int)(any_bits() % (unsigned)n);
        for (int i = 0; i < n; i++) {
            offsets[i] = any_bits() % (FIELD / 4) * 4;
        }
        for (int t = tables(all) - 1; t >= 0; t--) {
            uint8_t out[LANES * 4];
            uint32_t good = offsets[bad];
            expect_fetched(all[t]->fetch16, field, offsets, n, 2);
            expect_fetched(all[t]->fetch32, field, offsets, n, 4);
            offsets[bad] = FIELD;
            assert_false(all[t]->fetch16(out, field, offsets, n, FIELD - 2));
            assert_false(all[t]->fetch32(out, field, offsets, n, FIELD - 4));
            offsets[bad] = UINT32_MAX - 3;
            assert_false(all[t]->fetch32(out, field, offsets, n, FIELD - 4));
            offsets[bad] = 2;
            assert_true(all[t]->fetch16(out, field, offsets, n, FIELD - 2));
            assert_false(all[t]->fetch32(out, field, offsets, n, FIELD - 4));
            offsets[bad] = good;
        }
    }
}

static void
expect_packed(GatherPack *pack, const uint8_t *in, const uint8_t *bits, int n, int size)
{
    uint8_t out[LANES * 4 + GATHER_SLACK], want[LANES * 4];
    int k = 0;
    for (int i = 0; i < n; i++) {
        if (bits[i / 8] >> (i % 8) & 1) {
            memcpy(want + k++ * size, in + i * size, (size_t)size);
        }
    }
    assert_int_equal(pack(out, in, bits, n), k);
    assert_memory_equal(out, want, (size_t)(k * size));
}

static void
packs_by_bits(void **unused)
{
    (void)unused;
    const GatherTable *all[2];
    uint8_t in[LANES * 4], bits[LANES / 8];
    for (int round = 0; round < ROUNDS; round++) {
        int n = 1 + (int)(any_bits() % LANES);
        for (size_t i = 0; i < sizeof in; i++) {
            in[i] = (uint8_t)any_bits();
        }
        for (size_t i = 0; i < sizeof bits; i++) {
            bits[i] = (uint8_t)(round % 3 == 0 ? any_bits() : round % 3 == 1 ? 0xff : 0);
        }
        for (int t = tables(all) - 1; t >= 0; t--) {
            expect_packed(all[t]->pack8, in, bits, n, 1);
            expect_packed(all[t]->pack16, in, bits, n, 2);
            expect_packed(all[t]->pack32, in, bits, n, 4);
        }
    }
}

/* The end of the previous form shows where the rows of a form begin in form.def. */
static void
every_form_has_operands(void **unused)
{
    (void)unused;
    const ParamInfo *end = NULL;
    for (int f = 0; f < FORM_COUNT; f++) {
        int n;
        const ParamInfo *p = form_params((Form)f, &n);
        assert_true(n > 0);
        assert_true(end == NULL || p == end);
        end = p + n;
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fetches_what_is_inside),
        cmocka_unit_test(packs_by_bits),
        cmocka_unit_test(every_form_has_operands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
