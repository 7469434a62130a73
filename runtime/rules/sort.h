/* sort.h: slots and sizes of the forms of proposals and sorting (form.def, family SORT). */
#ifndef TIK_SORT_H
#define TIK_SORT_H

#include <stdint.h>

enum {
    PROPOSAL_ELEMS = 8, /* elements of a proposal: x1 y1 x2 y2 score label, two unused */
    PROPOSAL_SCORE = 4,
    PAIR_BYTES = 8,  /* a score and, from byte 4 on, a uint32 index */
    SORT_GROUP = 16, /* proposals, boxes or rows that one repeat works on */
    MERGE_LISTS = 4
};

/* Slots. The forms with dst and src share those of field, with two sources those of outer; merge4 and
 * merge have the same. */
enum {
    FIELD_REPEAT = 2,
    FIELD_MODE = 3,
    OUTER_REPEAT = 3,
    MERGE_SRC = 1,
    MERGE_LENGTH = 5,
    MERGE_SUSPEND = 9,
    MERGE_VALID = 10,
    MERGE_REPEAT = 11,
    SUPPRESS_STRIDE0 = 2,
    SUPPRESS_STRIDE1 = 3,
    SUPPRESS_REPEAT = 4
};

/* The number of lists that take part in a merge: 1 to 4. */
static inline int
merge_lists(int64_t valid)
{
    return valid & 8 ? 4 : valid & 4 ? 3 : valid & 2 ? 2 : 1;
}

#endif
