/* internal.h: declarations that the files of runtime/ops share. */
#ifndef TIK_OPS_INT_H
#define TIK_OPS_INT_H

#include "rules/atomic.h"
#include "ops/ops.h"

/* Transposes a matrix of 16 x 16 in place (ops/layout.c). */
void ops_transpose16(uint16_t tile[256]);

/* ---- ops/write.c --------------------------------------------------------- */

/* Writes to global memory, which the core's atomic mode may make additions. */

/* n runs of len bytes to copy. */
typedef struct OpRuns {
    uint8_t *dst;
    const uint8_t *src;
    int64_t n, len, dst_pitch, src_pitch;
} OpRuns;

/* Gives the mode of a write by operand dst from a memory, in runs of burst bytes. Returns
 * false with c->fault filled. */
bool ops_write_mode(OpCall *c, int dst, Scope from, int64_t burst, AtomicWrite *w);
void ops_write_runs(const AtomicWrite *w, const OpRuns *r);

#endif
