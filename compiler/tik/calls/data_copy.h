/* data_copy.h: one call of data_copy, for the files that compile a form of it. A form is
 * a function of a row of the table of cases (tik/calls/data_copy.c); it records or
 * reports, and is false only where the program cannot go on. */
#ifndef TIKC_TIK_DATA_COPY_H
#define TIKC_TIK_DATA_COPY_H

#include "tik/struct.h"

typedef struct Copy {
    Interp *in;
    Tik *c;
    const CallArgs *args;
    Value dst, src; /* set by tik_copy_bind */
    Span dst_span, src_span;
} Copy;

/* The arguments of a form: dst, src and those that it adds. False with argument-count. */
bool tik_copy_bind(Copy *x, Call call, Value *got, Span *span);

/* Both tensors have one dtype; false with dtype-mismatch, which nothing allows here. */
bool tik_copy_one_type(const Copy *x, const View *dst, const View *src);

/* tik/calls/segment.c: lists of SliceInfo. */
bool tik_copy_slices(Copy *x);

#endif
