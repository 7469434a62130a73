/* conv.h: conversions of the vector instructions, on arrays: between float types, float
 * types and integers, and widths of integers, and the scaled forms.
 *
 * Rounding modes (what '' and 'round' call nearest is NUM_NEAREST). For an integer result
 * x is rounded; for float16, bfloat16 and float32 results the last kept bit, whose unit
 * is 2^-24 for subnormal float16 results.
 *
 *   NUM_NEAREST      nearest, ties to even
 *   NUM_FLOOR        toward -infinity
 *   NUM_CEIL         toward +infinity
 *   NUM_AWAY         nearest, ties away from zero
 *   NUM_TO_ZERO      toward zero
 *   NUM_ODD          float results only: an inexact result has its last bit set
 *   NUM_OUTWARD      away from zero
 *
 * Beyond the range of the result, with keep = false, integers are clamped; float16 and
 * bfloat16 become the largest number of their sign, also for infinity, and NaN becomes 0.
 * With keep = true, finite numbers and integers keep the low bits of the rounded integer;
 * float16 and bfloat16 overflow to infinity and NaN becomes the canonical NaN. In both
 * cases NaN as an integer is 0 and infinity the largest or smallest one. A widening from
 * unsigned or to signed is exact; from signed to unsigned, negative numbers are clamped
 * to 0, or with keep extended by their sign.
 *
 * Widening a float type is exact and keeps NaN payloads; a signalling float16 NaN becomes
 * quiet. float32 to float32 rounds to an integral number and keeps the sign of zero; its
 * NaN is canonical. */
#ifndef TIK_NUM_CONV_H
#define TIK_NUM_CONV_H

#include <stdbool.h>

#include "num/lanes.h"
#include "num/type.h"

typedef enum NumRound {
    NUM_NEAREST,
    NUM_FLOOR,
    NUM_CEIL,
    NUM_AWAY,
    NUM_TO_ZERO,
    NUM_ODD,
    NUM_OUTWARD,
    NUM_ROUNDS
} NumRound;

typedef struct NumConv {
    NumType dst, src;
    /* NUM_NEAREST where the result is exact and between integer types */
    NumRound round;
    bool keep;
} NumConv;

/* Returns whether there is such a conversion. A processor may still lack it, which the
 * tables of runtime/isa say. */
bool num_conv_exists(const NumConv *c);

/* Writes n results at dst from n elements at src, for a conversion that exists. Addresses
 * need no alignment. The results share no byte with the elements, unless src is dst and
 * the types have the same size. int4: (n + 1) / 2 bytes; the high half of the last byte
 * is 0 for an odd n. */
void num_conv(const NumConv *c, void *dst, const void *src, int64_t n);

/* Converts int32 to float16 with a float16 scale: the exact product is rounded once to
 * nearest even (with twice: first to float32) and is at most 65504 in magnitude; a
 * product that is NaN (the scale is NaN, or infinity times 0) gives 0. */
void num_conv_scaled(void *dst, const void *src, uint16_t scale, bool twice, int64_t n);

/* Converts int16 to int8 or uint8, scaled and offset by a 64-bit parameter word:
 *   bits 31:0   a float32 M; its 13 lowest bits count as 0
 *   bits 45:37  offset, two's complement
 *   bit 46      1: int8, 0: uint8
 * The product src * M is rounded to float32, then to the nearest integer (ties to even),
 * clamped to -256..255, the offset is added and the sum clamped to the type. A product
 * that is NaN counts as 0. With 16 words, element i uses word i modulo 16. packs is their
 * number, 1 or 16; all have the same bit 46. */
void num_conv_packed(void *dst, const void *src, const uint64_t *pack, int packs,
                     int64_t n);

/* Does the same at one level, which the processor must have. Tests use it to show that
 * all levels give the same bits. */
void num_conv_at(NumLevel level, const NumConv *c, void *dst, const void *src, int64_t n);
void num_conv_scaled_at(NumLevel level, void *dst, const void *src, uint16_t scale,
                        int64_t n);
void num_conv_packed_at(NumLevel level, void *dst, const void *src, const uint64_t *pack,
                        int packs, int64_t n);

/* ---- for the files of num_conv only -------------------------------------- */

/* When a mode rounds a magnitude away from zero, for [negative][last kept bit is odd]. */
typedef struct NumStep {
    NumRound round;
    float limit[2][2];   /* to an integer: the smallest fraction that rounds up */
    uint32_t bias[2][2]; /* in bits: what is added before low bits are cut */
    uint16_t over, nan;  /* results of overflow and NaN */
} NumStep;

typedef void NumConvLanes(void *dst, const void *src, int64_t n, const NumStep *s);

typedef struct NumConvPair {
    NumConvLanes *nearest; /* NUM_NEAREST, clamped; null: use mode */
    NumConvLanes *mode;    /* any mode, clamped; null: nothing is rounded */
    NumConvLanes *keep;    /* any mode, not clamped; null: exact, use nearest */
} NumConvPair;

typedef struct NumConvTable {
    NumConvPair pair[NUM_TYPES][NUM_TYPES]; /* [src][dst] */
    void (*scaled)(void *dst, const void *src, float scale, int64_t n);
    void (*packed)(void *dst, const void *src, const float m[16],
                   const int16_t offset[16], bool sign, int64_t n);
} NumConvTable;

extern const NumConvTable num_conv_base, num_conv_avx2, num_conv_avx512;

#endif
