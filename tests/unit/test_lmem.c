/* test_lmem.c: compares layouts in LMEM lanes with the golden arrays of tests/golden/lmem
 * (l01 to l24, v01 to v03) and the examples of the manual. The program runs in the
 * project's folder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "layout/lmem.h"
#include "random.h"
#include "tikrt.h"

static TikArray
load(const char *name, Dtype t)
{
    char path[100];
    TikArray a;
    TikError err = {0};
    snprintf(path, sizeof path, "tests/golden/lmem/%s.npy", name);
    if (!tik_npy_read(path, t, -1, &a, &err)) {
        fail_msg("%s: %s", path, err.text);
    }
    return a;
}

static TikArray
load_part(const char *id, const char *part, Dtype t)
{
    char name[40];
    snprintf(name, sizeof name, "%s_%s", id, part);
    return load(name, t);
}

static const LmemTarget *
target(const char *name)
{
    const Soc *soc = soc_find(name);
    assert_non_null(soc);
    assert_non_null(soc->lmem);
    return soc->lmem;
}

typedef struct Case {
    const char *id, *target;
    Dtype t;
    LmemLayout layout;
    int lane;
    int64_t shape[LMEM_AXES], stride[LMEM_AXES], bytes;
} Case;

static const Case cases[] = {
    {"l01", "toy4x16", DT_S32, LMEM_ALIGNED, 0, {2, 5, 2, 3}, {16, 8, 3, 1}, 128},
    {"l02", "toy4x16", DT_S32, LMEM_COMPACT, 0, {2, 5, 2, 3}, {12, 6, 3, 1}, 96},
    {"l03", "toy4x16", DT_S32, LMEM_ROW_ALIGNED, 0, {2, 5, 2, 3}, {16, 8, 4, 1}, 128},
    {"l04", "toy4x16", DT_S32, LMEM_ALIGNED, 3, {2, 5, 2, 3}, {16, 8, 3, 1}, 128},
    {"l05", "toy4x16", DT_S32, LMEM_COMPACT, 2, {2, 5, 2, 3}, {12, 6, 3, 1}, 96},
    {"l06", "toy4x16", DT_S32, LMEM_FREE, 0, {2, 5, 2, 3}, {48, 24, 10, 2}, 384},
    {"l07", "toy4x16", DT_S8, LMEM_ALIGNED, 0, {1, 6, 3, 7}, {64, 32, 7, 1}, 64},
    {"l08", "toy4x16", DT_F16, LMEM_ALIGNED, 0, {1, 6, 3, 3}, {32, 16, 3, 1}, 64},
    {"l09", "toy4x16", DT_S32, LMEM_ALIGNED, 1, {2, 3, 1, 3}, {4, 4, 3, 1}, 32},
    {"l10", "toy4x16", DT_S32, LMEM_ALIGNED, 0, {2, 6, 1, 3}, {8, 4, 3, 1}, 64},
    {"l11", "bm1684x", DT_S8, LMEM_ALIGNED, 0, {1, 70, 3, 5}, {128, 64, 5, 1}, 128},
    {"l12", "bm1684x", DT_F16, LMEM_ALIGNED, 0, {2, 65, 5, 7}, {128, 64, 7, 1}, 512},
    {"l13", "bm1684x", DT_F32, LMEM_COMPACT, 0, {1, 130, 1, 9}, {27, 9, 9, 1}, 108},
    {"l14", "bm1684x", DT_F32, LMEM_ALIGNED, 0, {1, 130, 1, 9}, {48, 16, 9, 1}, 192},
    {"l15", "bm1684x", DT_F16, LMEM_ROW_ALIGNED, 0, {1, 3, 4, 5}, {128, 128, 32, 1}, 256},
    {"l16", "bm1688", DT_S8, LMEM_ALIGNED, 5, {1, 33, 3, 6}, {64, 32, 6, 1}, 64},
    {"l17", "bm1688", DT_F16, LMEM_ALIGNED, 0, {1, 32, 2, 4}, {8, 8, 4, 1}, 16},
    {"l18", "bm1684x", DT_F32, LMEM_ALIGNED, 63, {1, 4, 2, 2}, {32, 16, 2, 1}, 128},
};

/* A function that is called for every element of the tensor, in row-major order; i counts
 * them. */
typedef void Each(void *ctx, const int64_t at[LMEM_AXES], int64_t i);

