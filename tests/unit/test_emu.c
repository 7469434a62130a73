/* test_emu.c: checks control, scalars, addresses, cores and refusals of the emulator. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "emu_world.h"
#include "random.h"

static TikDesc *
alu(World *w, uint32_t dst, ScalarOp op, TikNum a, TikNum b)
{
    TikDesc *d = world_add(w, DESC_ALU);
    d->alu_op = op;
    d->dtype = d->from = DT_S32;
    d->reg = dst;
    d->a = a;
    d->b = b;
    return d;
}

static void
store(World *w, TikOperand o, Dtype t, TikNum v)
{
    TikDesc *d = world_add(w, DESC_STORE);
    d->operand = o;
    d->dtype = t;
    d->a = v;
}

static void
loop_from(World *w, uint32_t slot, TikNum a, TikNum b)
{
    TikDesc *d = world_add(w, DESC_LOOP);
    d->slot = slot;
    d->a = a;
    d->b = b;
}

static void
branch(World *w, TikNum cond)
{
    world_add(w, DESC_IF)->a = cond;
}

static int32_t
s32(World *w, uint32_t region, int i)
{
    int32_t v;
    memcpy(&v, world_data(w, region) + 4 * i, 4);
    return v;
}

static void
nested_loops_address_by_their_counters(void **state)
{
    (void)state;
    World *w = world_new("Ascend310P");
    uint32_t g = world_gm(w, DT_S32, 12);
    loop_from(w, 0, imm(0), imm(3));
    loop_from(w, 1, imm(1), imm(4));
    alu(w, 0, SOP_MUL, loop(0), imm(10));
    alu(w, 0, SOP_ADD, reg(0), loop(1));
    store(w, plus(plus(at(w, g, -4), loop(0), 16), loop(1), 4), DT_S32, reg(0));
    world_add(w, DESC_ENDLOOP)->slot = 1;
    world_add(w, DESC_ENDLOOP)->slot = 0;
    assert_true(world_run(w));
    static const int32_t want[12] = {1, 2, 3, 0, 11, 12, 13, 0, 21, 22, 23, 0};
    for (int i = 0; i < 12; i++) {
        assert_int_equal(s32(w, g, i), want[i]);
    }
    world_free(w);
}

static void
break_and_continue_take_the_innermost_loop(void **state)
{
    (void)state;
    World *w = world_new("Ascend310P");
    uint32_t g = world_gm(w, DT_S32, 8);
    /* for i in 0..1: for j in 0..9: if j == 2: continue; if j == 4: break; r0 += 1 */
    loop_from(w, 0, imm(0), imm(2));
    loop_from(w, 1, imm(0), imm(10));
    alu(w, 1, SOP_EQ, loop(1), imm(2));
    branch(w, reg(1));
    world_add(w, DESC_CONTINUE);
    world_add(w, DESC_ENDIF);
    alu(w, 1, SOP_EQ, loop(1), imm(4));
    branch(w, reg(1));
    world_add(w, DESC_BREAK);
    world_add(w, DESC_ELSE);
    alu(w, 0, SOP_ADD, reg(0), imm(1));
    world_add(w, DESC_ENDIF);
    world_add(w, DESC_ENDLOOP)->slot = 1;
    alu(w, 2, SOP_ADD, reg(2), imm(100));
    world_add(w, DESC_ENDLOOP)->slot = 0;
    store(w, at(w, g, 0), DT_S32, reg(0));
    store(w, at(w, g, 4), DT_S32, reg(2));
    world_add(w, DESC_RETURN);
    store(w, at(w, g, 8), DT_S32, imm(7));
    assert_true(world_run(w));
    assert_int_equal(s32(w, g, 0), 6);
    assert_int_equal(s32(w, g, 1), 200);
    assert_int_equal(s32(w, g, 2), 0);
    world_free(w);
}

static void
else_runs_when_the_condition_is_zero(void **state)
{
    (void)state;
    World *w = world_new("Ascend310P");
    uint32_t g = world_gm(w, DT_S32, 2);
    loop_from(w, 0, imm(0), imm(2));
    branch(w, loop(0));
    alu(w, 0, SOP_ADD, imm(5), imm(0));
    world_add(w, DESC_ELSE);
    alu(w, 0, SOP_ADD, imm(9), imm(0));
    world_add(w, DESC_ENDIF);
    store(w, plus(at(w, g, 0), loop(0), 4), DT_S32, reg(0));
    world_add(w, DESC_ENDLOOP)->slot = 0;
    assert_true(world_run(w));
    assert_int_equal(s32(w, g, 0), 9);
    assert_int_equal(s32(w, g, 1), 5);
    world_free(w);
}

