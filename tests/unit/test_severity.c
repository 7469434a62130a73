/* test_severity.c: checks the table of what users may say about findings, and who wins
 * when they say several things. */
#include "base/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void
test_tables(void **state)
{
    (void)state;
    for (int i = 0; i < DIAG_COUNT; i++) {
        DiagId id = (DiagId)i;
        bool error = diag_table[i].level == LEVEL_ERROR;
        if (severity_allowable(id) && !error) {
            fail_msg("%s is no error and needs no row ALLOWABLE", diag_table[i].name);
        }
        for (int g = 0; g < GROUP_COUNT; g++) {
            if (group_has((DiagGroup)g, id) && error && !severity_allowable(id)) {
                fail_msg("%s in %s cannot be allowed", diag_table[i].name,
                         group_table[g].name);
            }
            if (strcmp(group_table[g].name, diag_table[i].name) == 0) {
                fail_msg("%s is a group and a diagnostic", group_table[g].name);
            }
        }
    }
}

typedef struct Ask {
    DiagId id;
    bool goes_on;
    Level level;
    bool silent;
} Ask;

static Unit *
new_unit(const char *text)
{
    static Unit u;
    unit_init(&u);
    assert_int_equal(unit_add_source(&u, "dir/a.tik", text, strlen(text)), 1);
    return &u;
}

static void
expect(Unit *u, Ask ask)
{
    Decision d = severity_decide(u, ask.id, (Span){1, 2, 3}, 0, ask.goes_on, false);
    if (d.level != ask.level || d.silent != ask.silent) {
        fail_msg("%s has level %d%s", diag_table[ask.id].name, (int)d.level,
                 d.silent ? ", silent" : "");
    }
}

static void
wish(Unit *u, const char *name, Wish w)
{
    FindingName what;
    assert_true(finding_name(name, &what));
    severity_wish(&u->opt.severity, what, w);
}

static void
test_order(void **state)
{
    (void)state;
    Unit *u = new_unit("a # tikc: allow(extended-ignored, tensor-overflow)\nb\n");
    expect(u, (Ask){D_TENSOR_OVERFLOW, true, LEVEL_ERROR, false});
    expect(u, (Ask){D_EXTARG_IGNORED, false, LEVEL_WARNING, false});
    u->opt.severity.strict = true;
    expect(u, (Ask){D_EXTARG_IGNORED, false, LEVEL_ERROR, false});
    expect(u, (Ask){D_UNINIT, false, LEVEL_WARNING, false});
    u->opt.severity.werror = true;
    expect(u, (Ask){D_UNINIT, false, LEVEL_ERROR, false});
    wish(u, "legacy", WISH_WARNING);
    expect(u, (Ask){D_EXTARG_IGNORED, false, LEVEL_WARNING, false});
    expect(u, (Ask){D_TENSOR_OVERFLOW, true, LEVEL_WARNING, false});
    expect(u, (Ask){D_TENSOR_OVERFLOW, false, LEVEL_ERROR, false});
    wish(u, "portability", WISH_SILENT);
    expect(u, (Ask){D_EXTARG_IGNORED, false, LEVEL_WARNING, true});
    wish(u, "legacy", WISH_SILENT); /* an error cannot be silenced */
    expect(u, (Ask){D_TENSOR_OVERFLOW, true, LEVEL_WARNING, false});
    wish(u, "tensor-overflow", WISH_ERROR);
    wish(u, "extended-ignored", WISH_ERROR);
    expect(u, (Ask){D_TENSOR_OVERFLOW, true, LEVEL_ERROR, false});
    expect(u, (Ask){D_EXTARG_IGNORED, false, LEVEL_ERROR, false});
    severity_comment(u, (Span){1, 2, 50}, (Span){1, 0, 50});
    expect(u, (Ask){D_TENSOR_OVERFLOW, true, LEVEL_WARNING, false});
    expect(u, (Ask){D_TENSOR_OVERFLOW, false, LEVEL_ERROR, false});
    expect(u, (Ask){D_EXTARG_IGNORED, false, LEVEL_WARNING, true});
    assert_int_equal(u->diags.n, 0);
    unit_free(u);
}

/* A finding that one call allows and another one does not is reported for both. */
static void
test_calls(void **state)
{
    (void)state;
    Unit *u = new_unit("lib\ncall # tikc: allow(address-align)\ncall\n");
    VEC_PUSH(&u->arena, &u->chains, (CallStep){0, (Span){1, 4, 8}, "f"});
    VEC_PUSH(&u->arena, &u->chains, (CallStep){0, (Span){1, 38, 42}, "f"});
    severity_comment(u, (Span){1, 9, 37}, (Span){1, 4, 37});
    Span at = {1, 0, 3};
    assert_int_equal(diag_allowable(u, D_ADDRESS_ALIGN, at, 1, "x")->level,
                     LEVEL_WARNING);
    assert_int_equal(u->errors, 0);
    assert_int_equal(diag_allowable(u, D_ADDRESS_ALIGN, at, 2, "x")->level, LEVEL_ERROR);
    assert_int_equal(u->errors, 1);
    assert_int_equal(u->diags.n, 2);
    unit_free(u);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
