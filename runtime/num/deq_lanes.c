/* deq_lanes.c: a table of conversions out of L0C; num/deq.h describes their results,
 * num/lanes.h the levels for which it is compiled. */
#include "num/deq.h"
#include "num/lanes.h"

#if LANES_HERE
#include <string.h>

#include "num/half.h"

#if LANES_F16C
#include <immintrin.h>
#endif

#define PART LANES_ATTR static inline

/* Returns the element after the shift. */
PART int32_t
shifted(int32_t a, int32_t n)
{
    int32_t v = a >> n;
    v = v < INT16_MIN ? INT16_MIN : v;
    return v > INT16_MAX ? INT16_MAX : v;
}

/* Returns the nearest integer, clamped to lo..255 with lo = -256 or 0. Rounding keeps the
 * order of numbers, so clamping first gives the same. */
PART int32_t
rounded_number(float p, float lo)
{
    const float whole = 0x1.8p23f; /* floats from here on are integers */
    float c = p > lo ? p : lo;
    c = c < 255.0f ? c : 255.0f;
    return (int32_t)((c + whole) - whole);
}

/* Returns the same of NaN too, which is 0. */
PART int32_t
rounded(float p, float lo)
{
    return rounded_number(p == p ? p : 0.0f, lo);
}

PART int32_t
clamped(int32_t v, int32_t lo, int32_t hi)
{
    v = v < lo ? lo : v;
    return v > hi ? hi : v;
}

/* Saturates before rounding. Numbers between the largest one and the limit of infinity
 * would round down in any case. */
PART float
limited(float p, float limit, bool keep)
{
    float c = (keep | (p == p)) ? p : 0.0f;
    c = c > limit ? limit : c;
    return c < -limit ? -limit : c;
}

/* Returns p, the product of an element, or 0 where the gate or relu cuts it off. */
PART float
gated(bool off, float p)
{
    return off ? 0.0f : p;
}

/* A copy of the parameters that are the same for all elements, so that the compiler knows
 * that storing results does not change them. */
typedef struct Fixed {
    float lo, half_most, bfloat_most;
    bool relu, gate, keep;
} Fixed;

PART Fixed
fixed_of(const NumDeq *d)
{
    return (Fixed){.lo = d->relu ? 0.0f : -256.0f,
                   .half_most = d->keep ? float_of_bits(0x7f800000u) : 65504.0f,
                   .bfloat_most = float_of_bits(d->keep ? 0x7f800000u : 0x7f7f0000u),
                   .relu = d->relu,
                   .gate = d->gate,
                   .keep = d->keep};
}

PART float
rectified(float p, const Fixed *c)
{
    float r = p > 0.0f ? p : 0.0f;
    r = (c->keep & (p != p)) ? p : r;
    return c->relu ? r : p;
}

/* Elements that a loop of a constant length computes, and their parameters. */
enum {
    GROUP = 64
};

typedef struct Group {
    float m[GROUP];
    int32_t shift[GROUP], offset[GROUP];
} Group;

PART void
open_group(Group *g, const NumDeq *d)
{
    for (int i = 0; i < GROUP; i += DEQ_CHANNELS) {
        memcpy(g->m + i, d->m, sizeof d->m);
        memcpy(g->shift + i, d->n, sizeof d->n);
        memcpy(g->offset + i, d->offset, sizeof d->offset);
    }
}

/* Defines a loop that writes n results. value is an expression of the element a, its
 * place k in a group, and the parameters c and g. */
#define DEQ(name, S, D, value)                                                           \
    LANES_ATTR static void name(void *dst, const void *src, int64_t n, const NumDeq *q)  \
    {                                                                                    \
        const Fixed c = fixed_of(q);                                                     \
        Group g;                                                                         \
        const S *p = src;                                                                \
        D *d = dst;                                                                      \
        open_group(&g, q);                                                               \
        (void)c;                                                                         \
        for (; n >= GROUP; n -= GROUP, p += GROUP, d += GROUP) {                         \
            LANES_LOOP                                                                   \
            for (int k = 0; k < GROUP; k++) {                                            \
                const S a = p[k];                                                        \
                d[k] = (D)(value);                                                       \
            }                                                                            \
        }                                                                                \
        LANES_LOOP                                                                       \
        for (int k = 0; k < (int)n; k++) {                                               \
            const S a = p[k];                                                            \
            d[k] = (D)(value);                                                           \
        }                                                                                \
    }

