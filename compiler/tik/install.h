/* install.h: the TIK objects, as seen by the code that sets up an evaluator. */
#ifndef TIKC_TIK_INSTALL_H
#define TIKC_TIK_INSTALL_H

#include "python/interp.h"

/* Adds the module tik under all its names (tik, tbe.tik, te.tik, tbe.common.tik ...), and
 * _target, the facts of the processor that stdlib/ reads. */
bool MUST_USE tik_install(Interp *in);
/* Warns after the program ended of containers that were not built. */
void tik_finish(Interp *in);
/* Fills Unit.compile_info and build_results from what the program reported. */
bool MUST_USE compile_info_finish(Interp *in, Span span);

#endif
