/* fn_avx2.c: elementary functions for x86-64 processors with AVX2. */
#include "num/fn.h"
#if defined(__x86_64__)
#define LANES_ATTR   LANES_AVX2
#define NUM_FN_TABLE num_fn_avx2
#include "num/fn_body.h"
#else
const NumFnTable num_fn_avx2 = {0};
#endif
