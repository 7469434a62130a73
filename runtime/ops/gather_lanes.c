/* gather_lanes.c: fetches and packs lanes (ops/gather.h), compiled for two levels
 * (num/lanes.h): any processor, and those with AVX-512. The latter takes 16 lanes at a
 * time, in which 16-bit elements are kept in 32 bits. */
#include "ops/gather.h"
#include "num/lanes.h"

#if defined(LANES_AT_base)

/* Returns whether all offsets are at most `most` and multiples of size. */
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

#elif LANES_HERE
#include <immintrin.h>

enum {
    STEP = 16
};

LANES_AVX512 static inline __mmask16
leading(int64_t n)
{
    return n >= STEP ? 0xffff : (__mmask16)((1u << n) - 1);
}

/* Loads 16 offsets. *on becomes 0 if one is bad. */
LANES_AVX512 static inline __m512i
read_offsets(const AnyU32 *offsets, __mmask16 *on, uint32_t most, uint32_t size)
{
    __m512i o = _mm512_maskz_loadu_epi32(*on, offsets);
    __m512i far = _mm512_set1_epi32((int)most), odd = _mm512_set1_epi32((int)size - 1);
    unsigned bad = _mm512_cmpgt_epu32_mask(o, far) | _mm512_test_epi32_mask(o, odd);
    *on = bad != 0 ? 0 : *on;
    return o;
}

LANES_AVX512 static bool
fetch32(void *out, const uint8_t *at, const void *offsets, int64_t n, uint32_t most)
{
    AnyU32 *to = out;
    for (int64_t l = 0; l < n; l += STEP) {
        __mmask16 on = leading(n - l);
        __m512i o = read_offsets((const AnyU32 *)offsets + l, &on, most, 4);
        if (on == 0) {
            return false;
        }
        __m512i v = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), on, o, at, 1);
        _mm512_mask_storeu_epi32(to + l, on, v);
    }
    return true;
}

LANES_AVX512 static bool
fetch16(void *out, const uint8_t *at, const void *offsets, int64_t n, uint32_t most)
{
    AnyU16 *to = out;
    for (int64_t l = 0; l < n; l += STEP) {
        __mmask16 on = leading(n - l);
        __m512i o = read_offsets((const AnyU32 *)offsets + l, &on, most, 2);
        if (on == 0) {
            return false;
        }
        __m512i v = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), on, o, at, 1);
        _mm256_mask_storeu_epi16(to + l, on, _mm512_cvtepi32_epi16(v));
    }
    return true;
}

/* Elements are written in order, one after the other, after all offsets were tested
 * together. */
LANES_AVX512 static bool
are_good(const AnyU32 *offsets, int64_t n, uint32_t size, uint32_t most)
{
    __mmask16 on = 0xffff;
    for (int64_t l = 0; on != 0 && l < n; l += STEP) {
        on = leading(n - l);
        (void)read_offsets(offsets + l, &on, most, size);
    }
    return on != 0;
}

#define SPREAD(name, T)                                                                  \
    LANES_AVX512 static bool name(uint8_t *at, const void *in, const void *offsets,      \
                                  int64_t n, uint32_t most)                              \
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

/* Returns the bits of n lanes, at most 16. */
LANES_AVX512 static inline __mmask16
read_bits(const uint8_t *bits, int64_t n)
{
    unsigned b = bits[0] | (n > 8 ? (unsigned)bits[1] << 8 : 0u);
    return (__mmask16)(b & leading(n));
}

LANES_AVX512 static int64_t
pack32(void *out, const void *in, const uint8_t *bits, int64_t n)
{
    AnyU32 *to = out;
    const AnyU32 *from = in;
    int64_t k = 0;
    for (int64_t i = 0; i < n; i += STEP) {
        __mmask16 on = read_bits(bits + i / 8, n - i);
        __m512i v = _mm512_maskz_loadu_epi32(leading(n - i), from + i);
        _mm512_storeu_si512(to + k, _mm512_maskz_compress_epi32(on, v));
        k += __builtin_popcount(on);
    }
    return k;
}

LANES_AVX512 static int64_t
pack16(void *out, const void *in, const uint8_t *bits, int64_t n)
{
    AnyU16 *to = out;
    const AnyU16 *from = in;
    int64_t k = 0;
    for (int64_t i = 0; i < n; i += STEP) {
        __mmask16 on = read_bits(bits + i / 8, n - i);
        __m256i half = _mm256_maskz_loadu_epi16(leading(n - i), from + i);
        __m512i v = _mm512_maskz_compress_epi32(on, _mm512_cvtepu16_epi32(half));
        _mm256_storeu_si256((__m256i *)(void *)(to + k), _mm512_cvtepi32_epi16(v));
        k += __builtin_popcount(on);
    }
    return k;
}

LANES_AVX512 static int64_t
pack8(void *out, const void *in, const uint8_t *bits, int64_t n)
{
    AnyU8 *to = out;
    const AnyU8 *from = in;
    int64_t k = 0;
    for (int64_t i = 0; i < n; i += STEP) {
        __mmask16 on = read_bits(bits + i / 8, n - i);
        __m128i byte = _mm_maskz_loadu_epi8(leading(n - i), from + i);
        __m512i v = _mm512_maskz_compress_epi32(on, _mm512_cvtepu8_epi32(byte));
        _mm_storeu_si128((__m128i *)(void *)(to + k), _mm512_cvtepi32_epi8(v));
        k += __builtin_popcount(on);
    }
    return k;
}

const GatherTable gather_avx512 = {fetch16, fetch32, spread16, spread32,
                                   pack8,   pack16,  pack32};

#else
const GatherTable gather_avx512 = {0};
#endif
