/* test_order.c: checks the order of queues (passes/order.h), accesses that overlap
 * (passes/access_log.h), and deep kernels for the passes flags and race; tests/lit/passes
 * has kernels of one fact each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ir/ir.h"
#include "passes/order.h"
#include "passes/passes.h"
#include "passes/access_log.h"

/* ---- order --------------------------------------------------------------- */

static void
flags_order(void **state)
{
    (void)state;
    Order o = {0};
    int32_t a = order_instr(&o, PIPE_MTE2);
    assert_false(order_ended(&o, PIPE_MTE2, a, PIPE_V));
    assert_true(order_set(&o, PIPE_MTE2, PIPE_V, 0));
    int32_t later = order_instr(&o, PIPE_MTE2);
    assert_false(order_ended(&o, PIPE_MTE2, a, PIPE_V));
    order_wait(&o, PIPE_MTE2, PIPE_V, 0);
    assert_true(order_ended(&o, PIPE_MTE2, a, PIPE_V));
    assert_false(order_ended(&o, PIPE_MTE2, later, PIPE_V));
    assert_false(order_ended(&o, PIPE_MTE2, a, PIPE_MTE3));
    /* What V knows, MTE3 knows after a flag of V. */
    assert_true(order_set(&o, PIPE_V, PIPE_MTE3, 1));
    order_wait(&o, PIPE_V, PIPE_MTE3, 1);
    assert_true(order_ended(&o, PIPE_MTE2, a, PIPE_MTE3));
    /* A flag does not order its own queue. */
    assert_false(order_ended(&o, PIPE_MTE2, a, PIPE_MTE2));
    order_barrier(&o, PIPE_MTE2);
    assert_true(order_ended(&o, PIPE_MTE2, later, PIPE_MTE2));
    assert_false(order_ended(&o, PIPE_MTE2, later, PIPE_V));
}

static void
scalar_unit_holds_all(void **state)
{
    (void)state;
    Order o = {0};
    int32_t a = order_instr(&o, PIPE_V), s = order_instr(&o, PIPE_S);
    order_set(&o, PIPE_V, PIPE_S, 0);
    order_wait(&o, PIPE_V, PIPE_S, 0);
    for (int q = 0; q < PIPE_COUNT; q++) {
        assert_true(order_ended(&o, PIPE_V, a, (Pipe)q));
        assert_false(order_ended(&o, PIPE_S, s, (Pipe)q));
    }
    order_barrier(&o, PIPE_S); /* the queue has no such barrier */
    assert_false(order_ended(&o, PIPE_S, s, PIPE_S));
    order_barrier(&o, PIPE_COUNT);
    for (int q = 0; q < PIPE_COUNT; q++) {
        assert_true(order_ended(&o, PIPE_S, s, (Pipe)q));
    }
}

static void
flags_that_overrun(void **state)
{
    (void)state;
    Order o = {0};
    assert_true(order_set(&o, PIPE_V, PIPE_MTE3, 0));
    order_wait(&o, PIPE_V, PIPE_MTE3, 0);
    assert_false(order_set(&o, PIPE_V, PIPE_MTE3, 0));
    order_wait(&o, PIPE_V, PIPE_MTE3, 0);
    assert_true(order_set(&o, PIPE_MTE3, PIPE_V, 0));
    order_wait(&o, PIPE_MTE3, PIPE_V, 0);
    assert_true(order_set(&o, PIPE_V, PIPE_MTE3, 0));
    /* The flag was set before the known instructions: everything has ended. */
    int32_t a = order_instr(&o, PIPE_M);
    order_wait(&o, PIPE_MTE1, PIPE_FIX, 7);
    assert_true(order_ended(&o, PIPE_M, a, PIPE_FIX));
    assert_false(order_ended(&o, PIPE_M, a, PIPE_V));
}

/* ---- bytes --------------------------------------------------------------- */

static uint32_t seed = 5;

static int
below(int n)
{
    seed = seed * 1664525 + 1013904223;
    return (int)((seed >> 8) % (uint32_t)n);
}

static void
mark(const Footprint *f, uint8_t *bytes, uint8_t bit)
{
    for (int64_t j = 0; j < f->count1; j++) {
        for (int64_t i = 0; i < f->count0; i++) {
            for (int64_t k = 0; k < f->len; k++) {
                bytes[f->offset + i * f->stride0 + j * f->stride1 + k] |= bit;
            }
        }
    }
}

