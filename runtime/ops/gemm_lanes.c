/* gemm_lanes.c: inner loops of products of matrices (ops/gemm.h), compiled for each
 * level: any processor, AVX2 with F16C and FMA, AVX-512 F, BW, DQ and VL, and also the
 * products of bytes (VNNI), which take the first factor without a sign and the second one
 * with a sign. A level defines
 *
 *   LANES_ATTR          the target of every function
 *   GEMM_BYTES_V        bytes of a vector
 *   GEMM_MR             rows of a kernel
 *   GEMM_NR             columns of a kernel, 16 or 32
 *   GEMM_SPLAT_F(x), GEMM_SPLAT_I(x)   a vector of equal floats, of equal words
 *   GEMM_FMA(s, a, b)   s + a * b of vectors of floats, rounded once or twice: only for
 *                       exact products
 *   GEMM_DOT(s, a, b)   s + the products of the parts of words, of vectors of int32
 *   GEMM_QUAD           1: words of bytes are four bytes, those of the first factor
 *                       without sign; 0: two int16
 *   GEMM_F16C           1: float16 by the conversion instructions of the processor */
#include "ops/gemm.h"
#include "num/half.h"
#include "num/lanes.h"

#include <string.h>

#if LANES_HERE
#if !defined(LANES_AT_base)
#include <immintrin.h>
#endif
#undef LANES_ATTR /* a target with the products and sums of FMA */

#if defined(LANES_AT_base)

#define LANES_ATTR
#define GEMM_BYTES_V      16
#define GEMM_MR           2
#define GEMM_NR           16
#define GEMM_SPLAT_F(x)   ((Fours){(x), (x), (x), (x)})
#define GEMM_SPLAT_I(x)   ((Pairs){(x), (x), (x), (x)})
#define GEMM_FMA(s, a, b) ((s) + (a) * (b))
#define GEMM_DOT(s, a, b) dot(s, a, b)
#define GEMM_QUAD         0
#define GEMM_F16C         0

/* Pairs of int16: products of the low halves are added to those of the high halves. */
typedef int32_t Pairs __attribute__((vector_size(16), aligned(4), may_alias));
typedef float Fours __attribute__((vector_size(16)));

static inline Pairs
dot(Pairs s, Pairs a, Pairs b)
{
    return s + (a << 16 >> 16) * (b << 16 >> 16) + (a >> 16) * (b >> 16);
}

#elif defined(LANES_AT_avx2)

#define LANES_ATTR        __attribute__((target("avx2,f16c,fma")))
#define GEMM_BYTES_V      32
#define GEMM_MR           6
#define GEMM_NR           16
#define GEMM_SPLAT_F(x)   _mm256_set1_ps(x)
#define GEMM_SPLAT_I(x)   _mm256_set1_epi32(x)
#define GEMM_FMA(s, a, b) (Floats) _mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(s))
#define GEMM_DOT(s, a, b) (s) + (Ints)_mm256_madd_epi16((__m256i)(a), (__m256i)(b))
#define GEMM_QUAD         0
#define GEMM_F16C         1

#elif defined(LANES_AT_avx512)

#define LANES_ATTR        __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,f16c,fma")))
#define GEMM_BYTES_V      64
#define GEMM_MR           14
#define GEMM_NR           32
#define GEMM_SPLAT_F(x)   _mm512_set1_ps(x)
#define GEMM_SPLAT_I(x)   _mm512_set1_epi32(x)
#define GEMM_FMA(s, a, b) (Floats) _mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(s))
#define GEMM_DOT(s, a, b) (s) + (Ints)_mm512_madd_epi16((__m512i)(a), (__m512i)(b))
#define GEMM_QUAD         0
#define GEMM_F16C         1

#else

