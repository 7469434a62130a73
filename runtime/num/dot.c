/* dot.c: chooses the table of num/dot.h for the processor. */
#include "num/dot.h"

#include "num/lanes.h"

const NumDotTable *
num_dot(void)
{
    return num_level() >= NUM_LEVEL_AVX2 ? &num_dot_avx2 : &num_dot_base;
}
