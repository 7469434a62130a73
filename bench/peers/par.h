/* par.h: fork and join for peers in C: threads that stay, are bound to processors and
 * spin for some microseconds before they sleep. */
#ifndef BENCH_PAR_H
#define BENCH_PAR_H

#include "peer.h"

/* Does part `part` of `parts` of a kernel. */
typedef void ParPart(const PeerArgs *a, int part, int parts);

/* Calls f for each part, one on each thread. */
void par_run(ParPart *f, const PeerArgs *a);
int par_threads(void);

typedef struct Range {
    int64_t from, to;
} Range;

/* Returns this part's share of n items, in whole units; the last takes the rest. */
static inline Range
par_share(int64_t n, int64_t unit, int part, int parts)
{
    int64_t units = n / unit;
    Range r = {units * part / parts * unit, units * (part + 1) / parts * unit};
    if (part == parts - 1) {
        r.to = n;
    }
    return r;
}

/* Defines k_<name>, whose body is done once for each part. */
#define PARALLEL(name)                                                                   \
    static void part_##name(const PeerArgs *a, int part, int parts);                     \
    PEER_EXPORT int k_##name(const PeerArgs *a);                                         \
    PEER_EXPORT int k_##name(const PeerArgs *a)                                          \
    {                                                                                    \
        par_run(part_##name, a);                                                         \
        return 0;                                                                        \
    }                                                                                    \
    static void part_##name(const PeerArgs *a, int part, int parts)

#endif
