/* half.c: double to the 16-bit float types with one rounding. See half.h. */
#include "num/half.h"

float
half_round_odd(double d)
{
    float f = (float)d;
    double back = (double)f;
    if (d != d || back == d) {
        return f;
    }
    uint32_t u = float_bits(f);
    double mag = d < 0 ? -d : d;
    double back_mag = back < 0 ? -back : back;
    if (back_mag > mag) {
        u--; /* one step toward zero: the bits of a float are ordered by magnitude */
    }
    return float_of_bits(u | 1u);
}

uint16_t
half_from_double(double d)
{
    return half_from_float(half_round_odd(d));
}

uint16_t
bfloat_from_double(double d)
{
    return bfloat_from_float(half_round_odd(d));
}
