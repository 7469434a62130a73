/* families_baseline.c: has plain loops. Products and sums are not contracted, since
 * kernels round both. FAMILIES is the name of the table, which distinguishes the
 * compilers. */
#include "families_baseline.h"

#include <math.h>
#include <string.h>

typedef struct Record {
    _Float16 before[4], score, after[3];
} Record;

/* Defines a loop over n elements: OUT and IN are types, VALUE is computed from a[i] and
 * b[i]. */
#define EACH(name, OUT, IN, VALUE)                                                       \
    static void name(void *restrict z, const void *x, const void *y, int64_t n)          \
    {                                                                                    \
        OUT *restrict c = z;                                                             \
        const IN *a = x, *b = y;                                                         \
        for (int64_t i = 0; i < n; i++) {                                                \
            (void)a[i], (void)b;                                                         \
            c[i] = (OUT)(VALUE);                                                         \
        }                                                                                \
    }

EACH(add_f32, float, float, a[i] + b[i])
EACH(add_f16, _Float16, _Float16, a[i] + b[i])
EACH(div_f32, float, float, a[i] / b[i])
EACH(axpy_f32, float, float, a[i] * 1.5F + c[i])
EACH(axpy_f16, _Float16, _Float16, (_Float16)(a[i] * (_Float16)1.5F) + c[i])
EACH(exp_f32, float, float, expf(a[i]))
EACH(ln_f32, float, float, logf(a[i]))
EACH(fill_f32, float, float, 1.5F)
EACH(fill_f16, _Float16, _Float16, 1.5F)
EACH(f32_f16, _Float16, float, a[i])
EACH(f16_f32, float, _Float16, a[i])
EACH(f32_s32, int32_t, float, nearbyintf(a[i]))

EACH(larger_f16, _Float16, _Float16, a[i] > b[i] ? a[i] : b[i])
/* It chooses as float: of a choice between a half and 0 gcc 12 makes an instruction that
 * does not exist. */
EACH(relu_f16, _Float16, _Float16, (float)a[i] > 0 ? (float)a[i] : 0)
EACH(and_u16, uint16_t, uint16_t, a[i] & b[i])
EACH(mul3_u32, uint32_t, uint32_t, a[i] * 3)
EACH(s8_f16, _Float16, int8_t, a[i])
EACH(f16_s8, int8_t, _Float16, nearbyintf(a[i]))
EACH(f16_s32, int32_t, _Float16, nearbyintf(a[i]))
EACH(s32_f16, _Float16, int32_t, (float)a[i])
EACH(less_bytes_f16, uint8_t, _Float16, a[i] < b[i])

/* It goes by blocks, for in one loop each conversion would wait for the call before it:
 * gcc converts into the register that holds the last result. */
static void
exp_f16(void *restrict z, const void *x, const void *y, int64_t n)
{
    enum {
        BLOCK = 256
    };
    _Float16 *restrict c = z;
    const _Float16 *a = x;
    float wide[BLOCK];
    (void)y;
    for (int64_t at = 0; at < n; at += BLOCK) {
        for (int i = 0; i < BLOCK; i++) {
            wide[i] = (float)a[at + i];
        }
        for (int i = 0; i < BLOCK; i++) {
            wide[i] = expf(wide[i]);
        }
        for (int i = 0; i < BLOCK; i++) {
            c[at + i] = (_Float16)wide[i];
        }
    }
}

#define LESS(name, IN)                                                                   \
    static void name(void *restrict z, const void *x, const void *y, int64_t n)          \
    {                                                                                    \
        uint8_t *restrict c = z;                                                         \
        const IN *a = x, *b = y;                                                         \
        for (int64_t i = 0; i < n; i += 8) {                                             \
            unsigned bits = 0;                                                           \
            for (int k = 0; k < 8; k++) {                                                \
                bits |= (unsigned)(a[i + k] < b[i + k]) << k;                            \
            }                                                                            \
            c[i / 8] = (uint8_t)bits;                                                    \
        }                                                                                \
    }

