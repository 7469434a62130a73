/* read.c: links the modules and optimises for size. */
#include "compact.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Support.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <llvm-c/Error.h>
#include <stdlib.h>
#include <string.h>

enum {
    SMALL = 7 /* instructions of a function that is copied to all its callers, at most */
};

static LLVMModuleRef
read_one(LLVMContextRef context, const char *path)
{
    LLVMMemoryBufferRef bytes;
    LLVMModuleRef m;
    char *why;
    if (LLVMCreateMemoryBufferWithContentsOfFile(path, &bytes, &why) ||
        LLVMParseIRInContext(context, bytes, &m, &why)) {
        fprintf(stderr, "compact: %s: %s\n", path, why);
        exit(1);
    }
    return m;
}

static bool
is_root(const char *name, const char *roots)
{
    size_t n = strlen(name);
    for (const char *r = roots; (r = strstr(r, name)) != NULL; r++) {
        if ((r == roots || r[-1] == ',') && (r[n] == 0 || r[n] == ',')) {
            return true;
        }
    }
    return false;
}

static void
make_internal(LLVMModuleRef m, const char *roots)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f != NULL;
         f = LLVMGetNextFunction(f)) {
        unsigned never = LLVMGetEnumAttributeKindForName("noinline", 8);
        LLVMRemoveEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, never);
        if (!LLVMIsDeclaration(f) && !is_root(LLVMGetValueName(f), roots)) {
            LLVMSetLinkage(f, LLVMInternalLinkage);
        }
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(m); g != NULL; g = LLVMGetNextGlobal(g)) {
        if (!LLVMIsDeclaration(g) && strcmp(LLVMGetValueName(g), "verify_layout") != 0) {
            LLVMSetLinkage(g, LLVMInternalLinkage);
        }
    }
}

/* What says something of memory or values and does nothing; blocks that only have it
 * before they return are joined. */
static bool
is_remark(LLVMValueRef v)
{
    static const char *const names[] = {"llvm.lifetime.", "llvm.assume",
                                        "llvm.experimental.noalias", "llvm.dbg."};
    const char *name = LLVMIsACallInst(v) ? LLVMGetValueName(LLVMGetCalledValue(v)) : "";
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strncmp(name, names[i], strlen(names[i])) == 0) {
            return true;
        }
    }
    return false;
}

static void
drop_remarks(LLVMModuleRef m)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f != NULL;
         f = LLVMGetNextFunction(f)) {
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b != NULL;
             b = LLVMGetNextBasicBlock(b)) {
            for (LLVMValueRef v = LLVMGetFirstInstruction(b), next; v != NULL; v = next) {
                next = LLVMGetNextInstruction(v);
                if (is_remark(v)) {
                    LLVMInstructionEraseFromParent(v);
                }
            }
        }
    }
}

static void
run_passes(LLVMModuleRef m, const char *passes)
{
    LLVMPassBuilderOptionsRef o = LLVMCreatePassBuilderOptions();
    LLVMErrorRef e = LLVMRunPasses(m, passes, NULL, o);
    if (e != NULL) {
        fprintf(stderr, "compact: %s\n", LLVMGetErrorMessage(e));
        exit(1);
    }
}

static void
keep_apart(LLVMModuleRef m, int most)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f != NULL;
         f = LLVMGetNextFunction(f)) {
        int uses = 0, size = 0;
        for (LLVMUseRef u = LLVMGetFirstUse(f); u != NULL; u = LLVMGetNextUse(u)) {
            uses++;
        }
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b != NULL;
             b = LLVMGetNextBasicBlock(b)) {
            for (LLVMValueRef v = LLVMGetFirstInstruction(b); v != NULL;
                 v = LLVMGetNextInstruction(v)) {
                size++;
            }
        }
        if (uses > 1 && size > most) {
            unsigned never = LLVMGetEnumAttributeKindForName("noinline", 8);
            LLVMAddAttributeAtIndex(
                f, LLVMAttributeFunctionIndex,
                LLVMCreateEnumAttribute(LLVMGetModuleContext(m), never, 0));
        }
    }
}

LLVMModuleRef
read_modules(Program *p, char **paths, int n, const char *roots)
{
    const char *options[] = {"compact", "-inline-threshold=20"};
    LLVMParseCommandLineOptions(2, options, NULL);
    LLVMModuleRef m = read_one(p->context, paths[0]);
    for (int i = 1; i < n; i++) {
        if (LLVMLinkModules2(m, read_one(p->context, paths[i]))) {
            exit(1);
        }
    }
    make_internal(m, roots);
    drop_remarks(m);
    const char *clean = "function(instcombine<no-verify-fixpoint>,simplifycfg,early-cse<"
                        "memssa>,dse,simplifycfg)";
    char passes[1000];
    snprintf(passes, sizeof passes,
             "globaldce,ipsccp,argpromotion,globaldce,%s,deadargelim,globalopt,mergefunc,"
             "globaldce",
             clean);
    run_passes(m, passes);
    keep_apart(m, SMALL);
    snprintf(passes, sizeof passes,
             "cgscc(inline),globaldce,function(sroa),ipsccp,%s,deadargelim,mergefunc,"
             "globaldce",
             clean);
    run_passes(m, passes);
    drop_remarks(m);
    run_passes(m, "function(constraint-elimination,jump-threading,early-cse<memssa>,"
                  "correlated-propagation,simplifycfg,sink),mergefunc");
    return m;
}
