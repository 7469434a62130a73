/* build.h: the end of a kernel: BuildCCE and its argument evaluates. */
#ifndef TIKC_TIK_BUILD_H
#define TIKC_TIK_BUILD_H

#include "tik/tik.h"

/* tik/evaluate.c: fixes Scalars to the numbers of the evaluates argument. False with a
 * diagnostic. */
bool tik_evaluate(Interp *in, Tik *c, Value evaluates, Span span);

#endif
