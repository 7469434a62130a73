/* test_lmem_pack.c: compares packed constants with the arrays of tests/golden/lmem
 * (groups A, W and M). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/isa.h"
#include "layout/lmem_pack.h"
#include "tikrt.h"

static const PackTarget toy = {PACK_BLOCKED, 4, 16, 16, 8, 4, true, 0, false, true};
static const PackTarget bm1684x = {PACK_BLOCKED, 64, 64,   64,   32, 1,
                                   false,        3,  true, false};
static const PackTarget bm1688 = {PACK_BLOCKED, 32, 16, 32, 16, 1, false, 2, false, true};
static const PackTarget bm1684 = {PACK_CELLS, 64, 128, 4, 1, 2, false, 0, false, false};
static const PackTarget cv181x = {PACK_PLAIN, 8, 16, 1, 1, 1, false, 0, false, false};

static TikArray
golden(const char *name, Dtype dtype, int64_t elems)
{
    char path[128];
    TikArray a;
    TikError err;
    (void)snprintf(path, sizeof path, "tests/golden/lmem/%s.npy", name);
    if (!tik_npy_read(path, dtype, elems, &a, &err)) {
        fail_msg("%s: %s", path, err.text);
    }
    return a;
}

/* ---- weights by themselves ----------------------------------------------- */

typedef struct WeightCase {
    const char *id;
    const PackTarget *target;
    Dtype dtype;
    unsigned bits;
    uint64_t oc, ic, kh, kw;
    uint64_t stored[4];
    bool image; /* there is an image of the LMEM lanes */
    bool depthwise;
    PackMerge merge, merge_by_rule;
} WeightCase;

static const WeightCase weights[] = {
    {"w01", &toy, DT_S32, 32, 2, 5, 2, 3, {1, 2, 1, 48}, true},
    {"w02", &bm1684x, DT_S8, 8, 3, 40, 2, 2, {1, 3, 1, 256}, true},
    {"w03", &bm1684x, DT_F16, 16, 66, 33, 1, 1, {1, 66, 1, 64}, true},
    {"w04", &bm1684x, DT_F32, 32, 3, 2, 3, 3, {1, 3, 2, 9}, false},
    {"w05", &bm1688, DT_S8, 8, 34, 33, 1, 3, {1, 34, 1, 192}, true},
    {"w06", &bm1684x, DT_S8, 8, 70, 1, 3, 3, {1, 70, 1, 9}, true, true},
    {"w07", &bm1684x, DT_S8, 4, 2, 3, 1, 2, {1, 2, 1, 128}, false},
    {"w08", &bm1684, DT_S8, 8, 2, 5, 2, 3, {1, 2, 6, 8}, false},
    {"w09", &bm1684, DT_F32, 32, 2, 5, 2, 3, {1, 2, 6, 6}, false},
    {"w10", &bm1688, DT_F16, 16, 3, 17, 2, 1, {1, 3, 1, 64}, true},
    {"w11", &cv181x, DT_S8, 8, 3, 5, 2, 2, {1, 3, 4, 6}, false},
    {"w12",
     &bm1684x,
     DT_S8,
     8,
     3,
     5,
     2,
     2,
     {1, 3, 1, 64},
     true,
     false,
     PACK_MERGE_KHKW,
     PACK_MERGE_KHKW},
    {"w13",
     &bm1684x,
     DT_S8,
     8,
     3,
     20,
     2,
     3,
     {1, 3, 1, 128},
     true,
     false,
     PACK_MERGE_KW,
     PACK_MERGE_KW},
    {"w14",
     &bm1684x,
     DT_S8,
     8,
     3,
     20,
     3,
     2,
     {1, 3, 1, 128},
     true,
     false,
     PACK_MERGE_KH,
     PACK_MERGE_KH},
};

static void
check_image(const WeightCase *c, const PackWeight *w)
{
    char name[32];
    PackPlan plan;
    assert_int_equal(pack_plan(c->target, w, false, false, &plan), PACK_OK);
    (void)snprintf(name, sizeof name, "%s_image", c->id);
    TikArray image = golden(name, c->dtype, (int64_t)plan.total / dtype_size(c->dtype));
    uint8_t *rows = calloc(1, plan.total);
    pack_rows(c->target, w, NULL, NULL, &plan, rows);
    assert_memory_equal(rows, image.data, plan.total);
    free(rows);
    tik_array_free(&image);
}

