/* tiles_lanes.c: transposes tiles (ops/tiles.h), compiled for each level (num/lanes.h).
 *
 * A matrix of 2^a rows and 2^b columns is transposed by rotating the bits of every
 * element's index: a times, the first half of all elements is interleaved with the
 * second. In vectors, pieces of 16 bytes are transposed independently of each other: a
 * square of n vectors of n elements by interleaving log2(n) times the vectors of its
 * first half with those of its second. A vector has several pieces of a tile, or those of
 * several repeats where they are apart. */
#include "ops/tiles.h"
#include "num/lanes.h"

#include <string.h>

#if defined(LANES_AT_base)

/* Does a round of a transpose of a tile; a and b have n elements. */
#define ROUND(to, from, n)                                                               \
    for (int i = 0; i < (n) / 2; i++) {                                                  \
        to[2 * i] = from[i];                                                             \
        to[2 * i + 1] = from[i + (n) / 2];                                               \
    }

/* Defines a function for elements of one width, in rows of len bytes. */
#define TILES(name, T, len)                                                              \
    static void name(const OpTiles *t)                                                   \
    {                                                                                    \
        for (int64_t r = 0; r < t->n; r++) {                                             \
            T a[TILE_ROWS * (len) / sizeof(T)], b[TILE_ROWS * (len) / sizeof(T)];        \
            for (int i = 0; i < TILE_ROWS; i++) {                                        \
                memcpy((uint8_t *)a + i * (len), t->src[i] + r * t->src_step, len);      \
            }                                                                            \
            ROUND(b, a, TILE_ROWS *(len) / (int)sizeof(T))                               \
            ROUND(a, b, TILE_ROWS *(len) / (int)sizeof(T))                               \
            ROUND(b, a, TILE_ROWS *(len) / (int)sizeof(T))                               \
            ROUND(a, b, TILE_ROWS *(len) / (int)sizeof(T))                               \
            for (int i = 0; i < TILE_ROWS; i++) {                                        \
                memcpy(t->dst[i] + r * t->dst_step, (uint8_t *)a + i * (len), len);      \
            }                                                                            \
        }                                                                                \
    }

TILES(of8, uint8_t, 16)
TILES(of16, uint16_t, 32)
TILES(of32, uint32_t, 32)

#elif LANES_HERE
#include <immintrin.h>

#define PART LANES_ATTR static inline

#if defined(__clang__)
#define TILES_UNROLL _Pragma("clang loop unroll(full)")
#else
#define TILES_UNROLL _Pragma("GCC unroll 32")
#endif

/* Defines the transpose of n vectors of n elements; low and high interleave two. */
#define SQUARE(name, V, n, low, high)                                                    \
    PART void name(V *v)                                                                 \
    {                                                                                    \
        TILES_UNROLL                                                                     \
        for (int round = 1; round < (n); round *= 2) {                                   \
            V to[n];                                                                     \
            TILES_UNROLL                                                                 \
            for (int i = 0; i < (n) / 2; i++) {                                          \
                to[2 * i] = low(v[i], v[i + (n) / 2]);                                   \
                to[2 * i + 1] = high(v[i], v[i + (n) / 2]);                              \
            }                                                                            \
            TILES_UNROLL                                                                 \
            for (int i = 0; i < (n); i++) {                                              \
                v[i] = to[i];                                                            \
            }                                                                            \
        }                                                                                \
    }

SQUARE(square8, __m128i, 16, _mm_unpacklo_epi8, _mm_unpackhi_epi8)
SQUARE(square16, __m256i, 8, _mm256_unpacklo_epi16, _mm256_unpackhi_epi16)

PART __m128i
piece(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

PART __m256i
pieces2(const uint8_t *p, const uint8_t *q)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(piece(p)), piece(q), 1);
}

PART void
store128(uint8_t *p, __m128i v)
{
    _mm_storeu_si128((__m128i *)(void *)p, v);
}