static void
empty_and_run_time_loops(void **state)
{
    (void)state;
    World *w = world_new("Ascend310P");
    uint32_t g = world_gm(w, DT_S32, 8);
    loop_from(w, 0, imm(3), imm(3));
    store(w, at(w, g, 0), DT_S32, imm(1));
    world_add(w, DESC_ENDLOOP)->slot = 0;
    alu(w, 0, SOP_ADD, imm(2), imm(3));
    /* The end is read once: changing the register inside does not matter. */
    loop_from(w, 0, imm(2), reg(0));
    alu(w, 0, SOP_ADD, reg(0), imm(1));
    alu(w, 1, SOP_ADD, reg(1), imm(1));
    world_add(w, DESC_ENDLOOP)->slot = 0;
    store(w, at(w, g, 4), DT_S32, reg(1));
    assert_true(world_run(w));
    assert_int_equal(s32(w, g, 0), 0);
    assert_int_equal(s32(w, g, 1), 3);
    world_free(w);
}

static void
loads_are_canonical(void **state)
{
    (void)state;
    World *w = world_new("Ascend310P");
    uint32_t g = world_gm(w, DT_U8, 64), out = world_gm(w, DT_S64, 4);
    static const Dtype types[4] = {DT_S8, DT_U8, DT_S16, DT_U32};
    memset(world_data(w, g), 0xf0, 64);
    for (int i = 0; i < 4; i++) {
        TikDesc *d = world_add(w, DESC_LOAD);
        d->operand = at(w, g, 3); /* any address will do */
        d->dtype = types[i];
        d->reg = 0;
        store(w, at(w, out, 8 * i), DT_S64, reg(0));
    }
    assert_true(world_run(w));
    static const int64_t want[4] = {-16, 0xf0, (int16_t)0xf0f0, 0xf0f0f0f0};
    for (int i = 0; i < 4; i++) {
        int64_t v;
        memcpy(&v, world_data(w, out) + 8 * i, 8);
        assert_int_equal(v, want[i]);
    }
    world_free(w);
}

static void
every_core_starts_fresh(void **state)
{
    (void)state;
    World *w = world_new("Ascend310P");
    uint32_t g = world_gm(w, DT_S32, 8), ub = world_local(w, SC_UB, DT_S32, 0, 64);
    w->k.cores = 3;
    w->k.flags = TIKBLOB_FILL_SCRATCH;
    /* It stores what UB holds at the start, then a value that the next core would find if
     * it were kept. */
    TikDesc *d = world_add(w, DESC_LOAD);
    d->operand = at(w, ub, 0);
    d->dtype = DT_S32;
    d->reg = 1;
    store(w, at(w, ub, 0), DT_S32, imm(4));
    alu(w, 0, SOP_ADD, reg(0), reg(1));
    alu(w, 0, SOP_ADD, reg(0), core());
    store(w, plus(at(w, g, 0), core(), 4), DT_S32, reg(0));
    assert_true(world_run(w));
    assert_int_equal(s32(w, g, 0), -1);
    assert_int_equal(s32(w, g, 1), 0);
    assert_int_equal(s32(w, g, 2), 1);
    assert_int_equal(s32(w, g, 3), 0);
    world_free(w);
}

static void
expect_fault(World *w, Rule rule, uint32_t descriptor)
{
    assert_false(world_run(w));
    assert_int_equal(w->res.status, EMU_FAULT);
    assert_string_equal(rule_table[w->res.fault.rule].name, rule_table[rule].name);
    assert_int_equal(w->res.descriptor, descriptor);
    assert_true(w->res.fault.text[0] != '\0');
    world_free(w);
}

