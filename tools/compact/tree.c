/* tree.c: which values stay on the operand stack. */
#include "compact.h"

#include <stdlib.h>
#include <string.h>

LLVMValueRef
plain(LLVMValueRef v)
{
    while (LLVMIsAFreezeInst(v)) {
        v = LLVMGetOperand(v, 0);
    }
    return v;
}

Node *
node_of(const Function *f, LLVMValueRef v)
{
    int i = LLVMIsAInstruction(v) ? map_get(f->map, v) : -1;
    return i < 0 ? NULL : &f->nodes[i];
}

static bool
starts(const char *s, const char *with)
{
    return strncmp(s, with, strlen(with)) == 0;
}

bool
is_nothing(LLVMValueRef v)
{
    if (!LLVMIsACallInst(v)) {
        return LLVMIsAFreezeInst(v) || LLVMIsAInsertValueInst(v) ||
               LLVMIsAAllocaInst(v) ||
               (LLVMIsAExtractValueInst(v) && LLVMIsAArgument(LLVMGetOperand(v, 0)));
    }
    const char *name = LLVMGetValueName(LLVMGetCalledValue(v));
    return strstr(name, ".with.overflow.") != NULL || starts(name, "llvm.lifetime") ||
           starts(name, "llvm.experimental.noalias") || starts(name, "llvm.assume") ||
           starts(name, "llvm.dbg");
}

/* ---- operands ------------------------------------------------------------ */

static LLVMValueRef
element(Function *f, LLVMValueRef v, unsigned i)
{
    for (;;) {
        if (LLVMIsAInsertValueInst(v)) {
            if (LLVMGetNumIndices(v) != 1) {
                fail(f, "nested aggregate", v);
            }
            if (LLVMGetIndices(v)[0] == i) {
                return plain(LLVMGetOperand(v, 1));
            }
            v = LLVMGetOperand(v, 0);
        } else if (LLVMIsAConstantAggregateZero(v) || LLVMIsAConstantDataArray(v) ||
                   LLVMIsAConstantArray(v) || LLVMIsAPoisonValue(v) ||
                   LLVMIsAUndefValue(v)) {
            return LLVMGetAggregateElement(v, i);
        } else {
            fail(f, "aggregate", v);
        }
    }
}

static int
elements(LLVMTypeRef t)
{
    return LLVMGetTypeKind(t) == LLVMArrayTypeKind ? (int)LLVMGetArrayLength2(t)
           : LLVMGetTypeKind(t) == LLVMStructTypeKind
               ? (int)LLVMCountStructElementTypes(t)
               : 1;
}

static int
add_operand(Function *f, LLVMValueRef v, LLVMValueRef *out)
{
    LLVMTypeKind k = LLVMGetTypeKind(LLVMTypeOf(v));
    if (k != LLVMArrayTypeKind && k != LLVMStructTypeKind) {
        out[0] = plain(v);
        return 1;
    }
    int n = elements(LLVMTypeOf(v));
    for (int i = 0; i < n; i++) {
        out[i] = LLVMIsAArgument(v) ? v : element(f, v, (unsigned)i);
    }
    return n;
}

/* What a branch or a switch depends on; null: nothing. */
static LLVMValueRef
condition_of(LLVMValueRef v)
{
    if (LLVMIsASwitchInst(v)) {
        return plain(LLVMGetOperand(v, 0));
    }
    return LLVMIsABranchInst(v) && LLVMIsConditional(v) ? plain(LLVMGetCondition(v))
                                                        : NULL;
}

/* How many operands of a call count: what says whether it is volatile, or gives poison,
 * does not. */
static int
count_of_call(LLVMValueRef v)
{
    LLVMValueRef to = LLVMGetCalledValue(v);
    int k = (int)LLVMGetNumArgOperands(v);
    if (LLVMIsAFunction(to) == NULL) {
        return k + 1;
    }
    const char *name = LLVMGetValueName(to);
    bool told = starts(name, "llvm.mem") || starts(name, "llvm.abs") ||
                (starts(name, "llvm.ct") && !starts(name, "llvm.ctpop"));
    return k - told;
}

int
operands(Function *f, LLVMValueRef v, LLVMValueRef *out, int room)
{
    if (LLVMIsAExtractValueInst(v)) {
        v = LLVMGetOperand(v, 0); /* what a sum that may overflow gives is computed for
                                     each of its two values */
        if (!LLVMIsACallInst(v) || !is_nothing(v)) {
            fail(f, "aggregate", v);
        }
    }
    if (LLVMIsAPHINode(v) || LLVMIsABranchInst(v) || LLVMIsASwitchInst(v)) {
        out[0] = condition_of(v);
        return out[0] != NULL;
    }
    int n = 0, k = LLVMIsACallInst(v) ? count_of_call(v) : LLVMGetNumOperands(v);
    for (int i = 0; i < k; i++) {
        if (n + 8 > room) {
            fail(f, "too many operands", v);
        }
        n += add_operand(f, LLVMGetOperand(v, (unsigned)i), out + n);
    }
    return n;
}

