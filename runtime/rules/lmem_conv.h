/* lmem_conv.h: the operands of a convolution on lanes (form LCONV), and what a lane holds
 * of its weight.
 *
 * The weight is what pack_conv made, one slot per output channel: channel c stands in
 * lane c mod npu, slot c div npu. Behind the start of the operand each lane has the words
 * of requantisation (a multiple of requant_pitch for each slot), the bias (an int32 per
 * slot) and the weights (weight_pitch for each slot). The weight of input channel i at
 * position k of a kernel of K positions is element ((i div parallel) * K + k) * parallel
 * + i mod parallel of its slot; of a depthwise one, element k. */
#ifndef TIK_LMEM_CONV_H
#define TIK_LMEM_CONV_H

#include "isa/operand.h"
#include "rules/check.h"

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
bool lane_conv_aligned(const LmemTarget *t, int param, const LaneConvOperands *o,
                       int64_t at, Fault *fault);

/* Requantisation of a channel: (v * multiplier) / 2^shift, to the nearest and up in the
 * middle, + zero. */
typedef struct LaneRequant {
    int64_t multiplier, shift, zero;
} LaneRequant;

#endif
