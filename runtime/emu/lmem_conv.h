/* lmem_conv.h: a convolution on LMEM lanes; the part between its operands and its sums.
 * It is private to runtime/emu. */
#ifndef TIK_EMU_LMEM_CONV_H
#define TIK_EMU_LMEM_CONV_H

#include "emu/lmem.h"

typedef struct Conv {
    EmuTensor d, x;
    const uint8_t *weight; /* first byte, in lane 0 */
    int64_t kernel[2], stride[2], pad[2], dilation[2];
    int64_t parallel, words, word_pitch, bias_at, weight_at, weight_pitch;
    bool depthwise;
} Conv;

/* Returns the first byte of output channel oc in its lane; offset is where the first one
 * begins. */
static inline const uint8_t *
emu_conv_lane(const Conv *c, int64_t oc, int64_t offset, int64_t pitch)
{
    return c->weight + oc % c->d.npu * c->d.lmem_pitch + offset + oc / c->d.npu * pitch;
}

/* Returns the index of the element of the weight for an input channel and a kernel
 * position, in the bytes of its output channel. */
int64_t emu_conv_weight(const Conv *c, int64_t ic, int64_t kh, int64_t kw);
/* Writes n results of a row, from `at` on, made of their sums, which are integers or
 * floats. */
void emu_conv_put(const Conv *c, const int64_t at[LMEM_AXES], const int32_t *sums,
                  const float *floats, int64_t n);

/* emu/lmem_panel.c: does the whole convolution. */
void emu_conv_panels(const Conv *c);

#endif
