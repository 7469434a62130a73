/* slice_avx2.c: loops over elements of slices for x86-64 processors with AVX2 and F16C. */
#include "ops/slice.h"
#if defined(__x86_64__)
#include "num/lanes.h"
#define LANES_ATTR  LANES_AVX2
#define SLICE_TABLE ops_slice_avx2
#include "ops/slice_body.h"
#else
const SliceTable ops_slice_avx2 = {.largest = 0};
#endif
