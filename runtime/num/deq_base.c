/* deq_base.c: conversions out of the accumulator for any processor. */
#define LANES_ATTR
#define NUM_DEQ_TABLE num_deq_base
#include "num/deq_body.h"
