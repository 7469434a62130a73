/* sort.h: sizes of proposals, and of other records that are sorted (family SORT). */
#ifndef TIK_SORT_H
#define TIK_SORT_H

#include <stdint.h>

#include "isa/operand.h"

enum {
    PROPOSAL_ELEMS = 8, /* elements of a proposal: x1 y1 x2 y2 score label, two unused */
    PROPOSAL_SCORE = 4,
    PAIR_BYTES = 8,  /* a score and, from byte 4 on, a uint32 index */
    SORT_GROUP = 16, /* proposals, boxes or rows of a repeat */
    MERGE_LISTS = 4
};

/* Returns the number of lists that take part in a merge: 1 to 4. */
static inline int
merge_lists(int64_t valid)
{
    return valid & 8 ? 4 : valid & 4 ? 3 : valid & 2 ? 2 : 1;
}

#endif