/* One core comes to a barrier of a number of cores, and stores after it. */
static World *
lone_barrier(int64_t of, int64_t blocks)
{
    World *w = world_new("Ascend310P");
    uint32_t g = world_gm(w, DT_S32, 8), workspace = world_gm(w, DT_S64, 16);
    w->k.cores = 2;
    alu(w, 0, SOP_EQ, core(), imm(of));
    branch(w, reg(0));
    TikDesc *d = world_instr(w, OP_BLOCK_BARRIER);
    d->args[0].t = at(w, workspace, 0);
    d->args[1].v = imm(blocks);
    store(w, at(w, g, 0), DT_S32, imm(7));
    world_add(w, DESC_ENDIF);
    return w;
}

static void
a_core_waits_for_those_of_its_barrier(void **state)
{
    (void)state;
    World *w = lone_barrier(0, 1); /* which is itself */
    assert_true(world_run(w));
    assert_int_equal(s32(w, 0, 0), 7);
    world_free(w);
    expect_fault(lone_barrier(0, 2), RULE_BARRIER, 2);
    expect_fault(lone_barrier(1, 2), RULE_BARRIER, 2);
}

/* A kernel that does nothing leaves the bytes that all lanes begin with, and sanitizers
 * say whether there are more of them. */
static void
the_picture_has_all_lanes(void **state)
{
    (void)state;
    World *w = world_new("toy4x16");
    TikArray picture = {0};
    EmuWatch watch = {.fill = 5, .lmem = &picture};
    (void)world_local(w, SC_LMEM, DT_U8, 0, 1024);
    w->k.watch = &watch;
    world_add(w, DESC_RETURN);
    assert_true(world_run(w));
    assert_int_equal(picture.ndim, 2);
    assert_int_equal(picture.shape[0], 4);
    assert_int_equal(picture.shape[1], 1024);
    for (int i = 0; i < 4 * 1024; i++) {
        assert_int_equal(((uint8_t *)picture.data)[i], 5);
    }
    tik_array_free(&picture);
    world_free(w);
}

static void
division_by_zero_faults(void **state)
{
    (void)state;
    World *w = world_new("Ascend310P");
    loop_from(w, 0, imm(0), imm(5));
    alu(w, 0, SOP_SUB, imm(3), loop(0));
    alu(w, 0, SOP_DIV, imm(7), reg(0));
    world_add(w, DESC_ENDLOOP)->slot = 0;
    expect_fault(w, RULE_DIV_ZERO, 2);
}

static void
loop_bounds_fault(void **state)
{
    (void)state;
    static const int64_t end[] = {-7, 128, 129, -129};
    for (int i = 0; i < 4;
         i++) { /* from -7: an int8 holds the first two, the last one is empty */
        World *w = world_new("Ascend310P");
        TikDesc *d = world_add(w, DESC_INSTR);
        d->op = OP_LOOP_BOUNDS;
        d->checked = true;
        d->args[0].v = imm(-7);
        d->args[1].v = imm((int32_t)end[i]);
        d->args[2].v = imm(DT_S8);
        d->args[3].v = imm(0);
        if (i == 2) {
            expect_fault(w, RULE_LOOP_BOUNDS, 0);
        } else {
            assert_true(world_run(w));
            world_free(w);
        }
    }
}

/* Counters start below 0, and a loop from 5 to -1 has no iteration. */
static void
loops_of_any_bounds(void **state)
{
    (void)state;
    World *w = world_new("Ascend310P");
    uint32_t g = world_gm(w, DT_S32, 8);
    alu(w, 0, SOP_SUB, imm(1), imm(4));
    loop_from(w, 0, reg(0), imm(2));
    store(w, plus(at(w, g, 12), loop(0), 4), DT_S32, loop(0));
    world_add(w, DESC_ENDLOOP)->slot = 0;
    loop_from(w, 0, imm(5), reg(0));
    store(w, at(w, g, 24), DT_S32, imm(9));
    world_add(w, DESC_ENDLOOP)->slot = 0;
    assert_true(world_run(w));
    for (int i = 0; i < 5; i++) {
        assert_int_equal(s32(w, g, i), i - 3);
    }
    assert_int_equal(s32(w, g, 6), 0);
    world_free(w);
}

/* A tensor ends with its granule: at a multiple of 32 bytes, and in global memory 32
 * bytes after that. */
