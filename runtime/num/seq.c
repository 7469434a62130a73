/* seq.c: arithmetic sequences; see num/seq.h. */
#include "num/seq.h"

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

static uint64_t
element(NumType t, int64_t start, int64_t k)
{
    if (t == NUM_F16) {
        return half_from_double(half_sum_odd(half_to_float((uint16_t)start), (double)k));
    }
    if (t == NUM_F32) {
        double s = half_sum_odd(float_of_bits((uint32_t)start), (double)k);
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
