/* install.h: the TIK objects, as seen by the code that sets up an evaluator. */
#ifndef TIKC_TIK_INSTALL_H
#define TIKC_TIK_INSTALL_H

#include "python/interp.h"

/* Adds the module tik under all its names (tik, tbe.tik, te.tik, tbe.common.tik ...), and
 * _target, the facts of the processor that stdlib/ reads. */
bool MUST_USE tik_install(Interp *in);
/* Warns after the program ended of containers that were not built. */
void tik_finish(Interp *in);
/* For programs that run elsewhere and record kernel after kernel: names of kernels may be
 * used again, and what was counted for diagnostics begins anew. spoilt: an error was
 * reported, so the kernels that are still being recorded are not to be built. */
void tik_record_next(Interp *in, bool spoilt);
/* Returns whether an error was reported before the last tik_record_next, while the kernel
 * was recorded. */
bool tik_record_spoilt(Interp *in, const struct Kernel *k);
/* Fills Unit.compile_info and build_results from what the program reported. */
bool MUST_USE compile_info_finish(Interp *in, Span span);

#endif