#define PRODUCT       gated(c.gate &(a < 0), (float)a *g.m[k])
#define PRODUCT_SHIFT gated(c.gate &(a < 0), (float)shifted(a, g.shift[k]) * g.m[k])
#define TO_S8(p)      clamped(rounded(p, c.lo) + g.offset[k], -128, 127)
#define TO_U8(p)      clamped(rounded(p, c.lo) + g.offset[k], 0, 255)
#define TO_BF16(p)    bfloat_from_float(limited(rectified(p, &c), c.bfloat_most, c.keep))

/* Products of integers are numbers where all factors are; then comparisons with limits
 * are all there is. */
#define NUMBER(a) rounded_number((float)(a) * g.m[k], c.lo) + g.offset[k]

PART bool
are_numbers(const NumDeq *d)
{
    bool numbers = !d->gate;
    for (int i = 0; i < DEQ_CHANNELS; i++) {
        float none = d->m[i] - d->m[i];
        numbers = numbers && none == 0.0f;
    }
    return numbers;
}

#if LANES_F16C == 16
/* Returns 16 results before the offset. */
PART __m512i
rounded16(const void *src, __m512 m, __m512 lo)
{
    __m512 p = _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_loadu_si512(src)), m);
    p = _mm512_min_ps(_mm512_max_ps(p, lo), _mm512_set1_ps(255.0f));
    return _mm512_cvtps_epi32(p);
}

/* Writes 64 results at a time. Packing to int16 and to bytes saturates, which is what the
 * last step asks for; it leaves words of four results in columns of a 4 x 4 matrix.
 * Returns how many results it has written. */
PART int64_t
pack_numbers(uint8_t *dst, const AnyS32 *src, int64_t n, const NumDeq *q)
{
    const __m512 m = _mm512_loadu_ps(q->m), lo = _mm512_set1_ps(fixed_of(q).lo);
    const __m512i wide = _mm512_loadu_si512(q->offset);
    const __m512i offset = _mm512_packs_epi32(wide, wide);
    const __m512i order =
        _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    int64_t i = 0;
    for (; i + GROUP <= n; i += GROUP) {
        __m512i v[GROUP / DEQ_CHANNELS];
        for (int j = 0; j < GROUP / DEQ_CHANNELS; j++) {
            v[j] = rounded16(src + i + (ptrdiff_t)j * DEQ_CHANNELS, m, lo);
        }
        __m512i a = _mm512_add_epi16(_mm512_packs_epi32(v[0], v[1]), offset);
        __m512i b = _mm512_add_epi16(_mm512_packs_epi32(v[2], v[3]), offset);
        __m512i r =
            q->dst == NUM_S8 ? _mm512_packs_epi16(a, b) : _mm512_packus_epi16(a, b);
        _mm512_storeu_si512(dst + i, _mm512_permutexvar_epi32(order, r));
    }
    return i;
}
#else
PART int64_t
pack_numbers(uint8_t *dst, const AnyS32 *src, int64_t n, const NumDeq *q)
{
    (void)dst, (void)src, (void)n, (void)q;
    return 0;
}
#endif

DEQ(s32_s8_loop, AnyS32, AnyS8, clamped(NUMBER(a), -128, 127))
DEQ(s32_s8_any, AnyS32, AnyS8, TO_S8(PRODUCT))
DEQ(s32_u8_loop, AnyS32, AnyU8, clamped(NUMBER(a), 0, 255))
DEQ(s32_u8_any, AnyS32, AnyU8, TO_U8(PRODUCT))

LANES_ATTR static void
s32_s8_numbers(void *dst, const void *src, int64_t n, const NumDeq *q)
{
    int64_t i = pack_numbers(dst, src, n, q);
    s32_s8_loop((uint8_t *)dst + i, (const AnyS32 *)src + i, n - i, q);
}

LANES_ATTR static void
s32_u8_numbers(void *dst, const void *src, int64_t n, const NumDeq *q)
{
    int64_t i = pack_numbers(dst, src, n, q);
    s32_u8_loop((uint8_t *)dst + i, (const AnyS32 *)src + i, n - i, q);
}