#define LANES_ATTR                                                                       \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,f16c,fma")))
#define GEMM_BYTES_V      64
#define GEMM_MR           14
#define GEMM_NR           32
#define GEMM_SPLAT_F(x)   _mm512_set1_ps(x)
#define GEMM_SPLAT_I(x)   _mm512_set1_epi32(x)
#define GEMM_FMA(s, a, b) (Floats) _mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(s))
#define GEMM_DOT(s, a, b)                                                                \
    (Ints) _mm512_dpbusd_epi32((__m512i)(s), (__m512i)(a), (__m512i)(b))
#define GEMM_QUAD 1
#define GEMM_F16C 1

#endif

#if defined(__clang__)
#define GEMM_UNROLL _Pragma("clang loop unroll(full)")
#else
#define GEMM_UNROLL _Pragma("GCC unroll 32")
#endif
#define GEMM_INLINE LANES_ATTR static inline __attribute__((always_inline))

typedef float Floats __attribute__((vector_size(GEMM_BYTES_V), aligned(4), may_alias));
typedef int32_t Ints __attribute__((vector_size(GEMM_BYTES_V), aligned(4), may_alias));

enum {
    GEMM_AHEAD =
        16, /* steps before a row of the panel is needed, in which it is fetched */
    GEMM_NEAR = 20 << 10, /* bytes of a panel that stays in the first cache */
    LANES = GEMM_BYTES_V / 4,
    VECTORS = GEMM_NR / LANES,         /* vectors of a row of sums */
    GROUP_VECTORS = GEMM_GROUP / LANES /* vectors of a group of columns */
};

/* ---- kernels ------------------------------------------------------------- */

#define GEMM_ADD_ROUNDED(s, a, b) ((s) + (a) * (b))

/* Gets the sums of the rows after these ones into the cache, which a later call begins
 * with. The sums of a product do not fit the first cache. */
GEMM_INLINE void
fetch_sums(const GemmTile *t, const int rows)
{
    enum {
        LINE = 64
    };
    for (int g = 0; g < GEMM_NR / GEMM_GROUP && !t->first; g++) {
        const uint8_t *next = (const uint8_t *)t->c[g] + rows * LINE;
        GEMM_UNROLL for (int i = 0; i < rows; i++)
        {
            __builtin_prefetch(next + i * LINE);
        }
    }
}

#if GEMM_BYTES_V == 64
/* The processor replaces classes of numbers by a table of four bits for each: NaN, NaN,
 * zero, one, -infinity, infinity, negative, positive. 0 is the first operand, 1 the
 * second one, 8 is +0, 14 and 15 the largest number and its negative. */
enum {
    FINITE = 0xef0088,
    CANONICAL = 0x11111100
};

GEMM_INLINE Floats
ended(Floats s, GemmEnd end, Ints table)
{
    const __m512i nan = _mm512_set1_epi32((int)FLOAT_NAN);
    return end == GEMM_END_FINITE
               ? (Floats)_mm512_fixupimm_ps((__m512)s, (__m512)s, (__m512i)table, 0)
               : (Floats)_mm512_fixupimm_ps(_mm512_castsi512_ps(nan), (__m512)s,
                                            (__m512i)table, 0);
}

/* The table is made where it is used: as a constant it would occupy a register that the
 * sums need. */
GEMM_INLINE Ints
table_of(GemmEnd end)
{
    int table = end == GEMM_END_FINITE ? FINITE : CANONICAL;
    __asm__ volatile("" : "+r"(table));
    return (Ints)_mm512_set1_epi32(table);
}
#else
enum {
    MAGNITUDE = 0x7fffffff,
    INFINITE = 0x7f800000
};

/* The bits of the largest number are those of infinity less 1; comparisons give -1. */
GEMM_INLINE Floats
ended(Floats s, GemmEnd end, Ints table)
{
    Ints bits = (Ints)s, size = bits & MAGNITUDE, number = size <= INFINITE;
    (void)table;
    return end == GEMM_END_FINITE
               ? (Floats)((bits + (size == INFINITE)) & number)
               : (Floats)((bits & number) | (~number & (int32_t)FLOAT_NAN));
}

GEMM_INLINE Ints
table_of(GemmEnd end)
{
    (void)end;
    return (Ints){0};
}
#endif

