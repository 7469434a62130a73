/* walk.c: pointers that go through the operands of a fused loop, one for each.
 *
 * The code generator would address all operands by one index. Such instructions are cut
 * in two while they wait for their turn, so that the machine looks less far ahead: loops
 * over rows that overlap take 4 % longer then. */
#include "host/lower/fusion.h"

/* Returns a pointer of whose value nothing is known at compile time. */
static LLVMValueRef
apart(Lower *l, LLVMValueRef at)
{
    static const char same[] = "=r,0";
    LLVMTypeRef type = LLVMFunctionType(l->ptr, &l->ptr, 1, false);
    LLVMValueRef none = LLVMGetInlineAsm(type, "", 0, same, sizeof same - 1, false, false,
                                         LLVMInlineAsmDialectATT, false);
    return LLVMBuildCall2(l->b, type, none, &at, 1, "");
}

static void
begin_one(Lower *l, Walks *w, LLVMValueRef *at, int64_t step, LLVMBasicBlockRef from)
{
    LLVMValueRef start = *at;
    w->walk[w->n].at = at;
    w->walk[w->n].start = start;
    w->walk[w->n++].step = step;
    *at = LLVMBuildPhi(l->b, l->ptr, "");
    LLVMAddIncoming(*at, &start, &from, 1);
}

void
walks_begin(Lower *l, Walks *w, Chunk *c, int64_t elems, LLVMBasicBlockRef from)
{
    const Fusion *f = c->f;
    w->n = 0;
    for (int i = 0; i < f->noperands; i++) {
        const FusedOperand *o = &f->operand[i];
        int64_t step = o->bits ? elems / 8 : elems * dtype_size(o->dtype);
        begin_one(l, w, &c->at[i], step, from);
    }
    for (int i = 0; i < f->nhints; i++) {
        begin_one(l, w, &c->hint[i], elems * f->hint[i].bytes, from);
    }
    for (int i = 0; i < f->n; i++) {
        if (f->member[i].result != NULL) {
            begin_one(l, w, &c->quarters[i], sink_bytes(elems), from);
        }
    }
}

void
walks_end(Lower *l, Walks *w)
{
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(l->b);
    for (int i = 0; i < w->n; i++) {
        LLVMValueRef at = *w->walk[i].at, by = lower_const(l, w->walk[i].step);
        LLVMValueRef next = at;
        if (LLVMGetFirstUse(at) != NULL) {
            next = apart(l, LLVMBuildGEP2(l->b, l->i8, at, &by, 1, ""));
        }
        LLVMAddIncoming(at, &next, &latch, 1);
        *w->walk[i].at = w->walk[i].start;
    }
}
