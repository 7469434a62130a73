/* debug.c: makes line tables of the source program, so that debuggers and profilers show
 * lines of the .tik file. They exist only in ahead-of-time output; without debug_open
 * every function here does nothing. Helper functions have no source position. */
#include "host/lower/lower.h"

#include <string.h>

static LLVMMetadataRef
file_of(Lower *l, uint32_t file)
{
    if (l->di_files[file] == NULL) {
        const char *path = l->u->sources.p[file].path;
        l->di_files[file] = LLVMDIBuilderCreateFile(l->di, path, strlen(path), ".", 1);
    }
    return l->di_files[file];
}

static void
module_flag(Lower *l, const char *key, int64_t value)
{
    LLVMMetadataRef v = LLVMValueAsMetadata(lower_const32(l, value));
    LLVMAddModuleFlag(l->mod, LLVMModuleFlagBehaviorWarning, key, strlen(key), v);
}

void
debug_open(Lower *l)
{
    if (l->u->sources.n < 2) {
        return;
    }
    l->di = LLVMCreateDIBuilder(l->mod);
    l->di_files = ARENA_ARRAY(l->arena, LLVMMetadataRef, l->u->sources.n);
    module_flag(l, "Debug Info Version", (int64_t)LLVMDebugMetadataVersion());
    module_flag(l, "Dwarf Version", 4);
    LLVMDIBuilderCreateCompileUnit(l->di, LLVMDWARFSourceLanguagePython, file_of(l, 1),
                                   "tikc", 4, l->target->opt_level > 0, "", 0, 0, "", 0,
                                   LLVMDWARFEmissionLineTablesOnly, 0, false, false, "",
                                   0, "", 0);
}

static LineCol
position(Lower *l, Span span)
{
    return source_line_col(&l->u->arena, &l->u->sources.p[span.file], span.begin);
}

void
debug_begin_kernel(Lower *l, const Kernel *k)
{
    if (l->di == NULL) {
        return;
    }
    Span span = k->span;
    if (span.file == 0 || span.file >= l->u->sources.n) {
        span = (Span){1, 0, 0};
    }
    const char *name = sym_text(&l->u->names, k->name);
    size_t len;
    const char *linkage = LLVMGetValueName2(l->fn, &len);
    unsigned line = position(l, span).line;
    LLVMMetadataRef file = file_of(l, span.file);
    LLVMMetadataRef type =
        LLVMDIBuilderCreateSubroutineType(l->di, file, NULL, 0, LLVMDIFlagZero);
    l->di_scope = LLVMDIBuilderCreateFunction(l->di, file, name, strlen(name), linkage,
                                              len, file, line, type, false, true, line,
                                              LLVMDIFlagZero, l->target->opt_level > 0);
    LLVMSetSubprogram(l->fn, l->di_scope);
    debug_none(l);
}

void
debug_statement(Lower *l, StmtId s)
{
    Span span = l->k->stmts.p[s].span;
    if (l->di == NULL || span.file == 0 || span.file >= l->u->sources.n) {
        return;
    }
    LineCol at = position(l, span);
    LLVMMetadataRef scope = l->di_scope;
    if (file_of(l, span.file) != LLVMDIScopeGetFile(scope)) {
        scope =
            LLVMDIBuilderCreateLexicalBlockFile(l->di, scope, file_of(l, span.file), 0);
    }
    LLVMMetadataRef loc =
        LLVMDIBuilderCreateDebugLocation(l->ctx, at.line, at.column, scope, NULL);
    LLVMSetCurrentDebugLocation2(l->b, loc);
}

void
debug_none(Lower *l)
{
    LLVMSetCurrentDebugLocation2(l->b, NULL);
}

void
debug_close(Lower *l)
{
    if (l->di != NULL) {
        LLVMDIBuilderFinalize(l->di);
        LLVMDisposeDIBuilder(l->di);
        l->di = NULL;
    }
}