static bool
access_at(Scope s, bool write, int64_t offset)
{
    World *w = world_new("Ascend310P");
    uint32_t g = s == SC_GM ? world_gm(w, DT_S32, 9) : world_local(w, s, DT_S32, 64, 36);
    TikDesc *d = world_add(w, write ? DESC_STORE : DESC_LOAD);
    d->operand = at(w, g, offset);
    d->dtype = DT_S32;
    d->a = imm(0);
    bool ok = world_run(w);
    assert_true(ok || w->res.fault.rule == RULE_TENSOR_OVERFLOW);
    world_free(w);
    return ok;
}

static void
element_accesses_stay_inside(void **state)
{
    (void)state;
    for (int write = 0; write < 2; write++) {
        assert_true(access_at(SC_GM, write, 0));
        assert_true(
            /* it is not aligned, which only checked accesses must be */
            access_at(SC_GM, write, 58));
        assert_true(access_at(SC_GM, write, 60));
        assert_true(access_at(SC_GM, write, 92)); /* the data has 36 bytes */
        assert_false(access_at(SC_GM, write, 96));
        assert_false(access_at(SC_GM, write, -4));
        assert_false(access_at(SC_GM, write, INT64_MAX - 3));
        assert_false(access_at(SC_GM, write, INT64_MIN));
        assert_true(access_at(SC_UB, write, 60)); /* the data has 36 bytes */
        assert_false(access_at(SC_UB, write, 64));
        assert_false(access_at(SC_UB, write, -4));
    }
}

static void
checked_elements_report_their_rule(void **state)
{
    (void)state;
    static const int64_t offset[] = {-4, 96, 2, 92};
    static const Rule rule[] = {RULE_TENSOR_OVERFLOW, RULE_TENSOR_OVERFLOW,
                                RULE_ADDRESS_ALIGN, RULE_NONE};
    for (int i = 0; i < 4; i++) {
        World *w = world_new("Ascend310P");
        uint32_t g = world_gm(w, DT_S32, 9);
        TikDesc *d = world_add(w, DESC_LOAD);
        d->operand = at(w, g, offset[i]);
        d->dtype = DT_S32;
        d->checked = true;
        assert_int_equal(world_run(w), rule[i] == RULE_NONE);
        assert_int_equal(w->res.fault.rule, rule[i]);
        world_free(w);
    }
}

static void
checked_instructions_report_their_rule(void **state)
{
    (void)state;
    World *w = world_new("Ascend310P");
    uint32_t g = world_gm(w, DT_F16, 64), ub = world_local(w, SC_UB, DT_F16, 0, 128);
    alu(w, 0, SOP_ADD, imm(5), imm(0));
    TikDesc *d = world_move(w, at(w, ub, 0), at(w, g, 0), 1, 0);
    d->args[4].v = reg(0);
    d->checked = true;
    expect_fault(w, RULE_TENSOR_OVERFLOW, 1);
    w = world_new("Ascend310P");
    g = world_gm(w, DT_F16, 64);
    ub = world_local(w, SC_UB, DT_F16, 0, 128);
    d = world_move(w, at(w, ub, 0), at(w, g, 0), 1, 0);
    d->args[3].v = reg(0);
    d->checked = true;
    expect_fault(w, RULE_RANGE_NBURST, 0);
}

static void
unchecked_instructions_never_leave_their_tensor(void **state)
{
    (void)state;
    World *w = world_new("Ascend310P");
    uint32_t g = world_gm(w, DT_F16, 64), ub = world_local(w, SC_UB, DT_F16, 0, 128);
    world_move(w, at(w, ub, 32), at(w, g, 0), 1, 4);
    expect_fault(w, RULE_TENSOR_OVERFLOW, 0);
    w = world_new("Ascend310P");
    g = world_gm(w, DT_F16, 64);
    ub = world_local(w, SC_UB, DT_F16, 0, 128);
    world_move(w, at(w, ub, 0), at(w, g, 0), INT64_MAX, INT64_MAX);
    world_shape(w, INT64_MIN, INT64_MAX, 0);
    assert_false(world_run(w));
    assert_int_equal(w->res.status, EMU_FAULT);
    world_free(w);
}

