/* The check pass on IR text: what is proved, what is refuted and with which witness, what is left to
 * run time. */
#include "passes/check.h"
#include "passes/passes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

typedef struct Run {
    Unit u;
    Kernel *k;
    char *diags;
} Run;

#define HEAD                                                                             \
    "kernel k soc=Ascend310P3 {\n"                                                       \
    "  in %src: float16[65536]\n"                                                        \
    "  out %dst: float16[65536]\n"                                                       \
    "  in %idx: int32[8]\n"                                                              \
    "  reg $s: int32\n"                                                                  \
    "  reg $t: int32\n"                                                                  \
    "  alloc %ub: float16[4096] UB\n"                                                    \
    "  alloc %vb: float16[4096] UB\n"                                                    \
    "  alloc %ib: int32[8] UB\n"

/* data_move from GM element src to UB byte offset dst */
#define LOAD(dst, src, nburst, burst)                                                    \
    "  data_move dst=%ub+" dst ":float16 src=%src+" src ":float16 sid=0 nburst=" nburst  \
    " burst=" burst " src_stride=0 dst_stride=0 mode=0\n"

#define ADD(dst, src, mask, repeat)                                                      \
    "  vec_add mask=" mask " dst=%ub+" dst ":float16 src0=%ub+" src                      \
    ":float16 src1=%vb+0:float16 repeat_times=" repeat                                   \
    " dst_rep_stride=8 src0_rep_stride=8 src1_rep_stride=8\n"

#define GET "  $s = load %ib+0:int32\n  $t = load %ib+4:int32\n"

static Run *
run(const char *body)
{
    Run *r = malloc(sizeof *r);
    unit_init(&r->u);
    Text t;
    text_init(&t, &r->u.arena);
    text_printf(&t, "%s%s}\n", HEAD, body);
    r->k = ir_parse(&r->u, unit_add_source(&r->u, "t.ir", t.p, t.n));
    text_init(&t, &r->u.arena);
    if (r->k) {
        ir_verify(r->k, "parse");
        (void)!pass_check(r->k);
        ir_verify(r->k, "check");
    }
    text_put(&t, "");
    diag_render_all(&r->u, DIAG_TEXT, &t);
    r->diags = t.p;
    if (!r->k) {
        fail_msg("%s", t.p);
    }
    return r;
}

static void
drop(Run *r)
{
    kernel_free(r->k);
    unit_free(&r->u);
    free(r);
}

static void
expect_proved(const char *body)
{
    Run *r = run(body);
    if (r->k->proofs[1] != 0 || r->k->proofs[2] != 0) {
        Text t;
        text_init(&t, &r->u.arena);
        check_explain(r->k, &t);
        fail_msg("not proved:\n%s\n%s%s", body, t.p, r->diags);
    }
    assert_true(r->k->proofs[0] > 0);
    drop(r);
}

static void
expect_refuted(const char *body, const char *text)
{
    Run *r = run(body);
    if (r->k->proofs[1] == 0 || !strstr(r->diags, text)) {
        fail_msg("expected '%s' for\n%s, found:\n%s", text, body, r->diags);
    }
    drop(r);
}

/* Exactly the obligations named are left to run time. */
static void
expect_run_time(const char *body, int count, const char *obligation)
{
    Run *r = run(body);
    Text t;
    text_init(&t, &r->u.arena);
    text_put(&t, "");
    check_explain(r->k, &t);
    if (r->k->proofs[1] != 0 || r->k->proofs[2] != count || !strstr(t.p, obligation)) {
        fail_msg("expected %d, '%s' for\n%s, found:\n%s%s", count, obligation, body, t.p,
                 r->diags);
    }
    drop(r);
}

static void
constants(void **state)
{
    (void)state;
    expect_proved(LOAD("0", "14", "1", "256"));
    expect_refuted(LOAD("0", "14", "1", "257"), "[tensor-overflow]");
    expect_refuted(LOAD("2", "0", "1", "1"), "dst starts at byte 2");
    expect_refuted(LOAD("0", "0", "4096", "1"),
                   "nburst is 4096; data_move takes 1 to 4095 bursts [range-nburst]");
    /* also where it is not certain to execute */
    expect_refuted(GET "  if ($s < 3) {\n" LOAD("2", "0", "1", "1") "  }\n",
                   "[address-align]");
    expect_refuted(GET "  for @i: int32 = 0 to $s {\n" LOAD("0", "(int64(@i) * 32)", "0",
                                                            "1") "  }\n",
                   "[range-nburst]");
}

