/* finish.h: products whose sums are converted and stored as they are made, as TikFinish
 * of tikcode.h says. ops/cube.c makes the sums of some rows, this writes what becomes of
 * them. */
#ifndef TIK_FINISH_H
#define TIK_FINISH_H

#include "num/deq.h"
#include "ops/ops.h"

enum {
    /* most conversions that differ, most groups of 16 columns, of a product */
    FINISH_DEQS = 64,
    FINISH_GROUPS = 64
};

typedef struct OpFinishGroup {
    const NumDeq *deq;
    uint8_t *to; /* row 0 of the group's results */
    int bytes;   /* of a result */
    bool paired; /* this group and the next one are converted at once by pair */
    bool single; /* this group is */
    NumDeqPair pair;
} OpFinishGroup;

typedef struct OpFinish {
    int64_t rows;  /* that are stored */
    int64_t pitch; /* bytes from row to row of the results */
    bool rectify;  /* results below 0 of 8 bits are 0 */
    int groups;
    OpFinishGroup group[FINISH_GROUPS];
} OpFinish;

/* Some rows of sums, from row `row` on, of the groups from `group` on: [group][row][16].
 */
typedef struct FinishSums {
    const uint32_t *at;
    int64_t pitch; /* words from group to group */
    int64_t row, rows;
    int group, groups;
} FinishSums;

/* Fills the conversion that burst `burst` of a move out of L0C does. Returns false with
 * c->fault filled when its parameters break a rule. */
bool ops_finish_deq(OpCall *c, int64_t burst, NumDeq *out);
/* Finds groups that are converted at once. */
void ops_finish_pair(OpFinish *f);
/* Converts and stores sums. */
void ops_finish_rows(const OpFinish *f, const FinishSums *s);

#endif
