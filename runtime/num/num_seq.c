/* num_seq.c: see num_seq.h. */
#include "num/num_seq.h"

#include <string.h>

#include "num/half.h"

static int
size_of(NumType t)
{
    static const int sizes[NUM_TYPES] = {
#define DTYPE(id, name, bytes, kind) [NUM_##id] = bytes,
#include "isa/dtype.def"
    };
    return sizes[t];
}

/* a + b rounded to odd: toward zero, with the last bit set when the sum is inexact. A rounding to fewer bits
 * behind it is as if it were the only one. */
static double
sum_to_odd(double a, double b)
{
    double s = a + b;
    double part = s - a;
    double rest = (a - (s - part)) + (b - part); /* s + rest is the exact sum */
    uint64_t u = double_bits(s);
    if (rest == 0 || rest != rest) {
        return s;
    }
    u -= (rest < 0) != (s < 0);
    return double_of_bits(u | 1);
}

static uint64_t
element(NumType t, int64_t start, int64_t k)
{
    if (t == NUM_F16) {
        return half_from_double(sum_to_odd(half_to_float((uint16_t)start), (double)k));
    }
    if (t == NUM_F32) {
        double s = sum_to_odd(float_of_bits((uint32_t)start), (double)k);
        return float_bits_canonical((float)s);
    }
    return (uint64_t)start + (uint64_t)k;
}

void
num_sequence(void *dst, NumType t, int64_t start, int64_t first, int64_t n)
{
    int size = size_of(t);
    uint8_t *d = dst;
    for (int64_t i = 0; i < n; i++) {
        uint64_t v = element(t, start, first + i);
        memcpy(d + i * size, &v, (size_t)size);
    }
}
