/* slice_base.c: loops over elements of slices for any processor, and the choice between the tables. */
#define LANES_ATTR
#define SLICE_TABLE ops_slice_base
#include "ops/slice_body.h"

const SliceTable *
ops_slice_table(void)
{
    return num_level() >= NUM_LEVEL_AVX2 ? &ops_slice_avx2 : &ops_slice_base;
}
