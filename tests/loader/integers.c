/* integers.c: the division of lean/integer.c against that of the compiler, on numbers
 * next to powers of two and to each other; returns 0 when both are the same. */
#include "host.h"
#include "isa/integer.h"

static bool
same(uint64_t a, uint64_t b)
{
    int64_t x = (int64_t)a, y = (int64_t)b;
    if (b == 0) {
        return true;
    }
    if (quotient(a, b) != a / b) {
        return false;
    }
    if (x == INT64_MIN && y == -1) {
        return div_floor(x, y) == INT64_MAX && div_ceil(x, y) == INT64_MAX;
    }
    int64_t rest = x % y, down = x / y - (rest != 0 && (x < 0) != (y < 0));
    return signed_quotient(x, y) == x / y && div_floor(x, y) == down &&
           div_ceil(x, y) == down + (rest != 0) &&
           (y < 0 || mod_floor(x, y) == (rest < 0 ? rest + y : rest));
}

static uint64_t
number(unsigned i)
{
    return ((uint64_t)1 << i / 5 % 64) * (i / 320 ? (uint64_t)0 - 1 : 1) + i % 5 - 2;
}

int
host_main(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    for (unsigned i = 0; i < 640; i++) {
        for (unsigned k = 0; k < 640; k += 3) {
            if (!same(number(i), number(k))) {
                return 1;
            }
        }
    }
    return 0;
}
