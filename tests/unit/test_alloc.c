/* test_alloc.c: fold and allocate on IR text: what becomes constant, where buffers go, what does not
 * fit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "passes/passes.h"

typedef struct Fixture {
    Unit u;
    Kernel *k;
} Fixture;

static Fixture *
load(const char *text)
{
    Fixture *f = malloc(sizeof *f);
    unit_init(&f->u);
    f->k = ir_parse(&f->u, unit_add_source(&f->u, "t.ir", text, strlen(text)));
    assert_non_null(f->k);
    return f;
}

static void
drop(Fixture *f)
{
    kernel_free(f->k);
    unit_free(&f->u);
    free(f);
}

static const char *
print(Fixture *f)
{
    Text t;
    text_init(&t, &f->u.arena);
    ir_verify(f->k, "test");
    ir_print(f->k, &t);
    return t.p;
}

static int64_t
address(const Fixture *f, const char *name)
{
    for (BufId i = 1; i < f->k->bufs.n; i++) {
        if (strcmp(sym_text(&f->u.names, f->k->bufs.p[i].name), name) == 0) {
            return f->k->bufs.p[i].address;
        }
    }
    fail_msg("no buffer %s", name);
    return -1;
}

#define HEAD   "kernel k soc=Ascend310P3 {\n"
#define FOLDED "kernel k soc=Ascend310P3 folded {\n"

/* One use of a buffer, in a statement that only names it. */
#define USE(b) "store %" b "+0:float16 = 0.0\n"

/* ---- fold ---------------------------------------------------------------------------------------- */

static void
folds(const char *text, const char *want)
{
    Fixture *f = load(text);
    assert_true(pass_fold(f->k));
    assert_string_equal(print(f), want);
    drop(f);
}

static void
constant_registers_are_replaced(void **state)
{
    (void)state;
    folds(HEAD "reg $s: int32 reg $t: int32\n"
               "$s = 4\n"
               "for @i: int32 = 0 to $s { $t = ((@i * $s) + $t) }\n"
               "if ($s < 5) { $t = 1 } else { $t = 2 }\n"
               "}",
          FOLDED "  reg $s: int32\n"
                 "  reg $t: int32\n"
                 "  for @i: int32 = 0 to 4 {\n"
                 "    $t = ((@i * 4) + $t)\n"
                 "  }\n"
                 "  scope {\n"
                 "    $t = 1\n"
                 "  }\n"
                 "}\n");
}

static void
registers_that_may_differ_stay(void **state)
{
    (void)state;
    /* set twice; read before; read behind a branch that sets; loaded */
#define SAME                                                                             \
    "  in %g: int32[8]\n"                                                                \
    "  reg $a: int32\n"                                                                  \
    "  reg $b: int32\n"                                                                  \
    "  reg $c: int32\n"                                                                  \
    "  reg $d: int32\n"                                                                  \
    "  reg $x: int32\n"                                                                  \
    "  $a = 1\n"                                                                         \
    "  $x = $a\n"                                                                        \
    "  $a = 2\n"                                                                         \
    "  for @i: int32 = 0 to 4 {\n"                                                       \
    "    $x = $b\n"                                                                      \
    "    $b = 3\n"                                                                       \
    "  }\n"                                                                              \
    "  if ($x < 1) {\n"                                                                  \
    "    $c = 5\n"                                                                       \
    "  }\n"                                                                              \
    "  $x = $c\n"                                                                        \
    "  $d = load %g+0:int32\n"                                                           \
    "  $x = $d\n"                                                                        \
    "}\n"
    folds(HEAD SAME, FOLDED SAME);
#undef SAME
}

