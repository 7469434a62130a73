/* test_emu_move.c: checks data_move on the emulator: bursts and gaps on every kind of
 * path, pad modes, L0C units and conversions, and where a tensor ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "emu_world.h"

static void
fill_counting(uint8_t *p, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        p[i] = (uint8_t)(i * 7 + i / 256);
    }
}

/* Moves GM to UB with gaps on both sides, then all of UB out. */
static void
bursts_and_gaps(void **state)
{
    (void)state;
    World *w = world_new("Ascend310P");
    uint32_t g = world_gm(w, DT_U16, 4096), out = world_gm(w, DT_U16, 4096);
    uint32_t ub = world_local(w, SC_UB, DT_U16, 64, 8192);
    fill_counting(world_data(w, g), 8192);
    world_move(w, at(w, ub, 0), at(w, g, 0), 1, 256);
    world_move(w, at(w, ub, 32), at(w, g, 14), 3, 2);
    world_shape(w, 1, 2, 0);
    world_move(w, at(w, out, 0), at(w, ub, 0), 1, 256);
    assert_true(world_run(w));
    const uint8_t *s = world_data(w, g);
    uint8_t want[8192];
    memcpy(want, s, 8192);
    for (int i = 0; i < 3; i++) {
        memcpy(want + 32 + i * 128, s + 14 + i * 96, 64);
    }
    assert_memory_equal(world_data(w, out), want, 8192);
    world_free(w);
}

/* Moves three bursts of two blocks with these gaps from GM to UB, and all of UB out. */
static void
gap_on(int64_t src_gap, int64_t dst_gap)
{
    World *w = world_new("Ascend310P");
    uint32_t g = world_gm(w, DT_U8, 512), out = world_gm(w, DT_U8, 512);
    uint32_t ub = world_local(w, SC_UB, DT_U8, 0, 512);
    fill_counting(world_data(w, g), 512);
    world_move(w, at(w, ub, 0), at(w, out, 0), 1, 16);
    world_move(w, at(w, ub, 0), at(w, g, 0), 3, 2);
    world_shape(w, src_gap, dst_gap, 0);
    world_move(w, at(w, out, 0), at(w, ub, 0), 1, 16);
    assert_true(world_run(w));
    uint8_t want[512] = {0};
    for (int i = 0; i < 3; i++) {
        memcpy(want + i * (64 + 32 * dst_gap), world_data(w, g) + i * (64 + 32 * src_gap),
               64);
    }
    assert_memory_equal(world_data(w, out), want, 512);
    world_free(w);
}

static void
gaps_on_one_side(void **state)
{
    (void)state;
    gap_on(0, 0);
    gap_on(0, 3);
    gap_on(3, 0);
}

static void
pad_modes_take_one_block_without_gaps(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        World *w = world_new("Ascend310P");
        uint32_t g = world_gm(w, DT_U8, 512), l1 = world_local(w, SC_L1, DT_U8, 0, 512);
        world_move(w, at(w, l1, 0), at(w, g, 0), 2, 1 + i);
        world_shape(w, 1 - i, 0, 1);
        assert_false(world_run(w));
        assert_int_equal(w->res.fault.rule, i ? RULE_PADMODE_BURST : RULE_PADMODE_STRIDE);
        world_free(w);
    }
}

static void
single_blocks(void **state)
{
    (void)state;
    World *w = world_new("Ascend310P");
    uint32_t g = world_gm(w, DT_S32, 256), out = world_gm(w, DT_S32, 256);
    uint32_t a = world_local(w, SC_UB, DT_S32, 0, 1024);
    uint32_t b = world_local(w, SC_UB, DT_S32, 1024, 1024);
    fill_counting(world_data(w, g), 1024);
    world_move(w, at(w, a, 0), at(w, g, 0), 1, 32);
    world_move(w, at(w, b, 0), at(w, g, 0), 32,
               1); /* without gaps the result is the same */
    world_move(w, at(w, b, 0), at(w, a, 32), 4, 1);
    world_shape(w, 1, 3, 0);
    world_move(w, at(w, out, 0), at(w, b, 0), 1, 32);
    assert_true(world_run(w));
    uint8_t want[1024];
    memcpy(want, world_data(w, g), 1024);
    for (int i = 0; i < 4; i++) {
        memcpy(want + i * 128, world_data(w, g) + 32 + i * 64, 32);
    }
    assert_memory_equal(world_data(w, out), want, 1024);
    world_free(w);
}

