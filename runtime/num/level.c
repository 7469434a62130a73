/* level.c: the level of the processor's vector unit. See num/lanes.h. */
#include "num/lanes.h"

NumLevel
num_level(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("f16c")) {
        return NUM_LEVEL_AVX512;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c") &&
        __builtin_cpu_supports("fma")) {
        return NUM_LEVEL_AVX2;
    }
#endif
    return NUM_LEVEL_BASE;
}

bool
num_has_vnni(void)
{
#if defined(__x86_64__)
    return num_level() >= NUM_LEVEL_AVX512 && __builtin_cpu_supports("avx512vnni") != 0;
#else
    return false;
#endif
}

bool
num_has_half(void)
{
#if defined(__x86_64__)
    return num_level() >= NUM_LEVEL_AVX512 && __builtin_cpu_supports("avx512fp16") != 0;
#else
    return false;
#endif
}