LESS(less_f32, float)
LESS(less_f16, _Float16)

static void
above_f16(void *restrict z, const void *x, const void *y, int64_t n)
{
    uint8_t *restrict c = z;
    const _Float16 *a = x;
    (void)y;
    for (int64_t i = 0; i < n; i += 8) {
        unsigned bits = 0;
        for (int k = 0; k < 8; k++) {
            bits |= (unsigned)(a[i + k] > (_Float16)1.25F) << k;
        }
        c[i / 8] = (uint8_t)bits;
    }
}

static void
select_f32(void *restrict z, const void *x, const void *y, int64_t n)
{
    float *restrict c = z;
    const float *a = x;
    const uint8_t *bits = y;
    for (int64_t i = 0; i < n; i++) {
        c[i] = bits[i / 8] >> (i % 8) & 1 ? a[i] : a[n + i];
    }
}

static void
choose_f16(void *restrict z, const void *x, const void *y, int64_t n)
{
    _Float16 *restrict c = z;
    const _Float16 *a = x;
    const uint8_t *on = y;
    for (int64_t i = 0; i < n; i++) {
        c[i] = on[i] != 0 ? a[i] : a[n + i];
    }
}

#define SUM(name, width)                                                                 \
    static void name(void *restrict z, const void *x, const void *y, int64_t n)          \
    {                                                                                    \
        float *restrict c = z;                                                           \
        const float *a = x;                                                              \
        (void)y;                                                                         \
        for (int64_t i = 0; i < n; i += (width)) {                                       \
            float sum = 0;                                                               \
            for (int k = 0; k < (width); k++) {                                          \
                sum += a[i + k];                                                         \
            }                                                                            \
            c[i / (width)] = sum;                                                        \
        }                                                                                \
    }

SUM(sum64_f32, 64)
SUM(sum8_f32, 8)

static void
max_f32(void *restrict z, const void *x, const void *y, int64_t n)
{
    float *restrict c = z;
    const float *a = x;
    (void)y;
    float most = a[0];
    for (int64_t i = 1; i < n; i++) {
        most = a[i] > most ? a[i] : most;
    }
    c[0] = most;
}

static void
sum2_f16(void *restrict z, const void *x, const void *y, int64_t n)
{
    _Float16 *restrict c = z;
    const _Float16 *a = x;
    (void)y;
    for (int64_t i = 0; i < n / 2; i++) {
        c[i] = a[2 * i] + a[2 * i + 1];
    }
}

static void
sum_f32(void *restrict z, const void *x, const void *y, int64_t n)
{
    float *restrict c = z, sum = 0;
    const float *a = x;
    (void)y;
    for (int64_t i = 0; i < n; i++) {
        sum += a[i];
    }
    c[0] = sum;
}

static void
sum128_f32(void *restrict z, const void *x, const void *y, int64_t n)
{
    float *c = z;
    for (int64_t r = 0; r < n; r++) {
        sum_f32(c + r, (const float *)x + 128 * r, y, 128);
    }
}

static void
max16_f16(void *restrict z, const void *x, const void *y, int64_t n)
{
    _Float16 *restrict c = z;
    const _Float16 *a = x;
    (void)y;
    for (int64_t i = 0; i < n; i += 16) {
        float most = a[i];
        for (int k = 1; k < 16; k++) {
            most = a[i + k] > most ? a[i + k] : most;
        }
        c[i / 16] = (_Float16)most;
    }
}

static void
argmax64_f32(void *restrict z, const void *x, const void *y, int64_t n)
{
    uint32_t *restrict c = z;
    const float *a = x;
    (void)y;
    for (int64_t i = 0; i < n; i += 64, c += 2) {
        uint32_t at = 0;
        for (uint32_t k = 1; k < 64; k++) {
            at = a[i + k] > a[i + at] ? k : at;
        }
        memcpy(c, &a[i + at], sizeof *c);
        c[1] = at;
    }
}

