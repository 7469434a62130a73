/* test_ops_emu.c: compares the functions that compiled kernels call (runtime/ops) with
 * the emulator (runtime/emu), which has its own: random operands, numbers, readings of
 * choices and memory, on some processors, for each instruction that has such a function.
 * Both get the same bytes in all memories, and must leave the same or break the same
 * rule. What is drawn is small, so that much of it is legal, and memories are as small as
 * that. What is legal also does not depend on whether a source is in the tensor that is
 * written, and the emulator refuses numbers that no instruction has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "ops/ops.h"
#include "ops_emu.h"
#include "rules/internal.h"

enum {
    SHAPES = 4000, /* operands without numbers that are drawn for an instruction */
    MENDED = 200,  /* the same, with the steps that mend them */
    TAKEN = 12,    /* of them that are tried */
    OF_SLICES =
        60,     /* the same of instructions on slices, whose lengths make more paths */
    DRAWS = 15, /* draws of numbers for each */
    RUNS = 12,  /* of them that are executed */
    LEAST = 6   /* huge numbers of which one at least is refused */
};

/* ---- running ------------------------------------------------------------- */

typedef struct Ran {
    uint8_t *scratch, *gm; /* copies of all memories, and what becomes of them */
    bool ok;
    Rule rule;
} Ran;

static void
run_ops(const Emu *e, const Case *c, Ran *r)
{
    static Flags flags;
    flags = (Flags){0};
    OpCall call = {.in = c->in, .flags = &flags, .instr = c};
    call.sreg = r->scratch + e->program->scope_at[SC_SREG];
    sreg_reset(call.sreg, 0);
    for (int i = 0; i < c->n; i++) {
        if (is_tensor(&c->p[i])) {
            const TikBlobRegion *g = &e->regions[e->region_of[i]];
            uint8_t *base = g->scope == SC_GM
                                ? r->gm + g->base * ROOM
                                : r->scratch + e->program->scope_at[g->scope] + g->base;
            call.at[i] = base + c->in.args[i].t.offset;
        }
    }
    r->ok = ops_find(op_table[c->in.op].sem)(&call);
    r->rule = call.fault.rule;
}

static bool
same_memory(const Emu *e, const Ran *r)
{
    bool same = true;
    for (uint32_t i = 0; i < e->k.nargs; i++) {
        same = same && memcmp(e->arrays[i].data, r->gm + i * ROOM, ROOM) == 0;
    }
    return same && memcmp(e->program->scratch, r->scratch,
                          (size_t)e->program->scratch_bytes) == 0;
}

/* Fills the memories, and copies them for the functions. */
static Ran
copies(Emu *e)
{
    size_t bytes = (size_t)e->program->scratch_bytes;
    Ran r = {.scratch = malloc(bytes), .gm = malloc(MAX_PARAMS * ROOM)};
    assert_true(r.scratch != NULL && r.gm != NULL);
    for (uint32_t g = 0; g < e->k.nregions; g++) {
        fill_region(e, g);
    }
    memcpy(r.scratch, e->program->scratch, bytes);
    for (uint32_t i = 0; i < e->k.nargs; i++) {
        memcpy(r.gm + i * ROOM, e->arrays[i].data, ROOM);
    }
    return r;
}

static Ran
copy_of(const Emu *e, const Ran *r)
{
    size_t bytes = (size_t)e->program->scratch_bytes;
    Ran n = {.scratch = malloc(bytes), .gm = malloc(MAX_PARAMS * ROOM)};
    assert_true(n.scratch != NULL && n.gm != NULL);
    memcpy(n.scratch, r->scratch, bytes);
    memcpy(n.gm, r->gm, e->k.nargs * ROOM);
    return n;
}

static void
free_ran(Ran *r)
{
    free(r->scratch);
    free(r->gm);
}

/* Returns null, or what is wrong. */
static const char *
compare(Emu *e, const Case *c, Ran *r)
{
    run_ops(e, c, r);
    bool ok = emu_run(e->program, &e->result);
    return ok != r->ok                              ? "one breaks a rule"
           : !ok && r->rule != e->result.fault.rule ? "other rules"
           : ok && !same_memory(e, r)               ? "other bytes"
                                                    : NULL;
}

/* ---- what the rules say is accessed -------------------------------------- */

/* Marks of a byte: it is read, written, and certainly written. */
enum {
    READ = 1,
    WRITTEN = 2,
    SURELY = 4
};

