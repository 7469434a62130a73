/* pool.h: the threads that run a launch. The caller's is one of them; the others stay
 * between launches, each bound to a processor of its own, and wait for the next job by
 * spinning for some microseconds, then asleep. */
#ifndef TIK_LAUNCH_POOL_H
#define TIK_LAUNCH_POOL_H

#include <stdbool.h>
#include <stdint.h>

/* What a thread keeps between launches. */
typedef struct Seat {
    uint8_t *scratch;
    int64_t bytes;
} Seat;

/* One thread's part of a job. Parts share out the work among themselves: of the threads
 * that a job asks for there may be fewer. */
typedef void PoolJob(void *ctx, Seat *seat);

/* Returns how many threads a launch gets that does not say: one for each processor that
 * this process may use, or as many as OMP_NUM_THREADS says. */
int pool_default_threads(void);
/* Runs the job on up to that many threads and returns when all parts have ended. While
 * another thread of the program runs a job, this one gets its own thread only. */
void pool_run(int threads, PoolJob *job, void *ctx);
/* Returns bytes of scratch that hold anything; null: no memory. It stays with the seat.
 */
uint8_t *seat_scratch(Seat *s, int64_t bytes);

/* Waits a moment in a loop that spins. */
static inline void
pool_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#endif