LANES_ATTR static void
s32_s8(void *dst, const void *src, int64_t n, const NumDeq *q)
{
    (are_numbers(q) ? s32_s8_numbers : s32_s8_any)(dst, src, n, q);
}

LANES_ATTR static void
s32_u8(void *dst, const void *src, int64_t n, const NumDeq *q)
{
    (are_numbers(q) ? s32_u8_numbers : s32_u8_any)(dst, src, n, q);
}

DEQ(s32_s8_shift, AnyS32, AnyS8, TO_S8(PRODUCT_SHIFT))
DEQ(s32_u8_shift, AnyS32, AnyU8, TO_U8(PRODUCT_SHIFT))
DEQ(s32_s16, AnyS32, AnyS16, (c.relu & (a < 0)) ? 0 : shifted(a, g.shift[k]))

/* Makes a number of the bits of a float32. */
#define FLOAT(a)      float_of_bits(a)
#define FLOAT_PRODUCT gated(c.gate &(FLOAT(a) < 0.0f), FLOAT(a) * g.m[k])
DEQ(f32_s8, AnyU32, AnyS8, TO_S8(FLOAT_PRODUCT))
DEQ(f32_u8, AnyU32, AnyU8, TO_U8(FLOAT_PRODUCT))
DEQ(f32_bf16, AnyU32, AnyU16, TO_BF16(FLOAT(a)))
DEQ(f16_f32, AnyU16, AnyU32, float_bits_canonical(half_to_float(a)))

/* ---- to float16 ---------------------------------------------------------- */

enum {
    PIECE = 512
};

/* Writes n elements as float16; NaN is canonical. */
PART void
narrow(AnyU16 *d, const float *p, int64_t n)
{
    int64_t i = 0;
#if LANES_F16C == 8
    for (; i + 8 <= n; i += 8) {
        _mm_storeu_si128((__m128i *)(void *)(d + i),
                         _mm256_cvtps_ph(_mm256_loadu_ps(p + i), 0));
    }
#elif LANES_F16C == 16
    for (; i + 16 <= n; i += 16) {
        _mm256_storeu_si256((__m256i *)(void *)(d + i),
                            _mm512_cvtps_ph(_mm512_loadu_ps(p + i), 0));
    }
#endif
    LANES_LOOP
    for (int64_t k = i; k < n; k++) {
        d[k] = half_from_float(p[k]);
    }
}

PART float
canonical(float p)
{
    return p == p ? p : float_of_bits(FLOAT_NAN);
}

DEQ(f32_limited, AnyU32, float,
    canonical(limited(rectified(FLOAT(a), &c), c.half_most, c.keep)))

LANES_ATTR static void
f32_f16(void *dst, const void *src, int64_t n, const NumDeq *q)
{
    float p[PIECE];
    for (int64_t i = 0; i < n; i += PIECE) {
        int64_t len = n - i < PIECE ? n - i : PIECE;
        f32_limited(p, (const AnyU32 *)src + i, len, q);
        narrow((AnyU16 *)dst + i, p, len);
    }
}

/* Products are made in float32, in pieces, which are then converted to float16. */
DEQ(s32_product, AnyS32, float, PRODUCT)
DEQ(s32_product_shift, AnyS32, float, PRODUCT_SHIFT)
DEQ(f16_product, AnyU16, float, half_to_float(a) * g.m[k])

PART void
by_pieces(NumDeqLanes *product, int size, void *dst, const void *src, int64_t n,
          const NumDeq *q)
{
    float p[PIECE];
    for (int64_t i = 0; i < n; i += PIECE) {
        int64_t len = n - i < PIECE ? n - i : PIECE;
        product(p, (const uint8_t *)src + i * size, len, q);
        f32_f16((uint8_t *)dst + 2 * i, p, len, q);
    }
}

#define BY_PIECES(name, product, size)                                                   \
    LANES_ATTR static void name(void *dst, const void *src, int64_t n, const NumDeq *q)  \
    {                                                                                    \
        by_pieces(product, size, dst, src, n, q);                                        \
    }

BY_PIECES(s32_f16, s32_product, 4)
BY_PIECES(s32_f16_shift, s32_product_shift, 4)
BY_PIECES(f16_f16, f16_product, 2)