LLVMValueRef
incoming(LLVMValueRef phi, LLVMBasicBlockRef from)
{
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        if (LLVMGetIncomingBlock(phi, i) == from) {
            return plain(LLVMGetIncomingValue(phi, i));
        }
    }
    return NULL;
}

/* ---- folding ------------------------------------------------------------- */

typedef enum Effect {
    PURE_VALUE,
    READS,
    ACTS
} Effect;

static Effect
effect(LLVMValueRef v)
{
    if (LLVMIsALoadInst(v)) {
        return READS;
    }
    if (LLVMIsACallInst(v) && !is_nothing(v)) {
        const char *name = LLVMGetValueName(LLVMGetCalledValue(v));
        return starts(name, "llvm.") && !starts(name, "llvm.mem") ? PURE_VALUE : ACTS;
    }
    return LLVMIsAStoreInst(v) || LLVMIsATerminatorInst(v) ? ACTS : PURE_VALUE;
}

static bool
can_move(const Node *d, int to)
{
    Effect e = effect(d->v);
    if (e == PURE_VALUE) {
        return true;
    }
    for (const Node *n = d + 1; n->pos < to; n++) {
        if (is_nothing(n->v)) {
            continue;
        }
        Effect other = effect(n->v);
        if (other == ACTS || (e == ACTS && other == READS)) {
            return false;
        }
    }
    return true;
}

static void
fold(Function *f, LLVMValueRef *of, int n, int block, int *cur)
{
    while (n-- > 0) {
        Node *d = node_of(f, of[n]);
        if (d == NULL || d->uses != 1 || d->keep || d->block != block ||
            LLVMIsAPHINode(d->v) || is_nothing(d->v) || !can_move(d, *cur)) {
            continue;
        }
        d->folded = true;
        *cur = effect(d->v) == PURE_VALUE ? *cur : d->pos;
        LLVMValueRef more[64];
        fold(f, more, operands(f, d->v, more, 64), block, cur);
    }
}

static int
phi_values(Function *f, int block, LLVMValueRef *out, int room)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(f->blocks[block]);
    if (!LLVMIsABranchInst(end) || LLVMIsConditional(end)) {
        return 0;
    }
    LLVMBasicBlockRef to = LLVMGetSuccessor(end, 0);
    int n = 0;
    for (LLVMValueRef v = LLVMGetFirstInstruction(to); LLVMIsAPHINode(v);
         v = LLVMGetNextInstruction(v)) {
        if (n == room) {
            fail(f, "too many phis", v);
        }
        out[n++] = incoming(v, f->blocks[block]);
    }
    return n;
}

static void
count_uses(Function *f)
{
    for (int i = 0; i < f->nnodes; i++) {
        LLVMValueRef of[64];
        LLVMValueRef v = f->nodes[i].v;
        if (is_nothing(v)) {
            continue;
        }
        int n = operands(f, v, of, 64);
        for (int k = 0; k < n; k++) {
            Node *d = node_of(f, of[k]);
            if (d != NULL) {
                d->uses++;
            }
        }
        for (unsigned k = 0; LLVMIsAPHINode(v) && k < LLVMCountIncoming(v); k++) {
            Node *d = node_of(f, plain(LLVMGetIncomingValue(v, k)));
            if (d != NULL) {
                LLVMValueRef end =
                    LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(v, k));
                d->uses++;
                d->keep = d->keep || !LLVMIsABranchInst(end) || LLVMIsConditional(end);
            }
        }
    }
}

bool
needs_chain(LLVMValueRef sw)
{
    for (unsigned i = 1; i < LLVMGetNumSuccessors(sw); i++) {
        LLVMValueRef c = LLVMGetOperand(sw, 2 * i);
        if (LLVMGetIntTypeWidth(LLVMTypeOf(c)) > 64 ||
            LLVMConstIntGetZExtValue(c) > 255) {
            return true;
        }
    }
    return false;
}

void
make_trees(Function *f)
{
    count_uses(f);
    for (int i = f->nnodes - 1; i >= 0; i--) {
        Node *n = &f->nodes[i];
        LLVMValueRef of[64];
        int cur = n->pos;
        if (n->folded || is_nothing(n->v) || LLVMIsAPHINode(n->v)) {
            continue;
        }
        if (LLVMIsASwitchInst(n->v) && needs_chain(n->v)) {
            Node *value = node_of(f, plain(LLVMGetOperand(n->v, 0)));
            if (value != NULL) {
                value->keep = true;
            }
        }
        if (LLVMIsATerminatorInst(n->v)) {
            fold(f, of, phi_values(f, n->block, of, 64), n->block, &cur);
        }
        fold(f, of, operands(f, n->v, of, 64), n->block, &cur);
    }
}
