/* test_segment.c: compares segments that were joined (rules/segment.h) with those they
 * are made of: all small counts and pitches of two dimensions on both sides move the same
 * bytes to the same places in the same order, and no two segments that follow each other
 * on both sides throughout are left. */
#include "rules/segment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

enum {
    LEN = 32,
    MOST = 64 /* bytes in units of LEN that a side has */
};

static SegmentSide
side_of(int64_t inner, int64_t pitch, int64_t outer, int64_t far)
{
    SegmentSide s = {.dims = 0};
    segment_add(&s, inner, pitch);
    segment_add(&s, outer, far);
    segment_end(&s);
    return s;
}

/* Lists where the pieces of LEN bytes of all segments are, in their order. */
static int
list(const SegmentSide *s, int64_t len, int64_t out[MOST])
{
    int64_t outer = s->dims > 1 ? s->count[1] : 1;
    int n = 0;
    assert_true(s->dims >= 1 && s->dims <= 2);
    for (int64_t o = 0; o < outer; o++) {
        for (int64_t i = 0; i < s->count[0]; i++) {
            for (int64_t b = 0; b < len; b += LEN) {
                assert_true(n < MOST);
                out[n++] = (s->dims > 1 ? o * s->pitch[1] : 0) + i * s->pitch[0] + b;
            }
        }
    }
    return n;
}

static bool
follows(const SegmentSide *s, int64_t len, int64_t k)
{
    return s->pitch[0] == len && s->count[0] % k == 0;
}

static void
compare(SegmentSide dst, SegmentSide src, bool *joined)
{
    int64_t before[2][MOST], after[2][MOST];
    int n = list(&dst, LEN, before[0]);
    assert_int_equal(n, list(&src, LEN, before[1]));
    int64_t len = segment_flatten(&dst, &src, LEN);
    *joined = len > LEN;
    assert_int_equal(n, list(&dst, len, after[0]));
    assert_int_equal(n, list(&src, len, after[1]));
    assert_memory_equal(before[0], after[0], (size_t)n * sizeof before[0][0]);
    assert_memory_equal(before[1], after[1], (size_t)n * sizeof before[1][0]);
    for (int64_t k = 2; k <= n; k++) {
        assert_false(follows(&dst, len, k) && follows(&src, len, k));
    }
}

static void
all_small_sides(void **state)
{
    (void)state;
    int met = 0;
    for (int64_t i = 0; i < 6 * 6 * 2 * 2 * 2 * 2; i++) {
        int64_t n = 1 + i % 6, m = 1 + i / 6 % 6, total = n * m;
        int64_t near[2] = {LEN * (1 + i / 36 % 2), LEN * (1 + i / 72 % 2)};
        for (int64_t other = 1; other <= total; other++) {
            bool joined = false;
            if (total % other != 0) {
                continue;
            }
            compare(side_of(n, near[0], m, n * near[0] + LEN * (i / 144 % 2)),
                    side_of(other, near[1], total / other,
                            other * near[1] + LEN * (i / 288 % 2)),
                    &joined);
            met += joined;
        }
    }
    assert_true(met > 100);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_small_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