static void
check_weight(const WeightCase *c)
{
    char name[32];
    uint64_t shape[4], bytes;
    (void)snprintf(name, sizeof name, "%s_w", c->id);
    TikArray src = golden(name, c->dtype, (int64_t)(c->oc * c->ic * c->kh * c->kw));
    PackWeight w = {src.data, c->bits, dtype_is_float(c->dtype),
                    false,    c->oc,   c->ic,
                    c->kh,    c->kw,   c->depthwise,
                    c->merge};
    assert_int_equal(pack_weight_shape(c->target, &w, shape, &bytes), PACK_OK);
    assert_memory_equal(shape, c->stored, sizeof shape);
    (void)snprintf(name, sizeof name, "%s_stored", c->id);
    TikArray stored = golden(name, c->bits == 4 ? DT_U8 : c->dtype,
                             (int64_t)bytes / (c->bits == 4 ? 1 : dtype_size(c->dtype)));
    uint8_t *out = calloc(1, bytes);
    pack_weight(c->target, &w, out);
    assert_memory_equal(out, stored.data, bytes);
    if (c->image) {
        check_image(c, &w);
    }
    free(out);
    tik_array_free(&stored);
    tik_array_free(&src);
}

static void
weights_alone(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++) {
        check_weight(&weights[i]);
    }
}

/* Elements of 4 bits with merged kernel positions lie where bytes would that have as many
 * channels in parallel. */
static void
merged_nibbles(void **state)
{
    (void)state;
    enum {
        OC = 3,
        IC = 50,
        KH = 2,
        KW = 3,
        ELEMS = OC * IC * KH * KW
    };
    static const PackMerge merges[] = {PACK_MERGE_NONE, PACK_MERGE_KH, PACK_MERGE_KW,
                                       PACK_MERGE_KHKW};
    uint8_t src[ELEMS];
    PackTarget doubled = bm1684x;
    doubled.icp8 *= 2;
    for (int i = 0; i < ELEMS; i++) {
        src[i] = (uint8_t)((i * 7 + i / 16) & 15);
    }
    for (size_t m = 0; m < sizeof merges / sizeof *merges; m++) {
        uint8_t four[ELEMS * 8] = {0}, eight[ELEMS * 8] = {0};
        uint64_t shape[4], bytes, doubled_bytes;
        PackWeight w = {src, 4, false, false, OC, IC, KH, KW, false, merges[m]};
        assert_int_equal(pack_weight_shape(&bm1684x, &w, shape, &bytes), PACK_OK);
        pack_weight(&bm1684x, &w, four);
        w.bits = 8;
        assert_int_equal(pack_weight_shape(&doubled, &w, shape, &doubled_bytes), PACK_OK);
        pack_weight(&doubled, &w, eight);
        assert_int_equal(doubled_bytes, 2 * bytes);
        assert_true(doubled_bytes <= sizeof eight);
        for (uint64_t i = 0; i < doubled_bytes; i++) {
            assert_int_equal(four[i / 2] >> (i % 2 * 4) & 15, eight[i]);
        }
    }
}

/* A channel that is longer than an axis may be has an axis for its groups; one whose
 * groups are too long has no shape. */
static void
long_channels(void **state)
{
    (void)state;
    const uint64_t expected[4] = {1, 2, 50, 1600};
    uint64_t shape[4], bytes;
    PackWeight w = {NULL, 8, false, false, 2, 3200, 5, 5, false, PACK_MERGE_NONE};
    assert_int_equal(pack_weight_shape(&bm1684x, &w, shape, &bytes), PACK_OK);
    assert_memory_equal(shape, expected, sizeof shape);
    assert_int_equal(bytes, 2 * 50 * 1600);
    w.bits = 4;
    assert_int_equal(pack_weight_shape(&bm1684x, &w, shape, &bytes), PACK_OK);
    assert_int_equal(shape[0] * shape[1] * shape[2] * shape[3], bytes);
    w.kh = w.kw = 40;
    assert_int_equal(pack_weight_shape(&bm1684x, &w, shape, &bytes), PACK_ROW_LIMIT);
}

static void
merging_by_rule(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++) {
        const WeightCase *c = &weights[i];
        PackWeight w = {
            NULL,  c->bits,      dtype_is_float(c->dtype), false, c->oc, c->ic, c->kh,
            c->kw, c->depthwise, PACK_MERGE_NONE};
        assert_int_equal(pack_auto_merge(c->target, &w), c->merge_by_rule);
    }
}

/* ---- rows with parameters ------------------------------------------------ */

enum {
    NO_PART = -1
};

typedef struct RowCase {
    const char *id;
    const PackTarget *target;
    uint64_t oc, ic, kh, kw;
    bool depthwise;
    int requant, bias, weight; /* offsets of the parts */
    uint64_t row_bytes;
} RowCase;

