/* scope.h: context managers of scopes and loops. */
#ifndef TIKC_TIK_SCOPE_H
#define TIKC_TIK_SCOPE_H

#include "tik/tik.h"

/* Returns a context manager that is not entered yet. */
Opener *tik_opener(Interp *in, Tik *c, OpenerKind kind, Span span);

#endif
