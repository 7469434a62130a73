/* dot_avx2.c: blocks of products for x86-64 processors with AVX2. */
#include "num/dot.h"
#if defined(__x86_64__)
#include "num/lanes.h"
#define DOT_IS_AVX2   1
#define LANES_ATTR    LANES_AVX2
#define NUM_DOT_TABLE num_dot_avx2
#include "num/dot_body.h"
#else
const NumDotTable num_dot_avx2 = {0};
#endif
