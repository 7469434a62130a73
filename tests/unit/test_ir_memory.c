/* test_ir_memory.c: the passes that reason about bytes, on IR text: init (what was never written) and
 * blocks (what two cores touch). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "passes/interval_set.h"
#include "passes/passes.h"

#define HEAD "kernel k soc=Ascend310P3 {\nin %g: float16[65536]\nout %o: float16[65536]\n"
#define MOVE(d, s, n)                                                                    \
    "data_move dst=" d ":float16 src=" s ":float16 sid=0 nburst=1 burst=" n              \
    " src_stride=0 dst_stride=0 mode=0\n"
#define ADDS(m, d, s)                                                                    \
    "vec_adds mask=" m " dst=" d ":float16 src=" s ":float16 scalar=1.0 repeat_times=1 " \
    "dst_rep_stride=8 src_rep_stride=8\n"
#define DUP(m, d, r)                                                                     \
    "vec_dup mask=" m " dst=" d ":float16 scalar=0.0 repeat_times=" r                    \
    " dst_rep_stride=8\n"

typedef struct Result {
    bool flag;      /* may_read_uninit or blocks_ordered */
    char text[400]; /* first line of the diagnostics */
} Result;

static Result
run(const char *text, bool (*pass)(Kernel *))
{
    Result r = {0};
    Unit *u = malloc(sizeof *u);
    unit_init(u);
    Kernel *k = ir_parse(u, unit_add_source(u, "t.ir", text, strlen(text)));
    Text t;
    text_init(&t, &u->arena);
    if (k) {
        assert_true(pass(k));
        r.flag = pass == pass_init ? k->may_read_uninit : k->blocks_ordered;
    }
    diag_render_all(u, DIAG_TEXT, &t);
    if (!k) {
        fail_msg("%s", t.p);
    }
    t.p[strcspn(t.p, "\n")] = 0;
    snprintf(r.text, sizeof r.text, "%s", t.p);
    kernel_free(k);
    unit_free(u);
    free(u);
    return r;
}

static void
init_is(const char *text, bool may_read_uninit, const char *warning)
{
    Result r = run(text, pass_init);
    if (r.flag != may_read_uninit) {
        fail_msg("may_read_uninit is %d:\n%s", r.flag, text);
    }
    assert_string_equal(r.text, warning);
}

static void
blocks_are(const char *text, bool ordered, const char *warning)
{
    Result r = run(text, pass_blocks);
    if (r.flag != ordered) {
        fail_msg("blocks_ordered is %d:\n%s", r.flag, text);
    }
    assert_string_equal(r.text, warning);
}

/* ---- init ------------------------------------------------------------------------------------------ */

static void
tiled_kernels_are_proved(void **state)
{
    (void)state;
    init_is(HEAD "for @i: int32 = 0 to 64 {\n alloc %a: float16[128] UB alloc %b: "
                 "float16[128] UB\n" MOVE("%a+0", "%g+(int64(@i) * 256)", "8")
                     ADDS("128", "%b+0", "%a+0")
                         MOVE("%o+(int64(@i) * 256)", "%b+0", "8") "} }",
            false, "");
    init_is(HEAD
            "alloc %a: float16[128] UB\nfor @i: int32 = 0 to 64 block_num=64 {\n" MOVE(
                "%a+0", "%g+(int64(@i) * 256)", "8") ADDS("128", "%a+0", "%a+0")
                MOVE("%o+(int64(@i) * 256)", "%a+0", "8") "} }",
            false, "");
}

