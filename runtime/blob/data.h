/* data.h: what a kernel does with its bytes (docs/blob-format.md, P9 to P12): a walk over
 * its descriptors that knows of each byte of a core's memories and of the arguments
 * whether it was written (data_walk.c control and numbers, data_access.c instructions,
 * data_memory.c bytes, data_cores.c arguments and cores, data_explain.c words). Hosted.
 *
 * Numbers are intervals. Where bounds of loops and conditions have one value, the walk
 * follows them as an execution would, so what it finds there is certain. Else it takes
 * both ways and keeps what holds after each: such findings are not certain. A kernel with
 * more steps than the budget is walked with its long loops taken as unknown ones. */
#ifndef TIK_BLOB_DATA_H
#define TIK_BLOB_DATA_H

#include "blob/sync.h"
#include "blob/sync_explain.h"
#include "tikproof.h"

/* What is known of a byte of a core. */
enum {
    BYTE_NEVER,   /* nothing has written it */
    BYTE_MAYBE,   /* nothing is known */
    BYTE_WRITTEN, /* it was written */
    BYTE_PAD      /* a move brought it from after the data of an argument */
};

/* The region that wrote a byte last, where regions share bytes. */
enum {
    OWNER_NONE = 0xffff,
    OWNER_MIXED = 0xfffe
};

/* Bytes [lo, hi). */
typedef struct DataRange {
    int64_t lo, hi;
} DataRange;

/* Ranges that ascend and do not meet. */
typedef struct DataSet {
    DataRange *p;
    uint32_t n, cap;
} DataSet;

typedef enum DataUseKind {
    USE_READ,
    USE_WRITE,
    USE_ADD /* a write in an atomic mode */
} DataUseKind;

/* An access of a core to an argument. */
typedef struct DataUse {
    uint32_t arg;
    int64_t lo, hi;
    uint32_t core, desc, phase;
    uint8_t kind; /* DataUseKind */
    bool may;     /* it may access less, or not be executed */
} DataUse;

typedef struct DataArg {
    TikBlobArg info;
    int64_t data;    /* bytes of it */
    bool given;      /* it has contents when the kernel begins */
    bool maybe;      /* something was written that is in none of the sets */
    DataSet written; /* by the present core */
    DataSet late;    /* by loops that are open and taken as unknown ones: when they end */
    DataSet all;     /* by all cores */
    DataSet *met;    /* by all cores before the first meeting, the second, ... */
} DataArg;

/* What changes from descriptor to descriptor and is joined where ways meet. */
typedef struct DataState {
    bool reached;
    int atomic;      /* the mode; -1: not known */
    Interval *regs;  /* by register */
    uint8_t *set;    /* by register: BYTE_NEVER, MAYBE, WRITTEN */
    uint8_t *bytes;  /* of the memories of a core */
    uint16_t *owner; /* of the same; null: no regions share bytes */
} DataState;

/* An open loop. */
typedef struct DataLoop {
    uint32_t desc;
    DataState out, again; /* where jumps out of it, and to its next iteration, join */
    int shaky;            /* jumps that need not be taken */
} DataLoop;

typedef struct DataWalk {
    const TikBlob *blob;
    const SyncKernel *k;
    TikBlobKernel info;
    int kernel;
    DataArg *args;
    DataState now;
    int64_t at[SC_COUNT]; /* where a memory begins in DataState.bytes; -1: not there */
    int64_t room[SC_COUNT];
    int64_t nbytes;
    Interval counters[TIKBLOB_MAX_LOOPS];
    DataLoop loops[TIKBLOB_MAX_LOOPS];
    int nloops;
    int unknown;                  /* open loops that are taken as unknown ones */
    bool full[TIKBLOB_MAX_LOOPS]; /* by slot: the counter takes every value, of such */
    Interval core;
    Interval *any; /* by register: see sync_any */
    DataUse *uses;
    uint32_t nuses, cap_uses;
    uint32_t phase, nmet; /* how often the present core has met the others, and how often
                             all cores do */
    uint32_t last_phase;  /* after it they need not have met as often as is counted */
    const TikDesc *desc;  /* the present one */
    int unsure;           /* > 0: it need not be executed */
    int muted;            /* > 0: findings are not reported */
    int64_t most_trips;   /* of loops that are followed one iteration after the other */
    int64_t work;         /* what is left of the budget */
    bool returned;        /* a return that need not be taken was seen */
    bool failed;          /* memory is exhausted */
    bool over;            /* the budget is */
    SyncNames names;
    TikBlobProperty *found; /* TIKBLOB_PROPERTIES of them */
} DataWalk;

/* Walks over a kernel and fills the properties from DEFINED on. False: memory is
 * exhausted. */
bool data_walk(const TikBlob *b, int kernel, uint64_t budget, TikBlobProperty *out);

/* data_walk.c */
Interval data_number(DataWalk *w, const TikNum *n);

/* data_access.c: what an instruction, or an access to an element, does with its bytes. */
void data_instr(DataWalk *w, const TikDesc *d);
void data_element(DataWalk *w, const TikDesc *d);

/* data_memory.c */
bool data_state_new(DataWalk *w, DataState *s);
void data_state_free(DataState *s);
void data_state_copy(const DataWalk *w, DataState *to, const DataState *from);
/* Returns whether *to has changed. */
bool data_state_join(DataWalk *w, DataState *to, const DataState *from);
/* Adds a range to a set. */
void data_set_add(DataWalk *w, DataSet *s, int64_t lo, int64_t hi);
/* Returns the first byte of [lo, hi) that is not in the set; hi: all are. */
int64_t data_set_gap(const DataSet *s, int64_t lo, int64_t hi);
/* Returns the first byte that is in the set, where lo is not and no byte from hi on is;
 * hi: none is. */
int64_t data_set_next(const DataSet *s, int64_t lo, int64_t hi);

/* Bytes of an operand: n from `at` on, of the memory or argument of a region. `may`: that
 * they are accessed is not certain, or that it is these. */
typedef struct DataRun {
    uint32_t region;
    int64_t at, n; /* from the beginning of the region on */
    bool may;
    bool forgets; /* a write of results on the way */
} DataRun;

/* Returns whether a region of a core may share bytes with another one. */
bool data_shares(const DataWalk *w, uint32_t region);
void data_read(DataWalk *w, const DataRun *r);
void data_write(DataWalk *w, const DataRun *r);
/* A write of results on the way, which have no meaning afterwards. */
void data_forget(DataWalk *w, const DataRun *r);
/* The bytes that the open loops write of an argument together, if they are executed. */
void data_write_late(DataWalk *w, const DataRun *r);
/* Copies what is known of as many bytes; both have the same number, unless one is not
 * certain. */
void data_copy(DataWalk *w, const DataRun *to, const DataRun *from);

/* data_cores.c */
void data_use(DataWalk *w, const DataRun *r, DataUseKind kind);
void data_compare_cores(DataWalk *w);
void data_outputs(DataWalk *w);

/* data_explain.c: notes that a property does not hold, or may not; the first finding
 * that is certain stays, else the first. The text gets the place and the iteration. */
void data_found(DataWalk *w, TikBlobPropertyId p, bool certain, uint32_t first,
                const char *fmt, ...) __attribute__((format(printf, 5, 6)));

#endif
