/* test_fractal.c: compares the fractal layouts with the golden arrays of
 * tests/golden/quant (q30_*) and the examples of the manual. The program runs in the
 * project's folder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "isa/isa.h"
#include "layout/fractal.h"
#include "tikrt.h"

static TikArray
load(const char *name, Dtype t)
{
    char path[100];
    TikArray a;
    TikError err = {0};
    snprintf(path, sizeof path, "tests/golden/quant/q30_layout_%s.npy", name);
    if (!tik_npy_read(path, t, -1, &a, &err)) {
        fail_msg("%s: %s", path, err.text);
    }
    return a;
}

/* Expects that element i of a is element j of b. */
static void
same(const TikArray *a, int64_t i, const TikArray *b, int64_t j)
{
    int size = dtype_size(a->dtype);
    assert_in_range(i, 0, a->elems - 1);
    assert_in_range(j, 0, b->elems - 1);
    assert_memory_equal(a->data + i * size, b->data + j * size, (size_t)size);
}

static void
matrices(const char *stem, Dtype t, bool zn)
{
    char name[40];
    snprintf(name, sizeof name, "%s.nd", stem);
    TikArray nd = load(name, t);
    snprintf(name, sizeof name, "%s.nz", stem);
    TikArray nz = load(name, t);
    snprintf(name, sizeof name, "%s.zz", stem);
    TikArray zz = load(name, t);
    int64_t rows = nd.shape[0], columns = nd.shape[1], c0 = fractal_c0(dtype_size(t));
    FractalShape s = fractal_shape(rows, columns, FRACTAL_SIDE, c0);
    assert_int_equal(fractal_elems(s), nz.elems);
    TikArray zn_array = zn ? load("nz.zn", t) : (TikArray){0};
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t c = 0; c < columns; c++) {
            same(&nd, r * columns + c, &nz, fractal_nz(s, r, c));
            same(&nd, r * columns + c, &zz, fractal_zz(s, r, c));
            assert_int_equal(fractal_nz(s, r, c),
                             fractal_nz_pitch(s.r1 * s.r0, c0, r, c));
            if (zn) {
                same(&nd, r * columns + c, &zn_array,
                     fractal_zn(fractal_count(columns, FRACTAL_SIDE), c0, r, c));
            }
        }
    }
    FractalMatrix m = {rows, columns, columns, dtype_size(t), s};
    TikArray out, back;
    TikError err;
    assert_true(tik_array_alloc(&out, t, nz.elems, &err) &&
                tik_array_alloc(&back, t, nd.elems, &err));
    memset(out.data, 0x5a, (size_t)out.bytes);
    fractal_nd_to_nz(out.data, nd.data, &m);
    assert_memory_equal(out.data, nz.data, (size_t)nz.bytes);
    fractal_nz_to_nd(back.data, nz.data, &m);
    assert_memory_equal(back.data, nd.data, (size_t)nd.bytes);
    TikArray *all[] = {&nd, &nz, &zz, &out, &back, &zn_array};
    for (size_t i = 0; i < sizeof all / sizeof all[0] - !zn; i++) {
        tik_array_free(all[i]);
    }
}

static void
halves(void **state)
{
    (void)state;
    matrices("nz", DT_F16, true);
}

static void
bytes(void **state)
{
    (void)state;
    matrices("s8", DT_S8, false);
}

static void
image(void **state)
{
    (void)state;
    TikArray a = load("nc1hwc0.nchw", DT_F16), b = load("nc1hwc0.nc1hwc0", DT_F16);
    int64_t c = a.shape[1], h = a.shape[2], w = a.shape[3];
    FractalImage s = {fractal_count(c, 16), h, w, 16};
    for (int64_t i = 0; i < a.elems; i++) {
        same(&a, i, &b,
             fractal_nc1hwc0(s, i / (c * h * w), i / (h * w) % c, i / w % h, i % w));
    }
    tik_array_free(&a);
    tik_array_free(&b);
}

static void
weights(void **state)
{
    (void)state;
    TikArray a = load("fz.oihw", DT_F16), b = load("fz.fractal_z", DT_F16);
    int64_t ci = a.shape[1], kh = a.shape[2], kw = a.shape[3];
    FractalWeights s = {kh, kw, fractal_count(a.shape[0], 16), 16};
    for (int64_t i = 0; i < a.elems; i++) {
        same(&a, i, &b,
             fractal_z(s, i / (ci * kh * kw), i / (kh * kw) % ci, i / kw % kh, i % kw));
    }
    tik_array_free(&a);
    tik_array_free(&b);
}

/* The examples in the text of the manual. */
static void
examples(void **state)
{
    (void)state;
    assert_int_equal(fractal_nz(fractal_shape(20, 28, 16, 16), 17, 20), 788);
    assert_int_equal(fractal_l0c(fractal_count(20, 16), 17, 16), 784);
    assert_int_equal(fractal_c0(1), 32);
    assert_int_equal(fractal_c0(4), 8);
    assert_int_equal(fractal_up(0, 16), 0);
    assert_int_equal(fractal_up(17, 16), 32);
    FractalWindows s = {.h = 5,
                        .w = 6,
                        .left = 1,
                        .right = 1,
                        .top = 1,
                        .bottom = 1,
                        .stride_h = 1,
                        .stride_w = 1,
                        .kh = 3,
                        .kw = 3,
                        .dilation_h = 1,
                        .dilation_w = 1};
    assert_int_equal(fractal_windows_h(&s), 5);
    assert_int_equal(fractal_windows_w(&s), 6);
    assert_int_equal(fractal_window_y(&s, 2, 0), 1);
    assert_int_equal(fractal_window_x(&s, 4, 2), 5);
    s.stride_h = s.stride_w = 2;
    assert_int_equal(fractal_windows_h(&s), 3);
    assert_int_equal(fractal_windows_w(&s), 3);
    s.kh = 8;
    assert_int_equal(fractal_windows_h(&s), 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves),  cmocka_unit_test(bytes),    cmocka_unit_test(image),
        cmocka_unit_test(weights), cmocka_unit_test(examples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
