/* flag.h: the queues of a core, and the flags between them (data-movement chapter 12).
 *
 * A flag belongs to two queues and an id. set_flag raises it when the first queue has
 * reached this instruction, wait_flag holds the second queue until it is up and lowers
 * it. Instructions are handed to the queues in program order, and both back ends execute
 * them in that order; so each wait has a set of its own before it, and each set a flag
 * that is down. What breaks that hangs or loses a flag on the processor: sync-deadlock,
 * sync-double-set. */
#ifndef TIK_FLAG_H
#define TIK_FLAG_H

#include "rules/check.h"

enum {
    FLAG_IDS = 8 /* maximum number of flags of two queues */
};

/* The flags of a core; all down at first. */
typedef struct Flags {
    uint8_t up[PIPE_COUNT]
              [PIPE_COUNT]; /* bit id is the flag from the first queue to the second */
    const void *by[PIPE_COUNT][PIPE_COUNT][FLAG_IDS]; /* the instruction that set it last,
                                                         as given to flag_step */
} Flags;

/* Returns the number of flags that two queues of the processor have. */
PURE int flag_ids(const Soc *soc);
/* Returns how many of them programs should use: those from 0 on. */
PURE int flag_ids_usual(const Soc *soc);
enum {
    MOST_BLOCKS = 65535 /* of a loop over cores */
};
/* Returns whether the processor has the queue. */
PURE bool flag_has_pipe(const Soc *soc, Pipe p);

/* Returns the queue that executes an instruction (data-movement 12.1), which may be that
 * of its path. check_static must be true. */
Pipe flag_pipe(const CheckInstr *in);

/* Executes set_flag or wait_flag. Returns false, with *fault and without a change of the
 * flags, after a fault, also for operands out of their ranges. by identifies the
 * instruction for flag_leftovers. */
bool flag_step(Flags *f, const CheckInstr *in, const void *by, Fault *fault);
/* Does the same if it is known whether the flag is up, and changes that. */
bool flag_step_known(bool *up, const CheckInstr *in, Fault *fault);
/* Makes the warning sync-leftover of a flag that is up at the end. The other reports all
 * of them, each with the instruction that set it. */
void flag_leftover(Pipe from, Pipe to, int id, Fault *fault);
void flag_leftovers(const Flags *f,
                    void (*tell)(void *ctx, const void *by, const Fault *), void *ctx);

#endif
