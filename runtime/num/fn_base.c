/* fn_base.c: elementary functions for any processor. */
#define LANES_ATTR
#define NUM_FN_TABLE num_fn_base
#include "num/fn_body.h"
