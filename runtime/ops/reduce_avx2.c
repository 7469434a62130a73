/* reduce_avx2.c: reductions of one repeat for x86-64 processors with AVX2 and F16C. */
#if defined(__x86_64__)
#include "num/lanes.h"
#define LANES_ATTR   LANES_AVX2
#define REDUCE_TABLE reduce_avx2
#define LANES_F16C   1
#include "ops/reduce_body.h"
#else
#include "ops/reduce.h"
const ReduceTable reduce_avx2 = {0};
#endif
