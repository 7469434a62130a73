/* random.h: numbers that are drawn the same in every run of a test and with every
 * compiler. A test calls for one at a time, never twice in one list of arguments: which
 * of two comes first would be the compiler's choice. */
#ifndef TIKC_TEST_RANDOM_H
#define TIKC_TEST_RANDOM_H

#include <stdint.h>

/* Steps on; the high bits of the state are the good ones. */
static inline uint64_t
random_next(uint64_t *state)
{
    return *state =
               *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
}

/* Returns a number from 0 to n - 1, n being at most 2^31. */
static inline int64_t
random_below(uint64_t *state, int64_t n)
{
    return (int64_t)(random_next(state) >> 33) % n;
}

/* Steps on a state other than zero, and returns it: 64 bits that are all good. */
static inline uint64_t
random_bits(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Returns bits of a state that each file has to itself. */
static inline uint32_t
any_bits(void)
{
    static uint64_t state = 1;
    return (uint32_t)(random_next(&state) >> 32);
}

#endif
