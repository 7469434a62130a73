/* sreg.h: special registers, by their offset SREG_ and dtype. */
#ifndef TIKC_TIK_SREG_H
#define TIKC_TIK_SREG_H

#include "tik/tik.h"

/* Returns the register as the place of a load or store. */
Ref tik_sreg_ref(Interp *in, Tik *c, int64_t offset, Dtype t);
/* Loads the special register into a fresh one. False: the program ends. */
bool tik_sreg_read(Interp *in, Tik *c, int64_t offset, Dtype t, Span span, ExprId *out);
/* Sets a Scalar, or an element of a ScalarArray, to its value, converted like set_as
 * does. The caller has called tik_alive. */
bool tik_sreg_load(Interp *in, ExprObj *dst, int64_t offset, Dtype t, Span span);
/* Sets the register to the value, converted as by a C cast. */
bool tik_sreg_store(Interp *in, Tik *c, int64_t offset, Dtype t, ExprId value, Span span);
/* Returns the index of the core that executes, converted to an integer type. */
ExprId tik_core_index(Interp *in, Tik *c, Dtype t);
/* Inserts the buffer of the registers as the first statement when the kernel is built. */
void tik_sreg_begin(Interp *in, Tik *c);

#endif
