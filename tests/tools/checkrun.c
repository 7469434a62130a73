/* checkrun.c: answers instructions on standard input with the rules that they break, one
 * line each, for tests/random/rules.py. A line has the op, the processor, then the
 * operands in call order:
 *  tensor   buffer:scope:dtype:byte_offset:bytes
 *  mask     form:w0:w1:w2:w3      form as in MaskForm
 *  number   v, or ~v when it is known only at run time
 * An answer is "ok", or RULE@operand for each step that is broken, in the checker's
 * order. */
#include "../unit/fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
read_tensor(char *word, CheckTensor *t)
{
    char scope[16], dtype[16];
    unsigned buffer;
    long long offset, bytes;
    if (sscanf(word, "%u:%15[^:]:%15[^:]:%lld:%lld", &buffer, scope, dtype, &offset,
               &bytes) != 5) {
        return false;
    }
    *t = (CheckTensor){.buffer = buffer, .offset = offset, .bytes = bytes};
    t->dtype = dtype_find(dtype);
    for (int s = 0; s < SC_COUNT; s++) {
        if (strcmp(scope_name((Scope)s), scope) == 0) {
            t->scope = (Scope)s;
            return t->dtype != DT_NONE;
        }
    }
    return false;
}

static bool
read_mask(const char *word, CheckMask *m)
{
    int form;
    unsigned long long w[4];
    if (sscanf(word, "%d:%llu:%llu:%llu:%llu", &form, &w[0], &w[1], &w[2], &w[3]) != 5) {
        return false;
    }
    m->form = (MaskForm)form;
    for (int i = 0; i < 4; i++) {
        m->w[i] = w[i];
    }
    return form >= MASK_COUNT && form <= MASK_COUNTER;
}

static bool
read_operand(char *word, Role role, CheckArg *a)
{
    switch (role) {
    case ROLE_DST:
    case ROLE_SRC:
        return read_tensor(word, &a->t);
    case ROLE_MASK:
        return read_mask(word, &a->m);
    default:
        a->literal = word[0] != '~';
        a->v = strtoll(word + !a->literal, NULL, 10);
        return true;
    }
}

static bool
read_line(char *line, CheckInstr *in)
{
    char *save;
    char *op = strtok_r(line, " \n", &save);
    char *soc = strtok_r(NULL, " \n", &save);
    memset(in, 0, sizeof *in);
    if (!op || !soc || !op_find(op, &in->op) || !(in->soc = soc_find(soc))) {
        return false;
    }
    int n;
    const ParamInfo *p = form_params(op_table[in->op].form, &n);
    for (int i = 0; i < n; i++) {
        char *word = p[i].role == ROLE_MASKMODE ? "" : strtok_r(NULL, " \n", &save);
        if (!word || (word[0] && !read_operand(word, p[i].role, &in->args[i]))) {
            return false;
        }
    }
    return true;
}

static void
answer(const CheckInstr *in)
{
    CheckStep steps[MAX_CHECK_STEPS];
    Fault f, first = {RULE_NONE};
    int broken = 0;
    bool untold = false;
    if (!check_static(in, &f)) {
        printf("%s@%d\n", rule_table[f.rule].name, f.param);
        return;
    }
    int n = check_steps(in->op, steps);
    for (int i = 0; i < n; i++) {
        if (!check_step(in, steps[i], &f)) {
            first = broken == 0 ? f : first;
            untold = untold || !fault_numbers_hold(&f);
            printf("%s%s@%d", broken ? " " : "", rule_table[f.rule].name, f.param);
            broken++;
        }
    }
    bool all = check_values(in, &f);
    if (all != (broken == 0) || (!all && f.rule != first.rule)) {
        printf(" disagrees-with-check-values");
    }
    if (untold) {
        printf(" has-numbers-that-its-text-does-not-tell");
    }
    puts(broken ? "" : "ok");
}

int
main(void)
{
    char line[1024];
    while (fgets(line, sizeof line, stdin)) {
        CheckInstr in;
        if (!read_line(line, &in)) {
            puts("unreadable");
        } else {
            answer(&in);
        }
    }
    return 0;
}