static void
endless_programs_end(void **state)
{
    (void)state;
    World *w = world_new("Ascend310P");
    w->k.step_bound = 1000;
    loop_from(w, 0, imm(0), imm(INT64_MAX));
    world_add(w, DESC_ENDLOOP)->slot = 0;
    assert_false(world_run(w));
    assert_int_equal(w->res.status, EMU_STEPS);
    /* The bound is that of one core. */
    w->n = 0;
    w->k.cores = 40;
    loop_from(w, 0, imm(0), imm(500));
    world_add(w, DESC_ENDLOOP)->slot = 0;
    assert_true(world_run(w));
    world_free(w);
}

static void
expect_malformed(World *w)
{
    assert_false(world_run(w));
    assert_int_equal(w->res.status, EMU_MALFORMED);
    world_free(w);
}

static void
malformed_programs_are_refused(void **state)
{
    (void)state;
    static const TikDescKind lone[] = {DESC_LOOP,  DESC_ENDLOOP, DESC_IF,      DESC_ELSE,
                                       DESC_ENDIF, DESC_BREAK,   DESC_CONTINUE};
    for (size_t i = 0; i < sizeof lone / sizeof lone[0]; i++) {
        World *w = world_new("Ascend310P");
        world_add(w, lone[i]);
        expect_malformed(w);
    }
    World *w = world_new("Ascend310P");
    loop_from(w, 0, imm(0), imm(1));
    branch(w, imm(1));
    world_add(w, DESC_ENDLOOP)->slot = 0;
    world_add(w, DESC_ENDIF);
    expect_malformed(w);
    w = world_new("Ascend310P");
    alu(w, 8, SOP_ADD, imm(0), imm(0)); /* registers are 0 to 7 */
    expect_malformed(w);
    w = world_new("Ascend310P");
    alu(w, 0, SOP_ADD, loop(4), imm(0));
    expect_malformed(w);
    w = world_new("Ascend310P");
    world_add(w, DESC_LOAD)->dtype = DT_S32; /* region 0 does not exist */
    expect_malformed(w);
    w = world_new("Ascend310P");
    world_local(w, SC_UB, DT_S32, w->k.soc->bytes[SC_UB] - 32, 64);
    expect_malformed(w);
    w = world_new("Ascend310P");
    for (int i = 0; i <= TIKBLOB_MAX_LOOPS; i++) {
        loop_from(w, 0, imm(0), imm(1));
    }
    expect_malformed(w);
}

/* ---- programs that no compiler makes ------------------------------------- */

/* They may compute nonsense, but only in their own memory. */

static int64_t
random_value(uint64_t *s)
{
    static const int64_t odd[] = {0,         1,         -1,        255,
                                  256,       4095,      65535,     INT64_MAX,
                                  INT64_MIN, INT32_MAX, INT32_MIN, INT64_C(1) << 40};
    uint64_t pick = random_bits(s) % 16;
    return pick < 12 ? odd[pick] : (int64_t)(random_bits(s) % 300);
}

static TikNum
random_num(uint64_t *s)
{
    TikNum n = {.kind = (TikNumKind)(random_bits(s) % 8), .index = random_bits(s) % 5};
    n.kind = n.kind > NUM_CORE ? NUM_IMM : n.kind;
    n.imm = random_value(s);
    return n;
}

static TikOperand
random_operand(World *w, uint64_t *s)
{
    TikOperand o =
        at(w, random_bits(s) % w->k.nregions, 32 * (int64_t)(random_bits(s) % 8));
    if (random_bits(s) % 8 == 0) {
        o.offset = random_value(s);
        o.region = random_bits(s) % 9;
    }
    if (random_bits(s) % 4 == 0) {
        o.dtype = (Dtype)(random_bits(s) % (DT_COUNT + 1));
    }
    for (int i = (int)(random_bits(s) % 3); i > 0; i--) {
        o = plus(o, random_num(s), random_bits(s) % 2 ? 32 : random_value(s));
    }
    return o;
}

