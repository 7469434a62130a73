/* scalar.h: Scalars, elements of ScalarArrays, and what sets and reads them. */
#ifndef TIKC_TIK_SCALAR_H
#define TIKC_TIK_SCALAR_H

#include "tik/tik.h"

/* A Scalar in the open scope. */
Value tik_scalar(Interp *in, Tik *c, Sym name, Dtype t, Span span);
/* Arguments of what creates Scalars; a failed value is the default (int64, the given
 * name). */
bool tik_scalar_dtype(Interp *in, Value v, Span span, Dtype *out);
bool tik_scalar_name(Interp *in, Value v, Span span, const char *dflt, Sym *out);
/* Records o = v, converted as by a C cast. False with a diagnostic. */
bool tik_assign(Interp *in, ExprObj *o, Value v, Span span);
/* A Scalar that a method is to set: of this container and alive; what: the parameter.
 * Warns where it bounds an open loop. False with a diagnostic. */
bool tik_target(Interp *in, Tik *c, Value v, const char *what, const char *method,
                Span span);
/* What set_as does: tik_assign if the Scalar is alive and the branch is not dropped.
 * False: the program ends. */
bool tik_set(Interp *in, ExprObj *o, Value v, Span span);
/* Loads a one-element view of the container into a fresh register and gives its value. */
bool tik_load(Interp *in, Tik *c, View *v, Span span, ExprId *out);
Value tik_tensor_set_as(Interp *in, View *dst, Value v, Span span);
/* The Scalars of a ScalarArray and their number; -1 for other values. */
int64_t tik_array_items(Value v, const Value **items);
/* tik_assign to an element that is chosen at run time. */
bool tik_array_assign(Interp *in, ExprObj *o, Value v, Span span);
/* "Scalar 'n'". */
const char *tik_reg_name(Interp *in, const Tik *c, RegId r);

#endif
