/* num_dot.c: which table of num_dot.h runs here. */
#include "num/num_dot.h"

#include "num/num_lanes.h"

const NumDotTable *
num_dot(void)
{
    return num_level() >= NUM_LEVEL_AVX2 ? &num_dot_avx2 : &num_dot_base;
}