static void
reads_at_loop_offsets(void **state)
{
    (void)state;
    /* written and read at the same varying place */
    init_is(HEAD "alloc %a: float16[1024] UB\nfor @i: int32 = 0 to 8 {\n" MOVE(
                "%a+(int64(@i) * 256)", "%g+0", "8")
                ADDS("128", "%a+(int64(@i) * 256)", "%a+(int64(@i) * 256)") "} }",
            false, "");
    /* filled by a loop, read whole behind it */
    init_is(HEAD "alloc %a: float16[1024] UB\nfor @i: int32 = 0 to 8 {\n" MOVE(
                "%a+(int64(@i) * 256)", "%g+0", "8") "}\n" MOVE("%o+0", "%a+0", "64") "}",
            false, "");
    /* one short */
    init_is(HEAD "alloc %a: float16[1024] UB\nfor @i: int32 = 0 to 7 {\n" MOVE(
                "%a+(int64(@i) * 256)", "%g+0", "8") "}\n" MOVE("%o+0", "%a+0", "64") "}",
            true, "");
    /* backwards, nested, and read by rows inside the outer loop */
    init_is(HEAD
            "alloc %a: float16[16, 128] UB\nfor @i: int32 = 0 to 4 {\n"
            "for @j: int32 = 0 to 4 {\n" MOVE(
                "%a+((int64(@i) * 1024) + (768 - (int64(@j) * 256)))", "%g+0",
                "8") "}\n" ADDS("128", "%a+0",
                                "%a+((int64(@i) * 1024) + 256)") "}\n" MOVE("%o+0",
                                                                            "%a+0",
                                                                            "128") "}",
            false, "");
    /* every second row: the gaps stay */
    init_is(
        HEAD "alloc %a: float16[16, 128] UB\nfor @i: int32 = 0 to 4 {\n" MOVE(
            "%a+(int64(@i) * 512)", "%g+0", "8") "}\n" ADDS("128", "%a+0", "%a+512") "}",
        false, "");
    init_is(
        HEAD "alloc %a: float16[16, 128] UB\nfor @i: int32 = 0 to 4 {\n" MOVE(
            "%a+(int64(@i) * 512)", "%g+0", "8") "}\n" ADDS("128", "%a+0", "%a+256") "}",
        true, "");
    /* a place that a register decides is anywhere */
    init_is(HEAD "reg $s: int64 alloc %a: float16[128] UB\n$s = load %g+0:int64\n" DUP(
                "128", "%a+0", "1") ADDS("16", "%a+0", "%a+(($s % 4) * 32)") "}",
            false, "");
    init_is(HEAD "reg $s: int64 alloc %a: float16[128] UB\n$s = load %g+0:int64\n" MOVE(
                "%a+($s * 32)", "%g+0", "1") ADDS("16", "%a+0", "%a+($s * 32)") "}",
            true, "");
}

static void
certainly_uninitialised_reads_warn(void **state)
{
    (void)state;
    init_is(HEAD "alloc %a: float16[128] UB\n" ADDS("128", "%a+0", "%a+0") "}", true,
            "t.ir:5:40: warning: vec_adds reads bytes 0 to 255 of 'a', which nothing has "
            "written "
            "before (float16 elements 0 to 127) [uninit]");
    init_is(HEAD "alloc %a: float16[128] UB\n" DUP("64", "%a+0", "1")
                ADDS("128", "%a+0", "%a+0") "}",
            true,
            "t.ir:6:40: warning: vec_adds reads bytes 128 to 255 of 'a', which nothing "
            "has written "
            "before (float16 elements 64 to 127) [uninit]");
    init_is(HEAD "reg $s: float16 alloc %a: float16[128] UB\n$s = load %a+6:float16\n}",
            true,
            "t.ir:5:1: warning: the load of a scalar reads bytes 6 to 7 of 'a', which "
            "nothing has "
            "written before (float16 elements 3 to 3) [uninit]");
    /* an accumulator that no one clears, in its first iteration */
    init_is(HEAD "alloc %a: float16[128] UB\nfor @i: int32 = 0 to 8 {\n" ADDS(
                "128", "%a+0", "%a+0") "} }",
            true,
            "t.ir:6:40: warning: vec_adds reads bytes 0 to 255 of 'a', which nothing has "
            "written "
            "before (float16 elements 0 to 127) [uninit]");
    /* what an earlier iteration wrote ends with the buffer */
    init_is(HEAD "for @i: int32 = 0 to 8 {\nalloc %a: float16[128] UB\n" ADDS(
                "128", "%a+0", "%a+0") "} }",
            true,
            "t.ir:6:40: warning: vec_adds reads bytes 0 to 255 of 'a', which nothing has "
            "written "
            "before (float16 elements 0 to 127) [uninit]");
}