GEMM_INLINE void
end_floats(Floats (*sum)[VECTORS], const int rows, GemmEnd end)
{
    const Ints table = table_of(end);
    GEMM_UNROLL for (int i = 0; i < rows; i++)
    {
        GEMM_UNROLL for (int v = 0; v < VECTORS; v++)
        {
            sum[i][v] = ended(sum[i][v], end, table);
        }
    }
}

/* Goes on to the rows after the first n. */
#define GEMM_SKIP(part, T, n)                                                            \
    ((part).rows -= (n), (part).a = (const uint8_t *)(part).a + (n) * (part).pitch,      \
     (part).start += (part).start != NULL ? (n) : 0,                                     \
     (part).c[0] = (T *)(part).c[0] + (n) * GEMM_GROUP,                                  \
     (part).c[1] = (T *)(part).c[1] + (n) * GEMM_GROUP)

/* Rows of the first factor: packed ones are a constant apart. Of others every fifth one
 * has a pointer, which the compiler is kept from joining: with a register for the
 * distance of each row there are too few. */
enum {
    GEMM_BASE = 5
};
#define GEMM_FROM_PACKED(t, rows)                                                        \
    const int64_t pitch = GEMM_PITCH * 4;                                                \
    const uint8_t *base[(GEMM_MR + GEMM_BASE - 1) / GEMM_BASE];                          \
    GEMM_UNROLL for (int i = 0; i < (rows); i += GEMM_BASE)                              \
    {                                                                                    \
        base[i / GEMM_BASE] = (const uint8_t *)(t)->a + i * pitch;                       \
    }
#define GEMM_FROM_PLACE(t, rows)                                                         \
    const int64_t pitch = (t)->pitch;                                                    \
    const uint8_t *base[(GEMM_MR + GEMM_BASE - 1) / GEMM_BASE];                          \
    GEMM_UNROLL for (int i = 0; i < (rows); i += GEMM_BASE)                              \
    {                                                                                    \
        const uint8_t *at = (const uint8_t *)(t)->a + i * pitch;                         \
        __asm__("" : "+r"(at));                                                          \
        base[i / GEMM_BASE] = at;                                                        \
    }
#define GEMM_ROW(i) (base[(i) / GEMM_BASE] + (i) % GEMM_BASE * pitch)

/* Defines a kernel, which keeps sums in registers over all steps. rows is a constant when
 * it is inlined. */
