/* dot.h: sums of products of blocks: a few channels with many pixels, as convolutions on
 * lanes take them. Integers wrap, so their order does not matter; float sums are taken
 * term by term, each product and each sum rounded.
 *
 * A panel has DOT_PIXELS pixels of every term, one term behind the other. Of integers two
 * terms are one, their numbers of a pixel side by side. The block is always whole: pixels
 * and channels that nobody wants are computed. */
#ifndef TIK_NUM_DOT_H
#define TIK_NUM_DOT_H

#include <stdbool.h>
#include <stdint.h>

enum {
    DOT_PIXELS = 64,
    DOT_CHANNELS = 4,
    DOT_STEP = 16 /* pixels are done so many at a time */
};

typedef struct NumDotTable {
    /* sums[c][p] += panel[k][p][0] * w[c][2 * k] + panel[k][p][1] * w[c][2 * k + 1] for k
     * < pairs; p up to the next multiple of DOT_STEP. w: of channel c at c * wstep.
     * Numbers are those of int8 and uint8. */
    void (*pairs)(int32_t *sums, const int16_t *panel, const int16_t *w, int64_t wstep,
                  int64_t pairs, int64_t pixels);
    /* sums[c][p] += panel[k][p] * w[c][k] for k < terms. */
    void (*floats)(float *sums, const float *panel, const float *w, int64_t wstep,
                   int64_t terms, int64_t pixels);
    /* Two rows of DOT_PIXELS bytes side by side, widened: with their sign, or without. */
    void (*zip)(int16_t *panel, const uint8_t *a, const uint8_t *b, bool sign);
    /* n int8 as int16. */
    void (*widen)(int16_t *to, const int8_t *from, int64_t n);
    /* sums[i] += x[i] * w for i < n. */
    void (*row_s8)(uint32_t *sums, const int8_t *x, uint32_t w, int64_t n);
    void (*row_u8)(uint32_t *sums, const uint8_t *x, uint32_t w, int64_t n);
    void (*row_f32)(float *sums, const void *x, float w,
                    int64_t n); /* x at any address */
} NumDotTable;

extern const NumDotTable num_dot_base, num_dot_avx2;

/* The table for the processor that runs this. */
const NumDotTable *num_dot(void);

#endif