static void
reads_in_deeper_bodies_are_behind_the_set(void **state)
{
    (void)state;
    folds(HEAD
          "reg $s: int32 reg $x: int32\n"
          "for @i: int32 = 0 to 4 { $s = 7 if (@i < 2) { $x = $s } $x = ($s + $x) }\n"
          "}",
          FOLDED "  reg $s: int32\n"
                 "  reg $x: int32\n"
                 "  for @i: int32 = 0 to 4 {\n"
                 "    if (@i < 2) {\n"
                 "      $x = 7\n"
                 "    }\n"
                 "    $x = (7 + $x)\n"
                 "  }\n"
                 "}\n");
}

static void
dead_code_is_dropped(void **state)
{
    (void)state;
    folds(HEAD "reg $x: int32\n"
               "for @i: int32 = 3 to 3 { $x = 1 }\n"
               "for @j: uint64 = 1 to 18446744073709551615 { $x = 2 }\n"
               "if 0 { $x = 3 }\n"
               "if 0 { $x = 4 } else { if 1 { $x = 5 } }\n"
               "}",
          FOLDED "  reg $x: int32\n"
                 "  for @j: uint64 = 1 to 18446744073709551615 {\n"
                 "    $x = 2\n"
                 "  }\n"
                 "  scope {\n"
                 "    scope {\n"
                 "      $x = 5\n"
                 "    }\n"
                 "  }\n"
                 "}\n");
}

static void
division_by_a_folded_zero_stays(void **state)
{
    (void)state;
    folds(HEAD "reg $z: int32 reg $x: int32\n$z = 0\n$x = (8 / $z)\n}",
          FOLDED "  reg $z: int32\n  reg $x: int32\n  $x = (8 / 0)\n}\n");
}

/* ---- allocate --------------------------------------------------------------------------------------- */

static void
scopes_stack(void **state)
{
    (void)state;
    Fixture *f =
        load(HEAD "alloc %a: float16[20] UB\n"
                  "scope { alloc %b: float16[16] UB alloc %c: float16[1] UB }\n"
                  "for @i: int32 = 0 to 2 { alloc %d: float16[64] UB copies=2 }\n"
                  "alloc %e: float16[16] UB\n"
                  "alloc %l1: float16[16] L1\n}");
    assert_true(pass_allocate(f->k));
    assert_int_equal(address(f, "a"), 0);
    assert_int_equal(address(f, "b"), 64);
    assert_int_equal(address(f, "c"), 96);
    assert_int_equal(address(f, "d"), 64);
    assert_int_equal(address(f, "e"), 64);
    assert_int_equal(address(f, "l1"), 0);
    assert_int_equal(f->k->peak[SC_UB], 64 + 256);
    assert_int_equal(f->k->peak[SC_L1], 32);
    drop(f);
}

static void
alignment_per_memory(void **state)
{
    (void)state;
    Fixture *f = load(
        HEAD "alloc %a: float16[16, 16] L0C alloc %b: float32[16, 16] L0C\n"
             "alloc %c: float16[1] L0C alloc %d: int8[1] L0A alloc %e: int8[1] L0A\n}");
    assert_true(pass_allocate(f->k));
    assert_int_equal(address(f, "a"), 0);
    assert_int_equal(address(f, "b"), 1024);
    assert_int_equal(address(f, "c"), 2048);
    assert_int_equal(address(f, "d"), 0);
    assert_int_equal(address(f, "e"), 512);
    assert_int_equal(f->k->peak[SC_L0C], 2560);
    drop(f);
}

static void
full_to_the_last_byte(void **state)
{
    (void)state;
    Fixture *f = load(HEAD "alloc %a: float16[131056] UB alloc %b: float16[16] UB\n" USE(
        "a") USE("b") USE("a") "}");
    assert_true(pass_allocate(f->k));
    assert_int_equal(f->k->peak[SC_UB], 262144);
    drop(f);
    f = load(HEAD "alloc %a: float16[131056] UB alloc %b: float16[17] UB\n" USE("a")
                 USE("b") USE("a") "}");
    assert_false(pass_allocate(f->k));
    drop(f);
}

