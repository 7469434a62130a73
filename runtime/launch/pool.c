/* pool.c: the threads that run a launch; see pool.h.
 *
 * OpenMP does the same, but sleeps or wakes for milliseconds when other programs use the
 * processors, and binds threads only if the environment says so. A worker has a line of
 * memory of its own, whose number of jobs tells it to begin; the caller counts those that
 * have not ended. A worker that has not begun when the caller's own part is over is not
 * waited for, as on a busy machine it may not run for milliseconds. Each side spins, then
 * sleeps in a futex, which the other one wakes only if somebody sleeps.
 *
 * This is the only state of the library that outlives a call, as threads that stay need a
 * place: pool. The flag `busy` guards it. */
#define _GNU_SOURCE
#include "launch/pool.h"
#include "support/pages.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    MOST_THREADS = 256,
    SPINS = 2000,          /* some 50 microseconds */
    MOST_KEPT = 64 << 20,  /* bytes of scratch that a seat keeps */
    STACK_BYTES = 8 << 20, /* what a program's first thread usually has */
    LINE = 64
};

typedef struct Worker {
    _Alignas(LINE) _Atomic uint32_t jobs; /* number of the last job that it was offered */
    _Atomic uint32_t offer;               /* the same until it begins; 0: no job */
    _Atomic uint32_t sleeps;
    pthread_t thread;
    int processor; /* that it is bound to; -1: none */
    Seat seat;
} Worker;

static struct {
    atomic_flag busy;
    int started;  /* workers that exist */
    PoolJob *job; /* null: they end */
    void *ctx;
    _Atomic bool spins;   /* there is a processor for each thread */
    cpu_set_t processors; /* that the process may use */
    int nprocessors;
    Seat seat;                            /* of the caller */
    _Alignas(LINE) _Atomic uint32_t left; /* workers that have not ended */
    _Atomic uint32_t waits;               /* the caller sleeps */
    Worker worker[MOST_THREADS];
} pool = {.busy = ATOMIC_FLAG_INIT};

/* ---- waiting ------------------------------------------------------------- */

