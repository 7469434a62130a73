/* race.h: which accesses of the queues of a core flags and barriers order, of a kernel
 * that queues execute (docs/blob-format.md, Queues). The mode check executes it in the
 * program's order, and counts for each queue up to which instruction every other one has
 * certainly ended (a vector clock): set_flag keeps what its queue knows, wait_flag adds
 * it to what its own knows, a barrier makes known that instructions have ended. Of each
 * block of 32 bytes the last accesses are remembered. Two accesses of the same byte, one
 * of them to write, of which the later one's queue does not know that the earlier one has
 * ended, are a race: some order of the queues exchanges them. */
#ifndef TIK_EMU_RACE_H
#define TIK_EMU_RACE_H

#include "emu/emu.h"

enum {
    RACE_ENTRIES = 8
};

/* An access to bytes of a block: of the instruction `op`, which is number seq of its
 * queue. */
typedef struct RaceEntry {
    uint32_t seq; /* 0: none */
    uint32_t mask;
    uint32_t op;   /* TikDesc.index */
    uint16_t core; /* its index + 1 */
    uint8_t queue;
    uint8_t kind; /* RACE_WRITE, RACE_FIRST */
} RaceEntry;

typedef struct RaceBlock {
    RaceEntry of[RACE_ENTRIES];
} RaceBlock;

/* Makes the clocks of a run if its queues are to be compared. False when memory is
 * exhausted. */
bool race_begin(EmuRun *r);
void race_end(EmuRun *r);
/* A core starts. */
void race_core(EmuRun *r);
/* Called before an instruction, and before an access of the dispatcher to an element. */
void race_step(EmuRun *r, const EmuOp *op);
/* Notes an access of the present instruction. Returns the rule that it breaks against
 * *other, RULE_NONE if none. */
Rule race_access(EmuRun *r, RaceBlock *b, uint32_t mask, bool write,
                 const RaceEntry **other);
/* The queue of the present instruction. */
Pipe race_queue(const EmuRun *r);

#endif
