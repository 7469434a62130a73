/* test_ir_memory.c: checks the sets of bytes that init uses (passes/interval_set.h); the
 * passes init and blocks themselves are tested by tests/lit/passes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "passes/interval_set.h"
#include "random.h"

/* ---- sets of bytes ------------------------------------------------------- */

static void
bytesets_against_bitmaps(void **state)
{
    (void)state;
    Arena a;
    arena_init(&a);
    uint64_t seed = 3;
    for (int round = 0; round < 200; round++) {
        ByteSet s[2] = {{0}, {0}};
        bool bits[2][128] = {{0}};
        for (int i = 0; i < 24; i++) {
            random_next(&seed);
            int which = (int)(seed >> 60 & 1);
            int lo = (int)(seed >> 33) % 120;
            int hi = lo + 1 + (int)(seed >> 50) % 8;
            s[which] = byteset_add(&a, s[which], (ByteRange){lo, hi}, BYTESET_DROP);
            for (int b = lo; b < hi; b++) {
                bits[which][b] = true;
            }
        }
        ByteSet both = byteset_meet(&a, s[0], s[1]);
        for (int b = 0; b < 128; b++) {
            ByteRange one = {b, b + 1};
            assert_int_equal(byteset_covers(s[0], one), bits[0][b]);
            assert_int_equal(byteset_covers(both, one), bits[0][b] && bits[1][b]);
            int end = b;
            while (end < 128 && bits[0][end]) {
                end++;
            }
            int next = end;
            while (next < 128 && !bits[0][next]) {
                next++;
            }
            ByteRange gap;
            assert_int_equal(byteset_gap(s[0], (ByteRange){b, 128}, &gap), end < 128);
            if (end < 128) {
                assert_true(gap.lo == end && gap.hi == next);
            }
        }
    }
    arena_free(&a);
}

static void
bytesets_stay_small(void **state)
{
    (void)state;
    Arena a;
    arena_init(&a);
    ByteSet less = {0};
    ByteSet more = {0};
    for (int64_t i = 0; i < 1000; i++) {
        ByteRange r = {i * 10, i * 10 + 1 + i % 3};
        less = byteset_add(&a, less, r, BYTESET_DROP);
        more = byteset_add(&a, more, r, BYTESET_FILL);
    }
    assert_true(less.n <= BYTESET_MAX && more.n <= BYTESET_MAX);
    for (int64_t i = 0; i < 1000; i++) {
        assert_true(byteset_covers(more, (ByteRange){i * 10, i * 10 + 1 + i % 3}));
        assert_false(byteset_covers(less, (ByteRange){i * 10, i * 10 + 4}));
    }
    arena_free(&a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytesets_against_bitmaps),
        cmocka_unit_test(bytesets_stay_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
