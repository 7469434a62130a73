/* packed_const.h: what the stage, the text form and the pass weight-reorder share about
 * packed constants. */
#ifndef TIKC_WEIGHT_H
#define TIKC_WEIGHT_H

#include "ir/ir.h"

/* Fills info->plan: the shape of the constant is plan.shape of weight_stored_dtype. */
PackResult weight_plan(const PackTarget *t, PackInfo *info);
/* The weight for packing; data: its elements in plain order, those of 4 bits one in each
 * byte. */
PackWeight weight_source(const PackInfo *info, const void *data);
/* Bytes when something stands in front of the weight or its elements have 4 bits, else
 * the weight's own type. */
Dtype weight_stored_dtype(const PackInfo *info);
/* "int4" */
const char *weight_dtype_name(const PackInfo *info);

#endif
