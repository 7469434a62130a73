/* reserve.c: buffers whose size is known only at run time. A global one has the size of
 * the array that is given; on a core, the instruction reserve puts it after the previous
 * one in the rest of its memory, or ends the kernel with `capacity`. Address, size and
 * end of each are kept in slots. */
#include "host/lower/lower.h"

#include <string.h>

/* Slots of buffers that are not reserved yet hold 0: nothing is inside of 0 bytes. */
static LLVMValueRef
new_slot(Lower *l, const char *name)
{
    LLVMValueRef slot = LLVMBuildAlloca(l->b, l->i64, name);
    LLVMBuildStore(l->b, lower_const(l, 0), slot);
    return slot;
}

/* The launcher puts the sizes of the arrays after their addresses. */
static void
global_size(Lower *l, BufId id, LLVMValueRef args, uint32_t param)
{
    LLVMValueRef index = lower_const(l, (int64_t)l->k->params.n + param);
    LLVMValueRef at = LLVMBuildInBoundsGEP2(l->b, l->i64, args, &index, 1, "");
    l->dynamic[id].bytes = new_slot(l, "bytes");
    LLVMBuildStore(l->b, LLVMBuildLoad2(l->b, l->i64, at, ""), l->dynamic[id].bytes);
}

void
lower_dynamic_slots(Lower *l, LLVMValueRef args)
{
    const Kernel *k = l->k;
    for (uint32_t i = 0; i < k->params.n; i++) {
        if (k->bufs.p[k->params.p[i]].dynamic) {
            global_size(l, k->params.p[i], args, i);
        }
    }
    for (BufId id = 1; id < k->bufs.n; id++) {
        if (k->bufs.p[id].dynamic && k->bufs.p[id].scope != SC_GM) {
            DynamicSlots *s = &l->dynamic[id];
            *s = (DynamicSlots){new_slot(l, "at"), new_slot(l, "bytes"),
                                new_slot(l, "end")};
            l->has_slots = true;
        }
    }
}

static LLVMValueRef
load_slot(Lower *l, LLVMValueRef slot)
{
    return LLVMBuildLoad2(l->b, l->i64, slot, "");
}

bool
lower_has_run_time_size(const Buffer *b)
{
    return b->dynamic ||
           (b->scope == SC_GM && b->role != BUF_CONST && b->role != BUF_LIST);
}

/* The launcher puts the sizes of the arrays after their addresses. */
static LLVMValueRef
given_bytes(Lower *l, BufId id)
{
    int64_t i = (int64_t)l->k->params.n + lower_param(l->k, id);
    LLVMValueRef index = lower_const(l, i);
    LLVMValueRef at =
        LLVMBuildInBoundsGEP2(l->b, l->i64, LLVMGetParam(l->fn, 0), &index, 1, "");
    return LLVMBuildLoad2(l->b, l->i64, at, "");
}

LLVMValueRef
lower_bytes(Lower *l, BufId id)
{
    const Buffer *b = &l->k->bufs.p[id];
    if (!b->dynamic && lower_has_run_time_size(b)) {
        return given_bytes(l, id);
    }
    return b->dynamic ? load_slot(l, l->dynamic[id].bytes) : lower_const(l, ir_bytes(b));
}

LLVMValueRef
lower_address(Lower *l, BufId id)
{
    const Buffer *b = &l->k->bufs.p[id];
    return b->dynamic ? load_slot(l, l->dynamic[id].at) : lower_const(l, b->address);
}

static LLVMValueRef
rounded(Lower *l, LLVMValueRef v, int64_t unit)
{
    LLVMValueRef up = LLVMBuildAdd(l->b, v, lower_const(l, unit - 1), "");
    return LLVMBuildAnd(l->b, up, lower_const(l, -unit), "");
}

/* A size below 0 counts as 0. One beyond the memory is refused before anything is
 * computed from it. */
void
lower_reserve(Lower *l, StmtId s)
{
    const Arg *args = &l->k->args.p[l->k->stmts.p[s].instr.arg];
    BufId id = args[0].ref.buf, before = args[1].ref.buf;
    const Buffer *b = &l->k->bufs.p[id];
    int64_t unit = scope_alloc_unit(b->scope);
    LLVMValueRef capacity = lower_const(l, l->k->soc->bytes[b->scope]);
    LLVMValueRef zero = lower_const(l, 0);
    LLVMValueRef bytes = lower_number(l, args[2].expr, s);
    LLVMValueRef negative = LLVMBuildICmp(l->b, LLVMIntSLT, bytes, zero, "");
    bytes = LLVMBuildSelect(l->b, negative, zero, bytes, "");
    lower_fault_if(l, LLVMBuildICmp(l->b, LLVMIntSGT, bytes, capacity, ""), RULE_CAPACITY,
                   bytes, s);
    LLVMValueRef at =
        before == id ? lower_const(l, b->address) : load_slot(l, l->dynamic[before].end);
    at = rounded(l, at, MAX(unit, scope_align(b->scope, b->dtype)));
    LLVMValueRef room =
        LLVMBuildMul(l->b, rounded(l, bytes, unit), lower_number(l, args[3].expr, s), "");
    LLVMValueRef end = LLVMBuildAdd(l->b, at, room, "");
    lower_fault_if(l, LLVMBuildICmp(l->b, LLVMIntSGT, end, capacity, ""), RULE_CAPACITY,
                   bytes, s);
    LLVMBuildStore(l->b, at, l->dynamic[id].at);
    LLVMBuildStore(l->b, bytes, l->dynamic[id].bytes);
    LLVMBuildStore(l->b, end, l->dynamic[id].end);
}