/* A copy onto itself is legal and changes nothing. */
static void
onto_itself(void **state)
{
    (void)state;
    World *w = world_new("Ascend310P");
    uint32_t g = world_gm(w, DT_U8, 256), ub = world_local(w, SC_UB, DT_U8, 0, 256);
    fill_counting(world_data(w, g), 256);
    world_move(w, at(w, ub, 0), at(w, g, 0), 1, 8);
    world_move(w, at(w, ub, 0), at(w, ub, 0), 2, 3)->checked = true;
    world_shape(w, 1, 1, 0);
    world_move(w, at(w, g, 0), at(w, ub, 0), 1, 8);
    assert_true(world_run(w));
    uint8_t want[256];
    fill_counting(want, 256);
    assert_memory_equal(world_data(w, g), want, 256);
    world_free(w);
}

static void
pad_mode(int mode, int64_t padding, const char *soc)
{
    World *w = world_new(soc);
    uint32_t g = world_gm(w, DT_U8, 64), out = world_gm(w, DT_U8, 256);
    uint32_t l1 = world_local(w, SC_L1, DT_U8, 512, 256);
    fill_counting(world_data(w, g), 64);
    memset(world_data(w, out), 0xee, 256);
    world_move(w, at(w, l1, 0), at(w, out, 0), 1, 8);
    world_instr(w, OP_SET_PADDING)->args[0].v = imm(padding);
    world_move(w, at(w, l1, 0), at(w, g, 3), 3, 1);
    world_shape(w, 0, 1, mode);
    world_move(w, at(w, out, 0), at(w, l1, 0), 1, 8);
    assert_true(world_run(w));
    int taken = 1 << (mode - 1);
    uint8_t want[256];
    memset(want, 0xee, 256);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 32; j++) {
            int shift = mode == 1 ? 0 : 8 * (j % 2);
            want[i * 64 + j] = j < taken ? world_data(w, g)[3 + i * taken + j]
                                         : (uint8_t)((uint64_t)padding >> shift);
        }
    }
    assert_memory_equal(world_data(w, out), want, 256);
    world_free(w);
}

static void
pad_modes(void **state)
{
    (void)state;
    for (int mode = 1; mode <= 5; mode++) {
        pad_mode(mode, 0, "Ascend310P");
        pad_mode(mode, 0x3c5a, "Ascend310P");
        pad_mode(mode, -2, "Ascend910");
    }
}

static void
the_padding_register_starts_at_zero_on_every_core(void **state)
{
    (void)state;
    World *w = world_new("Ascend310P");
    uint32_t g = world_gm(w, DT_U8, 64), out = world_gm(w, DT_U8, 64);
    uint32_t l1 = world_local(w, SC_L1, DT_U8, 0, 32);
    w->k.cores = 2;
    world_move(w, at(w, l1, 0), at(w, g, 0), 1, 1);
    world_shape(w, 0, 0, 2);
    world_instr(w, OP_SET_PADDING)->args[0].v = imm(0x1234);
    world_move(w, plus(at(w, out, 0), core(), 32), at(w, l1, 0), 1, 1);
    assert_true(world_run(w));
    for (int i = 0; i < 64; i++) {
        assert_int_equal(world_data(w, out)[i], 0);
    }
    world_free(w);
}

/* ---- L0C ----------------------------------------------------------------- */

/* Moves N elements through UB to L0C and back to UB, with conversion codes on the ways in
 * and out. */

static void
through_l0c(Dtype in, int in_code, Dtype mid, int out_code, Dtype last, const void *src,
            const void *want, int n)
{
    World *w = world_new("Ascend310P");
    int64_t frac = 256;
    uint32_t g = world_gm(w, in, frac), out = world_gm(w, last, frac);
    uint32_t a = world_local(w, SC_UB, in, 0, frac * dtype_size(in));
    uint32_t c = world_local(w, SC_L0C, mid, 0, frac * dtype_size(mid));
    uint32_t b = world_local(w, SC_UB, last, 4096, frac * dtype_size(last));
    memcpy(world_data(w, g), src, (size_t)(n * dtype_size(in)));
    world_move(w, at(w, a, 0), at(w, g, 0), 1, frac * dtype_size(in) / 32);
    world_move(w, at(w, c, 0), at(w, a, 0), 1, 1);
    world_shape(w, 0, 0, in_code);
    world_move(w, at(w, b, 0), at(w, c, 0), 1, 1);
    world_shape(w, 0, 0, out_code);
    world_move(w, at(w, out, 0), at(w, b, 0), 1, frac * dtype_size(last) / 32);
    assert_true(world_run(w));
    assert_memory_equal(world_data(w, out), want, (size_t)(n * dtype_size(last)));
    world_free(w);
}

