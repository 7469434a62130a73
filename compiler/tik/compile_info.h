/* compile_info.h: facts for the host. */
#ifndef TIKC_TIK_COMPILE_INFO_H
#define TIKC_TIK_COMPILE_INFO_H

#include "tik/tik.h"

/* Converts a value to JSON. False: *bad describes what JSON cannot hold; it is null if a
 * limit was reached. */
bool MUST_USE compile_info_text(Interp *in, Value v, Span span, const char **text,
                                const char **bad);

#endif
