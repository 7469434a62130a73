/* check.h: what the check pass tells beyond its result. */
#ifndef TIKC_PASS_CHECK_H
#define TIKC_PASS_CHECK_H

#include "ir/ir.h"

/* Prints each obligation of a checked kernel that was not proved, a line each, with its
 * place. */
void check_explain(const Kernel *k, Text *out);

#endif