static void
possible_writes_do_not_warn(void **state)
{
    (void)state;
    /* moves copy what is there */
    init_is(HEAD "alloc %a: float16[128] UB\n" MOVE("%o+0", "%a+0", "8") "}", true, "");
    /* written on one path */
    init_is(HEAD "reg $s: int32 alloc %a: float16[128] UB\nif ($s < 1) {\n" DUP(
                "128", "%a+0", "1") "}\n" ADDS("128", "%a+0", "%a+0") "}",
            true, "");
    /* written on both */
    init_is(HEAD "reg $s: int32 alloc %a: float16[128] UB\nif ($s < 1) {\n" DUP(
                "128", "%a+0", "1") "} else {\n" MOVE("%a+0", "%g+0",
                                                      "8") "}\n" ADDS("128", "%a+0",
                                                                      "%a+0") "}",
            false, "");
    /* the iteration before wrote it */
    init_is(HEAD
            "alloc %a: float16[128] UB\nfor @i: int32 = 0 to 8 {\nif (@i > 0) {\n" ADDS(
                "128", "%a+0", "%a+0") "}\n" DUP("128", "%a+0", "1") "} }",
            true, "");
    init_is(HEAD "alloc %a: float16[128] UB\nfor @i: int32 = 0 to 8 {\n"
                 "if (@i == 0) { if (@i < 5) { continue } }\n" ADDS("128", "%a+0", "%a+0")
                     DUP("128", "%a+0", "1") "} }",
            true, "");
    /* an inner loop without an iteration the first time */
    init_is(HEAD
            "alloc %a: float16[128] UB\nfor @i: int32 = 0 to 8 {\nfor @j: int32 = 0 to "
            "@i {\n" ADDS("128", "%a+0", "%a+0") "}\n" DUP("128", "%a+0", "1") "} }",
            true, "");
    /* a loop that need not run */
    init_is(HEAD
            "reg $s: int32 alloc %a: float16[128] UB\nfor @i: int32 = 0 to $s {\n" DUP(
                "128", "%a+0", "1") "}\n" ADDS("128", "%a+0", "%a+0") "}",
            true, "");
    /* a mask with holes reads not every byte */
    init_is(HEAD "alloc %a: float16[128] UB\n" DUP("[0, 1]", "%a+0", "1")
                ADDS("[0, 5]", "%a+0", "%a+0") "}",
            true, "");
}

static void
jumps_end_paths(void **state)
{
    (void)state;
    /* the other branch goes on */
    init_is(
        HEAD
        "reg $s: int32 alloc %a: float16[128] UB\nif ($s < 1) { return } else {\n" DUP(
            "128", "%a+0", "1") "}\n" ADDS("128", "%a+0", "%a+0") "}",
        false, "");
    /* behind a loop that may end early nothing is certain */
    init_is(HEAD "reg $s: int32 alloc %a: float16[128] UB\nfor @i: int32 = 0 to 8 {\n"
                 "if ($s < 1) { break }\n" DUP("128", "%a+0",
                                               "1") "}\n" ADDS("128", "%a+0", "%a+0") "}",
            true, "");
    /* inside it is */
    init_is(HEAD
            "reg $s: int32 alloc %a: float16[128] UB\nfor @i: int32 = 0 to 8 {\n" DUP(
                "128", "%a+0", "1") "if ($s < 1) { break }\n" ADDS("128", "%a+0",
                                                                   "%a+0") "} }",
            false, "");
}

static void
strides_and_repeats(void **state)
{
    (void)state;
    /* two repeats with a gap of one block between them */
    const char *gap = HEAD
        "alloc %a: float16[512] UB\n"
        "vec_dup mask=64 dst=%a+0:float16 scalar=0.0 repeat_times=2 dst_rep_stride=5\n"
        "vec_abs mask=64 dst=%a+0:float16 src=%a+0:float16 repeat_times=2 "
        "dst_rep_stride=5 src_rep_stride=5\n}";
    init_is(gap, false, "");
    init_is(
        HEAD
        "alloc %a: float16[512] UB\n"
        "vec_dup mask=64 dst=%a+0:float16 scalar=0.0 repeat_times=2 dst_rep_stride=5\n"
        "vec_abs mask=64 dst=%a+0:float16 src=%a+0:float16 repeat_times=2 "
        "dst_rep_stride=5 src_rep_stride=4\n}",
        true,
        "t.ir:6:38: warning: vec_abs reads bytes 128 to 159 of 'a', which nothing has "
        "written "
        "before (float16 elements 64 to 79) [uninit]");
}

