/* dot.h: sums of products of blocks of a few channels and many pixels, for convolutions
 * on LMEM lanes. Integers wrap, so their order does not matter; float sums are taken term
 * by term, and each product and each sum is rounded.
 *
 * A panel has DOT_PIXELS pixels of every term, one term after the other. Terms of
 * integers are paired: the two numbers of a pixel are adjacent. Blocks are always whole,
 * so pixels and channels that are not needed are computed too. */
#ifndef TIK_NUM_DOT_H
#define TIK_NUM_DOT_H

#include <stdbool.h>
#include <stdint.h>

enum {
    DOT_PIXELS = 64,
    DOT_CHANNELS = 4,
    DOT_STEP = 16 /* pixels that are done at a time */
};

typedef struct NumDotTable {
    /* Does sums[c][p] += panel[k][p][0] * w[c][2 * k] + panel[k][p][1] * w[c][2 * k + 1]
     * for k < pairs, with p up to the next multiple of DOT_STEP. The weights of channel c
     * begin at w + c * wstep. The numbers are those of int8 or uint8. */
    void (*pairs)(int32_t *sums, const int16_t *panel, const int16_t *w, int64_t wstep,
                  int64_t pairs, int64_t pixels);
    /* Does sums[c][p] += panel[k][p] * w[c][k] for k < terms. */
    void (*floats)(float *sums, const float *panel, const float *w, int64_t wstep,
                   int64_t terms, int64_t pixels);
    /* Does the same if all products are exact, as those of numbers of float16 are. */
    void (*exact)(float *sums, const float *panel, const float *w, int64_t wstep,
                  int64_t terms, int64_t pixels);
    /* Interleaves two rows of DOT_PIXELS bytes, widened with their sign or without. */
    void (*zip)(int16_t *panel, const uint8_t *a, const uint8_t *b, bool sign);
    /* Widens n int8 to int16. */
    void (*widen)(int16_t *to, const int8_t *from, int64_t n);
    /* Does sums[i] += x[i] * w for i < n. */
    void (*row_s8)(uint32_t *sums, const int8_t *x, uint32_t w, int64_t n);
    void (*row_u8)(uint32_t *sums, const uint8_t *x, uint32_t w, int64_t n);
    void (*row_f32)(float *sums, const void *x, float w,
                    int64_t n); /* x needs no alignment */
} NumDotTable;

extern const NumDotTable num_dot_base, num_dot_avx2, num_dot_avx512, num_dot_vnni;

/* Returns the table for the processor that runs this. */
const NumDotTable *num_dot(void);

#endif
