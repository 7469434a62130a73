/* rows.h: what the emulator does on all lanes of repeats beside arithmetic: compares,
 * selections, trees of sums, extremes. There is a table for each level of the processor's
 * vector unit, made from the same text (emu/rows_lanes.c), so all compute the same bits.
 * Addresses need no alignment. */
#ifndef TIK_EMU_ROWS_H
#define TIK_EMU_ROWS_H

#include "isa/isa.h"

/* Conditions on two lanes; NE accepts lanes that are not ordered. */
typedef enum RowCondition {
    ROW_LT,
    ROW_GT,
    ROW_GE,
    ROW_EQ,
    ROW_NE,
    ROW_LE,
    ROW_CONDITIONS
} RowCondition;

/* Sets on[i] to 1 if the condition holds for a[i] and b[i], else to 0. */
typedef void RowRelate(uint8_t *on, const uint8_t *a, const uint8_t *b, int64_t n);
/* Sets dst[i] to a[i] where on[i] is not 0, and to b[i] where it is. dst may be a or b.
 */
typedef void RowSelect(uint8_t *dst, const uint8_t *on, const uint8_t *a,
                       const uint8_t *b, int64_t n);
/* Does the same with lane i on if bit i is 1. All of dst is a or b, or shares no byte
 * with it. */
typedef void RowChoose(uint8_t *dst, const uint8_t *bits, const uint8_t *a,
                       const uint8_t *b, int64_t n);

/* The lanes of a repeat that are active, in both forms. */
typedef struct RowMask {
    uint64_t bits[MAX_LANES / 64];
    uint8_t on[MAX_LANES]; /* 0 or 1 */
    int lanes;             /* a power of two, 32 or more */
} RowMask;

/* Copies those of n elements that are active; after all lanes of the mask it begins
 * anew. */
typedef void RowMasked(uint8_t *dst, const uint8_t *src, const RowMask *mask, int64_t n);
/* Sets dst[i] to src[2 * i] + src[2 * i + 1] for i < n, rounded once, a NaN canonical.
 * They share no byte. */
typedef void RowPairs(uint8_t *dst, const uint8_t *src, int64_t n);

/* The extreme of lanes. */
typedef struct RowExtreme {
    int32_t key;  /* INT32_MIN: no lane is on; the same for equal numbers; more for larger
                     ones, or for smaller ones if the smallest is sought */
    int32_t at;   /* its first lane */
    int32_t many; /* number of lanes that are equal to it */
} RowExtreme;

/* Gives the extreme of n <= 128 lanes, of those with on[i] = 1; on null: of all.
 * NaN is less extreme than every number: its key is ROW_NAN. */
typedef void RowFind(RowExtreme *e, const uint8_t *src, const uint8_t *on, int64_t n,
                     bool largest);
/* Gives the first lane with the extreme number of each of n blocks of 32 bytes, as bits;
 * that of a block without numbers is NaN. */
typedef void RowBlocks(uint8_t *dst, const uint8_t *src, int64_t n, bool largest);

enum {
    ROW_NAN = INT32_MIN + 1
};

/* Where the bytes of repeats are: in blocks of 32 bytes, and one after another. */
typedef struct RowStrides {
    int64_t blk, rep; /* bytes from block to block and from repeat to repeat */
    int64_t each;     /* bytes of a repeat that are copied */
    int64_t dense;    /* bytes from repeat to repeat where blocks follow each other */
} RowStrides;

/* Copies the bytes of repeats: gather from blocks, scatter to blocks. dst and src share
 * no byte. */
typedef void RowStrided(uint8_t *dst, const uint8_t *src, const RowStrides *s,
                        int64_t repeats);

typedef struct RowTable {
    RowRelate *relate[DT_COUNT][ROW_CONDITIONS];
    RowSelect *select[4]; /* by the logarithm of the bytes of an element */
    RowChoose *choose[4];
    RowMasked *masked[4];
    RowMasked *kept[4]; /* sets those that are not active to 0 */
    RowPairs *pairs[DT_COUNT];
    RowFind *find[DT_COUNT];
    RowBlocks *blocks[DT_COUNT];
    RowStrided *gather, *scatter;
    /* Packs n lanes, a multiple of 8, into bits with lane 0 in the lowest one. */
    void (*pack)(uint8_t *bits, const uint8_t *on, int64_t n);
    /* Does the reverse for at least n lanes, up to the next multiple of 8. */
    void (*unpack)(uint8_t *on, const uint8_t *bits, int64_t n);
} RowTable;

extern const RowTable emu_rows_base;
/* empty where the family of processors is not x86-64 */
extern const RowTable emu_rows_avx2, emu_rows_avx512;

/* Returns the table for the processor that runs this. */
const RowTable *emu_rows(void);

#endif