static void
each(const int64_t shape[LMEM_AXES], Each *what, void *ctx)
{
    int64_t i = 0;
    for (int64_t n = 0; n < shape[0]; n++) {
        for (int64_t c = 0; c < shape[1]; c++) {
            for (int64_t h = 0; h < shape[2]; h++) {
                for (int64_t w = 0; w < shape[3]; w++) {
                    const int64_t at[LMEM_AXES] = {n, c, h, w};
                    what(ctx, at, i++);
                }
            }
        }
    }
}

typedef struct Image {
    const LmemTarget *t;
    LmemTensor x;
    TikArray src, image, mask, seen;
} Image;

static void
compare_element(void *ctx, const int64_t at[LMEM_AXES], int64_t i)
{
    Image *m = ctx;
    int size = dtype_size(m->src.dtype);
    int64_t lane = lmem_lane(m->t, m->x.lane, at[LMEM_C]);
    int64_t k = lane * m->image.shape[1] + lmem_offset(m->t, &m->x, at);
    assert_in_range(k, 0, m->image.elems - 1);
    assert_int_equal(m->seen.data[k], 0);
    m->seen.data[k] = 1;
    assert_memory_equal(m->image.data + k * size, m->src.data + i * size, (size_t)size);
}

static void
check_image(const char *id, const LmemTarget *t, const LmemTensor *x, Dtype d)
{
    TikError err;
    Image m = {.t = t, .x = *x};
    m.src = load_part(id, "src", d);
    m.image = load_part(id, "image", d);
    m.mask = load_part(id, "mask", DT_U8);
    assert_true(tik_array_alloc(&m.seen, DT_U8, m.image.elems, &err));
    each(x->shape, compare_element, &m);
    assert_memory_equal(m.seen.data, m.mask.data, (size_t)m.mask.elems);
    tik_array_free(&m.src);
    tik_array_free(&m.image);
    tik_array_free(&m.mask);
    tik_array_free(&m.seen);
}

static LmemTensor
tensor(const Case *c)
{
    LmemTensor x = {.lane = c->lane, .bits = 8 * dtype_size(c->t)};
    memcpy(x.shape, c->shape, sizeof x.shape);
    memcpy(x.stride, c->stride, sizeof x.stride);
    return x;
}

static void
layouts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const Case *c = &cases[i];
        const LmemTarget *t = target(c->target);
        LmemTensor x = tensor(c);
        if (c->layout != LMEM_FREE) {
            memset(x.stride, 0, sizeof x.stride);
            lmem_strides(t, c->layout, &x);
            assert_memory_equal(x.stride, c->stride, sizeof x.stride);
            assert_int_equal(lmem_bytes(t, c->layout, &x), c->bytes);
            assert_true(lmem_has_layout(t, c->layout, &x));
        }
        assert_true(lmem_extent(t, &x) * dtype_size(c->t) <= c->bytes);
        assert_false(lmem_repeats(t, &x));
        check_image(c->id, t, &x, c->t);
    }
}

/* l19: the first of the two elements in a byte is the low half. */
static void
compare_nibble(void *ctx, const int64_t at[LMEM_AXES], int64_t i)
{
    Image *m = ctx;
    int64_t lane = lmem_lane(m->t, m->x.lane, at[LMEM_C]);
    int64_t k = lmem_offset(m->t, &m->x, at);
    uint8_t byte = m->image.data[lane * m->image.shape[1] + k / 2];
    assert_int_equal(k % 2 ? byte >> 4 : byte & 15, m->src.data[i]);
}

static void
nibbles(void **state)
{
    (void)state;
    static const int64_t strides[LMEM_AXES] = {128, 128, 5, 1};
    Image m = {.t = target("bm1684x"), .x = {.shape = {1, 3, 3, 5}, .bits = 4}};
    lmem_strides(m.t, LMEM_ALIGNED, &m.x);
    assert_memory_equal(m.x.stride, strides, sizeof strides);
    assert_int_equal(lmem_bytes(m.t, LMEM_ALIGNED, &m.x), 64);
    m.src = load("l19_src", DT_U8);
    m.image = load("l19_image", DT_U8);
    each(m.x.shape, compare_nibble, &m);
    tik_array_free(&m.src);
    tik_array_free(&m.image);
}

