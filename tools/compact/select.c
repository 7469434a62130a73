/* select.c: writes the codes of a function. */
#include "compact.h"

#include <stdlib.h>
#include <string.h>

/* ---- tokens -------------------------------------------------------------- */

void
token(Function *f, int t)
{
    Tokens *c = &f->p->code;
    c->at = room(c->at, c->n, &c->room, sizeof *c->at);
    c->at[c->n++] = t;
}

void
number(Function *f, int64_t v)
{
    if (v < 0 || v >= LONG) {
        fail(f, "an operand is too large", NULL);
    } else if (v < SHORT) {
        token(f, (int)v);
    } else if (v < MIDDLE) {
        token(f, SHORT + (int)(v - SHORT) / LITERALS);
        token(f, (int)(v - SHORT) % LITERALS);
    } else {
        int64_t rest = v - MIDDLE, unit = LITERALS * LITERALS;
        token(f, SHORT + ESCAPES + (int)(rest / unit));
        token(f, (int)(rest % unit) / LITERALS);
        token(f, (int)(rest % LITERALS));
    }
}

static void
deeper(Function *f, int by)
{
    f->depth += by;
    f->deepest = f->depth > f->deepest ? f->depth : f->deepest;
}

void
code(Function *f, Code c)
{
    static const int8_t effects[] = {
#define CODE(name, operand, effect) effect,
#include "lean/compact.def"
    };
    deeper(f, effects[c]);
    token(f, (int)c);
}

void
code_n(Function *f, Code c, int64_t n)
{
    code(f, c);
    number(f, n);
}

int
number_in(Table *t, LLVMValueRef v)
{
    for (int i = 0; i < t->n; i++) {
        if (t->at[i] == v) {
            return i;
        }
    }
    t->at = room(t->at, t->n, &t->room, sizeof *t->at);
    t->at[t->n] = v;
    return t->n++;
}

static void
constant(Function *f, int64_t v)
{
    if (v >= 0 && v < LONG) {
        code_n(f, C_CONST, v);
    } else if (v < 0 && v >= -LONG) {
        code_n(f, C_MINUS, -1 - v);
    } else {
        LLVMTypeRef t = LLVMInt64TypeInContext(f->p->context);
        code_n(f, C_POOL, number_in(&f->p->pool, LLVMConstInt(t, (uint64_t)v, true)));
    }
}

static int last_set = -1, last_set_slot;

static void
get(Function *f, int slot)
{
    if (last_set >= 0 && last_set_slot == slot && f->p->code.n == last_set + 2) {
        f->p->code.at[last_set] = C_TEE;
        last_set = -1;
        deeper(f, 1);
    } else {
        code_n(f, C_GET, slot);
    }
}

void
set(Function *f, int slot)
{
    last_set = slot < SHORT ? f->p->code.n : -1;
    last_set_slot = slot;
    code_n(f, C_SET, slot);
}

/* Calls a function of C: the text says how many operands it takes, and what it makes of
 * them (emit.c). */
static void
native(Function *f, const char *what, int operands, int results)
{
    Program *p = f->p;
    int i = 0;
    while (i < p->nhelpers && strcmp(p->helpers[i], what) != 0) {
        i++;
    }
    if (i == MOST_HELPERS) {
        fail(f, "too many functions of C", NULL);
    }
    if (i == p->nhelpers) {
        p->helpers[p->nhelpers++] = strdup(what);
    }
    code_n(f, C_NATIVE, i);
    deeper(f, results - operands);
}

/* ---- types --------------------------------------------------------------- */

int
bits(const Function *f, LLVMValueRef v)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    if (LLVMGetTypeKind(t) == LLVMPointerTypeKind) {
        return f->p->pointer * 8;
    }
    if (LLVMGetTypeKind(t) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(t) > 64) {
        fail(f, "type", v);
    }
    return (int)LLVMGetIntTypeWidth(t);
}

/* What is on the stack is a number of 64 bits: those of 32 bits are extended by their
 * sign, narrower ones by zeros. */
static void
narrow(Function *f, int width)
{
    if (width == 32) {
        code(f, C_SX32);
    } else if (width < 64) {
        constant(f, ((int64_t)1 << width) - 1);
        code(f, C_AND);
    }
}

static void
sign(Function *f, int width)
{
    if (width != 32 && width != 64) {
        code_n(f, C_SX, width);
    }
}

/* ---- values -------------------------------------------------------------- */

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

static int
function_number(Function *f, LLVMValueRef v)
{
    return number_in(&f->p->functions, v) + 1;
}

/* Pushes all of an address but a part that is constant, and returns this. */
static int64_t
push_address(Function *f, LLVMValueRef v)
{
    v = plain(v);
    Node *n = node_of(f, v);
    bool gep = LLVMIsAGetElementPtrInst(v)
                   ? n->folded
                   : LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMGetElementPtr;
    if (!gep) {
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
            continue;
        }
        push_one(f, x);
        if (bits(f, x) < 32) {
            fail(f, "a narrow index", v);
        }
        if (size == 1) {
            code(f, C_ADD);
        } else {
            code_n(f, C_INDEX, size);
        }
    }
    return offset;
}

/* The offset of an address that has no other part. */
static int64_t
push_address_of(Function *f, LLVMValueRef v)
{
    int n = f->p->code.n;
    int64_t offset = push_address(f, v);
    f->p->code.n = n;
    return offset;
}

