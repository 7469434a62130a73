/* segment.h: rules of lists of SliceInfo (data-movement chapter 8) on numbers: asked by
 * the compiler for constants and by both back ends for what only the run knows, so that
 * the sentences are the same. */
#ifndef TIK_SEGMENT_H
#define TIK_SEGMENT_H

#include "rules/check.h"
#include "isa/operand.h"

/* A SliceInfo. */
typedef struct SliceFields {
    int64_t start, end, stride, burst_len, shape;
} SliceFields;

/* One dimension of both lists; 0 is the innermost. */
typedef struct SliceDim {
    int dim;
    int size;  /* bytes of an element */
    bool tail; /* a shorter rest above dimension 0 is dropped */
    SliceFields dst, src;
} SliceDim;

/* slice-burst-eq, slice-burst-1, slice-burst, slice-index, slice-fit, in this order; src
 * before dst. The fault's param is 0 for a rule on dst_slice_info, 1 on
 * src_slice_info. */
bool check_slice_dim(const SliceDim *d, Fault *fault);
/* The parts of it: slice-burst*, which asks for both burst_len; slice-index of one list;
 * slice-fit, which presupposes them and asks for all fields of the list but shape. */
bool check_slice_bursts(const SliceDim *d, Fault *fault);
bool check_slice_indices(const SliceDim *d, bool src, Fault *fault);
bool check_slice_fit(const SliceDim *d, bool src, Fault *fault);
/* Segments along the dimension, 1 or more; presupposes check_slice_dim. */
int64_t slice_count(const SliceDim *d, bool src);
/* The reading D8. */
static inline bool
slice_drops_tail(const Choices *c)
{
    return chosen(c, CHOICE_SLICE_TAIL) == CHOSE_SLICE_TAIL_DROP;
}
/* Whether the dimension ends with lines that are dropped. */
bool slice_has_tail(const SliceDim *d, bool src);
/* slice-total; dst and src: segments of each list. */
bool check_slice_total(int64_t dst, int64_t src, Fault *fault);
/* address-align: segments of a dimension of a list for UB are pitch bytes apart. */
bool check_slice_pitch(bool src, int dim, int64_t pitch, Fault *fault);

typedef struct SegmentSlots {
    int dims;
    int dst_count, dst_pitch, src_count, src_pitch; /* first slots of the lists */
} SegmentSlots;

enum {
    SEGMENT_FEW = 4 /* dimensions of data_copy.slice; data_copy.slice8 has SEGMENT_DIMS */
};

static inline SegmentSlots
segment_slots(Op op)
{
    int n = op_table[op].form == FORM_SEGMENTS ? SEGMENT_FEW : SEGMENT_DIMS;
    int first = SEGMENTS_len + 1;
    return (SegmentSlots){n, first, first + n, first + 2 * n, first + 3 * n};
}

/* What execution asks of the numbers of data_copy.slice beside check_values: slice-total,
 * address-align of the pitches of the operand in UB, and slice-index where segments of
 * one side meet. */
bool check_segments(const CheckInstr *in, Fault *fault);
/* The dimension that the operands of data_copy.dim are. */
SliceDim check_slice_operands(const CheckInstr *in);

#endif
