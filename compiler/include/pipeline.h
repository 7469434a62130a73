/* pipeline.h: runs the compiler, for the tool and the tests of this tree; programs use
 * tikc.h. The driver adds only options, files and printing. Functions return false after
 * adding diagnostics to the unit. Nothing here prints, exits or keeps global state. */
#ifndef TIKC_PIPELINE_H
#define TIKC_PIPELINE_H

#include "base/unit.h"
#include "ir/ir.h"
#include "passes/passes.h"

/* Parses and stages a source text, or reads one of kernel IR (docs/ir.md); the kernels
 * are then in u->kernels, unchecked. */
bool MUST_USE tikc_stage(Unit *u, const char *path, const char *text, size_t len);
/* Does the same and then runs all passes over each kernel. */
bool MUST_USE tikc_compile(Unit *u, const char *path, const char *text, size_t len,
                           const PassOptions *opt);
/* Runs the passes of the host back end over kernels that tikc_compile accepted: each gets
 * a tiled version (Kernel.tiled), unless they change nothing, and an inspector if it can
 * have one. */
void tikc_tile(Kernel *const *kernels, int n, const PassOptions *opt);
/* Returns the kernel of that name, or the only one if name is null. Returns null after a
 * diagnostic that lists them. */
Kernel *tikc_pick_kernel(Unit *u, const char *name);
/* Writes one line per emitted instruction, see docs/trace-format.md. It works on
 * unchecked kernels. */
void tikc_trace(const Kernel *k, Text *out);

/* Writes what a host has to know of a kernel, as a JSON text: arguments, block count,
 * workspaces, presets, and what the program reported with add_compile_info. stem and
 * suffix name the file with its code. */
void tikc_facts(const Kernel *k, const char *stem, const char *suffix, Text *out);

/* Makes the descriptor blob of all kernels of the unit, or of one. The bytes are
 * allocated in the unit's arena. */
bool MUST_USE tikc_blob(Unit *u, Kernel *const *kernels, int n, const uint8_t **bytes,
                        size_t *size);

/* Says of each kernel which flags and barriers order its queues, and why (plan.h). */
bool MUST_USE tikc_explain_sync(Unit *u, Kernel *const *kernels, int n, Text *out);

#endif
