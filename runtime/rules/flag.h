/* flag.h: the queues of a core, and the flags between them (data-movement chapter 12).
 *
 * A flag belongs to two queues and an id. set_flag raises it when the first queue has
 * come so far, wait_flag holds the second queue until it is up and lowers it.
 * Instructions are handed to the queues in program order, and both back ends execute them
 * in that order; so each wait has a set of its own before it, and each set a flag that is
 * down. What breaks that hangs or loses a flag on the processor: sync-deadlock,
 * sync-double-set. */
#ifndef TIK_FLAG_H
#define TIK_FLAG_H

#include "rules/check.h"

enum {
    FLAG_IDS = 8 /* most flags of two queues */
};

/* The flags of a core; all down at first. */
typedef struct Flags {
    uint8_t up[PIPE_COUNT]
              [PIPE_COUNT]; /* bit id: the flag from the first queue to the second */
    const void *by[PIPE_COUNT][PIPE_COUNT]
                  [FLAG_IDS]; /* what set it last, as told to flag_step */
} Flags;

/* Flags of two queues that the processor has. */
int flag_ids(const Soc *soc);
enum {
    MOST_BLOCKS = 65535 /* of a loop over cores */
};
/* Whether the processor has the queue. */
bool flag_has_pipe(const Soc *soc, Pipe p);

/* The queue that executes an instruction (data-movement 12.1); of one without a queue of
 * its own that of its path. Presupposes check_static. */
Pipe flag_pipe(const CheckInstr *in);

/* What set_flag or wait_flag does with the flags. False: they are as before, *fault tells
 * why. Operands out of their ranges are faults too. by: the instruction, for
 * flag_leftovers. */
bool flag_step(Flags *f, const CheckInstr *in, const void *by, Fault *fault);
/* The same when it is known whether the flag is up, which is changed. */
bool flag_step_known(bool *up, const CheckInstr *in, Fault *fault);
/* sync-leftover: what is said of a flag that is up at the end; and of all of them, each
 * with what set it. */
void flag_leftover(Pipe from, Pipe to, int id, Fault *fault);
void flag_leftovers(const Flags *f,
                    void (*tell)(void *ctx, const void *by, const Fault *), void *ctx);

#endif
