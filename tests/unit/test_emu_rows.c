/* test_emu_rows.c: compares the loops of emu/rows.h at every level with plain
 * definitions, lane by lane, on numbers of which many are equal, zero of both signs,
 * infinite or NaN, at every number of lanes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "emu/rows.h"
#include "num/half.h"
#include "num/lanes.h"

enum {
    LANES = 128,
    ROUNDS = 300
};

static uint32_t seed = 1;

static uint32_t
next(void)
{
    seed = seed * 1664525 + 1013904223;
    return seed >> 8;
}

static int
levels(const RowTable *out[NUM_LEVELS])
{
    out[0] = &emu_rows_base;
    out[1] = &emu_rows_avx2;
    out[2] = &emu_rows_avx512;
    return (int)num_level() + 1;
}

static const uint16_t special[] = {0,      0x8000, 0x7c00, 0xfc00, 0x7e00, 0xfe01,
                                   0x7c01, 0x3c00, 0xbc00, 0x0001, 0x8001, 0x7bff};

/* Fills float16 and the float32 of the same values; some rounds are all NaN. */
static void
fill(uint16_t *h, float *f, int round)
{
    for (int i = 0; i < 2 * LANES; i++) {
        uint32_t r = next();
        h[i] = r % 3 == 0 ? (uint16_t)next() : special[r / 3 % 12];
        h[i] = round % 10 == 9 ? (uint16_t)(0x7c01 | (r & 0x81ff)) : h[i];
        f[i] = half_to_float(h[i]);
    }
}

static bool
holds(RowCondition c, float a, float b)
{
    return c == ROW_LT   ? a < b
           : c == ROW_GT ? a > b
           : c == ROW_GE ? a >= b
           : c == ROW_EQ ? a == b
           : c == ROW_NE ? a != b
                         : a <= b;
}

static void
compares_and_bits(void **state)
{
    (void)state;
    const RowTable *t[NUM_LEVELS];
    uint16_t h[2 * LANES], picked[LANES];
    float f[2 * LANES];
    for (int round = 0; round < ROUNDS; round++) {
        fill(h, f, round);
        for (int i = 0; i < levels(t); i++) {
            RowCondition c = (RowCondition)(round % ROW_CONDITIONS);
            uint8_t on[2][LANES], back[LANES], bits[LANES / 8] = {0};
            int n = round % LANES + 1;
            t[i]->relate[DT_F16][c](on[0], (uint8_t *)h, (uint8_t *)(h + LANES), n);
            t[i]->relate[DT_F32][c](on[1], (uint8_t *)f, (uint8_t *)(f + LANES), n);
            t[i]->select[1]((uint8_t *)picked, on[0], (uint8_t *)h,
                            (uint8_t *)(h + LANES), n);
            for (int k = 0; k < n; k++) {
                assert_int_equal(on[0][k], holds(c, f[k], f[LANES + k]));
                assert_int_equal(on[1][k], on[0][k]);
                assert_int_equal(picked[k], on[0][k] ? h[k] : h[LANES + k]);
            }
            n -= n % 8;
            t[i]->pack(bits, on[0], n);
            t[i]->unpack(back, bits, n);
            assert_memory_equal(back, on[0], (size_t)n);
            for (int k = 0; k < n; k++) {
                assert_int_equal(bits[k / 8] >> (k % 8) & 1, on[0][k]);
            }
        }
    }
}

/* Masks of each number of lanes and elements of each size, against the definition. */
static void
masks(void **state)
{
    (void)state;
    const RowTable *t[NUM_LEVELS];
    for (int round = 0; round < ROUNDS; round++) {
        int log = round % 4, size = 1 << log, most = 256 / size,
            n = 1 + round % (3 * most);
        RowMask m = {.lanes = round % 3 == 0 ? most : round % 3 == 1 ? 32 : 64};
        uint8_t a[3 * 256 + 64], b[sizeof a], bits[sizeof a / 8 + 8];
        for (size_t i = 0; i < sizeof a; i++) {
            a[i] = (uint8_t)next();
            b[i] = (uint8_t)next();
        }
        for (size_t i = 0; i < sizeof bits; i++) {
            bits[i] = (uint8_t)next();
        }
        for (int i = 0; i < m.lanes; i++) {
            m.on[i] = next() % 3 == 0;
            m.bits[i / 64] |= (uint64_t)m.on[i] << (i % 64);
        }
        for (int l = 0; l < levels(t); l++) {
            uint8_t masked[sizeof a], chosen[sizeof a];
            memcpy(masked, b, sizeof b);
            memcpy(chosen, b, sizeof b);
            t[l]->masked[log](masked, a, &m, n);
            t[l]->choose[log](chosen, bits, a, chosen, n);
            for (int i = 0; i < (int)sizeof a; i++) {
                int k = i / size;
                assert_int_equal(masked[i], k < n && m.on[k % m.lanes] ? a[i] : b[i]);
                assert_int_equal(chosen[i],
                                 k < n && bits[k / 8] >> (k % 8) & 1 ? a[i] : b[i]);
            }
        }
    }
}

static void
sums_of_neighbours(void **state)
{
    (void)state;
    const RowTable *t[NUM_LEVELS];
    uint16_t h[2 * LANES], halves[LANES];
    float f[2 * LANES], floats[LANES];
    for (int round = 0; round < ROUNDS; round++) {
        fill(h, f, round);
        for (int i = 0; i < levels(t); i++) {
            int n = round % LANES + 1;
            t[i]->pairs[DT_F16]((uint8_t *)halves, (uint8_t *)h, n);
            t[i]->pairs[DT_F32]((uint8_t *)floats, (uint8_t *)f, n);
            for (int k = 0; k < n; k++) {
                float sum = f[2 * k] + f[2 * k + 1];
                assert_int_equal(halves[k], half_from_float(sum));
                assert_int_equal(float_bits(floats[k]), float_bits_canonical(sum));
            }
        }
    }
}

