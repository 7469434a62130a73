/* map.c: mathematical functions for compiled kernels: tikrt_map calls runtime/num once
 * for the whole instruction if its repeats are contiguous, else once for each repeat. */
#include <string.h>

#include "isa/isa.h"
#include "num/fn.h"
#include "tikcode.h"

static NumFn
function_of(Sem sem)
{
    switch (sem) {
    case SEM_EXP:
        return NUM_EXP;
    case SEM_EXPM1:
        return NUM_EXPM1;
    case SEM_LN:
        return NUM_LN;
    default:
        return NUM_RSQRT;
    }
}

/* Returns whether results may be written while arguments are read, because they are at
 * the same place or share no byte. */
static bool
separate(const uint8_t *dst, const uint8_t *src, int64_t bytes)
{
    uintptr_t d = (uintptr_t)dst, s = (uintptr_t)src;
    return d == s || d + (uintptr_t)bytes <= s || s + (uintptr_t)bytes <= d;
}

static void
one_run(NumFnLanes *fn, uint8_t *dst, const uint8_t *src, int64_t bytes, int64_t n)
{
    uint8_t copy[REPEAT_BYTES];
    if (!separate(dst, src, bytes)) {
        memcpy(copy, src, (size_t)bytes);
        src = copy;
    }
    fn(dst, src, n);
}

void
tikrt_map(const TikMap *map, uint8_t *dst, const uint8_t *src, int64_t repeats,
          int64_t dst_step, int64_t src_step)
{
    int64_t bytes = (int64_t)map->lanes * dtype_size((Dtype)map->dtype);
    NumType type = map->dtype == DT_F16 ? NUM_F16 : NUM_F32;
    NumFn function = function_of((Sem)map->function);
    NumFnLanes *fn = map->reading == CHOSE_APPROXIMATE_FAST ? num_fn_fast(function, type)
                                                            : num_fn(function, type);
    bool follow = repeats == 1 || (dst_step == bytes && src_step == bytes);
    if (follow && separate(dst, src, repeats * bytes)) {
        fn(dst, src, repeats * map->lanes);
        return;
    }
    for (int64_t r = 0; r < repeats; r++) {
        one_run(fn, dst + r * dst_step, src + r * src_step, bytes, map->lanes);
    }
}
