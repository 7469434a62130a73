/* lanes.h: the arithmetic of vector instructions on contiguous vector lanes. There is a
 * table for each level of the processor's vector unit, made from the same text
 * (emu/vector_lanes.c), so all compute the same bits.
 *
 * A lane function writes n elements at dst from n elements at src0 (and src1), or from
 * src0 and one scalar in the canonical form of scalar.h; fused ones (sem_reads_dst) also
 * from the elements of dst. A source is equal to dst, if the types have the same size, or
 * shares no byte with the n elements of dst. Addresses need no alignment.
 *
 * Values (docs/instructions.md): add sub mul max min and relu write the canonical quiet
 * NaN whenever the result is NaN; abs, dup and the bit operations keep payloads. max and
 * min of +0 and -0 give the first operand. float16 rounds once to nearest even. Integers
 * wrap. */
#ifndef TIK_EMU_LANES_H
#define TIK_EMU_LANES_H

#include "isa/choice.h"
#include "isa/isa.h"

typedef void LaneFn(uint8_t *dst, const uint8_t *src0, const uint8_t *src1,
                    int64_t scalar, int64_t n);

typedef struct LaneTable {
    LaneFn *vector[SEM_COUNT][DT_COUNT]; /* two sources, or one */
    LaneFn *scalar[SEM_COUNT][DT_COUNT]; /* one source and a scalar; dup: a scalar */
    /* functions for sources of another type than dst (emu_lane_source), by the type of
     * dst */
    LaneFn *mixed_vector[SEM_COUNT][DT_COUNT], *mixed_scalar[SEM_COUNT][DT_COUNT];
} LaneTable;

extern const LaneTable emu_lanes_base;
extern const LaneTable emu_lanes_avx2,
    emu_lanes_avx512; /* empty where the family is not x86-64 */
/* Some functions of float16, for processors with num_has_half(). */
extern const LaneTable emu_lanes_half;

/* An operation whose last source is a scalar or a tensor. */
typedef struct LaneWork {
    Sem sem;
    bool scalar;
} LaneWork;

/* Returns the function for an operation on the processor that runs this, by the types of
 * its destination and of its sources (DT_NONE: it has no sources); null when there is
 * none. */
LaneFn *emu_lane_fn(const Choices *c, LaneWork w, Dtype dst, Dtype src);
/* Returns the function that the chosen readings require instead (emu/variant.c), for
 * operands of one type; null when it is the usual one. */
LaneFn *emu_lane_reading(const Choices *c, Sem sem, Dtype t, bool scalar);

/* Returns a mathematical function (emu/lanes.c) by SEM_EXP and so on; null when there is
 * none. */
LaneFn *emu_lane_function(Sem sem, Dtype t);
/* Returns a shift, which takes the number of bits as its scalar; null when there is
 * none. */
LaneFn *emu_lane_shift(Sem sem, Dtype t, bool rounded);
/* Returns the shift to the left that moves the sign bit of signed types too; null when
 * there is none. */
LaneFn *emu_lane_shift_all(Dtype t);

#endif
