/* const.h: constants of the program, for the files that make them. */
#ifndef TIKC_TIK_CONST_H
#define TIKC_TIK_CONST_H

#include "tik/tik.h"

/* Reads the name of a constant; false with a diagnostic. */
bool tik_const_name(Interp *in, Value v, Span span, Sym *out);
/* Returns a new root in global memory, without shape and contents. */
Root *tik_const_root(Interp *in, Tik *c, Sym name, Dtype t, Span span);
/* Sets the shape and the sizes that follow from it; false with a diagnostic. */
bool tik_const_shape(Interp *in, Root *r, const int64_t *dim, int ndim, Span span);
/* Returns the constant as a value of the program. */
Value tik_const_value(Interp *in, Root *r);
/* Returns the value of a refused call, so that the rest of the program is checked: uses
 * of the value report nothing. */
Value tik_const_refused(Interp *in, Tik *c, Sym name, Span span);
/* Returns the root of a whole constant; what is the name of the parameter. Null if v is a
 * slice or no constant, with a diagnostic unless one was reported when it was made. */
const Root *tik_const_given(Interp *in, const Tik *c, Value v, const char *what,
                            Span span);

Value tik_arange(Interp *in, Value self, const CallArgs *args);
Value tik_const_content(Interp *in, Value self, const CallArgs *args);

#endif
