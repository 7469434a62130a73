/* host_open.c: loads libtikc-host.so when a command makes machine code. The only file of this folder
 * that is linked into the tool: everything else pulls LLVM in, which costs more time to load than
 * most commands take, and may not be installed. The library is looked for beside the tool, in ../lib
 * (the tool's run path), then where the system keeps libraries. */
#define _GNU_SOURCE
#include "host/host.h"

#include <dlfcn.h>

static const HostApi *
find_api(Unit *u, void *lib)
{
    const HostApi *(*get)(void);
    *(void **)&get = dlsym(lib, "tikc_host_api");
    if (get == NULL) {
        diag_add(u, D_BACKEND, (Span){0}, 0,
                 "libtikc-host.so does not export tikc_host_api");
        return NULL;
    }
    const HostApi *api = get();
    if (api->version != HOST_API_VERSION) {
        diag_add(u, D_BACKEND, (Span){0}, 0,
                 "libtikc-host.so has interface version %d; this tool needs version %d",
                 api->version, HOST_API_VERSION);
        return NULL;
    }
    return api;
}

/* The library stays loaded until the process ends: code made by it may still run. */
const HostApi *
host_open(Unit *u)
{
    void *lib = dlopen("libtikc-host.so", RTLD_NOW | RTLD_LOCAL);
    if (lib == NULL) {
        const char *why = dlerror();
        Diag *d =
            diag_add(u, D_BACKEND, (Span){0}, 0, "the host back end is not available: %s",
                     why != NULL ? why : "");
        diag_help(u, d,
                  "install LLVM 19 and build libtikc-host.so, or use '--backend emu'");
        return NULL;
    }
    return find_api(u, lib);
}