static const RowCase rows[] = {
    {"m01", &bm1684x, 3, 40, 2, 2, false, 0, 12, 64, 320},
    {"m02", &bm1684x, 130, 33, 1, 2, false, 0, 140, 192, 576},
    {"m03", &bm1688, 40, 33, 1, 2, false, 0, 16, 32, 288},
    {"m04", &bm1684x, 70, 1, 3, 3, true, 0, 76, 84, 102},
    {"m05", &bm1688, 40, 1, 3, 3, true, 0, 16, 32, 50},
    {"m06", &bm1684x, 3, 40, 2, 2, false, NO_PART, 0, 64, 320},
    {"m07", &bm1684x, 3, 40, 2, 2, false, 0, NO_PART, 64, 320},
};

static int
part_offset(const PackPlan *p, PackKind kind)
{
    for (int i = 0; i < p->nparts; i++) {
        if (p->part[i].kind == kind) {
            return (int)p->part[i].offset;
        }
    }
    return NO_PART;
}

static TikArray
part_array(const RowCase *c, const char *part, Dtype dtype, uint64_t n)
{
    char name[32];
    (void)snprintf(name, sizeof name, "%s_%s", c->id, part);
    return golden(name, dtype, (int64_t)n);
}

static void
check_row(const RowCase *c, int32_t zp)
{
    TikArray w = part_array(c, "w", DT_S8, c->oc * c->ic * c->kh * c->kw);
    TikArray bias = {0}, mul = {0}, shift = {0};
    if (c->bias != NO_PART) {
        bias = part_array(c, "bias", DT_S32, c->oc);
    }
    if (c->requant != NO_PART) {
        mul = part_array(c, "mul", DT_S32, c->oc);
        shift = part_array(c, "shift", DT_S32, c->oc);
    }
    PackWeight weight = {w.data, 8,     false, false,        c->oc,
                         c->ic,  c->kh, c->kw, c->depthwise, PACK_MERGE_NONE};
    PackRequant q = {mul.data, shift.data, &zp, 0};
    PackPlan plan;
    assert_int_equal(
        pack_plan(c->target, &weight, c->requant != NO_PART, c->bias != NO_PART, &plan),
        PACK_OK);
    assert_int_equal(part_offset(&plan, PACK_REQUANT), c->requant);
    assert_int_equal(part_offset(&plan, PACK_BIAS), c->bias);
    assert_int_equal(part_offset(&plan, PACK_WEIGHT), c->weight);
    assert_int_equal(plan.row_bytes, c->row_bytes);
    TikArray merged = part_array(c, "merged", DT_U8, plan.total);
    uint8_t *out = calloc(1, plan.total);
    uint8_t words[12 * 130];
    if (c->requant != NO_PART) {
        pack_requant_words(c->target, c->oc, &q, words);
    }
    pack_rows(c->target, &weight, words, bias.data, &plan, out);
    assert_memory_equal(out, merged.data, plan.total);
    free(out);
    TikArray all[] = {w, bias, mul, shift, merged};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        tik_array_free(&all[i]);
    }
}

static void
rows_with_parameters(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_row(&rows[i], -5);
    }
}

/* The article's arrays have all LMEM lanes, also those without a channel. */
static void
check_article(const char *image, const char *bias, const char *weight, uint64_t oc,
              uint64_t ic, int trimmed)
{
    TikArray w = golden(weight, DT_S32, (int64_t)(oc * ic * 6));
    TikArray b = golden(bias, DT_S32, 5);
    PackWeight in = {w.data, 32, false, false, oc, ic, 2, 3, false, PACK_MERGE_NONE};
    PackPlan plan;
    assert_int_equal(pack_plan(&toy, &in, false, true, &plan), PACK_OK);
    assert_int_equal(plan.row_bytes, 208);
    assert_int_equal(part_offset(&plan, PACK_WEIGHT), 16);
    uint8_t out[4 * 208] = {0};
    pack_rows(&toy, &in, NULL, b.data, &plan, out);
    TikArray e = golden(image, DT_S32, trimmed * 52);
    assert_memory_equal(out, e.data, (size_t)trimmed * 208);
    tik_array_free(&w);
    tik_array_free(&b);
    tik_array_free(&e);
}

static void
rows_of_the_article(void **state)
{
    (void)state;
    check_article("a06_e5", "a04_d_in", "a06_w5", 5, 2, 4);
    check_article("a07_e_bias2", "a04_d_in", "a03_w", 2, 5, 4);
    check_article("a07_e_bias2_trim", "a04_d_in", "a03_w", 2, 5, 2);
}

