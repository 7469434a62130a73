/* test_ops_emu.c: compares the functions that compiled kernels call (runtime/ops) with
 * the emulator (runtime/emu), which has its own: random operands, numbers, readings of
 * choices and memory, on some processors, for each instruction that has such a function.
 * Both get the same bytes in all memories, and must leave the same or break the same
 * rule. What is drawn is small, so that much of it is legal, and memories are as small as
 * that. */
#include "emu/emu.h"
#include "isa/choice.h"
#include "isa/operand.h"
#include "ops/ops.h"
#include "rules/check.h"
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
    SHAPES = 4000, /* operands without numbers that are drawn for an instruction */
    MENDED = 200,  /* the same, with the steps that mend them */
    TAKEN = 12,    /* of them that are tried */
    OF_SLICES =
        60,     /* the same of instructions on slices, whose lengths make more paths */
    DRAWS = 15, /* draws of numbers for each */
    RUNS = 12   /* of them that are executed */
};

/* ---- memories ------------------------------------------------------------ */

/* What the emulator has of a case. Regions are those of the tensors. */
typedef struct Emu {
    EmuKernel k;
    TikBlobRegion regions[MAX_PARAMS];
    TikArray arrays[MAX_PARAMS];
    TikArray *args[MAX_PARAMS];
    uint32_t region_of[MAX_PARAMS]; /* by operand */
    EmuProgram *program;
    EmuResult result;
} Emu;

static void
add_region(Emu *e, const Case *c, int i)
{
    const CheckTensor *t = &c->in.args[i].t;
    uint32_t g = e->k.nregions++;
    int64_t base = 0;
    for (uint32_t k = 0; k < g; k++) {
        base += e->regions[k].scope == t->scope ? e->regions[k].bytes : 0;
    }
    if (t->scope == SC_GM) {
        base = e->k.nargs++;
        e->args[base] = &e->arrays[base];
        assert_true(tik_array_alloc(&e->arrays[base], DT_U8, ROOM, NULL));
    }
    e->regions[g] = (TikBlobRegion){
        .scope = t->scope, .dtype = t->dtype, .base = base, .bytes = t->bytes};
    e->region_of[i] = g;
}

/* Returns whether the memories of the processor have room for the regions. */
static bool
add_regions(Emu *e, const Case *c)
{
    for (int i = 0; i < c->n; i++) {
        if (!is_tensor(&c->p[i])) {
            continue;
        }
        int same = 0;
        while (same < i && (!is_tensor(&c->p[same]) ||
                            c->in.args[same].t.buffer != c->in.args[i].t.buffer)) {
            same++;
        }
        if (same < i) {
            e->region_of[i] = e->region_of[same];
        } else {
            add_region(e, c, i);
        }
        const TikBlobRegion *g = &e->regions[e->region_of[i]];
        if (g->scope != SC_GM && g->base + g->bytes > c->in.soc->bytes[g->scope]) {
            return false;
        }
    }
    return true;
}

static TikNum
imm(int64_t v)
{
    return (TikNum){.kind = NUM_IMM, .imm = v};
}

static bool
make_program(Emu *e, const Case *c)
{
    TikDesc *d = calloc(1, sizeof *d);
    assert_non_null(d);
    d->kind = DESC_INSTR;
    d->op = c->in.op;
    for (int i = 0; i < c->n; i++) {
        const CheckArg *a = &c->in.args[i];
        d->args[i].v = imm(a->v);
        if (is_tensor(&c->p[i])) {
            d->args[i].t = (TikOperand){
                .region = e->region_of[i], .offset = a->t.offset, .dtype = a->t.dtype};
        } else if (c->p[i].role == ROLE_MASK) {
            d->mask_form = a->m.form;
            for (int w = 0; w < 4; w++) {
                d->args[i].mask[w] = imm((int64_t)a->m.w[w]);
            }
        }
    }
    e->program = emu_new(&e->k, &e->result);
    bool ok = e->program != NULL && emu_add(e->program, d, &e->result) &&
              emu_finish(e->program, &e->result);
    free(d);
    return ok;
}

/* Numbers of all sizes, and now and then one that is special. kind: bytes of any value,
 * small integers, or offsets of blocks that are near. */
static void
fill(uint8_t *p, int64_t n, int64_t kind)
{
    static const uint32_t special[] = {0,          0x3c003c00, 0x7c007c00, 0xfbff7bff,
                                       0x80008000, 0x7e00fc00, 0x7f800000, 0xffc00001,
                                       0x3f800000, 0x7bff7bff};
    for (int64_t i = 0; i + 4 <= n; i += 4) {
        uint32_t v = (uint32_t)(random_next(&state_of_random) >> 32);
        v = kind == 1 ? (uint32_t)rnd(64) : kind == 2 ? 32 * (uint32_t)rnd(64) : v;
        v = kind == 3 ? 0x3c003c00 + (v & 0x0fff0fff) : v;
        v = kind != 2 && rnd(9) == 0 ? special[rnd(sizeof special / sizeof *special)] : v;
        memcpy(p + i, &v, 4);
    }
}

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
        const TikBlobRegion *x = &e->regions[g];
        bool gm = x->scope == SC_GM;
        fill(gm ? e->arrays[x->base].data
                : e->program->scratch + e->program->scope_at[x->scope] + x->base,
             x->bytes, rnd(5));
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

static void
show(const Case *c)
{
    for (int i = 0; i < c->n; i++) {
        const CheckArg *a = &c->in.args[i];
        if (is_tensor(&c->p[i])) {
            printf("  %s: %s in %s, root %u from byte %lld\n", c->p[i].name,
                   dtype_name(a->t.dtype), scope_name(a->t.scope), a->t.buffer,
                   (long long)a->t.offset);
        } else if (c->p[i].role == ROLE_MASK) {
            printf("  mask of form %d: %llx %llx\n", a->m.form,
                   (unsigned long long)a->m.w[0], (unsigned long long)a->m.w[1]);
        } else {
            printf("  %s: %lld\n", c->p[i].name, (long long)a->v);
        }
    }
}

/* Makes the program of the emulator. False: a memory is too small, or it is none. */
static bool
begin(Emu *e, const Case *c)
{
    *e = (Emu){.k = {.soc = c->in.soc, .choices = c->choices, .cores = 1}};
    e->k.regions = e->regions;
    e->k.args = e->args;
    return add_regions(e, c) && make_program(e, c);
}

static void
end(Emu *e)
{
    emu_free(e->program);
    for (uint32_t i = 0; i < e->k.nargs; i++) {
        tik_array_free(&e->arrays[i]);
    }
}

static bool
run_case(const Case *c, int *wrong)
{
    Emu e;
    bool made = begin(&e, c);
    if (made) {
        Ran r = copies(&e), before = copy_of(&e, &r);
        const char *text = compare(&e, c, &r);
        if (text == NULL && r.ok && !check_reads_dst(&c->in)) {
            text = accesses(&e, c, &before, &r);
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
    bool made = begin(&e, c);
    end(&e);
    out.in.args[i].t.offset = out.in.args[i].t.bytes + 32 * (1 + rnd(100));
    made = begin(&e, &out) && made;
    if (made && emu_run(e.program, &e.result)) {
        printf("%s on %s: %s is outside\n", op_table[c->in.op].name, c->in.soc->name,
               c->p[i].name);
        show(&out);
        (*wrong)++;
    }
    end(&e);
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
            }
        }
        taken += runs > 0;
        all += runs;
    }
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
    assert_true(begin(&e, &c));
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
