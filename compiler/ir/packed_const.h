/* packed_const.h: declares what the stage, the text form and the pass weight-reorder
 * share about packed constants. */
#ifndef TIKC_PACKED_CONST_H
#define TIKC_PACKED_CONST_H

#include "ir/ir.h"

/* Fills info->plan: the constant has the shape plan.shape and the dtype
 * weight_stored_dtype. */
PackResult weight_plan(const PackTarget *t, PackInfo *info);
/* Returns the weight for packing. data has its elements in plain order, each of 4 bits in
 * a byte of its own. */
PackWeight weight_source(const PackInfo *info, const void *data);
/* Returns the dtype in which a weight is stored: bytes when a bias or a requantization
 * precedes it or its elements have 4 bits, else its own. */
Dtype weight_stored_dtype(const PackInfo *info);
/* Returns the name of the weight's dtype; "int4" for elements of 4 bits. */
const char *weight_dtype_name(const PackInfo *info);

#endif