/* l20 to l22: matrices. The last channel may be partly filled. */
static void
matrix(const char *id, int64_t per, int lane, const int64_t stride[LMEM_AXES])
{
    const LmemTarget *t = target("toy4x16");
    LmemTensor x = {.lane = lane, .bits = 32};
    TikArray src = load_part(id, "src", DT_S32);
    TikArray image = load_part(id, "image", DT_S32);
    TikArray mask = load_part(id, "mask", DT_U8);
    int64_t rows = src.shape[0], columns = src.shape[1], written = 0;
    lmem_matrix(rows, columns, per, x.shape);
    const int64_t shape[LMEM_AXES] = {rows, (columns + per - 1) / per, 1, per};
    assert_memory_equal(x.shape, shape, sizeof shape);
    lmem_strides(t, LMEM_ALIGNED, &x);
    assert_memory_equal(x.stride, stride, sizeof x.stride);
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t j = 0; j < columns; j++) {
            const int64_t at[LMEM_AXES] = {r, j / per, 0, j % per};
            int64_t k =
                lmem_lane(t, lane, at[1]) * image.shape[1] + lmem_offset(t, &x, at);
            assert_memory_equal(image.data + 4 * k, src.data + 4 * (r * columns + j), 4);
            assert_int_equal(mask.data[k], 1);
        }
    }
    for (int64_t k = 0; k < mask.elems; k++) {
        written += mask.data[k];
    }
    assert_int_equal(written, rows * columns);
    tik_array_free(&src);
    tik_array_free(&image);
    tik_array_free(&mask);
}

static void
matrices(void **state)
{
    (void)state;
    matrix("l20", 4, 0, (const int64_t[]){4, 4, 4, 1});
    matrix("l21", 3, 0, (const int64_t[]){4, 4, 3, 1});
    matrix("l22", 4, 1, (const int64_t[]){8, 4, 4, 1});
}

/* l23: a processor that gives strides in bytes. */
static void
compare_bytes(void *ctx, const int64_t at[LMEM_AXES], int64_t i)
{
    Image *m = ctx;
    int64_t lane = lmem_lane(m->t, m->x.lane, at[LMEM_C]);
    int64_t k = lane * m->image.shape[1] + 2 * lmem_offset(m->t, &m->x, at);
    assert_memory_equal(m->image.data + k, m->src.data + 2 * i, 2);
}

static void
byte_strides(void **state)
{
    (void)state;
    static const int64_t bytes[LMEM_AXES] = {64, 32, 10, 2};
    Image m = {.t = target("cv181x"), .x = {.shape = {2, 9, 2, 5}, .bits = 16}};
    assert_int_equal(m.t->unit, UNIT_BYTE);
    lmem_strides(m.t, LMEM_ALIGNED, &m.x);
    for (int i = 0; i < LMEM_AXES; i++) {
        assert_int_equal(m.x.stride[i] * 2, bytes[i]);
    }
    assert_int_equal(lmem_bytes(m.t, LMEM_ALIGNED, &m.x), 128);
    m.src = load("l23_src", DT_U16);
    m.image = load("l23_image", DT_U8);
    each(m.x.shape, compare_bytes, &m);
    tik_array_free(&m.src);
    tik_array_free(&m.image);
}

/* l24: there are four batch items in a cell. */
static void
compare_cell(void *ctx, const int64_t at[LMEM_AXES], int64_t i)
{
    Image *m = ctx;
    const int64_t cell[LMEM_AXES] = {at[0] / 4, at[1], at[2], at[3]};
    int64_t lane = lmem_lane(m->t, m->x.lane, at[LMEM_C]);
    int64_t k = lane * m->image.shape[1] + 4 * lmem_offset(m->t, &m->x, cell) + at[0] % 4;
    assert_int_equal(m->image.data[k], m->src.data[i]);
}

static void
cells(void **state)
{
    (void)state;
    static const int64_t strides[LMEM_AXES] = {8, 8, 3, 1};
    const LmemTensor x = {.shape = {5, 3, 2, 3}, .bits = 8};
    Image m = {.t = target("toy4x16")};
    m.x = lmem_cells(m.t, &x);
    assert_int_equal(m.x.shape[0], 2);
    assert_memory_equal(m.x.stride, strides, sizeof strides);
    m.src = load("l24_src", DT_S8);
    m.image = load("l24_image", DT_S8);
    each(x.shape, compare_cell, &m);
    tik_array_free(&m.src);
    tik_array_free(&m.image);
}

static int32_t
number(const TikArray *a, int64_t i)
{
    int32_t v;
    memcpy(&v, a->data + 4 * i, 4);
    return v;
}