/* The lane that wins in their order: NaN only if nothing else is there. */
static int
winner(const float *f, const uint8_t *on, int n, bool largest)
{
    int at = -1;
    for (int k = 0; k < n; k++) {
        if (on != NULL && !on[k]) {
            continue;
        }
        bool better = at >= 0 && (f[at] != f[at] ? f[k] == f[k]
                                  : largest      ? f[k] > f[at]
                                                 : f[k] < f[at]);
        at = at < 0 || better ? k : at;
    }
    return at;
}

static void
extremes(void **state)
{
    (void)state;
    const RowTable *t[NUM_LEVELS];
    uint16_t h[2 * LANES];
    float f[2 * LANES];
    uint8_t on[LANES];
    for (int round = 0; round < ROUNDS; round++) {
        fill(h, f, round);
        int n = round % LANES + 1, many = 0;
        bool largest = round % 2 == 0, masked = round % 3 != 0;
        for (int k = 0; k < LANES; k++) {
            on[k] = next() % 4 == 0;
        }
        int at = winner(f, masked ? on : NULL, n, largest);
        for (int k = 0; at >= 0 && k < n; k++) {
            many += (!masked || on[k]) && f[k] == f[at];
        }
        for (int i = 0; i < levels(t); i++) {
            RowExtreme e[2];
            const uint8_t *mask = masked ? on : NULL;
            t[i]->find[DT_F16](&e[0], (uint8_t *)h, mask, n, largest);
            t[i]->find[DT_F32](&e[1], (uint8_t *)f, mask, n, largest);
            for (int k = 0; k < 2; k++) {
                assert_int_equal(e[k].key == INT32_MIN, at < 0);
                assert_true(at < 0 || e[k].at == at);
                bool nan = at >= 0 && f[at] != f[at];
                assert_int_equal(e[k].key == ROW_NAN, nan);
                assert_true(at < 0 || nan || e[k].many == many);
            }
        }
    }
}

static void
extremes_of_blocks(void **state)
{
    (void)state;
    const RowTable *t[NUM_LEVELS];
    uint16_t h[2 * LANES], found[16];
    float f[2 * LANES], floats[32];
    for (int round = 0; round < ROUNDS; round++) {
        fill(h, f, round);
        bool largest = round % 2 == 0;
        int n = round % 16 + 1;
        for (int i = 0; i < levels(t); i++) {
            t[i]->blocks[DT_F16]((uint8_t *)found, (uint8_t *)h, n, largest);
            t[i]->blocks[DT_F32]((uint8_t *)floats, (uint8_t *)f, 2 * n, largest);
            for (int b = 0; b < n; b++) {
                int at = 16 * b + winner(f + 16 * b, NULL, 16, largest);
                assert_int_equal(found[b], f[at] == f[at] ? h[at] : HALF_NAN);
            }
            for (int b = 0; b < 2 * n; b++) {
                int at = 8 * b + winner(f + 8 * b, NULL, 8, largest);
                assert_int_equal(float_bits(floats[b]), float_bits_canonical(f[at]));
            }
        }
    }
}

enum {
    ROOM = 16384 /* bytes in which blocks are */
};

/* Both copies, byte by byte: gather reads what scatter writes. */
static void
copies_of_blocks(const RowStrides *s, int64_t repeats, const RowTable *t)
{
    static uint8_t wide[ROOM], dense[ROOM], got[ROOM], want[ROOM];
    for (int i = 0; i < ROOM; i++) {
        wide[i] = (uint8_t)next();
        dense[i] = (uint8_t)next();
    }
    memcpy(got, dense, ROOM);
    memcpy(want, dense, ROOM);
    t->gather(got, wide, s, repeats);
    for (int64_t r = 0; r < repeats; r++) {
        for (int64_t i = 0; i < s->each; i++) {
            want[r * s->dense + i] = wide[r * s->rep + i / 32 * s->blk + i % 32];
        }
    }
    assert_memory_equal(got, want, ROOM);
    memcpy(got, wide, ROOM);
    memcpy(want, wide, ROOM);
    t->scatter(got, dense, s, repeats);
    for (int64_t r = 0; r < repeats; r++) {
        for (int64_t i = 0; i < s->each; i++) {
            want[r * s->rep + i / 32 * s->blk + i % 32] = dense[r * s->dense + i];
        }
    }
    assert_memory_equal(got, want, ROOM);
}

static void
blocks_apart(void **state)
{
    (void)state;
    const RowTable *t[NUM_LEVELS];
    for (int round = 0; round < 4 * ROUNDS; round++) {
        int64_t blk = 32 * (next() % 4), each = 1 + next() % 256, repeats = next() % 6;
        int64_t blocks = (each + 31) / 32;
        /* every third time all blocks are as far apart */
        RowStrides s = {blk, 32 * (next() % 40), each, 256};
        if (round % 3 == 0) {
            s = (RowStrides){blk, blk * blocks, 32 * blocks, 32 * blocks};
        }
        for (int i = 0; i < levels(t); i++) {
            copies_of_blocks(&s, repeats, t[i]);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compares_and_bits),
        cmocka_unit_test(sums_of_neighbours),
        cmocka_unit_test(extremes),
        cmocka_unit_test(extremes_of_blocks),
        cmocka_unit_test(masks),
        cmocka_unit_test(blocks_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
