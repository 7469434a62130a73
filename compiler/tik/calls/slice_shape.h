/* slice_shape.h: calls on slices of tensors while they are recorded:
 * tik/calls/slice_shape.c has shapes and loops, tik/calls/slice.c the methods. Private to
 * compiler/tik/calls/slice*.c. */
#ifndef TIKC_TIK_SLICE_H
#define TIKC_TIK_SLICE_H

#include "tik/tik.h"

enum {
    SLICE_MOST = 4, /* slices of one call */
    SLICE_RANK =
        65, /* dimensions of a view: those of a shape and one of a reinterpretation */
    SLICE_HEAD = 6 /* operands of a form before its numbers */
};

/* The dimensions that the slices of a call have in common; stride[k][i]: of slice k. */
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
    int n; /* slices, the destination first */
    View *v[SLICE_MOST];
    const char *name[SLICE_MOST]; /* of their parameters */
    Span span[SLICE_MOST];
    /* operands before the numbers, in the order of the form; the slices are among them */
    int nhead;
    Value head[SLICE_HEAD];
    Span head_span[SLICE_HEAD];
    int at[SLICE_MOST]; /* where in head slice k stands */
    bool same_form; /* the form has a number that tells whether the shapes are equal */
    SliceDims dims; /* of the results */
    SliceDims axes; /* reductions: of the last slice, what is reduced */
    int inner, inner_axes; /* dimensions that the instruction has room for */
    ExprId unequal;        /* 0 where the shapes are equal */
    /* the form has the number of the first element, modulo 16, behind its operands */
    bool counts;
    ExprId first; /* recording in loops: number of the present round of all of them */
} SliceCall;

/* Reads the slices' shapes into x->dims. False: they differ, or their steps do; with
 * diagnostic. */
bool tik_slice_shapes(SliceCall *x);
/* The same for a reduction of the second slice along the axes whose bits are set. first:
 * slice that has the shape of the results, 1 where they are one number. */
bool tik_slice_axes(SliceCall *x, const bool *reduced, bool one_number);
/* Records the instruction, in loops where it has more dimensions than its form. */
bool tik_slice_record(SliceCall *x);

/* The tensor of TIK_H_BYTES that calls on slices reserve in UB, as elements of the
 * dtype. */
View *tik_slice_room(Interp *in, Tik *c, Dtype t);

/* When the kernel is built: the room that calls on slices reserve exists from its first
 * statement on. */
void tik_slice_begin(Tik *c);

#endif
