/* deq.h: conversions of elements on their way out of L0C (cube-quant 8, 10.5 and 12.3):
 * they are shifted, scaled, rectified, offset and narrowed.
 *
 * v is the element, after the shift if there is one (arithmetic, clamped to 16 bits), and
 * p is v in float32 times m, each rounded once. The results are
 *
 *   int8, uint8   p to the nearest integer, ties to even, clamped to -256..255;
 *                 rectified; plus offset; clamped to the type. NaN counts as 0
 *   int16         v, rectified; there is always a shift and no m
 *   float16,      p (without scale: the element), rectified, to nearest even; at most the
 *   bfloat16      largest number of the type in magnitude, and NaN gives +0; with keep
 *                 infinity and the canonical NaN instead
 *   same type     the element, rectified or as it is; float16 to float32 is exact
 *
 * To rectify x is x > 0 ? x : +0, also for NaN (with keep a NaN stays). With gate,
 * negative elements give p = +0.
 *
 * Parameters are given for 16 channels; the channel of element i is i modulo 16. */
#ifndef TIK_NUM_DEQ_H
#define TIK_NUM_DEQ_H

#include <stdbool.h>

#include "isa/choice.h"
#include "num/lanes.h"
#include "num/type.h"

enum {
    DEQ_CHANNELS = 16
};

/* The chosen readings of parameter words and of conversions of int32, as bits
 * (choice.def, Q1 to Q12). */
enum {
    DEQ_CUT = 1, /* from here on readings of words */
    DEQ_RAW_FIELD = 2,
    DEQ_UNSIGNED = 4,
    DEQ_NO_HALF_SHIFT = 8,
    DEQ_TO_ZERO = 16, /* from here on readings of elements */
    DEQ_WRAPS = 32,
    DEQ_UNCLAMPED = 64,
    DEQ_OFFSET_FIRST = 128,
    DEQ_AWAY = 256,
    DEQ_RELU_LAST = 512,
    DEQ_OF_ELEMENTS = 1024 - 16
};

typedef struct NumDeq {
    NumType dst, src;
    bool scale; /* multiply by m */
    bool shift; /* shift by n first; int16 results always are */
    bool relu;  /* rectify the product, before the offset */
    bool gate;  /* negative elements count as 0 */
    bool keep;  /* infinity and NaN stay in float16 and bfloat16 */
    uint16_t reading;
    float m[DEQ_CHANNELS];
    int32_t n[DEQ_CHANNELS];      /* 1 to 16 */
    int32_t offset[DEQ_CHANNELS]; /* -256 to 255 */
} NumDeq;

/* Returns whether there is such a conversion. */
bool num_deq_exists(const NumDeq *d);

/* Writes n results at dst from n elements at src, for a conversion that exists. Addresses
 * need no alignment; the results share no byte with the elements. */
void num_deq(const NumDeq *d, void *dst, const void *src, int64_t n);
/* Does the same at one level, which the processor must have. Tests use it to show that
 * all levels give the same bits. */
void num_deq_at(NumLevel level, const NumDeq *d, void *dst, const void *src, int64_t n);

/* A conversion of rows of two groups of 16 elements to 32 bytes. */
typedef struct NumDeqPair NumDeqPair;
typedef void NumDeqRows(const NumDeqPair *p, uint8_t *dst, int64_t pitch,
                        const AnyS32 *left, const AnyS32 *right, int64_t rows);
struct NumDeqPair {
    _Alignas(64) float m[2][DEQ_CHANNELS];
    int16_t offset[2 * DEQ_CHANNELS]; /* in the order of the code */
    NumDeqRows *rows;                 /* writes them, pitch bytes apart */
    float lo;
    int32_t least;
    bool sign;
    bool bare; /* saturation makes up for all limits */
};

/* Begins with the conversions of the groups. rectify: results below 0 are 0. Returns
 * false if this is not the faster way: it is for int32 to bytes, in the usual reading, on
 * some processors. */
bool num_deq_pair(NumDeqPair *p, const NumDeq *left, const NumDeq *right, bool rectify);
/* The same of one group of float32 to 32 bytes of float16; there is no right one. */
bool num_deq_half_rows(NumDeqPair *p, const NumDeq *d);

/* Sets keep and reading to the choices of the kernel. It is called before
 * num_deq_words. */
void num_deq_choose(NumDeq *d, const Choices *c);

/* Fills the channels of d from parameter words; channel c has word c modulo count (1, 4
 * or 16). The bits of a word are
 *
 *   31:0   m, a float32
 *   35:32  n - 1
 *   36     1: shift (MCB)
 *   45:37  offset, two's complement
 *
 * shift is that of the first word, which the others share. Unless exact, the 13 lowest
 * bits of m count as 0. Types and reading of d are already set. */
void num_deq_words(NumDeq *d, const uint64_t *word, int count, bool exact);
/* Does the same with float16 numbers m in the place of words. */
void num_deq_halves(NumDeq *d, const uint16_t *m, int count);

/* Computes acc[i] = acc[i] + other[i], or minus with subtract, rounded once: float32 (a
 * NaN is canonical), float16 (at most 65504 in magnitude, NaN gives +0; with keep
 * infinity and the canonical NaN), int16 and int32 (which wrap around). */
void num_deq_add(NumType t, bool subtract, bool keep, void *acc, const void *other,
                 int64_t n);

/* ---- for the files of num_deq only --------------------------------------- */

/* Does scaled conversions of int32, and conversions to int16, under readings of elements
 * that are not the usual ones. */
void num_deq_by_reading(const NumDeq *d, void *dst, const AnyS32 *src, int64_t n);

typedef void NumDeqLanes(void *dst, const void *src, int64_t n, const NumDeq *d);

typedef enum NumDeqKind {
    DEQ_S8,       /* from int32, scaled */
    DEQ_S8_SHIFT, /* from int32, shifted and scaled */
    DEQ_U8,
    DEQ_U8_SHIFT,
    DEQ_F32_S8, /* from float32, scaled */
    DEQ_F32_U8,
    DEQ_S16,
    DEQ_F16, /* from int32, scaled */
    DEQ_F16_SHIFT,
    DEQ_F16_F16, /* scaled */
    DEQ_F32_F16,
    DEQ_F32_BF16,
    DEQ_WIDEN, /* float16 to float32 */
    DEQ_RELU_F16,
    DEQ_RELU_F32,
    DEQ_RELU_S32,
    DEQ_COPY16,
    DEQ_COPY32,
    DEQ_KINDS
} NumDeqKind;

typedef struct NumDeqTable {
    NumDeqLanes *fn[DEQ_KINDS];
    /* null where there is no such way */
    bool (*pair_suits)(const NumDeq *left, const NumDeq *right);
    void (*pair_begin)(NumDeqPair *p, const NumDeq *left, const NumDeq *right,
                       bool rectify);
    NumDeqRows *pair_rows, *half_rows;
} NumDeqTable;

extern const NumDeqTable num_deq_base, num_deq_avx2, num_deq_avx512;

#endif
