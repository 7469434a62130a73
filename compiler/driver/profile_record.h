/* profile_record.h: what queues did and where buffers were, over time, in a number of
 * spans that does not grow with the run. */
#ifndef TIKC_PROFILE_RECORD_H
#define TIKC_PROFILE_RECORD_H

#include "driver/profile.h"

enum {
    RECORD_CORES = 32,     /* the first ones; of others only the end is kept */
    RECORD_REGIONS = 256,  /* the first ones */
    RECORD_SPANS = 100000, /* when there are more, neighbours become one */
    RECORD_ARROWS = 20000, /* the first ones */
    RECORD_SLOTS = 8       /* parts of a buffer that are used apart */
};

/* Something that began and ended: an instruction on its queue, or the contents of a part
 * of a buffer from the first write to the last read. If count is more than 1, it is
 * several of them that are near each other. */
typedef struct RecordSpan {
    uint64_t begin, end;
    uint64_t busy;    /* clocks of instructions in it */
    uint64_t longest; /* of one in it */
    uint32_t what;    /* the descriptor of that one; of contents: what wrote them */
    uint32_t count;
    uint64_t waited; /* clocks before begin */
    uint64_t inside; /* clocks that were waited between begin and end */
    uint64_t inside_most;
    uint8_t by, inside_by; /* what for; of those inside, the longest wait */
} RecordSpan;

typedef VEC(RecordSpan) RecordLane;

/* A part of a buffer: addresses lo to hi - 1. */
typedef struct RecordSlot {
    int64_t lo, hi;
    RecordLane lane;
    bool read; /* since it was written */
} RecordSlot;

/* A buffer in a memory of a core. */
typedef struct RecordPlace {
    RecordSlot slots[RECORD_SLOTS];
    int n;
    bool whole; /* its accesses overlap each other, so there is one part only */
} RecordPlace;

typedef struct RecordCore {
    RecordLane queue[TIK_QUEUES];
    RecordPlace *places; /* by region */
} RecordCore;

/* From when one queue had done something to when another one went on. */
typedef struct RecordArrow {
    uint32_t core;
    uint8_t from, to;
    int32_t id; /* of a flag, or -1 */
    uint64_t begin, end;
} RecordArrow;

struct ProfileRecord {
    Arena *a;
    uint32_t nregions; /* that are kept */
    RecordCore cores[RECORD_CORES];
    uint32_t ncores;
    VEC(uint64_t) ends; /* by core: when its last instruction ended */
    VEC(RecordArrow) arrows;
    uint64_t narrows; /* also those that are not kept */
    uint64_t spans;   /* that are kept */
    uint64_t grain;   /* spans that end within this number of clocks are one; 0: none */
    uint64_t events;  /* that were recorded */
    bool flags;       /* the program has some */
    uint64_t *waited, *bytes; /* by descriptor */
    uint32_t *count;
};

ProfileRecord *profile_record_begin(Arena *a, const TikBlobKernel *k);
void profile_record_event(const ProfileView *v, const TikProfileEvent *e);
void profile_record_flag(const ProfileView *v, const TikProfileFlag *f);

#endif
