/* any_bits.h: gives the same random bits in every run of a test. */
#ifndef TIKC_ANY_BITS_H
#define TIKC_ANY_BITS_H

#include <stdint.h>

static inline uint32_t
any_bits(void)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 32);
}

#endif
