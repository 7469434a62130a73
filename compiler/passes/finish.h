/* finish.h: where the results of a product's sums go, while the pass finish executes the
 * instructions after the product (passes/finish_map.c). */
#ifndef TIKC_FINISH_H
#define TIKC_FINISH_H

#include "analysis/env.h"

/* 16 bytes of an on-core buffer: results of a row of 16 sums, or a part of them. */
typedef struct FinishUnit {
    int32_t row;  /* 1 + number of the row: group * rows + row of the group; 0: none */
    int32_t move; /* the statement out of L0C */
    int32_t burst;
    uint8_t size; /* bytes of a result of that move */
    uint8_t part; /* which 16 bytes of those of the row */
    bool wide;    /* results of one byte, as float16 */
    bool rectify; /* results below 0 are 0 */
} FinishUnit;

/* A buffer, and the places in it without the constant part. */
typedef struct FinishHome {
    BufId buf;
    Affine base;
    int64_t units;
    FinishUnit *unit; /* null: a global tensor, or the sums */
    bool written;
} FinishHome;

/* Where the results of a row are. */
typedef struct FinishRow {
    FinishUnit from;
    StmtId write;
    int home;
    int64_t off; /* in the home */
    int parts;   /* 16 bytes that were written */
} FinishRow;

enum {
    FINISH_HOMES = 8
};

typedef struct FinishMap {
    const Kernel *k;
    const Env *env;
    Arena *arena;
    Dtype type;      /* of the sums */
    int64_t rows, m; /* of a group, in whole fractals; of the product */
    int64_t sums;    /* place of the sums in their home, which is the first one */
    int groups;
    int nhomes;
    FinishHome home[FINISH_HOMES];
    int nscales; /* buffers of parameters */
    BufId scale[FINISH_HOMES];
    FinishRow *row;
    bool changed; /* what the moves made was computed with */
    bool out;     /* results are in global memory */
} FinishMap;

/* Begins with a product; false: what follows it is of no use. */
bool finish_begin(FinishMap *m, const Kernel *k, const Env *env, Arena *arena,
                  StmtId product);
/* Executes an instruction; false: it is none of those that are followed. */
bool finish_follow(FinishMap *m, StmtId s);
/* Returns whether all results are somewhere, in rows, and where. */
bool finish_end(const FinishMap *m, Finish *out);

#endif
