/* sync.h: where synchronisation and calls of several instructions may be. */
#ifndef TIKC_TIK_SYNC_H
#define TIKC_TIK_SYNC_H

#include "tik/tik.h"

/* Whether the open scope is one in which the compiler does not synchronise. */
bool tik_without_sync(const Tik *c);
/* False with sync-scope where a method of several instructions may not stand: it would
 * need flags of its own. */
bool tik_composite_place(Interp *in, const Tik *c, const char *name, Span span);
/* The unit flag of a structure; false with unitflag. */
bool tik_unit_flag(Interp *in, const Tik *c, Value v, Span span);
/* False with scope-use where the instruction, set_flag or wait_flag, may not stand. */
bool tik_flag_place(Interp *in, const Tik *c, Op op, Span span);

#endif