static void
mark(const Case *c, const Emu *e, uint8_t marks[][ROOM])
{
    for (int i = 0; i < c->n; i++) {
        if (!is_tensor(&c->p[i])) {
            continue;
        }
        bool exact, dst = c->p[i].role == ROLE_DST;
        Footprint f = check_footprint(&c->in, i, &exact);
        uint8_t as = (uint8_t)(!dst ? READ : exact ? WRITTEN | SURELY : WRITTEN);
        for (int64_t k = 0; f.len > 0 && k < f.count0 * f.count1; k++) {
            int64_t at = f.offset + k / f.count1 * f.stride0 + k % f.count1 * f.stride1;
            for (int64_t b = at; b < at + f.len && b < ROOM; b++) {
                marks[e->region_of[i]][b] |= as;
            }
        }
    }
}

static uint8_t *
bytes_of_region(const Emu *e, uint32_t g, uint8_t *scratch, uint8_t *gm)
{
    const TikBlobRegion *x = &e->regions[g];
    return x->scope == SC_GM ? gm != NULL ? gm + x->base * ROOM : e->arrays[x->base].data
                             : scratch + e->program->scope_at[x->scope] + x->base;
}

/* Runs the emulator again, with other bytes wherever the rules say that nothing is read:
 * what is written is the same, and all other bytes stay. */
static const char *
accesses(Emu *e, const Case *c, const Ran *before, const Ran *after)
{
    static uint8_t marks[MAX_PARAMS][ROOM];
    const char *text = NULL;
    memset(marks, 0, sizeof marks);
    mark(c, e, marks);
    memcpy(e->program->scratch, before->scratch, (size_t)e->program->scratch_bytes);
    for (uint32_t g = 0; g < e->k.nregions; g++) {
        uint8_t *p = bytes_of_region(e, g, e->program->scratch, NULL);
        memcpy(p, bytes_of_region(e, g, before->scratch, before->gm),
               (size_t)e->regions[g].bytes);
        for (int64_t i = 0; i < e->regions[g].bytes; i++) {
            p[i] = marks[g][i] & READ ? p[i] : (uint8_t)~p[i];
        }
    }
    if (!emu_run(e->program, &e->result)) {
        return "it depends on bytes that are not read";
    }
    for (uint32_t g = 0; g < e->k.nregions; g++) {
        const uint8_t *p = bytes_of_region(e, g, e->program->scratch, NULL);
        const uint8_t *is = bytes_of_region(e, g, after->scratch, after->gm);
        const uint8_t *was = bytes_of_region(e, g, before->scratch, before->gm);
        for (int64_t i = 0; i < e->regions[g].bytes; i++) {
            uint8_t m = marks[g][i], other = m & READ ? was[i] : (uint8_t)~was[i];
            bool stays = is[i] == was[i] && p[i] == other;
            text = m & WRITTEN ? is[i] == p[i] || (stays && !(m & SURELY))
                                     ? text
                                     : "a byte is not written, or depends on others"
                   : stays     ? text
                               : "a byte is written that no rule knows";
        }
    }
    return text;
}

/* Sources of proposals may overlap: a repeat reads all of them before it writes. A slice
 * that is written and read has its elements in an order, if they share bytes. A padding
 * reads blocks without active lanes, too, which do not count. */
static bool
may_overlap(Op op, int i)
{
    Form f = op_table[op].form;
    bool pairs = f == FORM_PAIRS || f == FORM_MERGE || f == FORM_MERGE4;
    return !check_has_overlap(op, i) || form_family(f) == FAM_SLICE ||
           op == OP_VPADDING || (form_family(f) == FAM_SORT && !pairs);
}

/* Returns whether a source shares its tensor with the destination, where that is limited,
 * and puts each such source into a tensor of its own. */
static bool
draw_apart(const Case *c, Case *out)
{
    bool any = false;
    int dst = form_first(op_table[c->in.op].form, ROLE_DST);
    *out = *c;
    for (int i = 0; dst >= 0 && i < c->n; i++) {
        CheckTensor *t = &out->in.args[i].t;
        if (!may_overlap(c->in.op, i) && t->buffer == c->in.args[dst].t.buffer) {
            t->buffer = (uint32_t)(MAX_PARAMS + i);
            any = true;
        }
    }
    return any;
}

/* Where no repeat reads what the one before has written, and there are no more than two,
 * sources have the bytes from before the instruction: the results are those of sources
 * that are other tensors with these bytes. */
