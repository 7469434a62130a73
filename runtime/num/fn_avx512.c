/* fn_avx512.c: elementary functions for x86-64 processors with AVX-512. */
#include "num/fn.h"
#if defined(__x86_64__)
#define LANES_ATTR   LANES_AVX512
#define NUM_FN_TABLE num_fn_avx512
#include "num/fn_body.h"
#else
const NumFnTable num_fn_avx512 = {0};
#endif