static void
channels_u16(void *restrict z, const void *x, const void *y, int64_t n)
{
    uint16_t *restrict c = z;
    const uint16_t *a = x;
    (void)y;
    for (int64_t i = 0; i < n; i++) {
        for (int k = 0; k < 16; k++) {
            c[16 * i + k] = a[k * n + i];
        }
    }
}

static void
transpose_u16(void *restrict z, const void *x, const void *y, int64_t n)
{
    uint16_t *restrict c = z;
    const uint16_t *a = x;
    (void)y;
    for (int64_t t = 0; t < n; t++, a += 256, c += 256) {
        for (int i = 0; i < 16; i++) {
            for (int k = 0; k < 16; k++) {
                c[i * 16 + k] = a[k * 16 + i];
            }
        }
    }
}

static void
gather_u32(void *restrict z, const void *x, const void *y, int64_t n)
{
    uint32_t *restrict c = z;
    const uint32_t *a = x;
    const int32_t *offset = y;
    for (int64_t i = 0; i < n; i++) {
        c[i] = a[offset[i] / 4];
    }
}

static void
scatter_u32(void *restrict z, const void *x, const void *y, int64_t n)
{
    uint32_t *restrict c = z;
    const uint32_t *a = x;
    const int32_t *offset = y;
    for (int64_t i = 0; i < n; i++) {
        c[offset[i] / 4] = a[i];
    }
}

static void
field_u16(void *restrict z, const void *x, const void *y, int64_t n)
{
    uint16_t *restrict c = z;
    const uint16_t *a = x;
    (void)y;
    for (int64_t i = 0; i < n; i++) {
        c[i] = a[8 * i + 4];
    }
}

#define PIECES(name, words, step)                                                        \
    static void name(void *restrict z, const void *x, const void *y, int64_t n)          \
    {                                                                                    \
        uint32_t *restrict c = z;                                                        \
        const uint32_t *a = x;                                                           \
        (void)y;                                                                         \
        for (int64_t i = 0; i < n; i++) {                                                \
            memcpy(c + (words) * i, a + (step) * i, 4 * (words));                        \
        }                                                                                \
    }

PIECES(blocks_u32, 8, 16)
PIECES(bursts_u32, 32, 40)

static void
compress_u32(void *restrict z, const void *x, const void *y, int64_t n)
{
    uint32_t *restrict c = z;
    const uint32_t *a = x;
    uint64_t bits;
    memcpy(&bits, y, sizeof bits);
    int64_t k = 0;
    for (int64_t i = 0; i < n; i++) {
        if (bits >> (i % 64) & 1) {
            c[k++] = a[i];
        }
    }
}

static void
sort16_f16(void *restrict z, const void *x, const void *y, int64_t n)
{
    Record *restrict c = z;
    const Record *a = x;
    (void)y;
    for (int64_t g = 0; g < n; g++, a += 16, c += 16) {
        for (int i = 0; i < 16; i++) { /* it sorts by insertion */
            int k = i;
            for (; k > 0 && c[k - 1].score < a[i].score; k--) {
                c[k] = c[k - 1];
            }
            c[k] = a[i];
        }
    }
}

static void
merge4_f16(void *restrict z, const void *x, const void *y, int64_t n)
{
    Record *restrict c = z;
    const Record *a = x;
    int64_t at[4] = {0, 0, 0, 0}, most = n / 4;
    (void)y;
    for (int64_t i = 0; i < n; i++) {
        int best = -1;
        for (int l = 0; l < 4; l++) {
            if (at[l] < most && (best < 0 || a[l * most + at[l]].score >
                                                 a[best * most + at[best]].score)) {
                best = l;
            }
        }
        c[i] = a[best * most + at[best]++];
    }
}

static void
add100_f16(void *restrict z, const void *x, const void *y, int64_t n)
{
    _Float16 *restrict c = z;
    const _Float16 *a = x, *b = y;
    for (int64_t g = 0; g < n; g++, a += 128, b += 128, c += 128) {
        for (int i = 0; i < 100; i++) {
            c[i] = a[i] + b[i];
        }
    }
}

