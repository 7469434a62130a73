/* test_ir_passes.c: checks the runner of passes: limits first, dumps, the order of the
 * table, and what still runs after a failed check. */
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

static PassList
list_of(Unit *u, const char *const *names, size_t n)
{
    PassList list = {0};
    for (size_t i = 0; i < n; i++) {
        const PassInfo *p = pass_find(names[i]);
        assert_non_null(p);
        VEC_PUSH(&u->arena, &list, p);
    }
    return list;
}

static void
the_table_is_in_order(void **state)
{
    (void)state;
    Unit *u = new_unit();
    const PassInfo *which = NULL;
    PassList all = passes_all(&u->arena);
    assert_int_equal(all.n, pass_count);
    assert_int_equal(passes_missing(&all, &which), 0);
    unsigned given = FACT_SOUND | FACT_HOST;
    for (int i = 0; i < pass_count; i++) {
        given |= pass_table[i].gives;
    }
    assert_int_equal(given, (1u << FACT_COUNT) - 1);
    drop(u, NULL);
}

static void
missing_facts_are_found(void **state)
{
    (void)state;
    const char *const wrong[] = {"share", "loops", "check", "fold"};
    const char *const right[] = {"loops", "fold", "share", "check", "race"};
    Unit *u = new_unit();
    const PassInfo *which = NULL;
    PassList list = list_of(u, wrong, ARRAY_LEN(wrong));
    assert_int_equal(passes_missing(&list, &which), FACT_FOLDED);
    assert_string_equal(which->name, "check");
    list = list_of(u, right, ARRAY_LEN(right));
    assert_int_equal(passes_missing(&list, &which), 0);
    assert_null(pass_find("none"));
    /* For every pass, the list that is proposed lacks nothing, and needs each of its
     * passes. */
    for (int i = 0; i < pass_count; i++) {
        Text names;
        text_init(&names, &u->arena);
        passes_put_closure(&pass_table[i], &names);
        list = (PassList){0};
        for (const char *p = names.p; *p;) {
            size_t n = strcspn(p, ",");
            VEC_PUSH(&u->arena, &list, pass_find(arena_strndup(&u->arena, p, n)));
            p += n + (p[n] == ',');
        }
        assert_ptr_equal(list.p[list.n - 1], &pass_table[i]);
        assert_int_equal(passes_missing(&list, &which), 0);
        for (uint32_t j = 0; j + 1 < list.n; j++) {
            PassList less = {0};
            for (uint32_t m = 0; m < list.n; m++) {
                if (m != j) {
                    VEC_PUSH(&u->arena, &less, list.p[m]);
                }
            }
            assert_int_not_equal(passes_missing(&less, &which), 0);
        }
    }
    drop(u, NULL);
}

static void
only_listed_passes_run(void **state)
{
    (void)state;
    const char *const names[] = {"fold"};
    Unit *u = new_unit();
    Kernel *k = parse(u, HEAD "reg $s: int32\nalloc %a: float16[16] UB\n$s = 3\n"
                              "store %a+(int64($s) * 200):float16 = 1.0\n}");
    PassList list = list_of(u, names, 1);
    PassOptions opt = {.only = &list, .verify_each = true};
    assert_true(passes_run(
        k,
        &opt)); /* check would find an overflow, notice an output that nothing writes */
    assert_int_equal(u->diags.n, 0);
    Text t;
    text_init(&t, &u->arena);
    ir_print(k, &t);
    assert_non_null(
        strstr(t.p, "alloc %a: float16[16] UB\n  store %a+600:float16 = 1.0\n"));
    drop(u, k);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nesting_has_a_limit),
        cmocka_unit_test(expressions_have_a_limit),
        cmocka_unit_test(buffers_have_a_limit),
        cmocka_unit_test(passes_are_shown),
        cmocka_unit_test(the_table_is_in_order),
        cmocka_unit_test(missing_facts_are_found),
        cmocka_unit_test(only_listed_passes_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
