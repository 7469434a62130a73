/* open.c: loads libtikc-host.so when a command makes machine code. It is the only file of
 * this folder that is linked into the tool and libtikc.so: everything else needs LLVM,
 * which takes longer to load than most commands run, and may not be installed. The
 * library is looked for next to the library or program that this file is part of, in
 * ../lib, one folder up (for the tools of the build tree), then the same next to the
 * program, then where the system keeps libraries. The paths are spelled out, since a run
 * path does not reach dlopen under the address sanitizer. */
#define _GNU_SOURCE
#include "host/host.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY "libtikc-host.so"

static const char *const places[] = {"", "/../lib", "/.."};

static const char *
folder_of(Unit *u, const char *path, size_t n)
{
    const char *slash = memrchr(path, '/', n);
    return slash ? arena_strndup(&u->arena, path, (size_t)(slash - path)) : NULL;
}

/* Returns the folder of the running program; null if the system does not know it. */
static const char *
program_folder(Unit *u)
{
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path);
    return n > 0 && n < (ssize_t)sizeof path ? folder_of(u, path, (size_t)n) : NULL;
}

/* Returns the folder of the library that this code is in, or of the program again. */
static const char *
own_folder(Unit *u)
{
    Dl_info info;
    bool known = dladdr(&places, &info) != 0 && info.dli_fname != NULL;
    return known ? folder_of(u, info.dli_fname, strlen(info.dli_fname)) : NULL;
}

/* Returns the path of the library near a folder; null if it is not there. */
static const char *
near_folder(Unit *u, const char *folder)
{
    for (size_t i = 0; folder && i < ARRAY_LEN(places); i++) {
        char *path = arena_printf(&u->arena, "%s%s/" LIBRARY, folder, places[i]);
        if (access(path, R_OK) == 0) {
            return path;
        }
    }
    return NULL;
}

static void *
open_library(Unit *u)
{
    const char *path = near_folder(u, own_folder(u));
    path = path ? path : near_folder(u, program_folder(u));
    return dlopen(path ? path : LIBRARY, RTLD_NOW | RTLD_LOCAL);
}

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
    void *lib = open_library(u);
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