static void
views(void **state)
{
    (void)state;
    const LmemTarget *t = target("toy4x16");
    LmemTensor x = {.shape = {2, 10, 2, 3}, .lane = 1, .base = 64, .bits = 32};
    TikArray a = load("v01_view", DT_S32);
    lmem_strides(t, LMEM_ALIGNED, &x);
    for (int64_t r = 0; r < a.shape[0]; r++) {
        int64_t lo[LMEM_AXES];
        for (int i = 0; i < LMEM_AXES; i++) {
            lo[i] = number(&a, r * 7 + i);
        }
        LmemTensor v = lmem_view(t, &x, lo, x.shape);
        assert_int_equal(v.lane, number(&a, r * 7 + 4));
        assert_int_equal(v.base, number(&a, r * 7 + 5));
        assert_int_equal(lmem_address(t, v.lane, v.base), number(&a, r * 7 + 6));
        assert_memory_equal(v.stride, x.stride, sizeof v.stride);
        assert_int_equal(v.shape[1], x.shape[1] - lo[1]);
    }
    tik_array_free(&a);
    /* Whole channels from the first lane on keep the layout; a row of them does not. */
    LmemTensor whole =
        lmem_view(t, &x, (const int64_t[]){0, 3, 0, 0}, (const int64_t[]){2, 10, 2, 3});
    assert_true(lmem_has_layout(t, LMEM_ALIGNED, &x));
    assert_false(lmem_has_layout(t, LMEM_ALIGNED,
                                 &whole)); /* fewer slots give another stride of n */
    LmemTensor one =
        lmem_view(t, &x, (const int64_t[]){1, 3, 0, 0}, (const int64_t[]){2, 10, 2, 3});
    assert_false(lmem_has_layout(t, LMEM_ALIGNED, &one));
    LmemTensor last =
        lmem_view(t, &x, (const int64_t[]){1, 0, 0, 0}, (const int64_t[]){2, 10, 2, 3});
    assert_true(lmem_has_layout(t, LMEM_ALIGNED, &last));
    LmemTensor row =
        lmem_view(t, &x, (const int64_t[]){0, 0, 1, 0}, (const int64_t[]){2, 10, 2, 3});
    assert_false(lmem_has_layout(t, LMEM_ALIGNED, &row));
}

static void
addresses(void **state)
{
    (void)state;
    static const char *const names[][2] = {{"v02_addr", "toy4x16"},
                                           {"v03_addr", "bm1684x"}};
    for (int k = 0; k < 2; k++) {
        const LmemTarget *t = target(names[k][1]);
        TikArray a = load(names[k][0], DT_S32);
        for (int64_t r = 0; r < a.shape[0]; r++) {
            int64_t at = number(&a, 4 * r);
            assert_int_equal(at / t->lane_bytes, number(&a, 4 * r + 1));
            assert_int_equal(at % t->lane_bytes, number(&a, 4 * r + 2));
            assert_int_equal(lmem_bank(t, at), number(&a, 4 * r + 3));
            assert_int_equal(
                lmem_address(t, number(&a, 4 * r + 1), number(&a, 4 * r + 2)), at);
        }
        tik_array_free(&a);
    }
    const LmemTarget *toy = target("toy4x16");
    assert_int_equal(lmem_banks(toy, 240, 80), 3);
    assert_int_equal(lmem_banks(toy, 240, 16), 1);
    assert_int_equal(lmem_banks(toy, 0, 1024), 15);
    assert_int_equal(lmem_banks(toy, 256, 0), 0);
}

static void
lanes(void **state)
{
    (void)state;
    const LmemTarget *toy = target("toy4x16");
    assert_int_equal(lmem_lanes(toy, 0, 3), 7);
    assert_int_equal(lmem_lanes(toy, 3, 2), 9);
    assert_int_equal(lmem_lanes(toy, 2, 4), 15);
    assert_int_equal(lmem_lanes(toy, 1, 40), 15);
    const LmemTarget *bm = target("bm1684x");
    assert_true(lmem_lanes(bm, 63, 64) == UINT64_MAX);
    assert_true(lmem_lanes(bm, 63, 2) == ((uint64_t)1 << 63 | 1));
}

/* Counts the elements of small tensors: whether two elements share an address, with a row
 * of addresses for two tensors. */
