/* slice_shape.h: calls on slices of tensors while they are recorded:
 * tik/calls/slice_shape.c has shapes and loops, tik/calls/slice.c the methods. Private to
 * compiler/tik/calls/slice*.c. */
#ifndef TIKC_TIK_SLICE_H
#define TIKC_TIK_SLICE_H

#include "tik/tik.h"

enum {
    SLICE_MOST = 4,  /* most slices of one call */
    SLICE_RANK = 65, /* of a view: of a shape, and one of a reinterpretation */
    SLICE_HEAD = 6   /* most operands of a form before its numbers */
};

/* The dimensions that the slices of a call have in common; stride[k] are those of
 * slice k. */
typedef struct SliceDims {
    int n;
    ExprId len[SLICE_RANK];
    ExprId stride[SLICE_MOST][SLICE_RANK];
} SliceDims;

typedef struct SliceCall {
    Interp *in;
    Tik *c;
    const CallArgs *args;
    Op op;
    int n; /* number of slices, the destination first */
    View *v[SLICE_MOST];
    const char *name[SLICE_MOST]; /* names of their parameters */
    Span span[SLICE_MOST];
    /* number of operands before the numbers, in the order of the form; slices are
     * among them */
    int nhead;
    Value head[SLICE_HEAD];
    Span head_span[SLICE_HEAD];
    int at[SLICE_MOST]; /* index of slice k in head */
    bool same_form;     /* the form has a number that says whether the shapes are equal */
    SliceDims dims;     /* dimensions of the results */
    SliceDims axes;     /* reductions: the reduced dimensions of the last slice */
    int inner, inner_axes; /* dimensions that the instruction has room for */
    ExprId unequal;        /* 0 where the shapes are equal */
    /* the form has the number of the first element, modulo 16, after its operands */
    bool counts;
    ExprId first; /* number of the iteration of all loops together */
} SliceCall;

/* Reads the slices' shapes into x->dims. False with a diagnostic: they differ, or their
 * steps do. */
bool tik_slice_shapes(SliceCall *x);
/* Reads the shapes of a reduction of the second slice along the axes whose flag is set.
 * one_number: the results are one number and have no slice. */
bool tik_slice_axes(SliceCall *x, const bool *reduced, bool one_number);
/* Records the instruction, in loops if it has more dimensions than its form. */
bool tik_slice_record(SliceCall *x);

/* Returns the tensor of TIK_H_BYTES that calls on slices reserve in UB, as elements of
 * the dtype. */
View *tik_slice_room(Interp *in, Tik *c, Dtype t);

/* Inserts the tensor that calls on slices reserve as the first statement when the kernel
 * is built. */
void tik_slice_begin(Tik *c);

#endif
