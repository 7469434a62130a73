/* npy_header.h: the text header of a .npy file. It is private to npy.c and
 * npy_header.c. */
#ifndef TIK_NPY_HEADER_H
#define TIK_NPY_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    NPY_MAX_DIMS = 64
};

typedef struct NpyHeader {
    char descr[32]; /* "<f2" */
    bool fortran;
    int ndim;
    int64_t shape[NPY_MAX_DIMS];
} NpyHeader;

/* Reads the Python dictionary with the keys descr, fortran_order and shape in any order
 * and spacing. Returns false with a constant text in *why when it is malformed. */
bool npy_parse_header(const char *text, size_t len, NpyHeader *out, const char **why);

#endif