typedef struct Count {
    const LmemTarget *t;
    LmemTensor x;
    uint8_t *bytes; /* lane by lane */
    int64_t room;
    /* the mark that is written; own: a mark whose finding is no overlap */
    uint8_t mark, own;
    bool overlaps;
} Count;

static void
count_element(void *ctx, const int64_t at[LMEM_AXES], int64_t i)
{
    (void)i;
    Count *c = ctx;
    int64_t size = c->x.bits / 8;
    int64_t k = c->x.base + size * lmem_offset(c->t, &c->x, at);
    uint8_t *p = c->bytes + lmem_lane(c->t, c->x.lane, at[1]) * c->room + k;
    for (int64_t b = 0; b < size; b++) {
        c->overlaps = c->overlaps || (p[b] != 0 && p[b] != c->own);
        p[b] = c->mark;
    }
}

static bool
counted(const LmemTarget *t, const LmemTensor *x, const LmemTensor *y)
{
    enum {
        ROOM = 4096
    };
    Count c = {.t = t, .x = *x, .bytes = calloc(4, ROOM), .room = ROOM, .mark = 1};
    each(x->shape, count_element, &c);
    if (y != NULL) {
        c.x = *y;
        c.mark = c.own = 2;
        c.overlaps = false;
        each(y->shape, count_element, &c);
    }
    free(c.bytes);
    return c.overlaps;
}

static LmemTensor
draw_tensor(uint64_t *seed)
{
    LmemTensor x = {.lane = (int)random_below(seed, 4),
                    .bits = 8 << random_below(seed, 3)};
    x.base = random_below(seed, 16) * (x.bits / 8);
    for (int i = 0; i < LMEM_AXES; i++) {
        x.shape[i] = 1 + random_below(seed, i == LMEM_C ? 9 : 4);
        x.stride[i] = random_below(seed, random_below(seed, 2) ? 6 : 30);
    }
    return x;
}

static void
random_strides(void **state)
{
    (void)state;
    const LmemTarget *t = target("toy4x16");
    uint64_t seed = 7;
    int apart = 0, repeats = 0;
    for (int i = 0; i < 20000; i++) {
        LmemTensor x = draw_tensor(&seed), y = draw_tensor(&seed);
        bool overlaps = counted(t, &x, NULL);
        assert_int_equal(lmem_repeats(t, &x), overlaps);
        repeats += overlaps;
        if (!overlaps && !counted(t, &y, NULL)) {
            bool overlap = counted(t, &x, &y);
            assert_int_equal(lmem_apart(t, &x, &y), !overlap);
            apart += !overlap;
        }
    }
    assert_true(apart > 100 && repeats > 1000 && repeats < 19000);
    /* Even bytes, and odd ones from the fourth on; all that are looked at. */
    LmemTensor many = {
        .shape = {1, 1, 2, (1 << 15) - 1}, .stride = {0, 0, 3, 2}, .bits = 8};
    assert_false(lmem_repeats(t, &many));
    /* Rows of one tensor, between which its other rows lie. */
    LmemTensor x = {.shape = {2, 6, 2, 3}, .bits = 32};
    lmem_strides(t, LMEM_ALIGNED, &x);
    LmemTensor upper =
        lmem_view(t, &x, (const int64_t[]){0, 0, 0, 0}, (const int64_t[]){2, 6, 1, 3});
    LmemTensor lower =
        lmem_view(t, &x, (const int64_t[]){0, 0, 1, 0}, (const int64_t[]){2, 6, 2, 3});
    assert_true(lmem_apart(t, &upper, &lower));
    assert_false(lmem_apart(t, &x, &lower));
    /* Channels of one tensor, in rows of several batch items. */
    x.shape[1] = 16;
    x.shape[2] = 1;
    lmem_strides(t, LMEM_ALIGNED, &x);
    upper =
        lmem_view(t, &x, (const int64_t[]){0, 0, 0, 0}, (const int64_t[]){2, 2, 1, 3});
    lower =
        lmem_view(t, &x, (const int64_t[]){0, 8, 0, 0}, (const int64_t[]){2, 10, 1, 3});
    assert_true(lmem_apart(t, &upper, &lower));
    lower =
        lmem_view(t, &x, (const int64_t[]){0, 1, 0, 0}, (const int64_t[]){2, 5, 1, 3});
    assert_false(lmem_apart(t, &upper, &lower));
    /* Elements of 4 bits, whose runs are whole bytes only together. */
    LmemTensor first = {.shape = {1, 1, 1, 16}, .stride = {16, 16, 16, 1}, .bits = 4};
    LmemTensor second = first;
    second.base = 8;
    assert_true(lmem_apart(t, &first, &second));
    second.base = 7;
    assert_false(lmem_apart(t, &first, &second));
    /* Elements that take turns are apart however many they are, up to the end of a gap.
     */
    first = (LmemTensor){
        .shape = {1, 1, 1, 1 << 20}, .stride = {0, 0, 0, 4}, .bits = 8, .base = 9};
    second = (LmemTensor){
        .shape = {1, 1, 1, 1 << 20}, .stride = {0, 0, 0, 2}, .bits = 16, .base = 6};
    assert_true(lmem_apart(t, &first, &second));
    assert_true(lmem_apart(t, &second, &first));
    second.base = 8;
    assert_false(lmem_apart(t, &first, &second));
    assert_false(lmem_apart(t, &second, &first));
    second.base = 10;
    first.bits = second.bits;
    first.stride[LMEM_W] = 2;
    first.base = 8;
    assert_true(lmem_apart(t, &first, &second));
    assert_true(lmem_apart(t, &second, &first));
    /* What is as long as all memory is not looked through. */
    LmemTensor far = {.shape = {2, 1, 1, 3}, .stride = {INT64_MAX, 1, 1, 2}, .bits = 32};
    second = (LmemTensor){.base = 64, .shape = {1, 1, 1, 1}, .bits = 32};
    assert_false(lmem_apart(t, &far, &second));
    assert_false(lmem_apart(t, &second, &far));
}

