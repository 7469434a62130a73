/* const.h: constants, between the files that make them. */
#ifndef TIKC_TIK_CONST_H
#define TIKC_TIK_CONST_H

#include "tik/tik.h"

/* The name of a constant; false with a diagnostic. */
bool tik_const_name(Interp *in, Value v, Span span, Sym *out);
/* A new root in global memory, without shape and contents. */
Root *tik_const_root(Interp *in, Tik *c, Sym name, Dtype t, Span span);
/* Its elements and bytes after the shape; false with a diagnostic. */
bool tik_const_shape(Interp *in, Root *r, const int64_t *dim, int ndim, Span span);
/* The constant as the program holds it. */
Value tik_const_value(Interp *in, Root *r);
/* What a refused call gives, so that the program is looked at further: whatever uses it
 * is silent. */
Value tik_const_refused(Interp *in, Tik *c, Sym name, Span span);
/* A whole constant, not a slice of it; what: the parameter. Null: it is not, with a
 * diagnostic unless one was given when it was made. */
const Root *tik_const_given(Interp *in, const Tik *c, Value v, const char *what,
                            Span span);

#endif