/* True if the number with these bits is positive and no NaN. */
#define POSITIVE(a, inf) ((a) != 0 && (a) <= (inf))
#define IS_NAN(a, inf)   (((a) & ((inf) | ((inf) - 1))) > (inf))
#define RELU_BITS(a, inf, nan)                                                           \
    (POSITIVE(a, inf) ? (a) : (c.keep & IS_NAN(a, inf)) ? (nan) : 0u)
DEQ(relu_f16, AnyU16, AnyU16, RELU_BITS(a, 0x7c00u, HALF_NAN))
DEQ(relu_f32, AnyU32, AnyU32, RELU_BITS(a, 0x7f800000u, FLOAT_NAN))
DEQ(relu_s32, AnyS32, AnyS32, a < 0 ? 0 : a)

LANES_ATTR static void
copy16(void *dst, const void *src, int64_t n, const NumDeq *q)
{
    (void)q;
    memcpy(dst, src, (size_t)n * 2);
}

LANES_ATTR static void
copy32(void *dst, const void *src, int64_t n, const NumDeq *q)
{
    (void)q;
    memcpy(dst, src, (size_t)n * 4);
}

/* ---- rows of two groups -------------------------------------------------- */

#if LANES_F16C == 16
/* The conversion to 16 bits leaves groups of four results of either group; words of four
 * bytes are put in order at the end. */
/* Returns whether results outside of the limits are saturated when the offset is added,
 * so that the limits make no difference, and products are integers of 32 bits. */
PART bool
is_bare(const NumDeq *d)
{
    const int32_t lo = (int32_t)fixed_of(d).lo, hi = 255;
    const int32_t least = d->dst == NUM_S8 ? -128 : 0, most = least + 255;
    bool bare = true;
    for (int i = 0; i < DEQ_CHANNELS; i++) {
        bare = bare && lo + d->offset[i] <= least && hi + d->offset[i] >= most &&
               d->m[i] < 1.0f && d->m[i] > -1.0f;
    }
    return bare;
}

LANES_ATTR static void
pair_begin(NumDeqPair *p, const NumDeq *left, const NumDeq *right, bool rectify)
{
    const __m512i offset = _mm512_packs_epi32(_mm512_loadu_si512(left->offset),
                                              _mm512_loadu_si512(right->offset));
    p->sign = left->dst == NUM_S8;
    p->bare = is_bare(left) && is_bare(right);
    memcpy(p->m[0], left->m, sizeof left->m);
    memcpy(p->m[1], right->m, sizeof right->m);
    _mm512_storeu_si512(p->offset, offset);
    p->lo = fixed_of(left).lo;
    p->least = p->sign && !rectify ? -128 : 0;
}

/* The same in registers. */
typedef struct PairVectors {
    __m512 left, right, lo;
    __m512i offset, order, least;
} PairVectors;

PART __m512i
bare16(const void *src, __m512 m)
{
    return _mm512_cvtps_epi32(
        _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_loadu_si512(src)), m));
}

PART __m512i
pair_row(const PairVectors *v, bool bare, const AnyS32 *left, const AnyS32 *right)
{
    if (bare) {
        return _mm512_adds_epi16(
            _mm512_packs_epi32(bare16(left, v->left), bare16(right, v->right)),
            v->offset);
    }
    return _mm512_add_epi16(_mm512_packs_epi32(rounded16(left, v->left, v->lo),
                                               rounded16(right, v->right, v->lo)),
                            v->offset);
}

/* Packing to bytes saturates. */
PART __m512i
pair_bytes(const PairVectors *v, bool sign, __m512i a, __m512i b)
{
    __m512i r = sign ? _mm512_max_epi8(_mm512_packs_epi16(a, b), v->least)
                     : _mm512_packus_epi16(a, b);
    return _mm512_permutexvar_epi32(v->order, r);
}

/* A way of making rows. */
typedef struct Rows {
    uint8_t *to;
    int64_t pitch, n;
    const AnyS32 *left, *right;
} Rows;

