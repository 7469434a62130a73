/* methods.h: the methods of the container that are no plain instructions, declared from
 * the rows of call.def. */
#ifndef TIKC_TIK_METHODS_H
#define TIKC_TIK_METHODS_H

#include "tik/tik.h"

#define METHOD(name, fn)  Value fn(Interp *in, Tik *c, const CallArgs *args);
#define RECORDS(name, fn) void fn(const Bound *b);
#include "tik/call.def"

#endif