/* ---- blocks -------------------------------------------------------------------------------------------- */

#define BLOCKS HEAD "alloc %a: float16[1024] UB\nfor @b: int32 = 0 to 8 block_num=8 {\n"

static void
tiles_are_disjoint(void **state)
{
    (void)state;
    blocks_are(BLOCKS MOVE("%o+(int64(@b) * 256)", "%a+0", "8") "} }", false, "");
    /* inner loop over the tile of a block */
    blocks_are(BLOCKS "for @i: int32 = 0 to 4 {\n" MOVE(
                   "%o+((int64(@b) * 1024) + (int64(@i) * 256))", "%a+0", "8") "} } }",
               false, "");
    /* rows dealt out to the blocks */
    blocks_are(BLOCKS "for @i: int32 = 0 to 4 {\n" MOVE(
                   "%o+((int64(@i) * 2048) + (int64(@b) * 256))", "%a+0", "8") "} } }",
               false, "");
    blocks_are(BLOCKS "for @i: int32 = 0 to 4 {\n" MOVE(
                   "%o+(((int64(@i) * 8) + int64(@b)) * 256)", "%a+0", "8") "} } }",
               false, "");
    /* the same, unrolled */
    blocks_are(BLOCKS MOVE("%o+(int64(@b) * 256)", "%a+0", "8")
                   MOVE("%o+((int64(@b) * 256) + 2048)", "%a+0", "8")
                       MOVE("%o+((int64(@b) * 256) + 8192)", "%a+0", "8") "} }",
               false, "");
    /* columns: bursts with strides */
    blocks_are(
        BLOCKS
        "data_move dst=%o+(int64(@b) * 64):float16 src=%a+0:float16 sid=0 nburst=8 "
        "burst=2 src_stride=0 dst_stride=14 mode=0\n} }",
        false, "");
    /* in place: each block reads and writes its own */
    blocks_are(BLOCKS MOVE("%a+0", "%o+(int64(@b) * 256)", "8")
                   MOVE("%o+(int64(@b) * 256)", "%a+0", "8") "} }",
               false, "");
    /* reads of what no one writes */
    blocks_are(
        HEAD "alloc %a: float16[1024] UB\n" MOVE(
            "%a+0", "%g+0",
            "8") "for @b: int32 = 0 to 8 block_num=8 {\n" MOVE("%a+0", "%g+0", "64")
            MOVE("%o+(int64(@b) * 256)", "%a+0", "8") "} }",
        false, "");
}

/* What a Scalar was set to counts like the formula. */
static void
registers_hold_formulas(void **state)
{
    (void)state;
    const char *regs = HEAD "reg $s: int32 reg $t: int32 alloc %a: float16[1024] UB\n"
                            "for @b: int32 = 0 to 8 block_num=8 {\n$s = (@b * 128)\n";
    char text[2000];
    snprintf(text, sizeof text, "%s%s", regs,
             "for @i: int32 = 0 to 2 {\n$t = ($s + (@i * 64))\n" MOVE(
                 "%o+(int64($t) * 2)", "%a+0", "4") "} } }");
    blocks_are(text, false, "");
    snprintf(text, sizeof text, "%s%s", regs,
             "if (@b < 5) { $s = 7 }\n" MOVE("%o+(int64($s) * 2)", "%a+0", "4") "} }");
    blocks_are(text, true, "");
    snprintf(text, sizeof text, "%s%s", regs,
             "for @i: int32 = 0 to 2 {\n" MOVE("%o+(int64($s) * 2)", "%a+0",
                                               "4") "$s = ($s + 64)\n} } }");
    blocks_are(text, true, "");
    init_is(HEAD "reg $s: int32 alloc %a: float16[1024] UB\nfor @i: int32 = 0 to 8 {\n"
                 "$s = (@i * 128)\n" MOVE("%a+(int64($s) * 2)", "%g+0",
                                          "8") "}\n" ADDS("128", "%a+0", "%a+1792") "}",
            false, "");
}

