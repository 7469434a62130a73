/* shadow.h: what the mode check of the emulator remembers of each byte: whether it was
 * written, and of global memory which core accessed it. An instruction that computes with
 * bytes that nothing has written gets the warning uninit, one that computes with bytes
 * after the data of an array pad-read, and one that accesses bytes of global memory that
 * another core accesses too, without an order, core-collision; each once. Moves that keep
 * the order of bytes carry their state along, so only what leaves for an array must have
 * been written. Registers are Scalars: one that is read before it was set is uninit too.
 *
 * What an operand accesses is its footprint (rules/check.h); of masked lanes, each lane.
 * An operand whose footprint is only an upper bound is not looked at when it is read, and
 * counts as written. Tensors in LMEM have a watch of their own (emu/lmem_watch.c). */
#ifndef TIK_EMU_SHADOW_H
#define TIK_EMU_SHADOW_H

#include "emu/emu.h"

/* Makes the shadow of a run if its watch asks for one. False when memory is exhausted. */
bool shadow_begin(EmuRun *r);
/* Returns false if memory was exhausted, so that not all was looked at. */
bool shadow_end(EmuRun *r);
/* Forgets what a core of its own has written, when a core starts. */
void shadow_core(EmuRun *r);
/* All cores have met: what they did before is ordered before what they do from now on. */
void shadow_meet(EmuRun *r);
/* Exchanges the shadow of a core's memories with the copy of a core that is put aside
 * (copy null: makes one). False when memory is exhausted. */
bool shadow_swap(EmuRun *r, uint8_t **copy);

/* Called before and after an instruction, with the same numbers. */
void shadow_before(EmuRun *r, const EmuOp *op);
void shadow_after(EmuRun *r, const EmuOp *op);
/* Called for scalar operations, branches, and accesses to elements, before they are
 * executed. */
void shadow_scalar(EmuRun *r, const EmuOp *op);
/* Called for the bounds of a loop. */
void shadow_loop(EmuRun *r, const EmuOp *op);

#endif
