/* test_witness.c: asks for the largest value of a byte offset in a nest of loops
 * (analysis/witness.h), and for those that are not known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/witness.h"

/* A loop of i around one of j, and the offset 96 * i - 32 * j + 8. */
typedef struct World {
    Unit u;
    Kernel *k;
    Env env;
    Frame frame[2];
    ExprId offset;
} World;

static int
begin(void **state)
{
    World *w = calloc(1, sizeof *w);
    unit_init(&w->u);
    Kernel *k = w->k = kernel_new(&w->u);
    ExprId term[2];
    for (int i = 0; i < 2; i++) {
        VarId v = ir_var(k, intern(&w->u.names, i == 0 ? "i" : "j"), DT_S64);
        w->frame[i] = (Frame){
            .var = v, .begin = ir_const(k, DT_S64, 2), .end = ir_const(k, DT_S64, 5 + i)};
        term[i] = ir_op2(k, SOP_MUL, ir_var_value(k, v),
                         ir_const(k, DT_S64, i == 0 ? 96 : -32));
    }
    w->offset =
        ir_op2(k, SOP_ADD, ir_op2(k, SOP_ADD, term[0], term[1]), ir_const(k, DT_S64, 8));
    env_init(&w->env, k, &w->u.arena);
    for (int i = 0; i < 2; i++) {
        env_set_var(&w->env, w->frame[i].var, interval_between(2, 4 + i));
    }
    *state = w;
    return 0;
}

static int
end(void **state)
{
    World *w = *state;
    kernel_free(w->k);
    unit_free(&w->u);
    free(w);
    return 0;
}

static bool
largest(const World *w, int frames, bool certain, int64_t *out)
{
    Nest nest = {.frames = w->frame, .n = frames, .certain = certain};
    return witness_largest(&w->env, &nest, w->offset, out);
}

/* The last i, and as its factor is negative the first j. */
static void
at_a_corner(void **state)
{
    int64_t out = -1;
    assert_true(largest(*state, 2, true, &out));
    assert_int_equal(out, 96 * 4 - 32 * 2 + 8);
}

/* Nothing is said, and nothing written: of iterations that something may skip, of a loop
 * without iterations, of a branch or a loop whose bounds are not constants, of a variable
 * that no loop of the nest has. */
static void
not_known(void **state)
{
    World *w = *state;
    const Frame outer = w->frame[0];
    ExprId reg =
        ir_reg_value(w->k, ir_reg(w->k, intern(&w->u.names, "n"), DT_S64, (Span){0}));
    int64_t out = -1;
    assert_false(largest(w, 2, false, &out));
    w->frame[0].end = outer.begin;
    assert_false(largest(w, 2, true, &out));
    w->frame[0].end = reg;
    assert_false(largest(w, 2, true, &out));
    w->frame[0] = (Frame){.var = outer.var, .begin = reg, .end = outer.end};
    assert_false(largest(w, 2, true, &out));
    w->frame[0] = (Frame){.cond = reg};
    assert_false(largest(w, 2, true, &out));
    w->frame[0] = outer;
    assert_false(largest(w, 1, true, &out));
    assert_int_equal(out, -1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(at_a_corner, begin, end),
        cmocka_unit_test_setup_teardown(not_known, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