static void
affine_loops(void **state)
{
    (void)state;
    expect_proved(
        "  for @i: int32 = 0 to 256 {\n" LOAD("int64((@i * 32))", "0", "1", "1") "  }\n");
    expect_refuted(
        "  for @i: int32 = 0 to 257 {\n" LOAD("int64((@i * 32))", "0", "1", "1") "  }\n",
        "at i = 256, dst covers bytes 8192 to 8223");
    expect_refuted("  for @i: int32 = 0 to 8 {\n" LOAD("(int64((@i * 7)) * 2)", "0", "1",
                                                       "1") "  }\n",
                   "at i = 1, dst starts at byte 14");
    expect_proved("  for @i: int32 = 0 to 16 {\n    for @j: int32 = 0 to 16 {\n" //
                  LOAD("(int64(((@i * 16) + @j)) * 32)", "0", "1", "1") "  }\n  }\n");
    expect_refuted("  for @i: int32 = 0 to 16 {\n    for @j: int32 = 0 to 17 {\n" //
                   LOAD("(int64(((@i * 16) + @j)) * 32)", "0", "1", "1") "  }\n  }\n",
                   "at i = 15, j = 16, dst covers");
    /* trip counts do not matter */
    expect_refuted("  for @i: int64 = 0 to 1000000000000 {\n" LOAD("0", "(@i * 2)", "1",
                                                                   "1") "  }\n",
                   "at i = 65537, src covers bytes 131074 to 131105");
    expect_refuted("  for @i: int32 = 0 to 100 {\n" LOAD("((3200 - (int64(@i) * 64)))",
                                                         "0", "1", "1") "  }\n",
                   "at i = 51, dst starts at byte -64");
    expect_refuted(
        "  for @i: int32 = 0 to 300 {\n" LOAD("0", "0", "1", "(int64(@i) + 1)") "  }\n",
        "at i = 256, dst covers");
    expect_refuted(
        "  for @i: int32 = 0 to 300 {\n" LOAD("0", "0", "1", "int64(@i)") "  }\n",
        "at i = 0, burst is 0");
    expect_proved(
        "  for @i: int32 = 5 to 5 {\n" LOAD("(int64(@i) * 2)", "0", "1", "1") "  }\n");
}

static void
wrapping(void **state)
{
    (void)state;
    /* uint8: i*8 wraps at 32, so the offset stays below 256 */
    expect_proved("  for @i: uint8 = 0 to 100 {\n" LOAD("(int64((@i * 8)) * 32)", "0",
                                                        "1", "1") "  }\n");
    expect_proved(
        GET "  for @i: int32 = 0 to 10 {\n" //
            "    vec_dup mask=16 dst=%ub+(int64((($s * 32) & 4095))):float16 scalar=0 "
            "repeat_times=1 dst_rep_stride=8\n  }\n");
}

static void
branches(void **state)
{
    (void)state;
    expect_proved(GET "  if (($s >= 0) & ($s < 256)) {\n" LOAD("(int64($s) * 32)", "0",
                                                               "1", "1") "  }\n");
    expect_run_time(GET "  if (($s >= 0) & ($s <= 256)) {\n" LOAD("(int64($s) * 32)", "0",
                                                                  "1", "1") "  }\n",
                    1, "tensor-overflow of dst: checked at run time");
    expect_proved(
        GET "  if ($s < 1) {\n    return\n  }\n  if ($s > 255) {\n    return\n  }\n" //
        LOAD("0", "0", "1", "int64($s)"));
    expect_run_time(GET LOAD("0", "0", "1", "int64($s)"), 3, "range-burst of burst");
    expect_proved(GET
                  "  if (($s % 16) == 0) {\n    if ($s >= 0) {\n      if ($s < 4096) {\n"
                  "        if (($s % 16) == 0) {\n" //
                  LOAD("(int64($s) * 2)", "0", "1", "1") "  }\n  }\n  }\n  }\n");
    /* a fact ends when the register changes */
    expect_run_time(GET "  if (($s >= 0) & ($s < 256)) {\n    $s = $t\n" //
                    LOAD("(int64($s) * 32)", "0", "1", "1") "  }\n",
                    1, "tensor-overflow of dst");
    expect_proved(GET "  if (($s % 16) == 3) {\n" //
                  LOAD("int64((($s % 16) - 3))", "0", "1", "1") "  }\n");
    expect_run_time(GET "  if (($s % 16) == 3) {\n    $s = $t\n" //
                    LOAD("int64((($s % 16) - 3))", "0", "1", "1") "  }\n",
                    2, "address-align of dst");
    /* both sides of a branch */
    expect_proved(GET "  if ($s < 0) {\n    $t = 32\n  } else {\n    $t = 64\n  }\n" //
                  LOAD("int64($t)", "0", "1", "1"));
    expect_run_time(GET "  if ($s < 0) {\n    $t = 32\n  } else {\n    $t = 72\n  }\n" //
                    LOAD("int64($t)", "0", "1", "1"),
                    1, "address-align of dst");
    /* loop bounds known at run time may be negative */
    expect_run_time(GET "  for @i: int32 = $s to 256 {\n" LOAD("(int64(@i) * 32)", "0",
                                                               "1", "1") "  }\n",
                    1, "tensor-overflow of dst");
    expect_proved(GET "  if ($s >= 0) {\n  for @i: int32 = $s to 256 {\n" LOAD(
        "(int64(@i) * 32)", "0", "1", "1") "  }\n  }\n");
    expect_refuted(
        "  for @i: int32 = -3 to 256 {\n" LOAD("(int64(@i) * 32)", "0", "1", "1") "  }\n",
        "at i = -3, dst starts at byte -96");
    expect_proved(GET "  for @i: int32 = 0 to $s {\n    if ($s <= 256) {\n" LOAD(
        "(int64(($s - 1)) * 32)", "0", "1", "1") "  }\n  }\n");
    /* decided by the loop variable: tried */
    expect_proved("  for @i: int32 = 0 to 300 {\n    if (@i < 256) {\n" //
                  LOAD("(int64(@i) * 32)", "0", "1", "1") "  }\n  }\n");
    expect_refuted("  for @i: int32 = 0 to 300 {\n    if ((@i % 7) == 3) {\n" //
                   LOAD("(int64(@i) * 48)", "0", "1", "1") "  }\n  }\n",
                   "at i = 3, dst starts at byte 144");
    /* not certain: left to run time */
    expect_run_time(GET "  for @i: int32 = 0 to 4 {\n    if ($s < 0) {\n" //
                    LOAD("(int64(@i) * 16)", "0", "1", "1") "  }\n  }\n",
                    1, "address-align of dst");
    expect_run_time(
        GET "  for @i: int32 = 0 to 4 {\n    if (@i == $s) {\n      break\n    }\n" //
        LOAD("(int64(@i) * 16)", "0", "1", "1") "  }\n",
        1, "address-align of dst");
}