#define GEMM_KERNEL(name, V, T, STEP, START, SPLAT, END, FROM)                           \
    GEMM_INLINE void name##_rows(const GemmTile *t, const int rows, const bool far)      \
    {                                                                                    \
        V sum[GEMM_MR][VECTORS];                                                         \
        FROM(t, rows)                                                                    \
        fetch_sums(t, rows);                                                             \
        const T *b = t->b;                                                               \
        GEMM_UNROLL for (int i = 0; i < rows; i++)                                       \
        {                                                                                \
            GEMM_UNROLL for (int v = 0; v < VECTORS; v++)                                \
            {                                                                            \
                const T *c = (const T *)t->c[v / GROUP_VECTORS] + i * GEMM_GROUP +       \
                             v % GROUP_VECTORS * LANES;                                  \
                V zero = {0};                                                            \
                sum[i][v] = t->first ? zero : *(const V *)(const void *)c;               \
                START(sum[i][v], i)                                                      \
            }                                                                            \
        }                                                                                \
        const int64_t every = t->every != 0 ? t->every : t->steps;                       \
        int64_t k = 0;                                                                   \
        do {                                                                             \
            const int64_t stop = t->steps - k < every ? t->steps : k + every;            \
            for (; k < stop; k++) {                                                      \
                V bv[VECTORS];                                                           \
                GEMM_UNROLL for (int v = 0; v < VECTORS; v++)                            \
                {                                                                        \
                    bv[v] = *(const V *)(const void *)(b + k * GEMM_NR + v * LANES);     \
                    if (far) {                                                           \
                        __builtin_prefetch(b + (k + GEMM_AHEAD) * GEMM_NR + v * LANES);  \
                    }                                                                    \
                }                                                                        \
                GEMM_UNROLL for (int i = 0; i < rows; i++)                               \
                {                                                                        \
                    V av = (V)SPLAT(*(const T *)(const void *)(GEMM_ROW(i) + 4 * k));    \
                    GEMM_UNROLL for (int v = 0; v < VECTORS; v++)                        \
                    {                                                                    \
                        sum[i][v] = STEP(sum[i][v], av, bv[v]);                          \
                    }                                                                    \
                }                                                                        \
            }                                                                            \
            END(sum, rows, t->end)                                                       \
        } while (k < t->steps);                                                          \
        GEMM_UNROLL for (int i = 0; i < rows; i++)                                       \
        {                                                                                \
            GEMM_UNROLL for (int v = 0; v < VECTORS; v++)                                \
            {                                                                            \
                T *c = (T *)t->c[v / GROUP_VECTORS] + i * GEMM_GROUP +                   \
                       v % GROUP_VECTORS * LANES;                                        \
                *(V *)(void *)c = sum[i][v];                                             \
            }                                                                            \
        }                                                                                \
    }                                                                                    \
    LANES_ATTR static void name(const GemmTile *t)                                       \
    {                                                                                    \
        if (t->rows == GEMM_MR && t->steps * GEMM_NR * 4 > GEMM_NEAR) {                  \
            name##_rows(t, GEMM_MR, true);                                               \
            return;                                                                      \
        }                                                                                \
        if (t->rows == GEMM_MR) {                                                        \
            name##_rows(t, GEMM_MR, false);                                              \
            return;                                                                      \
        }                                                                                \
        GemmTile part = *t;                                                              \
        for (; part.rows >= 4; GEMM_SKIP(part, T, 4)) {                                  \
            name##_rows(&part, GEMM_MR < 4 ? 1 : 4, false);                              \
        }                                                                                \
        for (; part.rows >= 1; GEMM_SKIP(part, T, 1)) {                                  \
            name##_rows(&part, 1, false);                                                \
        }                                                                                \
    }

#define GEMM_NO_START(sum, i)
#define GEMM_NO_END(sum, rows, end)
#define GEMM_END_FLOATS(sum, rows, end)                                                  \
    if ((end) == GEMM_END_FINITE) {                                                      \
        end_floats(sum, rows, GEMM_END_FINITE);                                          \
    } else if ((end) == GEMM_END_CANONICAL) {                                            \
        end_floats(sum, rows, GEMM_END_CANONICAL);                                       \
    }
#define GEMM_ADD_START(sum, i) sum += t->start[i];

GEMM_KERNEL(multiply_exact, Floats, AnyF32, GEMM_FMA, GEMM_NO_START, GEMM_SPLAT_F,
            GEMM_END_FLOATS, GEMM_FROM_PACKED)
GEMM_KERNEL(multiply_floats, Floats, AnyF32, GEMM_ADD_ROUNDED, GEMM_NO_START,
            GEMM_SPLAT_F, GEMM_END_FLOATS, GEMM_FROM_PACKED)
#if GEMM_QUAD
#define GEMM_TOD(s, a, b) GEMM_DOT(s, b, a)
GEMM_KERNEL(multiply_unsigned, Ints, AnyS32, GEMM_DOT, GEMM_NO_START, GEMM_SPLAT_I,
            GEMM_NO_END, GEMM_FROM_PLACE)
GEMM_KERNEL(multiply_signed, Ints, AnyS32, GEMM_TOD, GEMM_ADD_START, GEMM_SPLAT_I,
            GEMM_NO_END, GEMM_FROM_PLACE)

/* The instruction multiplies bytes without sign by bytes with one. */
LANES_ATTR static void
multiply_ints(const GemmTile *t)
{
    (t->start != NULL ? multiply_signed : multiply_unsigned)(t);
}

