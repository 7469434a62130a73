/* tensor.h: tensors, their views and the options that they are created with. */
#ifndef TIKC_TIK_TENSOR_H
#define TIKC_TIK_TENSOR_H

#include "tik/tik.h"

View *tik_view(Interp *in, Root *root, int ndim);
/* Returns whether two elements of the view share a byte. */
bool tik_view_is_halves(const View *v);
/* Makes the operand of an instruction, load or store. False without a diagnostic when the
 * view is poisoned, with scope-ended when its scope was closed. */
bool tik_ref(Interp *in, View *v, Span span, Ref *out);
/* Returns false with tensor-name when the name is no identifier. */
bool tik_identifier(Interp *in, Sym name, Span span);
/* Puts a global tensor into the kernel. */
void tik_declare(Root *root);
Value tik_get_item(Interp *in, Object *self, Value key, Span span);
Value tik_reshape(Interp *in, View *v, const CallArgs *args);
Value tik_flatten(Interp *in, View *v, const CallArgs *args);
Value tik_reinterpret(Interp *in, View *v, const CallArgs *args);
/* Returns the product of the lengths, int64. */
ExprId tik_product(Tik *c, const Dim *dim, int ndim);
/* Returns the number of elements, -1 if it is not constant. */
int64_t tik_view_elems(const View *v);
/* Sets row-major strides for the lengths. */
void tik_strides(Tik *c, Dim *dim, int ndim);
/* Reads a shape: items are positive ints, integral floats, integer Scalars and Exprs. */
bool tik_shape(Interp *in, Tik *c, Value v, Span span, Dim **dim, int *ndim);
/* Reads init_value with is_atomic_add: one number or None (0). */
bool tik_preset(Interp *in, Root *r, Value v, Span span);
/* Reads init_value without is_atomic_add: a number for all elements, or nested lists.
 * Makes the tensor a constant table. */
bool tik_table(Interp *in, Root *r, Value v, Span span);
/* Does the same for any size; what is the name of the parameter. */
bool tik_fill(Interp *in, Root *r, const char *what, Value v, Span span);
bool tik_start_addr(Interp *in, Root *r, Value v, Span span);
/* Reads no_reuse_list if apart, else reuse_list. */
bool tik_reuse_list(Interp *in, Root *r, Value v, Span span, bool apart);
/* Finds the dtype of the name, with bits and sign4 of the root. Elements of 4 bits exist
 * only on SOPHON processors; two of them are a byte. DT_NONE: there is none. tik_no_dtype
 * reports a text that names no dtype; what is " of tensors" or the like. */
Dtype tik_find_dtype(Root *r, const char *text);
const char *tik_dtype_name(const View *v);
void tik_no_dtype(Interp *in, Span span, const char *text, const char *what);

#endif