static void
random_desc(World *w, uint64_t *s)
{
    TikDesc *d = world_add(w, (TikDescKind)(random_bits(s) % (DESC_INSTR + 1)));
    d->kind = random_bits(s) % 2 ? DESC_INSTR : d->kind;
    d->reg = random_bits(s) % 9;
    d->slot = random_bits(s) % 5;
    d->alu_op = (ScalarOp)(random_bits(s) % (SOP_COUNT + 1));
    d->dtype = (Dtype)(random_bits(s) % (DT_COUNT + 1));
    d->from = (Dtype)(random_bits(s) % (DT_COUNT + 1));
    d->a = random_num(s);
    d->b = random_num(s);
    d->operand = random_operand(w, s);
    d->op = (Op)(random_bits(s) % (OP_COUNT + 1));
    d->checked = random_bits(s) % 2;
    d->mask_form = (MaskForm)(random_bits(s) % 5);
    for (int i = 0; i < MAX_PARAMS; i++) {
        d->args[i].t = random_operand(w, s);
        d->args[i].v = random_num(s);
        for (int k = 0; k < 4; k++) {
            d->args[i].mask[k] = random_num(s);
        }
        if (random_bits(s) % 2) {
            d->args[i].t.dtype = DT_F16;
        }
    }
}

/* The body of random descriptors is inside a loop, so that most of them run. */
static void
random_programs_stay_in_their_memory(void **state)
{
    (void)state;
    static const Scope scopes[] = {SC_UB, SC_UB, SC_L1, SC_L0C};
    uint64_t seed = 77;
    int ran = 0;
    for (int i = 0; i < 20000; i++) {
        World *w = world_new("Ascend310P");
        w->k.cores = 1 + random_bits(&seed) % 2;
        w->k.step_bound = 50;
        world_gm(w, DT_F16, 1 + (int64_t)(random_bits(&seed) % 2000));
        world_gm(w, DT_U8, (int64_t)(random_bits(&seed) % 2000));
        for (int k = 0; k < 4; k++) {
            world_local(w, scopes[k], DT_F16, 4096 * k, 4096);
        }
        loop_from(w, 0, imm(0), imm(3));
        for (int n = 1 + (int)(random_bits(&seed) % 3); n > 0; n--) {
            random_desc(w, &seed);
        }
        world_add(w, DESC_ENDLOOP);
        ran += world_run(w) || w->res.status != EMU_MALFORMED;
        world_free(w);
    }
    assert_true(ran > 3000);
}

/* Whether they fit decides which rates global memory has in the model of the queues. */
static void
arguments_fit_into_l2(void **state)
{
    (void)state;
    for (int more = 0; more < 2; more++) {
        World *w = world_new("Ascend310P3");
        TikProfile profile = {0};
        EmuWatch watch = {.profile = &profile};
        w->k.watch = &watch;
        world_gm(w, DT_U8, w->k.soc->l2 - 64);
        world_gm(w, DT_U8, 64 + more);
        loop_from(w, 0, imm(0), imm(3));
        world_add(w, DESC_ENDLOOP);
        assert_true(world_run(w));
        assert_int_equal(profile.in_l2, more == 0);
        world_free(w);
    }
}

static void
names_end(void **state)
{
    (void)state;
    assert_null(tikrt_queue_name(-1));
    assert_null(tikrt_queue_name(TIK_QUEUES));
    assert_non_null(tikrt_queue_name(TIK_QUEUES - 1));
    assert_null(tikrt_memory_name(-1));
    assert_null(tikrt_memory_name(TIK_MEMORIES));
    assert_non_null(tikrt_memory_name(TIK_MEMORIES - 1));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_loops_address_by_their_counters),
        cmocka_unit_test(break_and_continue_take_the_innermost_loop),
        cmocka_unit_test(else_runs_when_the_condition_is_zero),
        cmocka_unit_test(empty_and_run_time_loops),
        cmocka_unit_test(loads_are_canonical),
        cmocka_unit_test(every_core_starts_fresh),
        cmocka_unit_test(a_core_waits_for_those_of_its_barrier),
        cmocka_unit_test(the_picture_has_all_lanes),
        cmocka_unit_test(division_by_zero_faults),
        cmocka_unit_test(loop_bounds_fault),
        cmocka_unit_test(loops_of_any_bounds),
        cmocka_unit_test(element_accesses_stay_inside),
        cmocka_unit_test(checked_elements_report_their_rule),
        cmocka_unit_test(checked_instructions_report_their_rule),
        cmocka_unit_test(unchecked_instructions_never_leave_their_tensor),
        cmocka_unit_test(endless_programs_end),
        cmocka_unit_test(malformed_programs_are_refused),
        cmocka_unit_test(arguments_fit_into_l2),
        cmocka_unit_test(names_end),
        cmocka_unit_test(random_programs_stay_in_their_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
