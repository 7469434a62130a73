/* test_ir_passes.c: the runner: limits first, dumps, and what still runs after a failed check. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "passes/passes.h"

#define HEAD "kernel k soc=Ascend310P3 {\nin %g: float16[512]\nout %o: float16[512]\n"

static Unit *
new_unit(void)
{
    Unit *u = malloc(sizeof *u);
    unit_init(u);
    return u;
}

static void
drop(Unit *u, Kernel *k)
{
    kernel_free(k);
    unit_free(u);
    free(u);
}

static Kernel *
parse(Unit *u, const char *text)
{
    Kernel *k = ir_parse(u, unit_add_source(u, "t.ir", text, strlen(text)));
    assert_non_null(k);
    return k;
}

static bool
reported(const Unit *u, DiagId id)
{
    for (uint32_t i = 0; i < u->diags.n; i++) {
        if (u->diags.p[i]->id == id) {
            return true;
        }
    }
    return false;
}

static void
nested_scopes(Kernel *k, int depth)
{
    Cursor at = ir_cursor_body(0, 0);
    Stmt s = {.kind = ST_SCOPE};
    for (int i = 0; i < depth; i++) {
        at = ir_cursor_body(ir_append(k, &at, &s), 0);
    }
    s.kind = ST_RETURN;
    ir_append(k, &at, &s);
}

static void
nesting_has_a_limit(void **state)
{
    (void)state;
    PassOptions opt = {.verify_each = true};
    for (int over = 0; over < 2; over++) {
        Unit *u = new_unit();
        Kernel *k = kernel_new(u);
        nested_scopes(k, IR_MAX_NEST + over);
        assert_int_equal(passes_run(k, over ? NULL : &opt), !over);
        assert_int_equal(reported(u, D_TOO_NESTED), over);
        drop(u, k);
    }
    Unit *u = new_unit();
    Kernel *k = kernel_new(u);
    nested_scopes(k, 1000000);
    assert_false(passes_run(k, NULL));
    drop(u, k);
}

static void
expressions_have_a_limit(void **state)
{
    (void)state;
    Unit *u = new_unit();
    Kernel *k = kernel_new(u);
    k->expr_too_large = true;
    assert_false(passes_run(k, NULL));
    assert_true(reported(u, D_LIMIT_IR));
    drop(u, k);
}

static void
buffers_have_a_limit(void **state)
{
    (void)state;
    for (int over = 0; over < 2; over++) {
        Unit *u = new_unit();
        Kernel *k = kernel_new(u);
        Buffer b = {
            .scope = SC_GM, .dtype = DT_U8, .role = BUF_IN, .address = -1, .copies = 1};
        b.elems = IR_MAX_BYTES + over;
        b.bytes = b.elems;
        VEC_PUSH(&k->arena, &k->params, ir_buffer(k, &b));
        assert_int_equal(passes_run(k, NULL), !over);
        assert_int_equal(reported(u, D_TENSOR_SHAPE), over);
        drop(u, k);
    }
}

static void
capacity_shows_beside_a_broken_rule(void **state)
{
    (void)state;
    Unit *u = new_unit();
    Kernel *k = parse(
        u, HEAD "alloc %a: float16[200000] UB\n"
                "data_move dst=%a+0:float16 src=%g+0:float16 sid=0 nburst=1 burst=34 "
                "src_stride=0 dst_stride=0 mode=0\n}");
    assert_false(passes_run(k, NULL));
    assert_true(reported(u, D_TENSOR_OVERFLOW));
    assert_true(reported(u, D_CAPACITY));
    drop(u, k);
}

static void
passes_are_shown(void **state)
{
    (void)state;
    Unit *u = new_unit();
    Kernel *k = parse(u, HEAD "reg $s: int32\nalloc %a: float16[16] UB\n$s = 3\n"
                              "store %a+(int64($s) * 2):float16 = 1.0\n}");
    Text folded, placed;
    text_init(&folded, &u->arena);
    text_init(&placed, &u->arena);
    PassOptions opt = {.print_after = "fold", .verify_each = true, .out = &folded};
    assert_true(passes_run(k, &opt));
    opt = (PassOptions){.print_after = "allocate", .out = &placed};
    assert_true(passes_run(k, &opt));
    assert_non_null(
        strstr(folded.p, "alloc %a: float16[16] UB\n  store %a+6:float16 = 1.0\n"));
    assert_non_null(strstr(placed.p, "alloc %a: float16[16] UB at=0\n"
                                     "  store %a+6:float16 = 1.0 [proved]\n"));
    drop(u, k);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nesting_has_a_limit),
        cmocka_unit_test(expressions_have_a_limit),
        cmocka_unit_test(buffers_have_a_limit),
        cmocka_unit_test(capacity_shows_beside_a_broken_rule),
        cmocka_unit_test(passes_are_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
