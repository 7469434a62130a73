/* test_num_deq.c: conversions out of L0C under each reading (num/deq.h, choice.def):
 * which there are, what a choice becomes, and one element for each rule, by the
 * definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "num/deq.h"

/* One element v, times m, with a shift if n is not 0. */
typedef struct Row {
    NumType dst;
    uint16_t reading;
    bool relu, keep;
    int32_t v, n;
    float m;
    int32_t offset;
    uint16_t result; /* its bits */
} Row;

static const Row rows[] = {
    /* rounding: 2.5 */
    {NUM_S8, 0, false, false, 5, 0, 0.5F, 0, 2},
    {NUM_S8, DEQ_AWAY, false, false, 5, 0, 0.5F, 0, 3},
    {NUM_S8, DEQ_AWAY, false, false, -5, 0, 0.5F, 0, 0xfd},
    {NUM_U8, DEQ_AWAY, false, false, 5, 0, 0.5F, 0, 3},
    /* the limits of the types */
    {NUM_S8, DEQ_AWAY, false, false, 200, 0, 1, 0, 127},
    {NUM_S8, DEQ_AWAY, false, false, -200, 0, 1, 0, 0x80},
    {NUM_U8, DEQ_AWAY, false, false, 200, 0, 1, 0, 200},
    {NUM_U8, DEQ_AWAY, false, false, 300, 0, 1, 0, 255},
    {NUM_U8, DEQ_AWAY, false, false, -200, 0, 1, 0, 0},
    /* 9 bits, then the offset */
    {NUM_S8, 0, false, false, 1000, 0, 1, -200, 55},
    {NUM_S8, DEQ_UNCLAMPED, false, false, 1000, 0, 1, -200, 127},
    {NUM_S8, DEQ_AWAY, false, false, -1000, 0, 1, 255, 0xff},
    {NUM_S8, DEQ_UNCLAMPED, false, false, -1000, 0, 1, 255, 0x80},
    {NUM_U8, DEQ_UNCLAMPED, true, false, -1000, 0, 1, 7, 7},
    /* the offset before the rounding: 2.5 + 1 */
    {NUM_S8, 0, false, false, 5, 0, 0.5F, 1, 3},
    {NUM_S8, DEQ_OFFSET_FIRST, false, false, 5, 0, 0.5F, 1, 4},
    /* relu before the offset, or last */
    {NUM_S8, 0, true, false, -5, 0, 1, 10, 10},
    {NUM_S8, DEQ_RELU_LAST, true, false, -5, 0, 1, 10, 5},
    {NUM_S8, DEQ_RELU_LAST, true, false, -20, 0, 1, 10, 0},
    {NUM_S8, DEQ_RELU_LAST, false, false, -20, 0, 1, 10, 0xf6},
    /* shifts: -3 / 2, and more than 16 bits */
    {NUM_S16, 0, false, false, -3, 1, 0, 0, 0xfffe},
    {NUM_S16, DEQ_TO_ZERO, false, false, -3, 1, 0, 0, 0xffff},
    {NUM_S16, DEQ_TO_ZERO, true, false, -3, 1, 0, 0, 0},
    {NUM_S16, DEQ_TO_ZERO, false, false, 0x20000, 1, 0, 0, 0x7fff},
    {NUM_S16, DEQ_TO_ZERO, false, false, -0x40000, 1, 0, 0, 0x8000},
    {NUM_S16, DEQ_WRAPS, false, false, 0x20004, 1, 0, 0, 2},
    {NUM_S16, DEQ_WRAPS, false, false, 0x10000, 1, 0, 0, 0x8000},
    {NUM_S8, DEQ_TO_ZERO, false, false, -3, 1, 1, 0, 0xff},
    {NUM_S8, DEQ_TO_ZERO, false, false, -3, 0, 1, 0, 0xfd},
    /* float16: the largest number, NaN, and what keep says of them */
    {NUM_F16, DEQ_TO_ZERO, false, false, -3, 1, 1, 0, 0xbc00},
    {NUM_F16, DEQ_AWAY, false, false, -3, 0, 1, 0, 0xc200},
    {NUM_F16, DEQ_AWAY, true, false, -3, 0, 1, 0, 0},
    {NUM_F16, DEQ_AWAY, true, false, 1, 0, 1, 0, 0x3c00},
    {NUM_F16, DEQ_AWAY, true, false, 1, 0, 0.5F, 0, 0x3800},
    {NUM_S8, DEQ_AWAY, true, false, 1, 0, 1, 0, 1},
    {NUM_U8, DEQ_UNCLAMPED, true, false, 1, 0, 1, 0, 1},
    {NUM_S16, DEQ_TO_ZERO, true, false, 2, 1, 0, 0, 1},
    {NUM_F16, DEQ_AWAY, false, false, 1 << 20, 0, 1, 0, 0x7bff},
    {NUM_F16, DEQ_AWAY, false, true, 1 << 20, 0, 1, 0, 0x7c00},
    {NUM_F16, DEQ_AWAY, false, false, 0, 0, __builtin_inff(), 0, 0},
    {NUM_F16, DEQ_AWAY, true, false, 0, 0, __builtin_inff(), 0, 0},
    {NUM_F16, DEQ_AWAY, true, true, 0, 0, __builtin_inff(), 0, 0x7e00},
    {NUM_S8, DEQ_AWAY, false, false, 0, 0, __builtin_inff(), 9, 9},
    {NUM_S8, DEQ_AWAY, false, false, 1, 0, __builtin_inff(), 0, 127},
    {NUM_S8, DEQ_UNCLAMPED, false, false, -1, 0, __builtin_inff(), 100, 0x80},
};

