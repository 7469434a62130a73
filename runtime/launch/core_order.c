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

#include <pthread.h>
#include <stdlib.h>

struct CoreOrder {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    int32_t first; /* the lowest core that has not ended */
    int32_t n;
    bool ended[];
};

CoreOrder *
core_order_new(int32_t most)
{
    CoreOrder *o = calloc(1, sizeof *o + (size_t)most * sizeof o->ended[0]);
    if (o != NULL) {
        o->n = most;
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

void
core_order_wait(CoreOrder *o, int32_t core)
{
    pthread_mutex_lock(&o->lock);
    while (o->first < core) {
        pthread_cond_wait(&o->moved, &o->lock);
    }
    pthread_mutex_unlock(&o->lock);
}

void
core_order_end(CoreOrder *o, int32_t core)
{
    pthread_mutex_lock(&o->lock);
    o->ended[core] = true;
    while (o->first < o->n && o->ended[o->first]) {
        o->first++;
    }
    pthread_cond_broadcast(&o->moved);
    pthread_mutex_unlock(&o->lock);
}
