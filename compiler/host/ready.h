/* ready.h: helper functions that were compiled when this library was built, for each
 * level of processors (level.def), so that kernels need not compile them. They are beside
 * the library in libtikc-helpers-LEVEL.so, whose symbols are the names that lowering
 * gives helpers; which there are says host/helpers.tik. They are the code that a session
 * would make, at level 2; a name that is absent, and a processor without a set, cost time
 * only. Private to the host back end. */
#ifndef TIKC_HOST_READY_H
#define TIKC_HOST_READY_H

#include "host/lower/lower.h"

/* A level of processors. */
typedef struct HostLevel {
    const char *name, *cpu, *tune, *features;
} HostLevel;

/* Returns null if there is no level of that name. */
const HostLevel *level_find(const char *name);

typedef struct ReadySet {
    void *library; /* null: there is none for this processor */
} ReadySet;

/* Opens the set that has the code that the target's would be. */
void ready_open(ReadySet *r, const HostTarget *t, const HostOptions *opt);
void *ready_find(const ReadySet *r, const char *name); /* null: it is not in the set */
void ready_close(ReadySet *r);

/* Leaves of a module the helpers that need nothing of the runtime library, so that they
 * can be a set. False: *error is the message, to be freed with LLVMDisposeMessage. */
bool ready_keep_helpers(LLVMModuleRef mod, const HostTarget *t, char **error);

/* Returns the folder of this library; null if the system does not know it. */
char *host_folder(Arena *a);

#endif