/* As printed: weights of two channels, and all five values of bias before them. */
static void
printed_merge(void **state)
{
    (void)state;
    TikArray w = golden("a03_w", DT_S32, 60);
    TikArray padded = golden("a04_d_padded", DT_S32, 16);
    TikArray compact = golden("a04_d_compact", DT_S32, 8);
    TikArray e = golden("a05_e", DT_S32, 4 * 52);
    TikArray c = golden("a03_c", DT_S32, 4 * 48);
    PackWeight in = {w.data, 32, false, false, 2, 5, 2, 3, false, PACK_MERGE_NONE};
    PackPlan plan;
    assert_int_equal(pack_plan(&toy, &in, false, false, &plan), PACK_OK);
    uint8_t out[4 * 192] = {0};
    uint8_t row[4][16] = {{0}};
    pack_rows(&toy, &in, NULL, NULL, &plan, out);
    assert_memory_equal(out, c.data, sizeof out);
    pack_resize(compact.data, (uint64_t[]){4, 2}, (uint64_t[]){4, 4}, 2, 4, row);
    assert_memory_equal(row, padded.data, sizeof row);
    for (size_t lane = 0; lane < 4; lane++) {
        const uint8_t *image = (const uint8_t *)e.data + lane * 208;
        assert_memory_equal(image, row[lane], 16);
        assert_memory_equal(image + 16, out + lane * 192, 192);
    }
    TikArray all[] = {w, padded, compact, e, c};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        tik_array_free(&all[i]);
    }
}

static void
check_resize(const char *name, const uint64_t *to)
{
    static const uint64_t from[] = {1, 2, 3, 4};
    uint64_t n = to[0] * to[1] * to[2] * to[3];
    TikArray in = golden("a01_resize_in", DT_S32, 24);
    TikArray want = golden(name, DT_S32, (int64_t)n);
    uint8_t *out = calloc(n, 4);
    pack_resize(in.data, from, to, 4, 4, out);
    assert_memory_equal(out, want.data, n * 4);
    free(out);
    tik_array_free(&in);
    tik_array_free(&want);
}

static void
resizing(void **state)
{
    (void)state;
    check_resize("a01_resize_out_1_3_3_6", (uint64_t[]){1, 3, 3, 6});
    check_resize("a01_resize_out_2_4_3_8", (uint64_t[]){2, 4, 3, 8});
}

/* ---- parameters of byte-strided targets ---------------------------------- */

static void
channel_parameters(void **state)
{
    (void)state;
    TikArray bias = golden("m08_bias", DT_S32, 4);
    TikArray mul = golden("m08_mul", DT_S32, 4);
    TikArray shift = golden("m08_shift", DT_U8, 4);
    TikArray packed = golden("m08_packed", DT_U8, 36);
    int32_t wide[4], zero = 0;
    for (int i = 0; i < 4; i++) {
        wide[i] = ((const uint8_t *)shift.data)[i];
    }
    uint8_t out[36];
    PackRequant q = {mul.data, wide, &zero, 0};
    pack_channel_bytes(4, bias.data, &q, out);
    assert_memory_equal(out, packed.data, 36);
    pack_channel_bytes(4, NULL, &q, out);
    assert_memory_equal(out + 5, (const uint8_t *)packed.data + 13, 5);
    TikArray all[] = {bias, mul, shift, packed};
    for (size_t i = 0; i < 4; i++) {
        tik_array_free(&all[i]);
    }
}

static void
bias_planes(void **state)
{
    (void)state;
    TikArray bias = golden("m09_bias", DT_F32, 4);
    TikArray packed = golden("m09_packed", DT_U16, 8);
    uint8_t out[16];
    pack_bias_planes(4, bias.data, out);
    assert_memory_equal(out, packed.data, 16);
    tik_array_free(&bias);
    tik_array_free(&packed);
}

/* ---- limits -------------------------------------------------------------- */

static void
check_split(uint64_t bytes, uint64_t parallel, uint64_t h, uint64_t w)
{
    uint64_t shape[4];
    assert_int_equal(pack_row_shape(3, bytes, parallel, 0, shape), PACK_OK);
    assert_int_equal(shape[1], 3);
    assert_int_equal(shape[2], h);
    assert_int_equal(shape[3], w);
}

