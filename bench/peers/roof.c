/* roof.c: the limit of the machine, measured in the same rounds as the peers: it moves
 * the bytes that a kernel must move (the same arrays, as many reads and writes) and
 * computes nothing. ROOF_STYLE says how: plain, nt (stores past the caches), ntpf (these
 * and prefetches) or movsb (copies). Of products of matrices the limit is the rate of
 * multiplications on registers. */
#include "par.h"
#include <immintrin.h>
#include <stdlib.h>
#include <string.h>

typedef enum Style {
    PLAIN,
    NT,
    NTPF,
    MOVSB
} Style;

enum {
    AHEAD = 2048
};

#ifdef __AVX512F__
typedef __m512i Vector;
#define LOAD        _mm512_load_si512
#define STORE       _mm512_store_si512
#define XOR         _mm512_xor_si512
#define STREAM_NAME "vmovntdq %1, %0"
#else
typedef __m128i Vector;
#define LOAD        _mm_load_si128
#define STORE       _mm_store_si128
#define XOR         _mm_xor_si128
#define STREAM_NAME "movntdq %1, %0"
#endif

static Style
style(void)
{
    const char *s = getenv("ROOF_STYLE");
    return s == NULL                 ? PLAIN
           : strcmp(s, "nt") == 0    ? NT
           : strcmp(s, "ntpf") == 0  ? NTPF
           : strcmp(s, "movsb") == 0 ? MOVSB
                                     : PLAIN;
}

/* In assembly, because compilers make one plain store of a plain and a streaming one in
 * two branches. */
static inline void
stream(void *p, Vector v)
{
    __asm__ volatile(STREAM_NAME : "=m"(*(Vector *)p) : "v"(v));
}

static inline void
put(Style s, uint8_t *p, Vector v)
{
    if (s == PLAIN) {
        STORE((Vector *)p, v);
    } else {
        stream(p, v);
    }
}

static inline void
ahead(Style s, const uint8_t *p, int bytes)
{
    for (int i = 0; s == NTPF && i < bytes; i += 64) {
        _mm_prefetch((const char *)p + AHEAD + i, _MM_HINT_T0);
    }
}

static inline Vector
vector_of(const uint8_t *p)
{
    return LOAD((const Vector *)p);
}

enum {
    W = sizeof(Vector),
    STEP = 256
};

static void
move(const uint8_t *x, uint8_t *z, Range r)
{
    const Style s = style();
    if (s == MOVSB) {
        void *to = z + r.from;
        const void *from = x + r.from;
        size_t bytes = (size_t)(r.to - r.from);
        __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes)::"memory");
        return;
    }
    for (int64_t i = r.from; i + STEP <= r.to; i += STEP) {
        ahead(s, x + i, STEP);
        for (int k = 0; k < STEP; k += W) {
            put(s, z + i + k, vector_of(x + i + k));
        }
    }
    _mm_sfence();
}

static void
merge(const uint8_t *x, const uint8_t *y, uint8_t *z, Range r)
{
    const Style s = style();
    for (int64_t i = r.from; i + STEP <= r.to; i += STEP) {
        ahead(s, x + i, STEP);
        ahead(s, y + i, STEP);
        for (int k = 0; k < STEP; k += W) {
            put(s, z + i + k, XOR(vector_of(x + i + k), vector_of(y + i + k)));
        }
    }
    _mm_sfence();
}

static void
widen(const uint8_t *x, uint8_t *z, Range r)
{
    const Style s = style();
    for (int64_t i = r.from; i + W <= r.to; i += W) {
        Vector v = vector_of(x + i);
        ahead(s, x + i, W);
        for (int k = 0; k < 4; k++) {
            put(s, z + 4 * i + k * W, v);
        }
    }
    _mm_sfence();
}

static void
read_all(const uint8_t *x, uint8_t *z, Range r)
{
    const Style s = style();
    Vector sums[8];
    memset(sums, 0, sizeof sums);
    for (int64_t i = r.from; i + 8 * W <= r.to; i += 8 * W) {
        ahead(s, x + i, 8 * W);
        for (int k = 0; k < 8; k++) {
            sums[k] = XOR(sums[k], vector_of(x + i + k * W));
        }
    }
    for (int k = 1; k < 8; k++) {
        sums[0] = XOR(sums[0], sums[k]);
    }
    memcpy(z, sums, sizeof sums[0]);
}

