/* stage.h: makes the kernels of a program. */
#ifndef TIKC_STAGE_H
#define TIKC_STAGE_H

#include "base/unit.h"
#include "syntax/ast.h"

/* Runs a parsed module in the evaluator with the TIK objects. The kernels that it builds
 * are in u->kernels; the trace of each is kept when Options.trace is set. Returns false
 * after diagnostics in the unit. */
bool MUST_USE stage_run(Unit *u, uint32_t file, Ast *module);

#endif
