/* sync_explain.h: words for what sync.h finds. */
#ifndef TIK_BLOB_SYNC_EXPLAIN_H
#define TIK_BLOB_SYNC_EXPLAIN_H

#include "blob/sync.h"

/* What words are looked up in. */
typedef struct SyncNames {
    const TikBlob *blob;
    int kernel;
    const TikBlobRegion *regions;
    const SyncTape *tape;
    TikDesc *const *descs; /* null: values of counters are not told, but iterations */
} SyncNames;

/* A text that is being written; it ends where there is no more room. */
typedef struct SyncText {
    char *p;
    size_t n, size;
} SyncText;

void sync_say(SyncText *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void sync_say_place(SyncText *t, const SyncNames *of, uint32_t desc);
void sync_say_bytes(SyncText *t, const SyncNames *of, const SyncAccess *a);
/* How many rounds of a loop are between two accesses; nothing without a loop. */
void sync_say_distance(SyncText *t, const SyncNames *of, int32_t loop, int64_t rounds);
/* Returns the loop of a level around a statement; SYNC_NONE: level 0. */
int32_t sync_loop_at(const SyncTape *t, const SyncStmt *s, int level);
/* Returns the name of the counter of a loop, by its descriptor; null: it has none. */
const char *sync_counter_name(const SyncNames *of, uint32_t desc);
void sync_explain(const SyncNames *of, const SyncVerdict *v, TikBlobOrder *out);
void sync_explain_witness(const SyncNames *of, const SyncWitness *w, TikBlobOrder *out);

#endif
