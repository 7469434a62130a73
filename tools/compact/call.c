/* call.c: writes the codes of calls: of functions of byte code, of functions of C, and of
 * what LLVM has as functions. */
#include "compact.h"

#include <string.h>

static bool
is_with(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

/* What functions of LLVM are in C: the number of operands, then : where they make a value
 * of these, a, b and c, or ! where they do something with the slots s. */
static const struct {
    const char *name, *what;
} intrinsics[] = {
    {"llvm.smax.i", "2:a > b ? a : b"},
    {"llvm.smin.i", "2:a < b ? a : b"},
    {"llvm.umax.i", "2:(uint64_t)a > (uint64_t)b ? a : b"},
    {"llvm.umin.i", "2:(uint64_t)a < (uint64_t)b ? a : b"},
    {"llvm.abs.i", "1:a < 0 ? -a : a"},
    {"llvm.memcpy.",
     "3!memmove((void *)(uintptr_t)s[0], (void *)(uintptr_t)s[1], (size_t)s[2])"},
    {"llvm.memmove.",
     "3!memmove((void *)(uintptr_t)s[0], (void *)(uintptr_t)s[1], (size_t)s[2])"},
    {"llvm.memset.", "3!memset((void *)(uintptr_t)s[0], (int)s[1], (size_t)s[2])"},
    {"llvm.uadd.sat.i64", "2:(uint64_t)a + (uint64_t)b < (uint64_t)a ? -1 : "
                          "(int64_t)((uint64_t)a + (uint64_t)b)"},
    {"llvm.sadd.sat.i64", "2:sat_add(a, b)"},
    {"llvm.ctlz.i64", "1:a == 0 ? 64 : __builtin_clzll((uint64_t)a)"},
    {"llvm.cttz.i", "1:a == 0 ? 64 : __builtin_ctzll((uint64_t)a)"},
    {"llvm.ctpop.i64",
     "1:count_bits((uint32_t)a) + count_bits((uint32_t)((uint64_t)a >> 32))"},
    {"llvm.fshl.i64", "3:(c & 63) == 0 ? a : (int64_t)((uint64_t)a << (c & 63) | "
                      "(uint64_t)b >> (64 - (c & 63)))"},
    {"llvm.ctpop.i32", "1:count_bits((uint32_t)a)"},
};

static void
intrinsic(Function *f, LLVMValueRef v, const char *name)
{
    push_operands(f, v);
    for (size_t i = 0; i < sizeof intrinsics / sizeof intrinsics[0]; i++) {
        if (is_with(name, intrinsics[i].name)) {
            native(f, intrinsics[i].what, intrinsics[i].what[0] - '0',
                   intrinsics[i].what[1] == ':');
            return;
        }
    }
    fail(f, name, v);
}

void
emit_call(Function *f, LLVMValueRef v)
{
    LLVMValueRef to = LLVMGetCalledValue(v);
    const char *name = LLVMGetValueName(to);
    if (LLVMIsAFunction(to) && is_with(name, "llvm.")) {
        intrinsic(f, v, name);
        return;
    }
    int before = f->depth;
    bool result = LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVoidTypeKind;
    push_operands(f, v);
    int n = f->depth - before;
    if (!LLVMIsAFunction(to)) {
        code(f, C_CALL_VALUE);
        deeper(f, 1 - n + result);
    } else if (LLVMIsDeclaration(to)) {
        number_in(&f->p->natives, to);
        char what[200];
        snprintf(what, sizeof what, "@%s", name);
        native(f, what, n, result);
    } else {
        code_n(f, C_CALL, function_number(f, to));
        deeper(f, result - n);
    }
}

void
emit_overflow(Function *f, LLVMValueRef v)
{
    const char *name = LLVMGetValueName(LLVMGetCalledValue(LLVMGetOperand(v, 0)));
    bool flag = LLVMGetIndices(v)[0] == 1;
    push_operands(f, v);
    if (strstr(name, ".i64") == NULL) {
        fail(f, name, v);
    }
    if (!flag) {
        code(f, strstr(name, "add") ? C_ADD : strstr(name, "sub") ? C_SUB : C_MUL);
        return;
    }
    char what[200], op[8] = "";
    memcpy(op, strstr(name, "add") ? "add" : strstr(name, "sub") ? "sub" : "mul", 4);
    bool s = is_with(name, "llvm.s");
    snprintf(what, sizeof what,
             s ? "2:__builtin_%s_overflow(a, b, &t)"
               : "2:__builtin_%s_overflow((uint64_t)a, (uint64_t)b, (uint64_t *)&t)",
             op);
    native(f, what, 2, 1);
}
