/* jit.c: compiles kernels into this process. The module goes through the same pipeline as
 * ahead-of-time output, to object code in memory, which ORC links: so both give the same
 * code. Calls of the runtime library are bound to the copy in this library; memcpy and
 * the like come from the process. */
#include "host/lower/lower.h"
#include "tikcode.h"

#include <llvm-c/LLJIT.h>
#include <string.h>

#ifdef __x86_64__
/* Code for processors without float16 conversions calls these functions of the C
 * compiler's library. They are bound here, since a host program that is loaded by dlopen
 * does not export its own libraries to the process. */
float __extendhfsf2(_Float16 x);
_Float16 __truncsfhf2(float x);
_Float16 __truncdfhf2(double x);
#endif

typedef struct Jit {
    Arena arena; /* holds names, parameters, places */
    LLVMOrcLLJITRef jit;
} Jit;

static bool
failed(Unit *u, Jit *j, LLVMErrorRef error)
{
    if (error == NULL) {
        return false;
    }
    char *text = LLVMGetErrorMessage(error);
    diag_add(u, D_BACKEND, (Span){0}, 0, "LLVM cannot load the code: %s", text);
    LLVMDisposeErrorMessage(text);
    host_release(j);
    return true;
}

static bool
bind_runtime(Unit *u, Jit *j)
{
    LLVMOrcJITDylibRef lib = LLVMOrcLLJITGetMainJITDylib(j->jit);
    const struct {
        const char *name;
        uintptr_t address;
    } runtime[] = {
        {"tikrt_check", (uintptr_t)tikrt_check},
        {"tikrt_edge", (uintptr_t)tikrt_edge},
        {"tikrt_edges_end", (uintptr_t)tikrt_edges_end},
        {"tikrt_where", (uintptr_t)tikrt_where},
        {"tikrt_fault", (uintptr_t)tikrt_fault},
        {"tikrt_blocks", (uintptr_t)tikrt_blocks},
        {"tikrt_barrier", (uintptr_t)tikrt_barrier},
        {"tikrt_isqrt", (uintptr_t)tikrt_isqrt},
        {"tikrt_exec", (uintptr_t)tikrt_exec},
        {"tikrt_map", (uintptr_t)tikrt_map},
        {"tikrt_planes", (uintptr_t)tikrt_planes},
        {"tikrt_tiles", (uintptr_t)tikrt_tiles},
        {"tikrt_convert", (uintptr_t)tikrt_convert},
        {"tikrt_sreg_reset", (uintptr_t)tikrt_sreg_reset},
        {"tikrt_lmem_reset", (uintptr_t)tikrt_lmem_reset},
#ifdef __x86_64__
        {"__extendhfsf2", (uintptr_t)__extendhfsf2},
        {"__truncsfhf2", (uintptr_t)__truncsfhf2},
        {"__truncdfhf2", (uintptr_t)__truncdfhf2},
#endif
    };
    LLVMOrcCSymbolMapPair pairs[ARRAY_LEN(runtime)];
    for (size_t i = 0; i < ARRAY_LEN(runtime); i++) {
        pairs[i].Name = LLVMOrcLLJITMangleAndIntern(j->jit, runtime[i].name);
        pairs[i].Sym = (LLVMJITEvaluatedSymbol){runtime[i].address, {0, 0}};
    }
    LLVMOrcMaterializationUnitRef unit = LLVMOrcAbsoluteSymbols(pairs, ARRAY_LEN(pairs));
    if (failed(u, j, LLVMOrcJITDylibDefine(lib, unit))) {
        return false;
    }
    LLVMOrcDefinitionGeneratorRef process = NULL;
    char prefix = LLVMOrcLLJITGetGlobalPrefix(j->jit);
    if (failed(u, j,
               LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(&process, prefix,
                                                                    NULL, NULL))) {
        return false;
    }
    LLVMOrcJITDylibAddGenerator(lib, process);
    return true;
}

/* Makes what links and holds the code. It only links, so it gets a machine without
 * features, which is made in a quarter of the time that finding out those of the
 * processor once more takes. */
