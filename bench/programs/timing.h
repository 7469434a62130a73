/* timing.h: has the clock and the median that the benchmark programs share. */
#ifndef BENCH_TIMING_H
#define BENCH_TIMING_H

#include <stdlib.h>
#include <time.h>

static inline double
clock_seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Returns wall-clock time. */
static inline double
seconds(void)
{
    return clock_seconds(CLOCK_MONOTONIC);
}

/* Returns the processor time of this process, over all its threads. */
static inline double
processor_seconds(void)
{
    return clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
}

static inline int
by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* It sorts the times in place. */
static inline double
median(double *times, int n)
{
    qsort(times, (size_t)n, sizeof *times, by_value);
    return times[n / 2];
}

#endif
