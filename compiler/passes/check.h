/* check.h: what the check pass can print beyond its result. */
#ifndef TIKC_PASS_CHECK_H
#define TIKC_PASS_CHECK_H

#include "ir/ir.h"

/* Prints each obligation of a checked kernel that was not proved, one on each line, with
 * its place. */
void check_explain(const Kernel *k, Text *out);

#endif