/* The second factor is 128 too large where the first one has a sign (panel_bytes), so
 * sums begin with -128 times the sums of the rows. */
LANES_ATTR static void
row_start(int32_t *start, const GemmTile *t)
{
    enum {
        AT_ONCE = 4
    };
    const __m512i by = _mm512_set1_epi8((char)128);
    for (int i = 0; i < t->rows; i += AT_ONCE) {
        __m512i sum[AT_ONCE] = {{0}};
        const uint8_t *row[AT_ONCE];
        for (int j = 0; j < AT_ONCE; j++) {
            int last = t->rows - 1;
            row[j] = (const uint8_t *)t->a + (i + j < last ? i + j : last) * t->pitch;
        }
        for (int64_t k = 0; k < t->steps; k += LANES) {
            int64_t left = t->steps - k;
            __mmask16 some = left < LANES ? (__mmask16)((1u << left) - 1) : 0xffff;
            GEMM_UNROLL for (int j = 0; j < AT_ONCE; j++)
            {
                __m512i v = _mm512_maskz_loadu_epi32(some, row[j] + 4 * k);
                sum[j] = _mm512_dpbusd_epi32(sum[j], by, v);
            }
        }
        for (int j = 0; j < AT_ONCE && i + j < t->rows; j++) {
            start[i + j] = (int32_t)(0u - (uint32_t)_mm512_reduce_add_epi32(sum[j]));
        }
    }
}
#else
GEMM_KERNEL(multiply_ints, Ints, AnyS32, GEMM_DOT, GEMM_NO_START, GEMM_SPLAT_I,
            GEMM_NO_END, GEMM_FROM_PACKED)
#endif

/* ---- the first factor ---------------------------------------------------- */

LANES_ATTR static void
row_half(void *out, const uint8_t *const *runs, int64_t n, bool sign)
{
    float *to = out;
    (void)sign;
    for (int64_t r = 0; r < n; r++, to += 16) {
#if GEMM_BYTES_V == 64
        _mm512_storeu_ps(to, _mm512_cvtph_ps(_mm256_loadu_si256(
                                 (const __m256i *)(const void *)runs[r])));
#elif GEMM_F16C
        const uint8_t *at = runs[r];
        _mm256_storeu_ps(
            to, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)at)));
        _mm256_storeu_ps(to + 8, _mm256_cvtph_ps(_mm_loadu_si128(
                                     (const __m128i *)(const void *)(at + 16))));
#else
        uint16_t h[16];
        memcpy(h, runs[r], sizeof h);
        for (int i = 0; i < 16; i++) {
            to[i] = half_to_float(h[i]);
        }
#endif
    }
}

#if GEMM_F16C
LANES_ATTR static void
block_half(const GemmBlock *b)
{
    float *row = b->out;
    for (int64_t i = 0; i < b->rows; i++, row += GEMM_PITCH) {
        const uint8_t *at = b->a + i * b->row;
        for (int64_t r = 0; r < b->runs; r++, at += b->run) {
            for (int h = 0; h < GEMM_RUN; h += GEMM_BYTES_V / 2) {
#if GEMM_BYTES_V == 64
                __m512 v = _mm512_cvtph_ps(
                    _mm256_loadu_si256((const __m256i *)(const void *)at));
                _mm512_storeu_ps(row + 16 * r, v);
#else
                __m256 v = _mm256_cvtph_ps(
                    _mm_loadu_si128((const __m128i *)(const void *)(at + h)));
                _mm256_storeu_ps(row + 16 * r + h / 2, v);
#endif
            }
        }
    }
}
#endif

LANES_ATTR static void
row_bfloat(void *out, const uint8_t *const *runs, int64_t n, bool sign)
{
    uint32_t *to = out;
    (void)sign;
    for (int64_t r = 0; r < n; r++, to += 16) {
        uint16_t h[16];
        memcpy(h, runs[r], sizeof h);
        for (int i = 0; i < 16; i++) {
            to[i] = (uint32_t)h[i] << 16;
        }
    }
}

