/* plain.h: which bodies the passes that change the order of iterations may work on. */
#ifndef TIKC_PLAIN_H
#define TIKC_PLAIN_H

#include "ir/ir.h"

/* Returns whether all that a body does is to its operands and registers, and none of it
 * may end with an error: proved moves, arithmetic, sums, extremes and comparisons, reads
 * and writes of elements, inside of loops, scopes and branches or not. */
bool plain_body(const Kernel *k, StmtId first);

/* The same, but what is checked each time before it executes may end it. */
bool plain_if_checked(const Kernel *k, StmtId first);

#endif