static const char *
without_overlap(const Emu *e, const Case *c, const Ran *before, const Ran *after)
{
    Case out;
    Emu x;
    const char *text = NULL;
    int dst = form_first(op_table[c->in.op].form, ROLE_DST);
    if (!draw_apart(c, &out) || check_repeats(&c->in) > 2) {
        return NULL;
    }
    if (begin(&x, &out, false)) {
        for (int i = 0; i < c->n; i++) {
            if (is_tensor(&c->p[i])) {
                uint32_t g = e->region_of[i], to = x.region_of[i];
                memcpy(bytes_of_region(&x, to, x.program->scratch, NULL),
                       bytes_of_region(e, g, before->scratch, before->gm),
                       (size_t)e->regions[g].bytes);
            }
        }
        uint32_t g = e->region_of[dst], to = x.region_of[dst];
        bool same = emu_run(x.program, &x.result) &&
                    memcmp(bytes_of_region(&x, to, x.program->scratch, NULL),
                           bytes_of_region(e, g, after->scratch, after->gm),
                           (size_t)e->regions[g].bytes) == 0;
        text = same ? NULL : "it reads what it has written";
    }
    end(&x);
    return text;
}

static bool
run_case(const Case *c, int *wrong)
{
    Emu e;
    bool made = begin(&e, c, false);
    if (made) {
        Ran r = copies(&e), before = copy_of(&e, &r);
        const char *text = compare(&e, c, &r);
        if (text == NULL && r.ok && !check_reads_dst(&c->in)) {
            text = accesses(&e, c, &before, &r);
            text = text == NULL ? without_overlap(&e, c, &before, &r) : text;
        }
        if (text != NULL) {
            printf("%s on %s: %s\n", op_table[c->in.op].name, c->in.soc->name, text);
            show(c);
            (*wrong)++;
        }
        free_ran(&r);
        free_ran(&before);
    }
    end(&e);
    return made;
}

static bool
repeats(const Case *c)
{
    bool any = true;
    for (int i = 0; i < c->n; i++) {
        any = any && (c->p[i].role != ROLE_REPEAT || c->in.args[i].v != 0);
    }
    return any;
}

/* Puts a tensor that is accessed after the end of its memory, and the block that an array
 * has more: the emulator, which no rule was asked for, must see that for each operand. */
static void
run_outside(const Case *c, int *wrong)
{
    Emu e;
    Case out = *c;
    int i = (int)rnd(c->n);
    bool work = strcmp(c->p[i].name, "work_tensor") == 0; /* its bytes are not used */
    if (!is_tensor(&c->p[i]) || work || !repeats(c) || check_extent(&c->in, i) == 0) {
        return;
    }
    bool made = begin(&e, c, false);
    end(&e);
    out.in.args[i].t.offset = out.in.args[i].t.bytes + 32 * (1 + rnd(100));
    made = begin(&e, &out, false) && made;
    if (made && emu_run(e.program, &e.result)) {
        printf("%s on %s: %s is outside\n", op_table[c->in.op].name, c->in.soc->name,
               c->p[i].name);
        show(&out);
        (*wrong)++;
    }
    end(&e);
}

/* Numbers of which any value but 0 says the same, or that are no more than a number. */
static bool
is_any(const char *name)
{
    static const char *const any[] = {"is_bias", "deqscale", "mode_param",
                                      "uv_swap", "ax_swap",  "single_line_enable"};
    bool found = false;
    for (size_t i = 0; i < sizeof any / sizeof *any; i++) {
        found = found || strcmp(name, any[i]) == 0;
    }
    return found;
}

/* How often each number of an instruction was huge, and how often it was executed then.
 */
typedef struct Huge {
    int tried[MAX_PARAMS], executed[MAX_PARAMS];
} Huge;

/* Gives a number, which no rule was asked for, a value that no instruction has. */
static void
run_huge(const Case *c, Huge *h)
{
    static const int64_t huge[] = {(int64_t)1 << 40, INT64_MIN, INT64_MAX};
    Emu e;
    Case out = *c;
    int i = (int)rnd(c->n);
    bool number = c->p[i].role == ROLE_INT || c->p[i].role == ROLE_REPEAT;
    if (!number || is_any(c->p[i].name) || op_table[c->in.op].form == FORM_IMAGE) {
        return;
    }
    out.in.args[i].v = huge[rnd(3)];
    bool made = begin(&e, &out, false);
    h->tried[i] += made;
    h->executed[i] += made && emu_run(e.program, &e.result);
    end(&e);
}

/* The emulator executes such a number only where nothing reads it. */
static int
never_refused(Op op, const Huge *h)
{
    int n, wrong = 0;
    const ParamInfo *p = form_params(op_table[op].form, &n);
    for (int i = 0; i < n; i++) {
        if (h->tried[i] >= LEAST && h->executed[i] == h->tried[i]) {
            printf("%s: %s is never too large\n", op_table[op].name, p[i].name);
            wrong++;
        }
    }
    return wrong;
}

