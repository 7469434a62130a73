/* share.h: helper functions that the kernels of one session share. Operators of one kind
 * differ in sizes and addresses, which are arguments of helpers, so most helpers of a
 * kernel were compiled for an earlier one. Private to the JIT. */
#ifndef TIKC_HOST_SHARE_H
#define TIKC_HOST_SHARE_H

#include "host/gdb.h"
#include "host/ready.h"

#include <llvm-c/Core.h>
#include <llvm-c/Orc.h>

/* The code of one call of host_jit. Its helpers may be called by that of later ones. */
typedef struct Code Code;
struct Code {
    Arena arena; /* holds names, parameters, places, keys of helpers */
    LLVMOrcResourceTrackerRef tracker; /* null: nothing is linked */
    int holders;       /* the kernels, the session, and code that calls its helpers */
    VEC(Code *) calls; /* the code whose helpers it calls */
    Code *next;        /* kept by the session after it */
    int64_t bytes;     /* of object code and keys; what the session keeps is bounded */
    bool has_helpers;
    GdbCode *gdb; /* what debuggers know of it; null: nothing */
};

typedef struct KnownHelper {
    uint64_t hash;
    const char *key; /* equal for functions of equal code */
    const char *symbol;
    Code *owner; /* null: it is in the set, at that address */
    uintptr_t address;
    bool bound; /* the linker knows the address */
} KnownHelper;

typedef struct Helpers {
    Arena arena;
    ReadySet ready;
    VEC(KnownHelper) known;
    Code *oldest, *newest; /* what is kept, so that later kernels find its helpers */
    int64_t kept;          /* bytes */
    HostCount count;
} Helpers;

Code *code_new(void); /* with one holder */
/* The last holder frees it, and all that it holds. */
void code_drop(Code *c);

/* Whether a helper is known, or in the set, as HelperStore asks. */
bool helpers_has(void *helpers, const char *key);
/* Binds the helpers that a module of c calls to the code that has them, and makes those
 * that it defines known. */
void helpers_share(Helpers *h, LLVMModuleRef mod, Code *c);
/* Keeps code that is linked, or forgets the helpers of code that is not. */
void helpers_keep(Helpers *h, Code *c);
void helpers_forget(Helpers *h, const Code *c);
void helpers_close(Helpers *h);

#endif
