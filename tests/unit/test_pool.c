/* test_pool.c: the threads of the launcher: every job is done once by at most the threads
 * that it asks for, while workers spin, while they sleep, when several threads of a
 * program launch at once, and in a child of fork. */
#define _DEFAULT_SOURCE
#include "launch/pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    ITEMS = 200,
    JOBS = 300,
    CALLERS = 4,
    MOST = 8,
    SCRATCH = 4096
};

typedef struct Work {
    _Atomic int next, parts;
    int done[ITEMS];
} Work;

static void
part(void *ctx, Seat *seat)
{
    Work *w = ctx;
    uint8_t *scratch = seat_scratch(seat, SCRATCH);
    atomic_fetch_add(&w->parts, 1);
    for (int i; scratch != NULL && (i = atomic_fetch_add(&w->next, 1)) < ITEMS;) {
        memset(scratch, i, SCRATCH);
        w->done[i] += scratch[SCRATCH - 1] == (uint8_t)i;
    }
}

/* Runs one job; returns whether each item was done once. */
static bool
works(int threads)
{
    Work w = {0};
    bool ok = true;
    pool_run(threads, part, &w);
    for (int i = 0; i < ITEMS; i++) {
        ok = ok && w.done[i] == 1;
    }
    return ok && w.parts >= 1 && w.parts <= threads;
}

static void
test_threads(void **state)
{
    (void)state;
    for (int threads = 1; threads <= MOST; threads++) {
        for (int i = 0; i < JOBS; i++) {
            assert_true(works(threads));
        }
    }
    assert_true(pool_default_threads() >= 1);
}

static void
test_sleep(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        usleep(2000);
        assert_true(works(i % 2 == 0 ? 2 : 3));
    }
}

static void *
caller(void *bad)
{
    for (int i = 0; i < JOBS; i++) {
        if (!works(1 + i % 3)) {
            atomic_fetch_add((_Atomic int *)bad, 1);
        }
    }
    return NULL;
}

static void
test_callers(void **state)
{
    (void)state;
    _Atomic int bad = 0;
    pthread_t thread[CALLERS];
    for (int i = 0; i < CALLERS; i++) {
        assert_int_equal(pthread_create(&thread[i], NULL, caller, &bad), 0);
    }
    for (int i = 0; i < CALLERS; i++) {
        pthread_join(thread[i], NULL);
    }
    assert_int_equal(bad, 0);
}

static void
test_fork(void **state)
{
    (void)state;
    assert_true(works(3));
    for (int i = 0; i < 5; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            _exit(works(3) && works(2) ? 0 : 1);
        }
        int status = 1;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        assert_true(works(3));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_sleep),
        cmocka_unit_test(test_callers),
        cmocka_unit_test(test_fork),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
