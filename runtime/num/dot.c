/* dot.c: chooses the table of num/dot.h for the processor. */
#include "num/dot.h"

#include "num/lanes.h"

const NumDotTable *
num_dot(void)
{
    NumLevel level = num_level();
    return num_has_vnni()              ? &num_dot_vnni
           : level >= NUM_LEVEL_AVX512 ? &num_dot_avx512
           : level >= NUM_LEVEL_AVX2   ? &num_dot_avx2
                                       : &num_dot_base;
}