PART void
store256(uint8_t *p, __m256i v)
{
    _mm256_storeu_si256((__m256i *)(void *)p, v);
}

/* Asks for the lines that are needed in the place of these rows soon. */
PART void
ask_ahead(const OpTiles *t, int64_t from)
{
    if (t->ahead != 0) {
        TILES_UNROLL
        for (int i = 0; i < TILE_ROWS; i++) {
            _mm_prefetch((const char *)t->src[i] + from + t->ahead, _MM_HINT_T1);
        }
    }
}

/* Transposes one tile. to and from are bytes from the first repeat. */
PART void
one8(const OpTiles *t, int64_t to, int64_t from)
{
    __m128i v[TILE_ROWS];
    TILES_UNROLL
    for (int i = 0; i < TILE_ROWS; i++) {
        v[i] = piece(t->src[i] + from);
    }
    square8(v);
    TILES_UNROLL
    for (int i = 0; i < TILE_ROWS; i++) {
        store128(t->dst[i] + to, v[i]);
    }
}

PART void
one16(const OpTiles *t, int64_t to, int64_t from)
{
    __m256i v[TILE_ROWS];
    TILES_UNROLL
    for (int i = 0; i < TILE_ROWS; i++) {
        const uint8_t *const *rows = t->src + i % 8;
        int64_t off = from + i / 8 * 16;
        v[i] = pieces2(rows[0] + off, rows[8] + off);
    }
    square16(v);
    square16(v + 8);
    TILES_UNROLL
    for (int i = 0; i < TILE_ROWS; i++) {
        store256(t->dst[i] + to, v[i]);
    }
}

#if defined(LANES_AT_avx2)

SQUARE(squares8, __m256i, 16, _mm256_unpacklo_epi8, _mm256_unpackhi_epi8)
SQUARE(square32, __m256i, 4, _mm256_unpacklo_epi32, _mm256_unpackhi_epi32)

enum {
    TOGETHER8 = 2,
    TOGETHER16 = 1,
    TOGETHER32 = 1
};

PART void
some8(const OpTiles *t, int64_t to, int64_t from)
{
    __m256i v[TILE_ROWS];
    TILES_UNROLL
    for (int i = 0; i < TILE_ROWS; i++) {
        const uint8_t *row = t->src[i] + from;
        v[i] = pieces2(row, row + t->src_step);
    }
    squares8(v);
    TILES_UNROLL
    for (int i = 0; i < TILE_ROWS; i++) {
        store128(t->dst[i] + to, _mm256_castsi256_si128(v[i]));
    }
    TILES_UNROLL
    for (int i = 0; i < TILE_ROWS; i++) {
        store128(t->dst[i] + to + t->dst_step, _mm256_extracti128_si256(v[i], 1));
    }
}

#define some16 one16
#define two16  one16

/* Vectors 0 to 7 are columns of the first eight rows, the others of the last ones. */
PART void
one32(const OpTiles *t, int64_t to, int64_t from)
{
    __m256i v[TILE_ROWS];
    TILES_UNROLL
    for (int i = 0; i < TILE_ROWS; i++) {
        const uint8_t *const *rows = t->src + i / 8 * 8 + i % 4;
        int64_t off = from + i % 8 / 4 * 16;
        v[i] = pieces2(rows[0] + off, rows[4] + off);
    }
    TILES_UNROLL
    for (int i = 0; i < TILE_ROWS; i += 4) {
        square32(v + i);
    }
    TILES_UNROLL
    for (int i = 0; i < TILE_ROWS; i++) {
        store256(t->dst[i] + to, v[i % 2 * 8 + i / 2]);
    }
}

#define two32 one32

#else

SQUARE(squares8, __m512i, 16, _mm512_unpacklo_epi8, _mm512_unpackhi_epi8)
SQUARE(squares16, __m512i, 8, _mm512_unpacklo_epi16, _mm512_unpackhi_epi16)
SQUARE(square32, __m512i, 4, _mm512_unpacklo_epi32, _mm512_unpackhi_epi32)

