/* npy_order.c: turns the data of .npy files that are big endian or in Fortran order into
 * little endian and C order. */
#include "launch/npy_order.h"

#include <stdlib.h>
#include <string.h>

bool
npy_is_fortran(const NpyHeader *h)
{
    int wide = 0;
    for (int i = 0; i < h->ndim; i++) {
        wide += h->shape[i] != 1;
    }
    return h->fortran && wide > 1;
}

static bool
is_swapped(const NpyHeader *h, int size)
{
    return h->descr[0] == '>' && size > 1;
}

bool
npy_is_other_order(const NpyHeader *h, int size)
{
    return npy_is_fortran(h) || is_swapped(h, size);
}

static void
swap_bytes(uint8_t *data, int size, int64_t elems)
{
    for (int64_t i = 0; i < elems; i++, data += size) {
        for (int lo = 0, hi = size - 1; lo < hi; lo++, hi--) {
            uint8_t b = data[lo];
            data[lo] = data[hi];
            data[hi] = b;
        }
    }
}

/* Goes through the elements in C order, with the place that each has in Fortran order:
 * there the first dimension is the one whose neighbours are adjacent. */
static void
reorder(const NpyHeader *h, uint8_t *to, const uint8_t *from, int size, int64_t elems)
{
    int64_t at[NPY_MAX_DIMS] = {0}, step[NPY_MAX_DIMS], place = 0;
    for (int i = 0; i < h->ndim; i++) {
        step[i] = i == 0 ? 1 : step[i - 1] * h->shape[i - 1];
    }
    for (int64_t n = 0; n < elems; n++) {
        memcpy(to + n * size, from + place * size, (size_t)size);
        for (int i = h->ndim - 1; i >= 0; i--) {
            place += step[i];
            if (++at[i] < h->shape[i]) {
                break;
            }
            place -= step[i] * h->shape[i];
            at[i] = 0;
        }
    }
}

bool
npy_to_order(const NpyHeader *h, uint8_t *data, int size, int64_t elems)
{
    if (npy_is_fortran(h) && elems > 0) {
        size_t bytes = (size_t)size * (size_t)elems;
        uint8_t *copy = malloc(bytes);
        if (copy == NULL) {
            return false;
        }
        memcpy(copy, data, bytes);
        reorder(h, data, copy, size, elems);
        free(copy);
    }
    if (is_swapped(h, size)) {
        swap_bytes(data, size, elems);
    }
    return true;
}
