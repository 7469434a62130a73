/* test_host_session.c: kernels of one session share helpers (host/share.h). Each gives
 * the bytes that it gives in a session of its own, also when kernels before it were
 * released; equal loops are compiled once, and what differs in a constant or in a reading
 * of a choice is not taken for equal. */
#include "host_util.h"
#include "pipeline.h"

enum {
    ELEMS = 1024,
    LONG_ROWS = 8192,
    KERNELS = 7
};

/* %s: an instruction, its scalar, and the repeats of 64 elements. */
static const char source[] =
    "from tbe import tik\n"
    "t = tik.Tik()\n"
    "n = %d\n"
    "x = t.Tensor('float32', (n * 64,), name='x', scope=tik.scope_gm)\n"
    "y = t.Tensor('float32', (n * 64,), name='y', scope=tik.scope_gm)\n"
    "a = t.Tensor('float32', (n * 64,), name='a', scope=tik.scope_ubuf)\n"
    "b = t.Tensor('float32', (n * 64,), name='b', scope=tik.scope_ubuf)\n"
    "t.data_move(a, x, 0, 1, n * 8, 0, 0)\n"
    "t.%s(64, b, a, %s n, 8, 8)\n"
    "t.data_move(y, b, 0, 1, n * 8, 0, 0)\n"
    "t.BuildCCE(kernel_name='%s', inputs=[x], outputs=[y])\n";

typedef struct Row {
    const char *call, *scalar;
    int repeats;
    uint8_t approximate; /* the reading of how functions are approximated */
} Row;

/* The second has the helpers of the first, the others have some of their own. */
static const Row rows[KERNELS] = {{"vec_exp", "", 16},
                                  {"vec_exp", "", 8},
                                  {"vec_ln", "", 16},
                                  {"vec_adds", "1.5,", 16},
                                  {"vec_adds", "2.5,", 12},
                                  {"vec_rec", "", 16},
                                  {"vec_exp", "", 16, CHOSE_APPROXIMATE_FAST}};

typedef struct Loaded {
    Unit unit;
    TikKernel kernel;
    void *handle;
} Loaded;

static void
load_with(HostSession *s, const char *text, uint8_t approximate, Loaded *out)
{
    PassOptions passes = {0};
    unit_init(&out->unit);
    out->unit.opt.choices.v[CHOICE_APPROXIMATE] = approximate;
    assert_true(tikc_compile(&out->unit, "session.tik", text, strlen(text), &passes));
    tikc_tile(out->unit.kernels.p, 1, &passes);
    assert_true(tikc_host_api()->jit(s, out->unit.kernels.p, 1, true, &out->kernel,
                                     &out->handle));
}

static void
load_text(HostSession *s, const char *text, Loaded *out)
{
    load_with(s, text, 0, out);
}

static void
load_row(HostSession *s, const Row *row, Loaded *out)
{
    char text[1024];
    snprintf(text, sizeof text, source, row->repeats, row->call, row->scalar, row->call);
    load_with(s, text, row->approximate, out);
}

static void
run_row(const Loaded *k, float *result)
{
    float data[ELEMS];
    for (int i = 0; i < ELEMS; i++) {
        data[i] = (float)(i + 1) / 64;
        result[i] = 0;
    }
    TikError err;
    TikArray a[2] = {{.data = (uint8_t *)data}, {.data = (uint8_t *)result}};
    TikArray *list[2] = {&a[0], &a[1]};
    for (int i = 0; i < 2; i++) {
        a[i].dtype = k->kernel.params[i].dtype;
        a[i].elems = k->kernel.params[i].elems;
        a[i].bytes = a[i].elems * (int64_t)sizeof(float);
    }
    assert_true(tik_launch(&k->kernel, list, 1, &err));
}

static void
unload_row(Loaded *k)
{
    tikc_host_api()->release(k->handle);
    for (uint32_t i = 0; i < k->unit.kernels.n; i++) {
        kernel_free(k->unit.kernels.p[i]);
    }
    unit_free(&k->unit);
}

