/* matmul.h: what the products of matrices by hand share. The second factor is packed into
 * panels of 32 columns, the results are made in tiles of 14 x 32 registers. Threads own
 * panels; each packs a copy of the first factor, so that nothing is shared and nothing
 * waits. */
#ifndef BENCH_MATMUL_H
#define BENCH_MATMUL_H

#include "hand.h"
#include <stdlib.h>

enum {
    TILE_ROWS = 14,
    PANEL = 32,
    MOST_SIZE = 1024
};

#ifdef __clang__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 14")
#endif
#define INLINE static inline __attribute__((always_inline))

/* Returns memory in huge pages; kept until the process ends. */
static inline void *
keep(void **p, size_t bytes)
{
    const size_t huge = 2 << 20;
    if (*p == NULL && posix_memalign(p, huge, (bytes + huge - 1) / huge * huge) != 0) {
        abort();
    }
    return *p;
}

#endif
