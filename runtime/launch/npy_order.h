/* npy_order.h: orders of bytes and elements of a .npy file. It is private to npy.c and
 * npy_order.c. */
#ifndef TIK_NPY_ORDER_H
#define TIK_NPY_ORDER_H

#include "launch/npy_header.h"

/* Returns whether elements are stored in another order than C's: a Fortran order of one
 * dimension, or of none, is the same. */
bool npy_is_fortran(const NpyHeader *h);
/* Returns whether npy_to_order changes anything; size is that of an element. */
bool npy_is_other_order(const NpyHeader *h, int size);
/* Brings the data of a file into C order and little endian. Returns false if there is not
 * enough memory; then data is as it was. */
bool npy_to_order(const NpyHeader *h, uint8_t *data, int size, int64_t elems);

#endif
