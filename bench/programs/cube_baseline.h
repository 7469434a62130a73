/* cube_baseline.h: declares products of matrices as one would write them by hand for this
 * processor, for cube.c. */
#ifndef CUBE_BASELINE_H
#define CUBE_BASELINE_H

#include <stdint.h>

/* Computes c[m][n] = the sum over k of a[m][k] * b[k][n]; row-major, n a multiple of 32,
 * k of 4. It includes the packing of both factors, as callers have plain matrices. False:
 * this processor cannot do it. */
int hand_bytes(int32_t *c, const int8_t *a, const int8_t *b, int m, int k, int n);
int hand_halves(float *c, const uint16_t *a, const uint16_t *b, int m, int k, int n);

#endif
