/* select.c: writes the codes of a value: pushes its operands, and does what its
 * instruction does. */
#include "compact.h"

static void push(Function *f, LLVMValueRef v, int *element);

void
push_operands(Function *f, LLVMValueRef v)
{
    LLVMValueRef of[64];
    int k = operands(f, v, of, 64), e = 0;
    for (int i = 0; i < k; i++) {
        e = i > 0 && of[i] != of[i - 1] ? 0 : e;
        push(f, of[i], &e);
    }
}

void
push_one(Function *f, LLVMValueRef v)
{
    int e = 0;
    push(f, plain(v), &e);
}

int
function_number(Function *f, LLVMValueRef v)
{
    return number_in(&f->p->functions, v) + 1;
}

/* An address that is no part of another value. */
static void
emit_address(Function *f, LLVMValueRef v)
{
    Node *n = node_of(f, v);
    bool was = n->folded;
    n->folded = true;
    int64_t offset = push_address(f, v);
    n->folded = was;
    add_constant(f, offset);
}

/* Emits an instruction that is no terminator: its operands, and what it does with them.
 */
void
emit(Function *f, LLVMValueRef v)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    switch (op) {
    case LLVMLoad:
        emit_access(f, v, false);
        break;
    case LLVMStore:
        emit_access(f, v, true);
        break;
    case LLVMGetElementPtr:
        emit_address(f, v);
        break;
    case LLVMICmp:
        emit_compare(f, v);
        break;
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
        emit_cast(f, v, op);
        break;
    case LLVMSelect:
        emit_choice(f, v);
        break;
    case LLVMCall:
        emit_call(f, v);
        break;
    case LLVMExtractValue:
        emit_overflow(f, v);
        break;
    default:
        emit_binary(f, v, op);
        break;
    }
}

/* Pushes a constant; false: the value is none. */
static bool
push_constant(Function *f, LLVMValueRef v)
{
    if (LLVMIsAConstantInt(v)) {
        int64_t s = LLVMConstIntGetSExtValue(v);
        constant(f, bits(f, v) != 32 ? (int64_t)LLVMConstIntGetZExtValue(v) : s);
    } else if (LLVMIsAConstantPointerNull(v) || LLVMIsAUndefValue(v) ||
               LLVMIsAPoisonValue(v)) {
        code_n(f, C_CONST, 0);
    } else if (LLVMIsAFunction(v)) {
        if (LLVMIsDeclaration(v)) {
            fail(f, "the address of a function that is not translated", v);
        }
        code_n(f, C_CONST, function_number(f, v));
    } else if (LLVMIsAGlobalVariable(v)) {
        code_n(f, C_GLOBAL, number_in(&f->p->globals, v));
    } else if (LLVMIsAConstantExpr(v)) {
        add_constant(f, push_address(f, v));
    } else {
        return false;
    }
    return true;
}

static void
push(Function *f, LLVMValueRef v, int *element)
{
    const Node *n = node_of(f, v);
    if (push_constant(f, v)) {
        return;
    }
    if (LLVMIsAArgument(v)) {
        get(f, next_slot(f, v, element));
    } else if (LLVMIsAAllocaInst(v)) {
        code_n(f, C_LEA, n != NULL ? n->value : 0);
    } else if (LLVMIsAExtractValueInst(v) && LLVMIsAArgument(LLVMGetOperand(v, 0))) {
        get(f, arg_slot(f, LLVMGetOperand(v, 0), (int)LLVMGetIndices(v)[0]));
    } else if (n == NULL) {
        fail(f, "value", v);
    } else if (n->folded) {
        emit(f, v);
    } else if (n->value < 0) {
        fail(f, "value without a slot", v);
    } else {
        get(f, f->values[n->value].slot);
    }
}
