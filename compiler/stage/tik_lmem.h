/* tik_lmem.h: tensors in lanes of LMEM, between the files of the TIK objects that know of them. */
#ifndef TIKC_TIK_LMEM_H
#define TIKC_TIK_LMEM_H

#include "layout/lmem.h"
#include "stage/tik.h"

/* How a view of a tensor in LMEM lies in the lanes. */
struct Lanes {
    LmemLayout layout;
    LmemTensor x;           /* base: bytes behind the start of the root */
    bool spread[LMEM_AXES]; /* bcast: one element stands for all of the axis */
};

/* The options layout, lane, stride and addr of a tensor that is being created; a failed value: not given. */
typedef struct LanesArgs {
    Value layout, lane, stride, addr;
    Span layout_span, lane_span, stride_span, addr_span, shape_span;
} LanesArgs;

/* False with layout-mismatch when one of them is given for a tensor that is not in LMEM. */
bool tik_lanes_unused(Interp *in, const Root *r, const LanesArgs *a);
/* The layout of a new tensor in LMEM, and what it takes of each lane: fills elems, bytes and shape of the root. Null
 * with a diagnostic. bits: of an element. */
const Lanes *tik_lanes_new(Interp *in, Root *r, const LanesArgs *a, const Dim *dim,
                           int ndim, int bits);
/* Whether the tensor is linear; false with layout-mismatch: what is for tensors of other memories. */
bool tik_linear(Interp *in, const View *v, const char *what, Span span);
/* Bytes of a lane that the view reaches, and the absolute address of its first byte; -1: not known yet. */
int64_t tik_lanes_base(const View *v);

Value tik_lanes_view(Interp *in, View *v, const CallArgs *args);
Value tik_lanes_bcast(Interp *in, View *v, const CallArgs *args);
/* reshape of a tensor in LMEM: other extents of h and w. */
Value tik_lanes_reshape(Interp *in, View *v, const Dim *dim, int ndim, Span span);

#endif
