/* jit.c: compiles kernels into this process. The module goes through the same pipeline as
 * ahead-of-time output, to object code in memory, which ORC links: so both give the same
 * code. Calls of the runtime library are bound to the copy in this library; memcpy and
 * the like come from the process.
 *
 * The kernels of a session are linked by one linker and compiled for one machine, both of
 * which take longer to make than the code of a small kernel. They share helpers too, see
 * host/share.c. */
#include "host/lower/lower.h"
#include "host/share.h"
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

struct HostSession {
    Arena arena;
    HostTarget target;
    LLVMOrcLLJITRef jit;
    uint64_t entries; /* number of entries so far: their names are numbered */
    Helpers helpers;
    bool debug; /* debuggers get the lines of the code */
};

static bool
failed(Unit *u, LLVMErrorRef error)
{
    if (error == NULL) {
        return false;
    }
    char *text = LLVMGetErrorMessage(error);
    diag_add(u, D_BACKEND, (Span){0}, 0, "LLVM cannot load the code: %s", text);
    LLVMDisposeErrorMessage(text);
    return true;
}

static bool
define(Unit *u, LLVMOrcLLJITRef jit, LLVMOrcCSymbolMapPair *pairs, size_t n)
{
    LLVMOrcJITDylibRef lib = LLVMOrcLLJITGetMainJITDylib(jit);
    return !failed(u, LLVMOrcJITDylibDefine(lib, LLVMOrcAbsoluteSymbols(pairs, n)));
}

static void
set_pair(LLVMOrcLLJITRef jit, LLVMOrcCSymbolMapPair *p, const char *name,
         uintptr_t address)
{
    p->Name = LLVMOrcLLJITMangleAndIntern(jit, name);
    p->Sym = (LLVMJITEvaluatedSymbol){address, {0, 0}};
}

/* Binds the helpers of the set that are called for the first time. */
static bool
bind_ready(Unit *u, LLVMOrcLLJITRef jit, Helpers *h)
{
    LLVMOrcCSymbolMapPair pair;
    for (uint32_t i = 0; i < h->known.n; i++) {
        KnownHelper *k = &h->known.p[i];
        if (k->address != 0 && !k->bound) {
            set_pair(jit, &pair, k->symbol, k->address);
            TRY(define(u, jit, &pair, 1));
            k->bound = true;
        }
    }
    return true;
}

static bool
bind_runtime(Unit *u, LLVMOrcLLJITRef jit)
{
    LLVMOrcJITDylibRef lib = LLVMOrcLLJITGetMainJITDylib(jit);
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
        {"tikrt_product", (uintptr_t)tikrt_product},
        {"tikrt_finish", (uintptr_t)tikrt_finish},
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
        set_pair(jit, &pairs[i], runtime[i].name, runtime[i].address);
    }
    TRY(define(u, jit, pairs, ARRAY_LEN(pairs)));
    LLVMOrcDefinitionGeneratorRef process = NULL;
    char prefix = LLVMOrcLLJITGetGlobalPrefix(jit);
    TRY(!failed(u, LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(&process, prefix,
                                                                        NULL, NULL)));
    LLVMOrcJITDylibAddGenerator(lib, process);
    return true;
}

/* Makes what links and holds the code. It only links, so it gets a machine without
 * features, which is made in a quarter of the time that finding out those of the
 * processor once more takes. */
static LLVMErrorRef
make_linker(LLVMOrcLLJITRef *jit)
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
    return LLVMOrcCreateLLJIT(jit, builder);
}

static bool
open_target(Unit *u, const HostOptions *opt, HostTarget *t)
{
    char *error = NULL;
    if (host_target_open(t, opt, &error)) {
        return true;
    }
    diag_add(u, D_BACKEND, (Span){0}, 0, "LLVM has no code for this machine: %s", error);
    LLVMDisposeMessage(error);
    return false;
}

HostSession *
host_session_open(Unit *u, const HostOptions *opt)
{
    HostTarget target;
    LLVMOrcLLJITRef jit = NULL;
    if (!open_target(u, opt, &target)) {
        return NULL;
    }
    Arena arena;
    arena_init(&arena);
    HostSession *s = ARENA_NEW(&arena, HostSession);
    *s = (HostSession){.arena = arena, .target = target, .debug = opt->debug};
    arena_init(&s->helpers.arena);
    ready_open(&s->helpers.ready, &s->target, opt);
    if (target.opt_level > 0) {
        host_target_add_plain(&s->target);
    }
    if (failed(u, make_linker(&jit))) {
        host_session_close(s);
        return NULL;
    }
    s->jit = jit;
    if (!bind_runtime(u, jit)) {
        host_session_close(s);
        return NULL;
    }
    return s;
}

void
host_session_close(HostSession *s)
{
    helpers_close(&s->helpers);
    LLVMErrorRef error = s->jit != NULL ? LLVMOrcDisposeLLJIT(s->jit) : NULL;
    if (error != NULL) {
        LLVMConsumeError(error);
    }
    host_target_close(&s->target);
    Arena arena = s->arena; /* *s itself is allocated in it */
    arena_free(&arena);
}

HostCount
host_session_count(const HostSession *s)
{
    return s->helpers.count;
}

/* ---- kernels ------------------------------------------------------------- */

/* Object code of kernels, and of their helpers where those are apart; null: there is
 * none. */
typedef struct Objects {
    LLVMMemoryBufferRef kernels, helpers;
} Objects;

static bool
is_coarse(Kernel *const *kernels, int n)
{
    bool coarse = true;
    for (int i = 0; i < n; i++) {
        const Kernel *k = kernels[i];
        coarse = coarse && lower_is_coarse(k->tiled != NULL ? k->tiled : k);
    }
    return coarse;
}

