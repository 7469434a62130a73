/* cube.h: what products of matrices in the emulator do beside adding products
 * (num/dot.h): factors become numbers and panels, sums begin and end. There is a table
 * for each level of the processor's vector unit, made from the same text
 * (emu/cube_lanes.c), so all compute the same bits. Addresses need no alignment. */
#ifndef TIK_EMU_CUBE_H
#define TIK_EMU_CUBE_H

#include "isa/isa.h"
#include "layout/fractal.h"
#include "num/dot.h"

enum {
    CUBE_WORDS = 16 /* of 32 bits, that the terms of a run become; of float32 8 */
};

/* How sums are stored. FINITE: infinity is the largest number with its sign, NaN is +0;
 * else NaN is canonical. Sums of integers are clamped. */
typedef enum CubeEnd {
    CUBE_END_S32,
    CUBE_END_U32,
    CUBE_END_F32,
    CUBE_END_F32_FINITE,
    CUBE_END_F16,
    CUBE_END_F16_FINITE,
    CUBE_ENDS
} CubeEnd;

/* Makes numbers of n runs: int16 of bytes, else floats. step: bytes from those of a run
 * to those of the next. */
typedef void CubeWiden(void *to, int64_t step, const uint8_t *const *runs, int64_t n);
/* Begins n rows of 16 sums, DOT_PIXELS apart, with those at from; step: bytes from row to
 * row there. */
typedef void CubeBegin(float *sums, const uint8_t *from, int64_t step, int64_t n);
/* Stores n rows of 16 sums, DOT_PIXELS apart, as contiguous rows. Integers are added to
 * those at `was`; step: bytes from row to row there. */
typedef void CubeFinish(uint8_t *to, const uint32_t *sums, int64_t n, const uint8_t *was,
                        int64_t step);

typedef struct CubeTable {
    CubeWiden *widen[DT_COUNT];
    CubeBegin *begin[DT_COUNT];
    CubeFinish *finish[CUBE_ENDS];
    /* Makes [word][column] of [column][word] for the first n words of DOT_PIXELS
     * columns. */
    void (*turn)(uint32_t *to, const uint32_t *from, int64_t n);
} CubeTable;

extern const CubeTable emu_cube_base;
/* empty where the family of processors is not x86-64 */
extern const CubeTable emu_cube_avx2, emu_cube_avx512;

#endif
