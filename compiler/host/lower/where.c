/* where.c: code after a failed check that reports to the launcher where the kernel is:
 * the variables of the loops around it and the Scalars that the statement reads. It runs
 * only where a check fails. */
#include "host/lower/lower.h"

typedef struct Where {
    int n;
    LLVMValueRef names[IR_WHERE_LOOPS + IR_WHERE_SCALARS]; /* constant TikNamed */
    LLVMValueRef values[IR_WHERE_LOOPS + IR_WHERE_SCALARS];
} Where;

static void
put(Lower *l, Where *w, const char *name, Dtype dtype, LLVMValueRef value)
{
    if (LLVMTypeOf(value) != l->i64) {
        value = dtype_kind(dtype) == KIND_SINT ? LLVMBuildSExt(l->b, value, l->i64, "")
                                               : LLVMBuildZExt(l->b, value, l->i64, "");
    }
    LLVMValueRef fields[2] = {LLVMBuildGlobalStringPtr(l->b, name, ""),
                              lower_const32(l, dtype)};
    w->names[w->n] = LLVMConstStructInContext(l->ctx, fields, 2, false);
    w->values[w->n++] = value;
}

/* Puts the loops, outermost first. */
static void
put_loops(Lower *l, Where *w)
{
    VarId vars[IR_WHERE_LOOPS];
    int n = 0;
    for (const LoopExit *at = l->loop; at != NULL; at = at->outer) {
        if (at->var != 0 && n < IR_WHERE_LOOPS) {
            vars[n++] = at->var;
        }
    }
    while (n-- > 0) {
        put(l, w, ir_var_label(l->k, vars[n]), l->k->vars.p[vars[n]].dtype,
            l->vars[vars[n]]);
    }
}

static void
put_scalars(Lower *l, Where *w, StmtId s)
{
    RegId regs[IR_WHERE_SCALARS];
    int n = s == 0 ? 0 : ir_scalars_read(l->k, &l->k->stmts.p[s], regs, IR_WHERE_SCALARS);
    for (int i = 0; i < n; i++) {
        const Reg *reg = &l->k->regs.p[regs[i]];
        LLVMTypeRef t = lower_bits_type(l, reg->dtype, 0);
        put(l, w, sym_text(&l->u->names, reg->name), reg->dtype,
            LLVMBuildLoad2(l->b, t, l->regs[regs[i]], ""));
    }
}

static void
call(Lower *l, const Where *w)
{
    LLVMValueRef init = LLVMConstArray2(
        LLVMTypeOf(w->names[0]), (LLVMValueRef *)(uintptr_t)w->names, (uint64_t)w->n);
    LLVMValueRef names = LLVMAddGlobal(l->mod, LLVMTypeOf(init), "tik_named");
    LLVMSetInitializer(names, init);
    LLVMSetGlobalConstant(names, true);
    LLVMSetLinkage(names, LLVMPrivateLinkage);
    if (l->where == NULL) {
        l->where = lower_alloca(
            l, LLVMArrayType2(l->i64, IR_WHERE_LOOPS + IR_WHERE_SCALARS), "where");
    }
    for (int i = 0; i < w->n; i++) {
        LLVMValueRef index = lower_const(l, i);
        LLVMBuildStore(l->b, w->values[i],
                       LLVMBuildInBoundsGEP2(l->b, l->i64, l->where, &index, 1, ""));
    }
    LLVMTypeRef types[4] = {l->ptr, l->ptr, l->i32, l->ptr};
    LLVMTypeRef type = LLVMFunctionType(l->none, types, 4, false);
    LLVMValueRef args[4] = {l->state, names, lower_const32(l, w->n), l->where};
    LLVMBuildCall2(l->b, type, lower_runtime(l, "tikrt_where", type), args, 4, "");
}

LLVMBasicBlockRef
lower_failed(Lower *l, StmtId s)
{
    LLVMBasicBlockRef back = LLVMGetInsertBlock(l->b);
    LLVMBasicBlockRef here = lower_block(l, "failed");
    Where w = {0};
    LLVMPositionBuilderAtEnd(l->b, here);
    put_loops(l, &w);
    put_scalars(l, &w, s);
    if (w.n > 0) {
        call(l, &w);
    }
    LLVMBuildBr(l->b, l->fail);
    LLVMPositionBuilderAtEnd(l->b, back);
    return here;
}