static void
l0c_conversions(void **state)
{
    (void)state;
    static const uint32_t f[12] = {0x3f801000, 0x3f803000, 0x477ff000, 0x7f800000,
                                   0xff800000, 0x7fc00000, 0x80000000, 0x33000001,
                                   0x33000000, 0xbf800000, 0x477fefff, 0xff812345};
    static const uint16_t h[12] = {0x3c00, 0x3c02, 0x7bff, 0x7bff, 0xfbff, 0,
                                   0x8000, 0x0001, 0,      0xbc00, 0x7bff, 0};
    static const uint16_t h_relu[12] = {0x3c00, 0x3c02, 0x7bff, 0x7bff, 0,      0,
                                        0,      0x0001, 0,      0,      0x7bff, 0};
    through_l0c(DT_F32, 0, DT_F32, 1, DT_F16, f, h, 12);
    through_l0c(DT_F32, 0, DT_F32, 2, DT_F16, f, h_relu, 12);
    through_l0c(DT_F32, 1, DT_F16, 0, DT_F16, f, h, 12);
    static const uint32_t f_relu[12] = {0x3f801000, 0x3f803000, 0x477ff000, 0x7f800000,
                                        0,          0,          0,          0x33000001,
                                        0x33000000, 0,          0x477fefff, 0};
    through_l0c(DT_F32, 0, DT_F32, 5, DT_F32, f, f_relu, 12);
    through_l0c(DT_F32, 0, DT_F32, 0, DT_F32, f, f, 12);
    static const uint16_t a[6] = {0x3c00, 0x8001, 0x7c00, 0xfe01, 0x7c01, 0xc000};
    static const uint32_t wide[6] = {0x3f800000, 0xb3800000, 0x7f800000,
                                     0x7fc00000, 0x7fc00000, 0xc0000000};
    static const uint16_t a_relu[6] = {0x3c00, 0, 0x7c00, 0, 0, 0};
    through_l0c(DT_F16, 4, DT_F32, 0, DT_F32, a, wide, 6);
    through_l0c(DT_F16, 0, DT_F16, 5, DT_F16, a, a_relu, 6);
    static const int32_t s[4] = {5, -5, INT32_MIN, INT32_MAX},
                         s_relu[4] = {5, 0, 0, INT32_MAX};
    through_l0c(DT_S32, 0, DT_S32, 5, DT_S32, s, s_relu, 4);
    through_l0c(DT_U32, 0, DT_U32, 0, DT_U32, s, s, 4);
}

/* Gaps count fractals on the L0C side and blocks on the UB side; bursts count fractals of
 * the own size. */
static void
l0c_units(void **state)
{
    (void)state;
    World *w = world_new("Ascend310P");
    uint32_t g = world_gm(w, DT_F32, 2048), out = world_gm(w, DT_F16, 2048);
    uint32_t a = world_local(w, SC_UB, DT_F32, 0, 8192);
    uint32_t c = world_local(w, SC_L0C, DT_F32, 1024, 8192);
    uint32_t b = world_local(w, SC_UB, DT_F16, 8192, 4096);
    for (int i = 0; i < 2048; i++) {
        float v = (float)i;
        memcpy(world_data(w, g) + 4 * i, &v, 4);
    }
    world_move(w, at(w, a, 0), at(w, g, 0), 1, 256);
    /* Two bursts of one fractal; the second comes from 1024 + 64 bytes and goes to
     * fractal 3. */
    world_move(w, at(w, c, 0), at(w, a, 0), 2, 1);
    world_shape(w, 2, 2, 0);
    world_move(w, at(w, b, 0), at(w, a, 0), 1, 64); /* bytes that must be kept */
    world_move(w, at(w, b, 32), at(w, c, 0), 2, 1);
    world_shape(w, 2, 1, 1);
    world_move(w, at(w, out, 0), at(w, b, 0), 1, 64);
    assert_true(world_run(w));
    uint8_t want[2048];
    memcpy(want, world_data(w, g), 2048);
    for (int e = 0; e < 256; e++) {
        int64_t first = scalar_from_double(DT_F16, e);
        int64_t second = scalar_from_double(DT_F16, 256 + 16 + e);
        memcpy(want + 32 + 2 * e, &first, 2);
        memcpy(want + 32 + 512 + 32 + 2 * e, &second, 2);
    }
    assert_memory_equal(world_data(w, out), want, 2048);
    world_free(w);
}

/* ---- ends ---------------------------------------------------------------- */

