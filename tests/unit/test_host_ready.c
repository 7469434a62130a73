/* test_host_ready.c: the helpers that were compiled with the library (host/ready.h) give
 * the bits of those that a session compiles itself, for all kinds of numbers, and a
 * kernel of which the set has all helpers compiles none. Machines without a set compile
 * all of them in both sessions. */
#include "host_util.h"
#include "pipeline.h"

enum {
    BYTES = 16384
};

/* Where the element type is, its lanes in a repeat, and the call. */
static const char source[] =
    "from tbe import tik\n"
    "t = tik.Tik()\n"
    "dtype, lanes, n = '%s', %d, 64\n"
    "x_gm = t.Tensor(dtype, (n * lanes,), name='x', scope=tik.scope_gm)\n"
    "y_gm = t.Tensor(dtype, (n * lanes,), name='y', scope=tik.scope_gm)\n"
    "x = t.Tensor(dtype, (n * lanes,), name='x_ub', scope=tik.scope_ubuf)\n"
    "y = t.Tensor(dtype, (n * lanes,), name='y_ub', scope=tik.scope_ubuf)\n"
    "w = t.Tensor(dtype, (n * lanes,), name='w', scope=tik.scope_ubuf)\n"
    "t.data_move(x, x_gm, 0, 1, n * 8, 0, 0)\n"
    "t.data_move(y, x_gm, 0, 1, n * 8, 0, 0)\n"
    "%s\n"
    "t.data_move(y_gm, y, 0, 1, n * 8, 0, 0)\n"
    "t.BuildCCE(kernel_name='ready', inputs=[x_gm], outputs=[y_gm])\n";

static const char *const calls[] = {
    "t.vec_add(lanes, y, x, x, n, 8, 8, 8)",
    "t.vec_mul(lanes, y, x, x, n, 8, 8, 8)",
    "t.vec_adds(lanes, y, x, 2, n, 8, 8)",
    "t.vec_max(lanes, y, x, y, n, 8, 8, 8)",
    "t.vec_muls(lanes, y, x, 2, 5, 8, 8); t.vec_adds(lanes, y, y, 1, 5, 8, 8)",
};

static const char *const float_calls[] = {
    "t.vec_exp(lanes, y, x, n, 8, 8)",
    "t.vec_ln(lanes, y, x, n, 8, 8)",
    "t.vec_rec(lanes, y, x, n, 8, 8)",
    "t.vec_rsqrt(lanes, y, x, n, 8, 8)",
    "t.vec_relu(lanes, y, x, n, 8, 8)",
    "t.vdiv(lanes, y, x, x, n, 1, 1, 1, 8, 8, 8)",
    "t.vcadd(lanes, y, x, 8, 1, 1, 8)",
    "t.vcgmax(lanes, y, x, 8, 1, 1, 8)",
    "t.vcpadd(lanes, y, x, 8, 1, 1, 8)",
    "t.vec_reduce_add(lanes, y, x, w, 16, 8)",
    "t.vec_reduce_max(lanes, y, x, w, 16, 8, cal_index=True)",
    "t.vec_muls(lanes, y, x, -1.0, n, 8, 8); t.vec_exp(lanes, y, y, n, 8, 8); "
    "t.vec_adds(lanes, y, y, 1.0, n, 8, 8); t.vec_rec(lanes, y, y, n, 8, 8)",
};

static HostSession *
open_session(bool fresh)
{
    Unit u;
    unit_init(&u);
    HostOptions opt = {.opt_level = 2, .fresh = fresh};
    HostSession *s = tikc_host_api()->open(&u, &opt);
    assert_non_null(s);
    unit_free(&u);
    return s;
}

static void
launch(TikKernel *k, const uint8_t *data, uint8_t *result)
{
    TikError err;
    TikArray a[2] = {{.data = (uint8_t *)data}, {.data = result}};
    TikArray *list[2] = {&a[0], &a[1]};
    for (int i = 0; i < 2; i++) {
        a[i].dtype = k->params[i].dtype;
        a[i].elems = k->params[i].elems;
        a[i].bytes = BYTES;
    }
    assert_true(tik_launch(k, list, 1, &err));
}

static void
run(HostSession *s, const char *text, const uint8_t *data, uint8_t *result)
{
    Unit u;
    TikKernel k;
    void *handle;
    PassOptions passes = {0};
    unit_init(&u);
    assert_true(tikc_compile(&u, "ready.tik", text, strlen(text), &passes));
    tikc_tile(u.kernels.p, 1, &passes);
    assert_true(tikc_host_api()->jit(s, u.kernels.p, 1, true, &k, &handle));
    memset(result, 0, BYTES);
    launch(&k, data, result);
    tikc_host_api()->release(handle);
    kernel_free(u.kernels.p[0]);
    unit_free(&u);
}

typedef struct Sessions {
    HostSession *ready, *fresh;
    uint8_t data[BYTES], of_ready[BYTES], of_fresh[BYTES];
} Sessions;

static void
try_call(Sessions *s, const char *dtype, int lanes, const char *call)
{
    char text[2048];
    snprintf(text, sizeof text, source, dtype, lanes, call);
    run(s->ready, text, s->data, s->of_ready);
    run(s->fresh, text, s->data, s->of_fresh);
    assert_memory_equal(s->of_ready, s->of_fresh, BYTES);
}

/* All bit patterns come up; half of the numbers are near 1. */
static void
draw(uint8_t *data)
{
    uint32_t state = 12345;
    for (int i = 0; i < BYTES; i++) {
        state = state * 1664525 + 1013904223;
        data[i] = (uint8_t)(state >> 24);
        if (i % 8 == 3 || i % 4 == 1) {
            data[i] = (uint8_t)(0x3c + (state >> 20 & 3));
        }
    }
}

static void
test_same_bits(void **state)
{
    (void)state;
    static Sessions s;
    s.ready = open_session(false);
    s.fresh = open_session(true);
    draw(s.data);
    static const struct {
        const char *dtype;
        int lanes;
    } types[] = {{"float16", 128}, {"float32", 64}, {"int32", 64}};
    for (int i = 0; i < 3; i++) {
        for (size_t c = 0; c < ARRAY_LEN(calls); c++) {
            try_call(&s, types[i].dtype, types[i].lanes, calls[c]);
        }
        for (size_t c = 0; i < 2 && c < ARRAY_LEN(float_calls); c++) {
            try_call(&s, types[i].dtype, types[i].lanes, float_calls[c]);
        }
    }
    HostCount ready = tikc_host_api()->count(s.ready);
    HostCount fresh = tikc_host_api()->count(s.fresh);
    assert_int_equal(fresh.ready, 0);
    printf("helpers: %d of the set, %d compiled; without it %d\n", (int)ready.ready,
           (int)ready.made, (int)fresh.made);
    assert_true(ready.ready == 0 || ready.made < fresh.made / 2);
    tikc_host_api()->close(s.ready);
    tikc_host_api()->close(s.fresh);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
