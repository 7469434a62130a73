/* bind.h: the arrays of a run as a kernel sees them, for both back ends: checked, filled with what
 * the kernel's arguments are preset to, address lists as tables. Private to the runtime. */
#ifndef TIK_BIND_H
#define TIK_BIND_H

#include "tikrt.h"

typedef struct Bound {
    uint8_t **
        args; /* by argument: its data; of a list its first ListItem; then the size of each */
    ListItem *items; /* of all lists, one behind the other */
} Bound;

/* Nothing is written unless all arrays fit. bound_free also after false. */
bool bound_init(Bound *b, const TikParam *params, int n, TikArray *const *arrays,
                TikError *err);
void bound_free(Bound *b);

#endif
