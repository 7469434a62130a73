/* fill.h: contents of arrays that the command line names in place of a file. */
#ifndef TIKC_FILL_H
#define TIKC_FILL_H

#include "driver/driver.h"

typedef enum FillKind {
    FILL_FILE, /* the text is a path */
    FILL_RANDOM,
    FILL_ARANGE,
    FILL_VALUE /* zeros, ones, or a number */
} FillKind;

typedef struct Fill {
    FillKind kind;
    const char *text; /* as the user gave it */
    int64_t seed;
    bool ranged; /* random numbers are from lo to hi */
    double lo, hi;
    const char *number;
    int ndim; /* number of dimensions that follow; 0: none */
    int64_t dim[8];
} Fill;

/* Reads random:SEED[:LO..HI], zeros, ones, arange or a number, each with :SHAPE as
 * ":16x32" after it; any other text is a path. Returns false if the text begins like one
 * of them and is none; then *why says what is wrong. */
bool MUST_USE fill_parse(Arena *a, const char *text, Fill *out, const char **why);
/* Fills an array. Returns false, with *why, if its type does not have the values. */
bool MUST_USE fill_array(Arena *a, const Fill *f, TikArray *to, const char **why);
/* Reads a shape, "16x32", up to the end of the text. Returns the number of dimensions, 0
 * if the text is no shape. */
int fill_shape(const char *text, int64_t dim[8]);

#endif
