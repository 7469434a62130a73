/* lmem_conv.h: the operands of a convolution on lanes (form LCONV), and what a lane holds of its weight.
 *
 * The weight is what pack_conv made, one slot per output channel: channel c stands in lane c mod npu, slot c div npu.
 * Behind the start of the operand each lane has the words of requantisation (a multiple of requant_pitch for each
 * slot), the bias (an int32 per slot) and the weights (weight_pitch for each slot). The weight of input channel i at
 * position k of a kernel of K positions is element ((i div parallel) * K + k) * parallel + i mod parallel of its slot; of
 * a depthwise one, element k. */
#ifndef TIK_LMEM_CONV_H
#define TIK_LMEM_CONV_H

#include "rules/check.h"

/* Slots of the form. */
enum {
    LC_DST,
    LC_SRC,
    LC_TABLE,
    LC_KERNEL = 21, /* two numbers each: along h, along w */
    LC_STRIDE = 23,
    LC_PAD =
        25, /* in front of the image; what lies behind it follows from the results that there are */
    LC_DILATION = 27,
    LC_PARALLEL = 29,
    LC_DEPTHWISE,
    LC_WORDS,      /* 32-bit words of requantisation: 0, 2 or 3 */
    LC_WORD_PITCH, /* bytes */
    LC_BIAS,       /* offset, -1: none */
    LC_WEIGHT,     /* offset */
    LC_WEIGHT_PITCH
};

typedef struct LaneConv {
    int64_t kernel[2], stride[2], pad[2], dilation[2];
    int64_t parallel;
    bool depthwise;
    int64_t requant_words, requant_pitch, bias_offset, weight_offset, weight_pitch;
} LaneConv;

LaneConv lane_conv_numbers(const CheckInstr *in);

/* What the alignment of operands depends on. */
typedef struct LaneConvOperands {
    Dtype dtype; /* of the image */
    bool depthwise, has_words, has_bias;
} LaneConvOperands;

/* lmem_conv.c: eu-misaligned; at: the operand's first byte in its lanes. */
bool lane_conv_aligned(const LaneTarget *t, int param, const LaneConvOperands *o,
                       int64_t at, Fault *fault);

/* Requantisation of a channel: (v * multiplier) / 2^shift, to the nearest and up in the middle, + zero. */
typedef struct LaneRequant {
    int64_t multiplier, shift, zero;
} LaneRequant;

#endif
