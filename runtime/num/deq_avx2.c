/* deq_avx2.c: conversions out of the accumulator for x86-64 processors with AVX2. */
#include "num/deq.h"
#if defined(__x86_64__)
#define LANES_ATTR    LANES_AVX2
#define NUM_DEQ_TABLE num_deq_avx2
#include "num/deq_body.h"
#else
const NumDeqTable num_deq_avx2 = {0};
#endif
