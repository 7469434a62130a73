/* unset.h: whether what a kernel reads where it never wrote anything has no effect. */
#ifndef TIKC_UNSET_H
#define TIKC_UNSET_H

#include "passes/fate.h"
#include "passes/reaching.h"

/* Returns whether elements that were never written only become elements that nothing
 * reads: so their values, and what was in their memory before, make no difference. Fused
 * scopes are complete. r: numbers that are registers are compared by what these were set
 * to; null: as they are, which tells more where one is an expression of another. */
bool unset_is_confined(const Fates *f, const Reaching *r);

#endif
