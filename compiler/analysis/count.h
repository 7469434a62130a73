/* count.h: numbers of elements that are known only at run time, compared while compiling:
 * kernels of a run-time length move whole blocks, (n + 7) / 8 of them, and compute whole
 * repeats, (n + 63) / 64. */
#ifndef TIKC_COUNT_H
#define TIKC_COUNT_H

#include "analysis/iteration.h"

/* Returns whether one number is certainly at least the other, or the other is no number
 * of elements: less than 1. The other is a number of elements that a memory has, as that
 * of an instruction is which has been checked. */
bool count_at_least(const Kernel *k, Count a, Count b);
/* Returns the first of n numbers that all others are at least; -1: there is none. */
int count_least(const Kernel *k, const Count *c, int n);

#endif
