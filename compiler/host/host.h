/* host.h: the host back end compiles kernel IR through LLVM, into this process or into
 * files. It is a shared library of its own (libtikc-host.so), opened on demand by
 * host_open, since loading LLVM costs more than checking a kernel; only host/open.c is
 * linked into the tool. */
#ifndef TIKC_HOST_H
#define TIKC_HOST_H

#include "ir/ir.h"
#include "tikrt.h"

typedef enum HostEmit {
    HOST_OBJECT,
    HOST_SHARED,
    HOST_LLVM,
    HOST_ASM,
    HOST_HELPERS /* an object of the kernels' helpers alone (host/ready.h) */
} HostEmit;

typedef struct HostOptions {
    int opt_level;   /* 0 to 3; results have the same bits at every level */
    const char *cpu; /* null: the processor of this machine */
    /* what messages of emit name instead of its path; null: the path */
    const char *shown;
    /* for HOST_HELPERS: a level of level.def in place of a processor; else null */
    const char *level;
    bool fresh; /* a session compiles all helpers itself */
    /* jit: debuggers of this process get the lines of the code; sessions with it are not
     * used by several threads of a process at once */
    bool debug;
} HostOptions;

/* What kernels that are compiled into this process share: the machine that the code is
 * for, and what links it. One thread uses a session at a time. */
typedef struct HostSession HostSession;

/* Helper functions of a session: how many were compiled, how many times one was there
 * already, and how many came from the set beside the library; and how many modules had
 * only kernels whose own functions are not worth optimising. */
typedef struct HostCount {
    int64_t made, shared, ready, coarse;
} HostCount;

typedef struct HostApi {
    const char *made_of; /* HOST_ID (host_id.h): a digest of the headers that both use */
    const char *llvm;    /* version of LLVM, "19.1.7" */
    /* Null: the unit has the diagnostic. The kernels of a session are released before it
     * is closed. */
    HostSession *(*open)(Unit *u, const HostOptions *opt);
    void (*close)(HostSession *s);
    /* Compiles checked and allocated kernels of one unit, n >= 1, into one module and
     * returns their n entries; release frees *handle, and with it the entries' storage.
     * apart: the arrays of every launch share no bytes, so nothing is compiled for such
     * that do. */
    bool (*jit)(HostSession *s, Kernel *const *kernels, int n, bool apart,
                TikKernel *entries, void **handle);
    void (*release)(void *handle);
    HostCount (*count)(const HostSession *s);
    /* Writes object code, a shared library, LLVM IR or assembly of the kernels into a
     * file. */
    bool (*emit)(Unit *u, Kernel *const *kernels, int n, HostEmit what,
                 const HostOptions *opt, const char *path);
} HostApi;

/* The symbol that libtikc-host.so exports. */
#define HOST_API_NAME "tikc_host_api"
TIK_API const HostApi *tikc_host_api(void);
/* Loads the library; null with a diagnostic (backend) when LLVM is missing. It is defined
 * in host/open.c. */
const HostApi *host_open(Unit *u);
/* Loads a library of this project from where host_open looks; null if that fails, then
 * dlerror() says why. */
void *library_open(Unit *u, const char *library);

#endif
