/* replay.h: checks that a kernel, after passes have rewritten it, does what it did
 * before.
 *
 * Both kernels are executed with terms in place of bytes: the term of a byte says which
 * operation made it, of which terms, so two bytes have one term exactly if the same
 * operations made them of the same bytes. Fused scopes are executed chunk by chunk, as
 * the host back end does it. In the end global memory must hold the same terms. Terms are
 * hashes of 64 bits.
 *
 * It knows nothing of the passes: what it shares with them is iteration_of. Where control
 * depends on data, the data are invented, the same for both. Of loops with many
 * iterations the first and the last ones are executed; where that shows a difference, all
 * of them are. Of many cores the first ones are executed, unless a pass has changed their
 * number. */
#ifndef TIKC_REPLAY_H
#define TIKC_REPLAY_H

#include "ir/ir.h"

typedef enum Replay {
    REPLAY_SAME,
    REPLAY_DIFFERENT,
    REPLAY_TOO_LARGE /* it would take too long to find out */
} Replay;

/* chunk: elements of a chunk of fused scopes, 1 to REPLAY_CHUNK. Where the kernels
 * differ, why gets a byte that shows it. */
enum {
    REPLAY_CHUNK = 64
};

Replay replay_compare(const Kernel *before, const Kernel *after, int chunk, Text *why);

#endif
