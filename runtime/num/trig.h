/* trig.h: reduces large arguments of sin and cos modulo pi / 2. */
#ifndef TIK_NUM_REDUCE_H
#define TIK_NUM_REDUCE_H

#include <stdint.h>

/* The magnitude (bits of 2^25 as float32) from which on num_reduce is needed. */
#define NUM_REDUCE_FROM 0x4c000000u

/* The float32 with bits x, 2^25 or more in magnitude, is n * pi / 2 + r + rest with |r|
 * no more than pi / 4 and rest below a unit of r's last place. Returns n modulo 4 and
 * gives both, off by less than 2^-90; for infinity and NaN r is NaN. It uses integer
 * arithmetic (Payne and Hanek). */
uint64_t num_reduce(uint32_t x, double *r, double *rest);

#endif
