/* sync.h: where synchronisation and calls of several instructions may be. */
#ifndef TIKC_TIK_SYNC_H
#define TIKC_TIK_SYNC_H

#include "tik/tik.h"

/* Returns whether the open scope is one in which the compiler does not synchronise. */
bool tik_without_sync(const Tik *c);
/* Returns false with sync-scope where a method that records several instructions is not
 * allowed, since these would need flags. */
bool tik_composite_place(Interp *in, const Tik *c, const char *name, Span span);
/* Checks the unit flag of a structure; false with unitflag. */
bool tik_unit_flag(Interp *in, const Tik *c, Value v, Span span);
/* Returns false with scope-use where the instruction, set_flag or wait_flag, is not
 * allowed. */
bool tik_flag_place(Interp *in, const Tik *c, Op op, Span span);

#endif
