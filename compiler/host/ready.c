/* ready.c: finds and opens the set of helpers for this processor, and leaves of a module
 * what goes into a set (host/ready.h). A set belongs to the library that it was built
 * with: it exports a name with a number that is made of the sources. */
#ifndef _GNU_SOURCE /* the flags of LLVM define it on most systems */
#define _GNU_SOURCE
#endif
#include "host/ready.h"

#include "helpers_id.h"
#include "tikcode.h"

#include <dlfcn.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdlib.h>
#include <string.h>

#define SET_MARK "tikc_helpers_" HELPERS_ID
#define MAP      "tikrt_map"
#define SET_MAP  "tikc_helpers_map" /* the set's pointer to it */

char *
host_folder(Arena *a)
{
    static const char here = 0;
    Dl_info self;
    char *path = dladdr(&here, &self) != 0 ? realpath(self.dli_fname, NULL) : NULL;
    char *slash = path != NULL ? strrchr(path, '/') : NULL;
    char *folder = slash != NULL ? arena_strndup(a, path, (size_t)(slash - path)) : NULL;
    free(path);
    return folder;
}

/* ---- levels -------------------------------------------------------------- */

static const HostLevel levels[] = {
#define LEVEL(name, cpu, tune, features) {name, cpu, tune, features},
#include "host/level.def"
};

const HostLevel *
level_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(levels); i++) {
        if (strcmp(levels[i].name, name) == 0) {
            return &levels[i];
        }
    }
    return NULL;
}

static bool
has_cpu(const char *cpu)
{
#ifdef __x86_64__
    return strcmp(cpu, "x86-64-v4") == 0 ? __builtin_cpu_supports("x86-64-v4")
                                         : __builtin_cpu_supports("x86-64-v3");
#else
    (void)cpu;
    return false;
#endif
}

/* Returns whether each of the features is one of the processor's; both are lists with
 * commas. */
static bool
has_features(const char *own, const char *features)
{
    while (*features != '\0') {
        size_t n = strcspn(features, ",");
        const char *at = own;
        while (strncmp(at, features, n) != 0 || (at[n] != ',' && at[n] != '\0')) {
            at = strchr(at, ',');
            if (at == NULL) {
                return false;
            }
            at++;
        }
        features += n;
        features += *features == ',';
    }
    return true;
}

/* Code of the level must not differ in what other code relies on. */
static bool
fits(const HostLevel *v, const HostTarget *t, const char *own)
{
    return has_cpu(v->cpu) && has_features(own, v->features) &&
           t->masked_stores == (strcmp(v->cpu, "x86-64-v4") == 0) &&
           t->half_arithmetic == (strstr(v->features, "+avx512fp16") != NULL);
}

/* ---- the set ------------------------------------------------------------- */

static void *
open_level(const HostLevel *v)
{
    Arena a;
    arena_init(&a);
    const char *folder = host_folder(&a);
    void *library =
        folder == NULL
            ? NULL
            : dlopen(arena_printf(&a, "%s/libtikc-helpers-%s.so", folder, v->name),
                     RTLD_NOW | RTLD_LOCAL);
    arena_free(&a);
    uintptr_t *map = library != NULL ? dlsym(library, SET_MAP) : NULL;
    if (map != NULL && dlsym(library, SET_MARK) != NULL) {
        *map = (uintptr_t)tikrt_map;
        return library;
    }
    if (library != NULL) {
        dlclose(library);
    }
    return NULL;
}

void
ready_open(ReadySet *r, const HostTarget *t, const HostOptions *opt)
{
    enum {
        LEVEL_OF_SETS = 2
    };
    r->library = NULL;
    if (opt->fresh || opt->cpu != NULL || t->opt_level != LEVEL_OF_SETS) {
        return;
    }
    char *own = LLVMGetHostCPUFeatures();
    for (size_t i = 0; i < ARRAY_LEN(levels) && r->library == NULL; i++) {
        if (fits(&levels[i], t, own)) {
            r->library = open_level(&levels[i]);
        }
    }
    LLVMDisposeMessage(own);
}

void *
ready_find(const ReadySet *r, const char *name)
{
    return r->library != NULL ? dlsym(r->library, name) : NULL;
}