static HostSession *
open_session(void)
{
    Unit u;
    unit_init(&u);
    HostSession *s =
        tikc_host_api()->open(&u, &(HostOptions){.opt_level = 2, .fresh = true});
    assert_non_null(s);
    unit_free(&u);
    return s;
}

static void
run_alone(const Row *row, float *result)
{
    HostSession *s = open_session();
    Loaded k;
    load_row(s, row, &k);
    run_row(&k, result);
    unload_row(&k);
    tikc_host_api()->close(s);
}

static void
gives_the_same(HostSession *s, const Row *row, Loaded *k)
{
    float alone[ELEMS], shared[ELEMS];
    load_row(s, row, k);
    run_row(k, shared);
    run_alone(row, alone);
    assert_memory_equal(shared, alone, sizeof alone);
}

/* A helper outlives the kernel that it was compiled for. */
static void
test_released_one_by_one(void **state)
{
    (void)state;
    HostSession *s = open_session();
    for (int i = 0; i < 3 * KERNELS; i++) {
        Loaded k;
        gives_the_same(s, &rows[i % KERNELS], &k);
        unload_row(&k);
    }
    tikc_host_api()->close(s);
}

static void
test_released_together(void **state)
{
    (void)state;
    HostSession *s = open_session();
    Loaded k[KERNELS];
    float result[ELEMS];
    for (int i = 0; i < KERNELS; i++) {
        gives_the_same(s, &rows[i], &k[i]);
    }
    unload_row(&k[0]); /* the second one calls its helper */
    run_row(&k[1], result);
    for (int i = 1; i < KERNELS; i++) {
        unload_row(&k[i]);
    }
    tikc_host_api()->close(s);
}

static void
test_compiled_once(void **state)
{
    (void)state;
    HostSession *s = open_session();
    int64_t made[KERNELS];
    for (int i = 0; i < KERNELS; i++) {
        Loaded k;
        load_row(s, &rows[i], &k);
        made[i] = tikc_host_api()->count(s).made;
        unload_row(&k);
    }
    assert_int_equal(made[1], made[0]); /* only the size is another one */
    assert_true(made[2] > made[1]);     /* only a constant is another one */
    assert_true(made[3] > made[2]);
    assert_int_equal(made[4], made[3]); /* a scalar is an argument */
    assert_true(made[6] > made[5]);     /* only a reading is another one */
    assert_true(tikc_host_api()->count(s).shared >= 2);
    tikc_host_api()->close(s);
}

/* %d: rows, and elements of each. */
static const char rows_source[] =
    "from tbe import tik\n"
    "t = tik.Tik()\n"
    "rows, n = %d, %d\n"
    "x = t.Tensor('float32', (rows, n), name='x', scope=tik.scope_gm)\n"
    "y = t.Tensor('float32', (rows, n), name='y', scope=tik.scope_gm)\n"
    "with t.for_range(0, rows) as i:\n"
    "    a = t.Tensor('float32', (n,), name='a', scope=tik.scope_ubuf)\n"
    "    t.data_move(a, x[i, 0], 0, 1, n // 8, 0, 0)\n"
    "    t.vec_adds(64, a, a, 1.5, n // 64, 8, 8)\n"
    "    t.data_move(y[i, 0], a, 0, 1, n // 8, 0, 0)\n"
    "t.BuildCCE(kernel_name='rows', inputs=[x], outputs=[y])\n";

static int64_t
count_coarse(HostSession *s, int n)
{
    char text[1024];
    Loaded k;
    snprintf(text, sizeof text, rows_source, 4, n);
    load_text(s, text, &k);
    unload_row(&k);
    return tikc_host_api()->count(s).coarse;
}

/* Iterations over many elements take no time to speak of in the kernel's own function. */
static void
test_coarse_kernels(void **state)
{
    (void)state;
    HostSession *s = open_session();
    assert_int_equal(count_coarse(s, 64), 0);
    assert_int_equal(count_coarse(s, LONG_ROWS), 1);
    tikc_host_api()->close(s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_released_one_by_one),
        cmocka_unit_test(test_released_together),
        cmocka_unit_test(test_compiled_once),
        cmocka_unit_test(test_coarse_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
