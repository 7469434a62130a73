/* lmem_conv.h: the operands of a convolution on LMEM lanes (form LCONV), and the layout
 * of its weight in a lane.
 *
 * The weight is what pack_conv made, with a slot for each output channel: channel c is in
 * lane c mod npu, slot c div npu. From the start of the operand on each lane has the
 * words of requantisation (a multiple of requant_pitch for each slot), the bias (an int32
 * per slot) and the weights (weight_pitch for each slot). The weight of input channel i
 * at position k of a kernel of K positions is element ((i div parallel) * K + k) *
 * parallel
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

/* The numbers on which the alignment of operands depends. */
typedef struct LaneConvOperands {
    Dtype dtype; /* dtype of the image */
    bool depthwise, has_words, has_bias;
} LaneConvOperands;

/* Checks eu-misaligned of an operand whose first byte in its lanes is at
 * (lmem_conv.c). */
bool lane_conv_aligned(const LmemTarget *t, int param, const LaneConvOperands *o,
                       int64_t at, Fault *fault);

/* The requantisation of a channel: (v * multiplier) / 2^shift, to the nearest with ties
 * up, + zero. */
typedef struct LaneRequant {
    int64_t multiplier, shift, zero;
} LaneRequant;

#endif
