/* stage.h: from a program to its kernels. */
#ifndef TIKC_STAGE_H
#define TIKC_STAGE_H

#include "base/unit.h"
#include "syntax/ast.h"

/* Runs a parsed module in the evaluator with the TIK objects. Kernels built are in
 * u->kernels; the trace of each is kept when u wants it. False: errors, which are in the
 * unit. */
bool MUST_USE stage_run(Unit *u, uint32_t file, Ast *module);

#endif
