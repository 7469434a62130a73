/* test_check_pass.c: checks that the check pass gives one error for each operand, and
 * handles many instructions in little time; tests/lit/passes/check-*.ir has what is
 * proved, refuted and left to run time. */
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

/* Moves from GM element src to UB byte offset dst. */
#define LOAD(dst, src, nburst, burst)                                                    \
    "  data_move dst=%ub+" dst ":float16 src=%src+" src ":float16 sid=0 nburst=" nburst  \
    " burst=" burst " src_stride=0 dst_stride=0 mode=0\n"

#define ADD(dst, src, mask, repeat)                                                      \
    "  vec_add mask=" mask " dst=%ub+" dst ":float16 src0=%ub+" src                      \
    ":float16 src1=%vb+0:float16 repeat_times=" repeat                                   \
    " dst_rep_stride=8 src0_rep_stride=8 src1_rep_stride=8\n"

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
        cmocka_unit_test(one_error_per_operand),
        cmocka_unit_test(many_constants_are_quick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
