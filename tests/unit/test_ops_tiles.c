/* Tests ops/tiles.h: every level of the vector unit transposes tiles as the definition
 * says, element by element, repeats apart and in place, blocks in order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "num/lanes.h"
#include "ops/tiles.h"

enum {
    ROOM = 1 << 15,
    MOST = 9 /* repeats */
};

static const TilesTable *const tables[NUM_LEVELS] = {&tiles_base, &tiles_avx2,
                                                     &tiles_avx512};

/* The tile of a repeat: all rows are read, then block i has elements of column
 * i * block / 16, rows from 0 or 8 on. */
static void
define(int size, const OpTiles *t, int64_t r)
{
    int wide = size == 1 ? 16 : 32, columns = wide / size;
    uint8_t flat[TILE_ROWS * 32];
    for (int row = 0; row < TILE_ROWS; row++) {
        for (int c = 0; c < columns; c++) {
            memcpy(flat + (c * TILE_ROWS + row) * size,
                   t->src[row] + r * t->src_step + c * size, (size_t)size);
        }
    }
    for (int i = 0; i < TILE_ROWS; i++) {
        memcpy(t->dst[i] + r * t->dst_step, flat + i * wide, (size_t)wide);
    }
}

/* Runs both on copies of random bytes. */
static void
compare(int size, OpTilesFn *fn, const int *dst, const int *src, OpTiles t)
{
    static uint8_t expected[ROOM], got[ROOM];
    for (int i = 0; i < ROOM; i++) {
        expected[i] = got[i] = (uint8_t)rand();
    }
    for (int pass = 0; pass < 2; pass++) {
        uint8_t *memory = pass == 0 ? expected : got;
        for (int i = 0; i < TILE_ROWS; i++) {
            t.dst[i] = memory + dst[i];
            t.src[i] = memory + src[i];
        }
        for (int64_t r = 0; pass == 0 && r < t.n; r++) {
            define(size, &t, r);
        }
        if (pass == 1) {
            fn(&t);
        }
    }
    assert_memory_equal(expected, got, ROOM);
}

static void
all_shapes(int size, OpTilesFn *fn)
{
    int dst[TILE_ROWS], src[TILE_ROWS];
    for (int n = 0; n <= MOST; n++) {
        for (int i = 0; i < TILE_ROWS; i++) {
            dst[i] = ROOM / 2 + (n % 3 == 2 ? i / 2 : i) * 512; /* some meet */
            src[i] = rand() % 200 * 32;
        }
        compare(
            size, fn, dst, src,
            (OpTiles){.n = n, .dst_step = 32 * (n % 2), .src_step = 64, .apart = true});
        compare(size, fn, dst, src,
                (OpTiles){.n = n,
                          .dst_step = 32 * (n % 2),
                          .src_step = 32,
                          .ahead = 4096,
                          .apart = true});
        for (int i = 0; i < TILE_ROWS; i++) {
            dst[i] = src[i] = i * 32;
        }
        compare(size, fn, dst, src,
                (OpTiles){.n = n, .dst_step = 64, .src_step = 96, .apart = false});
    }
}

static void
test_levels(void **state)
{
    (void)state;
    for (int level = 0; level <= (int)num_level(); level++) {
        all_shapes(1, tables[level]->of8);
        all_shapes(2, tables[level]->of16);
        all_shapes(4, tables[level]->of32);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_levels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
