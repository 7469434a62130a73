/* par.c: threads of a peer in C, see par.h. A generation number starts them; they wait
 * for the next one by spinning, then in a futex. */
#include "par.h"
#include <immintrin.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    SPINS = 20000
};

static struct {
    _Atomic int generation, left;
    int threads;
    ParPart *f;
    const PeerArgs *a;
} pool = {.threads = 1};

static void
bind_to_processor(int part)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(part % (int)sysconf(_SC_NPROCESSORS_ONLN), &set);
    sched_setaffinity(0, sizeof set, &set);
}

static void *
thread_main(void *number)
{
    int part = (int)(intptr_t)number, seen = 0;
    bind_to_processor(part);
    for (;;) {
        int spins = 0;
        while (atomic_load_explicit(&pool.generation, memory_order_acquire) == seen) {
            if (++spins < SPINS) {
                _mm_pause();
            } else {
                syscall(SYS_futex, &pool.generation, FUTEX_WAIT_PRIVATE, seen, 0, 0, 0);
            }
        }
        seen = atomic_load(&pool.generation);
        pool.f(pool.a, part, pool.threads);
        atomic_fetch_sub_explicit(&pool.left, 1, memory_order_release);
    }
    return 0;
}

PEER_EXPORT int peer_init(int threads);
PEER_EXPORT int
peer_init(int threads)
{
    pool.threads = threads;
    if (threads > 1) {
        bind_to_processor(0);
    }
    for (int part = 1; part < threads; part++) {
        pthread_t t;
        if (pthread_create(&t, 0, thread_main, (void *)(intptr_t)part) != 0) {
            return 1;
        }
    }
    return 0;
}

int
par_threads(void)
{
    return pool.threads;
}

void
par_run(ParPart *f, const PeerArgs *a)
{
    if (pool.threads == 1) {
        f(a, 0, 1);
        return;
    }
    pool.f = f;
    pool.a = a;
    atomic_store(&pool.left, pool.threads - 1);
    atomic_fetch_add(&pool.generation, 1);
    syscall(SYS_futex, &pool.generation, FUTEX_WAKE_PRIVATE, 64, 0, 0, 0);
    f(a, 0, pool.threads);
    while (atomic_load_explicit(&pool.left, memory_order_acquire) != 0) {
        _mm_pause();
    }
}

PEER_EXPORT const char *peer_version(void);
PEER_EXPORT const char *
peer_version(void)
{
    return __VERSION__;
}