static void
ended_buffers_are_reused(void **state)
{
    (void)state;
    /* 3 x 100,000 bytes in 262,144; a is past when c begins. */
    Fixture *f = load(HEAD "alloc %a: float16[50000] UB alloc %b: float16[50000] UB\n"
                           "alloc %c: float16[50000] UB\n" USE("a") USE("b") USE("a")
                               USE("c") USE("b") "}");
    assert_true(pass_allocate(f->k));
    assert_int_equal(address(f, "c"), address(f, "a"));
    assert_int_not_equal(address(f, "b"), address(f, "a"));
    drop(f);
}

static void
loops_keep_buffers(void **state)
{
    (void)state;
    /* Inside the loop a is used before b, yet both are needed in every iteration. */
    const char *text = HEAD "alloc %a: float16[70000] UB alloc %b: float16[70000] UB\n"
                            "for @i: int32 = 0 to 2 {\n" USE("a") USE("b") "} }";
    Fixture *f = load(text);
    assert_false(pass_allocate(f->k));
    assert_int_equal(f->u.diags.p[0]->id, D_CAPACITY);
    drop(f);
    /* Allocated in the iteration they end with their uses. */
    f = load(HEAD "for @i: int32 = 0 to 2 {\n"
                  "alloc %a: float16[70000] UB alloc %b: float16[70000] UB\n" USE("a")
                      USE("b") "} }");
    assert_true(pass_allocate(f->k));
    assert_int_equal(address(f, "a"), address(f, "b"));
    drop(f);
    /* Used in an inner loop and behind it, with an outer loop around: alive all the time. */
    f = load(HEAD "alloc %a: float16[70000] UB\nfor @i: int32 = 0 to 2 {\n"
                  "for @j: int32 = 0 to 2 {\n" USE(
                      "a") "}\n"
                           "alloc %b: float16[70000] UB\n" USE("b") "} }");
    assert_false(pass_allocate(f->k));
    drop(f);
}

static void
largest_first_when_order_fails(void **state)
{
    (void)state;
    /* In order, c (after a) leaves no gap for d; 262144 = 4 quarters. Live: a b | b c | c d. */
    Fixture *f = load(
        HEAD
        "alloc %a: int8[65536] UB alloc %b: int8[65536] UB alloc %c: int8[32768] UB\n"
        "alloc %d: int8[163840] UB\n"
        "store %a+0:int8 = 0 store %b+0:int8 = 0 store %a+0:int8 = 0\n"
        "store %c+0:int8 = 0 store %b+0:int8 = 0\n"
        "store %d+0:int8 = 0 store %c+0:int8 = 0 }");
    assert_true(pass_allocate(f->k));
    int64_t c = address(f, "c");
    int64_t d = address(f, "d");
    assert_true(c + 32768 <= d || d + 163840 <= c);
    assert_true(f->k->peak[SC_UB] <= 262144);
    drop(f);
}

static void
capacity_names_what_is_alive(void **state)
{
    (void)state;
    Fixture *f = load(HEAD "alloc %a: float16[100, 1000] UB\n"
                           "alloc %b: float16[50000] UB copies=2\n" USE("b") USE("a")
                               USE("b") "alloc %z: float16[100000] UB\n" USE("z") "}");
    assert_false(pass_allocate(f->k));
    Text t;
    text_init(&t, &f->u.arena);
    diag_render_all(&f->u, DIAG_TEXT, &t);
    assert_non_null(
        strstr(t.p, "t.ir:2:7: error: 'a' of 200000 bytes does not fit: the kernel needs "
                    "400000 bytes of UB at this point, Ascend310P3 has 262144 "
                    "(137856 too many) [capacity]"));
    assert_non_null(
        strstr(t.p, "t.ir:2:7: note: 'a' is float16[100, 1000], 200000 bytes, used in "
                    "line 5"));
    assert_non_null(
        strstr(t.p, "t.ir:3:7: note: 'b' is float16[50000], 200000 bytes (2 copies for "
                    "thread_num), used in lines 4 to 6"));
    assert_null(strstr(t.p, "'z'"));
    drop(f);
}