static void
addbits_f16(void *restrict z, const void *x, const void *y, int64_t n)
{
    _Float16 *restrict c = z;
    const _Float16 *a = x, *b = y;
    for (int64_t i = 0; i < 128 * n; i++) {
        if (ODD_LANES >> (i % 64) & 1) {
            c[i] = a[i] + b[i];
        }
    }
}

static void
addblocks_f32(void *restrict z, const void *x, const void *y, int64_t n)
{
    float *restrict c = z;
    const float *a = x, *b = y;
    for (int64_t i = 0; i < n; i += 8) {
        for (int k = 0; k < 8; k++) {
            c[i + k] = a[2 * i + k] + b[i + k];
        }
    }
}

static void
rows_f16(void *restrict z, const void *x, const void *y, int64_t n)
{
    _Float16 *restrict c = z;
    const _Float16 *a = x, *b = y;
    for (int64_t r = 0; r < n; r++, a += 128, b += 128, c += 128) {
        for (int i = 0; i < 112; i++) {
            c[i] = a[i] + b[i];
        }
    }
}

FamilyLoop *const FAMILIES[LOOP_COUNT] = {
    [LOOP_ADD_F32] = add_f32,
    [LOOP_ADD_F16] = add_f16,
    [LOOP_ADD100_F16] = add100_f16,
    [LOOP_DIV_F32] = div_f32,
    [LOOP_AXPY_F32] = axpy_f32,
    [LOOP_AXPY_F16] = axpy_f16,
    [LOOP_EXP_F32] = exp_f32,
    [LOOP_EXP_F16] = exp_f16,
    [LOOP_LN_F32] = ln_f32,
    [LOOP_FILL_F32] = fill_f32,
    [LOOP_FILL_F16] = fill_f16,
    [LOOP_F32_F16] = f32_f16,
    [LOOP_F16_F32] = f16_f32,
    [LOOP_F32_S32] = f32_s32,
    [LOOP_LESS_F32] = less_f32,
    [LOOP_LESS_F16] = less_f16,
    [LOOP_SELECT_F32] = select_f32,
    [LOOP_SUM64_F32] = sum64_f32,
    [LOOP_SUM8_F32] = sum8_f32,
    [LOOP_MAX_F32] = max_f32,
    [LOOP_TRANSPOSE_U16] = transpose_u16,
    [LOOP_GATHER_U32] = gather_u32,
    [LOOP_COMPRESS_U32] = compress_u32,
    [LOOP_SORT16_F16] = sort16_f16,
    [LOOP_MERGE4_F16] = merge4_f16,
    [LOOP_ADDBITS_F16] = addbits_f16,
    [LOOP_ADDBLOCKS_F32] = addblocks_f32,
    [LOOP_LARGER_F16] = larger_f16,
    [LOOP_RELU_F16] = relu_f16,
    [LOOP_AND_U16] = and_u16,
    [LOOP_MUL3_U32] = mul3_u32,
    [LOOP_S8_F16] = s8_f16,
    [LOOP_F16_S8] = f16_s8,
    [LOOP_F16_S32] = f16_s32,
    [LOOP_S32_F16] = s32_f16,
    [LOOP_ABOVE_F16] = above_f16,
    [LOOP_ARGMAX64_F32] = argmax64_f32,
    [LOOP_MAX16_F16] = max16_f16,
    [LOOP_SUM2_F16] = sum2_f16,
    [LOOP_SUM_F32] = sum_f32,
    [LOOP_CHANNELS_U16] = channels_u16,
    [LOOP_SCATTER_U32] = scatter_u32,
    [LOOP_FIELD_U16] = field_u16,
    [LOOP_LESS_BYTES_F16] = less_bytes_f16,
    [LOOP_CHOOSE_F16] = choose_f16,
    [LOOP_ROWS_F16] = rows_f16,
    [LOOP_SUM128_F32] = sum128_f32,
    [LOOP_BLOCKS_U32] = blocks_u32,
    [LOOP_BURSTS_U32] = bursts_u32,
};
