/* cores.h: what the files of the launcher share: one launch and the cores of it. */
#ifndef TIK_LAUNCH_CORES_H
#define TIK_LAUNCH_CORES_H

#include "rules/flag.h"
#include "support/error.h"
#include "tikcode.h"

/* launch/core_order.c: who may write atomically now. */
typedef struct Turns Turns;

Turns *turns_new(int32_t most); /* cores 0 to most - 1; null: no memory */
void turns_free(Turns *t);
/* Returns when all cores below this one have ended. */
void turns_wait(Turns *t, int32_t core);
/* Each core ends once, also one that was never run. */
void turns_end(Turns *t, int32_t core);

/* warn.c: what was warned of. */
typedef struct Warnings Warnings;

/* One launch; threads share it. lowest and error are written in a critical section
 * only. */
typedef struct Launch {
    const TikKernel *kernel;
    uint8_t *const *args;
    int threads;
    int32_t cores;  /* that run; grows when a core says that there are more blocks */
    int32_t lowest; /* core of error */
    TikError error;
    Turns *turns;       /* of kernels with TIK_TURNS; else null */
    Warnings *warnings; /* null: nobody is told */
} Launch;

struct TikCore {
    const TikKernel *kernel;
    const Soc *soc;
    Launch *launch;
    uint8_t *const *args;
    int32_t index;
    bool faulted;
    TikError fault;
    Flags flags;
    bool has_turn;       /* no core before this one is running */
    struct Fiber *fiber; /* of kernels whose cores meet; else null */
};

/* An instruction of a core. */
typedef struct WarnSite {
    TikCore *core;
    const TikCheck *op;
} WarnSite;

Warnings *warnings_new(void); /* null: no memory */
void warnings_free(Warnings *w);
/* Notes a warning of the WarnSite. */
void warnings_note(void *site, const Fault *f);
/* Behind the run. */
void warnings_tell(const Launch *l, TikWarn *warn, void *ctx);

/* Runs a core from its start; notes its fault, or the flags that it leaves set. */
void launch_enter(TikCore *core, uint8_t *scratch);
/* Keeps the error of the lowest core. */
void launch_note_error(Launch *l, int32_t core, const TikError *e);
void launch_no_scratch(Launch *l);
void launch_no_memory(Launch *l);
/* launch/barrier.c: runs the cores of a kernel that wait for each other. */
void launch_meeting(Launch *l);

#endif
