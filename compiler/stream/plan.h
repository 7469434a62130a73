/* plan.h: where a kernel needs flags and barriers so that queues may execute it (plan.c),
 * and the words for them (plan_explain.c). */
#ifndef TIKC_PLAN_H
#define TIKC_PLAN_H

#include "base/arena.h"
#include "blob/sync.h"

typedef enum PlanKind {
    PLAN_FLAG,   /* set_flag, and wait_flag later in the same block */
    PLAN_LOOP,   /* a loop's iteration waits for what an earlier one set */
    PLAN_BARRIER /* pipe_barrier, of the queue `to`, or of all if from is another one */
} PlanKind;

/* Two accesses that need an order: of the descriptors `first` and `later`, `iterations`
 * of the loop apart (0: in the same one, or there is no loop). */
typedef struct PlanHazard {
    uint32_t first, later;
    SyncAccess a, b;
    int32_t loop; /* descriptor, or SYNC_NONE */
    int64_t iterations;
} PlanHazard;

/* What orders some accesses. Positions are descriptors before which something is
 * inserted; the phase orders what is inserted at one position. */
typedef struct PlanSync {
    PlanKind kind;
    Pipe from, to;
    int32_t block; /* descriptor that opens the block of set and wait; SYNC_NONE: none */
    uint32_t set_at, wait_at;
    int set_phase, wait_phase;
    int turns; /* ids that take turns by the iteration of `loop`; 1: one id */
    int32_t loop;
    int id;
    bool guard;      /* it is there so that a flag is not set too early */
    bool fallback;   /* a barrier in place of flags */
    int failures;    /* how often the proof complained of it */
    int32_t covered; /* the one that implies this one; SYNC_NONE: none */
    bool needless;   /* the others order everything without it */
    PlanHazard why;
} PlanSync;

/* A descriptor that is inserted. */
typedef struct PlanItem {
    uint32_t at;
    int phase;
    uint32_t sync;
    Op op;
    Pipe from, to; /* to: PIPE_COUNT for a barrier of all */
    int id;
    int turns;
    uint32_t slot; /* of the loop whose counter chooses the id */
} PlanItem;

typedef struct Plan {
    VEC(PlanSync) syncs;
    VEC(PlanItem) items; /* in order */
    bool own;            /* the program has flags: nothing is inserted */
    bool ordered;        /* it is proved with what is inserted */
    int64_t hazards;     /* pairs of statements that need an order */
    SyncVerdict verdict; /* if it is not */
} Plan;

/* Plans the order of a kernel of a blob that has none of ours. */
void plan_make(Plan *p, Arena *arena, const TikBlob *b, int kernel);
/* Says for each flag and barrier what it orders, and what was left out. */
void plan_explain(const Plan *p, const TikBlob *b, int kernel, Text *out);

#endif