void
ready_close(ReadySet *r)
{
    if (r->library != NULL) {
        dlclose(r->library);
    }
}

/* ---- what goes into a set ------------------------------------------------ */

static bool
is_helper(LLVMValueRef fn)
{
    size_t n;
    return !LLVMIsDeclaration(fn) &&
           strncmp(LLVMGetValueName2(fn, &n), HELPER_PREFIX, strlen(HELPER_PREFIX)) == 0;
}

/* Defines the function of the runtime library that helpers call as a jump to where the
 * set's pointer leads, which is not known before the set is opened. */
static void
define_map(LLVMModuleRef mod)
{
    LLVMContextRef ctx = LLVMGetModuleContext(mod);
    LLVMTypeRef ptr = LLVMPointerTypeInContext(ctx, 0);
    LLVMValueRef at = LLVMAddGlobal(mod, ptr, SET_MAP);
    LLVMSetInitializer(at, LLVMConstNull(ptr));
    LLVMValueRef fn = LLVMGetNamedFunction(mod, MAP);
    if (fn == NULL) {
        return;
    }
    enum {
        PARAMS = 6
    };
    LLVMValueRef args[PARAMS];
    LLVMBuilderRef b = LLVMCreateBuilderInContext(ctx);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(ctx, fn, ""));
    LLVMGetParams(fn, args);
    LLVMValueRef call = LLVMBuildCall2(b, LLVMGlobalGetValueType(fn),
                                       LLVMBuildLoad2(b, ptr, at, ""), args, PARAMS, "");
    LLVMSetTailCall(call, true);
    LLVMBuildRetVoid(b);
    LLVMDisposeBuilder(b);
}

/* Helpers that are in the set are external. */
static bool
may_call(LLVMValueRef called)
{
    size_t n;
    const char *name = LLVMGetValueName2(called, &n);
    return LLVMIsDeclaration(called)
               ? strncmp(name, "tikrt_", strlen("tikrt_")) != 0
               : LLVMGetLinkage(called) == LLVMExternalLinkage || strcmp(name, MAP) == 0;
}

static bool
calls_others(LLVMValueRef fn)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b != NULL;
         b = LLVMGetNextBasicBlock(b)) {
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != NULL;
             i = LLVMGetNextInstruction(i)) {
            if (LLVMIsACallInst(i) != NULL && !may_call(LLVMGetCalledValue(i))) {
                return true;
            }
        }
    }
    return false;
}

static void
set_linkages(LLVMModuleRef mod)
{
    LLVMValueRef fn;
    for (fn = LLVMGetFirstFunction(mod); fn != NULL; fn = LLVMGetNextFunction(fn)) {
        if (!LLVMIsDeclaration(fn)) {
            LLVMSetLinkage(fn, is_helper(fn) ? LLVMExternalLinkage : LLVMInternalLinkage);
        }
    }
    bool changed = true;
    while (changed) {
        changed = false;
        for (fn = LLVMGetFirstFunction(mod); fn != NULL; fn = LLVMGetNextFunction(fn)) {
            if (is_helper(fn) && LLVMGetLinkage(fn) == LLVMExternalLinkage &&
                calls_others(fn)) {
                LLVMSetLinkage(fn, LLVMInternalLinkage);
                changed = true;
            }
        }
    }
}

static void
add_mark(LLVMModuleRef mod)
{
    LLVMTypeRef byte = LLVMInt8TypeInContext(LLVMGetModuleContext(mod));
    LLVMValueRef mark = LLVMAddGlobal(mod, byte, SET_MARK);
    LLVMSetInitializer(mark, LLVMConstInt(byte, 1, false));
    LLVMSetGlobalConstant(mark, true);
}

bool
ready_keep_helpers(LLVMModuleRef mod, const HostTarget *t, char **error)
{
    define_map(mod);
    set_linkages(mod);
    add_mark(mod);
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef failed = LLVMRunPasses(mod, "globaldce", t->machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (failed != NULL) {
        char *text = LLVMGetErrorMessage(failed);
        *error = LLVMCreateMessage(text);
        LLVMDisposeErrorMessage(text);
    }
    return failed == NULL;
}
