/* dot_base.c: blocks of products for any processor. */
#define LANES_ATTR
#define NUM_DOT_TABLE num_dot_base
#include "num/dot_body.h"
