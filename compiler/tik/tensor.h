/* tensor.h: tensors, their views and the options that they are created with. */
#ifndef TIKC_TIK_TENSOR_H
#define TIKC_TIK_TENSOR_H

#include "tik/tik.h"

View *tik_view(Interp *in, Root *root, int ndim);
/* Two elements of the view share a byte. */
bool tik_view_is_halves(const View *v);
/* The operand for an instruction, load or store; false silently when the view is
 * poisoned, with scope-ended when its scope was closed. */
bool tik_ref(Interp *in, View *v, Span span, Ref *out);
/* False with tensor-name when it is no identifier. */
bool tik_identifier(Interp *in, Sym name, Span span);
/* Puts a global tensor into the kernel. */
void tik_declare(Root *root);
Value tik_get_item(Interp *in, Object *self, Value key, Span span);
Value tik_reshape(Interp *in, View *v, const CallArgs *args);
Value tik_flatten(Interp *in, View *v, const CallArgs *args);
Value tik_reinterpret(Interp *in, View *v, const CallArgs *args);
/* Product of the lengths, int64. */
ExprId tik_product(Tik *c, const Dim *dim, int ndim);
/* Number of elements, -1 if not constant. */
int64_t tik_view_elems(const View *v);
/* Row-major strides for the lengths. */
void tik_strides(Tik *c, Dim *dim, int ndim);
/* A shape: items are positive ints, integral floats, integer Scalars and Exprs. */
bool tik_shape(Interp *in, Tik *c, Value v, Span span, Dim **dim, int *ndim);
/* init_value with is_atomic_add: one number or None (0). */
bool tik_preset(Interp *in, Root *r, Value v, Span span);
/* init_value without: a number for all elements, or nested lists. Makes the tensor a
 * constant table. */
bool tik_table(Interp *in, Root *r, Value v, Span span);
/* The same of any size; what: the parameter. */
bool tik_fill(Interp *in, Root *r, const char *what, Value v, Span span);
bool tik_start_addr(Interp *in, Root *r, Value v, Span span);
/* apart: no_reuse_list, else reuse_list. */
bool tik_reuse_list(Interp *in, Root *r, Value v, Span span, bool apart);
/* The dtype of the name, with bits and sign4 of the root. Elements of 4 bits exist where
 * memory has lanes; two of them are a byte. DT_NONE: there is none. */
Dtype tik_find_dtype(Root *r, const char *text);
const char *tik_dtype_name(const View *v);
/* Reports a text that names no dtype; what: " of tensors" or the like. */
void tik_no_dtype(Interp *in, Span span, const char *text, const char *what);

#endif