static void
registers_in_loops(void **state)
{
    (void)state;
    /* what the loop only steps keeps its congruence and its distance */
    expect_proved("  $s = 0\n  for @i: int32 = 0 to 256 {\n" LOAD(
        "int64($s)", "0", "1",
        "1") "    $s = ($s + 32)\n  }\n  if ($s < 8192) {\n" LOAD("int64($s)", "0", "1",
                                                                  "1") "  }\n");
    expect_run_time("  $s = 0\n  for @i: int32 = 0 to 257 {\n" LOAD(
                        "int64($s)", "0", "1", "1") "    $s = ($s + 32)\n  }\n",
                    1, "tensor-overflow of dst");
    expect_run_time("  $s = 0\n  for @i: int32 = 0 to 4 {\n" LOAD(
                        "int64($s)", "0", "1", "1") "    $s = ($s + 24)\n  }\n",
                    1, "address-align of dst");
    expect_proved(
        "  $s = 8160\n  for @i: int32 = 0 to 16 {\n    for @j: int32 = 0 to 15 {\n" LOAD(
            "int64($s)", "0", "1", "1") "    $s = ($s - 32)\n  }\n  }\n");
    expect_run_time(
        "  $s = 8160\n  for @i: int32 = 0 to 17 {\n    for @j: int32 = 0 to 16 {\n" LOAD(
            "int64($s)", "0", "1", "1") "    $s = ($s - 32)\n  }\n  }\n",
        1, "tensor-overflow of dst");
    expect_run_time(
        GET "  $s = 0\n  for @i: int32 = 0 to 4 {\n" LOAD(
            "int64($s)", "0", "1", "1") "    $s = $t\n    $s = ($s + 32)\n  }\n",
        2, "address-align of dst");
    expect_run_time(GET "  $s = 0\n  for @i: int32 = 0 to 4 {\n" LOAD(
                        "int64($s)", "0", "1",
                        "1") "    $s = ($s + 32)\n    $s = load %ib+0:int32\n  }\n",
                    2, "address-align of dst");
    /* nothing is known when it wraps, or when the trips are not known */
    expect_run_time(GET "  $s = 0\n  for @i: int32 = 0 to $t {\n" LOAD(
                        "int64($s)", "0", "1", "1") "    $s = ($s + 32)\n  }\n",
                    1, "tensor-overflow of dst");
    expect_proved("  $s = 64\n  for @i: int32 = 0 to 4 {\n" LOAD(
        "int64($s)", "0", "1", "1") "    $t = ($t + 1)\n  }\n");
    expect_run_time("  $s = 64\n  for @i: int32 = 0 to 4 {\n    $s = $t\n  }\n" //
                    LOAD("int64($s)", "0", "1", "1"),
                    2, "address-align of dst");
}

