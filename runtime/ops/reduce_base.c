/* reduce_base.c: reductions of one repeat for any processor. */
#define LANES_ATTR
#define REDUCE_TABLE reduce_base
#define LANES_F16C   0
#include "ops/reduce_body.h"