static void
futex_wait(_Atomic uint32_t *word, uint32_t value)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void
futex_wake(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* Waits while *word has the value; *sleeps tells the other side to wake this one. */
static void
wait_while(_Atomic uint32_t *word, uint32_t value, _Atomic uint32_t *sleeps, bool spins)
{
    for (int i = 0; spins && i < SPINS; i++) {
        if (atomic_load_explicit(word, memory_order_acquire) != value) {
            return;
        }
        pool_pause();
    }
    atomic_store(sleeps, 1);
    while (atomic_load(word) == value) {
        futex_wait(word, value);
    }
    atomic_store(sleeps, 0);
}

/* ---- seats --------------------------------------------------------------- */

uint8_t *
seat_scratch(Seat *s, int64_t bytes)
{
    /* Not a larger one either, whose end sanitizers would not see. */
    if (s->bytes != bytes || s->scratch == NULL) {
        pages_free(s->scratch, s->bytes);
        s->scratch = pages_alloc(bytes);
        s->bytes = bytes;
    }
    return s->scratch;
}

static void
seat_leave(Seat *s, int64_t most)
{
    if (s->bytes > most || most == 0) {
        pages_free(s->scratch, s->bytes);
        *s = (Seat){NULL, 0};
    }
}

/* ---- workers ------------------------------------------------------------- */

static void
end_part(void)
{
    if (atomic_fetch_sub(&pool.left, 1) == 1 && atomic_load(&pool.waits) != 0) {
        futex_wake(&pool.left);
    }
}

/* Takes a job from a worker that has not begun it: for the worker to run it, or for the
 * caller, who no longer needs it. Returns false when the other one has. */
static bool
take_offer(Worker *w, uint32_t number)
{
    return atomic_compare_exchange_strong(&w->offer, &number, 0);
}

static void *
worker_main(void *self)
{
    Worker *w = self;
    uint32_t seen = 0;
    for (;;) {
        wait_while(&w->jobs, seen, &w->sleeps, pool.spins);
        seen = atomic_load(&w->jobs);
        if (!take_offer(w, seen)) {
            continue;
        }
        if (pool.job == NULL) {
            return NULL;
        }
        pool.job(pool.ctx, &w->seat);
        seat_leave(&w->seat, MOST_KEPT);
        end_part();
    }
}

/* Returns the processor that is n places after one, in the order of those that the
 * process may use. */
static int
processor_after(int processor, int n)
{
    for (n %= pool.nprocessors; n > 0;) {
        processor = (processor + 1) % CPU_SETSIZE;
        n -= CPU_ISSET(processor, &pool.processors) != 0;
    }
    return processor;
}

/* Binds worker n to another processor than those of the caller and the other workers. */
static void
bind_worker(Worker *w, int n, int here)
{
    cpu_set_t set;
    int processor = processor_after(here, n + 1);
    if (!pool.spins || w->processor == processor) {
        return;
    }
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    w->processor =
        pthread_setaffinity_np(w->thread, sizeof set, &set) == 0 ? processor : -1;
}

static bool
start_worker(Worker *w)
{
    pthread_attr_t attr;
    sigset_t all, before;
    /* Signals of the program are for its own threads. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    *w = (Worker){.processor = -1};
    bool ok = pthread_create(&w->thread, &attr, worker_main, w) == 0;
    pthread_attr_destroy(&attr);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return ok;
}

/* A child of fork has no workers, whatever the parent was doing. */
static void
forget_workers(void)
{
    pool.started = 0;
    atomic_store(&pool.left, 0);
    atomic_flag_clear(&pool.busy);
}

static void
find_processors(void)
{
    if (sched_getaffinity(0, sizeof pool.processors, &pool.processors) != 0) {
        CPU_ZERO(&pool.processors);
    }
    pool.nprocessors = CPU_COUNT(&pool.processors);
    if (pool.nprocessors == 0) {
        CPU_SET(0, &pool.processors);
        pool.nprocessors = 1;
    }
    pthread_atfork(NULL, NULL, forget_workers);
}

/* Makes workers until there are n; returns how many there are. */
static int
start_workers(int n)
{
    n = n < MOST_THREADS ? n : MOST_THREADS;
    while (pool.started < n && start_worker(&pool.worker[pool.started])) {
        pool.started++;
    }
    return pool.started < n ? pool.started : n;
}

static void
give_job(Worker *w)
{
    uint32_t number = atomic_load(&w->jobs) + 1;
    number += number == 0;
    atomic_store(&w->offer, number);
    atomic_store(&w->jobs, number);
    if (atomic_load(&w->sleeps) != 0) {
        futex_wake(&w->jobs);
    }
}

/* ---- jobs ---------------------------------------------------------------- */

int
pool_default_threads(void)
{
    const char *text = getenv("OMP_NUM_THREADS");
    long n = text != NULL ? strtol(text, NULL, 10) : 0;
    cpu_set_t set;
    if (n <= 0) {
        n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    }
    return n < MOST_THREADS ? (int)n : MOST_THREADS;
}

static void
run_alone(PoolJob *job, void *ctx)
{
    Seat seat = {NULL, 0};
    job(ctx, &seat);
    seat_leave(&seat, 0);
}

static void
run_on_workers(int workers, PoolJob *job, void *ctx)
{
    int here = sched_getcpu();
    pool.job = job;
    pool.ctx = ctx;
    pool.spins = workers < pool.nprocessors;
    atomic_store(&pool.left, (uint32_t)workers);
    for (int i = 0; i < workers; i++) {
        bind_worker(&pool.worker[i], i, here < 0 ? 0 : here);
        give_job(&pool.worker[i]);
    }
    job(ctx, &pool.seat);
    for (int i = 0; i < workers; i++) {
        if (take_offer(&pool.worker[i], atomic_load(&pool.worker[i].jobs))) {
            atomic_fetch_sub(&pool.left, 1);
        }
    }
    for (uint32_t left; (left = atomic_load(&pool.left)) != 0;) {
        wait_while(&pool.left, left, &pool.waits, pool.spins);
    }
}

void
pool_run(int threads, PoolJob *job, void *ctx)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (atomic_flag_test_and_set_explicit(&pool.busy, memory_order_acquire)) {
        run_alone(job, ctx);
        return;
    }
    pthread_once(&once, find_processors);
    int workers = start_workers(threads - 1);
    if (workers > 0) {
        run_on_workers(workers, job, ctx);
    } else {
        job(ctx, &pool.seat);
    }
    seat_leave(&pool.seat, MOST_KEPT);
    atomic_flag_clear_explicit(&pool.busy, memory_order_release);
}

/* Runs when the library is unloaded or the process ends: the code of the workers is about
 * to go. A pool that is busy, with a thread that ends the process out of a kernel or
 * beside one, is left alone. */
__attribute__((destructor)) static void
end_workers(void)
{
    if (atomic_flag_test_and_set(&pool.busy)) {
        return;
    }
    pool.job = NULL;
    for (int i = 0; i < pool.started; i++) {
        give_job(&pool.worker[i]);
        pthread_join(pool.worker[i].thread, NULL);
        seat_leave(&pool.worker[i].seat, 0);
    }
    seat_leave(&pool.seat, 0);
}