static LLVMErrorRef
make_linker(Jit *j)
{
    HostTarget t;
    LLVMOrcLLJITBuilderRef builder = NULL;
    char *error = NULL;
    if (host_target_open(&t, &(HostOptions){.cpu = ""}, &error)) {
        builder = LLVMOrcCreateLLJITBuilder();
        LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(
            builder, LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(t.machine));
    }
    LLVMDisposeMessage(error);
    return LLVMOrcCreateLLJIT(&j->jit, builder);
}

static bool
link_object(Unit *u, Jit *j, LLVMMemoryBufferRef object)
{
    LLVMErrorRef error = make_linker(j);
    if (error != NULL) {
        LLVMDisposeMemoryBuffer(object);
        return !failed(u, j, error);
    }
    if (!bind_runtime(u, j)) {
        LLVMDisposeMemoryBuffer(object);
        return false;
    }
    LLVMOrcJITDylibRef lib = LLVMOrcLLJITGetMainJITDylib(j->jit);
    return !failed(u, j, LLVMOrcLLJITAddObjectFile(j->jit, lib, object));
}

/* Returns object code of the kernels, whose descriptors go to out; null after a
 * diagnostic. */
static LLVMMemoryBufferRef
compile(Kernel *const *kernels, int n, const HostTarget *t, bool apart, Arena *arena,
        TikKernel *out)
{
    Unit *u = kernels[0]->unit;
    Arena scratch;
    arena_init(&scratch);
    Lower l;
    lower_open(&l, u, &scratch, t, "tikc");
    for (int i = 0; i < n; i++) {
        lower_kernel(&l, kernels[i], apart);
        descriptor_fill(&l, kernels[i], arena, &out[i]);
    }
    char *error = NULL;
    LLVMMemoryBufferRef object = NULL;
    if (!host_target_optimise(t, l.mod, l.has_slots, &error) ||
        LLVMTargetMachineEmitToMemoryBuffer(t->machine, l.mod, LLVMObjectFile, &error,
                                            &object)) {
        diag_add(u, D_BACKEND, kernels[0]->span, 0, "LLVM cannot compile the kernel: %s",
                 error);
        LLVMDisposeMessage(error);
        object = NULL;
    }
    lower_close(&l);
    arena_free(&scratch);
    return object;
}

static bool
find_entries(Unit *u, Jit *j, int n, TikKernel *entries)
{
    for (int i = 0; i < n; i++) {
        const char *symbol = arena_printf(&j->arena, "tik_entry_%s", entries[i].name);
        LLVMOrcExecutorAddress address = 0;
        TRY(!failed(u, j, LLVMOrcLLJITLookup(j->jit, &address, symbol)));
        entries[i].entry = (TikEntry)(uintptr_t)address;
    }
    return true;
}

static bool
open_target(Unit *u, Span span, const HostOptions *opt, HostTarget *t)
{
    char *error = NULL;
    if (host_target_open(t, opt, &error)) {
        return true;
    }
    diag_add(u, D_BACKEND, span, 0, "LLVM has no code for this machine: %s", error);
    LLVMDisposeMessage(error);
    return false;
}

bool
host_jit(Kernel *const *kernels, int n, const HostOptions *opt, TikKernel *entries,
         void **handle)
{
    Unit *u = kernels[0]->unit;
    HostTarget t;
    TRY(open_target(u, kernels[0]->span, opt, &t));
    Arena first;
    arena_init(&first);
    Jit *j = ARENA_NEW(&first, Jit);
    j->arena = first;
    LLVMMemoryBufferRef object = compile(kernels, n, &t, opt->apart, &j->arena, entries);
    host_target_close(&t);
    if (object == NULL) {
        host_release(j);
        return false;
    }
    TRY(link_object(u, j, object));
    TRY(find_entries(u, j, n, entries));
    *handle = j;
    return true;
}

void
host_release(void *handle)
{
    Jit *j = handle;
    if (j->jit != NULL) {
        LLVMErrorRef error = LLVMOrcDisposeLLJIT(j->jit);
        if (error != NULL) {
            LLVMConsumeError(error);
        }
    }
    Arena arena = j->arena; /* *j itself is allocated in it */
    arena_free(&arena);
}
