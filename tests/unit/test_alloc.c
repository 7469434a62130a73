/* test_alloc.c: compares the allocation of random kernels with its definition;
 * tests/lit/passes has kernels of one fact each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "passes/passes.h"
#include "random.h"

typedef struct Fixture {
    Unit u;
    Kernel *k;
} Fixture;

static Fixture *
load(const char *text)
{
    Fixture *f = malloc(sizeof *f);
    unit_init(&f->u);
    f->k = ir_parse(&f->u, unit_add_source(&f->u, "t.ir", text, strlen(text)));
    assert_non_null(f->k);
    return f;
}

static void
drop(Fixture *f)
{
    kernel_free(f->k);
    unit_free(&f->u);
    free(f);
}

#define HEAD "kernel k soc=Ascend310P3 {\n"

/* Buffers that are alive together never share bytes: the test makes random programs and
 * checks each pair by the definition. */
static void
random_program(Text *t, uint64_t *seed, int *nbufs)
{
    text_put(t, HEAD);
    *nbufs = 3 + (int)random_below(seed, 10);
    for (int i = 0; i < *nbufs; i++) {
        text_printf(t, "alloc %%b%d: int8[%d] UB\n", i,
                    1 + (int)random_below(seed, 120000));
    }
    int first = 0;
    for (int i = 0; i < 30; i++) {
        int pick = first + (int)random_below(seed, 3);
        text_printf(t, "store %%b%d+0:int8 = 0\n", pick % *nbufs);
        first += random_below(seed, 4) == 0;
    }
    text_put(t, "}");
}

static void
live_buffers_are_apart(void **state)
{
    (void)state;
    uint64_t seed = 7;
    int fitted = 0;
    for (int round = 0; round < 400; round++) {
        Arena scratch;
        arena_init(&scratch);
        Text t;
        int n;
        text_init(&t, &scratch);
        random_program(&t, &seed, &n);
        Fixture *f = load(t.p);
        if (pass_allocate(f->k)) {
            fitted++;
            int first[16] = {0};
            int last[16] = {0};
            int at = 1;
            for (StmtId s = f->k->body; s; s = f->k->stmts.p[s].next, at++) {
                if (f->k->stmts.p[s].kind == ST_STORE) {
                    BufId b = f->k->stmts.p[s].store.ref.buf;
                    first[b] = first[b] ? first[b] : at;
                    last[b] = at;
                }
            }
            for (BufId x = 1; x < f->k->bufs.n; x++) {
                const Buffer *bx = &f->k->bufs.p[x];
                assert_true(bx->address % 32 == 0 && bx->address >= 0);
                assert_true(bx->address + bx->bytes <= f->k->peak[SC_UB]);
                assert_true(f->k->peak[SC_UB] <= 262144);
                for (BufId y = x + 1; y < f->k->bufs.n; y++) {
                    const Buffer *by = &f->k->bufs.p[y];
                    bool together = first[x] && first[y] && first[x] <= last[y] &&
                                    first[y] <= last[x];
                    bool apart = bx->address + bx->bytes <= by->address ||
                                 by->address + by->bytes <= bx->address;
                    assert_true(!together || apart);
                }
            }
        }
        drop(f);
        arena_free(&scratch);
    }
    assert_true(fitted > 50 && fitted < 400);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(live_buffers_are_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