static void
meeting_blocks_are_ordered(void **state)
{
    (void)state;
    /* neighbours read each other's tiles */
    blocks_are(BLOCKS MOVE("%a+0", "%o+((int64(@b) * 256) + 32)", "8")
                   MOVE("%o+(int64(@b) * 256)", "%a+0", "8") "} }",
               true, "");
    /* outside of the loop every core writes */
    blocks_are(BLOCKS "}\n" MOVE("%o+0", "%a+0", "8") "}", true, "");
    blocks_are(BLOCKS MOVE("%o+(int64(@b) * 256)", "%a+0", "8") "}\n" MOVE("%a+0", "%o+0",
                                                                           "8") "}",
               true, "");
    /* one block only, but that is not seen */
    blocks_are(BLOCKS "if (@b == 0) {\n" MOVE("%o+0", "%a+0", "8") "} } }", true, "");
    /* a register decides */
    blocks_are(HEAD
               "reg $s: int64 alloc %a: float16[1024] UB\nfor @b: int32 = 0 to 8 "
               "block_num=8 {\n" MOVE("%o+((int64(@b) * 256) + $s)", "%a+0", "8") "} }",
               true, "");
    /* one core */
    blocks_are(HEAD "alloc %a: float16[1024] UB\n" MOVE("%o+0", "%a+0", "8") "}", false,
               "");
    /* rows one block too close: (8-1)*256 + 256 > 1792 */
    blocks_are(BLOCKS "for @i: int32 = 0 to 4 { if (@i < 9) {\n" MOVE(
                   "%o+((int64(@i) * 1792) + (int64(@b) * 256))", "%a+0", "8") "} } } }",
               true, "");
}

static void
overlapping_writes_warn(void **state)
{
    (void)state;
    blocks_are(BLOCKS MOVE("%o+(int64(@b) * 240)", "%a+0", "8") "} }", true,
               "t.ir:6:15: warning: blocks 0 and 1 both write bytes 240 to 255 of 'o' "
               "[multicore-overlap]");
    blocks_are(BLOCKS MOVE("%o+(int64(@b) * 256)", "%a+0", "8") "} }", false, "");
    blocks_are(BLOCKS MOVE("%o+64", "%a+0", "1") "} }", true,
               "t.ir:6:15: warning: blocks 0 and 1 both write bytes 64 to 95 of 'o' "
               "[multicore-overlap]");
    /* the last row of a tile reaches into the next tile */
    blocks_are(BLOCKS "for @i: int32 = 0 to 5 {\n" MOVE(
                   "%o+((int64(@b) * 1024) + (int64(@i) * 256))", "%a+0", "8") "} } }",
               true,
               "t.ir:7:15: warning: blocks 0 and 1 both write bytes 1024 to 1279 of 'o' "
               "[multicore-overlap]");
    blocks_are(BLOCKS
               "store %o+(int64(@b)):uint8 = 1\nstore %o+(int64(@b) + 1):uint8 = 1\n} }",
               true,
               "t.ir:6:1: warning: blocks 0 and 1 both write bytes 1 to 1 of 'o' "
               "[multicore-overlap]");
}

/* ---- sets of bytes ---------------------------------------------------------------------------------------- */

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
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
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
        cmocka_unit_test(tiled_kernels_are_proved),
        cmocka_unit_test(reads_at_loop_offsets),
        cmocka_unit_test(certainly_uninitialised_reads_warn),
        cmocka_unit_test(possible_writes_do_not_warn),
        cmocka_unit_test(jumps_end_paths),
        cmocka_unit_test(strides_and_repeats),
        cmocka_unit_test(tiles_are_disjoint),
        cmocka_unit_test(registers_hold_formulas),
        cmocka_unit_test(meeting_blocks_are_ordered),
        cmocka_unit_test(overlapping_writes_warn),
        cmocka_unit_test(bytesets_against_bitmaps),
        cmocka_unit_test(bytesets_stay_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
