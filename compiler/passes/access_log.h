/* access_log.h: the accesses of buffers in the order in which they happen, for the pass
 * that looks for races. */
#ifndef TIKC_ACCESS_LOG_H
#define TIKC_ACCESS_LOG_H

#include "ir/ir.h"
#include "passes/vars.h"

/* Two instructions of one queue that access the same bytes need a barrier between them if
 * the first has MOVE and the second AFTER_MOVE. */
enum {
    HAZARD_MOVE = 1,
    HAZARD_AFTER_MOVE = 2
};

/* One access that happened. */
typedef struct LoggedAccess {
    uint32_t next; /* index + 1 of the previous access of the same buffer */
    BufId buf;
    StmtId stmt;
    int param;
    Pipe pipe;
    int32_t number; /* number of the instruction in its queue */
    bool write;
    uint8_t hazards;
    uint32_t part;
    Footprint fp; /* bytes from the start of the buffer */
    const VarsShot *at;
} LoggedAccess;

/* A log can have parts: accesses of different iterations that are compared only with
 * accesses of the same part. Accesses of part 0 are compared with all. */
typedef struct AccessLog {
    VEC(LoggedAccess) all;
    VEC(uint32_t) parts; /* by part: the part around it */
    uint32_t part;       /* the part that is open now */
    uint32_t *of;        /* by BufId: index + 1 of the newest access */
    Arena *arena;
} AccessLog;

void access_log_init(AccessLog *t, const Kernel *k, Arena *arena);
void access_log_clear(AccessLog *t, const Kernel *k);
void access_log_add(AccessLog *t, const LoggedAccess *a);
/* Removes the newest access of a buffer; n is the number of entries that stay in the
 * log. */
void access_log_drop(AccessLog *t, BufId buf, uint32_t n);

void access_log_open_part(AccessLog *t, Arena *arena);
void access_log_close_part(AccessLog *t);
/* True if a later access b is in every part that a is in. */
bool access_log_share_part(const AccessLog *t, const LoggedAccess *a,
                           const LoggedAccess *b);

/* True if the numbers of a footprint are those of a shape that can be compared. */
bool access_log_is_shape(const Footprint *f);
/* Returns what access_log_overlap costs, in comparisons of two ranges. */
int64_t access_log_cost(const LoggedAccess *a, const LoggedAccess *b);
/* True if the two share bytes; [*lo, *hi) are then some of these bytes. Returns false
 * also where it would take too long to find out. */
bool access_log_overlap(const LoggedAccess *a, const LoggedAccess *b, int64_t *lo,
                        int64_t *hi);

#endif
