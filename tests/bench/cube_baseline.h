/* cube_baseline.h: products of matrices as one would write them by hand for this
 * processor, for cube.c. */
#ifndef CUBE_BASELINE_H
#define CUBE_BASELINE_H

#include <stdint.h>

/* c[m][n] = the sum over k of a[m][k] * b[k][n]; row-major, n a multiple of 32, k of 4.
 * Packing of both factors included, as what callers have is plain matrices. False: not
 * for this processor. */
int hand_bytes(int32_t *c, const int8_t *a, const int8_t *b, int m, int k, int n);
int hand_halves(float *c, const uint16_t *a, const uint16_t *b, int m, int k, int n);

#endif
