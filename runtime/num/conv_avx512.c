/* conv_avx512.c: conversions for x86-64 processors with AVX-512. */
#include "num/conv.h"
#if defined(__x86_64__)
#define LANES_ATTR     LANES_AVX512
#define NUM_CONV_TABLE num_conv_avx512
#define NUM_F16C       16
#include "num/conv_body.h"
#else
const NumConvTable num_conv_avx512 = {0};
#endif