static void
add_constant(Function *f, int64_t v)
{
    if (v > 0 && v < LONG) {
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

static void
access(Function *f, LLVMValueRef v, bool store)
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
    if (offset < 0 || offset % unit != 0 || offset / unit >= LONG) {
        add_constant(f, offset);
        offset = 0;
    }
    code_n(f, (Code)((store ? C_ST8 : C_LD8) + log), offset / unit);
}

static void
binary(Function *f, LLVMValueRef v, LLVMOpcode op)
{
    int width = bits(f, v);
    bool exact = (op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMShl) &&
                 (width == 64 || (width == 32 ? LLVMGetNSW(v) : LLVMGetNUW(v)));
    bool extended = (op == LLVMLShr || op == LLVMUDiv || op == LLVMURem) && width == 32;
    bool signs = op == LLVMAShr || op == LLVMSDiv || op == LLVMSRem;
    push_one(f, LLVMGetOperand(v, 0));
    if (extended) {
        code(f, C_ZX32);
    }
    if (signs) {
        sign(f, width);
    }
    LLVMValueRef second = LLVMGetOperand(v, 1);
    if (op == LLVMAdd && LLVMIsAConstantInt(second) &&
        LLVMConstIntGetSExtValue(second) > 0 && LLVMConstIntGetSExtValue(second) < LONG) {
        code_n(f, C_OFFSET, LLVMConstIntGetSExtValue(second));
    } else if (op == LLVMXor && width == 1 && LLVMIsAConstantInt(second)) {
        code(f, C_NOT);
        return;
    } else {
        push_one(f, second);
        if (extended && op != LLVMLShr) {
            code(f, C_ZX32);
        }
        if (signs && op != LLVMAShr) {
            sign(f, width);
        }
        switch (op) {
        case LLVMAdd:
            code(f, C_ADD);
            break;
        case LLVMSub:
            code(f, C_SUB);
            break;
        case LLVMMul:
            code(f, C_MUL);
            break;
        case LLVMAnd:
            code(f, C_AND);
            break;
        case LLVMOr:
            code(f, C_OR);
            break;
        case LLVMXor:
            code(f, C_XOR);
            break;
        case LLVMShl:
            code(f, C_SHL);
            break;
        case LLVMLShr:
            code(f, C_SHR);
            break;
        case LLVMAShr:
            code(f, C_SAR);
            break;
        case LLVMSDiv:
            native(f, "2:a / b", 2, 1);
            break;
        case LLVMSRem:
            native(f, "2:a % b", 2, 1);
            break;
        case LLVMUDiv:
            native(f, "2:(int64_t)((uint64_t)a / (uint64_t)b)", 2, 1);
            break;
        case LLVMURem:
            native(f, "2:(int64_t)((uint64_t)a % (uint64_t)b)", 2, 1);
            break;
        default:
            fail(f, "operation", v);
        }
    }
    bool bitwise = op == LLVMAnd || op == LLVMOr || op == LLVMXor ||
                   (op == LLVMAShr && (width == 32 || width == 64));
    bool shifted = op == LLVMLShr && LLVMIsAConstantInt(second);
    bool smaller = (op == LLVMUDiv || op == LLVMURem || op == LLVMLShr) && width != 32;
    if (!exact && !bitwise && !shifted && !smaller && !(op == LLVMSRem && width == 32) &&
        !(op == LLVMSDiv && width == 32)) {
        narrow(f, width);
    }
}

static void
compare(Function *f, LLVMValueRef v)
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

static void
cast(Function *f, LLVMValueRef v, LLVMOpcode op)
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

static bool
is_with(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

static void
intrinsic(Function *f, LLVMValueRef v, const char *name)
{
    static const struct {
        const char *name, *what;
    } known[] = {
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
        {"llvm.ctpop.i64", "1:__builtin_popcountll((uint64_t)a)"},
        {"llvm.fshl.i64", "3:(c & 63) == 0 ? a : (int64_t)((uint64_t)a << (c & 63) | "
                          "(uint64_t)b >> (64 - (c & 63)))"},
        {"llvm.ctpop.i32", "1:__builtin_popcountll((uint32_t)a)"},
    };
    push_operands(f, v);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (is_with(name, known[i].name)) {
            native(f, known[i].what, known[i].what[0] - '0', known[i].what[1] == ':');
            return;
        }
    }
    fail(f, name, v);
}

static void
call(Function *f, LLVMValueRef v)
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

static void
overflow(Function *f, LLVMValueRef v)
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

/* Both values have been computed, so of truths it is a conjunction or disjunction. */
static void
choice(Function *f, LLVMValueRef v)
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

/* Emits an instruction that is no terminator: its operands, and what it does with them.
 */
void
emit(Function *f, LLVMValueRef v)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    switch (op) {
    case LLVMLoad:
        access(f, v, false);
        break;
    case LLVMStore:
        access(f, v, true);
        break;
    case LLVMGetElementPtr: {
        Node *n = node_of(f, v);
        bool was = n->folded;
        n->folded = true;
        int64_t offset = push_address(f, v);
        n->folded = was;
        add_constant(f, offset);
        break;
    }
    case LLVMICmp:
        compare(f, v);
        break;
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
        cast(f, v, op);
        break;
    case LLVMSelect:
        choice(f, v);
        break;
    case LLVMCall:
        call(f, v);
        break;
    case LLVMExtractValue:
        overflow(f, v);
        break;
    default:
        binary(f, v, op);
        break;
    }
}

static void
push(Function *f, LLVMValueRef v, int *element)
{
    Node *n = node_of(f, v);
    if (LLVMIsAArgument(v)) {
        bool many = LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMArrayTypeKind;
        get(f, arg_slot(f, v,
                        many ? *element % (int)LLVMGetArrayLength2(LLVMTypeOf(v)) : 0));
        *element += many;
    } else if (LLVMIsAConstantInt(v)) {
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
    } else if (LLVMIsAAllocaInst(v)) {
        code_n(f, C_LEA,
               map_get(f->map, v) >= 0 ? f->nodes[map_get(f->map, v)].value : 0);
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