static void
memories_that_do_not_exist(void **state)
{
    (void)state;
    Fixture *f = load("kernel k soc=Ascend035 {\nalloc %a: float16[16] L1\nalloc %b: "
                      "float16[16] L0C\n}");
    assert_false(pass_allocate(f->k));
    assert_int_equal(f->u.errors, 2);
    assert_string_equal(f->u.diags.p[0]->text,
                        "'a' is in L1, which Ascend035 does not have");
    drop(f);
}

/* Pairs of buffers that are alive together never share bytes: random programs, checked afterwards
 * by the definition. */
static uint32_t
next_random(uint64_t *seed, uint32_t below)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33) % below;
}

static void
random_program(Text *t, uint64_t *seed, int *nbufs)
{
    text_put(t, HEAD);
    *nbufs = 3 + (int)next_random(seed, 10);
    for (int i = 0; i < *nbufs; i++) {
        text_printf(t, "alloc %%b%d: int8[%u] UB\n", i, 1 + next_random(seed, 120000));
    }
    int first = 0;
    for (int i = 0; i < 30; i++) {
        int pick = first + (int)next_random(seed, 3);
        text_printf(t, "store %%b%d+0:int8 = 0\n", pick % *nbufs);
        first += next_random(seed, 4) == 0;
    }
    text_put(t, "}");
}

static void
live_buffers_are_apart(void **state)
{
    (void)state;
    uint64_t seed = 7;
    int fitted = 0;
    for (int round = 0; round < 400; round++) {
        Arena scratch;
        arena_init(&scratch);
        Text t;
        int n;
        text_init(&t, &scratch);
        random_program(&t, &seed, &n);
        Fixture *f = load(t.p);
        if (pass_allocate(f->k)) {
            fitted++;
            int first[16] = {0};
            int last[16] = {0};
            int at = 1;
            for (StmtId s = f->k->body; s; s = f->k->stmts.p[s].next, at++) {
                if (f->k->stmts.p[s].kind == ST_STORE) {
                    BufId b = f->k->stmts.p[s].store.ref.buf;
                    first[b] = first[b] ? first[b] : at;
                    last[b] = at;
                }
            }
            for (BufId x = 1; x < f->k->bufs.n; x++) {
                const Buffer *bx = &f->k->bufs.p[x];
                assert_true(bx->address % 32 == 0 && bx->address >= 0);
                assert_true(bx->address + bx->bytes <= f->k->peak[SC_UB]);
                assert_true(f->k->peak[SC_UB] <= 262144);
                for (BufId y = x + 1; y < f->k->bufs.n; y++) {
                    const Buffer *by = &f->k->bufs.p[y];
                    bool together = first[x] && first[y] && first[x] <= last[y] &&
                                    first[y] <= last[x];
                    bool apart = bx->address + bx->bytes <= by->address ||
                                 by->address + by->bytes <= bx->address;
                    assert_true(!together || apart);
                }
            }
        }
        drop(f);
        arena_free(&scratch);
    }
    assert_true(fitted > 50 && fitted < 400);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_registers_are_replaced),
        cmocka_unit_test(registers_that_may_differ_stay),
        cmocka_unit_test(reads_in_deeper_bodies_are_behind_the_set),
        cmocka_unit_test(dead_code_is_dropped),
        cmocka_unit_test(division_by_a_folded_zero_stays),
        cmocka_unit_test(scopes_stack),
        cmocka_unit_test(alignment_per_memory),
        cmocka_unit_test(full_to_the_last_byte),
        cmocka_unit_test(ended_buffers_are_reused),
        cmocka_unit_test(loops_keep_buffers),
        cmocka_unit_test(largest_first_when_order_fails),
        cmocka_unit_test(capacity_names_what_is_alive),
        cmocka_unit_test(memories_that_do_not_exist),
        cmocka_unit_test(live_buffers_are_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