LANES_ATTR static void
row_float(void *out, const uint8_t *const *runs, int64_t n, bool sign)
{
    uint8_t *to = out;
    (void)sign;
    for (int64_t r = 0; r < n; r++) {
        memcpy(to + r * GEMM_RUN, runs[r], GEMM_RUN);
    }
}

#if GEMM_QUAD
LANES_ATTR static void
row_bytes(void *out, const uint8_t *const *runs, int64_t n, bool sign)
{
    (void)sign;
    row_float(out, runs, n, sign);
}
#else
LANES_ATTR static void
row_bytes(void *out, const uint8_t *const *runs, int64_t n, bool sign)
{
    int16_t *to = out;
    for (int64_t r = 0; r < n; r++, to += GEMM_RUN) {
        uint8_t u[GEMM_RUN];
        memcpy(u, runs[r], sizeof u);
        for (int i = 0; i < GEMM_RUN; i++) {
            to[i] = sign ? (int16_t)(int8_t)u[i] : (int16_t)u[i];
        }
    }
}
#endif

/* ---- the second factor --------------------------------------------------- */

/* Does a round of a transpose: the two halves of n elements are interleaved. */
#define GEMM_ROUND(to, from, n)                                                          \
    for (int i_ = 0; i_ < (n) / 2; i_++) {                                               \
        to[2 * i_] = from[i_];                                                           \
        to[2 * i_ + 1] = from[i_ + (n) / 2];                                             \
    }

/* Transposes 16 columns of 16 elements of 16 bits to 16 rows. */
GEMM_INLINE void
transpose16(uint16_t *x)
{
    uint16_t y[256];
    GEMM_ROUND(y, x, 256)
    GEMM_ROUND(x, y, 256)
    GEMM_ROUND(y, x, 256)
    GEMM_ROUND(x, y, 256)
}

/* Transposes 16 columns of 8 words to 8 rows. */
GEMM_INLINE void
transpose32(uint32_t *x)
{
    uint32_t y[128];
    GEMM_ROUND(y, x, 128)
    GEMM_ROUND(x, y, 128)
    GEMM_ROUND(y, x, 128)
    GEMM_ROUND(x, y, 128)
}

/* Returns the runs of the 16 columns of a group. */
GEMM_INLINE const uint8_t *
group_at(const GemmPanel *p, int64_t run, int group)
{
    return p->b + run * p->pitch + group * GEMM_GROUP * p->column;
}

/* Gets a run of the 16 columns of a group. */
GEMM_INLINE void
read_group(const GemmPanel *p, int64_t run, int group, void *x)
{
    const uint8_t *at = group_at(p, run, group);
    if (p->column == GEMM_RUN) {
        memcpy(x, at, GEMM_GROUP * GEMM_RUN);
        return;
    }
    for (int n = 0; n < GEMM_GROUP; n++) {
        memcpy((uint8_t *)x + n * GEMM_RUN, at + n * p->column, GEMM_RUN);
    }
}

/* Floats after the last term are not packed, because kernels end there. */
#define GEMM_PANEL_16(name, CONVERT)                                                     \
    LANES_ATTR static void name(const GemmPanel *p)                                      \
    {                                                                                    \
        uint32_t *out = p->out;                                                          \
        for (int64_t r = 0; r < p->runs; r++, out += 16 * GEMM_NR) {                     \
            for (int g = 0; g < GEMM_NR / GEMM_GROUP; g++) {                             \
                uint16_t x[256];                                                         \
                read_group(p, r, g, x);                                                  \
                transpose16(x);                                                          \
                for (int k = 0; k < 16; k++) {                                           \
                    uint32_t *to = out + k * GEMM_NR + g * GEMM_GROUP;                   \
                    CONVERT(to, x + 16 * k)                                              \
                }                                                                        \
            }                                                                            \
        }                                                                                \
    }

