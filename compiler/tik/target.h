/* target.h: the module _target. */
#ifndef TIKC_TIK_TARGET_H
#define TIKC_TIK_TARGET_H

#include "tik/tik.h"

/* Adds the module _target, facts of the processor for stdlib/. */
void target_install(Interp *in);

#endif