/* sign and bare are constants when it is inlined. */
PART void
rows_of(const PairVectors *v, bool sign, bool bare, Rows r)
{
    const AnyS32 *left = r.left, *right = r.right;
    uint8_t *to = r.to;
    for (; r.n >= 2; r.n -= 2, to += 2 * r.pitch) {
        __m512i a = pair_row(v, bare, left, right);
        __m512i b = pair_row(v, bare, left + DEQ_CHANNELS, right + DEQ_CHANNELS);
        __m512i bytes = pair_bytes(v, sign, a, b);
        _mm256_storeu_si256((__m256i *)(void *)to, _mm512_castsi512_si256(bytes));
        _mm256_storeu_si256((__m256i *)(void *)(to + r.pitch),
                            _mm512_extracti64x4_epi64(bytes, 1));
        left += (ptrdiff_t)2 * DEQ_CHANNELS;
        right += (ptrdiff_t)2 * DEQ_CHANNELS;
    }
    if (r.n > 0) {
        __m512i a = pair_row(v, bare, left, right);
        _mm256_storeu_si256((__m256i *)(void *)to,
                            _mm512_castsi512_si256(pair_bytes(v, sign, a, a)));
    }
}

LANES_ATTR static void
pair_rows(const NumDeqPair *p, uint8_t *to, int64_t pitch, const AnyS32 *left,
          const AnyS32 *right, int64_t rows)
{
    const PairVectors v = {
        .left = _mm512_load_ps(p->m[0]),
        .right = _mm512_load_ps(p->m[1]),
        .lo = _mm512_set1_ps(p->lo),
        .offset = _mm512_load_si512(p->offset),
        .order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15),
        .least = _mm512_set1_epi8((char)p->least)};
    const Rows r = {to, pitch, rows, left, right};
    if (p->bare && p->sign) {
        rows_of(&v, true, true, r);
    } else if (p->bare) {
        rows_of(&v, false, true, r);
    } else if (p->sign) {
        rows_of(&v, true, false, r);
    } else {
        rows_of(&v, false, false, r);
    }
}

/* Writes rows of float16 out of a group of float32, at most the largest number in
 * magnitude; NaN, and with a rectified conversion what is not positive, is +0. */
LANES_ATTR static void
half_rows(const NumDeqPair *p, uint8_t *to, int64_t pitch, const AnyS32 *left,
          const AnyS32 *right, int64_t rows)
{
    const __m512 most = _mm512_set1_ps(65504.0f), least = _mm512_set1_ps(p->lo);
    const __m512 zero = _mm512_setzero_ps();
    (void)right;
    for (; rows > 0; rows--, to += pitch, left += DEQ_CHANNELS) {
        __m512 v = _mm512_castsi512_ps(_mm512_loadu_si512(left));
        __mmask16 kept = p->sign ? _mm512_cmp_ps_mask(v, v, _CMP_ORD_Q)
                                 : _mm512_cmp_ps_mask(v, zero, _CMP_GT_OQ);
        v = _mm512_min_ps(_mm512_max_ps(_mm512_maskz_mov_ps(kept, v), least), most);
        _mm256_storeu_si256((__m256i *)(void *)to, _mm512_cvtps_ph(v, 0));
    }
}

LANES_ATTR static bool
pair_suits(const NumDeq *left, const NumDeq *right)
{
    return left->src == NUM_S32 && left->scale && !left->shift && !right->shift &&
           are_numbers(left) && are_numbers(right);
}
#endif

const NumDeqTable LANES_NAME(num_deq) = {
#if LANES_F16C == 16
    .pair_suits = pair_suits,
    .pair_begin = pair_begin,
    .pair_rows = pair_rows,
    .half_rows = half_rows,
#endif
    .fn =
        {
            [DEQ_S8] = s32_s8,
            [DEQ_S8_SHIFT] = s32_s8_shift,
            [DEQ_U8] = s32_u8,
            [DEQ_U8_SHIFT] = s32_u8_shift,
            [DEQ_F32_S8] = f32_s8,
            [DEQ_F32_U8] = f32_u8,
            [DEQ_S16] = s32_s16,
            [DEQ_F16] = s32_f16,
            [DEQ_F16_SHIFT] = s32_f16_shift,
            [DEQ_F16_F16] = f16_f16,
            [DEQ_F32_F16] = f32_f16,
            [DEQ_F32_BF16] = f32_bf16,
            [DEQ_WIDEN] = f16_f32,
            [DEQ_RELU_F16] = relu_f16,
            [DEQ_RELU_F32] = relu_f32,
            [DEQ_RELU_S32] = relu_s32,
            [DEQ_COPY16] = copy16,
            [DEQ_COPY32] = copy32,
        },
};

#else
const NumDeqTable LANES_NAME(num_deq) = {0};
#endif