enum {
    TOGETHER8 = 4,
    TOGETHER16 = 2,
    TOGETHER32 = 2
};

PART __m512i
joined(__m256i low, __m256i high)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

#define STORE8(r)                                                                        \
    TILES_UNROLL                                                                         \
    for (int i = 0; i < TILE_ROWS; i++) {                                                \
        store128(t->dst[i] + to + (r) * t->dst_step,                                     \
                 _mm512_extracti32x4_epi32(v[i], r));                                    \
    }

PART void
some8(const OpTiles *t, int64_t to, int64_t from)
{
    __m512i v[TILE_ROWS];
    const int64_t step = t->src_step;
    TILES_UNROLL
    for (int i = 0; i < TILE_ROWS; i++) {
        const uint8_t *row = t->src[i] + from;
        v[i] = joined(pieces2(row, row + step), pieces2(row + 2 * step, row + 3 * step));
    }
    ask_ahead(t, from);
    ask_ahead(t, from + 2 * step);
    squares8(v);
    STORE8(0)
    STORE8(1)
    STORE8(2)
    STORE8(3)
}

PART void
some16(const OpTiles *t, int64_t to, int64_t from)
{
    __m512i v[TILE_ROWS];
    TILES_UNROLL
    for (int i = 0; i < TILE_ROWS; i++) {
        const uint8_t *const *rows = t->src + i % 8;
        int64_t off = from + i / 8 * 16, next = off + t->src_step;
        v[i] = joined(pieces2(rows[0] + off, rows[8] + off),
                      pieces2(rows[0] + next, rows[8] + next));
    }
    squares16(v);
    squares16(v + 8);
    TILES_UNROLL
    for (int i = 0; i < TILE_ROWS; i++) {
        store256(t->dst[i] + to, _mm512_castsi512_si256(v[i]));
    }
    TILES_UNROLL
    for (int i = 0; i < TILE_ROWS; i++) {
        store256(t->dst[i] + to + t->dst_step, _mm512_extracti64x4_epi64(v[i], 1));
    }
}

PART void
one32(const OpTiles *t, int64_t to, int64_t from)
{
    __m512i v[TILE_ROWS / 2];
    TILES_UNROLL
    for (int i = 0; i < TILE_ROWS / 2; i++) {
        const uint8_t *const *rows = t->src + i % 4;
        int64_t off = from + i / 4 * 16;
        v[i] = joined(pieces2(rows[0] + off, rows[4] + off),
                      pieces2(rows[8] + off, rows[12] + off));
    }
    square32(v);
    square32(v + 4);
    TILES_UNROLL
    for (int i = 0; i < TILE_ROWS / 2; i++) {
        store256(t->dst[2 * i] + to, _mm512_castsi512_si256(v[i]));
        store256(t->dst[2 * i + 1] + to, _mm512_extracti64x4_epi64(v[i], 1));
    }
}

/* Two repeats whose rows follow each other: a row of both is one vector, so that a line
 * of memory is read at once. */
PART void
rows_of_two(const OpTiles *t, int64_t from, __m512i *v)
{
    TILES_UNROLL
    for (int i = 0; i < TILE_ROWS; i++) {
        v[i] = _mm512_loadu_si512(t->src[i] + from);
    }
    ask_ahead(t, from);
}

/* Joins a piece of each of two vectors: those of the first repeat, those of the second
 * one. */
#define PIECES_LOW  _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11)
#define PIECES_HIGH _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15)

