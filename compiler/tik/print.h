/* print.h: what a program prints while its kernel runs. */
#ifndef TIKC_TIK_PRINT_H
#define TIKC_TIK_PRINT_H

#include "tik/tik.h"

Value tik_printf(Interp *in, Tik *c, const CallArgs *args);
/* tikdb.debug_print */
Value tik_debug_print(Interp *in, Tik *c, const CallArgs *args);

#endif