/* The bytes of a tensor's elements, in lanes of ROOM bytes. */
typedef struct Bytes {
    const LmemTarget *t;
    LmemTensor x;
    bool at[4][1024];
} Bytes;

static void
mark_element(void *ctx, const int64_t at[LMEM_AXES], int64_t i)
{
    (void)i;
    Bytes *b = ctx;
    int64_t bit = 8 * b->x.base + b->x.bits * lmem_offset(b->t, &b->x, at);
    for (int64_t k = bit / 8; k <= (bit + b->x.bits - 1) / 8; k++) {
        b->at[lmem_lane(b->t, b->x.lane, at[LMEM_C])][k] = true;
    }
}

/* Returns the least number of bytes between those of both; -1: they share one. */
static int64_t
least_gap(const Bytes *a, const Bytes *b)
{
    int64_t least = 1024;
    for (int i = 0; i < 4 * 1024; i++) {
        int lane = i / 1024, k = i % 1024;
        for (int j = k - 4; a->at[lane][k] && j <= k + 4; j++) {
            int64_t between = j < k ? k - j - 1 : j - k - 1;
            bool near = j >= 0 && j < 1024 && b->at[lane][j] && between < least;
            least = near ? between : least;
        }
    }
    return least;
}

/* Elements of 4 bits share bytes with their neighbours. Where a byte is between their
 * bytes and those of another tensor, they are apart. */
static void
random_nibbles(void **state)
{
    (void)state;
    const LmemTarget *t = target("toy4x16");
    uint64_t seed = 8;
    int apart = 0, shared = 0;
    for (int i = 0; i < 20000; i++) {
        Bytes a = {.t = t, .x = draw_tensor(&seed)};
        Bytes b = {.t = t, .x = draw_tensor(&seed)};
        a.x.bits = 4;
        b.x.bits = random_below(&seed, 2) ? 4 : 8;
        a.x.base = random_below(&seed, 60);
        b.x.base = random_below(&seed, 60);
        each(a.x.shape, mark_element, &a);
        each(b.x.shape, mark_element, &b);
        int64_t gap = least_gap(&a, &b);
        bool known = lmem_apart(t, &a.x, &b.x);
        assert_int_equal(lmem_apart(t, &b.x, &a.x), known);
        assert_false(known && gap < 0);
        assert_true(known || gap < 1);
        apart += known;
        shared += gap < 0;
    }
    assert_true(apart > 1000 && shared > 1000);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts),        cmocka_unit_test(nibbles),
        cmocka_unit_test(matrices),       cmocka_unit_test(byte_strides),
        cmocka_unit_test(cells),          cmocka_unit_test(views),
        cmocka_unit_test(addresses),      cmocka_unit_test(lanes),
        cmocka_unit_test(random_strides), cmocka_unit_test(random_nibbles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
