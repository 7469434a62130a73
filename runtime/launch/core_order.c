/* core_order.c: the order of atomic writes of different cores (--atomic-order core-id in
 * the manual's words).
 *
 * A sum of floats depends on the order of its terms. Cores of a kernel whose only common
 * bytes of global memory are the targets of atomic writes run at the same time; a core
 * that comes to its first such write waits until all cores before it have ended. So
 * contributions arrive core after core, each core's in program order, on any number of
 * threads, and the bits are those of one thread. Cores are given to threads in ascending
 * order, so the lowest core that has not ended is never one that waits. */
#include "launch/cores.h"
#include "launch/pool.h"

#include <stdlib.h>
#include <time.h>

enum {
    SPINS = 2000
};

struct CoreOrder {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    _Atomic int32_t first; /* the lowest core that has not ended */
    int32_t n, sleepers;
    bool ended[];
};

CoreOrder *
core_order_new(int32_t most, const PeerRun *peers)
{
    CoreOrder *o = calloc(1, sizeof *o + (size_t)most * sizeof o->ended[0]);
    if (o != NULL) {
        for (int32_t i = 0; peers != NULL && i < most; i++) {
            o->ended[i] = !peers_has(peers, i);
        }
        o->n = most;
        o->first = (int32_t)peers_next(peers, 0);
        pthread_mutex_init(&o->lock, NULL);
        pthread_cond_init(&o->moved, NULL);
    }
    return o;
}

void
core_order_free(CoreOrder *o)
{
    if (o != NULL) {
        pthread_cond_destroy(&o->moved);
        pthread_mutex_destroy(&o->lock);
        free(o);
    }
}

int64_t
core_order_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* Handing over between threads that spin takes a fraction of a microsecond, waking one
 * that sleeps fifty. */
static void
wait_for(CoreOrder *o, int32_t core)
{
    for (int i = 0; i < SPINS; i++) {
        if (atomic_load_explicit(&o->first, memory_order_acquire) >= core) {
            return;
        }
        pool_pause();
    }
    pthread_mutex_lock(&o->lock);
    o->sleepers++;
    while (o->first < core) {
        pthread_cond_wait(&o->moved, &o->lock);
    }
    o->sleepers--;
    pthread_mutex_unlock(&o->lock);
}

int64_t
core_order_wait(CoreOrder *o, int32_t core)
{
    if (o->first >= core) {
        return 0;
    }
    int64_t from = core_order_clock();
    wait_for(o, core);
    return core_order_clock() - from;
}

void
core_order_end(CoreOrder *o, int32_t core)
{
    pthread_mutex_lock(&o->lock);
    int32_t first = o->first;
    o->ended[core] = true;
    while (first < o->n && o->ended[first]) {
        first++;
    }
    o->first = first;
    if (o->sleepers > 0) {
        pthread_cond_broadcast(&o->moved);
    }
    pthread_mutex_unlock(&o->lock);
}
