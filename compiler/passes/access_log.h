/* access_log.h: accesses of buffers as they come one after another, for the pass that
 * looks for races. */
#ifndef TIKC_TOUCH_H
#define TIKC_TOUCH_H

#include "ir/ir.h"
#include "passes/vars.h"

/* What makes two instructions of one queue that touch the same bytes need a barrier: the
 * first has MOVE, the second AFTER_MOVE. */
enum {
    HAZARD_MOVE = 1,
    HAZARD_AFTER_MOVE = 2
};

/* One access. */
typedef struct Touch {
    uint32_t next; /* index + 1 of an earlier one of the same buffer */
    BufId buf;
    StmtId stmt;
    int param;
    Pipe pipe;
    int32_t number; /* of the instruction in its queue */
    bool write;
    uint8_t hazards;
    uint32_t part;
    Footprint fp; /* bytes from the start of the buffer */
    const VarsShot *at;
} Touch;

/* Parts: iterations that are compared among themselves only. Part 0 is no such part. */
typedef struct Touches {
    VEC(Touch) all;
    VEC(uint32_t) parts; /* by part: the one around it */
    uint32_t part;       /* the present one */
    uint32_t *of;        /* by BufId: index + 1 of the newest */
    Arena *arena;
} Touches;

void touches_init(Touches *t, const Kernel *k, Arena *arena);
void touches_clear(Touches *t, const Kernel *k);
void touches_add(Touches *t, const Touch *a);
/* Takes the newest touch of a buffer away, down to n in all. */
void touches_drop(Touches *t, BufId buf, uint32_t n);

void touches_open_part(Touches *t, Arena *arena);
void touches_close_part(Touches *t);
/* Whether a later access b is in every part that a is in. */
bool touches_share_part(const Touches *t, const Touch *a, const Touch *b);

/* Whether the numbers of a footprint are those of a shape that can be compared. */
bool touch_is_shape(const Footprint *f);
/* What touches_meet takes, in comparisons of two ranges. */
int64_t touches_cost(const Touch *a, const Touch *b);
/* Whether the two share bytes: [*lo, *hi) are some of them. False also where that is too
 * long to find out. */
bool touches_meet(const Touch *a, const Touch *b, int64_t *lo, int64_t *hi);

#endif