static bool
draw_legal_numbers(Case *c)
{
    draw_numbers(c);
    return check_values(&c->in, NULL);
}

/* Every second one is mended, while few were tried or none is found. */
static int
try_op(Op op, int *wrong)
{
    Case c = {.n = 0};
    Huge huge = {0};
    int taken = 0, all = 0;
    int most = form_family(op_table[op].form) == FAM_SLICE ? OF_SLICES : TAKEN;
    for (int i = 0; i < SHAPES && taken < most && *wrong == 0; i++) {
        memset(&c.choices, 0, sizeof c.choices);
        for (int k = 0; k < CHOICE_COUNT && i % 4 > 1; k++) {
            int reading = (int)rnd(3);
            c.choices.v[k] =
                choice_has_reading((Choice)k, reading) ? (uint8_t)reading : 0;
        }
        int runs = 0;
        bool mended = i % 2 && (i < 2 * MENDED || (taken == 0 && i < 20 * MENDED));
        bool ok = mended ? draw_mended(&c, op) : draw_shape(&c, op);
        for (int j = 0; ok && j < DRAWS && runs < RUNS && *wrong == 0; j++) {
            bool legal = mended ? numbers_mended(&c) : draw_legal_numbers(&c);
            bool ran = legal && run_case(&c, wrong);
            runs += ran;
            if (ran && rnd(2)) {
                run_outside(&c, wrong);
                run_huge(&c, &huge);
            }
        }
        taken += runs > 0;
        all += runs;
    }
    *wrong += never_refused(op, &huge);
    return all;
}

/* Most instructions of element after element have code of their own in kernels, and no
 * function; moves have one for atomic writes, conversions for int4. */
static bool
has_function(Op op)
{
    OpFn *fn = ops_find(op_table[op].sem);
    Family family = form_family(op_table[op].form);
    return fn == ops_each ? family == FAM_SLICE : fn != ops_none;
}

static void
all_functions(void **state)
{
    (void)state;
    int ops = 0, with = 0, all = 0, bad = 0;
    for (Op op = 0; op < OP_COUNT; op++) {
        int wrong = 0, runs = has_function(op) ? try_op(op, &wrong) : 0;
        with += has_function(op);
        ops += runs > 0;
        all += runs;
        bad += wrong;
    }
    printf("%d of %d instructions with a function, %d runs\n", ops, with, all);
    assert_int_equal(bad, 0);
    assert_true(ops >= 120 && all >= 30000);
}

/* Three repeats fill all but 16 bytes of the tensor, the last ones over the bits, of
 * which half are set: then all are, and the elements of the fourth repeat have no room.
 */
static void
bits_that_are_overwritten(void **state)
{
    (void)state;
    Case c = {.in = {.op = OP_VREDUCEV2_BITS, .soc = soc_find("Ascend910B1")}};
    c.p = form_params(op_table[c.in.op].form, &c.n);
    CheckArg *a = c.in.args;
    a[PICK_mask].v = 16;
    a[PICK_repeat_times].v = 4;
    a[PICK_src0_blk_stride].v = 1;
    for (int i = 0; i < 3; i++) {
        static const int slot[] = {PICK_dst, PICK_src0, PICK_src1_pattern};
        static const int64_t offset[] = {ROOM - 64, 0, ROOM - 32};
        a[slot[i]].t = (CheckTensor){.scope = SC_UB, .dtype = DT_U16, .bytes = ROOM};
        a[slot[i]].t.offset = offset[i];
    }
    assert_true(check_values(&c.in, NULL));
    Emu e;
    assert_true(begin(&e, &c, false));
    Ran r = copies(&e);
    uint8_t *ub = e.program->scratch + e.program->scope_at[SC_UB];
    uint8_t *of_ops = r.scratch + e.program->scope_at[SC_UB];
    memset(ub, 0xff, 32);
    memset(ub + ROOM - 32, 0x55, 2);
    memcpy(of_ops, ub, ROOM);
    run_ops(&e, &c, &r);
    assert_false(r.ok || emu_run(e.program, &e.result));
    assert_int_equal(r.rule, RULE_TENSOR_OVERFLOW);
    assert_int_equal(e.result.fault.rule, RULE_TENSOR_OVERFLOW);
    free_ran(&r);
    end(&e);
}

/* An argument is another seed. */
int
main(int argc, char **argv)
{
    state_of_random = argc > 1 ? strtoull(argv[1], NULL, 10) : state_of_random;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_functions),
        cmocka_unit_test(bits_that_are_overwritten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
