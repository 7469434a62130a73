/* peers.h: a run whose cores several processes share (TikPeers). Rank r runs the cores r,
 * r + ranks and so on, on arrays of its own that are equal at first; at the end the
 * arrays of rank 0 are those of one process. It is private to the runtime.
 *
 * Cores that have no order write bytes of their own, apart from atomic writes. So what
 * the ranks changed is put together byte by byte. Atomic writes are logged: bytes that
 * several ranks wrote are computed anew from their first value, in the order of the
 * cores. If two ranks changed a byte, or one failed, rank 0 runs all cores itself. */
#ifndef TIK_PEERS_H
#define TIK_PEERS_H

#include "rules/atomic.h"
#include "support/bind.h"

typedef struct PeerRun PeerRun;

/* Begins a run with bound and preset arrays, which with peers outlive it. Null when
 * memory is exhausted: then peers_fail must follow. */
PeerRun *peers_begin(TikPeers *peers, const Bound *bound, const TikParam *params, int n);
/* p may be null. */
void peers_free(PeerRun *p);

/* Returns whether this rank runs a core; without peers (p null) it does. */
bool peers_has(const PeerRun *p, int64_t core);
/* Returns the first core from `from` on that this rank runs. */
int64_t peers_next(const PeerRun *p, int64_t from);
/* Logs an atomic write of a core to an argument: n bytes at an offset, before or after it
 * is executed. Those of a core come in their order, those of a lower core first. */
void peers_log(PeerRun *p, int64_t core, int argument, int64_t off, const AtomicWrite *w,
               const uint8_t *src, int64_t n);
/* The same, where dst is in the data of an argument. */
void peers_log_at(PeerRun *p, int64_t core, const uint8_t *dst, const AtomicWrite *w,
                  const uint8_t *src, int64_t n);
/* Keeps a warning of a core for peers_end. */
void peers_warn(PeerRun *p, int64_t core, const char *name, const char *text,
                const char *place);
/* Gives what was counted, to which peers_end adds on rank 0 what the others counted. */
void peers_profile(PeerRun *p, TikProfile *profile);

/* This rank has run its cores below *cores; ok: without a fault. Agrees with the peers on
 * the number of cores. Returns whether there are more to be run. */
bool peers_agree(PeerRun *p, bool ok, int64_t *cores);

typedef enum PeersEnd {
    PEERS_DONE, /* the arrays of rank 0 have the results */
    PEERS_AGAIN /* rank 0: the arrays are as they were; this rank runs all cores */
} PeersEnd;

/* Why a run came to PEERS_AGAIN, for TikPeers.alone, if no core has a fault. */
extern const char peers_again[];

/* Ends a run; ok: without a fault. On rank 0 the warnings go to warn. */
PeersEnd peers_end(PeerRun *p, bool ok, TikWarn *warn, void *ctx);
/* Tells the peers that this rank has no PeerRun; in the place of all of the above. */
void peers_fail(const TikPeers *peers);

#endif
