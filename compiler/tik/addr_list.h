/* addr_list.h: TensorAddrList, as the other objects use it. */
#ifndef TIKC_TIK_ADDR_LIST_H
#define TIKC_TIK_ADDR_LIST_H

#include "tik/tik.h"

/* Returns the storage of a TensorAddrList; null for other values. *poisoned: it was
 * refused. */
Root *tik_list_root(Value v, bool *poisoned);
/* Is data_move with a list as dst: a list in UB gets the addresses of one in global
 * memory, in one burst whose length is known while compiling. */
Value tik_list_fill(Interp *in, const Tik *c, const CallArgs *args);
/* Makes the operand of an address (l[i].value), as elements of the dtype. */
bool tik_address_ref(Interp *in, const Tik *c, Value v, Dtype t, Span span, Ref *out);
/* Defines TIK_SCOPE_STATIC, the value of tik.scope_static: a memory that no tensor can be
 * in. */
#define MEMORY(name, text)
#include "tik/memory.def"

#endif
