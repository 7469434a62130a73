/* lmem.h: where the elements of a tensor stand in the lanes of local memory (LMEM). The
 * one place of these formulas: the compiler, the rules and both back ends take them from
 * here.
 *
 * LMEM is npu lanes of lane_bytes each (isa.h, LaneTarget). A tensor has four axes n, c,
 * h, w, a start lane and a base, its first byte in every lane that it occupies. Channel c
 * stands in lane (start + c) mod npu, slot (start + c) div npu; n, h and w never choose
 * the lane. Inside a lane element (n, c, h, w) is
 *
 *     n * stride[0] + slot * stride[1] + h * stride[2] + w * stride[3]
 *
 * elements behind the base. Elements have 4, 8, 16 or 32 bits; of two 4-bit elements of a
 * byte the one with the even offset is the low half. Strides count elements; where a
 * processor counts bytes or cells of 32 bits, that is how it writes them down, not how it
 * is computed here. */
#ifndef TIK_LMEM_H
#define TIK_LMEM_H

#include "isa/integer.h"
#include "isa/isa.h"

enum {
    LMEM_AXES = 4,
    LMEM_N = 0,
    LMEM_C = 1,
    LMEM_H = 2,
    LMEM_W = 3,
    LMEM_MAX_STRIDE = (1 << 18) - 1,
    LMEM_MAX_LANES = 64
};

typedef enum LmemLayout {
    LMEM_ALIGNED, /* channels begin at multiples of the bytes of the arithmetic units */
    LMEM_COMPACT, /* nothing between elements */
    LMEM_ROW_ALIGNED, /* rows do */
    LMEM_FREE,        /* strides are given */
    /* cells of 32 bits, aligned, of consecutive batch items (StrideUnit CELL32) */
    LMEM_CELLS,
    LMEM_LAYOUTS
} LmemLayout;

const char *lmem_layout_name(LmemLayout l); /* "row_aligned" */
bool lmem_layout_find(const char *name, LmemLayout *out);

typedef struct LmemTensor {
    int64_t shape[LMEM_AXES];
    int64_t stride[LMEM_AXES];
    int64_t base; /* bytes */
    int lane;     /* start lane */
    int bits;     /* of an element */
} LmemTensor;

/* Elements of so many bits that the arithmetic units of a lane handle at once. */
static inline int64_t
lmem_units(const LaneTarget *t, int bits)
{
    return 8 * (int64_t)t->eu_bytes / bits;
}

/* Slots that channels of a tensor take in each lane. */
static inline int64_t
lmem_slots(const LaneTarget *t, int lane, int64_t channels)
{
    return div_ceil(lane + channels, t->npu);
}

static inline int
lmem_lane(const LaneTarget *t, int lane, int64_t c)
{
    return (int)((lane + c) % t->npu);
}

static inline int64_t
lmem_slot(const LaneTarget *t, int lane, int64_t c)
{
    return (lane + c) / t->npu;
}

/* Fills x->stride after the layout; x->shape, lane and bits are given. LMEM_FREE: leaves
 * it. LMEM_CELLS: the stride of n is from cell to cell, that is of lmem_cell_items batch
 * items; those of one cell follow each other. */
void lmem_strides(const LaneTarget *t, LmemLayout layout, LmemTensor *x);
/* Bytes that an allocation of the tensor takes in each lane, with its padding; of the
 * free layout those up to the last element. -1: more than 2^48. */
int64_t lmem_bytes(const LaneTarget *t, LmemLayout layout, const LmemTensor *x);
/* Elements from the base up to one past the last element in any lane; 2^48 where it would
 * be more. */
int64_t lmem_extent(const LaneTarget *t, const LmemTensor *x);
/* Elements behind the base, in lane lmem_lane(c). */
static inline int64_t
lmem_offset(const LaneTarget *t, const LmemTensor *x, const int64_t at[LMEM_AXES])
{
    return at[0] * x->stride[0] + lmem_slot(t, x->lane, at[1]) * x->stride[1] +
           at[2] * x->stride[2] + at[3] * x->stride[3];
}

/* The lanes that channels of a tensor occupy, as bits. */
uint64_t lmem_lanes(const LaneTarget *t, int lane, int64_t channels);
/* Whether the bits of an element of the tensor may stand elsewhere too: two elements
 * share an address. */
bool lmem_repeats(const LaneTarget *t, const LmemTensor *x);
/* Whether the two tensors certainly share no byte of a lane: exact, but for tensors whose
 * places interleave in very many ways. */
bool lmem_apart(const LaneTarget *t, const LmemTensor *a, const LmemTensor *b);

/* The box [lo, hi) of a tensor as a tensor of its own: other base, start lane and shape,
 * the same strides. Of 4-bit elements the box begins at an even offset. */
LmemTensor lmem_view(const LaneTarget *t, const LmemTensor *x,
                     const int64_t lo[LMEM_AXES], const int64_t hi[LMEM_AXES]);
/* Whether the tensor has the strides that the layout gives it, and a base that the layout
 * asks for. */
bool lmem_has_layout(const LaneTarget *t, LmemLayout layout, const LmemTensor *x);
/* The multiple that the base of a tensor of the layout is of, bytes. */
int64_t lmem_base_unit(const LaneTarget *t, LmemLayout layout, int bits);

/* Unified addresses: lanes one behind the other. */
static inline int64_t
lmem_address(const LaneTarget *t, int64_t lane, int64_t byte)
{
    return lane * t->lane_bytes + byte;
}

static inline int64_t
lmem_bank(const LaneTarget *t, int64_t byte)
{
    return byte % t->lane_bytes / (t->lane_bytes / t->banks);
}

/* The banks that bytes [from, from + bytes) of a lane touch, as bits. */
uint32_t lmem_banks(const LaneTarget *t, int64_t from, int64_t bytes);

/* A matrix of rows x columns with so many columns per channel: the shape of the tensor
 * that it is. Element (r, j) is (r, j div per, 0, j mod per). */
void lmem_matrix(int64_t rows, int64_t columns, int64_t per, int64_t shape[LMEM_AXES]);

/* Cells (processors with StrideUnit CELL32): 32 / bits consecutive batch items share a
 * cell of 32 bits. The tensor of cells, aligned; element (n, c, h, w) is in cell (n div
 * g, c, h, w) at byte (n mod g) * bits / 8. */
LmemTensor lmem_cells(const LaneTarget *t, const LmemTensor *x);
/* Batch items of one cell. */
static inline int64_t
lmem_cell_items(int bits)
{
    return bits < 32 ? 32 / bits : 1;
}

/* How far apart the lanes lie in the memory of the machine that runs a kernel which uses
 * so many bytes of each: an odd number of its cache lines, so that equal bytes of the
 * lanes do not compete for one place in the caches. */
static inline int64_t
lmem_pitch(int64_t bytes)
{
    enum {
        LINE = 64
    };
    return (div_ceil(bytes, LINE) | 1) * LINE;
}

#endif
