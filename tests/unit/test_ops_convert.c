/* test_ops_convert.c: conversions of vector lanes whose results overlap what they are
 * made of: all elements of a repeat are read before any is written, and repeats are
 * executed in order (tikcode.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/isa.h"
#include "num/half.h"
#include "tikcode.h"

enum {
    LANES = 64,
    REPEATS = 3,
    ROOM = 4096
};

/* Executes the definition: each repeat from a copy. */
static void
by_definition(const TikConvert *c, uint8_t *dst, const uint8_t *src, int64_t dst_step,
              int64_t src_step)
{
    for (int r = 0; r < REPEATS; r++) {
        uint8_t from[LANES * 4], to[LANES * 4];
        bool widens = c->dst == DT_F32;
        memcpy(from, src + r * src_step, sizeof from);
        for (int i = 0; i < LANES; i++) {
            uint16_t half;
            uint32_t word;
            if (widens) {
                memcpy(&half, from + 2 * i, 2);
                word = float_bits(half_to_float(half));
                memcpy(to + 4 * i, &word, 4);
            } else {
                memcpy(&word, from + 4 * i, 4);
                half = half_from_float(float_of_bits(word));
                memcpy(to + 2 * i, &half, 2);
            }
        }
        memcpy(dst + r * dst_step, to, (size_t)LANES * (widens ? 4 : 2));
    }
}

static void
fill(uint8_t *room, bool halves)
{
    for (int i = 0; i < ROOM / 4; i++) {
        uint32_t word = halves ? 0x3c004000u + 0x00100020u * (uint32_t)(i % 97)
                               : float_bits((float)(i % 1000) - 500);
        memcpy(room + 4 * (ptrdiff_t)i, &word, 4);
    }
}

static void
overlaps(void **state)
{
    (void)state;
    static const int64_t steps[][2] = {
        {256, 128}, {128, 256}, {0, 0}, {32, 64}, {256, 256}};
    for (int widens = 0; widens < 2; widens++) {
        TikConvert c = {.dst = widens ? DT_F32 : DT_F16,
                        .src = widens ? DT_F16 : DT_F32,
                        .round = ROUND_NONE,
                        .lanes = LANES};
        for (int k = 0; k < 5 * 9; k++) {
            uint8_t room[ROOM], expected[ROOM];
            const int64_t *step = steps[k % 5];
            int64_t dst = 1024 + (k / 5 - 4) * (int64_t)32, src = 1024;
            fill(room, widens);
            memcpy(expected, room, ROOM);
            by_definition(&c, expected + dst, expected + src, step[0], step[1]);
            tikrt_convert(&c, room + dst, room + src, REPEATS, step[0], step[1], 1);
            if (memcmp(room, expected, ROOM) != 0) {
                fail_msg("to float%d, %lld bytes before, steps %lld and %lld",
                         widens ? 32 : 16, (long long)(src - dst), (long long)step[0],
                         (long long)step[1]);
            }
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overlaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