#define MOVES(name, bytes)                                                               \
    PARALLEL(name)                                                                       \
    {                                                                                    \
        move(a->in[0], a->out[0], par_share(bytes, STEP, part, parts));                  \
    }
#define MERGES(name, bytes)                                                              \
    PARALLEL(name)                                                                       \
    {                                                                                    \
        merge(a->in[0], a->in[1], a->out[0], par_share(bytes, STEP, part, parts));       \
    }
#define READS(name, bytes)                                                               \
    PARALLEL(name)                                                                       \
    {                                                                                    \
        read_all(a->in[0], (uint8_t *)a->out[0] + 64 * part,                             \
                 par_share(bytes, 8 * W, part, parts));                                  \
    }

MERGES(add_f16, 2 * a->n[0])
MERGES(add_f32, 4 * a->n[0])
MERGES(select_f32, 4 * a->n[0])
MOVES(axpb_relu_f16, 2 * a->n[0])
MOVES(softmax_f32, 4 * a->n[0] * a->n[1])
MOVES(layernorm_f16, 2 * a->n[0] * a->n[1])
MOVES(transpose_f16, 2 * a->n[0] * a->n[1])
MOVES(slice_f16, 2 * a->n[0] * a->n[3])
MOVES(gelu_f32, 4 * a->n[0])
MOVES(copy, a->n[0])
MOVES(tail_f32, 4 * a->n[0])
MOVES(dynamic_f32, 4LL * *(const int32_t *)a->in[1])
READS(rowsum_f32, 4 * a->n[0] * a->n[1])
READS(rowmax_f32, 4 * a->n[0] * a->n[1])

PARALLEL(chain_i8)
{
    widen(a->in[0], a->out[0], par_share(a->n[0], STEP, part, parts));
}

/* As many rows as the result has; the table is read again and again. */
PARALLEL(gather_f16)
{
    const int64_t table = 2 * a->n[1] * a->n[2];
    Range r = par_share(2 * a->n[0] * a->n[1], table, part, parts);
    for (int64_t i = r.from; i + table <= r.to; i += table) {
        move(a->in[0], (uint8_t *)a->out[0] + i, (Range){0, table});
    }
}

PARALLEL(concat_f16)
{
    const int64_t left = 2 * a->n[0] * a->n[1], right = 2 * a->n[0] * a->n[2];
    move(a->in[0], a->out[0], par_share(left, STEP, part, parts));
    move(a->in[1], (uint8_t *)a->out[0] + left, par_share(right, STEP, part, parts));
}

#if defined(__AVX512F__) && defined(__AVX512VNNI__)
/* Two rounds of twelve independent operations, so that their latency does not count. */
#define ON(op, n) op " %%zmm0, %%zmm1, %%zmm" #n "\n\t"
#define TWELVE(op)                                                                       \
    ON(op, 2)                                                                            \
    ON(op, 3)                                                                            \
    ON(op, 4)                                                                            \
    ON(op, 5)                                                                            \
    ON(op, 6) ON(op, 7) ON(op, 8) ON(op, 9) ON(op, 10) ON(op, 11) ON(op, 12) ON(op, 13)
#define REPEAT(op, lanes)                                                                \
    do {                                                                                 \
        int64_t n_ = a->n[0] * a->n[1] * a->n[2] / (lanes) / 24 / parts;                 \
        __asm__ volatile("vpxord %%zmm0, %%zmm0, %%zmm0\n\t"                             \
                         "vpxord %%zmm1, %%zmm1, %%zmm1\n\t"                             \
                         "1:\n\t" TWELVE(op) TWELVE(op) "dec %0\n\t"                     \
                                                        "jnz 1b"                         \
                         : "+r"(n_)::"zmm0", "zmm1", "zmm2", "zmm3", "zmm4", "zmm5",     \
                           "zmm6", "zmm7", "zmm8", "zmm9", "zmm10", "zmm11", "zmm12",    \
                           "zmm13", "cc");                                               \
    } while (0)

PARALLEL(matmul_f16)
{
    REPEAT("vfmadd231ps", 16);
}

PARALLEL(matmul_i8)
{
    REPEAT("vpdpbusd", 64);
}
#endif
