/* gemm.h: the inner loops of products of matrices, by level of the processor's vector
 * unit. ops/cube.c drives them.
 *
 * Terms are packed in words of 32 bits: one float, two int16 or four bytes, so that one
 * step of a kernel adds one, two or four terms of each sum. The second factor is packed
 * in panels of columns, [step][column]; the first one in rows. Kernels go over the
 * columns of a panel with vectors and over the steps in order: the order of the terms of
 * a sum is that of k, whatever the level. Products of floats are rounded before they are
 * added, except those that are exact in float32 (GEMM_HALF), so all levels compute the
 * same bits. */
#ifndef TIK_GEMM_H
#define TIK_GEMM_H

#include <stdbool.h>
#include <stdint.h>

enum {
    GEMM_STEPS = 256,   /* most steps of a block */
    GEMM_COLUMNS = 256, /* most columns of a block */
    GEMM_ROWS = 32,     /* no level has more rows in a kernel */
    GEMM_RUN = 32,      /* bytes of terms that follow each other in a factor */
    GEMM_GROUP = 16,    /* columns that follow each other in the sums */
    /* words from row to row of the packed first factor */
    GEMM_PITCH = GEMM_STEPS + 16
};

typedef enum GemmKind {
    GEMM_HALF,   /* float16: products are exact */
    GEMM_BFLOAT, /* bfloat16 */
    GEMM_FLOAT,  /* float32 */
    GEMM_BYTES,  /* 8-bit integers of any sign */
    GEMM_KINDS
} GemmKind;

/* What becomes of sums of floats when they are stored, or would be. */
typedef enum GemmEnd {
    GEMM_END_NONE,
    GEMM_END_FINITE,   /* infinity is the largest number with its sign, NaN is +0 */
    GEMM_END_CANONICAL /* NaN is canonical */
} GemmEnd;

/* A call of a kernel: rows x columns sums. Sums of a group of 16 columns are contiguous,
 * and so are rows. */
typedef struct GemmTile {
    const void *a;
    int64_t pitch; /* bytes from row to row of a */
    const void *b; /* a panel of the second factor */
    /* GEMM_BYTES with words of four bytes: what the sums of each row begin with, besides
     * the old sums; null: a has no sign */
    const int32_t *start;
    void *c[2]; /* the sums of the panel's groups */
    int64_t steps;
    int rows;
    bool first; /* begin with 0, not with the old sums */
    GemmEnd end;
    int64_t every; /* steps after which sums end each time; 0: only after the last one */
} GemmTile;

/* A panel of the second factor while it is packed. */
typedef struct GemmPanel {
    const uint8_t *b; /* run of column 0 */
    int64_t pitch;    /* bytes from one run of terms to the next one of the same column */
    int64_t column;   /* bytes from column to column */
    int64_t runs;
    int64_t terms;       /* terms that exist; those after them are 0 */
    bool a_sign, b_sign; /* of bytes of the two factors */
    void *out;
} GemmPanel;

/* A panel of which each term is a row of columns, in groups of 16. */
typedef struct GemmRows {
    const uint8_t *b;
    int64_t pitch; /* bytes from term to term */
    int64_t group; /* bytes from group to group */
    int64_t terms;
    int groups; /* that exist */
    void *out;
} GemmRows;

/* Packs a row of the first factor, which is n runs of terms. */
typedef void GemmPackRow(void *out, const uint8_t *const *runs, int64_t n, bool sign);

/* Rows of the first factor that are a fixed distance apart, as are the runs of each. */
typedef struct GemmBlock {
    const uint8_t *a;
    int64_t row, run; /* bytes from row to row, from run to run */
    int64_t rows, runs;
    void *out;
} GemmBlock;

typedef struct GemmLevel {
    int rows, columns;     /* size of a kernel; columns is 16 or 32 */
    int words[GEMM_KINDS]; /* words of a run of terms */
    /* words of bytes are four bytes as they are: signed ones need `start` of each row */
    bool quads;
    void (*row_start)(int32_t *start, const GemmTile *t);
    /* Rows are multiplied by all panels of a block at once, by num/amx.h, and signed
     * bytes need nothing; there is no kernel. */
    bool amx;
    void (*kernel[GEMM_KINDS])(const GemmTile *t);
    GemmPackRow *pack_row[GEMM_KINDS];
    /* the same of many rows; null: rows of that kind are packed one by one */
    void (*pack_block[GEMM_KINDS])(const GemmBlock *b);
    void (*pack_panel[GEMM_KINDS])(
        const GemmPanel *p); /* p has as many columns as a kernel */
    /* the same of rows; null: there are no rows of that kind */
    void (*pack_terms[GEMM_KINDS])(const GemmRows *p);
} GemmLevel;

extern const GemmLevel gemm_base, gemm_avx2, gemm_avx512, gemm_vnni;
/* Products of bytes; only if num_amx_allowed(). */
extern const GemmLevel gemm_amx;

#endif
