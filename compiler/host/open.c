/* open.c: loads libtikc-host.so when a command makes machine code, and other libraries
 * that only some commands need. It is the only file of this folder that is linked into
 * the tool and libtikc.so: everything else needs LLVM, which takes longer to load than
 * most commands run, and may not be installed. A library is looked for from the folder of
 * the library or program that this file is part of, then from that of the program: beside
 * it and one folder up in a build tree, in its folder tikc or, from a program, that of
 * the library folder where they are installed. All of it is relative and links are
 * followed, so that a prefix can be moved. Last comes where the system keeps libraries.
 * The paths are spelled out, since a run path does not reach dlopen under the address
 * sanitizer. */
#define _GNU_SOURCE
#include "host/host.h"
#include "host_id.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* TIKC_LIBDIR is the way from the folder of programs to that of libraries. */
static const char *const places[] = {"", "/tikc", "/" TIKC_LIBDIR "/tikc", "/.."};

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

/* Returns the folder of the library that this code is in; of a program, whose name may be
 * a link, or null if it was found by the search path and so has no folder in its name. */
static const char *
own_folder(Unit *u)
{
    Dl_info info;
    const char *name = dladdr(&places, &info) != 0 ? info.dli_fname : NULL;
    char *path = name && strchr(name, '/') ? realpath(name, NULL) : NULL;
    const char *folder = path ? folder_of(u, path, strlen(path)) : NULL;
    free(path);
    return folder;
}

/* Returns the path of a library near a folder; null if it is not there. */
static const char *
near_folder(Unit *u, const char *folder, const char *library)
{
    for (size_t i = 0; folder && i < ARRAY_LEN(places); i++) {
        char *path = arena_printf(&u->arena, "%s%s/%s", folder, places[i], library);
        if (access(path, R_OK) == 0) {
            return path;
        }
    }
    return NULL;
}

void *
library_open(Unit *u, const char *library)
{
    const char *path = near_folder(u, own_folder(u), library);
    path = path ? path : near_folder(u, program_folder(u), library);
    return dlopen(path ? path : library, RTLD_NOW | RTLD_LOCAL);
}

/* Structures of the compiler are shared with the library, so it must be of the same
 * sources. */
static const HostApi *
find_api(Unit *u, void *lib)
{
    const HostApi *(*get)(void);
    *(void **)&get = dlsym(lib, HOST_API_NAME);
    const HostApi *api = get != NULL ? get() : NULL;
    if (api == NULL || strcmp(api->made_of, HOST_ID) != 0) {
        Dl_info info;
        bool known = get != NULL && dladdr(*(void **)&get, &info) != 0;
        Diag *d = diag_add(u, D_BACKEND, (Span){0}, 0,
                           "%s was built of other sources than this tool",
                           known ? info.dli_fname : "libtikc-host.so");
        diag_help(u, d, "build or install both together, or use '--backend emu'");
        return NULL;
    }
    return api;
}

/* The library stays loaded until the process ends: code made by it may still run. */
const HostApi *
host_open(Unit *u)
{
    void *lib = library_open(u, "libtikc-host.so");
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
