/* cores.h: types and functions that the files of the launcher share: a launch and its
 * cores. */
#ifndef TIK_LAUNCH_CORES_H
#define TIK_LAUNCH_CORES_H

#include "ops/ops.h"
#include "rules/flag.h"
#include "support/error.h"
#include "support/peers.h"
#include "tikcode.h"

#include <pthread.h>
#include <stdatomic.h>

/* Which cores have ended, so that the others may write atomically
 * (launch/core_order.c). */
typedef struct CoreOrder CoreOrder;

/* For cores 0 to most - 1, of which those that peers run have ended. Null: no memory. */
CoreOrder *core_order_new(int32_t most, const PeerRun *peers);
void core_order_free(CoreOrder *o);
/* Returns when all cores below this one have ended, with the nanoseconds until then. */
int64_t core_order_wait(CoreOrder *o, int32_t core);
int64_t core_order_clock(void); /* nanoseconds */
/* Marks a core as ended, which happens once for each, also for one that was never run. */
void core_order_end(CoreOrder *o, int32_t core);

/* Copies of parts of arrays, with bytes after their data (launch/edge.c). */
typedef struct Edge Edge;
/* The bytes after the data of each argument. */
typedef struct EdgeRoom {
    uint8_t bytes[2 * BLOCK_BYTES];
} EdgeRoom;

/* The warnings of a launch (launch/warn.c). */
typedef struct Warnings Warnings;

/* A launch, which its threads share. What changes while they run is written under the
 * lock, and read without it by those that need one number only. */
typedef struct Launch {
    const TikKernel *kernel;
    const Soc *soc;
    uint8_t *const *args;
    int threads;
    _Atomic int32_t cores;  /* cores that run; it grows when a core reports more blocks */
    _Atomic int64_t next;   /* the core that the next free thread runs */
    int32_t end;            /* cores below it run now */
    _Atomic int32_t active; /* threads that run cores */
    int32_t chunk;          /* cores that a thread takes at once */
    _Atomic int32_t lowest; /* core that reported error */
    TikError error;
    pthread_mutex_t lock;
    CoreOrder *order; /* for kernels with TIK_ATOMICS_ORDERED; else null */
    pthread_t caller; /* with order: the thread of the launch, when it began, */
    int64_t began;    /* the first core, and how long that one took in nanoseconds; */
    int32_t first;    /* 0: it runs */
    _Atomic int64_t took;
    Warnings *warnings; /* null: warnings are dropped */
    EdgeRoom *rooms;    /* by argument; null until they are needed */
    PeerRun *peers;     /* what shares the cores; null: this process runs all */
} Launch;

/* An instruction that the core executes by the library (tikrt_exec), with its operands as
 * they were the last time. */
typedef struct BoundCall {
    const TikCheck *op; /* null: none */
    int n;
    const ParamInfo *params;
    OpFn *fn;
    OpCall call;
} BoundCall;

enum {
    BOUND_CALLS = 4
};

struct TikCore {
    const TikKernel *kernel;
    const Soc *soc;
    Launch *launch;
    uint8_t *const *args;
    int32_t index;
    bool faulted;
    TikError fault;
    Flags flags;
    bool is_next;        /* all cores before this one have ended */
    int64_t waited;      /* for these, in nanoseconds */
    Edge *edges;         /* of the present instruction */
    struct Fiber *fiber; /* for kernels with barriers; else null */
    AtomicLog log;       /* with peers: gets atomic writes */
    /* By the address of the instruction; those of a loop's few instructions stay. Only
     * op is set when a core begins. */
    BoundCall bound[BOUND_CALLS];
};

/* Where the factors of a product are and what becomes of its sums, for those that are not
 * as the instruction says. */
typedef struct ProductPlan {
    const TikOrigin *origins;
    const struct OpFinish *finish;
} ProductPlan;

/* Executes an instruction as tikrt_exec does. */
int launch_execute(TikCore *core, const TikCheck *op, const int64_t *values,
                   uint8_t *const *operands, const ProductPlan *plan);
/* Notes what is the same each time the instruction is executed. */
void launch_bind(TikCore *core, BoundCall *b, const TikCheck *op, const int64_t *values);
/* Notes a fault, unless there is one. */
void launch_record(TikCore *core, Rule rule, const char *text, int32_t place);

/* The instruction of a core that is checked. */
typedef struct WarnSite {
    TikCore *core;
    const TikCheck *op;
} WarnSite;

Warnings *warnings_new(void); /* null: no memory */
void warnings_free(Warnings *w);
/* Notes a warning. site is a WarnSite. */
void warnings_note(void *site, const Fault *f);
/* Passes the warnings to warn, after the run. */
void warnings_report(const Launch *l, TikWarn *warn, void *ctx);

/* Lets the present instruction access bytes [off, end) of an argument, some of which are
 * after its data. Returns false when memory is exhausted. */
bool edge_open(TikCore *core, int32_t argument, int64_t off, int64_t end);
/* Returns whether a byte is one of an edge, and of which argument it is a copy. */
bool edges_find(const TikCore *core, const uint8_t *at, int32_t *argument, int64_t *off);
/* Reads again the bytes of the edges that this core has not changed: other cores may have
 * changed them while it waited for its turn. */
void edges_renew(TikCore *core);
/* Forgets the edges of an instruction that did not end. */
void edges_forget(TikCore *core);

/* Makes a core that has not begun. */
void launch_begin(TikCore *core, Launch *l, int32_t index);
/* Returns whether no argument that the kernel writes shares bytes with another one. */
bool launch_arguments_apart(const Launch *l);
/* Returns whether cores of a kernel with an inspector certainly access different bytes of
 * each argument that it writes (launch/inspect.c), if these share no bytes; both are
 * false also where memory is exhausted. */
bool launch_cores_apart(Launch *l);
/* Runs a core from its start, and notes its fault, or the flags that it leaves set. */
void launch_enter(TikCore *core, uint8_t *scratch);
/* Notes an error of a core; that of the lowest core is kept. */
void launch_note_error(Launch *l, int32_t core, const TikError *e);
void launch_no_scratch(Launch *l);
void launch_no_memory(Launch *l);
/* Runs the cores of a kernel with barriers (launch/barrier.c). */
void launch_with_barriers(Launch *l);

#endif
