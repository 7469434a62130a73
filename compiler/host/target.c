/* target.c: the machine that code is made for, and the optimisation pipeline. Code is
 * emitted in its final shape (vectors, loops), so only registers are promoted and
 * expressions simplified; the vectorisers and the unroller of the standard pipelines have
 * nothing to do here and are not run. A module without registers needs no optimisation,
 * which saves a fifth of the compile time. */
#include "host/ready.h"

#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <llvm/Config/llvm-config.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

/* One iteration is enough; by default newer versions check that another one would change
 * nothing. */
#if LLVM_VERSION_MAJOR >= 18
#define COMBINE "instcombine<no-verify-fixpoint>"
#else
#define COMBINE "instcombine"
#endif
#define TIDY "sroa,early-cse,simplifycfg"

/* The pipeline by level; level 0 runs none. Selection of instructions simplifies most
 * expressions once more, so combining them before is not worth the time below level 3. */
static const char *const pipelines[] = {
    "",
    "function(" TIDY ")",
    "function(" TIDY ",loop-mssa(licm))",
    "function(" TIDY "," COMBINE ",simplifycfg,loop-mssa(licm),gvn)",
};

static bool
has_masked_stores(const char *cpu, const char *features)
{
    static const char *const cpus[] = {"x86-64-v4",      "skylake-avx512", "cascadelake",
                                       "icelake-server", "sapphirerapids", "znver4",
                                       "znver5"};
    for (size_t i = 0; i < ARRAY_LEN(cpus); i++) {
        if (strcmp(cpu, cpus[i]) == 0) {
            return true;
        }
    }
    return strstr(features, "+avx512bw") != NULL;
}

/* Outputs are streamed where they leave the last cache anyway. A large one is that of
 * many processors, so a kernel can count on a part of it; what is less than the last
 * cache of a small machine stays in it. */
static int64_t
stream_bytes(bool this_machine)
{
    enum {
        LEAST = 24 << 20,
        SHARES = 12
    };
    int64_t cache = this_machine ? (int64_t)sysconf(_SC_LEVEL3_CACHE_SIZE) : 0;
    return MAX((int64_t)LEAST, cache / SHARES);
}

static LLVMCodeGenOptLevel
codegen_level(int level)
{
    static const LLVMCodeGenOptLevel levels[] = {
        LLVMCodeGenLevelNone, LLVMCodeGenLevelLess, LLVMCodeGenLevelDefault,
        LLVMCodeGenLevelAggressive};
    return levels[level];
}

/* Passes of the code generator that take a fifth of its time here and give nothing: loops
 * count and address as they will in the code, and the processor orders instructions. */
static void
leave_out_passes(void)
{
    static const char *const options[] = {"tikc", "-disable-lsr",
                                          "-enable-misched=false"};
    LLVMParseCommandLineOptions(ARRAY_LEN(options), options, "");
}

bool
host_target_open(HostTarget *t, const HostOptions *opt, char **error)
{
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    static pthread_once_t once = PTHREAD_ONCE_INIT; /* LLVM's options are the process's */
    pthread_once(&once, leave_out_passes);
    LLVMTargetRef target = NULL;
    char *triple = LLVMGetDefaultTargetTriple();
    char *host_cpu = LLVMGetHostCPUName();
    char *host_features = LLVMGetHostCPUFeatures();
    const HostLevel *level = opt->level != NULL ? level_find(opt->level) : NULL;
    const char *cpu = level != NULL ? level->cpu : opt->cpu ? opt->cpu : host_cpu;
    const char *features = level != NULL ? level->features
                           : opt->cpu    ? ""
                                         : host_features;
    bool ok = LLVMGetTargetFromTriple(triple, &target, error) == 0;
    if (ok) {
        t->plain = NULL;
        t->opt_level = opt->opt_level < 0 ? 0 : MIN(opt->opt_level, 3);
        t->masked_stores = has_masked_stores(cpu, features);
        t->tune = level != NULL ? level->tune : NULL;
        t->half_arithmetic = strstr(features, "+avx512fp16") != NULL;
        t->stream_bytes = stream_bytes(opt->cpu == NULL);
        t->machine = LLVMCreateTargetMachine(target, triple, cpu, features,
                                             codegen_level(t->opt_level), LLVMRelocPIC,
                                             LLVMCodeModelDefault);
    }
    LLVMDisposeMessage(triple);
    LLVMDisposeMessage(host_cpu);
    LLVMDisposeMessage(host_features);
    return ok;
}

