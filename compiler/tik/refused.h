/* refused.h: methods of TIK that this compiler refuses (tik/known.def). */
#ifndef TIKC_TIK_REFUSED_H
#define TIKC_TIK_REFUSED_H

#include "tik/tik.h"

/* Reports a call of a name of tik/known.def. */
Value tik_refuse(Interp *in, Tik *c, int known, const CallArgs *args);
/* Notes the numbers of such calls at the end of the program. */
void tik_refuse_finish(Interp *in);

#endif