static void
overlaps_by_bytes(void **state)
{
    (void)state;
    enum {
        ROOM = 1024
    };
    int met = 0;
    for (int n = 0; n < 20000; n++) {
        LoggedAccess t[2] = {{0}, {0}};
        uint8_t bytes[ROOM] = {0};
        bool want = false;
        for (int i = 0; i < 2; i++) {
            t[i].fp = (Footprint){below(200),   1 + below(5), below(40),
                                  1 + below(4), below(100),   1 + below(12)};
            mark(&t[i].fp, bytes, (uint8_t)(1 << i));
        }
        for (int i = 0; i < ROOM; i++) {
            want = want || bytes[i] == 3;
        }
        int64_t lo = 0, hi = 0;
        assert_int_equal(access_log_overlap(&t[0], &t[1], &lo, &hi), want);
        met += want;
        for (int64_t i = lo; want && i < hi; i++) {
            assert_int_equal(bytes[i], 3);
        }
        assert_true(!want || lo < hi);
    }
    assert_in_range(met, 2000, 18000);
}

static void
parts_nest(void **state)
{
    (void)state;
    Arena arena;
    arena_init(&arena);
    Kernel k = {0};
    AccessLog t;
    access_log_init(&t, &k, &arena);
    LoggedAccess before = {.part = t.part};
    access_log_open_part(&t, &arena);
    LoggedAccess in = {.part = t.part};
    access_log_open_part(&t, &arena);
    LoggedAccess inner = {.part = t.part};
    access_log_close_part(&t);
    LoggedAccess after_inner = {.part = t.part};
    access_log_close_part(&t);
    LoggedAccess after = {.part = t.part};
    assert_true(access_log_share_part(&t, &before, &inner));
    assert_true(access_log_share_part(&t, &before, &after));
    assert_true(access_log_share_part(&t, &in, &inner));
    assert_true(access_log_share_part(&t, &in, &after_inner));
    assert_false(access_log_share_part(&t, &inner, &after_inner));
    assert_false(access_log_share_part(&t, &in, &after));
    arena_free(&arena);
}

/* ---- the passes ---------------------------------------------------------- */

#define FLAG(word, from, to, id)                                                         \
    word "_flag pipe=" #from " trigger_pipe=" #to " event_id=" id "\n"
/* Returns the names of the diagnostics of a kernel with this body, each followed by a
 * blank; text is the body printed again. */
static const char *
reported(const char *body)
{
    static char names[400];
    static char text[40000];
    Unit *u = malloc(sizeof *u);
    unit_init(u);
    /* these kernels write no output */
    u->opt.severity.wishes[D_OUTPUT_UNWRITTEN] = WISH_SILENT;
    /* that loops are too deep to be looked through is no fault of theirs */
    u->opt.severity.wishes[D_RACE_UNCHECKED] = WISH_SILENT;
    snprintf(text, sizeof text,
             "kernel k soc=Ascend310P3 {\nin %%x: float16[256]\nout %%y: float16[256]\n"
             "reg $n: int32\nalloc %%a: float16[256] UB\n"
             "$n = load %%x+0:int32\n%s}\n",
             body);
    Kernel *k = ir_parse(u, unit_add_source(u, "t.ir", text, strlen(text)));
    assert_non_null(k);
    bool ok = passes_run(k, NULL);
    assert_int_equal(ok, u->errors == 0);
    int n = 0;
    for (uint32_t i = 0; i < u->diags.n; i++) {
        n += snprintf(names + n, sizeof names - (size_t)n, "%s ",
                      diag_table[u->diags.p[i]->id].name);
    }
    names[n] = 0;
    kernel_free(k);
    unit_free(u);
    free(u);
    return names;
}

/* The passes end in time and report nothing wrong, whatever loops there are. */
static void
deep_loops(void **state)
{
    (void)state;
    static const char *const bounds[] = {"$n", "100", "3000000", "24"};
    static const char *const bodies[] = {
        "", FLAG("set", 4, 1, "0") FLAG("wait", 4, 1, "0") "pipe_barrier pipe=7\n",
        FLAG("set", 4, 1, "(@i3 % 3)")
            FLAG("wait", 4, 1, "(@i3 % 3)") "pipe_barrier pipe=7\n",
        "if ($n > 3) {\n" FLAG("set", 4, 1, "0")
            FLAG("wait", 4, 1, "0") "pipe_barrier pipe=7\n}\n"};
    for (size_t n = 0; n < ARRAY_LEN(bounds) * ARRAY_LEN(bodies); n++) {
        static char body[30000];
        size_t at = (size_t)snprintf(body, sizeof body, "scope no_sync {\n");
        for (int i = 0; i < 150; i++) {
            at += (size_t)snprintf(body + at, sizeof body - at,
                                   "for @i%d: int32 = 0 to %s {\n", i, bounds[n % 4]);
        }
        at += (size_t)snprintf(body + at, sizeof body - at, "%s", bodies[n / 4]);
        memset(body + at, '}', 151);
        body[at + 151] = 0;
        assert_string_equal(reported(body), "");
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_order),        cmocka_unit_test(scalar_unit_holds_all),
        cmocka_unit_test(flags_that_overrun), cmocka_unit_test(overlaps_by_bytes),
        cmocka_unit_test(parts_nest),         cmocka_unit_test(deep_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
