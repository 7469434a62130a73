/* lmem.h: tensors in lanes of LMEM, between the files of the TIK objects that know of
 * them. */
#ifndef TIKC_TIK_LMEM_H
#define TIKC_TIK_LMEM_H

#include "layout/lmem.h"
#include "tik/tik.h"

/* How a view of a tensor in LMEM lies in the lanes. */
struct Lanes {
    LmemLayout layout;
    /* base: bytes behind the start of the root; of cells stride[LMEM_N] is from cell to
     * cell */
    LmemTensor x;
    bool spread[LMEM_AXES]; /* bcast: one element stands for all of the axis */
};

/* The options layout, lane, stride and addr of a tensor that is being created; a failed
 * value: not given. */
typedef struct LanesArgs {
    Value layout, lane, stride, addr;
    Span layout_span, lane_span, stride_span, addr_span, shape_span;
} LanesArgs;

/* False with layout-mismatch when one of them is given for a tensor that is not in
 * LMEM. */
bool tik_lanes_unused(Interp *in, const Root *r, const LanesArgs *a);
/* The layout of a new tensor in LMEM, and what it takes of each lane: fills elems, bytes
 * and shape of the root. Null with a diagnostic. bits: of an element. */
const Lanes *tik_lanes_new(Interp *in, Root *r, const LanesArgs *a, const Dim *dim,
                           int ndim, int bits);
/* Whether the tensor is linear; false with layout-mismatch: what is for tensors of other
 * memories. */
bool tik_linear(Interp *in, const View *v, const char *what, Span span);
/* Bytes of a lane that the view reaches, and the absolute address of its first byte; -1:
 * not known yet. */
int64_t tik_lanes_base(const View *v);

/* The extents of a tensor in LMEM; false with lmem-rank or dma-dim-range. */
bool tik_lanes_shape(Interp *in, const Root *r, const Dim *dim, int ndim, Span span,
                     int64_t shape[LMEM_AXES]);
/* Of a linear tensor with elements of 4 bits: off += e * stride elements, which at the
 * end begins with a byte. False with subbyte-layout. */
bool tik_halves_advance(Interp *in, View *v, ExprId e, ExprId stride, Span span);
bool tik_halves_end(Interp *in, View *v, Span span);
Value tik_lanes_view(Interp *in, View *v, const CallArgs *args);
/* bias, weight or requant of the packed constant that a tensor holds. */
Value tik_lanes_part(Interp *in, View *v, const CallArgs *args);
Value tik_lanes_bcast(Interp *in, View *v, const CallArgs *args);
/* A view of the root that lies so. */
View *tik_lanes_of(Interp *in, const View *v, const Lanes *l);
/* reshape of a tensor in LMEM: other extents of h and w. */
Value tik_lanes_reshape(Interp *in, View *v, const Dim *dim, int ndim, Span span);

/* ---- between tik/calls/lmem.c and tik/calls/lmem_conv.c ------------------ */

/* A tensor operand as the instruction takes it. */
typedef struct Side {
    View *v;
    const char *name;
    Span span;
    int64_t lane;
    int64_t shape[LMEM_AXES], stride[LMEM_AXES];
    int bits;
} Side;

/* One call on its way. */
typedef struct LanesCall {
    Interp *in;
    Tik *c;
    const CallArgs *args;
    const char *name; /* of the method */
    Value got[MAX_PARAMS];
    Span span[MAX_PARAMS];
    int n;
} LanesCall;

/* tik/calls/lmem_cells.c: whether a side has cells; a move of which one has, as one move
 * for each batch item of a cell. False with a diagnostic, or nothing recorded. */
bool tik_lanes_in_cells(const Side *s);
void tik_lanes_move_cells(LanesCall *x, const Side *d, const Side *s, const Span *span);
/* tik/calls/lmem.c: records one move of tensors whose sides are as given. */
void tik_lanes_record_move(LanesCall *x, Value dst, Value src, const Side *d,
                           const Side *s, LmemFunc func, const Span *span);

/* What every call begins with. 1: go on; 0: nothing is recorded; -1: the arguments do not
 * fit. */
bool tik_lanes_begin(LanesCall *x, Call call, Value *got, Span *span);
/* Add to the operands of the instruction: a value, a number, four of them. */
void tik_lanes_put(LanesCall *x, Value v, Span span);
void tik_lanes_number(LanesCall *x, int64_t v);
void tik_lanes_axes(LanesCall *x, const int64_t n[LMEM_AXES]);
/* tik/lmem_extent.c: the value of an expression whatever its registers and variables
 * hold. */
bool tik_fixed_sum(const Kernel *k, ExprId e, int64_t *out);
/* Reads an operand; the second one takes tensors in LMEM of the layouts that arithmetic
 * has. */
bool tik_lanes_side(LanesCall *x, Value v, const char *name, Span span, Side *s);
bool tik_lanes_operand(LanesCall *x, Value v, const char *name, Span span, Side *s);

#endif
