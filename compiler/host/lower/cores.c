/* cores.c: what a core reports to the launcher: how many blocks a multi-core loop has,
 * and that it waits for the other cores of the loop. Either call may end the kernel. */
#include "host/lower/lower.h"

/* Calls a function of the runtime library that takes the core, a number and the place,
 * and returns 1 to end the kernel. */
static void
call_launcher(Lower *l, const char *name, ExprId number, StmtId s)
{
    LLVMTypeRef params[3] = {l->ptr, l->i64, l->i32};
    LLVMTypeRef type = LLVMFunctionType(l->i32, params, 3, false);
    LLVMValueRef args[3] = {l->state, lower_number(l, number, s),
                            lower_const32(l, lower_place(l, s))};
    LLVMValueRef bad =
        LLVMBuildCall2(l->b, type, lower_runtime(l, name, type), args, 3, "");
    bad = LLVMBuildICmp(l->b, LLVMIntNE, bad, lower_const32(l, 0), "");
    LLVMBasicBlockRef good = lower_block(l, "go");
    LLVMBuildCondBr(l->b, bad, lower_failed(l, s), good);
    LLVMPositionBuilderAtEnd(l->b, good);
}

void
lower_blocks(Lower *l, StmtId s)
{
    const Arg *args = &l->k->args.p[l->k->stmts.p[s].instr.arg];
    call_launcher(l, "tikrt_blocks", args[0].expr, s);
}

/* What other cores wrote must be visible after the barrier: the call is opaque, and a
 * fence follows streamed stores. */
void
lower_barrier(Lower *l, StmtId s)
{
    const Arg *args = &l->k->args.p[l->k->stmts.p[s].instr.arg];
    lower_fence_streams(l);
    call_launcher(l, "tikrt_barrier", args[1].expr, s);
}
