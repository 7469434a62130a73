/* scalar.h: Scalars and elements of ScalarArrays: how they are made, set and read. */
#ifndef TIKC_TIK_SCALAR_H
#define TIKC_TIK_SCALAR_H

#include "tik/tik.h"

/* Makes a Scalar in the open scope. */
Value tik_scalar(Interp *in, Tik *c, Sym name, Dtype t, Span span);
/* Read arguments of calls that create Scalars; a failed value means the default (int64,
 * the given name). */
bool tik_scalar_dtype(Interp *in, Value v, Span span, Dtype *out);
bool tik_scalar_name(Interp *in, Value v, Span span, const char *dflt, Sym *out);
/* Records o = v, converted as by a C cast. False with a diagnostic. */
bool tik_assign(Interp *in, ExprObj *o, Value v, Span span);
/* Checks a Scalar that a method sets: it is of this container and alive; what is the name
 * of the parameter. Warns if it bounds an open loop. False with a diagnostic. */
bool tik_target(Interp *in, Tik *c, Value v, const char *what, const char *method,
                Span span);
/* Implements set_as: calls tik_assign if the Scalar is alive and the branch is not
 * dropped. False: the program ends. */
bool tik_set(Interp *in, ExprObj *o, Value v, Span span);
/* Loads a one-element view of the container into a fresh register and returns its
 * value. */
bool tik_load_element(Interp *in, Tik *c, View *v, Span span, ExprId *out);
Value tik_tensor_set_as(Interp *in, View *dst, Value v, Span span);
/* Returns the Scalars of a ScalarArray and their number; -1 for other values. */
int64_t tik_array_items(Value v, const Value **items);
/* Does what tik_assign does for an element that is chosen at run time. */
bool tik_array_assign(Interp *in, ExprObj *o, Value v, Span span);
/* Returns the description of a register: "Scalar 'n'". */
const char *tik_reg_name(Interp *in, const Tik *c, RegId r);

#endif
