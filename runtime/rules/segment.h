/* segment.h: rules of lists of SliceInfo (data-movement chapter 8) on numbers. The
 * compiler calls them for constants and both back ends for numbers that only the run
 * knows, so that the sentences are the same. */
#ifndef TIK_SEGMENT_H
#define TIK_SEGMENT_H

#include "rules/check.h"
#include "isa/operand.h"

/* A SliceInfo. */
typedef struct SliceFields {
    int64_t start, end, stride, burst_len, shape;
} SliceFields;

/* A dimension of both lists; 0 is the innermost. */
typedef struct SliceDim {
    int dim;
    int size;  /* bytes of an element */
    bool tail; /* a shorter rest above dimension 0 is dropped */
    SliceFields dst, src;
} SliceDim;

/* Checks slice-burst-eq, slice-burst-1, slice-burst, slice-index, slice-fit, in this
 * order; src before dst. The fault's param is 0 for a rule on dst_slice_info, 1 on
 * src_slice_info. */
bool check_slice_dim(const SliceDim *d, Fault *fault);
/* Its parts: slice-burst*, which depends on both burst_len; slice-index of one list;
 * slice-fit, which must come after them and depends on all fields of the list but
 * shape. */
bool check_slice_bursts(const SliceDim *d, Fault *fault);
bool check_slice_indices(const SliceDim *d, bool src, Fault *fault);
bool check_slice_fit(const SliceDim *d, bool src, Fault *fault);
/* Returns the segments along the dimension, 1 or more, after check_slice_dim. */
PURE int64_t slice_count(const SliceDim *d, bool src);
/* Returns the reading of choice D8. */
static inline bool
slice_drops_tail(const Choices *c)
{
    return chosen(c, CHOICE_SLICE_TAIL) == CHOSE_SLICE_TAIL_DROP;
}
/* Returns whether the dimension ends with lines that are dropped. */
PURE bool slice_has_tail(const SliceDim *d, bool src);
/* Checks slice-total; dst and src are the segments of each list. */
bool check_slice_total(int64_t dst, int64_t src, Fault *fault);
/* Checks address-align of the segments of a dimension of a list for UB, which are pitch
 * bytes apart. */
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
    int n = op_form(op) == FORM_SEGMENTS ? SEGMENT_FEW : SEGMENT_DIMS;
    int first = SEGMENTS_len + 1;
    return (SegmentSlots){n, first, first + n, first + 2 * n, first + 3 * n};
}

/* The segments of a side. Dimensions of one segment are left out, those without gaps
 * between them are one; there is at least one, 0 is the innermost. */
typedef struct SegmentSide {
    int dims;
    int64_t count[SEGMENT_DIMS + 1], pitch[SEGMENT_DIMS + 1]; /* in bytes */
} SegmentSide;

/* Adds the next dimension to a side that began as zeros. After the last one the other
 * function ends the side. */
void segment_add(SegmentSide *s, int64_t count, int64_t pitch);
void segment_end(SegmentSide *s);
/* Joins segments of len bytes that follow each other on both sides. Returns the length of
 * the segments afterwards. */
int64_t segment_flatten(SegmentSide *dst, SegmentSide *src, int64_t len);

/* Checks the rules that relate the numbers of data_copy.slice, which check_values asks
 * and execution again: slice-total, address-align of the pitches of the operand in UB,
 * and slice-index if segments of one side overlap. */
bool check_segments(const CheckInstr *in, Fault *fault);
/* Returns the operands of data_copy.dim as a dimension. */
PURE SliceDim check_slice_operands(const CheckInstr *in);

#endif