static bool
emit(const Lower *l, LLVMTargetMachineRef machine, LLVMModuleRef mod, Span at,
     LLVMMemoryBufferRef *object)
{
    char *error = NULL;
    if ((machine == l->target->plain ||
         host_target_optimise(l->target, mod, l->has_slots, &error)) &&
        !LLVMTargetMachineEmitToMemoryBuffer(machine, mod, LLVMObjectFile, &error,
                                             object)) {
        return true;
    }
    diag_add(l->u, D_BACKEND, at, 0, "LLVM cannot compile the kernel: %s", error);
    LLVMDisposeMessage(error);
    *object = NULL;
    return false;
}

static bool
has_functions(LLVMModuleRef mod)
{
    LLVMValueRef fn = LLVMGetFirstFunction(mod);
    while (fn != NULL && LLVMIsDeclaration(fn)) {
        fn = LLVMGetNextFunction(fn);
    }
    return fn != NULL;
}

static bool
emit_objects(const Lower *l, Span at, Objects *out)
{
    const HostTarget *t = l->target;
    bool apart = l->helpers != l->mod;
    return emit(l, apart ? t->plain : t->machine, l->mod, at, &out->kernels) &&
           (!apart || !has_functions(l->helpers) ||
            emit(l, t->machine, l->helpers, at, &out->helpers));
}

/* Gives a function a name that the session has not yet; null: there is no function. */
static const char *
name_function(HostSession *s, Code *c, LLVMValueRef fn)
{
    if (fn == NULL) {
        return NULL;
    }
    unsigned long long number = (unsigned long long)s->entries++;
    const char *name = arena_printf(&c->arena, "tik_entry_%llu", number);
    LLVMSetValueName2(fn, name, strlen(name));
    return name;
}

/* Compiles the kernels, whose descriptors go to out and the names of their entries to
 * names, followed by those of their inspectors. The functions of coarse kernels are
 * compiled without optimisation. */
static bool
compile(HostSession *s, Kernel *const *kernels, int n, bool apart, Code *c,
        TikKernel *out, const char **names, Objects *objects)
{
    Unit *u = kernels[0]->unit;
    Arena scratch;
    arena_init(&scratch);
    Lower l;
    lower_open(&l, u, &scratch, &s->target, "tikc");
    l.store = (HelperStore){helpers_has, &s->helpers};
    if (s->debug) {
        debug_open(&l);
    } else if (s->target.plain != NULL && is_coarse(kernels, n)) {
        lower_split(&l);
        s->helpers.count.coarse++;
    }
    for (int i = 0; i < n; i++) {
        LLVMValueRef entry = lower_kernel(&l, kernels[i], apart);
        names[i] = name_function(s, c, entry);
        names[n + i] = name_function(s, c, lower_inspector(&l, kernels[i]));
        descriptor_fill(&l, kernels[i], &c->arena, &out[i]);
    }
    debug_close(&l);
    helpers_share(&s->helpers, l.helpers, c);
    if (l.mod != l.helpers) {
        helpers_share(&s->helpers, l.mod, c);
    }
    bool ok = emit_objects(&l, kernels[0]->span, objects);
    lower_close(&l);
    arena_free(&scratch);
    return ok;
}

static bool
add_object(Unit *u, HostSession *s, Code *c, LLVMMemoryBufferRef object)
{
    c->bytes += (int64_t)LLVMGetBufferSize(object);
    return !failed(u, LLVMOrcLLJITAddObjectFileWithRT(s->jit, c->tracker, object));
}

/* Finds a compiled function; without a name there is none. */
static bool MUST_USE
find_function(Unit *u, HostSession *s, const char *name, TikEntry *out)
{
    LLVMOrcExecutorAddress address = 0;
    TRY(name == NULL || !failed(u, LLVMOrcLLJITLookup(s->jit, &address, name)));
    *out = (TikEntry)(uintptr_t)address;
    return true;
}

static bool
link_objects(Unit *u, HostSession *s, Code *c, const Objects *o, int n,
             TikKernel *entries, const char *const *names)
{
    LLVMOrcJITDylibRef lib = LLVMOrcLLJITGetMainJITDylib(s->jit);
    size_t size = LLVMGetBufferSize(o->kernels);
    /* the linker takes the object */
    char *copy =
        s->debug ? arena_copy(&c->arena, LLVMGetBufferStart(o->kernels), size) : NULL;
    c->tracker = LLVMOrcJITDylibCreateResourceTracker(lib);
    TRY(o->helpers == NULL || add_object(u, s, c, o->helpers));
    TRY(add_object(u, s, c, o->kernels));
    for (int i = 0; i < n; i++) {
        TRY(find_function(u, s, names[i], &entries[i].entry));
        TRY(find_function(u, s, names[n + i], &entries[i].inspector));
    }
    if (s->debug) {
        c->gdb = gdb_register(&c->arena, copy, size, names[0],
                              (uint64_t)(uintptr_t)entries[0].entry);
    }
    return true;
}

bool
host_jit(HostSession *s, Kernel *const *kernels, int n, bool apart, TikKernel *entries,
         void **handle)
{
    Unit *u = kernels[0]->unit;
    Code *c = code_new();
    Objects objects = {0};
    const char **names = ARENA_ARRAY(&c->arena, const char *, 2 * n);
    if (!compile(s, kernels, n, apart, c, entries, names, &objects) ||
        !bind_ready(u, s->jit, &s->helpers) ||
        !link_objects(u, s, c, &objects, n, entries, names)) {
        helpers_forget(&s->helpers, c);
        code_drop(c);
        return false;
    }
    helpers_keep(&s->helpers, c);
    *handle = c;
    return true;
}

void
host_release(void *handle)
{
    code_drop(handle);
}
