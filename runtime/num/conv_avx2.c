/* conv_avx2.c: conversions for x86-64 processors with AVX2. */
#include "num/conv.h"
#if defined(__x86_64__)
#define LANES_ATTR     LANES_AVX2
#define NUM_CONV_TABLE num_conv_avx2
#define NUM_F16C       8
#include "num/conv_body.h"
#else
const NumConvTable num_conv_avx2 = {0};
#endif
