/* deq.h: what happens to elements on their way out of the accumulator (cube-quant 8, 10.5
 * and 12.3): shifted, scaled, rectified, offset and narrowed.
 *
 * With v the element, after the shift where there is one (arithmetic, clamped to 16
 * bits), and p = v in float32 times m, one rounding each: int8, uint8   p to the nearest
 * integer, ties to even, clamped to -256..255; rectified; plus offset; clamped to the
 * type. A p that is NaN counts as 0. int16         v, rectified; there is always a shift
 * and no m float16,      p (without scale: the element), rectified, to nearest even; at
 * most the largest number of the bfloat16      type in magnitude, and NaN gives +0; with
 * keep infinity and the canonical NaN instead same type     the element, rectified or as
 * it is; float16 to float32 is exact Rectified: x > 0 ? x : +0, also of NaN (with keep a
 * NaN stays). With gate, negative elements give p = +0.
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

/* Readings of uncertain points that were chosen, of the words and of what is done with
 * int32 (choice.def, Q1 to Q12). */
enum {
    DEQ_CUT = 1, /* of words: */
    DEQ_RAW_FIELD = 2,
    DEQ_UNSIGNED = 4,
    DEQ_NO_HALF_SHIFT = 8,
    DEQ_TO_ZERO = 16, /* of elements: */
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
    bool shift; /* shift by n first; int16 results: always */
    bool relu;  /* rectify the product, before the offset */
    bool gate;  /* negative elements count as 0 */
    bool keep;  /* infinity and NaN stay in float16 and bfloat16 */
    uint16_t reading;
    float m[DEQ_CHANNELS];
    int32_t n[DEQ_CHANNELS];      /* 1 to 16 */
    int32_t offset[DEQ_CHANNELS]; /* -256 to 255 */
} NumDeq;

/* Is there such a conversion? */
bool num_deq_exists(const NumDeq *d);

/* Writes n results at dst from n elements at src, for a conversion that exists. Addresses
 * need no alignment; the results share no byte with the elements. */
void num_deq(const NumDeq *d, void *dst, const void *src, int64_t n);
/* The same at one level, which the processor must have. For tests: all levels give the
 * same bits. */
void num_deq_at(NumLevel level, const NumDeq *d, void *dst, const void *src, int64_t n);

/* Sets keep and reading as the kernel chose; before the words. */
void num_deq_choose(NumDeq *d, const Choices *c);

/* Fills the channels of d from parameter words, of channel c the word c modulo count (1,
 * 4 or 16): bits 31:0   m, a float32      bits 35:32  n - 1      bit 36  1: shift (MCB)
 *   bits 45:37  offset, two's complement
 * shift is that of the first word: the others have the same. exact = false: the 13 lowest
 * bits of m count as 0. Types and reading of d are set before. */
void num_deq_words(NumDeq *d, const uint64_t *word, int count, bool exact);
/* The same from float16 numbers. */
void num_deq_halves(NumDeq *d, const uint16_t *m, int count);

/* acc[i] = acc[i] + other[i], or minus, rounded once: float32 (a NaN is canonical),
 * float16 (at most 65504 in magnitude, NaN gives +0; with keep infinity and the canonical
 * NaN), int16 (wraps around), int32 (wraps around). */
void num_deq_add(NumType t, bool subtract, bool keep, void *acc, const void *other,
                 int64_t n);

/* ---- for the files of num_deq only --------------------------------------- */

/* Scaled conversions of int32, and to int16, for readings of elements. */
void num_deq_by_reading(const NumDeq *d, void *dst, const AnyS32 *src, int64_t n);

typedef void NumDeqLanes(void *dst, const void *src, int64_t n, const NumDeq *d);

typedef enum NumDeqKind {
    DEQ_S8,       /* of int32, scaled */
    DEQ_S8_SHIFT, /* and shifted */
    DEQ_U8,
    DEQ_U8_SHIFT,
    DEQ_F32_S8, /* of float32, scaled */
    DEQ_F32_U8,
    DEQ_S16,
    DEQ_F16, /* of int32, scaled */
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
} NumDeqTable;

extern const NumDeqTable num_deq_base, num_deq_avx2, num_deq_avx512;

#endif
