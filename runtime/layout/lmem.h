/* lmem.h: formulas for the positions of the elements of a tensor in LMEM. The compiler,
 * the rules and both back ends use them, and there are no others.
 *
 * LMEM is npu lanes of lane_bytes each (isa.h, LmemTarget). A tensor has four axes n, c,
 * h, w, a start lane and a base, which is its first byte in every lane that it occupies.
 * Channel c is in lane (start + c) mod npu, slot (start + c) div npu; n, h and w never
 * choose the lane. Inside a lane element (n, c, h, w) is
 *
 *     n * stride[0] + slot * stride[1] + h * stride[2] + w * stride[3]
 *
 * elements after the base. Elements have 4, 8, 16 or 32 bits; the low half of a byte is
 * the 4-bit element with the even offset. Strides count elements here, also where a
 * processor writes them as bytes or as cells of 32 bits. */
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
    LMEM_ALIGNED,     /* channels begin at multiples of eu_bytes */
    LMEM_COMPACT,     /* elements have no gaps */
    LMEM_ROW_ALIGNED, /* rows begin at multiples of eu_bytes */
    LMEM_FREE,        /* strides are given by the program */
    /* cells of 32 bits, aligned, of consecutive batch items (StrideUnit CELL32) */
    LMEM_CELLS,
    LMEM_LAYOUTS
} LmemLayout;

const char *lmem_layout_name(LmemLayout l); /* "row_aligned" */
bool lmem_layout_find(const char *name, LmemLayout *out);

typedef struct LmemTensor {
    int64_t shape[LMEM_AXES];
    int64_t stride[LMEM_AXES];
    int64_t base; /* in bytes */
    int lane;     /* start lane */
    int bits;     /* bits of an element */
} LmemTensor;

/* Returns the number of elements of `bits` bits that the arithmetic units of a lane
 * handle at once. */
static inline int64_t
lmem_units(const LmemTarget *t, int bits)
{
    return 8 * (int64_t)t->eu_bytes / bits;
}

/* Returns the slots that the channels of a tensor take in each lane. */
static inline int64_t
lmem_slots(const LmemTarget *t, int lane, int64_t channels)
{
    return div_ceil(lane + channels, t->npu);
}

static inline int
lmem_lane(const LmemTarget *t, int lane, int64_t c)
{
    return (int)((lane + c) % t->npu);
}

static inline int64_t
lmem_slot(const LmemTarget *t, int lane, int64_t c)
{
    return (lane + c) / t->npu;
}

/* Fills x->stride as the layout defines it; x->shape, lane and bits are given. LMEM_FREE
 * leaves it unchanged. With LMEM_CELLS the stride of n is from cell to cell, which is
 * lmem_cell_items batch items; those of one cell follow each other. */
void lmem_strides(const LmemTarget *t, LmemLayout layout, LmemTensor *x);
/* Returns the bytes that an allocation of the tensor takes in each lane, with its
 * padding; in the free layout those up to the last element. -1 when they are more than
 * 2^48. */
int64_t lmem_bytes(const LmemTarget *t, LmemLayout layout, const LmemTensor *x);
/* Returns the number of elements from the base to the last element in any lane; 2^48
 * where it would be more. */
int64_t lmem_extent(const LmemTarget *t, const LmemTensor *x);
/* Returns the offset of an element from the base, in elements, in lane lmem_lane(c). */
static inline int64_t
lmem_offset(const LmemTarget *t, const LmemTensor *x, const int64_t at[LMEM_AXES])
{
    return at[0] * x->stride[0] + lmem_slot(t, x->lane, at[1]) * x->stride[1] +
           at[2] * x->stride[2] + at[3] * x->stride[3];
}

/* Returns the LMEM lanes that the channels of a tensor occupy, as bits. */
uint64_t lmem_lanes(const LmemTarget *t, int lane, int64_t channels);
/* Returns whether two elements of the tensor may share an address. */
bool lmem_repeats(const LmemTarget *t, const LmemTensor *x);
/* Returns whether the two tensors certainly share no byte of an LMEM lane. It is exact,
 * except for tensors that interleave in very many ways, where it may be false for tensors
 * that are apart. */
bool lmem_apart(const LmemTarget *t, const LmemTensor *a, const LmemTensor *b);

/* Returns the box [lo, hi) of a tensor as a tensor of its own, with another base, start
 * lane and shape, and the same strides. A box of 4-bit elements must begin at an even
 * offset. */
LmemTensor lmem_view(const LmemTarget *t, const LmemTensor *x,
                     const int64_t lo[LMEM_AXES], const int64_t hi[LMEM_AXES]);
/* Returns whether the tensor has the strides that the layout gives it, and a base that
 * the layout allows. */
bool lmem_has_layout(const LmemTarget *t, LmemLayout layout, const LmemTensor *x);
/* Returns the alignment of the base of a tensor of the layout, in bytes. */
int64_t lmem_base_unit(const LmemTarget *t, LmemLayout layout, int bits);

/* Unified addresses count through the lanes one after the other. */
static inline int64_t
lmem_address(const LmemTarget *t, int64_t lane, int64_t byte)
{
    return lane * t->lane_bytes + byte;
}

static inline int64_t
lmem_bank(const LmemTarget *t, int64_t byte)
{
    return byte % t->lane_bytes / (t->lane_bytes / t->banks);
}

/* Returns the banks of bytes [from, from + bytes) of a lane, as bits. */
uint32_t lmem_banks(const LmemTarget *t, int64_t from, int64_t bytes);

/* Gives the shape of the tensor that a matrix of rows x columns is, with `per` columns
 * per channel. Element (r, j) is (r, j div per, 0, j mod per). */
void lmem_matrix(int64_t rows, int64_t columns, int64_t per, int64_t shape[LMEM_AXES]);

/* On processors with StrideUnit CELL32, g = 32 / bits consecutive batch items share a
 * cell of 32 bits. Returns the tensor of cells, aligned; element (n, c, h, w) is in cell
 * (n div g, c, h, w) at byte (n mod g) * bits / 8. */
LmemTensor lmem_cells(const LmemTarget *t, const LmemTensor *x);
/* Returns the batch items of a cell. */
static inline int64_t
lmem_cell_items(int bits)
{
    return bits < 32 ? 32 / bits : 1;
}

/* Returns the distance of LMEM lanes in the memory of the host for a kernel that uses
 * `bytes` bytes of each lane: an odd number of cache lines, so that equal bytes of the
 * lanes do not compete for the same cache set. */
static inline int64_t
lmem_pitch(int64_t bytes)
{
    enum {
        LINE = 64
    };
    return (div_ceil(bytes, LINE) | 1) * LINE;
}

#endif
