/* scalar_type.c: the values that integer types have; see scalar.h. It is freestanding and
 * without floating point. */
#include "num/scalar.h"

int64_t
scalar_wrap(Dtype t, int64_t v)
{
    int bits = dtype_size(t) * 8;
    if (t == DT_BOOL) {
        return v != 0;
    }
    if (bits == 64 || bits == 0) {
        return v;
    }
    uint64_t mask = (UINT64_C(1) << bits) - 1;
    uint64_t u = (uint64_t)v & mask;
    if (dtype_kind(t) == KIND_SINT && u >> (bits - 1)) {
        u |= ~mask;
    }
    return (int64_t)u;
}

void
scalar_range(Dtype t, int64_t *lo, int64_t *hi, bool *full)
{
    int bits = dtype_size(t) * 8;
    *full = t != DT_U64;
    *lo = *hi = 0;
    switch (dtype_kind(t)) {
    case KIND_BOOL:
        *hi = 1;
        return;
    case KIND_UINT:
        *hi = bits == 64 ? INT64_MAX : (INT64_C(1) << bits) - 1;
        return;
    case KIND_SINT:
        *hi = (int64_t)((UINT64_C(1) << (bits - 1)) - 1);
        *lo = -*hi - 1;
        return;
    case KIND_FLOAT:
        return;
    }
}