static void
row_splits(void **state)
{
    (void)state;
    uint64_t shape[4];
    check_split(320, 64, 1, 320);
    check_split(65535, 64, 1, 65535);
    check_split(65536, 64, 64, 1024);
    check_split(73792, 64, 64, 1153);
    check_split(131104, 32, 32, 4097);
    assert_int_equal(pack_row_shape(1, 140002, 64, 0, shape), PACK_ROW_LIMIT);
    assert_int_equal(pack_row_shape(64, 65538, 1, 3, shape), PACK_OK);
    assert_int_equal(shape[2], 3);
    assert_int_equal(pack_row_shape(64, 65537, 1, 3, shape), PACK_ROW_LIMIT);
    assert_int_equal(pack_row_shape(64, 65536, 64, 1, shape), PACK_ROW_LIMIT);
}

/* Of positions that fit the channels that are adjacent all are merged, else those of the
 * longer side, the rows if both have one length. */
static void
merging_of_small_kernels(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 70 * 25; i++) {
        uint64_t ic = 1 + i / 25, kh = 1 + i / 5 % 5, kw = 1 + i % 5;
        PackWeight w = {NULL, 8, false, false, 2, ic, kh, kw, false, PACK_MERGE_NONE};
        uint64_t p = pack_parallel(&bm1684x, &w);
        bool down = kh > 1 && ic * kh <= p, across = kw > 1 && ic * kw <= p;
        PackMerge want = down && across && ic * kh * kw <= p ? PACK_MERGE_KHKW
                         : across && (!down || kw > kh)      ? PACK_MERGE_KW
                         : down                              ? PACK_MERGE_KH
                                                             : PACK_MERGE_NONE;
        assert_int_equal(pack_auto_merge(&bm1684x, &w), want);
    }
}

/* Words are in order, and nothing is written after the last one. */
static void
requant_words(void **state)
{
    (void)state;
    const uint32_t mul[] = {3, 0x80000001}, shift[] = {1, 31}, zp[] = {7, 0xfffffffe};
    const PackRequant requant = {mul, shift, zp, 1};
    const uint32_t two[] = {3, 0x700ff, 0x80000001, 0xfffe00e1, 0x5a5a5a5a};
    const uint32_t three[] = {3,          0xffffffff, 7,         0x80000001,
                              0xffffffe1, 0xfffffffe, 0x5a5a5a5a};
    uint32_t out[8];
    memset(out, 0x5a, sizeof out);
    pack_requant_words(&bm1688, 2, &requant, out);
    assert_memory_equal(out, two, sizeof two);
    memset(out, 0x5a, sizeof out);
    pack_requant_words(&bm1684x, 2, &requant, out);
    assert_memory_equal(out, three, sizeof three);
}

static void
types_without_rule(void **state)
{
    (void)state;
    PackPlan plan;
    PackWeight f32 = {NULL, 32, true, false, 3, 2, 3, 3, false, PACK_MERGE_NONE};
    PackWeight s32 = {NULL, 32, false, false, 3, 2, 3, 3, false, PACK_MERGE_NONE};
    PackWeight s8 = {NULL, 8, false, false, 3, 2, 3, 3, false, PACK_MERGE_NONE};
    PackWeight wide = {NULL, 8, false, false, 3, 2, 3, 3, true, PACK_MERGE_NONE};
    PackWeight huge = {NULL,     8, false, false, 1u << 20,
                       1u << 20, 3, 3,     false, PACK_MERGE_NONE};
    assert_int_equal(pack_plan(&bm1684x, &f32, false, false, &plan), PACK_OK);
    assert_int_equal(pack_plan(&bm1684x, &f32, false, true, &plan), PACK_BAD_TYPE);
    assert_int_equal(pack_plan(&bm1684x, &s32, false, false, &plan), PACK_BAD_TYPE);
    assert_int_equal(pack_plan(&toy, &s8, true, false, &plan), PACK_BAD_TYPE);
    assert_int_equal(pack_plan(&bm1684, &s8, false, true, &plan), PACK_BAD_TYPE);
    assert_int_equal(pack_plan(&bm1684x, &wide, false, false, &plan), PACK_BAD_TYPE);
    assert_int_equal(pack_plan(&bm1684x, &huge, false, false, &plan), PACK_TOO_LARGE);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_alone),
        cmocka_unit_test(merged_nibbles),
        cmocka_unit_test(long_channels),
        cmocka_unit_test(merging_by_rule),
        cmocka_unit_test(rows_with_parameters),
        cmocka_unit_test(rows_of_the_article),
        cmocka_unit_test(printed_merge),
        cmocka_unit_test(resizing),
        cmocka_unit_test(channel_parameters),
        cmocka_unit_test(bias_planes),
        cmocka_unit_test(row_splits),
        cmocka_unit_test(types_without_rule),
        cmocka_unit_test(requant_words),
        cmocka_unit_test(merging_of_small_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
