/* compute.c: writes the codes of operations on numbers. */
#include "compact.h"

/* The code of an operation; CODE_COUNT: it has none. */
static Code
code_of(LLVMOpcode op)
{
    static const struct {
        LLVMOpcode op;
        Code code;
    } codes[] = {{LLVMAdd, C_ADD}, {LLVMSub, C_SUB},  {LLVMMul, C_MUL},
                 {LLVMAnd, C_AND}, {LLVMOr, C_OR},    {LLVMXor, C_XOR},
                 {LLVMShl, C_SHL}, {LLVMLShr, C_SHR}, {LLVMAShr, C_SAR}};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        if (codes[i].op == op) {
            return codes[i].code;
        }
    }
    return CODE_COUNT;
}

/* Divisions are functions of C. */
static void
divide(Function *f, LLVMValueRef v, LLVMOpcode op)
{
    static const struct {
        LLVMOpcode op;
        const char *what;
    } known[] = {
        {LLVMSDiv, "2:signed_quotient(a, b)"},
        {LLVMSRem, "2:a - signed_quotient(a, b) * b"},
        {LLVMUDiv, "2:(int64_t)quotient((uint64_t)a, (uint64_t)b)"},
        {LLVMURem, "2:a - (int64_t)quotient((uint64_t)a, (uint64_t)b) * b"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i].op == op) {
            native(f, known[i].what, 2, 1);
            return;
        }
    }
    fail(f, "operation", v);
}

/* Whether a result of 64 bits is that of the width, as operands are extended. */
static bool
is_narrow(Function *f, LLVMValueRef v, LLVMOpcode op)
{
    int width = bits(f, v);
    bool exact = (op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMShl) &&
                 (width == 64 || (width == 32 ? LLVMGetNSW(v) : LLVMGetNUW(v)));
    bool bitwise = op == LLVMAnd || op == LLVMOr || op == LLVMXor ||
                   (op == LLVMAShr && (width == 32 || width == 64));
    bool shifted = op == LLVMLShr && LLVMIsAConstantInt(LLVMGetOperand(v, 1));
    bool smaller = (op == LLVMUDiv || op == LLVMURem || op == LLVMLShr) && width != 32;
    return exact || bitwise || shifted || smaller ||
           ((op == LLVMSRem || op == LLVMSDiv) && width == 32);
}

/* Pushes an operand as the operation wants it: as a number with or without a sign. */
static void
push_extended(Function *f, LLVMValueRef v, int width, bool zeros, bool signs)
{
    push_one(f, v);
    if (zeros) {
        code(f, C_ZX32);
    }
    if (signs) {
        sign(f, width);
    }
}

void
emit_binary(Function *f, LLVMValueRef v, LLVMOpcode op)
{
    int width = bits(f, v);
    LLVMValueRef second = LLVMGetOperand(v, 1);
    bool zeros = (op == LLVMLShr || op == LLVMUDiv || op == LLVMURem) && width == 32;
    bool signs = op == LLVMAShr || op == LLVMSDiv || op == LLVMSRem;
    int64_t n = LLVMIsAConstantInt(second) ? LLVMConstIntGetSExtValue(second) : 0;
    push_extended(f, LLVMGetOperand(v, 0), width, zeros, signs);
    if (op == LLVMXor && width == 1 && LLVMIsAConstantInt(second)) {
        code(f, C_NOT);
        return;
    }
    if (op == LLVMAdd && n > 0 && n <= LARGEST) {
        code_n(f, C_OFFSET, n);
    } else {
        push_extended(f, second, width, zeros && op != LLVMLShr, signs && op != LLVMAShr);
        if (code_of(op) != CODE_COUNT) {
            code(f, code_of(op));
        } else {
            divide(f, v, op);
        }
    }
    if (!is_narrow(f, v, op)) {
        narrow(f, width);
    }
}

void
emit_compare(Function *f, LLVMValueRef v)
{
    LLVMIntPredicate is = LLVMGetICmpPredicate(v);
    LLVMValueRef a = LLVMGetOperand(v, 0), b = LLVMGetOperand(v, 1);
    bool signs = is >= LLVMIntSGT;
    push_one(f, a);
    if (signs) {
        sign(f, bits(f, a));
    }
    if (is == LLVMIntEQ && LLVMIsNull(b)) {
        code(f, C_NOT);
        return;
    }
    if (signs && LLVMIsAConstantInt(b)) {
        constant(f, LLVMConstIntGetSExtValue(b));
    } else {
        push_one(f, b);
        if (signs) {
            sign(f, bits(f, b));
        }
    }
    static const Code codes[] = {C_EQ,       C_NE, C_ABOVE, C_ABOVE_EQ, C_BELOW,
                                 C_BELOW_EQ, C_GT, C_GE,    C_LT,       C_LE};
    code(f, codes[is - LLVMIntEQ]);
}

void
emit_cast(Function *f, LLVMValueRef v, LLVMOpcode op)
{
    LLVMValueRef x = LLVMGetOperand(v, 0);
    int from = bits(f, x), to = bits(f, v);
    push_one(f, x);
    if (op == LLVMZExt && from == 32) {
        code(f, C_ZX32);
    } else if (op == LLVMSExt) {
        sign(f, from);
        if (to != 64 && to != 32) {
            narrow(f, to);
        }
    } else if (op == LLVMTrunc || (op != LLVMZExt && to < from)) {
        narrow(f, to);
    } else if (op == LLVMIntToPtr && from != to) {
        narrow(f, to);
    } else if (op == LLVMPtrToInt && to > from) {
        code(f, C_ZX32);
    }
}

/* Both values have been computed, so of truths it is a conjunction or disjunction. */
void
emit_choice(Function *f, LLVMValueRef v)
{
    LLVMValueRef a = LLVMGetOperand(v, 1), b = LLVMGetOperand(v, 2);
    bool truth = bits(f, v) == 1;
    if (truth && LLVMIsAConstantInt(b) && LLVMIsNull(b)) {
        push_one(f, LLVMGetOperand(v, 0));
        push_one(f, a);
        code(f, C_AND);
    } else if (truth && LLVMIsAConstantInt(a) && !LLVMIsNull(a)) {
        push_one(f, LLVMGetOperand(v, 0));
        push_one(f, b);
        code(f, C_OR);
    } else {
        push_operands(f, v);
        code(f, C_SELECT);
    }
}
