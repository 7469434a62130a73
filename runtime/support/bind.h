/* bind.h: binds the arrays of a run to the arguments of a kernel, for both back ends: it
 * checks them, presets them, and makes tables of address lists. A kernel may access the
 * whole granule of an array (scope_granule): bytes after its data, which are zero at
 * first and are dropped at the end. An array without that room is copied for the run
 * unless the kernel is known not to access bytes after its data. It is private to the
 * runtime. */
#ifndef TIK_BIND_H
#define TIK_BIND_H

#include "tikrt.h"

/* An array that is copied for the run. */
typedef struct Bounce {
    uint8_t *own, *caller;
    int64_t bytes; /* bytes of the data */
    bool unwritten;
} Bounce;

typedef struct Bound {
    /* for each argument its data, or the first ListItem of a list; then the size of
     * each */
    uint8_t **args;
    ListItem *items; /* items of all lists, one after the other */
    TikArray *
        *arrays; /* for each argument the given array, with the data that the run uses */
    TikArray *own; /* what arrays points to */
    Bounce *bounces;
    int nbounces;
} Bound;

/* Binds the arrays. Nothing is written unless all of them fit. bound_end must follow,
 * also after false; it copies results back to the caller's arrays. */
bool bound_init(Bound *b, const TikParam *params, int n, TikArray *const *arrays,
                TikError *err);
void bound_end(Bound *b);

#endif
