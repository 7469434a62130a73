/* fn.c: chooses an elementary function; see num/fn.h. */
#include "num/fn.h"

#include <stddef.h>

static const NumFnTable *
table_of(NumLevel level)
{
    switch (level) {
    case NUM_LEVEL_AVX2:
        return &num_fn_avx2;
    case NUM_LEVEL_AVX512:
        return &num_fn_avx512;
    default:
        return &num_fn_base;
    }
}

NumFnLanes *
num_fn_at(NumLevel level, NumFn f, NumType t)
{
    switch (t) {
    case NUM_F16:
        return table_of(level)->f16[f];
    case NUM_F32:
        return table_of(level)->f32[f];
    default:
        return NULL;
    }
}

NumFnLanes *
num_fn(NumFn f, NumType t)
{
    return num_fn_at(num_level(), f, t);
}
