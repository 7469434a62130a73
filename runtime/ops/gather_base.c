/* gather_base.c: fetched and packed lanes for any processor, and the choice between the tables. */
#include "num/num_lanes.h"
#include "ops/gather.h"

#define FETCH(name, T)                                                                   \
    static bool name(void *out, const uint8_t *at, const void *offsets, int64_t n,       \
                     uint32_t most)                                                      \
    {                                                                                    \
        T *restrict to = out;                                                            \
        const AnyU32 *o = offsets;                                                       \
        uint32_t bad = 0;                                                                \
        LANES_LOOP                                                                       \
        for (int64_t l = 0; l < n; l++) {                                                \
            bad |= (uint32_t)(o[l] > most) | (o[l] & (uint32_t)(sizeof(T) - 1));         \
        }                                                                                \
        for (int64_t l = 0; bad == 0 && l < n; l++) {                                    \
            to[l] = *(const T *)(const void *)(at + o[l]);                               \
        }                                                                                \
        return bad == 0;                                                                 \
    }

FETCH(fetch16, AnyU16)
FETCH(fetch32, AnyU32)

#define PACK(name, T)                                                                    \
    static int64_t name(void *out, const void *in, const uint8_t *bits, int64_t n)       \
    {                                                                                    \
        T *restrict to = out;                                                            \
        const T *from = in;                                                              \
        int64_t k = 0;                                                                   \
        for (int64_t i = 0; i < n; i++) {                                                \
            to[k] = from[i];                                                             \
            k += bits[i / 8] >> (i % 8) & 1;                                             \
        }                                                                                \
        return k;                                                                        \
    }

PACK(pack8, AnyU8)
PACK(pack16, AnyU16)
PACK(pack32, AnyU32)

const GatherTable gather_base = {fetch16, fetch32, pack8, pack16, pack32};

const GatherTable *
gather_table(void)
{
    return num_level() >= NUM_LEVEL_AVX512 ? &gather_avx512 : &gather_base;
}
