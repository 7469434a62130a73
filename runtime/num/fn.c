/* fn.c: chooses an elementary function; see num/fn.h. */
#include "num/fn.h"

#include <stddef.h>

typedef struct Tables {
    const NumFnTable *step, *exact;
} Tables;

static Tables
tables_of(NumLevel level)
{
    switch (level) {
    case NUM_LEVEL_AVX2:
        return (Tables){&num_fn_step_avx2, &num_fn_avx2};
    case NUM_LEVEL_AVX512:
        return (Tables){&num_fn_step_avx512, &num_fn_avx512};
    default:
        return (Tables){&num_fn_step_base, &num_fn_base};
    }
}

static NumFnLanes *
entry(const NumFnTable *table, NumFn f, NumType t)
{
    return t == NUM_F16 ? table->f16[f] : t == NUM_F32 ? table->f32[f] : NULL;
}

NumFnLanes *
num_fn_at(NumLevel level, NumFn f, NumType t)
{
    Tables tables = tables_of(level);
    NumFnLanes *step = entry(tables.step, f, t);
    return step != NULL ? step : entry(tables.exact, f, t);
}

NumFnLanes *
num_fn(NumFn f, NumType t)
{
    return num_fn_at(num_level(), f, t);
}

NumFnLanes *
num_fn_fast_at(NumLevel level, NumFn f, NumType t)
{
    NumFnLanes *fast = t == NUM_F32 ? tables_of(level).step->fast[f] : NULL;
    return fast != NULL ? fast : num_fn_at(level, f, t);
}

NumFnLanes *
num_fn_fast(NumFn f, NumType t)
{
    return num_fn_fast_at(num_level(), f, t);
}
