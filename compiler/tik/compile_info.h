/* compile_info.h: facts for the host. */
#ifndef TIKC_TIK_COMPILE_INFO_H
#define TIKC_TIK_COMPILE_INFO_H

#include "tik/tik.h"

/* A value as JSON. False: *bad says what in it JSON cannot hold; null: a limit was
 * hit. */
bool MUST_USE compile_info_text(Interp *in, Value v, Span span, const char **text,
                                const char **bad);

#endif