#if GEMM_F16C
#define GEMM_FROM_HALF(to, from)                                                         \
    _mm256_storeu_ps(                                                                    \
        (float *)(void *)(to),                                                           \
        _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(from))));        \
    _mm256_storeu_ps(                                                                    \
        (float *)(void *)((to) + 8),                                                     \
        _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)((from) + 8))));
#else
#define GEMM_FROM_HALF(to, from)                                                         \
    for (int i = 0; i < 16; i++) {                                                       \
        (to)[i] = float_bits(half_to_float((from)[i]));                                  \
    }
#endif
#define GEMM_FROM_BFLOAT(to, from)                                                       \
    for (int i = 0; i < 16; i++) {                                                       \
        (to)[i] = (uint32_t)(from)[i] << 16;                                             \
    }

GEMM_PANEL_16(panel_half, GEMM_FROM_HALF)
GEMM_PANEL_16(panel_bfloat, GEMM_FROM_BFLOAT)

#define GEMM_TERMS_16(name, CONVERT)                                                     \
    LANES_ATTR static void name(const GemmRows *p)                                       \
    {                                                                                    \
        uint32_t *to = p->out;                                                           \
        for (int64_t k = 0; k < p->terms; k++, to += GEMM_NR) {                          \
            for (int g = 0; g < GEMM_NR / GEMM_GROUP; g++) {                             \
                uint16_t x[GEMM_GROUP] = {0};                                            \
                if (g < p->groups) {                                                     \
                    memcpy(x, p->b + k * p->pitch + g * p->group, sizeof x);             \
                }                                                                        \
                CONVERT(to + g * GEMM_GROUP, x)                                          \
            }                                                                            \
        }                                                                                \
    }

GEMM_TERMS_16(terms_half, GEMM_FROM_HALF)
GEMM_TERMS_16(terms_bfloat, GEMM_FROM_BFLOAT)

LANES_ATTR static void
panel_float(const GemmPanel *p)
{
    uint32_t *out = p->out;
    for (int64_t r = 0; r < p->runs; r++, out += 8 * GEMM_NR) {
        for (int g = 0; g < GEMM_NR / GEMM_GROUP; g++) {
            uint32_t x[128];
            read_group(p, r, g, x);
            transpose32(x);
            for (int k = 0; k < 8; k++) {
                memcpy(out + k * GEMM_NR + g * GEMM_GROUP, x + 16 * k, 64);
            }
        }
    }
}

/* Packs the bytes of a group; those after the last term are 0. */
GEMM_INLINE void
read_bytes(const GemmPanel *p, int64_t run, int group, void *x)
{
    int64_t left = p->terms - run * GEMM_RUN;
    read_group(p, run, group, x);
    if (left < GEMM_RUN) {
        for (int n = 0; n < GEMM_GROUP; n++) {
            memset((uint8_t *)x + n * GEMM_RUN + (left < 0 ? 0 : left), 0,
                   (size_t)(GEMM_RUN - (left < 0 ? 0 : left)));
        }
    }
}

#if GEMM_QUAD
/* Four words of columns j, j + 4, j + 8 and j + 12. */
GEMM_INLINE __m512i
four_columns(const uint8_t *at, int64_t column)
{
    __m512i v =
        _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)(const void *)at));
#define GEMM_LANE(n)                                                                     \
    v = _mm512_inserti32x4(                                                              \
        v, _mm_loadu_si128((const __m128i *)(const void *)(at + 4 * (n) * column)), n)
    GEMM_LANE(1);
    GEMM_LANE(2);
    GEMM_LANE(3);
#undef GEMM_LANE
    return v;
}

