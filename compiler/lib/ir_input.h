/* ir_input.h: reads texts of kernel IR (docs/ir.md) as inputs. */
#ifndef TIKC_IR_INPUT_H
#define TIKC_IR_INPUT_H

#include "base/unit.h"

/* Returns whether a source is a text of kernel IR: the file's name ends with .ir, or it
 * begins with "kernel NAME soc=", which no program does. */
bool ir_input_is(const Unit *u, uint32_t file);
/* Reads its kernels into u->kernels. Returns false after diagnostics in the unit, also
 * where an option applies to programs only. */
bool MUST_USE ir_input_read(Unit *u, uint32_t file);

#endif
