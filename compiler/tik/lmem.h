/* lmem.h: tensors in LMEM, shared by the files of the TIK objects that create, view and
 * use them. */
#ifndef TIKC_TIK_LMEM_H
#define TIKC_TIK_LMEM_H

#include "layout/lmem.h"
#include "tik/tik.h"

/* The place of a view of a tensor in the LMEM lanes. */
struct Lanes {
    LmemLayout layout;
    /* base is in bytes from the start of the root; with the layout cells, stride[LMEM_N]
     * is the distance from cell to cell */
    LmemTensor x;
    bool spread[LMEM_AXES]; /* bcast: one element stands for the whole axis */
};

/* The options layout, lane, stride and addr of a tensor that is being created; one that
 * is not given is a failed value. */
typedef struct LanesArgs {
    Value layout, lane, stride, addr;
    Span layout_span, lane_span, stride_span, addr_span, shape_span;
} LanesArgs;

/* Checks that none of them is given for a tensor that is not in LMEM; false with
 * layout-mismatch. */
bool tik_lanes_unused(Interp *in, const Root *r, const LanesArgs *a);
/* Computes the layout of a new tensor in LMEM, whose elements have that many bits, and
 * the room that it takes in each lane: fills elems, bytes and shape of the root. Null
 * with a diagnostic. */
const Lanes *tik_lanes_new(Interp *in, Root *r, const LanesArgs *a, const Dim *dim,
                           int ndim, int bits);
/* Returns whether the tensor is linear; false with layout-mismatch. what names the
 * operation, which tensors in LMEM do not have. */
bool tik_linear(Interp *in, const View *v, const char *what, Span span);
/* Returns the absolute address of the view's first byte in its lanes; -1 if it is not
 * known yet. */
int64_t tik_lanes_base(const View *v);

/* Reads the extents of a tensor in LMEM; false with lmem-rank or dma-dim-range. */
bool tik_lanes_shape(Interp *in, const Root *r, const Dim *dim, int ndim, Span span,
                     int64_t shape[LMEM_AXES]);
/* Moves a linear view with elements of 4 bits by e * stride elements; tik_halves_end then
 * requires that it begins with a byte. False with subbyte-layout. */
bool tik_halves_advance(Interp *in, View *v, ExprId e, ExprId stride, Span span);
bool tik_halves_end(Interp *in, View *v, Span span);
Value tik_lanes_view(Interp *in, View *v, const CallArgs *args);
/* Returns the part bias, weight or requant of the packed constant that a tensor holds. */
Value tik_lanes_part(Interp *in, View *v, const CallArgs *args);
Value tik_lanes_bcast(Interp *in, View *v, const CallArgs *args);
/* Returns a view of the root with that place in the lanes. */
View *tik_lanes_of(Interp *in, const View *v, const Lanes *l);
/* Reshapes a tensor in LMEM: extents of h and w may change. */
Value tik_lanes_reshape(Interp *in, View *v, const Dim *dim, int ndim, Span span);

/* ---- between tik/calls/lmem.c and tik/calls/lmem_conv.c ------------------ */

/* A tensor operand in the form that the instruction takes. */
typedef struct Side {
    View *v;
    const char *name;
    Span span;
    int64_t lane;
    int64_t shape[LMEM_AXES], stride[LMEM_AXES];
    int bits;
} Side;

/* A call on tensors in LMEM while its arguments become operands. */
typedef struct LanesCall {
    Interp *in;
    Tik *c;
    const CallArgs *args;
    const char *name; /* name of the method */
    Value got[MAX_PARAMS];
    Span span[MAX_PARAMS];
    int n;
} LanesCall;

/* tik/calls/lmem_cells.c: tik_lanes_in_cells returns whether a side has cells;
 * tik_lanes_move_cells records a move of such a side as one move for each batch item of a
 * cell, or reports why it cannot. */
bool tik_lanes_in_cells(const Side *s);
void tik_lanes_move_cells(LanesCall *x, const Side *d, const Side *s, const Span *span);
/* tik/calls/lmem.c: records one move of tensors with the given sides. */
void tik_lanes_record_move(LanesCall *x, Value dst, Value src, const Side *d,
                           const Side *s, LmemFunc func, const Span *span);

/* Begins every call: binds the arguments. False: nothing is recorded. */
bool tik_lanes_begin(LanesCall *x, Call call, Value *got, Span *span);
/* Add operands of the instruction: a value, a number, four numbers. */
void tik_lanes_put(LanesCall *x, Value v, Span span);
void tik_lanes_number(LanesCall *x, int64_t v);
void tik_lanes_axes(LanesCall *x, const int64_t n[LMEM_AXES]);
/* tik/lmem_extent.c: finds the value that an expression has whatever its registers and
 * variables hold. */
bool tik_fixed_sum(const Kernel *k, ExprId e, int64_t *out);
/* Read an operand; the second one accepts only tensors in LMEM with the layouts that
 * arithmetic has. */
bool tik_lanes_side(LanesCall *x, Value v, const char *name, Span span, Side *s);
bool tik_lanes_operand(LanesCall *x, Value v, const char *name, Span span, Side *s);

#endif
