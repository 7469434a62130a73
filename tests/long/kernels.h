/* kernels.h: kernels that long comparisons run over blocks of arguments. The Makefile has
 * compiled one source to shared libraries, one for each way of making machine code, and
 * to a blob; a kernel is run by each of them. Whatever fails ends the program. */
#ifndef KERNELS_H
#define KERNELS_H

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tikblob.h"
#include "tikrt.h"

enum {
    MOST_WAYS = 8
};

/* What the files of one source hold. */
typedef struct Kernels {
    int n;                      /* ways to run a kernel; the last is the emulator */
    const char *way[MOST_WAYS]; /* names of files, for messages */
    void *library[MOST_WAYS];   /* null: the blob */
    uint8_t *blob;
    size_t size;
} Kernels;

static inline void
kernels_fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(2);
}

static inline void
kernels_read_blob(Kernels *k, const char *path)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL || fseek(f, 0, SEEK_END) != 0) {
        kernels_fail(path, "cannot be read");
    }
    long size = ftell(f);
    rewind(f);
    k->size = (size_t)size;
    k->blob = size > 0 ? malloc(k->size) : NULL;
    if (k->blob == NULL || fread(k->blob, 1, k->size, f) != k->size) {
        kernels_fail(path, "cannot be read");
    }
    fclose(f);
}

/* Opens files, of which the last is the blob. */
static inline Kernels
kernels_open(char **paths, int n)
{
    Kernels k = {.n = n};
    if (n < 1 || n > MOST_WAYS) {
        kernels_fail("kernels", "one to eight files");
    }
    for (int i = 0; i < n; i++) {
        k.way[i] = paths[i];
        if (i + 1 < n) {
            k.library[i] = dlopen(paths[i], RTLD_NOW | RTLD_LOCAL);
            if (k.library[i] == NULL) {
                kernels_fail(paths[i], dlerror());
            }
        }
    }
    kernels_read_blob(&k, paths[n - 1]);
    return k;
}

/* Returns the number of a kernel in the blob. */
static inline int
kernels_index(const Kernels *k, const char *name)
{
    TikBlob b;
    TikBlobDiag diag;
    if (!tikblob_open(&b, k->blob, k->size, &diag)) {
        kernels_fail("blob", diag.code);
    }
    for (int i = 0; i < b.nkernels; i++) {
        TikBlobKernel at;
        tikblob_kernel(&b, i, &at);
        if (strcmp(at.name, name) == 0) {
            return i;
        }
    }
    kernels_fail(name, "is not in the blob");
    return -1;
}

/* A kernel in each of its ways. */
typedef struct Ways {
    const Kernels *of;
    const TikKernel *compiled[MOST_WAYS];
    int index;
} Ways;

static inline Ways
kernels_find(const Kernels *k, const char *name)
{
    Ways w = {.of = k, .index = kernels_index(k, name)};
    char symbol[128];
    snprintf(symbol, sizeof symbol, "tik_kernel_%s", name);
    for (int i = 0; i + 1 < k->n; i++) {
        w.compiled[i] = dlsym(k->library[i], symbol);
        if (w.compiled[i] == NULL) {
            kernels_fail(k->way[i], symbol);
        }
    }
    return w;
}

static inline TikArray
kernels_array(Dtype t, int64_t elems)
{
    TikArray a;
    TikError err;
    if (!tik_array_alloc(&a, t, elems, &err)) {
        kernels_fail("array", err.text);
    }
    return a;
}

/* Runs a kernel in one of its ways, on this thread. */
static inline void
kernels_run(const Ways *w, int way, TikArray *const *args)
{
    TikError err;
    const TikKernel *k = w->compiled[way];
    if (!(k != NULL ? tik_launch(k, args, 1, &err)
                    : tik_emulate(w->of->blob, w->of->size, w->index, args, &err))) {
        kernels_fail(w->of->way[way], err.text);
    }
}
#endif
