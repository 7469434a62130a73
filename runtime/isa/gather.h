/* gather.h: slots of the forms of gather, scatter and compress (form.def, family GATHER). */
#ifndef TIK_GATHER_H
#define TIK_GATHER_H

enum {
    PICK_COUNT,
    PICK_DST,
    PICK_SRC,
    PICK_PATTERN,
    PICK_REPEAT,
    PICK_BLK,
    PICK_REP,
    PICK_BITS_REP
};

enum {
    GATHER_DST = 1,
    GATHER_SRC,
    GATHER_OFFSET,
    GATHER_BASE = 6
};

enum {
    GATHERB_DST,
    GATHERB_SRC,
    GATHERB_OFFSETS,
    GATHERB_REPEAT
};

enum {
    BI_MASK,
    BI_DST,
    BI_SRC,
    BI_WEIGHTS,
    BI_OFFSET,
    BI_BLK,
    BI_DOWN,
    BI_ACROSS,
    BI_MODE,
    BI_STEP
};

#endif
