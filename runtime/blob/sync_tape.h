/* sync_tape.h: the state while a tape is made, which sync_tape.c and sync_access.c
 * share. */
#ifndef TIK_BLOB_SYNC_TAPE_H
#define TIK_BLOB_SYNC_TAPE_H

#include "blob/sync.h"
#include "num/scalar_interval.h"

/* What is known of a number. */
typedef struct SyncValue {
    SyncSum sum;
    Interval range;
} SyncValue;

typedef struct Maker {
    SyncTape *t;
    const SyncKernel *k;
    SyncValue *regs;
    Interval *any; /* by register: see sync_any */
    SyncValue counters[TIKBLOB_MAX_LOOPS];
    uint32_t *slots; /* by register: loops on whose counters it depends */
    uint8_t *copies; /* by descriptor of a loop */
    uint32_t at;     /* the present descriptor */
    int32_t loop;    /* the innermost open loop */
    int depth;
    bool plain; /* no loop is unrolled */
    bool failed;
} Maker;

void *sync_grow(Maker *m, void *array, uint32_t *n, uint32_t *cap, size_t size);
SyncValue sync_value(Maker *m, const TikNum *n);
/* Adds factor * add; false: it does not fit. */
bool sync_sum_add(SyncSum *to, const SyncSum *add, int64_t factor);

/* Note a statement with its accesses (sync_access.c). */
void sync_note_instr(Maker *m, const TikDesc *d);
void sync_note_element(Maker *m, const TikDesc *d);

#endif