/* Moves one block between a 46-byte tensor and UB at this byte offset. */
static bool
tail_move(bool write, int64_t offset)
{
    World *w = world_new("Ascend310P");
    uint32_t g = world_gm(w, DT_F16, 23), ub = world_local(w, SC_UB, DT_F16, 0, 64);
    TikOperand a = at(w, g, offset), b = at(w, ub, 32);
    world_move(w, write ? a : b, write ? b : a, 1, 1);
    bool ok = world_run(w);
    assert_true(ok || w->res.fault.rule == RULE_TENSOR_OVERFLOW);
    world_free(w);
    return ok;
}

static void
global_tensors_end_with_their_granule(void **state)
{
    (void)state;
    for (int write = 0; write < 2; write++) {
        assert_true(tail_move(write, 14));
        assert_true(tail_move(write, 64));
        assert_false(tail_move(write, 66));
        assert_false(tail_move(write, -2));
    }
}

static void
the_last_gap_does_not_count(void **state)
{
    (void)state;
    World *w = world_new("Ascend310P");
    uint32_t g = world_gm(w, DT_U8, 96), ub = world_local(w, SC_UB, DT_U8, 0, 64);
    world_move(w, at(w, ub, 0), at(w, g, 0), 2, 1);
    world_shape(w, 1, 0, 0);
    assert_true(world_run(w));
    w->n = 0;
    world_move(w, at(w, ub, 0), at(w, g, 0), 2, 1);
    world_shape(w, 3, 0, 0);
    assert_false(world_run(w));
    assert_int_equal(w->res.fault.rule, RULE_TENSOR_OVERFLOW);
    world_free(w);
}

static void
numbers_out_of_range(void **state)
{
    (void)state;
    static const struct {
        int64_t nburst, burst, ss, ds;
        Rule rule;
    } bad[] = {{0, 1, 0, 0, RULE_RANGE_NBURST},  {4096, 1, 0, 0, RULE_RANGE_NBURST},
               {1, 0, 0, 0, RULE_RANGE_BURST},   {1, 65536, 0, 0, RULE_RANGE_BURST},
               {1, 1, -1, 0, RULE_RANGE_STRIDE}, {1, 1, 65536, 0, RULE_RANGE_STRIDE},
               {1, 1, 0, -1, RULE_RANGE_STRIDE}, {1, 1, 0, 65536, RULE_RANGE_STRIDE}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        World *w = world_new("Ascend310P");
        uint32_t g = world_gm(w, DT_U8, 1 << 18);
        uint32_t ub = world_local(w, SC_UB, DT_U8, 0, 1 << 18);
        world_move(w, at(w, ub, 0), at(w, g, 0), bad[i].nburst, bad[i].burst);
        world_shape(w, bad[i].ss, bad[i].ds, 0);
        assert_false(world_run(w));
        assert_string_equal(rule_table[w->res.fault.rule].name,
                            rule_table[bad[i].rule].name);
        world_free(w);
    }
}

static void
modes_that_do_not_exist(void **state)
{
    (void)state;
    World *w = world_new("Ascend310P");
    uint32_t g = world_gm(w, DT_F32, 512), ub = world_local(w, SC_UB, DT_F32, 0, 2048);
    uint32_t c = world_local(w, SC_L0C, DT_S32, 0, 2048);
    world_move(w, at(w, ub, 0), at(w, g, 0), 1, 1);
    world_shape(w, 0, 0, 6);
    assert_false(world_run(w));
    assert_int_equal(w->res.status, EMU_MALFORMED);
    w->n = 0;
    world_move(w, at(w, c, 0), at(w, ub, 0), 1, 1);
    world_shape(w, 0, 0, 1); /* float32 to int32 */
    assert_false(world_run(w));
    assert_int_equal(w->res.status, EMU_MALFORMED);
    world_free(w);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bursts_and_gaps),
        cmocka_unit_test(gaps_on_one_side),
        cmocka_unit_test(pad_modes_take_one_block_without_gaps),
        cmocka_unit_test(single_blocks),
        cmocka_unit_test(onto_itself),
        cmocka_unit_test(pad_modes),
        cmocka_unit_test(the_padding_register_starts_at_zero_on_every_core),
        cmocka_unit_test(l0c_conversions),
        cmocka_unit_test(l0c_units),
        cmocka_unit_test(global_tensors_end_with_their_granule),
        cmocka_unit_test(the_last_gap_does_not_count),
        cmocka_unit_test(numbers_out_of_range),
        cmocka_unit_test(modes_that_do_not_exist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