void
host_target_add_plain(HostTarget *t)
{
    char *triple = LLVMGetTargetMachineTriple(t->machine);
    char *cpu = LLVMGetTargetMachineCPU(t->machine);
    char *features = LLVMGetTargetMachineFeatureString(t->machine);
    t->plain = LLVMCreateTargetMachine(LLVMGetTargetMachineTarget(t->machine), triple,
                                       cpu, features, LLVMCodeGenLevelNone, LLVMRelocPIC,
                                       LLVMCodeModelDefault);
    LLVMDisposeMessage(triple);
    LLVMDisposeMessage(cpu);
    LLVMDisposeMessage(features);
}

void
host_target_close(HostTarget *t)
{
    if (t->plain != NULL) {
        LLVMDisposeTargetMachine(t->plain);
    }
    LLVMDisposeTargetMachine(t->machine);
}

/* Processors without arithmetic of float16 store vectors of it past the caches only as
 * integers. A conversion beside the store would be dropped again, so a value that comes
 * from several blocks is converted in these. */
static LLVMValueRef
as_integers(LLVMBuilderRef b, LLVMValueRef v, LLVMTypeRef bits)
{
    if (LLVMIsAPHINode(v) == NULL) {
        return LLVMBuildBitCast(b, v, bits, "");
    }
    LLVMPositionBuilderBefore(b, v);
    LLVMValueRef phi = LLVMBuildPhi(b, bits, "");
    for (unsigned i = 0; i < LLVMCountIncoming(v); i++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(v, i);
        LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(from));
        LLVMValueRef x = LLVMBuildBitCast(b, LLVMGetIncomingValue(v, i), bits, "");
        LLVMAddIncoming(phi, &x, &from, 1);
    }
    return phi;
}

static void
keep_stream(LLVMContextRef ctx, LLVMBuilderRef b, LLVMValueRef store)
{
    LLVMValueRef v = LLVMGetOperand(store, 0);
    LLVMTypeRef t = LLVMTypeOf(v);
    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind &&
        LLVMGetTypeKind(LLVMGetElementType(t)) == LLVMHalfTypeKind) {
        LLVMTypeRef element = LLVMInt16TypeInContext(ctx);
        LLVMPositionBuilderBefore(b, store);
        v = as_integers(b, v, LLVMVectorType(element, LLVMGetVectorSize(t)));
        LLVMSetOperand(store, 0, v);
    }
}

static void
keep_streams(LLVMModuleRef mod)
{
    LLVMContextRef ctx = LLVMGetModuleContext(mod);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(ctx);
    unsigned stream = LLVMGetMDKindIDInContext(ctx, "nontemporal", 11);
    for (LLVMValueRef f = LLVMGetFirstFunction(mod); f != NULL;
         f = LLVMGetNextFunction(f)) {
        for (LLVMBasicBlockRef k = LLVMGetFirstBasicBlock(f); k != NULL;
             k = LLVMGetNextBasicBlock(k)) {
            for (LLVMValueRef i = LLVMGetFirstInstruction(k); i != NULL;
                 i = LLVMGetNextInstruction(i)) {
                if (LLVMGetInstructionOpcode(i) == LLVMStore &&
                    LLVMGetMetadata(i, stream) != NULL) {
                    keep_stream(ctx, b, i);
                }
            }
        }
    }
    LLVMDisposeBuilder(b);
}

bool
host_target_optimise(const HostTarget *t, LLVMModuleRef mod, bool has_slots, char **error)
{
    if (!has_slots || t->opt_level == 0) {
        return true;
    }
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef failed =
        LLVMRunPasses(mod, pipelines[t->opt_level], t->machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (failed != NULL) {
        char *text = LLVMGetErrorMessage(failed);
        *error = LLVMCreateMessage(text);
        LLVMDisposeErrorMessage(text);
        return false;
    }
    keep_streams(mod);
    return true;
}