PART void
two16(const OpTiles *t, int64_t to, int64_t from)
{
    __m512i v[TILE_ROWS];
    rows_of_two(t, from, v);
    squares16(v);
    squares16(v + TILE_ROWS / 2);
    TILES_UNROLL
    for (int i = 0; i < TILE_ROWS / 2; i++) {
        __m512i first = _mm512_permutex2var_epi64(v[i], PIECES_LOW, v[i + 8]);
        v[i + 8] = _mm512_permutex2var_epi64(v[i], PIECES_HIGH, v[i + 8]);
        v[i] = first;
    }
    TILES_UNROLL
    for (int i = 0; i < 2 * TILE_ROWS; i++) {
        __m512i columns = v[i / TILE_ROWS * 8 + i % 8];
        __m256i column = i % TILE_ROWS < 8 ? _mm512_castsi512_si256(columns)
                                           : _mm512_extracti64x4_epi64(columns, 1);
        store256(t->dst[i % TILE_ROWS] + to + i / TILE_ROWS * t->dst_step, column);
    }
}

/* Joins piece p of four vectors, which are rows 0 to 15 of a column. */
PART __m512i
column32(const __m512i *v, int p)
{
    const __m512i index = p % 2 == 0 ? _mm512_setr_epi64(0, 1, 8, 9, 0, 1, 8, 9)
                                     : _mm512_setr_epi64(2, 3, 10, 11, 2, 3, 10, 11);
    const __m512i by = p < 2 ? _mm512_setzero_si512() : _mm512_set1_epi64(4);
    const __m512i all = _mm512_add_epi64(index, by);
    __m512i low = _mm512_permutex2var_epi64(v[0], all, v[4]);
    __m512i high = _mm512_permutex2var_epi64(v[8], all, v[12]);
    return _mm512_mask_blend_epi64(0xf0, low, high);
}

PART void
two32(const OpTiles *t, int64_t to, int64_t from)
{
    __m512i v[TILE_ROWS];
    rows_of_two(t, from, v);
    TILES_UNROLL
    for (int i = 0; i < TILE_ROWS; i += 4) {
        square32(v + i);
    }
    TILES_UNROLL
    for (int i = 0; i < TILE_ROWS; i++) {
        __m512i column = column32(v + i % 4, i / 4);
        int64_t at = to + i / 8 * t->dst_step;
        store256(t->dst[i % 8 * 2] + at, _mm512_castsi512_si256(column));
        store256(t->dst[i % 8 * 2 + 1] + at, _mm512_extracti64x4_epi64(column, 1));
    }
}

#endif

LANES_ATTR static void
of8(const OpTiles *t)
{
    int64_t r = 0;
    for (; t->apart && r + TOGETHER8 <= t->n; r += TOGETHER8) {
        some8(t, r * t->dst_step, r * t->src_step);
    }
    for (; r < t->n; r++) {
        one8(t, r * t->dst_step, r * t->src_step);
    }
}

/* Returns whether the rows of a repeat follow those of the one before. */
LANES_ATTR static bool
follows(const OpTiles *t)
{
    return t->apart && t->src_step == 2 * (int64_t)sizeof(__m128i);
}

LANES_ATTR static void
of16(const OpTiles *t)
{
    int64_t r = 0;
    for (; follows(t) && r + TOGETHER16 <= t->n; r += TOGETHER16) {
        two16(t, r * t->dst_step, r * t->src_step);
    }
    for (; t->apart && r + TOGETHER16 <= t->n; r += TOGETHER16) {
        some16(t, r * t->dst_step, r * t->src_step);
    }
    for (; r < t->n; r++) {
        one16(t, r * t->dst_step, r * t->src_step);
    }
}

LANES_ATTR static void
of32(const OpTiles *t)
{
    int64_t r = 0;
    for (; follows(t) && r + TOGETHER32 <= t->n; r += TOGETHER32) {
        two32(t, r * t->dst_step, r * t->src_step);
    }
    for (; r < t->n; r++) {
        one32(t, r * t->dst_step, r * t->src_step);
    }
}

#endif

#if LANES_HERE
const TilesTable LANES_NAME(tiles) = {.of8 = of8, .of16 = of16, .of32 = of32};
#else
const TilesTable LANES_NAME(tiles) = {0};
#endif
