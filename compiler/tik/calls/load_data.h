/* load_data.h: mmad with MmadParams. */
#ifndef TIKC_TIK_LOAD_DATA_H
#define TIKC_TIK_LOAD_DATA_H

#include "tik/tik.h"

/* mmad with MmadParams: whether the call has one, and the call itself. */
bool tik_is_mmad_params(const CallArgs *args);
Value tik_mmad_params(Interp *in, Tik *c, const CallArgs *args);

#endif
