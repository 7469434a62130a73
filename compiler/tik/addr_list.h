/* addr_list.h: what the other objects ask of a TensorAddrList. */
#ifndef TIKC_TIK_ADDR_LIST_H
#define TIKC_TIK_ADDR_LIST_H

#include "tik/tik.h"

/* The storage of a TensorAddrList; null for other values. *poisoned: it was refused. */
Root *tik_list_root(Value v, bool *poisoned);
/* The operand that an address (l[i].value) is, as elements of the dtype. */
bool tik_address_ref(Interp *in, const Tik *c, Value v, Dtype t, Span span, Ref *out);
/* The value of tik.scope_static: memory that no tensor can be in. */
#define TIK_SCOPE_STATIC "local.STATIC"

#endif
