/* num_conv_base.c: conversions for any processor. */
#define LANES_ATTR
#define NUM_CONV_TABLE num_conv_base
#include "num/num_conv_body.h"
