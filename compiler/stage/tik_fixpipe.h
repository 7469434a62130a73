/* tik_fixpipe.h: data_copy with DataCopyCO12DstParams. */
#ifndef TIKC_TIK_FIXPIPE_H
#define TIKC_TIK_FIXPIPE_H

#include "stage/tik.h"

/* got: dst, src, the structure. False: the program ends. */
bool tik_fix_copy(Interp *in, Tik *c, const CallArgs *args, const Value *got,
                  const Span *span);

#endif
