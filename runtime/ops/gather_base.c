/* gather_base.c: fetched and packed lanes for any processor, and the choice between the tables. */
#include "num/lanes.h"
#include "ops/gather.h"

/* Whether no offset is above most or no multiple of size. */
static bool
are_good(const AnyU32 *offsets, int64_t n, uint32_t size, uint32_t most)
{
    uint32_t bad = 0;
    LANES_LOOP
    for (int64_t l = 0; l < n; l++) {
        bad |= (uint32_t)(offsets[l] > most) | (offsets[l] & (size - 1));
    }
    return bad == 0;
}

#define FETCH(name, T)                                                                   \
    static bool name(void *out, const uint8_t *at, const void *offsets, int64_t n,       \
                     uint32_t most)                                                      \
    {                                                                                    \
        T *restrict to = out;                                                            \
        const AnyU32 *o = offsets;                                                       \
        bool good = are_good(o, n, sizeof(T), most);                                     \
        for (int64_t l = 0; good && l < n; l++) {                                        \
            to[l] = *(const T *)(const void *)(at + o[l]);                               \
        }                                                                                \
        return good;                                                                     \
    }

FETCH(fetch16, AnyU16)
FETCH(fetch32, AnyU32)

#define SPREAD(name, T)                                                                  \
    static bool name(uint8_t *at, const void *in, const void *offsets, int64_t n,        \
                     uint32_t most)                                                      \
    {                                                                                    \
        const T *from = in;                                                              \
        const AnyU32 *o = offsets;                                                       \
        bool good = are_good(o, n, sizeof(T), most);                                     \
        for (int64_t l = 0; good && l < n; l++) {                                        \
            *(T *)(void *)(at + o[l]) = from[l];                                         \
        }                                                                                \
        return good;                                                                     \
    }

SPREAD(spread16, AnyU16)
SPREAD(spread32, AnyU32)

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

const GatherTable gather_base = {fetch16, fetch32, spread16, spread32,
                                 pack8,   pack16,  pack32};

const GatherTable *
gather_table(void)
{
    return num_level() >= NUM_LEVEL_AVX512 ? &gather_avx512 : &gather_base;
}