/* Each channel has the same result as the first one. */
static void
elements(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const Row *r = &rows[i];
        bool wide = r->dst == NUM_F16 || r->dst == NUM_S16;
        NumDeq d = {.dst = r->dst,
                    .src = NUM_S32,
                    .scale = r->dst != NUM_S16,
                    .shift = r->n != 0,
                    .relu = r->relu,
                    .keep = r->keep,
                    .reading = r->reading};
        int32_t src[2 * DEQ_CHANNELS];
        uint16_t got[2 * DEQ_CHANNELS] = {0};
        for (int k = 0; k < 2 * DEQ_CHANNELS; k++) {
            d.m[k % DEQ_CHANNELS] = r->m;
            d.n[k % DEQ_CHANNELS] = r->n;
            d.offset[k % DEQ_CHANNELS] = r->offset;
            src[k] = r->v;
        }
        assert_true(num_deq_exists(&d));
        num_deq(&d, got, src, 2 * DEQ_CHANNELS);
        for (int k = 0; k < 2 * DEQ_CHANNELS; k++) {
            uint16_t one = wide ? got[k] : ((const uint8_t *)got)[k];
            if (one != r->result) {
                fail_msg("row %zu, element %d: %#x, not %#x", i, k, one, r->result);
            }
        }
    }
}

/* Whether there is a conversion is a table of deq.h: types, with a scale and without. */
static void
conversions_that_exist(void **state)
{
    (void)state;
    static const struct {
        NumType src, dst;
        bool scale, plain, relu; /* with a scale; without; without, rectified */
    } known[] = {
        {NUM_S32, NUM_S8, true, false, false},  {NUM_S32, NUM_U8, true, false, false},
        {NUM_S32, NUM_S16, false, true, true},  {NUM_S32, NUM_F16, true, false, false},
        {NUM_S32, NUM_S32, false, true, true},  {NUM_F32, NUM_S8, true, false, false},
        {NUM_F32, NUM_U8, true, false, false},  {NUM_F32, NUM_F16, false, true, true},
        {NUM_F32, NUM_BF16, false, true, true}, {NUM_F32, NUM_F32, false, true, true},
        {NUM_F16, NUM_F16, true, true, true},   {NUM_F16, NUM_F32, false, true, false},
        {NUM_U32, NUM_U32, false, true, false}, {NUM_S16, NUM_S16, false, true, false},
        {NUM_U16, NUM_U16, false, true, false},
    };
    for (int i = 0; i < NUM_TYPES * NUM_TYPES * 4; i++) {
        NumDeq d = {.src = (NumType)(i / 4 % NUM_TYPES),
                    .dst = (NumType)(i / 4 / NUM_TYPES),
                    .scale = i % 2 != 0,
                    .relu = i / 2 % 2 != 0};
        bool exists = false;
        for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
            if (known[k].src == d.src && known[k].dst == d.dst) {
                exists = d.scale  ? known[k].scale
                         : d.relu ? known[k].relu
                                  : known[k].plain;
            }
        }
        if (num_deq_exists(&d) != exists) {
            fail_msg("from %d to %d, scale %d, relu %d", d.src, d.dst, d.scale, d.relu);
        }
    }
}

/* Each reading is a bit of its own, or none. */
static void
choices_are_readings(void **state)
{
    (void)state;
    static const struct {
        Choice point;
        uint8_t chosen;
        uint16_t bits;
    } known[] = {
        {CHOICE_DEQ_SHIFT, CHOSE_DEQ_SHIFT_TO_ZERO, DEQ_TO_ZERO},
        {CHOICE_DEQ_SHIFT, CHOSE_DEQ_SHIFT_WRAPS, DEQ_WRAPS},
        {CHOICE_DEQ_M19, CHOSE_DEQ_M19_CUT, DEQ_CUT},
        {CHOICE_DEQ_FIELD, CHOSE_DEQ_FIELD_RAW, DEQ_RAW_FIELD},
        {CHOICE_DEQ_OFFSET, CHOSE_DEQ_OFFSET_UNSIGNED, DEQ_UNSIGNED},
        {CHOICE_DEQ_NINE_BITS, CHOSE_DEQ_NINE_BITS_UNLIMITED, DEQ_UNCLAMPED},
        {CHOICE_DEQ_ADD, CHOSE_DEQ_ADD_FIRST, DEQ_OFFSET_FIRST},
        {CHOICE_DEQ_TIES, CHOSE_DEQ_TIES_AWAY, DEQ_AWAY},
        {CHOICE_DEQ_RELU, CHOSE_DEQ_RELU_LAST, DEQ_RELU_LAST},
        {CHOICE_DEQ_HALF_SHIFT, CHOSE_DEQ_HALF_SHIFT_IGNORED, DEQ_NO_HALF_SHIFT},
        {CHOICE_ACC_OVERFLOW, CHOSE_ACC_OVERFLOW_KEEP, 0},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        Choices c = {0};
        NumDeq d = {.reading = 0xffff, .keep = true};
        num_deq_choose(&d, &c);
        assert_true(d.reading == 0 && !d.keep);
        c.v[known[i].point] = known[i].chosen;
        num_deq_choose(&d, &c);
        assert_int_equal(d.reading, known[i].bits);
        assert_int_equal(d.keep, known[i].bits == 0);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements),
        cmocka_unit_test(conversions_that_exist),
        cmocka_unit_test(choices_are_readings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
