/* test_limits.c: the ranges of all rows of form.def, of each instruction for which
 * operands are found: a number at either limit is legal, the next one breaks the rule of
 * its row, and the fault says which number it is and that it is outside of what it says
 * is legal. Compile-time integers outside of theirs are no instruction at all. */
#include "ops_draw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum {
    TRIES = 2000, /* operands that are drawn for an instruction until some are legal */
    CASES = 3     /* of each instruction */
};

static int wrong;

static void
say(const Case *c, int i, const char *what)
{
    printf("%s: %s %lld: %s\n", op_table[c->in.op].name, c->p[i].name,
           (long long)c->in.args[i].v, what);
    wrong++;
}

static bool
says_itself(const Case *c, int i, const Fault *f)
{
    int64_t v = c->in.args[i].v;
    return f->rule == (Rule)c->p[i].rule && f->param == i && f->value == v &&
           (v < f->lo || v > f->hi) && f->text[0] != 0;
}

/* A number of repeats that is no literal may be 0, and in counter mode it is not read. */
static void
number_at(Case c, int i, int64_t v, bool legal)
{
    Fault f = {.rule = RULE_NONE};
    c.in.args[i].v = v;
    c.in.args[i].literal = true;
    if (check_step(&c.in, (CheckStep){CHECK_RANGE, i}, &f) != legal) {
        say(&c, i, legal ? "is refused" : "is taken");
    } else if (!legal && !says_itself(&c, i, &f)) {
        say(&c, i, f.text);
    }
}

static bool
counts(const Case *c)
{
    int slot = form_first(op_table[c->in.op].form, ROLE_MASK);
    return slot >= 0 && c->in.args[slot].m.form == MASK_COUNTER;
}

static void
numbers(const Case *c)
{
    for (int i = 0; i < c->n; i++) {
        const ParamInfo *p = &c->p[i];
        bool ranged = p->role == ROLE_INT || (p->role == ROLE_REPEAT && !counts(c));
        if (!ranged || p->rule == RULE_NONE) {
            continue;
        }
        number_at(*c, i, param_lo(p), true);
        number_at(*c, i, param_hi(p), true);
        number_at(*c, i, param_lo(p) - 1, false);
        number_at(*c, i, param_hi(p) + 1, false);
    }
}

static void
attribute_at(Case c, int i, int64_t v)
{
    c.in.args[i].v = v;
    if (check_static(&c.in, NULL)) {
        say(&c, i, "is taken");
    }
}

static void
attributes(const Case *c)
{
    for (int i = 0; i < c->n; i++) {
        const ParamInfo *p = &c->p[i];
        if (p->role == ROLE_ATTR && p->rule != RULE_NONE) {
            attribute_at(*c, i, param_lo(p) - 1);
            attribute_at(*c, i, param_hi(p) + 1);
        }
    }
}

static int
try_op(Op op)
{
    int found = 0;
    for (int i = 0; i < TRIES && found < CASES; i++) {
        Case c = {.n = 0};
        if (draw_mended(&c, op)) {
            found++;
            numbers_mended(&c);
            numbers(&c);
            attributes(&c);
        }
    }
    return found;
}

static void
all_rows(void **state)
{
    (void)state;
    int found = 0;
    for (Op op = 0; op < OP_COUNT; op++) {
        int n = try_op(op);
        found += n > 0;
        if (n == 0) {
            printf("nothing found of %s\n", op_table[op].name);
        }
    }
    printf("%d of %d instructions\n", found, OP_COUNT);
    assert_int_equal(wrong, 0);
    assert_true(found >= OP_COUNT - 10);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
