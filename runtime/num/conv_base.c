/* conv_base.c: conversions for any processor. */
#define LANES_ATTR
#define NUM_CONV_TABLE num_conv_base
#define NUM_F16C       0
#include "num/conv_body.h"
