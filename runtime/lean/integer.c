/* integer.c: the functions of isa/integer.h, once, and division of 64 bits, for which
 * libraries of compilers have hundreds of bytes. */
#define TIK_INTEGER_BODIES
#include "isa/integer.h"

/* Small numbers are divided by the processor, and so are all where it has 64 bits. */
uint64_t
quotient(uint64_t a, uint64_t b)
{
    uint64_t q = 0, bit = 1;
    if (UINTPTR_MAX > UINT32_MAX) {
        return a / b;
    }
    if ((a | b) >> 32 == 0) {
        return (uint32_t)a / (uint32_t)b;
    }
    while (b < a && b >> 63 == 0) {
        b <<= 1;
        bit <<= 1;
    }
    for (; bit > 0; bit >>= 1) {
        if (a >= b) {
            a -= b;
            q |= bit;
        }
        b >>= 1;
    }
    return q;
}

int64_t
signed_quotient(int64_t a, int64_t b)
{
    uint64_t q = quotient(a < 0 ? 0 - (uint64_t)a : (uint64_t)a,
                          b < 0 ? 0 - (uint64_t)b : (uint64_t)b);
    return (int64_t)((a < 0) != (b < 0) ? 0 - q : q);
}

/* Every rule asks for rows, so bits are counted without a loop. */
int
count_bits(uint32_t x)
{
    x -= x >> 1 & 0x55555555;
    x = (x & 0x33333333) + (x >> 2 & 0x33333333);
    x = (x + (x >> 4)) & 0x0f0f0f0f;
    return (int)((x * 0x01010101) >> 24);
}
