/* clock.h: the mode time of the emulator. While a kernel runs, its instructions are put
 * on the queues of a model of the core: the dispatcher hands one descriptor a clock to
 * the queues, each queue executes its instructions in order, and an instruction begins
 * when its queue is free and what it needs is there. docs/emulator.md has the assumptions
 * and isa/rate.def the rates; results do not depend on any of it. */
#ifndef TIK_EMU_CLOCK_H
#define TIK_EMU_CLOCK_H

#include "emu/emu.h"

/* Makes the clock of a run if its watch has a profile. Returns false when memory is
 * exhausted. */
bool clock_begin(EmuRun *r);
/* Sums up what the cores took, and frees the clock. Returns false if memory was
 * exhausted, so that some core is missing. */
bool clock_end(EmuRun *r);
/* A core starts; the core that runs changes; all cores have met at a barrier. */
void clock_core(EmuRun *r);
void clock_meet(EmuRun *r);
/* Called before a descriptor is executed. */
void clock_step(EmuRun *r, const EmuOp *op);

#endif