/* Writes four rows of 16 words, those of four neighbouring words of each column. */
GEMM_INLINE void
four_rows(uint32_t *out, const uint8_t *at, int64_t column, __m512i flip)
{
    __m512i c0 = four_columns(at, column), c1 = four_columns(at + column, column);
    __m512i c2 = four_columns(at + 2 * column, column);
    __m512i c3 = four_columns(at + 3 * column, column);
    __m512i a = _mm512_unpacklo_epi32(c0, c1), b = _mm512_unpackhi_epi32(c0, c1);
    __m512i c = _mm512_unpacklo_epi32(c2, c3), d = _mm512_unpackhi_epi32(c2, c3);
    const __m512i row[4] = {_mm512_unpacklo_epi64(a, c), _mm512_unpackhi_epi64(a, c),
                            _mm512_unpacklo_epi64(b, d), _mm512_unpackhi_epi64(b, d)};
    GEMM_UNROLL for (int i = 0; i < 4; i++)
    {
        _mm512_storeu_si512(out + (int64_t)i * GEMM_NR, _mm512_xor_si512(row[i], flip));
    }
}

/* Beside a signed first factor the second one gets 128 added, so that it has no sign. */
LANES_ATTR static void
panel_bytes(const GemmPanel *p)
{
    uint32_t *out = p->out;
    const __m512i flip = _mm512_set1_epi8(p->a_sign ? (char)0x80 : 0);
    for (int64_t r = 0; r < p->runs; r++, out += 8 * GEMM_NR) {
        for (int g = 0; g < GEMM_NR / GEMM_GROUP; g++) {
            uint8_t rest[GEMM_GROUP * GEMM_RUN];
            const uint8_t *at = group_at(p, r, g);
            int64_t column = p->column;
            if (p->terms - r * GEMM_RUN < GEMM_RUN) {
                read_bytes(p, r, g, rest);
                at = rest;
                column = GEMM_RUN;
            }
            four_rows(out + g * GEMM_GROUP, at, column, flip);
            four_rows(out + g * GEMM_GROUP + 4 * GEMM_NR, at + 16, column, flip);
        }
    }
}
#else
LANES_ATTR static void
panel_bytes(const GemmPanel *p)
{
    uint32_t *out = p->out;
    for (int64_t r = 0; r < p->runs; r++, out += 16 * GEMM_NR) {
        for (int g = 0; g < GEMM_NR / GEMM_GROUP; g++) {
            uint16_t x[256];
            read_bytes(p, r, g, x);
            transpose16(x);
            for (int k = 0; k < 16; k++) {
                uint32_t *to = out + k * GEMM_NR + g * GEMM_GROUP;
                for (int i = 0; i < 16; i++) {
                    uint32_t lo = x[16 * k + i] & 0xffu, hi = x[16 * k + i] >> 8;
                    lo = p->b_sign ? (lo ^ 0x80u) - 0x80u : lo;
                    hi = p->b_sign ? (hi ^ 0x80u) - 0x80u : hi;
                    to[i] = (lo & 0xffffu) | hi << 16;
                }
            }
        }
    }
}
#endif

const GemmLevel LANES_NAME(gemm) = {
    .rows = GEMM_MR,
    .columns = GEMM_NR,
    .words = {[GEMM_HALF] = 16,
              [GEMM_BFLOAT] = 16,
              [GEMM_FLOAT] = 8,
              [GEMM_BYTES] = GEMM_QUAD ? 8 : 16},
#if GEMM_QUAD
    .quads = true,
    .row_start = row_start,
#endif
    .kernel = {[GEMM_HALF] = multiply_exact,
               [GEMM_BFLOAT] = multiply_floats,
               [GEMM_FLOAT] = multiply_floats,
               [GEMM_BYTES] = multiply_ints},
    .pack_row = {[GEMM_HALF] = row_half,
                 [GEMM_BFLOAT] = row_bfloat,
                 [GEMM_FLOAT] = row_float,
                 [GEMM_BYTES] = row_bytes},
#if GEMM_F16C
    .pack_block = {[GEMM_HALF] = block_half},
#endif
    .pack_panel = {[GEMM_HALF] = panel_half,
                   [GEMM_BFLOAT] = panel_bfloat,
                   [GEMM_FLOAT] = panel_float,
                   [GEMM_BYTES] = panel_bytes},
    .pack_terms = {[GEMM_HALF] = terms_half, [GEMM_BFLOAT] = terms_bfloat},
};

#else
const GemmLevel LANES_NAME(gemm) = {0};
#endif
