/* stage.h: makes the kernels of a program. */
#ifndef TIKC_STAGE_H
#define TIKC_STAGE_H

#include "base/unit.h"
#include "syntax/ast.h"

/* Reads a file and runs it in the evaluator with the TIK objects. A long program is
 * executed part by part while it is read; an error of its text counts as if all of it had
 * been read before. The kernels that it builds are in u->kernels; the trace of each is
 * kept when Options.trace is set. The trees stay in u->tree. Returns false after
 * diagnostics in the unit. */
bool MUST_USE stage_run(Unit *u, uint32_t file);

#endif
