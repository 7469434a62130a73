/* peer.h: what a contestant of `make bench` is: a shared object that the worker
 * (worker.c) opens. It exports one function k_<kernel> for each kernel that it has, or
 * peer_find, which returns them by name, and may export
 *
 *     int peer_init(int threads);          called once; not 0: the peer cannot run
 *     const char *peer_version(void);
 *     void peer_reset(void);               other arrays follow: forgets what it kept of
 * them
 *
 * Arrays are row-major, aligned to huge pages and written before the first call. What the
 * numbers mean is with each kernel in bench/kernels.py. */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <stddef.h>
#include <stdint.h>

enum {
    PEER_ARRAYS = 6,
    PEER_NUMBERS = 8
};

typedef struct PeerArgs {
    const void *in[PEER_ARRAYS];
    void *out[PEER_ARRAYS];
    int64_t n[PEER_NUMBERS]; /* sizes */
    double f[PEER_NUMBERS];  /* factors */
} PeerArgs;

/* Returns 0; anything else says that the peer has not got this kernel. */
typedef int PeerCall(const PeerArgs *a);

#ifdef __cplusplus
#define PEER_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define PEER_EXPORT __attribute__((visibility("default")))
#endif

#endif
