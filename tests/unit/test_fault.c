/* test_fault.c: what is said of a broken rule names the operand that the fault points at,
 * for random operands and numbers of every instruction on every processor; and a tensor
 * that is accessed breaks a rule when it begins before or after its memory. */
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
    SHAPES = 50, /* operands without numbers that are drawn for an instruction */
    NUMBERS = 4  /* numbers of each */
};

static int faults, outside, wrong;

/* Rules that have other words for the operand, and how its name begins then; "": it is
 * any tensor. */
static const struct {
    Rule rule;
    const char *name;
} worded[] = {{RULE_PATH, ""},
              {RULE_TYPE_PAIR, ""},
              {RULE_DST_OVERLAP, "dst_"},
              {RULE_MASK_MODE, "mask"},
              {RULE_MASK_PAIRS, "mask"},
              {RULE_EXTARG, "mode"},
              {RULE_PADMODE_PATH, "mode"},
              {RULE_BLOCKMODE, "block_mode"},
              {RULE_DEQ_MISSING, "mode"},
              {RULE_DEQ_PAIR, "dst"},
              {RULE_PAD_B64, "padding_value"},
              {RULE_IMAGE_CROP, "dst_horizontal_size"},
              {RULE_TRANSPOSE, "en_transpose"},
              {RULE_SLICE_FIT, "src_start_index"},
              {RULE_LOOP_BOUNDS, "dtype"},
              {RULE_SYNC_SAME_PIPE, "trigger_pipe"},
              {RULE_BLOCK_COUNT, "count"}};

/* Rules on lists of SliceInfo name the list. */
static bool
names_list(const char *name, const Fault *f)
{
    char list[16];
    snprintf(list, sizeof list, "%.3s_slice_info", name);
    return strstr(f->text, list) != NULL;
}

static bool
is_named(const Case *c, const Fault *f)
{
    const ParamInfo *p = &c->p[f->param];
    bool found = strstr(f->text, p->name) != NULL || names_list(p->name, f);
    for (size_t i = 0; i < sizeof worded / sizeof *worded; i++) {
        const char *name = worded[i].name;
        found =
            found ||
            (worded[i].rule == f->rule &&
             (name[0] != 0 ? strncmp(p->name, name, strlen(name)) == 0 : is_tensor(p)));
    }
    return found;
}

static void
look(const Case *c, const Fault *f)
{
    if (f->param >= c->n || f->text[0] == 0 || (f->param >= 0 && !is_named(c, f))) {
        printf("%s: %s at operand %d: %s\n", op_table[c->in.op].name,
               rule_table[f->rule].name, f->param, f->text);
        wrong++;
    }
    faults++;
}

static void
begin_outside(const Case *c)
{
    Case out = *c;
    Fault f;
    for (int i = 0; i < c->n; i++) {
        if (!is_tensor(&c->p[i]) || check_extent(&c->in, i) == 0) {
            continue;
        }
        CheckTensor *t = &out.in.args[i].t;
        const int64_t at[] = {-32, -t->bytes, t->bytes + 32, INT64_MIN, INT64_MAX - 31};
        int64_t was = t->offset;
        for (int k = 0; k < 5; k++) {
            t->offset = at[k];
            if (check_values(&out.in, &f)) {
                printf("%s: %s begins at %lld\n", op_table[c->in.op].name, c->p[i].name,
                       (long long)at[k]);
                wrong++;
            } else {
                look(&out, &f);
            }
            outside++;
        }
        t->offset = was;
    }
}

static bool
shape(Case *c, Op op)
{
    Fault f;
    (void)draw_shape(c, op);
    if (rnd(2)) {
        c->in.soc = soc_at((int)rnd(soc_count()));
        for (int i = 0; i < c->n; i++) {
            if (is_tensor(&c->p[i]) && rnd(2)) {
                set_scope(&c->in.args[i].t, scope_of_soc(c->in.soc));
            }
        }
    }
    bool ok = check_static(&c->in, &f);
    if (!ok) {
        look(c, &f);
        ok = draw_mended(c, op);
    }
    return ok;
}

static void
numbers(Case *c)
{
    Fault f;
    draw_numbers(c);
    if (!check_values(&c->in, &f)) {
        look(c, &f);
        if (!numbers_mended(c)) {
            return;
        }
    }
    begin_outside(c);
}

static void
all_instructions(void **state)
{
    (void)state;
    for (Op op = 0; op < OP_COUNT; op++) {
        Case c = {.n = 0};
        for (int i = 0; i < SHAPES; i++) {
            bool ok = shape(&c, op);
            for (int j = 0; ok && j < NUMBERS; j++) {
                numbers(&c);
            }
        }
    }
    printf("%d faults, %d tensors outside\n", faults, outside);
    assert_int_equal(wrong, 0);
}

/* An argument is another seed. */
int
main(int argc, char **argv)
{
    state_of_random = argc > 1 ? strtoull(argv[1], NULL, 10) : state_of_random;
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_instructions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
