/* lanes.h: the arithmetic of vector instructions on contiguous lanes. One table per level
 * of the processor's vector unit, made from the same text (emu/vector_lanes.c), so all
 * compute the same bits.
 *
 * A lane function writes n elements at dst from n elements at src0 (and src1), or from
 * src0 and one scalar in the canonical form of scalar.h; fused ones (sem_reads_dst) also
 * from what dst holds. A source is identical with dst, where the types have one size, or
 * shares no byte with the n elements of dst. Addresses need no alignment.
 *
 * Values (docs/instructions.md): add sub mul max min and relu write the canonical quiet
 * NaN whenever the result is NaN; abs, dup and the bit operations keep payloads. max and
 * min of +0 and -0 give the first operand. float16 computes in float32 and rounds once to
 * nearest even. Integers wrap. */
#ifndef TIK_EMU_LANES_H
#define TIK_EMU_LANES_H

#include "isa/choice.h"
#include "isa/isa.h"

typedef void LaneFn(uint8_t *dst, const uint8_t *src0, const uint8_t *src1,
                    int64_t scalar, int64_t n);

typedef struct LaneTable {
    LaneFn *vector[SEM_COUNT][DT_COUNT]; /* two sources, or one */
    LaneFn *scalar[SEM_COUNT][DT_COUNT]; /* one source and a scalar; dup: a scalar */
    /* The same for sources of another type (emu_lane_source), by the type of dst. */
    LaneFn *mixed_vector[SEM_COUNT][DT_COUNT], *mixed_scalar[SEM_COUNT][DT_COUNT];
} LaneTable;

extern const LaneTable emu_lanes_base;
extern const LaneTable
    emu_lanes_avx2; /* empty where the processor family is not x86-64 */

/* The operation, of which the last source is a scalar or is not. */
typedef struct LaneWork {
    Sem sem;
    bool scalar;
} LaneWork;

/* The function for an operation on the processor that runs this, by the types of its
 * destination and of its sources (DT_NONE: it has none); null: none. */
LaneFn *emu_lane_fn(const Choices *c, LaneWork w, Dtype dst, Dtype src);
/* What other readings make of it (emu/variant.c), for operands of one type; null:
 * nothing. */
LaneFn *emu_lane_reading(const Choices *c, Sem sem, Dtype t, bool scalar);

/* The mathematical functions (emu/lanes.c), by SEM_EXP and so on; null: none. */
LaneFn *emu_lane_function(Sem sem, Dtype t);
/* Shifts, which take the number of bits as scalar; null: none. */
LaneFn *emu_lane_shift(Sem sem, Dtype t, bool rounded);
/* To the left, of signed types, with the sign bit; null: none. */
LaneFn *emu_lane_shift_all(Dtype t);

#endif