static void
masks_and_repeats(void **state)
{
    (void)state;
    expect_run_time(GET ADD("0", "0", "int64($s)", "1"), 1, "mask-range of mask");
    expect_proved(
        GET "  if (($s > 0) & ($s <= 128)) {\n" ADD("0", "0", "int64($s)", "1") "  }\n");
    expect_proved(GET "  if (($s >= 0) & ($s <= 32)) {\n" ADD("0", "0", "128",
                                                              "int64($s)") "  }\n");
    expect_run_time(
        GET "  if (($s >= 0) & ($s <= 33)) {\n" ADD("0", "0", "128", "int64($s)") "  }\n",
        3, "tensor-overflow of dst");
    expect_refuted(ADD("0", "0", "129", "1"),
                   "mask is 129; float16 operands take 1 to 128 lanes");
    expect_refuted(
        "  for @i: int32 = 0 to 200 {\n" ADD("0", "0", "(int64(@i) + 1)", "1") "  }\n",
        "at i = 128, mask is 129");
    expect_run_time(GET ADD("0", "0", "[uint64($s), uint64($t)]", "1"), 1,
                    "mask-range of mask");
    expect_proved(GET ADD("0", "0", "[uint64($s), 1]", "1"));
}

static void
overlaps(void **state)
{
    (void)state;
    expect_proved("  for @i: int32 = 0 to 8 {\n" //
                  ADD("(int64(@i) * 256)", "(int64(@i) * 256)", "128", "2") "  }\n");
    expect_proved(GET "  if (($s >= 0) & ($s < 8)) {\n" //
                  ADD("(int64($s) * 256)", "(int64($s) * 256)", "128", "2") "  }\n");
    expect_refuted(
        "  for @i: int32 = 0 to 8 {\n" //
        ADD("((int64(@i) * 256) + 256)", "(int64(@i) * 256)", "128", "2") "  }\n",
        "at i = 0, dst of repeat 0 (from byte 256) shares bytes with src0 of repeat 1");
    expect_run_time(GET "  if (($s >= 0) & ($s < 8)) {\n" //
                    ADD("0", "(int64($s) * 32)", "128", "1") "  }\n",
                    1, "of src0");
    expect_proved(GET "  if (($s >= 8) & ($s < 20)) {\n" //
                  ADD("0", "(int64($s) * 32)", "128", "1") "  }\n");
    expect_refuted("  for @i: int32 = 0 to 20 {\n" //
                   ADD("0", "(int64(@i) * 32)", "128", "1") "  }\n",
                   "at i = 1, dst starts at byte 0 and src0 at byte 32");
    expect_proved("  for @i: int32 = 8 to 20 {\n" //
                  ADD("0", "(int64(@i) * 32)", "128", "1") "  }\n");
}

static void
element_access(void **state)
{
    (void)state;
    expect_proved(
        "  for @i: int32 = 0 to 8 {\n    $s = load %ib+(int64(@i) * 4):int32\n  }\n");
    expect_refuted(
        "  for @i: int32 = 0 to 9 {\n    store %ib+(int64(@i) * 4):int32 = 1\n  }\n",
        "at i = 8, the element covers bytes 32 to 35");
    expect_run_time(GET "  $s = load %ib+(int64($t) * 4):int32\n", 1,
                    "element access: tensor-overflow of element");
    expect_refuted("  $s = load %ib+2:int32\n", "[address-align]");
}

static void
one_error_per_operand(void **state)
{
    (void)state;
    Run *r = run(LOAD("131074", "0", "1", "1"));
    assert_int_equal(r->u.errors, 1);
    assert_non_null(strstr(r->diags, "[address-align]"));
    drop(r);
    r = run(ADD("0", "0", "128", "33")); /* all three operands are too short */
    assert_int_equal(r->u.errors, 1);
    drop(r);
    r = run(LOAD("2", "0", "0", "0"));
    assert_int_equal(r->u.errors, 3);
    drop(r);
}

static void
many_constants_are_quick(void **state)
{
    (void)state;
    Arena a = {0};
    Text body;
    text_init(&body, &a);
    for (int i = 0; i < 20000; i++) {
        text_put(&body, ADD("0", "0", "128", "32"));
    }
    Run *r = run(body.p);
    assert_int_equal(r->k->proofs[2], 0);
    assert_int_equal(r->u.errors, 0);
    drop(r);
    arena_free(&a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants),
        cmocka_unit_test(affine_loops),
        cmocka_unit_test(wrapping),
        cmocka_unit_test(branches),
        cmocka_unit_test(registers_in_loops),
        cmocka_unit_test(masks_and_repeats),
        cmocka_unit_test(overlaps),
        cmocka_unit_test(element_access),
        cmocka_unit_test(one_error_per_operand),
        cmocka_unit_test(many_constants_are_quick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
