/* trig.h: the argument of sin and cos modulo pi / 2, for large arguments. */
#ifndef TIK_NUM_REDUCE_H
#define TIK_NUM_REDUCE_H

#include <stdint.h>

/* From this magnitude on (bits of 2^25 as float32) num_reduce is needed. */
#define NUM_REDUCE_FROM 0x4c000000u

/* The float32 with bits x, 2^25 or more in magnitude, is n * pi / 2 + r with |r| <= pi /
 * 4: gives n modulo 4 and r, off by less than 2^-51 of its value. Infinity and NaN: r is
 * NaN. Integer arithmetic (Payne and Hanek). */
uint64_t num_reduce(uint32_t x, double *r);

#endif
