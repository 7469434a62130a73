/* core_order.c: the order of atomic writes of different cores (--atomic-order core-id in
 * the manual's words).
 *
 * A sum of floats depends on the order of its parts. Cores of a kernel whose only common
 * bytes of global memory are the targets of atomic writes run at the same time; a core
 * that comes to its first such write waits until all cores before it have ended. So
 * contributions arrive core after core, each core's in program order, on any number of
 * threads, and the bits are those of one thread. Cores are given to threads in ascending
 * order, so the lowest core that has not ended is never one that waits. */
#include "launch/cores.h"

#include <pthread.h>
#include <stdlib.h>

struct Turns {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    int32_t first; /* the lowest core that has not ended */
    int32_t n;
    bool ended[];
};

Turns *
turns_new(int32_t most)
{
    Turns *t = calloc(1, sizeof *t + (size_t)most * sizeof t->ended[0]);
    if (t != NULL) {
        t->n = most;
        pthread_mutex_init(&t->lock, NULL);
        pthread_cond_init(&t->moved, NULL);
    }
    return t;
}

void
turns_free(Turns *t)
{
    if (t != NULL) {
        pthread_cond_destroy(&t->moved);
        pthread_mutex_destroy(&t->lock);
        free(t);
    }
}

void
turns_wait(Turns *t, int32_t core)
{
    pthread_mutex_lock(&t->lock);
    while (t->first < core) {
        pthread_cond_wait(&t->moved, &t->lock);
    }
    pthread_mutex_unlock(&t->lock);
}

void
turns_end(Turns *t, int32_t core)
{
    pthread_mutex_lock(&t->lock);
    t->ended[core] = true;
    while (t->first < t->n && t->ended[t->first]) {
        t->first++;
    }
    pthread_cond_broadcast(&t->moved);
    pthread_mutex_unlock(&t->lock);
}
