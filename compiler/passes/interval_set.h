/* interval_set.h: sets of bytes as sorted, disjoint, non-touching intervals. A set is a
 * value: changes make a new one in the arena, so that states of an analysis can be kept
 * and compared. At most BYTESET_MAX intervals; what does not fit is left out or filled
 * up, as the caller wants it. */
#ifndef TIKC_BYTESET_H
#define TIKC_BYTESET_H

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

/* When an interval more would be too many. */
typedef enum ByteSetFull {
    BYTESET_DROP, /* the new bytes are left out: a set of bytes that certainly... */
    BYTESET_FILL  /* the smallest gap is filled: a set of bytes that possibly... */
} ByteSetFull;

ByteSet byteset_add(Arena *a, ByteSet s, ByteRange r, ByteSetFull full);
ByteSet byteset_meet(Arena *a, ByteSet x, ByteSet y); /* bytes in both */
bool byteset_covers(ByteSet s, ByteRange r);
/* First run of bytes of r that are not in s; false if there is none. */
bool byteset_gap(ByteSet s, ByteRange r, ByteRange *gap);

#endif
