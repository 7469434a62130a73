/* data_copy.h: one call of data_copy, for the files that compile a case of it. A case is
 * a row of the table of cases (tik/calls/data_copy.c) and its function, which records or
 * reports, and is false only if the program cannot go on. */
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

/* Binds the arguments of a case: dst, src and those that it adds. False with
 * argument-count. */
bool tik_copy_bind(Copy *x, Call call, Value *got, Span *span);

/* Returns whether both tensors have one dtype; false with dtype-mismatch, which no
 * option allows. */
bool tik_copy_one_type(const Copy *x, const View *dst, const View *src);

/* Compiles the case with lists of SliceInfo (tik/calls/segment.c). */
bool tik_copy_slices(Copy *x);

#endif
