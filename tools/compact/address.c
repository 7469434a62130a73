/* address.c: writes the codes of addresses, loads and stores. */
#include "compact.h"

/* Returns whether an address is made of its parts here. */
static bool
has_parts(const Function *f, LLVMValueRef v)
{
    return LLVMIsAGetElementPtrInst(v)
               ? node_of(f, v)->folded
               : LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMGetElementPtr;
}

/* Adds an index to an address, in elements of that size. */
static void
add_index(Function *f, LLVMValueRef address, LLVMValueRef index, int64_t size)
{
    push_one(f, index);
    if (bits(f, index) < 32) {
        fail(f, "a narrow index", address);
    }
    if (size == 1) {
        code(f, C_ADD);
    } else {
        code_n(f, C_INDEX, size);
    }
}

/* Pushes all of an address but a part that is constant, and returns this. */
int64_t
push_address(Function *f, LLVMValueRef v)
{
    v = plain(v);
    if (!has_parts(f, v)) {
        push_one(f, v);
        return 0;
    }
    int64_t offset = push_address(f, LLVMGetOperand(v, 0));
    LLVMTypeRef t = LLVMGetGEPSourceElementType(v);
    for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(v); i++) {
        LLVMValueRef x = plain(LLVMGetOperand(v, i));
        if (i > 1 && LLVMGetTypeKind(t) == LLVMStructTypeKind) {
            unsigned k = (unsigned)LLVMConstIntGetZExtValue(x);
            offset += (int64_t)LLVMOffsetOfElement(f->p->layout, t, k);
            t = LLVMStructGetTypeAtIndex(t, k);
            continue;
        }
        t = i > 1 ? LLVMGetElementType(t) : t;
        int64_t size = (int64_t)LLVMABISizeOfType(f->p->layout, t);
        if (LLVMIsAConstantInt(x)) {
            offset += size * LLVMConstIntGetSExtValue(x);
        } else {
            add_index(f, v, x, size);
        }
    }
    return offset;
}

/* The offset of an address that has no other part. */
static int64_t
push_address_of(Function *f, LLVMValueRef v)
{
    int n = f->p->code.n, depth = f->depth;
    int64_t offset = push_address(f, v);
    f->p->code.n = n;
    f->depth = depth;
    return offset;
}

void
add_constant(Function *f, int64_t v)
{
    if (v > 0 && v <= LARGEST) {
        code_n(f, C_OFFSET, v);
    } else if (v != 0) {
        constant(f, v);
        code(f, C_ADD);
    }
}

/* Words of 64 bits in the frame are its slots. */
static bool
in_frame(Function *f, LLVMValueRef v, bool store, int log)
{
    int64_t offset = 0;
    LLVMValueRef a = LLVMGetOperand(v, store ? 1 : 0);
    if (log != 3) {
        return false;
    }
    if (LLVMIsAGetElementPtrInst(a) && node_of(f, a)->folded) {
        LLVMValueRef base = LLVMGetOperand(a, 0);
        if (!LLVMIsAAllocaInst(base)) {
            return false;
        }
        for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(a); i++) {
            if (!LLVMIsAConstantInt(LLVMGetOperand(a, i))) {
                return false;
            }
        }
        offset = push_address_of(f, a);
        a = base;
    }
    if (!LLVMIsAAllocaInst(a) || offset % 8 != 0 || offset < 0) {
        return false;
    }
    int slot = node_of(f, a)->value + (int)(offset / 8);
    if (store) {
        set(f, slot);
    } else {
        get(f, slot);
    }
    return true;
}

void
emit_access(Function *f, LLVMValueRef v, bool store)
{
    LLVMValueRef value = store ? LLVMGetOperand(v, 0) : v;
    int width = bits(f, value), log = width <= 8    ? 0
                                      : width <= 16 ? 1
                                      : width <= 32 ? 2
                                                    : 3;
    if (store) {
        push_one(f, value);
    }
    if (width != 8 << log && width != 1) {
        fail(f, "the width of an access", v);
    }
    if (in_frame(f, v, store, log)) {
        return;
    }
    int64_t offset = push_address(f, LLVMGetOperand(v, store ? 1 : 0));
    int64_t unit = 1 << log;
    if (log == 3 && LLVMABIAlignmentOfType(f->p->layout,
                                           LLVMInt64TypeInContext(f->p->context)) == 4) {
        unit = 4;
    }
    if (offset < 0 || offset % unit != 0 || offset / unit > LARGEST) {
        add_constant(f, offset);
        offset = 0;
    }
    code_n(f, (Code)((store ? C_ST8 : C_LD8) + log), offset / unit);
}
