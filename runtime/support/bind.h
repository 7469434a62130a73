/* bind.h: the arrays of a run as a kernel sees them, for both back ends: checked, filled
 * with what the kernel's arguments are preset to, address lists as tables. A kernel may
 * touch the granule of an array (scope_granule), bytes behind its data that are zero at
 * first and go nowhere. An array without that room, of an argument that is not known to
 * be left alone behind its data, is copied for the run. Private to the runtime. */
#ifndef TIK_BIND_H
#define TIK_BIND_H

#include "tikrt.h"

/* An array that is elsewhere during the run. */
typedef struct Bounce {
    uint8_t *own, *caller;
    int64_t bytes; /* of the data */
} Bounce;

typedef struct Bound {
    /* by argument: its data; of a list its first ListItem; then the size of each */
    uint8_t **args;
    ListItem *items;   /* of all lists, one behind the other */
    TikArray **arrays; /* by argument: as given, with the data that the run uses */
    TikArray *own;     /* what arrays points to */
    Bounce *bounces;
    int nbounces;
} Bound;

/* Nothing is written unless all arrays fit. bound_end also after false: it gives the
 * results back to the caller's arrays. */
bool bound_init(Bound *b, const TikParam *params, int n, TikArray *const *arrays,
                TikError *err);
void bound_end(Bound *b);

#endif
