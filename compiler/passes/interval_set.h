/* interval_set.h: sets of bytes as sorted, disjoint intervals that do not adjoin. A set
 * is a value: a change makes a new set in the arena, so that states of an analysis can be
 * kept and compared. A set has at most BYTESET_MAX intervals; the caller chooses whether
 * what does not fit is left out or filled up. */
#ifndef TIKC_INTERVAL_SET_H
#define TIKC_INTERVAL_SET_H

#include "base/arena.h"

enum {
    BYTESET_MAX = 64
};

typedef struct ByteRange {
    int64_t lo, hi; /* lo <= byte < hi */
} ByteRange;

typedef struct ByteSet {
    const ByteRange *p;
    int n;
} ByteSet;

/* What is done when there would be one interval too many. */
typedef enum ByteSetFull {
    BYTESET_DROP, /* the new bytes are left out: the set is a lower bound */
    BYTESET_FILL  /* the smallest gap is filled: the set is an upper bound */
} ByteSetFull;

ByteSet byteset_add(Arena *a, ByteSet s, ByteRange r, ByteSetFull full);
ByteSet byteset_meet(Arena *a, ByteSet x, ByteSet y); /* bytes in both */
bool byteset_covers(ByteSet s, ByteRange r);
/* Finds the first run of bytes of r that are not in s; false if there is none. */
bool byteset_gap(ByteSet s, ByteRange r, ByteRange *gap);

#endif
